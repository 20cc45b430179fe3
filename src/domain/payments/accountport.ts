// The port to providers with accounts of merchants: connecting, checking and disconnecting an account, and the payment provider of an
// account. The operator's input passes through here and is stored encrypted.

import type { Issue } from '../../contract/issues.ts'
import type { Mode } from '../../contract/words.ts'
import type { AccountFacts, AccountRow, AccountSecrets } from './accounts.ts'
import type { KeyAnswer } from './health.ts'
import type { PaymentProvider } from './port.ts'

// One line of input that the operator enters.
export interface AccountQuestion {
  name: string
  // Contains an example of the input.
  label: string
}

export interface DecryptedAccount {
  account: AccountRow
  secrets: AccountSecrets
  // Replaced secrets that are still accepted, newest first.
  previous: readonly AccountSecrets[]
  // The URL to which the provider may send webhooks; null if the provider cannot reach this server.
  noticeUrl: string | null
  // Called after each response with what the response shows about the key.
  onCall?: (answer: KeyAnswer) => void
  // The host of the checkout page; null if it is not a public host with https.
  pageHost: string | null
}

export interface ConnectRequest {
  // The operator's input by the names of the questions.
  answers: Readonly<Record<string, string>>
  mode: Mode
  noticeUrl: string | null
  pageHost: string | null
}

export interface ConnectedAccount {
  public: AccountFacts
  secrets: AccountSecrets
}

// Thrown if the provider refuses the operator's input. The issue never quotes a key; its path is below `/keys` if one of the keys is
// wrong.
export class AccountRefused extends Error {
  readonly issue: Issue
  constructor(issue: Issue) {
    super(sentenceOfIssue(issue))
    this.issue = issue
  }
}

// Messages of issues about accounts begin in lower case and have no full stop.
export function sentenceOfIssue({ message }: Pick<Issue, 'message'>): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
}

export interface ProviderAccounts {
  readonly name: string
  readonly questions: readonly AccountQuestion[]
  // Name of the public fact that identifies the account at the provider. Its value stays the same when keys are replaced.
  readonly accountFact: string
  // Finds the account to which the key belongs. Creates at the provider what webhooks need if there is a `noticeUrl`, and what the
  // checkout page needs if there is a `pageHost`.
  connect(request: ConnectRequest, signal: AbortSignal): Promise<ConnectedAccount>
  // Returns the current problems of the account.
  check(open: DecryptedAccount, signal: AbortSignal): Promise<readonly Issue[]>
  // Deletes what `connect` created at the provider.
  disconnect(open: DecryptedAccount, signal: AbortSignal): Promise<void>
  // Returns instructions for the operator, for the case that the provider does not have the webhook URL.
  noticeHelp(noticeUrl: string): string
  // Name of the account's secret that signs webhooks; null if the provider does not sign webhooks.
  readonly noticeSecret: string | null
  open(account: DecryptedAccount): PaymentProvider
}
