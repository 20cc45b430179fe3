// The provider of test mode: the number of the card chooses the outcome. It behaves like an external service: it has its own records, a
// charge stays known by its key across crashes and nodes, and responses can be lost.

import type { PaymentErrorCode } from '../../../../contract/words.ts'
import type { Storage } from '../../../../platform/storage/storage.ts'
import {
  answerTestChallenge,
  findCharge,
  recordTestCharge,
  recordTestClose,
  recordTestRefund,
  recordTestVoid,
  type TestCharge,
  type TestRefundAnswer,
  type TestVerdict,
} from '../../ledger.ts'
import type {
  Charge,
  DetailProblem,
  MethodDetails,
  PaymentProvider,
  ProviderOutcome,
  ProviderTexts,
  TokenHandler,
} from '../../port.ts'
import { cardBrandOf, cardDigits, cardMethod, cardProblems, cardTexts } from './card.ts'

export { listTestCharges, type TestCharge } from '../../ledger.ts'

interface TestCard {
  number: string
  // The state that is recorded; null: nothing is recorded, as if the request had never arrived.
  state: 'approved' | 'declined' | 'challenge' | null
  code?: PaymentErrorCode
  // Whether the response to the first request is lost.
  answerIsLost?: true
  refundAnswer?: TestRefundAnswer
}

// biome-ignore format: a table is read by its rows
export const sandboxCards: readonly TestCard[] = [
  { number: '4242424242424242', state: 'approved' },
  { number: '5555555555554444', state: 'approved' },
  { number: '378282246310005',  state: 'approved' },
  { number: '4000000000000002', state: 'declined', code: 'declined' },
  { number: '4000000000009995', state: 'declined', code: 'insufficient_funds' },
  { number: '4000000000000069', state: 'declined', code: 'card_expired' },
  { number: '4000000000000127', state: 'declined', code: 'incorrect_details' },
  { number: '4100000000000019', state: 'declined', code: 'fraud_suspected' },
  { number: '4000000000000119', state: 'declined', code: 'provider_error' },
  { number: '4000002500003155', state: 'challenge' },
  { number: '4000000000000259', state: 'approved', answerIsLost: true },
  { number: '4000000000000267', state: 'declined', code: 'declined', answerIsLost: true },
  { number: '4000000000000275', state: null, answerIsLost: true },
  { number: '4000000000005126', state: 'approved', refundAnswer: 'refused' },
  { number: '4000000000007726', state: 'approved', refundAnswer: 'lost' },
]

const cardsByNumber: ReadonlyMap<string, TestCard> = new Map(sandboxCards.map((card) => [card.number, card]))

// Tokens that replace card numbers, for agents that must not handle card numbers.
const cardByToken: ReadonlyMap<string, string> = new Map([
  ['success_token', '4242424242424242'],
  ['fail_token', '4000000000000002'],
  ['challenge_token', '4000002500003155'],
  ['silent_token', '4000000000000259'],
])

const testCards: TokenHandler = {
  id: 'mock_payment_handler',
  name: null,
  ownName: 'test_cards',
  version: '2026-08-25',
  instruments: ['card'],
  read({ token, number }) {
    const card = typeof token === 'string' ? cardByToken.get(token) : typeof number === 'string' ? number : undefined
    if (card === undefined || !cardsByNumber.has(card)) return undefined
    return { method: cardMethod.id, details: { number: card, expiry: '12/99', cvc: '123', name: 'Test Buyer' } }
  },
}

const texts = {
  en: {
    ...cardTexts.en,
    'test.note': 'Test mode: no card is charged. Use 4242 4242 4242 4242, any future date and any code.',
    'test.number': 'Only test cards work in test mode, such as 4242 4242 4242 4242.',
    'test.method': 'Please choose how to pay.',
  },
  de: {
    ...cardTexts.de,
    'test.note':
      'Testmodus: Es wird nichts abgebucht. Zahlen Sie mit 4242 4242 4242 4242, einem späteren Datum und beliebiger Prüfnummer.',
    'test.number': 'Im Testmodus gelten nur Testkarten, etwa 4242 4242 4242 4242.',
    'test.method': 'Bitte wählen Sie eine Zahlungsart.',
  },
} as const satisfies ProviderTexts

export type TestPoint =
  | 'before_charge'
  | 'after_charge'
  | 'before_confirm'
  | 'after_confirm'
  | 'before_look_up'
  | 'before_refund'
  | 'after_refund'
  | 'before_void'
  | 'after_void'
  | 'before_close'
  | 'after_close'

// What a test does at a point: wait, throw, run its own code, or end the process. `after_…` is after the commit and before the response.
export type SandboxHook = (point: TestPoint, charge: Charge) => void | Promise<void>

export interface SandboxParts {
  storage: Storage
  clock: () => Date
  hook?: SandboxHook
}

export interface SandboxProvider extends PaymentProvider {
  // Number of calls of each function, whatever their outcome.
  readonly calls: Readonly<Record<'start' | 'confirm' | 'lookUp' | 'refund' | 'void' | 'close', number>>
}

export const sandboxName = 'test'

export function createSandboxProvider({ storage, clock, hook = () => {} }: SandboxParts): SandboxProvider {
  const calls = { start: 0, confirm: 0, lookUp: 0, refund: 0, void: 0, close: 0 }
  const now = () => clock().getTime()

  return {
    name: sandboxName,
    modes: ['test'],
    methods: [{ ...cardMethod, noteKey: 'test.note' }],
    texts,
    calls,
    tokens: [testCards],
    check,
    instrument: (method, details) => (method === cardMethod.id ? cardDigits(details.number ?? '') : undefined),

    // Completes its work despite an abort: a remote service does not notice that the caller stopped waiting.
    async start(charge, { method, details }, signal) {
      calls.start += 1
      mustBeTest(charge, signal)
      const { card, verdict } = verdictOn(method, details)
      await hook('before_charge', charge)
      if (!verdict) return { kind: 'unknown' }
      const { found, isNew } = await recordTestCharge(storage, charge, verdict, now())
      await hook('after_charge', charge)
      return isNew && card?.answerIsLost ? { kind: 'unknown' } : outcomeOf(found)
    },

    async confirm(charge, answer, signal) {
      calls.confirm += 1
      mustBeTest(charge, signal)
      await hook('before_confirm', charge)
      const verdict =
        answer === 'accept'
          ? ({ state: 'approved', errorCode: null } as const)
          : ({ state: 'declined', errorCode: 'authentication_failed' } as const)
      const found = await answerTestChallenge(storage, charge, verdict, now())
      await hook('after_confirm', charge)
      return outcomeOf(found)
    },

    async lookUp(charge, signal) {
      calls.lookUp += 1
      mustBeTest(charge, signal)
      await hook('before_look_up', charge)
      const found = await findCharge(storage, charge)
      return found ? outcomeOf(found) : { kind: 'absent' }
    },

    async refund(refund, signal) {
      calls.refund += 1
      mustBeTest(refund.charge, signal)
      await hook('before_refund', refund.charge)
      const outcome = await recordTestRefund(storage, refund, now())
      await hook('after_refund', refund.charge)
      if (outcome === 'refused') return 'failed'
      return outcome === 'paid_losing_answer' ? 'unknown' : 'succeeded'
    },

    async void({ voidKey: _, ...charge }, signal) {
      calls.void += 1
      mustBeTest(charge, signal)
      await hook('before_void', charge)
      const isVoid = await recordTestVoid(storage, charge, now())
      await hook('after_void', charge)
      return isVoid ? 'succeeded' : 'failed'
    },

    async close(charge, signal) {
      calls.close += 1
      mustBeTest(charge, signal)
      await hook('before_close', charge)
      const isClosed = await recordTestClose(storage, charge, now())
      await hook('after_close', charge)
      return isClosed ? 'closed' : 'taken'
    },
  }
}

// A real card must not be used here at all, so a number that is not in the table is reported as an invalid input.
function check(method: string, details: MethodDetails, now: number): DetailProblem[] {
  if (method !== cardMethod.id) return [{ path: '/method', messageKey: 'test.method' }]
  const problems = cardProblems(details, now)
  const digits = cardDigits(details.number ?? '')
  if (digits === undefined || cardsByNumber.has(digits)) return problems
  return [{ path: '/number', messageKey: 'test.number' }, ...problems]
}

// The abort signal is checked only here: see `start`. Live charges are refused, because goods would be sent without a payment.
function mustBeTest(charge: Charge, signal: AbortSignal): void {
  signal.throwIfAborted()
  if (charge.mode !== 'test') throw new Error('the test provider cannot charge in live mode')
}

const unreadable: TestVerdict = {
  state: 'declined',
  errorCode: 'incorrect_details',
  brand: null,
  last4: null,
  refundAnswer: 'given',
}

function verdictOn(
  method: string,
  details: MethodDetails,
): { card: TestCard | undefined; verdict: TestVerdict | undefined } {
  const digits = method === cardMethod.id ? cardDigits(details.number ?? '') : undefined
  const card = digits === undefined ? undefined : cardsByNumber.get(digits)
  if (!card) return { card, verdict: unreadable }
  if (card.state === null) return { card, verdict: undefined }
  return {
    card,
    verdict: {
      state: card.state,
      errorCode: card.code ?? null,
      brand: cardBrandOf(card.number),
      last4: card.number.slice(-4),
      refundAnswer: card.refundAnswer ?? 'given',
    },
  }
}

function outcomeOf({ key, amount, state, errorCode, brand, last4 }: TestCharge): ProviderOutcome {
  const reference = `test_${key}`
  if (state === 'approved') return { kind: 'approved', reference, collected: amount, brand, last4 }
  if (state === 'challenge') return { kind: 'challenge', reference, challenge: 'test' }
  // A voided charge holds no money, so a look-up reports it as declined.
  return { kind: 'declined', code: errorCode ?? 'provider_error', brand, last4 }
}
