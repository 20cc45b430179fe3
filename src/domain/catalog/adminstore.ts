// The SQL of the merchant's lists of products, SKUs, brands and stock movements.

import type { Mode, MovementKind, ProductStatus } from '../../contract/words.ts'
import type { CursorPosition } from '../../platform/kit/cursor.ts'
import { foldLine, foldText } from '../../platform/kit/fold.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { beginsWith, contains, isAmong, selectValues } from '../../platform/storage/match.ts'
import { allConditions, Fragment, firstRows, listFragment, type Reader } from '../../platform/storage/storage.ts'

export interface ProductHead {
  id: string
  slug: string
  name: string
  brand: string | null
  tags: string
  images: string
  publishedAt: number | null
  archivedAt: number | null
  updatedAt: number
  version: number
}

export interface ProductHeadQuery {
  q?: string | undefined
  status?: ProductStatus | undefined
  categoryId?: string | undefined
  brand?: string | undefined
  maker?: string | undefined
  lacks?: 'maker' | undefined
  tag?: string | undefined
  stock?: 'low' | 'out' | undefined
  sort: 'newest' | 'oldest'
  after: CursorPosition | null
  limit: number
}

const statusConditions: Readonly<Record<ProductStatus | 'any', string>> = {
  published: 'p.published_at is not null',
  hidden: 'p.published_at is null and p.archived_at is null',
  archived: 'p.archived_at is not null',
  any: 'p.archived_at is null',
}

export async function listProductHeads(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { q, status, categoryId, brand, maker, lacks, tag, stock, sort, after, limit }: ProductHeadQuery,
): Promise<ProductHead[]> {
  const isNewest = sort === 'newest'
  const conditions = [
    new Fragment(`x.merchant_id = ? and ${statusConditions[status ?? 'any']}`, [merchantId]),
    q !== undefined && productMatch(db, merchantId, q),
    categoryId !== undefined &&
      new Fragment(
        'exists (select 1 from product_categories c where c.merchant_id = p.merchant_id and c.product_id = p.id and c.category_id = ?)',
        [categoryId],
      ),
    // The brand is the last line of the folded text.
    brand !== undefined && new Fragment("x.folded like ? escape '!'", [`%\n${escapeLike(foldLine(brand.trim()))}`]),
    maker !== undefined && new Fragment('p.maker = ?', [maker]),
    lacks !== undefined && new Fragment('p.maker is null'),
    // Tags are stored as a JSON list. `like` would ignore the case of letters in SQLite.
    tag !== undefined && new Fragment("replace(p.tags, ?, '') <> p.tags", [JSON.stringify(tag)]),
    stock !== undefined && (await hasStock(db, { merchantId, mode }, stock)),
    stock === 'low' && new Fragment(statusConditions.published),
    after && new Fragment(`(x.updated_at, x.id) ${isNewest ? '<' : '>'} (?, ?)`, [after.at, after.id]),
  ].filter((condition) => condition instanceof Fragment)
  const order = new Fragment(isNewest ? 'x.updated_at desc, x.id desc' : 'x.updated_at, x.id')
  // `x` is read from an index alone, in the order of the list, and `p` only for matching rows of `x`: 5 ms instead of 26 ms for a word
  // that is in 20 of 10,000 products. `cross join` keeps SQLite from reading `p` first, and the concatenation keeps PostgreSQL from
  // reading `p` alone, as `x` is the same row.
  return db.sql<ProductHead>`
    select p.id, p.slug, p.name, p.brand, p.tags, p.images, p.published_at as "publishedAt", p.archived_at as "archivedAt",
      p.updated_at as "updatedAt", p.version
    from products x cross join products p
    where p.merchant_id = x.merchant_id and p.id = x.id || '' and ${allConditions(conditions)} order by ${order}
    limit ${firstRows(limit)}`
}

// A SKU that is sold without stock is never low.
const endsWithStock = "s.when_sold_out = 'refuse'"
// For a SKU `s` of the product `p` that is not retired. Only such a SKU is low: the count of home and the lists have the same.
const isForSaleWhileInStock = new Fragment(`${endsWithStock} and ${statusConditions.published}`)

export interface LowStockLimit {
  // Stock up to this number is low.
  lowStockAt: number
  // The version of the catalog in the same snapshot.
  catalogVersion: number
}

// The queries get the number as a parameter, because SQLite does not use the index of the free stock for a subquery.
export async function findLowStockLimit(db: Reader, merchantId: string): Promise<LowStockLimit> {
  const [row] = await db.sql<LowStockLimit>`
    select low_stock_at as "lowStockAt", catalog_version as "catalogVersion" from merchants where id = ${merchantId}`
  return row ?? { lowStockAt: 0, catalogVersion: 0 }
}

async function stockCondition(db: Reader, merchantId: string, stock: 'low' | 'out'): Promise<Fragment> {
  const most = stock === 'out' ? 0 : (await findLowStockLimit(db, merchantId)).lowStockAt
  return new Fragment('t.on_hand - t.held <= ?', [most])
}

export interface FreeStock {
  id: string
  free: number
}

// Lists SKUs by their free stock. Also lists SKUs that are retired or not for sale.
export async function listLowStock(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { most, after, limit }: { most: number; after: FreeStock | undefined; limit: number },
): Promise<FreeStock[]> {
  const rest = after
    ? new Fragment('and (t.on_hand - t.held, t.sku_id) > (?, ?)', [after.free, after.id])
    : new Fragment('')
  return db.sql<FreeStock>`
    select t.sku_id as id, t.on_hand - t.held as "free" from stock t
    where t.merchant_id = ${merchantId} and t.mode = ${mode} and t.on_hand - t.held <= ${most} ${rest}
    order by (t.on_hand - t.held), t.sku_id limit ${new Fragment(String(limit))}`
}

// Returns those of the SKUs that the shop sells, and only as long as they are in stock.
export async function listSkusForSale(db: Reader, merchantId: string, skuIds: readonly string[]): Promise<string[]> {
  const rows = await db.sql<{ id: string }>`
    select s.id from skus s cross join products p
    where s.merchant_id = ${merchantId} and ${isAmong(db, 's.id', selectValues(db, skuIds))} and s.retired_at is null
      and p.merchant_id = s.merchant_id and p.id = s.product_id and ${isForSaleWhileInStock}`
  return rows.map(({ id }) => id)
}

async function hasStock(db: Reader, { merchantId, mode }: MerchantMode, stock: 'low' | 'out'): Promise<Fragment> {
  const { text, values } = await stockCondition(db, merchantId, stock)
  const ofSku = stock === 'low' ? `s.retired_at is null and ${endsWithStock}` : 's.retired_at is null'
  return new Fragment(
    `x.id in (select s.product_id from stock t cross join skus s
      where t.merchant_id = ? and t.mode = ? and ${text} and s.merchant_id = ? and s.id = t.sku_id and ${ofSku})`,
    [merchantId, mode, ...values, merchantId],
  )
}

// The subquery searches the SKUs once, not once for each product.
function productMatch(db: Reader, merchantId: string, q: string): Fragment {
  const [name, slug] = [contains(db, 'x.folded', foldText(q)), contains(db, 'x.slug', foldText(q))]
  const code = beginsWith(db, 's.folded', foldText(q))
  return new Fragment(
    `(${name.text} or ${slug.text} or x.id in (
      select s.product_id from skus s where s.merchant_id = ? and s.retired_at is null and ${code.text}))`,
    [...name.values, ...slug.values, merchantId, ...code.values],
  )
}

// Escapes the wildcards of `like`; the escape character is `!`.
export function escapeLike(text: string): string {
  return text.replaceAll(/[!%_]/g, (character) => `!${character}`)
}

export interface ProductSums {
  productId: string
  priceMin: number
  priceMax: number
  skuCount: number
  onHand: number
  held: number
}

export async function sumProducts(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  productIds: readonly string[],
): Promise<ProductSums[]> {
  if (productIds.length === 0) return []
  return db.sql<ProductSums>`
    select s.product_id as "productId", min(s.price) as "priceMin", max(s.price) as "priceMax", count(*) as "skuCount",
      cast(sum(t.on_hand) as bigint) as "onHand", cast(sum(t.held) as bigint) as "held"
    from skus s cross join stock t
    where s.merchant_id = ${merchantId} and s.product_id in (${listFragment(productIds)}) and s.retired_at is null
      and t.merchant_id = s.merchant_id and t.sku_id = s.id and t.mode = ${mode}
    group by s.product_id`
}

export async function listCategoriesOf(
  db: Reader,
  merchantId: string,
  productIds: readonly string[],
): Promise<{ productId: string; slug: string }[]> {
  if (productIds.length === 0) return []
  return db.sql<{ productId: string; slug: string }>`
    select pc.product_id as "productId", c.slug
    from product_categories pc join categories c on c.merchant_id = pc.merchant_id and c.id = pc.category_id
    where pc.merchant_id = ${merchantId} and pc.product_id in (${listFragment(productIds)})
    order by pc.product_id, pc.position`
}

// Lists brands by name, beginning after `after`.
export async function listBrands(
  db: Reader,
  merchantId: string,
  after: string | null,
  limit: number,
): Promise<{ name: string; products: number }[]> {
  return db.sql<{ name: string; products: number }>`
    select brand as "name", count(*) as "products" from products
    where merchant_id = ${merchantId} and brand is not null and brand > ${after ?? ''} and archived_at is null
    group by brand order by brand limit ${limit}`
}

export async function countSkus(db: Reader, merchantId: string, productIds: readonly string[]): Promise<number> {
  const [row] = await db.sql<{ count: number }>`
    select count(*) as "count" from skus
    where merchant_id = ${merchantId} and product_id in (${listFragment(productIds)}) and retired_at is null`
  return row?.count ?? 0
}

export interface SkuHead {
  id: string
  productId: string
  productName: string
  code: string
  name: string
  price: number
  compareAtPrice: number | null
  priorPrice: number | null
  // The SKU's own image, and the images of its product as JSON.
  image: string | null
  images: string
  onHand: number
  held: number
}

export interface SkuHeadQuery {
  q?: string | undefined
  stock?: 'low' | 'out' | undefined
  productId?: string | undefined
  measure?: 'missing' | undefined
  // `after` is the position where the previous page ended: a code, or a free stock with an id.
  sort: { by: 'code'; after: string | null } | { by: 'stock'; after: { free: number; id: string } | null }
  limit: number
}

export async function listSkuHeads(db: Reader, at: MerchantMode, query: SkuHeadQuery): Promise<SkuHead[]> {
  const { q, stock, sort, limit } = query
  const inStock = stock && (await skusInStock(db, at, stock, sort.by))
  const found = inStock?.isFew
    ? await listFewInStock(db, at, inStock.condition, query)
    : q === undefined
      ? null
      : await listSkusFound(db, at.merchantId, q)
  if (found?.length === 0) return []
  const code = found === null ? 's.code' : fewCode.text
  const conditions = [
    new Fragment('s.merchant_id = ? and t.merchant_id = ? and t.mode = ?', [at.merchantId, at.merchantId, at.mode]),
    ...skuConditions(found === null ? query : { ...query, q: undefined }),
    found !== null && new Fragment(`s.id in (${listFragment(found).text})`, listFragment(found).values),
    !inStock?.isFew && inStock?.condition,
    sort.after !== null &&
      (sort.by === 'code'
        ? new Fragment(`${code} > ?`, [sort.after])
        : new Fragment('(t.on_hand - t.held, t.sku_id) > (?, ?)', [sort.after.free, sort.after.id])),
  ].filter((condition) => condition instanceof Fragment)
  const order = new Fragment(sort.by === 'stock' ? '(t.on_hand - t.held), t.sku_id' : code)
  // `cross join` keeps SQLite from reading the stock of the whole shop first.
  const tables = new Fragment(
    found === null ? 'skus s, stock t, products p' : 'skus s cross join stock t cross join products p',
  )
  return db.sql<SkuHead>`
    select s.id, s.product_id as "productId", p.name as "productName", s.code, s.name, s.price,
      s.compare_at_price as "compareAtPrice", s.prior_price as "priorPrice", s.image, p.images, t.on_hand as "onHand",
      t.held
    from ${tables}
    where ${allConditions(conditions)} and t.sku_id = s.id and p.merchant_id = s.merchant_id and p.id = s.product_id
    order by ${order} limit ${firstRows(limit)}`
}

// For the SKU `s` of the product `p`.
function skuConditions({ q, productId, measure, stock }: SkuHeadQuery): Fragment[] {
  return [
    new Fragment('s.retired_at is null and p.archived_at is null'),
    q !== undefined &&
      new Fragment(
        "(s.folded like ? escape '!' or s.folded like ? escape '!' or p.folded like ? escape '!')",
        // In `folded`, the name of a SKU is on a second line, after its code.
        [`${escapeLike(foldText(q))}%`, `%\n%${escapeLike(foldText(q))}%`, `%${escapeLike(foldText(q))}%`],
      ),
    productId !== undefined && new Fragment('s.product_id = ?', [productId]),
    measure !== undefined && new Fragment('s.measure is null'),
    stock === 'low' && isForSaleWhileInStock,
  ].filter((condition) => condition instanceof Fragment)
}

// Returns a page of the ids of matching SKUs whose stock is low or out, by code. Products are only looked up until the page is full: the
// inner list is already sorted, and its limit keeps the planners from looking up the products before. With 750 such SKUs, looking up each
// with its product took twice as long.
async function listFewInStock(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  inStock: Fragment,
  query: SkuHeadQuery,
): Promise<string[]> {
  const { after } = query.sort
  const few = new Fragment(
    `select t.sku_id from stock t where t.merchant_id = ? and t.mode = ? and ${inStock.text}
      order by (t.on_hand - t.held), t.sku_id limit ${fewMax}`,
    [merchantId, mode, ...inStock.values],
  )
  const rows = await db.sql<{ id: string }>`
    select s.id from (
      select s.id, s.product_id, s.folded, s.measure, s.retired_at, s.when_sold_out, ${fewCode} as code from skus s
      where s.merchant_id = ${merchantId} and s.retired_at is null and ${isAmong(db, 's.id', few)}
        ${after === null ? new Fragment('') : new Fragment(`and ${fewCode.text} > ?`, [String(after)])}
      order by code limit ${new Fragment(String(fewMax))}) s
    where 1 = (select 1 from products p where p.merchant_id = ${merchantId} and p.id = s.product_id
      and ${allConditions(skuConditions(query))})
    order by s.code limit ${firstRows(query.limit)}`
  return rows.map(({ id }) => id)
}

// The concatenation keeps the planner from using the index of the codes: in the order of that index it would read all SKUs to find a few.
const fewCode = new Fragment("s.code || ''")

const foundMax = 500

// Returns the SKUs that match a search, or null if there are more than `foundMax`. The caller then reads the list in its order until a page
// is full; with few matches, that would take 60 ms with 25,000 SKUs. Codes and names are read from indexes alone.
async function listSkusFound(db: Reader, merchantId: string, q: string): Promise<string[] | null> {
  const rows = await db.sql<{ id: string }>`
    select x.id from skus x where x.merchant_id = ${merchantId} and ${beginsWith(db, 'x.folded', foldText(q))}
    union all
    select x.id from products p cross join skus x
    where p.merchant_id = ${merchantId} and ${contains(db, 'p.folded', foldText(q))}
      and x.merchant_id = ${merchantId} and x.product_id = p.id
    union all
    select x.id from skus x where x.merchant_id = ${merchantId} and x.folded like ${`%\n%${escapeLike(foldText(q))}%`} escape '!'
    limit ${foundMax + 1}`
  return rows.length > foundMax ? null : rows.map(({ id }) => id)
}

const fewMax = 2_000

// If at most `fewMax` SKUs are low, they are found by the index of the free stock and then sorted. If more are low, the plus keeps the
// planner from using that index, and the list is read in its order until a page is full: sorting all 25,000 took 90 ms. Without the
// `order by`, PostgreSQL does not use the index for the count: 13 ms instead of 1 ms.
async function skusInStock(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  stock: 'low' | 'out',
  sortedBy: 'code' | 'stock',
): Promise<{ condition: Fragment; isFew: boolean }> {
  const condition = await stockCondition(db, merchantId, stock)
  // The index of the free stock is already in this order.
  if (sortedBy === 'stock') return { condition, isFew: false }
  const [row] = await db.sql<{ count: number }>`
    select count(*) as "count" from (
      select t.sku_id from stock t where t.merchant_id = ${merchantId} and t.mode = ${mode} and ${condition}
      order by (t.on_hand - t.held), t.sku_id limit ${fewMax + 1}) few`
  const isFew = (row?.count ?? 0) <= fewMax
  return { condition: isFew ? condition : new Fragment('+(t.on_hand - t.held) <= ?', condition.values), isFew }
}

export interface MovementRow {
  id: string
  kind: MovementKind
  delta: number
  reason: string | null
  ownerId: string | null
  actorKind: string | null
  actorId: string | null
  at: number
}

// Stock movements, newest first.
export async function listMovements(
  db: Reader,
  { merchantId, mode }: { merchantId: string; mode: Mode },
  skuId: string,
  after: CursorPosition | null,
  limit: number,
): Promise<MovementRow[]> {
  const rest = after ? new Fragment('and (at, id) < (?, ?)', [after.at, after.id]) : new Fragment('')
  return db.sql<MovementRow>`
    select id, kind, delta, reason, owner_id as "ownerId", actor_kind as "actorKind", actor_id as "actorId", at
    from stock_movements where merchant_id = ${merchantId} and sku_id = ${skuId} and mode = ${mode} ${rest}
    order by at desc, id desc limit ${limit}`
}

export async function findSku(db: Reader, merchantId: string, id: string): Promise<{ id: string } | undefined> {
  const [row] = await db.sql<{ id: string }>`select id from skus where merchant_id = ${merchantId} and id = ${id}`
  return row
}

// Returns whether a subcategory, a product or a promotion refers to the category. Promotions contain its slug, in a JSON list.
export async function isCategoryUsed(
  db: Reader,
  merchantId: string,
  { id, slug }: { id: string; slug: string },
): Promise<boolean> {
  const children = await db.sql`
    select id from categories where merchant_id = ${merchantId} and parent_id = ${id} limit 1`
  if (children.length > 0 || (await listProductsIn(db, merchantId, id, 1)).length > 0) return true
  return isCategoryPromoted(db, merchantId, slug)
}

// Products directly in the category, not in those below it.
export async function listProductsIn(
  db: Reader,
  merchantId: string,
  categoryId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db.sql<{ id: string }>`
    select product_id as "id" from product_categories
    where merchant_id = ${merchantId} and category_id = ${categoryId} limit ${limit}`
  return rows.map(({ id }) => id)
}

// Whether a promotion is limited to the category.
export async function isCategoryPromoted(db: Reader, merchantId: string, slug: string): Promise<boolean> {
  const rows = await db.sql`
    select id from promotions
    where merchant_id = ${merchantId} and categories like ${`%${escapeLike(JSON.stringify(slug))}%`} escape '!' limit 1`
  return rows.length > 0
}
