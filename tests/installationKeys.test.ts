// createInstallationKey, listInstallationKeys, revokeInstallationKey: the keys that an installed app issues for itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, assertError } from '../harness/house.ts'
import {
  askAsApp,
  askToken,
  installApp,
  issueKey,
  type OAuthHouse,
  postForm,
  sharedOAuthHouse,
} from '../harness/oauth.ts'
import { anyEngine } from '../harness/storage.ts'
import { uninstall } from '../src/domain/oauth/installing.ts'

let made = 0
// biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
const bodyWith = (more: object = {}): any => {
  made += 1
  return { idempotencyKey: `key-${made}`, name: 'Till', scopes: ['catalog:read'], ...more }
}

anyEngine('createInstallationKey', (given) => {
  const open = sharedOAuthHouse(given)

  test('200 gives a key that works, shown once, with the name, scopes and expiry that were requested', async () => {
    const house = await open()
    const installed = await installApp(house)
    const expiresAt = new Date(house.clock.now + 60_000).toISOString()
    const body = bodyWith({ name: 'Till 7', scopes: ['checkout:quote', 'catalog:read'], expiresAt })
    const answer = await askAsApp(house, 'createInstallationKey', { ...installed, body })
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const { key, secret } = answer.body.data
    assert.deepEqual(key, {
      id: key.id,
      name: 'Till 7',
      prefix: secret.slice(0, 21),
      last4: secret.slice(-4),
      scopes: ['catalog:read', 'checkout:quote'],
      status: 'active',
      createdAt: new Date(house.clock.now).toISOString(),
      expiresAt,
      lastUsedAt: null,
    })
    assert.match(secret, /^cwk_test_/)
    const who = await house.ask('getInstallationCredentialIdentity', { key: secret })
    assert.equal(who.body.data.credential.id, key.id)
    assert.deepEqual(who.body.data.installation, {
      id: installed.installationId,
      name: who.body.data.installation.name,
      mode: 'test',
      status: 'active',
      createdAt: new Date(house.clock.now).toISOString(),
    })
    assert.deepEqual(who.body.data.app, { id: installed.app.id, name: 'Florist' })
    const listed = await askAsApp(house, 'listInstallationKeys', installed)
    assert.ok(!listed.text.includes(secret.slice(21, -4)))
    house.advance(60_000)
    assert.equal((await house.ask('getInstallationCredentialIdentity', { key: secret })).status, 401)
  })

  test('200 with no scope at all, and again with the same answer for the same idempotency key, which is kept sealed', async () => {
    const house = await open()
    const installed = await installApp(house)
    const body = bodyWith({ scopes: [] })
    const first = await askAsApp(house, 'createInstallationKey', { ...installed, body })
    const second = await askAsApp(house, 'createInstallationKey', { ...installed, body })
    assert.equal(second.text, first.text)
    assert.equal(second.headers.get('idempotency-replayed'), 'true')
    const kept = await house.storage.read((db) => db.sql`select * from idempotency_keys`)
    assert.ok(!JSON.stringify(kept).includes(first.body.data.secret))
    const other = await askAsApp(house, 'createInstallationKey', { ...installed, body: { ...body, name: 'Other' } })
    assertError(other, 'idempotency_key_reused')
    const { keys } = (await askAsApp(house, 'listInstallationKeys', installed)).body.data
    assert.equal(keys.length, 1)
  })

  test('400 for a body against the contract, a past end, and no idempotency key', async () => {
    const house = await open()
    const installed = await installApp(house)
    const bodies: [object, string][] = [
      [bodyWith({ scopes: ['everything'] }), 'invalid_request'],
      [bodyWith({ scopes: ['catalog:read', 'catalog:read'] }), 'invalid_request'],
      [bodyWith({ name: '' }), 'invalid_request'],
      [bodyWith({ more: 1 }), 'invalid_request'],
      [bodyWith({ expiresAt: new Date(house.clock.now).toISOString() }), 'invalid_request'],
      [bodyWith({ expiresAt: 'tomorrow' }), 'invalid_request'],
      [bodyWith({ idempotencyKey: undefined }), 'idempotency_key_required'],
    ]
    for (const [body, code] of bodies) {
      const answer = await askAsApp(house, 'createInstallationKey', { ...installed, body })
      assert.deepEqual([answer.status, answer.body.error.code], [400, code], JSON.stringify(body))
    }
  })

  test('403 for a scope that was not granted, or that this token does not carry', async () => {
    const house = await open()
    const installed = await installApp(house)
    const { app, refreshToken, key } = installed
    const body = () => bodyWith({ scopes: ['catalog:read', 'webhooks:write'] })
    const answer = await askAsApp(house, 'createInstallationKey', { ...installed, body: body() })
    assertError(answer, 'scope_missing')
    assert.deepEqual(answer.body.error.current, { requiredScope: 'webhooks:write' })
    const fields = {
      grant_type: 'refresh_token',
      client_id: app.id,
      refresh_token: refreshToken,
      scope: 'catalog:read',
    }
    const narrow = { accessToken: (await askToken(house, fields, { key })).body.access_token, key }
    const quote = bodyWith({ scopes: ['checkout:quote'] })
    assertError(await askAsApp(house, 'createInstallationKey', { ...narrow, body: quote }), 'scope_missing')
    assert.equal((await askAsApp(house, 'createInstallationKey', { ...narrow, body: bodyWith() })).status, 200)
    const described = await askAsApp(house, 'describeOAuthAuthorization', narrow)
    assert.deepEqual(described.body.data.scopes, ['catalog:read', 'checkout:quote'])
  })

  test('403 to a token that may not issue the key, also when another token has issued it with this idempotency key', async () => {
    const house = await open()
    const installed = await installApp(house)
    const { app, refreshToken, key } = installed
    const body = bodyWith({ scopes: ['checkout:quote'] })
    const issued = await askAsApp(house, 'createInstallationKey', { ...installed, body })
    assert.equal(issued.status, 200)
    const fields = {
      grant_type: 'refresh_token',
      client_id: app.id,
      refresh_token: refreshToken,
      scope: 'catalog:read',
    }
    const narrow = { accessToken: (await askToken(house, fields, { key })).body.access_token, key }
    const refused = await askAsApp(house, 'createInstallationKey', { ...narrow, body })
    assertError(refused, 'scope_missing')
    assert.ok(!refused.text.includes(issued.body.data.secret))
    const again = await askAsApp(house, 'createInstallationKey', { ...installed, body })
    assert.equal(again.text, issued.text)
    await postForm(house, '/oauth/revoke', { client_id: app.id, token: installed.accessToken })
    assertError(await askAsApp(house, 'createInstallationKey', { ...installed, body }), 'unauthenticated')
  })

  test('400 for the eleventh key that works, also when eleven are asked for at once', async () => {
    const house = await open()
    const installed = await installApp(house)
    const ask = () => askAsApp(house, 'createInstallationKey', { ...installed, body: bodyWith() })
    const answers = await Promise.all(Array.from({ length: 11 }, ask))
    const refused = answers.filter(({ status }) => status !== 200)
    assert.equal(refused.length, 1)
    assertError(refused[0] as (typeof answers)[0], 'invalid_request')
    const { keys } = (await askAsApp(house, 'listInstallationKeys', installed)).body.data
    assert.equal(keys.length, 10)
    const path = { keyId: keys[3].id }
    const body = { idempotencyKey: 'make-room' }
    assert.equal((await askAsApp(house, 'revokeInstallationKey', { ...installed, path, body })).status, 200)
    assert.equal((await ask()).status, 200)
    assert.equal((await ask()).status, 400)
  })

  test('401 when the installation ends while the request is under way', async () => {
    const house = await open()
    const installed = await installApp(house)
    const body = bodyWith()
    let asked: Promise<Answer> | undefined
    await house.storage.write(async (tx) => {
      assert.equal(await uninstall(tx, installed.installationId, house.clock.now), true)
      // From here on the installation is locked: the request comes to it after the commit, or waits for that.
      asked ??= askAsApp(house, 'createInstallationKey', { ...installed, body })
    })
    assert.equal((await asked)?.status, 401)
  })
})

anyEngine('listInstallationKeys', (given) => {
  const open = sharedOAuthHouse(given)

  test('200 lists the keys of this installation, newest first', async () => {
    const house = await open()
    const installed = await installApp(house)
    const other = await installApp(house, { browser: installed.browser })
    const first = await issueKey(house, installed)
    const second = await issueKey(house, installed, [])
    await issueKey(house, other)
    const { body } = await askAsApp(house, 'listInstallationKeys', installed)
    assert.deepEqual(
      body.data.keys.map(({ id, scopes }: { id: string; scopes: string[] }) => ({ id, scopes })),
      [
        { id: second.id, scopes: [] },
        { id: first.id, scopes: ['catalog:read'] },
      ],
    )
  })

  test('401 for an API key of the installation', async () => {
    const house = await open()
    const { secret } = await issueKey(house, await installApp(house))
    assert.equal((await house.ask('listInstallationKeys', { key: secret })).status, 401)
  })
})

anyEngine('revokeInstallationKey', (given) => {
  const open = sharedOAuthHouse(given)
  const revoke = (house: OAuthHouse, installed: Parameters<typeof issueKey>[1], keyId: string) => {
    made += 1
    const body = { idempotencyKey: `over-${made}`, reason: 'lost' }
    return askAsApp(house, 'revokeInstallationKey', { ...installed, path: { keyId }, body })
  }

  test('200 ends the key at once; ending it again is no fault', async () => {
    const house = await open()
    const installed = await installApp(house)
    const { id, secret } = await issueKey(house, installed)
    const kept = await issueKey(house, installed)
    assert.equal((await house.ask('getInstallationCredentialIdentity', { key: secret })).status, 200)
    const answer = await revoke(house, installed, id)
    assert.deepEqual([answer.body.data.key.id, answer.body.data.key.status], [id, 'revoked'])
    assert.equal((await house.ask('getInstallationCredentialIdentity', { key: secret })).status, 401)
    assert.equal((await house.ask('getInstallationCredentialIdentity', { key: kept.secret })).status, 200)
    assert.equal((await revoke(house, installed, id)).text, answer.text)
  })

  test('404 in the same words for a key of another installation, of another merchant, and for what is none', async () => {
    const house = await open()
    const installed = await installApp(house)
    const other = await installApp(house, { browser: installed.browser })
    const { id, secret } = await issueKey(house, other)
    const own = await house.newKey([])
    const texts = new Set<string>()
    for (const keyId of [id, own.id, 'key_00000000000000000000000000', 'nonsense', 'a/b', '\0']) {
      const answer = await revoke(house, installed, keyId)
      assertError(answer, 'credential_not_found')
      texts.add(answer.text.replace(answer.body.error.requestId, ''))
    }
    assert.equal(texts.size, 1)
    assert.equal((await house.ask('getInstallationCredentialIdentity', { key: secret })).status, 200)
    assert.equal((await house.ask('getInstallationCredentialIdentity', { key: own.key })).status, 200)
  })
})
