// Returns a function that makes a value when it is first called, and caches it. If making it fails, the next call tries again.

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

// Work name for loading code: files are read, stripped of their types and compiled in one step.
export const loadingWork = 'code loading'
