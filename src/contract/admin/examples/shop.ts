import type { AdminExamples } from '../row.ts'
import type { shopRows } from '../shop.ts'

export const shopExamples: AdminExamples<typeof shopRows> = {}
