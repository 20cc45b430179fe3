// What becomes of the checkouts of an app that is uninstalled: they end, nobody is charged there any more, and what was
// bought before stays the merchant's.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { cards, checkoutOf } from '../harness/checkout.ts'
import { cartwright } from '../harness/commandline.ts'
import { installApp, issueKey, type OAuthTestServer, openOAuthTestServer, postForm } from '../harness/oauth.ts'
import { poison } from '../harness/poison.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { testSecretText } from '../harness/testServer.ts'
import { openInterfaceScopes as scopes } from '../src/contract/words.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { openSession } from '../src/domain/checkout/sessions.ts'
import { endSessionsOfEnded } from '../src/domain/checkout/sweep.ts'
import { uninstallApp } from '../src/domain/oauth/installing.ts'
import { listTestCharges } from '../src/domain/payments/providers/sandbox/provider.ts'
import { RowsFailed } from '../src/platform/jobs/rows.ts'
import { Refusal } from '../src/platform/kit/refuse.ts'

const minute = 60_000
const challengeCard = '4000002500003155'
const silentCard = '4000000000000259'

async function openScene(given: Given) {
  const oauth = await openOAuthTestServer(given, { shops: [market, rival] })
  const installed = await installApp(oauth, { scope: scopes.join(' ') })
  const { secret: key } = await issueKey(oauth, installed, scopes)
  const { installationId } = installed
  // As the app asks.
  const testServer: OAuthTestServer = {
    ...oauth,
    installationId,
    ask: (id, options) => oauth.ask(id, { key, ...options }),
  }
  const checkout = await checkoutOf(testServer)
  const { storage, clock } = testServer

  return {
    testServer,
    installed,
    checkout,
    open: (items: Readonly<Record<string, number>> = { 'ROSE-12': 2, CARD: 1 }) =>
      checkout.ready(items, { successUrl: 'https://app.example/thanks', cancelUrl: 'https://app.example/cart' }),
    end: async () => assert.equal(await storage.write((tx) => uninstallApp(tx, installationId, clock.now)), true),
    sweep: (limit?: number) => endSessionsOfEnded(storage, testServer.app.payTools, clock.now, limit),
    held: async () => {
      const rows = await storage.read(
        (db) => db.sql<{ held: number }>`select coalesce(sum(quantity), 0) as "held" from holds`,
      )
      return rows[0]?.held
    },
    session: async (id: string) => {
      const [row] = await storage.read(
        (db) => db.sql<{ status: string; version: number; cancellation: string | null; orderId: string | null }>`
          select status, version, cancellation, order_id as "orderId" from checkout_sessions where id = ${id}`,
      )
      assert.ok(row)
      return { ...row, cancellation: row.cancellation && JSON.parse(row.cancellation) }
    },
    lastEvent: async (id: string) => {
      const rows = await storage.read(
        (db) => db.sql<{ type: string }>`select type from events where subject_id = ${id} order by sequence`,
      )
      return rows.at(-1)?.type
    },
    post: (secret: string, action: string, fields: Readonly<Record<string, string>>) =>
      fetch(`${testServer.origin}/c/${secret}/${action}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: testServer.origin },
        body: new URLSearchParams(fields),
      }),
  }
}

type Scene = Awaited<ReturnType<typeof openScene>>

function payFields({ session }: Awaited<ReturnType<Scene['open']>>['view'], number: string): Record<string, string> {
  return {
    version: String(session.version),
    expectedTotal: String(session.totals.total),
    attempt: randomUUID(),
    method: 'test:card',
    'card.number': number,
    'card.expiry': '12 / 40',
    'card.cvc': '123',
    'card.name': 'Ada Lovelace',
  }
}

async function assertClosed(response: Response): Promise<void> {
  const text = await response.text()
  assert.deepEqual([response.status, response.headers.get('location')], [200, null])
  assert.match(text, /This checkout is closed/)
  assert.match(text, /You have not been charged/)
  // Neither the app's addresses nor a form.
  assert.doesNotMatch(text, /app\.example|<form|<button/)
}

eachEngine('after an app is uninstalled', (given) => {
  test('its checkout pages are closed immediately, posts are refused, and nothing is charged', async () => {
    const scene = await openScene(given)
    const { secret, sessionId, view } = await scene.open()
    const cancelled = await scene.open({ CARD: 2 })
    assert.equal((await scene.post(cancelled.secret, 'cancel', {})).headers.get('location'), 'https://app.example/cart')
    await scene.end()
    await assertClosed(await fetch(`${scene.testServer.origin}/c/${secret}`))
    const version = String(view.session.version)
    const skuId = view.session.items[0]?.skuId ?? ''
    for (const [action, fields] of [
      ['quantity', { version, skuId, quantity: '1' }],
      ['code', { version, code: 'WELCOME10' }],
      [
        'details',
        { version, email: 'eve@example.com', country: 'DE', name: 'Eve', line1: 'A 1', city: 'B', postalCode: '10117' },
      ],
      ['pay', payFields(view, cards.approved)],
      ['pay', { ...payFields(view, cards.approved), method: 'manual:bank_transfer' }],
      ['cancel', {}],
      ['again', {}],
    ] as const)
      await assertClosed(await scene.post(secret, action, fields))
    await assertClosed(await scene.post(cancelled.secret, 'again', {}))
    const { status, version: kept } = await scene.session(sessionId)
    assert.deepEqual([status, kept], ['open', view.session.version])
    assert.deepEqual(await listTestCharges(scene.testServer.storage), [])
    const [counts] = await scene.testServer.storage.read(
      (db) => db.sql<object>`
        select (select count(*) from payments) as "payments", (select count(*) from orders) as "orders",
          (select count(*) from checkout_sessions) as "sessions"`,
    )
    assert.deepEqual(counts, { payments: 0, orders: 0, sessions: 2 })
  })

  test('its open checkouts end in batches and release their stock, and checkouts of other installations stay', async () => {
    const scene = await openScene(given)
    const { storage, clock } = scene.testServer
    const bystander = await checkoutOf({
      ...scene.testServer,
      ask: (id, options) => scene.testServer.ask(id, { ...options, key: scene.testServer.keys.full }),
    })
    const other = await bystander.ready({ CARD: 5 })
    const opened = []
    for (let i = 0; i < 5; i += 1) opened.push(await scene.open())
    assert.equal(await scene.held(), 20)
    await scene.end()
    // Two at a time, and again while there are more.
    assert.deepEqual([await scene.sweep(2), await scene.held()], [2, 14])
    assert.deepEqual([await scene.sweep(2), await scene.sweep(2), await scene.sweep(2)], [2, 1, 0])
    assert.equal(await scene.held(), 5)
    for (const { sessionId, view } of opened) {
      assert.deepEqual(await scene.session(sessionId), {
        status: 'cancelled',
        version: view.session.version + 1,
        cancellation: { reason: 'other', note: null, by: 'system' },
        orderId: null,
      })
      assert.equal(await scene.lastEvent(sessionId), 'checkout_session.cancelled')
    }
    assert.equal((await scene.session(other.sessionId)).status, 'open')
    assert.equal((await bystander.pay(other.secret, other.view)).problem, null)
    // After a while nothing is left to look for.
    const due = () =>
      storage.read((db) => db.sql<object>`select id from installations where sessions_end_at is not null`)
    assert.equal((await due()).length, 1)
    clock.now += 2 * minute
    assert.equal(await scene.sweep(), 0)
    assert.deepEqual(await due(), [])
  })

  test('a checkout whose row cannot be written does not block the others, and is tried again', async () => {
    const scene = await openScene(given)
    const opened = []
    for (let i = 0; i < 4; i += 1) opened.push(await scene.open({ CARD: 1 }))
    const [bad = '', ...good] = opened.map(({ sessionId }) => sessionId)
    const cure = await poison(scene.testServer.storage, 'checkout_sessions', `old.id = '${bad}'`)
    await scene.end()
    await assert.rejects(scene.sweep(), RowsFailed)
    for (const id of good) assert.equal((await scene.session(id)).status, 'cancelled')
    scene.testServer.clock.now += 10_000
    assert.equal(await scene.sweep(), 0, 'it is passed over')
    await cure()
    scene.testServer.clock.now += minute
    assert.equal(await scene.sweep(), 1)
    assert.deepEqual([(await scene.session(bad)).status, await scene.held()], ['cancelled', 0])
  })

  test('two concurrent sweeps on two nodes end each checkout once', async () => {
    const scene = await openScene(given)
    const opened = []
    for (let i = 0; i < 6; i += 1) opened.push(await scene.open({ CARD: 1 }))
    await scene.end()
    const second = await given.open({ url: scene.testServer.url })
    await Promise.all(
      [scene.testServer.storage, second, scene.testServer.storage].map((storage) =>
        endSessionsOfEnded(storage, scene.testServer.app.payTools, scene.testServer.clock.now),
      ),
    )
    scene.testServer.clock.now += 10_000
    await scene.sweep()
    for (const { sessionId, view } of opened) {
      const { status, version } = await scene.session(sessionId)
      assert.deepEqual([status, version], ['cancelled', view.session.version + 1])
    }
    assert.equal(await scene.held(), 0)
  })

  test('a pending payment that is approved places an order of the merchant, and the shopper is not redirected to the app', async () => {
    const scene = await openScene(given)
    const { secret, sessionId, view } = await scene.open()
    await scene.post(secret, 'pay', payFields(view, challengeCard))
    await scene.end()
    assert.equal(await scene.sweep(), 0)
    assert.equal((await scene.session(sessionId)).status, 'processing')
    const page = await (await fetch(`${scene.testServer.origin}/c/${secret}`)).text()
    const paymentId = /name="paymentId" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const answered = await scene.post(secret, 'challenge', { paymentId, answer: 'accept' })
    assert.deepEqual([answered.status, answered.headers.get('location')], [303, `/c/${secret}`])
    const done = await (await fetch(`${scene.testServer.origin}/c/${secret}`)).text()
    assert.match(done, /Thank you for your order/)
    assert.doesNotMatch(done, /app\.example/)
    const { status, orderId } = await scene.session(sessionId)
    assert.equal(status, 'completed')
    assert.deepEqual(
      (await listTestCharges(scene.testServer.storage)).map(({ state }) => state),
      ['approved'],
    )

    // The operator reaches it by number and by id, though its installation has ended.
    const settings = { CARTWRIGHT_DATABASE_URL: scene.testServer.url, CARTWRIGHT_SECRET: testSecretText }
    const run = async (...args: string[]) => {
      const { code, out, err } = await cartwright(['orders', ...args, '--merchant', 'bloom', '--json'], settings)
      assert.deepEqual([code, err], [0, ''])
      return JSON.parse(out)
    }
    const { orders } = await run('list', '--test')
    assert.deepEqual(
      orders.map(({ id }: { id: string }) => id),
      [orderId],
    )
    assert.equal((await run('show', orders[0].number)).order.id, orderId)
    assert.equal((await run('refund', orders[0].number, '--amount', '100')).order.totals.refunded, 100)
    assert.equal((await run('fulfil', orderId ?? '')).order.status, 'completed')
  })

  test('a pending payment that is declined ends the checkout', async () => {
    const scene = await openScene(given)
    const { secret, sessionId, view } = await scene.open()
    await scene.post(secret, 'pay', payFields(view, challengeCard))
    await scene.end()
    // A minute later it is still looked for, because of the payment.
    scene.testServer.clock.now += 2 * minute
    assert.equal(await scene.sweep(), 0)
    const page = await (await fetch(`${scene.testServer.origin}/c/${secret}`)).text()
    const paymentId = /name="paymentId" value="([^"]+)"/.exec(page)?.[1] ?? ''
    const refused = await scene.post(secret, 'challenge', { paymentId, answer: 'refuse' })
    assert.equal(refused.headers.get('location'), `/c/${secret}#payment`)
    await assertClosed(await fetch(`${scene.testServer.origin}/c/${secret}`))
    scene.testServer.clock.now += 10_000
    assert.equal(await scene.sweep(), 1)
    assert.deepEqual([(await scene.session(sessionId)).status, await scene.held()], ['cancelled', 0])
  })

  test('by revoking its refresh token, its open checkouts end too', async () => {
    const scene = await openScene(given)
    const { sessionId } = await scene.open()
    const { app, refreshToken } = scene.installed
    assert.equal(
      (await postForm(scene.testServer, '/oauth/revoke', { client_id: app.id, token: refreshToken })).status,
      200,
    )
    assert.equal(await scene.sweep(), 1)
    assert.equal((await scene.session(sessionId)).status, 'cancelled')
  })

  test('a request that was accepted just before opens no session', async () => {
    const scene = await openScene(given)
    const { installationId, merchantId, storage, app, clock } = scene.testServer
    await scene.end()
    await assert.rejects(
      storage.write((tx) =>
        openSession(app.payTools, {
          db: tx,
          caller: { installationId, merchantId, mode: 'test' },
          body: {
            idempotencyKey: 'late',
            items: [{ skuId: scene.checkout.carts.sku('CARD'), quantity: 1 }],
            successUrl: 'https://app.example/thanks',
          },
          now: new Date(clock.now),
          cause: { operationId: 'createHostedCheckoutSession', requestId: 'req_x' },
        }),
      ),
      (error: unknown) => error instanceof Refusal && error.code === 'unauthenticated',
    )
  })

  for (const [name, close, reopen] of [
    [
      'an installation is disabled',
      (scene: Scene) =>
        scene.testServer.storage.write(
          (tx) => tx.sql`update installations set disabled_at = 1 where id = ${scene.testServer.installationId}`,
        ),
      (scene: Scene) =>
        scene.testServer.storage.write(
          (tx) => tx.sql`update installations set disabled_at = null where id = ${scene.testServer.installationId}`,
        ),
    ],
    [
      'a merchant is closed',
      (scene: Scene) => scene.testServer.storage.write((tx) => tx.sql`update merchants set closed_at = 1`),
      (scene: Scene) => scene.testServer.storage.write((tx) => tx.sql`update merchants set closed_at = null`),
    ],
  ] as const)
    test(`while ${name}, nothing can be paid, and the checkout stays open`, async () => {
      const scene = await openScene(given)
      const { secret, sessionId, view } = await scene.open()
      await close(scene)
      await assertClosed(await fetch(`${scene.testServer.origin}/c/${secret}`))
      await assertClosed(await scene.post(secret, 'pay', payFields(view, cards.approved)))
      assert.equal(await scene.sweep(), 0)
      assert.equal((await scene.session(sessionId)).status, 'open')
      await reopen(scene)
      const paid = await scene.post(secret, 'pay', payFields(view, cards.approved))
      assert.equal(paid.headers.get('location'), 'https://app.example/thanks')
    })

  test('a payment with an unknown outcome is settled by the loop', async () => {
    const scene = await openScene(given)
    const { secret, sessionId, view } = await scene.open()
    await scene.post(secret, 'pay', payFields(view, silentCard))
    await scene.end()
    for (let i = 0; i < 10 && (await scene.session(sessionId)).status === 'processing'; i += 1) {
      scene.testServer.clock.now += 10 * minute
      await recoverPayments(scene.testServer.app.payTools)
    }
    assert.equal((await scene.session(sessionId)).status, 'completed')
  })
})
