import { sampleId } from '../../sampleid.ts'
import type { AdminExamples } from '../row.ts'
import type { AdminWithdrawal, withdrawalOperationRows } from '../withdrawals.ts'

const received: AdminWithdrawal = {
  id: sampleId('withdrawal'),
  mode: 'live',
  status: 'received',
  outcome: null,
  order: { id: sampleId('order'), number: '1001', emailMatches: true },
  returnId: null,
  receivedAt: '2026-06-20T17:04:31.000Z',
  refundDueAt: '2026-07-04T17:04:31.000Z',
  settledAt: null,
  version: 1,
}

export const withdrawalExamples: AdminExamples<typeof withdrawalOperationRows> = {
  listAdminWithdrawals: {
    path: {},
    query: { status: 'received' },
    body: undefined,
    reply: { data: [received], meta: { count: 1, next: null } },
  },
  getAdminWithdrawal: {
    path: { withdrawalId: received.id },
    body: undefined,
    reply: { data: received },
  },
  getAdminWithdrawalStatement: {
    path: { withdrawalId: received.id },
    body: undefined,
    reply: { data: { name: 'Ada Lovelace', order: '1001', email: 'ada@example.com', items: '' } },
  },
  openAdminWithdrawalReturn: {
    path: { withdrawalId: received.id },
    body: { idempotencyKey: '7c0e2f5e-1d55-4a08-9a3e-4a4a4a1f0d43', expectedVersion: 1 },
    reply: { data: { ...received, returnId: sampleId('return'), version: 2 } },
  },
  settleAdminWithdrawal: {
    path: { withdrawalId: received.id },
    body: { idempotencyKey: '7c0e2f5e-1d55-4a08-9a3e-4a4a4a1f0d42', outcome: 'accepted', expectedVersion: 1 },
    reply: {
      data: {
        ...received,
        status: 'settled',
        outcome: 'accepted',
        settledAt: '2026-06-22T08:30:00.000Z',
        version: 2,
      },
    },
  },
}
