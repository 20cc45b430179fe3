// A provider that answers many times and is silent once: it is asked again soon, whatever the payment waits for.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BankShop, openBankShop } from '../harness/bankShop.ts'
import { eachEngine } from '../harness/storage.ts'
import { queryPaymentNow } from '../src/domain/checkout/pay/redirect.ts'

const second = 1_000

eachEngine('a provider that does not respond to a look-up', (given) => {
  // In how many seconds it is asked again, after each of these silences.
  async function waitsAfter(shop: BankShop, paymentId: string, silences: number, look: () => Promise<unknown>) {
    const { bank, testServer } = shop
    const waits: number[] = []
    for (let times = 0; times < silences; times += 1) {
      bank.loseNext('lookUp')
      testServer.clock.now += 11 * second
      await look()
      const [row] = await testServer.storage.read(
        (db) => db.sql<{ checkAt: number | null }>`select check_at as "checkAt" from payments where id = ${paymentId}`,
      )
      waits.push(((row?.checkAt ?? 0) - testServer.clock.now) / second)
    }
    return waits
  }

  test('is queried again soon, also after many look-ups of a redirect payment', async () => {
    const shop = await openBankShop(given)
    const { installationId, clock } = shop.testServer
    const { paymentId, payment } = await shop.begin()
    const look = () => queryPaymentNow(shop.tools, { installationId, id: paymentId })
    for (let looks = 0; looks < 12; looks += 1) {
      clock.now += 11 * second
      await look()
    }
    assert.equal((await payment()).status, 'challenge')
    assert.deepEqual(await waitsAfter(shop, paymentId, 3, look), [5, 15, 60])
    clock.now += 11 * second
    await look()
    assert.deepEqual(await waitsAfter(shop, paymentId, 1, look), [5])
  })

  for (const what of ['bank', 'pay'] as const)
    test(`is queried again soon, also after many webhooks of a payment that is ${what === 'bank' ? 'awaited' : 'made'}`, async () => {
      const shop = await openBankShop(given)
      const { paymentId } = await shop.place(what)
      const look = async () => {
        await shop.notice(paymentId)
        await shop.check()
      }
      for (let looks = 0; looks < 12; looks += 1) {
        shop.testServer.clock.now += 11 * second
        await look()
      }
      assert.deepEqual(await waitsAfter(shop, paymentId, 2, look), [5, 15])
      shop.testServer.clock.now += 11 * second
      await look()
      assert.deepEqual(await waitsAfter(shop, paymentId, 1, look), [5])
    })
})
