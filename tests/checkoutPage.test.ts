// The shopper's pages in a real browser, with script and without: every way through the checkout, every state, readable for
// everyone, on a desk and on a telephone, without a word to any other host.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page as Tab } from 'playwright-core'
import { launchBrowser } from '../harness/browser.ts'
import { cards, createFakeCheckout, type FakeCheckout, type FakeSession, fakeOrder } from '../harness/fakeCheckout.ts'
import { type PageServer, servePages } from '../harness/pageServer.ts'
import { violations } from '../harness/readable.ts'
import { keepTabs } from '../harness/tabs.ts'
import { isWide } from '../harness/wide.ts'
import { checkoutPages } from '../src/checkout/page/pages.ts'
import { newId } from '../src/kit/ids.ts'
import { mediaPage } from '../src/site/media.ts'

let browser: Browser
const tabs = keepTabs(() => browser, { timeoutMs: 10_000 })
let server: PageServer
let shop: PageServer
let checkout: FakeCheckout
// Requests that reached a server with a referrer, which would be a secret told.
const referred: string[] = []

before(async () => {
  const clock = () => new Date()
  shop = await servePages(
    ['/thanks', '/basket'].map((path) => ({
      path,
      name: path,
      answer: async () => ({
        status: 200,
        body: '<!doctype html><html lang="en"><title>Shop</title><link rel="icon" href="data:,"><h1>The shop</h1>',
        headers: { 'content-type': 'text/html' },
      }),
    })),
  )
  checkout = createFakeCheckout({ clock, shop: () => shop.origin })
  const orderStatus = async (secret: string) => (secret.startsWith('order') ? fakeOrder : undefined)
  server = await servePages([
    ...checkoutPages({ checkout, orderStatus, origin: () => server.origin, clock }),
    mediaPage(join(import.meta.dirname, '../src/provisioning/demo/media')),
  ])
  for (const it of [server, shop])
    it.onRequest(({ url, headers }) => headers.referer && referred.push(`${url} from ${headers.referer}`))
  browser = await launchBrowser()
})

after(async () => {
  await browser.close()
  await server.close()
  await shop.close()
})

const sizes = { desk: { width: 1280, height: 900 }, telephone: { width: 390, height: 844 } }

function ready(fake: FakeSession): void {
  fake.customer = { email: 'ada@example.com', name: 'Ada Byron', phone: '' }
  fake.address = { name: 'Ada Byron', line1: 'Weg 12', city: 'Leipzig', postalCode: '04229', country: 'DE' }
  fake.session.address = { token: 'adr_1', summary: 'Leipzig, DE', expiresAt: fake.session.expiresAt }
  const options = [
    { id: 'standard', label: 'Standard', amount: 490 },
    { id: 'express', label: 'Express', amount: 990 },
  ]
  fake.session.shipping = { optionId: 'standard', options }
}

function over(status: FakeSession['session']['status'], paymentStatus: FakeSession['session']['paymentStatus']) {
  return (fake: FakeSession) => {
    ready(fake)
    fake.session.status = status
    fake.session.paymentStatus = paymentStatus
    if (status === 'completed') fake.orderNumber = 'AF-1042'
  }
}

const at = (secret: string) => `/c/${secret}`

// Every state with how to get there: what the desk says, and what the shopper does then.
const states: Readonly<
  Record<string, { make?: (fake: FakeSession) => void; path?: string; act?: (tab: Tab) => Promise<void> }>
> = {
  new: {},
  'ready to pay': { make: ready },
  'with a code': {
    make: (fake) => {
      ready(fake)
      fake.session.promotion = { state: 'applied', code: 'WELCOME10', amount: 0 }
    },
  },
  'with a pending code and nothing to send': {
    make: (fake) => {
      fake.needsShipping = false
      fake.session.promotion = { state: 'pending', code: 'BIG', amount: 0 }
    },
  },
  'many items': {
    make: (fake) => {
      const [first] = fake.session.items
      assert(first)
      fake.session.items = Array.from({ length: 9 }, (_, i) => ({ ...first, skuId: `sku_${i}` }))
    },
  },
  empty: {
    make: (fake) => {
      fake.session.items = []
    },
  },
  'wrong fields': {
    act: async (tab) => {
      await saveDetails(tab)
      await tab.locator('#problem').waitFor()
    },
  },
  'a rejected code': {
    make: ready,
    act: async (tab) => {
      await unfold(tab)
      await tab.locator('#code').fill('OLD')
      await tab.locator('#code-apply').click()
      await tab.locator('#code-error').waitFor()
    },
  },
  declined: {
    make: (fake) => {
      ready(fake)
      fake.session.lastPaymentError = { code: 'declined', message: '', at: '' }
    },
  },
  'another total': {
    make: (fake) => {
      ready(fake)
      fake.formerTotal = 7000
    },
  },
  'stock gone, price changed, and soon over': {
    make: (fake) => {
      ready(fake)
      fake.session.expiresAt = new Date(Date.now() + 200_000).toISOString()
      fake.session.messages = [
        { code: 'insufficient_stock', message: '', skuId: 'sku_mug', previous: 2, current: 1 },
        { code: 'item_unavailable', message: '', skuId: 'sku_towel', previous: null, current: null },
        { code: 'price_changed', message: '', skuId: 'sku_mug', previous: 2700, current: 2800 },
      ]
    },
  },
  'nothing carries the parcel': {
    make: (fake) => {
      ready(fake)
      fake.session.shipping = { optionId: null, options: [] }
      fake.session.messages = [{ code: 'no_shipping_option', message: '', skuId: null, previous: null, current: null }]
    },
  },
  processing: {
    make: (fake) => {
      over('processing', 'processing')(fake)
      fake.looksLeft = 1_000
    },
  },
  challenge: {
    make: (fake) => {
      over('processing', 'processing')(fake)
      fake.challenge = { paymentId: 'pay_1', amount: 7580 }
    },
  },
  paid: { make: over('completed', 'paid') },
  'to be paid by hand': { make: over('completed', 'pending') },
  expired: { make: over('expired', 'unpaid') },
  cancelled: { make: over('cancelled', 'unpaid') },
  lost: { path: '/c/nothing' },
  'order status': { path: '/o/order1' },
}

// Each state on one of the two in turns, or on both.
const devices = Object.entries(sizes)

describe('every state can be read by everyone', () => {
  for (const [place, [name, state]] of Object.entries(states).entries()) {
    for (const [device, viewport] of isWide ? devices : devices.slice(place % 2).slice(0, 1)) {
      // Right-to-left and dark together with the telephone.
      const [locale, colorScheme] = device === 'desk' ? (['en-GB', 'light'] as const) : (['ar', 'dark'] as const)
      test(`${name} on a ${device}, ${locale}, ${colorScheme}`, async () => {
        const path = state.path ?? at(checkout.open(state.make).secret)
        await visit(path, { viewport, locale, colorScheme }, async (tab) => {
          await state.act?.(tab)
          await tab.evaluate(`for (const fold of document.querySelectorAll('details')) fold.open = true`)
          assert.deepEqual(await violations(tab, ['best-practice']), [])
          assert.equal(await tab.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, 'too wide')
          assert.equal(await tab.locator('h1').count(), 1)
          assert.equal(await tab.locator('html').getAttribute('dir'), locale === 'ar' ? 'rtl' : 'ltr')
        })
      })
    }
  }

  test('at 400 % zoom nothing is cut off', async () => {
    await visit(at(checkout.open(ready).secret), { viewport: { width: 320, height: 256 } }, async (tab) => {
      await unfold(tab)
      assert.equal(await tab.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
    })
  })

  for (const language of ['en', 'de', 'fr', 'es', 'ja', 'ar']) {
    test(`speaks ${language} when the session says so`, async () => {
      const { secret } = checkout.open((fake) => {
        ready(fake)
        fake.session.locale = language
      })
      await visit(at(secret), { locale: 'it' }, async (tab) => {
        assert.equal(await tab.locator('html').getAttribute('lang'), language)
        const text = (await tab.locator('body').textContent()) ?? ''
        assert.doesNotMatch(text, /\{\w+\}|undefined|\[object/)
      })
    })
  }
})

type Define = (title: string, act: () => Promise<void>) => void

for (const javaScriptEnabled of [true, false]) {
  const name = javaScriptEnabled ? 'with script' : 'without script'
  const options = { javaScriptEnabled, locale: 'en-GB', viewport: sizes.desk }

  // The forms are the same with script and without, so `npm test` asks some on one of the two ways; those that go without script
  // have their way with script in tests/purchase.test.ts.
  const onlyWith: Define = (title, act) => void ((isWide || javaScriptEnabled) && test(title, act))
  const onlyWithout: Define = (title, act) => void ((isWide || !javaScriptEnabled) && test(title, act))

  describe(name, () => {
    test('from nothing to a paid order: quantity, code, details, express, pay, shop', async () => {
      const fake = checkout.open()
      await visit(at(fake.secret), options, async (tab) => {
        await setQuantity(tab, 'sku_mug', '3', javaScriptEnabled)
        await tab.locator('#items', { hasText: '€84.00' }).waitFor()

        // A page at an anchor takes the focus there when it is complete, and with it what is being typed.
        await tab.waitForLoadState()
        await tab.locator('#code').fill('OLD')
        await tab.locator('#code-apply').click()
        assert.equal(await tab.locator('#code-error').textContent(), 'This code has expired.')
        await tab.locator('#code:focus').waitFor()
        assert.equal(await tab.locator('#code').inputValue(), 'OLD')
        await tab.locator('#code').fill('welcome10')
        await tab.locator('#code-apply').click()
        await tab.locator('.tag', { hasText: 'WELCOME10' }).waitFor()
        assert(await tab.locator('#pay-button').isDisabled())

        await fillDetails(tab)
        await saveDetails(tab)
        await tab.locator('#shipping-1').check()
        if (!javaScriptEnabled) await saveDetails(tab)
        await tab.locator('.pay', { hasText: 'Pay €98.91' }).waitFor()

        await fillCard(tab, cards.good)
        await tab.locator('#pay-button').click()
        await tab.waitForURL(`${shop.origin}/thanks?session=${fake.session.id}`)
        assert.deepEqual(
          checkout.charges.filter(({ secret }) => secret === fake.secret).map(({ amount }) => amount),
          [9891],
        )
        assert.equal(fake.customer.email, 'ada@example.com')
        assert.deepEqual(fake.address?.postalCode, '04229')

        await tab.goBack()
        await tab.locator('h1', { hasText: 'Thank you for your order' }).waitFor()
        await tab.getByRole('link', { name: 'See the status of your order' }).click()
        await tab.locator('h1', { hasText: 'Your order is being prepared' }).waitFor()
      })
    })

    onlyWith('an item is taken out, and a code taken off', async () => {
      const fake = checkout.open((it) => {
        it.session.promotion = { state: 'applied', code: 'WELCOME10', amount: 0 }
      })
      await visit(at(fake.secret), options, async (tab) => {
        await tab.getByRole('button', { name: 'Remove Linen tea towel' }).click()
        await tab.locator('.item').nth(1).waitFor({ state: 'detached' })
        await tab.getByRole('button', { name: 'Remove code WELCOME10' }).click()
        await tab.locator('#code').waitFor()
        await tab.locator('.grand', { hasText: '€56.00' }).waitFor()
      })
    })

    test('the country decides the fields, and what was typed stays', async () => {
      await visit(at(checkout.open().secret), options, async (tab) => {
        await tab.locator('#email').fill('ada@example.com')
        await tab.locator('#line1').fill('1 Main Street')
        await chooseCountry(tab, 'US', javaScriptEnabled)
        await tab.locator('select#region').waitFor()
        assert.equal(await tab.locator('label[for=postalCode]').textContent(), 'ZIP code')
        assert.equal(await tab.locator('#line1').inputValue(), '1 Main Street')
        assert.equal(await tab.locator('#email').inputValue(), 'ada@example.com')
        await tab.locator('#name').fill('Ada Byron')
        await tab.locator('#city').fill('Springfield')
        await tab.locator('#postalCode').fill('62701')
        await saveDetails(tab)
        await tab.locator('#region[aria-invalid]').waitFor()
        assert.equal(await tab.locator('#region-error').textContent(), 'Please choose: State.')
        assert.match(await tab.title(), /^Error: /)
        await tab.locator('#problem:focus').waitFor()
        await tab.locator('#problem a').click()
        await tab.locator('#region:focus').waitFor()
        await tab.locator('#region').selectOption('IL')
        await saveDetails(tab)
        await tab.locator('#pay-button:enabled').waitFor()

        await chooseCountry(tab, 'GB', javaScriptEnabled)
        await tab.locator('label[for=postalCode]', { hasText: 'Postcode' }).waitFor()
        await saveDetails(tab)
        await tab.locator('#postalCode-error', { hasText: 'It looks like SW1A 1AA' }).waitFor()
        await tab.locator('#problem:focus').waitFor()
        assert.equal(await tab.locator('#postalCode').inputValue(), '62701')

        await chooseCountry(tab, 'KP', javaScriptEnabled)
        await tab.locator('label[for=region]', { hasText: 'Region' }).waitFor()
        await saveDetails(tab)
        await tab.locator('#country-error', { hasText: 'does not deliver' }).waitFor()
      })
    })

    onlyWithout('a declined card is told and the next one pays', async () => {
      const fake = checkout.open(ready)
      await visit(at(fake.secret), options, async (tab) => {
        await fillCard(tab, cards.declined)
        await tab.locator('#pay-button').click()
        await tab.locator('#payment-notice', { hasText: 'not enough money' }).waitFor()
        assert.equal(await tab.locator('#card-number').inputValue(), '')
        await fillCard(tab, cards.good)
        await tab.locator('#pay-button').click()
        await tab.waitForURL(`${shop.origin}/thanks**`)
        assert.equal(checkout.charges.filter(({ secret }) => secret === fake.secret).length, 1)
      })
    })

    onlyWith('wrong card details are named and not written back', async () => {
      await visit(at(checkout.open(ready).secret), options, async (tab) => {
        await fillCard(tab, '1234')
        await tab.locator('#pay-button').click()
        await tab.locator('#card-number-error').waitFor()
        assert.doesNotMatch(await tab.content(), /1234|value="(?:123|Ada Byron)"(?=[^>]*cc-)/)
      })
    })

    onlyWithout('a bank asks: refused, then accepted', async () => {
      const fake = checkout.open(ready)
      await visit(at(fake.secret), options, async (tab) => {
        await fillCard(tab, cards.challenge)
        await tab.locator('#pay-button').click()
        await tab.getByRole('button', { name: 'Refuse' }).click()
        await tab.locator('#payment-notice', { hasText: 'not confirmed with your bank' }).waitFor()
        await fillCard(tab, cards.challenge)
        await tab.locator('#pay-button').click()
        await tab.getByRole('button', { name: 'Confirm payment' }).click()
        await tab.waitForURL(`${shop.origin}/thanks**`)
        assert.equal(checkout.charges.filter(({ secret }) => secret === fake.secret).length, 1)
      })
    })

    onlyWithout('a slow bank is waited for, and the page goes on by itself', async () => {
      const fake = checkout.open(ready)
      await visit(at(fake.secret), options, async (tab) => {
        await fillCard(tab, cards.slow)
        await tab.locator('#pay-button').click()
        await tab.locator('h1', { hasText: 'We are checking with your bank' }).waitFor()
        await tab.waitForURL(`${shop.origin}/thanks**`)
      })
    })

    onlyWith('nothing to pay asks for no card', async () => {
      const fake = checkout.open((it) => {
        it.needsShipping = false
        it.customer = { email: 'ada@example.com', name: '', phone: '' }
        it.session.items = it.session.items.map((item) => ({ ...item, unitPrice: 0 }))
      })
      await visit(at(fake.secret), options, async (tab) => {
        assert.equal(await tab.locator('#card-number').count(), 0)
        await tab.getByRole('button', { name: 'Place order' }).click()
        await tab.waitForURL(`${shop.origin}/thanks**`)
      })
    })

    onlyWith('a payment by hand names the order and how it goes on', async () => {
      const fake = checkout.open(ready)
      await visit(at(fake.secret), options, async (tab) => {
        await tab.getByLabel('Bank transfer').check()
        assert.equal(await tab.locator('#pay-button').innerText(), 'Place order · €75.80')
        assert(!(await tab.locator('#card-number').isVisible()))
        await tab.locator('#pay-button').click()
        await tab.waitForURL(`${shop.origin}/thanks**`)
        await tab.goto(`${server.origin}${at(fake.secret)}`)
        await tab.getByText('€75.80 is still to be paid in the way you chose').waitFor()
        await tab.getByText('AF-1042').waitFor()
      })
    })

    onlyWithout('another total is shown, and only that one is paid', async () => {
      const fake = checkout.open(ready)
      await visit(at(fake.secret), options, async (tab) => {
        // Somebody at the shop corrects the price meanwhile.
        fake.session.totals = { ...fake.session.totals, total: 8000 }
        await fillCard(tab, cards.good)
        await tab.locator('#pay-button').click()
        await tab.getByText('The total has changed from €75.80 to €80.00').waitFor()
        assert.equal(await tab.locator('#pay-button .now').textContent(), 'Pay €80.00')
        await tab.locator('#problem:focus').waitFor()
        await fillCard(tab, cards.good)
        await tab.locator('#pay-button').click()
        await tab.waitForURL(`${shop.origin}/thanks**`)
        assert.deepEqual(
          checkout.charges.filter(({ secret }) => secret === fake.secret).map(({ amount }) => amount),
          [8000],
        )
      })
    })

    onlyWithout('stock that is gone is told, and one click takes what is left', async () => {
      const fake = checkout.open(ready)
      fake.stock.set('sku_mug', 1)
      await visit(at(fake.secret), options, async (tab) => {
        await fillCard(tab, cards.good)
        await tab.locator('#pay-button').click()
        await tab.getByText('Only one of “Speckled stoneware mug” is left.').waitFor()
        await tab.locator('#problem:focus').waitFor()
        await tab.getByRole('button', { name: 'Take the last one' }).click()
        await tab.locator('.grand', { hasText: '€47.80' }).waitFor()
        assert.equal(await tab.locator('#quantity-sku_mug').inputValue(), '1')
      })
    })

    test('two tabs: the older one sees how things stand', async () => {
      const fake = checkout.open(ready)
      await visit(at(fake.secret), options, async (tab) => {
        await checkout.changeQuantity(fake.secret, fake.session.version, 'sku_mug', 5)
        await setQuantity(tab, 'sku_towel', '2', javaScriptEnabled)
        await tab.getByText('changed in another window').waitFor()
        assert.equal(await tab.locator('#quantity-sku_mug').inputValue(), '5')
        assert.equal(await tab.locator('#quantity-sku_towel').inputValue(), '1')
      })
    })

    onlyWithout('an expired checkout starts again with the same items', async () => {
      const fake = checkout.open(over('expired', 'unpaid'))
      await visit(at(fake.secret), options, async (tab) => {
        await tab.getByRole('button', { name: 'Start again with the same items' }).click()
        await tab.locator('#details').waitFor()
        assert.notEqual(new URL(tab.url()).pathname, at(fake.secret))
      })
    })

    onlyWith('a cancelled checkout leads back to the shop', async () => {
      const fake = checkout.open(ready)
      await visit(at(fake.secret), options, async (tab) => {
        await tab.getByRole('button', { name: 'Cancel checkout' }).click()
        await tab.waitForURL(`${shop.origin}/basket`)
        assert.equal(fake.session.status, 'cancelled')
        await tab.goBack()
        await tab.locator('h1', { hasText: 'This checkout was cancelled' }).waitFor()
      })
    })

    onlyWith('a page that answered a post can be loaded by its address', async () => {
      const { secret } = checkout.open()
      await visit(`${at(secret)}/details`, options, async (tab) => {
        assert.equal(new URL(tab.url()).pathname, at(secret))
      })
    })
  })
}

describe('on a telephone', () => {
  for (const javaScriptEnabled of [true, false]) {
    test(`the folded order stays open after a change, script ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
      const options = { javaScriptEnabled, locale: 'en-GB', viewport: sizes.telephone }
      await visit(at(checkout.open().secret), options, async (tab) => {
        assert(!(await tab.locator('#quantity-sku_mug').isVisible()))
        await unfold(tab)
        await setQuantity(tab, 'sku_mug', '3', javaScriptEnabled)
        await tab.locator('.grand', { hasText: '€98.90' }).waitFor()
        // Without script it is the anchor that unfolds it, when the page is complete.
        await tab.locator('#quantity-sku_mug').waitFor()
      })
    })
  }
})

describe('with script only', () => {
  const options = { locale: 'en-GB', viewport: sizes.desk }

  test('two clicks are one payment', async () => {
    const fake = checkout.open(ready)
    await visit(at(fake.secret), options, async (tab) => {
      await fillCard(tab, cards.good)
      await tab.locator('#pay-button').dblclick()
      await tab.waitForURL(`${shop.origin}/thanks**`)
      assert.equal(checkout.charges.filter(({ secret }) => secret === fake.secret).length, 1)
    })
  })

  test('an address that is complete is kept at once, and the new total is told', async () => {
    const fake = checkout.open()
    await visit(at(fake.secret), options, async (tab) => {
      await fillDetails(tab)
      await tab.locator('#city').blur()
      await tab.locator('#shipping-0').waitFor()
      await tab.locator('#told', { hasText: 'New total: €75.80' }).waitFor({ state: 'attached' })
      assert(await tab.locator('#pay-button').isEnabled())
      assert.equal(fake.customer.email, 'ada@example.com')
    })
  })

  test('a no-break space behind a pasted e-mail address does not stop the saving', async () => {
    const fake = checkout.open()
    await visit(at(fake.secret), options, async (tab) => {
      await fillDetails(tab)
      await tab.locator('#city').fill('')
      await tab.locator('#email').fill('ada@example.com\u00a0')
      await tab.locator('#city').fill('Leipzig')
      await tab.locator('#city').blur()
      await tab.locator('#shipping-0').waitFor()
      assert(await tab.locator('#pay-button').isEnabled())
      assert.equal(fake.customer.email, 'ada@example.com')
    })
  })

  test('what was changed and not saved is saved before it is paid', async () => {
    const fake = checkout.open(ready)
    await visit(at(fake.secret), options, async (tab) => {
      await fillCard(tab, cards.good)
      await tab.locator('#line1').fill('Allee 7')
      // Pressed from within the address, which was never left by a change of its own.
      await tab.evaluate(`document.getElementById('pay-button').click()`)
      await tab.waitForURL(`${shop.origin}/thanks**`)
      assert.equal(fake.address?.line1, 'Allee 7')
    })
  })

  test('another delivery method changes the total before anything is paid, and the card stays typed', async () => {
    await visit(at(checkout.open(ready).secret), options, async (tab) => {
      await fillCard(tab, cards.good)
      await tab.locator('#shipping-1').check()
      await tab.locator('#pay-button', { hasText: 'Pay €80.80' }).waitFor()
      assert.equal(await tab.locator('#card-number').inputValue(), '4242 4242 4242 4242')
    })
  })

  test('what is typed or sent while a slow answer is on its way is not lost', async () => {
    const fake = checkout.open(ready)
    await visit(at(fake.secret), options, async (tab) => {
      let release = () => {}
      const gate = new Promise<void>((resolve) => {
        release = resolve
      })
      await tab.route('**/details', async (route) => {
        await gate
        await route.continue()
      })
      await tab.locator('#shipping-1').check()
      await setQuantity(tab, 'sku_towel', '2', true)
      await tab.locator('#code').pressSequentially('WELC')
      release()
      await tab.locator('.grand', { hasText: '€95.70' }).waitFor()
      await tab.locator('#code').pressSequentially('OME10')
      await tab.locator('#code').press('Enter')
      await tab.locator('.tag', { hasText: 'WELCOME10' }).waitFor()
      assert.equal(fake.session.version, 4)
    })
  })

  test('the steppers count together and keep the focus', async () => {
    const fake = checkout.open(ready)
    await visit(at(fake.secret), options, async (tab) => {
      // In one go, because what comes later than a moment is a change of its own.
      await tab.getByRole('button', { name: 'One more: Speckled stoneware mug' }).dblclick()
      await tab.locator('.grand', { hasText: '€131.80' }).waitFor()
      assert.equal(fake.session.version, 2)
      assert.equal(await tab.evaluate('document.activeElement.id'), 'quantity-sku_mug-more')
    })
  })

  test('the return key in a quantity is one change', async () => {
    const fake = checkout.open(ready)
    await visit(at(fake.secret), options, async (tab) => {
      await tab.locator('#quantity-sku_mug').fill('4')
      await tab.locator('#quantity-sku_mug').press('Enter')
      await tab.locator('.grand', { hasText: '€131.80' }).waitFor()
      assert.equal(fake.session.version, 2)
    })
  })

  test('when the time is up the page says so', async () => {
    const fake = checkout.open((it) => {
      ready(it)
      it.session.expiresAt = new Date(Date.now() + 1_500).toISOString()
    })
    await visit(at(fake.secret), options, async (tab) => {
      await tab.getByRole('alert').filter({ hasText: 'This checkout has expired' }).waitFor()
    })
  })

  test('a post that meets the end of the session shows the end', async () => {
    const fake = checkout.open(ready)
    await visit(at(fake.secret), options, async (tab) => {
      fake.session.status = 'cancelled'
      await tab.getByRole('button', { name: 'Remove Linen tea towel' }).click()
      await tab.locator('h1', { hasText: 'This checkout was cancelled' }).waitFor()
    })
  })
})

describe('behind the page', () => {
  test('the same form sent twice is one payment', async () => {
    const fake = checkout.open(ready)
    const fields = {
      method: 'test:card',
      version: String(fake.session.version),
      expectedTotal: String(fake.session.totals.total),
      attempt: newId('pay'),
      'card.number': cards.good,
      'card.expiry': '09/29',
      'card.cvc': '123',
      'card.name': 'Ada Byron',
    }
    const answers = await Promise.all([post(fake, 'pay', fields), post(fake, 'pay', fields)])
    assert.deepEqual(
      answers.map(({ status, headers }) => [status, headers.location]),
      Array(2).fill([303, `${shop.origin}/thanks?session=${fake.session.id}`]),
    )
    assert.equal(checkout.charges.filter(({ secret }) => secret === fake.secret).length, 1)
  })

  test('a declined payment is no longer shown beside what is wrong with the next one', async () => {
    const fake = checkout.open(ready)
    fake.session.lastPaymentError = { code: 'declined', message: '', at: '' }
    const fields = { method: 'test:card', version: '1', expectedTotal: String(fake.session.totals.total) }
    const declined = /The payment did not go through/
    assert.match((await post(fake, 'details', { version: '1', email: '' })).text, declined)
    const { text } = await post(fake, 'pay', fields)
    assert.match(text, /Please check the card number\./)
    assert.doesNotMatch(text, declined)
  })

  test('403 for a post from another site, and nothing happens', async () => {
    const fake = checkout.open(ready)
    for (const headers of [
      { origin: 'https://evil.example.com' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'null' },
    ]) {
      const { status, text } = await post(fake, 'cancel', {}, headers)
      assert.equal(status, 403)
      assert.match(text, /another site/)
    }
    assert.equal(fake.session.status, 'open')
  })

  test('413 for a form that is too large, 415 for what is no form', async () => {
    const fake = checkout.open()
    assert.equal((await post(fake, 'code', { code: 'x'.repeat(17_000) })).status, 413)
    assert.equal((await post(fake, 'code', {}, { 'content-type': 'application/json' })).status, 415)
    assert.equal((await post(fake, 'code', { code: 'WELCOME10', version: '1', price: '1' })).status, 303)
  })

  test('404 for an unknown secret or action, alike', async () => {
    const fake = checkout.open()
    const lost = await post({ secret: 'nothing' }, 'cancel', {})
    const odd = await post(fake, 'constructor', {})
    assert.deepEqual([lost.status, odd.status, lost.text], [404, 404, odd.text])
    assert.doesNotMatch(lost.text, /Alder/)
  })

  test('the fence stands around every page', async () => {
    const fake = checkout.open(ready)
    const response = await fetch(`${server.origin}${at(fake.secret)}`)
    const policy = response.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert(policy.includes(`form-action 'self' ${shop.origin};`))
    assert.doesNotMatch(policy, /unsafe/)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
    assert.match(response.headers.get('x-robots-tag') ?? '', /noindex/)
    const text = await response.text()
    assert.doesNotMatch(text, /<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=/i)
    for (const [, href = ''] of text.matchAll(/(?:href|src)="(\/checkout\/[^"]+)"/g)) {
      const asset = await fetch(`${server.origin}${href}`)
      assert.equal(asset.headers.get('cache-control'), 'public, max-age=31536000, immutable')
    }
  })

  test('what the merchant or the shopper wrote is text, not markup', async () => {
    const fake = checkout.open((it) => {
      const [first] = it.session.items
      assert(first)
      it.session.items = [{ ...first, name: '<img src=x onerror=alert(1)>', imageUrl: 'javascript:alert(1)' }]
    })
    const { text } = await post(fake, 'details', { version: '1', email: '"><script>alert(1)</script>' })
    assert.doesNotMatch(text, /<script>|<img src=x|javascript:/)
  })
})

async function post(
  { secret }: { secret: string },
  action: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; text: string; headers: Readonly<Record<string, unknown>> }> {
  // Not by fetch, which writes some of these headers itself.
  return new Promise((resolve, reject) => {
    const body = new URLSearchParams(fields).toString()
    const sent = request(
      `${server.origin}/c/${secret}/${action}`,
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
    sent.end(body)
  })
}

async function setQuantity(tab: Tab, skuId: string, quantity: string, hasScript: boolean): Promise<void> {
  await tab.locator(`#quantity-${skuId}`).fill(quantity)
  if (hasScript) await tab.locator(`#quantity-${skuId}`).blur()
  else await tab.locator(`#quantity-${skuId}-update`).click()
}

async function chooseCountry(tab: Tab, country: string, hasScript: boolean): Promise<void> {
  await tab.locator('#country').selectOption(country)
  if (!hasScript) await tab.getByRole('button', { name: 'Use this country' }).click()
}

async function fillDetails(tab: Tab): Promise<void> {
  const hasScript = await tab.locator('.update').first().isHidden()
  await chooseCountry(tab, 'DE', hasScript)
  await tab.locator('#region').waitFor({ state: 'detached' })
  await tab.locator('#email').fill('ada@example.com')
  await tab.locator('#name').fill('Ada Byron')
  await tab.locator('#line1').fill('Karl-Heine-Straße 12')
  await tab.locator('#postalCode').fill('04229')
  await tab.locator('#city').fill('Leipzig')
}

// With script the page stays; without, going on is a page of its own, and what is done before it is there is done to the page
// that goes.
async function saveDetails(tab: Tab): Promise<void> {
  await tab.waitForLoadState()
  const hasScript = (await tab.locator('body[data-sync]').count()) > 0
  const save = tab.locator('#details-save')
  if (!hasScript) return void (await Promise.all([tab.waitForEvent('load'), save.click()]))
  await save.click()
  await tab.locator('body[data-sync=""]').waitFor()
}

async function fillCard(tab: Tab, number: string): Promise<void> {
  // A page at an anchor takes the focus there when it is complete, and with it what is being typed.
  await tab.waitForLoadState()
  for (const [id, text] of Object.entries({ 'card-number': number, 'card-expiry': '0929' })) {
    await tab.locator(`#${id}`).fill('')
    await tab.locator(`#${id}`).pressSequentially(text)
  }
  await tab.locator('#card-cvc').fill('123')
  await tab.locator('#card-name').fill('Ada Byron')
}

async function unfold(tab: Tab): Promise<void> {
  const summary = tab.locator('.fold > summary')
  if (await summary.isVisible()) await summary.click()
}

// Opens a page and fails if it said anything on the console, refused something by its own policy, asked a third host, or let
// the secret out in a referrer.
async function visit(path: string, options: BrowserContextOptions, look: (tab: Tab) => Promise<void>): Promise<void> {
  await tabs.use({ reducedMotion: 'reduce', ...options }, async (tab) => {
    const complaints: string[] = []
    const isLost = path === '/c/nothing'
    tab.on('console', (message) => {
      if (!(isLost && message.text().includes('404'))) complaints.push(message.text())
    })
    tab.on('pageerror', (error) => complaints.push(String(error)))
    tab.context().on('request', (request) => {
      const { origin } = new URL(request.url())
      if (!request.url().startsWith('data:') && origin !== server.origin && origin !== shop.origin) {
        complaints.push(`asked ${request.url()}`)
      }
    })
    await tab.goto(`${server.origin}${path}`, { waitUntil: 'load' })
    await look(tab)
    assert.deepEqual([...complaints, ...referred.splice(0)], [])
  })
}
