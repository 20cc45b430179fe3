// What a shopper meets while filling in the checkout, in a real browser on the real service: optional fields stand back, the payment
// opens when it can be used, and a declined card stays typed without the server ever repeating it.

import assert from 'node:assert/strict'
import type { Browser, BrowserContextOptions, Page as Tab } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { market } from '../harness/carts.ts'
import { type Checkout, cards, checkoutOf, secretOf } from '../harness/checkout.ts'
import { violations } from '../harness/readable.ts'
import { givenEngine } from '../harness/storage.ts'
import { keepTabs } from '../harness/tabs.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'

const { after, before, describe, test } = browserSuite

describe('fields of the checkout', () => {
  const given = givenEngine('sqlite')
  let testServer: TestServer
  let checkout: Checkout
  let browser: Browser
  const tabs = keepTabs(() => browser, { timeoutMs: 10_000 })
  before(async () => {
    testServer = await openTestServer(given, { shops: [market] })
    // The page counts down by the browser's clock.
    testServer.clock.now = Date.now()
    checkout = await checkoutOf(testServer)
    browser = await launchBrowser()
  })
  after(() => browser.close())

  const visit = (secret: string, options: BrowserContextOptions, look: (tab: Tab) => Promise<void>) =>
    tabs.use({ viewport: { width: 1280, height: 900 }, locale: 'en-GB', ...options }, async (tab) => {
      await tab.goto(`${testServer.origin}/c/${secret}`)
      await look(tab)
    })

  const opened = async (items: Readonly<Record<string, number>> = { CARD: 1 }) =>
    secretOf((await checkout.open(items)).body.data.url)
  const ready = async () => (await checkout.ready({ CARD: 1 }, { successUrl: `${testServer.origin}/healthz` })).secret

  async function fillDetails(tab: Tab): Promise<void> {
    await tab.locator('#email').fill('ada@example.com')
    await tab.locator('#name').fill('Ada Lovelace')
    await tab.locator('#line1').fill('Unter den Linden 1')
    await tab.locator('#postalCode').fill('10117')
    await tab.locator('#city').fill('Berlin')
  }

  async function fillCard(tab: Tab, number: string): Promise<void> {
    await tab.locator('#card-number').fill(number)
    await tab.locator('#card-expiry').fill('12 / 40')
    await tab.locator('#card-cvc').fill('123')
    await tab.locator('#card-name').fill('Ada Lovelace')
  }

  for (const javaScriptEnabled of [true, false]) {
    describe(`script ${javaScriptEnabled ? 'on' : 'off'}`, () => {
      const save = async (tab: Tab) => {
        await tab.locator('#details-save').click()
        await (javaScriptEnabled ? tab.locator('body[data-sync=""]').waitFor() : tab.waitForLoadState())
      }

      test('optional fields are folded, are opened by one press, and stay open while they are filled or invalid', async () => {
        await visit(await opened(), { javaScriptEnabled }, async (tab) => {
          const optional = ['phone', 'line2', 'company']
          for (const id of optional) assert.equal(await tab.locator(`#${id}`).isVisible(), false, id)
          assert.deepEqual(await tab.locator('#details summary').allInnerTexts(), [
            'Phone',
            'Apartment, floor, etc.',
            'Company',
          ])
          await tab.locator('summary', { hasText: 'Phone' }).press('Enter')
          await tab.locator('#phone').waitFor()
          if (javaScriptEnabled) await tab.locator('#phone:focus').waitFor()
          await tab.locator('#phone').fill('call me')
          await tab.locator('summary', { hasText: 'Company' }).click()
          await tab.locator('#company').fill('Analytical Engines')
          await fillDetails(tab)
          await save(tab)
          await tab.locator('#phone-error').waitFor()
          assert.equal(await tab.getByLabel('Phone').getAttribute('aria-invalid'), 'true')
          await tab.locator('#phone').fill('+49 30 1234567')
          await save(tab)
          await tab.locator('#pay-button').waitFor()
          await tab.reload()
          assert.deepEqual(await Promise.all(optional.map((id) => tab.locator(`#${id}`).isVisible())), [
            true,
            false,
            true,
          ])
          assert.equal(await tab.locator('#company').inputValue(), 'Analytical Engines')
        })
      })

      test('the promotion code is folded, and stays open with its error', async () => {
        await visit(await opened(), { javaScriptEnabled }, async (tab) => {
          assert.equal(await tab.locator('#code').isVisible(), false)
          await tab.locator('#items summary', { hasText: 'Promotion code' }).click()
          await tab.locator('#code').fill('OLD')
          await tab.locator('#code-apply').click()
          await tab.locator('#code-error', { hasText: 'expired' }).waitFor()
          assert.equal(await tab.locator('#code').inputValue(), 'OLD')
        })
      })

      test('the payment section lists what is missing, and shows its fields when nothing is missing', async () => {
        await visit(await opened(), { javaScriptEnabled }, async (tab) => {
          const missing = tab.locator('#payment .missing li')
          assert.deepEqual(await missing.allInnerTexts(), ['E-mail address', 'Delivery address'])
          for (const id of ['pay-fields', 'card-number', 'pay-button'])
            assert.equal(await tab.locator(`#${id}`).isVisible(), false, id)
          await missing.getByRole('link', { name: 'E-mail address' }).click()
          await tab.locator('#email:focus').waitFor()
          await fillDetails(tab)
          await save(tab)
          await tab.locator('#pay-button:enabled').waitFor()
          assert.equal(await missing.count(), 0)
          assert.ok(await tab.locator('#card-number').isEditable())
        })
      })
    })
  }

  test('an order without shipping needs only an e-mail address, and its optional name is folded', async () => {
    await visit(await opened({ COURSE: 1 }), { javaScriptEnabled: false }, async (tab) => {
      assert.deepEqual(await tab.locator('#payment .missing li').allInnerTexts(), ['E-mail address'])
      assert.deepEqual(await tab.locator('#details summary').allInnerTexts(), ['Name', 'Phone'])
    })
  })

  test('a folded field opens when the browser fills it, and an open field stays open when a response arrives', async () => {
    await visit(await opened(), {}, async (tab) => {
      await tab.locator('summary', { hasText: 'Company' }).click()
      await tab.evaluate(`{
        const field = document.getElementById('line2')
        field.value = 'Back door'
        for (const kind of ['input', 'change']) field.dispatchEvent(new Event(kind, { bubbles: true }))
      }`)
      await tab.locator('#line2').waitFor()
      await fillDetails(tab)
      await tab.locator('#details-save').click()
      await tab.locator('#pay-button:enabled').waitFor()
      assert.ok(await tab.locator('#company').isVisible())
      assert.equal(await tab.locator('#line2').inputValue(), 'Back door')
    })
  })

  test('the card brand is recognized by its first digits, and the digits are grouped as on the card', async () => {
    await visit(await ready(), {}, async (tab) => {
      const marks = tab.locator('.brands li:visible')
      const number = tab.locator('#card-number')
      assert.deepEqual(await marks.allInnerTexts(), ['Visa', 'Mastercard', 'Amex', 'Discover'])
      const typed = [
        ['4', ['Visa'], '4'],
        ['2221001', ['Mastercard'], '2221 001'],
        ['378282246310005', ['Amex'], '3782 822463 10005'],
        ['6011000990139424', ['Discover'], '6011 0009 9013 9424'],
        // Of a brand that is not taken here, and of none.
        ['3528', ['Visa', 'Mastercard', 'Amex', 'Discover'], '3528'],
        ['', ['Visa', 'Mastercard', 'Amex', 'Discover'], ''],
      ] as const
      const asked: string[] = []
      tab.on('request', (request) => asked.push(request.url()))
      for (const [digits, brands, shown] of typed) {
        await number.fill('')
        await number.pressSequentially(digits)
        assert.deepEqual([await marks.allInnerTexts(), await number.inputValue()], [brands, shown])
      }
      assert.deepEqual(asked, [])
    })
  })

  test('a declined card stays in its fields, is in no response, and pays after it was corrected', async () => {
    await visit(await ready(), {}, async (tab) => {
      const answers: Promise<string>[] = []
      tab.on('response', (response) => answers.push(response.text().catch(() => '')))
      await fillCard(tab, cards.insufficientFunds)
      await tab.locator('#pay-button').click()
      await tab.locator('#payment-notice', { hasText: 'not enough money' }).waitFor()
      await tab.locator('#payment:focus').waitFor()
      const kept = () =>
        Promise.all(['number', 'expiry', 'cvc', 'name'].map((id) => tab.locator(`#card-${id}`).inputValue()))
      assert.deepEqual(await kept(), ['4000 0000 0000 9995', '12 / 40', '123', 'Ada Lovelace'])
      assert.deepEqual(await tab.locator('.brands li:visible').allInnerTexts(), ['Visa'])
      // The second time as well: each press is a payment of its own.
      await tab.locator('#pay-button:not([aria-disabled])').click()
      await tab.locator('body[data-sync=""]').waitFor()
      assert.deepEqual((await kept()).slice(0, 1), ['4000 0000 0000 9995'])
      const bodies = (await Promise.all(answers)).join('\n')
      assert.doesNotMatch(bodies, /0000 ?9995|Ada Lovelace" autocomplete="cc-name"/)
      await tab.locator('#card-number').fill(cards.approved)
      await tab.locator('#pay-button').click()
      await tab.waitForURL('**/healthz')
    })
    const orders = await testServer.storage.read(
      (db) => db.sql<{ status: string }>`select status from payments order by id`,
    )
    assert.deepEqual(orders.map(({ status }) => status).toSorted(), ['declined', 'declined', 'succeeded'])
  })

  test('without script a declined card must be typed again', async () => {
    await visit(await ready(), { javaScriptEnabled: false }, async (tab) => {
      await fillCard(tab, cards.declined)
      await tab.locator('#pay-button').click()
      await tab.locator('#payment-notice', { hasText: 'declined' }).waitFor()
      assert.equal(await tab.locator('#card-number').inputValue(), '')
      assert.doesNotMatch(await tab.content(), /0000000002/)
    })
  })

  test('the page is accessible with folded and with open fields, from right to left and in dark mode', async () => {
    const options = { locale: 'ar', colorScheme: 'dark', viewport: { width: 390, height: 844 } } as const
    await visit(await opened(), options, async (tab) => {
      assert.deepEqual(await violations(tab, ['best-practice']), [])
      await tab.evaluate(`for (const fold of document.querySelectorAll('details')) fold.open = true`)
      assert.deepEqual(await violations(tab, ['best-practice']), [])
      assert.equal(await tab.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
    })
    await visit(await ready(), {}, async (tab) => {
      await tab.locator('#card-number').pressSequentially('42')
      assert.deepEqual(await violations(tab, ['best-practice']), [])
    })
  })
})
