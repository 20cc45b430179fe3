// What an operator and a developer have of e-mails: the shop file, the command, doctor, and the pages of development.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { test } from 'node:test'
import { checkoutOf } from '../harness/checkout.ts'
import { cartwright } from '../harness/commandline.ts'
import { orderMarket } from '../harness/orders.ts'
import { tempFolder } from '../harness/process.ts'
import { anyEngine, eachEngine } from '../harness/storage.ts'
import { openTestServer, settingsOf } from '../harness/testServer.ts'
import { sendDueEmails } from '../src/domain/emails/send.ts'
import type { Transport } from '../src/domain/emails/smtp.ts'
import { findMailSettings } from '../src/domain/merchants/mail.ts'

const merchant = { ...orderMarket.merchant, supportEmail: 'help@shop.example.com' }
const from = 'orders@shop.example.com'

eachEngine('e-mails for the operator', (given) => {
  test('a shop file sets the sender, the reply address, and the kinds of e-mails that are not sent', async () => {
    const testServer = await openTestServer(given, { shops: [orderMarket] })
    const { storage, merchantId } = testServer
    const look = () => storage.read((db) => findMailSettings(db, merchantId))
    assert.equal(await look(), undefined)
    const mail = { senderName: 'Bloom & Sons', replyTo: 'hi@bloom.example', language: 'de', off: ['shipped'] } as const
    await testServer.apply({ ...orderMarket, merchant: { ...merchant, mail: { ...mail, off: [...mail.off] } } })
    assert.deepEqual(await look(), {
      senderName: 'Bloom & Sons',
      replyTo: 'hi@bloom.example',
      locale: 'de',
      off: ['shipped'],
    })
    // A file that says nothing of it changes nothing.
    await testServer.apply({ ...orderMarket, merchant })
    assert.equal((await look())?.senderName, 'Bloom & Sons')
  })

  test('mail list, mail show and mail retry work, and print no address in clear text', async () => {
    const folder = await tempFolder()
    const testServer = await openTestServer(given, {
      shops: [{ ...orderMarket, merchant }],
      mail: { target: { kind: 'file', folder }, from },
    })
    const { app, storage, clock } = testServer
    const checkout = await checkoutOf(testServer)
    const { secret, view } = await checkout.ready({ CARD: 1 })
    await checkout.pay(secret, view)
    assert.ok(app.mail)
    const refusing: Transport = { ...app.mail.transport, post: async () => ({ kind: 'refused', code: '550 5.1.1' }) }
    await sendDueEmails({ ...app.mail, transport: refusing })
    // The command line has the clock of the machine.
    await storage.write((tx) => tx.sql`update emails set created_at = ${Date.now()}`)

    const run = (...args: string[]) => cartwright([...args, '--json'], settingsOf(testServer))
    const listed = JSON.parse((await run('mail', 'list')).out)
    assert.equal(listed.isOn, true)
    assert.deepEqual(
      listed.emails.map(({ kind, status, code }: Record<string, string>) => [kind, status, code]).sort(),
      [
        ['order_placed', 'refused', '550 5.1.1'],
        ['order_received', 'refused', '550 5.1.1'],
      ],
    )
    const [{ id }] = listed.emails.filter(({ kind }: { kind: string }) => kind === 'order_placed')
    const shown = JSON.parse((await run('mail', 'show', id)).out).email
    assert.equal(shown.address, 'a***@example.com')
    const { out: lines } = await cartwright(['mail', 'list', '--status', 'refused'], settingsOf(testServer))
    assert.match(lines, /order_placed/)
    assert.ok(!lines.includes('ada@example.com'))
    const doctor = JSON.parse((await run('doctor')).out)
    assert.ok(
      doctor.warnings.some((warning: string) => warning.includes('2 e-mails of the last week are refused (550 5.1.1)')),
    )

    assert.equal(JSON.parse((await run('mail', 'retry', id)).out).email.status, 'pending')
    clock.now = Date.now()
    await sendDueEmails(app.mail)
    assert.equal(JSON.parse((await run('mail', 'show', id)).out).email.status, 'sent')
    const stored = { ...settingsOf(testServer), CARTWRIGHT_MAIL_URL: `file:${folder}` }
    const { out: whole } = await cartwright(['mail', 'show', id, '--text'], stored)
    assert.match(whole, /^status +sent$/m)
    assert.match(whole, /^Thank you for your order\n=+$/m)
    assert.equal((await cartwright(['mail', 'show', id, '--text'], { ...stored, CARTWRIGHT_MAIL_URL: 'off' })).code, 2)
    const again = await run('mail', 'retry', id)
    assert.deepEqual([again.code, JSON.parse(again.out).error.code], [1, 'email_not_retryable'])
    assert.equal(JSON.parse((await run('mail', 'show', 'eml_1')).out).error.code, 'email_not_found')
  })
})

anyEngine('e-mails for a developer', (given) => {
  test('/dev/mail lists e-mails and shows each in a sandboxed frame', async () => {
    const folder = join(await tempFolder(), 'mail')
    const testServer = await openTestServer(given, {
      shops: [{ ...orderMarket, merchant }],
      mail: { target: { kind: 'file', folder }, from },
    })
    assert.match((await testServer.fetch('/')).text, /href="\/dev\/mail"/)
    assert.match((await testServer.fetch('/dev/mail')).text, /None yet/)
    const checkout = await checkoutOf(testServer)
    const { secret, view } = await checkout.ready({ CARD: 1 })
    await checkout.pay(secret, view)
    assert.ok(testServer.app.mail)
    await sendDueEmails(testServer.app.mail)
    const { text: list } = await testServer.fetch('/dev/mail')
    const [, path = ''] = /href="(\/dev\/mail\/eml_\w{26})"><strong dir="auto">Your order/.exec(list) ?? []
    const page = await testServer.fetch(path)
    assert.equal(page.status, 200)
    assert.match(page.text, /<iframe src="[^"]+\/html" title="[^"]+" sandbox="allow-popups">/)
    assert.match(page.headers.get('content-security-policy') ?? '', /frame-src 'self'/)
    const inside = await testServer.fetch(`${path}/html`)
    assert.match(inside.text, /Thank you for your order/)
    assert.match(
      inside.headers.get('content-security-policy') ?? '',
      /default-src 'none'.*frame-ancestors 'self'; sandbox/,
    )
    assert.equal((await testServer.fetch('/dev/mail/..%2f..%2fsecret')).status, 404)
    assert.equal((await testServer.fetch('/dev/mail/eml_01h00000000000000000000000')).status, 404)
    const id = path.split('/').at(-1) ?? ''
    assert.equal(statSync(folder).mode & 0o777, 0o700)
    assert.equal(statSync(join(folder, `${id}.eml`)).mode & 0o777, 0o600)
  })

  test('/dev/mail gets 404 for any host name but that of this machine', async () => {
    const folder = join(await tempFolder(), 'mail')
    const testServer = await openTestServer(given, {
      shops: [{ ...orderMarket, merchant }],
      mail: { target: { kind: 'file', folder }, from },
    })
    const { port } = new URL(testServer.origin)
    const look = async (path: string, host: string) => {
      const asked = request({ host: '127.0.0.1', port, path, headers: { host } }).end()
      const [answer] = (await once(asked, 'response')) as [IncomingMessage]
      return { status: answer.statusCode, text: await textOf(answer) }
    }
    for (const host of ['localhost', `127.0.0.1:${port}`, `[::1]:${port}`])
      assert.equal((await look('/dev/mail', host)).status, 200, host)
    for (const host of ['evil.example', `localhost.evil.example:${port}`])
      for (const path of ['/dev/mail', '/dev/mail/eml_01h00000000000000000000000', '/dev/mail.css'])
        assert.equal((await look(path, host)).status, 404, `${host} ${path}`)
    assert.ok((await look('/', 'localhost')).text.includes('/dev/mail'))
    assert.ok(!(await look('/', 'evil.example')).text.includes('/dev/mail'))
  })

  test('/dev/mail gets 404 in production, and if e-mails are not written to files', async () => {
    const folder = await tempFolder()
    for (const mail of [
      { production: true, mail: { target: { kind: 'file', folder } as const, from } },
      { production: false },
    ]) {
      const testServer = await openTestServer(given, { shops: [orderMarket], ...mail })
      assert.equal((await testServer.fetch('/dev/mail')).status, 404)
      assert.ok(!(await testServer.fetch('/')).text.includes('/dev/mail'))
    }
    assert.ok(!existsSync(join(folder, 'mail')))
  })
})
