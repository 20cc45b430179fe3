// Legal texts: versions by language, their pages, and the e-mail that confirms an order on a durable medium.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createProduct } from '../harness/admin/catalog.ts'
import { pngOf } from '../harness/admin/pictures.ts'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { type MailServer, openMailServer } from '../harness/mailserver.ts'
import { ordersOf } from '../harness/orders.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import type { AdminDuty } from '../src/contract/admin/duties.ts'
import { consentTextVersion } from '../src/contract/words.ts'
import { linkCustomers } from '../src/domain/customers/link.ts'
import { sendDueEmails } from '../src/domain/emails/send.ts'
import { encryptCustomer } from '../src/domain/orders/customer.ts'
import { listDutyFacts } from '../src/domain/overview/duties.ts'
import { insertSite } from '../src/domain/sites/store.ts'
import { listSellers } from '../src/ops/provisioning/store.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { parseMailUrl } from '../src/platform/kit/mailurl.ts'
import { queueEmails } from '../src/platform/outbox/emails.ts'

const shopFile = {
  ...market,
  merchant: {
    ...market.merchant,
    supportEmail: 'help@bloom.example',
    legal: { name: 'Bloom GmbH', address: ['Rosenweg 1', '04109 Leipzig'], vatId: 'DE123456789' },
  },
}

eachEngine('legal texts', (given) => {
  let testServer: TestServer
  let mailServer: MailServer
  let orders: Awaited<ReturnType<typeof ordersOf>>

  before(async () => {
    mailServer = await openMailServer()
    given.later(() => mailServer.close())
    const target = parseMailUrl(`smtp://127.0.0.1:${mailServer.port}`)
    assert.ok(!('problem' in target))
    testServer = await openTestServer(given, { shops: [shopFile, rival], mail: { target, from: 'shop@example.com' } })
    orders = await ordersOf(testServer)
  })

  const save = async (kind: string, language: string, text: string) => {
    testServer.clock.now += 1_000
    const body = { idempotencyKey: newId('req'), kind, language, text }
    const answer = await testServer.askAdmin('saveAdminText', { body })
    assert.equal(answer.status, 200, answer.text)
    return answer.body.data
  }
  const pageOf = async (kind: string, language = 'en', slug = 'bloom') => {
    const answer = await fetch(`${testServer.origin}/legal/${slug}/${kind}`, {
      headers: { 'accept-language': language },
    })
    return { status: answer.status, text: await answer.text() }
  }
  async function confirmationOf(orderId: string, sessionId: string) {
    const { mail } = testServer.app
    assert.ok(mail)
    const { storage, installationId, merchantId, clock } = testServer
    const sealed = encryptCustomer(testSecret, sessionId, { email: 'ada@example.com', name: 'Ada', phone: '' })
    await storage.write((tx) => tx.sql`update orders set customer_sealed = ${sealed} where id = ${orderId}`)
    await storage.write(async (tx) =>
      queueEmails(
        tx,
        { installationId, merchantId, orderId },
        [{ kind: 'order_placed', subjectId: newId('ord') }],
        clock.now,
      ),
    )
    while ((await sendDueEmails(mail)) > 0);
    return mailServer.emails.findLast(({ text }) => /Thank you for your order/.test(text))?.text ?? ''
  }

  test('each changed text gets a new version, saving the same text does not, and an empty text removes it', async () => {
    assert.equal((await save('terms', 'en', 'Terms one.')).version, 1)
    assert.equal((await save('terms', 'en', 'Terms one.')).version, 1)
    assert.equal((await save('terms', 'de', 'AGB eins.')).version, 1)
    const page = await pageOf('terms', 'de')
    assert.match(page.text, /AGB eins\./)
    assert.match((await pageOf('terms', 'fr')).text, /Terms one\./)
    assert.equal((await save('terms', 'de', '')).version, 2)
    assert.doesNotMatch((await pageOf('terms', 'de')).text, /AGB eins/)
    assert.equal((await pageOf('privacy')).status, 404)
    assert.equal((await pageOf('terms', 'en', 'rival')).status, 404)
    const listed = await testServer.askAdmin('getAdminTexts')
    assert.deepEqual(
      listed.body.data.map(({ kind, language }: { kind: string; language: string }) => `${kind} ${language}`),
      ['terms en'],
    )
  })

  test('the e-mail of an order has the seller, the texts that were valid at the order and the model withdrawal form', async () => {
    await save('terms', 'en', 'Terms two.\n\nWith <b>two</b> paragraphs.')
    await save('withdrawal', 'en', 'You have the right to withdraw within 14 days.')
    testServer.clock.now += 1_000
    const { orderId, sessionId } = await orders.place({ items: { CARD: 1 }, now: testServer.clock.now })
    await save('terms', 'en', 'Terms three.')
    const text = await confirmationOf(orderId, sessionId)
    for (const part of ['Bloom GmbH', 'Rosenweg 1', '04109 Leipzig', 'DE123456789', 'help@bloom.example'])
      assert.ok(text.includes(part), part)
    assert.match(text, /Terms two\./)
    assert.doesNotMatch(text, /Terms three/)
    assert.match(text, /right to withdraw within 14 days/)
    assert.match(
      text,
      /Your legal guarantee\n=+\nFor at least 2 years after delivery[\s\S]*guarantees-returns\/index_en\.htm/,
    )
    assert.match(text, /Model withdrawal form[\s\S]*To Bloom GmbH, Rosenweg 1/)
    assert.match(text, /\/w\/bloom\?order=/)
  })

  test('digital content is sold only with the shopper’s consent, which the order stores and the e-mail confirms', async () => {
    const skus = [{ code: 'SONG', price: 900, requiresShipping: false, counted: false }]
    await createProduct(testServer, { slug: 'song', name: 'Song', digital: true, skus })
    const made = { code: 'SIGN', price: 1_500, stock: 9, measure: { amount: 50, unit: 'cm', per: 'm' } as const }
    await createProduct(testServer, { slug: 'sign', name: 'Sign', withdrawalExempt: 'made_to_measure', skus: [made] })
    const checkout = await checkoutOf(testServer)
    const { secret, view } = await checkout.ready({ SONG: 1, SIGN: 1, CARD: 1 })
    const open = await (await fetch(`${testServer.origin}/c/${secret}`)).text()
    assert.match(
      open,
      /<input type="checkbox" id="consent-digital" name="consent\.digital" value="yes" required>/,
      'unticked',
    )
    assert.match(open, /Made to your specifications: no right to withdraw/)
    assert.match(open, /id="guarantee-title"[\s\S]*at least 2 years/)
    const refused = await checkout.pay(secret, view)
    assert.deepEqual([refused.problem, refused.view.session.status], [{ code: 'consent_needed' }, 'open'])

    const form = {
      ...{
        version: String(view.session.version),
        expectedTotal: String(view.session.totals.total),
        attempt: newId('pay'),
      },
      ...{ method: 'test:card', 'card.number': '4242424242424242', 'card.expiry': '12/40', 'card.cvc': '123' },
      'card.name': 'Ada Lovelace',
    }
    const post = (more: object) =>
      fetch(`${testServer.origin}/c/${secret}/pay`, {
        method: 'POST',
        body: new URLSearchParams({ ...form, ...more }),
        redirect: 'manual',
      })
    assert.match(await (await post({})).text(), /<a href="#consent-digital">Please tick this box/)
    assert.equal((await post({ 'consent.digital': 'yes' })).status, 303)
    const { session } = await checkout.look(secret)
    const order = (await testServer.ask('getStorefrontOrder', { path: { orderId: session.orderId ?? '' } })).body.data
    const consent = { kind: 'digital_content', textVersion: consentTextVersion, language: 'en' }
    assert.deepEqual(order.consents, [{ ...consent, at: new Date(testServer.clock.now).toISOString() }])
    await linkCustomers(testServer.storage, testSecret, { now: testServer.clock.now, limit: 100 })
    const { id: orderId, number: orderNumber } = order
    const [{ id: customerId }] = (await testServer.askAdmin('listAdminCustomers')).body.data
    const record = (await testServer.askAdmin('getAdminCustomer', { path: { customerId } })).body.data
    assert.deepEqual(record.consents, [{ ...order.consents[0], orderId, orderNumber }])
    const itemOf = (code: string) => order.items.find((item: { code: string }) => item.code === code)
    assert.deepEqual(
      ['SONG', 'SIGN', 'CARD'].map((code) => itemOf(code).withdrawalExempt),
      ['digital_content', 'made_to_measure', null],
    )
    assert.deepEqual(itemOf('SIGN').measure, { amount: 50, unit: 'cm', per: 'm', price: 3_000 })
    const text = await confirmationOf(order.id, session.id)
    assert.match(text, /You agreed on [\s\S]*I agree that the digital content is supplied before/)
    assert.match(text, /50\u00a0cm \(€30\.00\/m\) · Made to your specifications: no right to withdraw/)
  })

  test('the picture of the guarantee notice is in the checkout, the shop, its own page and the e-mail', async () => {
    const content = pngOf()
    const body = { idempotencyKey: newId('req'), content: content.toString('base64') }
    const { url } = (await testServer.askAdmin('uploadAdminPicture', { body })).body.data
    const foreign = {
      idempotencyKey: newId('req'),
      kind: 'guarantee',
      language: 'en',
      text: 'https://a.test/notice.png',
    }
    const refused = await testServer.askAdmin('saveAdminText', { body: foreign })
    assert.deepEqual([refused.status, refused.body.error.issues[0].code], [400, 'not_uploaded_here'])
    const needs = async () => {
      const { data } = (await testServer.askAdmin('getAdminDuties')).body
      return data.duties.find(({ id }: AdminDuty) => id === 'guarantee').lacks
    }
    assert.deepEqual(await needs(), ['guarantee'])
    await save('guarantee', 'en', url)
    assert.deepEqual(await needs(), [])

    const checkout = await checkoutOf(testServer)
    const { secret } = await checkout.ready({ CARD: 1 })
    const open = await (await fetch(`${testServer.origin}/c/${secret}`)).text()
    assert.ok(open.includes(`<img src="${url}" lang="en" alt="Your legal guarantee: For at least 2 years`))
    const site = (await testServer.ask('getSite')).body.data
    assert.deepEqual(site.legalGuarantee, {
      years: 2,
      notices: [{ language: 'en', url: testServer.origin + url }],
    })
    assert.ok((await pageOf('guarantee', 'de')).text.includes(`<img src="${url}"`))

    testServer.clock.now += 1_000
    const { orderId, sessionId } = await orders.place({ items: { CARD: 1 }, now: testServer.clock.now })
    await save('guarantee', 'en', '')
    assert.match(await confirmationOf(orderId, sessionId), /Your legal guarantee/)
    const email = mailServer.emails.at(-1)
    assert.match(email?.html ?? '', /<img\s+src="cid:guarantee"/)
    assert.deepEqual(
      email?.pictures.map(({ cid, media, bytes }) => [cid, media, bytes.equals(content)]),
      [['guarantee', 'image/png', true]],
    )
  })

  test('the missing legal duties of an open live shop follow from its country, seller and texts', async () => {
    const { storage, merchantId, installationId, clock } = testServer
    const facts = () => storage.read(async (db) => listDutyFacts(db, await listSellers(db, 10)))
    assert.deepEqual(await facts(), [])
    const site = { merchantId, mode: 'live', installationId, openedAt: clock.now, version: 1 } as const
    await storage.write((tx) => insertSite(tx, site, clock.now))
    const [found] = await facts()
    assert.ok(found)
    assert.deepEqual([found.slug, found.hasSeller, [...found.texts].sort()], ['bloom', true, ['terms', 'withdrawal']])
    const { data } = (await testServer.askAdmin('getAdminDuties')).body
    const missing = data.duties.filter(({ status }: AdminDuty) => status === 'missing')
    assert.deepEqual(missing.map(({ id, lacks }: AdminDuty) => [id, lacks]).sort(), [
      ['delivery', ['shipping']],
      ['guarantee', ['guarantee']],
      ['imprint', ['imprint']],
      ['privacy', ['privacy']],
    ])
    const { countries, since, status, lacks } = data.duties.find(({ id }: AdminDuty) => id === 'product_safety')
    assert.ok(countries.includes('DE') && !countries.includes('CH'))
    assert.deepEqual([since, status, lacks], ['2024-12-13', 'by_hand', ['makers']])
    assert.equal(data.productsWithoutMaker, found.withoutMaker)
  })

  test('the order page links to the legal texts that the merchant saved', async () => {
    const { statusSecret } = await orders.place({ items: { CARD: 1 } })
    const page = await (await fetch(`${testServer.origin}/o/${statusSecret}`)).text()
    for (const kind of ['terms', 'withdrawal']) assert.ok(page.includes(`href="/legal/bloom/${kind}"`), kind)
    assert.ok(!page.includes('/legal/bloom/privacy'))
  })
})
