// WooCommerce's product file: a row for each product and one for each of its variations, which name their parent and stand
// anywhere. It has no slugs; a product is named after its name and its id.

import { paragraphsOf } from '../../catalog/plaintext.ts'
import { inSlices } from '../../kit/breath.ts'
import { slugify } from '../../kit/slug.ts'
import { optionColumns } from '../shopify.ts'
import {
  type ConvertedRow,
  type FileRow,
  groupRows,
  holdRows,
  listOf,
  optionsOf,
  type ProductFormat,
  productRows,
  type ShopifyCells,
  variantsOf,
} from './format.ts'

const attributeColumns = Array.from({ length: 20 }, (_, index) => ({
  name: `attribute ${index + 1} name`,
  value: `attribute ${index + 1} value(s)`,
}))
const categoriesMax = 100

export const woocommerce: ProductFormat = {
  name: 'WooCommerce',
  isThis: (columns) => ['type', 'name', 'regular price'].every((name) => columns.has(name)),
  columnsOf: (columns) => [
    ...(['handle', 'title', 'published', 'sku', 'price', 'compareAtPrice', 'tracker', 'quantity', 'policy'] as const),
    ...optionColumns.flat(),
    ...(['requiresShipping', 'variantImage'] as const),
    ...(hasAny(columns, 'description', 'short description') ? (['body'] as const) : []),
    ...(hasAny(columns, 'categories') ? (['type', 'furtherTypes'] as const) : []),
    ...(hasAny(columns, ...brandColumns) ? (['vendor'] as const) : []),
    ...(hasAny(columns, 'tags') ? (['tags'] as const) : []),
    ...(hasAny(columns, barcodeColumn) ? (['barcode'] as const) : []),
    ...(hasAny(columns, 'images') ? (['imageUrl'] as const) : []),
    ...(weightColumnOf(columns) ? (['weight', 'weightUnit'] as const) : []),
  ],
  async *convert(rows, columns) {
    const held = await holdRows(rows, [...columns])
    const weight = weightColumnOf(columns)
    const family = await familiesOf(held)
    for await (const row of inSlices(held)) {
      const kind = kindOf(row)
      if (kind === 'variation') {
        if (!parentOf(row, family.byKey)) yield refusal(row, 'the variation names no product of the file as its parent')
      } else if (kind === 'variable' || kind === 'simple') {
        const found = kind === 'simple' ? [row] : (family.variations.get(row) ?? [])
        yield* productOf(row, yield* variantsOf(handleOf(row), found), weight)
      } else yield refusal(row, `products of the type "${row.cell('type').slice(0, 40)}" are not imported`)
    }
  },
}

// WooCommerce's own, and that of older plugins.
const brandColumns = ['brands', 'brand'] as const
const barcodeColumn = 'gtin, upc, ean, or isbn'

function hasAny(columns: ReadonlySet<string>, ...names: readonly string[]): boolean {
  return names.some((name) => columns.has(name))
}

interface Weight {
  column: string
  unit: string
}

// The unit is in the header: "Weight (lbs)".
function weightColumnOf(columns: ReadonlySet<string>): Weight | undefined {
  for (const column of columns) {
    const unit = /^weight \((\w+)\)$/.exec(column)?.[1]
    if (unit !== undefined) return { column, unit: unit === 'lbs' ? 'lb' : unit }
  }
  return undefined
}

type Kind = 'simple' | 'variable' | 'variation' | 'other'

// "simple, downloadable, virtual"
function kindOf(row: FileRow): Kind {
  const words = typeWords(row)
  return (['variation', 'variable', 'simple'] as const).find((word) => words.includes(word)) ?? 'other'
}

function typeWords(row: FileRow): string[] {
  return row
    .cell('type')
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
}

async function familiesOf(rows: readonly FileRow[]) {
  const byKey = new Map<string, FileRow>()
  const kinds = await groupRows(rows, kindOf)
  for await (const row of inSlices(kinds.get('variable') ?? [])) {
    if (row.cell('sku') !== '') byKey.set(row.cell('sku'), row)
    if (row.cell('id') !== '') byKey.set(`id:${row.cell('id')}`, row)
  }
  const variations = await groupRows(kinds.get('variation') ?? [], (row) => parentOf(row, byKey))
  return { byKey, variations }
}

function parentOf(row: FileRow, byKey: ReadonlyMap<string, FileRow>): FileRow | undefined {
  return byKey.get(row.cell('parent'))
}

function* productOf(row: FileRow, variants: readonly FileRow[], weight: Weight | undefined): Generator<ConvertedRow> {
  const isSimple = variants[0] === row
  const attributes = isSimple ? [] : variants.map(attributesOf)
  // In the order of the columns.
  const names = [...new Set(attributes.flatMap((of) => [...of.keys()]))]
  if (names.length > 3) return yield refusal(row, 'its variations differ by more than three attributes')
  if (variants.length === 0) return yield refusal(row, 'the product has no variations in the file')
  const [type = '', ...furtherTypes] = categoriesOf(row)
  const product: ShopifyCells = {
    title: row.cell('name'),
    body: bodyOf(row),
    vendor: brandOf(row),
    type,
    furtherTypes: furtherTypes.join('\n'),
    tags: row.cell('tags').replaceAll('\\,', ' '),
    published: row.cell('published') === '1' && row.cell('visibility in catalog') !== 'hidden' ? 'TRUE' : 'FALSE',
  }
  const cells = variants.map((variant, index) => ({
    line: variant.line,
    cells: {
      ...variantCells(variant, row, weight),
      ...optionsOf(names.map((name) => ({ name, value: attributes[index]?.get(name) ?? '' }))),
      ...(!isSimple && { variantImage: listOf(variant.cell('images'))[0] ?? '' }),
    },
  }))
  yield* productRows(handleOf(row), product, cells, listOf(row.cell('images')))
}

// "Clothing, Clothing > T-shirts, Sale": what stands in a category stands in those above it, so these are left out.
function categoriesOf(row: FileRow): string[] {
  const paths = row
    .cell('categories')
    .split(/(?<!\\),/, categoriesMax)
    .map((path) =>
      unescaped(path)
        .split('>')
        .map((name) => name.trim())
        .join(' > '),
    )
    .filter((path) => path !== '')
  return paths.filter((path) => !paths.some((other) => other.startsWith(`${path} > `)))
}

// A product has one brand here: the first, and of "Acme > Acme Kids" the last part.
function brandOf(row: FileRow): string {
  const cell = brandColumns.map((column) => row.cell(column)).find((text) => text !== '') ?? ''
  const [first = ''] = cell.split(/(?<!\\),/)
  return unescaped(first).split('>').at(-1)?.trim() ?? ''
}

function handleOf(row: FileRow): string {
  const words = slugify(row.cell('name')).slice(0, 90) || 'product'
  const id = row.cell('id') || row.cell('sku')
  return id === '' ? row.cell('name') : `${words}-${id}`
}

function variantCells(row: FileRow, parent: FileRow, weight: Weight | undefined): ShopifyCells {
  const [regular, sale] = [row.cell('regular price'), row.cell('sale price')]
  const own = row.cell('stock')
  const stock = own === 'parent' ? parent.cell('stock') : own
  const isSold = row.cell('in stock?') !== '0'
  const words = typeWords(row)
  const heavy = weight && (row.cell(weight.column) || parent.cell(weight.column))
  return {
    sku: row.cell('sku'),
    barcode: row.cell(barcodeColumn),
    price: sale || regular,
    compareAtPrice: sale === '' ? '' : regular,
    // Without a count WooCommerce sells it, or does not, by this switch alone.
    tracker: stock === '' && isSold ? '' : 'woocommerce',
    quantity: stock || '0',
    policy: ['1', 'notify'].includes(row.cell('backorders allowed?')) ? 'continue' : 'deny',
    requiresShipping: words.includes('virtual') || words.includes('downloadable') ? 'FALSE' : 'TRUE',
    ...(weight && { weight: heavy ?? '', weightUnit: heavy ? weight.unit : '' }),
  }
}

function attributesOf(row: FileRow): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const column of attributeColumns) {
    const name = row.cell(column.name)
    const value = name === '' ? '' : unescaped(row.cell(column.value))
    if (value !== '') attributes.set(name, value)
  }
  return attributes
}

function bodyOf(row: FileRow): string {
  const texts = [row.cell('short description'), row.cell('description')].filter((text) => text !== '')
  return texts.map(paragraphs).join('')
}

// The file writes a line break as \n, and an empty line is a paragraph.
function paragraphs(text: string): string {
  const lines = text.replaceAll('\\n', '\n')
  return /<(?:p|div|ul|ol|table|h\d)\b/i.test(lines) ? lines : paragraphsOf(lines)
}

function unescaped(text: string): string {
  return text.replaceAll('\\,', ',').trim()
}

function refusal(row: FileRow, reason: string): ConvertedRow {
  return { line: row.line, handle: row.cell('name').slice(0, 100), refused: reason }
}
