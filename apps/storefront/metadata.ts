// Metadata of pages for search engines and messengers: the canonical URL, Open Graph, and schema.org as JSON-LD. Amounts and availability
// are those that the page shows.

import type { Availability, Category, Product, Site, Sku } from '../../packages/client/src/index.ts'
import { Html, html } from './html.ts'
import { decimal } from './words.ts'

export interface Shared {
  type: 'website' | 'product'
  siteName: string
  // Language and country, such as `de_CH`.
  locale: string
  title: string
  description: string
  url: string
  image?: { url: string; alt: string } | null
  price?: { amount: number; currency: string; availability: Availability }
}

// Tags of https://ogp.me, and for prices the names that Facebook and Pinterest read.
export function openGraph({ type, siteName, locale, title, description, url, image, price }: Shared): Html {
  const tags: [name: string, content: string | undefined][] = [
    ['og:type', type],
    ['og:site_name', siteName],
    ['og:locale', locale],
    ['og:title', title],
    ['og:description', description || undefined],
    ['og:url', url],
    ['og:image', image?.url],
    ['og:image:alt', image?.alt || undefined],
    ['product:price:amount', price && decimal(price.amount, price.currency)],
    ['product:price:currency', price?.currency],
    ['product:availability', price && openGraphWords[price.availability]],
  ]
  return html`${tags.map(
    ([name, content]) =>
      content !== undefined &&
      html`<meta property="${name}" content="${content}">
`,
  )}<meta name="twitter:card" content="${image ? 'summary_large_image' : 'summary'}">
`
}

const openGraphWords: Readonly<Record<Availability, string>> = {
  in_stock: 'in stock',
  low_stock: 'in stock',
  backorder: 'available for order',
  out_of_stock: 'out of stock',
}

const schemaWords: Readonly<Record<Availability, string>> = {
  in_stock: 'https://schema.org/InStock',
  low_stock: 'https://schema.org/LimitedAvailability',
  backorder: 'https://schema.org/BackOrder',
  out_of_stock: 'https://schema.org/OutOfStock',
}

// A data block needs no permission of the content security policy. Inside a script element only `<` can end it or begin a comment. The
// other characters are escaped for less exact parsers.
export function jsonLd(data: object): Html {
  const text = JSON.stringify({ '@context': 'https://schema.org', ...data })
  const safe = text.replaceAll(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return html`<script type="application/ld+json">${new Html(safe)}</script>
`
}

export type AttributeOf = (option: string) => 'color' | 'size' | 'material' | 'pattern' | undefined

export interface ProductFacts {
  product: Product
  url: string
  skuUrl: (code: string) => string
  // Returns the absolute URL of a picture, or null.
  image: (url: string | null) => string | null
  seller: string
  // Barcodes by the id of the SKU.
  barcodes: ReadonlyMap<string, string>
  attributeOf: AttributeOf
}

// Number of variants that are listed. A product with more is described by an aggregate.
const variantsMax = 50

// https://developers.google.com/search/docs/appearance/structured-data/product-variants
export function productData({ product, url, skuUrl, image, seller, barcodes, attributeOf }: ProductFacts): object {
  const { name, slug, skus, media, options, brand } = product
  const pictures = media.flatMap((picture) => image(picture.url) ?? [])
  const common = {
    name,
    description: product.summary || product.description || name,
    url,
    ...(pictures.length > 0 && { image: pictures }),
    ...(brand != null && { brand: { '@type': 'Brand', name: brand } }),
    ...manufacturerOf(product),
  }
  const [only] = skus
  if (only && skus.length === 1) {
    const traits = { ...identifiersOf(only, barcodes), ...traitsOf(only, attributeOf) }
    return { '@type': 'Product', ...common, ...traits, offers: offerOf(only, url, seller) }
  }
  if (skus.length > variantsMax) {
    return { '@type': 'Product', ...common, offers: aggregateOf(product, seller) }
  }
  const varied = [...new Set(options.flatMap((option) => attributeOf(option.name) ?? []))]
  return {
    '@type': 'ProductGroup',
    ...common,
    productGroupID: slug,
    ...(varied.length > 0 && { variesBy: varied.map((attribute) => `https://schema.org/${attribute}`) }),
    hasVariant: skus.map((sku) => {
      const picture = image(sku.imageUrl) ?? pictures[0]
      return {
        '@type': 'Product',
        name: [name, ...sku.options.map(({ value }) => value)].join(', '),
        ...identifiersOf(sku, barcodes),
        ...(picture !== undefined && { image: picture }),
        ...traitsOf(sku, attributeOf),
        offers: offerOf(sku, skuUrl(sku.code), seller),
      }
    }),
  }
}

function manufacturerOf({ safety }: Product): object {
  const [maker] = safety?.makers ?? []
  if (!maker) return {}
  const { name, address, country, contact } = maker
  const place = { '@type': 'PostalAddress', streetAddress: address.join(', '), addressCountry: country }
  const reached = contact.startsWith('https://') ? { url: contact } : { email: contact }
  return { manufacturer: { '@type': 'Organization', name, address: place, ...reached } }
}

// Options with a property of schema.org are given as such, others as additional properties.
function traitsOf({ options }: Sku, attributeOf: AttributeOf): object {
  const traits = new Map<string, unknown>()
  const others: object[] = []
  for (const option of options) {
    const attribute = attributeOf(option.name)
    if (attribute === undefined || traits.has(attribute)) others.push({ '@type': 'PropertyValue', ...option })
    else traits.set(attribute, option.value)
  }
  return { ...Object.fromEntries(traits), ...(others.length > 0 && { additionalProperty: others }) }
}

function identifiersOf(sku: Sku, barcodes: ReadonlyMap<string, string>): object {
  const barcode = barcodes.get(sku.id)?.replaceAll(/[\s-]/g, '') ?? ''
  return { sku: sku.code, ...(isGtin(barcode) && { gtin: barcode }) }
}

// A GTIN has 8, 12, 13 or 14 digits, of which the last is the check digit. Other barcodes are the merchant's own.
export function isGtin(text: string): boolean {
  if (!/^(?:\d{8}|\d{12,14})$/.test(text)) return false
  const digits = [...text].map(Number)
  const sum = digits.toReversed().reduce((total, digit, index) => total + digit * (index % 2 === 1 ? 3 : 1), 0)
  return sum % 10 === 0
}

// Codes of units from UN/ECE Recommendation 20.
const unitCodes: Readonly<Record<string, string>> = {
  ...{ mg: 'MGM', g: 'GRM', kg: 'KGM', ml: 'MLT', cl: 'CLT', l: 'LTR', m3: 'MTQ' },
  ...{ mm: 'MMT', cm: 'CMT', m: 'MTR', cm2: 'CMK', m2: 'MTK', piece: 'C62' },
}
const hundreds: Readonly<Record<string, string>> = { '100g': 'g', '100ml': 'ml' }

// https://developers.google.com/search/docs/appearance/structured-data/merchant-listing#unit-pricing
function unitPriceOf({ price, measure }: Sku): object {
  if (!measure) return {}
  const quantity = (value: number, unit: string) => ({ '@type': 'QuantitativeValue', value, unitCode: unitCodes[unit] })
  const hundred = hundreds[measure.per]
  const base = hundred === undefined ? quantity(1, measure.per) : quantity(100, hundred)
  return {
    priceSpecification: {
      '@type': 'UnitPriceSpecification',
      price: decimal(price.amount, price.currency),
      priceCurrency: price.currency,
      referenceQuantity: { ...quantity(measure.amount, measure.unit), valueReference: base },
    },
  }
}

function offerOf(sku: Sku, url: string, seller: string): object {
  const { price, availability } = sku
  return {
    '@type': 'Offer',
    url,
    price: decimal(price.amount, price.currency),
    priceCurrency: price.currency,
    ...unitPriceOf(sku),
    availability: schemaWords[availability],
    itemCondition: 'https://schema.org/NewCondition',
    seller: { '@type': 'Organization', name: seller },
  }
}

function aggregateOf({ priceRange: { min, max }, availability, skus }: Product, seller: string): object {
  return {
    '@type': 'AggregateOffer',
    lowPrice: decimal(min.amount, min.currency),
    highPrice: decimal(max.amount, max.currency),
    priceCurrency: min.currency,
    offerCount: skus.length,
    availability: schemaWords[availability],
    itemCondition: 'https://schema.org/NewCondition',
    seller: { '@type': 'Organization', name: seller },
  }
}

export interface SellerFacts {
  name: string
  url: string
  logo: string | null
  email: string | null
  // Page that explains refunds.
  returnsUrl: string | null
  searchUrl: string
  legal: Site['legal']
  country: string
}

// Data about the shop itself, for its home page. https://developers.google.com/search/docs/appearance/structured-data/organization
export function sellerData({ name, url, logo, email, returnsUrl, searchUrl, legal, country }: SellerFacts): object {
  const { street, postalCode, city } = legal ?? {}
  return {
    '@graph': [
      {
        '@type': 'OnlineStore',
        '@id': `${url}#seller`,
        ...{ name, url },
        ...(logo !== null && { logo }),
        ...(email !== null && { email }),
        ...(legal && { legalName: legal.name, ...(legal.vatId !== undefined && { vatID: legal.vatId }) }),
        ...(city !== undefined && {
          address: {
            '@type': 'PostalAddress',
            ...(street !== undefined && { streetAddress: street }),
            ...(postalCode !== undefined && { postalCode }),
            ...{ addressLocality: city, addressCountry: country },
          },
        }),
        ...(returnsUrl !== null && {
          hasMerchantReturnPolicy: { '@type': 'MerchantReturnPolicy', merchantReturnLink: returnsUrl },
        }),
      },
      {
        '@type': 'WebSite',
        ...{ name, url },
        publisher: { '@id': `${url}#seller` },
        potentialAction: {
          '@type': 'SearchAction',
          target: { '@type': 'EntryPoint', urlTemplate: `${searchUrl}?q={search_term_string}` },
          'query-input': 'required name=search_term_string',
        },
      },
    ],
  }
}

export function breadcrumbData(steps: readonly { name: string; url: string }[]): object {
  return {
    '@type': 'BreadcrumbList',
    itemListElement: steps.map(({ name, url }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      item: url,
    })),
  }
}

// Categories from the top one down to this one.
export function trailTo(category: Category, known: readonly Category[]): Category[] {
  return category.path.flatMap((slug) => known.find((other) => other.slug === slug) ?? [])
}
