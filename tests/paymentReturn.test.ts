// A shopper comes back from paying elsewhere while the payment is looked up, or just was: who paid is never told otherwise.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bank, connectBank, createBank, openBankTestServer, payAtBank } from '../harness/bank.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import type { TestServer } from '../harness/testServer.ts'
import { until } from '../harness/until.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { makeReturnPath, queryPaymentNow } from '../src/domain/checkout/pay/redirect.ts'
import { makeInterruptedPaymentsDue, promptQueriesMax } from '../src/domain/payments/store.ts'
import { newId } from '../src/platform/kit/ids.ts'

const minute = 60_000

async function openShop(given: Given) {
  const bank = createBank()
  const testServer = await openBankTestServer(given, bank)
  await connectBank(testServer)
  const paid = await payAtBank(testServer)
  const page = await testServer.fetch(`/c/${paid.secret}`)
  const cookie = (page.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const path = makeReturnPath(testServer.app.payTools.rootSecret, await paid.payment())
  const get = (to: string, at: TestServer = testServer) => at.fetch(to, { headers: { cookie }, redirect: 'manual' })
  // As a browser follows the way back, up to a page or to the shop.
  async function comeBack(at: TestServer = testServer) {
    let to = path
    for (let hops = 0; hops < 5; hops += 1) {
      const answer = await get(to, at)
      if (answer.status !== 303) return /data-state="(\w+)"/.exec(answer.text)?.[1]
      to = answer.headers.get('location') ?? ''
      if (to.startsWith('http://localhost:9/thanks')) return 'shop'
    }
    return 'lost'
  }
  const state = async () => (await get(`/c/${paid.secret}/state`)).text
  return { bank, testServer, paid, page, get, comeBack, state, look: () => get(`/c/${paid.secret}`) }
}

// The next look-up sees the payment as it is now, and answers when it is released.
function holdLookUp({ provider }: Bank) {
  const { lookUp } = provider
  const [seen, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  provider.lookUp = async (...asked) => {
    provider.lookUp = lookUp
    const found = await lookUp(...asked)
    seen.resolve()
    await released.promise
    return found
  }
  return { seen: seen.promise, release: released.resolve }
}

// What is done to the storage of a server from now on.
function countStorage({ app: { payTools } }: TestServer) {
  const { storage } = payTools
  const did = { reads: 0, writes: 0 }
  const counted = (kind: 'read' | 'write', name: keyof typeof did) => ({
    value(work: never) {
      did[name] += 1
      return storage[kind](work)
    },
  })
  payTools.storage = Object.create(storage, { read: counted('read', 'reads'), write: counted('write', 'writes') })
  return did
}

const notCompleted = /Your payment was not completed/

eachEngine('a shopper who returns from the provider', (given) => {
  test('waits for another look-up if the current one was too early, and is then redirected to the shop', async () => {
    const { bank, testServer, paid, comeBack } = await openShop(given)
    const held = holdLookUp(bank)
    const asking = queryPaymentNow(testServer.app.payTools, await paid.payment())
    await held.seen
    bank.provider.act(paid.key, 'pay')
    const landing = comeBack()
    await until(async () => (await paid.payment()).looksWanted === 2, 'the return')
    held.release()
    assert.equal(await landing, 'shop')
    await asking
    assert.deepEqual([bank.provider.calls.lookUp, (await paid.session()).status], [2, 'completed'])
    assert.deepEqual(await paid.events(), ['order.placed', 'order.paid'])
    assert.equal((await paid.payment()).lookingUntil, null)
  })

  test('is redirected to the shop by another node than the one that queries the provider', async () => {
    if (given.engine === 'sqlite') return
    const { bank, testServer, paid, comeBack } = await openShop(given)
    const other = await openBankTestServer(given, bank, { url: testServer.url, now: testServer.clock.now })
    const held = holdLookUp(bank)
    const asking = recoverSoon(testServer, 6 * minute)
    await held.seen
    bank.provider.act(paid.key, 'pay')
    other.clock.now = testServer.clock.now
    const landing = comeBack(other)
    await until(async () => (await paid.payment()).looksWanted === 2, 'the return')
    held.release()
    assert.equal(await landing, 'shop')
    await asking
    assert.equal(bank.provider.calls.lookUp, 2)
  })

  test('triggers another look-up immediately after one that was too early', async () => {
    const { bank, testServer, paid, comeBack } = await openShop(given)
    await queryPaymentNow(testServer.app.payTools, await paid.payment())
    bank.provider.act(paid.key, 'pay')
    testServer.clock.now += 1
    assert.equal(await comeBack(), 'shop')
    assert.equal(bank.provider.calls.lookUp, 2)
  })

  test('sees the waiting page while the provider is queried, and while it does not respond', async () => {
    const { bank, testServer, paid, comeBack, look, state } = await openShop(given)
    const held = holdLookUp(bank)
    const asking = queryPaymentNow(testServer.app.payTools, await paid.payment())
    await held.seen
    const during = await look()
    assert.match(during.text, /data-state="processing"/)
    assert.doesNotMatch(during.text, notCompleted)
    assert.equal(await state(), 'processing')
    held.release()
    await asking
    assert.equal(await state(), 'redirect')
    bank.provider.act(paid.key, 'pay')
    bank.provider.dropNext('lookUp')
    assert.equal(await comeBack(), 'processing')
    assert.equal(await state(), 'processing')
    testServer.clock.now += 10_000
    assert.equal(await state(), 'completed')
    assert.equal(await comeBack(), 'shop')
  })

  test('is redirected to the shop 20 seconds after the process died that was looking the payment up', async () => {
    const { bank, testServer, paid, comeBack, state } = await openShop(given)
    await testServer.storage.write(
      (tx) => tx.sql`
        update payments set looks = 1, looked_at = ${testServer.clock.now}, looking_until = ${testServer.clock.now + 20_000}
        where id = ${paid.key}`,
    )
    bank.provider.act(paid.key, 'pay')
    assert.equal(await state(), 'processing')
    testServer.clock.now += 20_000
    assert.equal(await state(), 'completed')
    assert.equal(await comeBack(), 'shop')
  })

  test('can go on after 25 seconds, or once the only server has started again, if the process died while it created the payment', async () => {
    const { bank, testServer } = await openShop(given)
    const { payTools } = testServer.app
    const checkout = await checkoutOf(testServer)
    const begin = async () => {
      const { secret } = await checkout.ready({ 'ROSE-12': 1 })
      payTools.onStep = (step) => {
        if (step === 'called') throw new Error('the process died')
      }
      await assert.rejects(payByBank(testServer, secret), /the process died/)
      delete payTools.onStep
      return async () => /data-state="(\w+)"/.exec((await testServer.fetch(`/c/${secret}`)).text)?.[1]
    }
    const [first, second] = [await begin(), await begin()]
    testServer.clock.now += 24_999
    assert.deepEqual([await first(), bank.provider.calls.lookUp], ['processing', 0])
    testServer.clock.now += 1
    assert.deepEqual([await first(), bank.provider.calls.lookUp], ['redirect', 1])
    // The only server starts again.
    const third = await begin()
    await testServer.storage.write(async (tx) => makeInterruptedPaymentsDue(tx, testServer.clock.now))
    await recoverPayments(testServer.app.payTools)
    assert.deepEqual([await second(), await third()], ['redirect', 'redirect'])
    assert.equal(bank.provider.books.size, 4)
  })

  test('cannot trigger an unlimited number of look-ups by returning repeatedly', async () => {
    const { bank, testServer, paid, get, comeBack } = await openShop(given)
    const path = makeReturnPath(testServer.app.payTools.rootSecret, await paid.payment())
    await Promise.all(Array.from({ length: 12 }, () => get(path)))
    await testServer.storage.write(
      (tx) => tx.sql`update payments set looks = ${promptQueriesMax - 3} where id = ${paid.key}`,
    )
    const { lookUp: before } = bank.provider.calls
    for (let i = 0; i < 3; i += 1) assert.equal(await comeBack(), 'redirect')
    assert.equal(bank.provider.calls.lookUp, before + 3)
    // From here on each has to wait for its turn, and may.
    bank.provider.act(paid.key, 'pay')
    const did = countStorage(testServer)
    const landing = comeBack()
    await until(async () => did.reads > 3, 'some time of waiting')
    assert.equal((await paid.payment()).looksWanted, promptQueriesMax + 1)
    assert.equal(bank.provider.calls.lookUp, before + 3)
    assert.equal(did.writes, 1, 'who waits only reads')
    testServer.clock.now += 5_000
    assert.equal(await landing, 'shop')
    assert.equal(bank.provider.calls.lookUp, before + 4)
  })

  test('triggers a look-up by loading the page after ten seconds; the polling of the page triggers one only after a minute', async () => {
    const { bank, testServer, paid, get, look, state } = await openShop(given)
    const asked = () => bank.provider.calls.lookUp
    await look()
    assert.deepEqual([await state(), asked()], ['redirect', 0], 'it has just begun')
    testServer.clock.now += 10_000
    assert.deepEqual([await state(), asked()], ['redirect', 0])
    await Promise.all([look(), look(), look()])
    assert.equal(asked(), 1)
    testServer.clock.now += 50_000
    assert.deepEqual([await state(), asked()], ['redirect', 1])
    testServer.clock.now += 10_000
    bank.provider.act(paid.key, 'pay')
    assert.deepEqual([await state(), asked()], ['completed', 2])
    assert.equal((await get('/c/none/state')).status, 404)
  })
})

function payByBank(testServer: TestServer, secret: string) {
  return checkoutOf(testServer).then(async ({ look }) => {
    const { session } = await look(secret)
    const chosen = { provider: 'redirect', method: 'bank', details: {}, attempt: newId('pay') }
    return testServer.app.checkout.pay(secret, {
      version: session.version,
      expectedTotal: session.totals.total,
      ...chosen,
    })
  })
}

async function recoverSoon(testServer: TestServer, ms: number): Promise<void> {
  testServer.clock.now += ms
  await recoverPayments(testServer.app.payTools)
}
