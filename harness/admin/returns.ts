import type { returnOperationRows } from '../../src/contract/admin/returns.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import type { AdminTestServer, Given } from './world.ts'

// An order of which everything was sent.
export async function sentOrder(
  testServer: AdminTestServer,
  items: Readonly<Record<string, number>> = { CARD: 2 },
): Promise<{ orderId: string; statusSecret: string; skuIds: string[] }> {
  const { orderId, statusSecret, quote } = await testServer.orders.place({ items })
  const sent = await testServer.askAdmin('fulfilAdminOrder', {
    path: { orderId },
    body: { idempotencyKey: newId('req') },
  })
  if (sent.status !== 200) throw new Error(sent.text)
  return { orderId, statusSecret, skuIds: quote.lines.map(({ skuId }) => skuId) }
}

async function approved(testServer: AdminTestServer): Promise<{ returnId: string; skuId: string }> {
  const { orderId, skuIds } = await sentOrder(testServer)
  const [skuId = ''] = skuIds
  const body = { idempotencyKey: newId('req'), items: [{ skuId, quantity: 1 }], reason: 'does_not_fit' }
  const opened = await testServer.askAdmin('createAdminReturn', { path: { orderId }, body })
  if (opened.status !== 200) throw new Error(opened.text)
  return { returnId: opened.body.data.id, skuId }
}

// As a shopper asks for it on the page of the order.
export async function requestedReturn(testServer: AdminTestServer): Promise<{ returnId: string; skuId: string }> {
  const { orderId, statusSecret, skuIds } = await sentOrder(testServer)
  const [skuId = ''] = skuIds
  const form = new URLSearchParams({ [`quantity-${skuId}`]: '1', reason: 'damaged', wish: 'refund', to: 'send' })
  const answer = await testServer.fetch(`/o/${statusSecret}/return`, {
    method: 'POST',
    body: form,
    redirect: 'manual',
    headers: { origin: testServer.origin },
  })
  if (answer.status !== 303) throw new Error(`${answer.status} ${answer.text}`)
  const list = await testServer.askAdmin('listAdminReturns', { query: `?orderId=${orderId}` })
  return { returnId: list.body.data[0].id, skuId }
}

const of =
  (make: typeof approved, body: object): Given =>
  async (testServer) => {
    const { returnId } = await make(testServer)
    return { path: { returnId }, body }
  }

export const returnGivens: Readonly<Record<keyof typeof returnOperationRows, Given>> = {
  listAdminReturns: async () => ({}),
  getAdminReturn: async (testServer) => ({ path: { returnId: (await approved(testServer)).returnId } }),
  createAdminReturn: async (testServer) => {
    const { orderId, skuIds } = await sentOrder(testServer)
    return { path: { orderId }, body: { items: [{ skuId: skuIds[0], quantity: 1 }], reason: 'late' } }
  },
  approveAdminReturn: of(requestedReturn, { instructions: 'To Bloom, Hauptstr. 1.' }),
  refuseAdminReturn: of(requestedReturn, { text: 'It was worn.' }),
  receiveAdminReturn: of(approved, {}),
  refundAdminReturn: of(approved, {}),
  exchangeAdminReturn: async (testServer) => {
    const { returnId, skuId } = await approved(testServer)
    return { path: { returnId }, body: { newItems: [{ skuId, quantity: 1 }] } }
  },
  closeAdminReturn: of(approved, {}),
}
