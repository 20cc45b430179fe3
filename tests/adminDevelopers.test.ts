// Installations, keys and webhooks by the admin surface: what each does beyond what holds for every row.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { developerGivens, failedDelivery } from '../harness/admin/developers.ts'
import type { AdminTestServer } from '../harness/admin/world.ts'
import { openOrderTestServer } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'
import { testSecret } from '../harness/testServer.ts'
import { until } from '../harness/until.ts'
import { type AdminScope, adminScopes } from '../src/contract/words.ts'
import { claimDeliveries, listDueEndpoints } from '../src/domain/webhooks/claim.ts'
import { pingEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { decryptWebhookSecret } from '../src/domain/webhooks/signature.ts'
import { sweepWebhooks } from '../src/domain/webhooks/sweep.ts'
import { rotateKey } from '../src/platform/access/keys.ts'
import { personCaller } from '../src/platform/http/admin.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { Refusal } from '../src/platform/kit/refuse.ts'

eachEngine('developers', (given) => {
  let testServer: AdminTestServer
  before(async () => {
    testServer = await openOrderTestServer(given)
  })

  const keyed = (body: object = {}) => ({ ...body, idempotencyKey: newId('req') })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  const coded = (answer: { status: number; body: any }) => [answer.status, answer.body.error?.code]

  async function newInstallation(name = newId('ins')): Promise<string> {
    const answer = await testServer.askAdmin('createAdminInstallation', { body: keyed({ name }) })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data.id
  }

  test('an update of an endpoint waits for a concurrent update and keeps its changes', async () => {
    const { path } = await developerGivens.updateAdminWebhookEndpoint(testServer)
    const endpointId = path?.endpointId as string
    const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const first = testServer.storage.write(async (tx) => {
      await tx.sql`update webhook_endpoints set description = 'First' where id = ${endpointId}`
      locked.resolve()
      await held.promise
    })
    await locked.promise
    const second = testServer.askAdmin('updateAdminWebhookEndpoint', {
      path: { endpointId },
      body: keyed({ events: ['order.placed'] }),
    })
    // SQLite has one writer at a time. On PostgreSQL the second must be seen to wait.
    if (given.engine === 'postgres')
      await until(async () => {
        const waiting = await testServer.storage.read(
          (db) => db.sql`
            select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
        return waiting.length > 0
      }, 'the second update')
    held.resolve()
    await first
    const { status, body } = await second
    assert.deepEqual([status, body.data?.description, body.data?.events], [200, 'First', ['order.placed']])
  })

  test('a publishable key is created with valid origins, works from these, and keeps them when it is rotated', async () => {
    const installationId = await newInstallation()
    const wanted = { installationId, name: 'Pages', kind: 'publishable', scopes: [] }
    const { key: giver } = await testServer.newKey([...adminScopes, 'catalog:read', 'checkout:quote'])
    const make = (body: object) =>
      testServer.askAdmin('createAdminKey', { key: giver, body: keyed({ ...wanted, ...body }) })
    for (const [body, path] of [
      [{}, '/origins'],
      [{ origins: [] }, '/origins'],
      [{ origins: ['https://shop.example', 'http://shop.example'] }, '/origins/1'],
      [{ origins: ['https://*.shop.example'] }, '/origins/0'],
      [{ origins: ['https://shop.example/path'] }, '/origins/0'],
      [{ origins: ['https://user@shop.example'] }, '/origins/0'],
      [{ origins: ['https://shop.example'], scopes: ['webhooks:read'] }, '/scopes'],
      [{ origins: ['https://shop.example'], kind: 'secret' }, '/origins'],
    ] as const) {
      const bad = await make(body)
      assert.deepEqual([bad.status, bad.body.error?.issues[0].path], [400, path], JSON.stringify(body))
    }
    const lesser = await testServer.askAdmin('createAdminKey', {
      body: keyed({ ...wanted, origins: ['https://shop.example'] }),
    })
    assert.deepEqual(coded(lesser), [403, 'scope_missing'], 'a key gives only what it has')
    const made = await make({ origins: ['https://SHOP.example:443', 'https://shop.example', 'http://localhost:3000'] })
    const { key, secret } = made.body.data
    const origins = ['http://localhost:3000', 'https://shop.example']
    assert.match(secret, /^cwp_test_/)
    assert.deepEqual(
      [key.kind, key.origins.toSorted(), key.scopes],
      ['publishable', origins, ['catalog:read', 'checkout:quote']],
    )
    const products = (secret: string, origin: string) =>
      testServer.ask('listApiKeyCatalogProducts', { key: secret, headers: { origin } })
    for (const origin of origins) assert.equal((await products(secret, origin)).status, 200)
    const body = keyed({ overlapHours: 0 })
    const rotated = (await testServer.askAdmin('rotateAdminKey', { key: giver, path: { keyId: key.id }, body })).body
      .data
    assert.deepEqual([rotated.key.kind, rotated.key.origins.toSorted()], ['publishable', origins])
    assert.equal((await products(rotated.secret, 'https://shop.example')).status, 200)
    assert.equal((await products(secret, 'https://shop.example')).status, 401)
    const [listed] = (await testServer.askAdmin('listAdminKeys', { query: `?installationId=${installationId}` })).body
      .data
    assert.deepEqual([listed.id, listed.kind], [rotated.key.id, 'publishable'])
    await testServer.askAdmin('revokeAdminKey', { path: { keyId: listed.id }, body: keyed() })
    assert.equal((await products(rotated.secret, 'https://shop.example')).status, 401)
  })

  test('an installation is created, its key works, and its key and endpoint end with it', async () => {
    const name = newId('ins')
    const made = await testServer.askAdmin('createAdminInstallation', {
      body: keyed({ name, redirectHosts: ['SHOP.example', 'shop.example'] }),
    })
    assert.deepEqual([made.body.data.mode, made.body.data.redirectHosts], ['test', ['shop.example']])
    const installationId = made.body.data.id
    assert.deepEqual(coded(await testServer.askAdmin('createAdminInstallation', { body: keyed({ name }) })), [
      409,
      'installation_exists',
    ])
    const bad = await testServer.askAdmin('createAdminInstallation', {
      body: keyed({ name: 'x', redirectHosts: ['ok.example', 'https://a/b'] }),
    })
    assert.deepEqual(bad.body.error.issues[0].path, '/redirectHosts/1')

    const scopes: string[] = []
    const key = await testServer.askAdmin('createAdminKey', { body: keyed({ installationId, name: 'Till', scopes }) })
    const { secret } = key.body.data
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: secret })).status, 200)
    const url = 'https://hooks.example.com/x'
    const endpoint = await testServer.askAdmin('createAdminWebhookEndpoint', { body: keyed({ installationId, url }) })
    const endpointId = endpoint.body.data.endpoint.id

    const ended = await testServer.askAdmin('endAdminInstallation', { path: { installationId }, body: keyed() })
    assert.equal(ended.body.data.status, 'ended')
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: secret })).status, 401)
    const path = { endpointId }
    assert.deepEqual(coded(await testServer.askAdmin('removeAdminWebhookEndpoint', { path, body: keyed() })), [
      404,
      'webhook_endpoint_not_found',
    ])
    const late = await testServer.askAdmin('createAdminKey', { body: keyed({ installationId, name: 'Late', scopes }) })
    assert.deepEqual(coded(late), [404, 'installation_not_found'])
    const listed = await testServer.askAdmin('listAdminInstallations')
    assert.equal(listed.body.data.find(({ id }: { id: string }) => id === installationId).status, 'ended')
  })

  test('after a rotation the new key works immediately and the old key until it expires; a revoked key stops working immediately', async () => {
    const installationId = await newInstallation()
    const made = await testServer.askAdmin('createAdminKey', {
      body: keyed({ installationId, name: 'Till', scopes: [] }),
    })
    const keyId = made.body.data.key.id
    const isIn = async (key: string) =>
      (await testServer.ask('getInstallationCredentialIdentity', { key })).status === 200
    const path = { keyId }
    const rotated = await testServer.askAdmin('rotateAdminKey', { path, body: keyed({ overlapHours: 1 }) })
    const { secret, key, oldKey } = rotated.body.data
    assert.deepEqual(oldKey, { id: keyId, expiresAt: new Date(testServer.clock.now + 3_600_000).toISOString() })
    assert.deepEqual([await isIn(secret), await isIn(made.body.data.secret)], [true, true])
    assert.deepEqual(coded(await testServer.askAdmin('rotateAdminKey', { path, body: keyed() })), [
      409,
      'credential_already_rotated',
    ])
    const revoked = await testServer.askAdmin('revokeAdminKey', { path: { keyId: key.id }, body: keyed() })
    assert.equal(revoked.body.data.status, 'revoked')
    assert.equal(await isIn(secret), false)
    assert.equal((await testServer.askAdmin('revokeAdminKey', { path: { keyId: key.id }, body: keyed() })).status, 200)
    const listed = await testServer.askAdmin('listAdminKeys', { query: `?installationId=${installationId}` })
    assert.deepEqual(
      listed.body.data.map(({ id, status }: { id: string; status: string }) => [id, status]),
      [
        [key.id, 'revoked'],
        [keyId, 'expiring'],
      ],
    )
    const entries = JSON.stringify(await testServer.storage.read((db) => db.sql`select changes from audit_entries`))
    assert.ok(!entries.includes(secret) && !entries.includes(made.body.data.secret))
  })

  test('a key with admin scopes can be created by a person who has these scopes, and can be neither created nor rotated by a key', async () => {
    const installationId = await newInstallation()
    const scopes = ['admin:read', 'catalog:read']
    const body = () => keyed({ installationId, name: 'Robot', scopes })
    const byKey = await testServer.askAdmin('createAdminKey', { body: body() })
    assert.deepEqual(coded(byKey), [403, 'scope_missing'])
    assert.equal(byKey.body.error.current.requiredScope, 'admin:read')
    const { id } = await testServer.newKey(['admin:read'])
    assert.deepEqual(coded(await testServer.askAdmin('rotateAdminKey', { path: { keyId: id }, body: keyed() })), [
      403,
      'scope_missing',
    ])
    const person = (held: readonly AdminScope[]) =>
      personCaller({ userId: newId('usr'), merchantId: testServer.merchantId, mode: 'test', scopes: held })
    const perform = (held: readonly AdminScope[]) =>
      testServer.app.admin.perform('createAdminKey', { principal: person(held), body: body() })
    await assert.rejects(
      perform(['admin:developers']),
      (error: unknown) => error instanceof Refusal && error.code === 'scope_missing',
    )
    const made = await perform(adminScopes)
    const { secret } = JSON.parse(String(made.body)).data
    assert.equal((await testServer.askAdmin('listAdminOrders', { key: secret })).status, 200)
    assert.deepEqual(coded(await testServer.askAdmin('listAdminKeys', { key: secret })), [403, 'scope_missing'])
  })

  test('a key can create and rotate only keys whose scopes it has, and these expire no later than it does', async () => {
    const installationId = await newInstallation()
    const expiresAt = testServer.clock.now + 3_600_000
    const { key } = await testServer.newKey(['admin:developers', 'catalog:read'], { expiresAt })
    const create = (scopes: string[], more = {}) =>
      testServer.askAdmin('createAdminKey', { key, body: keyed({ installationId, name: 'Till', scopes, ...more }) })
    const beyond = await create(['catalog:read', 'checkout:quote'])
    assert.deepEqual(
      [...coded(beyond), beyond.body.error.current.requiredScope],
      [403, 'scope_missing', 'checkout:quote'],
    )
    const ends = []
    for (const later of [{}, { expiresAt: new Date(expiresAt + 1).toISOString() }])
      ends.push((await create(['catalog:read'], later)).body.data.key.expiresAt)
    assert.deepEqual(ends, [new Date(expiresAt).toISOString(), new Date(expiresAt).toISOString()])
    const { id } = await testServer.newKey(['checkout:quote'])
    const path = { keyId: id }
    assert.deepEqual(coded(await testServer.askAdmin('rotateAdminKey', { key, path, body: keyed() })), [
      403,
      'scope_missing',
    ])
    const own = await testServer.newKey(['catalog:read'])
    const rotated = await testServer.askAdmin('rotateAdminKey', { key, path: { keyId: own.id }, body: keyed() })
    assert.equal(rotated.body.data.key.expiresAt, new Date(expiresAt).toISOString())
  })

  test('an endpoint is created, changed, paused, enabled and tested, gets a new secret, and is removed', async () => {
    const installationId = await newInstallation()
    const made = await testServer.askAdmin('createAdminWebhookEndpoint', {
      body: keyed({ installationId, url: 'https://hooks.example.com/a?token=hush-hush', events: ['order.*'] }),
    })
    const { endpoint, secret } = made.body.data
    assert.ok(!JSON.stringify(endpoint).includes('hush-hush'), 'credentials in the address are masked')
    const path = { endpointId: endpoint.id }
    const update = (body: object) => testServer.askAdmin('updateAdminWebhookEndpoint', { path, body: keyed(body) })
    const bad = await update({ url: 'ftp://hooks.example.com/', events: ['nothing.such'] })
    assert.deepEqual(
      [bad.status, bad.body.error.issues.map((issue: { path: string }) => issue.path)],
      [400, ['/url', '/events']],
    )
    const changed = await update({ events: ['*'], description: 'All', status: 'paused' })
    assert.deepEqual(
      [changed.body.data.events, changed.body.data.description, changed.body.data.status],
      [['*'], 'All', 'paused'],
    )
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ url: string }>`select url from webhook_endpoints where id = ${endpoint.id}`,
    )
    assert.equal(row?.url, 'https://hooks.example.com/a?token=hush-hush', 'what was left out stays')
    assert.deepEqual(coded(await testServer.askAdmin('testAdminWebhookEndpoint', { path, body: keyed() })), [
      409,
      'endpoint_disabled',
    ])
    assert.equal((await update({ status: 'enabled' })).body.data.status, 'enabled')
    const tested = await testServer.askAdmin('testAdminWebhookEndpoint', { path, body: keyed() })
    assert.deepEqual([tested.body.data.eventType, tested.body.data.status], ['webhook.ping', 'pending'])
    const delivery = await testServer.askAdmin('getAdminWebhookDelivery', { path: { deliveryId: tested.body.data.id } })
    assert.equal(JSON.parse(delivery.body.data.payload).type, 'webhook.ping')

    const rotated = await testServer.askAdmin('rotateAdminWebhookSecret', { path, body: keyed() })
    assert.notEqual(rotated.body.data.secret, secret)
    const [sealed] = await testServer.storage.read(
      (db) =>
        db.sql<{ sealed: string }>`select secret_sealed as sealed from webhook_endpoints where id = ${endpoint.id}`,
    )
    assert.equal(decryptWebhookSecret(testSecret, endpoint.id, sealed?.sealed ?? ''), rotated.body.data.secret)
    assert.equal((await testServer.askAdmin('removeAdminWebhookEndpoint', { path, body: keyed() })).status, 200)
    const entries = JSON.stringify(await testServer.storage.read((db) => db.sql`select changes from audit_entries`))
    for (const text of [secret, rotated.body.data.secret, 'hush-hush']) assert.ok(!entries.includes(text), text)
  })

  test('an endpoint ends with the key that created it or changed its URL; when that key is rotated, it ends with the new key instead', async () => {
    const url = 'https://hooks.example.com/ends'
    const hourMs = 3_600_000
    const shortKey = () =>
      testServer.newKey(['admin:developers', 'admin:read'], { expiresAt: testServer.clock.now + hourMs })
    const make = async (key: string) => {
      const body = keyed({ installationId: await newInstallation(), url, events: ['webhook.ping'] })
      const answer = await testServer.askAdmin('createAdminWebhookEndpoint', { key, body })
      assert.equal(answer.status, 200, answer.text)
      const { id: endpointId, installation } = answer.body.data.endpoint
      return { endpointId, installationId: installation.id as string }
    }
    const isThere = async ({ installationId }: { installationId: string }) =>
      (await testServer.askAdmin('listAdminWebhookEndpoints', { query: `?installationId=${installationId}` })).body.data
        .length === 1
    const keyOf = async ({ installationId }: { installationId: string }) =>
      (await testServer.askAdmin('listAdminWebhookEndpoints', { query: `?installationId=${installationId}` })).body
        .data[0].key?.id ?? null
    const isSent = async ({ endpointId, installationId }: { endpointId: string; installationId: string }) => {
      await testServer.storage.write((tx) => pingEndpoint(tx, installationId, endpointId, testServer.clock.now))
      const due = await testServer.storage.read((db) => listDueEndpoints(db, '', testServer.clock.now))
      const named = [{ installationId, id: endpointId }]
      const bounds = { limit: 10, leaseMs: 1_000, now: testServer.clock.now }
      const { claimed } = await testServer.storage.write((tx) => claimDeliveries(tx, named, bounds))
      const isDue = due.some(({ id }) => id === endpointId)
      assert.equal(claimed.length > 0, isDue)
      return isDue
    }
    const [expiring, revoked, rotated, other] = await Promise.all([shortKey(), shortKey(), shortKey(), shortKey()])
    const ended = [await make(expiring.key), await make(revoked.key)]
    const handedOn = await make(rotated.key)
    const [byPerson, moved, described] = [
      await make(expiring.key),
      await make(testServer.keys.admin),
      await make(testServer.keys.admin),
    ]
    assert.equal(await isSent(ended[1] as typeof handedOn), true)

    const change = (body: object, { endpointId }: typeof handedOn, key: string) =>
      testServer.askAdmin('updateAdminWebhookEndpoint', { path: { endpointId }, body: keyed(body), key })
    assert.equal((await change({ url: `${url}/2` }, moved, other.key)).status, 200)
    assert.equal((await change({ description: 'x' }, described, other.key)).status, 200)
    const principal = personCaller({
      userId: 'usr_1',
      merchantId: testServer.merchantId,
      mode: 'test',
      scopes: adminScopes,
    })
    const { endpointId } = byPerson
    const taken = { principal, path: { endpointId }, body: { description: 'ours' }, key: newId('req') }
    await testServer.app.admin.perform('updateAdminWebhookEndpoint', taken)

    const [takenOver] = (await testServer.askAdmin('listAdminChanges', { query: `?subjectId=${endpointId}` })).body.data
    assert.deepEqual(takenOver.changes[0].members.at(-1), { member: 'key', from: expiring.id, to: null })

    const path = { keyId: revoked.id }
    assert.equal((await testServer.askAdmin('revokeAdminKey', { path, body: keyed() })).status, 200)
    assert.equal(await isSent(ended[1] as typeof handedOn), false, 'at once')
    // Rotated without its admin scopes being at stake: by the operator.
    const successor = await testServer.storage.write((tx) =>
      rotateKey(tx, testSecret, rotated.id, { overlapMs: 0 }, testServer.clock.now),
    )
    assert.equal(await isSent(handedOn), true)
    assert.deepEqual(await Promise.all([handedOn, moved, byPerson].map(keyOf)), [successor.id, other.id, null])
    await sweepWebhooks(testServer.storage, testServer.clock.now)
    assert.deepEqual(await Promise.all([...ended, handedOn].map(isThere)), [true, false, true])

    testServer.clock.now += hourMs
    for (const one of [ended[0] as typeof handedOn, handedOn, moved]) assert.equal(await isSent(one), false)
    for (const one of [byPerson, described]) assert.equal(await isSent(one), true)
    await sweepWebhooks(testServer.storage, testServer.clock.now)
    assert.deepEqual(
      await Promise.all([...ended, handedOn, moved, byPerson, described].map(isThere)),
      [false, false, false, false, true, true],
      successor.id,
    )
  })

  test('a key can neither subscribe to events that it may not read nor see their bodies', async () => {
    const { key } = await testServer.newKey(['admin:developers'])
    const installationId = await newInstallation()
    const url = 'https://hooks.example.com/reads'
    const make = (events?: readonly string[]) =>
      testServer.askAdmin('createAdminWebhookEndpoint', {
        key,
        body: keyed({ installationId, url, ...(events && { events }) }),
      })
    for (const events of [undefined, ['*'], ['order.*'], ['webhook.ping', 'product.updated']]) {
      const answer = await make(events)
      assert.deepEqual(
        [...coded(answer), answer.body.error.current],
        [403, 'scope_missing', { requiredScope: 'admin:read' }],
      )
    }
    const made = await make(['webhook.*', 'app.installed'])
    assert.equal(made.status, 200, made.text)
    const path = { endpointId: made.body.data.endpoint.id }
    assert.deepEqual(
      coded(await testServer.askAdmin('updateAdminWebhookEndpoint', { key, path, body: keyed({ events: ['*'] }) })),
      [403, 'scope_missing'],
    )
    const { endpointId: ofShop } = await failedDelivery(testServer)
    const moved = { key, path: { endpointId: ofShop }, body: keyed({ url }) }
    assert.deepEqual(coded(await testServer.askAdmin('updateAdminWebhookEndpoint', moved)), [403, 'scope_missing'])
    // The payload of a delivery too.
    const { deliveryId } = await failedDelivery(testServer)
    const look = async (key: string) =>
      (await testServer.askAdmin('getAdminWebhookDelivery', { key, path: { deliveryId } })).body.data.payload
    assert.match(await look(key), /webhook\.ping/)
    await testServer.storage.write(
      (tx) => tx.sql`update webhook_deliveries set event_type = 'order.placed' where id = ${deliveryId}`,
    )
    assert.equal(await look(key), null)
    assert.match(await look(testServer.keys.admin), /webhook\.ping/)
  })

  test('audit entries contain only the origin and a short hash of an endpoint’s address', async () => {
    const installationId = await newInstallation()
    const url = 'https://hooks.example.com/services/T0/B0/path-secret?token=query-secret'
    const made = await testServer.askAdmin('createAdminWebhookEndpoint', { body: keyed({ installationId, url }) })
    const path = { endpointId: made.body.data.endpoint.id }
    const other = 'https://hooks.example.com/services/T0/B0/other-secret'
    await testServer.askAdmin('updateAdminWebhookEndpoint', { path, body: keyed({ url: other }) })
    await testServer.askAdmin('removeAdminWebhookEndpoint', { path, body: keyed() })
    const entries = await testServer.storage.read(
      (db) => db.sql<{ changes: string }>`select changes from audit_entries`,
    )
    const own = entries.filter(({ changes }) => changes.includes(path.endpointId))
    assert.equal(own.length, 3)
    assert.doesNotMatch(JSON.stringify(own), /secret\b|services|T0/)
    const [change] = JSON.parse(own.find(({ changes }) => changes.includes('"kind":"change"'))?.changes ?? '[]')
    const [{ from, to }] = change.members
    assert.match(from, /^https:\/\/hooks\.example\.com \(\w{8}\)$/)
    assert.notEqual(from, to, 'another path is seen to be another')
  })

  test('deliveries are listed newest first, filtered by endpoint, status, type and time, with a link to the rest', async () => {
    const { endpointId } = await failedDelivery(testServer)
    const from = new Date(testServer.clock.now + 1_000).toISOString()
    const [own] = await testServer.storage.read(
      (db) => db.sql<{ id: string }>`select installation_id as id from webhook_endpoints where id = ${endpointId}`,
    )
    for (let i = 0; i < 52; i += 1) {
      testServer.clock.now += 1_000
      await testServer.storage.write((tx) => pingEndpoint(tx, own?.id ?? '', endpointId, testServer.clock.now))
    }
    const list = (query: string) => testServer.askAdmin('listAdminWebhookDeliveries', { query })
    const first = await list(`?endpointId=${endpointId}`)
    assert.equal(first.body.data.length, 50)
    const rest = await testServer.fetch(first.body.meta.next, {
      headers: { authorization: `Bearer ${testServer.keys.admin}` },
    })
    assert.equal(rest.body.data.length, 3)
    const ids = [...first.body.data, ...rest.body.data].map(({ id }: { id: string }) => id)
    assert.deepEqual(ids, ids.toSorted().toReversed())
    const counted = async (query: string) => (await list(`?endpointId=${endpointId}&${query}`)).body.data.length
    assert.deepEqual(
      [await counted('status=failed'), await counted('type=order.paid'), await counted(`to=${from}`)],
      [1, 0, 1],
    )
    const all = await list('?status=failed')
    assert.ok(all.body.data.some(({ id }: { id: string }) => id === ids.at(-1)))
  })

  test('replaying an endpoint resends each failed delivery once; replaying named deliveries reports an outcome for each', async () => {
    const { endpointId, deliveryId } = await failedDelivery(testServer)
    const replay = (body: object) => testServer.askAdmin('replayAdminWebhookDeliveries', { body: keyed(body) })
    const both = await replay({ endpointId, deliveryIds: [deliveryId] })
    assert.equal(both.status, 400)
    const unknown = 'whd_01h455vb4pex5vsknk084sn02q'
    const named = await replay({ deliveryIds: [deliveryId, unknown] })
    assert.deepEqual(
      named.body.data.map(({ outcome, code }: { outcome: string; code: string | null }) => [outcome, code]),
      [
        ['done', null],
        ['refused', 'webhook_delivery_not_found'],
      ],
    )
    assert.deepEqual((await replay({ endpointId })).body.data, [], 'replayed already')
    const other = await failedDelivery(testServer)
    const all = await replay({ endpointId: other.endpointId })
    assert.deepEqual([all.body.data.length, all.body.data[0].deliveryId], [1, other.deliveryId])
    const foreign = await testServer.askAdmin('replayAdminWebhookDeliveries', {
      key: testServer.keys.rivalAdmin,
      body: keyed({ deliveryIds: [other.deliveryId] }),
    })
    assert.equal(foreign.body.data?.[0].code, 'webhook_delivery_not_found')
  })
})
