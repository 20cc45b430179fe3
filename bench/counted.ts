// Our server with its statements counted. Its loops run when its parent says so, and not by themselves.

import { countLoops } from '../harness/loopCounts.ts'
import { countStatements, type StatementCounts } from '../harness/statements.ts'
import { createApp } from '../src/app.ts'
import { startMail } from '../src/domain/emails/send.ts'
import { readSettings } from '../src/platform/config.ts'
import { createLog } from '../src/platform/log/log.ts'
import { createSink } from '../src/platform/log/sink.ts'
import { openStorage } from '../src/platform/storage/open.ts'

// What the parent asks for, and what it is answered.
export type Question = 'counts' | 'loops'
export type CountsAnswer = StatementCounts | readonly (readonly [string, StatementCounts])[]

const settings = readSettings(process.env)
if (!settings.givenSecret) throw new Error('CARTWRIGHT_SECRET is needed')
const sink = createSink(process.stdout.fd)
const log = createLog({ level: settings.logLevel, pretty: false, write: sink.write })
const storage = await openStorage(settings.databaseUrl, { server: true })
const counted = countStatements(storage)
let origin = ''
const app = createApp({
  storage: counted.storage,
  rootSecret: settings.givenSecret,
  rateLimit: null,
  trustedProxies: [],
  webhookAllowPrivate: false,
  publicOrigin: () => origin,
  mail: settings.mail,
  version: 'bench',
  clock: () => new Date(),
  log,
})
await startMail(storage, true, Date.now())
process.on('message', async (question: Question) => {
  if (question === 'counts') process.send?.(counted.take())
  if (question !== 'loops') return
  const clock = { now: Date.now() }
  process.send?.([...(await countLoops({ app, clock }, counted))])
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
