// What products and promotions depend on: the merchant with its categories, manufacturers, taxes, shipping, payment methods and
// installations. Changes are planned from the stored data, and written in one transaction.

import { makersMax, type SkuEntry } from '../../contract/entries.ts'
import { planCategories, refuseDeepCategories } from '../../domain/catalog/categories.ts'
import { insertCategory, listCategories, listProductsAfterId, updateCategory } from '../../domain/catalog/store.ts'
import { type MakerPlan, planMakers } from '../../domain/makers/maker.ts'
import { insertMaker, listMakers, updateMaker } from '../../domain/makers/store.ts'
import { findMailSettings, type MailSettings, saveMailSettings } from '../../domain/merchants/mail.ts'
import { isInAnswers, planMerchant, planRates } from '../../domain/merchants/settings.ts'
import {
  insertInstallation,
  insertMerchant,
  listInstallations,
  listShippingZones,
  listTaxRates,
  lockMerchant,
  type Merchant,
  markAllProductsStale,
  raiseCatalogVersion,
  raiseShopVersion,
  replaceShippingZones,
  replaceTaxRates,
  setRedirectHosts,
  updateMerchant,
} from '../../domain/merchants/store.ts'
import { listLivingAccounts } from '../../domain/payments/accounts.ts'
import { listMethodSettings, saveMethodSettings } from '../../domain/payments/methods.ts'
import { countAllAgain } from '../../domain/reports/count.ts'
import { clockSkewMsMax } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { planInstallations } from './installations.ts'
import { planMail } from './mail.ts'
import { methodWarnings, planMethods } from './methods.ts'
import { readinessWarnings } from './readiness.ts'
import { foundationEntries, type PlannedFoundation, type RecordedEntry, type Recorder } from './record.ts'
import type { ShopFile } from './shopfile.ts'
import { findSelling } from './store.ts'

export interface Foundation extends PlannedFoundation {
  merchant: Merchant
  merchantDiffers: boolean
  timeZoneChanged: boolean
  // Whether every product must be rendered again.
  answersChanged: boolean
  // Undefined if the settings do not change.
  mail: MailSettings | undefined
  // Entries for the list of changes.
  entries: readonly RecordedEntry[]
  warnings: readonly string[]
}

export async function saveFoundation(
  tx: Tx,
  file: ShopFile,
  now: number,
  record: Recorder = () => {},
): Promise<Foundation> {
  const plan = await planFoundation(tx, file, lockMerchant(tx, file.merchant.slug), now)
  const { merchant } = plan
  // If another node has created the shop concurrently, the insert fails, and this node plans again.
  if (plan.isNewMerchant && !(await insertMerchant(tx, merchant, now))) return saveFoundation(tx, file, now, record)
  if (!plan.isNewMerchant && plan.merchantDiffers) await updateMerchant(tx, merchant, now)
  if (plan.timeZoneChanged) await countAllAgain(tx, merchant.id)
  // Backdated by the maximum clock skew, so nodes with slow clocks also see the products as stale.
  if (plan.answersChanged) await markAllProductsStale(tx, merchant.id, now - clockSkewMsMax)
  for (const category of plan.newCategories) await insertCategory(tx, merchant.id, category)
  for (const category of plan.changedCategories) await updateCategory(tx, merchant.id, category)
  for (const maker of plan.newMakers) await insertMaker(tx, merchant.id, maker)
  for (const { after } of plan.changedMakers) await updateMaker(tx, merchant.id, after)
  if (plan.mail) await saveMailSettings(tx, merchant.id, plan.mail, now)
  if (plan.taxRates) await replaceTaxRates(tx, merchant.id, plan.taxRates)
  if (plan.shippingZones) await replaceShippingZones(tx, merchant.id, plan.shippingZones)
  if (plan.taxRates || plan.shippingZones || plan.changedMethods.length > 0)
    await raiseShopVersion(tx, merchant.id, now)
  for (const settings of plan.changedMethods) await saveMethodSettings(tx, merchant.id, settings, now)
  for (const installation of plan.newInstallations) await insertInstallation(tx, installation, now)
  for (const { id, redirectHosts } of plan.changedInstallations)
    await setRedirectHosts(tx, merchant.id, id, redirectHosts)
  if (plan.changes.length > 0) await raiseCatalogVersion(tx, merchant.id)
  record(tx, merchant.id, plan.entries)
  return plan
}

export async function planFoundation(
  db: Reader,
  file: ShopFile,
  found: Promise<Merchant | undefined>,
  now: number,
): Promise<Foundation> {
  const before = await found
  const { merchant, changes: merchantChanges } = planMerchant(file.merchant, before)
  const [categories, plannedMakers, installations, taxRates, shippingZones, methods, liveAccounts, selling] =
    await Promise.all([
      listCategories(db, merchant.id),
      plannedMakersOf(db, file, merchant.id, now),
      listInstallations(db, merchant.id),
      listTaxRates(db, merchant.id),
      listShippingZones(db, merchant.id),
      listMethodSettings(db, merchant.id),
      listLivingAccounts(db, { merchantId: merchant.id, mode: 'live' }),
      findSelling(db, merchant.id),
    ])
  await refuseOtherCurrency(db, before, merchant)
  const planned = planCategories(file.categories ?? [], categories, now)
  refuseDeepCategories(categories, [...planned.newCategories, ...planned.changedCategories])
  const rates = planRates(file, { taxRates, shippingZones })
  const plannedMethods = planMethods(file.payments ?? [], methods)
  const plannedMail = planMail(file.merchant, await findMailSettings(db, merchant.id))
  const shops = planInstallations(file, merchant.id, installations)
  const hasInstallation = hasSome(shops.newInstallations, installations)
  const parts = [plannedMail, planned, plannedMakers, rates, plannedMethods, shops]
  const plan = {
    merchant,
    isNewMerchant: !before,
    merchantDiffers: merchantChanges.length > 0,
    timeZoneChanged: before !== undefined && before.timeZone !== merchant.timeZone,
    answersChanged: before !== undefined && isInAnswers(before, merchant),
    ...planned,
    ...plannedMakers,
    ...rates,
    ...shops,
    changedMethods: plannedMethods.changed,
    mail: plannedMail.settings,
    changes: [merchantChanges, ...parts.map(({ changes }) => changes)].flat(),
    warnings: [
      ...readinessWarnings({
        installations: file.installations ?? [],
        hasInstallation,
        hasZone: (file.shipping ?? shippingZones).length > 0,
        hasTaxRate: (file.taxes ?? taxRates).length > 0,
        ...sellingAfter(file, selling),
      }),
      ...methodWarnings(plannedMethods.settings, [...installations, ...shops.newInstallations], liveAccounts),
    ],
  }
  const redirectHosts = new Map(installations.map((installation) => [installation.id, installation.redirectHosts]))
  const known = { categories, taxRates, shippingZones, methods, redirectHosts }
  return { ...plan, entries: [...foundationEntries(plan, known)] }
}

function hasSome(made: readonly object[], known: readonly { disabledAt: number | null }[]): boolean {
  return made.length > 0 || known.some(({ disabledAt }) => disabledAt === null)
}

async function plannedMakersOf(db: Reader, file: ShopFile, merchantId: string, now: number): Promise<MakerPlan> {
  const makers = await listMakers(db, merchantId, { part: '', after: '', limit: makersMax })
  const plan = planMakers(file.makers ?? [], makers, now)
  if (makers.length + plan.newMakers.length > makersMax) throw refuse('maker_limit')
  return plan
}

async function refuseOtherCurrency(db: Reader, before: Merchant | undefined, merchant: Merchant): Promise<void> {
  if (!before || before.currency === merchant.currency) return
  if ((await listProductsAfterId(db, merchant.id, '', 1)).length === 0) return
  const message = `The currency cannot change from ${before.currency} to ${merchant.currency}: there are prices in ${before.currency}.`
  throw refuse('currency_not_changeable', { message, current: { currency: before.currency } })
}

// Returns whether the shop sells and ships anything once the file is applied. A product that the file unpublishes still counts until the
// file is applied again.
function sellingAfter({ products = [] }: ShopFile, before: { sells: boolean; ships: boolean }) {
  const published = products.filter(({ published = true }) => published)
  const isShipped = ({ requiresShipping = true }: SkuEntry) => requiresShipping
  return {
    sells: before.sells || published.length > 0,
    ships: before.ships || published.some(({ skus }) => skus.some(isShipped)),
  }
}
