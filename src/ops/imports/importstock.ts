// Sets stock from a stock file, in both modes: a part of the command `import`. Each batch is one transaction.

import { type Remark, remark } from '../../contract/remarks.ts'
import { type Mode, modes } from '../../contract/words.ts'
import { listSkusByCode } from '../../domain/catalog/store.ts'
import { setOnHand } from '../../domain/inventory/levels.ts'
import { lockStockRows } from '../../domain/inventory/store.ts'
import { lockMerchant } from '../../domain/merchants/store.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Storage, Tx } from '../../platform/storage/storage.ts'
import type { Recorder } from '../provisioning/record.ts'
import { withKnownCodes } from './codes.ts'
import type { CsvRow } from './csv.ts'
import { readStock, type StockLevelRow, type StockOutcome } from './stockfile.ts'

const batchLevels = 500

export interface StockImport {
  merchantSlug: string
  now: number
  report: { changed: number; unchanged: number }
  refuseRow: (row: { line: number; handle: string; reason: Remark }) => void
  record: Recorder | undefined
}

export async function importStock(storage: Storage, rows: AsyncIterable<CsvRow>, options: StockImport): Promise<void> {
  let batch: StockOutcome[] = []
  for await (const outcome of readStock(rows)) {
    batch.push(outcome)
    if (batch.length < batchLevels) continue
    await save(storage, batch, options)
    batch = []
  }
  await save(storage, batch, options)
}

async function save(storage: Storage, batch: readonly StockOutcome[], options: StockImport): Promise<void> {
  const { merchantSlug, report, refuseRow } = options
  const saved = await storage.write(async (tx) => {
    const merchant = await lockMerchant(tx, merchantSlug)
    if (!merchant) throw refuse('merchant_not_found', { message: `The merchant ${merchantSlug} no longer exists.` })
    return saveLevels(tx, merchant.id, await withKnownCodes(tx, merchant.id, batch), options)
  })
  report.changed += saved.changed
  report.unchanged += saved.unchanged
  for (const { line, code, reason } of saved.refused) refuseRow({ line, handle: code, reason })
}

async function saveLevels(tx: Tx, merchantId: string, outcomes: readonly StockOutcome[], { now, record }: StockImport) {
  const levels = outcomes.filter((outcome): outcome is StockLevelRow => outcome.kind === 'level')
  const codes = levels.map(({ code }) => code)
  const owners = codes.length === 0 ? [] : await listSkusByCode(tx, merchantId, codes)
  const skuIdOf = new Map(owners.map((sku) => [sku.code, sku.id]))
  const stockOf = await lockStock(tx, merchantId, [...skuIdOf.values()])
  const refused = outcomes.flatMap((outcome) => (outcome.kind === 'refused' ? [outcome] : []))
  const found = levels.flatMap(({ line, code, onHand, expectedOnHand }) => {
    const skuId = skuIdOf.get(code) ?? ''
    const stock = stockOf.get(skuId)
    const reason =
      stock === undefined
        ? remark('sku_unknown')
        : expectedOnHand !== null && expectedOnHand !== stock.live
          ? remark('stock_differs', { count: stock.live })
          : undefined
    if (reason !== undefined) refused.push({ kind: 'refused', line, code, reason })
    return stock && reason === undefined ? [{ skuId, code, onHand, stock }] : []
  })
  for (const mode of modes) {
    const changed = found.filter(({ stock, onHand }) => stock[mode] !== onHand)
    await setOnHand(tx, { merchantId, mode }, changed, { now, cause: null })
    const changes = changed.map(({ skuId: id, code: name, stock, onHand: to }): AuditedChange => {
      return { kind: 'change', what: 'stock', id, name, members: [{ member: 'onHand', from: stock[mode], to }] }
    })
    record?.(tx, merchantId, [{ mode, changes }])
  }
  const changed = found.filter(({ stock, onHand }) => modes.some((mode) => stock[mode] !== onHand)).length
  const unchanged = found.length - changed + outcomes.filter(({ kind }) => kind === 'same').length
  return { changed, unchanged, refused }
}

// Locks the stock rows and so waits for sales in progress: no sale can happen between comparing a count and writing it.
async function lockStock(tx: Tx, merchantId: string, skuIds: readonly string[]) {
  const stockOf = new Map<string, Record<Mode, number>>()
  if (skuIds.length === 0) return stockOf
  for (const mode of modes) {
    for (const { skuId, onHand } of await lockStockRows(tx, { merchantId, mode }, skuIds))
      stockOf.set(skuId, { ...(stockOf.get(skuId) ?? { live: 0, test: 0 }), [mode]: onHand })
  }
  return stockOf
}
