// The command `migrate`: migrates the schema, or copies everything from one engine to the other.

import { dirname, join } from 'node:path'
import { fillIndex } from '../../domain/catalog/reindex.ts'
import { findViolations, type InvariantViolation, invariants } from '../../domain/health/invariants.ts'
import { readSettings } from '../../platform/config.ts'
import { type CopyResult, copyStore, refuseSameEngine, unlimitedTime } from '../../platform/storage/copy.ts'
import { sqlitePath } from '../../platform/storage/file.ts'
import { openStorage } from '../../platform/storage/open.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { commandOf, Misuse, type ParsedArguments, printReport, printResult, type Terminal } from './command.ts'
import { bringUpToDate, checkSecretOf, openDatabase } from './database.ts'

export const migrateCommand = commandOf({
  summary: 'Apply pending migrations, or copy the database from SQLite to PostgreSQL or back.',
  effect: 'creates',
  options: {
    from: {
      value: 'URL',
      help: 'the database to copy from, sqlite:PATH or postgres://… (default: the configured database)',
    },
    to: { value: 'URL', help: 'the empty database of the other engine to copy to (default: the configured database)' },
    'clear-target': { help: 'delete everything in the target database first, in the same transaction' },
  },
  async run(given, terminal) {
    const { from, to } = given.texts
    if (from !== undefined || to !== undefined) return move(given, terminal)
    if (given.flags.has('clear-target')) throw new Misuse('--clear-target must be given together with --from or --to')
    const database = await openDatabase(readSettings(given.environment), given.effect)
    try {
      const applied = await bringUpToDate(database, new Date(), async ({ migration, number, of }) =>
        terminal.progress(`${migration} (${number} of ${of})`),
      )
      printResult(terminal, given, { applied }, () =>
        applied.length > 0 ? applied.map((name) => `applied ${name}`) : ['The database is up to date.'],
      )
    } finally {
      await database.storage.close()
    }
    return 0
  },
})

async function move(given: ParsedArguments, terminal: Terminal): Promise<number> {
  const settings = readSettings(given.environment)
  const { from = settings.databaseUrl, to = settings.databaseUrl } = given.texts
  refuseSameEngine(from, to)
  await checkSecretOf(settings, from)
  const startedAt = performance.now()
  const copied = await copyStore(from, to, {
    now: new Date(),
    clearTarget: given.flags.has('clear-target'),
    onProgress: ({ doing, table, rows }) => terminal.progress(`${doing} ${table}: ${rows} rows`),
  })
  const isSame = copied.differences.length === 0 && copied.tables.every((table) => table.isSame)
  const findings = isSame ? await findingsIn(to) : []
  // The search index is not copied, since it differs between the engines. It is filled from the copied products.
  if (isSame) await withOpen(to, (storage) => fillIndex(storage, { now: Date.now(), limit: productsAtOnce }))
  const tookMs = Math.round(performance.now() - startedAt)
  const rows = copied.tables.reduce((sum, table) => sum + table.rows, 0)
  const moved = isSame && findings.length === 0
  const lines = () => [
    ...tableLines(copied),
    ...copied.left.map((name) => `· the table ${name} does not belong to Cartwright and was not copied`),
    ...(isSame
      ? [
          `${rows} rows in ${copied.tables.length} tables, each read back and compared, in ${(tookMs / 1000).toFixed(1)} s`,
          ...findingLines(findings),
          ...secretLines(from, to),
        ]
      : [
          ...copied.differences.map((difference) => `✗ ${difference}`),
          '✗ Source and copy differ, so nothing was committed, and the target is unchanged.',
        ]),
  ]
  return printReport(terminal, given, {
    value: { moved, committed: isSame, rows, tookMs, ...copied, findings },
    lines,
    error: moved
      ? null
      : isSame
        ? { code: 'unhealthy', message: 'source and copy are the same, but both violate invariants: see the findings' }
        : copyDiffers,
  })
}

const copyDiffers = {
  code: 'copy_differs',
  message: 'source and copy differ, and nothing was committed',
} as const

function findingsIn(url: string): Promise<InvariantViolation[]> {
  return withOpen(url, (storage) => storage.read(findViolations))
}

const productsAtOnce = 200

async function withOpen<Result>(url: string, use: (storage: Storage) => Promise<Result>): Promise<Result> {
  const storage = await openStorage(url, unlimitedTime)
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}

function tableLines({ tables }: CopyResult): string[] {
  const width = Math.max(...tables.map(({ name }) => name.length))
  const digits = Math.max(4, ...tables.map(({ rows }) => String(rows).length))
  return [
    `${'table'.padEnd(width)}  ${'rows'.padStart(digits)}  verified`,
    ...tables.map(
      ({ name, rows, isSame }) => `${name.padEnd(width)}  ${String(rows).padStart(digits)}  ${isSame ? '✓' : '✗'}`,
    ),
  ]
}

function findingLines(findings: readonly InvariantViolation[]): string[] {
  if (findings.length === 0) return [`✓ ${invariants.length} invariants hold in the target`]
  return [
    ...findings.map(({ sentence, subjects }) => `✗ ${sentence} Violated by ${subjects.join(', ')}`),
    'The copy is complete and committed: the source violates the same invariants.',
  ]
}

// The place of the root secret depends on the database URL.
function secretLines(from: string, to: string): string[] {
  return [
    `The database does not contain the root secret. A server on the source reads the root secret from ${secretPlaces(from)};`,
    `a server on the target reads it from ${secretPlaces(to)}.`,
  ]
}

function secretPlaces(url: string): string {
  const set = 'CARTWRIGHT_SECRET or CARTWRIGHT_SECRET_FILE'
  return url.startsWith('sqlite:') ? `${set}, or from ${join(dirname(sqlitePath(url)), 'secret')}` : set
}
