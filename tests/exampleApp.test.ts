// The example app, as somebody meets it who follows its README: two processes, one real browser, from the button that
// installs it to the key that is refused after it was uninstalled. And the guide for apps, held against the facts.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { cartwright } from '../harness/commandline.ts'
import { type Environment, type Server, serve, tempFolder } from '../harness/process.ts'
import { violations } from '../harness/readable.ts'
import { type Given, givenEngine } from '../harness/storage.ts'
import { isWide } from '../harness/wide.ts'
import { operations } from '../src/contract/open/operations.ts'
import { openInterfaceScopes as scopes } from '../src/contract/words.ts'
import { oauthPaths } from '../src/domain/oauth/metadata.ts'

const root = join(import.meta.dirname, '..')
const program = join(root, 'examples', 'app', 'server.ts')

// Set to a folder, this leaves pictures there to look at.
const pictures = process.env.PAGE_PICTURES

const looks = {
  desktop: { viewport: { width: 1280, height: 900 }, colorScheme: 'light' },
  telephone: { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>

const acts: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  'is declined, and nothing is installed': async (scene) => {
    const tab = await scene.open('telephone')
    await tab.page.goto(otherName(scene.appUrl))
    assert.equal(tab.page.url(), `${scene.appUrl}/`, 'however one comes, cookies and the way back are of one name')
    await tab.look('app-start')
    await tab.page.getByRole('button', { name: 'Install on your shop' }).click()
    await tab.page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await tab.look('sign-in')
    await signIn(tab.page, scene.user)
    await tab.page.getByRole('heading', { name: 'Connect Example app to your shop?' }).waitFor()
    await tab.look('consent')
    await tab.page.getByRole('button', { name: 'Decline' }).click()
    await tab.page.getByText('You declined. Nothing was installed.').waitFor()
    await tab.look('app-declined')
    assert.deepEqual(await scene.installations(), [])
    tab.assertQuiet()
  },

  'is installed, sells, receives the webhook, refreshes its token, and is uninstalled': async (scene) => {
    const tab = await scene.open('desktop')
    const { page } = tab
    await page.goto(scene.appUrl)
    await tab.look('app-start')
    await page.getByRole('button', { name: 'Install on your shop' }).click()
    await signIn(page, { ...scene.user, password: 'not the password' })
    await page.getByText('The e-mail address or password is not correct.').waitFor()
    assert.ok(page.url().startsWith(scene.shopUrl), 'the app never sees a password')
    await tab.look('sign-in-failed')
    await signIn(page, scene.user)

    await page.getByRole('heading', { name: 'Connect Example app to your shop?' }).waitFor()
    await tab.look('consent')
    await page.getByRole('radio', { name: 'Alder & Finch' }).check()
    await page.getByRole('checkbox', { name: 'See its webhooks' }).uncheck()
    await page.getByRole('button', { name: 'Approve' }).click()

    await page.getByRole('heading', { name: 'Installed on Alder & Finch' }).waitFor()
    assert.equal(page.url(), `${scene.appUrl}/`, 'the code does not stay in the address')
    await tab.look('app-installed')
    const facts = await page.locator('dl').innerText()
    assert.match(facts, /May\s+catalog:read\s/)
    assert.match(facts, /cwk_test_\w*…\w{4}/)
    const [installation] = await scene.installations()
    assert.deepEqual([installation?.scopes, installation?.endedAt], [['catalog:read'], null])
    const id = installation?.id ?? ''

    await page.getByRole('button', { name: 'Refresh the token' }).click()
    await page.getByText('The token was refreshed.').waitFor()
    await page.getByText('refreshed 1 times').waitFor()

    const hook = `${scene.appUrl}/webhooks/${id}`
    const forge = (url: string) => fetch(url, { method: 'POST', body: '{}' }).then(({ status }) => status)
    assert.equal(await forge(hook), 503, 'not before the secret is known')
    const command = await page.locator('pre').innerText()
    const words = command.replaceAll("'", '').split(' ').slice(5)
    assert.deepEqual(words.slice(0, 2), ['webhooks', 'add'])
    const { secret } = await scene.say(...words)
    await page.getByLabel('Secret of the endpoint').fill('nothing like it')
    await page.getByRole('button', { name: 'Use this secret' }).click()
    await page.getByText('That is no secret of an endpoint').waitFor()
    await page.getByLabel('Secret of the endpoint').fill(secret)
    await page.getByRole('button', { name: 'Use this secret' }).click()
    await page.getByText('Calls are verified with this secret').waitFor()
    assert.deepEqual([await forge(hook), await forge(`${hook}0`)], [401, 410])

    await page.getByRole('button', { name: 'Make a checkout' }).click()
    await page.getByRole('link', { name: /^Pay for / }).click()
    await page.waitForURL(`${scene.shopUrl}/c/**`)
    await pay(page)
    await page.waitForURL(`${scene.appUrl}/`)
    await page.getByText(/^The checkout of .* is completed\.$/).waitFor()
    await until(page, 'order.paid')
    assert.match(await page.locator('.events').innerText(), /order\.placed/)
    await tab.look('app-sold')

    await page.getByRole('button', { name: 'Uninstall' }).click()
    await page.getByText('The app is uninstalled. The shop refuses its key from now on.').waitFor()
    await tab.look('app-uninstalled')
    assert.notEqual((await scene.installations())[0]?.endedAt, null)
    await page.goto(scene.appUrl)
    await page.getByRole('button', { name: 'Install on your shop' }).waitFor()
    assert.equal(await forge(hook), 410)
    tab.assertQuiet()
  },

  'notices that the shop ended the installation': async (scene) => {
    const { page } = await scene.open('desktop')
    await install(page, scene)
    await page.getByText('Now it calls nobody.').waitFor()
    const living = (await scene.installations()).filter(({ endedAt }) => endedAt === null)
    assert.equal(living.length, 1)
    await scene.say('apps', 'uninstall', living[0]?.id ?? '')
    // A key that was just used is known to the server for a moment, when it is another process that ends it.
    await until(page, 'The shop has ended this installation.')
  },

  'refuses the authorization code of another browser and a form of another site': async (scene) => {
    const mine = (await scene.open('desktop')).page
    const stranger = await fetch(`${scene.appUrl}/callback?code=x&state=y`)
    assert.deepEqual([stranger.status, /not begun here/.test(await stranger.text())], [400, true])

    // A code that somebody else got for their own shop, brought to a browser that is under way with its own.
    await mine.goto(scene.appUrl)
    const theirs = (await scene.open('desktop')).page
    let answer = ''
    theirs.on('request', (request) => {
      if (request.url().startsWith(`${scene.appUrl}/callback`)) answer = request.url()
    })
    await install(theirs, scene)
    assert.match(answer, /code=/)
    await mine.getByRole('button', { name: 'Install on your shop' }).click()
    await mine.getByRole('heading', { name: 'Sign in' }).waitFor()
    await mine.goto(answer)
    await mine.getByText('The app could not be installed').waitFor()
    await theirs.reload()
    // A code that is shown a second time ends what it was for, so the app did not show it.
    await theirs.getByRole('heading', { name: 'Installed on Alder & Finch' }).waitFor()

    for (const headers of [{}, { origin: scene.shopUrl }, { origin: scene.appUrl, 'sec-fetch-site': 'cross-site' }]) {
      const { status } = await fetch(`${scene.appUrl}/uninstall`, { method: 'POST', headers })
      assert.equal(status, 403)
    }
  },
}

// One scene for all of them: what a process needs is ended with the test that began it. On one engine: the protocol is
// tested on both elsewhere, and what is tested here is the example.
describe('the example app', () => {
  const given = givenEngine('sqlite')
  browserSuite.test('works from the first button to the last', async (t) => {
    const scene = await openScene(given.shared)
    for (const [name, act] of Object.entries(acts)) await t.test(name, () => act(scene))
    await scene.close()
  })
})

test('without a client id the example reports that it is missing', async () => {
  const { child, printed } = startApp({})
  const [code] = (await once(child, 'close')) as [number]
  assert.equal(code, 1)
  assert.match(printed(), /^Set CLIENT_ID .*\n$/)
})

describe('the guide of the example app', () => {
  test('names every scope, every operation that a scope opens, and every endpoint', async () => {
    const guide = await readFile(join(root, 'docs', 'oauth.md'), 'utf8')
    for (const scope of scopes) {
      const [row = ''] = guide.split('\n').filter((line) => line.startsWith(`| \`${scope}\``))
      for (const [id, operation] of Object.entries(operations)) {
        assert.equal(row.includes(`\`${id}\``), operation.scope === scope, `${scope} and ${id}`)
      }
    }
    for (const path of [
      oauthPaths.metadata,
      oauthPaths.resourceMetadata,
      oauthPaths.authorization,
      oauthPaths.token,
      oauthPaths.jwks,
    ])
      assert.ok(guide.includes(`\`${path}\``), path)
    for (const path of [oauthPaths.pushedAuthorization, oauthPaths.revocation, oauthPaths.installationKeys])
      assert.ok(guide.includes(`\`${path}\``), path)
  })

  test('links only to existing files', async () => {
    for (const file of ['docs/oauth.md', 'examples/app/README.md']) {
      const text = await readFile(join(root, file), 'utf8')
      for (const [, target = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)\)/g))
        assert.ok(existsSync(join(root, file, '..', target)), `${file} leads to ${target}`)
    }
  })

  test('contains the present code of the example', async () => {
    const guide = await readFile(join(root, 'docs', 'oauth.md'), 'utf8')
    const source = await readFile(join(root, 'examples', 'app', 'install.ts'), 'utf8')
    const plain = (text: string) => text.replaceAll(/\s+/g, ' ')
    const shown = [...guide.matchAll(/<!-- from install\.ts -->\n```ts\n(.*?)```/gs)].map(([, code = '']) => code)
    assert.ok(shown.length >= 4)
    for (const code of shown) assert.ok(plain(source).includes(plain(code).trim()), code)
  })
})

interface Scene {
  shopUrl: string
  appUrl: string
  user: { email: string; password: string }
  // A window of a browser that nobody has used before.
  open(look: keyof typeof looks): Promise<Tab>
  // A command of the operator, which must succeed.
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  say(...args: string[]): Promise<any>
  installations(): Promise<{ id: string; scopes: string[]; endedAt: string | null }[]>
  // Ends all of it, and asks whether the shop is sound.
  close(): Promise<void>
}

interface Tab {
  page: Page
  // Holds the page against the rules for everyone, once it is complete, and leaves a picture if one is requested.
  look(name: string): Promise<void>
  // Nothing was complained of, and nobody else was asked for anything.
  assertQuiet(): void
}

async function openScene(given: Given): Promise<Scene> {
  const settings: Environment = {
    CARTWRIGHT_DATABASE_URL: await given.freshUrl(),
    CARTWRIGHT_SECRET: 'a-root-secret-for-tests-that-is-long-enough',
    CARTWRIGHT_WEBHOOK_ALLOW_PRIVATE: '1',
  }
  async function say(...args: string[]) {
    const { code, out, err } = await cartwright([...args, '--json'], settings)
    assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`)
    return JSON.parse(out)
  }
  const server: Server = await serve(settings)
  const shopUrl = otherName(server.origin)
  const { user } = await say('demo')
  const file = join(await tempFolder(), 'tea.json')
  // The port of the app is known once it runs, and it runs once its client id is known.
  async function applyApp(redirectUri: string): Promise<void> {
    const merchant = { slug: 'tea', name: 'Tea House', currency: 'GBP', country: 'GB' }
    const app = { name: 'Example app', redirectUris: [redirectUri], scopes: ['catalog:read', 'webhooks:read'] }
    await writeFile(file, JSON.stringify({ merchant, apps: [app] }))
    await say('apply', file)
  }
  await applyApp('http://127.0.0.1:9/callback')
  await say('users', 'merchants', user.email, '--merchant', 'alder-finch,tea')
  const { clientId } = await say('apps', 'show', 'Example app')
  const app = startApp({ SHOP_URL: shopUrl, CLIENT_ID: clientId, PORT: '0' })
  const appUrl = await app.listening
  await applyApp(`${appUrl}/callback`)
  const browser = await launchBrowser()
  return {
    shopUrl,
    appUrl,
    user,
    open: (look) => openTab(browser, look, [shopUrl, appUrl, otherName(appUrl)]),
    say,
    installations: async () => (await say('apps', 'installations', 'Example app')).installations,
    async close() {
      await browser.close()
      app.child.kill()
      await app.closed
      assert.equal(await server.stop(), 0)
      assert.equal((await cartwright(['doctor'], settings)).code, 0)
    },
  }
}

function otherName(url: string): string {
  return url.replace('127.0.0.1', 'localhost')
}

interface RunningApp {
  child: ChildProcess
  closed: Promise<unknown>
  printed: () => string
  // Where it is, once it listens.
  listening: Promise<string>
}

function startApp(settings: Environment): RunningApp {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    env: { PATH: process.env.PATH ?? '', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close')
  let printed = ''
  const listening = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        printed += text
        const [, url] = /The app is at (\S+)\/ /.exec(printed) ?? []
        if (url !== undefined) resolve(url)
      })
    closed.then(() => reject(new Error(`the app ended: ${printed}`)))
  })
  listening.catch(() => {})
  after(() => void child.kill())
  return { child, closed, printed: () => printed, listening }
}

const patienceMs = 15_000

async function openTab(browser: Browser, look: keyof typeof looks, origins: readonly string[]): Promise<Tab> {
  const context = await browser.newContext(looks[look])
  context.setDefaultTimeout(patienceMs)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    // The status of a page is told there too, and is meant.
    if (!message.text().includes('the server responded with a status')) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  context.on('request', (request) => {
    if (!origins.includes(new URL(request.url()).origin)) complaints.push(`asked ${request.url()}`)
  })
  return {
    page,
    async look(name) {
      await page.waitForLoadState()
      // The pages of OAuth are looked at in tests/oauthPages.test.ts, each in every state.
      if (isWide || name.startsWith('app-'))
        assert.deepEqual([name, await violations(page, ['best-practice'])], [name, []])
      const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert.equal(tooWide, 0, `${name} is too wide`)
      if (pictures === undefined) return
      mkdirSync(pictures, { recursive: true })
      await page.screenshot({ path: join(pictures, `${look}-${name}.png`), fullPage: true })
    },
    assertQuiet: () => assert.deepEqual(complaints, []),
  }
}

async function signIn(page: Page, { email, password }: Scene['user']): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function install(page: Page, { appUrl, user }: Scene): Promise<void> {
  await page.goto(appUrl)
  await page.getByRole('button', { name: 'Install on your shop' }).click()
  await signIn(page, user)
  await page.getByRole('radio', { name: 'Alder & Finch' }).check()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByRole('heading', { name: 'Installed on Alder & Finch' }).waitFor()
}

async function pay(page: Page): Promise<void> {
  await page.selectOption('[name=country]', 'DE')
  await page.locator('[name=region]').waitFor({ state: 'detached' })
  await page.fill('[name=email]', 'ada@example.com')
  await page.fill('[name=name]', 'Ada Lovelace')
  await page.fill('[name=line1]', 'Unter den Linden 1')
  await page.fill('[name=city]', 'Berlin')
  await page.fill('[name=postalCode]', '10117')
  await page.locator('#details-save').click()
  await page.locator('[name="card.number"]:enabled').fill('4242 4242 4242 4242')
  await page.fill('[name="card.expiry"]', '12/40')
  await page.fill('[name="card.cvc"]', '123')
  await page.fill('[name="card.name"]', 'Ada Lovelace')
  await page.getByRole('button', { name: /^Pay/ }).click()
}

// Looks again until it is there; calls come a moment after the fact. By its address and not by the link: a click does not
// wait for the page it leads to, and the one that is told of the end has no such link.
async function until(page: Page, text: string): Promise<void> {
  const deadline = Date.now() + patienceMs
  while ((await page.getByText(text).count()) === 0) {
    assert.ok(Date.now() < deadline, `${text} did not come`)
    await pause(100)
    await page.goto(new URL('/', page.url()).href)
  }
}
