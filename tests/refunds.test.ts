// Refunds that do not go through: what the operator sees of them, and what can be done.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type House, testSecretText } from './support/house.ts'
import { openOrderHouse, refusingCard } from './support/orders.ts'
import { cartwright, type Server, serve } from './support/process.ts'
import { eachEngine } from './support/storage.ts'

const lostAnswerCard = '4000000000007726'

function settingsOf(house: House) {
  return { CARTWRIGHT_DATABASE_URL: house.url, CARTWRIGHT_SECRET: testSecretText }
}

async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  const hopelessAt = performance.now() + 30_000
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    assert.ok(performance.now() < hopelessAt, 'it did not come')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function linesOf(server: Server): Record<string, unknown>[] {
  return server
    .printed()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

const lineWith = (server: Server, wanted: Readonly<Record<string, unknown>>) => async () =>
  linesOf(server).find((line) => Object.entries(wanted).every(([name, value]) => line[name] === value))

eachEngine('a refund that is refused', (given) => {
  test('is a log line and a count of the running server at each try, and an error when it is given up', async () => {
    const house = await openOrderHouse(given)
    const { orderId, paymentId } = await house.orders.place({ card: refusingCard })
    const { refund } = (await house.orders.cancel(orderId)).body.data.cancellation
    const server = await serve(settingsOf(house), ['--no-demo'])
    const facts = { provider: 'test', call: 'refund', paymentId, refundId: refund.id }
    await until(lineWith(server, { level: 'warn', message: 'payment provider refused', ...facts }))
    await house.storage.write((tx) => tx.sql`update refunds set tries = 7, try_at = 1`)
    await until(lineWith(server, { level: 'error', message: 'refund failed; a person must see to it', ...facts }))
    const metrics = await (await fetch(`${server.origin}/metrics`)).text()
    assert.match(
      metrics,
      /^cartwright_provider_calls_total\{provider="test",call="refund",outcome="failed"\} [1-9]\d*$/m,
    )
    assert.match(metrics, /^cartwright_payment_incidents_total\{provider="test",kind="refund_failed"\} 1$/m)
    assert.equal(await server.stop(), 0)
  })

  test('ends the command with 1 and a line on stderr, also when no answer came', async () => {
    const house = await openOrderHouse(given)
    house.clock.now = Date.now()
    const run = (...args: string[]) =>
      cartwright(['orders', 'refund', ...args, '--merchant', 'bloom', '--json'], settingsOf(house))
    for (const [card, number, words] of [
      [refusingCard, '1001', 'the provider refused the refund'],
      [lostAnswerCard, '1002', 'the provider gave no answer'],
    ] as const) {
      await house.orders.place({ card })
      const { code, out, err } = await run(number, '--amount', '100')
      assert.deepEqual([code, err], [1, `cartwright: order ${number}: ${words}; a running server tries again\n`])
      const { refund, order } = JSON.parse(out)
      assert.deepEqual([refund.status, order.paymentStatus], ['pending', 'refunding'])
    }
    await house.orders.place()
    const { code, err } = await run('1003', '--amount', '100')
    assert.deepEqual([code, err], [0, ''])
  })
})
