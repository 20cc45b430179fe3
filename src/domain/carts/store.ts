// The SQL of carts. The statements that read a cart are sent in one round trip; lines are read together with their SKU and product.

import type { Metadata } from '../../contract/parts.ts'
import type { CartStatus, Mode, ShippingTaxRule, SoldOutRule, WithdrawalExemption } from '../../contract/words.ts'
import { isNotDeferred } from '../../platform/jobs/store.ts'
import { onlyMove } from '../../platform/kit/lifecycle.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { parseStoredMeasure, type SkuMeasure } from '../../platform/kit/unitprice.ts'
import { expectStatus, expectVersion } from '../../platform/storage/guard.ts'
import { Fragment, listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import { availableUnits, soldOutRule } from '../inventory/store.ts'
import { type CartVatCheck, parseVatCheck } from '../vat/check.ts'
import { cartLifecycle } from './lifecycle.ts'
import type { MerchantTerms } from './pricing.ts'

export interface CartKey {
  installationId: string
  cartId: string
}

export interface CartRow {
  id: string
  installationId: string
  merchantId: string
  // Mode of the installation.
  mode: Mode
  version: number
  status: CartStatus
  currency: string
  promotionId: string | null
  // Version of the promotion, in the mode of the cart, when the cart was read.
  promotionVersion: number | null
  shippingOption: string | null
  metadata: Metadata
  // Number of codes that were rejected in the minute that began at `guessesSince`.
  guesses: number
  guessesSince: number
  address: CartAddress | null
  checkoutSessionId: string | null
  orderId: string | null
  createdAt: number
  updatedAt: number
  expiresAt: number
  // Time of the first change that is not announced yet; null if all changes are announced.
  unannouncedSince: number | null
  // The publishable key with which the cart was created.
  publicKeyId: string | null
  // Terms of a cart that the merchant made for a shopper.
  terms: MerchantTerms | null
  // Check of the VAT number that the shopper entered at the checkout.
  vat: CartVatCheck | null
  seller: SellerTerms
}

// The part of an address that is stored unencrypted and may be shown.
export interface CartAddress {
  token: string
  city: string
  region: string | null
  country: string
  expiresAt: number
  // The encrypted address with its wrapped key, if it was read together with the cart.
  sealed?: { text: string; rowKey: string }
}

export interface SellerTerms {
  country: string
  priceTax: 'included' | 'excluded'
  shippingTax: ShippingTaxRule | null
  lowStockAt: number
  catalogVersion: number
}

// A SKU with its present price and available stock.
export interface Offer {
  skuId: string
  code: string
  productId: string
  productSlug: string
  name: string
  options: readonly { name: string; value: string }[]
  image: string | null
  price: number
  available: number
  whenSoldOut: SoldOutRule
  maxPerOrder: number
  delivery: 'shipped' | 'digital'
  weightGrams: number | null
  measure: SkuMeasure | null
  withdrawalExempt: WithdrawalExemption | null
  // Digital content: buying it requires the shopper's consent.
  digital: boolean
  taxClass: string
  // Whether the product is published and the SKU is not retired.
  isSold: boolean
}

export interface CartLine {
  offer: Offer
  position: number
  quantity: number
  // The price when the line was last written.
  seenPrice: number
  // Whether all units of the line were held for the cart's session when it was read, and no more units were held than exist.
  isHeld?: boolean
  // Price that the merchant set for this line. Written only when the line is inserted.
  ownPrice?: number
}

export async function lockCart(tx: Tx, { installationId, cartId }: CartKey): Promise<void> {
  await tx.lockRow`select id from carts where installation_id = ${installationId} and id = ${cartId}`
}

export interface CartColumns extends Omit<CartRow, 'metadata' | 'address' | 'seller' | 'terms' | 'vat'> {
  metadata: string
  terms: string | null
  vat: string | null
  addressId: string | null
  city: string | null
  region: string | null
  country: string | null
  addressExpiresAt: number | null
  sellerCountry: string
  priceTax: 'included' | 'excluded'
  shippingTax: ShippingTaxRule | null
  lowStockAt: number
  catalogVersion: number
  addressSealed?: string | null
  addressKey?: string | null
}

// Selects the version of the promotion `p` in the mode of the installation `i`.
const promotionVersion = new Fragment("case i.mode when 'live' then p.version else p.test_version end")

// Columns of a cart `c` and its joined tables.
export const cartColumns = new Fragment(`
  c.id, c.installation_id as "installationId", c.merchant_id as "merchantId", i.mode, c.version, c.status, c.currency,
  c.promotion_id as "promotionId", c.shipping_option as "shippingOption", c.metadata, c.guesses,
  c.guesses_since as "guessesSince", c.checkout_session_id as "checkoutSessionId", c.order_id as "orderId",
  c.created_at as "createdAt", c.updated_at as "updatedAt", c.expires_at as "expiresAt",
  c.untold_since as "unannouncedSince", c.public_key_id as "publicKeyId", c.terms, c.vat, a.id as "addressId", a.city,
  a.region, a.country, a.expires_at as "addressExpiresAt", m.country as "sellerCountry", m.price_tax as "priceTax",
  m.shipping_tax as "shippingTax", m.low_stock_at as "lowStockAt", m.catalog_version as "catalogVersion",
  ${promotionVersion.text} as "promotionVersion"`)

export const cartJoins = new Fragment(`
  join installations i on i.id = c.installation_id
  join merchants m on m.id = c.merchant_id
  left join promotions p on p.merchant_id = c.merchant_id and p.id = c.promotion_id
  left join addresses a on a.installation_id = c.installation_id and a.id = c.address_id and a.row_key is not null`)

export async function findCart(db: Reader, { installationId, cartId }: CartKey): Promise<CartRow | undefined> {
  const [row] = await db.sql<CartColumns>`
    select ${cartColumns} from carts c ${cartJoins} where c.installation_id = ${installationId} and c.id = ${cartId}`
  return row && cartFromRow(row)
}

// Here and below, members are copied one by one: spreading the rest of a wide row takes longer than reading the row from the database.
export function cartFromRow(row: CartColumns): CartRow {
  const { addressId, city, region, country, addressExpiresAt, addressSealed, addressKey } = row
  const isKept = addressId !== null && city !== null && country !== null && addressExpiresAt !== null
  return {
    id: row.id,
    installationId: row.installationId,
    merchantId: row.merchantId,
    mode: row.mode,
    version: row.version,
    status: row.status,
    currency: row.currency,
    promotionId: row.promotionId,
    promotionVersion: row.promotionVersion,
    shippingOption: row.shippingOption,
    metadata: row.metadata === '{}' ? {} : (JSON.parse(row.metadata) as Metadata),
    guesses: row.guesses,
    guessesSince: row.guessesSince,
    address: isKept
      ? {
          token: addressId,
          city,
          region,
          country,
          expiresAt: addressExpiresAt,
          ...(addressSealed && addressKey && { sealed: { text: addressSealed, rowKey: addressKey } }),
        }
      : null,
    checkoutSessionId: row.checkoutSessionId,
    orderId: row.orderId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    expiresAt: row.expiresAt,
    unannouncedSince: row.unannouncedSince,
    publicKeyId: row.publicKeyId,
    terms: row.terms === null ? null : (JSON.parse(row.terms) as MerchantTerms),
    vat: parseVatCheck<CartVatCheck>(row.vat),
    seller: {
      country: row.sellerCountry,
      priceTax: row.priceTax,
      shippingTax: row.shippingTax,
      lowStockAt: row.lowStockAt,
      catalogVersion: row.catalogVersion,
    },
  }
}

interface OfferRow extends Omit<Offer, 'options' | 'image' | 'measure' | 'digital' | 'isSold'> {
  digital: number
  options: string
  measure: string | null
  skuImage: string | null
  images: string
  retiredAt: number | null
  publishedAt: number | null
}

// A line, with the data of its SKU that changes often.
export interface LineRow {
  skuId: string
  position: number
  quantity: number
  seenPrice: number
  price: number
  // Units that are not held; negative if the operator set the stock below the held units.
  available: number
  onHand: number
  // Units that the cart's own session holds.
  ownHold: number
  // The merchant's catalog version when this price and stock were read.
  catalogVersion: number
}

// Columns of an offer. Expects SKUs `s`, their stock `t` and products `p` in the statement.
function offerColumns(now: number): Fragment {
  const available = availableUnits(now)
  return new Fragment(
    `s.id as "skuId", s.code, p.id as "productId", p.slug as "productSlug", p.name, s.options, s.image as "skuImage", p.images,
      s.price, ${available.text} as "available", ${soldOutRule.text} as "whenSoldOut", s.max_per_order as "maxPerOrder", s.delivery,
      s.weight_grams as "weightGrams", s.measure, p.withdrawal_exempt as "withdrawalExempt", p.digital, s.tax_class as "taxClass", s.retired_at as "retiredAt", p.published_at as "publishedAt"`,
    available.values,
  )
}

// Most SKUs have no holds, so their holds are not read. The cart's own hold is found by its owner: `|| ''` keeps the planner from using
// the (merchant, sku) index, with which it would scan every hold on the SKU.
export async function listCartLines(db: Reader, { installationId, cartId }: CartKey, now: number): Promise<LineRow[]> {
  return db.sql<LineRow>`
    select l.sku_id as "skuId", l.position, l.quantity, l.seen_price as "seenPrice", coalesce(l.own_price, s.price) as "price",
      case when t.held = 0 then t.on_hand else ${availableUnits(now)} end as "available",
      t.on_hand as "onHand",
      case when t.held = 0 then 0 else coalesce((
        select h.quantity from holds h
        where h.owner_id = (
            select c.checkout_session_id from carts c where c.installation_id = l.installation_id and c.id = l.cart_id)
          and h.merchant_id || '' = l.merchant_id and h.sku_id = l.sku_id and h.expires_at > ${now}
      ), 0) end as "ownHold",
      m.catalog_version as "catalogVersion"
    from cart_lines l join skus s on s.merchant_id = l.merchant_id and s.id = l.sku_id
    join installations i on i.id = l.installation_id
    join stock t on t.merchant_id = l.merchant_id and t.sku_id = l.sku_id and t.mode = i.mode
    join merchants m on m.id = l.merchant_id
    where l.installation_id = ${installationId} and l.cart_id = ${cartId}
    order by l.position`
}

// One row per line with the data that determines an open cart, in no particular order. While this data is unchanged, so is the cart.
export interface CartTrace {
  version: number
  catalogVersion: number
  promotionVersion: number | null
  position: number
  seenPrice: number
  onHand: number
  // Units held by all owners, including expired holds.
  held: number
}

export async function readCartTrace(db: Reader, { installationId, cartId }: CartKey): Promise<CartTrace[]> {
  return db.sql<CartTrace>`
    select c.version, m.catalog_version as "catalogVersion", ${promotionVersion} as "promotionVersion", l.position,
      l.seen_price as "seenPrice", t.on_hand as "onHand", t.held
    from carts c
    join installations i on i.id = c.installation_id
    join merchants m on m.id = c.merchant_id
    left join promotions p on p.merchant_id = c.merchant_id and p.id = c.promotion_id
    join cart_lines l on l.installation_id = c.installation_id and l.cart_id = c.id
    join stock t on t.merchant_id = l.merchant_id and t.sku_id = l.sku_id and t.mode = i.mode
    where c.installation_id = ${installationId} and c.id = ${cartId} and c.status = 'open'`
}

// `cross join` keeps SQLite from scanning the stock of all SKUs first.
export async function listOffers(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  skuIds: readonly string[],
  now: number,
): Promise<Offer[]> {
  const rows = await db.sql<OfferRow>`
    select ${offerColumns(now)}
    from skus s join products p on p.merchant_id = s.merchant_id and p.id = s.product_id
    cross join stock t
    where s.merchant_id = ${merchantId} and s.id in (${listFragment(skuIds)})
      and t.merchant_id = s.merchant_id and t.sku_id = s.id and t.mode = ${mode}`
  return rows.map(offerFrom)
}

function offerFrom(row: OfferRow): Offer {
  return {
    skuId: row.skuId,
    code: row.code,
    productId: row.productId,
    productSlug: row.productSlug,
    name: row.name,
    options: row.options === '[]' ? [] : (JSON.parse(row.options) as Offer['options']),
    image: row.skuImage ?? firstUrl(row.images),
    price: row.price,
    available: Math.max(0, row.available),
    whenSoldOut: row.whenSoldOut,
    maxPerOrder: row.maxPerOrder,
    delivery: row.delivery,
    weightGrams: row.weightGrams,
    measure: parseStoredMeasure(row.measure),
    withdrawalExempt: row.withdrawalExempt,
    digital: row.digital === 1,
    taxClass: row.taxClass,
    isSold: row.retiredAt === null && row.publishedAt !== null,
  }
}

function firstUrl(images: string): string | null {
  const [first] = JSON.parse(images) as { url: string }[]
  return first?.url ?? null
}

// Lists the categories of products, for promotions that name categories.
export async function listCategoryIds(
  db: Reader,
  merchant: string,
  productIds: readonly string[],
): Promise<{ productId: string; categoryId: string }[]> {
  return db.sql<{ productId: string; categoryId: string }>`
    select product_id as "productId", category_id as "categoryId"
    from product_categories where merchant_id = ${merchant} and product_id in (${listFragment(productIds)})`
}

export async function listSkuIdsByCode(
  db: Reader,
  merchant: string,
  codes: readonly string[],
): Promise<{ id: string }[]> {
  return db.sql<{ id: string }>`
    select id from skus where merchant_id = ${merchant} and code in (${listFragment(codes)}) and retired_at is null order by id`
}

// Data that a new cart copies from its installation and merchant.
export type CartOrigin = Pick<CartRow, 'mode' | 'currency' | 'seller'>

export interface OriginColumns extends SellerTerms {
  mode: Mode
  currency: string
}

// Columns of an installation `i` and a merchant `m`.
export const originColumns = new Fragment(`
  i.mode, m.currency, m.country, m.price_tax as "priceTax", m.shipping_tax as "shippingTax",
  m.low_stock_at as "lowStockAt", m.catalog_version as "catalogVersion"`)

export function cartOriginFromRow(row: OriginColumns): CartOrigin {
  const { mode, currency, country, priceTax, shippingTax, lowStockAt, catalogVersion } = row
  return { mode, currency, seller: { country, priceTax, shippingTax, lowStockAt, catalogVersion } }
}

export async function findCartOrigin(db: Reader, installationId: string): Promise<CartOrigin | undefined> {
  const [row] = await db.sql<OriginColumns>`
    select ${originColumns} from installations i join merchants m on m.id = i.merchant_id
    where i.id = ${installationId}`
  return row && cartOriginFromRow(row)
}

// Inserts a cart. Its address and promotion are saved later.
export function insertCart(tx: Tx, cart: CartRow): void {
  tx.send`
    insert into carts (installation_id, id, merchant_id, version, status, currency, metadata, checkout_session_id,
      created_at, updated_at, expires_at, public_key_id, terms, vat)
    values (${cart.installationId}, ${cart.id}, ${cart.merchantId}, ${cart.version}, ${cart.status}, ${cart.currency},
      ${JSON.stringify(cart.metadata)}, ${cart.checkoutSessionId}, ${cart.createdAt}, ${cart.updatedAt},
      ${cart.expiresAt}, ${cart.publicKeyId}, ${cart.terms === null ? null : JSON.stringify(cart.terms)},
      ${cart.vat === null ? null : JSON.stringify(cart.vat)})`
}

export function putCartLines(tx: Tx, cart: CartRow, lines: readonly CartLine[]): void {
  if (lines.length === 0) return
  const given = tx.rows(
    lines.map(({ offer, position, quantity, seenPrice, ownPrice = null }) => [
      offer.skuId,
      position,
      quantity,
      seenPrice,
      ownPrice,
    ]),
    ['text', 'bigint', 'bigint', 'bigint', 'bigint'],
  )
  tx.send`
    with given (sku_id, position, quantity, seen_price, own_price) as (${given})
    insert into cart_lines (installation_id, cart_id, merchant_id, sku_id, position, quantity, seen_price, own_price)
    select cast(${cart.installationId} as text), cast(${cart.id} as text), cast(${cart.merchantId} as text), sku_id, position,
      quantity, seen_price, own_price
    from given where sku_id is not null
    on conflict (installation_id, cart_id, sku_id) do update set quantity = excluded.quantity, seen_price = excluded.seen_price`
}

export function deleteCartLine(tx: Tx, { installationId, cartId }: CartKey, skuId: string): void {
  tx.send`
    delete from cart_lines where installation_id = ${installationId} and cart_id = ${cartId} and sku_id = ${skuId}`
}

// Saves the discount and the delivery that the merchant set, for a cart that the merchant made.
export function saveMerchantTerms(tx: Tx, { installationId, cartId }: CartKey, terms: MerchantTerms): void {
  tx.send`
    update carts set terms = ${JSON.stringify(terms)}
    where installation_id = ${installationId} and id = ${cartId} and terms is not null`
}

// Saves the total that the list of drafts shows. Does nothing while the draft is being created, because its row does not exist yet.
export function saveOwnTotal(tx: Tx, { merchantId, installationId, checkoutSessionId }: CartRow, total: number): void {
  tx.send`
    update drafts set total = ${total}
    where merchant_id = ${merchantId} and installation_id = ${installationId} and session_id = ${checkoutSessionId}`
}

// Updates the row if its version is still the one that was read under the lock.
export function saveCart(tx: Tx, cart: CartRow): void {
  tx.send`
    update carts set ${expectVersion(cart.version - 1, cart.version)}, status = ${cart.status}, promotion_id = ${cart.promotionId},
      address_id = ${cart.address?.token ?? null}, shipping_option = ${cart.shippingOption},
      checkout_session_id = ${cart.checkoutSessionId}, order_id = ${cart.orderId}, updated_at = ${cart.updatedAt},
      expires_at = ${cart.expiresAt}, untold_since = ${cart.unannouncedSince},
      vat = ${cart.vat === null ? null : JSON.stringify(cart.vat)}
    where installation_id = ${cart.installationId} and id = ${cart.id}`
}

// Locks the cart while a payment is in progress, or unlocks it. Contents and version stay the same.
export function setCartStatus(tx: Tx, { installationId, cartId }: CartKey, verb: 'lock' | 'unlock'): void {
  const { from, to } = onlyMove(cartLifecycle, verb)
  tx.send`
    update carts set ${expectStatus(from, to)}
    where installation_id = ${installationId} and id = ${cartId}`
}

// Stores the present prices of the lines, which will be charged.
export function freezeCartPrices(tx: Tx, { installationId, cartId }: CartKey): void {
  tx.send`
    update cart_lines set seen_price = (
      select coalesce(cart_lines.own_price, s.price) from skus s where s.merchant_id = cart_lines.merchant_id and s.id = cart_lines.sku_id)
    where installation_id = ${installationId} and cart_id = ${cartId}`
}

// Stores the count of rejected codes. This is not a change of the cart, so its version stays the same.
export function countGuess(tx: Tx, cart: CartRow, guesses: number, since: number): void {
  tx.send`
    update carts set guesses = ${guesses}, guesses_since = ${since}
    where installation_id = ${cart.installationId} and id = ${cart.id}`
}

// Marks the cart as announced. This is not a change of the cart, so its version stays the same.
export function markCartAnnounced(tx: Tx, { installationId, cartId }: CartKey): void {
  tx.send`update carts set untold_since = null where installation_id = ${installationId} and id = ${cartId}`
}

// Carts to announce. Carts with a payment in progress are skipped: they will become orders or be opened again.
export async function listUnannouncedCarts(db: Reader, now: number, since: number, limit: number): Promise<CartKey[]> {
  return db.sql<CartKey>`
    select installation_id as "installationId", id as "cartId" from carts
    where untold_since is not null and untold_since <= ${since} and status = 'open'
      and ${isNotDeferred('untold_carts', 'carts.installation_id', 'carts.id', now)}
    order by untold_since limit ${limit}`
}

// After the clock was set back, replaces times in the future by the present time.
export async function correctUnannouncedTimes(tx: Tx, now: number): Promise<void> {
  await tx.sql`
    update carts set untold_since = ${now} where untold_since is not null and untold_since > ${now} and status = 'open'`
}

export async function listOverdueCarts(db: Reader, now: number, limit: number): Promise<CartKey[]> {
  return db.sql<CartKey>`
    select installation_id as "installationId", id as "cartId" from carts
    where status = 'open' and expires_at <= ${now}
      and ${isNotDeferred('carts', 'carts.installation_id', 'carts.id', now)}
    order by expires_at limit ${limit}`
}
