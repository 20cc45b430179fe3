// Forms of people who are not signed in: what they may cost. Refused before anything is looked up, so one engine tells.

import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { shownShop } from '../harness/shownShop.ts'
import { givenEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer } from '../harness/testServer.ts'
import { staffPages } from '../src/domain/users/places.ts'
import { storefrontPages } from '../src/ops/cli/storefront.ts'
import { screens } from '../src/web/dashboard/screens.ts'

const given = givenEngine('sqlite')
const urlencoded = 'application/x-www-form-urlencoded'
const manyFields = 'a&'.repeat(25_000)
const part = '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'
const manyParts = `${part.repeat(2_000)}--x--\r\n`

describe('forms without a session', () => {
  let testServer: TestServer
  let secret = ''
  let networks = 0

  before(async () => {
    testServer = await openTestServer(given, {
      shops: [market],
      rateLimit: { perSecond: 100, burst: 200 },
      trustedProxies: ['loopback'],
      extraPages: storefrontPages(() => shownShop),
    })
    secret = (await (await checkoutOf(testServer)).ready({ CARD: 1 })).secret
  })

  const newNetwork = () => {
    networks += 1
    return `198.18.${networks >> 8}.${networks & 255}`
  }

  function post(path: string, { type = urlencoded, body = '', from = newNetwork() }) {
    return testServer.fetch(path, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: testServer.origin, 'content-type': type, 'x-forwarded-for': from },
      body,
    })
  }

  // The head of a request alone: what is answered now is answered without reading the body.
  async function postHead(path: string, from: string, head: string): Promise<number> {
    const lines = [`POST ${path} HTTP/1.1`, 'host: x', `origin: ${testServer.origin}`, `x-forwarded-for: ${from}`, head]
    return Number((await testServer.wire(`${lines.join('\r\n')}\r\n\r\n`)).split(' ', 2)[1])
  }

  test('too many fields are refused by every form, and are not sent back', async () => {
    const forms = [
      ...screens.filter((screen) => screen.post).map(({ path }) => `/admin/bloom/${path}`),
      ...staffPages.filter(({ methods }) => methods.includes('POST')).map(({ path }) => path),
      '/oauth/interaction/x',
      `/c/${secret}/details`,
      '/shop/cart/add',
    ].map((path) => path.replaceAll(/:\w+/g, 'x'))
    assert.ok(forms.length > 60)
    for (const path of forms)
      for (const body of [manyFields, manyFields.slice(0, 16_000)]) {
        const isFile = screens.some(
          (screen) => screen.filesBytesMax && path === `/admin/bloom/${screen.path.replaceAll(/:\w+/g, 'x')}`,
        )
        const answer = isFile
          ? await post(path, { type: 'multipart/form-data; boundary=x', body: manyParts })
          : await post(path, { body })
        const keepsNothing = screens.some(
          ({ takesSecrets, path: own }) => takesSecrets && path === `/admin/bloom/${own.replaceAll(/:\w+/g, 'x')}`,
        )
        // To the sign-in, unread.
        if (keepsNothing) {
          assert.deepEqual([answer.status, answer.text], [303, ''])
          continue
        }
        assert.ok(answer.status >= 400, `${path}: ${answer.status}`)
        assert.ok(answer.text.length < 20_000, `${path}: ${answer.text.length} characters`)
        if (screens.some(({ path: own }) => path.endsWith(`/${own}`))) {
          assert.equal(answer.status, 413, path)
          assert.match(answer.text, /Your session has ended[\s\S]*too large to be kept here/)
        }
      }
  })

  test('up to 64 KiB and 500 fields are kept through the sign-in, and more is refused before it is read', async () => {
    const path = '/admin/bloom/products/new'
    const kept = await post(path, { body: `a=${'x'.repeat(65_000)}` })
    assert.deepEqual([kept.status, kept.text.includes('x'.repeat(65_000))], [403, true])
    assert.equal((await post(path, { body: 'a=1&'.repeat(499) })).status, 403)
    assert.equal((await post(path, { body: 'a=1&'.repeat(501) })).status, 413)
    assert.equal(await postHead(path, newNetwork(), `content-type: ${urlencoded}\r\ncontent-length: 65537`), 413)
  })

  test('a form counts against the rate limit by its length before it is read, and a refused form is not read', async () => {
    const path = '/admin/bloom/products/new'
    for (const [body, times] of [
      [`a=${'"'.repeat(60_000)}`, 4],
      ['a=1', 59],
    ] as const) {
      const from = newNetwork()
      for (let time = 0; time < times; time += 1) assert.equal((await post(path, { body, from })).status, 403)
      assert.equal(await postHead(path, from, `content-type: ${urlencoded}\r\ncontent-length: 60000`), 429)
      // A length that is not said counts as the largest.
      assert.equal(await postHead(path, from, `content-type: ${urlencoded}\r\ntransfer-encoding: chunked`), 429)
      assert.equal((await post(path, { body: 'a=1', from: newNetwork() })).status, 403)
    }
  })

  test('an uploaded file is skipped, and counts against the rate limit', async () => {
    const path = '/admin/bloom/settings/transfers/new'
    const type = 'multipart/form-data; boundary=x'
    const from = newNetwork()
    const file = `--x\r\ncontent-disposition: form-data; name="file"; filename="f"\r\n\r\n${'x'.repeat(7_000_000)}\r\n`
    const body = `${file}--x\r\ncontent-disposition: form-data; name="kind"\r\n\r\nproducts\r\n--x--\r\n`
    const sent = await post(path, { type, body, from })
    assert.deepEqual([sent.status, /name="kind" value="products"/.test(sent.text)], [403, true])
    assert.equal((await post(path, { type, body, from })).status, 403)
    assert.equal(await postHead(path, from, `content-type: ${type}\r\ncontent-length: ${body.length}`), 429)
  })
})
