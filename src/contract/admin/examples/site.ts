import { sampleId } from '../../sampleid.ts'
import type { AdminExamples } from '../row.ts'
import type { AdminSite, siteRows } from '../site.ts'

const idempotencyKey = '5d0e0c9c-64f4-4a57-9c0c-6f2a5c1c9b1e'

const open: AdminSite = {
  version: 2,
  status: 'open',
  openedAt: '2026-03-02T11:02:45.118Z',
  url: 'https://shop.example.com/shop',
}
const closed: AdminSite = { ...open, version: 3, status: 'closed', openedAt: null }
const subject = { type: 'site', id: sampleId('merchant'), name: 'bloom' } as const

export const siteExamples: AdminExamples<typeof siteRows> = {
  getAdminSite: { path: {}, body: undefined, reply: { data: open } },
  openAdminSite: {
    path: {},
    body: { idempotencyKey, expectedVersion: 1 },
    reply: {
      data: open,
      changes: [{ kind: 'change', subject, members: [{ member: 'status', from: 'closed', to: 'open' }] }],
    },
  },
  closeAdminSite: {
    path: {},
    body: { idempotencyKey, expectedVersion: 2 },
    reply: {
      data: closed,
      changes: [{ kind: 'change', subject, members: [{ member: 'status', from: 'open', to: 'closed' }] }],
    },
  },
}
