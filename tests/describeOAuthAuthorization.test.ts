import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  askAsApp,
  askToken,
  currentNonce,
  installApp,
  issueKey,
  makeDpopKey,
  makeProof,
  openBrowser,
  openOAuthTestServer,
  type ProofInput,
  sharedOAuthTestServer,
} from '../harness/oauth.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError } from '../harness/testServer.ts'
import { hashArtifactId } from '../src/domain/oauth/artifacts.ts'

eachEngine('describeOAuthAuthorization', (given) => {
  const open = sharedOAuthTestServer(given)

  test('200 with the grant, its app and merchant, and the endpoints', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const at = (path: string) => testServer.origin + path
    const answer = await askAsApp(testServer, 'describeOAuthAuthorization', installed)
    assert.deepEqual(answer.body.data, {
      kind: 'oauth_authorization',
      issuer: testServer.origin,
      clientId: installed.app.id,
      appName: 'Florist',
      installationId: installed.installationId,
      merchant: { id: testServer.merchantId, slug: 'bloom' },
      scopes: ['catalog:read', 'checkout:quote'],
      grantedAt: new Date(testServer.clock.now).toISOString(),
      tokenExpiresAt: new Date(testServer.clock.now + 600_000).toISOString(),
      endpoints: {
        authorization: at('/oauth/authorize'),
        token: at('/oauth/token'),
        pushedAuthorization: at('/oauth/par'),
        revocation: at('/oauth/revoke'),
        jwks: at('/oauth/jwks'),
        installationKeys: at('/api/v1/oauth/installation-keys'),
      },
      responseTypes: ['code'],
      grantTypes: ['authorization_code', 'refresh_token'],
      codeChallengeMethods: ['S256'],
      tokenEndpointAuthMethods: ['private_key_jwt', 'none'],
      dpop: {
        required: true,
        signingAlgs: ['ES256', 'Ed25519', 'EdDSA'],
        nonceRequired: true,
        jkt: installed.key.jkt,
        iatWindowSeconds: 300,
      },
    })
    assert.equal(answer.headers.get('cache-control'), 'no-store')
  })

  test('200 for unusual but valid proofs', async () => {
    const testServer = await open()
    const installed = await installApp(testServer, { key: await makeDpopKey('Ed25519') })
    const now = Math.floor(testServer.clock.now / 1000)
    const url = `${testServer.origin}/api/v1/oauth/authorize`
    const odd: Partial<ProofInput>[] = [
      { url: `${url}?a=b#c` },
      { url: url.replace('http:', 'HTTP:') },
      { claims: { iat: now + 10 } },
      { claims: { iat: now - 300 } },
      { claims: { iat: now + 60 } },
      { claims: { nbf: now, exp: now + 300 } },
      { claims: { more: { than: ['asked'] } } },
    ]
    for (const proof of odd) {
      const { status } = await askAsApp(testServer, 'describeOAuthAuthorization', { ...installed, proof })
      assert.equal(status, 200, JSON.stringify(proof))
    }
    const lower = { authorization: `dpop  ${installed.accessToken}` }
    assert.equal(
      (await askAsApp(testServer, 'describeOAuthAuthorization', { ...installed, headers: lower })).status,
      200,
    )
  })

  test('200 announces the next nonce before the present one expires; until then both are accepted, and an expired one is refused by API and token endpoint', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const nonce = await currentNonce(testServer)
    const fresh = await askAsApp(testServer, 'describeOAuthAuthorization', { ...installed, proof: { nonce } })
    assert.deepEqual([fresh.status, fresh.headers.get('dpop-nonce')], [200, null])
    testServer.advance(60_000)
    const later = await askAsApp(testServer, 'describeOAuthAuthorization', { ...installed, proof: { nonce } })
    const next = later.headers.get('dpop-nonce') ?? ''
    assert.equal(later.status, 200)
    assert.notEqual(next, nonce)
    const { app, refreshToken, key } = installed
    const fields = { grant_type: 'refresh_token', client_id: app.id, refresh_token: refreshToken }
    const refreshed = await askToken(testServer, fields, { key, nonce: next })
    assert.equal(refreshed.status, 200)
    testServer.advance(240_000)
    const stale = await askAsApp(testServer, 'describeOAuthAuthorization', { ...installed, proof: { nonce } })
    assert.match(stale.headers.get('www-authenticate') ?? '', /error="use_dpop_nonce"/)
    const told = await askToken(testServer, { ...fields, refresh_token: refreshed.body.refresh_token }, { key, nonce })
    assert.equal(told.body.error, 'use_dpop_nonce')
    const given = told.headers.get('dpop-nonce') ?? ''
    assert.equal(given, await currentNonce(testServer))
  })

  test('401 without credentials names the metadata and the algorithms, but no error code', async () => {
    const testServer = await open()
    const answer = await testServer.ask('describeOAuthAuthorization', { key: null })
    assertError(answer, 'unauthenticated')
    assert.equal(answer.status, 401)
    assert.equal(
      answer.headers.get('www-authenticate'),
      `DPoP algs="ES256 Ed25519 EdDSA", resource_metadata="${testServer.origin}/.well-known/oauth-protected-resource/api/v1"`,
    )
    assert.match(answer.headers.get('dpop-nonce') ?? '', /^[\w-]{43}$/)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
  })

  test('401 for an API key, for a valid token with the scheme Bearer, and for other secrets with the scheme DPoP', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const { secret } = await issueKey(testServer, installed)
    for (const key of [secret, testServer.keys.full, installed.accessToken])
      assert.equal((await testServer.ask('describeOAuthAuthorization', { key })).status, 401)
    for (const authorization of [
      `Bearer ${installed.accessToken}`,
      `DPoP ${secret}`,
      `DPoP ${installed.refreshToken}`,
      `DPoP ${installed.code}`,
      `DPoP ${installed.accessToken}x`,
      'DPoP',
      'DPoP ',
      `DPoP ${'a'.repeat(600)}`,
    ]) {
      const answer = await askAsApp(testServer, 'describeOAuthAuthorization', {
        ...installed,
        headers: { authorization },
      })
      assert.equal(answer.status, 401, authorization)
    }
  })

  // What is wrong with the proof. Every one of them is refused in the same words, and uses nothing up.
  const wrong: Readonly<Record<string, (now: number) => Partial<ProofInput>>> = {
    'another method': () => ({ method: 'POST' }),
    'another path': () => ({ url: 'http://127.0.0.1/api/v1/oauth/installation-keys' }),
    'an invalid address': () => ({ url: 'no address' }),
    'no token hash': () => ({ claims: { ath: undefined } }),
    'the hash of another token': () => ({ claims: { ath: 'x'.repeat(43) } }),
    'no id': () => ({ claims: { jti: undefined } }),
    'an id that is a number': () => ({ claims: { jti: 7 } }),
    'an empty id': () => ({ claims: { jti: '' } }),
    'no instant': () => ({ claims: { iat: undefined } }),
    'an instant that is a text': (now) => ({ claims: { iat: String(now) } }),
    'an instant too long ago': (now) => ({ claims: { iat: now - 301 } }),
    'an instant too far ahead': (now) => ({ claims: { iat: now + 61 } }),
    'a beginning ahead': (now) => ({ claims: { nbf: now + 30 } }),
    'an end that is past': (now) => ({ claims: { exp: now - 1 } }),
    'another type': () => ({ header: { typ: 'JWT' } }),
    'no key': () => ({ header: { jwk: undefined } }),
    'a nonce that is a number': () => ({ claims: { nonce: 7 } }),
  }
  test('401 for an invalid proof', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    for (const [name, proof] of Object.entries(wrong)) {
      const ask = { ...installed, proof: proof(Math.floor(testServer.clock.now / 1000)) }
      const answer = await askAsApp(testServer, 'describeOAuthAuthorization', ask)
      assert.equal(answer.status, 401, name)
      assert.match(answer.headers.get('www-authenticate') ?? '', /error="invalid_dpop_proof"/, name)
    }
    assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', installed)).status, 200)
  })

  test('401 for a proof of another key, and for a missing, duplicate, joined, truncated, oversized or reused proof', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const stranger = { ...installed, key: await makeDpopKey() }
    assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', stranger)).status, 401)
    const url = `${testServer.origin}/api/v1/oauth/authorize`
    const fresh = async (claims = {}) =>
      makeProof(testServer, installed.key, {
        method: 'GET',
        url,
        token: installed.accessToken,
        nonce: await currentNonce(testServer),
        claims,
      })
    const one = await fresh()
    const overlong = await fresh({ padding: 'x'.repeat(4_000) })
    for (const dpop of ['', 'a.b.c', `${one}, ${await fresh()}`, one.slice(0, -4), overlong]) {
      const answer = await askAsApp(testServer, 'describeOAuthAuthorization', { ...installed, headers: { dpop } })
      assert.equal(answer.status, 401, dpop.slice(0, 20))
    }
    const lines = [`Authorization: DPoP ${installed.accessToken}`, `Host: ${new URL(testServer.origin).host}`]
    const wire = (more: string[]) =>
      testServer.wire(
        `GET /api/v1/oauth/authorize HTTP/1.1\r\n${[...lines, ...more].join('\r\n')}\r\nConnection: close\r\n\r\n`,
      )
    assert.match(await wire([]), /^HTTP\/1.1 401/)
    assert.match(await wire([`DPoP: ${await fresh()}`, `DPoP: ${await fresh()}`]), /^HTTP\/1.1 401/)
    assert.match(await wire([`DPoP: ${one}`]), /^HTTP\/1.1 200/)
    const again = await wire([`DPoP: ${one}`])
    assert.match(again, /^HTTP\/1.1 401/)
    assert.match(again, /error="invalid_dpop_proof"/)
    testServer.advance(200_000)
    assert.match(await wire([`DPoP: ${one}`]), /^HTTP\/1.1 401/)
  })

  test('401 requests a nonce if only the nonce is missing or wrong, and does not count against the rate limit of the address', async () => {
    const testServer = await openOAuthTestServer(given, { rateLimit: { perSecond: 1, burst: 3 } })
    const installed = await installApp(testServer)
    for (const claims of [{ nonce: undefined }, { nonce: 'made-up' }]) {
      for (let i = 0; i < 40; i += 1) {
        const answer = await askAsApp(testServer, 'describeOAuthAuthorization', {
          ...installed,
          proof: { nonce: '', claims },
        })
        assert.equal(answer.status, 401)
        assert.match(answer.headers.get('www-authenticate') ?? '', /error="use_dpop_nonce"/)
        // The look for the nonce of the moment is a failure too.
        testServer.advance(200)
      }
    }
  })

  test('429 limits each grant separately, and does not use up the proof', async () => {
    const testServer = await openOAuthTestServer(given, { rateLimit: { perSecond: 1, burst: 3 } })
    const installed = await installApp(testServer)
    const other = await installApp(testServer, { browser: installed.browser })
    const url = `${testServer.origin}/api/v1/oauth/authorize`
    const nonce = await currentNonce(testServer)
    const dpop = await makeProof(testServer, installed.key, { method: 'GET', url, token: installed.accessToken, nonce })
    const ask = () => askAsApp(testServer, 'describeOAuthAuthorization', installed)
    assert.deepEqual([(await ask()).status, (await ask()).status], [200, 200])
    const waiting = await askAsApp(testServer, 'describeOAuthAuthorization', { ...installed, headers: { dpop } })
    assertError(waiting, 'rate_limited')
    assert.equal(waiting.headers.get('retry-after'), '1')
    assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', other)).status, 200)
    testServer.advance(1_000)
    const now = await askAsApp(testServer, 'describeOAuthAuthorization', { ...installed, headers: { dpop } })
    assert.equal(now.status, 200)
  })

  test('400 for a query and for two Authorization headers', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const { accessToken, key } = installed
    const url = `${testServer.origin}/api/v1/oauth/authorize`
    const headers = async () => ({
      authorization: `DPoP ${accessToken}`,
      dpop: await makeProof(testServer, key, {
        method: 'GET',
        url,
        token: accessToken,
        nonce: await currentNonce(testServer),
      }),
    })
    const query = await testServer.ask('describeOAuthAuthorization', {
      key: null,
      query: '?access_token=x',
      headers: await headers(),
    })
    assertError(query, 'invalid_request')
    const twice = await testServer.wire(
      `GET /api/v1/oauth/authorize HTTP/1.1\r\nHost: x\r\nAuthorization: DPoP a\r\nAuthorization: DPoP b\r\nConnection: close\r\n\r\n`,
    )
    assert.match(twice, /^HTTP\/1.1 400/)
  })

  test('401 for a token whose grant belongs to another installation', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    const [own, other] = [await installApp(testServer, { browser }), await installApp(testServer, { browser })]
    await testServer.storage.write(
      (tx) => tx.sql`
        update oauth_artifacts set grant_id = (select grant_id from installations where id = ${other.installationId})
        where kind = 'AccessToken' and id = ${hashArtifactId(own.accessToken)}`,
    )
    assertError(await askAsApp(testServer, 'describeOAuthAuthorization', own), 'unauthenticated')
    assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', other)).status, 200)
  })

  test('401 after the merchant was closed', async () => {
    const testServer = await openOAuthTestServer(given)
    const installed = await installApp(testServer)
    await testServer.storage.write((tx) => tx.sql`update merchants set closed_at = ${testServer.clock.now}`)
    assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', installed)).status, 401)
  })

  test('401 for a proof made for the host in forwarding headers instead of the real host', async () => {
    const testServer = await open()
    const installed = await installApp(testServer)
    const url = 'https://evil.example/api/v1/oauth/authorize'
    const answer = await askAsApp(testServer, 'describeOAuthAuthorization', {
      ...installed,
      proof: { url },
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    })
    assert.equal(answer.status, 401)
  })
})
