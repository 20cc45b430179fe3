// Addresses and headers larger than the server reads. Whoever asked for a page is shown one; a client of the API gets the error body.
// Refused before a row is read, so one engine tells.

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { shownShop } from '../harness/shownShop.ts'
import { givenEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { storefrontPages } from '../src/ops/cli/storefront.ts'

const given = givenEngine('sqlite')
const german = { 'accept-language': 'de' }

describe('a request URL that is too long', () => {
  let testServer: TestServer

  before(async () => {
    testServer = await openTestServer(given, {
      extraPages: storefrontPages(() => shownShop),
    })
  })

  async function assertPage(path: string, headers: Readonly<Record<string, string>> = {}): Promise<void> {
    const shown = path.slice(0, 40)
    const answer = await testServer.fetch(path, { headers: { ...german, ...headers }, redirect: 'manual' })
    assert.deepEqual([answer.status, answer.headers.get('content-type')], [400, 'text/html; charset=utf-8'], shown)
    assert.match(answer.text, /^<!doctype html>\n<html lang="de"/, shown)
    assert.equal(answer.headers.get('cache-control'), 'no-store', shown)
    assert.match(answer.headers.get('content-security-policy') ?? '', /default-src 'none'/, shown)
    const requestId = answer.headers.get('x-request-id')
    const lines = testServer.lines().filter((line) => line.requestId === requestId)
    assert.deepEqual(
      lines.map(({ message, status, reason }) => [message, status, reason]),
      [['request', 400, 'HPE_HEADER_OVERFLOW']],
    )
  }

  for (const place of [
    '/admin',
    '/admin/sign-in',
    '/admin/bloom/test/home',
    '/admin/bloom',
    '/shop',
    '/shop/cart',
    '/c/x',
    '/o/x',
  ])
    test(`gets 400 with a page in the language of the browser at ${place}`, async () => {
      await assertPage(`${place}?q=${'a'.repeat(17_000)}`)
      await assertPage(`${place}?q=${'a'.repeat(40_000)}`)
      await assertPage(`${place}/${'a'.repeat(17_000)}`)
      await assertPage(place, { cookie: `x=${'a'.repeat(17_000)}` })
    })

  test('gets the page even while the browser is still sending', async () => {
    const text = await testServer.wire(`GET /admin/bloom/home?q=${'a'.repeat(1_000_000)} HTTP/1.1\r\nhost: a\r\n\r\n`)
    assert.match(text, /^HTTP\/1.1 400 [\s\S]*<!doctype html>[\s\S]*<\/html>\s*$/)
    assert.equal(text.match(/HTTP\/1\.1/g)?.length, 1)
  })

  test('or invalid in one path segment gets a page with 404 or 400', async () => {
    for (const [path, status] of [
      [`/admin/${'a'.repeat(1_100)}`, 404],
      [`/admin/${'a'.repeat(1_100)}/home`, 404],
      ['/c/x/%00/y', 400],
      ['/o/x/%00/y', 400],
      ['/admin/bloom/%00', 400],
    ] as const) {
      const answer = await testServer.fetch(path, { headers: german })
      assert.equal(answer.status, status, path)
      assert.match(answer.text, /^<!doctype html>\n<html lang="de"/, path)
    }
  })

  test('gets 400 with a JSON error at the API and at unknown addresses', async () => {
    for (const path of ['/api/v1/open/catalog/products', '/api/v1/admin/home', '/nothing']) {
      const { status, body } = await testServer.fetch(`${path}?q=${'a'.repeat(17_000)}`)
      assert.deepEqual([status, body.error.code], [400, 'invalid_request'], path)
    }
  })
})
