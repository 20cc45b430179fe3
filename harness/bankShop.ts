// A shop whose orders are paid at the stand-in provider of `redirectProvider.ts`, for tests of what happens to the money afterwards.

import assert from 'node:assert/strict'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { queryPaymentNow } from '../src/domain/checkout/pay/redirect.ts'
import { listCasesForAttention } from '../src/domain/health/attention.ts'
import { findViolations } from '../src/domain/health/invariants.ts'
import { findOrderFacts } from '../src/domain/orders/change.ts'
import { refundOrder } from '../src/domain/orders/operator.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { orderView } from '../src/domain/orders/view.ts'
import { createProviders } from '../src/domain/payments/port.ts'
import { payRefunds, type RefundTools } from '../src/domain/payments/refunds.ts'
import { listPaymentsOfSession } from '../src/domain/payments/store.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { market } from './carts.ts'
import { checkoutOf } from './checkout.ts'
import { createRedirectProvider } from './redirectProvider.ts'
import type { Given } from './storage.ts'
import { openTestServer } from './testServer.ts'

export type BankShop = Awaited<ReturnType<typeof openBankShop>>

export async function openBankShop(given: Given) {
  const bank = createRedirectProvider()
  const testServer = await openTestServer(given, { shops: [market], payHooks: { providers: createProviders([bank]) } })
  const checkout = await checkoutOf(testServer)
  const { storage, installationId, clock } = testServer
  const { payTools: tools } = testServer.app
  const refundTools: RefundTools = { ...tools, onPaid: recordRefundEnd }
  const keyOf = (orderId: string) => ({ installationId, orderId })

  // The attempt to pay, as the shopper leaves for the bank.
  async function begin(items: Readonly<Record<string, number>> = { CARD: 3 }) {
    const { sessionId, secret, view } = await checkout.ready(items)
    const { version, totals } = view.session
    const chosen = { provider: 'redirect', method: 'bank', details: {}, attempt: newId('pay') }
    await testServer.app.checkout.pay(secret, { version, expectedTotal: totals.total, ...chosen })
    const find = async () => {
      const [payment] = await storage.read((db) => listPaymentsOfSession(db, installationId, sessionId))
      assert.ok(payment)
      return payment
    }
    return { sessionId, secret, total: totals.total, paymentId: (await find()).id, payment: find }
  }

  async function place(what: 'pay' | 'bank' = 'pay', items?: Readonly<Record<string, number>>) {
    const begun = await begin(items)
    bank.act(begun.paymentId, what)
    await queryPaymentNow(tools, { installationId, id: begun.paymentId })
    const { orderId } = await begun.payment()
    assert.ok(orderId)
    return { ...begun, orderId }
  }

  const facts = async (orderId: string) => {
    const found = await storage.read((db) => findOrderFacts(db, keyOf(orderId)))
    assert.ok(found)
    return found
  }

  return {
    bank,
    testServer,
    tools,
    refundTools,
    begin,
    place,
    facts,
    order: async (orderId: string) => orderView(await facts(orderId)),
    // What a webhook does.
    notice: (paymentId: string) =>
      storage.write(
        (tx) => tx.sql`
          update payments set noticed_at = ${clock.now}, check_at = ${clock.now}
          where installation_id = ${installationId} and id = ${paymentId}`,
      ),
    // The rounds of the loops.
    check: () => recoverPayments(tools),
    pay: async () => (await payRefunds(refundTools, clock.now)).map(({ outcome }) => outcome),
    refund: async (orderId: string, amount: number | null = null, isByHand = false) => {
      const input = { amount, reason: null, isByHand }
      const moment = { now: clock.now, cause: null }
      return (await storage.write((tx) => refundOrder(tx, keyOf(orderId), input, moment))).refund
    },
    // The order's events, without those of its placement.
    events: async (orderId: string) =>
      (
        await storage.read(
          (db) => db.sql<{ type: string }>`
            select type from events where installation_id = ${installationId} and subject_id = ${orderId}
            order by sequence`,
        )
      )
        .map(({ type }) => type)
        .filter((type) => type !== 'order.placed' && type !== 'order.paid'),
    owed: async () =>
      (await storage.read((db) => listCasesForAttention(db, { now: clock.now, providers: ['redirect'] }))).map(
        ({ name, subjects }) => [name, subjects],
      ),
    incidents: () => Object.fromEntries(tools.watch.stats().incidents.map(({ labels, value }) => [labels.kind, value])),
    violations: () => storage.read((db) => findViolations(db)),
  }
}
