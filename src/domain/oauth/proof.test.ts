import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDpopNonces } from './proof.ts'

const nonces = createDpopNonces(Buffer.alloc(32, 7))
const at = (seconds: number) => new Date(seconds * 1000)

test('a nonce is valid from one minute before its minute until three minutes after it', () => {
  const nonce = nonces.next(at(600))
  assert.match(nonce, /^[\w-]{43}$/)
  assert.equal(nonces.next(at(659)), nonce)
  assert.notEqual(nonces.next(at(660)), nonce)
  for (const seconds of [540, 600, 660, 839]) assert.ok(nonces.has(nonce, at(seconds)), String(seconds))
  for (const seconds of [539, 840, 10_000]) assert.ok(!nonces.has(nonce, at(seconds)), String(seconds))
})

test('no other text is accepted as a nonce', () => {
  for (const text of ['', 'x', nonces.next(at(600)).slice(1), createDpopNonces(Buffer.alloc(32, 8)).next(at(600))])
    assert.ok(!nonces.has(text, at(600)))
})
