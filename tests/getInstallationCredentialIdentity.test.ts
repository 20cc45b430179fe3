import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, testSecret } from '../harness/testServer.ts'
import { endKey, rotateKey } from '../src/platform/access/keys.ts'

eachEngine('getInstallationCredentialIdentity', (given) => {
  test('200 describes the credential, and contains nothing that could be used as a credential', async () => {
    const testServer = await openTestServer(given, { rateLimit: { perSecond: 100, burst: 200 } })
    const { key, id } = await testServer.newKey(['catalog:read', 'webhooks:read'], {
      name: 'Till 3',
      expiresAt: testServer.clock.now + 60_000,
    })
    const { body, text } = await testServer.ask('getInstallationCredentialIdentity', { key })
    const { credential, installation, app, merchant, limits } = body.data
    assert.deepEqual(credential, {
      id,
      type: 'api_key',
      name: 'Till 3',
      prefix: key.slice(0, 21),
      last4: key.slice(-4),
      scopes: ['webhooks:read', 'catalog:read'],
      status: 'active',
      createdAt: '2026-06-01T12:00:00.000Z',
      expiresAt: '2026-06-01T12:01:00.000Z',
      lastUsedAt: null,
    })
    assert.deepEqual(installation, {
      id: testServer.installationId,
      name: 'Storefront',
      mode: 'test',
      status: 'active',
      createdAt: '2026-06-01T12:00:00.000Z',
    })
    assert.equal(app, null)
    assert.deepEqual(merchant, {
      id: testServer.merchantId,
      slug: 'bloom',
      name: 'Bloom',
      currency: 'EUR',
      country: 'DE',
    })
    assert.deepEqual(limits, {
      requestsPerSecond: 100,
      burst: 200,
      bodyBytesMax: 65536,
      cartLinesMax: 100,
      quantityMax: 999,
    })
    assert.ok(!text.includes(key.slice(21, -4)))
  })

  test('200 with the time of the last use, which is written at most once a minute', async () => {
    const testServer = await openTestServer(given)
    await testServer.ask('getInstallationCredentialIdentity')
    await testServer.app.identify.flushLastUse(testServer.clock.now)
    testServer.clock.now += 5_000
    await testServer.ask('getInstallationCredentialIdentity')
    await testServer.app.identify.flushLastUse(testServer.clock.now)
    const { body } = await testServer.ask('getInstallationCredentialIdentity')
    assert.equal(body.data.credential.lastUsedAt, '2026-06-01T12:00:00.000Z')
  })

  test('401 immediately after a revocation on this node, and within seconds after a revocation on another node', async () => {
    const testServer = await openTestServer(given)
    const here = await testServer.newKey([])
    const elsewhere = await testServer.newKey([])
    for (const { key } of [here, elsewhere])
      assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key })).status, 200)
    await testServer.storage.write(async (tx) => {
      tx.afterCommit(() => testServer.forget(here.id))
      assert.equal((await endKey(tx, here.id, testServer.clock.now)).length, 1)
      assert.equal((await endKey(tx, elsewhere.id, testServer.clock.now)).length, 1)
      assert.deepEqual(await endKey(tx, elsewhere.id, testServer.clock.now), [])
    })
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: here.key })).status, 401)
    testServer.clock.now += 2_000
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: elsewhere.key })).status, 401)
  })

  test('401 from the exact time of expiry on, also for a key that was just used', async () => {
    const testServer = await openTestServer(given)
    const { key } = await testServer.newKey([], { expiresAt: testServer.clock.now + 1_000 })
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key })).status, 200)
    testServer.clock.now += 999
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key })).status, 200)
    testServer.clock.now += 1
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key })).status, 401)
  })

  test('200 for both keys after a rotation, until the overlap ends', async () => {
    const testServer = await openTestServer(given)
    const old = await testServer.newKey(['catalog:read'])
    const made = await testServer.storage.write((tx) =>
      rotateKey(tx, testSecret, old.id, { overlapMs: 3_600_000 }, testServer.clock.now),
    )
    assert.ok(made)
    const before = await testServer.ask('getInstallationCredentialIdentity', { key: old.key })
    assert.equal(before.body.data.credential.status, 'expiring')
    const fresh = await testServer.ask('getInstallationCredentialIdentity', { key: made.key })
    assert.equal(fresh.body.data.credential.status, 'active')
    assert.deepEqual(fresh.body.data.credential.scopes, ['catalog:read'])
    testServer.clock.now += 3_600_000
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: old.key })).status, 401)
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: made.key })).status, 200)
  })

  test('401 for a disabled installation and for a closed merchant', async () => {
    const testServer = await openTestServer(given)
    await testServer.storage.write(
      (tx) => tx.sql`update installations set disabled_at = 1 where id = ${testServer.installationId}`,
    )
    assert.equal((await testServer.ask('getInstallationCredentialIdentity')).status, 401)
    assert.equal(
      (await testServer.ask('getInstallationCredentialIdentity', { key: testServer.keys.rival })).status,
      200,
    )
    await testServer.storage.write((tx) => tx.sql`update merchants set closed_at = 1 where slug = 'rival'`)
    testServer.clock.now += 2_000
    assert.equal(
      (await testServer.ask('getInstallationCredentialIdentity', { key: testServer.keys.rival })).status,
      401,
    )
  })
})
