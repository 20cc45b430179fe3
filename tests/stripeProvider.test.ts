// The payment provider for Stripe against the stand-in: what each answer of Stripe becomes, and what becomes of answers that are lost.

import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import Stripe from 'stripe'
import { returnUrls } from '../harness/returnUrls.ts'
import type { AccountMode } from '../harness/stripe/account.ts'
import { openStripe, type StandIn } from '../harness/stripe/standin.ts'
import { type Issue, issueAt } from '../src/contract/issues.ts'
import type { Mode } from '../src/contract/words.ts'
import {
  AccountRefused,
  type ConnectedAccount,
  type DecryptedAccount,
  type ProviderAccounts,
  sentenceOfIssue,
} from '../src/domain/payments/accountport.ts'
import { type Charge, callProvider, type MissingResponse, type PaymentProvider } from '../src/domain/payments/port.ts'
import { createStripeAccounts } from '../src/domain/payments/providers/stripe/account.ts'
import { newId } from '../src/platform/kit/ids.ts'

const { signal } = new AbortController()
const noticeUrl = 'http://127.0.0.1:1/hooks/payments/pac_1'
const hour = 3_600_000
const [succeeding, disputed, debit] = ['4242424242424242', '4000000000000259', 'DE89370400440532013000']

let now = Date.parse('2026-06-15T12:00:00.000Z')
let standIn: StandIn
let mode: AccountMode
let accounts: ProviderAccounts

before(async () => {
  standIn = await openStripe({ clock: () => new Date(now) })
  accounts = createStripeAccounts({ clock: () => new Date(now), url: standIn.url })
})
beforeEach(() => {
  mode = standIn.addAccount().test
  standIn.network.reset()
})
after(() => standIn.close())

const [publishablePath, secretPath] = ['/keys/publishableKey', '/keys/secretKey']

function refusedWith(issue: Issue): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof AccountRefused)
    assert.deepEqual(error.issue, issue)
    assert.equal(error.message, sentenceOfIssue(issue))
    return true
  }
}

const answersOf = ({ publishableKey, restrictedKey: secretKey }: AccountMode) => ({ publishableKey, secretKey })

function connect(
  answers: Record<string, string> = answersOf(mode),
  asked: Mode = 'test',
  { url = noticeUrl, pageHost = null }: { url?: string | null; pageHost?: string | null } = {},
) {
  return accounts.connect({ answers, mode: asked, noticeUrl: url, pageHost }, signal)
}

function rowOf(connected: ConnectedAccount, previous?: ConnectedAccount): DecryptedAccount {
  const account = {
    merchantId: 'mer_1',
    id: 'pac_1',
    mode: 'test' as const,
    provider: 'stripe',
    public: connected.public,
    secretsSealed: '',
    previousSealed: null,
    previousUntil: null,
    seenUntil: null,
    endedAt: null,
    createdAt: now,
    updatedAt: now,
  }
  return {
    account,
    secrets: connected.secrets,
    previous: previous ? [previous.secrets] : [],
    noticeUrl,
    pageHost: null,
  }
}

async function opened(): Promise<PaymentProvider> {
  const connected = await connect()
  // Without the intent by which the keys were checked.
  mode.books.clear()
  return accounts.open(rowOf(connected))
}

function chargeOf(changes: Partial<Charge> = {}): Charge {
  return { key: newId('pay'), amount: 1999, currency: 'EUR', mode: 'test', reference: null, createdAt: now, ...changes }
}

async function begun(
  provider: PaymentProvider,
  changes: Partial<Charge> = {},
): Promise<Charge & { reference: string }> {
  const charge = chargeOf(changes)
  const outcome = await provider.start(charge, { method: 'stripe', details: {}, returnUrls }, signal)
  assert.equal(outcome.kind, 'redirect')
  return { ...charge, reference: outcome.kind === 'redirect' ? outcome.reference : '' }
}

async function paid(provider: PaymentProvider, instrument = succeeding): Promise<Charge & { reference: string }> {
  const charge = await begun(provider)
  mode.pay(charge.reference, instrument)
  return charge
}

const requestsTo = (method: string, path: string | RegExp) =>
  standIn.requests.filter(
    (one) => one.method === method && (path instanceof RegExp ? path.test(one.path) : one.path === path),
  )

describe('a Stripe account', () => {
  test('is connected with the facts of the account, an endpoint for the events that we use, and the secret of the endpoint', async () => {
    const { public: facts, secrets } = await connect()
    const [endpoint] = mode.books.endpoints.values()
    assert.equal(endpoint?.url, noticeUrl)
    assert.ok(endpoint?.enabled_events.every((type) => /^(payment_intent|refund|charge\.dispute)\./.test(type)))
    assert.deepEqual(
      [facts.country, facts.currency, facts.descriptor, facts.publishableKey, Object.keys(facts).length],
      ['DE', 'EUR', 'EXAMPLE', mode.publishableKey, 6],
    )
    assert.deepEqual([facts.account, facts.endpoint], [mode.books.account, endpoint?.id])
    assert.deepEqual(secrets, {
      secretKey: mode.restrictedKey,
      noticeSecret: mode.books.endpointSecrets.get(endpoint?.id ?? ''),
    })
    assert.equal(accounts.noticeSecret, 'noticeSecret')
    assert.ok(!JSON.stringify(facts).includes(mode.restrictedKey))
  })

  test('is connected without an endpoint if there is no address for webhooks', async () => {
    const { public: facts, secrets } = await connect(answersOf(mode), 'test', { url: null })
    assert.deepEqual([facts.endpoint, secrets.noticeSecret, mode.books.endpoints.size], [undefined, undefined, 0])
    assert.match(accounts.noticeHelp(noticeUrl), /pac_1.*payment_intent\.succeeded/)
  })

  test('is refused with keys of the wrong kind or mode, or that Stripe refuses, and the error contains no key', async () => {
    const { publishableKey, secretKey, restrictedKey } = mode
    const { live } = standIn.account
    const standInSet = issueAt(secretPath, 'live_key_with_stand_in', { setting: 'CARTWRIGHT_STRIPE_URL' })
    const wrong: [Record<string, string>, Mode, Issue][] = [
      [{}, 'test', issueAt(publishablePath, 'not_a_publishable_key')],
      [{ publishableKey: secretKey, secretKey }, 'test', issueAt(publishablePath, 'not_a_publishable_key')],
      [{ publishableKey, secretKey: publishableKey }, 'test', issueAt(secretPath, 'not_a_secret_key')],
      [
        { publishableKey: live.publishableKey, secretKey },
        'test',
        issueAt(publishablePath, 'key_of_other_mode', { mode: 'live' }),
      ],
      [
        { publishableKey, secretKey: live.secretKey },
        'test',
        issueAt(secretPath, 'key_of_other_mode', { mode: 'live' }),
      ],
      [{ publishableKey, secretKey }, 'live', issueAt(publishablePath, 'key_of_other_mode', { mode: 'test' })],
      [
        { publishableKey, secretKey: 'sk_test_unknown' },
        'test',
        issueAt(secretPath, 'key_not_accepted', { provider: 'Stripe' }),
      ],
      [{ publishableKey: live.publishableKey, secretKey: live.restrictedKey }, 'live', standInSet],
    ]
    const quoted = (error: AccountRefused) =>
      [publishableKey, secretKey, restrictedKey, live.publishableKey, live.secretKey, live.restrictedKey].some((key) =>
        (error.message + JSON.stringify(error.issue)).includes(key),
      )
    for (const [answers, asked, issue] of wrong)
      await assert.rejects(
        connect(answers, asked),
        (error: AccountRefused) => refusedWith(issue)(error) && !quoted(error),
      )
    mode.deny('events')
    mode.deny('webhook_endpoints')
    await assert.rejects(
      connect(),
      refusedWith(
        issueAt(secretPath, 'permissions_missing', { members: ['Events: read', 'Webhook Endpoints: write'] }),
      ),
    )
    assert.equal(mode.books.endpoints.size, 0)
  })

  test('is refused with a publishable key of another account, or one that Stripe refuses', async () => {
    const other = standIn.addAccount().test
    const { restrictedKey: secretKey } = mode
    await assert.rejects(
      connect({ publishableKey: other.publishableKey, secretKey }),
      refusedWith(issueAt(publishablePath, 'keys_of_two_accounts', { provider: 'Stripe' })),
    )
    await assert.rejects(
      connect({ publishableKey: 'pk_test_unknown', secretKey }),
      refusedWith(issueAt(publishablePath, 'key_not_accepted', { provider: 'Stripe' })),
    )
    assert.equal(mode.books.endpoints.size, 0)
    assert.deepEqual(
      [...mode.books.intents.values()].map(({ status, description }) => [status, description]),
      [['canceled', 'Check of the keys by Cartwright; cancelled at once']],
      'an account without a payment is asked for one once, and it is given up',
    )
    const connected = await connect()
    assert.equal(mode.books.intents.size, 1)
    const row = rowOf({ ...connected, public: { ...connected.public, publishableKey: other.publishableKey } })
    assert.deepEqual(await accounts.check(row, signal), [
      issueAt(publishablePath, 'keys_of_two_accounts', { provider: 'Stripe' }),
    ])
  })

  test('registers the host of the pay page for wallets, and reports that the permission for it is missing', async () => {
    const pageHost = 'shop.example'
    mode.deny('payment_method_domains')
    await assert.rejects(
      connect(undefined, 'test', { pageHost }),
      refusedWith(issueAt(secretPath, 'permissions_missing', { members: ['Payment Method Domains: write'] })),
    )
    await connect()
    mode.allow('payment_method_domains')
    const row = { ...rowOf(await connect()), pageHost }
    const check = () => accounts.check(row, signal)
    const named = { provider: 'Stripe', value: pageHost }
    assert.deepEqual(await check(), [issueAt('', 'domain_unknown', named)])
    await connect(undefined, 'test', { pageHost })
    await connect(undefined, 'test', { pageHost })
    const [domain, ...others] = mode.books.domains.values()
    assert.deepEqual([domain?.domain_name, domain?.enabled, others], [pageHost, true, []])
    assert.ok(domain)
    assert.deepEqual(await check(), [])
    domain.google_pay = { status: 'inactive' }
    assert.deepEqual(await check(), [], 'looked at again, and fine now')
    domain.apple_pay = { status: 'inactive', status_details: { error_message: 'No file.' } }
    domain.klarna = { status: 'inactive', status_details: { error_message: '' } }
    const inactive = await check()
    assert.deepEqual(inactive, [
      issueAt('', 'wallet_inactive', { ...named, option: 'Apple Pay', reason: 'No file.' }),
      issueAt('', 'wallet_inactive', { ...named, option: 'Klarna' }),
    ])
    assert.deepEqual(
      inactive.map(({ message }) => message),
      [
        'Stripe does not offer Apple Pay on shop.example yet: No file.',
        'Stripe does not offer Klarna on shop.example yet',
      ],
    )
    domain.enabled = false
    assert.deepEqual(await check(), [issueAt('', 'domain_off', named)])
    await connect(undefined, 'test', { pageHost })
    assert.equal(domain.enabled, true)
  })

  test('is checked for its key, its permissions and its endpoint', async () => {
    const connected = await connect()
    const row = rowOf(connected)
    const check = () => accounts.check(row, signal)
    assert.deepEqual(await check(), [])
    mode.deny('disputes')
    const lacking = issueAt(secretPath, 'permissions_missing', { members: ['Disputes: read'] })
    assert.equal(lacking.message, 'the key lacks permissions: Disputes: read')
    assert.deepEqual(await check(), [lacking])
    const [endpoint] = mode.books.endpoints.values()
    assert.ok(endpoint)
    endpoint.status = 'disabled'
    const named = { provider: 'Stripe', value: endpoint.id }
    assert.deepEqual(await check(), [lacking, issueAt('', 'endpoint_off', named)])
    await accounts.disconnect(row, signal)
    await accounts.disconnect(row, signal)
    assert.equal(mode.books.endpoints.size, 0)
    assert.deepEqual(await check(), [lacking, issueAt('', 'endpoint_missing', named)])
    mode.revoke(mode.restrictedKey)
    assert.deepEqual(await check(), [issueAt(secretPath, 'key_not_accepted', { provider: 'Stripe' })])
    standIn.network.fail(503, {}, 2)
    assert.deepEqual(await check(), [issueAt('', 'provider_refused', { provider: 'Stripe', reason: '503' })])
  })

  test('is not opened with a live key while a stand-in of Stripe is configured', async () => {
    const row = rowOf({ public: {}, secrets: { secretKey: standIn.account.live.secretKey } })
    assert.throws(() => accounts.open({ ...row, account: { ...row.account, mode: 'live' } }), /CARTWRIGHT_STRIPE_URL/)
    assert.throws(() => accounts.open(row), /as its account/)
  })
})

test('the content security policy of the pay page allows the scripts of Stripe and Link', () => {
  const { sources } = createStripeAccounts({ clock: () => new Date(now), url: undefined }).open(
    rowOf({ public: {}, secrets: { secretKey: 'rk_test_1' } }),
  )
  const link = ['https://link.com', 'https://*.link.com']
  const scripts = ['https://js.stripe.com', 'https://*.js.stripe.com']
  assert.deepEqual(sources, {
    script: scripts,
    frame: [...scripts, 'https://hooks.stripe.com', ...link],
    connect: ['https://api.stripe.com', ...link],
    image: ['https://*.stripe.com', 'https://*.link.com'],
    styleAttributes: true,
  })
  assert.match(Stripe.API_VERSION, /\.endive$/)
})

describe('the outcome of a payment', () => {
  test('is the frame and the data for its script as long as nothing was paid', async () => {
    const provider = await opened()
    const charge = chargeOf()
    const outcome = await provider.start(charge, { method: 'stripe', details: {}, returnUrls }, signal)
    const [intent] = mode.books.intents.values()
    assert.deepEqual(outcome, {
      kind: 'redirect',
      reference: intent?.id,
      nextAction: {
        kind: 'frame',
        facts: {
          script: `${standIn.url}/endive/stripe.js`,
          publishableKey: mode.publishableKey,
          clientSecret: intent?.client_secret,
        },
      },
      until: now + 30 * 60_000,
    })
    assert.deepEqual(
      [intent?.amount, intent?.currency, intent?.metadata],
      [1999, 'eur', { cartwright_payment: charge.key }],
    )
  })

  test('is translated for a paid card, a pending debit, 3-D Secure, a decline and a cancellation', async () => {
    const provider = await opened()
    const lookUp = async (instrument: string | null, then: (id: string) => void = () => {}) => {
      const charge = await begun(provider)
      if (instrument) mode.pay(charge.reference, instrument)
      then(charge.reference)
      const {
        reference: _,
        nextAction: __,
        until: ___,
        providerState,
        ...found
      } = (await provider.lookUp(charge, signal)) as Record<string, unknown>
      return providerState ? { ...found, providerState } : found
    }
    const providerState = { refunds: [], dispute: null }
    assert.deepEqual(await lookUp(succeeding), {
      kind: 'approved',
      collected: 1999,
      brand: 'visa',
      last4: '4242',
      instrument: 'card',
      providerState,
    })
    assert.deepEqual(await lookUp(debit), { kind: 'pending', settles: 'by_provider', instrument: 'sepa_debit' })
    assert.deepEqual(await lookUp(debit, (id) => mode.finishDebit(id)), {
      kind: 'approved',
      collected: 1999,
      brand: null,
      last4: null,
      instrument: 'sepa_debit',
      providerState,
    })
    // Its order was placed, so it is over.
    assert.deepEqual(await lookUp(debit, (id) => mode.finishDebit(id, 'fails')), {
      kind: 'declined',
      code: 'declined',
      brand: null,
      last4: null,
    })
    assert.deepEqual(await lookUp('4000002500003155'), { kind: 'redirect', isTried: true })
    assert.deepEqual(await lookUp('4000000000009995'), { kind: 'redirect', isTried: true })
    assert.deepEqual(await lookUp('4000000000009995', (id) => mode.cancelByHand(id)), {
      kind: 'declined',
      code: 'insufficient_funds',
      brand: 'visa',
      last4: '9995',
    })
  })

  test('is a decline for an amount that Stripe refuses, and a payment of such an amount is not offered', async () => {
    const provider = await opened()
    const offers = (amount: number, currency: string) => provider.offers?.({ amount, currency })
    assert.deepEqual(
      [offers(5, 'ISK'), offers(1995, 'KWD'), offers(550, 'MGA'), offers(1, 'XAU')],
      [true, false, false, false],
    )
    assert.deepEqual(
      [offers(49, 'EUR'), offers(50, 'EUR'), offers(174_99, 'HUF'), offers(49, 'JPY'), offers(50, 'JPY')],
      [false, true, false, false, true],
      'below what Stripe takes',
    )
    for (const [amount, currency] of [
      [1, 'EUR'],
      [1995, 'KWD'],
    ] as const) {
      const outcome = await provider.start(
        chargeOf({ amount, currency }),
        { method: 'stripe', details: {}, returnUrls },
        signal,
      )
      assert.deepEqual(outcome, { kind: 'declined', code: 'method_unavailable', brand: null, last4: null })
    }
  })

  test('is a decline at the start, and a missing response later, if the key was revoked; neither contains the key', async () => {
    const provider = await opened()
    const charge = await begun(provider)
    mode.revoke(mode.restrictedKey)
    const outcome = await provider.start(chargeOf(), { method: 'stripe', details: {}, returnUrls }, signal)
    assert.deepEqual(outcome, { kind: 'declined', code: 'provider_error', brand: null, last4: null })
    const silences: MissingResponse[] = []
    const found = await callProvider((given) => provider.lookUp(charge, given), {
      onSilence: (one) => silences.push(one),
    })
    assert.deepEqual(found, { kind: 'unknown' })
    assert.deepEqual([silences[0]?.reason, silences[0]?.error], ['threw', 'StripeAuthenticationError'])
    assert.doesNotMatch(JSON.stringify(silences), /_test_/)
    await assert.rejects(
      provider.lookUp(charge, signal),
      (error: Error) => !JSON.stringify({ ...error, stack: error.stack }).includes('_test_'),
    )
  })

  test('is an error if the payment must be captured', async () => {
    const provider = await opened()
    const charge = await begun(provider)
    Object.assign(mode.books.intent(charge.reference), { status: 'requires_capture' })
    await assert.rejects(provider.lookUp(charge, signal), { name: 'UnexpectedAnswer', code: 'REQUIRES_CAPTURE' })
  })

  test('is not queried after the deadline', async () => {
    const provider = await opened()
    const asked = standIn.requests.length
    await assert.rejects(provider.lookUp(chargeOf(), AbortSignal.abort()))
    assert.equal(standIn.requests.length, asked)
  })
})

describe('a lost response', () => {
  test('is recovered by the idempotency key of the created payment', async () => {
    const provider = await opened()
    const charge = chargeOf()
    standIn.network.lose('after', { method: 'POST', path: '/v1/payment_intents' }, 2)
    await assert.rejects(provider.start(charge, { method: 'stripe', details: {}, returnUrls }, signal))
    assert.equal((await provider.lookUp(charge, signal)).kind, 'redirect')
    assert.equal(mode.books.intents.size, 1)
  })

  test('is found by its metadata after the key was forgotten, or is known not to exist, and no second intent is created', async () => {
    const provider = await opened()
    const charge = chargeOf()
    await provider.start(charge, { method: 'stripe', details: {}, returnUrls }, signal)
    mode.keys.forget()
    now += 48 * hour
    assert.equal((await provider.lookUp(charge, signal)).kind, 'redirect')
    assert.deepEqual(await provider.lookUp(chargeOf({ createdAt: charge.createdAt }), signal), { kind: 'absent' })
    assert.equal(await provider.close(chargeOf({ createdAt: charge.createdAt }), signal), 'closed')
    assert.equal(mode.books.intents.size, 1)
    assert.equal(await provider.close(charge, signal), 'closed')
    assert.equal((await provider.lookUp(charge, signal)).kind, 'declined')
  })

  test('twenty concurrent starts create one intent', async () => {
    const provider = await opened()
    const charge = chargeOf()
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => provider.start(charge, { method: 'stripe', details: {}, returnUrls }, signal)),
    )
    const kinds = outcomes.map((one) => (one.status === 'fulfilled' ? one.value.kind : 'no answer'))
    assert.deepEqual([...new Set(kinds)], ['redirect'])
    assert.equal(mode.books.intents.size, 1)
  })
})

describe('closing a payment', () => {
  test('cancels a payment that was not paid, and does not refund one that was', async () => {
    const provider = await opened()
    const charge = await begun(provider)
    assert.deepEqual([await provider.close(charge, signal), await provider.close(charge, signal)], ['closed', 'closed'])
    assert.throws(() => mode.pay(charge.reference))
    assert.equal(await provider.close(await paid(provider), signal), 'taken')
    const owed = await paid(provider, debit)
    assert.equal(await provider.close(owed, signal), 'taken')
    // Once the debit has failed it can be closed: the refusal is not repeated from memory.
    mode.finishDebit(owed.reference, 'fails')
    assert.equal(await provider.close(owed, signal), 'closed')
  })

  test('makes a later start a decline if Stripe has not received the payment yet', async () => {
    const provider = await opened()
    const charge = chargeOf()
    assert.equal(await provider.close(charge, signal), 'closed')
    assert.equal((await provider.start(charge, { method: 'stripe', details: {}, returnUrls }, signal)).kind, 'declined')
  })
})

describe('a refund', () => {
  test('is made once, even if its response is lost and its key forgotten', async () => {
    const provider = await opened()
    const charge = await paid(provider)
    const refund = { key: newId('rfd'), charge, amount: 500 }
    assert.equal(await provider.refundState?.(refund, signal), 'absent')
    standIn.network.lose('after', { method: 'POST', path: '/v1/refunds' }, 2)
    await assert.rejects(provider.refund(refund, signal))
    mode.keys.forget()
    assert.deepEqual(
      [await provider.refund(refund, signal), await provider.refundState?.(refund, signal)],
      ['succeeded', 'succeeded'],
    )
    assert.deepEqual(mode.books.totals().refunded, { eur: 500 })
  })

  test('is repeated under another key if Stripe refused it, and is made only once', async () => {
    const provider = await opened()
    const charge = await paid(provider)
    const byHand = mode.refundByHand(charge.reference, 1800)
    const refund = { key: newId('rfd'), charge, amount: 500 }
    assert.deepEqual(
      [await provider.refund(refund, signal), await provider.refund(refund, signal)],
      ['failed', 'failed'],
    )
    mode.failRefund(byHand.id)
    const answers = await Promise.all(Array.from({ length: 4 }, () => provider.refund(refund, signal)))
    assert.deepEqual(new Set(answers), new Set(['succeeded']))
    assert.deepEqual(mode.books.totals().refunded, { eur: 500 })
  })

  test('has a state for pending, succeeded, failed later and cancelled', async () => {
    const provider = await opened()
    const charge = await paid(provider, '4000000000007726')
    const refunds = Array.from({ length: 3 }, () => ({ key: newId('rfd'), charge, amount: 100 }))
    for (const refund of refunds) assert.equal(await provider.refund(refund, signal), 'pending')
    const made = refunds.map(
      ({ key }) =>
        [...mode.books.refunds.values()].find(({ metadata }) => metadata?.cartwright_refund === key)?.id ?? '',
    )
    mode.finishRefund(made[0] ?? '')
    mode.failRefund(made[1] ?? '')
    mode.cancelRefundByHand(made[2] ?? '')
    const states = await Promise.all(refunds.map((refund) => provider.refundState?.(refund, signal)))
    assert.deepEqual(states, ['succeeded', 'refused', 'refused'])
  })
})

describe('a void of a payment', () => {
  test('refunds the payment once, after which the payment counts as declined', async () => {
    const provider = await opened()
    const charge = await paid(provider)
    const request = { ...charge, voidKey: newId('rfd') }
    assert.deepEqual(
      [await provider.void(request, signal), await provider.void(request, signal)],
      ['succeeded', 'succeeded'],
    )
    assert.deepEqual(mode.books.totals(), { charged: { eur: 1999 }, refunded: { eur: 1999 }, disputed: {} })
    assert.equal((await provider.lookUp(charge, signal)).kind, 'declined')
    assert.equal(await provider.refundState?.({ key: request.voidKey, charge, amount: 1999 }, signal), 'succeeded')
  })

  test('waits for the outcome of a pending debit', async () => {
    const provider = await opened()
    const charge = await paid(provider, debit)
    const request = { ...charge, voidKey: newId('rfd') }
    assert.equal(await provider.void(request, signal), 'unknown')
    mode.finishDebit(charge.reference)
    assert.equal(await provider.void(request, signal), 'pending')
    assert.deepEqual(mode.books.totals().refunded, { eur: 1999 })
  })
})

test('a look-up contains our refunds, other refunds and the dispute', async () => {
  const provider = await opened()
  const charge = await paid(provider, disputed)
  const [dispute] = mode.books.disputes.values()
  const found = await provider.lookUp(charge, signal)
  assert.deepEqual(found.providerState?.dispute, {
    reference: dispute?.id,
    amount: 1999,
    state: 'open',
    reason: 'fraudulent',
    dueAt: (dispute?.evidence_details.due_by ?? 0) * 1000,
  })
  mode.closeDispute(dispute?.id ?? '', 'lost')
  assert.equal((await provider.lookUp(charge, signal)).providerState?.dispute?.state, 'lost')

  const other = await paid(provider)
  const key = newId('rfd')
  await provider.refund({ key, charge: other, amount: 300 }, signal)
  mode.refundByHand(other.reference, 200)
  const { providerState, kind } = await provider.lookUp(other, signal)
  assert.equal(kind, 'approved')
  const refunds = providerState?.refunds.map(({ key, amount, state }) => ({ key, amount, state })) ?? []
  assert.deepEqual(
    refunds.toSorted((a, b) => a.amount - b.amount),
    [
      { key: null, amount: 200, state: 'succeeded' },
      { key, amount: 300, state: 'succeeded' },
    ],
  )
})

describe('events', () => {
  test('a webhook is accepted only with a valid signature and time, also with the previous secret', async () => {
    const [first, second] = [await connect(), await connect()]
    const provider = accounts.open(rowOf(second, first))
    const stranger = accounts.open(rowOf({ ...second, secrets: { secretKey: mode.restrictedKey, noticeSecret: '' } }))
    const charge = await paid(provider)
    const event = [...mode.books.events.values()].find(({ type }) => type === 'payment_intent.succeeded')
    const payload = JSON.stringify(event)
    const signed = (secret: string, at = now, text = payload) => ({
      headers: {
        'stripe-signature': Stripe.webhooks.generateTestHeaderString({
          payload: text,
          secret,
          timestamp: Math.floor(at / 1000),
        }),
      },
      body: Buffer.from(payload),
    })
    const named = { references: [charge.reference] }
    for (const { secrets } of [first, second])
      assert.deepEqual(provider.webhook?.(signed(secrets.noticeSecret ?? ''), now), named)
    const { noticeSecret = '' } = second.secrets
    assert.equal(provider.webhook?.(signed(noticeSecret, now - 301_000), now), 'refused')
    assert.equal(provider.webhook?.(signed(noticeSecret, now, `${payload} `), now), 'refused')
    assert.equal(provider.webhook?.({ headers: {}, body: Buffer.from(payload) }, now), 'refused')
    assert.equal(stranger.webhook?.(signed(noticeSecret), now), 'refused')
    const other = JSON.stringify({ ...event, livemode: true })
    const live = { headers: signed(noticeSecret, now, other).headers, body: Buffer.from(other) }
    assert.equal(provider.webhook?.(live, now), 'refused')
  })

  test('the list of events names each payment that was paid or refunded since the given time, oldest first', async () => {
    const provider = await opened()
    const since = now
    const charges = [await paid(provider)]
    now += 60_000
    charges.push(await paid(provider))
    mode.refundByHand(charges[0]?.reference ?? '', 100)
    const seen: string[] = []
    for await (const { reference, at } of provider.providerEvents?.(since, signal, assert.fail) ?? []) {
      assert.ok(at >= since - 1000)
      seen.push(reference)
    }
    const [first, second] = charges.map(({ reference }) => reference)
    assert.deepEqual(seen, [first, second, first])
  })

  // Events of one payment, one each at these seconds after `since`.
  async function manyEvents(provider: PaymentProvider, seconds: readonly number[]): Promise<number> {
    now += 86_400_000
    await paid(provider)
    const event = [...mode.books.events.values()].findLast(({ type }) => type === 'payment_intent.succeeded')
    assert.ok(event)
    now += 7_200_000
    const since = now
    now += (seconds.at(-1) ?? 0) * 1_000
    for (const second of seconds) {
      const created = Math.floor(since / 1000) + second
      const id = `evt_${created}_${mode.books.events.size}`
      mode.books.events.set(id, { ...event, id, created })
    }
    return since
  }

  test('a long list is read in pages, oldest first; if it breaks off, the events that were read before count', async () => {
    const provider = await opened()
    const since = await manyEvents(
      provider,
      Array.from({ length: 350 }, (_, second) => second),
    )
    const seen: number[] = []
    const read = async () => {
      for await (const { at } of provider.providerEvents?.(since, signal, assert.fail) ?? []) {
        seen.push((at - since) / 1_000)
        // From here on nothing is answered.
        if (seen.length === 1) standIn.network.fail(503, { path: '/v1/events' }, 100)
      }
    }
    await assert.rejects(read())
    standIn.network.reset()
    assert.ok(seen.length > 50 && seen.length < 350, String(seen.length))
    assert.deepEqual(
      seen,
      seen.map((_, second) => second),
    )
    const rest: number[] = []
    for await (const { at } of provider.providerEvents?.(since, signal, assert.fail) ?? [])
      rest.push((at - since) / 1_000)
    assert.deepEqual(
      rest,
      Array.from({ length: 350 }, (_, second) => second),
    )
  })

  test('missing events are reported: more events in a second than can be read, and events that Stripe no longer lists', async () => {
    const provider = await opened()
    const since = await manyEvents(provider, [...Array<number>(1_001).fill(0), 1])
    const told: string[] = []
    let count = 0
    for await (const _ of provider.providerEvents?.(since, signal, (reason) => told.push(reason)) ?? []) count += 1
    assert.deepEqual([count, told], [1_001, ['too_many']])
    for await (const _ of provider.providerEvents?.(now - 31 * 86_400_000, signal, (reason) => told.push(reason)) ?? [])
      break
    assert.deepEqual(told, ['too_many', 'too_old'])
  })
})

test('starting and looking up a payment make no more requests than necessary', async () => {
  const provider = await opened()
  const asked = standIn.requests.length
  const charge = await begun(provider)
  assert.equal(standIn.requests.length - asked, 2)
  await provider.lookUp(charge, signal)
  assert.equal(standIn.requests.length - asked, 3)
  assert.equal(requestsTo('GET', /search/).length, 0)
})
