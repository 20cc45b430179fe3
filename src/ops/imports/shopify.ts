// Converts the rows of a Shopify product CSV to product entries, one product at a time. It reads both headers that Shopify has written
// (one with "Handle" and "Variant Price", one with "URL handle" and "Price"). Pure: the same file always gives the same entries, so
// importing it a second time changes nothing.
// If the file does not have a column, the entry omits the member, so the product keeps its value; an empty cell clears the member.
// `notes` say which values were changed to fit; rows with values that cannot fit are refused with their line.

import { createHash } from 'node:crypto'
import {
  type CategoryEntry,
  categoryDepthMax,
  type GuaranteeEntry,
  type MeasureEntry,
  type ProductEntry,
  type SkuEntry,
  skuCodeLengthMax,
  skusMax,
  type WarningEntry,
} from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import { type Remark, remark } from '../../contract/remarks.ts'
import { type WithdrawalExemption, withdrawalExemptions } from '../../contract/words.ts'
import { htmlToPlainTextSteps, plainTextToHtmlSteps } from '../../domain/catalog/plaintext.ts'
import { isPicture } from '../../domain/catalog/problems.ts'
import { sanitizeHtmlSteps } from '../../domain/catalog/safehtml.ts'
import { createSlicePauses, runSteps, type SlicePauses } from '../../platform/kit/breath.ts'
import { readMeasure } from '../../platform/kit/measuretext.ts'
import { formatAmount, parseDecimal } from '../../platform/kit/money.ts'
import { dropsLetters, isSlug, slugify } from '../../platform/kit/slug.ts'
import { warningsIn } from '../../platform/kit/warningtext.ts'
import { type CsvRow, parseCsvCodeCell, removeFormulaGuard } from './csv.ts'

export interface ReadProduct {
  kind: 'product'
  line: number
  entry: ProductEntry
  // Categories of the product with all their parents, parents first.
  categories: CategoryEntry[]
  // Whether a row of the product was refused, so the product may have SKUs that the entry does not contain.
  isPartial: boolean
  // Whether the file has no prices. It can then only change existing SKUs, and the price 0 of each SKU in the entry is ignored.
  isPriceless: boolean
  // Original codes of SKUs whose code another SKU of the file already has, by the codes generated for them.
  sharedCodes: ReadonlyMap<string, string>
  // Paths of the product in the shop that exported the file, if they differ from those in this shop.
  oldPaths: readonly string[]
  notes: Remark[]
}

// A refused row, or a refused product if its reason says so (`leavesOut`). A refused product is listed once, with no other row.
export interface RefusedRow {
  kind: 'refused'
  line: number
  handle: string
  reason: Remark
}

export type ShopifyOutcome = ReadProduct | RefusedRow

// Limits of the shop file, and limits of the import for what the shop file does not limit.
const skuMax = skusMax
const imageMax = 50
const imageHeldMax = 250
const tagMax = 50
const tagLengthMax = 60
const categoriesOfProductMax = 20
const categoryMax = 2_000
const noteMax = 30
const refusedHeldMax = 1_000
const nameLengthMax = 200
const codeLengthMax = skuCodeLengthMax
const summaryLengthMax = 200
const { brandLengthMax, descriptionLengthMax, descriptionHtmlLengthMax } = limits
// Maximum lengths of cells: longer text is truncated when it is read. Sanitized HTML may be longer than its text.
const cellLengthMax = 4_096
const listLengthMax = 65_536
const safeLengthMax = 4 * descriptionHtmlLengthMax
const pathsMax = 100
const countMax = 1_000_000_000
const barcodeLengthMax = 64

export interface ShopifyOptions {
  currency: string
  // Origin of this server. URLs of the server's own pictures are stored as paths.
  origin?: string | null
  // Stock of counted SKUs for which the file has no quantity.
  stockDefault?: number | null
}

// The first row is the header. The rows of a product are consecutive, as Shopify writes them: a product is yielded once the next one
// begins, and only slugs, SKU codes and categories of the whole file stay in memory.
export async function* readShopifyProducts(
  rows: AsyncIterable<CsvRow> | Iterable<CsvRow>,
  { currency, origin = null, stockDefault = null }: ShopifyOptions,
): AsyncGenerator<ShopifyOutcome> {
  const memory: Memory = {
    currency,
    origin,
    stockDefault,
    hasDecimalComma: false,
    slugs: new Map(),
    codes: new Map(),
    categories: new Map(),
    notes: [],
  }
  let header: Header | undefined
  let handle = ''
  let draft: Draft | undefined // undefined while rows of a refused product are skipped
  const breath = createSlicePauses()

  for await (const { line, cells, delimiter, refused, notes } of rows) {
    if (refused) {
      yield { kind: 'refused', line, ...refused }
      continue
    }
    if (header === undefined) {
      memory.hasDecimalComma = delimiter === ';'
      const read = readHeader(cells, memory)
      if ('reason' in read) return yield { kind: 'refused', line, handle: '', reason: read.reason }
      header = read.header
      memory.notes = [...(notes ?? []), ...read.notes]
      continue
    }
    if (cells.every((text) => text.trim() === '')) continue

    const row: Row = { header, line, cells }
    const itsHandle = cell(row, 'handle')
    // Shopify compares handles case-insensitively.
    if (itsHandle === '' || itsHandle.toLowerCase() !== handle.toLowerCase()) {
      // A row without a handle may belong to the product before it, which is then incomplete.
      if (draft && itsHandle === '') draft.mayLackRows = true
      if (draft) yield* finish(memory, draft)
      handle = itsHandle
      const begun = await begin(memory, handle, row, breath)
      draft = 'reason' in begun ? undefined : begun
      if ('reason' in begun) yield { kind: 'refused', line, handle, reason: { ...begun.reason, leavesOut: true } }
    }
    if (draft) for (const note of notes ?? []) addNote(draft.notes, line, note)
    const refusal = draft && addRow(memory, draft, row)
    if (!draft || !refusal) continue
    if (draft.refused.length < refusedHeldMax) draft.refused.push({ line, reason: refusal.reason })
    else yield { kind: 'refused', line, handle, reason: refusal.reason }
  }

  if (draft) yield* finish(memory, draft)
  if (header === undefined) yield { kind: 'refused', line: 1, handle: '', reason: remark('file_empty') }
}

type Refusal = { reason: Remark }

// State kept for the whole file: the lines where slugs and codes were first read, and the first definition of each category.
type Memory = {
  currency: string
  origin: string | null
  stockDefault: number | null
  // Whether numbers have a decimal comma. Spreadsheets then separate cells by semicolons.
  hasDecimalComma: boolean
  slugs: Map<string, number>
  codes: Map<string, number>
  categories: Map<string, CategoryEntry>
  // Notes about the whole file. They are returned with its first product.
  notes: Remark[]
}

type Draft = {
  line: number
  handle: string
  entry: Writable<Omit<ProductEntry, 'skus' | 'options' | 'images'>>
  categories: CategoryEntry[]
  oldPaths: string[]
  isGiftCard: boolean
  isPriceless: boolean
  mayLackRows: boolean
  // Refused rows. They are reported after the last row of the product, unless the whole product is refused.
  refused: { line: number; reason: Remark }[]
  hasRows: boolean
  optionNames: string[]
  variants: Variant[]
  // Undefined if the file has no column for images.
  images: Image[] | undefined
  notes: Remark[]
}
type Variant = { line: number; values: string[]; code: string; sku: Writable<Omit<SkuEntry, 'code' | 'options'>> }
type Image = { url: string; alt: string; position: number }
type Writable<Entry> = { -readonly [Member in keyof Entry]: Entry[Member] }

// The columns that the import reads, with their names in Shopify's older and newer headers.
export const shopifyColumns = {
  handle: ['handle', 'url handle'],
  title: ['title'],
  body: ['body (html)', 'body html', 'body', 'description'],
  vendor: ['vendor'],
  type: ['type', 'custom product type'],
  category: ['product category', 'standardized product type', 'standard product type'],
  // Not a Shopify column: further categories of a product from another system, one per line.
  furtherTypes: ['further product types'],
  // Not a Shopify column: metadata, one member per line, as name and text separated by a tab.
  metadata: ['further metadata'],
  // Not a Shopify column: former paths of the product, one per line.
  oldPaths: ['old paths'],
  tags: ['tags'],
  // Named as Shopify names metafield columns.
  maker: ['maker (product.metafields.cartwright.maker)', 'maker'],
  warnings: ['warnings (product.metafields.cartwright.warnings)', 'warnings'],
  withdrawalExempt: ['no withdrawal (product.metafields.cartwright.withdrawal_exempt)'],
  digital: ['digital content (product.metafields.cartwright.digital)'],
  guaranteeYears: ['guarantee (product.metafields.cartwright.guarantee_years)'],
  guaranteeUrl: ['guarantee conditions (product.metafields.cartwright.guarantee_url)'],
  seoTitle: ['seo title'],
  seoDescription: ['seo description'],
  published: ['published', 'published on online store'],
  status: ['status'],
  giftCard: ['gift card'],
  option1Name: ['option1 name'],
  option1Value: ['option1 value'],
  option2Name: ['option2 name'],
  option2Value: ['option2 value'],
  option3Name: ['option3 name'],
  option3Value: ['option3 value'],
  sku: ['variant sku', 'sku'],
  price: ['variant price', 'price'],
  compareAtPrice: ['variant compare at price', 'compare-at price', 'compare at price'],
  tracker: ['variant inventory tracker', 'inventory tracker'],
  quantity: ['variant inventory qty', 'variant inventory quantity', 'inventory quantity'],
  policy: ['variant inventory policy', 'continue selling when out of stock'],
  grams: ['variant grams', 'weight value (grams)'],
  weight: ['variant weight', 'weight', 'weight value'],
  weightUnit: ['variant weight unit', 'weight unit', 'weight unit for display'],
  measure: ['unit price total measure'],
  measureUnit: ['unit price total measure unit'],
  measureBase: ['unit price base measure'],
  measureBaseUnit: ['unit price base measure unit'],
  requiresShipping: ['variant requires shipping', 'requires shipping'],
  taxable: ['variant taxable', 'charge tax'],
  imageUrl: ['image src', 'product image url'],
  imagePosition: ['image position'],
  imageAlt: ['image alt text'],
  variantImage: ['variant image', 'variant image url'],
  barcode: ['variant barcode', 'barcode'],
} as const satisfies Record<string, readonly string[]>

export type ShopifyColumn = keyof typeof shopifyColumns
type Column = ShopifyColumn
type Header = { places: ReadonlyMap<Column, number>; width: number }
type Row = { header: Header; line: number; cells: readonly string[] }

export const optionColumns = [
  ['option1Name', 'option1Value'],
  ['option2Name', 'option2Value'],
  ['option3Name', 'option3Value'],
] as const

const columnByName: ReadonlyMap<string, Column> = new Map(
  // The cast holds: the names are the keys of the table, whose type Object.entries loses.
  Object.entries(shopifyColumns).flatMap(([column, names]) =>
    names.map((name): [string, Column] => [name, column as Column]),
  ),
)

// Returns the columns of this header that the import reads.
export function readColumnsOf(header: readonly string[]): Set<ShopifyColumn> {
  return new Set(header.flatMap((text) => columnByName.get(oneLine(text).toLowerCase()) ?? []))
}

function readHeader(cells: readonly string[], { stockDefault }: Memory): { header: Header; notes: Remark[] } | Refusal {
  const places = new Map<Column, number>()
  const unread: string[] = []
  cells.forEach((text, place) => {
    const name = oneLine(text)
    const column = columnByName.get(name.toLowerCase())
    if (column !== undefined && !places.has(column)) places.set(column, place)
    else if (name !== '') unread.push(name)
  })
  const isPriceless = !places.has('price') && places.has('handle') && places.has('title')
  if (isPriceless && isInventory(cells)) return { reason: remark('stock_file') }
  for (const column of ['handle', 'title', 'price'] as const) {
    if (places.has(column) || isPriceless) continue
    return { reason: remark('column_missing', { names: shopifyColumns[column] }) }
  }
  const notes = unreadNotes(unread)
  if (isPriceless) notes.push(remark('no_prices'))
  // Shopify omits the quantity column for shops with several locations.
  else if (!places.has('quantity') && stockDefault === null) notes.push(remark('no_quantities'))
  return { header: { places, width: cells.length }, notes }
}

// Only Shopify's inventory files have these columns.
function isInventory(header: readonly string[]): boolean {
  const names = new Set(header.map((text) => oneLine(text).toLowerCase()))
  return names.has('location') || (names.has('hs code') && names.has('coo'))
}

export function unreadNotes(columns: readonly string[]): Remark[] {
  return columns.length === 0 ? [] : [remark('columns_not_imported', { members: listedColumns(columns) })]
}

const listedLengthMax = 1_000

// Returns as many column names as fit in a note.
export function listedColumns(columns: readonly string[]): string[] {
  let length = 0
  return columns
    .map((name) => cut(name, nameLengthMax))
    .filter((name) => {
      length += name.length + 2
      return length <= listedLengthMax
    })
}

function raw({ header, cells }: Row, column: Column): string {
  const place = header.places.get(column)
  if (place === undefined) return ''
  const text = (cells[place] ?? '').slice(0, lengthMaxOf(column))
  return (column === 'sku' || column === 'barcode' ? parseCsvCodeCell : removeFormulaGuard)(text)
}

function lengthMaxOf(column: Column): number {
  if (column === 'body') return Number.POSITIVE_INFINITY
  return column === 'tags' || column === 'furtherTypes' || column === 'warnings' ? listLengthMax : cellLengthMax
}

// In a file with decimal commas, "1.299,00" is 1299.00.
function decimal(memory: Memory, row: Row, column: Column): string {
  const text = cell(row, column)
  if (/^\.\d/.test(text)) return withoutNoise(`0${text}`)
  if (!memory.hasDecimalComma || !/^-?(?:\d+|\d{1,3}(?:\.\d{3})+),\d+$/.test(text)) return withoutNoise(text)
  return withoutNoise(text.replaceAll('.', '').replace(',', '.'))
}

// A spreadsheet that computed 58.12 in binary may write 58.120000000000005. The number that was meant has at most six decimals.
function withoutNoise(text: string): string {
  if (!/^-?\d{1,9}\.\d{9,20}$/.test(text)) return text
  const rounded = Number(text).toFixed(6)
  return Math.abs(Number(text) - Number(rounded)) < 1e-8 ? rounded.replace(/\.?0+$/, '') : text
}

function cell(row: Row, column: Column): string {
  return oneLine(raw(row, column))
}

function has({ header }: Row, column: Column): boolean {
  return header.places.has(column)
}

// Reads the members of the product itself from its first row.
async function begin(memory: Memory, handle: string, row: Row, breath: SlicePauses): Promise<Draft | Refusal> {
  if (handle === '') return { reason: remark('handle_missing') }
  const tooWide = tooWideFor(row)
  if (tooWide) return tooWide
  const slug = slugOfHandle(handle)
  const metAt = memory.slugs.get(slug)
  if (metAt !== undefined) return { reason: remark('handle_repeated', { otherLine: metAt }) }
  memory.slugs.set(detached(slug), row.line)

  const notes: Remark[] = []
  const note: Note = (one) => addNote(notes, row.line, one)
  if (slug !== handle) note(remark('handle_became_slug', { value: cut(handle, 100), slug }))
  const title = cell(row, 'title')
  if (title === '') return { reason: remark('title_missing') }
  if (title.length > nameLengthMax) note(remark('title_cut', { max: nameLengthMax }))

  const entry: Draft['entry'] = { slug, name: cut(title, nameLengthMax), published: isPublished(row, note) }
  if (has(row, 'body')) {
    const html = await runSteps(breath, sanitizeHtmlSteps(raw(row, 'body'), safeLengthMax))
    const text = await runSteps(breath, htmlToPlainTextSteps(html))
    if (text.length > descriptionLengthMax) note(remark('description_cut', { max: descriptionLengthMax }))
    else if (html.length > safeLengthMax) note(remark('description_html_cut', { max: safeLengthMax }))
    entry.summary = summaryOf(text)
    entry.description = cut(text, descriptionLengthMax)
    const asHtml = await runSteps(breath, plainTextToHtmlSteps(text))
    const unformatted = await runSteps(breath, sanitizeHtmlSteps(asHtml, safeLengthMax))
    entry.descriptionHtml = html === unformatted ? null : withinLength(html, note)
  }
  const paths = [cell(row, 'type') || cell(row, 'category'), ...raw(row, 'furtherTypes').split('\n', pathsMax)]
  const found = paths.map((path) => categoriesFor(memory, path, note))
  const categories = [...new Map(found.flat().map((category) => [category.slug, category])).values()]
  if (has(row, 'type') || has(row, 'category')) {
    const slugs = new Set(found.flatMap((path) => path.slice(-1).map(({ slug }) => slug)))
    if (slugs.size > categoriesOfProductMax) note(remark('categories_cut', { max: categoriesOfProductMax }))
    entry.categories = [...slugs].slice(0, categoriesOfProductMax)
  }
  if (has(row, 'tags')) entry.tags = tagsOf(cell(row, 'tags'), note)
  if (has(row, 'vendor')) entry.brand = brandOf(cell(row, 'vendor'), note)
  Object.assign(entry, searchTexts(row, note), lawfulMembers(row, note))
  const metadata = metadataOf(raw(row, 'metadata'))
  if (Object.keys(metadata).length > 0) entry.metadata = metadata

  return {
    line: row.line,
    handle,
    entry,
    categories,
    oldPaths: has(row, 'oldPaths') ? raw(row, 'oldPaths').split('\n', pathsMax) : oldPathsOf(handle, slug),
    isGiftCard: truth(cell(row, 'giftCard')) ?? false,
    isPriceless: !has(row, 'price'),
    mayLackRows: false,
    refused: [],
    hasRows: false,
    optionNames: ['', '', ''],
    variants: [],
    images: has(row, 'imageUrl') ? [] : undefined,
    notes,
  }
}

// A handle may contain letters that a slug cannot contain.
function oldPathsOf(handle: string, slug: string): string[] {
  return handle.toLowerCase() === slug ? [] : [`/products/${detached(handle)}`]
}

function brandOf(vendor: string, note: Note): string | null {
  if (vendor.length > brandLengthMax) note(remark('brand_cut', { max: brandLengthMax }))
  return cut(vendor, brandLengthMax) || null
}

// Reads the title and description for search engines.
function searchTexts(row: Row, note: Note): Partial<Draft['entry']> {
  const entry: Partial<Draft['entry']> = {}
  const read = (column: 'seoTitle' | 'seoDescription', max: number) => {
    const text = cell(row, column)
    if (text.length > max) note(remark('seo_cut', { max }))
    return cut(text, max) || null
  }
  if (has(row, 'seoTitle')) entry.seoTitle = read('seoTitle', limits.seoTitleLengthMax)
  if (has(row, 'seoDescription')) entry.seoDescription = read('seoDescription', limits.seoDescriptionLengthMax)
  return entry
}

// Reads the product information that EU law requires.
function lawfulMembers(row: Row, note: Note): Partial<Draft['entry']> {
  const entry: Partial<Draft['entry']> = {}
  if (has(row, 'maker')) entry.maker = slugify(cell(row, 'maker')) || null
  if (has(row, 'warnings')) entry.warnings = warningsOf(raw(row, 'warnings'), note)
  if (has(row, 'withdrawalExempt')) entry.withdrawalExempt = exemptionIn(cell(row, 'withdrawalExempt'), note)
  if (has(row, 'digital')) entry.digital = truth(cell(row, 'digital')) ?? false
  if (has(row, 'guaranteeYears')) entry.guarantee = guaranteeIn(row, note)
  return entry
}

function exemptionIn(text: string, note: Note): WithdrawalExemption | null {
  const found = withdrawalExemptions.find((reason) => reason === text.toLowerCase())
  if (text !== '' && !found) note(remark('not_an_exemption', { value: cut(text, 40) }))
  return found ?? null
}

// A guarantee of two years would not exceed the legal one.
const guaranteeYearsMin = 3

function guaranteeIn(row: Row, note: Note): GuaranteeEntry | null {
  const years = cell(row, 'guaranteeYears')
  if (years === '') return null
  const isFit = /^\d{1,2}$/.test(years) && Number(years) >= guaranteeYearsMin
  if (!isFit) {
    const [min, max] = [guaranteeYearsMin, limits.guaranteeYearsMax]
    note(remark('guarantee_left_out', { value: cut(years, 20), min, max }))
  }
  const url = cell(row, 'guaranteeUrl')
  const isPage = /^https:\/\/\S+$/.test(url) && url.length <= 500
  return isFit ? { years: Number(years), url: isPage ? url : null } : null
}

// Control characters except line breaks and tabs, which are part of the text.
const unprintable = /(?![\t\n\r])\p{Cc}/gu

function warningsOf(text: string, note: Note): WarningEntry[] {
  const found = warningsIn(text.toWellFormed().replaceAll(unprintable, ''))
  const { warningsMax, warningLengthMax } = limits
  if (found.length > warningsMax) note(remark('warnings_cut', { max: warningsMax }))
  if (found.some((one) => one.text.length > warningLengthMax))
    note(remark('warnings_too_long', { max: warningLengthMax }))
  return found.slice(0, warningsMax).map((one) => ({ language: one.language, text: cut(one.text, warningLengthMax) }))
}

function metadataOf(text: string): Record<string, string> {
  const lines = text.split('\n').map((line) => line.split('\t', 2))
  return Object.fromEntries(lines.flatMap(([name = '', value = '']) => (value === '' ? [] : [[name, cut(value, 500)]])))
}

function withinLength(html: string, note: Note): string | null {
  if (html.length <= descriptionHtmlLengthMax) return html
  note(remark('description_unformatted', { max: descriptionHtmlLengthMax }))
  return null
}

// Shoppers only see active products of the online store. As in Shopify, an empty cell means yes for both columns.
function isPublished(row: Row, note: Note): boolean {
  const status = cell(row, 'status').toLowerCase()
  const published = cell(row, 'published')
  if (!['', 'active', 'draft', 'archived', 'unlisted'].includes(status))
    note(remark('unknown_status', { value: cut(status, 40) }))
  if (published !== '' && truth(published) === undefined)
    note(remark('published_unclear', { value: cut(published, 40) }))
  return (status === '' || status === 'active') && (published === '' || truth(published) === true)
}

// Returns whole sentences of the first paragraph, or else as many words as fit.
function summaryOf(text: string): string {
  const [paragraph = ''] = text.split('\n\n', 1)
  const line = oneLine(paragraph)
  if (line.length <= summaryLengthMax) return line
  const room = cut(line, summaryLengthMax - 1)
  const sentences = /^.*(?:[.!?…](?= )|[。！？])/u.exec(room)?.[0]
  // A shorter "sentence" is probably an abbreviation such as "Dr." or "No."
  if (sentences !== undefined && sentences.length >= 40) return sentences
  const wordEnd = room.lastIndexOf(' ')
  return `${wordEnd > 0 ? room.slice(0, wordEnd) : room}…`
}

// "A > B > C" is a path in a tree. The slug is made from the whole path: several parents may have a category "Accessories", and its slug
// must not depend on which of them is first in the file.
function categoriesFor(memory: Memory, path: string, note: Note): CategoryEntry[] {
  const names = path
    .split('>')
    .map(oneLine)
    .filter((name) => name !== '')
  if (names.length > categoryDepthMax) note(remark('category_cut', { max: categoryDepthMax }))
  let parent: string | null = null
  let words = ''
  for (const name of names.slice(0, categoryDepthMax)) {
    words += `${words && '-'}${wordsOf(name)}`
    const slug = shortSlug(words, words)
    if (!memory.categories.has(slug)) {
      if (memory.categories.size >= categoryMax) {
        note(remark('category_left_out', { max: categoryMax, value: cut(name, 100) }))
        break
      }
      memory.categories.set(detached(slug), { slug: detached(slug), name: detached(cut(name, nameLengthMax)), parent })
    }
    parent = slug
  }
  // "T-shirts" and "T shirts" are the same category; its first spelling in the file defines its name and its parent.
  const entries: CategoryEntry[] = []
  for (let slug = parent; slug !== null; slug = entries[0]?.parent ?? null) {
    const entry = memory.categories.get(slug)
    if (entry === undefined) break
    entries.unshift(entry)
  }
  return entries
}

function tagsOf(text: string, note: Note): string[] {
  const spellings = new Map<string, string>()
  for (const tag of text.split(',').map(oneLine)) {
    // Shopify compares tags case-insensitively; the first spelling is used.
    if (tag !== '' && !spellings.has(tag.toLowerCase())) spellings.set(tag.toLowerCase(), tag)
  }
  const tags = [...spellings.values()]
  const short = tags.filter((tag) => tag.length <= tagLengthMax)
  if (short.length < tags.length) note(remark('tags_too_long', { max: tagLengthMax }))
  if (short.length > tagMax) note(remark('tags_cut', { max: tagMax }))
  return short.slice(0, tagMax)
}

// Adds the image and the variant of a row. The first row of a product always has a variant; a later row may only have an image.
function addRow(memory: Memory, draft: Draft, row: Row): Refusal | undefined {
  const note: Note = (one) => addNote(draft.notes, row.line, one)
  const tooWide = tooWideFor(row)
  if (tooWide) return tooWide
  const isFirst = !draft.hasRows
  draft.hasRows = true
  const hasImage = addImage(memory, draft, row, note)
  const isVariant = ['option1Value', 'option2Value', 'option3Value', 'sku', 'price'] as const
  if (!isFirst && isVariant.every((column) => cell(row, column) === '')) {
    return hasImage ? undefined : { reason: remark('row_empty') }
  }
  const read = readVariant(memory, draft, row, note)
  if ('reason' in read) return read
  draft.variants.push(read)
  return undefined
}

// A row with more cells than the header has an extra delimiter somewhere, so its cells may be in the wrong columns.
function tooWideFor({ header, cells }: Row): Refusal | undefined {
  if (cells.slice(header.width).every((text) => text.trim() === '')) return undefined
  return { reason: remark('row_too_wide', { cells: cells.length, columns: header.width }) }
}

function addImage(memory: Memory, draft: Draft, row: Row, note: Note): boolean {
  const text = cell(row, 'imageUrl')
  if (text === '' || draft.images === undefined) return false
  const url = pictureOf(memory, text, note)
  if (url === undefined || draft.images.some((image) => image.url === url)) return true
  if (draft.images.length >= imageHeldMax) {
    note(remark('image_left_out'))
    return true
  }
  const position = cell(row, 'imagePosition')
  const isNumber = /^\d{1,6}$/.test(position)
  draft.images.push({
    url,
    alt: cut(cell(row, 'imageAlt'), 500),
    position: isNumber ? Number(position) : Number.MAX_SAFE_INTEGER,
  })
  return true
}

function pictureOf({ origin }: Memory, text: string, note: Note): string | undefined {
  if (origin !== null && text.startsWith(`${origin}/media/`) && isPicture(text.slice(origin.length)))
    return text.slice(origin.length)
  const url = URL.parse(text)
  // http: is changed to https:, because pages served by https: do not show http: pictures.
  const isRaised = url?.protocol === 'http:' && url.port === ''
  if (isRaised) url.protocol = 'https:'
  if (url?.protocol === 'https:' && url.href.length <= 2_000) {
    if (isRaised) note(remark('image_by_https', { value: cut(text, 100) }))
    return url.href
  }
  note(remark('image_not_https', { value: cut(text, 100) }))
  return undefined
}

function readVariant(memory: Memory, draft: Draft, row: Row, note: Note): Variant | Refusal {
  if (draft.variants.length >= skuMax) return { reason: remark('too_many_variants', { max: skuMax }) }
  draft.optionNames = optionColumns.map(([name], place) => draft.optionNames[place] || cell(row, name))
  const given = optionColumns.map(([, value]) => cell(row, value))
  const values = isNoOption(given) ? given.map(() => '') : given
  if (values.some((value) => value.length > nameLengthMax))
    return { reason: remark('option_value_too_long', { max: nameLengthMax }) }
  // Blanks inside the code are preserved, because warehouses compare codes exactly.
  const code = raw(row, 'sku')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
  if (code.length > codeLengthMax) return { reason: remark('sku_too_long', { max: codeLengthMax }) }

  const price = has(row, 'price') ? priceOf(decimal(memory, row, 'price'), memory.currency, 'price') : 0
  if (typeof price !== 'number') return price
  const sku: Variant['sku'] = {
    price,
    backorder: allowsBackorder(row, note),
    ...(has(row, 'tracker') && { counted: !isUncounted(row) }),
    requiresShipping: truth(cell(row, 'requiresShipping')) ?? !draft.isGiftCard,
  }
  if (has(row, 'compareAtPrice') && has(row, 'price'))
    sku.compareAtPrice = compareAtPriceOf(decimal(memory, row, 'compareAtPrice'), price, memory.currency, note)
  const stock = stockOf(quantityOf(memory, row), note) ?? memory.stockDefault ?? undefined
  if (stock !== undefined) sku.stock = stock
  // Noted once per product, since the remark is the same for all its variants.
  if (isUntracked(row) && !isUncounted(row) && !draft.notes.some(({ code }) => code === 'untracked_counted'))
    note(remark('untracked_counted'))
  const weightGrams = weightGramsOf(memory, row, note)
  if (weightGrams !== undefined) sku.weightGrams = weightGrams
  if (has(row, 'measure')) sku.measure = measureIn(memory, row, note)
  const image = cell(row, 'variantImage')
  if (has(row, 'variantImage')) sku.image = image === '' ? null : (pictureOf(memory, image, note) ?? null)
  const barcode = cell(row, 'barcode')
  if (has(row, 'barcode')) sku.barcode = barcodeOf(barcode, note)
  if (truth(cell(row, 'taxable')) === false) note(remark('not_taxable'))
  return { line: row.line, values, code, sku }
}

// Shopify writes "Default Title" for a product without options.
export function isNoOption([first = '', ...others]: readonly string[]): boolean {
  return first.toLowerCase() === 'default title' && others.every((value) => value === '')
}

function priceOf(text: string, currency: string, of: 'price' | 'compare_at_price'): number | Refusal {
  if (text === '') return { reason: remark('price_missing') }
  // Trailing zeros are removed, so "1200.00" is accepted as a price in yen, which has no minor unit.
  const digits = /^\d{1,16}\.\d{1,16}$/.test(text) ? text.replace(/\.?0+$/, '') : text
  const amount = parseDecimal(digits, currency)
  const value = cut(text, 40)
  if (amount !== undefined && amount > limits.amountMax)
    return { reason: remark(`${of}_too_high`, { value, amount: formatAmount(limits.amountMax, currency, 'en') }) }
  if (amount !== undefined) return amount
  if (text.startsWith('-')) return { reason: remark(`${of}_negative`, { value }) }
  if (text.includes(',')) return { reason: remark(`${of}_has_comma`, { value }) }
  if (/^\d{1,12}\.\d+$/.test(text)) return { reason: remark(`${of}_too_precise`, { value, currency }) }
  return { reason: remark(`${of}_not_a_number`, { value }) }
}

function compareAtPriceOf(text: string, price: number, currency: string, note: Note): number | null {
  if (text === '') return null
  const amount = priceOf(text, currency, 'compare_at_price')
  if (typeof amount === 'number' && amount > price) return amount
  note(typeof amount === 'number' ? remark('compare_at_price_not_above', { value: cut(text, 40) }) : amount.reason)
  return null
}

// Without an inventory tracker, as for gift cards, Shopify does not count the variant and always sells it. If the row has a positive
// quantity, the variant is counted anyway.
function isUncounted(row: Row): boolean {
  return isUntracked(row) && /^(?:0*|-\d+(?:\.0+)?)$/.test(cell(row, 'quantity'))
}

function isUntracked(row: Row): boolean {
  return has(row, 'tracker') && cell(row, 'tracker') === ''
}

function quantityOf(memory: Memory, row: Row): string {
  const quantity = decimal(memory, row, 'quantity')
  return quantity.startsWith('-') && isUncounted(row) ? '0' : quantity
}

function allowsBackorder(row: Row, note: Note): boolean {
  const policy = cell(row, 'policy').toLowerCase()
  if (policy === 'continue') return true
  if (policy === 'deny' || policy === '') return false
  const answer = truth(policy)
  if (answer === undefined) note(remark('unknown_policy', { value: cut(policy, 40) }))
  return answer ?? false
}

function stockOf(text: string, note: Note): number | undefined {
  if (text === '') return undefined
  const count = /^-?\d{1,10}(?:\.0{1,4})?$/.test(text) ? Number(text) : Number.NaN
  if (Number.isNaN(count) || count > countMax) {
    note(remark('stock_left_out', { value: cut(text, 40), max: countMax }))
    return undefined
  }
  if (count < 0) note(remark('stock_negative', { value: text }))
  return Math.max(0, count)
}

function barcodeOf(text: string, note: Note): string | null {
  if (text.length <= barcodeLengthMax) return text === '' ? null : text
  note(remark('barcode_left_out', { value: cut(text, 40), max: barcodeLengthMax }))
  return null
}

const gramsByUnit: Readonly<Record<string, number>> = { g: 1, kg: 1_000, oz: 28.349523125, lb: 453.59237 }

// Grams are exact, and the unit beside them only decides how Shopify displays the weight. If there are no grams, the weight and its unit
// are used.
function weightGramsOf(memory: Memory, row: Row, note: Note): number | null | undefined {
  if (!has(row, 'grams') && !has(row, 'weight')) return undefined
  const grams = decimal(memory, row, 'grams')
  const weight = grams || decimal(memory, row, 'weight')
  if (weight === '') return null
  const unit = grams !== '' ? 'g' : cell(row, 'weightUnit').toLowerCase()
  const factor = Object.hasOwn(gramsByUnit, unit) ? gramsByUnit[unit] : undefined
  const result =
    factor !== undefined && /^\d{1,12}(?:\.\d{1,20})?$/.test(weight) ? Math.round(Number(weight) * factor) : -1
  if (result >= 0 && result <= limits.weightGramsMax) return result
  note(remark('weight_left_out', { value: cut(`${weight} ${unit}`, 40) }))
  return null
}

function measureIn(memory: Memory, row: Row, note: Note): MeasureEntry | null {
  const amount = decimal(memory, row, 'measure')
  // Shopify writes 0 if the product has no measure.
  if (/^[0.]*$/.test(amount)) return null
  const [unit, baseUnit] = [cell(row, 'measureUnit'), cell(row, 'measureBaseUnit')]
  const read = readMeasure({ amount, unit, baseAmount: decimal(memory, row, 'measureBase'), baseUnit })
  if (!read) {
    note(remark('content_left_out', { value: cut(`${amount} ${unit}`, 40) }))
    return null
  }
  if (read.hasOtherBase) note(remark('unit_price_for', { unit: read.measure.per }))
  return read.measure
}

// Called when all variants are known. Decides which options the product has, which variants are repeated, and which codes must be
// generated.
function* finish(memory: Memory, draft: Draft): Generator<ShopifyOutcome> {
  const { line, handle, entry, notes } = draft
  const places = [0, 1, 2].filter((place) => draft.variants.some((variant) => variant.values[place] !== ''))
  const names = optionNamesFor(draft, places)
  const codes = codesFor(draft, places)

  const skus: SkuEntry[] = []
  const combinations = new Map<string, number>()
  const ownCodes = new Map<string, number>()
  const sharedCodes = new Map<string, string>()
  for (const [index, variant] of draft.variants.entries()) {
    const values = places.map((place) => variant.values[place] ?? '')
    // A file without prices only changes existing SKUs, and may identify them by code alone.
    const isByCode = draft.isPriceless && places.length === 0 && variant.code !== ''
    const combination = JSON.stringify(isByCode ? variant.code : values)
    const missing = names[values.indexOf('')]
    const repeated = combinations.get(combination)
    const reason =
      missing !== undefined
        ? remark('option_without_value', { option: missing })
        : repeated !== undefined && remark('same_options', { otherLine: repeated })
    if (reason) {
      draft.refused.push({ line: variant.line, reason })
      continue
    }
    const wanted = codes[index] ?? ''
    const taken = ownCodes.get(wanted) ?? memory.codes.get(wanted)
    // Shopify allows equal codes. The first SKU in the file keeps its code.
    const code = taken === undefined ? wanted : generateSkuCode(wanted, entry.slug, values)
    if (taken !== undefined) {
      sharedCodes.set(code, wanted)
      addNote(notes, variant.line, remark('sku_used_before', { value: wanted, otherLine: taken, sku: code }))
    }
    combinations.set(combination, variant.line)
    ownCodes.set(code, variant.line)
    const options = Object.fromEntries(names.map((name, position) => [name, values[position] ?? '']))
    skus.push(names.length === 0 ? { code, ...variant.sku } : { code, options, ...variant.sku })
  }
  if (skus.length === 0) {
    const [first, ...others] = draft.refused
    const reason: Remark = {
      ...(first?.reason ?? remark('no_variant')),
      ...(others.length > 0 && { moreRows: others.length }),
      leavesOut: true,
    }
    yield { kind: 'refused', line: first?.line ?? line, handle, reason }
    return
  }
  for (const refused of draft.refused.toSorted((one, other) => one.line - other.line))
    yield { kind: 'refused', handle, ...refused }
  for (const [code, at] of ownCodes) memory.codes.set(detached(code), at)

  const product: Writable<ProductEntry> = { ...entry, options: optionsOf(names, skus), skus }
  if (draft.images) product.images = imagesOf(draft.images, notes, line)
  const { categories } = draft
  const isPartial = draft.mayLackRows || draft.refused.length > 0
  yield {
    kind: 'product',
    line,
    entry: product,
    categories,
    isPartial,
    isPriceless: draft.isPriceless,
    sharedCodes,
    oldPaths: draft.oldPaths,
    notes: [...memory.notes, ...notes],
  }
  memory.notes = []
}

function optionNamesFor({ optionNames, notes, line }: Draft, places: readonly number[]): string[] {
  const names: string[] = []
  for (const place of places) {
    const given = cut(optionNames[place] ?? '', 90)
    // The name becomes the key of an object, where `__proto__` would set the prototype.
    const usable = given === '__proto__' ? '' : given
    let name = usable || `Option ${place + 1}`
    while (names.includes(name)) name += ` ${place + 1}`
    if (name !== optionNames[place]) addNote(notes, line, remark('option_named', { place: place + 1, option: name }))
    names.push(name)
  }
  return names
}

// Values are in the order of the file. Values that only refused variants have are left out.
function optionsOf(names: readonly string[], skus: readonly SkuEntry[]): NonNullable<ProductEntry['options']> {
  return names.map((name) => ({ name, values: [...new Set(skus.map((sku) => sku.options?.[name] ?? ''))] }))
}

// A missing code is made from the slug and the option values, so the next import finds the same SKU in any order of rows. If these words
// are the same for several variants ("Rosé" and "Rose"), or cannot be written in a slug, each of these variants also gets a digest of its
// values.
function codesFor({ entry, variants }: Draft, places: readonly number[]): string[] {
  const made = variants.map((variant) => {
    if (variant.code !== '') return { plain: variant.code, distinct: variant.code, isExact: true }
    const values = places.map((place) => variant.values[place] ?? '')
    const words = values.map(slugify)
    const base = [entry.slug, ...words].filter((word) => word !== '').join('-')
    const distinct = generateSkuCode(base, entry.slug, values)
    return { plain: base, distinct, isExact: base.length <= codeLengthMax && !words.includes('') }
  })
  const uses = new Map<string, Set<string>>()
  for (const { plain, distinct } of made) uses.set(plain, (uses.get(plain) ?? new Set()).add(distinct))
  return made.map(({ plain, distinct, isExact }) => (isExact && uses.get(plain)?.size === 1 ? plain : distinct))
}

// Returns a code for a SKU whose own code is missing or taken. Every import generates the same code.
export function generateSkuCode(code: string, slug: string, values: readonly string[]): string {
  return withDigest(code, JSON.stringify([slug, ...values]), codeLengthMax)
}

// Sorted by position; images without a position come last. The sort is stable: equal positions stay in the order of the file.
function imagesOf(images: Image[], notes: Remark[], line: number): NonNullable<ProductEntry['images']> {
  const ordered = images.toSorted((one, other) => one.position - other.position)
  if (ordered.length > imageMax) addNote(notes, line, remark('images_cut', { max: imageMax }))
  return ordered.slice(0, imageMax).map(({ url, alt }) => ({ url, alt }))
}

type Note = (one: Remark) => void

function addNote(notes: Remark[], line: number, one: Remark): void {
  if (notes.length < noteMax) notes.push({ ...one, line })
  else if (notes.length === noteMax) notes.push(remark('further_notes'))
}

// Different handles get different slugs, even in different files: the slug of a handle that is not a valid slug has a digest. Shopify
// compares handles case-insensitively.
export function slugOfHandle(handle: string): string {
  const name = handle.toLowerCase()
  if (isSlug(name)) return name
  return withDigest(slugify(name) || 'product', name, limits.slugLengthMax)
}

// "T-shirts" and "T shirts" give the same slug. "Обувь 1" and "Одежда 1" need a digest, since only the digit can be written in a slug.
function wordsOf(category: string): string {
  const words = slugify(category)
  if (words === '') return `category-${digest(category)}`
  return dropsLetters(category) ? `${words}-${digest(category.toLowerCase())}` : words
}

// Truncation alone could give two long texts the same slug.
function shortSlug(slug: string, text: string): string {
  return slug.length < limits.slugLengthMax - 1 ? slug : withDigest(slug, text, limits.slugLengthMax)
}

function withDigest(text: string, of: string, lengthMax: number): string {
  return `${cut(text, lengthMax - 9).replace(/-$/, '')}-${digest(of)}`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

// Spreadsheets write true and false in the user's language.
const yes = ['true', 'yes', '1', 'wahr', 'ja', 'vrai', 'oui', 'verdadero', 'vero', 'waar']
const no = ['false', 'no', '0', 'falsch', 'nein', 'faux', 'non', 'falso', 'onwaar']

function truth(text: string): boolean | undefined {
  const word = text.toLowerCase()
  if (yes.includes(word)) return true
  return no.includes(word) ? false : undefined
}

function oneLine(text: string): string {
  // Fast path: most cells are empty or one word of ASCII, and there are millions of them.
  return /^[!-~]*$/.test(text) ? text : text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

// Truncates without splitting a surrogate pair.
function cut(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text
  return text
    .slice(0, lengthMax)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()
}

// Returns a copy. A substring would keep the whole string in memory: a row of some kilobytes for a slug of some bytes.
function detached(text: string): string {
  return Buffer.from(text).toString()
}
