// The stand-in for Stripe, asked by the official client: what the payment adapter may rely on in its tests.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, describe, test } from 'node:test'
import Stripe from 'stripe'
import type { Account, AccountMode } from '../harness/stripe/account.ts'
import { misfitOf, schemasVersion } from '../harness/stripe/check.ts'
import { openStripe, type StandIn } from '../harness/stripe/standin.ts'

const params = {
  amount: 1999,
  currency: 'eur',
  automatic_payment_methods: { enabled: true },
  metadata: { cartwright_payment: 'pay_1' },
} satisfies Stripe.PaymentIntentCreateParams

let standIn: StandIn
let account: Account
let mode: AccountMode
let client: Stripe
let now = Date.parse('2026-06-01T12:00:00Z')

const clientFor = (key: string, options: Stripe.StripeConfig = {}) =>
  new Stripe(key, { ...standIn.clientOptions, maxNetworkRetries: 0, ...options })

before(async () => {
  standIn = await openStripe({ clock: () => new Date(now) })
})
beforeEach(() => {
  account = standIn.addAccount()
  mode = account.test
  client = clientFor(mode.secretKey)
  standIn.network.reset()
})
after(() => standIn.close())

// The error as an adapter sees it.
async function refusalOf(call: Promise<unknown>): Promise<[string, number | undefined, string | undefined]> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error
    return [error.type, error.statusCode, error.code]
  }
  throw new Error('the call was not refused')
}

async function paid(instrument?: string) {
  const intent = await client.paymentIntents.create(params)
  mode.pay(intent.id, instrument)
  return client.paymentIntents.retrieve(intent.id, { expand: ['latest_charge'] })
}

const eventTypes = () => [...mode.books.events.values()].map(({ type }) => type)
const idsIn = ({ data }: Stripe.ApiList<Stripe.Event>) => data.map((event) => (event.data.object as { id: string }).id)
const lastRequest = () => standIn.requests.at(-1)

describe('keys', () => {
  test('a key opens one account in one mode, and unknown or revoked keys open none', async () => {
    const intent = await client.paymentIntents.create(params)
    assert.equal((await client.accounts.retrieveCurrent()).id, account.id)
    assert.equal((await clientFor(mode.restrictedKey).paymentIntents.retrieve(intent.id)).id, intent.id)
    const others = [account.live.secretKey, standIn.addAccount().test.secretKey]
    for (const key of others)
      assert.deepEqual(await refusalOf(clientFor(key).paymentIntents.retrieve(intent.id)), [
        'StripeInvalidRequestError',
        404,
        'resource_missing',
      ])
    assert.deepEqual(await refusalOf(clientFor('sk_test_unknown').paymentIntents.create(params)), [
      'StripeAuthenticationError',
      401,
      undefined,
    ])
    mode.revoke(mode.restrictedKey)
    assert.equal((await refusalOf(clientFor(mode.restrictedKey).accounts.retrieveCurrent()))[1], 401)
    assert.equal((await client.accounts.retrieveCurrent()).id, account.id)
  })

  test('a restricted key can be denied a resource', async () => {
    mode.deny('webhook_endpoints')
    const restricted = clientFor(mode.restrictedKey)
    assert.deepEqual(await refusalOf(restricted.webhookEndpoints.list()), ['StripePermissionError', 403, undefined])
    assert.deepEqual((await restricted.refunds.list()).data, [])
    assert.deepEqual((await client.webhookEndpoints.list()).data, [])
  })

  test('livemode follows the key, and using an object of the other mode is an error that says so', async () => {
    const live = await clientFor(account.live.secretKey).paymentIntents.create(params)
    assert.equal(live.livemode, true)
    await assert.rejects(client.paymentIntents.retrieve(live.id), /exists in live mode, but a test mode key was used/)
  })
})

describe('intents', () => {
  test('a card payment makes one charge of the whole amount', async () => {
    const intent = await paid()
    assert.equal(intent.status, 'succeeded')
    assert.equal(intent.amount_received, 1999)
    assert.deepEqual(intent.metadata, { cartwright_payment: 'pay_1' })
    const charge = intent.latest_charge as Stripe.Charge
    assert.equal(charge.payment_method_details?.card?.last4, '4242')
    assert.equal(charge.payment_method_details?.card?.brand, 'visa')
    assert.deepEqual(mode.books.totals(), { charged: { eur: 1999 }, refunded: {}, disputed: {} })
    assert.deepEqual(eventTypes(), ['payment_intent.created', 'charge.succeeded', 'payment_intent.succeeded'])
  })

  test('a server can confirm and then capture, completely or in part', async () => {
    const { id } = await client.paymentIntents.create({ ...params, capture_method: 'manual' })
    const held = await client.paymentIntents.confirm(id, { payment_method: 'pm_card_visa' })
    assert.deepEqual([held.status, held.amount_capturable, held.amount_received], ['requires_capture', 1999, 0])
    const captured = await client.paymentIntents.capture(id, { amount_to_capture: 1500 })
    assert.deepEqual([captured.status, captured.amount_received], ['succeeded', 1500])
    assert.deepEqual(mode.books.totals().charged, { eur: 1500 })
    assert.equal((await refusalOf(client.paymentIntents.capture(id)))[2], 'payment_intent_unexpected_state')
  })

  test('a decline leaves the intent open for another card', async () => {
    const declined = await paid('4000 0000 0000 9995')
    assert.equal(declined.status, 'requires_payment_method')
    const { code, decline_code: why, charge } = declined.last_payment_error ?? {}
    assert.deepEqual([code, why], ['card_declined', 'insufficient_funds'])
    assert.equal((declined.latest_charge as Stripe.Charge).id, charge)
    assert.equal((declined.latest_charge as Stripe.Charge).status, 'failed')
    assert.equal(mode.pay(declined.id), 'succeeded')
    assert.equal((await client.paymentIntents.retrieve(declined.id)).last_payment_error, null)
    assert.deepEqual(mode.books.totals().charged, { eur: 1999 })
    const call = client.paymentIntents
      .create(params)
      .then(({ id }) => client.paymentIntents.confirm(id, { payment_method: 'pm_card_chargeDeclined' }))
    assert.deepEqual(await refusalOf(call), ['StripeCardError', 402, 'card_declined'])
  })

  test('3-D Secure waits for the bank, and can be tried again after a refusal', async () => {
    const { id } = await client.paymentIntents.create(params)
    assert.equal(mode.pay(id, '4000 0025 0000 3155', 'https://shop.example/r/1'), 'requires_action')
    const waiting = await client.paymentIntents.retrieve(id)
    assert.match(waiting.next_action?.redirect_to_url?.url ?? '', new RegExp(`^${standIn.url}/bank/auth_`))
    assert.equal(mode.authenticate(id, 'refuse'), 'requires_payment_method')
    const refused = await client.paymentIntents.retrieve(id)
    assert.equal(refused.last_payment_error?.code, 'payment_intent_authentication_failure')
    assert.equal(refused.latest_charge, null)
    mode.pay(id, '4000002500003155', 'https://shop.example/r/1')
    assert.equal(mode.authenticate(id), 'succeeded')
    assert.equal(mode.books.charges.size, 1)
    // A card that is declined after the bank agreed.
    const { id: poor } = await client.paymentIntents.create(params)
    mode.pay(poor, '4000008260003178')
    assert.equal(mode.authenticate(poor), 'requires_payment_method')
  })

  test('cancelling closes an intent once, but not one that is paid or pending', async () => {
    const { id } = await client.paymentIntents.create(params)
    assert.equal((await client.paymentIntents.cancel(id)).status, 'canceled')
    const unexpected = ['StripeInvalidRequestError', 400, 'payment_intent_unexpected_state']
    assert.deepEqual(await refusalOf(client.paymentIntents.cancel(id)), unexpected)
    assert.throws(() => mode.pay(id), /status of canceled/)
    for (const instrument of ['4242424242424242', 'DE89370400440532013000']) {
      const { id: taken } = await paid(instrument)
      assert.deepEqual(await refusalOf(client.paymentIntents.cancel(taken)), unexpected)
    }
    const { id: asking } = await client.paymentIntents.create(params)
    mode.pay(asking, '4000002500003155')
    assert.equal((await client.paymentIntents.cancel(asking)).status, 'canceled')
    assert.throws(() => mode.authenticate(asking), /status of canceled/)
  })

  test('a debit is pending until the bank answers', async () => {
    const intent = await paid('DE89 3704 0044 0532 0130 00')
    assert.equal(intent.status, 'processing')
    assert.equal((intent.latest_charge as Stripe.Charge).status, 'pending')
    assert.deepEqual(mode.books.totals().charged, {})
    assert.equal(mode.finishDebit(intent.id), 'succeeded')
    assert.deepEqual(mode.books.totals().charged, { eur: 1999 })

    const failing = await paid('DE62370400440532013001')
    assert.equal(mode.finishDebit(failing.id), 'requires_payment_method')
    const failed = await client.paymentIntents.retrieve(failing.id, { expand: ['latest_charge'] })
    assert.equal(failed.last_payment_error?.payment_method_type, 'sepa_debit')
    assert.equal((failed.latest_charge as Stripe.Charge).status, 'failed')
    assert.deepEqual(mode.books.totals().charged, { eur: 1999 })
    assert.equal(eventTypes().filter((type) => type === 'payment_intent.processing').length, 2)
  })

  test('invalid amounts are refused as documented', async () => {
    const refused = async (amount: number, currency: string) =>
      (await refusalOf(client.paymentIntents.create({ ...params, amount, currency })))[2]
    assert.equal(await refused(49, 'usd'), 'amount_too_small')
    assert.equal(await refused(100_000_000, 'eur'), 'amount_too_large')
    assert.equal(await refused(501, 'isk'), 'invalid_charge_amount_no_decimal_compatible')
    assert.equal(await refused(5124, 'kwd'), undefined)
  })
})

describe('requests', () => {
  test('parameters that Stripe’s package does not have are refused', async () => {
    const raw = (body: object) => client.rawRequest('POST', '/v1/payment_intents', body)
    assert.equal((await refusalOf(raw({ ...params, colour: 'red' })))[2], 'parameter_unknown')
    assert.equal((await refusalOf(raw({ currency: 'eur' })))[2], 'parameter_missing')
    assert.equal((await refusalOf(raw({ ...params, amount: 1.5 })))[2], 'parameter_invalid_integer')
    assert.equal((await refusalOf(raw({ ...params, automatic_payment_methods: { enabled: 'perhaps' } })))[1], 400)
    assert.equal(mode.books.intents.size, 0)
  })

  test('responses that differ from the types of Stripe’s package are detected', async () => {
    assert.equal(schemasVersion, Stripe.PACKAGE_VERSION, 'run harness/stripe/schemas.mjs')
    const { lastResponse, ...intent } = await paid()
    assert.equal(misfitOf(intent), undefined)
    assert.match(misfitOf({ ...intent, status: 'paid' }) ?? '', /status/)
    const { amount_received: _, ...short } = intent
    assert.match(misfitOf(short) ?? '', /amount_received/)
    assert.match(misfitOf({ ...intent, colour: 'red' }) ?? '', /colour|additional/i)
  })

  test('an unsupported request fails the test that makes it', async () => {
    const other = await openStripe()
    const asking = new Stripe(other.account.test.secretKey, { ...other.clientOptions, maxNetworkRetries: 0 })
    assert.equal((await refusalOf(asking.paymentIntents.create({ ...params, confirm: true })))[1], 500)
    assert.equal((await refusalOf(asking.customers.create()))[1], 500)
    assert.equal((await refusalOf(asking.refunds.list({}, { stripeAccount: 'acct_1' })))[1], 500)
    await assert.rejects(other.close(), /does not understand confirm.*has no POST \/v1\/customers.*connected accounts/s)
  })

  test('lists are newest first, in pages, and can be filtered by time', async () => {
    const ids: string[] = []
    for (const day of [1, 2, 3, 4, 5]) {
      now = Date.parse(`2026-06-0${day}T12:00:00Z`)
      ids.unshift((await client.paymentIntents.create({ ...params, amount: 1000 + day })).id)
    }
    const page = await client.paymentIntents.list({ limit: 2 })
    assert.deepEqual([page.data.map(({ id }) => id), page.has_more], [ids.slice(0, 2), true])
    const seen: string[] = []
    for await (const { id } of client.paymentIntents.list({ limit: 2 })) seen.push(id)
    assert.deepEqual(seen, ids)
    const before = await client.paymentIntents.list({ limit: 2, ending_before: ids[4] as string })
    assert.deepEqual(
      before.data.map(({ id }) => id),
      ids.slice(2, 4),
    )
    const since = await client.paymentIntents.list({ created: { gte: Date.parse('2026-06-04T12:00:00Z') / 1000 } })
    assert.deepEqual(
      since.data.map(({ id }) => id),
      ids.slice(0, 2),
    )
    assert.equal((await refusalOf(client.paymentIntents.list({ limit: 101 })))[1], 400)
  })
})

describe('idempotency', () => {
  test('a repeated key gets the first response, even if the intent has changed since', async () => {
    const first = await client.paymentIntents.create(params, { idempotencyKey: 'pay_1' })
    mode.pay(first.id)
    const again = await client.paymentIntents.create(params, { idempotencyKey: 'pay_1' })
    assert.deepEqual([again.id, again.status], [first.id, 'requires_payment_method'])
    assert.equal(again.lastResponse.headers['idempotent-replayed'], 'true')
    assert.equal(lastRequest()?.isReplay, true)
    assert.equal((await client.paymentIntents.retrieve(first.id)).status, 'succeeded')
  })

  test('a key belongs to one request: other parameters and other paths are refused', async () => {
    const { id } = await client.paymentIntents.create(params, { idempotencyKey: 'pay_1' })
    const misuse = ['StripeIdempotencyError', 400, undefined]
    const other = client.paymentIntents.create({ ...params, amount: 5 }, { idempotencyKey: 'pay_1' })
    assert.deepEqual(await refusalOf(other), misuse)
    assert.deepEqual(await refusalOf(client.paymentIntents.cancel(id, {}, { idempotencyKey: 'pay_1' })), misuse)
    assert.equal(mode.books.intents.size, 1)
  })

  test('an error is stored for the key only if execution had begun', async () => {
    const { id } = await paid()
    mode.refundByHand(id)
    const refund = () => client.refunds.create({ payment_intent: id }, { idempotencyKey: 'ref_1' })
    assert.equal((await refusalOf(refund()))[2], 'charge_already_refunded')
    mode.failRefund([...mode.books.refunds.keys()][0] as string)
    assert.equal((await refusalOf(refund()))[2], 'charge_already_refunded')
    assert.equal((await client.refunds.create({ payment_intent: id }, { idempotencyKey: 'ref_2' })).status, 'succeeded')

    const raw = (body: object) => client.rawRequest('POST', '/v1/payment_intents', body, { idempotencyKey: 'pay_2' })
    assert.equal((await refusalOf(raw({ ...params, colour: 'red' })))[2], 'parameter_unknown')
    await raw(params)
  })

  test('of two concurrent requests with one key one is refused, and the client repeats it', async () => {
    const held = standIn.network.hold({ method: 'POST', path: '/v1/payment_intents' })
    const create = (retries: number) =>
      client.paymentIntents.create(params, { idempotencyKey: 'pay_1', maxNetworkRetries: retries })
    const first = create(0)
    await held.arrived
    assert.deepEqual(await refusalOf(create(0)), ['StripeAPIError', 409, 'idempotency_key_in_use'])
    const patient = create(2)
    held.release()
    assert.equal((await patient).id, (await first).id)
    assert.equal(mode.books.intents.size, 1)
  })

  test('twenty concurrent requests with one key create one intent', async () => {
    const calls = Array.from({ length: 20 }, () =>
      client.paymentIntents.create(params, { idempotencyKey: 'pay_1', maxNetworkRetries: 5 }),
    )
    assert.equal(new Set((await Promise.all(calls)).map(({ id }) => id)).size, 1)
    assert.equal(mode.books.intents.size, 1)
  })

  test('after a key was forgotten it creates a second intent', async () => {
    const first = await client.paymentIntents.create(params, { idempotencyKey: 'pay_1' })
    mode.keys.forget()
    assert.notEqual((await client.paymentIntents.create(params, { idempotencyKey: 'pay_1' })).id, first.id)
  })
})

describe('network', () => {
  test('after a lost response the client repeats the request, and there is one intent', async () => {
    standIn.network.lose('after', { method: 'POST' })
    const intent = await client.paymentIntents.create(params, { idempotencyKey: 'pay_1' })
    assert.deepEqual([...mode.books.intents.keys()], [intent.id])
    assert.deepEqual(
      standIn.requests.slice(-2).map(({ isLost, isReplay }) => [isLost, isReplay]),
      [
        [true, false],
        [false, true],
      ],
    )
  })

  test('after two lost responses the client gives an error; a request that was lost before its execution has no effect', async () => {
    for (const [when, count] of [
      ['before', 0],
      ['after', 1],
    ] as const) {
      standIn.network.lose(when, { path: '/v1/payment_intents' }, 2)
      const call = client.paymentIntents.create(params, { idempotencyKey: `pay_${when}` })
      assert.deepEqual(await refusalOf(call), ['StripeConnectionError', undefined, undefined])
      assert.equal(mode.books.intents.size, count)
    }
  })

  test('an intent can be cancelled before its confirmation arrives', async () => {
    const { id, client_secret: secret } = await client.paymentIntents.create(params)
    const held = standIn.network.hold({ path: `/v1/payment_intents/${id}/confirm` })
    // As Stripe's script asks.
    const confirmation = fetch(`${standIn.url}/v1/payment_intents/${id}/confirm`, {
      method: 'POST',
      body: new URLSearchParams({
        key: mode.publishableKey,
        client_secret: secret ?? '',
        'payment_method_data[type]': 'card',
        'payment_method_data[card][number]': '4242424242424242',
      }),
    })
    await held.arrived
    await client.paymentIntents.cancel(id)
    held.release()
    const { error } = (await (await confirmation).json()) as { error: { code: string } }
    assert.equal(error.code, 'payment_intent_unexpected_state')
    assert.equal(mode.books.charges.size, 0)
  })

  test('Stripe can be made to fail, or to limit requests', async () => {
    standIn.network.fail(500, { path: '/v1/refunds' })
    assert.deepEqual(await refusalOf(client.refunds.list()), ['StripeAPIError', 500, undefined])
    standIn.network.fail(429)
    assert.equal((await refusalOf(client.refunds.list()))[0], 'StripeRateLimitError')
    assert.deepEqual((await client.refunds.list()).data, [])
  })
})

describe('refunds', () => {
  test('can be made in parts, up to the amount charged', async () => {
    const { id, latest_charge: charge } = await paid()
    const part = await client.refunds.create({
      payment_intent: id,
      amount: 1000,
      metadata: { cartwright_refund: 'r1' },
    })
    assert.deepEqual([part.status, part.amount, part.metadata], ['succeeded', 1000, { cartwright_refund: 'r1' }])
    const tooMuch = refusalOf(client.refunds.create({ payment_intent: id, amount: 1000 }))
    assert.deepEqual(await tooMuch, ['StripeInvalidRequestError', 400, undefined])
    const rest = await client.refunds.create({ charge: (charge as Stripe.Charge).id })
    assert.equal(rest.amount, 999)
    assert.equal((await refusalOf(client.refunds.create({ payment_intent: id })))[2], 'charge_already_refunded')
    const listed = await client.refunds.list({ payment_intent: id })
    assert.deepEqual(
      listed.data.map((refund) => refund.id),
      [rest.id, part.id],
    )
    assert.deepEqual(mode.books.totals(), { charged: { eur: 1999 }, refunded: { eur: 1999 }, disputed: {} })
    const { latest_charge: after } = await client.paymentIntents.retrieve(id, { expand: ['latest_charge'] })
    assert.deepEqual([(after as Stripe.Charge).amount_refunded, (after as Stripe.Charge).refunded], [1999, true])
  })

  test('need a charge that succeeded', async () => {
    const { id } = await client.paymentIntents.create(params)
    await assert.rejects(client.refunds.create({ payment_intent: id }), /does not have a successful charge to refund/)
    const { id: declined } = await paid('4000000000000002')
    assert.equal((await refusalOf(client.refunds.create({ payment_intent: declined })))[1], 400)
  })

  test('are pending until the bank accepts them', async () => {
    const { id } = await paid('4000000000007726')
    const refund = await client.refunds.create({ payment_intent: id })
    assert.deepEqual([refund.status, refund.pending_reason], ['pending', 'processing'])
    mode.finishRefund(refund.id)
    assert.equal((await client.refunds.retrieve(refund.id)).status, 'succeeded')
    const { id: other } = await paid('4000000000007726')
    const { id: cancelled } = await client.refunds.create({ payment_intent: other })
    mode.cancelRefundByHand(cancelled)
    assert.equal((await client.refunds.retrieve(cancelled)).status, 'canceled')
    assert.deepEqual(mode.books.totals().refunded, { eur: 1999 })
  })

  test('that succeeded can fail later, and the amount can be refunded again', async () => {
    const { id } = await paid('4000000000005126')
    const refund = await client.refunds.create({ payment_intent: id })
    assert.equal(refund.status, 'succeeded')
    mode.failRefund(refund.id)
    const failed = await client.refunds.retrieve(refund.id)
    assert.deepEqual([failed.status, failed.failure_reason], ['failed', 'expired_or_canceled_card'])
    assert.deepEqual(mode.books.totals().refunded, {})
    assert.ok(eventTypes().includes('refund.failed'))
    assert.equal((await client.refunds.create({ payment_intent: id })).amount, 1999)
  })

  test('made in the dashboard lack our metadata', async () => {
    const { id } = await paid()
    const { id: refund } = mode.refundByHand(id, 500)
    const [found] = (await client.refunds.list({ payment_intent: id })).data
    assert.deepEqual([found?.id, found?.amount, found?.metadata], [refund, 500, {}])
    const [event] = (await client.events.list({ types: ['refund.created'] })).data
    assert.deepEqual(event?.request, { id: null, idempotency_key: null })
  })
})

describe('disputes', () => {
  test('withdraw the amount, and no refund is possible', async () => {
    const { id } = await paid()
    const { id: dispute } = mode.openDispute(id)
    const [found] = (await client.disputes.list({ payment_intent: id })).data
    assert.deepEqual([found?.id, found?.amount, found?.status], [dispute, 1999, 'needs_response'])
    assert.equal((await refusalOf(client.refunds.create({ payment_intent: id })))[2], 'charge_disputed')
    assert.deepEqual(mode.books.totals().disputed, { eur: 1999 })
    mode.closeDispute(dispute, 'won')
    assert.deepEqual(mode.books.totals().disputed, {})
    assert.deepEqual(eventTypes().slice(-4), [
      'charge.dispute.created',
      'charge.dispute.funds_withdrawn',
      'charge.dispute.closed',
      'charge.dispute.funds_reinstated',
    ])
  })

  test('that are inquiries withdraw nothing', async () => {
    const { id } = await paid()
    mode.openDispute(id, { isInquiry: true, reason: 'product_not_received' })
    assert.deepEqual(mode.books.totals().disputed, {})
    assert.equal((await client.refunds.create({ payment_intent: id })).status, 'succeeded')
  })
})

describe('events', () => {
  test('are listed by type, newest first, with the objects as they were then', async () => {
    const { id } = await paid()
    const list = await client.events.list({ types: ['payment_intent.created', 'payment_intent.succeeded'] })
    assert.deepEqual(
      list.data.map(({ type, data }) => [type, (data.object as Stripe.PaymentIntent).status]),
      [
        ['payment_intent.succeeded', 'succeeded'],
        ['payment_intent.created', 'requires_payment_method'],
      ],
    )
    assert.deepEqual(idsIn(list), [id, id])
    for (const event of mode.books.events.values()) assert.equal(misfitOf(event), undefined)
  })

  test('are listed for 30 days', async () => {
    await paid()
    now += 30 * 86_400_000
    assert.equal((await client.events.list()).data.length, 3)
    now += 1000
    assert.equal((await client.events.list()).data.length, 0)
  })

  test('are delivered as requested: in any order, repeatedly, late, forged or never', async (context) => {
    // The receiver verifies as the adapter will, and answers 400 to what it does not believe.
    const taken: string[] = []
    let secret = ''
    let status = 200
    const receiver = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        try {
          const header = request.headers['stripe-signature'] ?? ''
          const at = Math.floor(now / 1000)
          const event = Stripe.webhooks.constructEvent(Buffer.concat(chunks), header, secret, 300, undefined, at * 1000)
          if (status === 200) taken.push(event.type)
          response.writeHead(status).end()
        } catch {
          response.writeHead(400).end()
        }
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    context.after(() => receiver.close())
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`

    const enabled: Stripe.WebhookEndpointCreateParams.EnabledEvent[] = ['payment_intent.succeeded', 'charge.succeeded']
    const endpoint = await client.webhookEndpoints.create({ url, enabled_events: enabled })
    secret = endpoint.secret ?? ''
    assert.match(secret, /^whsec_/)
    assert.equal((await client.webhookEndpoints.list()).data[0]?.secret, undefined)
    const statuses = (sent: { status: number }[]) => sent.map((one) => one.status)

    await paid()
    assert.equal(mode.webhooks.pending.length, 2)
    assert.deepEqual(statuses(await mode.webhooks.deliver({ order: 'reversed', times: 2 })), [200, 200, 200, 200])
    assert.deepEqual(taken.splice(0), [
      ...['payment_intent.succeeded', 'payment_intent.succeeded'],
      ...['charge.succeeded', 'charge.succeeded'],
    ])

    // What is refused is tried again.
    await paid()
    status = 503
    assert.deepEqual(statuses(await mode.webhooks.deliver()), [503, 503])
    status = 200
    now += 86_400_000
    assert.deepEqual(statuses(await mode.webhooks.deliver({ types: ['charge.succeeded'] })), [200])
    assert.deepEqual(statuses(await mode.webhooks.deliver({ secret: 'whsec_other' })), [400])
    assert.deepEqual(statuses(await mode.webhooks.deliver({ signedAt: new Date(now - 400_000) })), [400])
    mode.webhooks.drop()
    assert.deepEqual(await mode.webhooks.deliver(), [])
    assert.deepEqual(taken.splice(0), ['charge.succeeded'])

    mode.webhooks.deliverAtOnce()
    const { id } = await paid()
    await mode.webhooks.idle()
    assert.deepEqual(taken.splice(0), ['charge.succeeded', 'payment_intent.succeeded'])
    const last = await client.events.list({ type: 'payment_intent.succeeded', limit: 1 })
    assert.deepEqual(idsIn(last), [id])
    assert.deepEqual(statuses(await mode.webhooks.resend(last.data[0]?.id ?? '')), [200])

    assert.equal((await client.webhookEndpoints.del(endpoint.id)).deleted, true)
    await paid()
    assert.deepEqual(mode.webhooks.pending, [])
  })
})
