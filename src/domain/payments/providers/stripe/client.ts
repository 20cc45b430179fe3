// The only file that imports the package `stripe`: it configures the package and converts its errors. These contain headers, parameters
// and messages, which may quote a key, so none of that is passed on.

import Stripe from 'stripe'
import type { KeyAnswer } from '../../health.ts'
import { providerMsMax } from '../../port.ts'

export type { Stripe }

// The package repeats a request once, after half a second. Both requests together must take less than the timeout of a call to a
// provider.
const timeoutMs = 8_000
const retries = 1
if ((timeoutMs + 500) * (retries + 1) > providerMsMax)
  throw new Error('the timeouts and retries of Stripe exceed the time limit for a provider')

export const stripeVersion = Stripe.API_VERSION

export interface StripeClient {
  // Sends one request, unless the signal is already aborted. The package cannot abort a request that is in progress.
  ask<Answer>(signal: AbortSignal, request: (api: Stripe) => Promise<Answer>): Promise<Answer>
}

// `url`: for tests, a stand-in for Stripe. `onCall`: called after each response with what the response shows about the key.
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

// Stripe refused the request or did not respond. `name` and `code` are those of the package and of Stripe; there is no message.
export class StripeFailure extends Error {
  // In capitals, because no other codes are logged (port.ts).
  readonly code: string
  // The reason in Stripe's terms.
  readonly reason: string | undefined
  readonly status: number | undefined
  // Whether Stripe replayed the response to an earlier request with this key. Further requests with this key cannot have another result.
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

  // Whether Stripe read the request, did nothing, and returned a reason. A request that uses a key again with other parameters is a
  // defect of ours, and not counted as a refusal.
  get isRefusal(): boolean {
    return [400, 402, 404].includes(this.status ?? 0) && this.name !== 'StripeIdempotencyError'
  }

  // Whether Stripe failed at the first request with this key. It replays that failure as long as it knows the key:
  // https://docs.stripe.com/api/idempotent_requests
  get isBroken(): boolean {
    return this.isReplay && (this.status ?? 0) >= 500
  }

  // Whether nothing was done, by this request or an earlier one with its key. Also true if Stripe does not accept the API key, or there
  // were too many requests.
  get isUndone(): boolean {
    return this.isRefusal || [401, 403, 429].includes(this.status ?? 0)
  }
}

function failureOf(error: unknown): unknown {
  return error instanceof Stripe.errors.StripeError ? new StripeFailure(error.type, error) : error
}

// Returns undefined if the signature matches none of the secrets, or is too old.
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
      // The signature does not match this secret.
    }
  }
  return undefined
}

const toleranceSeconds = 300
