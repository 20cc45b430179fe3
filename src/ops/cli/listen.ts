// The command `webhooks listen`: receives webhooks on the developer's machine, verifies each call as a receiver should, and prints a line
// for each. The endpoint is enabled while the command runs, and restored when it ends.

import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { addEndpoint, enableEndpoint, pauseEndpoint, removeEndpoint } from '../../domain/webhooks/endpoints.ts'
import {
  createSigningKeyCache,
  decryptSigningSecrets,
  type SigningSecret,
  signWebhook,
} from '../../domain/webhooks/signature.ts'
import { type Endpoint, findEndpoint, findEndpointAnywhere, listEndpointsAt } from '../../domain/webhooks/store.ts'
import { maskUrl } from '../../domain/webhooks/url.ts'
import { escapeControlCharacters } from '../../platform/audit/change.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { Lru } from '../../platform/kit/lru.ts'
import { program, startCommand } from '../../platform/kit/program.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { isEqualSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import { type Storage, StorageUnavailable } from '../../platform/storage/storage.ts'
import { receiverPath, receiverPort, receiverUrl } from '../provisioning/webhooks.ts'
import {
  CommandFailure,
  chooseInstallation,
  Misuse,
  type ParsedArguments,
  type Terminal,
  withStorage,
} from './command.ts'

const setting = 'CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE=1'

export function listenForWebhooks(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const wantedPort = readPort(given.texts.port)
  return withStorage(given, async (storage, { rootSecret, webhookAllowPrivate }) => {
    if (!webhookAllowPrivate)
      throw new CommandFailure(
        `calls to this machine are disabled; set ${setting} for both the server (\`${startCommand}\`) and this command (\`${program} webhooks listen\`)`,
      )
    const signalled = endSignal()
    const opened = Promise.withResolvers<Endpoint>()
    const broken = Promise.withResolvers<never>()
    // Marks a rejection as handled: the promise may reject before it is awaited below.
    broken.promise.catch(() => {})
    const receive = receiverFor({ storage, rootSecret, terminal, isJson: given.flags.has('json') }, opened.promise)
    const servers = await openPort(wantedPort, (request, response) => {
      receive(request, response).catch((error: unknown) => {
        if (error instanceof StorageUnavailable) {
          terminal.err(`a webhook call could not be verified: ${error.message}\n`)
          response.writeHead(503).end()
          return
        }
        response.destroy()
        // A caller that disconnected is not an error of this server.
        if (!isGone(error)) broken.reject(error)
      })
    })
    try {
      const visit = await beginVisit(storage, rootSecret, given, servers.port)
      try {
        opened.resolve(visit.endpoint)
        greet(given, terminal, visit, servers.port)
        await Promise.race([signalled, broken.promise])
      } finally {
        await visit.end()
      }
    } finally {
      await servers.close()
    }
    return 0
  })
}

function readPort(text = String(receiverPort)): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Misuse('--port must be a number from 0 to 65535')
  return Number(text)
}

// A second signal of the same kind ends the process immediately.
function endSignal(): Promise<unknown> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(signal, resolve)
  })
}

function isGone(error: unknown): boolean {
  return ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes((error as NodeJS.ErrnoException).code ?? '')
}

interface Servers {
  port: number
  close(): Promise<void>
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

// Listens on both loopback addresses if the machine has both, because `localhost` may mean either.
async function openPort(wanted: number, answer: Answer): Promise<Servers> {
  const first = await openServer(wanted, '127.0.0.1', answer).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE')
      throw new CommandFailure(
        `port ${wanted} is in use by another program; choose a free port with --port`,
        'port_in_use',
      )
    throw new CommandFailure(`cannot listen on port ${wanted}: ${error.message}`)
  })
  const { port } = first.address() as AddressInfo
  const [second] = await Promise.allSettled([openServer(port, '::1', answer)])
  const servers = second.status === 'fulfilled' ? [first, second.value] : [first]
  return { port, close: async () => void (await Promise.all(servers.map(closeServer))) }
}

async function openServer(port: number, host: string, answer: Answer): Promise<Server> {
  const server = createServer({ requestTimeout: 20_000, headersTimeout: 10_000 }, answer)
  server.maxConnections = 128
  server.listen(port, host)
  await once(server, 'listening')
  return server
}

const closeMsMax = 2_000

// Calls in progress are answered before the connections are closed.
async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  const patience = setTimeout(() => server.closeAllConnections(), closeMsMax)
  await closed
  clearTimeout(patience)
}

interface Visit {
  endpoint: Endpoint
  isAdded: boolean
  resumed: number
  // Restores the endpoint's previous state.
  end(): Promise<void>
}

const addedDescription = 'Made by webhooks listen for as long as it runs'

async function beginVisit(
  storage: Storage,
  rootSecret: RootSecret,
  given: ParsedArguments,
  port: number,
): Promise<Visit> {
  const found = await findReceiver(storage, given, port)
  if (!found) return addReceiver(storage, rootSecret, given, port)
  const { installationId, id, status } = found
  if (status === 'disabled')
    throw refuse('endpoint_disabled', { message: `The webhook endpoint ${id} is disabled.`, current: { status } })
  // A run that was killed leaves its endpoint behind; the next run at this address removes it.
  const isAdded = found.description === addedDescription
  const enabled =
    status === 'paused' ? await storage.write((tx) => enableEndpoint(tx, installationId, id, Date.now())) : undefined
  return {
    endpoint: found,
    isAdded,
    resumed: enabled?.resumed ?? 0,
    async end() {
      if (isAdded) await storage.write((tx) => removeEndpoint(tx, installationId, id, Date.now()))
      else if (enabled) await storage.write((tx) => pauseEndpoint(tx, installationId, id, Date.now()))
    },
  }
}

async function findReceiver(storage: Storage, given: ParsedArguments, port: number): Promise<Endpoint | undefined> {
  const { endpoint: named, installation, merchant } = given.texts
  if (named !== undefined) {
    const endpoint = await storage.read((db) => findEndpointAnywhere(db, named))
    if (!endpoint) throw refuse('webhook_endpoint_not_found', { message: `There is no webhook endpoint ${named}.` })
    return endpoint
  }
  const isBound = installation !== undefined || merchant !== undefined
  const within = isBound ? await chooseInstallation(storage, given) : undefined
  const urls = ['localhost', '127.0.0.1', '[::1]'].map((host) => receiverUrl(port, host))
  const found = (await storage.read((db) => listEndpointsAt(db, urls))).filter(
    ({ installationId }) => !within || installationId === within.id,
  )
  const [only, second] = found
  if (second)
    throw new Misuse(
      `several webhook endpoints point to this machine; choose one with --endpoint: ${found.map(({ id }) => id).join(', ')}`,
    )
  return only && storage.read((db) => findEndpoint(db, only.installationId, only.id))
}

async function addReceiver(
  storage: Storage,
  rootSecret: RootSecret,
  given: ParsedArguments,
  port: number,
): Promise<Visit> {
  const installation = await chooseInstallation(storage, given)
  const input = { url: receiverUrl(port), description: addedDescription, events: ['*'] }
  const tools = { rootSecret, allowPrivate: true }
  const { endpoint } = await storage.write((tx) => addEndpoint(tx, installation.id, input, tools, Date.now()))
  return {
    endpoint,
    isAdded: true,
    resumed: 0,
    end: async () => void (await storage.write((tx) => removeEndpoint(tx, installation.id, endpoint.id, Date.now()))),
  }
}

// With --json, the standard output is reserved for the calls.
function greet(given: ParsedArguments, terminal: Terminal, { endpoint, isAdded, resumed }: Visit, port: number): void {
  const here = receiverUrl(port)
  const lines = [
    `listening at ${here} for the endpoint ${endpoint.id}${isAdded ? ', which is removed when this command ends' : ''}`,
    ...(isAdded || endpoint.url.includes(`:${port}/`)
      ? []
      : [`the endpoint sends its calls to ${maskUrl(endpoint.url)}`]),
    ...(resumed > 0 ? [`number of held calls that are sent now: ${resumed}`] : []),
    `the server must run with ${setting}; to stop listening, press Ctrl-C`,
  ]
  const text = lines.map((line) => `${escapeControlCharacters(line)}\n`).join('')
  if (given.flags.has('json')) terminal.err(text)
  else terminal.out(text)
}

interface ReceiverParts {
  storage: Storage
  rootSecret: RootSecret
  terminal: Terminal
  isJson: boolean
}

const bodyBytesMax = 1_048_576
const remembered = 10_000

// A call that arrives before the endpoint is chosen waits for the choice.
function receiverFor({ storage, rootSecret, terminal, isJson }: ReceiverParts, opened: Promise<Endpoint>) {
  const seen = new Lru<string, true>(remembered)
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reject = (status: number, headers = {}) => {
      response.writeHead(status, { 'content-length': 0, connection: 'close', ...headers }).end()
      // Reads and discards the rest of the body, so the client gets the response before the connection is closed.
      request.resume()
    }
    if (URL.parse(request.url ?? '', 'http://localhost')?.pathname !== receiverPath) return reject(404)
    if (request.method !== 'POST') return reject(405, { allow: 'POST' })
    const body = await bodyOf(request)
    if (!body) return reject(413)
    const { installationId, id } = await opened
    const now = Date.now()
    const endpoint = await storage.read((db) => findEndpoint(db, installationId, id))
    // Decrypted for each call, since the secret may have been rotated since the last one.
    const problem = endpoint
      ? findWebhookProblem(
          request.headers,
          body,
          decryptSigningSecrets(createSigningKeyCache(rootSecret), endpoint, now),
          now,
        )
      : 'the endpoint was removed'
    const messageId = headerOf(request.headers, 'webhook-id') ?? ''
    const isDuplicate = problem === undefined && seen.get(messageId) === true
    if (problem === undefined) seen.set(messageId, true)
    const call: Call = {
      receivedAt: toInstant(now),
      verified: problem === undefined,
      problem: problem ?? null,
      duplicate: isDuplicate,
      id: messageId,
      deliveryId: headerOf(request.headers, 'webhook-delivery-id') ?? null,
      attempt: headerOf(request.headers, 'webhook-attempt') ?? null,
      body: parsed(body),
    }
    terminal.out(`${isJson ? jsonLine(call) : lineFor(call)}\n`)
    response.writeHead(problem === undefined ? 204 : 401, problem === undefined ? {} : { 'content-length': 0 }).end()
  }
}

// Returns undefined if the body is too large.
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > bodyBytesMax) return undefined
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

type Headers = IncomingMessage['headers']

function headerOf(headers: Headers, name: string): string | undefined {
  return [headers[name]].flat()[0]
}

const toleranceSeconds = 300
const signaturesMax = 20

// What a receiver has to check: all headers are present, the call is recent, and one of the signatures over its id, its time and its
// exact bytes was made with a known secret.
export function findWebhookProblem(
  headers: Headers,
  bytes: Buffer,
  secrets: readonly SigningSecret[],
  now: number,
): string | undefined {
  const [id, time, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  )
  if (!id) return 'webhook-id is missing'
  if (!time) return 'webhook-timestamp is missing'
  if (!signatures) return 'webhook-signature is missing'
  // Only one notation of a number is accepted, because the signature is over the text.
  if (!/^(0|[1-9]\d{0,11})$/.test(time)) return 'webhook-timestamp is not a whole number of seconds'
  const age = Math.floor(now / 1_000) - Number(time)
  if (age > toleranceSeconds)
    return `webhook-timestamp is ${age} seconds old; at most ${toleranceSeconds} seconds are allowed`
  if (age < -toleranceSeconds)
    return `webhook-timestamp is ${-age} seconds in the future; at most ${toleranceSeconds} seconds are allowed`
  // Different bytes that are not UTF-8 could decode to the same text.
  if (!isUtf8(bytes)) return 'the body is not UTF-8'
  const message = { id, timestamp: Number(time), body: bytes.toString('utf8') }
  const expected = secrets.map((secret) => signWebhook(secret, message))
  const given = signatures.split(' ', signaturesMax).filter((signature) => signature.startsWith('v1,'))
  if (given.length === 0) return 'webhook-signature contains no v1 signature'
  const fits = given.flatMap((signature) => expected.map((right) => isEqualSecret(right, signature)))
  return fits.includes(true) ? undefined : 'no signature was made with the secret of the endpoint'
}

interface Call {
  receivedAt: string
  verified: boolean
  problem: string | null
  duplicate: boolean
  id: string
  deliveryId: string | null
  attempt: string | null
  // The parsed body if it is JSON, otherwise its text.
  body: unknown
}

function parsed(bytes: Buffer): unknown {
  const text = bytes.toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

// Returns one line of JSON. Control characters and the line separators U+2028 and U+2029 can only occur in its strings, and are escaped
// for terminals and for programs that read lines.
function jsonLine(call: Call): string {
  return escapeControlCharacters(JSON.stringify(call)).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

function lineFor({ receivedAt, verified, problem, duplicate, attempt, body }: Call): string {
  const { type, subject, sequence } = membersOf(body)
  const tries = attempt !== null && attempt !== '1' ? [`attempt ${short(attempt)}`] : []
  const verdict = [verified ? 'verified' : `NOT VERIFIED: ${problem}`, ...(duplicate ? ['seen before'] : []), ...tries]
  const facts = [
    receivedAt,
    short(type).padEnd(26),
    short(membersOf(subject).id),
    sequence === undefined ? '–' : `#${short(sequence)}`,
  ]
  return escapeControlCharacters([...facts, verdict.join(', ')].join('  '))
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}
}

function short(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 60) : '–'
}
