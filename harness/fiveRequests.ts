// A purchase as the five requests that a browser sends, with plain requests: for benchmarks, and for tests that count what each costs.

import { randomUUID } from 'node:crypto'

export interface Sent {
  method: 'GET' | 'POST'
  path: string
  headers?: Record<string, string>
  body?: string
}

export interface Received {
  status: number
  text: string
  location: string
}

export type Send = (sent: Sent) => Promise<Received>

export interface Wanted {
  key: string
  skuIds: readonly string[]
  email?: string
}

// What the shopper has seen so far.
interface Progress {
  wanted: Wanted
  sessionId: string
  page: string
  text: string
}

export const purchaseSteps = ['session', 'page', 'details', 'page again', 'payment'] as const
export type PurchaseStep = (typeof purchaseSteps)[number]

export const card = { number: '4242424242424242', expiry: '12 / 40', cvc: '123', name: 'Ada Lovelace' }
const successUrl = 'http://localhost:9/thanks'

const steps: Record<PurchaseStep, (send: Send, progress: Progress) => Promise<Partial<Progress>>> = {
  async session(send, { wanted: { key, skuIds } }) {
    const { text } = await sendFor(send, 200, {
      method: 'POST',
      path: '/api/v1/open/hosted/checkout/sessions',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        idempotencyKey: randomUUID(),
        items: skuIds.map((skuId) => ({ skuId, quantity: 1 })),
        successUrl,
      }),
    })
    const { data } = JSON.parse(text) as { data: { id: string; url: string } }
    return { sessionId: data.id, page: new URL(data.url).pathname }
  },
  page: seePage,
  async details(send, { page, text, wanted: { email = 'ada@example.com' } }) {
    await post(send, `${page}/details`, {
      version: hidden(text, 'version'),
      email,
      phone: '',
      name: 'Ada Lovelace',
      country: 'DE',
      line1: 'Unter den Linden 1',
      city: 'Berlin',
      postalCode: '10117',
      shippingOptionId: 'standard',
    })
    return {}
  },
  'page again': seePage,
  async payment(send, { page, text }) {
    const { location, text: shown } = await post(send, `${page}/pay`, {
      version: hidden(text, 'version'),
      expectedTotal: hidden(text, 'expectedTotal'),
      attempt: hidden(text, 'attempt'),
      method: 'test:card',
      ...Object.fromEntries(Object.entries(card).map(([name, value]) => [`card.${name}`, value])),
    })
    if (!location.startsWith(successUrl))
      throw new Error(`the purchase was not paid, but led to ${location || shown.slice(0, 500)}`)
    return {}
  },
}

// Many shoppers, who take each step one after the other before any takes the next. `onStep` is called after all of them.
export async function purchaseTogether(
  send: Send,
  shoppers: readonly Wanted[],
  onStep: (step: PurchaseStep) => Promise<void> = async () => {},
): Promise<string[]> {
  const all = shoppers.map((wanted): Progress => ({ wanted, sessionId: '', page: '', text: '' }))
  for (const step of purchaseSteps) {
    for (const progress of all) Object.assign(progress, await steps[step](send, progress))
    await onStep(step)
  }
  return all.map(({ sessionId }) => sessionId)
}

async function seePage(send: Send, { page }: Progress): Promise<Partial<Progress>> {
  const { text } = await sendFor(send, 200, { method: 'GET', path: page })
  return { text }
}

function post(send: Send, path: string, fields: Readonly<Record<string, string>>): Promise<Received> {
  return sendFor(send, 303, {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams(fields).toString(),
  })
}

async function sendFor(send: Send, expected: number, sent: Sent): Promise<Received> {
  const received = await send(sent)
  if (received.status !== expected)
    throw new Error(
      `${sent.method} ${sent.path.slice(0, 20)} answered ${received.status}: ${received.text.slice(0, 500)}`,
    )
  return received
}

export function hidden(text: string, name: string): string {
  const [, value] = new RegExp(`name="${name}" value="([^"]*)"`).exec(text) ?? []
  if (value === undefined) throw new Error(`the page has no field ${name}`)
  return value
}
