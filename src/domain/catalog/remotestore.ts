// The SQL of pictures that are downloaded from other servers.

import type { RemotePictureProblem } from '../../contract/words.ts'
import type { ClockSetBack } from '../../platform/jobs/clock.ts'
import { isNotDeferred, isOnly, type RowKey } from '../../platform/jobs/store.ts'
import { splitIntoGroups } from '../../platform/kit/groups.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'

export interface RemotePicture {
  merchantId: string
  productId: string
  addressHash: string
  address: string
  failures: number
}

type NewRemotePicture = Omit<RemotePicture, 'failures'>

// A known picture keeps its state: downloaded, waiting or given up.
export function insertRemotePictures(tx: Tx, pictures: readonly NewRemotePicture[], now: number): void {
  const types = ['text', 'text', 'text', 'text'] as const
  for (const some of splitIntoGroups(pictures, 100)) {
    const rows = tx.rows(
      some.map(({ merchantId, addressHash, productId, address }) => [merchantId, addressHash, productId, address]),
      types,
    )
    tx.send`
      with found (merchant_id, address_hash, product_id, address) as (${rows})
      insert into remote_pictures (merchant_id, address_hash, product_id, address, due_at, created_at)
      select merchant_id, address_hash, product_id, address, ${now}, ${now} from found where merchant_id is not null
      on conflict (merchant_id, address_hash, product_id) do nothing`
  }
}

// The local paths of pictures, by the hash of their former address.
export async function findCopiedPictures(
  db: Reader,
  merchantId: string,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  for (const some of splitIntoGroups(hashes, 500)) {
    const rows = await db.sql<{ addressHash: string; path: string }>`
      select address_hash as "addressHash", path from remote_pictures
      where merchant_id = ${merchantId} and address_hash in (${listFragment(some)}) and path is not null`
    for (const { addressHash, path } of rows) found.set(addressHash, path)
  }
  return found
}

// No picture is due while an import of the merchant is written: a picture that is placed during the import would change a product that
// the import has planned.
const isDue = (now: number) =>
  new Fragment(
    `r.due_at <= ? and r.merchant_id not in (
      select w.merchant_id from transfers w where w.state in ('planning', 'writing', 'discarded') and w.state = 'writing')`,
    [now],
  )
const rowId = "r.address_hash || ' ' || r.product_id"

export async function listDueRemotePictures(db: Reader, now: number, rowsMax: number): Promise<RowKey[]> {
  return db.sql<RowKey>`
    select r.merchant_id as "tenantId", ${new Fragment(rowId)} as "rowId" from remote_pictures r
    where ${isDue(now)} and ${isNotDeferred('remote_pictures', 'r.merchant_id', rowId, now)}
    order by r.due_at limit ${rowsMax}`
}

// Time until the next try, after each failure except the last.
export const remotePictureWaitsMs = [60_000, 600_000, 3_600_000, 6 * 3_600_000] as const

// If a node dies, other nodes take over its pictures after this time.
const claimMs = 10 * 60_000

export async function claimRemotePictures(
  tx: Tx,
  { now, rowsMax, only }: { now: number; rowsMax: number; only: RowKey | null },
): Promise<RemotePicture[]> {
  return tx.sql<RemotePicture>`
    update remote_pictures set due_at = ${now + claimMs}
    where (merchant_id, address_hash, product_id) in (
      select r.merchant_id, r.address_hash, r.product_id from remote_pictures r
      where ${isDue(now)} and ${isOnly(only, 'r.merchant_id', rowId)}
        and ${isNotDeferred('remote_pictures', 'r.merchant_id', rowId, now)}
      order by r.due_at limit ${rowsMax}) and due_at <= ${now}
    returning merchant_id as "merchantId", product_id as "productId", address_hash as "addressHash", address, failures`
}

export interface RemotePictureOutcome {
  path: string | null
  problem: RemotePictureProblem | null
  // Null: the picture is not tried again.
  dueAt: number | null
}

export async function recordRemotePicture(
  tx: Tx,
  picture: RemotePicture,
  { path, problem, dueAt }: RemotePictureOutcome,
): Promise<void> {
  const { merchantId, addressHash, productId, failures } = picture
  await tx.sql`
    update remote_pictures set path = ${path}, problem = ${problem}, due_at = ${dueAt},
      failures = ${problem === null ? failures : failures + 1}
    where merchant_id = ${merchantId} and address_hash = ${addressHash} and product_id = ${productId}`
}

// Lists all pictures of the product that are or were on other servers: their local paths, if any, and whether they are still untried.
export async function listOfProduct(
  db: Reader,
  merchantId: string,
  productId: string,
): Promise<{ address: string; path: string | null; isUntried: boolean }[]> {
  const rows = await db.sql<{ address: string; path: string | null; problem: string | null }>`
    select address, path, problem from remote_pictures
    where merchant_id = ${merchantId} and product_id = ${productId}`
  return rows.map(({ address, path, problem }) => ({ address, path, isUntried: path === null && problem === null }))
}

export interface RemotePictureCounts {
  here: number
  waiting: number
  givenUp: number
}

export async function countRemotePictures(db: Reader, merchantId: string): Promise<RemotePictureCounts> {
  const [row] = await db.sql<RemotePictureCounts>`
    select count(path) as "here", count(due_at) as "waiting",
      count(case when path is null and due_at is null then 1 end) as "givenUp"
    from remote_pictures where merchant_id = ${merchantId}`
  return { here: Number(row?.here ?? 0), waiting: Number(row?.waiting ?? 0), givenUp: Number(row?.givenUp ?? 0) }
}

export interface GivenUpPicture {
  address: string
  problem: RemotePictureProblem
  productSlug: string
}

export async function listGivenUpPictures(db: Reader, merchantId: string, limit: number): Promise<GivenUpPicture[]> {
  return db.sql<GivenUpPicture>`
    select r.address, r.problem, p.slug as "productSlug"
    from remote_pictures r join products p on p.merchant_id = r.merchant_id and p.id = r.product_id
    where r.merchant_id = ${merchantId} and r.path is null and r.due_at is null
    order by p.slug, r.address_hash limit ${limit}`
}

// After the clock was set back, makes pictures due whose next try is further away than any retry interval.
export function correctRemotePictureTimes(tx: Tx, { now }: ClockSetBack): void {
  tx.send`update remote_pictures set due_at = ${now} where due_at > ${now + remotePictureWaitsMs[3]}`
}
