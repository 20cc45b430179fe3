// The server and the command line as an operator runs them: as processes.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeFlags } from './flags.ts'
import { placeOfData } from './folder.ts'
import { later } from './later.ts'

const main = join(import.meta.dirname, '..', 'src', 'main.js')

export type Environment = Readonly<Record<string, string>>

export interface Outcome {
  code: number | null
  out: string
  err: string
}

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(await placeOfData(), 'cartwright-'))
  later(() => rm(folder, { recursive: true, force: true }))
  return folder
}

// E-mails go nowhere and the demo shop has no past unless asked.
export const quiet: Environment = { CARTWRIGHT_MAIL_URL: 'off', CARTWRIGHT_DEMO_HISTORY: 'off' }

export function begin(args: readonly string[], environment: Environment, input?: string): ChildProcess {
  // Only PATH is inherited: a developer's settings must not affect a test.
  const env = { PATH: process.env.PATH ?? '', ...quiet, ...environment }
  const child = spawn(process.execPath, [...nodeFlags, main, ...args], {
    env,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  })
  // A process that ends without reading its input does so on purpose.
  child.stdin?.on('error', () => {})
  child.stdin?.end(input)
  child.stdout?.setEncoding('utf8')
  child.stderr?.setEncoding('utf8')
  return child
}

// Runs a command in its own process; commandline.ts is quicker. `input` is its standard input.
export async function runProcess(args: readonly string[], environment: Environment, input?: string): Promise<Outcome> {
  const child = begin(args, environment, input)
  const outcome: Outcome = { code: null, out: '', err: '' }
  child.stdout?.on('data', (text: string) => {
    outcome.out += text
  })
  child.stderr?.on('data', (text: string) => {
    outcome.err += text
  })
  const [code] = (await once(child, 'close')) as [number | null]
  outcome.code = code
  return outcome
}

export interface Server {
  origin: string
  // Its output so far.
  printed: () => string
  stop(signal?: NodeJS.Signals): Promise<number | null>
  // Its exit code, once it has ended by itself.
  ended: Promise<number | null>
  pid: number
}

// Resolves when the server is listening; rejects if it ends before that.
export async function serve(environment: Environment, args: readonly string[] = []): Promise<Server> {
  const child = begin(['serve', ...args], { PORT: '0', HOST: '127.0.0.1', ...environment })
  let printed = ''
  const closed = once(child, 'close') as Promise<[number | null]>
  const origin = await new Promise<string>((resolve, reject) => {
    function read(text: string): void {
      printed += text
      const [, port] = /"message":"listening".*?"port":(\d+)/.exec(printed) ?? []
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    void closed.then(() => reject(new Error(`the server did not start: ${printed}`)))
  })
  let stopped = false
  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    stopped = true
    child.kill(signal)
    return (await closed)[0]
  }
  later(async () => {
    if (!stopped) await stop('SIGKILL')
  })
  return { origin, printed: () => printed, stop, ended: closed.then(([code]) => code), pid: child.pid ?? 0 }
}

const patienceMs = 20_000

export interface Receiver {
  url: string
  // Its standard output so far.
  printed: () => string
  // Resolves when the output matches the pattern.
  printedLine(pattern: RegExp): Promise<void>
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

// `webhooks listen`; resolves when it is listening, and rejects if it ends before that.
export async function listen(environment: Environment, args: readonly string[]): Promise<Receiver> {
  const child = begin(['webhooks', 'listen', ...args], environment)
  let out = ''
  let err = ''
  const waiting = new Set<() => void>()
  child.stdout?.on('data', (text: string) => {
    out += text
    for (const look of waiting) look()
  })
  child.stderr?.on('data', (text: string) => {
    err += text
    for (const look of waiting) look()
  })
  const closed = once(child, 'close') as Promise<[number | null]>
  function until<Found>(look: () => Found | undefined): Promise<Found> {
    return new Promise((resolve, reject) => {
      function tryIt(): void {
        const found = look()
        if (found === undefined) return
        waiting.delete(tryIt)
        resolve(found)
      }
      waiting.add(tryIt)
      void closed.then(() => reject(new Error(`the receiver ended: ${out}${err}`)))
      const patience = setTimeout(() => reject(new Error(`the receiver did not say so: ${out}${err}`)), patienceMs)
      patience.unref()
      tryIt()
    })
  }
  let stopped = false
  async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    stopped = true
    child.kill(signal)
    return (await closed)[0]
  }
  later(async () => {
    if (!stopped) await stop('SIGKILL')
  })
  const url = await until(() => /listening at (\S+) for .*Ctrl-C/s.exec(`${out}${err}`)?.[1])
  return {
    url,
    printed: () => out,
    printedLine: async (pattern) => void (await until(() => pattern.test(out) || undefined)),
    stop,
  }
}
