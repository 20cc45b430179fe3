import type { shopRows } from '../../src/contract/admin/shop.ts'
import type { Given } from './world.ts'

export const shopGivens: Readonly<Record<keyof typeof shopRows, Given>> = {}
