// The SQL of the catalog.

import type { Mode, SoldOutRule } from '../../contract/words.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import type { CursorPosition } from '../../platform/kit/cursor.ts'
import { foldLine, foldText } from '../../platform/kit/fold.ts'
import { inWeights, splitIntoGroups } from '../../platform/kit/groups.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { parseStoredMeasure } from '../../platform/kit/unitprice.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import { heldUnits, soldOutRule } from '../inventory/store.ts'
import { claimPaths } from '../redirects/change.ts'
import { categoryPath } from '../redirects/paths.ts'
import type { CategoryRow, ProductAnswers } from './answer.ts'
import type { PriceStep } from './priorprice.ts'
import type { ProductRow, PublishedProduct, SellerFacts, SkuRecord, SkuRow, StockLevel } from './product.ts'

// The listing of a product in the catalog of a mode, without its rendered responses.
export interface Listing extends MerchantMode {
  productId: string
  // Revision of the rendered responses: each rendering gets a new one.
  revision: string
  etag: string
  // Time from which the rendered responses no longer match the stock.
  staleAt: number | null
}

export async function findListing(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  slug: string,
): Promise<Listing | undefined> {
  const [row] = await db.sql<Listing>`
    select merchant_id as "merchantId", mode, product_id as "productId", revision, etag, stale_at as "staleAt"
    from listed_products where merchant_id = ${merchantId} and mode = ${mode} and slug = ${slug}`
  return row
}

// The listing in the mode in which the merchant sells: live if it has an active live installation, otherwise test, as in a shop that is
// being built.
export async function findPublicListing(
  db: Reader,
  { merchantSlug, productSlug }: { merchantSlug: string; productSlug: string },
): Promise<Listing | undefined> {
  const [row] = await db.sql<Listing>`
    select m.id as "merchantId", l.mode, l.product_id as "productId", l.revision, l.etag, l.stale_at as "staleAt"
    from merchants m join listed_products l on l.merchant_id = m.id and l.mode = case when exists (
      select 1 from installations i where i.merchant_id = m.id and i.mode = 'live' and i.disabled_at is null)
      then 'live' else 'test' end
    where m.slug = ${merchantSlug} and m.closed_at is null and l.slug = ${productSlug}`
  return row
}

export async function findDetails(
  db: Reader,
  { merchantId, mode, productId }: Pick<Listing, 'merchantId' | 'mode' | 'productId'>,
): Promise<Pick<ProductAnswers, 'detail' | 'publicDetail'>> {
  const [row] = await db.sql<Pick<ProductAnswers, 'detail' | 'publicDetail'>>`
    select detail, public_detail as "publicDetail"
    from listed_products where merchant_id = ${merchantId} and mode = ${mode} and product_id = ${productId}`
  if (!row) throw new Error(`product ${productId} is listed but has no listed texts`)
  return row
}

// The order of the result is undefined.
export async function listPublicDetails(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  slugs: readonly string[],
): Promise<{ slug: string; publicDetail: string }[]> {
  if (slugs.length === 0) return []
  return db.sql<{ slug: string; publicDetail: string }>`
    select slug, public_detail as "publicDetail" from listed_products
    where merchant_id = ${merchantId} and mode = ${mode} and slug in (${listFragment(slugs)})`
}

export async function findSeller(db: Reader, merchant: string): Promise<SellerFacts | undefined> {
  const [seller] = await db.sql<SellerFacts>`
    select id, slug, name, currency, low_stock_at as "lowStockAt" from merchants where id = ${merchant}`
  return seller
}

export async function findCatalogVersion(db: Reader, merchant: string): Promise<number> {
  const [row] = await db.sql<{ version: number }>`
    select catalog_version as "version" from merchants where id = ${merchant}`
  return row?.version ?? 0
}

export interface ListedRow {
  productId: string
  publishedAt: number
  listRow: string
}

export async function listProducts(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  limit: number,
): Promise<ListedRow[]> {
  return db.sql<ListedRow>`
    select product_id as "productId", published_at as "publishedAt", list_row as "listRow"
    from listed_products where merchant_id = ${merchantId} and mode = ${mode}
    order by published_at desc, product_id limit ${limit}`
}

// Counts up to `limit` products: a large catalog is not counted to its end.
export async function countProducts(db: Reader, { merchantId, mode }: MerchantMode, limit: number): Promise<number> {
  const [row] = await db.sql<{ count: number }>`
    select count(*) as "count" from (
      select product_id from listed_products where merchant_id = ${merchantId} and mode = ${mode} limit ${limit}) as one`
  return row?.count ?? 0
}

// Reads two ranges of one index, first the remaining products with the same instant: an `or` over both ranges would make SQLite scan all
// products.
export async function listProductsAfter(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  after: CursorPosition,
  limit: number,
): Promise<ListedRow[]> {
  return db.sql<ListedRow>`
    select "productId", "publishedAt", "listRow" from (
      select * from (
        select product_id as "productId", published_at as "publishedAt", list_row as "listRow"
        from listed_products
        where merchant_id = ${merchantId} and mode = ${mode} and published_at = ${after.at} and product_id > ${after.id}
        order by product_id limit ${limit}) as same_instant
      union all
      select * from (
        select product_id as "productId", published_at as "publishedAt", list_row as "listRow"
        from listed_products
        where merchant_id = ${merchantId} and mode = ${mode} and published_at < ${after.at}
        order by published_at desc, product_id limit ${limit}) as older) as pages
    order by "publishedAt" desc, "productId" limit ${limit}`
}

// Lists shops that are not closed, at most 20, each with its newest product in live mode, for the start page of the server.
export async function listShopWindows(
  db: Reader,
): Promise<{ slug: string; name: string; productSlug: string | null }[]> {
  return db.sql<{ slug: string; name: string; productSlug: string | null }>`
    select m.slug, m.name, (
        select l.slug from listed_products l where l.merchant_id = m.id and l.mode = 'live'
        order by l.published_at desc, l.product_id limit 1
      ) as "productSlug"
    from merchants m where m.closed_at is null order by m.id limit 20`
}

export interface SitemapRow {
  slug: string
  updatedAt: number
}

// Lists the published products by slug. Slugs are read from the index of the primary key, not from the rendered rows, which are large.
export async function listSlugsAfter(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  after: string,
  limit: number,
): Promise<SitemapRow[]> {
  return db.sql<SitemapRow>`
    select l.slug, p.updated_at as "updatedAt"
    from listed_products l join products p on p.merchant_id = l.merchant_id and p.slug = l.slug
    where l.merchant_id = ${merchantId} and l.mode = ${mode} and l.slug > ${after}
    order by l.slug limit ${limit}`
}

// Divides the published products, sorted by slug, into pieces. Returns the slug before each piece and the time of the latest change in
// the piece.
export async function listSlugPieces(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  size: number,
): Promise<{ after: string; updatedAt: number }[]> {
  const pieces: { after: string; updatedAt: number }[] = []
  for (let after = ''; ; ) {
    const [piece] = await db.sql<{ last: string | null; updatedAt: number; count: number }>`
      select max(slug) as last, max(updated_at) as "updatedAt", count(*) as count from (
        select l.slug, p.updated_at
        from listed_products l join products p on p.merchant_id = l.merchant_id and p.slug = l.slug
        where l.merchant_id = ${merchantId} and l.mode = ${mode} and l.slug > ${after}
        order by l.slug limit ${size}) as piece`
    if (!piece || piece.last === null) return pieces
    pieces.push({ after, updatedAt: piece.updatedAt })
    if (piece.count < size) return pieces
    after = piece.last
  }
}

export async function listBarcodes(
  db: Reader,
  merchantId: string,
  productId: string,
): Promise<{ id: string; barcode: string }[]> {
  return db.sql<{ id: string; barcode: string }>`
    select id, barcode from skus
    where merchant_id = ${merchantId} and product_id = ${productId} and barcode is not null and retired_at is null`
}

export async function listCategories(db: Reader, merchant: string): Promise<CategoryRow[]> {
  return db.sql<CategoryRow>`
    select id, slug, name, description, parent_id as "parentId", position, image, product_count as "productCount",
      updated_at as "updatedAt", version
    from categories where merchant_id = ${merchant} order by id`
}

export async function hasCategory(db: Reader, merchant: string, slug: string): Promise<boolean> {
  const rows = await db.sql`select 1 as one from categories where merchant_id = ${merchant} and slug = ${slug}`
  return rows.length > 0
}

export async function insertCategory(tx: Tx, merchant: string, category: CategoryRow): Promise<void> {
  await tx.sql`
    insert into categories (merchant_id, id, slug, name, description, parent_id, position, image, product_count, created_at, updated_at, version)
    values (${merchant}, ${category.id}, ${category.slug}, ${category.name}, ${category.description}, ${category.parentId},
      ${category.position}, ${category.image}, 0, ${category.updatedAt}, ${category.updatedAt}, ${category.version})`
  await claimPaths(tx, merchant, [categoryPath(category.slug)])
}

export async function updateCategory(tx: Tx, merchant: string, category: CategoryRow): Promise<void> {
  await tx.sql`
    update categories set name = ${category.name}, description = ${category.description}, parent_id = ${category.parentId},
      position = ${category.position}, image = ${category.image}, updated_at = ${category.updatedAt},
      version = ${category.version}
    where merchant_id = ${merchant} and id = ${category.id}`
}

// A product counts once for each of its categories and once for each of their ancestors.
export async function countProductsByCategory(
  tx: Tx,
  merchant: string,
  categoryIds: readonly string[] | 'all',
): Promise<{ categoryId: string; count: number }[]> {
  const isCounted =
    categoryIds === 'all'
      ? new Fragment('')
      : new Fragment(`and id in (${listFragment(categoryIds).text})`, listFragment(categoryIds).values)
  return tx.sql<{ categoryId: string; count: number }>`
    with recursive tree (root, id) as (
      select id, id from categories where merchant_id = ${merchant} ${isCounted}
      union
      select tree.root, c.id from categories c join tree on c.parent_id = tree.id where c.merchant_id = ${merchant})
    select tree.root as "categoryId", count(distinct l.product_id) as "count"
    from tree
    left join product_categories pc on pc.merchant_id = ${merchant} and pc.category_id = tree.id
    left join listed_products l on l.merchant_id = ${merchant} and l.mode = 'live' and l.product_id = pc.product_id
    group by tree.root`
}

export async function setProductCount(tx: Tx, merchant: string, categoryId: string, count: number): Promise<void> {
  await tx.sql`
    update categories set product_count = ${count}
    where merchant_id = ${merchant} and id = ${categoryId} and product_count <> ${count}`
}

interface ProductColumns {
  id: string
  slug: string
  name: string
  brand: string | null
  maker: string | null
  warnings: string
  withdrawalExempt: ProductRow['withdrawalExempt']
  digital: number
  guarantee: string | null
  summary: string
  seoTitle: string | null
  seoDescription: string | null
  description: string
  descriptionHtml: string | null
  tags: string
  images: string
  options: string
  metadata: string
  publishedAt: number | null
  createdAt: number
  updatedAt: number
  archivedAt: number | null
  version: number
}

const productColumns = new Fragment(`
  id, slug, name, brand, maker, warnings, withdrawal_exempt as "withdrawalExempt", digital, guarantee, summary,
  seo_title as "seoTitle", seo_description as "seoDescription", description, description_html as "descriptionHtml", tags, images, options, metadata,
  published_at as "publishedAt", created_at as "createdAt", updated_at as "updatedAt", archived_at as "archivedAt", version`)

interface SkuColumns extends Omit<SkuRow, 'options' | 'measure' | 'stock'>, LevelColumns {
  productId: string
  options: string
  measure: string | null
}

const skuColumns = new Fragment(`
  s.product_id as "productId", s.id, s.code, s.name, s.options, s.price, s.compare_at_price as "compareAtPrice",
  ${soldOutRule.text} as "whenSoldOut", s.max_per_order as "maxPerOrder", s.delivery, s.weight_grams as "weightGrams",
  s.measure, s.tax_class as "taxClass", s.image, s.barcode, s.prior_price as "priorPrice"`)

interface LevelColumns {
  liveOnHand: number
  liveHeld: number
  testOnHand: number
  testHeld: number
}

// The stock of the SKU `s` in both modes. Holds that have expired at `now` do not count.
function levelColumns(now: number): Fragment {
  const [live, test] = [heldUnits(now, 'live'), heldUnits(now, 'test')]
  return new Fragment(
    `live.on_hand as "liveOnHand", ${live.text} as "liveHeld", test.on_hand as "testOnHand", ${test.text} as "testHeld"`,
    [...live.values, ...test.values],
  )
}

const levelJoins = new Fragment(`
  join stock live on live.merchant_id = s.merchant_id and live.sku_id = s.id and live.mode = 'live'
  join stock test on test.merchant_id = s.merchant_id and test.sku_id = s.id and test.mode = 'test'`)

function levelsFrom({ liveOnHand, liveHeld, testOnHand, testHeld }: LevelColumns): Record<Mode, StockLevel> {
  return { live: { onHand: liveOnHand, held: liveHeld }, test: { onHand: testOnHand, held: testHeld } }
}

// The complete products with these slugs. Retired SKUs are no longer part of a product.
export async function listProductsBySlug(
  db: Reader,
  merchant: string,
  slugs: readonly string[],
): Promise<ProductRow[]> {
  const products = await db.sql<ProductColumns>`
    select ${productColumns}
    from products where merchant_id = ${merchant} and slug in (${listFragment(slugs)})`
  return products.length === 0 ? [] : wholeProducts(db, merchant, products, asWritten)
}

export async function listProductSlugs(db: Reader, merchant: string, after: string, limit: number): Promise<string[]> {
  const rows = await db.sql<{ slug: string }>`
    select slug from products where merchant_id = ${merchant} and slug > ${after} order by slug limit ${limit}`
  return rows.map(({ slug }) => slug)
}

export async function listPublishedProducts(
  db: Reader,
  merchant: string,
  ids: readonly string[],
  now: number,
): Promise<PublishedProduct[]> {
  const products = await db.sql<ProductColumns & { publishedAt: number }>`
    select ${productColumns}
    from products where merchant_id = ${merchant} and id in (${listFragment(ids)}) and published_at is not null order by id`
  return products.length === 0 ? [] : wholeProducts(db, merchant, products, now)
}

export async function listProductsAfterId(
  db: Reader,
  merchant: string,
  afterId: string,
  limit: number,
): Promise<ProductRow[]> {
  const products = await db.sql<ProductColumns>`
    select ${productColumns}
    from products where merchant_id = ${merchant} and id > ${afterId} order by id limit ${limit}`
  return products.length === 0 ? [] : wholeProducts(db, merchant, products, asWritten)
}

// Lists products sorted by id. Expired holds count until they are swept; see `asWritten`.
export async function listProductsById(db: Reader, merchant: string, ids: readonly string[]): Promise<ProductRow[]> {
  if (ids.length === 0) return []
  const products = await db.sql<ProductColumns>`
    select ${productColumns}
    from products where merchant_id = ${merchant} and id in (${listFragment(ids)}) order by id`
  return products.length === 0 ? [] : wholeProducts(db, merchant, products, asWritten)
}

// The products of these SKUs; retired SKUs are left out.
export async function listProductsOfSkus(
  db: Reader,
  merchant: string,
  skuIds: readonly string[],
): Promise<{ skuId: string; productId: string }[]> {
  if (skuIds.length === 0) return []
  return db.sql<{ skuId: string; productId: string }>`
    select id as "skuId", product_id as "productId" from skus
    where merchant_id = ${merchant} and id in (${listFragment(skuIds)}) and retired_at is null`
}

// A retired SKU keeps the values that it had when it was retired.
export interface RetiredSku extends SkuRow {
  productId: string
  position: number
}

export async function listRetiredSkus(db: Reader, merchant: string, ids: readonly string[]): Promise<RetiredSku[]> {
  if (ids.length === 0) return []
  const rows = await db.sql<SkuColumns & { position: number }>`
    select ${skuColumns}, s.position, ${levelColumns(asWritten)}
    from skus s ${levelJoins} where s.merchant_id = ${merchant} and s.id in (${listFragment(ids)}) and s.retired_at is not null`
  return rows.map((row) => ({ ...skuFrom(row), productId: row.productId, position: row.position }))
}

// Passed instead of the current time by code that changes products: expired holds then count until they are swept.
const asWritten = 0

async function wholeProducts<Row extends ProductColumns>(
  db: Reader,
  merchant: string,
  products: readonly Row[],
  now: number,
): Promise<(ProductRow & Pick<Row, 'publishedAt'>)[]> {
  const ids = products.map((product) => product.id)
  const [skus, categories] = await Promise.all([
    db.sql<SkuColumns>`
      select ${skuColumns}, ${levelColumns(now)}
      from skus s ${levelJoins} where s.merchant_id = ${merchant} and s.product_id in (${listFragment(ids)}) and s.retired_at is null
      order by s.product_id, s.position`,
    db.sql<{ productId: string; slug: string }>`
      select pc.product_id as "productId", c.slug
      from product_categories pc join categories c on c.merchant_id = pc.merchant_id and c.id = pc.category_id
      where pc.merchant_id = ${merchant} and pc.product_id in (${listFragment(ids)})
      order by pc.product_id, pc.position`,
  ])
  const skusOf = Map.groupBy(skus, (sku) => sku.productId)
  const categoriesOf = Map.groupBy(categories, (category) => category.productId)
  return products.map((product) => ({
    ...product,
    warnings: JSON.parse(product.warnings) as ProductRow['warnings'],
    digital: product.digital === 1,
    guarantee: product.guarantee === null ? null : (JSON.parse(product.guarantee) as ProductRow['guarantee']),
    tags: JSON.parse(product.tags) as string[],
    images: JSON.parse(product.images) as ProductRow['images'],
    options: JSON.parse(product.options) as ProductRow['options'],
    metadata: JSON.parse(product.metadata) as Record<string, string>,
    categories: (categoriesOf.get(product.id) ?? []).map((category) => category.slug),
    skus: (skusOf.get(product.id) ?? []).map(skuFrom),
  }))
}

function skuFrom(row: SkuColumns): SkuRow {
  return {
    id: row.id,
    code: row.code,
    name: row.name,
    options: JSON.parse(row.options) as SkuRecord['options'],
    price: row.price,
    compareAtPrice: row.compareAtPrice,
    whenSoldOut: row.whenSoldOut,
    maxPerOrder: row.maxPerOrder,
    delivery: row.delivery,
    weightGrams: row.weightGrams,
    measure: parseStoredMeasure(row.measure),
    taxClass: row.taxClass,
    image: row.image,
    barcode: row.barcode,
    priorPrice: row.priorPrice,
    stock: levelsFrom(row),
  }
}

export interface SkuCodeOwner extends Pick<SkuRow, 'id' | 'code' | 'stock'> {
  productId: string
}

// Codes are unique within a merchant, across products and including retired SKUs. `cross join` keeps SQLite from reading the stock of
// all SKUs first.
export async function listSkusByCode(db: Reader, merchant: string, codes: readonly string[]): Promise<SkuCodeOwner[]> {
  const rows = await db.sql<Omit<SkuCodeOwner, 'stock'> & LevelColumns>`
    select s.id, s.code, s.product_id as "productId", ${levelColumns(asWritten)}
    from skus s cross join stock live cross join stock test
    where s.merchant_id = ${merchant} and s.code in (${listFragment(codes)})
      and live.merchant_id = s.merchant_id and live.sku_id = s.id and live.mode = 'live'
      and test.merchant_id = s.merchant_id and test.sku_id = s.id and test.mode = 'test'`
  return rows.map((row) => ({ id: row.id, code: row.code, productId: row.productId, stock: levelsFrom(row) }))
}

export interface NamedListing {
  slug: string
  productId: string
  // The SKU that the word names; null if the word names a product.
  skuId: string | null
  word: string
}

// Finds listed products by words: ids and slugs of products, ids and codes of SKUs.
export async function listNamedListings(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  words: readonly string[],
): Promise<NamedListing[]> {
  if (words.length === 0) return []
  const shown = new Fragment('l.merchant_id = ? and l.mode = ?', [merchantId, mode])
  const [byProduct, bySlug, bySku] = await Promise.all([
    db.sql<NamedListing>`
      select l.slug, l.product_id as "productId", null as "skuId", l.product_id as "word" from listed_products l
      where ${shown} and l.product_id in (${listFragment(words)})`,
    db.sql<NamedListing>`
      select l.slug, l.product_id as "productId", null as "skuId", l.slug as "word" from listed_products l
      where ${shown} and l.slug in (${listFragment(words)})`,
    db.sql<Omit<NamedListing, 'word'> & { code: string }>`
      select l.slug, l.product_id as "productId", s.id as "skuId", s.code
      from skus s cross join listed_products l
      where s.merchant_id = ${merchantId} and (s.id in (${listFragment(words)}) or s.code in (${listFragment(words)})) and s.retired_at is null
        and ${shown} and l.product_id = s.product_id`,
  ])
  const named = bySku.map(({ code, ...row }) => ({ ...row, word: words.includes(code) ? code : (row.skuId ?? '') }))
  return [...byProduct, ...bySlug, ...named]
}

export const codesPerStatementMax = 4_000

// Returns the slug of the product that has each SKU code, even if the SKU is retired.
export async function listCodeOwners(
  db: Reader,
  merchant: string,
  codes: readonly string[],
): Promise<{ code: string; slug: string }[]> {
  const owners: { code: string; slug: string }[] = []
  for (const some of splitIntoGroups(codes, codesPerStatementMax)) {
    const found = await db.sql<{ code: string; slug: string }>`
      select s.code, p.slug from skus s join products p on p.merchant_id = s.merchant_id and p.id = s.product_id
      where s.merchant_id = ${merchant} and s.code in (${listFragment(some)})`
    owners.push(...found)
  }
  return owners
}

const productTypes = [
  ...(['text', 'text', 'text', 'text', 'text', 'text', 'text', 'bigint'] as const),
  ...(['text', 'text', 'text', 'text', 'text', 'text', 'text', 'text', 'text'] as const),
  ...(['text', 'text', 'bigint', 'bigint', 'bigint', 'bigint', 'bigint'] as const),
] as const

const givenProducts =
  new Fragment(`given (id, slug, name, brand, maker, warnings, withdrawal_exempt, digital, guarantee, folded, summary, seo_title,
  seo_description, description, description_html, tags, images, options, metadata, published_at, created_at, updated_at, archived_at,
  version)`)

function productRows(tx: Tx, products: readonly ProductRow[]): Fragment {
  return tx.rows(
    products.map((product) => [
      ...[product.id, product.slug, product.name, product.brand, product.maker, JSON.stringify(product.warnings)],
      ...[product.withdrawalExempt, product.digital ? 1 : 0, product.guarantee && JSON.stringify(product.guarantee)],
      ...[foldProductTexts(product), product.summary, product.seoTitle, product.seoDescription, product.description],
      ...[product.descriptionHtml, JSON.stringify(product.tags), JSON.stringify(product.images)],
      ...[JSON.stringify(product.options), JSON.stringify(product.metadata), product.publishedAt, product.createdAt],
      ...[product.updatedAt, product.archivedAt, product.version],
    ]),
    productTypes,
  )
}

// Products in one statement. Few, because the descriptions of a product may have more than 100,000 characters.
const productsInStatementMax = 200

export function insertProducts(tx: Tx, merchant: string, products: readonly ProductRow[]): void {
  for (const some of splitIntoGroups(products, productsInStatementMax))
    tx.send`
      with ${givenProducts} as (${productRows(tx, some)})
      insert into products (merchant_id, id, slug, name, brand, maker, warnings, withdrawal_exempt, digital, guarantee, folded, summary,
        seo_title, seo_description, description, description_html, tags, images, options, metadata, published_at, created_at,
        updated_at, archived_at, version)
      select cast(${merchant} as text), id, slug, name, brand, maker, warnings, withdrawal_exempt, digital, guarantee, folded, summary,
        seo_title, seo_description, description, description_html, tags, images, options, metadata, published_at, created_at,
        updated_at, archived_at, version
      from given where id is not null`
}

export function updateProducts(tx: Tx, merchant: string, products: readonly ProductRow[]): void {
  for (const some of splitIntoGroups(products, productsInStatementMax))
    tx.send`
      with ${givenProducts} as (${productRows(tx, some)})
      update products set slug = given.slug, name = given.name, brand = given.brand, maker = given.maker, warnings = given.warnings,
        withdrawal_exempt = given.withdrawal_exempt, digital = given.digital, guarantee = given.guarantee, folded = given.folded,
        summary = given.summary, seo_title = given.seo_title, seo_description = given.seo_description,
        description = given.description, description_html = given.description_html, tags = given.tags, images = given.images,
        options = given.options, metadata = given.metadata, published_at = given.published_at, updated_at = given.updated_at,
        archived_at = given.archived_at, version = given.version
      from given where products.merchant_id = ${merchant} and products.id = given.id`
}

// Returns the folded name and the folded brand, one line each, in this order, so a search finds either.
export function foldProductTexts({ name, brand }: Pick<ProductRow, 'name' | 'brand'>): string {
  return brand === null ? foldLine(name) : `${foldLine(name)}\n${foldLine(brand)}`
}

export interface PlacedSku {
  productId: string
  sku: SkuRow
  position: number
  // When its product was last changed.
  at: number
}

const skuTypes = [
  ...(['text', 'bigint', 'text', 'text', 'text', 'text', 'text', 'bigint', 'bigint', 'bigint'] as const),
  ...(['text', 'bigint', 'bigint', 'text', 'bigint', 'text', 'text', 'text', 'bigint', 'text'] as const),
] as const

// SKUs in one statement: 250 single statements took most of the time of a save. SQLite allows 32,766 values in one statement.
const skusInStatementMax = 500
const givenSkus =
  new Fragment(`given (product_id, at, id, code, name, folded, options, position, price, compare_at_price, when_sold_out,
  counted, max_per_order, delivery, weight_grams, tax_class, image, barcode, prior_price, measure)`)

function skuRows(tx: Tx, skus: readonly PlacedSku[]): Fragment {
  return tx.rows(
    skus.map(({ productId, sku, position, at }) => [
      ...[
        productId,
        at,
        sku.id,
        sku.code,
        sku.name,
        foldSkuTexts(sku),
        JSON.stringify(sku.options),
        position,
        sku.price,
      ],
      ...[sku.compareAtPrice, ...storedRule(sku.whenSoldOut), sku.maxPerOrder, sku.delivery, sku.weightGrams],
      ...[sku.taxClass, sku.image, sku.barcode, sku.priorPrice, sku.measure && JSON.stringify(sku.measure)],
    ]),
    skuTypes,
  )
}

// Returns the values of `when_sold_out` and `counted`: what happens when the SKU is out of stock, and whether its stock is counted.
function storedRule(rule: SoldOutRule): [string, number] {
  return rule === 'not_counted' ? ['backorder', 0] : [rule, 1]
}

// Returns the folded code and the folded name, one line each, so a search can tell them apart.
export function foldSkuTexts({ code, name }: Pick<SkuRow, 'code' | 'name'>): string {
  return `${foldText(code)}\n${foldText(name)}`
}

export function insertSkus(tx: Tx, merchant: string, skus: readonly PlacedSku[]): void {
  for (const some of splitIntoGroups(skus, skusInStatementMax))
    tx.send`
      with ${givenSkus} as (${skuRows(tx, some)})
      insert into skus (merchant_id, id, product_id, code, name, folded, options, position, price, compare_at_price,
        when_sold_out, counted, max_per_order, delivery, weight_grams, tax_class, image, barcode, prior_price,
        measure, created_at, updated_at)
      select cast(${merchant} as text), id, product_id, code, name, folded, options, position, price, compare_at_price,
        when_sold_out, counted, max_per_order, delivery, weight_grams, tax_class, image, barcode, prior_price, measure, at, at
      from given where id is not null`
}

// Does not write the stock, which only `inventory/` changes: a new price must not undo a sale.
export function updateSkus(tx: Tx, merchant: string, skus: readonly PlacedSku[]): void {
  for (const some of splitIntoGroups(skus, skusInStatementMax))
    tx.send`
      with ${givenSkus} as (${skuRows(tx, some)})
      update skus set name = given.name, folded = given.folded, options = given.options, position = given.position,
        price = given.price, compare_at_price = given.compare_at_price, when_sold_out = given.when_sold_out,
        counted = given.counted, max_per_order = given.max_per_order, delivery = given.delivery, weight_grams = given.weight_grams,
        tax_class = given.tax_class, image = given.image, barcode = given.barcode, prior_price = given.prior_price, measure = given.measure,
        updated_at = given.at, retired_at = null
      from given where skus.merchant_id = ${merchant} and skus.id = given.id`
}

export interface SkuStep extends PriceStep {
  skuId: string
}

// Lists the price steps of each SKU, oldest first.
export async function listPriceSteps(db: Reader, merchant: string, skuIds: readonly string[]): Promise<SkuStep[]> {
  const steps: SkuStep[] = []
  for (const some of splitIntoGroups(skuIds, codesPerStatementMax)) {
    const found = await db.sql<SkuStep>`
      select sku_id as "skuId", from_at as "fromAt", price, compare_at_price as "compareAtPrice"
      from price_history where merchant_id = ${merchant} and sku_id in (${listFragment(some)}) order by sku_id, from_at`
    steps.push(...found)
  }
  return steps
}

export async function putPriceSteps(tx: Tx, merchant: string, steps: readonly SkuStep[]): Promise<void> {
  await Promise.all(
    [...splitIntoGroups(steps, skusInStatementMax)].map((some) => {
      const rows = some.map(({ skuId, fromAt, price, compareAtPrice }) => [skuId, fromAt, price, compareAtPrice])
      // Without the condition, SQLite would parse `on conflict` as a join condition.
      return tx.sql`
        with given (sku_id, from_at, price, compare_at_price) as (${tx.rows(rows, ['text', 'bigint', 'bigint', 'bigint'])})
        insert into price_history (merchant_id, sku_id, from_at, price, compare_at_price)
        select cast(${merchant} as text), sku_id, from_at, price, compare_at_price from given where sku_id is not null
        on conflict (merchant_id, sku_id, from_at) do update set
          price = excluded.price, compare_at_price = excluded.compare_at_price`
    }),
  )
}

export async function deletePriceSteps(
  tx: Tx,
  merchant: string,
  dropped: readonly { skuId: string; before: number }[],
): Promise<void> {
  await Promise.all(
    [...splitIntoGroups(dropped, skusInStatementMax)].map((some) => {
      const rows = some.map(({ skuId, before }) => [skuId, before])
      return tx.sql`
        with given (sku_id, before_at) as (${tx.rows(rows, ['text', 'bigint'])})
        delete from price_history where merchant_id = ${merchant} and exists (
          select 1 from given where given.sku_id = price_history.sku_id and price_history.from_at < given.before_at)
          and sku_id in (select sku_id from given)`
    }),
  )
}

export interface RetiredAt {
  skuId: string
  at: number
}

export function retireSkus(tx: Tx, merchant: string, retired: readonly RetiredAt[]): void {
  for (const some of splitIntoGroups(retired, skusInStatementMax)) {
    const rows = some.map(({ skuId, at }) => [skuId, at])
    tx.send`
      with given (id, at) as (${tx.rows(rows, ['text', 'bigint'])})
      update skus set retired_at = given.at, updated_at = given.at
      from given where skus.merchant_id = ${merchant} and skus.id = given.id`
  }
}

export async function hasUnfolded(db: Reader): Promise<boolean> {
  // The order makes SQLite use the partial indexes of rows without folded texts. Otherwise it reads the whole of another index, which
  // contains the folded text.
  const rows = await db.sql`
    select * from (select id from products where folded is null order by merchant_id, id limit 1) as found_products
    union all
    select * from (select id from skus where folded is null order by merchant_id, id limit 1) as found_skus`
  return rows.length > 0
}

// Fills in the folded texts of products and SKUs that an earlier release wrote. Returns the number of rows.
export async function fillSomeFoldedTexts(tx: Tx, rowsMax: number): Promise<number> {
  const [products, skus] = await Promise.all([
    tx.sql<{ merchantId: string; id: string; name: string; brand: string | null }>`
      select merchant_id as "merchantId", id, name, brand from products where folded is null order by merchant_id, id
      limit ${rowsMax} ${tx.forUpdate}`,
    tx.sql<{ merchantId: string; id: string; code: string; name: string }>`
      select merchant_id as "merchantId", id, code, name from skus where folded is null order by merchant_id, id
      limit ${rowsMax} ${tx.forUpdate}`,
  ])
  for (const { merchantId, id, ...product } of products)
    tx.send`update products set folded = ${foldProductTexts(product)} where merchant_id = ${merchantId} and id = ${id}`
  for (const { merchantId, id, ...sku } of skus)
    tx.send`update skus set folded = ${foldSkuTexts(sku)} where merchant_id = ${merchantId} and id = ${id}`
  return products.length + skus.length
}

export interface PlacedProduct {
  productId: string
  // In the order in which the product names them.
  categoryIds: readonly string[]
}

export function replaceProductCategories(tx: Tx, merchant: string, products: readonly PlacedProduct[]): void {
  for (const some of splitIntoGroups(products, skusInStatementMax)) {
    const ids = some.map(({ productId }) => productId)
    tx.send`delete from product_categories where merchant_id = ${merchant} and product_id in (${listFragment(ids)})`
  }
  const rows = products.flatMap(({ productId, categoryIds }) =>
    categoryIds.map((categoryId, position) => [productId, categoryId, position]),
  )
  for (const some of splitIntoGroups(rows, skusInStatementMax))
    tx.send`
      with given (product_id, category_id, position) as (${tx.rows(some, ['text', 'text', 'bigint'])})
      insert into product_categories (merchant_id, product_id, category_id, position)
      select cast(${merchant} as text), product_id, category_id, position from given where product_id is not null`
}

export interface ListedProduct {
  mode: Mode
  productId: string
  slug: string
  publishedAt: number
  answers: ProductAnswers
  // `stale_at` of the listing if it is new. An existing listing keeps its own.
  staleAtFirst: number | null
}

// Characters of rendered responses in one statement: a product with 2,000 SKUs has megabytes.
const listedLengthMax = 4_000_000

// Writes in the order of mode and product, in which sales lock the listings. An existing listing keeps its `stale_at`: only code that has
// locked the SKUs knows that nothing was sold since the rendering.
export function putListedProducts(tx: Tx, merchant: string, products: readonly ListedProduct[]): void {
  const inOrder = products.toSorted((one, other) => (listedKey(one) < listedKey(other) ? -1 : 1))
  for (const some of inWeights(inOrder, listedLengthMax, textLength)) {
    const rows = tx.rows(
      some.map(({ mode, productId, slug, publishedAt, answers, staleAtFirst }) => [
        ...[mode, productId, slug, publishedAt, answers.listRow, answers.detail, answers.publicDetail, answers.etag],
        ...[newId('rev'), staleAtFirst],
      ]),
      ['text', 'text', 'text', 'bigint', 'text', 'text', 'text', 'text', 'text', 'bigint'],
    )
    tx.send`
      with given (mode, product_id, slug, published_at, list_row, detail, public_detail, etag, revision, stale_at) as (${rows})
      insert into listed_products (merchant_id, mode, product_id, slug, published_at, list_row, detail, public_detail, etag,
        revision, stale_at)
      select cast(${merchant} as text), mode, product_id, slug, published_at, list_row, detail, public_detail, etag, revision, stale_at
      from given where mode is not null
      on conflict (merchant_id, mode, slug) do update set published_at = excluded.published_at, list_row = excluded.list_row,
        detail = excluded.detail, public_detail = excluded.public_detail, etag = excluded.etag, revision = excluded.revision`
  }
}

const listedKey = ({ mode, productId }: ListedProduct) => `${mode} ${productId}`

function textLength({ answers: { listRow, detail, publicDetail } }: ListedProduct): number {
  return listRow.length + detail.length + publicDetail.length
}

export interface StaleProduct extends MerchantMode {
  productId: string
}

// A refresh that failed is deferred in its mode only.
const staleRowId = "(listed_products.mode || ' ' || listed_products.product_id)"

export async function listStaleProducts(db: Reader, now: number, limit: number): Promise<StaleProduct[]> {
  return db.sql<StaleProduct>`
    select merchant_id as "merchantId", mode, product_id as "productId"
    from listed_products
    where stale_at <= ${now} and ${isNotDeferred('stale_products', 'listed_products.merchant_id', staleRowId, now)}
    order by stale_at limit ${limit}`
}

// Blocks other changes of the catalog, and refreshes by other nodes, until the transaction ends. An update is used because it does not
// block transactions that only reference the merchant, such as a new cart.
export async function lockSeller(tx: Tx, merchant: string): Promise<SellerFacts | undefined> {
  const [seller] = await tx.sql<SellerFacts>`
    update merchants set catalog_version = catalog_version where id = ${merchant}
    returning id, slug, name, currency, low_stock_at as "lowStockAt"`
  return seller
}

// Blocks every change of these products' stock in this mode until the transaction ends. The inner select finds the SKUs by product;
// without the inner select, SQLite would scan all SKUs of the merchant to sort them.
export async function lockStockOf(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  productIds: readonly string[],
): Promise<void> {
  await tx.sql`
    select sku_id from stock where merchant_id = ${merchantId} and mode = ${mode} and sku_id in (
      select s.id from skus s
      where s.merchant_id = ${merchantId} and s.product_id in (${listFragment(productIds)}) and s.retired_at is null)
    order by sku_id ${tx.forUpdate}`
}

export interface StaleRow {
  productId: string
  // ETag of the last rendering.
  etag: string
  // When the next hold on one of the SKUs expires: the responses are valid until then.
  nextEndAt: number | null
}

export async function listStaleRows(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  productIds: readonly string[],
  now: number,
): Promise<StaleRow[]> {
  return tx.sql<StaleRow>`
    select l.product_id as "productId", l.etag, (
        select min((
          select min(h.expires_at) from holds h
          where h.merchant_id = s.merchant_id and h.sku_id = s.id and h.mode = l.mode and h.expires_at > ${now}))
        from skus s where s.merchant_id = l.merchant_id and s.product_id = l.product_id) as "nextEndAt"
    from listed_products l
    where l.merchant_id = ${merchantId} and l.mode = ${mode} and l.product_id in (${listFragment(productIds)})
      and l.stale_at <= ${now}
    order by l.product_id`
}

export interface RefreshedProduct {
  productId: string
  answers: ProductAnswers
  staleAt: number | null
}

export function refreshListedProducts(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  products: readonly RefreshedProduct[],
): void {
  const given = tx.rows(
    products.map(({ productId, answers: { listRow, detail, publicDetail, etag }, staleAt }) => [
      productId,
      listRow,
      detail,
      publicDetail,
      etag,
      newId('rev'),
      staleAt,
    ]),
    ['text', 'text', 'text', 'text', 'text', 'text', 'bigint'],
  )
  tx.send`
    with given (product_id, list_row, detail, public_detail, etag, revision, stale_at) as (${given})
    update listed_products set list_row = given.list_row, detail = given.detail, public_detail = given.public_detail,
      etag = given.etag, revision = given.revision, stale_at = given.stale_at
    from given
    where listed_products.merchant_id = ${merchantId} and listed_products.mode = ${mode}
      and listed_products.product_id = given.product_id`
}

export function deleteListedProducts(tx: Tx, merchant: string, productIds: readonly string[]): void {
  // The condition on the mode makes the index usable: without it, all rows of the merchant would be read.
  for (const some of splitIntoGroups(productIds, skusInStatementMax))
    tx.send`
      delete from listed_products
      where merchant_id = ${merchant} and mode in ('test', 'live') and product_id in (${listFragment(some)})`
}

// The caller has checked that nothing refers to the category; otherwise a foreign key makes the delete fail.
export async function deleteCategory(tx: Tx, merchant: string, id: string): Promise<void> {
  await tx.sql`delete from categories where merchant_id = ${merchant} and id = ${id}`
}
