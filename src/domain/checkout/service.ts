// The checkout service: finds the session by its secret, does what the page asks in one transaction, and turns a
// refusal of the domain into a problem that the page can say in the shopper's language.

import { newId } from '../../platform/kit/ids.ts'
import { moveFor } from '../../platform/kit/lifecycle.ts'
import { Refusal } from '../../platform/kit/refuse.ts'
import type { Cause } from '../../platform/outbox/announce.ts'
import { isPageSecret, pageSecretHash } from '../../platform/secrets/pagesecret.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import type { ChangeAsk } from '../carts/change.ts'
import { putCode } from '../carts/codes.ts'
import { setLine } from '../carts/lines.ts'
import { extendHolds } from '../inventory/holds.ts'
import { listPaymentsOfSession } from '../payments/store.ts'
import { openAgain } from './again.ts'
import { writeDetails } from './details.ts'
import { extendEveryMs, holdUntil, longerUntil, sessionLifecycle, sessionStatusAt } from './lifecycle.ts'
import { checkoutPageView, completedCheckout, paidCheckout, returnedView, waitingFor, waitingKind } from './pageview.ts'
import { answerChallenge, type PayAnswer, pay } from './pay/pay.ts'
import { goBack, lookUpAwaited, lookUpForReturn, readReturnToken } from './pay/redirect.ts'
import type {
  CheckoutPort,
  CheckoutProblem,
  CheckoutResult,
  CheckoutState,
  CheckoutView,
  Glance,
  PayInput,
  ReturnView,
  Submitted,
  SubmittedDetails,
} from './port.ts'
import { checkoutProblemOf } from './problem.ts'
import { holdLines } from './refresh.ts'
import { cancelSession, factsOf, lockCheckout, lockSessionAndCart } from './sessions.ts'
import {
  type Checkout,
  findSession,
  findSessionWithCart,
  glanceAt,
  type SessionKey,
  type SessionName,
  type SessionRow,
  saveHoldEnd,
  saveSessionEnd,
} from './store.ts'
import type { PayTools } from './tools.ts'

export function createCheckoutService(tools: PayTools): CheckoutPort {
  return {
    look: (secret) => look(tools, secret),
    glance: (secret) => glance(tools, secret),
    refresh: (secret) => refresh(tools, secret),
    follow: (secret) => follow(tools, secret),
    changeQuantity: (secret, version, skuId, quantity) =>
      change(tools, { secret, version }, async ({ ask }) => {
        await setLine(tools.carts, ask, skuId, quantity)
        return null
      }),
    applyCode: (secret, version, code) => change(tools, { secret, version }, ({ ask }) => applyCode(tools, ask, code)),
    setDetails: (secret, version, details) =>
      act(tools, secret, (session) => setDetails(tools, keyOf(session), version, details)),
    submitDetails: (secret, version, details) => submitDetails(tools, secret, version, details),
    pay: (secret, input) =>
      act(tools, secret, async (session) => (await pay(tools, keyOf(session), input, pageCause())).problem),
    submitPayment: (secret, input) => submitPayment(tools, secret, input),
    answerChallenge: (secret, paymentId, answer) =>
      act(tools, secret, (session) => answerChallenge(tools, keyOf(session), { paymentId, answer }, pageCause())),
    goBack: (secret) => act(tools, secret, (session) => goBack(tools, keyOf(session), pageCause())),
    comeBack: (token) => comeBack(tools, token),
    cancel: (secret) => act(tools, secret, (session) => cancel(tools, session)),
    keepOpen: (secret) => act(tools, secret, (session) => keepOpen(tools, session)),
    startAgain: (secret) => startAgain(tools, secret),
  }
}

async function look(tools: PayTools, secret: string): Promise<CheckoutView | undefined> {
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
  // An app gave the number, or the process that asked has died.
  await tools.startVatCheck(keyOf(seen.session))
  return findView(tools, secret)
}

async function glance({ storage }: PayTools, secret: string): Promise<Glance | undefined> {
  if (!isPageSecret(secret)) return undefined
  const found = await storage.read((db) => glanceAt(db, pageSecretHash(secret)))
  return found && { lines: found.lines, needsShipping: found.isShipped && !found.terms?.change }
}

async function refresh(tools: PayTools, secret: string): Promise<CheckoutView | undefined> {
  const found = await findSessionOf(tools, secret)
  if (found?.status === 'processing') await lookUpAwaited(tools, keyOf(found))
  return findView(tools, secret)
}

async function follow(tools: PayTools, secret: string): Promise<CheckoutState | undefined> {
  const found = await findSessionOf(tools, secret)
  if (found?.status === 'processing') await lookUpAwaited(tools, keyOf(found), 'poll')
  return readSession(tools, secret, async (db, session) => {
    const status = sessionStatusAt(session, tools.clock().getTime())
    if (status !== 'processing') return status
    const waiting = waitingFor(await listPaymentsOfSession(db, session.installationId, session.id))
    return waiting ? waitingKind(waiting) : status
  })
}

async function readSession<T>(
  { storage }: PayTools,
  secret: string,
  work: (db: Reader, session: SessionRow) => Promise<T>,
): Promise<T | undefined> {
  if (!isPageSecret(secret)) return undefined
  return storage.read(async (db) => {
    const session = await findSession(db, nameOf(secret))
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
    const checkout = await findSessionWithCart(db, nameOf(secret))
    return checkout && work(db, checkout)
  })
}

function nameOf(secret: string): SessionName {
  return { secretHash: pageSecretHash(secret) }
}

function findSessionOf(tools: PayTools, secret: string): Promise<SessionRow | undefined> {
  return readSession(tools, secret, async (_, session) => session)
}

function findView(tools: PayTools, secret: string): Promise<CheckoutView | undefined> {
  return readCheckout(tools, secret, (db, checkout) =>
    checkoutPageView(tools, db, { checkout, secret, now: tools.clock().getTime() }),
  )
}

// Finds the session, does the work, and answers with the view as it is then.
async function act(
  tools: PayTools,
  secret: string,
  work: (session: SessionRow) => Promise<CheckoutProblem | null>,
): Promise<CheckoutResult | undefined> {
  const found = await findSessionOf(tools, secret)
  if (!found) return undefined
  const problem = await work(found).catch(checkoutProblemOf)
  const view = await findView(tools, secret)
  return view && { view, problem }
}

// A form that was submitted needs the view only where something was not done.
async function submitDetails(
  tools: PayTools,
  secret: string,
  version: number,
  details: SubmittedDetails,
): Promise<Submitted | undefined> {
  if (!isPageSecret(secret)) return undefined
  const problem = await setDetails(tools, nameOf(secret), version, details).catch(checkoutProblemOf)
  return problem === null ? { problem, completed: null } : notDone(tools, secret, problem)
}

async function submitPayment(tools: PayTools, secret: string, input: PayInput): Promise<Submitted | undefined> {
  if (!isPageSecret(secret)) return undefined
  const { problem, paid = null } = await pay(tools, nameOf(secret), input, pageCause()).catch(
    (error: unknown): PayAnswer => ({ problem: checkoutProblemOf(error) }),
  )
  if (problem !== null) return notDone(tools, secret, problem)
  if (paid) return { problem, completed: paidCheckout(paid, secret) }
  return readSession(tools, secret, async (db, session) => ({
    problem,
    completed: await completedCheckout(db, session, secret),
  }))
}

async function notDone(tools: PayTools, secret: string, problem: CheckoutProblem): Promise<Submitted | undefined> {
  const view = await findView(tools, secret)
  return view && { view, problem }
}

// One change, on the session as the page saw it.
function change(
  tools: PayTools,
  { secret, version }: { secret: string; version: number },
  work: ChangeWork,
): Promise<CheckoutResult | undefined> {
  return act(tools, secret, (found) => changeSession(tools, keyOf(found), version, work))
}

// `cart`: as it is under the lock.
interface Change extends Pick<Checkout, 'session' | 'cart'> {
  ask: ChangeAsk
}

type ChangeWork = (change: Change) => Promise<CheckoutProblem | null>

function changeSession(
  tools: PayTools,
  name: SessionName,
  version: number,
  work: ChangeWork,
): Promise<CheckoutProblem | null> {
  return tools.storage.write(async (tx) => {
    const checkout = await lockCheckout(tx, name)
    const now = tools.clock()
    if (!checkout) return { code: 'not_open' }
    const { session, cart } = checkout
    if (session.closedAt !== null) return { code: 'closed' }
    const status = sessionStatusAt(session, now.getTime())
    if (status === 'processing') return { code: 'payment_in_progress' }
    if (!moveFor(sessionLifecycle, 'change', status)) return { code: 'not_open' }
    if (session.version !== version) return { code: 'stale' }
    const ask: ChangeAsk = {
      db: tx,
      caller: session,
      cartId: session.cartId,
      expectedVersion: undefined,
      now,
      cause: pageCause(),
      isAnnouncedLater: true,
    }
    return work({ session, cart, ask })
  })
}

async function setDetails(
  tools: PayTools,
  name: SessionName,
  version: number,
  details: SubmittedDetails,
): Promise<CheckoutProblem | null> {
  let pending: SessionKey | undefined
  const problem = await changeSession(tools, name, version, async (change) => {
    const outcome = await writeDetails(tools, change, details)
    pending = outcome.isVatPending ? keyOf(change.session) : undefined
    return outcome.problem
  })
  // The shopper waits for the answer: the total depends on it.
  if (problem === null && pending) await tools.startVatCheck(pending)
  return problem
}

async function applyCode(tools: PayTools, ask: ChangeAsk, code: string | null): Promise<CheckoutProblem | null> {
  const { state, reason } = (await putCode(tools.carts, ask, code)).promotion
  return state === 'rejected' && reason !== null ? { code: 'promotion_rejected', reason } : null
}

async function comeBack(tools: PayTools, token: string): Promise<ReturnView | undefined> {
  const name = readReturnToken(tools.rootSecret, token)
  if (!name) return undefined
  await lookUpForReturn(tools, name)
  return tools.storage.read((db) => returnedView(db, name, tools.clock().getTime()))
}

async function cancel(
  tools: PayTools,
  { installationId, merchantId, id, closedAt }: SessionRow,
): Promise<CheckoutProblem | null> {
  if (closedAt !== null) return { code: 'closed' }
  const cancellation = { reason: 'customer_request', note: null, by: 'shopper' } as const
  await tools.storage.write((tx) => {
    const ask = { db: tx, caller: { installationId, merchantId }, sessionId: id, expectedVersion: undefined }
    return cancelSession(tools, { ...ask, cancellation, now: tools.clock(), cause: pageCause() })
  })
  return null
}

function keepOpen({ storage, clock }: PayTools, found: SessionRow): Promise<CheckoutProblem | null> {
  return storage.write(async (tx) => {
    const session = await lockSessionAndCart(tx, keyOf(found))
    const now = clock().getTime()
    if (!session || sessionStatusAt(session, now) !== 'open') return { code: 'not_open' }
    if (session.closedAt !== null) return { code: 'closed' }
    const until = longerUntil(session, now)
    if (until > session.expiresAt) saveSessionEnd(tx, session, until)
    return null
  })
}

async function startAgain(tools: PayTools, secret: string): ReturnType<CheckoutPort['startAgain']> {
  const found = await findSessionOf(tools, secret)
  if (!found) return undefined
  if (found.closedAt !== null) return { problem: { code: 'closed' } }
  return tools.storage
    .write(async (tx) => {
      const ended = await lockSessionAndCart(tx, keyOf(found))
      return ended ? openAgain(tools, tx, ended, pageCause()) : { problem: { code: 'not_open' } as const }
    })
    .catch((error: unknown) => ({ problem: checkoutProblemOf(error) }))
}

function keyOf({ installationId, id }: SessionRow): SessionKey {
  return { installationId, sessionId: id }
}

function pageCause(): Cause {
  return { operationId: null, requestId: newId('req') }
}

function isStockToKeep(session: SessionRow, now: number): boolean {
  const { holdExpiresAt, closedAt } = session
  if (sessionStatusAt(session, now) !== 'open' || closedAt !== null) return false
  return holdExpiresAt === null || holdUntil(session, now) - holdExpiresAt >= extendEveryMs
}

// A look at an open session keeps its stock a while longer, or takes it again where the time was over and it is still there.
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
    // The stock is taken by now; the page shows it.
    .catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error
    })
}
