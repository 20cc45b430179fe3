// The secret in the address of an order's page.

import { pageSecretsFor } from '../../platform/secrets/pagesecret.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'

export const orderPageSecrets = pageSecretsFor('order page')

export interface OrderPageTools {
  rootSecret: RootSecret
  publicOrigin: () => string
}

// Whoever has it can see the page: it is for the installation of the order and its shopper, and for no event or log.
// Null when the version of the root secret that sealed it was given up.
export function orderPageUrl(
  { rootSecret, publicOrigin }: OrderPageTools,
  { orderId, sealed }: { orderId: string; sealed: string },
): string | null {
  const secret = orderPageSecrets.open(rootSecret, sealed, orderId)
  return secret === undefined ? null : `${publicOrigin()}/o/${secret}`
}
