// A stand-in for Mollie in tests: the API, the hosted page and the shopper's bank, in one server on a free loopback port. It
// follows Mollie's documentation as far as a payment adapter can see it. It is what we believe of Mollie: run the same flows with
// a test key of a real account before the first live key.
//
//   const mollie = await openMollie({ clock })
//   createMollieAccounts({ url: mollie.url })                       // or CARTWRIGHT_MOLLIE_URL = mollie.url
//   mollie.profile.test.books.act(id, { kind: 'pay' })              // what a shopper does on the hosted page
//   await mollie.profile.test.webhooks.deliver({ order: 'reversed', times: 2 })
//   mollie.lose('after', { method: 'POST', path: '/v2/payments' })
//   mollie.profile.test.forgetKeys()
//   await mollie.close()                                            // throws if it was sent something it does not know

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { readBounded } from '../boundedBody.ts'
import { lasting } from '../lasting.ts'
import { ApiError, Books } from './books.ts'
import { chargebackObject, listObject, type Place, paymentObject, profileObject, refundObject } from './objects.ts'
import { answerPage, pagePath } from './pages.ts'
import { type CreatePayment, type CreateRefund, checks, type UpdatePayment } from './schemas.ts'
import { Webhooks } from './webhooks.ts'

export interface Seen {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
  // Status of the answer, even if the answer was lost.
  status: number
}

export interface Match {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path?: string | RegExp
}

type Fault = { kind: 'lose'; when: 'before' | 'after' } | { kind: 'fail'; status: number } | Hold
interface Hold {
  kind: 'hold'
  arrive: () => void
  released: Promise<void>
}

interface Remembered {
  asked: string
  status: number
  body: string
}

// One key at Mollie, and what it sees.
export class ModeOfProfile {
  readonly key: string
  readonly books: Books
  readonly webhooks: Webhooks
  readonly remembered = new Map<string, Remembered>()
  readonly inFlight = new Set<string>()

  constructor(key: string, clock: () => Date) {
    this.key = key
    this.books = new Books(clock)
    this.webhooks = new Webhooks(this.books)
  }

  // What Mollie does with old idempotency keys.
  forgetKeys(): void {
    this.remembered.clear()
  }
}

export interface Profile {
  id: string
  name: string
  status: 'verified' | 'unverified' | 'blocked'
  // Ids of the methods that are switched on.
  methods: string[]
  test: ModeOfProfile
  live: ModeOfProfile
}

export interface MollieStandIn {
  url: string
  // The first profile; a second one belongs to another merchant.
  profile: Profile
  addProfile(name?: string): Profile
  // All requests, to the API and to the hosted page.
  requests: readonly Seen[]
  // The next requests that match: their answers are lost, before or after the work.
  lose(when: 'before' | 'after', match?: Match, times?: number): void
  // They are answered with this status, and nothing is done or remembered.
  fail(status: number, match?: Match, times?: number): void
  // The next one is held, its idempotency key in use.
  hold(match?: Match): { arrived: Promise<void>; release(): void }
  // Forgets the faults that were not met.
  reset(): void
  // Called when an answer is lost, before the client notices.
  onLost: () => void
  // How long every answer of the API takes: one half of it before the work is done, the other after it.
  latencyMs: number
  close(): Promise<void>
}

const bodyBytesMax = 100_000

export interface MollieOptions {
  clock?: () => Date
  // Whether `requests` is filled (default: true). A long run has no room for it.
  isRecording?: boolean
}

export async function openMollie({
  clock = () => new Date(),
  isRecording = true,
}: MollieOptions = {}): Promise<MollieStandIn> {
  const profiles: Profile[] = []
  const requests: Seen[] = []
  const defects: string[] = []
  const faults: { match: Match; fault: Fault }[] = []
  const server = createServer(lasting, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // The client was killed while it sent its request.
      if (request.destroyed && !request.complete) return
      defects.push(String((error as Error)?.stack ?? error))
      response.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBounded(request, bodyBytesMax)
    const { method = '', headers } = request
    const { pathname: path, searchParams } = new URL(request.url ?? '', url)
    const seen: Seen = { method, path: request.url ?? '', headers, body, status: 0 }
    if (isRecording) requests.push(seen)
    if (pagePath.test(path)) {
      const books = profiles.flatMap(({ test, live }) => [test.books, live.books])
      return answerPage(books, request, response, body)
    }
    const fault = take(faults, method, path)
    if (fault?.kind === 'lose' && fault.when === 'before') return lost(response)
    const query = Object.fromEntries(searchParams)
    const halfMs = standIn.latencyMs / 2
    if (halfMs > 0) await pause(halfMs)
    const given =
      fault?.kind === 'fail'
        ? failure(new ApiError(fault.status, 'This request was chosen to fail'))
        : await answerApi({ method, path, query, body, headers }, fault?.kind === 'hold' ? fault : undefined)
    if (halfMs > 0) await pause(halfMs)
    seen.status = given.status
    if (given.isDefect) defects.push(`${method} ${path}: ${given.body}`)
    if (fault?.kind === 'lose') return lost(response)
    response
      .writeHead(given.status, {
        'content-type': 'application/hal+json',
        ...(given.isReplayed && { 'idempotent-replayed': 'true' }),
      })
      .end(given.body)
  }

  function lost(response: ServerResponse): void {
    standIn.onLost()
    response.destroy()
  }

  async function answerApi(asked: Asked, hold: Hold | undefined): Promise<Given> {
    const [, key = ''] = /^Bearer (.+)$/.exec(asked.headers.authorization ?? '') ?? []
    const profile = profiles.find(({ test, live }) => test.key === key || live.key === key)
    if (!profile) return failure(new ApiError(401, 'Missing authentication, or failed to authenticate'))
    const mode = profile.test.key === key ? 'test' : 'live'
    const place: Place = { origin: url, mode, profileId: profile.id }
    return underKey(profile[mode], asked, async () => {
      if (hold) {
        hold.arrive()
        await hold.released
      }
      return work({ profile, side: profile[mode], place }, asked)
    })
  }

  function addProfile(name = 'Bloom'): Profile {
    const number = `${profiles.length + 1}`
    const keyOf = (mode: string) => `${mode}_${'x'.repeat(29 - number.length)}K${number}`
    const profile: Profile = {
      id: `pfl_${number}standin`,
      name,
      status: 'verified',
      methods: ['creditcard', 'ideal', 'banktransfer'],
      test: new ModeOfProfile(keyOf('test'), clock),
      live: new ModeOfProfile(keyOf('live'), clock),
    }
    profiles.push(profile)
    return profile
  }

  const plan = (fault: Fault, match: Match, times: number) => {
    for (let i = 0; i < times; i += 1) faults.push({ match, fault })
  }
  const standIn: MollieStandIn = {
    url,
    profile: addProfile(),
    addProfile,
    requests,
    lose: (when, match = {}, times = 1) => plan({ kind: 'lose', when }, match, times),
    fail: (status, match = {}, times = 1) => plan({ kind: 'fail', status }, match, times),
    hold(match = {}) {
      const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      plan({ kind: 'hold', arrive: arrived.resolve, released: released.promise }, match, 1)
      return { arrived: arrived.promise, release: released.resolve }
    },
    reset: () => void faults.splice(0),
    onLost: () => {},
    latencyMs: 0,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      const different = [...new Set(defects)].slice(0, 5)
      if (different.length > 0)
        throw new Error(`the stand-in for Mollie was sent what it refuses:\n${different.join('\n')}`)
    },
  }
  return standIn
}

interface Asked {
  method: string
  path: string
  query: Readonly<Record<string, string>>
  body: string
  headers: IncomingMessage['headers']
}

interface Given {
  status: number
  body: string
  isReplayed?: boolean
  // No client that works as documented gets this answer.
  isDefect?: boolean
}

class Undocumented extends ApiError {}

// https://docs.mollie.com/reference/api-idempotency: for POST only, the first answer is repeated; the same key for another endpoint or
// with other parameters is 400, and 409 while the first is being worked on.
async function underKey(side: ModeOfProfile, asked: Asked, work: () => Promise<Given>): Promise<Given> {
  const key = asked.method === 'POST' ? asked.headers['idempotency-key'] : undefined
  if (typeof key !== 'string') return work()
  const question = `${asked.path} ${asked.body}`
  const known = side.remembered.get(key)
  if (known && known.asked !== question)
    return failure(new ApiError(400, 'The idempotency key was used for another request'))
  if (known) return { ...known, isReplayed: true }
  if (side.inFlight.has(key))
    return failure(new ApiError(409, 'A request with this idempotency key is being processed'))
  side.inFlight.add(key)
  try {
    const given = await work()
    side.remembered.set(key, { asked: question, ...given })
    return given
  } finally {
    side.inFlight.delete(key)
  }
}

interface Scene {
  profile: Profile
  side: ModeOfProfile
  place: Place
}

function work(scene: Scene, asked: Asked): Given {
  try {
    return answered(scene, asked)
  } catch (error) {
    if (error instanceof ApiError) return failure(error)
    throw error
  }
}

function answered({ profile, side: { books }, place }: Scene, { method, path, query, body }: Asked): Given {
  const [, id = '', isRefund] = /^\/v2\/payments\/([^/]+)(\/refunds)?$/.exec(path) ?? []
  const route = id === '' ? `${method} ${path}` : `${method} /v2/payments/:id${isRefund ?? ''}`
  const json = () => parsed(body)
  const page = <Row>(rows: Iterable<Row>) => {
    mustPass(checks.paging, query)
    return { rows: [...rows], from: query.from, limit: Number(query.limit ?? 50) }
  }
  switch (route) {
    case 'POST /v2/payments': {
      const request = json() as CreatePayment
      mustPass(checks.createPayment, request)
      return success(201, paymentObject(books, place, books.create(request)))
    }
    case 'GET /v2/payments/:id':
      mustPass(checks.getPayment, query)
      return success(200, paymentObject(books, place, books.payment(id), query.embed !== undefined))
    case 'PATCH /v2/payments/:id': {
      const request = json() as UpdatePayment
      mustPass(checks.updatePayment, request)
      return success(200, paymentObject(books, place, books.update(id, request)))
    }
    case 'DELETE /v2/payments/:id':
      mustPass(checks.nothing, query)
      return success(200, paymentObject(books, place, books.cancel(id)))
    case 'POST /v2/payments/:id/refunds': {
      const request = json() as CreateRefund
      mustPass(checks.createRefund, request)
      return success(201, refundObject(place, books.refund(id, request)))
    }
    case 'GET /v2/payments': {
      const rows = page([...books.payments.keys()].map((one) => books.payment(one)))
      return success(
        200,
        listObject(place, 'payments', rows, (one) => paymentObject(books, place, one)),
      )
    }
    case 'GET /v2/refunds':
      return success(
        200,
        listObject(place, 'refunds', page(books.refunds.values()), (one) => refundObject(place, one)),
      )
    case 'GET /v2/chargebacks': {
      const rows = page(books.chargebacks.values())
      return success(
        200,
        listObject(place, 'chargebacks', rows, (one) => chargebackObject(place, one)),
      )
    }
    case 'GET /v2/profiles/me':
      mustPass(checks.nothing, query)
      return success(200, profileObject(place, profile.name, profile.status))
    case 'GET /v2/methods':
      mustPass(checks.nothing, query)
      return success(200, {
        count: profile.methods.length,
        _embedded: { methods: profile.methods.map((one) => ({ resource: 'method', id: one, status: 'activated' })) },
      })
    default:
      throw new Undocumented(404, `No endpoint ${route}`)
  }
}

function mustPass(check: (value: unknown) => { path: string; message: string }[], value: unknown): void {
  const [issue] = check(value)
  if (issue) throw new Undocumented(400, `${issue.path} ${issue.message}`, issue.path)
  const metadata = (value as { metadata?: unknown }).metadata
  if (metadata !== undefined && JSON.stringify(metadata).length > 1_024)
    throw new Undocumented(400, 'The metadata is too long', 'metadata')
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    throw new Undocumented(400, 'The body is not JSON')
  }
}

function success(status: number, body: object): Given {
  return { status, body: JSON.stringify(body) }
}

const titles: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized Request',
  404: 'Not Found',
  409: 'Conflict',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
}

function failure(error: ApiError): Given {
  const { status, message: detail, field } = error
  const title = titles[status] ?? 'Internal Server Error'
  const body = { status, title, detail, ...(field !== null && { field }), _links: {} }
  return { ...success(status, body), isDefect: error instanceof Undocumented }
}

function take(faults: { match: Match; fault: Fault }[], method: string, path: string): Fault | undefined {
  const index = faults.findIndex(({ match }) => {
    if (match.method !== undefined && match.method !== method) return false
    return match.path === undefined || (typeof match.path === 'string' ? match.path === path : match.path.test(path))
  })
  return index < 0 ? undefined : faults.splice(index, 1)[0]?.fault
}
