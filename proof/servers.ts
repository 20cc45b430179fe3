// Servers as an operator runs them: processes of `serve`, to be called, killed and stopped. Log lines that show a
// defect are recorded, because no run may cause one.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { nodeFlags } from '../harness/flags.ts'
import { talkerOf } from './talk.ts'

const root = join(import.meta.dirname, '..')
// Nothing listens there.
export const publicUrl = 'https://shop.test'
const startMsMaxDefault = 60_000
const defectsMax = 20
// Of lines with the same message, so many of one kind do not hide another.
const alikeMax = 3

export interface ServerOptions {
  url: string
  rootSecretText: string
  // No limit unless a run is about limits.
  rateLimit?: string
  // Fills an empty database with the demo shop (default: false).
  hasDemo?: boolean
  // The retention setting (default: the server's own).
  retention?: string
  // Where the stand-ins of payment providers are, by name.
  providerUrls?: Readonly<Record<string, string>>
  // Where it listens (default: any free port), how long it announces its end, and whose X-Forwarded-For it believes.
  port?: number
  drainSeconds?: number
  trustedProxies?: string
  // Its own address for others (default: `publicUrl`).
  publicOrigin?: string
  // Where e-mails go (default: nowhere).
  mailUrl?: string
  // How long it may take until it listens.
  startMsMax?: number
  // Required for `liveBytes`.
  isWeighed?: boolean
  // Several in this process, by their hosts, in the place of the one at `url`.
  cells?: readonly { origin: string; databaseUrl: string }[]
  // The folder of another version (default: this one).
  program?: string
}

export interface Server {
  origin: string
  pid: number
  // Whether it is another version than this one.
  isOther: boolean
  // Log lines that report a defect.
  defects(): readonly string[]
  // Why it could not answer, and how often.
  unavailable(): ReadonlyMap<string, number>
  // Sends the signal and waits for the process to end.
  end(signal?: NodeJS.Signals): Promise<void>
  // A signal that does not end it, such as SIGSTOP.
  signal(signal: NodeJS.Signals): void
  residentBytes(): Promise<number>
  memory(): Promise<Memory>
  // After a full collection; requires `isWeighed`.
  liveBytes(): Promise<number>
}

export interface Memory {
  residentBytes: number
  // Without pages of files that are only mapped, such as the database.
  privateBytes: number
}

const living = new Set<ChildProcess>()
// An interrupted run leaves no process behind.
process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL')
})

function environmentOf({
  url,
  rootSecretText,
  rateLimit = 'off',
  retention = '',
  providerUrls = {},
  port = 0,
  drainSeconds = 0,
  trustedProxies = '',
  mailUrl = 'off',
  publicOrigin = publicUrl,
  cells,
}: ServerOptions): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    PORT: String(port),
    CARTWRIGHT_DRAIN_SECONDS: String(drainSeconds),
    CARTWRIGHT_TRUSTED_PROXIES: trustedProxies,
    HOST: '127.0.0.1',
    ...(cells
      ? { CARTWRIGHT_CELLS: cellsFile(cells, rootSecretText) }
      : {
          CARTWRIGHT_DATABASE_URL: url,
          CARTWRIGHT_SECRET: rootSecretText,
          // The same after every restart, whatever the port: answers must not depend on it.
          CARTWRIGHT_PUBLIC_URL: publicOrigin,
        }),
    CARTWRIGHT_RATE_LIMIT: rateLimit,
    CARTWRIGHT_MAIL_URL: mailUrl,
    CARTWRIGHT_MAIL_FROM: 'shop@example.com',
    CARTWRIGHT_RETENTION: retention,
    CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE: '1',
    ...Object.fromEntries(
      Object.entries(providerUrls).map(([name, at]) => [`CARTWRIGHT_${name.toUpperCase()}_URL`, at]),
    ),
  }
}

function cellsFile(cells: NonNullable<ServerOptions['cells']>, secret: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'cartwright-cells-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'cells.json')
  writeFileSync(file, JSON.stringify(cells.map((cell) => ({ ...cell, secret }))), { mode: 0o600 })
  return file
}

function serveArgs({ hasDemo = false }: ServerOptions): string[] {
  return hasDemo ? ['serve'] : ['serve', '--no-demo']
}

function launch(options: ServerOptions, args: readonly string[]): ChildProcess {
  const weighing = options.isWeighed ? ['--expose-gc', '--import', join(import.meta.dirname, 'weigh.ts')] : []
  const flags = [...nodeFlags, ...weighing]
  const child = spawn(process.execPath, [...flags, join(options.program ?? root, 'src', 'main.js'), ...args], {
    env: environmentOf(options),
    stdio: ['ignore', 'pipe', 'pipe', options.isWeighed ? 'ipc' : 'ignore'],
  })
  living.add(child)
  child.on('close', () => living.delete(child))
  child.stdout?.setEncoding('utf8')
  child.stderr?.setEncoding('utf8')
  return child
}

// Resolves when it is listening; rejects with its output if it ends before that.
export async function startServer(options: ServerOptions): Promise<Server> {
  const { startMsMax = startMsMaxDefault } = options
  const child = launch(options, serveArgs(options))
  const talker = talkerOf(child, 'weigh.ts')
  const closed = once(child, 'close')
  const defects: string[] = []
  const unavailable = new Map<string, number>()
  const said: string[] = []
  const port = await new Promise<string>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`the server did not start within ${startMsMax / 1000} s: ${said.join('\n')}`))
    }, startMsMax)
    eachLine(child, (line) => {
      if (said.length < 50) said.push(line)
      const [, reason] =
        /"message":"(?:storage unavailable|the database is unavailable)".*?"reason":"([^"]*)"/.exec(line) ?? []
      if (reason !== undefined) {
        // Once for each reason: if a run breaks on a 503, the reason should be visible.
        if (!unavailable.has(reason)) process.stdout.write(`  a server could not reach its storage: ${reason}\n`)
        unavailable.set(reason, (unavailable.get(reason) ?? 0) + 1)
      }
      noteDefect(defects, line)
      const [, found] = /"message":"listening".*?"port":(\d+)/.exec(line) ?? []
      if (found === undefined) return
      clearTimeout(late)
      resolve(found)
    })
    void closed.then(([code, signal]) => {
      clearTimeout(late)
      reject(new Error(`the server did not start and ended with ${code ?? signal}: ${said.join('\n')}`))
    })
  })
  return {
    origin: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    isOther: options.program !== undefined,
    defects: () => defects,
    unavailable: () => unavailable,
    async end(signal = 'SIGTERM') {
      child.kill(signal)
      await closed
    },
    signal: (signal) => void child.kill(signal),
    residentBytes: async () => (await memoryOf(child.pid ?? 0)).residentBytes,
    memory: () => memoryOf(child.pid ?? 0),
    liveBytes: () => talker.ask<number>('weigh'),
  }
}

export function noteDefect(defects: string[], line: string): void {
  const [message] = /"level":"error","message":"[^"]*"/.exec(line) ?? []
  if (message === undefined || defects.length >= defectsMax) return
  if (defects.filter((known) => known.includes(message)).length < alikeMax) defects.push(line)
}

// As violations.
export function defectsOf(servers: readonly (Server | undefined)[]): string[] {
  return servers.flatMap((server) => server?.defects() ?? []).map((line) => `logged: ${line.slice(0, 1_000)}`)
}

// Starts a server, and kills it after this long, wherever it is by then.
export async function startAndKill(options: ServerOptions, afterMs: number): Promise<void> {
  const child = launch(options, serveArgs(options))
  const closed = once(child, 'close')
  child.stdout?.resume()
  child.stderr?.resume()
  await pause(afterMs)
  child.kill('SIGKILL')
  await closed
}

export interface CommandOutcome {
  code: number | null
  said: string
}

export async function runCommand(options: ServerOptions, args: readonly string[]): Promise<CommandOutcome> {
  const child = launch(options, args)
  let said = ''
  eachLine(child, (line) => {
    said += `${line}\n`
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said }
}

function eachLine(child: ChildProcess, read: (line: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream?.on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) read(line)
    })
  }
}

async function memoryOf(pid: number): Promise<Memory> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const bytesOf = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) * 1024
  return { residentBytes: bytesOf('VmRSS'), privateBytes: bytesOf('RssAnon') }
}
