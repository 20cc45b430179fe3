// An app that was granted admin scopes: it calls the admin API with its token and with keys of its own, for as long as it is
// installed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  askAsApp,
  authorizationUrl,
  currentNonce,
  installApp,
  issueKey,
  makeProof,
  makeVerifier,
  openBrowser,
  sharedOAuthTestServer,
  signIn,
} from '../harness/oauth.ts'
import { anyEngine } from '../harness/storage.ts'
import { uninstallApp } from '../src/domain/oauth/installing.ts'
import { newId } from '../src/platform/kit/ids.ts'

anyEngine('apps with admin scopes', (given) => {
  const open = sharedOAuthTestServer(given)

  test('an owner grants an admin app its scopes; its token and its key work only for these scopes and its own installation, and the key ends with the installation', async () => {
    const testServer = await open()
    const scopes = ['admin:read', 'admin:developers', 'catalog:read'] as const
    const app = await testServer.newApp({ name: 'Back office', scopes })
    const scope = scopes.join(' ')
    const browser = openBrowser(testServer)
    const page = await signIn(
      browser,
      await browser.visit(authorizationUrl(testServer, app, makeVerifier().challenge, { scope })),
    )
    assert.match(page.text, /This reaches your whole shop/)
    const installed = await installApp(testServer, { app, scope })
    const described = await askAsApp(testServer, 'describeOAuthAuthorization', installed)
    assert.deepEqual(described.body.data.scopes.toSorted(), scopes.toSorted())

    const url = `${testServer.origin}/api/v1/admin/orders`
    const { accessToken: token } = installed
    const dpop = await makeProof(testServer, installed.key, {
      method: 'GET',
      url,
      token,
      nonce: await currentNonce(testServer),
    })
    const byToken = await testServer.fetch('/api/v1/admin/orders', {
      headers: { authorization: `DPoP ${token}`, dpop },
    })
    assert.equal(byToken.status, 200, byToken.text)

    // By MCP too a proof is good for one call, and a missing nonce is handed out.
    const nonce = await currentNonce(testServer)
    const address = { method: 'POST', url: `${testServer.origin}/api/v1/admin/mcp`, token }
    const list = async (proof: string) =>
      testServer.fetch('/api/v1/admin/mcp', {
        method: 'POST',
        headers: { authorization: `DPoP ${token}`, dpop: proof, 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      })
    const proof = await makeProof(testServer, installed.key, { ...address, nonce })
    assert.equal((await list(proof)).status, 200)
    const again = await list(proof)
    assert.deepEqual([again.status, again.headers.get('dpop-nonce')], [401, nonce])
    const bare = await list(await makeProof(testServer, installed.key, address))
    assert.deepEqual([bare.status, bare.headers.get('dpop-nonce')], [401, nonce])

    const { secret } = await issueKey(testServer, installed, ['admin:developers'])
    assert.equal((await testServer.askAdmin('listAdminOrders', { key: secret })).status, 403)
    const { installationId } = installed
    const hooks = { installationId, url: 'https://app.example/hooks', events: ['app.*'] }
    const body = { ...hooks, idempotencyKey: newId('req') }
    const endpoint = await testServer.askAdmin('createAdminWebhookEndpoint', { key: secret, body })
    assert.equal(endpoint.body.data.endpoint.installation.id, installationId)
    const more = { installationId, name: 'More', scopes: ['admin:developers'], idempotencyKey: newId('req') }
    assert.equal((await testServer.askAdmin('createAdminKey', { key: secret, body: more })).status, 403)
    const beyond = { ...more, scopes: ['checkout:quote'], idempotencyKey: newId('req') }
    assert.equal(
      (await testServer.askAdmin('createAdminKey', { key: secret, body: beyond })).status,
      403,
      'not granted',
    )

    // What an app makes belongs to its own installation, and ends with it.
    const { body: made } = await testServer.askAdmin('createAdminInstallation', {
      body: { name: 'Not of the app', idempotencyKey: newId('req') },
    })
    const elsewhere = { installationId: made.data.id, idempotencyKey: newId('req') }
    const theirs = await testServer.askAdmin('createAdminWebhookEndpoint', {
      body: { ...elsewhere, url: 'https://shop.example/hooks' },
    })
    const path = { endpointId: theirs.body.data.endpoint.id }
    const { id: keyId } = await testServer.newKey([])
    const keyed = () => ({ idempotencyKey: newId('req') })
    for (const answer of [
      await testServer.askAdmin('createAdminKey', { key: secret, body: { ...elsewhere, name: 'Theirs', scopes: [] } }),
      await testServer.askAdmin('rotateAdminKey', { key: secret, path: { keyId }, body: keyed() }),
      await testServer.askAdmin('createAdminWebhookEndpoint', {
        key: secret,
        body: { ...elsewhere, ...keyed(), url: body.url },
      }),
      await testServer.askAdmin('updateAdminWebhookEndpoint', {
        key: secret,
        path,
        body: { ...keyed(), url: body.url },
      }),
      await testServer.askAdmin('rotateAdminWebhookSecret', { key: secret, path, body: keyed() }),
    ])
      assert.deepEqual([answer.status, answer.body.error?.code], [403, 'scope_missing'], answer.text)

    await testServer.storage.write((tx) => uninstallApp(tx, installationId, testServer.clock.now))
    assert.equal((await testServer.askAdmin('listAdminKeys', { key: secret })).status, 401)
  })
})
