// Opens the configured database with its root secret. The secret is checked first: a wrong secret is refused before a file, table or row
// is created.

import { type Config, findRootSecret, makeRootSecret, type Settings, secretSourceOf } from '../../platform/config.ts'
import { BadSetting } from '../../platform/kit/badsetting.ts'
import { checkRootSecret, storeCheckValues } from '../../platform/secrets/rootsecret.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import { readBackup } from '../../platform/storage/backup.ts'
import { sqlitePath } from '../../platform/storage/file.ts'
import { type MigrateOptions, migrate } from '../../platform/storage/migrate.ts'
import { inspectStorage, openInspected } from '../../platform/storage/open.ts'
import { isLockTimeout, type Storage, type StorageOptions, StorageRefused } from '../../platform/storage/storage.ts'

// `reads`: nothing is created or changed. `changes`: the database must exist. `creates`: the database is created if it does not exist.
export type Effect = 'reads' | 'changes' | 'creates'

export interface Database {
  storage: Storage
  config: Config
}

// `forgotten`: versions of the root secret that are about to be discarded.
export async function openDatabase(
  settings: Settings,
  effect: Effect,
  options: StorageOptions = {},
  forgotten: readonly number[] = [],
): Promise<Database> {
  const { databaseUrl } = settings
  const source = secretSourceOf(settings, databaseUrl)
  const readsOnly = effect === 'reads'
  const look = await inspectStorage(databaseUrl, { ...options, readsOnly })
  let rootSecret: RootSecret
  try {
    if (look.storage && look.isMade)
      rootSecret = (
        await secretThatFits(source, readsOnly ? look.storage.read : unlocked(look.storage, options), forgotten)
      ).rootSecret
    else if (effect === 'creates') rootSecret = newSecret(source)
    else throw noDatabase(databaseUrl)
  } catch (error) {
    await look.storage?.close()
    throw error
  }
  const config = { ...settings, rootSecret }
  if (look.storage && readsOnly) return { storage: look.storage, config }
  return { storage: await openInspected(look, databaseUrl, options), config }
}

// Retries while tables are locked: another node may be migrating, or the transaction of a killed node has not ended yet. The caller has
// to wait for the migration in any case.
function unlocked({ read }: Storage, { log }: StorageOptions): Storage['read'] {
  return async (work) => {
    for (;;) {
      try {
        return await read(work)
      } catch (error) {
        if (!isLockTimeout(error)) throw error
        log?.('waiting for a migration by another process')
      }
    }
  }
}

// Checks the secret of a database that is not the configured one, such as the source of a move.
export async function checkSecretOf(settings: Settings, url: string): Promise<void> {
  const source = secretSourceOf(settings, url)
  const { storage, isMade } = await inspectStorage(url)
  try {
    if (!storage || !isMade) throw noDatabase(url)
    await secretThatFits(source, storage.read)
  } finally {
    await storage?.close()
  }
}

// Checks the secret of a backup that is to replace the configured database. Returns null if the backup contains nothing by which a root
// secret can be checked.
export async function checkSecretOfBackup(settings: Settings, path: string): Promise<true | null> {
  const source = secretSourceOf(settings, settings.databaseUrl)
  return (await secretThatFits(source, (work) => readBackup(path, work))).fits
}

// Returns the migrations that were applied.
export async function bringUpToDate(
  { storage, config }: Database,
  now: Date,
  onBegin?: MigrateOptions['onBegin'],
): Promise<string[]> {
  const applied = await migrate(storage, { now, ...(onBegin && { onBegin }) })
  await storeCheckValues(storage, config.rootSecret, now.getTime())
  return applied
}

function noDatabase(url: string): StorageRefused {
  const place = url.startsWith('sqlite:') ? `at ${sqlitePath(url)}` : 'of Cartwright at this PostgreSQL URL'
  return new StorageRefused(`there is no database ${place}: create one with \`migrate\` or the first start of a server`)
}

async function secretThatFits(
  source: RootSecret | string,
  read: Storage['read'],
  forgotten: readonly number[] = [],
): Promise<{ rootSecret: RootSecret; fits: true | null }> {
  // Read after the database was found: another process that has just created the database has stored the secret before.
  const rootSecret = findRootSecret(source)
  if (!rootSecret)
    throw new BadSetting(
      `there is no root secret at ${source}, but the database was created with one: put that root secret there, or set CARTWRIGHT_SECRET`,
    )
  const verdict = await read((db) => checkRootSecret(db, rootSecret, forgotten))
  if ('problem' in verdict) throw new BadSetting(verdict.problem)
  return { rootSecret, fits: verdict.fits }
}

function newSecret(source: RootSecret | string): RootSecret {
  if (typeof source !== 'string') return source
  return findRootSecret(source) ?? makeRootSecret(source)
}
