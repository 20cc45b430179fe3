// The SQL of pictures.

import { isNotDeferred } from '../../platform/jobs/store.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import type { ImageName } from './name.ts'

export interface ImageRow extends ImageName {
  pictureId: string
  height: number
  bytes: number
}

export async function findFile(db: Reader, merchantId: string, hash: string): Promise<ImageRow | undefined> {
  const [row] = await db.sql<ImageRow>`
    select merchant_id as "merchantId", hash, picture_id as "pictureId", kind, width, height, bytes
    from pictures where merchant_id = ${merchantId} and hash = ${hash}`
  return row
}

// The smallest first.
export async function listSizes(db: Reader, merchantId: string, pictureId: string): Promise<ImageRow[]> {
  return db.sql<ImageRow>`
    select merchant_id as "merchantId", hash, picture_id as "pictureId", kind, width, height, bytes
    from pictures where merchant_id = ${merchantId} and picture_id = ${pictureId} order by width, hash`
}

export async function countFiles(db: Reader, merchantId: string): Promise<number> {
  const [row] = await db.sql<{ files: number }>`
    select count(*) as "files" from pictures where merchant_id = ${merchantId}`
  return Number(row?.files ?? 0)
}

export function insertFile(tx: Tx, row: ImageRow, content: Buffer, now: number): void {
  tx.send`
    insert into pictures (merchant_id, hash, picture_id, kind, width, height, bytes, content, created_at)
    values (${row.merchantId}, ${row.hash}, ${row.pictureId}, ${row.kind}, ${row.width}, ${row.height}, ${row.bytes},
      ${content.toString('base64')}, ${now})`
}

// Undefined: there is no such picture. Null: it is stored elsewhere.
export async function findContent(
  db: Reader,
  merchantId: string,
  hash: string,
): Promise<{ content: Buffer | null } | undefined> {
  const [row] = await db.sql<{ content: string | null }>`
    select content from pictures where merchant_id = ${merchantId} and hash = ${hash}`
  return row && { content: row.content === null ? null : Buffer.from(row.content, 'base64') }
}

// The smallest size of the same picture that is at least this wide.
export async function findSize(
  db: Reader,
  { merchantId, hash, width }: { merchantId: string; hash: string; width: number },
): Promise<(ImageName & { content: Buffer | null }) | undefined> {
  const [row] = await db.sql<ImageName & { content: string | null }>`
    select s.merchant_id as "merchantId", s.hash, s.width, s.kind, s.content
    from pictures p join pictures s on s.merchant_id = p.merchant_id and s.picture_id = p.picture_id
    where p.merchant_id = ${merchantId} and p.hash = ${hash} and s.width >= ${width}
    order by s.width, s.hash limit 1`
  return row && { ...row, content: row.content === null ? null : Buffer.from(row.content, 'base64') }
}

export async function listUnstored(db: Reader, now: number, rowsMax: number): Promise<ImageName[]> {
  return db.sql<ImageName>`
    select merchant_id as "merchantId", hash, width, kind from pictures
    where content is not null and ${isNotDeferred('pictures', 'pictures.merchant_id', 'pictures.hash', now)}
    order by created_at limit ${rowsMax}`
}

export async function markStored(tx: Tx, { merchantId, hash }: ImageName): Promise<void> {
  await tx.sql`update pictures set content = null where merchant_id = ${merchantId} and hash = ${hash}`
}
