// Webhook endpoints in a shop file: made once, changed where the file says so, never deleted, and their secrets shown once.

import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { makeDemoShop } from '../apps/demo/shop.ts'
import { cartwright } from '../harness/commandline.ts'
import { tempFolder } from '../harness/process.ts'
import { anyEngine } from '../harness/storage.ts'
import { testSecret, testSecretText } from '../harness/testServer.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { listInstallations } from '../src/domain/merchants/store.ts'
import { addEndpoint, disableEndpoint, enableEndpoint, pauseEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { decryptWebhookSecret } from '../src/domain/webhooks/signature.ts'
import { type Endpoint, listEndpoints, lockEndpoint } from '../src/domain/webhooks/store.ts'
import { type ApplyReport, applyShop } from '../src/ops/provisioning/apply.ts'
import { readShopFile } from '../src/ops/provisioning/read.ts'
import type { ShopFile, WebhookEntry } from '../src/ops/provisioning/shopfile.ts'
import { changeLines } from '../src/platform/audit/change.ts'
import { Refusal } from '../src/platform/kit/refuse.ts'
import type { Storage } from '../src/platform/storage/storage.ts'

const now = Date.parse('2026-06-01T12:00:00.000Z')
const tools = { rootSecret: testSecret, allowPrivate: false }
const options = { now, stock: false, dryRun: false, webhooks: tools }

const shop = (webhooks: WebhookEntry[], name = 'Web'): ShopFile => ({
  merchant: { slug: 'tea', name: 'Tea House', currency: 'GBP', country: 'GB' },
  installations: [{ name, mode: 'live', webhooks }],
})
const warehouse = {
  url: 'https://a.example/hooks?key=geheim',
  description: 'Warehouse',
  events: ['order.*', 'inventory.low'],
}
const everything = { url: 'https://b.example', paused: true }

async function endpointsOf(storage: Storage, report: ApplyReport): Promise<Endpoint[]> {
  const [installation] = await storage.read((db) => listInstallations(db, report.merchantId))
  return storage.read((db) => listEndpoints(db, installation?.id ?? ''))
}

const linesOf = (report: ApplyReport) => report.changes.flatMap(changeLines)

const refusal = (pattern: RegExp) => (error: Error) => {
  assert.ok(error instanceof Refusal, error.stack)
  assert.match(error.message, pattern)
  return true
}

async function isEmpty(storage: Storage): Promise<boolean> {
  const [row] = await storage.read((db) => db.sql<{ count: number }>`select count(*) as "count" from merchants`)
  return row?.count === 0
}

anyEngine('webhooks in a shop file', (given) => {
  test('are previewed, created with a secret each, and unchanged when the file is applied again', async () => {
    const storage = await given.open()
    const file = shop([warehouse, everything])
    const dry = await applyShop(storage, file, { ...options, dryRun: true })
    assert.deepEqual(linesOf(dry), [
      '+ merchant tea',
      '+ installation Web',
      '+ webhook https://a.example/hooks?***',
      '+ webhook https://b.example/',
    ])
    assert.deepEqual(dry.secrets, [])
    assert.ok(await isEmpty(storage))

    const first = await applyShop(storage, file, options)
    assert.deepEqual(linesOf(first), linesOf(dry))
    const made = await endpointsOf(storage, first)
    assert.deepEqual(
      made.map(({ url, description, events, status }) => [url, description, JSON.parse(events), status]),
      [
        [warehouse.url, 'Warehouse', warehouse.events, 'enabled'],
        [everything.url, '', ['*'], 'paused'],
      ],
    )
    assert.deepEqual(
      first.secrets,
      made.map(({ id, url, secretSealed }) => ({
        endpointId: id,
        url,
        secret: decryptWebhookSecret(testSecret, id, secretSealed),
      })),
    )
    const second = await applyShop(storage, file, options)
    assert.deepEqual([second.changes, second.secrets], [[], []])
    assert.deepEqual(await endpointsOf(storage, second), made)
    // Another spelling of the same address is no other address.
    const spelled = await applyShop(storage, shop([{ ...everything, url: 'https://B.example/' }]), options)
    assert.deepEqual([spelled.changes, await endpointsOf(storage, spelled)], [[], made])
    assert.deepEqual(await storage.read(findViolations), [])
  })

  test('are changed to what the file says; none is deleted, and one that was disabled stays disabled', async () => {
    const storage = await given.open()
    const first = await applyShop(storage, shop([warehouse, everything]), options)
    const [one, other] = await endpointsOf(storage, first)
    assert.ok(one && other)
    const file = shop([{ ...warehouse, description: 'Warehouse 2', events: ['order.paid'] }])
    const dry = await applyShop(storage, file, { ...options, dryRun: true })
    const changed = await applyShop(storage, file, options)
    assert.deepEqual(linesOf(changed), [
      '~ webhook https://a.example/hooks?***',
      '    description: "Warehouse" → "Warehouse 2"',
      '    events: ["order.*","inventory.low"] → ["order.paid"]',
    ])
    assert.deepEqual([linesOf(dry), changed.secrets], [linesOf(changed), []])
    const [after, same] = await endpointsOf(storage, first)
    assert.deepEqual(
      [after?.id, after?.description, after?.events, after?.secretSealed, after?.version],
      [one.id, 'Warehouse 2', '["order.paid"]', one.secretSealed, 2],
    )
    assert.deepEqual(same, other)

    const { installationId } = one
    const statuses = async () => (await endpointsOf(storage, first)).map(({ status }) => status)
    // What the file does not say stays: the operator paused one and enabled the other.
    await storage.write((tx) => pauseEndpoint(tx, installationId, one.id, now))
    await storage.write((tx) => enableEndpoint(tx, installationId, other.id, now))
    const silent = [warehouse, { url: everything.url }]
    await applyShop(storage, shop(silent), options)
    assert.deepEqual(await statuses(), ['paused', 'enabled'])
    // What it does say is done.
    const said = await applyShop(storage, shop([{ ...warehouse, paused: false }, everything]), options)
    assert.deepEqual(linesOf(said), [
      '~ webhook https://a.example/hooks?***',
      '    status: "paused" → "enabled"',
      '~ webhook https://b.example/',
      '    status: "enabled" → "paused"',
    ])
    assert.deepEqual(await statuses(), ['enabled', 'paused'])
    await storage.write(async (tx) => {
      const locked = await lockEndpoint(tx, installationId, one.id)
      assert.ok(locked)
      await disableEndpoint(tx, locked, 'operator', null, now)
    })
    const still = await applyShop(storage, shop([{ ...warehouse, paused: false }]), options)
    assert.deepEqual([still.changes, await statuses()], [[], ['disabled', 'paused']])
  })

  test('are refused if an address is private, if there are too many, or if apply got no webhook tools', async () => {
    const storage = await given.open()
    const local = shop([warehouse, { url: 'http://localhost:9000/in' }])
    for (const dryRun of [true, false])
      await assert.rejects(
        applyShop(storage, local, { ...options, dryRun }),
        refusal(/^\/installations\/0\/webhooks\/1\/url: .*CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE=1 (also )?allows .*$/),
      )
    const { webhooks: _, ...without } = options
    await assert.rejects(applyShop(storage, local, without), TypeError)
    assert.ok(await isEmpty(storage))
    const allowed = await applyShop(storage, local, { ...options, webhooks: { ...tools, allowPrivate: true } })
    assert.equal(allowed.secrets.length, 2)
    assert.equal((await applyShop(storage, shop([]), without)).changes.length, 0)

    const [known] = await endpointsOf(storage, allowed)
    const input = { url: 'https://c.example/', description: '', events: ['*'] }
    for (let count = 2; count < 100; count += 1)
      await storage.write((tx) => addEndpoint(tx, known?.installationId ?? '', input, tools, now))
    for (const dryRun of [true, false])
      await assert.rejects(
        applyShop(storage, shop([{ url: 'https://d.example/' }]), { ...options, dryRun }),
        refusal(/has 100 webhook endpoints/),
      )
  })

  test('concurrent applies of one file create each endpoint once, and so do concurrent demo commands', async () => {
    const storage = await given.open()
    const file = shop([warehouse, everything])
    const reports = await Promise.all([1, 2, 3, 4].map(() => applyShop(storage, file, options)))
    assert.equal(reports.flatMap(({ secrets }) => secrets).length, 2)
    assert.equal((await endpointsOf(storage, reports[0] as ApplyReport)).length, 2)
    const demos = await Promise.all([1, 2, 3].map(() => makeDemoShop(storage, testSecret, now)))
    assert.equal(new Set(demos.map(({ webhookEndpoint }) => JSON.stringify(webhookEndpoint))).size, 1)
  })

  test('are created by apply, which prints each secret once, in text and in JSON', async () => {
    const folder = await tempFolder()
    const settings = { CARTWRIGHT_DATABASE_URL: await given.migratedUrl(), CARTWRIGHT_SECRET: testSecretText }
    const path = join(folder, 'tea.json')
    await writeFile(path, JSON.stringify(shop([warehouse])))
    const first = await cartwright(['apply', path], settings)
    assert.match(
      first.out,
      /\nwhsec_\S{44} {3}the secret of whe_\w{26}, shown only once: https:\/\/a\.example\/hooks\?\*\*\*\n3 changed/,
    )
    assert.equal((await cartwright(['apply', path], settings)).out, '0 changed, 0 products unchanged, 0 refused\n')
    await writeFile(path, JSON.stringify(shop([warehouse, everything])))
    const { changes, secrets } = JSON.parse((await cartwright(['apply', path, '--json'], settings)).out)
    assert.equal(changes.length, 1)
    assert.deepEqual(
      [secrets.length, secrets[0].url, Object.keys(secrets[0])],
      [1, everything.url, ['endpointId', 'url', 'secret']],
    )
    await writeFile(path, JSON.stringify(shop([{ url: 'https://192.168.0.1/' }])))
    const refused = await cartwright(['apply', path], settings)
    assert.deepEqual([refused.code, refused.out], [1, ''])
    assert.match(refused.err, /^cartwright: \/installations\/0\/webhooks\/0\/url: .*\n$/)
  })
})

describe('invalid webhooks in a shop file', () => {
  for (const [name, webhooks, path, message] of [
    ['an invalid address', [{ url: 'nowhere' }], '/0/url', /must be a valid URL/],
    ['a password', [{ url: 'https://me:word@a.example' }], '/0/url', /must not contain a user name/],
    ['a metadata service', [{ url: 'http://169.254.169.254/' }], '/0/url', /private or special/],
    [
      'an unknown event',
      [{ ...warehouse, events: ['order.paid', 'order.eaten'] }],
      '/0/events/1',
      /"order\.eaten" is not an event/,
    ],
    ['no event', [{ ...warehouse, events: [] }], '/0/events', /./],
    ['an event twice', [{ ...warehouse, events: ['*', '*'] }], '/0/events/1', /./],
    ['one address twice', [everything, { url: 'https://b.example/' }], '/1/url', /must not appear twice/],
    ['a secret', [{ ...everything, secret: 'whsec_x' }], '/0/secret', /./],
    ['a long description', [{ ...everything, description: 'x'.repeat(201) }], '/0/description', /./],
  ] as const) {
    test(`${name} is reported with its path`, () => {
      const read = readShopFile(JSON.stringify(shop(webhooks as unknown as WebhookEntry[])), now)
      assert.ok('problems' in read)
      const [problem, ...others] = read.problems
      assert.deepEqual([problem?.path, others], [`/installations/0/webhooks${path}`, []])
      assert.match(problem?.message ?? '', message)
    })
  }

  test('a loopback address is not reported, since a setting of the server may allow it', () => {
    assert.ok('file' in readShopFile(JSON.stringify(shop([{ url: 'http://localhost:4010/webhooks' }])), now))
  })
})
