// Stock levels that the merchant sets.

import { newId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Refusal, refuse } from '../../platform/kit/refuse.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { applyChanges, type StockChange } from './change.ts'
import type { StockRow } from './stock.ts'
import { insertMovements, lockStockRows, type Movement, type MovementActor } from './store.ts'

export interface StockLevelInput {
  skuId: string
  onHand: number
}

// Sets the stock to a count, even if more is held.
export async function setOnHand(
  tx: Tx,
  seller: MerchantMode,
  levels: readonly StockLevelInput[],
  context: ChangeContext,
): Promise<void> {
  if (levels.length === 0) return
  const wanted = new Map(levels.map(({ skuId, onHand }) => [skuId, onHand]))
  const movements: Movement[] = []
  const changes: StockChange[] = []
  for (const stockRow of await lockStockRows(tx, seller, [...wanted.keys()])) {
    const { skuId, held } = stockRow
    const onHand = wanted.get(skuId) ?? stockRow.onHand
    const delta = onHand - stockRow.onHand
    if (delta === 0) continue
    movements.push({ skuId, id: newId('mov'), kind: 'set', delta, backordered: 0, ownerId: null })
    changes.push({ stockRow, onHand, held, shows: true })
  }
  insertMovements(tx, seller, movements, context.now)
  await applyChanges(tx, seller, changes, context)
}

export interface LevelChange {
  skuId: string
  // Either a difference, or a count together with the stock that the caller saw.
  change: { adjustBy: number } | { onHand: number; expectedOnHand: number }
  reason: string | null
}

export interface PlannedLevel {
  stockRow: StockRow
  onHand: number
  reason: string | null
  // Set if the change is not possible; `onHand` is then unchanged.
  refusal: Refusal | undefined
}

// Locks the stock rows, so what is planned can be written in the same transaction.
export async function planLevels(tx: Tx, seller: MerchantMode, asks: readonly LevelChange[]): Promise<PlannedLevel[]> {
  if (asks.length === 0) return []
  const askOf = new Map(asks.map((ask) => [ask.skuId, ask]))
  return (await lockStockRows(tx, seller, [...askOf.keys()])).map((stockRow) => {
    const { change, reason } = askOf.get(stockRow.skuId) as LevelChange
    const outcome = levelAfter(stockRow.onHand, change)
    return outcome instanceof Refusal
      ? { stockRow, onHand: stockRow.onHand, reason, refusal: outcome }
      : { stockRow, onHand: outcome, reason, refusal: undefined }
  })
}

const onHandMax = 1_000_000_000

// A count is refused if the stock has changed since the caller saw it, so no sale is undone.
export function levelAfter(onHand: number, change: LevelChange['change']): number | Refusal {
  if ('adjustBy' in change) {
    const after = onHand + change.adjustBy
    return after < 0 || after > onHandMax ? refuse('stock_not_possible', { current: { onHand } }) : after
  }
  return change.expectedOnHand === onHand
    ? change.onHand
    : refuse('stock_changed', {
        message: `The current stock is ${onHand}, which is not what the request expects.`,
        current: { onHand },
      })
}

export async function writeLevels(
  tx: Tx,
  seller: MerchantMode,
  levels: readonly PlannedLevel[],
  actor: MovementActor | null,
  context: ChangeContext,
): Promise<void> {
  const changed = levels.filter(({ stockRow, onHand }) => onHand !== stockRow.onHand)
  const movements = changed.map(({ stockRow, onHand, reason }) => {
    const delta = onHand - stockRow.onHand
    const set = { kind: 'set', delta, backordered: 0, ownerId: null } as const
    return { ...set, skuId: stockRow.skuId, id: newId('mov'), reason, actor }
  })
  insertMovements(tx, seller, movements, context.now)
  const changes = changed.map(({ stockRow, onHand }) => ({ stockRow, onHand, held: stockRow.held, shows: true }))
  await applyChanges(tx, seller, changes, context)
}
