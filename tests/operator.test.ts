// The server and its command line as an operator meets them: started, used, stopped and killed as processes.

import assert from 'node:assert/strict'
import { readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { type Environment, serve, tempFolder } from '../harness/process.ts'
import { givenEngine } from '../harness/storage.ts'
import { until } from '../harness/until.ts'
import { invariants } from '../src/domain/health/invariants.ts'
import { handleEach, RowsFailed } from '../src/platform/jobs/rows.ts'
import { openStorage } from '../src/platform/storage/open.ts'

const fixtures = join(import.meta.dirname, 'fixtures', 'shopify')

async function getJson(url: string, key?: string) {
  const response = await fetch(url, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  return { status: response.status, body: (await response.json()) as any }
}

const keyIn = (text: string) => /cwk_test_\w{48}/.exec(text)?.[0] ?? ''

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`the operator's commands (${engine})`, () => {
    const given = givenEngine(engine)

    // An empty place, or one that has the schema: bringing it up to date is part of the first start and of few others.
    async function environment(url = given.migratedUrl()): Promise<Environment> {
      return {
        CARTWRIGHT_DATABASE_URL: await url,
        CARTWRIGHT_SECRET: 'the-root-secret-of-one-operator-test',
      }
    }

    test('the first start creates the demo shop and prints working keys; after the second start the same keys work, and no new ones are printed', async () => {
      const settings = await environment(given.freshUrl())
      // As processes on one engine: the other differs in what it stores.
      const start = engine === 'sqlite' ? serve : serveHere
      const first = await start(settings)
      const key = keyIn(first.printed())
      assert.match(first.printed(), /start page .*\n.*reference .*\n.*contract/)
      const identity = await getJson(`${first.origin}/api/v1/open/installation/identity`, key)
      assert.equal(identity.body.data.merchant.slug, 'alder-finch')
      const { body: products } = await getJson(`${first.origin}/api/v1/open/catalog/products`, key)
      assert.ok(products.data.length >= 38)
      const { body: categories } = await getJson(`${first.origin}/api/v1/open/catalog/categories`, key)
      assert.ok(categories.data.some((category: { parentId: string | null }) => category.parentId !== null))
      const slug = products.data[0].slug
      assert.equal((await getJson(`${first.origin}/api/v1/open/catalog/products/${slug}`, key)).status, 200)
      const open = await getJson(`${first.origin}/api/v1/catalog/merchants/alder-finch/products/${slug}`)
      assert.equal(open.status, 200)
      const picture = await fetch(open.body.data.imageUrl.replace('localhost', '127.0.0.1'))
      assert.equal(picture.headers.get('content-type'), 'image/svg+xml')
      assert.equal((await getJson(`${first.origin}/readyz`)).body.status, 'ready')
      assert.match(
        await (await fetch(`${first.origin}/metrics`)).text(),
        /cartwright_requests_total\{operation="listApiKeyCatalogProducts",status="200"\} 1/,
      )
      assert.equal(await first.stop(), 0)
      assert.match(first.printed(), /"message":"stopped"/)

      const second = await start(settings)
      assert.equal(keyIn(second.printed()), '')
      assert.match(
        second.printed(),
        /To get new keys and a new password for the demo shop, run `npm run -s cartwright -- demo`/,
      )
      assert.equal((await getJson(`${second.origin}/api/v1/open/installation/identity`, key)).status, 200)
      assert.equal(await second.stop('SIGINT'), 0)
    })

    test('beside a running server, demo prints three working keys as JSON, and keys are created, listed, rotated and revoked', async () => {
      const settings = await environment()
      const server = await serveHere(settings)
      const { code, out } = await cartwright(['demo', '--json'], settings)
      assert.equal(code, 0)
      const demo = JSON.parse(out)
      for (const [kind, scopes] of [
        ['full', 4],
        ['catalog', 1],
        ['none', 0],
      ] as const) {
        const { body } = await getJson(`${server.origin}/api/v1/open/installation/identity`, demo.keys[kind])
        assert.equal(body.data.credential.scopes.length, scopes)
        assert.equal(body.data.installation.id, demo.installation.id)
      }
      const stocks = demo.products.flatMap((product: { skus: { stock: number }[] }) =>
        product.skus.map((sku) => sku.stock),
      )
      assert.ok(stocks.some((stock: number) => stock >= 1 && stock <= 12))
      assert.ok(stocks.includes(0))

      const identity = `${server.origin}/api/v1/open/installation/identity`
      const made = JSON.parse(
        (await cartwright(['keys', 'create', '--name', 'Till', '--scopes', 'catalog:read', '--json'], settings)).out,
      )
      assert.equal((await getJson(identity, made.secret)).status, 200)
      const rotated = JSON.parse(
        (await cartwright(['keys', 'rotate', made.key.id, '--overlap-hours', '0', '--json'], settings)).out,
      )
      assert.equal((await getJson(identity, rotated.secret)).body.data.credential.name, 'Till')
      const listed = JSON.parse((await cartwright(['keys', 'list', '--json'], settings)).out)
      const statuses = Object.fromEntries(
        listed.keys.map((key: { id: string; status: string }) => [key.id, key.status]),
      )
      assert.deepEqual([statuses[made.key.id], statuses[rotated.key.id]], ['expired', 'active'])
      assert.ok(!JSON.stringify(listed).includes(made.secret.slice(21, 51)))
      assert.equal((await cartwright(['keys', 'revoke', rotated.key.id], settings)).code, 0)
      // Another process made the change, so this node sees it when its two seconds of trust have passed.
      await until(async () => (await getJson(identity, rotated.secret)).status === 401, 'the end of the key')
      assert.equal((await getJson(identity, made.secret)).status, 401)
      assert.deepEqual(await cartwright(['keys', 'revoke', 'key_nothing'], settings), {
        code: 1,
        out: '',
        err: 'cartwright: There is no key key_nothing.\n',
      })
      await server.stop()
    })

    test('apply prints the difference, and changes nothing on a dry run or when repeated', async () => {
      const settings = await environment(given.freshUrl())
      const folder = await tempFolder()
      const file = join(folder, 'shop.yaml')
      await writeFile(
        file,
        [
          'merchant: { slug: tea, name: Tea House, currency: GBP, country: GB }',
          'categories: [{ slug: black, name: Black tea }]',
          'products:',
          '  - { slug: assam, name: Assam, categories: [black], skus: [{ code: ASSAM, price: 450, stock: 12 }] }',
          'payments: [{ mode: live, method: cash_on_delivery }]',
          'taxes: [{ country: GB, rate: 0 }]',
          'shipping: [{ zone: home, countries: [GB], options: [{ id: post, label: Post, amount: 320 }] }]',
          'installations: [{ name: Web, mode: live, redirectHosts: [tea.example] }]',
        ].join('\n'),
      )
      assert.equal((await cartwright(['migrate'], settings)).code, 0)
      const dry = await cartwright(['apply', file, '--dry-run'], settings)
      assert.equal(dry.code, 0)
      assert.equal(
        dry.out,
        [
          '+ merchant tea',
          '+ category black',
          '+ taxes (1)',
          '+ shipping (1)',
          '~ payment method live cash_on_delivery',
          '    enabled: false → true',
          '+ installation Web',
          '+ product assam',
          '+ sku ASSAM',
          '8 would change, 0 products unchanged, 0 refused',
          '',
        ].join('\n'),
      )
      const real = await cartwright(['apply', file], settings)
      assert.equal(real.out, dry.out.replace('would change', 'changed'))
      assert.equal((await cartwright(['apply', file], settings)).out, '0 changed, 1 products unchanged, 0 refused\n')

      await writeFile(file, (await readFile(file, 'utf8')).replace('450, stock: 12', '480, stock: 99'))
      assert.equal(
        (await cartwright(['apply', file], settings)).out,
        '~ sku ASSAM\n    price: 450 → 480\n1 changed, 0 products unchanged, 0 refused\n',
      )
      assert.match((await cartwright(['apply', file, '--stock'], settings)).out, /onHand: 12 → 99/)
      assert.deepEqual(JSON.parse((await cartwright(['doctor', '--json'], settings)).out), {
        healthy: true,
        engine,
        pendingMigrations: 0,
        checked: invariants.length,
        findings: [],
        deferredRows: [],
        warnings: [],
        needsPerson: [],
      })
    })

    test('doctor names the rows that a loop skips, and does not report them as violated invariants', async () => {
      const settings = await environment()
      const storage = await openStorage(settings.CARTWRIGHT_DATABASE_URL ?? '')
      const now = Date.now()
      await handleEach(
        { storage, loop: 'carts', now },
        ['cart_1'],
        (rowId) => ({ tenantId: 'ins_1', rowId }),
        () => Promise.reject(new RangeError('too large')),
      ).catch((error: unknown) => assert.ok(error instanceof RowsFailed))
      await storage.close()
      const retryAt = new Date(now + 60_000).toISOString()
      const { code, out } = await cartwright(['doctor'], settings)
      assert.equal(code, 0)
      assert.ok(
        out.startsWith(
          `! the background loop carts failed to process cart_1 of ins_1 once (RangeError); next attempt at ${retryAt}\n✓`,
        ),
        out,
      )
      assert.deepEqual(JSON.parse((await cartwright(['doctor', '--json'], settings)).out).deferredRows, [
        {
          loop: 'carts',
          tenantId: 'ins_1',
          rowId: 'cart_1',
          failures: 1,
          errorCode: 'RangeError',
          failedAt: new Date(now).toISOString(),
          retryAt,
        },
      ])
    })

    test('import reads a real export, reports every refused row with its reason, and changes nothing when repeated', async () => {
      const settings = await environment()
      const file = join(await tempFolder(), 'shop.json')
      await writeFile(
        file,
        JSON.stringify({
          merchant: { slug: 'moved', name: 'Moved', currency: 'EUR', country: 'DE' },
          installations: [{ name: 'Web', mode: 'test' }],
        }),
      )
      await cartwright(['apply', file], settings)
      const first = await cartwright(['import', join(fixtures, 'classic.csv')], settings)
      assert.equal(first.code, 1, 'rows were refused')
      assert.match(first.out, /^! line \d+ \(.+\): /m)
      assert.match(first.out, /^\d+ created, 0 changed, 0 unchanged, \d+ rows refused$/m)
      const report = JSON.parse((await cartwright(['import', join(fixtures, 'classic.csv'), '--json'], settings)).out)
      assert.deepEqual([report.created, report.changed], [0, 0])
      assert.ok(report.unchanged >= 10)
      assert.equal((await cartwright(['import', join(fixtures, 'new-headers.csv')], settings)).code, 0)
      const server = await serveHere(settings)
      const key = keyIn((await cartwright(['keys', 'create', '--name', 'Web'], settings)).out)
      const { body } = await getJson(`${server.origin}/api/v1/open/catalog/products`, key)
      const slugs = body.data.map((product: { slug: string }) => product.slug)
      assert.ok(slugs.includes('garden-gloves-00a8054c') && slugs.includes('oak-board'))
      assert.equal(new Set(slugs).size, body.data.length)
      assert.ok(!slugs.includes('untitled') && !slugs.includes('sample-swatch'))
      await server.stop()
      assert.equal((await cartwright(['doctor'], settings)).code, 0)
    })

    test('the server starts again with its data after kill -9', async () => {
      const settings = await environment()
      const server = await serve(settings)
      const key = keyIn(server.printed())
      await server.stop('SIGKILL')
      const again = await serveHere(settings)
      if (engine === 'sqlite') assert.match(again.printed(), /integrity|checked|clean/i)
      assert.equal((await getJson(`${again.origin}/api/v1/open/installation/identity`, key)).status, 200)
      assert.equal(await again.stop(), 0)
    })

    test('a second server is refused on SQLite, and works on PostgreSQL', async () => {
      if (engine === 'sqlite') {
        const settings = await environment()
        const server = await serve(settings, ['--no-demo'])
        const second = await cartwright(['serve'], { ...settings, PORT: '0' })
        assert.match(second.err, /another Cartwright server/)
        assert.equal(second.code, 1)
        await server.stop()
        return
      }
      const settings = await environment(given.freshUrl())
      const [one, other] = await Promise.all([serve(settings), serveHere(settings)])
      assert.ok(one && other)
      const key = keyIn(one.printed()) || keyIn(other.printed())
      for (const { origin } of [one, other]) {
        const { body } = await getJson(`${origin}/api/v1/open/catalog/products`, key)
        assert.ok(body.data.length >= 38)
      }
      assert.deepEqual(await Promise.all([one.stop(), other.stop()]), [0, 0])
      assert.equal((await cartwright(['doctor'], settings)).code, 0)
    })
  })
}

describe('the command line', () => {
  test('prints help, and reports misuse in one line', async () => {
    const folder = await tempFolder()
    const settings = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'a.db')}` }
    assert.equal((await cartwright(['migrate'], settings)).code, 0)
    const overview = await cartwright(['--help'], settings)
    assert.equal(overview.code, 0)
    for (const name of ['serve', 'migrate', 'demo', 'apply', 'import', 'keys', 'doctor', 'openapi']) {
      assert.match(overview.out, new RegExp(`^  ${name} `, 'm'))
      const help = await cartwright([name, '--help'], settings)
      assert.equal(help.code, 0)
      assert.match(help.out, /--help/)
    }
    for (const [args, code, line] of [
      [['frobnicate'], 2, 'There is no command frobnicate: `cartwright --help` lists the commands.\n'],
      [
        ['apply'],
        2,
        'apply needs the argument FILE\nUsage: cartwright apply [FILE] [--dry-run] [--stock] [--schema]\n',
      ],
      [
        ['keys', 'list'],
        1,
        'cartwright: There is no merchant yet: apply a shop file with `apply`, or create the demo shop with `demo`.\n',
      ],
    ] as const) {
      const { code: got, err } = await cartwright(args, settings)
      assert.deepEqual([got, err], [code, line])
    }
    const missing = await cartwright(['apply', join(folder, 'nothing.yaml')], settings)
    assert.match(missing.err, /^cartwright: cannot read .*nothing\.yaml: ENOENT/)
  })

  test('every problem of an invalid shop file is reported, and nothing is created', async () => {
    const folder = await tempFolder()
    const settings = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'a.db')}` }
    const file = join(folder, 'bad.yaml')
    await writeFile(
      file,
      [
        'merchant: { slug: tea, name: Tea, currency: XXX, country: GB }',
        'categories: [{ slug: a, name: A, parent: b }, { slug: b, name: B, parent: a }]',
        'products:',
        '  - { slug: one, name: One, categories: [nowhere], skus: [{ code: X, price: 1 }, { code: X, price: 2 }] }',
      ].join('\n'),
    )
    const { code, out } = await cartwright(['apply', file, '--json'], settings)
    assert.equal(code, 1)
    const paths = JSON.parse(out).problems.map((problem: { path: string }) => problem.path)
    assert.deepEqual(paths, [
      '/merchant/currency',
      '/categories/0/parent',
      '/categories/1/parent',
      '/products/0/skus/1/code',
      '/products/0/skus/1/options',
      '/products/0/categories/0',
    ])
    await assert.rejects(stat(join(folder, 'a.db')))
  })

  test('an invalid setting stops the start with an error of one line', async () => {
    const folder = await tempFolder()
    const url = `sqlite:${join(folder, 'a.db')}`
    for (const [settings, pattern] of [
      [{ PORT: 'many' }, /^cartwright: PORT must be a number from 0 to 65535, not "many"\.\n$/],
      [
        { CARTWRIGHT_DATABASE_URL: 'mysql://me:secret@host/x' },
        /^cartwright: CARTWRIGHT_DATABASE_URL must be sqlite:<path> or postgres/,
      ],
      [{ CARTWRIGHT_PUBLIC_URL: 'shop.example.com' }, /^cartwright: CARTWRIGHT_PUBLIC_URL must be an origin/],
      [{ CARTWRIGHT_PUBLIC_URL: 'http://shop.example.com' }, /^cartwright: Apps are installed over https only/],
      [{ CARTWRIGHT_RATE_LIMIT: 'fast' }, /^cartwright: CARTWRIGHT_RATE_LIMIT must be/],
      [{ CARTWRIGHT_SECRET: 'short' }, /^cartwright: CARTWRIGHT_SECRET: /],
      [
        { NODE_ENV: 'production', CARTWRIGHT_PUBLIC_URL: 'https://shop.example.com' },
        /^cartwright: CARTWRIGHT_SECRET is required when NODE_ENV is production and CARTWRIGHT_PUBLIC_URL is set/,
      ],
      [
        { NODE_ENV: 'production', HOST: '0.0.0.0', CARTWRIGHT_SECRET: 'a-root-secret-that-only-this-test-knows' },
        /^cartwright: CARTWRIGHT_PUBLIC_URL is required when NODE_ENV is production and HOST is not a loopback address: .* https:\/\/shop\.example\.com\n$/,
      ],
      [{ LOG_LEVEL: 'loud' }, /^cartwright: LOG_LEVEL must be one of/],
      [{ CARTWRIGHT_TRUSTED_PROXIES: 'balancer' }, /^cartwright: CARTWRIGHT_TRUSTED_PROXIES must be/],
    ] as const) {
      const { code, out, err } = await cartwright(['serve'], { CARTWRIGHT_DATABASE_URL: url, ...settings })
      assert.equal(code, 1)
      assert.match(err, pattern)
      assert.equal(out, '')
      assert.ok(!err.includes('secret@') && !err.includes('short'))
    }
  })

  test('in production the server starts without a shop and writes its log as pure JSON', async () => {
    const folder = await tempFolder()
    const server = await serve({
      CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'a.db')}`,
      CARTWRIGHT_SECRET: 'a-root-secret-that-only-this-test-knows',
      CARTWRIGHT_PUBLIC_URL: 'https://shop.example.com',
      NODE_ENV: 'production',
    })
    assert.equal((await fetch(`${server.origin}/`)).status, 200)
    assert.equal(await server.stop(), 0)
    // The link of the first start goes to the error output.
    const lines = server.printed().trim().split('\n')
    const [log, rest] = [lines.filter((line) => line.startsWith('{')), lines.filter((line) => !line.startsWith('{'))]
    for (const line of log) assert.ok(JSON.parse(line).message)
    assert.match(rest.join('\n'), /^\s*This server has no shop yet\.[^{}]*\/admin\/setup\/[\w-]{43}\s*$/)
    assert.ok(!log.some((line) => line.includes('/admin/setup/')))
    assert.ok(!server.printed().includes('cwk_'))
  })

  test('in production without a public address the server listens only on this machine; with one, it refuses a root secret beside the database', async () => {
    const folder = await tempFolder()
    const settings = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'a.db')}`, NODE_ENV: 'production' }
    const server = await serve(settings)
    const [, link = ''] = /(http\S+\/admin\/setup\/\S+)/.exec(server.printed()) ?? []
    assert.equal((await fetch(link)).status, 200)
    assert.match(server.printed(), /"host":"127\.0\.0\.1"/)
    assert.equal(await server.stop(), 0)
    const file = join(folder, 'secret')
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const open = { ...settings, CARTWRIGHT_PUBLIC_URL: 'https://shop.example.com' }
    const { code, err } = await cartwright(['serve'], open)
    assert.deepEqual([code, err.includes(`is in ${file}: move the file to another folder`)], [1, true])
    const moved = join(await tempFolder(), 'secret')
    await rename(file, moved)
    const next = await serve({ ...open, CARTWRIGHT_SECRET_FILE: moved })
    assert.equal(await next.stop(), 0)
  })

  test('the root secret is created once, in the folder of the database, and only its owner can read it', async () => {
    const folder = await tempFolder()
    const settings = { CARTWRIGHT_DATABASE_URL: `sqlite:${join(folder, 'deep', 'a.db')}` }
    await cartwright(['migrate'], settings)
    const before = await readFile(join(folder, 'deep', 'secret'), 'utf8').catch(() => '')
    await cartwright(['demo'], settings)
    const secret = await readFile(join(folder, 'deep', 'secret'), 'utf8')
    if (before !== '') assert.equal(secret, before)
    assert.equal((await stat(join(folder, 'deep', 'secret'))).mode & 0o777, 0o600)
  })
})
