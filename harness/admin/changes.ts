import type { changeRows } from '../../src/contract/admin/changes.ts'
import type { Given } from './world.ts'

export const changeGivens: Readonly<Record<keyof typeof changeRows, Given>> = {}
