import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../../harness/texts.ts'
import { readAuthorization } from './authorization.ts'

test('the scheme Bearer may be in any letter case, or missing', () => {
  for (const value of ['Bearer abc', 'bearer abc', 'BEARER abc', 'bEaReR    abc', 'abc']) {
    assert.equal(readAuthorization(value), 'abc', value)
  }
})

test('any other header contains no credential', () => {
  const refused = [
    ...['', ' ', 'Bearer ', ' abc', 'abc ', 'Bearer abc ', 'Bearer\tabc', 'Bearer abc def', 'abc def'],
    ...[
      'Basic YWJj',
      'DPoP abc',
      'Token abc',
      'Bearer Bearer abc',
      'Bearer abc, Bearer def',
      'abc,def',
      'Bearer "abc"',
    ],
    ...['Bearer abc\r\nX: y', 'Bearer abc\0', 'Bearer é', 'abc=', 'a'.repeat(257), `Bearer ${'a'.repeat(250)}`],
  ]
  for (const value of refused) assert.equal(readAuthorization(value), undefined, JSON.stringify(value))
  assert.equal(readAuthorization(undefined), undefined)
})

test('any header gives a credential of harmless characters, or none', () => {
  fc.assert(
    fc.property(anyText(), fc.constantFrom('', 'Bearer ', 'bearer'), (text, start) => {
      const credential = readAuthorization(start + text)
      if (credential !== undefined) assert.match(credential, /^[\w.~+/-]{1,256}$/)
    }),
  )
})
