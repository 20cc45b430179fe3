// The admin operations on the shop: the merchant, taxes, shipping and payment methods.

import type { shopOperationRows } from '../../contract/admin/shop.ts'
import { issueAt } from '../../contract/issues.ts'
import { membersChanged } from '../../platform/audit/change.ts'
import { subjectChangeView } from '../../platform/audit/view.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { refuseProblems, versionConflict } from '../../platform/http/adminreply.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { controlCharacterProblems, type EntryProblem } from '../../platform/kit/problems.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { findMethodSettings, lacksInstructions, saveMethodSettings } from '../payments/methods.ts'
import {
  merchantMembers,
  merchantProblems,
  planMerchant,
  planRates,
  shippingProblems,
  shopEntryOf,
  taxMembers,
  taxProblems,
  zoneMembers,
} from './settings.ts'
import {
  type AdminShopParts,
  announceShop,
  type ShopChange,
  saveMerchant,
  shopAuditChanges,
  shopView,
  shownMethod,
} from './shop.ts'
import {
  hasProducts,
  listShippingZones,
  listTaxRates,
  lockMerchantById,
  type Merchant,
  raiseCatalogVersion,
  raiseShopVersion,
  replaceShippingZones,
  replaceTaxRates,
} from './store.ts'

export function adminShopOperations(parts: AdminShopParts): {
  [Id in keyof typeof shopOperationRows]: AdminHandler<Id>
} {
  return {
    async getAdminShop({ db, caller }) {
      return { data: await shopView(db, parts, caller) }
    },

    async updateAdminShop({ db, caller, body, now, cause }) {
      const { idempotencyKey: _, expectedVersion, timeZone, legal, ...given } = body
      const before = await lockShop(db, parts, caller, expectedVersion)
      const { legal: legalBefore, ...stored } = shopEntryOf(before)
      const kept = legal === undefined ? legalBefore : (legal ?? undefined)
      const entry = { ...stored, ...given, ...(kept && { legal: kept }) }
      refuseProblems('', [...controlCharacterProblems(entry, ''), ...merchantProblems({ ...entry, timeZone })])
      if (entry.currency !== before.currency) await refuseCurrencyChange(db, before.id)
      const { merchant } = planMerchant({ ...entry, timeZone }, before)
      const members = membersChanged(before, merchant, merchantMembers)
      if (members.length > 0) await saveMerchant(db, parts, before, merchant, now.getTime())
      return shopChanged(db, parts, caller, before, [{ what: 'merchant', members }], { now: now.getTime(), cause })
    },

    async replaceAdminTaxes({ db, caller, body: { taxes, expectedVersion, dryRun = false }, now, cause }) {
      refuseProblems('/taxes', taxProblems(taxes))
      const before = await lockShop(db, parts, caller, expectedVersion)
      const stored = await listTaxRates(db, caller.merchantId)
      const { taxRates } = planRates({ taxes }, { taxRates: stored, shippingZones: [] })
      const members = taxRates ? taxMembers(stored, taxRates) : []
      if (dryRun) return dryAnswer(db, parts, caller, before, [{ what: 'taxes', members }])
      if (taxRates) {
        await replaceTaxRates(db, caller.merchantId, taxRates)
        await raiseShopVersion(db, caller.merchantId, now.getTime())
      }
      return shopChanged(db, parts, caller, before, [{ what: 'taxes', members }], { now: now.getTime(), cause })
    },

    async replaceAdminShipping({ db, caller, body: { shipping, expectedVersion, dryRun = false }, now, cause }) {
      refuseProblems('/shipping', [...controlCharacterProblems(shipping, ''), ...shippingProblems(shipping)])
      const before = await lockShop(db, parts, caller, expectedVersion)
      const stored = await listShippingZones(db, caller.merchantId)
      const { shippingZones } = planRates({ shipping }, { taxRates: [], shippingZones: stored })
      const members = shippingZones ? zoneMembers(stored, shippingZones) : []
      if (dryRun) return dryAnswer(db, parts, caller, before, [{ what: 'shipping', members }])
      if (shippingZones) {
        await replaceShippingZones(db, caller.merchantId, shippingZones)
        await raiseShopVersion(db, caller.merchantId, now.getTime())
      }
      return shopChanged(db, parts, caller, before, [{ what: 'shipping', members }], { now: now.getTime(), cause })
    },

    async updateAdminPaymentProvider({ db, caller, path: { provider }, body, now, cause }) {
      const { mode } = caller
      const stored = await findMethodSettings(db, caller.merchantId, { mode, method: provider })
      if (!stored) throw refuse('payment_provider_not_found')
      const { enabled, instructions = stored.instructions, termDays = stored.termDays } = body
      const after = { ...stored, isOffered: enabled, instructions, termDays, isDefault: false }
      refuseProblems('', [
        ...controlCharacterProblems({ instructions }, ''),
        ...(lacksInstructions(after) ? [noInstructions] : []),
      ])
      const before = await lockShop(db, parts, caller, body.expectedVersion)
      const members = membersChanged(shownMethod(stored), shownMethod(after), ['enabled', 'instructions', 'termDays'])
      if (members.length > 0) {
        await saveMethodSettings(db, caller.merchantId, after, now.getTime())
        await raiseShopVersion(db, caller.merchantId, now.getTime())
      }
      const change = { what: 'payment_method', name: `${mode} ${provider}`, members } as const
      return shopChanged(db, parts, caller, before, [change], { now: now.getTime(), cause })
    },
  }
}

// Refuses a change of the currency once there are products, because their prices are in the shop's currency.
export async function refuseCurrencyChange(tx: Tx, merchantId: string): Promise<void> {
  if (await hasProducts(tx, merchantId)) throw refuse('currency_not_changeable')
}

const noInstructions: EntryProblem = issueAt('/instructions', 'instructions_needed')

async function lockShop(
  tx: Tx,
  parts: AdminShopParts,
  caller: MerchantMode,
  expectedVersion: number,
): Promise<Merchant> {
  const merchant = await lockMerchantById(tx, caller.merchantId)
  if (!merchant) throw new Error(`merchant ${caller.merchantId} does not exist`)
  if (merchant.version !== expectedVersion) throw versionConflict(await shopView(tx, parts, caller))
  return merchant
}

async function dryAnswer(
  db: Reader,
  parts: AdminShopParts,
  caller: MerchantMode,
  merchant: Merchant,
  changes: readonly ShopChange[],
) {
  return new AuditedReply(
    { data: await shopView(db, parts, caller), changes: shopAuditChanges(merchant, changes).map(subjectChangeView) },
    [],
  )
}

// Also raises the version of the catalog, because the price books of carts are cached by this version.
async function shopChanged(
  tx: Tx,
  parts: AdminShopParts,
  caller: MerchantMode,
  merchant: Merchant,
  changes: readonly ShopChange[],
  context: ChangeContext,
) {
  const audited = shopAuditChanges(merchant, changes)
  if (audited.length > 0) await raiseCatalogVersion(tx, merchant.id)
  const data = await shopView(tx, parts, caller)
  if (audited.length > 0) await announceShop(tx, data, context)
  return new AuditedReply({ data, changes: audited.map(subjectChangeView) }, audited)
}
