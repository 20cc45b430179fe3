// Everything that an app, a browser or a thief may send wrongly on the way of installing an app, and what each is told: by
// which word, where the answer goes, and that nothing has changed by it. A row is one case; a table has one server.
//
// Refusals that stand in oauth.test.ts, since they belong to a story there:
//   decline                                                declining redirects with access_denied …
//   scope that was not asked for in the form               exactly the ticked scopes are granted …
//   nothing ticked, no shop, a foreign shop                the consent page reports that no scope is ticked …
//   wrong password, too many                               a wrong password, an unknown e-mail address and a disabled user …
//   form from elsewhere, without cookie, of another
//     browser, consent before sign-in                      a form is refused if it comes from another site …
//   a second installation in one session is asked again    each installation in one browser session is approved separately …
//   page headers, cookie flags                             the pages set strict security headers and cookies
//   other port or name of a loopback redirect_uri          an app on the user’s own machine …
//   POST at the authorization endpoint, GET at the token's unknown paths get 404, and wrong methods 405
//   parallel redemption, one proof many times              concurrent OAuth requests
//   a refresh token used repeatedly                        a refresh token can be used repeatedly by its own key …
//   code reuse, revocation, uninstalling                   keys, tokens and codes of an installation
//   another app's token is not revoked                     the token of another app cannot be revoked
//   expired code, token, interaction, session              access tokens expire after 10 minutes …
//   address of the server by foreign Host, metadata         a foreign Host header changes no address …

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import {
  askAsApp,
  askToken,
  authorizationUrl,
  authorize,
  type Browser,
  codeFields,
  currentNonce,
  type DpopKey,
  type EndpointAnswer,
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
  type ProofInput,
  postForm,
  redirectUri,
  type Visited,
} from '../harness/oauth.ts'
import { anyEngine, type Given } from '../harness/storage.ts'
import { type Answer, assertError, testSecret } from '../harness/testServer.ts'
import { isWide } from '../harness/wide.ts'
import { type OperationId, operationIds, operations } from '../src/contract/open/operations.ts'
import { disableApp, type OAuthApp } from '../src/domain/oauth/apps.ts'
import { decryptPayload, encryptPayload, hashArtifactId } from '../src/domain/oauth/artifacts.ts'

// A server, and a browser in which its merchant is signed in: whatever is refused there is not refused for want of it.
interface Scene {
  testServer: OAuthTestServer
  browser: Browser
}

// An app that is installed, with a key of its own.
interface Holder extends Scene, Installed {
  keyId: string
  nonce: string
}

type Open = () => Promise<Scene>

type Parameters = Readonly<Record<string, string | null>>

const challenge = makeVerifier().challenge
const longWord = 'a'.repeat(200)

// Authorization: what an app may ask a browser for, and what it may push beforehand.

interface AuthorizationRow {
  name: string
  url: (scene: Scene) => string | Promise<string>
  // The app is told, by a redirect with a query or, where its own request asked for that, a fragment; or only the person
  // is, on a page of ours.
  to: 'app' | 'fragment' | 'page'
  error: string
  // What comes back of it; null when it could not be read.
  state?: string | null
  browser?: (scene: Scene) => Browser
}

const asking =
  (more: Parameters = {}, raw = '') =>
  ({ testServer }: Scene): string =>
    authorizationUrl(testServer, testServer.publicApp, challenge, more) + raw

const redirect = (redirect_uri: string | null, more: Parameters = {}) => asking({ redirect_uri, ...more })

// biome-ignore format: a table is read by its rows
const authorizationRows: readonly AuthorizationRow[] = [
  { name: 'no PKCE',                                      to: 'app',  error: 'invalid_request',           url: asking({ code_challenge: null, code_challenge_method: null }) },
  { name: 'the plain method of PKCE',                     to: 'app',  error: 'invalid_request',           url: asking({ code_challenge_method: 'plain' }) },
  { name: 'an unknown method of PKCE',                    to: 'app',  error: 'invalid_request',           url: asking({ code_challenge_method: 's256' }) },
  { name: 'a challenge without its method',               to: 'app',  error: 'invalid_request',           url: asking({ code_challenge_method: null }) },
  { name: 'a method without a challenge',                 to: 'app',  error: 'invalid_request',           url: asking({ code_challenge: null }) },
  { name: 'a short challenge',                            to: 'app',  error: 'invalid_request',           url: asking({ code_challenge: challenge.slice(0, 42) }) },
  { name: 'a long challenge',                             to: 'app',  error: 'invalid_request',           url: asking({ code_challenge: longWord }) },
  { name: 'a challenge of other characters',              to: 'app',  error: 'invalid_request',           url: asking({ code_challenge: `${challenge.slice(1)}=` }) },

  { name: 'a redirect_uri of another host',               to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://evil.example/callback') },
  { name: 'a redirect_uri with the host as a prefix',     to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://app.example.evil.example/callback') },
  { name: 'a redirect_uri of a subdomain',                to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://sub.app.example/callback') },
  { name: 'a redirect_uri with a trailing slash',         to: 'page', error: 'invalid_redirect_uri',      url: redirect(`${redirectUri}/`) },
  { name: 'a redirect_uri with an extra query',           to: 'page', error: 'invalid_redirect_uri',      url: redirect(`${redirectUri}?next=evil`) },
  { name: 'a redirect_uri with an empty query',           to: 'page', error: 'invalid_redirect_uri',      url: redirect(`${redirectUri}?`) },
  { name: 'a redirect_uri with a fragment',               to: 'page', error: 'invalid_redirect_uri',      url: redirect(`${redirectUri}#here`) },
  { name: 'a redirect_uri with dot segments',             to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://app.example/elsewhere/../callback') },
  { name: 'a redirect_uri with percent-encoded dots',     to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://app.example/elsewhere/%2e%2e/callback') },
  { name: 'a redirect_uri with an encoded letter',        to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://app.example/%63allback') },
  { name: 'a redirect_uri with the host in capitals',     to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://APP.example/callback') },
  { name: 'a redirect_uri with the path in capitals',     to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://app.example/Callback') },
  { name: 'a redirect_uri with the host as user name',    to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://app.example@evil.example/callback') },
  { name: 'a redirect_uri with a user name',              to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://user@app.example/callback') },
  { name: 'a redirect_uri with the default port',         to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://app.example:443/callback') },
  { name: 'a redirect_uri with another port',             to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://app.example:8443/callback') },
  { name: 'a redirect_uri without TLS',                   to: 'page', error: 'invalid_redirect_uri',      url: redirect('http://app.example/callback') },
  { name: 'a redirect_uri of a longer path',              to: 'page', error: 'invalid_redirect_uri',      url: redirect(`${redirectUri}/more`) },
  { name: 'a redirect_uri of a shorter path',             to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://app.example/') },
  { name: 'a redirect_uri with a backslash',              to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://app.example\\@evil.example/callback') },
  { name: 'a redirect_uri with a space at its end',       to: 'page', error: 'invalid_redirect_uri',      url: redirect(`${redirectUri} `) },
  { name: 'a redirect_uri with a line break',             to: 'page', error: 'invalid_redirect_uri',      url: redirect(`${redirectUri}\r\nset-cookie: a=b`) },
  { name: 'a redirect_uri without a scheme',              to: 'page', error: 'invalid_redirect_uri',      url: redirect('//app.example/callback') },
  { name: 'a redirect_uri with the scheme javascript',    to: 'page', error: 'invalid_redirect_uri',      url: redirect('javascript:alert(1)') },
  { name: 'a redirect_uri that is not a URL',             to: 'page', error: 'invalid_redirect_uri',      url: redirect('callback') },
  { name: 'a redirect_uri with localhost',                to: 'page', error: 'invalid_redirect_uri',      url: redirect('http://localhost:9999/callback') },
  { name: 'two redirect_uris, both correct',              to: 'page', error: 'invalid_request',           url: asking({}, `&redirect_uri=${encodeURIComponent(redirectUri)}`) },
  { name: 'two redirect_uris, one wrong',                 to: 'page', error: 'invalid_request',           url: asking({}, '&redirect_uri=https%3A%2F%2Fevil.example') },
  { name: 'a redirect_uri left out',                      to: 'page', error: 'invalid_request',           url: redirect(null) },
  { name: 'a redirect_uri that is empty',                 to: 'page', error: 'invalid_request',           url: redirect('') },
  { name: 'a wrong redirect_uri in a wrong request',      to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://evil.example/callback', { response_type: 'token' }) },
  { name: 'a wrong redirect_uri without PKCE',            to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://evil.example/callback', { code_challenge: null }) },
  { name: 'a wrong redirect_uri with prompt=none',        to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://evil.example/callback', { prompt: 'none' }) },
  { name: 'a wrong redirect_uri with a foreign resource', to: 'page', error: 'invalid_redirect_uri',      url: redirect('https://evil.example/callback', { resource: 'https://evil.example/api' }) },

  { name: 'an unknown app',                               to: 'page', error: 'invalid_client',            url: asking({ client_id: 'app_01jz0000000000000000000000' }) },
  { name: 'an app id of another format',                  to: 'page', error: 'invalid_client',            url: asking({ client_id: '../../etc/passwd' }) },
  { name: 'no app id',                                    to: 'page', error: 'invalid_request',           url: asking({ client_id: null }) },
  { name: 'two app ids',                                  to: 'page', error: 'invalid_request',           url: asking({}, '&client_id=another') },
  { name: 'an app that is disabled',                      to: 'page', error: 'invalid_client',            url: disabledApp },

  { name: 'the implicit flow',                             to: 'fragment', error: 'unsupported_response_type', url: asking({ response_type: 'token' }) },
  { name: 'the hybrid flow',                               to: 'fragment', error: 'unsupported_response_type', url: asking({ response_type: 'code id_token' }) },
  { name: 'a code and a token',                            to: 'fragment', error: 'unsupported_response_type', url: asking({ response_type: 'code token' }) },
  { name: 'an ID token',                                   to: 'fragment', error: 'unsupported_response_type', url: asking({ response_type: 'id_token' }) },
  { name: 'the response_mode fragment',                   to: 'fragment', error: 'invalid_request',       url: asking({ response_mode: 'fragment' }) },
  { name: 'the response_type none',                       to: 'app',  error: 'unsupported_response_type', url: asking({ response_type: 'none' }) },
  { name: 'no response_type',                             to: 'app',  error: 'invalid_request',           url: asking({ response_type: null }) },
  { name: 'an unknown response_mode',                     to: 'app',  error: 'unsupported_response_mode', url: asking({ response_mode: 'pigeon' }) },
  { name: 'a signed response_mode',                       to: 'app',  error: 'unsupported_response_mode', url: asking({ response_mode: 'query.jwt' }) },

  { name: 'a foreign resource',                           to: 'app',  error: 'invalid_target',            url: asking({ resource: 'https://evil.example/api/v1' }) },
  { name: 'a resource that is not a URL',                 to: 'app',  error: 'invalid_target',            url: asking({ resource: 'api' }) },
  { name: 'a resource with a fragment',                   to: 'app',  error: 'invalid_target',            url: ({ testServer }) => asking({ resource: `${testServer.resource}#here` })({ testServer } as Scene) },
  { name: 'our resource and a foreign one',               to: 'app',  error: 'invalid_target',            url: ({ testServer }) => asking({ resource: testServer.resource }, '&resource=https%3A%2F%2Fevil.example')({ testServer } as Scene) },

  { name: 'no scope',                                     to: 'app',  error: 'access_denied',             url: asking({ scope: null }) },
  { name: 'an unknown scope',                             to: 'app',  error: 'access_denied',             url: asking({ scope: 'everything' }) },
  { name: 'only the scope openid',                        to: 'app',  error: 'access_denied',             url: asking({ scope: 'openid' }) },
  { name: 'only the scope offline_access',                to: 'app',  error: 'access_denied',             url: asking({ scope: 'offline_access' }) },
  { name: 'offline_access with prompt=consent',           to: 'app',  error: 'access_denied',             url: asking({ scope: 'offline_access', prompt: 'consent' }) },
  { name: 'a scope the app may not request',              to: 'app',  error: 'access_denied',             url: modestApp },
  { name: 'a scope with odd characters',                  to: 'app',  error: 'invalid_scope',             url: asking({ scope: 'catalog:read "quoted"' }) },

  { name: 'a request object',                             to: 'app',  error: 'request_not_supported',     url: asking({ request: 'eyJhbGciOiJub25lIn0.e30.' }) },
  { name: 'a request by request_uri',                     to: 'app',  error: 'request_uri_not_supported', url: asking({ request_uri: 'https://app.example/request.jwt' }) },
  { name: 'a registration within the request',            to: 'app',  error: 'registration_not_supported', url: asking({ registration: '{}' }) },
  { name: 'prompt=none without a signed-in user',         to: 'app',  error: 'login_required',            url: asking({ prompt: 'none' }), browser: ({ testServer }) => openBrowser(testServer) },
  { name: 'prompt=none of a signed-in user',              to: 'app',  error: 'consent_required',          url: asking({ prompt: 'none' }) },
  { name: 'prompt=none with another prompt',              to: 'app',  error: 'invalid_request',           url: asking({ prompt: 'none login' }) },
  { name: 'an unknown prompt',                            to: 'app',  error: 'invalid_request',           url: asking({ prompt: 'create' }) },
  { name: 'two scopes',                                   to: 'app',  error: 'invalid_request',           url: asking({}, '&scope=orders:read') },
  { name: 'two states',                                   to: 'app',  error: 'invalid_request',           url: asking({}, '&state=another'), state: null },
  { name: 'two challenges',                               to: 'app',  error: 'invalid_request',           url: asking({}, `&code_challenge=${makeVerifier().challenge}`) },
  { name: 'a refusal without a state',                    to: 'app',  error: 'invalid_request',           url: asking({ state: null, code_challenge_method: 'plain' }), state: null },
  { name: 'a refusal with a long state',                  to: 'app',  error: 'invalid_request',           url: asking({ state: 's'.repeat(1_000), code_challenge_method: 'plain' }), state: 's'.repeat(1_000) },
  { name: 'an app that must push its request and does not', to: 'app', error: 'invalid_request',          url: ({ testServer }) => authorizationUrl(testServer, testServer.confidentialApp, challenge) },

  { name: 'the response_mode form_post',                  to: 'app',  error: 'unsupported_response_mode', url: asking({ response_mode: 'form_post' }) },
  { name: 'an unknown request_uri',                       to: 'page', error: 'invalid_request_uri',       url: ({ testServer }) => pushedUrl(testServer, testServer.publicApp, `${requestUriPrefix}${'a'.repeat(43)}`) },
  { name: 'a request_uri that is empty',                  to: 'page', error: 'invalid_request_uri',       url: ({ testServer }) => pushedUrl(testServer, testServer.publicApp, requestUriPrefix) },
  { name: 'a request_uri that has expired',               to: 'page', error: 'invalid_request_uri',       url: expiredRequest },
  { name: 'a request_uri that has led to a code',         to: 'page', error: 'invalid_request_uri',       url: usedRequest },
  { name: "another app's request_uri",                    to: 'page', error: 'invalid_request_object',    url: foreignRequest },
  { name: "another app's request_uri, and a foreign redirect_uri", to: 'page', error: 'invalid_redirect_uri', url: async (scene) => `${await foreignRequest(scene)}&redirect_uri=https%3A%2F%2Fevil.example` },
  { name: "a confidential app's request_uri, sent by a public app", to: 'page', error: 'invalid_request_object', url: ({ testServer }) => confidentialRequest(testServer, testServer.publicApp) },
  { name: 'a request_uri and a request object',           to: 'page', error: 'request_not_supported',     url: async (scene) => `${await ownRequest(scene)}&request=eyJhbGciOiJub25lIn0.e30.` },
]

function authorizationIsRefused(open: Open): void {
  for (const { name, url, to, error, state = 'a-state', browser: other } of authorizationRows) {
    test(`${name}: ${error}, reported ${to === 'page' ? 'on a page' : 'to the app'}`, async () => {
      const scene = await open()
      const asked = await url(scene)
      const browser = other?.(scene) ?? scene.browser
      const visited = await unchanged(scene.testServer, () => browser.visit(asked))
      if (to === 'page') assertToldOnPage(visited, asked, error)
      else assertToldApp(scene.testServer, visited, { error, state, mark: to === 'app' ? '?' : '#' })
    })
  }

  test('a request line that names another host gets 400, and the page does not repeat that host', async () => {
    const { testServer } = await open()
    const { pathname, search } = new URL(authorizationUrl(testServer, testServer.publicApp, challenge))
    const answer = await unchanged(testServer, () =>
      wireAsk(testServer, 'GET', `http://evil.example${pathname}${search}`, { host: 'evil.example' }),
    )
    assert.equal(answer.status, 400)
    assert.match(answer.text, /The form could not be read/)
    assert.doesNotMatch(answer.text, /evil/)
    assert.equal(answer.headers.get('location'), null)
  })

  test('a foreign Host header does not change the address of the redirect', async () => {
    const { testServer } = await open()
    const { pathname, search } = new URL(authorizationUrl(testServer, testServer.publicApp, challenge))
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' }
    const answer = await wireAsk(testServer, 'GET', pathname + search, headers)
    assert.equal(answer.status, 303)
    assert.equal(new URL(answer.headers.get('location') ?? '', testServer.origin).origin, testServer.origin)
    assert.doesNotMatch(answer.text, /evil/)
  })

  test('two Host headers get invalid_request', async () => {
    const { testServer } = await open()
    const { pathname, search } = new URL(authorizationUrl(testServer, testServer.publicApp, challenge))
    const { host } = new URL(testServer.origin)
    const answer = await unchanged(testServer, () =>
      wireAsk(testServer, 'GET', pathname + search, { host: [host, 'evil.example'] }),
    )
    assertError(answer, 'invalid_request')
  })
}

interface PushRow {
  name: string
  more?: Parameters
  // Sent behind the form as it is.
  raw?: string
  proof?: Partial<ProofInput>
  error: string
  status?: number
}

// biome-ignore format: a table is read by its rows
const pushRows: readonly PushRow[] = [
  { name: 'no PKCE',                         error: 'invalid_request',           more: { code_challenge: null, code_challenge_method: null } },
  { name: 'the plain method of PKCE',        error: 'invalid_request',           more: { code_challenge_method: 'plain' } },
  { name: 'a redirect_uri of another host',  error: 'invalid_request',           more: { redirect_uri: 'https://evil.example/callback' } },
  { name: 'a redirect_uri with a slash',     error: 'invalid_request',           more: { redirect_uri: `${redirectUri}/` } },
  { name: 'a redirect_uri left out',         error: 'invalid_request',           more: { redirect_uri: null } },
  { name: 'the implicit flow',             error: 'unsupported_response_type', more: { response_type: 'token' } },
  { name: 'the hybrid flow',               error: 'unsupported_response_type', more: { response_type: 'code id_token' } },
  { name: 'the response_mode fragment',      error: 'invalid_request',           more: { response_mode: 'fragment' } },
  { name: 'a foreign resource',              error: 'invalid_target',            more: { resource: 'https://evil.example' } },
  { name: 'a request object',                error: 'request_not_supported',     more: { request: 'eyJhbGciOiJub25lIn0.e30.' } },
  { name: 'a request_uri',                   error: 'request_uri_not_supported', more: { request_uri: 'urn:ietf:params:oauth:request_uri:abc' } },
  { name: 'two states',                      error: 'invalid_request',           raw: '&state=another' },
  { name: 'two app ids',                     error: 'invalid_request',           raw: '&client_id=another' },
  { name: 'an unknown app',                  error: 'invalid_client',            more: { client_id: 'app_01jz0000000000000000000000' }, status: 401 },
  { name: 'no app id',                       error: 'invalid_request',           more: { client_id: null } },
  { name: 'a proof by another key than dpop_jkt names', error: 'invalid_request', more: { dpop_jkt: 'a'.repeat(43) }, proof: {} },
  { name: 'a proof without a nonce',         error: 'use_dpop_nonce',            proof: { claims: { nonce: undefined } } },
  { name: 'a proof for another address',     error: 'invalid_dpop_proof',        proof: { url: 'https://evil.example/oauth/par' } },
  { name: 'a proof for a path alone',        error: 'invalid_dpop_proof',        proof: { claims: { htu: '/oauth/token' } } },
]

function pushingIsRefused(open: Open): void {
  for (const { name, more = {}, raw = '', proof, error, status = 400 } of pushRows) {
    test(`${name}: ${status} ${error}`, async () => {
      const { testServer } = await open()
      const url = `${testServer.origin}/oauth/par`
      const nonce = await currentNonce(testServer)
      const dpop = proof && (await makeProof(testServer, await makeDpopKey(), { method: 'POST', url, nonce, ...proof }))
      const body = new URL(authorizationUrl(testServer, testServer.publicApp, challenge, more)).search.slice(1) + raw
      const answer = await unchanged(testServer, () =>
        post(testServer, '/oauth/par', body, dpop === undefined ? {} : { dpop }),
      )
      assertEndpointError(answer, { status, error })
    })
  }

  test('a JSON body gets 400 invalid_request', async () => {
    const { testServer } = await open()
    const body = JSON.stringify(
      Object.fromEntries(new URL(authorizationUrl(testServer, testServer.publicApp, challenge)).searchParams),
    )
    const answer = await unchanged(testServer, () =>
      post(testServer, '/oauth/par', body, { 'content-type': 'application/json' }),
    )
    assertEndpointError(answer, { status: 400, error: 'invalid_request' })
  })

  for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
    test(`${method}: 405`, async () => {
      const { testServer } = await open()
      const { search } = new URL(authorizationUrl(testServer, testServer.publicApp, challenge))
      const answer = await unchanged(testServer, () => testServer.fetch(`/oauth/par${search}`, { method }))
      assert.deepEqual([answer.status, answer.body.error.code], [405, 'route_not_found'])
    })
  }
}

// Token: how a code, a refresh token and an app's own assertion are refused.

// A code that is good, with everything that is needed to exchange it.
interface Coded extends Scene {
  app: OAuthApp
  key: DpopKey
  code: string
  verifier: string
  nonce: string
}

interface TokenRow {
  name: string
  send: (coded: Coded) => Promise<EndpointAnswer>
  error: string
  status?: number
}

const withProof =
  (proof: Omit<Partial<ProofInput>, 'token'>, makeKey?: () => Promise<DpopKey>) =>
  async ({ testServer, app, code, verifier, key, nonce }: Coded): Promise<EndpointAnswer> =>
    askToken(testServer, codeFields(app, code, verifier), { key: (await makeKey?.()) ?? key, nonce, proof })

const withClaims = (claims: Readonly<Record<string, unknown>>) => withProof({ claims })

const withHeader = (header: Readonly<Record<string, unknown>>) => withProof({ header })

// With a header that is made by hand; null sends none.
const withDpop =
  (make: (coded: Coded) => Promise<string | null> | string | null) =>
  async (coded: Coded): Promise<EndpointAnswer> => {
    const dpop = await make(coded)
    const fields = codeFields(coded.app, coded.code, coded.verifier)
    return postForm(coded.testServer, '/oauth/token', fields, dpop === null ? {} : { dpop })
  }

const withFields =
  (more: Parameters | ((coded: Coded) => Parameters | Promise<Parameters>), raw = '') =>
  async (coded: Coded): Promise<EndpointAnswer> => {
    const changed = typeof more === 'function' ? await more(coded) : more
    const fields = { ...codeFields(coded.app, coded.code, coded.verifier), ...changed }
    return post(coded.testServer, '/oauth/token', form(fields) + raw, { dpop: await tokenProof(coded) })
  }

const sendTwoProofs = async (coded: Coded): Promise<EndpointAnswer> => {
  const { testServer, app, code, verifier } = coded
  const dpop = [await tokenProof(coded), await tokenProof(coded)]
  return wireAsk(testServer, 'POST', '/oauth/token', { ...formHeaders, dpop }, form(codeFields(app, code, verifier)))
}

// biome-ignore format: a table is read by its rows
const tokenRows: readonly TokenRow[] = [
  { name: 'no proof',                          error: 'invalid_dpop_proof', send: withDpop(() => null) },
  { name: 'a proof without a nonce',           error: 'use_dpop_nonce',     send: withClaims({ nonce: undefined }) },
  { name: 'a proof with a made-up nonce',      error: 'use_dpop_nonce',     send: withClaims({ nonce: 'a'.repeat(43) }) },
  { name: 'a proof with an empty nonce',       error: 'use_dpop_nonce',     send: withClaims({ nonce: '' }) },
  { name: 'a proof with a number as nonce',    error: 'invalid_dpop_proof', send: withClaims({ nonce: 1 }) },
  { name: 'a proof for another path',          error: 'invalid_dpop_proof', send: async (coded) => withProof({ url: `${coded.testServer.origin}/oauth/par` })(coded) },
  { name: 'a proof for a longer path',         error: 'invalid_dpop_proof', send: async (coded) => withProof({ url: `${coded.testServer.origin}/oauth/token/` })(coded) },
  { name: 'a proof for another host',          error: 'invalid_dpop_proof', send: withProof({ url: 'https://evil.example/oauth/token' }) },
  { name: 'a proof for another scheme',        error: 'invalid_dpop_proof', send: async (coded) => withProof({ url: `${coded.testServer.origin.replace('http:', 'https:')}/oauth/token` })(coded) },
  { name: 'a proof for another port',          error: 'invalid_dpop_proof', send: withProof({ url: 'http://127.0.0.1:1/oauth/token' }) },
  { name: 'a proof for a path alone',          error: 'invalid_dpop_proof', send: withProof({ url: '/oauth/token' }) },
  { name: 'a proof without an address',        error: 'invalid_dpop_proof', send: withClaims({ htu: undefined }) },
  { name: 'a proof for GET',                   error: 'invalid_dpop_proof', send: withProof({ method: 'GET' }) },
  { name: 'a proof for post in small letters', error: 'invalid_dpop_proof', send: withProof({ method: 'post' }) },
  { name: 'a proof without a method',          error: 'invalid_dpop_proof', send: withClaims({ htm: undefined }) },
  { name: 'a proof without a jti',             error: 'invalid_dpop_proof', send: withClaims({ jti: undefined }) },
  { name: 'a proof with a number as jti',      error: 'invalid_dpop_proof', send: withClaims({ jti: 1 }) },
  { name: 'a proof without iat',               error: 'invalid_dpop_proof', send: withClaims({ iat: undefined }) },
  { name: 'a proof with a text as iat',        error: 'invalid_dpop_proof', send: withClaims({ iat: 'now' }) },
  { name: 'a proof that has expired',          error: 'invalid_dpop_proof', send: async (coded) => withClaims({ exp: seconds(coded.testServer) - 60 })(coded) },
  { name: 'a proof that is not valid yet',     error: 'invalid_dpop_proof', send: async (coded) => withClaims({ nbf: seconds(coded.testServer) + 60 })(coded) },
  { name: 'a proof of another type',           error: 'invalid_dpop_proof', send: withHeader({ typ: 'JWT' }) },
  { name: 'a proof without a type',            error: 'invalid_dpop_proof', send: withHeader({ typ: undefined }) },
  { name: 'a proof without a key',             error: 'invalid_dpop_proof', send: withHeader({ jwk: undefined }) },
  { name: 'a proof with a foreign key',        error: 'invalid_dpop_proof', send: async (coded) => withHeader({ jwk: (await makeDpopKey()).jwk })(coded) },
  { name: 'a proof with a private key',        error: 'invalid_dpop_proof', send: async (coded) => withHeader({ jwk: await exportJWK(coded.key.privateKey) })(coded) },
  { name: 'a proof by RS256',                  error: 'invalid_dpop_proof', send: withProof({}, () => strangeKey('RS256')) },
  { name: 'a proof by PS256',                  error: 'invalid_dpop_proof', send: withProof({}, () => strangeKey('PS256')) },
  { name: 'a proof by ES384',                  error: 'invalid_dpop_proof', send: withProof({}, () => strangeKey('ES384')) },
  { name: 'a proof by HS256',                  error: 'invalid_dpop_proof', send: withDpop((coded) => proofByHand(tokenDemand(coded), 'HS256')) },
  { name: 'a proof with the alg none',         error: 'invalid_dpop_proof', send: withDpop((coded) => proofByHand(tokenDemand(coded), 'none')) },
  { name: 'a proof with an unknown crit',      error: 'invalid_dpop_proof', send: withDpop((coded) => criticalProof(coded.key, tokenDemand(coded))) },
  { name: 'a proof that was changed',          error: 'invalid_dpop_proof', send: withDpop(async (coded) => tamper(await tokenProof(coded))) },
  { name: 'a proof that is not a JWT',         error: 'invalid_dpop_proof', send: withDpop(() => 'garbage') },
  { name: 'two proofs in one line',            error: 'invalid_dpop_proof', send: withDpop(async (coded) => `${await tokenProof(coded)}, ${await tokenProof(coded)}`) },
  { name: 'two proofs in two lines',           error: 'invalid_dpop_proof', send: sendTwoProofs },
  { name: 'a proof for the host that the Host header says', error: 'invalid_dpop_proof', send: sendToForeignHost },

  { name: 'a wrong verifier',                  error: 'invalid_grant',      send: withFields(() => ({ code_verifier: makeVerifier().verifier })) },
  { name: 'the challenge as verifier',         error: 'invalid_grant',      send: withFields(({ verifier }) => ({ code_verifier: createHash('sha256').update(verifier).digest('base64url') })) },
  { name: 'no verifier',                       error: 'invalid_grant',      send: withFields({ code_verifier: null }) },
  { name: 'an empty verifier',                 error: 'invalid_grant',      send: withFields({ code_verifier: '' }) },
  { name: 'a short verifier',                  error: 'invalid_request',    send: withFields({ code_verifier: 'short' }) },
  { name: 'another redirect_uri of the app',   error: 'invalid_grant',      send: withFields({ redirect_uri: 'http://127.0.0.1:9999/callback' }) },
  { name: 'a foreign redirect_uri',            error: 'invalid_grant',      send: withFields({ redirect_uri: 'https://evil.example/callback' }) },
  { name: 'no redirect_uri',                   error: 'invalid_request',    send: withFields({ redirect_uri: null }) },
  { name: 'no code',                           error: 'invalid_request',    send: withFields({ code: null }) },
  { name: 'an unknown code',                   error: 'invalid_grant',      send: withFields({ code: 'a'.repeat(43) }) },
  { name: 'two codes',                         error: 'invalid_request',    send: withFields({}, '&code=another') },
  { name: 'two verifiers',                     error: 'invalid_request',    send: withFields({}, '&code_verifier=another') },
  { name: 'two grant_types',                   error: 'invalid_request',    send: withFields({}, '&grant_type=refresh_token') },
  { name: "another app's code",                error: 'invalid_grant',      send: withFields(async ({ testServer }) => ({ client_id: (await anotherApp(testServer)).id })) },
  { name: 'the code as a refresh token',       error: 'invalid_grant',      send: withFields(({ code }) => ({ grant_type: 'refresh_token', refresh_token: code })) },
  { name: 'the password grant',                error: 'unsupported_grant_type', send: withFields({ grant_type: 'password', username: 'ada', password: 'guess' }) },
  { name: 'the client_credentials grant',      error: 'unsupported_grant_type', send: withFields({ grant_type: 'client_credentials' }) },
  { name: 'the implicit grant',                error: 'unsupported_grant_type', send: withFields({ grant_type: 'implicit' }) },
  { name: 'the device grant',                  error: 'unsupported_grant_type', send: withFields({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code' }) },
  { name: 'the token exchange grant',          error: 'unsupported_grant_type', send: withFields({ grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange' }) },
  { name: 'no grant_type',                     error: 'invalid_request',    send: withFields({ grant_type: null }) },
  { name: 'no app id',                         error: 'invalid_request',    send: withFields({ client_id: null }) },
  { name: 'an unknown app',                    error: 'invalid_client',     send: withFields({ client_id: 'app_01jz0000000000000000000000' }), status: 401 },
  { name: 'a confidential app that does not prove itself', error: 'invalid_client', send: withFields(({ testServer }) => ({ client_id: testServer.confidentialApp.id })), status: 401 },
  { name: "a confidential app's assertion beside a public app's id", error: 'invalid_request', send: withFields(async ({ testServer }) => assertionFields(await makeAssertion(testServer))) },
  { name: 'a secret in the Authorization header', error: 'invalid_client',  send: (coded) => sendAuthorization(coded, `Basic ${Buffer.from(`${coded.app.id}:guess`).toString('base64')}`), status: 401 },
  { name: 'a Bearer token in the Authorization header', error: 'invalid_request', send: (coded) => sendAuthorization(coded, 'Bearer guess') },
  { name: 'a body of JSON',                    error: 'invalid_request',    send: sendJson },
  { name: 'everything in the query',           error: 'invalid_request',    send: sendInQuery },
]

function tokenIsRefused(open: Open): void {
  const keptCode = keepCode(open, 'plain')
  for (const { name, send, error, status = 400 } of tokenRows) {
    test(`${name}: ${status} ${error}`, async () => {
      const coded = await keptCode()
      const answer = await unchanged(coded.testServer, () => send(coded))
      assertEndpointError(answer, { status, error })
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    })
  }

  test('the code works once after all of these refused requests', async () => {
    const coded = await keptCode()
    const fields = codeFields(coded.app, coded.code, coded.verifier)
    const right = await askToken(coded.testServer, fields, coded)
    assert.equal(right.status, 200, JSON.stringify(right.body))
    assert.equal((await askToken(coded.testServer, fields, coded)).body.error, 'invalid_grant')
  })

  // By now the library has used the code up; that is its order.
  test('a foreign resource gets 400 invalid_target, and no token is created', async () => {
    const coded = await newCode(await open())
    const before = await worldOf(coded.testServer)
    const answer = await withFields({ resource: 'https://evil.example' })(coded)
    assertEndpointError(answer, { status: 400, error: 'invalid_target' })
    assert.deepEqual(tokensIn(await worldOf(coded.testServer)), tokensIn(before))
  })

  test('an old nonce gets 400 use_dpop_nonce with a new nonce, which works', async () => {
    const coded = await newCode(await open())
    const { testServer, app, code, verifier, key } = coded
    const fields = codeFields(app, code, verifier)
    const old = await nonceOf(testServer, -4 * 60_000)
    const answer = await unchanged(testServer, () => askToken(testServer, fields, { key, nonce: old }))
    assertEndpointError(answer, { status: 400, error: 'use_dpop_nonce' })
    const nonce = answer.headers.get('dpop-nonce') ?? ''
    assert.equal((await askToken(testServer, fields, { key, nonce })).status, 200)
  })

  test('a request line that names another host gets 400 invalid_request', async () => {
    const coded = await newCode(await open())
    const { testServer, app, code, verifier, key, nonce } = coded
    const url = 'http://evil.example/oauth/token'
    for (const address of [url, `${testServer.origin}/oauth/token`]) {
      const dpop = await makeProof(testServer, key, { method: 'POST', url: address, nonce })
      const body = form(codeFields(app, code, verifier))
      const answer = await unchanged(testServer, () => wireAsk(testServer, 'POST', url, { ...formHeaders, dpop }, body))
      assertEndpointError(answer, { status: 400, error: 'invalid_request' })
    }
    assert.equal((await askToken(testServer, codeFields(app, code, verifier), coded)).status, 200)
  })

  for (const [name, isPushed] of [
    ['the parameter dpop_jkt', false],
    ['the proof of the pushed request', true],
  ] as const) {
    test(`a key other than that of ${name} gets 400 invalid_grant`, async () => {
      const scene = await open()
      const { testServer } = scene
      const coded = await newCode(scene, isPushed ? 'pushed' : 'jkt')
      const fields = codeFields(coded.app, coded.code, coded.verifier)
      const other = await makeDpopKey()
      const before = tokensIn(await worldOf(testServer))
      const answer = await askToken(testServer, fields, { ...coded, key: other })
      assertEndpointError(answer, { status: 400, error: 'invalid_grant' })
      // By now the library has used the code up; that is its order. Whoever has two keys for one code, one of them is not
      // the app: nobody gets a token.
      assert.deepEqual(tokensIn(await worldOf(testServer)), before)
      assert.equal((await askToken(testServer, fields, coded)).body.error, 'invalid_grant')
      assert.deepEqual(tokensIn(await worldOf(testServer)), before)
    })
  }

  test('a proof that was already used gets 400 invalid_grant', async () => {
    const scene = await open()
    const key = await makeDpopKey()
    const first = { ...(await newCode(scene)), key }
    const second = { ...(await newCode(scene)), key }
    const dpop = await tokenProof(first)
    const ask = ({ testServer, app, code, verifier }: Coded) =>
      postForm(testServer, '/oauth/token', codeFields(app, code, verifier), { dpop })
    assert.equal((await ask(first)).status, 200)
    const before = tokensIn(await worldOf(scene.testServer))
    const answer = await ask(second)
    assertEndpointError(answer, { status: 400, error: 'invalid_grant' })
    // Here too the library has used the code up before it looked.
    const { app, code, verifier } = second
    assert.equal(
      (await askToken(scene.testServer, codeFields(app, code, verifier), second)).body.error,
      'invalid_grant',
    )
    assert.deepEqual(tokensIn(await worldOf(scene.testServer)), before)
  })
}

// An assertion with which an app proves itself, valid except for what the input overrides.
interface AssertionRow {
  name: string
  make: (testServer: OAuthTestServer) => Promise<string>
  error?: string
  status?: number
}

const claiming =
  (claims: (testServer: OAuthTestServer) => Readonly<Record<string, unknown>>) => (testServer: OAuthTestServer) =>
    makeAssertion(testServer, claims(testServer))

// biome-ignore format: a table is read by its rows
const assertionRows: readonly AssertionRow[] = [
  { name: 'signed by another key',                    make: async (testServer) => makeAssertion(testServer, {}, (await makeDpopKey()).privateKey) },
  { name: 'for another audience',                     make: claiming(() => ({ aud: 'https://evil.example' })) },
  { name: 'for the token endpoint as audience',       make: claiming(({ origin }) => ({ aud: `${origin}/oauth/token` })) },
  { name: 'for the pushing endpoint as audience',     make: claiming(({ origin }) => ({ aud: `${origin}/oauth/par` })) },
  { name: 'for the issuer with a slash as audience',  make: claiming(({ origin }) => ({ aud: `${origin}/` })) },
  { name: 'for a list with the issuer as audience',   make: claiming(({ origin }) => ({ aud: [origin] })) },
  { name: 'for the issuer and another as audience',   make: claiming(({ origin }) => ({ aud: [origin, 'https://evil.example'] })) },
  { name: 'without an audience',                      make: claiming(() => ({ aud: undefined })) },
  { name: 'without a subject',                        make: claiming(() => ({ sub: undefined })) },
  { name: 'without an issuer',                        make: claiming(() => ({ iss: undefined })) },
  { name: 'of another issuer',                        make: claiming(({ publicApp }) => ({ iss: publicApp.id })) },
  { name: 'without an expiry',                        make: claiming(() => ({ exp: undefined })) },
  { name: 'that expires in two days',                 make: claiming((testServer) => ({ exp: seconds(testServer) + 172_800 })) },
  { name: 'that expires at 1e300',                    make: claiming(() => ({ exp: 1e300 })) },
  { name: 'that expired five minutes ago',            make: claiming((testServer) => ({ iat: seconds(testServer) - 360, exp: seconds(testServer) - 300 })) },
  { name: 'that is not valid yet',                    make: claiming((testServer) => ({ nbf: seconds(testServer) + 300 })) },
  { name: 'without a jti',                            make: claiming(() => ({ jti: undefined })) },
  { name: 'that was already used',                    make: usedAssertion },
  { name: 'by RS256',                                 make: (testServer) => assertionBy(testServer, 'RS256') },
  { name: 'by HS256',                                 make: (testServer) => assertionBy(testServer, 'HS256') },
  { name: 'with the alg none',                        make: (testServer) => assertionBy(testServer, 'none') },
  { name: 'of another app',                           make: claiming(({ publicApp }) => ({ iss: publicApp.id, sub: publicApp.id })), status: 400, error: 'invalid_request' },
  { name: 'that is not a JWT',                        make: async () => 'garbage', status: 400, error: 'invalid_request' },
]

function assertionIsRefused(open: Open): void {
  const keptCode = keepCode(open, 'confidential')
  for (const { name, make, status = 401, error = 'invalid_client' } of assertionRows) {
    test(`${name} gets ${status} ${error} at every endpoint, and nothing changes`, async () => {
      const coded = await keptCode()
      const { testServer, app, code, verifier } = coded
      const refreshToken = await confidentialRefreshToken(coded)
      const fields: Readonly<Record<string, Record<string, string>>> = {
        '/oauth/par': Object.fromEntries(new URL(authorizationUrl(testServer, app, challenge)).searchParams),
        '/oauth/token': codeFields(app, code, verifier),
        '/oauth/revoke': { client_id: app.id, token: refreshToken },
      }
      for (const [path, right] of Object.entries(fields)) {
        const url = testServer.origin + path
        const { nonce } = coded
        const dpop = await makeProof(testServer, coded.key, { method: 'POST', url, nonce })
        const wrong = { ...right, ...assertionFields(await make(testServer)) }
        const answer = await unchanged(testServer, () => postForm(testServer, path, wrong, { dpop }))
        assertEndpointError(answer, { status, error })
      }
    })
  }

  test('the code works after all of these refused assertions, with an assertion whose expiry has fractional seconds', async () => {
    const coded = await keptCode()
    const { testServer, app, code, verifier } = coded
    const assertion = await makeAssertion(testServer, { exp: seconds(testServer) + 60.123_456 })
    const right = { ...codeFields(app, code, verifier), ...assertionFields(assertion) }
    assert.equal((await askToken(testServer, right, coded)).status, 200)
  })

  for (const [name, type] of [
    ['of another type', 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer'],
    ['of no type', null],
  ] as const) {
    test(`${name}: 400 invalid_request`, async () => {
      const { testServer } = await open()
      const request = Object.fromEntries(
        new URL(authorizationUrl(testServer, testServer.confidentialApp, challenge)).searchParams,
      )
      const fields = { ...request, ...assertionFields(await makeAssertion(testServer)), client_assertion_type: type }
      const answer = await unchanged(testServer, () => post(testServer, '/oauth/par', form(fields)))
      assertEndpointError(answer, { status: 400, error: 'invalid_request' })
    })
  }
}

interface RefreshRow {
  name: string
  send: (installed: Holder) => Promise<EndpointAnswer>
  error: string
  status?: number
}

const refreshing =
  (more: Parameters | ((testServer: OAuthTestServer, installed: Installed) => Parameters | Promise<Parameters>)) =>
  async ({ testServer, nonce, ...installed }: Holder): Promise<EndpointAnswer> => {
    const changed = typeof more === 'function' ? await more(testServer, installed) : more
    const url = `${testServer.origin}/oauth/token`
    const dpop = await makeProof(testServer, installed.key, { method: 'POST', url, nonce })
    return post(testServer, '/oauth/token', form({ ...refreshFields(installed), ...changed }), { dpop })
  }

// biome-ignore format: a table is read by its rows
const refreshRows: readonly RefreshRow[] = [
  { name: 'by another key',                error: 'invalid_grant',  send: async ({ testServer, nonce, ...installed }) => askToken(testServer, refreshFields(installed), { key: await makeDpopKey(), nonce }) },
  { name: 'without a proof',               error: 'invalid_dpop_proof', send: ({ testServer, ...installed }) => postForm(testServer, '/oauth/token', refreshFields(installed)) },
  { name: 'without a nonce',               error: 'use_dpop_nonce', send: ({ testServer, key, ...installed }) => askToken(testServer, refreshFields(installed), { key, proof: { claims: { nonce: undefined } } }) },
  { name: 'with more scope than granted',  error: 'invalid_scope',  send: refreshing({ scope: 'catalog:read webhooks:write' }) },
  { name: "of another app",                error: 'invalid_grant',  send: refreshing(async (testServer) => ({ client_id: (await anotherApp(testServer)).id })) },
  { name: 'that was never issued',         error: 'invalid_grant',  send: refreshing({ refresh_token: 'a'.repeat(43) }) },
  { name: 'that is the access token',      error: 'invalid_grant',  send: refreshing((_, { accessToken }) => ({ refresh_token: accessToken })) },
  { name: 'that is missing',               error: 'invalid_request', send: refreshing({ refresh_token: null }) },
]

function refreshIsRefused(open: Open): void {
  const keptHolder = keepHolder(open)
  for (const { name, send, error, status = 400 } of refreshRows) {
    test(`${name}: ${status} ${error}, and nothing changes`, async () => {
      const holder = await keptHolder()
      const answer = await unchanged(holder.testServer, () => send(holder))
      assertEndpointError(answer, { status, error })
    })
  }

  test('the refresh token works after all of these refused requests', async () => {
    const holder = await keptHolder()
    assert.equal((await askToken(holder.testServer, refreshFields(holder), holder)).status, 200)
  })

  test('a foreign resource gets 400 invalid_target and no token, and the refresh token still works', async () => {
    const { testServer, browser } = await open()
    const installed = await installApp(testServer, { browser })
    const before = await worldOf(testServer)
    const answer = await askToken(
      testServer,
      { ...refreshFields(installed), resource: 'https://evil.example' },
      installed,
    )
    assertEndpointError(answer, { status: 400, error: 'invalid_target' })
    assert.deepEqual(tokensIn(await worldOf(testServer)), tokensIn(before))
    assert.equal((await askToken(testServer, refreshFields(installed), installed)).status, 200)
  })
}

interface RevokeRow {
  name: string
  fields: (holder: Holder) => Readonly<Record<string, string>>
  error: string
  status?: number
}

// biome-ignore format: a table is read by its rows
const revokeRows: readonly RevokeRow[] = [
  { name: 'no token',                                      error: 'invalid_request', fields: ({ app }) => ({ client_id: app.id }) },
  { name: 'no app id',                                     error: 'invalid_request', fields: ({ refreshToken }) => ({ token: refreshToken }) },
  { name: 'an unknown app',                                error: 'invalid_client',  fields: ({ refreshToken }) => ({ client_id: 'app_01jz0000000000000000000000', token: refreshToken }), status: 401 },
  { name: 'a confidential app that does not prove itself', error: 'invalid_client',  fields: ({ testServer, refreshToken }) => ({ client_id: testServer.confidentialApp.id, token: refreshToken }), status: 401 },
]

function revocationIsRefused(open: Open): void {
  const keptHolder = keepHolder(open)
  for (const { name, fields, error, status = 400 } of revokeRows) {
    test(`${name}: ${status} ${error}`, async () => {
      const holder = await keptHolder()
      const answer = await unchanged(holder.testServer, () =>
        postForm(holder.testServer, '/oauth/revoke', fields(holder)),
      )
      assertEndpointError(answer, { status, error })
    })
  }

  test('an unknown token gets 200, and nothing changes', async () => {
    const { testServer } = await open()
    const fields = { client_id: testServer.publicApp.id, token: 'a'.repeat(43) }
    assert.equal((await unchanged(testServer, () => postForm(testServer, '/oauth/revoke', fields))).status, 200)
  })
}

// Resource: who may not call our own operations.

// One call of an operation, in all its parts.
interface Call {
  id: OperationId
  method: string
  path: Readonly<Record<string, string>>
  body: object | undefined
  address: string
  // What is looked at before and after the sending.
  around: <T>(send: () => Promise<T>) => Promise<T>
}

interface ResourceRow {
  name: string
  send: (holder: Holder, call: Call) => Promise<Answer>
  // What the challenge says; null says nothing, as to somebody who has shown nothing.
  problem: 'invalid_token' | 'invalid_dpop_proof' | 'use_dpop_nonce' | null
}

const proving =
  (proof: Partial<ProofInput> | ((holder: Holder, call: Call) => Partial<ProofInput> | Promise<Partial<ProofInput>>)) =>
  async (holder: Holder, call: Call): Promise<Answer> => {
    const input = typeof proof === 'function' ? await proof(holder, call) : proof
    return ask(holder, call, {
      authorization: `DPoP ${holder.accessToken}`,
      dpop: await callProof(holder, call, input),
    })
  }

const claims = (made: Readonly<Record<string, unknown>> | ((holder: Holder) => Readonly<Record<string, unknown>>)) =>
  proving((holder) => ({ claims: typeof made === 'function' ? made(holder) : made }))

const header = (made: Readonly<Record<string, unknown>>) => proving({ header: made })

const showing =
  (make: (holder: Holder, call: Call) => Promise<string> | string) =>
  async (holder: Holder, call: Call): Promise<Answer> =>
    ask(holder, call, { authorization: `DPoP ${holder.accessToken}`, dpop: await make(holder, call) })

const byKey = (makeKey: () => Promise<DpopKey>) => async (holder: Holder, call: Call) => {
  const dpop = await callProof({ ...holder, key: await makeKey() }, call)
  return ask(holder, call, { authorization: `DPoP ${holder.accessToken}`, dpop })
}

// A token that is another, with a proof that fits it.
const holding =
  (make: (holder: Holder) => Promise<string> | string, scheme = 'DPoP') =>
  async (holder: Holder, call: Call): Promise<Answer> => {
    const accessToken = await make(holder)
    const dpop = await callProof({ ...holder, accessToken }, call)
    return ask(holder, call, { authorization: `${scheme} ${accessToken}`, dpop })
  }

// biome-ignore format: a table is read by its rows
const resourceRows: readonly ResourceRow[] = [
  { name: 'no credentials',                        problem: null,                 send: (holder, call) => ask(holder, call, {}) },
  { name: 'a proof alone',                         problem: null,                 send: async (holder, call) => ask(holder, call, { dpop: await callProof(holder, call) }) },
  { name: 'the token as Bearer without a proof',   problem: null,                 send: (holder, call) => ask(holder, call, { authorization: `Bearer ${holder.accessToken}` }) },
  { name: 'the token as Bearer with a proof',      problem: null,                 send: holding(({ accessToken }) => accessToken, 'Bearer') },
  { name: 'the token as Basic',                    problem: null,                 send: holding(({ accessToken }) => accessToken, 'Basic') },
  { name: 'the token without a scheme',            problem: null,                 send: async (holder, call) => ask(holder, call, { authorization: holder.accessToken, dpop: await callProof(holder, call) }) },
  { name: 'a scheme without a token',              problem: null,                 send: async (holder, call) => ask(holder, call, { authorization: 'DPoP', dpop: await callProof(holder, call) }) },
  { name: 'two tokens in one line',                problem: null,                 send: holding(({ accessToken }) => `${accessToken}, DPoP ${accessToken}`) },
  { name: 'an API key',                            problem: null,                 send: (holder, call) => ask(holder, call, { authorization: `Bearer ${holder.testServer.keys.full}` }) },
  { name: 'an API key with a proof',               problem: null,                 send: holding(({ testServer }) => testServer.keys.full, 'Bearer') },
  { name: 'an API key as a token',                 problem: 'invalid_token',      send: holding(({ testServer }) => testServer.keys.full) },
  { name: 'the refresh token',                     problem: 'invalid_token',      send: holding(({ refreshToken }) => refreshToken) },
  { name: 'a code',                                problem: 'invalid_token',      send: holding(async (holder) => (await newCode(holder)).code) },
  { name: 'a token that was never issued',         problem: 'invalid_token',      send: holding(() => 'a'.repeat(43)) },
  { name: 'a token that was changed',              problem: 'invalid_token',      send: holding(({ accessToken }) => accessToken.slice(0, -1) + (accessToken.endsWith('a') ? 'b' : 'a')) },
  { name: 'a token for another audience',          problem: 'invalid_token',      send: resealed({ aud: 'https://evil.example/api/v1' }) },
  { name: 'a token for several audiences',         problem: 'invalid_token',      send: async (holder, call) => resealed({ aud: [holder.testServer.resource, 'https://evil.example'] })(holder, call) },
  { name: 'a token for no audience',               problem: 'invalid_token',      send: resealed({ aud: undefined }) },
  { name: 'a token that is bound to no key',       problem: 'invalid_token',      send: resealed({ jkt: undefined }) },

  { name: 'no proof',                              problem: 'invalid_dpop_proof', send: (holder, call) => ask(holder, call, { authorization: `DPoP ${holder.accessToken}` }) },
  { name: 'an empty proof',                        problem: 'invalid_dpop_proof', send: showing(() => '') },
  { name: 'a proof that is not a JWT',             problem: 'invalid_dpop_proof', send: showing(() => 'garbage') },
  { name: 'a proof of three empty parts',          problem: 'invalid_dpop_proof', send: showing(() => '..') },
  { name: 'the token as proof',                    problem: 'invalid_dpop_proof', send: showing(({ accessToken }) => accessToken) },
  { name: 'two proofs in two lines',               problem: 'invalid_dpop_proof', send: async (holder, call) => wireCall(holder, call, { dpop: [await callProof(holder, call), await callProof(holder, call)] }) },
  { name: 'the same proof in two lines',           problem: 'invalid_dpop_proof', send: async (holder, call) => { const proof = await callProof(holder, call); return wireCall(holder, call, { dpop: [proof, proof] }) } },
  { name: 'two proofs in one line',                problem: 'invalid_dpop_proof', send: showing(async (holder, call) => `${await callProof(holder, call)}, ${await callProof(holder, call)}`) },
  { name: 'a proof that is too long',              problem: 'invalid_dpop_proof', send: claims({ more: 'x'.repeat(4_096) }) },
  { name: 'a proof that was already used',         problem: 'invalid_dpop_proof', send: usedProof },
  { name: 'a proof that was changed',              problem: 'invalid_dpop_proof', send: showing(async (holder, call) => tamper(await callProof(holder, call))) },
  { name: 'a proof without its signature',         problem: 'invalid_dpop_proof', send: showing(async (holder, call) => (await callProof(holder, call)).replace(/[^.]*$/, '')) },

  { name: 'a proof for another method',            problem: 'invalid_dpop_proof', send: proving((_, { method }) => ({ method: method === 'GET' ? 'POST' : 'GET' })) },
  { name: 'a proof for the method in small letters', problem: 'invalid_dpop_proof', send: proving((_, { method }) => ({ method: method.toLowerCase() })) },
  { name: 'a proof without a method',              problem: 'invalid_dpop_proof', send: claims({ htm: undefined }) },
  { name: 'a proof for another path',              problem: 'invalid_dpop_proof', send: proving(({ testServer }) => ({ url: `${testServer.origin}/api/v1/oauth/other` })) },
  { name: 'a proof for the token endpoint',        problem: 'invalid_dpop_proof', send: proving(({ testServer }) => ({ url: `${testServer.origin}/oauth/token` })) },
  { name: 'a proof for a longer path',             problem: 'invalid_dpop_proof', send: proving((_, { address }) => ({ url: `${address}/` })) },
  { name: 'a proof for another host',              problem: 'invalid_dpop_proof', send: proving(({ testServer }, { address }) => ({ url: address.replace(testServer.origin, 'https://evil.example') })) },
  { name: 'a proof for another port',              problem: 'invalid_dpop_proof', send: proving(({ testServer }, { address }) => ({ url: address.replace(testServer.origin, 'http://127.0.0.1:1') })) },
  { name: 'a proof for another scheme',            problem: 'invalid_dpop_proof', send: proving((_, { address }) => ({ url: address.replace('http:', 'https:') })) },
  { name: 'a proof for a user at our host',        problem: 'invalid_dpop_proof', send: proving((_, { address }) => ({ url: address.replace('//', '//user@') })) },
  { name: 'a proof for a path alone',              problem: 'invalid_dpop_proof', send: proving((_, { address }) => ({ url: new URL(address).pathname })) },
  { name: 'a proof for a text that is not a URL',  problem: 'invalid_dpop_proof', send: proving({ url: 'not a URL' }) },
  { name: 'a proof without an address',            problem: 'invalid_dpop_proof', send: claims({ htu: undefined }) },
  { name: 'a proof with a number as address',      problem: 'invalid_dpop_proof', send: claims({ htu: 1 }) },
  { name: 'a proof without ath',                   problem: 'invalid_dpop_proof', send: claims({ ath: undefined }) },
  { name: 'a proof for another token',             problem: 'invalid_dpop_proof', send: proving(({ refreshToken }) => ({ token: refreshToken })) },
  { name: 'a proof with the token itself as ath',  problem: 'invalid_dpop_proof', send: claims(({ accessToken }) => ({ ath: accessToken })) },
  { name: 'a proof without a jti',                 problem: 'invalid_dpop_proof', send: claims({ jti: undefined }) },
  { name: 'a proof with a number as jti',          problem: 'invalid_dpop_proof', send: claims({ jti: 1 }) },
  { name: 'a proof with an empty jti',             problem: 'invalid_dpop_proof', send: claims({ jti: '' }) },
  { name: 'a proof without iat',                   problem: 'invalid_dpop_proof', send: claims({ iat: undefined }) },
  { name: 'a proof with a text as iat',            problem: 'invalid_dpop_proof', send: claims(({ testServer }) => ({ iat: String(seconds(testServer)) })) },
  { name: 'a proof of 305 seconds ago',            problem: 'invalid_dpop_proof', send: claims(({ testServer }) => ({ iat: seconds(testServer) - 305 })) },
  { name: 'a proof of 65 seconds ahead',           problem: 'invalid_dpop_proof', send: claims(({ testServer }) => ({ iat: seconds(testServer) + 65 })) },
  { name: 'a proof of an hour ahead',              problem: 'invalid_dpop_proof', send: claims(({ testServer }) => ({ iat: seconds(testServer) + 3_600 })) },
  { name: 'a proof with iat in milliseconds',      problem: 'invalid_dpop_proof', send: claims(({ testServer }) => ({ iat: testServer.clock.now })) },
  { name: 'a proof that is not valid yet',         problem: 'invalid_dpop_proof', send: claims(({ testServer }) => ({ nbf: seconds(testServer) + 60 })) },
  { name: 'a proof that has expired',              problem: 'invalid_dpop_proof', send: claims(({ testServer }) => ({ exp: seconds(testServer) - 1 })) },

  { name: 'a proof of another type',               problem: 'invalid_dpop_proof', send: header({ typ: 'JWT' }) },
  { name: 'a proof without a type',                problem: 'invalid_dpop_proof', send: header({ typ: undefined }) },
  { name: 'a proof without a key',                 problem: 'invalid_dpop_proof', send: header({ jwk: undefined }) },
  { name: 'a proof with a text as key',            problem: 'invalid_dpop_proof', send: header({ jwk: 'key' }) },
  { name: 'a proof with an invalid key',           problem: 'invalid_dpop_proof', send: header({ jwk: { kty: 'EC', crv: 'P-256', x: 'AA', y: 'AA' } }) },
  { name: 'a proof with a foreign key',            problem: 'invalid_dpop_proof', send: proving(async () => ({ header: { jwk: (await makeDpopKey()).jwk } })) },
  { name: 'a proof with a private key',            problem: 'invalid_dpop_proof', send: proving(async ({ key }) => ({ header: { jwk: await exportJWK(key.privateKey) } })) },
  { name: 'a proof by another key',                problem: 'invalid_dpop_proof', send: byKey(() => makeDpopKey()) },
  { name: 'a proof by a key of another kind',      problem: 'invalid_dpop_proof', send: byKey(() => makeDpopKey('Ed25519')) },
  { name: 'a proof by RS256',                      problem: 'invalid_dpop_proof', send: byKey(() => strangeKey('RS256')) },
  { name: 'a proof by PS256',                      problem: 'invalid_dpop_proof', send: byKey(() => strangeKey('PS256')) },
  { name: 'a proof by ES384',                      problem: 'invalid_dpop_proof', send: byKey(() => strangeKey('ES384')) },
  { name: 'a proof by HS256',                      problem: 'invalid_dpop_proof', send: showing((holder, call) => proofByHand(callDemand(holder, call), 'HS256')) },
  { name: 'a proof with the alg none',             problem: 'invalid_dpop_proof', send: showing((holder, call) => proofByHand(callDemand(holder, call), 'none')) },
  { name: 'a proof with an unknown crit',          problem: 'invalid_dpop_proof', send: showing((holder, call) => criticalProof(holder.key, callDemand(holder, call))) },

  { name: 'a proof without a nonce',               problem: 'use_dpop_nonce',     send: claims({ nonce: undefined }) },
  { name: 'a proof with a made-up nonce',          problem: 'use_dpop_nonce',     send: claims({ nonce: 'a'.repeat(43) }) },
  { name: 'a proof with an old nonce',             problem: 'use_dpop_nonce',     send: proving(async ({ testServer }) => ({ nonce: await nonceOf(testServer, -4 * 60_000) })) },
  { name: 'a proof with a number as nonce',        problem: 'invalid_dpop_proof', send: claims({ nonce: 1 }) },

  { name: 'a proof for the host that the Host header says', problem: 'invalid_dpop_proof', send: async (holder, call) => wireCall(holder, call, { host: 'evil.example', dpop: await callProof(holder, call, { url: `http://evil.example${new URL(call.address).pathname}` }) }) },
  { name: 'a proof for the host that the request line says', problem: 'invalid_dpop_proof', send: async (holder, call) => wireCall(holder, call, { dpop: await callProof(holder, call, { url: `http://evil.example${new URL(call.address).pathname}` }) }, `http://evil.example${new URL(call.address).pathname}`) },
  { name: 'the token in the query',                problem: null,                 send: async (holder, call) => askWith(holder, call, { dpop: await callProof(holder, call) }, `?access_token=${holder.accessToken}`) },
]

function callIsRefused(openScene: Open): void {
  const open = keepHolder(openScene)
  for (const { name, send, problem } of resourceRows) {
    test(`${name}: 401 ${problem ?? 'without a reason'}, and the token still works`, async () => {
      const holder = await open()
      const { testServer, nonce } = holder
      for (const call of callsOf(holder, (send) => unchanged(testServer, send))) {
        const answer = await send(holder, call)
        assert.equal(answer.status, 401, `${call.id}: ${answer.text}`)
        assertError(answer, 'unauthenticated')
        assert.equal(answer.headers.get('www-authenticate'), challengeOf(testServer, problem), call.id)
        assert.equal(answer.headers.get('dpop-nonce'), nonce, call.id)
        assert.equal(answer.headers.get('cache-control'), 'no-store')
      }
      assert.equal((await askAsApp(testServer, 'describeOAuthAuthorization', holder)).status, 200)
    })
  }

  test('two Authorization headers get 400, and nothing changes', async () => {
    const holder = await open()
    for (const call of callsOf(holder)) {
      const token = `DPoP ${holder.accessToken}`
      for (const authorization of [
        [token, token],
        [token, 'Bearer x'],
        [`Bearer ${holder.testServer.keys.full}`, token],
      ]) {
        const dpop = await callProof(holder, call)
        const answer = await unchanged(holder.testServer, () => wireCall(holder, call, { authorization, dpop }))
        assertError(answer, 'invalid_request')
      }
    }
  })

  test('an access token in the query beside the header gets 400', async () => {
    const holder = await open()
    for (const call of callsOf(holder)) {
      const headers = { authorization: `DPoP ${holder.accessToken}`, dpop: await callProof(holder, call) }
      const answer = await askWith(holder, call, headers, `?access_token=${holder.accessToken}`)
      assertError(answer, 'invalid_request')
    }
  })

  for (const [name, headersOf] of [
    ['as Bearer', ({ accessToken }: Holder) => ({ authorization: `Bearer ${accessToken}` })],
    ['as DPoP without a proof', ({ accessToken }: Holder) => ({ authorization: `DPoP ${accessToken}` })],
  ] as const) {
    test(`401 for the access token ${name} at the operations that require an API key`, async () => {
      const holder = await open()
      const ids = operationIds.filter((id) => operations[id].caller === 'key')
      assert.ok(ids.length > 15)
      for (const id of ids) {
        const call = callOf(holder.testServer, id, 'anything')
        const answer = await unchanged(holder.testServer, () => ask(holder, call, headersOf(holder)))
        assertError(answer, 'unauthenticated')
        const challenge = answer.headers.get('www-authenticate') ?? ''
        if (name === 'as Bearer') assert.equal(challenge, 'Bearer', id)
        else
          assert.match(
            challenge,
            /^Bearer error="invalid_token", error_description="an API key is required; [^"]+"$/,
            id,
          )
      }
    })
  }

  test('401 for the access token with a valid proof at the operations that require an API key', async () => {
    const holder = await open()
    for (const id of operationIds.filter((id) => operations[id].caller === 'key')) {
      const call = callOf(holder.testServer, id, 'anything')
      for (const scheme of ['DPoP', 'Bearer']) {
        const headers = { authorization: `${scheme} ${holder.accessToken}`, dpop: await callProof(holder, call) }
        assertError(await unchanged(holder.testServer, () => ask(holder, call, headers)), 'unauthenticated')
      }
    }
  })

  test('404 for revoking a key of another installation, and the key stays', async () => {
    const holder = await open()
    const other = await installApp(holder.testServer, { browser: holder.browser })
    const { id: keyId } = await issueKey(holder.testServer, other)
    const ask = { ...holder, path: { keyId }, body: { idempotencyKey: 'theirs' } }
    const { installations, credentials } = await worldOf(holder.testServer)
    assertError(await askAsApp(holder.testServer, 'revokeInstallationKey', ask), 'credential_not_found')
    const after = await worldOf(holder.testServer)
    assert.deepEqual([after.installations, after.credentials], [installations, credentials])
  })

  test('403 for a key with more scopes than were granted', async () => {
    const holder = await open()
    const body = { idempotencyKey: 'more', name: 'More', scopes: ['webhooks:write'] }
    const { credentials } = await worldOf(holder.testServer)
    assertError(await askAsApp(holder.testServer, 'createInstallationKey', { ...holder, body }), 'scope_missing')
    assert.deepEqual((await worldOf(holder.testServer)).credentials, credentials)
  })
}

// Must succeed: what looks odd and is right.

interface GoodRow {
  name: string
  send: (holder: Holder, call: Call) => Promise<Answer>
}

// biome-ignore format: a table is read by its rows
const goodRows: readonly GoodRow[] = [
  { name: 'a proof for the address with a query',        send: proving((_, { address }) => ({ url: `${address}?a=b` })) },
  { name: 'a proof for the address with a fragment',     send: proving((_, { address }) => ({ url: `${address}#here` })) },
  { name: 'a proof with scheme and host in capitals',    send: proving(({ testServer }, { address }) => ({ url: address.replace(testServer.origin, testServer.origin.toUpperCase()) })) },
  { name: 'a proof of ten seconds ago',                  send: claims(({ testServer }) => ({ iat: seconds(testServer) - 10 })) },
  { name: 'a proof of ten seconds ahead',                send: claims(({ testServer }) => ({ iat: seconds(testServer) + 10 })) },
  { name: 'a proof of 299 seconds ago',                  send: claims(({ testServer }) => ({ iat: seconds(testServer) - 299 })) },
  { name: 'a proof of 60 seconds ahead',                 send: claims(({ testServer }) => ({ iat: seconds(testServer) + 60 })) },
  { name: 'a proof from now, for five minutes',          send: claims(({ testServer }) => ({ nbf: seconds(testServer), exp: seconds(testServer) + 300 })) },
  { name: 'a proof with claims that we do not know',     send: claims({ iss: 'somebody', more: { nested: [1] } }) },
  { name: 'a proof with headers that we do not know',    send: header({ kid: 'one', more: true }) },
  { name: 'the scheme in small letters',                 send: holding(({ accessToken }) => accessToken, 'dpop') },
  { name: 'the scheme in capitals',                      send: holding(({ accessToken }) => accessToken, 'DPOP') },
  { name: 'a nonce of a minute ago',                     send: proving(async ({ testServer }) => ({ nonce: await nonceOf(testServer, -60_000) })) },
  { name: 'a foreign Host with a proof for our address', send: async (holder, call) => wireCall(holder, call, { host: 'evil.example', dpop: await callProof(holder, call) }) },
]

function callIsAccepted(openScene: Open): void {
  const open = keepHolder(openScene)
  for (const { name, send } of goodRows) {
    test(`${name}: 200`, async () => {
      const holder = await open()
      for (const call of callsOf(holder)) {
        const answer = await send(holder, call)
        assert.equal(answer.status, 200, `${call.id}: ${answer.text}`)
      }
    })
  }
}

// biome-ignore format: a table is read by its rows
const goodTokenRows: readonly Omit<TokenRow, 'error'>[] = [
  { name: 'a proof for the address with a query',      send: async (coded) => withProof({ url: `${coded.testServer.origin}/oauth/token?a=b#c` })(coded) },
  { name: 'a proof with scheme and host in capitals',  send: async (coded) => withProof({ url: `${coded.testServer.origin.toUpperCase()}/oauth/token` })(coded) },
  { name: 'a proof of ten seconds ago',                send: async (coded) => withClaims({ iat: seconds(coded.testServer) - 10 })(coded) },
  { name: 'a proof of ten seconds ahead',              send: async (coded) => withClaims({ iat: seconds(coded.testServer) + 10 })(coded) },
  { name: 'a proof from now, for five minutes',        send: async (coded) => withClaims({ nbf: seconds(coded.testServer), exp: seconds(coded.testServer) + 300 })(coded) },
  { name: 'a proof with claims that we do not know',   send: withClaims({ iss: 'somebody', more: [1] }) },
  { name: 'our own resource by name',                  send: withFields(({ testServer }) => ({ resource: testServer.resource })) },
  { name: 'fields that we do not know',                send: withFields({ client_secret: 'a public app has none', more: 'yes' }) },
  { name: 'a foreign Host with a proof for our address', send: sendWithForeignHost },
]

function tokenIsAccepted(open: Open): void {
  for (const { name, send } of goodTokenRows) {
    test(`${name}: 200`, async () => {
      const coded = await newCode(await open())
      const { status, body, headers } = await send(coded)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.equal(body.token_type, 'DPoP')
    })
  }

  const states: readonly (readonly [string, string | null])[] = [
    ['without a state', null],
    ['with a long state', 's'.repeat(1_000)],
    ['with a state of odd characters', 'a b&c=d?e#f%00/ü"<>'],
  ]
  for (const [name, state] of states) {
    test(`a response ${name} contains the code, the unchanged state and the issuer`, async () => {
      const { testServer, browser } = await open()
      const back = await authorize(
        testServer,
        browser,
        authorizationUrl(testServer, testServer.publicApp, challenge, { state }),
      )
      const { code, ...others } = Object.fromEntries(back.searchParams)
      assert.match(code ?? '', /^[\w-]{43}$/)
      assert.deepEqual(others, { ...(state !== null && { state }), iss: testServer.origin })
    })
  }

  for (const kind of ['public', 'confidential'] as const) {
    for (const alg of ['ES256', 'Ed25519'] as const) {
      test(`a pushed request of a ${kind} app with a proof by ${alg} leads to a token`, async () => {
        const scene = await open()
        const coded = await newCode(scene, kind === 'public' ? 'pushed' : 'confidential', await makeDpopKey(alg))
        const { testServer, app, code, verifier, key } = coded
        const proof = kind === 'public' ? {} : assertionFields(await makeAssertion(testServer))
        const { status, body } = await askToken(testServer, { ...codeFields(app, code, verifier), ...proof }, coded)
        assert.equal(status, 200, JSON.stringify(body))
        const described = await askAsApp(testServer, 'describeOAuthAuthorization', {
          accessToken: body.access_token,
          key,
        })
        assert.equal(described.body.data.dpop.jkt, key.jkt)
      })
    }
  }

  test('a pushed request can be opened again until the user has decided', async () => {
    const { testServer, browser } = await open()
    const url = await ownRequest({ testServer, browser })
    const stranger = openBrowser(testServer)
    assert.match((await stranger.visit(url)).text, /name="password"/)
    assert.match((await browser.visit(url)).text, /name="decision"/)
    assert.match((await browser.visit(url)).text, /name="decision"/)
    const back = await authorize(testServer, browser, url)
    assert.match(back.searchParams.get('code') ?? '', /^[\w-]{43}$/)
  })

  test('the key that dpop_jkt announced redeems the code', async () => {
    const coded = await newCode(await open(), 'jkt')
    const { testServer, app, code, verifier } = coded
    assert.equal((await askToken(testServer, codeFields(app, code, verifier), coded)).status, 200)
  })

  test('a confidential app may refresh with a new key', async () => {
    const scene = await open()
    const { testServer } = scene
    const refreshToken = await confidentialRefreshToken(scene)
    const proof = assertionFields(await makeAssertion(testServer))
    const fields = { grant_type: 'refresh_token', refresh_token: refreshToken, ...proof }
    const { status, body } = await askToken(testServer, fields, { key: await makeDpopKey() })
    assert.equal(status, 200, JSON.stringify(body))
    assert.equal(body.refresh_token, refreshToken)
  })

  test('a refresh may request fewer scopes than were granted', async () => {
    const { testServer, browser } = await open()
    const installed = await installApp(testServer, { browser })
    const { body } = await askToken(testServer, { ...refreshFields(installed), scope: 'catalog:read' }, installed)
    assert.equal(body.scope, 'catalog:read')
  })
}

// One server for each engine, and one signing in.
anyEngine('installing an app', (given) => {
  const open = sharedScene(given)
  // Refused before a row is written: on PostgreSQL they are part of `npm run proof -- oauth`.
  if (isWide || given.engine === 'sqlite') {
    describe('requests that the authorization endpoint refuses', () => authorizationIsRefused(open))
    describe('pushed requests that are refused', () => pushingIsRefused(open))
    describe('requests that the token endpoint refuses', () => tokenIsRefused(open))
    describe('client assertions that are refused', () => assertionIsRefused(open))
    describe('requests that the operations for apps refuse', () => callIsRefused(open))
  }
  describe('refreshes that are refused', () => refreshIsRefused(open))
  describe('requests that the revocation endpoint refuses', () => revocationIsRefused(open))
  describe('requests that the operations for apps accept', () => callIsAccepted(open))
  describe('requests on the way to a token that are accepted', () => tokenIsAccepted(open))
})

// What the tables are made of.

function sharedScene(given: Given): () => Promise<Scene> {
  let scene: Promise<Scene> | undefined
  return () => {
    scene ??= openScene(given.shared)
    return scene
  }
}

// Signing in is slow on purpose, so that it is done once; every code after it is another consent in the same session.
async function openScene(given: Given): Promise<Scene> {
  const testServer = await openOAuthTestServer(given)
  const browser = openBrowser(testServer)
  await authorize(testServer, browser, authorizationUrl(testServer, testServer.publicApp, challenge))
  return { testServer, browser }
}

// An installation that serves a whole table, since nothing there ends it. The nonce is the one of the moment.
function keepHolder(open: Open): () => Promise<Holder> {
  let kept: Promise<Omit<Holder, 'nonce'>> | undefined
  async function install(): Promise<Omit<Holder, 'nonce'>> {
    const scene = await open()
    const installed = await installApp(scene.testServer, { browser: scene.browser })
    const { id: keyId } = await issueKey(scene.testServer, installed)
    return { ...scene, ...installed, keyId }
  }
  return async () => {
    kept ??= install()
    const holder = await kept
    return { ...holder, nonce: await currentNonce(holder.testServer) }
  }
}

// A code that serves until something has used it up.
function keepCode(open: Open, way: CodeWay): () => Promise<Coded> {
  let kept: Coded | undefined
  return async () => {
    const scene = await open()
    if (!kept || !(await isGood(kept))) kept = await newCode(scene, way)
    return { ...kept, nonce: await currentNonce(scene.testServer) }
  }
}

async function isGood({ testServer, code }: Coded): Promise<boolean> {
  const rows = await testServer.storage.read(
    (db) => db.sql`
      select id from oauth_artifacts where kind = 'AuthorizationCode' and id = ${hashArtifactId(code)}
        and consumed_at is null and expires_at > ${testServer.clock.now}`,
  )
  return rows.length > 0
}

interface World {
  installations: unknown
  credentials: unknown
  artifacts: readonly { kind: string }[]
}

function tokensIn({ artifacts }: World): unknown {
  return artifacts.filter(({ kind }) => kind === 'AccessToken')
}

// Everything that a refusal must leave as it was. A session may be looked at, and the library may remember a proof or an
// assertion that it has refused for another reason.
async function worldOf(testServer: OAuthTestServer): Promise<World> {
  return testServer.storage.read(async (db) => ({
    installations: await db.sql`select id, granted_scopes, disabled_at, ended_at from installations order by id`,
    credentials: await db.sql`select id, revoked_at from credentials order by id`,
    artifacts: await db.sql<{ kind: string }>`
      select kind, id, consumed_at, expires_at from oauth_artifacts
      where kind not in ('Session', 'ReplayDetection') order by kind, id`,
  }))
}

async function unchanged<T>(testServer: OAuthTestServer, work: () => Promise<T>): Promise<T> {
  const before = await worldOf(testServer)
  const outcome = await work()
  assert.deepEqual(await worldOf(testServer), before, 'what was refused has changed something')
  return outcome
}

function assertToldApp(
  testServer: OAuthTestServer,
  { url, status, text }: Visited,
  { error, state, mark }: { error: string; state: string | null; mark: '?' | '#' },
): void {
  assert.equal(status, 0, `stopped at ${status} ${url}: ${text}`)
  const [address, told] = url.split(mark)
  assert.equal(address, redirectUri)
  assertTold(testServer, new URLSearchParams(told), error, state)
}

function assertTold(
  testServer: OAuthTestServer,
  parameters: URLSearchParams,
  error: string,
  state: string | null,
): void {
  const { error_description: _, ...told } = Object.fromEntries(parameters)
  assert.deepEqual(told, { error, ...(state !== null && { state }), iss: testServer.origin })
}

// A page of ours at the very address that was asked for: the browser is sent nowhere.
function assertToldOnPage({ url, status, headers, text }: Visited, asked: string, error: string): void {
  assert.deepEqual([url, status], [asked, 400])
  assert.equal(headers.get('location'), null)
  assert.match(headers.get('content-type') ?? '', /^text\/html/)
  assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.match(headers.get('cache-control') ?? '', /no-store/)
  assert.ok(text.includes(`<dd>${error}</dd>`), text)
  assert.doesNotMatch(text, /name="(?:decision|password)"/)
}

function assertEndpointError(
  { status, headers, body }: EndpointAnswer,
  demand: { status: number; error: string },
): void {
  assert.deepEqual({ status, error: body.error }, demand)
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(headers.get('location'), null)
  assert.equal('access_token' in body || 'request_uri' in body, false)
  // Told only to whoever lacks it.
  const nonce = headers.get('dpop-nonce')
  if (demand.error === 'use_dpop_nonce') assert.match(nonce ?? '', /^[\w-]{43}$/)
  else assert.equal(nonce, null)
}

function seconds(testServer: OAuthTestServer): number {
  return Math.floor(testServer.clock.now / 1000)
}

// The nonce that was given out so long ago.
async function nonceOf(testServer: OAuthTestServer, offsetMs: number): Promise<string> {
  testServer.advance(offsetMs)
  const nonce = await currentNonce(testServer)
  testServer.advance(-offsetMs)
  return nonce
}

const formHeaders = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' }

function form(fields: Parameters): string {
  const present = Object.entries(fields).filter((field): field is [string, string] => field[1] !== null)
  return new URLSearchParams(present).toString()
}

async function post(
  testServer: OAuthTestServer,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<EndpointAnswer> {
  return testServer.fetch(path, { method: 'POST', body, headers: { ...formHeaders, ...headers } })
}

// Over the bare wire, where a header can be sent twice and the request line can say anything.
async function wireAsk(
  testServer: OAuthTestServer,
  method: string,
  target: string,
  headers: Readonly<Record<string, string | readonly string[]>>,
  body = '',
): Promise<Answer> {
  const all = {
    host: new URL(testServer.origin).host,
    connection: 'close',
    ...(body !== '' && { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, values]) => [values].flat().map((value) => `${name}: ${value}\r\n`))
  const received = await testServer.wire(`${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
  const end = received.indexOf('\r\n\r\n')
  const [first = '', ...rest] = received.slice(0, end).split('\r\n')
  const told = new Headers()
  for (const line of rest) told.append(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim())
  const text = received.slice(end + 4)
  const isJson = told.get('content-type')?.startsWith('application/json')
  return { status: Number(first.split(' ')[1]), headers: told, text, body: isJson ? JSON.parse(text) : text }
}

// Apps and pushed requests.

const requestUriPrefix = 'urn:ietf:params:oauth:request_uri:'

function anotherApp(testServer: OAuthTestServer, scopes?: OAuthApp['scopes']): Promise<OAuthApp> {
  return testServer.newApp({ name: `Other ${randomBytes(6).toString('hex')}`, ...(scopes && { scopes }) })
}

async function disabledApp({ testServer }: Scene): Promise<string> {
  const app = await anotherApp(testServer)
  await testServer.storage.write((tx) => disableApp(tx, app.id, testServer.clock.now))
  return authorizationUrl(testServer, app, challenge)
}

async function modestApp({ testServer }: Scene): Promise<string> {
  const app = await anotherApp(testServer, ['catalog:read'])
  return authorizationUrl(testServer, app, challenge, { scope: 'webhooks:write' })
}

function pushedUrl(testServer: OAuthTestServer, app: OAuthApp, requestUri: string): string {
  return `${testServer.origin}/oauth/authorize?${form({ client_id: app.id, request_uri: requestUri })}`
}

// Pushes a request as the app would, and gives its name.
async function push(
  testServer: OAuthTestServer,
  app: OAuthApp,
  { key, nonce = '', ...more }: { challenge?: string; key?: DpopKey; nonce?: string } = {},
): Promise<string> {
  const request = Object.fromEntries(
    new URL(authorizationUrl(testServer, app, more.challenge ?? challenge)).searchParams,
  )
  const assertion = app.clientKind === 'confidential' ? assertionFields(await makeAssertion(testServer)) : {}
  const url = `${testServer.origin}/oauth/par`
  const dpop = key && (await makeProof(testServer, key, { method: 'POST', url, nonce }))
  const { status, body } = await postForm(testServer, '/oauth/par', { ...request, ...assertion }, dpop ? { dpop } : {})
  assert.equal(status, 201, JSON.stringify(body))
  return body.request_uri
}

async function ownRequest({ testServer }: Scene): Promise<string> {
  return pushedUrl(testServer, testServer.publicApp, await push(testServer, testServer.publicApp))
}

async function expiredRequest(scene: Scene): Promise<string> {
  const url = await ownRequest(scene)
  scene.testServer.advance(60_000)
  return url
}

async function usedRequest(scene: Scene): Promise<string> {
  const url = await ownRequest(scene)
  await authorize(scene.testServer, scene.browser, url)
  return url
}

async function foreignRequest({ testServer }: Scene): Promise<string> {
  return pushedUrl(testServer, testServer.publicApp, await push(testServer, await anotherApp(testServer)))
}

async function confidentialRequest(testServer: OAuthTestServer, app: OAuthApp): Promise<string> {
  return pushedUrl(testServer, app, await push(testServer, testServer.confidentialApp))
}

// Codes, proofs and assertions.

type CodeWay = 'plain' | 'jkt' | 'pushed' | 'confidential'

// jkt: bound to its key by the parameter. pushed: bound to it by the proof of the pushed request. confidential: too, and
// of the app that proves itself.
async function newCode(scene: Scene, way: CodeWay = 'plain', key?: DpopKey): Promise<Coded> {
  const { testServer, browser } = scene
  const app = way === 'confidential' ? testServer.confidentialApp : testServer.publicApp
  const made = {
    ...scene,
    app,
    key: key ?? (await makeDpopKey()),
    nonce: await currentNonce(testServer),
    ...makeVerifier(),
  }
  const isPushed = way === 'pushed' || way === 'confidential'
  const url = isPushed
    ? pushedUrl(testServer, app, await push(testServer, app, made))
    : authorizationUrl(testServer, app, made.challenge, way === 'jkt' ? { dpop_jkt: made.key.jkt } : {})
  const back = await authorize(testServer, browser, url)
  return { ...made, code: back.searchParams.get('code') ?? '' }
}

const confidentialTokens = new WeakMap<OAuthTestServer, Promise<string>>()

// A refresh token of the confidential app, made once in a server.
function confidentialRefreshToken(scene: Scene): Promise<string> {
  async function make(): Promise<string> {
    const { testServer, app, code, verifier, ...coded } = await newCode(scene, 'confidential')
    const proof = assertionFields(await makeAssertion(testServer))
    const { body } = await askToken(testServer, { ...codeFields(app, code, verifier), ...proof }, coded)
    return body.refresh_token
  }
  const made = confidentialTokens.get(scene.testServer) ?? make()
  confidentialTokens.set(scene.testServer, made)
  return made
}

function refreshFields({ app, refreshToken }: Pick<Installed, 'app' | 'refreshToken'>): Record<string, string> {
  return { grant_type: 'refresh_token', client_id: app.id, refresh_token: refreshToken }
}

function assertionFields(assertion: string): Record<string, string> {
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  }
}

// The claims that would be right.
interface Demand {
  testServer: OAuthTestServer
  claims: Readonly<Record<string, unknown>>
}

function demandOf(testServer: OAuthTestServer, claims: Readonly<Record<string, unknown>>): Demand {
  const jti = randomBytes(16).toString('base64url')
  return { testServer, claims: { jti, iat: seconds(testServer), ...claims } }
}

function tokenDemand({ testServer, nonce }: Coded): Demand {
  return demandOf(testServer, { htm: 'POST', htu: `${testServer.origin}/oauth/token`, nonce })
}

function callDemand({ testServer, accessToken, nonce }: Holder, { method, address }: Call): Demand {
  return demandOf(testServer, { htm: method, htu: address, ath: hashArtifactId(accessToken), nonce })
}

function tokenProof({ testServer, key, nonce }: Coded): Promise<string> {
  return makeProof(testServer, key, { method: 'POST', url: `${testServer.origin}/oauth/token`, nonce })
}

function callProof(holder: Holder, { method, address }: Call, input: Partial<ProofInput> = {}): Promise<string> {
  const { testServer, key, accessToken, nonce } = holder
  return makeProof(testServer, key, { method, url: address, token: accessToken, nonce, ...input })
}

const strangeKeys = new Map<string, Promise<DpopKey>>()

// A key of a kind that we do not take. Some are slow to make.
function strangeKey(alg: 'RS256' | 'PS256' | 'ES384'): Promise<DpopKey> {
  async function make(): Promise<DpopKey> {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
    return { alg, privateKey, jwk: await exportJWK(publicKey), jkt: '' }
  }
  const made = strangeKeys.get(alg) ?? make()
  strangeKeys.set(alg, made)
  return made
}

// Signed with a shared secret that the header itself shows, or with nothing.
async function proofByHand({ claims }: Demand, alg: 'HS256' | 'none'): Promise<string> {
  const secret = randomBytes(32)
  const jwk = { kty: 'oct', k: secret.toString('base64url') }
  if (alg === 'none') return unsigned({ typ: 'dpop+jwt', alg, jwk }, claims)
  return new SignJWT({ ...claims }).setProtectedHeader({ typ: 'dpop+jwt', alg, jwk }).sign(secret)
}

function unsigned(header: object, claims: object): string {
  return `${[header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')}.`
}

// With a header that whoever does not know it must refuse (RFC 7515, 4.1.11).
function criticalProof({ alg, jwk, privateKey }: DpopKey, { claims }: Demand): Promise<string> {
  return new SignJWT({ ...claims })
    .setProtectedHeader({ typ: 'dpop+jwt', alg, jwk, crit: ['strange'], strange: true })
    .sign(privateKey, { crit: { strange: true } })
}

// The same signature under other claims.
function tamper(proof: string): string {
  const [head = '', middle = '', signature = ''] = proof.split('.')
  const claims = JSON.parse(Buffer.from(middle, 'base64url').toString('utf8')) as object
  const changed = Buffer.from(JSON.stringify({ ...claims, more: true })).toString('base64url')
  return `${head}.${changed}.${signature}`
}

async function assertionBy(testServer: OAuthTestServer, alg: 'RS256' | 'HS256' | 'none'): Promise<string> {
  const right = await makeAssertion(testServer)
  const claims = JSON.parse(Buffer.from(right.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<
    string,
    unknown
  >
  if (alg === 'none') return unsigned({ alg }, claims)
  // The public key of the app as a shared secret: what a careless verifier would take.
  const key: CryptoKey | Uint8Array =
    alg === 'RS256'
      ? (await strangeKey('RS256')).privateKey
      : Buffer.from(JSON.stringify(testServer.confidentialApp.jwks))
  return new SignJWT(claims).setProtectedHeader({ alg, kid: 'one' }).sign(key)
}

async function usedAssertion(testServer: OAuthTestServer): Promise<string> {
  const assertion = await makeAssertion(testServer)
  const fields = { token: 'a'.repeat(43), ...assertionFields(assertion) }
  assert.equal((await postForm(testServer, '/oauth/revoke', fields)).status, 200)
  return assertion
}

// Odd ways to the token endpoint.

async function sendToForeignHost({ testServer, app, code, verifier, key, nonce }: Coded): Promise<EndpointAnswer> {
  const dpop = await makeProof(testServer, key, { method: 'POST', url: 'http://evil.example/oauth/token', nonce })
  const headers = { ...formHeaders, host: 'evil.example', 'x-forwarded-host': 'evil.example', dpop }
  return wireAsk(testServer, 'POST', '/oauth/token', headers, form(codeFields(app, code, verifier)))
}

async function sendWithForeignHost(coded: Coded): Promise<EndpointAnswer> {
  const { testServer, app, code, verifier } = coded
  const headers = { ...formHeaders, host: 'evil.example', dpop: await tokenProof(coded) }
  return wireAsk(testServer, 'POST', '/oauth/token', headers, form(codeFields(app, code, verifier)))
}

async function sendAuthorization(coded: Coded, authorization: string): Promise<EndpointAnswer> {
  const { client_id: _, ...fields } = codeFields(coded.app, coded.code, coded.verifier)
  return post(coded.testServer, '/oauth/token', form(fields), { dpop: await tokenProof(coded), authorization })
}

async function sendJson(coded: Coded): Promise<EndpointAnswer> {
  const body = JSON.stringify(codeFields(coded.app, coded.code, coded.verifier))
  return post(coded.testServer, '/oauth/token', body, {
    dpop: await tokenProof(coded),
    'content-type': 'application/json',
  })
}

async function sendInQuery(coded: Coded): Promise<EndpointAnswer> {
  const query = form(codeFields(coded.app, coded.code, coded.verifier))
  return post(coded.testServer, `/oauth/token?${query}`, '', { dpop: await tokenProof(coded) })
}

// Calls of our operations.

// Every operation that takes an access token.
function callsOf({ testServer, keyId }: Holder, around: Call['around'] = (send) => send()): Call[] {
  const ids = operationIds.filter((id) => operations[id].caller === 'oauth')
  assert.equal(ids.length, 4)
  return ids.map((id) => ({ ...callOf(testServer, id, keyId), around }))
}

function callOf(testServer: OAuthTestServer, id: OperationId, value: string): Call {
  const { method, path: pattern } = operations[id]
  const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const path = Object.fromEntries(names.map((name) => [name, value]))
  const address = testServer.origin + pattern.replaceAll(/\{\w+\}/g, value)
  const body = bodies[id as keyof typeof bodies]
  return { id, method, path, body, address, around: (send) => send() }
}

const bodies = {
  createInstallationKey: { idempotencyKey: 'one-key', name: 'Till', scopes: ['catalog:read'] },
  revokeInstallationKey: { idempotencyKey: 'one-end' },
}

function ask(holder: Holder, call: Call, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return askWith(holder, call, headers, '')
}

function askWith(
  { testServer }: Holder,
  { id, path, body, around }: Call,
  headers: Readonly<Record<string, string>>,
  query: string,
): Promise<Answer> {
  return around(() => testServer.ask(id, { key: null, path, body, headers, query }))
}

function wireCall(
  { testServer, accessToken }: Holder,
  { method, address, body, around }: Call,
  headers: Readonly<Record<string, string | readonly string[]>>,
  target = new URL(address).pathname,
): Promise<Answer> {
  const text = body === undefined ? '' : JSON.stringify(body)
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const all = { authorization: `DPoP ${accessToken}`, ...type, ...headers }
  return around(() => wireAsk(testServer, method, target, all, text))
}

// The same proof a second time.
async function usedProof(holder: Holder, call: Call): Promise<Answer> {
  const { address } = callOf(holder.testServer, 'listInstallationKeys', '')
  const listing = { ...call, id: 'listInstallationKeys', method: 'GET', address, path: {}, body: undefined } as const
  const jti = randomBytes(16).toString('base64url')
  const authorization = `DPoP ${holder.accessToken}`
  const first = { authorization, dpop: await callProof(holder, listing, { claims: { jti } }) }
  assert.equal((await ask(holder, { ...listing, around: (send) => send() }, first)).status, 200)
  return ask(holder, call, { authorization, dpop: await callProof(holder, call, { claims: { jti } }) })
}

// A token of an installation of its own, which says something else than what was issued.
function resealed(more: Readonly<Record<string, unknown>>) {
  return async (holder: Holder, call: Call): Promise<Answer> => {
    const { testServer, browser } = holder
    const installed = await installApp(testServer, { browser })
    const id = hashArtifactId(installed.accessToken)
    await testServer.storage.write(async (tx) => {
      const [row] = await tx.sql<{ sealed: string }>`
        select sealed from oauth_artifacts where kind = 'AccessToken' and id = ${id}`
      const payload = decryptPayload(testSecret, 'AccessToken', id, row?.sealed ?? '')
      assert.ok(payload)
      const sealed = encryptPayload(testSecret, 'AccessToken', id, { ...payload, ...more })
      await tx.sql`update oauth_artifacts set sealed = ${sealed} where kind = 'AccessToken' and id = ${id}`
    })
    const owner = { ...holder, ...installed }
    const headers = { authorization: `DPoP ${owner.accessToken}`, dpop: await callProof(owner, call) }
    return ask(owner, call, headers)
  }
}

function challengeOf(testServer: OAuthTestServer, problem: string | null): string {
  const metadata = `${testServer.origin}/.well-known/oauth-protected-resource/api/v1`
  const error = problem === null ? '' : `error="${problem}", `
  return `DPoP ${error}algs="ES256 Ed25519 EdDSA", resource_metadata="${metadata}"`
}
