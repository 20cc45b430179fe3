// Migrates the schema of a database to that of this release: numbered SQL files, only forward, each in one transaction that first inserts
// the row of its version. The row's primary key is the lock: a second node waits for the first to commit, and then has nothing to do.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asMigration, type InsideTx, writeInside } from './inside.ts'
import { type PrintedSchema, readPrinted } from './printed.ts'
import { splitCommands } from './script.ts'
import { type Reader, type Storage, StorageRefused } from './storage.ts'

const DIRECTORY = join(import.meta.dirname, 'migrations')

export interface MigrateOptions {
  now: Date
  directory?: string
  // Runs every migration one by one, even if a new SQLite database could start from the printed schema.
  oneByOne?: boolean
  // Called before each migration, except in a new database: with existing rows, a migration may take long.
  onBegin?: (begun: BegunMigration) => Promise<void>
  // Called with the name of each step that is reached, so a test can stop there.
  onStep?: (step: string) => void
}

export interface BegunMigration {
  migration: string
  // Position of the migration in this run, from 1.
  number: number
  of: number
}

// Returns the names of the migrations that this call applied.
export async function migrate(storage: Storage, options: MigrateOptions): Promise<string[]> {
  const migrations = await readMigrations(options.directory ?? DIRECTORY)
  await createTable(storage)
  let applied = await storage.read(listApplied)
  checkHistory(migrations, applied)
  const isNew = applied.size === 0
  const names: string[] = []
  if (isNew && storage.engine === 'sqlite' && !options.directory && !options.oneByOne) {
    const printed = await readPrinted(migrations)
    if (printed) names.push(...(await applyPrinted(storage, printed, migrations, options.now)))
    applied = await storage.read(listApplied)
  }
  const missing = migrations.filter(({ version }) => !applied.has(version))
  for (const [index, migration] of missing.entries()) {
    if (!isNew) await options.onBegin?.({ migration: migration.name, number: index + 1, of: missing.length })
    if (await apply(storage, migration, options)) names.push(migration.name)
  }
  return names
}

export interface SchemaGap {
  // Number of migrations in this release that the database does not have.
  pending: number
  // Number of migrations in the database that this release does not know, because a newer release has migrated it.
  newer: number
  // Whether an unknown migration removes something that this release needs.
  isTooNew: boolean
}

// Returns the differences between the schema of the database and that of this release, for the readiness check.
export async function schemaGap(storage: Storage, directory: string = DIRECTORY): Promise<SchemaGap> {
  const files = await listFiles(directory)
  const known = new Set(files.map(({ version }) => version))
  const applied = await storage.read(async (db) =>
    (await tableExists(db)) ? await listApplied(db) : new Map<number, Applied>(),
  )
  const pending = known.difference(applied).size
  const newer = applied.size - (known.size - pending)
  return { pending, newer, isTooNew: findTooNew(files, applied) !== undefined }
}

// For read-only use: refuses if the database lacks a migration of this release, or was migrated by a release with other migrations.
export async function refuseOtherSchema(storage: Storage, directory: string = DIRECTORY): Promise<void> {
  const migrations = await readMigrations(directory)
  const applied = await storage.read(listApplied)
  checkHistory(migrations, applied)
  const missing = migrations.filter(({ version }) => !applied.has(version)).length
  if (missing > 0)
    throw new StorageRefused(`the database lacks migrations (${missing}): run \`migrate\`, or start the server`)
}

// Returns whether the database already has tables.
export async function isMigrated(db: Reader): Promise<boolean> {
  return (await tableExists(db)) && (await listApplied(db)).size > 0
}

interface Migration {
  version: number
  name: string
  checksum: string
  script: string
}

async function apply(storage: Storage, migration: Migration, { now, onStep }: MigrateOptions): Promise<boolean> {
  const { name, script } = migration
  const isOurs = await writeInside(storage, async (tx) => {
    const run = await tx[asMigration]()
    if (!(await record(tx, migration, now))) return false
    onStep?.(`${name}:recorded`)
    for (const command of splitCommands(script, storage.engine)) await run(command)
    onStep?.(`${name}:run`)
    return true
  })
  onStep?.(`${name}:committed`)
  return isOurs
}

// Returns false if another node has applied the migration.
async function record(tx: InsideTx, { version, name, checksum }: Migration, now: Date): Promise<boolean> {
  const rows = await tx.sql`
    insert into schema_migrations (version, name, checksum, applied_at)
    values (${version}, ${name}, ${checksum}, ${now.getTime()})
    on conflict (version) do nothing returning version`
  return rows.length > 0
}

// Runs the printed schema and records its migrations, in one transaction.
function applyPrinted(
  storage: Storage,
  { count, script }: PrintedSchema,
  migrations: readonly Migration[],
  now: Date,
): Promise<string[]> {
  const covered = migrations.slice(0, count)
  return writeInside(storage, async (tx) => {
    const run = await tx[asMigration]()
    for (const migration of covered) if (!(await record(tx, migration, now))) return []
    await run(script)
    return covered.map(({ name }) => name)
  })
}

// `if not exists` does not see a table that another node is creating at the same time. The second `create` then fails.
async function createTable(storage: Storage): Promise<void> {
  if (await storage.read(tableExists)) return
  try {
    await storage.write(
      (tx) => tx.sql`
      create table if not exists schema_migrations (
        version bigint not null primary key,
        name text not null,
        checksum text not null,
        applied_at bigint not null
      )`,
    )
  } catch (error) {
    if (!(await storage.read(tableExists))) throw error
  }
}

async function tableExists(db: Reader): Promise<boolean> {
  const rows =
    db.engine === 'sqlite'
      ? await db.sql`select 1 from sqlite_master where type = 'table' and name = 'schema_migrations'`
      : await db.sql`select 1 where to_regclass('schema_migrations') is not null`
  return rows.length > 0
}

interface Applied {
  version: number
  name: string
  checksum: string
}

async function listApplied(db: Reader): Promise<Map<number, Applied>> {
  const rows = await db.sql<Applied>`select version, name, checksum from schema_migrations order by version`
  return new Map(rows.map((row) => [row.version, row]))
}

// Migrations mostly add things, so an older release can use a database that a newer release has migrated. A migration that removes
// something says so in its name: `0130_needs_0125_drop_notes` excludes releases without migration 0125.
const needs = /^\d{4}_needs_(\d{4})_/

// Returns a migration in the database that this release does not know and that excludes this release.
function findTooNew(known: readonly { version: number }[], applied: ReadonlyMap<number, Applied>): Applied | undefined {
  const newest = Math.max(0, ...known.map(({ version }) => version))
  return [...applied.values()].find(({ version, name }) => {
    if (known.some((migration) => migration.version === version)) return false
    // An unknown migration between known ones belongs to another history.
    return version < newest || Number(needs.exec(name)?.[1] ?? 0) > newest
  })
}

function checkHistory(migrations: Migration[], applied: Map<number, Applied>): void {
  const newest = Math.max(0, ...applied.keys())
  const tooNew = findTooNew(migrations, applied)
  if (tooNew)
    throw new StorageRefused(
      `the database is newer than this program: it has migration ${tooNew.name}, which this program does not know; start the version that migrated the database, or restore a backup from before that migration`,
    )
  for (const { version, name, checksum } of migrations) {
    const row = applied.get(version)
    if (row && row.checksum !== checksum) throw new StorageRefused(`migration ${name} was changed after it was applied`)
    if (!row && version < newest)
      throw new StorageRefused(`migration ${name} was not applied, but later migrations were`)
  }
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const files = await listFiles(directory)
  return Promise.all(
    files.map(async ({ version, name }) => {
      // A checkout may have changed the line endings, which have no effect.
      const script = (await readFile(join(directory, `${name}.sql`), 'utf8')).replaceAll('\r\n', '\n')
      const checksum = createHash('sha256').update(script).digest('hex')
      return { version, name, checksum: mended.get(checksum) ?? checksum, script }
    }),
  )
}

// Checksums of files that were rewritten to do the same faster, each with the checksum of the original file, which databases have
// recorded.
const mended: ReadonlyMap<string, string> = new Map([
  // 0015_modes
  [
    'a8aa0665bf999018098a09f15913ba435d6a4d7ddc8f6ce5b07b06b34e9faf62',
    '1ce10a28d28921fd5ef085eab12b455218d7b710f867fe3d91488c1e6b5e49c2',
  ],
  // 0082_price_history: rows that an earlier migration has already marked are not written again, which took 1.4 s on PostgreSQL with
  // 10,000 products.
  [
    '7155b678d747509e51b95c23d2cce5365cfea7ace531ec9ed0ed389673aacf69',
    '8665c740c46f88faae8882d5cebe49d1f7822f8bd10865ff1290f2ab087c0050',
  ],
  // 0090_measures
  [
    '5fc2588860aee9cd5b85134e9b00cd40a73ca869fc6f6f7948b2a1040ef8e1e8',
    '0332ac07bfd0298cd5b46abebac3f1490161f209e119aafcc790197058cb4a98',
  ],
  // 0096_makers
  [
    '8bfd10e95d9b1f13acd5ef27dd6cb106c2e1abc28db457204e0c9553af589088',
    '5c212b49b7c941cdc032c33d5b3d6f2de3f389bf0dd952ddb404419b72e934a1',
  ],
  // 0097_guarantees
  [
    '44576a7a7a0a5aea43bb1d2e6a16841cef8136d2d30384cde7ec3d9631251658',
    '278eb65c087becbee67f019491bc58882e227870c23499d0196513107fe5144a',
  ],
  // 0098_withdrawal_exemptions
  [
    '5b4016deb20f9e76d5424eeae366ffeef706b7b800b0cdf8b3417d4a9c6dd459',
    '0bccbb1f92d041fe47f48e9d3644d23c881d4e4c4a7a376f3d13df601a5988fc',
  ],
])

async function listFiles(directory: string): Promise<{ version: number; name: string }[]> {
  const names = (await readdir(directory)).filter((file) => file.endsWith('.sql')).sort()
  return names.map((file, i) => {
    const match = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(file)
    if (!match || Number(match[1]) !== i + 1)
      throw new Error(`migrations must be named 0001_name.sql, 0002_name.sql, …, without gaps: ${file}`)
    return { version: i + 1, name: file.slice(0, -'.sql'.length) }
  })
}
