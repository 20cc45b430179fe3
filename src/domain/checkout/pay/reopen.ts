// Reopens the session, with the reason, after a payment that created no order.

import { toInstant } from '../../../platform/kit/instant.ts'
import { moveFor } from '../../../platform/kit/lifecycle.ts'
import { findCartFacts } from '../../carts/quote.ts'
import { setCartStatus } from '../../carts/store.ts'
import type { Quote } from '../../carts/view.ts'
import { releaseHolds, replaceHolds } from '../../inventory/holds.ts'
import { holdExpiryFor, sessionLifecycle } from '../lifecycle.ts'
import { announceSession, loadSessionFacts } from '../sessions.ts'
import { type SessionRow, saveSession } from '../store.ts'
import type { Failure } from './failures.ts'
import type { Settlement } from './settlement.ts'

// `failure`: null if the shopper went back by choice.
export async function reopenSession(settlement: Settlement, failure: Failure | null): Promise<void> {
  const { tools, tx, session, now, cause } = settlement
  const move = moveFor(sessionLifecycle, 'decline', session.status)
  if (!move) throw new Error(`session ${session.id} is ${session.status} and its payment cannot be declined`)
  const key = { installationId: session.installationId, cartId: session.cartId }
  setCartStatus(tx, key, 'unlock')
  const facts = await findCartFacts(tx, tools.carts.pricebooks, key, now)
  if (!facts) throw new Error(`the cart of session ${session.id} does not exist`)
  const opened: SessionRow = {
    ...session,
    status: move.to,
    version: session.version + 1,
    quote: null,
    holdExpiresAt: await holdAgain(settlement, facts.lines),
    lastPaymentError: failure && { ...failure, at: toInstant(now) },
    updatedAt: now,
  }
  saveSession(tx, opened)
  announceSession(tools, tx, await loadSessionFacts(tools, tx, opened, now), { kind: move.announces, now, cause })
}

// Holds the stock as for any open session. If that is impossible (the session has expired, or a SKU is no longer sold), releases all of
// it, and the page shows what is missing: after a payment the session must be reopened, even without stock.
async function holdAgain({ tx, session, now, cause }: Settlement, lines: Quote['lines']): Promise<number | null> {
  const expiresAt = holdExpiryFor(session, now)
  const wanted = lines.map(({ offer, quantity }) => ({ skuId: offer.skuId, quantity }))
  const isHeld =
    expiresAt > now && (await replaceHolds(tx, session, session.id, wanted, { expiresAt, now, cause })).length === 0
  if (isHeld) return expiresAt
  await releaseHolds(tx, session, session.id, { now, cause })
  return null
}
