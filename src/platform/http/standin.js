// Answers probes in a thread of its own while the main thread migrates the database, which blocks the main thread on SQLite. Plain
// JavaScript, so the thread loads no compiler. Started by `standin.ts`.

import { createServer } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

let progress = {}

const server = createServer((request, response) => {
  const isAlive = (request.url ?? '').split('?')[0] === '/healthz'
  const body = isAlive ? { status: 'ok' } : { status: 'migrating', ...progress }
  response.writeHead(isAlive ? 200 : 503, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    // Closed, so the client's next request reaches the server itself.
    connection: 'close',
    ...(!isAlive && { 'retry-after': '5' }),
  })
  response.end(JSON.stringify(body))
})

parentPort.on('message', (message) => {
  if (message !== 'end') {
    progress = message
    return
  }
  parentPort.close()
  server.close()
  server.closeAllConnections()
})

// If the port cannot be opened, the server reports it when it opens the port itself.
server.on('error', () => parentPort.postMessage('failed'))
server.listen(workerData.port, workerData.host, () => parentPort.postMessage('listening'))
