// E-mails while the mail server is down, slow, greylists, refuses some for good or breaks off after the text, and the processes that
// send them are killed again and again. In the end each e-mail has arrived, or was refused and is listed as such; one that arrived
// more than once has one Message-ID and one text.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { cartwright } from '../harness/commandline.ts'
import { type Behaviour, openMailServer, type ReceivedEmail } from '../harness/mailserver.ts'
import { until } from '../harness/until.ts'
import { queueEmails, queueUserEmail, setMailSwitch } from '../src/platform/outbox/emails.ts'
import type { Place } from './place.ts'
import type { Run } from './runs.ts'

export const mailRun: Run = {
  name: 'mail',
  method:
    'e-mails to a mail server that is down, slow, greylists, refuses at RCPT or DATA, or breaks off after the text, while the processes that send them are killed; judged by what arrived, by the rows, and by what `mail list` and `doctor` say of the refused ones',
  numbers: { emails: 400, kills: 100 },
  short: { emails: 40, kills: 3 },
  async run(place, { emails = 0, kills = 0 }, random) {
    const world = await openWorld(place, emails, random)
    try {
      await world.killAll(kills)
      return await judge(place, emails, kills, world)
    } finally {
      await world.close()
    }
  },
}

// Every other e-mail is to a person with an address of their own, which decides what becomes of it; the rest are to the merchant.
type Fate = 'plain' | 'refusedAtRcpt' | 'refusedAtData' | 'greylisted'

function fateOf(number: number): Fate {
  return ({ 1: 'refusedAtRcpt', 3: 'refusedAtData', 5: 'greylisted' } as const)[number % 10] ?? 'plain'
}

const isRefused = (number: number) => fateOf(number).startsWith('refused')
const greylistedTimes = 2
const putOffMax = 4

// What is decided by chance, anew for each command.
function mishap(chance: number): Behaviour {
  if (chance < 0.04) return { kind: 'refuse', at: 'rcpt', code: 451, status: '4.7.1' }
  if (chance < 0.08) return { kind: 'refuse', at: 'mail', code: 421 }
  if (chance < 0.1) return { kind: 'refuse', at: 'data', code: 452, status: '4.3.1' }
  if (chance < 0.13) return { kind: 'drop' }
  // Longer than the sender waits.
  if (chance < 0.14) return { kind: 'slow', ms: 2_000 }
  return chance < 0.3 ? { kind: 'slow', ms: 100 } : { kind: 'take' }
}

interface World {
  // By fact: the Message-ID and everything that was written.
  arrived: ReadonlyMap<number, string>
  seen: { repeated: number; greylisted: number; outages: number }
  differing: () => number
  killAll(kills: number): Promise<void>
  close(): Promise<void>
}

async function openWorld(place: Place, emails: number, random: () => number): Promise<World> {
  const begun = Date.now()
  let server = await openMailServer()
  const { port } = server
  const arrived = new Map<number, string>()
  const factOf = new Map<string, number>()
  const seen = { repeated: 0, greylisted: 0, outages: 0 }
  let differing = 0
  const tries = new Map<string, number>()
  const senders: ChildProcess[] = []

  function behave(to: string): Behaviour {
    const number = Number(/^person(\d+)@/.exec(to)?.[1] ?? 0)
    const fate = fateOf(number)
    if (fate === 'refusedAtRcpt') return { kind: 'refuse', at: 'rcpt', code: 550, status: '5.1.1' }
    if (fate === 'refusedAtData') return { kind: 'refuse', at: 'data', code: 554, status: '5.6.0' }
    const tried = tries.get(to) ?? 0
    if (fate === 'greylisted' && tried < greylistedTimes) {
      tries.set(to, tried + 1)
      seen.greylisted += 1
      return { kind: 'refuse', at: 'rcpt', code: 450, status: '4.2.0' }
    }
    return mishap(random())
  }

  let counted = 0
  function look(): void {
    for (const message of server.emails.slice(counted)) note(message)
    counted = server.emails.length
  }

  function note({ text, html, headers, to }: ReceivedEmail): void {
    const number = Number(/\/fact\/(\d+)/.exec(text)?.[1])
    const id = headers['message-id'] ?? ''
    const whole = [id, to.join(), headers.subject, text, html].join('\n')
    const known = arrived.get(number)
    if (known !== undefined) seen.repeated += 1
    if ((known ?? whole) !== whole || (factOf.get(id) ?? number) !== number || isRefused(number)) differing += 1
    arrived.set(number, known ?? whole)
    factOf.set(id, number)
  }

  // Long enough for e-mails to be put off, short of giving them up.
  async function goAway(): Promise<void> {
    await server.close()
    look()
    seen.outages += 1
    await pause(300)
    server = await openMailServer(port)
    server.behave = behave
    counted = 0
  }

  async function start(): Promise<void> {
    const sender = startMailer(place, port, begun)
    senders.push(sender)
    await Promise.race([once(sender.stdout as NodeJS.ReadableStream, 'data'), once(sender, 'close')])
  }

  async function killOne(): Promise<void> {
    const sender = senders.shift()
    if (!sender || sender.exitCode !== null) return
    sender.kill('SIGKILL')
    await once(sender, 'close')
  }

  async function killAll(kills: number): Promise<void> {
    const outagesAt = [0.25, 0.5, 0.75].map((part) => Math.floor(kills * part))
    const numbers = Array.from({ length: emails }, (_, number) => number)
    // One file has one server.
    if (place.engine === 'postgres') await start()
    let queued = 0
    for (let killed = 0; killed < kills; killed += 1) {
      await start()
      // A few at a time, so there is always something to be sent when a process is killed.
      const batch = numbers.slice(Math.floor((emails * killed) / kills), Math.floor((emails * (killed + 1)) / kills))
      await queue(place, batch, begun)
      const arriving = batch.filter((number) => !isRefused(number)).length
      // Some that were put off come later.
      const wanted = Math.floor(queued + random() * arriving) - putOffMax
      queued += arriving
      await until(() => {
        look()
        return arrived.size >= wanted
      }, 'the next e-mail')
      if (outagesAt.includes(killed)) await goAway()
      await killOne()
      process.stdout.write(`\r  ${killed + 1} kills, ${arrived.size} of ${queued} arrived   `)
    }
    await start()
    const waiting = () =>
      place.storage.read((db) => db.sql<{ id: string }>`select id from emails where due_at is not null limit 1`)
    await until(async () => (await waiting()).length === 0, 'the last e-mail')
    look()
    process.stdout.write('\n')
  }

  server.behave = behave
  await switchOn(place, begun)
  return {
    arrived,
    seen,
    differing: () => differing,
    killAll,
    async close() {
      for (const sender of senders) sender.kill('SIGKILL')
      await server.close()
    },
  }
}

async function switchOn({ storage }: Place, now: number): Promise<void> {
  await storage.write(async (tx) => {
    await setMailSwitch(tx, true, now)
    await tx.sql`update merchants set support_email = 'help@shop.example.com'`
  })
}

// Each has its number in its link, so its text tells which fact it is of.
async function queue(place: Place, numbers: readonly number[], now: number): Promise<void> {
  const { storage, installationId, rootSecret } = place
  await storage.write(async (tx) => {
    const [merchant] = await tx.sql<{ id: string }>`
      select merchant_id as "id" from installations where id = ${installationId}`
    const toMerchant = numbers
      .filter((number) => number % 2 === 0)
      .map((number) => ({
        kind: 'endpoint_disabled' as const,
        subjectId: String(number),
        facts: { url: `https://hooks.example.com/fact/${number}`, reason: 'failing' },
      }))
    queueEmails(tx, { installationId, merchantId: null, orderId: null }, toMerchant, now)
    for (const number of numbers.filter((one) => one % 2 === 1)) {
      const message = { kind: 'invitation', subjectId: String(number), merchantId: merchant?.id ?? '' } as const
      const person = { email: `person${number}@example.com`, path: `/fact/${number}`, locale: null }
      const expiresAt = now + 365 * 24 * 3_600_000
      // An e-mail is sent only while its invitation is open.
      await tx.sql`
        insert into invitations (id, kind, token_hash, merchant_id, role, created_at, expires_at)
        values (${message.subjectId}, 'invitation', ${`hash of ${number}`}, ${message.merchantId}, 'viewer', ${now}, ${expiresAt})`
      queueUserEmail(tx, rootSecret, { ...message, ...person, expiresAt }, now)
    }
  })
}

async function judge(place: Place, emails: number, kills: number, { arrived, seen, differing }: World) {
  const rows = await place.storage.read(
    (db) => db.sql<{ number: string; status: string }>`select subject_id as "number", status from emails`,
  )
  const refused = rows.filter(({ number }) => isRefused(Number(number)))
  const settings = { CARTWRIGHT_DATABASE_URL: place.url, CARTWRIGHT_SECRET: place.rootSecretText }
  const listed = await cartwright(['mail', 'list', '--status', 'refused', '--limit', '200', '--json'], settings)
  const doctor = await cartwright(['doctor', '--json'], settings)
  const broken = {
    missing: emails - rows.length,
    lost: rows.filter(({ number, status }) => status === 'sent' && !arrived.has(Number(number))).length,
    unsent: rows.filter(({ number, status }) => status !== 'sent' && !isRefused(Number(number))).length,
    notRefused: refused.filter(({ status }) => status !== 'refused').length,
    unlisted: refused.length - (JSON.parse(listed.out) as { emails: unknown[] }).emails.length,
    unreported: refused.length - countOf((JSON.parse(doctor.out) as { warnings: string[] }).warnings),
    differing: differing(),
  }
  return {
    seen: { emails, kills, arrived: arrived.size, refused: refused.length, ...seen, ...broken },
    violations: Object.entries(broken).flatMap(([what, count]) => (count !== 0 ? [`${count} ${what}`] : [])),
  }
}

// Of the warnings about refused e-mails, one for each answer.
function countOf(warnings: readonly string[]): number {
  return warnings.reduce((sum, warning) => sum + Number(/(\d+) e-mails refused/.exec(warning)?.[1] ?? 0), 0)
}

function startMailer({ url, rootSecretText }: Place, port: number, begun: number): ChildProcess {
  const file = join(import.meta.dirname, 'mailer.ts')
  const args = [file, url, rootSecretText, `smtp://127.0.0.1:${port}`, String(begun)]
  return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
