// Products as rows of a Shopify product CSV: the inverse of `shopify.ts`. The format cannot express everything, such as a second
// category; an import leaves such members unchanged (`merge.ts`). Pure.

import { type CategoryRow, categoryPathTo } from '../../domain/catalog/answer.ts'
import { plainTextToHtml } from '../../domain/catalog/plaintext.ts'
import type { ProductRow, SkuRow } from '../../domain/catalog/product.ts'
import { measureTexts } from '../../platform/kit/measuretext.ts'
import { decimalAmount } from '../../platform/kit/money.ts'
import { warningsText } from '../../platform/kit/warningtext.ts'
import { csvCodeCell, csvLine } from './csv.ts'
import { isNoOption, optionColumns, type ShopifyColumn } from './shopify.ts'

export interface ShopifyContext {
  currency: string
  // Origin of this server, with which the paths of its own pictures are completed.
  origin: string
  categories: ReadonlyMap<string, CategoryRow>
}

// Returns categories by slug and by id: a product names its categories by slug, and a category names its parent by id.
export function categoryMap(categories: readonly CategoryRow[]): ReadonlyMap<string, CategoryRow> {
  return new Map(
    categories.flatMap((category) => [
      [category.slug, category],
      [category.id, category],
    ]),
  )
}

// biome-ignore format: a table reads best with one row a line
const exported = [
  ['handle', 'Handle'], ['title', 'Title'], ['body', 'Body (HTML)'], ['vendor', 'Vendor'], ['type', 'Type'], ['tags', 'Tags'],
  ['maker', 'Maker (product.metafields.cartwright.maker)'], ['warnings', 'Warnings (product.metafields.cartwright.warnings)'],
  ['withdrawalExempt', 'No withdrawal (product.metafields.cartwright.withdrawal_exempt)'],
  ['digital', 'Digital content (product.metafields.cartwright.digital)'],
  ['guaranteeYears', 'Guarantee (product.metafields.cartwright.guarantee_years)'],
  ['guaranteeUrl', 'Guarantee conditions (product.metafields.cartwright.guarantee_url)'],
  ['seoTitle', 'SEO Title'], ['seoDescription', 'SEO Description'], ['published', 'Published'],
  ['option1Name', 'Option1 Name'], ['option1Value', 'Option1 Value'], ['option2Name', 'Option2 Name'],
  ['option2Value', 'Option2 Value'], ['option3Name', 'Option3 Name'], ['option3Value', 'Option3 Value'],
  ['sku', 'Variant SKU'], ['grams', 'Variant Grams'], ['tracker', 'Variant Inventory Tracker'],
  ['quantity', 'Variant Inventory Qty'], ['policy', 'Variant Inventory Policy'], ['price', 'Variant Price'],
  ['compareAtPrice', 'Variant Compare At Price'], ['requiresShipping', 'Variant Requires Shipping'],
  ['taxable', 'Variant Taxable'], ['imageUrl', 'Image Src'], ['imagePosition', 'Image Position'],
  ['imageAlt', 'Image Alt Text'], ['giftCard', 'Gift Card'], ['variantImage', 'Variant Image'], ['barcode', 'Variant Barcode'],
  ['measure', 'Unit Price Total Measure'], ['measureUnit', 'Unit Price Total Measure Unit'], ['measureBase', 'Unit Price Base Measure'],
  ['measureBaseUnit', 'Unit Price Base Measure Unit'], ['status', 'Status'],
] as const satisfies readonly (readonly [ShopifyColumn, string])[]

export const shopifyHeader = csvLine(exported.map(([, name]) => name))

export function shopifyLines(product: ProductRow, context: ShopifyContext): string {
  return shopifyRows(product, context)
    .map((row) => csvLine(exported.map(([column]) => row[column] ?? '')))
    .join('')
}

export type ShopifyRow = Partial<Record<ShopifyColumn, string>>

// Returns as many rows as there are SKUs or images, whichever are more. The first row also has the product's cells. Weight and category
// are written into every column that an import may read.
export function shopifyRows(product: ProductRow, context: ShopifyContext): ShopifyRow[] {
  const { slug, images, skus } = product
  return Array.from({ length: Math.max(skus.length, images.length) }, (_, index) => {
    const [sku, image] = [skus[index], images[index]]
    return {
      handle: slug,
      ...(index === 0 && productCells(product, context)),
      ...(sku && skuCells(product, sku, context)),
      ...(image && {
        imageUrl: pictureUrl(image.url, context),
        imagePosition: String(index + 1),
        imageAlt: image.alt,
      }),
    }
  })
}

function productCells(product: ProductRow, { categories }: ShopifyContext): ShopifyRow {
  const { name, brand, description, descriptionHtml, tags, publishedAt, archivedAt } = product
  const category = categories.get(product.categories[0] ?? '')
  // `categoryPathTo` returns slugs; the file has names.
  const path = category ? categoryPathTo(category, categories) : []
  const type = path.map((slug) => categories.get(slug)?.name.replaceAll('>', ' ') ?? slug).join(' > ')
  return {
    title: name,
    body: descriptionHtml ?? plainTextToHtml(description),
    vendor: brand ?? '',
    type,
    category: type,
    tags: tags.join(', '),
    maker: product.maker ?? '',
    warnings: warningsText(product.warnings),
    withdrawalExempt: product.withdrawalExempt ?? '',
    digital: product.digital ? 'TRUE' : 'FALSE',
    guaranteeYears: product.guarantee ? String(product.guarantee.years) : '',
    guaranteeUrl: product.guarantee?.url ?? '',
    seoTitle: product.seoTitle ?? '',
    seoDescription: product.seoDescription ?? '',
    published: publishedAt === null ? 'FALSE' : 'TRUE',
    giftCard: 'FALSE',
    status: archivedAt !== null ? 'archived' : publishedAt === null ? 'draft' : 'active',
  }
}

function skuCells({ options }: ProductRow, sku: SkuRow, { currency, origin }: ShopifyContext): ShopifyRow {
  const grams = sku.weightGrams === null ? '' : String(sku.weightGrams)
  return {
    ...optionCells(options, sku),
    sku: csvCodeCell(sku.code),
    price: decimalAmount(sku.price, currency),
    compareAtPrice: sku.compareAtPrice === null ? '' : decimalAmount(sku.compareAtPrice, currency),
    tracker: sku.whenSoldOut === 'not_counted' ? '' : 'shopify',
    quantity: sku.whenSoldOut === 'not_counted' ? '' : String(sku.stock.live.onHand),
    policy: sku.whenSoldOut === 'backorder' ? 'continue' : 'deny',
    grams,
    weight: grams,
    weightUnit: grams === '' ? '' : 'g',
    ...measureCells(sku),
    requiresShipping: sku.delivery === 'shipped' ? 'TRUE' : 'FALSE',
    taxable: 'TRUE',
    barcode: csvCodeCell(sku.barcode ?? ''),
    variantImage: sku.image === null ? '' : pictureUrl(sku.image, { origin }),
  }
}

function measureCells({ measure }: SkuRow): ShopifyRow {
  if (measure === null) return {}
  const { amount, unit, baseAmount, baseUnit } = measureTexts(measure, 'shopify')
  return { measure: amount, measureUnit: unit, measureBase: baseAmount, measureBaseUnit: baseUnit }
}

function optionCells(options: ProductRow['options'], sku: SkuRow): ShopifyRow {
  // Shopify writes "Default Title" for a product without options.
  if (options.length === 0) return { option1Name: 'Title', option1Value: 'Default Title' }
  // A single option with the value "Default Title" is written into the second option columns: in the first ones it would mean that the
  // product has no options.
  const [only, other] = options
  const first = only?.values.some((value) => isNoOption([value])) && !other ? 1 : 0
  const cells: ShopifyRow = {}
  for (const [index, [name, value]] of optionColumns.entries()) {
    const option = options[index - first]
    if (!option) continue
    cells[name] = option.name
    cells[value] = sku.options.find((chosen) => chosen.name === option.name)?.value ?? ''
  }
  return cells
}

function pictureUrl(url: string, { origin }: Pick<ShopifyContext, 'origin'>): string {
  return url.startsWith('/media/') ? origin + url : url
}
