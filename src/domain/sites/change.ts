// Opens and closes a site. The caller must have locked the merchant's row.

import type { SiteStatus } from '../../contract/words.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { setRedirectHosts } from '../merchants/store.ts'
import { shopOriginFor } from './hosts.ts'
import { listHosts } from './hoststore.ts'
import type { SiteContext } from './site.ts'
import { ensureSite, findStoredSite, setOpenedAt } from './store.ts'

export async function openOrClose(
  tx: Tx,
  parts: SiteContext,
  seller: MerchantMode,
  wanted: SiteStatus,
  now: number,
): Promise<void> {
  await ensureSite(tx, seller, await redirectHostsFor(tx, parts, seller), now)
  await setOpenedAt(tx, seller, wanted === 'open' ? now : null, now)
}

// Hosts to which the shop's checkout may send shoppers back: our own host and, in live mode, the proved hosts of the shop.
export async function redirectHostsFor(
  db: Reader,
  { publicOrigin }: Pick<SiteContext, 'publicOrigin'>,
  { merchantId, mode }: MerchantMode,
): Promise<string[]> {
  const own = URL.parse(publicOrigin())
  const hosts = mode === 'live' ? await listHosts(db, merchantId) : []
  return [
    ...(own ? [own.host] : []),
    ...hosts.filter(({ provedAt }) => provedAt !== null).map(({ host }) => hostWithPort(host, publicOrigin())),
  ]
}

function hostWithPort(host: string, publicOrigin: string): string {
  return new URL(shopOriginFor(host, publicOrigin)).host
}

// A shop without a site is skipped: its hosts are added when it gets a site.
export async function allowHost(tx: Tx, merchantId: string, host: string, publicOrigin: string): Promise<void> {
  const site = await findStoredSite(tx, { merchantId, mode: 'live' })
  if (!site) return
  const hosts = new Set([...(JSON.parse(site.redirectHosts) as string[]), hostWithPort(host, publicOrigin)])
  await setRedirectHosts(tx, merchantId, site.installationId, JSON.stringify([...hosts]))
}

export async function forbidHost(tx: Tx, merchantId: string, host: string, publicOrigin: string): Promise<void> {
  const site = await findStoredSite(tx, { merchantId, mode: 'live' })
  if (!site) return
  const gone = hostWithPort(host, publicOrigin)
  const hosts = (JSON.parse(site.redirectHosts) as string[]).filter((known) => known !== gone)
  await setRedirectHosts(tx, merchantId, site.installationId, JSON.stringify(hosts))
}
