// Products in the form of UCP. Pure.

import type { ProductShape } from '../../../contract/agents/shapes.ts'
import type { Product, Sku } from '../../../contract/open/catalog.ts'
import { unitPriceBases, unitSizes } from '../../../platform/kit/unitprice.ts'

// Maximum number of variants shown for each product of a list. A product that is requested alone has all its matching variants.
const variantsShownMax = 20

export interface Input {
  id: string
  match: 'exact' | 'featured'
}

export interface ProductContext {
  url: string | undefined
  // In a lookup: the identifiers by which each variant was requested.
  inputs?: ReadonlyMap<string, readonly Input[]>
  // If set, exactly these variants are shown, without a limit.
  shown?: readonly Sku[]
}

// Returns the first variant that is not out of stock, otherwise the first variant.
export function featuredVariant(skus: readonly Sku[]): Sku | undefined {
  return skus.find(isForSale) ?? skus[0]
}

const isForSale = ({ availability }: Sku) => availability !== 'out_of_stock'

export function ucpProductView(product: Product, { url, inputs, shown: only }: ProductContext): object {
  const { skus, media, options, categories } = product
  const listed = only ?? skus
  const ordered = [...listed.filter(isForSale), ...listed.filter((sku) => !isForSale(sku))]
  const wanted = inputs ? ordered.filter(({ id }) => inputs.has(id)) : ordered
  const shown = only ? wanted : wanted.slice(0, variantsShownMax)
  const former = skus.flatMap(({ priorPrice }) => (priorPrice ? [priorPrice] : []))
  return {
    id: product.id,
    handle: product.slug,
    title: product.name,
    description: {
      plain: product.description || product.summary || product.name,
      ...(product.descriptionHtml !== undefined && { html: product.descriptionHtml }),
    },
    ...(url !== undefined && { url }),
    ...(categories.length > 0 && { categories: categories.map((value) => ({ value })) }),
    price_range: product.priceRange,
    ...(former.length > 0 && { list_price_range: rangeOf(former) }),
    ...(media.length > 0 && { media: media.map(mediaView) }),
    ...(options.length > 0 && {
      options: options.map(({ name, values }) => ({ name, values: values.map((label) => ({ label })) })),
    }),
    ...(product.tags.length > 0 && { tags: product.tags }),
    variants: shown.map((sku) => variantView(product, sku, inputs?.get(sku.id))),
  }
}

function variantView(product: Product, sku: Sku, inputs: readonly Input[] | undefined): object {
  const { id, code, name, options, price, priorPrice, availability, imageUrl } = sku
  return {
    id,
    sku: code,
    title: name || product.name,
    description: { plain: product.summary || product.name },
    price,
    ...(priorPrice && { list_price: priorPrice }),
    ...unitPriceOf(sku),
    availability: {
      available: isForSale(sku),
      status: availability === 'low_stock' ? 'in_stock' : availability,
    },
    ...(options.length > 0 && { options: options.map(({ name: option, value }) => ({ name: option, label: value })) }),
    ...(imageUrl !== null && { media: [{ type: 'image', url: imageUrl }] }),
    ...(inputs && { inputs }),
  }
}

// The content and the reference quantity are both expressed in the finer of their two units, so the unit price can be computed from the
// two numbers.
function unitPriceOf({ measure }: Sku): object {
  if (!measure) return {}
  const { amount, unit, per, price } = measure
  const base = unitPriceBases[per]
  const finer = unitSizes[unit].size <= unitSizes[base.unit].size ? unit : base.unit
  const inFiner = (value: number, of: keyof typeof unitSizes) => ({
    value: (value * unitSizes[of].size) / unitSizes[finer].size,
    unit: finer,
  })
  return { unit_price: { ...price, measure: inFiner(amount, unit), reference: inFiner(base.amount, base.unit) } }
}

function mediaView({ url, alt, width, height }: Product['media'][number]): object {
  return {
    type: 'image',
    url,
    ...(alt !== '' && { alt_text: alt }),
    ...(width !== null && { width }),
    ...(height !== null && { height }),
  }
}

function rangeOf(prices: readonly { amount: number; currency: string }[]): object {
  const sorted = prices.toSorted((one, other) => one.amount - other.amount)
  return { min: sorted[0], max: sorted.at(-1) }
}

// Shows a product with the variants that have all selected options. If there are none, options are dropped until there are: first those
// that are not in `preferences`, beginning with the last, then the least preferred ones.
export function detailView(
  product: Product,
  { selected = [], preferences = [] }: Pick<ProductShape, 'selected' | 'preferences'>,
  context: ProductContext,
): object {
  const rank = (name: string) => {
    const place = preferences.indexOf(name)
    return place < 0 ? preferences.length : place
  }
  const kept = selected.toSorted((one, other) => rank(one.name) - rank(other.name))
  while (kept.length > 0 && !product.skus.some((sku) => hasAll(sku, kept))) kept.pop()
  const fitting = product.skus.filter((sku) => hasAll(sku, kept))
  const featured = featuredVariant(fitting)
  // Without a selection all variants are shown, and the options of the featured variant count as selected.
  const shown = kept.length > 0 ? kept : (featured?.options ?? []).map(({ name, value }) => ({ name, label: value }))
  const options = product.options.map(({ name, values }) => ({
    name,
    values: values.map((label) => {
      const others = kept.filter((option) => option.name !== name)
      const left = product.skus.filter((sku) => hasAll(sku, [...others, { name, label }]))
      return { label, available: left.some(isForSale), exists: left.length > 0 }
    }),
  }))
  return {
    ...ucpProductView(product, { ...context, shown: fitting }),
    ...(options.length > 0 && { selected: shown.map(({ name, label }) => ({ name, label })) }),
    ...(options.length > 0 && { options }),
  }
}

function hasAll(sku: Sku, wanted: readonly { name: string; label: string }[]): boolean {
  return wanted.every(({ name, label }) => sku.options.some((option) => option.name === name && option.value === label))
}
