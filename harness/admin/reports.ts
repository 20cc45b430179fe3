import type { reportOperationRows } from '../../src/contract/admin/reports.ts'
import type { Given } from './world.ts'

export const reportGivens: Readonly<Record<keyof typeof reportOperationRows, Given>> = {
  getAdminSalesReport: async () => ({ query: '?by=week' }),
}
