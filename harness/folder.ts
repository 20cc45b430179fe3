// Where throwaway data of tests is kept: in memory where there is room, because nobody loses power here, and every commit that
// waits for a disk holds up a whole test file. A temporary folder that was asked for is taken.

import { mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

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

let own: Promise<string> | undefined

// A new folder. What is left of it when the process exits is removed.
export async function makeFolder(): Promise<string> {
  own ??= placeOfData().then((place) => {
    const made = mkdtempSync(join(place, 'cartwright-'))
    process.on('exit', () => rmSync(made, { recursive: true, force: true }))
    return made
  })
  return mkdtemp(join(await own, 'data-'))
}
