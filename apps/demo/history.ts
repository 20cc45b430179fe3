// Generates the month of history of the demo shop with the operations and pages that shoppers and the shop's members use, on a server
// with its clock in the past. The orders in the database show which parts are done, so the next start continues where one that was killed
// stopped.

import { type PastParts, PastSimulator } from '../../src/ops/past.ts'
import type { DemoPerson, HistoryFacts } from './facts.ts'
import { type Act, type Month, type PlannedOrder, planMonth } from './month.ts'
import { demoAnswer, demoEndpoints } from './receivers.ts'

export interface HistoryParts extends Pick<PastParts, 'storage' | 'rootSecret' | 'publicOrigin'> {
  // Called between two parts. If it returns true, the next start makes the remaining parts.
  isEnding: () => boolean
  // Between two parts, when others may write.
  rest: () => Promise<void>
  facts: HistoryFacts
}

export async function makeDemoHistory({ facts, isEnding, rest, ...parts }: HistoryParts): Promise<void> {
  const { anchor, shop } = facts
  const month = planMonth(anchor)
  const past = new PastSimulator({
    ...{ ...parts, shop, endsAt: anchor },
    receiver: (call) =>
      demoAnswer(call, (name, at) => !month.outages[name].some(({ from, to }) => at >= from && at < to)),
    receiverUrls: Object.values(demoEndpoints).map(({ url }) => url),
  })
  try {
    for (const part of month.parts) {
      if (isEnding()) return
      await past.live(() => livePart({ past, facts, month }, part))
      await rest()
    }
  } finally {
    past.close()
  }
}

async function livePart(people: People, part: readonly Act[]): Promise<void> {
  const { past, facts } = people
  const first = part.find(({ kind }) => kind === 'order')
  // Another node or an earlier start has made this part.
  if (first?.kind === 'order' && first.order < past.orderIds.length) return
  for (const [index, act] of part.entries()) {
    past.now = act.at
    await carryOut(people, act)
    const next = part[index + 1]?.at ?? facts.anchor
    // Background work that is due in the past runs now, so none of it is left for the loops of the real server.
    await past.catchUp(next > act.at ? next : facts.anchor)
  }
}

const minute = 60_000
const day = 24 * 60 * minute

interface People {
  past: PastSimulator
  facts: HistoryFacts
  month: Month
}

async function carryOut(people: People, act: Act): Promise<void> {
  switch (act.kind) {
    case 'order':
      people.past.orderIds.push(await buy(people, act.planned))
      return
    // Nothing to do: the order expires by itself.
    case 'lapse':
      return
    case 'send':
      return send(people, act)
    case 'collect':
      return perform(people, act.by, 'payAdminOrder', { orderId: orderOf(people, act.order), body: {} })
    case 'refund':
      return refund(people, act)
    case 'return':
      return returnAll(people, act)
    case 'exchange':
      return exchange(people, act)
    case 'edit':
      return edit(people, act)
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
      return people.past.reportDispute(orderOf(people, act.order), 'product_not_received', act.at + 21 * day)
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
            startsAt: new Date(act.from).toISOString(),
            endsAt: new Date(act.to).toISOString(),
          },
        },
      })
    case 'skus':
      return perform(people, act.by, 'updateAdminSkus', {
        body: { rows: act.rows.map(({ code, ...row }) => ({ skuId: skuOf(people, code), ...row })) },
      })
    case 'endpoint':
      return perform(people, act.by, 'createAdminWebhookEndpoint', {
        body: { installationId: people.facts.shop.installationId, ...demoEndpoints[act.endpoint] },
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

function answerOf<Data>({ past, facts }: People, by: DemoPerson, id: string, request: Request): Promise<Data> {
  const { body, ...path } = request
  return past.admin<Data>(facts.people[by], id, { path, ...(body && { body }) })
}

function orderOf({ past }: People, order: number): string {
  const id = past.orderIds[order]
  if (id === undefined) throw new Error(`order ${order} of the month was not placed yet`)
  return id
}

function skuOf({ facts }: People, code: string): string {
  const id = facts.skuIds.get(code)
  if (id === undefined) throw new Error(`the demo shop has no SKU ${code}`)
  return id
}

const cards = {
  visa: ['4242424242424242', '123'],
  mastercard: ['5555555555554444', '123'],
  amex: ['378282246310005', '1234'],
  refusing: ['4000000000005126', '123'],
} as const

// Buys with the same calls as the storefront and the checkout page.
async function buy(people: People, planned: PlannedOrder): Promise<string> {
  const { past } = people
  const { at, shopper, items, promotionCode, pay, isExpress } = planned
  past.now = at - 4 * minute
  const opened = await past.open<{ url: string | null; version: number }>('createHostedCheckoutSession', {
    body: {
      items: items.map(({ code, quantity }) => ({ skuId: skuOf(people, code), quantity })),
      successUrl: 'http://localhost/shop/thanks',
      locale: shopper.locale,
      ...(promotionCode !== null && { promotionCode }),
    },
  })
  const secret = lastOf(opened.url)
  const { name, email, address } = shopper
  const detailed = await past.checkout.setDetails(secret, opened.version, {
    contact: { name, email, phone: '' },
    address,
    shippingOptionId: isExpress && hasExpress(address.country) ? 'express' : 'standard',
  })
  if (!detailed || detailed.problem) throw new Error(`a shopper met ${detailed?.problem?.code}`)
  past.now = at
  const { session } = detailed.view
  const isLater = pay === 'bank_transfer' || pay === 'cash_on_delivery'
  const [number, cvc] = isLater ? ['', ''] : cards[pay]
  const paid = await past.checkout.pay(secret, {
    version: session.version,
    expectedTotal: session.totals.total,
    ...(isLater
      ? { provider: 'manual', method: pay, details: {} }
      : { provider: 'test', method: 'card', details: { number, cvc, expiry: '12/40', name } }),
    attempt: attemptOf(planned),
    locale: shopper.locale,
  })
  const orderId = paid?.view.session.orderId
  if (!orderId) throw new Error(`a shopper could not pay: ${paid?.problem?.code}`)
  return orderId
}

// The zone for the rest of the world, here the US, has no express shipping.
function hasExpress(country: string): boolean {
  return country !== 'US'
}

// A page makes one attempt key per form. This key stays the same when its part is made again.
function attemptOf({ at }: PlannedOrder): string {
  return `month ${at}`
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
  const { id: returnId } = await answerOf<{ id: string }>(people, by, 'createAdminReturn', { orderId, body })
  await perform(people, by, 'receiveAdminReturn', { returnId, body: {} })
  await perform(people, by, 'refundAdminReturn', { returnId, body: { close: true } })
}

async function exchange(people: People, { by, order, code }: Extract<Act, { kind: 'exchange' }>): Promise<void> {
  const items = [firstUnit(people, order)]
  const body = { items, reason: 'changed_mind', wish: 'exchange' }
  const orderId = orderOf(people, order)
  const { id: returnId } = await answerOf<{ id: string }>(people, by, 'createAdminReturn', { orderId, body })
  await perform(people, by, 'receiveAdminReturn', { returnId, body: {} })
  const wish = { newItems: [{ skuId: skuOf(people, code), quantity: 1 }], close: true }
  const made = await answerOf<{ order: { id: string } }>(people, by, 'exchangeAdminReturn', { returnId, body: wish })
  await perform(people, by, 'fulfilAdminOrder', { orderId: made.order.id, body: {} })
}

async function edit(people: People, { by, order, isMore }: Extract<Act, { kind: 'edit' }>): Promise<void> {
  const [first] = people.month.orders[order]?.items ?? []
  if (!first) return
  const wanted = { skuId: skuOf(people, first.code), quantity: first.quantity + (isMore ? 1 : -1) }
  const body = { items: [wanted], ...(isMore && { payByLink: true }) }
  await perform(people, by, 'editAdminOrder', { orderId: orderOf(people, order), body })
}

// Requests a return as the page of the order does.
async function askReturn(people: People, order: number): Promise<void> {
  const { statusUrl } = await shownOrder(people, order)
  const outcome = await people.past.requestReturn(lastOf(statusUrl), {
    items: [firstUnit(people, order)],
    reason: 'does_not_fit',
    wish: 'exchange',
    note: 'A size larger, please.',
  })
  if (outcome !== 'done') throw new Error(`a shopper could not ask for a return: ${outcome}`)
}

async function draft(people: People, { by, planned }: Extract<Act, { kind: 'draft' }>): Promise<void> {
  const { shopper, discount, note, isCancelled } = planned
  const items = planned.items.map(({ code, quantity }) => ({ skuId: skuOf(people, code), quantity }))
  const customer = { email: shopper.email, name: shopper.name }
  const body = { items, customer, address: shopper.address, discount, note, locale: 'de' }
  const made = await answerOf<{ draft: { id: string } }>(people, by, 'createAdminDraft', { body })
  if (isCancelled) await perform(people, by, 'cancelAdminDraft', { draftId: made.draft.id, body: {} })
}

// Withdraws as the shop's page for withdrawals does.
async function withdraw(people: People, order: number): Promise<void> {
  const { past, facts, month } = people
  const planned = month.orders[order] as PlannedOrder
  const { name, email, locale } = planned.shopper
  const { number } = await shownOrder(people, order)
  const shop = await past.withdrawals.findShop(facts.shop.merchantSlug)
  if (!shop) throw new Error('a shopper of the demo shop could not withdraw')
  const statement = { name, order: number, email, items: '' }
  await past.withdrawals.receive(shop, { statement, attempt: attemptOf(planned), locale })
}

function shownOrder(people: People, order: number): Promise<{ number: string; statusUrl: string | null }> {
  return people.past.open('getStorefrontOrder', { path: { orderId: orderOf(people, order) } })
}

function firstUnit(people: People, order: number): { skuId: string; quantity: number } {
  const code = people.month.orders[order]?.items[0]?.code ?? ''
  return { skuId: skuOf(people, code), quantity: 1 }
}

// The last segment of a page's URL, which is its secret.
function lastOf(url: string | null): string {
  return url?.split('/').at(-1) ?? ''
}
