// A page that cannot be answered tells a shopper so in words, in their language and behind the same headers as ever; the log has
// the defect.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { market } from '../harness/carts.ts'
import { type Checkout, checkoutOf } from '../harness/checkout.ts'
import { type House, openHouse } from '../harness/house.ts'
import { eachEngine } from '../harness/storage.ts'
import type { Storage } from '../src/storage/storage.ts'

const german = { headers: { 'accept-language': 'de' } }

eachEngine('a page that fails', (given) => {
  let house: House
  let checkout: Checkout
  let secret: string
  let statusPath: string

  before(async () => {
    house = await openHouse(given, { shops: [market] })
    checkout = await checkoutOf(house)
    secret = (await checkout.ready({ CARD: 1 })).secret
    const bought = await checkout.ready({ CARD: 1 })
    await checkout.pay(bought.secret, bought.view)
    statusPath = (await checkout.look(bought.secret)).order?.statusPath ?? ''
    assert.equal((await house.fetch(statusPath)).status, 200)
  })

  async function brokenly(
    breaks: (storage: Storage) => Promise<unknown>,
    mends: typeof breaks,
    work: () => Promise<void>,
  ) {
    await breaks(house.storage)
    try {
      await work()
    } finally {
      await mends(house.storage)
    }
  }

  async function assertFailed(path: string, init: RequestInit = {}): Promise<void> {
    const good = await house.fetch('/c/nobody', german)
    const defects = () => house.lines().filter(({ message }) => message === 'defect').length
    const before = defects()
    const answer = await house.fetch(path, { ...init, headers: german.headers, redirect: 'manual' })
    assert.equal(answer.status, 500)
    assert.match(answer.text, /^<!doctype html>\n<html lang="de"/)
    assert.match(answer.text, /Der Fehler liegt bei uns\./)
    const names = [
      'content-type',
      'cache-control',
      'referrer-policy',
      'content-security-policy',
      'x-robots-tag',
      'vary',
    ]
    for (const name of names) assert.equal(answer.headers.get(name), good.headers.get(name), name)
    assert.match(answer.headers.get('x-request-id') ?? '', /^req_/)
    assert.equal(defects(), before + 1)
  }

  test('shows the checkout’s shopper a page, at each of its addresses', async () => {
    const set = (text: string) => (storage: Storage) =>
      storage.write((tx) => tx.sql`update checkout_sessions set metadata = ${text} where status = 'open'`)
    await brokenly(set('not JSON'), set('{}'), async () => {
      await assertFailed(`/c/${secret}`)
      await assertFailed(`/c/${secret}/cancel`, { method: 'POST', body: new URLSearchParams() })
    })
    assert.equal((await house.fetch(`/c/${secret}`)).status, 200)
  })

  test('shows a page to anyone who looks at an order', async () => {
    const set = (text: string) => (storage: Storage) =>
      storage.write((tx) => tx.sql`update merchants set links = ${text} where id = ${house.merchantId}`)
    await brokenly(set('not JSON'), set('{}'), () => assertFailed(statusPath))
    assert.equal((await house.fetch(statusPath)).status, 200)
  })

  test('shows a page for every link that is no page, and finds the one that a slash made longer', async () => {
    for (const path of [`/c/${secret}/`, `${statusPath}/`]) {
      const longer = await house.fetch(path, { redirect: 'manual' })
      assert.deepEqual([longer.status, longer.headers.get('location')], [303, path.slice(0, -1)])
    }
    const posted = { method: 'POST', body: new URLSearchParams() }
    for (const [path, init] of [
      ['/c/', {}],
      [`/c/${secret}/pay/again`, {}],
      [`/c/${secret}/pay/again`, posted],
      [`/c/${secret}`, posted],
      ['/o/', {}],
      [`${statusPath}/more`, {}],
    ] as const) {
      const answer = await house.fetch(path, { ...init, headers: german.headers })
      assert.equal(answer.status, 404, path)
      assert.match(answer.text, /^<!doctype html>\n<html lang="de"/)
    }
  })
})
