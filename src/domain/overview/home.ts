// Counts of open tasks. Each count reads an index with few rows and stops at a bound.

import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Fragment, type Reader } from '../../platform/storage/storage.ts'
import type { CountLowStock } from '../catalog/lowstock.ts'
import { findMerchantFace } from '../merchants/store.ts'
import { isToSend } from '../orders/store.ts'
import { needsManualAttention } from '../payments/store.ts'
import { receivedWithdrawals } from '../withdrawals/store.ts'

export const countMax = 1_000

export interface TodoCounts {
  toSend: number
  awaitingPayment: number
  refundsFailed: number
  disputesOpen: number
  withdrawals: number
  lowStock: number
  webhooksFailing: number
  paymentAccountsFailing: number
  paymentsUnsettled: number
}

export const agentOrdersMs = 30 * 24 * 3_600_000

// Also counts the orders that agents made since `agentOrdersFrom`.
export async function countTodo(
  db: Reader,
  at: MerchantMode,
  { now, countLowStock }: { now: number; countLowStock: CountLowStock },
): Promise<{ todo: TodoCounts; agentOrders: number }> {
  const [lowStock, { agentOrders, ...counts }] = await Promise.all([
    countLowStock(db, at, countMax),
    countEach(db, {
      ...openOrders(at),
      refundsFailed: failedRefunds(at),
      disputesOpen: openDisputes(at),
      withdrawals: receivedWithdrawals(at),
      webhooksFailing: failingWebhooks(at),
      paymentAccountsFailing: failingPaymentAccounts(at),
      paymentsUnsettled: unsettledPayments(at, now),
      agentOrders: ordersOfAgents(at, now - agentOrdersMs),
    }),
  ])
  return { todo: { ...counts, lowStock }, agentOrders }
}

// Withdrawals are null if the merchant offers none and has received none.
export async function countOrders(
  db: Reader,
  at: MerchantMode,
): Promise<Pick<TodoCounts, 'toSend' | 'awaitingPayment'> & { withdrawals: number | null }> {
  const [counts, face] = await Promise.all([
    countEach(db, { ...openOrders(at), withdrawals: receivedWithdrawals(at) }),
    findMerchantFace(db, at.merchantId),
  ])
  return counts.withdrawals === 0 && !face?.offersWithdrawal ? { ...counts, withdrawals: null } : counts
}

// Counts the rows of each query, up to `countMax`, by one statement. The maximum is a literal and not a parameter, so PostgreSQL plans the
// statement once.
async function countEach<Name extends string>(
  db: Reader,
  queries: Readonly<Record<Name, Fragment>>,
): Promise<Record<Name, number>> {
  const all: [string, Fragment][] = Object.entries(queries)
  const counts = new Fragment(
    all.map(([name, { text }]) => `(select count(*) from (${text} limit ${countMax}) few) as "${name}"`).join(', '),
    all.flatMap(([, { values }]) => [...values]),
  )
  const [row] = await db.sql<Record<Name, number>>`select ${counts}`
  if (!row) throw new Error('a statement of counts has returned no row')
  return row
}

// Without the order, PostgreSQL reads the table from its beginning until it has found enough orders to send.
function openOrders({ merchantId, mode }: MerchantMode): Record<'toSend' | 'awaitingPayment', Fragment> {
  return {
    toSend: new Fragment(
      `select o.id from orders o where o.merchant_id = ? and o.mode = ? and ${isToSend}
        order by o.placed_at desc, o.id desc`,
      [merchantId, mode],
    ),
    awaitingPayment: new Fragment(
      "select id from orders where merchant_id = ? and mode = ? and payment_status = 'pending' order by placed_at desc, id desc",
      [merchantId, mode],
    ),
  }
}

// Failed refunds that were not replaced.
function failedRefunds({ merchantId, mode }: MerchantMode): Fragment {
  return new Fragment(
    `select r.id from refunds r join installations i on i.id = r.installation_id and i.mode = ?
      where r.merchant_id = ? and r.status = 'failed' and r.replaced_by is null`,
    [mode, merchantId],
  )
}

function openDisputes({ merchantId, mode }: MerchantMode): Fragment {
  return new Fragment(
    `select d.id from disputes d join installations i on i.id = d.installation_id and i.mode = ?
      where d.merchant_id = ? and d.status = 'open'`,
    [mode, merchantId],
  )
}

function failingWebhooks({ merchantId, mode }: MerchantMode): Fragment {
  return new Fragment(
    `select e.id from installations i join webhook_endpoints e on e.installation_id = i.id
      where i.merchant_id = ? and i.mode = ? and i.disabled_at is null
        and (e.status = 'disabled' and e.disabled_reason <> 'operator' or e.status = 'enabled' and e.failing_since is not null)`,
    [merchantId, mode],
  )
}

function failingPaymentAccounts({ merchantId, mode }: MerchantMode): Fragment {
  return new Fragment(
    `select distinct a.id from payment_account_problems p
      join payment_accounts a on a.merchant_id = p.merchant_id and a.id = p.account_id and a.mode = ?
      where p.merchant_id = ?`,
    [mode, merchantId],
  )
}

function unsettledPayments(at: MerchantMode, now: number): Fragment {
  const { text, values } = needsManualAttention(at, now)
  return new Fragment(`select p.id from payments p where ${text}`, values)
}

function ordersOfAgents({ merchantId, mode }: MerchantMode, from: number): Fragment {
  return new Fragment(
    `select id from orders
      where merchant_id = ? and mode = ? and placed_at >= ? and agent_platform_id is not null
      order by placed_at desc, id desc`,
    [merchantId, mode, from],
  )
}
