// The secret in the address of an order's page.

import { pageSecretsFor } from '../../platform/secrets/pagesecret.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'

export const orderPageSecrets = pageSecretsFor('order page')

export interface OrderPageTools {
  rootSecret: RootSecret
  publicOrigin: () => string
}

// Everyone who has the URL can see the page, so it is only for the installation of the order and for the shopper, and must not appear in
// events or logs. Null if the secret was encrypted with a version of the root secret that was removed.
export function orderPageUrl(
  { rootSecret, publicOrigin }: OrderPageTools,
  { orderId, sealed }: { orderId: string; sealed: string },
): string | null {
  const secret = orderPageSecrets.open(rootSecret, sealed, orderId)
  return secret === undefined ? null : `${publicOrigin()}/o/${secret}`
}
