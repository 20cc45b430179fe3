// A walk over the dashboard from link to link. Every page is valid HTML, and every page and form with the ids of another shop is answered
// as if these had never been.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { before, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createCategory, createProduct, createPromotion } from '../harness/admin/catalog.ts'
import { someCustomer } from '../harness/admin/customers.ts'
import { failedDelivery } from '../harness/admin/developers.ts'
import { draftOf } from '../harness/admin/drafts.ts'
import { bankAccounts } from '../harness/admin/payments.ts'
import { requestedReturn } from '../harness/admin/returns.ts'
import { runTransfers, sendFile } from '../harness/admin/transfers.ts'
import { unsettledPayment } from '../harness/admin/unsettled.ts'
import { connectBank } from '../harness/bank.ts'
import { type DashboardUser, dashboardUserOf } from '../harness/dashboard.ts'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import type { Form } from '../harness/scriptless.ts'
import { eachEngine, isOnce } from '../harness/storage.ts'
import { type TestServer, testSecret } from '../harness/testServer.ts'
import { withdraw } from '../harness/withdrawals.ts'
import { sectionKinds } from '../src/contract/words.ts'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { setMailSwitch } from '../src/platform/outbox/emails.ts'
import { screens } from '../src/web/dashboard/screens.ts'

interface HtmlValidateModule {
  HtmlValidate: new (
    rules: unknown,
  ) => {
    validateString(html: string): Promise<{
      results: readonly {
        messages: readonly { ruleId: string; message: string; line: number; column: number }[]
      }[]
    }>
  }
}

interface Seen {
  path: string
  html: string
  forms: readonly Form[]
}

const idPattern = /\b([a-z]{2,4})_[0-7][0-9a-hjkmnp-tv-z]{25}\b/g
const shapeOf = (href: string) => href.replaceAll(idPattern, ':$1').split('?')[0] ?? ''

// A section of every kind.
const link = { kind: 'address', target: 'https://journal.example/', label: 'Journal' } as const
const siteDraft = {
  look: { logo: null, color: '#7a1f3d', font: 'slab', corners: 'soft', density: 'dense', scheme: 'auto' },
  home: sectionKinds.map((kind) => ({ kind, title: `A "${kind}"`, link })),
  menus: { head: [link], foot: null },
} as const

eachEngine('a walk over the dashboard', (given) => {
  let testServer: TestServer & { orders: Orders }
  let dashboardUser: DashboardUser
  let pages: readonly Seen[]

  before(async () => {
    testServer = await openOrderTestServer(given, { accountProviders: bankAccounts() })
    dashboardUser = await dashboardUserOf(testServer)
    await dashboardUserOf(testServer, { role: 'staff' })
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
    const account = await testServer.askAdmin('connectAdminPaymentAccount', {
      body: { provider: 'redirect', keys: { key: 'bank_test_acct1' }, idempotencyKey: newId('req') },
    })
    assert.equal(account.status, 200, account.text)
    await connectBank(testServer, { provider: 'mollie', public: { profile: 'pfl_1', name: 'Bloom' } })
    pages = await walk([
      ...['', '/keys', '/disconnect'].map((path) => `settings/payments/accounts/${account.body.data.id}${path}`),
      `payments/${unsettled.paymentId}/close`,
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
  })

  // One page of each shape.
  async function walk(more: readonly string[]): Promise<Seen[]> {
    const { page } = dashboardUser
    const seen = new Map<string, Seen>()
    const queue = screens
      .filter(({ get, path }) => get && !path.includes(':') && !path.endsWith('export'))
      .map(({ path }) => dashboardUser.path(path))
    const views = ['orders?view=all', 'search?q=roses', 'nothing']
    queue.push(...[...more, ...views].map(dashboardUser.path), '/admin/account')
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

  test('every screen that can be looked at was seen', () => {
    const shapes = new Set(pages.map(({ path }) => shapeOf(path)))
    const missed = screens
      .filter(({ get, path }) => get && !path.endsWith('export'))
      .map(({ path }) => dashboardUser.path(path))
      .filter((path) => {
        const pattern = new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`)
        return ![...shapes].some((shape) => pattern.test(shape))
      })
    assert.deepEqual(missed, [])
  })

  test('a choice that is given can be left as it is', () => {
    const blocked = pages.filter(({ html }) => /<select[^>]* required[^>]*>\s*<option value=""/.test(html))
    assert.deepEqual(
      blocked.map(({ path }) => path),
      [],
    )
  })

  if (isOnce(given))
    test('every page is valid HTML', async () => {
      // Loaded here: it takes a second that the other engine does not need.
      const { HtmlValidate } = createRequire(import.meta.url)('html-validate') as HtmlValidateModule
      const rules = new URL('../.htmlvalidate.json', import.meta.url)
      const validator = new HtmlValidate(JSON.parse(await readFile(rules, 'utf8')))
      const found: string[] = []
      for (const { path, html } of pages) {
        const { results } = await validator.validateString(html)
        // The validator keeps the loop busy, and a server in the same process that is too late refuses requests.
        await setImmediate()
        for (const { messages } of results)
          for (const { ruleId, message, line, column } of messages)
            found.push(
              `${path} ${ruleId}: ${message} ${html.split('\n')[line - 1]?.slice(Math.max(0, column - 60), column + 60)}`,
            )
      }
      assert.deepEqual(found.slice(0, 20), [])
    })

  test('pages and forms with ids of another shop are answered as with ids that never were, and nothing moves', async () => {
    const merchantId = await rivalId()
    const rival = await dashboardUserOf(testServer, { slug: 'rival', merchantId })
    const there = (text: string) => text.replaceAll(dashboardUser.path(''), rival.path(''))
    // Each id has one that never was.
    const others = new Map<string, string>()
    const never = (text: string) =>
      text.replaceAll(idPattern, (id, prefix: string) => {
        const other = others.get(id) ?? newId(prefix as Parameters<typeof newId>[0])
        others.set(id, other)
        return other
      })
    const before = await rowsOf()
    const found: string[] = []
    const ask = async (path: string, form?: URLSearchParams) => {
      const answer = await fetch(testServer.origin + path, {
        redirect: 'manual',
        headers: { ...rival.headers, 'accept-language': 'en-GB' },
        ...(form && { method: 'POST', body: form }),
      })
      const text = `${answer.headers.get('location') ?? ''} ${await answer.text()}`
      return `${answer.status} ${text.replaceAll(idPattern, ':id').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ':key')}`
    }
    const compare = async (name: string, ...asked: readonly (() => Promise<string>)[]) => {
      const [foreign = '', unknown = ''] = [await asked[0]?.(), await asked[1]?.()]
      if (foreign !== unknown) found.push(`${name}: ${foreign.slice(0, 80)} | ${unknown.slice(0, 80)}`)
      return foreign
    }
    let forms = 0
    const sent = new Set<string>()
    for (const page of pages) {
      const path = there(page.path)
      if (page.path.match(idPattern)) {
        const answer = await compare(
          path,
          () => ask(path),
          () => ask(never(path)),
        )
        if (!/^404 |^303 \S+failed=\w+_not_found /.test(answer)) found.push(`${path}: ${answer.slice(0, 60)}`)
      }
      for (const { action, method, fields } of page.forms) {
        const text = `${action} ${JSON.stringify(fields)}`
        if (method !== 'post' || !text.match(idPattern) || !action.startsWith(dashboardUser.path(''))) continue
        const shape = shapeOf(action)
        if (sent.has(shape)) continue
        sent.add(shape)
        forms += 1
        // Of a choice between none and some, the id is tried.
        const isNoneOfSome = ([name, value]: readonly [string, string]) =>
          value === '' && fields.some(([other, id]) => other === name && id.match(idPattern))
        const tried = fields.filter((one) => !isNoneOfSome(one))
        const filled = (change: (text: string) => string) =>
          new URLSearchParams(
            tried.map(([name, value]): [string, string] => [name, name === 'key' ? newId('req') : change(value)]),
          )
        await compare(
          `post ${shape}`,
          () => ask(there(action), filled(there)),
          () =>
            ask(
              never(there(action)),
              filled((value) => never(there(value))),
            ),
        )
      }
    }
    assert.deepEqual(found, [])
    assert.ok(forms > 20, `${forms} forms`)
    assert.deepEqual(await rowsOf(), before)
  })

  async function rivalId(): Promise<string> {
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ id: string }>`select id from merchants where slug = 'rival'`,
    )
    return row?.id ?? ''
  }

  // What the first shop has, as far as a form could reach it.
  async function rowsOf() {
    const own = testServer.merchantId
    return testServer.storage.read(async (db) => ({
      products: await db.sql`select * from products where merchant_id = ${own} order by id`,
      skus: await db.sql`select * from skus where merchant_id = ${own} order by id`,
      stock: await db.sql`select * from stock where merchant_id = ${own} order by sku_id, mode`,
      categories: await db.sql`select * from categories where merchant_id = ${own} order by id`,
      promotions: await db.sql`select * from promotions where merchant_id = ${own} order by id`,
      orders: await db.sql`select * from orders where merchant_id = ${own} order by id`,
      notes: await db.sql`select * from order_notes order by id`,
      fulfillments: await db.sql`select * from fulfillments order by id`,
      returns: await db.sql`select * from returns where merchant_id = ${own} order by id`,
      drafts: await db.sql`select * from drafts where merchant_id = ${own} order by id`,
      customers: await db.sql`select * from customers where merchant_id = ${own} order by id`,
      withdrawals: await db.sql`select * from withdrawals where merchant_id = ${own} order by id`,
      refunds: await db.sql`select * from refunds where merchant_id = ${own} order by id`,
      endpoints: await db.sql`select * from webhook_endpoints order by id`,
      deliveries: await db.sql`select id, status, replay_of from webhook_deliveries order by id`,
      members: await db.sql`select * from user_merchants where merchant_id = ${own} order by user_id`,
      invitations: await db.sql`select * from invitations where merchant_id = ${own} order by id`,
      transfers: await db.sql`select * from transfers where merchant_id = ${own} order by id`,
      changes: await db.sql`select id, undoes from audit_entries where merchant_id = ${own} order by id`,
    }))
  }
})
