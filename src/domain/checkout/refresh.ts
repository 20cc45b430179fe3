// What a session does when its cart changes, in the same transaction: its stock follows the lines, or the change is
// refused. Every version of an open session is a quote that a shopper may be looking at.

import { refuse } from '../../platform/kit/refuse.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import type { CartTools, ChangeAsk } from '../carts/change.ts'
import type { CartFacts } from '../carts/quote.ts'
import { hold } from '../inventory/holds.ts'
import { holdUntil, sessionStatusAt } from './lifecycle.ts'
import { findSessionOfCart, lockSession, type SessionRow, saveSession } from './store.ts'

export const refreshSessions: CartTools['refreshSessions'] = async (ask, { cart, lines }) => {
  if (cart.checkoutSessionId === null) return cart
  const key = { installationId: cart.installationId, cartId: cart.id }
  const [, session] = await Promise.all([
    lockSession(ask.db, { installationId: cart.installationId, sessionId: cart.checkoutSessionId }),
    findSessionOfCart(ask.db, key),
  ])
  // The sweep may have ended it; the cart then goes on alone.
  if (!session) return { ...cart, checkoutSessionId: null }
  const at = ask.now.getTime()
  // It has expired, which is not recorded yet: the sweep will do that, and until then it holds nothing.
  if (sessionStatusAt(session, at) === 'expired') return cart
  const isHolding = !session.holdsLater || session.holdExpiresAt !== null
  const held = isHolding ? await holdWhatThereIs(ask, session, lines) : session
  saveSession(ask.db, { ...held, version: session.version + 1, updatedAt: at })
  return cart
}

// Only what this change wants more of can be refused. What ran short by itself is told by the cart and must not keep the
// shopper from mending it: of that, nothing is held, and the payment is where it is asked for again.
async function holdWhatThereIs(ask: ChangeAsk, session: SessionRow, lines: CartFacts['lines']): Promise<SessionRow> {
  const at = ask.now.getTime()
  const expiresAt = holdUntil(session, at)
  const moment = { expiresAt, now: at, cause: ask.cause }
  const wanted = lines.map(({ offer, quantity }) => ({ skuId: offer.skuId, quantity }))
  const short = await hold(ask.db, session, session.id, wanted, moment)
  if (short.length === 0) return { ...session, holdExpiresAt: expiresAt }
  if (short.some(({ skuId }) => skuId === ask.grownSku)) {
    const { now, cause } = ask
    return holdLines(ask.db, session, { lines, now, cause })
  }
  const shortIds = new Set(short.map(({ skuId }) => skuId))
  await hold(
    ask.db,
    session,
    session.id,
    wanted.filter(({ skuId }) => !shortIds.has(skuId)),
    moment,
  )
  return { ...session, holdExpiresAt: expiresAt }
}

interface WantedHold extends Pick<ChangeAsk, 'now' | 'cause'> {
  lines: CartFacts['lines']
  // Default: as long as a session that is used.
  expiresAt?: number
}

// Makes the session's hold exactly these lines, or refuses with what is there.
export async function holdLines(
  tx: Tx,
  session: SessionRow,
  { lines, now, cause, expiresAt = holdUntil(session, now.getTime()) }: WantedHold,
): Promise<SessionRow> {
  const wanted = lines.map(({ offer, quantity }) => ({ skuId: offer.skuId, quantity }))
  const [short] = await hold(tx, session, session.id, wanted, { expiresAt, now: now.getTime(), cause })
  if (short) {
    const line = lines.find(({ offer }) => offer.skuId === short.skuId)
    if (line && !line.offer.isSold) throw refuse('item_unavailable', { current: { skuId: short.skuId } })
    throw refuse('insufficient_stock', { current: { skuId: short.skuId, available: short.available } })
  }
  return { ...session, holdExpiresAt: expiresAt }
}
