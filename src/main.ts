// Hands the arguments and the terminal to the command line.

import { writeSync } from 'node:fs'
import { runCommandLine } from './ops/cli/cli.ts'
import { CommandFailure, type Terminal } from './ops/cli/command.ts'

const isWatched = process.stdout.isTTY === true
let lastReportedAt = 0
let isLineOpen = false

const terminal: Terminal = {
  out: (text) => write(1, closed(text)),
  err: (text) => write(2, closed(text)),
  progress(text) {
    if (process.stderr.isTTY === true) {
      isLineOpen = true
      write(2, `\r\x1b[2K${text}`)
    } else if (performance.now() - lastReportedAt > 5_000) {
      lastReportedAt = performance.now()
      write(2, `${text}\n`)
    }
  },
  isWatched,
  environment: process.env,
  input: process.stdin,
  ...(process.stdin.isTTY === true && { ask }),
}

// readline writes its output to a stream that discards it, so what is typed is not shown.
async function ask(label: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const { Writable } = await import('node:stream')
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  const given = new AbortController()
  lines.once('SIGINT', () => given.abort()).once('close', () => given.abort())
  try {
    write(2, `${label}: `)
    return await lines.question('', { signal: given.signal })
  } catch {
    throw new CommandFailure('the input ended before anything was typed, so nothing was done')
  } finally {
    lines.close()
    write(2, '\n')
  }
}

// Begins a new line if a progress line is open.
function closed(text: string): string {
  if (!isLineOpen) return text
  isLineOpen = false
  return `\n${text}`
}

// Writes the whole text before it returns, so a command loses no output when the process ends. The log of a server never waits
// (platform/log/sink.ts). A reader that ended (`| head`) is not a failure.
function write(fd: number, text: string): void {
  const bytes = Buffer.from(text)
  let written = 0
  while (written < bytes.length) {
    try {
      written += writeSync(fd, bytes, written)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // If stderr cannot be written, the error cannot be reported.
      if (code === 'EPIPE' || (fd === 2 && code !== 'EAGAIN')) return
      // EAGAIN: the pipe is full because its reader is slow. Waiting a moment is better than losing lines.
      if (code !== 'EAGAIN') throw new CommandFailure(`the output cannot be written: ${(error as Error).message}`)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}

process.exitCode = await runCommandLine(process.argv.slice(2), terminal).catch((error: unknown) => {
  if (!(error instanceof CommandFailure)) throw error
  terminal.err(`cartwright: ${error.message}\n`)
  return 1
})
