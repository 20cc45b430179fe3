// Completes a session whose money has arrived or will arrive: one transaction writes the order, the stock, the use of the promotion, the
// payment, the session and the cart. If no order is possible any more, the same transaction records that the money must be refunded, and
// a job refunds it.

import type { Address } from '../../../contract/open/carts.ts'
import { newId } from '../../../platform/kit/ids.ts'
import { moveFor } from '../../../platform/kit/lifecycle.ts'
import { announce, announceTogether } from '../../../platform/outbox/announce.ts'
import { formatAddressSummary } from '../../addresses/check.ts'
import { moveAddress } from '../../addresses/vault.ts'
import { pricingFromOrder } from '../../carts/converted.ts'
import { decryptCartAddress } from '../../carts/destination.ts'
import { cartLifecycle } from '../../carts/lifecycle.ts'
import { type EditChange, type ExchangeChange, isExchange, type Pricing } from '../../carts/pricing.ts'
import { type CartFacts, findCartFacts, loadCartFacts } from '../../carts/quote.ts'
import { type CartRow, findCart, saveCart } from '../../carts/store.ts'
import { cartView, type Quote } from '../../carts/view.ts'
import { sellAsHeld, sellHeld } from '../../inventory/sales.ts'
import { type PlacedOrder, placeOrder } from '../../orders/place.ts'
import type { MovedMoney } from '../../orders/refunds.ts'
import { assignOrderNumber, type OrderRow } from '../../orders/store.ts'
import { queueLabel } from '../../payments/labels.ts'
import { findMethodSettings, paymentDueAt } from '../../payments/methods.ts'
import { manualName } from '../../payments/providers/manual/provider.ts'
import { type PaymentRow, savePayment } from '../../payments/store.ts'
import { countPromotionUse, type Promotion, releasePromotionUse } from '../../promotions/store.ts'
import { moveReturnCredit } from '../../returns/exchange.ts'
import { type OrderDraft, parseOrderDraft } from '../draft.ts'
import { moveDraft } from '../drafts.ts'
import { sessionLifecycle } from '../lifecycle.ts'
import { announceSession } from '../sessions.ts'
import { type SessionRow, saveSession } from '../store.ts'
import { orderVatFromCart } from '../vat.ts'
import { applyAgreedEdit } from './change.ts'
import { decryptCustomerOfSession, isOverused } from './customer.ts'
import { endExchange, findAgreedExchange, insertMoved } from './exchange.ts'
import { type OrderObstacle, obstacleFailure } from './failures.ts'
import { reopenSession } from './reopen.ts'
import { queuePaymentReturn } from './return.ts'
import { nothingDue, type Settlement } from './settlement.ts'

// How long an order's address is stored, for returns and disputes.
const orderAddressMs = 400 * 24 * 3_600_000

interface Purchase {
  orderId: string
  draft: OrderDraft
  cart: CartRow
  // Set if the order is shipped.
  address: Address | undefined
}

export interface CompletedSession {
  session: SessionRow
  order: OrderRow
  // The cart after it became an order.
  quote: Quote
  // The encrypted secret of the order's page; null if the order existed before.
  secretSealed: string | null
}

// Returns undefined if no order is possible.
export async function completeSession(settlement: Settlement): Promise<CompletedSession | undefined> {
  return announceTogether(settlement.tx, () => complete(settlement))
}

async function complete(settlement: Settlement): Promise<CompletedSession | undefined> {
  const { tools, tx, session, now, cause } = settlement
  const move = moveFor(sessionLifecycle, 'complete', session.status)
  if (!move) throw new Error(`session ${session.id} is ${session.status} and cannot be completed`)
  if (session.quote === null) throw new Error(`session ${session.id} is paid but has no quote`)
  const { installationId, cartId } = session
  const cart = settlement.cart ?? (await findCart(tx, { installationId, cartId }))
  if (!cart) throw new Error(`the cart of session ${session.id} does not exist`)
  const done = await settle(settlement, cart)
  if ('obstacle' in done) {
    await returnCharge(settlement, done.obstacle)
    return undefined
  }
  const { order, quote, secretSealed = null } = done
  const completed: SessionRow = {
    ...session,
    status: move.to,
    version: session.version + 1,
    orderId: order.id,
    holdExpiresAt: null,
    completedAt: now,
    updatedAt: now,
  }
  saveSession(tx, completed)
  const { id, number, paymentStatus } = order
  // Events contain no links, so they get neither the secret of the order's page nor the withdrawal path.
  const view = {
    session: completed,
    quote,
    order: { id, number, paymentStatus, secretSealed: null },
    withdrawalPath: null,
  }
  announceSession(tools, tx, view, { kind: move.announces, now, cause })
  if (completed.holdsWhole) {
    const { total } = quote.pricing.totals
    await moveDraft(tx, 'complete', completed, { currency: order.currency, total }, { now, cause })
  }
  return { session: completed, order, quote, secretSealed }
}

type Done = { order: OrderRow; quote: Quote; secretSealed?: string } | { obstacle: OrderObstacle }

function settle(settlement: Settlement, cart: CartRow): Promise<Done> {
  const change = cart.terms?.change
  if (!change) return sellOrder(settlement, cart)
  return isExchange(change) ? exchangeItems(settlement, cart, change) : changeOrder(settlement, change)
}

async function sellOrder(settlement: Settlement, cart: CartRow): Promise<Done> {
  const { tools, tx, session, now } = settlement
  const draft = parseOrderDraft(session.quote ?? '')
  const address = draft.shipping ? await decryptCartAddress(tx, tools.rootSecret, cart, now) : undefined
  const purchase: Purchase = { orderId: newId('ord'), draft, cart, address }
  const usable = await usePromotionOf(settlement, purchase)
  if ('obstacle' in usable) return usable
  const taken = await takeGoods(settlement, purchase)
  if (!taken) {
    if (usable.promotion) await releasePromotionUse(tx, session, usable.promotion.id)
    return { obstacle: 'sold_out' }
  }
  const { facts } = taken
  const { order, lines, secretSealed } = await bookOrder(settlement, purchase, {
    ...taken,
    usedPromotion: usable.promotion,
  })
  const pricing = cart.terms?.change?.pricing ?? pricingFromOrder(order, lines, facts.lines)
  return { order, quote: convertCart(settlement, facts, order, pricing), secretSealed }
}

// The caller locked the order of the return before the session. The credit is moved after the stock is sold, so nothing was written if
// there is an obstacle.
async function exchangeItems(settlement: Settlement, cart: CartRow, change: ExchangeChange): Promise<Done> {
  const { tx, session, payment, now, cause } = settlement
  // The order of the return is changed only after the money has arrived.
  if (payment.status !== 'succeeded') return { obstacle: 'not_collected' }
  const agreed = await findAgreedExchange(tx, session.installationId, change)
  if (!agreed) return { obstacle: 'order_changed' }
  const credit: { moved?: MovedMoney } = {}
  const collectOthers = async () => {
    credit.moved = await moveReturnCredit(tx, agreed, agreed.refund, { now, cause })
    return credit.moved.parts.map((part) => insertMoved(tx, session, part, now))
  }
  const sold = await sellOrder({ ...settlement, collectOthers }, cart)
  if ('obstacle' in sold) return sold
  if (!credit.moved) throw new Error(`the credit of session ${session.id} does not exist`)
  const made = { moved: credit.moved, placed: sold.order, paid: payment.amount }
  await endExchange(tx, agreed, made, change.exchange, now)
  return sold
}

// The caller locked the order before the session.
async function changeOrder(settlement: Settlement, change: EditChange): Promise<Done> {
  const { tools, tx, session } = settlement
  const { installationId, cartId } = session
  const changed = await applyAgreedEdit(settlement, change)
  if ('obstacle' in changed) return changed
  const facts = await findCartFacts(tx, tools.carts.pricebooks, { installationId, cartId }, settlement.now)
  if (!facts) throw new Error(`the cart of session ${session.id} does not exist`)
  return { order: changed.order, quote: convertCart(settlement, facts, changed.order, change.pricing) }
}

// Counts the use of the promotion, or returns why no order is possible.
async function usePromotionOf(
  { tools, tx, session }: Settlement,
  { draft, address }: Purchase,
): Promise<{ promotion: Promotion | null } | { obstacle: OrderObstacle }> {
  // When an approval arrives late, the address may have been erased, or the version of the root secret with which contact and address
  // were encrypted may have been removed. Without them the order could not be sent and the customer could not be contacted.
  if (!decryptCustomerOfSession(tools, session) || (draft.shipping && !address)) return { obstacle: 'contact_lost' }
  const promotion = draft.promotion ? await countPromotionUse(tx, session, draft.promotion.id) : null
  if (promotion === undefined) return { obstacle: 'promotion_used_up' }
  if (promotion && (await isOverused(tools, tx, session, promotion))) {
    await releasePromotionUse(tx, session, promotion.id)
    return { obstacle: 'promotion_used_before' }
  }
  return { promotion }
}

// Thrown if the stock turns out to be short after the order number was assigned. The transaction is rolled back and repeated one step at
// a time.
export class SoldOutMeanwhile extends Error {}

interface Taken {
  // The cart at the time its stock is sold.
  facts: CartFacts
  addressId: string | undefined
  number: string
  // The payments of the order. The payment that completes it comes first.
  booked: PaymentRow[]
}

// Sells the stock, moves the address and assigns the order number, in this order. Returns undefined if the stock is short. Other shoppers
// wait from the lock of the first SKU on, so if possible all statements are sent in one round trip, although a shortage is known only
// afterwards: the stock is held, so shortages are very rare. Later statements are sent with the commit.
async function takeGoods(settlement: Settlement, purchase: Purchase): Promise<Taken | undefined> {
  const { tx, session, now, cause, isHasty, collectOthers } = settlement
  const wanted = purchase.draft.lines.map(({ skuId, quantity }) => ({ skuId, quantity }))
  const mayHurry = isHasty === true && !collectOthers
  const sale = { soldTo: purchase.orderId, now, cause }
  const isHeld = mayHurry && (await isHeldWhole(settlement, purchase))
  const selling = (isHeld ? sellAsHeld : sellHeld)(tx, session, session.id, wanted, sale)
  if (!isHeld && (tx.isAlone || !mayHurry)) {
    const { shortages, left } = await selling
    if (shortages.length > 0) return undefined
    return withLeft(await takeRest(settlement, purchase, await collectOthers?.()), left)
  }
  const [{ shortages, left }, taken] = await Promise.all([selling, takeRest(settlement, purchase)])
  if (shortages.length > 0) throw new SoldOutMeanwhile(`session ${session.id} is paid, but its stock does not suffice`)
  return withLeft(taken, left)
}

// A SKU that may be sold beyond its stock may be held only in part.
async function isHeldWhole({ tools, tx, now }: Settlement, { draft, cart }: Purchase): Promise<boolean> {
  const { merchantId, mode, seller } = cart
  const skuIds = draft.lines.map(({ skuId }) => skuId)
  const ask = { merchantId, mode, catalogVersion: seller.catalogVersion, skuIds, now }
  const offers = await tools.carts.pricebooks.offersOf(tx, ask)
  return offers.every(({ whenSoldOut }) => whenSoldOut === 'refuse')
}

async function takeRest(
  { tools, tx, session, payment, now }: Settlement,
  { orderId, cart, address }: Purchase,
  others: readonly PaymentRow[] = [],
): Promise<Taken> {
  const booked = [payment, ...others].map((paid) => ({ ...paid, orderId }))
  // The order number is assigned last, because the merchant's next order in this mode waits for it.
  const [addressId, facts, number] = await Promise.all([
    address && cart.address
      ? moveAddress(tx, tools.rootSecret, {
          installationId: session.installationId,
          ownerId: cart.id,
          id: cart.address.token,
          newOwnerId: orderId,
          address,
          now,
          expiresAt: now + orderAddressMs,
        })
      : undefined,
    loadCartFacts(tx, tools.carts.pricebooks, cart, now),
    assignOrderNumber(tx, session),
    Promise.all(booked.map((paid) => savePayment(tx, paid))),
  ])
  // A sweep deleted the address after it was read. The next look-up of the payment refunds the money.
  if (address && addressId === undefined) throw new Error(`the address of session ${session.id} was erased`)
  return { facts, addressId, number, booked }
}

// Sets the available stock of the cart to the stock after the sale, whenever the cart was read.
function withLeft(taken: Taken, left: ReadonlyMap<string, number>): Taken {
  const lines = taken.facts.lines.map((line) => {
    const available = left.get(line.offer.skuId) ?? line.offer.available
    return { ...line, offer: { ...line.offer, available } }
  })
  return { ...taken, facts: { ...taken.facts, lines } }
}

async function returnCharge(given: Settlement, obstacle: OrderObstacle): Promise<void> {
  // The order has changed, so the payment link no longer fits it: the link expires.
  const session = obstacle === 'order_changed' ? { ...given.session, expiresAt: given.now } : given.session
  const settlement = { ...given, session }
  const { tx, payment, now } = settlement
  await savePayment(tx, payment)
  if (payment.provider !== nothingDue) await queuePaymentReturn(tx, payment, 'no order was possible', now)
  await reopenSession(settlement, obstacleFailure(obstacle))
}

async function bookOrder(
  settlement: Settlement,
  { orderId, draft, cart }: Purchase,
  { addressId, number, booked, usedPromotion }: Taken & { usedPromotion: Promotion | null },
): Promise<PlacedOrder> {
  const { tools, tx, session, payment, now, cause } = settlement
  const { installationId, merchantId, mode } = session
  const address = draft.shipping ? cart.address : null
  if (payment.accountId !== null) queueLabel(tx, payment, now)
  return placeOrder(tx, {
    ...draft,
    orderId,
    number,
    payments: booked,
    usedPromotion,
    installationId,
    merchantId,
    mode,
    session,
    addressId: addressId ?? null,
    addressSummaryText: address ? formatAddressSummary(address) : null,
    vat: orderVatFromCart(cart.vat, session.id, now),
    isPaid: payment.status === 'succeeded',
    paymentDueAt: await findDueAt(settlement),
    rootSecret: tools.rootSecret,
    now,
    cause,
  })
}

// The payment term is read again: the merchant may have changed it since the shopper saw it.
async function findDueAt({ tx, payment, now }: Settlement): Promise<number | null> {
  if (payment.status !== 'pending' || payment.provider !== manualName) return null
  const settings = await findMethodSettings(tx, payment.merchantId, payment)
  return settings ? paymentDueAt(settings, now) : null
}

// Returns the resulting cart, with the price that was charged.
function convertCart(
  { tools, tx, now, cause }: Settlement,
  facts: CartFacts,
  order: OrderRow,
  pricing: Pricing,
): Quote {
  const move = moveFor(cartLifecycle, 'convert', facts.cart.status)
  if (!move) throw new Error(`cart ${facts.cart.id} is ${facts.cart.status} and cannot become an order`)
  // The address was moved to the order.
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
  const quote = { ...facts, cart, pricing, isPriced: true }
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
