// Plans of edits. Their documents are checked with random edits. Another seed: SEED=1 npm test.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bought, ordered, priced } from '../../../harness/bought.ts'
import { isWide } from '../../../harness/wide.ts'
import {
  addedLines,
  creditLines,
  type DocumentLine,
  invoiceLines,
  refundForRemovedParts,
  sumEarlierCredits,
  sumTaxedLines,
} from '../documents/sums.ts'
import type { OrderLine, OrderRow } from '../orders/store.ts'
import { type EditInput, type NewItem, planEdit } from './plan.ts'

// Only the members that a plan reads.
const order = {
  ...{
    priceTax: 'excluded',
    taxRelief: 'reverse_charge',
    subtotal: 100,
    discount: 0,
    shipping: 0,
    shippingTax: 0,
    tax: 0,
  },
  ...{ total: 100, itemCount: 1, shippingTaxes: null, shippingChoice: null, promotion: null },
} as unknown as OrderRow

const item = {
  skuId: 'sku_1',
  code: 'CARD',
  productSlug: 'card',
  name: 'Card',
  options: [],
  image: null,
  measure: null,
}
const line: OrderLine = {
  ...{ ...item, withdrawalExempt: null, quantity: 1, fulfilled: 0, unitPrice: 100, subtotal: 100, discount: 0 },
  ...{ tax: 0, total: 100, taxRateBps: 0 },
}

test('the tax is subtracted once from all units of a new item together', () => {
  const pin: NewItem = { ...item, skuId: 'sku_2', withdrawalExempt: null, price: 3, rateBps: 0, containedBps: 2000 }
  const plan = planEdit({
    ...{ order, lines: [line], refunded: [], shipping: undefined },
    ...{ quantities: new Map([['sku_2', 1000]]), newItems: [pin] },
  })
  const [, added] = plan.lines
  assert.deepEqual([added?.unitPrice, added?.subtotal, added?.total], [2, 2500, 2500])
  assert.deepEqual([plan.order.total, plan.difference], [2600, 2500])
})

const changes = fc.array(
  fc.record({
    quantities: fc.array(fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 9 })), { maxLength: 3 }),
    newPrice: fc.option(fc.nat({ max: 5_000 })),
    shipping: fc.option(fc.nat({ max: 2_000 })),
  }),
  { minLength: 1, maxLength: 4 },
)
type Change = typeof changes extends fc.Arbitrary<readonly (infer T)[]> ? T : never

function inputFor(order: OrderRow, lines: readonly OrderLine[], change: Change, at: number): EditInput {
  const quantities = new Map(change.quantities.map(([pick, quantity]) => [lines[pick]?.skuId ?? '', quantity]))
  const skuId = `sku_new${at}`
  const { newPrice } = change
  if (newPrice !== null) quantities.set(skuId, 2)
  const fresh = { ...item, skuId, withdrawalExempt: null, price: newPrice ?? 0, rateBps: 700, containedBps: 0 }
  const newItems = newPrice === null ? [] : [fresh]
  return { order, lines, refunded: [], quantities, newItems, shipping: change.shipping ?? undefined }
}

test('after each edit the documents add up to the total and tax of the order, and to the tax of each item', () => {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
  fc.assert(
    fc.property(bought, changes, (given, edits) => {
      const placed = ordered(given, priced(given))
      let order = { ...placed.order, refunded: 0, promotion: null } as unknown as OrderRow
      let { lines }: { lines: readonly OrderLine[] } = placed
      const none = () => null
      const invoiced = invoiceLines(order, lines, none)
      const notes: { lines: DocumentLine[]; isReversed: boolean }[] = []
      for (const [at, change] of edits.entries()) {
        const input = inputFor(order, lines, change, at)
        if (lines.every(({ skuId }) => input.quantities.get(skuId) === 0) && input.newItems.length === 0) continue
        const plan = planEdit(input)
        const meant = refundForRemovedParts(plan.parts.removed)
        if (plan.parts.added.length > 0) invoiced.push(...addedLines(plan.parts.added, invoiced.length, none))
        if (meant.lines.length > 0)
          notes.push({ lines: creditLines(invoiced, sumEarlierCredits(notes), meant), isReversed: false })
        ;({ order, lines } = plan)
        const { tax, total } = order
        const [made, back] = [sumTaxedLines(invoiced), sumTaxedLines(notes.flatMap((note) => note.lines))]
        assert.deepEqual({ tax: made.tax - back.tax, total: made.total - back.total }, { tax, total })
        const credited = sumEarlierCredits(notes)
        for (const one of lines) {
          const ofItem = invoiced.filter(({ skuId }) => skuId === one.skuId)
          const left =
            sumTaxedLines(ofItem).tax - sumTaxedLines(ofItem.map((line) => credited.get(line.position) ?? nothing)).tax
          assert.equal(left, one.tax, one.skuId)
        }
        for (const one of notes.flatMap((note) => note.lines)) assert.ok(one.tax >= 0 && one.net >= 0)
      }
    }),
    // `npm run proof -- prices` runs ten thousand cases.
    { seed, numRuns: isWide ? 10_000 : 500 },
  )
})

const nothing = { net: 0, tax: 0, total: 0 }
