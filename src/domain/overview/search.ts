// One search over every folder that has results.

import { type AdminSearchResponse, searchRowsMax } from '../../contract/admin/home.ts'
import type { Mode } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { listSimilarWords } from '../catalog/indexstore.ts'
import { findOrderByNumber, type OrderKey, type OrderSearchQuery } from '../orders/store.ts'
import { findOrdersByMistake, findOrdersByWords } from '../search/orders.ts'
import { isOneMistake, misspeltLengthMin } from '../search/spelling.ts'
import {
  listFoundOrders,
  listFoundProducts,
  listFoundPromotions,
  listFoundSkus,
  listOrdersOfItem,
  listOrdersOfTracking,
} from '../search/store.ts'
import { indexWords } from '../search/words.ts'

export async function searchShop(
  db: Reader,
  rootSecret: RootSecret,
  seller: MerchantMode,
  { question, seesCustomers }: { question: string; seesCustomers: boolean },
): Promise<AdminSearchResponse['data']> {
  const text = question.trim()
  const nothing: AdminSearchResponse['data'] = { orders: [], products: [], skus: [], promotions: [] }
  if (text === '') return nothing
  const { merchantId } = seller
  const limit = searchRowsMax
  const [orders, products, skus, promotions] = await Promise.all([
    findOrders(db, rootSecret, seller, { text, seesCustomers }),
    listFoundProducts(db, merchantId, text, limit),
    listFoundSkus(db, merchantId, text, limit),
    listFoundPromotions(db, merchantId, text, limit),
  ])
  if (orders.length + products.length + skus.length + promotions.length > 0)
    return { orders, products, skus, promotions }
  return findMistyped(db, rootSecret, seller, { text, seesCustomers })
}

// Called if nothing matches the text as typed: finds matches with one letter wrong, missing, added or swapped.
async function findMistyped(
  db: Reader,
  rootSecret: RootSecret,
  seller: MerchantMode,
  { text, seesCustomers }: { text: string; seesCustomers: boolean },
): Promise<AdminSearchResponse['data']> {
  const limit = searchRowsMax
  const [keys, products] = await Promise.all([
    seesCustomers ? findOrdersByMistake(db, rootSecret, seller, { text, limit }) : [],
    productsByMistake(db, seller.merchantId, text, limit),
  ])
  return { orders: viewsOf(await listFoundOrders(db, keys)), products, skus: [], promotions: [] }
}

const similarMax = 2_000
const candidatesMax = 5

async function productsByMistake(
  db: Reader,
  merchantId: string,
  text: string,
  limit: number,
): Promise<AdminSearchResponse['data']['products']> {
  for (const word of indexWords(text)) {
    if (word.length < misspeltLengthMin) continue
    const similar = await listSimilarWords(db, merchantId, word, similarMax)
    const meant = similar.filter((other) => isOneMistake(word, other)).sort()
    for (const other of meant.slice(0, candidatesMax)) {
      const found = await listFoundProducts(db, merchantId, other, limit)
      if (found.length > 0) return found
    }
  }
  return []
}

async function findOrders(
  db: Reader,
  rootSecret: RootSecret,
  seller: MerchantMode,
  { text, seesCustomers }: { text: string; seesCustomers: boolean },
): Promise<AdminSearchResponse['data']['orders']> {
  const limit = searchRowsMax
  return viewsOf(await listFoundOrders(db, await findOrderKeys(db, rootSecret, seller, { text, seesCustomers, limit })))
}

function viewsOf(rows: Awaited<ReturnType<typeof listFoundOrders>>): AdminSearchResponse['data']['orders'] {
  return rows.slice(0, searchRowsMax).map((row) => ({ ...row, placedAt: toInstant(row.placedAt) }))
}

export async function findOrderKeys(
  db: Reader,
  rootSecret: RootSecret,
  seller: MerchantMode,
  { text: question, seesCustomers, limit }: OrderSearchQuery,
): Promise<OrderKey[]> {
  const text = question.trim()
  if (text === '') return []
  const numbered = await findOrderByNumber(db, seller.merchantId, numberMeant(text, seller.mode))
  return [
    ...(numbered?.mode === seller.mode ? [numbered] : []),
    ...(await listOrdersOfTracking(db, seller, text, limit)),
    ...(await listOrdersOfItem(db, seller, text, limit)),
    // A caller who finds an order by a name learns who ordered, so this requires the right to see customers.
    ...(seesCustomers ? await findOrdersByWords(db, rootSecret, seller, { text, limit }) : []),
  ]
}

// Accepts an order's number as people type it: `#1078` or `1078`, also for a test order, whose number begins with T-. The number of a
// return is reduced to that of its order.
function numberMeant(text: string, mode: Mode): string {
  const number = text
    .replace(/^#\s*/, '')
    .toUpperCase()
    .replace(/-R\d+$/, '')
  return mode === 'test' && /^\d+$/.test(number) ? `T-${number}` : number
}
