// Providers that are silent, slow, late or lie: every such call is seen, and money that came is either an order or goes back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { cards, checkoutOf } from '../harness/checkout.ts'
import { answerOf } from '../harness/refused.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'
import { until } from '../harness/until.ts'
import { closePayment } from '../src/domain/checkout/pay/close.ts'
import { continueAfterChallenge, paySession as payAt } from '../src/domain/checkout/pay/pay.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { deleteSessions } from '../src/domain/checkout/retention.ts'
import { expireSessions } from '../src/domain/checkout/sweep.ts'
import type { PayTools } from '../src/domain/checkout/tools.ts'
import { listCasesForAttention } from '../src/domain/health/attention.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { createProviders, type PaymentProvider, type ProviderOutcome } from '../src/domain/payments/port.ts'
import { createSandboxProvider, listTestCharges } from '../src/domain/payments/providers/sandbox/provider.ts'
import { payRefunds } from '../src/domain/payments/refunds.ts'
import { RowsFailed } from '../src/platform/jobs/rows.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { StorageUnavailable } from '../src/platform/storage/storage.ts'

const minute = 60_000
const hour = 60 * minute
const challenging = '4000002500003155'

type Calls = Pick<PaymentProvider, 'start' | 'confirm' | 'lookUp' | 'refund' | 'void' | 'close'>

// A shop whose provider keeps the books of the test provider, and answers as the test wants it to: what `says` has for a
// call comes instead of the true answer.
async function openFakeProvider(given: Given) {
  const testServer = await openTestServer(given, { shops: [market] })
  const { storage, installationId, clock } = testServer
  const honest = createSandboxProvider({ storage, clock: () => new Date(clock.now) })
  const says: Partial<Calls> = {}
  const provider: PaymentProvider = {
    ...honest,
    start: (...asked) => (says.start ?? honest.start)(...asked),
    confirm: (...asked) => (says.confirm ?? honest.confirm)(...asked),
    lookUp: (...asked) => (says.lookUp ?? honest.lookUp)(...asked),
    refund: (...asked) => (says.refund ?? honest.refund)(...asked),
    void: (...asked) => (says.void ?? honest.void)(...asked),
    close: (...asked) => (says.close ?? honest.close)(...asked),
  }
  let onSettled: (() => void)[] = []
  const tools: PayTools = {
    ...testServer.app.payTools,
    providers: createProviders([provider]),
    onStep(step) {
      if (step !== 'settled') return
      for (const then of onSettled) then()
      onSettled = []
    },
  }
  // Answers when the next outcome is written down.
  const settled = () => new Promise<void>((resolve) => onSettled.push(resolve))
  const checkout = await checkoutOf(testServer)
  const { sessionId, view } = await checkout.ready({ CARD: 1 }, { expiresInSeconds: 86_400 })
  const session = { installationId, sessionId }

  async function pay(card: string = cards.approved, callMsMax = 10_000) {
    const input = {
      version: view.session.version,
      expectedTotal: view.session.totals.total,
      provider: 'test',
      method: 'card',
      details: { number: card, expiry: '12 / 40', cvc: '123', name: 'Ada Lovelace' },
      attempt: newId('pay'),
    }
    const { problem } = await payAt({ ...tools, callMsMax }, session, input, null)
    assert.equal(problem, null)
  }
  const world = () =>
    storage.read(async (db) => {
      const [payment] = await db.sql<{ id: string; status: string; checkAt: number | null }>`
        select id, status, check_at as "checkAt" from payments`
      assert.ok(payment)
      const refunds = await db.sql<{ kind: string; status: string }>`select kind, status from refunds order by id`
      const orders = await db.sql`select id from orders`
      const [kept] = await db.sql<{ status: string }>`select status from checkout_sessions where id = ${sessionId}`
      return {
        paymentId: payment.id,
        payment: payment.status,
        isChecked: payment.checkAt !== null,
        refunds: refunds.map(({ kind, status }) => `${kind} ${status}`),
        orders: orders.length,
        session: kept?.status,
      }
    })
  const warnings = () =>
    testServer
      .lines()
      .filter(({ level, message }) => level === 'warn' || (level === 'error' && message !== 'defect'))
      .map(({ message, call, provider: name, paymentId, reason }) => ({ message, call, name, paymentId, reason }))
  const metric = async (text: string) => (await testServer.fetch('/metrics')).text.includes(`\n${text}\n`)
  return {
    ...testServer,
    honest,
    says,
    tools,
    session,
    pay,
    settled,
    world,
    warnings,
    metric,
    check: (more: Partial<PayTools> = {}) => recoverPayments({ ...tools, ...more }),
    close: async (outcome: 'succeeded' | 'declined') => {
      const { paymentId } = await world()
      return answerOf(storage.write((tx) => closePayment(tools, tx, { installationId, id: paymentId }, outcome)))
    },
    owed: async () =>
      (await storage.read((db) => listCasesForAttention(db, { now: clock.now, providers: ['test'] }))).map(
        ({ name }) => name,
      ),
    giveBack: () => payRefunds({ ...tools, onPaid: recordRefundEnd }, clock.now),
    charges: async () => (await listTestCharges(storage)).map(({ state }) => state),
  }
}

const counted = (call: string, outcome: string, count: number) =>
  `cartwright_provider_calls_total{provider="test",call="${call}",outcome="${outcome}"} ${count}`
const incident = (kind: string, count: number) =>
  `cartwright_payment_incidents_total{provider="test",kind="${kind}"} ${count}`
const approved = (key: string): ProviderOutcome => ({
  kind: 'approved',
  reference: `test_${key}`,
  collected: 2_490,
  brand: 'visa',
  last4: '4242',
})

eachEngine('a payment provider that responds late, wrongly or not at all', (given) => {
  test('each call that fails or has no usable outcome is logged and counted, without the typed data', async () => {
    const fakeProvider = await openFakeProvider(given)
    const careless = async (): Promise<never> => {
      throw new TypeError(`POST failed: number=${cards.approved} name=Ada Lovelace`)
    }
    fakeProvider.says.start = careless
    fakeProvider.says.lookUp = careless
    await fakeProvider.pay()
    const { paymentId } = await fakeProvider.world()
    fakeProvider.clock.now += 10_000
    await fakeProvider.check()
    fakeProvider.says.lookUp = async () => ({ kind: 'absent' })
    fakeProvider.says.close = async () => 'unknown'
    fakeProvider.clock.now += 5 * minute
    await fakeProvider.check()
    fakeProvider.says.close = careless
    fakeProvider.clock.now += 5 * minute
    await fakeProvider.check()
    const silent = { message: 'payment provider gave no answer', name: 'test', paymentId, reason: 'threw' }
    assert.deepEqual(fakeProvider.warnings(), [
      { ...silent, call: 'start' },
      { ...silent, call: 'lookUp' },
      { ...silent, call: 'close', reason: 'unknown' },
      { ...silent, call: 'close' },
    ])
    for (const line of [
      counted('start', 'threw', 1),
      counted('lookUp', 'threw', 1),
      counted('lookUp', 'absent', 2),
      counted('close', 'unknown', 1),
      counted('close', 'threw', 1),
    ])
      assert.ok(await fakeProvider.metric(line), line)
    assert.doesNotMatch(JSON.stringify(fakeProvider.lines()), /4242424242424242|Lovelace/)
    assert.equal((await fakeProvider.world()).payment, 'processing')
  })

  test('a confirmation that throws, and a provider that is no longer installed, are logged', async () => {
    const fakeProvider = await openFakeProvider(given)
    await fakeProvider.pay(challenging)
    const { paymentId, payment } = await fakeProvider.world()
    assert.equal(payment, 'challenge')
    fakeProvider.says.confirm = async () => {
      throw new Error('the wire broke')
    }
    assert.equal(
      await continueAfterChallenge(fakeProvider.tools, fakeProvider.session, { paymentId, answer: 'accept' }, null),
      null,
    )
    const departed = { ...fakeProvider.tools, providers: createProviders([]) }
    assert.deepEqual(
      await continueAfterChallenge(departed, fakeProvider.session, { paymentId, answer: 'accept' }, null),
      {
        code: 'not_open',
      },
    )
    fakeProvider.clock.now += 10_000
    await fakeProvider.check(departed)
    assert.deepEqual(
      fakeProvider.warnings().map(({ message, call }) => [message, call]),
      [
        ['payment provider gave no answer', 'confirm'],
        ['payment provider is not installed', 'confirm'],
        ['payment provider is not installed', 'lookUp'],
      ],
    )
    assert.ok(await fakeProvider.metric(counted('lookUp', 'no_such_provider', 1)))
  })

  test('an approval after the deadline of the call still places the shopper’s order', async () => {
    const fakeProvider = await openFakeProvider(given)
    const held = Promise.withResolvers<void>()
    fakeProvider.says.start = async (...asked) => {
      await held.promise
      return fakeProvider.honest.start(asked[0], asked[1], new AbortController().signal)
    }
    await fakeProvider.pay(cards.approved, 5)
    assert.equal((await fakeProvider.world()).session, 'processing')
    const recorded = fakeProvider.settled()
    held.resolve()
    await recorded
    const { payment, orders, session, refunds } = await fakeProvider.world()
    assert.deepEqual([payment, orders, session, refunds], ['succeeded', 1, 'completed', []])
    assert.ok(await fakeProvider.metric(incident('late_answer', 1)))
  })

  test('an approval that arrives after the payment was closed queues a void, and the charge is voided', async () => {
    const fakeProvider = await openFakeProvider(given)
    const held = Promise.withResolvers<void>()
    fakeProvider.says.start = async (...asked) => {
      await held.promise
      return fakeProvider.honest.start(asked[0], asked[1], new AbortController().signal)
    }
    // It says that the key is closed, and does not close it.
    fakeProvider.says.close = async () => 'closed'
    await fakeProvider.pay(cards.approved, 5)
    fakeProvider.clock.now += 5 * minute
    await fakeProvider.check()
    const closed = await fakeProvider.world()
    assert.deepEqual([closed.payment, closed.session, closed.isChecked], ['declined', 'open', true])
    const recorded = fakeProvider.settled()
    held.resolve()
    await recorded
    const owed = await fakeProvider.world()
    assert.deepEqual(
      [owed.payment, owed.refunds, owed.orders, owed.session],
      ['succeeded', ['void pending'], 0, 'open'],
    )
    assert.deepEqual(await fakeProvider.charges(), ['approved'])
    assert.ok(
      fakeProvider
        .warnings()
        .some(({ message }) => message === 'payment was approved after it had ended; it is refunded'),
    )
    assert.ok(await fakeProvider.metric(incident('late_success', 1)))
    delete fakeProvider.says.close
    await fakeProvider.giveBack()
    const back = await fakeProvider.world()
    assert.deepEqual(
      [back.payment, back.refunds, await fakeProvider.charges()],
      ['voided', ['void succeeded'], ['voided']],
    )
  })

  test('a confirmation that arrives while its challenge is being abandoned places the shopper’s order', async () => {
    const fakeProvider = await openFakeProvider(given)
    await fakeProvider.pay(challenging)
    const { paymentId } = await fakeProvider.world()
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    fakeProvider.says.confirm = async (...question) => {
      const answer = await fakeProvider.honest.confirm(...question)
      asked.resolve()
      await held.promise
      return answer
    }
    const answering = continueAfterChallenge(
      fakeProvider.tools,
      fakeProvider.session,
      { paymentId, answer: 'accept' },
      null,
    )
    await asked.promise
    // The look-up before was slow, and saw what was before the shopper's answer.
    fakeProvider.says.lookUp = async () => {
      delete fakeProvider.says.lookUp
      return { kind: 'challenge', reference: 'x', challenge: 'test' }
    }
    fakeProvider.clock.now += 40 * minute
    await fakeProvider.check()
    assert.equal((await fakeProvider.world()).payment, 'succeeded')
    held.resolve()
    await answering
    const { payment, orders, refunds } = await fakeProvider.world()
    assert.deepEqual([payment, orders, refunds, await fakeProvider.charges()], ['succeeded', 1, [], ['approved']])
  })

  test('a second approval for a payment that was voided queues one more void, and the charge is voided once', async () => {
    const fakeProvider = await openFakeProvider(given)
    const slow = Promise.withResolvers<ProviderOutcome>()
    fakeProvider.says.start = async (charge, ...rest) => {
      await fakeProvider.honest.start(charge, ...rest)
      return { kind: 'unknown' }
    }
    await fakeProvider.pay()
    const { paymentId } = await fakeProvider.world()
    const asked = Promise.withResolvers<void>()
    fakeProvider.says.lookUp = () => {
      asked.resolve()
      return slow.promise
    }
    fakeProvider.clock.now += minute
    const behind = fakeProvider.check()
    await asked.promise
    // Its lease is over, and another node asks.
    fakeProvider.says.lookUp = async () => ({ kind: 'absent' })
    fakeProvider.says.close = async () => 'closed'
    fakeProvider.clock.now += 5 * minute
    await fakeProvider.check()
    assert.equal((await fakeProvider.world()).payment, 'declined')
    delete fakeProvider.says.lookUp
    delete fakeProvider.says.close
    fakeProvider.clock.now += 10 * minute
    await fakeProvider.check()
    await fakeProvider.giveBack()
    assert.deepEqual((await fakeProvider.world()).payment, 'voided')
    slow.resolve(approved(paymentId))
    await behind
    assert.deepEqual((await fakeProvider.world()).refunds, ['void succeeded', 'void pending'])
    await fakeProvider.giveBack()
    const { payment, refunds, isChecked } = await fakeProvider.world()
    assert.deepEqual([payment, refunds, isChecked], ['voided', ['void succeeded', 'void succeeded'], false])
    assert.deepEqual(await fakeProvider.charges(), ['voided'])
    assert.ok(await fakeProvider.metric(incident('late_success', 2)))
  })

  test('a decline of a call that was aborted counts only after a look-up, which may find a success', async () => {
    const fakeProvider = await openFakeProvider(given)
    fakeProvider.says.start = async (charge, request, signal) => {
      await fakeProvider.honest.start(charge, request, signal)
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return { kind: 'declined', code: 'provider_error', brand: null, last4: null }
    }
    await fakeProvider.pay(cards.approved, 100)
    assert.equal((await fakeProvider.world()).payment, 'processing')
    fakeProvider.clock.now += 5_000
    await fakeProvider.check()
    const { payment, orders } = await fakeProvider.world()
    assert.deepEqual([payment, orders], ['succeeded', 1])
  })

  test('a late decline makes the next look-up happen immediately', async () => {
    const fakeProvider = await openFakeProvider(given)
    const late = Promise.withResolvers<ProviderOutcome>()
    fakeProvider.says.start = () => late.promise
    await fakeProvider.pay(cards.declined, 5)
    fakeProvider.says.lookUp = async () => ({ kind: 'unknown' })
    // By now it would be asked once in a quarter of an hour.
    for (let round = 0; round < 6; round += 1) {
      fakeProvider.clock.now += hour
      await fakeProvider.check()
    }
    fakeProvider.says.lookUp = async () => ({ kind: 'declined', code: 'declined', brand: null, last4: null })
    // Whatever the reason, it is asked about once in five seconds at most.
    fakeProvider.clock.now += 5_000
    assert.equal(await fakeProvider.check(), 0)
    late.resolve({ kind: 'declined', code: 'declined', brand: null, last4: null })
    await until(async () => (await fakeProvider.check()) > 0, 'the answer')
    const { payment, session } = await fakeProvider.world()
    assert.deepEqual([payment, session], ['declined', 'open'])
  })

  test('a look-up response that arrives after its time limit is recorded', async () => {
    const fakeProvider = await openFakeProvider(given)
    const late = Promise.withResolvers<ProviderOutcome>()
    fakeProvider.says.start = async (charge, ...rest) => {
      await fakeProvider.honest.start(charge, ...rest)
      return { kind: 'unknown' }
    }
    await fakeProvider.pay(challenging)
    const { paymentId } = await fakeProvider.world()
    fakeProvider.says.lookUp = () => late.promise
    fakeProvider.clock.now += minute
    await fakeProvider.check({ callMsMax: 5 })
    assert.equal((await fakeProvider.world()).payment, 'processing')
    const recorded = fakeProvider.settled()
    late.resolve({ kind: 'challenge', reference: `test_${paymentId}`, challenge: 'test' })
    await recorded
    assert.equal((await fakeProvider.world()).payment, 'challenge')
  })

  test('a closed payment that the provider does not know is looked up for another day', async () => {
    const fakeProvider = await openFakeProvider(given)
    fakeProvider.says.start = async () => ({ kind: 'unknown' })
    fakeProvider.says.lookUp = async () => ({ kind: 'absent' })
    fakeProvider.says.close = async () => 'closed'
    await fakeProvider.pay()
    fakeProvider.clock.now += 5 * minute
    await fakeProvider.check()
    for (let hours = 0; hours < 22; hours += 1) {
      fakeProvider.clock.now += hour
      await fakeProvider.check()
      const { payment, isChecked } = await fakeProvider.world()
      assert.deepEqual([payment, isChecked], ['declined', true])
    }
    fakeProvider.clock.now += 8 * hour
    await fakeProvider.check()
    assert.equal((await fakeProvider.world()).isChecked, false)
    assert.deepEqual((await fakeProvider.world()).refunds, [])
  })

  for (const isDeleted of [false, true])
    test(`a late charge is voided if its session ${isDeleted ? 'was deleted by an earlier release' : 'expires while its payment is looked up'}`, async () => {
      const fakeProvider = await openFakeProvider(given)
      fakeProvider.says.start = async (charge, ...rest) => {
        await fakeProvider.honest.start(charge, ...rest)
        return { kind: 'unknown' }
      }
      fakeProvider.says.lookUp = async () => ({ kind: 'absent' })
      fakeProvider.says.close = async () => 'closed'
      await fakeProvider.pay()
      fakeProvider.clock.now += 5 * minute
      await fakeProvider.check()
      assert.equal((await fakeProvider.world()).payment, 'declined')
      const { storage, clock } = fakeProvider
      const sweep = () => deleteSessions(storage, 'without order', { endedBy: clock.now, now: clock.now })
      await storage.write((tx) => tx.sql`update checkout_sessions set expires_at = ${clock.now}`)
      assert.equal(await expireSessions(storage, fakeProvider.tools, clock.now), 1)
      assert.equal(await sweep(), 0)
      if (isDeleted) await storage.write((tx) => tx.sql`delete from checkout_sessions`)
      const { session, payment } = await fakeProvider.world()
      assert.deepEqual([session, payment], [isDeleted ? undefined : 'expired', 'declined'])
      delete fakeProvider.says.lookUp
      delete fakeProvider.says.close
      clock.now += hour
      await fakeProvider.check()
      assert.deepEqual((await fakeProvider.world()).refunds, ['void pending'])
      await fakeProvider.giveBack()
      assert.deepEqual([(await fakeProvider.world()).payment, await fakeProvider.charges()], ['voided', ['voided']])
      assert.equal(await sweep(), isDeleted ? 0 : 1, 'when nothing is looked up any more')
      assert.equal((await fakeProvider.world()).session, undefined)
    })

  test('an approval is voided if the address was erased or its encryption secret was removed', async () => {
    const other = parseRootSecret('2:the-secret-that-took-the-place-of-the-lost-one') as RootSecret
    for (const [what, more, laterMs] of [
      ['the secret is gone', { rootSecret: other }, minute],
      ['the address is over', {}, 31 * 24 * hour],
    ] as const) {
      const fakeProvider = await openFakeProvider(given)
      fakeProvider.says.start = async (charge, ...rest) => {
        await fakeProvider.honest.start(charge, ...rest)
        return { kind: 'unknown' }
      }
      await fakeProvider.pay()
      fakeProvider.clock.now += laterMs
      await fakeProvider.check(more)
      const owed = await fakeProvider.world()
      assert.deepEqual([owed.orders, owed.session, owed.refunds], [0, 'open', ['void pending']], what)
      await fakeProvider.giveBack()
      assert.deepEqual(
        [(await fakeProvider.world()).payment, await fakeProvider.charges()],
        ['voided', ['voided']],
        what,
      )
    }
  })

  test('nothing is charged for an address that cannot be decrypted', async () => {
    const fakeProvider = await openFakeProvider(given)
    await fakeProvider.storage.write((tx) => tx.sql`update addresses set row_key = 'AQIAAA'`)
    await assert.rejects(fakeProvider.pay(), /\/address/)
    assert.deepEqual(await fakeProvider.charges(), [])
  })

  test('a decline after an approval is reported, and the order stays', async () => {
    const fakeProvider = await openFakeProvider(given)
    const slow = Promise.withResolvers<ProviderOutcome>()
    fakeProvider.says.start = async (charge, ...rest) => {
      await fakeProvider.honest.start(charge, ...rest)
      return { kind: 'unknown' }
    }
    await fakeProvider.pay()
    const asked = Promise.withResolvers<void>()
    fakeProvider.says.lookUp = () => {
      asked.resolve()
      return slow.promise
    }
    fakeProvider.clock.now += minute
    const behind = fakeProvider.check()
    await asked.promise
    delete fakeProvider.says.lookUp
    fakeProvider.clock.now += 5 * minute
    await fakeProvider.check()
    slow.resolve({ kind: 'declined', code: 'declined', brand: null, last4: null })
    await behind
    const { payment, orders, refunds } = await fakeProvider.world()
    assert.deepEqual([payment, orders, refunds], ['succeeded', 1, []])
    assert.ok(await fakeProvider.metric(incident('contradiction', 1)))
  })

  test('an outcome that cannot be stored is reported with its payment, and stored later', async () => {
    const fakeProvider = await openFakeProvider(given)
    const { storage } = fakeProvider.tools
    let writes = 0
    const failing: PayTools['storage'] = {
      ...storage,
      write(work) {
        writes += 1
        if (writes === 2) throw new StorageUnavailable('the disk is full')
        return storage.write(work)
      },
    }
    fakeProvider.says.start = async (charge, ...rest) => {
      await fakeProvider.honest.start(charge, ...rest)
      return { kind: 'unknown' }
    }
    await fakeProvider.pay()
    fakeProvider.clock.now += minute
    await assert.rejects(fakeProvider.check({ storage: failing }), RowsFailed)
    const { paymentId, payment } = await fakeProvider.world()
    assert.equal(payment, 'processing')
    assert.deepEqual(fakeProvider.warnings().at(-1), {
      message: 'payment outcome could not be recorded; retrying',
      name: 'test',
      paymentId,
      call: undefined,
      reason: undefined,
    })
    assert.ok(await fakeProvider.metric(incident('unrecorded', 1)))
    fakeProvider.clock.now += 2 * minute
    await fakeProvider.check()
    assert.equal((await fakeProvider.world()).orders, 1)
  })
})

eachEngine('a payment whose outcome never becomes known', (given) => {
  // The charge is made, and the provider says nothing of it, whatever it is asked.
  async function openSilent() {
    const fakeProvider = await openFakeProvider(given)
    fakeProvider.says.start = async (charge, ...rest) => {
      await fakeProvider.honest.start(charge, ...rest)
      return { kind: 'unknown' }
    }
    fakeProvider.says.lookUp = async () => ({ kind: 'unknown' })
    await fakeProvider.pay()
    fakeProvider.clock.now += 25 * hour
    await fakeProvider.check()
    assert.deepEqual(await fakeProvider.owed(), ['outcome_unknown'])
    return fakeProvider
  }
  const closedByHand = (fakeProvider: Awaited<ReturnType<typeof openFakeProvider>>) =>
    fakeProvider.storage.read(
      (db) => db.sql<{ at: number | null }>`select closed_by_hand_at as "at" from payments where order_id is null`,
    )

  test('can be closed as declined, so the shopper continues, and a charge that is found later is voided', async () => {
    const fakeProvider = await openFakeProvider(given)
    const held = Promise.withResolvers<void>()
    fakeProvider.says.start = async (...asked) => {
      await held.promise
      return fakeProvider.honest.start(asked[0], asked[1], new AbortController().signal)
    }
    fakeProvider.says.lookUp = async () => ({ kind: 'unknown' })
    await fakeProvider.pay(cards.approved, 5)
    fakeProvider.clock.now += 25 * hour
    const done = await Promise.all([fakeProvider.close('declined'), fakeProvider.close('declined')])
    assert.equal(done.filter((one) => 'done' in one).length, 1, 'once')
    const closed = await fakeProvider.world()
    assert.deepEqual(
      [closed.payment, closed.isChecked, closed.session, closed.orders, closed.refunds],
      ['declined', false, 'open', 0, []],
    )
    assert.deepEqual(await closedByHand(fakeProvider), [{ at: fakeProvider.clock.now }])
    assert.deepEqual(await fakeProvider.owed(), [])
    await fakeProvider.check()
    assert.equal((await fakeProvider.world()).isChecked, false)

    const recorded = fakeProvider.settled()
    held.resolve()
    await recorded
    assert.deepEqual((await fakeProvider.world()).refunds, ['void pending'])
    await fakeProvider.giveBack()
    const back = await fakeProvider.world()
    assert.deepEqual([back.payment, back.orders, await fakeProvider.charges()], ['voided', 0, ['voided']])
    assert.ok(await fakeProvider.metric(incident('late_success', 1)))
  })

  test('can be closed as succeeded, which places the order once, and a decline by the provider is then reported', async () => {
    const fakeProvider = await openSilent()
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    fakeProvider.says.lookUp = async () => {
      asked.resolve()
      await held.promise
      return { kind: 'declined', code: 'declined', brand: null, last4: null }
    }
    fakeProvider.clock.now += 6 * hour
    const checking = fakeProvider.check()
    await asked.promise
    const done = await Promise.all([fakeProvider.close('succeeded'), fakeProvider.close('succeeded')])
    assert.equal(done.filter((one) => 'done' in one).length, 1, 'once')
    const closed = await fakeProvider.world()
    assert.deepEqual(
      [closed.payment, closed.isChecked, closed.session, closed.orders, closed.refunds],
      ['succeeded', false, 'completed', 1, []],
    )
    assert.deepEqual(await fakeProvider.owed(), [])
    held.resolve()
    await checking
    assert.equal((await fakeProvider.world()).payment, 'succeeded')
    assert.ok(await fakeProvider.metric(incident('contradiction', 1)))
    assert.deepEqual(await fakeProvider.close('declined'), {
      code: 'payment_not_closable',
      message: `Payment ${closed.paymentId} cannot be closed: its status is already succeeded.`,
    })
    assert.deepEqual(await fakeProvider.storage.read(findViolations), [])
  })

  test('cannot be closed in its first hour, while its provider is queried for the outcome', async () => {
    const fakeProvider = await openFakeProvider(given)
    fakeProvider.says.start = async (charge, ...rest) => {
      await fakeProvider.honest.start(charge, ...rest)
      return { kind: 'unknown' }
    }
    await fakeProvider.pay()
    fakeProvider.clock.now += hour - 1
    const { payment, isChecked, paymentId } = await fakeProvider.world()
    const message = `Payment ${paymentId} cannot be closed: it began less than an hour ago, and its outcome is still looked up at the provider.`
    for (const outcome of ['declined', 'succeeded'] as const)
      assert.deepEqual(await fakeProvider.close(outcome), { code: 'payment_not_closable', message })
    assert.deepEqual([payment, isChecked], ['processing', true])
    fakeProvider.clock.now += 1
    assert.ok('done' in (await fakeProvider.close('succeeded')))
  })

  test('is voided if it is closed as succeeded when an order is no longer possible', async () => {
    const fakeProvider = await openSilent()
    fakeProvider.clock.now += 31 * 24 * hour
    assert.ok('done' in (await fakeProvider.close('succeeded')))
    const owed = await fakeProvider.world()
    assert.deepEqual([owed.payment, owed.orders, owed.session], ['succeeded', 0, 'open'])
    assert.deepEqual(owed.refunds, ['void pending'])
    await fakeProvider.giveBack()
    assert.deepEqual([(await fakeProvider.world()).payment, await fakeProvider.charges()], ['voided', ['voided']])
  })

  for (const outcome of ['declined', 'succeeded'] as const)
    test(`is no longer looked up after it was abandoned and then closed as ${outcome}`, async () => {
      const fakeProvider = await openSilent()
      fakeProvider.says.lookUp = async () => ({ kind: 'absent' })
      fakeProvider.says.close = async () => 'closed'
      fakeProvider.clock.now -= 24 * hour
      await fakeProvider.storage.write((tx) => tx.sql`update payments set check_at = ${fakeProvider.clock.now}`)
      await fakeProvider.check()
      fakeProvider.says.lookUp = async () => ({ kind: 'unknown' })
      fakeProvider.clock.now += 49 * hour
      await fakeProvider.check()
      assert.deepEqual(
        [(await fakeProvider.world()).payment, await fakeProvider.owed()],
        ['declined', ['outcome_unknown']],
      )
      assert.ok('done' in (await fakeProvider.close(outcome)))
      const { payment, isChecked, refunds, orders } = await fakeProvider.world()
      assert.deepEqual([isChecked, orders, await fakeProvider.owed()], [false, 0, []])
      if (outcome === 'declined') {
        assert.deepEqual([payment, refunds], ['declined', []])
        // As the provider sees it after all; the charge of this test is still there.
        await fakeProvider.storage.write((tx) => tx.sql`update test_charges set state = 'declined'`)
        return
      }
      assert.deepEqual([payment, refunds], ['succeeded', ['void pending']])
      delete fakeProvider.says.close
      await fakeProvider.giveBack()
      assert.deepEqual([(await fakeProvider.world()).payment, await fakeProvider.charges()], ['voided', ['voided']])
    })
})
