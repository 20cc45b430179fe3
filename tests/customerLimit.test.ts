// The limit per customer: whom it recognises, through spellings, merchants, rotations of the root secret and upgrades.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { cartsOf, market } from '../harness/carts.ts'
import { cards, checkoutOf, secretOf } from '../harness/checkout.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret, testSecretText } from '../harness/testServer.ts'
import { type App, createApp } from '../src/app.ts'
import { openSession } from '../src/domain/checkout/sessions.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { createLog } from '../src/platform/log/log.ts'
import { deriveKey, parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'

const newText = 'another-secret-that-only-the-tests-of-this-house-know'
const once = { code: 'ONE', name: 'One', type: 'percentage', percentage: 5000, customerLimit: 1 } as const
const shop = { ...market, promotions: [once] }

eachEngine('the promotion limit per customer', (given) => {
  // What became of a purchase with the code: null when it was paid.
  async function buy(testServer: TestServer, email: string, app: App = testServer.app) {
    const { sku } = await cartsOf(testServer)
    const { installationId, merchantId } = testServer
    const { url } = await testServer.storage.write((db) =>
      openSession(app.payTools, {
        db,
        caller: { installationId, merchantId, mode: 'test' },
        body: {
          items: [{ skuId: sku('COURSE'), quantity: 1 }],
          promotionCode: 'ONE',
          successUrl: 'http://localhost/x',
        },
        now: new Date(testServer.clock.now),
        cause: { operationId: null, requestId: newId('req') },
      }),
    )
    const secret = secretOf(url ?? '')
    const { session } = (await app.checkout.look(secret)) ?? assert.fail()
    const contact = { email, name: '', phone: '' }
    const filled = await app.checkout.setDetails(secret, session.version, {
      contact,
      address: null,
      shippingOptionId: null,
    })
    if (filled?.problem) return filled.problem
    const { version, totals } = filled?.view.session ?? assert.fail()
    const details = { number: cards.approved, expiry: '12 / 40', cvc: '123', name: 'Ada' }
    const input = {
      version,
      expectedTotal: totals.total,
      provider: 'test',
      method: 'card',
      details,
      attempt: newId('pay'),
    }
    const paid = await app.checkout.pay(secret, input)
    return paid?.problem
  }

  const overLimit = { code: 'promotion_rejected', reason: 'customer_limit_reached' }

  test('counts every spelling of a mailbox as one customer, and another mailbox as another', async () => {
    const testServer = await openTestServer(given, { shops: [shop] })
    assert.equal(await buy(testServer, 'ada@bücher.example'), null)
    for (const email of ['ADA@Bücher.Example', 'ada@xn--bcher-kva.example', ' ada@bu\u0308cher.example\u00a0'])
      assert.deepEqual(await buy(testServer, email), overLimit, email)
    for (const email of ['ada@bücher.example.', '"ada"@bücher.example', 'ada@bü\u00adcher.example'])
      assert.equal((await buy(testServer, email))?.code, 'invalid', email)
    assert.equal(await buy(testServer, 'ada+2@bücher.example'), null)
  })

  test('allows one order of two payments that began under two spellings, and refunds the other payment', async () => {
    const testServer = await openTestServer(given, { shops: [shop] })
    const { open, look, pay } = await checkoutOf(testServer)
    const begun = []
    for (const email of ['ada@bücher.example', 'Ada@xn--bcher-kva.example']) {
      const answer = await open({ COURSE: 1 }, { promotionCode: 'ONE', customer: { email } })
      const secret = secretOf(answer.body.data.url)
      const { view } = await pay(secret, await look(secret), '4000002500003155')
      begun.push({ secret, paymentId: view.challenge?.paymentId ?? assert.fail() })
    }
    for (const { secret, paymentId } of begun)
      await testServer.app.checkout.answerChallenge(secret, paymentId, 'accept')
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ orders: number; uses: number; owed: number }>`
        select (select count(*) from orders) as "orders", (select count(*) from promotion_uses) as "uses",
          (select count(*) from refunds) as "owed"`,
    )
    assert.deepEqual(row, { orders: 1, uses: 1, owed: 1 })
  })

  test('still holds after the root secret was rotated and the old version was removed', async () => {
    const testServer = await openTestServer(given, { shops: [shop] })
    assert.equal(await buy(testServer, 'ada@example.com'), null)
    const rotated = appWith(given, testServer, `2:${newText},1:${testSecretText}`)
    assert.deepEqual(await buy(testServer, 'ada@example.com', rotated), overLimit)
    assert.equal(await buy(testServer, 'bob@example.com', rotated), null)
    const retired = appWith(given, testServer, `2:${newText}`)
    for (const email of ['ada@example.com', 'bob@example.com'])
      assert.deepEqual(await buy(testServer, email, retired), overLimit, email)
    // The node that was not restarted yet goes on with the same key.
    assert.deepEqual(await buy(testServer, 'bob@example.com'), overLimit)
  })

  test('fails with a root secret that cannot decrypt the database key, and no new key is created', async () => {
    const testServer = await openTestServer(given, { shops: [shop] })
    assert.equal(await buy(testServer, 'ada@example.com'), null)
    const before = await keysOf(testServer)
    await assert.rejects(buy(testServer, 'ada@example.com', appWith(given, testServer, newText)), {
      name: 'StorageRefused',
      message:
        'the root secret cannot decrypt the database key "customer e-mail": the database was created with another root secret',
    })
    assert.deepEqual(await keysOf(testServer), before)
  })

  test('uses one key on nodes that start at the same time, and stores it encrypted', async () => {
    const testServer = await openTestServer(given, { shops: [shop] })
    const secrets = [`1:${testSecretText},2:${newText}`, `2:${newText},1:${testSecretText}`]
    const nodes = await Promise.all(
      [...secrets, ...secrets].map(async (text) => {
        const { customerKey } = appWith(given, testServer, text, await given.open({ url: testServer.url })).payTools
        return { customerKey, storage: await given.open({ url: testServer.url }) }
      }),
    )
    const keys = await Promise.all(
      nodes.map(async ({ storage, customerKey }) => {
        const key = await storage.write((tx) => customerKey(tx, testServer.clock.now))
        assert.equal(await storage.write((tx) => customerKey(tx, testServer.clock.now)), key)
        return key.export().toString('base64url')
      }),
    )
    assert.equal(new Set(keys).size, 1)
    const rows = await keysOf(testServer)
    assert.deepEqual(
      rows.map(({ sealed }) => Object.keys(JSON.parse(sealed))),
      [['1', '2']],
    )
    assert.ok(!JSON.stringify(rows).includes(keys[0] ?? ''))
  })

  test('does not use a key again whose transaction was rolled back', async () => {
    const testServer = await openTestServer(given, { shops: [shop] })
    const { customerKey } = testServer.app.payTools
    let lost: string | undefined
    await assert.rejects(
      testServer.storage.write(async (tx) => {
        lost = (await customerKey(tx, 1)).export().toString('base64url')
        throw new Error('rolled back')
      }),
      /rolled back/,
    )
    assert.deepEqual(await keysOf(testServer), [])
    const key = (await testServer.storage.write((tx) => customerKey(tx, 2))).export().toString('base64url')
    assert.notEqual(key, lost)
    assert.equal((await testServer.storage.write((tx) => customerKey(tx, 3))).export().toString('base64url'), key)
  })

  test('counts a use that an earlier release recorded, before and after a rotation of the root secret', async () => {
    const testServer = await openTestServer(given, { shops: [shop] })
    const rotated = appWith(given, testServer, `2:${newText},1:${testSecretText}`)
    const [order] = [await buy(testServer, 'first@example.com')]
    assert.equal(order, null)
    for (const [email, typed] of [
      ['ada@example.com', 'Ada@Example.com'],
      ['ada@bücher.example', 'ada@bücher.example'],
    ] as const) {
      await testServer.storage.write(
        (tx) => tx.sql`
          update promotion_uses set email_hash = ${formerHash(testSecret, email)} where merchant_id = ${testServer.merchantId}`,
      )
      assert.deepEqual(await buy(testServer, typed), overLimit)
      assert.deepEqual(await buy(testServer, typed, rotated), overLimit)
    }
  })

  test('counts a checkout that began before an upgrade', async () => {
    const testServer = await openTestServer(given, { shops: [shop] })
    const { ready, pay } = await checkoutOf(testServer)
    const { sessionId, secret, view } = await ready({ COURSE: 1 }, { promotionCode: 'ONE' })
    const former = formerHash(testSecret, 'ada@example.com')
    await testServer.storage.write(
      (tx) => tx.sql`update checkout_sessions set email_hash = ${former} where id = ${sessionId}`,
    )
    assert.equal((await pay(secret, view)).problem, null)
    assert.deepEqual(await buy(testServer, 'ada@example.com'), overLimit)
  })

  test('stores a different hash of an e-mail address for each merchant', async () => {
    const testServer = await openTestServer(given, { shops: [shop, rival] })
    const { carts } = await checkoutOf(testServer)
    assert.equal(await buy(testServer, 'ada@example.com'), null)
    const [other] = await testServer.storage.read(
      (db) => db.sql<{ id: string }>`select id from skus where merchant_id <> ${testServer.merchantId} limit 1`,
    )
    const open = (key: string, skuId: string) =>
      testServer.ask('createHostedCheckoutSession', {
        key,
        body: {
          idempotencyKey: 'k',
          items: [{ skuId, quantity: 1 }],
          successUrl: 'http://localhost/x',
          customer: { email: 'ada@example.com' },
        },
      })
    assert.equal((await open(testServer.keys.rival, other?.id ?? '')).status, 200)
    assert.equal((await open(testServer.keys.full, carts.sku('CARD'))).status, 200)
    const rows = await testServer.storage.read(
      (db) => db.sql<{ merchantId: string; emailHash: string }>`
        select distinct merchant_id as "merchantId", email_hash as "emailHash" from checkout_sessions`,
    )
    assert.equal(new Set(rows.map(({ merchantId }) => merchantId)).size, 2)
    assert.equal(new Set(rows.map(({ emailHash }) => emailHash)).size, 2)
  })
})

// A second node of the server, under another root secret.
function appWith(given: Given, testServer: TestServer, secretText: string, storage = testServer.storage): App {
  const app = createApp({
    storage,
    rootSecret: parseRootSecret(secretText) as RootSecret,
    rateLimit: null,
    trustedProxies: [],
    webhookAllowPrivate: true,
    publicOrigin: () => testServer.origin,
    version: 'test',
    clock: () => new Date(testServer.clock.now),
    log: createLog({ level: 'silent', pretty: false, write: () => {} }),
  })
  given.later(async () => app.close())
  return app
}

// As releases before this one wrote it.
function formerHash(rootSecret: RootSecret, email: string): string {
  const normal = email.trim().toLowerCase().normalize('NFKC')
  return createHmac('sha256', deriveKey(rootSecret, 'customer e-mail')).update(normal).digest('base64url')
}

function keysOf(testServer: TestServer): Promise<{ name: string; sealed: string }[]> {
  return testServer.storage.read(
    (db) => db.sql<{ name: string; sealed: string }>`select name, sealed from database_keys`,
  )
}
