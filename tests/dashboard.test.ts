// The dashboard on the whole server, without script: who comes in, for which shop, and what other sites can do. What holds for every
// screen is tested from the registry.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCategory, createProduct, createPromotion } from '../harness/admin/catalog.ts'
import { type DashboardUser, dashboardUserOf } from '../harness/dashboard.ts'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import { anyEngine } from '../harness/storage.ts'
import type { TestServer } from '../harness/testServer.ts'
import type { AdminOperationId } from '../src/contract/admin/operations.ts'
import { refusals } from '../src/contract/refusals.ts'
import { setSecondFactorRequired } from '../src/domain/users/members.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { screens } from '../src/web/dashboard/screens.ts'

anyEngine('the dashboard', (given) => {
  let opened: Promise<TestServer & { orders: Orders }> | undefined
  const open = () => {
    opened ??= openOrderTestServer(given.shared)
    return opened
  }

  const visit = (testServer: TestServer, path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(testServer.origin + path, { redirect: 'manual', headers: { 'accept-language': 'en-GB', ...headers } })

  const post = (testServer: TestServer, path: string, fields: Readonly<Record<string, string>>, headers = {}) =>
    fetch(testServer.origin + path, { redirect: 'manual', method: 'POST', body: new URLSearchParams(fields), headers })

  // Ids that never were.
  const filled = (path: string) => path.replaceAll(/:(\w+)/g, () => newId('ord'))

  test('a signed-out visitor is redirected to the sign-in, with the address of the page and its filters', async () => {
    const testServer = await open()
    const answer = await visit(testServer, '/admin/bloom/test/home?a=1')
    assert.equal(answer.status, 303)
    assert.equal(
      answer.headers.get('location'),
      `/admin/sign-in?next=${encodeURIComponent('/admin/bloom/test/home?a=1')}`,
    )
  })

  test('the sign-in returns to a page with its search of several words, without the search if it is too long, and to /admin if the address is too long or not in the dashboard', async () => {
    const testServer = await open()
    const { page } = await dashboardUserOf(testServer)
    const nextOf = async (path: string) => {
      const answer = await visit(testServer, path)
      await page.open(answer.headers.get('location') ?? '')
      assert.equal(page.status, 200, path)
      return page.field('next')?.value
    }
    const searched = ['q=blue+vase', "q=it's+(new)!*~", 'q=a%2Bb%20%26%23', `q=${'%E3%81%82'.repeat(90)}`]
    for (const search of searched) {
      const next = (await nextOf(`/admin/bloom/test/products?${search}`)) ?? ''
      assert.equal(next.split('?')[0], '/admin/bloom/test/products')
      const [sent, found] = [search, next.split('?')[1]].map((text) => new URLSearchParams(text).get('q'))
      assert.equal(found, sent)
    }
    for (const length of [2_000, 6_000, 15_000])
      for (const letter of ['a', '%C3%A4'])
        assert.equal(
          await nextOf(`/admin/bloom/test/products?q=${letter.repeat(length / letter.length)}`),
          '/admin/bloom/test/products',
        )
    assert.equal(await nextOf(`/admin/bloom/test/${'a'.repeat(2_000)}`), '/admin')
    for (const evil of ['//evil.example', 'https://evil.example', '/admin\\evil', '/adminevil', '/admin/\r\nx: y']) {
      await page.open(`/admin/sign-in?next=${encodeURIComponent(evil)}`)
      assert.equal(page.field('next')?.value, '/admin', evil)
    }
  })

  test('a person with one shop is redirected to its home, in test mode until live payments are possible', async () => {
    const testServer = await open()
    const { page } = await dashboardUserOf(testServer)
    await page.open('/admin')
    assert.deepEqual([page.status, page.path, page.heading()], [200, '/admin/bloom/test/home', 'Home'])
    assert.match(page.text(), /Test mode\./)
    await page.open('/admin/bloom/home')
    assert.doesNotMatch(page.text(), /Test mode\./)
  })

  test('the page is not cached, has no inline script or style, and may be prefetched', async () => {
    const testServer = await open()
    const dashboardUser = await dashboardUserOf(testServer)
    const answer = await visit(testServer, dashboardUser.path('home'), dashboardUser.headers)
    const policy = answer.headers.get('content-security-policy') ?? ''
    assert.match(
      policy,
      /^default-src 'none'; style-src 'self';.* script-src 'self'; connect-src 'self';.* form-action 'self'/,
    )
    assert.equal(answer.headers.get('cache-control'), 'no-store')
    const text = await answer.text()
    assert.doesNotMatch(text, /\sstyle=|<style|<script(?! src=)|\son\w+=|javascript:/)
    const rules = answer.headers.get('speculation-rules') ?? ''
    const served = await visit(testServer, JSON.parse(rules))
    assert.equal(served.headers.get('content-type'), 'application/speculationrules+json')
    assert.ok(JSON.parse(await served.text()).prefetch)
    for (const [, href = ''] of text.matchAll(/(?:src|rel="stylesheet" href)="(\/admin\/[^"]+)"/g)) {
      const asset = await visit(testServer, href)
      assert.deepEqual(
        [asset.status, asset.headers.get('cache-control')],
        [200, 'public, max-age=31536000, immutable'],
        href,
      )
    }
  })

  test('the session cookie gives no access to the API', async () => {
    const testServer = await open()
    const dashboardUser = await dashboardUserOf(testServer)
    const answer = await visit(testServer, '/api/v1/admin/home', dashboardUser.headers)
    assert.equal(answer.status, 401)
  })

  test('another merchant’s shop gets the same response as one that does not exist', async () => {
    const testServer = await open()
    const dashboardUser = await dashboardUserOf(testServer)
    const [other, none] = await Promise.all(
      ['/admin/rival/test/home', '/admin/nothing/test/home'].map(async (path) => {
        const answer = await visit(testServer, path, dashboardUser.headers)
        return { status: answer.status, text: await answer.text() }
      }),
    )
    assert.equal(other?.status, 404)
    assert.deepEqual(other, none)
    for (const path of [
      '/admin/rival',
      '/admin/rival/nothing',
      '/admin/bloom/nothing',
      '/admin/bloom/test/nothing/at/all',
    ]) {
      const answer = await visit(testServer, path, dashboardUser.headers)
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [404, 'text/html; charset=utf-8'], path)
    }
  })

  test('a shop that requires a second factor is closed to a person who signed in without one', async () => {
    const testServer = await open()
    const dashboardUser = await dashboardUserOf(testServer)
    await testServer.storage.write((tx) => setSecondFactorRequired(tx, testServer.merchantId, true))
    const answer = await visit(testServer, dashboardUser.path('home'), dashboardUser.headers)
    await dashboardUser.page.open('/admin')
    await testServer.storage.write((tx) => setSecondFactorRequired(tx, testServer.merchantId, false))
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, dashboardUser.path('account')])
    assert.match(dashboardUser.page.text(), /Set up a second factor/)
  })

  test('no form of any screen is accepted from another origin or without an origin', async () => {
    const testServer = await open()
    const dashboardUser = await dashboardUserOf(testServer)
    for (const { path, post: takes } of screens) {
      if (!takes) continue
      for (const headers of [
        { cookie: dashboardUser.headers.cookie, origin: 'https://evil.example' },
        { cookie: dashboardUser.headers.cookie },
        { ...dashboardUser.headers, 'sec-fetch-site': 'same-site' },
      ]) {
        const answer = await post(testServer, dashboardUser.path(filled(path)), { order: newId('ord') }, headers)
        assert.equal(answer.status, 403, path)
        assert.match(await answer.text(), /came from another site/)
      }
    }
  })

  test('a screen that refuses a person names the permission that is missing', async () => {
    const testServer = await open()
    const viewer = await dashboardUserOf(testServer, { role: 'viewer' })
    for (const screen of screens) {
      const path = viewer.path(filled(screen.path))
      const answer = screen.get
        ? await visit(testServer, path, viewer.headers)
        : await post(testServer, path, { order: newId('ord'), change: newId('chg') }, viewer.headers)
      const text = await answer.text()
      if (answer.status === 403) assert.match(text, /Your role does not include this: (?!admin:)[A-Z]/, screen.path)
      else assert.ok([200, 303, 404].includes(answer.status), `${screen.path} ${answer.status}`)
    }
  })

  test('Home counts orders to send, shows the sales of thirty days, and marks the first steps as done by itself', async () => {
    const testServer = await open()
    const { page, path } = await dashboardUserOf(testServer)
    await page.open(path('home'))
    assert.match(page.text(), /Set up your shop/)
    assert.match(page.text(), /Products Done/)
    assert.match(page.text(), /Place a test order In test mode/)
    await testServer.orders.place({ items: { CARD: 1 } })
    await page.open(path('home'))
    assert.match(page.text(), /1 To send/)
    assert.match(page.text(), /Place a test order Done/)
    assert.match(page.text(), /Sales of the last 30 days/)
    assert.match(page.text(), /Show as a table/)
  })

  test('a form that is sent after the session ended keeps typed values, and is saved once after the sign-in', async () => {
    const testServer = await open()
    const { page, path, userId } = await dashboardUserOf(testServer)
    const until = (at: number) =>
      testServer.storage.write((tx) => tx.sql`update user_sessions set expires_at = ${at} where user_id = ${userId}`)
    await page.open(path('products/new'))
    const text = 'Line one\n<b>"two"</b> & \'three\''
    await until(testServer.clock.now)
    await page.press('Save', { name: 'Fern', description: text, 'sku.0.code': 'FERN', 'sku.0.price': '9.00' })
    assert.deepEqual([page.status, page.heading()], [403, 'Your session has ended'])
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const way = page.links().get('Sign in in a new tab') ?? ''
    assert.equal(new URLSearchParams(way.split('?')[1]).get('next'), path('products/new'))
    await page.press('Send again')
    assert.equal(page.heading(), 'Your session has ended', 'as often as it takes')
    await until(testServer.clock.now + 3_600_000)
    await page.press('Send again')
    assert.equal(page.status, 200)
    const { data } = (await testServer.askAdmin('listAdminProducts', { query: '?q=fern' })).body
    const found = await testServer.askAdmin('getAdminProduct', { path: { productId: data[0].id } })
    assert.deepEqual([data.length, found.body.data.product.description], [1, text])

    // A file has to be chosen again; what was typed beside it is kept.
    const { id: productId } = data[0]
    await page.open(path(`products/${productId}/picture`))
    const sent = new FormData()
    for (const [name, value] of Object.entries({ key: page.field('key')?.value ?? '', alt: 'A "fern" & more' }))
      sent.set(name, value)
    sent.set('file', new Blob([Buffer.alloc(300_000, '\r\n--x')]), 'fern.webp')
    sent.set('after', 'the file')
    await until(testServer.clock.now)
    const send = (origin: string) =>
      fetch(testServer.origin + path(`products/${productId}/picture`), {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie: 'staff_session=x', origin, 'sec-fetch-site': 'same-origin' },
        body: sent,
      })
    const held = await send(testServer.origin)
    const shown = await held.text()
    assert.equal(held.status, 403)
    assert.match(shown, /Your session ended before the file was taken\./)
    assert.match(
      shown,
      /enctype="multipart\/form-data".*name="key" value="[\w-]+".*name="alt" value="A &quot;fern&quot; &amp; more".*name="after"/s,
    )
    assert.match(shown, /<input id="field-file" type="file" name="file" required>/)
    assert.ok(shown.length < 20_000)
    assert.equal((await send('https://evil.example')).status, 303)
    sent.set('alt', 'word '.repeat(10_000))
    assert.ok((await (await send(testServer.origin)).text()).includes(`value="${'word '.repeat(10_000)}"`))

    // What is too large to be held is said to be, and is not silently dropped.
    const form = { headers: { cookie: 'staff_session=x' }, large: { name: 'x'.repeat(70_000) } }
    const large = await post(testServer, path('discounts/new'), form.large, {
      ...form.headers,
      origin: testServer.origin,
    })
    assert.equal(large.status, 413)
    assert.match(
      await large.text(),
      /Your session has ended[\s\S]*too large to be kept here[\s\S]*Sign in in a new tab/,
    )
    const other = await post(testServer, path('discounts/new'), form.large, {
      ...form.headers,
      origin: 'https://evil.example',
    })
    assert.equal(other.status, 303)

    // What another site sent is not held, and nothing of it is shown.
    const headers = { cookie: 'staff_session=x', origin: 'https://evil.example' }
    const foreign = await post(testServer, path('products/new'), { name: 'Evil' }, headers)
    assert.deepEqual([foreign.status, (await foreign.text()).includes('Evil')], [303, false])
  })

  test('a form is refused if the person’s role was lowered, or the person was removed, after it was opened', async () => {
    const testServer = await open()
    const [owner, other] = [await dashboardUserOf(testServer), await dashboardUserOf(testServer)]
    const { page, path, userId } = other
    await page.open(path('products/new'))
    await owner.page.open(path(`settings/people/${userId}/role`))
    await owner.page.press('Save', { role: 'viewer' })
    await page.press('Save', { name: 'Moss', 'sku.0.code': 'MOSS', 'sku.0.price': '9.00' })
    assert.equal(page.status, 403)
    assert.match(page.text(), /does not include this: Change products, stock, pictures, discounts\./)
    await page.open(path(`settings/people/${owner.userId}/remove`))
    assert.equal(page.status, 403)
    // Two owners remove each other: the one who is later is signed out, and removes nobody.
    const first = await dashboardUserOf(testServer)
    await first.page.open(path(`settings/people/${owner.userId}/remove`))
    await owner.page.open(path(`settings/people/${first.userId}/remove`))
    await first.page.press('Remove')
    await owner.page.press('Remove')
    assert.equal(owner.page.heading(), 'Your session has ended')
    const { data } = (await testServer.askAdmin('listAdminMembers')).body
    const ids = data.map(({ id }: { id: string }) => id)
    assert.deepEqual([ids.includes(first.userId), ids.includes(owner.userId)], [true, false])
    assert.equal((await testServer.askAdmin('listAdminProducts', { query: '?q=moss' })).body.data.length, 0)
  })

  test('undoing an unknown change gets 404, and a form that is too large 400', async () => {
    const testServer = await open()
    const dashboardUser = await dashboardUserOf(testServer)
    const lost = await post(
      testServer,
      dashboardUser.path('undo'),
      { change: newId('chg'), key: newId('req') },
      dashboardUser.headers,
    )
    assert.equal(lost.status, refusals.change_not_found.status)
    const large = await post(
      testServer,
      dashboardUser.path('undo'),
      { change: 'x'.repeat(70_000) },
      dashboardUser.headers,
    )
    assert.equal(large.status, 400)
    assert.equal(large.headers.get('content-type'), 'text/html; charset=utf-8')
  })

  test('U+0000 is refused in every path, filter and public form, is removed from fields of the dashboard, and causes no server error', async () => {
    const testServer = await open()
    const dashboardUser = await dashboardUserOf(testServer)
    const filters = ['q', 'subject', 'actor', 'operation', 'cursor', 'from', 'category', 'product', 'done']
    for (const screen of screens) {
      const path = dashboardUser.path(filled(screen.path))
      const asked = screen.get ? [`${path}?${filters.map((name) => `${name}=%00`).join('&')}`] : []
      if (screen.path.includes(':')) asked.push(dashboardUser.path(screen.path.replaceAll(/:\w+/g, '%00')))
      for (const address of asked)
        assert.equal((await visit(testServer, address, dashboardUser.headers)).status, 400, `${screen.path} ${address}`)
      if (!screen.post) continue
      const sent = await post(testServer, path, { key: newId('req'), name: 'a\0', change: '\0' }, dashboardUser.headers)
      assert.ok(sent.status < 500, screen.path)
      assert.doesNotMatch(sent.headers.get('content-type') ?? '', /json/, screen.path)
      if (screen.filesBytesMax === undefined) continue
      const fields = new FormData()
      fields.set('text', 'a\0')
      const init = { method: 'POST', body: fields, headers: dashboardUser.headers }
      assert.ok((await fetch(testServer.origin + path, init)).status < 500, screen.path)
    }
    const typed = { key: newId('req'), name: 'Without\0 zero', position: 'first', description: 'Kept\0.' }
    const again = await (
      await post(testServer, dashboardUser.path('categories/new'), typed, dashboardUser.headers)
    ).text()
    assert.match(again, /value="Without zero"/)
    assert.match(again, />Kept\.</)
    const others = ['/admin', '/admin/sign-in', '/admin/account', '/c/x', '/o/x', '/oauth/authorize', '/']
    for (const path of others)
      assert.equal((await visit(testServer, `${path}?next=%00`, dashboardUser.headers)).status, 400, path)
    for (const path of ['/c/%00', '/admin/resets/%00', '/admin/invitations/%00', '/media/bloom/%00'])
      assert.equal((await visit(testServer, path)).status, 400, path)
    const forms = ['/admin/sign-in', '/admin/forgotten', '/admin/passkeys/options', '/oauth/token']
    for (const path of forms) {
      const sent = await post(testServer, path, { email: 'a\0', for: '\0', name: '\0' }, dashboardUser.headers)
      assert.equal(sent.status, 400, path)
    }
    assert.deepEqual(
      testServer.lines().filter(({ message }) => message === 'defect'),
      [],
    )
  })

  test('texts of merchants and shoppers are shown as text, not as markup, on every screen and printed page', async () => {
    const testServer = await open()
    const dashboardUser = await dashboardUserOf(testServer)
    const evil = `"'><img src=x onerror=alert(1)><script>alert(1)</script>`
    const keyed = (body: object) => ({ body: { ...body, idempotencyKey: newId('req') } })
    const made = async (id: AdminOperationId, options: object) => {
      const answer = await testServer.askAdmin(id, options)
      assert.equal(answer.status, 200, answer.text)
      return answer.body.data
    }
    const { category, id: categoryId } = await createCategory(testServer, { name: evil, description: evil })
    const product = await createProduct(testServer, {
      ...{ name: evil, summary: evil, description: evil, tags: [evil.slice(0, 40)], categories: [category.slug] },
      metadata: { vendor: evil },
      images: [{ url: 'https://pictures.example/"onerror=alert(1)', alt: evil }],
      options: [{ name: evil, values: [evil] }],
      skus: [{ code: newId('sku'), name: evil, price: 100, options: { [evil]: evil } }],
    })
    const { id: promotionId } = await createPromotion(testServer, { name: evil })
    const order = await testServer.orders.place({ items: { CARD: 1 } })
    const path = { orderId: order.orderId }
    await made('addAdminOrderNote', { path, ...keyed({ text: evil }) })
    await made('fulfilAdminOrder', {
      path,
      ...keyed({ carrier: evil, trackingNumber: evil, trackingUrl: `https://x/${'"onclick=alert(1)'}` }),
    })
    const { version } = (await testServer.askAdmin('getAdminShop')).body.data
    await made('updateAdminShop', keyed({ expectedVersion: version, name: evil }))
    const { id: installationId } = await made('createAdminInstallation', keyed({ name: evil }))
    await made(
      'createAdminWebhookEndpoint',
      keyed({ installationId, url: 'https://hooks.example/"onclick=alert(1)', description: evil }),
    )
    await made('createAdminTransfer', keyed({ kind: 'products', name: evil, pieces: 1 }))
    const ids = { categoryId, productId: product.id, promotionId, orderId: order.orderId, installationId }
    let seen = 0
    for (const screen of screens.filter(({ get }) => get)) {
      const address = dashboardUser.path(
        screen.path.replaceAll(/:(\w+)/g, (_, name) => ids[name as 'orderId'] ?? newId('ord')),
      )
      const page = await visit(
        testServer,
        `${address}?q=${encodeURIComponent(evil)}&order=${order.orderId}&product=${product.id}`,
        dashboardUser.headers,
      )
      const text = await page.text()
      assert.ok(page.status < 500, `${screen.path} ${page.status}`)
      if (!page.headers.get('content-type')?.startsWith('text/html')) continue
      assert.doesNotMatch(text, /<img src=x|<script>alert|"on(?:error|click)=|href="javascript:/i, screen.path)
      if (text.includes('&lt;img src=x')) seen += 1
    }
    assert.ok(seen >= 12, `${seen} screens show such a text`)
    await made('updateAdminShop', keyed({ expectedVersion: version + 1, name: 'Bloom' }))
  })

  test('the dashboard is in German if the browser prefers German', async () => {
    const testServer = await open()
    const dashboardUser: DashboardUser = await dashboardUserOf(testServer)
    const answer = await visit(testServer, dashboardUser.path('home'), {
      ...dashboardUser.headers,
      'accept-language': 'de-AT',
    })
    const text = await answer.text()
    assert.match(text, /<html lang="de-AT" dir="ltr">/)
    assert.match(text, /Zu versenden/)
  })
})
