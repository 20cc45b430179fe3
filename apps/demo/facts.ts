// Constants and types that the demo shop and its generated month share.

import type { Role } from '../../src/contract/words.ts'
import type { PastShop } from '../../src/ops/past.ts'

export const demoPeople = {
  owner: { email: 'demo@alder-finch.example', name: 'Mara Alder', role: 'owner' },
  staff: { email: 'fulfilment@alder-finch.example', name: 'Jonas Finch', role: 'staff' },
  viewer: { email: 'accounts@alder-finch.example', name: 'Lena Roth', role: 'viewer' },
} as const satisfies Readonly<Record<string, { email: string; name: string; role: Role }>>

export type DemoPerson = keyof typeof demoPeople

const day = 24 * 3_600_000
// Time from the first and from the last order of the month to the creation of the shop.
export const historyMs = 30 * day
export const historyEndsMs = 7 * 60_000

// The shop for which a month of history is generated.
export interface HistoryFacts {
  // Instant at which the shop was created, and at which the month ends.
  anchor: number
  shop: PastShop
  shopVersion: number
  // Ids of the SKUs, by their codes.
  skuIds: ReadonlyMap<string, string>
  people: Readonly<Record<DemoPerson, { userId: string; role: Role }>>
}
