// Stock as the operator counts it.

import type { Moment } from '../events/announce.ts'
import { newId } from '../kit/ids.ts'
import type { MerchantMode } from '../kit/mode.ts'
import type { Tx } from '../storage/storage.ts'
import { applyChanges, type StockChange } from './change.ts'
import { insertMovement, lockStockRows } from './store.ts'

export interface Level {
  skuId: string
  onHand: number
}

// The operator's count is final, even if more is held than there is.
export async function setOnHand(tx: Tx, seller: MerchantMode, levels: readonly Level[], moment: Moment): Promise<void> {
  if (levels.length === 0) return
  const wanted = new Map(levels.map(({ skuId, onHand }) => [skuId, onHand]))
  const changes: StockChange[] = []
  for (const stockRow of await lockStockRows(tx, seller, [...wanted.keys()])) {
    const { skuId, held } = stockRow
    const onHand = wanted.get(skuId) ?? stockRow.onHand
    const delta = onHand - stockRow.onHand
    if (delta === 0) continue
    const movement = { skuId, id: newId('mov'), kind: 'set', delta, backordered: 0, ownerId: null } as const
    insertMovement(tx, seller, movement, moment.now)
    changes.push({ stockRow, onHand, held, shows: true })
  }
  await applyChanges(tx, seller, changes, moment)
}
