// The demo shop: creates what is missing, and new keys each time. Older keys keep working, but only the newest few are kept active, so a
// daily run does not pile up active keys.

import { readFile } from 'node:fs/promises'
import type { ProductEntry } from '../../src/contract/entries.ts'
import { adminScopes, openInterfaceScopes, type Role, type Scope } from '../../src/contract/words.ts'
import { loadAgentSettings, setAgentSettings } from '../../src/domain/agents/settings.ts'
import type { ProductRow } from '../../src/domain/catalog/product.ts'
import { listProductsBySlug } from '../../src/domain/catalog/store.ts'
import {
  findMerchant,
  type Installation,
  listInstallations,
  listMerchants,
  lockMerchant,
} from '../../src/domain/merchants/store.ts'
import { findAppByName } from '../../src/domain/oauth/apps.ts'
import { findPlacedSpan } from '../../src/domain/orders/store.ts'
import { normalizePromotionCode } from '../../src/domain/promotions/store.ts'
import { demoSlug } from '../../src/domain/sites/places.ts'
import { insertSite } from '../../src/domain/sites/store.ts'
import { generatedPasswordCost, hashPassword, makePassword } from '../../src/domain/users/password.ts'
import { createUser, findUserByEmail, findUserForSignIn, setPassword } from '../../src/domain/users/users.ts'
import { applyShop } from '../../src/ops/provisioning/apply.ts'
import type { ShopFile } from '../../src/ops/provisioning/shopfile.ts'
import { deleteExpiredKeys, endEndlessKeys, listLivingKeyIds } from '../../src/ops/provisioning/store.ts'
import { ensureDemoEndpoint } from '../../src/ops/provisioning/webhooks.ts'
import { createKey } from '../../src/platform/access/keys.ts'
import { listCredentials, revokeCredential } from '../../src/platform/access/store.ts'
import type { RootSecret } from '../../src/platform/secrets/secrets.ts'
import type { Reader, Storage, Tx } from '../../src/platform/storage/storage.ts'
import { demoPeople, type HistoryFacts, historyEndsMs, historyMs } from './facts.ts'

export interface DemoShop {
  merchant: { slug: string }
  installation: { id: string }
  // `full` has the open scopes, `admin` the admin scopes.
  keys: { full: string; catalog: string; none: string; admin: string }
  products: { slug: string; skus: { id: string; price: number; stock: number }[] }[]
  // The first code reduces every cart. The others show every type and outcome of promotions.
  promotionCodes: string[]
  webhookEndpoint: { id: string; secret: string }
  // An owner, who runs the shop at /admin and installs apps. The password is new each time, since the previous one is not stored in plain
  // text.
  user: { email: string; password: string }
  // Members with the same password as the owner.
  colleagues: readonly { email: string; role: Role }[]
  app: { clientId: string; redirectUris: readonly string[] }
}

const demoScopes = {
  full: openInterfaceScopes,
  catalog: ['catalog:read'],
  none: [],
  admin: adminScopes,
} as const satisfies Readonly<Record<keyof DemoShop['keys'], readonly Scope[]>>

const liveKeysMax = 10

// Returns true if no merchant exists, or if an earlier start ended before the demo shop was complete.
export async function needsDemoShop(storage: Storage): Promise<boolean> {
  return storage.read(async (db) => {
    const merchants = await listMerchants(db)
    const hasDemo = merchants.some(({ slug }) => slug === demoSlug)
    return merchants.length === 0 || (hasDemo && !(await isWhole(db)))
  })
}

// Returns true if the demo shop has keys, which are created last. Revoked keys count too.
async function isWhole(db: Reader): Promise<boolean> {
  const demo = await findMerchant(db, demoSlug)
  for (const { id } of demo ? await listInstallations(db, demo.id) : []) {
    if ((await listCredentials(db, id)).length > 0) return true
  }
  return false
}

export async function hasDemoShop(storage: Storage): Promise<boolean> {
  return storage.read(async (db) => (await listMerchants(db)).some(({ slug }) => slug === demoSlug))
}

export async function makeDemoShop(storage: Storage, rootSecret: RootSecret, now: number): Promise<DemoShop> {
  const file = await readDemoFile()
  const password = makePassword()
  // A new shop gets a month of history, so it is opened before the month begins.
  const openedAt = (await storage.read(isWhole)) ? now : now - openedMs
  const [merchantId, passwordHash] = await Promise.all([
    openShop(storage, file, openedAt),
    hashPassword(password, generatedPasswordCost),
  ])
  return storage.write(async (tx) => {
    await lockMerchant(tx, demoSlug)
    const installation = await demoInstallation(tx, merchantId, file)
    const webhookEndpoint = await ensureDemoEndpoint(tx, installation.id, rootSecret, now)
    const slugs = (file.products ?? []).filter((product) => product.published !== false).map((product) => product.slug)
    const products = await listProductsBySlug(tx, merchantId, slugs)
    const [full, catalog, none, admin] = [
      await freshKey(tx, rootSecret, installation, 'full', now),
      await freshKey(tx, rootSecret, installation, 'catalog', now),
      await freshKey(tx, rootSecret, installation, 'none', now),
      await freshKey(tx, rootSecret, installation, 'admin', now),
    ]
    // Agents may buy in the demo shop, with test cards. Settings that were changed since are not overwritten.
    const seller = { merchantId, mode: installation.mode }
    if ((await loadAgentSettings(tx, seller)).version === 0)
      await setAgentSettings(tx, seller, { level: 'buy', who: 'anyone' }, now)
    await ensureDemoPeople(tx, rootSecret, { merchantId, passwordHash, openedAt, now })
    return {
      merchant: { slug: file.merchant.slug },
      installation: { id: installation.id },
      keys: { full, catalog, none, admin },
      products: slugs.flatMap((slug) => products.filter((product) => product.slug === slug)).map(shownProduct),
      promotionCodes: (file.promotions ?? []).map(({ code }) => normalizePromotionCode(code)),
      webhookEndpoint,
      user: { email: demoPeople.owner.email, password },
      colleagues: [demoPeople.staff, demoPeople.viewer],
      app: await demoApp(tx, file),
    }
  })
}

// A reduction is only shown if the price was higher before, so reduced products have their full price for the first hour.
async function openShop(storage: Storage, file: ShopFile, now: number): Promise<string> {
  const isNew = !(await storage.read((db) => findMerchant(db, file.merchant.slug)))
  const given = file.products ?? []
  const products = isNew ? given.map(atFullPrice) : given
  const { merchantId } = await applyShop(storage, { ...file, products }, { now, stock: false, dryRun: false })
  const reduced = given.filter(({ skus }) => skus.some(({ compareAtPrice }) => compareAtPrice != null))
  if (isNew)
    await applyShop(storage, { ...file, products: reduced }, { now: now + 3_600_000, stock: false, dryRun: false })
  return merchantId
}

function atFullPrice(product: ProductEntry): ProductEntry {
  const skus = product.skus.map((sku) => ({ ...sku, price: sku.compareAtPrice ?? sku.price, compareAtPrice: null }))
  return { ...product, skus }
}

// Creates an open site for the demo shop if it has none. The site is in the mode of the shop's installation. Keys with which servers of
// earlier releases called themselves expire a day later, since such servers may still use them.
export async function ensureDemoSite(storage: Storage, now: number): Promise<void> {
  await storage.write(async (tx) => {
    const demo = (await listMerchants(tx)).find(({ slug }) => slug === demoSlug)
    const [installation] = demo ? await listInstallations(tx, demo.id) : []
    if (!installation) return
    const { id: installationId, merchantId, mode } = installation
    await insertSite(tx, { merchantId, mode, installationId, openedAt: now, version: 1 }, now)
    await deleteExpiredKeys(tx, installationId, formerNames, now)
    await endEndlessKeys(tx, installationId, formerNames, now + day)
  })
}

const day = 24 * 3_600_000
const formerNames = ['Demo key: storefront', 'Demo key: window']

// Read from a JSON file that is printed from shop.yaml (`npm run demo:print`) and that a test compares with shop.yaml. Reading and
// checking YAML at the start took a quarter of a second.
async function readDemoFile(): Promise<ShopFile> {
  const file: ShopFile = JSON.parse(await readFile(new URL('./shop.json', import.meta.url), 'utf8'))
  if (file.merchant.slug !== demoSlug) throw new Error("the demo shop's own file names another merchant")
  return file
}

async function demoInstallation(db: Reader, merchantId: string, file: ShopFile): Promise<Installation> {
  const name = file.installations?.[0]?.name
  const installation = (await listInstallations(db, merchantId)).find((known) => known.name === name)
  if (!installation) throw new Error('the demo shop has no installation')
  return installation
}

interface PeopleInput {
  merchantId: string
  passwordHash: string
  openedAt: number
  now: number
}

// Creates the demo users that are missing. Existing users keep the merchants they were added to, and stay suspended if they were
// suspended.
async function ensureDemoPeople(tx: Tx, rootSecret: RootSecret, input: PeopleInput): Promise<void> {
  const { merchantId, passwordHash, openedAt, now } = input
  for (const { email, name, role } of Object.values(demoPeople)) {
    const kept = await findUserForSignIn(tx, rootSecret, email)
    if (kept) await setPassword(tx, kept.id, passwordHash, now)
    else await createUser(tx, rootSecret, { email, name, passwordHash, merchantIds: [merchantId], role }, openedAt)
  }
}

const openedMs = 31 * day
// Returns undefined if no history is to be made: the demo shop does not exist or was made by an earlier release, its history is complete,
// or it had other orders before.
export async function findHistory(
  storage: Storage,
  rootSecret: RootSecret,
  now: number,
): Promise<HistoryFacts | undefined> {
  const file = await readDemoFile()
  return storage.read(async (db) => {
    const merchant = await findMerchant(db, demoSlug)
    const people = merchant && (await findDemoPeople(db, rootSecret))
    if (!merchant || !people) return undefined
    const anchor = people.openedAt + openedMs
    const installation = await demoInstallation(db, merchant.id, file)
    const span = await findPlacedSpan(db, { merchantId: merchant.id, mode: installation.mode }, anchor)
    const isBegun = span !== undefined && span.first === anchor - historyMs
    if (anchor > now || (span && !isBegun) || span?.last === anchor - historyEndsMs) return undefined
    return {
      anchor,
      shop: {
        merchantId: merchant.id,
        merchantSlug: merchant.slug,
        mode: installation.mode,
        installationId: installation.id,
      },
      shopVersion: merchant.version,
      skuIds: await findSkuIds(db, merchant.id, file),
      people: people.byRole,
    }
  })
}

async function findSkuIds(db: Reader, merchantId: string, { products = [] }: ShopFile): Promise<Map<string, string>> {
  const slugs = products.map(({ slug }) => slug)
  const found = await listProductsBySlug(db, merchantId, slugs)
  return new Map(found.flatMap(({ skus }) => skus.map(({ code, id }) => [code, id] as const)))
}

async function findDemoPeople(db: Reader, rootSecret: RootSecret) {
  const { owner, staff, viewer } = demoPeople
  const [first, second, third] = [
    await findUserByEmail(db, rootSecret, owner.email),
    await findUserByEmail(db, rootSecret, staff.email),
    await findUserByEmail(db, rootSecret, viewer.email),
  ]
  if (!first || !second || !third) return undefined
  return {
    openedAt: second.createdAt,
    byRole: {
      owner: { userId: first.id, role: owner.role },
      staff: { userId: second.id, role: staff.role },
      viewer: { userId: third.id, role: viewer.role },
    },
  }
}

async function demoApp(tx: Tx, file: ShopFile): Promise<DemoShop['app']> {
  const app = await findAppByName(tx, file.apps?.[0]?.name ?? '')
  if (!app) throw new Error('the demo shop has no app')
  return { clientId: app.id, redirectUris: app.redirectUris }
}

async function freshKey(
  tx: Tx,
  rootSecret: RootSecret,
  installation: Installation,
  kind: keyof DemoShop['keys'],
  now: number,
): Promise<string> {
  const name = keyName(kind)
  const made = await createKey(tx, rootSecret, installation, { name, scopes: demoScopes[kind], expiresAt: null }, now)
  const living = await listLivingKeyIds(tx, installation.id, name, now)
  for (const old of living.slice(liveKeysMax)) await revokeCredential(tx, installation.id, old, now)
  return made.key
}

function keyName(kind: keyof typeof demoScopes): string {
  return `Demo key: ${kind}`
}

function shownProduct({ slug, skus }: ProductRow) {
  return { slug, skus: skus.map(({ id, price, stock }) => ({ id, price, stock: stock.test.onHand })) }
}
