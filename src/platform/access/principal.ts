// The caller: an API key, an installed app, a person, the operator or an agent. Each kind of caller extends these common members.

export interface Principal {
  readonly kind: string
  // Id by which the log names the caller, such as the id of a key, of an app's installation or of a user.
  readonly id: string
  readonly merchantId: string
  readonly installationId: string | null
  // Owner of the caller's idempotency keys and cursors: an installation; a publishable key, an agent platform or a customer's session of
  // an installation; or a person or the operator in one merchant and mode.
  readonly claimant: string
  readonly throttleKey: string
  // Scopes of the credential that was presented.
  readonly scopes: readonly string[]
  // Origins of the pages on which a publishable credential works.
  readonly origins?: readonly string[]
}
