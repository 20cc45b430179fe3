// The second factor and the roles of people on the pages that install an app.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testSecret } from '../harness/house.ts'
import {
  authorizationUrl,
  type Browser,
  consent,
  makeVerifier,
  type OAuthHouse,
  openBrowser,
  sharedOAuthHouse,
  signIn,
  type Visited,
} from '../harness/oauth.ts'
import { anyEngine } from '../harness/storage.ts'
import { adminScopes } from '../src/contract/words.ts'
import { makeTotpSecret, setTotp } from '../src/domain/users/factors.ts'
import { setRole, setSecondFactorRequired } from '../src/domain/users/members.ts'
import { codeAt, stepAt } from '../src/domain/users/totp.ts'

const pageOf = (house: OAuthHouse, more: Readonly<Record<string, string>> = {}) =>
  authorizationUrl(house, house.publicApp, makeVerifier().challenge, more)

anyEngine('installing with a second factor', (given) => {
  const open = sharedOAuthHouse(given, { trustedProxies: ['loopback'] })
  let secret: Buffer
  let codes: string[] = []

  const codeNow = (house: OAuthHouse) => codeAt(secret, stepAt(house.clock.now))

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

  test('a shop that demands a second factor is not offered to an owner without one', async () => {
    const house = await open()
    await house.storage.write((tx) => setSecondFactorRequired(tx, house.merchantId, true))
    const browser = openBrowser(house)
    const page = await signIn(browser, await browser.visit(pageOf(house)))
    assert.match(page.text, /You have no shop here/)
    assert.equal(page.status, 403)
  })

  test('the code is asked for after the password, and works once', async () => {
    const house = await open()
    secret = makeTotpSecret()
    const now = house.clock.now
    const given = { userId: house.userId, secret, code: codeNow(house), sessionId: '' }
    codes = (await house.storage.write((tx) => setTotp(tx, testSecret, given, now))) ?? []
    house.advance(60_000)
    const browser = openBrowser(house)
    const asked = await signIn(browser, await browser.visit(pageOf(house)))
    assert.equal(asked.status, 200)
    assert.match(asked.text, /name="code"/)
    assert.doesNotMatch(asked.text, /Signed in as/)
    assert.equal((await enter(browser, asked, '000000')).status, 400)
    const inside = await enter(browser, asked, codeNow(house))
    assert.match(inside.text, /Signed in as/)
    assert.match(inside.text, new RegExp(house.merchantId), 'the shop that demands it is offered now')

    const again = openBrowser(house)
    const second = await signIn(again, await again.visit(pageOf(house)))
    assert.equal((await enter(again, second, codeNow(house))).status, 400, 'the code was used')
    assert.match((await enter(again, second, codes[0] ?? '')).text, /Signed in as/)
    const third = openBrowser(house)
    const page = await signIn(third, await third.visit(pageOf(house)))
    assert.equal((await enter(third, page, codes[0] ?? '')).status, 400, 'the recovery code was used')
  })

  test('the note of the first step is good for its own page and ten minutes', async () => {
    const house = await open()
    const browser = openBrowser(house)
    const asked = await signIn(browser, await browser.visit(pageOf(house)))
    const note = /name="pending" value="([^"]+)"/.exec(asked.text)?.[1] ?? ''
    const other = openBrowser(house)
    const elsewhere = await other.visit(pageOf(house))
    assert.match((await enter(other, elsewhere, codes[1] ?? '', note)).text, /name="password"/)
    assert.match((await enter(other, elsewhere, codes[1] ?? '', `${note}x`)).text, /name="password"/)
    house.advance(600_000)
    assert.match((await enter(browser, asked, codes[1] ?? '')).text, /name="password"/)
    const lines = JSON.stringify(house.lines())
    for (const code of codes) assert.ok(!lines.includes(code))
  })

  test('guesses at the code are limited', async () => {
    const house = await open()
    const browser = openBrowser(house)
    const asked = await signIn(browser, await browser.visit(pageOf(house)))
    const statuses = []
    for (let i = 0; i < 12; i += 1) statuses.push((await enter(browser, asked, '000000')).status)
    assert.deepEqual([statuses.filter((status) => status === 400).length, statuses.at(-1)], [10, 429])
    assert.equal((await enter(browser, asked, codeNow(house))).status, 429, 'a right one too')
    assert.match(
      (await enter(browser, asked, codes[2] ?? '')).text,
      /Signed in as/,
      'a recovery code cannot be guessed',
    )
  })

  test('guesses of another who knows the password do not lock the person out', async () => {
    const house = await open()
    house.advance(24 * 3_600_000)
    const known = openBrowser(house)
    const first = await signIn(known, await known.visit(pageOf(house)))
    assert.match((await enter(known, first, codeNow(house))).text, /Signed in as/)
    house.advance(60_000)
    const thief = openBrowser(house)
    let status = 0
    for (let network = 1; status !== 429; network += 1) {
      assert.ok(network <= 5)
      const asked = await signIn(thief, await thief.visit(pageOf(house)))
      for (let i = 0; i < 9 && status !== 429; i += 1) {
        const headers = { 'x-forwarded-for': `203.0.${network}.1` }
        status = (await enter(thief, asked, '000000', undefined, headers)).status
      }
    }
    const headers = { 'x-forwarded-for': '198.51.100.7' }
    const again = await signIn(known, await known.visit(pageOf(house, { prompt: 'login' })))
    const inside = await enter(known, again, codeNow(house), undefined, headers)
    assert.match(inside.text, /Signed in as/, 'a browser in which a code was right before')
    house.advance(60_000)
    const fresh = openBrowser(house)
    const asked = await signIn(fresh, await fresh.visit(pageOf(house)))
    assert.equal((await enter(fresh, asked, codeNow(house), undefined, headers)).status, 429)
    assert.match(
      (await enter(fresh, asked, codes[3] ?? '', undefined, headers)).text,
      /Signed in as/,
      'a recovery code',
    )
  })

  test('only an owner installs apps', async () => {
    const house = await open()
    await house.newUser('second-owner@bloom.example', [house.merchantId])
    const userId = await house.newUser('staff@bloom.example', [house.merchantId])
    await house.storage.write((tx) => setSecondFactorRequired(tx, house.merchantId, false))
    const browser = openBrowser(house)
    const page = await signIn(browser, await browser.visit(pageOf(house)), { email: 'staff@bloom.example' })
    assert.match(page.text, /Signed in as/)
    const change = { merchantId: house.merchantId, userId, role: 'staff', held: adminScopes } as const
    await house.storage.write((tx) => setRole(tx, change, house.clock.now))
    assert.match((await consent(house, browser, page)).text, /You have no shop here/, 'lowered while the page was open')
    assert.match((await browser.visit(page.url)).text, /You have no shop here/)
  })
})
