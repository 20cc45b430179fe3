import type { peopleRows } from '../people.ts'
import type { AdminExamples } from '../row.ts'

export const peopleExamples: AdminExamples<typeof peopleRows> = {}
