// The contact form of a shop: what a shopper writes becomes an e-mail to the merchant, and nothing else.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import { type MailServer, openMailServer } from '../harness/mailserver.ts'
import { bloom, rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { sendDueEmails } from '../src/domain/emails/send.ts'
import { parseMailUrl } from '../src/platform/kit/mailurl.ts'

const withAddress = { ...bloom, merchant: { ...bloom.merchant, supportEmail: 'help@bloom.example' } }
const switched = (off: 'contact_message'[]) => ({
  ...withAddress,
  merchant: { ...withAddress.merchant, mail: { off } },
})
const typed = { name: 'Ada Lovelace', email: 'ada@example.com', text: 'Do the roses\r\ncome in blue? <b>' }

eachEngine('contact form', (given) => {
  let mailServer: MailServer
  let testServer: TestServer

  before(async () => {
    mailServer = await openMailServer()
    const target = parseMailUrl(`smtp://127.0.0.1:${mailServer.port}`)
    assert.ok(!('problem' in target))
    testServer = await openTestServer(given, {
      ...{ shops: [withAddress, rival], withShops: true, mail: { target, from: 'shop@example.com' } },
      rateLimit: { perSecond: 1_000, burst: 1_000 },
    })
  })

  after(() => mailServer.close())

  const show = (slug = 'bloom', language = 'en') =>
    fetch(`${testServer.origin}/contact/${slug}`, { headers: { 'accept-language': language } })
  const post = (fields: Record<string, string>, { origin = testServer.origin, slug = 'bloom' } = {}) =>
    fetch(`${testServer.origin}/contact/${slug}`, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams(fields),
    })
  const attemptOf = async () => /name="attempt" value="(\w+)"/.exec(await (await show()).text())?.[1] ?? ''
  const queued = () =>
    testServer.storage.read(
      (db) => db.sql<{ status: string; facts: string; sealed: string | null }>`
        select status, facts, sealed from emails where kind = 'contact_message'`,
    )

  test('a message is mailed once with the shopper as reply address, and is stored encrypted and only until it is sent', async () => {
    const attempt = await attemptOf()
    const [first, again] = [await post({ ...typed, attempt }), await post({ ...typed, attempt })]
    assert.deepEqual([first.status, again.status], [200, 200])
    assert.match(await first.text(), /Your message is on its way.*ada@example\.com/s)
    const [row, ...others] = await queued()
    assert.deepEqual([row?.status, row?.facts, others.length], ['pending', '{}', 0])
    assert.doesNotMatch(JSON.stringify(row), /\bAda\b|ada@|roses/)
    assert.ok(testServer.app.mail)
    await sendDueEmails(testServer.app.mail)
    const [mail] = mailServer.emails
    assert.deepEqual(mail?.to, ['help@bloom.example'])
    assert.match(mail?.bytes ?? '', /^Reply-To: ada@example\.com\r?$/m)
    assert.match(mail?.bytes ?? '', /^Subject: Message from Ada Lovelace\r?$/m)
    assert.match(mail?.bytes ?? '', /come in blue\? (?:<b>|&lt;b&gt;|&#60;b&#62;)/)
    assert.deepEqual(
      (await queued()).map(({ status, sealed }) => [status, sealed]),
      [['sent', null]],
    )
  })

  test('missing fields are asked for again, and no field can add a mail header', async () => {
    const queuedBefore = (await queued()).length
    const wrong = await (await post({ ...typed, email: 'ada@', text: ' ', attempt: 'x' })).text()
    assert.match(wrong, /Ada Lovelace/)
    assert.match(wrong, /id="email-error".*id="text-error"/s)
    assert.equal((await queued()).length, queuedBefore)
    for (const email of ['a@example.com\r\nBcc: b@example.com', 'a@example.com, b@example.com', 'A <a@example.com>'])
      assert.match(await (await post({ ...typed, email, attempt: 'y' })).text(), /email-error/, email)
    await post({ ...typed, name: 'Eve\r\nBcc: eve@example.com', attempt: 'z' })
    assert.ok(testServer.app.mail)
    await sendDueEmails(testServer.app.mail)
    const { bytes = '', to } = mailServer.emails.at(-1) ?? {}
    assert.deepEqual(to, ['help@bloom.example'])
    assert.doesNotMatch(bytes.split(/\r?\n\r?\n/)[0] ?? '', /^Bcc/im)
    assert.equal((await post(typed, { origin: 'https://evil.example' })).status, 403)
  })

  test('is in the languages of the checkout, valid HTML, and linked from the footer of the shop', async () => {
    const { HtmlValidate } = createRequire(import.meta.url)('html-validate') as typeof import('html-validate')
    const rules = JSON.parse(await readFile(new URL('../.htmlvalidate.json', import.meta.url), 'utf8'))
    const validator = new HtmlValidate(rules)
    const titles = new Set<string>()
    for (const language of ['en', 'de', 'fr', 'es', 'nl', 'ja', 'ar']) {
      const page = await (await show('bloom', language)).text()
      titles.add(/<textarea[^>]*>/.test(page) ? (/<button class="first wide">([^<]*)/.exec(page)?.[1] ?? '') : '')
      if (language === 'en')
        assert.deepEqual(
          validator.validateStringSync(page).results.flatMap(({ messages }) => messages.map(({ ruleId }) => ruleId)),
          [],
        )
    }
    assert.equal(titles.size, 7)
    const { version: expectedVersion } = (await testServer.askAdmin('getAdminSite')).body.data
    await testServer.askAdmin('openAdminSite', { body: { idempotencyKey: 'open', expectedVersion } })
    const shop = await fetch(`${testServer.origin}/test/shops/bloom/cart`)
    assert.match(await shop.text(), /href="\/contact\/bloom"/)
  })

  test('does not exist if the merchant has no e-mail address or turned off messages', async () => {
    assert.equal((await show('rival')).status, 404)
    assert.equal((await post(typed, { slug: 'rival' })).status, 404)
    await testServer.apply(switched(['contact_message']))
    assert.equal((await show()).status, 404)
    assert.equal((await post(typed)).status, 404)
    await testServer.apply(switched([]))
    assert.equal((await show()).status, 200)
  })

  test('accepts only a few messages from one network', async () => {
    const statuses: number[] = []
    for (let at = 0; at < 8; at += 1) statuses.push((await post({ ...typed, attempt: `a${at}` })).status)
    assert.ok(statuses.includes(429), statuses.join())
    const slow = await post({ ...typed, attempt: 'last' })
    assert.deepEqual([slow.status, Number(slow.headers.get('retry-after')) > 0], [429, true])
    assert.ok((await queued()).length <= 7)
  })
})
