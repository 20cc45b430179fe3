// The secrets of a checkout: the one in the page's address, and the names of its payments.

import { createHmac, type KeyObject } from 'node:crypto'
import { idFromDigest } from '../../platform/kit/ids.ts'
import { pageSecretsFor } from '../../platform/secrets/pagesecret.ts'
import { deriveKeys, type RootSecret } from '../../platform/secrets/secrets.ts'

export const checkoutPageSecrets = pageSecretsFor('checkout page')

// Masks an e-mail address: enough to recognise it, not enough to write to it (a***@example.com).
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return at < 1 ? '***' : `${email.slice(0, 1)}***${email.slice(at)}`
}

// Ids of the payment of a form: the same form of the same session is the same payment, and a shopper cannot produce the id of another
// session's payment, whose charge the provider would take for this one's. The first id is for a new payment; the payment may exist under
// one of the others, if it was begun before the root secret was rotated, or by a node that does not know the new secret yet.
export function paymentIdsFor(rootSecret: RootSecret, sessionId: string, attempt: string): [string, ...string[]] {
  const [current, ...others] = deriveKeys(rootSecret, 'payment attempt')
  const idBy = (key: KeyObject) => paymentIdBy(key, `${sessionId} ${attempt}`)
  return [idBy(current), ...others.map(idBy)]
}

function paymentIdBy(key: KeyObject, form: string): string {
  return idFromDigest('pay', createHmac('sha256', key).update(form).digest())
}
