// kill -9 at every step of a payment at Stripe or Mollie: in the end there is one charge and one order, or neither, and what went back
// went back once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { dieAtStep } from '../harness/dieAtStep.ts'
import {
  connectFakeProviders,
  type FakeProvider,
  openFakeMollie,
  openFakeStripe,
  urlsOf,
} from '../harness/fakeProviders.ts'
import { anyEngine, type Given } from '../harness/storage.ts'
import { openTestServer, testSecret } from '../harness/testServer.ts'
import { isWide } from '../harness/wide.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { makeReturnPath } from '../src/domain/checkout/pay/redirect.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { payRefunds } from '../src/domain/payments/refunds.ts'
import type { MoneyStep } from '../src/domain/payments/steps.ts'
import { listPaymentsOfSession } from '../src/domain/payments/store.ts'
import { newId } from '../src/platform/kit/ids.ts'

const minute = 60_000

async function openShop(given: Given) {
  let now = () => Date.now()
  const clock = () => new Date(now())
  const fakeProviders = [await openFakeStripe(clock), await openFakeMollie(clock)]
  given.later(async () => {
    for (const fakeProvider of fakeProviders) await fakeProvider.close()
  })
  const providerUrls = urlsOf(fakeProviders)
  const testServer = await openTestServer(given, { shops: [market], providerUrls })
  now = () => testServer.clock.now
  const { storage, seller, origin, installationId } = testServer
  const parts = { storage, providerUrls, clock, rootSecret: testSecret, publicOrigin: () => origin }
  await connectFakeProviders(fakeProviders, parts, seller)
  for (const fakeProvider of fakeProviders) fakeProvider.change()
  const checkout = await checkoutOf(testServer)
  const { payTools } = testServer.app
  const die = (step: MoneyStep, work: 'check' | 'refunds') => dieAtStep(testServer, step, work, { providerUrls })
  const dieAsked = (step: MoneyStep, ask: (at: string) => Promise<unknown>) =>
    dieAtStep(testServer, step, 'serve', { providerUrls, ask })

  async function begin(fakeProvider: FakeProvider, diesAt?: MoneyStep) {
    const { sessionId, secret, view } = await checkout.ready({ CARD: 2 })
    const { version, totals } = view.session
    const [provider = '', method = ''] = fakeProvider.method.split(':')
    const input = { version, expectedTotal: totals.total, provider, method, details: {}, attempt: newId('pay') }
    if (diesAt === undefined) await testServer.app.checkout.pay(secret, input)
    else await dieAtStep(testServer, diesAt, { pay: secret, input }, { providerUrls })
    const payment = async () => {
      const [first] = await storage.read((db) => listPaymentsOfSession(db, installationId, sessionId))
      assert.ok(first)
      return first
    }
    const reference = async () => (await payment()).reference ?? ''
    return {
      sessionId,
      secret,
      payment,
      reference,
      total: totals.total,
      act: async () => fakeProvider.act(await reference(), 'pay'),
    }
  }

  async function loops(ms: number): Promise<void> {
    testServer.clock.now += ms
    for (const fakeProvider of fakeProviders) {
      fakeProvider.settleAll(() => true)
      await fakeProvider.deliver({ isReversed: true, times: 2 })
    }
    await recoverPayments(payTools)
    await payRefunds({ ...payTools, onPaid: recordRefundEnd }, testServer.clock.now)
  }

  return { testServer, checkout, fakeProviders, die, dieAsked, begin, loops }
}

type Shop = Awaited<ReturnType<typeof openShop>>
type Begun = Awaited<ReturnType<Shop['begin']>>

async function order({ testServer, checkout }: Shop, { sessionId, payment }: Begun): Promise<string> {
  await testServer.fetch(makeReturnPath(testSecret, await payment()))
  return (await checkout.read(sessionId)).body.data.orderId as string
}

// Given back to the shopper, a session expires in the end.
type End = 'completed' | 'expired'

// What is done until the process dies. `ends`: the session in the end; `isReturned`: the money came, and went back.
interface Case {
  name: string
  // `npm test` takes the first one.
  steps: readonly MoneyStep[]
  only?: FakeProvider['name']
  ends: End | Readonly<Record<FakeProvider['name'], End>>
  isReturned?: true
  crash(shop: Shop, fakeProvider: FakeProvider, step: MoneyStep): Promise<Begun>
}

const cases: readonly Case[] = [
  {
    name: 'the start, before the provider is called',
    steps: ['recorded'],
    // Looking it up makes the intent at Stripe, and the shopper finds the frame.
    ends: { stripe: 'completed', mollie: 'expired' },
    crash: (shop, fakeProvider, step) => shop.begin(fakeProvider, step),
  },
  {
    name: 'the start, after the provider was called',
    steps: ['called', 'settling', 'settled'],
    ends: 'completed',
    crash: (shop, fakeProvider, step) => shop.begin(fakeProvider, step),
  },
  {
    name: 'the return of the shopper',
    steps: ['settling', 'settled'],
    ends: 'completed',
    async crash(shop, fakeProvider, step) {
      const begun = await shop.begin(fakeProvider)
      await begun.act()
      const path = makeReturnPath(testSecret, await begun.payment())
      await shop.dieAsked(step, (at) => fetch(at + path))
      return begun
    },
  },
  {
    name: 'going back to the checkout',
    steps: ['closed', 'settling', 'settled'],
    ends: 'expired',
    async crash(shop, fakeProvider, step) {
      const begun = await shop.begin(fakeProvider)
      await shop.dieAsked(step, (at) =>
        fetch(`${at}/c/${begun.secret}/back`, { method: 'POST', body: new URLSearchParams() }),
      )
      return begun
    },
  },
  {
    name: 'the receipt of a webhook',
    steps: ['noted', 'heard'],
    ends: 'completed',
    async crash(shop, fakeProvider, step) {
      const begun = await shop.begin(fakeProvider)
      await begun.act()
      await shop.dieAsked(step, async (at) => {
        fakeProvider.route((url) => url.replace(shop.testServer.origin, at))
        await fakeProvider.deliver({ isReversed: false, times: 1 })
        fakeProvider.route((url) => url)
      })
      return begun
    },
  },
  {
    name: 'the look-up after a webhook',
    steps: ['settling', 'settled'],
    ends: 'completed',
    async crash(shop, fakeProvider, step) {
      const begun = await shop.begin(fakeProvider)
      await begun.act()
      await fakeProvider.deliver({ isReversed: false, times: 1 })
      shop.testServer.clock.now += 6_000
      await shop.die(step, 'check')
      return begun
    },
  },
  {
    name: 'closing an expired payment',
    steps: ['closed', 'settling', 'settled'],
    // At Mollie it ends by itself.
    only: 'stripe',
    ends: 'expired',
    async crash(shop, fakeProvider, step) {
      const begun = await shop.begin(fakeProvider)
      shop.testServer.clock.now = (await begun.payment()).placeUntil ?? 0
      await shop.die(step, 'check')
      return begun
    },
  },
  {
    name: 'the refund of a cancelled order',
    steps: ['answered', 'asked', 'paid'],
    ends: 'completed',
    isReturned: true,
    async crash(shop, fakeProvider, step) {
      const begun = await shop.begin(fakeProvider)
      await begun.act()
      const orderId = await order(shop, begun)
      const body = { idempotencyKey: newId('pay') }
      assert.equal((await shop.testServer.ask('cancelStorefrontOrder', { path: { orderId }, body })).status, 200)
      await shop.die(step, 'refunds')
      return begun
    },
  },
  {
    name: 'the void of a payment that was made too late',
    steps: ['answered', 'settling', 'settled', 'asked', 'paid'],
    ends: 'expired',
    isReturned: true,
    async crash(shop, fakeProvider, step) {
      const begun = await shop.begin(fakeProvider)
      const reference = await begun.reference()
      await shop.testServer.app.checkout.goBack(begun.secret)
      assert.ok(fakeProvider.payClosed(reference))
      await fakeProvider.deliver({ isReversed: false, times: 1 })
      shop.testServer.clock.now += 6_000
      if (step === 'settling' || step === 'settled') {
        await shop.die(step, 'check')
        return begun
      }
      await recoverPayments(shop.testServer.app.payTools)
      await shop.die(step, 'refunds')
      return begun
    },
  },
]

const endOf = (ends: Case['ends'], by: FakeProvider['name']): End => (typeof ends === 'string' ? ends : ends[by])

anyEngine('a redirect payment whose server is killed', (given) => {
  let opened: Promise<Shop> | undefined
  for (const [index, { name, steps, only, ends, isReturned = false, crash }] of cases.entries())
    for (const step of isWide ? steps : steps.slice(0, 1))
      for (const by of only
        ? [only]
        : isWide
          ? (['stripe', 'mollie'] as const)
          : ([index % 2 ? 'stripe' : 'mollie'] as const))
        test(`during ${name}, at step ${step}, ends as ${endOf(ends, by)} at ${by}${isReturned ? ', and refunded once' : ''}`, async () => {
          opened ??= openShop(given.shared)
          const shop = await opened
          const fakeProvider = shop.fakeProviders.find((one) => one.name === by) as FakeProvider
          const begun = await crash(shop, fakeProvider, step)
          const expected = endOf(ends, by)
          await shop.loops(2 * minute)
          if (expected === 'completed') await begun.act()
          for (const minutes of [6, 6, 40, 420, 420, 1_500]) await shop.loops(minutes * minute)
          const { body } = await shop.checkout.read(begun.sessionId)
          const { id, checkAt } = await begun.payment()
          const { charges, collected, refunded } = fakeProvider.books().get(id) ?? {
            charges: 0,
            collected: 0,
            refunded: 0,
          }
          const isCharged = expected === 'completed' || isReturned
          assert.deepEqual(
            { status: body.data.status, hasOrder: body.data.orderId !== null, checkAt, charges, collected, refunded },
            {
              status: expected,
              hasOrder: expected === 'completed',
              checkAt: null,
              charges: isCharged ? 1 : 0,
              collected: isCharged ? begun.total : 0,
              refunded: isReturned ? begun.total : 0,
            },
          )
        })
})
