// Makes one webhook call and reports its outcome. The receiver is not trusted: it may be slow, endless, broken or a trap, so
// every call has deadlines and bounds, follows nothing, and dials no address that the guard has not seen.

import dns from 'node:dns'
import { connect, isIP, type Socket } from 'node:net'
import tls from 'node:tls'
import { type buildConnector, type Dispatcher, errors, Pool } from 'undici'
import { isForbiddenAddress, targetProblem } from './guard.ts'

export interface Call {
  url: string
  headers: Readonly<Record<string, string>>
  body: string | Buffer
}

export interface CallOutcome {
  // `answered`: there was an HTTP status in time. `blocked`: the guard refused the address. `failed`: anything else.
  kind: 'answered' | 'failed' | 'blocked'
  statusCode: number | null
  // Header of a 429 or 503, as it was sent.
  retryAfter: string | null
  // A few plain words when there was no answer, without anything that was sent or any address.
  error: string | null
  // The beginning of the answer's body.
  answer: string | null
  tookMs: number
}

export interface Sender {
  // Never rejects.
  send(call: Call): Promise<CallOutcome>
  // Ends what is under way, as failed.
  close(): Promise<void>
}

export interface SenderOptions {
  allowPrivate: boolean
  // For the name of the receiver, and again for TCP and TLS together.
  connectMsMax?: number
  // From the call of `send` to the end of the answer; waiting for one of the connections to a busy address counts.
  exchangeMsMax?: number
  // The world outside, which tests replace.
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
const callsPerConnection = 100
// A call is not sent in the last tenth of its time: the receiver could not answer it, and would see it twice.
const shareToAnswerIn = 10
// More than that many calls can honestly bring. It stops floods that never become headers or body: endless reason
// phrases, chunk extensions.
const connectionBytesMax = 2 * callsPerConnection * (headerBytesMax + answerBytesRead)

export function createSender(options: SenderOptions): Sender {
  const { exchangeMsMax = exchangeMsDefault } = options
  // The least recently used comes first.
  const targets = new Map<string, Target>()
  const underWay = new Set<Exchange>()
  const closing = new AbortController()
  const connectTo = connectorOf(options, closing.signal)

  // By whole address: two receivers on one host have nothing to do with each other, and one that hangs must not keep the
  // other from its connections.
  function targetOf(url: string): Target | Ending {
    const known = targets.get(url)
    // Asked here again, since what is allowed may have changed after the address was registered.
    const problem = known ? undefined : targetProblem(url, options)
    if (problem !== undefined) return blocked(problem.message)
    const target = known ?? newTarget(new URL(url), connectTo)
    targets.delete(url)
    targets.set(url, target)
    const [oldest] = targets
    if (targets.size > addressesMax && oldest) {
      targets.delete(oldest[0])
      // It still ends the calls that it has.
      void oldest[1].pool.close()
    }
    return target
  }

  async function exchange({ url, headers, body }: Call): Promise<Ending> {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    const endsAt = performance.now() + exchangeMsMax
    // An idle connection can be reset just before it is used again, and all of them when a receiver restarts. Nothing was
    // written, so nothing can arrive twice; each of these costs one idle connection, and then comes a new one.
    for (let again = 0; ; again += 1) {
      if (closing.signal.aborted) return closed
      const target = targetOf(url)
      if ('kind' in target) return target
      const exchange = new Exchange(endsAt, endsAt - exchangeMsMax / shareToAnswerIn)
      underWay.add(exchange)
      // Answers are never decompressed, so none can unfold into more than it weighed.
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
      const ending = await exchange(call).catch(() => failed('the call could not be made'))
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

type Ending = Omit<CallOutcome, 'tookMs'>

const failed = (error: string): Ending => ({ ...nothing, kind: 'failed', error })
const blocked = (error: string): Ending => ({ ...nothing, kind: 'blocked', error })
const nothing = { statusCode: null, retryAfter: null, answer: null }
const connectionLost = 'connection lost'
const closed = failed('the sender was closed')

// An address that the guard lets pass, taken apart once.
interface Target {
  path: string
  pool: Pool
}

// Our own pool follows no redirect and asks the environment for no proxy.
function newTarget({ origin, pathname, search }: URL, connectTo: buildConnector.connector): Target {
  const pool = new Pool(origin, {
    connect: connectTo,
    connections: connectionsPerAddress,
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: idleMs,
    // A receiver may ask for less, not for more.
    keepAliveMaxTimeout: idleMs,
    maxRequestsPerClient: callsPerConnection,
    maxHeaderSize: headerBytesMax,
    // The deadline of the exchange covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return { path: pathname + search, pool }
}

// One call under way; undici reports its progress. It ends once: whatever comes later is ignored.
class Exchange implements Dispatcher.DispatchHandler {
  readonly ending: Promise<Ending>
  // The connection broke before a byte of the call was written to it.
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

  // The connection goes with it unless the answer was read to its end.
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

  // The call is about to be written: from here on it is unknown what the receiver has seen.
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Its time passed while it waited for a connection. Unlike an abort, this leaves the connection to the next.
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

  // A status is the receiver's word, and stands even where the body behind it breaks off, never ends or comes too slowly:
  // to call again would only repeat what was heard.
  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const isKnown = error instanceof CallFailure
    const ending = isKnown ? error.ending : failed(wordsFor(error))
    // A connection that could not be made is a failure like any other; this is about one that was there.
    this.isUnsent = !this.#isEnded && !isKnown && this.#controller === undefined && ending.error === connectionLost
    this.#controller = undefined
    this.end(this.#status ? this.#answered(this.#status) : ending)
  }

  #answered(status: Pick<Ending, 'statusCode' | 'retryAfter'>): Ending {
    if (this.#chunks.length === 0) return { ...status, kind: 'answered', error: null, answer: '' }
    // A character that the cut went through is left out. PostgreSQL keeps no NUL.
    const isCut = this.#bytes > answerBytesKept
    const text = new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: isCut })
    return { ...status, kind: 'answered', error: null, answer: text.replaceAll('\0', '') }
  }
}

// A failure that already knows what is to be said about it.
class CallFailure extends Error {
  readonly ending: Ending

  constructor(ending: Ending) {
    super(ending.error ?? '')
    this.ending = ending
  }
}

// Resolves, vets, dials and looks again. A resolver hook alone would not do: undici asks none for a literal address.
function connectorOf(options: SenderOptions, closing: AbortSignal): buildConnector.connector {
  const { allowPrivate, connectMsMax = connectMsDefault, lookup = lookupBySystem, dial = dialByNet } = options
  const { caCertificates } = options
  const secureContext = tls.createSecureContext(caCertificates ? { ca: [...caCertificates] } : {})
  // Connections that open together ask once, so one slow name server cannot fill the resolver's few threads.
  const lookups = new Map<string, Promise<readonly string[]>>()

  function resolve(name: string): Promise<readonly string[]> {
    const pending = lookups.get(name) ?? lookup(name).finally(() => lookups.delete(name))
    lookups.set(name, pending)
    return pending
  }

  async function vettedAddresses(hostname: string): Promise<readonly string[]> {
    const addresses = isIP(hostname) === 0 ? await within(connectMsMax, resolve(hostname)) : [hostname]
    if (addresses.length === 0) throw new CallFailure(failed('name not found'))
    // A name with one foot inside is a trap as a whole.
    if (addresses.some((address) => isForbiddenAddress(address, { allowPrivate }))) throw new CallFailure(guarded)
    return addresses.slice(0, addressesTriedMax)
  }

  // The addresses share the time, so a first one that never answers leaves some to the next.
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

  // Until it is handed over undici does not know the socket, so closing has to reach it here.
  async function ready<T extends Socket>(socket: T, event: 'connect' | 'secureConnect', msMax: number): Promise<T> {
    const abandon = () => void socket.destroy()
    closing.addEventListener('abort', abandon)
    // Errors after the first are of no interest, but one without a listener would end the process.
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
      // Whatever the environment says.
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

// Two things that undici does not do. It reads on for as long as bytes come that are neither headers nor body. And it
// takes an unasked «100 Continue», which some servers send before each answer, for a broken one, though a client has to
// pass over every interim answer (RFC 9110, 15.2); as a 102 it does.
function bounded(socket: Socket): Socket {
  const read = socket.read.bind(socket)
  socket.read = (size?: number) => {
    const chunk: Buffer | null = read(size)
    if (!chunk) return chunk
    if (socket.bytesRead > connectionBytesMax) socket.destroy(new CallFailure(failed('answer too large')))
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

// Made of codes alone: messages of errors carry addresses and pieces of what was read.
function wordsFor(error: unknown): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
  const words = wordsByCode[code]
  if (words !== undefined) return words
  if (error instanceof errors.HTTPParserError) return 'not an HTTP answer'
  if (/^ERR_(?:SSL|TLS)_/.test(code)) return `TLS: ${spoken(code.replace(/^ERR_(?:SSL|TLS)_/, ''))}`
  // The verdicts on a certificate are the only other codes without an E or a prefix: DEPTH_ZERO_SELF_SIGNED_CERT.
  if (/CERT|ISSUER|CRL|CHAIN|HOSTNAME_MISMATCH/.test(code)) return `TLS: ${spoken(code)}`
  return 'the call could not be made'
}

function spoken(code: string): string {
  return code.toLowerCase().replaceAll('_', ' ').slice(0, 60)
}
