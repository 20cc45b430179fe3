// Our server with one commit per request, to measure what group commits are worth. The product has no such setting.

import { createApp } from '../src/app.ts'
import { readSettings } from '../src/platform/config.ts'
import { createLog } from '../src/platform/log/log.ts'
import { createSink } from '../src/platform/log/sink.ts'
import { openStorage } from '../src/platform/storage/open.ts'

const settings = readSettings(process.env)
if (!settings.givenSecret) throw new Error('CARTWRIGHT_SECRET is needed')
const sink = createSink(process.stdout.fd)
const log = createLog({ level: settings.logLevel, pretty: false, write: sink.write })
const storage = await openStorage(settings.databaseUrl, { server: true, groupWorksMax: 1 })
let origin = ''
const app = createApp({
  storage,
  rootSecret: settings.givenSecret,
  rateLimit: null,
  trustedProxies: [],
  webhookAllowPrivate: false,
  publicOrigin: () => origin,
  version: 'bench',
  clock: () => new Date(),
  log,
})
const port = await app.server.listen(0, '127.0.0.1')
origin = `http://127.0.0.1:${port}`
log.info('listening', { port })
log.flush()
process.on('SIGTERM', async () => {
  await app.server.drain(1_000)
  await storage.close()
  process.exit(0)
})
