// The receiver as a program of its own:
//   WEBHOOK_SECRET=whsec_… node examples/receiver/server.ts

import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname } from 'node:path'
import { openInbox } from './inbox.ts'
import { createReceiver, type ReceivedEvent } from './receiver.ts'

const { WEBHOOK_SECRET: secret, PORT = '4200', INBOX = 'data/inbox.db' } = process.env
if (!secret) throw new Error('WEBHOOK_SECRET is missing: it is shown when the endpoint is added.')

mkdirSync(dirname(INBOX), { recursive: true })
const inbox = openInbox(INBOX)
const server = createServer(
  createReceiver({
    secret,
    keep(event) {
      inbox.keep(event)
      setImmediate(workOff)
    },
    onProblem: complain,
  }),
)
server.listen(Number(PORT), () => process.stdout.write(`Receiving on http://localhost:${PORT}\n`))

let isWorking = false
void workOff()

// What was left over when the process last ended comes first.
async function workOff(): Promise<void> {
  if (isWorking) return
  isWorking = true
  try {
    while (await inbox.next(work));
  } catch (error) {
    complain(error)
    setTimeout(workOff, 5_000)
  } finally {
    isWorking = false
  }
}

// Here the work is one line. Yours may be a mail, a row in a warehouse or a call to somebody else.
async function work({ type, subject, sequence, timestamp }: ReceivedEvent, isNewest: boolean): Promise<void> {
  process.stdout.write(`${timestamp} ${type} ${subject.id} ${sequence}${isNewest ? '' : ' (old news)'}\n`)
}

function complain(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
}
