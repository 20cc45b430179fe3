// Ids for addresses that were sent without an id. Pure.

import { hash } from 'node:crypto'
import type { PlatformAddress } from '../../../domain/agents/asked.ts'

// Returns the same id for equal addresses.
export function destinationIdFor({ id: _, ...members }: PlatformAddress): string {
  const text = JSON.stringify(Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return `dst_${hash('sha256', text, 'hex').slice(0, 20)}`
}
