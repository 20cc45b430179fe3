// A server that dies by SIGKILL at the named step: while it does the work that it is given, or while it is asked by HTTP. Run as a
// process by crash tests.

import { createApp } from '../src/app.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import type { PayInput } from '../src/domain/checkout/port.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { payRefunds } from '../src/domain/payments/refunds.ts'
import type { MoneyStep } from '../src/domain/payments/steps.ts'
import { createLog } from '../src/platform/log/log.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { openStorage } from '../src/platform/storage/open.ts'

export interface CrashOrder {
  url: string
  rootSecret: string
  now: number
  step: MoneyStep
  work: { pay: string; input: PayInput } | 'check' | 'refunds' | 'serve'
  publicOrigin?: string
  providerUrls?: Readonly<Record<string, string>>
}

const order = JSON.parse(process.argv[2] ?? '{}') as CrashOrder
const { work } = order
const app = createApp({
  storage: await openStorage(order.url),
  rootSecret: parseRootSecret(order.rootSecret) as RootSecret,
  rateLimit: null,
  trustedProxies: [],
  webhookAllowPrivate: true,
  publicOrigin: () => order.publicOrigin ?? 'http://127.0.0.1',
  version: 'test',
  clock: () => new Date(order.now),
  log: createLog({ level: 'silent', pretty: false, write: () => {} }),
  providerUrls: order.providerUrls ?? {},
  payHooks: {
    onStep: (step) => {
      if (step === order.step) process.kill(process.pid, 'SIGKILL')
    },
  },
})
if (work === 'serve') process.stdout.write(`${await app.server.listen(0, '127.0.0.1')}\n`)
else {
  if (work === 'check') await recoverPayments(app.payTools)
  else if (work === 'refunds') await payRefunds({ ...app.payTools, onPaid: recordRefundEnd }, order.now)
  else await app.checkout.pay(work.pay, work.input)
  // The step was never reached.
  process.exit(3)
}
