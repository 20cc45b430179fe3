// Guessing at the sign-in: limited for all nodes together, by account and by network; the owner gets in all the same, and the
// log tells of it without naming anybody.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  authorizationUrl,
  type Browser,
  email,
  makeVerifier,
  type OAuthTestServer,
  openBrowser,
  openOAuthTestServer,
  password,
  signIn,
  type Visited,
} from '../harness/oauth.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { testSecret } from '../harness/testServer.ts'
import { createApp } from '../src/app.ts'
import { sweepUsers } from '../src/domain/users/sweep.ts'
import { createLog } from '../src/platform/log/log.ts'

// Longer than any password: judged, and wrong, without the work.
const wrong = 'x'.repeat(300)

interface Scene {
  testServer: OAuthTestServer
  // Two nodes, in turns.
  reaches: readonly string[]
  browser: Browser
  page: Visited
}

async function openScene(given: Given): Promise<Scene> {
  const testServer = await openOAuthTestServer(given, { trustedProxies: ['loopback'] })
  const storage = await given.open({ url: testServer.url })
  const app = createApp({
    storage,
    rootSecret: testSecret,
    rateLimit: null,
    trustedProxies: ['loopback'],
    webhookAllowPrivate: true,
    publicOrigin: () => testServer.origin,
    version: 'test',
    clock: () => new Date(testServer.clock.now),
    log: createLog({ level: 'error', pretty: false, write: () => {} }),
  })
  const port = await app.server.listen(0, '127.0.0.1')
  given.later(async () => {
    await app.server.drain(1_000)
    await app.dispatcher.drain()
    app.close()
  })
  const browser = openBrowser(testServer)
  const page = await browser.visit(pageOf(testServer))
  return { testServer, reaches: [testServer.reach, `http://127.0.0.1:${port}`], browser, page }
}

function pageOf(testServer: OAuthTestServer, more: Readonly<Record<string, string>> = {}): string {
  return authorizationUrl(testServer, testServer.publicApp, makeVerifier().challenge, more)
}

interface Guess {
  from: string
  email?: string
  password?: string
  node?: number
}

async function guess({ testServer, reaches, browser, page }: Scene, input: Guess): Promise<number> {
  const { pathname } = new URL(page.url)
  const fields = { step: 'sign_in', email: input.email ?? email, password: input.password ?? wrong }
  const response = await fetch(reaches[(input.node ?? 0) % reaches.length] + pathname, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams(fields).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: testServer.origin,
      cookie: browser.cookiesFor(pathname),
      'x-forwarded-for': input.from,
    },
  })
  await response.arrayBuffer()
  return response.status
}

eachEngine('password guesses at the sign-in', (given) => {
  test('for one account from many networks are limited to a hundred on two nodes together, and its owner can still sign in', async () => {
    const scene = await openScene(given)
    const { testServer } = scene
    const own = openBrowser(testServer)
    assert.match((await signIn(own, await own.visit(pageOf(testServer)))).text, /Signed in as/)

    const statuses: number[] = []
    for (let i = 0; i < 104; i += 1)
      statuses.push(await guess(scene, { from: `2001:db8:${i.toString(16)}::1`, node: i }))
    assert.equal(statuses.filter((status) => status === 400).length, 100)
    assert.deepEqual(statuses.slice(100), [429, 429, 429, 429])
    assert.equal(await guess(scene, { from: '203.0.113.1', password }), 429, 'a stranger, even with the password')
    assert.equal(await guess(scene, { from: '203.0.113.1', email: 'nobody@bloom.example' }), 400, 'another account')

    const again = await own.visit(pageOf(testServer, { prompt: 'login' }))
    assert.match(again.text, /name="password"/)
    const back = await own.submit(
      again.url,
      [
        ['step', 'sign_in'],
        ['email', email],
        ['password', password],
      ],
      { 'x-forwarded-for': '198.51.100.7' },
    )
    assert.match(back.text, /Signed in as/, 'in the browser that is known, from anywhere')

    const lines = testServer
      .lines()
      .filter(({ message }) => String(message).startsWith('sign-in') || message === 'signed in')
    const told = JSON.stringify(lines)
    assert.ok(lines.some(({ message }) => message === 'sign-in failed'))
    assert.ok(lines.some(({ message }) => message === 'sign-in refused by the rate limit'))
    assert.ok(lines.some(({ message, userId }) => message === 'signed in' && userId === testServer.userId))
    assert.doesNotMatch(told, /bloom|horse|xxxxxxxx|2001:db8|203\.0/i)
    assert.equal(
      new Set(
        lines.filter(({ message }) => message === 'sign-in refused by the rate limit').map(({ account }) => account),
      ).size,
      1,
    )

    testServer.advance(40 * 24 * 3_600_000)
    await sweepUsers(testServer.storage, testServer.clock.now)
    assert.deepEqual(await testServer.storage.read((db) => db.sql`select bucket from sign_in_limits`), [])
  })

  test('for many accounts from one network are limited to sixty', async () => {
    const scene = await openScene(given)
    const statuses: number[] = []
    for (let i = 0; i < 63; i += 1)
      statuses.push(await guess(scene, { from: `2001:db8:77:${i}::1`, email: `user${i}@bloom.example`, node: i }))
    assert.equal(statuses.filter((status) => status === 400).length, 60)
    assert.equal(await guess(scene, { from: '2001:db8:78::1', email: 'user1@bloom.example' }), 400, 'its neighbours')
  })

  test('wait no longer than usual after the clock was set back', async () => {
    const scene = await openScene(given)
    const from = '203.0.113.9'
    for (let i = 0; i < 10; i += 1) assert.equal(await guess(scene, { from }), 400)
    assert.equal(await guess(scene, { from }), 429)
    scene.testServer.advance(-600_000)
    assert.equal(await guess(scene, { from }), 400)
    assert.equal(await guess(scene, { from }), 429, 'one, and no more')
    scene.testServer.advance(20_000)
    assert.equal(await guess(scene, { from, password }), 303)
    const { text } = await scene.testServer.fetch('/metrics')
    for (const [outcome, count] of Object.entries({ failed: 11, limited: 2, signed_in: 1 }))
      assert.ok(text.includes(`cartwright_sign_ins_total{method="password",outcome="${outcome}"} ${count}\n`), outcome)
  })
})
