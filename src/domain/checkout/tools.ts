// Dependencies of paying, for servers and for commands of the operator.

import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { createPricebooks } from '../carts/pricebook.ts'
import { type AccountHealth, createAccountHealth } from '../payments/health.ts'
import type { Providers } from '../payments/port.ts'
import { installedProviders } from '../payments/providers/installed.ts'
import type { ProviderUrls } from '../payments/providers/registry.ts'
import type { OnStep } from '../payments/steps.ts'
import type { PaymentWatch } from '../payments/watch.ts'
import { createAskVat } from '../vat/asking.ts'
import { testRegister } from '../vat/port.ts'
import { createVies, viesUrl } from '../vat/vies.ts'
import { createCustomerKey } from './customer.ts'
import { refreshSessions } from './refresh.ts'
import type { CheckoutTools } from './sessions.ts'
import { createVatChecks } from './vatcheck.ts'

export interface PayTools extends CheckoutTools {
  storage: Storage
  providers: Providers
  watch: PaymentWatch
  health: AccountHealth
  clock: () => Date
  // Whether shoppers must wait after repeated declines.
  boundsTries: boolean
  // For tests: the timeout of a call to a provider.
  callMsMax?: number
  onStep?: OnStep
}

export interface PayParts {
  storage: Storage
  rootSecret: RootSecret
  publicOrigin: () => string
  clock: () => Date
  watch: PaymentWatch
  // How long a cart lasts after its last change.
  cartsIdleMs: number
  boundsTries: boolean
  providerUrls: ProviderUrls
}

export function createPayTools(parts: PayParts): PayTools {
  const { storage, rootSecret, publicOrigin, clock, watch, cartsIdleMs, boundsTries, providerUrls } = parts
  const health = createAccountHealth({ storage, clock, watch })
  const vatRegisters = {
    live: createAskVat({ register: createVies(providerUrls.vies ?? viesUrl), clock }),
    test: testRegister,
  }
  const tools = {
    carts: {
      pricebooks: createPricebooks(),
      pictureUrl: (picture: string) => (picture.startsWith('/media/') ? publicOrigin() + picture : picture),
      idleMs: cartsIdleMs,
      refreshSessions: refreshSessions,
    },
    rootSecret,
    customerKey: createCustomerKey(rootSecret),
    publicOrigin,
    storage,
    providers: installedProviders({ storage, clock, rootSecret, publicOrigin, providerUrls, watch, health }),
    watch,
    health,
    clock,
    boundsTries,
  }
  return { ...tools, startVatCheck: createVatChecks(tools, vatRegisters) }
}
