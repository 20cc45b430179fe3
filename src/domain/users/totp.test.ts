import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toBase32, totpCodeAt, totpStepAt, totpStepOfCode, totpUri } from './totp.ts'

// RFC 6238, appendix B, for SHA-1. Its codes have eight digits; ours are the last six of them.
const secret = Buffer.from('12345678901234567890')
// biome-ignore format: a table is read by its rows
const vectors: readonly (readonly [seconds: number, code: string])[] = [
  [59, '94287082'], [1111111109, '07081804'], [1111111111, '14050471'],
  [1234567890, '89005924'], [2000000000, '69279037'], [20000000000, '65353130'],
]

describe('time-based codes', () => {
  for (const [seconds, code] of vectors)
    test(`the code at second ${seconds} is that of RFC 6238`, () =>
      assert.equal(totpCodeAt(secret, totpStepAt(seconds * 1000)), code.slice(2)))

  test('a code is accepted at most one step too early or too late', () => {
    const now = 1_111_111_111_000
    const at = (steps: number) => totpCodeAt(secret, totpStepAt(now) + steps)
    const taken = [-2, -1, 0, 1, 2].map(
      (steps) => totpStepOfCode(secret, at(steps), { now, lastStep: 0 }) !== undefined,
    )
    assert.deepEqual(taken, [false, true, true, true, false])
  })

  test('a code of the step that was used last, or of an earlier one, is refused', () => {
    const now = 1_111_111_111_000
    const step = totpStepAt(now)
    assert.equal(totpStepOfCode(secret, totpCodeAt(secret, step), { now, lastStep: step }), undefined)
    assert.equal(totpStepOfCode(secret, totpCodeAt(secret, step - 1), { now, lastStep: step }), undefined)
    assert.equal(totpStepOfCode(secret, totpCodeAt(secret, step + 1), { now, lastStep: step }), step + 1)
  })

  // RFC 4648, 10.
  for (const [text, encoded] of [
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foobar', 'MZXW6YTBOI'],
  ] as const)
    test(`${text} is encoded as ${encoded}`, () => assert.equal(toBase32(Buffer.from(text)), encoded))

  test('the address for an authenticator app is percent-encoded', () => {
    assert.equal(
      totpUri(secret, 'ada@bloom.example', 'Bloom & Co'),
      'otpauth://totp/Bloom%20%26%20Co:ada%40bloom.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Bloom%20%26%20Co',
    )
  })
})
