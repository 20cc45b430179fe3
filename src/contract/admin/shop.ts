// The merchant, taxes, shipping and payment providers: schemas and rows.

import type { AdminRows } from './row.ts'

export const shopRows = {} as const satisfies AdminRows
