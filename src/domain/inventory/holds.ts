// Holds: units reserved for an owner, such as a checkout session, until an instant. An expired hold no longer counts,
// but its row stays until another transaction that needs the units, or the sweep, deletes it.

import type { SoldOutRule } from '../../contract/words.ts'
import { handleRows } from '../../platform/jobs/rows.ts'
import { clockSkewMsMax } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import { applyChanges, endsSoon, type StockChange } from './change.ts'
import {
  type HeldClaims,
  mergeStockLines,
  noClaims,
  type Shortage,
  type StockLine,
  type StockRow,
  usableQuantity,
} from './stock.ts'
import {
  deleteHolds,
  deleteLapsedHolds,
  deleteLapsedHoldsOfSkus,
  extendRunningHolds,
  listClaims,
  listHolds,
  listLapsedStock,
  lockFreeStockRows,
  lockHeldStockRows,
  lockStockRowsFor,
  prolongHolds,
  putHolds,
  reserveStock,
  type StockKey,
  sumHoldsAfter,
  updateStockRows,
} from './store.ts'

// Makes the owner's holds exactly these lines, or changes nothing if stock is short for one of them. The owner may use the units that it
// already holds. A SKU on backorder is never short: only units that exist are held, so a backorder never takes units from others.
export async function replaceHolds(
  tx: Tx,
  seller: MerchantMode,
  owner: string,
  lines: readonly StockLine[],
  context: ChangeContext & { expiresAt: number },
): Promise<Shortage[]> {
  const { now, expiresAt } = context
  if (expiresAt <= now) throw new Error('a hold must expire in the future')
  if (lines.length === 0) {
    await releaseHolds(tx, seller, owner, context)
    return []
  }
  const wanted = mergeStockLines(lines)
  const found = await lockAndReadHolds(tx, seller, owner, wanted, now)
  const paying = expiresAt > now + payingMs ? await paidFirst(tx, seller, owner, found, now) : noUnits
  const shortages: Shortage[] = []
  const granted = new Map<string, number>()
  for (const { skuId, quantity } of wanted) {
    const stockRow = found.stockRows.get(skuId)
    const left = stockRow && stockRow.retiredAt === null ? usableQuantity(stockRow, found.claimsOn(skuId)) : 0
    const usable = Math.min(left, Math.max(0, (stockRow?.onHand ?? 0) - (paying.get(skuId) ?? 0)))
    const maySellOut = stockRow !== undefined && stockRow.whenSoldOut !== 'refuse' && stockRow.retiredAt === null
    if (quantity > usable && !maySellOut) shortages.push({ skuId, available: usable })
    granted.set(skuId, Math.min(quantity, usable))
  }
  if (shortages.length > 0) return shortages

  deleteLapsedHoldsOfOthers(tx, seller, owner, found, now)
  const held: StockLine[] = []
  const ended: string[] = []
  const changes: StockChange[] = []
  for (const stockRow of found.stockRows.values()) {
    const { skuId } = stockRow
    const claims = found.claimsOn(skuId)
    const quantity = granted.get(skuId) ?? 0
    if (quantity > 0) held.push({ skuId, quantity })
    else if (claims.own + claims.ownLapsed > 0) ended.push(skuId)
    changes.push({
      stockRow,
      onHand: stockRow.onHand,
      held: stockRow.held - claims.own - claims.ownLapsed - claims.lapsed + quantity,
      // Responses that were rendered for a later expiry would count as current for too long.
      shows: found.shows(skuId, quantity) || found.endOf(skuId) > expiresAt,
    })
  }
  putHolds(tx, seller, { owner, expiresAt }, held)
  deleteHolds(tx, seller.merchantId, owner, ended)
  await applyChanges(tx, seller, changes, context)
  return []
}

export interface FreshLine extends StockLine {
  productId: string
  whenSoldOut: SoldOutRule
}

// Makes the first holds of an owner without reading first, for a caller that has just seen enough stock. Uses only counted units that are
// not held. If these are not enough, changes nothing and returns false; the caller then uses `replaceHolds`, which also counts units of
// expired holds.
export async function insertFirstHolds(
  tx: Tx,
  seller: MerchantMode,
  owner: string,
  lines: readonly FreshLine[],
  context: ChangeContext & { expiresAt: number; lowStockAt: number },
): Promise<boolean> {
  if (lines.some(({ whenSoldOut }) => whenSoldOut === 'not_counted')) return false
  const bySku = new Map(lines.map((line) => [line.skuId, line]))
  const rows = await reserveStock(tx, seller, lines)
  const changes = rows.map(({ skuId, onHand, held, stockVersion }): StockChange => {
    const line = bySku.get(skuId)
    if (!line) throw new Error(`SKU ${skuId} was reserved but not requested`)
    const { quantity, productId, whenSoldOut } = line
    const { lowStockAt } = context
    const before = { onHand, held: held - quantity, stockVersion }
    const stockRow = { ...seller, skuId, productId, whenSoldOut, retiredAt: null, lowStockAt, ...before }
    return { stockRow, onHand, held, shows: true, isWritten: true }
  })
  if (rows.length < lines.length) {
    const before = changes.map(({ stockRow }) => stockRow)
    updateStockRows(tx, seller, before)
    return false
  }
  putHolds(tx, seller, { owner, expiresAt: context.expiresAt }, lines)
  await applyChanges(tx, seller, changes, context)
  return true
}

// Extends the owner's holds, for a caller that has just seen that they match these lines. Only holds that outlast the clock skew are
// extended, so no sweep deletes them, and the stock need not be locked. Returns false if the holds do not match; the caller then uses
// `replaceHolds`.
export async function prolongMatchingHolds(
  tx: Tx,
  seller: MerchantMode,
  owner: string,
  lines: readonly StockLine[],
  { now, expiresAt }: { now: number; expiresAt: number },
): Promise<boolean> {
  const bounds = { after: now + clockSkewMsMax, until: expiresAt }
  return areSameLines(await prolongHolds(tx, seller.merchantId, owner, bounds), lines)
}

export function areSameLines(held: readonly StockLine[], lines: readonly StockLine[]): boolean {
  const quantities = new Map(held.map(({ skuId, quantity }) => [skuId, quantity]))
  return held.length === lines.length && lines.every(({ skuId, quantity }) => quantities.get(skuId) === quantity)
}

// A hold longer than this belongs to an owner who is paying, or to a draft. Other owners hold for minutes.
const payingMs = 3_600_000
const noUnits: ReadonlyMap<string, number> = new Map()

// If the merchant has set the stock below what is held, the first owners to pay get the stock: units held by others who are already
// paying are not available. These holds are only looked up if stock is that short.
async function paidFirst(
  tx: Tx,
  seller: MerchantMode,
  owner: string,
  { stockRows }: LockedHolds,
  now: number,
): Promise<ReadonlyMap<string, number>> {
  const scarce = [...stockRows.values()].filter(({ onHand, held }) => onHand < held).map(({ skuId }) => skuId)
  if (scarce.length === 0) return noUnits
  const others = await sumHoldsAfter(tx, seller, scarce, { owner, after: now + payingMs })
  return new Map(others.map(({ skuId, quantity }) => [skuId, quantity]))
}

// Extends the owner's active holds, never shortens them, and returns what is still held. An expired hold stays expired, because other
// owners may already count on its units.
export async function extendHolds(
  tx: Tx,
  seller: MerchantMode,
  owner: string,
  context: { now: number; expiresAt: number },
): Promise<StockLine[]> {
  // The lock excludes a sweep that counts a hold as expired by a clock that is ahead of ours.
  const [stockRows, holds, running] = await Promise.all([
    lockHeldStockRows(tx, seller, owner),
    listHolds(tx, seller.merchantId, owner),
    extendRunningHolds(tx, seller.merchantId, owner, context),
  ])
  const ending = new Set(holds.filter((held) => endsSoon(held.expiresAt, context.now)).map(({ skuId }) => skuId))
  const changes = stockRows.map(
    (stockRow): StockChange => ({ ...stockRow, stockRow, shows: ending.has(stockRow.skuId) }),
  )
  await applyChanges(tx, seller, changes, { ...context, cause: null })
  return running
}

// Releases everything that the owner holds.
export async function releaseHolds(tx: Tx, seller: MerchantMode, owner: string, context: ChangeContext): Promise<void> {
  const [stockRows, holds] = await Promise.all([
    lockHeldStockRows(tx, seller, owner),
    listHolds(tx, seller.merchantId, owner),
  ])
  if (stockRows.length === 0) return
  const changes: StockChange[] = []
  for (const stockRow of stockRows) {
    const own = holds.find(({ skuId }) => skuId === stockRow.skuId)
    // The hold was swept while this transaction waited for the lock.
    if (!own) continue
    changes.push({ stockRow, onHand: stockRow.onHand, held: stockRow.held - own.quantity, shows: true })
  }
  const ended = changes.map(({ stockRow }) => stockRow.skuId)
  deleteHolds(tx, seller.merchantId, owner, ended)
  await applyChanges(tx, seller, changes, context)
}

// Deletes up to `limit` expired holds and the other expired holds of the same SKUs. Returns the number of deleted holds. Safe on several
// nodes at the same time.
export async function sweepHolds(storage: Storage, now: number, limit: number): Promise<number> {
  const lapsed = await storage.read((db) => listLapsedStock(db, now, limit))
  return handleRows(
    { storage, loop: 'holds', now },
    [lapsed],
    ({ merchantId, mode, skuId }) => ({ tenantId: merchantId, rowId: `${mode} ${skuId}` }),
    (rows) => storage.write((tx) => sweepHoldsOf(tx, rows, now)),
  )
}

async function sweepHoldsOf(tx: Tx, rows: readonly StockKey[], now: number): Promise<number> {
  const stockRows = await lockFreeStockRows(tx, rows)
  const swept = await Promise.all(
    stockRows.map(async (stockRow) => ({ stockRow, holds: await deleteLapsedHolds(tx, stockRow, now) })),
  )
  const changes = swept
    .filter(({ holds }) => holds.length > 0)
    .map(({ stockRow, holds }): StockChange => {
      const quantity = holds.reduce((sum, lapsed) => sum + lapsed.quantity, 0)
      return { stockRow, onHand: stockRow.onHand, held: stockRow.held - quantity, shows: true }
    })
  // Changes keep the order in which their rows were locked.
  for (const theirs of Map.groupBy(changes, ({ stockRow }) => `${stockRow.merchantId} ${stockRow.mode}`).values()) {
    const [first] = theirs
    if (first) await applyChanges(tx, first.stockRow, theirs, { now, cause: null })
  }
  return swept.reduce((sum, { holds }) => sum + holds.length, 0)
}

// Deletes the expired holds of other owners, in the transaction that needs their units.
export function deleteLapsedHoldsOfOthers(
  tx: Tx,
  seller: MerchantMode,
  owner: string,
  found: LockedHolds,
  now: number,
): void {
  const skuIds = [...found.stockRows.keys()].filter((skuId) => found.claimsOn(skuId).lapsed > 0)
  if (skuIds.length > 0) deleteLapsedHoldsOfSkus(tx, seller, skuIds, { exceptOf: owner, now })
}

export interface LockedHolds {
  stockRows: ReadonlyMap<string, StockRow>
  claimsOn(skuId: string): HeldClaims
  // Expiry of the owner's hold of the SKU, past or future; 0 if there is none.
  endOf(skuId: string): number
  // Whether the visible stock changes if the owner's hold changes to this quantity.
  shows(skuId: string, quantity: number): boolean
}

// Locks the SKUs of the lines and of the owner's holds, and then reads the holds. The two statements are sent together. Each sees what
// was committed before it began, so the second statement sees the holds as they are under the lock.
export async function lockAndReadHolds(
  tx: Tx,
  seller: MerchantMode,
  owner: string,
  lines: readonly StockLine[],
  now: number,
): Promise<LockedHolds> {
  const skuIds = lines.map(({ skuId }) => skuId)
  const [stockRows, holds] = await Promise.all([
    lockStockRowsFor(tx, seller, owner, skuIds),
    listClaims(tx, seller, skuIds, { owner, now }),
  ])
  const own = holds.filter(({ isOwn }) => isOwn === 1)
  const lapsed = holds.filter(({ isOwn }) => isOwn === 0)
  const claims = new Map<string, HeldClaims>(
    lapsed.map(({ skuId, quantity }) => [skuId, { ...noClaims, lapsed: quantity }]),
  )
  for (const { skuId, quantity, expiresAt } of own) {
    const running = expiresAt > now
    claims.set(skuId, {
      ...(claims.get(skuId) ?? noClaims),
      own: running ? quantity : 0,
      ownLapsed: running ? 0 : quantity,
    })
  }
  const ends = new Map(own.map(({ skuId, expiresAt }) => [skuId, expiresAt]))
  return {
    stockRows: new Map(stockRows.map((stockRow) => [stockRow.skuId, stockRow])),
    claimsOn: (skuId) => claims.get(skuId) ?? noClaims,
    endOf: (skuId) => ends.get(skuId) ?? 0,
    shows(skuId, quantity) {
      const { own, lapsed } = claims.get(skuId) ?? noClaims
      const end = ends.get(skuId)
      return quantity !== own || lapsed > 0 || (end !== undefined && endsSoon(end, now))
    },
  }
}
