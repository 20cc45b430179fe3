// The process that checks a database file while its server runs (check.ts). SQLite reads all pages in one call, which can only be
// interrupted by ending the process. So a worker thread reads, and the main thread ends the process when the server has ended: the result
// would be useless, and the write-ahead log cannot be emptied while a process reads the file. Plain JavaScript, so the process starts
// without stripping types.

import { setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

if (isMainThread) watch()
else parentPort?.postMessage(check(String(process.argv[2])))

function watch() {
  process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL')).resume()
  try {
    // Gives priority to processes that answer requests.
    setPriority(19)
  } catch {
    // If the system does not allow this, the check runs at normal priority.
  }
  new Worker(import.meta.filename, { argv: process.argv.slice(2) })
    .on('message', (found) => process.stdout.write(JSON.stringify(found), () => process.exit()))
    .on('error', (error) => {
      throw error
    })
}

const damaged = [11, 26]

function check(file) {
  const startedAt = performance.now()
  const finding = findingIn(file)
  // Measured here, since a busy server may notice the end late.
  return { finding, tookMs: Math.round(performance.now() - startedAt) }
}

function findingIn(file) {
  try {
    const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    return String(Object.values(db.prepare('pragma quick_check(1)').get() ?? {})[0])
  } catch (error) {
    // The low byte is the primary error code. Only `corrupt` and `notadb` mean that the file is damaged.
    if (!damaged.includes(error.errcode & 0xff)) throw error
    return error.message
  }
}
