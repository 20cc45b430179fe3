// A receiver of webhooks for tests: a real HTTP server on a free port that records requests and answers as configured.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { lasting } from './lasting.ts'

export interface Received {
  headers: IncomingHttpHeaders
  id: string
  body: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every kind
  event: any
}

export interface Receiver {
  url: string
  received: Received[]
  // How to answer (default: 200).
  behave(how: (call: Received, response: ServerResponse) => void): void
  close(): Promise<void>
}

export async function openReceiver(given: { later(end: () => Promise<void>): void }): Promise<Receiver> {
  const received: Received[] = []
  let how: (call: Received, response: ServerResponse) => void = answer(200)
  const server = createServer(lasting, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const call = {
        headers: request.headers,
        id: String(request.headers['webhook-id']),
        body,
        event: JSON.parse(body),
      }
      received.push(call)
      how(call, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  given.later(async () => {
    if (server.listening) await close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    behave: (next) => {
      how = next
    },
    close,
  }
}

export function answer(status: number, headers: Readonly<Record<string, string>> = {}, body = '') {
  return (_: Received, response: ServerResponse): void => {
    response.writeHead(status, headers).end(body)
  }
}
