// Automatic backups of a SQLite database by its server. Each runs the command `backup` in its own process, so copying and checking a
// large file delays no request. A failed backup is logged, counted and retried.

import type { ChildProcess } from 'node:child_process'
import { accessSync, constants, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { constants as osConstants, setPriority } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../platform/config.ts'
import type { Log } from '../../platform/log/log.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import { runBeside } from './beside.ts'
import { CommandFailure, Misuse, type ParsedArguments } from './command.ts'
import { backupName, backupTime, outdatedBackups, readDays, readEvery } from './schedule.ts'

export interface BackupPlan {
  everyMs: number
  folder: string
  days: number
}

// Returns undefined if backups are not configured. The folder is created and must be writable, so a wrong folder fails at the start of
// the server and not at night.
export function readBackupPlan({ texts }: ParsedArguments, databaseUrl: string): BackupPlan | undefined {
  const { 'backup-every': every, 'backup-to': folder, 'backup-days': days = '30' } = texts
  if (every === undefined && folder === undefined && texts['backup-days'] === undefined) return undefined
  if (every === undefined || folder === undefined)
    throw new Misuse('--backup-every and --backup-to must be given together')
  const plan = { everyMs: readEvery(every), folder, days: readDays(days) }
  if (!databaseUrl.startsWith('sqlite:'))
    throw new CommandFailure(
      '--backup-every only works with SQLite: back up a PostgreSQL database with pg_dump or another tool for PostgreSQL',
    )
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.W_OK)
  } catch (error) {
    throw new CommandFailure(`backups cannot be written to ${folder}: ${(error as Error).message}`)
  }
  return plan
}

export interface Backups {
  drain(): Promise<void>
}

interface Tools {
  environment: Environment
  log: Log
  metrics: Metrics
}

const retryMsMax = 10 * 60_000

export function startBackups({ everyMs, folder, days }: BackupPlan, { environment, log, metrics }: Tools): Backups {
  const seen = { ...newestIn(folder), failures: 0, tookMs: undefined as number | undefined }
  let timer: NodeJS.Timeout | undefined
  let child: ChildProcess | undefined
  let round: Promise<void> = Promise.resolve()
  let isEnding = false
  observeBackups(metrics, seen)

  function rest(ms: number): void {
    if (isEnding) return
    timer = setTimeout(
      () => {
        round = make()
      },
      Math.max(0, ms),
    )
    timer.unref()
  }

  // Resolves with the error text, or with undefined on success.
  async function attempt(file: string, startedAt: number): Promise<string | undefined> {
    const backup = runBeside(['backup', file], environment)
    child = backup.child
    lowerPriority(child.pid)
    const problem = await backup.ended
    child = undefined
    if (problem !== undefined || isEnding) return problem
    seen.tookMs = Date.now() - startedAt
    Object.assign(seen, newestIn(folder))
    log.info('backup made', { file, bytes: seen.bytes, ms: seen.tookMs })
    for (const name of outdatedBackups(readdirSync(folder), Date.now(), days)) rmSync(join(folder, name))
    return undefined
  }

  async function make(): Promise<void> {
    const startedAt = Date.now()
    const file = join(folder, backupName(startedAt))
    // The attempt throws if the folder disappeared.
    const problem = await attempt(file, startedAt).catch((error: Error) => error.message)
    if (isEnding) return
    if (problem === undefined) return rest(startedAt + everyMs - Date.now())
    seen.failures += 1
    log.error('backup failed; retrying', undefined, { file, reason: problem })
    rest(Math.min(everyMs, retryMsMax))
  }

  rest(seen.at === undefined ? 0 : seen.at + everyMs - Date.now())
  return {
    async drain() {
      isEnding = true
      clearTimeout(timer)
      // The child process removes its partial file.
      child?.kill('SIGTERM')
      await round
    },
  }
}

function newestIn(folder: string): { at: number | undefined; bytes: number | undefined } {
  const times = readdirSync(folder).flatMap((name) => backupTime(name) ?? [])
  if (times.length === 0) return { at: undefined, bytes: undefined }
  const at = Math.max(...times)
  return { at, bytes: statSync(join(folder, backupName(at)), { throwIfNoEntry: false })?.size }
}

// Gives requests priority over the backup.
function lowerPriority(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, osConstants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // The process has already ended, or the system does not allow the change.
  }
}

interface Seen {
  at: number | undefined
  bytes: number | undefined
  failures: number
  tookMs: number | undefined
}

function observeBackups(metrics: Metrics, seen: Seen): void {
  const seconds = (ms: number | undefined) => ms && ms / 1_000
  for (const [name, help, type, values] of [
    ['last_success_timestamp_seconds', 'Time at which the newest backup was started.', 'gauge', () => seconds(seen.at)],
    ['last_size_bytes', 'Size of the newest backup.', 'gauge', () => seen.bytes],
    ['last_duration_seconds', 'Duration of the newest backup of this process.', 'gauge', () => seconds(seen.tookMs)],
    ['failures_total', 'Failed backups.', 'counter', () => seen.failures],
  ] as const)
    metrics.read({ name: `cartwright_backup_${name}`, help, type, values })
}
