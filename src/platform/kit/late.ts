// A value that is made at its first use and cached. If making it fails, the next use tries again.

import { endTurn, runWork } from './work.ts'

export function loadOnce<Thing>(make: () => Promise<Thing>): () => Promise<Thing> {
  let making: Promise<Thing> | undefined
  return () => {
    making ??= runWork({ name: loadingWork }, make)
      .catch((error: unknown) => {
        making = undefined
        throw error
      })
      .finally(endTurn)
    return making
  }
}

// Name of the work of loading code: files are read, stripped of their types and compiled in one step.
export const loadingWork = 'code loading'
