// Context of the last transaction of a payment: the locked rows, and the payment, time and cause of the change.

import type { Cause } from '../../../platform/outbox/announce.ts'
import type { Tx } from '../../../platform/storage/storage.ts'
import type { CartRow } from '../../carts/store.ts'
import type { ProviderOutcome, ProviderState } from '../../payments/port.ts'
import type { PaymentRow } from '../../payments/store.ts'
import type { SessionRow } from '../store.ts'
import type { PayTools } from '../tools.ts'

export interface Settlement {
  tools: PayTools
  tx: Tx
  session: SessionRow
  // The cart as it was read with the session.
  cart?: CartRow | undefined
  // In completeSession and the functions it calls: the payment as it will be saved.
  payment: PaymentRow
  // Moves money from another order after the stock is sold. Returns it as further payments of the new order.
  collectOthers?: () => Promise<readonly PaymentRow[]>
  now: number
  cause: Cause | null
  // Sends the sale and everything after it in one round trip, before shortages are known. If the stock is short, the transaction is
  // rolled back and repeated without this.
  isHasty?: boolean
}

// `isDoubtful`: we closed the payment as declined, but the provider does not know it, so it is looked up again. `isWithdrawn`: the
// shopper went back to pay in another way, which is not a failure.
export type PaymentOutcome = ProviderOutcome & {
  isDoubtful?: boolean
  isWithdrawn?: boolean
  providerState?: ProviderState
}

// The provider of payments of 0, which are approved without calling a provider.
export const nothingDue = 'none'

// A challenge to which the shopper does not respond for this long is closed.
export const challengeMs = 30 * 60_000
