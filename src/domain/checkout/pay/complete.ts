// Money came, or will: the order, the stock, the promotion's use, the payment, the session and the cart are one transaction.
// Where no order is possible any more, the money is owed back in the commit that says so, and a loop returns it.

import type { Address } from '../../../contract/open/carts.ts'
import { newId } from '../../../platform/kit/ids.ts'
import { moveFor } from '../../../platform/kit/lifecycle.ts'
import { announce, announceTogether } from '../../../platform/outbox/announce.ts'
import { summaryText } from '../../addresses/check.ts'
import { moveAddress } from '../../addresses/vault.ts'
import { pricingOfOrder } from '../../carts/converted.ts'
import { openCartAddress } from '../../carts/destination.ts'
import { cartLifecycle } from '../../carts/lifecycle.ts'
import { type EditChange, type ExchangeChange, isExchange, type Pricing } from '../../carts/pricing.ts'
import { type CartFacts, factsOfCart, findCartFacts } from '../../carts/quote.ts'
import { type CartRow, findCart, saveCart } from '../../carts/store.ts'
import { cartView, type Quote } from '../../carts/view.ts'
import { sellAsHeld, sellHeld } from '../../inventory/sales.ts'
import { type PlacedOrder, placeOrder } from '../../orders/place.ts'
import type { MovedMoney } from '../../orders/refunds.ts'
import { type OrderRow, takeOrderNumber } from '../../orders/store.ts'
import { queueLabel } from '../../payments/labels.ts'
import { findMethodSettings, paymentDueAt } from '../../payments/methods.ts'
import { manualName } from '../../payments/providers/manual/provider.ts'
import { type PaymentRow, savePayment } from '../../payments/store.ts'
import { giveBackPromotion, type Promotion, usePromotion } from '../../promotions/store.ts'
import { moveCredit } from '../../returns/exchange.ts'
import { type Draft, draftFrom } from '../draft.ts'
import { moveDraft } from '../drafts.ts'
import { sessionLifecycle } from '../lifecycle.ts'
import { announceSession } from '../sessions.ts'
import { type SessionRow, saveSession } from '../store.ts'
import { orderVatOf } from '../vat.ts'
import { applyChange } from './change.ts'
import { isOverused, openCustomerOf } from './customer.ts'
import { endExchange, findAgreedExchange, insertMoved } from './exchange.ts'
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
  // Set for an order that is sent.
  address: Address | undefined
}

export interface Completed {
  session: SessionRow
  order: OrderRow
  // The cart as an order.
  quote: Quote
  // The sealed secret of the order's page. Null where the order was there before.
  secretSealed: string | null
}

// Undefined where no order was possible.
export async function completeSession(settlement: Settlement): Promise<Completed | undefined> {
  return announceTogether(settlement.tx, () => complete(settlement))
}

async function complete(settlement: Settlement): Promise<Completed | undefined> {
  const { tools, tx, session, now, cause } = settlement
  const move = moveFor(sessionLifecycle, 'complete', session.status)
  if (!move) throw new Error(`a session that is ${session.status} cannot be completed`)
  if (session.quote === null) throw new Error(`session ${session.id} is paid without a quote`)
  const { installationId, cartId } = session
  const cart = settlement.cart ?? (await findCart(tx, { installationId, cartId }))
  if (!cart) throw new Error(`session ${session.id} has lost its cart`)
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
  // Events have no links.
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
  const draft = draftFrom(session.quote ?? '')
  const address = draft.shipping ? await openCartAddress(tx, tools.rootSecret, cart, now) : undefined
  const purchase: Purchase = { orderId: newId('ord'), draft, cart, address }
  const usable = await usePromotionOf(settlement, purchase)
  if ('obstacle' in usable) return usable
  const taken = await takeGoods(settlement, purchase)
  if (!taken) {
    if (usable.promotion) await giveBackPromotion(tx, session, usable.promotion.id)
    return { obstacle: 'sold_out' }
  }
  const { facts } = taken
  const { order, lines, secretSealed } = await bookOrder(settlement, purchase, {
    ...taken,
    usedPromotion: usable.promotion,
  })
  const pricing = cart.terms?.change?.pricing ?? pricingOfOrder(order, lines, facts.lines)
  return { order, quote: convertCart(settlement, facts, order, pricing), secretSealed }
}

// The order of the return was locked before the session. The credit moves once the stock is sold, so an obstacle finds nothing written.
async function exchangeItems(settlement: Settlement, cart: CartRow, change: ExchangeChange): Promise<Done> {
  const { tx, session, payment, now, cause } = settlement
  // The order of the return stays as it is until the money is there.
  if (payment.status !== 'succeeded') return { obstacle: 'not_collected' }
  const agreed = await findAgreedExchange(tx, session.installationId, change)
  if (!agreed) return { obstacle: 'order_changed' }
  const credit: { moved?: MovedMoney } = {}
  const collectOthers = async () => {
    credit.moved = await moveCredit(tx, agreed, agreed.refund, { now, cause })
    return credit.moved.parts.map((part) => insertMoved(tx, session, part, now))
  }
  const sold = await sellOrder({ ...settlement, collectOthers }, cart)
  if ('obstacle' in sold) return sold
  if (!credit.moved) throw new Error(`session ${session.id} has lost its credit`)
  const made = { moved: credit.moved, placed: sold.order, paid: payment.amount }
  await endExchange(tx, agreed, made, change.exchange, now)
  return sold
}

// The order was locked before the session.
async function changeOrder(settlement: Settlement, change: EditChange): Promise<Done> {
  const { tools, tx, session } = settlement
  const { installationId, cartId } = session
  const changed = await applyChange(settlement, change)
  if ('obstacle' in changed) return changed
  const facts = await findCartFacts(tx, tools.carts.pricebooks, { installationId, cartId }, settlement.now)
  if (!facts) throw new Error(`session ${session.id} has lost its cart`)
  return { order: changed.order, quote: convertCart(settlement, facts, changed.order, change.pricing) }
}

// Counts the use of the promotion; or answers why no order is possible.
async function usePromotionOf(
  { tools, tx, session }: Settlement,
  { draft, address }: Purchase,
): Promise<{ promotion: Promotion | null } | { obstacle: OrderObstacle }> {
  // A late approval may find the address erased, and both sealed by a version of the root secret that was given up. An order
  // without them can neither be sent nor asked about.
  if (!openCustomerOf(tools, session) || (draft.shipping && !address)) return { obstacle: 'contact_lost' }
  const promotion = draft.promotion ? await usePromotion(tx, session, draft.promotion.id) : null
  if (promotion === undefined) return { obstacle: 'promotion_used_up' }
  if (promotion && (await isOverused(tools, tx, session, promotion))) {
    await giveBackPromotion(tx, session, promotion.id)
    return { obstacle: 'promotion_used_before' }
  }
  return { promotion }
}

// The stock turned out to be short when the number was taken already: everything is undone, and done again one after the other.
export class SoldOutMeanwhile extends Error {}

interface Taken {
  // The cart as it is when its stock is sold.
  facts: CartFacts
  addressId: string | undefined
  number: string
  // Its payments, the one that completes it first.
  booked: PaymentRow[]
}

// Sells the stock, moves the address and takes the order's number, in this order; undefined where the stock is short. From the lock of the
// first SKU on, other shoppers wait. Where it may, all of it therefore leaves in one flight, although a shortage is only known after it:
// the stock is held, so there is hardly ever one. What follows leaves with the commit.
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
  if (shortages.length > 0) throw new SoldOutMeanwhile(`session ${session.id} is paid and its stock is short`)
  return withLeft(taken, left)
}

// SKUs that may be sold beyond their stock may be held in part.
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
  // The number last: the next order of the merchant in this mode waits for it.
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
    factsOfCart(tx, tools.carts.pricebooks, cart, now),
    takeOrderNumber(tx, session),
    Promise.all(booked.map((paid) => savePayment(tx, paid))),
  ])
  // Swept since it was looked at; the next look gives the money back.
  if (address && addressId === undefined) throw new Error(`session ${session.id} has lost its address`)
  return { facts, addressId, number, booked }
}

// The cart as it is when its stock is sold, whenever it was read.
function withLeft(taken: Taken, left: ReadonlyMap<string, number>): Taken {
  const lines = taken.facts.lines.map((line) => {
    const available = left.get(line.offer.skuId) ?? line.offer.available
    return { ...line, offer: { ...line.offer, available } }
  })
  return { ...taken, facts: { ...taken.facts, lines } }
}

async function returnCharge(given: Settlement, obstacle: OrderObstacle): Promise<void> {
  // A link of an order that it does not fit any more is over.
  const session = obstacle === 'order_changed' ? { ...given.session, expiresAt: given.now } : given.session
  const settlement = { ...given, session }
  const { tx, payment, now } = settlement
  await savePayment(tx, payment)
  if (payment.provider !== nothingDue) await queueReturn(tx, payment, 'no order was possible', now)
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
    addressSummaryText: address ? summaryText(address) : null,
    vat: orderVatOf(cart.vat, session.id, now),
    isPaid: payment.status === 'succeeded',
    paymentDueAt: await findDueAt(settlement),
    rootSecret: tools.rootSecret,
    now,
    cause,
  })
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
  order: OrderRow,
  pricing: Pricing,
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
