// Documents as a ZIP file: each as a PDF and as the XML of an e-invoice, and a list of all. Only one document at a time is in memory, and
// other requests run between the steps of a document.

import type { AdminDocument } from '../../contract/admin/documents.ts'
import { correctedDocuments } from '../../domain/documents/content.ts'
import { createSlicePauses, runSteps, type SlicePauses } from '../../platform/kit/breath.ts'
import { isFormula } from '../../platform/kit/formula.ts'
import { decimalAmount } from '../../platform/kit/money.ts'
import { type ZipEntry, zipFile } from '../../platform/kit/zip.ts'
import { documentFile } from './files.ts'
import { type DocumentFile, fileName, pdfSteps } from './pdf.ts'

// The list stays in memory until all documents are written, and a ZIP file can contain 65,535 files.
export const archiveDocumentsMax = 20_000

export function documentArchive(documents: AsyncIterable<AdminDocument>): AsyncGenerator<Buffer, void, undefined> {
  return zipFile(entriesOf(documents))
}

async function* entriesOf(documents: AsyncIterable<AdminDocument>): AsyncGenerator<ZipEntry, void, undefined> {
  const breath = createSlicePauses()
  const names = new Set<string>()
  const rows = [indexRow(indexColumns)]
  let last = '1980-01-01'
  for await (const document of documents) {
    const name = nameFor(names, document)
    const files = await filesOf(breath, document)
    const entries = files.map(([ending, { bytes }]) => ({
      name: `${name}.${ending}`,
      day: document.day,
      bytes,
      isStored: ending === 'pdf',
    }))
    yield* entries
    rows.push(indexRow(indexCells(document, (ending) => entries.find((entry) => entry.name.endsWith(ending))?.name)))
    last = document.day > last ? document.day : last
    if (breath.isDue()) await breath.take()
  }
  // Begins with a byte order mark, so Excel reads the file as UTF-8.
  yield { name: 'index.csv', day: last, bytes: Buffer.from(`\ufeff${rows.join('')}`), isStored: false }
}

const folders = { invoice: 'invoices', credit_note: 'credit-notes' } as const

// Returns a unique name: numbers may differ only in characters that file names cannot contain, or in case, which some systems ignore.
function nameFor(names: Set<string>, document: AdminDocument): string {
  const base = `${folders[document.kind]}/${fileName(document, '').slice(0, -1)}`
  let name = base
  for (let copy = 2; names.has(name.toLowerCase()); copy += 1) name = `${base}-${copy}`
  names.add(name.toLowerCase())
  return name
}

async function filesOf(breath: SlicePauses, document: AdminDocument): Promise<(readonly [string, DocumentFile])[]> {
  const pdf = await runSteps(breath, pdfSteps(document))
  if (breath.isDue()) await breath.take()
  const xml = documentFile(document, 'ubl')
  return [...(pdf ? [['pdf', pdf] as const] : []), ...(xml ? [['xml', xml] as const] : [])]
}

const indexColumns = [
  ...['number', 'kind', 'date', 'supply_date', 'order', 'corrects', 'country', 'buyer'],
  ...['net', 'tax', 'total', 'currency', 'pdf', 'xml'],
]

// Amounts of credit notes are negative, as in the ledger.
function indexCells(document: AdminDocument, fileOf: (ending: string) => string | undefined): string[] {
  const { number, kind, day, supplyDay, order, country, buyer, currency } = document
  const corrected = correctedDocuments(document).map((one) => one.number)
  const sign = kind === 'invoice' ? 1 : -1
  const amount = (minor: number) => decimalAmount(minor === 0 ? 0 : sign * minor, currency)
  return [
    ...[safe(number), kind, day, supplyDay, safe(order.number), safe(corrected.join(' ')), country],
    safe(buyer?.company ?? buyer?.name ?? ''),
    ...[amount(document.net), amount(document.tax), amount(document.total), currency],
    ...[fileOf('.pdf') ?? '', fileOf('.xml') ?? ''],
  ]
}

function safe(cell: string): string {
  return isFormula(cell) ? `'${cell}` : cell
}

function indexRow(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`
}
