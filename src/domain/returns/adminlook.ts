// Reads a return as its merchant sees it, and locks it for a change.

import type { AdminReturn } from '../../contract/admin/returns.ts'
import { limits } from '../../contract/limits.ts'
import { listActorNames, listEntries } from '../../platform/audit/store.ts'
import { changeView } from '../../platform/audit/view.ts'
import { isId } from '../../platform/kit/ids.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import { decryptByRootSecret, type RootSecret } from '../../platform/secrets/secrets.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { openChangeView } from '../orders/adminview.ts'
import { lockOrderFacts } from '../orders/change.ts'
import { findOpenChange } from '../orders/store.ts'
import { type OrderFacts, refundView } from '../orders/view.ts'
import { listRefundsOfOrder } from '../payments/store.ts'
import { returnNotePurpose } from './change.ts'
import { findAdminReturn, findReturn, listRefundIdsOfReturn, type ReturnFacts } from './store.ts'
import { allowedReturnActions, returnView } from './view.ts'

export interface ReturnCaller extends MerchantMode {
  scopes: readonly string[]
}

// Locks the order first: every change of a return waits for the order.
export async function lockAdminReturn(
  tx: Tx,
  seller: MerchantMode,
  returnId: string,
  expectedVersion: number | undefined,
): Promise<{ facts: ReturnFacts; order: OrderFacts }> {
  const key = isId('ret', returnId) ? await findAdminReturn(tx, seller, returnId) : undefined
  const order = key && (await lockOrderFacts(tx, key))
  const facts = key && (await findReturn(tx, key))
  if (!facts || !order) throw refuse('return_not_found')
  const { version, status } = facts.row
  if (expectedVersion !== undefined && expectedVersion !== version) {
    const message = `The return is at version ${version}; the request expected ${expectedVersion}.`
    throw refuse('version_conflict', { message, current: { version, status } })
  }
  return { facts, order }
}

export async function findAdminReturnView(
  db: Reader,
  rootSecret: RootSecret,
  { merchantId, mode, scopes }: ReturnCaller,
  facts: ReturnFacts,
): Promise<AdminReturn> {
  const { row } = facts
  const query = { mode, subjectId: row.id, limit: limits.adminListRowsMax }
  const [{ entries }, refundIds, refunds, open] = await Promise.all([
    listEntries(db, merchantId, query),
    listRefundIdsOfReturn(db, row),
    listRefundsOfOrder(db, row.installationId, row.orderId),
    findOpenChange(db, { merchantId, id: row.orderId }),
  ])
  const names = await listActorNames(db, merchantId, entries)
  // Money that was moved to a new order is shown with the exchanges: it was not refunded.
  const own = refunds.filter(({ id, movedTo }) => refundIds.includes(id) && movedTo === null)
  const mayRead = scopes.includes('admin:orders')
  const note =
    mayRead && row.noteSealed !== null
      ? decryptByRootSecret(rootSecret, returnNotePurpose, row.noteSealed, row.id)
      : undefined
  return {
    ...returnView(facts),
    currency: row.currency,
    note: note ?? null,
    refunds: own.map(refundView),
    refunded: own.reduce((sum, { status, amount }) => (status === 'failed' ? sum : sum + amount), 0),
    openExchange: open?.returnId === row.id ? openChangeView(open) : null,
    allowed: allowedReturnActions(facts),
    changes: entries.map((entry) => changeView(entry, { names, subjectId: row.id, skipped: 0 })),
  }
}
