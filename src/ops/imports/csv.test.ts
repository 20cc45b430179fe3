import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvLine } from '../../../harness/catalog.ts'
import { anyText } from '../../../harness/texts.ts'
import {
  type CsvRow,
  cellBytesMax,
  csvCodeCell,
  FileError,
  guardFormula,
  isEncoding,
  parseCsvCodeCell,
  readCsv,
  rowBytesMax,
} from './csv.ts'

async function read(...chunks: (string | Buffer)[]): Promise<CsvRow[]> {
  return (await Array.fromAsync(readCsv(stream(chunks)))).map(({ line, cells }) => ({ line, cells }))
}

async function* stream(chunks: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk)
}

async function cells(...chunks: (string | Buffer)[]): Promise<string[][]> {
  return (await read(...chunks)).map((row) => row.cells)
}

test('rows are the same, however the input is split into chunks', async () => {
  const cell = fc.oneof(
    anyText({ maxLength: 12 }),
    fc.string({ unit: fc.constantFrom('"', ',', ';', '\t', '\n', '\r', 'a', 'é', '抹', '🍵', ' '), maxLength: 8 }),
  )
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 8 })
  const form = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t'),
    lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
    mark: fc.constantFrom('', '\ufeff'),
    cuts: fc.array(fc.nat(), { maxLength: 20 }),
  })
  await fc.assert(
    fc.asyncProperty(rows, form, async (written, { delimiter, lineEnd, mark, cuts }) => {
      const table = [['Handle', 'Title', 'the "rest"'], ...written]
      const bytes = Buffer.from(mark + table.map((row) => csvLine(row, delimiter, lineEnd)).join(''))
      const places = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length]
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
      assert.deepEqual(await cells(...chunks), table)
    }),
    { numRuns: 500 },
  )
})

const table: [name: string, text: string, rows: CsvRow[]][] = [
  ['an empty file', '', []],
  ['a byte order mark alone', '\ufeff', []],
  ['a last row without a line end', 'a,b\nc,d', rowsAt([1, 'a', 'b'], [2, 'c', 'd'])],
  ['a byte order mark before a quoted header', '\ufeff"a,1",b\n', rowsAt([1, 'a,1', 'b'])],
  ['empty lines', 'a,b\n\n\r\n\rc,d\n', rowsAt([1, 'a', 'b'], [5, 'c', 'd'])],
  [
    'line numbers after quoted cells of several lines',
    'a,b\r\n"1\r\n2\n3\r4",x\r\ny,z',
    rowsAt([1, 'a', 'b'], [2, '1\r\n2\n3\r4', 'x'], [6, 'y', 'z']),
  ],
  ['a quote within a plain cell', 'a,b\n5" pipe,"6"" pipe"\n', rowsAt([1, 'a', 'b'], [2, '5" pipe', '6" pipe'])],
  ['empty and quoted empty cells', 'a,b\n,\n"",""\n', rowsAt([1, 'a', 'b'], [2, '', ''], [3, '', ''])],
  ['rows of different lengths', 'a,b\n1\n1,2,3\n', rowsAt([1, 'a', 'b'], [2, '1'], [3, '1', '2', '3'])],
  ['a file with semicolons', 'a;"b,c,d";e\n1,5;2;3\n', rowsAt([1, 'a', 'b,c,d', 'e'], [2, '1,5', '2', '3'])],
  ['a file with tabs', 'a\tb\n1;2\t"3\t4"\n', rowsAt([1, 'a', 'b'], [2, '1;2', '3\t4'])],
  ['one column', 'a\n1\n', rowsAt([1, 'a'], [2, '1'])],
  [
    'quotes with blanks around them',
    'a, "b, c" ,d\n  "1,5"  , 2 , "3""4"\n',
    rowsAt([1, 'a', 'b, c', 'd'], [2, '1,5', ' 2 ', '3"4']),
  ],
  // The result equals that of Python's CSV reader.
  [
    'quotes that are not doubled',
    'a,b\n"a "b" c","1\n"2\n"x" y,"z"\n',
    rowsAt([1, 'a', 'b'], [2, 'a b" c"', '1\n2'], [4, 'x y', 'z']),
  ],
]
for (const [name, text, rows] of table) {
  test(`reads ${name}`, async () => {
    assert.deepEqual(await read(text), rows)
    assert.deepEqual(await read(...Array.from(Buffer.from(text), (byte) => Buffer.of(byte))), rows, 'byte by byte')
  })
}

function rowsAt(...rows: [line: number, ...cells: string[]][]): CsvRow[] {
  return rows.map(([line, ...cells]) => ({ line, cells }))
}

const refused: [name: string, chunks: (string | Buffer)[], line: number, reason: RegExp][] = [
  ['a quote that is never closed', ['a,b\n1,2\n3,"4\n5\n6'], 3, /never closed/],
  ['a Latin-1 file', ['a,b\n1,2\n', Buffer.from('é,1\n', 'latin1')], 3, /not UTF-8/],
  ['a bad byte inside a cell of several lines', ['a,b\n"1\n2\n', Buffer.of(0xff), '\n",3\n'], 4, /not UTF-8/],
  ['a character cut off at the end of the file', ['a,b\n1,', Buffer.from('é').subarray(0, 1)], 2, /not UTF-8/],
  [
    'a Latin-1 file from its first line on, with advice',
    [Buffer.from('é,1\n', 'latin1')],
    1,
    /name its encoding, which is often windows-1252/,
  ],
  ['a UTF-16 file without its mark', [Buffer.from('a,b\n', 'utf16le')], 1, /perhaps UTF-16/],
  [
    'half a character of UTF-16',
    [Buffer.from('\ufeffa,b\n1,2', 'utf16le'), Buffer.of(0x31)],
    2,
    /not encoded in utf-16le/,
  ],
  ['a cell over 1 MiB', ['a,b\n1,', 'x'.repeat(cellBytesMax + 1), '\n'], 2, /cell is larger/],
  ['a row over 2 MiB', ['a,b\n', ...Array(5).fill(`${'x'.repeat(rowBytesMax / 4)},`), '\n'], 2, /row is larger/],
  ['a row over 2 MiB in one chunk', [`a,b\n${`${'x'.repeat(rowBytesMax / 4)},`.repeat(5)}\n`], 2, /row is larger/],
  [
    'a quote that is not closed within the allowed size',
    ['a,b\n1,"2\n', ...Array(40).fill('x,y\n'.repeat(20_000))],
    2,
    /not closed within/,
  ],
  ['a header of mixed delimiters', ['x;"y,",b,c\n'], 1, /mixes delimiters/],
]
for (const [name, chunks, line, reason] of refused) {
  test(`refuses ${name}, and reports the line`, async () => {
    await assert.rejects(read(...chunks), (error) => {
      assert.ok(error instanceof FileError)
      assert.equal(error.line, line)
      assert.match(error.message, reason)
      return true
    })
  })
}

const tea = 'Name,Size\r\nThé vert,"1,5 kg"\r\n抹茶🍵,2\r\n'
const teaRows = [
  ['Name', 'Size'],
  ['Thé vert', '1,5 kg'],
  ['抹茶🍵', '2'],
]
const littleEndian = Buffer.from(`\ufeff${tea}`, 'utf16le')
for (const [name, bytes] of [
  ['little-endian', littleEndian],
  ['big-endian', Buffer.from(littleEndian).swap16()],
] as const) {
  test(`${name} UTF-16 is recognized by its byte order mark`, async () => {
    assert.deepEqual(await cells(bytes), teaRows)
    assert.deepEqual(await cells(...Array.from(bytes, (byte) => Buffer.of(byte))), teaRows, 'byte by byte')
  })
}

test('a requested encoding is used', async () => {
  const bytes = Buffer.from('Name,Price\nCrème \x80,5\n', 'latin1')
  const rows = await Array.fromAsync(readCsv(stream([bytes]), { encoding: 'windows-1252' }))
  assert.deepEqual(
    rows.map((row) => row.cells),
    [
      ['Name', 'Price'],
      ['Crème €', '5'],
    ],
  )
  assert.deepEqual(['windows-1252', 'latin1', 'shift_jis', 'utf-16le', 'windows-9999', ''].map(isEncoding), [
    true,
    true,
    true,
    true,
    false,
    false,
  ])
})

test('the rows before an invalid one are returned', async () => {
  const seen: number[] = []
  await assert.rejects(async () => {
    for await (const row of readCsv(stream(['a,b\n1,2\n3,4\n', Buffer.of(0xff), ',6\n']))) seen.push(row.line)
  }, FileError)
  assert.deepEqual(seen, [1, 2, 3])
})

test('a cell of exactly 1 MiB is accepted', async () => {
  const [, row] = await read('a,b\n1,', 'x'.repeat(cellBytesMax), '\n')
  assert.equal(row?.cells[1]?.length, cellBytesMax)
})

test('each row is returned before the next chunk is read', async () => {
  let asked = 0
  async function* slow(): AsyncGenerator<Buffer> {
    for (; asked < 3; asked++) yield Buffer.from(`${asked},x\n`)
  }
  const rows = readCsv(slow())
  await rows.next()
  assert.equal(asked, 0)
  await rows.next()
  assert.equal(asked, 1)
})

test('only a row with an unescaped quote gets a note', async () => {
  const rows = await Array.fromAsync(readCsv(stream(['a,b\n1,2\n"a "b"",3\n"4","5" \n'])))
  assert.deepEqual(
    rows.map(({ notes }) => notes?.length ?? 0),
    [0, 0, 1, 0],
  )
})

test('any code that we write is read unchanged, and the formula guard of other programs is removed', () => {
  const code = fc.string({ unit: fc.constantFrom("'", '0', '7', '=', '-', 'a', ' '), maxLength: 6 })
  fc.assert(fc.property(code, (text) => assert.equal(parseCsvCodeCell(guardFormula(csvCodeCell(text))), text)))
  assert.deepEqual(["'00169", "'7350177880121", "'s-hertogenbosch", "'=1"].map(parseCsvCodeCell), [
    '00169',
    '7350177880121',
    "'s-hertogenbosch",
    '=1',
  ])
})
