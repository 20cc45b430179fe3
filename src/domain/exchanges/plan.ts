// The effects of an exchange, to the minor unit. Nothing is written. The caller must have locked the order of the return.

import type { ExchangeAdminReturnRequest } from '../../contract/admin/returns.ts'
import type { Address } from '../../contract/open/carts.ts'
import { isByVatNumber } from '../../contract/words.ts'
import { Refusal, refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { listWantedOffers } from '../carts/lines.ts'
import type { Pricebooks } from '../carts/pricebook.ts'
import type { MerchantTerms } from '../carts/pricing.ts'
import { needsShipping } from '../carts/shipping.ts'
import { previewDraft } from '../drafts/preview.ts'
import { findSellerTerms } from '../drafts/store.ts'
import type { DraftPrices } from '../drafts/view.ts'
import { listInstallations } from '../merchants/store.ts'
import { type Customer, decryptOrderCustomer } from '../orders/customer.ts'
import { refundableAmount } from '../orders/spread.ts'
import { findOpenChange, type OrderRow } from '../orders/store.ts'
import type { OrderFacts } from '../orders/view.ts'
import type { ReturnRefund } from '../returns/amounts.ts'
import { previewReturnRefund } from '../returns/refund.ts'
import type { ReturnFacts } from '../returns/store.ts'
import { type Balance, computeBalance } from './balance.ts'

export type ExchangeRequest = Pick<ExchangeAdminReturnRequest, 'items' | 'newItems' | 'deduction' | 'payByLink'>

export interface ExchangePlan {
  refund: ReturnRefund
  prices: DraftPrices
  balance: Balance
  terms: MerchantTerms
  customer: Customer | undefined
  // Undefined if nothing is shipped.
  address: Address | undefined
}

export interface PlanTools {
  pricebooks: Pricebooks
  rootSecret: RootSecret
}

export async function planExchange(
  db: Reader,
  { pricebooks, rootSecret }: PlanTools,
  { facts, order }: { facts: ReturnFacts; order: OrderFacts },
  { items, newItems, deduction = 0, payByLink = false }: ExchangeRequest,
  now: number,
): Promise<ExchangePlan> {
  const open = await findOpenChange(db, order.order)
  if (open)
    throw notPossible(
      `Draft ${open.draftId} is waiting for the payment of another change of this order: cancel the draft first.`,
      'change_open',
    )
  const refund = await previewReturnRefund(db, facts, order, { items, shipping: false, deduction })
  refuseUnpaid(order, refund.amount)
  await refuseOtherTerms(db, order.order)
  const { customer, address } = await decryptOrderCustomer(db, rootSecret, order.order, now)
  const offers = await forNewItems(() => listWantedOffers(db, order.order, newItems, now))
  if (offers.some(({ digital }) => digital))
    throw notPossible(
      'The shopper must agree to the supply of digital content: create a draft for the digital items.',
      'digital',
    )
  const isSent = needsShipping(offers)
  if (isSent && !address)
    throw notPossible('The order no longer has an address to which the new items could be sent.', 'no_address')
  const terms: MerchantTerms = {
    discount: 0,
    shipping: { label: order.order.shippingChoice?.label ?? 'Delivery', amount: 0 },
  }
  const wanted = { items: newItems, shipping: terms.shipping, ...(address && { address }) }
  const prices = await forNewItems(() => previewDraft(db, pricebooks, order.order, wanted, now))
  const balance = computeBalance(refund.amount, prices.totals.total)
  if (!balance)
    throw notPossible(
      'The new items cost nothing: refund the return, and create a draft for the new items.',
      'nothing_to_pay',
    )
  if (balance.difference > 0 && !payByLink) throw costsMore(balance)
  return { refund, prices, balance, terms, customer, address }
}

function refuseUnpaid(order: OrderFacts, amount: number): void {
  if (refundableAmount(order) >= amount) return
  const message = `The payments of order ${order.order.number} do not have ${amount} minor units left to refund.`
  throw refuse('refund_amount_too_high', { message })
}

// The new order is sold under the shop's present terms, but paid with money of the old order, so the terms must match.
async function refuseOtherTerms(db: Reader, order: OrderRow): Promise<void> {
  const [terms, installations] = await Promise.all([
    findSellerTerms(db, order.merchantId),
    listInstallations(db, order.merchantId),
  ])
  if (terms?.currency !== order.currency)
    throw notPossible('The shop now sells in another currency than that of the order.', 'currency')
  // The buyer's VAT number would have to be checked again before the new order could be without tax.
  if (isByVatNumber(order.taxRelief))
    throw notPossible(
      'The order is tax-free because of the VAT number of its buyer: refund the return, and create a draft for the new items.',
      'vat_number',
    )
  const own = installations.find(({ id }) => id === order.installationId)
  if (!own || own.disabledAt !== null)
    throw notPossible('The installation that sold the order is disabled.', 'installation_disabled')
}

function costsMore({ credit, total }: Balance): Refusal {
  const message = `The new items cost ${total} minor units and the returned ones are worth ${credit}: lower a price, or let the shopper pay the difference by a link.`
  return refuse('exchange_not_possible', { message, current: { reason: 'costs_more', credit, total } })
}

function notPossible(message: string, reason: string): Refusal {
  return refuse('exchange_not_possible', { message, current: { reason } })
}

// Changes the paths of issues from `/items` to `/newItems`, the member of this request.
async function forNewItems<Result>(look: () => Promise<Result>): Promise<Result> {
  try {
    return await look()
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'invalid_request') throw error
    const issues = (error.details.issues ?? []).map((issue) => ({
      ...issue,
      path: issue.path.replace(/^\/items/, '/newItems'),
    }))
    throw refuse('invalid_request', { issues })
  }
}
