// A process that copies a store and kills itself at a given step. Run by the tests of backups and copies.

import { backUp, restoreBackup } from '../src/platform/storage/backup.ts'
import { copyStore } from '../src/platform/storage/copy.ts'

const [task, from = '', to = '', killAt = ''] = process.argv.slice(2)
const now = new Date('2026-06-01T12:00:00.000Z')

function reached(step: string): void {
  if (step === killAt) process.kill(process.pid, 'SIGKILL')
}

if (task === 'backup') await backUp(from, to, { force: false, onStep: reached })
if (task === 'restore') await restoreBackup(from, to, { force: true, now, onStep: reached })
if (task === 'move')
  await copyStore(from, to, { now, clearTarget: false, onProgress: ({ doing, table }) => reached(`${doing} ${table}`) })
