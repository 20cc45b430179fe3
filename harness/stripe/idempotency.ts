// Idempotency keys: https://docs.stripe.com/api/idempotent_requests. The first answer to a key is repeated, also an error, once execution
// began; a request that was refused before that leaves no trace.

import { ApiError } from './errors.ts'

export interface Answer {
  status: number
  body: string
  requestId: string
}

interface Remembered {
  path: string
  params: string
  answer: Answer
}

const keyLengthMax = 255

export class IdempotencyKeys {
  readonly #remembered = new Map<string, Remembered>()
  readonly #inFlight = new Set<string>()

  // The first answer, where the key is known. Throws where it is used for something else, or is in use.
  find(key: string, path: string, params: string): Answer | undefined {
    if (key.length > keyLengthMax) throw misuse(`Idempotency keys can be at most ${keyLengthMax} characters long.`)
    if (this.#inFlight.has(key))
      throw new ApiError(409, {
        type: 'idempotency_error',
        code: 'idempotency_key_in_use',
        message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
      })
    const found = this.#remembered.get(key)
    if (!found) return undefined
    if (found.path !== path)
      throw misuse(
        `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${path}' vs '${found.path}'). Try using a key other than '${key}' if you meant to execute a different request.`,
      )
    if (found.params !== params)
      throw misuse(
        `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
      )
    return found.answer
  }

  begin(key: string): void {
    this.#inFlight.add(key)
  }

  // Without an answer nothing is remembered.
  end(key: string, remembered?: Remembered): void {
    this.#inFlight.delete(key)
    if (remembered) this.#remembered.set(key, remembered)
  }

  // What Stripe does with keys that are older than a day.
  forget(): void {
    this.#remembered.clear()
  }
}

function misuse(message: string): ApiError {
  return new ApiError(400, { type: 'idempotency_error', message })
}
