import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openInterface } from '../../contract/open/operations.ts'
import { createLog } from '../log/log.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { createBodyLimiter } from './limiter.ts'
import type { HtmlPage } from './pages.ts'
import { createPressure } from './pressure.ts'
import type { Route } from './serve.ts'
import { createServer, type ServerParts } from './server.ts'

async function openServer(
  t: TestContext,
  parts: Pick<ServerParts, 'surfaces' | 'pages'> & Partial<Pick<ServerParts, 'answerTimeoutMs'>>,
) {
  let text = ''
  const log = createLog({ level: 'info', pretty: false, write: (lines) => (text += lines) })
  const metrics = createMetrics()
  const pressure = createPressure()
  const server = createServer({
    ...parts,
    trustedProxies: [],
    pressure,
    bodyLimiter: createBodyLimiter(10),
    log,
    metrics,
  })
  const port = await server.listen(0, '127.0.0.1')
  t.after(async () => {
    await server.drain(1_000)
    pressure.close()
    metrics.close()
  })
  const logged = () => {
    log.flush()
    return text
  }
  return { origin: `http://127.0.0.1:${port}`, logged, metrics }
}

test('500 for a page that cannot be written, with a log line and a metric', async (t) => {
  const { origin, logged, metrics } = await openServer(t, {
    surfaces: [],
    pages: [
      {
        path: '/bad',
        name: 'bad',
        answer: async () => ({ status: 200, body: 42 as unknown as string, headers: { 'content-type': 'text/plain' } }),
      },
    ],
  })
  const response = await fetch(`${origin}/bad`)
  const body = (await response.json()) as { error: { code: string; requestId: string } }
  assert.deepEqual([response.status, body.error.code], [500, 'internal_error'])
  const defect = logged()
    .split('\n')
    .find((line) => line.includes('"defect"'))
  assert.match(defect ?? '', new RegExp(`${body.error.requestId}.*ERR_INVALID_ARG_TYPE`))
  assert.match(metrics.render(), /cartwright_requests_total\{operation="none",status="500"\} 1/)
})

test('500 for a response that cannot be written, and the server continues', async (t) => {
  const etags = ['"bad\nvalue"', '"good"']
  const path = '/api/v1/things'
  const route: Route = {
    methods: ['GET'],
    pattern: path,
    name: 'getThings',
    kind: 'operation',
    isProbe: false,
    answer: async () => ({ status: 200, body: '{}', headers: { etag: etags.shift() ?? '' } }),
    refused: () => assert.fail('not refused'),
  }
  const notAsked = () => assert.fail('not asked')
  const { origin, logged } = await openServer(t, {
    surfaces: [{ surface: openInterface, routes: [route], perform: notAsked, find: notAsked }],
    pages: [],
  })
  const [bad, good] = [await fetch(origin + path), await fetch(origin + path)]
  const { error } = (await bad.json()) as { error: { code: string; requestId: string } }
  assert.deepEqual([bad.status, error.code, good.status], [500, 'internal_error', 200])
  assert.match(logged(), new RegExp(`"defect".*${error.requestId}.*ERR_INVALID_CHAR`))
})

function streamPage(stream: () => AsyncGenerator<Buffer, void, undefined>): HtmlPage {
  return { path: '/file', name: 'file', answer: async () => ({ status: 200, body: '', headers: {}, stream: stream() }) }
}

test('a stream is sent in chunks, and a stream that fails is cut off and reported', async (t) => {
  let isBroken = false
  const page = streamPage(async function* () {
    yield Buffer.from('one ')
    if (isBroken) throw new Error('no more of it')
    yield Buffer.from('two')
  })
  const { origin, logged } = await openServer(t, { surfaces: [], pages: [page] })
  const whole = await fetch(`${origin}/file`)
  assert.equal(whole.headers.get('content-length'), null)
  assert.equal(await whole.text(), 'one two')
  isBroken = true
  await assert.rejects(async () => (await fetch(`${origin}/file`)).text())
  assert.match(logged(), /"defect".*no more of it/)
})

test('a stream ends when its client disconnects', async (t) => {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const page = streamPage(async function* () {
    try {
      for (;;) yield Buffer.alloc(65_536)
    } finally {
      end()
    }
  })
  const { origin, logged } = await openServer(t, { surfaces: [], pages: [page] })
  const controller = new AbortController()
  const { body } = await fetch(`${origin}/file`, { signal: controller.signal })
  await body?.getReader().read()
  controller.abort()
  await ended
  assert.doesNotMatch(logged(), /defect/)
})

test('a client that reads a stream slowly gets all of it, also after the time limit for a response', async (t) => {
  const bytes = 24_000_000
  const page = streamPage(async function* () {
    for (let sent = 0; sent < bytes; sent += 60_000) yield Buffer.alloc(60_000)
  })
  const { origin } = await openServer(t, { surfaces: [], pages: [page], answerTimeoutMs: 1_500 })
  const startedAt = performance.now()
  let read = 0
  for await (const chunk of (await fetch(`${origin}/file`)).body ?? []) {
    // Each chunk is read within the time limit of a response; all chunks together take longer.
    const due = startedAt + (2_500 * read) / bytes
    read += chunk.length
    if (performance.now() < due) await pause(due - performance.now())
  }
  assert.equal(read, bytes)
})
