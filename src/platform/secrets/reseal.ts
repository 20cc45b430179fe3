// Encrypts again, with the current version of the root secret, what older versions have encrypted, so an older version can be
// discarded; and counts what still needs a version. API keys are only stored as digests, which are renewed when the keys are used
// (platform/access/identify.ts).

import { Fragment, type Reader, type SqlValue, type Storage } from '../storage/storage.ts'
import { reencryptDatabaseKeys } from './databasekey.ts'
import { emailHash } from './emailhash.ts'
import {
  decryptByRootSecret,
  type EncryptionPurpose,
  encryptByRootSecret,
  encryptedTextPrefixes,
  type RootSecret,
} from './secrets.ts'

export type SealedRow = Readonly<Record<string, string>>

export interface SealedColumn {
  what: string
  table: string
  column: string
  // Columns of the primary key.
  keys: readonly string[]
  // Columns outside the primary key from which the context is made.
  more?: readonly string[]
  // Purposes to try. The first one that decrypts the text is used to encrypt it again.
  purposes: readonly EncryptionPurpose[]
  context: (row: SealedRow) => string
  // Column with a keyed hash of the text, by which the row is found.
  hash?: { column: string; of: (rootSecret: RootSecret, plain: string) => string }
}

const byId = (row: SealedRow) => row.id ?? ''
const tenant = ['installation_id', 'id']

// biome-ignore format: a table is read by its rows
export const sealedColumns: readonly SealedColumn[] = [
  { what: 'webhook secrets',    table: 'webhook_endpoints', column: 'secret_sealed',   keys: tenant, purposes: ['webhook secret'], context: byId },
  { what: 'webhook secrets',    table: 'webhook_endpoints', column: 'previous_sealed', keys: tenant, purposes: ['former webhook secret', 'webhook secret'], context: byId },
  { what: 'users',              table: 'users',             column: 'email_sealed',    keys: ['id'], purposes: ['user e-mail'], context: byId, hash: { column: 'email_hash', of: (root, email) => emailHash(root, email, root.currentVersion) } },
  { what: 'users',              table: 'users',             column: 'name_sealed',     keys: ['id'], purposes: ['user name'], context: byId },
  { what: 'second factors',     table: 'user_factors',      column: 'secret_sealed',   keys: ['user_id', 'id'], purposes: ['second factor'], context: (row) => `${row.user_id} ${row.id}` },
  { what: 'invitations',        table: 'invitations',       column: 'email_sealed',    keys: ['id'], purposes: ['invitation e-mail'], context: byId, hash: { column: 'email_hash', of: (root, email) => emailHash(root, email, root.currentVersion) } },
  { what: 'checkouts',          table: 'checkout_sessions', column: 'secret_sealed',   keys: tenant, purposes: ['checkout page'], context: byId },
  { what: 'checkouts',          table: 'checkout_sessions', column: 'customer_sealed', keys: tenant, purposes: ['checkout customer'], context: byId },
  { what: 'checkouts',          table: 'agent_checkouts',   column: 'asked_sealed',    keys: ['installation_id', 'cart_id'], purposes: ['agent checkout'], context: (row) => row.cart_id ?? '' },
  { what: 'agent keys',         table: 'agent_keys',        column: 'private_sealed',  keys: ['merchant_id', 'mode', 'kid'], purposes: ['agent signing key'], context: (row) => `${row.merchant_id} ${row.mode} ${row.kid}` },
  { what: 'payments',           table: 'payments',          column: 'place_sealed',    keys: tenant, purposes: ['payment place'], context: (row) => `${row.installation_id} ${row.id}` },
  { what: 'payment accounts',   table: 'payment_accounts',  column: 'secrets_sealed',  keys: ['merchant_id', 'id'], more: ['mode'], purposes: ['payment account'], context: (row) => `${row.merchant_id} ${row.id} ${row.mode}` },
  { what: 'payment accounts',   table: 'payment_accounts',  column: 'previous_sealed', keys: ['merchant_id', 'id'], more: ['mode'], purposes: ['payment account'], context: (row) => `${row.merchant_id} ${row.id} ${row.mode}` },
  { what: 'orders',             table: 'orders',            column: 'secret_sealed',   keys: tenant, purposes: ['order page'], context: byId },
  { what: 'orders',             table: 'orders',            column: 'customer_sealed', keys: tenant, more: ['checkout_session_id'], purposes: ['checkout customer'], context: (row) => row.checkout_session_id ?? '' },
  { what: 'returns',            table: 'returns',           column: 'note_sealed',     keys: tenant, purposes: ['return note'], context: byId },
  { what: 'customer codes',     table: 'customer_codes',    column: 'email_sealed',    keys: ['merchant_id', 'id'], purposes: ['customer code'], context: byId },
  { what: 'customer sessions',  table: 'customer_sessions', column: 'email_sealed',    keys: ['merchant_id', 'id'], purposes: ['customer session'], context: byId },
  { what: 'customer addresses', table: 'customer_addresses', column: 'sealed',          keys: ['merchant_id', 'id'], purposes: ['customer address'], context: byId },
  { what: 'customer passkeys',  table: 'customer_passkeys', column: 'email_sealed',    keys: ['merchant_id', 'mode', 'id'], purposes: ['customer passkey'], context: byId },
  { what: 'addresses',          table: 'addresses',         column: 'row_key',         keys: tenant, more: ['owner_id'], purposes: ['address row key'], context: (row) => JSON.stringify(['address', row.installation_id, row.id, row.owner_id]) },
  { what: 'documents',          table: 'documents',         column: 'buyer_sealed',    keys: ['merchant_id', 'id'], purposes: ['document buyer'], context: byId },
  { what: 'withdrawals',        table: 'withdrawals',       column: 'sealed',          keys: ['merchant_id', 'mode', 'id'], purposes: ['withdrawal'], context: (row) => `${row.merchant_id} ${row.mode} ${row.id}` },
  { what: 'e-mails',            table: 'emails',            column: 'sealed',          keys: tenant, purposes: ['letter'], context: byId },
  { what: 'OAuth tokens',       table: 'oauth_artifacts',   column: 'sealed',          keys: ['kind', 'id'], purposes: ['oauth artifact'], context: (row) => `${row.kind} ${row.id}` },
  { what: 'idempotent answers', table: 'idempotency_keys',  column: 'answer',          keys: ['installation_id', 'key'], purposes: ['idempotent answer'], context: (row) => `${row.installation_id} ${row.key}` },
]

export interface ReencryptResult {
  resealed: number
  // Rows that could not be decrypted and were not changed: corrupted, or moved by hand.
  unopened: number
}

// Works in batches while servers run. A row that changes at the same time is skipped, and is left to the next run.
export async function reencryptAll(storage: Storage, rootSecret: RootSecret): Promise<ReencryptResult> {
  const total = { resealed: await storage.write((tx) => reencryptDatabaseKeys(tx, rootSecret)), unopened: 0 }
  const [, ...others] = rootSecret.versions
  if (others.length === 0) return total
  const heads = others.flatMap(encryptedTextPrefixes)
  for (const column of sealedColumns) {
    let after: readonly string[] | null = null
    do {
      const rows: SealedRow[] = await storage.read((db) => listSealed(db, column, heads, after))
      const renewed = rows.map((row) => ({ row, values: renewedFor(column, rootSecret, row) }))
      total.unopened += renewed.filter(({ values }) => values === undefined).length
      total.resealed += await storage.write(async (tx) => {
        let changed = 0
        for (const { row, values } of renewed)
          if (values) changed += (await tx.sql`${updateOf(column, row, values)}`).length
        return changed
      })
      const last: SealedRow | undefined = rows.length === rowsAtOnce ? rows.at(-1) : undefined
      after = last ? column.keys.map((key) => last[key] ?? '') : null
    } while (after !== null)
  }
  return total
}

const rowsAtOnce = 200

function renewedFor(column: SealedColumn, rootSecret: RootSecret, row: SealedRow): Record<string, string> | undefined {
  const opened = decryptSealedColumn(column, rootSecret, row)
  if (!opened) return undefined
  const { plain, purpose } = opened
  const sealed = encryptByRootSecret(rootSecret, purpose, plain, column.context(row))
  return { [column.column]: sealed, ...(column.hash && { [column.hash.column]: column.hash.of(rootSecret, plain) }) }
}

export function decryptSealedColumn(
  { purposes, context }: SealedColumn,
  rootSecret: RootSecret,
  row: SealedRow,
): { plain: string; purpose: EncryptionPurpose } | undefined {
  for (const purpose of purposes) {
    const plain = decryptByRootSecret(rootSecret, purpose, row.sealed ?? '', context(row))
    if (plain !== undefined) return { plain, purpose }
  }
  return undefined
}

// Returns the first and the last row by key, so only few rows of a large table are read. Rows with an empty text, such as removed
// endpoints, are left out.
export function listSamples(db: Reader, { table, column, keys, more = [] }: SealedColumn): Promise<SealedRow[]> {
  const one = (direction: 'asc' | 'desc') => `
    select * from (
      select ${[...keys, ...more].join(', ')}, ${column} as sealed from ${table} where ${column} <> ''
      order by ${keys.map((key) => `${key} ${direction}`).join(', ')} limit 1) as ${direction}_sample`
  return db.sql<SealedRow>`${new Fragment(`${one('asc')} union ${one('desc')}`, [])}`
}

function listSealed(
  db: Reader,
  { table, column, keys, more = [] }: SealedColumn,
  heads: readonly string[],
  after: readonly string[] | null,
): Promise<SealedRow[]> {
  const marks = (values: readonly unknown[]) => values.map(() => '?').join(', ')
  const values: SqlValue[] = [...heads, ...(after ?? [])]
  const text = `select ${[...keys, ...more].join(', ')}, ${column} as sealed from ${table}
    where substr(${column}, 1, 3) in (${marks(heads)}) ${after ? `and (${keys.join(', ')}) > (${marks(after)})` : ''}
    order by ${keys.join(', ')} limit ${rowsAtOnce}`
  return db.sql<SealedRow>`${new Fragment(text, values)}`
}

function updateOf({ table, column, keys }: SealedColumn, row: SealedRow, renewed: Record<string, string>): Fragment {
  const text = `update ${table} set ${Object.keys(renewed)
    .map((name) => `${name} = ?`)
    .join(', ')} where ${[...keys, column].map((name) => `${name} = ?`).join(' and ')} returning ${keys[0]}`
  return new Fragment(text, [...Object.values(renewed), ...keys.map((key) => row[key] ?? ''), row.sealed ?? ''])
}

// Number of rows that still need a version, by kind. The version can be discarded when there are none.
export interface SealedRows {
  what: string
  rows: number
  // Ids of API keys. Digests are only renewed when keys are used, so the owner must use, rotate or revoke each of these.
  ids?: string[]
}

export async function listSealedBy(db: Reader, version: number, now: number): Promise<SealedRows[]> {
  const heads = encryptedTextPrefixes(version)
  const counts = new Map<string, number>()
  for (const { what, table, column } of sealedColumns) {
    const text = `select count(*) as "rows" from ${table} where substr(${column}, 1, 3) in (?, ?, ?, ?)`
    const [row] = await db.sql<{ rows: number }>`${new Fragment(text, heads)}`
    counts.set(what, (counts.get(what) ?? 0) + Number(row?.rows ?? 0))
  }
  const keys = await db.sql<{ id: string }>`
    select id from credentials
    where pepper_version = ${version} and revoked_at is null and (expires_at is null or expires_at > ${now})
    order by id`
  const others: SealedRows[] = [...counts].map(([what, rows]) => ({ what, rows }))
  return [...others, { what: 'API keys', rows: keys.length, ids: keys.map(({ id }) => id) }].filter(
    ({ rows }) => rows > 0,
  )
}
