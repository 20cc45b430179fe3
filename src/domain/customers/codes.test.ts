import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type CodeCounts,
  customerCodesMax,
  customerCodeTriesMax,
  isCodeOpen,
  mayRequestCode,
  parseTypedCode,
} from './codes.ts'

test('a code is valid until it was used, has expired, or had five wrong guesses', () => {
  const open = { tries: 0, usedAt: null, expiresAt: 10 }
  assert.equal(isCodeOpen(open, 9), true)
  assert.equal(isCodeOpen(open, 10), false)
  assert.equal(isCodeOpen({ ...open, usedAt: 1 }, 9), false)
  assert.equal(isCodeOpen({ ...open, tries: customerCodeTriesMax - 1 }, 9), true)
  assert.equal(isCodeOpen({ ...open, tries: customerCodeTriesMax }, 9), false)
})

const none: CodeCounts = { requesterHour: 0, requesterDay: 0, mailboxDay: 0, networkHour: 0, shopHour: 0 }
const names = Object.keys(customerCodesMax) as (keyof CodeCounts)[]

test('each limit on requests for codes applies separately', () => {
  assert.equal(mayRequestCode(none, false), true)
  for (const name of names) {
    assert.equal(mayRequestCode({ ...none, [name]: customerCodesMax[name] - 1 }, false), true, name)
    assert.equal(mayRequestCode({ ...none, [name]: customerCodesMax[name] }, false), false, name)
  }
})

test('the limits per mailbox and per network do not apply to a known browser', () => {
  const allowed = names.filter((name) => mayRequestCode({ ...none, [name]: customerCodesMax[name] }, true))
  assert.deepEqual(allowed, ['mailboxDay', 'networkHour'])
})

test('a code is accepted however it is typed: with spaces, hyphens or full-width digits', () => {
  for (const text of ['123456', ' 123 456 ', '123-456', '１２３４５６'])
    assert.equal(parseTypedCode(text), '123456', text)
  for (const text of ['', '12345', '1234567', 'abcdef', '12 34 5x']) assert.equal(parseTypedCode(text), undefined, text)
})
