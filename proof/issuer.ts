// One node that only makes documents, and is meant to be killed. Run as a process: issuer.ts <database url> <root secret>

import { flushCompileCache } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { openStorage } from '../src/platform/storage/open.ts'

const [url = '', secret = ''] = process.argv.slice(2)
const storage = await openStorage(url)
const rootSecret = parseRootSecret(secret) as RootSecret
// Node would write it at an end that this process never reaches. The next one then starts with a quarter of the CPU.
flushCompileCache()
process.stdout.write('ready\n')
for (;;) {
  const made = await issueDocuments(storage, rootSecret, { now: Date.now(), limit: 20 })
  if (made === 0) await pause(5)
}
