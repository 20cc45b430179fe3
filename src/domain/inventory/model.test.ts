// Random histories of a shop, compared with a simple model for each mode, because the modes do not affect each other. After each step the
// rows, the results and the events must match the models, and the invariants must hold.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openStockroom, type Stockroom, start, type World } from '../../../harness/stock.ts'
import { eachEngine } from '../../../harness/storage.ts'
import { isWide } from '../../../harness/wide.ts'
import { type Mode, modes } from '../../contract/words.ts'
import { isStale, refreshStaleProducts, renderCurrentAnswers } from '../catalog/refresh.ts'
import { findDetails, findListing } from '../catalog/store.ts'
import { extendHolds, releaseHolds, replaceHolds, sweepHolds } from './holds.ts'
import { setOnHand } from './levels.ts'
import { restockSale, sellStock } from './sales.ts'

const codes = ['A', 'B', 'P'] as const
type Code = (typeof codes)[number]
type Quantities = Partial<Record<Code, number>>

const opening: Readonly<Record<Code, number>> = { A: 7, B: 3, P: 2 }
const productOf: Readonly<Record<Code, string>> = { A: 'one', B: 'one', P: 'two' }
const lowStockAt = 5

type Step =
  | { kind: 'hold'; owner: string; lines: Quantities; forMs: number }
  | { kind: 'extend'; owner: string; forMs: number }
  | { kind: 'release'; owner: string }
  | { kind: 'sell'; owner: string; lines: Quantities }
  | { kind: 'restock'; order: number; lines: Quantities | null }
  | { kind: 'set'; code: Code; onHand: number }
  | { kind: 'sweep' }
  | { kind: 'refresh' }
  | { kind: 'wait'; ms: number }

const anyMode = fc.constantFrom(...modes)
const owner = fc.constantFrom('ann', 'ben', 'cem')
const lines = fc
  .record(
    { A: fc.integer({ min: 1, max: 6 }), B: fc.integer({ min: 1, max: 4 }), P: fc.integer({ min: 1, max: 4 }) },
    { requiredKeys: [] },
  )
  .filter((quantities) => Object.keys(quantities).length > 0)
// Steps of five minutes, which is longer than the maximum clock skew.
const unitMs = 300_000
const forMs = fc.integer({ min: 1, max: 10 }).map((units) => units * unitMs)
const ms = fc.integer({ min: 1, max: 6 }).map((units) => units * unitMs)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('hold' as const), owner, lines, forMs }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('extend' as const), owner, forMs }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('release' as const), owner }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('sell' as const), owner, lines }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('restock' as const), order: fc.nat(3), lines: fc.option(lines) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      code: fc.constantFrom(...codes),
      onHand: fc.integer({ min: 0, max: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sweep' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('refresh' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms }) },
)

interface ModelHold {
  owner: string
  code: Code
  quantity: number
  end: number
}

// The whole state in memory: no locks, and no stored sums.
class Model {
  now = start
  onHand: Record<Code, number> = { ...opening }
  holds: ModelHold[] = []
  // Units that each order took and has not returned.
  orders: Partial<Record<Code, number>>[] = []
  events: string[] = []
  #sequence: Record<Code, number> = { A: 0, B: 0, P: 0 }

  available(code: Code): number {
    const running = this.holds.filter((held) => held.code === code && held.end > this.now)
    return Math.max(0, this.onHand[code] - total(running))
  }

  #usable(who: string, code: Code): number {
    const running = this.holds.filter((held) => held.code === code && held.end > this.now)
    const own = total(running.filter((held) => held.owner === who))
    const others = total(running) - own
    return Math.min(this.onHand[code], own + Math.max(0, this.onHand[code] - others - own))
  }

  // Returns what each line gets, or which lines are short.
  #grant(who: string, wanted: Quantities): { short: Quantities } | { granted: Quantities } {
    const short: Quantities = {}
    const granted: Quantities = {}
    for (const [code, quantity] of entries(wanted)) {
      const usable = this.#usable(who, code)
      if (quantity > usable && code !== 'P') short[code] = usable
      granted[code] = Math.min(quantity, usable)
    }
    return Object.keys(short).length > 0 ? { short } : { granted }
  }

  // Runs a change and records the events that it should announce.
  #telling(change: () => void): void {
    const counted = (code: Code) => this.onHand[code] - total(this.holds.filter((held) => held.code === code))
    const before = codes.map(counted)
    change()
    for (const [i, code] of codes.entries()) {
      const [was, is] = [before[i] as number, counted(code)]
      const kind =
        was > 0 && is <= 0
          ? 'depleted'
          : was <= 0 && is > 0
            ? 'replenished'
            : was > lowStockAt && is <= lowStockAt
              ? 'low'
              : undefined
      if (kind) this.events.push(`${code} ${++this.#sequence[code]} inventory.${kind} ${Math.max(0, is)}`)
    }
  }

  #forget(who: string, wanted: Quantities): void {
    this.holds = this.holds.filter((held) => held.owner !== who && !(held.code in wanted && held.end <= this.now))
  }

  // Returns what the server returns: shortages, returned units, or the number of swept holds.
  do(step: Step): unknown {
    switch (step.kind) {
      case 'wait':
        this.now += step.ms
        return undefined
      case 'refresh':
        return undefined
      case 'hold': {
        const outcome = this.#grant(step.owner, step.lines)
        if ('short' in outcome) return outcome.short
        this.#telling(() => {
          this.#forget(step.owner, step.lines)
          for (const [code, quantity] of entries(outcome.granted)) {
            if (quantity > 0) this.holds.push({ owner: step.owner, code, quantity, end: this.now + step.forMs })
          }
        })
        return {}
      }
      case 'extend': {
        const running = this.holds.filter((held) => held.owner === step.owner && held.end > this.now)
        for (const held of running) held.end = Math.max(held.end, this.now + step.forMs)
        return Object.fromEntries(running.map((held) => [held.code, held.quantity]))
      }
      case 'release':
        this.#telling(() => this.#forget(step.owner, {}))
        return undefined
      case 'sell': {
        const outcome = this.#grant(step.owner, step.lines)
        if ('short' in outcome) return outcome.short
        this.#telling(() => {
          this.#forget(step.owner, step.lines)
          for (const [code, quantity] of entries(outcome.granted)) this.onHand[code] -= quantity
        })
        this.orders.push({ ...outcome.granted })
        return {}
      }
      case 'restock': {
        const order = this.orders[step.order]
        const back: Quantities = {}
        if (!order) return back
        this.#telling(() => {
          for (const [code, out] of entries(order)) {
            const quantity = step.lines ? Math.min(out, step.lines[code] ?? 0) : out
            if (quantity === 0) continue
            back[code] = quantity
            order[code] = out - quantity
            this.onHand[code] += quantity
          }
        })
        return back
      }
      case 'set':
        this.#telling(() => {
          this.onHand[step.code] = step.onHand
        })
        return undefined
      case 'sweep': {
        const before = this.holds.length
        this.#telling(() => {
          this.holds = this.holds.filter((held) => held.end > this.now)
        })
        return before - this.holds.length
      }
    }
  }
}

function entries(quantities: Quantities): [Code, number][] {
  return Object.entries(quantities) as [Code, number][]
}

function total(holds: readonly ModelHold[]): number {
  return holds.reduce((sum, held) => sum + held.quantity, 0)
}

async function perform(room: Stockroom, mode: Mode, step: Step, model: Model): Promise<unknown> {
  const { merchantId, storage } = room
  const { now, orders } = model
  const seller = { merchantId, mode }
  const moment = { now, cause: null }
  switch (step.kind) {
    case 'wait':
      return undefined
    case 'refresh':
      await refreshStaleProducts(storage, now, 10)
      return undefined
    case 'sweep':
      return sweepHolds(storage, now, 10)
    case 'hold': {
      const at = { ...moment, expiresAt: now + step.forMs }
      return room.codes(
        await room.write((tx) => replaceHolds(tx, seller, ownerOf(mode, step), room.lines(step.lines), at)),
      )
    }
    case 'extend': {
      const at = { now, expiresAt: now + step.forMs }
      return room.codes(await room.write((tx) => extendHolds(tx, seller, ownerOf(mode, step), at)))
    }
    case 'release':
      return room.write((tx) => releaseHolds(tx, seller, ownerOf(mode, step), moment))
    case 'sell': {
      const at = { ...moment, soldTo: `${mode} order ${orders.length}` }
      return room.codes(
        await room.write((tx) => sellStock(tx, seller, ownerOf(mode, step), room.lines(step.lines), at)),
      )
    }
    case 'restock': {
      const wanted = step.lines && room.lines(step.lines)
      return room.codes(
        await room.write((tx) => restockSale(tx, seller, `${mode} order ${step.order}`, wanted, moment)),
      )
    }
    case 'set':
      return room.write((tx) => setOnHand(tx, seller, [{ skuId: room.skuId(step.code), onHand: step.onHand }], moment))
  }
}

// An owner belongs to one mode.
function ownerOf(mode: Mode, { owner }: { owner: string }): string {
  return `${mode} ${owner}`
}

// The quantities that the catalog would show at this instant, read as an operation reads them.
async function shown(room: Stockroom, mode: Mode, now: Date): Promise<Record<string, number>> {
  const quantities: Record<string, number> = {}
  for (const slug of new Set(Object.values(productOf))) {
    const detail = await room.storage.read(async (db) => {
      const kept = await findListing(db, { merchantId: room.merchantId, mode }, slug)
      assert.ok(kept)
      const current = isStale(kept, now) ? await renderCurrentAnswers(db, kept, now) : await findDetails(db, kept)
      return current.detail
    })
    for (const { code, availableQuantity } of JSON.parse(detail).data.skus) quantities[code] = availableQuantity
  }
  return quantities
}

async function reset(room: Stockroom): Promise<void> {
  await room.write(async (tx) => {
    await tx.sql`delete from holds`
    await tx.sql`delete from events`
    await tx.sql`delete from stock_movements where kind <> 'opening'`
    for (const code of codes)
      await tx.sql`update stock set on_hand = ${opening[code]}, held = 0, version = 0 where sku_id = ${room.skuId(code)}`
    await tx.sql`update listed_products set stale_at = 0`
  })
  await refreshStaleProducts(room.storage, start, 10)
}

function compare(world: World, mode: Mode, model: Model): void {
  const { onHand, holds } = model
  assert.deepEqual(
    world.skus,
    Object.fromEntries(codes.map((code) => [code, [onHand[code], total(holds.filter((held) => held.code === code))]])),
  )
  assert.deepEqual(world.holds, holds.map((held) => [ownerOf(mode, held), held.code, held.quantity, held.end]).sort())
  assert.deepEqual(
    world.events.map(([, kind, code, available, sequence]) => `${code} ${sequence} ${kind} ${available}`).sort(),
    model.events.toSorted(),
  )
}

eachEngine('the stock', (given) => {
  test('equals the model after every step of a random history', async () => {
    const room = await openStockroom(given, {
      A: { product: 'one', stock: opening.A },
      B: { product: 'one', stock: opening.B },
      P: { product: 'two', stock: opening.P, backorder: true },
    })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(anyMode, step), { minLength: 5, maxLength: 40 }), async (steps) => {
        await reset(room)
        const models = { live: new Model(), test: new Model() }
        for (const [mode, step] of steps) {
          const done = await perform(room, mode, step, models[mode])
          // Time passes in both modes at once, and expired holds are swept in both.
          const isForBoth = step.kind === 'wait' || step.kind === 'sweep'
          const said = (isForBoth ? modes : [mode]).map((name) => models[name].do(step))
          if (step.kind === 'sweep') assert.equal(done, Number(said[0]) + Number(said[1]))
          else assert.deepEqual(done, said[0])
          for (const [name, model] of Object.entries(models) as [Mode, Model][]) {
            compare(await room.world(model.now, name), name, model)
            assert.deepEqual(
              await shown(room, name, new Date(model.now)),
              Object.fromEntries(codes.map((code) => [code, model.available(code)])),
            )
          }
        }
      }),
      { numRuns: isWide ? 200 : given.engine === 'sqlite' ? 25 : 6 },
    )
  })
})
