import { sampleId } from '../../sampleid.ts'
import type { AdminExamples } from '../row.ts'
import type { AdminSite, siteOperationRows } from '../site.ts'

const idempotencyKey = '5d0e0c9c-64f4-4a57-9c0c-6f2a5c1c9b1e'

const published: AdminSite['published'] = {
  look: { logo: null, color: '#2c4c3e', font: 'classic', corners: 'round', density: 'airy', scheme: 'auto' },
  home: null,
  menus: { head: null, foot: null },
}
const draft: AdminSite['published'] = {
  look: { ...published.look, color: '#7a1f3d', font: 'slab' },
  home: [
    { kind: 'hero', title: 'Cut this morning', bodyHtml: '<p>Delivered before noon.</p>', link: null },
    { kind: 'products', title: 'New', source: 'newest', limit: 8 },
  ],
  menus: { head: [{ kind: 'category', target: 'bouquets', label: '' }], foot: null },
}

const open: AdminSite = {
  version: 2,
  status: 'open',
  openedAt: '2026-03-02T11:02:45.118Z',
  url: 'https://tea.example.com',
  hosts: [
    {
      host: 'tea.example.com',
      isMain: true,
      isProved: true,
      problem: null,
      checkedAt: '2026-03-02T11:02:45.118Z',
      isChecked: false,
      record: { name: '_cartwright.tea.example.com', value: 'cartwright-host=3fYh2Lr0b1JvQnXc' },
    },
  ],
  published,
  draft: null,
  draftUrl: 'https://shop.example.com/preview/shops/bloom',
}
const closed: AdminSite = { ...open, version: 3, status: 'closed', openedAt: null }
const subject = { type: 'site', id: sampleId('merchant'), name: 'bloom' } as const

const content = { type: 'site_content', id: sampleId('merchant'), name: 'bloom' } as const
const host = { type: 'site_host', id: 'tea.example.com', name: 'tea.example.com' } as const

export const siteExamples: AdminExamples<typeof siteOperationRows> = {
  getAdminSite: { path: {}, body: undefined, reply: { data: open } },
  replaceAdminSite: {
    path: {},
    body: { idempotencyKey, expectedVersion: 2, ...draft },
    reply: {
      data: { ...open, version: 3, draft },
      changes: [{ kind: 'change', subject: content, members: [{ member: 'draft', from: null, to: draft }] }],
    },
  },
  publishAdminSite: {
    path: {},
    body: { idempotencyKey, expectedVersion: 3 },
    reply: {
      data: { ...open, version: 4, published: draft },
      changes: [
        {
          kind: 'change',
          subject: content,
          members: [
            { member: 'look', from: published.look, to: draft.look },
            { member: 'home', from: published.home, to: draft.home },
            { member: 'menus', from: published.menus, to: draft.menus },
            { member: 'draft', from: draft, to: null },
          ],
        },
      ],
    },
  },
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
  addAdminHost: {
    path: {},
    body: { idempotencyKey, host: 'tea.example.com' },
    reply: { data: open, changes: [{ kind: 'create', subject: host, members: [] }] },
  },
  checkAdminHost: {
    path: { host: host.name },
    body: { idempotencyKey },
    reply: {
      data: open,
      changes: [
        { kind: 'change', subject: host, members: [{ member: 'checkAt', from: null, to: '2026-03-02T11:02:45.118Z' }] },
      ],
    },
  },
  makeAdminHostMain: {
    path: { host: host.name },
    body: { idempotencyKey },
    reply: {
      data: open,
      changes: [
        {
          kind: 'change',
          subject: host,
          members: [{ member: 'main', from: 'bloom.example.com', to: 'tea.example.com' }],
        },
      ],
    },
  },
  removeAdminHost: {
    path: { host: host.name },
    body: { idempotencyKey },
    reply: { data: { ...open, hosts: [] }, changes: [{ kind: 'retire', subject: host, members: [] }] },
  },
}
