// The public view of a checkout session and its cart in their present state. Pure.

import type { Cart } from '../../contract/open/carts.ts'
import type { CheckoutSession, StockHold } from '../../contract/open/checkout.ts'
import type { CheckoutPaymentStatus, OrderPaymentStatus } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { pricedMeasure } from '../../platform/kit/unitprice.ts'
import { cartView, type Quote } from '../carts/view.ts'
import { parseOrderDraft } from './draft.ts'
import { sessionStatusAt } from './lifecycle.ts'
import type { SessionRow } from './store.ts'
import { sessionVatView } from './vat.ts'

export interface SessionFacts {
  session: SessionRow
  quote: Quote
  // Null before there is an order.
  order: SessionOrder | null
  // Path of the merchant's withdrawal page, if the recipient of the view may see the link.
  withdrawalPath: string | null
}

// The members of its order that a session shows.
export interface SessionOrder {
  id: string
  number: string
  paymentStatus: OrderPaymentStatus
  // The encrypted secret of the order's page, if the recipient of the view may see that page.
  secretSealed: string | null
}

// Null in events: with these links, anyone can pay or see the order.
export interface SessionLinks {
  // Address of the page, which is shown only while the session is open or being paid.
  url: string | null
  statusUrl: string | null
  withdrawalUrl: string | null
}

export function sessionView(
  { session, quote, order }: SessionFacts,
  now: number,
  { url, statusUrl, withdrawalUrl }: SessionLinks,
  pictureUrl: (picture: string) => string,
): CheckoutSession {
  const status = sessionStatusAt(session, now)
  const cart = asCharged(cartView(quote, now, pictureUrl), session)
  return {
    id: session.id,
    version: session.version,
    status,
    paymentStatus: paymentStatusOf(status, order),
    url: status === 'open' || status === 'processing' ? url : null,
    cartId: session.cartId,
    orderId: session.orderId,
    statusUrl,
    withdrawalUrl,
    mode: session.mode,
    currency: cart.currency,
    locale: session.locale,
    items: cart.items,
    totals: cart.totals,
    promotion: cart.promotion,
    shipping: cart.shipping,
    customer: { emailMasked: session.emailMasked },
    ...(quote.cart.vat?.sessionId === session.id && { vat: sessionVatView(quote.cart.vat, now) }),
    address: cart.address,
    hold: holdView(session, quote, status, now),
    messages: cart.messages,
    successUrl: session.successUrl,
    cancelUrl: session.cancelUrl,
    clientReferenceId: session.clientReferenceId,
    metadata: session.metadata,
    cancellation: session.cancellation,
    lastPaymentError: session.lastPaymentError,
    createdAt: toInstant(session.createdAt),
    updatedAt: toInstant(session.updatedAt),
    expiresAt: toInstant(session.expiresAt),
    completedAt: session.completedAt === null ? null : toInstant(session.completedAt),
    cancelledAt: session.cancelledAt === null ? null : toInstant(session.cancelledAt),
  }
}

// From the start of a payment on, the session shows the charged amounts, even if the catalog has changed.
function asCharged(
  cart: Cart,
  { quote }: SessionRow,
): Pick<Cart, 'currency' | 'items' | 'totals' | 'promotion' | 'shipping' | 'address' | 'messages'> {
  if (quote === null) return cart
  const { lines, totals, promotion, shipping } = parseOrderDraft(quote)
  const charged = new Map(lines.map((line) => [line.skuId, line]))
  return {
    ...cart,
    items: cart.items.map((item) => {
      const line = charged.get(item.skuId)
      if (!line) return item
      const { unitPrice, subtotal, discount, tax, total } = line
      return { ...item, unitPrice, measure: pricedMeasure(item.measure, unitPrice), subtotal, discount, tax, total }
    }),
    totals,
    promotion: promotion
      ? { state: 'applied', code: promotion.code, amount: promotion.amount }
      : { state: 'none', code: null, amount: 0 },
    shipping: {
      optionId: shipping?.optionId ?? null,
      options: shipping ? [{ id: shipping.optionId, label: shipping.label, amount: shipping.amount }] : [],
    },
    messages: [],
  }
}

function paymentStatusOf(status: CheckoutSession['status'], order: SessionFacts['order']): CheckoutPaymentStatus {
  if (status !== 'completed') return status === 'processing' ? 'processing' : 'unpaid'
  // The order was cancelled before the money arrived.
  if (order?.paymentStatus === 'voided') return 'unpaid'
  return order?.paymentStatus === 'pending' ? 'pending' : 'paid'
}

function holdView(session: SessionRow, { lines }: Quote, status: CheckoutSession['status'], now: number): StockHold {
  if (status === 'completed') return { status: 'consumed', expiresAt: null }
  if (status === 'cancelled' || status === 'expired') return { status: 'released', expiresAt: null }
  const { holdExpiresAt } = session
  if (holdExpiresAt === null || lines.length === 0) return { status: 'none', expiresAt: null }
  return { status: holdExpiresAt > now ? 'held' : 'lapsed', expiresAt: toInstant(holdExpiresAt) }
}
