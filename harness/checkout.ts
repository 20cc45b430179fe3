// Checkouts for tests: a session, the service behind its page, and a shopper who fills in what is asked.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { CheckoutResult, CheckoutView } from '../src/domain/checkout/port.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { berlin, type Carts, cartsOf } from './carts.ts'
import type { Answer, TestServer } from './testServer.ts'

export const cards = {
  approved: '4242424242424242',
  declined: '4000000000000002',
  insufficientFunds: '4000000000009995',
} as const

export interface Checkout {
  carts: Carts
  open(items: Readonly<Record<string, number>>, more?: object): Promise<Answer>
  // A session with contact, address and shipping filled in, ready to be paid.
  ready(
    items: Readonly<Record<string, number>>,
    more?: object,
    email?: string,
  ): Promise<{ sessionId: string; secret: string; view: CheckoutView }>
  look(secret: string): Promise<CheckoutView>
  pay(secret: string, view: CheckoutView, card?: string, attempt?: string): Promise<CheckoutResult>
  read(sessionId: string): Promise<Answer>
}

export const secretOf = (url: string) => url.split('/').at(-1) ?? ''

export async function checkoutOf(testServer: TestServer): Promise<Checkout> {
  const carts = await cartsOf(testServer)
  const { checkout } = testServer.app

  async function open(items: Readonly<Record<string, number>>, more: object = {}): Promise<Answer> {
    const wanted = Object.entries(items).map(([code, quantity]) => ({ skuId: carts.sku(code), quantity }))
    return testServer.ask('createHostedCheckoutSession', {
      body: {
        idempotencyKey: randomUUID(),
        items: wanted,
        successUrl: 'http://localhost:9/thanks?s={sessionId}',
        ...more,
      },
    })
  }

  async function look(secret: string): Promise<CheckoutView> {
    const view = await checkout.look(secret)
    assert.ok(view, 'there is a page')
    return view
  }

  return {
    carts,
    open,
    look,
    async ready(items, more, email = 'ada@example.com') {
      const answer = await open(items, more)
      assert.equal(answer.status, 200, answer.text)
      const secret = secretOf(answer.body.data.url)
      const seen = await look(secret)
      const contact = { email, name: 'Ada Lovelace', phone: '' }
      const result = await checkout.setDetails(secret, seen.session.version, {
        contact,
        address: seen.needsShipping ? berlin : null,
        shippingOptionId: null,
      })
      assert.equal(result?.problem, null, JSON.stringify(result?.problem))
      return { sessionId: answer.body.data.id, secret, view: await look(secret) }
    },
    async pay(secret, view, card = cards.approved, attempt = newId('pay')) {
      const result = await checkout.pay(secret, {
        version: view.session.version,
        expectedTotal: view.session.totals.total,
        provider: 'test',
        method: 'card',
        details: { number: card, expiry: '12 / 40', cvc: '123', name: 'Ada Lovelace' },
        attempt,
      })
      assert.ok(result)
      return result
    },
    read: (sessionId) => testServer.ask('getHostedCheckoutSession', { path: { sessionId } }),
  }
}
