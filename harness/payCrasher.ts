// A shopper pays, and the server dies by SIGKILL at the named step. Run as a process by crash tests.

import { createApp } from '../src/app.ts'
import type { PayInput } from '../src/checkout/port.ts'
import { parseRootSecret, type RootSecret } from '../src/kit/secrets.ts'
import { createLog } from '../src/observe/log.ts'
import { openStorage } from '../src/storage/open.ts'

const [url = '', rootSecret = '', now = '', fatalStep = '', secret = '', input = '{}'] = process.argv.slice(2)
const app = createApp({
  storage: await openStorage(url),
  rootSecret: parseRootSecret(rootSecret) as RootSecret,
  rateLimit: null,
  trustedProxies: [],
  webhookAllowPrivate: true,
  publicOrigin: () => 'http://127.0.0.1',
  version: 'test',
  clock: () => new Date(Number(now)),
  log: createLog({ level: 'silent', pretty: false, write: () => {} }),
  payHooks: {
    onStep: (step) => {
      if (step === fatalStep) process.kill(process.pid, 'SIGKILL')
    },
  },
})
await app.checkout.pay(secret, JSON.parse(input) as PayInput)
// The step was never reached.
process.exit(3)
