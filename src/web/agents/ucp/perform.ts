// Performs an operation for an identified caller, for both REST and MCP. A business outcome is answered by a success status and messages;
// an invalid request, or one that changes or pays an ended checkout, throws an `AgentError`.

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
  type AgentCallContext,
  type AgentCaller,
  type AgentCartChange,
  cancelAgentCart,
  cancelAgentCheckout,
  findAgentCart,
  openAgentCart,
  openAgentCheckout,
  openCheckoutOfAgentCart,
  type PresentAgentCart,
  type ReplacedCheckout,
  replaceAgentCart,
  replaceAgentCheckout,
} from '../../../domain/agents/buying.ts'
import { removePlatformTag } from '../../../domain/agents/ids.ts'
import type { AgentShop } from '../../../domain/agents/store.ts'
import type { LineNote } from '../../../domain/carts/replace.ts'
import { withOrigin } from '../../../domain/catalog/answer.ts'
import { buildCategoryTree } from '../../../domain/catalog/question.ts'
import { listCategories, listNamedListings, listPublicDetails } from '../../../domain/catalog/store.ts'
import type { KeyCaller } from '../../../platform/access/identify.ts'
import type { MountedSurface } from '../../../platform/http/surfaces.ts'
import { type IdempotencyClaim, runOnce } from '../../../platform/idempotency/once.ts'
import { lastingBytes } from '../../../platform/kit/bytes.ts'
import { isId } from '../../../platform/kit/ids.ts'
import { AnswerCache } from '../../../platform/kit/lru.ts'
import { Refusal } from '../../../platform/kit/refuse.ts'
import type { Reader, Tx } from '../../../platform/storage/storage.ts'
import { AgentError } from '../error.ts'
import {
  type CheckoutWithStatus,
  completeOnce,
  type PayingParts,
  readChangedCheckout,
  readCheckoutWithStatus,
} from '../paying.ts'
import type { CatalogStanding } from '../standing.ts'
import { type AgentWords, agentWordsFor, lineMessage, shownMessages, type UcpMessage, ucpNotices } from './messages.ts'
import { findOrderDocument } from './orders.ts'
import { detailView, featuredVariant, type Input, ucpProductView } from './product.ts'
import {
  parseUcpLocale,
  type ReadRules,
  readBuyerNetwork,
  readInstrument,
  readUcpRequest,
  type UcpRequestRead,
  UnknownDestination,
} from './read.ts'
import { type FoundPage, type SearchOne, searchEach } from './search.ts'
import { cartDocument, checkoutView, ucpEnvelope, type ViewContext } from './view.ts'

export interface UcpParts extends PayingParts {
  open: MountedSurface
}

export interface UcpCall {
  rowId: UcpRowId
  shop: AgentShop
  caller: AgentCaller
  view: ViewContext
  standing: () => Promise<CatalogStanding>
  // The id in the path, or in the arguments of the tool.
  id: string
  body: unknown
  // Hash of the request's body, or of the argument of the tool that replaces the body. By this hash, a repeated request is recognized.
  digest: string
  key: string | null
  moment: AgentCallContext
}

export interface UcpAnswer {
  status: number
  // The body, as JSON.
  body: string | Buffer
  isReplayed: boolean
}

const answered = (body: object): UcpAnswer => ({ status: 200, body: JSON.stringify(body), isReplayed: false })

// An outcome without a resource. Throwing this error rolls back the writes of the request.
class NoResource extends Error {
  readonly messages: readonly UcpMessage[]
  constructor(messages: readonly UcpMessage[]) {
    super('no resource')
    this.messages = messages
  }
}

export async function performUcp(parts: UcpParts, call: UcpCall): Promise<UcpAnswer> {
  const row: UcpRow = ucpRows[call.rowId]
  try {
    if (!call.view.active.has(row.capability)) throw new NoResource([ucpNotices.incompatible()])
    return await handlers[call.rowId](parts, call)
  } catch (error) {
    if (error instanceof NoResource) return failed(call, error.messages)
    throw asProtocolError(error)
  }
}

// Answers without a resource. If the online store is open, the answer links to it, and the buyer can continue there.
async function failed(call: UcpCall, messages: readonly UcpMessage[]): Promise<UcpAnswer> {
  const { version } = call.view.dialect
  const { storeUrl: url } = await call.standing()
  return answered({
    ucp: { version, status: 'error' },
    messages: shownMessages(messages, wordsOf(call)),
    ...(url !== null && { continue_url: url }),
  })
}

// Uses the language that the request names, otherwise the languages that it accepts.
function wordsOf({ body, view }: UcpCall): AgentWords {
  const { context } = (body ?? {}) as Pick<CartShape, 'context'>
  return agentWordsFor(parseUcpLocale(context?.language), view.accepted)
}

function asProtocolError(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error
  switch (error.code) {
    case 'idempotency_key_reused':
      return new AgentError(409, 'idempotency_conflict', 'This idempotency key was already used with another body.')
    case 'checkout_session_not_open':
      return new AgentError(409, 'checkout_not_open', 'The checkout has ended.')
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
      const { wish, notes } = readWish(call)
      const opened = await openAgentCart(parts.tools, tx, call.caller, wish, call.moment)
      if ('lineNotes' in opened) throw nothingLeft(opened.lineNotes, notes)
      return cartText(parts, tx, call, opened.row.cartId, notes)
    }),
  ucpGetCart: async (parts, call) => {
    const cartId = cartIdOf(parts, call, call.id)
    const body = await parts.tools.storage.read((db) => cartText(parts, db, call, cartId, []))
    return { status: 200, body, isReplayed: false }
  },
  ucpUpdateCart: (parts, call) =>
    change(parts, call, async (tx) => {
      const cartId = cartIdOf(parts, call, call.id)
      const notes: UcpMessage[] = []
      const wanted = wantedBy(call, notes)
      await replaceAgentCart(parts.tools, tx, call.caller, { cartId, wanted }, call.moment).catch(notFound)
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
      const { wish, notes } = readWish(call)
      if ((body.line_items ?? []).length === 0 && body.cart_id === undefined)
        throw new AgentError(400, 'invalid_request', 'A checkout must be opened with line_items or a cart_id.')
      const { tools } = parts
      const opened =
        body.cart_id === undefined
          ? await openAgentCheckout(tools, tx, call.caller, wish, call.moment)
          : await openCheckoutOfAgentCart(
              tools,
              tx,
              call.caller,
              { cartId: cartIdOf(parts, call, body.cart_id), wish },
              call.moment,
            ).catch(notFound)
      if ('lineNotes' in opened) throw nothingLeft(opened.lineNotes, notes)
      return checkoutText(parts, tx, call, opened.sessionId, notes)
    }),
  ucpGetCheckout: getCheckout,
  ucpUpdateCheckout: (parts, call) =>
    change(parts, call, async (tx) => {
      const sessionId = sessionIdOf(parts, call)
      const notes: UcpMessage[] = []
      const replacing = replaceAgentCheckout(
        parts.tools,
        tx,
        call.caller,
        sessionId,
        wantedBy(call, notes),
        call.moment,
      )
      const outcome = await replacing.catch(notFound).catch(unchanged)
      if (outcome === 'busy') return checkoutText(parts, tx, call, sessionId, [ucpNotices.inProgress()])
      return outcome === 'unchanged'
        ? checkoutText(parts, tx, call, sessionId, [ucpNotices.destinationUnknown()])
        : checkoutText(parts, tx, call, sessionId, notes, outcome)
    }),
  ucpCompleteCheckout: completeCheckout,
  ucpCancelCheckout: (parts, call) =>
    change(parts, call, async (tx) => {
      const sessionId = sessionIdOf(parts, call)
      const outcome = await cancelAgentCheckout(parts.tools, tx, call.caller, sessionId, call.moment).catch(notFound)
      return checkoutText(parts, tx, call, sessionId, outcome === 'busy' ? [ucpNotices.inProgress()] : [])
    }),
  ucpGetOrder: getOrder,
}

function rulesOf({ view, shop }: UcpCall): ReadRules {
  return { active: view.active, currency: shop.currency }
}

// Reads what a request asks of a new cart or checkout.
function readWish(call: UcpCall): UcpRequestRead {
  const body = call.body as NewCheckoutShape
  try {
    return readUcpRequest(body, rulesOf(call), undefined)
  } catch (error) {
    if (!(error instanceof UnknownDestination)) throw error
    const { fulfillment: _, ...others } = body
    const { wish, notes } = readUcpRequest(others, rulesOf(call), undefined)
    return { wish, notes: [...notes, ucpNotices.destinationUnknown()] }
  }
}

// Returns the function that computes the change of the current cart. `notes` is filled when that function is called.
function wantedBy(call: UcpCall, notes: UcpMessage[]): (present: PresentAgentCart) => AgentCartChange {
  return (present) => {
    const read = readUcpRequest(call.body as CartShape & CheckoutShape, rulesOf(call), present)
    notes.push(...read.notes)
    return read.wish
  }
}

function unchanged(error: unknown): 'unchanged' {
  if (error instanceof UnknownDestination) return 'unchanged'
  throw error
}

// Without a resource nothing can be corrected, so the message becomes unrecoverable.
function gone(message: UcpMessage | undefined): UcpMessage[] {
  return message ? [{ ...message, type: 'error', severity: 'unrecoverable' }] : []
}

function nothingLeft(lineNotes: readonly LineNote[], notes: readonly UcpMessage[]): NoResource {
  const none = new Map<string, number>()
  const left = lineNotes.flatMap((note) => gone(lineMessage(note, none)))
  return new NoResource([...left, ...notes.filter(({ type }) => type === 'error').flatMap(gone)])
}

function cartIdOf({ tools }: UcpParts, { caller }: UcpCall, id: string): string {
  const found = removePlatformTag(tools.rootSecret, caller.platformId, id)
  if (found === undefined || !isId('cart', found)) throw new NoResource([ucpNotices.notFound()])
  return found
}

async function cartText(
  { tools }: UcpParts,
  db: Reader,
  { caller, view, moment }: UcpCall,
  cartId: string,
  notes: readonly UcpMessage[],
): Promise<string> {
  const found = await findAgentCart(tools, db, caller, cartId, moment.now.getTime())
  if (!found) throw new NoResource([ucpNotices.notFound()])
  return JSON.stringify(cartDocument(found, view, notes))
}

function notFound(error: unknown): never {
  if (error instanceof Refusal && error.code === 'cart_not_found') throw new NoResource([ucpNotices.notFound()])

  if (error instanceof Refusal && error.code === 'checkout_session_not_found')
    throw new NoResource([ucpNotices.notFound()])
  throw error
}

function sessionIdOf({ tools }: UcpParts, { id, caller }: UcpCall): string {
  const found = removePlatformTag(tools.rootSecret, caller.platformId, id)
  if (found === undefined || !isId('cks', found)) throw new NoResource([ucpNotices.notFound()])
  return found
}

// Makes the change and renders the checkout in the same transaction. With an idempotency key, the change is made once.
async function change(
  { tools, sealedKeeper, answersMs }: UcpParts,
  call: UcpCall,
  work: (tx: Tx) => Promise<string>,
): Promise<UcpAnswer> {
  const { status } = ucpRows[call.rowId]
  if (call.key === null) return { status, body: await tools.storage.write(work), isReplayed: false }
  const { text, replayed } = await runOnce(tools.storage, { ...claimOf(call), keptMs: answersMs }, work, sealedKeeper)
  return { status, body: text, isReplayed: replayed }
}

function claimOf({ caller, key, digest, rowId, id, moment }: UcpCall): IdempotencyClaim {
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
  notes: readonly UcpMessage[],
  replaced?: Exclude<ReplacedCheckout, 'busy'>,
): Promise<string> {
  const seen = await readChangedCheckout(tools, tx, { caller, sessionId, rules: view }, notes, moment.now, replaced)
  return JSON.stringify(checkoutView(seen, view))
}

async function getCheckout(parts: UcpParts, call: UcpCall): Promise<UcpAnswer> {
  const { caller, view } = call
  const sessionId = sessionIdOf(parts, call)
  const seen = await readCheckoutWithStatus(parts.tools, { caller, sessionId, rules: view }).catch(notFound)
  return answered(checkoutView(seen, view))
}

async function completeCheckout(parts: UcpParts, call: UcpCall): Promise<UcpAnswer> {
  const { caller, view, moment, key } = call
  const body = call.body as CheckoutCompleteShape
  const completion = {
    caller,
    sessionId: sessionIdOf(parts, call),
    rules: view,
    claim: claimOf(call),
    attempt: key ?? '',
    instrument: readInstrument(body, view.dialect.version),
    network: readBuyerNetwork(body.signals),
    cause: moment.cause,
    render: (seen: CheckoutWithStatus) => checkoutView(seen, view),
  }
  const { text, isReplayed } = await completeOnce(parts, completion).catch(notFound)
  return { status: 200, body: text, isReplayed }
}

async function getOrder(parts: UcpParts, call: UcpCall): Promise<UcpAnswer> {
  const { tools } = parts
  if (!call.view.mayReadOrders) throw new NoResource([ucpNotices.ordersNeedProof()])
  const { installationId, platformId } = call.caller
  const orderId = removePlatformTag(tools.rootSecret, platformId, call.id)
  const document = await tools.storage.read(async (db) =>
    orderId !== undefined && isId('ord', orderId)
      ? findOrderDocument(tools, db, { installationId, orderId }, call.view)
      : undefined,
  )
  if (!document) throw new NoResource([ucpNotices.notFound()])
  return answered(document)
}

// A platform may read what any API key of the shop may read of the catalog.
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

// A cached answer with fifty products has 100 KB.
const searchesBytesMax = 8 * 2 ** 20
const searches = new AnswerCache<Buffer>(searchesBytesMax, ({ length }) => length)

// Answers are cached until the catalog changes, or the URL of the online store, which they contain. As in the lists of the catalog, a
// change of stock is shown once the background job has rendered the product again. The key includes the platform because the link to the
// next page depends on it.
async function searchCatalog(parts: UcpParts, call: UcpCall): Promise<UcpAnswer> {
  const { shop, caller, view, digest } = call
  const standing = await call.standing()
  const { version, locale, storeUrl } = standing
  const made = [parts.tools.publicOrigin(), version, locale, storeUrl].join(' ')
  const key = `${shop.installationId} ${caller.platformId} ${digest} ${view.dialect.version} ${[...view.active]} ${made}`
  const known = searches.get(key)
  if (known !== undefined) return { status: 200, body: known, isReplayed: false }
  const body = lastingBytes(JSON.stringify(await searchNow(parts, call, standing)))
  searches.set(key, body)
  return { status: 200, body, isReplayed: false }
}

async function searchNow(parts: UcpParts, call: UcpCall, { storeUrl }: CatalogStanding): Promise<object> {
  const { query, filters = {}, pagination = {} } = call.body as SearchShape
  const { min, max } = filters.price ?? {}
  const asked = {
    ...(query !== undefined && query.trim() !== '' && { q: query }),
    ...(min !== undefined && { minPrice: min }),
    ...(max !== undefined && { maxPrice: max }),
  }
  const { cursor } = pagination
  const limit = Math.min(pagination.limit ?? 10, searchRowsMax)
  const named = filters.categories ?? []
  if (named.length === 0 && Object.keys(asked).length === 0)
    throw new AgentError(400, 'invalid_request', 'A search must have a query, a category or a price.')
  const searchOne = ({ category, cursor, limit }: { category?: string; cursor: string | undefined; limit: number }) =>
    searchPage(parts, call, { ...asked, ...(category !== undefined && { category }), limit }, cursor)
  const found =
    named.length === 0
      ? await searchOne({ cursor, limit })
      : await searchCategories(parts, call, named, { cursor, limit, searchOne })
  const slugs = found.rows.map(({ slug }) => slug)
  const products = await listedProducts(parts, call, slugs)
  return {
    ucp: ucpEnvelope(call.view),
    products: products.map((product) => ucpProductView(product, { url: pageOf(product, storeUrl) })),
    pagination: {
      has_next_page: found.next !== null,
      ...(found.next !== null && { cursor: found.next }),
      ...(found.total !== null && { total_count: found.total }),
    },
  }
}

async function searchPage(
  parts: UcpParts,
  call: UcpCall,
  query: Readonly<Record<string, unknown>>,
  cursor: string | undefined,
): Promise<FoundPage<ProductSummary>> {
  const found = await askCatalog<{ data: ProductSummary[]; meta: { next: string | null; total: number | null } }>(
    parts,
    'searchCatalogProducts',
    { principal: readerOf(call), query, ...(cursor !== undefined && { cursor }) },
  )
  if (!found) return { rows: [], next: null, total: 0 }
  const { next, total } = found.meta
  return {
    rows: found.data,
    next: next === null ? null : new URL(next, 'http://localhost').searchParams.get('cursor'),
    total,
  }
}

// Categories are named by slug or name. An unknown category has no products.
async function searchCategories(
  { tools }: UcpParts,
  { shop }: UcpCall,
  named: readonly string[],
  page: { cursor: string | undefined; limit: number; searchOne: SearchOne<ProductSummary> },
): Promise<FoundPage<ProductSummary>> {
  const tree = buildCategoryTree(await tools.storage.read((db) => listCategories(db, shop.merchantId)))
  const bySlug = new Map(tree.inOrder.map(({ slug }) => [slug, slug]))
  const byName = new Map(tree.inOrder.map(({ slug, name }) => [name.toLowerCase(), slug]))
  const slugs = named.flatMap((text) => {
    const word = text.trim().toLowerCase()
    return bySlug.get(word) ?? byName.get(word) ?? bySlug.get(word.replaceAll(/\s+/g, '-')) ?? []
  })
  const [first, ...others] = new Set(slugs)
  if (first === undefined) return { rows: [], next: null, total: 0 }
  const { cursor, limit, searchOne } = page
  if (others.length === 0) return searchOne({ category: first, cursor, limit })
  return searchEach([first, ...others], { ...page, familyOf: (slug) => tree.families.get(slug) ?? [] })
}

async function lookUpCatalog(parts: UcpParts, call: UcpCall): Promise<UcpAnswer> {
  const ids = [...new Set((call.body as LookupShape).ids)]
  if (ids.length > lookedUpMax)
    throw new AgentError(400, 'request_too_large', `A lookup must have at most ${lookedUpMax} ids.`)
  const named = await parts.tools.storage.read((db) => listNamedListings(db, call.shop, ids))
  const products = await currentProducts(parts, call, [...new Set(named.map(({ slug }) => slug))])
  const { storeUrl } = await call.standing()
  const found = new Set(named.map(({ word }) => word))
  const messages = ids.flatMap((id) => (found.has(id) ? [] : [ucpNotices.unknownId(id)]))
  return answered({
    ucp: ucpEnvelope(call.view),
    products: products.map((product) => {
      const inputs = inputsOf(
        product,
        named.filter(({ productId }) => productId === product.id),
      )
      return ucpProductView(product, { url: pageOf(product, storeUrl), inputs })
    }),
    ...(messages.length > 0 && { messages: shownMessages(messages, wordsOf(call)) }),
  })
}

// For a product that was requested by its own id, the featured variant is returned.
function inputsOf(
  { skus }: Product,
  named: readonly { skuId: string | null; word: string }[],
): ReadonlyMap<string, Input[]> {
  const featured = featuredVariant(skus)
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
  const [product] = named ? await currentProducts(parts, call, [named.slug]) : []
  if (!product) throw new NoResource([ucpNotices.notFound()])
  const sku = product.skus.find(({ id }) => id === named?.skuId)
  // If the request names a variant, that variant's options override the request's selection.
  const selected = sku?.options.map(({ name, value }) => ({ name, label: value })) ?? body.selected ?? []
  const asked = { selected, ...(body.preferences && { preferences: body.preferences }) }
  const shown = detailView(product, asked, { url: pageOf(product, (await call.standing()).storeUrl) })
  return answered({ ucp: ucpEnvelope(call.view), product: shown })
}

// Returns products as last rendered, in the order of the slugs.
async function listedProducts({ tools }: UcpParts, { shop }: UcpCall, slugs: readonly string[]): Promise<Product[]> {
  const rows = await tools.storage.read((db) => listPublicDetails(db, shop, slugs))
  const textOf = new Map(rows.map(({ slug, publicDetail }) => [slug, publicDetail]))
  return slugs.flatMap((slug) => {
    const text = textOf.get(slug)
    return text === undefined ? [] : [(JSON.parse(withOrigin(text, tools.publicOrigin())) as { data: Product }).data]
  })
}

// Returns current products, including the latest change of their stock.
async function currentProducts(parts: UcpParts, call: UcpCall, slugs: readonly string[]): Promise<Product[]> {
  const principal = readerOf(call)
  const found = await Promise.all(
    slugs.map((slug) => askCatalog<{ data: Product }>(parts, 'getApiKeyCatalogProduct', { principal, path: { slug } })),
  )
  return found.flatMap((product) => (product ? [product.data] : []))
}

// Returns undefined if the product was removed meanwhile, or if the category does not exist.
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

// Returns the URL of a product's page in the online store, or undefined if the store is closed.
function pageOf({ slug }: Product, storeUrl: string | null): string | undefined {
  return storeUrl === null ? undefined : `${storeUrl}/products/${slug}`
}
