// The content of a document without its number and buyer. It is stored as JSON and never changed.

import type { InvoicesEntry, LegalEntry } from '../../contract/entries.ts'
import type { Address } from '../../contract/open/carts.ts'
import { decryptByRootSecret, encryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { VatCheck } from '../vat/check.ts'
import type { DocumentLine, RateSum } from './sums.ts'

export interface DocumentSeller extends LegalEntry {
  country: string
  // E-mail address that shoppers see; null if there is none.
  email: string | null
}

export interface DocumentReference {
  id: string
  number: string
  day: string
}

// All documents that a document corrects or reverses.
export function correctedDocuments({
  corrects,
  alsoCorrects = [],
}: Pick<DocumentContent, 'corrects' | 'alsoCorrects'>) {
  return corrects ? [corrects, ...alsoCorrects] : []
}

export interface PaymentMade {
  method: string
  card: { brand: string; last4: string } | null
  day: string
  amount: number
}

export interface DocumentContent {
  seller: DocumentSeller
  lines: readonly DocumentLine[]
  rates: readonly RateSum[]
  // Whether the prices of the order included tax.
  priceTax: 'included' | 'excluded'
  order: { number: string; day: string }
  // The invoice that a credit note corrects, or the credit note that an invoice reverses.
  corrects: DocumentReference | null
  // Further invoices that a credit note corrects. Undefined in documents of earlier releases.
  alsoCorrects?: readonly DocumentReference[]
  payments: readonly PaymentMade[]
  locale: string
}

// The data of the buyer that an invoice requires: no e-mail address, no telephone number.
export interface Buyer {
  name: string
  company: string | null
  address: Omit<Address, 'name' | 'company' | 'phone'> | null
  vatId: string | null
  // Result of the check of the VAT number.
  vatCheck?: VatCheck
}

const purpose = 'document buyer'

export function encryptBuyer(rootSecret: RootSecret, documentId: string, buyer: Buyer): string {
  return encryptByRootSecret(rootSecret, purpose, JSON.stringify(buyer), documentId)
}

// Returns undefined if the version of the root secret that encrypted the buyer was removed, and null if no buyer was known.
export function decryptBuyer(
  rootSecret: RootSecret,
  { id, buyerSealed }: { id: string; buyerSealed: string | null },
): Buyer | null | undefined {
  if (buyerSealed === null) return null
  const text = decryptByRootSecret(rootSecret, purpose, buyerSealed, id)
  return text === undefined ? undefined : (JSON.parse(text) as Buyer)
}

export function documentSeller(merchant: {
  name: string
  country: string
  supportEmail: string | null
  legal: string | null
}): DocumentSeller {
  const legal = merchant.legal === null ? { name: merchant.name } : (JSON.parse(merchant.legal) as LegalEntry)
  return { ...legal, country: merchant.country, email: merchant.supportEmail }
}

export function invoiceSettings({ invoices }: { invoices: string }): InvoicesEntry {
  return JSON.parse(invoices) as InvoicesEntry
}
