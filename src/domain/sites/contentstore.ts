// The SQL of the merchants' settings of their online stores.

import type { Reader, Tx } from '../../platform/storage/storage.ts'

export interface ContentRow {
  // JSON, or null for the default.
  home: string | null
  menus: string | null
  draft: string | null
  version: number
}

export async function findSiteContent(db: Reader, merchantId: string): Promise<ContentRow | undefined> {
  const [row] = await db.sql<ContentRow>`
    select home, menus, draft, version from site_contents where merchant_id = ${merchantId}`
  return row
}

// The caller must have locked the merchant's row.
export async function saveContent(
  tx: Tx,
  merchantId: string,
  { home, menus, draft }: Omit<ContentRow, 'version'>,
  now: number,
): Promise<void> {
  await tx.sql`
    insert into site_contents (merchant_id, home, menus, draft, version, updated_at)
    values (${merchantId}, ${home}, ${menus}, ${draft}, 1, ${now})
    on conflict (merchant_id) do update set home = excluded.home, menus = excluded.menus, draft = excluded.draft,
      version = site_contents.version + 1, updated_at = excluded.updated_at`
  tx.signal('sites')
}
