// The only file that knows the package `stripe`: how it is set up, and what is left of an error that it throws. Its errors hold
// headers, parameters and messages, which may quote a key, so none of them goes any further.

import Stripe from 'stripe'
import type { KeyAnswer } from '../../health.ts'
import { providerMsMax } from '../../port.ts'

export type { Stripe }

// The package repeats a request once, half a second later. Both must fit into the time that a provider has to answer.
const timeoutMs = 8_000
const retries = 1
if ((timeoutMs + 500) * (retries + 1) > providerMsMax) throw new Error('Stripe may take longer than a provider may')

export const stripeVersion = Stripe.API_VERSION

export interface StripeClient {
  // One request. It is not begun after the deadline; the package cannot stop one that is on its way.
  ask<Answer>(signal: AbortSignal, request: (api: Stripe) => Promise<Answer>): Promise<Answer>
}

// `url`: a stand-in, for tests. `onCall` is called with what each answer says of the key.
export function createStripeClient(
  key: string,
  url: string | undefined,
  onCall: (answer: KeyAnswer) => void = () => {},
): StripeClient {
  const api = new Stripe(key, {
    timeout: timeoutMs,
    maxNetworkRetries: retries,
    telemetry: false,
    ...(url === undefined ? {} : addressOf(url)),
  })
  return {
    async ask(signal, request) {
      signal.throwIfAborted()
      try {
        const answer = await request(api)
        onCall('accepted')
        return answer
      } catch (error) {
        const failure = failureOf(error)
        if (failure instanceof StripeFailure && failure.status !== undefined) onCall(failure.keyAnswer)
        throw failure
      }
    },
  }
}

function addressOf(url: string): { host: string; port: number; protocol: 'http' } {
  const { hostname: host, port } = new URL(url)
  return { host, port: Number(port), protocol: 'http' }
}

// Stripe said no, or nothing. `name` and `code` are words of the package and of Stripe; there is no message.
export class StripeFailure extends Error {
  // As the log takes it: in capitals.
  readonly code: string
  // Stripe's own word.
  readonly reason: string | undefined
  readonly status: number | undefined
  // The answer to an earlier request under this key, which never does anything else.
  readonly isReplay: boolean
  readonly intent: Stripe.PaymentIntent | undefined

  constructor(name: string, error: Partial<Stripe.errors.StripeError>) {
    super('')
    this.name = name
    this.reason = error.code
    this.code = error.code?.toUpperCase() ?? ''
    this.status = error.statusCode
    this.isReplay = error.headers?.['idempotent-replayed'] === 'true'
    this.intent = error.payment_intent
  }

  get keyAnswer(): KeyAnswer {
    return this.status === 401 ? 'key_refused' : this.status === 403 ? 'permission_missing' : 'accepted'
  }

  // Stripe read the request, did nothing, and says why. The same key with other facts is a defect of ours, and not this.
  get isRefusal(): boolean {
    return [400, 402, 404].includes(this.status ?? 0) && this.name !== 'StripeIdempotencyError'
  }

  // Stripe failed at the first request under this key, and says so again for as long as it knows the key:
  // https://docs.stripe.com/api/idempotent_requests
  get isBroken(): boolean {
    return this.isReplay && (this.status ?? 0) >= 500
  }

  // Nothing was done, by this request or under its key: also where the key is not accepted, or there were too many requests.
  get isUndone(): boolean {
    return this.isRefusal || [401, 403, 429].includes(this.status ?? 0)
  }
}

function failureOf(error: unknown): unknown {
  return error instanceof Stripe.errors.StripeError ? new StripeFailure(error.type, error) : error
}

// Undefined when the signature is not that of any of the secrets, or is too old.
export function verifiedEvent(
  body: Buffer,
  signature: string,
  secrets: readonly string[],
  now: number,
): Stripe.Event | undefined {
  for (const secret of secrets) {
    try {
      return Stripe.webhooks.constructEvent(body, signature, secret, toleranceSeconds, undefined, now)
    } catch {
      // Not by this one.
    }
  }
  return undefined
}

const toleranceSeconds = 300
