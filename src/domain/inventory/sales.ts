// Stock is reduced when it is sold and returns when an order is cancelled. Each change is a movement, and the sum of
// the movements is the stock.

import { newId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { applyChanges, type StockChange } from './change.ts'
import { dropLapsed, look } from './holds.ts'
import { type Line, type Shortage, summed, usableFor } from './stock.ts'
import { deleteHold, insertMovement, listMovementsOf, lockSoldStockRows } from './store.ts'

// Takes the lines out of stock for `soldTo`, together with everything the owner held; or changes nothing if one of them
// is short. If the hold has expired or was swept, the sale needs units that are not held by others. For a SKU on
// backorder, as much is taken as the owner may have, and the rest is recorded as owed.
export async function sell(
  tx: Tx,
  seller: MerchantMode,
  owner: string,
  lines: readonly Line[],
  context: ChangeContext & { soldTo: string },
): Promise<Shortage[]> {
  if (lines.length === 0) throw new Error('a sale without lines')
  const { now, soldTo } = context
  const wanted = summed(lines)
  const found = await look(tx, seller, owner, wanted, now)
  const shortages: Shortage[] = []
  const taken = new Map<string, number>()
  for (const { skuId, quantity } of wanted) {
    const stockRow = found.stockRows.get(skuId)
    const claims = found.claimsOn(skuId)
    // A SKU that was retired in the meantime is sold only to owners who hold it.
    const mayHave = !stockRow
      ? 0
      : stockRow.retiredAt === null
        ? usableFor(stockRow, claims)
        : Math.min(stockRow.onHand, claims.own)
    const maySellOut = stockRow !== undefined && stockRow.whenSoldOut !== 'refuse' && stockRow.retiredAt === null
    if (quantity > mayHave && !maySellOut) shortages.push({ skuId, available: mayHave })
    taken.set(skuId, Math.min(quantity, mayHave))
  }
  if (shortages.length > 0) return shortages

  dropLapsed(tx, seller, owner, found, now)
  const changes: StockChange[] = []
  for (const { skuId, quantity } of wanted) {
    const delta = -(taken.get(skuId) ?? 0)
    const movement = {
      skuId,
      id: newId('mov'),
      kind: 'sold',
      delta,
      backordered: quantity + delta,
      ownerId: soldTo,
    } as const
    insertMovement(tx, seller, movement, now)
  }
  for (const stockRow of found.stockRows.values()) {
    const { skuId } = stockRow
    const claims = found.claimsOn(skuId)
    const quantity = taken.get(skuId) ?? 0
    if (claims.own + claims.ownLapsed > 0) deleteHold(tx, seller.merchantId, owner, skuId)
    changes.push({
      stockRow,
      onHand: stockRow.onHand - quantity,
      held: stockRow.held - claims.own - claims.ownLapsed - claims.lapsed,
      shows: found.shows(skuId, quantity),
    })
  }
  await applyChanges(tx, seller, changes, context)
  return []
}

// Returns what the order took to stock, all of it or up to the quantities of these lines, and reports what came back.
// Never more than was taken and has not been returned yet: a second call for the whole order returns nothing. What is
// owed on backorder was never taken, and is not returned.
export async function restock(
  tx: Tx,
  seller: MerchantMode,
  soldTo: string,
  lines: readonly Line[] | null,
  context: ChangeContext,
): Promise<Line[]> {
  const [stockRows, taken] = await Promise.all([lockSoldStockRows(tx, seller, soldTo), takenBy(tx, seller, soldTo)])
  const requested = lines && new Map(summed(lines).map(({ skuId, quantity }) => [skuId, quantity]))
  const back: Line[] = []
  const changes: StockChange[] = []
  for (const stockRow of stockRows) {
    const { skuId } = stockRow
    const out = taken.get(skuId) ?? 0
    const quantity = requested ? Math.min(out, requested.get(skuId) ?? 0) : out
    if (quantity === 0) continue
    const movement = {
      skuId,
      id: newId('mov'),
      kind: 'restocked',
      delta: quantity,
      backordered: 0,
      ownerId: soldTo,
    } as const
    insertMovement(tx, seller, movement, context.now)
    changes.push({ stockRow, onHand: stockRow.onHand + quantity, held: stockRow.held, shows: true })
    back.push({ skuId, quantity })
  }
  await applyChanges(tx, seller, changes, context)
  return back
}

// Takes units out of a sale again, before they were sent. Units that are owed on backorder go first: they were never taken. The caller
// has seen that the order has them.
export async function unsell(
  tx: Tx,
  seller: MerchantMode,
  soldTo: string,
  lines: readonly Line[],
  context: ChangeContext,
): Promise<void> {
  const [stockRows, movements] = await Promise.all([
    lockSoldStockRows(tx, seller, soldTo),
    listMovementsOf(tx, seller.merchantId, soldTo),
  ])
  const changes: StockChange[] = []
  for (const { skuId, quantity } of summed(lines)) {
    const stockRow = stockRows.find((row) => row.skuId === skuId)
    const own = movements.filter((one) => one.skuId === skuId)
    const owed = own.reduce((sum, { kind, backordered }) => sum + (kind === 'sold' ? backordered : -backordered), 0)
    const taken = -own.reduce((sum, { delta }) => sum + delta, 0)
    const notTaken = Math.min(quantity, owed)
    const back = quantity - notTaken
    if (!stockRow || back > taken) throw new Error(`order ${soldTo} took ${taken} of ${skuId}, not ${back}`)
    const movement = { skuId, ownerId: soldTo }
    if (notTaken > 0)
      insertMovement(
        tx,
        seller,
        { ...movement, id: newId('mov'), kind: 'restocked', delta: 0, backordered: notTaken },
        context.now,
      )
    if (back === 0) continue
    insertMovement(
      tx,
      seller,
      { ...movement, id: newId('mov'), kind: 'sold', delta: back, backordered: 0 },
      context.now,
    )
    changes.push({ stockRow, onHand: stockRow.onHand + back, held: stockRow.held, shows: true })
  }
  await applyChanges(tx, seller, changes, context)
}

// Units that an order has taken out of stock and not returned, by SKU. What is owed on backorder is not included.
export async function takenBy(
  tx: Tx,
  { merchantId }: MerchantMode,
  soldTo: string,
): Promise<ReadonlyMap<string, number>> {
  const taken = new Map<string, number>()
  for (const { skuId, delta } of await listMovementsOf(tx, merchantId, soldTo))
    taken.set(skuId, (taken.get(skuId) ?? 0) - delta)
  return taken
}
