// Corrects the address of an order. Tax and delivery depend on its country and region, so these cannot change.

import type { Address } from '../../contract/open/carts.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { checkAddress, formatAddressSummary, summarizeAddress } from '../addresses/check.ts'
import { deleteAddress, findAddressSummary, storeEncryptedAddress, tryDecryptAddress } from '../addresses/vault.ts'
import type { OrderRow } from '../orders/store.ts'
import type { OrderFacts } from '../orders/view.ts'
import { unindexOrder } from '../search/store.ts'
import { editNotPossible } from './plan.ts'

// The summary of the order's address, which exists even after the address was erased.
export async function findVisibleAddress(db: Reader, { installationId, id: ownerId, address }: OrderRow) {
  return address ? findAddressSummary(db, { installationId, ownerId, id: address.token }) : undefined
}

export async function checkCorrection(db: Reader, { order }: OrderFacts, given: Address): Promise<Address> {
  const checked = checkAddress(given)
  if ('issues' in checked)
    throw refuse('invalid_request', {
      issues: checked.issues.map((issue) => ({ ...issue, path: issue.path.replace(/^\/address|^/, '/address') })),
    })
  const face = await findVisibleAddress(db, order)
  if (!face) throw editNotPossible('The order has no address.', 'no_address')
  const { country, region } = summarizeAddress(checked.address)
  if (country !== face.summary.country || (region ?? '') !== (face.summary.region ?? ''))
    throw editNotPossible('The new address must be in the same country and region as the old address.', 'other_region')
  return checked.address
}

// Returns undefined if the order already has this address.
export async function correctOrderAddress(
  tx: Tx,
  rootSecret: RootSecret,
  facts: OrderFacts,
  given: Address,
  now: number,
): Promise<NonNullable<OrderRow['address']> | undefined> {
  const address = await checkCorrection(tx, facts, given)
  const { installationId, id: ownerId, address: old } = facts.order
  const face = await findVisibleAddress(tx, facts.order)
  if (!face || !old) throw new Error(`the address of order ${ownerId} does not exist`)
  const known = await tryDecryptAddress(tx, rootSecret, { installationId, ownerId, id: old.token, now })
  if (JSON.stringify(known) === JSON.stringify(address)) return undefined
  const summary = summarizeAddress(address)
  unindexOrder(tx, { installationId, orderId: ownerId })
  const sealed = { installationId, ownerId, address, summary, now, expiresAt: face.expiresAt }
  const token = storeEncryptedAddress(tx, rootSecret, sealed)
  deleteAddress(tx, installationId, old.token)
  return { token, summary: formatAddressSummary(summary) }
}
