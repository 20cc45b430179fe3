// The commands `backup` and `restore`. A backup is a SQLite database in one file; it is made while the server runs, and restored while
// the server is stopped.

import { dirname, join } from 'node:path'
import { findViolations, type InvariantViolation, invariants } from '../../domain/health/invariants.ts'
import { readSettings, type Settings } from '../../platform/config.ts'
import { backUp, restoreBackup } from '../../platform/storage/backup.ts'
import { unlimitedTime } from '../../platform/storage/copy.ts'
import { sqlitePath } from '../../platform/storage/file.ts'
import { openStorage } from '../../platform/storage/open.ts'
import { StorageRefused } from '../../platform/storage/storage.ts'
import { CommandFailure, commandOf, printReport, printResult, type Terminal } from './command.ts'
import { checkSecretOfBackup, openDatabase } from './database.ts'

export const backupCommand = commandOf({
  summary: 'Copy the SQLite database into one file, even while a server runs.',
  effect: 'reads',
  words: ['FILE'],
  options: { force: { help: 'replace an existing backup with this name' } },
  async run(given, terminal) {
    const path = given.word
    const settings = readSettings(given.environment)
    const source = sqliteFileOf(settings, 'a PostgreSQL database is backed up by pg_dump, not by this command')
    // Opening the database checks that the configured root secret fits the data that is backed up.
    const { storage } = await openDatabase(settings, given.effect)
    await storage.close()
    const startedAt = performance.now()
    const made = await untilSignalled((signal) =>
      backUp(source, path, {
        force: given.flags.has('force'),
        onProgress: tellShare(terminal, 'copied'),
        signal,
      }),
    )
    const tookMs = Math.round(performance.now() - startedAt)
    const rootSecret = placeOfSecret(source)
    printResult(terminal, given, { ...made, tookMs, rootSecret }, () => [
      `${made.file}   ${sizeText(made.bytes)} in ${(tookMs / 1000).toFixed(1)} s, checked, up to migration ${made.migration}`,
      `The backup does not contain the root secret: store CARTWRIGHT_SECRET, or ${rootSecret}, safely in another place.`,
      'Without the root secret, API keys stop working, and addresses, webhook secrets and e-mails cannot be decrypted.',
    ])
    return 0
  },
})

export const restoreCommand = commandOf({
  summary: 'Replace the SQLite database by a backup, while no server runs on the database.',
  effect: 'creates',
  words: ['FILE'],
  options: { force: { help: 'replace an existing database, which is renamed and stays in the same folder' } },
  async run(given, terminal) {
    const path = given.word
    const settings = readSettings(given.environment)
    const target = sqliteFileOf(
      settings,
      'a PostgreSQL database is restored by pg_restore or psql, not by this command',
    )
    const secretFits = await checkSecretOfBackup(settings, path)
    const restored = await untilSignalled((signal) =>
      restoreBackup(path, target, {
        force: given.flags.has('force'),
        now: new Date(),
        onProgress: tellShare(terminal, 'restored'),
        signal,
      }),
    )
    const findings = await examine(settings)
    const healthy = findings.length === 0
    const lines = () => [
      `restored ${restored.file}   ${sizeText(restored.bytes)}`,
      ...(restored.replaced
        ? [`the former database is now ${restored.replaced}: remove that file when you no longer need it`]
        : []),
      ...restored.applied.map((name) => `applied ${name}`),
      ...findings.map(({ sentence, subjects }) => `✗ ${sentence} Violated by ${subjects.join(', ')}`),
      ...(findings.length === 0 ? [`✓ migrations current, ${invariants.length} invariants hold`] : []),
      ...(secretFits ? ['✓ the root secret can decrypt the database'] : []),
    ]
    const message = 'the database is restored, but violates invariants: see the findings'
    return printReport(terminal, given, {
      value: { ...restored, healthy, checked: invariants.length, findings, secretFits },
      lines,
      error: healthy ? null : { code: 'unhealthy', message },
    })
  },
})

function sqliteFileOf({ databaseUrl }: Settings, otherwise: string): string {
  if (!databaseUrl.startsWith('sqlite:')) throw new CommandFailure(otherwise)
  return sqlitePath(databaseUrl)
}

function placeOfSecret(file: string): string {
  return join(dirname(file), 'secret')
}

function tellShare(terminal: Terminal, done: string): (donePages: number, totalPages: number) => void {
  return (donePages, totalPages) =>
    terminal.progress(`${done} ${Math.floor((100 * donePages) / Math.max(1, totalPages))} %`)
}

function sizeText(bytes: number): string {
  return bytes < 10_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${Math.round(bytes / 1_000_000)} MB`
}

async function examine({ databaseUrl }: Settings): Promise<InvariantViolation[]> {
  const storage = await openStorage(databaseUrl, unlimitedTime)
  try {
    return await storage.read(findViolations)
  } finally {
    await storage.close()
  }
}

// A second signal of the same kind ends the process immediately.
async function untilSignalled<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const abort = (signal: string) =>
    controller.abort(new StorageRefused(`interrupted by ${signal}; no partial file was left behind`))
  for (const signal of signals) process.once(signal, abort)
  try {
    return await work(controller.signal)
  } finally {
    for (const signal of signals) process.off(signal, abort)
  }
}
