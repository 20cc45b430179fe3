// The caller: an API key, an installed app, a person, an agent. Members that all kinds have are here; each kind adds its own.

export interface Principal {
  readonly kind: string
  // Id of the caller in the log.
  readonly id: string
  readonly merchantId: string
  readonly installationId: string | null
  // Owner of idempotency keys and cursors: an installation or a person.
  readonly claimant: string
  readonly throttleKey: string
  // Scopes of the presented credential.
  readonly scopes: readonly string[]
  // Pages on which a public credential works.
  readonly origins?: readonly string[]
}
