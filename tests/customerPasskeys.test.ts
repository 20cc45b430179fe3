// A shopper signs in by code, link and passkey in a real browser with a virtual authenticator. A passkey is added in the account, refused when
// repeated or taken to another browser, removed, and erased with the person.

import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { browserSuite, launchBrowser } from '../harness/browser.ts'
import { orderMarket } from '../harness/orders.ts'
import { rival } from '../harness/shops.ts'
import { anyEngine } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { forgetCustomer } from '../src/domain/customers/forget.ts'
import { addCustomerPasskey } from '../src/domain/customers/passkeys.ts'
import { hashSessionToken } from '../src/domain/customers/signin.ts'
import { decryptUserEmail, setMailSwitch } from '../src/platform/outbox/emails.ts'

const { test } = browserSuite

anyEngine('passkeys of shoppers', (given) => {
  test('a passkey is added, signs in to its own account only, and is deleted by its shopper and when the shopper is erased', async (t) => {
    let host = ''
    const testServer: TestServer = await openTestServer(given, {
      shops: [orderMarket, rival],
      // A host name: passkeys belong to one, and an address is not one.
      publicOrigin: () => host,
    })
    const { storage, merchantId, installationId } = testServer
    host = testServer.origin.replace('127.0.0.1', 'localhost')
    await storage.write((tx) => setMailSwitch(tx, true, testServer.clock.now))
    const browser = await launchBrowser()
    t.after(() => browser.close())
    const context = await browser.newContext({ locale: 'en' })
    const page = await context.newPage()
    const cdp = await context.newCDPSession(page)
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
    const account = `${host}/account/bloom/test`
    const email = 'ada@example.com'
    const rows = () => storage.read((db) => db.sql<{ sealed: string }>`select * from customer_passkeys`)
    const button = (name: string) => page.getByRole('button', { name, exact: true })

    async function mailed() {
      await page.goto(account)
      await page.fill('[name=email]', email)
      await button('Send code').click()
      await page.waitForURL(`${account}/code`)
      const [mail] = await storage.read(
        (db) => db.sql<{ id: string; sealed: string }>`
          select id, sealed from emails where kind = 'customer_code' order by created_at desc, id desc limit 1`,
      )
      return mail && decryptUserEmail(testSecret, mail.id, mail.sealed)
    }
    async function byCode(): Promise<void> {
      await page.fill('[name=code]', (await mailed())?.code ?? '')
      await button('Sign in').click()
      await page.waitForURL(account)
    }
    // As the e-mail has it, from nowhere. In another browser it says where it works.
    async function byLink(): Promise<void> {
      const link = `${host}${(await mailed())?.path}`
      const other = await (await browser.newContext({ locale: 'en' })).newPage()
      await other.goto(link)
      await other.getByText('Open the link in the browser in which you asked for it').waitFor()
      await other.context().close()
      await page.goto(link)
      await button('Sign in').click()
      await page.waitForURL(account)
      await page.getByText(`Signed in as ${email}`).waitFor()
    }

    await byCode()
    await button('Add a passkey').click()
    await page.getByText('Added on').waitFor()
    assert.equal((await rows()).length, 1)
    assert.ok(!JSON.stringify(await rows()).includes('example.com'), 'the address is sealed')

    await button('Sign out').click()
    await button('Sign in with a passkey').click()
    await page.getByText(`Signed in as ${email}`).waitFor()
    await page.getByText('Last used on').waitFor()
    assert.deepEqual(await storage.read((db) => db.sql`select challenge_hash from passkey_challenges`), [])

    // What was signed works once, and only in the browser that asked.
    await button('Sign out').click()
    const posted = await signedBy(page, 'open', () => button('Sign in with a passkey').click())
    const headers = { origin: host, 'content-type': 'application/x-www-form-urlencoded' }
    const send = async (from: BrowserContext, to = account) =>
      (await from.request.post(`${to}/passkeys/open`, { data: posted, headers, maxRedirects: 0 })).status()
    const stranger = await browser.newContext()
    assert.equal(await send(stranger), 409)
    assert.equal(await send(context, `${host}/account/rival/test`), 409, 'in another shop')
    assert.equal(await send(context), 303)
    assert.equal(await send(context), 409, 'a second time')

    // Every account at this host is offered the passkey, and only one knows it.
    for (const other of [`${host}/account/rival/test`, `${host}/account/bloom`]) {
      await page.goto(other)
      await button('Sign in with a passkey').click()
      await page.waitForURL(`${other}/passkeys/open`)
      await page.getByText('That did not work').waitFor()
    }

    // Not without the finger, and not with a copy whose counter went back.
    await context.clearCookies()
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
    await page.goto(account)
    await button('Sign in with a passkey').click()
    await page.getByText('That did not work').waitFor()
    await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
    const { credentials } = await cdp.send('WebAuthn.getCredentials', { authenticatorId })
    const [credential] = credentials
    assert.ok(credential)
    await cdp.send('WebAuthn.removeCredential', { authenticatorId, credentialId: credential.credentialId })
    await cdp.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount: 0 } })
    await page.goto(account)
    await button('Sign in with a passkey').click()
    await page.waitForURL(`${account}/passkeys/open`)
    await page.getByText('That did not work').waitFor()

    // Removed by the shopper, and erased with the person.
    await byLink()
    await button('Remove passkey').click()
    await button('Remove passkey').waitFor({ state: 'detached' })
    assert.deepEqual(await rows(), [])
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
    await button('Add a passkey').click()
    await page.getByText('Added on').waitFor()
    await cdp.send('WebAuthn.clearCredentials', { authenticatorId })
    const late = await signedBy(page, 'add', () => button('Add a passkey').click())
    const shopper = { merchantId, installationIds: [installationId], email, modes: ['test' as const] }
    await forgetCustomer(storage, testSecret, shopper, { isDryRun: false, includesUnsent: false })
    assert.deepEqual(await rows(), [])

    // One that was being added meanwhile is not added, and the one on the device does not sign in.
    const boundTo = (await context.cookies()).find(({ name }) => name.endsWith('account-test-bloom'))?.value ?? ''
    const shop = { merchantId, mode: 'test' as const }
    const response = new URLSearchParams(late).get('response') ?? ''
    const ownerIn = async () => ({ ...shop, hashes: ['a hash'] as [string] })
    const added = { email, response, sessionHash: hashSessionToken(boundTo), ownerIn }
    const now = testServer.clock.now
    assert.equal(await addCustomerPasskey(storage, testSecret, { shop, origin: host, boundTo }, added, now), false)
    assert.deepEqual(await rows(), [])
    await page.goto(account)
    await button('Sign in with a passkey').click()
    await page.getByText('That did not work').waitFor()
  })
})

// What the page would post, which is not sent.
async function signedBy(page: Page, action: 'open' | 'add', press: () => Promise<void>): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  await page.route(`**/passkeys/${action}`, async (route) => {
    resolve(route.request().postData() ?? '')
    await route.abort()
  })
  await press()
  const posted = await promise
  await page.unroute(`**/passkeys/${action}`)
  return posted
}
