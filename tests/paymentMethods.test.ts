// How shoppers pay by hand: what a merchant offers in which mode, what the shopper is told, and that nothing else is taken.

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { market } from '../harness/carts.ts'
import { checkoutOf } from '../harness/checkout.ts'
import { cartwright } from '../harness/commandline.ts'
import { eachEngine, type Given, givenEngine } from '../harness/storage.ts'
import { openTestServer, testSecret, testSecretText } from '../harness/testServer.ts'
import { issueAt } from '../src/contract/issues.ts'
import { recordOrderPaid } from '../src/domain/orders/operator.ts'
import { encryptAccountSecrets, insertAccount } from '../src/domain/payments/accounts.ts'
import { listMethodSettings } from '../src/domain/payments/methods.ts'
import { applyShop } from '../src/ops/provisioning/apply.ts'
import { readShopFile } from '../src/ops/provisioning/read.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { migrate } from '../src/platform/storage/migrate.ts'

const account = 'Bloom & <Söhne>\nIBAN DE02 1203 0000 0000 2020 51\nReference: your order number'
const thanks = 'https://shop.example/thanks'

function shop(mode: 'test' | 'live', payments?: ShopFile['payments']): ShopFile {
  const installations = [{ name: 'Storefront', mode, redirectHosts: ['shop.example'] }]
  return { ...market, installations, ...(payments ? { payments } : {}) }
}

async function openScene(given: Given, file: ShopFile) {
  const testServer = await openTestServer(given, { shops: [file] })
  const checkout = await checkoutOf(testServer)
  const page = async (path: string, language = 'en') => {
    const response = await fetch(testServer.origin + path, { headers: { 'accept-language': language } })
    assert.equal(response.status, 200)
    return response.text()
  }
  return {
    testServer,
    checkout,
    page,
    open: (items: Readonly<Record<string, number>> = { CARD: 2 }, more: object = {}) =>
      checkout.ready(items, { successUrl: thanks, ...more }),
    async pay({ secret, view }: Awaited<ReturnType<typeof checkout.ready>>, method: string) {
      const fields = {
        version: String(view.session.version),
        expectedTotal: String(view.session.totals.total),
        attempt: randomUUID(),
        ...(method === '' ? {} : { method }),
      }
      const response = await fetch(`${testServer.origin}/c/${secret}/pay`, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: testServer.origin },
        body: new URLSearchParams(fields),
      })
      return { status: response.status, location: response.headers.get('location'), text: await response.text() }
    },
    payments: async () =>
      testServer.storage.read((db) => db.sql<{ method: string; status: string }>`select method, status from payments`),
  }
}

const offeredOn = (text: string) =>
  [...text.matchAll(/name="method" (?:type="hidden" )?value="([^"]+)"/g)].map(([, value]) => value)

eachEngine('payment methods', (given) => {
  test('in test mode every method is offered without configuration', async () => {
    const scene = await openScene(given, shop('test'))
    const opened = await scene.open()
    assert.deepEqual(
      opened.view.methods.map(({ provider, method }) => `${provider}:${method}`),
      ['test:card', 'manual:bank_transfer', 'manual:cash_on_delivery'],
    )
    assert.doesNotMatch(await scene.page(`/c/${opened.secret}`), /class="instructions"/)
    // Without words of the merchant there is nothing to read, and the shopper goes to the shop.
    assert.deepEqual(
      [(await scene.pay(opened, 'manual:bank_transfer')).location, (await scene.payments()).length],
      [thanks, 1],
    )
  })

  test('in live mode only configured methods are offered and accepted', async () => {
    const scene = await openScene(given, shop('live'))
    const opened = await scene.open()
    const text = await scene.page(`/c/${opened.secret}`)
    assert.deepEqual([opened.view.methods, offeredOn(text)], [[], []])
    assert.match(text, /This shop has not set up a way to pay yet/)
    assert.match(text, /<button id="pay-button"[^>]* disabled/)
    for (const method of ['manual:bank_transfer', 'manual:cash_on_delivery', 'test:card', 'manual:cheque', '']) {
      const { status, location } = await scene.pay(opened, method)
      assert.deepEqual([status, location], [200, null], method)
    }
    // Nor by whoever asks behind the page.
    const { version, totals } = opened.view.session
    const input = { version, expectedTotal: totals.total, details: {}, attempt: 'one' }
    for (const method of ['bank_transfer', 'cash_on_delivery', 'cheque'])
      assert.deepEqual(
        (await scene.testServer.app.checkout.pay(opened.secret, { ...input, provider: 'manual', method }))?.problem,
        { code: 'invalid', issues: [issueAt('/method', 'not_offered')] },
      )
    assert.deepEqual(await scene.payments(), [])
  })

  test('a free order needs no payment method', async () => {
    const gift = { code: 'GIFT', name: 'A gift', type: 'percentage', percentage: 10_000 } as const
    const scene = await openScene(given, { ...shop('live'), promotions: [gift] })
    const opened = await scene.open({ COURSE: 1 }, { promotionCode: 'GIFT' })
    assert.equal(opened.view.session.totals.total, 0)
    assert.doesNotMatch(await scene.page(`/c/${opened.secret}`), /has not set up a way to pay/)
    assert.deepEqual((await scene.pay(opened, '')).location, thanks)
    assert.deepEqual(await scene.payments(), [{ method: 'none', status: 'succeeded' }])
  })

  test('the merchant’s instructions are on the checkout, thanks and order page until the order is paid', async () => {
    const scene = await openScene(
      given,
      shop('live', [
        { mode: 'live', method: 'bank_transfer', instructions: account, termDays: 7 },
        { mode: 'live', method: 'cash_on_delivery' },
      ]),
    )
    const opened = await scene.open()
    const text = await scene.page(`/c/${opened.secret}`)
    assert.deepEqual(offeredOn(text), ['manual:bank_transfer', 'manual:cash_on_delivery'])
    // Escaped, and its lines are lines.
    const shown = `<p class="instructions" dir="auto">Bloom &amp; &lt;Söhne&gt;\nIBAN DE02 1203 0000 0000 2020 51\nReference: your order number</p>`
    assert.ok(text.includes(shown), text)
    assert.match(
      await (await fetch(`${scene.testServer.origin}/checkout/style.css`)).text(),
      /\.instructions \{\s*white-space: pre-line/,
    )
    assert.match(text, /Please pay within 7 days\./)
    assert.doesNotMatch(text.slice(text.indexOf('cash_on_delivery')), /Please pay within/)

    const { status, location } = await scene.pay(opened, 'manual:bank_transfer')
    assert.deepEqual([status, location], [303, `/c/${opened.secret}`])
    const done = await scene.page(`/c/${opened.secret}`)
    assert.ok(done.includes(shown))
    assert.match(done, /How to pay/)
    assert.ok(done.includes(thanks), 'the way on to the shop')
    assert.match(await scene.page(`/c/${opened.secret}`, 'de'), /So bezahlen Sie/)

    const path = /href="(\/o\/[^"]+)"/.exec(done)?.[1] ?? ''
    const order = await scene.page(path, 'fr')
    assert.ok(order.includes(shown))
    assert.match(order, /Comment payer/)
    const orderId = (await scene.checkout.read(opened.sessionId)).body.data.orderId
    const key = { installationId: scene.testServer.installationId, orderId }
    await scene.testServer.storage.write((tx) =>
      recordOrderPaid(tx, key, { now: scene.testServer.clock.now, cause: null }),
    )
    for (const paid of [path, `/c/${opened.secret}`]) assert.doesNotMatch(await scene.page(paid), /IBAN|How to pay/)
  })

  test('a cancelled order shows no payment instructions', async () => {
    const scene = await openScene(
      given,
      shop('live', [{ mode: 'live', method: 'bank_transfer', instructions: account }]),
    )
    const opened = await scene.open()
    await scene.pay(opened, 'manual:bank_transfer')
    const done = await scene.page(`/c/${opened.secret}`)
    const orderId = (await scene.checkout.read(opened.sessionId)).body.data.orderId
    await scene.testServer.ask('cancelStorefrontOrder', { path: { orderId }, body: { idempotencyKey: 'no' } })
    const path = /href="(\/o\/[^"]+)"/.exec(done)?.[1] ?? ''
    for (const cancelled of [path, `/c/${opened.secret}`])
      assert.doesNotMatch(await scene.page(cancelled), /IBAN|How to pay/)
  })

  test('a method that was disabled after the page was loaded is refused', async () => {
    const scene = await openScene(
      given,
      shop('live', [
        { mode: 'live', method: 'bank_transfer', instructions: account },
        { mode: 'live', method: 'cash_on_delivery' },
      ]),
    )
    const opened = await scene.open()
    await scene.testServer.apply(
      shop('live', [{ mode: 'live', method: 'bank_transfer', enabled: false, instructions: account }]),
    )
    const { status, text } = await scene.pay(opened, 'manual:bank_transfer')
    assert.equal(status, 200)
    assert.deepEqual([await scene.payments(), /Please choose: Payment method/.test(text)], [[], true])
    // What is offered in the other mode is not offered here.
    assert.deepEqual(
      (await scene.checkout.look(opened.secret)).methods.map(({ method }) => method),
      ['cash_on_delivery'],
    )
    assert.equal((await scene.pay(opened, 'manual:cash_on_delivery')).location, thanks)
  })

  test('a shop that sold live in an earlier release keeps the methods that it offered then', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cartwright-'))
    const all = join(import.meta.dirname, '../src/platform/storage/migrations')
    const files = (await readdir(all)).filter((file) => file.endsWith('.sql')).sort()
    const before = files.filter((file) => file < '0010')
    for (const file of before) await cp(join(all, file), join(folder, file))
    const storage = await given.open({ withMigrations: false })
    await migrate(storage, { now: new Date(), directory: folder })
    await rm(folder, { recursive: true })
    await storage.write(async (tx) => {
      for (const id of ['live', 'test'])
        await tx.sql`
          insert into merchants (id, slug, name, currency, country, price_tax, low_stock_at, links, catalog_version, created_at, updated_at)
          values (${`mer_${id}`}, ${id}, ${id}, 'EUR', 'DE', 'included', 5, '{}', 1, 0, 0)`
      await tx.sql`
        insert into installations (id, merchant_id, name, mode, redirect_hosts, created_at)
        values ('ins_live', 'mer_live', 'Web', 'live', '[]', 0), ('ins_test', 'mer_test', 'Web', 'test', '[]', 0)`
    })
    await migrate(storage, { now: new Date() })
    const offered = async (merchant: string) =>
      (await storage.read((db) => listMethodSettings(db, merchant)))
        .filter(({ isOffered }) => isOffered)
        .map(({ mode, method, termDays }) => [mode, method, termDays])
    const tried = [
      ['test', 'bank_transfer', 14],
      ['test', 'cash_on_delivery', null],
    ]
    assert.deepEqual(await offered('mer_live'), [
      ...tried,
      ['live', 'bank_transfer', 14],
      ['live', 'cash_on_delivery', null],
    ])
    assert.deepEqual(await offered('mer_test'), tried)
  })
})

// The shop also announces a reduction, of which no price is known.
function ofPayments({ warnings }: { warnings: readonly string[] }): string[] {
  return warnings.filter((warning) => !warning.includes('compare-at price'))
}

eachEngine('payment methods of a shop file', (given) => {
  test('are changed to those of the file, previewed by a dry run, and unchanged by the same file again', async () => {
    const storage = await given.open()
    const apply = async (payments: ShopFile['payments'], dryRun = false) => {
      const report = await applyShop(storage, shop('live', payments), { now: 1_000, stock: false, dryRun })
      return {
        ...report,
        methods: report.changes.filter(({ what }) => what === 'payment method'),
        warnings: ofPayments(report),
      }
    }
    const named: ShopFile['payments'] = [{ mode: 'live', method: 'bank_transfer', instructions: account }]
    const first = await apply([])
    assert.deepEqual(first.methods, [])
    assert.deepEqual(first.warnings.length, 1)
    assert.match(first.warnings[0] ?? '', /no payment method is offered in live mode/)
    const change = [
      {
        kind: 'change',
        what: 'payment method',
        name: 'live bank_transfer',
        members: [
          { member: 'enabled', from: false, to: true },
          { member: 'instructions', from: null, to: account },
        ],
      },
    ]
    const dry = await apply(named, true)
    assert.deepEqual([dry.methods, dry.warnings], [change, []])
    assert.deepEqual((await apply(named)).methods, change)
    assert.deepEqual((await apply(named)).changes, [])
    // A file that says nothing of it changes nothing of it.
    assert.deepEqual((await apply(undefined)).changes, [])
    const settings = async () => {
      const all = await storage.read((db) => listMethodSettings(db, first.merchantId))
      return all.find(({ mode, method }) => mode === 'live' && method === 'bank_transfer')
    }
    const kept = {
      mode: 'live',
      method: 'bank_transfer',
      isOffered: true,
      instructions: account,
      termDays: 14,
      isDefault: false,
    }
    assert.deepEqual(await settings(), kept)
    // What the operator switched off stays off, unless the file says otherwise.
    await storage.write((tx) => tx.sql`update manual_methods set disabled_at = 5`)
    assert.deepEqual((await apply(named)).changes, [])
    assert.equal((await settings())?.isOffered, false)
    assert.deepEqual(
      (await apply([{ mode: 'live', method: 'bank_transfer', instructions: account, enabled: true, termDays: null }]))
        .methods[0]?.members,
      [
        { member: 'enabled', from: false, to: true },
        { member: 'termDays', from: 14, to: null },
      ],
    )
  })

  test('cause no warning if the merchant sells only in test mode', async () => {
    const storage = await given.open()
    const report = await applyShop(storage, shop('test'), { now: 1_000, stock: false, dryRun: false })
    assert.deepEqual(ofPayments(report), [])
  })
})

describe('the commands for payment methods', () => {
  const given = givenEngine('sqlite')

  const problemsOf = (payments: unknown) => {
    const read = readShopFile(JSON.stringify({ merchant: market.merchant, payments }), 1_000)
    return 'problems' in read ? read.problems.map(({ path, message }) => `${path}: ${message}`) : []
  }

  test('an invalid entry of a shop file is reported with its path', () => {
    const good = { mode: 'live', method: 'bank_transfer', instructions: account }
    assert.deepEqual(problemsOf([good]), [])
    assert.deepEqual(problemsOf([{ ...good, instructions: undefined, enabled: false }]), [])
    assert.deepEqual(problemsOf([{ mode: 'test', method: 'bank_transfer' }]), [])
    assert.deepEqual(problemsOf([{ mode: 'live', method: 'bank_transfer' }]), [
      '/payments/0/instructions: is required: it tells shoppers where to send the money',
    ])
    assert.deepEqual(problemsOf([good, good]), ['/payments/1: must not appear twice'])
    assert.deepEqual(problemsOf([{ ...good, instructions: ' \n ' }]), ['/payments/0/instructions: must not be blank'])
    assert.deepEqual(problemsOf([{ ...good, instructions: 'a\u0007b' }]), [
      '/payments/0/instructions: must not contain control characters or half of a surrogate pair',
    ])
    for (const [entry, place] of [
      [{ ...good, method: 'card' }, '/payments/0/method'],
      [{ ...good, mode: 'both' }, '/payments/0/mode'],
      [{ ...good, termDays: 0 }, '/payments/0/termDays'],
      [{ ...good, termDays: 366 }, '/payments/0/termDays'],
      [{ ...good, instructions: 'x'.repeat(2_001) }, '/payments/0/instructions'],
    ] as const)
      assert.ok(problemsOf([entry])[0]?.startsWith(place), place)
  })

  async function say(url: string, ...args: string[]) {
    return cartwright(args, { CARTWRIGHT_DATABASE_URL: url, CARTWRIGHT_SECRET: testSecretText })
  }

  test('list and set methods; doctor and apply warn if no method is enabled', async () => {
    const url = await given.migratedUrl()
    const folder = await mkdtemp(join(tmpdir(), 'cartwright-'))
    const path = join(folder, 'shop.json')
    await writeFile(path, JSON.stringify(shop('live')))
    const applied = await say(url, 'apply', path)
    assert.deepEqual(
      [applied.code, /^warning: no payment method is offered in live mode/m.test(applied.err)],
      [0, true],
    )
    assert.equal(
      (await say(url, 'methods', 'list')).out,
      [
        'test  bank_transfer     on   14 days',
        'test  cash_on_delivery  on   no payment term',
        'live  bank_transfer     off  14 days',
        'live  cash_on_delivery  off  no payment term',
        '! no payment method is offered in live mode, so nobody can pay: name one under payments in the shop file, or by methods set',
        '',
      ].join('\n'),
    )
    const sick = await say(url, 'doctor')
    assert.deepEqual([sick.code, /\n?! bloom: no payment method is offered in live mode/.test(sick.out)], [0, true])
    const set = (...args: string[]) => say(url, 'methods', 'set', 'bank_transfer', '--mode', 'live', ...args)
    const without = await set('--on')
    assert.deepEqual(
      [without.code, without.err],
      [1, 'cartwright: --instructions is required: it tells shoppers where to send the money\n'],
    )
    const on = await set('--on', '--instructions', account, '--term-days', '30', '--json')
    assert.deepEqual(JSON.parse(on.out).methods[2], {
      mode: 'live',
      method: 'bank_transfer',
      enabled: true,
      instructions: account,
      termDays: 30,
    })
    assert.deepEqual(JSON.parse(on.out).warnings, [])
    assert.match(
      (await say(url, 'methods', 'list')).out,
      /live {2}bank_transfer {5}on {3}30 days\n {6}Bloom & <Söhne>\n {6}IBAN/,
    )
    // Only what is said changes.
    assert.match((await set('--term-days', 'none')).out, /live {2}bank_transfer {5}on {3}no payment term\n {6}Bloom/)
    assert.match(
      (await set('--off')).out,
      /live {2}bank_transfer {5}off {2}no payment term\n {6}Bloom[\s\S]*! no payment method/,
    )
    assert.doesNotMatch((await set('--on')).out, /!/)
    assert.doesNotMatch((await say(url, 'doctor')).out, /!/)
    const storage = await given.open({ url })
    await storage.write((tx) => tx.sql`update manual_methods set instructions = null`)
    const unclear = JSON.parse((await say(url, 'doctor', '--json')).out)
    assert.deepEqual([unclear.healthy, unclear.warnings.length], [true, 1])
    assert.match(unclear.warnings[0], /^bloom: bank transfer is offered in live mode without instructions/)
  })

  test('nothing warns of missing methods while an account at a payment provider takes live payments', async () => {
    const url = await given.migratedUrl()
    const path = join(await mkdtemp(join(tmpdir(), 'cartwright-')), 'shop.json')
    await writeFile(path, JSON.stringify(shop('live')))
    await say(url, 'apply', path)
    const storage = await given.open({ url })
    const warned = async () => {
      const said = [await say(url, 'apply', path), await say(url, 'methods', 'list'), await say(url, 'doctor')]
      return said.map(({ out, err }) => /no payment method is offered in live mode/.test(out + err))
    }
    const connect = (mode: 'test' | 'live') =>
      storage.write(async (tx) => {
        const [merchant] = await tx.sql<{ id: string }>`select id from merchants`
        const key = { merchantId: merchant?.id ?? '', id: newId('pac'), mode }
        await insertAccount(tx, {
          ...key,
          provider: 'stripe',
          public: {},
          secretsSealed: encryptAccountSecrets(testSecret, key, {}),
          previousSealed: null,
          previousUntil: null,
          seenUntil: null,
          endedAt: null,
          createdAt: 1,
          updatedAt: 1,
        })
      })
    await connect('test')
    assert.deepEqual(await warned(), [true, true, true])
    await connect('live')
    assert.deepEqual(await warned(), [false, false, false])
    await storage.write((tx) => tx.sql`update payment_accounts set ended_at = 1`)
    assert.deepEqual(await warned(), [true, true, true])
  })

  test('misuse is reported with its reason', async () => {
    for (const [args, why] of [
      [['methods'], /methods needs a verb: list, set/],
      [['methods', 'list', 'x'], /methods list does not take the argument x/],
      [['methods', 'set'], /methods set needs the argument METHOD/],
      [['methods', 'set', 'card', '--mode', 'live'], /the method must be bank_transfer or cash_on_delivery/],
      [['methods', 'set', 'bank_transfer'], /--mode is required/],
      [['methods', 'set', 'bank_transfer', '--mode', 'both'], /--mode must be test or live/],
      [
        ['methods', 'set', 'bank_transfer', '--mode', 'live', '--on', '--off'],
        /--on and --off must not be given together/,
      ],
      [['methods', 'set', 'bank_transfer', '--mode', 'live', '--term-days', '0'], /--term-days must be/],
    ] as const) {
      const { code, out, err } = await say('sqlite:/dev/null/nothing-is-opened-for-it', ...args)
      assert.deepEqual([code, out], [2, ''], args.join(' '))
      assert.match(err, why)
    }
    const url = await given.migratedUrl()
    const storage = await given.open({ url })
    await applyShop(storage, shop('test'), { now: 1_000, stock: false, dryRun: false })
    const long = await say(
      url,
      'methods',
      'set',
      'bank_transfer',
      '--mode',
      'live',
      '--instructions',
      'x'.repeat(2_001),
    )
    assert.deepEqual([long.code, /^cartwright: --instructions /.test(long.err)], [1, true])
  })
})
