// Payments that are waited for on a page: the page asks, and so does whatever is offered.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectBank, createBank, openBankTestServer, payAtBank } from '../harness/bank.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { eachEngine } from '../harness/storage.ts'
import { issueAt } from '../src/contract/issues.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('a page that waits for a payment', (given) => {
  test('queries the provider once the last look-up is ten seconds old, and redirects to the shop when the payment succeeded', async () => {
    const bank = createBank()
    const testServer = await openBankTestServer(given, bank)
    await connectBank(testServer)
    const paid = await payAtBank(testServer)
    const wait = () => testServer.fetch(`/c/${paid.secret}/wait`, { redirect: 'manual' })
    await wait()
    assert.equal(bank.provider.calls.lookUp, 0, 'it was answered when it began')
    testServer.clock.now += 10_000
    await wait()
    assert.equal(bank.provider.calls.lookUp, 1)
    bank.provider.act(paid.key, 'pay')
    testServer.clock.now += 9_999
    await Promise.all([wait(), wait(), wait()])
    assert.deepEqual([bank.provider.calls.lookUp, (await paid.session()).status], [1, 'processing'])
    testServer.clock.now += 1
    const answers = await Promise.all([wait(), wait(), wait()])
    assert.equal(bank.provider.calls.lookUp, 2)
    assert.ok(answers.some(({ headers }) => headers.get('location')?.startsWith('http://localhost:9/thanks')))
    assert.equal((await paid.session()).status, 'completed')
    await wait()
    assert.equal(bank.provider.calls.lookUp, 2, 'there is nothing left to ask')
  })

  test('queries the provider also if the response to the creation was lost, and missing responses are logged and counted', async () => {
    const bank = createBank()
    const testServer = await openBankTestServer(given, bank)
    await connectBank(testServer)
    bank.provider.loseNext('start')
    bank.provider.loseNext('lookUp')
    await assert.rejects(payAtBank(testServer), 'it has no reference yet')
    const [key = ''] = bank.provider.books.keys()
    const lines = () => testServer.lines().filter(({ message }) => message === 'payment provider gave no answer')
    assert.deepEqual(
      lines().map(({ call, paymentId, reason }) => [call, paymentId, reason]),
      [['start', key, 'threw']],
    )
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ sessionId: string }>`select checkout_session_id as "sessionId" from payments where id = ${key}`,
    )
    const checkout = await checkoutOf(testServer)
    const url = (await checkout.read(row?.sessionId ?? '')).body.data.url as string
    const wait = () => testServer.fetch(`${new URL(url).pathname}/wait`, { redirect: 'manual' })
    assert.equal((await wait()).status, 200)
    assert.equal(lines().length, 2)
    assert.match(
      (await testServer.fetch('/metrics')).text,
      /^cartwright_provider_calls_total\{provider="redirect",call="lookUp",outcome="threw"\} 1$/m,
    )
    testServer.clock.now += 10_000
    assert.equal((await wait()).headers.get('location'), new URL(url).pathname, 'found: the shopper pays there')
  })

  test('does not exist for a payment that its provider cannot accept, since that is neither offered nor started', async () => {
    const bank = createBank()
    const asked: unknown[] = []
    let isTaken = true
    bank.provider.offers = (facts) => {
      asked.push(facts)
      return isTaken
    }
    const testServer = await openBankTestServer(given, bank)
    await connectBank(testServer)
    const checkout = await checkoutOf(testServer)
    const { secret, view } = await checkout.ready({ 'ROSE-12': 1 })
    const offered = async () => (await checkout.look(secret)).methods.map(({ provider }) => provider)
    assert.ok((await offered()).includes('redirect'))
    const { currency, totals, version } = view.session
    assert.deepEqual(asked.at(-1), { currency, amount: totals.total })
    isTaken = false
    assert.ok(!(await offered()).includes('redirect'))
    const input = { version, expectedTotal: totals.total, details: {}, attempt: newId('pay') }
    const result = await testServer.app.checkout.pay(secret, { ...input, provider: 'redirect', method: 'bank' })
    assert.deepEqual(result?.problem, { code: 'invalid', issues: [issueAt('/method', 'not_offered')] })
    assert.deepEqual([result?.view.session.status, bank.provider.calls.start], ['open', 0])
  })
})
