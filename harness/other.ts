// Another process beside the one under test: a second server, a command line, a writer to be killed. The upper half of
// this file starts it, and the lower half is what it runs.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { migrate } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import { later } from './later.ts'

export interface Other {
  // The next line of its output, or undefined when it has ended.
  line(): Promise<string | undefined>
  // The unread lines of its output, up to its end.
  rest(): Promise<string[]>
  // Lets it finish normally.
  finish(): Promise<number | null>
  kill(): Promise<void>
}

const roles = { write: writeForEver, insert, serve, hold, hear, migrate: migrateOnce }
export type Role = keyof typeof roles

// For one suite: every process that was started is ended with it.
export function givenOthers(): (role: Role, ...args: string[]) => Other {
  const others: Other[] = []
  later(() => Promise.all(others.map((other) => other.kill())))
  return (role, ...args) => {
    const other = startOther(role, ...args)
    others.push(other)
    return other
  }
}

function startOther(role: Role, ...args: string[]): Other {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [import.meta.filename, role, ...args])
  child.stderr.pipe(process.stderr)
  const closed = once(child, 'close')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async line() {
      return (await lines.next()).value
    },
    async rest() {
      const rest: string[] = []
      for (let next = await lines.next(); !next.done; next = await lines.next()) rest.push(next.value)
      return rest
    },
    async finish() {
      child.stdin.end()
      await closed
      return child.exitCode
    },
    async kill() {
      child.kill('SIGKILL')
      await closed
    },
  }
}

// Standard output is a pipe, which Node writes synchronously: a printed line is out, whatever happens next.
function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function untilTold(): Promise<unknown> {
  process.stdin.resume()
  return once(process.stdin, 'end')
}

// Acknowledges each row after its commit.
async function writeForEver(url: string, prefix: string): Promise<void> {
  const storage = await openStorage(url, { server: true, log: say })
  say('open')
  let count = 0
  const lane = async () => {
    for (;;) {
      const id = `${prefix}-${count++}`
      await storage.write((tx) => tx.sql`insert into things (id, n) values (${id}, ${count})`)
      say(id)
    }
  }
  await Promise.all(Array.from({ length: 16 }, lane))
}

// Waits longer than a command does: SQLite gives its lock to whichever process happens to ask first, and a server that
// writes all the time asks very often.
async function insert(url: string, prefix: string, count: string): Promise<void> {
  const storage = await openStorage(url, { busyMsMax: 60_000 })
  for (let i = 0; i < Number(count); i++) {
    await storage.write((tx) => tx.sql`insert into things (id, n) values (${`${prefix}-${i}`}, ${i})`)
  }
  await storage.close()
}

async function serve(url: string): Promise<void> {
  const storage = await openStorage(url, { server: true })
  say('open')
  await untilTold()
  await storage.close()
}

async function hold(file: string): Promise<void> {
  const db = new DatabaseSync(file)
  db.exec('begin immediate')
  say('held')
  await untilTold()
  db.exec('commit')
  db.close()
}

// Prints a line when it begins to listen, and at each signal.
async function hear(url: string): Promise<void> {
  const storage = await openStorage(url)
  storage.listen('deliveries', () => say('heard'))
  await untilTold()
  await storage.close()
}

async function migrateOnce(url: string, directory: string, killAt?: string): Promise<void> {
  const storage = await openStorage(url)
  say('open')
  if (!killAt) await untilTold()
  const onStep = (step: string) => {
    if (step === killAt) process.kill(process.pid, 'SIGKILL')
  }
  const names = await migrate(storage, { now: new Date(), directory, onStep })
  say(names.join(' '))
  await storage.close()
}

if (import.meta.main) {
  const [role, ...args] = process.argv.slice(2)
  // The arguments are those that were given with this role.
  await (roles[role as Role] as (...args: string[]) => Promise<void>)(...args).catch((error: Error) => {
    say(`${error.name}: ${error.message}`)
    process.exitCode = 1
  })
}
