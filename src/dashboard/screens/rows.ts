// How many rows a list shows, as it is chosen at the foot.

import type { Screen } from '../screen.ts'
import { postedRowCount } from '../table.ts'

const lists = [
  { place: 'orders', needs: 'listAdminOrders' },
  { place: 'products', needs: 'listAdminProducts' },
] as const

export const rowScreens: readonly Screen[] = lists.map(({ place, needs }) => ({
  path: `${place}/rows`,
  name: `dashboard ${place}, rows`,
  place,
  needs,
  post: async (posted) => postedRowCount(posted, place),
}))
