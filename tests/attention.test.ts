// Money that waits is seen from outside: what waits for a person by `doctor`, how much waits by /metrics.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkoutOf } from '../harness/checkout.ts'
import { cartwright } from '../harness/commandline.ts'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import { planOf } from '../harness/plans.ts'
import { eachEngine } from '../harness/storage.ts'
import { settingsOf, type TestServer, testSecretText } from '../harness/testServer.ts'
import {
  listCasesForAttention,
  readFailedRefunds,
  readOpenPayments,
  readPendingRefunds,
} from '../src/domain/health/attention.ts'
import { insertPayment, type PaymentRow, queueVoid, savePayment } from '../src/domain/payments/store.ts'
import { newId } from '../src/platform/kit/ids.ts'
import type { Reader } from '../src/platform/storage/storage.ts'

const hour = 3_600_000
type OrderTestServer = TestServer & { orders: Orders }

const doctor = (testServer: TestServer, ...args: string[]) =>
  cartwright(['doctor', ...args], { CARTWRIGHT_DATABASE_URL: testServer.url, CARTWRIGHT_SECRET: testSecretText })

// A payment beside those of orders, as the checkout leaves it while it knows nothing.
async function openPayment(
  testServer: OrderTestServer,
  { provider = 'test', ageMs = 0, ...more }: Partial<PaymentRow> & { ageMs?: number } = {},
): Promise<PaymentRow> {
  const { installationId, merchantId, clock } = testServer
  const at = clock.now - ageMs
  const asked = { installationId, merchantId, id: newId('pay'), mode: 'test', checkoutSessionId: newId('cks') } as const
  return testServer.storage.write(async (tx) => {
    const charge = { provider, method: 'card', amount: 500, currency: 'EUR', checkAt: at + 1 }
    const payment = { ...insertPayment(tx, { ...asked, ...charge }, at), ...more }
    await savePayment(tx, payment)
    return payment
  })
}

async function openLivePayment(testServer: OrderTestServer, payment: Partial<PaymentRow>): Promise<PaymentRow> {
  await testServer.storage.write(
    (tx) => tx.sql`
      insert into installations (id, merchant_id, name, mode, redirect_hosts, created_at)
      values ('ins_live', ${testServer.merchantId}, 'Live', 'live', '[]', ${testServer.clock.now})`,
  )
  return openPayment(Object.assign(Object.create(testServer), { installationId: 'ins_live' }), payment)
}

async function failVoid(testServer: OrderTestServer): Promise<{ paymentId: string; refundId: string }> {
  const payment = await openPayment(testServer, { status: 'succeeded', checkAt: null })
  const refundId = newId('rfd')
  await testServer.storage.write(async (tx) => {
    await queueVoid(tx, payment, { id: refundId, reason: null }, testServer.clock.now)
    await tx.sql`update refunds set status = 'failed', try_at = null where id = ${refundId}`
  })
  return { paymentId: payment.id, refundId }
}

async function failRefunds(testServer: OrderTestServer): Promise<void> {
  await testServer.storage.write((tx) => tx.sql`update test_charges set refund_answer = 'refused'`)
  await testServer.storage.write(
    (tx) => tx.sql`update refunds set tries = 7, refused_tries = 7 where status = 'pending'`,
  )
  await testServer.orders.pay()
  await testServer.storage.write((tx) => tx.sql`update test_charges set refund_answer = 'given'`)
}

eachEngine('payments and refunds that need attention', (given) => {
  test('are reported by doctor separately from violated invariants, and those of live mode make its exit code 3', async () => {
    const testServer = await openOrderTestServer(given)
    testServer.clock.now = Date.now()
    assert.equal((await doctor(testServer)).code, 0)
    const { orderId } = await testServer.orders.place()
    const { refund } = (await testServer.orders.cancel(orderId)).body.data.cancellation
    await failRefunds(testServer)
    const voided = await failVoid(testServer)
    const departed = await openPayment(testServer, { provider: 'departed' })
    const unknown = await openPayment(testServer, { ageMs: 25 * hour })
    const closed = await openPayment(testServer, { ageMs: 49 * hour, status: 'declined' })
    const slow = await openPayment(testServer, { ageMs: 30 * hour, status: 'succeeded', checkAt: null })
    const slowId = newId('rfd')
    await testServer.storage.write((tx) =>
      queueVoid(tx, slow, { id: slowId, reason: null }, testServer.clock.now - 25 * hour),
    )
    // Too young to be worth a look.
    await openPayment(testServer, { ageMs: 23 * hour })
    await openPayment(testServer, { ageMs: 47 * hour, status: 'declined' })
    const { code, out, err } = await doctor(testServer, '--json')
    assert.deepEqual([code, err], [0, ''], 'of test mode it is told, and nobody has to come')
    const report = JSON.parse(out)
    assert.deepEqual([report.healthy, report.findings, report.error], [true, [], undefined])
    const found = report.needsPerson.map(({ name, subjects }: { name: string; subjects: string[] }) => [name, subjects])
    assert.deepEqual(found, [
      ['refund_failed', [`${orderId} ${refund.id} (test)`]],
      ['void_failed', [`${voided.paymentId} ${voided.refundId} (test)`]],
      ['provider_missing', [`${departed.id} departed (test)`]],
      ['outcome_unknown', [`${closed.id} (test)`, `${unknown.id} (test)`]],
      ['refund_unanswered', [`${slow.id} ${slowId} (test)`]],
    ])
    const text = (await doctor(testServer)).out
    assert.match(
      text,
      /^✓ .* invariants hold, the root secret can decrypt the database\n\nNeeds a person:\n! The provider refused these refunds for good/m,
    )
    assert.ok(text.includes(`\n    ${orderId} ${refund.id} (test)\n! The provider would not take`))

    // Real money, younger than more than a hundred of test mode.
    for (let more = 0; more < 100; more += 1) await openPayment(testServer, { provider: 'departed', ageMs: hour })
    const live = await openLivePayment(testServer, { provider: 'departed' })
    const urgent = await doctor(testServer, '--json')
    assert.equal(urgent.code, 3)
    const { healthy, error, needsPerson } = JSON.parse(urgent.out)
    assert.deepEqual([healthy, error.code], [true, 'needs_person'])
    const waiting = needsPerson.find(({ name }: { name: string }) => name === 'provider_missing')
    assert.equal(waiting.subjects[0], `${live.id} departed`)
    // A broken rule is worse.
    await testServer.storage.write((tx) => tx.sql`update categories set product_count = product_count + 1`)
    const broken = await doctor(testServer, '--json')
    assert.deepEqual([broken.code, JSON.parse(broken.out).error.code], [1, 'unhealthy'])
    await testServer.storage.write((tx) => tx.sql`update categories set product_count = product_count - 1`)
    await testServer.storage.write(
      (tx) => tx.sql`
        insert into schema_migrations (version, name, checksum, applied_at) values (9000, '9000_future', 'x', 1)`,
    )
    const beside = await doctor(testServer)
    assert.deepEqual(
      [beside.code, beside.out.split('\n')[0]],
      [3, '! the database has migrations of a newer release (1): finish the upgrade of all servers'],
    )
    await testServer.storage.write(
      (tx) => tx.sql`update schema_migrations set name = '9000_needs_9000_future' where version = 9000`,
    )
    const older = await doctor(testServer)
    assert.deepEqual([older.code, older.out.split(':')[0]], [1, '✗ the database is newer than this program'])
    await testServer.storage.write((tx) => tx.sql`delete from schema_migrations where version = 9000`)
  })

  test('are no longer reported once a person has refunded them completely', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId, quote } = await testServer.orders.place()
    await testServer.orders.cancel(orderId)
    await failRefunds(testServer)
    const look = () =>
      testServer.storage.read((db) =>
        listCasesForAttention(db, { now: testServer.clock.now, providers: testServer.orders.providers.names }),
      )
    const names = async () => (await look()).map(({ name }) => name)
    assert.deepEqual(await names(), ['refund_failed'])
    const refund = async (amount: number) => {
      const args = ['orders', 'refund', orderId, '--amount', String(amount), '--merchant', 'bloom']
      const settings = { CARTWRIGHT_DATABASE_URL: testServer.url, CARTWRIGHT_SECRET: testSecretText }
      assert.equal((await cartwright(args, settings)).code, 0)
    }
    // A part leaves the rest owed.
    await refund(100)
    assert.deepEqual(await names(), ['cancelled_not_refunded'])
    await refund(quote.totals.total - 100)
    assert.deepEqual(await names(), [])
  })

  test('are voided by the command that closes them as succeeded if an order is no longer possible', async () => {
    const testServer = await openOrderTestServer(given)
    testServer.clock.now = Date.now() - 31 * 24 * hour
    const checkout = await checkoutOf(testServer)
    const { secret, sessionId, view } = await checkout.ready({ CARD: 1 }, { expiresInSeconds: 86_400 })
    assert.equal((await checkout.pay(secret, view, '4000000000000259')).view.session.status, 'processing')
    const find = async () => {
      const [payment] = await testServer.storage.read(
        (db) => db.sql<{ id: string; status: string }>`
          select id, status from payments where checkout_session_id = ${sessionId}`,
      )
      return payment
    }
    testServer.clock.now = Date.now()
    const args = ['payments', 'close', (await find())?.id ?? '', '--outcome', 'succeeded', '--merchant', 'bloom']
    const closed = await cartwright([...args, '--json'], settingsOf(testServer))
    assert.deepEqual([closed.code, closed.err, JSON.parse(closed.out).order], [0, '', null])
    assert.equal((await find())?.status, 'voided')
  })

  test('are closed by the command that doctor names if the provider never responded', async () => {
    const testServer = await openOrderTestServer(given)
    testServer.clock.now = Date.now() - 25 * hour
    const checkout = await checkoutOf(testServer)
    const settings = settingsOf(testServer)
    const run = (...args: string[]) => cartwright([...args, '--json'], settings)
    const open = async (card: string) => {
      const { secret, sessionId, view } = await checkout.ready({ CARD: 1 }, { expiresInSeconds: 86_400 })
      assert.equal((await checkout.pay(secret, view, card)).view.session.status, 'processing')
      const [payment] = await testServer.storage.read(
        (db) => db.sql<{ id: string }>`select id from payments where checkout_session_id = ${sessionId}`,
      )
      return { sessionId, paymentId: payment?.id ?? '' }
    }
    // Their answers are lost, of the first also the charge.
    const [lost, found] = [await open('4000000000000275'), await open('4000000000000259')]
    testServer.clock.now = Date.now()
    const sick = await cartwright(['doctor'], settings)
    assert.equal(sick.code, 0)
    const subjects = [lost, found].map(({ paymentId }) => `    ${paymentId} (test)\n`).sort()
    assert.ok(sick.out.includes(`\`payments close PAYMENT_ID --outcome succeeded|declined\`.\n${subjects.join('')}`))

    const close = (id: string, outcome: string) =>
      run('payments', 'close', id, '--outcome', outcome, '--merchant', 'bloom')
    const declined = await close(lost.paymentId, 'declined')
    assert.deepEqual([declined.code, declined.err], [0, ''])
    assert.deepEqual([JSON.parse(declined.out).payment.status, JSON.parse(declined.out).order], ['declined', null])
    const succeeded = JSON.parse((await close(found.paymentId, 'succeeded')).out)
    assert.equal(succeeded.payment.status, 'succeeded')
    const session = (await checkout.read(found.sessionId)).body.data
    assert.deepEqual(
      [session.status, session.paymentStatus, session.orderId],
      ['completed', 'paid', succeeded.order.id],
    )
    const shown = await cartwright(['orders', 'show', succeeded.order.number, '--merchant', 'bloom'], settings)
    assert.match(shown.out, /\n +payment +test card .*succeeded closed by hand\n/)
    assert.deepEqual(JSON.parse((await run('doctor')).out).needsPerson, [])

    const again = JSON.parse((await close(lost.paymentId, 'succeeded')).out)
    assert.equal(again.error.message, `Payment ${lost.paymentId} cannot be closed: its status is already declined.`)
    const gone = newId('pay')
    assert.equal(JSON.parse((await close(gone, 'declined')).out).error.code, 'payment_not_found')
    assert.equal((await close(lost.paymentId, 'paid')).code, 2)
  })

  test('are counted by /metrics by mode, with the age of the oldest and with zero if there are none', async () => {
    const testServer = await openOrderTestServer(given)
    await openPayment(testServer, { ageMs: 90_000 })
    await openPayment(testServer, { ageMs: 30_000 })
    await openPayment(testServer, { ageMs: 10_000, status: 'challenge' })
    const { orderId } = await testServer.orders.place()
    await testServer.orders.cancel(orderId)
    await failRefunds(testServer)
    testServer.clock.now += 7_000
    const pending = await testServer.orders.place()
    await testServer.orders.cancel(pending.orderId)
    testServer.clock.now += 1_000
    const { text } = await testServer.fetch('/metrics')
    const values = new Map(
      [...text.matchAll(/^cartwright_(payments_open|refunds_\w+?)(_oldest_seconds)?\{(.*)\} (\S+)$/gm)].map(
        ([, name, age = '', labels, value]) => [`${name}${age} ${labels}`, Number(value)],
      ),
    )
    const expected = {
      'payments_open mode="test",status="processing"': 2,
      'payments_open_oldest_seconds mode="test",status="processing"': 98,
      'payments_open mode="test",status="challenge"': 1,
      'payments_open_oldest_seconds mode="test",status="challenge"': 18,
      'payments_open mode="live",status="processing"': 0,
      'payments_open_oldest_seconds mode="live",status="processing"': 0,
      'refunds_pending mode="test",kind="refund"': 1,
      'refunds_pending_oldest_seconds mode="test",kind="refund"': 1,
      'refunds_pending mode="live",kind="void"': 0,
      'refunds_failed mode="test",kind="refund"': 1,
      'refunds_failed_oldest_seconds mode="test",kind="refund"': 8,
      'refunds_failed mode="test",kind="void"': 0,
    }
    for (const [name, value] of Object.entries(expected)) assert.equal(values.get(name), value, name)
    const [owed] = await testServer.storage.read(
      (db) => db.sql<{ amount: number; currency: string }>`
        select amount, currency from refunds where status = 'failed'`,
    )
    assert.ok(owed)
    for (const state of ['pending', 'failed'])
      assert.equal(
        values.get(`refunds_owed_minor_units mode="test",currency="${owed.currency}",state="${state}"`),
        owed.amount,
        state,
      )
  })

  test('are read by an index, however many settled payments and refunds exist', async () => {
    const testServer = await openOrderTestServer(given)
    const { storage, installationId, merchantId } = testServer
    await storage.write(async (tx) => {
      for (let i = 0; i < 500; i += 1) {
        await tx.sql`
          insert into payments (installation_id, id, merchant_id, checkout_session_id, provider, method, amount, currency,
            status, created_at, updated_at)
          values (${installationId}, ${`pay_${i}`}, ${merchantId}, 's', 'manual', 'x', 1, 'EUR', 'declined', 1, 1)`
        await tx.sql`
          insert into refunds (installation_id, id, merchant_id, payment_id, kind, amount, currency, status, created_at,
            updated_at)
          values (${installationId}, ${`rfd_${i}`}, ${merchantId}, ${`pay_${i}`}, 'void', 1, 'EUR', 'succeeded', 1, 1)`
      }
    })
    if (given.engine === 'postgres') await storage.write((tx) => tx.sql`analyze payments, refunds`)
    for (const [read, index] of [
      [readOpenPayments, 'payments_to_check'],
      [readPendingRefunds, 'refunds_to_pay'],
      [readFailedRefunds, 'refunds_failed'],
    ] as const) {
      const plan = await storage.read((db: Reader) => planOf(db, read))
      assert.match(plan, new RegExp(index), plan)
    }
  })
})
