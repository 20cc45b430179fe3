// Records a separate payment for a paid order that costs more, if the difference arrived by bank transfer or cash. The caller must have
// locked the order.

import { newId } from '../../platform/kit/ids.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { missingMoneyFor, moneyAfterEntry, sumReceivedMoney } from '../orders/money.ts'
import { insertMoneyByHand, listMoneyByHand } from '../orders/store.ts'
import type { OrderFacts } from '../orders/view.ts'
import { paymentLifecycle } from '../payments/lifecycle.ts'
import { manualName, manualReference } from '../payments/providers/manual/provider.ts'
import { insertPayment, type PaymentRow, savePayment } from '../payments/store.ts'
import { editNotPossible } from './plan.ts'

export async function refuseUnreceived(
  db: Reader,
  facts: OrderFacts,
  { difference, isReceived }: { difference: number; isReceived: boolean },
): Promise<void> {
  const entries = await listMoneyByHand(db, facts.order)
  const missing = missingMoneyFor(facts, entries, difference)
  if (missing === 0) return
  if (!isReceived)
    throw editNotPossible(
      `The order must receive ${missing} more minor units: confirm that they have arrived, or let the shopper pay by a link.`,
      'not_received',
    )
  moneyAfterEntry(facts, entries, { amount: missing, settles: false })
}

// Returns the resulting payments.
export async function collectDifference(
  tx: Tx,
  facts: OrderFacts,
  difference: number,
  { now }: ChangeContext,
): Promise<PaymentRow[]> {
  const { order, payments } = facts
  const entries = await listMoneyByHand(tx, order)
  const missing = missingMoneyFor(facts, entries, difference)
  const before = sumReceivedMoney(facts, entries)
  const note = (amount: number, at: number) => insertMoneyByHand(tx, order, { id: newId('mny'), amount, at })
  // Records money that arrived before this server recorded such entries.
  if (entries.length === 0 && before > 0 && missing > 0) note(before, order.placedAt)
  if (missing > 0) note(missing, now)
  const { installationId, merchantId, mode, checkoutSessionId, currency } = order
  const method = payments.find(({ provider }) => provider === manualName)?.method ?? 'bank_transfer'
  const asked = { installationId, merchantId, mode, checkoutSessionId, currency, method, provider: manualName }
  const made = insertPayment(tx, { ...asked, id: newId('pay'), amount: difference, checkAt: null }, now)
  const move = moveFor(paymentLifecycle, 'collect', made.status)
  if (!move) throw new Error(`payment ${made.id} is ${made.status} and cannot be collected`)
  const paid = { ...made, status: move.to, orderId: order.id, reference: manualReference(made.id) }
  await savePayment(tx, paid)
  return [...payments, paid]
}
