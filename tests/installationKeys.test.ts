// createInstallationKey, listInstallationKeys, revokeInstallationKey: the keys that an installed app issues for itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  askAsApp,
  askToken,
  installApp,
  issueKey,
  type OAuthTestServer,
  postForm,
  sharedOAuthTestServer,
} from '../harness/oauth.ts'
import { anyEngine } from '../harness/storage.ts'
import { type Answer, assertError } from '../harness/testServer.ts'
import { uninstallApp } from '../src/domain/oauth/installing.ts'

let made = 0
// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
const bodyWith = (more: object = {}): any => {
  made += 1
  return { idempotencyKey: `key-${made}`, name: 'Till', scopes: ['catalog:read'], ...more }
}

anyEngine('createInstallationKey', (given) => {
  const open = sharedOAuthTestServer(given)

  test('200 returns a working key with the requested name, scopes and expiry, and only this response contains it', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const expiresAt = new Date(testServer.clock.now + 60_000).toISOString()
    const body = bodyWith({ name: 'Till 7', scopes: ['checkout:quote', 'catalog:read'], expiresAt })
    const answer = await askAsApp(testServer, 'createInstallationKey', { ...installed, body })
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const { key, secret } = answer.body.data
    assert.deepEqual(key, {
      id: key.id,
      name: 'Till 7',
      prefix: secret.slice(0, 21),
      last4: secret.slice(-4),
      scopes: ['catalog:read', 'checkout:quote'],
      status: 'active',
      createdAt: new Date(testServer.clock.now).toISOString(),
      expiresAt,
      lastUsedAt: null,
    })
    assert.match(secret, /^cwk_test_/)
    const who = await testServer.ask('getInstallationCredentialIdentity', { key: secret })
    assert.equal(who.body.data.credential.id, key.id)
    assert.deepEqual(who.body.data.installation, {
      id: installed.installationId,
      name: who.body.data.installation.name,
      mode: 'test',
      status: 'active',
      createdAt: new Date(testServer.clock.now).toISOString(),
    })
    assert.deepEqual(who.body.data.app, { id: installed.app.id, name: 'Florist' })
    const listed = await askAsApp(testServer, 'listInstallationKeys', installed)
    assert.ok(!listed.text.includes(secret.slice(21, -4)))
    testServer.advance(60_000)
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: secret })).status, 401)
  })

  test('200 without scopes; repeating the idempotency key returns the same response, which is stored encrypted', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const body = bodyWith({ scopes: [] })
    const first = await askAsApp(testServer, 'createInstallationKey', { ...installed, body })
    const second = await askAsApp(testServer, 'createInstallationKey', { ...installed, body })
    assert.equal(second.text, first.text)
    assert.equal(second.headers.get('idempotency-replayed'), 'true')
    const kept = await testServer.storage.read((db) => db.sql`select * from idempotency_keys`)
    assert.ok(!JSON.stringify(kept).includes(first.body.data.secret))
    const other = await askAsApp(testServer, 'createInstallationKey', {
      ...installed,
      body: { ...body, name: 'Other' },
    })
    assertError(other, 'idempotency_key_reused')
    const { keys } = (await askAsApp(testServer, 'listInstallationKeys', installed)).body.data
    assert.equal(keys.length, 1)
  })

  test('400 for a body that violates the contract, an expiry in the past, and a missing idempotency key', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const bodies: [object, string][] = [
      [bodyWith({ scopes: ['everything'] }), 'invalid_request'],
      [bodyWith({ scopes: ['catalog:read', 'catalog:read'] }), 'invalid_request'],
      [bodyWith({ name: '' }), 'invalid_request'],
      [bodyWith({ more: 1 }), 'invalid_request'],
      [bodyWith({ expiresAt: new Date(testServer.clock.now).toISOString() }), 'invalid_request'],
      [bodyWith({ expiresAt: 'tomorrow' }), 'invalid_request'],
      [bodyWith({ idempotencyKey: undefined }), 'idempotency_key_required'],
    ]
    for (const [body, code] of bodies) {
      const answer = await askAsApp(testServer, 'createInstallationKey', { ...installed, body })
      assert.deepEqual([answer.status, answer.body.error.code], [400, code], JSON.stringify(body))
    }
  })

  test('403 for a scope that was not granted, or that the access token does not have', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const { app, refreshToken, key } = installed
    const body = () => bodyWith({ scopes: ['catalog:read', 'webhooks:write'] })
    const answer = await askAsApp(testServer, 'createInstallationKey', { ...installed, body: body() })
    assertError(answer, 'scope_missing')
    assert.deepEqual(answer.body.error.current, { requiredScope: 'webhooks:write' })
    const fields = {
      grant_type: 'refresh_token',
      client_id: app.id,
      refresh_token: refreshToken,
      scope: 'catalog:read',
    }
    const narrow = { accessToken: (await askToken(testServer, fields, { key })).body.access_token, key }
    const quote = bodyWith({ scopes: ['checkout:quote'] })
    assertError(await askAsApp(testServer, 'createInstallationKey', { ...narrow, body: quote }), 'scope_missing')
    assert.equal((await askAsApp(testServer, 'createInstallationKey', { ...narrow, body: bodyWith() })).status, 200)
    const described = await askAsApp(testServer, 'describeOAuthAuthorization', narrow)
    assert.deepEqual(described.body.data.scopes, ['catalog:read', 'checkout:quote'])
  })

  test('403 for an access token without the scope, even if another token has issued the key with the same idempotency key', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const { app, refreshToken, key } = installed
    const body = bodyWith({ scopes: ['checkout:quote'] })
    const issued = await askAsApp(testServer, 'createInstallationKey', { ...installed, body })
    assert.equal(issued.status, 200)
    const fields = {
      grant_type: 'refresh_token',
      client_id: app.id,
      refresh_token: refreshToken,
      scope: 'catalog:read',
    }
    const narrow = { accessToken: (await askToken(testServer, fields, { key })).body.access_token, key }
    const refused = await askAsApp(testServer, 'createInstallationKey', { ...narrow, body })
    assertError(refused, 'scope_missing')
    assert.ok(!refused.text.includes(issued.body.data.secret))
    const again = await askAsApp(testServer, 'createInstallationKey', { ...installed, body })
    assert.equal(again.text, issued.text)
    await postForm(testServer, '/oauth/revoke', { client_id: app.id, token: installed.accessToken })
    assertError(await askAsApp(testServer, 'createInstallationKey', { ...installed, body }), 'unauthenticated')
  })

  test('400 for the eleventh working key, also when eleven are requested concurrently', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const ask = () => askAsApp(testServer, 'createInstallationKey', { ...installed, body: bodyWith() })
    const answers = await Promise.all(Array.from({ length: 11 }, ask))
    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 1)
    assertError(refused[0] as (typeof answers)[0], 'invalid_request')
    const { keys } = (await askAsApp(testServer, 'listInstallationKeys', installed)).body.data
    assert.equal(keys.length, 10)
    const path = { keyId: keys[3].id }
    const body = { idempotencyKey: 'make-room' }
    assert.equal((await askAsApp(testServer, 'revokeInstallationKey', { ...installed, path, body })).status, 200)
    assert.equal((await ask()).status, 200)
    assert.equal((await ask()).status, 400)
  })

  test('401 if the installation ends during the request', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const body = bodyWith()
    let asked: Promise<Answer> | undefined
    await testServer.storage.write(async (tx) => {
      assert.equal(await uninstallApp(tx, installed.installationId, testServer.clock.now), true)
      // From here on the installation is locked: the request comes to it after the commit, or waits for that.
      asked ??= askAsApp(testServer, 'createInstallationKey', { ...installed, body })
    })
    assert.equal((await asked)?.status, 401)
  })
})

anyEngine('listInstallationKeys', (given) => {
  const open = sharedOAuthTestServer(given)

  test('200 lists the keys of this installation, newest first', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const other = await installApp(testServer, { browser: installed.browser })
    const first = await issueKey(testServer, installed)
    const second = await issueKey(testServer, installed, [])
    await issueKey(testServer, other)
    const { body } = await askAsApp(testServer, 'listInstallationKeys', installed)
    assert.deepEqual(
      body.data.keys.map(({ id, scopes }: { id: string; scopes: string[] }) => ({ id, scopes })),
      [
        { id: second.id, scopes: [] },
        { id: first.id, scopes: ['catalog:read'] },
      ],
    )
  })

  test('401 for an API key of the installation', async () => {
    const testServer = await open()
    const { secret } = await issueKey(testServer, await installApp(testServer))
    assert.equal((await testServer.ask('listInstallationKeys', { key: secret })).status, 401)
  })
})

anyEngine('revokeInstallationKey', (given) => {
  const open = sharedOAuthTestServer(given)
  const revoke = (testServer: OAuthTestServer, installed: Parameters<typeof issueKey>[1], keyId: string) => {
    made += 1
    const body = { idempotencyKey: `over-${made}`, reason: 'lost' }
    return askAsApp(testServer, 'revokeInstallationKey', { ...installed, path: { keyId }, body })
  }

  test('200 revokes the key immediately, and revoking it again returns the same response', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const { id, secret } = await issueKey(testServer, installed)
    const kept = await issueKey(testServer, installed)
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: secret })).status, 200)
    const answer = await revoke(testServer, installed, id)
    assert.deepEqual([answer.body.data.key.id, answer.body.data.key.status], [id, 'revoked'])
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: secret })).status, 401)
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: kept.secret })).status, 200)
    assert.equal((await revoke(testServer, installed, id)).text, answer.text)
  })

  test('404 with the same message for a key of another installation, of another merchant, and an unknown key', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const other = await installApp(testServer, { browser: installed.browser })
    const { id, secret } = await issueKey(testServer, other)
    const own = await testServer.newKey([])
    const texts = new Set<string>()
    for (const keyId of [id, own.id, 'key_00000000000000000000000000', 'nonsense', 'a/b', '\0']) {
      const answer = await revoke(testServer, installed, keyId)
      assertError(answer, 'credential_not_found')
      texts.add(answer.text.replace(answer.body.error.requestId, ''))
    }
    assert.equal(texts.size, 1)
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: secret })).status, 200)
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: own.key })).status, 200)
  })
})
