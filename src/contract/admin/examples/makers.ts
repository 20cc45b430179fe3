import type { AdminMaker, makerOperationRows } from '../makers.ts'
import type { AdminExamples } from '../row.ts'

const idempotencyKey = '0b6f2a7e-54a1-4b0c-9d55-2c1f7f0a3e61'
const makerId = 'mkr_01kjpg4h2sfwrb0vd6n4t8mz3q'

const maker: AdminMaker = {
  id: makerId,
  version: 1,
  maker: {
    slug: 'rosenhof',
    name: 'Rosenhof GmbH',
    address: ['Gartenweg 3', '99084 Erfurt'],
    country: 'DE',
    contact: 'safety@rosenhof.example',
    responsible: null,
  },
  productCount: 12,
  updatedAt: '2026-03-02T11:02:45.118Z',
}
const path = { makerId }

export const makerExamples: AdminExamples<typeof makerOperationRows> = {
  listAdminMakers: {
    path: {},
    query: { q: 'rosen' },
    body: undefined,
    reply: { data: [maker], meta: { count: 1, next: null } },
  },
  createAdminMaker: { path: {}, body: { idempotencyKey, maker: maker.maker }, reply: { data: maker } },
  replaceAdminMaker: { path, body: { idempotencyKey, expectedVersion: 1, maker: maker.maker }, reply: { data: maker } },
  removeAdminMaker: { path, body: { idempotencyKey, expectedVersion: 1 }, reply: { data: maker } },
}
