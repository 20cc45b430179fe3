// The admin operations on documents.

import type { documentRows } from '../../contract/admin/documents.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { Audited } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOf } from '../../platform/http/paging.ts'
import { readPlace, writePlace } from '../../platform/kit/cursor.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import { openBuyer } from './content.ts'
import { findTaxReport } from './report.ts'
import { findDocument, listDocuments } from './store.ts'
import { documentSummary, documentView } from './view.ts'

export function adminDocumentOperations({ rootSecret }: { rootSecret: RootSecret }): {
  [Id in keyof typeof documentRows]: AdminHandler<Id>
} {
  return {
    async listAdminDocuments({ db, caller, query, paging }) {
      const after = paging.after === null ? null : readPlace(paging.after, 'doc')
      const found = await listDocuments(db, caller, { ...query, after, limit: adminRowsAsked })
      const { rows, meta } = pageOf(found, paging, ({ issuedAt, id }) => writePlace({ at: issuedAt, id }))
      return { data: rows.map(documentSummary), meta }
    },

    async getAdminDocument({ db, caller, path: { documentId } }) {
      const found = await findDocument(db, caller, documentId)
      if (!found) throw refuse('document_not_found')
      const data = documentView(found, openBuyer(rootSecret, found) ?? null)
      const look = { kind: 'look', what: 'document', id: documentId, name: found.number, members: [] } as const
      return new Audited({ data }, [look])
    },

    getAdminTaxReport: async ({ db, caller, query, now }) => ({ data: await findTaxReport(db, caller, query, now) }),
  }
}
