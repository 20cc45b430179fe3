// What the demo shop and its month agree on.

import type { Role } from '../../src/contract/words.ts'
import type { PastShop } from '../../src/ops/past.ts'

export const demoPeople = {
  owner: { email: 'demo@alder-finch.example', name: 'Mara Alder', role: 'owner' },
  staff: { email: 'fulfilment@alder-finch.example', name: 'Jonas Finch', role: 'staff' },
  viewer: { email: 'accounts@alder-finch.example', name: 'Lena Roth', role: 'viewer' },
} as const satisfies Readonly<Record<string, { email: string; name: string; role: Role }>>

export type DemoPerson = keyof typeof demoPeople

const day = 24 * 3_600_000
// The first order of the month is this long before the shop was made, and its last one that long.
export const historyMs = 30 * day
export const historyEndsMs = 7 * 60_000

// The shop for which a month is to be made.
export interface HistoryFacts {
  // When the shop was made, and the month ends.
  anchor: number
  shop: PastShop
  shopVersion: number
  // By code.
  skuIds: ReadonlyMap<string, string>
  people: Readonly<Record<DemoPerson, { userId: string; role: Role }>>
}
