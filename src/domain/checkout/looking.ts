// Reads the data that a page shows of its session, found by its secret. Reading an open session extends its holds.

import { Refusal } from '../../platform/kit/refuse.ts'
import { isPageSecret, pageSecretHash } from '../../platform/secrets/pagesecret.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { extendHolds } from '../inventory/holds.ts'
import { listPaymentsOfSession } from '../payments/store.ts'
import { extendEveryMs, holdUntil, sessionStatusAt } from './lifecycle.ts'
import { checkoutPageView, waitingFor, waitingKind } from './pageview.ts'
import { lookUpAwaited } from './pay/redirect.ts'
import type { CheckoutState, CheckoutView, Glance } from './port.ts'
import { holdLines } from './refresh.ts'
import { factsOf, lockSessionAndCart } from './sessions.ts'
import {
  type Checkout,
  findSession,
  findSessionWithCart,
  glanceAt,
  type SessionKey,
  type SessionName,
  type SessionRow,
  saveHoldEnd,
} from './store.ts'
import type { PayTools } from './tools.ts'

export async function lookAtSession(tools: PayTools, secret: string): Promise<CheckoutView | undefined> {
  const seen = await readCheckout(tools, secret, async (db, checkout) => {
    const { session } = checkout
    const now = tools.clock().getTime()
    const isEnough = !isStockToKeep(session, now)
    return { session, view: isEnough ? await checkoutPageView(tools, db, { checkout, secret, now }) : undefined }
  })
  if (!seen) return undefined
  if (!seen.view) await keepStock(tools, seen.session)
  const view = seen.view ?? (await findView(tools, secret))
  if (view?.session.vat?.status !== 'pending') return view
  // The check is still pending: an app set the number, or the process that started the check has died.
  await tools.startVatCheck(keyOf(seen.session))
  return findView(tools, secret)
}

export async function glance({ storage }: PayTools, secret: string): Promise<Glance | undefined> {
  if (!isPageSecret(secret)) return undefined
  const found = await storage.read((db) => glanceAt(db, pageSecretHash(secret)))
  return found && { lines: found.lines, needsShipping: found.isShipped && !found.terms?.change }
}

export async function refresh(tools: PayTools, secret: string): Promise<CheckoutView | undefined> {
  const found = await findSessionOf(tools, secret)
  if (found?.status === 'processing') await lookUpAwaited(tools, keyOf(found))
  return findView(tools, secret)
}

export async function follow(tools: PayTools, secret: string): Promise<CheckoutState | undefined> {
  const found = await findSessionOf(tools, secret)
  if (found?.status === 'processing') await lookUpAwaited(tools, keyOf(found), 'poll')
  return readSession(tools, secret, async (db, session) => {
    const status = sessionStatusAt(session, tools.clock().getTime())
    if (status !== 'processing') return status
    const waiting = waitingFor(await listPaymentsOfSession(db, session.installationId, session.id))
    return waiting ? waitingKind(waiting) : status
  })
}

export async function readSession<T>(
  { storage }: PayTools,
  secret: string,
  work: (db: Reader, session: SessionRow) => Promise<T>,
): Promise<T | undefined> {
  if (!isPageSecret(secret)) return undefined
  return storage.read(async (db) => {
    const session = await findSession(db, sessionNameOf(secret))
    return session && work(db, session)
  })
}

async function readCheckout<T>(
  { storage }: PayTools,
  secret: string,
  work: (db: Reader, checkout: Checkout) => Promise<T>,
): Promise<T | undefined> {
  if (!isPageSecret(secret)) return undefined
  return storage.read(async (db) => {
    const checkout = await findSessionWithCart(db, sessionNameOf(secret))
    return checkout && work(db, checkout)
  })
}

export function sessionNameOf(secret: string): SessionName {
  return { secretHash: pageSecretHash(secret) }
}

export function findSessionOf(tools: PayTools, secret: string): Promise<SessionRow | undefined> {
  return readSession(tools, secret, async (_, session) => session)
}

export function findView(tools: PayTools, secret: string): Promise<CheckoutView | undefined> {
  return readCheckout(tools, secret, (db, checkout) =>
    checkoutPageView(tools, db, { checkout, secret, now: tools.clock().getTime() }),
  )
}

export function keyOf({ installationId, id }: SessionRow): SessionKey {
  return { installationId, sessionId: id }
}

function isStockToKeep(session: SessionRow, now: number): boolean {
  const { holdExpiresAt, closedAt } = session
  if (sessionStatusAt(session, now) !== 'open' || closedAt !== null) return false
  return holdExpiresAt === null || holdUntil(session, now) - holdExpiresAt >= extendEveryMs
}

// Reading an open session extends its holds, or holds the stock again if the holds have expired and it is still available.
async function keepStock(tools: PayTools, seen: SessionRow): Promise<void> {
  const now = tools.clock()
  const at = now.getTime()
  const until = holdUntil(seen, at)
  await tools.storage
    .write(async (tx) => {
      const session = await lockSessionAndCart(tx, keyOf(seen))
      if (!session || !isStockToKeep(session, at) || until <= at) return
      const { quote } = await factsOf(tools, tx, session, at)
      const running = await extendHolds(tx, session, session.id, { now: at, expiresAt: until })
      const { lines } = quote
      if (running.length < lines.length) await holdLines(tx, session, { lines, now, cause: null, expiresAt: until })
      saveHoldEnd(tx, session, until)
    })
    // The stock is no longer available; the page shows that.
    .catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
    })
}
