// One merchant in both modes: random purchases, cancellations, refunds and stock counts in each, and afterwards the
// same live steps alone in another database. Every live number must be the same, as if test mode had never been used.

import { randomBytes } from 'node:crypto'
import { answerOf } from '../harness/refused.ts'
import { createApp } from '../src/app.ts'
import type { Mode } from '../src/contract/words.ts'
import { openSession } from '../src/domain/checkout/sessions.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'
import { sweepHolds } from '../src/domain/inventory/holds.ts'
import { setOnHand } from '../src/domain/inventory/levels.ts'
import { listInstallations } from '../src/domain/merchants/store.ts'
import { cancelOrder } from '../src/domain/orders/cancel.ts'
import { recordOrderPaid, refundOrder } from '../src/domain/orders/operator.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { Refusal } from '../src/platform/kit/refuse.ts'
import { createLog } from '../src/platform/log/log.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { migrate } from '../src/platform/storage/migrate.ts'
import { openStorage } from '../src/platform/storage/open.ts'
import type { Storage } from '../src/platform/storage/storage.ts'
import { findBroken } from './oracles.ts'
import type { Ground } from './place.ts'
import { pick, whole } from './random.ts'
import type { RunResult, RunTools, ServerRun } from './runs.ts'

export const modesRun: ServerRun = {
  name: 'modes',
  method:
    'random purchases, open checkouts, cancellations, refunds and counts of the stock in both modes of one merchant, one after the other; judged by the live stock, holds, uses of codes, order numbers, orders and events of the same live steps without any test step, and by the invariants',
  numbers: { steps: 20_000 },
  short: { steps: 300 },
  runOn: (ground, { steps = 0 }, tools) => runModes(ground, { steps }, tools),
}

const codes = ['A', 'B', 'C'] as const
type Code = (typeof codes)[number]

type Step =
  | { kind: 'buy' | 'open'; mode: Mode; code: Code; quantity: number; promotion: 'FEW' | 'MANY' | null }
  | { kind: 'cancel' | 'refund'; mode: Mode; order: number }
  | { kind: 'set'; mode: Mode; code: Code; onHand: number }
  | { kind: 'wait'; ms: number }

const file: ShopFile = {
  merchant: { slug: 'modes', name: 'Modes', currency: 'EUR', country: 'DE', lowStockAt: 5 },
  products: codes.map((code) => ({
    slug: code.toLowerCase(),
    name: code,
    publishedAt: '2026-01-01T00:00:00.000Z',
    skus: [{ code, price: 1_000, stock: 12, requiresShipping: false, backorder: code === 'C' }],
  })),
  promotions: [
    { code: 'FEW', name: 'Few', type: 'percentage', percentage: 1_000, usageLimit: 7 },
    { code: 'MANY', name: 'Many', type: 'fixed_amount', amount: 100 },
  ],
  payments: [{ mode: 'live', method: 'bank_transfer', instructions: 'To nobody', termDays: null }],
  installations: [
    { name: 'Test', mode: 'test', redirectHosts: ['localhost'] },
    { name: 'Live', mode: 'live', redirectHosts: ['localhost'] },
  ],
}

export async function runModes(
  ground: Ground,
  { steps: count }: { steps: number },
  { random, tell }: RunTools,
): Promise<RunResult> {
  const steps = Array.from({ length: count }, () => anyStep(random))
  const both = await play(ground, steps, (done) => tell(`${done} of ${count} steps in both modes`))
  const live = steps.filter((step) => step.kind === 'wait' || step.mode === 'live')
  const alone = await play(ground, live, (done) => tell(`${done} of ${live.length} live steps alone`))
  const violations = [...both.broken, ...alone.broken]
  for (const [index, outcome] of alone.outcomes.entries()) {
    if (both.outcomes[index] === outcome) continue
    violations.push(`live step ${index} (${JSON.stringify(live[index])}): ${both.outcomes[index]}, alone ${outcome}`)
    break
  }
  for (const [what, text] of Object.entries(alone.world)) {
    if (both.world[what] !== text) violations.push(`live ${what}: ${both.world[what]}, alone ${text}`.slice(0, 2_000))
  }
  const orders = live.filter((_, index) => /^\d+$/.test(alone.outcomes[index] ?? '')).length
  return {
    seen: { liveSteps: live.length, testSteps: count - live.length, liveOrders: orders, testOrders: both.testOrders },
    violations: violations.slice(0, 50),
  }
}

function anyStep(random: () => number): Step {
  const mode = pick(random, ['test', 'live'] as const)
  const code = pick(random, codes)
  const kind = pick(random, ['buy', 'buy', 'buy', 'buy', 'open', 'cancel', 'refund', 'set', 'wait'] as const)
  switch (kind) {
    case 'buy':
    case 'open':
      return { kind, mode, code, quantity: whole(random, 1, 4), promotion: pick(random, ['FEW', 'MANY', null, null]) }
    case 'cancel':
    case 'refund':
      return { kind, mode, order: whole(random, 0, 9) }
    case 'set':
      return { kind, mode, code, onHand: whole(random, 0, 30) }
    case 'wait':
      return { kind, ms: whole(random, 1, 10) * 60_000 }
  }
}

interface Played {
  // Of each live step, and of each step in both modes.
  outcomes: string[]
  testOrders: number
  // The state of live mode.
  world: Readonly<Record<string, string>>
  broken: string[]
}

async function play(ground: Ground, steps: readonly Step[], tell: (done: number) => void): Promise<Played> {
  const storage = await openStorage(await ground.freshUrl())
  try {
    await migrate(storage, { now: new Date() })
    const shop = await openShop(storage)
    const outcomes: string[] = []
    for (const [index, step] of steps.entries()) {
      const outcome = await shop.take(step)
      if (step.kind === 'wait' || step.mode === 'live') outcomes.push(outcome)
      if (index % 100 === 0) tell(index)
    }
    const { testOrders } = shop
    shop.close()
    return { outcomes, testOrders: testOrders(), world: await liveWorld(storage), broken: await findBroken(storage) }
  } finally {
    await storage.close()
  }
}

interface ModesShop {
  take(step: Step): Promise<string>
  testOrders(): number
  close(): void
}

async function openShop(storage: Storage): Promise<ModesShop> {
  let now = Date.parse('2026-06-01T12:00:00.000Z')
  const rootSecret = parseRootSecret(randomBytes(32).toString('base64url')) as RootSecret
  const { merchantId, refused } = await applyShop(storage, file, { now, stock: false, dryRun: false })
  if (refused.length > 0) throw new Error(`the shop of this run was refused: ${JSON.stringify(refused)}`)
  const installations = await storage.read((db) => listInstallations(db, merchantId))
  const skus = await storage.read((db) => db.sql<{ id: string; code: string }>`select id, code from skus`)
  const skuOf = new Map(skus.map(({ id, code }) => [code, id]))
  const app = createApp({
    storage,
    rootSecret,
    rateLimit: null,
    trustedProxies: [],
    webhookAllowPrivate: false,
    publicOrigin: () => 'https://localhost',
    version: 'proof',
    clock: () => new Date(now),
    log: createLog({ level: 'silent', pretty: false, write: () => {} }),
  })
  const orders: Record<Mode, string[]> = { test: [], live: [] }
  const installationIn = (mode: Mode) => installations.find((one) => one.mode === mode)?.id ?? ''

  async function open({ mode, code, quantity, promotion }: Extract<Step, { quantity: number }>): Promise<string> {
    const session = await storage.write((db) =>
      openSession(app.payTools, {
        db,
        caller: { installationId: installationIn(mode), merchantId, mode },
        body: {
          items: [{ skuId: skuOf.get(code) ?? '', quantity }],
          successUrl: 'https://localhost/',
          customer: { email: 'ada@example.com' },
          ...(promotion === null ? {} : { promotionCode: promotion }),
        },
        now: new Date(now),
        cause: { operationId: 'createHostedCheckoutSession', requestId: newId('req') },
      }),
    )
    return (session.url ?? '').split('/').at(-1) ?? ''
  }

  async function buy(step: Extract<Step, { quantity: number }>): Promise<string> {
    const secret = await open(step)
    const view = await app.checkout.look(secret)
    if (!view) throw new Error('a session was opened but has no page')
    const method =
      step.mode === 'live' ? { provider: 'manual', method: 'bank_transfer' } : { provider: 'test', method: 'card' }
    const paid = await app.checkout.pay(secret, {
      version: view.session.version,
      expectedTotal: view.session.totals.total,
      ...method,
      details: { number: '4242424242424242', expiry: '12/40', cvc: '123', name: 'Ada Lovelace' },
      attempt: newId('pay'),
    })
    if (!paid) throw new Error('a session has lost its page')
    const { orderId, lastPaymentError } = paid.view.session
    if (paid.problem || !orderId) return paid.problem?.code ?? lastPaymentError?.message ?? 'nothing'
    orders[step.mode].push(orderId)
    return paid.view.order?.number ?? ''
  }

  // Counted from the newest.
  const keyOf = (mode: Mode, order: number) => ({
    installationId: installationIn(mode),
    orderId: orders[mode].at(-1 - order) ?? '',
  })

  async function cancel(mode: Mode, order: number): Promise<string> {
    const input = { by: 'operator', expectedVersion: undefined, reason: null, note: null, isRestocked: true } as const
    const moment = { now, cause: null }
    const { order: cancelled } = await storage.write((tx) => cancelOrder(tx, keyOf(mode, order), input, moment))
    return `${cancelled.number} cancelled`
  }

  // Live orders are first paid by hand.
  async function refund(mode: Mode, order: number): Promise<string> {
    const [key, moment] = [keyOf(mode, order), { now, cause: null }]
    if (mode === 'live') await answerOf(storage.write((tx) => recordOrderPaid(tx, key, moment)))
    const input = { amount: 100, reason: null, isByHand: true }
    const { facts } = await storage.write((tx) => refundOrder(tx, key, input, moment))
    return `${facts.order.number} refunded ${facts.order.refunded}`
  }

  async function take(step: Step): Promise<string> {
    switch (step.kind) {
      case 'buy':
        return buy(step)
      case 'open':
        await open(step)
        return 'open'
      case 'cancel':
        return cancel(step.mode, step.order)
      case 'refund':
        return refund(step.mode, step.order)
      case 'set': {
        const level = { skuId: skuOf.get(step.code) ?? '', onHand: step.onHand }
        const moment = { now, cause: null }
        await storage.write((tx) => setOnHand(tx, { merchantId, mode: step.mode }, [level], moment))
        return 'set'
      }
      case 'wait':
        now += step.ms
        while ((await expireSessions(storage, app.payTools, now)) > 0);
        while ((await sweepHolds(storage, now, 100)) > 0);
        return 'waited'
    }
  }

  return {
    take: (step) =>
      take(step).catch((error: unknown) => {
        if (error instanceof Refusal) return error.code
        throw error
      }),
    testOrders: () => orders.test.length,
    close: () => app.close(),
  }
}

// Without ids, which differ in each database.
async function liveWorld(storage: Storage): Promise<Record<string, string>> {
  return storage.read(async (db) => ({
    stock: JSON.stringify(
      await db.sql`
        select s.code, t.on_hand, t.held, t.version from stock t join skus s on s.merchant_id = t.merchant_id and s.id = t.sku_id
        where t.mode = 'live' order by s.code`,
    ),
    holds: JSON.stringify(
      await db.sql`
        select s.code, h.quantity, h.expires_at from holds h join skus s on s.merchant_id = h.merchant_id and s.id = h.sku_id
        where h.mode = 'live' order by s.code, h.expires_at, h.quantity`,
    ),
    promotions: JSON.stringify(await db.sql`select code, used, version from promotions order by code`),
    numbers: JSON.stringify(await db.sql`select last from order_numbers where mode = 'live'`),
    orders: JSON.stringify(
      await db.sql`
        select number, status, payment_status, total, refunded, version from orders where mode = 'live' order by number`,
    ),
    events: JSON.stringify(
      await db.sql`
        select e.type, e.subject_type, e.sequence, count(*) as "count" from events e
        join installations i on i.id = e.installation_id
        where i.mode = 'live' group by e.type, e.subject_type, e.sequence order by e.type, e.subject_type, e.sequence`,
    ),
  }))
}
