// Finds orders by customer, although the customer is encrypted: a table contains a keyed hash of each word and of its beginnings. With the
// same key, a word has the same hash in all orders of a merchant. The hashes are deleted when the address is erased. A reader of the table
// without the key learns only which orders have a word in common.

import { createHmac, type KeyObject } from 'node:crypto'
import { handleRows } from '../../platform/jobs/rows.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { createDatabaseKey, listDatabaseKeys } from '../../platform/secrets/databasekey.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Storage, Tx } from '../../platform/storage/storage.ts'
import { tryDecryptAddress } from '../addresses/vault.ts'
import { decryptCustomer } from '../orders/customer.ts'
import { lockOrders, type OrderKey } from '../orders/store.ts'
import { postalWords, searchTokensFor, splitSearchWords, wordBeginnings } from './sealedwords.ts'
import { misspeltLengthMin, wordsOneMistakeAway } from './spelling.ts'
import {
  insertTokens,
  listKnownTokens,
  listOrdersNotIndexed,
  listOrdersOfTokens,
  listSealedOrders,
  markOrdersIndexed,
  type TokenRow,
  type UnindexedOrder,
} from './store.ts'

export const searchKeyName = 'search'
const tokenLength = 22 // 132 bits

function tokenOf(key: KeyObject, merchantId: string, word: string): string {
  return createHmac('sha256', key).update(`${merchantId} ${word}`).digest('base64url').slice(0, tokenLength)
}

// One round of the background job: indexes orders that have no words, or words of an earlier version or address. Returns the number of
// orders.
export async function indexOrders(
  storage: Storage,
  rootSecret: RootSecret,
  { now, limit }: { now: number; limit: number },
): Promise<number> {
  const found = await storage.read((db) => listOrdersNotIndexed(db, now, limit))
  const findKey = createDatabaseKey(rootSecret, searchKeyName)
  return handleRows(
    { storage, loop: 'search', now },
    [found],
    ({ installationId, orderId }) => ({ tenantId: installationId, rowId: orderId }),
    (keys) =>
      storage.write(async (tx) => {
        const key = await findKey(tx, now)
        const [, orders] = await Promise.all([
          // The erasure of a shopper takes the same lock.
          lockOrders(tx, keys),
          listSealedOrders(tx, keys),
        ])
        const tokens: TokenRow[] = []
        for (const order of orders)
          for (const token of await tokensOf(tx, rootSecret, { order, key, now })) tokens.push({ ...order, token })
        insertTokens(tx, tokens)
        markOrdersIndexed(tx, keys, now)
        return keys.length
      }),
  )
}

async function tokensOf(
  tx: Tx,
  rootSecret: RootSecret,
  { order, key, now }: { order: UnindexedOrder; key: KeyObject; now: number },
): Promise<Iterable<string>> {
  const { installationId, orderId, checkoutSessionId, addressId, sealed, rowKey, expiresAt } = order
  const row = sealed === null || expiresAt === null ? undefined : { sealed, rowKey, expiresAt }
  const address =
    addressId === null || !row
      ? undefined
      : await tryDecryptAddress(tx, rootSecret, { installationId, ownerId: orderId, id: addressId, now, row })
  // Once the address is erased, no part of the customer finds the order.
  if (addressId !== null && !address) return []
  const customer = decryptCustomer(rootSecret, checkoutSessionId, order.customerSealed)
  const words = [
    ...splitSearchWords(
      [customer?.email, customer?.name, address?.name, address?.company, address?.city].filter(Boolean).join(' '),
    ),
    ...postalWords(address?.postalCode ?? ''),
  ]
  return new Set(
    words
      .filter(Boolean)
      .flatMap((word) => [word, ...wordBeginnings(word)])
      .map((word) => tokenOf(key, order.merchantId, word)),
  )
}

// Returns the orders that have all of the words, newest first.
export async function findOrdersByWords(
  db: Reader,
  rootSecret: RootSecret,
  seller: MerchantMode,
  { text, limit }: { text: string; limit: number },
): Promise<OrderKey[]> {
  const words = splitSearchWords(text)
  if (words.length === 0) return []
  const keys = await listDatabaseKeys(db, rootSecret, searchKeyName)
  if (keys.length === 0) return []
  const alternatives = words.map((word) =>
    keys.flatMap((key) => searchTokensFor(word).map((text) => tokenOf(key, seller.merchantId, text))),
  )
  return listOrdersOfTokens(db, seller, alternatives, limit)
}

// Longer words would have too many variants.
const mistakeLengthMax = 12

// Called if no order has all of the words as typed: returns orders that have all of them if one is typed with a single mistake. The
// tokens of all variants are computed first; then only the existing ones are searched.
export async function findOrdersByMistake(
  db: Reader,
  rootSecret: RootSecret,
  seller: MerchantMode,
  { text, limit }: { text: string; limit: number },
): Promise<OrderKey[]> {
  const words = splitSearchWords(text)
  const keys = await listDatabaseKeys(db, rootSecret, searchKeyName)
  if (keys.length === 0) return []
  const asked = words.map((word) =>
    keys.flatMap((key) => searchTokensFor(word).map((one) => tokenOf(key, seller.merchantId, one))),
  )
  for (const [at, word] of words.entries()) {
    const length = [...word].length
    if (length < misspeltLengthMin || length > mistakeLengthMax || /[^\p{L}\p{M}]/u.test(word)) continue
    const tokens = keys.flatMap((key) => wordsOneMistakeAway(word).map((one) => tokenOf(key, seller.merchantId, one)))
    const known = await listKnownTokens(db, seller, tokens)
    if (known.length === 0) continue
    const found = await listOrdersOfTokens(db, seller, asked.with(at, known), limit)
    if (found.length > 0) return found
  }
  return []
}
