// The test provider: what each of its numbers does, and what happens if we or the connection to it fail.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { inspect } from 'node:util'
import { returnUrls } from '../../../../../harness/returnUrls.ts'
import { eachEngine } from '../../../../../harness/storage.ts'
import { newId } from '../../../../platform/kit/ids.ts'
import { createLog } from '../../../../platform/log/log.ts'
import { Fragment, type Storage } from '../../../../platform/storage/storage.ts'
import { type Charge, callForRefund, callProvider, type MissingResponse, type ProviderFinding } from '../../port.ts'
import { createSandboxProvider, listTestCharges, type SandboxHook, sandboxCards } from './provider.ts'

const now = Date.parse('2026-06-15T12:00:00.000Z')
const { signal } = new AbortController()
const detailsOf = (number: string) => ({ number, expiry: '01/30', cvc: '123', name: 'Ada Lovelace' })

// In words: the result of the start, of a look-up after it, of a refund, and of the same refund again.
// biome-ignore format: a table is read by its rows
const expected: Readonly<Record<string, readonly [start: string, lookUp: string, refund: string, again: string]>> = {
  '4242424242424242': ['approved visa 4242',            'approved visa 4242',            'succeeded', 'succeeded'],
  '5555555555554444': ['approved mastercard 4444',      'approved mastercard 4444',      'succeeded', 'succeeded'],
  '378282246310005':  ['approved amex 0005',            'approved amex 0005',            'succeeded', 'succeeded'],
  '4000000000000002': ['declined visa 0002: declined',  'declined visa 0002: declined',  'failed',    'failed'],
  '4000000000009995': ['declined visa 9995: insufficient_funds', 'declined visa 9995: insufficient_funds', 'failed', 'failed'],
  '4000000000000069': ['declined visa 0069: card_expired',       'declined visa 0069: card_expired',       'failed', 'failed'],
  '4000000000000127': ['declined visa 0127: incorrect_details',  'declined visa 0127: incorrect_details',  'failed', 'failed'],
  '4100000000000019': ['declined visa 0019: fraud_suspected',    'declined visa 0019: fraud_suspected',    'failed', 'failed'],
  '4000000000000119': ['declined visa 0119: provider_error',     'declined visa 0119: provider_error',     'failed', 'failed'],
  '4000002500003155': ['challenge',                     'challenge',                     'failed',    'failed'],
  '4000000000000259': ['unknown',                       'approved visa 0259',            'succeeded', 'succeeded'],
  '4000000000000267': ['unknown',                       'declined visa 0267: declined',  'failed',    'failed'],
  '4000000000000275': ['unknown',                       'absent',                        'failed',    'failed'],
  '4000000000005126': ['approved visa 5126',            'approved visa 5126',            'failed',    'failed'],
  '4000000000007726': ['approved visa 7726',            'approved visa 7726',            'unknown',   'succeeded'],
}

function inWords(finding: ProviderFinding): string {
  if (finding.kind === 'approved') return `approved ${finding.brand} ${finding.last4}`
  if (finding.kind === 'declined') return `declined ${finding.brand} ${finding.last4}: ${finding.code}`
  return finding.kind
}

eachEngine('the test provider', (given) => {
  let url: string
  let storage: Storage
  before(async () => {
    url = await given.freshUrl()
    storage = await given.open({ url })
  })
  const providerOn = (hook?: SandboxHook, on = storage) =>
    createSandboxProvider({ storage: on, clock: () => new Date(now), ...(hook && { hook }) })
  const newCharge = (): Charge => ({
    key: newId('pay'),
    amount: 1_000,
    currency: 'EUR',
    mode: 'test',
    reference: null,
    createdAt: 0,
  })
  const chargesUnder = async (key: string) => (await listTestCharges(storage)).filter((charge) => charge.key === key)

  test('has exactly the test cards of this table', () => {
    assert.deepEqual(sandboxCards.map(({ number }) => number).sort(), Object.keys(expected).sort())
  })

  for (const [number, [start, lookUp, refunded, again]] of Object.entries(expected)) {
    test(`${number}: ${start}`, async () => {
      const provider = providerOn()
      const charge = newCharge()
      const cvc = number.length === 15 ? '1234' : '123'
      assert.deepEqual(provider.check('card', { ...detailsOf(number), cvc }, now), [])
      assert.equal(
        inWords(await provider.start(charge, { method: 'card', details: detailsOf(number), returnUrls }, signal)),
        start,
      )
      assert.equal(inWords(await provider.lookUp(charge, signal)), lookUp)
      const refund = { key: newId('rfd'), charge, amount: 100 }
      assert.equal(await provider.refund(refund, signal), refunded)
      assert.equal(await provider.refund(refund, signal), again)
      const [kept] = await chargesUnder(charge.key)
      assert.equal(kept?.refunded ?? 0, again === 'succeeded' ? 100 : 0)
      assert.deepEqual(provider.calls, { start: 1, confirm: 0, lookUp: 1, refund: 2, void: 0, close: 0 })
    })
  }

  test('a challenge can be answered once', async () => {
    const provider = providerOn()
    for (const [answer, outcome] of [
      ['accept', 'approved visa 3155'],
      ['refuse', 'declined visa 3155: authentication_failed'],
    ] as const) {
      const charge = newCharge()
      assert.deepEqual(
        await provider.start(charge, { method: 'card', details: detailsOf('4000002500003155'), returnUrls }, signal),
        {
          kind: 'challenge',
          reference: `test_${charge.key}`,
          challenge: 'test',
        },
      )
      const other = answer === 'accept' ? 'refuse' : 'accept'
      for (const each of [answer, answer, other] as const)
        assert.equal(inWords(await provider.confirm(charge, each, signal)), outcome)
      assert.equal(inWords(await provider.lookUp(charge, signal)), outcome)
    }
    const charge = newCharge()
    await assert.rejects(provider.confirm(charge, 'accept', signal), /never started/)
    await provider.start(charge, { method: 'card', details: detailsOf('4000002500003155'), returnUrls }, signal)
    await provider.void({ ...charge, voidKey: newId('rfd') }, signal)
    assert.equal((await provider.confirm(charge, 'accept', signal)).kind, 'declined', 'what was voided stays void')
  })

  test('a number that is not a test card is a problem, and is declined if it is used anyway', async () => {
    const provider = providerOn()
    const real = detailsOf('4111111111111111')
    assert.deepEqual(provider.check('card', real, now), [{ path: '/number', messageKey: 'test.number' }])
    for (const [method, details] of [
      ['card', real],
      ['card', detailsOf('4242')],
      ['card', {}],
      ['bank_transfer', detailsOf('4242424242424242')],
    ] as const) {
      const outcome = await provider.start(newCharge(), { method, details, returnUrls }, signal)
      assert.deepEqual(outcome, { kind: 'declined', code: 'incorrect_details', brand: null, last4: null })
    }
  })

  test('a charge in live mode is an error', async () => {
    const live = { ...newCharge(), mode: 'live' } as const
    await assert.rejects(
      providerOn().start(live, { method: 'card', details: detailsOf('4242424242424242'), returnUrls }, signal),
      /live mode/,
    )
    assert.deepEqual(await chargesUnder(live.key), [])
  })

  test('twenty calls with one key from two nodes make one charge', async () => {
    const nodes = [providerOn(), providerOn(undefined, await given.open({ url }))]
    const charge = newCharge()
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => {
        const node = nodes[i % 2] as (typeof nodes)[number]
        return node.start(charge, { method: 'card', details: detailsOf('4242424242424242'), returnUrls }, signal)
      }),
    )
    assert.deepEqual(new Set(outcomes.map(inWords)), new Set(['approved visa 4242']))
    assert.equal((await chargesUnder(charge.key)).length, 1)
    assert.equal(nodes[0]?.calls.start, 10)
  })

  test('a charge whose response was lost is found by a look-up, and a charge that was never made is absent', async () => {
    for (const [point, found] of [
      ['after_charge', 'approved visa 4242'],
      ['before_charge', 'absent'],
    ] as const) {
      const breaking = providerOn((at) => {
        if (at === point) throw new Error('the wire broke')
      })
      const charge = newCharge()
      const asked = await callProvider((signal) =>
        breaking.start(charge, { method: 'card', details: detailsOf('4242424242424242'), returnUrls }, signal),
      )
      assert.deepEqual(asked, { kind: 'unknown' })
      assert.equal(inWords(await breaking.lookUp(charge, signal)), found)
    }
  })

  test('a charge made after the deadline is found by a later look-up', async () => {
    let goOn = () => {}
    const waiting = new Promise<void>((resolve) => (goOn = resolve))
    const slow = providerOn((point) => (point === 'before_charge' ? waiting : undefined))
    const charge = newCharge()
    let late: Promise<unknown> | undefined
    const outcome = await callProvider(
      (signal) => {
        const answer = slow.start(
          charge,
          { method: 'card', details: detailsOf('4242424242424242'), returnUrls },
          signal,
        )
        late = answer
        return answer
      },
      { msMax: 5 },
    )
    assert.deepEqual(outcome, { kind: 'unknown' })
    assert.deepEqual(
      await slow.lookUp(charge, signal),
      { kind: 'absent' },
      'this is why absence is only believed later',
    )
    goOn()
    await late
    assert.equal(inWords(await slow.lookUp(charge, signal)), 'approved visa 4242')
  })

  test('a refund whose response was lost is made once', async () => {
    let isBroken = true
    const breaking = providerOn((point) => {
      if (point === 'after_refund' && isBroken) throw new Error('the wire broke')
    })
    const charge = newCharge()
    await breaking.start(charge, { method: 'card', details: detailsOf('4242424242424242'), returnUrls }, signal)
    const refund = { key: newId('rfd'), charge, amount: 300 }
    assert.equal(await callForRefund((signal) => breaking.refund(refund, signal)), 'unknown')
    isBroken = false
    assert.equal(await callForRefund((signal) => breaking.refund(refund, signal)), 'succeeded')
    assert.equal((await chargesUnder(charge.key))[0]?.refunded, 300)
  })

  test('after kill -9 between the charge and the response a look-up finds one charge', async () => {
    const charge = newCharge()
    const here = (file: string) => JSON.stringify(join(import.meta.dirname, file))
    const script = `
      import { createSandboxProvider } from ${here('provider.ts')}
      import { openStorage } from ${here('../../../../platform/storage/open.ts')}
      const storage = await openStorage(${JSON.stringify(url)})
      const hook = (point) => { if (point === 'after_charge') process.kill(process.pid, 'SIGKILL') }
      const provider = createSandboxProvider({ storage, clock: () => new Date(${now}), hook })
      const details = ${JSON.stringify(detailsOf('4242424242424242'))}
      await provider.start(${JSON.stringify(charge)}, { method: 'card', details }, new AbortController().signal)`
    const flags = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script]
    const child = spawn(process.execPath, flags, { stdio: ['ignore', 'inherit', 'inherit'] })
    const [, killedBy] = (await once(child, 'close')) as [number | null, string | null]
    assert.equal(killedBy, 'SIGKILL')
    const provider = providerOn()
    assert.equal(inWords(await provider.lookUp(charge, signal)), 'approved visa 4242')
    await provider.start(charge, { method: 'card', details: detailsOf('4242424242424242'), returnUrls }, signal)
    assert.equal((await chargesUnder(charge.key)).length, 1)
  })

  test('of a card only the last digits are in tables, errors and the log', async () => {
    let logged = ''
    const log = createLog({ level: 'debug', pretty: false, write: (lines) => (logged += lines) })
    const silences: MissingResponse[] = []
    const errors: unknown[] = []
    const planted = { expiry: '11/37', cvc: '987', name: 'PLANTED HOLDER' }
    for (const { number } of [...sandboxCards, { number: '4111111111111111' }]) {
      const quoting = providerOn((_, charge) => {
        if (charge.currency === 'USD') throw new Error(`the wire broke at ${number} ${planted.cvc} ${planted.name}`)
      })
      const details = { ...planted, number }
      for (const charge of [
        newCharge(),
        { ...newCharge(), currency: 'USD' },
        { ...newCharge(), mode: 'live' } as const,
      ]) {
        const options = {
          onSilence: (silence: MissingResponse) => {
            silences.push(silence)
            log.warn('a payment provider gave no answer', { ...silence })
          },
        }
        await callProvider((signal) => quoting.start(charge, { method: 'card', details, returnUrls }, signal), options)
        const wrong = { ...charge, amount: 1 }
        if (charge.currency === 'EUR')
          await quoting
            .start(wrong, { method: 'card', details, returnUrls }, signal)
            .catch((error: unknown) => errors.push(error))
      }
      errors.push(quoting.check('card', { ...details, expiry: '11/20' }, now))
    }
    log.flush()
    assert.ok(silences.length > 0 && errors.length > 0 && logged.length > 0)
    const world = [await dump(storage), inspect(errors, { depth: 9 }), JSON.stringify(silences), logged].join('\n')
    assert.ok(world.includes('4242'), 'the search looks where the last digits are')
    for (const { number } of sandboxCards) assert.ok(!world.includes(number), number)
    assert.doesNotMatch(world, /4111111111111111|PLANTED|11\/37|\b987\b/)
  })
})

// Every cell of every table, one per line.
async function dump(storage: Storage): Promise<string> {
  return storage.read(async (db) => {
    const tables =
      db.engine === 'sqlite'
        ? await db.sql<{ name: string }>`select name from sqlite_master where type = 'table'`
        : await db.sql<{ name: string }>`
            select table_name as "name" from information_schema.tables where table_schema = 'public'`
    assert.ok(tables.length > 20)
    const cells: unknown[] = []
    for (const { name } of tables) {
      const rows = await db.sql<Record<string, unknown>>`select * from ${new Fragment(name)}`
      cells.push(...rows.flatMap((row) => Object.values(row)))
    }
    return cells.join('\n')
  })
}
