// The providers that this server includes.

import { loadOnce } from '../../../platform/kit/late.ts'
import type { Storage } from '../../../platform/storage/storage.ts'
import type { Providers } from '../port.ts'
import { manualName, manualProvider } from './manual/provider.ts'
import { createRegistry, type LoadAccountProvider, type ProviderUrls, type RegistryParts } from './registry.ts'
import { createSandboxProvider, sandboxName } from './sandbox/provider.ts'

export type InstalledParts = Omit<RegistryParts, 'withoutAccount' | 'withAccount'> & { storage: Storage }

// The code of a provider is imported when it is first used.
export function accountProviders(
  urls: ProviderUrls,
  clock = () => new Date(),
): Readonly<Record<string, LoadAccountProvider>> {
  return {
    stripe: loadOnce(async () =>
      (await import('./stripe/account.ts')).createStripeAccounts({ clock, url: urls.stripe }),
    ),
    mollie: loadOnce(async () => (await import('./mollie/account.ts')).createMollieAccounts({ url: urls.mollie })),
  }
}

export const installedNames: readonly string[] = [sandboxName, manualName, ...Object.keys(accountProviders({}))]

export function installedProviders({ storage, ...parts }: InstalledParts): Providers {
  return createRegistry({
    ...parts,
    // In the order in which the page lists their methods.
    withoutAccount: [createSandboxProvider({ storage, clock: parts.clock }), manualProvider],
    withAccount: accountProviders(parts.providerUrls, parts.clock),
  })
}
