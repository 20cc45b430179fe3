// Passkeys in a real browser with a virtual authenticator: added, used to sign in and to confirm, refused when repeated, removed.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { cartwright, serveHere } from '../harness/commandline.ts'
import { makeVerifier } from '../harness/oauth.ts'
import { tempFolder } from '../harness/process.ts'

const { test } = browserSuite

test('passkeys', async (t) => {
  const file = join(await tempFolder(), 'shop.db')
  const server = await serveHere({ CARTWRIGHT_DATABASE_URL: `sqlite:${file}` })
  // A host name: passkeys belong to one, and an address is not one.
  const origin = server.origin.replace('127.0.0.1', 'localhost')
  const [, email = '', password = ''] = / {2}sign in +(\S+) +password (\S+)/.exec(server.printed()) ?? []
  const browser = await launchBrowser()
  t.after(() => browser.close())

  function rows<Row>(sql: string): Row[] {
    const database = new DatabaseSync(file, { readOnly: true })
    try {
      return database.prepare(sql).all() as Row[]
    } finally {
      database.close()
    }
  }

  async function withAuthenticator(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
    const cdp = await page.context().newCDPSession(page)
    await cdp.send('WebAuthn.enable')
    const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    return { cdp, authenticatorId }
  }

  async function byPassword(page: Page): Promise<void> {
    await page.goto(`${origin}/admin/sign-in?next=/admin/account`)
    await page.fill('[name=email]', email)
    await page.fill('[name=password]', password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL(own)
  }

  const own = `${origin}/admin/alder-finch/account`
  const byPasskey = (page: Page) => page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  const signOut = async (page: Page) => {
    await page.locator('button.account').click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(/\/admin\/sign-in/)
  }
  const context = await browser.newContext()
  const page = await context.newPage()
  const device = await withAuthenticator(page)

  await t.test(
    'a passkey is added, named, and signs in without a password, which counts as a second factor',
    async () => {
      await byPassword(page)
      await page.getByRole('link', { name: 'Add a passkey' }).click()
      await page.getByLabel('Name of the passkey').fill('Laptop')
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page.getByText('Passkey added.').waitFor()
      // A link opens in a dialog once the script of the page has run.
      await page.waitForLoadState()
      const [stored] = rows<{ name: string; counter: number }>('select name, counter from user_passkeys')
      assert.equal(stored?.name, 'Laptop')
      await page.getByRole('link', { name: 'Rename Laptop' }).click()
      await page.getByRole('dialog').getByLabel('Name of the passkey').fill('Work laptop')
      await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
      await page.getByRole('link', { name: 'Rename Work laptop' }).waitFor()

      await signOut(page)
      await page.goto(`${origin}/admin/sign-in?next=/admin/account`)
      await byPasskey(page)
      await page.getByText('Last used on').first().waitFor()
      const [used] = rows<{ counter: number; usedAt: number }>('select counter, used_at as usedAt from user_passkeys')
      assert.ok((used?.counter ?? 0) > (stored?.counter ?? 0) && used?.usedAt)
      const sessions = rows<{ twice: number }>('select has_second_factor as twice from user_sessions')
      assert.deepEqual(sessions, [Object.assign(Object.create(null), { twice: 1 })])
      assert.deepEqual(rows('select challenge_hash from passkey_challenges'), [])
    },
  )

  await t.test('a signed challenge works once, and only in the browser that requested it', async () => {
    await signOut(page)
    await page.goto(`${origin}/admin/sign-in`)
    const { promise, resolve } = Promise.withResolvers<string>()
    await page.route('**/admin/sign-in', async (route) => {
      resolve(route.request().postData() ?? '')
      await route.abort()
    })
    await byPasskey(page)
    const posted = await promise
    await page.unroute('**/admin/sign-in')
    const headers = { origin, 'content-type': 'application/x-www-form-urlencoded' }
    const send = (from: BrowserContext) =>
      from.request.post(`${origin}/admin/sign-in`, { data: posted, headers, maxRedirects: 0 })
    const stranger = await browser.newContext()
    const stolen = await send(stranger)
    assert.equal(stolen.status(), 400)
    assert.match(await stolen.text(), /That did not work/)
    assert.equal((await send(context)).status(), 303)
    assert.equal((await send(context)).status(), 400, 'a second time')
    await stranger.close()
  })

  await t.test(
    'signing in fails without user verification, and with a copied passkey whose counter is lower',
    async () => {
      await context.clearCookies()
      const { cdp, authenticatorId } = device
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
      await page.goto(`${origin}/admin/sign-in`)
      await byPasskey(page)
      await page.getByText('That did not work').waitFor()
      await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })

      const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
      const [credential] = credentials
      assert.ok(credential)
      await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId })
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount: 0 } })
      await page.goto(`${origin}/admin/sign-in`)
      await byPasskey(page)
      await page.locator('main > .problem').waitFor()
      assert.deepEqual(rows('select id from user_sessions where seen_at > created_at'), [])
      await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId })
      await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount: 1_000 } })
    },
  )

  await t.test('a passkey signs in to install an app in a shop that requires a second factor', async () => {
    const settings = { CARTWRIGHT_DATABASE_URL: `sqlite:${file}` }
    const redirectUri = `${origin}/docs`
    const made = await cartwright(
      ['apps', 'create', '--name', 'Florist', '--redirect-uri', redirectUri, '--json'],
      settings,
    )
    assert.equal(made.code, 0, made.err)
    const demand = (isRequired: boolean) => {
      const database = new DatabaseSync(file)
      database.exec(`update merchants set second_factor_required = ${isRequired ? 1 : 0}`)
      database.close()
    }
    demand(true)
    const url = `${origin}/oauth/authorize?${new URLSearchParams({
      client_id: JSON.parse(made.out).clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'catalog:read',
      state: 'a-state',
      code_challenge: makeVerifier().challenge,
      code_challenge_method: 'S256',
    })}`
    const stranger = await browser.newContext()
    const tab = await stranger.newPage()
    await tab.goto(url)
    await tab.fill('[name=email]', email)
    await tab.fill('[name=password]', password)
    await tab.getByRole('button', { name: 'Sign in', exact: true }).click()
    await tab.locator('main.sheet h1', { hasNotText: 'Sign in' }).waitFor()
    assert.equal(await tab.locator('[name=merchant]').count(), 0, 'a password alone is not enough')
    await stranger.close()

    await context.clearCookies()
    await page.goto(url)
    await byPasskey(page)
    await page.locator('[name=merchant]').first().waitFor({ state: 'attached' })
    await page.getByRole('button', { name: /^(Approve|Connect|Allow)/ }).click()
    await page.waitForURL(`${redirectUri}?*`)
    assert.match(page.url(), /[?&]code=[\w-]+/)
    assert.equal(rows('select id from installations where app_id is not null').length, 1)
    demand(false)
  })

  await t.test('a passkey confirms sensitive actions, and no longer signs in after it was removed', async () => {
    await byPassword(page)
    await page.goto(`${origin}/admin/confirm?next=/admin/account`)
    const factors = () =>
      rows<{ twice: number }>('select has_second_factor as twice from user_sessions order by id desc')
    assert.equal(factors()[0]?.twice, 0)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.waitForURL(own)
    assert.equal(factors()[0]?.twice, 1)
    await page.getByRole('link', { name: 'Remove Work laptop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('There is none yet.').waitFor()
    assert.deepEqual(rows('select id from user_passkeys'), [])
    await signOut(page)
    await page.goto(`${origin}/admin/sign-in`)
    await byPasskey(page)
    await page.locator('main > .problem').waitFor()
    assert.doesNotMatch(server.printed(), /clientDataJSON|authenticatorData/)
  })
})
