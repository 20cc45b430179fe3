// What the operator says of the stock: how much there is of a new SKU, and how much there really is of a known one.

import { newId } from '../kit/ids.ts'
import type { Tx } from '../storage/storage.ts'
import { type Change, type Moment, settle } from './settle.ts'
import { insertMovement, lockShelves } from './store.ts'

export interface Level {
  skuId: string
  onHand: number
}

// The stock with which a SKU was inserted in this transaction. It bears the SKU's own id, so there is never a second.
export function openStock(tx: Tx, merchant: string, { skuId, onHand }: Level, now: number): void {
  if (onHand === 0) return
  const movement = { skuId, id: skuId, kind: 'opening', delta: onHand, backordered: 0, ownerId: null } as const
  insertMovement(tx, merchant, movement, now)
}

// The operator counted, and is right, also where more is promised than there is.
export async function setOnHand(tx: Tx, merchant: string, levels: readonly Level[], moment: Moment): Promise<void> {
  if (levels.length === 0) return
  const wanted = new Map(levels.map(({ skuId, onHand }) => [skuId, onHand]))
  const changes: Change[] = []
  for (const shelf of await lockShelves(tx, merchant, [...wanted.keys()])) {
    const { skuId, held } = shelf
    const onHand = wanted.get(skuId) ?? shelf.onHand
    const delta = onHand - shelf.onHand
    if (delta === 0) continue
    const movement = { skuId, id: newId('mov'), kind: 'set', delta, backordered: 0, ownerId: null } as const
    insertMovement(tx, merchant, movement, moment.now)
    changes.push({ shelf, onHand, held, shows: true })
  }
  await settle(tx, merchant, changes, moment)
}
