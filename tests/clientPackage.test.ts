// The client as it is published: packed, installed in an empty project, compiled and run as docs/client.md says.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { publint } from 'publint'
import demo from '../apps/demo/shop.json' with { type: 'json' }
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { berlin } from '../harness/carts.ts'
import { checkoutOf, secretOf } from '../harness/checkout.ts'
import { placeOfData } from '../harness/folder.ts'
import { blocksBelow, pageText, root } from '../harness/prose.ts'
import { anyEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { webhooksOf } from '../harness/webhooks.ts'
import { publishableScopes } from '../src/contract/words.ts'
import type { ShopFile } from '../src/ops/provisioning/shopfile.ts'
import { createKey } from '../src/platform/access/keys.ts'

const run = promisify(execFile)
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const quickstart = '## Five minutes to a paid order'

// The oldest Node that the package promises to run on, where the machine has it beside ours.
async function oldNodes(): Promise<string[]> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const found = await Promise.all(
    [...new Set(folders)].map(async (folder) => {
      const path = join(folder, 'node')
      const version = await run(path, ['--version']).then(
        ({ stdout }) => stdout,
        () => '',
      )
      return version.startsWith('v20.') ? [path] : []
    }),
  )
  return found.flat().slice(0, 1)
}

anyEngine('the published client', (given) => {
  let testServer: TestServer
  let folder: string
  let project: string
  let installed: string
  const blocks = new Map<string, string>()
  before(async () => {
    testServer = await openTestServer(given, { shops: [demo as ShopFile] })
    folder = await mkdtemp(join(await placeOfData(), 'client-'))
    const source = join(folder, 'source')
    project = join(folder, 'project')
    installed = join(project, 'node_modules/@cartwright/client')
    await mkdir(source)
    await mkdir(project)
    for (const name of ['package.json', 'README.md']) await cp(join(root, 'packages/client', name), join(source, name))
    await run(process.execPath, [
      tsc,
      '-p',
      join(root, 'packages/client/tsconfig.json'),
      '--outDir',
      join(source, 'dist'),
    ])
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: source })
    const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? ''
    await writeFile(join(project, 'package.json'), '{ "type": "module", "private": true }')
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', join(folder, tarball)], { cwd: project })

    const page = await pageText('docs/client.md')
    const [install, buy, paid] = blocksBelow(page, quickstart)
    assert.ok(install?.text.includes(`/${tarball}\n`), 'the page installs the file that is packed')
    const [webhook, admin, oauth] = blocksBelow(page, '## How it behaves')
    const [next, express, worker, html, shop] = blocksBelow(page, '## Recipes')
    for (const [name, block] of Object.entries({
      'buy.js': buy,
      'paid.js': paid,
      'webhook.ts': webhook,
      'admin.ts': admin,
      'oauth.ts': oauth,
      'next.ts': next,
      'express.ts': express,
      'worker.ts': worker,
      'index.html': html,
      'shop.html': shop,
    })) {
      assert.ok(block, name)
      blocks.set(name, block.text)
      await writeFile(join(project, name), block.text)
    }
  })
  after(() => rm(folder, { recursive: true, force: true }))

  test('contains every file that its exports name, and imports no other package', async () => {
    const { exports, version, dependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
    assert.equal(dependencies, undefined)
    assert.equal(version, JSON.parse(await pageText('package.json')).version)
    const files = (await readdir(installed, { recursive: true })).sort()
    for (const target of Object.values<string | Record<string, string>>(exports).flatMap((value) =>
      Object.values(Object(value)),
    ))
      if (typeof target === 'string' && target.startsWith('./')) assert.ok(files.includes(target.slice(2)), target)
    const code = files.filter((name) => name.endsWith('.js'))
    for (const name of code) {
      assert.ok(files.includes(name.replace(/\.js$/, '.d.ts')), name)
      const text = await readFile(join(installed, name), 'utf8')
      for (const [, from] of text.matchAll(/\bfrom ['"]([^'"]+)['"]/g))
        assert.match(from ?? '', /^\.{1,2}\/[\w/]+\.js$/)
      assert.doesNotMatch(text, /\b(?:console|process|Buffer|require)\b[.(]/, name)
    }
    assert.deepEqual(
      files.filter((name) => !/^(?:dist|dist\/.*|README\.md|package\.json)$/.test(name)),
      [],
    )
  })

  test('has no findings of publint', async () => {
    const { messages } = await publint({ pkgDir: installed, pack: false, level: 'suggestion', strict: true })
    assert.deepEqual(messages, [])
  })

  test('is smaller than 8 KB compressed if only the open API is used', async () => {
    const seen = new Set<string>()
    async function load(name: string): Promise<string> {
      if (seen.has(name)) return ''
      seen.add(name)
      const text = await readFile(join(installed, 'dist', name), 'utf8')
      const below = [...text.matchAll(/from ['"]\.\/([^'"]+)['"]/g)].map(([, path]) => load(path ?? ''))
      return text + (await Promise.all(below)).join('')
    }
    const size = gzipSync(await load('index.js')).length
    assert.ok(size < 8_192, `${size} bytes`)
    assert.ok(![...seen].some((name) => name.includes('admin')))
  })

  for (const resolution of [
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ]) {
    test(`compiles the examples of the guide in strict mode (${resolution.at(-1)})`, async () => {
      await writeFile(
        join(project, 'given.d.ts'),
        `declare const process: { env: Record<string, string | undefined>; argv: string[] }
         declare module 'express' {
           interface App { post(path: string, ...handlers: unknown[]): void; listen(port: number): void }
           type Handler = (request: { body: Uint8Array; headers: Record<string, string | string[] | undefined> }, response: { sendStatus(status: number): void }) => Promise<void>
           interface Express { (): { post(path: string, body: unknown, handler: Handler): void; listen(port: number): void }; raw(options: { type: string }): unknown }
           const express: Express
           export default express
         }`,
      )
      const files = [...blocks.keys()].filter((name) => /\.[jt]s$/.test(name))
      const flags = [
        '--noEmit',
        '--strict',
        '--exactOptionalPropertyTypes',
        '--noUncheckedIndexedAccess',
        '--allowJs',
        '--checkJs',
      ]
      const lib = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--skipLibCheck', 'false', '--types', '']
      // A wrong member, name or code does not compile.
      await writeFile(
        join(project, 'wrong.ts'),
        `import { CartwrightError, createClient } from '@cartwright/client'
         const shop = createClient({ baseUrl: '', key: '' })
         // @ts-expect-error
         void shop.checkout.create({ successUrl: '' })
         // @ts-expect-error
         void shop.checkout.create({ items: [], cartId: '', successUrl: '' })
         // @ts-expect-error
         void shop.catalog.product()
         // @ts-expect-error
         void shop.catalog.product('').then(({ data }) => data.prize)
         // @ts-expect-error
         if (new Error() instanceof CartwrightError && (new Error() as CartwrightError).code === 'insuficient_stock') void 0
         void shop.carts.create()
         void shop.checkout.create({ cartId: '', successUrl: '', locale: undefined })`,
      )
      const compiled = await run(
        process.execPath,
        [tsc, ...flags, ...lib, ...resolution, 'given.d.ts', 'wrong.ts', ...files],
        { cwd: project },
      ).catch((error: { stdout: string }) => error)
      assert.equal(compiled.stdout, '')
    })
  }

  test('buys an item with the code of the guide, on this Node, and on Node 20 if the machine has it', async () => {
    for (const node of [process.execPath, ...(await oldNodes())]) {
      const settings = { cwd: project, env: { ...process.env, SHOP: testServer.origin, KEY: testServer.keys.full } }
      const { stdout } = await run(node, ['buy.js'], settings)
      assert.match(stdout, /^speckled-stoneware-mug /m)
      const [, url = ''] = /4242: (\S+)/.exec(stdout) ?? []
      const [, id = ''] = /paid\.js (\S+)/.exec(stdout) ?? []
      await pay(url)
      const paid = (await run(node, ['paid.js', id], settings)).stdout
      assert.match(paid, /^Order T-\d+ is paid: [\d.]+ EUR\nThe shopper follows it at \S+\/o\/\S+\n$/)
    }
  })

  async function pay(url: string): Promise<void> {
    const { look, pay } = await checkoutOf(testServer)
    const secret = secretOf(url)
    const seen = await look(secret)
    const contact = { email: 'ada@example.com', name: 'Ada Lovelace', phone: '' }
    const details = { contact, address: berlin, shippingOptionId: null }
    await testServer.app.checkout.setDetails(secret, seen.session.version, details)
    await pay(secret, await look(secret))
  }

  test('runs the recipes for Next, a worker and webhooks', async () => {
    const types = ['--target', 'es2022', '--module', 'nodenext', '--types', '', '--lib', 'es2022,dom,dom.iterable']
    await run(process.execPath, [tsc, ...types, 'given.d.ts', 'next.ts', 'worker.ts', 'webhook.ts'], { cwd: project })
    const skuId = (await checkoutOf(testServer)).carts.sku('MUG-STO-250-OAT')
    const program = `
      import { POST } from './next.js'
      import worker from './worker.js'
      import { POST as receive } from './webhook.js'
      const env = process.env
      const found = await worker.fetch(new Request('http://x/speckled-stoneware-mug'), env)
      const missing = await worker.fetch(new Request('http://x/nothing'), env)
      const bought = await POST(new Request('http://x', { method: 'POST', body: new URLSearchParams({ sku: env.SKU, once: 'one' }) }))
      const forged = await receive(new Request('http://x', { method: 'POST', body: '{}' }))
      console.log(found.status, missing.status, bought.status, bought.headers.get('location'), forged.status)`
    await writeFile(join(project, 'run.js'), program)
    const { stdout } = await run(process.execPath, ['run.js'], {
      cwd: project,
      env: {
        ...process.env,
        SHOP: testServer.origin,
        KEY: testServer.keys.full,
        SKU: skuId,
        SITE: 'http://localhost:9',
        WEBHOOK_SECRET: 'whsec_c2VjcmV0',
      },
    })
    assert.match(stdout, new RegExp(`^200 404 303 ${testServer.origin}/c/\\S+ 401\\n$`))
  })

  browserSuite.test(
    'runs in a browser from any origin without a key, and with a test key on its own origin',
    async () => {
      const browser = await launchBrowser()
      try {
        const page = await browser.newPage()
        const problems: string[] = []
        page.on('pageerror', (error) => problems.push(String(error)))
        const html = (blocks.get('index.html') ?? '').replace('http://localhost:4000', testServer.origin)
        await writeFile(join(project, 'index.html'), html)
        await page.goto(`${await served()}/index.html`)
        await page.getByRole('heading', { name: 'Speckled' }).waitFor()

        await page.route(`${testServer.origin}/node_modules/**`, async (route) =>
          route.fulfill(await file(new URL(route.request().url()).pathname)),
        )
        await page.route(`${testServer.origin}/own.html`, (route) =>
          route.fulfill({ body: '<p>', contentType: 'text/html' }),
        )
        await page.goto(`${testServer.origin}/own.html`)
        const outcome = await page.evaluate(
          async ({ module, baseUrl, key, body, headers, secret, now }) => {
            const { createClient, verifyWebhook } = await import(module)
            const shop = createClient({ baseUrl, key })
            const cart = await shop.carts.create()
            const event = await verifyWebhook(body, headers, secret, { now: new Date(now) })
            let refused = ''
            try {
              createClient({ baseUrl, key: 'cwk_live_x' })
            } catch (error) {
              refused = String(error)
            }
            return { status: cart.data.status, type: event.type, refused }
          },
          {
            ...(await fresh()),
            module: '/node_modules/@cartwright/client/dist/index.js',
            baseUrl: testServer.origin,
            key: testServer.keys.full,
            now: testServer.clock.now,
          },
        )
        assert.deepEqual([outcome.status, outcome.type], ['open', 'webhook.fixture'])
        assert.match(outcome.refused, /live key in a browser/)
        assert.deepEqual(problems, [])
      } finally {
        await browser.close()
      }
    },
  )

  browserSuite.test(
    'sells on a page of an allowed origin with a publishable key, and not on a page of another one',
    async () => {
      const [site, foreign] = [await served(), await served()]
      const owner = { id: testServer.installationId, ...testServer.seller }
      const input = { name: 'pages', scopes: publishableScopes, origins: [site], expiresAt: null }
      const { key } = await testServer.storage.write((tx) =>
        createKey(tx, testSecret, owner, input, testServer.clock.now),
      )
      const html = (blocks.get('shop.html') ?? '')
        .replace('http://localhost:4000', testServer.origin)
        .replace('cwp_test_…', key)
      await writeFile(join(project, 'shop.html'), html)
      const browser = await launchBrowser()
      try {
        const page = await browser.newPage()
        await page.goto(`${site}/shop.html`)
        await page.getByRole('heading', { name: 'Speckled' }).waitFor()
        await page.getByRole('button', { name: 'Buy' }).click()
        await page.waitForURL(`${testServer.origin}/c/*`)
        assert.match(await page.content(), /Speckled/)

        const failed = new Promise<string>((resolve) => page.on('pageerror', (error) => resolve(String(error))))
        await page.goto(`${foreign}/shop.html`)
        assert.match(await failed, /could not be reached/)
        assert.equal(await page.locator('h1').textContent(), '')
      } finally {
        await browser.close()
      }
      const made = await testServer.storage.read((db) => db.sql`select id from carts where public_key_id is not null`)
      assert.equal(made.length, 1)
    },
  )

  async function file(path: string) {
    const contentType = path.endsWith('.js') ? 'text/javascript' : 'text/html'
    return { contentType, body: await readFile(join(project, path)) }
  }

  // The project's folder, as any static host serves it.
  async function served(): Promise<string> {
    const host = createServer((request, response) => {
      void file(request.url ?? '').then(
        ({ contentType, body }) => response.writeHead(200, { 'content-type': contentType }).end(body),
        () => response.writeHead(404).end(),
      )
    }).listen(0, '127.0.0.1')
    given.later(async () => {
      host.closeAllConnections()
      host.close()
    })
    await once(host, 'listening')
    return `http://127.0.0.1:${(host.address() as AddressInfo).port}`
  }

  async function fresh() {
    const { endpointId } = await webhooksOf(testServer).given('failed')
    const { data } = (await testServer.ask('getInstallationWebhookSignatureFixture', { path: { id: endpointId } })).body
    return {
      body: data.fresh.body as string,
      headers: data.fresh.headers as Record<string, string>,
      secret: data.secret as string,
    }
  }
})
