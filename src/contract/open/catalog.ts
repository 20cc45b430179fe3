// The catalog: categories, product rows, and one product in full.

import { limits } from '../limits.ts'
import {
  Amount,
  Availability,
  CategoryId,
  Count,
  ImageUrl,
  Instant,
  ListMeta,
  Metadata,
  Money,
  OptionValue,
  ProductId,
  SkuId,
  Slug,
} from '../parts.ts'
import { nullable, object, oneOf, type Static, Type } from '../schema.ts'
import { measureBases, measureUnits, textLanguages, withdrawalExemptions } from '../words.ts'

export const Category = object({
  id: CategoryId,
  slug: Slug,
  name: Type.String(),
  description: Type.String(),
  parentId: nullable(CategoryId),
  path: Type.Array(Slug, { description: 'Slugs from the top category down to this one.' }),
  position: Type.Integer({ description: 'Place among its siblings.' }),
  productCount: Count,
  imageUrl: ImageUrl,
  updatedAt: Instant,
})

export const PriceRange = object({ min: Money, max: Money }, { description: 'Lowest and highest price of its SKUs.' })

// Optional like `brand`: absent for the first minutes after an upgrade from a release without prior prices.
const PriorPrice = Type.Optional(
  nullable(Money, {
    description: 'The lowest price of the 30 days before the announced reduction. null: none may be shown.',
  }),
)

const measureMembers = {
  amount: Type.Integer({ minimum: 1, maximum: limits.measureAmountMax }),
  unit: oneOf(measureUnits),
  per: oneOf(measureBases, { description: 'What `price` is for.' }),
}

export const Measure = object(
  { ...measureMembers, price: Money },
  { description: 'What it contains, and its unit price.' },
)

export const LineMeasure = object({ ...measureMembers, price: Amount }, { description: 'As `measure` of the SKU.' })

const Party = object({
  name: Type.String(),
  address: Type.Array(Type.String(), { description: 'Lines of the postal address.' }),
  country: Type.String({ description: 'By ISO 3166-1.' }),
  contact: Type.String({ description: 'An e-mail address, or a page.' }),
})

export const Safety = object(
  {
    makers: Type.Array(Party, { description: 'Who makes it.' }),
    responsible: Type.Array(Party, { description: 'Who is responsible in the EU, where the maker is elsewhere.' }),
    warnings: Type.Array(
      object({
        language: nullable(oneOf(textLanguages), { description: 'null: of any.' }),
        text: Type.String(),
      }),
    ),
  },
  { description: 'What a page that offers it has to show (Regulation (EU) 2023/988, Art. 19).' },
)

const productRow = {
  id: ProductId,
  slug: Slug,
  name: Type.String(),
  brand: Type.Optional(
    nullable(Type.String(), {
      description: 'Who makes it. Absent for the first minutes after an upgrade from a version without brands.',
    }),
  ),
  summary: Type.String(),
  categories: Type.Array(Slug, { description: 'Slugs of its categories.' }),
  imageUrl: ImageUrl,
  imageAlt: nullable(Type.String()),
  priceRange: PriceRange,
  priorPrice: PriorPrice,
  measure: Type.Optional(nullable(Measure, { description: 'Of the SKU with the lowest price.' })),
  availability: Availability,
  skuCount: Count,
  tags: Type.Array(Type.String()),
  publishedAt: Instant,
  updatedAt: Instant,
}

export const ProductSummary = object(productRow)

export const ProductMedia = object({
  url: Type.String(),
  alt: Type.String(),
  width: nullable(Type.Integer({ minimum: 1 })),
  height: nullable(Type.Integer({ minimum: 1 })),
})

export const ProductOption = object({ name: Type.String(), values: Type.Array(Type.String()) })

export const Sku = object({
  id: SkuId,
  code: Type.String({ description: 'The code the merchant gave it.' }),
  name: Type.String(),
  options: Type.Array(OptionValue),
  price: Money,
  compareAtPrice: nullable(Money, { description: 'The former price of the merchant. null where `priorPrice` is.' }),
  priorPrice: PriorPrice,
  measure: Type.Optional(nullable(Measure)),
  availability: Availability,
  availableQuantity: nullable(Count, { description: 'Units that can be bought now. null where it is not told.' }),
  maxPerOrder: Type.Integer({ minimum: 1, maximum: limits.quantityMax }),
  requiresShipping: Type.Boolean(),
  weightGrams: nullable(Count),
  imageUrl: ImageUrl,
})

export const ProductMerchant = object({ slug: Slug, name: Type.String() })

export const Product = object({
  ...productRow,
  description: Type.String({ description: 'Plain text; an empty line separates paragraphs.' }),
  descriptionHtml: Type.Optional(
    Type.String({
      description:
        'The description with formatting, absent where there is only plain text. Safe to put into a page: no scripts, styles, pictures; links and cell spans are the only attributes.',
    }),
  ),
  merchant: ProductMerchant,
  seoTitle: Type.Optional(
    nullable(Type.String(), { description: 'The title of its page for search engines. null: its name.' }),
  ),
  seoDescription: Type.Optional(nullable(Type.String(), { description: 'The text below it. null: its summary.' })),
  media: Type.Array(ProductMedia),
  options: Type.Array(ProductOption),
  skus: Type.Array(Sku),
  withdrawalExempt: Type.Optional(
    nullable(oneOf(withdrawalExemptions), {
      description: 'Why one cannot withdraw from the contract about it. null: one can.',
    }),
  ),
  digital: Type.Optional(
    Type.Boolean({
      description: 'Digital content that is supplied at once: the hosted checkout asks for consent to that.',
    }),
  ),
  guarantee: Type.Optional(
    nullable(object({ years: Type.Integer({ minimum: 3 }), url: nullable(Type.String()) }), {
      description: 'The guarantee of durability of the producer, beside the legal one.',
    }),
  ),
  safety: Type.Optional(nullable(Safety, { description: 'null: neither a maker nor a warning is given.' })),
  metadata: Metadata,
})

export const PublicCatalogCategoryListResponse = object({
  data: Type.Array(Category, { maxItems: limits.listRowsMax, description: 'In order of position, name, id.' }),
  meta: Type.Optional(ListMeta),
})

export const PublicCatalogProductListResponse = object({
  data: Type.Array(ProductSummary, { maxItems: limits.listRowsMax, description: 'Newest publication first.' }),
  meta: Type.Optional(ListMeta),
})

export const PublicCatalogProductDetailResponse = object({ data: Product })

export type Category = Static<typeof Category>
export type PriceRange = Static<typeof PriceRange>
export type ProductSummary = Static<typeof ProductSummary>
export type ProductMedia = Static<typeof ProductMedia>
export type ProductOption = Static<typeof ProductOption>
export type Measure = Static<typeof Measure>
export type LineMeasure = Static<typeof LineMeasure>
export type Safety = Static<typeof Safety>
export type Sku = Static<typeof Sku>
export type Product = Static<typeof Product>
export type PublicCatalogCategoryListResponse = Static<typeof PublicCatalogCategoryListResponse>
export type PublicCatalogProductListResponse = Static<typeof PublicCatalogProductListResponse>
export type PublicCatalogProductDetailResponse = Static<typeof PublicCatalogProductDetailResponse>
