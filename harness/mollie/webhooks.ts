// Calls the addresses for webhooks on command: https://docs.mollie.com/reference/webhooks. The form has the id of the payment and
// nothing else, unsigned, also for a refund or a chargeback. Neither order nor a single call is guaranteed, so the test chooses both.

import type { Books } from './books.ts'

export interface DeliverOptions {
  order?: 'happened' | 'reversed'
  times?: number
}

export class Webhooks {
  // Where an address is reached now, for a server whose address changes.
  route: (url: string) => string = (url) => url
  readonly #books: Books
  #chain: Promise<unknown> = Promise.resolve()

  constructor(books: Books) {
    this.#books = books
  }

  // Ids of payments, in the order of what happened.
  get pending(): readonly string[] {
    return this.#books.notices
  }

  // The statuses that were answered; 0: no connection. What is not answered with 2xx stays pending, because Mollie tries again.
  async deliver({ order = 'happened', times = 1 }: DeliverOptions = {}): Promise<number[]> {
    const chosen = this.#books.notices
    this.#books.notices = []
    const statuses: number[] = []
    for (const id of order === 'reversed' ? chosen.toReversed() : chosen) {
      const url = this.#books.payments.get(id)?.request.webhookUrl
      if (!url) continue
      const answers: number[] = []
      for (let i = 0; i < times; i += 1) answers.push(await send(this.route(url), id))
      if (!answers.some((status) => status >= 200 && status < 300)) this.#books.notices.push(id)
      statuses.push(...answers)
    }
    return statuses
  }

  // They never arrive.
  drop(): void {
    this.#books.notices = []
  }

  deliverAtOnce(): void {
    this.#books.onNotice = () => {
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
}

async function send(url: string, id: string): Promise<number> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'Mollie HTTP client/1.0' },
      body: new URLSearchParams({ id }).toString(),
    })
    await response.arrayBuffer()
    return response.status
  } catch {
    return 0
  }
}
