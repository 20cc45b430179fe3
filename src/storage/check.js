// The process that checks a file beside its server (check.ts). SQLite reads every page of it in one go, which nothing can
// interrupt but the end of the process. Plain JavaScript, so that no types have to be stripped for it.

import { setPriority } from 'node:os'
import { DatabaseSync } from 'node:sqlite'

const damaged = [11, 26]
const [, , file] = process.argv

let finding
try {
  // After everybody who waits for an answer.
  setPriority(19)
} catch {
  // Where that is not allowed it reads as it is.
}
try {
  const db = new DatabaseSync(String(file), { readOnly: true, timeout: 5_000 })
  finding = String(Object.values(db.prepare('pragma quick_check(1)').get() ?? {})[0])
} catch (error) {
  // The low byte says what it is: malformed, or no database. Anything else says nothing of the file.
  if (!damaged.includes(error.errcode & 0xff)) throw error
  finding = error.message
}
process.stdout.write(finding)
