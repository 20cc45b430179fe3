import { sampleId } from '../../sampleid.ts'
import type { AdminExamples } from '../row.ts'
import type { AdminSinglePayment, unsettledOperationRows } from '../unsettled.ts'
import { adminOrder } from './orders.ts'

const payment: AdminSinglePayment = {
  id: sampleId('payment'),
  provider: 'stripe',
  method: 'stripe',
  instrument: 'sepa_debit',
  brand: null,
  last4: null,
  amount: 5900,
  currency: 'EUR',
  collected: 0,
  status: 'pending',
  createdAt: '2026-05-01T12:00:00.000Z',
  reference: 'pi_3Qk2m5',
  providerUrl: 'https://dashboard.stripe.com/payments/pi_3Qk2m5',
  order: { id: adminOrder.id, number: adminOrder.number },
  closable: true,
}
const path = { paymentId: payment.id }

export const unsettledExamples: AdminExamples<typeof unsettledOperationRows> = {
  listAdminUnsettledPayments: {
    path: {},
    body: undefined,
    reply: { data: [payment], meta: { count: 1, next: null } },
  },
  getAdminPayment: { path, body: undefined, reply: { data: payment } },
  closeAdminPayment: {
    path,
    body: { idempotencyKey: '5a0d0b7c-7d6a-4f0e-9f5e-0c8a1a6f2b20', outcome: 'succeeded' },
    reply: { data: { ...payment, status: 'succeeded', closable: false } },
  },
}
