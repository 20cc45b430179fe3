// Exports a shop as a file for `apply`. Applied to the same shop, the file changes nothing; applied to another server, it creates the
// same shop. The file never contains keys, people, orders or accounts at payment providers.

import { makersMax, type ProductEntry } from '../../contract/entries.ts'
import { modes } from '../../contract/words.ts'
import { loadAgentSettings } from '../../domain/agents/settings.ts'
import { categoryEntry, productEntry } from '../../domain/catalog/adminview.ts'
import { sortCategories } from '../../domain/catalog/answer.ts'
import { listCategories, listProductsAfterId } from '../../domain/catalog/store.ts'
import { makerRecord } from '../../domain/makers/maker.ts'
import { listMakers } from '../../domain/makers/store.ts'
import { findMailSettings } from '../../domain/merchants/mail.ts'
import { shopEntryOf, taxEntriesOf, zoneEntriesOf } from '../../domain/merchants/settings.ts'
import { listShippingZones, listTaxRates, type Merchant } from '../../domain/merchants/store.ts'
import { listMethodSettings } from '../../domain/payments/methods.ts'
import { promotionEntryOf } from '../../domain/promotions/entry.ts'
import { listPromotions } from '../../domain/promotions/store.ts'
import { listEndpoints } from '../../domain/webhooks/store.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { shownMethod } from './methods.ts'
import type { MerchantEntry, ShopFile } from './shopfile.ts'
import { listOwnInstallations } from './store.ts'

const atOnce = 200

export async function shopFileOf(db: Reader, merchant: Merchant): Promise<ShopFile> {
  const [categories, makers, taxes, zones, methods] = await Promise.all([
    listCategories(db, merchant.id),
    listMakers(db, merchant.id, { part: '', after: '', limit: makersMax }),
    listTaxRates(db, merchant.id),
    listShippingZones(db, merchant.id),
    listMethodSettings(db, merchant.id),
  ])
  const byId = new Map(categories.map((category) => [category.id, category]))
  const file: ShopFile = {
    merchant: await merchantEntryOf(db, merchant),
    categories: sortCategories(categories).map((category) => categoryEntry(category, byId)),
    makers: makers.map(makerRecord),
    products: await productsOf(db, merchant.id),
    taxes: taxEntriesOf(taxes),
    shipping: zoneEntriesOf(zones),
    promotions: await promotionsOf(db, merchant.id),
    installations: await installationsOf(db, merchant.id),
    agents: await agentsOf(db, merchant.id),
  }
  // Methods with default settings are left out. `termDays` is written even if it is null: null means that unpaid orders are never
  // cancelled, and a missing member means the default.
  const payments = methods.filter(({ isDefault }) => !isDefault).map(shownMethod)
  return { ...plain(file), payments: payments.map(({ termDays, ...method }) => ({ ...plain(method), termDays })) }
}

async function merchantEntryOf(db: Reader, merchant: Merchant): Promise<MerchantEntry> {
  const mail = await findMailSettings(db, merchant.id)
  const entry: MerchantEntry = { ...shopEntryOf(merchant), timeZone: merchant.timeZone }
  if (!mail) return entry
  const { senderName, replyTo, locale, off } = mail
  // The cast holds: settings are checked against the schema when they are stored.
  return {
    ...entry,
    mail: { senderName, replyTo, language: locale ?? undefined, off } as NonNullable<MerchantEntry['mail']>,
  }
}

// Archived products are left out: they are no longer sold, and a shop file cannot mark them as archived.
async function productsOf(db: Reader, merchantId: string): Promise<ProductEntry[]> {
  const entries: ProductEntry[] = []
  for (let after = ''; ; ) {
    const products = await listProductsAfterId(db, merchantId, after, atOnce)
    for (const product of products) {
      if (product.archivedAt !== null) continue
      const entry = productEntry(product)
      const skus = product.skus.map((sku, at) => ({ ...entry.skus[at], stock: sku.stock.live.onHand }))
      entries.push({ ...entry, skus: skus as ProductEntry['skus'] })
    }
    if (products.length < atOnce) return entries
    after = products.at(-1)?.id ?? ''
  }
}

async function promotionsOf(db: Reader, merchantId: string): Promise<NonNullable<ShopFile['promotions']>> {
  const entries: NonNullable<ShopFile['promotions']> = []
  for (let after = ''; ; ) {
    const promotions = await listPromotions(db, merchantId, after, atOnce)
    for (const promotion of promotions) {
      const { percentage, amount, ...entry } = promotionEntryOf(promotion)
      entries.push({ ...entry, ...(percentage !== null && { percentage }), ...(amount !== null && { amount }) })
    }
    if (promotions.length < atOnce) return entries
    after = promotions.at(-1)?.code ?? ''
  }
}

async function installationsOf(db: Reader, merchantId: string): Promise<NonNullable<ShopFile['installations']>> {
  const entries: NonNullable<ShopFile['installations']> = []
  for (const { id, name, mode, redirectHosts } of await listOwnInstallations(db, merchantId)) {
    const webhooks = (await listEndpoints(db, id)).map(({ url, description, events, status }) => ({
      url,
      description,
      events: JSON.parse(events) as string[],
      paused: status === 'paused',
    }))
    entries.push({ name, mode, redirectHosts: JSON.parse(redirectHosts) as string[], webhooks })
  }
  return entries
}

// A mode with default settings is left out.
async function agentsOf(db: Reader, merchantId: string): Promise<NonNullable<ShopFile['agents']>> {
  const entries: NonNullable<ShopFile['agents']> = []
  for (const mode of modes) {
    const { version, ...settings } = await loadAgentSettings(db, { merchantId, mode })
    if (version > 0) entries.push({ mode, ...settings })
  }
  return entries
}

// Leaves out members with default values: null, and empty texts, lists and objects.
function plain<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(plain) as Value
  if (value === null || typeof value !== 'object') return value
  // The cast holds: only members with default values are missing.
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, member]) => [name, plain(member)])
      .filter(([, member]) => !isEmpty(member)),
  ) as Value
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
