import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eachEngine } from '../../tests/support/storage.ts'
import { newId } from '../kit/ids.ts'
import type { Storage } from '../storage/storage.ts'
import { manualProvider } from './manual.ts'
import { createProviders } from './port.ts'
import { leaseMs, waitsMs } from './schedule.ts'
import { type OnPaid, type PaidRefund, payRefunds, refusedTriesMax } from './settle.ts'
import { chargeOf, findPayment, insertPayment, insertRefund, type KeptRefund, lockRefund } from './store.ts'
import { chargesOf, createTestProvider, type TestHook } from './test.ts'

const start = Date.parse('2026-06-15T12:00:00.000Z')
const { signal } = new AbortController()
const [merchantId, installationId] = [newId('mer'), newId('ins')]

eachEngine('paying refunds', (given) => {
  // A till with one charge, and a list of what the orders room was told.
  async function openTill({ card = '4242424242424242', hook }: { card?: string; hook?: TestHook } = {}) {
    const url = await given.freshUrl()
    const storage = await given.open({ url })
    const clock = { now: start }
    const provider = createTestProvider({ storage, clock: () => new Date(clock.now), ...(hook && { hook }) })
    const providers = createProviders([provider, manualProvider])
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
    // Written in the transaction itself, so that a test sees what was committed and not what was tried.
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
      if (name === 'test') await provider.start(chargeOf(payment), 'card', details, signal)
      return payment
    }
    const owe = (paymentId: string, amount: number, kind: KeptRefund['kind'] = 'refund') =>
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
    const round = (on: Storage = storage, then = onPaid) => payRefunds(on, providers, then, clock.now)
    const find = async (refund: KeptRefund) => storage.write((tx) => lockRefund(tx, installationId, refund.id))
    const refunded = async () => (await chargesOf(storage)).reduce((sum, charge) => sum + charge.refunded, 0)
    return { url, storage, clock, provider, told, pay, owe, round, find, refunded, onPaid }
  }
  const outcomesOf = (paid: readonly PaidRefund[]) => paid.map(({ outcome }) => outcome)

  test('pays what is due, once, and tells the orders room in the same commit', async () => {
    const till = await openTill()
    const payment = await till.pay()
    const [one, two] = [await till.owe(payment.id, 300), await till.owe(payment.id, 700)]
    const paid = await till.round()
    assert.deepEqual(outcomesOf(paid), ['succeeded', 'succeeded'])
    assert.deepEqual(new Set(till.told.map(([id]) => id)), new Set([one.id, two.id]))
    assert.deepEqual(await till.find(one), {
      ...one,
      status: 'succeeded',
      tries: 1,
      tryAt: null,
      updatedAt: start,
    })
    assert.equal(await till.refunded(), 1_000)
    assert.equal((await till.storage.read((db) => findPayment(db, installationId, payment.id)))?.reference, '!!')
    till.clock.now += 24 * 3_600_000
    assert.deepEqual(await till.round(), [])
  })

  test('a void takes the charge back as a whole', async () => {
    const till = await openTill()
    const payment = await till.pay()
    await till.owe(payment.id, 1_000, 'void')
    assert.deepEqual(outcomesOf(await till.round()), ['succeeded'])
    assert.equal((await chargesOf(till.storage))[0]?.state, 'voided')
    assert.equal(till.told.length, 1)
    assert.equal(till.provider.calls.refund, 0)
  })

  test('a manual refund is the operator’s to pay, and is done at once', async () => {
    const till = await openTill()
    const payment = await till.pay('manual')
    await till.owe(payment.id, 1_000)
    assert.deepEqual(outcomesOf(await till.round()), ['succeeded'])
    assert.equal(till.told.length, 1)
  })

  test('a lost answer is asked for again by schedule, and never paid twice', async () => {
    const till = await openTill({ card: '4000000000007726' })
    const payment = await till.pay()
    const refund = await till.owe(payment.id, 400)
    assert.deepEqual(outcomesOf(await till.round()), ['later'])
    assert.deepEqual(till.told, [])
    assert.equal((await till.find(refund))?.tryAt, start + waitsMs[0])
    till.clock.now += waitsMs[0] - 1
    assert.deepEqual(await till.round(), [])
    till.clock.now += 1
    assert.deepEqual(outcomesOf(await till.round()), ['succeeded'])
    assert.deepEqual(till.told, [[refund.id, 'succeeded', 2]])
    assert.equal(await till.refunded(), 400)
  })

  test('silence is never taken for a refusal, however long it lasts', async () => {
    const till = await openTill({
      hook: (point) => {
        if (point === 'before_refund') throw new TypeError('the wire broke')
      },
    })
    const payment = await till.pay()
    const refund = await till.owe(payment.id, 400)
    for (let tries = 1; tries <= 12; tries++) {
      const [paid] = await till.round()
      assert.equal(paid?.outcome, 'later')
      assert.ok(paid?.silence !== null && typeof paid?.silence === 'object')
      assert.equal(paid.silence.error, 'TypeError')
      const wait = waitsMs[Math.min(tries, waitsMs.length) - 1] as number
      assert.equal((await till.find(refund))?.tryAt, till.clock.now + wait)
      till.clock.now += wait
    }
    assert.deepEqual(till.told, [])
  })

  test('a refusal is tried a bounded number of times, then it has failed', async () => {
    const till = await openTill({ card: '4000000000005126' })
    const payment = await till.pay()
    const refund = await till.owe(payment.id, 400)
    const outcomes: string[] = []
    for (let tries = 0; tries < refusedTriesMax; tries++) {
      outcomes.push(...outcomesOf(await till.round()))
      till.clock.now += 6 * 3_600_000
    }
    assert.deepEqual(outcomes, [...Array.from({ length: refusedTriesMax - 1 }, () => 'later'), 'failed'])
    assert.deepEqual(till.told, [[refund.id, 'failed', refusedTriesMax]])
    const kept = await till.find(refund)
    assert.deepEqual([kept?.status, kept?.tryAt], ['failed', null])
    assert.deepEqual(await till.round(), [])
    await till.owe(payment.id, 1_000)
  })

  test('a provider that is gone is waited for', async () => {
    const till = await openTill()
    const payment = await till.pay('departed')
    await till.owe(payment.id, 400)
    const [paid] = await till.round()
    assert.deepEqual([paid?.outcome, paid?.silence], ['later', 'no_such_provider'])
  })

  test('what cannot be recorded is told with its error, holds up nobody, and is recorded after the lease', async () => {
    const till = await openTill()
    const payment = await till.pay()
    const [stuck, well] = [await till.owe(payment.id, 300), await till.owe(payment.id, 200)]
    const broken = new Error('the orders room is on fire')
    const paid = await till.round(till.storage, async (tx, refund, outcome, now) => {
      if (refund.id === stuck.id) throw broken
      await till.onPaid(tx, refund, outcome, now)
    })
    const outcomes = new Map(paid.map(({ refund, outcome, error }) => [refund.id, [outcome, error]]))
    assert.deepEqual(outcomes.get(stuck.id), ['unrecorded', broken])
    assert.deepEqual(outcomes.get(well.id), ['succeeded', null])
    assert.equal((await till.find(stuck))?.status, 'pending')
    till.clock.now += leaseMs
    assert.deepEqual(outcomesOf(await till.round()), ['succeeded'])
    assert.equal(await till.refunded(), 500)
    assert.deepEqual(
      till.told.map(([id]) => id),
      [well.id, stuck.id],
    )
  })

  test('two nodes at once, with leases run out in the middle: each refund is paid and told once', async () => {
    const till = await openTill()
    const other = await given.open({ url: till.url })
    const payment = await till.pay()
    for (let i = 0; i < 10; i++) await till.owe(payment.id, 100)
    const rounds = await Promise.all(
      Array.from({ length: 6 }, (_, i) => {
        // As if every round came when the leases of the one before are over, though its calls are still under way.
        till.clock.now = start + i * (leaseMs + 1)
        return till.round(i % 2 === 0 ? till.storage : other)
      }),
    )
    const outcomes = outcomesOf(rounds.flat())
    assert.equal(outcomes.filter((outcome) => outcome === 'succeeded').length, 10)
    assert.ok(outcomes.every((outcome) => outcome === 'succeeded' || outcome === 'elsewhere'))
    assert.equal(till.told.length, 10)
    assert.equal(new Set(till.told.map(([id]) => id)).size, 10)
    assert.equal(await till.refunded(), 1_000)
  })
})
