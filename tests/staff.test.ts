// People at the pages of the dashboard's entrance: invited, signed in with a second factor, signed out, with a new password. Without
// script, as a browser sends it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Browser,
  email,
  type OAuthTestServer,
  openBrowser,
  openOAuthTestServer,
  password,
  sharedOAuthTestServer,
  type Visited,
} from '../harness/oauth.ts'
import { anyEngine } from '../harness/storage.ts'
import { testSecret } from '../harness/testServer.ts'
import { adminScopes, type Role } from '../src/contract/words.ts'
import { createInvitation, createReset } from '../src/domain/users/invitations.ts'
import {
  findMember,
  isSecondFactorRequired,
  removeMember,
  setRole,
  setSecondFactorRequired,
} from '../src/domain/users/members.ts'
import { totpCodeAt, totpStepAt } from '../src/domain/users/totp.ts'
import { setMailSwitch } from '../src/platform/outbox/emails.ts'

const enough = 'four words nobody guesses'
// In the frame of the shop.
const own = '/admin/bloom/account'

anyEngine('the sign-in and account pages of staff', (given) => {
  const open = sharedOAuthTestServer(given)

  const post = (
    browser: Browser,
    testServer: OAuthTestServer,
    path: string,
    fields: Readonly<Record<string, string>>,
    headers = {},
  ) => browser.submit(testServer.origin + path, Object.entries(fields), headers)

  const enter = (browser: Browser, testServer: OAuthTestServer, more: Readonly<Record<string, string>> = {}) =>
    post(browser, testServer, '/admin/sign-in', { step: 'password', email, password, next: '/admin', ...more })

  async function invite(
    testServer: OAuthTestServer,
    to: string,
    role: Role = 'staff',
    merchantId = testServer.merchantId,
  ) {
    const input = { merchantId, email: to, role, held: adminScopes, createdBy: null }
    const link = await testServer.storage.write((tx) => createInvitation(tx, testSecret, input, testServer.clock.now))
    testServer.secrets.add(link.path.split('/').at(-1) ?? '')
    return link.path
  }

  const sessionOf = (browser: Browser) => /staff_session=([\w-]+)/.exec(browser.cookiesFor('/admin'))?.[1]
  const secretIn = ({ text }: Visited) => /<code dir="ltr">([A-Z2-7 ]+)</.exec(text)?.[1] ?? ''
  const sealedIn = ({ text }: Visited) => /name="sealed" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const codesIn = ({ text }: Visited) => (/<textarea id="codes"[^>]*>([^<]+)</.exec(text)?.[1] ?? '').split('\n')
  const pendingIn = ({ text }: Visited) => /name="pending" value="([^"]+)"/.exec(text)?.[1] ?? ''

  function fromBase32(text: string): Buffer {
    const bits = [...text.replaceAll(' ', '')]
      .map((character) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character).toString(2).padStart(5, '0'))
      .join('')
    return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  }

  test('a signed-out person is redirected to the sign-in and then back, and the cookie is limited to this host and to the pages', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    const asked = await browser.visit(`${testServer.origin}/admin/account`)
    assert.match(asked.url, /\/admin\/sign-in\?next=%2Fadmin%2Faccount$/)
    assert.equal((await enter(browser, testServer, { password: 'wrong' })).status, 400)
    assert.equal(sessionOf(browser), undefined)
    const inside = await enter(browser, testServer, { next: '/admin/account' })
    assert.equal(new URL(inside.url).pathname, own)
    assert.match(inside.text, /<h1[^>]*>My account<\/h1>.*E-mail:<\/span> <span dir="ltr">ada@bloom\.example/s)
    const cookie = browser.setCookies.find((line) => line.startsWith('staff_session='))
    assert.match(cookie ?? '', /^staff_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/)

    const api = await fetch(`${testServer.reach}/api/v1/open/webhooks/endpoints`, {
      headers: { cookie: browser.cookiesFor('/') },
    })
    assert.equal(api.status, 401, 'the cookie does not open the API')
    for (const next of [
      '//evil.example',
      'https://evil.example',
      '/admin\\evil',
      '/shop',
      '/admin//evil.example/../..',
    ])
      assert.equal(
        new URL((await enter(openBrowser(testServer), testServer, { next })).url).origin,
        testServer.origin,
        next,
      )

    const before = sessionOf(browser) ?? ''
    await post(browser, testServer, '/admin/sign-out', {})
    assert.equal(sessionOf(browser), undefined)
    const stolen = await fetch(`${testServer.reach}/admin`, {
      redirect: 'manual',
      headers: { cookie: `staff_session=${before}` },
    })
    assert.equal(stolen.status, 303, 'the session itself has ended')
  })

  test('on https the name of the cookie begins with __Host-', async () => {
    const testServer = await openOAuthTestServer(given, { publicOrigin: () => 'https://shop.example' })
    const browser = openBrowser(testServer)
    await enter(browser, testServer)
    assert.ok(
      browser.setCookies.some((line) => /^__Host-staff_session=[\w-]{43}; Path=\/; .*; Secure$/.test(line)),
      browser.setCookies.join('\n'),
    )
  })

  test('a form from another site is refused', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    await enter(browser, testServer)
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: testServer.origin, 'sec-fetch-site': 'cross-site' },
      { origin: testServer.origin, 'sec-fetch-site': 'same-site' },
    ])
      for (const path of ['/admin/sign-in', '/admin/sign-out', own, '/admin/confirm', '/admin/forgotten'])
        assert.equal((await post(browser, testServer, path, { email, password }, headers)).status, 403, path)
    assert.match((await browser.visit(`${testServer.origin}/admin`)).text, /Sign out/)
  })

  test('an invited person sets a password, is signed in, turns on the second factor, and needs it from then on', async () => {
    const testServer = await open()
    const path = await invite(testServer, 'grace@bloom.example')
    const browser = openBrowser(testServer)
    for (let i = 0; i < 2; i += 1)
      assert.match((await browser.visit(testServer.origin + path)).text, /grace@bloom\.example/)
    const name = 'Grace Hopper'
    const weak = await post(browser, testServer, path, { password: 'password123', name })
    assert.equal(weak.status, 400)
    assert.match(weak.text, /guessed first/)
    assert.match(weak.text, /value="Grace Hopper"/)
    assert.match((await post(browser, testServer, path, { password: enough, name })).text, /Staff/)
    assert.ok(sessionOf(browser), 'who has set the password need not type it again')
    assert.equal((await browser.visit(testServer.origin + path)).status, 404, 'the link was used')
    assert.equal((await post(browser, testServer, path, { password: enough })).status, 404)

    const who = { email: 'grace@bloom.example', password: enough }
    const home = await enter(browser, testServer, who)
    assert.match(home.text, /Staff/)
    const { text: named } = await post(browser, testServer, own, { name: 'Admiral Hopper', language: 'tlh' })
    assert.match(named, /value="Admiral Hopper"/)
    assert.match(named, /<html lang="en/, 'a language that is not there is none')
    const { text: german } = await post(browser, testServer, own, { name: 'Admiral Hopper', language: 'de' })
    assert.match(german, /<html lang="de".*<h1[^>]*>Mein Konto<\/h1>/s)
    assert.match((await browser.visit(`${testServer.origin}/admin/confirm`)).text, /Passwort noch einmal/)
    await post(browser, testServer, own, { name: 'Admiral Hopper', language: '' })
    const stored = await testServer.storage.read((db) => db.sql`select * from users`)
    assert.doesNotMatch(JSON.stringify(stored), /Hopper/, 'sealed')
    const app = `${own}/app`
    const other = openBrowser(testServer)
    await enter(other, testServer, who)

    const setUp = await browser.visit(testServer.origin + app)
    const secret = fromBase32(secretIn(setUp))
    const code = () => totpCodeAt(secret, totpStepAt(testServer.clock.now))
    const wrong = await post(browser, testServer, app, { sealed: sealedIn(setUp), code: '000000' })
    assert.equal(wrong.status, 400)
    assert.equal(secretIn(wrong), secretIn(setUp), 'the same is shown again')
    const shown = await post(browser, testServer, app, { sealed: sealedIn(wrong), code: code() })
    const codes = codesIn(shown)
    assert.equal(codes.length, 10)
    assert.ok(
      shown.text.includes(
        ` download="cartwright-recovery-codes.txt" href="data:text/plain;charset=utf-8,${codes.join('%0A')}%0A"`,
      ),
    )
    assert.match(shown.text, /data-copy="codes"/)
    assert.match((await other.visit(`${testServer.origin}/admin`)).url, /sign-in/, 'the other session has ended')
    assert.match((await browser.visit(`${testServer.origin}/admin`)).text, /Sign out/)

    testServer.advance(60_000)
    const asked = await enter(other, testServer, who)
    assert.match(asked.text, /name="code"/)
    assert.match((await other.visit(`${testServer.origin}/admin`)).url, /sign-in/, 'half way in is not in')
    const step = { step: 'code', pending: pendingIn(asked), next: '/admin' }
    assert.match((await post(other, testServer, '/admin/sign-in', { ...step, code: code() })).text, /Sign out/)
    const third = openBrowser(testServer)
    assert.equal((await post(third, testServer, '/admin/sign-in', { ...step, code: code() })).status, 400, 'used')
    const [recovery = ''] = codes
    assert.match((await post(third, testServer, '/admin/sign-in', { ...step, code: recovery })).text, /Sign out/)
    const again = { ...step, code: recovery }
    assert.equal((await post(openBrowser(testServer), testServer, '/admin/sign-in', again)).status, 400, 'used')

    const told = JSON.stringify(testServer.lines())
    for (const text of [enough, 'grace', ...codes, secretIn(setUp), path.split('/').at(-1) ?? ''])
      assert.ok(!told.includes(text), text)
  })

  test('if an owner requires a second factor, a person without one must set it up first', async () => {
    const testServer = await open()
    const demand = '/admin/bloom/settings/people/second-factor'
    const owner = openBrowser(testServer)
    await enter(owner, testServer)
    // Of a shop that demands nothing too.
    const userId = await testServer.newUser('helper@bloom.example', [testServer.merchantId, testServer.rivalMerchantId])
    const lowered = { merchantId: testServer.merchantId, userId, role: 'staff', held: adminScopes } as const
    await testServer.storage.write((tx) => setRole(tx, lowered, testServer.clock.now))
    const helper = openBrowser(testServer)
    await enter(helper, testServer, { email: 'helper@bloom.example' })
    assert.equal((await post(helper, testServer, demand, { required: 'yes' })).status, 403, 'staff cannot demand it')
    const isDemanded = () => testServer.storage.read((db) => isSecondFactorRequired(db, testServer.merchantId))
    assert.equal(await isDemanded(), false)

    const demanded = await post(owner, testServer, demand, { required: 'yes' })
    assert.match(demanded.text, /Set up a second factor/, 'of the owner too')
    assert.equal(await isDemanded(), true)

    const see = async (path: string) => (await helper.visit(testServer.origin + path)).text
    for (const path of ['/admin/bloom', '/admin/bloom/home', '/admin/bloom/test/orders', own, `${own}/password`]) {
      const text = await see(path)
      assert.match(text, /<h1[^>]*>Set up a second factor<\/h1>/, path)
      assert.doesNotMatch(text, /class="places"|role="search"|class="modes"/, 'what leads back here')
    }
    const rival = '/admin/rival/account'
    assert.match(await see('/admin/rival/test/home'), /<h1[^>]*>Home<\/h1>/)
    const hashes = () => testServer.storage.read((db) => db.sql`select id, password_hash, name_sealed from users`)
    const before = await hashes()
    for (const place of [own, rival])
      for (const [path, fields] of [
        ['/password', { password: enough }],
        ['/sessions', {}],
        ['', { name: 'Mallory', language: '' }],
      ] as const)
        assert.match((await post(helper, testServer, place + path, fields)).text, /Set up a second factor/, path)
    assert.deepEqual(await hashes(), before)
    await testServer.storage.write(
      (tx) => tx.sql`
        insert into user_passkeys (user_id, id, public_key, counter, transports, name, created_at)
        values (${userId}, 'phone', 'x', 0, '[]', 'Phone', ${testServer.clock.now})`,
    )
    for (const place of [own, rival])
      for (const path of ['/app', '/passkeys/new']) {
        for (const { text } of [
          await helper.visit(testServer.origin + place + path),
          await post(helper, testServer, place + path, {}),
        ])
          assert.match(text, /You have a passkey\. Use it before you set up another factor\..*Use a passkey/s, path)
      }
    assert.doesNotMatch(await see('/admin/confirm'), /type="password"/)
    await testServer.storage.write((tx) => tx.sql`delete from user_passkeys where user_id = ${userId}`)
    const setUp = await helper.visit(`${testServer.origin}${own}/app`)
    assert.match(setUp.text, /<svg class="qr"[^>]+aria-label="QR code for the authenticator app"/)
    const code = totpCodeAt(fromBase32(secretIn(setUp)), totpStepAt(testServer.clock.now))
    await post(helper, testServer, `${own}/app`, { sealed: sealedIn(setUp), code })
    assert.match(await see(own), /Where you are signed in/)
    await testServer.storage.write((tx) => setSecondFactorRequired(tx, testServer.merchantId, false))
    await testServer.storage.write((tx) => tx.sql`delete from user_factors`)
  })

  test('pages with sensitive settings require the password again after ten minutes', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    await enter(browser, testServer)
    testServer.advance(600_000)
    for (const path of ['password', 'app', 'app/off', 'codes', 'passkeys/new', 'passkeys/x', 'passkeys/x/remove']) {
      const next = `${own}/${path}`
      const asked = await browser.visit(testServer.origin + next)
      assert.equal(new URL(asked.url).searchParams.get('next'), next)
      const sent = await post(browser, testServer, next, { password: enough })
      assert.match(sent.text, /<h1[^>]*>(?:Enter your password again|Confirm that it is you)</, 'and before it is done')
    }
    const next = `${own}/app`
    assert.equal((await post(browser, testServer, '/admin/confirm', { password: 'wrong', next })).status, 400)
    const back = await post(browser, testServer, '/admin/confirm', { password, next })
    assert.equal(new URL(back.url).pathname, next)
    assert.match(back.text, /name="sealed"/)
  })

  test('a new password ends all other sessions, and single sessions can be ended in the list', async () => {
    const testServer = await open()
    const path = await invite(testServer, 'joan@bloom.example')
    const who = { email: 'joan@bloom.example', password: enough }
    const [one, two, three] = [openBrowser(testServer), openBrowser(testServer), openBrowser(testServer)]
    await post(one, testServer, path, { password: enough })
    for (const browser of [one, two, three]) await enter(browser, testServer, who)
    const list = await one.visit(testServer.origin + own)
    const ids = [...list.text.matchAll(/name="session" value="([^"]+)"/g)].map(([, id]) => id ?? '')
    assert.equal(ids.length, 2)
    await post(one, testServer, `${own}/sessions`, { session: ids[0] ?? '' })
    const isIn = async (browser: Browser) => /Sign out/.test((await browser.visit(`${testServer.origin}/admin`)).text)
    const [second, third] = [await isIn(two), await isIn(three)]
    assert.deepEqual([second, third].sort(), [false, true])
    const common = await post(one, testServer, `${own}/password`, { password: 'password123' })
    assert.deepEqual([common.status, /guessed first/.test(common.text)], [400, true])
    assert.doesNotMatch(common.text, /password123/)
    await post(one, testServer, `${own}/password`, { password: 'another four words here' })
    assert.deepEqual([await isIn(one), await isIn(two), await isIn(three)], [true, false, false])
    assert.equal((await enter(two, testServer, who)).status, 400)
  })

  test('a removed member is signed out at the next request', async () => {
    const testServer = await open()
    const path = await invite(testServer, 'rita@bloom.example')
    const browser = openBrowser(testServer)
    await post(browser, testServer, path, { password: enough })
    await enter(browser, testServer, { email: 'rita@bloom.example', password: enough })
    const [{ id = '' } = {}] = await testServer.storage.read(
      (db) =>
        db.sql<{ id: string }>`select user_id as "id" from user_sessions order by created_at desc, id desc limit 1`,
    )
    const member = { merchantId: testServer.merchantId, userId: id, held: adminScopes }
    await testServer.storage.write((tx) => removeMember(tx, member, testServer.clock.now))
    assert.match((await browser.visit(`${testServer.origin}/admin`)).url, /sign-in/)
  })

  test('a person with an account signs in to accept an invitation', async () => {
    const testServer = await open()
    const path = await invite(testServer, email, 'viewer', testServer.rivalMerchantId)
    const browser = openBrowser(testServer)
    const page = await browser.visit(testServer.origin + path)
    assert.doesNotMatch(page.text, /type="password"/)
    assert.match(page.text, new RegExp(`/admin/sign-in\\?next=${encodeURIComponent(path)}`))
    await post(browser, testServer, path, { password: enough })
    assert.equal(
      await testServer.storage.read((db) => findMember(db, testSecret, testServer.rivalMerchantId, testServer.userId)),
      undefined,
    )
    const other = openBrowser(testServer)
    await testServer.newUser('someone@bloom.example', [testServer.merchantId])
    await enter(other, testServer, { email: 'someone@bloom.example' })
    assert.match((await other.visit(testServer.origin + path)).text, /another address/)
    await post(other, testServer, path, {})
    const back = await enter(browser, testServer, { next: path })
    assert.match(back.text, /Join/)
    await post(browser, testServer, path, {})
    const member = await testServer.storage.read((db) =>
      findMember(db, testSecret, testServer.rivalMerchantId, testServer.userId),
    )
    assert.equal(member?.role, 'viewer')
  })

  test('a link to reset a forgotten password is e-mailed or made by the operator, and works once', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    assert.match((await browser.visit(`${testServer.origin}/admin/forgotten`)).text, /sends no mail/)
    await testServer.storage.write((tx) => setMailSwitch(tx, true, testServer.clock.now))
    const answers = []
    for (const address of [email, 'nobody@bloom.example']) {
      const askedAt = performance.now()
      answers.push((await post(browser, testServer, '/admin/forgotten', { email: address })).text)
      assert.ok(performance.now() - askedAt > 490, 'as long as the slower of both takes')
    }
    assert.equal(answers[0], answers[1], 'the answer does not tell who has an account')
    const emails = await testServer.storage.read(
      (db) => db.sql<{ kind: string }>`select kind from emails where kind = 'password_reset'`,
    )
    assert.equal(emails.length, 1)
    const statuses = []
    for (let i = 0; i < 3; i += 1)
      statuses.push((await post(browser, testServer, '/admin/forgotten', { email })).status)
    assert.deepEqual(statuses, [200, 200, 429])
    await testServer.storage.write((tx) => setMailSwitch(tx, false, testServer.clock.now))

    const userId = await testServer.newUser('lost@bloom.example', [testServer.merchantId])
    const { path } = await testServer.storage.write((tx) => createReset(tx, userId, testServer.clock.now))
    await enter(browser, testServer, { email: 'lost@bloom.example' })
    assert.match((await browser.visit(testServer.origin + path)).text, /lost@bloom\.example/)
    assert.match((await post(browser, testServer, path, { password: enough })).text, /Your password is set/)
    assert.equal(sessionOf(browser), undefined)
    assert.match((await enter(browser, testServer, { email: 'lost@bloom.example', password: enough })).text, /Sign out/)
    assert.equal((await browser.visit(testServer.origin + path)).status, 404)
    assert.equal((await post(browser, testServer, path, { password: 'yet another password' })).status, 404)
  })

  test('the pages use the language of the browser', async () => {
    const testServer = await open()
    const response = await fetch(`${testServer.reach}/admin/sign-in`, {
      headers: { 'accept-language': 'de-CH,de;q=0.9' },
    })
    const text = await response.text()
    assert.match(text, /<html lang="de" dir="ltr">/)
    assert.match(text, /Anmelden/)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'.*form-action 'self'/)
  })
})
