// The SQL of stock. The numbers of a SKU in a mode are changed only under a lock on their row, and rows are locked in the order of the
// SKUs' ids, so two transactions that need the same SKUs wait for each other instead of deadlocking. Writes without a result are not
// awaited: if a write fails, the commit fails.

import { isNotDeferred } from '../../platform/jobs/store.ts'
import { splitIntoGroups } from '../../platform/kit/groups.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import type { StockLine, StockRow } from './stock.ts'

// Units that are held at this time; `stock` is the alias of the stock row.
export function heldUnits(now: number, stock = 't'): Fragment {
  return new Fragment(heldText(stock), [now])
}

// Units of the stock `t` that can be bought at this time. Negative if the operator set the stock below what is held; callers that display
// it show zero.
export function availableUnits(now: number): Fragment {
  return new Fragment(`(t.on_hand - ${heldText('t')})`, [now])
}

function heldText(stock: string): string {
  return `(${stock}.held - coalesce((
    select sum(h.quantity) from holds h
    where h.merchant_id = ${stock}.merchant_id and h.sku_id = ${stock}.sku_id and h.mode = ${stock}.mode
      and h.expires_at <= ?), 0))`
}

// The rule for the SKU `s` when it is out of stock.
export const soldOutRule = new Fragment(`case s.counted when 0 then 'not_counted' else s.when_sold_out end`)

// The functions that lock stock rows read them in the locking statement: PostgreSQL returns a locked row as it is after the wait, but the
// rows of other tables as they were before the wait. Holds are therefore read in a separate statement. The columns of the SKU itself may
// be slightly outdated, as if this transaction had run before the merchant's change.
const stockRow = new Fragment(`
  t.merchant_id as "merchantId", t.sku_id as "skuId", t.mode, s.product_id as "productId", t.on_hand as "onHand", t.held,
  ${soldOutRule.text} as "whenSoldOut", s.retired_at as "retiredAt", t.version as "stockVersion",
  (select m.low_stock_at from merchants m where m.id = t.merchant_id) as "lowStockAt"
  from stock t join skus s on s.merchant_id = t.merchant_id and s.id = t.sku_id`)

export async function lockStockRows(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  skuIds: readonly string[],
): Promise<StockRow[]> {
  return tx.sql<StockRow>`
    select ${stockRow} where t.merchant_id = ${merchantId} and t.mode = ${mode} and t.sku_id in (${listFragment(skuIds)})
    order by t.sku_id ${tx.forUpdateOf('t')}`
}

// Locks the stock of the requested SKUs, and of the SKUs that the owner holds.
export async function lockStockRowsFor(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  owner: string,
  skuIds: readonly string[],
): Promise<StockRow[]> {
  return tx.sql<StockRow>`
    select ${stockRow} where t.merchant_id = ${merchantId} and t.mode = ${mode} and t.sku_id in (
      select k.id from skus k where k.merchant_id = ${merchantId} and k.id in (${listFragment(skuIds)})
      union select h.sku_id from holds h where h.merchant_id = ${merchantId} and h.owner_id = ${owner})
    order by t.sku_id ${tx.forUpdateOf('t')}`
}

export async function lockHeldStockRows(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  owner: string,
): Promise<StockRow[]> {
  return tx.sql<StockRow>`
    select ${stockRow} where t.merchant_id = ${merchantId} and t.mode = ${mode} and t.sku_id in (
      select h.sku_id from holds h where h.merchant_id = ${merchantId} and h.owner_id = ${owner})
    order by t.sku_id ${tx.forUpdateOf('t')}`
}

export async function lockStockRowsOfSale(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  soldTo: string,
): Promise<StockRow[]> {
  return tx.sql<StockRow>`
    select ${stockRow} where t.merchant_id = ${merchantId} and t.mode = ${mode} and t.sku_id in (
      select v.sku_id from stock_movements v where v.merchant_id = ${merchantId} and v.owner_id = ${soldTo})
    order by t.sku_id ${tx.forUpdateOf('t')}`
}

export interface StockKey extends MerchantMode {
  skuId: string
}

// Returns the keys of the stock rows with the oldest expired holds.
export async function listLapsedStock(db: Reader, now: number, limit: number): Promise<StockKey[]> {
  return db.sql<StockKey>`
    select distinct o.merchant_id as "merchantId", o.mode, o.sku_id as "skuId"
    from (
      select h.merchant_id, h.mode, h.sku_id from holds h
      where h.expires_at <= ${now} and ${isNotDeferred('holds', 'h.merchant_id', "(h.mode || ' ' || h.sku_id)", now)}
      order by h.expires_at limit ${limit}) o
    order by "merchantId", o.mode, "skuId"`
}

// Skips rows that another transaction has locked.
export async function lockFreeStockRows(tx: Tx, rows: readonly StockKey[]): Promise<StockRow[]> {
  const keys = rows.map(({ merchantId, mode, skuId }) => [merchantId, mode, skuId])
  return tx.sql<StockRow>`
    with lapsed (merchant_id, mode, sku_id) as (${tx.rows(keys, ['text', 'text', 'text'])})
    select ${stockRow} where (t.merchant_id, t.mode, t.sku_id) in (select merchant_id, mode, sku_id from lapsed)
    order by t.merchant_id, t.mode, t.sku_id ${tx.skipLockedOf('t')}`
}

export interface OwnHold extends StockLine {
  expiresAt: number
}

export async function listHolds(tx: Tx, merchant: string, owner: string): Promise<OwnHold[]> {
  return tx.sql<OwnHold>`
    select sku_id as "skuId", quantity, expires_at as "expiresAt"
    from holds where merchant_id = ${merchant} and owner_id = ${owner} order by sku_id`
}

// Returns the owner's holds and, for each of these SKUs, the sum of other owners' holds that have expired and are not yet swept.
export async function listClaims(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  skuIds: readonly string[],
  { owner, now }: { owner: string; now: number },
): Promise<(OwnHold & { isOwn: number })[]> {
  return tx.sql<OwnHold & { isOwn: number }>`
    select sku_id as "skuId", quantity, expires_at as "expiresAt", 1 as "isOwn"
    from holds where merchant_id = ${merchantId} and owner_id = ${owner}
    union all
    select sku_id, sum(quantity), 0, 0 from holds
    where merchant_id = ${merchantId} and sku_id in (${listFragment(skuIds)}) and mode = ${mode} and expires_at <= ${now}
      and owner_id <> ${owner}
    group by sku_id`
}

// Returns how many units of each SKU are in holds of other owners that last beyond `after`.
export async function sumHoldsAfter(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  skuIds: readonly string[],
  { owner, after }: { owner: string; after: number },
): Promise<StockLine[]> {
  return tx.sql<StockLine>`
    select sku_id as "skuId", sum(quantity) as "quantity" from holds
    where merchant_id = ${merchantId} and sku_id in (${listFragment(skuIds)}) and mode = ${mode} and expires_at > ${after}
      and owner_id <> ${owner}
    group by sku_id`
}

export async function deleteLapsedHolds(
  tx: Tx,
  { merchantId, skuId, mode }: StockRow,
  now: number,
): Promise<{ quantity: number }[]> {
  return tx.sql<{ quantity: number }>`
    delete from holds where merchant_id = ${merchantId} and sku_id = ${skuId} and mode = ${mode} and expires_at <= ${now}
    returning quantity`
}

// Deletes the expired holds of other owners on these SKUs, for a caller that has counted them under the lock.
export function deleteLapsedHoldsOfSkus(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  skuIds: readonly string[],
  { exceptOf, now }: { exceptOf: string; now: number },
): void {
  tx.send`
    delete from holds
    where merchant_id = ${merchantId} and sku_id in (${listFragment(skuIds)}) and mode = ${mode} and expires_at <= ${now}
      and owner_id <> ${exceptOf}`
}

export function deleteHolds(tx: Tx, merchant: string, owner: string, skuIds: readonly string[]): void {
  if (skuIds.length === 0) return
  tx.send`
    delete from holds where merchant_id = ${merchant} and owner_id = ${owner} and sku_id in (${listFragment(skuIds)})`
}

// An owner belongs to one mode, so the owner and the SKU identify a hold without the mode.
export function putHolds(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  { owner, expiresAt }: { owner: string; expiresAt: number },
  lines: readonly StockLine[],
): void {
  if (lines.length === 0) return
  const given = tx.rows(
    lines.map(({ skuId, quantity }) => [skuId, quantity]),
    ['text', 'bigint'],
  )
  tx.send`
    with given (sku_id, quantity) as (${given})
    insert into holds (merchant_id, sku_id, mode, owner_id, quantity, expires_at)
    select cast(${merchantId} as text), sku_id, cast(${mode} as text), cast(${owner} as text), quantity, cast(${expiresAt} as bigint)
    from given where sku_id is not null
    on conflict (merchant_id, owner_id, sku_id) do update set quantity = excluded.quantity, expires_at = excluded.expires_at`
}

// Extends to `until` the owner's holds that expire between `after` and `until`. Returns these holds.
export async function prolongHolds(
  tx: Tx,
  merchant: string,
  owner: string,
  { after, until }: { after: number; until: number },
): Promise<StockLine[]> {
  return tx.sql<StockLine>`
    update holds set expires_at = ${until}
    where merchant_id = ${merchant} and owner_id = ${owner} and expires_at > ${after} and expires_at <= ${until}
    returning sku_id as "skuId", quantity`
}

// Deletes all holds of an owner, and returns them.
export async function deleteHoldsOfOwner(tx: Tx, merchant: string, owner: string): Promise<OwnHold[]> {
  return tx.sql<OwnHold>`
    delete from holds where merchant_id = ${merchant} and owner_id = ${owner}
    returning sku_id as "skuId", quantity, expires_at as "expiresAt"`
}

// Extends the owner's active holds that expire before `expiresAt`. Returns all active holds.
export async function extendRunningHolds(
  tx: Tx,
  merchant: string,
  owner: string,
  { expiresAt, now }: { expiresAt: number; now: number },
): Promise<StockLine[]> {
  return tx.sql<StockLine>`
    update holds set expires_at = case when expires_at < ${expiresAt} then ${expiresAt} else expires_at end
    where merchant_id = ${merchant} and owner_id = ${owner} and expires_at > ${now}
    returning sku_id as "skuId", quantity`
}

// Reserves free units. Returns the new numbers of the SKUs that had enough free units.
export async function reserveStock(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  lines: readonly StockLine[],
): Promise<StockNumbers[]> {
  return tx.sql<StockNumbers>`
    with given (sku_id, quantity) as (${linesOf(tx, lines)})
    update stock set held = stock.held + given.quantity
    from given
    where stock.merchant_id = ${merchantId} and stock.mode = ${mode} and stock.sku_id = given.sku_id
      and stock.on_hand - stock.held >= given.quantity
      and stock.sku_id in (${inOrder(tx, { merchantId, mode }, lines)})
    returning stock.sku_id as "skuId", stock.on_hand as "onHand", stock.held, stock.version as "stockVersion"`
}

// Takes held units out of stock. Returns the SKUs that had enough held units.
export async function takeHeldStock(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  lines: readonly StockLine[],
): Promise<{ skuId: string }[]> {
  return tx.sql<{ skuId: string }>`
    with given (sku_id, quantity) as (${linesOf(tx, lines)})
    update stock set on_hand = stock.on_hand - given.quantity, held = stock.held - given.quantity
    from given
    where stock.merchant_id = ${merchantId} and stock.mode = ${mode} and stock.sku_id = given.sku_id
      and stock.on_hand >= given.quantity and stock.held >= given.quantity
      and stock.sku_id in (${inOrder(tx, { merchantId, mode }, lines)})
    returning stock.sku_id as "skuId"`
}

function linesOf(tx: Tx, lines: readonly StockLine[]): Fragment {
  return tx.rows(
    lines.map(({ skuId, quantity }) => [skuId, quantity]),
    ['text', 'bigint'],
  )
}

// Locks the rows in the order of their ids; the update alone would lock them in any order.
function inOrder(tx: Tx, { merchantId, mode }: MerchantMode, lines: readonly StockLine[]): Fragment {
  const skuIds = listFragment(lines.map(({ skuId }) => skuId))
  return new Fragment(
    `select t.sku_id from stock t where t.merchant_id = ? and t.mode = ? and t.sku_id in (${skuIds.text})
      order by t.sku_id ${tx.forUpdate.text}`,
    [merchantId, mode, ...skuIds.values],
  )
}

export type StockNumbers = Pick<StockRow, 'skuId' | 'onHand' | 'held' | 'stockVersion'>

export function updateStockRows(tx: Tx, { merchantId, mode }: MerchantMode, numbers: readonly StockNumbers[]): void {
  for (const piece of splitIntoGroups(numbers, rowsAtOnceMax)) updatePiece(tx, { merchantId, mode }, piece)
}

// SQLite allows 32,766 values in one statement.
const rowsAtOnceMax = 1_000

function updatePiece(tx: Tx, { merchantId, mode }: MerchantMode, numbers: readonly StockNumbers[]): void {
  const given = tx.rows(
    numbers.map(({ skuId, onHand, held, stockVersion }) => [skuId, onHand, held, stockVersion]),
    ['text', 'bigint', 'bigint', 'bigint'],
  )
  tx.send`
    with given (sku_id, on_hand, held, version) as (${given})
    update stock set on_hand = given.on_hand, held = given.held, version = given.version
    from given
    where stock.merchant_id = ${merchantId} and stock.mode = ${mode} and stock.sku_id = given.sku_id`
}

// Inserts the stock of new SKUs, in both modes. The ids of the opening movements derive from the SKU's id, so a SKU can have only one
// opening movement in a mode.
export function insertStock(tx: Tx, merchant: string, levels: readonly NewLevel[]): void {
  for (const piece of splitIntoGroups(levels, rowsAtOnceMax)) insertLevels(tx, merchant, piece)
}

export interface NewLevel {
  skuId: string
  onHand: number
  at: number
}

function insertLevels(tx: Tx, merchant: string, levels: readonly NewLevel[]): void {
  const given = tx.rows(
    levels.flatMap(({ skuId, onHand, at }) => [
      [skuId, 'live', skuId, onHand, at],
      [skuId, 'test', `test-${skuId}`, onHand, at],
    ]),
    ['text', 'text', 'text', 'bigint', 'bigint'],
  )
  tx.send`
    with given (sku_id, mode, id, on_hand, at) as (${given})
    insert into stock (merchant_id, sku_id, mode, on_hand, held, version)
    select cast(${merchant} as text), sku_id, mode, on_hand, 0, 0 from given where sku_id is not null`
  if (levels.every(({ onHand }) => onHand === 0)) return
  tx.send`
    with given (sku_id, mode, id, on_hand, at) as (${given})
    insert into stock_movements (merchant_id, sku_id, id, mode, kind, delta, at)
    select cast(${merchant} as text), sku_id, id, mode, 'opening', on_hand, at from given where on_hand <> 0`
}

export interface Movement {
  skuId: string
  id: string
  kind: 'set' | 'sold' | 'restocked'
  delta: number
  backordered: number
  ownerId: string | null
  // Set if the stock was changed by hand.
  reason?: string | null
  actor?: MovementActor | null
}

// Who changed the stock, such as a user, an API key or an app.
export interface MovementActor {
  kind: string
  id: string
}

export function insertMovements(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  movements: readonly Movement[],
  now: number,
): void {
  for (const piece of splitIntoGroups(movements, rowsAtOnceMax)) insertPiece(tx, { merchantId, mode }, piece, now)
}

function insertPiece(tx: Tx, { merchantId, mode }: MerchantMode, movements: readonly Movement[], now: number): void {
  const given = tx.rows(
    movements.map(({ skuId, id, kind, delta, backordered, ownerId, reason = null, actor = null }) => [
      skuId,
      id,
      kind,
      delta,
      backordered,
      ownerId,
      reason,
      actor?.kind ?? null,
      actor?.id ?? null,
    ]),
    movementTypes,
  )
  tx.send`
    with given (sku_id, id, kind, delta, backordered, owner_id, reason, actor_kind, actor_id) as (${given})
    insert into stock_movements (merchant_id, sku_id, id, mode, kind, delta, backordered, owner_id, at, reason, actor_kind,
      actor_id)
    select cast(${merchantId} as text), sku_id, id, cast(${mode} as text), kind, delta, backordered, owner_id,
      cast(${now} as bigint), reason, actor_kind, actor_id
    from given where id is not null`
}

const movementTypes = ['text', 'text', 'text', 'bigint', 'bigint', 'text', 'text', 'text', 'text'] as const

// Lists the movements of the units that an order took and returned. They are not summed here: SQLite would group by the primary key, and
// for that read every movement of the merchant (8 ms with 40,000 movements).
export async function listMovementsOf(tx: Tx, merchant: string, soldTo: string): Promise<OrderMovement[]> {
  return tx.sql<OrderMovement>`
    select sku_id as "skuId", kind, delta, backordered from stock_movements
    where merchant_id = ${merchant} and owner_id = ${soldTo}`
}

export type OrderMovement = Pick<Movement, 'skuId' | 'kind' | 'delta' | 'backordered'>

// Listings are locked in the order of their ids. Listings that are already stale are skipped: when a SKU sells well, most changes find
// its listing stale.
export function markProductsStale(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  productIds: readonly string[],
  staleAt: number,
): void {
  tx.send`
    update listed_products set stale_at = ${staleAt}
    where merchant_id = ${merchantId} and mode = ${mode} and product_id in (
      select l.product_id from listed_products l
      where l.merchant_id = ${merchantId} and l.mode = ${mode} and l.product_id in (${listFragment(productIds)})
        and (l.stale_at is null or l.stale_at > ${staleAt})
      order by l.product_id ${tx.forUpdate})`
}

export interface SkuName {
  skuId: string
  code: string
  name: string
  productSlug: string
  productName: string
}

export async function listSkuNames(db: Reader, merchant: string, skuIds: readonly string[]): Promise<SkuName[]> {
  const names: SkuName[] = []
  for (const some of splitIntoGroups(skuIds, rowsAtOnceMax)) {
    const found = await db.sql<SkuName>`
      select s.id as "skuId", s.code, s.name, p.slug as "productSlug", p.name as "productName"
      from skus s join products p on p.merchant_id = s.merchant_id and p.id = s.product_id
      where s.merchant_id = ${merchant} and s.id in (${listFragment(some)})`
    names.push(...found)
  }
  return names
}

export async function listActiveInstallations(tx: Tx, { merchantId, mode }: MerchantMode): Promise<{ id: string }[]> {
  return tx.sql<{ id: string }>`
    select id from installations where merchant_id = ${merchantId} and mode = ${mode} and disabled_at is null order by id`
}
