// Receivers of webhooks, working and failing ones, in their own process, so their work costs nothing in the process
// that is measured. The path decides how a receiver behaves.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerQuestions, machineMs } from './talk.ts'

// Which event arrived where and when: its number, the path, and the instant.
export type Arrival = readonly [event: number, path: string, at: number]

export interface CrowdReport {
  arrivals: readonly Arrival[]
  // For the receiver that never answers.
  openMax: number
  // Endless answers that the caller cut off.
  cut: number
}

const answersByKind: Readonly<Record<string, (response: ServerResponse, more: string) => void>> = {
  well: (response) => void setTimeout(() => response.writeHead(204).end(), 1 + Math.random() * 4),
  hanging: (response) => {
    hanging.add(response)
    openMax = Math.max(openMax, hanging.size)
    response.on('close', () => hanging.delete(response))
  },
  failing: (response) => void response.writeHead(500).end('no'),
  patient: (response, seconds) => void response.writeHead(429, { 'retry-after': seconds }).end(),
  endless: (response) => {
    response.writeHead(200)
    const more = () => {
      while (!response.destroyed && response.write(piece));
    }
    response.on('drain', more)
    response.on('close', () => {
      cut += 1
    })
    more()
  },
}

const piece = Buffer.alloc(1024, 'and so on ')
const hanging = new Set<ServerResponse>()
let arrivals: Arrival[] = []
let openMax = 0
let cut = 0

const server = createServer((request, response) => {
  const at = machineMs()
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  // Errors after the connection was cut do not matter.
  response.on('error', () => {})
  request.on('end', () => {
    const { data } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { data: { number: number } }
    const path = request.url ?? ''
    arrivals.push([data.number, path, at])
    const [, kind = '', more = ''] = path.split('/')
    answersByKind[kind]?.(response, more)
  })
})

answerQuestions({
  listen: () =>
    new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    }),
  count: () => arrivals.length,
  // Closes the connections of all callers that still wait.
  release: () => {
    for (const response of hanging) response.destroy()
  },
  // What was received since the last report.
  report: (): CrowdReport => {
    const report = { arrivals, openMax, cut }
    arrivals = []
    openMax = cut = 0
    return report
  },
})
