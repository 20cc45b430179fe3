// Products, SKUs, stock, categories, pictures and promotions: schemas and rows.

import type { AdminRows } from './row.ts'

export const catalogRows = {} as const satisfies AdminRows
