// Refunds that do not go through: what the operator sees of them, and what can be done.

import assert from 'node:assert/strict'
import { copyFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { eventsOf } from '../harness/carts.ts'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { type Orders, openOrderTestServer, orderWorld, refusingCard } from '../harness/orders.ts'
import { type Server, tempFolder } from '../harness/process.ts'
import { answerOf } from '../harness/refused.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { settingsOf, type TestServer } from '../harness/testServer.ts'
import { until } from '../harness/until.ts'
import { refundOrder } from '../src/domain/orders/operator.ts'
import { listTestCharges } from '../src/domain/payments/providers/sandbox/provider.ts'
import { refusedTriesMax } from '../src/domain/payments/refunds.ts'
import { insertPayment, lockPayment, queueVoid, savePayment } from '../src/domain/payments/store.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { splitCommands } from '../src/platform/storage/script.ts'
import { Fragment } from '../src/platform/storage/storage.ts'

const lostAnswerCard = '4000000000007726'

function linesOf(server: Pick<Server, 'printed'>): Record<string, unknown>[] {
  return server
    .printed()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

const lineWith = (server: Pick<Server, 'printed'>, wanted: Readonly<Record<string, unknown>>) => async () =>
  linesOf(server).find((line) => Object.entries(wanted).every(([name, value]) => line[name] === value))

interface Booked {
  totals: { total: number; refunded: number; refundPending: number }
  refunds: { amount: number; status: string }[]
}

const sumOf = ({ refunds }: Booked, status: string) =>
  refunds.reduce((sum, refund) => (refund.status === status ? sum + refund.amount : sum), 0)

async function failForGood(testServer: TestServer & { orders: Orders }): Promise<void> {
  await testServer.storage.write((tx) => tx.sql`update test_charges set refund_answer = 'refused'`)
  for (let tries = 0; tries < refusedTriesMax; tries += 1) {
    testServer.clock.now += 6 * 3_600_000
    await testServer.orders.pay()
  }
  await testServer.storage.write((tx) => tx.sql`update test_charges set refund_answer = 'given'`)
}

function giveBack(testServer: TestServer, orderId: string, amount: number | null = null, isByHand = false) {
  const { installationId, clock } = testServer
  const moment = { now: clock.now, cause: null }
  const input = { amount, reason: null, isByHand }
  return testServer.storage.write((tx) => refundOrder(tx, { installationId, orderId }, input, moment))
}

eachEngine('a refund', (given) => {
  test('is pending until the provider has paid it', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId, quote } = await testServer.orders.place()
    const { total } = quote.totals
    const totals = async () => {
      const { refunded, refundPending } = (await testServer.orders.read(orderId)).body.data.totals
      return { refunded, refundPending }
    }
    assert.deepEqual(await totals(), { refunded: 0, refundPending: 0 })
    await giveBack(testServer, orderId, 300)
    assert.deepEqual(await totals(), { refunded: 0, refundPending: 300 })
    await testServer.orders.pay()
    assert.deepEqual(await totals(), { refunded: 300, refundPending: 0 })
    await testServer.orders.cancel(orderId)
    assert.deepEqual(await totals(), { refunded: 300, refundPending: total - 300 })
    await testServer.orders.pay()
    assert.deepEqual(await totals(), { refunded: total, refundPending: 0 })
  })

  test('that fails permanently makes an event, a version, a status and a timeline entry, and its amount can be refunded again', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place()
    await giveBack(testServer, orderId, 200)
    await testServer.orders.pay()
    await giveBack(testServer, orderId, 300)
    await failForGood(testServer)
    const world = await orderWorld(testServer, orderId)
    assert.deepEqual(
      [world.paymentStatus, world.refunded, world.version, world.events.at(-1), world.timeline.slice(-2)],
      ['partially_refunded', 200, 4, ['order.refund_failed', 4], ['refund_started', 'refund_failed']],
    )
    const { data } = (await testServer.orders.read(orderId)).body
    const told = (await eventsOf(testServer, orderId)).at(-1)?.body
    assert.deepEqual([told.data.order, told.cause], [{ ...data, statusUrl: null, withdrawalUrl: null }, null])
    assert.deepEqual([data.totals.refunded, data.totals.refundPending], [200, 0])
    assert.deepEqual(
      data.refunds.map(({ status }: { status: string }) => status),
      ['succeeded', 'failed'],
    )
    // While another one is on its way, the money is.
    await giveBack(testServer, orderId, 300)
    await testServer.storage.write(
      (tx) => tx.sql`update refunds set try_at = try_at + ${90 * 86_400_000} where status = 'pending'`,
    )
    await giveBack(testServer, orderId, 400)
    await failForGood(testServer)
    assert.equal((await orderWorld(testServer, orderId)).paymentStatus, 'refunding')
    assert.deepEqual((await orderWorld(testServer, orderId)).events.at(-1), ['order.refund_failed', 5])
  })

  test('that fails leaves the order paid if nothing else was refunded', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place()
    await giveBack(testServer, orderId, 300)
    await failForGood(testServer)
    const world = await orderWorld(testServer, orderId)
    assert.deepEqual(
      [world.paymentStatus, world.refunded, world.events.at(-1)?.[0]],
      ['paid', 0, 'order.refund_failed'],
    )
  })

  test('that fails keeps the cancellation of its order incomplete as long as money is owed', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place()
    await giveBack(testServer, orderId, 100)
    await testServer.storage.write((tx) => tx.sql`update refunds set try_at = try_at + ${90 * 86_400_000}`)
    await testServer.orders.cancel(orderId)
    await testServer.orders.pay()
    const cancellation = async () => (await testServer.orders.read(orderId)).body.data.cancellation
    assert.equal((await cancellation()).status, 'refund_pending')
    testServer.clock.now += 90 * 86_400_000
    await failForGood(testServer)
    const { status, refund } = await cancellation()
    assert.deepEqual([status, refund.status], ['refund_failed', 'succeeded'])
    const last = (await eventsOf(testServer, orderId)).at(-1)
    assert.deepEqual([last?.type, last?.body.data.order.cancellation.status], ['order.refund_failed', 'refund_failed'])
    await giveBack(testServer, orderId)
    await testServer.orders.pay()
    assert.equal((await cancellation()).status, 'completed')
  })

  test('is shown to the shopper as pending, and then as refunded or failed', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId, statusSecret, quote } = await testServer.orders.place()
    const rows = async () => {
      const { text } = await testServer.fetch(`/o/${statusSecret}`, { headers: { 'accept-language': 'en' } })
      return new Map([...text.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, name, value]) => [name, value]))
    }
    const total = `−€${(quote.totals.total / 100).toFixed(2)}`.replace('−', '-')
    const seen = async () => {
      const found = await rows()
      const money = (name: string) => found.get(name)?.replace('−', '-')
      return [money('Refunded'), money('Refund on its way'), found.get('Payment')]
    }
    assert.deepEqual(await seen(), [undefined, undefined, 'Paid'])
    await testServer.orders.cancel(orderId)
    assert.deepEqual(await seen(), [undefined, total, 'Refund on its way'])
    await failForGood(testServer)
    assert.deepEqual(await seen(), [undefined, undefined, 'Refund did not go through – please contact the shop'])
    await giveBack(testServer, orderId)
    assert.deepEqual(await seen(), [undefined, total, 'Refund on its way'])
    await testServer.orders.pay()
    assert.deepEqual(await seen(), [total, undefined, 'Refunded'])
  })

  test('can be followed from the events of its order alone, whatever fails', async () => {
    const testServer = await openOrderTestServer(given)
    const deed = fc.oneof(
      fc.record({ do: fc.constant('give back' as const), amount: fc.constantFrom(1, 300, 777, 2_000, null) }),
      fc.constant({ do: 'cancel' } as const),
      fc.constant({ do: 'pay' } as const),
      fc.constant({ do: 'fail' } as const),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { minLength: 1, maxLength: 7 }), async (deeds) => {
        const { orderId, paymentId } = await testServer.orders.place({ items: { CARD: 3, BOOK: 1 } })
        for (const one of deeds) {
          testServer.clock.now += 60_000
          if (one.do === 'give back') await answerOf(giveBack(testServer, orderId, one.amount))
          if (one.do === 'cancel') await testServer.orders.cancel(orderId)
          if (one.do === 'pay') await testServer.orders.pay()
          if (one.do === 'fail') await failForGood(testServer)
          const { totals, ...order }: Booked = (await testServer.orders.read(orderId)).body.data
          assert.equal(totals.refunded, sumOf({ totals, ...order }, 'succeeded'))
          assert.equal(totals.refundPending, sumOf({ totals, ...order }, 'pending'))
          assert.ok(totals.refunded + totals.refundPending <= totals.total)
        }
        testServer.clock.now += 60_000
        while ((await testServer.orders.pay()).length > 0);
        let booked = 0
        let failed = 0
        for (const { type, body } of await eventsOf(testServer, orderId)) {
          const order: Booked = body.data.order
          const difference = order.totals.refunded - booked
          assert.equal(difference > 0, type === 'order.refunded', `${type} books ${difference}`)
          assert.ok(difference >= 0)
          if (type === 'order.refunded') assert.ok(order.refunds.some(({ amount }) => amount === difference))
          if (type === 'order.refund_failed') failed += 1
          booked += difference
        }
        const charge = (await listTestCharges(testServer.storage)).find(({ key }) => key === paymentId)
        assert.equal(booked, charge?.refunded)
        const last: Booked = (await testServer.orders.read(orderId)).body.data
        assert.deepEqual([last.totals.refunded, last.totals.refundPending], [booked, 0])
        assert.equal(last.refunds.filter(({ status }) => status === 'failed').length, failed)
      }),
      { numRuns: 10 },
    )
  })
})

interface LostVoid {
  testServer: TestServer & { orders: Orders }
  paymentId: string
}

// A charge without an order that the provider would not take back.
async function loseVoid(given: Given): Promise<LostVoid> {
  const testServer = await openOrderTestServer(given)
  const { paymentId } = await testServer.orders.place()
  assert.ok(paymentId)
  const id = newId('pay')
  await testServer.storage.write(async (tx) => {
    const payment = await lockPayment(tx, testServer.installationId, paymentId)
    assert.ok(payment)
    const asked = { ...payment, id, checkoutSessionId: newId('cks') }
    insertPayment(tx, asked, testServer.clock.now)
    const alone = { ...asked, orderId: null, status: 'succeeded', checkAt: null } as const
    await savePayment(tx, alone)
    await tx.sql`
      insert into test_charges (key, amount, currency, state, refund_answer, created_at, updated_at)
      values (${id}, ${payment.amount}, 'EUR', 'approved', 'given', 1, 1)`
    await queueVoid(tx, alone, { id: newId('rfd'), reason: 'no order was possible' }, testServer.clock.now)
    await tx.sql`update refunds set status = 'failed', try_at = null`
  })
  return { testServer, paymentId: id }
}

const waiting = (testServer: TestServer) =>
  testServer.storage.read(
    (db) => db.sql`select id from refunds where status = 'failed' and replaced_by is null order by id`,
  )

eachEngine('a refund that failed', (given) => {
  test('is repeated together with the other failed refunds of its order, and only for their amounts', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place()
    await giveBack(testServer, orderId, 300)
    await giveBack(testServer, orderId, 200)
    await failForGood(testServer)
    assert.equal((await waiting(testServer)).length, 2)
    const again = await giveBack(testServer, orderId)
    assert.deepEqual([again.refund.amount, again.facts.order.paymentStatus], [500, 'refunding'])
    assert.deepEqual(await waiting(testServer), [])
    await testServer.orders.pay()
    const world = await orderWorld(testServer, orderId)
    assert.deepEqual([world.paymentStatus, world.refunded], ['partially_refunded', 500])
    assert.deepEqual(world.refunds, [
      ['refund', 300, 'failed'],
      ['refund', 200, 'failed'],
      ['refund', 500, 'succeeded'],
    ])
    // Nothing waits any more, so it is all that is left.
    const rest = await giveBack(testServer, orderId)
    assert.equal(rest.refund.amount, rest.facts.order.total - 500)
  })

  test('is repeated only once and only completely, and never refunds the rest of the order', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place()
    await giveBack(testServer, orderId, 1_000)
    await failForGood(testServer)
    await assert.rejects(giveBack(testServer, orderId, 300, true), {
      code: 'refund_amount_too_low',
      message:
        '1000 minor units of order T-1001 could not be refunded: refund them as a whole, without naming an amount.',
    })
    assert.equal((await waiting(testServer)).length, 1)
    await giveBack(testServer, orderId)
    await assert.rejects(giveBack(testServer, orderId), {
      code: 'refund_pending',
      message:
        '1000 minor units of order T-1001 are already being refunded: name the amount of a further refund, or of the pending refund that you paid by hand.',
    })
    await giveBack(testServer, orderId, 200)
    assert.deepEqual((await orderWorld(testServer, orderId)).refunds, [
      ['refund', 1_000, 'failed'],
      ['refund', 1_000, 'pending'],
      ['refund', 200, 'pending'],
    ])
  })

  test('or is pending can be recorded as paid by hand, and is then not paid by the provider', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId, quote } = await testServer.orders.place()
    const { total } = quote.totals
    await giveBack(testServer, orderId, 500)
    await testServer.storage.write((tx) => tx.sql`update test_charges set refund_answer = 'refused'`)
    await testServer.orders.pay()
    await giveBack(testServer, orderId, null, true)
    const part = await orderWorld(testServer, orderId)
    assert.deepEqual([part.paymentStatus, part.refunds], ['partially_refunded', [['refund', 500, 'succeeded']]])
    // All of it on its way: nothing is left, and it can be said that it was paid.
    await giveBack(testServer, orderId)
    await giveBack(testServer, orderId, null, true)
    const whole = await orderWorld(testServer, orderId)
    assert.deepEqual([whole.paymentStatus, whole.refunded], ['refunded', total])
    testServer.clock.now += 6 * 3_600_000
    await testServer.orders.pay()
    assert.equal((await listTestCharges(testServer.storage))[0]?.refunded, 0)
  })

  test('is part of the whole amount that a cancellation of its order refunds; if that fails, it can be repeated in parts', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId, quote } = await testServer.orders.place()
    await giveBack(testServer, orderId, 300)
    await failForGood(testServer)
    const { cancellation } = (await testServer.orders.cancel(orderId)).body.data
    assert.equal(cancellation.refund.amount, quote.totals.total)
    assert.deepEqual(await waiting(testServer), [])
    await failForGood(testServer)
    assert.equal((await waiting(testServer)).length, 1)
    const part = await giveBack(testServer, orderId, 100)
    assert.ok('refund' in part)
    await testServer.orders.pay()
    const shown = async () => (await testServer.orders.read(orderId)).body.data.cancellation
    assert.deepEqual([(await shown()).status, (await shown()).refund.id], ['refund_failed', part.refund.id])
    await giveBack(testServer, orderId)
    await testServer.orders.pay()
    assert.deepEqual([(await shown()).status, (await shown()).refund.id], ['completed', part.refund.id])
  })

  test('is shown by orders show, repeated by orders refund, and can be recorded as paid by hand', async () => {
    const testServer = await openOrderTestServer(given)
    testServer.clock.now = Date.now() - 30 * 86_400_000
    const run = (...args: string[]) => cartwright(['orders', ...args, '--merchant', 'bloom'], settingsOf(testServer))
    const { orderId, quote } = await testServer.orders.place()
    await giveBack(testServer, orderId, 500)
    assert.match((await run('show', 'T-1001')).out, /^ {2}refunding {2}€5\.00 pending$/m)
    await failForGood(testServer)
    assert.match(
      (await run('show', 'T-1001')).out,
      /^ {2}owed {7}€5\.00 could not be refunded: run `orders refund T-1001` to retry, or add --by-hand/m,
    )
    await testServer.storage.write((tx) => tx.sql`update test_charges set refund_answer = 'refused'`)
    assert.equal((await run('refund', 'T-1001')).code, 1)
    await testServer.storage.write(
      (tx) => tx.sql`update refunds set tries = 7, refused_tries = 7, try_at = 1 where status = 'pending'`,
    )
    await testServer.orders.pay(Date.now())
    const { code, out, err } = await run('refund', 'T-1001', '--by-hand', '--reason', 'bank transfer', '--json')
    assert.deepEqual([code, err], [0, ''])
    const { order, refund } = JSON.parse(out)
    assert.deepEqual([refund.status, refund.amount, order.totals.refunded], ['succeeded', 500, 500])
    assert.equal((await eventsOf(testServer, orderId)).at(-1)?.type, 'order.refunded')
    assert.doesNotMatch((await run('show', 'T-1001')).out, /owed/)
    // The provider has nothing to do with it, and what is left is less by it.
    assert.equal((await listTestCharges(testServer.storage))[0]?.refunded, 0)
    const rest = quote.totals.total - 500
    assert.match((await run('refund', 'T-1001', '--amount', String(rest + 1))).err, new RegExp(`${rest} minor units`))
  })

  test('can be repeated with the id of the order, if it was the void of a pending payment', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId } = await testServer.orders.place({ isManual: true })
    await testServer.orders.cancel(orderId)
    await testServer.storage.write((tx) => tx.sql`update refunds set status = 'failed', try_at = null`)
    const again = await giveBack(testServer, orderId)
    assert.deepEqual([again.refund.kind, again.facts.order.paymentStatus], ['void', 'voided'])
    await assert.rejects(giveBack(testServer, orderId), {
      code: 'nothing_to_refund',
      message: 'Order T-1001 is voided: there is nothing to refund.',
    })
    await testServer.orders.pay()
    assert.deepEqual((await orderWorld(testServer, orderId)).payments, ['voided'])
    assert.deepEqual(await waiting(testServer), [])
  })

  test('can be repeated with the id of the payment, if it was the void of a payment without an order', async () => {
    const { testServer, paymentId } = await loseVoid(given)
    const run = (...args: string[]) =>
      cartwright(['orders', 'refund', ...args, '--merchant', 'bloom'], settingsOf(testServer))
    assert.equal((await run(paymentId, '--amount', '5')).code, 2)
    const { code, out, err } = await run(paymentId, '--json')
    assert.deepEqual([code, err], [0, ''])
    assert.equal(JSON.parse(out).payment.status, 'voided')
    assert.equal((await listTestCharges(testServer.storage)).find(({ key }) => key === paymentId)?.state, 'voided')
    assert.deepEqual(await waiting(testServer), [])
    assert.match((await run(paymentId)).err, /Payment pay_\w+ has no failed refund/)
    assert.match((await run(newId('pay'))).err, /bloom has no payment pay_/)
  })

  test('can be recorded as paid by hand, if it was the void of a payment without an order', async () => {
    const { testServer, paymentId } = await loseVoid(given)
    const { code, out } = await cartwright(
      ['orders', 'refund', paymentId, '--by-hand', '--merchant', 'bloom'],
      settingsOf(testServer),
    )
    assert.equal(code, 0)
    assert.match(out, new RegExp(`^${paymentId}  test  voided  €`))
    assert.equal((await listTestCharges(testServer.storage)).find(({ key }) => key === paymentId)?.state, 'approved')
    assert.deepEqual(await waiting(testServer), [])
  })

  test('and was repeated in an earlier release is marked by the migration as replaced', async () => {
    const directory = join(import.meta.dirname, '../src/platform/storage/migrations')
    const files = (await readdir(directory)).sort()
    const own = files.findIndex((file) => file.endsWith('_failed_refunds.sql'))
    const before = await tempFolder()
    for (const file of files.slice(0, own)) await copyFile(join(directory, file), join(before, file))
    const storage = await given.open({ withMigrations: false })
    await migrate(storage, { now: new Date(1), directory: before })
    await storage.write(async (tx) => {
      for (const id of ['p1', 'p2'])
        await tx.sql`
          insert into payments (installation_id, id, merchant_id, checkout_session_id, provider, method, amount, currency,
            status, created_at, updated_at)
          values ('i', ${id}, 'm', 's', 'test', 'card', 100, 'EUR', 'succeeded', 1, 1)`
      for (const [id, orderId, paymentId, status, at] of [
        ['r1', 'o1', 'p1', 'failed', 1],
        ['r2', 'o1', 'p1', 'succeeded', 5],
        ['r3', 'o2', 'p2', 'succeeded', 1],
        ['r4', 'o2', 'p2', 'failed', 5],
      ] as const)
        await tx.sql`
          insert into refunds (installation_id, id, merchant_id, order_id, payment_id, kind, amount, currency, status,
            created_at, updated_at)
          values ('i', ${id}, 'm', ${orderId}, ${paymentId}, 'refund', 10, 'EUR', ${status}, ${at}, ${at})`
    })
    await migrate(storage, { now: new Date(2) })
    const rows = await storage.read(
      (db) => db.sql`select id, replaced_by as "replacedBy" from refunds where status = 'failed' order by id`,
    )
    assert.deepEqual(rows, [
      { id: 'r1', replacedBy: 'r2' },
      { id: 'r4', replacedBy: null },
    ])
  })

  test('in an earlier release no longer keeps its order in the status refunding after the migration', async () => {
    const testServer = await openOrderTestServer(given)
    const [nothing, part, underway] = [
      await testServer.orders.place(),
      await testServer.orders.place(),
      await testServer.orders.place(),
    ]
    await giveBack(testServer, part.orderId, 200)
    await testServer.orders.pay()
    for (const { orderId } of [nothing, part]) await giveBack(testServer, orderId, 300)
    await failForGood(testServer)
    await giveBack(testServer, underway.orderId, 100)
    await testServer.storage.write((tx) => tx.sql`update orders set payment_status = 'refunding'`)
    const directory = join(import.meta.dirname, '../src/platform/storage/migrations')
    const file = (await readdir(directory)).find((name) => name.endsWith('_refused_refunds.sql')) ?? assert.fail()
    const commands = splitCommands(await readFile(join(directory, file), 'utf8'))
    for (const command of commands.filter((text) => text.includes('update orders')))
      await testServer.storage.write((tx) => tx.sql`${new Fragment(command)}`)
    const statuses = [nothing, part, underway].map(
      async ({ orderId }) => (await orderWorld(testServer, orderId)).paymentStatus,
    )
    assert.deepEqual(await Promise.all(statuses), ['paid', 'partially_refunded', 'refunding'])
  })
})

eachEngine('a refund that the provider refuses', (given) => {
  test('is logged and counted by the running server at each try, and logged as an error when it is abandoned', async () => {
    const testServer = await openOrderTestServer(given)
    const { orderId, paymentId } = await testServer.orders.place({ card: refusingCard })
    const { refund } = (await testServer.orders.cancel(orderId)).body.data.cancellation
    const server = await serveHere(settingsOf(testServer), ['--no-demo'])
    const facts = { provider: 'test', call: 'refund', paymentId, refundId: refund.id }
    await until(lineWith(server, { level: 'warn', message: 'payment provider refused the request', ...facts }))
    await testServer.storage.write((tx) => tx.sql`update refunds set tries = 7, refused_tries = 7, try_at = 1`)
    await until(lineWith(server, { level: 'error', message: 'refund failed; refund it again or by hand', ...facts }))
    const metrics = await (await fetch(`${server.origin}/metrics`)).text()
    assert.match(
      metrics,
      /^cartwright_provider_calls_total\{provider="test",call="refund",outcome="failed"\} [1-9]\d*$/m,
    )
    assert.match(metrics, /^cartwright_payment_incidents_total\{provider="test",kind="refund_failed"\} 1$/m)
    assert.equal(await server.stop(), 0)
  })

  test('makes the command exit with 1 and a line on stderr, also if the provider did not respond', async () => {
    const testServer = await openOrderTestServer(given)
    testServer.clock.now = Date.now()
    const run = (...args: string[]) =>
      cartwright(['orders', 'refund', ...args, '--merchant', 'bloom', '--json'], settingsOf(testServer))
    for (const [card, number, words] of [
      [refusingCard, 'T-1001', 'the payment provider refused the refund'],
      [lostAnswerCard, 'T-1002', 'the payment provider did not answer'],
    ] as const) {
      await testServer.orders.place({ card })
      const { code, out, err } = await run(number, '--amount', '100')
      assert.deepEqual([code, err], [1, `cartwright: order ${number}: ${words}; a running server retries\n`])
      const { refund, order, error } = JSON.parse(out)
      assert.equal(error.code, 'refund_not_paid')
      assert.deepEqual([refund.status, order.paymentStatus], ['pending', 'refunding'])
    }
    await testServer.orders.place()
    const { code, err } = await run('T-1003', '--amount', '100')
    assert.deepEqual([code, err], [0, ''])
  })
})
