// Drafts as the merchant sees them. Pure.

import type { CreateDraftResponse, DraftSummary } from '../../contract/admin/drafts.ts'
import type { CheckoutSessionStatus, DraftStatus } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { Pricing } from '../carts/pricing.ts'
import type { CartLine } from '../carts/store.ts'
import { sessionStatusAt } from '../checkout/lifecycle.ts'
import type { DraftOrderRow } from './store.ts'

export type DraftPrices = Pick<CreateDraftResponse['data'], 'items' | 'totals' | 'shipping'>

const statuses: Readonly<Record<CheckoutSessionStatus, DraftStatus>> = {
  open: 'open',
  processing: 'paying',
  completed: 'paid',
  cancelled: 'cancelled',
  expired: 'expired',
}

export function draftStatus(row: Pick<DraftOrderRow, 'status' | 'expiresAt'>, now: number): DraftStatus {
  return statuses[sessionStatusAt(row, now)]
}

export function draftSummary(row: DraftOrderRow, total: number, now: number): DraftSummary {
  const {
    id,
    version,
    mode,
    currency,
    emailMasked,
    orderId,
    orderNumber,
    changesOrder,
    changedNumber,
    createdAt,
    expiresAt,
  } = row
  return {
    id,
    version,
    mode,
    status: draftStatus(row, now),
    emailMasked,
    currency,
    total,
    order: orderId === null || orderNumber === null ? null : { id: orderId, number: orderNumber },
    ofOrder: changesOrder === null || changedNumber === null ? null : { id: changesOrder, number: changedNumber },
    createdAt: toInstant(createdAt),
    expiresAt: toInstant(expiresAt),
  }
}

export function draftPrices(lines: readonly CartLine[], { lines: priced, shipping, totals }: Pricing): DraftPrices {
  const chosen = shipping.options.find(({ id }) => id === shipping.optionId)
  return {
    items: lines.map(({ offer, quantity, seenPrice }, at) => ({
      skuId: offer.skuId,
      code: offer.code,
      name: offer.name,
      options: offer.options.map(({ name, value }) => ({ name, value })),
      quantity,
      unitPrice: seenPrice,
      total: priced[at]?.total ?? 0,
    })),
    totals: { ...totals },
    shipping: chosen ? { label: chosen.label, amount: chosen.amount } : null,
  }
}
