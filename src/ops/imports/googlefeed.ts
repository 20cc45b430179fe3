// Products as a feed for Google Merchant Center: RSS 2.0 with one item per SKU. The inverse of `formats/google.ts`. Pure.

import type { PartyEntry } from '../../contract/entries.ts'
import type { Mode } from '../../contract/words.ts'
import { type CategoryRow, categoryPathTo } from '../../domain/catalog/answer.ts'
import { optionAttributeOf } from '../../domain/catalog/attributes.ts'
import { availableQuantity } from '../../domain/catalog/availability.ts'
import type { ProductRow, SkuRow } from '../../domain/catalog/product.ts'
import type { MakerRecord } from '../../domain/makers/maker.ts'
import { measureTexts } from '../../platform/kit/measuretext.ts'
import { decimalAmount } from '../../platform/kit/money.ts'
import { optionsSection, ownNamespace, titleEndOf } from './formats/google.ts'

export interface FeedContext {
  shopName: string
  currency: string
  // The mode whose stock decides the availability.
  mode: Mode
  // Origin of this server, with which the paths of its own pictures are completed.
  origin: string
  // URL of a product page; `{slug}` stands for the slug of the product.
  link: string
  // Categories by slug and by id.
  categories: ReadonlyMap<string, CategoryRow>
  now: number
}

export interface GoogleContext extends FeedContext {
  // Manufacturers by slug.
  makers: ReadonlyMap<string, MakerRecord>
}

// Limits set by Google.
const idLengthMax = 50
const titleLengthMax = 150
const descriptionLengthMax = 5_000
const brandLengthMax = 70
const furtherPicturesMax = 10

export function feedHead({ shopName, origin }: Pick<FeedContext, 'shopName' | 'origin'>): string {
  return [
    `<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0" xmlns:cw="${ownNamespace}">\n<channel>\n`,
    element('title', shopName),
    element('link', origin),
    element('description', shopName),
  ].join('')
}

export const feedEnd = '</channel>\n</rss>\n'

// Returns '' for a product that shoppers do not see.
export function feedItems(product: ProductRow, context: GoogleContext): string {
  const { publishedAt, archivedAt, skus } = product
  if (publishedAt === null || publishedAt > context.now || archivedAt !== null) return ''
  return skus
    .map((sku) => {
      const obstacle = obstacleOf(product, sku)
      if (obstacle === undefined) return itemOf(product, sku, context)
      // An XML comment must not contain two hyphens in a row.
      return `<!-- ${leftOutMark}: ${escapeXml(sku.code).replaceAll('-', '‐')}, ${obstacle} -->\n`
    })
    .join('')
}

const leftOutMark = 'left out of the feed'

// Returns how many items a part of the feed leaves out, by reason.
export function countLeftOutItems(text: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [, why = ''] of text.matchAll(leftOutComment)) counts.set(why, (counts.get(why) ?? 0) + 1)
  return counts
}

const leftOutComment = new RegExp(`^<!-- ${leftOutMark}: .*, ([a-z ]+) -->$`, 'gm')

// Returns why Merchant Center would refuse the item, or undefined if it would not.
function obstacleOf({ images }: ProductRow, { image, price }: SkuRow): string | undefined {
  if (image === null && images.length === 0) return 'no picture'
  return price === 0 ? 'no price' : undefined
}

function itemOf(product: ProductRow, sku: SkuRow, context: GoogleContext): string {
  const money = (amount: number) => `${decimalAmount(amount, context.currency)} ${context.currency}`
  const pictures = picturesOf(product, sku, context)
  const digits = (sku.barcode ?? '').replaceAll(/[\s-]/g, '')
  const gtin = isGtin(digits) ? digits : ''
  const brand = product.brand ?? ''
  const lines = [
    ...idOf('g:id', 'cw:code', sku.code, sku.id),
    // Also written for a product with one SKU, since an import of the feed finds the product by this id.
    ...idOf('g:item_group_id', 'cw:slug', product.slug, product.id),
    element('title', titleOf(product, sku)),
    // Google refuses an item without a description.
    element('description', (product.description || product.summary || product.name).slice(0, descriptionLengthMax)),
    element('link', context.link.replace('{slug}', product.slug)),
    element('g:image_link', pictures[0] ?? ''),
    ...pictures.slice(1, 1 + furtherPicturesMax).map((url) => element('g:additional_image_link', url)),
    element('g:availability', availabilityOf(sku, context.mode)),
    // A prior price is only shown if the price history contains it.
    element('g:price', money(sku.priorPrice ?? sku.price)),
    sku.priorPrice === null ? '' : element('g:sale_price', money(sku.price)),
    element('g:brand', brand.slice(0, brandLengthMax)),
    // The full brand, in an element that only our import reads.
    brand.length <= brandLengthMax ? '' : element('cw:brand', brand),
    element('g:gtin', gtin),
    // The shop has no manufacturer part numbers (`mpn`).
    gtin === '' ? element('g:identifier_exists', 'no') : '',
    element('g:condition', 'new'),
    element('g:product_type', googleCategoryOf(product, context)),
    ...sku.options.map(({ name, value }) =>
      element(`g:${optionAttributeOf(name)}`, optionAttributeOf(name) ? value : ''),
    ),
    ...sku.options.map(({ name, value }) => detailOf(optionsSection, name, value)),
    ...safetyOf(product, context),
    sku.weightGrams === null ? '' : element('g:shipping_weight', `${sku.weightGrams} g`),
    ...measureOfItem(sku),
  ]
  return `<item>\n${lines.join('')}</item>\n`
}

function measureOfItem({ measure }: SkuRow): string[] {
  if (measure === null) return []
  const { amount, unit, baseAmount, baseUnit } = measureTexts(measure, 'google')
  return [
    element('g:unit_pricing_measure', `${amount}${unit}`),
    element('g:unit_pricing_base_measure', `${baseAmount}${baseUnit}`),
  ]
}

// Replaces a text that is too long for Google by an id, and adds the full text in an element that only our import reads.
function idOf(name: string, wholeName: string, text: string, id: string): string[] {
  return text.length <= idLengthMax ? [element(name, text)] : [element(name, id), element(wholeName, text)]
}

function titleOf({ name }: ProductRow, { options }: SkuRow): string {
  const end = titleEndOf(options)
  return (name.slice(0, Math.max(0, titleLengthMax - end.length)) + end).slice(0, titleLengthMax)
}

// All options are written with their own names and in their order, for an import of the feed.
function detailOf(section: string, name: string, value: string): string {
  const members = [
    element('g:section_name', section),
    element('g:attribute_name', name),
    element('g:attribute_value', value),
  ]
  return `<g:product_detail>\n${members.join('')}</g:product_detail>\n`
}

const detailLengthMax = 1_000

// Google has no attributes for the manufacturer and warnings, so they are written as product details.
function safetyOf({ maker: slug, warnings }: ProductRow, { makers }: GoogleContext): string[] {
  const maker = slug === null ? undefined : makers.get(slug)
  const party = (section: string, { name, address, country, contact }: PartyEntry) => [
    detailOf(section, 'Name', name),
    detailOf(section, 'Address', [...address, country].join(', ').slice(0, detailLengthMax)),
    detailOf(section, 'Contact', contact),
  ]
  return [
    ...(maker ? party('Manufacturer', maker) : []),
    ...(maker?.responsible ? party('Responsible person in the EU', maker.responsible) : []),
    ...warnings.map(({ text }) => detailOf('Safety', 'Warning', text.slice(0, detailLengthMax))),
  ]
}

export function availabilityOf({ stock, whenSoldOut }: SkuRow, mode: Mode): string {
  if (whenSoldOut === 'not_counted' || availableQuantity(stock[mode]) > 0) return 'in_stock'
  return whenSoldOut === 'backorder' ? 'backorder' : 'out_of_stock'
}

export function picturesOf({ images }: ProductRow, { image }: SkuRow, { origin }: FeedContext): string[] {
  const urls = [...(image === null ? [] : [image]), ...images.map(({ url }) => url)]
  return [...new Set(urls)].map((url) => (url.startsWith('/media/') ? origin + url : url))
}

export function googleCategoryOf({ categories: [slug = ''] }: ProductRow, { categories }: FeedContext): string {
  const category = categories.get(slug)
  if (!category) return ''
  return categoryPathTo(category, categories)
    .map((part) => categories.get(part)?.name.replaceAll('>', ' ') ?? part)
    .join(' > ')
}

// Returns whether a text is a GTIN-8, -12, -13 or -14 with its check digit (GS1 General Specifications, 7.9).
export function isGtin(text: string): boolean {
  if (!/^(?:\d{8}|\d{12,14})$/.test(text)) return false
  const sum = [...text].reverse().reduce((total, digit, place) => total + Number(digit) * (place % 2 === 0 ? 1 : 3), 0)
  return sum % 10 === 0
}

function element(name: string, text: string): string {
  return text === '' ? '' : `<${name}>${escapeXml(text)}</${name}>\n`
}

// XML 1.0 does not allow U+FFFE, U+FFFF, lone surrogates and most control characters. Only tabs and line breaks stay.
const unwritable = /(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(unwritable, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}
