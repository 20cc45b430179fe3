// Developers in the dashboard, without script: keys and secrets that are shown once, webhooks and their calls, apps, the list of
// changes.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { failedDelivery } from '../harness/admin/developers.ts'
import type { AdminTestServer } from '../harness/admin/world.ts'
import { type DashboardUser, dashboardUserOf } from '../harness/dashboard.ts'
import { openOrderTestServer } from '../harness/orders.ts'
import { scriptless } from '../harness/scriptless.ts'
import { eachEngine } from '../harness/storage.ts'
import { scopesOfRole } from '../src/domain/users/roles.ts'
import { confirmedMs } from '../src/domain/users/sessions.ts'
import { insertEntry } from '../src/platform/audit/store.ts'
import { personCaller } from '../src/platform/http/admin.ts'
import { newId } from '../src/platform/kit/ids.ts'

eachEngine('the developer pages of the dashboard', (given) => {
  let testServer: AdminTestServer
  let dashboardUser: DashboardUser
  before(async () => {
    testServer = await openOrderTestServer(given)
    dashboardUser = await dashboardUserOf(testServer)
  })

  const secretIn = (html: string) => html.match(/id="secret"[^>]*value="([^"]+)"/)?.[1]

  test('a key is shown once in the response to the form, works, and is rotated and revoked', async () => {
    const { page, path } = dashboardUser
    await page.open(path('developers/keys/new'))
    await page.press('Create key', { name: 'Till', lifetime: '90' })
    assert.equal(page.status, 200)
    assert.equal(page.path, path('developers/keys/new'))
    assert.equal(page.headers.get('cache-control'), 'no-store')
    const key = secretIn(page.html) ?? ''
    const works = async (one: string) =>
      (await testServer.ask('getInstallationCredentialIdentity', { key: one })).status
    assert.equal(await works(key), 200)

    await page.open(path('developers/keys'))
    assert.ok(!page.html.includes(key), 'the list has only its beginning and end')
    assert.match(page.text(), /Till cwk_test_\S+…\S{4}/)
    await page.open([...page.links()].find(([name]) => name.startsWith('Rotate Till'))?.[1] ?? '')
    await page.press('Rotate', { overlapHours: '0' })
    const next = secretIn(page.html) ?? ''
    assert.deepEqual([await works(key), await works(next)], [401, 200])

    await page.open(path('developers/keys'))
    await page.open([...page.links()].find(([name]) => name.startsWith('Revoke Till'))?.[1] ?? '')
    await page.press('Revoke')
    assert.match(page.text(), /Key revoked\./)
    assert.equal(await works(next), 401)
    const { body } = await testServer.askAdmin('listAdminChanges')
    assert.ok(!JSON.stringify(body).includes(next))
  })

  test('a form for a key without a name or scope is shown again with what was typed', async () => {
    const { page, path } = dashboardUser
    await page.open(path('developers/keys/new'))
    await page.press('Create key', { name: '   ', lifetime: '30' })
    assert.equal(page.status, 400)
    assert.equal(page.field('name')?.isInvalid, true)
    assert.equal(page.field('lifetime')?.value, '30')
    const form = new URLSearchParams({ name: 'None', installationId: 'x' })
    const answer = await fetch(testServer.origin + path('developers/keys/new'), {
      method: 'POST',
      body: form,
      headers: dashboardUser.headers,
    })
    assert.equal(answer.status, 400)
    assert.match(await answer.text(), /Choose at least one scope/)
  })

  test('a publishable key is created with one origin per line', async () => {
    const { page, path } = dashboardUser
    await page.open(path('developers/keys/new'))
    const typed = {
      name: 'Static shop',
      kind: 'publishable',
      origins: 'https://shop.example\nhttps://shop.example/cart',
    }
    await page.press('Create key', typed)
    assert.equal(page.status, 400)
    assert.deepEqual([page.field('origins')?.isInvalid, page.field('origins')?.value], [true, typed.origins])
    await page.press('Create key', { origins: 'https://shop.example\nhttp://localhost:3000' })
    const key = secretIn(page.html) ?? ''
    assert.match(key, /^cwp_test_/)
    assert.match(page.text(), /put it into your pages/)
    const sold = await testServer.ask('listApiKeyCatalogProducts', {
      key,
      headers: { origin: 'http://localhost:3000' },
    })
    assert.equal(sold.status, 200)
    await page.open(path('developers/keys'))
    assert.match(page.text(), /Static shop cwp_test_\S+…\S{4}/)
  })

  test('changing keys requires the password again ten minutes after it was entered', async () => {
    const other = await dashboardUserOf(testServer)
    testServer.clock.now += confirmedMs
    const { page, path } = other
    const answer = await fetch(testServer.origin + path('developers/keys/new'), {
      redirect: 'manual',
      headers: other.headers,
    })
    assert.equal(answer.status, 303)
    assert.match(answer.headers.get('location') ?? '', /^\/admin\/confirm\?next=/)
    const confirmed = (at: number) =>
      testServer.storage.write(
        (tx) => tx.sql`update user_sessions set confirmed_at = ${at} where user_id = ${other.userId}`,
      )
    await confirmed(testServer.clock.now)
    await page.open(path('developers/keys/new'))
    await confirmed(testServer.clock.now - confirmedMs)
    await page.press('Create key', { name: 'Late', lifetime: '30' })
    assert.deepEqual([page.status, page.heading()], [403, 'Confirm that it is you'])
    assert.match(page.links().get('Confirm in a new tab') ?? '', /^\/admin\/confirm\?next=/)
    await confirmed(testServer.clock.now)
    await page.press('Send again')
    assert.match(secretIn(page.html) ?? '', /^cwk_test_/)
    dashboardUser = await dashboardUserOf(testServer)
  })

  test('an endpoint that a key created shows that it ends with the key, until a person saves it', async () => {
    const { page, path } = dashboardUser
    const [{ id: installationId }] = (await testServer.askAdmin('listAdminInstallations')).body.data
    const { body } = await testServer.askAdmin('createAdminWebhookEndpoint', {
      body: { installationId, url: 'https://hooks.example.com/key', idempotencyKey: newId('req') },
    })
    const at = path(`developers/webhooks/${body.data.endpoint.id}`)
    await page.open(at)
    assert.match(page.text(), /Ends with The key admin/)
    await page.open(`${at}/edit`)
    await page.press('Save')
    await page.open(at)
    assert.doesNotMatch(page.text(), /Ends with/)
    await page.open(`${at}/remove`)
    await page.press('Remove')
  })

  test('an endpoint is added with its secret shown once, edited, tested, paused and removed', async () => {
    const { page, path } = dashboardUser
    await page.open(path('developers/webhooks/new'))
    await page.press('Add endpoint', { url: 'ftp://nowhere', events: 'order.paid, nonsense!' })
    assert.equal(page.status, 400)
    assert.equal(page.field('events')?.value, 'order.paid, nonsense!')
    await page.press('Add endpoint', { url: 'https://hooks.example.com/a', events: 'order.*\norder.*' })
    const secret = secretIn(page.html) ?? ''
    assert.match(secret, /^whsec_/)
    await page.open(page.links().get('I have stored it') ?? '')
    assert.ok(!page.html.includes(secret))
    assert.match(page.text(), /Not called yet/)
    assert.match(page.text(), /order\.\*/)
    const at = page.path

    await page.press('Send test')
    assert.match(page.text(), /Test call on its way/)
    assert.match(page.text(), /webhook\.ping Waiting/)
    await page.press('Pause')
    assert.match(page.text(), /Paused\. Events wait/)
    await page.press('Resume')
    // Two tabs: each sends what was changed in it.
    const other = scriptless(testServer.origin, dashboardUser.headers)
    await other.open(`${at}/edit`)
    await page.open(`${at}/edit`)
    await page.press('Save', { description: 'Warehouse' })
    assert.match(page.text(), /Saved\..*Warehouse/s)
    await other.press('Save', { events: 'nonsense!' })
    assert.equal(other.status, 400)
    await other.press('Save', { events: 'order.paid\nproduct.*' })
    assert.match(other.text(), /Saved\..*Warehouse/s)
    assert.match(other.text(), /order\.paid.*product\.\*/s)
    await page.open(`${at}/secret`)
    await page.press('Rotate secret')
    assert.match(secretIn(page.html) ?? '', /^whsec_/)
    assert.notEqual(secretIn(page.html), secret)
    await page.open(`${at}/remove`)
    await page.press('Remove')
    assert.match(page.text(), /Endpoint removed/)
    await page.open(at)
    assert.equal(page.status, 404)
  })

  test('failed deliveries are sent again one by one or all together, each only once', async () => {
    const { page, path } = dashboardUser
    const [one, two] = [await failedDelivery(testServer), await failedDelivery(testServer)]
    const replaysOf = async ({ deliveryId }: { deliveryId: string }) =>
      (
        await testServer.storage.read(
          (db) => db.sql<{ id: string }>`select id from webhook_deliveries where replay_of = ${deliveryId}`,
        )
      ).length
    await page.open(path(`developers/deliveries/${one.deliveryId}`))
    assert.match(page.text(), /Failed/)
    await page.press('Send again')
    assert.match(page.text(), /1 delivery is sent again/)
    await page.open(path('developers/deliveries?status=failed'))
    const form = { all: 'failed', endpoint: '', key: 'one-and-the-same', back: path('developers/deliveries') }
    const press = () =>
      fetch(testServer.origin + path('developers/replays'), {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(form),
        headers: dashboardUser.headers,
      })
    const answers = await Promise.all([press(), press()])
    for (const answer of answers) assert.match(answer.headers.get('location') ?? '', /done=replayed&n=1/)
    assert.deepEqual([await replaysOf(one), await replaysOf(two)], [1, 1])
    await page.press('Replay all failed')
    assert.match(page.text(), /No failed delivery is left/)
    assert.deepEqual([await replaysOf(one), await replaysOf(two)], [1, 1])
  })

  test('Home shows failing webhooks only to people with access to webhooks', async () => {
    const { endpointId } = await failedDelivery(testServer)
    await testServer.storage.write(
      (tx) => tx.sql`update webhook_endpoints set failing_since = ${testServer.clock.now} where id = ${endpointId}`,
    )
    const staff = await dashboardUserOf(testServer, { role: 'staff' })
    const tile = async ({ page, path }: DashboardUser) => {
      await page.open(path('home'))
      return [...page.links()].find(([name]) => name.endsWith('Failing webhooks'))
    }
    assert.deepEqual(await tile(dashboardUser), ['1 Failing webhooks', dashboardUser.path('developers')])
    assert.equal(await tile(staff), undefined)
  })

  test('an installation is created and ended', async () => {
    const { page, path } = dashboardUser
    await page.open(path('developers/apps/new'))
    await page.press('Create', { name: 'Pop-up', redirectHosts: 'https://no/path' })
    assert.equal(page.status, 400)
    assert.equal(page.field('redirectHosts')?.isInvalid, true)
    await page.press('Create', { redirectHosts: 'shop.example\nlocalhost:3000' })
    assert.match(page.text(), /Installation created.*Pop-up Your own/s)
    await page.open([...page.links()].find(([name]) => name.startsWith('End Pop-up'))?.[1] ?? '')
    await page.press('End')
    assert.match(page.text(), /Installation ended/)
  })

  test('a key for an assistant is created by one press, and the page shows the settings to paste', async () => {
    const { page, path } = dashboardUser
    await page.open(path('developers/assistants'))
    assert.ok(page.text().includes('Connect an assistant'), page.text())
    assert.ok(page.html.includes(`value="${testServer.origin}/api/v1/admin/mcp"`))
    await page.open(page.links().get('Create key for an assistant') ?? '')
    await page.press('Create key', { rights: 'work' })
    const [, secret = ''] = /"Authorization": "Bearer (cwk_test_[^"]+)"/.exec(page.html.replaceAll('&quot;', '"')) ?? []
    const tools = await testServer.fetch('/api/v1/admin/mcp', {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    const names = tools.body.result.tools.map(({ name }: { name: string }) => name)
    assert.ok(names.includes('update_products') && !names.includes('update_shop'))
    const keys = async () => (await testServer.askAdmin('listAdminKeys')).body.data
    const [{ installation }] = await keys()
    await page.open(path('developers/assistants/key'))
    await page.press('Create key', { rights: 'read', installationId: installation.id })
    const [second] = await keys()
    assert.deepEqual([second.installation, second.scopes], [installation, ['admin:read']])
    // One that is not chosen is not used, whatever its name is.
    await page.open(path('developers/assistants/key'))
    await page.press('Create key', { rights: 'read' })
    const [third] = await keys()
    assert.deepEqual([third.installation.name, installation.name], ['Assistants (test) 2', 'Assistants (test)'])
  })

  test('the list of changes shows who changed which value, the old and the new value, and a link to an undo with a preview', async () => {
    const { page, path } = dashboardUser
    const { body } = await testServer.askAdmin('getAdminShop')
    const changed = await testServer.askAdmin('updateAdminShop', {
      body: { expectedVersion: body.data.version, lowStockAt: 7, idempotencyKey: 'low-stock-seven' },
    })
    assert.equal(changed.status, 200)
    await page.open(path('settings/changes'))
    assert.match(page.text(), /changed the shop/)
    assert.match(page.text(), /Low stock at \d+ → to 7/)
    const undo = page.links().get('Undo') ?? ''
    await page.open(undo)
    assert.match(page.text(), /Low stock at 7 → to \d+/)
    await page.press('Undo')
    assert.match(page.text(), /Change taken back\./)
    assert.match(page.text(), /owner\d+@bloom\.example took a change back/)
    const after = await testServer.askAdmin('getAdminShop')
    assert.equal(after.body.data.shop.lowStockAt, body.data.shop.lowStockAt)
  })

  test('all parts of a large change are listed on several pages', async () => {
    const { page, path } = dashboardUser
    const changes = Array.from({ length: 120 }, (_, index) => ({
      ...({ kind: 'change', what: 'product', id: `prd_bulk_${index}`, name: `Bulk ${index}.` } as const),
      members: [{ member: 'name', from: 'Old', to: 'New' }],
    }))
    const entry = {
      ...testServer.seller,
      requestId: null,
      undoes: null,
      at: testServer.clock.now,
      operation: 'updateAdminProducts',
    }
    const id = await testServer.storage.write(async (tx) =>
      insertEntry(tx, { ...entry, actor: { kind: 'operator', id: null }, changes }),
    )
    await page.open(path('settings/changes'))
    assert.doesNotMatch(page.text(), /Bulk 50\./)
    await page.open(page.links().get('See all 120 things') ?? '')
    assert.match(page.text(), /120 things changed\..*Bulk 0\..*Bulk 49\./s)
    await page.open(page.links().get('Next page') ?? '')
    await page.open(page.links().get('Next page') ?? '')
    assert.match(page.text(), /Bulk 100\..*Bulk 119\./s)
    assert.equal(page.links().get('Next page'), undefined)
    assert.equal(page.links().get('Bulk 119.'), path('settings/changes?subject=prd_bulk_119'))
    await page.open(path(`settings/changes/${id}/undo`))
    assert.match(page.text(), /Bulk 49\..*70 more things/s)
    await page.open(path(`settings/changes/${newId('chg')}`))
    assert.equal(page.status, 404)
  })

  test('owners see the names of all actors, other people only their own', async () => {
    const colleague = await dashboardUserOf(testServer, { role: 'staff' })
    const principal = personCaller({ ...testServer.seller, userId: colleague.userId, scopes: scopesOfRole.staff })
    const category = { slug: 'rain', name: 'For rainy days' }
    await testServer.app.admin.perform('createAdminCategory', {
      principal,
      body: { idempotencyKey: newId('req'), category },
    })
    await dashboardUser.page.open(dashboardUser.path('settings/changes'))
    assert.match(dashboardUser.page.text(), /staff\d+@bloom\.example added a category/)
    await colleague.page.open(colleague.path('settings/changes'))
    assert.match(colleague.page.text(), /staff\d+@bloom\.example added a category/)
    assert.match(colleague.page.text(), /Someone took a change back/)
    assert.doesNotMatch(colleague.page.text(), /owner\d+@/)
  })

  test('undoing a change of a payment method requires the password again, as the change itself does', async () => {
    const set = async (instructions: string) => {
      const { version } = (await testServer.askAdmin('getAdminShop')).body.data
      const body = { enabled: true, instructions, termDays: 10, expectedVersion: version, idempotencyKey: newId('req') }
      const answer = await testServer.askAdmin('updateAdminPaymentProvider', {
        path: { provider: 'bank_transfer' },
        body,
      })
      assert.equal(answer.status, 200, answer.text)
    }
    await set('IBAN ONE')
    await set('IBAN TWO')
    const change = (await testServer.askAdmin('listAdminChanges')).body.data[0].id
    const own = await dashboardUserOf(testServer)
    const undo = (id: string) =>
      fetch(`${testServer.origin}${own.path('undo')}`, {
        method: 'POST',
        redirect: 'manual',
        headers: own.headers,
        body: new URLSearchParams({ change: id, back: own.path('home'), key: newId('req') }),
      })
    testServer.clock.now += 3_600_000
    const { body: before } = await testServer.askAdmin('getAdminShop')
    const confirm = `/admin/confirm?next=${encodeURIComponent(own.path('settings/changes'))}`
    assert.equal((await undo(change)).headers.get('location'), confirm)
    assert.deepEqual((await testServer.askAdmin('getAdminShop')).body, before)
    // Other things are taken back without it.
    const changed = await testServer.askAdmin('updateAdminShop', {
      body: { expectedVersion: before.data.version, lowStockAt: 9, idempotencyKey: newId('req') },
    })
    assert.equal(changed.status, 200)
    const other = (await testServer.askAdmin('listAdminChanges')).body.data[0].id
    assert.equal((await undo(other)).headers.get('location'), `${own.path('home')}?done=undone`)
    await testServer.storage.write(
      (tx) => tx.sql`
      update user_sessions set confirmed_at = ${testServer.clock.now} where user_id = ${own.userId}`,
    )
    assert.equal((await undo(change)).headers.get('location'), `${own.path('home')}?done=undone`)
    assert.match((await testServer.askAdmin('getAdminShop')).text, /IBAN ONE/)
  })

  test('a viewer sees the list of changes in Settings, and no page of Developers', async () => {
    const viewer = await dashboardUserOf(testServer, { role: 'viewer' })
    await viewer.page.open(viewer.path('settings/changes'))
    assert.equal(viewer.page.status, 200)
    assert.ok(!viewer.page.links().has('Developers'))
    const names = [...viewer.page.links().keys()]
    assert.ok(!names.includes('API keys') && !names.includes('Undo'), names.join(', '))
    for (const path of [
      'developers',
      'developers/keys',
      'developers/webhooks/new',
      'developers/apps',
      'developers/deliveries',
    ]) {
      await viewer.page.open(viewer.path(path))
      assert.equal(viewer.page.status, 403, path)
    }
  })

  test('an agent platform gets a key, with which it opens a session, and the secret of its webhook', async () => {
    // The password was asked for a moment ago.
    const { page, path } = await dashboardUserOf(testServer)
    await page.open(path('settings/agents'))
    await page.press('Save', { level: 'browse' })
    assert.ok(page.html.includes(`value="${testServer.origin}/acp/bloom/test"`))
    await page.open(path('settings/agents/platforms'))
    await page.press('Approve', { profileUrl: 'https://platform.example' })
    await page.open(page.links().get('Keys and webhooks') ?? '')
    const [, platformId = ''] = /<option value="(plt_\w+)"/.exec(page.html) ?? []
    await page.press('Make a key', { keyFor: platformId })
    assert.equal(page.heading(), 'Key of platform.example')
    const session = await testServer.fetch('/acp/bloom/test/checkout_sessions', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secretIn(page.html)}`,
        'api-version': '2026-04-17',
        'content-type': 'application/json',
        'idempotency-key': 'one',
      },
      body: JSON.stringify({ line_items: [{ id: 'ROSE-12' }] }),
    })
    assert.equal(session.status, 201, session.text)
    await page.open(path('settings/agents/platforms/connect'))
    await page.press('Save and show the secret', { webhookFor: platformId, url: 'ftp://platform.example' })
    assert.equal(secretIn(page.html), undefined)
    await page.press('Save and show the secret', { webhookFor: platformId, url: 'https://platform.example/orders' })
    assert.match(secretIn(page.html) ?? '', /^whsec_/)
  })
})
