// What a shopper is told about money that an order waits for.

import { findMethodSettings } from '../payments/methods.ts'
import type { KeptPayment } from '../payments/store.ts'
import type { Reader } from '../storage/storage.ts'
import type { AwaitedMoney } from './desk.ts'

// The merchant's words as they are now: an account may have changed since the order was placed.
export async function awaitedMoney(
  db: Reader,
  merchant: string,
  payments: readonly KeptPayment[],
): Promise<AwaitedMoney | null> {
  const payment = payments.find(({ status }) => status === 'pending')
  if (!payment) return null
  const settings = await findMethodSettings(db, merchant, payment)
  return { instructions: settings?.instructions ?? null }
}
