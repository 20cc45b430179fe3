// A request for each operation of the open surface that takes a key, or nothing.

import { randomUUID } from 'node:crypto'
import { type OpenInterfaceOperation, type OperationId, operations } from '../src/contract/open/operations.ts'
import { pageRowOf } from '../src/domain/sites/pages.ts'
import { findPage, insertPage } from '../src/domain/sites/pagestore.ts'
import { decryptUserEmail, isMailOn, setMailSwitch } from '../src/platform/outbox/emails.ts'
import { berlin } from './carts.ts'
import { checkoutOf } from './checkout.ts'
import { type TestServer, testSecret } from './testServer.ts'
import { webhooksOf } from './webhooks.ts'

export const unknownCart = 'cart_01h455vb4pex5vsknk084sn02q'
export const examplePath: Readonly<Record<string, string>> = {
  slug: 'red-roses',
  merchantSlug: 'bloom',
  productSlug: 'red-roses',
  cartId: unknownCart,
  skuId: 'sku_01h455vb4pex5vsknk084sn02q',
  sessionId: 'cks_01h455vb4pex5vsknk084sn02q',
  orderId: 'ord_01h455vb4pex5vsknk084sn02q',
  addressId: 'cad_01h455vb4pex5vsknk084sn02q',
}

// A body that is good for each operation that takes one.
const exampleBody: Partial<Record<OperationId, object>> = {
  updatePublicCartItemQuantity: { quantity: 1 },
  removePublicCartItem: {},
  applyPublicCartPromotion: { code: null },
  setPublicCartAddress: {
    address: { name: 'Ada', line1: 'Linden 1', city: 'Berlin', postalCode: '10117', country: 'DE' },
  },
  createPublicCart: {},
  putPublicCartItem: { quantity: 1 },
  setPublicCartShipping: { optionId: 'standard' },
  createHostedCheckoutSession: { cartId: unknownCart, successUrl: 'http://localhost/x' },
  cancelHostedCheckoutSession: {},
  cancelStorefrontOrder: {},
  replayInstallationWebhookDelivery: {},
  requestCustomerCode: { email: 'ada@example.com' },
  openCustomerSession: { browserToken: 'b'.repeat(43), code: '000000' },
  endCustomerSession: { token: 's'.repeat(43) },
  addCustomerAddress: { address: berlin },
  replaceCustomerAddress: { address: berlin },
  removeCustomerAddress: {},
}

let keys = 0
function freshKey(): { idempotencyKey: string } {
  keys += 1
  return { idempotencyKey: `row-${keys}` }
}

// A query that is good for each operation that needs one.
const exampleQuery: Partial<Record<OperationId, string>> = {
  searchCatalogProducts: '?q=roses',
  searchMerchantProducts: '?q=roses',
  listSearchSuggestions: '?q=roses',
  resolvePath: '?path=/products/red-roses',
  estimatePublicCartShipping: '?country=DE',
}

export function queryOf(id: OperationId): { query?: string } {
  return exampleQuery[id] ? { query: exampleQuery[id] } : {}
}

export function bodyOf(id: OperationId): { body?: object } {
  return exampleBody[id] ? { body: { ...exampleBody[id], ...freshKey() } } : {}
}

// A request that is answered with 200: of things that are there and belong to the caller.
export async function goodRequest(
  testServer: TestServer,
  id: OperationId,
): Promise<{ path: Record<string, string>; query?: string; body?: object; headers?: Record<string, string> }> {
  const path = pathOf(operations[id])
  const given = { ...bodyOf(id), ...queryOf(id) }
  if (operations[id].caller === 'customer') {
    const headers = await signedInHeaders(testServer)
    const saved = path.addressId !== undefined && { path: { addressId: await savedAddress(testServer, headers) } }
    return { ...given, path, headers, ...saved }
  }
  if (id === 'getInstallationWebhookSignatureFixture' || id === 'replayInstallationWebhookDelivery') {
    const { endpointId, deliveryId } = await webhooksOf(testServer).given('failed')
    return { ...given, path: { id: given.body ? deliveryId : endpointId } }
  }
  if (id === 'getPage') return { ...given, path: { slug: await writtenPage(testServer) } }
  const { carts, ready, pay } = await checkoutOf(testServer)
  if (id === 'createHostedCheckoutSession')
    return { path, body: { ...given.body, cartId: await carts.create({ 'ROSE-12': 1 }) } }
  if (path.cartId !== undefined) {
    const cartId = await carts.create({ 'ROSE-12': 1 })
    if (id === 'setPublicCartShipping') await carts.address(cartId, berlin)
    return { ...given, path: { ...path, cartId, ...(path.skuId === undefined ? {} : { skuId: carts.sku('ROSE-12') }) } }
  }
  if (path.sessionId === undefined && path.orderId === undefined) return { ...given, path }
  const { sessionId, secret, view } = await ready({ 'ROSE-12': 1 })
  if (path.sessionId !== undefined) return { ...given, path: { sessionId } }
  return { ...given, path: { orderId: (await pay(secret, view)).view.session.orderId ?? '' } }
}

const shopper = 'ada@example.com'
const sessions = new WeakMap<TestServer, Promise<Record<string, string>>>()

// A shopper who signed in at a server of the storefront: once for each server.
export function signedInHeaders(testServer: TestServer): Promise<Record<string, string>> {
  let made = sessions.get(testServer)
  if (!made) {
    made = signIn(testServer, { email: shopper })
    sessions.set(testServer, made)
  }
  return made
}

export interface SignInOptions {
  email: string
  key?: string
  origin?: string
}

// By the code that was mailed.
export async function signIn(
  testServer: TestServer,
  { email, key, origin }: SignInOptions,
): Promise<Record<string, string>> {
  const { storage, clock } = testServer
  const wasOn = await storage.read(isMailOn)
  await storage.write((tx) => setMailSwitch(tx, true, clock.now))
  const from = { ...(key !== undefined && { key }), ...(origin !== undefined && { headers: { origin } }) }
  const fresh = () => ({ idempotencyKey: randomUUID() })
  const asked = await testServer.ask('requestCustomerCode', { ...from, body: { ...fresh(), email } })
  const { browserToken } = asked.body.data
  const [mail] = await storage.read(
    (db) => db.sql<{ id: string; sealed: string }>`
      select id, sealed from emails where kind = 'customer_code' order by created_at desc, id desc limit 1`,
  )
  const code = mail && decryptUserEmail(testSecret, mail.id, mail.sealed)?.code
  const opened = await testServer.ask('openCustomerSession', { ...from, body: { ...fresh(), browserToken, code } })
  await storage.write((tx) => setMailSwitch(tx, wasOn, clock.now))
  return { 'customer-session': opened.body.data.session.token }
}

let streets = 0
async function savedAddress(testServer: TestServer, headers: Record<string, string>): Promise<string> {
  streets += 1
  const address = { ...berlin, line1: `Linden ${streets}` }
  return (await testServer.ask('addCustomerAddress', { headers, body: { address, ...freshKey() } })).body.data.id
}

// A page that the merchant wrote: once for each server.
async function writtenPage({ storage, merchantId, clock }: TestServer): Promise<string> {
  const slug = 'about'
  const entry = { slug, title: 'About us', bodyHtml: '<p>We cut in the morning.</p>' }
  await storage.write(async (tx) => {
    if (!(await findPage(tx, merchantId, slug))) await insertPage(tx, merchantId, pageRowOf(entry, 1, clock.now))
  })
  return slug
}

export function pathOf({ path }: OpenInterfaceOperation): Record<string, string> {
  return Object.fromEntries(
    [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, examplePath[name] ?? 'unknown']),
  )
}
