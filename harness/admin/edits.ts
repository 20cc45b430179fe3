import type { editOperationRows } from '../../src/contract/admin/edits.ts'
import type { Given } from './world.ts'

export const editGivens: Readonly<Record<keyof typeof editOperationRows, Given>> = {
  editAdminOrder: async (testServer) => {
    const { orderId } = await testServer.orders.place({ items: { CARD: 2 } })
    const { items } = (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data
    return { path: { orderId }, body: { items: [{ skuId: items[0].skuId, quantity: 1 }] } }
  },
}
