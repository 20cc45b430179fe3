// Shops by their own hosts: a host counts once it is proved, and nothing of one shop, of the dashboard or of the API is answered at the
// host of another. Requests are sent with any Host and X-Forwarded-Host.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { before, test } from 'node:test'
import { ordersOf } from '../harness/orders.ts'
import { bloom, rival } from '../harness/shops.ts'
import { eachEngine, isOnce } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { isWide } from '../harness/wide.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import { checkHosts } from '../src/domain/sites/checks.ts'
import { proofPath } from '../src/domain/sites/hosts.ts'
import type { ProveHost } from '../src/domain/sites/prove.ts'
import { operatorCaller } from '../src/platform/http/admin.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { decryptUserEmail, setMailSwitch } from '../src/platform/outbox/emails.ts'

const publicOrigin = 'https://server.example.com'

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

interface Asked {
  method?: string
  headers?: Record<string, string>
  form?: object
  // Some answers never end.
  isHead?: boolean
}

interface Reply {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

eachEngine('hosts of shops', (given) => {
  let testServer: TestServer
  let merchants: Record<'bloom' | 'rival', string>

  before(async () => {
    testServer = await openTestServer(given, {
      shops: [bloom, rival],
      withShops: true,
      publicOrigin: () => publicOrigin,
    })
    const rows = await testServer.storage.read(
      (db) => db.sql<{ id: string; slug: string }>`select id, slug from merchants`,
    )
    const idOf = (slug: string) => rows.find((row) => row.slug === slug)?.id ?? ''
    merchants = { bloom: idOf('bloom'), rival: idOf(rival.merchant.slug) }
    for (const merchantId of Object.values(merchants)) {
      const { version: expectedVersion } = (await live(merchantId, 'getAdminSite')).data
      await live(merchantId, 'openAdminSite', { body: { expectedVersion } })
    }
  })

  async function live(
    merchantId: string,
    id: AdminOperationId,
    { body, path = {} }: { body?: object; path?: Record<string, string> } = {},
  ) {
    const principal = operatorCaller({ merchantId, mode: 'live' })
    const asked = { principal, path, body: body ? { idempotencyKey: newId('req'), ...body } : null }
    return JSON.parse(String((await testServer.app.admin.perform(id, asked)).body))
  }

  function ask(
    host: string,
    path: string,
    { method = 'GET', headers = {}, form, isHead = false }: Asked = {},
  ): Promise<Reply> {
    const { hostname, port } = new URL(testServer.origin)
    const body = form && new URLSearchParams(form as Record<string, string>).toString()
    return new Promise((resolve, reject) => {
      const sent = request(
        {
          ...{ hostname, port, path, method },
          headers: {
            host,
            ...(body && { 'content-type': 'application/x-www-form-urlencoded', origin: `https://${host}` }),
            ...headers,
          },
        },
        (response) => {
          let text = ''
          if (isHead) {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
            response.destroy()
            return
          }
          response.setEncoding('utf8')
          response.on('data', (piece: string) => {
            text += piece
          })
          response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  }

  const check = (prove: ProveHost) =>
    checkHosts(testServer.storage, { prove, publicOrigin, now: testServer.clock.now, limit: 20 })
  const add = (merchantId: string, host: string) => live(merchantId, 'addAdminHost', { body: { host } })
  const hostOf = async (merchantId: string, name: string) =>
    (await live(merchantId, 'getAdminSite')).data.hosts.find((one: { host: string }) => one.host === name)

  test('as long as no shop has a host, requests with any host name are served', async () => {
    assert.equal((await ask('anything.example.org', '/shops/bloom')).status, 200)
    assert.equal((await ask('anything.example.org', '/admin')).status, 303)
  })

  test('a host is verified by a DNS record or file of its owner, and belongs to the first shop that verifies it', async () => {
    const added = await add(merchants.bloom, 'Tea.Example.COM')
    assert.deepEqual(added.changes, [
      { kind: 'create', subject: { type: 'site_host', id: 'tea.example.com', name: 'tea.example.com' }, members: [] },
    ])
    const [{ record }] = added.data.hosts
    assert.equal(record.name, '_cartwright.tea.example.com')
    // This server answers with the proof under that name, and nowhere else.
    const proof = record.value.split('=')[1]
    assert.equal((await ask('tea.example.com', proofPath)).text, `${proof}\n`)
    assert.equal((await ask('other.example.com', proofPath)).status, 404)
    // Two who ask for it are both answered, so answering proves neither.
    await add(merchants.rival, 'tea.example.com')
    assert.equal((await ask('tea.example.com', proofPath)).text.trim().split('\n').length, 2)

    assert.equal(await check(async () => 'not_found'), 2)
    assert.equal((await hostOf(merchants.bloom, 'tea.example.com')).problem, 'not_found')
    assert.equal(await check(async () => 'proved'), 0, 'not due yet')
    testServer.clock.now += 60_000
    await check(async (_, text) => (text === proof ? 'proved' : 'not_answering'))
    const proved = await hostOf(merchants.bloom, 'tea.example.com')
    assert.deepEqual([proved.isProved, proved.isMain, proved.isChecked], [true, true, false])
    testServer.clock.now += 60_000
    await check(async () => 'proved')
    assert.equal((await hostOf(merchants.rival, 'tea.example.com')).problem, 'taken')
    assert.equal((await live(merchants.bloom, 'getAdminSite')).data.url, 'https://tea.example.com')
    await live(merchants.rival, 'removeAdminHost', { path: { host: 'tea.example.com' }, body: {} })
    await add(merchants.rival, 'coffee.example.com')
    await check(async () => 'proved')
  })

  test('names that cannot be hosts of shops are refused', async () => {
    for (const host of [
      'server.example.com',
      'localhost',
      '127.0.0.1',
      '*.example.com',
      'https://x.example.com',
      'a b.com',
    ])
      await assert.rejects(add(merchants.bloom, host), { code: 'invalid_request' }, host)
    for (const host of Array.from({ length: 9 }, (_, at) => `h${at}.example.com`)) await add(merchants.bloom, host)
    await assert.rejects(add(merchants.bloom, 'h9.example.com'), { code: 'host_limit' })
    await assert.rejects(live(merchants.bloom, 'makeAdminHostMain', { path: { host: 'h1.example.com' }, body: {} }), {
      code: 'host_not_proved',
    })
    await assert.rejects(live(merchants.rival, 'removeAdminHost', { path: { host: 'h1.example.com' }, body: {} }), {
      code: 'host_not_found',
    })
    for (let at = 1; at < 9; at += 1)
      await live(merchants.bloom, 'removeAdminHost', { path: { host: `h${at}.example.com` }, body: {} })
  })

  test('a shop is served at the root of its host, and shoppers buy without leaving that host', async () => {
    const product = await ask('tea.example.com', '/products/red-roses')
    assert.equal(product.status, 200)
    assert.match(product.text, /<link rel="canonical" href="https:\/\/tea\.example\.com\/products\/red-roses">/)
    assert.doesNotMatch(product.text, /server\.example\.com|\/shops\/bloom/)
    assert.match(product.text, /<img src="\/media\/demo\/red-roses\.svg"/)
    const sku = /name="sku" value="([^"]+)"/.exec(product.text)?.[1] ?? ''
    const once = crypto.randomUUID()
    const added = await ask('tea.example.com', '/cart/add', { method: 'POST', form: { sku, quantity: '1', once } })
    assert.deepEqual([added.status, added.headers.location], [303, '/cart?say=added#said'])
    const cookie = String(added.headers['set-cookie']).split(';')[0] ?? ''
    assert.match(String(added.headers['set-cookie']), /; Path=\/; .*; Secure$/)
    assert.doesNotMatch(String(added.headers['set-cookie']), /Domain=/i)
    const checkout = await ask('tea.example.com', '/cart/checkout', {
      ...{ method: 'POST', headers: { cookie }, form: { version: '1', once: crypto.randomUUID() } },
    })
    const page = String(checkout.headers.location)
    assert.match(page, /^\/c\/[\w-]{43}$/)
    assert.equal((await ask('tea.example.com', page)).status, 200)
    assert.equal((await ask('server.example.com', page)).status, 200)
    // The texts that are agreed to by ordering, and every other link of the page.
    await live(merchants.bloom, 'saveAdminText', { body: { kind: 'terms', language: 'en', text: 'Pay at once.' } })
    const links = [...(await ask('tea.example.com', page)).text.matchAll(/ href="(\/[^"#]*)/g)].map(([, to = '']) => to)
    assert.ok(links.includes('/legal/bloom/terms'))
    for (const to of links) assert.equal((await ask('tea.example.com', to)).status, 200, to)
    assert.equal((await ask('coffee.example.com', '/legal/bloom/terms')).status, 404)
    const foreign = await ask('coffee.example.com', page)
    assert.equal(foreign.status, 404)
    assert.doesNotMatch(foreign.text, /Bloom|tea\.example/)
    const posted = await ask('tea.example.com', `${page}/code`, { method: 'POST', form: { code: 'NOPE' } })
    assert.notEqual(posted.status, 403)
    for (const [path, text] of [
      ['/feed.xml', 'https://tea.example.com/products/red-roses'],
      ['/sitemap.xml', 'https://tea.example.com/sitemap/products.xml'],
      ['/sitemap/products.xml', 'https://tea.example.com/products/red-roses'],
      ['/robots.txt', 'Sitemap: https://tea.example.com/sitemap.xml'],
    ] as const) {
      const reply = await ask('tea.example.com', path)
      assert.ok(reply.text.includes(text), path)
      assert.doesNotMatch(reply.text, /server\.example\.com|coffee\.example\.com|\/shops\//, path)
    }
    assert.equal((await ask('server.example.com', '/shops/bloom/robots.txt')).status, 404)
    // By its path it leads to the host.
    const led = await ask('server.example.com', '/shops/bloom/products/red-roses?sku=ROSE-24')
    assert.deepEqual(
      [led.status, led.headers.location],
      [307, 'https://tea.example.com/products/red-roses?sku=ROSE-24'],
    )
  })

  test('the account of a shopper and its e-mailed link are at the host of the shop', async () => {
    await testServer.storage.write((tx) => setMailSwitch(tx, true, testServer.clock.now))
    for (const [host, path] of [
      ['coffee.example.com', '/account/bloom'],
      ['tea.example.com', '/account/rival'],
    ] as const)
      assert.equal((await ask(host, path)).status, 404, host)
    const bare = await ask('tea.example.com', '/account')
    assert.deepEqual([bare.status, bare.headers.location], [303, '/account/bloom'])
    for (const host of ['server.example.com', 'unknown.example.com'])
      assert.equal((await ask(host, '/account')).status, 404, host)
    const form = { email: 'ada@example.com' }
    const asked = await ask('tea.example.com', '/account/bloom/code', { method: 'POST', form })
    assert.equal(asked.status, 200)
    const cookie = String(asked.headers['set-cookie']).split(';')[0] ?? ''
    const [row] = await testServer.storage.read(
      (db) => db.sql<{ id: string; sealed: string }>`select id, sealed from emails where kind = 'customer_code'`,
    )
    const link = new URL(decryptUserEmail(testSecret, row?.id ?? '', row?.sealed ?? '')?.path ?? '')
    assert.equal(link.origin, 'https://tea.example.com')
    const post = { method: 'POST', form, headers: { cookie } }
    const forged = { ...post, headers: { cookie, origin: 'https://server.example.com' } }
    assert.equal((await ask('tea.example.com', link.pathname, forged)).status, 403)
    const opened = await ask('tea.example.com', link.pathname, post)
    assert.deepEqual([opened.status, opened.headers.location], [303, '/account/bloom'])
    assert.match(String(opened.headers['set-cookie']), /^__Host-account-live-bloom=[\w-]{43}; Path=\/;/)
  })

  test('the other hosts of a shop redirect to the main one, which can be changed, and the change can be undone', async () => {
    testServer.clock.now += 60_000
    await live(merchants.bloom, 'checkAdminHost', { path: { host: 'h0.example.com' }, body: {} })
    await check(async () => 'proved')
    const moved = await ask('h0.example.com', '/categories/roses?sort=name')
    assert.deepEqual(
      [moved.status, moved.headers.location],
      [308, 'https://tea.example.com/categories/roses?sort=name'],
    )
    assert.equal((await ask('h0.example.com', '/cart/add', { method: 'POST', form: {} })).status, 404)
    await live(merchants.bloom, 'makeAdminHostMain', { path: { host: 'h0.example.com' }, body: {} })
    assert.equal((await ask('tea.example.com', '/')).headers.location, 'https://h0.example.com/')
    const [{ id: changeId }] = (await live(merchants.bloom, 'listAdminChanges')).data
    await live(merchants.bloom, 'undoAdminChange', { path: { changeId }, body: {} })
    assert.equal((await ask('tea.example.com', '/')).status, 200)
    await live(merchants.bloom, 'removeAdminHost', { path: { host: 'h0.example.com' }, body: {} })
    assert.equal((await ask('h0.example.com', '/')).status, 404)
    const [{ id: removal }] = (await live(merchants.bloom, 'listAdminChanges')).data
    await live(merchants.bloom, 'undoAdminChange', { path: { changeId: removal }, body: {} })
    assert.equal((await hostOf(merchants.bloom, 'h0.example.com')).isProved, false, 'it is looked for again')
    await live(merchants.bloom, 'removeAdminHost', { path: { host: 'h0.example.com' }, body: {} })
  })

  test('no page of the server is served at the host of a shop, with any method, and none at an unknown host', async () => {
    const paths = [
      ...[
        '/admin',
        '/admin/bloom/home',
        '/admin/bloom/test/store',
        '/docs',
        '/docs/admin',
        '/openapi.json',
        '/metrics',
      ],
      ...['/api/v1/admin/shop', '/api/v1/open/site', '/api/v1/catalog/merchants/rival/site', '/oauth/authorize'],
      ...[
        '/shops/rival',
        '/shop',
        '/test/shops/rival',
        '/test/shop',
        '/shops/rival/products/red-roses',
        '/hosts/allowed?domain=tea.example.com',
      ],
      ...['/.well-known/oauth-authorization-server', '/readyz', '/healthz'],
      ...[`/media/${merchants.rival}/${'0'.repeat(32)}-1.png`, `/c/${'x'.repeat(43)}`, `/o/${'x'.repeat(43)}`, '/r/x'],
      ...['//server.example.com/admin', '/%2e%2e/admin', '/..%2fadmin', '/products/../admin', '/\\admin'],
    ]
    for (const host of [
      'tea.example.com',
      'TEA.example.com.',
      'tea.example.com:8443',
      'unknown.example.com',
      'h0.example.com',
    ])
      for (const path of paths) {
        const reply = await ask(host, path)
        assert.ok([404, 400].includes(reply.status), `${host} ${path} ${reply.status}`)
        assert.doesNotMatch(
          reply.text,
          /Cartwright dashboard|server\.example\.com|coffee\.example\.com/i,
          `${host} ${path}`,
        )
      }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])
      assert.ok([404, 405].includes((await ask('tea.example.com', '/api/v1/admin/shop', { method })).status), method)
    assert.equal((await ask('server.example.com', '/admin')).status, 303)
  })

  test('only the Host header counts: forwarding headers are ignored, and unknown hosts are refused', async () => {
    const forwarded = { 'x-forwarded-host': 'tea.example.com', forwarded: 'host=tea.example.com' }
    assert.equal((await ask('unknown.example.com', '/', { headers: forwarded })).status, 404)
    const coffee = await ask('coffee.example.com', '/', { headers: forwarded })
    assert.match(coffee.text, /https:\/\/coffee\.example\.com\//)
    assert.doesNotMatch(coffee.text, /tea\.example\.com/)
    const admin = await ask('tea.example.com', '/admin', { headers: { 'x-forwarded-host': 'server.example.com' } })
    assert.equal(admin.status, 404)
    for (const host of [
      'tea.example.com@server.example.com',
      'tea.example.com/admin',
      'tea.example.com\\x',
      'a,tea.example.com',
    ])
      assert.ok([400, 404].includes((await ask(host, '/')).status), host)
    const [{ status }] = [
      await ask('tea.example.com', '/cart/add', {
        ...{ method: 'POST', form: { sku: 'x' }, headers: { origin: 'https://coffee.example.com' } },
      }),
    ]
    assert.equal(status, 403, 'a form of another shop')
  })

  test('a proxy is allowed to get certificates only for verified hosts of shops', async () => {
    const allowed = (domain: string) =>
      ask('127.0.0.1', `/hosts/allowed?domain=${encodeURIComponent(domain)}`).then(({ status }) => status)
    assert.equal(await allowed('tea.example.com'), 200)
    for (const domain of [
      '',
      'unknown.example.com',
      'server.example.com',
      'h0.example.com',
      "tea.example.com'--",
      'TEA',
      '*.example.com',
    ])
      assert.equal(await allowed(domain), 404, domain)
  })

  // What a shop links to: its pages, its maps for search engines and its feeds, from the first on.
  async function linkedFrom(host: string, paths: Iterable<string>, headers: Record<string, string>) {
    const found = new Map<string, Reply>()
    const open = [...paths]
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (found.has(path)) continue
      const reply = await ask(host, path, { headers })
      found.set(path, reply)
      const said = `${reply.text.replaceAll('&amp;', '&').replaceAll('&#38;', '&')} "${reply.headers.location ?? ''}"`
      for (const [, link = ''] of said.matchAll(/["'>\s]((?:https?:\/\/[^/\s"'<]+)?\/[^\s"'<>\\,{}]*)/g)) {
        const { origin, pathname, search } = URL.parse(link, `https://${host}`) ?? { origin: '' }
        if (origin === `https://${host}`) open.push(`${pathname}${search}`)
      }
    }
    return found
  }

  // Every route of the server, with what this shop has there.
  function routed(values: Readonly<Record<string, string>>): string[] {
    const patterns = testServer.app.server.routes.flatMap(({ pattern, name }) => {
      const paths = [pattern]
      if (name.startsWith('storefront') || /sitemap|robots|feed/.test(name))
        paths.push(pattern.replace('/shops/:slug', '') || '/')
      return paths
    })
    return [...new Set(patterns)].map((pattern) =>
      pattern.replace(/:(\w+)|\*/g, (part, name) => {
        const isOrder = pattern.startsWith('/o/')
        return values[isOrder && name === 'secret' ? 'orderSecret' : (name ?? part)] ?? 'x'
      }),
    )
  }

  // By names and routes, which are the same on either engine.
  if (isOnce(given))
    test('nothing of one shop is served at the host of another, for all routes and links', async () => {
      const { data: picture } = await live(merchants.bloom, 'uploadAdminPicture', { body: { content: pixel } })
      const orders = await ordersOf(testServer)
      const placed = await orders.place({ items: { 'ROSE-12': 1 }, isSent: false })
      await live(merchants.bloom, 'createAdminRedirect', { body: { from: '/old-bloom', to: '/products/red-roses' } })
      const product = await ask('tea.example.com', '/products/red-roses')
      const sku = /name="sku" value="([^"]+)"/.exec(product.text)?.[1] ?? ''
      const added = await ask('tea.example.com', '/cart/add', {
        ...{ method: 'POST', form: { sku, quantity: '1', once: crypto.randomUUID() } },
      })
      const cookie = String(added.headers['set-cookie']).split(';')[0] ?? ''
      const checkout = await ask('tea.example.com', '/cart/checkout', {
        ...{ method: 'POST', headers: { cookie }, form: { version: '1', once: crypto.randomUUID() } },
      })
      const values = {
        ...{ shop: 'bloom', slug: 'bloom', merchant: 'bloom', kind: 'terms', '*': 'products/red-roses' },
        ...{ secret: String(checkout.headers.location).slice(3), orderSecret: placed.statusSecret },
        file: String(picture.url.split('/').at(-1)),
      }
      const paths = [...routed(values), `/media/${merchants.bloom}/${values.file}`, '/old-bloom', '/cart']
      const own = await linkedFrom('tea.example.com', paths, { cookie })
      const answered = [...own].filter(([, { status }]) => status === 200).map(([path]) => path)
      for (const path of ['/', '/sitemap/products.xml', '/feed.xml', '/cart', '/robots.txt', '/legal/bloom/terms'])
        assert.ok(answered.includes(path), path)
      for (const path of [
        `/c/${values.secret}`,
        `/o/${values.orderSecret}`,
        `/media/${merchants.bloom}/${values.file}`,
      ])
        assert.ok(answered.includes(path), path)
      // Of each kind of page that shops share, one is asked.
      const shared = testServer.app.server.routes.filter(({ isOfShop }) => isOfShop)
      assert.ok(shared.length > 10 && answered.length > 40, `${shared.length} routes, ${answered.length} answers`)

      const marks = new RegExp(['Bloom', 'Red roses', 'tea\\.example', merchants.bloom, values.secret].join('|'))
      const namingIt = [
        {
          'x-forwarded-host': 'tea.example.com',
          forwarded: 'host=tea.example.com;proto=https',
          'x-host': 'tea.example.com',
        },
        ...(isWide
          ? [
              { 'x-forwarded-host': 'coffee.example.com, tea.example.com' },
              { forwarded: 'for=1;host="tea.example.com"' },
              {},
            ]
          : []),
      ]
      const hosts = [
        'coffee.example.com',
        ...(isWide ? ['COFFEE.example.com.', 'coffee.example.com:8443', 'unknown.example.com'] : []),
      ]
      for (const host of hosts)
        for (const headers of namingIt)
          for (const path of own.keys()) {
            const reply = await ask(host, path, { headers: { ...headers, cookie } })
            const { 'x-request-id': _, ...said } = reply.headers
            const what = `${host} ${path} ${JSON.stringify(headers)} ${reply.status}`
            assert.doesNotMatch(reply.text.replaceAll(path, ''), marks, what)
            assert.doesNotMatch(JSON.stringify(said).replaceAll(path, ''), marks, what)
            assert.doesNotMatch(String(said['set-cookie'] ?? ''), /domain=|cart_/i, what)
            assert.doesNotMatch(`${reply.text} ${said.location ?? ''}`, /server\.example\.com/, what)
          }
      // At our own name the headers change nothing.
      for (const path of isWide ? own.keys() : ['/', '/shops/bloom/cart', '/shops/rival', '/sitemap.xml'])
        for (const headers of namingIt) {
          const [plain, named] = [
            await ask('server.example.com', path, { isHead: true }),
            await ask('server.example.com', path, { headers, isHead: true }),
          ]
          const leadsTo = ({ headers: { location } }: Reply) =>
            URL.parse(String(location ?? ''), 'https://server.example.com')?.origin
          assert.deepEqual([named.status, leadsTo(named)], [plain.status, leadsTo(plain)], path)
        }
    })

  test('a closed shop responds with 503 at its host and at its path', async () => {
    const { version: expectedVersion } = (await live(merchants.rival, 'getAdminSite')).data
    await live(merchants.rival, 'closeAdminSite', { body: { expectedVersion } })
    assert.equal((await ask('coffee.example.com', '/')).status, 503)
    // By its path the people of the shop see it.
    assert.equal((await ask('server.example.com', `/shops/${rival.merchant.slug}`)).status, 503)
  })
})
