// The dispatcher survives its worst row: a delivery that cannot be claimed, read, written down or released keeps no other one
// from being sent, neither of its endpoint nor of another merchant's; it is logged, counted and passed over.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { before, test } from 'node:test'
import { market } from '../harness/carts.ts'
import { poison } from '../harness/poison.ts'
import { openReceiver, type Receiver } from '../harness/receiver.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { type Webhooks, webhooksOf } from '../harness/webhooks.ts'
import { releaseLeases } from '../src/domain/webhooks/claim.ts'
import { listDeferred } from '../src/platform/jobs/store.ts'

const minute = 60_000

interface DeliveryRow {
  id: string
  eventId: string
  status: string
  attempts: number
}

eachEngine('the dispatcher continues after a delivery', (given) => {
  let testServer: TestServer
  let webhooks: Webhooks
  let receivers: Receiver[]
  let rivalInstallation: string

  before(async () => {
    testServer = await openTestServer(given, { shops: [market, rival] })
    webhooks = webhooksOf(testServer)
    const [found] = await testServer.storage.read(
      (db) => db.sql<{ id: string }>`select id from installations where id <> ${testServer.installationId}`,
    )
    rivalInstallation = found?.id ?? ''
    receivers = [await openReceiver(given), await openReceiver(given), await openReceiver(given)]
    for (const [i, { url }] of receivers.entries())
      await webhooks.add({ url, events: ['cart.created'] }, i === 2 ? rivalInstallation : testServer.installationId)
  })

  // Carts of both merchants, each with one delivery for each endpoint that listens; the ids of the deliveries of the first.
  async function announceCarts(): Promise<{ all: string[]; first: DeliveryRow }> {
    const known = new Set((await deliveries()).map(({ id }) => id))
    for (const key of [testServer.keys.full, testServer.keys.full, testServer.keys.rival, testServer.keys.full])
      await testServer.ask('createPublicCart', { key, body: { idempotencyKey: randomUUID(), items: [] } })
    const made = (await deliveries()).filter(({ id }) => !known.has(id))
    assert.equal(made.length, 7)
    const [first] = made
    assert.ok(first)
    return { all: made.map(({ id }) => id), first }
  }

  const deliveries = () =>
    testServer.storage.read(
      (db) => db.sql<DeliveryRow>`
        select id, event_id as "eventId", status, attempts from webhook_deliveries order by id`,
    )

  async function statusesOf(ids: readonly string[]): Promise<Record<string, number>> {
    const rows = (await deliveries()).filter(({ id }) => ids.includes(id))
    return Object.fromEntries([...Map.groupBy(rows, ({ status }) => status)].map(([name, its]) => [name, its.length]))
  }

  const callsOf = (deliveryId: string) =>
    receivers.flatMap(({ received }) => received).filter(({ headers }) => headers['webhook-delivery-id'] === deliveryId)
      .length

  const deferred = async () =>
    (await testServer.storage.read((db) => listDeferred(db, testServer.clock.now, 10))).map(({ loop, rowId }) => [
      loop,
      rowId,
    ])

  function logged(rowId: string): number {
    return testServer
      .lines()
      .filter((line) => line.message === 'row could not be processed; retrying later' && line.rowId === rowId).length
  }

  const dispatch = () => testServer.app.dispatcher.dispatchDue()

  // What holds of each: the others are sent at once, the bad one is passed over and sent when it can be.
  async function assertSurvived(
    bad: DeliveryRow,
    all: readonly string[],
    { cure, status, calls }: { cure: () => Promise<unknown>; status: string; calls: number },
  ): Promise<void> {
    const failures = testServer.app.dispatcher.stats().rowFailures
    await dispatch()
    assert.deepEqual(await statusesOf(all.filter((id) => id !== bad.id)), { succeeded: 6 })
    assert.deepEqual(await statusesOf([bad.id]), { [status]: 1 })
    assert.deepEqual(await deferred(), [['webhook_dispatch', bad.id]])
    assert.deepEqual([logged(bad.id), testServer.app.dispatcher.stats().rowFailures], [1, failures + 1])
    await dispatch()
    assert.deepEqual([logged(bad.id), callsOf(bad.id)], [1, calls], 'it is passed over')
    await cure()
    testServer.clock.now += 2 * minute
    await dispatch()
    assert.deepEqual(await statusesOf(all), { succeeded: 7 })
    for (const id of all) assert.equal(callsOf(id), id === bad.id ? calls + 1 : 1)
    assert.deepEqual(await deferred(), [])
  }

  test('that cannot be claimed', { timeout: 30_000 }, async () => {
    const { all, first } = await announceCarts()
    const cure = await poison(testServer.storage, 'webhook_deliveries', `old.id = '${first.id}'`)
    await assertSurvived(first, all, { cure, status: 'pending', calls: 0 })
  })

  test('whose success cannot be recorded', { timeout: 30_000 }, async () => {
    const { all, first } = await announceCarts()
    const condition = `old.id = '${first.id}' and old.status = 'sending'`
    const cure = await poison(testServer.storage, 'webhook_deliveries', condition)
    await assertSurvived(first, all, { cure, status: 'sending', calls: 1 })
  })

  test('whose failure cannot be recorded', { timeout: 30_000 }, async () => {
    const { all, first } = await announceCarts()
    const condition = `old.id = '${first.id}' and old.status = 'sending'`
    const cure = await poison(testServer.storage, 'webhook_deliveries', condition)
    let isFailing = true
    for (const receiver of receivers)
      receiver.behave(({ headers }, response) => {
        const isBad = headers['webhook-delivery-id'] === first.id && isFailing
        response.writeHead(isBad ? 500 : 200).end()
      })
    const mend = async () => {
      isFailing = false
      await cure()
    }
    await assertSurvived(first, all, { cure: mend, status: 'sending', calls: 1 })
  })

  test('whose body cannot be read', { timeout: 30_000 }, async () => {
    const { all, first } = await announceCarts()
    const { storage } = testServer
    const [event] = await storage.read(
      (db) => db.sql<{ body: string }>`select body from events where id = ${first.eventId}`,
    )
    const setText = (text: string) =>
      storage.write((tx) => tx.sql`update events set body = ${text} where id = ${first.eventId}`)
    await setText('zstd:damaged')
    // Both endpoints of the merchant are owed this event; the other one's delivery is as bad.
    const twin = (await deliveries()).find(({ eventId, id }) => eventId === first.eventId && id !== first.id)
    assert.ok(twin)
    await dispatch()
    const others = all.filter((id) => id !== first.id && id !== twin.id)
    assert.deepEqual(await statusesOf(others), { succeeded: 5 })
    assert.deepEqual(await statusesOf([first.id, twin.id]), { pending: 2 })
    assert.deepEqual((await deferred()).map(([, id]) => id).sort(), [first.id, twin.id].sort())
    await setText(event?.body ?? '')
    testServer.clock.now += 2 * minute
    await dispatch()
    assert.deepEqual(await statusesOf(all), { succeeded: 7 })
  })

  test('whose lease was lost with its process and cannot be released', async () => {
    const { all, first } = await announceCarts()
    for (const id of all) await webhooks.set(id, 'sending')
    const cure = await poison(testServer.storage, 'webhook_deliveries', `old.id = '${first.id}'`)
    testServer.clock.now += 2 * minute
    await assert.rejects(releaseLeases(testServer.storage, testServer.clock.now, { all: false }), { rows: 7 })
    assert.deepEqual(await statusesOf(all), { retrying: 6, sending: 1 })
    assert.equal(await releaseLeases(testServer.storage, testServer.clock.now, { all: false }), 0)
    await dispatch()
    assert.deepEqual(await statusesOf(all), { succeeded: 6, sending: 1 })
    await cure()
    testServer.clock.now += 2 * minute
    await dispatch()
    assert.deepEqual(await statusesOf(all), { succeeded: 7 })
  })
})
