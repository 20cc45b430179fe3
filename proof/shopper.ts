// A shopper: opens sessions through the API and pays through the form of the page, as a browser posts it.

import { randomUUID } from 'node:crypto'
import { newId } from '../src/platform/kit/ids.ts'
import { type Answer, type Caller, dataOf } from './caller.ts'
import type { Stand } from './shop.ts'

export const cards = {
  approved: '4242424242424242',
  declined: '4000000000000002',
  challenged: '4000002500003155',
  approvedUnheard: '4000000000000259',
  declinedUnheard: '4000000000000267',
  unasked: '4000000000000275',
  refundUnheard: '4000000000007726',
} as const

export interface Session {
  id: string
  cartId: string
  version: number
  status: string
  total: number
  secret: string
  orderId: string | null
}

export interface SessionData {
  id: string
  cartId: string
  version: number
  status: 'open' | 'processing' | 'completed' | 'cancelled' | 'expired'
  url: string | null
  orderId: string | null
  totals: { total: number }
  items: { skuId: string; quantity: number }[]
}

export interface CartData {
  id: string
  version: number
  status: string
  itemCount: number
  checkoutSessionId: string | null
  orderId: string | null
  items: { skuId: string; quantity: number; unitPrice: number; subtotal: number; availableQuantity: number | null }[]
  totals: { subtotal: number; discount: number; shipping: number; tax: number; total: number }
  promotion: { state: string; code: string | null; amount: number }
}

export function sessionFrom(answer: Answer): Session {
  const { id, cartId, version, status, url, orderId, totals } = dataOf<SessionData>(answer)
  return { id, cartId, version, status, total: totals.total, secret: url?.split('/').at(-1) ?? '', orderId }
}

export const successUrl = 'http://localhost/thanks?s={sessionId}'

export interface SessionInput {
  items: readonly { skuId: string; quantity: number }[]
  email?: string
  promotionCode?: string
  idempotencyKey?: string
}

export function openingOf({ items, email, promotionCode, idempotencyKey = randomUUID() }: SessionInput): object {
  return {
    idempotencyKey,
    items,
    successUrl,
    customer: { email: email ?? `${randomUUID()}@example.com` },
    ...(promotionCode === undefined ? {} : { promotionCode }),
  }
}

export function openSession(caller: Caller, origin: string, stand: Stand, input: SessionInput): Promise<Answer> {
  return caller.ask(origin, 'createHostedCheckoutSession', { key: stand.key, body: openingOf(input) })
}

// `completed`: redirected to the shop. `back`: redirected to the page. `told`: the page says why not.
export type Paid = 'completed' | 'back' | 'told'

export interface PayForm {
  card: string
  // The same attempt sent twice is one payment.
  attempt: string
}

export function newForm(card: string = cards.approved): PayForm {
  return { card, attempt: newId('pay') }
}

export async function pay(
  caller: Caller,
  origin: string,
  session: Pick<Session, 'secret' | 'version' | 'total'>,
  { card, attempt }: PayForm = newForm(),
): Promise<Paid> {
  const answer = await post(caller, origin, `/c/${session.secret}/pay`, {
    version: session.version,
    expectedTotal: session.total,
    attempt,
    method: 'test:card',
    'card.number': card,
    'card.expiry': '12/40',
    'card.cvc': '123',
    'card.name': 'Ada Lovelace',
  })
  return paidFrom(answer)
}

// Chooses to pay by redirect, where nothing is typed here.
export function payByRedirect(
  caller: Caller,
  origin: string,
  { secret, version, total }: Pick<Session, 'secret' | 'version' | 'total'>,
  method: string,
  { attempt }: PayForm,
): Promise<Answer> {
  return post(caller, origin, `/c/${secret}/pay`, { version, expectedTotal: total, attempt, method })
}

// The page, or the redirect from it.
export async function look(caller: Caller, origin: string, secret: string): Promise<Answer> {
  const page = await caller.call(origin, { method: 'GET', path: `/c/${secret}` })
  return page.status === 200 ? page : refuseOther(page)
}

export async function confirm(caller: Caller, origin: string, secret: string, isAccepted: boolean): Promise<Paid> {
  const page = await look(caller, origin, secret)
  const [, paymentId] = /name="paymentId" value="([^"]+)"/.exec(page.text) ?? []
  if (paymentId === undefined) return 'told'
  const answer = isAccepted ? 'accept' : 'refuse'
  return paidFrom(await post(caller, origin, `/c/${secret}/challenge`, { paymentId, answer }))
}

export function paidFrom(answer: Answer): Paid {
  if (answer.status === 200) return 'told'
  return String(refuseOther(answer).headers.location).startsWith('http://localhost/thanks') ? 'completed' : 'back'
}

// The page could not answer and asks for a retry.
export class PageUnavailable extends Error {}

function refuseOther(answer: Answer): Answer {
  if (answer.status === 303) return answer
  const said = `the page answered ${answer.status}: ${answer.text.slice(0, 300)}`
  throw answer.status === 503 ? new PageUnavailable(said) : new Error(said)
}

export function post(
  caller: Caller,
  origin: string,
  path: string,
  fields: Readonly<Record<string, string | number>>,
): Promise<Answer> {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) body.set(name, String(value))
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return caller.call(origin, { method: 'POST', path, headers, body: body.toString() })
}

export async function readSession(caller: Caller, origin: string, stand: Stand, sessionId: string): Promise<Session> {
  return sessionFrom(await caller.ask(origin, 'getHostedCheckoutSession', { key: stand.key, path: { sessionId } }))
}
