// One node that only delivers webhooks, and is meant to be killed. Run as a process:
// dispatcher.ts <database url> <root secret> <lease in ms>

import { Dispatcher } from '../src/domain/webhooks/dispatcher.ts'
import { createSender } from '../src/domain/webhooks/sender.ts'
import { createLog } from '../src/platform/log/log.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { openStorage } from '../src/platform/storage/open.ts'

const [url = '', secret = '', leaseMs = ''] = process.argv.slice(2)
const storage = await openStorage(url, { server: url.startsWith('sqlite:') })
const dispatcher = new Dispatcher({
  storage,
  sender: createSender({ allowPrivate: true }),
  rootSecret: parseRootSecret(secret) as RootSecret,
  clock: () => new Date(),
  log: createLog({ level: 'error', pretty: false, write: (lines) => void process.stderr.write(lines) }),
  version: 'proof',
  leaseMs: Number(leaseMs),
  pollMs: 100,
})
process.on('SIGTERM', async () => {
  await dispatcher.drain()
  await storage.close()
  process.exit(0)
})
dispatcher.start()
process.stdout.write('ready\n')
