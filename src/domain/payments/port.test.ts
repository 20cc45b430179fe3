import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reader } from '../../platform/storage/storage.ts'
import {
  callForRefund,
  callProvider,
  createProviders,
  type MissingResponse,
  type ProviderOutcome,
  providerText,
} from './port.ts'
import { manualProvider } from './providers/manual/provider.ts'

const approved = { kind: 'approved', reference: 'x', collected: 1_000, brand: 'visa', last4: '4242' } as const
const never = () => new Promise<never>(() => {})
const number = '4000000000000002'

test('the outcome of the provider is returned', async () => {
  assert.deepEqual(await callProvider(async () => approved), approved)
  assert.deepEqual(await callProvider(async () => ({ kind: 'absent' }) as const), { kind: 'absent' })
  assert.equal(await callForRefund(async () => 'failed'), 'failed')
})

test('a provider that throws, immediately or later, gives an unknown outcome', async () => {
  const heard: MissingResponse[] = []
  const options = { onSilence: (silence: MissingResponse) => void heard.push(silence) }
  const throwsAtOnce = (): Promise<ProviderOutcome> => {
    throw new TypeError('no')
  }
  assert.deepEqual(await callProvider(throwsAtOnce, options), { kind: 'unknown' })
  assert.deepEqual(await callProvider(async () => throwsAtOnce(), options), { kind: 'unknown' })
  assert.equal(await callForRefund(() => Promise.reject('a text'), options), 'unknown')
  assert.deepEqual(
    heard.map(({ reason, error }) => [reason, error]),
    [
      ['threw', 'TypeError'],
      ['threw', 'TypeError'],
      ['threw', null],
    ],
  )
})

test('a call that takes too long is aborted and no longer waited for', async () => {
  const heard: MissingResponse[] = []
  const options = { msMax: 5, onSilence: (silence: MissingResponse) => void heard.push(silence) }
  let told: AbortSignal | undefined
  const deaf = (signal: AbortSignal) => {
    told = signal
    return never()
  }
  assert.deepEqual(await callProvider(deaf, options), { kind: 'unknown' })
  assert.equal(told?.aborted, true)
  const obedient = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  assert.equal(await callForRefund(obedient, options), 'unknown')
  assert.deepEqual(
    heard.map(({ reason }) => reason),
    ['timed_out', 'timed_out'],
  )
})

test('an outcome after the deadline is reported as late, also after the call was aborted', async () => {
  const heard: unknown[] = []
  const options = {
    msMax: 1,
    onAnswer: () => assert.fail('it is no answer in time'),
    onSilence: ({ reason }: MissingResponse) => void heard.push(reason),
    onLate: (answer: unknown) => void heard.push(answer),
  }
  const slow = Promise.withResolvers<ProviderOutcome>()
  assert.deepEqual(await callProvider(() => slow.promise, options), { kind: 'unknown' })
  slow.resolve({ ...approved, last4: number })
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(heard.splice(0), ['timed_out', { ...approved, last4: null }])
  const declined: ProviderOutcome = { kind: 'declined', code: 'provider_error', brand: null, last4: null }
  const hasty = (signal: AbortSignal) =>
    new Promise<ProviderOutcome>((resolve) => signal.addEventListener('abort', () => resolve(declined)))
  assert.deepEqual(await callProvider(hasty, options), { kind: 'unknown' })
  await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(heard.splice(0), ['timed_out', declined])
  assert.equal(
    await callForRefund(() => new Promise((resolve) => setTimeout(resolve, 5, 'succeeded')), options),
    'unknown',
  )
  while (heard.length < 2) await new Promise((resolve) => setImmediate(resolve))
  assert.deepEqual(heard, ['timed_out', 'succeeded'])
})

test('an invalid outcome counts as no response', async () => {
  const heard: string[] = []
  const options = { onSilence: ({ reason }: MissingResponse) => void heard.push(reason) }
  for (const nonsense of [undefined, null, 'approved', {}, { kind: 'maybe' }])
    assert.deepEqual(await callProvider(async () => nonsense as never, options), { kind: 'unknown' })
  for (const nonsense of [undefined, true, 'done', approved])
    assert.equal(await callForRefund(async () => nonsense as never, options), 'unknown')
  assert.deepEqual(
    heard,
    Array.from({ length: 9 }, () => 'invalid_answer'),
  )
})

test('a failure after the deadline is ignored', async () => {
  let fail: (error: Error) => void = () => {}
  const slow = () => new Promise<ProviderOutcome>((_, reject) => (fail = reject))
  assert.deepEqual(await callProvider(slow, { msMax: 1 }), { kind: 'unknown' })
  fail(new Error('too late'))
  await new Promise((resolve) => setImmediate(resolve))
})

test('the reason for a missing response contains no typed values', async () => {
  const careless = Object.assign(new Error(`POST failed: number=${number}\n    at ${number} (${number}.ts:1:1)`), {
    name: `Error ${number}`,
    code: number,
    number,
    cause: new Error(number),
  })
  const heard: MissingResponse[] = []
  await callProvider(() => Promise.reject(careless), { onSilence: (silence) => void heard.push(silence) })
  assert.equal(heard.length, 1)
  assert.doesNotMatch(JSON.stringify(heard), /4000/)
  assert.match(heard[0]?.frames.join(' ') ?? '', /port\.test\.ts:\d+:\d+/, 'but tells where it came from')
  const plain = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  await callProvider(() => Promise.reject(plain), { onSilence: (silence) => void heard.push(silence) })
  assert.equal(heard[1]?.code, 'ECONNREFUSED')
})

test('a card number that is returned as brand or last digits is removed', async () => {
  for (const kind of ['approved', 'declined'] as const) {
    const answer = await callProvider(
      async () => ({ kind, reference: 'x', code: 'declined', brand: number, last4: number }) as ProviderOutcome,
    )
    assert.doesNotMatch(JSON.stringify(answer), /4000/)
  }
})

test('providers are found by payment, and offered by mode', async () => {
  const testOnly = { ...manualProvider, name: 'other', modes: ['test'] as const }
  const providers = createProviders([testOnly, manualProvider])
  // None of these calls reads the database.
  const db = {} as Reader
  const found = (provider: string, accountId: string | null = null) =>
    providers.of(db, { provider, accountId, merchantId: 'mer_1' })
  const offered = async (mode: 'test' | 'live') =>
    (await providers.offered(db, { merchantId: 'mer_1', mode })).map(({ provider }) => provider)
  assert.equal(await found('other'), testOnly)
  assert.equal(await found('constructor'), undefined)
  assert.equal(await found('other', 'pac_1'), undefined)
  assert.deepEqual(await offered('live'), [manualProvider])
  assert.deepEqual(await offered('test'), [testOnly, manualProvider])
  assert.throws(() => createProviders([testOnly, testOnly]), /the same name/)
})

test('texts are in the requested language, otherwise in English, and an unknown key is an error', () => {
  const key = 'method.bank_transfer'
  assert.equal(providerText(manualProvider, key, 'de-CH'), 'Überweisung')
  for (const locale of ['en', 'fr', 'auto', '', 'constructor'])
    assert.equal(providerText(manualProvider, key, locale), 'Bank transfer', locale)
  assert.throws(() => providerText(manualProvider, 'nothing', 'de'), /no text/)
})
