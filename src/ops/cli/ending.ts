// How a server process ends: by a signal, with the npm process that started it, or by an uncaught error.

import type { Log } from '../../platform/log/log.ts'
import type { Sink } from '../../platform/log/sink.ts'
import type { Terminal } from './command.ts'

// Maximum wait for the last log lines to be written.
export const logDrainMs = 2_000

interface EndingParts {
  isRunByNpm: boolean
  log: Log
  sink: Sink
  terminal: Pick<Terminal, 'err'>
}

// A second signal ends the process without waiting for the work in progress.
export function waitForEndSignal({ isRunByNpm, log, sink, terminal }: EndingParts): Promise<string> {
  let isLeaving = false
  function leave(): void {
    if (isLeaving) return
    isLeaving = true
    log.flush()
    void sink.drain(logDrainMs).then(() => process.exit(1))
  }
  return new Promise((resolve) => {
    let asked = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (asked) leave()
        asked = true
        resolve(signal)
      })
    }
    if (isRunByNpm) watchParent(() => resolve('SIGTERM'))
    for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
      process.on(event, (error: unknown) => {
        log.error(event, error)
        terminal.err(`cartwright stopped: ${event}\n`)
        leave()
      })
    }
  })
}

const parentLookMs = 250

// npm runs this process through a shell. A signal to npm ends npm and the shell but does not reach this process, whose parent then
// changes.
function watchParent(onGone: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onGone()
  }, parentLookMs)
  timer.unref()
}
