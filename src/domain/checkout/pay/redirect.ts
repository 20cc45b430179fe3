// Payments by redirect: where the shopper is sent, how they come back, and asking at once what became of it. Neither
// the return nor anything in its address is believed: it is only a reason to ask.

import { setTimeout as pause } from 'node:timers/promises'
import type { Cause } from '../../../platform/outbox/announce.ts'
import { deriveKeys, type RootSecret, readToken, signToken } from '../../../platform/secrets/secrets.ts'
import { findMerchantFace } from '../../merchants/store.ts'
import { isUndecided } from '../../payments/lifecycle.ts'
import { callToClose, type ReturnUrls } from '../../payments/port.ts'
import { checksAnswered } from '../../payments/schedule.ts'
import {
  chargeOf,
  claimPaymentToLook,
  findPayment,
  isLooking,
  listPaymentsOfSession,
  lookEveryMs,
  mayLook,
  type PaymentRow,
  wantLook,
} from '../../payments/store.ts'
import type { CheckoutProblem } from '../port.ts'
import type { SessionKey } from '../store.ts'
import type { PayTools } from '../tools.ts'
import { callFacts, callOptions } from './ask.ts'
import { finishPayment } from './finish.ts'
import { findOutcome } from './recover.ts'

const returnPurpose = 'payment return'

// The address to which a provider sends the shopper back. It names the payment and not the page: the secret of the page is
// given to no other host.
export function returnTokenOf(rootSecret: RootSecret, { installationId, id }: PaymentName): string {
  return signToken(deriveKeys(rootSecret, returnPurpose)[0], `${installationId} ${id}`)
}

export function returnPathOf(rootSecret: RootSecret, payment: PaymentName): string {
  return `/r/${returnTokenOf(rootSecret, payment)}`
}

export interface PaymentName {
  installationId: string
  id: string
}

export function readReturnToken(rootSecret: RootSecret, token: string): PaymentName | undefined {
  for (const key of deriveKeys(rootSecret, returnPurpose)) {
    const [installationId, id] = readToken(key, token)?.split(' ') ?? []
    if (installationId !== undefined && id !== undefined) return { installationId, id }
  }
  return undefined
}

export async function returnUrlsFor(tools: PayTools, payment: PaymentRow, locale: string): Promise<ReturnUrls> {
  const { storage, rootSecret, publicOrigin } = tools
  const merchant = await storage.read((db) => findMerchantFace(db, payment.merchantId))
  const returnUrl = publicOrigin() + returnPathOf(rootSecret, payment)
  return { returnUrl, cancelUrl: returnUrl, locale, merchantName: merchant?.name ?? '' }
}

// Asks the provider now, unless it is being asked, or was a moment ago: by a return, a look at a page or a webhook. Answers whether it
// asked.
export async function lookUpNow(
  tools: PayTools,
  { installationId, id }: PaymentName,
  everyMs = lookEveryMs,
): Promise<boolean> {
  const now = tools.clock().getTime()
  const claimed = await tools.storage.write((tx) => claimPaymentToLook(tx, { installationId, id }, now, everyMs))
  if (claimed) await finishPayment(tools, claimed, await findOutcome(tools, claimed), null)
  return claimed !== undefined
}

// The shopper comes back. A look-up that began before this may have missed the payment, so one that begins now is needed: by this
// process as soon as none is under way, or by any other. Where that takes too long, the page goes on waiting.
export async function lookUpForReturn(tools: PayTools, name: PaymentName): Promise<void> {
  const wanted = await tools.storage.write((tx) => wantLook(tx, name))
  // An order that awaits its money; or there is nothing to ask.
  if (!wanted) return void (await lookUpNow(tools, name))
  let payment: PaymentRow | undefined = wanted
  for (let waits = 0; payment && isOutcomeOpen(payment); ) {
    const now = tools.clock().getTime()
    if (payment.looks >= wanted.looksWanted && !isLooking(payment, now)) return
    // A waiting return only reads: a shopper who comes back again and again must not keep the storage writing.
    const hasAsked = mayLook(payment, now) && (await lookUpNow(tools, name))
    if (!hasAsked) {
      const waitMs = returnWaitsMs[waits]
      if (waitMs === undefined) return
      waits += 1
      await pause(waitMs)
    }
    payment = await tools.storage.read((db) => findPayment(db, name.installationId, name.id))
  }
}

// Together longer than the pause between two look-ups, and shorter than anyone waits for a page.
const returnWaitsMs = [100, 100, 200, 200, 400, 400, 600, 1_000, 1_500, 1_500]

// Whether it is not known yet what the shopper did at the provider: a look-up is under way or was cut off, or the last one since the
// shopper came back is missing or was not answered. Until then nothing may be said of the payment, and nothing may be offered in its place.
export function isOutcomeOpen(payment: PaymentRow): boolean {
  if (!isUndecided(payment)) return false
  const { looks, looksWanted, lookingUntil, checks } = payment
  return lookingUntil !== null || looks < looksWanted || (looksWanted > 0 && checks > checksAnswered)
}

// A page that waits asks again and again, and one that is open at the payment now and then.
const waitingEveryMs = 10_000
const openEveryMs = 60_000

// Asks about the payment that the session waits for.
export async function lookUpAwaited(
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
  // A redirect was answered when it began.
  const answeredAt = lookedAt ?? (status === 'challenge' ? createdAt : null)
  const isRecent = answeredAt !== null && answeredAt <= now && answeredAt > now - everyMs
  if (!isRecent || looks < looksWanted) await lookUpNow(tools, payment, everyMs)
}

// The shopper wants back to the order, to pay in another way. What is being paid at this moment is not taken away: then the
// answer is the order.
export async function goBack(
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
    (signal) => provider.close(chargeOf(payment), signal),
    callOptions(tools, payment, 'close'),
  )
  tools.onStep?.('closed')
  const declined = { kind: 'declined', code: 'declined', brand: null, last4: null, isWithdrawn: true } as const
  if (closed === 'closed') await finishPayment(tools, payment, declined, cause)
  else await lookUpNow(tools, payment)
  const after = await tools.storage.read((db) => findPayment(db, installationId, payment.id))
  return after?.status === 'challenge' || after?.status === 'processing' ? { code: 'payment_in_progress' } : null
}
