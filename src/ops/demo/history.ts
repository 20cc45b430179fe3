// Makes the month that the demo shop looks back on: through an app with a clock in the past, by the operations and pages that shoppers
// and staff use. Each part is one transaction, and the orders in the database say which parts are done, so a start that was killed is
// taken up by the next one. No e-mails are queued for it, and its webhooks stay in this process: an endpoint that is not the demo's own
// gets none of the past.

import { setImmediate as breathe } from 'node:timers/promises'
import { type App, createApp } from '../../app.ts'
import { listProductsBySlug } from '../../domain/catalog/store.ts'
import { noteDispute } from '../../domain/checkout/pay/dispute.ts'
import { openSession } from '../../domain/checkout/sessions.ts'
import { lockOrderFacts } from '../../domain/orders/change.ts'
import { refundPaid } from '../../domain/orders/refunds.ts'
import { findOrder, listPlacedBefore } from '../../domain/orders/store.ts'
import { cancelUnpaidOrders } from '../../domain/orders/unpaid.ts'
import { payRefunds } from '../../domain/payments/refunds.ts'
import { listPaymentsOfOrder, lockPayment } from '../../domain/payments/store.ts'
import { openReturn } from '../../domain/returns/change.ts'
import { scopesOfRole } from '../../domain/users/roles.ts'
import { type Call, createCall } from '../../domain/webhooks/call.ts'
import { claimDeliveries, listDueEndpoints } from '../../domain/webhooks/claim.ts'
import { recordOutcomes } from '../../domain/webhooks/outcomes.ts'
import { deleteDeliveriesBefore, listEndpoints } from '../../domain/webhooks/store.ts'
import { openWithdrawnReturns } from '../../domain/withdrawals/openreturn.ts'
import { personCaller } from '../../platform/http/admin.ts'
import { newId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { createLog } from '../../platform/log/log.ts'
import { isMailOn, setMailSwitch } from '../../platform/outbox/emails.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { version } from '../../platform/version.ts'
import { type DemoPerson, demoMerchantSlug, type HistoryFacts, lockDemoShop } from '../provisioning/demo.ts'
import { type Act, type Month, type PlannedOrder, planMonth } from './month.ts'
import { type DemoEndpoint, demoAnswer, demoEndpoints } from './receivers.ts'

export interface HistoryParts {
  storage: Storage
  rootSecret: RootSecret
  publicOrigin: () => string
  // Asked between two parts; what is left is made at the next start.
  isEnding: () => boolean
  facts: HistoryFacts
}

export async function makeDemoHistory({ facts, isEnding, ...parts }: HistoryParts): Promise<void> {
  const { storage } = parts
  const month = planMonth(facts.anchor)
  const world = createWorld(parts, facts, month)
  try {
    for (const part of month.parts) {
      if (isEnding()) return
      await storage.write((tx) => world.live(tx, part))
      await breathe()
    }
  } finally {
    world.close()
  }
}

interface World {
  live(tx: Tx, part: Month['parts'][number]): Promise<void>
  close(): void
}

type WorldParts = Pick<HistoryParts, 'storage' | 'rootSecret' | 'publicOrigin'>

function createWorld({ storage, rootSecret, publicOrigin }: WorldParts, facts: HistoryFacts, month: Month): World {
  const clock = { now: facts.anchor }
  let within: Tx | undefined
  // All that the app reads and writes is part of the transaction of the part that is lived through.
  const inside: Storage = {
    ...storage,
    read: (work) => work(current()),
    write: (work) => work(current()),
    rolledBack: async () => {},
    listen: () => () => {},
  }
  const silent = createLog({ level: 'error', pretty: false, write: () => {} })
  const app = createApp({
    storage: inside,
    rootSecret,
    rateLimit: null,
    trustedProxies: [],
    webhookAllowPrivate: false,
    publicOrigin,
    version,
    clock: () => new Date(clock.now),
    log: silent,
  })
  const isWell = (name: DemoEndpoint) =>
    !month.outages[name].some(({ from, to }) => clock.now >= from && clock.now < to)
  const call = createCall({
    rootSecret,
    log: silent,
    version,
    sender: {
      send: async (sent) => demoAnswer(sent, isWell) ?? notMade,
      close: async () => {},
    },
  })

  function current(): Tx {
    if (!within) throw new Error('the history of the demo shop works inside of a transaction only')
    return within
  }

  return {
    close: app.close,
    async live(tx, part) {
      within = tx
      await lockDemoShop(tx)
      const orderIds = await listPlacedBefore(tx, sellerOf(facts), facts.anchor)
      const first = part.acts.find(({ kind }) => kind === 'order')
      // Another node, or an earlier start, was here.
      if (first?.kind === 'order' && first.order < orderIds.length) return
      const restore = await silence(tx, facts)
      const people: People = { app, clock, tx, facts, month, orderIds, skuIds: await listSkuIds(tx, facts) }
      for (const [index, act] of part.acts.entries()) {
        clock.now = act.at
        await carryOut(people, act)
        await spareOthers(tx, facts)
        await settle(people, call, part.acts[index + 1]?.at ?? part.endsAt)
      }
      await spareOthers(tx, facts)
      await restore()
    },
  }
}

// Until the end of the transaction: nobody gets e-mails about the past.
async function silence(tx: Tx, { anchor }: HistoryFacts): Promise<() => Promise<void>> {
  const isOn = await isMailOn(tx)
  if (isOn) await setMailSwitch(tx, false, anchor)
  return async () => {
    if (isOn) await setMailSwitch(tx, true, anchor)
  }
}

// An endpoint that a developer has added, or runs with `webhooks listen`, does not meet hundreds of old calls. What it is sent since the
// shop was made stays.
async function spareOthers(tx: Tx, { anchor, installation }: HistoryFacts): Promise<void> {
  await deleteDeliveriesBefore(tx, installation.id, { before: anchor, exceptTo: demoUrls })
}

const demoUrls: readonly string[] = Object.values(demoEndpoints).map(({ url }) => url)

const notMade = {
  kind: 'failed',
  statusCode: null,
  retryAfter: null,
  error: 'the call could not be made',
  answer: null,
  tookMs: 0,
} as const

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

interface People {
  app: App
  clock: { now: number }
  tx: Tx
  facts: HistoryFacts
  month: Month
  // Of the month so far, the oldest first.
  orderIds: string[]
  skuIds: ReadonlyMap<string, string>
}

function sellerOf({ merchantId, installation }: HistoryFacts): MerchantMode {
  return { merchantId, mode: installation.mode }
}

async function listSkuIds(tx: Tx, { merchantId, productSlugs }: HistoryFacts): Promise<Map<string, string>> {
  const products = await listProductsBySlug(tx, merchantId, productSlugs)
  return new Map(products.flatMap(({ skus }) => skus.map(({ code, id }) => [code, id] as const)))
}

async function carryOut(people: People, act: Act): Promise<void> {
  switch (act.kind) {
    case 'order':
      people.orderIds.push(await buy(people, act.planned))
      return
    case 'send':
      return send(people, act)
    case 'collect':
      return perform(people, act.by, 'payAdminOrder', { orderId: orderOf(people, act.order), body: {} })
    case 'refund':
      return refund(people, act)
    case 'return':
      return returnAll(people, act)
    case 'ask_return':
      return askReturn(people, act.order)
    case 'cancel':
      return perform(people, act.by, 'cancelAdminOrder', {
        orderId: orderOf(people, act.order),
        body: { reason: 'customer_request', note: act.note },
      })
    case 'note':
      return perform(people, act.by, 'addAdminOrderNote', {
        orderId: orderOf(people, act.order),
        body: { text: act.text },
      })
    case 'look':
      return perform(people, act.by, 'getAdminOrderCustomer', { orderId: orderOf(people, act.order) })
    case 'dispute':
      return dispute(people, orderOf(people, act.order))
    case 'withdraw':
      return withdraw(people, act.order)
    case 'draft':
      return draft(people, act)
    case 'time_zone':
      return perform(people, act.by, 'updateAdminShop', {
        body: { expectedVersion: people.facts.shopVersion, timeZone: act.timeZone },
      })
    case 'promotion':
      return perform(people, act.by, 'createAdminPromotion', {
        body: {
          promotion: {
            code: act.code,
            name: act.name,
            type: 'percentage',
            percentage: 1_500,
            startsAt: toInstant(act.from),
            endsAt: toInstant(act.to),
          },
        },
      })
    case 'skus':
      return perform(people, act.by, 'updateAdminSkus', {
        body: { rows: act.rows.map(({ code, ...row }) => ({ skuId: skuOf(people, code), ...row })) },
      })
    case 'endpoint':
      return perform(people, act.by, 'createAdminWebhookEndpoint', {
        body: { installationId: people.facts.installation.id, ...demoEndpoints[act.endpoint] },
      })
  }
}

interface Request {
  orderId?: string
  returnId?: string
  draftId?: string
  body?: Readonly<Record<string, unknown>>
}

async function perform(people: People, by: DemoPerson, id: string, request: Request): Promise<void> {
  await answerOf(people, by, id, request)
}

async function answerOf({ app, facts }: People, by: DemoPerson, id: string, request: Request): Promise<string> {
  const { body, ...path } = request
  const { userId, role } = facts.people[by]
  const answer = await app.admin.perform(id, {
    principal: personCaller({ ...sellerOf(facts), userId, scopes: scopesOfRole[role] }),
    path,
    ...(body && { body: { ...body, idempotencyKey: newId('req') } }),
  })
  // A bulk operation says of each of its items what became of it.
  if (String(answer.body).includes('"outcome":"refused"')) throw new Error(`${id} was refused: ${answer.body}`)
  return String(answer.body)
}

function orderOf({ orderIds }: People, order: number): string {
  const id = orderIds[order]
  if (id === undefined) throw new Error(`order ${order} of the month was not placed yet`)
  return id
}

function skuOf({ skuIds }: People, code: string): string {
  const id = skuIds.get(code)
  if (id === undefined) throw new Error(`the demo shop has no SKU ${code}`)
  return id
}

const cards = {
  visa: ['4242424242424242', '123'],
  mastercard: ['5555555555554444', '123'],
  amex: ['378282246310005', '1234'],
  refusing: ['4000000000005126', '123'],
} as const

// As the storefront and the checkout page do it.
async function buy(
  people: People,
  { at, shopper, items, promotionCode, pay, isExpress }: PlannedOrder,
): Promise<string> {
  const { app, clock, tx, facts } = people
  clock.now = at - 4 * minute
  const opened = await openSession(app.payTools, {
    db: tx,
    caller: { ...sellerOf(facts), installationId: facts.installation.id },
    body: {
      items: items.map(({ code, quantity }) => ({ skuId: skuOf(people, code), quantity })),
      successUrl: 'http://localhost/shop/thanks',
      locale: shopper.locale,
      ...(promotionCode !== null && { promotionCode }),
    },
    now: new Date(clock.now),
    cause: { operationId: 'createHostedCheckoutSession', requestId: newId('req') },
  })
  const secret = opened.url?.split('/').at(-1) ?? ''
  const { name, email, address } = shopper
  const detailed = await app.checkout.setDetails(secret, opened.version, {
    contact: { name, email, phone: '' },
    address,
    shippingOptionId: isExpress && hasExpress(address.country) ? 'express' : 'standard',
  })
  if (!detailed || detailed.problem) throw new Error(`a shopper met ${detailed?.problem?.code}`)
  clock.now = at
  const { session } = detailed.view
  const isLater = pay === 'bank_transfer' || pay === 'cash_on_delivery'
  const [number, cvc] = isLater ? ['', ''] : cards[pay]
  const paid = await app.checkout.pay(secret, {
    version: session.version,
    expectedTotal: session.totals.total,
    ...(isLater
      ? { provider: 'manual', method: pay, details: {} }
      : { provider: 'test', method: 'card', details: { number, cvc, expiry: '12/40', name } }),
    attempt: newId('req'),
    locale: shopper.locale,
  })
  const orderId = paid?.view.session.orderId
  if (!orderId) throw new Error(`a shopper could not pay: ${paid?.problem?.code}`)
  return orderId
}

// The zone of the whole world has one way only.
function hasExpress(country: string): boolean {
  return country !== 'US'
}

async function send(people: People, { by, parcels }: Extract<Act, { kind: 'send' }>): Promise<void> {
  const rows = parcels
    .filter(({ isPart }) => !isPart)
    .map(({ order, carrier, trackingNumber }) => ({ orderId: orderOf(people, order), carrier, trackingNumber }))
  if (rows.length > 0) await perform(people, by, 'fulfilAdminOrders', { body: { rows } })
  for (const { order, carrier, trackingNumber } of parcels.filter(({ isPart }) => isPart))
    await perform(people, by, 'fulfilAdminOrder', {
      orderId: orderOf(people, order),
      body: { carrier, trackingNumber, items: [firstUnit(people, order)] },
    })
}

async function refund(people: People, act: Extract<Act, { kind: 'refund' }>): Promise<void> {
  const { by, order, isPart, reason } = act
  const what = isPart ? { items: [firstUnit(people, order)] } : {}
  await perform(people, by, 'refundAdminOrder', { orderId: orderOf(people, order), body: { ...what, reason } })
}

async function returnAll(people: People, { by, order }: Extract<Act, { kind: 'return' }>): Promise<void> {
  const orderId = orderOf(people, order)
  const planned = people.month.orders[order]?.items ?? []
  const items = planned.map(({ code, quantity }) => ({ skuId: skuOf(people, code), quantity }))
  const instructions = 'Please put the order number into the parcel.'
  const body = { items, reason: 'wrong_item', instructions }
  const opened = JSON.parse(await answerOf(people, by, 'createAdminReturn', { orderId, body })) as {
    data: { id: string }
  }
  const returnId = opened.data.id
  await perform(people, by, 'receiveAdminReturn', { returnId, body: {} })
  await perform(people, by, 'refundAdminReturn', { returnId, body: { close: true } })
}

// As on the page of the order.
async function askReturn(people: People, order: number): Promise<void> {
  const { tx, app, clock, facts } = people
  const key = { installationId: facts.installation.id, orderId: orderOf(people, order) }
  const found = await lockOrderFacts(tx, key)
  if (!found) throw new Error(`order ${order} of the month is not there`)
  const wishes = { items: [firstUnit(people, order)], reason: 'does_not_fit', wish: 'exchange' } as const
  const given = {
    ...wishes,
    openedBy: 'shopper',
    note: 'A size larger, please.',
    answer: null,
    labelUrl: null,
  } as const
  const cause = { operationId: null, requestId: newId('req') }
  await openReturn(tx, app.payTools.rootSecret, found, given, { now: clock.now, cause })
}

async function draft(people: People, { by, planned }: Extract<Act, { kind: 'draft' }>): Promise<void> {
  const { shopper, discount, note, isCancelled } = planned
  const items = planned.items.map(({ code, quantity }) => ({ skuId: skuOf(people, code), quantity }))
  const customer = { email: shopper.email, name: shopper.name }
  const body = { items, customer, address: shopper.address, discount, note, locale: 'de' }
  const made = JSON.parse(await answerOf(people, by, 'createAdminDraft', { body })) as {
    data: { draft: { id: string } }
  }
  if (isCancelled) await perform(people, by, 'cancelAdminDraft', { draftId: made.data.draft.id, body: {} })
}

function firstUnit(people: People, order: number): { skuId: string; quantity: number } {
  const code = people.month.orders[order]?.items[0]?.code ?? ''
  return { skuId: skuOf(people, code), quantity: 1 }
}

// As the page of the shop does it.
async function withdraw(people: People, order: number): Promise<void> {
  const { app, tx, facts, month } = people
  const { name, email, locale } = (month.orders[order] as PlannedOrder).shopper
  const placed = await findOrder(tx, { installationId: facts.installation.id, orderId: orderOf(people, order) })
  const shop = await app.withdrawals.findShop(demoMerchantSlug)
  if (!placed || !shop) throw new Error('a shopper of the demo shop could not withdraw')
  const statement = { name, order: placed.number, email, items: '' }
  await app.withdrawals.receive(shop, { statement, attempt: newId('wdr'), locale })
}

// The test provider has no disputes; this is what another one would have reported.
async function dispute({ app, tx, clock, facts }: People, orderId: string): Promise<void> {
  const { id: installationId } = facts.installation
  const [paid] = await listPaymentsOfOrder(tx, installationId, orderId)
  const payment = paid && (await lockPayment(tx, installationId, paid.id))
  if (!payment) throw new Error(`order ${orderId} was not paid`)
  await noteDispute(app.payTools, tx, payment, {
    reference: `dp_${payment.id.slice(-12)}`,
    amount: payment.amount,
    state: 'open',
    reason: 'product_not_received',
    dueAt: clock.now + 21 * day,
  })
}

// What loops do meanwhile: refunds, orders that nobody paid, returns of withdrawals, webhooks with their retries.
async function settle(people: People, call: Call, until: number): Promise<void> {
  const { app, clock, month } = people
  const { storage, providers, watch, rootSecret } = app.payTools
  const from = clock.now
  await payRefunds({ storage, providers, watch, onPaid: refundPaid }, from + 2_000)
  await cancelUnpaidOrders(storage, from, 20)
  await openWithdrawnReturns(storage, rootSecret, { now: from, limit: 20 })
  const isSick = (at: number) => month.outages.books.some((outage) => at >= outage.from && at < outage.to)
  for (const at of looksBetween(from, until, isSick)) {
    clock.now = at
    await deliver(people, call, at)
  }
}

const soonMs = [1_000, 7_000, 45_000, 3 * minute, 14 * minute, 46 * minute] as const

// As often as a receiver that fails is tried.
function looksBetween(from: number, until: number, isSick: (at: number) => boolean): number[] {
  const looks = soonMs.map((ms) => from + ms)
  for (let at = from + hour; at < until; at += isSick(at) ? 16 * minute : 2 * hour) looks.push(at)
  return looks.filter((at) => at < until)
}

const claimedMax = 50

// Only the demo's own: another endpoint cannot be called from the past, and would be given up.
async function deliver({ tx, facts }: People, call: Call, now: number): Promise<void> {
  const due = await listDueEndpoints(tx, '', now)
  if (due.length === 0) return
  const known = await listEndpoints(tx, facts.installation.id)
  const own = new Set<string>(known.filter(({ url }) => demoUrls.includes(url)).map(({ id }) => id))
  const endpoints = due.filter(({ id }) => own.has(id))
  if (endpoints.length === 0) return
  const { claimed } = await claimDeliveries(tx, endpoints, { limit: claimedMax, leaseMs: minute, now })
  const outcomes = await Promise.all(
    claimed.map(async (delivery) => ({ claimed: delivery, call: await call(delivery, now), startedAt: now })),
  )
  if (outcomes.length > 0)
    await recordOutcomes(tx, outcomes, now + Math.max(...outcomes.map(({ call }) => call.tookMs)))
}
