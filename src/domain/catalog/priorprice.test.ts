import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  appendPriceStep,
  computePriorPrice,
  dropOldPriceSteps,
  type PriceStep,
  priceStepsMax,
  shownPriorPrice,
} from './priorprice.ts'

const day = 24 * 60 * 60_000
const step = (atDay: number, price: number, compareAtPrice: number | null = null): PriceStep => ({
  fromAt: atDay * day,
  price,
  compareAtPrice,
})

// Four mistakes that other systems make.

test('the sale price is not its own prior price', () => {
  assert.equal(computePriorPrice([step(0, 100), step(40, 70, 100)]), 100)
})

test('a price that applied during the 30 days counts, even if it was set earlier', () => {
  assert.equal(computePriorPrice([step(0, 90), step(200, 60, 90)]), 90)
})

test('every price of a day counts, not only one per day', () => {
  const steps = [step(0, 100), step(40, 50), { ...step(40, 100), fromAt: 40 * day + 3_600_000 }, step(50, 80, 100)]
  assert.equal(computePriorPrice(steps), 50)
})

test("the merchant's compare-at price is not used", () => {
  assert.equal(computePriorPrice([step(0, 60), step(40, 50, 200)]), 60)
})

test('a deeper reduction keeps the prior price of the first one, and a partly reversed one has a new prior price', () => {
  const further = [step(0, 100), step(40, 80, 100), step(50, 60, 100)]
  assert.equal(computePriorPrice(further), 100)
  assert.equal(computePriorPrice([...further, step(60, 70, 100)]), 60)
})

test('a young product uses its whole history; a product that was reduced from the start, or has no compare-at price now, has no prior price', () => {
  assert.equal(computePriorPrice([step(0, 100), step(5, 80, 100)]), 100)
  assert.equal(computePriorPrice([step(0, 80, 100)]), null)
  assert.equal(computePriorPrice([step(0, 100), step(40, 80)]), null)
  assert.equal(computePriorPrice([]), null)
})

// Computes the prior price from the price at every hour of the history.
function byEveryHour(steps: readonly PriceStep[]): number | null {
  const hour = 3_600_000
  const at = (instant: number) => steps.findLast(({ fromAt }) => fromAt <= instant)
  const last = steps.at(-1)
  if (!last || last.compareAtPrice === null) return null
  const begin = steps[0]?.fromAt ?? 0
  let beganAt = last.fromAt
  while (beganAt > begin) {
    const [before, here] = [at(beganAt - hour), at(beganAt)]
    if (!before || !here || before.compareAtPrice === null || before.price < here.price) break
    beganAt -= hour
  }
  const prices: number[] = []
  for (let instant = Math.max(begin, beganAt - 30 * day); instant < beganAt; instant += hour)
    prices.push(at(instant)?.price ?? Number.NaN)
  return prices.length === 0 ? null : Math.min(...prices)
}

test('the result equals a search through every hour of random histories', () => {
  const change = fc.record({
    hours: fc.integer({ min: 1, max: 24 * 25 }),
    price: fc.integer({ min: 1, max: 12 }),
    isClaimed: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 12 }), (changes) => {
      let hours = 0
      const steps = changes.map(({ hours: later, price, isClaimed }) => {
        hours += later
        return { fromAt: hours * 3_600_000, price, compareAtPrice: isClaimed ? price + 5 : null }
      })
      assert.equal(computePriorPrice(steps), byEveryHour(steps))
    }),
    { numRuns: 300 },
  )
})

test('a prior price that is not above the price is not shown', () => {
  assert.equal(shownPriorPrice([step(0, 100), step(40, 100, 150)]), null)
  assert.equal(shownPriorPrice([step(0, 100), step(40, 99, 150)]), 100)
})

test('an unchanged price adds no step, and a clock that was set back does not reorder the steps', () => {
  assert.deepEqual(appendPriceStep([step(1, 100)], step(2, 100)), [step(1, 100)])
  assert.deepEqual(appendPriceStep([step(0, 90), step(2, 100)], step(1, 80)), [step(0, 90), step(2, 80)])
})

test('deleting old steps leaves the prior price unchanged; with too many steps the prior price can only fall', () => {
  const change = fc.record({
    minutes: fc.integer({ min: 1, max: 60 * 24 * 20 }),
    price: fc.integer({ min: 1, max: 12 }),
    isClaimed: fc.boolean(),
  })
  const histories = fc.array(change, { minLength: 1, maxLength: 2 * priceStepsMax })
  fc.assert(
    fc.property(histories, fc.integer({ min: 1, max: 60 }), (changes, faster) => {
      let at = 0
      let whole: PriceStep[] = []
      let kept: PriceStep[] = []
      for (const { minutes, price, isClaimed } of changes) {
        at += Math.ceil(minutes / faster) * 60_000
        const next = { fromAt: at, price, compareAtPrice: isClaimed ? price + 5 : null }
        whole = appendPriceStep(whole, next)
        const all = appendPriceStep(kept, next)
        kept = dropOldPriceSteps(all)
        assert.ok(kept.length <= priceStepsMax)
        const [exact, stored] = [computePriorPrice(whole), computePriorPrice(kept)]
        if (whole.length <= priceStepsMax) assert.equal(stored, exact)
        else if (exact !== null && stored !== null) assert.ok(stored <= exact)
      }
    }),
    { numRuns: 60 },
  )
})
