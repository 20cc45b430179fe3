import type { paymentOperationRows } from '../../src/contract/admin/payments.ts'
import { createBank } from '../bank.ts'
import type { AdminTestServer, Given } from './world.ts'

// The bank of harness/redirectProvider.ts as a server's payment provider, without a network.
export function bankAccounts() {
  const { accounts } = createBank()
  return { [accounts.name]: async () => accounts }
}

// A merchant has one living account at a provider, and every good request needs room for another.
async function endLiving({ storage, clock, merchantId }: AdminTestServer): Promise<void> {
  await storage.write(
    (tx) => tx.sql`
      update payment_accounts set ended_at = ${clock.now} where merchant_id = ${merchantId} and ended_at is null`,
  )
}

const connected: Given = async (testServer) => {
  await endLiving(testServer)
  const body = { idempotencyKey: crypto.randomUUID(), ...newAccount }
  const { body: reply } = await testServer.askAdmin('connectAdminPaymentAccount', { body })
  return { path: { accountId: reply.data.id } }
}

const newAccount = { provider: 'redirect', keys: { key: 'bank_test_acct1' } }

export const paymentGivens: Readonly<Record<keyof typeof paymentOperationRows, Given>> = {
  connectAdminPaymentAccount: async (testServer) => {
    await endLiving(testServer)
    return { body: newAccount }
  },
  checkAdminPaymentAccount: connected,
  replaceAdminPaymentKeys: async (testServer) => ({
    ...(await connected(testServer)),
    body: { keys: { key: 'bank_test_acct1.other' } },
  }),
  disconnectAdminPaymentAccount: async (testServer) => ({ ...(await connected(testServer)), body: {} }),
}
