// Performs a row for a caller that is known: the same for REST and MCP. Everything that is a business outcome is answered by 200 and
// messages; what is wrong with the request itself is thrown as a `UcpError`.

import { hash } from 'node:crypto'
import { type UcpRow, type UcpRowId, ucpRows } from '../../../contract/agents/rows.ts'
import type {
  CartShape,
  CheckoutCompleteShape,
  CheckoutShape,
  LookupShape,
  NewCheckoutShape,
  ProductShape,
  SearchShape,
} from '../../../contract/agents/shapes.ts'
import type { Product, ProductSummary } from '../../../contract/open/catalog.ts'
import {
  type AgentCaller,
  type AgentMoment,
  cancelAgentCart,
  cancelCheckout,
  findAgentCart,
  findAgentSession,
  noteProof,
  noteShownTotal,
  openCart,
  openCheckout,
  openCheckoutOfCart,
  type PaymentAnswer,
  payCheckout,
  replaceAgentCart,
  replaceCheckout,
  showCheckout,
} from '../../../domain/agents/buying.ts'
import { untaggedId } from '../../../domain/agents/ids.ts'
import type { AgentShop } from '../../../domain/agents/store.ts'
import type { LineNote } from '../../../domain/carts/replace.ts'
import { listNamedListings } from '../../../domain/catalog/store.ts'
import type { PayTools } from '../../../domain/checkout/tools.ts'
import { findShopUrl, type SiteContext, siteStatusOf } from '../../../domain/sites/site.ts'
import { findStoredSite } from '../../../domain/sites/store.ts'
import type { KeyCaller } from '../../../platform/access/identify.ts'
import type { MountedSurface } from '../../../platform/http/surfaces.ts'
import { type Claim, type Keeper, once } from '../../../platform/idempotency/once.ts'
import { isId } from '../../../platform/kit/ids.ts'
import { Refusal } from '../../../platform/kit/refuse.ts'
import type { Reader, Tx } from '../../../platform/storage/storage.ts'
import { lineMessage, type Message, notice } from './messages.ts'
import { findOrderDocument } from './orders.ts'
import { detailView, type Input, ucpProductView } from './product.ts'
import { instrumentIn, networkIn, wishIn } from './read.ts'
import { cartDocument, checkoutView, envelopeOf, type ViewContext } from './view.ts'

export interface UcpParts {
  tools: PayTools
  open: MountedSurface
  sealedKeeper: Keeper
  answersMs: number
  sites: SiteContext
}

export interface UcpCall {
  rowId: UcpRowId
  shop: AgentShop
  caller: AgentCaller
  view: ViewContext
  // Of the path, or the argument of the tool.
  id: string
  body: unknown
  // The bytes that were sent, hashed: what makes two requests the same.
  digest: string
  key: string | null
  moment: AgentMoment
}

export interface UcpAnswer {
  status: number
  body: object
  isReplayed: boolean
}

// What is wrong with a request: its status, and a code and a sentence for people who write clients.
export class UcpError extends Error {
  readonly status: number
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  readonly issues: readonly object[]
  constructor(
    status: number,
    code: string,
    content: string,
    { headers = {}, issues = [] }: { headers?: Readonly<Record<string, string>>; issues?: readonly object[] } = {},
  ) {
    super(content)
    this.status = status
    this.code = code
    this.headers = headers
    this.issues = issues
  }
}

// An outcome without a resource. What was written is taken back with it.
class NoResource extends Error {
  readonly messages: readonly Message[]
  constructor(messages: readonly Message[]) {
    super('no resource')
    this.messages = messages
  }
}

export async function performUcp(parts: UcpParts, call: UcpCall): Promise<UcpAnswer> {
  const row: UcpRow = ucpRows[call.rowId]
  try {
    if (!call.view.active.has(row.capability)) throw new NoResource([notice.incompatible()])
    return await handlers[call.rowId](parts, call)
  } catch (error) {
    if (error instanceof NoResource) return failed(call, error.messages)
    throw asUcpError(error)
  }
}

function failed({ view }: UcpCall, messages: readonly Message[]): UcpAnswer {
  const body = { ucp: { version: view.dialect.version, status: 'error' }, messages }
  return { status: 200, body, isReplayed: false }
}

function asUcpError(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  switch (error.code) {
    case 'idempotency_key_reused':
      return new UcpError(409, 'idempotency_conflict', 'This idempotency key was used with another body.')
    case 'checkout_session_not_open':
      return new UcpError(409, 'checkout_not_open', 'The checkout has ended.')
    default:
      return error
  }
}

type Handle = (parts: UcpParts, call: UcpCall) => Promise<UcpAnswer>

const handlers: Readonly<Record<UcpRowId, Handle>> = {
  ucpSearchCatalog: searchCatalog,
  ucpLookupCatalog: lookUpCatalog,
  ucpGetProduct: getProduct,
  ucpCreateCart: (parts, call) =>
    change(parts, call, async (tx) => {
      const { wish, notes } = wishIn(call.body as CartShape, call.view.active, call.shop.currency)
      const opened = await openCart(parts.tools, tx, call.caller, wish, call.moment)
      if ('lineNotes' in opened) throw nothingLeft(opened.lineNotes)
      return cartText(parts, tx, call, opened.row.cartId, notes)
    }),
  ucpGetCart: async (parts, call) => {
    const cartId = cartIdOf(parts, call, call.id)
    const text = await parts.tools.storage.read((db) => cartText(parts, db, call, cartId, []))
    return { status: 200, body: JSON.parse(text), isReplayed: false }
  },
  ucpUpdateCart: (parts, call) =>
    change(parts, call, async (tx) => {
      const cartId = cartIdOf(parts, call, call.id)
      const { wish, notes } = wishIn(call.body as CartShape, call.view.active, call.shop.currency)
      await replaceAgentCart(parts.tools, tx, call.caller, { cartId, wish }, call.moment).catch(notFound)
      return cartText(parts, tx, call, cartId, notes)
    }),
  ucpCancelCart: (parts, call) =>
    change(parts, call, async (tx) => {
      const cartId = cartIdOf(parts, call, call.id)
      const text = await cartText(parts, tx, call, cartId, [])
      await cancelAgentCart(parts.tools, tx, call.caller, cartId, call.moment).catch(notFound)
      return text
    }),
  ucpCreateCheckout: (parts, call) =>
    change(parts, call, async (tx) => {
      const body = call.body as NewCheckoutShape
      const { wish, notes } = wishIn(body, call.view.active, call.shop.currency)
      if (wish.lines.length === 0 && body.cart_id === undefined)
        throw new UcpError(400, 'invalid_request', 'A checkout is opened with line_items or a cart_id.')
      const { tools } = parts
      const opened =
        body.cart_id === undefined
          ? await openCheckout(tools, tx, call.caller, wish, call.moment)
          : await openCheckoutOfCart(
              tools,
              tx,
              call.caller,
              { cartId: cartIdOf(parts, call, body.cart_id), wish },
              call.moment,
            ).catch(notFound)
      if ('lineNotes' in opened) throw nothingLeft(opened.lineNotes)
      return checkoutText(parts, tx, call, opened.sessionId, notes)
    }),
  ucpGetCheckout: getCheckout,
  ucpUpdateCheckout: (parts, call) =>
    change(parts, call, async (tx) => {
      const sessionId = sessionIdOf(parts, call)
      const { wish, notes } = wishIn(call.body as CheckoutShape, call.view.active, call.shop.currency)
      const outcome = await replaceCheckout(parts.tools, tx, call.caller, sessionId, wish, call.moment).catch(notFound)
      return checkoutText(parts, tx, call, sessionId, outcome === 'busy' ? [notice.inProgress()] : notes)
    }),
  ucpCompleteCheckout: completeCheckout,
  ucpCancelCheckout: (parts, call) =>
    change(parts, call, async (tx) => {
      const sessionId = sessionIdOf(parts, call)
      const outcome = await cancelCheckout(parts.tools, tx, call.caller, sessionId, call.moment).catch(notFound)
      return checkoutText(parts, tx, call, sessionId, outcome === 'busy' ? [notice.inProgress()] : [])
    }),
  ucpGetOrder: getOrder,
}

// Without a resource there is nothing that could be mended.
function gone(message: Message | undefined): Message[] {
  return message ? [{ ...message, type: 'error', severity: 'unrecoverable' }] : []
}

function nothingLeft(notes: readonly LineNote[]): NoResource {
  const none = new Map<string, number>()
  return new NoResource(notes.flatMap((note) => gone(lineMessage(note, none))))
}

function cartIdOf({ tools }: UcpParts, { caller }: UcpCall, id: string): string {
  const found = untaggedId(tools.rootSecret, caller.platformId, id)
  if (found === undefined || !isId('cart', found)) throw new NoResource([notice.notFound('cart')])
  return found
}

async function cartText(
  { tools }: UcpParts,
  db: Reader,
  { caller, view, moment }: UcpCall,
  cartId: string,
  notes: readonly Message[],
): Promise<string> {
  const found = await findAgentCart(tools, db, caller, cartId, moment.now.getTime())
  if (!found) throw new NoResource([notice.notFound('cart')])
  return JSON.stringify(cartDocument(found, view, notes))
}

function notFound(error: unknown): never {
  if (error instanceof Refusal && error.code === 'cart_not_found') throw new NoResource([notice.notFound('cart')])

  if (error instanceof Refusal && error.code === 'checkout_session_not_found')
    throw new NoResource([notice.notFound('checkout')])
  throw error
}

function sessionIdOf({ tools }: UcpParts, { id, caller }: UcpCall): string {
  const found = untaggedId(tools.rootSecret, caller.platformId, id)
  if (found === undefined || !isId('cks', found)) throw new NoResource([notice.notFound('checkout')])
  return found
}

// Writes, and answers with the checkout in the same transaction. With a key, once.
async function change(
  { tools, sealedKeeper, answersMs }: UcpParts,
  call: UcpCall,
  work: (tx: Tx) => Promise<string>,
): Promise<UcpAnswer> {
  const { status } = ucpRows[call.rowId]
  if (call.key === null) return { status, body: JSON.parse(await tools.storage.write(work)), isReplayed: false }
  const { text, replayed } = await once(tools.storage, { ...claimOf(call), keptMs: answersMs }, work, sealedKeeper)
  return { status, body: JSON.parse(text), isReplayed: replayed }
}

function claimOf({ caller, key, digest, rowId, id, moment }: UcpCall): Claim {
  const fingerprint = hash('sha256', `${rowId} ${id} ${digest}`, 'base64url')
  return {
    claimant: `${caller.installationId} ${caller.platformId}`,
    key: key ?? '',
    fingerprint,
    now: moment.now.getTime(),
  }
}

async function checkoutText(
  { tools }: UcpParts,
  tx: Tx,
  { caller, view, moment }: UcpCall,
  sessionId: string,
  notes: readonly Message[],
): Promise<string> {
  const located = await findAgentSession(tx, caller, sessionId)
  if (!located) throw new Error(`checkout ${sessionId} is gone in the transaction that changed it`)
  return JSON.stringify(checkoutView(await showCheckout(tools, tx, located, moment.now.getTime()), view, notes))
}

async function getCheckout(parts: UcpParts, call: UcpCall, notes: readonly Message[] = []): Promise<UcpAnswer> {
  const { tools } = parts
  const sessionId = sessionIdOf(parts, call)
  const now = tools.clock().getTime()
  const seen = await tools.storage.read(async (db) => {
    const located = await findAgentSession(db, call.caller, sessionId)
    return located && { located, checkout: await showCheckout(tools, db, located, now) }
  })
  if (!seen) throw new NoResource([notice.notFound('checkout')])
  await noteShownTotal(tools, seen.located, seen.checkout.session.totals.total)
  return { status: 200, body: checkoutView(seen.checkout, call.view, notes), isReplayed: false }
}

// The body is claimed first, in a transaction of its own: a payment cannot be part of one. The payment follows from checkout and key, so
// a repetition finds it, also where the first request never came to an end. The answer is kept once it is final.
async function completeCheckout(parts: UcpParts, call: UcpCall): Promise<UcpAnswer> {
  const { tools, sealedKeeper, answersMs } = parts
  const sessionId = sessionIdOf(parts, call)
  const located = await tools.storage.read((db) => findAgentSession(db, call.caller, sessionId))
  if (!located) throw new NoResource([notice.notFound('checkout')])
  const claim = { ...claimOf(call), keptMs: answersMs }
  const begun = { ...claim, key: `begun ${claim.key}` }
  const { replayed } = await once(tools.storage, begun, async () => '{}')
  const answer = await payAndShow(parts, call, located, replayed)
  if (!isFinal(answer.body)) return answer
  const kept = await once(tools.storage, claim, async () => JSON.stringify(answer.body), sealedKeeper)
  return { status: 200, body: JSON.parse(kept.text), isReplayed: kept.replayed }
}

async function payAndShow(
  parts: UcpParts,
  call: UcpCall,
  located: NonNullable<Awaited<ReturnType<typeof findAgentSession>>>,
  isRepeated: boolean,
): Promise<UcpAnswer> {
  const { tools } = parts
  const { session } = located
  const body = call.body as CheckoutCompleteShape
  if (session.status === 'processing') return getCheckout(parts, call, isRepeated ? [] : [notice.inProgress()])
  if (session.status !== 'open') {
    if (isRepeated && session.status === 'completed') return getCheckout(parts, call)
    throw new UcpError(409, 'checkout_not_open', 'The checkout has ended.')
  }
  const before = await getCheckout(parts, call)
  if (statusIn(before.body) !== 'ready_for_complete') return before
  const instrument = instrumentIn(body)
  if (!instrument) return getCheckout(parts, call, [notice.noInstrument()])
  const { handlerId, credential, place } = instrument
  await noteProof(tools, located, call.caller.proof)
  const network = networkIn(body.signals)
  const payment = { handlerId, credential, attempt: call.key ?? '', ...(network !== undefined && { network }) }
  const problem = await payCheckout(tools, located, payment, call.moment.cause)
  if (problem) return getCheckout(parts, call, problemMessages(problem, place))
  const after = await tools.storage.read((db) => findAgentSession(db, call.caller, session.id))
  const failure = after?.session.status === 'open' ? after.session.lastPaymentError : null
  return getCheckout(parts, call, failure ? [notice.declined(failure.message)] : [])
}

function problemMessages(problem: NonNullable<PaymentAnswer>, place: number): Message[] {
  switch (problem.code) {
    case 'credential_refused':
    case 'invalid':
      return [notice.credentialRefused(place)]
    case 'consent_needed':
      return [notice.consent()]
    case 'total_changed':
      return [notice.totalChanged()]
    case 'too_many_tries':
      return [notice.tooManyTries(Math.ceil(problem.waitMs / 1_000))]
    case 'insufficient_stock':
    case 'item_unavailable':
    case 'quantity_limit':
      return [notice.soldOut()]
    case 'promotion_rejected':
      return [notice.codeUsed()]
    case 'payment_in_progress':
      return [notice.inProgress()]
    default:
      return [notice.changedMeanwhile()]
  }
}

const statusIn = (body: object) => (body as { status?: string }).status

// Completed, or declined.
function isFinal(body: object): boolean {
  const { messages = [] } = body as { messages?: readonly Message[] }
  return statusIn(body) === 'completed' || messages.some(({ code }) => code === 'payment_failed')
}

async function getOrder(parts: UcpParts, call: UcpCall): Promise<UcpAnswer> {
  const { tools } = parts
  if (!call.view.mayReadOrders) throw new NoResource([notice.ordersNeedProof()])
  const { installationId, platformId } = call.caller
  const orderId = untaggedId(tools.rootSecret, platformId, call.id)
  const document = await tools.storage.read(async (db) =>
    orderId !== undefined && isId('ord', orderId)
      ? findOrderDocument(tools, db, { installationId, orderId }, call.view)
      : undefined,
  )
  if (!document) throw new NoResource([notice.notFound('order')])
  return { status: 200, body: document, isReplayed: false }
}

// The catalog is asked like by any key of the shop.
function readerOf({ shop, caller }: UcpCall): KeyCaller {
  const { merchantId, mode, slug, installationId } = shop
  const { platformId } = caller
  return {
    kind: 'key',
    id: platformId,
    merchantId,
    installationId,
    merchantSlug: slug,
    mode,
    claimant: `${installationId} ${platformId}`,
    throttleKey: platformId,
    scopes: ['catalog:read'],
  }
}

const searchRowsMax = 50
const lookedUpMax = 50

async function searchCatalog(parts: UcpParts, call: UcpCall): Promise<UcpAnswer> {
  const { query, filters = {}, pagination = {} } = call.body as SearchShape
  const [category] = filters.categories ?? []
  const { min, max } = filters.price ?? {}
  const asked = {
    ...(query !== undefined && query.trim() !== '' && { q: query }),
    ...(category !== undefined && { category: category.trim().toLowerCase().replaceAll(/\s+/g, '-') }),
    ...(min !== undefined && { minPrice: min }),
    ...(max !== undefined && { maxPrice: max }),
  }
  if (Object.keys(asked).length === 0)
    throw new UcpError(400, 'invalid_request', 'Search by a query, a category or a price.')
  const limit = Math.min(pagination.limit ?? 10, searchRowsMax)
  const found = await askCatalog<{ data: ProductSummary[]; meta: { next: string | null; total: number | null } }>(
    parts,
    'searchCatalogProducts',
    {
      principal: readerOf(call),
      query: { ...asked, limit },
      ...(pagination.cursor !== undefined && { cursor: pagination.cursor }),
    },
  )
  const { next, total } = found?.meta ?? { next: null, total: 0 }
  const cursor = next === null ? null : new URL(next, 'http://localhost').searchParams.get('cursor')
  const products = await productsOf(
    parts,
    call,
    (found?.data ?? []).map(({ slug }) => slug),
  )
  const pageOf = await pagesOf(parts, call)
  return {
    status: 200,
    isReplayed: false,
    body: {
      ucp: envelopeOf(call.view),
      products: products.map((product) => ucpProductView(product, { url: pageOf(product) })),
      pagination: {
        has_next_page: cursor !== null,
        ...(cursor !== null && { cursor }),
        ...(total !== null && { total_count: total }),
      },
    },
  }
}

async function lookUpCatalog(parts: UcpParts, call: UcpCall): Promise<UcpAnswer> {
  const ids = [...new Set((call.body as LookupShape).ids)]
  if (ids.length > lookedUpMax)
    throw new UcpError(400, 'request_too_large', `At most ${lookedUpMax} ids are looked up.`)
  const named = await parts.tools.storage.read((db) => listNamedListings(db, call.shop, ids))
  const products = await productsOf(parts, call, [...new Set(named.map(({ slug }) => slug))])
  const pageOf = await pagesOf(parts, call)
  const found = new Set(named.map(({ word }) => word))
  const messages = ids.flatMap((id) =>
    found.has(id) ? [] : [{ type: 'info', code: 'not_found', content: `There is no ${id}.` }],
  )
  return {
    status: 200,
    isReplayed: false,
    body: {
      ucp: envelopeOf(call.view),
      products: products.map((product) => {
        const inputs = inputsOf(
          product,
          named.filter(({ productId }) => productId === product.id),
        )
        return ucpProductView(product, { url: pageOf(product), inputs })
      }),
      ...(messages.length > 0 && { messages }),
    },
  }
}

// A product that was asked for as a whole is answered with its first variant.
function inputsOf(
  { skus }: Product,
  named: readonly { skuId: string | null; word: string }[],
): ReadonlyMap<string, Input[]> {
  const featured = skus.find(({ availability }) => availability !== 'out_of_stock') ?? skus[0]
  const inputs = new Map<string, Input[]>()
  for (const { skuId, word } of named) {
    const id = skuId ?? featured?.id ?? ''
    inputs.set(id, [...(inputs.get(id) ?? []), { id: word, match: skuId === null ? 'featured' : 'exact' }])
  }
  return inputs
}

async function getProduct(parts: UcpParts, call: UcpCall): Promise<UcpAnswer> {
  const body = call.body as ProductShape
  const [named] = await parts.tools.storage.read((db) => listNamedListings(db, call.shop, [body.id]))
  const [product] = named ? await productsOf(parts, call, [named.slug]) : []
  if (!product) throw new NoResource([notice.notFound('product')])
  const sku = product.skus.find(({ id }) => id === named?.skuId)
  const selected = body.selected ?? sku?.options.map(({ name, value }) => ({ name, label: value })) ?? []
  const asked = { selected, ...(body.preferences && { preferences: body.preferences }) }
  const shown = detailView(product, asked, { url: (await pagesOf(parts, call))(product) })
  return { status: 200, body: { ucp: envelopeOf(call.view), product: shown }, isReplayed: false }
}

async function productsOf(parts: UcpParts, call: UcpCall, slugs: readonly string[]): Promise<Product[]> {
  const principal = readerOf(call)
  const found = await Promise.all(
    slugs.map((slug) => askCatalog<{ data: Product }>(parts, 'getApiKeyCatalogProduct', { principal, path: { slug } })),
  )
  return found.flatMap((product) => (product ? [product.data] : []))
}

// Undefined where it is gone since it was listed, or the category is not there.
async function askCatalog<Reply>(
  { open }: UcpParts,
  id: string,
  asked: Parameters<MountedSurface['perform']>[1],
): Promise<Reply | undefined> {
  try {
    const { body } = await open.perform(id, asked)
    return JSON.parse(String(body)) as Reply
  } catch (error) {
    if (error instanceof Refusal && (error.code === 'product_not_found' || error.code === 'category_not_found'))
      return undefined
    throw error
  }
}

// The page of a product in the online store, while that is open.
async function pagesOf(
  { tools, sites }: UcpParts,
  { shop }: UcpCall,
): Promise<(product: Product) => string | undefined> {
  const url = await tools.storage.read(async (db) => {
    const isOpen = siteStatusOf(await findStoredSite(db, shop)) === 'open'
    return isOpen ? findShopUrl(db, sites, shop) : null
  })
  return ({ slug }) => (url === null ? undefined : `${url}/products/${slug}`)
}
