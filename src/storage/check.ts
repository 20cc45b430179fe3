// Whether a file is whole. After an unclean end SQLite repairs what it was writing; reading every page finds what it cannot
// know: a disk that lied or lost. That takes seconds for a large shop, so a server is up while another process looks.
import { type ChildProcess, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from './connection.ts'
import type { Log } from './inside.ts'
import { StorageRefused } from './storage.ts'

// Before the file is used.
export function checkFirst({ db }: Connection, file: string, log: Log): void {
  const startedAt = performance.now()
  const finding = String(Object.values(db.prepare('pragma quick_check(1)').get() ?? {})[0])
  log('the file was checked before it is used', { file, finding, tookMs: msSince(startedAt) })
  if (finding !== 'ok') throw damageOf(file, finding)
}

export interface FileCheck {
  // Every page was read and nothing was wrong.
  isDone(): boolean
  stop(): void
}

export interface CheckBounds {
  // How much the log of the file may grow meanwhile. While somebody reads, it cannot be emptied, and everybody who looks
  // for a page has to look there first: with half a gigabyte of it a write costs three times as much.
  logBytesMax: number
  lookMs: number
}

const usual: CheckBounds = { logBytesMax: 128 * 2 ** 20, lookMs: 1_000 }

// While the file is used. `onDamage` is called at most once, and not after `stop`.
export function checkBeside(
  file: string,
  log: Log,
  onDamage: (damage: StorageRefused) => void,
  { logBytesMax, lookMs }: CheckBounds = usual,
): FileCheck {
  log('nothing says that the last run ended cleanly, so the file is being checked', { file })
  const startedAt = performance.now()
  const child: ChildProcess = spawn(process.execPath, [join(import.meta.dirname, 'check.js'), file], {
    // The first tells it, by its end, that we are gone.
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let isDone = false
  let isOver = false
  let [finding, complaint] = ['', '']

  const logBytesBefore = logBytesOf(file)
  const watch = setInterval(() => {
    if (logBytesOf(file) - logBytesBefore <= logBytesMax) return
    complaint = 'too much is written meanwhile, and the log cannot be emptied before it ends'
    child.kill('SIGKILL')
  }, lookMs)
  watch.unref()

  function end(code: number | null): void {
    clearInterval(watch)
    if (isOver) return
    isOver = true
    const tookMs = msSince(startedAt)
    if (code !== 0 || finding === '') {
      // The next start tries again.
      log('the file could not be checked', { file, tookMs, code, reason: complaint })
      return
    }
    log('the file was checked', { file, finding, tookMs })
    isDone = finding === 'ok'
    if (!isDone) onDamage(damageOf(file, finding))
  }

  // Where there is no room for another process there are no streams to it either.
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    finding += text
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

// A log that cannot be looked at is no reason to end anything.
function logBytesOf(file: string): number {
  try {
    return statSync(`${file}-wal`).size
  } catch {
    return 0
  }
}

function damageOf(file: string, finding: string): StorageRefused {
  // SQLite writes a headline above it.
  const words = finding.replaceAll(/\s+/g, ' ').trim()
  return new StorageRefused(`the storage file is damaged, restore a backup: ${file}: ${words}`)
}

function msSince(startedAt: number): number {
  return Math.round(performance.now() - startedAt)
}
