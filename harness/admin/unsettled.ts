import type { unsettledOperationRows } from '../../src/contract/admin/unsettled.ts'
import type { AdminTestServer, Given } from './world.ts'

const hour = 3_600_000

// A payment that its provider has not reported for so long, of an order that awaits it.
export async function unsettledPayment(
  { orders, storage, clock, installationId }: AdminTestServer,
  ageMs: number,
): Promise<{ paymentId: string; orderId: string }> {
  const { orderId } = await orders.place({ items: { CARD: 1 }, isManual: true })
  const [row] = await storage.write(
    (tx) => tx.sql<{ id: string }>`
      update payments set settles = 'by_provider', provider = 'redirect', check_at = ${clock.now + 1000 * hour}, created_at = ${clock.now - ageMs}
      where installation_id = ${installationId} and order_id = ${orderId} returning id`,
  )
  return { paymentId: row?.id ?? '', orderId }
}

const old: Given = async (testServer) => ({
  path: { paymentId: (await unsettledPayment(testServer, 15 * 24 * hour)).paymentId },
})

export const unsettledGivens: Readonly<Record<keyof typeof unsettledOperationRows, Given>> = {
  listAdminUnsettledPayments: async () => ({}),
  getAdminPayment: old,
  closeAdminPayment: async (testServer) => ({ ...(await old(testServer)), body: { outcome: 'succeeded' } }),
}
