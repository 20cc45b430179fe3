import type { orderOperationRows } from '../../src/contract/admin/orders.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import type { Given } from './world.ts'

// A SKU with ample stock.
const one = { items: { CARD: 1 } }

const placed: Given = async ({ orders }) => ({ path: { orderId: (await orders.place(one)).orderId } })

export const orderGivens: Readonly<Record<keyof typeof orderOperationRows, Given>> = {
  listAdminOrders: async () => ({}),
  getAdminOrder: placed,
  getAdminOrderCustomer: placed,
  getAdminOrderNames: async (testServer) => {
    const { path } = await placed(testServer)
    return { query: `?orderIds=${path?.orderId}` }
  },
  fulfilAdminOrder: async (testServer) => ({ ...(await placed(testServer)), body: { trackingNumber: '1Z' } }),
  updateAdminFulfillment: async (testServer) => {
    const { path } = await placed(testServer)
    const body = { idempotencyKey: newId('req') }
    const sent = await testServer.askAdmin('fulfilAdminOrder', { ...(path && { path }), body })
    return {
      path: { ...path, fulfillmentId: sent.body.data.fulfillment.id },
      body: { trackingNumber: newId('req') },
    }
  },
  fulfilAdminOrders: async ({ orders }) => ({ body: { rows: [{ orderId: (await orders.place(one)).orderId }] } }),
  payAdminOrder: async ({ orders }) => ({
    path: { orderId: (await orders.place({ ...one, isManual: true })).orderId },
    body: {},
  }),
  recordAdminMoney: async ({ orders }) => ({
    path: { orderId: (await orders.place({ ...one, isManual: true })).orderId },
    body: { amount: 100 },
  }),
  returnAdminOrder: async (testServer) => {
    const { orderId } = await testServer.orders.place({ ...one, isManual: true, method: 'cash_on_delivery' })
    const body = { idempotencyKey: newId('req') }
    await testServer.askAdmin('fulfilAdminOrder', { path: { orderId }, body })
    return { path: { orderId }, body: {} }
  },
  cancelAdminOrder: async (testServer) => ({ ...(await placed(testServer)), body: {} }),
  addAdminOrderNote: async (testServer) => ({ ...(await placed(testServer)), body: { text: 'Asked for red paper.' } }),
  refundAdminOrder: async (testServer) => ({ ...(await placed(testServer)), body: { amount: 100 } }),
}
