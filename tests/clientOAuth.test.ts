// Installing an app with the typed client: every step by the client, the merchant by a browser.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { exportJWK } from 'jose'
import { authorize, type OAuthTestServer, openBrowser, openOAuthTestServer, redirectUri } from '../harness/oauth.ts'
import { anyEngine } from '../harness/storage.ts'
import { CartwrightError, createClient } from '../packages/client/src/index.ts'
import { createOAuth, type Grant, type Installation, type OAuthOptions } from '../packages/client/src/oauth.ts'
import { clientMethodNames } from '../src/contract/methods.ts'
import { operationIds, operations } from '../src/contract/open/operations.ts'
import { compileSchema } from '../src/contract/validator.ts'

const isOf = (code: string) => (error: unknown) => error instanceof CartwrightError && error.code === code

anyEngine('installing an app with the client', (given) => {
  let testServer: OAuthTestServer
  let calls: string[] = []
  before(async () => {
    testServer = await openOAuthTestServer(given)
  })

  function oauthOf(more: Partial<OAuthOptions> = {}) {
    calls = []
    return createOAuth({
      baseUrl: testServer.origin,
      clientId: testServer.publicApp.id,
      redirectUri,
      scopes: ['catalog:read', 'checkout:quote'],
      fetch: (url, init) => {
        calls.push(`${init.method} ${new URL(url).pathname}`)
        return fetch(url, init)
      },
      ...more,
    })
  }

  async function installed(more: Partial<OAuthOptions> = {}): Promise<Installation> {
    const oauth = oauthOf(more)
    const { url, flow } = await oauth.begin()
    // As it comes back from where an app stores it.
    return oauth.finish(JSON.parse(JSON.stringify(flow)), await authorize(testServer, openBrowser(testServer), url))
  }

  test('every operation for access tokens can be called, and the issued key works until the app is uninstalled', async () => {
    const { client, grant, uninstall } = await installed()
    assert.deepEqual(grant().scopes.sort(), ['catalog:read', 'checkout:quote'])
    const { data: about } = await client.authorization()
    assert.deepEqual([about.kind, about.clientId], ['oauth_authorization', testServer.publicApp.id])
    const made = await client.keys.create({ name: 'first', scopes: ['catalog:read'] })
    const replies = {
      describeOAuthAuthorization: { data: about },
      createInstallationKey: made,
      listInstallationKeys: await client.keys.list(),
      revokeInstallationKey: await client.keys.revoke(
        (await client.keys.create({ name: 'second', scopes: [] })).data.key.id,
      ),
    }
    // A new operation must be called here too.
    const withToken = operationIds.filter((id) => operations[id].caller === 'oauth')
    assert.deepEqual(Object.keys(replies).sort(), [...withToken].sort())
    for (const [id, reply] of Object.entries(replies)) {
      assert.deepEqual(
        compileSchema(operations[id as keyof typeof replies].reply.schema)(reply),
        [],
        clientMethodNames.open.get(id),
      )
    }
    const shop = createClient({ baseUrl: testServer.origin, key: made.data.secret })
    assert.equal((await shop.identity()).data.installation.id, about.installationId)
    await uninstall()
    await assert.rejects(shop.identity(), isOf('unauthenticated'))
    await assert.rejects(client.authorization(), CartwrightError)
  })

  test('an expired token is refreshed before a call, once for all concurrent calls, and stored before it is used', async () => {
    const stored: Grant[] = []
    const { grant } = await installed()
    const resumed = oauthOf({
      onGrant(next, before) {
        assert.equal(before.accessToken, grant().accessToken)
        assert.ok(!calls.includes('GET /api/v1/oauth/authorize'))
        stored.push(next)
      },
    }).resume(JSON.parse(JSON.stringify(grant())))
    testServer.advance(11 * 60_000)
    await Promise.all([
      resumed.client.authorization(),
      resumed.client.keys.list(),
      resumed.refresh(),
      resumed.refresh(),
    ])
    assert.equal(stored.length, 1)
    assert.deepEqual(stored[0], resumed.grant())
    assert.notEqual(resumed.grant().accessToken, grant().accessToken)
    // The first attempt learns the nonce.
    assert.ok(calls.filter((call) => call === 'POST /oauth/token').length <= 2)
    await resumed.client.authorization()
    assert.equal(stored.length, 1)
  })

  test('calls succeed even if the DPoP nonce has changed since the call before', async () => {
    const { client } = await installed()
    for (let round = 0; round < 3; round++) {
      testServer.advance(150_000)
      assert.equal((await client.authorization()).data.kind, 'oauth_authorization')
    }
  })

  test('a confidential app authenticates with its own key', async () => {
    const clientKey = { ...(await exportJWK(testServer.appKey)), kid: 'one' } as NonNullable<OAuthOptions['clientKey']>
    const { client, refresh, uninstall } = await installed({ clientId: testServer.confidentialApp.id, clientKey })
    assert.equal((await client.authorization()).data.clientId, testServer.confidentialApp.id)
    await refresh()
    await uninstall()
    await assert.rejects(oauthOf({ clientId: testServer.confidentialApp.id }).begin(), isOf('oauth_failed'))
  })

  test('a redirect with a wrong state or issuer is refused without sending the code', async () => {
    const oauth = oauthOf()
    const { url, flow } = await oauth.begin()
    const back = await authorize(testServer, openBrowser(testServer), url)
    const changed = (name: string, value: string) => {
      const other = new URL(back)
      other.searchParams.set(name, value)
      return other
    }
    const sent = calls.length
    await assert.rejects(oauth.finish(flow, changed('state', 'x')), isOf('oauth_failed'))
    await assert.rejects(oauth.finish(flow, changed('iss', 'https://evil.example')), isOf('oauth_failed'))
    assert.equal(calls.length, sent)
    await oauth.finish(flow, `${back.pathname}${back.search}`)
    // A code is good for one use; the refusal says so in the words of the server.
    await assert.rejects(oauth.finish(flow, back), (error) => {
      assert.ok(error instanceof CartwrightError)
      assert.deepEqual([error.code, error.status, error.current?.error], ['oauth_failed', 400, 'invalid_grant'])
      return true
    })
  })

  test('a declined authorization, and a server whose metadata names another issuer than the configured address, are refused', async () => {
    const oauth = oauthOf()
    const { url, flow } = await oauth.begin()
    const back = await authorize(testServer, openBrowser(testServer), url, { decision: 'decline' })
    await assert.rejects(oauth.finish(flow, back), (error) => {
      assert.ok(error instanceof CartwrightError)
      assert.deepEqual([error.code, error.current?.error], ['oauth_failed', 'access_denied'])
      return true
    })
    await assert.rejects(
      oauthOf({ baseUrl: testServer.origin.replace('127.0.0.1', 'localhost') }).begin(),
      /names itself/,
    )
  })
})
