// A document as a file, for the shopper and for the dashboard.

import type { AdminDocument } from '../../contract/admin/documents.ts'
import { privateHeaders } from '../../platform/html/policy.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { type DocumentFile, documentPdf } from './pdf.ts'

type Maker = (document: AdminDocument) => DocumentFile | undefined

const makers: ReadonlyMap<string, Maker> = new Map([['pdf', documentPdf]])

// Undefined where there is no such format, or the document cannot be had in it.
export function documentFile(document: AdminDocument, format: string): DocumentFile | undefined {
  return makers.get(format)?.(document)
}

export function fileAnswer({ name, mediaType, bytes }: DocumentFile): PageAnswer {
  return {
    status: 200,
    headers: {
      ...privateHeaders({}),
      'content-type': mediaType,
      'content-disposition': `attachment; filename="${name}"`,
      'x-content-type-options': 'nosniff',
    },
    body: bytes,
  }
}
