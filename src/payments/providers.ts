// The providers that this installation of the software brings, in the order in which the page offers their methods.

import type { Storage } from '../storage/storage.ts'
import { manualProvider } from './manual.ts'
import { createProviders, type Providers } from './port.ts'
import { createTestProvider } from './test.ts'

export function installedProviders(storage: Storage, clock: () => Date): Providers {
  return createProviders([createTestProvider({ storage, clock }), manualProvider])
}
