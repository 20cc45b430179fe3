// Settings and Reports in the dashboard, without script: every part is changed, refused with what was typed, and shown twice where
// two people wrote at once.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { AdminTestServer } from '../harness/admin/world.ts'
import { type DashboardUser, dashboardUserOf } from '../harness/dashboard.ts'
import { type Orders, openOrderTestServer } from '../harness/orders.ts'
import { eachEngine } from '../harness/storage.ts'
import { countSales } from '../src/domain/reports/count.ts'
import { setSecondFactorRequired } from '../src/domain/users/members.ts'

eachEngine('settings in the dashboard', (given) => {
  let testServer: AdminTestServer & { orders: Orders }
  let dashboardUser: DashboardUser
  before(async () => {
    testServer = await openOrderTestServer(given)
    dashboardUser = await dashboardUserOf(testServer)
  })

  const shop = async () => (await testServer.askAdmin('getAdminShop')).body.data
  const changeShop = async (body: object) => {
    const { version } = await shop()
    const answer = await testServer.askAdmin('updateAdminShop', {
      body: { ...body, expectedVersion: version, idempotencyKey: `other-${version}` },
    })
    assert.equal(answer.status, 200, answer.text)
  }

  test('shop settings are saved; an error is shown at its field, and typed values stay', async () => {
    const { page, path } = dashboardUser
    await page.open(path('settings'))
    assert.match(page.text(), /\{year\} is the year, .* \{number:6\} is the number/)
    await page.press('Save', { color: 'green', supportEmail: 'help@bloom.test', legalName: 'Bloom GmbH' })
    assert.equal(page.status, 400)
    assert.equal(page.field('color')?.isInvalid, true)
    assert.equal(page.field('legalName')?.value, 'Bloom GmbH')
    await page.press('Save', { color: '#2c4c3e', address: 'Am Markt 1\r\nBremen', terms: 'https://bloom.test/terms' })
    assert.match(page.text(), /Settings saved\./)
    const { shop: stored } = await shop()
    assert.deepEqual(
      [stored.color, stored.supportEmail, stored.legal, stored.links],
      [
        '#2c4c3e',
        'help@bloom.test',
        { name: 'Bloom GmbH', address: ['Am Markt 1', 'Bremen'] },
        { terms: 'https://bloom.test/terms' },
      ],
    )
    await page.press('Save', { legalName: '', address: '', terms: '' })
    const { shop: emptied } = await shop()
    assert.deepEqual([emptied.legal, emptied.links], [undefined, {}])
  })

  test('design, home page and menus are drafts until they are published, and an error is shown at its field', async () => {
    const { page, path } = dashboardUser
    const site = async () => (await testServer.askAdmin('getAdminSite')).body.data
    await page.open(path('store/look'))
    await page.press('Save the draft', { color: '#7a1f3d', ownColor: 'on', font: 'slab' })
    assert.match(page.text(), /The draft is saved\.[\s\S]*Not published yet\./)
    await page.open(path('store/home'))
    await page.press('Put it together')
    await page.press('Add the section', { kind: 'text' })
    await page.press('Save the draft', { title: 'About us', bodyHtml: 'One & two\r\n\r\nThree' })
    await page.press('Move About us up')
    await page.press('Remove Categories')
    await page.open(path('store/menus'))
    await page.press('Put the menu at the head together')
    await page.press('Add the link', { linkTo: 'address:', linkAddress: 'javascript:x', linkLabel: 'Bad' })
    assert.deepEqual([page.status, page.field('linkAddress')?.isInvalid], [400, true])
    await page.press('Add the link', { linkTo: 'address:', linkAddress: 'https://journal.test', linkLabel: 'Journal' })
    const { draft, published } = await site()
    assert.deepEqual([published.look.font, published.home, published.menus.head], ['classic', null, null])
    assert.deepEqual([draft.look.color, draft.look.font], ['#7a1f3d', 'slab'])
    const kinds = draft.home?.map(({ kind }: { kind: string }) => kind)
    assert.deepEqual(kinds, ['hero', 'text', 'products'])
    assert.equal(draft.home?.[1]?.bodyHtml, '<p>One &amp; two</p>\n<p>Three</p>')
    assert.deepEqual(draft.menus.head?.at(-1), { kind: 'address', target: 'https://journal.test', label: 'Journal' })
    await page.press('Publish')
    assert.match(page.text(), /Shoppers see it now\./)
    assert.deepEqual([(await site()).published, (await site()).draft], [draft, null])
    await page.press('Undo')
    assert.deepEqual([(await site()).published, (await site()).draft], [published, draft])
    await page.open(path('store/menus'))
    await page.press('Discard the draft')
    assert.equal((await site()).draft, null)
  })

  test('access for agents is turned on, which shows the addresses for agents, and is turned off by Undo', async () => {
    const { page, path } = dashboardUser
    await page.open(path('settings/agents'))
    assert.doesNotMatch(page.text(), /MCP server/)
    await page.press('Save', { level: 'browse' })
    assert.match(page.text(), /Settings saved\.[\s\S]*MCP server/)
    const level = async () => (await testServer.askAdmin('getAdminAgents')).body.data.level
    assert.equal(await level(), 'browse')
    await page.press('Undo')
    assert.equal(await level(), 'off')
  })

  test('synonyms are saved up to the largest number, and a decimal comma does not separate two synonyms', async () => {
    const { page, path } = dashboardUser
    const synonyms = [
      ['1,5 l', 'family size'],
      ['shelf, small', 'bracket'],
      ...Array.from({ length: 198 }, (_, group) => Array.from({ length: 10 }, (_, at) => `Küchenstuhl ${group} ${at}`)),
    ]
    await changeShop({ synonyms })
    await page.open(path('settings'))
    await page.press('Save', { color: '#2c4c3f' })
    assert.match(page.text(), /Settings saved\./)
    const { shop: stored } = await shop()
    assert.deepEqual([stored.color, stored.synonyms], ['#2c4c3f', synonyms], 'as they were')
    await page.press('Save', { synonyms: '1,5 l, family size\r\nsofa,couch , settee' })
    assert.deepEqual((await shop()).shop.synonyms, [
      ['1,5 l', 'family size'],
      ['sofa', 'couch', 'settee'],
    ])
    await page.press('Save', { synonyms: '' })
    assert.deepEqual((await shop()).shop.synonyms, [])
  })

  test('when two people save the shop, changes of different settings are merged, and a conflict shows both values', async () => {
    const { page, path } = dashboardUser
    await page.open(path('settings'))
    await changeShop({ name: 'Bloom & Co', lowStockAt: 9 })
    await page.press('Save', { name: 'Bloom Bremen' })
    assert.equal(page.status, 409)
    assert.match(page.text(), /Two versions/)
    assert.match(page.text(), /Yours Bloom Bremen/)
    assert.match(page.text(), /Saved in the meantime Bloom & Co/)
    assert.equal((await shop()).shop.name, 'Bloom & Co')
    await page.press('Save the chosen values')
    assert.match(page.text(), /Settings saved\./)
    const { shop: stored } = await shop()
    assert.deepEqual([stored.name, stored.lowStockAt], ['Bloom Bremen', 9])
  })

  test('taxes: one save changes, adds and removes lines, and a change of other settings is no conflict', async () => {
    const { page, path } = dashboardUser
    const post = async (rows: readonly (readonly string[])[], base: unknown) => {
      const form = new URLSearchParams({ base: JSON.stringify(base), key: 'taxes-once-and-again' })
      for (const [country = '', region = '', taxClass = '', rate = ''] of rows) {
        form.append('country', country)
        form.append('region', region)
        form.append('class', taxClass)
        form.append('rate', rate)
      }
      // The box of the fifth row.
      form.append('remove', '4')
      const answer = await fetch(testServer.origin + path('settings/taxes'), {
        method: 'POST',
        redirect: 'manual',
        body: form,
        headers: { ...dashboardUser.headers, 'accept-language': 'en' },
      })
      return { status: answer.status, text: await answer.text() }
    }
    await page.open(path('settings/taxes'))
    const baseShown = () =>
      JSON.parse((page.html.match(/name="base" value="([^"]*)"/)?.[1] ?? '').replaceAll('&quot;', '"'))
    const base = baseShown()
    await changeShop({ lowStockAt: 4 })
    const wrong = await post([['DE', '', '', 'much']], base)
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /Enter a rate such as 19/)
    const unknown = await post([['DEU', '', '', '19']], base)
    assert.equal(unknown.status, 400)
    const rows = [
      ['DE', '', '', '19'],
      ['de', '', 'books', '7'],
      ['AT', '', '', '5,5 %'],
      ['', '', '', ''],
      ['IT', '', '', '22'],
    ]
    assert.equal((await post(rows, base)).status, 303)
    assert.deepEqual(
      (await shop()).taxes.map(({ country, class: taxClass, rate }: Record<string, unknown>) => [
        country,
        taxClass,
        rate,
      ]),
      [
        ['AT', 'standard', 550],
        ['DE', 'books', 700],
        ['DE', 'standard', 1900],
      ],
    )
    assert.equal((await post(rows, base)).status, 303, 'pressed twice')
    const late = await post([['FR', '', '', '20']], base)
    assert.equal(late.status, 409)
    assert.match(late.text, /saved in another window/)
    assert.match(late.text, /Austria/)
    assert.match(late.text, /value="FR"/)
  })

  test('taxes: one press fills in the rates of the EU, and the next saves them', async () => {
    const { page, path } = dashboardUser
    await page.open(path('settings/taxes'))
    const before = (await shop()).taxes.length
    await page.press('Fill in the rates of the EU')
    assert.match(page.text(), /Taxes in Europe Database/)
    assert.equal((await shop()).taxes.length, before)
    await page.press('Save')
    const { taxes } = await shop()
    const rates = (country: string) =>
      taxes.filter((tax: { country: string }) => tax.country === country).map(({ rate }: { rate: number }) => rate)
    assert.deepEqual(
      [rates('FI'), rates('DE')],
      [
        [1_350, 1_000, 2_550],
        [700, 1_900],
      ],
      'what was there stays',
    )
  })

  test('shipping: a zone is created, edited, and removed after a confirmation', async () => {
    const { page, path } = dashboardUser
    await page.open(path('settings/shipping/new'))
    const form = (fields: readonly (readonly [string, string])[]) =>
      fetch(testServer.origin + path('settings/shipping/new'), {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(
          [['base', 'null'] as const, ...fields].map(([name, value]): [string, string] => [name, value]),
        ),
        headers: dashboardUser.headers,
      })
    const wrong = await form([
      ['zone', 'north'],
      ['country', 'NO'],
      ['country', 'SE'],
      ['id', ''],
      ['label', 'Parcel'],
      ['amount', 'a lot'],
      ['freeFrom', ''],
    ])
    assert.equal(wrong.status, 400)
    assert.match(await wrong.text(), /Enter an amount such as/)
    const good = await form([
      ['zone', 'North'],
      ['country', 'NO'],
      ['country', 'SE'],
      ['id', ''],
      ['label', 'Parcel'],
      ['amount', '9.90'],
      ['freeFrom', '100'],
      ['id', ''],
      ['label', 'By weight'],
      ['amount', '0'],
      ['freeFrom', ''],
      ['grams-1', '1000'],
      ['step-1', '5'],
      ['grams-1', '2000'],
      ['step-1', '7.50'],
      ['grams-1', ''],
      ['step-1', ''],
    ])
    assert.equal(good.status, 303)
    const made = (await shop()).shipping.find(({ zone }: { zone: string }) => zone === 'north')
    assert.deepEqual(made.countries, ['NO', 'SE'])
    assert.deepEqual(
      made.options.map(({ id, amount, freeFrom, weightSteps }: Record<string, unknown>) => [
        id,
        amount,
        freeFrom ?? null,
        weightSteps ?? [],
      ]),
      [
        ['parcel', 990, 10_000, []],
        [
          'by-weight',
          0,
          null,
          [
            { upToGrams: 1_000, amount: 500 },
            { upToGrams: 2_000, amount: 750 },
          ],
        ],
      ],
    )
    await page.open(path('settings/shipping?country=NO&subtotal=120&weight=1500'))
    assert.match(page.text(), /Parcel Free By weight €7\.50/)
    await page.open(path('settings/shipping?country=NO&subtotal=20&weight=9000'))
    assert.match(page.text(), /Parcel €9\.90/)
    assert.doesNotMatch(page.text(), /By weight €7\.50 Zone/)
    await page.open(path('settings/shipping/north'))
    await page.press('Save', { group: 'eu' })
    assert.match(page.text(), /Settings saved/)
    const wide = (await shop()).shipping.find(({ zone }: { zone: string }) => zone === 'north')
    assert.ok(wide.countries.includes('FI') && wide.countries.includes('NO'), 'Norway and the EU')
    assert.equal(wide.options[1].weightSteps.length, 2)
    await page.open(path('settings/shipping/north/remove'))
    await page.press('Remove zone')
    assert.match(page.text(), /Zone removed/)
    assert.equal(
      (await shop()).shipping.some(({ zone }: { zone: string }) => zone === 'north'),
      false,
    )
  })

  test('payments: live bank transfer is turned on only with instructions for the shopper', async () => {
    const { page } = dashboardUser
    const live = await dashboardUserOf(testServer, { mode: 'live' })
    await live.page.open(live.path('settings/payments'))
    assert.match(live.page.text(), /Shoppers cannot pay yet/)
    await live.page.open(live.path('settings/payments/bank_transfer?turn=on'))
    await live.page.press('Save', { termDays: '10' })
    assert.equal(live.page.status, 400)
    assert.equal(live.page.field('instructions')?.isInvalid, true)
    await live.page.press('Save', { instructions: 'IBAN DE02 1203' })
    assert.match(live.page.text(), /Settings saved.*Bank transfer On/s)
    assert.doesNotMatch(live.page.text(), /Shoppers cannot pay yet/)
    await page.open(dashboardUser.path('settings/payments'))
    assert.match(page.text(), /Stripe Off Connect/)
  })

  test('payments: editing a method that is off leaves it off, and only the link Turn on ticks the checkbox', async () => {
    const { page, path } = dashboardUser
    const cash = async () =>
      (await shop()).paymentMethods.find(({ provider }: { provider: string }) => provider === 'cash_on_delivery')
    const off = await testServer.askAdmin('updateAdminPaymentProvider', {
      path: { provider: 'cash_on_delivery' },
      body: { enabled: false, expectedVersion: (await shop()).version, idempotencyKey: 'cash-off' },
    })
    assert.equal(off.status, 200, off.text)
    await page.open(path('settings/payments/cash_on_delivery'))
    await page.press('Save', { instructions: 'Have the amount ready.' })
    assert.match(page.text(), /Settings saved\./)
    assert.deepEqual([(await cash())?.enabled, (await cash())?.instructions], [false, 'Have the amount ready.'])
    await page.open(path('settings/payments'))
    const [, turnOn = ''] = /href="([^"]*cash_on_delivery[^"]*)"[^>]*>Turn on</.exec(page.html) ?? []
    await page.open(turnOn)
    await page.press('Save')
    assert.equal((await cash())?.enabled, true)
  })

  test('400 for a form whose hidden base values are invalid, and nothing changes', async () => {
    const { headers, path } = dashboardUser
    const { version } = await shop()
    for (const part of ['settings', 'settings/taxes', 'settings/shipping/new'])
      for (const base of ['{', '7', '{"synonyms":7}', '"x"']) {
        const answer = await fetch(`${testServer.origin}${path(part)}`, {
          method: 'POST',
          headers,
          body: new URLSearchParams({ key: 'altered', base }),
          redirect: 'manual',
        })
        assert.equal(answer.status, 400, `${part} ${base}`)
      }
    assert.equal((await shop()).version, version)
  })

  test('people: an invitation link is shown once, a role is changed, and the last owner cannot be removed', async () => {
    const { page, path } = dashboardUser
    await page.open(path('settings/people/invite'))
    await page.press('Invite', { email: 'not an address', role: 'viewer' })
    assert.equal(page.status, 400)
    assert.equal(page.field('email')?.value, 'not an address')
    await page.press('Invite', { email: 'grace@bloom.example', role: 'viewer' })
    const link = page.html.match(/id="secret"[^>]*value="([^"]+)"/)?.[1] ?? ''
    assert.ok(link.startsWith(`${testServer.origin}/admin/invitations/`), link)
    assert.equal(page.headers.get('cache-control'), 'no-store')
    await page.open(path('settings/people'))
    assert.ok(!page.html.includes(link))
    assert.match(page.text(), /grace@bloom\.example Viewer Invited/)
    await page.open([...page.links()].find(([name]) => name.startsWith('Take back grace@'))?.[1] ?? '')
    await page.press('Take back')
    assert.match(page.text(), /Removed\./)
    const staff = await dashboardUserOf(testServer, { role: 'staff' })
    await page.open(path(`settings/people/${staff.userId}/password`))
    await page.press('Make link')
    assert.match(page.html, /id="secret"[^>]*value="http[^"]+"/)
    await page.open(path('settings/people'))
    assert.match(page.text(), /Each person decides\./)
    await page.open(path('settings/people/second-factor'))
    await page.press('Demand it')
    const { body } = await testServer.askAdmin('getAdminPeople')
    assert.equal(body.data.secondFactorRequired, true)
    await testServer.storage.write((tx) => setSecondFactorRequired(tx, testServer.merchantId, false))
    await page.open(path(`settings/people/${staff.userId}/role`))
    await page.press('Save', { role: 'viewer' })
    assert.match(page.text(), /Role changed/)
    const away = await dashboardUserOf(testServer, { role: 'staff' })
    await page.open(path('settings/people'))
    await page.open(page.links().get(`Edit ${dashboardUser.email}`) ?? '')
    assert.ok(!page.links().has('End sessions'), 'one does not end the sessions of oneself')
    await page.open(path(`settings/people/${away.userId}/role`))
    await page.press('Save', { role: 'custom', scope: 'admin:orders' })
    await page.open(path('settings/people'))
    assert.match(page.text(), new RegExp(`${away.email} Chosen rights ?Orders Active`))
    await page.open(page.links().get(`Edit ${away.email}`) ?? '')
    await page.open(page.links().get('End sessions') ?? '')
    await page.press('End sessions')
    assert.match(page.text(), /Sessions ended\./)
    await away.page.open(away.path('home'))
    assert.match(away.page.path, /^\/admin\/sign-in/)
    await page.open(path(`settings/people/${staff.userId}/remove`))
    await page.press('Remove')
    await staff.page.open(staff.path('home'))
    assert.match(staff.page.path, /^\/admin\/sign-in/)
  })

  test('reports: every row of the CSV file has the same number of columns, and a period of more than 1,000 days is refused', async () => {
    const { page, path } = dashboardUser
    await testServer.orders.place({ items: { CARD: 2 } })
    await countSales(testServer.storage, testServer.clock.now, 100)
    await page.open(path('reports?by=country'))
    assert.equal(page.status, 200)
    const csv = page.links().get('Download CSV') ?? ''
    const answer = await fetch(testServer.origin + csv, {
      headers: { ...dashboardUser.headers, 'accept-language': 'en-GB' },
    })
    assert.equal(answer.headers.get('content-type'), 'text/csv; charset=utf-8')
    assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; filename="sales-by-country-/)
    const [head = '', ...lines] = (await answer.text()).replace('\ufeff', '').trim().split('\r\n')
    assert.equal(head.split(',').length, 11)
    for (const line of lines) assert.equal(line.split(',').length, 11, line)
    for (const by of ['day', 'week', 'month', 'product', 'promotion']) {
      await page.open(path(`reports?by=${by}`))
      assert.equal(page.status, 200, by)
    }
    await page.open(path('reports?from=2020-01-01&to=2030-01-01'))
    assert.equal(page.status, 400)
    assert.match(page.text(), /at most 1,000 days apart/)
  })

  test('a viewer can read every part of the settings, without buttons and forms', async () => {
    const viewer = await dashboardUserOf(testServer, { role: 'viewer' })
    for (const part of ['settings', 'settings/taxes', 'settings/shipping', 'settings/payments', 'reports']) {
      await viewer.page.open(viewer.path(part))
      assert.equal(viewer.page.status, 200, part)
      assert.deepEqual(
        viewer.page.buttons().filter((name) => /save|add|turn on|remove|invite|edit/i.test(name)),
        [],
        part,
      )
      const links = [...viewer.page.links().keys()].filter((name) =>
        /^(Add|Edit|Turn on|Remove|Invite|People)/.test(name),
      )
      assert.deepEqual(links, [], part)
    }
    for (const [part, body] of [
      ['settings', { name: 'X', base: '{}' }],
      ['settings/taxes', { country: 'DE', rate: '1', base: '[]' }],
    ] as const) {
      const { version } = await shop()
      const answer = await fetch(testServer.origin + viewer.path(part), {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(body),
        headers: viewer.headers,
      })
      assert.equal(answer.status, 403, part)
      assert.equal((await shop()).version, version)
    }
  })
})
