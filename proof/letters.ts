// Letters while the mail server is down, slow, puts them off or breaks off, and the processes that send them are killed again and
// again. In the end each fact's letter has arrived; one that arrived more than once has one Message-ID and one text.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Behaviour, openMailServer } from '../harness/mailserver.ts'
import { until } from '../harness/until.ts'
import { oweLetters, setMailSwitch } from '../src/events/letters.ts'
import type { Place } from './place.ts'
import type { Run } from './runs.ts'

export const lettersRun: Run = {
  name: 'letters',
  method: 'letters to a mail server that is down, slow or breaks off, while the processes that send them are killed',
  numbers: { letters: 150, kills: 100 },
  short: { letters: 20, kills: 3 },
  async run(place, { letters = 0, kills = 0 }, random) {
    const { arrived, repeated, differing, unsettled } = await runLetters(place, letters, kills, random)
    const broken = { lost: letters - arrived.size, differing, unsettled }
    return {
      seen: { letters, kills, repeated, ...broken },
      violations: Object.entries(broken).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : [])),
    }
  },
}

interface Seen {
  // The texts by fact.
  arrived: Map<string, string>
  repeated: number
  differing: number
  unsettled: number
}

async function runLetters(place: Place, letters: number, kills: number, random: () => number): Promise<Seen> {
  const begun = Date.now()
  let server = await openMailServer()
  const { port } = server
  const seen: Seen = { arrived: new Map(), repeated: 0, differing: 0, unsettled: 0 }
  const ids = new Map<string, string>()
  const behave = (): Behaviour => {
    const chance = random()
    if (chance < 0.05) return { kind: 'refuse', at: 'rcpt', code: 451 }
    if (chance < 0.1) return { kind: 'refuse', at: 'mail', code: 451 }
    if (chance < 0.13) return { kind: 'drop' }
    return chance < 0.3 ? { kind: 'slow', ms: 100 } : { kind: 'take' }
  }
  // What has arrived since the last look.
  let counted = 0
  function look(): void {
    for (const { text, headers } of server.letters.slice(counted)) {
      const [fact = ''] = /https:\/\/hooks\.example\.com\/\d+/.exec(text) ?? []
      const whole = `${headers['message-id']} ${headers.subject} ${text}`
      const known = seen.arrived.get(fact)
      if (known === undefined) seen.arrived.set(fact, whole)
      else {
        seen.repeated += 1
        if (known !== whole) seen.differing += 1
      }
      const id = headers['message-id'] ?? ''
      if ((ids.get(id) ?? fact) !== fact) seen.differing += 1
      ids.set(id, fact)
    }
    counted = server.letters.length
  }
  // Long enough for letters to be put off, short of giving them up.
  async function goAway(): Promise<void> {
    await server.close()
    look()
    await pause(300)
    server = await openMailServer(port)
    server.behave = behave
    counted = 0
  }
  server.behave = behave
  await owe(place, letters, begun)
  let child: ChildProcess | undefined
  try {
    for (let killed = 0; killed < kills; killed += 1) {
      child = startMailer(place, port, begun)
      await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), once(child, 'close')])
      const wanted = Math.min(letters - 1, Math.floor((letters * (killed + random())) / (kills + 1)))
      await until(() => {
        look()
        return seen.arrived.size >= wanted
      }, 'the next letter')
      if (killed === Math.floor(kills / 2)) await goAway()
      child.kill('SIGKILL')
      await once(child, 'close')
      process.stdout.write(`\r  ${killed + 1} kills, ${seen.arrived.size} of ${letters} arrived   `)
    }
    child = startMailer(place, port, begun)
    const open = () =>
      place.storage.read(
        (db) => db.sql<{ count: number }>`select count(*) as "count" from emails where due_at is not null`,
      )
    await until(async () => (await open())[0]?.count === 0, 'the last letter')
    look()
    const unsent = await place.storage.read((db) => db.sql`select id from emails where status <> 'sent'`)
    seen.unsettled = unsent.length
    return seen
  } finally {
    child?.kill('SIGKILL')
    await server.close()
  }
}

// Each is about another endpoint, so its text tells which fact it is of.
async function owe({ storage, installationId }: Place, letters: number, now: number): Promise<void> {
  await storage.write(async (tx) => {
    await setMailSwitch(tx, true, now)
    await tx.sql`update merchants set support_email = 'help@shop.example.com'`
  })
  await storage.write(async (tx) => {
    const all = Array.from({ length: letters }, (_, number) => ({
      kind: 'endpoint_disabled' as const,
      subjectId: String(number),
      facts: { url: `https://hooks.example.com/${number}`, reason: 'failing' },
    }))
    oweLetters(tx, { installationId, merchantId: null, orderId: null }, all, now)
  })
}

function startMailer({ url, rootSecretText }: Place, port: number, begun: number): ChildProcess {
  const file = join(import.meta.dirname, 'mailer.ts')
  const args = [file, url, rootSecretText, `smtp://127.0.0.1:${port}`, String(begun)]
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
