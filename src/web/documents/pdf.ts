// An invoice or a credit note as a PDF: the texts of its page, on A4, with the e-invoice embedded.

import type { AdminDocument } from '../../contract/admin/documents.ts'
import { runToEnd } from '../../platform/kit/breath.ts'
import { PdfCanvas, type TextStyle } from '../../platform/pdf/canvas.ts'
import { type PdfAttachment, pdfFile } from '../../platform/pdf/file.ts'
import { isPrintable } from '../../platform/pdf/fonts.ts'
import { type Speaker, speakerFor } from '../languages/language.ts'
import { renderCii } from './cii.ts'
import { type Einvoice, einvoiceFor } from './einvoice.ts'
import { facturxMetadata, facturxName } from './facturx.ts'
import { documentTitle, type PrintedDocument, printDocument } from './print.ts'

export interface DocumentFile {
  name: string
  mediaType: string
  bytes: Buffer
}

// Returns undefined if the fonts lack a character of the texts, which the page can still show and print.
export function documentPdf(document: AdminDocument): DocumentFile | undefined {
  return runToEnd(pdfSteps(document))
}

// Yields after each small step, because a document with 100 lines takes 14 ms.
export function* pdfSteps(document: AdminDocument): Generator<void, DocumentFile | undefined> {
  const drawn = drawnFor(document)
  if (!drawn) return undefined
  yield
  const { speaker, title } = drawn
  const canvas = new PdfCanvas(paper)
  yield* drawDocument(canvas, drawn)
  const einvoice = einvoiceFor(speaker, document)
  yield
  const bytes = yield* pdfFile({
    title: `${title} – ${document.seller.name}`,
    author: document.seller.name,
    language: speaker.locale,
    madeAt: `${document.day}T00:00:00.000Z`,
    pages: canvas.pages(),
    fonts: canvas.fonts,
    attachment: einvoice ? facturx(einvoice) : null,
    extension: einvoice ? facturxMetadata : '',
  })
  return { name: fileName(document, 'pdf'), mediaType: 'application/pdf', bytes }
}

function facturx(einvoice: Einvoice): PdfAttachment {
  return {
    name: facturxName,
    mediaType: 'text/xml',
    relationship: 'Alternative',
    description: 'Factur-X/ZUGFeRD',
    bytes: Buffer.from(renderCii(einvoice)),
  }
}

export function hasPdf(document: AdminDocument): boolean {
  return drawnFor(document) !== undefined
}

// A document's number may contain any character that a header allows; the file name contains only letters, digits and a few signs.
export function fileName({ number }: Pick<AdminDocument, 'number'>, ending: string): string {
  return `${number.replace(/[^\w.-]+/g, '-')}.${ending}`
}

// Uses the language of the order, or English if the fonts lack characters of that language. Returns undefined if they also lack
// characters of the English texts.
function drawnFor(document: AdminDocument): Drawn | undefined {
  for (const locale of new Set([document.locale, 'en'])) {
    const speaker = speakerFor(locale, undefined)
    const drawn = {
      speaker,
      document,
      title: documentTitle(speaker, document),
      sheet: printDocument(speaker, document),
    }
    if (textsOf(drawn).every(isPrintable)) return drawn
  }
  return undefined
}

function textsOf({ speaker, title, sheet }: Drawn): string[] {
  return [
    title,
    speaker.say('document.test'),
    ...sheet.seller,
    ...sheet.buyer,
    ...sheet.facts.flat(),
    ...sheet.columns,
    ...sheet.lines.flatMap(({ name, detail, cells }) => [name, detail, ...cells]),
    ...sheet.rates.flat(),
    ...sheet.notes,
  ]
}

const paper = { width: 595.28, height: 841.89 }
const left = 56.7
const right = paper.width - 56.7
const top = 62
// Lower end of the content. The footer is below.
const bottom = 752
const factsFrom = 335
const soft = 0.42
const hairline = { width: 0.5, shade: 0.8 }

const small: TextStyle = { size: 7.5, shade: soft }
const plain: TextStyle = { size: 9.5 }
const strong: TextStyle = { size: 9.5, weight: 'Bold' }

interface Drawn {
  speaker: Speaker
  document: AdminDocument
  title: string
  sheet: PrintedDocument
}

function* drawDocument(canvas: PdfCanvas, drawn: Drawn): Generator<void, void> {
  canvas.addPage()
  let y = yield* drawTable(canvas, drawn, drawHead(canvas, drawn))
  y = drawRates(canvas, drawn, y + 26)
  drawNotes(canvas, drawn, y + 24)
  drawFeet(canvas, drawn)
  yield
}

// The buyer's address is at the window of an envelope (DIN 5008, form B).
function drawHead(canvas: PdfCanvas, { speaker, document, title, sheet }: Drawn): number {
  const [sellerName = '', ...sellerRest] = sheet.seller
  const width = factsFrom - left - 24
  let sellerAt = top
  for (const line of canvas.wrap(sellerName, right - left, { size: 13, weight: 'Bold' })) {
    canvas.text(line, { x: left, y: sellerAt }, { size: 13, weight: 'Bold' })
    sellerAt += 17
  }
  const sender = [sellerName, ...(document.seller.address ?? sellerRest.slice(0, 2))].join(' · ')
  let y = Math.max(sellerAt + 30, 138)
  if (sheet.buyer.length > 0) {
    canvas.text(canvas.wrap(sender, width, small)[0] ?? '', { x: left, y }, small)
    canvas.rule({ from: left, to: left + width, y: y + 5 }, hairline)
  }
  y += 22
  const factsEnd = drawFacts(canvas, sheet.facts, y)
  for (const line of sheet.buyer.flatMap((text) => canvas.wrap(text, width, plain))) {
    canvas.text(line, { x: left, y }, plain)
    y += 14
  }
  y = Math.max(y, factsEnd, 222) + 38
  for (const line of canvas.wrap(title, right - left, { size: 20, weight: 'Bold' })) {
    canvas.text(line, { x: left, y }, { size: 20, weight: 'Bold' })
    y += 26
  }
  if (document.mode === 'live') return y + 4
  for (const line of canvas.wrap(speaker.say('document.test'), right - left, strong)) {
    canvas.text(line, { x: left, y }, strong)
    y += 14
  }
  return y + 10
}

function drawFacts(canvas: PdfCanvas, facts: PrintedDocument['facts'], from: number): number {
  let y = from
  for (const [name, value] of facts) {
    canvas.text(name, { x: factsFrom, y }, small)
    const room = right - factsFrom - canvas.widthOf(name, small) - 10
    for (const line of canvas.wrap(value, room, { size: 9 })) {
      canvas.text(line, { x: right, y, align: 'end' }, { size: 9 })
      y += 12
    }
    canvas.rule({ from: factsFrom, to: right, y: y - 7 }, hairline)
    y += 5
  }
  return y
}

// Measures all columns but the first, which gets the remaining width. If that is too narrow, a smaller font size is tried.
function columnsFor(canvas: PdfCanvas, { columns, lines, total }: PrintedDocument): { size: number; ends: number[] } {
  const gap = 11
  const itemMin = 130
  for (const size of [9, 8, 7, 6]) {
    const widths = columns.slice(1).map((name, i) => {
      const cells = [...lines.map(({ cells }) => cells[i] ?? '')].map((cell) => canvas.widthOf(cell, { size }))
      const sum = canvas.widthOf(total[i] ?? '', { size, weight: 'Bold' })
      return Math.max(canvas.widthOf(name, { size: size - 1.5 }), sum, ...cells) + gap
    })
    const whole = widths.reduce((sum, width) => sum + width, 0)
    if (right - left - whole < itemMin && size > 6) continue
    let end = right - whole
    return { size, ends: [end, ...widths.map((width) => (end += width))] }
  }
  throw new Error('the last size must fit any document')
}

function* drawTable(canvas: PdfCanvas, drawn: Drawn, from: number): Generator<void, number> {
  const { sheet } = drawn
  const { size, ends } = columnsFor(canvas, sheet)
  yield
  const [itemEnd = right] = ends
  const row = { size, leading: size + 4 }
  const cells = (texts: readonly string[], y: number, style: TextStyle) => {
    for (const [i, text] of texts.entries()) canvas.text(text, { x: ends[i + 1] ?? right, y, align: 'end' }, style)
  }
  const head = (y: number): number => {
    const style = { size: size - 1.5, shade: soft }
    canvas.text(sheet.columns[0] ?? '', { x: left, y }, style)
    cells(sheet.columns.slice(1), y, style)
    canvas.rule({ from: left, to: right, y: y + 6 }, { width: 0.9 })
    return y + 20
  }
  let y = head(from)
  for (const { name, detail, cells: texts } of sheet.lines) {
    const names = canvas.wrap(name, itemEnd - left - 8, { size })
    const details = canvas.wrap(detail, itemEnd - left - 8, { size: size - 1.5 })
    const height = (names.length + details.length) * row.leading
    if (y + height > bottom) y = head(nextPage(canvas, drawn))
    cells(texts, y, { size })
    for (const line of names) {
      canvas.text(line, { x: left, y }, { size })
      y += row.leading
    }
    for (const line of details) {
      canvas.text(line, { x: left, y: y - 1 }, { size: size - 1.5, shade: soft })
      y += row.leading - 1
    }
    canvas.rule({ from: left, to: right, y: y - row.leading + 6 }, hairline)
    y += 8
    yield
  }
  if (y + row.leading > bottom) y = head(nextPage(canvas, drawn))
  canvas.text(drawn.speaker.say('receipt.total'), { x: left, y: y + 2 }, { size, weight: 'Bold' })
  cells(sheet.total, y + 2, { size, weight: 'Bold' })
  canvas.rule({ from: left, to: right, y: y + 9 }, { width: 0.9 })
  return y + 10
}

function drawRates(canvas: PdfCanvas, drawn: Drawn, from: number): number {
  const { rateColumns, rates } = drawn.sheet
  const widths = rateColumns.map((name, i) => {
    const cells = rates.map((row) => canvas.widthOf(row[i] ?? '', { size: 8.5 }))
    return Math.max(canvas.widthOf(name, { size: 7.5 }), ...cells) + 16
  })
  let start =
    right -
    Math.max(
      widths.reduce((sum, width) => sum + width, 0),
      right - factsFrom + 40,
    )
  const extra = (right - start - widths.reduce((sum, width) => sum + width, 0)) / (widths.length - 1)
  const first = start
  const ends = widths.map((width, i) => (start += width + (i === 0 ? 0 : extra)))
  let y = from
  if (y + 14 * (rates.length + 2) > bottom) y = nextPage(canvas, drawn)
  const draw = (cells: readonly string[], style: TextStyle) => {
    for (const [i, cell] of cells.entries())
      canvas.text(cell, i === 0 ? { x: first, y } : { x: ends[i] ?? right, y, align: 'end' }, style)
  }
  canvas.text(drawn.speaker.say('receipt.byRate'), { x: first, y }, { size: 8.5, weight: 'Bold' })
  y += 16
  draw(rateColumns, small)
  canvas.rule({ from: first, to: right, y: y + 5 }, hairline)
  y += 17
  for (const row of rates) {
    if (y > bottom) y = nextPage(canvas, drawn)
    draw(row, { size: 8.5 })
    canvas.rule({ from: first, to: right, y: y + 5 }, hairline)
    y += 16
  }
  return y
}

function drawNotes(canvas: PdfCanvas, drawn: Drawn, from: number): void {
  let y = from
  for (const line of drawn.sheet.notes.flatMap((note) => canvas.wrap(note, right - left, plain))) {
    if (y > bottom) y = nextPage(canvas, drawn)
    canvas.text(line, { x: left, y }, plain)
    y += 14
  }
}

// Returns the vertical position at which the content of the new page begins.
function nextPage(canvas: PdfCanvas, { title }: Drawn): number {
  canvas.addPage()
  canvas.text(title, { x: left, y: top }, small)
  return top + 28
}

const footColumns = 3

function drawFeet(canvas: PdfCanvas, { sheet }: Drawn): void {
  const width = (right - left - 36) / footColumns
  const lines = sheet.seller.flatMap((line) => canvas.wrap(line, width - 12, { size: 7 }))
  const rows = Math.max(3, Math.ceil(lines.length / footColumns))
  const from = paper.height - 30 - 10 * rows
  for (let page = 0; page < canvas.pageCount; page += 1) {
    canvas.rule({ from: left, to: right, y: from - 12, page }, hairline)
    for (const [i, line] of lines.entries())
      canvas.text(
        line,
        { x: left + width * Math.floor(i / rows), y: from + 10 * (i % rows), page },
        { size: 7, shade: soft },
      )
    const count = `${page + 1} / ${canvas.pageCount}`
    canvas.text(count, { x: right, y: from, align: 'end', page }, { size: 7, shade: soft })
  }
}
