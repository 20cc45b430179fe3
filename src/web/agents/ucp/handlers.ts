// The payment handlers that a shop currently offers.

import type { AgentShop } from '../../../domain/agents/store.ts'
import type { PayTools } from '../../../domain/checkout/tools.ts'
import type { OfferedProvider, Providers } from '../../../domain/payments/port.ts'
import { Lru } from '../../../platform/kit/lru.ts'
import { reversedHost, type ShownHandler } from './profile.ts'

// Caches the handlers of shops without provider accounts. The key is everything that the handlers are made from.
const shopsMax = 500
const withoutAccounts = new WeakMap<Providers, Lru<string, readonly ShownHandler[]>>()

export async function listPaymentHandlers(
  { storage, providers, publicOrigin }: PayTools,
  shop: AgentShop,
): Promise<readonly ShownHandler[]> {
  const origin = publicOrigin()
  if (shop.hasAccounts === 1) {
    const offered = await storage.read((db) => providers.offered(db, { ...shop, hasAccounts: true }))
    return shown(offered, shop, origin)
  }
  const kept = withoutAccounts.get(providers) ?? new Lru<string, readonly ShownHandler[]>(shopsMax)
  withoutAccounts.set(providers, kept)
  const key = `${origin} ${shop.mode} ${shop.currency} ${shop.name}`
  const known = kept.get(key) ?? shown(providers.offeredToAll(shop.mode), shop, origin)
  kept.set(key, known)
  return known
}

function shown(
  offered: readonly OfferedProvider[],
  { mode, name: merchantName, currency }: AgentShop,
  origin: string,
): readonly ShownHandler[] {
  return offered.flatMap(({ provider }) =>
    (provider.tokens ?? []).map(({ id, name, ownName, version, instruments, config, delegatedTo }) => ({
      id,
      name: name ?? `${reversedHost(origin)}.${ownName}`,
      version,
      instruments,
      config: config?.({ mode, merchantName, currency }),
      psp: provider.name,
      delegatedTo,
    })),
  )
}
