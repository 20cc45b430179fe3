// Something that is made at its first use and cached. If making it fails, the next use tries again.

import { endTurn, runWork } from './work.ts'

export function late<Thing>(make: () => Promise<Thing>): () => Promise<Thing> {
  let making: Promise<Thing> | undefined
  return () => {
    making ??= runWork({ name: loading }, make)
      .catch((error: unknown) => {
        making = undefined
        throw error
      })
      .finally(endTurn)
    return making
  }
}

// Mostly code, which is read, stripped of its types and compiled at once.
export const loading = 'code loading'
