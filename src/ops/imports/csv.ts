// Reads CSV (RFC 4180) row by row from chunks of bytes; memory is bounded by one row. Ambiguous input is refused with its line, never
// guessed. Also writes CSV.

import { isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import { type Remark, remark, remarkText } from '../../contract/remarks.ts'
import { createSlicePauses } from '../../platform/kit/breath.ts'
import { isFormula } from '../../platform/kit/formula.ts'

export interface CsvRow {
  line: number
  cells: string[]
  delimiter?: Delimiter
  // The reason why a converter refuses the row.
  refused?: { handle: string; reason: Remark }
  // Remarks about the row, or about the file if the row is the header.
  notes?: readonly Remark[]
}
export type Delimiter = (typeof delimiters)[number]

export interface CsvOptions {
  // A name of the Encoding Standard, such as windows-1252. By default the text is UTF-8, or UTF-16 if it begins with a byte order mark.
  encoding?: string
}

const mebibyte = 1024 * 1024
export const cellBytesMax = mebibyte
export const rowBytesMax = 2 * mebibyte
// The maximum number of columns in spreadsheets.
export const cellsMax = 16_384

export class FileError extends Error {
  readonly line: number
  readonly remark: Remark

  constructor(line: number, reason: Remark) {
    const atLine = { ...reason, line }
    super(remarkText(atLine))
    this.name = 'FileError'
    this.line = line
    this.remark = atLine
  }
}

const quote = 0x22
const blank = 0x20
const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = [0xef, 0xbb, 0xbf]
// Spreadsheets write a semicolon where the decimal separator is a comma, and a tab in text files.
const delimiters = [',', ';', '\t'] as const
const delimiterBytes = delimiters.map((character) => character.charCodeAt(0))

// `line` is where the row begins; a quoted cell may span several lines. Empty lines are skipped. Rows are split as bytes, since no byte
// of a multi-byte UTF-8 character equals a quote, a delimiter or a line end. Each whole row is then decoded, so it does not matter if
// chunks split a character.
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  { encoding }: CsvOptions = {},
): AsyncGenerator<CsvRow & { delimiter: Delimiter }> {
  let delimiter: Delimiter | undefined
  let delimiterByte = -1
  let place: 'start' | 'plain' | 'quoted' | 'closed' | 'padding' = 'start'
  let line = 1
  let rowLine = 1
  let quoteLine = 1
  let previous = 0
  let isBroken = false
  let held: Buffer[] = []
  let heldBytes = 0
  let cellCount = 1
  const breath = createSlicePauses()

  const takeRow = (rest: Buffer): (CsvRow & { delimiter: Delimiter }) | undefined => {
    const bytes = heldBytes === 0 ? rest : Buffer.concat([...held, rest])
    held = []
    heldBytes = 0
    if (bytes.length > rowBytesMax)
      throw new FileError(rowLine, remark('row_too_large', { mebibytes: rowBytesMax / mebibyte }))
    const text = decode(bytes, rowLine)
    if (text === '') return undefined
    delimiter ??= delimiterOf(text)
    delimiterByte = delimiter.charCodeAt(0)
    const cells = cellsOf(delimiter, text, rowLine)
    const notes = isBroken ? [remark('quote_not_doubled')] : undefined
    isBroken = false
    if (bytes.length > cellBytesMax && cells.some((cell) => Buffer.byteLength(cell) > cellBytesMax)) {
      throw new FileError(rowLine, remark('cell_too_large', { mebibytes: cellBytesMax / mebibyte }))
    }
    return { line: rowLine, cells, delimiter, ...(notes && { notes }) }
  }

  for await (const chunk of decodeToUtf8(chunks, encoding)) {
    let from = 0
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number // within bounds by the loop
      const endsLine = byte === lineFeed || byte === carriageReturn
      const isSecondHalf = byte === lineFeed && previous === carriageReturn
      previous = byte
      if (endsLine && !isSecondHalf) line++

      if (place === 'quoted') {
        if (byte === quote) place = 'closed'
      } else if (endsLine) {
        if (!isSecondHalf && heldBytes + at > from) {
          const row = takeRow(chunk.subarray(from, at))
          if (row) yield row
        }
        if (breath.isDue()) await breath.take()
        from = at + 1
        rowLine = line
        place = 'start'
        cellCount = 1
      } else if (delimiter === undefined ? delimiterBytes.includes(byte) : byte === delimiterByte) {
        place = 'start'
        cellCount += 1
        if (cellCount > cellsMax) throw new FileError(rowLine, remark('too_many_cells', { max: cellsMax }))
      } else if (place === 'closed' && byte === blank) {
        place = 'padding'
      } else if (place === 'closed' || place === 'padding') {
        if (place === 'padding' && byte === blank) continue
        // A quote inside a quoted cell that is not doubled ends the quoting, and the text after it is plain. Other CSV readers do the
        // same.
        place = byte === quote && place === 'closed' ? 'quoted' : 'plain'
        isBroken ||= place === 'plain'
      } else if (place === 'start') {
        const isMark = delimiter === undefined && byte === byteOrderMark[heldBytes + at - from]
        if (byte === quote) quoteLine = line
        // Some programs write a space before the opening quote.
        if (!isMark && byte !== blank) place = byte === quote ? 'quoted' : 'plain'
      }
    }
    if (breath.isDue()) await breath.take()
    if (from < chunk.length) held.push(chunk.subarray(from))
    heldBytes += chunk.length - from
    if (heldBytes > rowBytesMax) {
      if (place === 'quoted')
        throw new FileError(quoteLine, remark('quote_open_too_long', { mebibytes: rowBytesMax / mebibyte }))
      throw new FileError(rowLine, remark('row_too_large', { mebibytes: rowBytesMax / mebibyte }))
    }
  }
  if (place === 'quoted') throw new FileError(quoteLine, remark('quote_never_closed'))
  const row = takeRow(Buffer.alloc(0))
  if (row) yield row
}

// Converts to UTF-8 if an encoding is given or the bytes begin with the byte order mark of UTF-16. Otherwise yields the bytes unchanged.
export async function* decodeToUtf8(
  chunks: AsyncIterable<Buffer>,
  encoding: string | undefined,
): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | undefined = encoding === undefined ? undefined : decoderOf(encoding)
  let isKnown = decoder !== undefined
  let begin = Buffer.alloc(0)
  let line = 1
  const decoded = (bytes: Buffer | undefined) => {
    if (!decoder) return bytes ?? Buffer.alloc(0)
    let text: string
    try {
      text = decoder.decode(bytes, { stream: bytes !== undefined })
    } catch {
      throw new FileError(line, remark('not_in_encoding', { encoding: decoder.encoding }))
    }
    line += text.split('\n').length - 1
    return Buffer.from(text)
  }
  for await (const chunk of inParts(chunks)) {
    if (isKnown) {
      yield decoded(chunk)
      continue
    }
    begin = Buffer.concat([begin, chunk])
    if (begin.length < 2) continue
    isKnown = true
    const mark = begin.readUInt16BE(0)
    if (mark === 0xfffe) decoder = decoderOf('utf-16le')
    else if (mark === 0xfeff) decoder = decoderOf('utf-16be')
    yield decoded(begin)
  }
  if (!isKnown) yield begin
  else if (decoder) yield decoded(undefined)
}

const partBytesMax = 64 * 1024

// Splits chunks into parts, each of which takes only some milliseconds to read.
async function* inParts(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  for await (const chunk of chunks)
    for (let at = 0; at < chunk.length; at += partBytesMax) yield chunk.subarray(at, at + partBytesMax)
}

function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true })
  } catch {
    throw new FileError(1, remark('unknown_encoding', { encoding }))
  }
}

export function isEncoding(name: string): boolean {
  try {
    return decoderOf(name).fatal
  } catch {
    return false
  }
}

function decode(bytes: Buffer, rowLine: number): string {
  if (isUtf8(bytes)) {
    const text = bytes.toString('utf8')
    if (rowLine === 1 && text.includes('\0')) throw new FileError(1, remark('perhaps_utf16'))
    return rowLine === 1 && text.startsWith('\ufeff') ? text.slice(1) : text
  }
  // A line end is a complete character in UTF-8, so each line can be checked by itself, and one of them is invalid.
  const lines = bytes.toString('latin1').split(/\r\n|\n|\r/)
  const bad = lines.findIndex((text) => !isUtf8(Buffer.from(text, 'latin1')))
  throw new FileError(rowLine + bad, remark('csv_not_utf8'))
}

// Returns the delimiter that occurs most often in the header. A file of one column has none, so any delimiter works.
function delimiterOf(header: string): Delimiter {
  const bare = header.replace(/"[^"]*"/g, '')
  const counts = delimiters.map((character) => bare.split(character).length)
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ','
}

// The quotes of a row are balanced, except in a header that mixes delimiters, since the header is split into cells before its delimiter
// is known.
function cellsOf(delimiter: string, text: string, rowLine: number): string[] {
  if (!text.includes('"')) return text.split(delimiter)
  const cells: string[] = []
  let at = 0
  while (at <= text.length) {
    let first = at
    while (text[first] === ' ') first += 1
    if (text[first] === '"') {
      let end = text.indexOf('"', first + 1)
      while (end >= 0 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
      if (end < 0) throw new FileError(rowLine, remark('mixed_delimiters'))
      const quoted = text.slice(first + 1, end).replaceAll('""', '"')
      const next = text.indexOf(delimiter, end + 1)
      at = next < 0 ? text.length : next
      cells.push(quoted + text.slice(end + 1, at).replace(/^ +$/, ''))
      at += 1
    } else {
      const next = text.indexOf(delimiter, at)
      const end = next < 0 ? text.length : next
      cells.push(text.slice(at, end))
      at = end + 1
    }
  }
  return cells
}

const guard = "'"

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cellText).join(',')}\n`
}

function cellText(cell: string): string {
  const text = guardFormula(cell)
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export function guardFormula(cell: string): string {
  return isFormula(cell) ? guard + cell : cell
}

// Removes the apostrophe that keeps a spreadsheet from reading the cell as a formula.
export function removeFormulaGuard(cell: string): string {
  return cell.startsWith(guard) && isFormula(cell.slice(1)) ? cell.slice(1) : cell
}

// Shopify also puts an apostrophe before codes and barcodes of digits, because spreadsheets would drop leading zeros.
const guardedDigits = /^'+\d/

// Writes a code with a guard that the import removes, so the code is read back unchanged. `csvLine` guards the other cells.
export function csvCodeCell(code: string): string {
  return guardedDigits.test(code) ? guard + code : code
}

export function parseCsvCodeCell(cell: string): string {
  return guardedDigits.test(cell) ? cell.slice(1) : removeFormulaGuard(cell)
}
