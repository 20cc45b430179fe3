// The secret in the URL of an order's page.

import { pageSecretsFor } from '../../platform/secrets/pagesecret.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'

export const orderPageSecrets = pageSecretsFor('order page')

export interface OrderPageTools {
  rootSecret: RootSecret
  publicOrigin: () => string
}

// Every holder of the URL can see the page: it is for the installation of the order and its shopper, and must not appear in events or
// logs. Null if the version of the root secret that sealed the secret was dropped.
export function orderPageUrl(
  { rootSecret, publicOrigin }: OrderPageTools,
  { orderId, sealed }: { orderId: string; sealed: string },
): string | null {
  const secret = orderPageSecrets.open(rootSecret, sealed, orderId)
  return secret === undefined ? null : `${publicOrigin()}/o/${secret}`
}
