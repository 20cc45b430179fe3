// The SQL of the list of changes. An entry is inserted in the transaction of its changes, and is only deleted because of its age.

import { limits } from '../../contract/limits.ts'
import type { ActorKind, Mode } from '../../contract/words.ts'
import { handleRows } from '../jobs/rows.ts'
import { isNotDeferred } from '../jobs/store.ts'
import { newId } from '../kit/ids.ts'
import { refuse } from '../kit/refuse.ts'
import { allConditions, Fragment, listFragment, type Reader, type Storage, type Tx } from '../storage/storage.ts'
import { type AuditedChange, isOfOneMode } from './change.ts'

export interface Actor {
  kind: ActorKind
  // Id of the user, key or installation, or name of the loop. Null for the operator.
  id: string | null
}

export interface NewAuditEntry {
  merchantId: string
  // Mode of the caller. Stored only if one of the changes is about a thing that belongs to one mode.
  mode: Mode | null
  actor: Actor
  operation: string
  requestId: string | null
  changes: readonly AuditedChange[]
  // The entry that this entry undoes.
  undoes: string | null
  at: number
}

export interface AuditEntry extends Omit<NewAuditEntry, 'merchantId'> {
  id: string
  undoneBy: string | null
  // Number of changes before the entry was truncated. Null if the entry is complete.
  cutCount: number | null
}

// Above the limits of all operations: entries are stored completely, since they may be undone.
export const entryLengthMax = 8_000_000

// One request may change thousands of things, and entries are stored for years. Entries larger than `largeBytesMin` stay complete as long
// as the newest of them fit into `largeBytesMax` per merchant. Older ones are truncated (`trimLargeEntries`).
const largeBytesMin = 8_192
export const largeBytesMax = 256 * 1024 * 1024

export function insertEntry(tx: Tx, entry: NewAuditEntry): string {
  const { merchantId, actor, operation, requestId, changes, undoes, at } = entry
  const id = newId('chg')
  const text = JSON.stringify(changes)
  if (text.length > entryLengthMax) throw refuse('change_too_large')
  const mode = isOfOneMode(changes) ? entry.mode : null
  const bytes = Buffer.byteLength(text)
  tx.send`
    insert into audit_entries (merchant_id, id, mode, actor_kind, actor_id, operation, request_id, changes, undoes, at,
      large_bytes)
    values (${merchantId}, ${id}, ${mode}, ${actor.kind}, ${actor.id}, ${operation}, ${requestId},
      ${text}, ${undoes}, ${at}, ${bytes > largeBytesMin ? bytes : null})`
  const subjects = [...new Set(changes.map((change) => change.id))].sort()
  // SQLite pads the rows with nulls up to a power of two.
  const rows = tx.rows(
    subjects.map((subject) => [merchantId, subject, id]),
    ['text', 'text', 'text'],
  )
  tx.send`
    with subjects (merchant_id, subject_id, entry_id) as (${rows})
    insert into audit_subjects (merchant_id, subject_id, entry_id)
    select merchant_id, subject_id, entry_id from subjects where merchant_id is not null`
  return id
}

// Returns display names of actors: keys and installations of the merchant, by id. Names of people are encrypted and not read here.
export async function listActorNames(
  db: Reader,
  merchantId: string,
  entries: readonly Pick<AuditEntry, 'actor'>[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(entries.flatMap(({ actor }) => (actor.id === null ? [] : [actor.id])))].sort()
  if (ids.length === 0) return new Map()
  const rows = await db.sql<{ id: string; name: string }>`
    select id, name from credentials where merchant_id = ${merchantId} and id in (${listFragment(ids)})
    union all
    select id, name from installations where merchant_id = ${merchantId} and id in (${listFragment(ids)})`
  return new Map(rows.map(({ id, name }) => [id, name]))
}

interface EntryColumns extends Omit<AuditEntry, 'actor' | 'changes'> {
  actorKind: ActorKind
  actorId: string | null
  changes: string
}

const columns = new Fragment(`
  e.id, e.mode, e.actor_kind as "actorKind", e.actor_id as "actorId", e.operation, e.request_id as "requestId", e.changes,
  e.undoes, e.at, e.cut_count as "cutCount",
  (select u.id from audit_entries u where u.merchant_id = e.merchant_id and u.undoes = e.id) as "undoneBy"
  from audit_entries e`)

function entryFrom({ actorKind, actorId, changes, ...row }: EntryColumns): AuditEntry {
  return { ...row, actor: { kind: actorKind, id: actorId }, changes: JSON.parse(changes) as AuditedChange[] }
}

export interface AuditQuery {
  // Mode of the listed entries. Entries about things that both modes share are listed for each mode.
  mode: Mode
  changeId?: string | undefined
  subjectId?: string | undefined
  actorId?: string | undefined
  operation?: string | undefined
  from?: number | undefined
  to?: number | undefined
  // Id of the last entry on the page before.
  after?: string | null
  limit: number
}

// Maximum bytes of changes per page. The first entry is returned even if it is larger.
export const pageBytesMax = 300_000

export interface EntryPage {
  entries: AuditEntry[]
  isMore: boolean
}

// Newest first. Ids sort by time. A page has fewer entries if they are large.
export async function listEntries(db: Reader, merchantId: string, query: AuditQuery): Promise<EntryPage> {
  const { mode, changeId, subjectId, actorId, operation, from, to, after, limit } = query
  const conditions = [
    new Fragment('e.merchant_id = ? and (e.mode is null or e.mode = ?)', [merchantId, mode]),
    changeId !== undefined && new Fragment('e.id = ?', [changeId]),
    subjectId !== undefined &&
      new Fragment('e.id in (select s.entry_id from audit_subjects s where s.merchant_id = ? and s.subject_id = ?)', [
        merchantId,
        subjectId,
      ]),
    actorId !== undefined && new Fragment('e.actor_id = ?', [actorId]),
    operation !== undefined && new Fragment('e.operation = ?', [operation]),
    from !== undefined && new Fragment('e.at >= ?', [from]),
    to !== undefined && new Fragment('e.at < ?', [to]),
    after && new Fragment('e.id < ?', [after]),
  ].filter((condition) => condition instanceof Fragment)
  // Both engines know the bytes of a text without reading it. To count its characters they would read all of it.
  const found = await db.sql<{ id: string; bytes: number }>`
    select e.id, octet_length(e.changes) as "bytes" from audit_entries e where ${allConditions(conditions)}
    order by e.id desc limit ${limit + 1}`
  let read = 0
  const page: string[] = []
  for (const { id, bytes } of found.slice(0, limit)) {
    read += bytes
    if (page.length > 0 && read > pageBytesMax) break
    page.push(id)
  }
  if (page.length === 0) return { entries: [], isMore: false }
  const rows = await db.sql<EntryColumns>`
    select ${columns} where e.merchant_id = ${merchantId} and e.id in (${listFragment(page)}) order by e.id desc`
  return { entries: rows.map(entryFrom), isMore: found.length > page.length }
}

// Locks the entry until the transaction ends, so it is undone only once.
export async function lockEntry(tx: Tx, merchantId: string, id: string): Promise<void> {
  await tx.lockRow`select id from audit_entries where merchant_id = ${merchantId} and id = ${id}`
}

export async function findEntry(db: Reader, merchantId: string, id: string): Promise<AuditEntry | undefined> {
  const [row] = await db.sql<EntryColumns>`
    select ${columns} where e.merchant_id = ${merchantId} and e.id = ${id}`
  return row && entryFrom(row)
}

const tracking: ReadonlySet<string> = new Set(['trackingNumber', 'trackingUrl'])

// Removes tracking data of parcels from all entries, including undone changes, because the shopper is erased.
export async function forgetTracking(tx: Tx, merchantId: string, parcelIds: readonly string[]): Promise<void> {
  if (parcelIds.length === 0) return
  const entries = await tx.sql<{ id: string; changes: string }>`
    select distinct e.id, e.changes from audit_subjects s
    join audit_entries e on e.merchant_id = s.merchant_id and e.id = s.entry_id
    where s.merchant_id = ${merchantId} and s.subject_id in (${listFragment(parcelIds)})`
  for (const { id, changes } of entries) {
    const after = (JSON.parse(changes) as AuditedChange[]).map((change) => {
      if (!parcelIds.includes(change.id)) return change
      const members = change.members.map((member) =>
        tracking.has(member.member) ? { ...member, from: null, to: null } : member,
      )
      return { ...change, members }
    })
    const text = JSON.stringify(after)
    if (text !== changes)
      await tx.sql`update audit_entries set changes = ${text} where merchant_id = ${merchantId} and id = ${id}`
  }
}

// Number of entries per round, each truncated in its own transaction.
export const entriesCutMax = 50

// Truncates the oldest large entries of a merchant whose large entries exceed `bytesMax`. A truncated entry still says who did what and
// when, and names some of the changed things. It has no values and does not name all things, so it cannot be undone. Returns the number
// of truncated entries.
export async function trimLargeEntries(storage: Storage, bytesMax = largeBytesMax): Promise<number> {
  const [over] = await storage.read(
    (db) => db.sql<{ merchantId: string }>`
      select merchant_id as "merchantId" from audit_entries where large_bytes is not null
      group by merchant_id having sum(large_bytes) > ${bytesMax} order by merchant_id limit 1`,
  )
  if (!over) return 0
  const { merchantId } = over
  const oldest = await storage.read(
    (db) => db.sql<{ id: string }>`
      select s.id from (
        select e.id, sum(e.large_bytes) over (order by e.id desc) as newer from audit_entries e
        where e.merchant_id = ${merchantId} and e.large_bytes is not null) s
      where s.newer > ${bytesMax} order by s.id limit ${entriesCutMax}`,
  )
  for (const { id } of oldest) await storage.write((tx) => cutEntry(tx, merchantId, id))
  return oldest.length
}

async function cutEntry(tx: Tx, merchantId: string, id: string): Promise<void> {
  await lockEntry(tx, merchantId, id)
  const entry = await findEntry(tx, merchantId, id)
  if (!entry || entry.cutCount !== null) return
  const left = entry.changes.slice(0, limits.changesShownMax)
  const named = left.map(({ kind, what, id: subject, name }) => ({ kind, what, id: subject, name, members: [] }))
  await tx.sql`
    update audit_entries set changes = ${JSON.stringify(named)}, large_bytes = null, cut_count = ${entry.changes.length}
    where merchant_id = ${merchantId} and id = ${id}`
  const subjects = listFragment([...new Set(left.map((change) => change.id))])
  await tx.sql`
    delete from audit_subjects where merchant_id = ${merchantId} and entry_id = ${id} and subject_id not in (${subjects})`
}

// Entries per transaction: few, so other transactions do not wait long for locks.
export const entriesDeletedMax = 500

// Returns the number of deleted entries. Several nodes may run this concurrently.
export async function deleteOldEntries(
  storage: Storage,
  { endedBy, now }: { endedBy: number; now: number },
): Promise<number> {
  const old = await storage.read(
    (db) => db.sql<{ merchantId: string; id: string }>`
      select merchant_id as "merchantId", id from audit_entries where at <= ${endedBy} and ${isNotDeferred('retention', 'audit_entries.merchant_id', 'audit_entries.id', now)}
      order by at limit ${entriesDeletedMax}`,
  )
  return handleRows(
    { storage, loop: 'retention', now },
    [old],
    ({ merchantId, id }) => ({ tenantId: merchantId, rowId: id }),
    (names) =>
      storage.write(async (tx) => {
        for (const [merchantId, ids] of Map.groupBy(names, (name) => name.merchantId)) {
          const entries = listFragment(ids.map(({ id }) => id))
          tx.send`delete from audit_subjects where merchant_id = ${merchantId} and entry_id in (${entries})`
          await tx.sql`delete from audit_entries where merchant_id = ${merchantId} and id in (${entries})`
        }
        return names.length
      }),
  )
}
