// The checkout service: finds the session by its secret, does what the page asks in one transaction, and turns a
// refusal of the domain into a problem that the page can say in the shopper's language.

import { type Issue, issueAt } from '../../contract/issues.ts'
import type { Address } from '../../contract/open/carts.ts'
import { patterns } from '../../contract/patterns.ts'
import type { Mode } from '../../contract/words.ts'
import { isEmail } from '../../platform/kit/email.ts'
import { newId } from '../../platform/kit/ids.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'
import { Refusal } from '../../platform/kit/refuse.ts'
import type { Cause } from '../../platform/outbox/announce.ts'
import { isPageSecret, pageSecretHash } from '../../platform/secrets/pagesecret.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { tryOpenAddress } from '../addresses/vault.ts'
import type { ChangeAsk } from '../carts/change.ts'
import { commitChange, lockCartFacts } from '../carts/change.ts'
import { putCode } from '../carts/codes.ts'
import { setAddress } from '../carts/destination.ts'
import { setLine } from '../carts/lines.ts'
import { needsShipping, servedCountries } from '../carts/shipping.ts'
import type { CartRow } from '../carts/store.ts'
import { extendHolds } from '../inventory/holds.ts'
import { findMerchantFace, type MerchantFace } from '../merchants/store.ts'
import { nobody, openCustomer } from '../orders/customer.ts'
import { orderPageSecrets } from '../orders/secret.ts'
import { findOrder, findSealedSecret } from '../orders/store.ts'
import { listMethodSettings, type MethodSettings } from '../payments/methods.ts'
import { type PaymentProvider, providerText } from '../payments/port.ts'
import { isPaidOnDelivery, manualName } from '../payments/providers/manual/provider.ts'
import { findPayment, listPaymentsOfSession, type PaymentRow } from '../payments/store.ts'
import { vatIdFrom } from '../vat/id.ts'
import { awaitedMoney } from './awaited.ts'
import { holdUntil, longerUntil, sessionLifecycle, sessionStatusAt } from './lifecycle.ts'
import { openNextAction } from './pay/nextaction.ts'
import { answerChallenge, pay } from './pay/pay.ts'
import {
  goBack,
  isOutcomeOpen,
  lookUpAwaited,
  lookUpForReturn,
  type PaymentName,
  readReturnToken,
  returnPathOf,
} from './pay/redirect.ts'
import type {
  CheckoutMethod,
  CheckoutPort,
  CheckoutProblem,
  CheckoutResult,
  CheckoutState,
  CheckoutView,
  ContactInput,
  PaymentRedirect,
  ReturnView,
} from './port.ts'
import { holdLines } from './refresh.ts'
import { checkoutPageSecrets } from './secret.ts'
import { cancelSession, customerColumns, factsOf, lockSessionAndCart, openSession, showSession } from './sessions.ts'
import {
  findSession,
  findSessionBySecret,
  findSessionOfCart,
  type SessionKey,
  type SessionRow,
  saveHoldEnd,
  saveSession,
  saveSessionEnd,
  saveSuccessor,
} from './store.ts'
import type { PayTools } from './tools.ts'
import { vatCheckFor } from './vat.ts'

// Activity on the page keeps the stock; it is recorded at most once a minute.
const extendEveryMs = 60_000

export function createCheckoutService(tools: PayTools): CheckoutPort {
  return {
    look: (secret) => look(tools, secret),
    refresh: (secret) => refresh(tools, secret),
    follow: (secret) => follow(tools, secret),
    changeQuantity: (secret, version, skuId, quantity) =>
      change(tools, { secret, version }, async (_, ask) => {
        await setLine(tools.carts, ask, skuId, quantity)
        return null
      }),
    applyCode: (secret, version, code) => change(tools, { secret, version }, (_, ask) => applyCode(tools, ask, code)),
    setDetails: (secret, version, details) =>
      change(tools, { secret, version }, (session, ask) => setDetails(tools, session, ask, details), checkVat(tools)),
    pay: (secret, input) => act(tools, secret, (session) => pay(tools, keyOf(session), input, pageCause())),
    answerChallenge: (secret, paymentId, answer) =>
      act(tools, secret, (session) => answerChallenge(tools, keyOf(session), { paymentId, answer }, pageCause())),
    goBack: (secret) => act(tools, secret, (session) => goBack(tools, keyOf(session), pageCause())),
    comeBack: (token) => comeBack(tools, token),
    cancel: (secret) => act(tools, secret, (session) => cancel(tools, session)),
    keepOpen: (secret) => act(tools, secret, (session) => keepOpen(tools, session)),
    startAgain: (secret) => startAgain(tools, secret),
  }
}

async function look(tools: PayTools, secret: string): Promise<CheckoutView | undefined> {
  const seen = await readSession(tools, secret, async (db, session) => {
    const now = tools.clock().getTime()
    const isEnough = !isStockToKeep(session, now)
    return { session, view: isEnough ? await checkoutView(tools, db, { session, secret, now }) : undefined }
  })
  if (!seen) return undefined
  if (!seen.view) await keepStock(tools, seen.session)
  const view = seen.view ?? (await findView(tools, secret))
  if (view?.session.vat?.status !== 'pending') return view
  // An app gave the number, or the process that asked has died.
  await tools.startVatCheck(keyOf(seen.session))
  return findView(tools, secret)
}

async function refresh(tools: PayTools, secret: string): Promise<CheckoutView | undefined> {
  const found = await findSessionOf(tools, secret)
  if (found?.status === 'processing') await lookUpAwaited(tools, keyOf(found))
  return findView(tools, secret)
}

async function follow(tools: PayTools, secret: string): Promise<CheckoutState | undefined> {
  const found = await findSessionOf(tools, secret)
  if (found?.status === 'processing') await lookUpAwaited(tools, keyOf(found), 'poll')
  return readSession(tools, secret, async (db, session) => {
    const status = sessionStatusAt(session, tools.clock().getTime())
    if (status !== 'processing') return status
    const waiting = waitingFor(await listPaymentsOfSession(db, session.installationId, session.id))
    return waiting ? waitingKind(waiting) : status
  })
}

// The payment that waits for the shopper, once it is known that it does.
function waitingFor(payments: readonly PaymentRow[]): PaymentRow | undefined {
  return payments.find((payment) => payment.status === 'challenge' && !isOutcomeOpen(payment))
}

function waitingKind({ placeSealed }: PaymentRow): 'challenge' | 'redirect' {
  return placeSealed === null ? 'challenge' : 'redirect'
}

async function readSession<T>(
  { storage }: PayTools,
  secret: string,
  work: (db: Reader, session: SessionRow) => Promise<T>,
): Promise<T | undefined> {
  if (!isPageSecret(secret)) return undefined
  return storage.read(async (db) => {
    const session = await findSessionBySecret(db, pageSecretHash(secret))
    return session && work(db, session)
  })
}

function findSessionOf(tools: PayTools, secret: string): Promise<SessionRow | undefined> {
  return readSession(tools, secret, async (_, session) => session)
}

function findView(tools: PayTools, secret: string): Promise<CheckoutView | undefined> {
  return readSession(tools, secret, (db, session) =>
    checkoutView(tools, db, { session, secret, now: tools.clock().getTime() }),
  )
}

// Finds the session, does the work, and answers with the view as it is then.
async function act(
  tools: PayTools,
  secret: string,
  work: (session: SessionRow) => Promise<CheckoutProblem | null>,
): Promise<CheckoutResult | undefined> {
  const found = await findSessionOf(tools, secret)
  if (!found) return undefined
  const problem = await work(found).catch(checkoutProblemOf)
  const view = await findView(tools, secret)
  return view && { view, problem }
}

// One change, on the session as the page saw it.
function change(
  tools: PayTools,
  { secret, version }: { secret: string; version: number },
  work: (session: SessionRow, ask: ChangeAsk) => Promise<CheckoutProblem | null>,
  then: (session: SessionRow) => Promise<void> = async () => {},
): Promise<CheckoutResult | undefined> {
  return act(tools, secret, async (found) => {
    const problem = await tools.storage.write(async (tx): Promise<CheckoutProblem | null> => {
      const session = await lockSessionAndCart(tx, keyOf(found))
      const now = tools.clock()
      if (!session) return { code: 'not_open' }
      if (session.closedAt !== null) return { code: 'closed' }
      const status = sessionStatusAt(session, now.getTime())
      if (status === 'processing') return { code: 'payment_in_progress' }
      if (!moveFor(sessionLifecycle, 'change', status)) return { code: 'not_open' }
      if (session.version !== version) return { code: 'stale' }
      return work(session, {
        db: tx,
        caller: session,
        cartId: session.cartId,
        expectedVersion: undefined,
        now,
        cause: pageCause(),
        isAnnouncedLater: true,
      })
    })
    if (problem === null) await then(found)
    return problem
  })
}

// The shopper waits for the answer: the total depends on it.
function checkVat(tools: PayTools): (session: SessionRow) => Promise<void> {
  return (session) => tools.startVatCheck(keyOf(session))
}

async function applyCode(tools: PayTools, ask: ChangeAsk, code: string | null): Promise<CheckoutProblem | null> {
  const { state, reason } = (await putCode(tools.carts, ask, code)).promotion
  return state === 'rejected' && reason !== null ? { code: 'promotion_rejected', reason } : null
}

async function setDetails(
  tools: PayTools,
  session: SessionRow,
  ask: ChangeAsk,
  { contact, address, shippingOptionId, vatId = '' }: Parameters<CheckoutPort['setDetails']>[2],
): Promise<CheckoutProblem | null> {
  const wanted = vatId.trim() === '' ? undefined : vatIdFrom(vatId)
  const issues = contactIssues(contact)
  if (vatId.trim() !== '' && !wanted) issues.push(issueAt('/vatId', 'not_a_vat_id'))
  // An invoice names its buyer.
  if (wanted && !address && contact.name.trim() === '') issues.push(issueAt('/name', 'needed'))
  if (issues.length > 0) return { code: 'invalid', issues }
  const customer = {
    email: contact.email.trim(),
    name: contact.name.trim(),
    phone: contact.phone.trim(),
    ...(wanted && { vatId: wanted.text }),
  }
  const at = ask.now.getTime()
  const { vatId: known } = openCustomer(tools.rootSecret, session.id, session.customerSealed) ?? nobody
  const columns = await customerColumns(tools, ask.db, session, { customer, now: at })
  saveSession(ask.db, { ...session, ...columns, version: session.version + 1, updatedAt: at })
  await setDestination(tools, ask, address, {
    shippingOption: shippingOptionId,
    vatFrom: (before) => vatCheckFor({ sessionId: session.id, before, known, wanted, now: at }),
  })
  return null
}

async function comeBack(tools: PayTools, token: string): Promise<ReturnView | undefined> {
  const name = readReturnToken(tools.rootSecret, token)
  if (!name) return undefined
  await lookUpForReturn(tools, name)
  return tools.storage.read((db) => returnView(db, name, tools.clock().getTime()))
}

async function cancel(
  tools: PayTools,
  { installationId, merchantId, id, closedAt }: SessionRow,
): Promise<CheckoutProblem | null> {
  if (closedAt !== null) return { code: 'closed' }
  const cancellation = { reason: 'customer_request', note: null, by: 'shopper' } as const
  await tools.storage.write((tx) => {
    const ask = { db: tx, caller: { installationId, merchantId }, sessionId: id, expectedVersion: undefined }
    return cancelSession(tools, { ...ask, cancellation, now: tools.clock(), cause: pageCause() })
  })
  return null
}

function keepOpen({ storage, clock }: PayTools, found: SessionRow): Promise<CheckoutProblem | null> {
  return storage.write(async (tx) => {
    const session = await lockSessionAndCart(tx, keyOf(found))
    const now = clock().getTime()
    if (!session || sessionStatusAt(session, now) !== 'open') return { code: 'not_open' }
    if (session.closedAt !== null) return { code: 'closed' }
    const until = longerUntil(session, now)
    if (until > session.expiresAt) saveSessionEnd(tx, session, until)
    return null
  })
}

async function startAgain(tools: PayTools, secret: string): ReturnType<CheckoutPort['startAgain']> {
  const found = await findSessionOf(tools, secret)
  if (!found) return undefined
  if (found.closedAt !== null) return { problem: { code: 'closed' } }
  return tools.storage
    .write(async (tx) => {
      const ended = await lockSessionAndCart(tx, keyOf(found))
      return ended ? openAgain(tools, tx, ended) : { problem: { code: 'not_open' } as const }
    })
    .catch((error: unknown) => ({ problem: checkoutProblemOf(error) }))
}

function keyOf({ installationId, id }: SessionRow): SessionKey {
  return { installationId, sessionId: id }
}

function pageCause(): Cause {
  return { operationId: null, requestId: newId('req') }
}

// What the domain refuses is told to the shopper; everything else is a defect and goes on up.
export function checkoutProblemOf(error: unknown): CheckoutProblem {
  if (!(error instanceof Refusal)) throw error
  const { code, details } = error
  const current = details.current ?? {}
  const skuId = typeof current.skuId === 'string' ? current.skuId : ''
  switch (code) {
    case 'insufficient_stock':
      return { code: 'insufficient_stock', skuId, available: Number(current.available ?? 0) }
    case 'item_unavailable':
      return { code: 'item_unavailable', skuId }
    case 'quantity_limit_exceeded':
      // Without a limit it is about the total.
      if (current.limit === undefined) return { code: 'price_unavailable' }
      return { code: 'quantity_limit', skuId, limit: Number(current.limit) }
    case 'address_undeliverable':
      return { code: 'address_undeliverable' }
    case 'rate_limited':
      return { code: 'too_many_codes' }
    case 'payment_in_progress':
    case 'cart_locked':
      return { code: 'payment_in_progress' }
    case 'invalid_request':
      return { code: 'invalid', issues: details.issues ?? [] }
    case 'version_conflict':
    case 'cart_item_not_found':
      return { code: 'stale' }
    default:
      return { code: 'not_open' }
  }
}

const phone = new RegExp(patterns.phone.source)

function contactIssues(contact: ContactInput): Issue[] {
  const issues: Issue[] = []
  if (!isEmail(contact.email.trim())) issues.push(issueAt('/email', 'not_an_email'))
  if (contact.name.length > 200) issues.push(issueAt('/name', 'too_long', { max: 200 }))
  const number = contact.phone.trim()
  if (number !== '' && (number.length > 32 || !phone.test(number))) issues.push(issueAt('/phone', 'not_a_phone'))
  return issues
}

// The address as it is typed on every save; sealed anew only when it is another one.
async function setDestination(
  tools: PayTools,
  ask: ChangeAsk,
  address: Address | null,
  { shippingOption, vatFrom }: { shippingOption: string | null; vatFrom: (before: CartRow['vat']) => CartRow['vat'] },
): Promise<void> {
  const facts = await lockCartFacts(tools.carts, ask)
  const { cart } = facts
  const kept = cart.address
    ? await tryOpenAddress(ask.db, tools.rootSecret, {
        installationId: cart.installationId,
        ownerId: cart.id,
        id: cart.address.token,
        now: ask.now.getTime(),
      })
    : undefined
  if (address && JSON.stringify(address) !== JSON.stringify(kept)) {
    await setAddress(tools.carts, ask, {
      rootSecret: tools.rootSecret,
      address,
      shippingOption,
      vat: vatFrom(cart.vat),
    })
  } else {
    await commitChange(tools.carts, ask, { ...facts, cart: { ...cart, shippingOption, vat: vatFrom(cart.vat) } })
  }
}

function isStockToKeep(session: SessionRow, now: number): boolean {
  const { holdExpiresAt, closedAt } = session
  if (sessionStatusAt(session, now) !== 'open' || closedAt !== null) return false
  return holdExpiresAt === null || holdUntil(session, now) - holdExpiresAt >= extendEveryMs
}

// A look at an open session keeps its stock a while longer, or takes it again where the time was over and it is still there.
async function keepStock(tools: PayTools, seen: SessionRow): Promise<void> {
  const now = tools.clock()
  const at = now.getTime()
  const until = holdUntil(seen, at)
  await tools.storage
    .write(async (tx) => {
      const session = await lockSessionAndCart(tx, keyOf(seen))
      if (!session || !isStockToKeep(session, at) || until <= at) return
      const { quote } = await factsOf(tools, tx, session, at)
      const running = await extendHolds(tx, session, session.id, { now: at, expiresAt: until })
      const { lines } = quote
      if (running.length < lines.length) await holdLines(tx, session, { lines, now, cause: null, expiresAt: until })
      saveHoldEnd(tx, session, until)
    })
    // The stock is taken by now; the page shows it.
    .catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
    })
}

// Of a session that is locked.
async function openAgain(
  tools: PayTools,
  tx: Tx,
  old: SessionRow,
): Promise<{ secret: string } | { problem: CheckoutProblem }> {
  const now = tools.clock()
  const status = sessionStatusAt(old, now.getTime())
  if (status !== 'expired' && status !== 'cancelled') return { problem: { code: 'not_open' } }
  // The merchant's terms were good for so long.
  if (old.holdsWhole) return { problem: { code: 'not_open' } }
  if (old.continuedBy !== null) return successorOf(tools, tx, old.installationId, old.continuedBy)
  const { quote } = await factsOf(tools, tx, old, now.getTime())
  const { publicKeyId } = quote.cart
  const caller = {
    installationId: old.installationId,
    merchantId: old.merchantId,
    mode: old.mode,
    ...(publicKeyId !== null && { publicKeyId }),
  }
  const customer = openCustomer(tools.rootSecret, old.id, old.customerSealed) ?? nobody
  // This cart was continued in another session: an old link must not lead into a newer session.
  const living = await findSessionOfCart(tx, { installationId: old.installationId, cartId: old.cartId })
  if (living && living.id !== old.id) return { problem: { code: 'not_open' } }
  const isOpen = quote.cart.status === 'open' && quote.cart.expiresAt > now.getTime()
  const items = quote.lines.map(({ offer, quantity }) => ({ skuId: offer.skuId, quantity }))
  if (items.length === 0) return { problem: { code: 'not_open' } }
  const opened = await openSession(tools, {
    db: tx,
    caller,
    body: {
      ...(isOpen ? { cartId: old.cartId } : { items }),
      successUrl: old.successUrl,
      ...(old.cancelUrl === null ? {} : { cancelUrl: old.cancelUrl }),
      locale: old.locale,
      ...(old.clientReferenceId === null ? {} : { clientReferenceId: old.clientReferenceId }),
      metadata: old.metadata,
      customer,
    },
    now,
    cause: pageCause(),
    ...(old.holdsLater && { isForAgent: true }),
  })
  saveSuccessor(tx, old, opened.id)
  return { secret: (opened.url ?? '').split('/').at(-1) ?? '' }
}

// Whatever became of it: its page says so, and where it has ended too, it has a way on of its own.
async function successorOf(
  { rootSecret }: PayTools,
  tx: Tx,
  installationId: string,
  sessionId: string,
): Promise<{ secret: string } | { problem: CheckoutProblem }> {
  const successor = await findSession(tx, { installationId, sessionId })
  const secret = successor && checkoutPageSecrets.open(rootSecret, successor.secretSealed, successor.id)
  // Deleted after it expired, or its version of the root secret was given up.
  return secret === undefined ? { problem: { code: 'not_open' } } : { secret }
}

async function checkoutView(
  tools: PayTools,
  db: Reader,
  { session, secret, now }: { session: SessionRow; secret: string; now: number },
): Promise<CheckoutView> {
  const facts = await factsOf(tools, db, session, now)
  const { cart, lines, pricing } = facts.quote
  const [merchant, { zones, vatId, isSmallBusiness }, payments, settings, offered, address] = await Promise.all([
    findMerchantFace(db, session.merchantId),
    tools.carts.pricebooks.find(db, session.merchantId, cart.seller.catalogVersion),
    listPaymentsOfSession(db, session.installationId, session.id),
    listMethodSettings(db, session.merchantId),
    tools.providers.offered(db, session),
    cart.address
      ? tryOpenAddress(db, tools.rootSecret, {
          installationId: cart.installationId,
          ownerId: cart.id,
          id: cart.address.token,
          now,
        })
      : undefined,
  ])
  const waiting = waitingFor(payments)
  return {
    session: showSession(tools, facts, now),
    secret,
    merchant: faceOf(merchant),
    customer: openCustomer(tools.rootSecret, session.id, session.customerSealed) ?? nobody,
    asksVatId: vatId !== null && !isSmallBusiness,
    address: address ?? null,
    needsShipping: needsShipping(lines.map(({ offer }) => offer)),
    countries: servedCountries(zones),
    isClosed: session.closedAt !== null,
    isFixed: session.holdsWhole,
    methods: offered
      .filter(({ provider }) => provider.offers?.({ currency: cart.currency, amount: pricing.totals.total }) ?? true)
      .flatMap(({ provider }) => methodsOf(provider, session.mode, settings)),
    challenge:
      waiting && waitingKind(waiting) === 'challenge' ? { paymentId: waiting.id, amount: waiting.amount } : null,
    redirect: waiting && waitingKind(waiting) === 'redirect' ? await redirectOf(tools, db, waiting) : null,
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
    nextAction: openNextAction(rootSecret, payment),
    returnPath: returnPathOf(rootSecret, payment),
    sources: provider?.sources,
  }
}

// Undefined where the payment or its session is gone.
async function returnView(
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

function faceOf(merchant: MerchantFace | undefined): CheckoutView['merchant'] {
  if (!merchant) throw new Error('a session has lost its merchant')
  return { ...merchant, links: JSON.parse(merchant.links) as CheckoutView['merchant']['links'] }
}

// A method of which the merchant can say nothing is offered by its provider.
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
    awaited: await awaitedMoney(db, order, payments),
    order: text === undefined ? null : { number: order.number, statusPath: `/o/${text}`, isCancelled },
  }
}
