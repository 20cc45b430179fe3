import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCsv } from '../csv.ts'
import { readShopifyProducts, type ShopifyOutcome } from '../shopify.ts'
import { type AssignedColumn, assignmentProblems, plainNumber } from './assigned.ts'
import { productFileRows, UnknownColumns } from './formats.ts'
import { fileColumnsOf, withAssigned } from './suggested.ts'

async function* bytes(text: string) {
  yield Buffer.from(text)
}

async function outcomesOf(text: string, assigned: readonly AssignedColumn[] | null): Promise<ShopifyOutcome[]> {
  const outcomes: ShopifyOutcome[] = []
  const rows = productFileRows(readCsv(bytes(text)), { currency: 'EUR', assigned })
  for await (const outcome of readShopifyProducts(rows, { currency: 'EUR' })) outcomes.push(outcome)
  return outcomes
}

async function entriesOf(text: string, assigned: readonly AssignedColumn[]) {
  const outcomes = await outcomesOf(text, assigned)
  return outcomes.map((outcome) => (outcome.kind === 'product' ? outcome.entry : outcome))
}

const german = `Artikel-Nr.;Bezeichnung;VK brutto;UVP;Bestand;Hersteller;Warengruppe;EAN;Gewicht (kg);Bild-URL;Größe;Regal
T-1-S;Hemd;"1.299,00 €";1.499,00;12;Werkstatt;Kleidung;4006381333931;0,25;https://example.com/a.jpg;S;B4
T-1-L;Hemd;1.349;;;Werkstatt;Kleidung;;0,3;https://example.com/b.jpg;L;B4
B-2;Becher;12,5;;3;Töpferei;Küche > Becher;;;;;
;;9,00;;;;;;;;;
`
const columns: AssignedColumn[] = [
  { column: 'Artikel-Nr.', as: 'sku' },
  { column: 'Bezeichnung', as: 'title' },
  { column: 'VK brutto', as: 'price' },
  { column: 'UVP', as: 'compareAtPrice' },
  { column: 'Bestand', as: 'quantity' },
  { column: 'Hersteller', as: 'brand' },
  { column: 'Warengruppe', as: 'category' },
  { column: 'EAN', as: 'barcode' },
  { column: 'Gewicht (kg)', as: 'weightKilograms' },
  { column: 'Bild-URL', as: 'picture' },
  { column: 'Größe', as: 'option' },
]

test('rows with one title are variants of one product, and are read by the assigned columns', async () => {
  const [shirt, cup, refused] = await entriesOf(german, columns)
  assert.ok(shirt && 'skus' in shirt && cup && 'skus' in cup)
  assert.equal(shirt.slug, 'hemd')
  assert.equal(shirt.brand, 'Werkstatt')
  assert.deepEqual(shirt.options, [{ name: 'Größe', values: ['S', 'L'] }])
  assert.deepEqual(
    shirt.skus.map(({ code, price, compareAtPrice, weightGrams, barcode }) => ({
      code,
      price,
      compareAtPrice,
      weightGrams,
      barcode,
    })),
    [
      { code: 'T-1-S', price: 129_900, compareAtPrice: 149_900, weightGrams: 250, barcode: '4006381333931' },
      { code: 'T-1-L', price: 134_900, compareAtPrice: null, weightGrams: 300, barcode: null },
    ],
  )
  assert.deepEqual(
    shirt.images?.map(({ url }) => url),
    ['https://example.com/a.jpg', 'https://example.com/b.jpg'],
  )
  assert.equal(cup.skus[0]?.price, 1_250)
  assert.deepEqual(cup.options ?? [], [])
  assert.ok(refused && 'kind' in refused && refused.kind === 'refused')
  assert.equal(refused.line, 5)
})

test('a file of an unknown system is reported with the likely meanings of its columns', async () => {
  const error = await outcomesOf(german, null).catch((caught: unknown) => caught)
  assert.ok(error instanceof UnknownColumns)
  const guessed = fileColumnsOf(error.header, error.rows)
  assert.deepEqual(
    guessed.map(({ as }) => as),
    [...columns.map(({ as }) => as), null],
  )
  assert.deepEqual(guessed[0]?.samples, ['T-1-S', 'T-1-L', 'B-2'])
  assert.deepEqual(
    withAssigned(guessed, [{ column: 'regal', as: 'tags' }]).filter(({ as }) => as !== null),
    [{ name: 'Regal', samples: ['B4'], as: 'tags' }],
  )
})

test('a column for the product groups rows that are not adjacent', async () => {
  const text = 'parent,name,net,colour\nmug,Mug,"1,000.00",red\njug,Jug,2,\nmug,Mug,3,blue\n'
  const assigned: AssignedColumn[] = [
    { column: 'parent', as: 'product' },
    { column: 'name', as: 'title' },
    { column: 'net', as: 'price' },
    { column: 'colour', as: 'option' },
  ]
  const entries = await entriesOf(text, assigned)
  assert.deepEqual(
    entries.map((entry) => 'skus' in entry && [entry.slug, entry.skus.map(({ price }) => price)]),
    [
      ['mug', [100_000, 300]],
      ['jug', [200]],
    ],
  )
})

test('an assignment needs a title and a price, and may use no column and no meaning twice', () => {
  const codes = (assigned: readonly AssignedColumn[]) =>
    [...assignmentProblems([{ name: 'A' }, { name: 'B' }, { name: 'C' }], assigned)].map(
      ({ code, path }) => `${path} ${code}`,
    )
  assert.deepEqual(
    codes([
      { column: 'a', as: 'title' },
      { column: 'B', as: 'price' },
    ]),
    [],
  )
  assert.deepEqual(codes([{ column: 'A', as: 'title' }]), ['/columns meaning_missing'])
  assert.deepEqual(
    codes([
      { column: 'A', as: 'title' },
      { column: 'a', as: 'price' },
      { column: 'B', as: 'title' },
      { column: 'D', as: 'tags' },
    ]),
    ['/columns/1/column duplicate', '/columns/2/as meaning_repeated', '/columns/3/column unknown_column'],
  )
})

test('numbers are read in the common notations', () => {
  // biome-ignore format: a table reads best by its rows
  const cases = [
    ['€ 1.299,00', true, '1299.00'], ['1.299,00', false, '1299.00'], ['1,299.00 EUR', false, '1299.00'], ['1299', true, '1299'],
    ['1.299', true, '1299'], ['1.299', false, '1.299'], ['1,299', false, '1299'], ['1,299', true, '1.299'], ["CHF 1'299.50", false, '1299.50'],
    ['12,5', false, '12.5'], ['1.234.567', false, '1234567'], ['', false, ''], ['on request', false, 'on request'], ['-3', true, '-3'],
  ] as const
  for (const [text, hasDecimalComma, number] of cases) assert.equal(plainNumber(text, hasDecimalComma), number, text)
})

test('hostile cells are read quickly, and columns may have any name', async () => {
  const tags = '<a'.repeat(128 * 1024)
  const spaces = ' '.repeat(30_000)
  const text = [
    '__proto__,constructor,toString,description,hasOwnProperty',
    `Cup,9.00,Red,${tags},https://example.com/a.jpg${spaces}https://example.com/b.jpg`,
    `Cup,9.00,Blue,${tags},"https://example.com/c.jpg,${spaces}${spaces}|${spaces}x"`,
  ].join('\n')
  const from = process.cpuUsage()
  const [cup] = await entriesOf(text, [
    { column: '__proto__', as: 'title' },
    { column: 'constructor', as: 'price' },
    { column: 'toString', as: 'option' },
    { column: 'description', as: 'description' },
    { column: 'hasOwnProperty', as: 'picture' },
  ])
  // An expression that searches to the end of the cell from each tag or space would take minutes.
  assert.ok(process.cpuUsage(from).user < 5_000_000)
  assert.ok(cup && 'skus' in cup)
  assert.equal(cup.name, 'Cup')
  assert.deepEqual(
    cup.skus.map(({ price, options }) => [price, options]),
    [
      [900, { toString: 'Red' }],
      [900, { toString: 'Blue' }],
    ],
  )
  assert.deepEqual(
    cup.images?.map(({ url }) => url),
    ['a.jpg', 'b.jpg', 'c.jpg,'].map((name) => `https://example.com/${name}`),
  )
})
