// What a platform sent about a checkout. It is stored encrypted, and returned only to this platform.

import { type Issue, issueAt } from '../../contract/issues.ts'
import type { Address } from '../../contract/open/carts.ts'
import { decryptByRootSecret, encryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import { normalizePartialAddress } from '../addresses/check.ts'
import type { CodeNote, LineNote, WantedLine } from '../carts/replace.ts'
import type { Customer } from '../orders/customer.ts'

export interface AgentBuyer {
  email?: string
  firstName?: string
  lastName?: string
  phone?: string
}

// An address with the names of members that platforms use. Every part may be missing.
export interface PlatformAddress {
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

// All members of a checkout that a platform may write. A request replaces all of them: members that are not sent are removed.
export interface AgentCartRequest {
  lines: readonly WantedLine[]
  codes: readonly string[]
  buyer: AgentBuyer
  destination: PlatformAddress | null
  // What is known of the buyer's place while there is no destination. Used to compute the tax.
  place: Pick<PlatformAddress, 'country' | 'region' | 'postalCode'> | null
  shippingOption: string | null
  attribution: Readonly<Record<string, string>> | null
  // The buyer's locale, for the checkout page and e-mails, in the format of checkout sessions.
  locale: string | null
}

export interface StoredAgentRequest extends Omit<AgentCartRequest, 'lines' | 'place' | 'locale'> {
  // Missing if an earlier release stored the request.
  locale?: string | null
  lineNotes: readonly LineNote[]
  codeNotes: readonly CodeNote[]
  // Issues with members of the destination that are invalid or missing.
  addressIssues: readonly Issue[]
  // Token of the address that was stored for the platform's destination. If the address of the cart has another token, the shopper typed
  // it.
  addressToken: string | null
  // The first characters of the encrypted contact of the checkout session, which differ after each encryption. While they match, the
  // session still has the contact in `buyer`, so it need not be decrypted. Null or missing if the contacts may differ.
  contactToken?: string | null
}

// Long enough to contain the random bytes of the encryption.
const contactTokenLength = 24

export function contactTokenOf(customerSealed: string | null): string | null {
  return customerSealed?.slice(0, contactTokenLength) ?? null
}

const purpose = 'agent checkout'

export function encryptAgentRequest(rootSecret: RootSecret, cartId: string, asked: StoredAgentRequest): string {
  return encryptByRootSecret(rootSecret, purpose, JSON.stringify(asked), cartId)
}

// Returns undefined if the request was erased, or was encrypted with a version of the root secret that was removed.
export function decryptAgentRequest(
  rootSecret: RootSecret,
  cartId: string,
  sealed: string | null,
): StoredAgentRequest | undefined {
  const text = sealed === null ? undefined : decryptByRootSecret(rootSecret, purpose, sealed, cartId)
  return text === undefined ? undefined : (JSON.parse(text) as StoredAgentRequest)
}

export function buyerFullName({ firstName = '', lastName = '' }: Pick<AgentBuyer, 'firstName' | 'lastName'>): string {
  return `${firstName.trim()} ${lastName.trim()}`.trim()
}

export function customerFromBuyer(buyer: AgentBuyer): Customer {
  return { email: buyer.email?.trim() ?? '', name: buyerFullName(buyer), phone: buyer.phone?.trim() ?? '' }
}

// Converts the platform's address to ours, in normal form. The address is null if delivery cannot be priced with it.
export function convertPlatformAddress({
  destination,
  place,
  buyer,
}: Pick<AgentCartRequest, 'destination' | 'place' | 'buyer'>): {
  address: Address | null
  issues: Issue[]
} {
  const sent = destination ?? place
  if (!sent) return { address: null, issues: [] }
  const { street, extended, locality, phone } = destination ?? {}
  const draft = normalizePartialAddress({
    name: buyerFullName(destination ?? {}) || buyerFullName(buyer),
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
