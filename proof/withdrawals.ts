// Shoppers withdraw while the server is killed again and again: what was acknowledged is there, once, with the time that the page showed,
// and its e-mail arrives. And guesses of orders and addresses learn nothing: each answer for an order that exists equals one for an order
// that does not, by status, size, body and time.

import { setTimeout as pause } from 'node:timers/promises'
import { market } from '../harness/carts.ts'
import { type MailServer, openMailServer } from '../harness/mailserver.ts'
import { ordersOf } from '../harness/orders.ts'
import { rival } from '../harness/shops.ts'
import { openTestServer } from '../harness/testServer.ts'
import { postWithdrawal, typedWithdrawal } from '../harness/withdrawals.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { toInstant } from '../src/platform/kit/instant.ts'
import type { Ground } from './place.ts'
import { givenBy } from './poison.ts'
import { median } from './quantile.ts'
import { whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server, startServer } from './servers.ts'
import { makeShop, type Shop } from './shop.ts'

export const withdrawalsRun: ServerRun = {
  name: 'withdrawals',
  method:
    'shoppers withdraw while the server is killed by SIGKILL, judged by the pages that acknowledged, the rows and the e-mails that arrived; then guesses of orders and addresses, half of them of orders that exist, compared by status, size, body and median time',
  numbers: { kills: 40, shoppers: 6, guesses: 100_000 },
  short: { kills: 3, guesses: 10_000 },
  runOn: (ground, { kills = 0, shoppers = 0, guesses = 0 }, tools) =>
    runWithdrawals(ground, { kills, shoppers, guesses }, tools),
}

export interface WithdrawalNumbers {
  kills: number
  shoppers: number
  guesses: number
}

export async function runWithdrawals(ground: Ground, numbers: WithdrawalNumbers, tools: RunTools): Promise<RunResult> {
  const killed = await killWhileWithdrawing(ground, numbers, tools)
  const guessed = await guess(ground, numbers.guesses, tools)
  return {
    seen: { ...killed.seen, ...guessed.seen },
    violations: [...killed.violations, ...guessed.violations].slice(0, 50),
  }
}

// The number of each order that was named, and the time that the page showed.
type Acknowledged = Map<string, string>

async function killWhileWithdrawing(
  ground: Ground,
  { kills, shoppers }: WithdrawalNumbers,
  { random, tell }: RunTools,
): Promise<RunResult> {
  const mail = await openMailServer()
  const shop = await makeShop(ground, [market])
  const options = { ...shop, mailUrl: `smtp://127.0.0.1:${mail.port}` }
  const acknowledged: Acknowledged = new Map()
  const servers: Server[] = []
  let sent = 0
  let server: Server | undefined

  async function withdrawOnce(): Promise<void> {
    const origin = server?.origin
    if (origin === undefined) return void (await pause(5))
    sent += 1
    const number = String(100_000 + sent)
    const typed = { ...typedWithdrawal, order: number, email: `shopper${number}@example.com` }
    try {
      const answer = await postWithdrawal(
        { origin, slug: market.merchant.slug },
        { ...typed, attempt: newId('wdr'), step: 'confirm' },
      )
      const [, time] = /<time datetime="([^"]+)"/.exec(await answer.text()) ?? []
      if (answer.status === 200 && time !== undefined) acknowledged.set(number, time)
    } catch {
      // Killed before it answered: whether it was received is not known to the shopper.
    }
  }

  const start = async () => {
    server = await startServer(options)
    servers.push(server)
    return server
  }
  let isOver = false
  const shopping = Array.from({ length: shoppers }, async () => {
    while (!isOver) await withdrawOnce()
  })
  for (let times = 0; times < kills; times += 1) {
    const running = await start()
    const wanted = acknowledged.size + whole(random, 1, 40)
    while (acknowledged.size < wanted) await pause(random() * 10)
    server = undefined
    await running.end('SIGKILL')
    tell(`${times + 1} of ${kills} kills, ${acknowledged.size} acknowledged`)
  }
  isOver = true
  await Promise.all(shopping)
  await endLeases(shop)
  const last = await start()
  const violations = await judge(shop, mail, acknowledged, last)
  await mail.close()
  return {
    seen: { kills, sent, acknowledged: acknowledged.size, emails: mail.emails.length },
    violations: [...violations, ...defectsOf(servers)],
  }
}

// On PostgreSQL the next server waits out the leases of a killed one, which takes longer than this run: they end now.
async function endLeases(shop: Shop): Promise<void> {
  await shop.withStorage((storage) =>
    storage.write((tx) => tx.sql`update emails set due_at = ${Date.now()} where status = 'sending'`),
  )
}

// How long the e-mails that are left may take.
const mailMsMax = 180_000

async function judge(shop: Shop, mail: MailServer, acknowledged: Acknowledged, last: Server): Promise<string[]> {
  const arrived = () => new Set(mail.emails.flatMap(({ to }) => to.map((address) => /\d+/.exec(address)?.[0] ?? '')))
  const deadline = performance.now() + mailMsMax
  const isMissing = () => {
    const got = arrived()
    return [...acknowledged.keys()].some((number) => !got.has(number))
  }
  while (isMissing() && performance.now() < deadline) await pause(200)
  await last.end()
  const got = arrived()
  const rows = await shop.withStorage((storage) =>
    storage.read(
      (db) => db.sql<{ number: string; at: number }>`
        select order_number as "number", received_at as "at" from withdrawals`,
    ),
  )
  const byNumber = Map.groupBy(rows, ({ number }) => number)
  return [...acknowledged].flatMap(([number, time]) => {
    const found = byNumber.get(number) ?? []
    const [first] = found
    if (!first) return [`withdrawal ${number} was acknowledged and is lost`]
    if (found.length > 1) return [`withdrawal ${number} is there ${found.length} times`]
    if (toInstant(first.at) !== time) return [`withdrawal ${number} has another time than its page`]
    return got.has(number) ? [] : [`withdrawal ${number} was not acknowledged by e-mail`]
  })
}

const ordersMade = 40
// Medians of interleaved requests to one process. A lookup of an order takes more.
const ratioMax = 1.05

async function guess(ground: Ground, guesses: number, { random, tell }: RunTools): Promise<RunResult> {
  const ends: (() => Promise<void>)[] = []
  try {
    const testServer = await openTestServer(givenBy(ground, ends), { shops: [market, rival] })
    const orders = await ordersOf(testServer)
    const known = new Set<string>()
    while (known.size < ordersMade) known.add((await orders.place({ items: { CARD: 1 } })).number)
    const shop = { origin: testServer.origin, slug: market.merchant.slug }
    const took = { real: [] as number[], wrong: [] as number[] }
    const shapes = new Set<string>()
    for (let done = 0; done < guesses; done += 1) {
      const kind = done % 2 === 0 ? 'real' : 'wrong'
      const number = kind === 'real' ? [...known][whole(random, 0, known.size - 1)] : `T-${whole(random, 5_000, 9_999)}`
      const email = random() < 0.5 ? 'ada@example.com' : 'eve@example.com'
      const fields = { ...typedWithdrawal, order: number ?? '', email, attempt: newId('wdr'), step: 'confirm' }
      const begun = performance.now()
      const answer = await postWithdrawal(shop, fields)
      const text = await answer.text()
      took[kind].push(performance.now() - begun)
      // The clock of the server stands still, so what differs is what was typed.
      const bare = text.replaceAll(number ?? '', '#').replaceAll(email, '@')
      shapes.add(`${answer.status} ${text.length} ${bare}`)
      if (done % 1_000 === 0) tell(`${done} of ${guesses} guesses`)
    }
    const ratio = median(took.real) / median(took.wrong)
    return {
      seen: { guesses, answers: shapes.size, medianRatio: ratio.toFixed(3) },
      violations: [
        ...(shapes.size > 1 ? [`${shapes.size} different answers to guesses`] : []),
        ...(Math.max(ratio, 1 / ratio) > ratioMax ? [`real orders take ${ratio.toFixed(3)} times as long`] : []),
      ],
    }
  } finally {
    for (const end of ends.reverse()) await end()
  }
}
