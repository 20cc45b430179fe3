// The receivers of the demo shop's webhooks. They are functions in this process: their names end in .example, which no name server
// resolves (RFC 2606), and nothing is sent over the network. One accepts every call, one is out of order, one has shut down for good.

import type { PastParts } from '../../src/ops/past.ts'

type Receiver = PastParts['receiver']
type WebhookCall = Parameters<Receiver>[0]
type CallOutcome = NonNullable<ReturnType<Receiver>>

export const demoEndpoints = {
  labels: {
    url: 'https://hooks.parcelharbour.example/alder-finch',
    description: 'Parcel Harbour: labels and tracking',
    events: ['order.paid', 'order.fulfilled', 'order.cancelled'],
  },
  books: {
    url: 'https://in.ledgerline.example/v2/events',
    description: 'Ledgerline: bookkeeping',
    events: ['order.paid', 'order.refunded'],
  },
  newsletter: {
    url: 'https://api.mailtide.example/hooks/carts',
    description: 'Mailtide: newsletter, trial',
    events: ['checkout_session.completed'],
  },
} as const

export type DemoEndpoint = keyof typeof demoEndpoints

const byUrl: ReadonlyMap<string, DemoEndpoint> = new Map(
  (Object.keys(demoEndpoints) as DemoEndpoint[]).map((name) => [demoEndpoints[name].url, name]),
)

// Returns undefined for all other addresses, which are called as usual. `isWell` gets the instant of the event.
export function demoAnswer(
  { url, body }: WebhookCall,
  isWell: (name: DemoEndpoint, at: number) => boolean = isWellNow,
): CallOutcome | undefined {
  const name = byUrl.get(url)
  if (name === undefined) return undefined
  const tookMs = 38 + (body.length % 97)
  if (isWell(name, Date.parse(timestampOf(String(body))))) return answered(200, '{"received":true}', tookMs)
  if (name === 'newsletter') return answered(410, 'This trial has ended.', tookMs)
  return answered(503, 'upstream connect error or disconnect/reset before headers', 5 * tookMs)
}

// State of the receivers after the month.
function isWellNow(name: DemoEndpoint): boolean {
  return name === 'labels'
}

// Only events that this server made are sent to these receivers.
function timestampOf(body: string): string {
  return (JSON.parse(body) as { timestamp: string }).timestamp
}

function answered(statusCode: number, answer: string, tookMs: number): CallOutcome {
  return { kind: 'answered', statusCode, retryAfter: null, error: null, answer, tookMs }
}
