// Writes changes of stock: the numbers of the SKU, the event if a threshold was crossed, and the mark that the catalog's responses for its
// product are stale. Besides, only `reserveStock` and `takeHeldStock` (store.ts) change numbers: the first before a change is written here,
// the second without changing the available quantity.

import type { EventDataOf } from '../../contract/open/events.ts'
import { clockSkewMsMax } from '../../platform/kit/instant.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { announce, announceTogether, type ChangeContext } from '../../platform/outbox/announce.ts'
import { queueEmails } from '../../platform/outbox/emails.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { type StockEvent, type StockRow, stockEventFor } from './stock.ts'
import {
  listActiveInstallations,
  listSkuNames,
  markProductsStale,
  type SkuName,
  type StockNumbers,
  updateStockRows,
} from './store.ts'

// The new numbers of a locked SKU.
export interface StockChange {
  stockRow: StockRow
  onHand: number
  held: number
  // Whether the available quantity has changed, or may differ from what a node with another clock has rendered.
  shows: boolean
  // Whether the row has these numbers already.
  isWritten?: boolean
}

// A hold that ends soon may have expired by another node's clock, and that node may have rendered the responses.
export function endsSoon(expiresAt: number, now: number): boolean {
  return expiresAt <= now + clockSkewMsMax
}

export async function applyChanges(
  tx: Tx,
  seller: MerchantMode,
  changes: readonly StockChange[],
  context: ChangeContext,
): Promise<void> {
  const crossings: { change: StockChange; kind: StockEvent; sequence: number }[] = []
  const numbers: StockNumbers[] = []
  for (const change of changes) {
    const { stockRow, onHand, held, isWritten = false } = change
    if (onHand === stockRow.onHand && held === stockRow.held) continue
    const kind = stockEventFor(stockRow.onHand - stockRow.held, onHand - held, stockRow.lowStockAt)
    const stockVersion = stockRow.stockVersion + (kind ? 1 : 0)
    if (kind) crossings.push({ change, kind, sequence: stockVersion })
    if (kind || !isWritten) numbers.push({ skuId: stockRow.skuId, onHand, held, stockVersion })
  }
  updateStockRows(tx, seller, numbers)
  const products = new Set(changes.filter(({ shows }) => shows).map(({ stockRow }) => stockRow.productId))
  // Backdated by the maximum clock skew, so nodes with slow clocks also see the products as stale.
  if (products.size > 0) markProductsStale(tx, seller, [...products], context.now - clockSkewMsMax)
  if (crossings.length === 0) return
  queueStockEmails(tx, seller, crossings, context.now)
  // Both queries are sent in one round trip.
  const [installations, names] = await Promise.all([
    listActiveInstallations(tx, seller),
    listSkuNames(
      tx,
      seller.merchantId,
      crossings.map(({ change }) => change.stockRow.skuId),
    ),
  ])
  const nameOf = new Map(names.map((name) => [name.skuId, name]))
  await announceTogether(tx, async () => {
    for (const { change, kind, sequence } of crossings) {
      const { skuId } = change.stockRow
      const dataText = JSON.stringify(eventData(change, nameOf.get(skuId)))
      for (const { id: installationId } of installations) {
        const subject = { type: 'sku', id: skuId } as const
        announce(tx, { installationId, mode: seller.mode, kind, subject, sequence, dataText, ...context })
      }
    }
  })
}

const dayMs = 24 * 3_600_000

// At most one e-mail a day for each SKU: stock may cross its threshold many times a day. Test orders change no real stock.
function queueStockEmails(
  tx: Tx,
  { merchantId, mode }: MerchantMode,
  crossings: readonly { change: StockChange; kind: StockEvent }[],
  now: number,
): void {
  const emails = crossings
    .filter(({ kind }) => kind !== 'inventory.replenished')
    .map(({ change: { stockRow, onHand, held } }) => ({
      kind: 'stock_low' as const,
      subjectId: `${stockRow.skuId}.${Math.floor(now / dayMs)}`,
      facts: { skuId: stockRow.skuId, left: Math.max(0, onHand - held) },
    }))
  if (mode === 'live' && emails.length > 0)
    queueEmails(tx, { installationId: merchantId, merchantId, orderId: null }, emails, now)
}

function eventData(
  { stockRow: { skuId: id, lowStockAt }, onHand, held }: StockChange,
  named: SkuName | undefined,
): EventDataOf<StockEvent> {
  if (!named) throw new Error(`SKU ${id} was locked but does not exist`)
  const { code, productSlug, name } = named
  return { sku: { id, code, productSlug, name, availableQuantity: Math.max(0, onHand - held), lowStockAt } }
}
