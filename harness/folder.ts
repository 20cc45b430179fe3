// Where throwaway data of tests is kept: in memory where there is room, because nobody loses power here, and every commit that
// waits for a disk holds up a whole test file. A temporary folder that was asked for is taken.

import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const memory = '/dev/shm'
const neededBytes = 4 * 2 ** 30

export async function placeOfData(): Promise<string> {
  if (process.env.TMPDIR !== undefined) return tmpdir()
  const freeBytes = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return freeBytes >= neededBytes ? memory : tmpdir()
}
