import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRetention, retentionDefaultsMs } from './retention.ts'

test('a retention setting changes the named durations in seconds, minutes, hours or days, and no others', () => {
  assert.deepEqual(parseRetention('checkouts=14d, customers=12h,texts=90m,log=30s'), {
    ...retentionDefaultsMs,
    checkouts: 14 * 86_400_000,
    customers: 12 * 3_600_000,
    texts: 90 * 60_000,
    log: 30_000,
  })
})

const refused = [
  '',
  'carts',
  'carts=',
  'carts=5',
  'carts=5w',
  'carts=1.5d',
  'carts=-1d',
  'nonsense=5d',
  'carts=5d,',
  'toString=1d',
]

for (const text of refused) {
  test(`refuses ${JSON.stringify(text)} and lists the names`, () => {
    assert.match(
      (parseRetention(text) as { problem: string }).problem,
      /^must be a list .* of carts, checkouts, customers/,
    )
  })
}

test('refuses duplicate names, and durations of 0 or more than a century', () => {
  assert.deepEqual(parseRetention('carts=5d,carts=6d'), { problem: 'names carts twice' })
  assert.deepEqual(parseRetention('carts=0d'), { problem: 'must give carts from 1s to 36500d' })
  assert.deepEqual(parseRetention('carts=36501d'), { problem: 'must give carts from 1s to 36500d' })
})
