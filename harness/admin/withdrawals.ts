import assert from 'node:assert/strict'
import type { AdminWithdrawal, withdrawalOperationRows } from '../../src/contract/admin/withdrawals.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { withdraw } from '../withdrawals.ts'
import type { Given } from './world.ts'

const received: Given = async (testServer) => {
  const { number } = await testServer.orders.place({ items: { CARD: 1 } })
  return withdrawn(testServer, number)
}

async function withdrawn(testServer: Parameters<Given>[0], number: string) {
  await withdraw(testServer, { order: number })
  const { body } = await testServer.askAdmin('listAdminWithdrawals')
  const rows: readonly AdminWithdrawal[] = body.data
  return { path: { withdrawalId: rows.find(({ order }) => order?.number === number)?.id ?? '' } }
}

const receivedOfSent: Given = async (testServer) => {
  const { orderId, number } = await testServer.orders.place({ items: { CARD: 1 } })
  const sent = await testServer.askAdmin('fulfilAdminOrder', {
    path: { orderId },
    body: { idempotencyKey: newId('req') },
  })
  assert.equal(sent.status, 200, sent.text)
  return withdrawn(testServer, number)
}

export const withdrawalGivens: Readonly<Record<keyof typeof withdrawalOperationRows, Given>> = {
  listAdminWithdrawals: async () => ({}),
  getAdminWithdrawal: received,
  getAdminWithdrawalStatement: received,
  settleAdminWithdrawal: async (testServer) => ({ ...(await received(testServer)), body: { outcome: 'accepted' } }),
  openAdminWithdrawalReturn: async (testServer) => ({ ...(await receivedOfSent(testServer)), body: {} }),
}
