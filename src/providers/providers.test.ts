// What every provider promises. A new provider gets a row in the table and has to pass all of it, against its sandbox or a
// fake of its wire.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { journey } from '../../harness/journey.ts'
import { eachEngine } from '../../harness/storage.ts'
import { newId } from '../kit/ids.ts'
import { type Charge, callProvider, type Details, type PaymentProvider, providerText } from '../payments/port.ts'
import type { Storage } from '../storage/storage.ts'
import { manualProvider } from './manual/provider.ts'
import { createSandboxProvider } from './sandbox/provider.ts'

const now = Date.parse('2026-06-15T12:00:00.000Z')
const { signal } = new AbortController()

interface Candidate {
  make: (storage: Storage) => PaymentProvider
  // Something that a shopper could type and that ends well.
  method: string
  details: Details
  // Whether there is anyone at the other end who keeps books.
  keepsBooks: boolean
}

const card = { number: '4242 4242 4242 4242', expiry: '01/30', cvc: '123', name: 'Ada Lovelace' }

const candidates: Readonly<Record<string, Candidate>> = {
  test: {
    make: (storage) => createSandboxProvider({ storage, clock: () => new Date(now) }),
    method: 'card',
    details: card,
    keepsBooks: true,
  },
  manual: { make: () => manualProvider, method: 'bank_transfer', details: {}, keepsBooks: false },
}

for (const [name, { make, method, details, keepsBooks }] of Object.entries(candidates)) {
  eachEngine(`the provider ${name}`, (given) => {
    let provider: PaymentProvider
    before(async () => {
      provider = make(await given.open())
    })
    const newCharge = (amount = 1_000): Charge => ({
      key: newId('pay'),
      amount,
      currency: 'EUR',
      mode: 'test',
      reference: null,
      createdAt: 0,
    })
    const started = async (amount?: number) => {
      const charge = newCharge(amount)
      const outcome = await provider.start(charge, { method, details, journey }, signal)
      return { charge, outcome }
    }

    test('has a name, a mode, and words for everything it shows', () => {
      assert.equal(provider.name, name)
      assert.ok(provider.modes.length > 0)
      const languages = Object.keys(provider.texts)
      for (const { labelKey, noteKey, fields } of provider.methods) {
        const keys = [labelKey, ...(noteKey === null ? [] : [noteKey]), ...fields.map((field) => field.labelKey)]
        for (const key of keys) for (const language of languages) assert.ok(providerText(provider, key, language))
        assert.equal(new Set(fields.map((field) => field.name)).size, fields.length)
        for (const field of fields) assert.ok(field.lengthMax > 0)
      }
      for (const language of languages)
        assert.deepEqual(Object.keys(provider.texts[language] ?? {}).sort(), Object.keys(provider.texts.en).sort())
    })

    test('checks what was typed, and names a problem without repeating it', () => {
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

    test('answers the same to the same key, one after the other and all at once', async () => {
      const { charge, outcome } = await started()
      assert.ok(outcome.kind === 'approved' || outcome.kind === 'pending')
      assert.deepEqual(await provider.start(charge, { method, details, journey }, signal), outcome)
      const other = newCharge()
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => provider.start(other, { method, details, journey }, signal)),
      )
      assert.equal(new Set(outcomes.map((each) => JSON.stringify(each))).size, 1)
      assert.notDeepEqual(outcomes[0], outcome, 'another payment has another reference')
    })

    test('tells the outcome to one who lost the answer', async () => {
      const { charge, outcome } = await started()
      assert.deepEqual(await callProvider((signal) => provider.lookUp(charge, signal)), outcome)
      assert.deepEqual(await callProvider((signal) => provider.lookUp(charge, signal)), outcome)
    })

    test('pays a refund once for each key', async () => {
      const { charge } = await started()
      const refund = { key: newId('rfd'), charge, amount: 400 }
      const answers = await Promise.all(Array.from({ length: 5 }, () => provider.refund(refund, signal)))
      assert.deepEqual(new Set(answers), new Set(['succeeded']))
      assert.equal(await provider.refund({ key: newId('rfd'), charge, amount: 600 }, signal), 'succeeded')
    })

    test('never refunds more than the charge', async () => {
      const { charge } = await started()
      assert.equal(await provider.refund({ key: newId('rfd'), charge, amount: 1_001 }, signal), 'failed')
      if (!keepsBooks) return
      const requests = Array.from({ length: 8 }, () => ({ key: newId('rfd'), charge, amount: 300 }))
      const answers = await Promise.all(requests.map((request) => provider.refund(request, signal)))
      assert.equal(answers.filter((answer) => answer === 'succeeded').length, 3)
      assert.equal(answers.filter((answer) => answer === 'failed').length, 5)
    })

    test('voids a charge, and again', async () => {
      const { charge } = await started()
      const request = { ...charge, voidKey: newId('rfd') }
      assert.equal(await provider.void(request, signal), 'succeeded')
      assert.equal(await provider.void(request, signal), 'succeeded')
    })

    if (!keepsBooks) return

    test('never heard of a key that was not started, and closes it when asked to', async () => {
      const charge = newCharge()
      assert.deepEqual(await provider.lookUp(charge, signal), { kind: 'absent' })
      assert.equal(await provider.void({ ...charge, voidKey: newId('rfd') }, signal), 'succeeded')
      assert.equal((await provider.start(charge, { method, details, journey }, signal)).kind, 'declined')
      assert.equal((await provider.lookUp(charge, signal)).kind, 'declined')
    })

    test('keeps no money of a voided charge, and voids nothing that was refunded', async () => {
      const { charge } = await started()
      assert.equal(await provider.void({ ...charge, voidKey: newId('rfd') }, signal), 'succeeded')
      assert.equal((await provider.lookUp(charge, signal)).kind, 'declined')
      assert.equal((await provider.start(charge, { method, details, journey }, signal)).kind, 'declined')
      assert.equal(await provider.refund({ key: newId('rfd'), charge, amount: 1 }, signal), 'failed')
      const { charge: other } = await started()
      await provider.refund({ key: newId('rfd'), charge: other, amount: 1 }, signal)
      assert.equal(await provider.void({ ...other, voidKey: newId('rfd') }, signal), 'failed')
    })

    test('does not answer about a key with another amount or currency, nor a refund with other facts', async () => {
      const { charge } = await started()
      const refund = { key: newId('rfd'), charge, amount: 100 }
      await provider.refund(refund, signal)
      for (const wrong of [
        { ...charge, amount: 999 },
        { ...charge, currency: 'USD' },
      ]) {
        await assert.rejects(provider.start(wrong, { method, details, journey }, signal))
        await assert.rejects(provider.lookUp(wrong, signal))
        await assert.rejects(provider.refund({ ...refund, charge: wrong }, signal))
        await assert.rejects(provider.void({ ...wrong, voidKey: newId('rfd') }, signal))
      }
      await assert.rejects(provider.refund({ ...refund, amount: 101 }, signal))
    })
  })
}
