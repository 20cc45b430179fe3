// The open checkout under a shopper's hands: what is pressed and typed while answers are slow, lost or refused, and when the
// time is over. What the page shows is what is charged, and nothing typed is lost.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Route, Page as Tab } from 'playwright-core'
import { launchBrowser } from '../harness/browser.ts'
import { cards, createFakeCheckout, type FakeCheckout, type FakeSession } from '../harness/fakeCheckout.ts'
import { type PageServer, servePages } from '../harness/pageServer.ts'
import { keepTabs } from '../harness/tabs.ts'
import { checkoutPages } from '../src/checkout/page/pages.ts'

let browser: Browser
const tabs = keepTabs(() => browser, { timeoutMs: 20_000 })
let server: PageServer
let checkout: FakeCheckout

before(async () => {
  const clock = () => new Date()
  checkout = createFakeCheckout({ clock, shop: () => server.origin })
  const shop = {
    path: '/thanks',
    name: 'thanks',
    answer: async () => ({ status: 200, body: 'The shop', headers: { 'content-type': 'text/html' } }),
  }
  server = await servePages([
    ...checkoutPages({ checkout, orderStatus: async () => undefined, origin: () => server.origin, clock }),
    shop,
  ])
  browser = await launchBrowser()
})

after(async () => {
  await browser.close()
  await server.close()
})

function ready(fake: FakeSession): void {
  fake.customer = { email: 'ada@example.com', name: 'Ada Byron', phone: '' }
  fake.address = { name: 'Ada Byron', line1: 'Weg 12', city: 'Leipzig', postalCode: '04229', country: 'DE' }
  fake.session.address = { token: 'adr_1', summary: 'Leipzig, DE', expiresAt: fake.session.expiresAt }
  fake.session.shipping = {
    optionId: 'standard',
    options: [
      { id: 'standard', label: 'Standard', amount: 490 },
      { id: 'express', label: 'Express', amount: 990 },
    ],
  }
}

async function visit(
  fake: FakeSession,
  look: (tab: Tab) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  await tabs.use({ locale: 'en-GB', viewport: { width: 1280, height: 900 }, ...options }, async (tab) => {
    const errors: string[] = []
    tab.on('pageerror', (error) => errors.push(String(error)))
    await tab.goto(`${server.origin}/c/${fake.secret}`, { waitUntil: 'load' })
    await look(tab)
    assert.deepEqual(errors, [])
  })
}

// The posts to an action of the page, each of which waits for a word: go on, lose the request, or lose its answer.
type Fate = 'go' | 'lose request' | 'lose answer' | 503

async function hold(
  tab: Tab,
  action: string,
): Promise<{ held: () => Promise<void>; next: (fate: Fate) => Promise<void>; end: () => Promise<void> }> {
  const waiting: Route[] = []
  let arrived = () => {}
  const pattern = `**/${action}`
  await tab.route(pattern, (route) => {
    waiting.push(route)
    arrived()
  })
  async function held(): Promise<void> {
    while (waiting.length === 0) {
      await new Promise<void>((resolve) => {
        arrived = resolve
      })
    }
  }
  return {
    held,
    async next(fate) {
      await held()
      const route = waiting.shift()
      assert(route)
      if (fate === 'go') return route.continue()
      if (fate === 503) return route.fulfill({ status: 503, contentType: 'application/json', body: '{"error":{}}' })
      if (fate === 'lose answer') await route.fetch({ maxRedirects: 0 })
      await route.abort('connectionreset')
    },
    end: () => tab.unroute(pattern),
  }
}

const settled = (tab: Tab) => tab.locator('body[data-sync=""]').waitFor()
const failed = (tab: Tab) => tab.locator('#connection').waitFor()
const more = (tab: Tab, skuId: string) => tab.locator(`#quantity-${skuId}-more`)
const shown = async (tab: Tab) =>
  Promise.all(['sku_mug', 'sku_towel'].map((id) => tab.locator(`#quantity-${id}`).inputValue()))
const ordered = (fake: FakeSession) => fake.session.items.map(({ quantity }) => String(quantity))
const chargesOf = (fake: FakeSession) =>
  checkout.charges.filter(({ secret }) => secret === fake.secret).map(({ amount }) => amount)

async function fillCard(tab: Tab, number: string = cards.good): Promise<void> {
  await tab.locator('#card-number').fill(number)
  await tab.locator('#card-expiry').fill('09/29')
  await tab.locator('#card-cvc').fill('123')
  await tab.locator('#card-name').fill('Ada Byron')
}

async function fillDetails(tab: Tab): Promise<void> {
  await tab.locator('#country').selectOption('DE')
  await tab.locator('#region').waitFor({ state: 'detached' })
  await tab.locator('#email').fill('ada@example.com')
  await tab.locator('#name').fill('Ada Byron')
  await tab.locator('#line1').fill('Weg 12')
  await tab.locator('#postalCode').fill('04229')
  await tab.locator('#city').fill('Leipzig')
}

// As a browser does it: every field in the order of the page, in one go.
async function autofill(tab: Tab, values: Readonly<Record<string, string>>): Promise<void> {
  await tab.evaluate(`for (const field of document.querySelectorAll('#details input, #details select')) {
    const value = (${JSON.stringify(values)})[field.name]
    if (value === undefined) continue
    field.value = value
    for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }))
  }`)
}

const typedIn = (tab: Tab, ids: readonly string[]) => Promise.all(ids.map((id) => tab.locator(`#${id}`).inputValue()))

describe('the steppers', () => {
  test('presses on two lines within a moment all count', async () => {
    const fake = checkout.open(ready)
    await visit(fake, async (tab) => {
      await more(tab, 'sku_mug').click()
      await more(tab, 'sku_towel').click()
      await more(tab, 'sku_mug').click()
      await tab.locator('.grand', { hasText: '€146.70' }).waitFor()
      await settled(tab)
      assert.deepEqual(
        [await shown(tab), ordered(fake)],
        [
          ['4', '2'],
          ['4', '2'],
        ],
      )
    })
  })

  test('presses while an answer is on its way all count', async () => {
    const fake = checkout.open(ready)
    await visit(fake, async (tab) => {
      const posts = await hold(tab, 'quantity')
      await more(tab, 'sku_mug').click()
      for (let round = 0; round < 3; round += 1) {
        await tab.locator('body[data-sync=busy]').waitFor()
        await more(tab, 'sku_mug').click()
        await more(tab, 'sku_towel').click()
        await posts.next('go')
      }
      await posts.end()
      // Those that are still held were never answered, and are sent again.
      for (let left = 0; left < 3; left += 1) await Promise.race([posts.next('go'), settled(tab)])
      await settled(tab)
      assert.deepEqual(
        [await shown(tab), ordered(fake)],
        [
          ['6', '4'],
          ['6', '4'],
        ],
      )
    })
  })

  for (const fate of ['lose request', 'lose answer', 503] as const) {
    test(`a press counts once when the post meets: ${fate}`, async () => {
      const fake = checkout.open(ready)
      await visit(fake, async (tab) => {
        const posts = await hold(tab, 'quantity')
        await more(tab, 'sku_mug').click()
        await posts.next(fate)
        await failed(tab)
        assert.deepEqual(await shown(tab), ['3', '1'])
        await posts.end()
        await tab.locator('#connection-retry').click()
        await settled(tab)
        assert.deepEqual(
          [await shown(tab), ordered(fake)],
          [
            ['3', '1'],
            ['3', '1'],
          ],
        )
        assert.equal(await tab.getByText('another window').count(), 0)
      })
    })
  }

  test('a line that was taken out stays out when the answer is lost', async () => {
    const fake = checkout.open(ready)
    await visit(fake, async (tab) => {
      const posts = await hold(tab, 'quantity')
      await tab.locator('#quantity-sku_towel-remove').click()
      await posts.next('lose answer')
      await failed(tab)
      await posts.end()
      await tab.locator('#connection-retry').click()
      await tab.locator('#item-sku_towel').waitFor({ state: 'detached' })
      await settled(tab)
      assert.equal(await tab.locator('#problem').count(), 0)
    })
  })

  test('a number is typed over the one that is selected, whatever answers meanwhile', async () => {
    const fake = checkout.open(ready)
    await visit(fake, async (tab) => {
      const posts = await hold(tab, 'quantity')
      await more(tab, 'sku_mug').click()
      await posts.held()
      await more(tab, 'sku_mug').click()
      await tab.locator('#quantity-sku_mug').selectText()
      await posts.next('go')
      await posts.next('go')
      await settled(tab)
      await tab.keyboard.type('7')
      await tab.keyboard.press('Enter')
      await posts.next('go')
      await settled(tab)
      assert.deepEqual(
        [await shown(tab), ordered(fake)],
        [
          ['7', '1'],
          ['7', '1'],
        ],
      )
    })
  })

  test('more than there is is told, and the number that counts is shown', async () => {
    const fake = checkout.open(ready)
    fake.stock.set('sku_mug', 3)
    await visit(fake, async (tab) => {
      await more(tab, 'sku_mug').click({ clickCount: 3 })
      await tab.getByText('Only 3 of “Speckled stoneware mug” are left.').waitFor()
      await settled(tab)
      assert.deepEqual(
        [await shown(tab), ordered(fake)],
        [
          ['2', '1'],
          ['2', '1'],
        ],
      )
    })
  })

  test('one more and at once pay: nothing is charged that was not shown', async () => {
    const fake = checkout.open(ready)
    await visit(fake, async (tab) => {
      await fillCard(tab)
      await more(tab, 'sku_mug').click()
      await tab.locator('#pay-button').click()
      await tab.locator('#pay-button:focus', { hasText: 'Pay €103.80' }).waitFor()
      assert.deepEqual(chargesOf(fake), [])
      await tab.locator('#pay-button').click()
      await tab.waitForURL('**/thanks**')
      assert.deepEqual(chargesOf(fake), [10380])
    })
  })
})

describe('the address', () => {
  const fields = ['email', 'name', 'line1', 'city', 'postalCode']

  test('what is typed after choosing the country stays, with the cursor in it', async () => {
    const fake = checkout.open()
    await visit(fake, async (tab) => {
      const posts = await hold(tab, 'details')
      await tab.locator('#country').selectOption('FR')
      await tab.locator('#name').fill('Ada Byron')
      await tab.locator('#line1').pressSequentially('1 rue de la')
      await posts.next('go')
      await tab.locator('label[for=postalCode]', { hasText: 'Postal code' }).waitFor()
      await tab.keyboard.type(' Paix')
      assert.deepEqual(await typedIn(tab, ['country', 'name', 'line1']), ['FR', 'Ada Byron', '1 rue de la Paix'])
    })
  })

  const filled: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'another country': { country: 'DE', line1: 'Weg 12', city: 'Leipzig', postalCode: '04229' },
    'a country with states': {
      country: 'US',
      line1: '1 Main Street',
      city: 'Springfield',
      postalCode: '62701',
      // Into the field of the British county, as a browser knows it.
      region: 'Illinois',
    },
    'the same country': { country: 'GB', line1: '1 Mall', city: 'London', postalCode: 'SW1A 1AA' },
  }
  for (const [name, given] of Object.entries(filled)) {
    test(`autofill arrives whole: ${name}`, async () => {
      const fake = checkout.open()
      await visit(fake, async (tab) => {
        const values = { email: 'ada@example.com', name: 'Ada Byron', ...given }
        await autofill(tab, values)
        await tab.locator('#pay-button:enabled').waitFor()
        await settled(tab)
        const { region, ...rest } = values as Readonly<Record<string, string>>
        assert.deepEqual(
          await typedIn(tab, ['country', ...fields]),
          ['country', ...fields].map((id) => rest[id]),
        )
        if (region !== undefined) assert.equal(await tab.locator('#region').inputValue(), 'IL')
        assert.deepEqual(
          [fake.address?.country, fake.address?.line1, fake.address?.city, fake.address?.region],
          [rest.country, rest.line1, rest.city, region && 'IL'],
        )
      })
    })
  }

  test('the code of a state does not become the text of another country, and comes back', async () => {
    await visit(checkout.open(), async (tab) => {
      await tab.locator('#country').selectOption('CA')
      await tab.locator('select#region').selectOption('ON')
      await tab.locator('#country').selectOption('HK')
      await tab.locator('input#region').waitFor()
      assert.equal(await tab.locator('#region').inputValue(), '')
      await tab.locator('#country').selectOption('CA')
      await tab.locator('select#region').waitFor()
      assert.equal(await tab.locator('#region').inputValue(), 'ON')
    })
  })

  test('the answer to a return key does not take the cursor away from whoever types on', async () => {
    await visit(checkout.open(), async (tab) => {
      const posts = await hold(tab, 'details')
      await tab.locator('#email').fill('ada@')
      await tab.locator('#email').press('Enter')
      await tab.locator('#line1').pressSequentially('1 Main')
      await posts.next('go')
      await tab.locator('#email-error').waitFor()
      await tab.keyboard.type(' Street')
      assert.deepEqual(await typedIn(tab, ['email', 'line1']), ['ada@', '1 Main Street'])
    })
  })

  test('a delivery method that is chosen while a save is on its way stays chosen', async () => {
    const fake = checkout.open(ready)
    await visit(fake, async (tab) => {
      const posts = await hold(tab, 'details')
      await tab.locator('#line1').fill('Allee 7')
      await tab.locator('#line1').blur()
      await tab.locator('body[data-sync=busy]').waitFor()
      await tab.locator('#shipping-1').check()
      await posts.next('go')
      await posts.next('go')
      await tab.locator('.grand', { hasText: '€80.80' }).waitFor()
      await settled(tab)
      assert(await tab.locator('#shipping-1').isChecked())
      assert.equal(fake.address?.line1, 'Allee 7')
    })
  })

  test('once it is saved there is one button that leads on', async () => {
    await visit(checkout.open(), async (tab) => {
      assert.deepEqual(await tab.locator('button.first:visible:enabled').allInnerTexts(), ['Continue to payment'])
      await fillDetails(tab)
      await tab.locator('#city').blur()
      await tab.locator('#pay-button:enabled').waitFor()
      assert.deepEqual(await tab.locator('button.first:visible:enabled').allInnerTexts(), ['Pay €75.80'])
    })
  })

  test('only countries that are delivered to are listed', async () => {
    const fake = checkout.open((it) => {
      it.countries = ['AT', 'DE']
    })
    await visit(fake, async (tab) => {
      assert.deepEqual(await tab.locator('#country option').allInnerTexts(), ['Austria', 'Germany'])
    })
  })
})

describe('without an answer', () => {
  test('offline, what was typed stays, the page says so, and saves it when it is back', async () => {
    const fake = checkout.open()
    await visit(fake, async (tab) => {
      await fillDetails(tab)
      await tab.context().setOffline(true)
      await tab.locator('#city').blur()
      await tab.locator('#connection', { hasText: 'You are offline. What you entered is still here' }).waitFor()
      assert.equal(await tab.locator('#city').inputValue(), 'Leipzig')
      await tab.context().setOffline(false)
      await tab.locator('#pay-button:enabled').waitFor()
      await settled(tab)
      assert(await tab.locator('#connection').isHidden())
      assert.equal(fake.address?.city, 'Leipzig')
    })
  })

  for (const action of ['Continue', 'Pay'] as const) {
    test(`503 on ${action}: the form stays, and the next press does it`, async () => {
      const fake = checkout.open(ready)
      await visit(fake, async (tab) => {
        await fillCard(tab)
        const posts = await hold(tab, action === 'Pay' ? 'pay' : 'details')
        if (action === 'Continue') await tab.locator('#line1').fill('Allee 7')
        const button = tab.locator(action === 'Pay' ? '#pay-button' : '#details-save')
        await button.click()
        await posts.next(503)
        await failed(tab)
        assert.equal(await tab.locator('#card-number').inputValue(), '4242 4242 4242 4242')
        await posts.end()
        await button.click()
        if (action === 'Pay') await tab.waitForURL('**/thanks**')
        else await settled(tab)
        assert.equal(chargesOf(fake).length, action === 'Pay' ? 1 : 0)
        assert.equal(fake.address?.line1, action === 'Pay' ? 'Weg 12' : 'Allee 7')
      })
    })
  }

  test('a payment whose answer is lost is found by the page itself, once', async () => {
    const fake = checkout.open(ready)
    await visit(fake, async (tab) => {
      await fillCard(tab)
      const posts = await hold(tab, 'pay')
      await tab.locator('#pay-button').click()
      await posts.next('lose answer')
      await tab.waitForURL('**/thanks**')
      assert.deepEqual(chargesOf(fake), [7580])
    })
  })

  test('a payment that did not arrive can be made again, once', async () => {
    const fake = checkout.open(ready)
    await visit(fake, async (tab) => {
      await fillCard(tab)
      const posts = await hold(tab, 'pay')
      await tab.locator('#pay-button').click()
      await posts.next('lose request')
      await tab.locator('#connection', { hasText: 'you will not be charged twice' }).waitFor()
      await posts.end()
      await tab.locator('#pay-button:not([aria-disabled])').click()
      await tab.waitForURL('**/thanks**')
      assert.deepEqual(chargesOf(fake), [7580])
    })
  })

  test('a card that was refused for its date stays typed, and the field is named', async () => {
    await visit(checkout.open(ready), async (tab) => {
      await fillCard(tab)
      await tab.locator('#card-expiry').fill('13/29')
      await tab.locator('#pay-button').click()
      await tab.locator('#card-expiry-error').waitFor()
      await tab.locator('#problem:focus').waitFor()
      assert.equal(await tab.locator('#card-number').inputValue(), '4242 4242 4242 4242')
      assert.match(await tab.title(), /^Error: /)
    })
  })
})

for (const javaScriptEnabled of [true, false]) {
  describe(`the return key, script ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test('goes on from a field of the address', async () => {
      const fake = checkout.open(ready)
      await visit(
        fake,
        async (tab) => {
          await tab.locator('#city').fill('Dresden')
          await tab.locator('#city').press('Enter')
          await tab.locator('#payment:focus-within, #payment:target').waitFor()
          assert.equal(fake.address?.city, 'Dresden')
          await tab.locator('#city').fill('')
          await tab.locator('#city').press('Enter')
          await tab.locator('#city-error').waitFor()
          assert.deepEqual(chargesOf(fake), [])
        },
        { javaScriptEnabled },
      )
    })

    test('never pays, and never takes out a line', async () => {
      const fake = checkout.open(ready)
      await visit(
        fake,
        async (tab) => {
          await fillCard(tab)
          for (const id of ['card-number', 'card-cvc', 'card-name']) await tab.locator(`#${id}`).press('Enter')
          await tab.locator('#quantity-sku_mug').press('Enter')
          // Whatever was posted is answered before this.
          await tab.evaluate('fetch(location.href)')
          assert.deepEqual([chargesOf(fake), ordered(fake), fake.session.status], [[], ['2', '1'], 'open'])
        },
        { javaScriptEnabled },
      )
    })
  })
}

describe('the end of the time', () => {
  const soon = (ms: number) => (fake: FakeSession) => {
    fake.session.expiresAt = new Date(Date.now() + ms).toISOString()
  }

  for (const javaScriptEnabled of [true, false]) {
    test(`more time is one click away, and what was typed stays, script ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
      const fake = checkout.open(soon(200_000))
      await visit(
        fake,
        async (tab) => {
          await tab.locator('#name').fill('Ada')
          await tab.locator('#time-more').click()
          await tab.locator('#expiry', { hasText: '30 minutes' }).waitFor()
          assert.equal(await tab.locator('#name').inputValue(), 'Ada')
          assert(await tab.locator('#time').isHidden())
        },
        { javaScriptEnabled },
      )
    })
  }

  test('a checkout that ends under the hands keeps what was typed and goes on in a new one', async () => {
    const fake = checkout.open()
    await visit(fake, async (tab) => {
      await fillDetails(tab)
      soon(-1)(fake)
      await tab.locator('#city').blur()
      await tab.locator('#expired').waitFor()
      await tab.locator('#city').fill('')
      await tab.locator('#line1').fill('Allee 7')
      await tab.getByRole('button', { name: 'Start again with the same items' }).click()
      await tab.locator('#expired').waitFor({ state: 'hidden' })
      assert.notEqual(new URL(tab.url()).pathname, `/c/${fake.secret}`)
      assert.deepEqual(await typedIn(tab, ['email', 'name', 'line1']), ['ada@example.com', 'Ada Byron', 'Allee 7'])
      await tab.locator('#city').fill('Leipzig')
      await tab.locator('#city').blur()
      await assertPaidAnew(tab, fake)
    })
  })

  test('a script that comes only with the new checkout works on the new one', async () => {
    const fake = checkout.open()
    await visit(fake, async (tab) => {
      await fillDetails(tab)
      await tab.locator('#city').blur()
      await tab.locator('#pay-button:enabled').waitFor()
      await tab.route('**/checkout/page.js*', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
      await tab.reload()
      await tab.locator('#line2').fill('Back door')
      soon(-1)(fake)
      await tab.locator('#details-save').click()
      await tab.unroute('**/checkout/page.js*')
      await tab.getByRole('button', { name: 'Start again with the same items' }).click()
      await tab.locator('#line1').fill('Allee 7')
      await tab.locator('#line1').blur()
      await assertPaidAnew(tab, fake)
    })
  })
})

// The newest checkout is paid, with what was typed into it; the one that ended is not.
async function assertPaidAnew(tab: Tab, ended: FakeSession): Promise<void> {
  await tab.locator('#pay-button:enabled').waitFor()
  await fillCard(tab)
  await tab.locator('#pay-button').click()
  await tab.waitForURL('**/thanks**')
  const [newest] = [...checkout.sessions.values()].slice(-1)
  assert.deepEqual([newest?.address?.line1, chargesOf(ended)], ['Allee 7', []])
}

test('a code that makes the order free asks for no card any more', async () => {
  const fake = checkout.open((it) => {
    ready(it)
    it.session.shipping = { optionId: 'free', options: [{ id: 'free', label: 'Free', amount: 0 }] }
    it.session.items = it.session.items.slice(0, 1).map((item) => ({ ...item, unitPrice: 1 }))
  })
  await visit(fake, async (tab) => {
    for (const item of fake.session.items as { unitPrice: number }[]) item.unitPrice = 0
    await tab.locator('#code').fill('welcome10')
    await tab.locator('#code').press('Enter')
    await tab.locator('.tag').waitFor()
    await tab.getByRole('button', { name: 'Place order' }).click()
    await tab.waitForURL('**/thanks**')
  })
})
