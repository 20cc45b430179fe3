// The secrets of a checkout: the secret in the address of its page, and the ids of its payments.

import { createHmac, type KeyObject } from 'node:crypto'
import { idFromDigest } from '../../platform/kit/ids.ts'
import { pageSecretsFor } from '../../platform/secrets/pagesecret.ts'
import { deriveKeys, type RootSecret } from '../../platform/secrets/secrets.ts'

export const checkoutPageSecrets = pageSecretsFor('checkout page')

// Masks an e-mail address (a***@example.com): it can be recognised, but not written to.
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return at < 1 ? '***' : `${email.slice(0, 1)}***${email.slice(at)}`
}

// Returns the ids that the payment of a form may have. The same form of the same session always has the same ids. A shopper cannot
// compute the id of a payment of another session: the provider would confuse their charges. The first id is for a new payment. The
// payment exists with one of the other ids if it was begun before the root secret was rotated, or by a node that does not have the new
// version yet.
export function paymentIdsFor(rootSecret: RootSecret, sessionId: string, attempt: string): [string, ...string[]] {
  const [current, ...others] = deriveKeys(rootSecret, 'payment attempt')
  const idBy = (key: KeyObject) => paymentIdBy(key, `${sessionId} ${attempt}`)
  return [idBy(current), ...others.map(idBy)]
}

function paymentIdBy(key: KeyObject, form: string): string {
  return idFromDigest('pay', createHmac('sha256', key).update(form).digest())
}
