import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPossibleIban } from './iban.ts'

test('an IBAN needs valid check digits; other account numbers are not checked', () => {
  for (const good of ['DE89 3704 0044 0532 0130 00', 'gb29nwbk60161331926819', 'NO9386011117947', '12-3456-789'])
    assert.equal(isPossibleIban(good), true, good)
  for (const bad of ['DE88 3704 0044 0532 0130 00', 'DE89', 'GB29NWBK6016133192681!', `DE89${'0'.repeat(40)}`])
    assert.equal(isPossibleIban(bad), false, bad)
})
