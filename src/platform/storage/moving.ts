// Moves a merchant from one database to another while servers run on both. Under table locks, all rows of the merchant are copied, read
// back and compared, and deleted at the source. Work in progress continues as after a killed server: the outcome of unfinished provider
// calls is queried again at the target, with the same keys and ids.

import { DERIVED_TABLES, inOrderOfReferences, listTables, type Table } from './catalogue.ts'
import {
  computeTableChecksum,
  copyTable,
  insertRows,
  isEqual,
  listMigrations,
  lockTables,
  quoteName,
  type RowOptions,
  type TableChecksum,
} from './copy.ts'
import { schemaGap } from './migrate.ts'
import { Fragment, type Reader, type SqlValue, type Storage, StorageRefused, type Tx } from './storage.ts'

export interface MoveOptions extends Pick<RowOptions, 'onProgress'> {
  now: () => number
  // Origin of the target, to which callers of the source are referred.
  origin: string
  // Resolves when no server of the source admits callers of the merchant any more.
  closed: () => Promise<void>
  // Deletes the merchant's products from the search index. Called before the products are deleted.
  dropIndex: (tx: Tx, merchantId: string) => Promise<void>
}

export interface MoveResult {
  rows: number
  // Time for which the tables of the source were locked.
  lockedMs: number
}

// Can be called again after an interruption. Until the source commits, its data is the valid one.
export async function moveMerchant(
  from: Storage,
  to: Storage,
  slug: string,
  options: MoveOptions,
): Promise<MoveResult> {
  await refuseOtherVersions(from, to)
  const merchantId = await beginLeaving(from, slug, options.now())
  if (merchantId === undefined) return finishArriving(to, slug)
  try {
    await refuseCollision(to, merchantId, slug)
  } catch (error) {
    await stay(from, merchantId)
    throw error
  }
  await options.closed()
  const startedAt = performance.now()
  const rows = await from.write(async (source) => {
    // The source's transaction is idle while the target writes.
    if (source.engine === 'postgres') await source.sql`set local idle_in_transaction_session_timeout = 0`
    const parts = await listParts(source, merchantId)
    // The lock also excludes transactions that only lock rows. Such a transaction could wait for this one while it holds a row that is
    // deleted below. The target would already be committed: this transaction would be rolled back because of the deadlock, and its retry
    // would overwrite later changes at the target.
    await lockTables(
      source,
      parts.map(({ table }) => table),
      'exclusive',
    )
    const copied = await to.write((target) => arrive(source, target, { merchantId, slug, parts, options }))
    await leave(source, merchantId, parts, options)
    return copied
  })
  const lockedMs = Math.round(performance.now() - startedAt)
  await finishArriving(to, slug)
  return { rows, lockedMs }
}

async function refuseOtherVersions(from: Storage, to: Storage): Promise<void> {
  for (const storage of [from, to])
    if ((await schemaGap(storage)).pending > 0)
      throw new StorageRefused('one of the databases lacks migrations: run `migrate` on both first')
  const [here, there] = [await from.read(listMigrations), await to.read(listMigrations)]
  if (here !== there) throw new StorageRefused('the databases have different migrations: run the same version on both')
}

// Returns undefined if the merchant was already moved.
async function beginLeaving(from: Storage, slug: string, now: number): Promise<string | undefined> {
  return from.write(async (tx) => {
    const [merchant] = await tx.sql<{ id: string }>`select id from merchants where slug = ${slug}`
    if (!merchant) {
      const gone = await tx.sql`select 1 from merchant_moves where slug = ${slug} and state = 'gone'`
      if (gone.length > 0) return undefined
      throw new StorageRefused(`there is no merchant ${slug}`)
    }
    await tx.sql`
      insert into merchant_moves (merchant_id, slug, state, origin, changed_at)
      values (${merchant.id}, ${slug}, 'leaving', null, ${now})
      on conflict (merchant_id) do update set state = 'leaving', changed_at = excluded.changed_at`
    tx.signal('credentials')
    return merchant.id
  })
}

async function stay(from: Storage, merchantId: string): Promise<void> {
  await from.write(async (tx) => {
    await tx.sql`delete from merchant_moves where merchant_id = ${merchantId}`
    tx.signal('credentials')
  })
}

async function finishArriving(to: Storage, slug: string): Promise<MoveResult> {
  await to.write(async (tx) => {
    await tx.sql`delete from merchant_moves where slug = ${slug} and state = 'arriving'`
    tx.signal('credentials')
    tx.signal('deliveries')
    tx.signal('payments')
  })
  return { rows: 0, lockedMs: 0 }
}

async function refuseCollision(to: Storage, merchantId: string, slug: string): Promise<void> {
  const [found] = await to.read(
    (db) => db.sql<{ id: string; state: string | null }>`
      select m.id, (select v.state from merchant_moves v where v.merchant_id = m.id) as "state"
      from merchants m where m.slug = ${slug} or m.id = ${merchantId}`,
  )
  if (found && !(found.id === merchantId && found.state === 'arriving'))
    throw new StorageRefused(`the target already has a merchant ${slug}`)
}

// A table, with the condition that selects the rows of the merchant.
interface Part {
  table: Table
  only: Fragment
  // Whether other merchants may use these rows too. Such rows are copied if they do not exist at the target, and are not deleted at the
  // source.
  isShared: boolean
}

// Tables that are not moved: rows of the database itself, sign-ins of its users, and what a database fills from its products.
const left: ReadonlySet<string> = new Set([
  ...['database_keys', 'root_secrets', 'forgotten_root_secrets', 'mail_switch', 'sweeps', 'sign_in_limits'],
  ...['passkey_challenges', 'setup_links', 'user_sessions', 'merchant_moves', 'moved_names'],
  ...DERIVED_TABLES,
])

const ofInstallations = 'select id from installations where merchant_id = ?'
const ofPeople = 'select user_id from user_merchants where merchant_id = ?'
const ofPayments = 'select id from payments where merchant_id = ?'

const conditions: Readonly<Record<string, string>> = {
  merchants: 'id = ?',
  apps: 'id in (select app_id from installations where merchant_id = ?)',
  users: `id in (${ofPeople})`,
  user_factors: `user_id in (${ofPeople})`,
  user_passkeys: `user_id in (${ofPeople})`,
  oauth_artifacts: 'grant_id in (select grant_id from installations where merchant_id = ?)',
  deferred_rows: `(tenant_id = ? or tenant_id in (${ofInstallations}))`,
  // The simulated provider stores charges under the ids of payments.
  test_charges: `key in (${ofPayments})`,
  test_refunds: `charge_key in (${ofPayments})`,
}

const shared: ReadonlySet<string> = new Set(['apps', 'users', 'user_factors', 'user_passkeys'])

// Throws if no rule covers the table, so a new table cannot be forgotten.
export function selectMerchantPart(table: Table, merchantId: string): Part | undefined {
  const { name, columns } = table
  if (left.has(name)) return undefined
  const has = (column: string) => columns.some((found) => found.name === column)
  const text =
    conditions[name] ??
    (has('merchant_id') ? 'merchant_id = ?' : has('installation_id') ? `installation_id in (${ofInstallations})` : '')
  if (text === '') throw new Error(`the table ${name} has no condition that selects the rows of a merchant`)
  const marks = text.split('?').length - 1
  return { table, only: new Fragment(text, Array(marks).fill(merchantId)), isShared: shared.has(name) }
}

async function listParts(db: Reader, merchantId: string): Promise<Part[]> {
  const tables = inOrderOfReferences(await listTables(db))
  return tables.flatMap((table) => selectMerchantPart(table, merchantId) ?? [])
}

interface Arrival {
  merchantId: string
  slug: string
  parts: readonly Part[]
  options: MoveOptions
}

async function arrive(source: Reader, target: Tx, { merchantId, slug, parts, options }: Arrival): Promise<number> {
  // Deletes what an interrupted or earlier move has left.
  await deleteRows(target, merchantId, parts, options)
  await target.sql`delete from moved_names where merchant_id = ${merchantId}`
  await target.sql`
    insert into merchant_moves (merchant_id, slug, state, origin, changed_at)
    values (${merchantId}, ${slug}, 'arriving', null, ${options.now()})
    on conflict (merchant_id) do update set state = 'arriving', origin = null, changed_at = excluded.changed_at`
  const people = await bringPeople(source, target, parts)
  let rows = 0
  const sums = new Map<Part, TableChecksum>()
  for (const part of parts.filter(({ isShared }) => !isShared)) {
    const { table, only } = part
    if (table.columns.some(({ name }) => name === 'user_id'))
      rows += await copyOfPeople(source, target, { table, only, people })
    else sums.set(part, await copyTable(source, target, table, { ...options, only }))
  }
  // Compared after all tables are copied, since the condition of a table may read a table that is copied later.
  for (const [{ table, only }, sum] of sums) {
    if (!isEqual(sum, await computeTableChecksum(target, table, { ...options, only })))
      throw new StorageRefused(`the rows of ${table.name} differ between source and copy; nothing was changed`)
    rows += sum.rows
  }
  return rows
}

// Copies apps and users. A user whose e-mail address exists at the target keeps the account there. Returns the ids of the users at the
// target, by their ids at the source.
async function bringPeople(source: Reader, target: Tx, parts: readonly Part[]): Promise<Map<string, string>> {
  const people = new Map<string, string>()
  const isNew = new Set<SqlValue>()
  for (const { table, only } of parts.filter((part) => part.isShared)) {
    const rows = await rowsOf(source, table, only)
    for (const row of rows) {
      if (table.name === 'users') {
        const [known] = await target.sql<{ id: string }>`
          select id from users where email_hash = ${row.email_hash as string} or id = ${row.id as string}`
        people.set(row.id as string, known?.id ?? (row.id as string))
        if (known) continue
        isNew.add(row.id as SqlValue)
      } else if (table.name === 'apps') {
        const [known] = await target.sql`select 1 from apps where id = ${row.id as string}`
        if (known) continue
      } else if (!isNew.has(row.user_id as SqlValue)) continue
      await insertRows(target, table, [table.columns.map(({ name }) => row[name] as SqlValue)])
    }
  }
  return people
}

// Copies rows that reference users, and replaces their ids by those at the target.
async function copyOfPeople(
  source: Reader,
  target: Tx,
  { table, only, people }: { table: Table; only: Fragment; people: ReadonlyMap<string, string> },
): Promise<number> {
  const rows = await rowsOf(source, table, only)
  const values = rows.map((row) =>
    table.columns.map(({ name }) => {
      const value = row[name] as SqlValue
      return name === 'user_id' && typeof value === 'string' ? (people.get(value) ?? value) : value
    }),
  )
  await insertRows(target, table, values)
  return rows.length
}

async function rowsOf(db: Reader, table: Table, only: Fragment): Promise<Record<string, SqlValue>[]> {
  return db.sql<Record<string, SqlValue>>`select * from ${new Fragment(quoteName(table.name))} where ${only}`
}

async function deleteRows(
  tx: Tx,
  merchantId: string,
  parts: readonly Part[],
  { dropIndex }: Pick<MoveOptions, 'dropIndex'>,
): Promise<void> {
  await dropIndex(tx, merchantId)
  // Rows that are selected by means of another table are deleted before the rows of that table.
  const own = parts.filter(({ isShared }) => !isShared)
  const isIndirect = ({ only }: Part) => only.text.includes('select')
  for (const { table, only } of own.filter(isIndirect).toReversed())
    await tx.sql`delete from ${new Fragment(quoteName(table.name))} where ${only}`
  for (const { table, only } of own.filter((part) => !isIndirect(part)).toReversed())
    await tx.sql`delete from ${new Fragment(quoteName(table.name))} where ${only}`
}

async function leave(source: Tx, merchantId: string, parts: readonly Part[], options: MoveOptions): Promise<void> {
  await source.sql`
    insert into moved_names (merchant_id, kind, name)
    select merchant_id, 'key', lookup from credentials where merchant_id = ${merchantId}
    union all select merchant_id, 'checkout', secret_hash from checkout_sessions where merchant_id = ${merchantId} and secret_hash is not null
    union all select merchant_id, 'order', secret_hash from orders where merchant_id = ${merchantId} and secret_hash is not null`
  await deleteRows(source, merchantId, parts, options)
  await source.sql`
    update merchant_moves set state = 'gone', origin = ${options.origin}, changed_at = ${options.now()}
    where merchant_id = ${merchantId}`
  source.signal('credentials')
  source.signal('sites')
}
