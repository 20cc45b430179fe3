import type { catalogRows } from '../../src/contract/admin/catalog.ts'
import type { Given } from './world.ts'

export const catalogGivens: Readonly<Record<keyof typeof catalogRows, Given>> = {}
