// Exports: the rows of a file are read from the database page by page as they are requested, and are not stored.

import { type BrokenRule, issue } from '../../contract/issues.ts'
import type { Mode } from '../../contract/words.ts'
import type { ProductRow, SellerFacts } from '../../domain/catalog/product.ts'
import { findSeller, listCategories, listProductsAfterId } from '../../domain/catalog/store.ts'
import { findNamedMakers } from '../../domain/makers/store.ts'
import { customerView } from '../../domain/orders/adminview.ts'
import { decryptOrderCustomer } from '../../domain/orders/customer.ts'
import {
  type AdminOrdersQuery,
  findOrder,
  listAdminOrders,
  listOrderLines,
  type OrderLine,
  type OrderRow,
} from '../../domain/orders/store.ts'
import { promotionStatus } from '../../domain/promotions/entry.ts'
import { listPromotionsWhere, type OperatorPromotion } from '../../domain/promotions/store.ts'
import { badCursorRefusal, readCursorPosition, writeCursorPosition } from '../../platform/kit/cursor.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { decimalAmount } from '../../platform/kit/money.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'
import { acpLine } from './acpfeed.ts'
import { csvCodeCell, csvLine } from './csv.ts'
import { feedEnd, feedHead, feedItems } from './googlefeed.ts'
import { categoryMap, shopifyHeader, shopifyLines } from './shopifyrows.ts'

export interface ExportPage {
  // Text of the rows, on the first page preceded by the header.
  text: string
  count: number
  // Position of the last row in the list, after which the next page begins. Null on the last page.
  last: string | null
}

const productsMax = 50
const ordersMax = 50
const promotionsMax = 500
// Maximum text per page: a product may have 2,048 SKUs and a description of 50,000 characters.
const textLengthMax = 1_000_000

interface CatalogAsk {
  after: string | null
  origin: string
}

export async function exportProducts(
  db: Reader,
  seller: MerchantMode,
  { after, origin }: CatalogAsk,
): Promise<ExportPage> {
  const { currency } = await sellerOf(db, seller)
  const context = { currency, origin, categories: categoryMap(await listCategories(db, seller.merchantId)) }
  return productPage(db, seller, after, shopifyHeader, async () => (product) => shopifyLines(product, context))
}

export interface FeedAsk extends CatalogAsk {
  // URL of a product page; `{slug}` stands for the slug of the product.
  link: string
  now: number
}

export async function exportGoogle(db: Reader, seller: MerchantMode, ask: FeedAsk): Promise<ExportPage> {
  const { name: shopName, currency } = await sellerOf(db, seller)
  const categories = categoryMap(await listCategories(db, seller.merchantId))
  const context = { ...ask, shopName, currency, mode: seller.mode, categories }
  const page = await productPage(db, seller, ask.after, feedHead(context), async (products) => {
    const makers = await findNamedMakers(db, seller.merchantId, products)
    return (product) => feedItems(product, { ...context, makers })
  })
  return page.last === null ? { ...page, text: page.text + feedEnd } : page
}

export async function exportAcp(db: Reader, seller: MerchantMode, ask: FeedAsk): Promise<ExportPage> {
  const { name: shopName, currency } = await sellerOf(db, seller)
  const categories = categoryMap(await listCategories(db, seller.merchantId))
  const context = { ...ask, shopName, currency, mode: seller.mode, categories }
  return productPage(db, seller, ask.after, '', async () => (product) => acpLine(product, context))
}

export async function* acpFeed(
  read: Storage['read'],
  seller: MerchantMode,
  ask: Omit<FeedAsk, 'after'>,
): AsyncGenerator<string, void, undefined> {
  yield* wholeFile((after) => read((db) => exportAcp(db, seller, { ...ask, after })))
}

// Yields the whole feed, some products at a time.
export async function* googleFeed(
  read: Storage['read'],
  seller: MerchantMode,
  ask: Omit<FeedAsk, 'after'>,
): AsyncGenerator<string, void, undefined> {
  yield* wholeFile((after) => read((db) => exportGoogle(db, seller, { ...ask, after })))
}

export async function* shopifyFile(
  read: Storage['read'],
  seller: MerchantMode,
  ask: Omit<CatalogAsk, 'after'>,
): AsyncGenerator<string, void, undefined> {
  yield* wholeFile((after) => read((db) => exportProducts(db, seller, { ...ask, after })))
}

async function* wholeFile(pageAfter: (after: string | null) => Promise<ExportPage>): AsyncGenerator<string> {
  let after: string | null = null
  do {
    const page: ExportPage = await pageAfter(after)
    yield page.text
    after = page.last
  } while (after !== null)
}

// Returns why the text cannot be the URL of product pages, or undefined if it can.
export function linkProblem(link: string): BrokenRule | undefined {
  const url = URL.parse(link.replace('{slug}', 'slug'))
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return issue('link_not_secure')
  return link.includes('{slug}') ? undefined : issue('placeholder_missing', { placeholder: '{slug}' })
}

const stockHeader = csvLine([
  'Handle',
  'Title',
  'SKU',
  'Committed (not editable)',
  'Available (not editable)',
  'On hand (current)',
  'On hand (new)',
])

export async function exportStock(db: Reader, seller: MerchantMode, { after }: CatalogAsk): Promise<ExportPage> {
  return productPage(db, seller, after, stockHeader, async () => (product) => stockLines(product, seller.mode))
}

function stockLines({ slug, name, skus }: ProductRow, mode: Mode): string {
  return skus
    .map(({ code, stock }) => {
      const { onHand, held } = stock[mode]
      return csvLine([
        slug,
        name,
        csvCodeCell(code),
        String(held),
        String(Math.max(0, onHand - held)),
        String(onHand),
        '',
      ])
    })
    .join('')
}

async function productPage(
  db: Reader,
  { merchantId }: MerchantMode,
  after: string | null,
  header: string,
  writerFor: (products: readonly ProductRow[]) => Promise<(product: ProductRow) => string>,
): Promise<ExportPage> {
  if (after !== null && !isId('prd', after)) throw badCursorRefusal()
  const products = await listProductsAfterId(db, merchantId, after ?? '', productsMax + 1)
  let text = after === null ? header : ''
  let count = 0
  const shown = products.slice(0, productsMax)
  const linesOf = await writerFor(shown)
  for (const product of shown) {
    text += linesOf(product)
    count += 1
    if (text.length >= textLengthMax) break
  }
  const last = count < products.length ? (products[count - 1]?.id ?? null) : null
  return { text, count, last }
}

export interface OrderAsk
  extends Pick<
    AdminOrdersQuery,
    'status' | 'payment' | 'fulfillment' | 'toSend' | 'attention' | 'channel' | 'from' | 'to'
  > {
  after: string | null
}

// Columns of Shopify's order export for which this shop has data, and the status of the order.
const orderColumns = [
  'Name',
  'Financial Status',
  'Fulfillment Status',
  'Order Status',
  'Created at',
  'Cancelled at',
  'Currency',
  'Subtotal',
  'Discount Code',
  'Discount Amount',
  'Shipping',
  'Shipping Method',
  'Taxes',
  'Total',
  'Refunded Amount',
  'Lineitem quantity',
  'Lineitem name',
  'Lineitem price',
  'Lineitem sku',
  'Lineitem discount',
  'Id',
] as const
const customerColumns = [
  'Email',
  'Phone',
  'Shipping Name',
  'Shipping Company',
  'Shipping Address1',
  'Shipping Address2',
  'Shipping City',
  'Shipping Zip',
  'Shipping Province',
  'Shipping Country',
] as const

export interface ExportedOrders extends ExportPage {
  orders: readonly { id: string; number: string }[]
}

export async function exportOrders(db: Reader, seller: MerchantMode, ask: OrderAsk): Promise<ExportPage> {
  return orderPage(db, seller, ask, orderColumns, async () => [])
}

export async function exportOrdersWithCustomers(
  db: Reader,
  seller: MerchantMode,
  ask: OrderAsk,
  { rootSecret, now }: { rootSecret: RootSecret; now: number },
): Promise<ExportedOrders> {
  return orderPage(db, seller, ask, [...orderColumns, ...customerColumns], async (order) => {
    const { name, email, phone, address } = customerView(await decryptOrderCustomer(db, rootSecret, order, now))
    const place = address && [
      address.company,
      address.line1,
      address.line2,
      address.city,
      address.postalCode,
      address.region,
      address.country,
    ]
    return [email, phone, name, ...(place ?? [])].map((cell) => cell ?? '')
  })
}

async function orderPage(
  db: Reader,
  seller: MerchantMode,
  { after, ...filters }: OrderAsk,
  columns: readonly string[],
  customerCells: (order: OrderRow) => Promise<string[]>,
): Promise<ExportedOrders> {
  const heads = await listAdminOrders(db, seller, {
    ...filters,
    sort: 'oldest',
    after: after === null ? null : readCursorPosition(after, 'ord'),
    limit: ordersMax + 1,
  })
  const shown = heads.slice(0, ordersMax)
  const texts = await Promise.all(
    shown.map(async ({ installationId, id: orderId }) => {
      const [order, lines] = await Promise.all([
        findOrder(db, { installationId, orderId }),
        listOrderLines(db, { installationId, orderId }),
      ])
      return order ? orderLines(order, lines, await customerCells(order)) : ''
    }),
  )
  const last = shown.at(-1)
  return {
    text: (after === null ? csvLine(columns) : '') + texts.join(''),
    count: shown.length,
    last: last && heads.length > shown.length ? writeCursorPosition({ at: last.placedAt, id: last.id }) : null,
    orders: shown,
  }
}

// Only the first row of an order contains the facts about the order itself.
function orderLines(order: OrderRow, lines: readonly OrderLine[], customer: readonly string[]): string {
  const money = (amount: number) => decimalAmount(amount, order.currency)
  const { cancellation, promotion, shippingChoice } = order
  const facts = [
    order.paymentStatus,
    order.fulfillmentStatus,
    order.status,
    toInstant(order.placedAt),
    cancellation ? toInstant(cancellation.createdAt) : '',
    order.currency,
    money(order.subtotal),
    promotion?.code ?? '',
    money(order.discount),
    money(order.shipping),
    shippingChoice?.label ?? '',
    money(order.tax),
    money(order.total),
    money(order.refunded),
  ]
  const none = facts.map(() => '')
  return lines
    .map(({ quantity, name, unitPrice, code, discount }, index) =>
      csvLine([
        order.number,
        ...(index === 0 ? facts : none),
        String(quantity),
        name,
        money(unitPrice),
        code,
        money(discount),
        order.id,
        ...(index === 0 ? customer : []),
      ]),
    )
    .join('')
}

const promotionHeader = csvLine([
  'Code',
  'Name',
  'Type',
  'Value',
  'Currency',
  'Minimum Subtotal',
  'Starts',
  'Ends',
  'Usage Limit',
  'Customer Limit',
  'Used',
  'Categories',
  'SKUs',
  'Status',
])

export async function exportPromotions(
  db: Reader,
  seller: MerchantMode,
  { after, now }: { after: string | null; now: number },
): Promise<ExportPage> {
  const { currency } = await sellerOf(db, seller)
  const found = await listPromotionsWhere(db, seller, { afterCode: after ?? '', now, limit: promotionsMax + 1 })
  const shown = found.slice(0, promotionsMax)
  const text = shown.map((promotion) => promotionLine(promotion, { mode: seller.mode, currency, now })).join('')
  return {
    text: (after === null ? promotionHeader : '') + text,
    count: shown.length,
    last: found.length > shown.length ? (shown.at(-1)?.code ?? null) : null,
  }
}

function promotionLine(
  promotion: OperatorPromotion,
  { mode, currency, now }: { mode: Mode; currency: string; now: number },
): string {
  const { type, value, minimumSubtotal, startsAt, endsAt, usageLimit, customerLimit } = promotion
  const used = mode === 'test' ? promotion.testUsed : promotion.used
  const money = (amount: number | null) =>
    amount === null ? '' : decimalAmount(amount, promotion.currency ?? currency)
  const count = (limit: number | null) => (limit === null ? '' : String(limit))
  const instant = (at: number | null) => (at === null ? '' : toInstant(at))
  return csvLine([
    promotion.code,
    promotion.name,
    type,
    // The value is in basis points; Shopify writes a percentage.
    type === 'percentage' ? String(value / 100) : type === 'fixed_amount' ? money(value) : '',
    promotion.currency ?? '',
    money(minimumSubtotal),
    instant(startsAt),
    instant(endsAt),
    count(usageLimit),
    count(customerLimit),
    String(used),
    promotion.categories.join(', '),
    promotion.skuCodes.join(', '),
    promotionStatus({ ...promotion, used }, now),
  ])
}

async function sellerOf(db: Reader, { merchantId }: MerchantMode): Promise<SellerFacts> {
  const seller = await findSeller(db, merchantId)
  if (!seller) throw new Error(`merchant ${merchantId} does not exist`)
  return seller
}
