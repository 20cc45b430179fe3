// Every page that a shopper meets after the purchase: the order with its documents and a return, withdrawing, legal texts, the contact form and
// the account. They are asked for and posted without script, as valid HTML, and readable for everyone on a telephone and a desktop.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { pngOf } from '../harness/admin/pictures.ts'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { berlin } from '../harness/carts.ts'
import { type Checkout, checkoutOf } from '../harness/checkout.ts'
import { desktop, telephone } from '../harness/checkoutTab.ts'
import { type Orders, openOrderTestServer, orderMarket } from '../harness/orders.ts'
import { layoutFaults, violations } from '../harness/readable.ts'
import { rival } from '../harness/shops.ts'
import { givenEngine } from '../harness/storage.ts'
import { keepTabs } from '../harness/tabs.ts'
import { type TestServer, testSecret } from '../harness/testServer.ts'
import { isWide } from '../harness/wide.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import { legalTextKinds } from '../src/contract/words.ts'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { parseMailUrl } from '../src/platform/kit/mailurl.ts'
import { decryptUserEmail } from '../src/platform/outbox/emails.ts'

const shopFile = {
  ...orderMarket,
  merchant: {
    ...orderMarket.merchant,
    supportEmail: 'help@bloom.example',
    legal: { name: 'Bloom GmbH', address: ['Rosenweg 1', '04109 Leipzig'], vatId: 'DE123456789' },
  },
}
const account = '/account/bloom/test'

// Long words, and from right to left.
const languages = isWide ? ['de', 'ar', 'en', 'fr', 'es', 'nl', 'ja'] : ['de', 'ar']
const sizes = { telephone, desktop }

// A browser without script: it follows links, and sends forms with what is hidden in them.
class Shopper {
  readonly pages = new Map<string, string>()
  readonly #testServer: TestServer
  readonly #language: string
  readonly #cookies = new Map<string, string>()

  constructor(testServer: TestServer, language: string) {
    this.#testServer = testServer
    this.#language = language
  }

  async open(name: string, path: string): Promise<string> {
    return this.#note(name, await this.#go(path))
  }

  // By the button of the form with this action.
  async send(
    name: string,
    page: string,
    { action, ...fields }: { action: RegExp } & Readonly<Record<string, string | RegExp>>,
  ): Promise<string> {
    const form = [...page.matchAll(/<form[^>]* action="([^"]*)"[^>]*>[\s\S]*?<\/form>/g)].find(([, path = '']) =>
      action.test(path),
    )
    const [html = '', path = ''] = form ?? assert.fail(`${name}: no form ${action}`)
    const hidden = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    const body = new URLSearchParams(hidden.map(([, field = '', value = '']): [string, string] => [field, value]))
    for (const [field, value] of Object.entries(fields)) body.set(field, String(value))
    let answer = await this.#go(path, body)
    const to = answer.headers.get('location')
    if (answer.status === 303 && to !== null) answer = await this.#go(to.replace(/#.*/, ''))
    return this.#note(name, answer)
  }

  async #go(path: string, body?: URLSearchParams) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { cookie, 'accept-language': this.#language, ...(body && { origin: this.#testServer.origin }) }
    const init = { headers, redirect: 'manual', ...(body && { method: 'POST', body }) } as const
    const answer = await this.#testServer.fetch(path, init)
    for (const text of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      this.#cookies.set(name, value)
    }
    return answer
  }

  #note(name: string, { text, status }: { text: string; status: number }): string {
    assert.ok(
      status < 500 && text.includes(`<html lang="${this.#language}"`),
      `${name}: ${status} ${text.slice(0, 300)}`,
    )
    this.pages.set(name, text)
    return text
  }
}

describe('pages after the purchase', () => {
  const given = givenEngine('sqlite')
  let testServer: TestServer & { orders: Orders }
  let checkout: Checkout

  before(async () => {
    const target = parseMailUrl('smtp://127.0.0.1:1')
    assert.ok(!('problem' in target))
    const mail = { target, from: 'shop@example.com' }
    testServer = await openOrderTestServer(given, { shops: [shopFile, rival], mail, withShops: true })
    checkout = await checkoutOf(testServer)
    for (const kind of legalTextKinds)
      for (const language of ['en', 'de']) await save(kind, language, kind === 'guarantee' ? await picture() : longText)
  })

  async function ask(id: AdminOperationId, { path = {}, body = {} }: { path?: Record<string, string>; body?: object }) {
    const answer = await testServer.askAdmin(id, { path, body: { idempotencyKey: newId('req'), ...body } })
    assert.equal(answer.status, 200, answer.text)
    return answer
  }
  const longText = `Terms of delivery\n\n${'We send within two days. '.repeat(30)}`
  const picture = async () =>
    (await ask('uploadAdminPicture', { body: { content: pngOf().toString('base64') } })).body.data.url
  async function save(kind: string, language: string, text: string) {
    testServer.clock.now += 1_000
    await ask('saveAdminText', { body: { kind, language, text } })
  }

  // Paid, sent in part paid back, with its documents. Answers the address of its page.
  async function bought(email: string): Promise<{ path: string; number: string; skuId: string }> {
    const { secret, view } = await checkout.ready({ CARD: 3 })
    const contact = { email, name: 'Ada Lovelace', phone: '' }
    const { version, shipping } = view.session
    const details = { contact, address: berlin, shippingOptionId: shipping.optionId }
    const changed = await testServer.app.checkout.setDetails(secret, version, details)
    const { problem } = await checkout.pay(secret, changed?.view ?? view)
    assert.equal(problem, null)
    const { order, session } = await checkout.look(secret)
    const orderId = session.orderId ?? ''
    const { storage, clock } = testServer
    await storage.write((tx) => tx.sql`update orders set locale = 'auto' where id = ${orderId}`)
    await ask('fulfilAdminOrder', { path: { orderId } })
    await ask('refundAdminOrder', { path: { orderId }, body: { amount: 100 } })
    await testServer.orders.pay()
    while ((await issueDocuments(storage, testSecret, { now: clock.now, limit: 20 })) > 0);
    const { number, items } = (await testServer.askAdmin('getAdminOrder', { path: { orderId } })).body.data
    return { path: order?.statusPath ?? '', number, skuId: items[0].skuId }
  }

  async function mailed(): Promise<{ code: string; path: string }> {
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ id: string; sealed: string }>`
        select id, sealed from emails where kind = 'customer_code' order by created_at desc, id desc limit 1`,
    )
    const opened = row && decryptUserEmail(testSecret, row.id, row.sealed)
    assert.ok(opened?.code && opened.path)
    return { code: opened.code, path: opened.path }
  }

  async function walk(language: string): Promise<ReadonlyMap<string, string>> {
    const shopper = new Shopper(testServer, language)
    const email = `ada-${language}@example.com`
    const { path, number, skuId } = await bought(email)
    await orderPages(shopper, path)
    await returnPages(shopper, path, skuId)
    await withdrawalPages(shopper, number, email)
    for (const kind of legalTextKinds) await shopper.open(`text: ${kind}`, `/legal/bloom/${kind}`)
    await shopper.open('text that is not there', '/legal/bloom/nothing')
    const contact = await shopper.open('contact', '/contact/bloom')
    const typed = { name: 'Ada', email, text: 'Do the roses come in blue?' }
    await shopper.send('contact: wrong', contact, { action: /^\/contact/, ...typed, email: 'ada' })
    assert.doesNotMatch(await shopper.send('contact: sent', contact, { action: /^\/contact/, ...typed }), /<textarea/)
    await accountPages(shopper, email, number)
    return shopper.pages
  }

  async function orderPages(shopper: Shopper, path: string): Promise<void> {
    const order = await shopper.open('order', path)
    await shopper.open('receipt', `${path}/receipt`)
    const documents = [...order.matchAll(/href="([^"]*\/documents\/\w+)"/g)].map(([, href = '']) => href)
    assert.equal(documents.length, 2, 'an invoice and a credit note')
    for (const [at, href] of documents.entries()) await shopper.open(at === 0 ? 'invoice' : 'credit note', href)
  }

  async function returnPages(shopper: Shopper, path: string, skuId: string): Promise<void> {
    const action = /\/return$/
    const first = await shopper.open('return: items', `${path}/return`)
    await shopper.send('return: nothing chosen', first, { action, to: 'reason' })
    const second = await shopper.send('return: reason', first, { action, [`quantity-${skuId}`]: '1', to: 'reason' })
    const third = await shopper.send('return: check', second, { action, reason: 'late', note: 'Late', to: 'check' })
    assert.match(await shopper.send('return: requested', third, { action, to: 'send' }), /id="returns"/)
  }

  async function withdrawalPages(shopper: Shopper, order: string, email: string): Promise<void> {
    const action = /^\/w\//
    const form = await shopper.open('withdrawal', `/w/bloom?order=${order}`)
    await shopper.send('withdrawal: wrong', form, { action, name: '', order: '', email: 'ada' })
    const statement = { name: 'Ada Lovelace', order, email, items: 'Two cards' }
    const review = await shopper.send('withdrawal: review', form, { action, ...statement })
    const received = await shopper.send('withdrawal: received', review, { action, step: 'confirm' })
    assert.match(received, /<time datetime=/)
  }

  async function accountPages(shopper: Shopper, email: string, number: string): Promise<void> {
    const form = await shopper.open('account: sign in', account)
    await shopper.send('account: wrong address', form, { action: /\/code$/, email: 'ada' })
    const asked = await shopper.send('account: code', form, { action: /\/code$/, email })
    const { code, path } = await mailed()
    await shopper.open('account: link', path)
    const wrong = code === '111111' ? '222222' : '111111'
    await shopper.send('account: wrong code', asked, { action: /\/open$/, code: wrong })
    assert.ok((await shopper.send('account: orders', asked, { action: /\/open$/, code })).includes(number))
    const address = await shopper.open('account: new address', `${account}/address/new`)
    const typed = { name: 'Ada Lovelace', line1: 'Rosenweg 1', city: 'Leipzig', postalCode: '04109', country: 'DE' }
    await shopper.send('account: wrong new address', address, { action: /\/address\/new$/, ...typed, line1: '' })
    assert.match(await shopper.send('account: address', address, { action: /\/address\/new$/, ...typed }), /Rosenweg 1/)
    const erase = await shopper.open('account: erase', `${account}/erase`)
    assert.doesNotMatch(await shopper.send('account: erased', erase, { action: /\/erase$/ }), /<form[^>]*erase"/)
  }

  const walks = new Map<string, Promise<ReadonlyMap<string, string>>>()
  function pagesIn(language: string) {
    const known = walks.get(language) ?? walk(language)
    walks.set(language, known)
    return known
  }

  for (const language of languages)
    test(`need no script and are valid HTML in ${language}`, async () => {
      const { HtmlValidate } = createRequire(import.meta.url)('html-validate') as typeof import('html-validate')
      const validator = new HtmlValidate(
        JSON.parse(await readFile(new URL('../.htmlvalidate.json', import.meta.url), 'utf8')),
      )
      const wrong: string[] = []
      for (const [name, page] of await pagesIn(language)) {
        const { results } = await validator.validateString(page)
        for (const { messages } of results)
          wrong.push(...messages.map(({ ruleId, message }) => `${name}: ${ruleId}: ${message}`))
      }
      assert.deepEqual(wrong, [])
    })

  browserSuite.describe('in a browser', () => {
    let browser: Browser
    const tabs = keepTabs(() => browser, { timeoutMs: 10_000 })
    browserSuite.before(async () => {
      browser = await launchBrowser()
      given.later(() => browser.close())
    })

    for (const [at, language] of languages.entries())
      for (const size of ['telephone', 'desktop'] as const) {
        if (!isWide && (at === 0) !== (size === 'telephone')) continue
        browserSuite.test(`are accessible in ${language} on a ${size}`, async () => {
          const pages = [...(await pagesIn(language))]
          const wrong: string[] = []
          await tabs.use({ viewport: sizes[size], locale: language }, async (tab) => {
            for (const [place, [name, page]] of pages.entries()) {
              // Each page in one of the two.
              if (!isWide && place % 2 !== at) continue
              const path = `${testServer.origin}/as-answered/${place}`
              await tab.route(path, (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body: page }))
              await tab.goto(path)
              const faults = [...(await violations(tab, ['best-practice'])), ...(await layoutFaults(tab))]
              wrong.push(...faults.map((fault) => `${name}: ${fault}`))
            }
          })
          assert.deepEqual(wrong, [])
        })
      }
  })
})
