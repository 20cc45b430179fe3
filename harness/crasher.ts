// A server that dies by SIGKILL between a commit and its answer, or before the commit once all is written. Run as a process by crash
// tests.

import { createApp } from '../src/app.ts'
import { createLog } from '../src/platform/log/log.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import type { Storage } from '../src/platform/storage/storage.ts'

const [url = '', secret = '', now = '', at = 'after commit'] = process.argv.slice(2)
const storage = await openStorage(url)
const dying: Storage = {
  ...storage,
  read: storage.read.bind(storage),
  stats: storage.stats.bind(storage),
  close: storage.close.bind(storage),
  async write(work) {
    await storage.write(async (tx) => {
      const result = await work(tx)
      return at === 'before commit' ? die() : result
    })
    return die()
  },
}

function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  // The signal takes a moment; nothing may happen before it.
  return new Promise(() => {})
}
const app = createApp({
  storage: dying,
  rootSecret: parseRootSecret(secret) as RootSecret,
  rateLimit: null,
  trustedProxies: [],
  webhookAllowPrivate: true,
  publicOrigin: () => 'http://127.0.0.1',
  version: 'test',
  clock: () => new Date(Number(now)),
  log: createLog({ level: 'silent', pretty: false, write: () => {} }),
})
const port = await app.server.listen(0, '127.0.0.1')
process.stdout.write(`${port}\n`)
