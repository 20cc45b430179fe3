// Whether a root secret is the one that a database belongs to. The wrong one would open nothing that is sealed, refuse every
// key, and seal new things that the right one cannot open; so it is told before anything else is done.

import { forgetSealedBy } from './access/databasekey.ts'
import { openPageSecret } from './checkout/secret.ts'
import { BadSetting } from './config.ts'
import { checkValueOf, type RootSecret, sealingVersionOf } from './kit/secrets.ts'
import { openEmail } from './oauth/users.ts'
import { openStatusSecret } from './orders/secret.ts'
import { listTableNames } from './storage/catalogue.ts'
import type { Reader, Storage, Tx } from './storage/storage.ts'
import { openSecret } from './webhooks/signature.ts'

// Null: nothing in the database was made with a root secret, so any fits.
export type Verdict = { readonly fits: true | null } | { readonly problem: string }

// Reads only, in a database of any version. `forgotten` is a version that is about to be given up.
export async function judgeSecret(
  db: Reader,
  rootSecret: RootSecret,
  forgotten: number | null = null,
): Promise<Verdict> {
  const tables = await listTableNames(db)
  const known = (tables.has('root_secrets') ? await listKnown(db) : []).filter(({ version }) => version !== forgotten)
  if (known.length > 0) return judgeByCheckValues(known, rootSecret)
  return judgeBySamples(db, tables, rootSecret, forgotten)
}

const places = 'CARTWRIGHT_SECRET, CARTWRIGHT_SECRET_FILE, or the file `secret` beside a SQLite database'
const another = `the database was made with another root secret: give it that one (${places})`

function missing(version: number): string {
  return `the database was made with version ${version} of the root secret, which is missing: give all versions, such as CARTWRIGHT_SECRET=2:<new>,1:<old> (\`secret forget ${version}\` gives it up)`
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

function judgeByCheckValues(known: readonly KnownVersion[], rootSecret: RootSecret): Verdict {
  const isGiven = ({ version }: KnownVersion) => rootSecret.hasVersion(version)
  const absent = known.find((row) => row.usedAt !== null && !isGiven(row))
  if (absent) return { problem: missing(absent.version) }
  const different = known.filter(isGiven).find((row) => row.checkValue !== checkValueOf(rootSecret, row.version))
  if (!different) return { fits: true }
  if (rootSecret.versions.length === 1) return { problem: another }
  return { problem: `version ${different.version} of the root secret is another one than this database knows` }
}

interface Sample {
  id: string
  sealed: string
}

interface SampleKind {
  table: string
  // The first and the last by key: few rows of a large table are read.
  list(db: Reader): Promise<Sample[]>
  // Throws, or is undefined, when it does not open.
  open(rootSecret: RootSecret, sample: Sample): string | undefined
}

// A removed endpoint has no secret any more.
const sampleKinds: readonly SampleKind[] = [
  {
    table: 'webhook_endpoints',
    list: (db) => db.sql<Sample>`
      select id, sealed from (
        select id, secret_sealed as sealed from webhook_endpoints where secret_sealed <> '' order by id limit 1) as oldest
      union
      select id, sealed from (
        select id, secret_sealed as sealed from webhook_endpoints where secret_sealed <> '' order by id desc limit 1) as newest`,
    open: (rootSecret, { id, sealed }) => openSecret(rootSecret, id, sealed),
  },
  {
    table: 'users',
    list: (db) => db.sql<Sample>`
      select id, sealed from (select id, email_sealed as sealed from users order by id limit 1) as oldest
      union
      select id, sealed from (select id, email_sealed as sealed from users order by id desc limit 1) as newest`,
    open: (rootSecret, { id, sealed }) => openEmail(rootSecret, id, sealed),
  },
  {
    table: 'checkout_sessions',
    list: (db) => db.sql<Sample>`
      select id, sealed from (
        select id, secret_sealed as sealed from checkout_sessions order by installation_id, id limit 1) as oldest
      union
      select id, sealed from (
        select id, secret_sealed as sealed from checkout_sessions
        order by installation_id desc, id desc limit 1) as newest`,
    open: (rootSecret, { id, sealed }) => openPageSecret(rootSecret, sealed, id),
  },
  {
    table: 'orders',
    list: (db) => db.sql<Sample>`
      select id, sealed from (select id, secret_sealed as sealed from orders order by installation_id, id limit 1) as oldest
      union
      select id, sealed from (
        select id, secret_sealed as sealed from orders order by installation_id desc, id desc limit 1) as newest`,
    open: (rootSecret, { id, sealed }) => openStatusSecret(rootSecret, sealed, id),
  },
]

// A database from before there were check values. Every version that sealed something must be given and open one thing at
// least: not all, because such a database may have been used with a wrong secret for a while.
async function judgeBySamples(
  db: Reader,
  tables: ReadonlySet<string>,
  rootSecret: RootSecret,
  forgotten: number | null,
): Promise<Verdict> {
  const opens = new Map<number, boolean>()
  for (const kind of sampleKinds.filter(({ table }) => tables.has(table))) {
    for (const sample of await kind.list(db)) {
      const version = sealingVersionOf(sample.sealed)
      if (version === undefined || version === forgotten) continue
      opens.set(version, opens.get(version) === true || succeeds(() => kind.open(rootSecret, sample)))
    }
  }
  const used = new Set([...opens.keys(), ...(tables.has('credentials') ? await listPepperVersions(db) : [])])
  const absent = [...used].find((version) => version !== forgotten && !rootSecret.hasVersion(version))
  if (absent !== undefined) return { problem: missing(absent) }
  if ([...opens.values()].includes(false)) return { problem: another }
  return { fits: opens.size > 0 ? true : null }
}

// A key itself is not here, so its digest proves nothing; but it tells which version made it.
async function listPepperVersions(db: Reader): Promise<number[]> {
  const rows = await db.sql<{ version: number }>`select distinct pepper_version as "version" from credentials`
  return rows.map(({ version }) => version)
}

function succeeds(open: () => string | undefined): boolean {
  try {
    return open() !== undefined
  } catch {
    return false
  }
}

// Takes the check values of versions that are new to the database, after a look whether the others fit. Of several processes
// that find an empty one at the same moment, one writes its own and the others are held against them.
export async function recordSecret(storage: Storage, rootSecret: RootSecret, now: number): Promise<void> {
  if (await storage.read(async (db) => isRecorded(await listKnown(db), rootSecret))) return
  await storage.write((tx) => record(tx, rootSecret, now, null))
}

// From now on the database can do without this version, and nothing that was made with it opens. Where it comes back beside
// the others, all of that opens again. Gives the number of living API keys that were made with it.
export async function forgetVersion(
  storage: Storage,
  rootSecret: RootSecret,
  version: number,
  now: number,
): Promise<number> {
  return storage.write(async (tx) => {
    await record(tx, rootSecret, now, version)
    await tx.sql`delete from root_secrets where version = ${version}`
    await forgetSealedBy(tx, rootSecret, version)
    const [row] = await tx.sql<{ keys: number }>`
      select count(*) as "keys" from credentials
      where pepper_version = ${version} and revoked_at is null and (expires_at is null or expires_at > ${now})`
    return row?.keys ?? 0
  })
}

async function record(tx: Tx, rootSecret: RootSecret, now: number, forgotten: number | null): Promise<void> {
  // The one row that is surely there, to wait at for whoever is at this too.
  await tx.sql`select version from schema_migrations where version = 1 ${tx.forUpdate}`
  const verdict = await judgeSecret(tx, rootSecret, forgotten)
  if ('problem' in verdict) throw new BadSetting(verdict.problem)
  const isFirst = (await listKnown(tx)).length === 0
  for (const version of rootSecret.versions) {
    // What the first of all finds may have been made with any of them.
    const usedAt = isFirst || version === rootSecret.currentVersion ? now : null
    await tx.sql`
      insert into root_secrets (version, check_value, created_at, used_at)
      values (${version}, ${checkValueOf(rootSecret, version)}, ${now}, ${usedAt})
      on conflict (version) do update set used_at = coalesce(root_secrets.used_at, excluded.used_at)`
  }
}

function isRecorded(known: readonly KnownVersion[], rootSecret: RootSecret): boolean {
  const rows = new Map(known.map((row) => [row.version, row]))
  return (
    'fits' in judgeByCheckValues(known, rootSecret) &&
    rootSecret.versions.every((version) => rows.has(version)) &&
    rows.get(rootSecret.currentVersion)?.usedAt !== null
  )
}
