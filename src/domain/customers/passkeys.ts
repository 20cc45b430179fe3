// Passkeys of shoppers. A shopper who has proved to own a mailbox can add a passkey, and sign in with it at the same host without an
// e-mail. A challenge is accepted once, in the browser or session that requested it.

import { customerPasskeysMax } from '../../contract/admin/customers.ts'
import type { Mode } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { decryptByRootSecret, encryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import { listFragment, type Reader, type Storage, type Tx } from '../../platform/storage/storage.ts'
import { createChallenge, useChallenge } from '../users/passkeys.ts'
import {
  passkeyCreationOptions,
  passkeyUseOptions,
  readChallengeResponse,
  type StoredPasskey,
  verifyCreatedPasskey,
  verifyPasskeyUse,
} from '../users/webauthn.ts'
import type { AddressBookOwner } from './bookstore.ts'
import { lockCodeGate, lockCustomerSession } from './store.ts'

const purpose = 'customer passkey'

export interface CustomerPasskey extends StoredPasskey {
  emailSealed: string
  createdAt: number
  usedAt: number | null
}

type PasskeyRow = Omit<CustomerPasskey, 'transports'> & { transports: string }

// Lists the oldest passkeys first.
export async function listCustomerPasskeys(
  db: Reader,
  { merchantId, mode, hashes }: MerchantMode & { hashes: readonly string[] },
): Promise<CustomerPasskey[]> {
  const rows = await db.sql<PasskeyRow>`
    select id, email_sealed as "emailSealed", public_key as "publicKey", counter, transports, created_at as "createdAt",
      used_at as "usedAt"
    from customer_passkeys where merchant_id = ${merchantId} and mode = ${mode} and email_hash in (${listFragment(hashes)})
    order by created_at, id limit ${customerPasskeysMax}`
  return rows.map(passkeyFrom)
}

async function findPasskey(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  id: string,
): Promise<CustomerPasskey | undefined> {
  const [row] = await db.sql<PasskeyRow>`
    select id, email_sealed as "emailSealed", public_key as "publicKey", counter, transports, created_at as "createdAt",
      used_at as "usedAt"
    from customer_passkeys where merchant_id = ${merchantId} and mode = ${mode} and id = ${id}`
  return row && passkeyFrom(row)
}

function passkeyFrom({ transports, ...row }: PasskeyRow): CustomerPasskey {
  return { ...row, counter: Number(row.counter), transports: JSON.parse(transports) as string[] }
}

export async function removeCustomerPasskey(tx: Tx, owner: AddressBookOwner, id: string): Promise<void> {
  const { merchantId, mode, hashes } = owner
  await tx.sql`
    delete from customer_passkeys
    where merchant_id = ${merchantId} and mode = ${mode} and id = ${id} and email_hash in (${listFragment(hashes)})`
}

export async function forgetCustomerPasskeys(
  tx: Tx,
  merchant: string,
  modes: readonly Mode[],
  hashes: readonly string[],
): Promise<void> {
  await tx.sql`
    delete from customer_passkeys
    where merchant_id = ${merchant} and mode in (${listFragment(modes)}) and email_hash in (${listFragment(hashes)})`
}

export interface PasskeySite {
  shop: MerchantMode
  // The origin for which the device signs.
  origin: string
  // Identifies the browser before signing in, and the session afterwards.
  boundTo: string
}

// A passkey as the shopper sees it, also in the file with their data.
export function customerPasskeyView({ id, createdAt, usedAt }: CustomerPasskey): AccountPasskey {
  return { id, createdAt: toInstant(createdAt), usedAt: usedAt === null ? null : toInstant(usedAt) }
}

export interface AccountPasskey {
  id: string
  createdAt: string
  usedAt: string | null
}

// Returns the challenge that the device signs, with the options of the request.
export async function startPasskeySignIn(
  storage: Storage,
  { shop, origin, boundTo }: PasskeySite,
  now: number,
): Promise<object> {
  const challenge = await storage.write((tx) => createChallenge(tx, boundFor(shop, 'use', boundTo), now))
  return passkeyUseOptions({ origin, challenge })
}

export async function startPasskeyCreation(
  storage: Storage,
  { shop, origin, boundTo }: PasskeySite,
  { email, owner, shopName }: { email: string; owner: AddressBookOwner; shopName: string },
  now: number,
): Promise<object> {
  const { challenge, known } = await storage.write(async (tx) => ({
    known: await listCustomerPasskeys(tx, owner),
    challenge: await createChallenge(tx, boundFor(shop, 'create', boundTo), now),
  }))
  // A device replaces a passkey that has the same user id, so test and live mode use different ids. A keyed hash reveals nothing about
  // the person.
  const id = `${shop.mode} ${owner.hashes[0]}`
  return passkeyCreationOptions({ origin, challenge }, { id, email, siteName: shopName }, known)
}

export interface NewPasskey {
  email: string
  response: string
  // The session in which the passkey is added.
  sessionHash: string
  ownerIn: (tx: Tx) => Promise<AddressBookOwner>
}

// Returns false if the response is invalid, the session has ended, or the maximum number of passkeys is reached.
export async function addCustomerPasskey(
  storage: Storage,
  rootSecret: RootSecret,
  { shop, origin, boundTo }: PasskeySite,
  { email, response, sessionHash, ownerIn }: NewPasskey,
  now: number,
): Promise<boolean> {
  const answered = readChallengeResponse(response)
  if (!answered) return false
  const { challenge } = answered
  if (!(await storage.write((tx) => useChallenge(tx, challenge, boundFor(shop, 'create', boundTo), now)))) return false
  const passkey = await verifyCreatedPasskey(response, { origin, challenge })
  if (!passkey) return false
  return storage.write(async (tx) => {
    await lockCodeGate(tx, shop.merchantId, now)
    // An erased shopper gets no passkey: erasing ends the sessions, and waits for this session's lock.
    if (!(await lockCustomerSession(tx, shop, sessionHash, now))) return false
    const owner = await ownerIn(tx)
    if ((await listCustomerPasskeys(tx, owner)).length >= customerPasskeysMax) return false
    const { id, publicKey, counter, transports } = passkey
    const rows = await tx.sql`
      insert into customer_passkeys (merchant_id, mode, id, email_hash, email_sealed, public_key, counter, transports,
        created_at)
      values (${shop.merchantId}, ${shop.mode}, ${id}, ${owner.hashes[0]}, ${encryptByRootSecret(rootSecret, purpose, email, id)},
        ${publicKey}, ${counter}, ${JSON.stringify(transports)}, ${now})
      on conflict (merchant_id, mode, id) do nothing returning id`
    return rows.length > 0
  })
}

// Calls `open` with the e-mail address of the passkey, in the transaction that records its use. Does not call `open` if the passkey was
// removed or erased in the meantime. Returns undefined for every kind of failure.
export async function signInByPasskey<T>(
  storage: Storage,
  rootSecret: RootSecret,
  { shop, origin, boundTo }: PasskeySite,
  { response, open }: { response: string; open: (tx: Tx, email: string) => T },
  now: number,
): Promise<T | undefined> {
  const answered = readChallengeResponse(response)
  if (!answered) return undefined
  const { challenge, id } = answered
  if (!(await storage.write((tx) => useChallenge(tx, challenge, boundFor(shop, 'use', boundTo), now)))) return undefined
  const passkey = await storage.read((db) => findPasskey(db, shop, id))
  const counter = passkey && (await verifyPasskeyUse(response, { origin, challenge }, passkey))
  if (counter === undefined || !passkey) return undefined
  const email = decryptByRootSecret(rootSecret, purpose, passkey.emailSealed, id)
  if (email === undefined) return undefined
  return storage.write(async (tx) => ((await recordUse(tx, shop, { id, counter, now })) ? open(tx, email) : undefined))
}

// Returns false if the passkey was removed in the meantime, or used with a later counter. Synced passkeys always report the counter 0.
async function recordUse(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  { id, counter, now }: { id: string; counter: number; now: number },
): Promise<boolean> {
  const rows = await tx.sql`
    update customer_passkeys set counter = ${counter}, used_at = ${now}
    where merchant_id = ${merchantId} and mode = ${mode} and id = ${id}
      and (counter < ${counter} or (counter = 0 and counter = ${counter}))
    returning id`
  return rows.length > 0
}

// A challenge is bound to one shop, mode and purpose.
function boundFor({ merchantId, mode }: MerchantMode, use: 'use' | 'create', boundTo: string): string {
  return `customer ${merchantId} ${mode} ${use} ${boundTo}`
}
