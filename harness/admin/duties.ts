import type { dutyRows } from '../../src/contract/admin/duties.ts'
import type { Given } from './world.ts'

export const dutyGivens: Readonly<Record<keyof typeof dutyRows, Given>> = {
  getAdminDuties: async () => ({}),
}
