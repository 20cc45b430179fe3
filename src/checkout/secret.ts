// The secrets of a checkout: the one in the page's address, and what the shopper told of himself. The first is found by
// its hash and sealed to be shown again; the second is sealed and only opened for the page and the order.

import { createHash, createHmac, type KeyObject, randomBytes } from 'node:crypto'
import { deriveKeys, openByRoot, type RootSecret, sealByRoot } from '../kit/secrets.ts'

export interface PageSecret {
  text: string
  hash: string
  sealed: string
}

const pagePurpose = 'checkout page'

export function makePageSecret(rootSecret: RootSecret, sessionId: string): PageSecret {
  const text = randomBytes(32).toString('base64url')
  return { text, hash: secretHashOf(text), sealed: sealByRoot(rootSecret, pagePurpose, text, sessionId) }
}

// Undefined when the version of the root secret that sealed it was given up.
export function openPageSecret(rootSecret: RootSecret, sealed: string, sessionId: string): string | undefined {
  return openByRoot(rootSecret, pagePurpose, sealed, sessionId)
}

export function secretHashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

export function isPageSecret(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

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

const idAlphabet = '0123456789abcdefghjkmnpqrstvwxyz'

// The payment of a form: the same form of the same session is the same payment, and nobody can name the payment of another
// session, whose charge the provider would take for this one's. The first is the one to begin it with; under the others it
// may have been begun, before the root secret was rotated or by a node that has not heard of it.
export function paymentIdsFor(rootSecret: RootSecret, sessionId: string, attempt: string): [string, ...string[]] {
  const [current, ...others] = deriveKeys(rootSecret, 'payment attempt')
  const idBy = (key: KeyObject) => paymentIdBy(key, `${sessionId} ${attempt}`)
  return [idBy(current), ...others.map(idBy)]
}

function paymentIdBy(key: KeyObject, form: string): string {
  const digest = createHmac('sha256', key).update(form).digest('hex')
  let number = BigInt(`0x${digest.slice(0, 32)}`)
  let text = ''
  for (let place = 0; place < 26; place += 1) {
    text = `${idAlphabet[Number(number & 31n)]}${text}`
    number >>= 5n
  }
  return `pay_${text}`
}
