// The result of an edit on an order, to the minor unit. Pure. Remaining units keep their price. Removed units are deducted at what was
// paid for them. Added units of an item cost as much as its present units, taxed at the rate of the order.

import { allocate, roundHalfUpDivide } from '../../platform/kit/money.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { computeTax, deductTax } from '../carts/tax.ts'
import type { EditedPart } from '../documents/sums.ts'
import type { OrderLine, OrderRow, RefundedLine, TaxShare } from '../orders/store.ts'

// A part of a line that was removed or added. For shipping, the SKU is empty.
export interface EditPart extends EditedPart {
  options: readonly { name: string; value: string }[]
}

export interface EditParts {
  removed: readonly EditPart[]
  added: readonly EditPart[]
}

// An item that the order does not have yet.
export interface NewItem
  extends Pick<
    OrderLine,
    'skuId' | 'code' | 'productSlug' | 'name' | 'options' | 'image' | 'measure' | 'withdrawalExempt'
  > {
  // Price per unit.
  price: number
  rateBps: number
  // Rate of the tax to deduct from the price; 0 for none.
  containedBps: number
}

export interface EditInput {
  order: OrderRow
  lines: readonly OrderLine[]
  refunded: readonly RefundedLine[]
  // Quantities by SKU, for the items that change.
  quantities: ReadonlyMap<string, number>
  newItems: readonly NewItem[]
  // Undefined: the shipping stays unchanged.
  shipping: number | undefined
}

export interface EditPlan {
  order: OrderRow
  lines: readonly OrderLine[]
  parts: EditParts
  difference: number
}

export function planEdit(input: EditInput): EditPlan {
  const { order, quantities } = input
  const removed: EditPart[] = []
  const added: EditPart[] = []
  const lines: OrderLine[] = []
  for (const line of input.lines) {
    const quantity = quantities.get(line.skuId) ?? line.quantity
    refuseSettled(line, input.refunded, quantity)
    const changed = quantity === line.quantity ? line : lineWith(order, line, quantity)
    if (changed && changed.quantity > line.quantity) added.push(partBetween(changed, line))
    if (!changed || changed.quantity < line.quantity) removed.push(partBetween(line, changed))
    if (changed) lines.push(changed)
  }
  for (const item of input.newItems) {
    const line = newLine(order, item, quantities.get(item.skuId) ?? 0)
    added.push(partBetween(line, undefined))
    lines.push(line)
  }
  if (lines.length === 0)
    throw editNotPossible('Nothing would be left of the order: cancel it instead.', 'nothing_left')
  const shipping = shippingAfter(input)
  removed.push(...shipping.removed)
  added.push(...shipping.added)
  const after = orderAfter(order, lines, shipping)
  return { order: after, lines, parts: { removed, added }, difference: after.total - order.total }
}

export function isOfSku({ skuId }: Pick<EditPart, 'skuId'>): boolean {
  return skuId !== ''
}

// Returns whether the edit leaves lines and amounts unchanged.
export function isUnchanged({ shipping }: OrderRow, { order, parts }: EditPlan): boolean {
  return parts.removed.length === 0 && parts.added.length === 0 && order.shipping === shipping
}

function refuseSettled(line: OrderLine, refunded: readonly RefundedLine[], quantity: number): void {
  const { skuId, code, fulfilled } = line
  const own = refunded.filter((part) => part.skuId === skuId)
  const units = sumOf(own, (part) => part.quantity)
  const least = Math.max(
    fulfilled,
    units,
    unitsWorth(
      line,
      sumOf(own, (part) => part.amount),
    ),
  )
  if (quantity >= least) return
  const message = `${least} of ${code} were already sent or refunded, so the quantity cannot be lower.`
  throw refuse('order_edit_not_possible', { message, current: { reason: 'settled', skuId, least } })
}

// The units that a refunded amount covers, rounded up. If a unit was refunded through several payments, only one of these refunds counts
// the unit; if that refund fails, the others are amounts without units.
function unitsWorth({ quantity, total }: OrderLine, amount: number): number {
  return total === 0 ? 0 : exact((BigInt(amount) * BigInt(quantity) + BigInt(total) - 1n) / BigInt(total))
}

export function editNotPossible(message: string, reason: string) {
  return refuse('order_edit_not_possible', { message, current: { reason } })
}

// Returns undefined if no unit is left.
function lineWith(order: OrderRow, line: OrderLine, quantity: number): OrderLine | undefined {
  if (quantity === 0) return undefined
  // A share of the old subtotal: if tax was deducted from the price, the subtotal is not the rounded unit price times the quantity.
  const subtotal = exact(roundHalfUpDivide(BigInt(line.subtotal) * BigInt(quantity), BigInt(line.quantity)))
  // Added units get no discount: the discount was given for the original units.
  const kept = Math.min(quantity, line.quantity)
  const discount = exact((BigInt(line.discount) * BigInt(kept)) / BigInt(line.quantity))
  return { ...line, quantity, subtotal, discount, ...taxed(order, subtotal - discount, rateOf(line)) }
}

// Tax is deducted from all units together, as in a cart: rounding per unit would make the difference grow with the quantity.
function newLine(order: OrderRow, { price, rateBps, containedBps, ...item }: NewItem, quantity: number): OrderLine {
  const unitPrice = deductTax(price, containedBps)
  const subtotal = deductTax(exact(BigInt(price) * BigInt(quantity)), containedBps)
  const amounts = { subtotal, discount: 0, ...taxed(order, subtotal, rateBps), taxRateBps: rateBps }
  return { ...item, unitPrice, quantity, fulfilled: 0, ...amounts }
}

function taxed({ priceTax }: OrderRow, net: number, rateBps: number): { tax: number; total: number } {
  const tax = computeTax(net, rateBps, priceTax)
  return { tax, total: priceTax === 'included' ? net : net + tax }
}

// Computes the rate from the amounts for orders of earlier releases, for which no rate is stored.
function rateOf({ taxRateBps, tax, total }: Pick<OrderLine, 'taxRateBps' | 'tax' | 'total'>): number {
  if (taxRateBps !== null) return taxRateBps
  return total === tax ? 0 : exact(roundHalfUpDivide(BigInt(tax) * 10_000n, BigInt(total - tax)))
}

function partBetween(more: OrderLine, less: OrderLine | undefined): EditPart {
  const { skuId, code, name, options, unitPrice } = more
  const by = (member: 'quantity' | 'discount' | 'tax' | 'total') => more[member] - (less?.[member] ?? 0)
  const amounts = { quantity: by('quantity'), discount: by('discount'), tax: by('tax'), total: by('total') }
  return { skuId, code, name, options, unitPrice, ...amounts, rateBps: rateOf(more) }
}

interface ShippingAfter {
  amount: number
  discount: number
  tax: number
  taxes: OrderRow['shippingTaxes']
  removed: readonly EditPart[]
  added: readonly EditPart[]
}

function shippingAfter({ order, lines, refunded, shipping: wanted }: EditInput): ShippingAfter {
  const before = order.discount - sumOf(lines, (line) => line.discount)
  const { shipping, shippingTax: tax, shippingTaxes: taxes, shippingChoice } = order
  if (wanted === undefined || wanted === shipping)
    return { amount: shipping, discount: before, tax, taxes, removed: [], added: [] }
  if (shippingChoice === null)
    throw editNotPossible('The order has no items to deliver, so its shipping cannot be changed.', 'no_delivery')
  // A refund by line refunds the whole shipping, so reducing the shipping afterwards would refund it twice.
  if (wanted < shipping && refunded.some(({ skuId }) => skuId === ''))
    throw editNotPossible('The shipping was already refunded, so it cannot be reduced.', 'settled')
  const discount = Math.min(before, wanted)
  const sharesBefore = taxes ?? [{ rateBps: shippingRate(order, shipping - before), amount: shipping - before, tax }]
  // The new amount is spread over the tax rates of the order, in the proportion of their shares.
  const amounts = allocate(wanted - discount, shippingWeights(sharesBefore, lines))
  const shares = sharesBefore.map(({ rateBps }, at) => {
    const amount = amounts[at] ?? 0
    return { rateBps, amount, tax: computeTax(amount, rateBps, order.priceTax) }
  })
  const parts = shares.map((share, at) => shippingPart(order, shippingChoice.label, share, sharesBefore[at] ?? share))
  return {
    ...{ amount: wanted, discount, taxes: taxes && shares },
    tax: shares.reduce((sum, share) => sum + share.tax, 0),
    removed: parts.filter(({ total }) => total < 0).map(negated),
    added: parts.filter(({ total }) => total > 0),
  }
}

// After an edit made the shipping free, its shares have no proportion any more: the proportion of the goods is used, as when the order
// was placed.
function shippingWeights(shares: readonly TaxShare[], lines: readonly OrderLine[]): number[] {
  const byAmount = shares.map(({ amount }) => amount)
  const byGoods = shares.map(({ rateBps }) => {
    const goods = lines.filter((line) => rateOf(line) === rateBps)
    return sumOf(goods, ({ subtotal }) => subtotal)
  })
  const found = [byAmount, byGoods].find((weights) => weights.some((weight) => weight > 0))
  return found ?? shares.map(() => 1)
}

function shippingRate({ shippingTaxRateBps, shippingTax: tax, priceTax }: OrderRow, charged: number): number {
  return rateOf({ taxRateBps: shippingTaxRateBps, tax, total: priceTax === 'included' ? charged : charged + tax })
}

function shippingPart({ priceTax }: OrderRow, name: string, after: TaxShare, before: TaxShare): EditPart {
  const unitPrice = after.amount - before.amount
  const tax = after.tax - before.tax
  const total = priceTax === 'included' ? unitPrice : unitPrice + tax
  const { rateBps } = after
  return { skuId: '', code: '', name, options: [], quantity: 1, discount: 0, unitPrice, tax, total, rateBps }
}

function negated(part: EditPart): EditPart {
  return { ...part, unitPrice: -part.unitPrice, tax: -part.tax, total: -part.total }
}

function orderAfter(order: OrderRow, lines: readonly OrderLine[], shipping: ShippingAfter): OrderRow {
  const subtotal = sumOf(lines, (line) => line.subtotal)
  const discount = sumOf(lines, (line) => line.discount) + shipping.discount
  const tax = sumOf(lines, (line) => line.tax) + shipping.tax
  const net = subtotal - discount + shipping.amount
  return {
    ...order,
    subtotal,
    discount,
    shipping: shipping.amount,
    shippingTax: shipping.tax,
    shippingTaxes: shipping.taxes,
    tax,
    total: exact(BigInt(order.priceTax === 'included' ? net : net + tax)),
    itemCount: sumOf(lines, ({ quantity }) => quantity),
    promotion: order.promotion && { ...order.promotion, amount: discount },
    shippingChoice: order.shippingChoice && { ...order.shippingChoice, amount: shipping.amount },
  }
}

function sumOf<Line>(lines: readonly Line[], amount: (line: Line) => number): number {
  return lines.reduce((sum, line) => sum + amount(line), 0)
}

function exact(amount: bigint): number {
  const number = Number(amount)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw refuse('quantity_limit_exceeded', { message: 'The total of the order would be too large.' })
}
