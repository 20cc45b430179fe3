import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { longestTurn } from '../../../harness/longestTurn.ts'
import { leastOf } from '../../../harness/timed.ts'
import { formFieldsFrom, parseFields } from './fields.ts'

describe('the fields of a form', () => {
  test('are parsed in the same way as by URLSearchParams', async () => {
    const piece = fc.oneof(
      fc.constantFrom('&', '=', '+', '%', '%2', '%26', '%3D', '%zz', '%ff', '%E2%82%AC', '%e2%82', '%EF%BB%BF', 'a'),
      fc.string({ maxLength: 3 }).map(encodeURIComponentSafely),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const text = pieces.join('')
        // The prefix & keeps URLSearchParams from removing a leading question mark.
        assert.deepEqual([...((await parseFields(Buffer.from(text), 100)) ?? [])], [...new URLSearchParams(`&${text}`)])
      }),
      { numRuns: 500 },
    )
  })

  test('are found by name in the order in which they were sent', () => {
    const fields = formFieldsFrom([
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
    ])
    assert.deepEqual(
      [fields.get('a'), fields.get('c'), fields.getAll('a'), fields.getAll('c')],
      ['1', null, ['1', '3'], []],
    )
    assert.deepEqual([[...fields.keys()], [...fields].length, fields.size], [['a', 'b', 'a'], 3, 3])
    assert.deepEqual([fields.has('b'), fields.has('__proto__')], [true, false])
  })

  test('are not parsed if there are too many', async () => {
    assert.equal(await parseFields(Buffer.from('a&'.repeat(100)), 100), undefined)
  })

  for (const [name, text] of [
    ['four million plus signs', `a=${'+'.repeat(4_000_000)}`],
    ['four million percent signs', `a=${'%'.repeat(4_000_000)}`],
    ['25,000 fields', 'a=%ff&'.repeat(24_999)],
  ] as const) {
    test(`do not block the event loop for long: ${name}`, async () => {
      const heldMs = await leastOf(100, () => longestTurn(() => parseFields(Buffer.from(text), 25_000)))
      assert.ok(heldMs < 100, `held the loop for ${heldMs} ms`)
    })
  }
})

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
