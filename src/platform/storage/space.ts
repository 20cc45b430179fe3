// The disk space of a database file: how much it uses, how much is free, and whether a write still fits.
import { accessSync, constants, statfsSync } from 'node:fs'
import { open, rm, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

// More than a commit needs. On a full disk, a small write may still fit into space that the write-ahead log already occupies.
const roomBytes = 1_048_576

// Rejects if a file of `roomBytes` cannot be written beside the database.
export async function checkFreeSpace(file: string): Promise<void> {
  const path = `${file}-room`
  try {
    const handle = await open(path, 'w', 0o600)
    try {
      await handle.writeFile(Buffer.alloc(roomBytes))
      await handle.sync()
    } finally {
      await handle.close()
    }
  } finally {
    await rm(path, { force: true })
  }
}

export async function measureSpace(file: string): Promise<{ bytes: number; freeBytes: number }> {
  const [sizes, { bavail, bsize }] = await Promise.all([
    Promise.all([file, `${file}-wal`].map(sizeOf)),
    statfs(dirname(file)),
  ])
  return { bytes: sizes.reduce((sum, size) => sum + size, 0), freeBytes: bavail * bsize }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  )
}

// Describes what is wrong with the disk if a file could not be opened or written. SQLite only reports `disk I/O error` or `unable to open
// database file`.
export function diskProblemText(file: string, error: unknown): string {
  const { message } = error as Error
  const trouble = troubleOf(dirname(file))
  return trouble === undefined ? message : `${trouble} (${message})`
}

export function isReadOnly(file: string): boolean {
  return troubleOf(dirname(file)) === READ_ONLY
}

const READ_ONLY = 'the file system is read-only'

function troubleOf(folder: string): string | undefined {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize < roomBytes ? 'the disk is full' : undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EROFS') return READ_ONLY
    return code === 'EACCES' ? 'this user may not write to its folder' : undefined
  }
}
