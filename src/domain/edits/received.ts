// An order that was paid by bank transfer or cash and costs more: the difference comes the same way. The payment of the order grows by it,
// so all of it can go back as one. The caller has locked the order.

import { newId } from '../../platform/kit/ids.ts'
import type { ChangeContext } from '../../platform/outbox/announce.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { missingFor, moneyAfter, receivedOf } from '../orders/money.ts'
import { insertMoneyByHand, listMoneyByHand } from '../orders/store.ts'
import type { OrderFacts } from '../orders/view.ts'
import { manualName } from '../payments/providers/manual/provider.ts'
import { lockPayment, type PaymentRow } from '../payments/store.ts'
import { notPossible } from './plan.ts'
import { saveRaised } from './store.ts'

export async function refuseUnreceived(
  db: Reader,
  facts: OrderFacts,
  { difference, isReceived }: { difference: number; isReceived: boolean },
): Promise<void> {
  if (!findRaisable(facts)) throw notPossible('The order is paid, and would cost more.', 'costs_more')
  const entries = await listMoneyByHand(db, facts.order)
  const missing = missingFor(facts, entries, difference)
  if (missing === 0) return
  if (!isReceived) throw notPossible(`${missing} minor units more have to be received for the order.`, 'not_received')
  moneyAfter(facts, entries, { amount: missing, settles: false })
}

// Money that moved here from another order is as much as left that one.
function findRaisable({ payments }: OrderFacts): PaymentRow | undefined {
  return payments.find(
    ({ provider, status, movedFrom }) => provider === manualName && status === 'succeeded' && movedFrom === null,
  )
}

// Answers with the payments as they are then.
export async function collectDifference(
  tx: Tx,
  facts: OrderFacts,
  difference: number,
  { now }: ChangeContext,
): Promise<PaymentRow[]> {
  const { order, payments } = facts
  const known = findRaisable(facts)
  const paid = known && (await lockPayment(tx, order.installationId, known.id))
  if (paid?.status !== 'succeeded') throw new Error(`order ${order.id} has no payment by hand`)
  const entries = await listMoneyByHand(tx, order)
  const missing = missingFor(facts, entries, difference)
  const before = receivedOf(facts, entries)
  const note = (amount: number, at: number) => insertMoneyByHand(tx, order, { id: newId('mny'), amount, at })
  // What came before it was written down.
  if (entries.length === 0 && before > 0 && missing > 0) note(before, order.placedAt)
  if (missing > 0) note(missing, now)
  const raised = { ...paid, amount: paid.amount + difference, updatedAt: now }
  saveRaised(tx, raised)
  return payments.map((payment) => (payment.id === raised.id ? raised : payment))
}
