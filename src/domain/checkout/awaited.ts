// Payment instructions for an order that awaits its money, as the shopper sees them.

import { toInstant } from '../../platform/kit/instant.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import type { OrderRow } from '../orders/store.ts'
import { findMethodSettings } from '../payments/methods.ts'
import { isPaidOnDelivery } from '../payments/providers/manual/provider.ts'
import type { PaymentRow } from '../payments/store.ts'
import type { AwaitedPayment } from './port.ts'

// Returns null if the order does not await money. Uses the merchant's present instructions: the bank account may have changed since the
// order was placed.
export async function loadAwaitedMoney(
  db: Reader,
  { merchantId, paymentStatus, paymentDueAt }: OrderRow,
  payments: readonly PaymentRow[],
): Promise<AwaitedPayment | null> {
  const payment = paymentStatus === 'pending' ? payments.find(({ status }) => status === 'pending') : undefined
  if (!payment) return null
  const settings = await findMethodSettings(db, merchantId, payment)
  return {
    instructions: settings?.instructions ?? null,
    dueAt: paymentDueAt === null || isPaidOnDelivery(payment) ? null : toInstant(paymentDueAt),
  }
}
