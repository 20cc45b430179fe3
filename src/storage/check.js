// The process that checks a file beside its server (check.ts). SQLite reads every page of it in one go, which nothing can
// interrupt but the end of the process: so a thread reads, and another sees when the server is gone. Nobody could use the
// answer then, and for as long as somebody reads a file its log cannot be emptied. Plain JavaScript, so that no types have
// to be stripped for it.

import { setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

if (isMainThread) watch()
else parentPort?.postMessage(check(String(process.argv[2])))

function watch() {
  process.stdin.on('close', () => process.kill(process.pid, 'SIGKILL')).resume()
  try {
    // After everybody who waits for an answer.
    setPriority(19)
  } catch {
    // Where that is not allowed it reads as it is.
  }
  new Worker(import.meta.filename, { argv: process.argv.slice(2) })
    .on('message', (finding) => process.stdout.write(finding, () => process.exit()))
    .on('error', (error) => {
      throw error
    })
}

const damaged = [11, 26]

function check(file) {
  try {
    const db = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
    return String(Object.values(db.prepare('pragma quick_check(1)').get() ?? {})[0])
  } catch (error) {
    // The low byte says what it is: malformed, or no database. Anything else says nothing of the file.
    if (!damaged.includes(error.errcode & 0xff)) throw error
    return error.message
  }
}
