// Delivers events to the registered endpoints on command: https://docs.stripe.com/webhooks. Stripe guarantees neither the order nor a single
// delivery, so the test chooses both.

import Stripe from 'stripe'
import type { Books, PendingDelivery } from './books.ts'

export interface DeliverOptions {
  order?: 'created' | 'reversed'
  // How often each event is sent.
  times?: number
  // Only events of these types, or with this id; the others stay pending.
  types?: readonly string[]
  id?: string
  // Instead of now and of the endpoint's secret: for old and for forged signatures.
  signedAt?: Date
  secret?: string
}

export interface Delivered {
  id: string
  type: string
  url: string
  status: number
}

export class Webhooks {
  // Where an endpoint is reached now, for a server whose address changes.
  route: (url: string) => string = (url) => url
  readonly #books: Books
  readonly #clock: () => Date
  #chain: Promise<unknown> = Promise.resolve()

  constructor(books: Books, clock: () => Date) {
    this.#books = books
    this.#clock = clock
  }

  get pending(): readonly { id: string; type: string; url: string }[] {
    return this.#books.pending.map((one) => this.#described(one))
  }

  // Sends what is pending. What is not answered with 2xx stays pending, as Stripe tries again for days.
  async deliver(options: DeliverOptions = {}): Promise<Delivered[]> {
    const { order = 'created', times = 1, types, id } = options
    const chosen = this.#books.pending.filter(
      ({ event }) => (types === undefined || types.includes(event.type)) && (id === undefined || event.id === id),
    )
    this.#books.pending = this.#books.pending.filter((one) => !chosen.includes(one))
    if (order === 'reversed') chosen.reverse()
    const delivered: Delivered[] = []
    for (const pending of chosen) {
      let isTaken = false
      for (let i = 0; i < times; i += 1) {
        const status = await this.#send(pending, options)
        isTaken ||= status >= 200 && status < 300
        delivered.push({ ...this.#described(pending), status })
      }
      if (isTaken) pending.event.pending_webhooks -= 1
      else this.#books.pending.push(pending)
    }
    return delivered
  }

  // Sends an event again that was delivered before, to every endpoint that is registered now.
  async resend(id: string, options: DeliverOptions = {}): Promise<Delivered[]> {
    const event = this.#books.events.get(id)
    if (!event) throw new Error(`there is no event ${id}`)
    const sent: Delivered[] = []
    for (const endpoint of this.#books.endpoints.keys())
      sent.push({ ...this.#described({ event, endpoint }), status: await this.#send({ event, endpoint }, options) })
    return sent
  }

  // Never delivers what is pending.
  drop(): void {
    this.#books.pending = []
  }

  // From now on every event is sent as soon as it is created, one after the other.
  deliverAtOnce(): void {
    this.#books.onEvent = () => {
      this.#chain = this.#chain.then(() => this.deliver())
    }
  }

  // Resolves when nothing is being sent.
  async idle(): Promise<void> {
    for (let seen: unknown; seen !== this.#chain; ) {
      seen = this.#chain
      await seen
    }
  }

  async #send({ event, endpoint }: PendingDelivery, { signedAt, secret }: DeliverOptions): Promise<number> {
    const { url } = this.#endpoint(endpoint)
    const payload = JSON.stringify(event, null, 2)
    const header = Stripe.webhooks.generateTestHeaderString({
      payload,
      secret: secret ?? this.#books.endpointSecrets.get(endpoint) ?? '',
      timestamp: Math.floor((signedAt ?? this.#clock()).getTime() / 1000),
    })
    try {
      const response = await fetch(this.route(url), {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'stripe-signature': header,
          'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        },
        body: payload,
      })
      await response.arrayBuffer()
      return response.status
    } catch {
      // No connection, or it broke.
      return 0
    }
  }

  #described({ event, endpoint }: PendingDelivery): { id: string; type: string; url: string } {
    return { id: event.id, type: event.type, url: this.#endpoint(endpoint).url }
  }

  #endpoint(id: string): { url: string } {
    return this.#books.endpoints.get(id) ?? { url: 'deleted' }
  }
}
