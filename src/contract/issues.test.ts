import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ErrorIssue } from './errors.ts'
import { fillSentence, issue, issueAt, issueSentences, withShortMessage } from './issues.ts'
import { limits } from './limits.ts'
import { patterns } from './patterns.ts'
import { compileSchema } from './validator.ts'

describe('an issue', () => {
  test('has the sentence of its code, filled with its values', () => {
    assert.deepEqual(issueAt('/name', 'too_long', { max: 64 }), {
      path: '/name',
      code: 'too_long',
      values: { max: 64 },
      message: 'must have at most 64 characters',
    })
    assert.equal(issue('not_one_of', { allowed: ['a', 'b"'] }).message, 'must be one of "a", "b\\""')
    assert.equal(
      issue('required_unless', { alternatives: ['items', 'cartId'] }).message,
      'is required unless items or cartId is given',
    )
    assert.equal(issue('needs_members', { members: ['a', 'b'] }).message, 'is only allowed together with a, b')
  })

  test('leaves out the part of the sentence whose values are missing', () => {
    assert.equal(issue('not_a_postal_code').message, 'must be a postal code of this country')
    assert.deepEqual(issue('not_a_postal_code', { example: '10115' }), {
      code: 'not_a_postal_code',
      values: { example: '10115' },
      message: 'must be a postal code of this country, such as 10115',
    })
    assert.deepEqual(issue('not_an_email', { min: undefined, max: undefined }).values, {})
  })

  test('takes exactly the values that the sentence of its code contains', () => {
    issue('blank')
    // @ts-expect-error: a value is missing
    issue('too_long')
    // @ts-expect-error: a value is of another type
    issue('too_long', { max: '64' })
    // @ts-expect-error: a value is not in the sentence
    issue('too_long', { max: 64, min: 1 })
    // @ts-expect-error: there is no such code
    assert.throws(() => issue('too_wide'))
  })

  test('is limited in length in a response, and matches the schema', () => {
    const check = compileSchema(ErrorIssue)
    const long = withShortMessage(issueAt('/a', 'pattern_mismatch', { pattern: 'x'.repeat(2_000) }))
    assert.deepEqual(check(long), [])
    assert.equal(long.message.length, limits.issueLengthMax)
    const many = Array.from({ length: 100 }, (_, i) => `word ${i}`)
    assert.deepEqual(check(withShortMessage(issueAt('/a', 'not_one_of', { allowed: many }))), [])
    assert.ok(check({ ...long, code: 'file_not_utf8' }).length > 0, 'a code of the operator')
  })

  test('has a sentence whose placeholders are all filled, for every code', () => {
    const numbers = ['min', 'max', 'position', 'kibibytes', 'mebibytes']
    const lists = ['alternatives', 'members', 'allowed']
    for (const [code, sentence] of Object.entries(issueSentences)) {
      const names = [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
      const values = Object.fromEntries(
        names.map((name) => [name, numbers.includes(name) ? 7 : lists.includes(name) ? ['a', 'b'] : 'text']),
      )
      assert.doesNotMatch(fillSentence(sentence, values, { number: String, or: 'or' }), /[{}]|\[\?|\?\]/, code)
    }
  })

  test('has a different code for each pattern', () => {
    const codes = Object.values(patterns).map(({ code }) => code)
    assert.equal(new Set(codes).size, codes.length)
    for (const { code, words } of Object.values(patterns)) assert.equal(issue(code).message, `must be ${words}`)
  })
})
