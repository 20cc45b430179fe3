// The port to providers that work with an account of the merchant: how one is connected, checked and given up, and the payment
// provider that it makes. What an operator types goes through here, and is stored sealed.

import type { Issue } from '../../contract/issues.ts'
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

// The provider does not accept what was typed. The issue quotes no key; its place is below `/keys` where one key is meant.
export class AccountRefused extends Error {
  readonly issue: Issue
  constructor(issue: Issue) {
    super(sentenceOfIssue(issue))
    this.issue = issue
  }
}

// The sentences of accounts begin in lower case and have no full stop.
export function sentenceOfIssue({ message }: Pick<Issue, 'message'>): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
}

export interface AccountProvider {
  readonly name: string
  readonly questions: readonly AccountQuestion[]
  // Which of the public facts names the account there. It stays the same when keys are replaced.
  readonly accountFact: string
  // Asks the provider what the key belongs to, and makes there what webhooks and the page need, where
  // they have an address.
  connect(request: ConnectRequest, signal: AbortSignal): Promise<ConnectedAccount>
  // What is wrong with the account now.
  check(open: OpenAccount, signal: AbortSignal): Promise<readonly Issue[]>
  // Removes at the provider what `connect` made there.
  disconnect(open: OpenAccount, signal: AbortSignal): Promise<void>
  // What the operator does by hand where the provider was not told the webhook address.
  noticeHelp(noticeUrl: string): string
  // The name of the secret that signs webhooks, among the account's secrets; null where they are not signed.
  readonly noticeSecret: string | null
  open(account: OpenAccount): PaymentProvider
}
