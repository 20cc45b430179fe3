import type { documentOperationRows } from '../../src/contract/admin/documents.ts'
import { issueDocuments } from '../../src/domain/documents/issue.ts'
import { listDocumentsOfOrder } from '../../src/domain/documents/store.ts'
import { testSecret } from '../testServer.ts'
import type { Given } from './world.ts'

export const documentGivens: Readonly<Record<keyof typeof documentOperationRows, Given>> = {
  listAdminDocuments: async () => ({}),
  getAdminDocument: async (world) => ({ path: { documentId: await issueDocument(world) } }),
  listAdminDocumentExport: async (world) => {
    await issueDocument(world)
    return {}
  },
  listAdminLedger: async () => ({ query: '?format=datev' }),
  getAdminTaxReport: async () => ({ query: '?from=2026-06-01' }),
}

async function issueDocument({ orders, storage, clock, merchantId }: Parameters<Given>[0]): Promise<string> {
  const { orderId } = await orders.place({ items: { CARD: 1 } })
  await issueDocuments(storage, testSecret, { now: clock.now, limit: 1000 })
  const [made] = await storage.read((db) => listDocumentsOfOrder(db, merchantId, orderId))
  return made?.id ?? ''
}
