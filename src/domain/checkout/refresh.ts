// Updates a session when its cart changes, in the same transaction: the holds are changed to match the lines. A quantity that increases
// beyond the stock is refused. Every version of an open session is a quote that a shopper may see on the screen.

import { refuse } from '../../platform/kit/refuse.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import type { CartChangeInput, CartTools } from '../carts/change.ts'
import type { CartFacts } from '../carts/quote.ts'
import { insertFirstHolds, prolongMatchingHolds, replaceHolds } from '../inventory/holds.ts'
import { extendEveryMs, holdExpiryFor, sessionStatusAt } from './lifecycle.ts'
import { findSessionOfCart, lockSession, type SessionRow, saveSession } from './store.ts'

export const refreshSessions: CartTools['refreshSessions'] = async (ask, { cart, lines }) => {
  if (cart.checkoutSessionId === null) return cart
  const key = { installationId: cart.installationId, cartId: cart.id }
  const [, session] = await Promise.all([
    lockSession(ask.db, { installationId: cart.installationId, sessionId: cart.checkoutSessionId }),
    findSessionOfCart(ask.db, key),
  ])
  // The sweep may have ended the session. The cart then continues without a session.
  if (!session) return { ...cart, checkoutSessionId: null }
  await follow(ask, lines, session)
  return cart
}

// Like refreshSessions, for a caller who has locked the session and changes it too. If the lines are unchanged, the holds are extended at
// most once a minute. `saved`: called with the resulting session.
export function refreshLockedSession(
  session: SessionRow,
  saved: (session: SessionRow) => void = () => {},
): CartTools['refreshSessions'] {
  return async (ask, { cart, lines }) => {
    const at = ask.now.getTime()
    const { holdExpiresAt } = session
    const longerMs = holdExpiresAt === null ? Number.NaN : holdExpiryFor(session, at) - holdExpiresAt
    const isFresh = longerMs >= 0 && longerMs < extendEveryMs
    const isHeldOn = isFresh && lines.every(({ isHeld = false }) => isHeld)
    saved(isHeldOn ? saveNext(ask, session) : await follow(ask, lines, session))
    return cart
  }
}

async function follow(ask: CartChangeInput, lines: CartFacts['lines'], session: SessionRow): Promise<SessionRow> {
  // The session has expired, and the sweep has not recorded that yet. It holds nothing any more.
  if (sessionStatusAt(session, ask.now.getTime()) === 'expired') return session
  const isHolding = !session.holdsLater || session.holdExpiresAt !== null
  return saveNext(ask, isHolding ? await holdWhatThereIs(ask, session, lines) : session)
}

function saveNext({ db, now }: CartChangeInput, session: SessionRow): SessionRow {
  const next = { ...session, version: session.version + 1, updatedAt: now.getTime() }
  saveSession(db, next)
  return next
}

// Refuses only a quantity that this change increases. Other shortages did not arise from this change: the cart reports them, and they
// must not keep the shopper from correcting the cart. Nothing of a SKU that is short is held, and the payment checks its stock again.
async function holdWhatThereIs(
  ask: CartChangeInput,
  session: SessionRow,
  lines: CartFacts['lines'],
): Promise<SessionRow> {
  const at = ask.now.getTime()
  const expiresAt = holdExpiryFor(session, at)
  const moment = { expiresAt, now: at, cause: ask.cause }
  const wanted = lines.map(({ offer, quantity }) => ({ skuId: offer.skuId, quantity }))
  if (await holdsAlready(ask.db, session, lines, moment)) return { ...session, holdExpiresAt: expiresAt }
  const short = await replaceHolds(ask.db, session, session.id, wanted, moment)
  if (short.length === 0) return { ...session, holdExpiresAt: expiresAt }
  if (short.some(({ skuId }) => skuId === ask.grownSku)) {
    const { now, cause } = ask
    return holdLines(ask.db, session, { lines, now, cause })
  }
  const shortIds = new Set(short.map(({ skuId }) => skuId))
  await replaceHolds(
    ask.db,
    session,
    session.id,
    wanted.filter(({ skuId }) => !shortIds.has(skuId)),
    moment,
  )
  return { ...session, holdExpiresAt: expiresAt }
}

interface WantedHold extends Pick<CartChangeInput, 'now' | 'cause'> {
  lines: CartFacts['lines']
  // When the holds expire (default: as for an open session, see holdExpiryFor).
  expiresAt?: number
  // For a new session only: the quantity at or below which stock counts as low.
  firstWithLowStockAt?: number | undefined
}

// Makes the session hold exactly these lines. Refuses if the stock is short, and states what is available.
export async function holdLines(
  tx: Tx,
  session: SessionRow,
  { lines, now, cause, expiresAt = holdExpiryFor(session, now.getTime()), firstWithLowStockAt: lowStockAt }: WantedHold,
): Promise<SessionRow> {
  const moment = { expiresAt, now: now.getTime(), cause }
  const held = { ...session, holdExpiresAt: expiresAt }
  const wanted = lines.map(({ offer, quantity }) => ({ ...offer, quantity }))
  if (lowStockAt !== undefined && (await insertFirstHolds(tx, session, session.id, wanted, { ...moment, lowStockAt })))
    return held
  if (await holdsAlready(tx, session, lines, moment)) return held
  const [short] = await replaceHolds(tx, session, session.id, wanted, moment)
  if (short) {
    const line = lines.find(({ offer }) => offer.skuId === short.skuId)
    if (line && !line.offer.isSold) throw refuse('item_unavailable', { current: { skuId: short.skuId } })
    throw refuse('insufficient_stock', { current: { skuId: short.skuId, available: short.available } })
  }
  return held
}

// If the session holds exactly these lines, extends the holds. Returns whether it does.
async function holdsAlready(
  tx: Tx,
  session: SessionRow,
  lines: CartFacts['lines'],
  moment: { now: number; expiresAt: number },
): Promise<boolean> {
  if (lines.length === 0 || !lines.every(({ isHeld = false }) => isHeld)) return false
  const held = lines.map(({ offer, quantity }) => ({ skuId: offer.skuId, quantity }))
  return prolongMatchingHolds(tx, session, session.id, held, moment)
}
