// Counts of open tasks. Each count reads an index with few rows and stops at a bound.

import type { MerchantMode } from '../../platform/kit/mode.ts'
import { Fragment, type Reader } from '../../platform/storage/storage.ts'
import type { CountLowStock } from '../catalog/lowstock.ts'
import { findMerchantFace } from '../merchants/store.ts'
import { isToSend } from '../orders/store.ts'
import { needsManualAttention } from '../payments/store.ts'
import { countReceivedWithdrawals } from '../withdrawals/store.ts'

export const countMax = 1_000
// A literal and not a parameter, so PostgreSQL plans these statements once.
const upTo = new Fragment(String(countMax))

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

export async function countTodo(
  db: Reader,
  { merchantId, mode }: MerchantMode,
  { now, countLowStock }: { now: number; countLowStock: CountLowStock },
): Promise<TodoCounts> {
  const [
    orders,
    refundsFailed,
    disputesOpen,
    lowStock,
    webhooksFailing,
    paymentAccountsFailing,
    withdrawals,
    paymentsUnsettled,
  ] = await Promise.all([
    countOrders(db, { merchantId, mode }),
    // Failed refunds that were not replaced.
    one(db.sql<{ n: number }>`
      select count(*) as n from (select r.id from refunds r
        join installations i on i.id = r.installation_id and i.mode = ${mode}
        where r.merchant_id = ${merchantId} and r.status = 'failed' and r.replaced_by is null limit ${upTo}) few`),
    one(db.sql<{ n: number }>`
      select count(*) as n from (select d.id from disputes d
        join installations i on i.id = d.installation_id and i.mode = ${mode}
        where d.merchant_id = ${merchantId} and d.status = 'open' limit ${upTo}) few`),
    countLowStock(db, { merchantId, mode }, countMax),
    one(db.sql<{ n: number }>`
      select count(*) as n from (select e.id from installations i
        join webhook_endpoints e on e.installation_id = i.id
        where i.merchant_id = ${merchantId} and i.mode = ${mode} and i.disabled_at is null
          and (e.status = 'disabled' and e.disabled_reason <> 'operator' or e.status = 'enabled' and e.failing_since is not null)
        limit ${upTo}) few`),
    one(db.sql<{ n: number }>`
      select count(distinct a.id) as n from payment_account_problems p
      join payment_accounts a on a.merchant_id = p.merchant_id and a.id = p.account_id and a.mode = ${mode}
      where p.merchant_id = ${merchantId}`),
    countReceivedWithdrawals(db, { merchantId, mode }, countMax),
    one(db.sql<{ n: number }>`
      select count(*) as n from (select p.id from payments p
        where ${needsManualAttention({ merchantId, mode }, now)} limit ${upTo}) few`),
  ])
  return {
    ...orders,
    refundsFailed,
    disputesOpen,
    withdrawals,
    lowStock,
    webhooksFailing,
    paymentAccountsFailing,
    paymentsUnsettled,
  }
}

export async function countOrders(
  db: Reader,
  { merchantId, mode }: MerchantMode,
): Promise<Pick<TodoCounts, 'toSend' | 'awaitingPayment'>> {
  const sending = new Fragment(isToSend)
  const [toSend, awaitingPayment] = await Promise.all([
    one(db.sql<{ n: number }>`
      select count(*) as n from (select o.id from orders o
        where o.merchant_id = ${merchantId} and o.mode = ${mode} and ${sending} limit ${upTo}) few`),
    one(db.sql<{ n: number }>`
      select count(*) as n from (select id from orders
        where merchant_id = ${merchantId} and mode = ${mode} and payment_status = 'pending' limit ${upTo}) few`),
  ])
  return { toSend, awaitingPayment }
}

export const agentOrdersMs = 30 * 24 * 3_600_000

export async function countAgentOrders(db: Reader, { merchantId, mode }: MerchantMode, from: number): Promise<number> {
  return one(db.sql<{ n: number }>`
    select count(*) as n from (select id from orders
      where merchant_id = ${merchantId} and mode = ${mode} and placed_at >= ${from} and agent_platform_id is not null
      limit ${upTo}) few`)
}

// Null if the merchant offers no withdrawals and has received none.
export async function countWithdrawals(db: Reader, { merchantId, mode }: MerchantMode): Promise<number | null> {
  const [count, face] = await Promise.all([
    countReceivedWithdrawals(db, { merchantId, mode }, countMax),
    findMerchantFace(db, merchantId),
  ])
  return count === 0 && !face?.offersWithdrawal ? null : count
}

async function one(rows: Promise<{ n: number }[]>): Promise<number> {
  const [row] = await rows
  return row?.n ?? 0
}
