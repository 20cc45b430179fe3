// The SQL of makers.

import type { PartyEntry } from '../../contract/entries.ts'
import { clockSkewMsMax } from '../../platform/kit/instant.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import type { MakerRow } from './maker.ts'

interface MakerColumns extends Omit<MakerRow, 'address' | 'responsible'> {
  address: string
  responsible: string | null
}

const makerColumns = new Fragment(
  'id, slug, name, address, country, contact, responsible, version, created_at as "createdAt", updated_at as "updatedAt"',
)

function makerFrom(row: MakerColumns): MakerRow {
  return {
    ...row,
    address: JSON.parse(row.address) as string[],
    responsible: row.responsible === null ? null : (JSON.parse(row.responsible) as PartyEntry),
  }
}

export interface MakerQuery {
  // A part of the name or the slug; '' lists all makers.
  part: string
  // The list continues after this slug.
  after: string
  limit: number
}

export async function listMakers(
  db: Reader,
  merchantId: string,
  { part, after, limit }: MakerQuery,
): Promise<MakerRow[]> {
  const pattern = `%${part.toLowerCase().replaceAll(/[!%_]/g, (sign) => `!${sign}`)}%`
  const rows = await db.sql<MakerColumns>`
    select ${makerColumns} from makers where merchant_id = ${merchantId} and slug > ${after}
      and (slug like ${pattern} escape '!' or lower(name) like ${pattern} escape '!')
    order by slug limit ${limit}`
  return rows.map(makerFrom)
}

export async function listMakersBySlug(db: Reader, merchantId: string, slugs: readonly string[]): Promise<MakerRow[]> {
  if (slugs.length === 0) return []
  const rows = await db.sql<MakerColumns>`
    select ${makerColumns} from makers where merchant_id = ${merchantId} and slug in (${listFragment(slugs)}) order by slug`
  return rows.map(makerFrom)
}

// Returns the makers that these products name, by slug.
export async function findNamedMakers(
  db: Reader,
  merchantId: string,
  products: readonly { maker: string | null }[],
): Promise<Map<string, MakerRow>> {
  const slugs = new Set(products.flatMap(({ maker }) => maker ?? []))
  const makers = await listMakersBySlug(db, merchantId, [...slugs])
  return new Map(makers.map((maker) => [maker.slug, maker]))
}

export async function findMaker(db: Reader, merchantId: string, id: string): Promise<MakerRow | undefined> {
  const [row] = await db.sql<MakerColumns>`
    select ${makerColumns} from makers where merchant_id = ${merchantId} and id = ${id}`
  return row && makerFrom(row)
}

export async function countMakers(db: Reader, merchantId: string): Promise<number> {
  const [row] = await db.sql<{ count: number }>`
    select count(*) as count from makers where merchant_id = ${merchantId}`
  return Number(row?.count ?? 0)
}

// Number of products that name each of these makers. A maker that no product names has no row.
export async function countProductsOfMakers(
  db: Reader,
  merchantId: string,
  slugs: readonly string[],
): Promise<{ slug: string; count: number }[]> {
  if (slugs.length === 0) return []
  return db.sql<{ slug: string; count: number }>`
    select maker as "slug", count(*) as "count" from products
    where merchant_id = ${merchantId} and maker in (${listFragment(slugs)}) group by maker`
}

export async function insertMaker(tx: Tx, merchantId: string, maker: MakerRow): Promise<void> {
  await tx.sql`
    insert into makers (merchant_id, id, slug, name, address, country, contact, responsible, version, created_at, updated_at)
    values (${merchantId}, ${maker.id}, ${maker.slug}, ${maker.name}, ${JSON.stringify(maker.address)}, ${maker.country},
      ${maker.contact}, ${maker.responsible && JSON.stringify(maker.responsible)}, ${maker.version}, ${maker.createdAt},
      ${maker.updatedAt})`
}

// Also marks the products that name the maker as stale, so their responses are rendered again.
export async function updateMaker(tx: Tx, merchantId: string, maker: MakerRow): Promise<void> {
  await tx.sql`
    update makers set name = ${maker.name}, address = ${JSON.stringify(maker.address)}, country = ${maker.country},
      contact = ${maker.contact}, responsible = ${maker.responsible && JSON.stringify(maker.responsible)},
      version = ${maker.version}, updated_at = ${maker.updatedAt}
    where merchant_id = ${merchantId} and id = ${maker.id}`
  // Backdated by the maximum clock skew, so nodes with slow clocks also see the products as stale.
  const staleAt = maker.updatedAt - clockSkewMsMax
  await tx.sql`
    update listed_products set stale_at = ${staleAt}
    where merchant_id = ${merchantId} and (mode, product_id) in (
      select l.mode, l.product_id from listed_products l
      where l.merchant_id = ${merchantId} and (l.stale_at is null or l.stale_at > ${staleAt}) and l.product_id in (
        select p.id from products p where p.merchant_id = ${merchantId} and p.maker = ${maker.slug})
      order by l.mode, l.product_id ${tx.forUpdate})`
}

export async function deleteMaker(tx: Tx, merchantId: string, id: string): Promise<void> {
  await tx.sql`delete from makers where merchant_id = ${merchantId} and id = ${id}`
}
