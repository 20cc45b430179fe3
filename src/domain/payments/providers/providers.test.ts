// What every provider promises. A new provider gets a row in the table and has to pass all of it, against a stand-in for its
// service. A part that a provider does not have (see harness/providerBench.ts) is left out for it.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { openMollieBench } from '../../../../harness/mollie/bench.ts'
import type { ProviderBench } from '../../../../harness/providerBench.ts'
import { returnUrls } from '../../../../harness/returnUrls.ts'
import { eachEngine } from '../../../../harness/storage.ts'
import { openStripeBench } from '../../../../harness/stripe/bench.ts'
import { newId } from '../../../platform/kit/ids.ts'
import type { Storage } from '../../../platform/storage/storage.ts'
import { type Charge, callProvider, type ProviderFinding, providerText, type RefundAnswer } from '../port.ts'
import { manualProvider } from './manual/provider.ts'
import { createSandboxProvider, listTestCharges } from './sandbox/provider.ts'

const now = Date.parse('2026-06-15T12:00:00.000Z')
const dayMs = 24 * 3_600_000
const { signal } = new AbortController()
// The time at the services of the providers.
const time = { now }
const clock = () => new Date(time.now)

const card = { number: '4242 4242 4242 4242', expiry: '01/30', cvc: '123', name: 'Ada Lovelace' }

// Providers whose records are rows of our database. They are tested on both engines.
const stored: Readonly<Record<string, (storage: Storage) => ProviderBench>> = {
  test: (storage) => ({
    provider: createSandboxProvider({ storage, clock }),
    method: 'card',
    details: card,
    books: {
      async of({ key }) {
        const charges = (await listTestCharges(storage)).filter((charge) => charge.key === key)
        return { charges: charges.length, refunded: charges.reduce((sum, { refunded }) => sum + refunded, 0) }
      },
      closesUnknownKeys: true,
    },
  }),
}

const others: Readonly<Record<string, () => Promise<ProviderBench>>> = {
  manual: async () => ({ provider: manualProvider, method: 'bank_transfer', details: {} }),
  mollie: () => openMollieBench(clock),
  stripe: () => openStripeBench(clock),
}

// Providers that keep no records, and providers that send the shopper to no page of their own.
const withoutBooks: readonly string[] = ['manual']
const withoutRedirect: readonly string[] = ['manual', 'test']

for (const [name, open] of Object.entries(stored))
  eachEngine(`the provider ${name}`, (given) => promises(name, async () => open(await given.open())))
for (const [name, open] of Object.entries(others)) describe(`the provider ${name}`, () => promises(name, open))

// How the money of a delayed payment arrives, by provider.
const laterInstruments: Readonly<Record<string, string>> = { mollie: 'banktransfer', stripe: 'sepa_debit' }

function promises(name: string, open: () => Promise<ProviderBench>): void {
  let bench: ProviderBench
  before(async () => {
    bench = await open()
  })
  after(() => bench.close?.())

  const newCharge = (amount = 1_000): Charge => ({
    key: newId('pay'),
    amount,
    currency: 'EUR',
    mode: 'test',
    reference: null,
    createdAt: now,
  })
  const start = (charge: Charge) => {
    const { provider, method, details } = bench
    return provider.start(charge, { method, details, returnUrls }, signal)
  }
  const lookUp = (charge: Charge) => bench.provider.lookUp(charge, signal)
  // Starts a charge, and returns it as it is stored once its reference is known.
  const begun = async (charge = newCharge()): Promise<Charge> => {
    const outcome = await start(charge)
    return { ...charge, reference: 'reference' in outcome ? outcome.reference : null }
  }
  const paid = async (amount?: number): Promise<Charge> => {
    const charge = await begun(newCharge(amount))
    await bench.shopper?.act(charge, 'pay')
    return charge
  }
  const booksOf = async (charge: Charge) => {
    const entry = await bench.books?.of(charge)
    return entry && [entry.charges, entry.refunded]
  }
  const refund = (charge: Charge, amount: number, key = newId('rfd')) =>
    bench.provider.refund({ key, charge, amount }, signal)
  const isPaidOut = (answer: RefundAnswer) => answer === 'succeeded' || answer === 'pending'
  // Asserts that no payment was made under the key of the charge. A provider that makes one at a look-up returns its page.
  const assertUnknown = async (charge: Charge) => {
    const found = await lookUp(charge)
    if (bench.books?.makesByLookingUp) assert.equal(found.kind, 'redirect')
    else assert.deepEqual(found, { kind: 'absent' })
  }
  // What a look-up returns, without the provider state.
  const outcomeIn = ({ providerState: _, ...outcome }: ProviderFinding) => outcome

  test('has a name, a mode, and texts for everything that it shows', () => {
    const { provider } = bench
    assert.equal(provider.name, name)
    assert.ok(provider.modes.length > 0)
    const languages = Object.keys(provider.texts)
    for (const { labelKey, noteKey, fields, shape } of provider.methods) {
      const keys = [labelKey, ...(noteKey === null ? [] : [noteKey]), ...fields.map((field) => field.labelKey)]
      for (const key of keys) for (const language of languages) assert.ok(providerText(provider, key, language))
      assert.equal(new Set(fields.map((field) => field.name)).size, fields.length)
      for (const field of fields) assert.ok(field.lengthMax > 0)
      assert.equal(fields.length > 0, shape === 'fields')
    }
    for (const language of languages)
      assert.deepEqual(Object.keys(provider.texts[language] ?? {}).sort(), Object.keys(provider.texts.en).sort())
  })

  test('checks typed values and reports problems without repeating the values', () => {
    const { provider, method, details } = bench
    assert.deepEqual(provider.check(method, details, now), [])
    const planted = Object.fromEntries(Object.keys(details).map((field) => [field, `planted ${field}`]))
    const problems = [...provider.check('no such method', details, now), ...provider.check(method, planted, now)]
    assert.ok(problems.length > 0)
    for (const { path, messageKey } of problems) {
      assert.match(path, /^\/[a-z0-9]+$/)
      assert.ok(providerText(provider, messageKey, 'en'))
    }
    assert.doesNotMatch(JSON.stringify(problems), /planted|no such method/)
  })

  test('returns the same outcome for the same key, in later and in concurrent calls, and makes one charge', async () => {
    const charge = newCharge()
    const outcome = await start(charge)
    assert.ok(outcome.kind === (bench.shopper ? 'redirect' : bench.books ? 'approved' : 'pending'))
    assert.deepEqual(await start(charge), outcome)
    const other = newCharge()
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => start(other)))
    assert.equal(new Set(outcomes.map((each) => JSON.stringify(each))).size, 1)
    assert.notDeepEqual(outcomes[0], outcome, 'another payment has another reference')
    if (bench.books)
      assert.deepEqual(
        [await booksOf(charge), await booksOf(other)],
        [
          [1, 0],
          [1, 0],
        ],
      )
  })

  test('returns the outcome to a caller who lost the response, with and without the reference', async () => {
    const charge = newCharge()
    const outcome = await start(charge)
    assert.deepEqual(outcomeIn(await callProvider((signal) => bench.provider.lookUp(charge, signal))), outcome)
    assert.deepEqual(outcomeIn(await lookUp({ ...charge, reference: (await begun(charge)).reference })), outcome)
  })

  test('makes a refund once per key', async () => {
    const charge = await paid()
    const key = newId('rfd')
    const answers = await Promise.all(Array.from({ length: 5 }, () => refund(charge, 400, key)))
    assert.deepEqual([new Set(answers).size, answers.every(isPaidOut)], [1, true])
    assert.ok(isPaidOut(await refund(charge, 600)))
    if (bench.books) assert.deepEqual(await booksOf(charge), [1, 1_000])
    await bench.books?.payRefunds?.()
    const { provider } = bench
    if (provider.refundState)
      assert.equal(await provider.refundState({ key, charge, amount: 400 }, signal), 'succeeded')
    else assert.deepEqual(answers[0], 'succeeded')
  })

  test('never refunds more than the charge', async () => {
    const charge = await paid()
    assert.ok(!isPaidOut(await refund(charge, 1_001)))
    if (!bench.books) return
    const answers = await Promise.all(Array.from({ length: 8 }, () => refund(charge, 300)))
    assert.equal(answers.filter(isPaidOut).length, 3)
    assert.deepEqual(await booksOf(charge), [1, 900])
  })

  test('voids a charge repeatedly without an error', async () => {
    const charge = await paid()
    const request = { ...charge, voidKey: newId('rfd') }
    assert.ok(isPaidOut(await bench.provider.void(request, signal)))
    assert.ok(isPaidOut(await bench.provider.void(request, signal)))
  })

  if (!withoutBooks.includes(name))
    describe('with a record of charges', () => {
      test('finds no charge under a key that was never used, and closes the key', async () => {
        for (const close of [
          async (charge: Charge) => bench.provider.close(charge, signal),
          async (charge: Charge) => bench.provider.void({ ...charge, voidKey: newId('rfd') }, signal),
        ]) {
          const charge = newCharge()
          await assertUnknown(charge)
          assert.match(await close(charge), /^(closed|succeeded)$/)
          if (!bench.books?.closesUnknownKeys) continue
          assert.equal((await start(charge)).kind, 'declined')
          assert.equal((await lookUp(charge)).kind, 'declined')
        }
      })

      test('does not close a paid charge, and refunds nothing', async () => {
        const charge = await paid()
        assert.equal(await bench.provider.close(charge, signal), 'taken')
        assert.equal((await lookUp(charge)).kind, 'approved')
        assert.deepEqual(await booksOf(charge), [1, 0])
      })

      test('refunds a charge that is voided, and does not void one that was partly refunded', async () => {
        const charge = await paid()
        assert.ok(isPaidOut(await bench.provider.void({ ...charge, voidKey: newId('rfd') }, signal)))
        assert.equal((await lookUp(charge)).kind, 'declined')
        assert.equal((await start(charge)).kind, 'declined')
        assert.ok(!isPaidOut(await refund(charge, 1)))
        const other = await paid()
        await refund(other, 1)
        assert.equal(await bench.provider.void({ ...other, voidKey: newId('rfd') }, signal), 'failed')
      })

      test('refuses a key with another amount or currency, and a refund with another amount or charge', async () => {
        const charge = await paid()
        const asked = { key: newId('rfd'), charge, amount: 100 }
        await bench.provider.refund(asked, signal)
        for (const wrong of [
          { ...charge, amount: 999 },
          { ...charge, currency: 'USD' },
        ]) {
          await assert.rejects(start(wrong))
          await assert.rejects(lookUp(wrong))
          await assert.rejects(bench.provider.refund({ ...asked, charge: wrong }, signal))
          await assert.rejects(bench.provider.void({ ...wrong, voidKey: newId('rfd') }, signal))
        }
        await assert.rejects(bench.provider.refund({ ...asked, amount: 101 }, signal))
      })
    })

  if (!withoutRedirect.includes(name))
    describe('with redirects', () => {
      const act = (charge: Charge, what: 'pay' | 'fail' | 'leave' | 'later') => bench.shopper?.act(charge, what)

      test('returns where the shopper pays, and later the outcome', async () => {
        const charge = newCharge()
        const outcome = await start(charge)
        assert.ok(outcome.kind === 'redirect' && outcome.until > now)
        assert.ok(outcome.nextAction.kind !== 'page' || outcome.nextAction.url.startsWith('http'))
        await act(charge, 'pay')
        const { reference } = outcome
        const found = outcomeIn(await lookUp({ ...charge, reference }))
        assert.ok(found.kind === 'approved')
        assert.deepEqual([found.reference, found.collected, found.last4], [reference, 1_000, '4242'])
        assert.deepEqual(outcomeIn(await lookUp(charge)), found)
        assert.deepEqual(
          outcomeIn(await start(charge)),
          found,
          'a start that is repeated is not older than the payment',
        )
      })

      test('closes a payment, which can then neither be paid nor started again', async () => {
        const charge = await begun()
        assert.equal(await bench.provider.close(charge, signal), 'closed')
        assert.equal(await bench.provider.close(charge, signal), 'closed')
        await assert.rejects(async () => act(charge, 'pay'))
        assert.equal((await lookUp(charge)).kind, 'declined')
        assert.equal((await start({ ...charge, reference: null })).kind, 'declined')
        assert.deepEqual(await booksOf(charge), [1, 0])
      })

      test('voids an unpaid payment', async () => {
        const charge = await begun()
        assert.equal(await bench.provider.void({ ...charge, voidKey: newId('rfd') }, signal), 'succeeded')
        await assert.rejects(async () => act(charge, 'pay'))
        assert.equal((await lookUp(charge)).kind, 'declined')
      })

      test('reports a delayed payment as pending, and then as paid or failed', async () => {
        for (const how of ['paid', 'failed'] as const) {
          const charge = await begun()
          await act(charge, 'later')
          const { reference } = charge
          const { instrument, ...outcome } = { instrument: undefined, ...outcomeIn(await lookUp(charge)) }
          assert.deepEqual(outcome, { kind: 'pending', reference, settles: 'by_provider' })
          assert.equal(instrument, laterInstruments[name])
          await bench.shopper?.settle(charge, how)
          // If the shopper may try again on the provider's page, the payment ends by being closed.
          if ((await lookUp(charge)).kind === 'redirect')
            assert.equal(await bench.provider.close(charge, signal), 'closed')
          assert.equal((await lookUp(charge)).kind, how === 'paid' ? 'approved' : 'declined')
        }
      })

      test('makes one charge and one refund if responses are lost, also after keys were forgotten', async () => {
        const { network, provider } = bench
        assert.ok(network)
        const charge = newCharge()
        network.lose('before', 'charge')
        await assert.rejects(start(charge))
        await assertUnknown(charge)
        network.lose('after', 'charge')
        await assert.rejects(start(charge))
        const found = await lookUp(charge)
        assert.ok(found.kind === 'redirect')
        const known = { ...charge, reference: found.reference }
        await act(known, 'pay')
        network.forgetKeys()
        time.now += 2 * dayMs
        assert.equal((await lookUp(charge)).kind, 'approved')
        assert.equal((await lookUp(known)).kind, 'approved')

        const asked = { key: newId('rfd'), charge: known, amount: 400 }
        network.lose('before', 'refund')
        await assert.rejects(provider.refund(asked, signal))
        assert.equal(await provider.refundState?.(asked, signal), 'absent')
        network.lose('after', 'refund')
        await assert.rejects(provider.refund(asked, signal))
        network.forgetKeys()
        assert.ok(isPaidOut(await provider.refund(asked, signal)))
        assert.notEqual(await provider.refundState?.(asked, signal), 'absent')
        assert.deepEqual(await booksOf(charge), [1, 400])
        time.now = now
      })

      test('reports our refunds with their keys, refunds made at the provider, and disputes', async () => {
        const { books } = bench
        const charge = await paid()
        const key = newId('rfd')
        await refund(charge, 100, key)
        await books?.payRefunds?.()
        await books?.refund?.(charge, 300)
        const { providerState, kind } = await lookUp(charge)
        assert.equal(kind, 'approved')
        const refunds = providerState?.refunds.map(({ key, amount, state }) => [key, amount, state]) ?? []
        assert.deepEqual(
          refunds.toSorted(([, a], [, b]) => Number(a) - Number(b)),
          [
            [key, 100, 'succeeded'],
            [null, 300, 'succeeded'],
          ],
        )
        assert.equal(new Set(providerState?.refunds.map(({ reference }) => reference)).size, 2)
        assert.equal(providerState?.dispute, null)
        await books?.dispute?.(charge)
        const { dispute } = (await lookUp(charge)).providerState ?? {}
        assert.deepEqual([dispute?.amount, dispute?.state], [1_000, 'open'])
      })

      test('does nothing after the call was aborted', async () => {
        const stopped = AbortSignal.abort()
        const charge = newCharge()
        const { method, details } = bench
        await assert.rejects(bench.provider.start(charge, { method, details, returnUrls }, stopped))
        assert.deepEqual(await booksOf(charge), [0, 0])
      })
    })
}
