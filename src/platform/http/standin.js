// Answers probes while the main thread migrates the database: on SQLite it does nothing else meanwhile. Plain JavaScript, so the thread
// loads no compiler. `standin.ts` starts it.

import { createServer } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

let progress = {}

const server = createServer((request, response) => {
  const isAlive = (request.url ?? '').split('?')[0] === '/healthz'
  const body = isAlive ? { status: 'ok' } : { status: 'migrating', ...progress }
  response.writeHead(isAlive ? 200 : 503, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    // The next request goes to the server itself.
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

// A port that cannot be opened is reported by the server, when it tries.
server.on('error', () => parentPort.postMessage('failed'))
server.listen(workerData.port, workerData.host, () => parentPort.postMessage('listening'))
