// Money that came where no order was possible, or no longer: it is owed back, and the shopper is told.

import { oweLetters } from '../../events/letters.ts'
import { newId } from '../../kit/ids.ts'
import { oweVoid, type PaymentRow } from '../../payments/store.ts'
import type { Tx } from '../../storage/storage.ts'

export async function oweReturn(tx: Tx, payment: PaymentRow, reason: string, now: number): Promise<void> {
  const refund = await oweVoid(tx, payment, { id: newId('rfd'), reason }, now)
  if (!refund) return
  const letter = { kind: 'payment_returned', subjectId: refund.id } as const
  oweLetters(tx, { ...payment, sessionId: payment.checkoutSessionId }, [letter], now)
}
