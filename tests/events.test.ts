// Every kind of event in the catalogue really happens: each is brought about the way a caller, a shopper, the operator or
// time does it, and what was written down is held against its schema. Then whom an event is told to.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { createProduct, createPromotion, productEntry } from '../harness/admin/catalog.ts'
import { berlin } from '../harness/carts.ts'
import { type Checkout, cards, checkoutOf, secretOf } from '../harness/checkout.ts'
import { type Orders, orderMarket, ordersOf } from '../harness/orders.ts'
import { issuesOf as issuesBySchema } from '../harness/schemas.ts'
import { bloom, rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { type Answer, openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { withdraw } from '../harness/withdrawals.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import type { AdminWithdrawal } from '../src/contract/admin/withdrawals.ts'
import type { PromotionEntry } from '../src/contract/entries.ts'
import { openInterfaceDocument } from '../src/contract/open/document.ts'
import { eventDefinitions, eventSchemaName, eventSchemas } from '../src/contract/open/events.ts'
import type { OperationId } from '../src/contract/open/operations.ts'
import { openApiDocument } from '../src/contract/openapi.ts'
import { type EventKind, type EventSubject, eventKinds } from '../src/contract/words.ts'
import { expireCarts } from '../src/domain/carts/sweep.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import { listDocumentsOfOrder } from '../src/domain/documents/store.ts'
import { listInstallations } from '../src/domain/merchants/store.ts'
import { createApp } from '../src/domain/oauth/apps.ts'
import { installApp, uninstallApp } from '../src/domain/oauth/installing.ts'
import { fulfilOrder, recordOrderPaid, returnUndeliveredOrder } from '../src/domain/orders/operator.ts'
import { refusedTriesMax } from '../src/domain/payments/refunds.ts'
import { findPromotionByCode, type Promotion } from '../src/domain/promotions/store.ts'
import { createUser } from '../src/domain/users/users.ts'
import { claimDeliveries } from '../src/domain/webhooks/claim.ts'
import {
  addEndpoint,
  disableEndpoint,
  type EndpointInput,
  pauseEndpoint,
  pingEndpoint,
  removeEndpoint,
} from '../src/domain/webhooks/endpoints.ts'
import { recordOutcomes } from '../src/domain/webhooks/outcomes.ts'
import { attemptsMax, deliveryLeaseMs } from '../src/domain/webhooks/schedule.ts'
import { findDelivery, listNewestDeliveries, lockEndpoint } from '../src/domain/webhooks/store.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { isId, newId } from '../src/platform/kit/ids.ts'
import { unpackText } from '../src/platform/kit/packed.ts'
import { type Announcement, announce } from '../src/platform/outbox/announce.ts'
import { Fragment, type Storage } from '../src/platform/storage/storage.ts'

const email = 'ada@example.com'
const start = Date.parse('2026-06-01T12:00:00.000Z')

// Each scenario about stock has a SKU to itself. The stock is low at 5.
const shop: ShopFile = {
  ...orderMarket,
  products: [
    ...(orderMarket.products ?? []),
    ...Object.entries({ LOW: 8, LAST: 2, BACK: 1 }).map(([code, stock]) => ({
      slug: code.toLowerCase(),
      name: code,
      publishedAt: '2026-01-05T00:00:00.000Z',
      skus: [{ code, price: 1200, stock }],
    })),
  ],
}

interface World {
  testServer: TestServer
  checkout: Checkout
  orders: Orders
  // Hears everything but what is about itself.
  listenerId: string
  // What no event may hold, beside what a shopper typed in.
  secrets: Set<string>
}

// What a scenario has brought about. A page calls no operation; time and the operator make no request.
interface Announced {
  subjectId: string
  cause: { operationId: OperationId | AdminOperationId; answer: Answer } | 'page' | null
}

type Scenario = (world: World) => Promise<Announced>

async function asked(
  { testServer }: World,
  operationId: OperationId,
  path: Readonly<Record<string, string>>,
  body: object = {},
): Promise<Answer & { cause: Announced['cause'] }> {
  const answer = await testServer.ask(operationId, { path, body: { idempotencyKey: randomUUID(), ...body } })
  assert.equal(answer.status, 200, answer.text)
  return { ...answer, cause: { operationId, answer } }
}

async function askedAdmin(
  { testServer }: World,
  operationId: AdminOperationId,
  { path = {}, body }: { path?: Readonly<Record<string, string>>; body: object },
): Promise<Answer & { cause: Announced['cause'] }> {
  const answer = await testServer.askAdmin(operationId, { path, body: { idempotencyKey: randomUUID(), ...body } })
  assert.equal(answer.status, 200, answer.text)
  return { ...answer, cause: { operationId, answer } }
}

async function opened(world: World, items: Readonly<Record<string, number>>, more: object = {}) {
  const { sku } = world.checkout.carts
  const answer = await asked(
    world,
    'createHostedCheckoutSession',
    {},
    {
      items: Object.entries(items).map(([code, quantity]) => ({ skuId: sku(code), quantity })),
      successUrl: 'http://localhost:9/thanks?s={sessionId}',
      customer: { email, name: berlin.name },
      ...more,
    },
  )
  world.secrets.add(secretOf(answer.body.data.url))
  return answer
}

// A shopper who pays on the page.
async function bought(world: World, items: Readonly<Record<string, number>> = { CARD: 3 }, more: object = {}) {
  const { checkout, secrets } = world
  const { sessionId, secret, view } = await checkout.ready(items, more)
  secrets.add(secret)
  const { problem } = await checkout.pay(secret, view)
  assert.equal(problem, null)
  const { cartId, orderId } = (await checkout.read(sessionId)).body.data
  assert.ok(orderId)
  return { sessionId, cartId, orderId }
}

async function boughtByHand(
  { testServer, checkout, secrets }: World,
  method: 'bank_transfer' | 'cash_on_delivery',
): Promise<string> {
  const { sessionId, secret, view } = await checkout.ready({ CARD: 4 })
  secrets.add(secret)
  const { version, totals } = view.session
  const input = { version, expectedTotal: totals.total, provider: 'manual', method, details: {} }
  const result = await testServer.app.checkout.pay(secret, { ...input, attempt: newId('pay') })
  assert.equal(result?.problem, null)
  return (await checkout.read(sessionId)).body.data.orderId
}

async function sent({ testServer }: World, orderId: string, items: ReadonlyMap<string, number> | null): Promise<void> {
  const { storage, installationId, clock } = testServer
  const parcel = { carrier: 'DHL', trackingNumber: '1', items }
  const moment = { now: clock.now, cause: null }
  await storage.write((tx) => fulfilOrder(tx, { installationId, orderId }, parcel, moment))
}

function added({ storage, installationId, clock }: TestServer, input: Partial<EndpointInput>) {
  const whole = { url: 'https://hooks.example.com/in?token=hidden', description: '', events: ['*'], ...input }
  const tools = { rootSecret: testSecret, allowPrivate: false }
  return storage.write((tx) => addEndpoint(tx, installationId, whole, tools, clock.now))
}

async function drafted(world: World) {
  const skuId = world.checkout.carts.sku('CARD')
  const body = { items: [{ skuId, quantity: 1 }], customer: { email, name: berlin.name }, address: berlin }
  const answer = await askedAdmin(world, 'createAdminDraft', { body })
  world.secrets.add(secretOf(answer.body.data.draft.url))
  return answer
}

// The way to each kind. A new kind does not compile without one.
const scenarios = {
  'cart.created': async (world) => {
    const { body, cause } = await asked(world, 'createPublicCart', {})
    return { subjectId: body.data.id, cause }
  },
  'cart.updated': async (world) => {
    const { carts } = world.checkout
    const cartId = await carts.create({ CARD: 1 })
    const { cause } = await asked(world, 'setPublicCartAddress', { cartId }, { address: berlin })
    return { subjectId: cartId, cause }
  },
  'cart.converted': async (world) => ({ subjectId: (await bought(world)).cartId, cause: 'page' }),
  'cart.expired': async ({ testServer, checkout }) => {
    const cartId = await checkout.carts.create({ CARD: 1 })
    const expiresAt = Date.parse((await checkout.carts.read(cartId)).body.data.expiresAt)
    assert.ok((await expireCarts(testServer.storage, testServer.app.cartTools, expiresAt)) >= 1)
    return { subjectId: cartId, cause: null }
  },
  'checkout_session.created': async (world) => {
    const { body, cause } = await opened(world, { CARD: 1 })
    return { subjectId: body.data.id, cause }
  },
  'checkout_session.completed': async (world) => ({ subjectId: (await bought(world)).sessionId, cause: 'page' }),
  'checkout_session.payment_failed': async ({ checkout, secrets }) => {
    const { sessionId, secret, view } = await checkout.ready({ CARD: 1 })
    secrets.add(secret)
    await checkout.pay(secret, view, cards.declined)
    return { subjectId: sessionId, cause: 'page' }
  },
  'checkout_session.cancelled': async (world) => {
    const sessionId: string = (await opened(world, { CARD: 1 })).body.data.id
    const { cause } = await asked(world, 'cancelHostedCheckoutSession', { sessionId })
    return { subjectId: sessionId, cause }
  },
  'checkout_session.expired': async (world) => {
    const { id, expiresAt } = (await opened(world, { CARD: 1 })).body.data
    const { storage, app } = world.testServer
    assert.ok((await expireSessions(storage, app.payTools, Date.parse(expiresAt))) >= 1)
    return { subjectId: id, cause: null }
  },
  'order.placed': async (world) => ({ subjectId: await boughtByHand(world, 'bank_transfer'), cause: 'page' }),
  'order.paid': async (world) => {
    const { storage, installationId, clock } = world.testServer
    const orderId = await boughtByHand(world, 'bank_transfer')
    const moment = { now: clock.now, cause: null }
    await storage.write((tx) => recordOrderPaid(tx, { installationId, orderId }, moment))
    return { subjectId: orderId, cause: null }
  },
  'order.processing': async (world) => {
    const { orderId } = await bought(world)
    await sent(world, orderId, new Map([['CARD', 1]]))
    return { subjectId: orderId, cause: null }
  },
  'order.fulfilled': sentWhole,
  'order.completed': sentWhole,
  'order.cancelled': async (world) => {
    const { orderId } = await bought(world)
    const { cause } = await asked(world, 'cancelStorefrontOrder', { orderId })
    return { subjectId: orderId, cause }
  },
  'order.refunded': async (world) => {
    const { orderId } = await bought(world)
    await asked(world, 'cancelStorefrontOrder', { orderId })
    await world.orders.pay()
    return { subjectId: orderId, cause: null }
  },
  'order.refund_failed': async (world) => {
    const { orderId } = await bought(world)
    await asked(world, 'cancelStorefrontOrder', { orderId })
    const { storage, clock } = world.testServer
    await storage.write((tx) => tx.sql`update test_charges set refund_answer = 'refused'`)
    await storage.write(
      (tx) => tx.sql`update refunds set refused_tries = ${refusedTriesMax - 1} where order_id = ${orderId}`,
    )
    await world.orders.pay(clock.now)
    return { subjectId: orderId, cause: null }
  },
  'order.returned': async (world) => {
    const { storage, installationId, clock } = world.testServer
    const orderId = await boughtByHand(world, 'cash_on_delivery')
    await sent(world, orderId, null)
    const moment = { now: clock.now, cause: null }
    const input = { isRestocked: true }
    await storage.write((tx) => returnUndeliveredOrder(tx, { installationId, orderId }, input, moment))
    return { subjectId: orderId, cause: null }
  },
  'order.edited': async (world) => {
    const { orderId } = await bought(world, { CARD: 2 })
    const items = [{ skuId: world.checkout.carts.sku('CARD'), quantity: 1 }]
    return {
      ...(await askedAdmin(world, 'editAdminOrder', { path: { orderId }, body: { items } })),
      subjectId: orderId,
    }
  },
  'return.requested': async (world) => ({ subjectId: await askedToReturn(world), cause: 'page' }),
  'return.approved': async (world) => {
    const subjectId = await askedToReturn(world)
    return {
      ...(await askedAdmin(world, 'approveAdminReturn', { path: { returnId: subjectId }, body: {} })),
      subjectId,
    }
  },
  'return.refused': async (world) => {
    const subjectId = await askedToReturn(world)
    const request = { path: { returnId: subjectId }, body: { text: 'It was worn.' } }
    return { ...(await askedAdmin(world, 'refuseAdminReturn', request)), subjectId }
  },
  'return.received': async (world) => {
    const subjectId = await approvedReturn(world)
    return {
      ...(await askedAdmin(world, 'receiveAdminReturn', { path: { returnId: subjectId }, body: {} })),
      subjectId,
    }
  },
  'return.exchanged': async (world) => {
    const subjectId = await approvedReturn(world)
    const newItems = [{ skuId: world.checkout.carts.sku('CARD'), quantity: 1 }]
    const request = { path: { returnId: subjectId }, body: { newItems } }
    return { ...(await askedAdmin(world, 'exchangeAdminReturn', request)), subjectId }
  },
  'return.closed': async (world) => {
    const subjectId = await approvedReturn(world)
    return { ...(await askedAdmin(world, 'closeAdminReturn', { path: { returnId: subjectId }, body: {} })), subjectId }
  },
  'withdrawal.received': async ({ testServer, orders }) => {
    const { number } = await orders.place({ items: { CARD: 1 } })
    await withdraw(testServer, { order: number })
    const { body } = await testServer.askAdmin('listAdminWithdrawals')
    const found = body.data.find((row: AdminWithdrawal) => row.order?.number === number)
    return { subjectId: found.id, cause: null }
  },
  'inventory.low': async (world) => {
    const { cause } = await opened(world, { LOW: 4 })
    return { subjectId: world.checkout.carts.sku('LOW'), cause }
  },
  'inventory.depleted': async (world) => {
    const { cause } = await opened(world, { LAST: 2 })
    return { subjectId: world.checkout.carts.sku('LAST'), cause }
  },
  'inventory.replenished': async (world) => {
    const { orderId } = await bought(world, { BACK: 1 })
    const { cause } = await asked(world, 'cancelStorefrontOrder', { orderId })
    return { subjectId: world.checkout.carts.sku('BACK'), cause }
  },
  'promotion.exhausted': async (world) => {
    const { storage, seller } = world.testServer
    await bought(world, { CARD: 3 }, { promotionCode: 'once' })
    const promotion = await storage.read((db) => findPromotionByCode(db, seller, 'ONCE'))
    return { subjectId: promotion?.id ?? '', cause: 'page' }
  },
  'draft.created': async (world) => {
    const { body, cause } = await drafted(world)
    return { subjectId: body.data.draft.id, cause }
  },
  'draft.updated': async (world) => {
    const { id: draftId } = (await drafted(world)).body.data.draft
    return {
      ...(await askedAdmin(world, 'updateAdminDraft', { path: { draftId }, body: { discount: 1 } })),
      subjectId: draftId,
    }
  },
  'draft.completed': async (world) => {
    const { id, url } = (await drafted(world)).body.data.draft
    const { problem } = await world.checkout.pay(secretOf(url), await world.checkout.look(secretOf(url)))
    assert.equal(problem, null)
    return { subjectId: id, cause: 'page' }
  },
  'draft.cancelled': async (world) => {
    const { id: draftId } = (await drafted(world)).body.data.draft
    return {
      ...(await askedAdmin(world, 'cancelAdminDraft', { path: { draftId }, body: {} })),
      subjectId: draftId,
    }
  },
  'draft.expired': async (world) => {
    const { id, expiresAt } = (await drafted(world)).body.data.draft
    const { storage, app } = world.testServer
    assert.ok((await expireSessions(storage, app.payTools, Date.parse(expiresAt))) >= 1)
    return { subjectId: id, cause: null }
  },
  'document.issued': async (world) => {
    const { storage, clock, merchantId } = world.testServer
    const { orderId } = await bought(world)
    await issueDocuments(storage, testSecret, { now: clock.now, limit: 100 })
    const [made] = await storage.read((db) => listDocumentsOfOrder(db, merchantId, orderId))
    return { subjectId: made?.id ?? '', cause: null }
  },
  'product.created': async (world) => {
    const { body, cause } = await askedAdmin(world, 'createAdminProduct', { body: { product: productEntry() } })
    return { subjectId: body.data.id, cause }
  },
  'product.updated': async (world) => {
    const { id } = await createProduct(world.testServer)
    const body = { productIds: [id], change: { pricePercentage: 500 } }
    return { subjectId: id, cause: (await askedAdmin(world, 'updateAdminProducts', { body })).cause }
  },
  'product.unpublished': async (world) => {
    const { id } = await createProduct(world.testServer)
    const body = { productIds: [id], change: { status: 'archived' } }
    return { subjectId: id, cause: (await askedAdmin(world, 'updateAdminProducts', { body })).cause }
  },
  'promotion.created': async (world) => {
    const promotion = { code: 'FRESH', name: 'Fresh', type: 'free_shipping' }
    const { body, cause } = await askedAdmin(world, 'createAdminPromotion', { body: { promotion } })
    return { subjectId: body.data.id, cause }
  },
  'promotion.updated': async (world) => {
    const { id, version, promotion } = await createPromotion(world.testServer)
    const body = { expectedVersion: version, promotion: { ...promotion, disabled: true } }
    const { cause } = await askedAdmin(world, 'replaceAdminPromotion', { path: { promotionId: id }, body })
    return { subjectId: id, cause }
  },
  'shop.updated': async (world) => {
    const { id, version } = (await world.testServer.askAdmin('getAdminShop')).body.data
    const body = { expectedVersion: version, lowStockAt: 4 }
    return { subjectId: id, cause: (await askedAdmin(world, 'updateAdminShop', { body })).cause }
  },
  'webhook.endpoint_disabled': async ({ testServer, secrets }) => {
    const { storage, installationId, clock } = testServer
    const { endpoint, secret } = await added(testServer, {})
    secrets.add(secret)
    await storage.write(async (tx) => {
      const locked = await lockEndpoint(tx, installationId, endpoint.id)
      assert.ok(locked)
      await disableEndpoint(tx, locked, 'operator', null, clock.now)
    })
    return { subjectId: endpoint.id, cause: null }
  },
  'webhook.delivery_failed': async (world) => {
    const { testServer, checkout, secrets } = world
    const { storage, installationId, clock } = testServer
    const { endpoint, secret } = await added(testServer, { events: ['cart.created'] })
    secrets.add(secret)
    await checkout.carts.create()
    const key = { installationId, id: endpoint.id }
    const [delivery] = await storage.read((db) => listNewestDeliveries(db, key, 1))
    assert.ok(delivery)
    let now = delivery.dueAt ?? clock.now
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const {
        claimed: [claimed],
      } = await storage.write((tx) => claimDeliveries(tx, [key], { limit: 1, leaseMs: deliveryLeaseMs, now }))
      assert.ok(claimed, `attempt ${attempt}`)
      const call = { kind: 'answered', statusCode: 500, error: null, retryAfter: null, answer: '', tookMs: 1 } as const
      await storage.write((tx) => recordOutcomes(tx, [{ claimed, call, startedAt: now }], now))
      // The breaker rests for a quarter of an hour at most.
      now = ((await storage.read((db) => findDelivery(db, installationId, delivery.id)))?.dueAt ?? now) + 900_000
    }
    await storage.write((tx) => removeEndpoint(tx, installationId, endpoint.id, now))
    return { subjectId: delivery.id, cause: null }
  },
  'app.installed': (world) => installed(world),
  'app.uninstalled': async (world) => {
    const { subjectId } = await installed(world)
    await world.testServer.storage.write((tx) => uninstallApp(tx, subjectId, world.testServer.clock.now))
    return { subjectId, cause: null }
  },
  'webhook.ping': async ({ testServer, secrets }) => {
    const { storage, installationId, clock } = testServer
    const { endpoint, secret } = await added(testServer, { events: ['order.placed'] })
    secrets.add(secret)
    await storage.write((tx) => pingEndpoint(tx, installationId, endpoint.id, clock.now))
    return { subjectId: endpoint.id, cause: null }
  },
  // Nothing happened and nobody is told, so there is no row: it has a test of its own.
  'webhook.fixture': null,
} satisfies Record<EventKind, Scenario | null>

async function installed({ testServer }: World): Promise<Announced> {
  const { storage, merchantId, clock } = testServer
  const definition = {
    name: newId('app'),
    description: '',
    redirectUris: ['https://app.example/callback'],
    scopes: ['catalog:read'],
    mode: 'test',
    jwks: null,
  } as const
  await storage.write(async (tx) => {
    const app = await createApp(tx, definition, clock.now)
    assert.ok(app)
    const person = { email: `${app.id}@example.com`, passwordHash: '', merchantIds: [merchantId] }
    const user = await createUser(tx, testSecret, person, clock.now)
    const approval = {
      grant: app.id,
      app,
      userId: user.id,
      merchantId,
      resource: testServer.origin,
      granted: app.scopes,
    }
    assert.ok(
      await installApp(
        tx,
        testSecret,
        { ...approval, hasSecondFactor: false, rejected: [], rejectedWords: [] },
        clock.now,
      ),
    )
  })
  const [made] = (await storage.read((db) => listInstallations(db, merchantId))).filter(
    ({ name }) => name === definition.name,
  )
  return { subjectId: made?.id ?? '', cause: null }
}

// On the page of an order that was sent.
async function askedToReturn(world: World): Promise<string> {
  const { orderId } = await bought(world)
  await sent(world, orderId, null)
  const { testServer, secrets } = world
  const { statusUrl, items } = (await testServer.ask('getStorefrontOrder', { path: { orderId } })).body.data
  const secret = String(statusUrl).split('/').at(-1) ?? ''
  secrets.add(secret)
  const body = new URLSearchParams({
    [`quantity-${items[0].skuId}`]: '1',
    reason: 'late',
    note: 'From 12 Elm Street',
    to: 'send',
  })
  secrets.add('12 Elm Street')
  const init = { method: 'POST', body, redirect: 'manual', headers: { origin: testServer.origin } } as const
  const answer = await testServer.fetch(`/o/${secret}/return`, init)
  assert.equal(answer.status, 303, answer.text)
  return (await testServer.askAdmin('listAdminReturns', { query: `?orderId=${orderId}` })).body.data[0].id
}

async function approvedReturn(world: World): Promise<string> {
  const returnId = await askedToReturn(world)
  await askedAdmin(world, 'approveAdminReturn', { path: { returnId }, body: {} })
  return returnId
}

async function sentWhole(world: World): Promise<Announced> {
  const { orderId } = await bought(world)
  await sent(world, orderId, null)
  return { subjectId: orderId, cause: null }
}

// Where the version of a subject stands. A delivery fails for good once.
const versions: Record<EventSubject, { table: string; column: string }> = {
  cart: { table: 'carts', column: 'version' },
  checkout_session: { table: 'checkout_sessions', column: 'version' },
  order: { table: 'orders', column: 'version' },
  draft: { table: 'drafts', column: 'version' },
  document: { table: 'documents', column: '1' },
  return: { table: 'returns', column: 'version' },
  sku: { table: "(select sku_id as id, version from stock where mode = 'test') as stock", column: 'version' },
  promotion: { table: 'promotions', column: 'test_version' },
  installation: { table: 'installations', column: 'case when ended_at is null then 1 else 2 end' },
  product: { table: 'products', column: 'version' },
  merchant: { table: 'merchants', column: 'version' },
  withdrawal: { table: 'withdrawals', column: 'version' },
  webhook_endpoint: { table: 'webhook_endpoints', column: 'version' },
  webhook_delivery: { table: 'webhook_deliveries', column: '1' },
}
const withoutGap: readonly EventSubject[] = ['order', 'draft', 'document', 'return', 'sku', 'webhook_delivery']

interface EventRow {
  id: string
  type: EventKind
  sequence: number
  body: string
}

test('the OpenAPI document lists every kind of event with its headers, schema and an example', () => {
  const { webhooks, components } = openApiDocument(openInterfaceDocument, { version: '0' }) as unknown as Document
  assert.deepEqual(Object.keys(webhooks), [...eventKinds])
  for (const kind of eventKinds) {
    const { parameters, requestBody } = webhooks[kind].post
    const headers = parameters.map(({ $ref }) => components.parameters[lastWord($ref)])
    assert.deepEqual(
      headers.map((header) => header && [header.name, header.in, header.required]),
      ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, 'header', true]),
    )
    for (const header of headers) assert.match(header?.description ?? '', /\w/)
    const { schema, example } = requestBody.content['application/json']
    assert.equal(lastWord(schema.$ref), eventSchemaName(kind))
    assert.ok(components.schemas[eventSchemaName(kind)])
    assert.equal(example.type, kind)
    assert.deepEqual(issuesOf(kind, example), [])
  }
})

interface Document {
  webhooks: Record<EventKind, { post: { parameters: { $ref: string }[]; requestBody: { content: Content } } }>
  components: {
    parameters: Record<string, { name: string; in: string; required: boolean; description: string }>
    schemas: Record<string, object>
  }
}

interface Content {
  'application/json': { schema: { $ref: string }; example: { type: string } }
}

const lastWord = (reference: string) => reference.split('/').at(-1) ?? ''

function issuesOf(kind: EventKind, event: unknown) {
  const schema = eventSchemas.get(kind)
  assert.ok(schema)
  return issuesBySchema(schema, event)
}

eachEngine('the catalog of events', (given) => {
  let world: World

  before(async () => {
    const testServer = await openTestServer(given, { shops: [shop, rival] })
    const [checkout, orders] = await Promise.all([checkoutOf(testServer), ordersOf(testServer)])
    const { endpoint, secret } = await added(testServer, { events: ['*'] })
    world = { testServer, checkout, orders, listenerId: endpoint.id, secrets: new Set([secret, testServer.keys.full]) }
  })

  for (const kind of eventKinds) {
    const scenario = scenarios[kind]
    if (!scenario) continue
    test(`${kind} is emitted`, async () => {
      const { subjectId, cause } = await scenario(world)
      const subject = eventDefinitions[kind].subject
      const announced = await eventsAbout(subject, subjectId)
      const found = announced.findLast(({ type }) => type === kind)
      assert.ok(found, `${kind} among ${announced.map(({ type }) => type).join(', ')}`)
      for (const row of announced) assertWellFormed(row, subject, subjectId)
      assertCause(JSON.parse(found.body).cause, cause)
      await assertSequence(announced, subject, subjectId)
      await assertHeard(kind, found.id)
    })
  }

  function eventsAbout(subject: EventSubject, subjectId: string): Promise<EventRow[]> {
    const { installationId, storage } = world.testServer
    return storage.read(
      (db) => db.sql<EventRow>`
        select id, type, sequence, body from events
        where installation_id = ${installationId} and subject_type = ${subject} and subject_id = ${subjectId}
        order by sequence`,
    )
  }

  function assertWellFormed({ id, type, sequence, body }: EventRow, subject: EventSubject, subjectId: string): void {
    const event = JSON.parse(body)
    assert.deepEqual(issuesOf(type, event), [], type)
    assert.deepEqual(
      [event.id, event.type, event.sequence, event.installationId, event.subject],
      [id, type, sequence, world.testServer.installationId, { type: subject, id: subjectId }],
    )
    const typed = [email, berlin.name, berlin.line1, berlin.postalCode, berlin.phone, ...Object.values(cards)]
    for (const secret of [...typed, 'whsec_', 'cwk_', 'hidden', '/c/', ...world.secrets])
      assert.ok(!body.includes(secret), `${type} tells ${secret}`)
  }

  function assertCause(announced: unknown, cause: Announced['cause']): void {
    if (cause === null) assert.equal(announced, null)
    else if (cause === 'page') {
      const { operationId, requestId } = announced as { operationId: unknown; requestId: string }
      assert.equal(operationId, null)
      assert.ok(isId('req', requestId))
    } else {
      const requestId = cause.answer.headers.get('x-request-id')
      assert.deepEqual(announced, { operationId: cause.operationId, requestId })
    }
  }

  // The last event is as new as its subject; those of an order and a SKU's stock have no gap before it.
  async function assertSequence(
    announced: readonly EventRow[],
    subject: EventSubject,
    subjectId: string,
  ): Promise<void> {
    const { table, column } = versions[subject]
    const [row] = await world.testServer.storage.read(
      (db) => db.sql<{ version: number }>`
        select ${new Fragment(column)} as "version" from ${new Fragment(table)} where id = ${subjectId}`,
    )
    const sequences = announced.map(({ sequence }) => sequence)
    assert.equal(sequences.at(-1), row?.version)
    if (withoutGap.includes(subject))
      assert.deepEqual(
        sequences,
        sequences.map((_, index) => index + 1),
      )
  }

  // A test call is for one endpoint alone.
  async function assertHeard(kind: EventKind, eventId: string): Promise<void> {
    const rows = await world.testServer.storage.read(
      (db) => db.sql<{ status: string; body: string }>`
        select d.status, d.event_type as "type" from webhook_deliveries d
        where d.event_id = ${eventId} and d.endpoint_id = ${world.listenerId}`,
    )
    const expected = kind === 'webhook.ping' ? [] : [{ status: 'pending', type: kind }]
    assert.deepEqual(rows, expected)
  }

  test('webhook.fixture is returned on request and never emitted', async () => {
    const { testServer, listenerId } = world
    const answer = await testServer.ask('getInstallationWebhookSignatureFixture', { path: { id: listenerId } })
    assert.equal(answer.status, 200, answer.text)
    const event = JSON.parse(answer.body.data.liveCheck.body)
    assert.deepEqual(issuesOf('webhook.fixture', event), [])
    assert.equal(event.type, 'webhook.fixture')
    assert.ok(!isId('evt', event.id))
    assert.deepEqual(await eventsAbout('webhook_endpoint', listenerId), [])
  })
})

eachEngine('the event of an exhausted promotion', (given) => {
  let testServer: TestServer
  let checkout: Checkout

  before(async () => {
    // A second installation hears of it too, one that was switched off does not.
    const installations = ['Storefront', 'Second', 'Closed'].map((name) => ({
      name,
      mode: 'test' as const,
      redirectHosts: ['localhost'],
    }))
    testServer = await openTestServer(given, { shops: [{ ...shop, installations }, rival] })
    await testServer.storage.write((tx) => tx.sql`update installations set disabled_at = 1 where name = 'Closed'`)
    checkout = await checkoutOf(testServer)
  })

  async function made(entry: Partial<PromotionEntry> & { code: string }): Promise<Promotion> {
    await applied(entry)
    const promotion = await find(entry.code)
    assert.ok(promotion)
    return promotion
  }

  const find = (code: string) => testServer.storage.read((db) => findPromotionByCode(db, testServer.seller, code))

  async function applied(entry: Partial<PromotionEntry> & { code: string }): Promise<readonly unknown[]> {
    const promotion: PromotionEntry = { name: 'Limited', type: 'fixed_amount', amount: 100, ...entry }
    const file: ShopFile = { merchant: shop.merchant, promotions: [promotion] }
    const { refusedPromotions } = await applyShop(testServer.storage, file, { now: start, stock: false, dryRun: false })
    return refusedPromotions
  }

  async function buy(promotionCode: string, card: string = cards.approved) {
    const { sessionId, secret, view } = await checkout.ready({ CARD: 3 }, { promotionCode })
    await checkout.pay(secret, view, card)
    const { orderId, status } = (await checkout.read(sessionId)).body.data
    return { orderId: orderId as string, status: status as string }
  }

  const cancel = (orderId: string) =>
    testServer.ask('cancelStorefrontOrder', { path: { orderId }, body: { idempotencyKey: randomUUID() } })

  // Installation, sequence, limit and uses.
  async function announced({ id }: Promotion): Promise<[string, number, number, number][]> {
    const rows = await testServer.storage.read(
      (db) => db.sql<{ name: string; body: string }>`
        select i.name, e.body from events e join installations i on i.id = e.installation_id
        where e.subject_id = ${id} order by e.sequence, i.name desc`,
    )
    return rows.map(({ name, body }) => {
      const { type, sequence, data } = JSON.parse(body)
      assert.equal(type, 'promotion.exhausted')
      return [name, sequence, data.promotion.usageLimit, data.promotion.usageCount]
    })
  }

  test('is emitted to every active installation on the last use, and again when a released use is used again', async () => {
    const promotion = await made({ code: 'TWICE', usageLimit: 2 })
    const { orderId } = await buy('TWICE')
    assert.deepEqual(await announced(promotion), [])
    await buy('TWICE')
    const first = [
      ['Storefront', 3, 2, 2],
      ['Second', 3, 2, 2],
    ]
    assert.deepEqual(await announced(promotion), first)
    assert.equal((await cancel(orderId)).status, 200)
    assert.deepEqual(await announced(promotion), first, 'a use that is given back tells nothing')
    await buy('TWICE')
    assert.deepEqual(await announced(promotion), [...first, ['Storefront', 5, 2, 2], ['Second', 5, 2, 2]])
  })

  test('is not emitted for a declined payment or for a promotion without a limit', async () => {
    const limited = await made({ code: 'DECLINED', usageLimit: 1 })
    assert.equal((await buy('DECLINED', cards.declined)).status, 'open')
    const endless = await made({ code: 'ENDLESS' })
    await buy('ENDLESS')
    assert.deepEqual([await announced(limited), await announced(endless)], [[], []])
  })

  test('is not emitted if the use is released because the items were sold out', async () => {
    const promotion = await made({ code: 'NOGOODS', usageLimit: 1 })
    const { sessionId, secret, view } = await checkout.ready({ LAST: 2 }, { promotionCode: 'NOGOODS' })
    const { view: begun } = await checkout.pay(secret, view, '4000002500003155')
    // While the bank asks the shopper, the merchant counts the shelf and finds it empty.
    const products = shop.products?.map((product) =>
      product.slug === 'last' ? { ...product, skus: [{ code: 'LAST', price: 1200, stock: 0 }] } : product,
    )
    await testServer.apply(
      { merchant: shop.merchant, products: products ?? [], categories: shop.categories ?? [] },
      { stock: true },
    )
    await testServer.app.checkout.answerChallenge(secret, begun.challenge?.paymentId ?? '', 'accept')
    const { status, lastPaymentError } = (await checkout.read(sessionId)).body.data
    assert.deepEqual([status, lastPaymentError.message], ['open', 'The items are sold out; nothing is charged.'])
    const { used, version } = (await find('NOGOODS')) ?? {}
    assert.deepEqual([await announced(promotion), used, version], [[], 0, 3])
  })

  test('is emitted once if several concurrent payments claim the last use, of which one succeeds', async () => {
    const promotion = await made({ code: 'RACE', usageLimit: 1 })
    const ready = await Promise.all([1, 2, 3].map(() => checkout.ready({ CARD: 3 }, { promotionCode: 'RACE' })))
    await Promise.all(ready.map(({ secret, view }) => checkout.pay(secret, view)))
    const ended = await Promise.all(ready.map(({ sessionId }) => checkout.read(sessionId)))
    assert.equal(ended.filter(({ body }) => body.data.status === 'completed').length, 1)
    assert.equal((await announced(promotion)).length, 2)
  })

  test('is emitted once when the operator lowers the limit to the number of uses', async () => {
    const promotion = await made({ code: 'LOWERED', usageLimit: 5 })
    await buy('LOWERED')
    assert.deepEqual(await applied({ code: 'LOWERED', usageLimit: 3 }), [])
    assert.deepEqual(await announced(promotion), [])
    assert.deepEqual(await applied({ code: 'LOWERED', usageLimit: 1 }), [])
    const once = [
      ['Storefront', 4, 1, 1],
      ['Second', 4, 1, 1],
    ]
    assert.deepEqual(await announced(promotion), once)
    assert.deepEqual(await applied({ code: 'LOWERED', usageLimit: 1 }), [], 'the same again')
    assert.deepEqual(await applied({ code: 'LOWERED', usageLimit: 1, name: 'Renamed' }), [], 'another word')
    assert.deepEqual(await applied({ code: 'LOWERED', usageLimit: 0 }), [], 'test uses are in nobody’s way')
    assert.deepEqual(await announced(promotion), once)
    assert.deepEqual(await applied({ code: 'LOWERED' }), [], 'without a limit')
    assert.deepEqual(await applied({ code: 'LOWERED', usageLimit: 1 }), [])
    assert.deepEqual(await announced(promotion), [...once, ['Storefront', 9, 1, 1], ['Second', 9, 1, 1]])
  })

  test('is not emitted for a promotion that a file creates with a limit of 0', async () => {
    assert.deepEqual(await announced(await made({ code: 'NOTHING', usageLimit: 0 })), [])
  })

  test('is not emitted by a dry run', async () => {
    const promotion = await made({ code: 'DRY', usageLimit: 4 })
    const entry = { code: 'DRY', name: 'Limited', type: 'fixed_amount', amount: 100, usageLimit: 0 } as const
    const file: ShopFile = { merchant: shop.merchant, promotions: [entry] }
    await applyShop(testServer.storage, file, { now: start, stock: false, dryRun: true })
    assert.deepEqual(await announced(promotion), [])
    await applyShop(testServer.storage, file, { now: start, stock: false, dryRun: false })
    assert.deepEqual(await announced(promotion), [
      ['Storefront', 2, 0, 0],
      ['Second', 2, 0, 0],
    ])
  })
})

eachEngine('an event', (given) => {
  let storage: Storage
  let installationId: string
  let otherId: string

  before(async () => {
    storage = await given.open()
    const options = { now: start, stock: false, dryRun: false }
    const installation = async (file: ShopFile) => {
      const { merchantId } = await applyShop(storage, file, options)
      return (await storage.read((db) => listInstallations(db, merchantId)))[0]?.id ?? ''
    }
    installationId = await installation(bloom)
    otherId = await installation(rival)
  })

  function eventOf(kind: EventKind, more: Partial<Announcement> = {}): Announcement {
    const subject = { type: eventDefinitions[kind].subject, id: newId('ord') }
    const event = { installationId, mode: 'test', kind, subject, sequence: 1, dataText: '{}', cause: null } as const
    return { ...event, now: start, ...more }
  }

  async function listener(events: readonly string[], installation = installationId): Promise<string> {
    const input = { url: 'https://hooks.example.com', description: '', events }
    const tools = { rootSecret: testSecret, allowPrivate: false }
    return (await storage.write((tx) => addEndpoint(tx, installation, input, tools, start))).endpoint.id
  }

  const remove = (ids: readonly string[], installation = installationId) =>
    storage.write(async (tx) => {
      for (const id of ids) await removeEndpoint(tx, installation, id, start)
    })

  interface Row {
    id: string
    endpointId: string
    status: string
    dueAt: number | null
  }

  const deliveriesOf = (subjectId: string) =>
    storage.read(
      (db) => db.sql<Row>`
        select id, endpoint_id as "endpointId", status, due_at as "dueAt" from webhook_deliveries
        where subject_id = ${subjectId} order by endpoint_id`,
    )

  async function heardBy(event: Announcement): Promise<Record<string, string>> {
    await storage.write(async (tx) => announce(tx, event))
    const rows = await deliveriesOf(event.subject.id)
    assert.equal(new Set(rows.map(({ endpointId }) => endpointId)).size, rows.length, 'each is told once')
    return Object.fromEntries(rows.map(({ endpointId, status }) => [endpointId, status]))
  }

  test('larger than 64 KiB contains the id of its subject instead of its data', async () => {
    const placed = async (name: string) => {
      const event = eventOf('order.placed', { dataText: JSON.stringify({ order: { id: 'ord', name } }) })
      await storage.write(async (tx) => announce(tx, event))
      const [row] = await storage.read(
        (db) => db.sql<{ body: string }>`select body from events where subject_id = ${event.subject.id}`,
      )
      return { body: unpackText(row?.body ?? ''), event }
    }
    const empty = Buffer.byteLength((await placed('')).body)
    const full = await placed('x'.repeat(65_536 - empty))
    assert.equal(Buffer.byteLength(full.body), 65_536)
    assert.equal(JSON.parse(full.body).data.order.id, 'ord')
    // Bytes count, not characters.
    for (const name of ['x'.repeat(65_537 - empty), 'ü'.repeat(40_000)]) {
      const { body, event } = await placed(name)
      assert.ok(Buffer.byteLength(body) < 1_000)
      assert.deepEqual(JSON.parse(body).data, { id: event.subject.id, truncated: true })
      assert.deepEqual(issuesOf('order.placed', JSON.parse(body)), [])
    }
  })

  test('is sent to endpoints that subscribe to its kind, its subject or everything, and to no others', async () => {
    const exact = await listener(['order.placed'])
    const subject = await listener(['order.*'])
    const all = await listener(['*'])
    const twice = await listener(['cart.created', 'order.placed', 'order.*', '*'])
    const carts = await listener(['cart.*'])
    const sessions = await listener(['checkout_session.created', 'checkout_session.*'])
    const removed = await listener(['*'])
    const elsewhere = await listener(['*'], otherId)
    await remove([removed])
    const pending = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, 'pending']))
    assert.deepEqual(await heardBy(eventOf('order.placed')), pending(exact, subject, all, twice))
    assert.deepEqual(await heardBy(eventOf('order.paid')), pending(subject, all, twice))
    assert.deepEqual(await heardBy(eventOf('cart.created')), pending(all, twice, carts))
    assert.deepEqual(await heardBy(eventOf('cart.updated')), pending(all, twice, carts))
    assert.deepEqual(await heardBy(eventOf('checkout_session.created')), pending(all, twice, sessions))
    assert.deepEqual(await heardBy(eventOf('webhook.ping', { onlyTo: exact })), pending(exact))
    assert.deepEqual(await heardBy(eventOf('webhook.endpoint_disabled', { notTo: all })), pending(twice))
    assert.deepEqual(await heardBy(eventOf('order.placed', { installationId: otherId })), pending(elsewhere))
    await remove([exact, subject, all, twice, carts, sessions])
    await remove([elsewhere], otherId)
    assert.deepEqual(await heardBy(eventOf('order.placed')), {})
  })

  test('is not sent for a subscription with a similar name', async () => {
    const likes = ['checkoutxsession.*', 'checkoutxsession.created', 'checkout_session', '%', 'checkout_session.creat*']
    for (const like of likes) await assert.rejects(listener([like]), `${like} is refused`)
    const id = await listener(['*'])
    const names = JSON.stringify([...likes, 'xcheckout_session.*', 'order.*', 'webhook.endpointxdisabled'])
    await storage.write((tx) => tx.sql`update webhook_endpoints set events = ${names} where id = ${id}`)
    assert.deepEqual(await heardBy(eventOf('checkout_session.created')), {})
    assert.deepEqual(await heardBy(eventOf('webhook.endpoint_disabled')), {})
    assert.deepEqual(await heardBy(eventOf('order.placed')), { [id]: 'pending' })
    await remove([id])
  })

  test('is held for an endpoint that is paused or disabled', async () => {
    const [enabled, paused, disabled] = [await listener(['*']), await listener(['*']), await listener(['*'])]
    await storage.write(async (tx) => {
      await pauseEndpoint(tx, installationId, paused, start)
      const locked = await lockEndpoint(tx, installationId, disabled)
      if (locked) await disableEndpoint(tx, locked, 'operator', null, start)
    })
    const event = eventOf('order.placed')
    assert.deepEqual(await heardBy(event), { [enabled]: 'pending', [paused]: 'pending', [disabled]: 'pending' })
    const shown = async (id: string) =>
      (await storage.read((db) => listNewestDeliveries(db, { installationId, id }, 1)))[0]?.status
    assert.deepEqual([await shown(enabled), await shown(paused), await shown(disabled)], ['pending', 'held', 'held'])
    await remove([enabled, paused, disabled])
  })

  test('and its deliveries are rolled back together', async () => {
    const id = await listener(['*'])
    const event = eventOf('order.placed')
    const undone = storage.write(async (tx) => {
      await announce(tx, event)
      throw new Error('something else went wrong')
    })
    await assert.rejects(undone, /something else/)
    const rows = await storage.read((db) => db.sql`select id from events where subject_id = ${event.subject.id}`)
    assert.deepEqual([rows, await deliveriesOf(event.subject.id)], [[], []])
    await remove([id])
  })

  test('that is announced twenty times in one transaction to a hundred endpoints makes 2,000 deliveries with different ids', async () => {
    const ids: string[] = []
    for (let index = 0; index < 100; index += 1) ids.push(await listener(['order.*']))
    const subject = { type: 'order', id: newId('ord') } as const
    await storage.write((tx) =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          announce(tx, eventOf('order.placed', { subject, sequence: index + 1 })),
        ),
      ),
    )
    const rows = await deliveriesOf(subject.id)
    assert.equal(new Set(rows.map(({ id }) => id)).size, 2_000)
    assert.ok(rows.every(({ id }) => isId('whd', id)))
    assert.deepEqual(new Set(rows.map(({ endpointId }) => endpointId)), new Set(ids))
    await remove(ids)
  })
})
