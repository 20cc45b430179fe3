// Undoes changes of the shop: the merchant, taxes, shipping and payment methods. It does not undo changes of accounts at payment
// providers.

import type { AuditedChange } from '../../platform/audit/change.ts'
import {
  notUndoable,
  overtakenRefusal,
  refuseIfOvertaken,
  refuseInvalidUndo,
  reverseChange,
  type UndoAsk,
  type Undoer,
  valuesBefore,
} from '../../platform/audit/undo.ts'
import { findMethodSettings, lacksInstructions, saveMethodSettings } from '../payments/methods.ts'
import {
  merchantMembers,
  planRates,
  shippingProblems,
  shownRates,
  shownZones,
  taxRatesBefore,
  zonesBefore,
} from './settings.ts'
import { type AdminShopParts, announceShop, saveMerchant, shopView, shownMethod } from './shop.ts'
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

export function shopUndoer(parts: AdminShopParts): Undoer {
  return {
    kinds: ['merchant', 'taxes', 'shipping', 'payment_method'],
    async undo(ask) {
      const { tx, seller, changes, dryRun, context } = ask
      const merchant = await lockMerchantById(tx, seller.merchantId)
      if (!merchant) throw new Error(`merchant ${seller.merchantId} does not exist`)
      for (const change of changes) {
        if (change.kind !== 'change') throw notUndoable(change)
        if (change.what === 'merchant') await undoMerchant(ask, change, merchant, parts)
        else {
          await undoTable(ask, change)
          if (!dryRun) await raiseShopVersion(tx, merchant.id, context.now)
        }
      }
      if (!dryRun) {
        await raiseCatalogVersion(tx, merchant.id)
        await announceShop(tx, await shopView(tx, parts, seller), context)
      }
      return changes.map(reverseChange)
    },
  }
}

async function undoMerchant(
  { tx, dryRun, context: { now } }: UndoAsk,
  change: AuditedChange,
  merchant: Merchant,
  parts: AdminShopParts,
): Promise<void> {
  // Products with prices in the current currency may have been added since.
  if (change.members.some(({ member }) => member === 'currency') && (await hasProducts(tx, merchant.id)))
    throw notUndoable(change)
  refuseIfOvertaken(change, merchant)
  const after = { ...merchant, ...valuesBefore<Merchant>(change, merchantMembers) }
  if (!dryRun) await saveMerchant(tx, parts, merchant, after, now)
}

async function undoTable(ask: UndoAsk, change: AuditedChange): Promise<void> {
  const { tx, seller, dryRun } = ask
  const { merchantId } = seller
  // Entries of earlier releases record only the number of rows of a table.
  if (change.members.some(({ member }) => member === 'rows')) throw notUndoable(change)
  if (change.what === 'taxes') {
    const present = await listTaxRates(tx, merchantId)
    refuseIfOvertaken(change, shownRates(present))
    if (!dryRun) await replaceTaxRates(tx, merchantId, taxRatesBefore(present, change.members))
  } else if (change.what === 'shipping') {
    const present = await listShippingZones(tx, merchantId)
    refuseIfOvertaken(change, shownZones(present))
    const shipping = zonesBefore(present, change.members)
    refuseInvalidUndo(change, shippingProblems(shipping))
    const { shippingZones } = planRates({ shipping }, { taxRates: [], shippingZones: present })
    if (!dryRun && shippingZones) await replaceShippingZones(tx, merchantId, shippingZones)
  } else await undoMethod(ask, change)
}

async function undoMethod({ tx, seller, dryRun, context: { now } }: UndoAsk, change: AuditedChange): Promise<void> {
  const [mode, method = ''] = change.name.split(' ')
  // Changes of the other mode cannot be undone here, nor changes that earlier releases recorded for both modes at once.
  if (mode !== seller.mode) throw notUndoable(change)
  const present = await findMethodSettings(tx, seller.merchantId, { mode: seller.mode, method })
  refuseIfOvertaken(change, present && shownMethod(present))
  if (!present) return
  const { enabled, instructions, termDays } = {
    ...shownMethod(present),
    ...valuesBefore<ReturnType<typeof shownMethod>>(change, ['enabled', 'instructions', 'termDays']),
  }
  const after = { ...present, isOffered: enabled, instructions, termDays, isDefault: false }
  if (lacksInstructions(after))
    throw overtakenRefusal(change, `${change.name} cannot be offered without instructions for shoppers.`)
  if (!dryRun) await saveMethodSettings(tx, seller.merchantId, after, now)
}
