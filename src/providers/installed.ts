// The providers that this installation of the software brings, in the order in which the page offers their methods.

import { createProviders, type Providers } from '../payments/port.ts'
import type { Storage } from '../storage/storage.ts'
import { manualProvider } from './manual/provider.ts'
import { createSandboxProvider } from './sandbox/provider.ts'

export function installedProviders(storage: Storage, clock: () => Date): Providers {
  return createProviders([createSandboxProvider({ storage, clock }), manualProvider])
}
