// The checkout of an exchange: a cart with the new items at the prices that were agreed on, and a session for the shopper of the order.

import type { CheckoutSession } from '../../contract/open/checkout.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import type { CartChangeInput } from '../carts/change.ts'
import { setAddress } from '../carts/destination.ts'
import { createCart } from '../carts/lines.ts'
import { type CheckoutTools, openSession } from '../checkout/sessions.ts'
import { merchantPricesBySku } from '../drafts/preview.ts'
import type { Customer } from '../orders/customer.ts'
import type { OrderRow } from '../orders/store.ts'
import type { ExchangePlan, ExchangeRequest } from './plan.ts'

// `addressToken`: token of the cart's address; undefined if nothing is shipped.
export interface FilledCart {
  cartId: string
  addressToken: string | undefined
}

export async function createExchangeCart(
  tools: CheckoutTools,
  tx: Tx,
  order: OrderRow,
  { plan, newItems }: { plan: ExchangePlan; newItems: ExchangeRequest['newItems'] },
  context: ChangeContext,
): Promise<FilledCart> {
  const asked = askedBy(tx, order, context)
  const items = newItems.map(({ skuId, quantity }) => ({ skuId, quantity }))
  const own = { terms: plan.terms, prices: merchantPricesBySku(newItems) }
  const { cart } = await createCart(tools.carts, { ...asked, items, metadata: {}, own })
  const change: CartChangeInput = { ...asked, cartId: cart.id, expectedVersion: undefined }
  const { rootSecret } = tools
  const { address } = plan
  const set = address && (await setAddress(tools.carts, change, { rootSecret, address }))
  return { cartId: cart.id, addressToken: set?.token }
}

export function openExchangeSession(
  tools: CheckoutTools,
  tx: Tx,
  order: OrderRow,
  { cartId, customer, seconds }: { cartId: string; customer: Customer | undefined; seconds: number },
  context: ChangeContext,
): Promise<CheckoutSession> {
  const { email = '', name = '', phone = '' } = customer ?? {}
  const known = { ...(email && { email }), ...(name && { name }), ...(phone && { phone }) }
  const { locale } = order
  const language = locale === '' ? {} : { locale }
  const body = { cartId, successUrl: '', customer: known, expiresInSeconds: seconds, ...language }
  return openSession(tools, { ...askedBy(tx, order, context), isOwn: true, body })
}

function askedBy(db: Tx, { installationId, merchantId, mode }: OrderRow, { now, cause }: ChangeContext) {
  return { db, caller: { installationId, merchantId, mode }, now: new Date(now), cause }
}
