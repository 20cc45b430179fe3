// The SQL of stock. A SKU's numbers are only changed by whoever has locked its row, and rows are locked in the order of
// their ids, so that two who want the same SKUs wait for each other instead of standing in each other's way. Writes that have
// nothing to answer are waited for by nobody: the commit fails if one of them does.

import { isNotDeferred } from '../loops/store.ts'
import { Fragment, list, type Reader, type Tx } from '../storage/storage.ts'
import type { Line, Shelf } from './stock.ts'

// Units of the SKU `s` that are promised at this instant.
export function heldOf(now: number): Fragment {
  return new Fragment(heldText, [now])
}

// Units of the SKU `s` that can be bought at this instant. Below zero where the operator set the stock below what is
// promised; whoever shows it shows zero.
export function availableOf(now: number): Fragment {
  return new Fragment(`(s.on_hand - ${heldText})`, [now])
}

const heldText = `(s.held - coalesce((
  select sum(h.quantity) from holds h where h.merchant_id = s.merchant_id and h.sku_id = s.id and h.expires_at <= ?), 0))`

// What these functions lock, they read in the same statement and in no other: PostgreSQL gives the row as it is after the
// wait, but a second table in the statement as it was before. Holds are therefore read in a statement of their own.
const shelf = new Fragment(`
  s.merchant_id as "merchantId", s.id as "skuId", s.product_id as "productId", s.on_hand as "onHand", s.held,
  s.when_sold_out as "whenSoldOut", s.retired_at as "retiredAt", s.stock_version as "stockVersion",
  (select m.low_stock_at from merchants m where m.id = s.merchant_id) as "lowStockAt"`)

export async function lockShelves(tx: Tx, merchant: string, skuIds: readonly string[]): Promise<Shelf[]> {
  return tx.sql<Shelf>`
    select ${shelf} from skus s where s.merchant_id = ${merchant} and s.id in (${list(skuIds)})
    order by s.id ${tx.forUpdate}`
}

// The SKUs that are asked for, and those of which the owner has a hold.
export async function lockShelvesFor(
  tx: Tx,
  merchant: string,
  owner: string,
  skuIds: readonly string[],
): Promise<Shelf[]> {
  return tx.sql<Shelf>`
    select ${shelf} from skus s where s.merchant_id = ${merchant} and s.id in (
      select k.id from skus k where k.merchant_id = ${merchant} and k.id in (${list(skuIds)})
      union select h.sku_id from holds h where h.merchant_id = ${merchant} and h.owner_id = ${owner})
    order by s.id ${tx.forUpdate}`
}

export async function lockHeldShelves(tx: Tx, merchant: string, owner: string): Promise<Shelf[]> {
  return tx.sql<Shelf>`
    select ${shelf} from skus s where s.merchant_id = ${merchant} and s.id in (
      select h.sku_id from holds h where h.merchant_id = ${merchant} and h.owner_id = ${owner})
    order by s.id ${tx.forUpdate}`
}

export async function lockSoldShelves(tx: Tx, merchant: string, soldTo: string): Promise<Shelf[]> {
  return tx.sql<Shelf>`
    select ${shelf} from skus s where s.merchant_id = ${merchant} and s.id in (
      select v.sku_id from stock_movements v where v.merchant_id = ${merchant} and v.owner_id = ${soldTo})
    order by s.id ${tx.forUpdate}`
}

export interface SkuKey {
  merchantId: string
  skuId: string
}

// The SKUs of the oldest holds that are over.
export async function listLapsedSkus(db: Reader, now: number, limit: number): Promise<SkuKey[]> {
  return db.sql<SkuKey>`
    select distinct o.merchant_id as "merchantId", o.sku_id as "skuId"
    from (
      select h.merchant_id, h.sku_id from holds h
      where h.expires_at <= ${now} and ${isNotDeferred('holds', 'h.merchant_id', 'h.sku_id', now)}
      order by h.expires_at limit ${limit}) o
    order by "merchantId", "skuId"`
}

// What another node is working on is left to it.
export async function lockFreeShelves(tx: Tx, skus: readonly SkuKey[]): Promise<Shelf[]> {
  const keys = skus.map(({ merchantId, skuId }) => [merchantId, skuId])
  return tx.sql<Shelf>`
    with lapsed (merchant_id, sku_id) as (${tx.rows(keys, ['text', 'text'])})
    select ${shelf} from skus s where (s.merchant_id, s.id) in (select merchant_id, sku_id from lapsed)
    order by s.merchant_id, s.id ${tx.skipLocked}`
}

export interface OwnHold extends Line {
  expiresAt: number
}

export async function listHolds(tx: Tx, merchant: string, owner: string): Promise<OwnHold[]> {
  return tx.sql<OwnHold>`
    select sku_id as "skuId", quantity, expires_at as "expiresAt"
    from holds where merchant_id = ${merchant} and owner_id = ${owner} order by sku_id`
}

// What others held of these SKUs, where it is over and not yet swept.
export async function sumLapsedHolds(
  tx: Tx,
  merchant: string,
  skuIds: readonly string[],
  { owner, now }: { owner: string; now: number },
): Promise<Line[]> {
  return tx.sql<Line>`
    select sku_id as "skuId", sum(quantity) as "quantity" from holds
    where merchant_id = ${merchant} and sku_id in (${list(skuIds)}) and expires_at <= ${now} and owner_id <> ${owner}
    group by sku_id`
}

export async function deleteLapsedHolds(
  tx: Tx,
  merchant: string,
  skuId: string,
  now: number,
): Promise<{ quantity: number }[]> {
  return tx.sql<{ quantity: number }>`
    delete from holds where merchant_id = ${merchant} and sku_id = ${skuId} and expires_at <= ${now} returning quantity`
}

// What others held of these SKUs, where it is over, for somebody who has counted it under the lock.
export function dropLapsedHolds(
  tx: Tx,
  merchant: string,
  skuIds: readonly string[],
  { exceptOf, now }: { exceptOf: string; now: number },
): void {
  tx.sql`
    delete from holds
    where merchant_id = ${merchant} and sku_id in (${list(skuIds)}) and expires_at <= ${now} and owner_id <> ${exceptOf}`
}

export function deleteHold(tx: Tx, merchant: string, owner: string, skuId: string): void {
  tx.sql`
    delete from holds where merchant_id = ${merchant} and owner_id = ${owner} and sku_id = ${skuId}`
}

export function putHold(tx: Tx, merchant: string, owner: string, hold: OwnHold): void {
  tx.sql`
    insert into holds (merchant_id, sku_id, owner_id, quantity, expires_at)
    values (${merchant}, ${hold.skuId}, ${owner}, ${hold.quantity}, ${hold.expiresAt})
    on conflict (merchant_id, owner_id, sku_id) do update set quantity = excluded.quantity, expires_at = excluded.expires_at`
}

// Later, never sooner, and only what is still running.
export async function extendRunningHolds(
  tx: Tx,
  merchant: string,
  owner: string,
  { expiresAt, now }: { expiresAt: number; now: number },
): Promise<Line[]> {
  return tx.sql<Line>`
    update holds set expires_at = case when expires_at < ${expiresAt} then ${expiresAt} else expires_at end
    where merchant_id = ${merchant} and owner_id = ${owner} and expires_at > ${now}
    returning sku_id as "skuId", quantity`
}

export function updateShelf(
  tx: Tx,
  { merchantId, skuId }: Shelf,
  { onHand, held, stockVersion }: { onHand: number; held: number; stockVersion: number },
): void {
  tx.sql`
    update skus set on_hand = ${onHand}, held = ${held}, stock_version = ${stockVersion}
    where merchant_id = ${merchantId} and id = ${skuId}`
}

export interface Movement {
  skuId: string
  id: string
  kind: 'opening' | 'set' | 'sold' | 'restocked'
  delta: number
  backordered: number
  ownerId: string | null
}

export function insertMovement(tx: Tx, merchant: string, movement: Movement, now: number): void {
  tx.sql`
    insert into stock_movements (merchant_id, sku_id, id, kind, delta, backordered, owner_id, at)
    values (${merchant}, ${movement.skuId}, ${movement.id}, ${movement.kind}, ${movement.delta}, ${movement.backordered},
      ${movement.ownerId}, ${now})`
}

// What an order took and gave back. Not summed here: SQLite would group by the primary key, and read every movement of the
// merchant for it (8 ms with 40,000 of them).
export async function listMovementsOf(
  tx: Tx,
  merchant: string,
  soldTo: string,
): Promise<{ skuId: string; delta: number }[]> {
  return tx.sql<{ skuId: string; delta: number }>`
    select sku_id as "skuId", delta from stock_movements where merchant_id = ${merchant} and owner_id = ${soldTo}`
}

// Rows are locked in the order of their ids, and a row that is stale already is left alone: most changes of a SKU that
// sells well find it so.
export function markStale(tx: Tx, merchant: string, productIds: readonly string[], staleAt: number): void {
  tx.sql`
    update listed_products set stale_at = ${staleAt}
    where merchant_id = ${merchant} and product_id in (
      select l.product_id from listed_products l
      where l.merchant_id = ${merchant} and l.product_id in (${list(productIds)})
        and (l.stale_at is null or l.stale_at > ${staleAt})
      order by l.product_id ${tx.forUpdate})`
}

export interface SkuName {
  code: string
  name: string
  productSlug: string
}

export async function findSkuName(tx: Tx, merchant: string, skuId: string): Promise<SkuName | undefined> {
  const [row] = await tx.sql<SkuName>`
    select s.code, s.name, p.slug as "productSlug"
    from skus s join products p on p.merchant_id = s.merchant_id and p.id = s.product_id
    where s.merchant_id = ${merchant} and s.id = ${skuId}`
  return row
}

export async function listActiveInstallations(tx: Tx, merchant: string): Promise<{ id: string }[]> {
  return tx.sql<{ id: string }>`
    select id from installations where merchant_id = ${merchant} and disabled_at is null order by id`
}
