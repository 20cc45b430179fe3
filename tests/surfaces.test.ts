// A second surface: three rows with an error body, a query and a gate of their own. It is routed, checked, documented and
// tested from its rows like the open one, and its rows can be performed without HTTP.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { type LimitedWorld, type RowWorld, testRows } from '../harness/rows.ts'
import { eachEngine } from '../harness/storage.ts'
import { type Answer, openTestServer, type TestServer } from '../harness/testServer.ts'
import { collectNamedSchemas } from '../src/contract/components.ts'
import { printOpenApi, type SurfaceDocument } from '../src/contract/openapi.ts'
import { IdempotencyKey } from '../src/contract/parts.ts'
import { type RefusalCode, refusalCodes } from '../src/contract/refusals.ts'
import { nullable, object, oneOf, Type } from '../src/contract/schema.ts'
import { type ErrorFacts, type Operation, okReply, type Surface } from '../src/contract/surface.ts'
import type { Principal } from '../src/platform/access/principal.ts'
import type { CallerDenial, Gate } from '../src/platform/http/gates.ts'
import type { Handlers } from '../src/platform/http/handler.ts'
import { type MountedSurface, mountSurface, type SurfaceParts } from '../src/platform/http/surfaces.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { Refusal, refuse } from '../src/platform/kit/refuse.ts'
import { referencePages } from '../src/web/docs/reference.ts'

const Note = object({ id: Type.String(), text: Type.String(), color: Type.String() })
const NoteList = object({ notes: Type.Array(Note), next: nullable(Type.String()) })
const NoteRequest = object({
  text: Type.String({ minLength: 1, maxLength: 200 }),
  idempotencyKey: Type.Optional(IdempotencyKey),
})
const NoteFault = object({
  fault: oneOf(refusalCodes),
  says: Type.String(),
  places: Type.Array(Type.String()),
  scope: nullable(Type.String()),
  request: Type.String(),
})
const schemas = { Note, NoteList, NoteRequest, NoteFault }

const NoteQuery = object({
  color: Type.Optional(
    Type.Unsafe<'red' | 'blue'>({ ...oneOf(['red', 'blue']), description: 'Only notes of this color.' }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 10, description: 'How many.' }),
  archived: Type.Optional(Type.Boolean({ description: 'Whether archived notes are listed.' })),
  word: Type.Optional(
    Type.Array(Type.String({ pattern: '^[a-z]{1,20}$' }), { maxItems: 3, description: 'Words of the text.' }),
  ),
})

const row = {
  caller: 'person',
  stability: 'extension',
  tag: 'Notes',
  description: 'Of the person.',
  paged: false,
} as const
// biome-ignore format: a row reads best as a few lines
const operations = {
  listNotes: {
    ...row, method: 'GET', path: '/notes/v1/notes', scope: 'notes:read', idempotency: 'none', paged: true,
    summary: 'List notes', query: NoteQuery, body: null, reply: okReply(NoteList), refusals: [],
  },
  createNote: {
    ...row, method: 'POST', path: '/notes/v1/notes', scope: 'notes:write', idempotency: 'required',
    summary: 'Create a note', body: NoteRequest, bodyBytesMax: 1024, reply: { status: 201, schema: Note, isSecret: true },
    refusals: [],
  },
  ping: {
    ...row, method: 'GET', path: '/notes/v1/ping/{name}', caller: 'anyone', scope: null, idempotency: 'none',
    summary: 'Ping', body: null, reply: { status: 204, schema: null }, refusals: ['route_not_found'],
  },
} as const satisfies Record<string, Operation>

const surface: Surface<typeof operations> = {
  name: 'notes',
  base: '/notes/v1',
  operations,
  errorBody: ({ code, message, issues, current, requestId }: ErrorFacts) => ({
    fault: code,
    says: message,
    places: issues.map(({ path }) => path),
    scope: current?.requiredScope ?? null,
    request: requestId,
  }),
}

interface Person extends Principal {
  readonly kind: 'person'
  readonly name: string
}

interface Callers {
  person: Person
}

// The cookie names the person and what they may do; it stands for a session that would be looked up.
const cookieGate: Gate<Person> = async ({ raw }) => {
  const [, name, scopes = ''] = /^session=([a-z]+):([a-z:,]*)$/.exec(raw.headers.cookie ?? '') ?? []
  return name === undefined ? denied : { principal: person(name, scopes.split(',')) }
}

const denied: CallerDenial = { headers: { 'www-authenticate': 'Cookie' }, isSuspicious: true }

function person(name: string, scopes: readonly string[]): Person {
  const id = `user_${name}`
  return { kind: 'person', id, name, merchantId: 'mer_1', installationId: null, claimant: id, throttleKey: id, scopes }
}

function mountNotes(parts: SurfaceParts): MountedSurface {
  const handlers: Handlers<typeof operations, Callers> = {
    async listNotes({ caller, query, paging }) {
      const text = `${caller.name} ${query.limit} ${query.archived ?? 'any'} ${(query.word ?? []).join('+')}`
      const start = Number(paging.after ?? 0)
      return {
        notes: [{ id: `note_${start}`, text, color: query.color ?? 'red' }],
        next: start < 2 ? paging.next(String(start + 1)) : null,
      }
    },
    async createNote({ body }) {
      return { id: newId('req'), text: body.text, color: 'blue' }
    },
    async ping({ path }) {
      if (path.name === 'nobody') throw refuse('route_not_found')
      return null
    },
  }
  return mountSurface<typeof operations, Callers>(parts, { surface, handlers, gates: { person: cookieGate } })
}

const document: SurfaceDocument = {
  surface,
  title: 'Notes',
  description: 'Notes of people.',
  tags: [{ name: 'Notes', description: 'All of them.' }],
  examples: {
    listNotes: {
      path: {},
      query: { limit: 2, word: ['a', 'b'] },
      body: undefined,
      reply: { notes: [{ id: 'note_1', text: 'Milk', color: 'red' }], next: null },
    },
    createNote: { path: {}, body: { text: 'Milk' }, reply: { id: 'note_1', text: 'Milk', color: 'red' } },
    ping: { path: { name: 'ada' }, body: undefined, reply: undefined },
  },
  schemas: [...collectNamedSchemas(schemas), ['IdempotencyKey', IdempotencyKey]],
  errorSchema: NoteFault,
  codes: refusalCodes,
  errorDetails: {},
  pathWords: { name: 'Who is pinged.' },
  callers: {
    person: {
      title: 'Session cookie',
      curl: ['-b "session=$SESSION"'],
      security: [{ name: 'session', scheme: { type: 'apiKey', in: 'cookie', name: 'session' } }],
    },
    anyone: { title: 'None', curl: [], security: [] },
  },
}

const all = 'session=ada:notes:read,notes:write'

eachEngine('a second API besides the open interface', (given) => {
  let testServer: TestServer
  let strict: TestServer
  let notes: MountedSurface
  before(async () => {
    testServer = await openTestServer(given, {
      extraSurfaces: (parts) => {
        notes = mountNotes(parts)
        return [notes]
      },
    })
    strict = await openTestServer(given, {
      rateLimit: { perSecond: 1, burst: 3 },
      extraSurfaces: (parts) => [mountNotes(parts)],
    })
  })

  const requests: Readonly<Record<string, () => { query?: string; body?: object; path?: Record<string, string> }>> = {
    listNotes: () => ({ query: '?limit=3' }),
    createNote: () => ({ body: { text: 'Milk', idempotencyKey: newId('req') } }),
    ping: () => ({ path: { name: 'ada' } }),
  }
  const worldOf = (of: TestServer): RowWorld => ({
    fetch: of.fetch,
    wire: of.wire,
    good: async (id) => requests[id]?.() ?? {},
    plain: (id) => requests[id]?.() ?? {},
    credential: async (_, scopes): Promise<Record<string, string>> => ({ cookie: `session=ada:${scopes.join(',')}` }),
    badCredentials: async () => [{}, { cookie: 'session=' }, { cookie: 'other=1' }, { authorization: of.keys.full }],
    errorIn: ({ body, headers }: Answer) => {
      assert.equal(body.request, headers.get('x-request-id'))
      return {
        code: body.fault as RefusalCode,
        requestId: body.request,
        issues: body.places,
        ...(body.scope !== null && { requiredScope: body.scope }),
      }
    },
  })
  const limitedWorld = (): LimitedWorld => ({
    ...worldOf(strict),
    burstOf: ({ caller }) => (caller === 'anyone' ? 60 : 3),
    pass: (ms) => {
      strict.clock.now += ms
    },
  })
  testRows(surface, Object.keys(operations), () => worldOf(testServer), limitedWorld)

  test('query parameters are parsed to their types, and undeclared or invalid ones are refused with their path', async () => {
    const listed = await testServer.fetch('/notes/v1/notes?limit=2&archived=true&word=a&word=b&color=blue', {
      headers: { cookie: all },
    })
    assert.deepEqual(listed.body.notes, [{ id: 'note_0', text: 'ada 2 true a+b', color: 'blue' }])
    for (const [query, places] of [
      ['', ['/query/limit']],
      ['?limit=2x', ['/query/limit']],
      ['?limit=02', ['/query/limit']],
      ['?limit=11', ['/query/limit']],
      ['?limit=1&limit=2', ['/query/limit']],
      ['?limit=1&archived=yes', ['/query/archived']],
      ['?limit=1&color=green', ['/query/color']],
      ['?limit=1&word=a&word=b&word=c&word=d', ['/query/word']],
      ['?limit=1&__proto__=1', ['/query/__proto__']],
    ] as const) {
      const answer = await testServer.fetch(`/notes/v1/notes${query}`, { headers: { cookie: all } })
      assert.deepEqual([answer.status, answer.body.fault, answer.body.places], [400, 'invalid_request', places], query)
    }
  })

  test('the link to the next page contains the query, and works only for the same caller and query', async () => {
    const init = { headers: { cookie: all } }
    const first = await testServer.fetch('/notes/v1/notes?limit=2&word=a&word=b', init)
    const next: string = first.body.next
    const second = await testServer.fetch(next, init)
    assert.deepEqual(second.body.notes, [{ id: 'note_1', text: 'ada 2 any a+b', color: 'red' }])
    for (const [path, cookie] of [
      [next.replace('limit=2', 'limit=3'), all],
      [next.replace('word=a&', ''), all],
      [next, all.replace('ada', 'bob')],
    ] as const) {
      const answer = await testServer.fetch(path, { headers: { cookie } })
      assert.deepEqual([answer.status, answer.body.places], [400, ['/query/cursor']])
    }
  })

  test('a body is limited to the size of its operation', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(2000), idempotencyKey: 'large' })
    const headers = { cookie: all, 'content-type': 'application/json' }
    const answer = await testServer.fetch('/notes/v1/notes', { method: 'POST', headers, body })
    assert.deepEqual([answer.status, answer.body.fault], [400, 'body_too_large'])
    assert.equal(answer.body.says, 'The body is larger than 1 KiB.')
  })

  test('the idempotency keys of two people are separate, and the stored response of a secret operation is encrypted', async () => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ text: 'Eggs', idempotencyKey: 'shared' })
    const ids = new Set<string>()
    for (const name of ['ada', 'bob', 'ada']) {
      const cookie = `session=${name}:notes:write`
      const answer = await testServer.fetch('/notes/v1/notes', {
        method: 'POST',
        headers: { ...headers, cookie },
        body,
      })
      assert.equal(answer.status, 201)
      ids.add(answer.body.id)
    }
    assert.equal(ids.size, 2)
    const stored = await testServer.storage.read(
      (db) => db.sql<{ claimant: string; answer: string }>`
        select installation_id as claimant, answer from idempotency_keys where key = ${'shared'} order by claimant`,
    )
    assert.deepEqual(
      stored.map(({ claimant }) => claimant),
      ['user_ada', 'user_bob'],
    )
    assert.ok(
      stored.every(({ answer }) => !answer.includes('Eggs')),
      'an answer of a secret row is sealed',
    )
  })

  test('an unknown path below its base gets an error in the format of this API', async () => {
    const here = await testServer.fetch('/notes/v1/nothing')
    assert.deepEqual([here.status, here.body.fault], [404, 'route_not_found'])
    const elsewhere = await testServer.fetch('/api/v1/nothing')
    assert.deepEqual([elsewhere.status, elsewhere.body.error.code], [404, 'route_not_found'])
    const own = await testServer.fetch('/notes/v1/ping/nobody')
    assert.deepEqual([own.status, own.body.fault], [404, 'route_not_found'])
  })

  test('operations can be called without HTTP, with the same checks', async () => {
    const ada = person('ada', ['notes:read', 'notes:write'])
    const listed = await notes.perform('listNotes', { principal: ada, query: { limit: 1, word: ['a'] } })
    assert.equal(listed.status, 200)
    const { notes: shown, next } = JSON.parse(String(listed.body)) as { notes: { text: string }[]; next: string }
    assert.equal(shown[0]?.text, 'ada 1 any a')
    const cursor = new URL(next, 'http://x').searchParams.get('cursor') ?? ''
    const further = await notes.perform('listNotes', { principal: ada, query: { limit: 1, word: ['a'] }, cursor })
    assert.match(String(further.body), /note_1/)

    const ask = { principal: ada, body: { text: 'Bread' }, key: 'by-tool' }
    const [first, again] = [await notes.perform('createNote', ask), await notes.perform('createNote', ask)]
    assert.deepEqual([first.status, first.isReplayed, again.isReplayed], [201, false, true])
    assert.equal(String(again.body), String(first.body))
    // And it is the same key by HTTP.
    const headers = { cookie: all, 'content-type': 'application/json', 'idempotency-key': 'by-tool' }
    const body = JSON.stringify({ text: 'Bread' })
    const byHttp = await testServer.fetch('/notes/v1/notes', { method: 'POST', headers, body })
    assert.equal(byHttp.text, String(first.body))

    for (const [id, asked, code] of [
      ['createNote', { ...ask, principal: person('ada', ['notes:read']) }, 'scope_missing'],
      ['createNote', { ...ask, principal: null }, 'unauthenticated'],
      ['createNote', { ...ask, body: {} }, 'invalid_request'],
      ['createNote', { ...ask, body: { text: 'Butter' } }, 'idempotency_key_reused'],
      ['createNote', { principal: ada, body: { text: 'Bread' } }, 'idempotency_key_required'],
      ['listNotes', { principal: ada, query: {} }, 'invalid_request'],
      ['listNotes', { principal: ada, query: { limit: 1, page: 2 } }, 'invalid_request'],
      ['listNotes', { principal: ada, query: { limit: 2, word: ['a'] }, cursor }, 'invalid_request'],
      ['ping', { principal: null, path: { name: 'nobody' } }, 'route_not_found'],
    ] as const)
      await assert.rejects(
        notes.perform(id, asked),
        (error) => error instanceof Refusal && error.code === code,
        `${id} ${code}`,
      )
  })
})

test('the OpenAPI document of a second API is valid, and has its query parameters, statuses and callers', async () => {
  const text = printOpenApi(document, { version: '1' })
  const problems = await lintFromString({
    source: text,
    config: await createConfig({ extends: ['spec'] }),
  })
  assert.deepEqual(
    problems.map(({ message }) => message),
    [],
  )
  const { paths, components } = JSON.parse(text)
  const { get, post } = paths['/notes/v1/notes']
  assert.deepEqual(
    get.parameters.map(({ name, in: place, required }: { name: string; in: string; required: boolean }) => [
      name,
      place,
      required,
    ]),
    [
      ['color', 'query', false],
      ['limit', 'query', true],
      ['archived', 'query', false],
      ['word', 'query', false],
    ],
  )
  assert.deepEqual(get.security, [{ session: [] }])
  assert.ok(post.responses[201].content)
  assert.deepEqual(paths['/notes/v1/ping/{name}'].get.responses[204], { description: 'Done.' })
  assert.deepEqual(Object.keys(components.schemas), ['IdempotencyKey', 'Note', 'NoteFault', 'NoteList', 'NoteRequest'])
})

test('the reference of a second API contains its operations and their query parameters', () => {
  const pages = referencePages(document, { origin: 'https://shop.example', version: '1', path: '/docs/notes' })
  const page = [...pages.values()].join('')
  for (const id of Object.keys(operations)) assert.match(page, new RegExp(`id="${id}"`))
  assert.match(page, /Query parameters of listNotes/)
  assert.match(page, /\/notes\/v1\/notes\?limit=2&(amp;)?word=a&(amp;)?word=b/)
  assert.match(page, /Session cookie/)
  assert.doesNotMatch(page, /id="events"/)
})
