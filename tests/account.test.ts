// The shopper's account: signing in by a mailed code or link, and what is shown then.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, test } from 'node:test'
import { berlin } from '../harness/carts.ts'
import { type Checkout, checkoutOf, secretOf } from '../harness/checkout.ts'
import { orderMarket } from '../harness/orders.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine, isOnce } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { modes } from '../src/contract/words.ts'
import { createCustomerKey } from '../src/domain/checkout/customer.ts'
import type { SavedAddress } from '../src/domain/customers/book.ts'
import {
  codesStoredMs,
  customerCodeMs,
  customerCodesMax,
  customerCodeTriesMax,
  customerSessionMs,
  knownBrowserMs,
} from '../src/domain/customers/codes.ts'
import { forgetCustomer } from '../src/domain/customers/forget.ts'
import { sweepCustomers } from '../src/domain/customers/retention.ts'
import { createCustomerService } from '../src/domain/customers/service.ts'
import { isKnownBrowser } from '../src/domain/customers/store.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { decryptUserEmail, setMailSwitch } from '../src/platform/outbox/emails.ts'

eachEngine('the customer account', (given) => {
  let testServer: TestServer
  let checkout: Checkout
  before(async () => {
    testServer = await openTestServer(given, { shops: [orderMarket, rival] })
    checkout = await checkoutOf(testServer)
    await testServer.storage.write((tx) => setMailSwitch(tx, true, testServer.clock.now))
  })

  const base = '/account/bloom/test'

  // A browser with its own cookies.
  function browser() {
    const cookies = new Map<string, string>()
    async function go(path: string, form?: Record<string, string>, origin = testServer.origin) {
      const headers = {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form && { origin }),
      }
      const init = {
        headers,
        redirect: 'manual',
        ...(form && { method: 'POST', body: new URLSearchParams(form) }),
      } as const
      const answer = await testServer.fetch(path, init)
      for (const text of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
        if (/Max-Age=0/.test(text)) cookies.delete(name)
        else cookies.set(name, value)
      }
      return answer
    }
    return { go, cookies }
  }

  // What was mailed last, to whom, with its code and link.
  async function mailed() {
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ id: string; sealed: string }>`
        select id, sealed from emails where kind = 'customer_code' order by created_at desc, id desc limit 1`,
    )
    const opened = row && decryptUserEmail(testSecret, row.id, row.sealed)
    assert.ok(opened?.code && opened.path)
    return { email: opened.email, code: opened.code, path: opened.path }
  }
  const countMails = async () =>
    (await testServer.storage.read((db) => db.sql`select id from emails where kind = 'customer_code'`)).length

  async function signedIn(email: string) {
    const shopper = browser()
    await shopper.go(`${base}/code`, { email })
    const { code } = await mailed()
    assert.equal((await shopper.go(`${base}/open`, { code, email })).status, 303)
    return shopper
  }

  async function bought(email: string, to?: typeof berlin): Promise<string> {
    const { sessionId, secret, view: ready } = await checkout.ready({ CARD: 2 })
    const { session } = ready
    const contact = { email, name: 'Ada', phone: '' }
    const details = { contact, address: to ?? ready.address, shippingOptionId: session.shipping.optionId }
    const changed = await testServer.app.checkout.setDetails(secret, session.version, details)
    const view = changed?.view ?? ready
    const { problem } = await checkout.pay(secret, view)
    assert.equal(problem, null)
    return (await checkout.read(sessionId)).body.data.orderId
  }

  test('a guest sees the orders of a mailbox, and no others, after entering the mailed code', async () => {
    const email = 'guest@example.com'
    const orderId = await bought(email)
    await bought('other@example.com')
    const { number } = (await testServer.ask('getStorefrontOrder', { path: { orderId } })).body.data
    const shopper = browser()
    assert.match((await shopper.go(base)).text, /name="email"/)
    const asked = await shopper.go(`${base}/code`, { email: ' Guest@Example.com ' })
    assert.equal(asked.status, 200)
    const { email: to, code } = await mailed()
    assert.equal(to, 'Guest@Example.com')
    const opened = await shopper.go(`${base}/open`, { code: `${code.slice(0, 3)} ${code.slice(3)}`, email })
    assert.deepEqual([opened.status, opened.headers.get('location')], [303, base])
    const page = await shopper.go(base)
    assert.deepEqual(page.text.match(/T-\d+/g)?.slice(0, 1), [number])
    assert.equal(new Set(page.text.match(/T-\d+/g)).size, 1)
    const [, order] = /href="(\/o\/[\w-]{43})"/.exec(page.text) ?? []
    assert.equal((await shopper.go(order ?? '')).status, 200)
    // A code works once, and the session is of this shop and mode.
    const second = browser()
    second.cookies.set('account-ask-test-bloom', shopper.cookies.get('account-ask-test-bloom') ?? '')
    assert.equal((await second.go(`${base}/open`, { code, email })).status, 409)
    const other = browser()
    other.cookies.set('account-test-rival', shopper.cookies.get('account-test-bloom') ?? '')
    assert.match((await other.go('/account/rival/test')).text, /name="email"/)
    assert.match((await shopper.go('/account/bloom')).text, /name="email"/)
    await shopper.go(`${base}/out`, {})
    assert.match((await shopper.go(base)).text, /name="email"/)
  })

  test('at the checkout a signed-in shopper can choose an address of an earlier order; other shoppers see none', async () => {
    const email = 'again@example.com'
    await bought(email)
    await bought(email)
    const shopper = await signedIn(email)
    const opened = await checkout.open({ CARD: 1 })
    const path = `/c/${secretOf(opened.body.data.url)}`
    assert.match((await shopper.go(path)).text, new RegExp(`href="${path}/addresses"`))
    const list = (await shopper.go(`${path}/addresses`)).text
    const [use = '', ...more] = [...list.matchAll(/name="use" value="([\w-]+)"/g)].map(([, value]) => value)
    assert.deepEqual(more, [], 'the same address is one')
    // An order to another address comes before it in the list now.
    await bought(email, { ...berlin, city: 'Potsdam', postalCode: '14467' })
    const contact = { email, name: 'Ada', phone: '' }
    const chosen = { contact, address: berlin, shippingOptionId: 'express', vatId: 'FR40303265045' }
    const { session } = await checkout.look(secretOf(path))
    await testServer.app.checkout.setDetails(secretOf(path), session.version, chosen)
    const version = `${(await checkout.look(secretOf(path))).session.version}`
    const crossed = await shopper.go(`${path}/addresses`, { version, use }, 'https://evil.example')
    assert.equal(crossed.status, 403)
    const used = await shopper.go(`${path}/addresses`, { version, use })
    assert.deepEqual([used.status, used.headers.get('location')], [303, `${path}#payment`])
    const view = await checkout.look(secretOf(path))
    assert.deepEqual([view.customer.email, view.address?.city], [email, berlin.city])
    assert.deepEqual([view.customer.vatId, view.session.shipping.optionId], [chosen.vatId, 'express'])
    const unknown = await shopper.go(`${path}/addresses`, { version, use: '0' })
    assert.deepEqual([unknown.status, unknown.headers.get('location')], [303, path])
    const stale = await shopper.go(`${path}/addresses`, { version, use })
    assert.equal(stale.status, 200, 'another version is shown, and nothing is changed')
    const guest = browser()
    assert.doesNotMatch((await guest.go(path)).text, /\/addresses"/)
    for (const cookie of ['', shopper.cookies.get('account-test-bloom')?.replace(/^./, '_') ?? '']) {
      guest.cookies.set('account-test-bloom', cookie)
      const answer = await guest.go(`${path}/addresses`)
      assert.deepEqual([answer.status, answer.headers.get('location')], [303, path])
      assert.equal((await guest.go(`${path}/addresses`, { version, use })).headers.get('location'), path)
    }
    // A mailbox that is erased leaves no address behind.
    await shopper.go(`${base}/erase`, {})
    assert.equal((await shopper.go(`${path}/addresses`)).headers.get('location'), path)
  })

  test('a shopper saves, changes and removes addresses, and finds them at the checkout and in the exported file; other shoppers can neither see nor remove them', async () => {
    const email = 'book@example.com'
    const shopper = await signedIn(email)
    const berlinForm = { ...berlin, country: 'DE' } as Record<string, string>
    const bad = await shopper.go(`${base}/address/new`, { ...berlinForm, postalCode: 'x' })
    assert.equal(bad.status, 409)
    assert.match(bad.text, /id="postalCode-error"/)
    const idsOf = async () =>
      [...(await shopper.go(base)).text.matchAll(/action="[^"]+address\/(cad_\w+)"/g)].map(([, id]) => id ?? '')
    for (const [line1, isDefault] of [
      ['Linden 1', ''],
      ['Linden 2', ''],
      ['Linden 3', '1'],
      ['LINDEN 2', ''],
    ] as const)
      assert.equal((await shopper.go(`${base}/address/new`, { ...berlinForm, line1, default: isDefault })).status, 303)
    const ids = await idsOf()
    assert.equal(ids.length, 3, 'the same address is one')
    const [third = '', first = ''] = ids
    assert.match((await shopper.go(`${base}/address/${third}`)).text, /value="Linden 3"/)
    testServer.clock.now += 1_000
    await shopper.go(`${base}/address/${first}`, { do: 'choose' })
    assert.equal((await idsOf())[0], first)
    await shopper.go(`${base}/address/${first}`, { ...berlinForm, line1: 'Linden 9', default: '' })
    await shopper.go(`${base}/address/${third}`, { do: 'remove' })
    const page = (await shopper.go(base)).text
    assert.deepEqual([/Linden 9/.test(page), /Linden 3/.test(page), /Default address/.test(page)], [true, false, true])

    const opened = await checkout.open({ CARD: 1 })
    const path = `/c/${secretOf(opened.body.data.url)}`
    const offered = [...(await shopper.go(`${path}/addresses`)).text.matchAll(/Linden \d|LINDEN \d/g)].map(
      ([line]) => line,
    )
    assert.deepEqual(offered, ['Linden 9', 'LINDEN 2'])
    const { addressBook } = JSON.parse((await shopper.go(`${base}/data`, {})).text)
    assert.deepEqual(
      addressBook.map(({ address, isDefault }: SavedAddress) => [address.line1, isDefault]),
      [
        ['Linden 9', true],
        ['LINDEN 2', false],
      ],
    )

    const stranger = await signedIn('stranger@example.com')
    assert.equal((await stranger.go(`${base}/address/${first}`)).headers.get('location'), base)
    await stranger.go(`${base}/address/${first}`, { do: 'remove' })
    assert.equal((await browser().go(`${base}/address/new`, berlinForm)).headers.get('location'), base)
    assert.equal((await idsOf()).length, 2)
    const sealed = await testServer.storage.read((db) => db.sql`select * from customer_addresses`)
    assert.doesNotMatch(JSON.stringify(sealed), /Linden|example/i)
    await shopper.go(`${base}/erase`, {})
    assert.deepEqual(await testServer.storage.read((db) => db.sql`select id from customer_addresses`), [])
  })

  // Salesforce pwa-kit PR#3982, smartstore#1483: the answer says whether an address or an order is known.
  test('a request for a code gets the same response whether or not the e-mail address has orders', async () => {
    await bought('known@example.com')
    const answers = []
    for (const email of ['known@example.com', 'nowhe@example.com']) {
      const { status, text, headers } = await browser().go(`${base}/code`, { email })
      const told = [...headers.keys()].filter((name) => name !== 'x-request-id').sort()
      answers.push([status, text.replaceAll(email, ''), told])
    }
    assert.deepEqual(answers[0], answers[1])
  })

  // shopware#439, thelia PR#3895: a number, or an account made with another's address, opens their orders.
  test('a code is refused when it is wrong, in another browser, after five wrong tries and after ten minutes', async () => {
    const email = 'tries@example.com'
    const stranger = browser()
    await stranger.go(`${base}/code`, { email: 'stranger@example.com' })
    const shopper = browser()
    await shopper.go(`${base}/code`, { email })
    const { code, path } = await mailed()
    const wrong = code === '000000' ? '111111' : '000000'
    assert.equal((await browser().go(`${base}/open`, { code, email })).status, 409)
    assert.equal((await stranger.go(`${base}/open`, { code, email })).status, 409)
    assert.equal((await stranger.go(path, {})).status, 409)
    for (let i = 0; i < 5; i += 1) assert.equal((await shopper.go(`${base}/open`, { code: wrong, email })).status, 409)
    assert.equal((await shopper.go(`${base}/open`, { code, email })).status, 409, 'after five tries')

    await shopper.go(`${base}/code`, { email })
    const late = await mailed()
    testServer.clock.now += customerCodeMs
    assert.equal((await shopper.go(`${base}/open`, { code: late.code, email })).status, 409, 'after ten minutes')
  })

  test('the mailed link opens a page whose button signs in, only in the browser that requested the link', async () => {
    const shopper = browser()
    await shopper.go(`${base}/code`, { email: 'link@example.com' })
    const { path } = await mailed()
    const elsewhere = await browser().go(path)
    assert.deepEqual([elsewhere.status, /<form/.test(elsewhere.text)], [200, false])
    assert.match((await shopper.go(path)).text, new RegExp(`action="${path}"`))
    assert.equal((await shopper.go(path, {}, 'https://evil.example')).status, 403)
    assert.equal((await shopper.go(path, {})).status, 303)
    assert.match((await shopper.go(base)).text, /link@example.com/)
  })

  test('one network gets at most five codes an hour for a mailbox, tagged addresses included; further requests get 200, but no code is sent', async () => {
    testServer.clock.now += 3_600_000
    const sent = await countMails()
    for (let i = 0; i < customerCodesMax.requesterHour + 2; i += 1) {
      const answer = await browser().go(`${base}/code`, { email: `flood+${i}@example.com` })
      assert.equal(answer.status, 200)
    }
    assert.equal((await countMails()) - sent, customerCodesMax.requesterHour)
    const ask = () => browser().go(`${base}/code`, { email: 'burst@example.com' })
    await Promise.all(Array.from({ length: 9 }, ask))
    assert.equal((await countMails()) - sent, 2 * customerCodesMax.requesterHour, 'also at once')
    testServer.clock.now += 3_600_000
    await browser().go(`${base}/code`, { email: 'flood@example.com' })
    assert.equal((await countMails()) - sent, 2 * customerCodesMax.requesterHour + 1)
    assert.equal((await browser().go(`${base}/code`, { email: 'no address' })).status, 409)
  })

  // From other networks than the browsers of this file.
  const strangers = () =>
    createCustomerService({
      storage: testServer.storage,
      rootSecret: testSecret,
      customerKey: createCustomerKey(testSecret),
      clock: () => new Date(testServer.clock.now),
    })
  async function askFrom(network: string, email: string): Promise<number> {
    const customers = strangers()
    const shop = await customers.findShop('bloom', 'test')
    assert.ok(shop)
    const sent = await countMails()
    await customers.askCode(shop, {
      email,
      browser: randomBytes(32).toString('base64url'),
      network,
      locale: 'en',
      shopOrigin: null,
    })
    return (await countMails()) - sent
  }

  test('strangers who request many codes for a mailbox do not lock its owner out of a known browser; strangers in one network do not lock out a new browser in another network', async () => {
    testServer.clock.now += codesStoredMs
    const email = 'wanted@example.com'
    const owner = await signedIn(email)
    testServer.clock.now += 3_600_000
    const askedBy = async (network: string, times: number) => {
      let sent = 0
      for (let i = 0; i < times; i += 1) sent += await askFrom(network, `${email.replace('@', `+${i}@`)}`)
      return sent
    }
    assert.equal(await askedBy('10.0.0.1', 7), customerCodesMax.requesterHour)
    testServer.clock.now += 3_600_000
    assert.equal(await askedBy('10.0.0.1', 7), customerCodesMax.requesterDay - customerCodesMax.requesterHour)
    assert.equal(await askFrom('10.0.0.2', email), 1, 'a new browser elsewhere')
    // One more was asked for in each of two ways: elsewhere, and by the owner at first.
    const left = customerCodesMax.mailboxDay - customerCodesMax.requesterDay - 2
    let sent = 0
    for (let network = 3; network < 10; network += 1) sent += await askedBy(`10.0.0.${network}`, 5)
    assert.equal(sent, left)
    assert.equal(await askFrom('10.0.1.1', email), 0)
    const before = await countMails()
    await owner.go(`${base}/out`, {})
    await owner.go(`${base}/code`, { email })
    assert.equal((await countMails()) - before, 1, 'the known browser')
    const { code } = await mailed()
    assert.equal((await owner.go(`${base}/open`, { code, email })).status, 303)
    // Known for this mailbox only, and no longer once the mailbox is erased.
    const { browserHash, mailboxHash } = await knownBrowser()
    const of = { merchantId: testServer.merchantId, browserHash }
    const isKnown = (mailbox: string) =>
      testServer.storage.read((db) => isKnownBrowser(db, { ...of, mailboxHashes: [mailbox] }, testServer.clock.now))
    assert.deepEqual([await isKnown(mailboxHash), await isKnown('another')], [true, false])
    await owner.go(`${base}/erase`, {})
    assert.equal(await isKnown(mailboxHash), false)
  })

  async function knownBrowser() {
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ browserHash: string; mailboxHash: string }>`
        select browser_hash as "browserHash", mailbox_hash as "mailboxHash" from customer_browsers order by proved_at desc limit 1`,
    )
    assert.ok(row)
    return row
  }

  test('a code allows five guesses in total, even if they are sent concurrently to two servers with one database', async () => {
    testServer.clock.now += codesStoredMs
    const other = await openTestServer(given, { url: testServer.url, now: testServer.clock.now })
    const shopper = browser()
    const email = 'guessed@example.com'
    await shopper.go(`${base}/code`, { email })
    const { code } = await mailed()
    const cookie = [...shopper.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const guess = (server: TestServer, typed: string) =>
      server.fetch(`${base}/open`, {
        method: 'POST',
        headers: { cookie, origin: server.origin },
        body: new URLSearchParams({ code: typed, email }),
        redirect: 'manual',
      })
    const wrong = Array.from({ length: 14 }, (_, at) => String((Number(code) + 1 + at) % 1_000_000).padStart(6, '0'))
    const answers = await Promise.all(wrong.map((typed, at) => guess(at % 2 === 0 ? testServer : other, typed)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [409])
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ tries: number }>`select tries from customer_codes order by created_at desc, id desc limit 1`,
    )
    assert.equal(Number(row?.tries), customerCodeTriesMax)
    for (const server of [testServer, other]) assert.equal((await guess(server, code)).status, 409)
  })

  // Thelia#2460, saleor apps PR#2380: there is no file, and erasing leaves the orders under the name.
  test('a shopper exports their data as a file, and erases all of it except orders that are still to be sent', async () => {
    const email = 'erase@example.com'
    const orderId = await bought(email)
    const unsent = await bought(email)
    const body = { idempotencyKey: newId('req') }
    await testServer.askAdmin('fulfilAdminOrder', { path: { orderId }, body })
    const shopper = await signedIn(email)
    const file = await shopper.go(`${base}/data`, {})
    assert.match(file.headers.get('content-disposition') ?? '', /attachment/)
    const data = JSON.parse(file.text)
    assert.deepEqual([data.email, data.orders.length, data.orders[0].customer.email], [email, 2, email])
    assert.equal((await browser().go(`${base}/data`, {})).status, 303)

    const again = await signedIn(email)
    assert.match((await shopper.go(`${base}/erase`)).text, /Erase for good/)
    const erased = await shopper.go(`${base}/erase`, {})
    assert.match(erased.text, /still on their way/)
    // Signed out everywhere.
    assert.match((await again.go(base)).text, /name="email"/)
    const rows = await testServer.storage.read(
      (db) => db.sql<{ id: string; hash: string | null }>`
        select id, email_hash as "hash" from orders where id in (${orderId}, ${unsent}) order by placed_at, id`,
    )
    assert.deepEqual(
      rows.map(({ id, hash }) => [id, hash === null]),
      [
        [orderId, true],
        [unsent, false],
      ],
    )
  })

  test('a shopper whom the operator erases is signed out, and the e-mail with their code no longer names them', async () => {
    testServer.clock.now += 3_600_000
    const email = 'forgotten@example.com'
    const shopper = await signedIn(email)
    const emails = () =>
      testServer.storage.read(
        (db) => db.sql<{ sealed: string | null }>`
          select sealed from emails where kind = 'customer_code' and recipient_hash is not null`,
      )
    const before = (await emails()).length
    const { merchantId, storage, installationId } = testServer
    const erased = { merchantId, installationIds: [installationId], email: 'Forgotten@Example.com', modes }
    await forgetCustomer(storage, testSecret, erased, { isDryRun: true, includesUnsent: false })
    assert.match((await shopper.go(base)).text, /forgotten@example.com/)
    await forgetCustomer(storage, testSecret, erased, { isDryRun: false, includesUnsent: false })
    assert.match((await shopper.go(base)).text, /name="email"/)
    assert.equal((await emails()).length, before - 1)
  })

  test('codes are deleted after a day, sessions when they expire, and known browsers after 180 days', async () => {
    await signedIn('sweep@example.com')
    const count = async () =>
      testServer.storage.read(async (db) => [
        (await db.sql`select id from customer_codes`).length,
        (await db.sql`select id from customer_sessions`).length,
      ])
    const [codes = 0, sessions = 0] = await count()
    assert.ok(codes > 0 && sessions > 0)
    await sweepCustomers(testServer.storage, testServer.clock.now + codesStoredMs)
    assert.deepEqual(await count(), [0, sessions])
    await sweepCustomers(testServer.storage, testServer.clock.now + customerSessionMs)
    assert.deepEqual(await count(), [0, 0])
    assert.ok(await knownBrowser())
    await sweepCustomers(testServer.storage, testServer.clock.now + knownBrowserMs)
    await assert.rejects(knownBrowser)
  })

  test('the e-mail address of a shopper is neither stored in clear text with codes and sessions nor logged', async () => {
    await signedIn('sealed@example.com')
    const stored = await testServer.storage.read(async (db) =>
      JSON.stringify([await db.sql`select * from customer_codes`, await db.sql`select * from customer_sessions`]),
    )
    assert.ok(!/sealed@|example\.com/.test(stored))
    assert.ok(!JSON.stringify(testServer.lines()).includes('example.com'))
  })

  test('the page exists in every language, and unknown shops and paths give 404', {
    skip: !isOnce(given),
  }, async () => {
    for (const language of ['de', 'nl', 'fr', 'es', 'ja', 'ar', 'en']) {
      const page = await testServer.fetch(base, { headers: { 'accept-language': language } })
      assert.ok(page.text.includes(`<html lang="${language}"`), language)
    }
    for (const path of ['/account/nothing', '/account/bloom/test/orders', '/account/bloom/test/code/x'])
      assert.equal((await testServer.fetch(path)).status, 404, path)
  })
})
