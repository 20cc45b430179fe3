import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { documentLine, sampleDocument } from '../../../harness/documents.ts'
import { readPdf } from '../../../harness/pdf.ts'
import { printableText } from '../../platform/pdf/fonts.ts'
import { speakerFor } from '../languages/language.ts'
import { documentFile, documentFormats } from './files.ts'
import { documentPdf, fileName, hasPdf } from './pdf.ts'
import { documentTitle, printDocument } from './print.ts'

describe('a document as a PDF', () => {
  test('contains every text of the page in its language, and is byte for byte the same each time', () => {
    for (const [locale, currency] of [
      ['de', 'EUR'],
      ['fr', 'PLN'],
      ['es', 'JPY'],
      ['nl', 'KWD'],
    ] as const) {
      const document = sampleDocument({ locale, currency })
      const file = documentPdf(document)
      assert.ok(file)
      assert.deepEqual(documentPdf(document)?.bytes, file.bytes)
      // A text that is wrapped is drawn line after line.
      const text = readPdf(file.bytes).texts.join(' ')
      const speaker = speakerFor(locale, undefined)
      const { seller, buyer, facts, columns, lines, total, rates, notes } = printDocument(speaker, document)
      for (const expected of [
        ...[documentTitle(speaker, document), ...seller, ...buyer, ...facts.flat(), ...columns],
        ...[
          ...lines.flatMap(({ name, detail, cells }) => [name, detail, ...cells]),
          ...total,
          ...rates.flat(),
          ...notes,
        ],
      ])
        assert.ok(text.includes(printableText(expected)), expected)
      assert.ok(file.bytes.length < 30_000)
    }
  })

  test('shows a unit price with as many decimals as its line needs', () => {
    const prices = (line: Parameters<typeof documentLine>[0], document: Parameters<typeof sampleDocument>[0] = {}) =>
      printDocument(speakerFor('en', undefined), sampleDocument({ ...document, lines: [documentLine(line)] })).lines[0]
        ?.cells[1]
    // 999 pieces at €0.03 each, including 19 % of tax, which was taken out of the sum.
    const untaxed = { quantity: 999, unitPrice: 3, net: 2518, tax: 0, total: 2518, rate: 0 }
    assert.equal(prices({ ...untaxed, reason: 'intra_community' }), '€0.02521')
    assert.equal(prices({ ...untaxed, net: 2507, total: 2507, discount: 11 }), '€0.02521')
    assert.equal(prices({ quantity: 2, unitPrice: 1190, net: 2000, tax: 380, total: 2380 }), '€11.90')
    assert.equal(prices({ quantity: 2, unitPrice: 1000 }, { pricesIncludeTax: false }), '€10.00')
  })

  test('continues on further pages, and repeats the table head', () => {
    const many = Array.from({ length: 60 }, (_, i) => documentLine({ name: `Item ${i} ${'long '.repeat(20)}` }))
    const { pages, texts } = readPdf(documentPdf(sampleDocument({ lines: many }))?.bytes ?? Buffer.alloc(0))
    assert.ok(pages > 3)
    assert.equal(texts.filter((text) => text === 'Einzelpreis').length >= pages - 1, true)
    for (let page = 1; page <= pages; page += 1) assert.ok(texts.includes(`${page} / ${pages}`))
    for (const { name } of many) assert.ok(texts.some((text) => text.startsWith(name.slice(0, 12))))
  })

  test('is in English if the fonts lack its language, and does not exist if they lack the letters of a name', () => {
    for (const locale of ['ja', 'ar']) {
      const file = documentPdf(sampleDocument({ locale }))
      assert.ok(file)
      assert.ok(readPdf(file.bytes).texts.includes('Invoice 2026-000123'))
    }
    const foreign = sampleDocument({ lines: [documentLine({ name: '花の本' })] })
    assert.equal(hasPdf(foreign), false)
    assert.equal(documentPdf(foreign), undefined)
  })

  test('contains the e-invoice, which is also available as a separate file', () => {
    const document = sampleDocument()
    const { files } = readPdf(documentPdf(document)?.bytes ?? Buffer.alloc(0))
    assert.equal(files.get('factur-x.xml'), documentFile(document, 'cii')?.bytes.toString())
    const ubl = documentFile(document, 'ubl')
    assert.deepEqual([ubl?.name, ubl?.mediaType], ['2026-000123.xml', 'application/xml'])
    assert.match(ubl?.bytes.toString() ?? '', /<cbc:RegistrationName>Söhne &amp; Co\. &lt;KG&gt;</)
    assert.deepEqual(documentFormats(document), ['pdf', 'ubl'])
    const unknown = sampleDocument({ buyer: null })
    assert.deepEqual(documentFormats(unknown), ['pdf'])
    assert.equal(documentFile(unknown, 'ubl'), undefined)
    assert.equal(readPdf(documentPdf(unknown)?.bytes ?? Buffer.alloc(0)).files.size, 0)
    assert.equal(documentFile(document, 'exe'), undefined)
  })

  test('has a file name that is safe in headers and folders', () => {
    assert.equal(fileName({ number: 'RE 2026/0001"\r\n../x' }, 'pdf'), 'RE-2026-0001-..-x.pdf')
  })
})
