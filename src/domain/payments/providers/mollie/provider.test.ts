// What the adapter for Mollie does beyond the promises of all providers (providers.test.ts), against the stand-in.
import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { mollieAccount } from '../../../../../harness/mollie/bench.ts'
import type { Books } from '../../../../../harness/mollie/books.ts'
import { type MollieStandIn, openMollie } from '../../../../../harness/mollie/standin.ts'
import { type Issue, issueAt } from '../../../../contract/issues.ts'
import { newId } from '../../../../platform/kit/ids.ts'
import { AccountRefused, sentenceOfIssue } from '../../accountport.ts'
import type { Charge, PaymentProvider, ReturnUrls } from '../../port.ts'
import { createMollieAccounts } from './account.ts'
import { createMollieClient, type MollieClient, MollieError } from './client.ts'
import { mollieOutcomeOf } from './outcomes.ts'
import { createMollieProvider } from './provider.ts'

const began = Date.parse('2026-06-15T12:00:00.000Z')
const { signal } = new AbortController()
let now = began
let mollie: MollieStandIn
let books: Books
let provider: PaymentProvider

before(async () => {
  mollie = await openMollie({ clock: () => new Date(now) })
  books = mollie.profile.test.books
})
beforeEach(() => {
  now = began
  books.opensCancelable = false
  provider = providerWith(null)
})
after(() => mollie.close())

function providerWith(noticeUrl: string | null): PaymentProvider {
  const client = createMollieClient({ url: mollie.url, key: mollie.profile.test.key })
  return createMollieProvider({ client, mode: 'test', noticeUrl })
}

const charge = (changes: Partial<Charge> = {}): Charge => ({
  key: newId('pay'),
  amount: 1_999,
  currency: 'EUR',
  mode: 'test',
  reference: null,
  createdAt: now,
  ...changes,
})

const returnUrlsIn = (locale: string) => async (): Promise<ReturnUrls> => ({
  returnUrl: 'https://shop.example/r/token',
  cancelUrl: 'https://shop.example/r/token',
  locale,
  merchantName: 'Bloom',
})

async function started(given = charge(), locale = 'en', by = provider): Promise<Charge> {
  const outcome = await by.start(given, { method: 'online', details: {}, returnUrls: returnUrlsIn(locale) }, signal)
  assert.ok('reference' in outcome, outcome.kind)
  return { ...given, reference: outcome.reference }
}

test('a payment is created with the return URL, the webhook URL, and our id as its idempotency key and in its metadata', async () => {
  const own = await started(charge(), 'de-AT', providerWith('https://shop.example/hooks/payments/pac_1'))
  const { headers, body } = mollie.requests.findLast(({ method }) => method === 'POST') ?? assert.fail()
  assert.equal(headers['idempotency-key'], own.key)
  assert.deepEqual(JSON.parse(body), {
    amount: { currency: 'EUR', value: '19.99' },
    description: `Bloom ${own.key.slice(-8).toUpperCase()}`,
    redirectUrl: 'https://shop.example/r/token',
    cancelUrl: 'https://shop.example/r/token',
    webhookUrl: 'https://shop.example/hooks/payments/pac_1',
    locale: 'de_AT',
    metadata: { cartwright_payment: own.key },
  })
})

test('languages that Mollie supports are sent, and others are left out', async () => {
  for (const [ours, theirs] of [
    ['en', 'en_US'],
    ['en-GB', 'en_GB'],
    ['fr-CA', 'fr_FR'],
    ['nl', 'nl_NL'],
    ['nl-BE', 'nl_BE'],
    ['es', 'es_ES'],
    ['ja', undefined],
    ['ar', undefined],
    ['', undefined],
  ] as const) {
    await started(charge(), ours)
    const { body } = mollie.requests.findLast(({ method }) => method === 'POST') ?? assert.fail()
    assert.equal(JSON.parse(body).locale, theirs, ours)
  }
})

test('an open payment that cannot be cancelled is reported as closed only after it has expired', async () => {
  const own = await started()
  const voided = { ...own, voidKey: newId('rfd') }
  assert.equal(await provider.close(own, signal), 'unknown')
  assert.equal(await provider.void(voided, signal), 'unknown')
  now += 16 * 60_000
  assert.equal(await provider.close(own, signal), 'closed')
  assert.equal(await provider.void(voided, signal), 'succeeded')
  const found = await provider.lookUp(own, signal)
  assert.deepEqual(found, { kind: 'declined', code: 'authentication_failed', brand: null, last4: null })
})

test('a payment that is paid while it is being cancelled is reported as paid', async () => {
  books.opensCancelable = true
  const own = await started()
  const held = mollie.hold({ method: 'DELETE' })
  const closing = provider.close(own, signal)
  await held.arrived
  books.act(own.reference ?? '', { kind: 'pay' })
  held.release()
  assert.equal(await closing, 'taken')
})

test('a bank transfer is pending and can be closed; a pending debit cannot be closed', async () => {
  const transfer = await started()
  books.act(transfer.reference ?? '', { kind: 'transfer' })
  assert.equal((await provider.lookUp(transfer, signal)).kind, 'pending')
  assert.equal(await provider.close(transfer, signal), 'closed')
  const debit = await started()
  books.act(debit.reference ?? '', { kind: 'later' })
  assert.equal((await provider.lookUp(debit, signal)).kind, 'pending')
  assert.equal(await provider.close(debit, signal), 'taken')
  assert.equal(await provider.void({ ...debit, voidKey: newId('rfd') }, signal), 'unknown')
})

test('the reason of a failure is translated to the codes of the contract', async () => {
  for (const [reason, code] of [
    ['insufficient_funds', 'insufficient_funds'],
    ['card_expired', 'card_expired'],
    ['invalid_cvv', 'incorrect_details'],
    ['authentication_failed', 'authentication_failed'],
    ['possible_fraud', 'declined'],
    ['of_next_year', 'declined'],
    ['constructor', 'declined'],
  ] as const) {
    const own = await started()
    books.act(own.reference ?? '', { kind: 'fail', reason })
    const found = await provider.lookUp(own, signal)
    assert.deepEqual(found, { kind: 'declined', code, brand: 'visa', last4: '4242' })
  }
})

test('a payment that must be captured is an error', () => {
  const odd = { id: 'tr_1', status: 'authorized', checkoutUrl: null } as unknown as Parameters<
    typeof mollieOutcomeOf
  >[0]
  assert.throws(() => mollieOutcomeOf(odd))
})

test('a payment in a currency that Mollie refuses is declined with method_unavailable', async () => {
  assert.equal(provider.offers?.({ currency: 'EUR', amount: 1 }), true)
  assert.equal(provider.offers?.({ currency: 'KWD', amount: 1_000 }), false)
  const request = { method: 'online', details: {}, returnUrls: returnUrlsIn('en') }
  const unavailable = { kind: 'declined', code: 'method_unavailable', brand: null, last4: null }
  assert.deepEqual(await provider.start(charge({ currency: 'KWD' }), request, signal), unavailable)
  const [server, url] = await listen((_, response) =>
    response.writeHead(422).end(JSON.stringify({ status: 422, field: 'amount.currency', detail: 'secret' })),
  )
  const client = createMollieClient({ url, key: mollie.profile.test.key })
  const other = createMollieProvider({ client, mode: 'test', noticeUrl: null })
  assert.deepEqual(await other.start(charge(), request, signal), unavailable)
  server.close()
})

test('an address that Mollie refuses is left out, and the payment is still created', async () => {
  const shopper = { email: 'jo@example.com', name: 'Jo Berg', phone: '' }
  const asked: { body: object; idempotencyKey: string }[] = []
  const client = createMollieClient({ url: mollie.url, key: mollie.profile.test.key })
  const picky: MollieClient = {
    ...client,
    post(request, stop) {
      asked.push(request)
      if ('billingAddress' in request.body) throw new MollieError(422, 'billingAddress.email')
      return client.post(request, stop)
    },
  }
  const own = charge()
  const other = createMollieProvider({ client: picky, mode: 'test', noticeUrl: null })
  const purchase = { shopper, delivery: null, lines: [] }
  const outcome = await other.start(
    own,
    { method: 'online', details: {}, returnUrls: returnUrlsIn('en'), purchase },
    signal,
  )
  assert.equal(outcome.kind, 'redirect')
  assert.deepEqual(
    asked.map(({ body, idempotencyKey }) => ['billingAddress' in body, idempotencyKey]),
    [
      [true, own.key],
      [false, `${own.key}-plain`],
    ],
  )
  assert.equal((await other.lookUp(own, signal)).kind, 'redirect')
})

test('a request whose idempotency key is still in use is repeated', async () => {
  const held = mollie.hold({ method: 'POST' })
  const own = charge()
  const both = Promise.all([started(own), started(own)])
  await held.arrived
  held.release()
  const [one, two] = await both
  assert.equal(one.reference, two.reference)
})

test('a payment without a reference is searched for page by page in the list of payments, back to the time when it was created', async () => {
  const own = await started()
  const { amount, description, redirectUrl } = books.payment(own.reference ?? '').request
  for (let i = 0; i < 300; i += 1) books.create({ amount, description, redirectUrl })
  const lists = () => mollie.requests.filter(({ path }) => path.startsWith('/v2/payments?')).length
  const before = lists()
  assert.equal((await provider.lookUp({ ...own, reference: null }, signal)).kind, 'redirect')
  assert.equal(lists(), before + 2)
  const later = charge({ createdAt: now + 3 * 3_600_000 })
  assert.equal((await provider.lookUp(later, signal)).kind, 'absent')
  assert.equal(lists(), before + 3)
})

test('a refund that failed or was cancelled at Mollie is not sent again', async () => {
  for (const status of ['failed', 'canceled'] as const) {
    const own = await started()
    books.act(own.reference ?? '', { kind: 'pay' })
    const refund = { key: newId('rfd'), charge: own, amount: 500 }
    assert.equal(await provider.refund(refund, signal), 'pending')
    books.moveRefunds(status)
    assert.equal(await provider.refundState?.(refund, signal), 'refused')
    assert.equal(await provider.refund(refund, signal), 'refused')
    assert.equal(books.refundsOf(own.reference ?? '').length, 1)
    const { providerState } = await provider.lookUp(own, signal)
    assert.deepEqual(
      providerState?.refunds.map(({ state }) => state),
      ['failed'],
    )
  }
})

test('a payment that was completely refunded at Mollie counts as refunded, and a void completes a partial refund', async () => {
  const given = (reference: string | null, value: string) =>
    books.refund(reference ?? '', { amount: { currency: 'EUR', value } })
  const whole = await started()
  books.act(whole.reference ?? '', { kind: 'pay' })
  given(whole.reference, '19.99')
  const { kind, providerState } = await provider.lookUp(whole, signal)
  assert.deepEqual([kind, providerState?.refunds.length], ['declined', 1])
  assert.equal(await provider.void({ ...whole, voidKey: newId('rfd') }, signal), 'succeeded')
  const part = await started()
  books.act(part.reference ?? '', { kind: 'pay' })
  given(part.reference, '5.00')
  assert.equal((await provider.lookUp(part, signal)).kind, 'approved')
  const voided = { ...part, voidKey: newId('rfd') }
  assert.equal(await provider.void(voided, signal), 'pending')
  assert.equal(await provider.void(voided, signal), 'pending')
  assert.equal(books.refundedMinor(part.reference ?? ''), 1_999)
  assert.equal((await provider.lookUp(part, signal)).kind, 'declined')
  const asked = { key: voided.voidKey, charge: part, amount: part.amount }
  assert.equal(await provider.refundState?.(asked, signal), 'pending')
})

test('a chargeback is an open dispute until it is reversed', async () => {
  const own = await started()
  books.act(own.reference ?? '', { kind: 'pay' })
  const { id } = books.chargeBack(own.reference ?? '', { currency: 'EUR', value: '5.00' })
  const disputeOf = async () => (await provider.lookUp(own, signal)).providerState?.dispute
  assert.deepEqual(await disputeOf(), { reference: id, amount: 500, state: 'open', reason: null, dueAt: null })
  books.reverse(id)
  assert.equal((await disputeOf())?.state, 'won')
})

test('only the payment id of a webhook is used', () => {
  const heard = (body: string) => provider.webhook?.({ headers: {}, body: Buffer.from(body) }, now)
  assert.deepEqual(heard('id=tr_abc123'), { references: ['tr_abc123'] })
  assert.deepEqual(heard('id=tr_abc123&status=paid'), { references: ['tr_abc123'] })
  assert.deepEqual(heard('id=ord_abc123'), { references: [] })
  for (const odd of ['', 'id=', '{"id":"tr_1"}', 'id=tr_../payments', 'id=tr_%00', `id=tr_${'x'.repeat(100)}`])
    assert.equal(heard(odd), 'refused', odd)
})

test('the list of events names each payment that was changed, refunded or charged back since the given time, oldest first', async () => {
  now += 30 * 86_400_000
  const [paid, _open, back, charged] = [await started(), await started(), await started(), await started()]
  const since = now + 300_000
  for (const { reference } of [back, charged]) books.act(reference ?? '', { kind: 'pay' })
  now = since + 1_000
  books.act(paid.reference ?? '', { kind: 'pay' })
  now += 1_000
  books.refund(back.reference ?? '', { amount: { currency: 'EUR', value: '1.00' } })
  now += 1_000
  books.chargeBack(charged.reference ?? '')
  const seen: string[] = []
  for await (const { reference } of provider.providerEvents?.(since, signal, assert.fail) ?? []) seen.push(reference)
  assert.deepEqual(seen, [paid.reference, back.reference, charged.reference])
})

test('if listing all events would take too long, chargebacks are listed and the missing events are reported', async () => {
  now += 60 * 86_400_000
  const since = now
  const first = await started()
  const made = books.payment(first.reference ?? '')
  for (let i = 0; i < 260; i += 1) {
    now += 1_000
    books.payments.set(`tr_many${i}`, { ...made, id: `tr_many${i}`, status: 'paid', createdAt: now, changedAt: now })
  }
  books.chargeBack('tr_many3')
  // A clock by which reading each page takes half a minute.
  let asked = 0
  const slow = createMollieProvider({
    client: {
      ...createMollieClient({ url: mollie.url, key: mollie.profile.test.key }),
      get(path, query, stop) {
        asked += 1
        return createMollieClient({ url: mollie.url, key: mollie.profile.test.key }).get(path, query, stop)
      },
    },
    mode: 'test',
    noticeUrl: null,
    monotonic: () => asked * 30_000,
  })
  const told: string[] = []
  const seen = new Set<string>()
  for await (const { reference } of slow.providerEvents?.(since, signal, (reason) => told.push(reason)) ?? [])
    seen.add(reference)
  assert.deepEqual([told, asked], [['too_many'], 2])
  assert.deepEqual([...seen], ['tr_many3'])
  for (const { id } of [...books.payments.values()]) if (id.startsWith('tr_many')) books.payments.delete(id)
})

test('a key of one mode is not used in the other mode', async () => {
  await assert.rejects(provider.lookUp(charge({ mode: 'live' }), signal))
  await assert.rejects(started(charge({ mode: 'live' })))
})

test('a reference that is not one of Mollie is not put into a URL', async () => {
  await assert.rejects(provider.lookUp(charge({ reference: 'tr_1/../../v2/profiles/me' }), signal))
})

test('the client aborts endless responses, follows no redirects, and can be aborted', async () => {
  const handlers: Record<string, RequestListener> = {
    '/long': (_, response) => {
      response.writeHead(200)
      const write = () => {
        while (!response.destroyed && response.write('x'.repeat(1_000_000)));
      }
      response.on('drain', write)
      write()
    },
    '/away': (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    '/never': () => {},
    '/proxy': (_, response) => response.writeHead(502).end('<html>secret</html>'),
  }
  const [server, url] = await listen((request, response) => handlers[request.url ?? '']?.(request, response))
  const client = createMollieClient({ url, key: 'test_x' })
  await assert.rejects(client.get('/long', {}, signal), /has more than 4000000 bytes/)
  await assert.rejects(client.get('/away', {}, signal))
  const controller = new AbortController()
  const waiting = client.get('/never', {}, controller.signal)
  controller.abort(new Error('stopped'))
  await assert.rejects(waiting, /stopped/)
  await assert.rejects(
    client.get('/proxy', {}, signal),
    (error) => error instanceof MollieError && error.code === 'MOLLIE_FAILED' && !error.message.includes('secret'),
  )
  server.closeAllConnections()
  server.close()
})

test('an account is connected with the key of its mode, and the name of its profile is stored', async () => {
  const accounts = createMollieAccounts({ url: mollie.url })
  const { key } = mollie.profile.test
  const connect = (typed: string, mode: 'test' | 'live' = 'test', by = accounts) =>
    by.connect({ answers: { key: typed }, mode, noticeUrl: null, pageHost: null }, signal)
  assert.deepEqual(await connect(` ${key}\n`), {
    public: { profile: mollie.profile.id, name: 'Bloom' },
    secrets: { key },
  })
  const refused = (typed: string, issue: Issue) => (error: unknown) => {
    assert.ok(error instanceof AccountRefused)
    assert.deepEqual(error.issue, issue)
    assert.equal(error.message, sentenceOfIssue(issue))
    assert.ok(!(error.message + JSON.stringify(error.issue)).includes(typed))
    return true
  }
  const wrong: [string, 'test' | 'live', Issue][] = [
    ['sk_test_1', 'test', issueAt('/keys/key', 'not_a_mollie_key')],
    [key, 'live', issueAt('/keys/key', 'key_of_other_mode', { mode: 'test' })],
    [
      mollie.profile.live.key,
      'live',
      issueAt('/keys/key', 'live_key_with_stand_in', { setting: 'CARTWRIGHT_MOLLIE_URL' }),
    ],
    [`test_${'y'.repeat(30)}`, 'test', issueAt('/keys/key', 'key_not_accepted', { provider: 'Mollie' })],
  ]
  for (const [typed, mode, issue] of wrong) await assert.rejects(connect(typed, mode), refused(typed, issue))
  const open = { previous: [], noticeUrl: null, pageHost: null, secrets: { key: mollie.profile.live.key } }
  assert.throws(() => accounts.open({ ...open, account: mollieAccount(mollie, { mode: 'live' }) }))
})

test('the problems of an account are reported', async () => {
  const accounts = createMollieAccounts({ url: mollie.url })
  const check = (key: string, changes = {}) =>
    accounts.check(
      {
        account: mollieAccount(mollie, changes),
        secrets: { key },
        previous: [],
        noticeUrl: null,
        pageHost: null,
      },
      signal,
    )
  const { profile } = mollie
  assert.deepEqual(await check(profile.test.key), [])
  Object.assign(profile, { status: 'blocked', methods: [] })
  const named = { provider: 'Mollie' }
  const blocked = await check(profile.test.key)
  assert.deepEqual(blocked, [issueAt('', 'account_blocked', named), issueAt('', 'no_method_at_provider', named)])
  assert.deepEqual(
    blocked.map(({ message }) => message),
    ['Mollie has blocked the account', 'no payment method is enabled at Mollie'],
  )
  Object.assign(profile, { status: 'verified', methods: ['ideal'] })
  assert.deepEqual(await check(profile.test.key, { public: { profile: 'pfl_other' } }), [
    issueAt('/keys/key', 'key_of_other_account', named),
  ])
  assert.deepEqual(await check('test_short'), [issueAt('/keys/key', 'not_a_mollie_key')])
  mollie.fail(503)
  assert.deepEqual(await check(profile.test.key), [issueAt('', 'provider_refused', { ...named, reason: '503' })])
  mollie.lose('before')
  assert.deepEqual(await check(profile.test.key), [issueAt('', 'provider_unreachable', named)])
  assert.deepEqual(await check(`test_${'y'.repeat(30)}`), [issueAt('/keys/key', 'key_not_accepted', named)])
})

async function listen(handler: RequestListener): Promise<[ReturnType<typeof createServer>, string]> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return [server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`]
}
