// The open checkout with script, under a shopper's hands: what is pressed and typed while answers are slow, lost or refused, and
// when the time runs out. What the page shows is what is charged, and nothing typed is lost.

import assert from 'node:assert/strict'
import type { Browser, Locator, Route, Page as Tab } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { fillCard, fillDetails, isSaved, payButton, visitsWith } from '../harness/checkoutTab.ts'
import { openPageTestServer, type PageSession, type PageTestServer } from '../harness/pageShop.ts'
import { givenEngine } from '../harness/storage.ts'
import { keepTabs } from '../harness/tabs.ts'

const { before, describe, test } = browserSuite

const minute = 60_000
const lateCard = '4000000000000259'
const mug = 'Speckled stoneware mug'
const towel = 'Linen tea towel'

const timeoutMs = 20_000

describe('the checkout with script', () => {
  const given = givenEngine('sqlite')
  let shop: PageTestServer
  let browser: Browser
  const tabs = keepTabs(() => browser, { timeoutMs })
  const visitPath = visitsWith(tabs, () => shop)
  before(async () => {
    shop = await openPageTestServer(given)
    browser = await launchBrowser()
    given.later(() => browser.close())
  })

  const visit = ({ path }: PageSession, look: (tab: Tab) => Promise<void>, options: object = {}) =>
    visitPath(path, look, options)

  const ordered = async (session: PageSession) =>
    (await shop.view(session)).session.items.map(({ quantity }) => String(quantity))

  // The page and the server agree.
  async function assertQuantities(tab: Tab, session: PageSession, quantities: readonly string[]): Promise<void> {
    await isSaved(tab)
    assert.deepEqual([await shown(tab), await ordered(session)], [quantities, quantities])
  }

  const isAtShop = (tab: Tab) => tab.waitForURL(`${shop.shopOrigin}/thanks**`)

  describe('the quantity buttons', () => {
    test('quick presses on two lines all count', async () => {
      const session = await shop.ready()
      await visit(session, async (tab) => {
        await more(tab, mug).click()
        await more(tab, towel).click()
        await more(tab, mug).click()
        await total(tab, '€146.70')
        await assertQuantities(tab, session, ['4', '2'])
      })
    })

    test('two presses are sent as one change, the Enter key as another, and the focus stays', async () => {
      const session = await shop.ready()
      await visit(session, async (tab) => {
        const sent = countPosts(tab)
        // In one go, because what comes later than a moment is a change of its own.
        await more(tab, mug).dblclick()
        await total(tab, '€131.80')
        await isSaved(tab)
        assert.deepEqual(sent(), ['quantity'])
        assert.ok(await isFocused(more(tab, mug)))
        await quantity(tab, mug).fill('2')
        await quantity(tab, mug).press('Enter')
        await total(tab, '€75.80')
        await assertQuantities(tab, session, ['2', '1'])
        assert.deepEqual(sent(), ['quantity', 'quantity'])
      })
    })

    test('presses while a response is pending all count', async () => {
      const session = await shop.ready()
      await visit(session, async (tab) => {
        const posts = await hold(tab, 'quantity')
        await more(tab, mug).click()
        for (let round = 0; round < 3; round += 1) {
          await tab.locator('body[data-sync=busy]').waitFor()
          await more(tab, mug).click()
          await more(tab, towel).click()
          await posts.next('go')
        }
        await posts.end()
        // Those that are still held were never answered, and are sent again.
        for (let left = 0; left < 3; left += 1) await Promise.race([posts.next('go'), isSaved(tab)])
        await assertQuantities(tab, session, ['6', '4'])
      })
    })

    test('a press counts once, also if its request or response is lost or it gets a 503', async () => {
      const session = await shop.ready()
      const look = async (tab: Tab) => {
        for (const [fate, mugs] of [
          ['lose request', '3'],
          ['lose answer', '4'],
          [503, '5'],
        ] as const) {
          const posts = await hold(tab, 'quantity')
          await more(tab, mug).click()
          await posts.next(fate)
          await hasFailed(tab)
          assert.deepEqual(await shown(tab), [mugs, '1'])
          await posts.end()
          await tab.getByRole('button', { name: 'Try again' }).click()
          await assertQuantities(tab, session, [mugs, '1'])
          assert.equal(await tab.getByText('another window').count(), 0)
        }
      }
      await visit(session, look, { hasFailures: true })
    })

    test('a removed line stays removed if the response is lost', async () => {
      const session = await shop.ready()
      const look = async (tab: Tab) => {
        const posts = await hold(tab, 'quantity')
        await tab.getByRole('button', { name: `Remove ${towel}` }).click()
        await posts.next('lose answer')
        await hasFailed(tab)
        await posts.end()
        await tab.getByRole('button', { name: 'Try again' }).click()
        await quantity(tab, towel).waitFor({ state: 'detached' })
        await isSaved(tab)
        assert.equal(await tab.locator('#problem').count(), 0)
        assert.deepEqual(await ordered(session), ['2'])
      }
      await visit(session, look, { hasFailures: true })
    })

    test('a typed number replaces the selected one, even if responses arrive in between', async () => {
      const session = await shop.ready()
      await visit(session, async (tab) => {
        const posts = await hold(tab, 'quantity')
        await more(tab, mug).click()
        await posts.held()
        await more(tab, mug).click()
        await quantity(tab, mug).selectText()
        await posts.next('go')
        await posts.next('go')
        await isSaved(tab)
        await tab.keyboard.type('7')
        await tab.keyboard.press('Enter')
        await posts.next('go')
        await assertQuantities(tab, session, ['7', '1'])
      })
    })

    test('a quantity above the stock is reported, and the valid quantity is shown', async () => {
      const session = await shop.ready({ 'BOWL-A': 2, TOWEL: 1 })
      await visit(session, async (tab) => {
        await more(tab, 'Bowl A').click({ clickCount: 3 })
        await tab.getByText('Only 3 of “Bowl A” are left.').waitFor()
        await isSaved(tab)
        assert.deepEqual([await quantity(tab, 'Bowl A').inputValue(), await ordered(session)], ['2', ['2', '1']])
      })
    })

    test('a form from an outdated tab is refused, and the tab shows the current state', async () => {
      const session = await shop.ready()
      await visit(session, async (tab) => {
        const { version } = (await shop.view(session)).session
        await shop.testServer.app.checkout.changeQuantity(session.secret, version, shop.checkout.carts.sku('MUG'), 5)
        await quantity(tab, towel).fill('2')
        await quantity(tab, towel).blur()
        await tab.getByText('changed in another window').waitFor()
        await assertQuantities(tab, session, ['5', '1'])
      })
    })

    test('paying immediately after a change of quantity charges only a total that was shown', async () => {
      const session = await shop.ready()
      await visit(session, async (tab) => {
        await fillCard(tab)
        await more(tab, mug).click()
        await payButton(tab).click()
        await tab.locator('#pay-button:focus', { hasText: 'Pay €103.80' }).waitFor()
        assert.deepEqual(await shop.collected(session), [])
        await payButton(tab).click()
        await isAtShop(tab)
        assert.deepEqual(await shop.collected(session), [10380])
      })
    })
  })

  test('a refused code stays in its field with the focus; a valid code is applied and removed', async () => {
    await visit(await shop.ready(), async (tab) => {
      const code = tab.getByLabel('Promotion code')
      await tab.locator('#code-fold > summary').click()
      await code.fill('OLD')
      await tab.getByRole('button', { name: 'Apply' }).click()
      await tab.getByText('This code has expired.').waitFor()
      await tab.locator('#code:focus').waitFor()
      assert.equal(await code.inputValue(), 'OLD')
      await code.fill('welcome10')
      await code.press('Enter')
      await total(tab, '€68.71')
      await tab.getByRole('button', { name: 'Remove code WELCOME10' }).click()
      await total(tab, '€75.80')
      await tab.locator('#code-fold > summary').waitFor()
    })
  })

  test('after a code that makes the order free, no card is asked for', async () => {
    const session = await shop.ready({ COURSE: 1 })
    await visit(session, async (tab) => {
      await tab.getByLabel('Card number').waitFor()
      await tab.locator('#code-fold > summary').click()
      await tab.getByLabel('Promotion code').fill('gift')
      await tab.getByLabel('Promotion code').press('Enter')
      await tab.getByLabel('Card number').waitFor({ state: 'detached' })
      await tab.getByRole('button', { name: 'Place order' }).click()
      await isAtShop(tab)
      assert.deepEqual(await shop.collected(session), [])
    })
  })

  describe('the address', () => {
    const fields = ['email', 'name', 'line1', 'city', 'postalCode']

    test('a complete address is saved immediately, the new total is announced, and the leading button becomes the one that pays', async () => {
      const session = await shop.open()
      await visit(session, async (tab) => {
        assert.deepEqual(await leadingOn(tab), ['Continue to payment'])
        await fillDetails(tab)
        await tab.locator('#city').fill('')
        // Pasted, with a no-break space behind it.
        await tab.locator('#email').fill('ada@example.com\u00a0')
        await tab.locator('#city').fill('Leipzig')
        await tab.locator('#city').blur()
        await tab.getByRole('radio', { name: 'Express' }).waitFor()
        await tab.locator('#told', { hasText: 'New total: €75.80' }).waitFor({ state: 'attached' })
        assert.deepEqual(await leadingOn(tab), ['Pay €75.80'])
        const { customer, address } = await shop.view(session)
        assert.deepEqual([customer.email, address?.city], ['ada@example.com', 'Leipzig'])
      })
    })

    test('the country decides which fields are shown, and typed values stay', async () => {
      const session = await shop.open()
      await visit(session, async (tab) => {
        await tab.locator('#email').fill('ada@example.com')
        await tab.locator('#line1').fill('1 Main Street')
        await tab.locator('#country').selectOption('US')
        await tab.locator('select#region').waitFor()
        await tab.getByLabel('ZIP code').waitFor()
        assert.deepEqual(await typedIn(tab, ['line1', 'email']), ['1 Main Street', 'ada@example.com'])
        await tab.locator('#name').fill('Ada Byron')
        await tab.locator('#city').fill('Springfield')
        await tab.locator('#postalCode').fill('62701')
        await tab.getByRole('button', { name: 'Continue to payment' }).click()
        await tab.locator('#region[aria-invalid]').waitFor()
        assert.equal(await tab.locator('#region-error').textContent(), 'Please choose: State.')
        assert.match(await tab.title(), /^Error: /)
        await tab.locator('#problem:focus').waitFor()
        await tab.locator('#problem').getByRole('link', { name: 'Please choose: State.' }).click()
        await tab.locator('#region:focus').waitFor()
        await tab.locator('#region').selectOption('IL')
        await tab.getByRole('button', { name: /Continue|Save/ }).click()
        await tab.locator('#pay-button:enabled').waitFor()

        await tab.locator('#country').selectOption('GB')
        await tab.getByLabel('Postcode').waitFor()
        await tab.getByRole('button', { name: /Continue|Save/ }).click()
        await tab.locator('#postalCode-error', { hasText: 'It looks like SW1A 1AA' }).waitFor()
        await tab.locator('#problem:focus').waitFor()
        assert.equal(await tab.locator('#postalCode').inputValue(), '62701')
        assert.equal((await shop.view(session)).address?.country, 'US')
      })
    })

    test('text that is typed after choosing the country stays, and the focus stays in its field', async () => {
      await visit(await shop.open(), async (tab) => {
        const posts = await hold(tab, 'details')
        await tab.locator('#country').selectOption('FR')
        await tab.locator('#name').fill('Ada Byron')
        await tab.locator('#line1').pressSequentially('1 rue de la')
        await posts.next('go')
        await tab.getByLabel('Postal code').waitFor()
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
      test(`autofill is saved completely: ${name}`, async () => {
        const session = await shop.open()
        await visit(session, async (tab) => {
          const values = { email: 'ada@example.com', name: 'Ada Byron', ...given }
          await autofill(tab, values)
          await tab.locator('#pay-button:enabled').waitFor()
          await isSaved(tab)
          const { region, ...rest } = values as Readonly<Record<string, string>>
          assert.deepEqual(
            await typedIn(tab, ['country', ...fields]),
            ['country', ...fields].map((id) => rest[id]),
          )
          if (region !== undefined) assert.equal(await tab.locator('#region').inputValue(), 'IL')
          const { address } = await shop.view(session)
          assert.deepEqual(
            [address?.country, address?.line1, address?.city, address?.region],
            [rest.country, rest.line1, rest.city, region && 'IL'],
          )
        })
      })
    }

    test('a state code is not kept as text for another country, and is selected again when the shopper returns to its country', async () => {
      await visit(await shop.open(), async (tab) => {
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

    test('the response to the Enter key does not move the focus of a shopper who continues to type', async () => {
      await visit(await shop.open(), async (tab) => {
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

    test('a delivery method that is chosen during a save stays chosen, and typed card details stay', async () => {
      const session = await shop.ready()
      await visit(session, async (tab) => {
        await tab.getByLabel('Card number').pressSequentially('4242424242424242')
        await tab.getByLabel('Expiry date').pressSequentially('0929')
        const posts = await hold(tab, 'details')
        await tab.locator('#line1').fill('Allee 7')
        await tab.locator('#line1').blur()
        await tab.locator('body[data-sync=busy]').waitFor()
        await tab.getByRole('radio', { name: 'Express' }).check()
        await posts.next('go')
        await posts.next('go')
        await tab.getByRole('button', { name: 'Pay €80.80' }).waitFor()
        await isSaved(tab)
        assert.ok(await tab.getByRole('radio', { name: 'Express' }).isChecked())
        const { address, session: saved } = await shop.view(session)
        assert.deepEqual([address?.line1, saved.shipping.optionId], ['Allee 7', 'express'])
        assert.deepEqual(await typedIn(tab, ['card-number', 'card-expiry']), ['4242 4242 4242 4242', '09 / 29'])
      })
    })

    test('nothing that is typed or sent during a slow response is lost', async () => {
      await visit(await shop.ready(), async (tab) => {
        const sent = countPosts(tab)
        const posts = await hold(tab, 'details')
        await tab.getByRole('radio', { name: 'Express' }).check()
        await quantity(tab, towel).fill('2')
        await quantity(tab, towel).blur()
        await tab.locator('#code-fold > summary').click()
        await tab.getByLabel('Promotion code').pressSequentially('WELC')
        await posts.next('go')
        await total(tab, '€95.70')
        await tab.getByLabel('Promotion code').pressSequentially('OME10')
        await tab.getByLabel('Promotion code').press('Enter')
        await tab.getByRole('button', { name: 'Remove code WELCOME10' }).waitFor()
        assert.deepEqual(sent(), ['details', 'quantity', 'code'])
      })
    })
  })

  describe('without a response', () => {
    test('while offline the page says so and keeps typed values, and saves them when it is online again', async () => {
      const session = await shop.open()
      const look = async (tab: Tab) => {
        await fillDetails(tab)
        await tab.context().setOffline(true)
        await tab.locator('#city').blur()
        await tab.getByText('You are offline. What you entered is still here').first().waitFor()
        assert.equal(await tab.locator('#city').inputValue(), 'Leipzig')
        await tab.context().setOffline(false)
        await tab.locator('#pay-button:enabled').waitFor()
        await isSaved(tab)
        assert.ok(await tab.locator('#connection').isHidden())
        assert.equal((await shop.view(session)).address?.city, 'Leipzig')
      }
      await visit(session, look, { hasFailures: true })
    })

    test('after a 503 the form stays, and the next press saves or pays', async () => {
      const session = await shop.ready()
      const look = async (tab: Tab) => {
        await fillCard(tab)
        const details = await hold(tab, 'details')
        await tab.locator('#line1').fill('Allee 7')
        await tab.locator('#details-save').click()
        await details.next(503)
        await hasFailed(tab)
        assert.equal(await tab.getByLabel('Card number').inputValue(), '4242 4242 4242 4242')
        await details.end()
        await tab.locator('#details-save').click()
        await isSaved(tab)
        assert.equal((await shop.view(session)).address?.line1, 'Allee 7')
        const payments = await hold(tab, 'pay')
        await payButton(tab).click()
        await payments.next(503)
        await hasFailed(tab)
        assert.equal(await tab.getByLabel('Card number').inputValue(), '4242 4242 4242 4242')
        assert.deepEqual(await shop.collected(session), [])
        await payments.end()
        await payButton(tab).click()
        await isAtShop(tab)
        assert.deepEqual(await shop.collected(session), [7580])
      }
      await visit(session, look, { hasFailures: true })
    })

    test('a payment whose response is lost is found by the page, and charged once', async () => {
      const session = await shop.ready()
      const look = async (tab: Tab) => {
        await fillCard(tab)
        const posts = await hold(tab, 'pay')
        await payButton(tab).click()
        await posts.next('lose answer')
        await isAtShop(tab)
        assert.deepEqual(await shop.collected(session), [7580])
      }
      await visit(session, look, { hasFailures: true })
    })

    test('a payment whose request is lost can be sent again, and is charged once', async () => {
      const session = await shop.ready()
      const look = async (tab: Tab) => {
        await fillCard(tab)
        const posts = await hold(tab, 'pay')
        await payButton(tab).click()
        await posts.next('lose request')
        await tab.getByText('you will not be charged twice').first().waitFor()
        await posts.end()
        await tab.locator('#pay-button:not([aria-disabled])').click()
        await isAtShop(tab)
        assert.deepEqual(await shop.collected(session), [7580])
      }
      await visit(session, look, { hasFailures: true })
    })
  })

  describe('paying', () => {
    test('unsaved changes are saved before the payment', async () => {
      const session = await shop.ready()
      await visit(session, async (tab) => {
        await fillCard(tab)
        const posts = await hold(tab, 'pay')
        await tab.locator('#line1').fill('Allee 7')
        // Pressed from within the address, which was never left by a change of its own.
        await tab.evaluate(`document.getElementById('pay-button').click()`)
        await posts.held()
        assert.equal((await shop.view(session)).address?.line1, 'Allee 7')
        await posts.next('go')
        await isAtShop(tab)
      })
    })

    test('two clicks make one payment, and going back from the shop shows the order', async () => {
      const session = await shop.ready()
      await visit(session, async (tab) => {
        await fillCard(tab)
        await payButton(tab).dblclick()
        await isAtShop(tab)
        assert.deepEqual(await shop.collected(session), [7580])
        await tab.goBack()
        await tab.getByRole('heading', { name: 'Thank you for your order' }).waitFor()
      })
    })

    test('a card with an invalid expiry date stays in its fields, and the page names the invalid field', async () => {
      await visit(await shop.ready(), async (tab) => {
        await fillCard(tab)
        await tab.getByLabel('Expiry date').fill('13/29')
        await payButton(tab).click()
        await tab.locator('#card-expiry-error').waitFor()
        await tab.locator('#problem:focus').waitFor()
        assert.equal(await tab.getByLabel('Card number').inputValue(), '4242 4242 4242 4242')
        assert.match(await tab.title(), /^Error: /)
      })
    })

    test('the page waits for a slow bank and continues by itself', async () => {
      const session = await shop.ready()
      await visit(session, async (tab) => {
        await fillCard(tab, lateCard)
        await shop.whileBankIsSlow(async () => {
          await payButton(tab).click()
          await tab.getByRole('heading', { name: 'We are checking with your bank' }).waitFor()
        })
        shop.testServer.clock.now += minute
        await isAtShop(tab)
      })
    })
  })

  for (const javaScriptEnabled of [true, false]) {
    test(`the Enter key continues, never pays and never removes a line, script ${javaScriptEnabled ? 'on' : 'off'}`, async () => {
      const session = await shop.ready()
      const look = async (tab: Tab) => {
        await fillCard(tab)
        for (const id of ['card-number', 'card-cvc', 'card-name']) await tab.locator(`#${id}`).press('Enter')
        await quantity(tab, mug).press('Enter')
        // Whatever was posted is answered before this.
        await tab.evaluate('fetch(location.href)')
        assert.deepEqual([await shop.collected(session), await ordered(session)], [[], ['2', '1']])
        await tab.waitForLoadState()
        await tab.locator('#city').fill('Dresden')
        await tab.locator('#city').press('Enter')
        await tab.locator('#payment:focus-within, #payment:target').waitFor()
        assert.equal((await shop.view(session)).address?.city, 'Dresden')
        await tab.waitForLoadState()
        await tab.locator('#city').fill('')
        await tab.locator('#city').press('Enter')
        await tab.locator('#city-error').waitFor()
        const { session: seen } = await shop.view(session)
        assert.deepEqual([await shop.collected(session), seen.status], [[], 'open'])
      }
      await visit(session, look, { javaScriptEnabled })
    })
  }

  describe('the end of the session', () => {
    // Of sessions that were just opened.
    const leave = (ms: number) => {
      shop.testServer.clock.now += 30 * minute - ms
    }

    test('one click extends the time, and typed values stay', async () => {
      const session = await shop.open()
      leave(200_000)
      await visit(session, async (tab) => {
        await tab.locator('#name').fill('Ada')
        await tab.getByRole('button', { name: 'Give me more time' }).click()
        await tab.getByText('Time left to pay: 30 minutes').waitFor()
        assert.equal(await tab.locator('#name').inputValue(), 'Ada')
        assert.ok(await tab.getByRole('button', { name: 'Give me more time' }).isHidden())
      })
    })

    test('the page says when the session has expired', async () => {
      const session = await shop.ready()
      leave(100)
      await visit(session, async (tab) => {
        await tab.getByRole('alert').filter({ hasText: 'This checkout has expired' }).waitFor()
      })
    })

    test('a post to a session that was cancelled shows that it was cancelled', async () => {
      const session = await shop.ready()
      await visit(session, async (tab) => {
        await shop.testServer.app.checkout.cancel(session.secret)
        await tab.getByRole('button', { name: `Remove ${towel}` }).click()
        await tab.getByRole('heading', { name: 'This checkout was cancelled' }).waitFor()
      })
    })

    test('a session that expires while the shopper types continues as a new session with the typed values', async () => {
      const session = await shop.open()
      await visit(session, async (tab) => {
        await fillDetails(tab)
        leave(-1)
        await tab.locator('#city').blur()
        await tab.locator('#expired').waitFor()
        await tab.locator('#city').fill('')
        await tab.locator('#line1').fill('Allee 7')
        await tab.getByRole('button', { name: 'Start again with the same items' }).click()
        await tab.locator('#expired').waitFor({ state: 'hidden' })
        assert.notEqual(new URL(tab.url()).pathname, session.path)
        assert.deepEqual(await typedIn(tab, ['email', 'name', 'line1']), ['ada@example.com', 'Ada Byron', 'Allee 7'])
        await tab.locator('#city').fill('Leipzig')
        await tab.locator('#city').blur()
        await assertPaidAnew(tab, session)
      })
    })

    test('a checkout that is started again loads its script, even if the page of the expired session had none', async () => {
      const session = await shop.open()
      await visit(session, async (tab) => {
        await fillDetails(tab)
        await tab.locator('#city').blur()
        await tab.locator('#pay-button:enabled').waitFor()
        await tab.route('**/checkout/page.js*', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
        await tab.reload()
        await tab.locator('#line1').fill('Allee 6')
        leave(-1)
        await tab.locator('#details-save').click()
        const again = tab.getByRole('button', { name: 'Start again with the same items' })
        await again.waitFor()
        // A script that is on its way would never come.
        await tab.waitForLoadState()
        await tab.unroute('**/checkout/page.js*')
        await again.click()
        await tab.waitForURL((url) => url.pathname !== session.path)
        await tab.locator('#line1').fill('Allee 7')
        await tab.locator('#line1').blur()
        await assertPaidAnew(tab, session)
      })
    })

    // The new checkout is paid, with what was typed into it; the one that ended is not.
    async function assertPaidAnew(tab: Tab, ended: PageSession): Promise<void> {
      await tab.locator('#pay-button:enabled').waitFor()
      await fillCard(tab)
      const posts = await hold(tab, 'pay')
      await payButton(tab).click()
      const [, , secret = ''] = new URL(await posts.held()).pathname.split('/')
      const { address, session } = await shop.view({ secret })
      assert.equal(address?.line1, 'Allee 7')
      await posts.next('go')
      await isAtShop(tab)
      assert.deepEqual([await shop.collected(session), await shop.collected(ended)], [[session.totals.total], []])
    }
  })
})

const more = (tab: Tab, item: string) => tab.getByRole('button', { name: `One more: ${item}` })
const quantity = (tab: Tab, item: string) => tab.getByLabel(`Quantity of ${item}`)
const shown = async (tab: Tab) => Promise.all([mug, towel].map((item) => quantity(tab, item).inputValue()))
const total = (tab: Tab, amount: string) => tab.locator('#grand', { hasText: amount }).waitFor()
const hasFailed = (tab: Tab) => tab.locator('#connection').waitFor()
const isFocused = (locator: Locator) => locator.evaluate((element) => element.matches(':focus'))
const typedIn = (tab: Tab, ids: readonly string[]) => Promise.all(ids.map((id) => tab.locator(`#${id}`).inputValue()))
// The buttons of the first rank that can be pressed.
const leadingOn = (tab: Tab) => tab.locator('button.first:visible:enabled').allInnerTexts()

// The actions that the page has posted to, so far.
function countPosts(tab: Tab): () => string[] {
  const sent: string[] = []
  tab.on('request', (request) => {
    if (request.method() === 'POST') sent.push(request.url().split('/').at(-1) ?? '')
  })
  return () => [...sent]
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

type Fate = 'go' | 'lose request' | 'lose answer' | 503

interface HeldPosts {
  // The address of the one that waits.
  held(): Promise<string>
  next(fate: Fate): Promise<void>
  end(): Promise<void>
}

// The posts to an action of the page, each of which waits for its fate: to go on, to be lost, or to lose its answer.
async function hold(tab: Tab, action: string): Promise<HeldPosts> {
  const waiting: Route[] = []
  let arrived = () => {}
  const pattern = `**/${action}`
  const late = () => new Error(`no post of ${action} arrived`)
  await tab.route(pattern, (route) => {
    waiting.push(route)
    arrived()
  })
  async function first(): Promise<Route> {
    for (;;) {
      const [route] = waiting
      if (route) return route
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(late()), timeoutMs)
        arrived = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  return {
    held: async () => (await first()).request().url(),
    async next(fate) {
      const route = await first()
      waiting.shift()
      if (fate === 'go') return route.continue()
      if (fate === 503) return route.fulfill({ status: 503, contentType: 'application/json', body: '{"error":{}}' })
      if (fate === 'lose answer') await route.fetch({ maxRedirects: 0 })
      await route.abort('connectionreset')
    },
    end: () => tab.unroute(pattern),
  }
}
