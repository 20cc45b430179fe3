// The secrets of a checkout: the one in the page's address, and what the shopper told of himself. The first is found by
// its hash and sealed to be shown again; the second is sealed and only opened for the page and the order.

import { createHash, createHmac, randomBytes } from 'node:crypto'
import { deriveKey, openByRoot, type RootSecret, sealByRoot } from '../kit/secrets.ts'

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

export function openPageSecret(rootSecret: RootSecret, sealed: string, sessionId: string): string {
  return opened(openByRoot(rootSecret, pagePurpose, sealed, sessionId))
}

// What we sealed must open; a root secret that lost a version is the operator's mistake, and told without content.
function opened(text: string | undefined): string {
  if (text === undefined) throw new Error('a sealed text of a checkout does not open with the present root secret')
  return text
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

export function openCustomer(rootSecret: RootSecret, sessionId: string, sealed: string | null): Customer {
  if (sealed === null) return nobody
  return JSON.parse(opened(openByRoot(rootSecret, customerPurpose, sealed, sessionId))) as Customer
}

// Enough to recognise, not enough to write to: a***@example.com.
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return at < 1 ? '***' : `${email.slice(0, 1)}***${email.slice(at)}`
}

// The same for every way to type one address; keyed, so that a stolen table does not tell who bought.
export function emailHashOf(rootSecret: RootSecret, email: string): string {
  const normal = email.trim().toLowerCase().normalize('NFKC')
  return createHmac('sha256', deriveKey(rootSecret, 'customer e-mail')).update(normal).digest('base64url')
}
