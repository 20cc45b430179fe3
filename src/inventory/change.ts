// Every change of stock ends here: the numbers of the SKU, the event where a mark was crossed, and the word to the
// catalog that its answers are old. Nothing else writes them.

import type { EventDataOf } from '../contract/open/events.ts'
import { announce, type Moment } from '../events/announce.ts'
import { clockSkewMsMax } from '../kit/instant.ts'
import type { MerchantMode } from '../kit/mode.ts'
import type { Tx } from '../storage/storage.ts'
import { type StockEvent, type StockRow, stockEventFor } from './stock.ts'
import { findSkuName, listActiveInstallations, markStale, updateStockRow } from './store.ts'

// What a locked SKU becomes.
export interface StockChange {
  stockRow: StockRow
  onHand: number
  held: number
  // What can be bought at this instant is not what it was, or may not be what was rendered by another node's clock.
  shows: boolean
}

// A hold that ends soon may be over by another clock, and the answers may have been rendered by that.
export function endsSoon(expiresAt: number, now: number): boolean {
  return expiresAt <= now + clockSkewMsMax
}

export async function applyChanges(
  tx: Tx,
  seller: MerchantMode,
  changes: readonly StockChange[],
  moment: Moment,
): Promise<void> {
  const told: { change: StockChange; kind: StockEvent; sequence: number }[] = []
  for (const change of changes) {
    const { stockRow, onHand, held } = change
    if (onHand === stockRow.onHand && held === stockRow.held) continue
    const kind = stockEventFor(stockRow.onHand - stockRow.held, onHand - held, stockRow.lowStockAt)
    const stockVersion = stockRow.stockVersion + (kind ? 1 : 0)
    if (kind) told.push({ change, kind, sequence: stockVersion })
    updateStockRow(tx, stockRow, { onHand, held, stockVersion })
  }
  const products = new Set(changes.filter(({ shows }) => shows).map(({ stockRow }) => stockRow.productId))
  // Backdated by the maximum clock skew, so nodes with slow clocks also see it as stale.
  if (products.size > 0) markStale(tx, seller, [...products], moment.now - clockSkewMsMax)
  if (told.length === 0) return
  const installations = await listActiveInstallations(tx, seller)
  for (const { change, kind, sequence } of told) {
    const dataText = JSON.stringify(await eventData(tx, change))
    for (const { id: installationId } of installations) {
      const subject = { type: 'sku', id: change.stockRow.skuId } as const
      announce(tx, { installationId, mode: seller.mode, kind, subject, sequence, dataText, ...moment })
    }
  }
}

async function eventData(tx: Tx, { stockRow, onHand, held }: StockChange): Promise<EventDataOf<StockEvent>> {
  const { merchantId, skuId, lowStockAt } = stockRow
  const named = await findSkuName(tx, merchantId, skuId)
  if (!named) throw new Error(`${skuId} was locked and is not there`)
  const { code, productSlug, name } = named
  return { sku: { id: skuId, code, productSlug, name, availableQuantity: Math.max(0, onHand - held), lowStockAt } }
}
