// Faults between a client and Stripe, on command: lost requests, lost answers, failures, and requests held until the test releases
// them.

export interface Match {
  method?: 'GET' | 'POST' | 'DELETE'
  // The path as it is, or a pattern.
  path?: string | RegExp
}

export type Fault =
  // The connection breaks before Stripe did anything, or after it did everything.
  | { kind: 'lose'; when: 'before' | 'after' }
  | { kind: 'fail'; status: 429 | 500 | 503 }
  // A 500 that is the answer to each repetition under its key.
  | { kind: 'break'; isDone: boolean }
  | { kind: 'hold'; arrive: () => void; released: Promise<void> }

export interface Held {
  // Resolves when a request is being held.
  arrived: Promise<void>
  release(): void
}

export class Network {
  // How long every answer takes: one half of it before the work is done, the other after it.
  latencyMs = 0
  // Called when an answer is lost, before the client notices.
  onLost: () => void = () => {}
  #faults: { match: Match; fault: Fault }[] = []

  // Loses the next answers that match. The official client repeats a request whose connection broke once, also without retries.
  lose(when: 'before' | 'after', match: Match = {}, times = 1): void {
    for (let i = 0; i < times; i += 1) this.#faults.push({ match, fault: { kind: 'lose', when } })
  }

  // Answers the next requests that match without doing anything; nothing is remembered under their keys.
  fail(status: 429 | 500 | 503, match: Match = {}, times = 1): void {
    for (let i = 0; i < times; i += 1) this.#faults.push({ match, fault: { kind: 'fail', status } })
  }

  // Answers the next request that matches with a 500, before or after the work is done, and remembers that under its key:
  // https://docs.stripe.com/api/idempotent_requests
  break(when: 'before' | 'after', match: Match = {}): void {
    this.#faults.push({ match, fault: { kind: 'break', isDone: when === 'after' } })
  }

  // Holds the next request that matches. Its idempotency key is in use meanwhile.
  hold(match: Match = {}): Held {
    const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    this.#faults.push({ match, fault: { kind: 'hold', arrive: arrived.resolve, released: released.promise } })
    return { arrived: arrived.promise, release: released.resolve }
  }

  reset(): void {
    this.#faults = []
  }

  // The fault for a request, used up by it.
  take(method: string, path: string): Fault | undefined {
    const index = this.#faults.findIndex(({ match }) => fits(match, method, path))
    return index < 0 ? undefined : this.#faults.splice(index, 1)[0]?.fault
  }
}

function fits(match: Match, method: string, path: string): boolean {
  if (match.method !== undefined && match.method !== method) return false
  if (match.path === undefined) return true
  return typeof match.path === 'string' ? match.path === path : match.path.test(path)
}
