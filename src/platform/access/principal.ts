// The caller: an API key, an installed app, a person or an agent. Each kind of caller extends these common members.

export interface Principal {
  readonly kind: string
  // Id of the caller for the log.
  readonly id: string
  readonly merchantId: string
  readonly installationId: string | null
  // Owner of the caller's idempotency keys and cursors: an installation or a person.
  readonly claimant: string
  readonly throttleKey: string
  // Scopes of the credential that was presented.
  readonly scopes: readonly string[]
  // Origins of the pages on which a publishable credential works.
  readonly origins?: readonly string[]
}
