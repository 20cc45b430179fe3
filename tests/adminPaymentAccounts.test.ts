// Accounts at Stripe and Mollie, connected by the admin API and by the pages of the dashboard, against the stand-ins.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { market } from '../harness/carts.ts'
import { dashboardUserOf } from '../harness/dashboard.ts'
import { openMollie } from '../harness/mollie/standin.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine } from '../harness/storage.ts'
import { openStripe } from '../harness/stripe/standin.ts'
import { type Answer, assertAdminError, openTestServer, type TestServer, testSecret } from '../harness/testServer.ts'
import { decryptAccountSecrets } from '../src/domain/payments/accounts.ts'
import { accountProviders } from '../src/domain/payments/providers/installed.ts'
import { newId } from '../src/platform/kit/ids.ts'
import { listTables } from '../src/platform/storage/catalogue.ts'
import { Fragment } from '../src/platform/storage/storage.ts'

eachEngine('payment accounts in the admin API and the dashboard', (given) => {
  let testServer: TestServer
  let stripe: Awaited<ReturnType<typeof openStripe>>
  let mollie: Awaited<ReturnType<typeof openMollie>>
  const said: string[] = []
  before(async () => {
    const clock = () => new Date(testServer.clock.now)
    stripe = await openStripe({ clock })
    mollie = await openMollie({ clock })
    testServer = await openTestServer(given, {
      shops: [market, rival],
      providerUrls: { stripe: stripe.url, mollie: mollie.url },
    })
    given.later(async () => {
      await stripe.close()
      await mollie.close()
    })
  })

  async function connect(provider: string, keys: object, key = newId('req')): Promise<Answer> {
    const answer = await testServer.askAdmin('connectAdminPaymentAccount', {
      body: { idempotencyKey: key, provider, keys },
    })
    said.push(answer.text)
    return answer
  }
  const stripeKeys = () => {
    const { publishableKey, restrictedKey: secretKey } = stripe.account.test
    return { publishableKey, secretKey }
  }
  const end = async (accountId: string) =>
    testServer.askAdmin('disconnectAdminPaymentAccount', {
      path: { accountId },
      body: { idempotencyKey: newId('req') },
    })
  const accounts = async () => (await testServer.askAdmin('getAdminShop')).body.data.paymentAccounts
  const issueCodes = ({ body }: Answer) =>
    body.error.issues.map(({ code, path }: Record<string, string>) => [code, path])

  // Neither in a table, nor in a log line, nor in an answer or page.
  async function assertNoKeys(): Promise<void> {
    const rows: unknown[] = []
    for (const { name } of await testServer.storage.read(listTables))
      rows.push(...(await testServer.storage.read((db) => db.sql`select * from ${new Fragment(name)}`)))
    const everything = JSON.stringify([rows, testServer.lines(), said])
    for (const secret of [stripe.account.test.restrictedKey, stripe.account.test.secretKey, mollie.profile.test.key])
      assert.ok(!everything.includes(secret))
  }

  test('Stripe is connected once with encrypted keys and a webhook endpoint, checked, and disconnected, which removes the endpoint', async () => {
    const key = newId('req')
    const answer = await connect('stripe', stripeKeys(), key)
    assert.equal(answer.status, 200, answer.text)
    const { data } = answer.body
    assert.deepEqual(
      [data.provider, data.mode, data.account, data.receivesNotices, data.problems, data.endedAt],
      ['stripe', 'test', stripe.account.id, true, [], null],
    )
    const endpoints = () => [...stripe.account.test.books.endpoints.values()].map(({ url }) => url)
    assert.deepEqual(endpoints(), [`${testServer.origin}/hooks/payments/${data.id}`])
    const again = await connect('stripe', stripeKeys(), key)
    assert.deepEqual([again.text, again.headers.get('idempotency-replayed')], [answer.text, 'true'])
    assertAdminError(await connect('stripe', stripeKeys()), 'payment_account_exists')
    assert.equal(endpoints().length, 1, 'nothing else was made at Stripe')
    assert.deepEqual(await accounts(), [data])
    const checked = await testServer.askAdmin('checkAdminPaymentAccount', { path: { accountId: data.id } })
    assert.deepEqual(checked.body.data.issues, [])
    const ended = await end(data.id)
    assert.deepEqual([ended.status, ended.body.data.leftover, endpoints()], [200, null, []])
    assertAdminError(await end(data.id), 'payment_account_ended')
    assert.deepEqual(await accounts(), [])
    const entries = await testServer.storage.read(
      (db) => db.sql<{ operation: string; changes: string }>`
        select operation, changes from audit_entries where operation like '%PaymentAccount' order by at, id`,
    )
    assert.deepEqual(
      entries.map(({ operation }) => operation),
      ['connectAdminPaymentAccount', 'disconnectAdminPaymentAccount'],
    )
    assert.match(entries[0]?.changes ?? '', new RegExp(stripe.account.id))
    await assertNoKeys()
  })

  test('wrong keys are reported at their field, and nothing is stored or left behind at the provider', async () => {
    const { publishableKey, secretKey } = stripeKeys()
    for (const [provider, keys, code, path] of [
      ['stripe', { publishableKey: 'x', secretKey }, 'not_a_publishable_key', '/keys/publishableKey'],
      ['stripe', { publishableKey, secretKey: publishableKey }, 'not_a_secret_key', '/keys/secretKey'],
      ['stripe', { publishableKey, secretKey: 'sk_test_unknown' }, 'key_not_accepted', '/keys/secretKey'],
      ['stripe', { publishableKey: 'pk_live_x', secretKey }, 'key_of_other_mode', '/keys/publishableKey'],
      ['mollie', { key: 'nonsense' }, 'not_a_mollie_key', '/keys/key'],
      ['mollie', { key: `live_${'a'.repeat(30)}` }, 'key_of_other_mode', '/keys/key'],
      ['mollie', { key: `test_${'a'.repeat(30)}` }, 'key_not_accepted', '/keys/key'],
    ] as const) {
      const answer = await connect(provider, keys)
      assertAdminError(answer, 'payment_account_refused')
      assert.deepEqual(issueCodes(answer), [[code, path]])
    }
    const missing = await connect('stripe', { secretKey, more: 'x' })
    assertAdminError(missing, 'invalid_request')
    assert.deepEqual(issueCodes(missing), [
      ['required', '/keys/publishableKey'],
      ['unknown_member', '/keys/more'],
    ])
    assertAdminError(await connect('paypal', { key: 'x' }), 'payment_provider_not_found')
    assert.deepEqual([await accounts(), stripe.account.test.books.endpoints.size], [[], 0])
    await assertNoKeys()
  })

  test('two concurrent requests to connect Stripe create one account and one webhook endpoint', async () => {
    const both = await Promise.all([connect('stripe', stripeKeys()), connect('stripe', stripeKeys())])
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
    assert.equal(stripe.account.test.books.endpoints.size, 1)
    assert.equal((await accounts()).length, 1)
    await end((await accounts())[0].id)
  })

  test('two concurrent requests with one idempotency key connect the account once and get the same response', async () => {
    const { mollie: load } = accountProviders({ mollie: mollie.url })
    const [bothBegan, firstEnded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let begun = 0
    // Asked for once the request has found no answer of its key.
    const inTurn = async () => {
      begun += 1
      if (begun === 1) await bothBegan.promise
      else if (begun === 2) {
        bothBegan.resolve()
        await firstEnded.promise
      }
      assert.ok(load)
      return load()
    }
    const providerUrls = { mollie: mollie.url }
    const slow = await openTestServer(given, {
      shops: [market, rival],
      providerUrls,
      accountProviders: { mollie: inTurn },
    })
    const body = { idempotencyKey: newId('req'), provider: 'mollie', keys: { key: mollie.profile.test.key } }
    const twin = () => slow.askAdmin('connectAdminPaymentAccount', { body }).finally(firstEnded.resolve)
    const [one, other] = await Promise.all([twin(), twin()])
    assert.equal(one.status, 200, one.text)
    assert.equal(other.text, one.text)
  })

  test('connecting is refused without the scope for settings, and gets 429 after twenty requests in a row', async () => {
    const { key } = await testServer.newKey(['admin:read', 'admin:catalog', 'admin:orders'])
    const body = { idempotencyKey: newId('req'), provider: 'stripe', keys: stripeKeys() }
    assertAdminError(await testServer.askAdmin('connectAdminPaymentAccount', { key, body }), 'scope_missing')
    const limited = await openTestServer(given, {
      shops: [market, rival],
      rateLimit: { perSecond: 1_000, burst: 1_000 },
      providerUrls: { mollie: mollie.url },
    })
    const statuses: number[] = []
    for (let tries = 0; tries < 22; tries++) {
      const answer = await limited.askAdmin('connectAdminPaymentAccount', {
        body: { idempotencyKey: newId('req'), provider: 'mollie', keys: { key: 'nonsense' } },
      })
      statuses.push(answer.status)
    }
    assert.deepEqual(statuses.slice(19), [409, 429, 429])
  })

  test('the pages report errors at their field, connect a test key in test mode even from live mode, check, replace keys and disconnect', async () => {
    const live = await dashboardUserOf(testServer, { mode: 'live' })
    const { page } = live
    await page.open(live.path('settings/payments/connect/mollie'))
    await page.press('Connect', { 'account-key': 'live_wrong' })
    assert.equal(page.status, 400)
    assert.equal(page.field('account-key')?.isInvalid, true)
    assert.match(page.text(), /The key must be an API key of Mollie/)
    assert.doesNotMatch(page.html, /live_wrong/)
    // A test key connects test mode, though the page is of live mode.
    await page.press('Connect', { 'account-key': mollie.profile.test.key })
    said.push(page.html)
    assert.match(page.text(), /Connected in test mode\./)
    assert.match(page.text(), /Test: no money moves/)
    const [account] = await accounts()
    assert.equal(account.provider, 'mollie')
    await page.open(live.path('settings/payments').replace('/settings', '/test/settings'))
    await page.open(`${page.path.split('?')[0]}/accounts/${account.id}`)
    assert.match(page.text(), /Mollie accepts the keys/)
    await page.open(`${page.path}/keys`)
    await page.press('Replace keys', { 'account-key': mollie.profile.test.key })
    said.push(page.html)
    assert.match(page.text(), /Keys replaced\./)
    await page.open(`${page.path.split('?')[0]}/accounts/${account.id}/disconnect`)
    await page.press('Disconnect')
    assert.match(page.text(), /Disconnected\./)
    assert.deepEqual(await accounts(), [])
    await assertNoKeys()
  })

  test('a form with keys that is sent after the session ended redirects to a page without the keys', async () => {
    const user = await dashboardUserOf(testServer)
    await testServer.storage.write((tx) => tx.sql`delete from user_sessions where user_id = ${user.userId}`)
    const answer = await fetch(`${testServer.origin}${user.path('settings/payments/connect/mollie')}`, {
      method: 'POST',
      redirect: 'manual',
      headers: user.headers,
      body: new URLSearchParams({ 'account-key': mollie.profile.test.key }),
    })
    assert.equal(answer.status, 303)
    assert.doesNotMatch(await answer.text(), /test_/)
  })

  test('keys are stored without the white space that was pasted around them', async () => {
    const { body } = await connect('stripe', { ...stripeKeys(), secretKey: ` ${stripeKeys().secretKey}\n` })
    const [row] = await testServer.storage.read(
      (db) =>
        db.sql<{ sealed: string }>`select secrets_sealed as "sealed" from payment_accounts where id = ${body.data.id}`,
    )
    const secrets = decryptAccountSecrets(
      testSecret,
      { merchantId: testServer.merchantId, ...body.data },
      row?.sealed ?? null,
    )
    assert.equal(secrets?.secretKey, stripeKeys().secretKey)
  })
})
