import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError } from '../harness/house.ts'
import {
  askAsApp,
  askToken,
  currentNonce,
  installApp,
  issueKey,
  makeDpopKey,
  makeProof,
  openBrowser,
  openOAuthHouse,
  type ProofInput,
  sharedOAuthHouse,
} from '../harness/oauth.ts'
import { eachEngine } from '../harness/storage.ts'
import { hashOf } from '../src/domain/oauth/artifacts.ts'

eachEngine('describeOAuthAuthorization', (given) => {
  const open = sharedOAuthHouse(given)

  test('200 says what was granted, to whom, and where to go from here', async () => {
    const house = await open()
    const installed = await installApp(house)
    const at = (path: string) => house.origin + path
    const answer = await askAsApp(house, 'describeOAuthAuthorization', installed)
    assert.deepEqual(answer.body.data, {
      kind: 'oauth_authorization',
      issuer: house.origin,
      clientId: installed.app.id,
      appName: 'Florist',
      installationId: installed.installationId,
      merchant: { id: house.merchantId, slug: 'bloom' },
      scopes: ['catalog:read', 'checkout:quote'],
      grantedAt: new Date(house.clock.now).toISOString(),
      tokenExpiresAt: new Date(house.clock.now + 600_000).toISOString(),
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

  test('200 for a proof that is right in an odd way', async () => {
    const house = await open()
    const installed = await installApp(house, { key: await makeDpopKey('Ed25519') })
    const now = Math.floor(house.clock.now / 1000)
    const url = `${house.origin}/api/v1/oauth/authorize`
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
      const { status } = await askAsApp(house, 'describeOAuthAuthorization', { ...installed, proof })
      assert.equal(status, 200, JSON.stringify(proof))
    }
    const lower = { authorization: `dpop  ${installed.accessToken}` }
    assert.equal((await askAsApp(house, 'describeOAuthAuthorization', { ...installed, headers: lower })).status, 200)
  })

  test('200 hands on the next nonce before the present one is over, and a nonce of either side works on the other', async () => {
    const house = await open()
    const installed = await installApp(house)
    const nonce = await currentNonce(house)
    const fresh = await askAsApp(house, 'describeOAuthAuthorization', { ...installed, proof: { nonce } })
    assert.deepEqual([fresh.status, fresh.headers.get('dpop-nonce')], [200, null])
    house.advance(60_000)
    const later = await askAsApp(house, 'describeOAuthAuthorization', { ...installed, proof: { nonce } })
    const next = later.headers.get('dpop-nonce') ?? ''
    assert.equal(later.status, 200)
    assert.notEqual(next, nonce)
    const { app, refreshToken, key } = installed
    const fields = { grant_type: 'refresh_token', client_id: app.id, refresh_token: refreshToken }
    const refreshed = await askToken(house, fields, { key, nonce: next })
    assert.equal(refreshed.status, 200)
    house.advance(240_000)
    const stale = await askAsApp(house, 'describeOAuthAuthorization', { ...installed, proof: { nonce } })
    assert.match(stale.headers.get('www-authenticate') ?? '', /error="use_dpop_nonce"/)
    const told = await askToken(house, { ...fields, refresh_token: refreshed.body.refresh_token }, { key, nonce })
    assert.equal(told.body.error, 'use_dpop_nonce')
    const given = told.headers.get('dpop-nonce') ?? ''
    assert.equal(given, await currentNonce(house))
  })

  test('401 without credentials names the metadata and the algorithms, and no error', async () => {
    const house = await open()
    const answer = await house.ask('describeOAuthAuthorization', { key: null })
    assertError(answer, 'unauthenticated')
    assert.equal(answer.status, 401)
    assert.equal(
      answer.headers.get('www-authenticate'),
      `DPoP algs="ES256 Ed25519 EdDSA", resource_metadata="${house.origin}/.well-known/oauth-protected-resource/api/v1"`,
    )
    assert.match(answer.headers.get('dpop-nonce') ?? '', /^[\w-]{43}$/)
    assert.equal(answer.headers.get('cache-control'), 'no-store')
  })

  test('401 for an API key, and for a good token under Bearer, with and without its proof', async () => {
    const house = await open()
    const installed = await installApp(house)
    const { secret } = await issueKey(house, installed)
    for (const key of [secret, house.keys.full, installed.accessToken])
      assert.equal((await house.ask('describeOAuthAuthorization', { key })).status, 401)
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
      const answer = await askAsApp(house, 'describeOAuthAuthorization', { ...installed, headers: { authorization } })
      assert.equal(answer.status, 401, authorization)
    }
  })

  // What is wrong with the proof. Every one of them is refused in the same words, and uses nothing up.
  const wrong: Readonly<Record<string, (now: number) => Partial<ProofInput>>> = {
    'another method': () => ({ method: 'POST' }),
    'another path': () => ({ url: 'http://127.0.0.1/api/v1/oauth/installation-keys' }),
    'an address that is none': () => ({ url: 'no address' }),
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
  test('401 for a proof that is wrong in any way', async () => {
    const house = await open()
    const installed = await installApp(house)
    for (const [name, proof] of Object.entries(wrong)) {
      const ask = { ...installed, proof: proof(Math.floor(house.clock.now / 1000)) }
      const answer = await askAsApp(house, 'describeOAuthAuthorization', ask)
      assert.equal(answer.status, 401, name)
      assert.match(answer.headers.get('www-authenticate') ?? '', /error="invalid_dpop_proof"/, name)
    }
    assert.equal((await askAsApp(house, 'describeOAuthAuthorization', installed)).status, 200)
  })

  test('401 for the proof of another key, or none, two, a joined, a garbled, an overlong or a used one', async () => {
    const house = await open()
    const installed = await installApp(house)
    const stranger = { ...installed, key: await makeDpopKey() }
    assert.equal((await askAsApp(house, 'describeOAuthAuthorization', stranger)).status, 401)
    const url = `${house.origin}/api/v1/oauth/authorize`
    const fresh = async (claims = {}) =>
      makeProof(house, installed.key, {
        method: 'GET',
        url,
        token: installed.accessToken,
        nonce: await currentNonce(house),
        claims,
      })
    const one = await fresh()
    const overlong = await fresh({ padding: 'x'.repeat(4_000) })
    for (const dpop of ['', 'a.b.c', `${one}, ${await fresh()}`, one.slice(0, -4), overlong]) {
      const answer = await askAsApp(house, 'describeOAuthAuthorization', { ...installed, headers: { dpop } })
      assert.equal(answer.status, 401, dpop.slice(0, 20))
    }
    const lines = [`Authorization: DPoP ${installed.accessToken}`, `Host: ${new URL(house.origin).host}`]
    const wire = (more: string[]) =>
      house.wire(
        `GET /api/v1/oauth/authorize HTTP/1.1\r\n${[...lines, ...more].join('\r\n')}\r\nConnection: close\r\n\r\n`,
      )
    assert.match(await wire([]), /^HTTP\/1.1 401/)
    assert.match(await wire([`DPoP: ${await fresh()}`, `DPoP: ${await fresh()}`]), /^HTTP\/1.1 401/)
    assert.match(await wire([`DPoP: ${one}`]), /^HTTP\/1.1 200/)
    const again = await wire([`DPoP: ${one}`])
    assert.match(again, /^HTTP\/1.1 401/)
    assert.match(again, /error="invalid_dpop_proof"/)
    house.advance(200_000)
    assert.match(await wire([`DPoP: ${one}`]), /^HTTP\/1.1 401/)
  })

  test('401 asks for the nonce when that is all that is missing, and is not held against the address', async () => {
    const house = await openOAuthHouse(given, { rateLimit: { perSecond: 1, burst: 3 } })
    const installed = await installApp(house)
    for (const claims of [{ nonce: undefined }, { nonce: 'made-up' }]) {
      for (let i = 0; i < 40; i += 1) {
        const answer = await askAsApp(house, 'describeOAuthAuthorization', {
          ...installed,
          proof: { nonce: '', claims },
        })
        assert.equal(answer.status, 401)
        assert.match(answer.headers.get('www-authenticate') ?? '', /error="use_dpop_nonce"/)
        // The look for the nonce of the moment is a failure too.
        house.advance(200)
      }
    }
  })

  test('429 by grant, before the proof is used up', async () => {
    const house = await openOAuthHouse(given, { rateLimit: { perSecond: 1, burst: 3 } })
    const installed = await installApp(house)
    const other = await installApp(house, { browser: installed.browser })
    const url = `${house.origin}/api/v1/oauth/authorize`
    const nonce = await currentNonce(house)
    const dpop = await makeProof(house, installed.key, { method: 'GET', url, token: installed.accessToken, nonce })
    const ask = () => askAsApp(house, 'describeOAuthAuthorization', installed)
    assert.deepEqual([(await ask()).status, (await ask()).status], [200, 200])
    const waiting = await askAsApp(house, 'describeOAuthAuthorization', { ...installed, headers: { dpop } })
    assertError(waiting, 'rate_limited')
    assert.equal(waiting.headers.get('retry-after'), '1')
    assert.equal((await askAsApp(house, 'describeOAuthAuthorization', other)).status, 200)
    house.advance(1_000)
    const now = await askAsApp(house, 'describeOAuthAuthorization', { ...installed, headers: { dpop } })
    assert.equal(now.status, 200)
  })

  test('400 for a body, a query, and two Authorization headers', async () => {
    const house = await open()
    const installed = await installApp(house)
    const { accessToken, key } = installed
    const url = `${house.origin}/api/v1/oauth/authorize`
    const headers = async () => ({
      authorization: `DPoP ${accessToken}`,
      dpop: await makeProof(house, key, { method: 'GET', url, token: accessToken, nonce: await currentNonce(house) }),
    })
    const query = await house.ask('describeOAuthAuthorization', {
      key: null,
      query: '?access_token=x',
      headers: await headers(),
    })
    assertError(query, 'invalid_request')
    const twice = await house.wire(
      `GET /api/v1/oauth/authorize HTTP/1.1\r\nHost: x\r\nAuthorization: DPoP a\r\nAuthorization: DPoP b\r\nConnection: close\r\n\r\n`,
    )
    assert.match(twice, /^HTTP\/1.1 400/)
  })

  test('401 for a token whose row was given to another installation', async () => {
    const house = await open()
    const browser = openBrowser(house)
    const [own, other] = [await installApp(house, { browser }), await installApp(house, { browser })]
    await house.storage.write(
      (tx) => tx.sql`
        update oauth_artifacts set grant_id = (select grant_id from installations where id = ${other.installationId})
        where kind = 'AccessToken' and id = ${hashOf(own.accessToken)}`,
    )
    assertError(await askAsApp(house, 'describeOAuthAuthorization', own), 'unauthenticated')
    assert.equal((await askAsApp(house, 'describeOAuthAuthorization', other)).status, 200)
  })

  test('401 after the merchant closed', async () => {
    const house = await openOAuthHouse(given)
    const installed = await installApp(house)
    await house.storage.write((tx) => tx.sql`update merchants set closed_at = ${house.clock.now}`)
    assert.equal((await askAsApp(house, 'describeOAuthAuthorization', installed)).status, 401)
  })

  test('the address of the request, not the host that it names, is what a proof must name', async () => {
    const house = await open()
    const installed = await installApp(house)
    const url = 'https://evil.example/api/v1/oauth/authorize'
    const answer = await askAsApp(house, 'describeOAuthAuthorization', {
      ...installed,
      proof: { url },
      headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    })
    assert.equal(answer.status, 401)
  })
})
