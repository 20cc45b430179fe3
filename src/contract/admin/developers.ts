// Installations, keys and webhooks: schemas and rows.

import type { AdminRows } from './row.ts'

export const developerRows = {} as const satisfies AdminRows
