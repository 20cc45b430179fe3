// Checks whether a database file is intact. After an unclean shutdown SQLite repairs what it was writing; what the disk lost or wrote
// wrong is only found by reading every page. For a large shop this takes seconds, so another process checks while the server runs.
import { type ChildProcess, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from './connection.ts'
import type { Log } from './inside.ts'
import { StorageRefused } from './storage.ts'

// Checks the file before it is used.
export function checkFirst({ db }: Connection, file: string, log: Log): void {
  const startedAt = performance.now()
  const finding = String(Object.values(db.prepare('pragma quick_check(1)').get() ?? {})[0])
  log('the database file was checked before use', { file, finding, tookMs: msSince(startedAt) })
  if (finding !== 'ok') throw damageOf(file, finding)
}

export interface FileCheck {
  // Returns whether every page was read and no damage was found.
  isDone(): boolean
  stop(): void
}

export interface CheckBounds {
  // Maximum growth of the write-ahead log during the check. The log cannot be emptied while a process reads the file, and every read has
  // to search it: with half a gigabyte of log, a write costs three times as much.
  logBytesMax: number
  lookMs: number
}

const usual: CheckBounds = { logBytesMax: 128 * 2 ** 20, lookMs: 1_000 }

// Checks the file while it is in use. `onDamage` is called at most once, and not after `stop`.
export function checkBeside(
  file: string,
  log: Log,
  onDamage: (damage: StorageRefused) => void,
  { logBytesMax, lookMs }: CheckBounds = usual,
): FileCheck {
  log('the last shutdown was not clean; checking the database file', { file })
  const startedAt = performance.now()
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, 'check.js'), file], {
    // Standard input is a pipe: when it closes, the child process knows that the server has ended.
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let isDone = false
  let isOver = false
  let [output, complaint] = ['', '']

  const logBytesBefore = logBytesOf(file)
  const watch = setInterval(() => {
    if (logBytesOf(file) - logBytesBefore <= logBytesMax) return
    complaint = 'stopped because the write-ahead log grew too large'
    child.kill('SIGKILL')
  }, lookMs)
  watch.unref()

  function end(code: number | null): void {
    clearInterval(watch)
    if (isOver) return
    isOver = true
    if (code !== 0 || output === '') {
      // The check itself failed. The next start checks again.
      log('the database file could not be checked', { file, tookMs: msSince(startedAt), code, reason: complaint })
      return
    }
    // The cast holds: check.js writes this JSON.
    const { finding, tookMs } = JSON.parse(output) as { finding: string; tookMs: number }
    log('the database file was checked', { file, finding, tookMs })
    isDone = finding === 'ok'
    if (!isDone) onDamage(damageOf(file, finding))
  }

  // If the process could not be started, it has no streams.
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(0, complaintLengthMax)
  })
  child.on('error', (error) => {
    complaint = error.message
    end(null)
  })
  child.on('close', end)
  return {
    isDone: () => isDone,
    stop() {
      clearInterval(watch)
      isOver = true
      child.kill('SIGKILL')
    },
  }
}

const complaintLengthMax = 1_000

// The check continues if the size of the log cannot be read.
function logBytesOf(file: string): number {
  try {
    return statSync(`${file}-wal`).size
  } catch {
    return 0
  }
}

function damageOf(file: string, finding: string): StorageRefused {
  // The finding has several lines.
  const words = finding.replaceAll(/\s+/g, ' ').trim()
  return new StorageRefused(`the database file ${file} is damaged: restore a backup (${words})`)
}

function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}
