import type { AdminExamples } from '../row.ts'
import type { AdminTransfer, AdminTransferSummary, transferOperationRows } from '../transfers.ts'

const transferId = 'trf_01h455vb4pex5vsknk084sn02q'

const summary: AdminTransferSummary = {
  id: transferId,
  kind: 'products',
  name: 'products.csv',
  state: 'ready',
  pieces: 2,
  received: 2,
  created: 0,
  changed: 1,
  unchanged: 41,
  refused: 1,
  written: 0,
  problem: null,
  createdAt: '2026-06-01T10:00:00.000Z',
  updatedAt: '2026-06-01T10:00:04.000Z',
}

const reply: { data: AdminTransfer } = {
  data: {
    ...summary,
    columns: null,
    changesCount: 1,
    changes: [
      {
        line: 7,
        kind: 'change',
        type: 'sku',
        name: 'MUG-PLUM',
        members: [{ member: 'price', from: 1_200, to: 1_400 }],
      },
    ],
    refusedRows: [
      {
        line: 12,
        name: 'teapot',
        reason: 'the price "12,50" has a comma: write it like 1299.00',
        code: 'price_has_comma',
        values: { value: '12,50' },
        moreRows: 0,
        leavesOut: false,
      },
    ],
    notes: [{ line: 3, code: 'tags_cut', values: { max: 50 }, message: 'only the first 50 tags were imported' }],
  },
}

const emptyPlan = { changed: 0, unchanged: 0, refused: 0, changesCount: 0, changes: [], refusedRows: [], notes: [] }
const body = { idempotencyKey: 'transfer-1' }
const lines = 'Name,Financial Status,Total,Lineitem quantity,Lineitem sku\n1001,paid,24.00,2,MUG-PLUM\n'

export const transferExamples: AdminExamples<typeof transferOperationRows> = {
  listAdminTransfers: { path: {}, body: undefined, reply: { data: [summary], meta: { count: 1, next: null } } },
  createAdminTransfer: { path: {}, body: { ...body, kind: 'products', name: 'products.csv', pieces: 2 }, reply },
  getAdminTransfer: { path: { transferId }, body: undefined, reply },
  appendAdminTransfer: {
    path: { transferId, piece: '1' },
    body: { ...body, text: 'Handle,Title,Variant SKU,Variant Price\nmug,Mug,MUG-PLUM,14.00\n' },
    reply,
  },
  assignAdminTransferColumns: {
    path: { transferId },
    body: {
      ...body,
      columns: [
        { column: 'Article', as: 'title' },
        { column: 'Article no.', as: 'sku' },
        { column: 'Price', as: 'price' },
      ],
    },
    reply: {
      data: {
        ...reply.data,
        ...emptyPlan,
        state: 'planning',
        columns: [
          { name: 'Article', samples: ['Mug'], as: 'title' },
          { name: 'Article no.', samples: ['MUG-PLUM'], as: 'sku' },
          { name: 'Price', samples: ['€ 14.00'], as: 'price' },
          { name: 'Shelf', samples: ['B4'], as: null },
        ],
      },
    },
  },
  confirmAdminTransfer: { path: { transferId }, body, reply },
  discardAdminTransfer: { path: { transferId }, body, reply: { data: { id: transferId, removed: true } } },
  listAdminExport: {
    path: {},
    query: { of: 'orders', from: '2026-06-01T00:00:00.000Z' },
    body: undefined,
    reply: { data: { text: lines }, meta: { count: 1, next: null } },
  },
  listAdminCustomerExport: {
    path: {},
    query: { from: '2026-06-01T00:00:00.000Z' },
    body: undefined,
    reply: { data: { text: lines }, meta: { count: 1, next: null } },
  },
}
