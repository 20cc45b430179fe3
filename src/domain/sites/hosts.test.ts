import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostFromHeader, isLocalName, nextCheckAt, normalizeHost, shopOriginFor } from './hosts.ts'

test('a host is a public name in normalized spelling', () => {
  for (const [text, host] of [
    ['tea.example.com', 'tea.example.com'],
    [' Tea.Example.COM. ', 'tea.example.com'],
    ['tee-küche.example', 'xn--tee-kche-b6a.example'],
  ] as const)
    assert.equal(normalizeHost(text), host, text)
  for (const text of [
    ...[
      '',
      'tea',
      'localhost',
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '1.2',
      '[::1]',
      'tea.example.com:443',
      '*.example.com',
    ],
    ...[
      'https://tea.example.com',
      'tea.example.com/x',
      'a@tea.example.com',
      'tea..example.com',
      '-a.example.com',
      'a_b.example.com',
    ],
    ...['tea.example.com\u200b', 'tea.example.com\\x', `${'a'.repeat(64)}.example.com`, `${'a.'.repeat(130)}com`],
  ])
    assert.equal(normalizeHost(text), undefined, text)
})

test('the host of a request is used without its port, and local names are recognized', () => {
  assert.deepEqual(['Tea.Example.com:443', 'tea.example.com.', undefined].map(hostFromHeader), [
    ...['tea.example.com', 'tea.example.com', ''],
  ])
  for (const name of ['', 'localhost', 'cartwright', '127.0.0.1', '[::1]', 'a.internal', 'tea.localhost'])
    assert.ok(isLocalName(name), name)
  for (const name of ['tea.example.com', '127.0.0.1.example.com', 'localhost.example'])
    assert.ok(!isLocalName(name), name)
})

test('the URL of a shop has the scheme and port of the public address', () => {
  assert.equal(shopOriginFor('tea.example.com', 'https://shop.example.com'), 'https://tea.example.com')
  assert.equal(shopOriginFor('tea.localhost', 'http://localhost:4000'), 'http://tea.localhost:4000')
})

test('a host is checked every minute at first, then less and less often, down to every hour, and not after a week', () => {
  const minute = 60_000
  assert.equal(nextCheckAt(0, 0), minute)
  assert.equal(nextCheckAt(0, 40 * minute), 50 * minute)
  assert.equal(nextCheckAt(0, 2_880 * minute), 2_940 * minute)
  assert.equal(nextCheckAt(0, 7 * 1_440 * minute), null)
})
