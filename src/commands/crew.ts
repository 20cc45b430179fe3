// `serve --workers N`: one process leads, and N answer requests on one port. The leader has the storage's server lock, does
// what is done between requests, and starts a worker again that was lost; a worker without its leader ends.

import cluster, { type Worker } from 'node:cluster'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../observe/log.ts'
import type { Sink } from '../observe/sink.ts'
import { Failure } from './command.ts'

// What a worker tells its leader.
type Told = { kind: 'open'; port: number } | { kind: 'failed'; message: string } | { kind: 'signal' }
// What a leader tells its workers.
type Order = { kind: 'begin'; origin: string } | { kind: 'drain' }

export interface Crew {
  port: number
  // From now on they are ready, and lost ones come back.
  begin(origin: string): Promise<void>
  drain(limitMs: number): Promise<void>
}

export interface CrewParts {
  count: number
  log: Log
  sink: Sink
  // A worker has committed something that the leader's dispatcher wants to know.
  onSignal: () => void
}

const restMsMin = 100
const restMsMax = 5_000
// A worker that lived for so long was not lost at its start.
const steadyMs = 10_000
const lineBytesMax = 1_048_576

// Answers when the first of them has the port; the others follow at `begin`.
export async function gatherCrew({ count, log, sink, onSignal }: CrewParts): Promise<Crew> {
  cluster.setupPrimary({ silent: true })
  const workers = new Set<Worker>()
  let begun: Order | undefined
  let draining = false
  let restMs = restMsMin
  let everybodyGone: (() => void) | undefined
  const waits = new Set<NodeJS.Timeout>()
  let openPort: number | undefined
  // Once all were lost: any free port would be another one for those who come then.
  let portOfNext: number | undefined

  function start(): Promise<number> {
    const worker = cluster.fork(portOfNext === undefined ? {} : { PORT: String(portOfNext) })
    const startedAt = performance.now()
    workers.add(worker)
    worker.process.stdout?.setEncoding('utf8').on('data', wholeLines(sink))
    worker.process.stderr?.pipe(process.stderr, { end: false })
    const opened = new Promise<number>((resolve, reject) => {
      worker.on('message', (told: Told) => {
        if (told.kind === 'signal') onSignal()
        else if (told.kind === 'failed') reject(new Failure(told.message))
        else {
          log.info('a worker is open', { pid: worker.process.pid })
          if (begun) worker.send(begun)
          resolve(told.port)
        }
      })
      worker.once('exit', (code) => reject(new Failure(`a worker ended at its start with exit code ${code}`)))
    })
    opened.catch(() => {})
    // One that is told something while it ends.
    worker.on('error', (error) => log.warn('a worker could not be told', { reason: error.message }))
    worker.once('exit', (code, signal) => {
      workers.delete(worker)
      if (workers.size === 0) everybodyGone?.()
      if (draining || !begun) return
      if (workers.size === 0) portOfNext = openPort
      log.warn('a worker was lost and is replaced', { pid: worker.process.pid, code, signal })
      if (performance.now() - startedAt > steadyMs) restMs = restMsMin
      const waitMs = restMs
      restMs = Math.min(restMs * 2, restMsMax)
      // This keeps the leader running, also when it has nobody left.
      const waiting = setTimeout(() => {
        waits.delete(waiting)
        void start().catch((error: unknown) => log.error('a worker did not start', error))
      }, waitMs)
      waits.add(waiting)
    })
    return opened
  }

  const port = await start()
  openPort = port
  return {
    port,
    async begin(origin) {
      const order: Order = { kind: 'begin', origin }
      begun = order
      for (const worker of workers) worker.send(order)
      await Promise.all(Array.from({ length: count - 1 }, start))
    },
    async drain(limitMs) {
      draining = true
      for (const waiting of waits) clearTimeout(waiting)
      for (const worker of workers) if (worker.isConnected()) worker.send({ kind: 'drain' } satisfies Order)
      if (workers.size === 0) return
      const gone = new Promise<void>((resolve) => {
        everybodyGone = resolve
      })
      await Promise.race([gone, pause(limitMs, undefined, { ref: false })])
      for (const worker of workers) worker.process.kill('SIGKILL')
    },
  }
}

// Two processes that write to one pipe may meet in the middle of a line, so the leader writes for all of them.
function wholeLines(sink: Sink): (text: string) => void {
  let rest = ''
  return (text) => {
    const end = text.lastIndexOf('\n') + 1
    if (end > 0) {
      sink.write(rest + text.slice(0, end))
      rest = ''
    }
    rest = (rest + text.slice(end)).slice(0, lineBytesMax)
  }
}

export interface Shift {
  open(port: number): void
  signal(): void
  // Resolves with the origin, once the shop is made.
  begun: Promise<string>
  // Resolves when it is time to finish.
  ended: Promise<void>
}

export const isWorker = (): boolean => cluster.isWorker

// A worker's side of it. Signals of the terminal reach the whole family; only the leader heeds them.
export function joinCrew(): Shift {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => {})
  const tell = (told: Told) => void process.send?.(told)
  let begin: (origin: string) => void = () => {}
  let end: () => void = () => {}
  const begun = new Promise<string>((resolve) => {
    begin = resolve
  })
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  process.on('message', (order: Order) => {
    if (order.kind === 'begin') begin(order.origin)
    else end()
  })
  return { open: (port) => tell({ kind: 'open', port }), signal: () => tell({ kind: 'signal' }), begun, ended }
}

export function tellFailure(message: string): void {
  process.send?.({ kind: 'failed', message } satisfies Told)
}

// The way to the leader would keep the process running.
export function leaveCrew(): void {
  if (cluster.isWorker) process.disconnect?.()
}
