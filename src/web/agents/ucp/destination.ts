// Ids for addresses that have none. Pure.

import { hash } from 'node:crypto'
import type { PlatformAddress } from '../../../domain/agents/asked.ts'

// Equal addresses have equal ids.
export function destinationIdFor({ id: _, ...members }: PlatformAddress): string {
  const text = JSON.stringify(Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return `dst_${hash('sha256', text, 'hex').slice(0, 20)}`
}
