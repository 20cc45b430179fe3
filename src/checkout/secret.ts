// The secrets of a checkout: the one in the page's address, and what the shopper entered, which is sealed and only opened for the
// page and the order.

import { createHmac, type KeyObject } from 'node:crypto'
import { idFromDigest } from '../kit/ids.ts'
import { pageSecretsFor } from '../kit/pagesecret.ts'
import { deriveKeys, openByRoot, type RootSecret, sealByRoot } from '../kit/secrets.ts'

export const checkoutPageSecrets = pageSecretsFor('checkout page')

export interface Customer {
  email: string
  name: string
  phone: string
}

export const nobody: Customer = { email: '', name: '', phone: '' }

const customerPurpose = 'checkout customer'

// Sealed for the session; the order takes the sealed text with it and names the session when it opens it.
export function sealCustomer(rootSecret: RootSecret, sessionId: string, customer: Customer): string {
  return sealByRoot(rootSecret, customerPurpose, JSON.stringify(customer), sessionId)
}

// Undefined when the version of the root secret that sealed it was given up.
export function openCustomer(rootSecret: RootSecret, sessionId: string, sealed: string | null): Customer | undefined {
  if (sealed === null) return nobody
  const text = openByRoot(rootSecret, customerPurpose, sealed, sessionId)
  return text === undefined ? undefined : (JSON.parse(text) as Customer)
}

// Enough to recognise, not enough to write to: a***@example.com.
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return at < 1 ? '***' : `${email.slice(0, 1)}***${email.slice(at)}`
}

// The payment of a form: the same form of the same session is the same payment, and no one can name the payment of another
// session, whose charge the provider would take for this one's. The first is the one to begin it with; under the others it
// may have been begun, before the root secret was rotated or by a node that has not heard of it.
export function paymentIdsFor(rootSecret: RootSecret, sessionId: string, attempt: string): [string, ...string[]] {
  const [current, ...others] = deriveKeys(rootSecret, 'payment attempt')
  const idBy = (key: KeyObject) => paymentIdBy(key, `${sessionId} ${attempt}`)
  return [idBy(current), ...others.map(idBy)]
}

function paymentIdBy(key: KeyObject, form: string): string {
  return idFromDigest('pay', createHmac('sha256', key).update(form).digest())
}
