// The checkout service: pages use it to read a session, change it, pay and end it. Refusals become problems that the page can explain in
// the shopper's language.

import { isPageSecret } from '../../platform/secrets/pagesecret.ts'
import { setCartLine } from '../carts/lines.ts'
import { openSuccessorSession } from './again.ts'
import { applyPromotionCode, type ChangeWork, changeSession, makePageCause, setDetails } from './changing.ts'
import { extendedExpiry, sessionStatusAt } from './lifecycle.ts'
import {
  findCheckoutState,
  findCheckoutSummary,
  findSessionOf,
  findView,
  readSession,
  refreshCheckoutView,
  sessionKeyOf,
  sessionNameFromSecret,
  viewSession,
} from './looking.ts'
import { loadCompletedCheckout, paidCheckout, returnedView } from './pageview.ts'
import { continueAfterChallenge, type PayResult, paySession } from './pay/pay.ts'
import { abandonPayment, queryPaymentOnReturn, readReturnToken } from './pay/redirect.ts'
import type {
  CheckoutPort,
  CheckoutProblem,
  CheckoutResult,
  PayInput,
  ReturnView,
  SubmitResult,
  SubmittedDetails,
} from './port.ts'
import { toCheckoutProblem } from './problem.ts'
import { cancelSession, lockSessionAndCart } from './sessions.ts'
import { type SessionRow, saveSessionEnd } from './store.ts'
import type { PayTools } from './tools.ts'

export function createCheckoutService(tools: PayTools): CheckoutPort {
  return {
    look: (secret) => viewSession(tools, secret),
    glance: (secret) => findCheckoutSummary(tools, secret),
    refresh: (secret) => refreshCheckoutView(tools, secret),
    follow: (secret) => findCheckoutState(tools, secret),
    changeQuantity: (secret, version, skuId, quantity) =>
      change(tools, { secret, version }, async ({ ask }) => {
        await setCartLine(tools.carts, ask, skuId, quantity)
        return null
      }),
    applyCode: (secret, version, code) =>
      change(tools, { secret, version }, ({ ask }) => applyPromotionCode(tools, ask, code)),
    setDetails: (secret, version, details) =>
      act(tools, secret, (session) => setDetails(tools, sessionKeyOf(session), version, details)),
    submitDetails: (secret, version, details) => submitDetails(tools, secret, version, details),
    pay: (secret, input) =>
      act(
        tools,
        secret,
        async (session) => (await paySession(tools, sessionKeyOf(session), input, makePageCause())).problem,
      ),
    submitPayment: (secret, input) => submitPayment(tools, secret, input),
    answerChallenge: (secret, paymentId, answer) =>
      act(tools, secret, (session) =>
        continueAfterChallenge(tools, sessionKeyOf(session), { paymentId, answer }, makePageCause()),
      ),
    goBack: (secret) => act(tools, secret, (session) => abandonPayment(tools, sessionKeyOf(session), makePageCause())),
    comeBack: (token) => comeBack(tools, token),
    cancel: (secret) => act(tools, secret, (session) => cancel(tools, session)),
    keepOpen: (secret) => act(tools, secret, (session) => keepOpen(tools, session)),
    startAgain: (secret) => startAgain(tools, secret),
  }
}

// Finds the session, does the work, and returns the view of the result.
async function act(
  tools: PayTools,
  secret: string,
  work: (session: SessionRow) => Promise<CheckoutProblem | null>,
): Promise<CheckoutResult | undefined> {
  const found = await findSessionOf(tools, secret)
  if (!found) return undefined
  const problem = await work(found).catch(toCheckoutProblem)
  const view = await findView(tools, secret)
  return view && { view, problem }
}

// A submitted form needs the view only if there was a problem.
async function submitDetails(
  tools: PayTools,
  secret: string,
  version: number,
  details: SubmittedDetails,
): Promise<SubmitResult | undefined> {
  if (!isPageSecret(secret)) return undefined
  const problem = await setDetails(tools, sessionNameFromSecret(secret), version, details).catch(toCheckoutProblem)
  return problem === null ? { problem, completed: null } : notDone(tools, secret, problem)
}

async function submitPayment(tools: PayTools, secret: string, input: PayInput): Promise<SubmitResult | undefined> {
  if (!isPageSecret(secret)) return undefined
  const { problem, paid = null } = await paySession(tools, sessionNameFromSecret(secret), input, makePageCause()).catch(
    (error: unknown): PayResult => ({ problem: toCheckoutProblem(error) }),
  )
  if (problem !== null) return notDone(tools, secret, problem)
  if (paid) return { problem, completed: paidCheckout(paid, secret) }
  return readSession(tools, secret, async (db, session) => ({
    problem,
    completed: await loadCompletedCheckout(db, session, secret),
  }))
}

async function notDone(tools: PayTools, secret: string, problem: CheckoutProblem): Promise<SubmitResult | undefined> {
  const view = await findView(tools, secret)
  return view && { view, problem }
}

// Makes one change. It is refused if the session has another version than the page showed.
function change(
  tools: PayTools,
  { secret, version }: { secret: string; version: number },
  work: ChangeWork,
): Promise<CheckoutResult | undefined> {
  return act(tools, secret, (found) => changeSession(tools, sessionKeyOf(found), version, work))
}

async function comeBack(tools: PayTools, token: string): Promise<ReturnView | undefined> {
  const name = readReturnToken(tools.rootSecret, token)
  if (!name) return undefined
  await queryPaymentOnReturn(tools, name)
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
    return cancelSession(tools, { ...ask, cancellation, now: tools.clock(), cause: makePageCause() })
  })
  return null
}

function keepOpen({ storage, clock }: PayTools, found: SessionRow): Promise<CheckoutProblem | null> {
  return storage.write(async (tx) => {
    const session = await lockSessionAndCart(tx, sessionKeyOf(found))
    const now = clock().getTime()
    if (!session || sessionStatusAt(session, now) !== 'open') return { code: 'not_open' }
    if (session.closedAt !== null) return { code: 'closed' }
    const until = extendedExpiry(session, now)
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
      const ended = await lockSessionAndCart(tx, sessionKeyOf(found))
      return ended
        ? openSuccessorSession(tools, tx, ended, makePageCause())
        : { problem: { code: 'not_open' } as const }
    })
    .catch((error: unknown) => ({ problem: toCheckoutProblem(error) }))
}
