// Invoices and credit notes, checked against a simple calculation: the prices are those of random carts, and the refunds are random ones
// by line and by amount. Another seed: SEED=1 npm test.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { bought, ordered, priced } from '../../../harness/bought.ts'
import { RefundReference } from '../../../harness/refundReference.ts'
import { isWide } from '../../../harness/wide.ts'
import { amountOfUnits } from '../orders/refundlines.ts'
import type { OrderLine, RefundedLine } from '../orders/store.ts'
import { creditLines, type DocumentLine, invoiceLines, sumEarlierCredits, sumsByRate, sumTaxedLines } from './sums.ts'

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

const reasonFor = (rateBps: number) => (rateBps === 0 ? ('zero_rate' as const) : null)
const sum = (amounts: readonly number[]) => amounts.reduce((whole, amount) => whole + amount, 0)

interface Note {
  lines: DocumentLine[]
  isReversed: boolean
}

// The lines of a refund as the dashboard makes them: units of one line, or the shipping, which is refunded once and as a whole.
function linesMeant(
  { order, lines }: { order: { total: number }; lines: readonly OrderLine[] },
  before: readonly RefundedLine[],
  pick: number,
): RefundedLine[] {
  const one = lines[pick % (lines.length + 1)]
  if (!one) {
    const amount = order.total - sum(lines.map(({ total }) => total))
    return before.some(({ skuId }) => skuId === '') ? [] : [{ skuId: '', quantity: 1, amount }]
  }
  const back = sum(before.filter(({ skuId }) => skuId === one.skuId).map(({ quantity }) => quantity))
  if (back >= one.quantity) return []
  const quantity = 1 + (pick % (one.quantity - back))
  return [{ skuId: one.skuId, quantity, amount: amountOfUnits(one, back, quantity) }]
}

describe('the sums of documents', () => {
  test('an invoice equals what was paid, by line and rate, and credit notes equal what was refunded', () => {
    fc.assert(
      fc.property(bought, (given) => {
        const { order, lines } = ordered(given, priced(given))
        const invoice = invoiceLines(order, lines, reasonFor)
        assert.deepEqual(sumTaxedLines(invoice), { net: order.total - order.tax, tax: order.tax, total: order.total })
        assert.deepEqual(sumTaxedLines(sumsByRate(invoice)), sumTaxedLines(invoice))
        for (const one of invoice) assert.equal(one.net + one.tax, one.total)

        const reference = new RefundReference(invoice)
        const notes: Note[] = []
        const byLine: RefundedLine[] = []
        let back = 0
        for (const { isByLine, isLost, pick, share } of given.refunds) {
          const left = order.total - back
          const meant = isByLine ? linesMeant({ order, lines }, byLine, pick) : []
          const wanted = isByLine ? sum(meant.map(({ amount }) => amount)) : Math.round(left * share)
          if (wanted < 1 || wanted > left) continue
          const credited = creditLines(invoice, sumEarlierCredits(notes), { amount: wanted, lines: meant })
          assert.equal(sumTaxedLines(credited).total, wanted)
          const expected = reference.refund({ amount: wanted, lines: meant })
          assert.deepEqual(
            credited.filter(({ total }) => total > 0).map(({ position, total, tax }) => ({ position, total, tax })),
            expected,
          )
          if (isLost) reference.reverse(expected)
          for (const one of credited) {
            assert.equal(one.net + one.tax, one.total)
            assert.ok(one.tax >= 0 && one.net >= 0, 'a part is not negative')
          }
          notes.push({ lines: credited, isReversed: isLost })
          if (isLost) continue
          back += wanted
          byLine.push(...meant)
        }
        assertWithin(invoice, notes)
        if (order.total === back) return
        const rest = creditLines(invoice, sumEarlierCredits(notes), { amount: order.total - back, lines: [] })
        notes.push({ lines: rest, isReversed: false })
        // Everything was refunded: nothing is left of any line or rate.
        const all = notes.filter(({ isReversed }) => !isReversed).flatMap((note) => note.lines)
        assert.deepEqual(sumTaxedLines(all), sumTaxedLines(invoice))
        const some = (ones: readonly DocumentLine[]) => sumsByRate(ones).filter(({ total }) => total !== 0)
        assert.deepEqual(some(all), some(invoice))
      }),
      // `npm run proof -- prices` runs ten thousand cases.
      { seed, numRuns: isWide ? 10_000 : 1_500 },
    )
  })

  // Compares each part with the exact fraction: the tax of the refunded part of a line deviates by less than one minor unit for each
  // credit note.
  function assertWithin(invoice: readonly DocumentLine[], notes: readonly Note[]): void {
    const back = sumEarlierCredits(notes)
    for (const { position, total, tax } of invoice) {
      const { total: given = 0, tax: taxed = 0 } = back.get(position) ?? {}
      assert.ok(given <= total && taxed <= tax)
      const exact = total === 0 ? 0 : (tax / total) * given
      assert.ok(Math.abs(exact - taxed) <= 0.5 + notes.length + exact * 1e-9, `${taxed} is far from ${exact}`)
    }
  }

  test('a refund by amount is distributed over the tax rates, and one by line has the rate of the line', () => {
    const at = (position: number, rateBps: number, tax: number, total: number): DocumentLine => ({
      ...{ position, skuId: `sku_${position}`, code: '', name: '', options: [], quantity: 2, unitPrice: total / 2 },
      ...{ discount: 0, rateBps, reason: null, net: total - tax, tax, total },
    })
    const invoice = [at(0, 1_900, 1_900, 11_900), at(1, 700, 700, 10_700)]
    const shared = creditLines(invoice, new Map(), { amount: 2_260, lines: [] })
    assert.deepEqual(
      shared.map(({ total, tax, quantity }) => [total, tax, quantity]),
      [
        [1_190, 190, null],
        [1_070, 70, null],
      ],
    )
    const one = creditLines(invoice, new Map(), {
      amount: 5_350,
      lines: [{ skuId: 'sku_1', quantity: 1, amount: 5_350 }],
    })
    assert.deepEqual(
      one.map(({ position, total, tax, quantity }) => [position, total, tax, quantity]),
      [[1, 5_350, 350, 1]],
    )
    // After a tenth of the invoice was refunded by amount, the line has less left than its refund: the rest is taken from the other line.
    const after = creditLines(invoice, sumEarlierCredits([{ lines: shared, isReversed: false }]), {
      amount: 11_900,
      lines: [{ skuId: 'sku_0', quantity: 2, amount: 11_900 }],
    })
    assert.deepEqual(
      after.map(({ position, total, tax }) => [position, total, tax]),
      [
        [0, 10_710, 1_710],
        [1, 1_190, 78],
      ],
    )
    assert.throws(() => creditLines(invoice, new Map(), { amount: 22_601, lines: [] }), /left of the invoice/)
  })
})
