import type { changeRows } from '../changes.ts'
import type { AdminExamples } from '../row.ts'

export const changeExamples: AdminExamples<typeof changeRows> = {}
