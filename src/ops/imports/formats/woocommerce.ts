// WooCommerce's product file: one row per product and one per variation, which names its parent and may be anywhere in the file. The file
// has no slugs; a slug is made from the product's name and id.

import { skusMax } from '../../../contract/entries.ts'
import { type Remark, type RemarkCode, remark } from '../../../contract/remarks.ts'
import { paragraphsOf } from '../../../domain/catalog/plaintext.ts'
import { inSlices } from '../../../platform/kit/breath.ts'
import { slugify } from '../../../platform/kit/slug.ts'
import { optionColumns, slugOfHandle } from '../shopify.ts'
import {
  type ConvertedRow,
  combinedVariantsMax,
  combineValues,
  type FileRow,
  groupRows,
  holdRows,
  listOf,
  type MarkedProduct,
  optionsOf,
  type ProductFormat,
  productRows,
  type ShopifyCells,
  sharedCells,
  type VariantShare,
  variantsOf,
} from './format.ts'
import { isRead } from './wooheader.ts'

const attributesMax = 100
// Metadata member in which the product's id in WooCommerce is stored.
const markMember = 'woocommerceId'
const categoriesMax = 100

export const woocommerce: ProductFormat = {
  name: 'WooCommerce',
  isThis: (columns) => ['type', 'name', 'regular price'].every((name) => columns.has(name)),
  reads: isRead,
  columnsOf: (columns) => [
    ...([
      'handle',
      'metadata',
      'oldPaths',
      'title',
      'published',
      'sku',
      'price',
      'compareAtPrice',
      'tracker',
      'quantity',
      'policy',
    ] as const),
    ...optionColumns.flat(),
    ...(['requiresShipping', 'variantImage'] as const),
    ...(hasText(columns) ? (['body'] as const) : []),
    ...(hasAny(columns, 'categories') ? (['type', 'furtherTypes'] as const) : []),
    ...(hasAny(columns, ...brandColumns) ? (['vendor'] as const) : []),
    ...(hasAny(columns, 'tags') ? (['tags'] as const) : []),
    ...(hasAny(columns, barcodeColumn) ? (['barcode'] as const) : []),
    ...(hasAny(columns, 'images') ? (['imageUrl'] as const) : []),
    ...(weightColumnOf(columns) ? (['weight', 'weightUnit'] as const) : []),
  ],
  async *convert(rows, columns, { findKnown }) {
    const held = await holdRows(rows, [...columns])
    const family = await familiesOf(held)
    const rowsOf = (row: FileRow) => (kindOf(row) === 'simple' ? [row] : (family.variations.get(row) ?? []))
    const marked: MarkedProduct[] = []
    for await (const row of inSlices(held)) if (isProduct(row)) marked.push(...markedProduct(row, rowsOf(row)))
    const file: WooFile = {
      weight: weightColumnOf(columns),
      hasText: hasText(columns),
      attributes: attributeColumnsOf(columns),
      known: await findKnown(markMember, marked),
      said: new Set(),
    }
    for await (const row of inSlices(held)) {
      if (isProduct(row)) yield* productOf(row, yield* variantsOf(handleOf(row), rowsOf(row)), file)
      else if (kindOf(row) === 'variation') {
        if (!parentOf(row, family.byKey)) yield refusal(row, remark('parent_missing'))
      } else yield refusal(row, remark('type_not_imported', { value: row.cell('type').slice(0, 40) }))
    }
  },
}

interface WooFile {
  weight: Weight | undefined
  // Whether the file has a description column. Without one, descriptions in the shop do not change.
  hasText: boolean
  attributes: readonly AttributeColumns[]
  // Slugs of products in the shop by mark, for products that have another slug in the file.
  known: ReadonlyMap<string, string>
  // Codes of remarks that were already made and are made once per file.
  said: Set<RemarkCode>
}

function isProduct(row: FileRow): boolean {
  return ['simple', 'variable'].includes(kindOf(row))
}

// WooCommerce identifies a product by its id, even after it was renamed. Without an id, its code is used.
function markOf(row: FileRow): string {
  return row.cell('id') || row.cell('sku')
}

function markedProduct(row: FileRow, variants: readonly FileRow[]): MarkedProduct[] {
  const mark = markOf(row)
  const codes = variants.map((variant) => variant.cell('sku')).filter((code) => code !== '')
  return mark === '' ? [] : [{ slug: slugOfHandle(handleOf(row)), mark, end: mark, codes }]
}

// WooCommerce's own column for brands, and that of older plugins.
const brandColumns = ['brands', 'brand'] as const
const barcodeColumn = 'gtin, upc, ean, or isbn'

function hasAny(columns: ReadonlySet<string>, ...names: readonly string[]): boolean {
  return names.some((name) => columns.has(name))
}

function hasText(columns: ReadonlySet<string>): boolean {
  return hasAny(columns, 'description', 'short description')
}

interface Weight {
  column: string
  unit: string
}

// The column name contains the unit: "Weight (lbs)".
function weightColumnOf(columns: ReadonlySet<string>): Weight | undefined {
  for (const column of columns) {
    const unit = /^weight \((.+)\)$/.exec(column)?.[1]
    if (unit !== undefined) return { column, unit: unit === 'lbs' ? 'lb' : unit }
  }
  return undefined
}

type Kind = 'simple' | 'variable' | 'variation' | 'other'

// The cell may have several words, such as "simple, downloadable, virtual".
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

function* productOf(row: FileRow, rows: readonly FileRow[], file: WooFile): Generator<ConvertedRow> {
  if (rows.length === 0) return yield refusal(row, remark('no_variations'))
  const own = attributesOf(row, file)
  const isSimple = rows[0] === row
  const { options, variants, constants, notes } = isSimple ? simpleOf(row) : unrolledOf(own, rows, file)
  if (options.length > 3) return yield refusal(row, remark('too_many_attributes'))
  const details = file.hasText ? detailsOf(row, { own, options, constants }, file) : ''
  if (details !== '') notes.push(remark('attributes_in_description'))
  const [type = '', ...furtherTypes] = categoriesOf(row)
  const mark = markOf(row)
  const known = file.known.get(mark)
  const product: ShopifyCells = {
    title: row.cell('name'),
    body: bodyOf(row) + details,
    vendor: brandOf(row),
    type,
    furtherTypes: furtherTypes.join('\n'),
    tags: row.cell('tags').replaceAll('\\,', ' '),
    published: row.cell('published') === '1' && row.cell('visibility in catalog') !== 'hidden' ? 'TRUE' : 'FALSE',
    oldPaths: oldPathsOf(row.cell('name')).join('\n'),
    ...(mark !== '' && { metadata: `${markMember}\t${mark}` }),
  }
  const cells = variants.map(({ row: variant, values, share }) => ({
    line: variant.line,
    cells: {
      ...sharedCells(variantCells(variant, row, file.weight), share),
      ...optionsOf(options.map((name, index) => ({ name, value: values?.[index] ?? '' }))),
      ...(!isSimple && { variantImage: listOf(variant.cell('images'))[0] ?? '' }),
    },
  }))
  const made = productRows(known ?? handleOf(row), product, cells, listOf(row.cell('images')))
  const told: Remark[] = []
  for (const note of notes) {
    if (!file.said.has(note.code)) told.push(note)
    file.said.add(note.code)
  }
  if (known !== undefined) told.push(remark('found_by_id', { slug: known }))
  const [first, ...others] = made
  if (first && 'cells' in first) yield { ...first, ...(told.length > 0 && { notes: told }) }
  yield* others
}

function simpleOf(row: FileRow): Variants {
  return { options: [], variants: [{ row }], constants: new Map(), notes: [] }
}

interface Variants {
  options: readonly string[]
  variants: readonly Variant[]
  // Attributes that have the same value in all variations.
  constants: ReadonlyMap<string, string>
  notes: Remark[]
}

interface Variant {
  row: FileRow
  // Values in the order of the product's options.
  values?: readonly string[]
  share?: VariantShare
}

// A variation with an empty value stands for a variant of each value that the product has.
function unrolledOf(own: ReadonlyMap<string, string>, rows: readonly FileRow[], file: WooFile): Variants {
  const given = rows.map((row) => ({ row, attributes: attributesOf(row, file) }))
  const names = [...new Set(given.flatMap(({ attributes }) => [...attributes.keys()]))]
  const allOf = (name: string) => given.map(({ attributes }) => attributes.get(name) ?? '')
  const choices = new Map(
    names.map((name) => [
      name,
      [...new Set([...valuesIn(own.get(name) ?? ''), ...allOf(name).filter((value) => value !== '')])],
    ]),
  )
  const differs = (name: string) =>
    new Set(allOf(name)).size > 1 || (allOf(name).includes('') && (choices.get(name)?.length ?? 0) > 1)
  // Up to three attributes all become options, even if their values do not differ.
  const options = names.length <= 3 ? names : names.filter(differs)
  const constants = new Map(names.filter((name) => !options.includes(name)).map((name) => [name, allOf(name)[0] ?? '']))
  const notes: Remark[] = []
  if (options.length > 3) return { options, variants: [], constants, notes }
  const found = given.map(({ row, attributes }) => ({ row, values: options.map((name) => attributes.get(name) ?? '') }))
  const taken = new Set(found.flatMap(({ values }) => (values.includes('') ? [] : [JSON.stringify(values)])))
  const variants: Variant[] = []
  let room = skusMax
  for (const { row, values } of found) {
    if (!values.includes('')) {
      variants.push({ row, values })
      continue
    }
    const lists = options.map((name, index) => (values[index] ? [values[index]] : (choices.get(name) ?? [])))
    const all = combineValues(lists, Math.min(combinedVariantsMax, room))
    room -= all.length
    const free = all.filter((one) => !taken.has(JSON.stringify(one)))
    for (const [index, one] of free.entries()) {
      taken.add(JSON.stringify(one))
      const chosen = one.filter((_, place) => values[place] === '')
      const end = chosen.map((value) => slugify(value) || value).join('-')
      variants.push({ row, values: one, ...(free.length > 1 && { share: { index, count: free.length, end } }) })
    }
    if (free.length > 1)
      notes.push(
        all.length < combinedVariantsMax
          ? remark('variation_unrolled')
          : remark('variation_unrolled_in_part', { max: combinedVariantsMax }),
      )
  }
  return { options, variants, constants, notes }
}

// Attributes that WooCommerce shows below a product: visible ones that are not options.
function detailsOf(
  row: FileRow,
  {
    own,
    options,
    constants,
  }: { own: ReadonlyMap<string, string>; options: readonly string[]; constants: ReadonlyMap<string, string> },
  file: WooFile,
): string {
  const isHidden = ({ visible }: AttributeColumns) => row.cell(visible) === '0'
  const hidden = new Set(file.attributes.filter(isHidden).map(({ name }) => row.cell(name)))
  const items = [...new Map([...own, ...constants])]
    .filter(([name, value]) => value !== '' && !options.includes(name) && !hidden.has(name))
    .map(([name, value]) => `<li>${escaped(name)}: ${escaped(valuesIn(value).join(', '))}</li>`)
  return items.length === 0 ? '' : `<ul>${items.join('')}</ul>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

// Parses paths such as "Clothing, Clothing > T-shirts, Sale". A category includes the products of its subcategories, so parents of other
// listed categories are left out.
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

// A product has one brand here: the first one listed, and of a path such as "Acme > Acme Kids" the last part.
function brandOf(row: FileRow): string {
  const cell = brandColumns.map((column) => row.cell(column)).find((text) => text !== '') ?? ''
  const [first = ''] = cell.split(/(?<!\\),/)
  return unescaped(first).split('>').at(-1)?.trim() ?? ''
}

function handleOf(row: FileRow): string {
  const words = slugify(row.cell('name')).slice(0, 90) || 'product'
  const id = markOf(row)
  return id === '' ? row.cell('name') : `${words}-${id}`
}

// The file has no paths of products. WordPress makes paths from names, with or without accents.
function oldPathsOf(name: string): string[] {
  const plain = name
    .slice(0, 200)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
  const words = [slugify(name), plain].filter((word) => word !== '')
  return [...new Set(words)].map((word) => `/product/${word}`)
}

function variantCells(row: FileRow, parent: FileRow, weight: Weight | undefined): ShopifyCells {
  const [regular, sale] = [decimalOf(row.cell('regular price')), decimalOf(row.cell('sale price'))]
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
    // If there is no quantity, WooCommerce sells a product if it is marked as in stock.
    tracker: stock === '' && isSold ? '' : 'woocommerce',
    quantity: stock || '0',
    policy: ['1', 'notify'].includes(row.cell('backorders allowed?')) ? 'continue' : 'deny',
    requiresShipping: words.includes('virtual') || words.includes('downloadable') ? 'FALSE' : 'TRUE',
    ...(weight && { weight: decimalOf(heavy ?? ''), weightUnit: heavy ? weight.unit : '' }),
  }
}

// Converts a decimal comma to a point. WooCommerce writes no thousands separators.
function decimalOf(text: string): string {
  return text.replace(/^(\d+),(\d+)$/, '$1.$2')
}

interface AttributeColumns {
  name: string
  values: string
  visible: string
}

function attributeColumnsOf(columns: ReadonlySet<string>): AttributeColumns[] {
  return [...columns]
    .filter((column) => /^attribute \d+ name$/.test(column))
    .slice(0, attributesMax)
    .map((name) => ({ name, values: name.replace('name', 'value(s)'), visible: name.replace('name', 'visible') }))
}

// Returns attributes in the order of the columns. In a list of values, commas within values stay escaped.
function attributesOf(row: FileRow, { attributes }: WooFile): Map<string, string> {
  const isOne = kindOf(row) === 'variation'
  const found = new Map<string, string>()
  for (const { name: column, values } of attributes) {
    const name = row.cell(column)
    if (name !== '') found.set(name, isOne ? unescaped(row.cell(values)) : row.cell(values))
  }
  return found
}

function valuesIn(text: string): string[] {
  return text
    .split(/(?<!\\),/, combinedVariantsMax)
    .map(unescaped)
    .filter((value) => value !== '')
}

function bodyOf(row: FileRow): string {
  const texts = [row.cell('short description'), row.cell('description')].filter((text) => text !== '')
  return texts.map(paragraphs).join('')
}

// The file writes a line break as a backslash and an n. An empty line separates paragraphs.
function paragraphs(text: string): string {
  const lines = text.replaceAll('\\n', '\n')
  return /<(?:p|div|ul|ol|table|h\d)\b/i.test(lines) ? lines : paragraphsOf(lines)
}

function unescaped(text: string): string {
  return text.replaceAll('\\,', ',').trim()
}

function refusal(row: FileRow, reason: Remark): ConvertedRow {
  return { line: row.line, handle: row.cell('name').slice(0, 100), refused: reason }
}
