// Products as a feed of the Agentic Commerce Protocol (2026-04-17): one product per line, with its variants. Pure.

import type { ProductRow, SkuRow } from '../../domain/catalog/product.ts'
import { availabilityOf, type FeedContext, googleCategoryOf, isGtin, picturesOf } from './googlefeed.ts'

const descriptionLengthMax = 5_000
const picturesMax = 20

// Returns '' for a product that shoppers do not see, or that has no SKUs.
export function acpLine(product: ProductRow, context: FeedContext): string {
  const { publishedAt, archivedAt, skus } = product
  if (publishedAt === null || publishedAt > context.now || archivedAt !== null || skus.length === 0) return ''
  const url = context.link.replace('{slug}', product.slug)
  const media = product.images
    .slice(0, picturesMax)
    .map(({ url: picture, alt }) => mediaOf(picture, alt || product.name, context))
  const line = {
    id: product.id,
    title: product.name,
    description: { plain: (product.description || product.summary || product.name).slice(0, descriptionLengthMax) },
    url,
    ...(media.length > 0 && { media }),
    variants: skus.map((sku) => variantOf(product, sku, context, url)),
  }
  return `${JSON.stringify(line)}\n`
}

function variantOf(product: ProductRow, sku: SkuRow, context: FeedContext, url: string): object {
  const { currency, mode, shopName } = context
  const status = availabilityOf(sku, mode)
  const category = googleCategoryOf(product, context)
  const digits = (sku.barcode ?? '').replaceAll(/[\s-]/g, '')
  const [picture] = picturesOf({ ...product, images: [] }, sku, context)
  return {
    id: sku.id,
    title: [product.name, ...sku.options.map(({ value }) => value)].join(' – '),
    url,
    price: { amount: sku.price, currency },
    // A prior price is only shown if the price history contains it.
    ...(sku.priorPrice !== null && { list_price: { amount: sku.priorPrice, currency } }),
    availability: { available: status !== 'out_of_stock', status },
    ...(isGtin(digits) && { barcodes: [{ type: 'GTIN', value: digits }] }),
    ...(category !== '' && { categories: [{ value: category, taxonomy: 'merchant' }] }),
    condition: ['new'],
    ...(sku.options.length > 0 && { variant_options: sku.options.map(({ name, value }) => ({ name, value })) }),
    ...(picture !== undefined && { media: [mediaOf(picture, product.name, context)] }),
    seller: { name: shopName },
  }
}

function mediaOf(url: string, text: string, { origin }: FeedContext): object {
  return { type: 'image', url: url.startsWith('/media/') ? origin + url : url, alt_text: text }
}
