// The SQL of addresses that shoppers save. These functions cannot decrypt an address.

import type { Mode } from '../../contract/words.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { listFragment, type Reader, type Tx } from '../../platform/storage/storage.ts'

export interface SavedAddressRow {
  id: string
  sealed: string
  createdAt: number
}

export interface AddressBookOwner extends MerchantMode {
  // The hash that was made with the present key comes first.
  hashes: readonly [string, ...string[]]
}

// The default address comes first.
export async function listSavedAddresses(
  db: Reader,
  { merchantId, mode, hashes }: MerchantMode & { hashes: readonly string[] },
): Promise<SavedAddressRow[]> {
  return db.sql<SavedAddressRow>`
    select id, sealed, created_at as "createdAt" from customer_addresses
    where merchant_id = ${merchantId} and mode = ${mode} and email_hash in (${listFragment(hashes)})
    order by chosen_at desc, created_at desc, id desc`
}

export interface NewSavedAddress extends SavedAddressRow {
  chosenAt: number
}

export function insertSavedAddress(tx: Tx, { merchantId, mode, hashes }: AddressBookOwner, row: NewSavedAddress): void {
  tx.send`
    insert into customer_addresses (merchant_id, id, mode, email_hash, sealed, chosen_at, created_at)
    values (${merchantId}, ${row.id}, ${mode}, ${hashes[0]}, ${row.sealed}, ${row.chosenAt}, ${row.createdAt})`
}

export function updateSavedAddress(
  tx: Tx,
  { merchantId }: AddressBookOwner,
  { id, sealed }: { id: string; sealed: string },
) {
  tx.send`update customer_addresses set sealed = ${sealed} where merchant_id = ${merchantId} and id = ${id}`
}

export function setDefaultAddress(tx: Tx, { merchantId }: AddressBookOwner, id: string, now: number): void {
  tx.send`update customer_addresses set chosen_at = ${now} where merchant_id = ${merchantId} and id = ${id}`
}

export function deleteSavedAddress(tx: Tx, { merchantId }: AddressBookOwner, id: string): void {
  tx.send`delete from customer_addresses where merchant_id = ${merchantId} and id = ${id}`
}

export async function forgetSavedAddresses(
  tx: Tx,
  merchant: string,
  modes: readonly Mode[],
  hashes: readonly string[],
): Promise<void> {
  await tx.sql`
    delete from customer_addresses
    where merchant_id = ${merchant} and mode in (${listFragment(modes)}) and email_hash in (${listFragment(hashes)})`
}
