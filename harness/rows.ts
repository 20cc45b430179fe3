// What holds for every operation of a surface, tested from its rows.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RefusalCode } from '../src/contract/refusals.ts'
import { fillPath, type Operation, type Surface } from '../src/contract/surface.ts'
import { issuesOf } from './schemas.ts'
import type { Answer } from './testServer.ts'
import { isWide } from './wide.ts'

export interface RowRequest {
  path?: Readonly<Record<string, string>>
  // With the leading `?`.
  query?: string
  body?: object
}

type Headers = Readonly<Record<string, string>>
type Entries = readonly { operation: string; changes: string }[]

// How the tests reach the operations of a surface.
export interface RowWorld {
  fetch(path: string, init?: RequestInit): Promise<Answer>
  // Everything received until the connection ends.
  wire(bytes: string): Promise<string>
  // A request for things that exist and belong to the caller.
  good(id: string): Promise<RowRequest>
  // A request that is well-formed, for things that may not exist. Idempotency keys are new each time, so no request
  // repeats another.
  plain(id: string): RowRequest
  // The headers that authenticate a caller of this kind with these scopes.
  credential(caller: string, scopes: readonly string[]): Promise<Headers>
  badCredentials(caller: string): Promise<readonly Headers[]>
  // Scopes that a good request needs beside that of the row: nobody gives a scope that they do not have.
  moreScopes?(id: string): readonly string[]
  // Callers of the same kind to whom nothing in a good request belongs: of another merchant, or in the other mode.
  foreignCredentials?(id: string, scopes: readonly string[]): Promise<readonly Headers[]>
  // The entries that a request left in the list of changes, as JSON.
  entriesOf?(requestId: string): Promise<Entries>
  errorIn(answer: Answer): { code: RefusalCode; requestId: string; issues: readonly string[]; requiredScope?: string }
}

// A server with low request limits.
export interface LimitedWorld extends RowWorld {
  // How many requests of this operation are accepted in a row.
  burstOf(row: Operation): number
  pass(ms: number): void
}

// What is tested beside the rest, where the world offers it.
export interface RowChecks {
  isolation?: boolean
  audit?: boolean
  // Only that each operation answers a good request: for an engine on which the rest would repeat a mechanism.
  isShort?: boolean
}

export function testRows(
  surface: Surface,
  ids: readonly string[],
  world: () => RowWorld,
  limited: () => LimitedWorld,
  checks: RowChecks = {},
) {
  // Writing a key takes longer than many of the requests.
  const credentials = new Map<string, Promise<Headers>>()
  const bad = new Map<string, Promise<readonly Headers[]>>()

  for (const id of ids) {
    const { row, ask, scopesNeeded, credential } = toolsOf(id)
    // Made by the first test of the operation: what a request needs is most of the work of these tests.
    let made: Promise<{ request: RowRequest; headers: Headers; answer: Answer; entries: Entries }> | undefined
    const entriesOf = async (answer: Answer): Promise<Entries> =>
      (checks.audit && (await world().entriesOf?.(answer.headers.get('x-request-id') ?? ''))) || []
    const first = () => {
      made ??= (async () => {
        const [headers, request] = [await credential(), await world().good(id)]
        const answer = await ask(request, headers)
        // At once: what a loop goes on with, such as an import, is written down later under the same request.
        return { request, headers, answer, entries: await entriesOf(answer) }
      })()
      return made
    }

    test(`${id}: ${row.reply.status} for a valid request, with a response that matches its schema`, async () => {
      const { answer } = await first()
      assert.equal(answer.status, row.reply.status, answer.text)
      if (row.reply.schema) assert.deepEqual(issuesOf(row.reply.schema, answer.body), [])
      else assert.equal(answer.text, '')
    })
    if (checks.isShort) continue

    if (row.method === 'GET')
      test(`${id}: HEAD gets the same response as GET without the body, also if it is refused`, async () => {
        const { request, headers: own } = await first()
        for (const headers of [own, { authorization: 'nonsense' }]) {
          const [path, init] = fetchOf(row, request, headers)
          const [get, head] = [await world().fetch(path, init), await world().fetch(path, { ...init, method: 'HEAD' })]
          assert.deepEqual([head.status, head.text], [get.status, ''])
          assert.equal(head.headers.get('content-type'), get.headers.get('content-type'))
          assert.equal(head.headers.get('etag'), get.headers.get('etag'))
        }
      })

    if (row.idempotency === 'required')
      test(`${id}: a repeated idempotency key returns the same response; a request without a key is refused`, async () => {
        const { headers, request, answer } = await first()
        const second = await ask(request, headers)
        assert.deepEqual([second.status, second.text], [answer.status, answer.text])
        assert.equal(second.headers.get('idempotency-replayed'), 'true')
        const { idempotencyKey: _, ...keyless } = (request.body ?? {}) as { idempotencyKey?: string }
        const without = await ask({ ...request, body: keyless }, headers)
        assert.equal(refusedWith(without)[0], 'idempotency_key_required')
      })

    if (checks.isolation && row.path.includes('{'))
      test(`${id}: 404 is the same for unknown, foreign and malformed ids`, async () => {
        // One that changes something is made anew, so its own key has no answer yet.
        const isRead = row.method === 'GET'
        const [request, own] = isRead
          ? [(await first()).request, (await first()).headers]
          : [await world().good(id), await credential()]
        const answers = ((await world().foreignCredentials?.(id, scopesNeeded())) ?? []).map((headers) =>
          ask(request, headers),
        )
        const last = [...row.path.matchAll(/\{(\w+)\}/g)].at(-1)?.[1] ?? ''
        for (const name of ['unknown', '\0', "x' or 1=1", 'x'.repeat(900), wellFormed(request.path?.[last] ?? '')])
          answers.push(ask({ ...request, path: { ...request.path, [last]: name } }, own))
        const texts = new Set<string>()
        for (const answer of await Promise.all(answers)) {
          assert.equal(answer.status, 404, answer.text)
          texts.add(answer.text.replaceAll(world().errorIn(answer).requestId, ''))
        }
        assert.equal(texts.size, 1)
        // Nothing was used up by those.
        assert.equal((await ask(request, own)).status, row.reply.status)
      })

    if (row.idempotency === 'required' && row.path.includes('{'))
      test(`${id}: 409 for an idempotency key that another request has used`, async () => {
        const { headers, request } = await first()
        const other = Object.fromEntries(Object.keys(request.path ?? {}).map((name) => [name, 'another']))
        const reused = await ask({ ...request, path: other }, headers)
        assert.deepEqual([reused.status, world().errorIn(reused).code], [409, 'idempotency_key_reused'])
      })

    if (hasMember(row.body, 'expectedVersion') && row.refusals.includes('version_conflict'))
      test(`${id}: 409 for a version that is not the current one, with the current one`, async () => {
        const { body, ...request } = await world().good(id)
        const answer = await ask({ ...request, body: { ...body, expectedVersion: 999_999 } }, await credential())
        assert.deepEqual([answer.status, world().errorIn(answer).code], [409, 'version_conflict'])
        assert.ok(answer.body.error.current.version > 0)
      })

    if (checks.audit)
      test(`${id}: writes ${row.audit === 'none' ? 'no audit entry' : 'one audit entry'}`, async () => {
        const { headers, request, answer, entries } = await first()
        assert.equal(answer.status, row.reply.status, answer.text)
        assert.deepEqual(
          entries.map(({ operation }) => operation),
          row.audit === 'none' ? [] : [id],
        )
        // A repetition changes nothing; a look is a look each time.
        const again = await ask(request, headers)
        assert.equal((await entriesOf(again)).length, row.audit === 'look' ? 1 : 0)
        const refused = await ask(request, await credentialOf(row.caller, []))
        assert.equal((await entriesOf(refused)).length, 0)
      })
  }

  if (checks.isShort) return
  for (const [place, id] of ids.entries()) {
    const { row, ask, credential } = toolsOf(id)

    test(`${id}: 400 names the unknown query parameter`, async () => {
      const request = world().plain(id)
      const query = `${request.query ?? '?'}&page=2&a%2Fb=1`
      const answer = await ask({ ...request, query }, await credential())
      assert.deepEqual(refusedWith(answer), ['invalid_request', ['/query/page', '/query/a~1b']])
    })

    const parameters = Object.keys((row.query as { properties?: object } | undefined)?.properties ?? {})
    if (parameters.length > 0)
      test(`${id}: 400 names a query parameter with an invalid value`, async () => {
        const headers = await credential()
        for (const name of parameters)
          for (const value of ['%00', 'x'.repeat(3_000)]) {
            const [code, paths] = refusedWith(await ask({ ...world().plain(id), query: `?${name}=${value}` }, headers))
            assert.equal(code, 'invalid_request')
            // For a parameter that may be repeated, the path goes on to the value.
            assert.ok(
              paths.some((path) => `${path}/`.startsWith(`/query/${name}/`)),
              paths.join(' '),
            )
          }
      })

    test(`${id}: 400 for a cursor that the server did not issue`, async () => {
      const cursors = ['cursor=', 'cursor=x', 'cursor=x&cursor=y', `cursor=${'x'.repeat(3000)}`]
      for (const cursor of twoInTurns(cursors, place)) {
        const request = world().plain(id)
        const answer = await ask({ ...request, query: `${request.query ?? '?'}&${cursor}` }, await credential())
        assert.deepEqual(refusedWith(answer), ['invalid_request', ['/query/cursor']])
      }
    })

    if (row.body !== null) {
      test(`${id}: 400 for a missing body, an unknown member, a body that is not an object and another content type`, async () => {
        const headers = await credential()
        const { body, ...bare } = world().plain(id)
        assert.equal(refusedWith(await ask(bare, headers))[0], 'body_required')
        const unknown = await ask({ ...world().plain(id), body: { ...body, surprise: 1 } }, headers)
        assert.deepEqual(refusedWith(unknown), ['invalid_request', ['/surprise']])
        assert.equal(refusedWith(await ask({ ...bare, body: [] }, headers))[0], 'invalid_request')
        const text = await ask(world().plain(id), { ...headers, 'content-type': 'text/plain' })
        assert.equal(refusedWith(text)[0], 'unsupported_media_type')
      })
    }

    if (row.body === null) {
      test(`${id}: 400 for a body if the operation has none`, async () => {
        const shown = Object.entries(await credential()).map(([name, value]) => `${name}: ${value}\r\n`)
        const [address] = fetchOf(row, world().plain(id), {})
        for (const [headers, body] of [
          ['content-type: application/json\r\ncontent-length: 2', '{}'],
          ['content-length: 1', ' '],
          ['transfer-encoding: chunked', '2\r\n{}\r\n0\r\n\r\n'],
        ] as const) {
          const text = await world().wire(
            `${row.method} ${address} HTTP/1.1\r\nhost: x\r\n${shown.join('')}${headers}\r\n\r\n${body}`,
          )
          assert.match(text, /^HTTP\/1.1 400 /)
          assert.match(text, /"body_not_allowed"/)
        }
      })
    }

    if (row.caller !== 'anyone') {
      test(`${id}: 401 is the same for every invalid credential`, async () => {
        const bodies = new Set<string>()
        const all = await madeOnce(bad, row.caller, () => world().badCredentials(row.caller))
        for (const headers of twoInTurns(all, place)) {
          const answer = await ask(world().plain(id), headers)
          assert.equal(answer.status, 401)
          const { code, requestId } = world().errorIn(answer)
          assert.equal(code, 'unauthenticated')
          assert.ok(answer.headers.has('www-authenticate'))
          bodies.add(answer.text.replaceAll(requestId, ''))
        }
        assert.equal(bodies.size, 1)
      })

      if (row.scope !== null)
        test(`${id}: 403 names the scope that is missing`, async () => {
          const answer = await ask(world().plain(id), await credentialOf(row.caller, []))
          const { code, requiredScope } = world().errorIn(answer)
          assert.deepEqual([answer.status, code, requiredScope], [403, 'scope_missing', row.scope])
        })
    }

    test(`${id}: 429 for too many requests, and success again after a while`, async () => {
      const strict = limited()
      const headers = await strict.credential(row.caller, row.scope === null ? [] : [row.scope])
      const statusOf = async () => (await ask(strict.plain(id), headers, strict)).status
      const burst = strict.burstOf(row) / (row.cost ?? 1)
      const statuses: number[] = []
      for (let i = 0; i <= burst; i += 1) statuses.push(await statusOf())
      assert.deepEqual(
        statuses.map((status) => status === 429),
        [...Array<boolean>(burst).fill(false), true],
      )
      const refused = await ask(strict.plain(id), headers, strict)
      assert.equal(strict.errorIn(refused).code, 'rate_limited')
      assert.equal(Number(refused.headers.get('retry-after')), 1)
      strict.pass(1_000)
      assert.notEqual(await statusOf(), 429)
      strict.pass(60_000)
    })
  }

  function toolsOf(id: string) {
    const row = surface.operations[id]
    assert.ok(row, id)
    const ask = (request: RowRequest, headers: Headers, at = world()) => at.fetch(...fetchOf(row, request, headers))
    const scopesNeeded = () => (row.scope === null ? [] : [row.scope, ...(world().moreScopes?.(id) ?? [])])
    const credential = () => credentialOf(row.caller, scopesNeeded())
    return { row, ask, scopesNeeded, credential }
  }

  function credentialOf(caller: string, scopes: readonly string[]): Promise<Headers> {
    return madeOnce(credentials, `${caller} ${[...scopes].sort()}`, () => world().credential(caller, scopes))
  }

  function refusedWith(answer: Answer): [RefusalCode, readonly string[]] {
    assert.equal(answer.status, 400, answer.text)
    const { code, issues } = world().errorIn(answer)
    return [code, issues]
  }
}

function madeOnce<Value>(known: Map<string, Promise<Value>>, name: string, make: () => Promise<Value>): Promise<Value> {
  const value = known.get(name) ?? make()
  known.set(name, value)
  return value
}

// The cases, or two of them in turns from one operation to the next: what refuses them does not know the operation.
function twoInTurns<Case>(cases: readonly Case[], place: number): readonly Case[] {
  if (isWide || cases.length < 3) return cases
  return [0, 1].map((next) => cases[(2 * place + next) % cases.length] as Case)
}

function hasMember(schema: Operation['body'], name: string): boolean {
  return name in ((schema as { properties?: object } | null)?.properties ?? {})
}

// An id of the same form that nothing has.
function wellFormed(id: string): string {
  return id.includes('_') ? `${id.slice(0, id.lastIndexOf('_'))}_01h455vb4pex5vsknk084sn02q` : 'no-such-thing'
}

function fetchOf(row: Operation, { path = {}, query = '', body }: RowRequest, headers: Headers): [string, RequestInit] {
  const sent = body === undefined ? {} : { 'content-type': 'application/json' }
  return [
    fillPath(row.path, path) + query,
    { method: row.method, headers: { ...sent, ...headers }, ...(body && { body: JSON.stringify(body) }) },
  ]
}
