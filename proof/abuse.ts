// Abusive shoppers beside normal ones: twelve connections that post as fast as they are answered, to carts of a hundred
// lines, with cards, codes, sign-ins and the link of an ended checkout. Normal callers must wait little longer, and
// what is written must stay bounded. Then the attacks of attacks.ts.

import { runAttacks } from './attacks.ts'
import { type Caller, createCaller } from './caller.ts'
import type { HostileReport, Hostility } from './hostile.ts'
import { normalCallerFor, normalPaths, type Took } from './normal.ts'
import { findBroken } from './oracles.ts'
import type { Ground } from './place.ts'
import { median } from './quantile.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'
import { defectsOf, type Server, startServer } from './servers.ts'
import { makeShop, product, type Shop, shopFile, standOf } from './shop.ts'
import { openSession, post, type Session, sessionFrom } from './shopper.ts'
import { startAttacker } from './talk.ts'

export const abuseRun: ServerRun = {
  name: 'abuse',
  method:
    'abusive shoppers post as fast as they are answered (edits of carts of a hundred lines, cards, codes, details, `again`, unknown checkouts, sign-ins, tokens) from one address while normal callers read a product, change a cart and look at a checkout; quiet and abusive phases alternate, judged by the ratio of the medians (under 3×, from 5 ms on), the answers, and the rows that were written. Then, at default limits, strangers send forms (50 KB of empty fields, 4 MiB of plus signs, 24,900 parts), leave answers unread, a staff member sends products of 24,900 variants, and a key imports files that are dear to read, each by a process at low priority, because an attacker has a machine of its own: the p99 of normal callers is at most twice the quiet one, or two slices of 3 ms above it, and none of them is refused',
  numbers: { rounds: 6, phaseSeconds: 8, connections: 12, lines: 100, percent: 100 },
  short: { rounds: 3, phaseSeconds: 4, percent: 20 },
  async runOn(ground, numbers, tools) {
    const { rounds = 1, phaseSeconds = 1, connections = 1, lines = 1, percent = 1 } = numbers
    const shoppers = await runAbuse(ground, { rounds, phaseSeconds, connections, lines }, tools)
    const attacked = await runAttacks(ground, { rounds, phaseSeconds, connections, percent }, tools)
    return {
      seen: { ...shoppers.seen, ...attacked.seen },
      violations: [...shoppers.violations, ...attacked.violations],
    }
  },
}

export interface AbuseNumbers {
  rounds: number
  phaseSeconds: number
  connections: number
  lines: number
}

const ratioMax = 3
// A difference below this is noise of the machine.
const noiseMs = 5
const hostileAddress = '127.0.0.2'

export async function runAbuse(ground: Ground, numbers: AbuseNumbers, tools: RunTools): Promise<RunResult> {
  const codes = Array.from({ length: numbers.lines }, (_, index) => `L${index}`)
  const products = [product('THING', 100_000), ...codes.map((code) => product(code, 100_000))]
  const shop = await makeShop(ground, [shopFile('abuse', { products })])
  const server = await startServer({ ...shop, rateLimit: '1000/2000' })
  const caller = createCaller(16)
  const hostile = startAttacker('hostile.ts')
  const violations = new Set<string>()
  try {
    const given = await hostilityFor(shop, server, caller, codes, numbers.connections)
    const normal = await normalCallerFor(shop, server, caller, violations)
    await normal.during(2_000)
    const quiet: Took[] = []
    const beside: Took[] = []
    const statuses: Record<string, number> = {}
    for (let round = 0; round < numbers.rounds; round += 1) {
      tools.tell(`round ${round + 1} of ${numbers.rounds}`)
      quiet.push(await normal.during(numbers.phaseSeconds * 1_000))
      await hostile.ask('begin', given)
      beside.push(await normal.during(numbers.phaseSeconds * 1_000))
      const report = await hostile.ask<HostileReport>('end')
      for (const [status, count] of Object.entries(report.statuses)) statuses[status] = (statuses[status] ?? 0) + count
    }
    const seen: Record<string, number | string> = { hostilePosts: sum(Object.values(statuses)) }
    for (const [status, count] of Object.entries(statuses)) seen[`answered ${status}`] = count
    for (const path of normalPaths) {
      const [calm, troubled] = [quiet, beside].map((phases) => median(phases.map((took) => median(took[path]))))
      const ratio = (troubled ?? 0) / (calm ?? 1)
      seen[path] = `${calm?.toFixed(1)} → ${troubled?.toFixed(1)} ms (${ratio.toFixed(2)}×)`
      if (!(ratio < ratioMax || (troubled ?? 0) < noiseMs))
        violations.add(`${path}: the median is ${ratio.toFixed(2)}× of what it is without load`)
    }
    for (const status of Object.keys(statuses).filter((one) => Number(one) >= 500))
      violations.add(`an abusive post was answered ${status}`)
    await server.end()
    const written = await judgeRows(shop, given, numbers, violations)
    for (const line of defectsOf([server])) violations.add(line)
    return { seen: { ...seen, ...written }, violations: [...violations].slice(0, 50) }
  } finally {
    await hostile.end()
    await server.end('SIGKILL')
    caller.close()
  }
}

async function hostilityFor(
  shop: Shop,
  server: Server,
  caller: Caller,
  codes: readonly string[],
  connections: number,
): Promise<Hostility> {
  const stand = standOf(shop)
  const items = codes.map((code) => ({ skuId: shop.sku(code), quantity: 1 }))
  const open: Session[] = []
  for (let index = 0; index < connections; index += 1)
    open.push(sessionFrom(await openSession(caller, server.origin, stand, { items })))
  const ended = sessionFrom(await openSession(caller, server.origin, stand, { items }))
  await post(caller, server.origin, `/c/${ended.secret}/cancel`, {})
  return {
    origin: server.origin,
    address: hostileAddress,
    connections,
    open: open.map(({ secret }) => secret),
    ended: ended.secret,
    skuId: shop.sku(codes[0] ?? ''),
    total: open[0]?.total ?? 0,
  }
}

// The most that the abusive connections may have written, whatever they sent.
async function judgeRows(
  shop: Shop,
  { connections }: Hostility,
  { rounds, phaseSeconds }: AbuseNumbers,
  violations: Set<string>,
): Promise<Record<string, number>> {
  return shop.withStorage(async (storage) => {
    const [rows] = await storage.read(
      (db) => db.sql<Record<'payments' | 'sessions' | 'tries' | 'cartEvents' | 'held', number>>`
        select (select count(*) from payments) as "payments", (select count(*) from checkout_sessions) as "sessions",
          (select count(*) from payment_tries) as "tries",
          (select count(*) from events where type = 'cart.updated' and body like '%"cause":null%') as "cartEvents",
          (select coalesce(sum(quantity), 0) from holds) as "held"`,
    )
    if (!rows) throw new Error('there is no answer')
    const seconds = 2 * rounds * phaseSeconds + 30
    // Twenty per network, then one after each wait.
    if (rows.payments > 20 + Math.ceil(seconds / 30)) violations.add(`${rows.payments} payments were begun`)
    // The open ones, the one that ended with its successor, and the normal caller's.
    if (rows.sessions !== connections + 3) violations.add(`there are ${rows.sessions} checkouts`)
    if (rows.tries > rows.payments * 3 + 3) violations.add(`${rows.tries} attempts are counted`)
    if (rows.cartEvents > (connections + 1) * Math.ceil(seconds / 5))
      violations.add(`${rows.cartEvents} events announce changes made on pages`)
    for (const sentence of await findBroken(storage)) violations.add(sentence)
    return rows
  })
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
