import type { developerRows } from '../../src/contract/admin/developers.ts'
import type { Given } from './world.ts'

export const developerGivens: Readonly<Record<keyof typeof developerRows, Given>> = {}
