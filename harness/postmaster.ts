// Runs one throwaway PostgreSQL cluster for the process that started this one, and ends with that process, however it
// ends: our standard input then closes. It works in its own folders and leaves nothing behind.
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { prepareBinaries, type Server, stop } from './binaries.ts'
import { placeOfData } from './folder.ts'
import { freePort } from './ports.ts'

const flags = JSON.parse(process.argv[2] ?? '[]') as string[]

const folder = await mkdtemp(join(tmpdir(), 'cartwright-postgres-'))
// A new database is created in a quarter of the time if it need not survive a power failure.
const place = flags.includes('fsync=off') ? await placeOfData() : tmpdir()
const dataFolder = await mkdtemp(join(place, 'cartwright-postgres-'))
try {
  await run()
} finally {
  for (const made of [folder, dataFolder]) await rm(made, { recursive: true, force: true })
}

async function run(): Promise<void> {
  const binaries = await prepareBinaries(folder)
  if (binaries.user) await chown(dataFolder, binaries.user.uid, binaries.user.gid)
  const data = join(dataFolder, 'data')
  await binaries.initialise(data)
  const port = await freePort()
  const start = () => binaries.start(data, port, flags)
  let server: Server = await start()
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

// The other end of the pipe may be gone.
function say(line: string): void {
  process.stdout.write(`${line}\n`, () => {})
}
