// `backup` and `restore`: a SQLite store as one file, made while the server works, and put back while it does not.

import { dirname, join } from 'node:path'
import { openPageSecret } from '../checkout/secret.ts'
import { type Config, readConfig } from '../config.ts'
import type { RootSecret } from '../kit/secrets.ts'
import { findViolations, invariants } from '../observe/invariants.ts'
import { backUp, restore } from '../storage/backup.ts'
import { unhurried } from '../storage/copy.ts'
import { sqlitePath } from '../storage/file.ts'
import { openStorage } from '../storage/open.ts'
import type { Reader } from '../storage/storage.ts'
import { openSecret } from '../webhooks/signature.ts'
import { type Command, Failure, type Given, Misuse, print, printReport, type Terminal } from './command.ts'

const force = { type: 'boolean', help: 'replace a file that is there' } as const

export const backupCommand: Command = {
  summary: 'Copy the SQLite database into one file, beside a running server.',
  usage: ['backup FILE [--force]'],
  options: { force },
  async run(given, terminal) {
    const path = fileIn(given, 'backup')
    const config = readConfig()
    const source = sqliteFileOf(config, 'a PostgreSQL database is backed up by pg_dump, not by this command')
    const startedAt = performance.now()
    const made = await backUp(source, path, {
      force: given.flags.has('force'),
      onProgress: tellShare(terminal, 'copied'),
    })
    const tookMs = Math.round(performance.now() - startedAt)
    const rootSecret = placeOfSecret(source)
    print(terminal, given, { ...made, tookMs, rootSecret }, () => [
      `${made.file}   ${sizeText(made.bytes)} in ${(tookMs / 1000).toFixed(1)} s, checked, up to migration ${made.migration}`,
      `The root secret is not in it: keep CARTWRIGHT_SECRET, or ${rootSecret}, with the backup but not beside it.`,
      'Without it no key works any more, and no address, webhook secret or e-mail can be opened.',
    ])
    return 0
  },
}

export const restoreCommand: Command = {
  summary: 'Put a backup in the place of the SQLite database, while no server runs on it.',
  usage: ['restore FILE [--force]'],
  options: { force: { type: 'boolean', help: 'replace the database that is there; it is kept under another name' } },
  async run(given, terminal) {
    const path = fileIn(given, 'restore')
    const config = readConfig()
    const target = sqliteFileOf(config, 'a PostgreSQL database is restored by pg_restore or psql, not by this command')
    const restored = await restore(path, target, {
      force: given.flags.has('force'),
      now: new Date(),
      onProgress: tellShare(terminal, 'restored'),
    })
    const { findings, secretFits } = await examine(config)
    const healthy = findings.length === 0 && secretFits !== false
    const lines = () => [
      `restored ${restored.file}   ${sizeText(restored.bytes)}`,
      ...(restored.replaced ? [`what was there is kept as ${restored.replaced}; remove it when nobody misses it`] : []),
      ...restored.applied.map((name) => `applied ${name}`),
      ...findings.map(({ sentence, subjects }) => `✗ ${sentence} Not so for ${subjects.join(', ')}`),
      ...(findings.length === 0 ? [`✓ migrations current, ${invariants.length} invariants hold`] : []),
      secretLine(secretFits, placeOfSecret(target)),
    ]
    const message = 'the database is restored, and what is in it does not agree, or the root secret does not open it'
    return printReport(terminal, given, {
      value: { ...restored, healthy, checked: invariants.length, findings, secretFits },
      lines,
      error: healthy ? null : { code: 'unhealthy', message },
    })
  },
}

function fileIn({ words }: Given, name: string): string {
  const [path, ...rest] = words
  if (path === undefined || path === '' || rest.length > 0) throw new Misuse(`${name} takes one file`)
  return path
}

function sqliteFileOf({ databaseUrl }: Config, otherwise: string): string {
  if (!databaseUrl.startsWith('sqlite:')) throw new Failure(otherwise)
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

async function examine({ databaseUrl, rootSecret }: Config) {
  const storage = await openStorage(databaseUrl, unhurried)
  try {
    return await storage.read(async (db) => ({
      findings: await findViolations(db),
      secretFits: await opensWith(db, rootSecret),
    }))
  } finally {
    await storage.close()
  }
}

// Whether what is sealed in there opens with the present root secret: the newest secrets of an endpoint and of a checkout
// stand for all. Null where nothing is sealed yet.
async function opensWith(db: Reader, rootSecret: RootSecret): Promise<boolean | null> {
  interface Sealed {
    id: string
    sealed: string
  }
  const [endpoint] = await db.sql<Sealed>`
    select id, secret_sealed as "sealed" from webhook_endpoints order by id desc limit 1`
  const [session] = await db.sql<Sealed>`
    select id, secret_sealed as "sealed" from checkout_sessions order by created_at desc limit 1`
  const opened = [
    endpoint && succeeds(() => openSecret(rootSecret, endpoint.id, endpoint.sealed)),
    session && succeeds(() => openPageSecret(rootSecret, session.sealed, session.id)),
  ].filter((success) => success !== undefined)
  return opened.length > 0 ? opened.every(Boolean) : null
}

function succeeds(open: () => string): boolean {
  try {
    open()
    return true
  } catch {
    return false
  }
}

function secretLine(fits: boolean | null, place: string): string {
  if (fits === true) return '✓ the root secret opens what is sealed in it'
  if (fits === null) return '· nothing in it is sealed yet, so that nothing tells whether the root secret fits'
  return `✗ the root secret does not open what is sealed in it: put the one that it was made with into CARTWRIGHT_SECRET or ${place}`
}
