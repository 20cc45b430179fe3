// Opens and closes a site. To be called with the merchant's row locked.

import type { SiteStatus } from '../../contract/words.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import type { SiteContext } from './site.ts'
import { ensureSite, setOpenedAt } from './store.ts'

export async function openOrClose(
  tx: Tx,
  parts: SiteContext,
  seller: MerchantMode,
  wanted: SiteStatus,
  now: number,
): Promise<void> {
  await ensureSite(tx, seller, ownRedirectHosts(parts), now)
  await setOpenedAt(tx, seller, wanted === 'open' ? now : null, now)
}

// Where the checkout of the shop sends shoppers back to.
export function ownRedirectHosts({ publicOrigin }: Pick<SiteContext, 'publicOrigin'>): string[] {
  const origin = URL.parse(publicOrigin())
  return origin ? [origin.host] : []
}
