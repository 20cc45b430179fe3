// Loads the data for the page of a session, in one transaction.

import type { Mode } from '../../contract/words.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { decryptCartAddress } from '../carts/destination.ts'
import { isExchange } from '../carts/pricing.ts'
import { needsShipping, servedCountries } from '../carts/shipping.ts'
import { findMerchantFace, type PublicMerchantFacts } from '../merchants/store.ts'
import { decryptCustomer, emptyCustomer } from '../orders/customer.ts'
import { orderPageSecrets } from '../orders/secret.ts'
import { findOrder, findSealedSecret } from '../orders/store.ts'
import type { MethodSettings } from '../payments/methods.ts'
import { type PaymentProvider, providerText } from '../payments/port.ts'
import { isPaidOnDelivery, manualName } from '../payments/providers/manual/provider.ts'
import { findPayment, listPaymentsOfSession, type PaymentRow } from '../payments/store.ts'
import { loadAwaitedMoney } from './awaited.ts'
import { sessionStatusAt } from './lifecycle.ts'
import { decryptNextAction } from './pay/nextaction.ts'
import { isOutcomeOpen, makeReturnPath, type PaymentName } from './pay/redirect.ts'
import type { CheckoutMethod, CheckoutView, CompletedCheckout, PaymentRedirect, ReturnView } from './port.ts'
import { loadSessionFacts, renderSession } from './sessions.ts'
import { type Checkout, findSession, type SessionRow } from './store.ts'
import type { PayTools } from './tools.ts'

// Returns the payment that waits for an action of the shopper, unless its outcome is still being looked up.
export function paymentAwaitingShopper(payments: readonly PaymentRow[]): PaymentRow | undefined {
  return payments.find((payment) => payment.status === 'challenge' && !isOutcomeOpen(payment))
}

export function shopperActionKind({ placeSealed }: PaymentRow): 'challenge' | 'redirect' {
  return placeSealed === null ? 'challenge' : 'redirect'
}

export async function loadCompletedCheckout(
  db: Reader,
  { installationId, id, status, orderId, successUrl, closedAt }: SessionRow,
  secret: string,
): Promise<CompletedCheckout | null> {
  if (status !== 'completed' || orderId === null) return null
  const order = await findOrder(db, { installationId, orderId })
  // Only an order whose payment is pending awaits money.
  const payments = order?.paymentStatus === 'pending' ? await listPaymentsOfSession(db, installationId, id) : []
  const awaited = order ? await loadAwaitedMoney(db, order, payments) : null
  return { session: { id, successUrl }, secret, awaited, isClosed: closedAt !== null }
}

// Returns a completed checkout whose money has arrived.
export function paidCheckout({ id, successUrl, closedAt }: SessionRow, secret: string): CompletedCheckout {
  return { session: { id, successUrl }, secret, awaited: null, isClosed: closedAt !== null }
}

export async function checkoutPageView(
  tools: PayTools,
  db: Reader,
  { checkout, secret, now }: { checkout: Checkout; secret: string; now: number },
): Promise<CheckoutView> {
  const { session } = checkout
  const facts = await loadSessionFacts(tools, db, session, now, checkout.cart)
  const { cart, lines, pricing } = facts.quote
  const change = cart.terms?.change
  const [{ face, methods, zones, vatId, isSmallBusiness }, payments, offered, address] = await Promise.all([
    tools.carts.pricebooks.find(db, session.merchantId, cart.seller.catalogVersion),
    // An open session has no payment in progress.
    session.status === 'open' ? [] : listPaymentsOfSession(db, session.installationId, session.id),
    tools.providers.offered(db, session),
    decryptCartAddress(db, tools.rootSecret, cart, now),
  ])
  const waiting = paymentAwaitingShopper(payments)
  return {
    session: renderSession(tools, facts, now),
    secret,
    merchant: faceOf(face),
    customer: decryptCustomer(tools.rootSecret, session.id, session.customerSealed) ?? emptyCustomer,
    asksVatId: vatId !== null && !isSmallBusiness,
    address: address ?? null,
    // A draft that changes an order is delivered to the address of the order.
    needsShipping: !change && needsShipping(lines.map(({ offer }) => offer)),
    change: change ? { number: change.number, kind: isExchange(change) ? 'exchange' : 'edit' } : null,
    countries: servedCountries(zones),
    isClosed: session.closedAt !== null,
    isFixed: session.holdsWhole,
    methods: offered
      .filter(({ provider }) => !change || provider.name !== manualName)
      .filter(({ provider }) => provider.offers?.({ currency: cart.currency, amount: pricing.totals.total }) ?? true)
      .flatMap(({ provider }) => methodsOf(provider, session.mode, methods)),
    challenge:
      waiting && shopperActionKind(waiting) === 'challenge' ? { paymentId: waiting.id, amount: waiting.amount } : null,
    redirect: waiting && shopperActionKind(waiting) === 'redirect' ? await redirectOf(tools, db, waiting) : null,
    ...(await orderOf(tools, db, session, payments)),
  }
}

async function redirectOf(
  { rootSecret, providers }: PayTools,
  db: Reader,
  payment: PaymentRow,
): Promise<PaymentRedirect> {
  const provider = await providers.of(db, payment)
  return {
    paymentId: payment.id,
    provider: payment.provider,
    amount: payment.amount,
    isTried: payment.triedAt !== null,
    labelKey: provider?.methods.find(({ id }) => id === payment.method)?.labelKey ?? payment.method,
    say: (key, locale) =>
      provider && Object.hasOwn(provider.texts.en, key) ? providerText(provider, key, locale) : undefined,
    nextAction: decryptNextAction(rootSecret, payment),
    returnPath: makeReturnPath(rootSecret, payment),
    sources: provider?.sources,
  }
}

// Returns undefined if the payment or its session was deleted.
export async function returnedView(
  db: Reader,
  { installationId, id }: PaymentName,
  now: number,
): Promise<ReturnView | undefined> {
  const payment = await findPayment(db, installationId, id)
  const session = payment && (await findSession(db, { installationId, sessionId: payment.checkoutSessionId }))
  if (!session) return undefined
  const status = sessionStatusAt(session, now)
  const state =
    status === 'completed' ? 'placed' : status === 'open' ? 'open' : status === 'processing' ? 'waiting' : 'ended'
  const merchant = faceOf(await findMerchantFace(db, session.merchantId))
  return { secretHash: session.secretHash, merchant, mode: session.mode, locale: session.locale, state }
}

function faceOf(merchant: PublicMerchantFacts | undefined): CheckoutView['merchant'] {
  if (!merchant) throw new Error('the merchant of the checkout session does not exist')
  return { ...merchant, links: JSON.parse(merchant.links) as CheckoutView['merchant']['links'] }
}

// The merchant's settings change only the manual methods. Other methods are offered as their provider defines them.
function methodsOf(provider: PaymentProvider, mode: Mode, settings: readonly MethodSettings[]): CheckoutMethod[] {
  const say: CheckoutMethod['say'] = (key, locale) =>
    Object.hasOwn(provider.texts.en, key) ? providerText(provider, key, locale) : undefined
  return provider.methods.flatMap(({ id, labelKey, noteKey, fields, shape, brands = [], billing = false }) => {
    const own =
      provider.name === manualName ? settings.find((one) => one.mode === mode && one.method === id) : undefined
    if (own && !own.isOffered) return []
    const named = { provider: provider.name, method: id }
    const termDays = own && !isPaidOnDelivery(named) ? own.termDays : null
    return [
      {
        ...named,
        labelKey,
        noteKey,
        fields,
        shape,
        brands,
        billing,
        say,
        instructions: own?.instructions ?? null,
        termDays,
      },
    ]
  })
}

async function orderOf(
  tools: PayTools,
  db: Reader,
  session: SessionRow,
  payments: readonly PaymentRow[],
): Promise<Pick<CheckoutView, 'awaited' | 'order'>> {
  if (session.orderId === null) return { awaited: null, order: null }
  const key = { installationId: session.installationId, orderId: session.orderId }
  const [order, sealed] = await Promise.all([findOrder(db, key), findSealedSecret(db, key)])
  const text = sealed === undefined ? undefined : orderPageSecrets.open(tools.rootSecret, sealed, session.orderId)
  if (!order) return { awaited: null, order: null }
  const isCancelled = order.status === 'cancelled'
  return {
    awaited: await loadAwaitedMoney(db, order, payments),
    order: text === undefined ? null : { number: order.number, statusPath: `/o/${text}`, isCancelled },
  }
}
