import type { catalogRows } from '../catalog.ts'
import type { AdminExamples } from '../row.ts'

export const catalogExamples: AdminExamples<typeof catalogRows> = {}
