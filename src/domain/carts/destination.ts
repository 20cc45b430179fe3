// The destination of a cart: checks the address by the rules of its country, encrypts it and stores it with the cart. The former address
// is deleted.

import type { Address, AddressSummary, ShippingEstimate } from '../../contract/open/carts.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { checkAddress, summarizeAddress } from '../addresses/check.ts'
import { deleteAddress, storeEncryptedAddress, tryDecryptAddress } from '../addresses/vault.ts'
import {
  type CartChangeInput,
  type CartTools,
  type ChangedCart,
  lockCartFacts,
  refuseUnchangeableCart,
  saveCartChange,
} from './change.ts'
import type { Pricebooks } from './pricebook.ts'
import { type CartFacts, quoteCart } from './quote.ts'
import { isServed, needsShipping } from './shipping.ts'
import type { CartRow } from './store.ts'
import { type Quote, unexpiredAddress } from './view.ts'

// Long enough to finish a purchase. Short, because the cart may never be bought and then contains an address without need.
export const cartAddressMs = 7 * 24 * 3_600_000

// Returns undefined if the cart has no address, or the address has expired or cannot be decrypted.
export async function decryptCartAddress(
  db: Reader,
  rootSecret: RootSecret,
  { installationId, id: ownerId, address }: Pick<CartRow, 'installationId' | 'id' | 'address'>,
  now: number,
): Promise<Address | undefined> {
  if (!address) return undefined
  const { token: id, sealed, expiresAt } = address
  const row = sealed && { sealed: sealed.text, rowKey: sealed.rowKey, expiresAt }
  return tryDecryptAddress(db, rootSecret, { installationId, ownerId, id, now, ...(row && { row }) })
}

export interface CartDestination {
  quote: Quote
  token: string
  summary: AddressSummary
  expiresAt: number
}

// The shipping option and the VAT number may be set together with the address.
export interface NewDestination extends Partial<Pick<CartRow, 'shippingOption' | 'vat'>> {
  rootSecret: RootSecret
  address: Address
}

export async function setAddress(
  tools: CartTools,
  change: CartChangeInput,
  wanted: NewDestination,
): Promise<CartDestination> {
  // Refuses an invalid address before the cart is locked.
  checkedAddress(wanted.address)
  return setCartDestination(tools, change, await lockCartFacts(tools, change), wanted)
}

function checkedAddress(wanted: Address): Address {
  const checked = checkAddress(wanted)
  if ('issues' in checked) throw refuse('invalid_request', { issues: checked.issues })
  return checked.address
}

// Expects a locked cart.
export async function setCartDestination(
  tools: CartTools,
  change: CartChangeInput,
  facts: CartFacts,
  { rootSecret, address: wanted, ...more }: NewDestination,
): Promise<CartDestination> {
  const address = checkedAddress(wanted)
  refuseUnchangeableCart(facts, change)
  const { cart, lines } = facts
  const at = change.now.getTime()
  const { zones } = await tools.pricebooks.find(change.db, cart.merchantId, cart.seller.catalogVersion)
  const offers = lines.map(({ offer }) => offer)
  const isOwn = cart.terms !== null && cart.terms.shipping !== null
  if (!isOwn && !isServed(zones, address.country) && (offers.length === 0 || needsShipping(offers))) {
    throw refuse('address_undeliverable')
  }
  const summary = summarizeAddress(address)
  const expiresAt = at + cartAddressMs
  const owner = { installationId: cart.installationId, ownerId: cart.id }
  const token = storeEncryptedAddress(change.db, rootSecret, { ...owner, address, summary, now: at, expiresAt })
  if (cart.address) deleteAddress(change.db, cart.installationId, cart.address.token)
  const { city, region, country } = summary
  const changed = { ...cart, ...more, address: { token, city, region, country, expiresAt } }
  const quote = await saveCartChange(tools, change, { ...facts, cart: changed })
  return { quote, token, summary, expiresAt }
}

// Returns the shipping options that the cart would have with an address in this region.
export async function estimateShipping(
  db: Reader,
  pricebooks: Pricebooks,
  facts: CartFacts,
  { country, region }: { country: string; region: string | null },
  now: number,
): Promise<ShippingEstimate> {
  const { cart, lines } = facts
  const address = { token: '', city: '', region, country, expiresAt: now + cartAddressMs }
  const { pricing } = await quoteCart(db, pricebooks, { ...facts, cart: { ...cart, address } }, now)
  return {
    cartId: cart.id,
    cartVersion: cart.version,
    country,
    requiresShipping: needsShipping(lines.map(({ offer }) => offer)),
    optionId: pricing.shipping.optionId,
    options: pricing.shipping.options.map((option) => ({ ...option })),
    totals: pricing.totals,
  }
}

// Chooses one of the options that the shop offers for the cart now. If that option is no longer offered later, the first one is used
// (`effectiveShippingOption`).
export async function setShippingOption(
  tools: CartTools,
  change: CartChangeInput,
  optionId: string,
): Promise<ChangedCart> {
  const facts = await lockCartFacts(tools, change)
  refuseUnchangeableCart(facts, change)
  const { cart } = facts
  const at = change.now.getTime()
  const { options } = (await quoteCart(change.db, tools.pricebooks, facts, at)).pricing.shipping
  if (!options.some(({ id }) => id === optionId)) {
    const message = unexpiredAddress(cart, at)
      ? `The cart does not offer this shipping option: it offers ${options.map(({ id }) => id).join(', ') || 'none'}.`
      : 'The cart has no address yet, so it offers no shipping option.'
    throw refuse('shipping_option_not_offered', { message, current: { status: cart.status, version: cart.version } })
  }
  return saveCartChange(tools, change, { ...facts, cart: { ...cart, shippingOption: optionId } })
}
