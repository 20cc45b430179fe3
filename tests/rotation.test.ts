// A rotation of the root secret, with nodes on both sides of each of its steps: what one of them made, the other takes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  askToken,
  authorizationUrl,
  authorize,
  codeFields,
  currentNonce,
  type DpopKey,
  type Installed,
  installApp,
  issueKey,
  makeDpopKey,
  makeProof,
  makeVerifier,
  type OAuthTestServer,
  openBrowser,
  openOAuthTestServer,
} from '../harness/oauth.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { type Answer, testSecret, testSecretText } from '../harness/testServer.ts'
import { createApp } from '../src/app.ts'
import { addEndpoint, rotateSecret } from '../src/domain/webhooks/endpoints.ts'
import { createSigningKeyCache, decryptSigningSecrets } from '../src/domain/webhooks/signature.ts'
import { listEndpoints } from '../src/domain/webhooks/store.ts'
import { createIdentify } from '../src/platform/access/identify.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { createLog } from '../src/platform/log/log.ts'
import { listSealedBy, reencryptAll } from '../src/platform/secrets/reseal.ts'
import { deriveKey, parseRootSecret, type RootSecret, signToken } from '../src/platform/secrets/secrets.ts'

const older = `1:${testSecretText}`
const newer = '2:the-root-secret-that-takes-the-place-of-the-other'

// Another node of the server, as a server of its own.
async function openNode(given: Given, testServer: OAuthTestServer, secretText: string): Promise<OAuthTestServer> {
  const storage = await given.open({ url: testServer.url })
  const app = createApp({
    storage,
    rootSecret: parseRootSecret(secretText) as RootSecret,
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
  const reach = `http://127.0.0.1:${port}`
  async function fetchThere(path: string, init?: RequestInit): Promise<Answer> {
    const { status, headers } = await fetch(reach + path, init)
    return { status, headers, text: '', body: null }
  }
  return { ...testServer, storage, app, reach, fetch: fetchThere }
}

// The status of an operation that takes a token, asked of this node.
async function describeAt(node: OAuthTestServer, token: string, key: DpopKey, nonce: string): Promise<number> {
  const dpop = await makeProof(node, key, { method: 'GET', url: `${node.origin}/api/v1/oauth/authorize`, token, nonce })
  return (await node.fetch('/api/v1/oauth/authorize', { headers: { authorization: `DPoP ${token}`, dpop } })).status
}

// Installs an app through this node: its pages, its tokens.
async function installAt(node: OAuthTestServer): Promise<Pick<Installed, 'app' | 'key' | 'refreshToken'>> {
  const { verifier, challenge } = makeVerifier()
  const app = node.publicApp
  const back = await authorize(node, openBrowser(node), authorizationUrl(node, app, challenge))
  const key = await makeDpopKey()
  const { body } = await askToken(node, codeFields(app, back.searchParams.get('code') ?? '', verifier), { key })
  return { app, key, refreshToken: body.refresh_token }
}

eachEngine('a rotation of the root secret', (given) => {
  const sides = [
    ['one node has heard of the new version', older, `${older},${newer}`],
    ['one node uses the new version', `${older},${newer}`, `${newer},${older}`],
  ] as const

  test('each node accepts OAuth requests with tokens and nonces of the other, at every step', async () => {
    const testServer = await openOAuthTestServer(given)
    const installed = await installAt(testServer)
    for (const [name, oneText, otherText] of sides) {
      const [one, other] = [await openNode(given, testServer, oneText), await openNode(given, testServer, otherText)]
      for (const [told, asked] of [
        [one, other],
        [other, one],
      ] as const) {
        const nonce = await currentNonce(told)
        const { app, key } = installed
        const fields = { grant_type: 'refresh_token', client_id: app.id, refresh_token: installed.refreshToken }
        const { status, body } = await askToken(asked, fields, { key, nonce })
        assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`)
        assert.equal(await describeAt(asked, body.access_token, key, nonce), 200, name)
      }
    }
  })

  test('after everything is resealed, a node without the old version works beside a node with it', async () => {
    const testServer = await openOAuthTestServer(given)
    const installed = await installApp(testServer)
    const { secret } = await issueKey(testServer, installed)
    const input = { url: 'http://127.0.0.1:9099/hooks', description: '', events: ['*'] }
    const tools = { rootSecret: testSecret, allowPrivate: true }
    const { endpoint, secret: signing } = await testServer.storage.write((tx) =>
      addEndpoint(tx, installed.installationId, input, tools, testServer.clock.now),
    )
    await testServer.storage.write((tx) =>
      rotateSecret(tx, installed.installationId, endpoint.id, testSecret, testServer.clock.now),
    )
    const cart = await testServer.ask('createPublicCart', { body: { idempotencyKey: 'a-cart' } })
    assert.equal(cart.status, 200)

    const both = parseRootSecret(`${newer},${older}`) as RootSecret
    const identify = createIdentify({ storage: testServer.storage, rootSecret: both })
    for (const key of [secret, ...Object.values(testServer.keys)]) {
      assert.ok(await identify.identify(`Bearer ${key}`, testServer.clock.now))
    }
    await identify.flushLastUse(testServer.clock.now)
    const { resealed, unopened } = await reencryptAll(testServer.storage, both)
    assert.ok(resealed > 5, `${resealed}`)
    assert.equal(unopened, 0)
    assert.deepEqual(await testServer.storage.read((db) => listSealedBy(db, 1, testServer.clock.now)), [])
    assert.equal((await reencryptAll(testServer.storage, both)).resealed, 0, 'a second run finds nothing')

    const [one, other] = [
      await openNode(given, testServer, `${newer},${older}`),
      await openNode(given, testServer, newer),
    ]
    for (const [told, asked] of [
      [one, other],
      [other, one],
    ] as const) {
      const nonce = await currentNonce(told)
      const { app, key } = installed
      const fields = { grant_type: 'refresh_token', client_id: app.id, refresh_token: installed.refreshToken }
      assert.equal((await askToken(asked, fields, { key, nonce })).status, 200)
      assert.equal(await describeAt(asked, installed.accessToken, key, nonce), 200)
      const headers = { authorization: `Bearer ${secret}` }
      assert.equal((await asked.fetch('/api/v1/open/installation/identity', { headers })).status, 200)
    }
    assert.ok((await installAt(other)).refreshToken, 'its user signs in')
    const alone = parseRootSecret(newer) as RootSecret
    const [kept] = await testServer.storage.read((db) => listEndpoints(db, installed.installationId))
    assert.ok(kept)
    const [, former] = decryptSigningSecrets(createSigningKeyCache(alone), kept, testServer.clock.now)
    assert.equal(`whsec_${former?.export().toString('base64')}`, signing)
  })

  test('a cursor that one node signed works at the other', async () => {
    const testServer = await openOAuthTestServer(given)
    const one = await openNode(given, testServer, `${older},${newer}`)
    const other = await openNode(given, testServer, `${newer},${older}`)
    const headers = { authorization: `Bearer ${testServer.keys.full}` }
    for (const [text, asked] of [
      [testSecretText, other],
      [newer.slice(2), one],
    ] as const) {
      const signer = parseRootSecret(text) as RootSecret
      const payload = `listStorefrontOrders ${testServer.installationId} ${testServer.clock.now} ${newId('ord')}`
      const cursor = signToken(deriveKey(signer, 'list cursor'), payload)
      assert.equal((await asked.fetch(`/api/v1/open/storefront/orders?cursor=${cursor}`, { headers })).status, 200)
    }
  })
})
