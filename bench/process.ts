// Measured processes: the server and the commands of `src/main.js`, the bare ceiling, and others that a row starts.
// Each loads the meter and writes its log to a file, as a service manager would have it.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { nodeFlags } from '../harness/flags.ts'

export const mainScript = join(import.meta.dirname, '..', 'src', 'main.js')
const meterScript = join(import.meta.dirname, 'meter.js')

// What the meter reports.
export interface Usage {
  cpuUs: number
  rssBytes: number
  // Without the pages of files that are only mapped, such as the database: those are the system's cache and can be
  // dropped at any time. If the system does not distinguish them, it is everything.
  privateBytes: number
}

export type Settings = Readonly<Record<string, string>>

export interface Running {
  origin: string
  pid: number
  usage(): Promise<Usage>
  // Of a script that answers more than `usage`: the answer to this message.
  ask(question: string): Promise<unknown>
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface StartOptions {
  script: string
  args?: readonly string[]
  settings?: Settings
  folder: string
  // For Node itself, such as `--cpu-prof`.
  nodeArgs?: readonly string[]
}

// Settings that the environment of the caller must not change.
const common: Settings = {
  CARTWRIGHT_RATE_LIMIT: 'off',
  CARTWRIGHT_MAIL_URL: 'off',
  CARTWRIGHT_SECRET: 'a-root-secret-that-only-the-benchmarks-know',
  LOG_LEVEL: 'info',
}

let logs = 0

function launch({ script, args = [], settings = {}, folder, nodeArgs = [] }: StartOptions) {
  logs += 1
  const [outFile, errorFile] = [join(folder, `out-${logs}.txt`), join(folder, `err-${logs}.txt`)]
  const [out, error] = [openSync(outFile, 'a'), openSync(errorFile, 'a')]
  const child = spawn(process.execPath, [...nodeFlags, '--import', meterScript, ...nodeArgs, script, ...args], {
    env: { PATH: process.env.PATH, ...common, ...settings },
    stdio: ['ignore', out, error, 'ipc'],
    cwd: folder,
  })
  closeSync(out)
  closeSync(error)
  const closed = once(child, 'close') as Promise<[number | null]>
  alive.add(child)
  void closed.then(() => alive.delete(child))
  return {
    child,
    closed,
    printed: () => readFileSync(outFile, 'utf8'),
    complaint: () => `${readFileSync(outFile, 'utf8').slice(-2_000)}\n${readFileSync(errorFile, 'utf8').slice(-2_000)}`,
  }
}

const alive = new Set<ChildProcess>()

// For an interrupted run.
export function endAll(): void {
  for (const child of alive) child.kill('SIGKILL')
}

const startMsMax = 60_000

// Resolves when the process prints where it listens, as the server's log does.
export async function startServer(options: StartOptions): Promise<Running> {
  const { child, closed, printed, complaint } = launch(options)
  const origin = await Promise.race([
    closed.then(() => {
      throw new Error(`${options.script} ended: ${complaint()}`)
    }),
    listeningAt(printed),
  ])
  return {
    origin,
    pid: child.pid ?? 0,
    // What the meter answers.
    usage: () => askChild(child, 'usage') as Promise<Usage>,
    ask: (question) => askChild(child, question),
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      await closed
    },
  }
}

async function listeningAt(printed: () => string): Promise<string> {
  const hopelessAt = performance.now() + startMsMax
  while (performance.now() < hopelessAt) {
    const [, port] = /"message":"listening".*?"port":(\d+)/.exec(printed()) ?? []
    if (port !== undefined) return `http://127.0.0.1:${port}`
    await pause(10)
  }
  throw new Error(`the server does not listen after ${startMsMax} ms: ${printed().slice(-2_000)}`)
}

function askChild(child: ChildProcess, question: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a measured process ended with ${code}`))
    child.once('close', ended)
    child.once('message', (answer) => {
      child.off('close', ended)
      resolve(answer)
    })
    child.send(question, (error) => error && reject(error))
  })
}

// Our server, on its own port.
export function serve(folder: string, settings: Settings, options: Partial<StartOptions> = {}): Promise<Running> {
  return startServer({
    script: mainScript,
    args: ['serve', '--no-demo'],
    folder,
    ...options,
    settings: { ...settings, PORT: '0', HOST: '127.0.0.1' },
  })
}

export interface Outcome {
  out: string
  seconds: number
  // The highest private memory that was seen.
  peakMb: number
}

// Runs one command of the operator to its end.
export function command(folder: string, args: readonly string[], settings: Settings): Promise<Outcome> {
  return run({ script: mainScript, args, settings, folder })
}

// Runs a script to its end.
export async function run(options: StartOptions): Promise<Outcome> {
  const startedAt = performance.now()
  const { child, closed, printed, complaint } = launch(options)
  let peakBytes = 0
  child.on('message', (usage: Usage) => {
    peakBytes = Math.max(peakBytes, usage.privateBytes)
  })
  const watch = setInterval(() => {
    if (child.connected) child.send('usage', () => {})
  }, 50)
  const [code] = await closed
  clearInterval(watch)
  if (code !== 0) throw new Error(`${options.args?.join(' ')} ended with ${code}: ${complaint()}`)
  return { out: printed(), seconds: (performance.now() - startedAt) / 1_000, peakMb: Math.round(peakBytes / 2 ** 20) }
}
