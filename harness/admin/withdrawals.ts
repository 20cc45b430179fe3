import type { AdminWithdrawal, withdrawalRows } from '../../src/contract/admin/withdrawals.ts'
import { withdraw } from '../withdrawals.ts'
import type { Given } from './world.ts'

const received: Given = async (testServer) => {
  const { number } = await testServer.orders.place({ items: { CARD: 1 } })
  await withdraw(testServer, { order: number })
  const { body } = await testServer.askAdmin('listAdminWithdrawals')
  const rows: readonly AdminWithdrawal[] = body.data
  return { path: { withdrawalId: rows.find(({ order }) => order?.number === number)?.id ?? '' } }
}

export const withdrawalGivens: Readonly<Record<keyof typeof withdrawalRows, Given>> = {
  listAdminWithdrawals: async () => ({}),
  getAdminWithdrawal: received,
  getAdminWithdrawalStatement: received,
  settleAdminWithdrawal: async (testServer) => ({ ...(await received(testServer)), body: { outcome: 'accepted' } }),
}
