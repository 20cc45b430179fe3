import assert from 'node:assert/strict'
import { test } from 'node:test'
import { returnUrls } from '../../../harness/returnUrls.ts'
import { eachEngine } from '../../../harness/storage.ts'
import { newId } from '../../platform/kit/ids.ts'
import { createLog } from '../../platform/log/log.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { createProviders, providerMsMax } from './port.ts'
import { manualProvider } from './providers/manual/provider.ts'
import { createSandboxProvider, listTestCharges, type SandboxHook } from './providers/sandbox/provider.ts'
import { type OnPaid, type PaidRefund, payRefunds, refusedTriesMax } from './refunds.ts'
import { leaseMs, paymentWaitsMs } from './schedule.ts'
import { buildCharge, findPayment, insertPayment, insertRefund, lockRefund, type RefundRow } from './store.ts'
import { createPaymentWatch } from './watch.ts'

const start = Date.parse('2026-06-15T12:00:00.000Z')
const { signal } = new AbortController()
const [merchantId, installationId] = [newId('mer'), newId('ins')]

eachEngine('making refunds', (given) => {
  // A fake provider with one charge, and a list of the outcomes that were reported.
  async function openFakeProvider({ card = '4242424242424242', hook }: { card?: string; hook?: SandboxHook } = {}) {
    const url = await given.migratedUrl()
    const storage = await given.open({ url })
    const clock = { now: start }
    const provider = createSandboxProvider({ storage, clock: () => new Date(clock.now), ...(hook && { hook }) })
    const providers = createProviders([provider, manualProvider])
    let logged = ''
    const write = (text: string) => {
      logged += text
    }
    const log = createLog({ level: 'info', pretty: false, write })
    const watch = createPaymentWatch(log)
    const lines = () => {
      log.flush()
      const parsed = logged
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
      return parsed.map(({ time: _, ...line }) => line)
    }
    await storage.write(async (tx) => {
      await tx.sql`
        insert into merchants (id, slug, name, currency, country, price_tax, low_stock_at, links, catalog_version,
          created_at, updated_at)
        values (${merchantId}, 'bloom', 'Bloom', 'EUR', 'DE', 'included', 0, '[]', 1, ${start}, ${start})`
      await tx.sql`
        insert into installations (id, merchant_id, name, mode, redirect_hosts, created_at)
        values (${installationId}, ${merchantId}, 'one', 'test', '[]', ${start})`
    })
    const told: [id: string, outcome: string, tries: number][] = []
    // Written in the transaction itself, so a test sees what was committed, not what was tried.
    const onPaid: OnPaid = async (tx, refund, outcome) => {
      await tx.sql`update payments set reference = coalesce(reference, '') || '!' where id = ${refund.paymentId}`
      tx.afterCommit(() => told.push([refund.id, outcome, refund.tries]))
    }
    async function pay(name = 'test') {
      const payment = await storage.write(async (tx) =>
        insertPayment(
          tx,
          {
            installationId,
            id: newId('pay'),
            merchantId,
            mode: 'test',
            checkoutSessionId: newId('cks'),
            provider: name,
            method: 'card',
            amount: 1_000,
            currency: 'EUR',
            checkAt: start,
          },
          start,
        ),
      )
      const details = { number: card, expiry: '01/30', cvc: '123', name: 'Ada Lovelace' }
      if (name === 'test') await provider.start(buildCharge(payment), { method: 'card', details, returnUrls }, signal)
      return payment
    }
    const queue = (paymentId: string, amount: number, kind: RefundRow['kind'] = 'refund') =>
      storage.write((tx) =>
        insertRefund(
          tx,
          {
            installationId,
            id: newId('rfd'),
            merchantId,
            orderId: newId('ord'),
            paymentId,
            kind,
            amount,
            currency: 'EUR',
            reason: null,
          },
          clock.now,
        ),
      )
    const round = (on: Storage = storage, then = onPaid, callMsMax = providerMsMax) =>
      payRefunds({ storage: on, providers, watch, onPaid: then, callMsMax }, clock.now)
    const find = async (refund: RefundRow) => storage.write((tx) => lockRefund(tx, installationId, refund.id))
    const refunded = async () => (await listTestCharges(storage)).reduce((sum, charge) => sum + charge.refunded, 0)
    return { url, storage, clock, provider, told, pay, queue, round, find, refunded, onPaid, watch, lines }
  }
  const outcomesOf = (paid: readonly PaidRefund[]) => paid.map(({ outcome }) => outcome)

  test('due refunds are made once, and recorded at their orders in the same transaction', async () => {
    const fakeProvider = await openFakeProvider()
    const payment = await fakeProvider.pay()
    const [one, two] = [await fakeProvider.queue(payment.id, 300), await fakeProvider.queue(payment.id, 700)]
    const paid = await fakeProvider.round()
    assert.deepEqual(outcomesOf(paid), ['succeeded', 'succeeded'])
    assert.deepEqual(new Set(fakeProvider.told.map(([id]) => id)), new Set([one.id, two.id]))
    assert.deepEqual(await fakeProvider.find(one), {
      ...one,
      status: 'succeeded',
      tries: 1,
      tryAt: null,
      updatedAt: start,
    })
    assert.equal(await fakeProvider.refunded(), 1_000)
    assert.equal(
      (await fakeProvider.storage.read((db) => findPayment(db, installationId, payment.id)))?.reference,
      '!!',
    )
    fakeProvider.clock.now += 24 * 3_600_000
    assert.deepEqual(await fakeProvider.round(), [])
  })

  test('a void is made as a void of the whole charge, not as a refund', async () => {
    const fakeProvider = await openFakeProvider()
    const payment = await fakeProvider.pay()
    await fakeProvider.queue(payment.id, 1_000, 'void')
    assert.deepEqual(outcomesOf(await fakeProvider.round()), ['succeeded'])
    assert.equal((await listTestCharges(fakeProvider.storage))[0]?.state, 'voided')
    assert.equal(fakeProvider.told.length, 1)
    assert.equal(fakeProvider.provider.calls.refund, 0)
  })

  test('a refund of a manual payment is left to the operator, and succeeds immediately', async () => {
    const fakeProvider = await openFakeProvider()
    const payment = await fakeProvider.pay('manual')
    await fakeProvider.queue(payment.id, 1_000)
    assert.deepEqual(outcomesOf(await fakeProvider.round()), ['succeeded'])
    assert.equal(fakeProvider.told.length, 1)
  })

  test('after a lost response the refund is tried again on a schedule, and is made once', async () => {
    const fakeProvider = await openFakeProvider({ card: '4000000000007726' })
    const payment = await fakeProvider.pay()
    const refund = await fakeProvider.queue(payment.id, 400)
    assert.deepEqual(outcomesOf(await fakeProvider.round()), ['later'])
    assert.deepEqual(fakeProvider.told, [])
    assert.equal((await fakeProvider.find(refund))?.tryAt, start + paymentWaitsMs[0])
    fakeProvider.clock.now += paymentWaitsMs[0] - 1
    assert.deepEqual(await fakeProvider.round(), [])
    fakeProvider.clock.now += 1
    assert.deepEqual(outcomesOf(await fakeProvider.round()), ['succeeded'])
    assert.deepEqual(fakeProvider.told, [[refund.id, 'succeeded', 2]])
    assert.equal(await fakeProvider.refunded(), 400)
  })

  test('a missing response never counts as a refusal, however often it is missing', async () => {
    const fakeProvider = await openFakeProvider({
      hook: (point) => {
        if (point === 'before_refund') throw new TypeError('the wire broke')
      },
    })
    const payment = await fakeProvider.pay()
    const refund = await fakeProvider.queue(payment.id, 400)
    for (let tries = 1; tries <= 12; tries++) {
      const [paid] = await fakeProvider.round()
      assert.deepEqual([paid?.outcome, paid?.answer], ['later', 'unknown'])
      const line = fakeProvider.lines().at(-1)
      assert.deepEqual(
        [line?.level, line?.reason, line?.thrown, line?.refundId],
        ['warn', 'threw', 'TypeError', refund.id],
      )
      const wait = paymentWaitsMs[Math.min(tries, paymentWaitsMs.length) - 1] as number
      assert.equal((await fakeProvider.find(refund))?.tryAt, fakeProvider.clock.now + wait)
      fakeProvider.clock.now += wait
    }
    assert.deepEqual(fakeProvider.told, [])
    assert.deepEqual(fakeProvider.watch.stats().calls, [
      { labels: { provider: 'test', call: 'refund', outcome: 'threw' }, value: 12 },
    ])
  })

  test('a refused refund is repeated a limited number of times, and has then failed', async () => {
    const fakeProvider = await openFakeProvider({ card: '4000000000005126' })
    const payment = await fakeProvider.pay()
    const refund = await fakeProvider.queue(payment.id, 400)
    const outcomes: string[] = []
    for (let tries = 0; tries < refusedTriesMax; tries++) {
      outcomes.push(...outcomesOf(await fakeProvider.round()))
      fakeProvider.clock.now += 6 * 3_600_000
    }
    assert.deepEqual(outcomes, [...Array.from({ length: refusedTriesMax - 1 }, () => 'later'), 'failed'])
    assert.deepEqual(fakeProvider.told, [[refund.id, 'failed', refusedTriesMax]])
    const kept = await fakeProvider.find(refund)
    assert.deepEqual([kept?.status, kept?.tryAt], ['failed', null])
    assert.deepEqual(await fakeProvider.round(), [])
    const facts = { provider: 'test', call: 'refund', paymentId: payment.id, refundId: refund.id }
    const refused = { level: 'warn', message: 'payment provider refused the request', ...facts }
    const [declaredLost, ...before] = fakeProvider.lines().reverse()
    assert.deepEqual(
      before,
      Array.from({ length: refusedTriesMax }, () => refused),
    )
    assert.deepEqual(declaredLost, {
      level: 'error',
      message: 'refund failed; refund it again or by hand',
      ...facts,
    })
    assert.deepEqual(fakeProvider.watch.stats(), {
      calls: [{ labels: { provider: 'test', call: 'refund', outcome: 'failed' }, value: refusedTriesMax }],
      incidents: [{ labels: { provider: 'test', kind: 'refund_failed' }, value: 1 }],
      webhooks: [],
    })
    await fakeProvider.queue(payment.id, 1_000)
  })

  test('a try without a response does not count as a refused try', async () => {
    const fakeProvider = await openFakeProvider({ card: '4000000000005126' })
    const refund = await fakeProvider.queue((await fakeProvider.pay()).id, 400)
    await fakeProvider.storage.write((tx) => tx.sql`update refunds set tries = 20 where id = ${refund.id}`)
    assert.deepEqual(outcomesOf(await fakeProvider.round()), ['later'])
    const kept = await fakeProvider.find(refund)
    assert.deepEqual([kept?.status, kept?.tries, kept?.refusedTries], ['pending', 21, 1])
  })

  test('a void that is finally refused is reported', async () => {
    const fakeProvider = await openFakeProvider()
    const payment = await fakeProvider.pay()
    const part = await fakeProvider.queue(payment.id, 400)
    await fakeProvider.round()
    // A charge that was partly refunded cannot be voided.
    await fakeProvider.storage.write((tx) => tx.sql`update refunds set status = 'failed' where id = ${part.id}`)
    const refund = await fakeProvider.queue(payment.id, 1_000, 'void')
    for (let tries = 0; tries < refusedTriesMax; tries++) {
      await fakeProvider.round()
      fakeProvider.clock.now += 6 * 3_600_000
    }
    assert.equal((await fakeProvider.find(refund))?.status, 'failed')
    assert.deepEqual(fakeProvider.lines().at(-1), {
      level: 'error',
      message: 'payment could not be voided; refund it again or by hand',
      provider: 'test',
      call: 'void',
      paymentId: payment.id,
      refundId: refund.id,
    })
    assert.ok(
      fakeProvider.watch.stats().incidents.some(({ labels, value }) => labels.kind === 'void_failed' && value === 1),
    )
  })

  test('a late response is logged and still recorded at the refund', async () => {
    const held: (() => void)[] = []
    const fakeProvider = await openFakeProvider({
      hook: (point) => (point === 'after_refund' ? new Promise<void>((resolve) => held.push(resolve)) : undefined),
    })
    const payment = await fakeProvider.pay()
    const refund = await fakeProvider.queue(payment.id, 400)
    const recorded = Promise.withResolvers<void>()
    const onPaid: OnPaid = async (tx, ...rest) => {
      await fakeProvider.onPaid(tx, ...rest)
      tx.afterCommit(recorded.resolve)
    }
    assert.deepEqual(outcomesOf(await fakeProvider.round(fakeProvider.storage, onPaid, 50)), ['later'])
    assert.equal(fakeProvider.lines().at(-1)?.reason, 'timed_out')
    for (const release of held) release()
    await recorded.promise
    assert.equal((await fakeProvider.find(refund))?.status, 'succeeded')
    const late = fakeProvider.lines().find(({ message }) => message === 'payment provider answered after the deadline')
    assert.deepEqual([late?.level, late?.refundId, late?.outcome], ['warn', refund.id, 'succeeded'])
    assert.ok(
      fakeProvider.watch.stats().incidents.some(({ labels, value }) => labels.kind === 'late_answer' && value === 1),
    )
    assert.equal(await fakeProvider.refunded(), 400)
  })

  test('a refund that is made after it was abandoned is reported', async () => {
    let meanwhile = async () => {}
    const fakeProvider = await openFakeProvider({
      hook: (point) => (point === 'after_refund' ? meanwhile() : undefined),
    })
    const payment = await fakeProvider.pay()
    const refund = await fakeProvider.queue(payment.id, 400)
    meanwhile = async () => {
      await fakeProvider.storage.write((tx) => tx.sql`update refunds set status = 'failed', try_at = null`)
    }
    assert.deepEqual(outcomesOf(await fakeProvider.round()), ['already_recorded'])
    assert.equal((await fakeProvider.find(refund))?.status, 'failed')
    const [line] = fakeProvider.lines()
    assert.deepEqual([line?.level, line?.refundId], ['error', refund.id])
    assert.deepEqual(fakeProvider.watch.stats().incidents, [
      { labels: { provider: 'test', kind: 'contradiction' }, value: 1 },
    ])
  })

  test('refunds of a provider that is not installed stay pending', async () => {
    const fakeProvider = await openFakeProvider()
    const payment = await fakeProvider.pay('departed')
    const refund = await fakeProvider.queue(payment.id, 400)
    const [paid] = await fakeProvider.round()
    assert.deepEqual([paid?.outcome, paid?.answer], ['later', 'unknown'])
    assert.deepEqual(fakeProvider.lines(), [
      {
        level: 'warn',
        message: 'payment provider is not installed',
        provider: 'departed',
        call: 'refund',
        paymentId: payment.id,
        refundId: refund.id,
      },
    ])
    assert.deepEqual(fakeProvider.watch.stats().calls, [
      { labels: { provider: 'departed', call: 'refund', outcome: 'no_such_provider' }, value: 1 },
    ])
  })

  test('a refund that cannot be recorded is reported with its error, does not block others, and is recorded after the lease', async () => {
    const fakeProvider = await openFakeProvider()
    const payment = await fakeProvider.pay()
    const [stuck, well] = [await fakeProvider.queue(payment.id, 300), await fakeProvider.queue(payment.id, 200)]
    const broken = new Error('the orders room is on fire')
    const paid = await fakeProvider.round(fakeProvider.storage, async (tx, refund, outcome, now) => {
      if (refund.id === stuck.id) throw broken
      await fakeProvider.onPaid(tx, refund, outcome, now)
    })
    const outcomes = new Map(paid.map(({ refund, outcome, error }) => [refund.id, [outcome, error]]))
    assert.deepEqual(outcomes.get(stuck.id), ['unrecorded', broken])
    assert.deepEqual(outcomes.get(well.id), ['succeeded', null])
    const [line] = fakeProvider.lines()
    assert.deepEqual(
      [line?.level, line?.message, line?.refundId],
      ['error', 'refund could not be recorded; retrying', stuck.id],
    )
    assert.match(JSON.stringify(line), /the orders room is on fire/)
    assert.deepEqual(fakeProvider.watch.stats().incidents, [
      { labels: { provider: 'test', kind: 'unrecorded' }, value: 1 },
    ])
    assert.equal((await fakeProvider.find(stuck))?.status, 'pending')
    fakeProvider.clock.now += leaseMs
    assert.deepEqual(outcomesOf(await fakeProvider.round()), ['succeeded'])
    assert.equal(await fakeProvider.refunded(), 500)
    assert.deepEqual(
      fakeProvider.told.map(([id]) => id),
      [well.id, stuck.id],
    )
  })

  test('two concurrent nodes whose leases expire make and record each refund once', async () => {
    const fakeProvider = await openFakeProvider()
    const other = await given.open({ url: fakeProvider.url })
    const payment = await fakeProvider.pay()
    for (let i = 0; i < 10; i++) await fakeProvider.queue(payment.id, 100)
    const rounds = await Promise.all(
      Array.from({ length: 6 }, (_, i) => {
        // Each round runs as if the leases of the round before had expired, although its calls are still under way.
        fakeProvider.clock.now = start + i * (leaseMs + 1)
        return fakeProvider.round(i % 2 === 0 ? fakeProvider.storage : other)
      }),
    )
    const outcomes = outcomesOf(rounds.flat())
    assert.equal(outcomes.filter((outcome) => outcome === 'succeeded').length, 10)
    assert.ok(outcomes.every((outcome) => outcome === 'succeeded' || outcome === 'already_recorded'))
    assert.equal(fakeProvider.told.length, 10)
    assert.equal(new Set(fakeProvider.told.map(([id]) => id)).size, 10)
    assert.equal(await fakeProvider.refunded(), 1_000)
  })
})
