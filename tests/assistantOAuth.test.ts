// A chat program connects to a shop by OAuth, knowing nothing but the address of the MCP server, and runs the shop as far as its person may.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import {
  askToken,
  authorize,
  type Browser,
  type Choice,
  consent,
  type EndpointAnswer,
  makeDpopKey,
  makeVerifier,
  type OAuthTestServer,
  openBrowser,
  password,
  postForm,
  sharedOAuthTestServer,
  signIn,
} from '../harness/oauth.ts'
import { eachEngine, type Given, isOnce } from '../harness/storage.ts'
import type { Answer } from '../harness/testServer.ts'
import { assistantsOfPersonMax, saveAssistant } from '../src/domain/oauth/assistants.ts'
import { sweepArtifacts } from '../src/domain/oauth/sweep.ts'
import { endSessionsFrom } from '../src/domain/users/users.ts'
import { createThrottle } from '../src/platform/access/throttle.ts'
import { createClientDocuments, documentsOfNetwork } from '../src/web/consent/documents.ts'

const back = 'http://127.0.0.1:43117/callback'

interface Host {
  url: string
  fetches: number
  // What it answers instead of the document.
  answers?: (response: ServerResponse) => void
}

// Where the makers of a chat program keep its document.
async function hostOf(given: Given, more: object = {}): Promise<Host> {
  const host: Host = { url: '', fetches: 0 }
  const server = createServer((_, response) => {
    host.fetches += 1
    if (host.answers) return host.answers(response)
    const document = {
      client_id: host.url,
      client_name: 'Chatty',
      redirect_uris: ['http://127.0.0.1/callback'],
      token_endpoint_auth_method: 'none',
      ...more,
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  given.later(async () => void server.close())
  host.url = `http://127.0.0.1:${port}/client.json`
  return host
}

const ask = (testServer: OAuthTestServer, token: string | null, method: string, params: object = {}): Promise<Answer> =>
  testServer.fetch('/api/v1/admin/mcp', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token !== null && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })

const call = async (testServer: OAuthTestServer, token: string, name: string, args: object = {}) =>
  (await ask(testServer, token, 'tools/call', { name, arguments: args })).body.result

const toolsOf = async (testServer: OAuthTestServer, token: string): Promise<string[]> =>
  (await ask(testServer, token, 'tools/list')).body.result.tools.map(({ name }: { name: string }) => name)

// What a client learns from a refusal: the resource, what to ask for, and where.
async function discover(testServer: OAuthTestServer) {
  const refused = await ask(testServer, null, 'initialize')
  assert.equal(refused.status, 401)
  const challenge = refused.headers.get('www-authenticate') ?? ''
  const [, address = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
  const [, scope = ''] = /scope="([^"]+)"/.exec(challenge) ?? []
  const { body: resource } = await testServer.fetch(new URL(address).pathname)
  const issuer = new URL(resource.authorization_servers[0])
  const { body: server } = await testServer.fetch(`/.well-known/oauth-authorization-server`)
  assert.equal(server.issuer, issuer.origin)
  return { resource, server, scope }
}

interface Connection {
  url: string
  verifier: string
  redeem(code: string, more?: Record<string, string>): Promise<EndpointAnswer>
}

async function begin(testServer: OAuthTestServer, host: Host, more: object = {}): Promise<Connection> {
  const { resource, server, scope } = await discover(testServer)
  const { verifier, challenge } = makeVerifier()
  const url = new URL(server.authorization_endpoint)
  const parameters = {
    client_id: host.url,
    response_type: 'code',
    redirect_uri: back,
    scope,
    state: 'a-state',
    resource: resource.resource,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...more,
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  const fields = { grant_type: 'authorization_code', client_id: host.url, code_verifier: verifier, redirect_uri: back }
  const redeem = (code: string) =>
    postForm(testServer, new URL(server.token_endpoint).pathname, { ...fields, code, resource: resource.resource })
  return { url: url.href, verifier, redeem }
}

const refresh = (testServer: OAuthTestServer, host: Host, token: string, more: Record<string, string> = {}) =>
  postForm(testServer, '/oauth/token', {
    grant_type: 'refresh_token',
    client_id: host.url,
    refresh_token: token,
    ...more,
  })

interface Tokens {
  access_token: string
  refresh_token: string
  token_type: string
  scope: string
}

async function connect(
  testServer: OAuthTestServer,
  host: Host,
  choice: Choice & { email?: string },
  browser: Browser = openBrowser(testServer),
): Promise<Tokens> {
  const { url, redeem } = await begin(testServer, host)
  const returned = await authorize(testServer, browser, url, { mode: 'test', ...choice })
  const { status, body } = await redeem(returned.searchParams.get('code') ?? '')
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

const officialName: string = '@modelcontextprotocol/client'

// The official client, as far as it is used here.
interface OfficialPackage {
  Client: new (info: { name: string; version: string }, options: { versionNegotiation: object }) => OfficialClient
  StreamableHTTPClientTransport: new (url: URL, options: { authProvider: object }) => OfficialTransport
  UnauthorizedError: new () => Error
}
interface OfficialTransport {
  finishAuth(params: URLSearchParams): Promise<void>
}
interface OfficialClient {
  connect(transport: OfficialTransport): Promise<void>
  getNegotiatedProtocolVersion(): string | undefined
  listTools(): Promise<{ tools: readonly { annotations?: { readOnlyHint?: boolean } }[] }>
  callTool(call: {
    name: string
    arguments: object
  }): Promise<{ structuredContent?: { data: { shop: { slug: string } } } }>
  close(): Promise<void>
}

// A chat program made of the official client: it stores what it is given, and says where it would send the browser.
function chatProgram(
  { Client, StreamableHTTPClientTransport }: OfficialPackage,
  testServer: OAuthTestServer,
  host: Host,
) {
  const asked: string[] = []
  let tokens: Partial<Tokens> | undefined
  let verifier = ''
  let transport: OfficialTransport | undefined
  const authProvider = {
    redirectUrl: back,
    clientMetadata: { redirect_uris: [back] },
    // It only takes the address of a document by https for itself; as the client id it takes any.
    clientInformation: () => ({ client_id: host.url }),
    tokens: () => tokens,
    saveTokens(given: Partial<Tokens>) {
      tokens = given
      for (const secret of [given.access_token, given.refresh_token]) if (secret) testServer.secrets.add(secret)
    },
    redirectToAuthorization: (url: URL) => void asked.push(url.href),
    saveCodeVerifier(given: string) {
      verifier = given
    },
    codeVerifier: () => verifier,
    invalidateCredentials(what: string) {
      if (what === 'tokens' || what === 'all') tokens = undefined
    },
  }
  return {
    asked,
    tokens: () => tokens,
    finish: async (params: URLSearchParams) => transport?.finishAuth(params),
    async connect(versionNegotiation: object): Promise<OfficialClient> {
      transport = new StreamableHTTPClientTransport(new URL(`${testServer.origin}/api/v1/admin/mcp`), { authProvider })
      const client = new Client({ name: 'chatty', version: '1.0.0' }, { versionNegotiation })
      await client.connect(transport)
      return client
    },
  }
}

eachEngine('a chat program that connects by OAuth', (given) => {
  const open = sharedOAuthTestServer(given)

  test('is refused, discovers the authorization server, is approved by a person, and makes changes that can be undone', async () => {
    const testServer = await open()
    const host = await hostOf(given)
    const { resource, server } = await discover(testServer)
    assert.equal(resource.resource, `${testServer.origin}/api/v1/admin/mcp`)
    assert.ok(server.client_id_metadata_document_supported)
    assert.deepEqual(server.code_challenge_methods_supported, ['S256'])

    const browser = openBrowser(testServer)
    const { url, redeem } = await begin(testServer, host)
    const page = await signIn(browser, await browser.visit(url))
    const { host: shown } = new URL(host.url)
    assert.ok(page.text.includes(`${shown}</span> wants to work for your shop`), page.text)
    assert.match(page.text, /calls itself <strong dir="auto">Chatty</)
    assert.deepEqual(
      [...page.text.matchAll(/name="scope" value="([^"]+)" checked/g)].map(([, scope]) => scope),
      ['admin:read'],
    )
    assert.ok(!page.text.includes('admin:people'))
    const again = await consent(testServer, browser, page, { scopes: ['admin:read'] })
    assert.deepEqual([again.status, again.text.includes('test mode or in live mode')], [400, true])
    const scopes = ['admin:read', 'admin:settings']
    const returned = new URL((await consent(testServer, browser, again, { scopes, mode: 'test' })).url)
    assert.equal(`${returned.origin}${returned.pathname}`, back)
    assert.deepEqual(
      [returned.searchParams.get('state'), returned.searchParams.get('iss')],
      ['a-state', testServer.origin],
    )
    const code = returned.searchParams.get('code') ?? ''
    const { body: tokens } = await redeem(code)
    assert.deepEqual([tokens.token_type, tokens.scope], ['Bearer', 'admin:read admin:settings'])
    const token = tokens.access_token

    const tools = await toolsOf(testServer, token)
    assert.ok(tools.includes('update_shop') && !tools.includes('update_products'))
    const { data: shop } = (await call(testServer, token, 'get_shop')).structuredContent
    const changed = await call(testServer, token, 'update_shop', { expectedVersion: shop.version, name: 'Chatted' })
    assert.equal(changed.structuredContent.data.shop.name, 'Chatted', changed.content[0].text)
    const { admin } = testServer.keys
    const [entry] = (await call(testServer, admin, 'list_changes')).structuredContent.data
    assert.deepEqual([entry.actor.kind, entry.actor.name], ['app', `Chatty (${shown})`])
    const undone = await call(testServer, admin, 'undo_change', { changeId: entry.id })
    assert.notEqual(undone.isError, true, undone.content[0].text)
    assert.equal((await call(testServer, token, 'get_shop')).structuredContent.data.shop.name, shop.shop.name)

    const refused = await ask(testServer, token, 'tools/call', { name: 'update_products', arguments: {} })
    assert.deepEqual([refused.status, refused.body.error.data.scope], [403, 'admin:catalog'])
    // For this address alone.
    for (const path of ['/api/v1/admin/shop', '/api/v1/open/catalog/products', '/api/v1/oauth/authorize'])
      for (const scheme of ['Bearer', 'DPoP'])
        assert.equal((await testServer.fetch(path, { headers: { authorization: `${scheme} ${token}` } })).status, 401)
    assert.equal(host.fetches, 1, 'the document is cached')
    // A code that comes back was copied.
    assert.equal((await redeem(code)).body.error, 'invalid_grant')
    assert.equal((await ask(testServer, token, 'tools/list')).status, 401)
  })

  test('gets a new refresh token with every use, and loses its access when a used one is sent again', async () => {
    const testServer = await open()
    const host = await hostOf(given)
    const first = await connect(testServer, host, { scopes: ['admin:read'] })
    // Tokens are exchanged without the document.
    host.answers = (response) => response.writeHead(500).end()
    testServer.advance(11 * 60_000)
    assert.equal((await ask(testServer, first.access_token, 'tools/list')).status, 401)
    const { body: second } = await refresh(testServer, host, first.refresh_token)
    assert.equal((await ask(testServer, second.access_token, 'tools/list')).status, 200)
    assert.notEqual(second.refresh_token, first.refresh_token)
    // Whatever else the request asks for.
    const reused = await refresh(testServer, host, first.refresh_token, { scope: 'admin:orders' })
    assert.equal(reused.body.error, 'invalid_grant')
    assert.equal((await ask(testServer, second.access_token, 'tools/list')).status, 401)
    assert.equal((await refresh(testServer, host, second.refresh_token)).body.error, 'invalid_grant')
    const warning = testServer.lines().findLast(({ level }) => level === 'warn')
    assert.match(String(warning?.message), /^refresh token used again/)
  })

  test('gets a bearer token even if it proves a DPoP key, and the token is not bound to that key', async () => {
    const testServer = await open()
    const host = await hostOf(given)
    const key = await makeDpopKey()
    const { url, verifier } = await begin(testServer, host, { dpop_jkt: key.jkt })
    const returned = await authorize(testServer, openBrowser(testServer), url, { mode: 'test', scopes: ['admin:read'] })
    const code = returned.searchParams.get('code') ?? ''
    const fields = {
      grant_type: 'authorization_code',
      client_id: host.url,
      code_verifier: verifier,
      redirect_uri: back,
    }
    const { body: first } = await askToken(testServer, { ...fields, code }, { key })
    assert.deepEqual(
      [first.token_type, (await ask(testServer, first.access_token, 'tools/list')).status],
      ['Bearer', 200],
    )
    const renew = { grant_type: 'refresh_token', client_id: host.url, refresh_token: first.refresh_token }
    const { body: second } = await askToken(testServer, renew, { key })
    assert.equal((await ask(testServer, second.access_token, 'tools/list')).status, 200)
    // The key of the first use does not excuse the second.
    assert.equal((await askToken(testServer, renew, { key })).body.error, 'invalid_grant')
    assert.equal((await ask(testServer, second.access_token, 'tools/list')).status, 401)
  })

  test('is approved with the client metadata document that was fetched, once, when the authorization began', async () => {
    const testServer = await open()
    const host = await hostOf(given)
    const browser = openBrowser(testServer)
    const { url, redeem } = await begin(testServer, host)
    const first = await browser.visit(url)
    host.answers = (response) => response.writeHead(500).end()
    testServer.advance(61_000)
    const page = await signIn(browser, first)
    assert.match(page.text, /calls itself <strong dir="auto">Chatty</)
    testServer.advance(61_000)
    const returned = new URL((await consent(testServer, browser, page, { scopes: ['admin:read'], mode: 'test' })).url)
    const { body } = await redeem(returned.searchParams.get('code') ?? '')
    assert.equal((await ask(testServer, body.access_token, 'tools/list')).status, 200)
    assert.equal(host.fetches, 1)
  })

  test('gets a unique name, and one person can connect a limited number of chat programs to a shop', async () => {
    const testServer = await open()
    const host = await hostOf(given)
    const { storage, merchantId, clock } = testServer
    const document = { host: 'many.example', name: 'Twin', redirectUris: [back] }
    const names: string[] = []
    for (let i = 1; i <= 22; i += 1)
      names.push(
        (await storage.write((tx) => saveAssistant(tx, { ...document, url: `https://many.example/${i}` }, clock.now)))
          .name,
      )
    assert.deepEqual([names[0], names[21]], ['Twin (many.example)', 'Twin (many.example) 22'])

    const email = 'max@bloom.example'
    const userId = await testServer.newUser(email, [merchantId])
    const choice = { email, scopes: ['admin:read'], mode: 'test' } as const
    await connect(testServer, host, choice)
    for (let i = 2; i < assistantsOfPersonMax; i += 1)
      await storage.write(
        (tx) => tx.sql`
          insert into installations (id, merchant_id, name, mode, redirect_hosts, app_id, grant_id, granted_scopes, approved_by, created_at)
          select id || ${`-${i}`}, merchant_id, name || ${` -${i}`}, mode, redirect_hosts, app_id, grant_id || ${`-${i}`},
            granted_scopes, approved_by, created_at
          from installations where approved_by = ${userId} order by id limit 1`,
      )
    const browser = openBrowser(testServer)
    const page = await signIn(browser, await browser.visit((await begin(testServer, host)).url), { email })
    // The last one there is room for, by a double click.
    const twice = await Promise.all([1, 2].map(() => consent(testServer, browser, page, choice)))
    assert.ok(twice.some(({ url }) => url.startsWith(`${back}?code=`)) && twice.every(({ status }) => status !== 400))
    const next = await browser.visit((await begin(testServer, host)).url)
    const refused = await consent(testServer, browser, next, choice)
    assert.deepEqual([refused.status, refused.text.includes('as one person can have')], [400, true], refused.text)
    // Others are not kept out.
    await connect(testServer, host, { scopes: ['admin:read'] })
    await storage.write((tx) => tx.sql`delete from installations where approved_by = ${userId} and id like '%-%'`)
  })

  test('never has more scopes than its person has now, and loses access with that person or when it is disconnected', async () => {
    const testServer = await open()
    const host = await hostOf(given)
    const email = 'sam@bloom.example'
    const userId = await testServer.newUser(email, [testServer.merchantId])
    const setRole = (role: string) =>
      testServer.storage.write((tx) => tx.sql`update user_merchants set role = ${role} where user_id = ${userId}`)
    await setRole('staff')
    const browser = openBrowser(testServer)
    const { url } = await begin(testServer, host)
    const page = await signIn(browser, await browser.visit(url), { email })
    assert.ok(page.text.includes('value="admin:catalog"') && !page.text.includes('value="admin:settings"'))
    const { access_token: token, refresh_token: first } = await connect(testServer, host, {
      email,
      scopes: ['admin:read', 'admin:catalog', 'admin:settings'],
    })
    const { access_token: other } = await connect(testServer, host, { scopes: ['admin:read'] })
    const hasChange = async (of = token) => (await toolsOf(testServer, of)).includes('update_products')
    assert.equal(await hasChange(), true)
    const { body: narrow } = await refresh(testServer, host, first, { scope: 'admin:read' })
    assert.deepEqual([narrow.scope, await hasChange(narrow.access_token)], ['admin:read', false])
    const { refresh_token } = narrow
    assert.ok(!(await toolsOf(testServer, token)).includes('update_shop'))
    await setRole('viewer')
    assert.equal(await hasChange(), false)
    // Rights that were chosen one by one bound it as a role does.
    const chooseRights = (scopes: string | null) =>
      testServer.storage.write((tx) => tx.sql`update user_merchants set scopes = ${scopes} where user_id = ${userId}`)
    await chooseRights('admin:read admin:catalog')
    assert.equal(await hasChange(), true)
    await chooseRights('admin:read admin:orders')
    assert.equal(await hasChange(), false)
    await chooseRights(null)
    await testServer.storage.write((tx) => tx.sql`delete from user_merchants where user_id = ${userId}`)
    assert.equal((await ask(testServer, token, 'tools/list')).status, 401)
    assert.equal((await refresh(testServer, host, refresh_token)).body.error, 'invalid_grant')

    await sweepArtifacts(testServer.storage, testServer.clock.now)
    const list = await testServer.fetch('/api/v1/admin/installations', {
      headers: { authorization: `Bearer ${testServer.keys.admin}` },
    })
    const [mine, theirs] = list.body.data.filter(({ app }: { app: object | null }) => app !== null)
    assert.deepEqual([mine.status, theirs.status, theirs.approvedBy], ['active', 'ended', userId])
    assert.deepEqual([mine.app.clientUrl, mine.grantedScopes], [host.url, ['admin:read']])
    assert.ok(mine.lastTokenAt !== null)
    assert.equal((await ask(testServer, other, 'tools/list')).status, 200)
    const ended = await testServer.fetch(`/api/v1/admin/installations/${mine.id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${testServer.keys.admin}`, 'content-type': 'application/json' },
      body: JSON.stringify({ idempotencyKey: `end-the-assistant-${mine.id}` }),
    })
    assert.equal(ended.body.data.status, 'ended', ended.text)
    assert.equal((await ask(testServer, other, 'tools/list')).status, 401)
  })

  test('loses access when its person is signed out everywhere, and can be approved again immediately', async () => {
    const testServer = await open()
    const host = await hostOf(given)
    const email = 'ida@bloom.example'
    const userId = await testServer.newUser(email, [testServer.merchantId])
    const choice = { email, scopes: ['admin:read'] }
    const before = await connect(testServer, host, choice)
    const signOut = () => testServer.storage.write((tx) => endSessionsFrom(tx, userId, testServer.clock.now))
    const statusOf = async ({ access_token }: Tokens) => (await ask(testServer, access_token, 'tools/list')).status
    await signOut()
    assert.equal(await statusOf(before), 401)
    assert.equal((await refresh(testServer, host, before.refresh_token)).body.error, 'invalid_grant')
    // The second one within two seconds counts from a time that is still to come.
    await signOut()
    const after = await connect(testServer, host, choice)
    assert.equal(await statusOf(after), 200)
    const { body: renewed } = await refresh(testServer, host, after.refresh_token)
    await sweepArtifacts(testServer.storage, testServer.clock.now)
    assert.deepEqual([await statusOf(before), await statusOf(renewed)], [401, 200])
    const rows = await testServer.storage.read(
      (db) => db.sql<{ ended: number }>`
        select case when ended_at is null then 0 else 1 end as "ended" from installations
        where approved_by = ${userId} order by created_at, id`,
    )
    assert.deepEqual(
      rows.map(({ ended }) => Number(ended)),
      [1, 0],
    )
  })

  test('can be seen and disconnected in the account of its person, and in no other account', async () => {
    const testServer = await open()
    const host = await hostOf(given)
    const email = 'tom@bloom.example'
    const userId = await testServer.newUser(email, [testServer.merchantId])
    await testServer.storage.write((tx) => tx.sql`update user_merchants set role = 'viewer' where user_id = ${userId}`)
    const mine = await connect(testServer, host, { email, scopes: ['admin:read'] })
    const theirs = await connect(testServer, host, { scopes: ['admin:read'] })
    const statusOf = async ({ access_token }: Tokens) => (await ask(testServer, access_token, 'tools/list')).status
    const idsIn = ({ text }: { text: string }) =>
      [...text.matchAll(/name="assistant" value="([^"]+)"/g)].map(([, id = '']) => id)
    const enter = async (browser: Browser, who: string) =>
      browser.submit(`${testServer.origin}/admin/sign-in`, [
        ...Object.entries({ step: 'password', email: who, password, next: '/admin/account' }),
      ])
    const [browser, owner] = [openBrowser(testServer), openBrowser(testServer)]
    const page = await enter(browser, email)
    const others = idsIn(await enter(owner, 'ada@bloom.example'))
    const [id = '', none] = idsIn(page)
    assert.ok(none === undefined && id !== '' && !others.includes(id), page.text)
    assert.match(page.text, /Chatty \(127\.0\.0\.1:\d+\).*Test mode · Last used/s)
    const end = (assistant: string) =>
      browser.submit(`${testServer.origin}/admin/bloom/account/assistants`, [['assistant', assistant]])
    for (const other of [...others, '']) await end(other)
    assert.deepEqual([await statusOf(mine), await statusOf(theirs)], [200, 200])
    assert.deepEqual(idsIn(await end(id)), [])
    assert.deepEqual([await statusOf(mine), await statusOf(theirs)], [401, 200])
    const { body } = await testServer.askAdmin('listAdminChanges')
    const [entry] = body.data
    assert.deepEqual(
      [entry.operation, entry.actor.id, entry.changes[0].subject.id],
      ['endAdminInstallation', userId, id],
    )
    // All other sessions are ended with what they may have approved.
    const again = await connect(testServer, host, { email, scopes: ['admin:read'] })
    await browser.submit(`${testServer.origin}/admin/bloom/account/sessions`, [])
    assert.equal(await statusOf(again), 401)
    assert.match((await browser.visit(`${testServer.origin}/admin/account`)).url, /account$/)
  })

  // Refused before a row is written, or the same on both engines.
  if (!isOnce(given)) return

  test('works with the official MCP client in both versions, from the first refusal to a called tool', async () => {
    const testServer = await open()
    const host = await hostOf(given)
    const email = 'may@bloom.example'
    const userId = await testServer.newUser(email, [testServer.merchantId])
    // Types of its own (OfficialPackage), as the package is needed by this test alone and not by the compiler.
    const official: OfficialPackage = await import(officialName)
    const { UnauthorizedError } = official
    for (const version of ['2025-11-25', '2026-07-28']) {
      const chat = chatProgram(official, testServer, host)
      const connected = () => chat.connect(version === '2025-11-25' ? {} : { mode: { pin: version } })
      await assert.rejects(connected(), UnauthorizedError)
      const asked = new URL(chat.asked.at(-1) ?? '')
      assert.deepEqual(
        ['resource', 'code_challenge_method', 'scope', 'client_id'].map((name) => asked.searchParams.get(name)),
        [`${testServer.origin}/api/v1/admin/mcp`, 'S256', 'admin:read', host.url],
      )
      const choice = { email, scopes: ['admin:read'], mode: 'test' } as const
      await chat.finish((await authorize(testServer, openBrowser(testServer), asked.href, choice)).searchParams)
      const client = await connected()
      assert.equal(client.getNegotiatedProtocolVersion(), version)
      const { tools } = await client.listTools()
      assert.ok(tools.length > 0 && tools.every(({ annotations }) => annotations?.readOnlyHint === true))
      const slug = async () =>
        (await client.callTool({ name: 'get_shop', arguments: {} })).structuredContent?.data.shop.slug
      assert.equal(await slug(), 'bloom')
      // It refreshes by itself, and the token is a new one.
      const { refresh_token: old = '' } = chat.tokens() ?? {}
      testServer.advance(11 * 60_000)
      assert.equal(await slug(), 'bloom')
      assert.notEqual(chat.tokens()?.refresh_token, old)
      if (version === '2025-11-25')
        assert.equal((await refresh(testServer, host, old)).body.error, 'invalid_grant', 'a copy that is used')
      else await testServer.storage.write((tx) => tx.sql`delete from user_merchants where user_id = ${userId}`)
      // Neither the copy nor the person who left leaves it anything: a person has to be asked again.
      const { length } = chat.asked
      await assert.rejects(slug(), UnauthorizedError)
      assert.equal(chat.asked.length, length + 1)
      await client.close()
    }
  })

  test('is refused if its client metadata document is invalid or unreadable, or if it requests another resource', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    const refusedPage = async (host: Host) => {
      testServer.advance(61_000)
      return browser.visit((await begin(testServer, host)).url)
    }
    for (const more of [{ client_id: 'https://chat.example/c' }, { token_endpoint_auth_method: 'private_key_jwt' }]) {
      const page = await refusedPage(await hostOf(given, more))
      assert.deepEqual([page.status, page.text.includes('client metadata document')], [400, true], page.text)
    }
    const json = { 'content-type': 'application/json' }
    const broken = await hostOf(given)
    const good = await hostOf(given)
    for (const answers of [
      (response: ServerResponse) => response.writeHead(302, { location: good.url }).end(),
      (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/plain' }).end('{}'),
      (response: ServerResponse) => response.writeHead(200, json).end(`"${'x'.repeat(6_000)}"`),
      (response: ServerResponse) => response.destroy(),
    ]) {
      broken.answers = answers
      const page = await refusedPage(broken)
      assert.deepEqual([page.status, page.text.includes('could not be read')], [400, true], page.text)
    }
    assert.equal(good.fetches, 0, 'no redirect is followed')

    // An error of an assistant is shown, as its redirect URIs are anyone's choice.
    const wrong = await begin(testServer, good, { resource: testServer.resource })
    for (const [url, code] of [
      [wrong.url, 'invalid_target'],
      [(await begin(testServer, good, { code_challenge_method: 'plain' })).url, 'invalid_request'],
      [(await begin(testServer, good, { response_type: 'token' })).url, 'unsupported_response_type'],
      [(await begin(testServer, good, { prompt: 'none' })).url, 'login_required'],
    ] as const) {
      const page = await browser.visit(url)
      assert.deepEqual([page.status, page.text.includes(code)], [400, true], `${page.url} ${page.text}`)
    }
    const foreign = await begin(testServer, good, { redirect_uri: 'https://evil.example/callback' })
    assert.equal((await browser.visit(foreign.url)).status, 400)
    const app = new URL(wrong.url)
    app.searchParams.set('client_id', testServer.publicApp.id)
    app.searchParams.set('redirect_uri', 'https://app.example/callback')
    app.searchParams.set('resource', `${testServer.origin}/api/v1/admin/mcp`)
    assert.match((await browser.visit(app.href)).url, /error=invalid_target/)
  })

  test('can make the server fetch metadata documents only a few times a minute from one network', async () => {
    const { storage, origin, clock } = await open()
    const host = await hostOf(given)
    let now = clock.now
    const documents = createClientDocuments({
      storage,
      clock: () => new Date(now),
      publicOrigin: () => origin,
      documentThrottle: createThrottle(documentsOfNetwork),
    })
    const isBusy = async (path: number, address = '2001:db8:1:1::7') =>
      (await documents.documentAt(`${host.url}?${path}`, address)) === 'busy'
    let path = 0
    for (; !(await isBusy(path)); path += 1) now += 1_000
    const { fetches } = host
    assert.ok(fetches >= documentsOfNetwork.burst && fetches <= documentsOfNetwork.burst + 5, String(fetches))
    assert.deepEqual(
      [await isBusy(path, '2001:db8:1:2::8'), await isBusy(0), await isBusy(path, '2001:db8:2::1')],
      [true, false, false],
    )
  })
})
