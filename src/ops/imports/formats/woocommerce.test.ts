import assert from 'node:assert/strict'
import { createReadStream, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { remarkText } from '../../../contract/remarks.ts'
import { type CsvRow, csvLine, readCsv } from '../csv.ts'
import { type ReadProduct, readShopifyProducts } from '../shopify.ts'
import type { FindKnown } from './format.ts'
import { productFileRows, UnknownColumns } from './formats.ts'
import { wooColumns, wooWords } from './woowords.ts'

const fixture = new URL('../../../../tests/fixtures/imports/woocommerce.csv', import.meta.url)

async function* rowsOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}

async function read(rows: AsyncIterable<CsvRow>, findKnown?: FindKnown) {
  const context = { currency: 'EUR', ...(findKnown && { findKnown }) }
  const outcomes = await Array.fromAsync(readShopifyProducts(productFileRows(rows, context), { currency: 'EUR' }))
  const products = outcomes.filter((outcome): outcome is ReadProduct => outcome.kind === 'product')
  return {
    entries: products.map(({ entry }) => entry),
    notes: products.flatMap(({ notes }) => notes.map(remarkText)),
    refused: outcomes.flatMap((outcome) =>
      outcome.kind === 'refused' ? [[outcome.line, remarkText(outcome.reason)]] : [],
    ),
  }
}

async function readText(...lines: string[]) {
  return read(readCsv(rowsOf(`${lines.join('\n')}\n`)))
}

// The rows of the fixture with other column names.
async function* renamed(name: (english: string) => string): AsyncGenerator<CsvRow> {
  for await (const row of readCsv(createReadStream(fixture)))
    yield row.line === 1 ? { ...row, cells: row.cells.map((cell) => name(cell.toLowerCase())) } : row
}

function translated(language: readonly string[], version: number): (english: string) => string {
  return (english) => {
    const number = /\d+/.exec(english)?.[0] ?? ''
    const [pattern, value] = english.startsWith('weight')
      ? ['weight (%)', 'lbs']
      : [english.replace(number || '%', '%'), number]
    const index = (wooColumns as readonly string[]).indexOf(pattern ?? '')
    const words = (language[index] ?? '').split('|')
    return (words[version] ?? words[0] ?? '').replace('%', value) || english
  }
}

test('a file is read identically in every language of its header, from newer and older versions of WooCommerce', async () => {
  const english = await read(readCsv(createReadStream(fixture)))
  assert.equal(english.entries.length, 5)
  assert.ok(Object.keys(wooWords).length > 20)
  for (const [language, words] of Object.entries(wooWords)) {
    assert.equal(words.length, wooColumns.length, language)
    for (const version of [0, 1]) {
      const { entries, refused } = await read(renamed(translated(words, version)))
      assert.deepEqual({ entries, refused }, { entries: english.entries, refused: english.refused }, language)
    }
  }
})

test('a German header is read, with decimal commas, weights and downloads', async () => {
  const { entries, notes, refused } = await readText(
    'ID,Typ,Artikelnummer,"GTIN, UPC, EAN oder ISBN",Name,Veröffentlicht,"Ist hervorgehoben?","Sichtbarkeit im Katalog",Kurzbeschreibung,Beschreibung,"Vorrätig?",Bestand,"Lieferrückstände erlaubt?","Gewicht (kg)",Angebotspreis,"Regulärer Preis",Kategorien,Schlagwörter,Bilder,"Übergeordnetes Produkt","Attribut 1 Name","Attribut 1 Wert(e)","Attribut 1 sichtbar","Meta: _x"',
    '7,simple,TASSE,4006381333931,Tasse,1,0,visible,Kurz,Lang,1,4,0,"0,35",,"1299,50",Küche,neu,https://cdn.example.com/t.jpg,,Farbe,"Blau, Grün",1,x',
  )
  assert.deepEqual(refused, [])
  assert.deepEqual(notes, [
    'these columns are not imported: Ist hervorgehoben?, Meta: _x',
    'line 2: attributes that are not options were appended to the description',
  ])
  const [mug] = entries
  assert.deepEqual(
    [mug?.name, mug?.description, mug?.categories, mug?.tags, mug?.skus[0]?.barcode],
    ['Tasse', 'Kurz\n\nLang\n\n• Farbe: Blau, Grün', ['kueche'], ['neu'], '4006381333931'],
  )
  assert.deepEqual([mug?.skus[0]?.price, mug?.skus[0]?.weightGrams, mug?.skus[0]?.stock], [129_950, 350, 4])
})

// Columns in WooCommerce's order, in a language that `wooheader.ts` does not know.
const estonian =
  'Tunnus,Liik,Tootekood,Pealkiri,Avaldatud,Esile,Nähtavus,Lühike,Pikk,Algab,Lõpeb,Maks,Maksuklass,Laos,Kogus,Vähe,Eeltellimus,Üksi,"Kaal (kg)","Pikkus (cm)","Laius (cm)","Kõrgus (cm)",Arvustused,Märkus,Soodus,Hind,Rubriigid,Sildid,Saatmisklass,Pildid,Piirang,Aegub,Vanem,Rühm,Müük,Rist,Aadress,Nupp,Koht,"Omadus 1 nimi","Omadus 1 väärtus","Omadus 1 näha","Omadus 1 üldine"'

test('columns in an unknown language are recognized by their order and their rows', async () => {
  const cells = (id: string, type: string, sku: string, parent: string, attribute: string, price: string) =>
    `${id},${type},${sku},Kruus,1,0,visible,,Savist,,,taxable,,1,3,,0,0,0.4,,,,1,,,${price},Köök,,,https://cdn.example.com/k.jpg,,,${parent},,,,,,0,Värv,${attribute},1,1`
  const { entries, notes, refused } = await readText(
    estonian,
    cells('5', 'variable', 'K', '', '"Sinine, Punane"', ''),
    cells('6', 'variation', 'K-S', 'id:5', 'Sinine', '12.5'),
    cells('7', 'variation', 'K-P', 'id:5', 'Punane', '13'),
  )
  assert.deepEqual(refused, [])
  assert.match(
    notes[0] ?? '',
    /^these columns are recognized only by their position: Tunnus, Liik, Tootekood, Pealkiri, Avaldatud/,
  )
  assert.deepEqual(
    entries.map(({ slug, name, description, categories, skus }) => [
      ...[slug, name, description, categories],
      skus.map(({ code, options, price, weightGrams, stock }) => [code, options, price, weightGrams, stock]),
    ]),
    [
      [
        ...['kruus-5', 'Kruus', 'Savist', ['koeoek']],
        [
          ['K-S', { Värv: 'Sinine' }, 1250, 400, 3],
          ['K-P', { Värv: 'Punane' }, 1300, 400, 3],
        ],
      ],
    ],
  )
})

test('a file with selected columns in an unknown language is recognized as a WooCommerce file, and refused with advice', async () => {
  const { entries, refused } = await readText('Tunnus,Liik,Pealkiri,Nähtavus,Hind', '5,simple,Kruus,visible,12')
  assert.deepEqual(entries, [])
  assert.equal(refused.length, 1)
  assert.match(
    String(refused[0]?.[1]),
    /^this is a product file of WooCommerce whose column names .* to English, and export the products again$/,
  )
})

test('a file of another system is not recognized as a WooCommerce file', async () => {
  await assert.rejects(readText('Tunnus,Liik,Pealkiri,Hind', '5,simple,Kruus,12'), UnknownColumns)
})

const header =
  'ID,Type,SKU,Name,Published,Visibility in catalog,Description,In stock?,Stock,Regular price,Parent,' +
  [1, 2, 3, 4, 5].map((n) => `Attribute ${n} name,Attribute ${n} value(s),Attribute ${n} visible`).join(',')
const attributes = (...pairs: [name: string, value: string, visible?: string][]) =>
  Array.from({ length: 5 }, (_, index) => {
    const [name = '', value = '', visible = '1'] = pairs[index] ?? []
    return [name, value, name === '' ? '' : visible]
  }).flat()
const line = (
  id: number,
  type: string,
  sku: string,
  stock: string,
  parent: string,
  pairs: [string, string, string?][],
) =>
  csvLine([
    ...[String(id), type, sku, 'Shirt', '1', 'visible', '', '1', stock, '20', parent],
    ...attributes(...pairs),
  ]).trim()

test('a variation for any value becomes a variant for each value, and a variation for one value takes precedence', async () => {
  const { entries, notes, refused } = await readText(
    header,
    line(1, 'variable', 'S', '', '', [
      ['Color', 'Red, Blue'],
      ['Size', 'L, M, "XL\\, tall"'],
    ]),
    line(2, 'variation', 'S-RED', '7', 'id:1', [
      ['Color', 'Red'],
      ['Size', ''],
    ]),
    line(3, 'variation', 'S-RED-M', '2', 'id:1', [
      ['Color', 'Red'],
      ['Size', 'M'],
    ]),
    line(4, 'variation', 'S-BLUE', '', 'id:1', [
      ['Color', 'Blue'],
      ['Size', ''],
    ]),
  )
  assert.deepEqual(refused, [])
  assert.equal(notes.filter((note) => /any value of an attribute/.test(note)).length, 1)
  assert.deepEqual(
    entries[0]?.skus.map(({ code, options, stock, counted }) => [
      code,
      options?.Color,
      options?.Size,
      counted === false ? null : stock,
    ]),
    [
      ['S-RED-l', 'Red', 'L', 4],
      ['S-RED-xl-tall', 'Red', '"XL, tall"', 3],
      ['S-RED-M', 'Red', 'M', 2],
      ['S-BLUE-l', 'Blue', 'L', null],
      ['S-BLUE-m', 'Blue', 'M', null],
      ['S-BLUE-xl-tall', 'Blue', '"XL, tall"', null],
    ],
  )
})

test('only attributes that vary become options, at most three, and the others are added to the description', async () => {
  const same: [string, string][] = [
    ['Brand', 'Acme'],
    ['Care', 'Wash <cold>'],
    ['Fit', 'Slim'],
  ]
  const { entries, notes, refused } = await readText(
    header,
    line(1, 'variable', 'S', '', '', [['Color', 'Red, Blue'], ['Size', 'L'], ...same]),
    line(2, 'variation', 'S-R', '1', 'id:1', [['Color', 'Red'], ['Size', 'L'], ...same]),
    line(3, 'variation', 'S-B', '1', 'id:1', [['Color', 'Blue'], ['Size', 'L'], ...same]),
    line(4, 'simple', 'T', '1', '', [
      ['Color', 'Gray'],
      ['Secret', 'x', '0'],
    ]),
    line(5, 'variable', 'U', '', '', []),
    ...[0, 1].map((n) =>
      line(
        6 + n,
        'variation',
        `U-${n}`,
        '1',
        'id:5',
        ['A', 'B', 'C', 'D'].map((name) => [name, `${n}`]),
      ),
    ),
  )
  assert.deepEqual(refused, [[6, 'the variations of the product differ in more than three attributes']])
  assert.deepEqual(
    entries.map(({ description, options }) => [description, options]),
    [
      ['• Size: L\n• Brand: Acme\n• Care: Wash <cold>\n• Fit: Slim', [{ name: 'Color', values: ['Red', 'Blue'] }]],
      ['• Color: Gray', []],
    ],
  )
  assert.equal(notes.filter((note) => /appended to the description/.test(note)).length, 1)
})

test('any number of values makes at most the allowed number of variants', async () => {
  const values = Array.from({ length: 100 }, (_, index) => `v${index}`).join(', ')
  const { entries, notes } = await readText(
    header,
    line(1, 'variable', 'S', '', '', [
      ['A', values],
      ['B', values],
      ['C', values],
    ]),
    line(2, 'variation', 'S-1', '', 'id:1', [
      ['A', ''],
      ['B', ''],
      ['C', ''],
    ]),
  )
  assert.equal(entries[0]?.skus.length, 500)
  assert.ok(
    notes.some((note) => /only the first 500 values became variants$/.test(note)),
    notes.join(),
  )
})

test('a product that was renamed in the shop is found by its id', async () => {
  const text = readFileSync(fixture, 'utf8').replace(
    'hoodie,4006381333931,"Hoodie, ""Logo"""',
    'hoodie,4006381333931,Jumper',
  )
  const asked: unknown[] = []
  const { entries, notes } = await read(readCsv(rowsOf(text)), async (member, products) => {
    assert.equal(member, 'woocommerceId')
    asked.push(...products)
    return new Map([['45', 'hoodie-logo-45']])
  })
  assert.deepEqual(asked.slice(0, 2), [
    { slug: 'v-neck-t-shirt-44', mark: '44', end: '44', codes: ['vneck-red-s'] },
    { slug: 'jumper-45', mark: '45', end: '45', codes: ['hoodie'] },
  ])
  const hoodie = entries.find(({ slug }) => slug === 'hoodie-logo-45')
  assert.deepEqual([hoodie?.name, hoodie?.metadata], ['Jumper', { woocommerceId: '45' }])
  assert.ok(notes.some((note) => /^line 3: the product has another name in the shop/.test(note)))
})
