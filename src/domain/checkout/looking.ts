// Reads what a page shows of its session. The session is found by the secret in the address of the page. `viewSession` also extends the
// holds of an open session.

import { Refusal } from '../../platform/kit/refuse.ts'
import { isPageSecret, pageSecretHash } from '../../platform/secrets/pagesecret.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { extendHolds } from '../inventory/holds.ts'
import { listPaymentsOfSession } from '../payments/store.ts'
import { extendEveryMs, holdExpiryFor, sessionStatusAt } from './lifecycle.ts'
import { checkoutPageView, paymentAwaitingShopper, shopperActionKind } from './pageview.ts'
import { queryAwaitedPayment } from './pay/redirect.ts'
import type { CheckoutState, CheckoutSummary, CheckoutView } from './port.ts'
import { holdLines } from './refresh.ts'
import { loadSessionFacts, lockSessionAndCart } from './sessions.ts'
import {
  type Checkout,
  findCheckoutSummaryRow,
  findSession,
  findSessionWithCart,
  type SessionKey,
  type SessionName,
  type SessionRow,
  saveHoldEnd,
} from './store.ts'
import type { PayTools } from './tools.ts'

export async function viewSession(tools: PayTools, secret: string): Promise<CheckoutView | undefined> {
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
  // The VAT check is still running, or the process that started it died.
  await tools.startVatCheck(sessionKeyOf(seen.session))
  return findView(tools, secret)
}

export async function findCheckoutSummary({ storage }: PayTools, secret: string): Promise<CheckoutSummary | undefined> {
  if (!isPageSecret(secret)) return undefined
  const found = await storage.read((db) => findCheckoutSummaryRow(db, pageSecretHash(secret)))
  return found && { lines: found.lines, needsShipping: found.isShipped && !found.terms?.change }
}

export async function refreshCheckoutView(tools: PayTools, secret: string): Promise<CheckoutView | undefined> {
  const found = await findSessionOf(tools, secret)
  if (found?.status === 'processing') await queryAwaitedPayment(tools, sessionKeyOf(found))
  return findView(tools, secret)
}

export async function findCheckoutState(tools: PayTools, secret: string): Promise<CheckoutState | undefined> {
  const found = await findSessionOf(tools, secret)
  if (found?.status === 'processing') await queryAwaitedPayment(tools, sessionKeyOf(found), 'poll')
  return readSession(tools, secret, async (db, session) => {
    const status = sessionStatusAt(session, tools.clock().getTime())
    if (status !== 'processing') return status
    const waiting = paymentAwaitingShopper(await listPaymentsOfSession(db, session.installationId, session.id))
    return waiting ? shopperActionKind(waiting) : status
  })
}

export async function readSession<T>(
  { storage }: PayTools,
  secret: string,
  work: (db: Reader, session: SessionRow) => Promise<T>,
): Promise<T | undefined> {
  if (!isPageSecret(secret)) return undefined
  return storage.read(async (db) => {
    const session = await findSession(db, sessionNameFromSecret(secret))
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
    const checkout = await findSessionWithCart(db, sessionNameFromSecret(secret))
    return checkout && work(db, checkout)
  })
}

export function sessionNameFromSecret(secret: string): SessionName {
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

export function sessionKeyOf({ installationId, id }: SessionRow): SessionKey {
  return { installationId, sessionId: id }
}

function isStockToKeep(session: SessionRow, now: number): boolean {
  const { holdExpiresAt, closedAt } = session
  if (sessionStatusAt(session, now) !== 'open' || closedAt !== null) return false
  return holdExpiresAt === null || holdExpiryFor(session, now) - holdExpiresAt >= extendEveryMs
}

// Extends the holds of an open session. If they have expired, holds the stock again, if it is still available.
async function keepStock(tools: PayTools, seen: SessionRow): Promise<void> {
  const now = tools.clock()
  const at = now.getTime()
  const until = holdExpiryFor(seen, at)
  await tools.storage
    .write(async (tx) => {
      const session = await lockSessionAndCart(tx, sessionKeyOf(seen))
      if (!session || !isStockToKeep(session, at) || until <= at) return
      const { quote } = await loadSessionFacts(tools, tx, session, at)
      const running = await extendHolds(tx, session, session.id, { now: at, expiresAt: until })
      const { lines } = quote
      if (running.length < lines.length) await holdLines(tx, session, { lines, now, cause: null, expiresAt: until })
      saveHoldEnd(tx, session, until)
    })
    // The stock is no longer available. The page shows that.
    .catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
    })
}
