// The checkout without script, form by form: every way through it, what is refused and why, and what guards its posts.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { before, describe, test } from 'node:test'
import { cards } from '../harness/checkout.ts'
import { openPageTestServer, type PageSession, type PageTestServer, pageShop, repriced } from '../harness/pageShop.ts'
import { type Scriptless, scriptless } from '../harness/scriptless.ts'
import { anyEngine } from '../harness/storage.ts'
import { newId } from '../src/platform/kit/ids.ts'

const challengeCard = '4000002500003155'
const lateCard = '4000000000000259'
const minute = 60_000

const leipzig = {
  email: 'ada@example.com',
  name: 'Ada Byron',
  line1: 'Karl-Heine-Straße 12',
  postalCode: '04229',
  city: 'Leipzig',
}

const cardFields = (number: string) => ({
  'card.number': number,
  'card.expiry': '09 / 29',
  'card.cvc': '123',
  'card.name': 'Ada Byron',
})

anyEngine('the checkout without script', (given) => {
  let shop: PageTestServer
  before(async () => {
    shop = await openPageTestServer(given)
  })

  async function visit({ path }: PageSession, headers: Readonly<Record<string, string>> = {}): Promise<Scriptless> {
    const page = scriptless(shop.testServer.origin, headers)
    await page.open(path)
    assert.equal(page.status, 200)
    return page
  }

  // Of the open page: the button that pays, with its words for the chosen method.
  const payButton = (page: Scriptless) =>
    page.buttons().find((name) => /^(Pay|Place order|Order with|Buy and)/.test(name))

  async function pay(page: Scriptless, number: string): Promise<void> {
    const button = payButton(page)
    assert.ok(button, 'it can be paid')
    await page.press(button, cardFields(number))
  }

  const setQuantity = (page: Scriptless, code: string, quantity: string) =>
    page.press('Update', { quantity }, { skuId: shop.checkout.carts.sku(code) })

  const thanks = ({ id }: PageSession) => `${shop.shopOrigin}/thanks?session=${id}`

  describe('buying', () => {
    test('a shopper sets quantity, promotion code, details and delivery, pays, and returns to the shop', async () => {
      const session = await shop.open()
      const page = await visit(session)
      await setQuantity(page, 'MUG', '3')
      assert.equal(page.path, `${session.path}#items`)
      assert.match(page.text(), /€84\.00/)

      await page.press('Apply', { code: 'OLD' })
      assert.deepEqual(page.alerts(), ['This code has expired.'])
      assert.equal(page.focused()?.attributes.get('name'), 'code')
      assert.deepEqual([page.field('code')?.value, page.field('code')?.isInvalid], ['OLD', true])
      await page.press('Apply', { code: 'welcome10' })
      assert.ok(page.buttons().includes('Remove code WELCOME10'))
      assert.equal(payButton(page), undefined)

      await page.press('Use this country', { country: 'DE' })
      await page.press('Continue to payment', leipzig)
      assert.equal(page.path, `${session.path}#payment`)
      await page.press('Save changes', { shippingOptionId: 'express' })
      assert.match(payButton(page) ?? '', /^Pay €98\.91/)
      const { customer, address } = await shop.view(session)
      assert.deepEqual([customer.email, address?.line1], ['ada@example.com', 'Karl-Heine-Straße 12'])
      await pay(page, cards.approved)
      assert.equal(page.leftTo, thanks(session))
      assert.deepEqual(await shop.collected(session), [9891])

      await page.open(session.path)
      assert.equal(page.heading(), 'Thank you for your order')
      await page.open(page.links().get('See the status of your order') ?? '')
      assert.equal(page.heading(), 'We have received your order')
    })

    test('an item and a promotion code can be removed', async () => {
      const session = await shop.open()
      await shop.testServer.app.checkout.applyCode(session.secret, 1, 'WELCOME10')
      const page = await visit(session)
      await page.press('Remove Linen tea towel')
      assert.doesNotMatch(page.text(), /Linen tea towel/)
      await page.press('Remove code WELCOME10')
      assert.ok(page.field('code'))
      assert.equal((await shop.view(session)).session.totals.total, 5600)
      assert.match(page.text(), /Total €56\.00/)
    })

    test('a free order asks for no card', async () => {
      const session = await shop.ready({ COURSE: 1 })
      const page = await visit(session)
      assert.equal(page.field('country'), undefined)
      await page.press('Apply', { code: 'GIFT' })
      assert.equal(page.field('card.number'), undefined)
      await page.press('Place order')
      assert.equal(page.leftTo, thanks(session))
      assert.equal((await shop.view(session)).session.status, 'completed')
    })

    test('after choosing a manual payment the page names the order and the amount that is still to be paid', async () => {
      const session = await shop.ready()
      const page = await visit(session)
      await page.press(payButton(page) ?? '', { method: 'manual:bank_transfer' })
      assert.equal(page.leftTo, thanks(session))
      await page.open(session.path)
      const { order } = await shop.view(session)
      assert.ok(order)
      assert.match(page.text(), /€75\.80 is still to be paid in the way you chose/)
      assert.ok(page.text().includes(order.number))
    })

    test('a declined card is reported, and another card pays', async () => {
      const session = await shop.ready()
      const page = await visit(session)
      await pay(page, cards.insufficientFunds)
      assert.match(page.alerts().join(), /There is not enough money on this card/)
      assert.equal(page.field('card.number')?.value, '')
      await pay(page, cards.approved)
      assert.equal(page.leftTo, thanks(session))
      assert.deepEqual(await shop.collected(session), [7580])
    })

    test('the notice of a declined payment disappears when the next attempt has an error', async () => {
      const page = await visit(await shop.ready())
      await pay(page, cards.declined)
      await page.press('Save changes', { email: '' })
      assert.match(page.text(), /The payment did not go through/)
      await page.open(page.path.replace(/\/details$/, ''))
      await page.press(payButton(page) ?? '', { ...cardFields(''), 'card.number': '' })
      assert.match(page.text(), /Please check the card number\./)
      assert.doesNotMatch(page.text(), /The payment did not go through/)
    })

    test('wrong card details are reported, and not sent back to the page', async () => {
      const page = await visit(await shop.ready())
      await pay(page, '1234')
      assert.match(page.field('card.number')?.description ?? '', /Please check the card number\./)
      for (const name of Object.keys(cardFields(''))) assert.equal(page.field(name)?.value, '')
      assert.doesNotMatch(page.html, /value="(?:1234|123|09 \/ 29|Ada Byron)"/)
    })

    test('a shopper can pass a bank challenge after failing one', async () => {
      const session = await shop.ready()
      const page = await visit(session)
      await pay(page, challengeCard)
      assert.equal(page.heading(), 'Confirm your payment')
      await page.press('Refuse')
      assert.match(page.alerts().join(), /not confirmed with your bank/)
      await pay(page, challengeCard)
      await page.press('Confirm payment')
      assert.equal(page.leftTo, thanks(session))
      assert.deepEqual(await shop.collected(session), [7580])
    })

    test('during a slow bank response the page reloads itself until the payment has an outcome', async () => {
      const session = await shop.ready()
      const page = await visit(session)
      await shop.whileBankIsSlow(async () => {
        await pay(page, lateCard)
        for (const path of [session.path, `${session.path}/wait`]) {
          await page.open(path)
          assert.deepEqual([page.leftTo, page.heading()], [null, 'We are checking with your bank'])
          const reload = `<noscript><meta http-equiv="refresh" content="4;url=${session.path}/wait"></noscript>`
          assert.ok(page.html.includes(reload))
          assert.equal(page.links().get('Check now'), `${session.path}/wait`)
        }
      })
      shop.testServer.clock.now += minute
      await page.open(`${session.path}/wait`)
      assert.equal(page.leftTo, thanks(session))
    })
  })

  describe('the address', () => {
    test('the country decides which fields are shown, and typed values stay', async () => {
      const session = await shop.open()
      const page = await visit(session)
      await page.press('Use this country', { country: 'US', email: 'ada@example.com', line1: '1 Main Street' })
      assert.equal(page.field('postalCode')?.label, 'ZIP code')
      assert.deepEqual([page.field('line1')?.value, page.field('email')?.value], ['1 Main Street', 'ada@example.com'])
      const town = { name: 'Ada Byron', city: 'Springfield', postalCode: '62701' }
      await page.press('Continue to payment', town)
      assert.deepEqual(
        [page.field('region')?.isInvalid, page.field('region')?.description],
        [true, 'Please choose: State.'],
      )
      assert.match(page.title(), /^Error: /)
      assert.match(page.alerts().join(), /Please choose: State\./)
      assert.equal(page.focused()?.attributes.get('role'), 'alert')
      assert.equal(page.links().get('Please choose: State.'), '#region')
      await page.press('Continue to payment', { region: 'IL' })
      assert.ok(payButton(page))

      await page.press('Use this country', { country: 'GB' })
      assert.equal(page.field('postalCode')?.label, 'Postcode')
      await page.press('Save changes')
      assert.match(page.field('postalCode')?.description ?? '', /It looks like SW1A 1AA/)
      assert.equal(page.field('postalCode')?.value, '62701')
      assert.equal((await shop.view(session)).address?.country, 'US')
    })

    test('a country that the shop stopped delivering to is refused and no longer listed', async () => {
      const page = await visit(await shop.open())
      await page.press('Use this country', { country: 'FR' })
      const [world] = pageShop.shipping ?? []
      assert.ok(world)
      await shop.during({ ...pageShop, shipping: [{ ...world, countries: ['AT', 'DE'] }] }, async () => {
        await page.press('Continue to payment', { ...leipzig, postalCode: '75001' })
        assert.match(page.field('country')?.description ?? '', /does not deliver to that country/)
        assert.ok(!page.field('country')?.options.includes('France'))
        await page.press('Continue to payment', { country: 'DE', postalCode: '04229' })
        assert.ok(payButton(page))
      })
    })

    test('with an address to which nothing can be delivered the checkout cannot be paid', async () => {
      const page = await visit(await shop.open())
      await page.press('Use this country', { country: 'IS' })
      await page.press('Continue to payment', { ...leipzig, postalCode: '101' })
      assert.match(page.text(), /there is no delivery method for these items to your address/)
      assert.equal(payButton(page), undefined)
      await setQuantity(page, 'MUG', '1')
      assert.ok(payButton(page))
    })

    for (const language of ['en', 'de', 'fr', 'es', 'nl', 'ja', 'ar']) {
      test(`the page is in ${language} if the session asks for it`, async () => {
        const page = await visit(await shop.ready(undefined, { locale: language }), { 'accept-language': 'it' })
        assert.match(page.html, new RegExp(`<html lang="${language}"`))
        assert.doesNotMatch(page.html, /\{(?!time|amount)\w+\}|undefined|\[object/)
      })
    }
  })

  describe('changes during the checkout', () => {
    test('a changed total is shown first, and only a total that was shown is charged', async () => {
      const session = await shop.ready()
      const page = await visit(session)
      await shop.during(repriced({ TOWEL: 1910 }), async () => {
        await pay(page, cards.approved)
        assert.match(page.alerts().join(), /The total has changed from €75\.80 to €80\.00/)
        assert.equal(page.focused()?.attributes.get('role'), 'alert')
        assert.match(payButton(page) ?? '', /^Pay €80\.00/)
        assert.deepEqual(await shop.collected(session), [])
        await pay(page, cards.approved)
        assert.equal(page.leftTo, thanks(session))
        assert.deepEqual(await shop.collected(session), [8000])
      })
    })

    test('missing stock is reported, and one press reduces the order to what is left', async () => {
      const session = await shop.ready({ 'BOWL-A': 2, TOWEL: 1 }, { expiresInSeconds: 3_600 })
      const page = await visit(session)
      // Its stock is held for a quarter of an hour, and then another shopper buys.
      shop.testServer.clock.now += 20 * minute
      const other = await shop.checkout.ready({ 'BOWL-A': 2 })
      await shop.checkout.pay(other.secret, other.view)
      await pay(page, cards.approved)
      assert.match(page.alerts().join(), /Only one of “Bowl A” is left\./)
      assert.equal(page.focused()?.attributes.get('role'), 'alert')
      await page.press('Take the last one')
      assert.match(page.text(), /Total €47\.80/)
      const { items } = (await shop.view(session)).session
      assert.deepEqual([items[0]?.quantity, await shop.collected(session)], [1, []])
    })

    test('a form from an outdated tab is refused, and the response shows the current state', async () => {
      const session = await shop.ready()
      const [page, other] = [await visit(session), await visit(session)]
      await setQuantity(other, 'MUG', '5')
      await setQuantity(page, 'TOWEL', '2')
      assert.match(page.alerts().join(), /changed in another window/)
      assert.deepEqual(
        (await shop.view(session)).session.items.map(({ quantity }) => quantity),
        [5, 1],
      )
      assert.match(page.text(), /Total €159\.80/)
    })

    test('a quantity above the limit and one that is not a whole number are refused', async () => {
      const session = await shop.ready()
      const page = await visit(session)
      await setQuantity(page, 'MUG', '11')
      assert.match(page.alerts().join(), /You can order at most 10 of “Speckled stoneware mug”\./)
      await setQuantity(page, 'MUG', '-1')
      assert.match(page.alerts().join(), /Please enter a whole number for the quantity\./)
      assert.equal((await shop.view(session)).session.items[0]?.quantity, 2)
    })

    test('an expired checkout can be started again with the same items', async () => {
      const session = await shop.ready()
      shop.testServer.clock.now += 31 * minute
      const page = await visit(session)
      assert.equal(page.heading(), 'This checkout has expired')
      await page.press('Start again with the same items')
      assert.match(page.path, /^\/c\/[\w-]+$/)
      assert.notEqual(page.path, session.path)
      assert.equal(page.field('email')?.value, 'ada@example.com')
      assert.match(page.text(), /Speckled stoneware mug .* Linen tea towel/)
    })

    test('one press extends the time, and typed values stay', async () => {
      const page = await visit(await shop.open())
      assert.ok(!page.buttons().includes('Give me more time'))
      shop.testServer.clock.now += 27 * minute
      await page.open(page.path)
      assert.match(page.text(), /Only 3 minutes left to pay\./)
      await page.press('Give me more time', { name: 'Ada' })
      assert.match(page.text(), /Time left to pay: 30 minutes/)
      assert.equal(page.field('name')?.value, 'Ada')
      assert.ok(!page.buttons().includes('Give me more time'))
    })

    test('a cancelled checkout returns the shopper to the shop', async () => {
      const session = await shop.ready()
      const page = await visit(session)
      await page.press('Cancel checkout')
      assert.equal(page.leftTo, `${shop.shopOrigin}/basket`)
      assert.equal((await shop.view(session)).session.status, 'cancelled')
      await page.open(session.path)
      assert.equal(page.heading(), 'This checkout was cancelled')
    })

    test('the address of a page that was the response to a post can be loaded, and redirects to the checkout', async () => {
      const session = await shop.open()
      const page = await visit(session)
      await page.press('Continue to payment')
      assert.equal(page.path, `${session.path}/details`)
      await page.open(page.path)
      assert.equal(page.path, session.path)
    })
  })

  describe('requests of the page', () => {
    test('the same form sent twice makes one payment', async () => {
      const session = await shop.ready()
      const { version, totals } = (await shop.view(session)).session
      const fields = {
        method: 'test:card',
        version: String(version),
        expectedTotal: String(totals.total),
        attempt: newId('pay'),
        ...cardFields(cards.approved),
      }
      const sent = await Promise.all([post(session, 'pay', fields), post(session, 'pay', fields)])
      // The one that comes second may be answered before the first is paid.
      const leadsTo = [thanks(session), `${session.path}#payment`]
      for (const { status, headers } of sent)
        assert.deepEqual([status, leadsTo.includes(String(headers.location))], [303, true])
      const later = await post(session, 'pay', fields)
      assert.deepEqual([later.status, later.headers.location], [303, thanks(session)])
      assert.deepEqual(await shop.collected(session), [7580])
    })

    test('403 for a post from another site, and nothing happens', async () => {
      const session = await shop.ready()
      for (const headers of [
        { origin: 'https://evil.example.com' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site', origin: 'null' },
      ]) {
        const { status, text } = await post(session, 'cancel', {}, headers)
        assert.equal(status, 403)
        assert.match(text, /another site/)
      }
      assert.equal((await shop.view(session)).session.status, 'open')
    })

    test('413 for a form that is too large, 415 for another content type', async () => {
      const session = await shop.open()
      assert.equal((await post(session, 'code', { code: 'x'.repeat(17_000) })).status, 413)
      assert.equal((await post(session, 'code', {}, { 'content-type': 'application/json' })).status, 415)
      assert.equal((await post(session, 'code', { code: 'WELCOME10', version: '1', price: '1' })).status, 303)
    })

    test('404 with the same page for an unknown secret and an unknown action', async () => {
      const session = await shop.open()
      const lost = await post({ secret: 'nothing' }, 'cancel', {})
      const odd = await post(session, 'constructor', {})
      assert.deepEqual([lost.status, odd.status, lost.text], [404, 404, odd.text])
      assert.doesNotMatch(lost.text, /Alder/)
    })

    test('every page has a content security policy, and is neither cached nor indexed', async () => {
      const page = await visit(await shop.ready())
      const policy = page.headers.get('content-security-policy') ?? ''
      assert.match(policy, /default-src 'none'/)
      assert.ok(policy.includes(`form-action 'self' ${shop.shopOrigin};`))
      assert.doesNotMatch(policy, /unsafe/)
      assert.equal(page.headers.get('cache-control'), 'no-store')
      assert.equal(page.headers.get('referrer-policy'), 'no-referrer')
      assert.match(page.headers.get('x-robots-tag') ?? '', /noindex/)
      assert.doesNotMatch(page.html, /<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=/i)
      const assets = [...page.html.matchAll(/(?:href|src)="(\/checkout\/[^"]+)"/g)].map(([, href = '']) => href)
      assert.ok(assets.length >= 2)
      for (const href of assets) {
        const asset = await shop.testServer.fetch(href)
        assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      }
    })

    test('texts of merchants and shoppers are shown as text, not as markup', async () => {
      // No shop file can say this.
      await shop.testServer.storage.write(
        async (tx) => tx.sql`update skus set image = 'javascript:alert(1)' where code = 'MARKUP'`,
      )
      const session = await shop.open({ MARKUP: 1 })
      assert.equal((await shop.view(session)).session.items[0]?.imageUrl, 'javascript:alert(1)')
      const page = await visit(session)
      await page.press('Continue to payment', { email: '"><script>alert(1)</script>' })
      assert.equal(page.field('email')?.value, '"><script>alert(1)</script>')
      assert.match(page.text(), /<img src=x onerror=alert\(1\)>/)
      assert.doesNotMatch(page.html, /<script>|<img src=x|javascript:/)
    })
  })

  // Not by fetch, which writes some of these headers itself.
  function post(
    { secret }: { secret: string },
    action: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ status: number; text: string; headers: Readonly<Record<string, unknown>> }> {
    return new Promise((resolve, reject) => {
      const sent = request(
        `${shop.testServer.origin}/c/${secret}/${action}`,
        { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers } },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            text += chunk
          })
          response.on('end', () => resolve({ status: response.statusCode ?? 0, text, headers: response.headers }))
        },
      )
      sent.on('error', reject)
      sent.end(new URLSearchParams(fields).toString())
    })
  }
})
