// A complete installation for tests: real storage, a real server on a free port, real shops and keys; only the clock is
// controlled by the test. Every answer that passes through `ask` is checked against its declared schema.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AppParts, createApp } from '../src/app.ts'
import { AdminErrorResponse } from '../src/contract/admin/errors.ts'
import { type AdminOperationId, adminOperations } from '../src/contract/admin/operations.ts'
import { PublicErrorResponse } from '../src/contract/errors.ts'
import { type OperationId, operations } from '../src/contract/open/operations.ts'
import { type RefusalCode, refusals } from '../src/contract/refusals.ts'
import type { TSchema } from '../src/contract/schema.ts'
import { fillPath, type Operation } from '../src/contract/surface.ts'
import { adminScopes, openInterfaceScopes, type Scope } from '../src/contract/words.ts'
import { switchMailQueue } from '../src/domain/emails/send.ts'
import { type InvariantViolation, invariants } from '../src/domain/health/invariants.ts'
import { type Installation, listInstallations } from '../src/domain/merchants/store.ts'
import { shopHostPages } from '../src/ops/cli/shophosts.ts'
import { createShops, feedHandOffs, type Shops, storefrontPages } from '../src/ops/cli/storefront.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { createKey } from '../src/platform/access/keys.ts'
import type { MerchantMode } from '../src/platform/kit/mode.ts'
import { retentionDefaultsMs } from '../src/platform/kit/retention.ts'
import { createLog } from '../src/platform/log/log.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import type { Reader, Storage } from '../src/platform/storage/storage.ts'
import { crawlerPages } from '../src/web/docs/crawlers.ts'
import { exchange } from './exchange.ts'
import type { Content } from './leases.ts'
import { issuesOf } from './schemas.ts'
import { bloom, rival } from './shops.ts'
import { assertNoStalls, watchStalls } from './stalls.ts'
import { type CountedStorage, countStatements } from './statements.ts'
import type { Given } from './storage.ts'

export interface Answer {
  status: number
  headers: Headers
  text: string
  // Parsed, and known to match the declared schema.
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any
}

export interface AskOptions {
  path?: Readonly<Record<string, string>>
  key?: string | null
  headers?: Readonly<Record<string, string>>
  body?: unknown
  // Sent unchanged, with the leading `?`.
  query?: string
}

export interface TestServer {
  origin: string
  storage: Storage
  clock: { now: number }
  // `full`: all scopes of the open interface. `admin`: all of the admin surface.
  keys: { full: string; catalog: string; none: string; rival: string; admin: string; rivalAdmin: string }
  installationId: string
  merchantId: string
  // In the mode of the installation.
  seller: MerchantMode
  // The log lines, parsed.
  lines: () => Record<string, unknown>[]
  ask(id: OperationId, options?: AskOptions): Promise<Answer>
  // With the key that has all admin scopes.
  askAdmin(id: AdminOperationId, options?: AskOptions): Promise<Answer>
  fetch(path: string, init?: RequestInit): Promise<Answer>
  // Sends bytes unchanged and returns everything received until the connection ends.
  wire(bytes: string | Buffer): Promise<string>
  newKey(
    requested: readonly Scope[],
    options?: { expiresAt?: number | null; name?: string },
  ): Promise<{ id: string; key: string }>
  apply(file: ShopFile, options?: { stock?: boolean }): Promise<void>
  forget(credentialId: string): void
  // What the server, and not the test, asks of the storage.
  counted: CountedStorage
  url: string
  // The database file, on SQLite.
  file: string | undefined
  app: ReturnType<typeof createApp>
}

export interface TestServerOptions
  extends Partial<
    Pick<
      AppParts,
      | 'rateLimit'
      | 'extraHandlers'
      | 'extraSurfaces'
      | 'headersTimeoutMs'
      | 'requestTimeoutMs'
      | 'idleTimeoutMs'
      | 'answerTimeoutMs'
      | 'connectionsMax'
      | 'connectionsPerAddressMax'
      | 'pressure'
      | 'trustedProxies'
      | 'production'
      | 'webhookAllowPrivate'
      | 'agentsShop'
      | 'showsShops'
      | 'webhookBounds'
      | 'publicOrigin'
      | 'retentionMs'
      | 'extraPages'
      | 'refusedDelayMs'
      | 'passwordCost'
      | 'payHooks'
      | 'providerUrls'
      | 'accountProviders'
      | 'mail'
      | 'media'
    >
  > {
  shops?: readonly ShopFile[]
  // Shows the shops of the merchants, as `serve` does.
  withShops?: boolean
  // An existing database, and the time in it.
  url?: string
  now?: number
}

export const testSecretText = 'a-secret-that-only-the-tests-of-this-house-know'
// A sign-in at the standard cost takes 0.3 s; the cost itself has its own tests.
export const cheapCost = { ln: 4, r: 1, p: 1 }
export const testSecret = parseRootSecret(testSecretText) as RootSecret

// For the command line, or a server beside the server. The clock of a server is in the past and theirs is not, so they
// would soon delete the data of a test.
export function settingsOf({ url }: Pick<TestServer, 'url'>): Readonly<Record<string, string>> {
  const kept = Object.keys(retentionDefaultsMs).map((name) => `${name}=36500d`)
  return {
    CARTWRIGHT_DATABASE_URL: url,
    CARTWRIGHT_SECRET: testSecretText,
    CARTWRIGHT_RETENTION: kept.join(','),
  }
}

export async function openTestServer(
  given: Given,
  {
    shops = [bloom, rival],
    url: known,
    now = Date.parse('2026-06-01T12:00:00.000Z'),
    withShops = false,
    ...parts
  }: TestServerOptions = {},
): Promise<TestServer> {
  watchStalls()
  const clock = { now }
  const { url, storage, own, keys } = await openFurnished(given, { url: known, shops, now })

  let logged = ''
  let origin = ''
  const log = createLog({
    level: 'debug',
    pretty: false,
    write: (lines) => {
      logged += lines
    },
  })
  const mediaFolder = join(tmpdir(), `cartwright-media-${randomUUID()}`)
  const counted = countStatements(storage)
  const app = createApp({
    storage: counted.storage,
    rootSecret: testSecret,
    rateLimit: null,
    refusedDelayMs: 0,
    // A machine that is busy with other work makes a test slow; it must not refuse its requests.
    pressure: { lagMsMax: 600_000 },
    passwordCost: cheapCost,
    trustedProxies: [],
    // Receivers in tests run on this machine.
    webhookAllowPrivate: true,
    // Made with the first picture.
    media: { kind: 'folder', folder: mediaFolder },
    publicOrigin: () => origin,
    version: 'test',
    clock: () => new Date(clock.now),
    log,
    ...(withShops && shopParts(storage, { origin: parts.publicOrigin ?? (() => origin), clock, shops: () => shown })),
    ...parts,
  })
  let shown: Shops | undefined
  if (withShops)
    shown = createShops({
      app,
      storage,
      clock: () => new Date(clock.now),
      report: (error) => assert.fail(error as Error),
    })
  if (app.mail) await switchMailQueue(storage, true, now)
  const port = await app.server.listen(0, '127.0.0.1')
  origin = `http://127.0.0.1:${port}`
  given.later(async () => {
    await app.server.drain(1_000)
    await app.dispatcher.drain()
    shown?.close()
    app.close()
    log.flush()
    // Few tests store a picture, and `rm` takes 1 ms to find that there is nothing.
    if (existsSync(mediaFolder)) await rm(mediaFolder, { recursive: true, force: true })
    assertNoStalls()
    // Whatever a test did, the invariants must hold.
    assert.deepEqual(await storage.read(listViolations), [])
  })

  async function fetchAnswer(path: string, init?: RequestInit): Promise<Answer> {
    const { status, headers, text } = await exchange(`${origin}${path}`, init)
    const isJson = headers.get('content-type')?.startsWith('application/json')
    return { status, headers, text, body: isJson && text ? JSON.parse(text) : text }
  }

  async function askRow(
    { method, path: pattern }: Operation,
    { path = {}, key, headers = {}, body, query = '' }: AskOptions,
  ): Promise<Answer> {
    return fetchAnswer(fillPath(pattern, path) + query, {
      method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  }

  return {
    origin,
    storage,
    clock,
    keys,
    installationId: own.id,
    merchantId: own.merchantId,
    seller: { merchantId: own.merchantId, mode: own.mode },
    lines: () => {
      log.flush()
      return logged
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    },
    async ask(id, { key = keys.full, ...options } = {}) {
      const answer = await askRow(operations[id], { ...options, key })
      assertDeclared(id, operations[id], PublicErrorResponse, answer)
      return answer
    },
    async askAdmin(id, { key = keys.admin, ...options } = {}) {
      const answer = await askRow(adminOperations[id], { ...options, key })
      assertDeclared(id, adminOperations[id], AdminErrorResponse, answer)
      return answer
    },
    fetch: fetchAnswer,
    async wire(bytes) {
      const socket = connect(port, '127.0.0.1')
      socket.setEncoding('utf8')
      let received = ''
      socket.on('data', (text: string) => {
        received += text
      })
      socket.on('error', () => socket.destroy())
      await once(socket, 'connect')
      socket.write(bytes)
      await once(socket, 'close')
      return received
    },
    newKey: (requested, { expiresAt = null, name = 'made by a test' } = {}) =>
      storage.write((tx) => createKey(tx, testSecret, own, { name, scopes: requested, expiresAt }, clock.now)),
    apply: async (file, { stock = false } = {}) => {
      const report = await applyShop(storage, file, { now: clock.now, stock, dryRun: false })
      assert.deepEqual(report.refused, [])
    },
    forget: app.identify.forget,
    counted,
    url,
    file: url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined,
    app,
  }
}

interface ShopParts {
  origin: () => string
  clock: { now: number }
  shops: () => Shops | undefined
}

function shopParts(storage: Storage, { origin, clock, shops }: ShopParts): Partial<AppParts> {
  return {
    showsShops: true,
    extraPages: [
      ...storefrontPages(shops),
      ...crawlerPages({ origin, shop: async (slug, isByHost) => shops()?.crawled(slug, isByHost) }),
      ...shopHostPages(storage),
    ],
    shopHosts: {
      isOurs: (header) => shops()?.hosts.isOurs(header) ?? true,
      find: async (header, path) => shops()?.hosts.find(header, path) ?? 'ours',
    },
    extraHandOffs: feedHandOffs({ storage, clock: () => new Date(clock.now), shops }),
  }
}

// What a server contains before a test begins.
interface Furniture {
  own: Installation
  keys: TestServer['keys']
}

async function furnish(storage: Storage, shops: readonly ShopFile[], now: number): Promise<Furniture> {
  // The next server gets the rows alone.
  const withoutStatistics = { ...storage, afterBulkLoad: async () => {} }
  const installations: (Installation | undefined)[] = []
  for (const file of shops) {
    const report = await applyShop(withoutStatistics, file, { now, stock: false, dryRun: false })
    assert.deepEqual(report.refused, [])
    const [first] = await storage.read((db) => listInstallations(db, report.merchantId))
    installations.push(first)
  }
  const [own, other] = installations
  assert.ok(own)
  async function keyOf(installation: Installation, name: string, requested: readonly Scope[]): Promise<string> {
    const input = { name, scopes: requested, expiresAt: null }
    return (await storage.write((tx) => createKey(tx, testSecret, installation, input, now))).key
  }
  const keys = {
    full: await keyOf(own, 'full', openInterfaceScopes),
    catalog: await keyOf(own, 'catalog', ['catalog:read']),
    none: await keyOf(own, 'none', []),
    rival: other ? await keyOf(other, 'rival', openInterfaceScopes) : '',
    admin: await keyOf(own, 'admin', adminScopes),
    rivalAdmin: other ? await keyOf(other, 'rival admin', adminScopes) : '',
  }
  return { own, keys }
}

interface Place {
  url: string | undefined
  shops: readonly ShopFile[]
  now: number
}

type Furnished = Furniture & { url: string; storage: Storage }
const furnished = new Map<string, Furniture & { content: Content }>()

// Applying the shops takes most of the time of opening a server: the next one with the same shops begins with the rows that it has made.
async function openFurnished(given: Given, { url: known, shops, now }: Place): Promise<Furnished> {
  if (known !== undefined || !given.lease) {
    const url = known ?? (await given.migratedUrl())
    // The schema of a new store is complete.
    const storage = await given.open({ url, withMigrations: known !== undefined })
    return { url, storage, ...(await furnish(storage, shops, now)) }
  }
  const name = JSON.stringify([given.engine, shops, now])
  const before = furnished.get(name)
  const { url, storage, read } = await given.lease(before?.content)
  if (before) return { url, storage, own: before.own, keys: before.keys }
  const made = await furnish(storage, shops, now)
  furnished.set(name, { ...made, content: await read() })
  return { url, storage, ...made }
}

// Like `findViolations`, which sends a statement when the one before is answered, so requests of a large shop get their turn. Here all are
// sent at once: the 53 round trips to PostgreSQL were a fifth of the processor time of opening and closing a test server.
async function listViolations(db: Reader): Promise<InvariantViolation[]> {
  const asked = invariants.map(async ({ name, sentence, violations }) => {
    const rows = await violations(db)
    return { name, sentence, subjects: rows.map(({ subject }) => subject) }
  })
  return (await Promise.all(asked)).filter(({ subjects }) => subjects.length > 0)
}

const declaredStatuses = [200, 400, 401, 403, 404, 409, 429]

function assertDeclared(id: string, { reply }: Operation, errors: TSchema, answer: Answer): void {
  assert.ok(declaredStatuses.includes(answer.status), `${id} answered ${answer.status}: ${answer.text}`)
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  assert.match(answer.headers.get('x-request-id') ?? '', /^req_[0-9a-z]{26}$/)
  if (answer.status === reply.status && reply.schema)
    assert.deepEqual(issuesOf(reply.schema, answer.body), [], `${id} answered against its schema`)
  else assertErrorOf(errors, answer)
}

export function assertError(answer: Answer, code?: RefusalCode): void {
  assertErrorOf(PublicErrorResponse, answer, code)
}

export function assertAdminError(answer: Answer, code?: RefusalCode): void {
  assertErrorOf(AdminErrorResponse, answer, code)
}

function assertErrorOf(schema: TSchema, answer: Answer, code?: RefusalCode): void {
  assert.deepEqual(issuesOf(schema, answer.body), [])
  assert.equal(answer.body.error.requestId, answer.headers.get('x-request-id'))
  assert.equal(answer.body.error.status, answer.status)
  assert.equal(refusals[answer.body.error.code as RefusalCode].status, answer.status)
  if (code) assert.equal(answer.body.error.code, code)
}
