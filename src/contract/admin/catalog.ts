// Products, SKUs, stock, categories and promotions: schemas and operations. A merchant writes entries as in a shop file. Responses add
// ids, versions and counts around an entry, so a response can be edited and sent back.

import {
  brandSchema,
  CategoryEntry,
  amountSchema as PriceAmount,
  ProductEntry,
  PromotionEntry,
  pictureSchema,
} from '../entries.ts'
import { limits } from '../limits.ts'
import {
  Amount,
  CategoryId,
  Count,
  ExpectedVersion,
  IdempotencyKey,
  Instant,
  lineSchema,
  ProductId,
  PromotionId,
  SkuId,
  Slug,
  Version,
} from '../parts.ts'
import { nullable, object, oneOf, type Static, Type, withDescription } from '../schema.ts'
import { okReply } from '../surface.ts'
import { actorKinds, movementKinds, priceEndings, productStatuses, promotionStatuses } from '../words.ts'
import { BulkResponse } from './bulk.ts'
import { AdminSubjectChange } from './changes.ts'
import { DryRun } from './dryrun.ts'
import { type AdminOperationRows, adminRow, bulkListLimit, listOf } from './row.ts'

const productBodyBytesMax = 512 * 1024

const changing = { idempotencyKey: Type.Optional(IdempotencyKey) }
const Search = (description: string) => Type.Optional(withDescription(description, lineSchema(1, 100)))
const Changes = Type.Array(AdminSubjectChange, { description: 'What changed, or with dryRun would change.' })

export const ProductStatus = oneOf(productStatuses, {
  description: 'published: in the catalog. hidden: not in the catalog. archived: no longer sold; lists leave it out.',
})

export const AdminStock = {
  onHand: withDescription('Units that exist, in the mode of the caller.', Count),
  held: withDescription('Units that are reserved for checkouts.', Count),
}

export const AdminProductSummary = object({
  id: ProductId,
  slug: Slug,
  name: Type.String(),
  brand: nullable(Type.String()),
  status: ProductStatus,
  picture: nullable(pictureSchema),
  categories: Type.Array(Slug),
  tags: Type.Array(Type.String()),
  priceMin: Amount,
  priceMax: Amount,
  skuCount: Count,
  ...AdminStock,
  version: Version,
  updatedAt: Instant,
})

// The prior price of a SKU with a `compareAtPrice`, which announces a reduction.
const AdminPriorPrice = nullable(Amount, {
  description:
    'The lowest price of the 30 days before the announced reduction began, which the shop strikes through. null: it shows no reduction.',
})

export const AdminProductSku = object({ id: SkuId, code: Type.String(), priorPrice: AdminPriorPrice, ...AdminStock })

export const AdminProduct = object({
  id: ProductId,
  version: Version,
  status: ProductStatus,
  product: withDescription('What the merchant wrote. It can be changed and sent back.', ProductEntry),
  skus: Type.Array(AdminProductSku, { description: 'The SKUs in the order of `product.skus`.' }),
  createdAt: Instant,
  updatedAt: Instant,
  archivedAt: nullable(Instant),
})

export const productSorts = ['newest', 'oldest'] as const
export const productLacks = ['maker'] as const
export const stockFilters = ['low', 'out'] as const

export const AdminProductListQuery = object({
  q: Search('In the name, the brand or the slug, or at the beginning of a SKU code.'),
  status: Type.Optional(oneOf(productStatuses, { description: 'Without it, all that are not archived.' })),
  categoryId: Type.Optional(withDescription('Only products in this category itself.', CategoryId)),
  brand: Type.Optional(withDescription('A whole brand. Case does not matter.', brandSchema)),
  maker: Type.Optional(withDescription('Slug of a maker.', Slug)),
  lacks: Type.Optional(oneOf(productLacks, { description: 'Only products without it.' })),
  tag: Type.Optional(lineSchema(1, 60)),
  stock: Type.Optional(
    oneOf(stockFilters, { description: 'Only products with a SKU that is low or out, as in the list of SKUs.' }),
  ),
  sort: Type.Optional(oneOf(productSorts, { description: 'By the last change. Without it the newest come first.' })),
  limit: bulkListLimit('updateAdminProducts'),
})

export const AdminProductListResponse = listOf(
  AdminProductSummary,
  'By the last change, newest first by default.',
  limits.bulkItemsMax,
)
export const AdminProductResponse = object({ data: AdminProduct })

export const CreateAdminProductRequest = object({
  ...changing,
  product: ProductEntry,
  dryRun: Type.Optional(DryRun),
})

export const ReplaceAdminProductRequest = object({
  ...changing,
  expectedVersion: ExpectedVersion,
  product: withDescription(
    'The whole product. SKUs are known by their code; one that is missing is retired. `stock` counts for new SKUs only.',
    ProductEntry,
  ),
  dryRun: Type.Optional(DryRun),
})

export const AdminProductChangeResponse = object({ data: AdminProduct, changes: Changes })

export const UpdateAdminProductsRequest = object({
  ...changing,
  productIds: Type.Array(ProductId, { minItems: 1, maxItems: limits.bulkItemsMax, uniqueItems: true }),
  change: object(
    {
      status: Type.Optional(oneOf(productStatuses)),
      addCategory: Type.Optional(withDescription('Slug of a category.', Slug)),
      removeCategory: Type.Optional(withDescription('Slug of a category.', Slug)),
      brand: Type.Optional(nullable(brandSchema, { description: 'null takes the brand off.' })),
      maker: Type.Optional(nullable(Slug, { description: 'Slug of a maker; null takes it off.' })),
      addTag: Type.Optional(lineSchema(1, 60)),
      removeTag: Type.Optional(lineSchema(1, 60)),
      pricePercentage: Type.Optional(
        Type.Integer({
          minimum: -9_999,
          maximum: 100_000,
          description: 'Changes every price by so many basis points: 500 raises it by 5 %. Rounded to minor units.',
        }),
      ),
      priceEnding: Type.Optional(
        oneOf(priceEndings, {
          description:
            'With pricePercentage: the new price is the nearest one that ends so, such as 46.99, 46.95 or 47.00. Currencies without decimals are rounded to whole.',
        }),
      ),
      shippedOnly: Type.Optional(
        Type.Boolean({
          description: 'With pricePercentage, true: SKUs that are not sent, such as gift cards, keep their price.',
        }),
      ),
    },
    { minProperties: 1 },
  ),
  dryRun: Type.Optional(DryRun),
})

export const AdminSku = object({
  id: SkuId,
  productId: ProductId,
  productName: Type.String(),
  code: Type.String(),
  name: Type.String(),
  price: Amount,
  compareAtPrice: nullable(Amount),
  priorPrice: AdminPriorPrice,
  picture: nullable(pictureSchema, { description: 'Its own, or else the first of its product.' }),
  ...AdminStock,
  available: withDescription('Units that can be bought now.', Count),
})

export const skuSorts = ['code', 'stock'] as const

export const AdminSkuListQuery = object({
  q: Search('At the beginning of the code, or in the name of the product or the SKU, or in the brand.'),
  stock: Type.Optional(
    oneOf(stockFilters, {
      description: 'low: for sale while in stock, and at or below the mark of the shop. out: none left.',
    }),
  ),
  productId: Type.Optional(ProductId),
  measure: Type.Optional(
    oneOf(['missing'], { description: 'Those without a content, from which the unit price is computed.' }),
  ),
  sort: Type.Optional(oneOf(skuSorts, { description: 'By code, or the least stock first (default: code).' })),
  limit: bulkListLimit('updateAdminSkus'),
})

export const AdminSkuListResponse = listOf(AdminSku, 'By code, unless sort says otherwise.', limits.bulkItemsMax)

const OnHand = Type.Integer({ minimum: 0, maximum: 1_000_000_000 })

export const UpdateAdminSkusRequest = object({
  ...changing,
  rows: Type.Array(
    object({
      skuId: SkuId,
      price: Type.Optional(PriceAmount),
      expectedPrice: Type.Optional(
        withDescription(
          'The price that was seen. If it is another now, and not the wanted one, the row is refused.',
          PriceAmount,
        ),
      ),
      compareAtPrice: Type.Optional(nullable(PriceAmount)),
      expectedCompareAtPrice: Type.Optional(
        nullable(PriceAmount, { description: 'The compare-at price that was seen, as expectedPrice.' }),
      ),
      adjustBy: Type.Optional(
        Type.Integer({
          minimum: -1_000_000_000,
          maximum: 1_000_000_000,
          description: 'Adds to the stock, or takes from it. Not together with onHand.',
        }),
      ),
      onHand: Type.Optional(withDescription('Sets the stock, if it still is expectedOnHand.', OnHand)),
      expectedOnHand: Type.Optional(withDescription('The stock that was seen. Needed with onHand.', OnHand)),
      reason: Type.Optional(withDescription('Why the stock changes.', lineSchema(1, 200))),
    }),
    { minItems: 1, maxItems: limits.bulkItemsMax },
  ),
  dryRun: Type.Optional(DryRun),
})

export const AdminStockMovement = object({
  id: Type.String(),
  kind: oneOf(movementKinds, { description: 'opening: when the SKU was made. set: by hand.' }),
  delta: Type.Integer(),
  reason: nullable(Type.String()),
  orderId: nullable(Type.String(), { description: 'The order or checkout that took it or gave it back.' }),
  actor: nullable(object({ kind: oneOf(actorKinds), id: Type.String() })),
  at: Instant,
})

export const AdminStockMovementListResponse = listOf(AdminStockMovement, 'Newest first, in the mode of the caller.')

export const AdminBrand = object({
  name: Type.String(),
  products: withDescription('Products of it that are not archived.', Count),
})

export const AdminBrandListQuery = object({ limit: bulkListLimit('updateAdminProducts') })

export const AdminBrandListResponse = listOf(
  AdminBrand,
  'By name. Two spellings of a brand are two rows.',
  limits.bulkItemsMax,
)

export const AdminCategory = object({
  id: CategoryId,
  version: Version,
  category: withDescription('What the merchant wrote. It can be changed and sent back.', CategoryEntry),
  parentId: nullable(CategoryId),
  path: Type.Array(Slug, { description: 'Slugs from the top category down to this one.' }),
  productCount: withDescription('Published products in it or below it.', Count),
  updatedAt: Instant,
})

export const AdminCategoryListResponse = listOf(AdminCategory, 'By position, then by name.')
export const AdminCategoryResponse = object({ data: AdminCategory })
export const CreateAdminCategoryRequest = object({ ...changing, category: CategoryEntry })
export const ReplaceAdminCategoryRequest = object({
  ...changing,
  expectedVersion: ExpectedVersion,
  category: withDescription('The slug cannot change.', CategoryEntry),
})
export const RemoveAdminCategoryRequest = object({ ...changing, expectedVersion: ExpectedVersion })
export const RemoveAdminCategoryResponse = object({ data: object({ id: CategoryId, removed: Type.Literal(true) }) })

export const PromotionStatus = oneOf(promotionStatuses, {
  description: 'Whether a shopper could use it now, apart from what is in the cart.',
})

export const AdminPromotion = object({
  id: PromotionId,
  version: Version,
  status: PromotionStatus,
  used: withDescription('Uses so far, in the mode of the caller.', Count),
  promotion: withDescription('What the merchant wrote. It can be changed and sent back.', PromotionEntry),
})

export const AdminPromotionListQuery = object({
  q: Search('At the beginning of the code.'),
  status: Type.Optional(oneOf(promotionStatuses)),
})

export const AdminPromotionListResponse = listOf(AdminPromotion, 'By code.')
export const AdminPromotionResponse = object({ data: AdminPromotion })
export const CreateAdminPromotionRequest = object({ ...changing, promotion: PromotionEntry })
export const ReplaceAdminPromotionRequest = object({
  ...changing,
  expectedVersion: ExpectedVersion,
  promotion: withDescription('The code cannot change.', PromotionEntry),
})

// biome-ignore format: a row reads best as a few lines
export const catalogOperationRows = {
  listAdminProducts: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/products',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Catalog', paged: true,
    summary: 'List products',
    description: 'Products of the merchant. Archived ones are listed only with status=archived.',
    query: AdminProductListQuery, body: null, reply: okReply(AdminProductListResponse),
    refusals: [],
  },
  getAdminProduct: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/products/{productId}',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Catalog',
    summary: 'Get a product',
    description: 'The product in full, as it can be changed and sent back, with its version and the stock of its SKUs.',
    body: null, reply: okReply(AdminProductResponse),
    refusals: ['product_not_found'],
  },
  createAdminProduct: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/products',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Create a product',
    description: 'It is in the catalog at once, unless `published` is false.',
    body: CreateAdminProductRequest, bodyBytesMax: productBodyBytesMax, reply: okReply(AdminProductChangeResponse),
    refusals: ['category_not_found', 'maker_not_found', 'product_exists', 'sku_exists'],
  },
  replaceAdminProduct: {
    ...adminRow, method: 'PUT', path: '/api/v1/admin/products/{productId}',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Replace a product',
    description: 'Changes the product to what the request says. After version_conflict, `current` has the product as it is now.',
    body: ReplaceAdminProductRequest, bodyBytesMax: productBodyBytesMax, reply: okReply(AdminProductChangeResponse),
    refusals: ['product_not_found', 'category_not_found', 'maker_not_found', 'version_conflict', 'product_archived', 'product_exists', 'sku_exists'],
  },
  updateAdminProducts: {
    ...adminRow, method: 'PATCH', path: '/api/v1/admin/products',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Change many products',
    description: 'Publishes, hides or archives products, changes category, brand, maker or tag, or prices by a percentage. Each product has an outcome of its own. Together they have at most 2,000 SKUs.',
    body: UpdateAdminProductsRequest, reply: okReply(BulkResponse),
    refusals: ['category_not_found', 'maker_not_found', 'change_too_large'],
  },
  listAdminSkus: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/skus',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Catalog', paged: true,
    summary: 'List SKUs',
    description: 'SKUs with price and stock. SKUs of archived products and retired ones are left out.',
    query: AdminSkuListQuery, body: null, reply: okReply(AdminSkuListResponse),
    refusals: [],
  },
  listAdminStockMovements: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/skus/{skuId}/movements',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Catalog', paged: true,
    summary: 'List the stock movements of a SKU',
    description: 'Every change of the stock. Their sum is the stock.',
    body: null, reply: okReply(AdminStockMovementListResponse),
    refusals: ['sku_not_found'],
  },
  updateAdminSkus: {
    ...adminRow, method: 'PATCH', path: '/api/v1/admin/skus',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Change prices and stock of many SKUs',
    description: 'Stock is changed in the mode of the caller: by a difference, or to a count that is refused if the stock has changed since it was seen. Prices that were seen can be named too. Each row has an outcome of its own.',
    body: UpdateAdminSkusRequest, reply: okReply(BulkResponse),
    refusals: ['change_too_large'],
  },
  listAdminBrands: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/brands',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Catalog', paged: true,
    summary: 'List brands',
    description: 'Every brand that a product has. A brand is there as long as a product has it.',
    query: AdminBrandListQuery, body: null, reply: okReply(AdminBrandListResponse),
    refusals: [],
  },
  listAdminCategories: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/categories',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Catalog', paged: true,
    summary: 'List categories',
    description: 'The tree of categories; `parentId` and `path` say where each one is.',
    body: null, reply: okReply(AdminCategoryListResponse),
    refusals: [],
  },
  createAdminCategory: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/categories',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Create a category',
    description: '`parent` is the slug of an existing category.',
    body: CreateAdminCategoryRequest, reply: okReply(AdminCategoryResponse),
    refusals: ['category_not_found', 'category_exists', 'category_limit', 'category_too_deep'],
  },
  replaceAdminCategory: {
    ...adminRow, method: 'PUT', path: '/api/v1/admin/categories/{categoryId}',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Replace a category',
    description: 'Changes its texts and its place in the tree.',
    body: ReplaceAdminCategoryRequest, reply: okReply(AdminCategoryResponse),
    refusals: ['category_not_found', 'version_conflict', 'slug_not_changeable', 'category_too_deep'],
  },
  removeAdminCategory: {
    ...adminRow, method: 'DELETE', path: '/api/v1/admin/categories/{categoryId}',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Remove a category',
    description: 'Only one without products, without categories below it, and without promotions for it.',
    body: RemoveAdminCategoryRequest, reply: okReply(RemoveAdminCategoryResponse),
    refusals: ['category_not_found', 'version_conflict', 'category_in_use'],
  },
  listAdminPromotions: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/promotions',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Catalog', paged: true,
    summary: 'List promotions',
    description: 'Codes with their status and their uses.',
    query: AdminPromotionListQuery, body: null, reply: okReply(AdminPromotionListResponse),
    refusals: [],
  },
  getAdminPromotion: {
    ...adminRow, method: 'GET', path: '/api/v1/admin/promotions/{promotionId}',
    scope: 'admin:read', idempotency: 'none', audit: 'none', tag: 'Catalog',
    summary: 'Get a promotion',
    description: 'The promotion as it can be changed and sent back.',
    body: null, reply: okReply(AdminPromotionResponse),
    refusals: ['promotion_not_found'],
  },
  createAdminPromotion: {
    ...adminRow, method: 'POST', path: '/api/v1/admin/promotions',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Create a promotion',
    description: 'It can be used at once, unless `startsAt` or `disabled` says otherwise.',
    body: CreateAdminPromotionRequest, reply: okReply(AdminPromotionResponse),
    refusals: ['category_not_found', 'sku_not_found', 'promotion_exists'],
  },
  replaceAdminPromotion: {
    ...adminRow, method: 'PUT', path: '/api/v1/admin/promotions/{promotionId}',
    scope: 'admin:catalog', idempotency: 'required', audit: 'change', tag: 'Catalog',
    summary: 'Replace a promotion',
    description: 'Its uses stay. `disabled: true` stops it.',
    body: ReplaceAdminPromotionRequest, reply: okReply(AdminPromotionResponse),
    refusals: ['promotion_not_found', 'category_not_found', 'sku_not_found', 'version_conflict', 'code_not_changeable', 'usage_limit_too_low'],
  },
} as const satisfies AdminOperationRows

export type AdminProductSummary = Static<typeof AdminProductSummary>
export type AdminProduct = Static<typeof AdminProduct>
export type AdminProductListQuery = Static<typeof AdminProductListQuery>
export type AdminSku = Static<typeof AdminSku>
export type AdminSkuListQuery = Static<typeof AdminSkuListQuery>
export type AdminStockMovement = Static<typeof AdminStockMovement>
export type AdminCategory = Static<typeof AdminCategory>
export type AdminPromotion = Static<typeof AdminPromotion>
export type AdminPromotionListQuery = Static<typeof AdminPromotionListQuery>
