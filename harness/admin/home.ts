import type { homeOperationRows } from '../../src/contract/admin/home.ts'
import type { Given } from './world.ts'

export const homeGivens: Readonly<Record<keyof typeof homeOperationRows, Given>> = {
  getAdminHome: async () => ({}),
  getAdminOrderCounts: async () => ({}),
  searchAdmin: async () => ({ query: '?q=card' }),
}
