// The admin operations on reports.

import type { reportOperationRows } from '../../contract/admin/reports.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { buildSalesReport } from './report.ts'

export function adminReportOperations(): { [Id in keyof typeof reportOperationRows]: AdminHandler<Id> } {
  return {
    getAdminSalesReport: async ({ db, caller, query, now }) => ({
      data: await buildSalesReport(db, caller, query, now),
    }),
  }
}
