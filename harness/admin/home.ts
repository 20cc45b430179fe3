import type { homeRows } from '../../src/contract/admin/home.ts'
import type { Given } from './world.ts'

export const homeGivens: Readonly<Record<keyof typeof homeRows, Given>> = {
  getAdminHome: async () => ({}),
  getAdminOrderCounts: async () => ({}),
  searchAdmin: async () => ({ query: '?q=card' }),
}
