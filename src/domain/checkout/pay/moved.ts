// Completes an order that is paid with money of another order. No page and no provider is involved.

import { onlyMove } from '../../../platform/kit/lifecycle.ts'
import type { Cause } from '../../../platform/outbox/announce.ts'
import type { Tx } from '../../../platform/storage/storage.ts'
import { freezeCartPrices, setCartStatus } from '../../carts/store.ts'
import type { MovedPart } from '../../orders/refunds.ts'
import { buildOrderDraft } from '../draft.ts'
import { sessionLifecycle } from '../lifecycle.ts'
import { loadSessionFacts } from '../sessions.ts'
import { findSession, type SessionKey, type SessionRow, saveSession } from '../store.ts'
import type { PayTools } from '../tools.ts'
import { completeSession } from './complete.ts'
import { insertMoved } from './exchange.ts'

export interface CreditPayment {
  key: SessionKey
  // The expected price of the order.
  total: number
  // The moved money by original payment; it may exceed the price of the order.
  parts: readonly MovedPart[]
  now: number
  cause: Cause | null
}

// The session was opened in this transaction and holds its stock. Returns the id of the order.
export async function completeSessionByCredit(tools: PayTools, tx: Tx, asked: CreditPayment): Promise<string> {
  const { key, total, parts, now, cause } = asked
  const session = await findSession(tx, key)
  if (!session) throw new Error(`session ${key.sessionId} does not exist`)
  const { quote } = await loadSessionFacts(tools, tx, session, now)
  // Both totals come from the same pricing function. If they differ nevertheless, nothing is written.
  if (!quote.isPriced || quote.pricing.totals.total !== total)
    throw new Error(`session ${session.id} costs ${quote.pricing.totals.total} minor units instead of ${total}`)
  const [payment, ...others] = parts.map((part) => insertMoved(tx, session, part, now))
  if (!payment) throw new Error(`no payment was moved to session ${session.id}`)
  const cartKey = { installationId: session.installationId, cartId: session.cartId }
  freezeCartPrices(tx, cartKey)
  setCartStatus(tx, cartKey, 'lock')
  const paying: SessionRow = {
    ...session,
    status: onlyMove(sessionLifecycle, 'pay').to,
    version: session.version + 1,
    quote: JSON.stringify(buildOrderDraft(quote)),
    updatedAt: now,
  }
  saveSession(tx, paying)
  const collectOthers = async () => others
  const completed = await completeSession({ tools, tx, session: paying, payment, collectOthers, now, cause })
  if (!completed) throw new Error(`session ${session.id} was not completed: no order was created`)
  return completed.order.id
}
