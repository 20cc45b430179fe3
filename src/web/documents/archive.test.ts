import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { documentLine, sampleDocument } from '../../../harness/documents.ts'
import { readZip } from '../../../harness/zip.ts'
import type { AdminDocument } from '../../contract/admin/documents.ts'
import { documentArchive } from './archive.ts'
import { documentFile } from './files.ts'
import { documentPdf, pdfSteps } from './pdf.ts'

async function archived(documents: readonly AdminDocument[]): Promise<Map<string, Buffer>> {
  const each = (async function* () {
    yield* documents
  })()
  return readZip(Buffer.concat(await Array.fromAsync(documentArchive(each))))
}

describe('documents as a ZIP file', () => {
  test('contain a PDF and an XML file of each, and a list whose amounts add up', async () => {
    const invoice = sampleDocument({})
    const note = { ...sampleDocument({}), kind: 'credit_note' as const, number: 'C2026-000001' }
    const files = await archived([invoice, note])
    assert.deepEqual(
      [...files.keys()],
      [
        ...['invoices/2026-000123.pdf', 'invoices/2026-000123.xml'],
        ...['credit-notes/C2026-000001.pdf', 'credit-notes/C2026-000001.xml', 'index.csv'],
      ],
    )
    assert.deepEqual(files.get('invoices/2026-000123.pdf'), documentPdf(invoice)?.bytes)
    assert.deepEqual(files.get('invoices/2026-000123.xml'), documentFile(invoice, 'ubl')?.bytes)
    const [head = '', ...rows] = String(files.get('index.csv')).trimEnd().split('\r\n')
    assert.match(head, /^\ufeffnumber,kind,date,/)
    const total = head.split(',').indexOf('total')
    assert.equal(rows.length, 2)
    assert.equal(
      rows.reduce((sum, row) => sum + Number(row.split(',')[total]), 0),
      0,
    )
    assert.ok(rows[0]?.endsWith(',invoices/2026-000123.pdf,invoices/2026-000123.xml'))
  })

  test('have different file names, even if numbers differ only in punctuation or letter case', async () => {
    const numbers = ['A/1', 'A-1', 'a:1']
    const files = await archived(numbers.map((number) => ({ ...sampleDocument({}), number })))
    assert.deepEqual(
      [...files.keys()].filter((name) => name.endsWith('.pdf')),
      ['invoices/A-1.pdf', 'invoices/A-1-2.pdf', 'invoices/a-1-3.pdf'],
    )
  })

  test('are in the list even if they cannot be printed, and the list contains no formulas', async () => {
    const sample = sampleDocument({ lines: [documentLine({ name: '花の本' })] })
    const buyer = sample.buyer && { ...sample.buyer, company: '=HYPERLINK("x"),y' }
    const files = await archived([{ ...sample, buyer }])
    assert.deepEqual([...files.keys()], ['invoices/2026-000123.xml', 'index.csv'])
    const list = String(files.get('index.csv'))
    assert.match(list, /,"'=HYPERLINK\(""x""\),y",/)
    assert.match(list, /,,invoices\/2026-000123\.xml\r\n$/)
  })

  test('with 100 lines are rendered in more than 100 steps', () => {
    const lines = Array.from({ length: 100 }, (_, i) => documentLine({ name: `Item ${i}` }))
    const steps = [...pdfSteps(sampleDocument({ lines }))]
    assert.ok(steps.length > 100)
  })
})
