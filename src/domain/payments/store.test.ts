import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eachEngine } from '../../../harness/storage.ts'
import { newId } from '../../platform/kit/ids.ts'
import type { Storage } from '../../platform/storage/storage.ts'
import { shownStatus } from './lifecycle.ts'
import { providerMsMax } from './port.ts'
import { firstCheckAt, leaseMs, nextTryAt } from './schedule.ts'
import {
  buildCharge,
  claimPaymentsToCheck,
  claimRefundsToPay,
  findPayment,
  insertPayment,
  insertRefund,
  listPaymentsOfOrder,
  listPaymentsOfSession,
  listRefundsOfOrder,
  lockPayment,
  lockRefund,
  type NewRefund,
  savePayment,
  saveRefund,
  sumRefunds,
} from './store.ts'

const now = Date.parse('2026-06-15T12:00:00.000Z')
const hour = 3_600_000

test('the waits between tries get longer, and the last wait is repeated', () => {
  const waits = Array.from({ length: 10 }, (_, i) => (nextTryAt(i + 1, now) - now) / 1_000)
  assert.deepEqual(waits, [2, 5, 15, 60, 300, 900, 3_600, 21_600, 21_600, 21_600])
  assert.equal(nextTryAt(0, now), now + 2_000)
  assert.ok(leaseMs > 2 * providerMsMax && firstCheckAt(now) > now + providerMsMax, 'no lease ends during a call')
})

eachEngine('payments and refunds in the store', (given) => {
  const [merchantId, installationId, rivalId] = [newId('mer'), newId('ins'), newId('ins')]

  // A store with one merchant, which has an installation in test mode and another one (`rivalId`) in live mode.
  async function openStore() {
    const url = await given.migratedUrl()
    const storage = await given.open({ url })
    await storage.write(async (tx) => {
      await tx.sql`
        insert into merchants (id, slug, name, currency, country, price_tax, low_stock_at, links, catalog_version,
          created_at, updated_at)
        values (${merchantId}, 'bloom', 'Bloom', 'EUR', 'DE', 'included', 0, '[]', 1, ${now}, ${now})`
      for (const [id, mode] of [
        [installationId, 'test'],
        [rivalId, 'live'],
      ] as const)
        await tx.sql`
          insert into installations (id, merchant_id, name, mode, redirect_hosts, created_at)
          values (${id}, ${merchantId}, ${id}, ${mode}, '[]', ${now})`
    })
    const paid = (at = now, { checkAt = at, installation = installationId, sessionId = newId('cks') } = {}) =>
      storage.write(async (tx) =>
        insertPayment(
          tx,
          {
            installationId: installation,
            id: newId('pay'),
            merchantId,
            mode: installation === rivalId ? 'live' : 'test',
            checkoutSessionId: sessionId,
            provider: 'test',
            method: 'card',
            amount: 1_000,
            currency: 'EUR',
            checkAt,
          },
          at,
        ),
      )
    const queue = (refund: NewRefund, at = now) => storage.write((tx) => insertRefund(tx, refund, at))
    return { url, storage, paid, queue }
  }

  const due = (paymentId: string, amount: number, changes: Partial<NewRefund> = {}): NewRefund => ({
    installationId,
    id: newId('rfd'),
    merchantId,
    orderId: null,
    paymentId,
    kind: 'refund',
    amount,
    currency: 'EUR',
    reason: null,
    ...changes,
  })

  test('a new payment is processing, and is read back as it was saved', async () => {
    const { storage, paid } = await openStore()
    const payment = await paid(now, { checkAt: now + 5 })
    assert.deepEqual(payment, {
      installationId,
      id: payment.id,
      merchantId,
      mode: 'test',
      checkoutSessionId: payment.checkoutSessionId,
      orderId: null,
      provider: 'test',
      accountId: null,
      method: 'card',
      amount: 1_000,
      currency: 'EUR',
      status: 'processing',
      reference: null,
      challenge: null,
      placeSealed: null,
      placeUntil: null,
      lookedAt: null,
      looks: 0,
      looksWanted: 0,
      lookingUntil: null,
      triedAt: null,
      settles: null,
      brand: null,
      changesOrder: null,
      last4: null,
      instrument: null,
      errorCode: null,
      createdAt: now,
      updatedAt: now,
      checkAt: now + 5,
      checks: 0,
      collected: 0,
      givenBack: 0,
      closedByHandAt: null,
      movedFrom: null,
    })
    assert.deepEqual(buildCharge(payment), {
      key: payment.id,
      amount: 1_000,
      currency: 'EUR',
      mode: 'test',
      reference: null,
      createdAt: payment.createdAt,
    })
    const find = (installation = installationId) => storage.read((db) => findPayment(db, installation, payment.id))
    assert.deepEqual(await find(), payment)
    assert.equal(await find(rivalId), undefined)
    const changed = {
      ...payment,
      orderId: newId('ord'),
      status: 'challenge',
      reference: 'r',
      challenge: 'c',
      brand: 'visa',
      last4: '4242',
      errorCode: 'declined',
      updatedAt: now + 1,
      checkAt: null,
      checks: 3,
    } as const
    await storage.write(async (tx) => {
      assert.deepEqual(await lockPayment(tx, installationId, payment.id), payment)
      await savePayment(tx, { ...changed, amount: 7, method: 'other' })
    })
    assert.deepEqual(await find(), changed, 'what was asked for never changes')
    assert.equal(shownStatus('challenge'), 'processing')
    assert.equal(shownStatus('voided'), 'voided')
    await assert.rejects(
      storage.write((tx) => savePayment(tx, { ...changed, installationId: rivalId })),
      /does not exist/,
    )
  })

  test('payments are listed by session and by order, oldest first', async () => {
    const { storage, paid } = await openStore()
    const sessionId = newId('cks')
    const orderId = newId('ord')
    const second = await paid(now + 1, { sessionId })
    const first = await paid(now, { sessionId })
    await paid(now, { installation: rivalId, sessionId })
    for (const payment of [first, second]) await storage.write((tx) => savePayment(tx, { ...payment, orderId }))
    const [ofSession, ofOrder] = await storage.read((db) =>
      Promise.all([
        listPaymentsOfSession(db, installationId, sessionId),
        listPaymentsOfOrder(db, installationId, orderId),
      ]),
    )
    assert.deepEqual(
      ofSession.map(({ id }) => id),
      [first.id, second.id],
    )
    assert.deepEqual(ofOrder, ofSession)
  })

  test('due payments are claimed for the time of a lease, and can be claimed again after it', async () => {
    const { storage, paid } = await openStore()
    const [first, second, third] = [
      await paid(),
      await paid(now, { checkAt: now + 1, installation: rivalId }),
      await paid(now, { checkAt: now + 3 }),
    ]
    const claim = (at: number, limit = 10) => storage.write((tx) => claimPaymentsToCheck(tx, at, 10_000, limit))
    const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).sort()
    assert.deepEqual(await claim(now - 1), [])
    const [claimed, ...others] = await claim(now + 2, 1)
    assert.deepEqual(others, [])
    assert.deepEqual(
      claimed,
      { ...first, lookedAt: now + 2, looks: 1, lookingUntil: now + 10_002, checkAt: now + 10_002 },
      'the longest due comes first',
    )
    assert.deepEqual(
      (await claim(now + 2)).map(({ id, mode }) => [id, mode]),
      [[second.id, 'live']],
    )
    assert.deepEqual(ids(await claim(now + 500)), [third.id])
    assert.deepEqual(ids(await claim(now + 10_002)), ids([first, second]))
    for (const payment of [first, second, third])
      await storage.write((tx) => savePayment(tx, { ...payment, checkAt: null }))
    assert.deepEqual(await claim(now + hour), [])
  })

  test('two nodes that claim concurrently never get the same row, and together get all rows', async () => {
    const { url, storage, paid, queue } = await openStore()
    const other = await given.open({ url })
    const payments = await Promise.all(Array.from({ length: 30 }, () => paid()))
    const refunds = await Promise.all(payments.map(({ id }) => queue(due(id, 100))))
    const nodes = Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? storage : other))
    const checks = await Promise.all(nodes.map((node) => node.write((tx) => claimPaymentsToCheck(tx, now, leaseMs, 3))))
    const pays = await Promise.all(nodes.map((node) => node.write((tx) => claimRefundsToPay(tx, now, leaseMs, 3))))
    for (const [claims, all] of [
      [checks, payments],
      [pays, refunds],
    ] as const) {
      for (const claim of claims) assert.ok(claim.length <= 3)
      const ids = claims.flat().map(({ id }) => id)
      assert.equal(new Set(ids).size, ids.length, 'no row twice')
      assert.ok(ids.every((id) => all.some((row) => row.id === id)))
    }
    // Each node skips rows that the other node has locked. The next round, which follows immediately, gets them.
    const rest = await storage.write((tx) => claimPaymentsToCheck(tx, now, leaseMs, 100))
    assert.equal(checks.flat().length + rest.length, 30)
    const unpaid = await storage.write((tx) => claimRefundsToPay(tx, now, leaseMs, 100))
    assert.equal(pays.flat().length + unpaid.length, 30)
  })

  if (given.engine === 'postgres')
    test('rows locked by another node are skipped without waiting', async () => {
      const { url, storage, paid } = await openStore()
      const other = await given.open({ url })
      const [held, free] = [await paid(), await paid(now, { checkAt: now + 1 })]
      await storage.write(async (tx) => {
        await lockPayment(tx, installationId, held.id)
        const claimed = await other.write((theirs) => claimPaymentsToCheck(theirs, now + 1, leaseMs, 10))
        assert.deepEqual(
          claimed.map(({ id }) => id),
          [free.id],
        )
      })
    })

  test('a refund is due immediately, and contains what the provider needs', async () => {
    const { storage, paid, queue } = await openStore()
    const orderId = newId('ord')
    const payment = await paid(now)
    const refund = await queue(due(payment.id, 400, { orderId, reason: 'duplicate' }), now)
    assert.deepEqual(refund, {
      installationId,
      id: refund.id,
      merchantId,
      orderId,
      editId: null,
      paymentId: payment.id,
      kind: 'refund',
      origin: 'here',
      reference: null,
      amount: 400,
      currency: 'EUR',
      status: 'pending',
      reason: 'duplicate',
      createdAt: now,
      updatedAt: now,
      tryAt: now,
      tries: 0,
      refusedTries: 0,
      askedAt: null,
      pendingAt: null,
      replacedBy: null,
      paidByHandAt: null,
      movedTo: null,
      partOf: null,
    })
    const charge = {
      key: payment.id,
      amount: 1_000,
      currency: 'EUR',
      mode: 'test',
      reference: null,
      createdAt: payment.createdAt,
    }
    assert.deepEqual(await storage.write((tx) => claimRefundsToPay(tx, now, 1_000, 10)), [
      { ...refund, tryAt: now + 1_000, provider: 'test', accountId: null, charge },
    ])
    assert.deepEqual(await storage.write((tx) => claimRefundsToPay(tx, now, 1_000, 10)), [])
    const done = { ...refund, status: 'succeeded', tryAt: null, tries: 1, updatedAt: now + 5 } as const
    await storage.write(async (tx) => {
      assert.equal((await lockRefund(tx, installationId, refund.id))?.tryAt, now + 1_000)
      assert.equal(await lockRefund(tx, rivalId, refund.id), undefined)
      await saveRefund(tx, done)
    })
    const later = await queue(due(payment.id, 1, { orderId }), now + 9)
    const [listed, none] = await storage.read((db) =>
      Promise.all([listRefundsOfOrder(db, installationId, orderId), listRefundsOfOrder(db, rivalId, orderId)]),
    )
    assert.deepEqual(listed, [done, later])
    assert.deepEqual(none, [])
    await assert.rejects(
      storage.write((tx) => saveRefund(tx, { ...done, status: 'pending' })),
      /pending refund does not exist/,
      'what is over stays over',
    )
  })

  test('the refunds of a payment never exceed its amount, however many are inserted concurrently', async () => {
    const { url, storage, paid, queue } = await openStore()
    const payment = await paid()
    const nodes = [storage, await given.open({ url })]
    const tries = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        (nodes[i % 2] as Storage).write((tx) => insertRefund(tx, due(payment.id, 300), now)),
      ),
    )
    const refused = tries.filter((outcome) => outcome.status === 'rejected')
    assert.equal(refused.length, 7)
    for (const { reason } of refused) assert.match(String(reason), /refunds would exceed the payment/)
    const sum = () => storage.read((db) => sumRefunds(db, installationId, payment.id))
    assert.equal(await sum(), 900)
    const [first] = tries.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
    assert.ok(first)
    await storage.write((tx) => saveRefund(tx, { ...first, status: 'failed', tryAt: null }))
    assert.equal(await sum(), 600, 'what failed is owed no more')
    await queue(due(payment.id, 400, { kind: 'void' }))
    await assert.rejects(queue(due(payment.id, 1)), /refunds would exceed the payment/)
    await assert.rejects(queue(due(payment.id, 0, { currency: 'USD' })), /is not the currency of its payment/)
    await assert.rejects(queue(due(payment.id, 0, { installationId: rivalId })), /does not exist/)
  })

  if (given.engine === 'postgres')
    test('a concurrent refund of the same payment waits for the first one and counts it', async () => {
      const { url, storage, paid } = await openStore()
      const other = await given.open({ url })
      const payment = await paid()
      let second: Promise<unknown> = Promise.resolve()
      await storage.write(async (tx) => {
        await insertRefund(tx, due(payment.id, 700), now)
        second = other.write((theirs) => insertRefund(theirs, due(payment.id, 700), now))
        second.catch(() => {})
        // Enough time for the second refund to finish, if nothing blocks it.
        await Promise.race([second, pause(200)])
      })
      await assert.rejects(second, /refunds would exceed the payment/)
    })
})
