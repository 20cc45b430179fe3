import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import type { Log } from '../log/log.ts'
import { createMetrics } from './metrics.ts'
import { createTracer, parseTraceparent } from './spans.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

test('a traceparent is parsed as in the standard', () => {
  assert.deepEqual(parseTraceparent(`00-${traceId}-${spanId}-01`), { traceId, spanId, isSampled: true })
  assert.deepEqual(parseTraceparent(`00-${traceId}-${spanId}-02`), { traceId, spanId, isSampled: false })
  assert.deepEqual(parseTraceparent(`cc-${traceId}-${spanId}-01-more`), { traceId, spanId, isSampled: true })
  for (const bad of [
    undefined,
    '',
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
  ])
    assert.equal(parseTraceparent(bad), undefined, bad)
})

test('spans are exported with their parent unless the caller does not record them, and a failed export is counted, and logged once', async () => {
  const bodies: string[] = []
  let status = 200
  const collector = createServer(async (request, response) => {
    bodies.push(`${request.url} ${await text(request)}`)
    response.writeHead(status).end('{}')
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  after(() => collector.close())
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
  const said: string[] = []
  const write = (message: string) => void said.push(message)
  const log: Log = { debug() {}, info: write, warn: write, error() {}, flush() {}, dropped: 0 }
  const metrics = createMetrics()
  after(() => metrics.close())
  const tracer = createTracer({ url, version: '1.2.3', log, metrics })
  const facts = { name: 'getPublicCart', method: 'GET', requestId: 'req_1', durationMs: 12.5 }
  tracer.record({ ...facts, status: 200, traceparent: `00-${traceId}-${spanId}-01` })
  tracer.record({ ...facts, status: 503, traceparent: undefined })
  tracer.record({ ...facts, status: 200, traceparent: `00-${traceId}-${spanId}-00` })
  await tracer.close()
  const [path = '', body = ''] = bodies[0]?.split(/ (.*)/s) ?? []
  assert.equal(path, '/v1/traces')
  const [{ resource, scopeSpans }] = JSON.parse(body).resourceSpans
  assert.deepEqual(resource.attributes[0], { key: 'service.name', value: { stringValue: 'cartwright' } })
  const [first, second, ...others] = scopeSpans[0].spans
  assert.deepEqual(
    [first.traceId, first.parentSpanId, first.name, first.status],
    [traceId, spanId, 'getPublicCart', undefined],
  )
  assert.equal(BigInt(first.endTimeUnixNano) - BigInt(first.startTimeUnixNano), 12_500_000n)
  assert.match(second.traceId, /^[0-9a-f]{32}$/)
  assert.deepEqual([second.parentSpanId, second.status, others], [undefined, { code: 2 }, []])
  status = 500
  for (let round = 0; round < 2; round += 1) {
    tracer.record({ ...facts, status: 200, traceparent: undefined })
    await tracer.close()
  }
  assert.deepEqual(said, ['traces could not be sent'])
  assert.match(
    metrics.render(),
    /^cartwright_spans_total\{outcome="sent"\} 2\ncartwright_spans_total\{outcome="dropped"\} 2$/m,
  )
})
