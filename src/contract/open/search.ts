// Catalog search, and the lists of the catalog that pages without a key may read. These are extensions, with schemas of their own.

import { limits } from '../limits.ts'
import { Amount, Count, ListMeta, Slug } from '../parts.ts'
import { patterns } from '../patterns.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { Category, PriceRange, ProductSummary } from './catalog.ts'

export const searchSorts = ['relevance', 'newest', 'price_asc', 'price_desc', 'name'] as const
// Products of a result are counted up to this number.
export const searchTotalMax = 1_000
export const searchRowsDefault = 24

// The parameters of a search. At least one besides sort and limit is required.
export const searchQuery = object({
  q: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        'Words in any order. Each must occur in the name, brand, tags, category names, option values, SKU codes, barcodes or description. The last may be half typed.',
    }),
  ),
  category: Type.Optional(withDescription('Slug of a category. Includes the categories below it.', Slug)),
  brand: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: 20,
      description: 'A whole brand. Case does not matter. Repeatable: several are alternatives.',
    }),
  ),
  minPrice: Type.Optional(withDescription('In minor units. Products with a SKU at this price or above.', Amount)),
  maxPrice: Type.Optional(withDescription('In minor units. Products with a SKU at this price or below.', Amount)),
  inStock: Type.Optional(Type.Literal(true, { description: 'Only products with units to sell now.' })),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'A whole tag. Case does not matter.' })),
  option: Type.Optional(
    Type.Array(Type.String({ minLength: 3, maxLength: 200, pattern: patterns.option.source }), {
      maxItems: 10,
      description: 'Name and value, `Colour:Plum`. Repeatable: values of one name are alternatives.',
    }),
  ),
  sort: Type.Optional(oneOf(searchSorts, { description: 'Default: relevance, or newest without `q`.' })),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.listRowsMax,
      description: `Products in an answer (default: ${searchRowsDefault}).`,
    }),
  ),
})

const CategoryFacet = object({ slug: Slug, name: Type.String(), count: Count })
const BrandFacet = object({ name: Type.String(), count: Count })
const OptionFacet = object({
  name: Type.String(),
  values: Type.Array(object({ value: Type.String(), count: Count }), { description: 'Most frequent first.' }),
})

export const SearchFacets = object(
  {
    categories: Type.Array(CategoryFacet, { description: 'In the order of the category list.' }),
    brands: Type.Array(BrandFacet, {
      description: 'Most frequent first. Brands that differ in case or accents only are one.',
    }),
    options: Type.Array(OptionFacet, { description: 'Most frequent first.' }),
    price: nullable(PriceRange, { description: 'Lowest and highest price. null if there are no products.' }),
    inStock: withDescription('How many have units to sell now.', Count),
  },
  {
    description: `Counts over the whole result, each without its own filter. If a result has more than ${searchTotalMax} products, over ${searchTotalMax} of them.`,
  },
)

export const ProductSearchResponse = object({
  data: Type.Array(ProductSummary, { maxItems: limits.listRowsMax }),
  meta: object({
    count: withDescription('Products in this answer.', Count),
    next: nullable(Type.String(), {
      description: 'Link to the next products, relative to the server. Follow it as it is.',
    }),
    total: nullable(Count, { description: `Products in the result. null if there are more than ${searchTotalMax}.` }),
    correctedTo: nullable(Type.String(), {
      description: 'The words that were searched for instead, if nothing has the words of `q` but for a wrong letter.',
    }),
    leftOut: Type.Array(Type.String(), {
      description: 'Words of `q` that no product has together with the others. The result is without them.',
    }),
    facets: SearchFacets,
  }),
})

export const relatedRowsMax = 24
export const relatedRowsDefault = 8

export const relatedQuery = object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: relatedRowsMax,
      description: `Products in the answer (default: ${relatedRowsDefault}).`,
    }),
  ),
})

export const RelatedProductListResponse = object({
  data: Type.Array(ProductSummary, { maxItems: relatedRowsMax, description: 'Nearest first. Only what is in stock.' }),
  meta: object({ count: withDescription('Products in this answer.', Count) }),
})

export const suggestedRowsMax = 10
export const suggestedRowsDefault = 6
export const suggestedCategoriesMax = 3

export const suggestionQuery = object({
  q: Type.String({ minLength: 1, maxLength: 200, description: 'What was typed so far.' }),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: suggestedRowsMax,
      description: `Products in the answer (default: ${suggestedRowsDefault}).`,
    }),
  ),
})

export const SearchSuggestionListResponse = object({
  data: object({
    products: Type.Array(ProductSummary, { maxItems: suggestedRowsMax, description: 'Most relevant first.' }),
    categories: Type.Array(object({ slug: Slug, name: Type.String(), count: Count }), {
      maxItems: suggestedCategoriesMax,
      description: 'Named so, with the number of their products.',
    }),
    correctedTo: nullable(Type.String(), {
      description: 'The words that were searched for instead, if nothing has those of `q`.',
    }),
  }),
})

const MerchantListMeta = object({
  ...ListMeta.properties,
  total: nullable(Count, { description: `Rows in the whole list. null if there are more than ${searchTotalMax}.` }),
})

export const MerchantProductListResponse = object({
  data: Type.Array(ProductSummary, { maxItems: limits.listRowsMax, description: 'Newest publication first.' }),
  meta: MerchantListMeta,
})

export const MerchantCategoryListResponse = object({
  data: Type.Array(Category, { maxItems: limits.listRowsMax, description: 'In order of position, name, id.' }),
  meta: MerchantListMeta,
})

export type SearchQuery = Static<typeof searchQuery>
export type SearchFacets = Static<typeof SearchFacets>
export type RelatedProductListResponse = Static<typeof RelatedProductListResponse>
export type SearchSuggestionListResponse = Static<typeof SearchSuggestionListResponse>
export type ProductSearchResponse = Static<typeof ProductSearchResponse>
export type MerchantProductListResponse = Static<typeof MerchantProductListResponse>
export type MerchantCategoryListResponse = Static<typeof MerchantCategoryListResponse>
