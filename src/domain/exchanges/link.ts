// An exchange that costs more: a draft with a link by which the shopper pays. Its cart contains the new items and costs the difference.
// The new order is placed with the payment (`checkout/pay/exchange.ts`). The caller must have locked the order of the return.

import { draftDays } from '../../contract/admin/drafts.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { extendAddressExpiry } from '../addresses/store.ts'
import type { ExchangeChange, Pricing } from '../carts/pricing.ts'
import { findCartFacts, quoteCart } from '../carts/quote.ts'
import { type CartKey, saveMerchantTerms } from '../carts/store.ts'
import type { CheckoutTools } from '../checkout/sessions.ts'
import { insertDifference } from '../drafts/difference.ts'
import { dayMs } from '../drafts/edit.ts'
import type { OrderFacts } from '../orders/view.ts'
import type { ReturnFacts } from '../returns/store.ts'
import { subtractCredit } from './balance.ts'
import { createExchangeCart, openExchangeSession } from './open.ts'
import type { ExchangePlan, ExchangeRequest } from './plan.ts'

export interface ExchangeLinkInput {
  plan: ExchangePlan
  newItems: ExchangeRequest['newItems']
  close: boolean
  days?: number | undefined
}

// Returns the id of the draft.
export async function createExchangeDraft(
  tools: CheckoutTools,
  tx: Tx,
  { facts: { row }, order: { order } }: { facts: ReturnFacts; order: OrderFacts },
  { plan, newItems, close, days = draftDays }: ExchangeLinkInput,
  context: ChangeContext,
): Promise<string> {
  const { installationId, id: orderId, number } = order
  const { customer, refund, terms, balance } = plan
  const { credit, total, difference } = balance
  const { cartId, addressToken } = await createExchangeCart(tools, tx, order, { plan, newItems }, context)
  if (addressToken) extendAddressExpiry(tx, installationId, addressToken, context.now + days * dayMs)
  const placed = await pricingOf(tools, tx, { installationId, cartId }, context.now)
  // Both totals come from the same pricing function. If they ever differ, nothing is written.
  if (placed.totals.total !== total)
    throw new Error(`cart ${cartId} costs ${placed.totals.total} minor units instead of ${total}`)
  const items = refund.items.map(({ skuId, quantity }) => ({ skuId, quantity }))
  const exchange = { returnId: row.id, items, deduction: refund.deduction, credit, close }
  const change: ExchangeChange = { orderId, number, pricing: subtractCredit(placed, credit), exchange, placed }
  saveMerchantTerms(tx, { installationId, cartId }, { ...terms, change })
  const seconds = (days * dayMs) / 1000
  const session = await openExchangeSession(tools, tx, order, { cartId, customer, seconds }, context)
  return insertDifference(tx, order, session, { total: difference, returnId: row.id }, context)
}

async function pricingOf(
  { carts: { pricebooks } }: CheckoutTools,
  tx: Tx,
  key: CartKey,
  now: number,
): Promise<Pricing> {
  const facts = await findCartFacts(tx, pricebooks, key, now)
  if (!facts) throw new Error(`cart ${key.cartId} does not exist`)
  return (await quoteCart(tx, pricebooks, facts, now)).pricing
}
