// The commands for accounts with the providers that are installed, against stand-ins of their APIs.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { market } from '../harness/carts.ts'
import { cartwright } from '../harness/commandline.ts'
import { openMollie } from '../harness/mollie/standin.ts'
import { anyEngine } from '../harness/storage.ts'
import { openStripe } from '../harness/stripe/standin.ts'
import { openTestServer, settingsOf } from '../harness/testServer.ts'

anyEngine('an account at an installed provider', (given) => {
  const closes: (() => Promise<unknown>)[] = []
  after(() => Promise.all(closes.map((close) => close())))

  async function open() {
    const [stripe, mollie] = await Promise.all([openStripe(), openMollie()])
    closes.push(stripe.close, mollie.close)
    const testServer = await openTestServer(given, { shops: [market], now: Date.now() })
    const settings = {
      ...settingsOf(testServer),
      PORT: '4711',
      CARTWRIGHT_STRIPE_URL: stripe.url,
      CARTWRIGHT_MOLLIE_URL: mollie.url,
    }
    const said: string[] = []
    async function run(args: string, lines: readonly string[] = []) {
      const { code, out, err } = await cartwright(['payments', ...args.split(' '), '--json'], settings, {
        input: `${lines.join('\n')}\n`,
      })
      said.push(out, err)
      // biome-ignore lint/suspicious/noExplicitAny: reports of every shape
      return { code, ...(JSON.parse(out) as any) }
    }
    return { stripe, mollie, run, said }
  }

  test('Stripe is connected, checked, rotated and disconnected', async () => {
    const { stripe, run, said } = await open()
    const { publishableKey, restrictedKey } = stripe.account.test
    const keys = [publishableKey, restrictedKey]
    const { code, account } = await run('connect stripe --mode test', keys)
    assert.deepEqual([code, account.facts.publishableKey], [0, publishableKey])
    assert.equal(account.noticeUrl, `http://localhost:4711/hooks/payments/${account.id}`)
    assert.deepEqual((await run('check')).accounts[0].problems, [])
    const rotated = await run(`rotate ${account.id}`, keys)
    assert.deepEqual([rotated.code, rotated.account.facts], [0, account.facts])
    const other = stripe.addAccount().test
    const refused = await run(`rotate ${account.id}`, [other.publishableKey, other.restrictedKey])
    assert.equal(refused.error.code, 'payment_account_refused')
    assert.equal((await run(`rotate ${account.id} --notices`, ['whsec_by_hand'])).code, 0)
    assert.equal((await run(`disconnect ${account.id}`)).code, 0)
    assert.equal((await run('connect stripe --mode test', keys)).code, 0)
    assert.deepEqual(stripe.defects, [])
    assert.ok(!said.join('').includes(restrictedKey))
  })

  test('Mollie is connected, checked, rotated and disconnected', async () => {
    const { mollie, run, said } = await open()
    const { key } = mollie.profile.test
    const { code, account } = await run('connect mollie --mode test', [key])
    assert.deepEqual([code, account.facts.profile], [0, mollie.profile.id])
    assert.deepEqual((await run('check')).accounts[0].problems, [])
    assert.equal((await run(`rotate ${account.id}`, [key])).code, 0)
    assert.equal((await run(`rotate ${account.id} --notices`, ['x'])).error.code, 'notices_not_signed')
    assert.equal((await run('connect mollie --mode test', [key])).error.code, 'payment_account_exists')
    assert.equal((await run(`disconnect ${account.id}`)).code, 0)
    assert.ok(!said.join('').includes(key))
  })
})
