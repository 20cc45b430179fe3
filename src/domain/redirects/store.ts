// The SQL of redirects.

import type { RedirectCause } from '../../contract/words.ts'
import { listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'

export interface RedirectRow {
  id: string
  path: string
  target: string | null
  targetPath: string | null
  cause: RedirectCause
  version: number
  createdAt: number
  updatedAt: number
}

export async function findRedirect(db: Reader, merchantId: string, path: string): Promise<RedirectRow | undefined> {
  const [row] = await db.sql<RedirectRow>`
    select id, path, target, target_path as "targetPath", cause, version, created_at as "createdAt", updated_at as "updatedAt"
    from redirects where merchant_id = ${merchantId} and path = ${path}`
  return row
}

// Redirects at any of these paths.
export async function listRedirectsAt(
  db: Reader,
  merchantId: string,
  paths: readonly string[],
): Promise<Pick<RedirectRow, 'path' | 'target' | 'targetPath'>[]> {
  return db.sql<Pick<RedirectRow, 'path' | 'target' | 'targetPath'>>`
    select path, target, target_path as "targetPath" from redirects
    where merchant_id = ${merchantId} and path in (${listFragment(paths)})`
}

export async function findRedirectById(db: Reader, merchantId: string, id: string): Promise<RedirectRow | undefined> {
  const [row] = await db.sql<RedirectRow>`
    select id, path, target, target_path as "targetPath", cause, version, created_at as "createdAt", updated_at as "updatedAt"
    from redirects where merchant_id = ${merchantId} and id = ${id}`
  return row
}

export interface RedirectQuery {
  // A part of the path or of the target; '' lists all redirects.
  part: string
  cause: RedirectCause | null
  after: string
  limit: number
}

export async function listRedirects(
  db: Reader,
  merchantId: string,
  { part, cause, after, limit }: RedirectQuery,
): Promise<RedirectRow[]> {
  const pattern = `%${part.toLowerCase().replaceAll(/[!%_]/g, (sign) => `!${sign}`)}%`
  return db.sql<RedirectRow>`
    select id, path, target, target_path as "targetPath", cause, version, created_at as "createdAt", updated_at as "updatedAt"
    from redirects where merchant_id = ${merchantId} and path > ${after}
      and (path like ${pattern} escape '!' or target like ${pattern} escape '!')
      and cause = coalesce(${cause}, cause)
    order by path limit ${limit}`
}

export async function countRedirects(db: Reader, merchantId: string): Promise<number> {
  const [row] = await db.sql<{ count: number }>`
    select count(*) as count from redirects where merchant_id = ${merchantId}`
  return Number(row?.count ?? 0)
}

// Overwrites an existing redirect at the same path, which keeps its id.
export async function putRedirect(tx: Tx, merchantId: string, row: RedirectRow): Promise<void> {
  await tx.sql`
    insert into redirects (merchant_id, id, path, target, target_path, cause, version, created_at, updated_at)
    values (${merchantId}, ${row.id}, ${row.path}, ${row.target}, ${row.targetPath}, ${row.cause}, ${row.version}, ${row.createdAt},
      ${row.updatedAt})
    on conflict (merchant_id, path) do update set target = excluded.target, target_path = excluded.target_path,
      cause = excluded.cause, version = redirects.version + 1, updated_at = excluded.updated_at`
}

// Changes the target of the redirects that lead to a path to the new target of that path.
export async function retargetRedirects(
  tx: Tx,
  merchantId: string,
  path: string,
  { target, targetPath, updatedAt }: Pick<RedirectRow, 'target' | 'targetPath' | 'updatedAt'>,
): Promise<void> {
  await tx.sql`
    update redirects set target = ${target}, target_path = ${targetPath}, version = version + 1, updated_at = ${updatedAt}
    where merchant_id = ${merchantId} and target_path = ${path} and path <> ${targetPath}`
}

export async function deleteRedirects(tx: Tx, merchantId: string, paths: readonly string[]): Promise<void> {
  await tx.sql`delete from redirects where merchant_id = ${merchantId} and path in (${listFragment(paths)})`
}
