// The month that a new demo shop looks back on: complete, sound, silent, and made once, whatever interrupts it.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { makeDemoHistory } from '../apps/demo/history.ts'
import { demoAnswer, demoEndpoints } from '../apps/demo/receivers.ts'
import { findHistory, makeDemoShop } from '../apps/demo/shop.ts'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { type Server, serve, tempFolder } from '../harness/process.ts'
import { openReceiver } from '../harness/receiver.ts'
import { anyEngine, eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { until } from '../harness/until.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { isWide } from '../harness/wide.ts'
import { createApp } from '../src/app.ts'
import { adminScopes } from '../src/contract/words.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { countSales } from '../src/domain/reports/count.ts'
import { listDueEndpoints } from '../src/domain/webhooks/claim.ts'
import { loopsFor } from '../src/ops/cli/loops.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { personCaller } from '../src/platform/http/admin.ts'
import { retentionDefaultsMs } from '../src/platform/kit/retention.ts'
import { createLog } from '../src/platform/log/log.ts'
import { setMailSwitch } from '../src/platform/outbox/emails.ts'
import type { Reader } from '../src/platform/storage/storage.ts'

const day = 86_400_000

async function makeHistory({ storage, clock }: TestServer, partsMax = Infinity): Promise<void> {
  const facts = await findHistory(storage, testSecret, clock.now)
  assert.ok(facts)
  let made = 0
  const isEnding = () => made++ >= partsMax
  const parts = { storage, rootSecret: testSecret, publicOrigin: () => 'http://localhost', facts }
  await makeDemoHistory({ ...parts, isEnding, rest: async () => {} })
}

// Those of today, which run while the history is made.
async function runLoops({ app, storage, clock }: TestServer): Promise<void> {
  for (const loop of loopsFor({ storage, app, retentionMs: retentionDefaultsMs, clock: () => clock.now }))
    while (await loop.work(() => false));
}

eachEngine('an endpoint that is added while the demo history is created', (given) => {
  test('gets no past event, stays enabled, and gets later events', async () => {
    const testServer = await openTestServer(given)
    const { storage, clock } = testServer
    await makeDemoShop(storage, testSecret, clock.now)
    const facts = await findHistory(storage, testSecret, clock.now)
    assert.ok(facts)
    await makeHistory(testServer, 2)
    const receiver = await openReceiver(given)
    const webhooks = webhooksOf(testServer)
    const { installationId } = facts.shop
    const { endpoint } = await webhooks.add({ url: receiver.url, events: ['*'] }, installationId)
    await makeHistory(testServer, 6)
    const [after] = await storage.read(
      (db) => db.sql<object>`
        select e.status, e.consecutive_failures as "failures", e.last_failure_at as "failedAt",
          (select count(*) from webhook_deliveries d where d.endpoint_id = e.id) as "deliveries"
        from webhook_endpoints e where e.id = ${endpoint.id}`,
    )
    assert.deepEqual({ ...after }, { status: 'enabled', failures: 0, failedAt: null, deliveries: 0 })
    await webhooks.ping(endpoint.id, installationId)
    await testServer.app.dispatcher.dispatchDue()
    await until(() => receiver.received.length > 0, 'the call of the new event')
    assert.equal(receiver.received.length, 1)
    await makeHistory(testServer, 7)
    assert.equal(await storage.read(countDeliveries(endpoint.id)), 1, 'what was sent meanwhile stays')
  })
})

const countDeliveries = (endpointId: string) => async (db: Reader) =>
  Number(
    (await db.sql<{ n: number }>`select count(*) as n from webhook_deliveries where endpoint_id = ${endpointId}`)[0]?.n,
  )

anyEngine('the history of the demo shop', (given) => {
  let testServer: TestServer
  let ask: (
    id: string,
    query?: Readonly<Record<string, unknown>>,
  ) => Promise<{ data: never[] & Record<string, unknown> }>
  before(async () => {
    testServer = await openTestServer(given)
    const { storage, clock } = testServer
    await storage.write((tx) => setMailSwitch(tx, true, clock.now))
    await makeDemoShop(storage, testSecret, clock.now)
    // Ended in the middle, and gone on with.
    for (const parts of [11, 11]) {
      await makeHistory(testServer, parts)
      assert.ok(await findHistory(storage, testSecret, clock.now), 'there is more to make')
      await runLoops(testServer)
      assert.deepEqual(await storage.read((db) => listDueEndpoints(db, '', clock.now)), [])
    }
    await makeHistory(testServer)
    while ((await countSales(storage, clock.now, 500)) > 0);
    const { merchantId = '', userId = '' } = await personOf(testServer)
    const principal = personCaller({ userId, merchantId, mode: 'test', scopes: adminScopes })
    ask = async (id, query = {}) =>
      JSON.parse(String((await testServer.app.admin.perform(id, { principal, query })).body))
  })

  test('is created only once', async () => {
    assert.equal(await findHistory(testServer.storage, testSecret, testServer.clock.now), undefined)
    assert.equal(await findHistory(testServer.storage, testSecret, testServer.clock.now + 40 * day), undefined)
    await makeDemoShop(testServer.storage, testSecret, testServer.clock.now + day)
    assert.equal(await findHistory(testServer.storage, testSecret, testServer.clock.now + day), undefined)
  })

  test('has an unpaid order that was cancelled when it was due, before today', async () => {
    const { storage, clock } = testServer
    const rows = await storage.read(
      (db) => db.sql<{ at: number }>`select updated_at as "at" from orders where cancellation like '%"by":"system"%'`,
    )
    assert.equal(rows.length, 1)
    assert.ok(clock.now - (rows[0]?.at ?? Infinity) > day)
  })

  test('violates no invariant', async () => {
    assert.deepEqual(await testServer.storage.read(findViolations), [])
  })

  test('gives every screen something to show', async () => {
    const { data: home } = await ask('getAdminHome')
    const todo = home.todo as Record<string, number>
    assert.ok((todo.toSend ?? 0) >= 12, JSON.stringify(todo))
    assert.deepEqual(
      Object.entries(todo).filter(([, count]) => count === 0),
      // The demo shop has no account at a payment provider that could fail, and test cards are answered at once.
      [
        ['paymentAccountsFailing', 0],
        ['paymentsUnsettled', 0],
      ],
    )
    const [sums] = await testServer.storage.read(
      (db) => db.sql<Record<string, number>>`
        select count(*) as "orders", count(distinct o.email_hash) as "customers",
          count(distinct a.country) as "countries", sum(case when o.promotion_id is null then 0 else 1 end) as "discounted",
          sum(case when o.payment_status = 'refunded' then 1 else 0 end) as "refunded",
          sum(case when o.payment_status = 'partially_refunded' then 1 else 0 end) as "part",
          sum(case when o.status = 'cancelled' then 1 else 0 end) as "cancelled"
        from orders o left join addresses a on a.installation_id = o.installation_id and a.id = o.address_id`,
    )
    const least = { orders: 60, customers: 20, countries: 8, discounted: 10, refunded: 2, part: 2, cancelled: 3 }
    for (const [name, count] of Object.entries(least))
      assert.ok(Number(sums?.[name]) >= count, `${name}: ${sums?.[name]}`)
    const { data: returns } = await ask('listAdminReturns')
    const states = returns.map(({ status }: { status: string }) => status)
    assert.deepEqual([...new Set(states)].sort(), ['closed', 'requested'])
    const { data: withdrawals } = await ask('listAdminWithdrawals')
    assert.ok(
      withdrawals.every(({ returnId }) => returnId !== null),
      'each opened its return',
    )
    const { data: drafts } = await ask('listAdminDrafts')
    assert.deepEqual(
      drafts.map(({ status }: { status: string }) => status),
      ['open', 'open', 'open', 'cancelled'],
    )
    const [afterwards] = await testServer.storage.read(
      (db) => db.sql<Record<string, number>>`
        select (select count(*) from return_exchanges) as "exchanges", (select count(*) from order_edits) as "edits",
          (select count(*) from drafts where changes_order is not null) as "askedByLink"`,
    )
    assert.deepEqual({ ...afterwards }, { exchanges: 1, edits: 2, askedByLink: 1 })
    const { data: report } = await ask('getAdminSalesReport', {})
    assert.ok(JSON.stringify(report).length > 1_000)
    const { data: changes } = await ask('listAdminChanges')
    const names = new Set((changes as { actor: { id: string } }[]).map(({ actor }) => actor.id))
    assert.ok(changes.length > 40)
    assert.equal(names.size, 2)
  })

  test('queues no e-mails, and no deliveries for the endpoint of webhooks listen', async () => {
    const [emails] = await testServer.storage.read((db) => db.sql<{ n: number }>`select count(*) as n from emails`)
    assert.equal(Number(emails?.n), 0)
    const [own] = await testServer.storage.read(
      (db) => db.sql<{ n: number; events: string }>`
        select e.events, (select count(*) from webhook_deliveries d where d.endpoint_id = e.id) as n
        from webhook_endpoints e where e.url like 'http://localhost:%'`,
    )
    assert.deepEqual([Number(own?.n), own?.events.includes('order.*')], [0, true])
    // From now on e-mails are queued again.
    const [mail] = await testServer.storage.read((db) => db.sql<{ on: number }>`select is_on as "on" from mail_switch`)
    assert.equal(mail?.on, 1)
  })

  test('has a healthy, a failing and a disabled receiver, and their calls do not leave the server', async () => {
    const { storage, clock } = testServer
    const rows = await storage.read(
      (db) => db.sql<{ url: string; status: string; failures: number; failed: number }>`
        select e.url, e.status, e.consecutive_failures as "failures",
          (select count(*) from webhook_deliveries d where d.endpoint_id = e.id and d.status = 'failed') as "failed"
        from webhook_endpoints e where e.url like 'https://%' order by e.id`,
    )
    const { labels, books, newsletter } = demoEndpoints
    assert.deepEqual(
      rows.map(({ url, status, failures, failed }) => [url, status, failures > 0, Number(failed) > 0]),
      [
        [labels.url, 'enabled', false, false],
        [books.url, 'enabled', true, true],
        [newsletter.url, 'disabled', true, false],
      ],
    )
    const asked: string[] = []
    const app = createApp({
      storage,
      rootSecret: testSecret,
      rateLimit: null,
      trustedProxies: [],
      webhookAllowPrivate: false,
      publicOrigin: () => testServer.origin,
      version: 'test',
      clock: () => new Date(clock.now + day),
      log: createLog({ level: 'error', pretty: false, write: () => {} }),
      ownReceivers: (call) => {
        const answer = demoAnswer(call)
        if (answer) asked.push(call.url)
        else assert.fail(`${call.url} is called outside`)
        return answer
      },
    })
    await app.dispatcher.dispatchDue()
    await app.dispatcher.drain()
    app.close()
    assert.deepEqual([...new Set(asked)], [books.url])
  })
})

anyEngine('the history of an existing demo shop', (given) => {
  test('is also created if the first start ended before it created keys, but not for a demo shop of an earlier release', async () => {
    const testServer = await openTestServer(given)
    const { storage, clock } = testServer
    const file: ShopFile = JSON.parse(await readFile(new URL('../apps/demo/shop.json', import.meta.url), 'utf8'))
    await testServer.apply(file)
    assert.equal(await findHistory(storage, testSecret, clock.now), undefined, 'nobody works there yet')
    await makeDemoShop(storage, testSecret, clock.now)
    assert.ok(await findHistory(storage, testSecret, clock.now))
    // As an earlier release left it: without colleagues.
    await storage.write((tx) => tx.sql`delete from user_merchants where role <> 'owner'`)
    await storage.write((tx) => tx.sql`delete from users where id not in (select user_id from user_merchants)`)
    await makeDemoShop(storage, testSecret, clock.now)
    assert.equal(await findHistory(storage, testSecret, clock.now), undefined)
  })
})

async function personOf({ storage }: TestServer): Promise<{ merchantId?: string; userId?: string }> {
  const [row] = await storage.read(
    (db) => db.sql<{ merchantId: string; userId: string }>`
      select um.merchant_id as "merchantId", um.user_id as "userId" from user_merchants um
      join merchants m on m.id = um.merchant_id where m.slug = 'alder-finch' and um.role = 'owner'`,
  )
  return row ?? {}
}

async function serveWithHistory() {
  const folder = await tempFolder()
  const settings = {
    CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'shop.db')}`,
    CARTWRIGHT_DEMO_HISTORY: 'on',
  }
  const server = await serve(settings)
  const key = /(cwk_test_\w+) +the eight admin scopes/.exec(server.printed())?.[1] ?? ''
  return { server, settings, key }
}

// On a busy machine a server refuses some requests.
async function countOrders(origin: string, key: string): Promise<number> {
  const headers = { authorization: `Bearer ${key}` }
  const text = await until(async () => {
    const answer = await fetch(`${origin}/api/v1/admin/orders`, { headers })
    return answer.status === 200 && answer.text()
  }, 'the list of orders')
  return (JSON.parse(text) as { data: unknown[] }).data.length
}

// The process that makes the history.
async function processOf(server: Server): Promise<number> {
  const line = /"message":"creating the order history of the demo shop","pid":(\d+)/
  return Number(await until(() => line.exec(server.printed())?.[1], 'the process that makes the history'))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('the process that creates the demo history ends with its server, and the shop responds before the history is complete', async () => {
  const { server, key } = await serveWithHistory()
  const pid = await processOf(server)
  await until(async () => (await countOrders(server.origin, key)) > 2)
  assert.equal(await server.stop(), 0)
  assert.equal(isAlive(pid), false)
  assert.doesNotMatch(server.printed(), /order history of the demo shop created|could not be created/)
})

if (isWide)
  test('if the server or the process that creates the demo history is killed, the next start creates the rest', async () => {
    const { server: first, settings, key } = await serveWithHistory()
    assert.doesNotMatch(first.printed(), /has its history/, 'it listens before')
    const orphan = await processOf(first)
    await until(async () => (await countOrders(first.origin, key)) > 2)
    await first.stop('SIGKILL')
    await until(() => !isAlive(orphan))
    const second = await serve(settings)
    const count = await countOrders(second.origin, key)
    const pid = await processOf(second)
    await until(async () => (await countOrders(second.origin, key)) > count)
    process.kill(pid, 'SIGKILL')
    await until(() => /could not be created.*ended by SIGKILL/.test(second.printed()))
    assert.equal(await second.stop(), 0)
    const third = await serve(settings)
    await until(() => /order history of the demo shop created/.test(third.printed()))
    assert.equal(await countOrders(third.origin, key), 50, 'a full page')
    assert.equal(await third.stop(), 0)
    // A refund that failed and a dispute wait for a person; nothing else is wrong.
    assert.match(
      (await cartwright(['doctor'], settings)).out,
      /invariants hold, the root secret can decrypt the database\n\nNeeds a person:/,
    )
    const fourth = await serveHere(settings)
    assert.equal(await fourth.stop(), 0)
    assert.doesNotMatch(fourth.printed(), /history/)
    assert.equal(
      (await cartwright(['demo', 'history'], settings)).out,
      'The demo shop needs no further history of orders.\n',
    )
  })
