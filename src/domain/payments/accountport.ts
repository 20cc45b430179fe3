// The port to providers that work with an account of the merchant: how an account is connected, checked and disconnected, and the payment
// provider that it creates. The operator's input passes through here, and is stored sealed.

import type { Issue } from '../../contract/issues.ts'
import type { Mode } from '../../contract/words.ts'
import type { AccountFacts, AccountRow, AccountSecrets } from './accounts.ts'
import type { KeyAnswer } from './health.ts'
import type { PaymentProvider } from './port.ts'

// One line of input that the operator types.
export interface AccountQuestion {
  name: string
  // Includes an example of the input.
  label: string
}

export interface DecryptedAccount {
  account: AccountRow
  secrets: AccountSecrets
  // Replaced secrets that are still accepted, newest first.
  previous: readonly AccountSecrets[]
  // The URL to which the provider may send webhooks; null if it cannot reach us.
  noticeUrl: string | null
  // Called with what each response shows about the key. Optional.
  onCall?: (answer: KeyAnswer) => void
  // The host of the page on which shoppers pay; null if it is not a public host that is reached by https.
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

// The provider refuses the operator's input. The issue quotes no key; its path is below `/keys` if one key is wrong.
export class AccountRefused extends Error {
  readonly issue: Issue
  constructor(issue: Issue) {
    super(sentenceOfIssue(issue))
    this.issue = issue
  }
}

// The sentences about accounts begin in lower case and have no full stop.
export function sentenceOfIssue({ message }: Pick<Issue, 'message'>): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
}

export interface AccountProvider {
  readonly name: string
  readonly questions: readonly AccountQuestion[]
  // Name of the public fact that identifies the account at the provider. It stays the same when keys are replaced.
  readonly accountFact: string
  // Queries to which account the key belongs, and creates at the provider what webhooks and the page need, if they have an address.
  connect(request: ConnectRequest, signal: AbortSignal): Promise<ConnectedAccount>
  // Returns the current problems of the account.
  check(open: DecryptedAccount, signal: AbortSignal): Promise<readonly Issue[]>
  // Removes the objects that `connect` created at the provider.
  disconnect(open: DecryptedAccount, signal: AbortSignal): Promise<void>
  // Instructions for the operator if the provider does not have the webhook address.
  noticeHelp(noticeUrl: string): string
  // The name of the secret that signs webhooks, among the account's secrets; null if webhooks are not signed.
  readonly noticeSecret: string | null
  open(account: DecryptedAccount): PaymentProvider
}
