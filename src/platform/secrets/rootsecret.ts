// Checks whether the root secret belongs to the database. A wrong one could decrypt nothing, would refuse every key, and would encrypt
// new values that the right one cannot decrypt, so it is checked before anything else.

import { BadSetting } from '../kit/badsetting.ts'
import { listTableNames } from '../storage/catalogue.ts'
import { listFragment, type Reader, type Storage, type Tx } from '../storage/storage.ts'
import { deleteEncryptedBy } from './databasekey.ts'
import { decryptSealedColumn, listSamples, sealedColumns } from './reseal.ts'
import { checkValueOf, type RootSecret, secretVersionOf } from './secrets.ts'

// Null if the database contains nothing by which a root secret can be checked, so any secret is accepted.
export type SecretVerdict = { readonly fits: true | null } | { readonly problem: string }

// Only reads, in a database of any schema version. `forgotten`: versions that are about to be discarded.
export async function checkRootSecret(
  db: Reader,
  rootSecret: RootSecret,
  forgotten: readonly number[] = [],
): Promise<SecretVerdict> {
  const tables = await listTableNames(db)
  const known = (tables.has('root_secrets') ? await listKnown(db) : []).filter(
    ({ version }) => !forgotten.includes(version),
  )
  if (known.length > 0) return judgeByCheckValues(known, rootSecret, forgotten)
  const before = tables.has('forgotten_root_secrets') ? await listForgotten(db) : []
  return judgeBySamples(db, tables, rootSecret, { now: forgotten, before })
}

const places = 'CARTWRIGHT_SECRET, CARTWRIGHT_SECRET_FILE, or the file `secret` beside a SQLite database'
const another = `the database was made with another root secret: give it that one (${places})`

// Suggests the command to discard versions, which must name the missing versions together with those that are about to be discarded.
function missing(versions: readonly number[], forgotten: readonly number[]): string {
  const [which, it] =
    versions.length === 1
      ? [`version ${versions[0]} of the root secret, which is`, 'it']
      : [`versions ${versions.join(', ')} of the root secret, which are`, 'them']
  return `the database was made with ${which} missing: give all versions, such as CARTWRIGHT_SECRET=2:<new>,1:<old> (\`secret forget ${[...forgotten, ...versions].toSorted((one, other) => one - other).join(' ')}\` gives ${it} up)`
}

interface KnownVersion {
  version: number
  checkValue: string
  usedAt: number | null
}

function listKnown(db: Reader): Promise<KnownVersion[]> {
  return db.sql<KnownVersion>`
    select version, check_value as "checkValue", used_at as "usedAt" from root_secrets order by version`
}

async function listForgotten(db: Reader): Promise<number[]> {
  const rows = await db.sql<{ version: number }>`select version from forgotten_root_secrets order by version`
  return rows.map(({ version }) => version)
}

function judgeByCheckValues(
  known: readonly KnownVersion[],
  rootSecret: RootSecret,
  forgotten: readonly number[] = [],
): SecretVerdict {
  const isGiven = ({ version }: KnownVersion) => rootSecret.hasVersion(version)
  const absent = known.filter((row) => row.usedAt !== null && !isGiven(row))
  if (absent.length > 0)
    return {
      problem: missing(
        absent.map(({ version }) => version),
        forgotten,
      ),
    }
  const different = known.filter(isGiven).find((row) => row.checkValue !== checkValueOf(rootSecret, row.version))
  if (!different) return { fits: true }
  if (rootSecret.versions.length === 1) return { problem: another }
  return { problem: `version ${different.version} of the root secret is another one than this database knows` }
}

// Columns that were already encrypted by the first releases.
const sampled = sealedColumns.filter(
  ({ table, column }) =>
    (column === 'secret_sealed' && ['webhook_endpoints', 'checkout_sessions', 'orders'].includes(table)) ||
    (column === 'email_sealed' && table === 'users'),
)

// For a database of an early release, without check values. Every version that encrypted something must be configured and must decrypt at
// least one value. Not all values, because a wrong secret may have been in use for a while.
async function judgeBySamples(
  db: Reader,
  tables: ReadonlySet<string>,
  rootSecret: RootSecret,
  { now, before }: { now: readonly number[]; before: readonly number[] },
): Promise<SecretVerdict> {
  const forgotten = new Set([...now, ...before])
  const opens = new Map<number, boolean>()
  for (const column of sampled.filter(({ table }) => tables.has(table))) {
    for (const sample of await listSamples(db, column)) {
      const version = secretVersionOf(sample.sealed ?? '')
      if (version === undefined || forgotten.has(version)) continue
      opens.set(version, opens.get(version) === true || decryptSealedColumn(column, rootSecret, sample) !== undefined)
    }
  }
  const used = new Set([...opens.keys(), ...(tables.has('credentials') ? await listPepperVersions(db) : [])])
  const absent = [...used].filter((version) => !forgotten.has(version) && !rootSecret.hasVersion(version))
  if (absent.length > 0)
    return {
      problem: missing(
        absent.toSorted((one, other) => one - other),
        now,
      ),
    }
  if ([...opens.values()].includes(false)) return { problem: another }
  return { fits: opens.size > 0 ? true : null }
}

// Digests of keys prove nothing without the keys, which are not stored. But each row has the version with which its digest was made.
async function listPepperVersions(db: Reader): Promise<number[]> {
  const rows = await db.sql<{ version: number }>`select distinct pepper_version as "version" from credentials`
  return rows.map(({ version }) => version)
}

// Stores the check values of versions that are new to the database, after checking that the others fit. If several processes find an
// empty database at the same time, one stores its values, and those of the others are compared with them.
export async function storeCheckValues(storage: Storage, rootSecret: RootSecret, now: number): Promise<void> {
  if (await storage.read(async (db) => isRecorded(await listKnown(db), rootSecret))) return
  await storage.write((tx) => record(tx, rootSecret, now, []))
}

// From now on the database works without these versions, and nothing that was made with them can be decrypted, unless they are configured
// again together with the others. Returns the number of active API keys that were made with them.
export async function discardSecretVersions(
  storage: Storage,
  rootSecret: RootSecret,
  versions: readonly number[],
  now: number,
): Promise<number> {
  return storage.write(async (tx) => {
    await record(tx, rootSecret, now, versions)
    await tx.sql`delete from root_secrets where version in (${listFragment(versions)})`
    for (const version of versions)
      await tx.sql`
        insert into forgotten_root_secrets (version, forgotten_at) values (${version}, ${now})
        on conflict (version) do nothing`
    await deleteEncryptedBy(tx, rootSecret, versions, now)
    const [row] = await tx.sql<{ keys: number }>`
      select count(*) as "keys" from credentials
      where pepper_version in (${listFragment(versions)}) and revoked_at is null and (expires_at is null or expires_at > ${now})`
    return row?.keys ?? 0
  })
}

async function record(tx: Tx, rootSecret: RootSecret, now: number, forgotten: readonly number[]): Promise<void> {
  // Locks the one row that always exists, so concurrent callers wait.
  await tx.sql`select version from schema_migrations where version = 1 ${tx.forUpdate}`
  const verdict = await checkRootSecret(tx, rootSecret, forgotten)
  if ('problem' in verdict) throw new BadSetting(verdict.problem)
  const isFirst = (await listKnown(tx)).length === 0
  for (const version of rootSecret.versions) {
    // If no version was recorded before, existing rows may have been made with any of the versions.
    const usedAt = isFirst || version === rootSecret.currentVersion ? now : null
    await tx.sql`
      insert into root_secrets (version, check_value, created_at, used_at)
      values (${version}, ${checkValueOf(rootSecret, version)}, ${now}, ${usedAt})
      on conflict (version) do update set used_at = coalesce(root_secrets.used_at, excluded.used_at)`
  }
  await tx.sql`delete from forgotten_root_secrets where version in (${listFragment(rootSecret.versions)})`
}

function isRecorded(known: readonly KnownVersion[], rootSecret: RootSecret): boolean {
  const rows = new Map(known.map((row) => [row.version, row]))
  return (
    'fits' in judgeByCheckValues(known, rootSecret) &&
    rootSecret.versions.every((version) => rows.has(version)) &&
    rows.get(rootSecret.currentVersion)?.usedAt !== null
  )
}
