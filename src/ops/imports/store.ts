// The SQL of imports. Every statement names the merchant.

import type {
  AdminFileColumn,
  AdminPlannedChange,
  AdminRefusedRow,
  AdminRemark,
} from '../../contract/admin/transfers.ts'
import type { ActorKind, ImportKind, Mode, TransferState } from '../../contract/words.ts'
import type { Actor } from '../../platform/audit/store.ts'
import type { ClockSetBack } from '../../platform/jobs/clock.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Fragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import type { AssignedColumn } from './formats/assigned.ts'
import { storedNotes, storedProblem, storedRefusedRows } from './remarkview.ts'

export interface ImportKey {
  merchantId: string
  id: string
}

export interface ImportHead extends ImportKey {
  mode: Mode
  kind: ImportKind
  name: string
  // Discarded imports are not shown and will be deleted.
  state: TransferState | 'discarded'
  pieces: number
  received: number
  created: number
  changed: number
  unchanged: number
  refused: number
  written: number
  problem: AdminRemark | null
  createdAt: number
  updatedAt: number
}

export interface ImportPlan {
  changesCount: number
  changes: readonly AdminPlannedChange[]
  refusedRows: readonly AdminRefusedRow[]
  notes: readonly AdminRemark[]
  // Null if the system that wrote the file is known, so no meanings have to be assigned.
  fileColumns: readonly AdminFileColumn[] | null
}

export type Transfer = ImportHead & ImportPlan

// `columns` is not a state in the table: a plan that waits for meanings of columns is stored as `ready`, without changes.
const head = new Fragment(`
  merchant_id as "merchantId", id, mode, kind, name,
  case when state = 'ready' and file_columns is not null and assigned is null then 'columns' else state end as state, pieces, received, created, changed, unchanged, refused, written,
  problem, created_at as "createdAt", updated_at as "updatedAt"`)

// The problem is JSON, or a sentence of an earlier release.
type HeadColumns = Omit<ImportHead, 'problem'> & { problem: string | null }

function headOf<Columns extends HeadColumns>(row: Columns): Columns & ImportHead {
  return { ...row, problem: storedProblem(row.problem) }
}

interface PlanColumns {
  changesCount: number
  changes: string
  refusals: string
  notes: string
  fileColumns: string | null
}

export async function findImport(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  id: string,
): Promise<Transfer | undefined> {
  const [row] = await db.sql<HeadColumns & PlanColumns>`
    select ${head}, changes_count as "changesCount", changes, refusals, notes, file_columns as "fileColumns"
    from transfers
    where merchant_id = ${merchantId} and mode = ${mode} and id = ${id} and state <> 'discarded'`
  if (!row) return undefined
  const { changes, refusals, notes, fileColumns, ...rest } = row
  return {
    ...headOf(rest),
    changes: JSON.parse(changes) as AdminPlannedChange[],
    refusedRows: storedRefusedRows(refusals),
    notes: storedNotes(notes),
    fileColumns: fileColumns === null ? null : (JSON.parse(fileColumns) as AdminFileColumn[]),
  }
}

// Newest first. Ids sort by time.
export async function listImports(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  after: string | null,
  limit: number,
): Promise<ImportHead[]> {
  const before = after === null ? new Fragment('1 = 1') : new Fragment('id < ?', [after])
  const rows = await db.sql<HeadColumns>`
    select ${head} from transfers
    where merchant_id = ${merchantId} and mode = ${mode} and state <> 'discarded' and ${before}
    order by id desc limit ${limit}`
  return rows.map(headOf)
}

export interface ImportCounts {
  all: number
  shown: number
  waiting: number
}

export async function countImports(db: Reader, merchantId: string): Promise<ImportCounts> {
  const [row] = await db.sql<ImportCounts>`
    select count(*) as "all", coalesce(sum(case when state <> 'discarded' then 1 else 0 end), 0) as "shown",
      coalesce(sum(case when state in ('receiving', 'planning', 'ready', 'writing') then 1 else 0 end), 0) as "waiting"
    from transfers where merchant_id = ${merchantId}`
  return row ?? { all: 0, shown: 0, waiting: 0 }
}

// Discards the oldest import that is done or failed.
export async function discardOldest(tx: Tx, merchantId: string): Promise<void> {
  await tx.sql`
    update transfers set state = 'discarded' where merchant_id = ${merchantId} and id = (
      select min(id) from transfers where merchant_id = ${merchantId} and state in ('done', 'failed'))`
}

export function insertImport(
  tx: Tx,
  {
    merchantId,
    id,
    mode,
    kind,
    name,
    pieces,
    createdAt,
  }: Pick<ImportHead, 'merchantId' | 'id' | 'mode' | 'kind' | 'name' | 'pieces' | 'createdAt'>,
): void {
  tx.send`
    insert into transfers (merchant_id, id, mode, kind, name, state, pieces, received, created, changed, unchanged, refused,
      changes_count, changes, refusals, notes, position, written, created_at, updated_at)
    values (${merchantId}, ${id}, ${mode}, ${kind}, ${name}, 'receiving', ${pieces}, 0, 0, 0, 0, 0, 0, '[]', '[]', '[]', 0, 0,
      ${createdAt}, ${createdAt})`
}

// Makes concurrent steps of the same import wait for each other.
export async function lockImport(tx: Tx, { merchantId, id }: ImportKey): Promise<void> {
  await tx.lockRow`select id from transfers where merchant_id = ${merchantId} and id = ${id}`
}

// Returns false if the piece was already stored.
export async function insertPiece(
  tx: Tx,
  { merchantId, id }: ImportKey,
  piece: number,
  text: string,
): Promise<boolean> {
  const [known] = await tx.sql`
    select piece from transfer_pieces where merchant_id = ${merchantId} and transfer_id = ${id} and piece = ${piece}`
  await tx.sql`
    insert into transfer_pieces (merchant_id, transfer_id, piece, text) values (${merchantId}, ${id}, ${piece}, ${text})
    on conflict (merchant_id, transfer_id, piece) do update set text = excluded.text`
  return known === undefined
}

export async function findPiece(db: Reader, { merchantId, id }: ImportKey, piece: number): Promise<string> {
  const [row] = await db.sql<{ text: string }>`
    select text from transfer_pieces where merchant_id = ${merchantId} and transfer_id = ${id} and piece = ${piece}`
  if (!row) throw new Error(`import ${id} has no piece ${piece}`)
  return row.text
}

// Planning begins once the last piece is received.
export async function setReceived(
  tx: Tx,
  { merchantId, id }: ImportKey,
  { received, isWhole, now }: { received: number; isWhole: boolean; now: number },
): Promise<void> {
  await tx.sql`
    update transfers set received = ${received}, state = ${isWhole ? 'planning' : 'receiving'}, updated_at = ${now}
    where merchant_id = ${merchantId} and id = ${id}`
}

// Stores the assigned meanings, and starts planning again.
export async function setAssigned(
  tx: Tx,
  { merchantId, id }: ImportKey,
  { columns, assigned, now }: { columns: readonly AdminFileColumn[]; assigned: readonly AssignedColumn[]; now: number },
): Promise<void> {
  await tx.sql`
    update transfers set state = 'planning', file_columns = ${JSON.stringify(columns)},
      assigned = ${JSON.stringify(assigned)}, updated_at = ${now}
    where merchant_id = ${merchantId} and id = ${id}`
}

export async function setConfirmed(
  tx: Tx,
  { merchantId, id }: ImportKey,
  { actor, requestId, now }: { actor: Actor; requestId: string | null; now: number },
): Promise<void> {
  await tx.sql`
    update transfers set state = 'writing', actor_kind = ${actor.kind}, actor_id = ${actor.id}, request_id = ${requestId},
      updated_at = ${now}
    where merchant_id = ${merchantId} and id = ${id}`
}

export async function setDiscarded(tx: Tx, { merchantId, id }: ImportKey): Promise<void> {
  await tx.sql`update transfers set state = 'discarded' where merchant_id = ${merchantId} and id = ${id}`
}

export interface DueImport extends ImportKey {
  mode: Mode
  kind: ImportKind
  pieces: number
  state: 'planning' | 'writing' | 'discarded'
  assigned: readonly AssignedColumn[] | null
}

// Lists imports that the loop has to work on, those untouched for the longest time first.
export async function listDue(db: Reader, now: number, limit: number): Promise<DueImport[]> {
  const rows = await db.sql<Omit<DueImport, 'assigned'> & { assigned: string | null }>`
    select merchant_id as "merchantId", id, mode, kind, pieces, state, assigned from transfers
    where state in ('planning', 'writing', 'discarded') and (run_until is null or run_until <= ${now})
      and ${isNotDeferred('transfers', 'transfers.merchant_id', 'transfers.id', now)}
    order by updated_at limit ${limit}`
  return rows.map(({ assigned, ...row }) => ({
    ...row,
    assigned: assigned === null ? null : (JSON.parse(assigned) as AssignedColumn[]),
  }))
}

export async function hasDueImports(db: Reader, now: number): Promise<boolean> {
  return (await listDue(db, now, 1)).length > 0
}

// Lease of a run: if the run does not extend it in time, another run takes over.
export const runMs = 20_000

// Called after the clock was set back: otherwise the lease of a killed run would last longer than `runMs`.
export function correctImportTimes(tx: Tx, { now }: ClockSetBack): void {
  tx.send`update transfers set run_until = ${now + runMs} where run_until > ${now + runMs}`
}

// Takes the lease, so only one node plans. Returns how many runs were killed before, or undefined if another run holds the lease or
// nothing is to be planned.
export async function claimPlanning(
  tx: Tx,
  { merchantId, id }: ImportKey,
  { run, until, now }: { run: string; until: number; now: number },
): Promise<number | undefined> {
  const [row] = await tx.sql<{ interruptions: number }>`
    update transfers set run = ${run}, run_until = ${until},
      interruptions = interruptions + case when run_until is null then 0 else 1 end
    where merchant_id = ${merchantId} and id = ${id} and state = 'planning' and (run_until is null or run_until <= ${now})
    returning interruptions`
  return row?.interruptions
}

// Returns false if another run has taken over, or the import was discarded.
export async function extendPlanning(
  tx: Tx,
  { merchantId, id }: ImportKey,
  { run, until }: { run: string; until: number | null },
): Promise<boolean> {
  const rows = await tx.sql`
    update transfers set run_until = ${until}
    where merchant_id = ${merchantId} and id = ${id} and state = 'planning' and run = ${run} returning id`
  return rows.length > 0
}

export interface PlanResult extends ImportPlan {
  state: 'ready' | 'columns' | 'failed'
  created: number
  changed: number
  unchanged: number
  refused: number
  problem: AdminRemark | null
  // Meanings that were assigned to the same columns of an earlier file.
  assigned: readonly AssignedColumn[] | null
}

// Returns false if another run has taken over, or the import was discarded.
export async function savePlan(
  tx: Tx,
  { merchantId, id }: ImportKey,
  { run, now, plan }: { run: string; now: number; plan: PlanResult },
): Promise<boolean> {
  const problem = plan.problem && JSON.stringify(plan.problem)
  const state = plan.state === 'columns' ? 'ready' : plan.state
  const rows = await tx.sql`
    update transfers set state = ${state}, run = null, run_until = null, created = ${plan.created},
      changed = ${plan.changed}, unchanged = ${plan.unchanged}, refused = ${plan.refused},
      changes_count = ${plan.changesCount}, changes = ${JSON.stringify(plan.changes)},
      refusals = ${JSON.stringify(plan.refusedRows)}, notes = ${JSON.stringify(plan.notes)}, problem = ${problem},
      file_columns = coalesce(${plan.fileColumns && JSON.stringify(plan.fileColumns)}, file_columns),
      assigned = coalesce(${plan.assigned && JSON.stringify(plan.assigned)}, assigned), updated_at = ${now}
    where merchant_id = ${merchantId} and id = ${id} and state = 'planning' and run = ${run} returning id`
  return rows.length > 0
}

export interface ImportItem {
  position: number
  line: number
  name: string
  // The item as JSON.
  item: string
}

export function insertItems(tx: Tx, { merchantId, id }: ImportKey, items: readonly ImportItem[]): void {
  if (items.length === 0) return
  const rows = tx.rows(
    items.map(({ position, line, name, item }) => [position, line, name, item]),
    ['bigint', 'bigint', 'text', 'text'],
  )
  tx.send`
    with given (position, line, name, item) as (${rows})
    insert into transfer_items (merchant_id, transfer_id, position, line, name, item)
    select cast(${merchantId} as text), cast(${id} as text), position, line, name, item from given where position is not null`
}

export interface WritingProgress {
  mode: Mode
  position: number
  written: number
  refused: number
  refusedRows: AdminRefusedRow[]
  actor: Actor
  requestId: string | null
}

// Locks the import for a batch. Returns undefined if the import is no longer in the state `writing`.
export async function lockWriting(tx: Tx, key: ImportKey): Promise<WritingProgress | undefined> {
  await lockImport(tx, key)
  const [row] = await tx.sql<{
    mode: Mode
    position: number
    written: number
    refused: number
    refusals: string
    actorKind: ActorKind
    actorId: string | null
    requestId: string | null
  }>`
    select mode, position, written, refused, refusals, actor_kind as "actorKind", actor_id as "actorId",
      request_id as "requestId"
    from transfers where merchant_id = ${key.merchantId} and id = ${key.id} and state = 'writing'`
  if (!row) return undefined
  const { actorKind, actorId, refusals, ...rest } = row
  return {
    ...rest,
    refusedRows: storedRefusedRows(refusals),
    actor: { kind: actorKind, id: actorId },
  }
}

export async function listItems(
  db: Reader,
  { merchantId, id }: ImportKey,
  after: number,
  limit: number,
): Promise<ImportItem[]> {
  return db.sql<ImportItem>`
    select position, line, name, item from transfer_items
    where merchant_id = ${merchantId} and transfer_id = ${id} and position > ${after} order by position limit ${limit}`
}

export async function saveWriting(
  tx: Tx,
  { merchantId, id }: ImportKey,
  { position, written, refused, refusedRows }: Omit<WritingProgress, 'mode' | 'actor' | 'requestId'>,
  now: number,
): Promise<void> {
  await tx.sql`
    update transfers set position = ${position}, written = ${written}, refused = ${refused},
      refusals = ${JSON.stringify(refusedRows)}, updated_at = ${now}
    where merchant_id = ${merchantId} and id = ${id}`
}

export async function setDone(tx: Tx, { merchantId, id }: ImportKey, now: number): Promise<void> {
  await tx.sql`
    update transfers set state = 'done', updated_at = ${now}
    where merchant_id = ${merchantId} and id = ${id} and state = 'writing'`
}

// Returns the number of deleted rows.
export async function deletePieces(tx: Tx, { merchantId, id }: ImportKey, limit: number): Promise<number> {
  const rows = await tx.sql`
    delete from transfer_pieces where merchant_id = ${merchantId} and transfer_id = ${id} and piece in (
      select piece from transfer_pieces where merchant_id = ${merchantId} and transfer_id = ${id}
      order by piece limit ${limit})
    returning piece`
  return rows.length
}

export async function deleteItems(tx: Tx, { merchantId, id }: ImportKey, limit: number): Promise<number> {
  const rows = await tx.sql`
    delete from transfer_items where merchant_id = ${merchantId} and transfer_id = ${id} and position in (
      select position from transfer_items where merchant_id = ${merchantId} and transfer_id = ${id}
      order by position limit ${limit})
    returning position`
  return rows.length
}

export async function deleteImport(tx: Tx, { merchantId, id }: ImportKey): Promise<void> {
  await tx.sql`delete from transfers where merchant_id = ${merchantId} and id = ${id}`
}

// Leaves out imports that are being written, even if that takes long.
export async function listOldImports(
  db: Reader,
  { endedBy, now }: { endedBy: number; now: number },
  limit: number,
): Promise<ImportKey[]> {
  return db.sql<ImportKey>`
    select merchant_id as "merchantId", id from transfers
    where updated_at <= ${endedBy} and state <> 'writing'
      and ${isNotDeferred('retention', 'transfers.merchant_id', 'transfers.id', now)}
    order by updated_at limit ${limit}`
}
