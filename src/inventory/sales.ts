// Stock is reduced when it is sold and comes back when an order is cancelled. Each is a movement, and their sum is
// the stock.

import type { Moment } from '../events/announce.ts'
import { newId } from '../kit/ids.ts'
import type { MerchantMode } from '../kit/mode.ts'
import type { Tx } from '../storage/storage.ts'
import { applyChanges, type StockChange } from './change.ts'
import { dropLapsed, look } from './holds.ts'
import { type Line, type Shortage, summed, usableFor } from './stock.ts'
import { deleteHold, insertMovement, listMovementsOf, lockSoldStockRows } from './store.ts'

// Takes the lines out of stock for `soldTo`, and with them all that the owner held; or, when one of them is short,
// changes nothing. Where the hold is over or was swept, it needs units that are promised to nobody. Of a SKU on backorder
// as much is taken as the owner may have, and the rest is written down as owed.
export async function sell(
  tx: Tx,
  seller: MerchantMode,
  owner: string,
  lines: readonly Line[],
  moment: Moment & { soldTo: string },
): Promise<Shortage[]> {
  if (lines.length === 0) throw new Error('a sale of nothing')
  const { now, soldTo } = moment
  const wanted = summed(lines)
  const found = await look(tx, seller, owner, wanted, now)
  const shortages: Shortage[] = []
  const taken = new Map<string, number>()
  for (const { skuId, quantity } of wanted) {
    const stockRow = found.stockRows.get(skuId)
    const claims = found.claimsOn(skuId)
    // A SKU that was retired since is sold only to whom it was promised.
    const mayHave = !stockRow
      ? 0
      : stockRow.retiredAt === null
        ? usableFor(stockRow, claims)
        : Math.min(stockRow.onHand, claims.own)
    const maySellOut = stockRow?.whenSoldOut === 'backorder' && stockRow.retiredAt === null
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
  await applyChanges(tx, seller, changes, moment)
  return []
}

// Puts back what the order took, all of it or as much of these lines, and answers with what came back. Never more than
// was taken and has not come back yet: a second call for the whole order gives nothing. What was owed on backorder was
// never taken, and does not come back.
export async function restock(
  tx: Tx,
  seller: MerchantMode,
  soldTo: string,
  lines: readonly Line[] | null,
  moment: Moment,
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
    insertMovement(tx, seller, movement, moment.now)
    changes.push({ stockRow, onHand: stockRow.onHand + quantity, held: stockRow.held, shows: true })
    back.push({ skuId, quantity })
  }
  await applyChanges(tx, seller, changes, moment)
  return back
}

// Units that an order has taken out of stock and that have not come back, by SKU. What is owed on backorder is not among them.
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
