// The payment handlers that a shop offers now.

import type { AgentShop } from '../../../domain/agents/store.ts'
import type { PayTools } from '../../../domain/checkout/tools.ts'
import { reversedHost, type ShownHandler } from './profile.ts'

export async function handlersOf(
  { storage, providers, publicOrigin }: PayTools,
  shop: AgentShop,
): Promise<ShownHandler[]> {
  const { mode, name: merchantName, currency } = shop
  const offered =
    shop.hasAccounts === 1
      ? await storage.read((db) => providers.offered(db, { ...shop, hasAccounts: true }))
      : providers.offeredToAll(mode)
  return offered.flatMap(({ provider }) =>
    (provider.tokens ?? []).map(({ id, name, ownName, version, instruments, config, delegatedTo }) => ({
      id,
      name: name ?? `${reversedHost(publicOrigin())}.${ownName}`,
      version,
      instruments,
      config: config?.({ mode, merchantName, currency }),
      psp: provider.name,
      delegatedTo,
    })),
  )
}
