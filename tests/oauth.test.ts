// Installing an app, whole: with a foreign client that nobody told about us, through the pages, to the key that calls the
// interface; what happens when several try at once; and that what has ended is dead everywhere.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import * as client from 'openid-client'
import {
  askAsApp,
  askToken,
  authorizationUrl,
  authorize,
  codeFields,
  consent,
  currentNonce,
  type DpopKey,
  type EndpointAnswer,
  email,
  type Installed,
  installApp,
  issueKey,
  makeAssertion,
  makeDpopKey,
  makeProof,
  makeVerifier,
  type OAuthTestServer,
  openBrowser,
  openOAuthTestServer,
  password,
  postForm,
  redirectUri,
  sharedOAuthTestServer,
  signIn,
  type Visited,
} from '../harness/oauth.ts'
import { anyEngine, eachEngine, type Given } from '../harness/storage.ts'
import { cheapCost, testSecret } from '../harness/testServer.ts'
import { isWide } from '../harness/wide.ts'
import { createApp } from '../src/app.ts'
import { openInterfaceScopes as allScopes, scopes } from '../src/contract/words.ts'
import { disableApp } from '../src/domain/oauth/apps.ts'
import { hashArtifactId } from '../src/domain/oauth/artifacts.ts'
import { uninstallApp } from '../src/domain/oauth/installing.ts'
import { originProblem } from '../src/domain/oauth/metadata.ts'
import { sweepArtifacts } from '../src/domain/oauth/sweep.ts'
import { hashPassword } from '../src/domain/users/password.ts'
import { disableUser, enableUser, setPassword } from '../src/domain/users/users.ts'
import { addEndpoint } from '../src/domain/webhooks/endpoints.ts'
import { listEndpoints } from '../src/domain/webhooks/store.ts'
import { createLog } from '../src/platform/log/log.ts'
import { type Storage, StorageUnavailable } from '../src/platform/storage/storage.ts'

const dayMs = 86_400_000

// Every secret that the foreign client sends or gets is remembered, and its challenges are counted.
function watchfulFetch(testServer: OAuthTestServer, seen: { challenges: number }): client.CustomFetch {
  return async (url, options) => {
    const headers = new Headers(options.headers)
    for (const name of ['dpop', 'authorization']) {
      const value = headers.get(name)
      if (value) testServer.secrets.add(value.split(' ').at(-1) ?? value)
    }
    for (const [name, value] of new URLSearchParams(String(options.body ?? ''))) {
      if (['code', 'refresh_token', 'client_assertion', 'token', 'code_verifier'].includes(name))
        testServer.secrets.add(value)
    }
    const response = await fetch(url, options as RequestInit)
    if (response.headers.get('www-authenticate')?.includes('use_dpop_nonce')) seen.challenges += 1
    const text = await response.clone().text()
    if (text.includes('use_dpop_nonce')) seen.challenges += 1
    for (const [, value] of text.matchAll(/"(?:access_token|refresh_token|request_uri|secret)":"([^"]+)"/g))
      testServer.secrets.add(value ?? '')
    return response
  }
}

async function countInstallations(storage: Storage): Promise<number> {
  const [row] = await storage.read(
    (db) => db.sql<{ n: number }>`select count(*) as n from installations where app_id is not null`,
  )
  return Number(row?.n)
}

eachEngine('installing an app with an independent OAuth client library', (given) => {
  const open = sharedOAuthTestServer(given)
  const ways = [
    { name: 'a public app', isConfidential: false, isPushed: false, alg: 'ES256' },
    { name: 'a public app that pushes its request', isConfidential: false, isPushed: true, alg: 'Ed25519' },
    { name: 'a confidential app', isConfidential: true, isPushed: true, alg: 'ES256' },
  ] as const
  for (const { name, isConfidential, isPushed, alg } of ways) {
    test(`${name} is approved, described, issued a key, refreshed and revoked`, async () => {
      const testServer = await open()
      const seen = { challenges: 0 }
      const app = isConfidential ? testServer.confidentialApp : testServer.publicApp
      const config = await client.discovery(
        new URL(testServer.origin),
        app.id,
        undefined,
        isConfidential ? client.PrivateKeyJwt({ key: testServer.appKey, kid: 'one' }) : client.None(),
        {
          algorithm: 'oauth2',
          execute: [client.allowInsecureRequests],
          [client.customFetch]: watchfulFetch(testServer, seen),
        },
      )
      const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair(alg))
      const verifier = client.randomPKCECodeVerifier()
      const state = client.randomState()
      const parameters = {
        redirect_uri: redirectUri,
        scope: 'catalog:read checkout:quote webhooks:read',
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      }
      const url = isPushed
        ? await client.buildAuthorizationUrlWithPAR(config, parameters, { DPoP })
        : client.buildAuthorizationUrl(config, parameters)
      const back = await authorize(testServer, openBrowser(testServer), url.href, {
        scopes: ['catalog:read', 'checkout:quote'],
      })
      const checks = { pkceCodeVerifier: verifier, expectedState: state }
      const tokens = await client.authorizationCodeGrant(config, back, checks, undefined, { DPoP })
      assert.equal(tokens.token_type, 'dpop')
      assert.equal(tokens.scope, 'catalog:read checkout:quote')
      assert.equal(tokens.expires_in, 600)

      const call = async (accessToken: string, path: string, method = 'GET', body?: object) => {
        const headers = new Headers(body ? { 'content-type': 'application/json' } : {})
        const address = new URL(testServer.origin + path)
        const text = body && JSON.stringify(body)
        return client.fetchProtectedResource(config, accessToken, address, method, text, headers, { DPoP })
      }
      const described = await call(tokens.access_token, '/api/v1/oauth/authorize')
      assert.equal(described.headers.get('cache-control'), 'no-store')
      const { data } = (await described.json()) as {
        data: { clientId: string; scopes: string[]; installationId: string }
      }
      assert.deepEqual([data.clientId, data.scopes], [app.id, ['catalog:read', 'checkout:quote']])

      const input = { idempotencyKey: 'one', name: 'Till', scopes: ['catalog:read'] }
      const issued = await call(tokens.access_token, '/api/v1/oauth/installation-keys', 'POST', input)
      const { secret } = ((await issued.json()) as { data: { secret: string } }).data
      const who = await testServer.ask('getInstallationCredentialIdentity', { key: secret })
      assert.deepEqual(who.body.data.app, { id: app.id, name: app.name })
      assert.equal(who.body.data.installation.id, data.installationId)
      assert.equal((await testServer.ask('listApiKeyCatalogProducts', { key: secret })).status, 200)
      assert.equal(seen.challenges, 1, 'one nonce serves the authorization server and our operations')

      const refreshed = await client.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, { DPoP })
      assert.notEqual(refreshed.access_token, tokens.access_token)
      assert.equal(refreshed.refresh_token, tokens.refresh_token, 'it is bound to a key and is not replaced')
      assert.equal((await call(refreshed.access_token, '/api/v1/oauth/authorize')).status, 200)
      const narrow = await client.refreshTokenGrant(
        config,
        refreshed.refresh_token ?? '',
        { scope: 'catalog:read' },
        { DPoP },
      )
      assert.equal(narrow.scope, 'catalog:read')

      await client.tokenRevocation(config, narrow.refresh_token ?? '')
      for (const { access_token } of [tokens, refreshed, narrow]) {
        await assert.rejects(call(access_token, '/api/v1/oauth/authorize'), /WWW-Authenticate|invalid_token/)
      }
      assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: secret })).status, 401)
      await assert.rejects(client.refreshTokenGrant(config, narrow.refresh_token ?? '', undefined, { DPoP }), {
        error: 'invalid_grant',
      })
      await assertNoSecret(testServer)
    })
  }

  test('each installation in one browser session is approved separately and has its own name', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    const app = await testServer.newApp({ name: 'Twice' })
    const first = await installApp(testServer, { app, browser })
    const second = await installApp(testServer, { app, browser })
    assert.notEqual(first.installationId, second.installationId)
    const rows = await testServer.storage.read(
      (db) => db.sql`
        select name, mode, redirect_hosts as "redirectHosts", granted_scopes as "grantedScopes",
          approved_by as "approvedBy" from installations where app_id = ${app.id} order by id`,
    )
    const common = {
      mode: 'test',
      redirectHosts: '["app.example"]',
      grantedScopes: '["catalog:read","checkout:quote"]',
      approvedBy: testServer.userId,
    }
    assert.deepEqual(rows, [
      { name: 'Twice', ...common },
      { name: 'Twice 2', ...common },
    ])
  })

  test('a consent form that is sent three times concurrently approves only once', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    const before = await countInstallations(testServer.storage)
    const { challenge } = makeVerifier()
    const page = await signIn(
      browser,
      await browser.visit(authorizationUrl(testServer, testServer.publicApp, challenge)),
    )
    const outcomes = await Promise.all([1, 2, 3].map(() => consent(testServer, browser, page)))
    const codes = outcomes.filter(({ url }) => url.startsWith(redirectUri) && url.includes('code='))
    assert.equal(codes.length, 1)
    assert.equal(await countInstallations(testServer.storage), before + 1)
  })
})

eachEngine('concurrent OAuth requests', (given) => {
  const open = sharedOAuthTestServer(given)
  const redeemed = async (testServer: OAuthTestServer, name: string, keys: readonly DpopKey[]) => {
    const app = await testServer.newApp({ name })
    const browser = openBrowser(testServer)
    const nonce = await currentNonce(testServer)
    const rounds: { key: DpopKey; answer: Promise<EndpointAnswer> }[][] = []
    for (let i = 0; i < 6; i += 1) {
      const { verifier, challenge } = makeVerifier()
      const back = await authorize(testServer, browser, authorizationUrl(testServer, app, challenge))
      const fields = codeFields(app, back.searchParams.get('code') ?? '', verifier)
      rounds.push(keys.map((key) => ({ key, answer: askToken(testServer, fields, { key, nonce }) })))
    }
    const good: { key: DpopKey; accessToken: string }[] = []
    for (const round of rounds) {
      const answers = await Promise.all(round.map(async ({ key, answer }) => ({ key, ...(await answer) })))
      const first = answers.filter(({ status }) => status === 200)
      assert.ok(first.length <= 1, `${first.length} answers to one code`)
      for (const { key, body } of first) good.push({ key, accessToken: body.access_token })
      for (const { status, body } of answers) if (status !== 200) assert.equal(body.error, 'invalid_grant')
    }
    const [ended] = await testServer.storage.read(
      (db) => db.sql<{ n: number }>`
        select count(*) as n from installations where app_id = ${app.id} and ended_at is not null`,
    )
    const statuses = await Promise.all(
      good.map(async (token) => (await askAsApp(testServer, 'describeOAuthAuthorization', token)).status),
    )
    return { statuses, ended: Number(ended?.n) }
  }

  test('each of six codes that one key redeems six times concurrently gives one token, which works', async () => {
    const testServer = await open()
    const key = await makeDpopKey()
    const { statuses, ended } = await redeemed(testServer, 'Racer', [key, key, key, key, key, key])
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200])
    assert.equal(ended, 0)
  })

  test('if different keys redeem the same code concurrently, at most one gets a token, the token does not work, and the installation ends', async () => {
    const testServer = await open()
    const keys = [await makeDpopKey(), await makeDpopKey(), await makeDpopKey()]
    const { statuses, ended } = await redeemed(testServer, 'Thief', keys)
    assert.ok(statuses.every((status) => status === 401))
    assert.equal(ended, 6)
  })

  test('of eight concurrent requests with the same DPoP proof one is accepted', async () => {
    const testServer = await open()
    const { accessToken, key } = await installApp(testServer)
    for (let round = 0; round < 3; round += 1) {
      const url = `${testServer.origin}/api/v1/oauth/authorize`
      const dpop = await makeProof(testServer, key, {
        method: 'GET',
        url,
        token: accessToken,
        nonce: await currentNonce(testServer),
      })
      const headers = { authorization: `DPoP ${accessToken}`, dpop }
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => testServer.ask('describeOAuthAuthorization', { key: null, headers })),
      )
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401, 401, 401, 401])
    }
  })

  test('of six concurrent token requests with the same DPoP proof one is accepted', async () => {
    const testServer = await open()
    const { refreshToken, key, app } = await installApp(testServer)
    const proof = { claims: { jti: 'the-same' } }
    const nonce = await currentNonce(testServer)
    const fields = { grant_type: 'refresh_token', client_id: app.id, refresh_token: refreshToken }
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => askToken(testServer, fields, { key, nonce, proof })),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  test('a refresh token can be used repeatedly by its own key, because a response may be lost', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const { refreshToken, key, app } = installed
    const { secret } = await issueKey(testServer, installed)
    const nonce = await currentNonce(testServer)
    const fields = { grant_type: 'refresh_token', client_id: app.id, refresh_token: refreshToken }
    const together = await Promise.all(Array.from({ length: 5 }, () => askToken(testServer, fields, { key, nonce })))
    assert.deepEqual(
      together.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    )
    for (const ms of [63_000, 3_600_000, 20 * dayMs]) {
      testServer.advance(ms)
      assert.equal((await askToken(testServer, fields, { key: await makeDpopKey() })).body.error, 'invalid_grant')
      const again = await askToken(testServer, fields, { key })
      assert.equal(again.status, 200, JSON.stringify(again.body))
      const living = { accessToken: again.body.access_token, key }
      assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', living)).status, 200)
      assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: secret })).status, 200)
    }
  })

  test('a refresh token that an earlier release marked as replaced still works for its key', async () => {
    const testServer = await open()
    const { refreshToken, key, app } = await installApp(testServer)
    await testServer.storage.write(
      (tx) => tx.sql`
        update oauth_artifacts set consumed_at = ${testServer.clock.now - dayMs}
        where kind = 'RefreshToken' and id = ${hashArtifactId(refreshToken)}`,
    )
    const fields = { grant_type: 'refresh_token', client_id: app.id, refresh_token: refreshToken }
    assert.equal((await askToken(testServer, fields, { key })).status, 200)
  })

  test('several tabs that approve concurrently in one session cause no server error, and at least one of them succeeds', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    const url = () => authorizationUrl(testServer, testServer.publicApp, makeVerifier().challenge)
    await authorize(testServer, browser, url())
    const pages: Visited[] = []
    for (let i = 0; i < 4; i += 1) pages.push(await browser.visit(url()))
    const outcomes = await Promise.all(pages.map((page) => consent(testServer, browser, page)))
    assert.ok(outcomes.every(({ status }) => status < 500))
    assert.ok(outcomes.some(({ url: at }) => at.startsWith(redirectUri)))
  })
})

// A second process on the same database, behind the same name.
async function openSecondNode(given: Given, testServer: OAuthTestServer): Promise<string> {
  const storage = await given.open({ url: testServer.url })
  const app = createApp({
    storage,
    rootSecret: testSecret,
    rateLimit: null,
    trustedProxies: [],
    webhookAllowPrivate: true,
    publicOrigin: () => testServer.origin,
    version: 'test',
    clock: () => new Date(testServer.clock.now),
    log: createLog({ level: 'error', pretty: false, write: () => {} }),
  })
  const port = await app.server.listen(0, '127.0.0.1')
  given.later(async () => {
    await app.server.drain(1_000)
    await app.dispatcher.drain()
    app.close()
  })
  return `http://127.0.0.1:${port}`
}

// The whole way of a confidential app, and its next refresh.
async function installConfidential(testServer: OAuthTestServer): Promise<{ refresh: () => Promise<EndpointAnswer> }> {
  const app = testServer.confidentialApp
  const proved = async (fields: Readonly<Record<string, string>>) => ({
    ...fields,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await makeAssertion(testServer),
  })
  const { verifier, challenge } = makeVerifier()
  const asked = Object.fromEntries(new URL(authorizationUrl(testServer, app, challenge)).searchParams)
  const pushed = await postForm(testServer, '/oauth/par', await proved(asked))
  const query = new URLSearchParams({ client_id: app.id, request_uri: pushed.body.request_uri })
  const back = await authorize(testServer, openBrowser(testServer), `${testServer.origin}/oauth/authorize?${query}`)
  const key = await makeDpopKey()
  const code = codeFields(app, back.searchParams.get('code') ?? '', verifier)
  const { body } = await askToken(testServer, await proved(code), { key })
  const fields = { grant_type: 'refresh_token', client_id: app.id, refresh_token: body.refresh_token }
  return { refresh: async () => askToken(testServer, await proved(fields), { key }) }
}

eachEngine('keys, tokens and codes of an installation', (given) => {
  const open = sharedOAuthTestServer(given)
  interface Scene {
    testServer: OAuthTestServer
    installed: Installed
    keyId: string
  }
  // How it ends, and whether the whole installation does.
  const ends: Readonly<Record<string, { isWhole: boolean; end: (scene: Scene) => Promise<void> }>> = {
    'the code is used again by another key': {
      isWhole: true,
      async end({ testServer, installed: { app, code, verifier } }) {
        const { status, body } = await askToken(testServer, codeFields(app, code, verifier), {
          key: await makeDpopKey(),
        })
        assert.deepEqual([status, body.error], [400, 'invalid_grant'])
      },
    },
    'the refresh token is revoked': {
      isWhole: true,
      async end({ testServer, installed: { app, refreshToken } }) {
        const { status } = await postForm(testServer, '/oauth/revoke', { client_id: app.id, token: refreshToken })
        assert.equal(status, 200)
      },
    },
    'the operator uninstalls the app': {
      isWhole: true,
      async end({ testServer, installed: { installationId } }) {
        const now = testServer.clock.now
        assert.equal(await testServer.storage.write((tx) => uninstallApp(tx, installationId, now)), true)
        assert.equal(await testServer.storage.write((tx) => uninstallApp(tx, installationId, now)), false)
      },
    },
    'the app revokes its key (its token keeps working)': {
      isWhole: false,
      async end({ testServer, installed, keyId }) {
        const body = { idempotencyKey: 'over' }
        const ask = { ...installed, path: { keyId }, body }
        assert.equal((await askAsApp(testServer, 'revokeInstallationKey', ask)).status, 200)
      },
    },
  }
  for (const [name, { isWhole, end }] of Object.entries(ends)) {
    test(`stop working on every node after ${name}`, async () => {
      const testServer = await open()
      const elsewhere = await openSecondNode(given, testServer)
      const installed = await installApp(testServer)
      const { id: keyId, secret } = await issueKey(testServer, installed)
      const bystander = await installApp(testServer, { browser: installed.browser })
      const other = await issueKey(testServer, bystander)
      for (const { installationId } of [installed, bystander]) {
        const input = { url: 'http://127.0.0.1:9099/hooks', description: '', events: ['*'] }
        const tools = { rootSecret: testSecret, allowPrivate: true }
        await testServer.storage.write((tx) => addEndpoint(tx, installationId, input, tools, testServer.clock.now))
      }

      const identity = '/api/v1/open/installation/identity'
      const callWithKey = async (origin: string, key: string) =>
        (await fetch(origin + identity, { headers: { authorization: `Bearer ${key}` } })).status
      const callWithToken = async (origin: string, { accessToken, key }: Installed) => {
        const url = `${testServer.origin}/api/v1/oauth/authorize`
        const nonce = await currentNonce(testServer)
        const dpop = await makeProof(testServer, key, { method: 'GET', url, token: accessToken, nonce })
        const headers = { authorization: `DPoP ${accessToken}`, dpop }
        return (await fetch(`${origin}/api/v1/oauth/authorize`, { headers })).status
      }
      for (const origin of [testServer.origin, elsewhere]) {
        assert.deepEqual([await callWithKey(origin, secret), await callWithToken(origin, installed)], [200, 200])
      }

      await end({ testServer, installed, keyId })

      const token = isWhole ? 401 : 200
      assert.deepEqual(
        [await callWithKey(testServer.origin, secret), await callWithToken(testServer.origin, installed)],
        [401, token],
      )
      assert.equal(await callWithToken(elsewhere, installed), token)
      testServer.clock.now += 2_000
      assert.equal(await callWithKey(elsewhere, secret), 401)
      const { app, refreshToken, key } = installed
      const fields = { grant_type: 'refresh_token', client_id: app.id, refresh_token: refreshToken }
      assert.equal((await askToken(testServer, fields, { key })).status, isWhole ? 400 : 200)
      for (const origin of [testServer.origin, elsewhere]) {
        assert.deepEqual([await callWithKey(origin, other.secret), await callWithToken(origin, bystander)], [200, 200])
      }
      const [row] = await testServer.storage.read(
        (db) => db.sql<{ endedAt: number | null; disabledAt: number | null }>`
          select ended_at as "endedAt", disabled_at as "disabledAt" from installations
          where id = ${installed.installationId}`,
      )
      const at = isWhole ? testServer.clock.now - 2_000 : null
      assert.deepEqual(row, { endedAt: at, disabledAt: at })
      const endpoints = (id: string) => testServer.storage.read((db) => listEndpoints(db, id))
      assert.equal((await endpoints(installed.installationId)).length, isWhole ? 0 : 1)
      assert.equal((await endpoints(bystander.installationId)).length, 1)
    })
  }

  test('a code that its own key uses again is refused, and the installation stays', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const { app, code, verifier, key } = installed
    const { secret } = await issueKey(testServer, installed)
    const { status, body } = await askToken(testServer, codeFields(app, code, verifier), { key })
    assert.deepEqual([status, body.error], [400, 'invalid_grant'])
    assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', installed)).status, 200)
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: secret })).status, 200)
  })

  test('revoking an access token ends only that token; revoking the refresh token then uninstalls the app and ends its keys', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const { secret } = await issueKey(testServer, installed)
    const { app, accessToken, refreshToken, key } = installed
    const fields = { grant_type: 'refresh_token', client_id: app.id, refresh_token: refreshToken }
    const other = await askToken(testServer, fields, { key })
    const revoke = async (token: string) =>
      assert.equal((await postForm(testServer, '/oauth/revoke', { client_id: app.id, token })).status, 200)
    const statusOf = async (token: string) =>
      (await askAsApp(testServer, 'describeOAuthAuthorization', { accessToken: token, key })).status
    await revoke(accessToken)
    assert.deepEqual([await statusOf(accessToken), await statusOf(other.body.access_token)], [401, 200])
    assert.equal((await askToken(testServer, fields, { key })).status, 200)
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: secret })).status, 200)
    await revoke(refreshToken)
    assert.equal((await testServer.ask('getInstallationCredentialIdentity', { key: secret })).status, 401)
    assert.equal((await askToken(testServer, fields, { key })).body.error, 'invalid_grant')
  })

  test('refresh tokens of public and confidential apps expire 30 days after their last use', async () => {
    const testServer = await open()
    const confidential = await installConfidential(testServer)
    const { app, refreshToken, key } = await installApp(testServer)
    const fields = { grant_type: 'refresh_token', client_id: app.id, refresh_token: refreshToken }
    const both = async () =>
      Promise.all(
        [askToken(testServer, fields, { key }), confidential.refresh()].map(async (answer) => (await answer).status),
      )
    const startedAt = testServer.clock.now
    // Longer than the five years that a grant had before; twice the 30 days where only the statements are another engine's.
    const lived = (isWide || given.engine === 'sqlite' ? 5.1 * 365 : 60) * dayMs
    while (testServer.clock.now < startedAt + lived) {
      testServer.advance(29.9 * dayMs)
      assert.deepEqual(await both(), [200, 200], `after ${(testServer.clock.now - startedAt) / dayMs} days`)
    }
    await sweepArtifacts(testServer.storage, testServer.clock.now)
    assert.deepEqual(await both(), [200, 200])
    testServer.advance(30 * dayMs)
    assert.deepEqual(await both(), [400, 400])
  })

  test('the token of another app cannot be revoked', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const other = await testServer.newApp({ name: 'Stranger' })
    await postForm(testServer, '/oauth/revoke', { client_id: other.id, token: installed.refreshToken })
    assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', installed)).status, 200)
  })

  test('a disabled app gets no tokens, and its requests are refused', async () => {
    const testServer = await open()
    const app = await testServer.newApp({ name: 'Suspect' })
    const installed = await installApp(testServer, { app })
    const { refreshToken, key } = installed
    await testServer.storage.write((tx) => disableApp(tx, app.id, testServer.clock.now))
    assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', installed)).status, 401)
    const fields = { grant_type: 'refresh_token', client_id: app.id, refresh_token: refreshToken }
    assert.equal((await askToken(testServer, fields, { key })).body.error, 'invalid_client')
  })

  test('access tokens expire after 10 minutes, codes after 1 minute, interactions after 15 minutes and sessions after 8 hours', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const { browser, app, key } = installed
    testServer.advance(599_000)
    assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', installed)).status, 200)
    testServer.advance(1_000)
    assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', installed)).status, 401)

    const { verifier, challenge } = makeVerifier()
    const back = await authorize(testServer, browser, authorizationUrl(testServer, app, challenge))
    testServer.advance(60_000)
    const late = await askToken(testServer, codeFields(app, back.searchParams.get('code') ?? '', verifier), { key })
    assert.equal(late.body.error, 'invalid_grant')

    const page = await browser.visit(authorizationUrl(testServer, app, challenge))
    assert.match(page.text, /name="decision"/)
    testServer.advance(900_000)
    assert.equal((await browser.visit(page.url)).status, 404)
    assert.equal((await consent(testServer, browser, page)).status, 404)

    testServer.advance(7 * 3_600_000)
    assert.match((await browser.visit(authorizationUrl(testServer, app, challenge))).text, /Signed in as/)
    testServer.advance(3_600_000)
    assert.match((await browser.visit(authorizationUrl(testServer, app, challenge))).text, /name="password"/)

    testServer.advance(40 * 24 * 3_600_000)
    assert.ok((await sweepArtifacts(testServer.storage, testServer.clock.now)) > 0)
    const kinds = await testServer.storage.read((db) => db.sql`select distinct kind from oauth_artifacts order by kind`)
    assert.deepEqual(kinds, [{ kind: 'Grant' }])
  })
})

eachEngine('the pages that install an app', (given) => {
  const open = sharedOAuthTestServer(given)
  const ask = (testServer: OAuthTestServer, more: Readonly<Record<string, string | null>> = {}) =>
    authorizationUrl(testServer, testServer.publicApp, makeVerifier().challenge, more)

  test('declining redirects with access_denied, the state and the issuer, and creates no installation', async () => {
    const testServer = await open()
    const before = await countInstallations(testServer.storage)
    const back = await authorize(testServer, openBrowser(testServer), ask(testServer), { decision: 'decline' })
    assert.deepEqual(Object.fromEntries(back.searchParams), {
      error: 'access_denied',
      error_description: 'the merchant declined',
      state: 'a-state',
      iss: testServer.origin,
    })
    assert.equal(await countInstallations(testServer.storage), before)
  })

  test('exactly the ticked scopes are granted, and none that the app did not request', async () => {
    const testServer = await open()
    const installed = await installApp(testServer, { choice: { scopes: ['catalog:read', 'webhooks:write'] } })
    const { body } = await askAsApp(testServer, 'describeOAuthAuthorization', installed)
    assert.deepEqual(body.data.scopes, ['catalog:read'])
  })

  test('a user who is disabled after signing in cannot approve an app and must sign in again', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    const before = await countInstallations(testServer.storage)
    const userId = await testServer.newUser('leaving@bloom.example', [testServer.merchantId])
    const page = await signIn(browser, await browser.visit(ask(testServer)), { email: 'leaving@bloom.example' })
    await testServer.storage.write((tx) => disableUser(tx, userId, testServer.clock.now))
    assert.equal((await browser.visit(page.url)).status, 404)
    const outcome = await consent(testServer, browser, page)
    assert.ok(!outcome.url.startsWith(redirectUri))
    assert.equal(await countInstallations(testServer.storage), before)
    assert.match((await browser.visit(ask(testServer))).text, /name="password"/)
  })

  test('a new password, and disabling and enabling a user, end all sessions of the user', async () => {
    const testServer = await open()
    const userId = await testServer.newUser('stolen@bloom.example', [testServer.merchantId])
    const passwordHash = await hashPassword(password, cheapCost)
    for (const end of [
      () => testServer.storage.write((tx) => setPassword(tx, userId, passwordHash, testServer.clock.now)),
      () =>
        testServer.storage.write(async (tx) => {
          await disableUser(tx, userId, testServer.clock.now)
          await enableUser(tx, userId, testServer.clock.now)
        }),
    ]) {
      const thief = openBrowser(testServer)
      const page = await signIn(thief, await thief.visit(ask(testServer)), { email: 'stolen@bloom.example' })
      const before = await countInstallations(testServer.storage)
      testServer.advance(2_000)
      await end()
      assert.ok(!(await consent(testServer, thief, page)).url.startsWith(redirectUri), 'the open page is over')
      assert.match((await thief.visit(ask(testServer))).text, /name="password"/)
      assert.equal(await countInstallations(testServer.storage), before)
      testServer.advance(2_000)
      const owner = openBrowser(testServer)
      const again = await signIn(owner, await owner.visit(ask(testServer)), { email: 'stolen@bloom.example' })
      assert.ok((await consent(testServer, owner, again)).url.startsWith(redirectUri))
    }
  })

  test('signing in with a new password works even if the clock was set back by an hour, and earlier sessions stay ended', async () => {
    const testServer = await openOAuthTestServer(given)
    const userId = await testServer.newUser('early@bloom.example', [testServer.merchantId])
    const passwordHash = await hashPassword(password, cheapCost)
    const change = () => testServer.storage.write((tx) => setPassword(tx, userId, passwordHash, testServer.clock.now))
    const thief = openBrowser(testServer)
    const stolen = await signIn(thief, await thief.visit(ask(testServer)), { email: 'early@bloom.example' })
    testServer.advance(2_000)
    await change()
    testServer.advance(-3_600_000)
    const owner = openBrowser(testServer)
    const page = await signIn(owner, await owner.visit(ask(testServer)), { email: 'early@bloom.example' })
    assert.ok((await consent(testServer, owner, page)).url.startsWith(redirectUri))
    const installations = await countInstallations(testServer.storage)
    assert.ok(
      !(await consent(testServer, thief, stolen)).url.startsWith(redirectUri),
      'the former one is over all the same',
    )
    assert.equal(await countInstallations(testServer.storage), installations)
    await change()
    assert.match((await owner.visit(ask(testServer))).text, /name="password"/, 'and so is this one by the next')
  })

  test('an approval whose code is never redeemed ends; an installation whose app only has its refresh token stays', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const browser = openBrowser(testServer)
    const page = await signIn(browser, await browser.visit(ask(testServer)))
    assert.ok((await consent(testServer, browser, page)).url.startsWith(redirectUri))
    const living = () =>
      testServer.storage.read(
        async (db) =>
          (await db.sql<{ id: string }>`select id from installations where grant_id is not null and ended_at is null`)
            .length,
      )
    await sweepArtifacts(testServer.storage, testServer.clock.now)
    const both = await living()
    await sweepArtifacts(testServer.storage, testServer.clock.now)
    assert.equal(await living(), both, 'the code may still be redeemed')
    testServer.advance(20 * 60_000)
    await sweepArtifacts(testServer.storage, testServer.clock.now)
    assert.equal(await living(), both - 1)
    const { app, refreshToken, key } = installed
    const fields = { grant_type: 'refresh_token', client_id: app.id, refresh_token: refreshToken }
    assert.equal((await askToken(testServer, fields, { key })).status, 200)
  })

  test('an app keeps working after the user who approved it is disabled', async () => {
    const testServer = await open()
    const userId = await testServer.newUser('gone@bloom.example', [testServer.merchantId])
    const browser = openBrowser(testServer)
    const { verifier, challenge } = makeVerifier()
    const url = authorizationUrl(testServer, testServer.publicApp, challenge)
    const back = await authorize(testServer, browser, url, { email: 'gone@bloom.example' })
    await testServer.storage.write((tx) => disableUser(tx, userId, testServer.clock.now))
    const key = await makeDpopKey()
    const fields = codeFields(testServer.publicApp, back.searchParams.get('code') ?? '', verifier)
    const { body } = await askToken(testServer, fields, { key })
    const accessToken = body.access_token
    assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', { accessToken, key })).status, 200)
  })

  test('another user can sign in although a user is signed in', async () => {
    const testServer = await open()
    await testServer.newUser('grace@rival.example', [testServer.rivalMerchantId])
    const browser = openBrowser(testServer)
    const first = await installApp(testServer, { browser })
    const page = await browser.visit(ask(testServer, { prompt: 'login' }))
    const between = await signIn(browser, page, { email: 'grace@rival.example' })
    assertOwnPage(between, 200)
    assert.match(between.text, /Another user was signed in/)
    const [, action = ''] = /action="([^"]+)"/.exec(between.text) ?? []
    const fields = [...between.text.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value] as const,
    )
    const asked = await browser.submit(action, fields)
    assert.match(asked.text, /grace@rival.example/)
    const back = await consent(testServer, browser, asked, { merchantId: testServer.rivalMerchantId })
    assert.match(back.url, /code=/)
    assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', first)).status, 200, 'the first goes on')
  })
})

anyEngine('what the pages that install an app show and refuse', (given) => {
  const open = sharedOAuthTestServer(given)
  const ask = (testServer: OAuthTestServer, more: Readonly<Record<string, string | null>> = {}) =>
    authorizationUrl(testServer, testServer.publicApp, makeVerifier().challenge, more)

  test('an app gets only scopes that it is registered for, and none of OpenID', async () => {
    const testServer = await open()
    const app = await testServer.newApp({ name: 'Modest', scopes: ['catalog:read'] })
    const scope = `openid offline_access ${allScopes.join(' ')}`
    const installed = await installApp(testServer, { app, scope })
    const { body } = await askAsApp(testServer, 'describeOAuthAuthorization', installed)
    assert.deepEqual(body.data.scopes, ['catalog:read'])
  })

  test('the consent page reports that no scope is ticked, that no shop is chosen, or that the shop is foreign, and creates nothing', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    const before = await countInstallations(testServer.storage)
    const page = await signIn(browser, await browser.visit(ask(testServer)))
    const nothing = await consent(testServer, browser, page, { scopes: [] })
    assert.deepEqual([nothing.status, /Tick at least one/.test(nothing.text)], [400, true])
    const foreign = await consent(testServer, browser, page, { merchantId: testServer.rivalMerchantId })
    assert.deepEqual([foreign.status, /Choose the shop/.test(foreign.text)], [400, true])
    const strange = await consent(testServer, browser, page, { merchantId: 'mer_\0' })
    assert.equal(strange.status, 400)
    const none = await browser.submit(page.url, [
      ['step', 'consent'],
      ['scope', 'catalog:read'],
      ['decision', 'approve'],
    ])
    assert.deepEqual([none.status, /Choose the shop/.test(none.text)], [400, true])
    assert.equal(await countInstallations(testServer.storage), before)
    assert.ok((await consent(testServer, browser, page)).url.startsWith(redirectUri))
  })

  test('a wrong password, an unknown e-mail address and a disabled user get the same message, and tries are limited', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    const page = await browser.visit(ask(testServer))
    const wrong = await signIn(browser, page, { password: 'wrong horse battery staple' })
    assert.match(wrong.text, /not correct/)
    assert.equal(wrong.status, 400)
    const unknown = await signIn(browser, page, { email: 'nobody@bloom.example' })
    const same = (text: string) => text.replaceAll(/value="[^"]*@[^"]*"/g, '')
    assert.equal(same(unknown.text), same(wrong.text))
    const disabled = await testServer.newUser('left@bloom.example', [testServer.merchantId])
    await testServer.storage.write((tx) => disableUser(tx, disabled, testServer.clock.now))
    assert.equal(same((await signIn(browser, page, { email: 'left@bloom.example' })).text), same(wrong.text))
    // Longer than any password, so that it is refused without the work.
    const long = 'x'.repeat(300)
    for (let i = 0; i < 9; i += 1) assert.equal((await signIn(browser, page, { password: long })).status, 400)
    const limited = await signIn(browser, page, { email: ` ${email.toUpperCase()} ` })
    assert.deepEqual([limited.status, /Too many/.test(limited.text)], [429, true])
    testServer.advance(20_000)
    assert.ok((await signIn(browser, page)).text.includes('Signed in as'))
  })

  test('a form is refused if it comes from another site, without its cookie, from another browser or from another page', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    const before = await countInstallations(testServer.storage)
    const page = await signIn(browser, await browser.visit(ask(testServer)))
    const fields = [
      ['step', 'consent'],
      ['merchant', testServer.merchantId],
      ['scope', 'catalog:read'],
      ['decision', 'approve'],
    ] as const
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: testServer.origin, 'sec-fetch-site': 'cross-site' },
    ]) {
      assert.equal((await browser.submit(page.url, fields, headers)).status, 403)
    }
    const noOrigin = await fetch(page.url, {
      method: 'POST',
      body: new URLSearchParams(fields as unknown as [string, string][]),
      headers: { cookie: browser.cookiesFor(new URL(page.url).pathname) },
    })
    assert.equal(noOrigin.status, 403)
    assert.equal((await openBrowser(testServer).submit(page.url, fields)).status, 404)
    assert.equal((await browser.submit(page.url, fields, { cookie: '' })).status, 404)
    const other = openBrowser(testServer)
    const otherPage = await other.visit(ask(testServer))
    const cookie = other.cookiesFor(new URL(otherPage.url).pathname)
    assert.equal((await browser.submit(page.url, fields, { cookie })).status, 404)
    assert.match((await other.submit(otherPage.url, fields)).text, /name="password"/)
    assert.equal((await browser.submit(page.url, fields, { 'content-type': 'application/json' })).status, 400)
    assert.equal(await countInstallations(testServer.storage), before)
  })

  test('error pages of the OAuth library are replaced by our own pages', async () => {
    const testServer = await open()
    const headers = { accept: 'text/html,*/*', 'content-type': 'application/x-www-form-urlencoded' }
    const ended = { method: 'POST', headers, body: 'xsrf=x&logout=yes' }
    assertOwnPage(await testServer.fetch('/oauth/session/end/confirm', ended), 400)
    assertOwnPage(await testServer.fetch('/oauth/authorize/unknown', { headers }), 404)
    assertOwnPage(await testServer.fetch('/oauth/authorize', { headers }), 400)
    assertOwnPage(await testServer.fetch('/oauth/token', { method: 'POST', headers, body: '' }), 400)
    for (const path of ['/oauth/session/end', '/oauth/session/end/success', '/oauth/device', '/oauth/userinfo'])
      assert.equal((await testServer.fetch(path, { headers })).status, 404)
  })

  test('a user without a shop gets 403 instead of the consent page', async () => {
    const testServer = await open()
    await testServer.newUser('shopless@bloom.example', [])
    const browser = openBrowser(testServer)
    const page = await signIn(browser, await browser.visit(ask(testServer)), { email: 'shopless@bloom.example' })
    assert.deepEqual([page.status, /no shop/.test(page.text)], [403, true])
  })

  test('the pages set strict security headers and cookies', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    const page = await browser.visit(ask(testServer))
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    assert.match(page.headers.get('content-security-policy') ?? '', /form-action 'self' https:\/\/app.example/)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    await authorize(testServer, browser, ask(testServer))
    assert.ok(browser.setCookies.length > 4)
    for (const line of browser.setCookies) {
      assert.match(line, /; httponly/i)
      assert.match(line, /; samesite=lax/i)
      assert.doesNotMatch(line, /; secure/i, 'there is no TLS on the own machine')
    }
    const session = browser.setCookies.find((line) => line.startsWith('as_session='))
    assert.doesNotMatch(session ?? '', /expires|max-age/i)
  })

  test('an app on the user’s own machine is redirected only to its exact registered loopback address', async () => {
    const testServer = await open()
    const redirectUris = [
      'http://127.0.0.1:9999/callback',
      'http://[::1]:9999/callback',
      'http://localhost:9999/callback',
    ]
    const app = await testServer.newApp({ name: 'Native', redirectUris })
    const browser = openBrowser(testServer)
    const at = (redirect_uri: string) => authorizationUrl(testServer, app, makeVerifier().challenge, { redirect_uri })
    for (const uri of redirectUris) {
      const back = await authorize(testServer, browser, at(uri))
      assert.ok(back.href.startsWith(`${uri}?code=`))
    }
    for (const uri of [
      'http://127.0.0.1:9998/callback',
      'http://localhost:9999/callback/',
      'http://localhost/callback',
    ])
      assert.equal((await browser.visit(at(uri))).status, 400)
  })

  test('a request without a valid redirect address shows an error page with everything escaped', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    for (const more of [
      { redirect_uri: 'https://evil.example/<script>' },
      { client_id: '<script>alert(1)</script>' },
    ]) {
      const page = await browser.visit(ask(testServer, more))
      assert.equal(page.status, 400)
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/)
      assert.ok(!page.text.includes('<script>'))
      assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    }
  })
})

anyEngine('the OAuth endpoints', (given) => {
  const open = sharedOAuthTestServer(given)
  test('unknown paths get 404, and wrong methods 405', async () => {
    const testServer = await open()
    const asked: [string, string, number][] = [
      ['GET', '/oauth/', 404],
      ['GET', '/oauth/nothing', 404],
      ['GET', '/oauth/token', 405],
      ['POST', '/oauth/authorize', 405],
      ['GET', '/oauth/me', 404],
      ['POST', '/oauth/reg', 404],
      ['GET', '/.well-known/openid-configuration', 404],
    ]
    for (const [method, path, expected] of asked) {
      const { status, body } = await testServer.fetch(path, { method })
      assert.deepEqual([path, status, body.error.code], [path, expected, 'route_not_found'])
    }
  })

  test('a foreign Host header changes no address, and a request line with a foreign host is refused', async () => {
    const testServer = await open()
    const told = await testServer.wire(
      'GET /.well-known/oauth-authorization-server HTTP/1.1\r\nHost: evil.example\r\nX-Forwarded-Host: evil.example\r\nX-Forwarded-Proto: https\r\nConnection: close\r\n\r\n',
    )
    assert.match(told, /^HTTP\/1.1 200/)
    assert.ok(!told.includes('evil'))
    assert.ok(told.includes(`"token_endpoint":"${testServer.origin}/oauth/token"`))
    const refused = await testServer.wire(
      'GET http://evil.example/.well-known/oauth-authorization-server HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    )
    assert.match(refused, /^HTTP\/1.1 40[04]/)
    assert.ok(!refused.includes('token_endpoint'))
  })

  test('over TLS the cookies are Secure, and proofs must contain the public address', async () => {
    const testServer = await openOAuthTestServer(given, { publicOrigin: () => 'https://shop.example' })
    const browser = openBrowser(testServer)
    const installed = await installApp(testServer, { browser })
    const { body } = await askAsApp(testServer, 'describeOAuthAuthorization', installed)
    assert.equal(body.data.endpoints.token, 'https://shop.example/oauth/token')
    assert.ok(browser.setCookies.length > 4)
    for (const line of browser.setCookies) {
      assert.match(line, /; secure/i)
      assert.match(line, /^__(Host-as_session|Secure-as_interaction|Secure-as_resume|Secure-as_device)(\.sig)?=/)
    }
    const proof = { url: `${testServer.reach}/api/v1/oauth/authorize` }
    assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', { ...installed, proof })).status, 401)
  })

  test('passwords are requested over plain http only on the same machine', async () => {
    const testServer = await openOAuthTestServer(given, { publicOrigin: () => 'http://shop.example' })
    const url = new URL(authorizationUrl(testServer, testServer.publicApp, makeVerifier().challenge))
    assert.equal((await testServer.fetch(url.pathname + url.search)).status, 500)
    assert.match(originProblem('http://shop.example') ?? '', /https/)
    for (const origin of ['https://shop.example', 'http://localhost:4000', 'http://127.0.0.1:1', 'http://[::1]:1'])
      assert.equal(originProblem(origin), undefined)
  })

  test('the metadata lists exactly what is supported, and nothing of OpenID', async () => {
    const testServer = await open()
    const { body } = await testServer.fetch('/.well-known/oauth-authorization-server')
    for (const name of Object.keys(body))
      assert.doesNotMatch(name, /id_token|claims|userinfo|subject|end_session|check/)
    assert.equal(body.issuer, testServer.origin)
    assert.deepEqual(body.scopes_supported, scopes)
    const resource = await testServer.fetch('/.well-known/oauth-protected-resource/api/v1')
    assert.equal(resource.body.resource, testServer.resource)
    assert.deepEqual(resource.body.authorization_servers, [testServer.origin])
    assert.equal('jwks_uri' in resource.body, false)
    const { keys } = JSON.parse((await testServer.fetch('/oauth/jwks')).text)
    assert.equal(keys.length, 1)
    assert.ok(!('d' in keys[0]))
  })

  test('requests are counted, logged and rate limited, and get 503 at the limit of requests in progress', async () => {
    const testServer = await openOAuthTestServer(given, { rateLimit: { perSecond: 100, burst: 200 } })
    const statuses: number[] = []
    for (let i = 0; i < 62; i += 1) statuses.push((await testServer.fetch('/oauth/jwks')).status)
    assert.deepEqual([statuses[0], statuses.at(-1)], [200, 429])
    assert.match(testServer.app.metrics.render(), /requests_total\{operation="oauth jwks",status="200"\} 60/)
    const line = testServer.lines().find(({ page }) => page === 'oauth jwks')
    assert.equal(line?.status, 200)
    const full = await openOAuthTestServer(given, { pressure: { inFlightMax: 0 } })
    assert.equal((await full.fetch('/oauth/jwks')).status, 503)
  })

  // What a client library reads there (RFC 6749, 5.2; RFC 7009, 2.2.1): `error` is a text.
  const clientPaths = ['/oauth/token', '/oauth/par', '/oauth/revoke']

  function assertClientError(
    answer: Awaited<ReturnType<OAuthTestServer['fetch']>>,
    status: number,
    error: string,
  ): void {
    assert.deepEqual([answer.status, answer.body.error], [status, error])
    assert.match(answer.body.error_description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
    assert.deepEqual(Object.keys(answer.body), ['error', 'error_description'])
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    assert.match(answer.headers.get('x-request-id') ?? '', /^req_/)
    if (status !== 500) assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  }

  test('429 is an OAuth error for apps and a page for browsers', async () => {
    const testServer = await openOAuthTestServer(given, {
      rateLimit: { perSecond: 100, burst: 200 },
      refusedDelayMs: 0,
    })
    for (const path of clientPaths) {
      let answer = await testServer.fetch(path, { method: 'POST', body: new URLSearchParams() })
      for (let posts = 1; answer.status !== 429 && posts < 70; posts += 1)
        answer = await testServer.fetch(path, { method: 'POST', body: new URLSearchParams() })
      assertClientError(answer, 429, 'temporarily_unavailable')
    }
    assert.match((await testServer.fetch('/oauth/authorize')).text, /Too many requests/)
  })

  test('503 of a process at its limit is an OAuth error for apps and a page for browsers', async () => {
    const full = await openOAuthTestServer(given, { pressure: { inFlightMax: 0 } })
    for (const path of clientPaths) {
      const answer = await full.fetch(path, { method: 'POST', body: new URLSearchParams() })
      assertClientError(answer, 503, 'temporarily_unavailable')
    }
    const page = await full.fetch('/oauth/authorize')
    assert.match(page.text, /^<!doctype html>/)
    assert.deepEqual([page.status, page.headers.get('retry-after')], [503, '1'])
  })

  test('apps get 503 if the database is unavailable, and 500 for a defect', async () => {
    const testServer = await openOAuthTestServer(given)
    const { read, write } = testServer.storage
    await testServer.fetch('/oauth/jwks')
    const form = () => ({
      method: 'POST',
      body: new URLSearchParams({ client_id: testServer.publicApp.id, token: 'x' }),
    })
    const failing = async (error: Error, look: () => Promise<void>) => {
      testServer.storage.read = testServer.storage.write = async () => {
        throw error
      }
      try {
        await look()
      } finally {
        Object.assign(testServer.storage, { read, write })
      }
    }
    await failing(new StorageUnavailable('the disk is full'), async () => {
      for (const path of clientPaths)
        assertClientError(await testServer.fetch(path, form()), 503, 'temporarily_unavailable')
      const page = await testServer.fetch(`/oauth/authorize?client_id=${testServer.publicApp.id}`)
      assert.match(page.text, /^<!doctype html>/)
      assert.deepEqual([page.status, page.headers.get('retry-after')], [503, '1'])
    })
    await failing(new Error('a defect'), async () => {
      for (const path of clientPaths) assertClientError(await testServer.fetch(path, form()), 500, 'server_error')
    })
  })

  test('a body or an address that is too long is refused, and so is a body without a content-length', async () => {
    const testServer = await open()
    const { status, body } = await testServer.fetch('/oauth/token', { method: 'POST', body: 'x'.repeat(70_000) })
    assert.deepEqual([status, body.error], [400, 'invalid_request'])
    assert.equal((await testServer.fetch(`/oauth/authorize?state=${'x'.repeat(5_000)}`)).status, 400)
    const head = 'POST /oauth/par HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n'
    assert.match(await testServer.wire(`${head}1\r\nx\r\n0\r\n\r\n`), /content-length/)
  })

  test('clients that send slowly occupy few connections and do not stop other requests', async () => {
    const testServer = await open()
    const sockets = Array.from({ length: 20 }, () => connect(Number(new URL(testServer.origin).port), '127.0.0.1'))
    const refused = new Promise<string>((resolve) => {
      for (const socket of sockets) {
        socket.setEncoding('utf8').on('data', (text: string) => resolve(text))
        socket.on('error', () => {})
        socket.write(
          'POST /oauth/token HTTP/1.1\r\nHost: x\r\n' +
            'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nx',
        )
      }
    })
    assert.match(await refused, /^HTTP\/1.1 503 /)
    assert.equal((await testServer.ask('getInstallationCredentialIdentity')).status, 200)
    for (const socket of sockets) socket.destroy()
  })
})

// Our frame and our fence, and no script.
function assertOwnPage({ status, text, headers }: Pick<Visited, 'status' | 'text' | 'headers'>, wanted: number): void {
  assert.equal(status, wanted)
  assert.match(text, /^<!doctype html>\n<html lang="en">/)
  assert.doesNotMatch(text, /<script/)
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none'; .*form-action 'self'.*frame-ancestors 'none'$/)
  assert.deepEqual(
    ['cache-control', 'x-frame-options', 'x-robots-tag', 'x-content-type-options'].map((name) => headers.get(name)),
    ['no-store', 'DENY', 'noindex, nofollow', 'nosniff'],
  )
}

// No code, token, proof, password, cookie or key stands in any table or in any line of the log.
async function assertNoSecret(testServer: OAuthTestServer): Promise<void> {
  const names = await testServer.storage.read((db) =>
    db.engine === 'sqlite'
      ? db.sql<{ name: string }>`select name from sqlite_master where type = 'table'`
      : db.sql<{
          name: string
        }>`select table_name as name from information_schema.tables where table_schema = 'public'`,
  )
  assert.ok(names.length > 20)
  let kept = JSON.stringify(testServer.lines())
  for (const { name } of names) {
    const text = Object.assign([`select * from ${name}`], { raw: [`select * from ${name}`] })
    kept += JSON.stringify(await testServer.storage.read((db) => db.sql(text as unknown as TemplateStringsArray)))
  }
  assert.ok(kept.includes('oauth authorize') && kept.includes('installation'))
  assert.ok(testServer.secrets.size > 12)
  for (const secret of testServer.secrets) {
    if (secret.length >= 16) assert.ok(!kept.includes(secret), `a secret is kept in clear: ${secret.slice(0, 12)}…`)
  }
}
