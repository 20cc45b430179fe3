// Stores the page size chosen below a list.

import type { Screen } from '../screen.ts'
import { postedRowCount } from '../table.ts'

const lists = [
  { path: 'orders', place: 'orders', needs: 'listAdminOrders', rows: 'list' },
  { path: 'products', place: 'products', needs: 'listAdminProducts', rows: 'list' },
  { path: 'stock', place: 'products', needs: 'listAdminSkus', rows: 'sheet' },
] as const

export const rowScreens: readonly Screen[] = lists.map(({ path, place, needs, rows }) => ({
  path: `${path}/rows`,
  name: `dashboard ${path}, rows`,
  place,
  needs,
  post: async (posted) => postedRowCount(posted, path, rows),
}))
