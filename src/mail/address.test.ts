import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { headerText, isPlainAddress } from './address.ts'

describe('addresses of letters', () => {
  for (const address of [
    'ada@example.com',
    'ada.lovelace+shop@sub.example.co.uk',
    "o'neil@example.com",
    'ädä@exämple.com',
  ])
    test(`${address} is one`, () => assert.ok(isPlainAddress(address)))

  for (const address of [
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@b@example.com',
    '<ada@example.com>',
    'ada@example.com>',
    'ada,eve@example.com',
    'ada;eve@example.com',
    'ada:eve@example.com',
    'ada(x)@example.com',
    '"ada"@example.com',
    'a\\\\b@example.com',
    'ada @example.com',
    'ada@exa mple.com',
    'ada@example.com\r\nBcc: eve@example.com',
    'ada\u2028@example.com',
    'ada\u200b@example.com',
    '.ada@example.com',
    'ada..b@example.com',
    'ada@.example.com',
    'ada@example.com.',
    'ada@[127.0.0.1]',
    `${'a'.repeat(65)}@example.com`,
  ])
    test(`${JSON.stringify(address)} is not`, () => assert.ok(!isPlainAddress(address)))

  test('a header is one line', () => {
    assert.equal(headerText('Bloom\r\nBcc: eve@example.com'), 'Bloom Bcc: eve@example.com')
    assert.equal(headerText('  \u202eBloom\u2066 '), 'Bloom')
  })
})
