// The second factor and the roles of people on the pages that install an app.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  authorizationUrl,
  type Browser,
  consent,
  makeVerifier,
  type OAuthTestServer,
  openBrowser,
  sharedOAuthTestServer,
  signIn,
  type Visited,
} from '../harness/oauth.ts'
import { anyEngine } from '../harness/storage.ts'
import { testSecret } from '../harness/testServer.ts'
import { adminScopes } from '../src/contract/words.ts'
import { makeTotpSecret, setTotp } from '../src/domain/users/factors.ts'
import { setRole, setSecondFactorRequired } from '../src/domain/users/members.ts'
import { totpCodeAt, totpStepAt } from '../src/domain/users/totp.ts'

const pageOf = (testServer: OAuthTestServer, more: Readonly<Record<string, string>> = {}) =>
  authorizationUrl(testServer, testServer.publicApp, makeVerifier().challenge, more)

anyEngine('installing with a second factor', (given) => {
  const open = sharedOAuthTestServer(given, { trustedProxies: ['loopback'] })
  let secret: Buffer
  let codes: string[] = []

  const codeNow = (testServer: OAuthTestServer) => totpCodeAt(secret, totpStepAt(testServer.clock.now))

  function enter(browser: Browser, page: Visited, code: string, pending?: string, headers = {}) {
    const note = pending ?? /name="pending" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    return browser.submit(
      page.url,
      [
        ['step', 'code'],
        ['pending', note],
        ['code', code],
      ],
      headers,
    )
  }

  test('an owner without a second factor is not offered a shop that requires one', async () => {
    const testServer = await open()
    await testServer.storage.write((tx) => setSecondFactorRequired(tx, testServer.merchantId, true))
    const browser = openBrowser(testServer)
    const page = await signIn(browser, await browser.visit(pageOf(testServer)))
    assert.match(page.text, /You have no shop here/)
    assert.equal(page.status, 403)
  })

  test('the code is required after the password, and each code works once', async () => {
    const testServer = await open()
    secret = makeTotpSecret()
    const now = testServer.clock.now
    const given = { userId: testServer.userId, secret, code: codeNow(testServer), sessionId: '' }
    codes = (await testServer.storage.write((tx) => setTotp(tx, testSecret, given, now))) ?? []
    testServer.advance(60_000)
    const browser = openBrowser(testServer)
    const asked = await signIn(browser, await browser.visit(pageOf(testServer)))
    assert.equal(asked.status, 200)
    assert.match(asked.text, /name="code"/)
    assert.doesNotMatch(asked.text, /Signed in as/)
    assert.equal((await enter(browser, asked, '000000')).status, 400)
    const inside = await enter(browser, asked, codeNow(testServer))
    assert.match(inside.text, /Signed in as/)
    assert.match(inside.text, new RegExp(testServer.merchantId), 'the shop that demands it is offered now')

    const again = openBrowser(testServer)
    const second = await signIn(again, await again.visit(pageOf(testServer)))
    assert.equal((await enter(again, second, codeNow(testServer))).status, 400, 'the code was used')
    assert.match((await enter(again, second, codes[0] ?? '')).text, /Signed in as/)
    const third = openBrowser(testServer)
    const page = await signIn(third, await third.visit(pageOf(testServer)))
    assert.equal((await enter(third, page, codes[0] ?? '')).status, 400, 'the recovery code was used')
  })

  test('the state between the password and the code works only on the page that it was made for, and for ten minutes', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    const asked = await signIn(browser, await browser.visit(pageOf(testServer)))
    const note = /name="pending" value="([^"]+)"/.exec(asked.text)?.[1] ?? ''
    const other = openBrowser(testServer)
    const elsewhere = await other.visit(pageOf(testServer))
    assert.match((await enter(other, elsewhere, codes[1] ?? '', note)).text, /name="password"/)
    assert.match((await enter(other, elsewhere, codes[1] ?? '', `${note}x`)).text, /name="password"/)
    testServer.advance(600_000)
    assert.match((await enter(browser, asked, codes[1] ?? '')).text, /name="password"/)
    const lines = JSON.stringify(testServer.lines())
    for (const code of codes) assert.ok(!lines.includes(code))
  })

  test('guesses of the code are limited to ten; recovery codes still work', async () => {
    const testServer = await open()
    const browser = openBrowser(testServer)
    const asked = await signIn(browser, await browser.visit(pageOf(testServer)))
    const statuses = []
    for (let i = 0; i < 12; i += 1) statuses.push((await enter(browser, asked, '000000')).status)
    assert.deepEqual([statuses.filter((status) => status === 400).length, statuses.at(-1)], [10, 429])
    assert.equal((await enter(browser, asked, codeNow(testServer))).status, 429, 'a right one too')
    assert.match(
      (await enter(browser, asked, codes[2] ?? '')).text,
      /Signed in as/,
      'a recovery code cannot be guessed',
    )
  })

  test('another person who knows the password and guesses codes does not lock the user out', async () => {
    const testServer = await open()
    testServer.advance(24 * 3_600_000)
    const known = openBrowser(testServer)
    const first = await signIn(known, await known.visit(pageOf(testServer)))
    assert.match((await enter(known, first, codeNow(testServer))).text, /Signed in as/)
    testServer.advance(60_000)
    const thief = openBrowser(testServer)
    let status = 0
    for (let network = 1; status !== 429; network += 1) {
      assert.ok(network <= 5)
      const asked = await signIn(thief, await thief.visit(pageOf(testServer)))
      for (let i = 0; i < 9 && status !== 429; i += 1) {
        const headers = { 'x-forwarded-for': `203.0.${network}.1` }
        status = (await enter(thief, asked, '000000', undefined, headers)).status
      }
    }
    const headers = { 'x-forwarded-for': '198.51.100.7' }
    const again = await signIn(known, await known.visit(pageOf(testServer, { prompt: 'login' })))
    const inside = await enter(known, again, codeNow(testServer), undefined, headers)
    assert.match(inside.text, /Signed in as/, 'a browser in which a code was right before')
    testServer.advance(60_000)
    const fresh = openBrowser(testServer)
    const asked = await signIn(fresh, await fresh.visit(pageOf(testServer)))
    assert.equal((await enter(fresh, asked, codeNow(testServer), undefined, headers)).status, 429)
    assert.match(
      (await enter(fresh, asked, codes[3] ?? '', undefined, headers)).text,
      /Signed in as/,
      'a recovery code',
    )
  })

  test('only owners can install apps', async () => {
    const testServer = await open()
    await testServer.newUser('second-owner@bloom.example', [testServer.merchantId])
    const userId = await testServer.newUser('staff@bloom.example', [testServer.merchantId])
    await testServer.storage.write((tx) => setSecondFactorRequired(tx, testServer.merchantId, false))
    const browser = openBrowser(testServer)
    const page = await signIn(browser, await browser.visit(pageOf(testServer)), { email: 'staff@bloom.example' })
    assert.match(page.text, /Signed in as/)
    const change = { merchantId: testServer.merchantId, userId, role: 'staff', held: adminScopes } as const
    await testServer.storage.write((tx) => setRole(tx, change, testServer.clock.now))
    assert.match(
      (await consent(testServer, browser, page)).text,
      /You have no shop here/,
      'lowered while the page was open',
    )
    assert.match((await browser.visit(page.url)).text, /You have no shop here/)
  })
})
