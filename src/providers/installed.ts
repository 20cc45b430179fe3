// The providers that this installation of the software brings.

import type { Providers } from '../payments/port.ts'
import type { Storage } from '../storage/storage.ts'
import { manualName, manualProvider } from './manual/provider.ts'
import { createRegistry, type LateAccountProvider, type ProviderUrls, type RegistryParts } from './registry.ts'
import { createSandboxProvider, sandboxName } from './sandbox/provider.ts'

export type InstalledParts = Omit<RegistryParts, 'withoutAccount' | 'withAccount'> & { storage: Storage }

export function accountProviders(_urls: ProviderUrls): Readonly<Record<string, LateAccountProvider>> {
  return {}
}

export const installedNames: readonly string[] = [sandboxName, manualName, ...Object.keys(accountProviders({}))]

export function installedProviders({ storage, ...parts }: InstalledParts): Providers {
  return createRegistry({
    ...parts,
    // In the order in which the page offers their methods.
    withoutAccount: [createSandboxProvider({ storage, clock: parts.clock }), manualProvider],
    withAccount: accountProviders(parts.providerUrls),
  })
}
