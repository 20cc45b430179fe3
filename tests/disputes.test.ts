// Disputes are recorded as the provider reports them, shown to the operator, and never move an order.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BankShop, openBankShop } from '../harness/bankShop.ts'
import { cartwright } from '../harness/commandline.ts'
import { eachEngine } from '../harness/storage.ts'
import { settingsOf } from '../harness/testServer.ts'
import { findEmail } from '../src/domain/emails/store.ts'
import type { ProviderDispute } from '../src/domain/payments/port.ts'
import { toInstant } from '../src/platform/kit/instant.ts'
import { setMailSwitch } from '../src/platform/outbox/emails.ts'
import { prepareEmail } from '../src/web/emails/prepare.ts'

const day = 24 * 3_600_000

async function look(shop: BankShop, paymentId: string) {
  shop.testServer.clock.now += 5_000
  await shop.notice(paymentId)
  await shop.check()
}

// The only one, as it is sent.
async function emailOf({ testServer }: BankShop, disputeId: string | undefined) {
  return testServer.storage.read(async (db) => {
    const rows = await db.sql<{ id: string; subjectId: string }>`
      select id, subject_id as "subjectId" from emails where kind = 'dispute_opened'`
    assert.deepEqual(
      rows.map(({ subjectId }) => subjectId),
      [disputeId],
    )
    const email = await findEmail(db, testServer.merchantId, rows[0]?.id ?? '')
    const { rootSecret } = testServer.app.payTools
    const clock = () => new Date(testServer.clock.now)
    const publicOrigin = () => testServer.origin
    const tools = { ...testServer.app.payTools, rootSecret, publicOrigin, clock }
    const message = email && (await prepareEmail(tools, db, email))
    assert.ok(message && 'text' in message)
    return message
  })
}

eachEngine('a dispute', (given) => {
  test('is shown and reported by doctor until it is decided, and does not change the order', async () => {
    const shop = await openBankShop(given)
    await shop.testServer.storage.write((tx) => setMailSwitch(tx, true, shop.testServer.clock.now))
    await shop.testServer.storage.write((tx) => tx.sql`update merchants set support_email = 'help@example.com'`)
    const { orderId, paymentId, total } = await shop.place()
    const before = await shop.order(orderId)
    const dueAt = shop.testServer.clock.now + 7 * day
    const open: ProviderDispute = { reference: 'du_1', amount: total, state: 'open', reason: 'fraudulent', dueAt }
    shop.bank.dispute(paymentId, open)
    await look(shop, paymentId)
    await look(shop, paymentId)
    const rows = () =>
      shop.testServer.storage.read((db) => db.sql<{ id: string; status: string }>`select id, status from disputes`)
    const [row] = await rows()
    assert.match(row?.id ?? '', /^dsp_/)
    const message = await emailOf(shop, row?.id)
    assert.equal(message.to, 'help@example.com')
    assert.match(message.text, /take back €[\d.]+ \(Order T-1001\)\. Answer by June 8, 2026/)
    assert.deepEqual([(await rows()).length, row?.status, shop.incidents()], [1, 'open', { dispute_opened: 1 }])
    assert.deepEqual(await shop.owed(), [['dispute_open', [`${orderId} ${row?.id} until ${toInstant(dueAt)} (test)`]]])
    assert.match(
      (await shop.testServer.fetch('/metrics')).text,
      /\ncartwright_disputes_open\{mode="test",status="open"\} 1\n/,
    )
    const settings = settingsOf(shop.testServer)
    const { out } = await cartwright(['orders', 'show', orderId, '--json'], settings)
    assert.deepEqual(JSON.parse(out).disputes, [
      {
        id: row?.id,
        reference: 'du_1',
        amount: total,
        currency: 'EUR',
        status: 'open',
        reason: 'fraudulent',
        dueAt: toInstant(dueAt),
        createdAt: toInstant(shop.testServer.clock.now - 5_000),
      },
    ])
    const shown = async () =>
      (await shop.testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data.disputes
    assert.deepEqual(await shown(), [
      {
        ...JSON.parse(out).disputes[0],
        paymentId,
        // The page of the provider that stands in for one has none.
        providerUrl: null,
        decidedAt: null,
      },
    ])
    const { out: text } = await cartwright(['orders', 'show', orderId], settings)
    assert.match(text, new RegExp(`dispute +${row?.id} .* open, fraudulent, answer by ${toInstant(dueAt)}, du_1`))
    for (const [state, incidents] of [
      ['won', { dispute_opened: 1 }],
      ['lost', { dispute_opened: 1, dispute_lost: 1 }],
    ] as const) {
      shop.bank.dispute(paymentId, { ...open, state, dueAt: null })
      await look(shop, paymentId)
      assert.deepEqual([(await rows())[0]?.status, shop.incidents(), await shop.owed()], [state, incidents, []])
      const decidedAt = toInstant(shop.testServer.clock.now)
      assert.deepEqual(
        (await shown()).map((dispute: Record<string, unknown>) => [dispute.status, dispute.dueAt, dispute.decidedAt]),
        [[state, null, decidedAt]],
      )
    }
    const { sum } = (await shop.testServer.askAdmin('getAdminSalesReport')).body.data
    assert.deepEqual([sum.lost, sum.net], [total, sum.total - sum.refunded - total])
    assert.deepEqual(await shop.order(orderId), before)
    assert.deepEqual([await shop.events(orderId), await shop.violations()], [[], []])
  })

  test('about a voided payment is recorded, and waits for a person', async () => {
    const shop = await openBankShop(given)
    const { bank, testServer } = shop
    const { paymentId, secret, payment, total } = await shop.begin()
    await testServer.app.checkout.goBack(secret)
    // The bank takes the money all the same, and gives it back.
    Object.assign(bank.books.get(paymentId) ?? {}, { state: 'open' })
    bank.act(paymentId, 'pay')
    await look(shop, paymentId)
    await shop.pay()
    assert.equal((await payment()).status, 'voided')
    const dueAt = testServer.clock.now + 7 * day
    const open: ProviderDispute = { reference: 'du_1', amount: total, state: 'open', reason: 'fraudulent', dueAt }
    bank.dispute(paymentId, open)
    await look(shop, paymentId)
    await look(shop, paymentId)
    const rows = () =>
      testServer.storage.read((db) => db.sql<{ id: string; status: string }>`select id, status from disputes`)
    const [row] = await rows()
    assert.deepEqual([(await rows()).length, row?.status], [1, 'open'])
    assert.deepEqual(await shop.owed(), [
      ['dispute_open', [`${paymentId} ${row?.id} until ${toInstant(dueAt)} (test)`]],
    ])
    bank.dispute(paymentId, { ...open, state: 'lost' })
    await look(shop, paymentId)
    assert.deepEqual([(await rows())[0]?.status, (await payment()).status], ['lost', 'voided'])
    assert.deepEqual(shop.incidents(), { late_success: 1, dispute_opened: 1, dispute_lost: 1 })
    assert.deepEqual(await shop.violations(), [])
  })
})
