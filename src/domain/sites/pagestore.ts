// The SQL of the pages of shops.

import type { PageMenu } from '../../contract/words.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'

export interface PageRow {
  slug: string
  title: string
  body: string
  description: string
  menu: PageMenu
  position: number
  isPublished: boolean
  version: number
  updatedAt: number
}

type StoredPage = Omit<PageRow, 'isPublished'> & { isPublished: number }

const rowOf = ({ isPublished, ...row }: StoredPage): PageRow => ({ ...row, isPublished: Number(isPublished) === 1 })

export async function findPage(db: Reader, merchantId: string, slug: string): Promise<PageRow | undefined> {
  const [row] = await db.sql<StoredPage>`
    select slug, title, body, description, menu, position, is_published as "isPublished", version, updated_at as "updatedAt"
    from site_pages where merchant_id = ${merchantId} and slug = ${slug}`
  return row && rowOf(row)
}

// Lists pages in the order of menus, without bodies, which are only read for a single page.
export async function listPages(db: Reader, merchantId: string): Promise<PageRow[]> {
  const rows = await db.sql<StoredPage>`
    select slug, title, '' as body, description, menu, position, is_published as "isPublished", version, updated_at as "updatedAt"
    from site_pages where merchant_id = ${merchantId} order by position, title, slug limit 100`
  return rows.map(rowOf)
}

export async function insertPage(tx: Tx, merchantId: string, page: PageRow): Promise<void> {
  await tx.sql`
    insert into site_pages (merchant_id, slug, title, body, description, menu, position, is_published, version, created_at, updated_at)
    values (${merchantId}, ${page.slug}, ${page.title}, ${page.body}, ${page.description}, ${page.menu}, ${page.position},
      ${page.isPublished ? 1 : 0}, ${page.version}, ${page.updatedAt}, ${page.updatedAt})`
}

export async function updatePage(tx: Tx, merchantId: string, page: PageRow): Promise<void> {
  await tx.sql`
    update site_pages set title = ${page.title}, body = ${page.body}, description = ${page.description}, menu = ${page.menu},
      position = ${page.position}, is_published = ${page.isPublished ? 1 : 0}, version = ${page.version}, updated_at = ${page.updatedAt}
    where merchant_id = ${merchantId} and slug = ${page.slug}`
}

export async function deletePage(tx: Tx, merchantId: string, slug: string): Promise<void> {
  await tx.sql`delete from site_pages where merchant_id = ${merchantId} and slug = ${slug}`
}
