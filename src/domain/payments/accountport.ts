// The port to providers that work with an account of the merchant: how one is connected, checked and given up, and the payment
// provider that it makes. What an operator types goes through here, and is stored sealed.

import type { Mode } from '../../contract/words.ts'
import type { AccountFacts, AccountRow, AccountSecrets } from './accounts.ts'
import type { KeyAnswer } from './health.ts'
import type { PaymentProvider } from './port.ts'

// One line that the operator types.
export interface AccountQuestion {
  name: string
  // With an example of what is asked for.
  label: string
}

export interface OpenAccount {
  account: AccountRow
  secrets: AccountSecrets
  // Secrets from before rotations that are still accepted, newest first.
  previous: readonly AccountSecrets[]
  // Where the provider may send webhooks; null where it cannot reach us.
  noticeUrl: string | null
  // To be called with what each answer says of the key. Left out where nobody watches.
  onCall?: (answer: KeyAnswer) => void
  // The host of the page on which shoppers pay; null where it is not one of the internet, reached by https.
  pageHost: string | null
}

export interface ConnectRequest {
  // By the names of the questions.
  answers: Readonly<Record<string, string>>
  mode: Mode
  noticeUrl: string | null
  pageHost: string | null
}

export interface ConnectedAccount {
  public: AccountFacts
  secrets: AccountSecrets
}

// The provider does not accept what was typed. The sentence is for the operator and quotes no key.
export class AccountRefused extends Error {}

export interface AccountProvider {
  readonly name: string
  readonly questions: readonly AccountQuestion[]
  // Which of the public facts names the account there. It stays the same when keys are replaced.
  readonly accountFact: string
  // Asks the provider what the key belongs to, and makes there what webhooks and the page need, where
  // they have an address.
  connect(request: ConnectRequest, signal: AbortSignal): Promise<ConnectedAccount>
  // What is wrong with the account now, a sentence each for the operator.
  check(open: OpenAccount, signal: AbortSignal): Promise<readonly string[]>
  // Removes at the provider what `connect` made there.
  disconnect(open: OpenAccount, signal: AbortSignal): Promise<void>
  // What the operator does by hand where the provider was not told the webhook address.
  noticeHelp(noticeUrl: string): string
  // The name of the secret that signs webhooks, among the account's secrets; null where they are not signed.
  readonly noticeSecret: string | null
  open(account: OpenAccount): PaymentProvider
}
