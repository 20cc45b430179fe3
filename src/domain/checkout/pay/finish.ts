// The last transaction of a payment: it records the outcome once, with all its consequences.

import { moveFor } from '../../../platform/kit/lifecycle.ts'
import type { Cause } from '../../../platform/outbox/announce.ts'
import type { Tx } from '../../../platform/storage/storage.ts'
import type { CartRow } from '../../carts/store.ts'
import { lockOrder } from '../../orders/store.ts'
import { isAwaitedFromProvider, isUndecided, paymentLifecycle } from '../../payments/lifecycle.ts'
import type { NextAction } from '../../payments/port.ts'
import { hasRefundsOrDispute } from '../../payments/providerstate.ts'
import { checksAnswered, leaseMs, nextTryAt } from '../../payments/schedule.ts'
import {
  endPaymentQuery,
  lockPaymentWithTrySubjects,
  makeQueryDue,
  type PaymentRow,
  savePayment,
} from '../../payments/store.ts'
import { recordTryOutcome } from '../../payments/tries.ts'
import { lockSessionWithCart, type SessionRow } from '../store.ts'
import type { PayTools } from '../tools.ts'
import { type CompletedSession, completeSession, SoldOutMeanwhile } from './complete.ts'
import { declinedFailure } from './failures.ts'
import { recordOutcomeAfterEnd } from './late.ts'
import { encryptNextAction } from './nextaction.ts'
import { recordProviderChanges } from './paid.ts'
import { lockAwaitedPayment, pendingCheckAt, recordAwaitedOutcome, warnOfAmountMismatch } from './pending.ts'
import { reopenSession } from './reopen.ts'
import { challengeMs, type PaymentOutcome, type Settlement } from './settlement.ts'

// If called twice concurrently, the second call finds the outcome recorded. Returns undefined if this call did not complete the session.
export async function finishPayment(
  tools: PayTools,
  asked: PaymentRow,
  outcome: PaymentOutcome,
  cause: Cause | null,
): Promise<CompletedSession | undefined> {
  tools.onStep?.('settling')
  const settle = (isHasty: boolean) =>
    tools.storage.write(async (tx) => {
      let completed: CompletedSession | undefined
      if (isAwaitedFromProvider(asked))
        await recordAwaitedOutcome(tools, tx, await lockAwaitedPayment(tx, asked), outcome)
      else if (asked.status === 'succeeded') await recordProviderChanges(tools, tx, asked, outcome)
      else completed = await recordOutcome(tools, tx, await lockForOutcome(tx, asked), { outcome, cause, isHasty })
      if (asked.lookingUntil !== null) endPaymentQuery(tx, asked)
      // The payment has just succeeded; its refunds and disputes are recorded by another look-up.
      if (asked.status !== 'succeeded' && hasRefundsOrDispute(outcome.providerState))
        makeQueryDue(tx, asked, tools.clock().getTime())
      return completed
    })
  try {
    const completed = await settle(true).catch((error: unknown) => {
      if (!(error instanceof SoldOutMeanwhile)) throw error
      return settle(false)
    })
    tools.onStep?.('settled')
    return completed
  } catch (error) {
    const message = 'payment outcome could not be recorded; retrying'
    tools.watch.error('unrecorded', message, { provider: asked.provider, paymentId: asked.id }, error)
    throw error
  }
}

export interface LockedPayment {
  // Undefined if the payment has ended and its session was deleted.
  session: SessionRow | undefined
  cart: CartRow | undefined
  payment: PaymentRow
  // The subjects by which declines of this payment are counted.
  subjects: readonly string[]
}

export async function lockForOutcome(
  tx: Tx,
  asked: Pick<PaymentRow, 'installationId' | 'id' | 'checkoutSessionId' | 'changesOrder'>,
): Promise<LockedPayment> {
  const { installationId, id, checkoutSessionId, changesOrder } = asked
  const [, checkout, tried] = await Promise.all([
    changesOrder === null ? undefined : lockOrder(tx, { installationId, orderId: changesOrder }),
    lockSessionWithCart(tx, { installationId, sessionId: checkoutSessionId }),
    lockPaymentWithTrySubjects(tx, installationId, id),
  ])
  if (!tried) throw new Error(`payment ${id} no longer exists`)
  return { session: checkout?.session, cart: checkout?.cart, ...tried }
}

export async function recordOutcome(
  tools: PayTools,
  tx: Tx,
  { session, cart, payment, subjects }: LockedPayment,
  { outcome, cause, isHasty = false }: { outcome: PaymentOutcome; cause: Cause | null; isHasty?: boolean },
): Promise<CompletedSession | undefined> {
  const { installationId, id } = payment
  if (!isUndecided(payment)) {
    await recordOutcomeAfterEnd(tools, tx, payment, outcome)
    return undefined
  }
  if (!session) throw new Error(`the session of payment ${id} does not exist`)
  if (outcome.kind !== 'unknown' && outcome.kind !== 'challenge' && outcome.kind !== 'redirect')
    recordTryOutcome(tx, installationId, id, { subjects, isDeclined: isShoppersFault(outcome) })
  if (isShoppersFault(outcome)) tx.afterCommit(() => tools.watch.tries.declined(session))
  return decide({ tools, tx, session, cart, payment, now: tools.clock().getTime(), cause, isHasty }, outcome)
}

// A decline that the provider caused must not lock the shopper out.
function isShoppersFault(outcome: PaymentOutcome): boolean {
  return outcome.kind === 'declined' && outcome.code !== 'provider_error' && !outcome.isWithdrawn
}

async function decide(settlement: Settlement, outcome: PaymentOutcome): Promise<CompletedSession | undefined> {
  const { tools, tx, payment, now } = settlement
  const seen = { ...payment, updatedAt: now, checks: payment.checks + 1 }
  const isOtherAmount = outcome.kind === 'approved' && outcome.collected !== payment.amount
  if (isOtherAmount) warnOfAmountMismatch(tools, tx, payment, outcome)
  if (outcome.kind === 'unknown' || isOtherAmount) {
    const collected = isOtherAmount ? outcome.collected : payment.collected
    await savePayment(tx, { ...seen, collected, checkAt: nextTryAt(seen.checks, now) })
    return undefined
  }
  const move = moveFor(paymentLifecycle, verbs[outcome.kind], payment.status)
  if (!move) throw new Error(`payment ${payment.id} is ${payment.status} and cannot take the outcome ${outcome.kind}`)
  const decided = { ...seen, status: move.to, checks: checksAnswered }
  switch (outcome.kind) {
    case 'challenge': {
      const { reference, challenge } = outcome
      // The next look-up is due after the challenge has expired.
      await savePayment(tx, { ...decided, reference, challenge, checkAt: payment.createdAt + challengeMs + leaseMs })
      return undefined
    }
    case 'redirect': {
      const { reference, nextAction, until, isTried = false } = outcome
      const placeSealed = encryptNextAction(tools.rootSecret, payment, nextAction)
      const checkAt = Math.max(now + leaseMs, Math.min(now + redirectEveryMs, until))
      const triedAt = payment.triedAt ?? (isTried || isBackFromPage(payment, nextAction) ? now : null)
      await savePayment(tx, { ...decided, reference, placeSealed, placeUntil: until, checkAt, triedAt })
      return undefined
    }
    case 'declined': {
      const { code, brand, last4, isDoubtful, isWithdrawn } = outcome
      // While the decline is doubtful, the payment is looked up again: we closed it, but the provider does not know it.
      const { checks, checkAt } = isDoubtful
        ? { ...seen, checkAt: nextTryAt(seen.checks, now) }
        : { ...decided, checkAt: null }
      await savePayment(tx, {
        ...decided,
        ...nowhere,
        errorCode: isWithdrawn ? null : code,
        brand,
        last4,
        checks,
        checkAt,
      })
      await reopenSession(settlement, isWithdrawn ? null : declinedFailure(code))
      return undefined
    }
    case 'approved': {
      const { reference, brand, last4, collected, instrument = null } = outcome
      const paid = { ...decided, ...nowhere, reference, brand, last4, instrument, collected, checkAt: null }
      return completeSession({ ...settlement, payment: paid })
    }
    case 'pending': {
      const { reference, settles, instrument = null } = outcome
      const checkAt = settles === 'by_provider' ? pendingCheckAt(now, true) : null
      const awaited = { ...decided, ...nowhere, reference, settles, instrument, checkAt }
      return completeSession({ ...settlement, payment: awaited })
    }
  }
}

// A shopper who returns from a page of the provider was there. A frame is part of our own page, which may just have been reloaded.
function isBackFromPage({ looksWanted }: PaymentRow, nextAction: NextAction): boolean {
  return looksWanted > 0 && nextAction.kind === 'page'
}

// Removes what the shopper still had to do from the payment.
const nowhere = { challenge: null, placeSealed: null, placeUntil: null } as const

// How often a redirect payment is looked up while the shopper does not return and no webhook arrives.
const redirectEveryMs = 5 * 60_000

const verbs = {
  challenge: 'challenge',
  redirect: 'challenge',
  declined: 'decline',
  approved: 'collect',
  pending: 'await',
} as const
