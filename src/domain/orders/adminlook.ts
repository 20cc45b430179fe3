// An order as shown to its merchant, with its notes, refunds and other records.

import type { AdminOrder, AdminOrderRefund } from '../../contract/admin/orders.ts'
import { limits } from '../../contract/limits.ts'
import { listActorNames, listEntries } from '../../platform/audit/store.ts'
import { changeView } from '../../platform/audit/view.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { listProviderAccountIds } from '../payments/accounts.ts'
import { listDisputesOfOrder } from '../payments/disputes.ts'
import { adminOrderView, adminRefundView, noteView } from './adminview.ts'
import {
  findExchangeOf,
  findOpenChange,
  findOrderAgent,
  listCredits,
  listLinesByRefund,
  listMoneyByHand,
  listOrderNotes,
  type OrderDestination,
} from './store.ts'
import type { OrderFacts } from './view.ts'

export async function findAdminOrderView(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  facts: OrderFacts,
  place: OrderDestination,
): Promise<AdminOrder> {
  const query = { mode, subjectId: facts.order.id, limit: limits.adminListRowsMax }
  const key = { installationId: facts.order.installationId, orderId: facts.order.id }
  const [{ entries }, notes, exchangeOf, agent, openChange, disputes, moneyEntries, accountNames, refunds] =
    await Promise.all([
      listEntries(db, merchantId, query),
      listOrderNotes(db, key),
      findExchangeOf(db, key),
      findOrderAgent(db, key),
      findOpenChange(db, facts.order),
      listDisputesOfOrder(db, key.installationId, key.orderId),
      listMoneyByHand(db, facts.order),
      listProviderAccountIds(
        db,
        merchantId,
        facts.payments.map(({ accountId }) => accountId),
      ),
      findRefunds(db, facts),
    ])
  const writers = notes.map(({ actorKind: kind, actorId: id }) => ({ actor: { kind, id } }))
  const names = await listActorNames(db, merchantId, [...entries, ...writers])
  return adminOrderView(facts, place, {
    exchangeOf: exchangeOf ?? null,
    agent: agent ?? null,
    openChange,
    notes: notes.map((note) => noteView(note, names)),
    changes: entries.map((entry) => changeView(entry, { names, subjectId: facts.order.id, skipped: 0 })),
    disputes,
    moneyEntries,
    accountNames,
    refunds,
  })
}

// Most orders have no refunds, and need no further query.
async function findRefunds(db: Reader, { order, refunds }: OrderFacts): Promise<AdminOrderRefund[]> {
  const made = refunds.filter(({ kind }) => kind === 'refund')
  if (made.length === 0) return []
  const [lines, credits] = await Promise.all([
    listLinesByRefund(db, { installationId: order.installationId, orderId: order.id }),
    listCredits(db, order),
  ])
  return made.map((refund) =>
    adminRefundView(
      refund,
      lines.filter(({ refundId }) => refundId === refund.id),
      credits.get(refund.editId ?? refund.id) ?? [],
    ),
  )
}
