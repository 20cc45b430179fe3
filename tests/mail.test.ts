// E-mails that are sent, to a real mail server: each fact's e-mail arrives once, in the shopper's language, with the same amounts as
// text and as HTML; a server that is away, slow or refuses delays nothing but e-mails.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { draftOf } from '../harness/admin/drafts.ts'
import { berlin } from '../harness/carts.ts'
import { type Checkout, cards, checkoutOf } from '../harness/checkout.ts'
import { cartwright } from '../harness/commandline.ts'
import { type MailServer, openMailServer, type ReceivedEmail } from '../harness/mailserver.ts'
import { orderMarket } from '../harness/orders.ts'
import { anyEngine, eachEngine, type Given } from '../harness/storage.ts'
import { openTestServer, settingsOf, type TestServer, testSecret, testSecretText } from '../harness/testServer.ts'
import { adminScopes } from '../src/contract/words.ts'
import { forgetShopper } from '../src/domain/checkout/forget.ts'
import { issueDocuments } from '../src/domain/documents/issue.ts'
import { emailLeaseMs, emailsMax } from '../src/domain/emails/schedule.ts'
import { type MailTools, sendDueEmails, sendMsMaxDefault, switchMailQueue } from '../src/domain/emails/send.ts'
import { silenceMsMax, type Transport } from '../src/domain/emails/smtp.ts'
import { cancelOrder } from '../src/domain/orders/cancel.ts'
import { fulfilOrder, recordOrderPaid, refundOrder } from '../src/domain/orders/operator.ts'
import { createInvitation, removeInvitation } from '../src/domain/users/invitations.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { parseMailUrl } from '../src/platform/kit/mailurl.ts'
import {
  type NoticeKind,
  queueEmails,
  queueNotice,
  queueUserEmail,
  type UserEmail,
} from '../src/platform/outbox/emails.ts'
import { reencryptAll } from '../src/platform/secrets/reseal.ts'
import { parseRootSecret, type RootSecret } from '../src/platform/secrets/secrets.ts'
import { Fragment, type Tx } from '../src/platform/storage/storage.ts'
import { prepareEmail } from '../src/web/emails/prepare.ts'
import { languages } from '../src/web/languages/checkout/texts.ts'

const minute = 60_000
const from = 'orders@shop.example.com'
const roses = { url: 'https://pictures.example/roses.jpg', alt: 'Red roses', width: 1200, height: 1200 }

interface MailTestServer {
  testServer: TestServer
  mail: MailTools
  checkout: Checkout
  buy(options?: { email?: string; locale?: string; method?: 'card' | 'bank_transfer'; city?: string }): Promise<string>
  rows(): Promise<
    { id: string; kind: string; status: string; code: string | null; masked: string | null; attempts: number }[]
  >
}

async function openMailTestServer(given: Given, url: string): Promise<MailTestServer> {
  const target = parseMailUrl(url)
  assert.ok(!('problem' in target))
  const payments = [
    {
      mode: 'test' as const,
      method: 'bank_transfer' as const,
      instructions: 'IBAN DE02 1203\nBank of Berlin',
      termDays: 7,
    },
  ]
  const merchant = { ...orderMarket.merchant, supportEmail: 'help@shop.example.com' }
  const products = (orderMarket.products ?? []).map((one) =>
    one.slug === 'red-roses' ? { ...one, images: [roses] } : one,
  )
  const shop = { ...orderMarket, merchant, payments, products }
  const testServer = await openTestServer(given, { shops: [shop], mail: { target, from } })
  const { app, storage } = testServer
  assert.ok(app.mail)
  const checkout = await checkoutOf(testServer)
  return {
    testServer,
    mail: app.mail,
    checkout,
    async buy({ email = 'ada@example.com', locale = 'en', method = 'card', city } = {}) {
      const { secret, view } = await checkout.ready({ 'ROSE-12': 2, CARD: 3 }, { locale })
      const contact = { email, name: 'Ada\r\nBcc: eve@example.com', phone: '' }
      const { version } = view.session
      const option = view.session.shipping.optionId
      const set = await app.checkout.setDetails(secret, version, {
        contact,
        address: view.address && city !== undefined ? { ...view.address, city } : view.address,
        shippingOptionId: option,
      })
      assert.equal(set?.problem, null)
      const seen = await checkout.look(secret)
      const card = { number: cards.approved, expiry: '12 / 40', cvc: '123', name: 'Ada Lovelace' }
      const result = await app.checkout.pay(secret, {
        version: seen.session.version,
        expectedTotal: seen.session.totals.total,
        ...(method === 'card'
          ? { provider: 'test', method, details: card }
          : { provider: 'manual', method, details: {} }),
        attempt: randomUUID(),
      })
      assert.equal(result?.problem, null)
      return result?.view.session.orderId ?? ''
    },
    rows: () =>
      storage.read(
        (db) => db.sql`
          select id, kind, status, code, address_masked as "masked", attempts from emails order by created_at, id`,
      ),
  }
}

async function sendAll({ mail }: MailTestServer): Promise<void> {
  while ((await sendDueEmails(mail)) > 0);
}

const to = (emails: readonly ReceivedEmail[], address: string) =>
  emails.filter((message) => message.to.includes(address))

// As a reader sees it: what is only a preview in lists is not part of it.
function shown(html: string): string {
  return html
    .replace(/<head>.*?<\/head>/s, '')
    .replace(/<div[^>]*data-preview>.*?<\/div>/s, '')
    .replaceAll(/<br>/g, '\n')
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

// Every number with a currency, in any script.
function amounts(text: string): string[] {
  return [
    ...text.matchAll(/[-\u2212\u200e\u200f\u061c]*(?:€\s?)?\p{Nd}[\p{Nd}.,٫٬\u00a0\u202f]*\s?(?:€|EUR|\u200f?€)?/gu),
  ]
    .map(([found]) => found.replaceAll(/\s/g, ' ').trim())
    .filter((found) => found.includes('€'))
    .sort()
}

// One for the tests of a group: each begins with no e-mails.
function sharedServer(): Pick<MailServer, 'emails' | 'url' | 'behave'> {
  let server: MailServer
  before(async () => {
    server = await openMailServer()
  })
  beforeEach(() => {
    server.emails.length = 0
    server.behave = () => ({ kind: 'take' })
  })
  after(() => server.close())
  return {
    get emails() {
      return server.emails
    },
    get url() {
      return server.url
    },
    set behave(behave: MailServer['behave']) {
      server.behave = behave
    },
  }
}

eachEngine('sent e-mails', (given) => {
  const server = sharedServer()

  test('each event of an order sends one e-mail to the shopper, and a new order also one to the merchant', async () => {
    const shop = await openMailTestServer(given, server.url)
    const { testServer } = shop
    const { storage, installationId, clock } = testServer
    await storage.write((tx) => tx.sql`update merchants set time_zone = 'Pacific/Kiritimati'`)
    const orderId = await shop.buy({ method: 'bank_transfer' })
    const key = { installationId, orderId }
    const moment = () => ({ now: ++clock.now, cause: null })
    await sendAll(shop)
    await storage.write((tx) => recordOrderPaid(tx, key, moment()))
    await storage.write((tx) =>
      fulfilOrder(tx, key, { carrier: 'DHL', trackingNumber: 'JD00010001', items: null }, moment()),
    )
    await sendAll(shop)
    await storage.write((tx) => refundOrder(tx, key, { amount: 250, reason: null, isByHand: true }, moment()))
    await issueDocuments(storage, testSecret, { now: clock.now, limit: 10 })
    await sendAll(shop)
    await sendAll(shop)

    const mine = to(server.emails, 'ada@example.com')
    const { number } = (await testServer.ask('getStorefrontOrder', { path: { orderId } })).body.data
    assert.deepEqual(
      mine.map(({ headers }) => headers.subject).sort(),
      [
        `Order ${number} is on its way`,
        `Payment received for order ${number}`,
        `Refund for order ${number}`,
        `Your order ${number} at Bloom`,
      ].sort(),
    )
    const [placed] = mine
    assert.ok(placed)
    assert.match(placed.text, /IBAN DE02 1203\nBank of Berlin/)
    assert.match(placed.text, new RegExp(`quote order number ${number}`))
    assert.match(placed.text, /Please pay by June 9, 2026/, 'in the time zone of the shop')
    assert.match(placed.text, /http:\/\/127\.0\.0\.1:\d+\/o\/[\w-]{43}/)
    assert.equal(placed.headers['auto-submitted'], 'auto-generated')
    assert.equal(placed.headers['reply-to'], 'help@shop.example.com')
    assert.equal(placed.headers.from, `Bloom <${from}>`)
    assert.equal(placed.from, from)
    const parcel = mine.find(({ headers }) => headers.subject === `Order ${number} is on its way`)
    assert.match(parcel?.text ?? '', /Tracking number: JD00010001 \(https:\/\/www\.dhl\.com\/\S+=JD00010001\)/)
    assert.match(parcel?.text ?? '', /Track the parcel:\nhttps:\/\/www\.dhl\.com\//)
    assert.match(parcel?.html ?? '', /<a [^>]*href="https:\/\/www\.dhl\.com\/[^"]*=JD00010001"[^>]*>JD00010001<\/a>/)
    // A line has its picture, and the place for it is empty where there is none.
    for (const html of [placed.html, parcel?.html ?? '']) {
      const cells = [...html.matchAll(/<td width="60"[^>]*>(?:<img src="([^"]*)" alt="")?/g)].map(([, src]) => src)
      assert.deepEqual(cells, [roses.url, undefined])
    }
    const page = /\/o\/[\w-]{43}/.exec(placed.text)?.[0] ?? ''
    assert.equal((await testServer.fetch(page)).status, 200)
    // Nothing is documented before it is paid; then the receipt is there first, and the invoice and the credit note follow.
    const documentsIn = (subject: string) => {
      const text = mine.find(({ headers }) => headers.subject === subject)?.text ?? ''
      return [...text.matchAll(/^Document: (.*) \(http:\/\/[^/]+(.*)\)$/gm)].map(([, title = '', path = '']) => [
        title,
        path,
      ])
    }
    assert.deepEqual(documentsIn(`Your order ${number} at Bloom`), [])
    assert.deepEqual(documentsIn(`Payment received for order ${number}`), [[`Receipt ${number}`, `${page}/receipt`]])
    const linked = documentsIn(`Refund for order ${number}`)
    assert.deepEqual(
      linked.map(([title]) => title),
      ['Invoice T-2026-000001', 'Credit note T-C2026-000001'],
    )
    for (const [title = '', path = ''] of linked) assert.ok((await testServer.fetch(path)).text.includes(title), title)
    assert.match(
      mine.find(({ headers }) => headers.subject === `Refund for order ${number}`)?.html ?? '',
      /<a [^>]*\/documents\/doc_\w+"[^>]*>Invoice T-2026-000001<\/a>/,
    )

    const theirs = to(server.emails, 'help@shop.example.com')
    assert.deepEqual(
      theirs.map(({ headers }) => headers.subject?.startsWith(`New order ${number}`)),
      [true],
    )
    assert.ok(!theirs[0]?.text.includes('ada@example.com'))
    assert.match(
      theirs[0]?.text ?? '',
      new RegExp(`Open in the dashboard:\nhttp://127.0.0.1:\\d+/admin/bloom/test/orders/${orderId}\n`),
    )
    assert.equal(new Set(server.emails.map(({ headers }) => headers['message-id'])).size, server.emails.length)
    for (const { status, masked, kind } of await shop.rows())
      assert.deepEqual(
        [status, masked],
        ['sent', kind === 'order_received' ? 'h***@shop.example.com' : 'a***@example.com'],
      )
    const lines = JSON.stringify(testServer.lines())
    assert.ok(!lines.includes('ada@example.com'))
  })

  test('if the process crashes right after the response of the mail server, the e-mail is sent again with the same Message-ID', async () => {
    const shop = await openMailTestServer(given, server.url)
    await shop.buy()
    const dying: MailTools = {
      ...shop.mail,
      leaseMs: minute,
      onAnswered: () => {
        throw new Error('killed')
      },
    }
    await assert.rejects(sendDueEmails(dying))
    assert.ok((await shop.rows()).every(({ status }) => status === 'sending'))
    await sendAll(shop)
    assert.equal(to(server.emails, 'ada@example.com').length, 1, 'the lease holds')
    shop.testServer.clock.now += 3 * minute
    await sendAll(shop)
    const twice = to(server.emails, 'ada@example.com')
    assert.equal(twice.length, 2)
    assert.equal(new Set(twice.map(({ headers }) => headers['message-id'])).size, 1)
    assert.equal(new Set(twice.map(({ text }) => text)).size, 1)
    await sendAll(shop)
    assert.equal(to(server.emails, 'ada@example.com').length, 2)
  })

  test('concurrent senders share the due e-mails, and each e-mail is sent once', async () => {
    const shop = await openMailTestServer(given, server.url)
    for (let order = 0; order < 4; order += 1) await shop.buy()
    await Promise.all([sendAll(shop), sendAll(shop), sendAll(shop)])
    assert.equal(server.emails.length, 8)
    assert.equal(new Set(server.emails.map(({ headers }) => headers['message-id'])).size, 8)
  })

  test('an e-mail that is sent late shows the present state: paid, or cancelled with nothing to pay', async () => {
    const shop = await openMailTestServer(given, server.url)
    const { storage, installationId, clock } = shop.testServer
    const moment = () => ({ now: ++clock.now, cause: null })
    const paid = await shop.buy({ email: 'paid@example.com', method: 'bank_transfer' })
    await storage.write((tx) => recordOrderPaid(tx, { installationId, orderId: paid }, moment()))
    const cancelled = await shop.buy({ email: 'cancelled@example.com', method: 'bank_transfer' })
    const input = { by: 'operator', expectedVersion: undefined, reason: null, note: null, isRestocked: true } as const
    await storage.write((tx) => cancelOrder(tx, { installationId, orderId: cancelled }, input, moment()))
    await sendAll(shop)
    const placed = (email: string) =>
      to(server.emails, email).find(({ headers }) => headers.subject?.startsWith('Your order'))?.text ?? ''
    assert.match(placed('paid@example.com'), /We have received your order and your payment of/)
    assert.match(placed('cancelled@example.com'), /We have received your order\.\n/)
    const merchants = to(server.emails, 'help@shop.example.com').map(({ text }) => text)
    assert.equal(merchants.length, 2)
    assert.equal(merchants.filter((text) => text.includes('Paid: ')).length, 1)
    for (const text of [placed('paid@example.com'), placed('cancelled@example.com'), ...merchants])
      assert.doesNotMatch(text, /still to be paid|IBAN|Waiting for payment/)
  })

  test('e-mails contain the country of the address, but never the city that the shopper typed', async () => {
    const shop = await openMailTestServer(given, server.url)
    const { storage, installationId, clock } = shop.testServer
    const moment = () => ({ now: ++clock.now, cause: null })
    const buy = () => shop.buy({ method: 'bank_transfer', city: 'Win at evil.example now' })
    const key = { installationId, orderId: await buy() }
    await storage.write((tx) => recordOrderPaid(tx, key, moment()))
    await storage.write((tx) =>
      fulfilOrder(tx, key, { carrier: 'DHL', trackingNumber: 'X1', items: new Map([['CARD', 1]]) }, moment()),
    )
    await storage.write((tx) => refundOrder(tx, key, { amount: 123, reason: null, isByHand: true }, moment()))
    const input = { by: 'operator', expectedVersion: undefined, reason: null, note: null, isRestocked: true } as const
    const other = await buy()
    await storage.write((tx) => cancelOrder(tx, { installationId, orderId: other }, input, moment()))
    await sendAll(shop)
    assert.equal(server.emails.length, 8)
    for (const { text, html, headers } of server.emails)
      assert.doesNotMatch(text + html + JSON.stringify(headers), /evil/)
    assert.equal(server.emails.filter(({ text }) => text.includes('Germany')).length, 7)
  })

  test('if a shopper is erased while an e-mail to them is sent, the row of the e-mail contains no address', async () => {
    const shop = await openMailTestServer(given, server.url)
    const { storage, merchantId, installationId } = shop.testServer
    await shop.buy()
    const shopper = { merchantId, installationIds: [installationId], email: 'ada@example.com' }
    const erasing: Transport = {
      ...shop.mail.transport,
      async post(_id, message) {
        if (message.to === shopper.email)
          await forgetShopper(storage, testSecret, shopper, { isDryRun: false, includesUnsent: true })
        return { kind: 'sent', code: '250' }
      },
    }
    await sendDueEmails({ ...shop.mail, transport: erasing })
    assert.deepEqual((await shop.rows()).map(({ kind, status, masked }) => [kind, status, masked]).sort(), [
      ['order_placed', 'sent', null],
      ['order_received', 'sent', 'h***@shop.example.com'],
    ])
  })

  test('e-mails that are pending when mail is turned off are not sent when it is turned on again', async () => {
    const shop = await openMailTestServer(given, server.url)
    const { storage, clock } = shop.testServer
    await shop.buy()
    await switchMailQueue(storage, false, clock.now)
    await switchMailQueue(storage, true, clock.now + 30 * 24 * 60 * minute)
    clock.now += 30 * 24 * 60 * minute
    await sendAll(shop)
    assert.deepEqual(server.emails, [])
    assert.deepEqual(
      (await shop.rows()).map(({ status, code }) => [status, code]),
      [
        ['discarded', 'off'],
        ['discarded', 'off'],
      ],
    )
  })

  test('many new orders do not keep other e-mails to the merchant from being sent', async () => {
    const shop = await openMailTestServer(given, server.url)
    await shop.buy()
    const { storage, merchantId } = shop.testServer
    await storage.write(
      (tx) => tx.sql`
        with n (value) as (values ${values(200)})
        insert into emails (installation_id, id, merchant_id, kind, subject_id, order_id, facts, recipient_hash, status,
          attempts, created_at, finished_at)
        select e.installation_id, e.id || n.value, e.merchant_id, e.kind, e.subject_id || n.value, e.order_id, e.facts,
          e.recipient_hash, 'sent', 1, e.created_at - 1000, e.created_at
        from emails e, n where e.kind = 'order_received'`,
    )
    const skuId = shop.checkout.carts.sku('ROSE-12')
    const alarms = [
      { kind: 'endpoint_disabled', subjectId: 'whe_1', facts: { url: 'https://hook.example' } },
      { kind: 'stock_low', subjectId: 'sku_1', facts: { skuId, left: 3 } },
    ] as const
    await storage.write(async (tx) =>
      queueEmails(tx, { installationId: merchantId, merchantId, orderId: null }, alarms, shop.testServer.clock.now),
    )
    await sendAll(shop)
    const theirs = to(server.emails, 'help@shop.example.com').map(({ headers }) => headers.subject)
    assert.deepEqual(theirs.sort(), ['A webhook endpoint was disabled', 'Low stock: Red roses, 12'])
    await storage.write((tx) => tx.sql`update emails set created_at = ${Date.now()}`)
    const warnings = JSON.parse((await cartwright(['doctor', '--json'], settingsOf(shop.testServer))).out).warnings
    assert.ok(
      warnings.some((warning: string) => warning.includes('1 e-mails of the last week are discarded (too_many)')),
    )
  })

  test('a mailbox gets at most twenty e-mails of one kind in an hour', async () => {
    const shop = await openMailTestServer(given, server.url)
    await shop.buy()
    const { storage } = shop.testServer
    await storage.write(
      (tx) => tx.sql`
        with n (value) as (values ${values(20)})
        insert into emails (installation_id, id, merchant_id, kind, subject_id, order_id, facts, recipient_hash, status,
          attempts, created_at, finished_at)
        select e.installation_id, e.id || n.value, e.merchant_id, e.kind, e.subject_id || n.value, e.order_id, e.facts,
          e.recipient_hash, 'sent', 1, e.created_at - 1000, e.created_at
        from emails e, n where e.kind = 'order_placed'`,
    )
    await sendAll(shop)
    assert.deepEqual(to(server.emails, 'ada@example.com'), [])
    const late = (await shop.rows()).filter(({ status }) => status === 'discarded')
    assert.deepEqual(
      late.map(({ kind, code }) => [kind, code]),
      [['order_placed', 'too_many']],
    )
  })

  test('an address with a + tag counts as the same mailbox', async () => {
    const shop = await openMailTestServer(given, server.url)
    await shop.buy({ email: 'ada+0@example.com' })
    await sendAll(shop)
    // As if each were of another order.
    await shop.testServer.storage.write(
      (tx) => tx.sql`
        with n (value) as (values ${values(19)})
        insert into emails (installation_id, id, merchant_id, kind, subject_id, order_id, facts, recipient_hash, status,
          attempts, created_at, finished_at)
        select e.installation_id, e.id || n.value, e.merchant_id, e.kind, e.subject_id || n.value, e.order_id, e.facts,
          e.recipient_hash, 'sent', 1, e.created_at - 1000, e.created_at
        from emails e, n where e.kind = 'order_placed'`,
    )
    for (const email of ['ada+1@example.com', 'ada@example.com', 'eve+1@example.com']) await shop.buy({ email })
    await sendAll(shop)
    assert.deepEqual(
      server.emails.flatMap((message) => message.to).filter((address) => address.endsWith('@example.com')),
      ['ada+0@example.com', 'eve+1@example.com'],
    )
    assert.equal((await shop.rows()).filter(({ code }) => code === 'too_many').length, 2)
  })

  test('the link of a draft is e-mailed in the chosen language, unless the draft has ended', async () => {
    const shop = await openMailTestServer(given, server.url)
    const { testServer } = shop
    const more = { customer: { email: 'ada@example.com', name: 'Ada Lovelace' }, address: berlin }
    const { draft } = await draftOf(testServer, { ...more, locale: 'de' })
    const { draft: other } = await draftOf(testServer, more)
    for (const { id: draftId } of [draft, draft, other]) {
      const path = { draftId }
      const answer = await testServer.askAdmin('sendAdminDraft', { path, body: { idempotencyKey: newId('req') } })
      assert.equal(answer.status, 200, answer.text)
      if (draftId === other.id)
        await testServer.askAdmin('cancelAdminDraft', { path, body: { idempotencyKey: newId('req') } })
    }
    await sendAll(shop)
    const mine = to(server.emails, 'ada@example.com')
    assert.deepEqual(
      mine.map(({ headers }) => headers.subject),
      Array(2).fill('Ihre Bestellung bei Bloom kann bezahlt werden'),
    )
    for (const part of [mine[0]?.text, mine[0]?.html]) assert.ok(part?.includes(draft.url))
    assert.doesNotMatch(mine[0]?.text ?? '', /Lovelace/)
    assert.deepEqual(
      (await shop.rows()).filter(({ kind }) => kind === 'draft_link').map(({ status, code }) => [status, code]),
      [...Array(2).fill(['sent', '250']), ['discarded', 'expired']],
    )
  })

  test('an invitation and a password reset are e-mailed to the person, and their links are stored encrypted until then', async () => {
    const shop = await openMailTestServer(given, server.url)
    const { storage, merchantId, clock, origin } = shop.testServer
    const base = { merchantId, email: 'grace@example.com', path: '/staff/x/secret', locale: null }
    const queue = (message: Pick<UserEmail, 'kind' | 'subjectId' | 'expiresAt'> & Partial<UserEmail>) =>
      storage.write(async (tx) => {
        await insertLink(tx, message)
        queueUserEmail(tx, testSecret, { ...base, ...message }, clock.now)
      })
    const sealed = () =>
      storage.read((db) => db.sql<{ sealed: string | null; facts: string }>`select sealed, facts from emails`)
    const week = 7 * 24 * 60 * minute
    await queue({ kind: 'invitation', subjectId: 'inv_1', expiresAt: clock.now + week })
    await queue({ kind: 'invitation', subjectId: 'inv_1', expiresAt: clock.now + week, path: '/staff/another' })
    await queue({ kind: 'password_reset', subjectId: 'rst_1', expiresAt: clock.now + 60 * minute, locale: 'de' })
    const rows = await sealed()
    assert.equal(rows.length, 2)
    assert.doesNotMatch(JSON.stringify(rows), /grace|secret/)
    assert.ok(rows.every((row) => row.sealed !== null))
    await sendAll(shop)

    const [invitation, reset] = ['Invitation', 'Neues'].map((start) =>
      server.emails.find(({ headers }) => headers.subject?.startsWith(start)),
    )
    assert.deepEqual([invitation?.to, reset?.to], [['grace@example.com'], ['grace@example.com']])
    assert.equal(server.emails.length, 2)
    for (const part of [invitation?.text, invitation?.html]) {
      assert.ok(part?.includes(`${origin}/staff/x/secret`))
      assert.match(part ?? '', /works once and expires after 7 days/)
    }
    assert.match(reset?.text ?? '', /60 Minuten/)
    assert.ok((await sealed()).every((row) => row.sealed === null))
    for (const { status, masked } of await shop.rows()) assert.deepEqual([status, masked], ['sent', 'g***@example.com'])
    assert.doesNotMatch(JSON.stringify(shop.testServer.lines()), /grace|staff\/x/)
  })

  test('a notice about an account is e-mailed to the person without a link, even after many other e-mails to that person', async () => {
    const shop = await openMailTestServer(given, server.url)
    const { storage, merchantId, clock } = shop.testServer
    const queue = (kind: NoticeKind, facts = {}, address = 'joan@example.com') =>
      storage.write((tx) => {
        queueNotice(tx, testSecret, { kind, merchantId, email: 'grace@example.com', address, facts }, clock.now)
        return Promise.resolve()
      })
    for (let i = 0; i < emailsMax.person + 2; i += 1) await queue('role_changed', { role: 'staff' })
    await queue('password_changed')
    await queue('member_joined', { role: 'viewer' })
    assert.doesNotMatch(JSON.stringify(await storage.read((db) => db.sql`select * from emails`)), /grace|joan/)
    for (let i = 0; i < 4; i += 1) await sendAll(shop)
    const mine = to(server.emails, 'grace@example.com')
    assert.equal(mine.length, emailsMax.person + 2)
    assert.ok(mine.some(({ text }) => text.includes('joan@example.com accepted an invitation')))
    const [role] = mine
    assert.match(role?.text ?? '', /Your role at Bloom is now: Staff\./)
    assert.match(role?.text ?? '', /If you did not expect this/)
    for (const { text, html } of mine) assert.doesNotMatch(text + html, /href|\/admin/)
    assert.ok(mine.some(({ headers }) => headers.subject === 'Your password at Bloom was changed'))
  })

  test('a link whose e-mail was refused is sent again on request, also after a rotation of the root secret, unless it has expired', async () => {
    const shop = await openMailTestServer(given, server.url)
    const { storage, merchantId, clock } = shop.testServer
    const message = { merchantId, email: 'grace@example.com', path: '/staff/x/secret', locale: null }
    const expiresAt = clock.now + 60 * minute
    await storage.write(async (tx) => {
      for (const subjectId of ['rst_1', 'rst_2']) {
        await insertLink(tx, { kind: 'password_reset', subjectId, expiresAt })
        queueUserEmail(tx, testSecret, { ...message, kind: 'password_reset', subjectId, expiresAt }, clock.now)
      }
    })
    server.behave = () => ({ kind: 'refuse', at: 'rcpt', code: 550, status: '5.1.1' })
    await sendAll(shop)
    server.behave = () => ({ kind: 'take' })
    assert.ok((await shop.rows()).every(({ status }) => status === 'refused'))
    const rootSecret = parseRootSecret(`2:${'another-root-secret-of-32-characters'},1:${testSecretText}`) as RootSecret
    const before = await storage.read((db) => db.sql`select sealed from emails order by id`)
    await reencryptAll(storage, rootSecret)
    assert.notDeepEqual(await storage.read((db) => db.sql`select sealed from emails order by id`), before)
    const publicOrigin = () => shop.testServer.origin
    const tools = { ...shop.testServer.app.payTools, rootSecret, publicOrigin, clock: shop.mail.clock }
    const prepare: MailTools['prepare'] = (db, row) => prepareEmail(tools, db, row)
    const renewed = { ...shop, mail: { ...shop.mail, prepare } }
    const again = (subjectId: string) =>
      storage.write(
        (tx) => tx.sql`
          update emails set status = 'pending', attempts = 0, due_at = ${clock.now} where subject_id = ${subjectId}`,
      )
    await again('rst_1')
    await sendAll(renewed)
    assert.equal(server.emails.length, 1)
    clock.now = expiresAt
    await again('rst_2')
    await sendAll(renewed)
    assert.equal(server.emails.length, 1)
    assert.deepEqual((await shop.rows()).map(({ status, code }) => [status, code]).sort(), [
      ['discarded', 'expired'],
      ['sent', '250'],
    ])
  })

  test('a link that was replaced or withdrawn before its e-mail was sent is not sent', async () => {
    const shop = await openMailTestServer(given, server.url)
    const { storage, merchantId, clock } = shop.testServer
    const invite = (email: string) => {
      const input = { merchantId, email, role: 'viewer', held: adminScopes, createdBy: null } as const
      return storage.write((tx) => createInvitation(tx, testSecret, input, clock.now))
    }
    await invite('grace@example.com')
    const newest = await invite('grace@example.com')
    const { id } = await invite('back@example.com')
    await storage.write((tx) => removeInvitation(tx, { merchantId, id, held: adminScopes }))
    await sendAll(shop)
    assert.deepEqual(
      server.emails.map(({ to, text }) => [to, text?.includes(newest.path)]),
      [[['grace@example.com'], true]],
    )
    assert.deepEqual((await shop.rows()).map(({ status, code }) => [status, code]).sort(), [
      ['discarded', 'missing'],
      ['discarded', 'missing'],
      ['sent', '250'],
    ])
  })

  test('a person gets at most ten e-mails of one kind in an hour, and none is queued if no server sends e-mails', async () => {
    const shop = await openMailTestServer(given, server.url)
    const { storage, merchantId, clock } = shop.testServer
    const queue = (count: number, name: string) =>
      storage.write(async (tx) => {
        for (let index = 0; index < count; index += 1) {
          const message = { merchantId, email: `grace+${index}@example.com`, path: '/x', locale: null }
          const subjectId = `${name}${index}`
          const expiresAt = clock.now + 60 * minute
          await insertLink(tx, { kind: 'password_reset', subjectId, expiresAt })
          queueUserEmail(tx, testSecret, { ...message, kind: 'password_reset', subjectId, expiresAt }, clock.now)
        }
      })
    await queue(emailsMax.person + 2, 'rst_')
    await sendAll(shop)
    assert.equal(server.emails.length, emailsMax.person)
    await switchMailQueue(storage, false, clock.now)
    await queue(1, 'other_')
    assert.equal((await shop.rows()).length, emailsMax.person + 2)
  })
})

anyEngine('e-mails and mail servers', (given) => {
  const server = sharedServer()

  test('an unreachable mail server delays no checkout, and all e-mails are sent when it is back', async () => {
    const down = await openMailServer()
    await down.close()
    const shop = await openMailTestServer(given, down.url)
    for (let order = 0; order < 3; order += 1) await shop.buy()
    await sendAll(shop)
    assert.ok((await shop.rows()).every(({ status, attempts }) => status === 'pending' && attempts === 1))
    // While an e-mail waits for an answer that never comes, orders are placed.
    shop.testServer.clock.now += 30 * minute
    const sending = sendAll({
      ...shop,
      mail: { ...shop.mail, transport: { ...shop.mail.transport, post: never }, sendMsMax: 500 },
    })
    await shop.buy()
    await sending
    const back = await openMailServer(down.port)
    for (let hour = 0; hour < 8; hour += 1) {
      shop.testServer.clock.now += 60 * minute
      await sendAll(shop)
    }
    await back.close()
    assert.equal(to(back.emails, 'ada@example.com').length, 4)
    assert.ok((await shop.rows()).every(({ status }) => status === 'sent'))
    const said = shop.testServer.lines().filter(({ message }) => String(message).startsWith('mail server'))
    assert.equal(said[0]?.message, 'mail server does not accept e-mails; retrying')
    assert.equal(said.at(-1)?.message, 'mail server accepts e-mails again')
    assert.ok(said.length <= 4)
  })

  test('a refusal because of the recipient or the content is final; other failures are retried up to seven times', async () => {
    const shop = await openMailTestServer(given, server.url)
    server.behave = (address) => {
      if (address.startsWith('nobody')) return { kind: 'refuse', at: 'rcpt', code: 550 }
      if (address.startsWith('spam')) return { kind: 'refuse', at: 'data', code: 554 }
      if (address.startsWith('grey')) return { kind: 'refuse', at: 'rcpt', code: 451 }
      return { kind: 'take' }
    }
    for (const name of ['nobody', 'spam', 'grey', 'ada']) await shop.buy({ email: `${name}@example.com` })
    await sendAll(shop)
    const outcomes = async () =>
      (await shop.rows())
        .filter(({ kind }) => kind === 'order_placed')
        .map(({ status, code, attempts }) => [status, code, attempts])
    assert.deepEqual(await outcomes(), [
      ['refused', '550', 1],
      ['refused', '554', 1],
      ['pending', '451', 1],
      ['sent', '250', 1],
    ])
    for (let round = 0; round < 7; round += 1) {
      shop.testServer.clock.now += 24 * 60 * minute
      await sendAll(shop)
    }
    assert.deepEqual((await outcomes())[2], ['failed', '451', 8])
    // A sender that is not allowed is the operator's to mend.
    server.behave = () => ({ kind: 'refuse', at: 'mail', code: 550 })
    await shop.buy()
    await sendAll(shop)
    assert.deepEqual((await outcomes()).at(-1), ['pending', '550', 1])
    server.behave = () => ({ kind: 'take' })
  })

  test('an e-mail that is refused because of the sender, the relay or a quota is sent again, at whatever step it was refused', async () => {
    const shop = await openMailTestServer(given, server.url)
    const said = {
      relay: { at: 'rcpt', code: 554, status: '5.7.1' },
      quota: { at: 'data', code: 550, status: '5.4.5' },
      sender: { at: 'rcpt', code: 553, status: '5.1.8' },
      unknown: { at: 'rcpt', code: 550, status: '5.1.1' },
      full: { at: 'rcpt', code: 552, status: '5.2.2' },
      content: { at: 'data', code: 554, status: '5.6.0' },
    } as const
    server.behave = (address) => {
      const refusal = said[address.split('@')[0] as keyof typeof said]
      return refusal ? { kind: 'refuse', ...refusal } : { kind: 'take' }
    }
    for (const name of Object.keys(said)) await shop.buy({ email: `${name}@example.com` })
    await shop.testServer.storage.write((tx) => tx.sql`delete from emails where kind = 'order_received'`)
    await sendAll(shop)
    const outcomes = async () => (await shop.rows()).map(({ status, code }) => [status, code])
    assert.deepEqual(await outcomes(), [
      ['pending', '554 5.7.1'],
      ['pending', '550 5.4.5'],
      ['pending', '553 5.1.8'],
      ['refused', '550 5.1.1'],
      ['refused', '552 5.2.2'],
      ['refused', '554 5.6.0'],
    ])
    assert.ok(
      shop.testServer.lines().some(({ message }) => message === 'mail server does not accept e-mails; retrying'),
      'the outage is in the log',
    )
    server.behave = () => ({ kind: 'take' })
    shop.testServer.clock.now += 10 * minute
    await sendAll(shop)
    assert.deepEqual((await outcomes()).slice(0, 3), [
      ['sent', '250'],
      ['sent', '250'],
      ['sent', '250'],
    ])
  })

  test('a mail server that responds slowly gets each e-mail once', async () => {
    const shop = await openMailTestServer(given, server.url)
    for (let order = 0; order < 4; order += 1) await shop.buy()
    // Less than two answers: none waits for a connection.
    server.behave = () => ({ kind: 'slow', ms: 1_000 })
    const patient = { ...shop, mail: { ...shop.mail, sendMsMax: 1_900 } }
    await sendAll(patient)
    shop.testServer.clock.now += 10 * minute
    await sendAll(patient)
    server.behave = () => ({ kind: 'take' })
    assert.equal(new Set(server.emails.map(({ headers }) => headers['message-id'])).size, 8)
    assert.equal(server.emails.length, 8)
    assert.ok((await shop.rows()).every(({ status, attempts }) => status === 'sent' && attempts === 1))
    assert.ok(5 * minute < silenceMsMax && silenceMsMax < sendMsMaxDefault && sendMsMaxDefault < emailLeaseMs)
  })

  test('a process that stops does not wait for the response of a mail server', async () => {
    const shop = await openMailTestServer(given, server.url)
    await shop.buy()
    const stop = new AbortController()
    const post = () => {
      stop.abort()
      return never()
    }
    await sendDueEmails({ ...shop.mail, stop, transport: { ...shop.mail.transport, post } })
    for (const { status, code } of await shop.rows()) assert.deepEqual([status, code], ['pending', 'no_answer'])
  })

  test('an e-mail whose connection broke while its text was sent is sent again unchanged', async () => {
    const shop = await openMailTestServer(given, server.url)
    let drops = 2
    server.behave = () => (drops-- > 0 ? { kind: 'drop' } : { kind: 'take' })
    await shop.buy()
    await sendAll(shop)
    shop.testServer.clock.now += 10 * minute
    server.behave = () => ({ kind: 'take' })
    await sendAll(shop)
    assert.ok((await shop.rows()).every(({ status }) => status === 'sent'))
    for (const emails of Map.groupBy(server.emails, ({ headers }) => headers['message-id']).values())
      assert.equal(new Set(emails.map(({ text, html }) => text + html)).size, 1)
  })

  test('a name with line breaks or an address with a comma adds no recipient', async () => {
    const shop = await openMailTestServer(given, server.url)
    const { storage, merchantId } = shop.testServer
    const sender = 'Bloom\r\nBcc: eve@example.com'
    await storage.write(
      (tx) => tx.sql`
        insert into mail_settings (merchant_id, sender_name, reply_to, kinds_off, updated_at)
        values (${merchantId}, ${sender}, 'a@b.com, eve@example.com', '[]', 1)`,
    )
    const bad = ['ada,eve@example.com', '<ada@example.com>', 'ada;eve@example.com', 'ada@example.com>']
    for (const email of ['ada@example.com', ...bad]) await shop.buy({ email }).catch(() => '')
    await sendAll(shop)
    assert.deepEqual([...new Set(server.emails.flatMap((message) => message.to))].sort(), [
      'ada@example.com',
      'help@shop.example.com',
    ])
    for (const { headers, bytes } of server.emails) {
      assert.equal(headers.bcc, undefined)
      assert.equal(headers['reply-to'], undefined)
      assert.ok(!/^bcc:/im.test(bytes))
    }
    for (const { kind, status, code } of await shop.rows())
      if (status !== 'sent') assert.deepEqual([kind, status, code], ['order_placed', 'discarded', 'bad_address'])
  })

  test('text and HTML contain the same amounts, in seven languages', async () => {
    const shop = await openMailTestServer(given, server.url)
    const { storage, installationId, clock } = shop.testServer
    const moment = () => ({ now: ++clock.now, cause: null })
    for (const locale of languages) {
      const email = `${locale}@example.com`
      const paid = await shop.buy({ email, locale })
      const key = { installationId, orderId: paid }
      await storage.write((tx) =>
        fulfilOrder(tx, key, { carrier: 'DHL', trackingNumber: 'X1', items: new Map([['CARD', 1]]) }, moment()),
      )
      await storage.write((tx) => refundOrder(tx, key, { amount: 123, reason: null, isByHand: true }, moment()))
      const unpaid = await shop.buy({ email, locale, method: 'bank_transfer' })
      const input = { by: 'operator', expectedVersion: undefined, reason: null, note: null, isRestocked: true } as const
      await sendAll(shop)
      await storage.write((tx) => cancelOrder(tx, { installationId, orderId: unpaid }, input, moment()))
      await sendAll(shop)
    }
    for (const locale of languages) {
      const emails = to(server.emails, `${locale}@example.com`)
      assert.equal(emails.length, 5)
      for (const { text, html, headers } of emails) {
        assert.deepEqual(amounts(text), amounts(shown(html)), `${locale}: ${headers.subject}`)
        assert.match(html, new RegExp(`<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}">`))
      }
      const counted = emails.map(({ text }) => amounts(text).length)
      assert.ok(Math.max(...counted) >= 6, `${locale} has amounts: ${counted}`)
    }
  })
})

const never = () => new Promise<never>(() => {})

function values(count: number) {
  return new Fragment(Array.from({ length: count }, (_, index) => `('${index}')`).join(', '))
}

// The link that an e-mail has.
async function insertLink(tx: Tx, { kind, subjectId, expiresAt }: Pick<UserEmail, 'kind' | 'subjectId' | 'expiresAt'>) {
  await tx.sql`
    insert into invitations (id, kind, token_hash, created_at, expires_at)
    values (${subjectId}, ${kind}, ${subjectId}, 0, ${expiresAt}) on conflict (id) do nothing`
}
