import type { dutyOperationRows } from '../../src/contract/admin/duties.ts'
import type { Given } from './world.ts'

export const dutyGivens: Readonly<Record<keyof typeof dutyOperationRows, Given>> = {
  getAdminDuties: async () => ({}),
}
