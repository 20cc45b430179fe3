// From an empty production start to a shop that is open: the printed link, the owner, and every step of the guide, by plain HTTP and in
// a browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { serveHere } from '../harness/commandline.ts'
import { freePort } from '../harness/ports.ts'
import { scriptless } from '../harness/scriptless.ts'
import { anyEngine, eachEngine, type Given } from '../harness/storage.ts'
import { testSecretText } from '../harness/testServer.ts'
import { createSetupLink, isSetupLink } from '../src/domain/users/setup.ts'

const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const english = { 'accept-language': 'en-GB' }

async function startEmpty(given: Given, url?: string) {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const settings = {
    CARTWRIGHT_DATABASE_URL: url ?? (await given.migratedUrl()),
    CARTWRIGHT_SECRET: testSecretText,
    CARTWRIGHT_PUBLIC_URL: origin,
    PORT: String(port),
    NODE_ENV: 'production',
  }
  const begin = async () => {
    const server = await serveHere(settings)
    const [, link = ''] = /http\S+(\/admin\/setup\/\S+)/.exec(server.printed()) ?? []
    return { server, link }
  }
  return { origin, begin }
}

const owner = { shop: 'Töpferei Nord', email: 'Ina@example.org', password: 'four quiet red herons' }

function setUp(origin: string, link: string, body: Readonly<Record<string, string>> = owner): Promise<Response> {
  return fetch(origin + link, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin, 'accept-language': 'de-AT' },
    body: new URLSearchParams(body),
  })
}

async function buyBowl(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Blue bowl' }).first().click()
  await page.getByRole('button', { name: 'Add to cart' }).click()
  await page.getByRole('button', { name: 'Check out' }).click()
  await page.waitForURL(/\/c\//)
  const details = { email: 'ada@example.com', name: 'Ada Lovelace', line1: 'Unter den Linden 1', city: 'Berlin' }
  for (const [name, value] of Object.entries({ ...details, postalCode: '10117' }))
    await page.fill(`[name=${name}]`, value)
  await page.locator('#details-save').click()
  await page.locator('[name="card.number"]:enabled').fill('4242 4242 4242 4242')
  await page.fill('[name="card.expiry"]', '12/40')
  await page.fill('[name="card.cvc"]', '123')
  await page.fill('[name="card.name"]', 'Ada Lovelace')
  await page.getByRole('button', { name: /^(Pay|Order)/ }).click()
  await page.getByText('Order T-1001').waitFor()
}

eachEngine('the first start in production', (given) => {
  test('prints a setup link; old, wrong and used links are refused, and one of two concurrent uses succeeds', async () => {
    const { origin, begin } = await startEmpty(given)
    const first = await begin()
    assert.match(first.link, /^\/admin\/setup\/[\w-]{43}$/)
    await first.server.stop()
    const { server, link } = await begin()
    assert.notEqual(link, first.link, 'again at each start until it was used')
    const token = link.split('/').at(-1) ?? ''
    for (const wrong of [first.link, link.replace(token, 'x'.repeat(43)), `${link}x`, '/admin/setup/'])
      assert.equal((await fetch(origin + wrong)).status, 404, wrong)
    assert.equal((await setUp(origin, first.link)).status, 404)
    assert.equal((await fetch(origin + link)).status, 200)
    const weak = await setUp(origin, link, { ...owner, password: 'short' })
    const text = await weak.text()
    assert.deepEqual([weak.status, text.includes('Ina@example.org'), text.includes('short')], [400, true, false])
    assert.equal((await setUp(origin, link, { ...owner, email: 'no address' })).status, 400)
    const both = await Promise.all([setUp(origin, link), setUp(origin, link, { ...owner, email: 'other@example.org' })])
    assert.deepEqual(both.map(({ status }) => status).sort(), [303, 404])
    assert.equal((await fetch(origin + link)).status, 404)
    // The secret is on the terminal alone: not in the log, which is the output.
    assert.equal(server.printed().split(token).length, 2)
    await server.stop()
    const { server: last, link: none } = await begin()
    assert.equal(none, '')
    assert.doesNotMatch(last.printed(), /setup/)
    await last.stop()
  })

  test('ends with a shop that is set up and open', async () => {
    const { origin, begin } = await startEmpty(given)
    const { server, link } = await begin()
    const made = await setUp(origin, link)
    assert.equal(made.headers.get('location'), '/admin/toepferei-nord/start')
    const cookie = (made.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
    const page = scriptless(origin, { cookie, origin, ...english })
    await page.open('/admin/toepferei-nord/start')
    assert.match(page.path, /start\/shop$/)
    assert.deepEqual([page.field('name')?.value, page.field('country')?.value], ['Töpferei Nord', 'AT'])
    await page.press('Save and continue', {
      country: 'DE',
      legalName: 'Ina Nord',
      address: 'Am Deich 1\r\n26721 Emden',
    })

    assert.match(page.path, /start\/taxes$/)
    assert.match(page.text(), /Tax rates of Germany/)
    assert.match(page.text(), /Taxes in Europe Database/)
    assert.deepEqual([page.field('rate-standard')?.value, page.field('rate-reduced')?.value], ['19', '7'])
    await page.press('Save and continue')
    assert.equal(page.status, 400)
    await page.press('Save and continue', { confirmed: 'on' })

    assert.match(page.path, /start\/look$/)
    const [, key = ''] = /name="key" value="([^"]+)"/.exec(page.html) ?? []
    const look = new FormData()
    look.set('key', key)
    look.set('color', '#336699')
    look.set('file', new Blob([pixel], { type: 'image/png' }), 'logo.png')
    const looked = await fetch(`${origin}/admin/toepferei-nord/start/look`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin },
      body: look,
    })
    assert.match(looked.headers.get('location') ?? '', /start\/products$/)

    await page.open('/admin/toepferei-nord/start/products')
    await page.press('Add product', { name: 'Blue bowl', price: 'much', stock: '3' })
    assert.equal(page.status, 400)
    await page.press('Add product', { price: '24,50' })
    assert.match(page.path, /start\/delivery$/)
    // Two people at once: one of the two is stored, and neither sees an error.
    const other = scriptless(origin, { cookie, origin, ...english })
    await other.open('/admin/toepferei-nord/start/delivery')
    await Promise.all([
      page.press('Save and continue', { 'home-amount': '4.90', 'home-free': '50' }),
      other.press('Save and continue', { 'home-amount': '5.90', 'home-free': '60' }),
    ])
    assert.deepEqual(
      [page.status, other.status].filter((status) => status !== 200 && status !== 400),
      [],
    )
    await other.open('/admin/toepferei-nord/start/delivery')
    assert.match(other.text(), /home: Standard delivery €[45]\.90 Shipping/)
    await page.open('/admin/toepferei-nord/start')

    assert.match(page.path, /start\/payment$/)
    await page.open('/admin/toepferei-nord/settings/payments/bank_transfer?turn=on')
    await page.press('Save', { holder: 'Ina Nord', iban: 'DE88 3704 0044 0532 0130 00' })
    assert.match(page.text(), /This IBAN has a mistake/)
    await page.press('Save', { iban: 'DE89 3704 0044 0532 0130 00' })
    assert.match(page.text(), /Settings saved/)

    await page.open('/admin/toepferei-nord/start')
    assert.match(page.path, /start\/legal$/)
    assert.match(page.html, /TEMPLATE – not checked by a lawyer/)
    assert.match(page.html, /Ina Nord, Am Deich 1, 26721 Emden/)
    await page.open('/admin/toepferei-nord/home')
    assert.match(page.text(), /Legal texts Shoppers must find them/, 'Home names what is missing')
    await page.open('/admin/toepferei-nord/start/legal')
    await page.press('Save and continue', { terms: 'The law applies. [with / without] tax' })
    assert.equal(page.status, 400, 'with a gap')
    assert.match(page.text(), /there are still square brackets/)
    await page.press('Save and continue', { terms: 'The law applies.', privacy: 'We keep orders.' })
    const text = await fetch(`${origin}/legal/toepferei-nord/terms`)
    assert.deepEqual([text.status, (await text.text()).includes('The law applies.')], [200, true])
    const untouched = await fetch(`${origin}/legal/toepferei-nord/imprint`)
    assert.equal(untouched.status, 404, 'a template is not published')

    assert.match(page.path, /start\/open$/)
    assert.match(page.text(), /4242\s4242\s4242\s4242/)
    const shop = new URL(/href="(http[^"]+\/shop[^"]*)"[^>]*>Open the test shop/.exec(page.html)?.[1] ?? '')
    assert.equal((await fetch(`${origin}/shop`)).status, 503, 'closed')
    assert.equal((await fetch(shop, { headers: { cookie } })).status, 200, 'the owner sees the test shop')
    // A stranger sees nothing of the guide, and another person who presses at the same time finds the shop open.
    const stranger = await fetch(`${origin}${page.path}`, { redirect: 'manual' })
    assert.match(stranger.headers.get('location') ?? '', /^\/admin\/sign-in/)
    const second = scriptless(origin, { cookie, origin, ...english })
    await second.open('/admin/toepferei-nord/start/open')
    await Promise.all([page, second].map((person) => person.press('Open the shop')))
    for (const person of [page, second]) assert.match(person.text(), /Your shop is open\./)
    const open = await fetch(`${origin}/shop`)
    assert.deepEqual([open.status, (await open.text()).includes('Blue bowl')], [200, true])
    await page.open('/admin/toepferei-nord/settings/taxes')
    assert.equal(page.status, 200)

    // It has feeds at once, and is found by agents once it lets them in.
    const answerAt = async (path: string) => {
      const answer = await fetch(origin + path)
      return { status: answer.status, text: await answer.text() }
    }
    assert.match((await answerAt('/shop/feed.jsonl')).text, /"title":"Blue bowl"/)
    assert.match((await answerAt('/shop/feed.xml')).text, /left out of the feed: .*, no picture/)
    for (const path of ['/agents/toepferei-nord', '/llms.txt']) assert.equal((await answerAt(path)).status, 404, path)
    await page.open('/admin/toepferei-nord/settings/agents')
    await page.press('Save', { level: 'browse' })
    for (const path of ['/agents', '/agents/toepferei-nord', '/llms.txt']) {
      const { status, text } = await answerAt(path)
      assert.deepEqual([status, text.includes(`${origin}/ucp/toepferei-nord/mcp`)], [200, true], path)
    }
    assert.match((await answerAt('/.well-known/ucp')).text, new RegExp(`"${origin}/ucp/toepferei-nord"`))
    await server.stop()
  })

  test('expires its link after an hour and when the first person is created, and stores one link even for concurrent starts', async () => {
    const storage = await given.open({ url: await given.migratedUrl() })
    // Two nodes that start at once.
    await Promise.all([1, 2, 3].map(() => storage.write((tx) => createSetupLink(tx, 1_000))))
    assert.equal((await storage.read((db) => db.sql`select id from setup_links`)).length, 1)
    const link = await storage.write((tx) => createSetupLink(tx, 1_000))
    const token = link?.path.split('/').at(-1) ?? ''
    const isOpen = (at: number) => storage.read((db) => isSetupLink(db, token, at))
    assert.deepEqual([await isOpen(1_000), await isOpen(3_600_999), await isOpen(3_601_000)], [true, true, false])
    await storage.write(
      (tx) => tx.sql`
        insert into users (id, email_hash, email_sealed, password_hash, created_at, updated_at)
        values ('usr_1', 'x', 'x', 'x', 1, 1)`,
    )
    assert.equal(await isOpen(1_000), false)
    assert.equal(await storage.write((tx) => createSetupLink(tx, 1_000)), undefined)
  })
})

// The walk above is on both engines; a browser takes five times its CPU.
anyEngine('a first start in a browser', (given) => {
  browserSuite.test(
    'leads in a browser from an empty folder through the guide and a paid test order to an open shop',
    () => walkInBrowser(given),
  )
})

async function walkInBrowser(given: Given): Promise<void> {
  const { origin, begin } = await startEmpty(given, await given.freshUrl())
  const { server, link } = await begin()
  const browser = await launchBrowser()
  const context = await browser.newContext({
    locale: 'en-GB',
    viewport: { width: 640, height: 480 },
    reducedMotion: 'reduce',
  })
  try {
    const page = await context.newPage()
    const errors: string[] = []
    context.on('weberror', (error) => errors.push(String(error.error())))
    await page.goto(origin + link)
    for (const [name, value] of Object.entries(owner)) await page.fill(`[name=${name}]`, value)
    await page.locator('main form button').click()
    const step = async (name: string, fill: () => Promise<unknown>, button = 'Save and continue') => {
      await page.waitForURL(`${origin}/admin/toepferei-nord/start/${name}`)
      await fill()
      await page.getByRole('button', { name: button, exact: true }).click()
    }
    await step('shop', async () => {
      await page.selectOption('[name=country]', 'DE')
      await page.fill('[name=legalName]', 'Ina Nord')
      await page.fill('[name=address]', 'Am Deich 1\n26721 Emden')
    })
    await step('taxes', () => page.check('[name=confirmed]'))
    const logo = { name: 'logo.png', mimeType: 'image/png', buffer: pixel }
    await step('look', () => page.setInputFiles('[name=file]', logo), 'Save and see it')
    const preview = page.frameLocator('iframe')
    await page.locator('iframe').scrollIntoViewIfNeeded()
    await preview.getByRole('link', { name: owner.shop }).locator('img').first().waitFor()
    await step('look', async () => undefined)
    const product = { name: 'Blue bowl', price: '24.50', stock: '3' }
    await step(
      'products',
      async () => {
        for (const [name, value] of Object.entries(product)) await page.fill(`[name=${name}]`, value)
      },
      'Add product',
    )
    await step('delivery', () => page.fill('[name=home-amount]', '4.90'))
    await page.waitForURL(/start\/payment$/)
    await page.goto(`${origin}/admin/toepferei-nord/settings/payments/bank_transfer?turn=on`)
    await page.fill('[name=holder]', 'Ina Nord')
    await page.fill('[name=iban]', 'DE89 3704 0044 0532 0130 00')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Settings saved').waitFor()
    await page.goto(`${origin}/admin/toepferei-nord/start`)
    await step('legal', async () => {
      await page.fill('[name=terms]', 'The law applies.')
      await page.fill('[name=privacy]', 'We keep orders.')
    })
    await page.waitForURL(/start\/open$/)
    const opened = context.waitForEvent('page')
    await page.getByRole('link', { name: 'Open the test shop' }).click()
    await buyBowl(await opened)
    await page.reload()
    await page.getByText('There is a test order: it works.').waitFor()
    assert.equal((await fetch(`${origin}/shop`)).status, 503)
    await page.getByRole('button', { name: 'Open the shop' }).click()
    await page.getByText('Your shop is open.').waitFor()
    const open = await fetch(`${origin}/shop`)
    assert.deepEqual([open.status, (await open.text()).includes('Blue bowl')], [200, true])
    assert.deepEqual(errors, [])
  } finally {
    await context.close()
    await server.stop()
  }
}
