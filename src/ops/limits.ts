// Rate limits for API clients and forms: all throttles of one process. Without a rate in the settings, nothing is limited.

import { addressBucket, createThrottle, type Throttle, type ThrottleOptions } from '../platform/access/throttle.ts'
import type { Rate } from '../platform/config.ts'
import type { Throttles } from '../platform/http/admission.ts'
import { documentsOfNetwork } from '../web/consent/documents.ts'

const rates = {
  oauth: { perSecond: 20, burst: 60 },
  installing: { perSecond: 2, burst: 60 },
  clientDocuments: documentsOfNetwork,
  signIn: { perSecond: 20, burst: 60 },
  // Forms of pages, and reads of expensive pages, such as a checkout or an order. Limits per address are higher than per checkout
  // session: many shoppers share the address of a company or a mobile network, but only one fills in a checkout.
  looksOfAddress: { perSecond: 40, burst: 120 },
  postsOfAddress: { perSecond: 20, burst: 60 },
  postsOfSession: { perSecond: 2, burst: 20 },
  // Calls to payment providers about accounts. A person enters keys a few times and does not guess them.
  paymentAccounts: { perSecond: 1 / 20, burst: 20 },
  // Confirmed withdrawals. Nobody makes so many by hand. A shopper who is refused gets the typed text back and can submit it again.
  withdrawalsOfAddress: { perSecond: 0.2, burst: 30 },
  withdrawalsOfShop: { perSecond: 5, burst: 300 },
  // Messages to merchants. A shopper writes a few; a merchant can read some hundred a day at most.
  messagesOfAddress: { perSecond: 1 / 300, burst: 5 },
  messagesOfShop: { perSecond: 1 / 60, burst: 60 },
  refusedProviderWebhooks: { perSecond: 5, burst: 60 },
} satisfies Readonly<Record<string, ThrottleOptions>>

type RateName = keyof typeof rates

export interface AppLimits extends Readonly<Record<RateName, Throttle | null>> {
  surfaces: Throttles
}

export function createLimits(rate: Rate | null): AppLimits {
  const throttles = Object.entries(rates).map(([name, options]) => [name, rate && createThrottle(options)])
  return { ...(Object.fromEntries(throttles) as Record<RateName, Throttle | null>), surfaces: surfaceLimits(rate) }
}

// Unauthenticated reads and wrong keys are limited by address.
function surfaceLimits(rate: Rate | null): Throttles {
  if (!rate) return { byCredential: null, byAddress: null, byFailedAddress: null, byVisitor: null }
  return {
    byCredential: createThrottle(rate),
    byAddress: createThrottle({ perSecond: 20, burst: 60 }),
    byFailedAddress: createThrottle({ perSecond: 5, burst: 60 }),
    byVisitor: createThrottle({ perSecond: 10, burst: 60 }),
  }
}

// Takes from the limit of the address, then from that of the shop. Returns 0 if the request is admitted, or the time to wait.
export function throttleWaitMs(
  { ofAddress, ofShop }: Readonly<Record<'ofAddress' | 'ofShop', Throttle | null>>,
  { shopId, address, now }: { shopId: string; address: string; now: number },
): number {
  return ofAddress?.take(addressBucket(address), now) || ofShop?.take(shopId, now) || 0
}
