// Payments by redirect: where the shopper is sent, how they return, and the immediate look-up of the outcome. A return only triggers a
// look-up: neither the return itself nor anything in its address is trusted.

import { setTimeout as pause } from 'node:timers/promises'
import type { Cause } from '../../../platform/outbox/announce.ts'
import { deriveKeys, type RootSecret, signToken, verifyToken } from '../../../platform/secrets/secrets.ts'
import { findMerchantFace } from '../../merchants/store.ts'
import { isUndecided } from '../../payments/lifecycle.ts'
import { callToClose, type ReturnUrls } from '../../payments/port.ts'
import { checksAnswered } from '../../payments/schedule.ts'
import {
  buildCharge,
  claimPaymentToQuery,
  findPayment,
  isBeingQueried,
  listPaymentsOfSession,
  mayQueryPayment,
  type PaymentRow,
  queryEveryMs,
  requestPaymentQuery,
} from '../../payments/store.ts'
import type { CheckoutProblem } from '../port.ts'
import type { SessionKey } from '../store.ts'
import type { PayTools } from '../tools.ts'
import { callFacts, callOptions } from './ask.ts'
import { finishPayment } from './finish.ts'
import { findOutcome } from './recover.ts'

const returnPurpose = 'payment return'

// The token in the address to which a provider sends the shopper back. It identifies the payment, not the page: the secret of the page
// must never be sent to another host.
export function makeReturnToken(rootSecret: RootSecret, { installationId, id }: PaymentName): string {
  return signToken(deriveKeys(rootSecret, returnPurpose)[0], `${installationId} ${id}`)
}

export function makeReturnPath(rootSecret: RootSecret, payment: PaymentName): string {
  return `/r/${makeReturnToken(rootSecret, payment)}`
}

export interface PaymentName {
  installationId: string
  id: string
}

export function readReturnToken(rootSecret: RootSecret, token: string): PaymentName | undefined {
  for (const key of deriveKeys(rootSecret, returnPurpose)) {
    const [installationId, id] = verifyToken(key, token)?.split(' ') ?? []
    if (installationId !== undefined && id !== undefined) return { installationId, id }
  }
  return undefined
}

export async function returnUrlsFor(tools: PayTools, payment: PaymentRow, locale: string): Promise<ReturnUrls> {
  const { storage, rootSecret, publicOrigin } = tools
  const merchant = await storage.read((db) => findMerchantFace(db, payment.merchantId))
  const returnUrl = publicOrigin() + makeReturnPath(rootSecret, payment)
  return { returnUrl, cancelUrl: returnUrl, locale, merchantName: merchant?.name ?? '' }
}

// Looks up the payment now: after a return, a view of a page or a webhook. Does nothing if a look-up is in progress or was made a moment
// ago. Returns whether it looked up the payment.
export async function queryPaymentNow(
  tools: PayTools,
  { installationId, id }: PaymentName,
  everyMs = queryEveryMs,
): Promise<boolean> {
  const now = tools.clock().getTime()
  const claimed = await tools.storage.write((tx) => claimPaymentToQuery(tx, { installationId, id }, now, everyMs))
  if (claimed) await finishPayment(tools, claimed, await findOutcome(tools, claimed), null)
  return claimed !== undefined
}

// The shopper has returned. A look-up that began earlier may have missed the payment, so a new one is needed: this process makes it once
// none is in progress, unless another process does. If that takes too long, the page keeps waiting.
export async function queryPaymentOnReturn(tools: PayTools, name: PaymentName): Promise<void> {
  const wanted = await tools.storage.write((tx) => requestPaymentQuery(tx, name))
  // There is no outcome to wait for: the order already awaits its money, or the payment has ended.
  if (!wanted) return void (await queryPaymentNow(tools, name))
  let payment: PaymentRow | undefined = wanted
  for (let waits = 0; payment && isOutcomeOpen(payment); ) {
    const now = tools.clock().getTime()
    if (payment.looks >= wanted.looksWanted && !isBeingQueried(payment, now)) return
    // While it waits, a return only reads: a shopper who returns again and again must not cause constant writes.
    const hasAsked = mayQueryPayment(payment, now) && (await queryPaymentNow(tools, name))
    if (!hasAsked) {
      const waitMs = returnWaitsMs[waits]
      if (waitMs === undefined) return
      waits += 1
      await pause(waitMs)
    }
    payment = await tools.storage.read((db) => findPayment(db, name.installationId, name.id))
  }
}

// Together longer than the pause between two look-ups, and shorter than shoppers wait for a page.
const returnWaitsMs = [100, 100, 200, 200, 400, 400, 600, 1_000, 1_500, 1_500]

// Whether it is unknown what the shopper did at the provider: a look-up is in progress or was interrupted, or the last look-up since the
// shopper returned is missing or got no response. Meanwhile the page must neither show a result of the payment nor offer another payment.
export function isOutcomeOpen(payment: PaymentRow): boolean {
  if (!isUndecided(payment)) return false
  const { looks, looksWanted, lookingUntil, checks } = payment
  return lookingUntil !== null || looks < looksWanted || (looksWanted > 0 && checks > checksAnswered)
}

// Minimum time between two look-ups: while a page waits for the outcome, and while the shopper is still at the provider.
const waitingEveryMs = 10_000
const openEveryMs = 60_000

// Looks up the payment that the session waits for.
export async function queryAwaitedPayment(
  tools: PayTools,
  { installationId, sessionId }: SessionKey,
  reason: 'page' | 'poll' = 'page',
): Promise<void> {
  const now = tools.clock().getTime()
  const payments = await tools.storage.read((db) => listPaymentsOfSession(db, installationId, sessionId))
  const payment = payments.find(isUndecided)
  if (!payment) return
  const { status, lookedAt, createdAt, looks, looksWanted } = payment
  const everyMs = reason === 'poll' && status === 'challenge' && !isOutcomeOpen(payment) ? openEveryMs : waitingEveryMs
  // Creating a redirect payment counts as a look-up.
  const answeredAt = lookedAt ?? (status === 'challenge' ? createdAt : null)
  const isRecent = answeredAt !== null && answeredAt <= now && answeredAt > now - everyMs
  if (!isRecent || looks < looksWanted) await queryPaymentNow(tools, payment, everyMs)
}

// The shopper goes back to pay in another way, so the payment is closed. A payment that is being made at this moment is not closed, and
// then creates the order.
export async function abandonPayment(
  tools: PayTools,
  session: SessionKey,
  cause: Cause | null,
): Promise<CheckoutProblem | null> {
  const { installationId, sessionId } = session
  const payments = await tools.storage.read((db) => listPaymentsOfSession(db, installationId, sessionId))
  const payment = payments.find(({ status, placeSealed }) => status === 'challenge' && placeSealed !== null)
  if (!payment) return null
  const provider = await tools.storage.read((db) => tools.providers.of(db, payment))
  if (!provider) {
    tools.watch.missing(callFacts(payment, 'close'))
    return { code: 'payment_in_progress' }
  }
  const closed = await callToClose(
    (signal) => provider.close(buildCharge(payment), signal),
    callOptions(tools, payment, 'close'),
  )
  tools.onStep?.('closed')
  const declined = { kind: 'declined', code: 'declined', brand: null, last4: null, isWithdrawn: true } as const
  if (closed === 'closed') await finishPayment(tools, payment, declined, cause)
  else await queryPaymentNow(tools, payment)
  const after = await tools.storage.read((db) => findPayment(db, installationId, payment.id))
  return after?.status === 'challenge' || after?.status === 'processing' ? { code: 'payment_in_progress' } : null
}
