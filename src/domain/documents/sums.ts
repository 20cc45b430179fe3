// The lines and sums of documents. Pure, and in integers of the minor unit: the lines of an invoice add up to what was paid, those of a
// credit note to what was refunded. If everything is refunded, the credit notes of an order add up to its invoices, by line and by rate.

import type { TaxReason } from '../../contract/words.ts'
import { allocate, roundHalfUpDivide } from '../../platform/kit/money.ts'
import { buildReceipt, type ReceiptOrder } from '../orders/receipt.ts'
import type { OrderLine, RefundedLine } from '../orders/store.ts'

export interface TaxedSum {
  net: number
  tax: number
  total: number
}

export interface DocumentLine extends TaxedSum {
  // Position of the line on the invoice, from 0. Shipping comes last, with one line for each rate.
  position: number
  // Empty for shipping.
  skuId: string
  code: string
  name: string
  // Values of the options, such as a size.
  options: readonly string[]
  // Null if an amount was refunded instead of units.
  quantity: number | null
  // Price per unit as in the order, with or without tax; null on credit notes.
  unitPrice: number | null
  discount: number
  rateBps: number
  // Why no tax is charged; null if it is charged.
  reason: TaxReason | null
}

export interface RateSum extends TaxedSum {
  rateBps: number
  reason: TaxReason | null
}

// Returns why no tax is charged at this rate on this SKU. `skuId` is empty for shipping.
export type ReasonFor = (rateBps: number, skuId: string) => TaxReason | null

export function invoiceLines(order: ReceiptOrder, sold: readonly OrderLine[], reasonFor: ReasonFor): DocumentLine[] {
  const { lines, shipping } = buildReceipt(order, sold)
  const taxed = (
    { net, tax, gross, taxRateBps }: { net: number; tax: number; gross: number; taxRateBps: number | null },
    skuId: string,
  ) => {
    const rateBps = taxRateBps ?? rateOf(net, tax)
    return { net, tax, total: gross, rateBps, reason: reasonFor(rateBps, skuId) }
  }
  const goods = lines.map((line, position): DocumentLine => {
    const { skuId = '', code = '', unitPrice = 0, discount = 0 } = sold[position] ?? {}
    const options = line.options.map(({ value }) => value)
    return {
      position,
      skuId,
      code,
      name: line.name,
      options,
      quantity: line.quantity,
      unitPrice,
      discount,
      ...taxed(line, skuId),
    }
  })
  const shippingDiscount = order.discount - sold.reduce((sum, line) => sum + line.discount, 0)
  const sent = shipping.map((part, i): DocumentLine => {
    const { shippingTaxes } = order
    const { unitPrice, discount } = shippingTaxes
      ? { unitPrice: shippingTaxes[i]?.amount ?? 0, discount: 0 }
      : { unitPrice: order.shipping, discount: shippingDiscount }
    const position = goods.length + i
    return {
      position,
      skuId: '',
      code: '',
      name: part.label,
      options: [],
      quantity: 1,
      unitPrice,
      discount,
      ...taxed(part, ''),
    }
  })
  return [...goods, ...sent]
}

// Computes the rate for an order of an earlier release, for which no rate is stored.
function rateOf(net: number, tax: number): number {
  return net === 0 ? 0 : Number(roundHalfUpDivide(BigInt(tax) * 10_000n, BigInt(net)))
}

// A part that an edit added to an order, or removed from it.
export interface EditedPart {
  skuId: string
  code: string
  name: string
  options: readonly { value: string }[]
  quantity: number
  unitPrice: number
  discount: number
  tax: number
  total: number
  rateBps: number
}

// Positions continue after those of the order's earlier invoices, so a credit note can refer to a line of any of them.
export function addedLines(parts: readonly EditedPart[], from: number, reasonFor: ReasonFor): DocumentLine[] {
  return parts.map((part, at): DocumentLine => {
    const { skuId, code, name, quantity, unitPrice, discount, tax, total, rateBps } = part
    const options = part.options.map(({ value }) => value)
    const amounts = { discount, net: total - tax, tax, total, rateBps, reason: reasonFor(rateBps, skuId) }
    return { position: from + at, skuId, code, name, options, quantity, unitPrice, ...amounts }
  })
}

export function refundForRemovedParts(parts: readonly EditedPart[]): IntendedRefund {
  const lines = parts.map(({ skuId, quantity, total, tax, rateBps }) => ({
    skuId,
    quantity,
    amount: total,
    tax,
    rateBps,
  }))
  return { amount: sumOf(lines.map(({ amount }) => amount)), lines }
}

// What earlier credit notes credited of a line of the invoice.
export interface EarlierCredit extends TaxedSum {
  quantity: number
}

const nothingBefore: EarlierCredit = { net: 0, tax: 0, total: 0, quantity: 0 }

// Sums by position. A credit note whose refund failed later was reversed, and no longer counts.
export function sumEarlierCredits(
  notes: readonly { lines: readonly DocumentLine[]; isReversed: boolean }[],
): Map<number, EarlierCredit> {
  const sums = new Map<number, EarlierCredit>()
  for (const { lines, isReversed } of notes) {
    if (isReversed) continue
    for (const { position, net, tax, total, quantity } of lines) {
      const sum = sums.get(position) ?? nothingBefore
      sums.set(position, {
        net: sum.net + net,
        tax: sum.tax + tax,
        total: sum.total + total,
        quantity: sum.quantity + (quantity ?? 0),
      })
    }
  }
  return sums
}

export interface IntendedRefund {
  amount: number
  // The lines that are refunded, if the refund was made by line.
  lines: readonly MeantLine[]
}

// `rateBps`: the part of the shipping with this rate. `tax`: the tax that an edit removes from the order.
interface MeantLine extends RefundedLine {
  rateBps?: number
  tax?: number
}

// A refund by line is credited to its lines, as far as they have an amount left. The rest, and a refund by amount, is spread over what is
// left of all lines, so every rate gets its share.
export function creditLines(
  invoice: readonly DocumentLine[],
  before: ReadonlyMap<number, EarlierCredit>,
  { amount, lines: named }: IntendedRefund,
): DocumentLine[] {
  const open = invoice.map((line): OpenLine => {
    const back = before.get(line.position) ?? nothingBefore
    return { line, back, left: line.total - back.total, taxLeft: line.tax - back.tax }
  })
  const shares = sharesOf(open, named)
  const first = shares.map((share) => share?.amount ?? 0)
  const left = open.map((one) => one.left)
  if (amount > sumOf(left)) throw new Error('the refund is more than the amount that is left of the invoice')
  const rest = allocate(
    amount - sumOf(first),
    left.map((most, i) => most - (first[i] ?? 0)),
  )
  return open.flatMap((one, i): DocumentLine[] => {
    const [share, more = 0] = [shares[i], rest[i]]
    const total = (share?.amount ?? 0) + more
    if (total === 0 && share === undefined) return []
    const { line, back } = one
    const units = share?.quantity ?? (total === one.left ? (line.quantity ?? 0) - back.quantity : 0)
    const tax = share?.tax !== undefined && more === 0 ? share.tax : taxOfPart(one, total)
    return [{ ...line, quantity: units > 0 ? units : null, unitPrice: null, discount: 0, net: total - tax, tax, total }]
  })
}

// A line of the invoice, with the amounts credited before and those that are left.
interface OpenLine {
  line: DocumentLine
  back: EarlierCredit
  left: number
  taxLeft: number
}

interface Share {
  quantity: number
  amount: number
  // The tax that the edit removes.
  tax?: number
}

// An item has several lines if an edit added units: the earlier lines are credited first, and the last line gets the rest.
function sharesOf(open: readonly OpenLine[], named: readonly MeantLine[]): (Share | undefined)[] {
  const wanted = new Map(named.map((line) => [line.skuId, { ...line }]))
  const parts = partsOf(open, named)
  return open.map(({ line: { skuId, quantity }, back }, i) => {
    const line = wanted.get(skuId)
    if (!line) return undefined
    const part = parts[i] ?? { amount: 0 }
    if (skuId === '') return { ...part, quantity: line.quantity }
    const isLast = !open.slice(i + 1).some((other) => other.line.skuId === skuId)
    const units = Math.max(0, Math.min(line.quantity, (quantity ?? 0) - back.quantity))
    const share = { ...part, quantity: isLast ? line.quantity : units }
    line.quantity -= share.quantity
    return isLast || share.quantity > 0 || share.amount > 0 ? share : undefined
  })
}

// Returns the share of each line in the refund that names the line. If an item has several lines, the earlier ones are credited first.
// Lines of the shipping share the amount in proportion to what is left of each.
function partsOf(open: readonly OpenLine[], named: readonly MeantLine[]): Omit<Share, 'quantity'>[] {
  const parts: Omit<Share, 'quantity'>[] = open.map(() => ({ amount: 0 }))
  for (const { skuId, rateBps, amount, tax } of named) {
    const isMeant = ({ line }: OpenLine) =>
      line.skuId === skuId && (skuId !== '' || rateBps === undefined || line.rateBps === rateBps)
    const most = (limit: (one: OpenLine) => number) => open.map((one) => (isMeant(one) ? limit(one) : 0))
    if (tax === undefined) {
      const left = most((one) => one.left)
      const amounts = skuId === '' ? allocate(Math.min(amount, sumOf(left)), left) : inTurn(amount, left)
      for (const [i, share] of amounts.entries()) if (share > 0) parts[i] = { amount: (parts[i]?.amount ?? 0) + share }
      continue
    }
    // Net and tax are spread separately: the order's remaining amounts were rounded as a whole, so net and tax may come from different
    // lines.
    const nets = inTurn(
      amount - tax,
      most((one) => one.left - one.taxLeft),
    )
    const taxes = inTurn(
      tax,
      most((one) => one.taxLeft),
    )
    for (const [i, share] of taxes.entries()) {
      const whole = share + (nets[i] ?? 0)
      if (whole > 0) parts[i] = { amount: whole, tax: share }
    }
  }
  return parts
}

function inTurn(amount: number, most: readonly number[]): number[] {
  let left = amount
  return most.map((limit) => {
    const share = Math.min(left, limit)
    left -= share
    return share
  })
}

// The tax of all parts up to this one, rounded half up once, minus the tax of the parts before: the last part completes the tax of the
// line. Earlier parts that were reversed or come from an edit may deviate, but neither tax nor net becomes negative.
function taxOfPart({ line, back, left, taxLeft }: OpenLine, total: number): number {
  if (line.total === 0) return 0
  const upTo = roundHalfUpDivide(BigInt(line.tax) * BigInt(back.total + total), BigInt(line.total))
  const least = Math.max(0, taxLeft - (left - total))
  return Math.max(least, Math.min(Number(upTo) - back.tax, taxLeft, total))
}

// Sums by rate, highest rate first.
export function sumsByRate(lines: readonly DocumentLine[]): RateSum[] {
  const sums = new Map<string, RateSum>()
  for (const { rateBps, reason, net, tax, total } of lines) {
    const key = `${rateBps} ${reason}`
    const sum = sums.get(key) ?? { rateBps, reason, net: 0, tax: 0, total: 0 }
    sums.set(key, { rateBps, reason, net: sum.net + net, tax: sum.tax + tax, total: sum.total + total })
  }
  return [...sums.values()].sort((one, other) => other.rateBps - one.rateBps || compare(one.reason, other.reason))
}

export function sumTaxedLines(lines: readonly TaxedSum[]): TaxedSum {
  return {
    net: sumOf(lines.map(({ net }) => net)),
    tax: sumOf(lines.map(({ tax }) => tax)),
    total: sumOf(lines.map(({ total }) => total)),
  }
}

function compare(one: string | null, other: string | null): number {
  return (one ?? '') < (other ?? '') ? -1 : 1
}

function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0)
}
