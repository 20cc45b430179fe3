import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { remark, remarkMessage, remarkSentences, remarkText } from './remarks.ts'

describe('a remark', () => {
  test('has a code with exactly the values of its sentence', () => {
    assert.deepEqual(remark('tags_cut', { max: 50 }), { code: 'tags_cut', values: { max: 50 } })
    remark('file_empty')
    // @ts-expect-error: a value is missing
    remark('tags_cut')
    // @ts-expect-error: a value is of another type
    remark('tags_cut', { max: '50' })
    // @ts-expect-error: a value is not in the sentence
    remark('tags_cut', { max: 50, min: 1 })
    const [slug, members] = ['mug', ['A', 'B']]
    const shown = 'stored but not shown, because no higher price from the 30 days before is recorded'
    const claim = remark('compare_at_price_not_shown', { slug, members, more: undefined })
    assert.equal(remarkText(claim), `mug: the compare-at price of A, B is ${shown}`)
    const claims = remark('compare_at_price_not_shown', { slug, members, more: 2 })
    assert.equal(remarkText(claims), `mug: the compare-at price of A, B and 2 more is ${shown}`)
  })

  test('is printed with its line, the number of further rows and its consequence', () => {
    const comma = { ...remark('price_has_comma', { value: '{max} $1' }), line: 1_007, moreRows: 2_000, leavesOut: true }
    const said = 'the price "{max} $1" has a comma: write it like 1299.00 (and 2000 more rows); the product is left out'
    assert.equal(remarkMessage(comma), said)
    assert.equal(remarkText(comma), `line 1007: ${said}`)
    assert.match(remarkText(remark('column_missing', { names: ['a', 'b'] })), /does not name the column "a" or "b", so/)
  })

  test('has a sentence without the line, further rows and consequence, for every code', () => {
    for (const [code, sentence] of Object.entries(remarkSentences))
      assert.doesNotMatch(sentence, /^line \d|more rows\)|the product is left out/, code)
  })
})
