// Announces to every active installation of a merchant in a mode that a promotion has reached its limit in that mode. The events are
// written in the transaction that reached the limit.

import type { EventDataOf } from '../../contract/open/events.ts'
import { modes } from '../../contract/words.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { announce, type ChangeContext } from '../../platform/outbox/announce.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { listActiveInstallations } from '../inventory/store.ts'
import { findPromotion, type Promotion, raisePromotionVersion } from './store.ts'

// Called when an order has counted its use and is certain to be placed: a use that is counted and released in one
// transaction is not announced. Counting increments the version and locks the row, so no other order sees the limit
// reached at this version.
export async function announceIfUsedUp(
  tx: Tx,
  seller: MerchantMode,
  promotion: Promotion,
  context: ChangeContext,
): Promise<void> {
  if (isUsedUp(promotion, promotion.usageLimit)) await announceExhausted(tx, seller, promotion, context)
}

// Called after the limit of a promotion was changed. A limit that was already reached is not announced again. Orders may have used the
// promotion since it was read, so the uses are read again under the lock that the change has taken.
export async function announceIfLimitNowReached(
  tx: Tx,
  merchantId: string,
  { promotionId, limitBefore }: { promotionId: string; limitBefore: number | null },
  context: ChangeContext,
): Promise<void> {
  for (const mode of modes) {
    const promotion = await findPromotion(tx, { merchantId, mode }, promotionId)
    if (promotion && isUsedUp(promotion, promotion.usageLimit) && !isUsedUp(promotion, limitBefore)) {
      await announceExhausted(tx, { merchantId, mode }, promotion, context)
      // The event of the edit itself follows and needs a sequence of its own.
      await raisePromotionVersion(tx, { merchantId, mode }, promotionId)
    }
  }
}

function isUsedUp({ used }: Promotion, usageLimit: number | null): boolean {
  return usageLimit !== null && used >= usageLimit
}

async function announceExhausted(
  tx: Tx,
  seller: MerchantMode,
  promotion: Promotion,
  context: ChangeContext,
): Promise<void> {
  const { id, code, name, type, usageLimit, used, version } = promotion
  const data: EventDataOf<'promotion.exhausted'> = {
    promotion: { id, code, name, type, usageLimit: usageLimit ?? used, usageCount: used },
  }
  const event = {
    kind: 'promotion.exhausted',
    subject: { type: 'promotion', id },
    sequence: version,
    dataText: JSON.stringify(data),
    ...context,
  } as const
  for (const { id: installationId } of await listActiveInstallations(tx, seller))
    announce(tx, { installationId, mode: seller.mode, ...event })
}
