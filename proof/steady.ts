// One node with production settings: it writes events at a steady pace and delivers them. Run as a process: steady.ts
// <database url> <root secret>

import { Dispatcher } from '../src/domain/webhooks/dispatcher.ts'
import { createSender } from '../src/domain/webhooks/sender.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { createLog } from '../src/platform/log/log.ts'
import { announce } from '../src/platform/outbox/announce.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import { answerQuestions, liveBytes, machineMs } from './talk.ts'

export interface Load {
  installationIds: readonly string[]
  // The number of the first event.
  from: number
  events: number
  perSecond: number
}

export interface LoadReport {
  // When each event, from the first on, was committed.
  committedAt: readonly number[]
  // How much later than planned a write started, at worst.
  lateMs: number
  // The most concurrent calls.
  inFlightMax: number
  // Share of one core.
  cpuShare: number
  rssBytes: number
  // Memory in use after a collection.
  liveBytes: number
}

// Each subject changes repeatedly, with this many others in between.
const subjectsAtOnce = 10
const note = 'Something to read. '.repeat(50)

const [url = '', secret = ''] = process.argv.slice(2)
const storage = await openStorage(url, { server: url.startsWith('sqlite:') })
const dispatcher = new Dispatcher({
  storage,
  sender: createSender({ allowPrivate: true }),
  rootSecret: parseRootSecret(secret) as RootSecret,
  clock: () => new Date(),
  log: createLog({ level: 'error', pretty: false, write: (lines) => void process.stderr.write(lines) }),
  version: 'proof',
})

async function loaded({ installationIds, from, events, perSecond }: Load): Promise<LoadReport> {
  const subjects = Array.from({ length: subjectsAtOnce }, () => newId('cart'))
  const committedAt: number[] = []
  const cpuBefore = process.cpuUsage()
  const startedAt = machineMs()
  let inFlightMax = 0
  let lateMs = 0
  const watch = setInterval(() => {
    inFlightMax = Math.max(inFlightMax, dispatcher.stats().inFlight)
  }, 5)
  const writes: Promise<void>[] = []
  for (let index = 0; index < events; index += 1) {
    const plannedAt = startedAt + (index * 1_000) / perSecond
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, plannedAt - machineMs())))
    lateMs = Math.max(lateMs, machineMs() - plannedAt)
    // Writes are not awaited before the next: a slow moment must not reduce the load.
    writes.push(write(index))
  }
  await Promise.all(writes)
  clearInterval(watch)
  const { user, system } = process.cpuUsage(cpuBefore)
  const cpuShare = (user + system) / 1_000 / (machineMs() - startedAt)
  const rssBytes = process.memoryUsage.rss()
  return { committedAt, lateMs, inFlightMax, cpuShare, rssBytes, liveBytes: liveBytes() }

  function write(index: number): Promise<void> {
    const id = subjects[index % subjectsAtOnce] as string
    const data = { number: from + index, cart: { id, note } }
    return storage.write(async (tx) => {
      for (const installationId of installationIds)
        await announce(tx, {
          installationId,
          mode: 'test',
          kind: 'cart.updated',
          subject: { type: 'cart', id },
          sequence: Math.floor(index / subjectsAtOnce) + 1,
          dataText: JSON.stringify(data),
          cause: null,
          now: Date.now(),
        })
      tx.afterCommit(() => {
        committedAt[index] = machineMs()
      })
    })
  }
}

answerQuestions({ start: () => dispatcher.start(), load: loaded })
