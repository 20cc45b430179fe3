// Sales reduce the stock, and cancelled orders return it. Each change is a movement, and the sum of the movements is the stock.

import { newId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { applyChanges, endsSoon, type StockChange } from './change.ts'
import { areSameLines, deleteLapsedHoldsOfOthers, lockAndReadHolds } from './holds.ts'
import { mergeStockLines, type Shortage, type StockLine, usableQuantity } from './stock.ts'
import {
  deleteHolds,
  deleteHoldsOfOwner,
  insertMovements,
  listMovementsOf,
  lockStockRowsOfSale,
  type Movement,
  takeHeldStock,
} from './store.ts'

// Takes the lines out of stock for `soldTo`, together with everything that the owner held, or changes nothing if stock is short for one
// of them. If the hold has expired or was swept, the sale needs units that are not held by others. For a SKU on backorder, as much is
// taken as the owner may have, and the rest is recorded as backordered.
export async function sellStock(
  tx: Tx,
  seller: MerchantMode,
  owner: string,
  lines: readonly StockLine[],
  context: ChangeContext & { soldTo: string },
): Promise<Shortage[]> {
  return (await sellHeld(tx, seller, owner, lines, context)).shortages
}

export interface SaleResult {
  shortages: Shortage[]
  // Units of each SKU that can still be bought after the sale, as far as they were read.
  left: ReadonlyMap<string, number>
}

// Like `sellStock`, but returns more. The locks are sent immediately: statements that a caller sends afterwards, without awaiting
// `sellHeld`, run after them.
export async function sellHeld(
  tx: Tx,
  seller: MerchantMode,
  owner: string,
  lines: readonly StockLine[],
  context: ChangeContext & { soldTo: string },
): Promise<SaleResult> {
  if (lines.length === 0) throw new Error('a sale must have at least one line')
  const { now, soldTo } = context
  const wanted = mergeStockLines(lines)
  const found = await lockAndReadHolds(tx, seller, owner, wanted, now)
  const shortages: Shortage[] = []
  const taken = new Map<string, number>()
  for (const { skuId, quantity } of wanted) {
    const stockRow = found.stockRows.get(skuId)
    const claims = found.claimsOn(skuId)
    // A SKU that was retired in the meantime is sold only to owners who hold it.
    const mayHave = !stockRow
      ? 0
      : stockRow.retiredAt === null
        ? usableQuantity(stockRow, claims)
        : Math.min(stockRow.onHand, claims.own)
    const maySellOut = stockRow !== undefined && stockRow.whenSoldOut !== 'refuse' && stockRow.retiredAt === null
    if (quantity > mayHave && !maySellOut) shortages.push({ skuId, available: mayHave })
    taken.set(skuId, Math.min(quantity, mayHave))
  }
  if (shortages.length > 0) return { shortages, left: new Map() }

  deleteLapsedHoldsOfOthers(tx, seller, owner, found, now)
  const movements = wanted.map(({ skuId, quantity }) => {
    const delta = -(taken.get(skuId) ?? 0)
    return { skuId, id: newId('mov'), kind: 'sold', delta, backordered: quantity + delta, ownerId: soldTo } as const
  })
  insertMovements(tx, seller, movements, now)
  const ended: string[] = []
  const changes: StockChange[] = []
  for (const stockRow of found.stockRows.values()) {
    const { skuId } = stockRow
    const claims = found.claimsOn(skuId)
    const quantity = taken.get(skuId) ?? 0
    if (claims.own + claims.ownLapsed > 0) ended.push(skuId)
    changes.push({
      stockRow,
      onHand: stockRow.onHand - quantity,
      held: stockRow.held - claims.own - claims.ownLapsed - claims.lapsed,
      shows: found.shows(skuId, quantity),
    })
  }
  deleteHolds(tx, seller.merchantId, owner, ended)
  await applyChanges(tx, seller, changes, context)
  const left = new Map(changes.map(({ stockRow, onHand, held }) => [stockRow.skuId, Math.max(0, onHand - held)]))
  return { shortages: [], left }
}

// Like `sellHeld`, for an owner whose holds should match these units and last a while longer: all statements are sent in one round trip,
// without reading first. If the holds do not match, all lines are reported as short, and the caller must roll back the transaction,
// because statements have changed something.
export async function sellAsHeld(
  tx: Tx,
  seller: MerchantMode,
  owner: string,
  lines: readonly StockLine[],
  { now, soldTo }: { now: number; soldTo: string },
): Promise<SaleResult> {
  const wanted = mergeStockLines(lines)
  const taking = takeHeldStock(tx, seller, wanted)
  const movements = wanted.map(
    ({ skuId, quantity }): Movement => ({
      skuId,
      id: newId('mov'),
      kind: 'sold',
      delta: -quantity,
      backordered: 0,
      ownerId: soldTo,
    }),
  )
  insertMovements(tx, seller, movements, now)
  const [taken, holds] = await Promise.all([taking, deleteHoldsOfOwner(tx, seller.merchantId, owner)])
  const isHeld = areSameLines(holds, wanted) && !holds.some(({ expiresAt }) => endsSoon(expiresAt, now))
  const isSold = isHeld && taken.length === wanted.length
  return { shortages: isSold ? [] : wanted.map(({ skuId }) => ({ skuId, available: 0 })), left: new Map() }
}

// Puts units that the order took back into stock: all of them, or up to the quantities of these lines. Returns these units. Never puts
// back more than was taken and is not yet returned: a second call for the whole order puts back nothing. Units owed on backorder were
// never taken, and are not put back.
export async function restockSale(
  tx: Tx,
  seller: MerchantMode,
  soldTo: string,
  lines: readonly StockLine[] | null,
  context: ChangeContext,
): Promise<StockLine[]> {
  const [stockRows, taken] = await Promise.all([
    lockStockRowsOfSale(tx, seller, soldTo),
    listUnitsTakenBy(tx, seller, soldTo),
  ])
  const requested = lines && new Map(mergeStockLines(lines).map(({ skuId, quantity }) => [skuId, quantity]))
  const back: StockLine[] = []
  const movements: Movement[] = []
  const changes: StockChange[] = []
  for (const stockRow of stockRows) {
    const { skuId } = stockRow
    const out = taken.get(skuId) ?? 0
    const quantity = requested ? Math.min(out, requested.get(skuId) ?? 0) : out
    if (quantity === 0) continue
    movements.push({ skuId, id: newId('mov'), kind: 'restocked', delta: quantity, backordered: 0, ownerId: soldTo })
    changes.push({ stockRow, onHand: stockRow.onHand + quantity, held: stockRow.held, shows: true })
    back.push({ skuId, quantity })
  }
  insertMovements(tx, seller, movements, context.now)
  await applyChanges(tx, seller, changes, context)
  return back
}

// Removes units from a sale before they were sent. Units that are owed on backorder are removed first, because they were never taken. The
// caller must have checked that the order has these units.
export async function removeFromSale(
  tx: Tx,
  seller: MerchantMode,
  soldTo: string,
  lines: readonly StockLine[],
  context: ChangeContext,
): Promise<void> {
  const [stockRows, movements] = await Promise.all([
    lockStockRowsOfSale(tx, seller, soldTo),
    listMovementsOf(tx, seller.merchantId, soldTo),
  ])
  const written: Movement[] = []
  const changes: StockChange[] = []
  for (const { skuId, quantity } of mergeStockLines(lines)) {
    const stockRow = stockRows.find((row) => row.skuId === skuId)
    const own = movements.filter((one) => one.skuId === skuId)
    const owed = own.reduce((sum, { kind, backordered }) => sum + (kind === 'sold' ? backordered : -backordered), 0)
    const taken = -own.reduce((sum, { delta }) => sum + delta, 0)
    const notTaken = Math.min(quantity, owed)
    const back = quantity - notTaken
    if (!stockRow || back > taken)
      throw new Error(`order ${soldTo} took ${taken} of SKU ${skuId} and cannot return ${back}`)
    const movement = { skuId, ownerId: soldTo }
    if (notTaken > 0)
      written.push({ ...movement, id: newId('mov'), kind: 'restocked', delta: 0, backordered: notTaken })
    if (back === 0) continue
    written.push({ ...movement, id: newId('mov'), kind: 'sold', delta: back, backordered: 0 })
    changes.push({ stockRow, onHand: stockRow.onHand + back, held: stockRow.held, shows: true })
  }
  insertMovements(tx, seller, written, context.now)
  await applyChanges(tx, seller, changes, context)
}

// Units that an order has taken out of stock and not returned, by SKU. Units owed on backorder are not included.
export async function listUnitsTakenBy(
  tx: Tx,
  { merchantId }: MerchantMode,
  soldTo: string,
): Promise<ReadonlyMap<string, number>> {
  const taken = new Map<string, number>()
  for (const { skuId, delta } of await listMovementsOf(tx, merchantId, soldTo))
    taken.set(skuId, (taken.get(skuId) ?? 0) - delta)
  return taken
}
