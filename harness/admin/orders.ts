import type { orderRows } from '../../src/contract/admin/orders.ts'
import type { Given } from './world.ts'

const placed: Given = async ({ orders }) => ({ path: { orderId: (await orders.place()).orderId } })

export const orderGivens: Readonly<Record<keyof typeof orderRows, Given>> = {
  listAdminOrders: async () => ({}),
  getAdminOrder: placed,
  getAdminOrderCustomer: placed,
  fulfilAdminOrder: async (house) => ({ ...(await placed(house)), body: { trackingNumber: '1Z' } }),
}
