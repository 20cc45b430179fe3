// The SQL of deferred rows.

import { Fragment, type Reader, type Tx } from '../storage/storage.ts'
import type { LoopName } from './names.ts'

// Identifies a row of a loop: the id of its merchant or installation, and its own id.
export interface RowKey {
  tenantId: string
  rowId: string
}

export interface DeferredRow extends RowKey {
  loop: LoopName
  failures: number
  retryAt: number
  failedAt: number
  errorCode: string
}

const deferred = new Fragment(`
  loop, tenant_id as "tenantId", row_id as "rowId", failures, retry_at as "retryAt", failed_at as "failedAt",
  error_code as "errorCode"`)

// A condition for the query for due rows. `tenant` and `row` are SQL expressions that identify the row. The condition is a subquery by
// the whole key, because with a join PostgreSQL might not follow the order of the index.
export function isNotDeferred(loop: LoopName, tenant: string, row: string, now: number): Fragment {
  return new Fragment(
    `coalesce((select f.retry_at from deferred_rows f
      where f.tenant_id = ${tenant} and f.loop = ? and f.row_id = ${row}), 0) <= ?`,
    [loop, now],
  )
}

// A condition to claim only one row. `tenant` and `row` are SQL expressions that identify the row.
export function isOnly(only: RowKey | null, tenant: string, row: string): Fragment {
  return only ? new Fragment(`${tenant} = ? and ${row} = ?`, [only.tenantId, only.rowId]) : new Fragment('1 = 1')
}

const minute = 60_000
const waitMsMax = 6 * 60 * minute

// Each failure doubles the delay, from a minute up to six hours (exponential backoff).
export async function deferRow(
  tx: Tx,
  loop: LoopName,
  { tenantId, rowId }: RowKey,
  { errorCode, now }: { errorCode: string; now: number },
): Promise<DeferredRow> {
  const wait = new Fragment('case when deferred_rows.wait_ms * 2 > ? then ? else deferred_rows.wait_ms * 2 end', [
    waitMsMax,
    waitMsMax,
  ])
  const [row] = await tx.sql<DeferredRow>`
    insert into deferred_rows (loop, tenant_id, row_id, failures, wait_ms, retry_at, failed_at, error_code)
    values (${loop}, ${tenantId}, ${rowId}, 1, ${minute}, ${now + minute}, ${now}, ${errorCode})
    on conflict (tenant_id, loop, row_id) do update set failures = deferred_rows.failures + 1, wait_ms = ${wait},
      retry_at = ${now} + ${wait}, failed_at = excluded.failed_at, error_code = excluded.error_code
    returning ${deferred}`
  return row as DeferredRow
}

// Lists deferred rows, those with the most failures first.
export async function listDeferred(db: Reader, now: number, limit: number): Promise<DeferredRow[]> {
  return db.sql<DeferredRow>`
    select ${deferred} from deferred_rows where retry_at > ${now}
    order by failures desc, tenant_id, loop, row_id limit ${limit}`
}

// Counts per loop the rows that are deferred, and the rows that were due by `before` and have not failed again.
export async function countDeferred(
  db: Reader,
  { now, before }: { now: number; before: number },
): Promise<{ loop: LoopName; rows: number; handled: number }[]> {
  return db.sql<{ loop: LoopName; rows: number; handled: number }>`
    select loop, sum(case when retry_at > ${now} then 1 else 0 end) as "rows",
      sum(case when retry_at <= ${before} then 1 else 0 end) as "handled"
    from deferred_rows group by loop order by loop`
}

// Called at the start of a server, since a new release or another setting may have removed the cause of the failures, and after the clock
// was set back, since the rows would otherwise be retried too late.
export async function makeDeferredDue(tx: Tx, now: number): Promise<void> {
  await tx.sql`update deferred_rows set retry_at = ${now} where retry_at > ${now}`
}

export async function deleteHandled(tx: Tx, before: number): Promise<void> {
  await tx.sql`delete from deferred_rows where retry_at <= ${before}`
}
