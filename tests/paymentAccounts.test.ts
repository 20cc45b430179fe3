// The merchant's accounts at payment providers, by the operator's commands, and what a running server makes of them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Bank, createBank, openBankTestServer, payAtBank } from '../harness/bank.ts'
import { market } from '../harness/carts.ts'
import { cartwright } from '../harness/commandline.ts'
import { bankWebhook } from '../harness/redirectProvider.ts'
import { rival } from '../harness/shops.ts'
import { eachEngine, type Given } from '../harness/storage.ts'
import { settingsOf, type TestServer } from '../harness/testServer.ts'
import { issueAt } from '../src/contract/issues.ts'
import { recoverPayments } from '../src/domain/checkout/pay/recover.ts'
import { recordRefundEnd } from '../src/domain/orders/refunds.ts'
import { payRefunds } from '../src/domain/payments/refunds.ts'
import { commands } from '../src/ops/cli/cli.ts'
import { createPaymentsCommand } from '../src/ops/cli/payments.ts'
import { listTables } from '../src/platform/storage/catalogue.ts'
import { Fragment } from '../src/platform/storage/storage.ts'

const hour = 3_600_000
const key = 'bank_test_acct1.first'
const https = { CARTWRIGHT_PUBLIC_URL: 'https://shop.example' }

async function openShop(given: Given) {
  const bank = createBank()
  const testServer = await openBankTestServer(given, bank, { shops: [market, rival], now: Date.now() })
  return { bank, testServer, run: runner(bank, testServer) }
}

// The commands of another process that shares the database.
function runner(bank: Bank, testServer: TestServer) {
  const table = {
    ...commands,
    payments: async () => createPaymentsCommand(() => ({ [bank.accounts.name]: async () => bank.accounts })),
  }
  const said: string[] = []
  const run = async (args: string, input = '', settings: Record<string, string> = https) => {
    const words = `payments ${args} --merchant ${market.merchant.slug}`.split(' ')
    const { code, out, err } = await cartwright(
      [...words, '--json'],
      { ...settingsOf(testServer), ...settings },
      { input, table },
    )
    said.push(out, err)
    return { code, ...(JSON.parse(out) as Report) }
  }
  return Object.assign(run, { said, table })
}

interface Shown {
  id: string
  provider: string
  mode: string
  facts: Record<string, string>
  noticeUrl: string | null
  endedAt: string | null
  problems: string[]
}

interface Report {
  account: Shown
  accounts: Shown[]
  noticeHelp: string | null
  error?: { code: string; message: string }
}

const connectTest = 'connect redirect --mode test'

eachEngine('accounts at payment providers', (given) => {
  test('connect encrypts the keys and registers the webhook endpoint, and a running server uses the account immediately', async () => {
    const { bank, testServer, run } = await openShop(given)
    await assert.rejects(payAtBank(testServer), 'nothing is offered yet')
    const { code, account, noticeHelp } = await run(connectTest, `${key}\n`)
    assert.equal(code, 0)
    const noticeUrl = `https://shop.example/hooks/payments/${account.id}`
    assert.deepEqual(
      [account.provider, account.mode, account.facts, account.noticeUrl, noticeHelp],
      ['redirect', 'test', { account: 'acct1' }, noticeUrl, null],
    )
    assert.deepEqual([...bank.accounts.endpoints.keys()], [noticeUrl])
    const paid = await payAtBank(testServer)
    bank.provider.act(paid.key, 'pay')
    const webhook = bankWebhook(bank.accounts.endpoints.get(noticeUrl) ?? '', testServer.clock.now, [paid.reference])
    assert.equal((await testServer.fetch(`/hooks/payments/${account.id}`, webhook)).status, 200)
    await recoverPayments(testServer.app.payTools)
    assert.equal((await paid.session()).status, 'completed')
    assert.match(
      (await testServer.fetch('/metrics')).text,
      /^cartwright_payment_accounts\{provider="redirect",mode="test"\} 1$/m,
    )
    // Keys and signing secrets are in no output, no log line and no table.
    const rows: unknown[] = []
    for (const { name } of await testServer.storage.read(listTables))
      rows.push(...(await testServer.storage.read((db) => db.sql`select * from ${new Fragment(name)}`)))
    const everything = JSON.stringify([rows, testServer.lines(), run.said])
    assert.ok(!everything.includes(key) && !everything.includes('sign_1'))
  })

  test('connect refuses unknown providers, missing keys, keys of the other mode and an account that is connected already, and reports a provider that does not respond', async () => {
    const { bank, testServer, run } = await openShop(given)
    const codeOf = async (args: string, input = '') => (await run(args, input)).error?.code
    assert.equal(await codeOf('connect nobody --mode test', key), 'payment_provider_not_found')
    assert.equal(await codeOf(connectTest), 'misuse')
    assert.equal(await codeOf(connectTest, `${key}\n${key}\n`), 'misuse')
    assert.equal(await codeOf('connect redirect --mode other', key), 'misuse')
    assert.equal(await codeOf(`${connectTest} --key x`, key), 'misuse')
    const wrong = await run('connect redirect --mode live', key)
    assert.deepEqual(
      [wrong.error?.code, wrong.error?.message],
      ['payment_account_refused', 'The key must not be a key of test mode.'],
    )
    bank.accounts.outage = Object.assign(new TypeError(`bad ${key}`), { code: 'ECONNREFUSED' })
    const silent = await run(connectTest, key)
    assert.deepEqual(
      [silent.error?.code, silent.error?.message],
      [
        'payment_provider_silent',
        'Redirect could not be reached, or its response could not be read (TypeError ECONNREFUSED).',
      ],
    )
    bank.accounts.outage = null
    const both = await Promise.all([run(connectTest, key), run(connectTest, key)])
    assert.deepEqual(both.map(({ code }) => code).sort(), [0, 1])
    assert.equal(both.find(({ code }) => code === 1)?.error?.code, 'payment_account_exists')
    assert.equal(await codeOf(connectTest), 'payment_account_exists', 'before any key is asked for')
    assert.equal(bank.accounts.endpoints.size, 1, 'the other is removed there')
    assert.equal((await run('list')).accounts.length, 1)
    assert.ok(!JSON.stringify([run.said, testServer.lines()]).includes(key))
  })

  test('another merchant can neither see nor change an account', async () => {
    const { testServer, run } = await openShop(given)
    const { account } = await run(connectTest, key)
    const as = async (args: string) => {
      const words = ['payments', ...args.split(' '), '--merchant', rival.merchant.slug, '--json']
      return JSON.parse(
        (await cartwright(words, settingsOf(testServer), { input: key, table: run.table })).out,
      ) as Report
    }
    assert.deepEqual((await as('list')).accounts, [])
    for (const verb of ['rotate', 'disconnect', 'check'])
      assert.equal((await as(`${verb} ${account.id}`)).error?.code, 'payment_account_not_found', verb)
    assert.equal((await run('list')).accounts[0]?.endedAt, null)
  })

  test('without a public https address, connect explains how to set up webhooks by hand, and rotate stores their signing secret', async () => {
    const { testServer, run } = await openShop(given)
    const { account, noticeHelp } = await run(connectTest, key, { PORT: '4711' })
    assert.equal(account.noticeUrl, null)
    assert.equal(
      noticeHelp,
      `Send notices to http://localhost:4711/hooks/payments/${account.id}. Then run \`payments rotate ${account.id} --notices\`.`,
    )
    const notify = async (secret: string) =>
      (await testServer.fetch(`/hooks/payments/${account.id}`, bankWebhook(secret, testServer.clock.now, []))).status
    assert.equal(await notify('by_hand'), 400)
    assert.equal((await run(`rotate ${account.id} --notices`, 'by_hand')).code, 0)
    assert.equal(await notify('by_hand'), 200)
    assert.equal((await run(`rotate ${account.id} --notices`, 'second')).code, 0)
    assert.deepEqual([await notify('by_hand'), await notify('second')], [200, 200])
    testServer.clock.now += 25 * hour
    assert.deepEqual([await notify('by_hand'), await notify('second')], [400, 200])
  })

  test('rotate stores new keys of the same account, and keeps its signing secret and endpoint', async () => {
    const { bank, testServer, run } = await openShop(given)
    const { account } = await run(connectTest, key)
    const opened: string[] = []
    const { open } = bank.accounts
    bank.accounts.open = (one) => {
      opened.push(one.secrets.key ?? '')
      return open(one)
    }
    await payAtBank(testServer)
    assert.deepEqual(opened, [key])
    const other = await run(`rotate ${account.id}`, 'bank_test_acct2')
    assert.equal(other.error?.code, 'payment_account_refused')
    assert.equal((await run(`rotate ${account.id}`, 'bank_test_acct1.second')).code, 0)
    await payAtBank(testServer)
    assert.deepEqual(opened, [key, 'bank_test_acct1.second'])
    const [secret = ''] = bank.accounts.endpoints.values()
    assert.equal(bank.accounts.endpoints.size, 1)
    const webhook = bankWebhook(secret, testServer.clock.now, [])
    assert.equal((await testServer.fetch(`/hooks/payments/${account.id}`, webhook)).status, 200)
  })

  test('disconnect ends new payments, while earlier ones are still looked up and refunded; connecting again makes a new account', async () => {
    const { bank, testServer, run } = await openShop(given)
    const { account } = await run(connectTest, key)
    const paid = await payAtBank(testServer)
    const ended = await run(`disconnect ${account.id}`)
    assert.deepEqual([ended.code, ended.account.endedAt !== null, bank.accounts.endpoints.size], [0, true, 0])
    assert.equal((await run(`disconnect ${account.id}`)).error?.code, 'payment_account_ended')
    const rotated = await run(`rotate ${account.id}`, 'bank_test_acct1.second')
    assert.deepEqual([rotated.code, rotated.account.endedAt !== null, bank.accounts.endpoints.size], [0, true, 0])
    assert.equal((await run(`rotate ${account.id}`, 'bank_test_acct2')).error?.code, 'payment_account_refused')
    await assert.rejects(payAtBank(testServer), 'it is not offered')
    bank.provider.act(paid.key, 'pay')
    testServer.clock.now += hour
    await recoverPayments(testServer.app.payTools)
    const session = await paid.session()
    assert.equal(session.status, 'completed')
    const cancelled = await testServer.ask('cancelStorefrontOrder', {
      path: { orderId: session.orderId },
      body: { reason: 'customer_request', idempotencyKey: 'back' },
    })
    assert.equal(cancelled.status, 200)
    await payRefunds({ ...testServer.app.payTools, onPaid: recordRefundEnd }, testServer.clock.now)
    assert.equal(bank.provider.givenBack(paid.key), session.totals.total)
    const again = await run(connectTest, key)
    assert.equal(again.code, 0)
    assert.notEqual(again.account.id, account.id)
    assert.equal((await run('list')).accounts.length, 2)
    bank.accounts.outage = new Error('down')
    const left = await run(`disconnect ${again.account.id}`)
    assert.deepEqual([left.code, left.error?.code, left.account.endedAt !== null], [1, 'call_failed', true])
    const entries = await testServer.storage.read(
      (db) => db.sql<{ operation: string; mode: string; kind: string; changes: string }>`
        select operation, mode, actor_kind as "kind", changes from audit_entries order by id`,
    )
    const written = entries.map(({ operation, mode, kind, changes }) => {
      const [change, ...more] = JSON.parse(changes)
      assert.deepEqual(
        [mode, kind, change.what, change.name, more],
        ['test', 'operator', 'payment_account', 'test redirect', []],
      )
      return [operation, change.kind, change.id, change.members.map(({ member }: { member: string }) => member).join()]
    })
    assert.deepEqual(written, [
      ['connectAdminPaymentAccount', 'create', account.id, 'account'],
      ['disconnectAdminPaymentAccount', 'retire', account.id, ''],
      ['payments rotate', 'change', account.id, 'keys'],
      ['connectAdminPaymentAccount', 'create', again.account.id, 'account'],
      ['disconnectAdminPaymentAccount', 'retire', again.account.id, ''],
    ])
  })

  test('check and doctor report the problems of an account', async () => {
    const { bank, testServer, run } = await openShop(given)
    const { account } = await run(connectTest, key)
    assert.deepEqual([(await run('check')).code, (await run(`check ${account.id}`)).accounts[0]?.problems], [0, []])
    bank.accounts.problems = [issueAt('', 'account_blocked', { provider: 'The bank' })]
    const wrong = await run('check')
    assert.deepEqual(
      [wrong.code, wrong.error?.code, wrong.accounts[0]?.problems],
      [1, 'unhealthy', ['The bank has blocked the account.']],
    )
    bank.accounts.outage = new Error(key)
    assert.deepEqual((await run('check')).accounts[0]?.problems, [
      'Redirect could not be reached, or its response could not be read (Error).',
    ])
    bank.accounts.outage = null
    const doctor = async () =>
      (
        JSON.parse((await cartwright(['doctor', '--json'], settingsOf(testServer))).out) as { warnings: string[] }
      ).warnings.filter((warning) => warning.includes(account.id))
    const name = `${market.merchant.slug}: the account ${account.id}`
    assert.deepEqual(await doctor(), [`${name} (redirect, test) cannot be used: its payment provider is not installed`])
    await testServer.storage.write(
      async (tx) =>
        void (await tx.sql`
          update payment_accounts set secrets_sealed = 'x', provider = 'stripe'
          where merchant_id = ${testServer.merchantId} and id = ${account.id}`),
    )
    assert.deepEqual(await doctor(), [
      `${name} (stripe, test) cannot be decrypted with this root secret: run \`payments rotate ${account.id}\``,
    ])
    assert.deepEqual((await run('check')).accounts[0]?.problems, [
      'The stored keys cannot be decrypted with the root secret of this server: connect the account again.',
    ])
    assert.ok(!JSON.stringify(run.said).includes(key))
  })
})
