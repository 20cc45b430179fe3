// The SQL of pictures.

import type { ClockSetBack } from '../../platform/jobs/clock.ts'
import { isNotDeferred, isOnly, type RowKey } from '../../platform/jobs/store.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import type { CopyKind, CopyProblem, PictureCopies } from './copier.ts'
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

// Files of a picture, smallest first.
export async function listPictureFiles(db: Reader, merchantId: string, pictureId: string): Promise<ImageRow[]> {
  return db.sql<ImageRow>`
    select merchant_id as "merchantId", hash, picture_id as "pictureId", kind, width, height, bytes
    from pictures where merchant_id = ${merchantId} and picture_id = ${pictureId} order by width, hash`
}

export async function countFiles(db: Reader, merchantId: string): Promise<number> {
  const [row] = await db.sql<{ files: number }>`
    select count(*) as "files" from pictures where merchant_id = ${merchantId}`
  return Number(row?.files ?? 0)
}

export const filesPerMerchantMax = 100_000

export function insertFile(tx: Tx, row: ImageRow, content: Buffer, now: number): void {
  insertRow(tx, row, content.toString('base64'), now)
}

// Inserts a picture whose file is already in the storage of pictures.
export function insertStoredFile(tx: Tx, row: ImageRow, now: number): void {
  insertRow(tx, row, null, now)
}

function insertRow(tx: Tx, row: ImageRow, content: string | null, now: number): void {
  tx.send`
    insert into pictures (merchant_id, hash, picture_id, kind, width, height, bytes, content, created_at)
    values (${row.merchantId}, ${row.hash}, ${row.pictureId}, ${row.kind}, ${row.width}, ${row.height}, ${row.bytes},
      ${content}, ${now})`
  tx.signal('pictures')
}

// Returns undefined if the picture does not exist, and null if its content is in the storage of pictures.
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

export async function markImageStored(tx: Tx, { merchantId, hash }: ImageName): Promise<void> {
  await tx.sql`update pictures set content = null where merchant_id = ${merchantId} and hash = ${hash}`
}

export interface ImageToCopy extends ImageName {
  pictureId: string
  failures: number
}

const waiting = (now: number) => new Fragment('copied_at is null and coalesce(copying_until, 0) <= ?', [now])

export async function listToCopy(db: Reader, now: number, rowsMax: number): Promise<RowKey[]> {
  return db.sql<RowKey>`
    select merchant_id as "tenantId", hash as "rowId" from pictures
    where ${waiting(now)} and ${isNotDeferred('picture_copies', 'pictures.merchant_id', 'pictures.hash', now)}
    order by created_at limit ${rowsMax}`
}

// If a node dies, other nodes take over its pictures after this time.
export const copyingMs = 10 * 60_000

export async function claimImagesToCopy(
  tx: Tx,
  { now, rowsMax, only }: { now: number; rowsMax: number; only: RowKey | null },
): Promise<ImageToCopy[]> {
  return tx.sql<ImageToCopy>`
    update pictures set copying_until = ${now + copyingMs}
    where (merchant_id, hash) in (
      select p.merchant_id, p.hash from pictures p
      where ${waiting(now)} and ${isOnly(only, 'p.merchant_id', 'p.hash')}
        and ${isNotDeferred('picture_copies', 'p.merchant_id', 'p.hash', now)}
      order by p.created_at limit ${rowsMax}) and ${waiting(now)}
    returning merchant_id as "merchantId", hash, width, kind, picture_id as "pictureId", copy_failures as "failures"`
}

// After the clock was set back, limits the remaining time of each claim to the normal duration.
export function correctCopyTimes(tx: Tx, { now }: ClockSetBack): void {
  tx.send`
    update pictures set copying_until = ${now + copyingMs}
    where copied_at is null and copying_until > ${now + copyingMs}`
}

type CopyKey = Pick<ImageName, 'merchantId' | 'hash'>

export function insertCopies(tx: Tx, { merchantId, hash }: CopyKey, { copies }: PictureCopies): void {
  for (const { kind, width, bytes } of copies)
    tx.send`
      insert into picture_copies (merchant_id, hash, kind, width, bytes)
      values (${merchantId}, ${hash}, ${kind}, ${width}, ${bytes.length})
      on conflict (merchant_id, hash, kind, width) do nothing`
}

export interface CopyOutcome {
  color: string | null
  problem: CopyProblem | null
}

export async function recordCopyOutcome(
  tx: Tx,
  { merchantId, hash }: CopyKey,
  end: CopyOutcome,
  now: number,
): Promise<void> {
  await tx.sql`
    update pictures set copied_at = ${now}, copying_until = null, color = ${end.color}, copy_problem = ${end.problem}
    where merchant_id = ${merchantId} and hash = ${hash}`
}

// Records a failure, and schedules another attempt a minute later.
export async function noteCopyFailure(
  tx: Tx,
  { merchantId, hash }: CopyKey,
  problem: CopyProblem,
  now: number,
): Promise<void> {
  await tx.sql`
    update pictures set copy_failures = copy_failures + 1, copy_problem = ${problem}, copying_until = ${now + 60_000}
    where merchant_id = ${merchantId} and hash = ${hash}`
}

// The smallest copy that is at least this wide, otherwise the widest.
export async function findCopy(
  db: Reader,
  { merchantId, hash, kind, width }: { merchantId: string; hash: string; kind: CopyKind; width: number },
): Promise<ImageName | undefined> {
  const [row] = await db.sql<ImageName>`
    select merchant_id as "merchantId", hash, width, kind from picture_copies
    where merchant_id = ${merchantId} and hash = ${hash} and kind = ${kind}
    order by case when width >= ${width} then width else 100000 - width end limit 1`
  return row
}

// Counts pictures of all merchants: those that wait for copies, and those that were given up.
export async function countCopies(db: Reader): Promise<{ waiting: number; givenUp: number }> {
  const [[waiting], [givenUp]] = await Promise.all([
    db.sql<{ n: number }>`select count(*) as n from pictures where copied_at is null`,
    db.sql<{ n: number }>`select count(*) as n from pictures where copied_at is not null and copy_problem is not null`,
  ])
  return { waiting: Number(waiting?.n ?? 0), givenUp: Number(givenUp?.n ?? 0) }
}

export interface ImageFacts {
  hash: string
  width: number
  height: number
  // Null: the colour is not known yet, or the picture has none.
  color: string | null
  isSettled: number
}

export async function listFacts(db: Reader, merchantId: string, hashes: readonly string[]): Promise<ImageFacts[]> {
  return db.sql<ImageFacts>`
    select hash, width, height, color, case when copied_at is null then 0 else 1 end as "isSettled" from pictures
    where merchant_id = ${merchantId} and hash in (${listFragment(hashes)})`
}
