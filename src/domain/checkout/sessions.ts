// Opens, reads and ends checkout sessions. The cart is locked first, then the session, always in this order.

import { type Issue, issueAt } from '../../contract/issues.ts'
import type { CheckoutSession, HostedCheckoutCreateRequest, SessionCancellation } from '../../contract/open/checkout.ts'
import type { EventKind } from '../../contract/words.ts'
import type { KeyCaller } from '../../platform/access/identify.ts'
import { isId, newId } from '../../platform/kit/ids.ts'
import { moveFor, onlyMove } from '../../platform/kit/lifecycle.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { announce, announceTogether, type Cause } from '../../platform/outbox/announce.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import {
  type CartCaller,
  type CartChangeInput,
  type CartTools,
  lockCartFacts,
  refuseMerchantMadeCart,
  refuseUnchangeableCart,
  saveCartChange,
  saveForcedCartChange,
} from '../carts/change.ts'
import { setPromotionCode } from '../carts/codes.ts'
import { buildCart, refuseUnsellable, writeNewCart } from '../carts/lines.ts'
import type { Pricebook } from '../carts/pricebook.ts'
import { type CartFacts, findCartFacts, loadCartFacts, quoteCart } from '../carts/quote.ts'
import type { CartKey, CartOrigin, CartRow } from '../carts/store.ts'
import type { Quote } from '../carts/view.ts'
import { releaseHolds } from '../inventory/holds.ts'
import { type RedirectRules, redirectProblem } from '../merchants/redirects.ts'
import { type Customer, decryptCustomer, emptyCustomer, encryptCustomer } from '../orders/customer.ts'
import { orderPageUrl } from '../orders/secret.ts'
import { findSessionOrder } from '../orders/store.ts'
import type { CartVatCheck } from '../vat/check.ts'
import { vatIdFrom } from '../vat/id.ts'
import { type CustomerKey, customerHash } from './customer.ts'
import { moveDraft } from './drafts.ts'
import { holdExpiryFor, sessionLifecycle, sessionStatusAt } from './lifecycle.ts'
import { holdLines } from './refresh.ts'
import { checkoutPageSecrets, maskEmail } from './secret.ts'
import {
  findCheckoutInstallation,
  findSession,
  findSessionOfCart,
  insertSession,
  lockSession,
  lockSessionWithCart,
  type SessionKey,
  type SessionRow,
  saveSession,
} from './store.ts'
import { vatCheckFor } from './vat.ts'
import { type SessionFacts, sessionView } from './view.ts'

export interface CheckoutTools {
  carts: CartTools
  rootSecret: RootSecret
  customerKey: CustomerKey
  publicOrigin: () => string
  // Checks the shopper's VAT number at the register, if a check is pending.
  startVatCheck(key: SessionKey): Promise<void>
}

export interface OpenSessionInput {
  db: Tx
  caller: CartCaller
  body: HostedCheckoutCreateRequest
  now: Date
  cause: Cause | null
  // Opened for an agent: the session has no page to return to, and holds no stock until the shopper opens the page or the session is
  // paid.
  isForAgent?: boolean
  // Opened for a cart that the merchant made.
  isOwn?: boolean
}

const lifeSecondsDefault = 1_800

export async function openSession(tools: CheckoutTools, ask: OpenSessionInput): Promise<CheckoutSession> {
  return announceTogether(ask.db, () => open(tools, ask))
}

async function open(tools: CheckoutTools, ask: OpenSessionInput): Promise<CheckoutSession> {
  const { db, caller, body, now, cause } = ask
  const opening = await findCheckoutInstallation(db, caller.installationId)
  // The installation was disabled or ended, or its merchant was closed, after the caller was authenticated.
  if (!opening) throw refuse('unauthenticated')
  const issues = ask.isForAgent || ask.isOwn ? [] : redirectIssues(body, opening.rules)
  if (issues.length > 0) throw refuse('invalid_request', { issues })

  const { change, looked, before } = await findOrMakeCart(tools, ask, opening.origin)
  if (before?.status === 'processing') {
    throw refuse('payment_in_progress', { current: { status: before.status, version: before.version } })
  }
  refuseUnchangeableCart(looked, change)
  if (!ask.isOwn) refuseMerchantMadeCart(looked)
  const at = now.getTime()
  // A session whose secret was encrypted with a removed version of the root secret no longer has an address, so it cannot continue.
  const isUsable = before && checkoutPageSecrets.open(tools.rootSecret, before.secretSealed, before.id) !== undefined
  const living = isUsable && sessionStatusAt(before, at) === 'open' ? before : undefined
  // The previous session has expired without being recorded as such, or cannot continue. A cart has one session at a time, so it is ended
  // first.
  const isOver = before !== undefined && !living
  if (isOver) await endSession(tools, db, before, { verb: 'expire', now, cause: null })
  // A rejected code does not stop the checkout: the cart continues without the code.
  if (body.promotionCode !== undefined)
    await setPromotionCode(tools.carts, { ...change, expectedVersion: undefined }, body.promotionCode)
  // Ending a session and applying a code both change the cart, so it is read again.
  const isMoved = isOver || body.promotionCode !== undefined
  const facts = isMoved ? await lockCartFacts(tools.carts, change) : looked
  if (facts.lines.length === 0) throw refuse('cart_empty')
  for (const { offer, quantity } of facts.lines) refuseUnsellable(offer, quantity)

  const { vat, ...wanted } = await renewed(
    tools,
    ask,
    living ?? newSession(tools, ask, change.cartId, at),
    facts.cart.vat,
  )
  const session = {
    ...wanted,
    version: living ? await versionUnderLock(db, living) : 1,
    holdExpiresAt: wanted.holdsLater ? wanted.holdExpiresAt : holdExpiryFor(wanted, at),
  }
  // Links the cart to its session and extends its expiry. The session itself must not be updated by this change of the cart.
  const expiresAt = Math.max(facts.cart.expiresAt, session.expiresAt)
  const quote = await saveCartChange(withoutSessionRefresh(tools.carts), change, {
    ...facts,
    cart: { ...facts.cart, checkoutSessionId: session.id, expiresAt, vat },
  })
  if (living) saveSession(db, session)
  else insertSession(db, session)
  if (vat?.status === 'pending') checkLater(tools, db, session)
  const { withdrawalPath } = await bookOf(tools, db, quote)
  const view = { session, quote, order: null, withdrawalPath }
  if (!living)
    announceSession(tools, db, view, { kind: onlyMove(sessionLifecycle, 'create').announces, now: at, cause })
  // Comes last: many buyers of the same product wait for the lock of the SKU's row.
  const firstWithLowStockAt = living ? undefined : facts.cart.seller.lowStockAt
  if (!session.holdsLater) await holdLines(db, session, { lines: facts.lines, now, cause, firstWithLowStockAt })
  return renderSession(tools, view, at)
}

interface OpenedCart {
  change: CartChangeInput
  looked: CartFacts
  before: SessionRow | undefined
}

async function findOrMakeCart(
  tools: CheckoutTools,
  { db, caller, body, now, cause }: OpenSessionInput,
  origin: CartOrigin,
): Promise<OpenedCart> {
  if (body.cartId === undefined) {
    // No other transaction can know the new cart, so it is not read again. Without a promotion code it is written only once, after it is
    // linked to its session.
    const made = await buildCart(tools.carts, { db, caller, items: body.items, metadata: {}, now, cause, origin })
    const change = { db, caller, cartId: made.cart.id, expectedVersion: undefined, now, cause }
    if (body.promotionCode === undefined)
      return {
        change: { ...change, write: (cart) => writeNewCart(db, cart, made.lines) },
        looked: made,
        before: undefined,
      }
    writeNewCart(db, made.cart, made.lines)
    return { change, looked: made, before: undefined }
  }
  const { cartId } = body
  const change = { db, caller, cartId, expectedVersion: body.expectedCartVersion, now, cause }
  const [looked, before] = await Promise.all([
    lockCartFacts(tools.carts, change),
    findSessionOfCart(db, { installationId: caller.installationId, cartId }),
  ])
  return { change, looked, before }
}

export function checkLater(tools: CheckoutTools, db: Tx, { installationId, id: sessionId }: SessionRow): void {
  db.afterCommit(() => void tools.startVatCheck({ installationId, sessionId }))
}

// Applying a code to the cart may have changed the session too, so the version of the session is read again.
async function versionUnderLock(db: Tx, { installationId, id }: SessionRow): Promise<number> {
  const key = { installationId, sessionId: id }
  const [, session] = await Promise.all([lockSession(db, key), findSession(db, key)])
  if (!session) throw new Error(`session ${id} does not exist`)
  return session.version + 1
}

// For changes of the cart that must not update its session.
export function withoutSessionRefresh(carts: CartTools): CartTools {
  return { ...carts, refreshSessions: async (_, { cart }) => cart }
}

function redirectIssues(
  { successUrl, cancelUrl }: Pick<HostedCheckoutCreateRequest, 'successUrl' | 'cancelUrl'>,
  rules: RedirectRules,
): Issue[] {
  return Object.entries({ successUrl, cancelUrl }).flatMap(([name, url]) => {
    const problem = url === undefined ? undefined : redirectProblem(url, rules)
    return problem === undefined ? [] : [{ path: `/${name}`, ...problem }]
  })
}

function newSession(
  tools: CheckoutTools,
  { caller, isForAgent = false, isOwn = false }: OpenSessionInput,
  cartId: string,
  at: number,
): SessionRow {
  const id = newId('cks')
  const secret = checkoutPageSecrets.make(tools.rootSecret, id)
  return {
    installationId: caller.installationId,
    id,
    merchantId: caller.merchantId,
    cartId,
    version: 1,
    status: onlyMove(sessionLifecycle, 'create').to,
    mode: caller.mode,
    closedAt: null,
    secretHash: secret.hash,
    secretSealed: secret.sealed,
    successUrl: '',
    cancelUrl: null,
    locale: 'auto',
    customerSealed: null,
    emailMasked: null,
    emailHash: null,
    clientReferenceId: null,
    metadata: {},
    holdExpiresAt: null,
    quote: null,
    cancellation: null,
    lastPaymentError: null,
    orderId: null,
    createdAt: at,
    updatedAt: at,
    expiresAt: at,
    completedAt: null,
    cancelledAt: null,
    continuedBy: null,
    holdsLater: isForAgent,
    holdsWhole: isOwn,
    hasAccounts: true,
  }
}

// Applies a request to a session, which may be new or already open.
async function renewed(
  tools: CheckoutTools,
  { db, body, now }: OpenSessionInput,
  session: SessionRow,
  before: CartVatCheck | null,
): Promise<SessionRow & { vat: CartVatCheck | null }> {
  const at = now.getTime()
  const { customer, vat } = mergeGivenCustomer(tools.rootSecret, session, { given: body.customer, before, now: at })
  return {
    ...session,
    vat,
    successUrl: body.successUrl,
    cancelUrl: body.cancelUrl ?? null,
    locale: body.locale ?? 'auto',
    ...(await customerColumns(tools, db, session, { customer, now: at })),
    clientReferenceId: body.clientReferenceId ?? null,
    metadata: body.metadata ?? {},
    updatedAt: at,
    expiresAt: at + (body.expiresInSeconds ?? lifeSecondsDefault) * 1000,
  }
}

// Returns the customer of a session after a request, and the resulting VAT check of the cart.
export function mergeGivenCustomer(
  rootSecret: RootSecret,
  { id, customerSealed }: Pick<SessionRow, 'id' | 'customerSealed'>,
  ask: { given: HostedCheckoutCreateRequest['customer']; before: CartVatCheck | null; now: number },
): { customer: Customer; vat: CartVatCheck | null } {
  const known = decryptCustomer(rootSecret, id, customerSealed) ?? emptyCustomer
  const given = { ...known, ...ask.given }
  const wanted = given.vatId === undefined ? undefined : vatIdFrom(given.vatId)
  if (given.vatId !== undefined && !wanted)
    throw refuse('invalid_request', { issues: [issueAt('/customer/vatId', 'not_a_vat_id')] })
  return {
    customer: { ...given, ...(wanted && { vatId: wanted.text }) },
    vat: vatCheckFor({ sessionId: id, before: ask.before, known: known.vatId, wanted, now: ask.now }),
  }
}

export async function customerColumns(
  { rootSecret, customerKey }: Pick<CheckoutTools, 'rootSecret' | 'customerKey'>,
  db: Tx,
  { id, merchantId }: Pick<SessionRow, 'id' | 'merchantId'>,
  { customer, now }: { customer: Customer; now: number },
): Promise<Pick<SessionRow, 'customerSealed' | 'emailMasked' | 'emailHash'>> {
  const { email, name, phone, vatId } = customer
  const isKnown = email !== '' || name !== '' || phone !== '' || vatId !== undefined
  return {
    customerSealed: isKnown ? encryptCustomer(rootSecret, id, customer) : null,
    emailMasked: email === '' ? null : maskEmail(email),
    emailHash: email === '' ? null : customerHash(await customerKey(db, now), merchantId, email),
  }
}

// Returns the session and its cart in their present state. Sessions of other installations are not found.
export async function findSessionFacts(
  tools: CheckoutTools,
  db: Reader,
  key: SessionKey,
  now: number,
): Promise<SessionFacts | undefined> {
  const session = isId('cks', key.sessionId) ? await findSession(db, key) : undefined
  return session && loadSessionFacts(tools, db, session, now)
}

// `cart`: set if it was read together with the session.
export async function loadSessionFacts(
  tools: CheckoutTools,
  db: Reader,
  session: SessionRow,
  now: number,
  cart?: CartRow,
): Promise<SessionFacts> {
  const cartKey: CartKey = { installationId: session.installationId, cartId: session.cartId }
  const orderKey = session.orderId === null ? null : { ...session, orderId: session.orderId }
  const { pricebooks } = tools.carts
  const [facts, order = null] = await Promise.all([
    cart ? loadCartFacts(db, pricebooks, cart, now) : findCartFacts(db, pricebooks, cartKey, now),
    orderKey ? findSessionOrder(db, orderKey) : undefined,
  ])
  if (!facts) throw new Error(`the cart of session ${session.id} does not exist`)
  return sessionFactsFromQuote(tools, db, session, await quoteCart(db, pricebooks, facts, now), order)
}

// Builds the facts of a session from a quote of its cart.
export async function sessionFactsFromQuote(
  tools: CheckoutTools,
  db: Reader,
  session: SessionRow,
  quote: Quote,
  order: SessionFacts['order'] = null,
): Promise<SessionFacts> {
  const { withdrawalPath } = await bookOf(tools, db, quote)
  return { session, quote, order, withdrawalPath }
}

function bookOf({ carts }: CheckoutTools, db: Reader, { cart }: Quote): Promise<Pricebook> {
  return carts.pricebooks.find(db, cart.merchantId, cart.seller.catalogVersion)
}

export function renderSession(tools: CheckoutTools, facts: SessionFacts, now: number): CheckoutSession {
  const { session, order } = facts
  const secret = checkoutPageSecrets.open(tools.rootSecret, session.secretSealed, session.id)
  const url = secret === undefined ? null : `${tools.publicOrigin()}/c/${secret}`
  const sealed = order?.secretSealed ?? null
  const statusUrl = order === null || sealed === null ? null : orderPageUrl(tools, { orderId: order.id, sealed })
  const { withdrawalPath: path } = facts
  const withdrawalUrl = path === null ? null : tools.publicOrigin() + path
  return sessionView(facts, now, { url, statusUrl, withdrawalUrl }, tools.carts.pictureUrl)
}

export interface CancelSessionInput {
  db: Tx
  caller: Pick<KeyCaller, 'installationId' | 'merchantId'>
  sessionId: string
  expectedVersion: number | undefined
  cancellation: SessionCancellation
  now: Date
  cause: Cause | null
}

export async function cancelSession(tools: CheckoutTools, ask: CancelSessionInput): Promise<SessionFacts> {
  const { db, now, cause } = ask
  const key = { installationId: ask.caller.installationId, sessionId: ask.sessionId }
  const session = await lockSessionAndCart(db, key)
  if (!session) throw refuse('checkout_session_not_found')
  const at = now.getTime()
  const status = sessionStatusAt(session, at)
  const current = { status, version: session.version }
  if (status === 'processing') throw refuse('payment_in_progress', { current })
  if (!moveFor(sessionLifecycle, 'cancel', status)) throw refuse('checkout_session_not_open', { current })
  if (ask.expectedVersion !== undefined && ask.expectedVersion !== session.version) {
    const message = `The session is at version ${session.version}; the request expected ${ask.expectedVersion}.`
    throw refuse('version_conflict', { message, current })
  }
  const cancelled = { ...session, cancellation: ask.cancellation, cancelledAt: at }
  return endSession(tools, db, cancelled, { verb: 'cancel', now, cause })
}

// Locks the cart and the session, and reads the session.
export async function lockSessionAndCart(db: Tx, key: SessionKey): Promise<SessionRow | undefined> {
  return isId('cks', key.sessionId) ? (await lockSessionWithCart(db, key))?.session : undefined
}

// Ends an open session: releases its stock, continues its cart without a session, and announces the end.
export async function endSession(
  tools: CheckoutTools,
  db: Tx,
  session: SessionRow,
  { verb, now, cause }: { verb: 'cancel' | 'expire'; now: Date; cause: Cause | null },
): Promise<SessionFacts> {
  const move = moveFor(sessionLifecycle, verb, session.status)
  if (!move) throw new Error(`session ${session.id} is ${session.status} and does not allow ${verb}`)
  const at = now.getTime()
  const ended: SessionRow = {
    ...session,
    status: move.to,
    version: session.version + 1,
    holdExpiresAt: null,
    updatedAt: at,
  }
  await releaseHolds(db, session, session.id, { now: at, cause })
  saveSession(db, ended)
  const change: CartChangeInput = {
    db,
    caller: session,
    cartId: session.cartId,
    expectedVersion: undefined,
    now,
    cause,
  }
  const facts = await lockCartFacts(tools.carts, change)
  const isOpen =
    facts.cart.status === 'open' && facts.cart.expiresAt > at && facts.cart.checkoutSessionId === session.id
  if (isOpen) {
    await saveForcedCartChange(withoutSessionRefresh(tools.carts), change, {
      ...facts,
      cart: { ...facts.cart, checkoutSessionId: null },
    })
  }
  const view = await loadSessionFacts(tools, db, ended, at)
  announceSession(tools, db, view, { kind: move.announces, now: at, cause })
  if (ended.holdsWhole) {
    const { currency } = view.quote.cart
    const { total } = view.quote.pricing.totals
    await moveDraft(db, verb, ended, { currency, total }, { now: at, cause })
  }
  return view
}

const noLinks = { url: null, statusUrl: null, withdrawalUrl: null }

export function announceSession(
  tools: CheckoutTools,
  db: Tx,
  facts: SessionFacts,
  { kind, now, cause }: { kind: EventKind; now: number; cause: Cause | null },
): void {
  const { session } = facts
  announce(db, {
    installationId: session.installationId,
    mode: session.mode,
    kind,
    subject: { type: 'checkout_session', id: session.id },
    sequence: session.version,
    // Without the addresses of the pages: events are sent to other machines, and anyone with an address can pay.
    dataText: JSON.stringify({ checkoutSession: sessionView(facts, now, noLinks, tools.carts.pictureUrl) }),
    cause,
    now,
  })
}
