// The admin operations on reports.

import type { reportRows } from '../../contract/admin/reports.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { salesReport } from './report.ts'

export function adminReportOperations(): { [Id in keyof typeof reportRows]: AdminHandler<Id> } {
  return {
    getAdminSalesReport: async ({ db, caller, query, now }) => ({ data: await salesReport(db, caller, query, now) }),
  }
}
