// Operations of agents on a checkout, the same for all protocols: open, replace, read and cancel. Prices, stock, payments and orders work
// as for every other checkout; this file decides who may call and which of the buyer's data is returned.

import type { PlatformProof } from '../../contract/agents/settings.ts'
import type { Cart } from '../../contract/open/carts.ts'
import type { CheckoutSession } from '../../contract/open/checkout.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Cause } from '../../platform/outbox/announce.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { lockCartFacts } from '../carts/change.ts'
import { cartStatusAt } from '../carts/lifecycle.ts'
import { createCart } from '../carts/lines.ts'
import { type CartFacts, findCartFacts, loadCartFacts, quoteCart } from '../carts/quote.ts'
import { type LineNote, replaceCart } from '../carts/replace.ts'
import { isServed, needsShipping } from '../carts/shipping.ts'
import type { CartRow } from '../carts/store.ts'
import { cartView, type Quote } from '../carts/view.ts'
import { sessionLifecycle, sessionStatusAt } from '../checkout/lifecycle.ts'
import { refreshLockedSession } from '../checkout/refresh.ts'
import {
  cancelSession,
  customerColumns,
  loadSessionFacts,
  openSession,
  renderSession,
  sessionFactsFromQuote,
} from '../checkout/sessions.ts'
import { findSession, lockSessionWithCart, type SessionRow, saveSession } from '../checkout/store.ts'
import type { PayTools } from '../checkout/tools.ts'
import type { SessionFacts } from '../checkout/view.ts'
import { type Customer, decryptCustomer, emptyCustomer as noCustomer } from '../orders/customer.ts'
import { listPaymentsOfSession } from '../payments/store.ts'
import {
  type AgentBuyer,
  type AgentCartRequest,
  buyerFullName,
  contactTokenOf,
  convertPlatformAddress,
  customerFromBuyer,
  decryptAgentRequest,
  encryptAgentRequest,
  type PlatformAddress,
  type StoredAgentRequest,
} from './asked.ts'
import {
  type AgentCheckoutRow,
  deleteAgentCheckout,
  findAgentCheckoutRow,
  findCheckoutOfSessionCart,
  insertAgentCheckout,
  saveAgentCheckout,
  saveShownTotal,
} from './store.ts'

// The calling platform. Its carts, sessions and orders belong to the shop's installation for agents.
export interface AgentCaller extends MerchantMode {
  installationId: string
  platformId: string
  protocol: string
  version: string
  // How the platform proved its identity; null if it did not.
  proof: PlatformProof | null
}

export interface AgentCallContext {
  now: Date
  cause: Cause | null
}

// The present state of a checkout, with what is needed to show it to the platform that created it.
export interface AgentCheckout {
  session: CheckoutSession
  // What the platform sent; undefined if it was erased.
  asked: StoredAgentRequest | undefined
  needsShipping: boolean
  isServed: boolean
  // Whether the address and the contact of the checkout are the ones that the platform sent. If not, the shopper typed them.
  hasSentAddress: boolean
  hasSentContact: boolean
  hasEmail: boolean
  place: { city: string; region: string | null; country: string } | null
  // False if the checkout cannot be priced, because an amount is too large.
  isPriced: boolean
  // Whether the payment waits for an action of the shopper.
  isWaiting: boolean
  promotion: { code: string; name: string } | null
  order: { id: string; number: string } | null
  shownTotal: number | null
}

const lifeSeconds = 6 * 3_600

export type OpenCheckoutResult = { sessionId: string } | { lineNotes: readonly LineNote[] }

// Returns only the notes on the lines if no line can be added to the cart. The caller must then roll back the transaction.
export async function openAgentCheckout(
  tools: PayTools,
  tx: Tx,
  caller: AgentCaller,
  wish: AgentCartRequest,
  { now, cause }: AgentCallContext,
): Promise<OpenCheckoutResult> {
  const opened = await openAgentCart(tools, tx, caller, wish, { now, cause })
  return 'lineNotes' in opened ? opened : openSessionOf(tools, tx, caller, opened.row, opened.asked, { now, cause })
}

export type OpenCartResult = { row: AgentCheckoutRow; asked: StoredAgentRequest } | { lineNotes: readonly LineNote[] }

export async function openAgentCart(
  tools: PayTools,
  tx: Tx,
  caller: AgentCaller,
  wish: AgentCartRequest,
  { now, cause }: AgentCallContext,
): Promise<OpenCartResult> {
  const created = await createCart(tools.carts, { db: tx, caller, items: [], metadata: {}, now, cause })
  const cartId = created.cart.id
  const { asked, quote } = await writeWish(tools, tx, caller, { cartId, before: undefined }, wish, { now, cause })
  if (quote.lines.length === 0) return { lineNotes: asked.lineNotes }
  const askedSealed = encryptAgentRequest(tools.rootSecret, cartId, asked)
  const row = { ...checkoutRow(caller, cartId, now), sessionId: null, askedSealed, shownTotal: null }
  insertAgentCheckout(tx, row)
  return { row, asked }
}

// Opens a checkout for a cart. The contents of the cart take precedence over those in the request. Returns the open checkout if the cart
// already has one.
export async function openCheckoutOfAgentCart(
  tools: PayTools,
  tx: Tx,
  caller: AgentCaller,
  { cartId, wish }: { cartId: string; wish: AgentCartRequest },
  moment: AgentCallContext,
): Promise<OpenCheckoutResult> {
  const { row, lines, asked: before } = await lockAgentCart(tools, tx, caller, cartId, moment.now)
  const session = row.sessionId === null ? undefined : await findSession(tx, { ...caller, sessionId: row.sessionId })
  if (session && sessionStatusAt(session, moment.now.getTime()) === 'open') return { sessionId: session.id }
  const { codes = [], buyer = {} } = before ?? {}
  const locale = wish.locale ?? before?.locale ?? null
  const whole = { ...wish, lines, codes, locale, buyer: Object.keys(buyer).length > 0 ? buyer : wish.buyer }
  const { asked, quote } = await writeWish(tools, tx, caller, { cartId, before }, whole, moment)
  const { length } = quote.lines
  return length === 0 ? { lineNotes: asked.lineNotes } : openSessionOf(tools, tx, caller, row, asked, moment)
}

async function openSessionOf(
  tools: PayTools,
  tx: Tx,
  caller: AgentCaller,
  row: AgentCheckoutRow,
  asked: StoredAgentRequest,
  { now, cause }: AgentCallContext,
): Promise<OpenCheckoutResult> {
  const { cartId } = row
  const customer = customerFromBuyer(asked.buyer)
  const session = await openSession(tools, {
    db: tx,
    caller,
    body: { cartId, successUrl: '', locale: asked.locale ?? 'auto', expiresInSeconds: lifeSeconds, customer },
    now,
    cause,
    isForAgent: true,
  })
  saveAgentCheckout(tx, {
    ...row,
    protocol: caller.protocol,
    version: caller.version,
    proof: caller.proof,
    sessionId: session.id,
    askedSealed: encryptAgentRequest(tools.rootSecret, cartId, asked),
    shownTotal: session.totals.total,
  })
  return { sessionId: session.id }
}

function checkoutRow(
  { installationId, merchantId, platformId, protocol, version, proof }: AgentCaller,
  cartId: string,
  now: Date,
): Omit<AgentCheckoutRow, 'sessionId' | 'askedSealed' | 'shownTotal'> {
  return { installationId, cartId, merchantId, platformId, protocol, version, proof, createdAt: now.getTime() }
}

// Writes lines, code, address and shipping option as one change of the cart. Codes are tried only if their list differs from that of the
// last request: repeating a list must not count as guessing.
async function writeWish(
  tools: PayTools,
  tx: Tx,
  caller: AgentCaller,
  // `known`: the cart, if the caller has locked and read it.
  { cartId, before, known }: { cartId: string; before: StoredAgentRequest | undefined; known?: CartFacts },
  wish: AgentCartChange,
  { now, cause }: AgentCallContext,
): Promise<{ asked: StoredAgentRequest; quote: Quote }> {
  const keepsAddress = wish.keepsAddress || (known && before && isSentAgain(wish, before, known.cart, now.getTime()))
  const { address, issues } = keepsAddress
    ? { address: 'kept' as const, issues: before?.addressIssues ?? [] }
    : convertPlatformAddress(wish)
  const isKnownList = before !== undefined && JSON.stringify(before.codes) === JSON.stringify(wish.codes)
  const { quote, lineNotes, codeNotes } = await replaceCart(
    tools.carts,
    tools.rootSecret,
    { db: tx, caller, cartId, expectedVersion: undefined, now, cause },
    {
      lines: wish.lines,
      codes: isKnownList ? null : wish.codes,
      address,
      shippingOption: wish.shippingOption,
    },
    known,
  )
  const { codes, buyer, destination, shippingOption, attribution, locale } = wish
  const asked: StoredAgentRequest = {
    codes,
    buyer,
    destination,
    shippingOption,
    attribution,
    locale,
    lineNotes,
    codeNotes: codeNotes ?? before?.codeNotes ?? [],
    addressIssues: issues,
    addressToken: keepsAddress ? (before?.addressToken ?? null) : (quote.cart.address?.token ?? null),
  }
  return { asked, quote }
}

// Whether the request repeats the address of the cart. It is compared with the last request, without decrypting the address.
function isSentAgain(wish: AgentCartChange, before: StoredAgentRequest, { address }: CartRow, now: number): boolean {
  if (!before.destination || !address || address.token !== before.addressToken || address.expiresAt <= now) return false
  const textOf = ({ destination, buyer }: Pick<StoredAgentRequest, 'destination' | 'buyer'>) =>
    JSON.stringify([destination, buyerFullName(buyer)])
  return textOf(wish) === textOf(before)
}

interface LockedCart {
  row: AgentCheckoutRow
  lines: readonly PresentAgentLine[]
  asked: StoredAgentRequest | undefined
}

// Refuses if the cart does not exist, belongs to another platform or is no longer open.
async function lockAgentCart(
  tools: PayTools,
  tx: Tx,
  caller: AgentCaller,
  cartId: string,
  now: Date,
): Promise<LockedCart> {
  const ask = { db: tx, caller, cartId, expectedVersion: undefined, now, cause: null }
  const facts = await lockCartFacts(tools.carts, ask)
  const row = await findAgentCheckoutRow(tx, caller.installationId, cartId)
  if (row?.platformId !== caller.platformId || cartStatusAt(facts.cart, now.getTime()) !== 'open')
    throw refuse('cart_not_found')
  return {
    row,
    lines: facts.lines.map(presentLine),
    asked: decryptAgentRequest(tools.rootSecret, cartId, row.askedSealed),
  }
}

export async function replaceAgentCart(
  tools: PayTools,
  tx: Tx,
  caller: AgentCaller,
  { cartId, wanted }: { cartId: string; wanted: (present: PresentAgentCart) => AgentCartRequest },
  moment: AgentCallContext,
): Promise<void> {
  const { row, lines, asked: before } = await lockAgentCart(tools, tx, caller, cartId, moment.now)
  const present = { lines, shippingOption: null, asked: before, hasOwnAddress: false, shownPlace: null }
  const { asked } = await writeWish(tools, tx, caller, { cartId, before }, wanted(present), moment)
  saveAgentCheckout(tx, { ...row, askedSealed: encryptAgentRequest(tools.rootSecret, cartId, asked) })
}

// The platform can no longer find the cart afterwards. The cart itself expires later, like every abandoned cart.
export async function cancelAgentCart(
  tools: PayTools,
  tx: Tx,
  caller: AgentCaller,
  cartId: string,
  { now }: AgentCallContext,
): Promise<void> {
  deleteAgentCheckout(tx, (await lockAgentCart(tools, tx, caller, cartId, now)).row)
}

export interface AgentCart {
  cart: Cart
  asked: StoredAgentRequest | undefined
  promotion: AgentCheckout['promotion']
}

// Returns undefined if the cart does not exist, belongs to another platform or is no longer open.
export async function findAgentCart(
  tools: PayTools,
  db: Reader,
  caller: AgentCaller,
  cartId: string,
  now: number,
): Promise<AgentCart | undefined> {
  const { installationId, platformId } = caller
  const row = await findAgentCheckoutRow(db, installationId, cartId)
  const { pricebooks, pictureUrl } = tools.carts
  const facts = row && (await findCartFacts(db, pricebooks, { installationId, cartId }, now))
  if (!facts || row.platformId !== platformId || cartStatusAt(facts.cart, now) !== 'open') return undefined
  const quote = await quoteCart(db, pricebooks, facts, now)
  return {
    cart: cartView(quote, now, pictureUrl),
    asked: decryptAgentRequest(tools.rootSecret, cartId, row.askedSealed),
    promotion: quote.promotion && { code: quote.promotion.code, name: quote.promotion.name },
  }
}

export interface LocatedCheckout {
  session: SessionRow
  row: AgentCheckoutRow
}

// Returns undefined if the checkout does not exist or belongs to another platform.
export async function findAgentSession(
  db: Reader,
  caller: AgentCaller,
  sessionId: string,
): Promise<LocatedCheckout | undefined> {
  const { installationId, platformId } = caller
  const session = await findSession(db, { installationId, sessionId })
  const row = session && (await findAgentCheckoutRow(db, installationId, session.cartId))
  return session && row?.sessionId === sessionId && row.platformId === platformId ? { session, row } : undefined
}

// `busy`: nothing was changed, because a payment is in progress.
export type ReplacementStatus = 'done' | 'busy'
export type ReplacedCheckout = { located: LocatedCheckout; known: LoadedCheckout } | 'busy'

// Data of a checkout that was just read or written and need not be read again.
export interface LoadedCheckout {
  facts: SessionFacts
  asked?: StoredAgentRequest
  customer?: Customer
}

export async function replaceAgentCheckout(
  tools: PayTools,
  tx: Tx,
  caller: AgentCaller,
  sessionId: string,
  wanted: (present: PresentAgentCart) => AgentCartChange,
  moment: AgentCallContext,
): Promise<ReplacedCheckout> {
  const { session: former, row, cart } = await lockOpen(tx, caller, sessionId, moment.now)
  if (former.status === 'processing') return 'busy'
  const known = await loadCartFacts(tx, tools.carts.pricebooks, cart, moment.now.getTime())
  const before = decryptAgentRequest(tools.rootSecret, row.cartId, row.askedSealed)
  const wish = wanted(presentWish(known, before))
  const stored = contactIn(tools, former, before)
  const contact = wish.keepsContact ? undefined : changedContact(stored, wish.buyer)
  const columns =
    contact && (await customerColumns(tools, tx, former, { customer: contact, now: moment.now.getTime() }))
  const { locale } = wish
  const buyer = { ...columns, ...(locale !== null && { locale }) }
  let session = former
  // A change of the cart also changes its checkout session.
  const refreshSessions = refreshLockedSession({ ...former, ...buyer }, (saved) => {
    session = saved
  })
  const carts = { ...tools.carts, refreshSessions }
  const place = { cartId: row.cartId, before, known }
  const { asked: written, quote } = await writeWish({ ...tools, carts }, tx, caller, place, wish, moment)
  const facts = await sessionFactsFromQuote(tools, tx, session, quote)
  const customer = contact ?? stored
  const isSent = !wish.keepsContact && customer.vatId === undefined
  const asked = { ...written, contactToken: isSent ? contactTokenOf(session.customerSealed) : null }
  const changed = {
    ...row,
    protocol: caller.protocol,
    version: caller.version,
    proof: caller.proof,
    askedSealed: sealedAgain(tools, row, before, asked),
    shownTotal: facts.quote.pricing.totals.total,
  }
  saveAgentCheckout(tx, changed)
  return { located: { session, row: changed }, known: { facts, asked, customer } }
}

// Encrypts what the platform sent, unless it equals what is stored.
function sealedAgain(
  { rootSecret }: PayTools,
  { cartId, askedSealed }: AgentCheckoutRow,
  before: StoredAgentRequest | undefined,
  asked: StoredAgentRequest,
): string {
  const isStored = askedSealed !== null && JSON.stringify(asked) === JSON.stringify(before)
  return isStored ? askedSealed : encryptAgentRequest(rootSecret, cartId, asked)
}

// The present values of a checkout, for a request that changes only some members.
export interface PresentAgentCart {
  // The lines with the requested quantities, even if fewer units or none are available.
  lines: readonly PresentAgentLine[]
  shippingOption: string | null
  asked: StoredAgentRequest | undefined
  // Whether the shopper typed the address on the cart.
  hasOwnAddress: boolean
  // The part of the address that a platform may see. Null if there is no address.
  shownPlace: PlatformAddress | null
}

export interface PresentAgentLine {
  item: string
  quantity: number
  // Code of the SKU; absent for an item that could not be added to the cart.
  code?: string
}

// A change that can keep the present address and contact, because the shopper may have typed others on the page.
export interface AgentCartChange extends AgentCartRequest {
  keepsAddress?: boolean
  keepsContact?: boolean
}

function presentWish(facts: CartFacts, asked: StoredAgentRequest | undefined): PresentAgentCart {
  const { address, shippingOption } = facts.cart
  const hasOwnAddress = address !== null && address.token !== (asked?.addressToken ?? null)
  const lines = askedLines(facts.lines.map(presentLine), asked?.lineNotes ?? [])
  return { lines, shippingOption, asked, hasOwnAddress, shownPlace: address && withoutPreciseAddress(address) }
}

function presentLine({
  offer,
  quantity,
}: {
  offer: { skuId: string; code: string }
  quantity: number
}): PresentAgentLine {
  return { item: offer.skuId, quantity, code: offer.code }
}

// Leaves out everything more precise than the city: the shopper typed the address on the page, and the platform must not see it.
export function withoutPreciseAddress({ city, region, country }: NonNullable<AgentCheckout['place']>): PlatformAddress {
  return { ...(city !== '' && { locality: city }), ...(region !== null && { region }), country }
}

// Requests lines again whose quantity was reduced or that were left out. Their messages stay until the platform sends a request without
// them.
function askedLines(there: readonly PresentAgentLine[], notes: readonly LineNote[]): PresentAgentLine[] {
  const cut = new Map(notes.flatMap((note) => (note.kind === 'adjusted' ? [[note.skuId, note] as const] : [])))
  return [
    ...there.map((line) => {
      const note = cut.get(line.item)
      return note?.got === line.quantity ? { ...line, quantity: note.asked } : line
    }),
    ...notes.flatMap((note) => (note.kind === 'left_out' ? [{ item: note.item, quantity: note.asked ?? 1 }] : [])),
  ]
}

// Changes only the contact. The recorded total stays, because the response to this change shows no total.
export async function saveAgentContact(
  tools: PayTools,
  tx: Tx,
  caller: AgentCaller,
  sessionId: string,
  buyer: AgentBuyer,
  { now }: AgentCallContext,
): Promise<ReplacementStatus> {
  const { session, row } = await lockOpen(tx, caller, sessionId, now)
  if (session.status === 'processing') return 'busy'
  const asked = decryptAgentRequest(tools.rootSecret, row.cartId, row.askedSealed)
  const at = now.getTime()
  const customer = changedContact(customerIn(tools, session), buyer)
  if (customer) {
    const columns = await customerColumns(tools, tx, session, { customer, now: at })
    saveSession(tx, { ...session, ...columns, version: session.version + 1, updatedAt: at })
  }
  if (asked)
    saveAgentCheckout(tx, {
      ...row,
      askedSealed: encryptAgentRequest(tools.rootSecret, row.cartId, { ...asked, buyer }),
    })
  return 'done'
}

async function lockOpen(
  tx: Tx,
  { installationId, platformId }: AgentCaller,
  sessionId: string,
  now: Date,
): Promise<LocatedCheckout & { cart: CartRow }> {
  const [locked, row] = await Promise.all([
    lockSessionWithCart(tx, { installationId, sessionId }),
    findCheckoutOfSessionCart(tx, installationId, sessionId),
  ])
  if (!locked || row?.platformId !== platformId) throw refuse('checkout_session_not_found')
  const { session, cart } = locked
  const status = sessionStatusAt(session, now.getTime())
  if (status !== 'processing' && (session.closedAt !== null || !moveFor(sessionLifecycle, 'change', status)))
    throw refuse('checkout_session_not_open', { current: { status, version: session.version } })
  return { session, row, cart }
}

function customerIn({ rootSecret }: PayTools, { id, customerSealed }: SessionRow): Customer {
  return decryptCustomer(rootSecret, id, customerSealed) ?? noCustomer
}

function contactIn(tools: PayTools, session: SessionRow, asked: StoredAgentRequest | undefined): Customer {
  const { customerSealed } = session
  const isSent = customerSealed !== null && asked?.contactToken === contactTokenOf(customerSealed)
  return isSent ? customerFromBuyer(asked.buyer) : customerIn(tools, session)
}

// Returns undefined if the contact is unchanged.
function changedContact(stored: Customer, buyer: AgentBuyer): Customer | undefined {
  const customer = customerFromBuyer(buyer)
  if (isSameContact(stored, customer)) return undefined
  // The shopper may have entered a VAT number on the page. A platform cannot send one.
  return stored.vatId === undefined ? customer : { ...customer, vatId: stored.vatId }
}

function isSameContact(one: Customer, other: Customer): boolean {
  return one.email === other.email && one.name === other.name && one.phone === other.phone
}

export async function cancelAgentCheckout(
  tools: PayTools,
  tx: Tx,
  caller: AgentCaller,
  sessionId: string,
  { now, cause }: AgentCallContext,
): Promise<ReplacementStatus> {
  const { session } = await lockOpen(tx, caller, sessionId, now)
  if (session.status === 'processing') return 'busy'
  const cancellation = { reason: 'customer_request', note: null, by: 'api' } as const
  await cancelSession(tools, { db: tx, caller, sessionId, expectedVersion: undefined, cancellation, now, cause })
  return 'done'
}

export async function loadAgentCheckout(
  tools: PayTools,
  db: Reader,
  located: LocatedCheckout,
  now: number,
  known?: LoadedCheckout,
): Promise<AgentCheckout> {
  const { session, row } = located
  const facts = known?.facts ?? (await loadSessionFacts(tools, db, session, now))
  const asked = known?.asked ?? decryptAgentRequest(tools.rootSecret, row.cartId, row.askedSealed)
  const customer = known?.customer ?? customerIn(tools, session)
  const { cart } = facts.quote
  const isPaying = session.status === 'processing'
  const [payments, { zones }] = await Promise.all([
    isPaying ? listPaymentsOfSession(db, session.installationId, session.id) : [],
    tools.carts.pricebooks.find(db, session.merchantId, cart.seller.catalogVersion),
  ])
  const isServedThere = cart.address === null || isServed(zones, cart.address.country)
  const isWaiting = payments.some(({ status }) => status === 'challenge')
  const seen = {
    asked,
    isServed: isServedThere,
    isWaiting,
    hasEmail: customer.email !== '',
    hasSentContact: asked !== undefined && isSameContact(customerFromBuyer(asked.buyer), customer),
  }
  return buildAgentCheckout(tools, located, facts, seen, now)
}

// Builds the checkout from data that was already read.
export function buildAgentCheckout(
  tools: PayTools,
  { row }: LocatedCheckout,
  facts: SessionFacts,
  seen: Pick<AgentCheckout, 'asked' | 'isServed' | 'isWaiting' | 'hasEmail' | 'hasSentContact'>,
  now: number,
): AgentCheckout {
  const { cart, lines, promotion } = facts.quote
  const { address } = cart
  return {
    ...seen,
    session: renderSession(tools, facts, now),
    needsShipping: needsShipping(lines.map(({ offer }) => offer)),
    hasSentAddress: seen.asked !== undefined && seen.asked.addressToken === (address?.token ?? null),
    place: address && { city: address.city, region: address.region, country: address.country },
    isPriced: facts.quote.isPriced,
    promotion: promotion && { code: promotion.code, name: promotion.name },
    order: facts.order && { id: facts.order.id, number: facts.order.number },
    shownTotal: row.shownTotal,
  }
}

// Records each new total that the platform is shown: a platform never pays more than the last total it was shown.
export async function recordShownTotal(
  tools: PayTools,
  { session, row }: LocatedCheckout,
  total: number,
): Promise<void> {
  if (row.shownTotal === total || session.status !== 'open') return
  await tools.storage.write((tx) => saveShownTotal(tx, row, total))
}
