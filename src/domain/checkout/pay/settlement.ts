// What the parts of the last transaction share: the locked rows, and for what, when and why they change.

import type { Cause } from '../../../platform/outbox/announce.ts'
import type { Tx } from '../../../platform/storage/storage.ts'
import type { CartRow } from '../../carts/store.ts'
import type { Outcome, ProviderState } from '../../payments/port.ts'
import type { PaymentRow } from '../../payments/store.ts'
import type { SessionRow } from '../store.ts'
import type { PayTools } from '../tools.ts'

export interface Settlement {
  tools: PayTools
  tx: Tx
  session: SessionRow
  // As it was read with the session.
  cart?: CartRow | undefined
  // In completeSession and what it calls: as it is to be saved.
  payment: PaymentRow
  // Further payments of the same order, by money that moves from another one once the stock is sold.
  collectOthers?: () => Promise<readonly PaymentRow[]>
  now: number
  cause: Cause | null
  // An order may be taken in one flight, to be done again where its stock is short.
  isHasty?: boolean
}

// `isDoubtful`: declined by us, and the provider has nothing to say about it. It is looked up again. `isWithdrawn`: the shopper
// went back to pay in another way, which is not a failure.
export type PaymentOutcome = Outcome & { isDoubtful?: boolean; isWithdrawn?: boolean; providerState?: ProviderState }

// The provider of a payment of 0: the order is approved without asking anyone.
export const nothingDue = 'none'

// A challenge that is not answered for this long is closed.
export const challengeMs = 30 * 60_000
