// Attacks beside normal callers, at default limits: forms of strangers, answers that nobody reads, forms of a staff member, and imports
// of a key. Quiet and attacked phases alternate, so a machine that is busy with something else counts in both.

import { createSession } from '../src/domain/users/sessions.ts'
import { createUser } from '../src/domain/users/users.ts'
import { setCookie } from '../src/platform/html/cookies.ts'
import { sliceMs } from '../src/platform/kit/breath.ts'
import { sessionCookie } from '../src/web/signin/visit.ts'
import type { Attack, Attacking, AttackReport } from './attack.ts'
import { createCaller } from './caller.ts'
import { normalCallerFor, type Took } from './normal.ts'
import type { Ground } from './place.ts'
import { median, quantile } from './quantile.ts'
import type { RunResult, RunTools } from './runs.ts'
import { defectsOf, publicUrl, startServer } from './servers.ts'
import { makeShop, product, type Shop, shopFile, standOf } from './shop.ts'
import { startAttacker } from './talk.ts'

export interface AttackNumbers {
  rounds: number
  phaseSeconds: number
  connections: number
  // Of the sizes of the imported files.
  percent: number
}

const attacks: readonly Attack[] = ['forms', 'answers not read', 'product form', 'imports']
const ratioMax = 2
// A request may wait for a slice when it arrives, and for another one when its answer of the database does.
const slicesMs = 2 * sliceMs
const hostileAddress = '127.0.0.2'
const grownBytesMax = 256 * 1_048_576

export async function runAttacks(ground: Ground, numbers: AttackNumbers, tools: RunTools): Promise<RunResult> {
  const shop = await makeShop(ground, [shopFile('attacked', { products: [product('THING', 100_000)] })])
  const cookie = await cookieOfUser(shop)
  const server = await startServer({ ...shop, rateLimit: '100/200' })
  const caller = createCaller(16)
  const attacker = startAttacker('attack.ts')
  const violations = new Set<string>()
  const seen: Record<string, number | string> = {}
  const cpuSeconds = async () => {
    const { text } = await caller.call(server.origin, { method: 'GET', path: '/metrics' })
    return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1])
  }
  try {
    const normal = await normalCallerFor(shop, server, caller, violations)
    await normal.during(2_000)
    for (const attack of attacks) {
      const given: Attacking = {
        attack,
        origin: server.origin,
        publicUrl,
        address: hostileAddress,
        connections: numbers.connections,
        productPath: '/admin/attacked/test/products/new',
        cookie,
        key: standOf(shop).importKey,
        scale: numbers.percent / 100,
      }
      const quiet: number[] = []
      const beside: number[] = []
      const statuses: Record<string, number> = {}
      let cpuUsed = 0
      // Once before it is measured: code that runs for the first time is slow, and a server has run for days.
      await attacker.ask('begin', given)
      await normal.during(numbers.phaseSeconds * 1_000)
      await attacker.ask('end')
      const { residentBytes } = await server.memory()
      for (let round = 0; round < numbers.rounds; round += 1) {
        tools.tell(`${attack}: round ${round + 1} of ${numbers.rounds}`)
        quiet.push(worst(await normal.during(numbers.phaseSeconds * 1_000)))
        await attacker.ask('begin', given)
        const cpuBefore = await cpuSeconds()
        beside.push(worst(await normal.during(numbers.phaseSeconds * 1_000)))
        cpuUsed += (await cpuSeconds()) - cpuBefore
        const report = await attacker.ask<AttackReport>('end')
        for (const [status, count] of Object.entries(report.statuses))
          statuses[status] = (statuses[status] ?? 0) + count
      }
      const grown = (await server.memory()).residentBytes - residentBytes
      const [calm, troubled] = [median(quiet), median(beside)]
      const ratio = troubled / calm
      const answers = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`)
      seen[attack] =
        `p99 ${calm.toFixed(1)} → ${troubled.toFixed(1)} ms (${ratio.toFixed(2)}×), ${answers.join(', ')}, CPU ${Math.round((100 * cpuUsed) / (numbers.rounds * numbers.phaseSeconds))} %, ${Math.round(grown / 1e6)} MB`
      if (!(ratio <= ratioMax || troubled - calm <= slicesMs))
        violations.add(`${attack}: the p99 of normal callers is ${ratio.toFixed(2)}× of what it is without`)
      if (grown > grownBytesMax) violations.add(`${attack}: the server grew by ${Math.round(grown / 1e6)} MB`)
      if (Object.keys(statuses).length === 0) violations.add(`${attack}: nothing was sent`)
      if ((statuses['500'] ?? 0) > 0) violations.add(`${attack}: ${statuses['500']} were answered 500`)
    }
    const { text } = await caller.call(server.origin, { method: 'GET', path: '/metrics' })
    for (const [, work = '', seconds] of text.matchAll(/_stall_seconds_sum\{work="([^"]*)"\} (\S+)/g))
      seen[`held the loop: ${work}`] = `${Number(seconds).toFixed(2)} s`
    await server.end()
    for (const line of defectsOf([server])) violations.add(line)
    return { seen, violations: [...violations].slice(0, 50) }
  } finally {
    await attacker.end()
    await server.end('SIGKILL')
    caller.close()
  }
}

function worst(took: Took): number {
  return quantile(Object.values(took).flat(), 0.99)
}

async function cookieOfUser(shop: Shop): Promise<string> {
  const { merchantId } = standOf(shop)
  const passwordHash = 'x'
  const now = Date.now()
  const token = await shop.withStorage((storage) =>
    storage.write(async (tx) => {
      const person = { email: 'staff@shop.test', passwordHash, merchantIds: [merchantId], role: 'staff' as const }
      const { id: userId } = await createUser(tx, shop.rootSecret, person, now)
      const input = { userId, passwordHash, userAgent: undefined, hasSecondFactor: false }
      return (await createSession(tx, input, now))?.token
    }),
  )
  if (token === undefined) throw new Error('there is no session')
  return setCookie(sessionCookie, token, publicUrl).split(';', 1)[0] ?? ''
}
