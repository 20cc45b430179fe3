// What the suite of all payment providers (src/domain/payments/providers/providers.test.ts) needs of one: the provider, and a hand on the service
// behind it, which is a stand-in or the provider's own records.

import type { AccountRow } from '../src/domain/payments/accounts.ts'
import type { Charge, MethodDetails, PaymentProvider } from '../src/domain/payments/port.ts'

export interface ProviderBench {
  provider: PaymentProvider
  // What a shopper could choose and type, which ends well.
  method: string
  details: MethodDetails
  // Left out where nobody at the other end keeps books.
  books?: ProviderBooks
  // Left out where `start` itself takes the money.
  shopper?: {
    // What the shopper does at the provider. `later`: a debit or transfer, which is decided in days.
    act(charge: Charge, what: 'pay' | 'fail' | 'leave' | 'later'): Promise<void>
    // How it is decided.
    settle(charge: Charge, how: 'paid' | 'failed'): Promise<void>
  }
  // Left out where there is no network in between.
  network?: {
    // The next request that makes something is lost, before or after the work was done.
    lose(when: 'before' | 'after', what: 'charge' | 'refund'): void
    // Idempotency keys are forgotten, as they are after days.
    forgetKeys(): void
  }
  close?(): Promise<void>
}

export interface ProviderBooks {
  // How many charges there are under the key, paid or not, and how much went back.
  of(charge: Charge): Promise<{ charges: number; refunded: number }>
  // Refunds under way arrive. Left out where they are paid at once.
  payRefunds?(): Promise<void>
  // What the merchant does in the dashboard of the provider, in minor units.
  refund?(charge: Charge, amount: number): Promise<void>
  // The bank takes the money back.
  dispute?(charge: Charge): Promise<void>
  // Whether a key that was never started can be closed: a start that arrives later is declined.
  closesUnknownKeys: boolean
  // A look-up without the reference makes a record that no shopper has seen, so it is never `absent`.
  makesByLookingUp?: boolean
}

// An account that was connected in test mode.
export function connectedAccount(account: Pick<AccountRow, 'provider' | 'public'>): AccountRow {
  return {
    merchantId: 'mer_1',
    id: 'pac_1',
    mode: 'test',
    secretsSealed: '',
    previousSealed: null,
    previousUntil: null,
    seenUntil: null,
    endedAt: null,
    createdAt: 0,
    updatedAt: 0,
    ...account,
  }
}
