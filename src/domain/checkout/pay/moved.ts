// An order that is paid by money of another one: no shopper looks at a page, and no provider is asked.

import { moveFor, onlyMove } from '../../../platform/kit/lifecycle.ts'
import type { Cause } from '../../../platform/outbox/announce.ts'
import type { Tx } from '../../../platform/storage/storage.ts'
import { fixPrices, setCartStatus } from '../../carts/store.ts'
import { paymentLifecycle } from '../../payments/lifecycle.ts'
import { copyLocale, insertPayment, type PaymentRow } from '../../payments/store.ts'
import { draftFor } from '../draft.ts'
import { sessionLifecycle } from '../lifecycle.ts'
import { factsOf } from '../sessions.ts'
import { findSession, type SessionKey, type SessionRow, saveSession } from '../store.ts'
import type { PayTools } from '../tools.ts'
import { completeSession } from './complete.ts'

export interface PaidByMoved {
  key: SessionKey
  // What the order was said to cost.
  total: number
  // As much as moved, which may be more than the order costs.
  amount: number
  paymentId: string
  source: PaymentRow
  now: number
  cause: Cause | null
}

// The session was opened in this transaction, so its stock is held for it. Answers with the id of the order.
export async function completeByMoved(tools: PayTools, tx: Tx, asked: PaidByMoved): Promise<string> {
  const { key, total, now, cause } = asked
  const session = await findSession(tx, key)
  if (!session) throw new Error(`session ${key.sessionId} is gone`)
  const { quote } = await factsOf(tools, tx, session, now)
  // Priced twice by one function. If they ever differ, nothing is written.
  if (!quote.isPriced || quote.pricing.totals.total !== total)
    throw new Error(`session ${session.id} costs ${quote.pricing.totals.total} and not ${total}`)
  const payment = insertMoved(tx, session, asked)
  const cartKey = { installationId: session.installationId, cartId: session.cartId }
  fixPrices(tx, cartKey)
  setCartStatus(tx, cartKey, 'lock')
  const paying: SessionRow = {
    ...session,
    status: onlyMove(sessionLifecycle, 'pay').to,
    version: session.version + 1,
    quote: JSON.stringify(draftFor(quote)),
    updatedAt: now,
  }
  saveSession(tx, paying)
  await completeSession({ tools, tx, session: paying, payment, now, cause })
  const orderId = (await findSession(tx, key))?.orderId
  if (!orderId) throw new Error(`session ${session.id} led to no order`)
  return orderId
}

// It shows what the money came by. What goes back of it is asked for at the payment that it moved from.
function insertMoved(tx: Tx, session: SessionRow, { source, paymentId, amount, now }: PaidByMoved): PaymentRow {
  const { installationId, merchantId, mode, id: checkoutSessionId } = session
  const { provider, method, currency, brand, last4, instrument } = source
  const payment = insertPayment(
    tx,
    {
      ...{ installationId, id: paymentId, merchantId, mode, checkoutSessionId, provider, method, amount, currency },
      movedFrom: source.movedFrom ?? source.id,
      checkAt: null,
    },
    now,
  )
  copyLocale(tx, payment, source.id)
  const move = moveFor(paymentLifecycle, 'collect', payment.status)
  if (!move) throw new Error(`a payment that is ${payment.status} cannot be collected`)
  return { ...payment, status: move.to, brand, last4, instrument }
}
