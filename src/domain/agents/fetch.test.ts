// Documents of unknown servers: one that cannot be read costs little, and nothing inside our network is called.

import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { fetchDocument } from './fetch.ts'

let origin = ''
const calls: string[] = []
const fill = (response: ServerResponse) => {
  while (!response.destroyed && response.write(' '.repeat(16_384)));
}
const answers: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  '/plain': (response) => response.setHeader('cache-control', 'public, max-age=90').end('{"a":1}'),
  '/redirect': (response) => response.writeHead(302, { location: '/plain' }).end('{"a":1}'),
  '/elsewhere': (response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
  '/large': (response) => response.end(`{"a":"${'x'.repeat(130 * 1024)}"}`),
  '/endless': (response) => {
    response.on('drain', () => fill(response))
    fill(response)
  },
  '/silent': () => undefined,
  '/slow': (response) => void response.write('{"a":'),
  '/broken': (response) => response.end('{"a":'),
  '/error': (response) => response.writeHead(500).end('{"a":1}'),
}
const host = createServer((request, response) => {
  calls.push(request.url ?? '')
  answers[request.url ?? '']?.(response)
})
before(async () => {
  await new Promise<void>((done) => host.listen(0, '127.0.0.1', done))
  origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
})
after(() => {
  host.closeAllConnections()
  host.close()
})

const bounds = { allowPrivate: true, bytesMax: 128 * 1024, msMax: 5_000 }

test('a document is read together with the time for which it may be cached', async () => {
  const found = await fetchDocument(`${origin}/plain`, bounds)
  assert.deepEqual(found, { value: { a: 1 }, isJson: false, maxAgeMs: 90_000 })
})

for (const path of Object.keys(answers).filter((name) => name !== '/plain'))
  test(`a response of the kind “${path.slice(1)}” gives no document, with one request and in limited time`, async () => {
    const waits = path === '/silent' || path === '/slow'
    assert.equal(await fetchDocument(origin + path, { ...bounds, ...(waits && { msMax: 50 }) }), undefined)
    // On a busy machine, a request may not arrive within 50 ms.
    if (!waits) assert.equal(calls.filter((called) => called === path).length, 1)
  })

test('unless private addresses are allowed, nothing is fetched from the own machine or from private networks', async () => {
  const before = calls.filter((called) => called === '/plain').length
  const { port } = new URL(origin)
  const places = ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '10.0.0.1', '169.254.169.254']
  const urls = [origin, ...places.map((place) => `https://${place}:${port}`)]
  for (const url of urls)
    assert.equal(await fetchDocument(`${url}/plain`, { ...bounds, allowPrivate: false }), undefined, url)
  assert.equal(calls.filter((called) => called === '/plain').length, before)
})
