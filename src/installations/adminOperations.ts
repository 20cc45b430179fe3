// The admin operations on the shop: the merchant, taxes, shipping and payment methods.

import { type AuditedChange, membersChanged } from '../audit/change.ts'
import { subjectChangeView } from '../audit/view.ts'
import type { AdminShop, shopRows } from '../contract/admin/shop.ts'
import type { EventDataOf } from '../contract/open/events.ts'
import { manualMethods, modes } from '../contract/words.ts'
import { announce, type Moment } from '../events/announce.ts'
import type { AdminHandler } from '../http/admin.ts'
import { refuseProblems, versionConflict } from '../http/adminReply.ts'
import { Audited } from '../http/handler.ts'
import { listActiveInstallations } from '../inventory/store.ts'
import { clockSkewMsMax } from '../kit/instant.ts'
import type { MerchantMode } from '../kit/mode.ts'
import { controlCharacters, type Problem } from '../kit/problems.ts'
import { refuse } from '../kit/refuse.ts'
import { listLivingAccounts } from '../payments/accounts.ts'
import { findMethodSettings, lacksInstructions, listMethodSettings, saveMethodSettings } from '../payments/methods.ts'
import type { Reader, Tx } from '../storage/storage.ts'
import {
  isInAnswers,
  isTimeZone,
  merchantMembers,
  merchantProblems,
  planMerchant,
  planRates,
  shippingProblems,
  shopEntryOf,
  taxEntriesOf,
  taxMembers,
  taxProblems,
  zoneEntriesOf,
  zoneMembers,
} from './settings.ts'
import {
  findMerchantById,
  listShippingZones,
  listTaxRates,
  lockMerchantById,
  type Merchant,
  markAllStale,
  raiseCatalogVersion,
  raiseShopVersion,
  replaceShippingZones,
  replaceTaxRates,
  updateMerchant,
} from './store.ts'

export interface AdminShopParts {
  // The days of the merchant's reports begin at other times now.
  timeZoneChanged(tx: Tx, merchantId: string): Promise<void>
}

export function adminShopOperations({ timeZoneChanged }: AdminShopParts): {
  [Id in keyof typeof shopRows]: AdminHandler<Id>
} {
  return {
    async getAdminShop({ db, caller }) {
      return { data: await shopView(db, caller) }
    },

    async updateAdminShop({ db, caller, body, now, cause }) {
      const { idempotencyKey: _, expectedVersion, timeZone, legal, ...given } = body
      const before = await lockShop(db, caller, expectedVersion)
      const { legal: legalBefore, ...stored } = shopEntryOf(before)
      const kept = legal === undefined ? legalBefore : (legal ?? undefined)
      const entry = { ...stored, ...given, ...(kept && { legal: kept }) }
      refuseProblems('', [
        ...controlCharacters(entry, ''),
        ...merchantProblems(entry),
        ...(timeZone === undefined || isTimeZone(timeZone) ? [] : [noTimeZone]),
      ])
      const merchant: Merchant = { ...planMerchant(entry, before).merchant, timeZone: timeZone ?? before.timeZone }
      const members = membersChanged(before, merchant, [...merchantMembers, 'timeZone'])
      if (members.length > 0) {
        await updateMerchant(db, merchant, now.getTime())
        if (merchant.timeZone !== before.timeZone) await timeZoneChanged(db, merchant.id)
        // Backdated by the maximum clock skew, so nodes with slow clocks also see it as stale.
        if (isInAnswers(before, merchant)) await markAllStale(db, merchant.id, now.getTime() - clockSkewMsMax)
      }
      return shopChanged(db, caller, before, [{ what: 'merchant', members }], { now: now.getTime(), cause })
    },

    async replaceAdminTaxes({ db, caller, body: { taxes, expectedVersion, dryRun = false }, now, cause }) {
      refuseProblems('/taxes', taxProblems(taxes))
      const before = await lockShop(db, caller, expectedVersion)
      const stored = await listTaxRates(db, caller.merchantId)
      const { taxRates } = planRates({ taxes }, { taxRates: stored, shippingZones: [] })
      const members = taxRates ? taxMembers(stored, taxRates) : []
      if (dryRun) return dryAnswer(db, caller, before, [{ what: 'taxes', members }])
      if (taxRates) {
        await replaceTaxRates(db, caller.merchantId, taxRates)
        await raiseShopVersion(db, caller.merchantId, now.getTime())
      }
      return shopChanged(db, caller, before, [{ what: 'taxes', members }], { now: now.getTime(), cause })
    },

    async replaceAdminShipping({ db, caller, body: { shipping, expectedVersion, dryRun = false }, now, cause }) {
      refuseProblems('/shipping', [...controlCharacters(shipping, ''), ...shippingProblems(shipping)])
      const before = await lockShop(db, caller, expectedVersion)
      const stored = await listShippingZones(db, caller.merchantId)
      const { shippingZones } = planRates({ shipping }, { taxRates: [], shippingZones: stored })
      const members = shippingZones ? zoneMembers(stored, shippingZones) : []
      if (dryRun) return dryAnswer(db, caller, before, [{ what: 'shipping', members }])
      if (shippingZones) {
        await replaceShippingZones(db, caller.merchantId, shippingZones)
        await raiseShopVersion(db, caller.merchantId, now.getTime())
      }
      return shopChanged(db, caller, before, [{ what: 'shipping', members }], { now: now.getTime(), cause })
    },

    async updateAdminPaymentProvider({ db, caller, path: { provider }, body, now, cause }) {
      const { mode } = caller
      const stored = await findMethodSettings(db, caller.merchantId, { mode, method: provider })
      if (!stored) throw refuse('payment_provider_not_found')
      const { enabled, instructions = stored.instructions, termDays = stored.termDays } = body
      const after = { ...stored, isOffered: enabled, instructions, termDays, isDefault: false }
      refuseProblems('', [
        ...controlCharacters({ instructions }, ''),
        ...(lacksInstructions(after) ? [noInstructions] : []),
      ])
      const before = await lockShop(db, caller, body.expectedVersion)
      const members = membersChanged(shownMethod(stored), shownMethod(after), ['enabled', 'instructions', 'termDays'])
      if (members.length > 0) {
        await saveMethodSettings(db, caller.merchantId, after, now.getTime())
        await raiseShopVersion(db, caller.merchantId, now.getTime())
      }
      const change = { what: 'payment_method', name: `${mode} ${provider}`, members } as const
      return shopChanged(db, caller, before, [change], { now: now.getTime(), cause })
    },
  }
}

const noTimeZone: Problem = { path: '/timeZone', message: 'is not a time zone of IANA, such as Europe/Berlin' }
const noInstructions: Problem = {
  path: '/instructions',
  message: 'is needed: it tells shoppers where to send the money',
}

function shownMethod({
  isOffered,
  instructions,
  termDays,
}: {
  isOffered: boolean
  instructions: string | null
  termDays: number | null
}) {
  return { enabled: isOffered, instructions, termDays }
}

async function lockShop(tx: Tx, caller: MerchantMode, expectedVersion: number): Promise<Merchant> {
  const merchant = await lockMerchantById(tx, caller.merchantId)
  if (!merchant) throw new Error(`${caller.merchantId} is called for and does not exist`)
  if (merchant.version !== expectedVersion) throw versionConflict(await shopView(tx, caller))
  return merchant
}

interface ShopChange {
  what: 'merchant' | 'taxes' | 'shipping' | 'payment_method'
  name?: string
  members: AuditedChange['members']
}

function auditedOf({ id, slug }: Merchant, changes: readonly ShopChange[]): AuditedChange[] {
  return changes
    .filter(({ members }) => members.length > 0)
    .map(({ what, name = slug, members }) => ({ kind: 'change', what, id, name, members }))
}

async function dryAnswer(db: Reader, caller: MerchantMode, merchant: Merchant, changes: readonly ShopChange[]) {
  return new Audited(
    { data: await shopView(db, caller), changes: auditedOf(merchant, changes).map(subjectChangeView) },
    [],
  )
}

// Price books of carts are cached by the catalog's version.
async function shopChanged(
  tx: Tx,
  caller: MerchantMode,
  merchant: Merchant,
  changes: readonly ShopChange[],
  moment: Moment,
) {
  const audited = auditedOf(merchant, changes)
  if (audited.length > 0) await raiseCatalogVersion(tx, merchant.id)
  const data = await shopView(tx, caller)
  if (audited.length > 0) await announceShop(tx, data, moment)
  return new Audited({ data, changes: audited.map(subjectChangeView) }, audited)
}

async function announceShop(tx: Tx, { id, version, shop: { slug } }: AdminShop, moment: Moment): Promise<void> {
  const data: EventDataOf<'shop.updated'> = { shop: { id, slug, version } }
  const subject = { type: 'merchant', id } as const
  const event = { kind: 'shop.updated', subject, sequence: version, dataText: JSON.stringify(data), ...moment } as const
  for (const mode of modes)
    for (const { id: installationId } of await listActiveInstallations(tx, { merchantId: id, mode }))
      announce(tx, { installationId, mode, ...event })
}

async function shopView(db: Reader, { merchantId, mode }: MerchantMode): Promise<AdminShop> {
  const [merchant, taxes, zones, methods, accounts] = await Promise.all([
    findMerchantById(db, merchantId),
    listTaxRates(db, merchantId),
    listShippingZones(db, merchantId),
    listMethodSettings(db, merchantId),
    listLivingAccounts(db, { merchantId, mode }),
  ])
  if (!merchant) throw new Error(`${merchantId} is called for and does not exist`)
  return {
    id: merchant.id,
    version: merchant.version,
    shop: shopEntryOf(merchant),
    timeZone: merchant.timeZone,
    taxes: taxEntriesOf(taxes),
    shipping: zoneEntriesOf(zones),
    paymentMethods: manualMethods.flatMap((method) => {
      const settings = methods.find((one) => one.mode === mode && one.method === method)
      return settings ? [{ provider: method, ...shownMethod(settings) }] : []
    }),
    paymentAccounts: accounts.map(({ provider, public: facts }) => ({ provider, name: facts.name ?? null })),
  }
}
