// Payments about which the provider is still to be sent the order number.

import type { ClockSetBack } from '../../platform/jobs/clock.ts'
import { isNotDeferred, isOnly, type RowKey } from '../../platform/jobs/store.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { leaseMs } from './schedule.ts'
import type { PaymentRow } from './store.ts'

export interface LabelRow {
  installationId: string
  paymentId: string
  tries: number
}

export function queueLabel(
  tx: Tx,
  { installationId, id }: Pick<PaymentRow, 'installationId' | 'id'>,
  now: number,
): void {
  tx.send`
    insert into payment_labels (installation_id, payment_id, due_at, created_at)
    values (${installationId}, ${id}, ${now}, ${now}) on conflict (installation_id, payment_id) do nothing`
}

// Every claim counts as a try.
export async function claimLabels(
  tx: Tx,
  { now, limit }: { now: number; limit: number },
  only: RowKey | null = null,
): Promise<LabelRow[]> {
  return tx.sql<LabelRow>`
    with due as (
      select l.installation_id, l.payment_id from payment_labels l
      where l.due_at <= ${now} and ${isOnly(only, 'l.installation_id', 'l.payment_id')}
        and ${isNotDeferred('payment_labels', 'l.installation_id', 'l.payment_id', now)}
      order by l.due_at limit ${limit} ${tx.skipLocked})
    update payment_labels set due_at = ${now + leaseMs}, tries = tries + 1
    where (installation_id, payment_id) in (select due.installation_id, due.payment_id from due)
    returning installation_id as "installationId", payment_id as "paymentId", tries`
}

export async function listDueLabels(db: Reader, now: number, limit: number): Promise<RowKey[]> {
  return db.sql<RowKey>`
    select l.installation_id as "tenantId", l.payment_id as "rowId" from payment_labels l
    where l.due_at <= ${now} and ${isNotDeferred('payment_labels', 'l.installation_id', 'l.payment_id', now)}
    order by l.due_at limit ${limit}`
}

export function postponeLabel(tx: Tx, { installationId, paymentId }: LabelRow, dueAt: number): void {
  tx.send`
    update payment_labels set due_at = ${dueAt}
    where installation_id = ${installationId} and payment_id = ${paymentId}`
}

export function deleteLabel(tx: Tx, { installationId, paymentId }: LabelRow): void {
  tx.send`delete from payment_labels where installation_id = ${installationId} and payment_id = ${paymentId}`
}

// Makes labels due earlier after the clock was set back, as for payments.
export function bringLabelsForward(tx: Tx, { now, backMs }: ClockSetBack): void {
  const earliest = now + leaseMs
  tx.send`
    update payment_labels set due_at = case when due_at - ${backMs} < ${earliest} then ${earliest} else due_at - ${backMs} end
    where due_at > ${earliest}`
}
