// The result that an edit would have on an order. Nothing is written.

import { type AdminOrderEditRequest, orderEditsMax } from '../../contract/admin/edits.ts'
import { limits } from '../../contract/limits.ts'
import { isByVatNumber } from '../../contract/words.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { listWantedOffers, refuseUnsellable } from '../carts/lines.ts'
import type { Pricebooks } from '../carts/pricebook.ts'
import type { Offer } from '../carts/store.ts'
import { convertPriceTax, ratesToDeduct, taxRatesAt } from '../carts/tax.ts'
import { editObstacle } from '../orders/lifecycle.ts'
import { isPaidByHand } from '../orders/money.ts'
import { refundableAmount } from '../orders/spread.ts'
import { findOpenChange, listRefundedLines } from '../orders/store.ts'
import type { OrderFacts } from '../orders/view.ts'
import { checkCorrection, findVisibleAddress } from './address.ts'
import { type EditInput, type EditPlan, editNotPossible, isOfSku, type NewItem, planEdit } from './plan.ts'
import { refuseUnreceived } from './received.ts'
import { countEdits, findTaxTerms } from './store.ts'

export type EditRequest = Pick<
  AdminOrderEditRequest,
  'items' | 'shipping' | 'address' | 'differenceReceived' | 'payByLink'
>

// The edit in the form in which it is agreed on, with the present prices.
export type AgreedEdit = Pick<EditInput, 'quantities' | 'newItems' | 'shipping'>

export async function previewEdit(
  db: Reader,
  pricebooks: Pricebooks,
  facts: OrderFacts,
  asked: EditRequest,
  now: number,
): Promise<{ plan: EditPlan; agreed: AgreedEdit }> {
  const { order, lines } = facts
  refuseUneditable(facts)
  const open = await findOpenChange(db, order)
  if (open)
    throw editNotPossible(
      `Draft ${open.draftId} is waiting for the payment of another change of this order: cancel the draft first.`,
      'change_open',
    )
  if ((await countEdits(db, order)) >= orderEditsMax)
    throw editNotPossible(
      `The order was already edited ${orderEditsMax} times, which is the maximum.`,
      'too_many_edits',
    )
  if (asked.address) await checkCorrection(db, facts, asked.address)
  const items = asked.items ?? []
  const offers = await listWantedOffers(db, order, items, now)
  const quantities = new Map(items.map(({ skuId, quantity }) => [skuId, quantity]))
  for (const offer of offers) refuseUnavailable(facts, offer, quantities.get(offer.skuId) ?? 0)
  const isNew = ({ skuId }: { skuId: string }) => !lines.some((line) => line.skuId === skuId)
  const fresh = offers.filter((offer) => isNew(offer) && (quantities.get(offer.skuId) ?? 0) > 0)
  if (lines.length + fresh.length > limits.cartLinesMax)
    throw editNotPossible(`The order would have more than ${limits.cartLinesMax} lines.`, 'too_many')
  const prices = new Map(items.map(({ skuId, unitPrice }) => [skuId, unitPrice]))
  const termsFor = fresh.length > 0 ? await findTerms(db, pricebooks, facts) : undefined
  const newItems = fresh.map((offer): NewItem => {
    const { skuId, code, productSlug, name, options, image, measure, withdrawalExempt } = offer
    const priced = termsFor?.(offer) ?? { price: offer.price, rateBps: 0, containedBps: 0 }
    const item = { skuId, code, productSlug, name, options, image, measure, withdrawalExempt }
    const own = prices.get(skuId)
    return { ...item, ...priced, ...(own !== undefined && { price: own, containedBps: 0 }) }
  })
  const refunded = await listRefundedLines(db, { installationId: order.installationId, orderId: order.id })
  const agreed = { quantities, newItems, shipping: asked.shipping }
  const plan = planEdit({ order, lines, refunded, ...agreed })
  if (order.paymentStatus === 'pending') return { plan, agreed }
  const { difference } = plan
  if (difference <= 0) refuseUnpayable(facts, plan)
  else if (asked.payByLink) refuseUnlinkable(plan, asked, offers)
  else await refuseUnreceived(db, facts, { difference, isReceived: asked.differenceReceived ?? false })
  return { plan, agreed }
}

// The link is a checkout of the added items. The address is corrected by a separate edit, which is free.
function refuseUnlinkable({ parts }: EditPlan, { address }: EditRequest, offers: readonly Offer[]): void {
  const added = parts.added.filter(isOfSku)
  if (added.length === 0) throw editNotPossible('Only items that are added can be paid by a link.', 'nothing_added')
  if (address)
    throw editNotPossible(
      'An edit that is paid by a link cannot correct the address: correct the address in a separate edit.',
      'with_address',
    )
  if (offers.some(({ skuId, digital }) => digital && added.some((part) => part.skuId === skuId)))
    throw editNotPossible(
      'The shopper must agree to the supply of digital content: create a draft for the digital items.',
      'digital',
    )
}

// A paid order must cost more than was refunded; otherwise nothing would be left of its price.
function refuseUnpayable(facts: OrderFacts, { order: { total, refunded }, difference }: EditPlan): void {
  if (refunded > 0 && total <= refunded) {
    const message = `${refunded} minor units were already refunded, and the order would cost only ${total}: cancel the order instead.`
    throw editNotPossible(message, 'refunded')
  }
  if (difference < 0 && refundableAmount(facts) < -difference)
    throw editNotPossible(
      `The payments of the order do not have ${-difference} minor units left to refund.`,
      'nothing_paid',
    )
}

function refuseUneditable(facts: OrderFacts): void {
  const { number, status, paymentStatus } = facts.order
  const reason = editObstacle(facts.order, { isPaidByHand: isPaidByHand(facts) })
  if (!reason) return
  const message = `Order ${number} cannot be edited: its status is ${status}, and its payment status is ${paymentStatus}.`
  throw refuse('order_not_editable', { message, current: { reason, status, paymentStatus } })
}

// Added units must be for sale; units that the order already has need not be.
function refuseUnavailable({ order, lines }: OrderFacts, offer: Offer, quantity: number): void {
  const more = quantity - (lines.find(({ skuId }) => skuId === offer.skuId)?.quantity ?? 0)
  if (more <= 0) return
  const { skuId, maxPerOrder } = offer
  if (quantity > maxPerOrder) throw refuse('quantity_limit_exceeded', { current: { skuId, limit: maxPerOrder } })
  refuseUnsellable(offer, more)
  if (offer.delivery === 'shipped' && order.address === null)
    throw editNotPossible('The order has no address to which the items could be sent.', 'no_address')
}

type OfferTerms = Pick<NewItem, 'price' | 'rateBps' | 'containedBps'>

// Returns the tax rates of the order's place of delivery, by the rules under which the order was placed: an order without tax stays
// without tax, and tax that a price contains is deducted, except for a small business. The shop may have changed since then whether its
// prices include tax.
async function findTerms(
  db: Reader,
  pricebooks: Pricebooks,
  { order }: OrderFacts,
): Promise<(offer: Pick<Offer, 'price' | 'taxClass'>) => OfferTerms> {
  const [terms, face] = await Promise.all([findTaxTerms(db, order.merchantId), findVisibleAddress(db, order)])
  if (!terms) throw new Error(`merchant ${order.merchantId} does not exist`)
  const book = await pricebooks.find(db, order.merchantId, terms.catalogVersion)
  const { taxRelief: relief, priceTax } = order
  const buyerCountry = isByVatNumber(relief) ? order.vat?.country : undefined
  const { country, region } = face?.summary ?? { country: buyerCountry ?? terms.country, region: null }
  const rates = taxRatesAt(book.taxRates, { country, region })
  if (relief === null)
    return ({ price, taxClass }) => {
      const rateBps = rates.rateFor(taxClass)
      return {
        price: convertPriceTax(priceTax, { price, rateBps, priceTax: terms.priceTax }),
        rateBps,
        containedBps: 0,
      }
    }
  if (relief === 'small_business' || terms.priceTax === 'excluded')
    return ({ price }) => ({ price, rateBps: 0, containedBps: 0 })
  const contained = ratesToDeduct(relief, rates, taxRatesAt(book.taxRates, { country: terms.country, region: null }))
  return ({ price, taxClass }) => ({ price, rateBps: 0, containedBps: contained.rateFor(taxClass) })
}
