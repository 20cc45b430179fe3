// The shops of merchants on one server: closed until they are opened, by the rows of the open surface, each at its own path.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { confirmTransfer, runTransfers, sendFile } from '../harness/admin/transfers.ts'
import { dashboardUserOf } from '../harness/dashboard.ts'
import { bloom, rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { type Answer, assertAdminError, openTestServer, type TestServer } from '../harness/testServer.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import { operatorCaller } from '../src/platform/http/admin.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('the online store', (given) => {
  let testServer: TestServer

  before(async () => {
    testServer = await openTestServer(given, { shops: [bloom, rival], withShops: true })
  })

  // In live mode, for which the shops of the tests have no key.
  async function live(id: AdminOperationId, body: object | null = null) {
    const principal = operatorCaller({ merchantId: testServer.merchantId, mode: 'live' })
    const asked = { principal, body: body && { idempotencyKey: newId('req'), ...body } }
    return JSON.parse(String((await testServer.app.admin.perform(id, asked)).body))
  }

  async function become(id: 'openAdminSite' | 'closeAdminSite') {
    const { version: expectedVersion } = (await live('getAdminSite')).data
    return live(id, { expectedVersion })
  }

  const look = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    testServer.fetch(path, { headers, redirect: 'manual' })

  test('a closed shop shows a notice to strangers, and the shop to its staff', async () => {
    const person = await dashboardUserOf(testServer)
    const stranger = await dashboardUserOf(testServer, { merchantId: await rivalId() })
    for (const path of ['/shops/bloom', '/shops/bloom/products/red-roses', '/test/shops/bloom/cart']) {
      for (const headers of [{}, { cookie: stranger.headers.cookie }]) {
        const closed = await look(path, headers)
        assert.deepEqual([closed.status, closed.headers.get('retry-after')], [503, '3600'], path)
        assert.match(closed.text, /<h1>Bloom is closed<\/h1>/)
        assert.doesNotMatch(closed.text, /Red roses|Bouquets/)
      }
      const seen = await look(path, { cookie: person.headers.cookie })
      assert.equal(seen.status, 200)
      assert.match(seen.text, /class="bar"><span>This shop is closed\./)
      assert.match(seen.text, /<meta name="robots" content="noindex">/)
    }
    for (const path of ['/shops/bloom/feed.xml', '/shops/bloom/sitemap.xml'])
      assert.deepEqual([(await look(path)).status, (await look(path)).headers.get('retry-after')], [503, '3600'])
    // Looking at it made nothing: the catalog that everyone sees stays that of test mode.
    assert.equal(await countSites(), 0)
  })

  test('an open shop shows products without a key, sells through its own installation, and can be closed again', async () => {
    const opened = await become('openAdminSite')
    assert.deepEqual(opened.changes[0].members, [{ member: 'status', from: 'closed', to: 'open' }])
    assert.equal(opened.data.url, `${testServer.origin}/shops/bloom`)
    const product = await look('/shops/bloom/products/red-roses')
    assert.equal(product.status, 200)
    assert.match(product.text, /<h1[^>]*>Red roses/)
    assert.doesNotMatch(product.text, /class="bar"|noindex/)
    const sku = /name="sku" value="([^"]+)"/.exec(product.text)?.[1] ?? ''
    const added = await testServer.fetch('/shops/bloom/cart/add', {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: testServer.origin },
      body: new URLSearchParams({ sku, quantity: '2', once: crypto.randomUUID() }),
    })
    assert.deepEqual([added.status, added.headers.get('location')], [303, '/shops/bloom/cart?say=added#said'])
    const cookie = added.headers.get('set-cookie') ?? ''
    assert.match(cookie, /^storefront_cart=cart_\w+; Path=\/shops\/bloom; /)
    const cart = await look('/shops/bloom/cart', { cookie: cookie.split(';')[0] ?? '' })
    assert.match(cart.text, /€70\.00/)
    const sold = await testServer.storage.read(
      (db) => db.sql<{ name: string; mode: string; redirectHosts: string }>`
        select i.name, i.mode, i.redirect_hosts as "redirectHosts" from carts c join installations i on i.id = c.installation_id`,
    )
    assert.deepEqual(sold, [
      { name: 'Online store', mode: 'live', redirectHosts: JSON.stringify([new URL(testServer.origin).host]) },
    ])
    const checkout = await testServer.fetch('/shops/bloom/cart/checkout', {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: testServer.origin, cookie: cookie.split(';')[0] ?? '' },
      body: new URLSearchParams({ version: '1', once: crypto.randomUUID() }),
    })
    assert.match(checkout.headers.get('location') ?? '', /\/c\/[\w-]{43}$/)
    for (const [path, text] of [
      ['/shops/bloom/feed.xml', `${testServer.origin}/shops/bloom/products/red-roses`],
      ['/shops/bloom/sitemap.xml', `${testServer.origin}/shops/bloom/sitemap/products.xml`],
      ['/shops/bloom/sitemap/products.xml', `${testServer.origin}/shops/bloom/products/red-roses`],
    ] as const)
      assert.ok((await look(path)).text.includes(text), path)

    await become('closeAdminSite')
    assert.equal((await look('/shops/bloom')).status, 503)
    await become('openAdminSite')
    assert.equal((await look('/shops/bloom')).status, 200)
  })

  test('pages, style sheets and the catalog are compressed, and a cart is not', async () => {
    const codingAt = async (path: string, headers: Record<string, string> = {}) => {
      const url = path.startsWith('http') ? path : `${testServer.origin}${path}`
      const answer = await fetch(url, { headers: { 'accept-encoding': 'br', ...headers } })
      const vary = (answer.headers.get('vary') ?? '').includes('accept-encoding')
      return { coding: answer.headers.get('content-encoding'), vary, text: await answer.text() }
    }
    const page = await codingAt('/shops/bloom/')
    assert.deepEqual([page.coding, page.vary], ['br', true])
    const [, sheet = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(page.text) ?? []
    const [, script = ''] = /<script src="([^"]+)"/.exec(page.text) ?? []
    assert.equal((await codingAt(sheet)).coding, 'br')
    assert.match((await codingAt(script)).text, /^\(\(\)=>/)
    assert.equal((await codingAt('/shops/bloom/cart')).coding, null)
    const catalog = '/api/v1/open/catalog/products'
    assert.equal((await codingAt(catalog, { authorization: testServer.keys.full })).coding, 'br')
    assert.deepEqual(
      (await codingAt('/api/v1/open/installation/identity', { authorization: testServer.keys.full })).vary,
      false,
    )
  })

  test('a change of the status can be undone, and only once', async () => {
    await become('closeAdminSite')
    const changeId = (await live('listAdminChanges')).data[0].id
    const principal = operatorCaller({ merchantId: testServer.merchantId, mode: 'live' })
    const undo = () =>
      testServer.app.admin.perform('undoAdminChange', {
        ...{ principal, path: { changeId }, body: { idempotencyKey: newId('req') } },
      })
    await undo()
    assert.equal((await live('getAdminSite')).data.status, 'open')
    await assert.rejects(undo(), { code: 'change_already_undone' })
  })

  test('test mode has a path, a status and a bar of its own, and is not indexed', async () => {
    assert.equal((await look('/test/shops/bloom')).status, 503)
    const { version: expectedVersion } = (await testServer.askAdmin('getAdminSite')).body.data
    const stale = { expectedVersion: expectedVersion + 7, idempotencyKey: newId('req') }
    assertAdminError(await testServer.askAdmin('openAdminSite', { body: stale }), 'version_conflict')
    const { body } = await testServer.askAdmin('openAdminSite', {
      body: { expectedVersion, idempotencyKey: newId('req') },
    })
    assert.equal(body.data.url, `${testServer.origin}/test/shops/bloom`)
    const shown = await look('/test/shops/bloom')
    assert.match(shown.text, /class="bar"><span>Test mode:/)
    assert.match(shown.text, /<meta name="robots" content="noindex">/)
    assert.match((await look('/robots.txt')).text, /^Disallow: \/test\/$/m)
    for (const path of ['/test/shops/bloom/feed.xml', '/test/shops/bloom/sitemap.xml'])
      assert.equal((await look(path)).status, 404, path)
  })

  test('the public facts of a shop are those of test mode with a test key, and of live mode without a key; an unknown merchant gets 404', async () => {
    const keyed = (await testServer.ask('getSite')).body.data
    assert.deepEqual([keyed.merchant.slug, keyed.mode, keyed.status], ['bloom', 'test', 'open'])
    const open = await testServer.ask('getMerchantSite', { path: { merchantSlug: 'bloom' }, key: null })
    assert.deepEqual([open.body.data.mode, open.body.data.url], ['live', `${testServer.origin}/shops/bloom`])
    assert.match(open.headers.get('cache-control') ?? '', /^public/)
    const missing = await testServer.ask('getMerchantSite', { path: { merchantSlug: 'nothing' }, key: null })
    assert.equal(missing.status, 404)
  })

  test('HTML of the merchant’s pages is sanitized, the pages are in the menus and the sitemap, and changes can be undone', async () => {
    const bodyHtml = '<p>We <b>cut</b> daily.</p><script>alert(1)</script><a href="javascript:x">x</a>'
    const entry = { slug: 'about', title: 'About <us>', bodyHtml, menu: 'foot' }
    const made = await live('createAdminPage', entry)
    assert.equal(made.data.page.bodyHtml.includes('script'), false)
    const shown = await look('/shops/bloom/about')
    assert.equal(shown.status, 200)
    assert.match(shown.text, /<h1[^>]*>About &#60;us&#62;<\/h1>/)
    assert.match(shown.text, /<meta name="description" content="We cut daily\. x">/)
    assert.match(shown.text, /<p>We <(b|strong)>cut<\/\1> daily\.<\/p>/)
    assert.doesNotMatch(shown.text, /alert\(1\)|javascript:/)
    assert.match((await look('/shops/bloom')).text, /<footer[\s\S]*<a href="\/shops\/bloom\/about"/)
    assert.ok((await look('/shops/bloom/sitemap/categories.xml')).text.includes('/shops/bloom/about</loc>'))
    assert.equal((await testServer.ask('getPage', { path: { slug: 'about' } })).body.data.title, 'About <us>')
    assert.equal((await look('/shops/rival/about')).status, 503)
    // A product says to search engines what the merchant chose, and to shoppers its name.
    const texts = { seoTitle: 'Aprons of washed linen', seoDescription: 'Sewn in Brest.' }
    const skus = [{ code: 'APRON', price: 4_500 }]
    await live('createAdminProduct', { product: { slug: 'apron', name: 'Apron', summary: 'Linen.', ...texts, skus } })
    const { text } = await look('/shops/bloom/products/apron')
    assert.match(text, /<title>Aprons of washed linen[^<]*<\/title>/)
    assert.match(text, /<meta name="description" content="Sewn in Brest\.">/)
    assert.match(text, /<h1[^>]*>Apron<\/h1>/)
    for (const [bad, code] of [
      [{ ...entry }, 'page_exists'],
      [{ ...entry, slug: 'cart' }, 'invalid_request'],
      [{ ...entry, slug: 'admin' }, 'invalid_request'],
    ] as const)
      await assert.rejects(live('createAdminPage', bad), { code })

    const perform = (id: AdminOperationId, path: Record<string, string>, body: object) =>
      testServer.app.admin.perform(id, {
        principal: operatorCaller({ merchantId: testServer.merchantId, mode: 'live' }),
        ...{ path, body: { idempotencyKey: newId('req'), ...body } },
      })
    const hidden = { title: 'About us', bodyHtml: '<p>Soon.</p>', published: false, expectedVersion: 1 }
    await perform('replaceAdminPage', { slug: 'about' }, hidden)
    assert.equal((await look('/shops/bloom/about')).status, 404)
    const undoLast = async () => {
      const [{ id: changeId }] = (await live('listAdminChanges')).data
      await perform('undoAdminChange', { changeId }, {})
    }
    await undoLast()
    assert.match((await look('/shops/bloom/about')).text, /daily/)
    await perform('removeAdminPage', { slug: 'about' }, { expectedVersion: 3 })
    assert.equal((await look('/shops/bloom/about')).status, 410)
    await undoLast()
    assert.match((await look('/shops/bloom/about')).text, /daily/)
  })

  test('a theme is a draft that staff can preview, and applies to shop and checkout once it is published', async () => {
    const { published } = (await live('getAdminSite')).data
    const person = await dashboardUserOf(testServer)
    const stranger = await dashboardUserOf(testServer, { merchantId: await rivalId() })
    const wanted = { ...published.look, color: '#7A1F3D', font: 'slab', corners: 'square', scheme: 'dark' }
    const home = [
      { kind: 'hero', title: 'Cut <today>', bodyHtml: '<p>Fresh<script>x</script></p>', limit: 3 },
      { kind: 'products', title: 'Roses', source: 'chosen', products: ['red-roses', 'gone'] },
      { kind: 'products', title: 'Nothing here', source: 'category', category: 'gone' },
    ]
    const menus = {
      head: [
        { kind: 'all', target: '', label: 'Everything' },
        { kind: 'category', target: 'gone', label: 'Gone' },
        { kind: 'address', target: '/about', label: 'Us' },
      ],
      foot: null,
    }
    const versionNow = async () => (await live('getAdminSite')).data.version
    const put = async (content: object) =>
      live('replaceAdminSite', { expectedVersion: await versionNow(), ...published, ...content })
    const bad = { head: [{ kind: 'address', target: 'javascript:x', label: 'x' }], foot: null }
    await assert.rejects(put({ menus: bad }), { code: 'invalid_request' })
    await assert.rejects(live('replaceAdminSite', { ...published, expectedVersion: 1 }), { code: 'version_conflict' })
    const { data } = await put({ look: wanted, home, menus })
    assert.equal(data.draft.look.color, '#7a1f3d')
    assert.equal(data.draft.home[0].bodyHtml, '<p>Fresh</p>')
    assert.deepEqual(data.published, published)
    assert.doesNotMatch((await look('/shops/bloom')).text, /look\.|Cut /)

    const draftPath = new URL(data.draftUrl).pathname
    for (const headers of [{}, { cookie: stranger.headers.cookie }])
      assert.equal((await look(draftPath, headers)).status, 404)
    const draft = await look(draftPath, { cookie: person.headers.cookie })
    assert.match(draft.headers.get('content-security-policy') ?? '', /frame-ancestors 'self'/)
    assert.match(draft.text, /<h1[^>]*>Cut &#60;today&#62;<\/h1>/)
    assert.match(draft.text, new RegExp(`href="${draftPath}/products/red-roses"`))
    assert.match(draft.text, new RegExp(`href="${draftPath}/products" dir="auto">Everything<`))
    assert.doesNotMatch(draft.text, />Gone<|Nothing here/)

    // A logo that is set in the settings meanwhile stays, and so does the colour of the draft.
    const setShop = async (body: object) => {
      const { version } = (await live('getAdminShop')).data
      await live('updateAdminShop', { expectedVersion: version, ...body })
    }
    await setShop({ logo: 'https://bloom.example/logo.png', color: '#00aa11' })
    const carried = (await live('getAdminSite')).data.draft.look
    assert.deepEqual([carried.logo, carried.color], ['https://bloom.example/logo.png', '#7a1f3d'])
    await setShop({ logo: null, color: null })

    await live('publishAdminSite', { expectedVersion: await versionNow() })
    const shown = await look('/shops/bloom')
    assert.match(shown.text, /<h1[^>]*>Cut &#60;today&#62;<\/h1>/)
    assert.match(shown.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    assert.match((await look('/shops/bloom/products')).text, /Red roses/)
    const sheet = /href="(\/shops\/bloom\/look\.[0-9a-f]{12}\.css)"/.exec(shown.text)?.[1] ?? ''
    const styles = await look(sheet)
    assert.match(styles.headers.get('cache-control') ?? '', /immutable/)
    assert.match(styles.text, /--green:#7a1f3d/)
    assert.match((await look('/shops/bloom/look.000000000000.css')).headers.get('cache-control') ?? '', /no-cache/)
    assert.match((await look('/w/bloom')).text, /\/checkout\/color\/7a1f3d\.slab\.square\.dark\.css/)
    const theme = (await look('/checkout/color/7a1f3d.slab.square.dark.css')).text
    assert.match(theme, /--round:0px/)
    assert.match(theme, /@media screen\{:root\{color-scheme:dark;--paper: #0f161a/)
    assert.equal((await look('/checkout/color/7a1f3d.comic.square.dark.css')).status, 404)

    // Taken back, the draft is there again.
    const [{ id: changeId }] = (await live('listAdminChanges')).data
    const principal = operatorCaller({ merchantId: testServer.merchantId, mode: 'live' })
    await testServer.app.admin.perform('undoAdminChange', {
      ...{ principal, path: { changeId }, body: { idempotencyKey: newId('req') } },
    })
    const undone = (await live('getAdminSite')).data
    assert.deepEqual([undone.published, undone.draft.look.font], [published, 'slab'])
    assert.doesNotMatch((await look('/shops/bloom')).text, /Cut /)
    assert.equal((await put({})).data.draft, null)
  })

  test('old paths are redirected: those of renamed products, of other systems, and those that the merchant defines; archived products get 410', async () => {
    const principal = operatorCaller({ merchantId: testServer.merchantId, mode: 'live' })
    const perform = async (id: AdminOperationId, path: Record<string, string>, body: object | null) =>
      JSON.parse(
        String(
          (
            await testServer.app.admin.perform(id, {
              ...{ principal, path },
              body: body && { idempotencyKey: newId('req'), ...body },
            })
          ).body,
        ),
      )
    const rename = async (productId: string, slug: string) => {
      const { data } = await perform('getAdminProduct', { productId }, null)
      const product = { ...data.product, slug }
      return perform('replaceAdminProduct', { productId }, { expectedVersion: data.version, product })
    }
    const led = async (path: string) => {
      const { status, headers } = await look(`/shops/bloom${path}`)
      return `${status} ${(headers.get('location') ?? '').replace('/shops/bloom', '')}`.trim()
    }
    const { id } = (await testServer.askAdmin('listAdminProducts', { query: '?q=Red+roses' })).body.data[0]

    await rename(id, 'roses')
    await rename(id, 'crimson-roses')
    assert.equal(await led('/products/red-roses?sku=A&utm=1'), '301 /products/crimson-roses?sku=A&utm=1')
    assert.equal(await led('/products/roses'), '301 /products/crimson-roses')
    await rename(id, 'red-roses')
    assert.equal(await led('/products/red-roses'), '200')
    assert.deepEqual(
      [await led('/products/roses'), await led('/Products/Crimson-Roses/')],
      ['301 /products/red-roses', '301 /products/red-roses'],
    )

    for (const [path, expected] of [
      ['/collections/bouquets', '301 /categories/bouquets'],
      ['/collections/bouquets/products/red-roses', '301 /products/red-roses'],
      ['/product-category/flowers/bouquets/', '301 /categories/bouquets'],
      ['/product/roses', '301 /products/red-roses'],
      ['/pages/about', '301 /about'],
      ['/collections/none', '404'],
    ] as const)
      assert.equal(await led(path), expected, path)
    const asked = await testServer.ask('resolvePath', { query: '?path=/product/roses' })
    assert.deepEqual(asked.body.data, { kind: 'moved', path: '/products/red-roses' })
    const live = await testServer.ask('resolvePath', { query: '?path=/categories/bouquets' })
    assert.deepEqual(live.body.data, { kind: 'category', path: '/categories/bouquets' })

    const create = (from: string, to: string | null) => perform('createAdminRedirect', {}, { from, to })
    const first = (await create('/Spring%20sale/', '/categories/bouquets?sort=price')).data
    assert.equal(first.from, '/spring sale')
    assert.equal(await led('/spring%20sale?a=1'), '301 /categories/bouquets?sort=price')
    await create('/winter', '/spring sale')
    await assert.rejects(create('/categories/bouquets', '/winter'), { code: 'invalid_request' })
    for (const [from, to] of [
      ['/x', '//evil.example'],
      ['/y', 'https://evil.example/'],
      ['/z', '/\\evil.example'],
      ['/cart', '/about'],
      ['/', '/about'],
      ['/same', '/Same/'],
    ] as const)
      await assert.rejects(create(from, to), { code: 'invalid_request' }, from)
    await assert.rejects(create('/spring sale', null), { code: 'redirect_exists' })
    const replace = { expectedVersion: 1, to: null }
    await perform('replaceAdminRedirect', { redirectId: first.id }, replace)
    assert.equal(await led('/spring%20sale'), '410')
    assert.equal(await led('/winter'), '301 /categories/bouquets?sort=price')
    const [{ id: changeId }] = (await perform('listAdminChanges', {}, null)).data
    await perform('undoAdminChange', { changeId }, {})
    assert.equal(await led('/spring%20sale'), '301 /categories/bouquets?sort=price')
    const { data: found } = (await testServer.askAdmin('listAdminRedirects', { query: '?q=ROSES&cause=rename' })).body
    assert.deepEqual(
      found.map(({ from, to }: { from: string; to: string }) => [from, to]),
      [
        ['/products/crimson-roses', '/products/red-roses'],
        ['/products/roses', '/products/red-roses'],
      ],
    )

    const archive = async (status: string) => {
      await perform('updateAdminProducts', {}, { productIds: [id], change: { status } })
    }
    await archive('archived')
    assert.deepEqual([await led('/products/red-roses'), await led('/products/roses')], ['410', '410'])
    await archive('published')
    assert.deepEqual(
      [await led('/products/red-roses'), await led('/products/roses')],
      ['200', '301 /products/red-roses'],
    )
  })

  test('old paths of imported files redirect to their products', async () => {
    const files = [
      'Handle,Title,Variant SKU,Variant Price,Status\nThé_Vert,Green tea,TEA-1,4.50,active\nplain-tea,Plain tea,TEA-2,4,active\n',
      'ID,Type,SKU,Name,Published,Regular price\n7,simple,CUP-1,Grüne Tasse,1,9\n',
    ]
    for (const text of files) {
      const id = await sendFile(testServer, 'products', text, 1)
      await runTransfers(testServer)
      assert.equal((await confirmTransfer(testServer, id)).status, 200)
      await runTransfers(testServer)
    }
    const slugs = await testServer.storage.read(
      (db) => db.sql<{ name: string; slug: string }>`
        select name, slug from products where merchant_id = ${testServer.merchantId} and name in ('Green tea', 'Grüne Tasse')
        order by name`,
    )
    const [tea, cup] = slugs.map(({ slug }) => `/shops/bloom/products/${slug}`)
    assert.ok(tea && cup && tea !== '/shops/bloom/products/thé_vert')
    for (const [from, to] of [
      ['/products/Th%C3%A9_Vert?utm=1', `${tea}?utm=1`],
      [`/product/gr%C3%BCne-tasse/`, cup],
      ['/collections/all/products/plain-tea', '/shops/bloom/products/plain-tea'],
    ] as const) {
      const { status, headers } = await look(`/shops/bloom${from}`)
      assert.deepEqual([status, headers.get('location')], [301, to], from)
    }
    assert.equal((await look('/shops/bloom/products/none_of_them')).status, 404)
  })

  test('a public page stays identical in each language until its product changes', async () => {
    const { id } = (await testServer.askAdmin('listAdminProducts', { query: '?q=Red+roses' })).body.data[0]
    const path = '/shops/bloom/products/red-roses'
    const languages = ['en', 'de']
    const seen = () => Promise.all(languages.map((language) => look(path, { 'accept-language': language })))
    const [first, second] = [await seen(), await seen()]
    assert.deepEqual(
      first.map(({ text, headers }) => [text, headers.get('etag')]),
      second.map(({ text, headers }) => [text, headers.get('etag')]),
    )
    assert.notEqual(first[0]?.text, first[1]?.text)
    const etag = second[0]?.headers.get('etag') ?? ''
    const current = await look(path, { 'accept-language': 'en', 'if-none-match': etag })
    assert.deepEqual([current.status, current.text], [304, ''])
    const cart = await look(path, { 'accept-language': 'en', cookie: 'storefront_count=2' })
    assert.equal(cart.headers.get('cache-control'), 'private, no-store')

    const { data } = await change(id, { name: 'Scarlet roses' })
    for (const { text } of await seen()) assert.match(text, /<h1[^>]*>Scarlet roses/)
    assert.equal((await look(path, { 'accept-language': 'en', 'if-none-match': etag })).status, 200)
    assert.match((await look('/shops/bloom/search?q=scarlet')).text, /Scarlet roses/)
    await change(id, { name: 'Red roses' })
    for (const { text } of await seen()) assert.match(text, /<h1[^>]*>Red roses/)
    assert.ok(data.version > 1)
    await become('closeAdminSite')
    assert.equal((await look(path)).status, 503)
    await become('openAdminSite')
    assert.equal((await look(path)).status, 200)
  })

  async function change(productId: string, members: object) {
    const { data } = (await testServer.askAdmin('getAdminProduct', { path: { productId } })).body
    const body = {
      idempotencyKey: newId('req'),
      expectedVersion: data.version,
      product: { ...data.product, ...members },
    }
    return (await testServer.askAdmin('replaceAdminProduct', { path: { productId }, body })).body
  }

  test('with a second merchant /shop redirects to /shops/{slug}, and unknown shops get 404', async () => {
    // Two merchants: /shop leads to the older one, whose shop is open.
    const moved = await look('/shop/products/red-roses?sku=ROSE-24')
    assert.deepEqual(
      [moved.status, moved.headers.get('location')],
      [307, '/shops/bloom/products/red-roses?sku=ROSE-24'],
    )
    for (const path of ['/shops/nothing', '/shops/UPPER', '/test/shops/nothing', '/shops/rival/../bloom/x/y/z'])
      assert.ok([404, 503].includes((await look(path)).status), path)
    assert.equal((await look('/shops/bloom/nothing')).status, 404)
    assert.equal((await look('/shops/rival/products/red-roses')).status, 503, 'closed, and another merchant’s product')
    const alone = await openTestServer(given, { shops: [bloom], withShops: true })
    const { data } = (await alone.askAdmin('getAdminSite')).body
    assert.equal(data.url, `${alone.origin}/test/shop`)
    assert.deepEqual([(await alone.fetch('/shop')).status, (await alone.fetch('/test/shop')).status], [503, 503])
  })

  test('a disabled installation closes its shop, and an ended one is replaced', async () => {
    const set = (disabledAt: number | null, endedAt: number | null = null) =>
      testServer.storage.write(async (tx) => {
        await tx.sql`
          update installations set disabled_at = ${disabledAt}, ended_at = ${endedAt}
          where merchant_id = ${testServer.merchantId} and name = 'Online store'`
        tx.signal('sites')
      })
    await set(1)
    assert.equal((await look('/shops/bloom')).status, 503)
    await set(null)
    assert.equal((await look('/shops/bloom')).status, 200)
    await set(1, 1)
    assert.equal((await look('/shops/bloom')).status, 503)
    await become('openAdminSite')
    assert.equal((await look('/shops/bloom')).status, 200)
    const names = await testServer.storage.read(
      (db) => db.sql<{ name: string }>`
        select i.name from sites s join installations i on i.id = s.installation_id where s.mode = 'live'`,
    )
    assert.deepEqual(names, [{ name: 'Online store 2' }])
  })

  async function rivalId(): Promise<string> {
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ id: string }>`select id from merchants where slug = ${rival.merchant.slug}`,
    )
    return row?.id ?? ''
  }

  async function countSites(): Promise<number> {
    const rows = await testServer.storage.read((db) => db.sql`select merchant_id from sites`)
    return rows.length
  }
})
