import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { operations } from '../contract/operations.ts'
import { createLog } from '../observe/log.ts'
import { createMetrics } from '../observe/metrics.ts'
import { createPressure } from './pressure.ts'
import { createServer, frameworkRefusal, type ServerParts } from './server.ts'

test('what the framework says by its own errors becomes a refusal of the contract, or a defect', () => {
  const said = (statusCode: number, code = 'FST_ERR_SOMETHING') =>
    frameworkRefusal(Object.assign(new Error('words of the framework'), { code, statusCode }))?.code
  assert.deepEqual(
    [400, 404, 405, 413, 414, 415, 500].map((status) => said(status)),
    [
      'invalid_request',
      'route_not_found',
      'route_not_found',
      'body_too_large',
      'route_not_found',
      'unsupported_media_type',
      undefined,
    ],
  )
  assert.equal(said(400, 'ENOENT'), undefined)
  assert.equal(frameworkRefusal('a text'), undefined)
})

async function openServer(t: TestContext, parts: Pick<ServerParts, 'answer' | 'handlers' | 'pages'>) {
  let text = ''
  const log = createLog({ level: 'info', pretty: false, write: (lines) => (text += lines) })
  const metrics = createMetrics()
  const pressure = createPressure()
  const server = createServer({ ...parts, trustedProxies: [], pressure, log, metrics })
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

test('500 to an answer that the framework cannot send, told in the log and the metrics', async (t) => {
  const { origin, logged, metrics } = await openServer(t, {
    answer: () => assert.fail('no operation is routed'),
    handlers: {},
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
  assert.match(defect ?? '', new RegExp(`${body.error.requestId}.*FST_ERR_`))
  assert.match(metrics.render(), /cartwright_requests_total\{operation="none",status="500"\} 1/)
})

test('500 to an answer of an operation that cannot be written, and the server lives on', async (t) => {
  const etags = ['"bad\nvalue"', '"good"']
  const { origin, logged } = await openServer(t, {
    answer: async () => ({ status: 200, body: '{}', headers: { etag: etags.shift() ?? '' } }),
    handlers: { getPublicMerchantProduct: () => assert.fail('the road is not asked') },
    pages: [],
  })
  const path = operations.getPublicMerchantProduct.path.replaceAll(/\{\w+\}/g, 'x')
  const [bad, good] = [await fetch(origin + path), await fetch(origin + path)]
  const { error } = (await bad.json()) as { error: { code: string; requestId: string } }
  assert.deepEqual([bad.status, error.code, good.status], [500, 'internal_error', 200])
  assert.match(logged(), new RegExp(`"defect".*${error.requestId}.*ERR_INVALID_CHAR`))
})
