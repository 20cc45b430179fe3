// A platform pays at the merchant's account at Stripe, with a token of Stripe or of Google Pay, and without the page.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { acpPaidBy, acpPlatform, acpWhole } from '../harness/acp.ts'
import { berlinDestination, buyer, letAgentsIn, platformOf, shippingTo } from '../harness/agents.ts'
import { eachEngine } from '../harness/storage.ts'
import { openStripeShop } from '../harness/stripe/shop.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'

const whole = {
  line_items: [{ item: { id: 'ROSE-12' }, quantity: 1 }],
  buyer,
  fulfillment: shippingTo(berlinDestination),
}

const paidWith = (handlerId: string, token: string) => ({
  payment: {
    instruments: [
      { id: 'one', handler_id: handlerId, type: 'card', selected: true, credential: { type: 'token', token } },
    ],
  },
})
const shared = (token: string) => paidWith('stripe_shared_payment_token', token)

eachEngine('agent payments with Stripe tokens', (given) => {
  test('a shared payment token and a Google Pay token pay; a decline cancels its payment intent, and a 3-D Secure challenge continues on the checkout page', async () => {
    const { testServer, there } = await openStripeShop(given)
    await letAgentsIn(testServer)
    const { ask } = platformOf(testServer)
    const profile = (await testServer.fetch('/ucp/bloom/test/.well-known/ucp')).body
    assert.equal(profile.ucp.payment_handlers['com.google.pay'][0].config.environment, 'TEST')
    assert.ok(profile.ucp.payment_handlers['localhost.stripe_shared_payment_token'])
    const open = async () => `/checkout-sessions/${(await ask('POST', '/checkout-sessions', whole)).body.id}`
    const intents = () => [...there.books.intents.values()]

    const address = await open()
    const refused = await ask('POST', `${address}/complete`, shared('spt_declined'))
    assert.equal(refused.body.status, 'ready_for_complete', refused.text)
    assert.ok(refused.body.messages.some(({ code }: { code: string }) => code === 'payment_failed'))
    assert.deepEqual(
      intents().map(({ status }) => status),
      ['canceled'],
    )

    const key = { 'idempotency-key': randomUUID() }
    const paid = await ask('POST', `${address}/complete`, shared('spt_visa'), key)
    assert.equal(paid.body.status, 'completed', paid.text)
    const again = await ask('POST', `${address}/complete`, shared('spt_visa'), key)
    assert.equal(again.text, paid.text)
    assert.deepEqual(
      intents().map(({ status, amount_received }) => [status, amount_received]),
      [
        ['canceled', 0],
        ['succeeded', 3990],
      ],
    )
    const [order] = (await testServer.askAdmin('listAdminOrders')).body.data
    assert.deepEqual([order.paymentStatus, order.total], ['paid', 3990])

    const google = paidWith('google_pay_stripe', JSON.stringify({ id: 'tok_visa', object: 'token' }))
    assert.equal((await ask('POST', `${await open()}/complete`, google)).body.status, 'completed')

    const asked = await ask('POST', `${await open()}/complete`, shared('spt_authentication'))
    assert.equal(asked.body.status, 'requires_escalation', asked.text)
    assert.match(asked.body.continue_url, /\/c\//)
    const wrong = await ask('POST', `${await open()}/complete`, shared('pm_card_visa'))
    assert.equal(wrong.body.status, 'ready_for_complete')
    assert.deepEqual(
      intents().map(({ status }) => status),
      ['canceled', 'succeeded', 'succeeded', 'requires_action'],
    )
  })

  test('ACP: a shared payment token that the platform created for this Stripe account pays', async () => {
    const { testServer, there } = await openStripeShop(given)
    await letAgentsIn(testServer)
    const { ask } = await acpPlatform(testServer)
    const created = await ask('POST', '/checkout_sessions', acpWhole())
    const handler = created.body.capabilities.payment.handlers.find(
      ({ id }: { id: string }) => id === 'stripe_shared_payment_token',
    )
    assert.deepEqual(
      [handler.name, handler.requires_delegate_payment, handler.psp, handler.config.merchant_id.slice(0, 5)],
      ['dev.acp.tokenized.card', true, 'stripe', 'acct_'],
    )
    const complete = `/checkout_sessions/${created.body.id}/complete`
    const refused = await ask('POST', complete, acpPaidBy('spt_declined', handler.id))
    assert.equal(refused.body.messages.at(-1).code, 'payment_declined')
    const paid = await ask('POST', complete, acpPaidBy('spt_visa', handler.id))
    assert.equal(paid.body.status, 'completed', paid.text)
    assert.deepEqual(
      [...there.books.intents.values()].map(({ status, amount_received }) => [status, amount_received]),
      [
        ['canceled', 0],
        ['succeeded', 3990],
      ],
    )
  })

  test('a payment whose response is lost is looked up later and charged once', async () => {
    const { testServer, there, standIn } = await openStripeShop(given)
    await letAgentsIn(testServer)
    const { ask } = platformOf(testServer)
    const address = `/checkout-sessions/${(await ask('POST', '/checkout-sessions', whole)).body.id}`
    standIn.network.lose('after', { method: 'POST', path: /\/confirm$/ }, 2)
    const first = await ask('POST', `${address}/complete`, shared('spt_visa'))
    assert.equal(first.body.status, 'complete_in_progress', first.text)
    assert.equal(first.body.order, undefined)
    testServer.clock.now += 120_000
    await recoverPayments(testServer.app.payTools)
    assert.equal((await ask('GET', address)).body.status, 'completed')
    assert.deepEqual(
      [...there.books.intents.values()].map(({ status }) => status),
      ['succeeded'],
    )
  })
})
