// Makes one webhook call and returns its outcome. The receiver is not trusted: it may be slow, endless, broken or malicious. So each call
// has timeouts and limits, follows no redirect, and connects only to addresses that the guard has checked.

import dns from 'node:dns'
import { connect, isIP, type Socket } from 'node:net'
import tls from 'node:tls'
import { type buildConnector, type Dispatcher, errors, Pool } from 'undici'
import { findTargetProblem, isForbiddenAddress } from './guard.ts'

export interface OutgoingCall {
  url: string
  headers: Readonly<Record<string, string>>
  body: string | Buffer
}

export interface CallOutcome {
  // `answered`: an HTTP status arrived in time. `blocked`: the guard refused the address. `failed`: any other failure.
  kind: 'answered' | 'failed' | 'blocked'
  statusCode: number | null
  // The `Retry-After` header of a response with status 429 or 503.
  retryAfter: string | null
  // A few words if there was no response, without any part of the request or the address.
  error: string | null
  // The beginning of the response body.
  answer: string | null
  tookMs: number
}

export interface Sender {
  // Never rejects.
  send(call: OutgoingCall): Promise<CallOutcome>
  // Aborts current calls, whose outcome is then a failure.
  close(): Promise<void>
}

export interface SenderOptions {
  allowPrivate: boolean
  // Timeout for resolving the name of the receiver, and another one for TCP and TLS together.
  connectMsMax?: number
  // Timeout from the call of `send` to the end of the response, including the wait for a free connection.
  exchangeMsMax?: number
  // How long connections to a receiver are used. Then its URL and the addresses of its name are checked again.
  connectionMsMax?: number
  // For tests: replaces the resolver.
  lookup?: (name: string) => Promise<readonly string[]>
  dial?: (address: string, port: number) => Socket
  caCertificates?: readonly string[]
}

const connectMsDefault = 5_000
const exchangeMsDefault = 20_000
const connectionsPerAddress = 8
const addressesMax = 512
const idleMs = 4_000
const addressesTriedMax = 4
const headerBytesMax = 16 * 1024
const answerBytesRead = 16 * 1024
const answerBytesKept = 4 * 1024
const retryAfterCharactersMax = 100
const interimAnswersMax = 16
const connectionMsDefault = 60_000
// In the last tenth of its time a call is no longer sent: the response would be late, and the receiver would get the call twice.
const shareToAnswerIn = 10
// More bytes than a valid response can have, with its interim ones. The limit stops data without end that is neither header nor body, such
// as reason phrases or chunk extensions.
const exchangeBytesMax = 2 * (interimAnswersMax * headerBytesMax + answerBytesRead)

export function createSender(options: SenderOptions): Sender {
  const { exchangeMsMax = exchangeMsDefault, connectionMsMax = connectionMsDefault } = options
  // The least recently used target comes first.
  const targets = new Map<string, Target>()
  const underWay = new Set<Exchange>()
  const closing = new AbortController()
  const connectTo = connectorOf(options, closing.signal)

  // One target per URL: a receiver that does not respond must not occupy the connections of another one on the same host.
  function targetOf(url: string, now: number): Target | Ending {
    const last = targets.get(url)
    const known = last && now - last.openedAt < connectionMsMax ? last : undefined
    // The URL is checked again, because the rules may have changed after it was registered.
    const problem = known ? undefined : findTargetProblem(url, options)
    if (problem !== undefined) return blocked(problem.message)
    const target = known ?? newTarget(new URL(url), connectTo, now)
    targets.delete(url)
    targets.set(url, target)
    // Current calls of a pool that is closed still end normally.
    if (last !== undefined && last !== target) void last.pool.close()
    if (targets.size > addressesMax) closeOldest(targets)
    return target
  }

  async function exchange({ url, headers, body }: OutgoingCall, startedAt: number): Promise<Ending> {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const endsAt = startedAt + exchangeMsMax
    // An idle connection may be reset just before it is used again; if the receiver restarts, all of them are. Nothing was written then,
    // so the call cannot arrive twice. Each retry uses up one idle connection, and in the end a new one is opened.
    for (let again = 0; ; again += 1) {
      if (closing.signal.aborted) return closed
      const target = targetOf(url, startedAt)
      if ('kind' in target) return target
      const exchange = new Exchange(endsAt, endsAt - exchangeMsMax / shareToAnswerIn)
      underWay.add(exchange)
      // Responses are not decompressed, so their size cannot grow.
      const identity = { ...headers, 'accept-encoding': 'identity' }
      target.pool.dispatch({ path: target.path, method: 'POST', headers: identity, body: bytes }, exchange)
      const ending = await exchange.ending
      underWay.delete(exchange)
      if (!exchange.isUnsent || again === connectionsPerAddress) return ending
    }
  }

  return {
    async send(call) {
      const startedAt = performance.now()
      const ending = await exchange(call, startedAt).catch(() => failed('the call could not be made'))
      return { ...ending, tookMs: Math.round(performance.now() - startedAt) }
    },
    async close() {
      closing.abort(new CallFailure(closed))
      for (const exchange of underWay) exchange.end(closed)
      await Promise.all([...targets.values()].map(({ pool }) => pool.destroy()))
      targets.clear()
    },
  }
}

function closeOldest(targets: Map<string, Target>): void {
  const [oldest] = targets
  if (!oldest) return
  targets.delete(oldest[0])
  void oldest[1].pool.close()
}

type Ending = Omit<CallOutcome, 'tookMs'>

const failed = (error: string): Ending => ({ ...nothing, kind: 'failed', error })
const blocked = (error: string): Ending => ({ ...nothing, kind: 'blocked', error })
const nothing = { statusCode: null, retryAfter: null, answer: null }
const connectionLost = 'connection lost'
const closed = failed('the sender was closed')

// A URL that the guard accepts, parsed once.
interface Target {
  path: string
  pool: Pool
  // On the monotonic clock.
  openedAt: number
}

// The pool follows no redirects, and takes no proxy from the environment.
function newTarget({ origin, pathname, search }: URL, connectTo: buildConnector.connector, openedAt: number): Target {
  const pool = new Pool(origin, {
    connect: connectTo,
    connections: connectionsPerAddress,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    // A receiver may request a shorter keep-alive timeout, but no longer one.
    keepAliveMaxTimeout: idleMs,
    maxHeaderSize: headerBytesMax,
    // The deadline of the exchange covers headers and body.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return { path: pathname + search, pool, openedAt }
}

// One current call, whose progress undici reports. It ends once; later reports are ignored.
class Exchange implements Dispatcher.DispatchHandler {
  readonly ending: Promise<Ending>
  // Whether the connection broke before a byte of the call was written to it.
  isUnsent = false
  readonly #deadline: NodeJS.Timeout
  readonly #chunks: Buffer[] = []
  #resolve: (ending: Ending) => void = () => {}
  #controller: Dispatcher.DispatchController | undefined
  #isEnded = false
  #interimAnswers = 0
  #bytes = 0
  #status: Pick<Ending, 'statusCode' | 'retryAfter'> | undefined

  readonly #sentBy: number

  constructor(endsAt: number, sentBy: number) {
    this.#sentBy = sentBy
    this.ending = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#deadline = setTimeout(() => this.#tooLate(), Math.max(1, endsAt - performance.now()))
  }

  // Also closes the connection, unless the response was read completely.
  end(ending: Ending): void {
    if (this.#isEnded) return
    this.#isEnded = true
    clearTimeout(this.#deadline)
    this.#controller?.abort(new Error('ended'))
    this.#resolve(ending)
  }

  #tooLate(): void {
    if (this.#status) this.end(this.#answered(this.#status))
    else this.end(failed(this.#controller ? 'answer too slow' : 'timed out'))
  }

  // The call is about to be written. From here on it is unknown which bytes the receiver gets.
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The call waited too long for a connection. Throwing keeps the connection for the next call, which an abort would not.
    if (this.#isEnded || performance.now() >= this.#sentBy) throw new CallFailure(failed('timed out'))
    this.#controller = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    statusCode: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (statusCode < 200) {
      this.#interimAnswers += 1
      if (this.#interimAnswers > interimAnswersMax) this.end(failed('too many interim answers'))
      return
    }
    const isPatient = statusCode === 429 || statusCode === 503
    const retryAfter = isPatient
      ? [headers['retry-after'] ?? []].flat()[0]?.slice(0, retryAfterCharactersMax)
      : undefined
    this.#status = { statusCode, retryAfter: retryAfter ?? null }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#bytes < answerBytesKept) this.#chunks.push(Buffer.from(chunk.subarray(0, answerBytesKept - this.#bytes)))
    this.#bytes += chunk.length
    if (this.#bytes > answerBytesRead && this.#status) this.end(this.#answered(this.#status))
  }

  onResponseEnd(): void {
    this.#controller = undefined
    this.end(this.#status ? this.#answered(this.#status) : failed('not an HTTP answer'))
  }

  // If the receiver has sent a status, this status counts, even if the body breaks off, does not end or is too slow: another call would
  // only get the same status.
  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const isKnown = error instanceof CallFailure
    const ending = isKnown ? error.ending : failed(wordsFor(error))
    // Only a lost connection counts as unsent. A connection that could not be opened is an ordinary failure.
    this.isUnsent = !this.#isEnded && !isKnown && this.#controller === undefined && ending.error === connectionLost
    this.#controller = undefined
    this.end(this.#status ? this.#answered(this.#status) : ending)
  }

  #answered(status: Pick<Ending, 'statusCode' | 'retryAfter'>): Ending {
    if (this.#chunks.length === 0) return { ...status, kind: 'answered', error: null, answer: '' }
    // A character that was cut in two is left out. NUL is removed, because PostgreSQL cannot store it.
    const isCut = this.#bytes > answerBytesKept
    const text = new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: isCut })
    return { ...status, kind: 'answered', error: null, answer: text.replaceAll('\0', '') }
  }
}

// An error with the outcome that is to be reported.
class CallFailure extends Error {
  readonly ending: Ending

  constructor(ending: Ending) {
    super(ending.error ?? '')
    this.ending = ending
  }
}

// Resolves the name, checks its addresses, connects, and checks the address of the connection again. A custom resolver would not suffice,
// because undici does not resolve literal addresses.
function connectorOf(options: SenderOptions, closing: AbortSignal): buildConnector.connector {
  const { allowPrivate, connectMsMax = connectMsDefault, lookup = lookupBySystem, dial = dialByNet } = options
  const { caCertificates } = options
  const secureContext = tls.createSecureContext(caCertificates ? { ca: [...caCertificates] } : {})
  // Connections that open at the same time share one query, so one slow name server cannot occupy the few threads of the resolver.
  const lookups = new Map<string, Promise<readonly string[]>>()

  function resolve(name: string): Promise<readonly string[]> {
    const pending = lookups.get(name) ?? lookup(name).finally(() => lookups.delete(name))
    lookups.set(name, pending)
    return pending
  }

  async function vettedAddresses(hostname: string): Promise<readonly string[]> {
    const addresses = isIP(hostname) === 0 ? await within(connectMsMax, resolve(hostname)) : [hostname]
    if (addresses.length === 0) throw new CallFailure(failed('name not found'))
    // A name is refused if any of its addresses is forbidden.
    if (addresses.some((address) => isForbiddenAddress(address, { allowPrivate }))) throw new CallFailure(guarded)
    return addresses.slice(0, addressesTriedMax)
  }

  // The remaining time is divided among the addresses: if the first one does not respond, some time is left for the next.
  async function dialOneOf(addresses: readonly string[], port: number, endsAt: number): Promise<Socket> {
    let problem: unknown
    for (const [index, address] of addresses.entries()) {
      closing.throwIfAborted()
      const socket = dial(address, port)
      try {
        return await ready(socket, 'connect', (endsAt - performance.now()) / (addresses.length - index))
      } catch (error) {
        problem = error
      }
    }
    throw problem
  }

  // undici does not know the socket before it is passed on, so `close` must abort it here.
  async function ready<T extends Socket>(socket: T, event: 'connect' | 'secureConnect', msMax: number): Promise<T> {
    const abandon = () => void socket.destroy()
    closing.addEventListener('abort', abandon)
    // Without a listener, a further error would end the process.
    socket.on('error', () => {})
    try {
      await within(
        msMax,
        new Promise<void>((done, fail) => {
          socket.once(event, done)
          socket.once('error', fail)
          socket.once('close', () => fail(new CallFailure(failed(connectionLost))))
        }),
      )
      return socket
    } catch (error) {
      socket.destroy()
      throw error
    } finally {
      closing.removeEventListener('abort', abandon)
    }
  }

  async function open({ hostname, port, protocol }: buildConnector.Options): Promise<Socket> {
    const isSecure = protocol === 'https:'
    const addresses = await vettedAddresses(hostname)
    const endsAt = performance.now() + connectMsMax
    const socket = await dialOneOf(addresses, Number(port || (isSecure ? 443 : 80)), endsAt)
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isForbiddenAddress(remoteAddress, { allowPrivate })) {
      socket.destroy()
      throw new CallFailure(remoteAddress === undefined ? failed(connectionLost) : guarded)
    }
    socket.setNoDelay(true)
    if (!isSecure) return socket
    const secured = tls.connect({
      socket,
      secureContext,
      // Set explicitly, so the environment cannot disable the check.
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      host: hostname,
      // A server name has no trailing dot and is not an address (RFC 6066, 3).
      ...(isIP(hostname) === 0 ? { servername: hostname.replace(/\.$/, '') } : {}),
    })
    try {
      return await ready(secured, 'secureConnect', endsAt - performance.now())
    } catch (error) {
      socket.destroy()
      throw error
    }
  }

  return (request, callback) => {
    open(request)
      .then(bounded)
      .then(
        (socket) => callback(null, socket),
        (error) => callback(error instanceof CallFailure ? error : new CallFailure(failed(wordsFor(error))), null),
      )
  }
}

const guarded = blocked('the name of the receiver leads to a private or special address')

async function lookupBySystem(name: string): Promise<readonly string[]> {
  const found = await dns.promises.lookup(name, { all: true })
  return found.map(({ address }) => address)
}

function dialByNet(address: string, port: number): Socket {
  return connect({ host: address, port, keepAlive: true })
}

async function within<T>(msMax: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new CallFailure(failed('timed out'))), Math.max(1, msMax))
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

const unasked = Buffer.from('HTTP/1.1 100')
const interimAt = 'HTTP/1.1 '.length
const interimDigit = '1'.charCodeAt(0)

// Adds what undici lacks: a limit for bytes that are neither header nor body, which undici would read forever, and support for an
// unrequested «100 Continue». Some servers send it before each response, and a client must skip every interim response (RFC 9110, 15.2),
// but undici treats it as an error. undici does skip a 102.
function bounded(socket: Socket): Socket {
  const read = socket.read.bind(socket)
  // Numbers of bytes written and read when the response to the present call began. Once more bytes were written, another call has begun.
  let [written, before] = [0, 0]
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size)
    if (!chunk) return chunk
    if (socket.bytesWritten !== written) [written, before] = [socket.bytesWritten, socket.bytesRead - chunk.length]
    if (socket.bytesRead - before > exchangeBytesMax) socket.destroy(new CallFailure(failed('answer too large')))
    if (chunk[interimAt] === interimDigit && chunk.subarray(0, unasked.length).equals(unasked))
      chunk.write('2', unasked.length - 1)
    return chunk
  }
  return socket
}

const wordsByCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: connectionLost,
  EPIPE: connectionLost,
  UND_ERR_SOCKET: connectionLost,
  ETIMEDOUT: 'timed out',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  ENOTFOUND: 'name not found',
  ENODATA: 'name not found',
  EAI_AGAIN: 'name lookup failed',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'not an HTTP answer',
  UND_ERR_HEADERS_OVERFLOW: 'answer headers too large',
  ERR_ASSERTION: 'not an HTTP answer',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS: the certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'TLS: the receiver does not speak TLS',
}

// Uses only the codes of errors: their messages contain addresses and parts of the response.
function wordsFor(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  const words = wordsByCode[code]
  if (words !== undefined) return words
  if (error instanceof errors.HTTPParserError) return 'not an HTTP answer'
  if (/^ERR_(?:SSL|TLS)_/.test(code)) return `TLS: ${spoken(code.replace(/^ERR_(?:SSL|TLS)_/, ''))}`
  // Codes of certificate errors are the only others without an E or a prefix, such as DEPTH_ZERO_SELF_SIGNED_CERT.
  if (/CERT|ISSUER|CRL|CHAIN|HOSTNAME_MISMATCH/.test(code)) return `TLS: ${spoken(code)}`
  return 'the call could not be made'
}

function spoken(code: string): string {
  return code.toLowerCase().replaceAll('_', ' ').slice(0, 60)
}
