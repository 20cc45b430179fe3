// Our server without its loops, which would be counted with what is asked of it.

import { createApp } from '../src/app.ts'
import { switchMailQueue } from '../src/domain/emails/send.ts'
import { readSettings } from '../src/platform/config.ts'
import { createLog } from '../src/platform/log/log.ts'
import { createSink } from '../src/platform/log/sink.ts'
import type { RootSecret } from '../src/platform/secrets/secrets.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import type { Storage } from '../src/platform/storage/storage.ts'

export interface Quiet {
  app: ReturnType<typeof createApp>
  // As it was opened, not as the app has it.
  storage: Storage
  rootSecret: RootSecret
  listen(): Promise<void>
}

// `seenBy`: makes the storage of the app from the one that was opened.
export async function openQuiet(seenBy: (storage: Storage) => Storage = (storage) => storage): Promise<Quiet> {
  const settings = readSettings(process.env)
  const { givenSecret: rootSecret } = settings
  if (!rootSecret) throw new Error('CARTWRIGHT_SECRET is needed')
  const sink = createSink(process.stdout.fd)
  const log = createLog({ level: settings.logLevel, pretty: false, write: sink.write })
  const storage = await openStorage(settings.databaseUrl, { server: true })
  let origin = ''
  const app = createApp({
    storage: seenBy(storage),
    rootSecret,
    rateLimit: null,
    trustedProxies: [],
    webhookAllowPrivate: false,
    publicOrigin: () => origin,
    mail: settings.mail,
    version: 'bench',
    clock: () => new Date(),
    log,
  })
  await switchMailQueue(storage, true, Date.now())
  process.on('SIGTERM', async () => {
    await app.server.drain(1_000)
    await storage.close()
    process.exit(0)
  })
  return {
    app,
    storage,
    rootSecret,
    async listen() {
      const port = await app.server.listen(0, '127.0.0.1')
      origin = `http://127.0.0.1:${port}`
      log.info('listening', { port })
      log.flush()
    },
  }
}
