// The lines and sums of documents. Pure, and in integers of the minor unit: the lines of an invoice add up to what was paid, those of a
// credit note to what was refunded, and all credit notes of an order to its invoice, by line and by rate.

import type { TaxReason } from '../../contract/words.ts'
import { allocate, roundHalfUpDivide } from '../../platform/kit/money.ts'
import { type ReceiptOrder, receiptOf } from '../orders/receipt.ts'
import type { OrderLine, RefundedLine } from '../orders/store.ts'

export interface TaxedSum {
  net: number
  tax: number
  total: number
}

export interface DocumentLine extends TaxedSum {
  // Of the line on the invoice, from 0. Shipping is last, with a line for each rate.
  position: number
  // Empty for the shipping.
  skuId: string
  code: string
  name: string
  // Values of the options, such as a size.
  options: readonly string[]
  // Null where a part of the price was refunded and not a number of units.
  quantity: number | null
  // As the order has them, with or without tax; null on credit notes.
  unitPrice: number | null
  discount: number
  rateBps: number
  // Why no tax is charged; null where it is.
  reason: TaxReason | null
}

export interface RateSum extends TaxedSum {
  rateBps: number
  reason: TaxReason | null
}

// Why no tax is charged at this rate on this SKU; the shipping has none.
export type ReasonFor = (rateBps: number, skuId: string) => TaxReason | null

export function invoiceLines(order: ReceiptOrder, sold: readonly OrderLine[], reasonFor: ReasonFor): DocumentLine[] {
  const { lines, shipping } = receiptOf(order, sold)
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

// Of an order from before rates were stored.
function rateOf(net: number, tax: number): number {
  return net === 0 ? 0 : Number(roundHalfUpDivide(BigInt(tax) * 10_000n, BigInt(net)))
}

// What an edit added to an order, or took off it.
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

// Positions go on where the invoices of the order end: a credit note is of a line of any of them.
export function addedLines(parts: readonly EditedPart[], from: number, reasonFor: ReasonFor): DocumentLine[] {
  return parts.map((part, at): DocumentLine => {
    const { skuId, code, name, quantity, unitPrice, discount, tax, total, rateBps } = part
    const options = part.options.map(({ value }) => value)
    const amounts = { discount, net: total - tax, tax, total, rateBps, reason: reasonFor(rateBps, skuId) }
    return { position: from + at, skuId, code, name, options, quantity, unitPrice, ...amounts }
  })
}

export function removedMeant(parts: readonly EditedPart[]): RefundMeant {
  const lines = parts.map(({ skuId, quantity, total, rateBps }) => ({ skuId, quantity, amount: total, rateBps }))
  return { amount: sumOf(lines.map(({ amount }) => amount)), lines }
}

// What went back of a line of the invoice before.
export interface CreditedBefore extends TaxedSum {
  quantity: number
}

const nothingBefore: CreditedBefore = { net: 0, tax: 0, total: 0, quantity: 0 }

// By position. A credit note whose refund failed later was reversed, and counts no more.
export function creditedBefore(
  notes: readonly { lines: readonly DocumentLine[]; isReversed: boolean }[],
): Map<number, CreditedBefore> {
  const sums = new Map<number, CreditedBefore>()
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

export interface RefundMeant {
  amount: number
  // What it was for, where it was made by line.
  lines: readonly MeantLine[]
}

// The rate says which part of the shipping is meant.
interface MeantLine extends RefundedLine {
  rateBps?: number
}

// A refund by line is that of its lines, as far as something is left of them. The rest, and a refund by amount, is spread over what is
// left of all lines, so every rate gets its share.
export function creditLines(
  invoice: readonly DocumentLine[],
  before: ReadonlyMap<number, CreditedBefore>,
  { amount, lines: named }: RefundMeant,
): DocumentLine[] {
  const left = invoice.map(({ position, total }) => total - (before.get(position)?.total ?? 0))
  const meant = sharesOf(invoice, left, before, named)
  const first = meant.map((line) => line?.amount ?? 0)
  if (amount > sumOf(left)) throw new Error('more was refunded than is left of the invoice')
  const rest = allocate(
    amount - sumOf(first),
    left.map((most, i) => most - (first[i] ?? 0)),
  )
  return invoice.flatMap((line, i): DocumentLine[] => {
    const total = (first[i] ?? 0) + (rest[i] ?? 0)
    const back = before.get(line.position) ?? nothingBefore
    const isWhole = total === left[i]
    const units = meant[i]?.quantity ?? (isWhole ? (line.quantity ?? 0) - back.quantity : 0)
    if (total === 0 && meant[i] === undefined) return []
    const tax = taxOfPart(line, back, total)
    return [{ ...line, quantity: units > 0 ? units : null, unitPrice: null, discount: 0, net: total - tax, tax, total }]
  })
}

// What each line gets of the refund that names it. The shipping may have several lines, which share it by what is left of them.
function namedParts(invoice: readonly DocumentLine[], left: readonly number[], named: readonly MeantLine[]): number[] {
  const parts = invoice.map(() => 0)
  for (const { skuId, amount, rateBps } of named) {
    const isMeant = (line: DocumentLine) => line.skuId === skuId && (rateBps === undefined || line.rateBps === rateBps)
    const most = invoice.map((line, i) => (isMeant(line) ? (left[i] ?? 0) - (parts[i] ?? 0) : 0))
    for (const [i, part] of allocate(Math.min(amount, sumOf(most)), most).entries()) parts[i] = (parts[i] ?? 0) + part
  }
  return parts
}

// An item has several lines where an edit added to it: the earlier ones go back first, and the last one takes what is left.
function sharesOf(
  invoice: readonly DocumentLine[],
  left: readonly number[],
  before: ReadonlyMap<number, CreditedBefore>,
  named: readonly MeantLine[],
): (RefundedLine | undefined)[] {
  const open = new Map(named.map((line) => [line.skuId, { ...line }]))
  const ofShipping = namedParts(
    invoice,
    left,
    named.filter(({ skuId }) => skuId === ''),
  )
  return invoice.map(({ skuId, position, quantity }, i) => {
    const line = open.get(skuId)
    if (!line) return undefined
    if (skuId === '') return { ...line, amount: ofShipping[i] ?? 0 }
    const isLast = !invoice.slice(i + 1).some((other) => other.skuId === skuId)
    const units = (quantity ?? 0) - (before.get(position)?.quantity ?? 0)
    const share = {
      skuId,
      quantity: isLast ? line.quantity : Math.max(0, Math.min(line.quantity, units)),
      amount: Math.min(line.amount, left[i] ?? 0),
    }
    line.quantity -= share.quantity
    line.amount -= share.amount
    return isLast || share.quantity > 0 || share.amount > 0 ? share : undefined
  })
}

// The tax of all parts up to this one, rounded half up once, without what the parts before had: the last part brings the sum to the
// tax of the line.
function taxOfPart(line: DocumentLine, before: CreditedBefore, total: number): number {
  if (line.total === 0) return 0
  const upTo = roundHalfUpDivide(BigInt(line.tax) * BigInt(before.total + total), BigInt(line.total))
  const tax = Number(upTo) - before.tax
  // After a reversal in between, the parts before may be off by one.
  return before.total + total === line.total ? tax : Math.min(Math.max(tax, 0), total)
}

// Highest rate first.
export function sumsByRate(lines: readonly DocumentLine[]): RateSum[] {
  const sums = new Map<string, RateSum>()
  for (const { rateBps, reason, net, tax, total } of lines) {
    const key = `${rateBps} ${reason}`
    const sum = sums.get(key) ?? { rateBps, reason, net: 0, tax: 0, total: 0 }
    sums.set(key, { rateBps, reason, net: sum.net + net, tax: sum.tax + tax, total: sum.total + total })
  }
  return [...sums.values()].sort((one, other) => other.rateBps - one.rateBps || compare(one.reason, other.reason))
}

export function totalsOf(lines: readonly TaxedSum[]): TaxedSum {
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
