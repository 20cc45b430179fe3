import { issueAt } from '../../issues.ts'
import { sampleId } from '../../sampleid.ts'
import type { AdminPaymentAccount, paymentOperationRows } from '../payments.ts'
import type { AdminExamples } from '../row.ts'

const idempotencyKey = '5a0d0b7c-7d6a-4f0e-9f5e-0c8a1a6f2b19'

const account: AdminPaymentAccount = {
  id: sampleId('paymentAccount'),
  provider: 'mollie',
  mode: 'test',
  account: 'pfl_QkEhN94Ba',
  name: 'Bloom',
  receivesNotices: true,
  problems: [],
  createdAt: '2026-06-01T12:00:00.000Z',
  endedAt: null,
}

export const paymentExamples: AdminExamples<typeof paymentOperationRows> = {
  connectAdminPaymentAccount: {
    path: {},
    body: { idempotencyKey, provider: 'mollie', keys: { key: 'test_…' } },
    reply: { data: account },
  },
  checkAdminPaymentAccount: {
    path: { accountId: account.id },
    body: undefined,
    reply: { data: { ...account, issues: [issueAt('', 'no_method_at_provider', { provider: 'Mollie' })] } },
  },
  replaceAdminPaymentKeys: {
    path: { accountId: account.id },
    body: { idempotencyKey, keys: { key: 'test_…' } },
    reply: { data: account },
  },
  disconnectAdminPaymentAccount: {
    path: { accountId: account.id },
    body: { idempotencyKey },
    reply: { data: { ...account, endedAt: '2026-06-02T12:00:00.000Z', leftover: null } },
  },
}
