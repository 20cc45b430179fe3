// The people who run the shop: schemas and rows.

import type { AdminRows } from './row.ts'

export const peopleRows = {} as const satisfies AdminRows
