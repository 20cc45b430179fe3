// What anyone may read of a shop, without a key: its products, its categories, and a search.

import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { before, test } from 'node:test'
import { pottery } from '../harness/searchShop.ts'
import { bloom } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { assertError, openTestServer, type TestServer } from '../harness/testServer.ts'
import { listSlugPieces, listSlugsAfter } from '../src/domain/catalog/store.ts'
import { listMerchants } from '../src/domain/merchants/store.ts'
import { feedHandOffs } from '../src/ops/cli/storefront.ts'
import type { Incoming } from '../src/platform/http/message.ts'

const base = '/api/v1/catalog/merchants'

eachEngine('the public catalog', (given) => {
  let testServer: TestServer
  before(async () => {
    testServer = await openTestServer(given.shared, { shops: [bloom, pottery] })
  })

  test('429: a search counts as three of the 60 requests that one network address may make in a burst', async () => {
    const limited = await openTestServer(given, { shops: [pottery], rateLimit: { perSecond: 1, burst: 3 } })
    const ask = async (path: string) => (await limited.fetch(`${base}/${pottery.merchant.slug}/${path}`)).status
    const statuses: number[] = []
    for (let count = 0; count < 20; count += 1) statuses.push(await ask('search?q=mug'))
    assert.deepEqual([...new Set(statuses)], [200])
    assert.deepEqual([await ask('search?q=mug'), await ask('products')], [429, 429])
  })

  for (const [what, bounds] of [
    ['two clients that do not read the feed are disconnected, and other clients get it', { pageMsMax: 200 }],
    [
      'two clients that take too long to read the whole feed are disconnected, and other clients get it',
      { pageMsMax: 600_000, wholeMsMax: 200 },
    ],
  ] as const)
    test(what, () => assertCutOff(bounds))

  async function assertCutOff(bounds: { pageMsMax?: number; wholeMsMax?: number }): Promise<void> {
    const [seller] = await testServer.storage.read(listMerchants)
    const [feed] = feedHandOffs({
      ...{
        storage: testServer.storage,
        clock: () => new Date(testServer.clock.now),
        ...bounds,
      },
      shops: () => ({
        ofSlug: async () => ({
          ...{
            slug: 'bloom',
            base: '/shop',
            isOpen: true,
            isDemo: false,
            installationId: '',
            origin: testServer.origin,
            hasHost: false,
          },
          seller: { merchantId: seller?.id ?? '', mode: 'test' },
        }),
      }),
    })
    assert.ok(feed)
    let text = ''
    const read = (write: (chunk: Buffer, then: () => void) => void) => {
      const to = new Writable({ highWaterMark: 1, write: (chunk, _, then) => write(chunk, then) })
      const response = Object.assign(to, { setHeader() {} }) as unknown as ServerResponse
      return feed.handle({ raw: { method: 'GET' }, path: {} } as Incoming, response, 'req_1')
    }
    const slow = [read(() => {}), read(() => {})]
    const take = (chunk: Buffer, then: () => void) => {
      text += chunk
      then()
    }
    await assert.rejects(read(take), { code: 'unavailable' })
    await Promise.all(slow)
    await read(take)
    assert.match(text, /^<\?xml.*<item>.*<\/rss>\n$/s)
  }

  test('200: products, categories and searches are the same as with a key', async () => {
    const full = { headers: { authorization: testServer.keys.full } }
    for (const [open, keyed] of [
      ['/bloom/products', '/api/v1/open/catalog/products'],
      ['/bloom/categories', '/api/v1/open/catalog/categories'],
      ['/bloom/search?q=roses&sort=newest', '/api/v1/open/catalog/search?q=roses&sort=newest'],
    ]) {
      const [one, other] = [await testServer.fetch(base + open), await testServer.fetch(keyed ?? '', full)]
      assert.equal(one.status, 200)
      // The lists of the interface have no total.
      const { total } = one.body.meta
      assert.deepEqual(one.body, { ...other.body, meta: { ...other.body.meta, total } })
      assert.ok(!/availableQuantity|onHand|metadata/.test(one.text), 'no stock numbers')
    }
  })

  test('200 is cacheable and readable by any origin; 304 for a matching ETag', async () => {
    for (const path of ['/bloom/products', '/bloom/categories', '/bloom/search?q=roses']) {
      const whole = await testServer.fetch(base + path, { headers: { 'accept-encoding': 'identity' } })
      assert.equal(whole.headers.get('cache-control'), 'public, max-age=60, stale-while-revalidate=600')
      assert.equal(whole.headers.get('access-control-allow-origin'), '*')
      const etag = whole.headers.get('etag') ?? ''
      assert.match(etag, /^"[\w-]{22}"$/)
      const again = await testServer.fetch(base + path, { headers: { 'if-none-match': etag } })
      assert.deepEqual([again.status, again.text], [304, ''])
      // Compressed bytes are others, so their tag is weak. It stands for the same content.
      const zipped = await testServer.fetch(base + path, { headers: { 'accept-encoding': 'gzip' } })
      const isZipped = zipped.headers.get('content-encoding') === 'gzip'
      assert.deepEqual([zipped.headers.get('etag'), zipped.text], [isZipped ? `W/${etag}` : etag, whole.text])
      const known = { 'if-none-match': `W/${etag}` }
      const same = await testServer.fetch(base + path, { headers: { ...known, 'accept-encoding': 'gzip' } })
      assert.deepEqual([same.status, same.headers.get('etag')], [304, `W/${etag}`])
    }
  })

  test('each page of a search links to the next; the cursor of one shop gets 400 at another', async () => {
    const seen: string[] = []
    let link: string | null = `${base}/pottery/search?maxPrice=100000&limit=4`
    let first: string | undefined
    while (link) {
      const { status, body } = await testServer.fetch(link)
      assert.equal(status, 200)
      seen.push(...body.data.map(({ slug }: { slug: string }) => slug))
      link = body.meta.next
      first ??= body.meta.next
    }
    assert.deepEqual(seen.length, 10)
    assert.equal(new Set(seen).size, 10)
    const elsewhere = await testServer.fetch((first ?? '').replace('/pottery/', '/bloom/'))
    assert.deepEqual([elsewhere.status, elsewhere.body.error.issues[0].path], [400, '/query/cursor'])
  })

  test('200: lists contain their total, also if they are cached', async () => {
    const total = async (list: string) => (await testServer.fetch(`${base}/pottery/${list}`)).body.meta.total
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ products: number; categories: number }>`
        select (select count(*) from listed_products l where l.merchant_id = m.id and l.mode = 'test') as "products",
          (select count(*) from categories c where c.merchant_id = m.id) as "categories"
        from merchants m where m.slug = 'pottery'`,
    )
    assert.deepEqual([await total('products'), await total('categories')], [row?.products, row?.categories])
    assert.ok((row?.products ?? 0) > 1)
    assert.equal(await total('products'), row?.products)
  })

  test('a sitemap contains every published product once, whatever the size of its files', async () => {
    const merchants = await testServer.storage.read(listMerchants)
    const merchantId = merchants.find(({ slug }) => slug === 'pottery')?.id ?? ''
    const seller = { merchantId, mode: 'test' } as const
    for (const size of [1, 3, 5, 10, 11]) {
      const pieces = await testServer.storage.read((db) => listSlugPieces(db, seller, size))
      const rows = await Promise.all(
        pieces.map(({ after }) => testServer.storage.read((db) => listSlugsAfter(db, seller, after, size))),
      )
      assert.equal(pieces.length, Math.ceil(10 / size), `of ${size}`)
      assert.equal(new Set(rows.flat().map(({ slug }) => slug)).size, 10)
      assert.deepEqual(
        pieces.map(({ updatedAt }) => updatedAt),
        rows.map((piece) => Math.max(...piece.map(({ updatedAt }) => updatedAt))),
      )
    }
    const nobody = { merchantId: 'mer_nobody', mode: 'test' } as const
    assert.deepEqual(await testServer.storage.read((db) => listSlugPieces(db, nobody, 5)), [])
  })

  test('404 for an unknown merchant', async () => {
    for (const path of ['/nobody/products', '/nobody/categories', '/nobody/search?q=a', '/No%20body/products'])
      assertError(await testServer.fetch(base + path), 'merchant_not_found')
  })
})
