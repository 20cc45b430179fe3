import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bloom } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer, testSecret } from '../harness/testServer.ts'
import { createApp } from '../src/app.ts'
import { createLog } from '../src/platform/log/log.ts'

const roses = { merchantSlug: 'bloom', productSlug: 'red-roses' }

// Compressed bytes are others, and have a weak tag.
const plain = { 'accept-encoding': 'identity' }

eachEngine('getPublicMerchantProduct', (given) => {
  test('200 without a key: the product without stock numbers and metadata, cacheable and readable from any origin', async () => {
    const testServer = await openTestServer(given)
    const open = await testServer.ask('getPublicMerchantProduct', { path: roses, key: null, headers: plain })
    const { body } = await testServer.ask('getApiKeyCatalogProduct', { path: { slug: 'red-roses' } })
    assert.deepEqual(open.body.data, {
      ...body.data,
      metadata: {},
      skus: body.data.skus.map((sku: object) => ({ ...sku, availableQuantity: null })),
    })
    assert.equal(open.headers.get('cache-control'), 'public, max-age=60, stale-while-revalidate=600')
    assert.equal(open.headers.get('access-control-allow-origin'), '*')
    assert.match(open.headers.get('etag') ?? '', /^"[\w-]{22}-[\w-]{8}"$/)
  })

  test('200 with an invalid credential, which is ignored', async () => {
    const testServer = await openTestServer(given)
    assert.equal((await testServer.ask('getPublicMerchantProduct', { path: roses, key: 'nonsense' })).status, 200)
  })

  test('200 with another ETag exactly if the bytes change', async () => {
    const testServer = await openTestServer(given)
    const ask = async () =>
      (await testServer.ask('getPublicMerchantProduct', { path: roses, key: null })).headers.get('etag')
    const before = await ask()
    await testServer.apply(bloom)
    assert.equal(await ask(), before)
    const [first, ...others] = bloom.products ?? []
    assert.ok(first)
    await testServer.apply({ ...bloom, products: [{ ...first, name: 'Other' }, ...others] })
    assert.notEqual(await ask(), before)
  })

  test('304 without a body for a known ETag', async () => {
    const testServer = await openTestServer(given)
    const path = '/api/v1/catalog/merchants/bloom/products/red-roses'
    const whole = await testServer.fetch(path, { headers: plain })
    const etag = whole.headers.get('etag') ?? ''
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await testServer.fetch(path, { method, headers: { ...plain, 'if-none-match': known } })
        assert.deepEqual([answer.status, answer.text], [304, ''], `${method} ${known}`)
        for (const name of ['etag', 'cache-control', 'access-control-allow-origin'])
          assert.equal(answer.headers.get(name), whole.headers.get(name), name)
        assert.match(answer.headers.get('x-request-id') ?? '', /^req_/)
        assert.equal(answer.headers.get('content-length'), null)
      }
    }
    for (const unknown of ['"other"', '', etag.slice(1, -1)]) {
      const answer = await testServer.fetch(path, { headers: { 'if-none-match': unknown } })
      assert.deepEqual([answer.status, answer.text], [200, whole.text])
    }
    const missing = await testServer.fetch(`${path}-none`, { headers: { 'if-none-match': '*' } })
    assertError(missing, 'product_not_found')
  })

  test('200 with another ETag if the server has another origin', async () => {
    // Each server has a port, and so an origin, of its own; the product is the same.
    const { storage, url, ...first } = await openTestServer(given)
    const other = createApp({
      storage,
      rootSecret: testSecret,
      rateLimit: null,
      trustedProxies: [],
      webhookAllowPrivate: true,
      publicOrigin: () => 'https://shop.example.com',
      version: 'test',
      clock: () => new Date(first.clock.now),
      log: createLog({ level: 'silent', pretty: false, write: () => {} }),
    })
    const port = await other.server.listen(0, '127.0.0.1')
    given.later(async () => {
      await other.server.drain(1_000)
      other.close()
    })
    const path = '/api/v1/catalog/merchants/bloom/products/red-roses'
    const one = await first.fetch(path)
    const two = await fetch(`http://127.0.0.1:${port}${path}`)
    assert.equal(two.status, 200)
    assert.notEqual(two.headers.get('etag'), one.headers.get('etag'))
    assert.equal(two.headers.get('etag')?.slice(0, 23), one.headers.get('etag')?.slice(0, 23))
  })

  test('404 is the same for an unknown merchant, an unknown product and a closed merchant', async () => {
    const testServer = await openTestServer(given)
    const bodies = new Set<string>()
    await testServer.storage.write((tx) => tx.sql`update merchants set closed_at = 1 where slug = 'rival'`)
    for (const path of [
      { ...roses, merchantSlug: 'nobody' },
      { ...roses, merchantSlug: 'Bloom' },
      { ...roses, productSlug: 'secret-tulips' },
      { ...roses, productSlug: 'rival-only' },
      { merchantSlug: 'rival', productSlug: 'rival-only' },
    ]) {
      const answer = await testServer.ask('getPublicMerchantProduct', { path, key: null })
      assertError(answer, 'product_not_found')
      bodies.add(answer.text.replaceAll(answer.body.error.requestId, ''))
    }
    assert.equal(bodies.size, 1)
  })
})
