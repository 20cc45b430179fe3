// Who calls: an API key, an installed app, a person, an agent. What every kind has is here; each kind adds its own.

export interface Principal {
  readonly kind: string
  // What the log names.
  readonly id: string
  readonly merchantId: string
  readonly installationId: string | null
  // Whose idempotency keys and cursors these are: an installation, or a person.
  readonly claimant: string
  readonly throttleKey: string
  // What the shown credential may do.
  readonly scopes: readonly string[]
  // Where the credential is public: the pages on which it works.
  readonly origins?: readonly string[]
}
