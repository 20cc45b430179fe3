// Installing apps in tests: a server with a user and two apps, a browser made of requests and a cookie jar, and hand-made
// DPoP, so a test can get any part of it wrong. Every secret that passes through here is recorded, for the test that
// looks for leaks.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mock } from 'node:test'
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { OperationId } from '../src/contract/open/operations.ts'
import { operations } from '../src/contract/open/operations.ts'
import { openInterfaceScopes as allScopes, type Scope } from '../src/contract/words.ts'
import { type AppDefinition, createApp, type OAuthApp } from '../src/domain/oauth/apps.ts'
import { hashPassword } from '../src/domain/users/password.ts'
import { createUser } from '../src/domain/users/users.ts'
import { exchange } from './exchange.ts'
import type { Given } from './storage.ts'
import {
  type Answer,
  cheapCost,
  openTestServer,
  type TestServer,
  type TestServerOptions,
  testSecret,
} from './testServer.ts'

export const password = 'correct horse battery staple'
export const email = 'Ada@Bloom.example'
export const redirectUri = 'https://app.example/callback'

export interface OAuthTestServer extends TestServer {
  userId: string
  rivalMerchantId: string
  // Authenticates by PKCE and DPoP alone.
  publicApp: OAuthApp
  // Signs its requests with `appKey`, and must push its authorization requests.
  confidentialApp: OAuthApp
  appKey: CryptoKey
  // The address of the server. Its public origin may be a different one.
  reach: string
  // The identifier of the API: the audience of tokens.
  resource: string
  // Advances all clocks.
  advance(ms: number): void
  newApp(definition: Partial<AppDefinition>): Promise<OAuthApp>
  // Another user, with the password that all test users share.
  newUser(email: string, merchantIds: readonly string[]): Promise<string>
  // Everything secret that a client has received or sent.
  secrets: Set<string>
}

// The protocol library reads the process's own clock, so that clock is set to the server's.
export async function openOAuthTestServer(given: Given, options: TestServerOptions = {}): Promise<OAuthTestServer> {
  const testServer = await openTestServer(given, options)
  const origin = options.publicOrigin?.() ?? testServer.origin
  setClock(testServer.clock.now)
  given.later(async () => mock.timers.reset())
  const hash = await hashPassword(password, cheapCost)
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const { kty, crv, x, y } = await exportJWK(publicKey)
  const definition: AppDefinition = {
    name: 'Florist',
    description: 'Writes cards.',
    redirectUris: [redirectUri, 'http://127.0.0.1:9999/callback'],
    scopes: allScopes,
    mode: 'test',
    jwks: null,
  }
  async function newApp(more: Partial<AppDefinition>): Promise<OAuthApp> {
    const app = await testServer.storage.write((tx) => createApp(tx, { ...definition, ...more }, testServer.clock.now))
    assert.ok(app, 'there is an app of this name')
    return app
  }
  async function newUser(address: string, merchantIds: readonly string[]): Promise<string> {
    const user = await testServer.storage.write((tx) =>
      createUser(tx, testSecret, { email: address, passwordHash: hash, merchantIds }, testServer.clock.now),
    )
    return user.id
  }
  const [rival] = await testServer.storage.read(
    (db) => db.sql<{ id: string }>`select id from merchants where slug = 'rival'`,
  )
  return {
    ...testServer,
    userId: await newUser(email, [testServer.merchantId]),
    rivalMerchantId: rival?.id ?? '',
    publicApp: await newApp({}),
    confidentialApp: await newApp({
      name: 'Ledger',
      jwks: { keys: [{ kty, crv, x, y, alg: 'ES256', use: 'sig', kid: 'one' } as Record<string, string>] },
    }),
    appKey: privateKey,
    origin,
    reach: testServer.origin,
    resource: `${origin}/api/v1`,
    advance(ms) {
      testServer.clock.now += ms
      setClock(testServer.clock.now)
    },
    newApp,
    newUser,
    secrets: new Set([password]),
  }
}

// Another server may have set it, or given it back.
function setClock(now: number): void {
  mock.timers.reset()
  mock.timers.enable({ apis: ['Date'], now })
}

// One server for all tests of a suite, which is much quicker; each starts an hour later, so earlier rate limits no
// longer apply.
export function sharedOAuthTestServer(
  given: Given,
  options?: Parameters<typeof openOAuthTestServer>[1],
): () => Promise<OAuthTestServer> {
  let testServer: Promise<OAuthTestServer> | undefined
  return async () => {
    testServer ??= openOAuthTestServer(given.shared, options)
    const opened = await testServer
    opened.advance(3_600_000)
    return opened
  }
}

export interface Visited {
  url: string
  status: number
  headers: Headers
  text: string
}

export interface Browser {
  // Follows redirects within the server and stops at the first address outside, without visiting it.
  visit(url: string): Promise<Visited>
  // Posts a form to an address, as our own page would.
  submit(url: string, fields: readonly (readonly [string, string])[], headers?: object): Promise<Visited>
  // What a browser would send to this path.
  cookiesFor(path: string): string
  // Every cookie that was set, as it was set.
  setCookies: string[]
}

interface Cookie {
  name: string
  value: string
  path: string
}

// A browser with nothing in it: cookies by name and path, redirects, and an Origin.
export function openBrowser(testServer: OAuthTestServer): Browser {
  const cookies = new Map<string, Cookie>()
  const setCookies: string[] = []

  function keep(line: string): void {
    setCookies.push(line)
    const [pair = '', ...attributes] = line.split('; ')
    const name = pair.slice(0, pair.indexOf('='))
    const value = pair.slice(pair.indexOf('=') + 1)
    const path = attributes.find((attribute) => attribute.toLowerCase().startsWith('path='))?.slice(5) ?? '/'
    const isGone = attributes.some((attribute) => /^expires=Thu, 01 Jan 1970/i.test(attribute)) || value === ''
    if (isGone) cookies.delete(`${name} ${path}`)
    else {
      cookies.set(`${name} ${path}`, { name, value, path })
      testServer.secrets.add(value)
    }
  }

  function cookiesFor(path: string): string {
    return [...cookies.values()]
      .filter((cookie) => cookie.path === '/' || path === cookie.path || path.startsWith(`${cookie.path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  }

  async function send(url: string, init: RequestInit = {}): Promise<Visited> {
    const { origin, pathname, search } = new URL(url)
    if (origin !== testServer.origin) return { url, status: 0, headers: new Headers(), text: '' }
    const { status, headers, text } = await exchange(testServer.reach + pathname + search, {
      ...init,
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: cookiesFor(pathname), ...init.headers },
    })
    for (const line of headers.getSetCookie()) keep(line)
    const location = headers.get('location')
    if (location === null) return { url, status, headers, text }
    assert.equal(status, 303, 'a redirect is always one that turns a post into a get')
    return send(new URL(location, url).href)
  }

  return {
    visit: (url) => send(url),
    submit: (url, fields, headers = {}) =>
      send(url, {
        method: 'POST',
        body: new URLSearchParams(fields as [string, string][]).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: testServer.origin, ...headers },
      }),
    cookiesFor,
    setCookies,
  }
}

// Signs in on the page that is shown.
export function signIn(
  browser: Browser,
  page: Visited,
  who: { email?: string; password?: string } = {},
): Promise<Visited> {
  return browser.submit(page.url, [
    ['step', 'sign_in'],
    ['email', who.email ?? email],
    ['password', who.password ?? password],
  ])
}

export interface Choice {
  merchantId?: string
  scopes?: readonly string[]
  // Only an assistant is asked for it.
  mode?: 'test' | 'live'
  decision?: 'approve' | 'decline'
}

// Decides on the consent page that is shown. By default: the user's own shop, with everything that is offered there.
export function consent(
  testServer: OAuthTestServer,
  browser: Browser,
  page: Visited,
  choice: Choice = {},
): Promise<Visited> {
  const offered = [...page.text.matchAll(/name="scope" value="([^"]+)"/g)].map(([, scope]) => scope ?? '')
  return browser.submit(page.url, [
    ['step', 'consent'],
    ['merchant', choice.merchantId ?? testServer.merchantId],
    ...(choice.mode ? [['mode', choice.mode] as const] : []),
    ...(choice.scopes ?? offered).map((scope) => ['scope', scope] as const),
    ['decision', choice.decision ?? 'approve'],
  ])
}

// All steps of a person: signs in unless the browser remembers, and decides. Returns the address that leads back to the
// app, with its parameters.
export async function authorize(
  testServer: OAuthTestServer,
  browser: Browser,
  url: string,
  choice: Choice & { email?: string } = {},
): Promise<URL> {
  let page = await browser.visit(url)
  if (page.text.includes('name="password"')) page = await signIn(browser, page, choice)
  if (page.text.includes('name="decision"')) page = await consent(testServer, browser, page, choice)
  assert.equal(page.status, 0, `stopped at ${page.status} ${page.url}: ${page.text}`)
  const back = new URL(page.url)
  const code = back.searchParams.get('code')
  if (code !== null) testServer.secrets.add(code)
  return back
}

// PKCE.
export function makeVerifier(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

// The address at which an app requests authorization. Parameters can be replaced, or removed with null.
export function authorizationUrl(
  testServer: OAuthTestServer,
  app: OAuthApp,
  challenge: string,
  more: Readonly<Record<string, string | null>> = {},
): string {
  const url = new URL(`${testServer.origin}/oauth/authorize`)
  const parameters = {
    client_id: app.id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'catalog:read checkout:quote',
    state: 'a-state',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== null) url.searchParams.set(name, value)
  return url.href
}

export interface DpopKey {
  alg: string
  privateKey: CryptoKey
  jwk: JWK
  jkt: string
}

// A new key pair for an app.
export async function makeDpopKey(alg: 'ES256' | 'Ed25519' | 'ES384' | 'RS256' = 'ES256'): Promise<DpopKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const jwk = await exportJWK(publicKey)
  return { alg, privateKey, jwk, jkt: await calculateJwkThumbprint(jwk) }
}

export interface ProofInput {
  method: string
  url: string
  token?: string
  nonce?: string
  // Overrides for the claims. Undefined removes a claim.
  claims?: Readonly<Record<string, unknown>>
  // Overrides for the header.
  header?: Readonly<Record<string, unknown>>
}

// A proof that is valid except for what the input overrides.
export async function makeProof(testServer: OAuthTestServer, key: DpopKey, input: ProofInput): Promise<string> {
  const claims = {
    jti: randomBytes(16).toString('base64url'),
    htm: input.method,
    htu: input.url,
    iat: Math.floor(testServer.clock.now / 1000),
    ...(input.token !== undefined && { ath: createHash('sha256').update(input.token).digest('base64url') }),
    ...(input.nonce !== undefined && { nonce: input.nonce }),
    ...input.claims,
  }
  const present = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined))
  const header = { typ: 'dpop+jwt', alg: key.alg, jwk: key.jwk, ...input.header }
  const proof = await new SignJWT(present).setProtectedHeader(header).sign(key.privateKey)
  testServer.secrets.add(proof)
  return proof
}

// The assertion by which a confidential app authenticates, valid except for what is overridden.
export async function makeAssertion(
  testServer: OAuthTestServer,
  claims: Readonly<Record<string, unknown>> = {},
  key: CryptoKey = testServer.appKey,
): Promise<string> {
  const now = Math.floor(testServer.clock.now / 1000)
  const id = testServer.confidentialApp.id
  const right = {
    iss: id,
    sub: id,
    aud: testServer.origin,
    jti: randomBytes(16).toString('base64url'),
    iat: now,
    exp: now + 60,
  }
  const assertion = await new SignJWT({ ...right, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .sign(key)
  testServer.secrets.add(assertion)
  return assertion
}

export interface EndpointAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any
}

// Posts a form to an endpoint of the authorization server.
export async function postForm(
  testServer: OAuthTestServer,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<EndpointAnswer> {
  const answer = await exchange(testServer.reach + path, {
    method: 'POST',
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json', ...headers },
  })
  const { text } = answer
  const body = text.startsWith('{') ? JSON.parse(text) : text
  for (const name of ['access_token', 'refresh_token'])
    if (typeof body[name] === 'string') testServer.secrets.add(body[name])
  return { status: answer.status, headers: answer.headers, body }
}

// The current nonce, as any refusal returns it.
export async function currentNonce(testServer: OAuthTestServer): Promise<string> {
  const { headers } = await testServer.fetch('/api/v1/oauth/authorize')
  return headers.get('dpop-nonce') ?? ''
}

export interface TokenInput {
  key: DpopKey
  nonce?: string
  // Overrides for the valid proof.
  proof?: Omit<Partial<ProofInput>, 'token'>
}

// Calls the token endpoint with a valid proof and a nonce.
export async function askToken(
  testServer: OAuthTestServer,
  fields: Readonly<Record<string, string>>,
  { key, nonce, proof = {} }: TokenInput,
): Promise<EndpointAnswer> {
  const dpop = await makeProof(testServer, key, {
    method: 'POST',
    url: `${testServer.origin}/oauth/token`,
    nonce: nonce ?? (await currentNonce(testServer)),
    ...proof,
  })
  return postForm(testServer, '/oauth/token', fields, { dpop })
}

// The fields that exchange a code of the public app.
export function codeFields(app: OAuthApp, code: string, verifier: string): Record<string, string> {
  return {
    grant_type: 'authorization_code',
    client_id: app.id,
    code,
    code_verifier: verifier,
    redirect_uri: redirectUri,
  }
}

export interface Installed {
  app: OAuthApp
  key: DpopKey
  browser: Browser
  code: string
  verifier: string
  accessToken: string
  refreshToken: string
  installationId: string
}

export interface InstallInput {
  app?: OAuthApp
  browser?: Browser
  key?: DpopKey
  scope?: string
  choice?: Choice
}

// Installs a public app in the fewest steps: approve, exchange the code, describe.
export async function installApp(testServer: OAuthTestServer, input: InstallInput = {}): Promise<Installed> {
  const { app = testServer.publicApp, browser = openBrowser(testServer), key = await makeDpopKey() } = input
  const { verifier, challenge } = makeVerifier()
  const more = input.scope === undefined ? {} : { scope: input.scope }
  const back = await authorize(testServer, browser, authorizationUrl(testServer, app, challenge, more), input.choice)
  const code = back.searchParams.get('code') ?? ''
  const { status, body } = await askToken(testServer, codeFields(app, code, verifier), { key })
  assert.equal(status, 200, JSON.stringify(body))
  const { access_token: accessToken, refresh_token: refreshToken } = body
  const described = await askAsApp(testServer, 'describeOAuthAuthorization', { accessToken, key })
  assert.equal(described.status, 200, described.text)
  const { installationId } = described.body.data
  return { app, key, browser, code, verifier, accessToken, refreshToken, installationId }
}

export interface AppAsk {
  accessToken: string
  key: DpopKey
  path?: Readonly<Record<string, string>>
  body?: object
  proof?: Partial<ProofInput>
  headers?: Readonly<Record<string, string>>
}

// Calls an operation with an access token and a fresh proof. The answer is checked against its declared schema.
export async function askAsApp(testServer: OAuthTestServer, id: OperationId, ask: AppAsk): Promise<Answer> {
  const { method, path: pattern } = operations[id]
  const address = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(ask.path?.[name] ?? ''))
  const dpop = await makeProof(testServer, ask.key, {
    method,
    url: testServer.origin + address,
    token: ask.accessToken,
    nonce: await currentNonce(testServer),
    ...ask.proof,
  })
  const headers = { authorization: `DPoP ${ask.accessToken}`, dpop, ...ask.headers }
  const answer = await testServer.ask(id, { key: null, path: ask.path ?? {}, body: ask.body, headers })
  if (typeof answer.body?.data?.secret === 'string') testServer.secrets.add(answer.body.data.secret)
  return answer
}

// Issues an API key with the scopes that the installation was granted.
export async function issueKey(
  testServer: OAuthTestServer,
  installed: Pick<Installed, 'accessToken' | 'key'>,
  scopes: readonly Scope[] = ['catalog:read'],
): Promise<{ id: string; secret: string }> {
  const body = { idempotencyKey: randomBytes(12).toString('hex'), name: 'Till', scopes }
  const answer = await askAsApp(testServer, 'createInstallationKey', { ...installed, body })
  assert.equal(answer.status, 200, answer.text)
  return { id: answer.body.data.key.id, secret: answer.body.data.secret }
}
