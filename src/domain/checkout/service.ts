// The checkout service, with which pages read a session, change it, pay and end it. A refusal of the domain becomes a problem that the
// page can explain in the shopper's language.

import { isPageSecret } from '../../platform/secrets/pagesecret.ts'
import { setLine } from '../carts/lines.ts'
import { openAgain } from './again.ts'
import { applyCode, type ChangeWork, changeSession, pageCause, setDetails } from './changing.ts'
import { longerUntil, sessionStatusAt } from './lifecycle.ts'
import {
  findSessionOf,
  findView,
  follow,
  glance,
  keyOf,
  lookAtSession,
  readSession,
  refresh,
  sessionNameOf,
} from './looking.ts'
import { completedCheckout, paidCheckout, returnedView } from './pageview.ts'
import { answerChallenge, type PayAnswer, pay } from './pay/pay.ts'
import { goBack, lookUpForReturn, readReturnToken } from './pay/redirect.ts'
import type {
  CheckoutPort,
  CheckoutProblem,
  CheckoutResult,
  PayInput,
  ReturnView,
  Submitted,
  SubmittedDetails,
} from './port.ts'
import { checkoutProblemOf } from './problem.ts'
import { cancelSession, lockSessionAndCart } from './sessions.ts'
import { type SessionRow, saveSessionEnd } from './store.ts'
import type { PayTools } from './tools.ts'

export function createCheckoutService(tools: PayTools): CheckoutPort {
  return {
    look: (secret) => lookAtSession(tools, secret),
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

// Finds the session, does the work, and returns the resulting view.
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

// A submitted form needs the view only if there was a problem.
async function submitDetails(
  tools: PayTools,
  secret: string,
  version: number,
  details: SubmittedDetails,
): Promise<Submitted | undefined> {
  if (!isPageSecret(secret)) return undefined
  const problem = await setDetails(tools, sessionNameOf(secret), version, details).catch(checkoutProblemOf)
  return problem === null ? { problem, completed: null } : notDone(tools, secret, problem)
}

async function submitPayment(tools: PayTools, secret: string, input: PayInput): Promise<Submitted | undefined> {
  if (!isPageSecret(secret)) return undefined
  const { problem, paid = null } = await pay(tools, sessionNameOf(secret), input, pageCause()).catch(
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

// Makes one change, based on the session as the page showed it.
function change(
  tools: PayTools,
  { secret, version }: { secret: string; version: number },
  work: ChangeWork,
): Promise<CheckoutResult | undefined> {
  return act(tools, secret, (found) => changeSession(tools, keyOf(found), version, work))
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
