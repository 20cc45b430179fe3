import assert from 'node:assert/strict'
import { test } from 'node:test'
import { headerText } from './header.ts'

test('a header is reduced to one line without control characters', () => {
  assert.equal(headerText('Bloom\r\nBcc: eve@example.com'), 'Bloom Bcc: eve@example.com')
  assert.equal(headerText('  \u202eBloom\u2066 '), 'Bloom')
})
