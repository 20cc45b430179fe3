// Money came, or will: the order, the stock, the promotion's use, the payment, the session and the cart are one transaction.
// Where no order is possible any more, the money is owed back in the commit that says so, and a loop returns it.

import { newId } from '../../../platform/kit/ids.ts'
import { moveFor } from '../../../platform/kit/lifecycle.ts'
import { announce } from '../../../platform/outbox/announce.ts'
import { summaryText } from '../../addresses/check.ts'
import { moveAddress } from '../../addresses/vault.ts'
import { pricingOfOrder } from '../../carts/converted.ts'
import { cartLifecycle } from '../../carts/lifecycle.ts'
import { type CartFacts, findCartFacts } from '../../carts/quote.ts'
import { type CartRow, findCart, saveCart } from '../../carts/store.ts'
import { cartView, type Quote } from '../../carts/view.ts'
import { sell } from '../../inventory/sales.ts'
import { type PlacedOrder, placeOrder } from '../../orders/place.ts'
import { takeOrderNumber } from '../../orders/store.ts'
import { queueLabel } from '../../payments/labels.ts'
import { findMethodSettings, paymentDueAt } from '../../payments/methods.ts'
import { manualName } from '../../payments/providers/manual/provider.ts'
import { savePayment } from '../../payments/store.ts'
import { giveBackPromotion, type Promotion, usePromotion } from '../../promotions/store.ts'
import { type Draft, draftFrom } from '../draft.ts'
import { moveDraft } from '../drafts.ts'
import { sessionLifecycle } from '../lifecycle.ts'
import { announceSession, orderPaymentOf } from '../sessions.ts'
import { type SessionRow, saveSession } from '../store.ts'
import { orderVatOf } from '../vat.ts'
import { isOverused, openAddressOf, openCustomerOf } from './customer.ts'
import { type OrderObstacle, obstacleFailure } from './failures.ts'
import { reopenSession } from './reopen.ts'
import { queueReturn } from './return.ts'
import { nothingDue, type Settlement } from './settlement.ts'

// An order's address is stored this long, for returns and disputes.
const orderAddressMs = 400 * 24 * 3_600_000

interface Purchase {
  orderId: string
  draft: Draft
  cart: CartRow
}

export async function completeSession(settlement: Settlement): Promise<void> {
  const { tools, tx, session, now, cause } = settlement
  const move = moveFor(sessionLifecycle, 'complete', session.status)
  if (!move) throw new Error(`a session that is ${session.status} cannot be completed`)
  if (session.quote === null) throw new Error(`session ${session.id} is paid without a quote`)
  const cart = await findCart(tx, { installationId: session.installationId, cartId: session.cartId })
  if (!cart) throw new Error(`session ${session.id} has lost its cart`)
  const purchase = { orderId: newId('ord'), draft: draftFrom(session.quote), cart }
  const taken = await takeGoods(settlement, purchase)
  if ('obstacle' in taken) return returnCharge(settlement, taken.obstacle)
  const { facts, placed } = await bookOrder(settlement, purchase, taken.usedPromotion)
  const quote = convertCart(settlement, facts, placed)
  const completed: SessionRow = {
    ...session,
    status: move.to,
    version: session.version + 1,
    orderId: purchase.orderId,
    holdExpiresAt: null,
    completedAt: now,
    updatedAt: now,
  }
  saveSession(tx, completed)
  const orderPayment = orderPaymentOf(placed.order.paymentStatus)
  const view = { session: completed, quote, orderPayment, orderSecretSealed: null, withdrawalPath: null }
  announceSession(tools, tx, view, { kind: move.announces, now, cause })
  if (completed.holdsWhole) {
    const { currency, total } = placed.order
    await moveDraft(tx, 'complete', completed, { currency, total }, { now, cause })
  }
}

// Counts the promotion's use and sells the stock; or takes nothing, and answers why no order is possible.
async function takeGoods(
  { tools, tx, session, now, cause }: Settlement,
  { orderId, draft, cart }: Purchase,
): Promise<{ usedPromotion: Promotion | null } | { obstacle: OrderObstacle }> {
  // A late approval may find the address erased, and both sealed by a version of the root secret that was given up. An order
  // without them can neither be sent nor asked about.
  if (!openCustomerOf(tools, session) || (draft.shipping && !(await openAddressOf(tools, tx, cart, now))))
    return { obstacle: 'contact_lost' }
  const usedPromotion = draft.promotion ? await usePromotion(tx, session, draft.promotion.id) : null
  if (usedPromotion === undefined) return { obstacle: 'promotion_used_up' }
  if (usedPromotion && (await isOverused(tools, tx, session, usedPromotion))) {
    await giveBackPromotion(tx, session, usedPromotion.id)
    return { obstacle: 'promotion_used_before' }
  }
  const wanted = draft.lines.map(({ skuId, quantity }) => ({ skuId, quantity }))
  const shortages = await sell(tx, session, session.id, wanted, { soldTo: orderId, now, cause })
  if (shortages.length === 0) return { usedPromotion }
  if (usedPromotion) await giveBackPromotion(tx, session, usedPromotion.id)
  return { obstacle: 'sold_out' }
}

async function returnCharge(settlement: Settlement, obstacle: OrderObstacle): Promise<void> {
  const { tx, payment, now } = settlement
  await savePayment(tx, payment)
  if (payment.provider !== nothingDue) await queueReturn(tx, payment, 'no order was possible', now)
  await reopenSession(settlement, obstacleFailure(obstacle))
}

// Answers with the order, and with the cart as it is when its stock is sold.
async function bookOrder(
  settlement: Settlement,
  { orderId, draft, cart }: Purchase,
  usedPromotion: Promotion | null,
): Promise<{ facts: CartFacts; placed: PlacedOrder }> {
  const { tools, tx, session, payment, now, cause } = settlement
  const { installationId, merchantId, mode } = session
  const address = draft.shipping ? cart.address : null
  const [facts, addressId] = await Promise.all([
    findCartFacts(tx, tools.carts.pricebooks, { installationId, cartId: cart.id }, now),
    address
      ? moveAddress(tx, tools.rootSecret, {
          installationId,
          ownerId: cart.id,
          id: address.token,
          newOwnerId: orderId,
          now,
          expiresAt: now + orderAddressMs,
        })
      : undefined,
  ])
  if (!facts) throw new Error(`session ${session.id} has lost its cart`)
  // Swept since it was looked at; the next look gives the money back.
  if (address && addressId === undefined) throw new Error(`session ${session.id} has lost its address`)
  const booked = { ...payment, orderId }
  // The number last: the next order of the merchant in this mode waits for it.
  const [, number] = await Promise.all([savePayment(tx, booked), takeOrderNumber(tx, session)])
  if (payment.accountId !== null) queueLabel(tx, booked, now)
  const placed = await placeOrder(tx, {
    ...draft,
    orderId,
    number,
    payments: [booked],
    usedPromotion,
    installationId,
    merchantId,
    mode,
    session,
    addressId: addressId ?? null,
    addressSummaryText: address ? summaryText(address) : null,
    vat: orderVatOf(cart.vat, session.id, now),
    isPaid: payment.status === 'succeeded',
    paymentDueAt: await findDueAt(settlement),
    rootSecret: tools.rootSecret,
    now,
    cause,
  })
  return { facts, placed }
}

// The term that the shopper was shown, or one that the merchant has set since.
async function findDueAt({ tx, payment, now }: Settlement): Promise<number | null> {
  if (payment.status !== 'pending' || payment.provider !== manualName) return null
  const settings = await findMethodSettings(tx, payment.merchantId, payment)
  return settings ? paymentDueAt(settings, now) : null
}

// Answers with the cart as it now is, which costs what was charged.
function convertCart(
  { tools, tx, now, cause }: Settlement,
  facts: CartFacts,
  { order, lines: sold }: PlacedOrder,
): Quote {
  const move = moveFor(cartLifecycle, 'convert', facts.cart.status)
  if (!move) throw new Error(`cart ${facts.cart.id} is ${facts.cart.status} and cannot become an order`)
  // Its address went with the order.
  const cart = {
    ...facts.cart,
    status: move.to,
    orderId: order.id,
    address: null,
    version: facts.cart.version + 1,
    updatedAt: now,
    unannouncedSince: null,
  }
  saveCart(tx, cart)
  const quote = { ...facts, cart, pricing: pricingOfOrder(order, sold, facts.lines), isPriced: true }
  announce(tx, {
    installationId: cart.installationId,
    mode: cart.mode,
    kind: move.announces,
    subject: { type: 'cart', id: cart.id },
    sequence: cart.version,
    dataText: JSON.stringify({ cart: cartView(quote, now, tools.carts.pictureUrl) }),
    cause,
    now,
  })
  return quote
}
