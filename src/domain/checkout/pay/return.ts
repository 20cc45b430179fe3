// Money that arrived although no order was possible any more: it must be refunded, and the shopper is notified.

import { newId } from '../../../platform/kit/ids.ts'
import { queueEmails } from '../../../platform/outbox/emails.ts'
import type { Tx } from '../../../platform/storage/storage.ts'
import { type PaymentRow, queueVoid } from '../../payments/store.ts'

export async function queuePaymentReturn(tx: Tx, payment: PaymentRow, reason: string, now: number): Promise<void> {
  const refund = await queueVoid(tx, payment, { id: newId('rfd'), reason }, now)
  if (!refund) return
  const email = { kind: 'payment_returned', subjectId: refund.id } as const
  queueEmails(tx, { ...payment, sessionId: payment.checkoutSessionId }, [email], now)
}
