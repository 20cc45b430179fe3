// What a platform sent about a checkout, as it is stored: sealed, and given back to this platform alone.

import { type Issue, issueAt } from '../../contract/issues.ts'
import type { Address } from '../../contract/open/carts.ts'
import { openByRoot, type RootSecret, sealByRoot } from '../../platform/secrets/secrets.ts'
import { draftAddress } from '../addresses/check.ts'
import type { CodeNote, LineNote, WantedLine } from '../carts/replace.ts'
import type { Customer } from '../orders/customer.ts'

export interface AgentBuyer {
  email?: string
  firstName?: string
  lastName?: string
  phone?: string
}

// As a platform names the parts of an address. Each may be missing.
export interface SentAddress {
  id?: string
  street?: string
  extended?: string
  locality?: string
  region?: string
  postalCode?: string
  country?: string
  firstName?: string
  lastName?: string
  phone?: string
}

// Everything that a platform may write. What it does not send is gone.
export interface Wish {
  lines: readonly WantedLine[]
  codes: readonly string[]
  buyer: AgentBuyer
  destination: SentAddress | null
  // Where the buyer is, as far as it is known without a destination: for the tax.
  place: Pick<SentAddress, 'country' | 'region' | 'postalCode'> | null
  shippingOption: string | null
  attribution: Readonly<Record<string, string>> | null
  // The buyer's locale as sessions name it: for the checkout page and e-mails.
  locale: string | null
}

export interface Asked extends Omit<Wish, 'lines' | 'place' | 'locale'> {
  // Missing where it was stored by a version before.
  locale?: string | null
  lineNotes: readonly LineNote[]
  codeNotes: readonly CodeNote[]
  // Members of the destination that are wrong or missing.
  addressIssues: readonly Issue[]
  // The address that was stored for it. Another one on the cart was typed by the shopper.
  addressToken: string | null
}

const purpose = 'agent checkout'

export function sealAsked(rootSecret: RootSecret, cartId: string, asked: Asked): string {
  return sealByRoot(rootSecret, purpose, JSON.stringify(asked), cartId)
}

// Undefined where it was erased, or the version of the root secret that sealed it was given up.
export function openAsked(rootSecret: RootSecret, cartId: string, sealed: string | null): Asked | undefined {
  const text = sealed === null ? undefined : openByRoot(rootSecret, purpose, sealed, cartId)
  return text === undefined ? undefined : (JSON.parse(text) as Asked)
}

export function nameOf({ firstName = '', lastName = '' }: Pick<AgentBuyer, 'firstName' | 'lastName'>): string {
  return `${firstName.trim()} ${lastName.trim()}`.trim()
}

export function customerOf(buyer: AgentBuyer): Customer {
  return { email: buyer.email?.trim() ?? '', name: nameOf(buyer), phone: buyer.phone?.trim() ?? '' }
}

// The address in our words, in normal form. Null where there is nothing to price a delivery by.
export function sentAddressOf({ destination, place, buyer }: Pick<Wish, 'destination' | 'place' | 'buyer'>): {
  address: Address | null
  issues: Issue[]
} {
  const sent = destination ?? place
  if (!sent) return { address: null, issues: [] }
  const { street, extended, locality, phone } = destination ?? {}
  const draft = draftAddress({
    name: nameOf(destination ?? {}) || nameOf(buyer),
    line1: street ?? '',
    city: locality ?? '',
    country: sent.country?.trim().toUpperCase() ?? '',
    ...(extended !== undefined && { line2: extended }),
    ...(sent.region !== undefined && { region: sent.region }),
    ...(sent.postalCode !== undefined && { postalCode: sent.postalCode }),
    ...(phone !== undefined && { phone }),
  })
  if (!draft) return { address: null, issues: destination ? [issueAt('/address/country', 'not_a_country')] : [] }
  return { address: draft.address, issues: destination ? draft.issues : [] }
}
