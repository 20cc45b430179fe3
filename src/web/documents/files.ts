// A document as a downloadable file, for the shopper and for the dashboard.

import type { AdminDocument } from '../../contract/admin/documents.ts'
import { privateHeaders } from '../../platform/html/policy.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { speakerFor } from '../languages/language.ts'
import { renderCii } from './cii.ts'
import { type Einvoice, einvoiceFor, einvoiceObstacle } from './einvoice.ts'
import { type DocumentFile, documentPdf, fileName, hasPdf } from './pdf.ts'
import { renderUbl } from './ubl.ts'

type Maker = (document: AdminDocument) => DocumentFile | undefined

const makers: ReadonlyMap<string, Maker> = new Map([
  ['pdf', documentPdf],
  ['ubl', xmlMaker(renderUbl)],
  ['cii', xmlMaker(renderCii)],
])

function xmlMaker(write: (einvoice: Einvoice) => string): Maker {
  return (document) => {
    const einvoice = einvoiceFor(speakerFor(document.locale, undefined), document)
    return (
      einvoice && {
        name: fileName(document, 'xml'),
        mediaType: 'application/xml',
        bytes: Buffer.from(write(einvoice)),
      }
    )
  }
}

// Returns the formats in which a document is available. The PDF contains the XML in CII, so UBL is the only other format.
export function documentFormats(document: AdminDocument): ('pdf' | 'ubl')[] {
  return [
    ...(hasPdf(document) ? ['pdf' as const] : []),
    ...(einvoiceObstacle(document) === null ? ['ubl' as const] : []),
  ]
}

// Returns undefined if the format is unknown or not available for the document.
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
