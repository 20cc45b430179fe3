import type { developerRows } from '../developers.ts'
import type { AdminExamples } from '../row.ts'

export const developerExamples: AdminExamples<typeof developerRows> = {}
