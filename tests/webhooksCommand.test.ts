// `webhooks` as an operator uses it: every verb, what it prints, and that a secret is printed once and kept nowhere in
// clear. The receiver of `webhooks listen` is called as a server calls it, and as somebody calls it who has no secret.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setImmediate as pause } from 'node:timers/promises'
import { makeDemoShop } from '../apps/demo/shop.ts'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { makePasswordsCheap } from '../harness/passwords.ts'
import { freePort } from '../harness/ports.ts'
import { listen, type Outcome, tempFolder } from '../harness/process.ts'
import { bloom } from '../harness/shops.ts'
import { givenEngine } from '../harness/storage.ts'
import { listInstallations, listMerchants } from '../src/domain/merchants/store.ts'
import { claimDeliveries } from '../src/domain/webhooks/claim.ts'
import { enableEndpoint, pingEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { recordOutcomes } from '../src/domain/webhooks/outcomes.ts'
import type { CallOutcome } from '../src/domain/webhooks/sender.ts'
import { makeWebhookSecret, signedHeaders, signWebhook } from '../src/domain/webhooks/signature.ts'
import { type Endpoint, findEndpointAnywhere, listEndpoints } from '../src/domain/webhooks/store.ts'
import { findWebhookProblem } from '../src/ops/cli/listen.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import { receiverUrl } from '../src/ops/provisioning/webhooks.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import type { Storage } from '../src/platform/storage/storage.ts'

makePasswordsCheap()

const secretText = 'the-root-secret-of-the-webhook-commands'
const rootSecret = parseRootSecret(secretText) as RootSecret

const wideOpen = { CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE: '1' }

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
async function json(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<any> {
  const { code, out, err } = await cartwright([...args, '--json'], environment)
  assert.equal(code, 0, err)
  return JSON.parse(out)
}

// What a server writes about one call, without the call.
async function pretend(
  storage: Storage,
  { installationId, id }: Endpoint,
  answered: Partial<CallOutcome>,
): Promise<void> {
  const at = Date.now()
  await storage.write(async (tx) => {
    const key = { installationId, id }
    const {
      claimed: [claimed, ...others],
    } = await claimDeliveries(tx, [key], { limit: 8, leaseMs: 60_000, now: at })
    assert.ok(claimed && others.length === 0)
    const call = {
      kind: 'answered',
      statusCode: null,
      retryAfter: null,
      error: null,
      answer: null,
      tookMs: 12,
    } as const
    await recordOutcomes(tx, [{ claimed, call: { ...call, ...answered }, startedAt: at }], at)
  })
}

async function openPings(storage: Storage): Promise<string[]> {
  const rows = await storage.read(
    (db) => db.sql<{ id: string }>`
      select id from webhook_deliveries where event_type = 'webhook.ping' and status = 'pending' order by id`,
  )
  return rows.map(({ id }) => id)
}

describe('the webhooks commands', () => {
  const given = givenEngine('sqlite')

  async function openShop() {
    const url = await given.migratedUrl()
    const storage = await given.open({ url })
    await applyShop(storage, bloom, { now: Date.now(), stock: false, dryRun: false })
    const settings = { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: secretText }
    return { storage, settings, file: url.slice('sqlite:'.length) }
  }

  const endpointOf = (storage: Storage, id: string) => storage.read((db) => findEndpointAnywhere(db, id))

  test('add, list, rotate, pause, enable, disable and remove an endpoint, and print its secret only when it is made', async () => {
    const { storage, settings, file } = await openShop()
    const add = ['webhooks', 'add', '--url', 'https://hooks.example.com/in?token=geheim']
    const plain = await cartwright(
      [...add, '--events', 'order.*, cart.created,order.*', '--description', 'Ware\u202fhaus'],
      settings,
    )
    assert.equal(plain.code, 0)
    const [secret = '', said = ''] = plain.out.split('\n')
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    assert.equal(said, 'shown only once')
    const [id = ''] = /whe_[0-9a-z]{26}/.exec(plain.out) ?? []
    const { endpoint, secret: second } = await json(
      ['webhooks', 'add', '--url', 'https://b.example/', '--paused'],
      settings,
    )
    assert.deepEqual([endpoint.status, endpoint.events], ['paused', ['*']])

    const rotated = await json(['webhooks', 'rotate', id], settings)
    assert.notEqual(rotated.secret, secret)
    const { previousExpiresAt } = rotated.endpoint.secretRotation
    assert.ok(Math.abs(Date.parse(previousExpiresAt) - Date.now() - 86_400_000) < 60_000)
    const again = await cartwright(['webhooks', 'rotate', endpoint.id], settings)
    assert.match(again.out, /^whsec_\S+\nshown only once\n[\s\S]*^ +previous expires at +\S+Z$/m)

    const listed = await cartwright(['webhooks', 'list'], settings)
    assert.match(
      listed.out,
      new RegExp(`^${id}  enabled  https://hooks.example.com/in\\?\\*\\*\\* +order.\\*,cart.created +0 pending.* Ware`),
    )
    assert.match(listed.out, / {2}0 pending, 0 failures in a row, last success –, secret ….{4} {2}/m)
    const asJson = await cartwright(['webhooks', 'list', '--json'], settings)
    const { endpoints } = JSON.parse(asJson.out)
    assert.deepEqual(
      endpoints.map((shown: { id: string; status: string }) => [shown.id, shown.status]),
      [
        [id, 'enabled'],
        [endpoint.id, 'paused'],
      ],
    )
    assert.equal(endpoints[0].secretRotation.previousExpiresAt, previousExpiresAt)
    const [thirdSecret = ''] = again.out.split('\n')
    const kept = Buffer.concat([await readFile(file), await readFile(`${file}-wal`)]).toString('latin1')
    for (const one of [secret, second, rotated.secret, thirdSecret]) {
      const core = one.slice('whsec_'.length, -5)
      for (const text of [listed.out, asJson.out, kept]) assert.ok(!text.includes(core), 'a secret is seen')
    }
    assert.ok(!listed.out.includes('geheim') && !asJson.out.includes('geheim'))

    assert.equal((await json(['webhooks', 'pause', id], settings)).status, 'paused')
    assert.equal((await cartwright(['webhooks', 'pause', id], settings)).code, 0)
    assert.equal((await json(['webhooks', 'enable', id], settings)).status, 'enabled')
    assert.equal((await json(['webhooks', 'disable', id], settings)).status, 'disabled')
    assert.equal((await endpointOf(storage, id))?.disabledReason, 'operator')
    assert.deepEqual(await cartwright(['webhooks', 'pause', id], settings), {
      code: 1,
      out: '',
      err: `cartwright: The webhook endpoint ${id} is disabled, so its calls are already held. First run \`webhooks enable\`.\n`,
    })
    // That the first was disabled was told to the second one, which is paused: so it is held.
    const [held] = (await json(['webhooks', 'deliveries', endpoint.id], settings)).deliveries
    assert.deepEqual([held.status, held.eventType, held.subjectId], ['held', 'webhook.endpoint_disabled', id])
    assert.equal((await json(['webhooks', 'enable', endpoint.id], settings)).health.pending, 1)
    assert.deepEqual(await json(['webhooks', 'remove', endpoint.id], settings), { id: endpoint.id, removed: true })
    const [row] = await storage.read(
      (db) => db.sql<{ status: string; sealed: string }>`
        select d.status, e.secret_sealed as "sealed" from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
        where d.id = ${held.id}`,
    )
    assert.deepEqual(row, { status: 'discarded', sealed: '' })
    assert.deepEqual(await cartwright(['webhooks', 'remove', endpoint.id], settings), {
      code: 1,
      out: '',
      err: `cartwright: There is no webhook endpoint ${endpoint.id}.\n`,
    })
  })

  test('report misuse, unknown ids and forbidden addresses in one line each', async () => {
    const { storage, settings } = await openShop()
    for (const [args, code, line] of [
      [[], 2, /^webhooks needs a verb: add, list, rotate, test, /],
      [['sing'], 2, /^webhooks has no verb sing/],
      [['toString', 'x'], 2, /^webhooks has no verb toString/],
      [['add'], 2, /^--url is required/],
      [['list', 'whe_x'], 2, /^webhooks list does not take the argument whe_x/],
      [['rotate'], 2, /^webhooks rotate needs the argument ENDPOINT_ID/],
      [['rotate', 'a', 'b'], 2, /^webhooks rotate does not take the argument b/],
      [['add', '--url', 'https://a.example', '--events', 'order.eaten'], 2, /^--events (order\.eaten|"order\.eaten") /],
      [['add', '--url', 'https://a.example', '--events', ' , '], 2, /^--events must /],
      [['add', '--url', 'https://a.example', '--description', 'two\nlines'], 2, /^--description must be /],
      [['add', '--url', 'https://a.example', '--merchant', 'nobody'], 1, /There is no merchant nobody/],
      [['add', '--url', 'https://a.example', '--installation', 'none'], 1, /has no installation none/],
      [['add', '--url', 'ftp://a.example'], 1, /must begin with https/],
      [['add', '--url', 'https://me:secret@a.example'], 1, /must not contain a user name/],
      [['add', '--url', 'http://localhost:4010/webhooks'], 1, /CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE=1 (also )?allows/],
      [['add', '--url', 'https://10.0.0.1/'], 1, /CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE=1 (also )?allows/],
      [['rotate', 'whe_\u001b[31m'], 1, /There is no webhook endpoint whe_\\u001b\[31m/],
      [['enable', 'whe_none'], 1, /There is no webhook endpoint whe_none/],
      [['disable', 'whe_none'], 1, /There is no webhook endpoint whe_none/],
      [['test', 'whe_none'], 1, /There is no webhook endpoint whe_none/],
      [['test', 'whe_none', '--wait', '0'], 2, /^--wait must be a whole number from 1 to 60/],
      [['deliveries', 'whe_none'], 1, /There is no webhook endpoint whe_none/],
      [['deliveries', 'whd_none'], 1, /There is no webhook delivery whd_none/],
      [['deliveries', 'whe_none', '--limit', 'all'], 2, /^--limit must be a whole number from 1 to 1000/],
      [['replay', 'whd_none'], 1, /There is no webhook delivery whd_none/],
      [['replay', 'whd_none', '--reason', ' '], 2, /^--reason must be one line/],
      [['listen', '--port', 'many'], 2, /^--port must be a number/],
      [['listen'], 1, /set CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE=1 for both the server/],
    ] as const) {
      const told = await cartwright(['webhooks', ...args], settings)
      assert.deepEqual([told.code, told.out], [code, ''], args.join(' '))
      assert.match(told.err.replace('cartwright: ', ''), line)
      assert.equal(told.err.trimEnd().split('\n').length, code === 2 ? 2 : 1, told.err)
    }
    const bad = await cartwright(['webhooks', 'list'], { ...settings, CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE: 'yes' })
    assert.deepEqual(bad, {
      code: 1,
      out: '',
      err: 'cartwright: CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE must be 1 or 0, not "yes".\n',
    })
    const [row] = await storage.read(
      (db) => db.sql<{ count: number }>`select count(*) as "count" from webhook_endpoints`,
    )
    assert.equal(row?.count, 0)
  })

  test('send a test call and report its result; another test replaces one that is still pending', async () => {
    const { storage, settings } = await openShop()
    const { endpoint } = await json(['webhooks', 'add', '--url', 'https://a.example/'], settings)
    const asking = ['webhooks', 'test', endpoint.id, '--wait', '1']
    const nobody = await cartwright(asking, settings)
    assert.equal(nobody.code, 1)
    assert.match(nobody.out, /^✗ not sent yet: no server is running on this database.* {2}whd_\w+\n$/)

    const kept = (await endpointOf(storage, endpoint.id)) as Endpoint
    async function answered(call: Partial<CallOutcome>): Promise<Outcome> {
      const before = await openPings(storage)
      const asked = cartwright(['webhooks', 'test', endpoint.id, '--wait', '30'], settings)
      let fresh: string[] = []
      const deadline = Date.now() + 20_000
      while (fresh.length === 0) {
        assert.ok(Date.now() < deadline)
        // SQLite answers without a turn of the event loop, which the command needs.
        await pause()
        fresh = (await openPings(storage)).filter((id) => !before.includes(id))
      }
      assert.equal((await openPings(storage)).length, 1, 'the earlier one gave way')
      await pretend(storage, kept, call)
      return asked
    }
    const good = await answered({ statusCode: 204 })
    assert.deepEqual([good.code, good.out.slice(0, 24)], [0, '✓ answered 204 in 12 ms '])
    const bad = await answered({ statusCode: 500 })
    assert.equal(bad.code, 1)
    assert.match(bad.out, /^✗ answered 500 in 12 ms: status 500, retrying; next attempt at \S+Z {2}whd_/)
    assert.match(
      (await answered({ kind: 'blocked', error: 'a private address' })).out,
      /^✗ no answer in 12 ms: a private address, blocked {2}whd_/,
    )

    await storage.write(
      (tx) => tx.sql`
        update webhook_endpoints set resting_until = ${Date.now() + 60_000}, consecutive_failures = 11 where id = ${endpoint.id}`,
    )
    assert.match((await cartwright(asking, settings)).out, /not sent yet: backing off until .* after 11 failures/)
    await cartwright(['webhooks', 'pause', endpoint.id], settings)
    assert.deepEqual(await cartwright(asking, settings), {
      code: 1,
      out: '',
      err: `cartwright: The webhook endpoint ${endpoint.id} is paused. First run \`webhooks enable\`.\n`,
    })
  })

  test('list the newest deliveries, show one with its attempts, and replay one if that is allowed', async () => {
    const { storage, settings } = await openShop()
    const { endpoint } = await json(['webhooks', 'add', '--url', 'https://a.example/'], settings)
    const { installationId } = (await endpointOf(storage, endpoint.id)) as Endpoint
    for (let count = 0; count < 2; count += 1)
      await storage.write((tx) => pingEndpoint(tx, installationId, endpoint.id, Date.now()))
    await cartwright(['webhooks', 'test', endpoint.id, '--wait', '1'], settings)
    const { deliveries } = await json(['webhooks', 'deliveries', endpoint.id], settings)
    assert.deepEqual(
      deliveries.map((delivery: { status: string; sequence: number }) => [delivery.status, delivery.sequence]),
      [
        ['pending', 4],
        ['discarded', 3],
        ['discarded', 2],
      ],
    )
    assert.equal((await json(['webhooks', 'deliveries', endpoint.id, '--limit', '1'], settings)).deliveries.length, 1)
    const [{ id }] = deliveries
    const early = await cartwright(['webhooks', 'replay', id], settings)
    assert.deepEqual([early.code, early.out], [1, ''])
    const answer = `no\u001b[2J${'x'.repeat(400)}`
    await pretend(storage, (await endpointOf(storage, endpoint.id)) as Endpoint, { statusCode: 200, answer })
    const shown = await cartwright(['webhooks', 'deliveries', id], settings)
    assert.match(
      shown.out,
      /^whd_\w+ {2}succeeded {2}webhook\.ping .* #4 .* 1 attempt {2}200\n {2}#1 .* 12 ms {2}200\n {6}no\\u001b\[2Jx+\n$/,
    )
    assert.ok(shown.out.length < 600)
    const { attempts } = await json(['webhooks', 'deliveries', id], settings)
    assert.deepEqual([attempts[0].tookMs, attempts[0].statusCode, attempts[0].answer], [12, 200, answer])
    assert.deepEqual(await cartwright(['webhooks', 'replay', id], settings), {
      code: 1,
      out: '',
      err: `cartwright: The delivery has succeeded: to replay it anyway, set allowSucceeded. On the command line, add --allow-succeeded.\n`,
    })
    const { delivery } = await json(['webhooks', 'replay', id, '--allow-succeeded', '--reason', 'lost it'], settings)
    assert.deepEqual([delivery.replayOf, delivery.status, delivery.attempts], [id, 'pending', 0])
    assert.match(
      (await cartwright(['webhooks', 'deliveries', delivery.id], settings)).out,
      new RegExp(`replay of ${id}\n$`),
    )
    const [row] = await storage.read(
      (db) =>
        db.sql<{ reason: string }>`select replay_reason as "reason" from webhook_deliveries where id = ${delivery.id}`,
    )
    assert.equal(row?.reason, 'lost it')
    assert.equal((await cartwright(['webhooks', 'replay', id, '--allow-succeeded'], settings)).code, 1)
  })

  test('create the endpoint of the demo shop once, paused, and print the same secret each time', async () => {
    const folder = await tempFolder()
    const settings = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'shop.db')}`, CARTWRIGHT_SECRET: secretText }
    const first = await json(['demo'], settings)
    const second = await json(['demo'], settings)
    assert.deepEqual(Object.keys(first.webhookEndpoint), ['id', 'secret'])
    assert.deepEqual(second.webhookEndpoint, first.webhookEndpoint)
    assert.match(
      (await cartwright(['demo'], settings)).out,
      new RegExp(`\nwebhooks {4}${first.webhookEndpoint.id} {3}secret whsec_`),
    )
    const { endpoints } = await json(['webhooks', 'list'], settings)
    assert.deepEqual(
      endpoints.map((endpoint: Record<string, unknown>) => [
        endpoint.id,
        endpoint.url,
        endpoint.status,
        endpoint.events,
      ]),
      [
        [
          first.webhookEndpoint.id,
          'http://localhost:4010/webhooks',
          'paused',
          ['order.*', 'checkout_session.*', 'inventory.*', 'promotion.*'],
        ],
      ],
    )
    // A database that has outlived its root secret: what cannot be opened is made anew.
    const orphaned = { ...settings, CARTWRIGHT_SECRET: '2:another-root-secret-of-the-same-database' }
    await json(['secret', 'forget', '1', '--force'], orphaned)
    const third = await json(['demo'], orphaned)
    assert.notEqual(third.webhookEndpoint.id, first.webhookEndpoint.id)
    assert.deepEqual((await json(['demo'], orphaned)).webhookEndpoint, third.webhookEndpoint)
  })
})

describe('webhooks listen', () => {
  const given = givenEngine('sqlite')

  async function openDemo() {
    const url = await given.migratedUrl()
    const storage = await given.open({ url })
    const demo = await makeDemoShop(storage, rootSecret, Date.now())
    const settings = { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: secretText, ...wideOpen }
    return { storage, settings, demo }
  }

  const endpointOf = async (storage: Storage, id: string) =>
    (await storage.read((db) => findEndpointAnywhere(db, id))) as Endpoint

  const body = JSON.stringify({
    type: 'order.paid',
    subject: { type: 'order', id: 'ord_1' },
    sequence: 7,
    data: 'ä\u2028',
  })
  const seconds = () => Math.floor(Date.now() / 1_000)

  function post(url: string, headers: Readonly<Record<string, string>>, text: string | Uint8Array = body) {
    return fetch(url, { method: 'POST', headers, body: Buffer.from(text) })
  }

  test('enables a paused endpoint, verifies calls, prints a line for each, and pauses the endpoint again on SIGTERM', async () => {
    const { storage, settings, demo } = await openDemo()
    const { id, secret } = demo.webhookEndpoint
    const receiver = await listen(settings, ['--endpoint', id, '--port', '0'])
    assert.match(
      receiver.printed(),
      new RegExp(
        `^listening at ${receiver.url} for the endpoint ${id}\nthe endpoint sends its calls to http://localhost:4010/`,
      ),
    )
    assert.equal((await endpointOf(storage, id)).status, 'enabled')

    const signed = (name: string, timestamp = seconds()) => signedHeaders([secret], { id: name, timestamp, body })
    assert.equal((await post(receiver.url, { ...signed('evt_1'), 'webhook-attempt': '1' })).status, 204)
    assert.equal((await post(receiver.url, { ...signed('evt_1'), 'webhook-attempt': '2' })).status, 204)
    assert.equal((await post(receiver.url, { ...signed('evt_2'), 'webhook-id': 'evt_3' })).status, 401)
    assert.equal((await post(receiver.url, signed('evt_2'), `${body}\n`)).status, 401)
    assert.equal((await post(receiver.url, signed('evt_2', seconds() - 400))).status, 401)
    assert.equal((await post(receiver.url, {}, '\u001b[31m')).status, 401)
    // What was not verified was not seen.
    assert.equal((await post(receiver.url, signed('evt_2'))).status, 204)
    // A secret that is replaced meanwhile counts at once, and the former one beside it.
    const { secret: next } = await json(['webhooks', 'rotate', id], settings)
    assert.equal(
      (await post(receiver.url, signedHeaders([next], { id: 'evt_4', timestamp: seconds(), body }))).status,
      204,
    )
    assert.equal((await post(receiver.url, signed('evt_5'))).status, 204)
    await receiver.printedLine(/(.*verified.*\n){9}/i)
    const lines = receiver
      .printed()
      .split('\n')
      .filter((line) => /verified/i.test(line))
    const told = lines.map((line) =>
      line
        .split('  ')
        .map((part) => part.trim())
        .filter(Boolean),
    )
    assert.deepEqual(told[0]?.slice(1), ['order.paid', 'ord_1', '#7', 'verified'])
    assert.match(told[0]?.[0] ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.deepEqual(
      told.map((parts) => parts.at(-1)),
      [
        'verified',
        'verified, seen before, attempt 2',
        'NOT VERIFIED: no signature was made with the secret of the endpoint',
        'NOT VERIFIED: no signature was made with the secret of the endpoint',
        told[4]?.at(-1),
        'NOT VERIFIED: webhook-id is missing',
        'verified',
        'verified',
        'verified',
      ],
    )
    assert.match(
      told[4]?.at(-1) ?? '',
      /^NOT VERIFIED: webhook-timestamp is 40\d seconds old; at most 300 seconds are allowed$/,
    )
    assert.ok(!receiver.printed().includes('\u001b'))

    assert.equal((await fetch(receiver.url)).status, 405)
    assert.equal((await fetch(receiver.url, { method: 'PUT', body })).status, 405)
    assert.equal((await fetch(receiver.url.replace('/webhooks', '/'), { method: 'POST', body })).status, 404)
    assert.equal((await post(receiver.url, {}, new Uint8Array(1_048_577))).status, 413)

    assert.equal(await receiver.stop('SIGTERM'), 0)
    assert.equal((await endpointOf(storage, id)).status, 'paused')
    await assert.rejects(fetch(receiver.url))
    assert.ok(!receiver.printed().includes(secret.slice(6, 40)))
  })

  test('uses the endpoint with its own address by default, prints complete calls with --json, and stops on SIGINT', async () => {
    const { storage, settings, demo } = await openDemo()
    const { id, secret } = demo.webhookEndpoint
    // A free port, which the endpoint is moved to: the demo's own may be taken on this machine.
    const port = String(await freePort())
    const probe = await listen(settings, ['--port', port])
    const added = (await storage.read((db) => listEndpoints(db, demo.installation.id))).find((one) => one.id !== id)
    assert.equal(added?.url, probe.url)
    assert.deepEqual(JSON.parse(added?.events ?? ''), ['*'])
    assert.equal(await probe.stop('SIGINT'), 0)
    assert.deepEqual(
      (await storage.read((db) => listEndpoints(db, demo.installation.id))).map((one) => one.id),
      [id],
      'what it added it removed',
    )
    const moved = receiverUrl(Number(port), '127.0.0.1')
    await storage.write((tx) => tx.sql`update webhook_endpoints set url = ${moved} where id = ${id}`)
    const receiver = await listen(settings, ['--port', port, '--json'])
    assert.equal((await endpointOf(storage, id)).status, 'enabled')
    assert.equal((await post(moved, signedHeaders([secret], { id: 'evt_1', timestamp: seconds(), body }))).status, 204)
    assert.equal((await post(moved, {}, 'not JSON')).status, 401)
    await receiver.printedLine(/^(\{.*\n){2}$/)
    const [first, second] = receiver
      .printed()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      { ...first, receivedAt: '' },
      {
        receivedAt: '',
        verified: true,
        problem: null,
        duplicate: false,
        id: 'evt_1',
        deliveryId: null,
        attempt: null,
        body: JSON.parse(body),
      },
    )
    assert.deepEqual([second.verified, second.body], [false, 'not JSON'])
    // The port is taken: nothing is changed, and the one that listens goes on.
    const late = await cartwright(['webhooks', 'listen', '--port', port], settings)
    assert.deepEqual([late.code, late.out], [1, ''])
    assert.match(late.err, /^cartwright: port \d+ is in use by another program; choose a free port with --port\n$/)
    assert.equal((await endpointOf(storage, id)).status, 'enabled')
    assert.equal(await receiver.stop('SIGINT'), 0)
    assert.equal((await endpointOf(storage, id)).status, 'paused')
  })

  test('leaves an enabled endpoint enabled, refuses a disabled one, and removes the endpoint that a killed run left behind', async () => {
    const { storage, settings, demo } = await openDemo()
    const { id } = demo.webhookEndpoint
    const { installation } = demo
    await storage.write((tx) => enableEndpoint(tx, installation.id, id, Date.now()))
    const steady = await listen(settings, ['--endpoint', id, '--port', '0'])
    await steady.stop()
    assert.equal((await endpointOf(storage, id)).status, 'enabled')
    await cartwright(['webhooks', 'disable', id], settings)
    assert.deepEqual(await cartwright(['webhooks', 'listen', '--endpoint', id, '--port', '0'], settings), {
      code: 1,
      out: '',
      err: `cartwright: The webhook endpoint ${id} is disabled. First run \`webhooks enable\`.\n`,
    })
    const port = String(await freePort())
    const killed = await listen(settings, ['--port', port])
    await killed.stop('SIGKILL')
    assert.equal((await storage.read((db) => listEndpoints(db, installation.id))).length, 2)
    const next = await listen(settings, ['--port', port])
    await next.stop()
    assert.equal((await storage.read((db) => listEndpoints(db, installation.id))).length, 1)
  })

  const secret = makeWebhookSecret()
  const now = 1_800_000_000_000
  const message = { id: 'evt_1', timestamp: now / 1_000, body }
  const good = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(now / 1_000),
    'webhook-signature': signWebhook(secret, message),
  }
  const stamped = (time: string, timestamp: number) => ({
    ...good,
    'webhook-timestamp': time,
    'webhook-signature': signWebhook(secret, { ...message, timestamp }),
  })
  const half = `${'v1,'.padEnd(47, 'A')}`
  const edge = now / 1_000 - 300
  for (const [name, headers, bytes, problem] of [
    ['a good call', good, body, undefined],
    [
      'two signatures of which the second is valid',
      { ...good, 'webhook-signature': `${half} ${good['webhook-signature']}` },
      body,
      undefined,
    ],
    [
      'a valid signature after one of an unknown scheme',
      { ...good, 'webhook-signature': `v2,x ${good['webhook-signature']}` },
      body,
      undefined,
    ],
    ['a timestamp of 300 seconds ago', stamped(String(edge), edge), body, undefined],
    ['a timestamp of 301 seconds ago', stamped(String(edge - 1), edge - 1), body, /301 seconds old/],
    ['a timestamp 301 seconds ahead', stamped(String(edge + 601), edge + 601), body, /301 seconds in the future/],
    ['a timestamp with a zero before it', stamped(`0${now / 1_000}`, now / 1_000), body, /not a whole number/],
    ['a timestamp with a fraction', stamped(`${now / 1_000}.0`, now / 1_000), body, /not a whole number/],
    ['no id', { ...good, 'webhook-id': undefined }, body, /webhook-id is missing/],
    ['no timestamp', { ...good, 'webhook-timestamp': undefined }, body, /webhook-timestamp is missing/],
    ['an empty signature', { ...good, 'webhook-signature': '' }, body, /webhook-signature is missing/],
    ['only other schemes', { ...good, 'webhook-signature': 'v2,abc' }, body, /no v1 signature/],
    [
      'a truncated signature',
      { ...good, 'webhook-signature': good['webhook-signature'].slice(0, -1) },
      body,
      /no signature was made/,
    ],
    ['a body that is not UTF-8', good, Buffer.from([0x7b, 0xff]), /not UTF-8/],
  ] as const) {
    test(`${problem ? 'refuses' : 'accepts'} ${name}`, () => {
      const told = findWebhookProblem(headers, Buffer.from(bytes), [makeWebhookSecret(), secret], now)
      if (problem) assert.match(told ?? 'verified', problem)
      else assert.equal(told, undefined)
    })
  }
})

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`webhooks beside a running server (${engine})`, () => {
    const given = givenEngine(engine)

    test('a test call is sent by the server to the receiver, and its result is reported', async () => {
      const settings = {
        CARTWRIGHT_DATABASE_URL: await given.migratedUrl(),
        CARTWRIGHT_SECRET: secretText,
        ...wideOpen,
      }
      const server = await serveHere(settings)
      const receiver = await listen(settings, ['--port', '0'])
      const storage = await given.open({ url: settings.CARTWRIGHT_DATABASE_URL, withMigrations: false })
      const [merchant] = await storage.read(listMerchants)
      const [installation] = await storage.read((db) => listInstallations(db, merchant?.id ?? ''))
      const endpoints = await storage.read((db) => listEndpoints(db, installation?.id ?? ''))
      const id = endpoints.find(({ url }) => url === receiver.url)?.id ?? ''
      const tested = await json(['webhooks', 'test', id], settings)
      assert.deepEqual([tested.succeeded, tested.delivery.lastStatusCode], [true, 204])
      await receiver.printedLine(new RegExp(`webhook\\.ping +${id} +#2 +verified\n`))
      assert.equal(
        (await cartwright(['webhooks', 'replay', tested.delivery.id, '--allow-succeeded'], settings)).code,
        0,
      )
      await receiver.printedLine(new RegExp(`webhook\\.ping +${id} +#2 +verified, seen before\n`))
      assert.equal(await receiver.stop(), 0)
      assert.equal(await server.stop(), 0)
      assert.match(
        server.printed(),
        /webhooks {5}CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE=1 npm run -s cartwright -- webhooks listen/,
      )
    })
  })
}
