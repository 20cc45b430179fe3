// The billing address: asked for only by methods that want one, given to their provider, and stored nowhere.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { berlin, market, paris } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { createRedirectProvider } from '../harness/redirectProvider.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer } from '../harness/testServer.ts'
import { createProviders, type PaymentProvider, type StartRequest } from '../src/domain/payments/port.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('a billing address', (given) => {
  async function openShop(items: Readonly<Record<string, number>>) {
    const requests: StartRequest[] = []
    const bank = createRedirectProvider()
    const acme: PaymentProvider = {
      ...bank,
      name: 'acme',
      methods: [
        { id: 'billed', labelKey: 'acme.billed', noteKey: null, fields: [], shape: 'later', billing: true },
        { id: 'plain', labelKey: 'acme.plain', noteKey: null, fields: [], shape: 'later' },
      ],
      texts: { en: { 'acme.billed': 'Acme with a bill', 'acme.plain': 'Acme' } },
      async start({ key }, request) {
        requests.push(request)
        return { kind: 'declined', code: 'declined', brand: null, last4: key.slice(-4) }
      },
    }
    const testServer = await openTestServer(given, {
      shops: [market],
      payHooks: { providers: createProviders([acme]) },
    })
    const checkout = await checkoutOf(testServer)
    const { secret } = await checkout.ready(items)
    return {
      testServer,
      requests,
      page: async () => (await testServer.fetch(`/c/${secret}`)).text,
      async pay(method: 'billed' | 'plain', fields: Readonly<Record<string, string>> = {}) {
        const { session } = await checkout.look(secret)
        const body = new URLSearchParams({
          version: String(session.version),
          expectedTotal: String(session.totals.total),
          attempt: newId('pay'),
          method: `acme:${method}`,
          ...fields,
        })
        return testServer.fetch(`/c/${secret}/pay`, { method: 'POST', body, redirect: 'manual' })
      },
    }
  }

  const billing = (fields: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [`billed.billing.${name}`, value]))

  test('is asked for by a payment method that needs it, and by no other', async () => {
    const shop = await openShop({ CARD: 1 })
    const text = await shop.page()
    assert.match(text, /My billing address is different/)
    assert.match(
      text,
      /<input id="billed-billing-line1" name="billed\.billing\.line1"[^>]* autocomplete="billing address-line1"/,
    )
    assert.doesNotMatch(text, /plain-billing/)
  })

  test('is the delivery address unless the shopper enters another one, and is passed only to a method that needs it', async () => {
    const shop = await openShop({ CARD: 1 })
    await shop.pay('billed', billing(paris))
    await shop.pay('plain', billing({ ...paris, other: '1' }))
    const { phone: _, ...address } = berlin
    assert.deepEqual(
      shop.requests.map((request) => request.billing && { ...request.billing, phone: undefined }),
      [{ ...address, phone: undefined }, undefined],
    )
  })

  test('that differs is checked by the rules of its country, passed to the provider, and never stored', async () => {
    const shop = await openShop({ CARD: 1 })
    const secretive = { ...paris, name: 'Bill Tobe Paid', line1: '7 Rue Plantée', other: '1' }
    assert.equal((await shop.pay('billed', billing(secretive))).status, 303)
    assert.deepEqual(shop.requests[0]?.billing, {
      name: 'Bill Tobe Paid',
      line1: '7 Rue Plantée',
      city: 'Paris',
      country: 'FR',
      postalCode: '75001',
    })
    const { text } = await shop.pay('billed', billing({ ...secretive, postalCode: '1', line1: '' }))
    assert.match(text, /<a href="#billed-billing-line1">Please fill in: Street and number\.<\/a>/)
    assert.match(
      text,
      /<a href="#billed-billing-postalCode">Please check: Postal code\. It looks like 75001 in this country\.<\/a>/,
    )
    assert.match(text, /id="billed-billing-other"[^>]* checked/)
    assert.match(text, /id="billed-billing-name"[^>]* value="Bill Tobe Paid"/)
    assert.equal(shop.requests.length, 1)
    const rows = await shop.testServer.storage.read((db) =>
      Promise.all([
        db.sql`select * from payments`,
        db.sql`select * from checkout_sessions`,
        db.sql`select * from carts`,
        db.sql`select * from addresses`,
        db.sql`select * from events`,
      ]),
    )
    assert.ok(rows.every((table) => table.length > 0))
    assert.doesNotMatch(JSON.stringify(rows), /Tobe|Plantée/)
    assert.doesNotMatch(JSON.stringify(shop.testServer.lines()), /Tobe|Plantée/)
  })

  test('shows the folded region field if the country requires a region and none was typed', async () => {
    const shop = await openShop({ CARD: 1 })
    assert.match(await shop.page(), /<details class="more" id="billed-billing-region-fold">/)
    const chicago = {
      name: 'Ada',
      line1: '1 Main Street',
      city: 'Chicago',
      postalCode: '60601',
      country: 'US',
      other: '1',
    }
    const { text } = await shop.pay('billed', billing(chicago))
    assert.match(text, /<a href="#billed-billing-region">Please fill in: State\.<\/a>/)
    assert.doesNotMatch(text, /id="billed-billing-region-fold"/)
    await shop.pay('billed', billing({ ...chicago, region: 'Illinois' }))
    assert.equal(shop.requests[0]?.billing?.region, 'IL')
  })

  test('must be typed if nothing is shipped', async () => {
    const shop = await openShop({ COURSE: 1 })
    assert.doesNotMatch(await shop.page(), /type="checkbox"/)
    const { text } = await shop.pay('billed')
    assert.match(text, /<a href="#billed-billing-name">Please fill in: Full name\.<\/a>/)
    assert.equal(shop.requests.length, 0)
    const { phone: _, ...address } = berlin
    await shop.pay('billed', billing(address))
    assert.deepEqual(shop.requests[0]?.billing, address)
  })
})
