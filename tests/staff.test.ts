// People at the pages of the dashboard's entrance: invited, signed in with a second factor, signed out, with a new password. Without
// script, as a browser sends it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testSecret } from '../harness/house.ts'
import {
  type Browser,
  email,
  type OAuthHouse,
  openBrowser,
  openOAuthHouse,
  password,
  sharedOAuthHouse,
  type Visited,
} from '../harness/oauth.ts'
import { anyEngine } from '../harness/storage.ts'
import { adminScopes, type Role } from '../src/contract/words.ts'
import { createInvitation, createReset } from '../src/domain/users/invitations.ts'
import {
  findMember,
  isSecondFactorRequired,
  removeMember,
  setRole,
  setSecondFactorRequired,
} from '../src/domain/users/members.ts'
import { codeAt, stepAt } from '../src/domain/users/totp.ts'
import { setMailSwitch } from '../src/platform/outbox/letters.ts'

const enough = 'four words nobody guesses'

anyEngine('people at their pages', (given) => {
  const open = sharedOAuthHouse(given)

  const post = (
    browser: Browser,
    house: OAuthHouse,
    path: string,
    fields: Readonly<Record<string, string>>,
    headers = {},
  ) => browser.submit(house.origin + path, Object.entries(fields), headers)

  const enter = (browser: Browser, house: OAuthHouse, more: Readonly<Record<string, string>> = {}) =>
    post(browser, house, '/admin/sign-in', { step: 'password', email, password, next: '/admin', ...more })

  async function invite(house: OAuthHouse, to: string, role: Role = 'staff', merchantId = house.merchantId) {
    const input = { merchantId, email: to, role, held: adminScopes, createdBy: null }
    const link = await house.storage.write((tx) => createInvitation(tx, testSecret, input, house.clock.now))
    house.secrets.add(link.path.split('/').at(-1) ?? '')
    return link.path
  }

  const sessionOf = (browser: Browser) => /staff_session=([\w-]+)/.exec(browser.cookiesFor('/admin'))?.[1]
  const secretIn = ({ text }: Visited) => /<\/span> ([A-Z2-7 ]+)<\/p>/.exec(text)?.[1] ?? ''
  const sealedIn = ({ text }: Visited) => /name="sealed" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const codesIn = ({ text }: Visited) => [...text.matchAll(/<li>([\w-]+)<\/li>/g)].map(([, code]) => code ?? '')
  const pendingIn = ({ text }: Visited) => /name="pending" value="([^"]+)"/.exec(text)?.[1] ?? ''

  function fromBase32(text: string): Buffer {
    const bits = [...text.replaceAll(' ', '')]
      .map((character) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character).toString(2).padStart(5, '0'))
      .join('')
    return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  }

  test('signed out one is asked to sign in, and comes back; the cookie is for pages and of this host', async () => {
    const house = await open()
    const browser = openBrowser(house)
    const asked = await browser.visit(`${house.origin}/admin/account`)
    assert.match(asked.url, /\/admin\/sign-in\?next=%2Fadmin%2Faccount$/)
    assert.equal((await enter(browser, house, { password: 'wrong' })).status, 400)
    assert.equal(sessionOf(browser), undefined)
    const inside = await enter(browser, house, { next: '/admin/account' })
    assert.match(inside.url, /\/admin\/account$/)
    assert.match(inside.text, /Signed in as ada@bloom\.example/)
    const cookie = browser.setCookies.find((line) => line.startsWith('staff_session='))
    assert.match(cookie ?? '', /^staff_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/)

    const api = await fetch(`${house.reach}/api/v1/open/webhooks/endpoints`, {
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
      assert.equal(new URL((await enter(openBrowser(house), house, { next })).url).origin, house.origin, next)

    const before = sessionOf(browser) ?? ''
    await post(browser, house, '/admin/sign-out', {})
    assert.equal(sessionOf(browser), undefined)
    const stolen = await fetch(`${house.reach}/admin`, {
      redirect: 'manual',
      headers: { cookie: `staff_session=${before}` },
    })
    assert.equal(stolen.status, 303, 'the session itself has ended')
  })

  test('on https the cookie is bound to the host', async () => {
    const house = await openOAuthHouse(given, { publicOrigin: () => 'https://shop.example' })
    const browser = openBrowser(house)
    await enter(browser, house)
    assert.ok(
      browser.setCookies.some((line) => /^__Host-staff_session=[\w-]{43}; Path=\/; .*; Secure$/.test(line)),
      browser.setCookies.join('\n'),
    )
  })

  test('a form of another site does nothing', async () => {
    const house = await open()
    const browser = openBrowser(house)
    await enter(browser, house)
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: house.origin, 'sec-fetch-site': 'cross-site' },
      { origin: house.origin, 'sec-fetch-site': 'same-site' },
    ])
      for (const path of ['/admin/sign-in', '/admin/sign-out', '/admin/account', '/admin/confirm', '/admin/forgotten'])
        assert.equal((await post(browser, house, path, { email, password }, headers)).status, 403, path)
    assert.match((await browser.visit(`${house.origin}/admin`)).text, /Sign out/)
  })

  test('invited, one sets a password, signs in, turns on the second factor, and needs it from then on', async () => {
    const house = await open()
    const path = await invite(house, 'grace@bloom.example')
    const browser = openBrowser(house)
    for (let i = 0; i < 2; i += 1) assert.match((await browser.visit(house.origin + path)).text, /grace@bloom\.example/)
    const weak = await post(browser, house, path, { password: 'password123' })
    assert.equal(weak.status, 400)
    assert.match(weak.text, /guessed first/)
    assert.match((await post(browser, house, path, { password: enough })).text, /Your password is set/)
    assert.equal((await browser.visit(house.origin + path)).status, 404, 'the link was used')
    assert.equal((await post(browser, house, path, { password: enough })).status, 404)

    const who = { email: 'grace@bloom.example', password: enough }
    const home = await enter(browser, house, who)
    assert.match(home.text, /Staff/)
    const account = (fields: Readonly<Record<string, string>>, in_ = browser) =>
      post(in_, house, '/admin/account', fields)
    const other = openBrowser(house)
    await enter(other, house, who)

    const setUp = await account({ do: 'set_up' })
    const secret = fromBase32(secretIn(setUp))
    const code = () => codeAt(secret, stepAt(house.clock.now))
    assert.equal((await account({ do: 'turn_on', sealed: sealedIn(setUp), code: '000000' })).status, 400)
    const codes = codesIn(await account({ do: 'turn_on', sealed: sealedIn(setUp), code: code() }))
    assert.equal(codes.length, 10)
    assert.match((await other.visit(`${house.origin}/admin`)).url, /sign-in/, 'the other session has ended')
    assert.match((await browser.visit(`${house.origin}/admin`)).text, /Sign out/)

    house.advance(60_000)
    const asked = await enter(other, house, who)
    assert.match(asked.text, /name="code"/)
    assert.match((await other.visit(`${house.origin}/admin`)).url, /sign-in/, 'half way in is not in')
    const step = { step: 'code', pending: pendingIn(asked), next: '/admin' }
    assert.match((await post(other, house, '/admin/sign-in', { ...step, code: code() })).text, /Sign out/)
    const third = openBrowser(house)
    assert.equal((await post(third, house, '/admin/sign-in', { ...step, code: code() })).status, 400, 'used')
    const [recovery = ''] = codes
    assert.match((await post(third, house, '/admin/sign-in', { ...step, code: recovery })).text, /Sign out/)
    const again = { ...step, code: recovery }
    assert.equal((await post(openBrowser(house), house, '/admin/sign-in', again)).status, 400, 'used')

    const told = JSON.stringify(house.lines())
    for (const text of [enough, 'grace', ...codes, secretIn(setUp), path.split('/').at(-1) ?? ''])
      assert.ok(!told.includes(text), text)
  })

  test('where an owner demands a second factor, one without it sets it up and can do nothing else', async () => {
    const house = await open()
    const owner = openBrowser(house)
    await enter(owner, house)
    const account = await owner.visit(`${house.origin}/admin/account`)
    assert.match(account.text, /Everyone decides for themselves/)
    const userId = await house.newUser('helper@bloom.example', [house.merchantId])
    const lowered = { merchantId: house.merchantId, userId, role: 'staff', held: adminScopes } as const
    await house.storage.write((tx) => setRole(tx, lowered, house.clock.now))
    const helper = openBrowser(house)
    await enter(helper, house, { email: 'helper@bloom.example' })
    assert.doesNotMatch((await helper.visit(`${house.origin}/admin/account`)).text, /decides for themselves/)
    await post(helper, house, '/admin/account', { do: 'demand', shop: house.merchantId })
    const isDemanded = () => house.storage.read((db) => isSecondFactorRequired(db, house.merchantId))
    assert.equal(await isDemanded(), false, 'staff cannot demand it')

    const demanded = await post(owner, house, '/admin/account', { do: 'demand', shop: house.merchantId })
    assert.match(demanded.text, /Set up a second factor/, 'of the owner too')
    assert.equal(await isDemanded(), true)
    const [entry] = await house.storage.read(
      (db) => db.sql<{ actorId: string; changes: string }>`
        select actor_id as "actorId", changes from audit_entries where operation = 'updateAdminPeople'`,
    )
    assert.equal(entry?.actorId, house.userId)
    assert.match(entry?.changes ?? '', /"member":"secondFactorRequired","from":false,"to":true/)

    for (const path of ['/admin', '/admin/account', '/admin/bloom', '/admin/bloom/home'])
      assert.match((await helper.visit(house.origin + path)).text, /Set up a second factor/, path)
    for (const fields of [
      { do: 'password', password: enough },
      { do: 'end_others' },
      { do: 'release', shop: house.merchantId },
    ])
      assert.match((await post(helper, house, '/admin/account', fields)).text, /Set up a second factor/)
    assert.equal(await isDemanded(), true)
    await house.storage.write(
      (tx) => tx.sql`
        insert into user_passkeys (user_id, id, public_key, counter, transports, name, created_at)
        values (${userId}, 'phone', 'x', 0, '[]', 'Phone', ${house.clock.now})`,
    )
    for (const deed of ['set_up', 'turn_on', 'add_passkey'])
      assert.match(
        (await post(helper, house, '/admin/account', { do: deed })).text,
        /<h1[^>]*>Use your passkey<\/h1>.*Use it before you set up another factor\..*Use a passkey/s,
        deed,
      )
    assert.doesNotMatch((await helper.visit(`${house.origin}/admin/confirm`)).text, /type="password"/)
    await house.storage.write((tx) => tx.sql`delete from user_passkeys where user_id = ${userId}`)
    const setUp = await post(helper, house, '/admin/account', { do: 'set_up' })
    assert.match(setUp.text, /<svg class="qr"[^>]+aria-label="QR code for the authenticator app"/)
    const code = codeAt(fromBase32(secretIn(setUp)), stepAt(house.clock.now))
    await post(helper, house, '/admin/account', { do: 'turn_on', sealed: sealedIn(setUp), code })
    assert.match((await helper.visit(`${house.origin}/admin/account`)).text, /Where you are signed in/)
    await house.storage.write((tx) => setSecondFactorRequired(tx, house.merchantId, false))
    await house.storage.write((tx) => tx.sql`delete from user_factors`)
  })

  test('what is grave asks for the password again after ten minutes', async () => {
    const house = await open()
    const browser = openBrowser(house)
    await enter(browser, house)
    house.advance(600_000)
    const asked = await post(browser, house, '/admin/account', { do: 'set_up' })
    assert.match(asked.url, /\/admin\/confirm\?next=%2Fadmin%2Faccount$/)
    assert.equal(
      (await post(browser, house, '/admin/confirm', { password: 'wrong', next: '/admin/account' })).status,
      400,
    )
    const back = await post(browser, house, '/admin/confirm', { password, next: '/admin/account' })
    assert.match(back.url, /\/admin\/account$/)
    assert.match((await post(browser, house, '/admin/account', { do: 'set_up' })).text, /name="sealed"/)
  })

  test('a new password ends every other session; sessions end from the list', async () => {
    const house = await open()
    const path = await invite(house, 'joan@bloom.example')
    const who = { email: 'joan@bloom.example', password: enough }
    const [one, two, three] = [openBrowser(house), openBrowser(house), openBrowser(house)]
    await post(one, house, path, { password: enough })
    for (const browser of [one, two, three]) await enter(browser, house, who)
    const list = await one.visit(`${house.origin}/admin/account`)
    const ids = [...list.text.matchAll(/name="session" value="([^"]+)"/g)].map(([, id]) => id ?? '')
    assert.equal(ids.length, 2)
    await post(one, house, '/admin/account', { do: 'end', session: ids[0] ?? '' })
    const isIn = async (browser: Browser) => /Sign out/.test((await browser.visit(`${house.origin}/admin`)).text)
    const [second, third] = [await isIn(two), await isIn(three)]
    assert.deepEqual([second, third].sort(), [false, true])
    await post(one, house, '/admin/account', { do: 'password', password: 'another four words here' })
    assert.deepEqual([await isIn(one), await isIn(two), await isIn(three)], [true, false, false])
    assert.equal((await enter(two, house, who)).status, 400)
  })

  test('a removed member is signed out at the next click', async () => {
    const house = await open()
    const path = await invite(house, 'rita@bloom.example')
    const browser = openBrowser(house)
    await post(browser, house, path, { password: enough })
    await enter(browser, house, { email: 'rita@bloom.example', password: enough })
    const [{ id = '' } = {}] = await house.storage.read(
      (db) =>
        db.sql<{ id: string }>`select user_id as "id" from user_sessions order by created_at desc, id desc limit 1`,
    )
    const member = { merchantId: house.merchantId, userId: id, held: adminScopes }
    await house.storage.write((tx) => removeMember(tx, member, house.clock.now))
    assert.match((await browser.visit(`${house.origin}/admin`)).url, /sign-in/)
  })

  test('who has an account signs in to accept an invitation', async () => {
    const house = await open()
    const path = await invite(house, email, 'viewer', house.rivalMerchantId)
    const browser = openBrowser(house)
    const page = await browser.visit(house.origin + path)
    assert.doesNotMatch(page.text, /type="password"/)
    assert.match(page.text, new RegExp(`/admin/sign-in\\?next=${encodeURIComponent(path)}`))
    await post(browser, house, path, { password: enough })
    assert.equal(
      await house.storage.read((db) => findMember(db, testSecret, house.rivalMerchantId, house.userId)),
      undefined,
    )
    const other = openBrowser(house)
    await house.newUser('someone@bloom.example', [house.merchantId])
    await enter(other, house, { email: 'someone@bloom.example' })
    assert.match((await other.visit(house.origin + path)).text, /another address/)
    await post(other, house, path, {})
    const back = await enter(browser, house, { next: path })
    assert.match(back.text, /Join/)
    await post(browser, house, path, {})
    const member = await house.storage.read((db) => findMember(db, testSecret, house.rivalMerchantId, house.userId))
    assert.equal(member?.role, 'viewer')
  })

  test('a forgotten password: a link by mail or from the operator, once', async () => {
    const house = await open()
    const browser = openBrowser(house)
    assert.match((await browser.visit(`${house.origin}/admin/forgotten`)).text, /sends no mail/)
    await house.storage.write((tx) => setMailSwitch(tx, true, house.clock.now))
    const answers = []
    for (const address of [email, 'nobody@bloom.example'])
      answers.push((await post(browser, house, '/admin/forgotten', { email: address })).text)
    assert.equal(answers[0], answers[1], 'the answer does not tell who has an account')
    const letters = await house.storage.read(
      (db) => db.sql<{ kind: string }>`select kind from emails where kind = 'password_reset'`,
    )
    assert.equal(letters.length, 1)
    const statuses = []
    for (let i = 0; i < 3; i += 1) statuses.push((await post(browser, house, '/admin/forgotten', { email })).status)
    assert.deepEqual(statuses, [200, 200, 429])
    await house.storage.write((tx) => setMailSwitch(tx, false, house.clock.now))

    const userId = await house.newUser('lost@bloom.example', [house.merchantId])
    const { path } = await house.storage.write((tx) => createReset(tx, userId, house.clock.now))
    await enter(browser, house, { email: 'lost@bloom.example' })
    assert.match((await browser.visit(house.origin + path)).text, /lost@bloom\.example/)
    assert.match((await post(browser, house, path, { password: enough })).text, /Your password is set/)
    assert.equal(sessionOf(browser), undefined)
    assert.match((await enter(browser, house, { email: 'lost@bloom.example', password: enough })).text, /Sign out/)
    assert.equal((await browser.visit(house.origin + path)).status, 404)
    assert.equal((await post(browser, house, path, { password: 'yet another password' })).status, 404)
  })

  test('pages speak the language of the browser', async () => {
    const house = await open()
    const response = await fetch(`${house.reach}/admin/sign-in`, { headers: { 'accept-language': 'de-CH,de;q=0.9' } })
    const text = await response.text()
    assert.match(text, /<html lang="de" dir="ltr">/)
    assert.match(text, /Anmelden/)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.match(response.headers.get('content-security-policy') ?? '', /default-src 'none'.*form-action 'self'/)
  })
})
