// The stand-in for Mollie keeps the documented promises, which the tests of the adapter build on.

import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { type MollieStandIn, openMollie } from '../harness/mollie/standin.ts'

let mollie: MollieStandIn
let now = Date.parse('2026-06-01T12:00:00.000Z')

before(async () => {
  mollie = await openMollie({ clock: () => new Date(now) })
})
beforeEach(() => {
  const { books } = mollie.profile.test
  books.opensCancelable = false
})
after(() => mollie.close())

const wanted = {
  amount: { currency: 'EUR', value: '10.00' },
  description: 'Bloom',
  redirectUrl: 'https://shop.example/r/x',
}

async function ask(method: string, path: string, { key = mollie.profile.test.key, idempotency = '', body = {} } = {}) {
  const response = await fetch(mollie.url + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(idempotency && { 'idempotency-key': idempotency }),
      'content-type': 'application/json',
    },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  const answer = (await response.json()) as any
  return { status: response.status, isReplayed: response.headers.get('idempotent-replayed') === 'true', body: answer }
}

const create = (more: object = {}, idempotency = '') =>
  ask('POST', '/v2/payments', { body: { ...wanted, ...more }, idempotency })

test('an idempotency key replays its response, refuses other parameters and concurrent use, and can be forgotten', async () => {
  const first = await create({}, 'one')
  const again = await create({}, 'one')
  assert.deepEqual([first.status, again.status, again.isReplayed], [201, 201, true])
  assert.equal(first.body.id, again.body.id)
  assert.equal((await create({ description: 'other' }, 'one')).status, 400)
  const held = mollie.hold({ method: 'POST' })
  const slow = create({}, 'two')
  await held.arrived
  assert.equal((await create({}, 'two')).status, 409)
  held.release()
  assert.equal((await slow).status, 201)
  mollie.profile.test.forgetKeys()
  assert.notEqual((await create({}, 'one')).body.id, first.body.id)
})

test('a request can be lost before or after it was processed, and can fail with a chosen status', async () => {
  const { payments } = mollie.profile.test.books
  const count = payments.size
  mollie.lose('before')
  await assert.rejects(create())
  assert.equal(payments.size, count)
  mollie.lose('after')
  await assert.rejects(create())
  assert.equal(payments.size, count + 1)
  mollie.fail(429)
  assert.equal((await create()).status, 429)
})

test('the hosted page redirects back, and payments expire or are cancelled', async () => {
  const { books } = mollie.profile.test
  const { body } = await create({ cancelUrl: 'https://shop.example/r/y' })
  const page = body._links.checkout.href
  assert.match(await (await fetch(page)).text(), /EUR 10\.00/)
  const press = (act: string) => fetch(page, { method: 'POST', body: new URLSearchParams({ act }), redirect: 'manual' })
  assert.equal((await ask('DELETE', `/v2/payments/${body.id}`)).status, 422)
  assert.equal((await press('cancel')).headers.get('location'), 'https://shop.example/r/y')
  assert.equal((await ask('GET', `/v2/payments/${body.id}`)).body.status, 'canceled')

  const expiring = (await create()).body.id
  now += 16 * 60_000
  assert.equal((await ask('GET', `/v2/payments/${expiring}`)).body.status, 'expired')
  books.opensCancelable = true
  const open = (await create()).body.id
  assert.equal((await ask('DELETE', `/v2/payments/${open}`)).body.status, 'canceled')
})

test('refunds cannot exceed the payment, and lists begin with the newest entry', async () => {
  const { books } = mollie.profile.test
  const { body } = await create()
  books.act(body.id, { kind: 'pay' })
  const refund = (value: string) =>
    ask('POST', `/v2/payments/${body.id}/refunds`, { body: { amount: { currency: 'EUR', value } } })
  assert.deepEqual([(await refund('6.00')).status, (await refund('5.00')).status], [201, 422])
  books.moveRefunds('failed')
  assert.equal((await refund('10.00')).body.status, 'pending')
  books.chargeBack(body.id)
  const whole = await ask('GET', `/v2/payments/${body.id}?embed=refunds,chargebacks`)
  assert.deepEqual([whole.body._embedded.refunds.length, whole.body._embedded.chargebacks.length], [2, 1])
  const page = await ask('GET', '/v2/payments?limit=1')
  assert.equal(page.body._embedded.payments[0].id, body.id)
  const { pathname, search } = new URL(page.body._links.next.href)
  assert.notEqual((await ask('GET', pathname + search)).body._embedded.payments[0].id, body.id)
})

test('a key reads only its own profile and mode', async () => {
  const { body } = await create()
  for (const key of [mollie.profile.live.key, mollie.addProfile('Rival').test.key])
    assert.equal((await ask('GET', `/v2/payments/${body.id}`, { key })).status, 404)
  assert.equal((await ask('GET', '/v2/profiles/me', { key: 'test_nobody' })).status, 401)
  assert.equal((await ask('GET', '/v2/profiles/me')).body.name, 'Bloom')
})

test('a request that the documentation does not allow is refused, and fails the test', async () => {
  const own = await openMollie()
  const post = (body: object) =>
    fetch(`${own.url}/v2/payments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own.profile.test.key}` },
      body: JSON.stringify(body),
    })
  for (const wrong of [
    { ...wanted, amount: { currency: 'EUR', value: 10 } },
    { ...wanted, locale: 'xx_XX' },
    { ...wanted, expiresAt: '2026-06-01' },
    { ...wanted, metadata: { long: 'x'.repeat(1_024) } },
  ])
    assert.equal((await post(wrong)).status, 400)
  assert.equal((await post({ ...wanted, amount: { currency: 'JPY', value: '10.00' } })).status, 422)
  await assert.rejects(own.close(), /sent what it refuses/)
})
