// Every page of the dashboard, found by walking it from link to link in a shop that has something of everything.

import assert from 'node:assert/strict'
import { sectionKinds } from '../src/contract/words.ts'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { setMailSwitch } from '../src/platform/outbox/emails.ts'
import { screens } from '../src/web/dashboard/screens.ts'
import { createCategory, createProduct, createPromotion } from './admin/catalog.ts'
import { someCustomer } from './admin/customers.ts'
import { failedDelivery } from './admin/developers.ts'
import { draftOf } from './admin/drafts.ts'
import { bankAccounts } from './admin/payments.ts'
import { requestedReturn } from './admin/returns.ts'
import { runTransfers, sendFile } from './admin/transfers.ts'
import { unsettledPayment } from './admin/unsettled.ts'
import { connectBank } from './bank.ts'
import { type DashboardUser, dashboardUserOf } from './dashboard.ts'
import { type Orders, openOrderTestServer } from './orders.ts'
import type { Form } from './scriptless.ts'
import type { Given } from './storage.ts'
import { type TestServer, testSecret } from './testServer.ts'
import { withdraw } from './withdrawals.ts'

export interface SeenPage {
  path: string
  html: string
  forms: readonly Form[]
}

export interface WalkedDashboard {
  testServer: TestServer & { orders: Orders }
  dashboardUser: DashboardUser
  pages: readonly SeenPage[]
}

export const idPattern = /\b([a-z]{2,4})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g
export const shapeOf = (href: string) => href.replaceAll(idPattern, ':$1').split('?')[0] ?? ''

// A section of every kind.
const link = { kind: 'address', target: 'https://journal.example/', label: 'Journal' } as const
const siteDraft = {
  look: { logo: null, color: '#7a1f3d', font: 'slab', corners: 'soft', density: 'dense', scheme: 'auto' },
  home: sectionKinds.map((kind) => ({ kind, title: `A "${kind}"`, link })),
  menus: { head: [link], foot: null },
} as const

export async function walkDashboard(given: Given): Promise<WalkedDashboard> {
  const testServer = await openOrderTestServer(given, { accountProviders: bankAccounts() })
  const dashboardUser = await dashboardUserOf(testServer)
  const staff = await dashboardUserOf(testServer, { role: 'staff' })
  const { orderId } = await testServer.orders.place({ items: { 'ROSE-12': 1, CARD: 3 } })
  const sent = await testServer.orders.place({ items: { CARD: 2 } })
  const unpaid = await testServer.orders.place({ items: { CARD: 1 }, isManual: true })
  const keyed = { idempotencyKey: newId('req') }
  for (const [id, path, body] of [
    ['fulfilAdminOrder', { orderId: sent.orderId }, { trackingNumber: 'T-1', ...keyed }],
    ['addAdminOrderNote', { orderId }, { text: 'Rings twice.', ...keyed }],
  ] as const)
    await testServer.askAdmin(id, { path, body })
  await createProduct(testServer, { images: [{ url: 'https://pictures.example/a.jpg', alt: 'A "cup" & <saucer>' }] })
  await createCategory(testServer)
  const { version: expectedVersion } = (await testServer.askAdmin('getAdminSite')).body.data
  const saved = await testServer.askAdmin('replaceAdminSite', {
    body: { ...siteDraft, expectedVersion, idempotencyKey: newId('req') },
  })
  assert.equal(saved.status, 200, saved.text)
  await createPromotion(testServer)
  await failedDelivery(testServer)
  await testServer.newKey(['catalog:read'])
  await sendFile(testServer, 'products', 'Handle,Title,Variant SKU,Variant Price\ncup,Cup,CUP,3.00\nbad,Bad,BAD,x\n')
  await runTransfers(testServer)
  await testServer.storage.write((tx) => setMailSwitch(tx, true, testServer.clock.now))
  await testServer.askAdmin('inviteAdminMember', { body: { email: 'new@bloom.example', role: 'viewer', ...keyed } })
  const { body } = await testServer.askAdmin('listAdminChanges')
  const undoable = body.data.find(({ operation }: { operation: string }) => operation === 'createAdminProduct')
  const [parcel] = (await testServer.askAdmin('getAdminOrder', { path: { orderId: sent.orderId } })).body.data
    .fulfillments
  const asked = await requestedReturn(testServer)
  const opened = await testServer.askAdmin('createAdminReturn', {
    path: { orderId: sent.orderId },
    body: { items: [{ skuId: asked.skuId, quantity: 1 }], reason: 'late', idempotencyKey: newId('req') },
  })
  assert.equal(opened.status, 200, opened.text)
  const { number } = await testServer.orders.place({ items: { CARD: 1 } })
  await withdraw(testServer, { order: number })
  const [withdrawal] = (await testServer.askAdmin('listAdminWithdrawals')).body.data
  const unsettled = await unsettledPayment(testServer, 15 * 86_400_000)
  const customerId = await someCustomer(testServer)
  const { draft } = await draftOf(testServer)
  await issueDocuments(testServer.storage, testSecret, { now: testServer.clock.now, limit: 10 })
  const [document] = (await testServer.askAdmin('listAdminDocuments', { query: `?orderId=${orderId}` })).body.data
  await testServer.storage.write(
    (tx) => tx.sql`
      insert into user_passkeys (user_id, id, public_key, counter, transports, name, created_at)
      values (${dashboardUser.userId}, 'phone', 'x', 0, '[]', 'Phone', ${testServer.clock.now})`,
  )
  const account = await testServer.askAdmin('connectAdminPaymentAccount', {
    body: { provider: 'redirect', keys: { key: 'bank_test_acct1' }, idempotencyKey: newId('req') },
  })
  assert.equal(account.status, 200, account.text)
  await connectBank(testServer, { provider: 'mollie', public: { profile: 'pfl_1', name: 'Bloom' } })
  const pages = await walk(dashboardUser, [
    ...['', '/keys', '/disconnect'].map((path) => `settings/payments/accounts/${account.body.data.id}${path}`),
    `payments/${unsettled.paymentId}/close`,
    `settings/people/${staff.userId}/sessions`,
    ...['', '/remove'].map((path) => `account/passkeys/phone${path}`),
    `withdrawals/${withdrawal.id}`,
    `withdrawals/${withdrawal.id}/statement`,
    ...['', '/edit', '/cancel'].map((path) => `drafts/${draft.id}${path}`),
    ...['', '/details', '/data', '/notes', '/erase'].map((path) => `customers/${customerId}${path}`),
    `orders/${sent.orderId}/return`,
    `returns/${asked.returnId}/approve`,
    `returns/${asked.returnId}/refuse`,
    ...['', '/receive', '/refund', '/exchange', '/close'].map((path) => `returns/${opened.body.data.id}${path}`),
    `orders/${orderId}/documents/${document.id}`,
    `orders/${orderId}/customer`,
    `orders/${orderId}/address`,
    `orders/${orderId}/notes`,
    ...['pay', 'give-back', 'undelivered'].map((path) => `orders/${unpaid.orderId}/${path}`),
    `orders/${sent.orderId}/parcels/${parcel.id}`,
    `settings/changes/${undoable.id}`,
    `settings/changes/${undoable.id}/undo`,
  ])
  return { testServer, dashboardUser, pages }
}

// One page of each shape.
async function walk(dashboardUser: DashboardUser, more: readonly string[]): Promise<SeenPage[]> {
  const { page } = dashboardUser
  const seen = new Map<string, SeenPage>()
  const queue = screens
    .filter(({ get, path }) => get && !path.includes(':') && !path.endsWith('export'))
    .map(({ path }) => dashboardUser.path(path))
  const views = [
    'orders?view=all',
    'orders?view=all&status=cancelled',
    'orders?done=sentMany&n=2&change=chg_1',
    'search?q=roses',
    'nothing',
  ]
  queue.push(...[...more, ...views].map(dashboardUser.path))
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (seen.has(shapeOf(path)) && !path.includes('?')) continue
    await page.open(path)
    const found = { path, html: page.html, forms: page.forms() }
    seen.set(`${shapeOf(path)}${path.includes('?') ? path : ''}`, found)
    for (const href of page.links().values())
      if (
        href.startsWith(dashboardUser.path('')) &&
        !/export/.test(href) &&
        !seen.has(shapeOf(href)) &&
        !href.includes('?')
      )
        queue.push(href)
  }
  return [...seen.values()]
}
