// Disputes: a shopper asks the bank for the money back, and the bank notifies the provider. Disputes are recorded as the provider reports
// them and are shown to the operator. They never change an order.

import { newId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { Fragment, type Reader, type Tx } from '../../platform/storage/storage.ts'
import type { ProviderDispute } from './port.ts'
import type { PaymentRow } from './store.ts'

export interface DisputeRow {
  installationId: string
  id: string
  merchantId: string
  paymentId: string
  // The provider's id of the dispute.
  reference: string
  amount: number
  currency: string
  status: ProviderDispute['state']
  // The reason in the provider's terms.
  reason: string | null
  // Deadline for the merchant's response.
  dueAt: number | null
  createdAt: number
  updatedAt: number
}

const columns = new Fragment(`
  installation_id as "installationId", id, merchant_id as "merchantId", payment_id as "paymentId", reference, amount, currency,
  status, reason, due_at as "dueAt", created_at as "createdAt", updated_at as "updatedAt"`)

// The caller has locked the payment. Returns the dispute and its previous status (`before`), which is null if the dispute is new.
export async function recordDispute(
  tx: Tx,
  { installationId, merchantId, id: paymentId, currency }: PaymentRow,
  { reference, amount, state, reason: word, dueAt }: ProviderDispute,
  now: number,
): Promise<{ dispute: DisputeRow; before: DisputeRow['status'] | null }> {
  const reason = word !== null && /^[\w .,'-]{1,100}$/.test(word) ? word : null
  const [known] = await tx.sql<DisputeRow>`
    select ${columns} from disputes
    where installation_id = ${installationId} and payment_id = ${paymentId} and reference = ${reference}`
  const told = { amount, status: state, reason, dueAt }
  if (!known) {
    const made = { installationId, id: newId('dsp'), merchantId, paymentId, reference, currency }
    tx.send`
      insert into disputes (installation_id, id, merchant_id, payment_id, reference, amount, currency, status, reason, due_at,
        created_at, updated_at)
      values (${installationId}, ${made.id}, ${merchantId}, ${paymentId}, ${reference}, ${amount}, ${currency}, ${state},
        ${reason}, ${dueAt}, ${now}, ${now})`
    return { dispute: { ...made, ...told, createdAt: now, updatedAt: now }, before: null }
  }
  const dispute = { ...known, ...told, updatedAt: now }
  tx.send`
    update disputes set amount = ${amount}, status = ${state}, reason = ${reason}, due_at = ${dueAt}, updated_at = ${now}
    where installation_id = ${installationId} and id = ${known.id}`
  return { dispute, before: known.status }
}

export async function findDispute(db: Reader, installation: string, id: string): Promise<DisputeRow | undefined> {
  const [row] = await db.sql<DisputeRow>`
    select ${columns} from disputes where installation_id = ${installation} and id = ${id}`
  return row
}

// Lists disputes, oldest first.
export async function listDisputesOfOrder(db: Reader, installation: string, orderId: string): Promise<DisputeRow[]> {
  return db.sql<DisputeRow>`
    select ${columns} from disputes
    where installation_id = ${installation} and payment_id in (
      select p.id from payments p where p.installation_id = ${installation} and p.order_id = ${orderId})
    order by created_at, id`
}

export function disputeView({ id, reference, amount, currency, status, reason, dueAt, createdAt }: DisputeRow) {
  return {
    id,
    reference,
    amount,
    currency,
    status,
    reason,
    dueAt: dueAt === null ? null : toInstant(dueAt),
    createdAt: toInstant(createdAt),
  }
}
