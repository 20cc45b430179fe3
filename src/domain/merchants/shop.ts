// The shop as the merchant sees it, and what every change of the shop writes: an entry in the list of changes, and an event.

import type { AdminShop } from '../../contract/admin/shop.ts'
import type { EventDataOf } from '../../contract/open/events.ts'
import { manualMethods, modes } from '../../contract/words.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import { clockSkewMsMax } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { announce, type ChangeContext } from '../../platform/outbox/announce.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { listActiveInstallations } from '../inventory/store.ts'
import { listLivingAccounts } from '../payments/accounts.ts'
import { listProblems } from '../payments/health.ts'
import { listMethodSettings } from '../payments/methods.ts'
import { type AccountViewParts, accountView } from '../payments/view.ts'
import { isInAnswers, shopEntryOf, taxEntriesOf, zoneEntriesOf } from './settings.ts'
import {
  findMerchantById,
  listShippingZones,
  listTaxRates,
  type Merchant,
  markAllProductsStale,
  updateMerchant,
} from './store.ts'

export interface AdminShopParts extends AccountViewParts {
  // Called after the time zone was changed: the days of the merchant's reports then begin at other times.
  timeZoneChanged(tx: Tx, merchantId: string): Promise<void>
  // Called after the logo or the colour was changed: a draft of the look must adopt the change.
  lookChanged(tx: Tx, before: Merchant, after: Merchant, now: number): Promise<void>
}

export async function saveMerchant(
  tx: Tx,
  { timeZoneChanged, lookChanged }: Pick<AdminShopParts, 'timeZoneChanged' | 'lookChanged'>,
  before: Merchant,
  merchant: Merchant,
  now: number,
): Promise<void> {
  await updateMerchant(tx, merchant, now)
  if (merchant.timeZone !== before.timeZone) await timeZoneChanged(tx, merchant.id)
  if (merchant.logo !== before.logo || merchant.color !== before.color) await lookChanged(tx, before, merchant, now)
  // Backdated by the maximum clock skew, so nodes with slow clocks also see the products as stale.
  if (isInAnswers(before, merchant)) await markAllProductsStale(tx, merchant.id, now - clockSkewMsMax)
}

export interface ShopChange {
  what: 'merchant' | 'taxes' | 'shipping' | 'payment_method'
  name?: string
  members: AuditedChange['members']
}

export function shopAuditChanges({ id, slug }: Merchant, changes: readonly ShopChange[]): AuditedChange[] {
  return changes
    .filter(({ members }) => members.length > 0)
    .map(({ what, name = slug, members }) => ({ kind: 'change', what, id, name, members }))
}

export async function announceShop(
  tx: Tx,
  { id, version, shop: { slug } }: Pick<AdminShop, 'id' | 'version'> & { shop: { slug: string } },
  context: ChangeContext,
): Promise<void> {
  const data: EventDataOf<'shop.updated'> = { shop: { id, slug, version } }
  const subject = { type: 'merchant', id } as const
  const event = {
    kind: 'shop.updated',
    subject,
    sequence: version,
    dataText: JSON.stringify(data),
    ...context,
  } as const
  for (const mode of modes)
    for (const { id: installationId } of await listActiveInstallations(tx, { merchantId: id, mode }))
      announce(tx, { installationId, mode, ...event })
}

export async function shopView(
  db: Reader,
  parts: AccountViewParts,
  { merchantId, mode }: MerchantMode,
): Promise<AdminShop> {
  const [merchant, taxes, zones, methods, accounts, problems] = await Promise.all([
    findMerchantById(db, merchantId),
    listTaxRates(db, merchantId),
    listShippingZones(db, merchantId),
    listMethodSettings(db, merchantId),
    listLivingAccounts(db, { merchantId, mode }),
    listProblems(db, merchantId),
  ])
  if (!merchant) throw new Error(`merchant ${merchantId} does not exist`)
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
    paymentAccounts: accounts.map((account) => accountView(parts, account, problems)),
  }
}

export function shownMethod({
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
