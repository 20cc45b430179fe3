import type { peopleRows } from '../../src/contract/admin/people.ts'
import type { Given } from './world.ts'

export const peopleGivens: Readonly<Record<keyof typeof peopleRows, Given>> = {}
