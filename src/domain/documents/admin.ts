// The admin operations on documents.

import type { documentOperationRows } from '../../contract/admin/documents.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOfRows } from '../../platform/http/paging.ts'
import { readCursorPosition, writeCursorPosition } from '../../platform/kit/cursor.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import { decryptBuyer } from './content.ts'
import { datevBatch, plainLedger } from './ledger.ts'
import { findTaxDays, findTaxReport, refuseOtherYear } from './report.ts'
import { findDocument, listDocuments, listDocumentsOfDays } from './store.ts'
import { documentSummary, documentView } from './view.ts'

// Maximum numbers of documents in one response: as ledger lines, and whole. A document of 100 lines is 30 KB of JSON.
const ledgerRowsMax = 200
const wholeRowsMax = 10

export function adminDocumentOperations({ rootSecret }: { rootSecret: RootSecret }): {
  [Id in keyof typeof documentOperationRows]: AdminHandler<Id>
} {
  return {
    async listAdminDocuments({ db, caller, query, paging }) {
      const after = paging.after === null ? null : readCursorPosition(paging.after, 'doc')
      const found = await listDocuments(db, caller, { ...query, after, limit: adminRowsAsked })
      const { rows, meta } = pageOfRows(found, paging, ({ issuedAt, id }) => writeCursorPosition({ at: issuedAt, id }))
      return { data: rows.map(documentSummary), meta }
    },

    async getAdminDocument({ db, caller, path: { documentId } }) {
      const found = await findDocument(db, caller, documentId)
      if (!found) throw refuse('document_not_found')
      const data = documentView(found, decryptBuyer(rootSecret, found) ?? null)
      return new AuditedReply({ data }, [lookAt(found)])
    },

    async listAdminLedger({ db, caller, query: { format = 'plain', ...asked }, paging, now }) {
      const { from, to, currency } = await findTaxDays(db, caller.merchantId, asked, now)
      if (format === 'datev') refuseOtherYear({ from, to })
      const facts = { from, to, currency, now: now.getTime() }
      const after = paging.after === null ? { at: 0, id: '' } : readCursorPosition(paging.after, 'doc')
      const found = await listDocumentsOfDays(db, caller, { from, to, after, limit: ledgerRowsMax + 1 })
      const { rows, meta } = pageOfRows(
        found,
        paging,
        ({ issuedAt, id }) => writeCursorPosition({ at: issuedAt, id }),
        ledgerRowsMax,
      )
      const { head, lines } = format === 'datev' ? datevBatch : plainLedger
      const text = rows.map((row) => lines(row, facts)).join('')
      return { data: { text: paging.after === null ? head(facts) + text : text }, meta }
    },

    async listAdminDocumentExport({ db, caller, query, paging, now }) {
      const { from, to } = await findTaxDays(db, caller.merchantId, query, now)
      const after = paging.after === null ? { at: 0, id: '' } : readCursorPosition(paging.after, 'doc')
      const found = await listDocumentsOfDays(db, caller, { from, to, after, limit: wholeRowsMax + 1 })
      const { rows, meta } = pageOfRows(
        found,
        paging,
        ({ issuedAt, id }) => writeCursorPosition({ at: issuedAt, id }),
        wholeRowsMax,
      )
      const data = rows.map((row) => documentView(row, decryptBuyer(rootSecret, row) ?? null))
      return new AuditedReply({ data, meta }, rows.map(lookAt))
    },

    getAdminTaxReport: async ({ db, caller, query, now }) => ({ data: await findTaxReport(db, caller, query, now) }),
  }
}

function lookAt({ id, number }: { id: string; number: string }): AuditedChange {
  return { kind: 'look', what: 'document', id, name: number, members: [] }
}
