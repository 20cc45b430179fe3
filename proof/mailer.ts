// One node that only sends e-mails, and is meant to be killed. Its time passes quickly, so an e-mail that is put off comes again soon.
// Run as a process: mailer.ts <database url> <root secret> <mail server> <beginning of time>

import { setTimeout as pause } from 'node:timers/promises'
import { createPayTools } from '../src/domain/checkout/tools.ts'
import { createDiscards } from '../src/domain/emails/discards.ts'
import { type MailTools, newEmailCounts, sendDueEmails, switchMailQueue } from '../src/domain/emails/send.ts'
import { createTransport } from '../src/domain/emails/smtp.ts'
import { createPaymentWatch } from '../src/domain/payments/watch.ts'
import { parseMailUrl } from '../src/platform/kit/mailurl.ts'
import { retentionDefaultsMs } from '../src/platform/kit/retention.ts'
import { createLog } from '../src/platform/log/log.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import { prepareEmail } from '../src/web/emails/prepare.ts'

const [url = '', secret = '', mailUrl = '', begun = ''] = process.argv.slice(2)
const speed = 3_000
const sendMsMax = 1_500
const clock = () => new Date(Number(begun) + (Date.now() - Number(begun)) * speed)
const target = parseMailUrl(mailUrl)
if ('problem' in target || target.kind === 'off') throw new Error('there is no mail server')
const storage = await openStorage(url, { server: url.startsWith('sqlite:') })
await switchMailQueue(storage, true, clock().getTime())
const log = createLog({ level: 'error', pretty: false, write: (lines) => void process.stderr.write(lines) })
const prepareTools = createPayTools({
  storage,
  rootSecret: parseRootSecret(secret) as RootSecret,
  publicOrigin: () => 'https://shop.example.com',
  clock,
  watch: createPaymentWatch(log),
  cartsIdleMs: retentionDefaultsMs.carts,
  boundsTries: false,
  providerUrls: {},
})
const tools: MailTools = {
  storage,
  clock,
  prepare: (db, email) => prepareEmail(prepareTools, db, email),
  picture: async () => undefined,
  transport: createTransport(target, 'orders@shop.example.com'),
  log,
  counts: newEmailCounts(),
  discards: createDiscards(log),
  health: { isFailing: false },
  stop: new AbortController(),
  // Longer than an e-mail is under way, in the time of that clock.
  leaseMs: 2 * sendMsMax * speed,
  sendMsMax,
}
process.stdout.write('ready\n')
for (;;) {
  await sendDueEmails(tools)
  await pause(20)
}
