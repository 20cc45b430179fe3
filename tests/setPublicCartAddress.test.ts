import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { berlin, cartsOf, eventsOf, market, paris } from '../harness/carts.ts'
import { eachEngine, withoutLeases } from '../harness/storage.ts'
import { assertError, openTestServer, testSecret } from '../harness/testServer.ts'
import { decryptAddress } from '../src/domain/addresses/vault.ts'

const tokyo = {
  name: 'Yuki',
  line1: '1-1 Chiyoda',
  city: 'Tokyo',
  region: 'Tokyo',
  postalCode: '100-0001',
  country: 'JP',
}

eachEngine('setPublicCartAddress', (given) => {
  test('200 with a token, a summary, shipping costs, and totals with the tax of the destination', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ 'ROSE-12': 2 })
    // 2 × 900 g need the second step, 1990. France taxes all of it with 20 %: 7000 − 7000/1.2 = 1167, 1990 − 1990/1.2 = 332.
    const { body } = await carts.address(cartId, paris)
    assert.deepEqual(body.data, {
      cartId,
      cartVersion: 2,
      addressToken: body.data.addressToken,
      summary: { city: 'Paris', region: null, country: 'FR', postalCodePrefix: body.data.summary.postalCodePrefix },
      expiresAt: '2026-06-08T12:00:00.000Z',
      shippingOptions: [{ id: 'parcel', label: 'Parcel', amount: 1990 }],
      totals: { subtotal: 7000, discount: 0, shipping: 1990, tax: 1499, taxIncluded: true, total: 8990 },
    })
    assert.match(body.data.addressToken, /^adr_/)
    assert.ok(body.data.summary.postalCodePrefix.length < 5)
    const cart = (await carts.read(cartId)).body.data
    assert.deepEqual(cart.address, {
      token: body.data.addressToken,
      summary: 'Paris, FR',
      expiresAt: '2026-06-08T12:00:00.000Z',
    })
    assert.deepEqual(cart.shipping, { optionId: 'parcel', options: [{ id: 'parcel', label: 'Parcel', amount: 1990 }] })
  })

  test('200 replaces the address; the old token stops working, and the old address is erased', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const cartId = await carts.create({ CARD: 1 })
    const first = (await carts.address(cartId, berlin)).body.data.addressToken
    const second = (await carts.address(cartId, paris)).body.data.addressToken
    assert.notEqual(first, second)
    const look = (id: string) =>
      testServer.storage.read((db) =>
        decryptAddress(db, testSecret, {
          installationId: testServer.installationId,
          ownerId: cartId,
          id,
          now: testServer.clock.now,
        }),
      )
    assert.equal(await look(first), undefined)
    assert.equal((await look(second))?.name, 'Jean Martin')
    const rows = await testServer.storage.read((db) => db.sql`select id from addresses where id = ${first}`)
    assert.deepEqual(rows, [], 'nothing of it is left')
  })

  test('400 for each bad field with its path, before the cart is looked up', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    for (const [change, path] of [
      [{ postalCode: '1' }, '/address/postalCode'],
      [{ postalCode: undefined }, '/address/postalCode'],
      [{ country: 'XX' }, '/address/country'],
      [{ country: 'de' }, '/address/country'],
      [{ name: '' }, '/address/name'],
      [{ line1: undefined }, '/address/line1'],
      [{ phone: 'call me' }, '/address/phone'],
      [{ zip: '10117' }, '/address/zip'],
    ] as const) {
      const answer = await carts.address('cart_01h455vb4pex5vsknk084sn02q', { ...berlin, ...change })
      assertError(answer, 'invalid_request')
      assert.deepEqual(
        answer.body.error.issues.map((issue: { path: string }) => issue.path),
        [path],
      )
    }
  })

  test('409 for a country that is not served, unless nothing is shipped', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    assertError(await carts.address(await carts.create({ CARD: 1 }), tokyo), 'address_undeliverable')
    const { body } = await carts.address(await carts.create({ COURSE: 1 }), tokyo)
    assert.deepEqual([body.data.shippingOptions, body.data.totals.shipping], [[], 0])
  })

  test('200 without shipping options if the parcel is too heavy, and the cart reports it until an option is possible', async () => {
    const testServer = await openTestServer(given, { shops: [market] })
    const carts = await cartsOf(testServer)
    const codes = async (cartId: string) =>
      (await carts.read(cartId)).body.data.messages.map(({ code }: { code: string }) => code)
    const tooHeavy = await carts.create({ BOOK: 7 }) // 5600 g; the last step of the zone is 5000
    assert.deepEqual(await codes(tooHeavy), [])
    const { body } = await carts.address(tooHeavy, paris)
    assert.deepEqual([body.data.shippingOptions, body.data.totals.shipping], [[], 0])
    const { messages } = (await carts.read(tooHeavy)).body.data
    assert.deepEqual(messages, [
      {
        code: 'no_shipping_option',
        message: 'No shipping option carries these items to this address.',
        skuId: null,
        previous: null,
        current: null,
      },
    ])
    const { body: opened } = await testServer.ask('createHostedCheckoutSession', {
      body: { idempotencyKey: 'k', cartId: tooHeavy, successUrl: 'http://localhost/x' },
    })
    assert.deepEqual(opened.data.messages, messages)
    const page = await (await fetch(opened.data.url)).text()
    assert.match(page, /id="shipping-error">Sorry, there is no delivery method for these items to your address\.</)
    const [event] = (await eventsOf(testServer, tooHeavy)).slice(-1)
    assert.deepEqual(event?.body.data.cart.messages, messages)

    assert.deepEqual((await carts.patch(tooHeavy, 'BOOK', 6)).body.data.messages, [])
    // A country that nobody serves is told in the same way, once something must be sent there.
    const digital = await carts.create({ COURSE: 1 })
    await carts.address(digital, tokyo)
    assert.deepEqual(await codes(digital), [])
    assert.deepEqual(
      (await carts.put(digital, 'CARD', 1)).body.data.messages.map(({ code }: { code: string }) => code),
      ['no_shipping_option'],
    )
    await carts.remove(digital, 'CARD')
    assert.deepEqual(await codes(digital), [])
  })

  test('an address, except its town, is never in clear text in the database, the log, an event or a response', async () => {
    const testServer = await openTestServer(withoutLeases(given), { shops: [market] })
    const carts = await cartsOf(testServer)
    const planted = {
      name: 'Zacharias Planted',
      company: 'Plantedcorp',
      line1: 'Plantedstraße 77',
      line2: 'Plantedfloor',
      city: 'Berlin',
      postalCode: '10117',
      country: 'DE',
      phone: '+49 30 5550199',
    }
    const words = ['Zacharias', 'Plantedcorp', 'Plantedstra', 'Plantedfloor', '5550199', '10117']
    const cartId = await carts.create({ CARD: 1 })
    const answers = [
      await carts.address(cartId, planted, { idempotencyKey: 'addr' }),
      await carts.address(cartId, planted, { idempotencyKey: 'addr' }),
      await carts.address(cartId, { ...planted, postalCode: 'bad' }),
      await carts.read(cartId),
      await carts.patch(cartId, 'CARD', 2),
    ]
    assert.equal(answers[1]?.headers.get('idempotency-replayed'), 'true')
    const rows = await testServer.storage.read(async (db) => [
      await db.sql`select * from carts`,
      await db.sql`select * from cart_lines`,
      await db.sql`select * from addresses`,
      await db.sql`select * from idempotency_keys`,
      await db.sql`select * from events`,
    ])
    const everywhere = [JSON.stringify(rows), JSON.stringify(testServer.lines()), ...answers.map(({ text }) => text)]
    if (testServer.file)
      everywhere.push(
        (await readFile(testServer.file)).toString('latin1'),
        (await readFile(`${testServer.file}-wal`)).toString('latin1'),
      )
    for (const text of everywhere) for (const word of words) assert.ok(!text.includes(word), `${word} was found`)
    assert.ok((await eventsOf(testServer, cartId)).length >= 3)
  })
})
