import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openSurface } from '../../contract/open/operations.ts'
import { createLog } from '../log/log.ts'
import { createMetrics } from '../metrics/metrics.ts'
import { createBodyLimiter } from './limiter.ts'
import { createPressure } from './pressure.ts'
import type { Route } from './serve.ts'
import { createServer, type ServerParts } from './server.ts'

async function openServer(t: TestContext, parts: Pick<ServerParts, 'surfaces' | 'pages'>) {
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

test('500 to a page that cannot be written, reported in the log and the metrics', async (t) => {
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

test('500 to an answer of an operation that cannot be written, and the server lives on', async (t) => {
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
    surfaces: [{ surface: openSurface, routes: [route], perform: notAsked, find: notAsked }],
    pages: [],
  })
  const [bad, good] = [await fetch(origin + path), await fetch(origin + path)]
  const { error } = (await bad.json()) as { error: { code: string; requestId: string } }
  assert.deepEqual([bad.status, error.code, good.status], [500, 'internal_error', 200])
  assert.match(logged(), new RegExp(`"defect".*${error.requestId}.*ERR_INVALID_CHAR`))
})
