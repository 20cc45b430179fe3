// A provider whose shoppers pay elsewhere, on a page or in a frame of its own. It keeps books in memory, as a service far away
// would, and the test says what the shopper does there.

import type { Charge, Finding, Journey, Outcome, PaymentProvider, Place, RefundAnswer } from '../src/payments/port.ts'

type State = 'open' | 'processing' | 'paid' | 'closed' | 'failed'

interface Entry {
  reference: string
  charge: Charge
  state: State
  collected: number
  refunds: Map<string, number>
}

export interface ElsewhereProvider extends PaymentProvider {
  readonly books: ReadonlyMap<string, Entry>
  readonly calls: { start: number; lookUp: number; close: number }
  // What it was told of the way back, in the order of the starts.
  readonly journeys: readonly Journey[]
  // What the shopper does there. `bank`: a debit, which succeeds or fails days later.
  act(key: string, what: 'pay' | 'bank' | 'fail', amount?: number): void
  // The next answer to this call is lost, after the work was done.
  loseNext(call: 'start' | 'lookUp' | 'close'): void
}

export interface ElsewhereOptions {
  placeOf?: (reference: string) => Place
  // How long one can pay.
  openMs?: number
}

export function createElsewhere({
  placeOf = (reference) => ({ kind: 'page', url: `https://bank.example/${reference}` }),
  openMs = 30 * 60_000,
}: ElsewhereOptions = {}): ElsewhereProvider {
  const books = new Map<string, Entry>()
  const calls = { start: 0, lookUp: 0, close: 0 }
  const journeys: Journey[] = []
  const lost = new Set<string>()
  const heard = <Answer>(call: string, answer: Answer): Answer => {
    if (lost.delete(call)) throw new Error('the answer was lost')
    return answer
  }

  function outcomeOf({ reference, state, collected, charge }: Entry): Outcome {
    if (state === 'paid') return { kind: 'approved', reference, collected, brand: 'visa', last4: '4242' }
    if (state === 'processing') return { kind: 'pending', reference, settles: 'by_provider' }
    if (state === 'closed' || state === 'failed')
      return { kind: 'declined', code: 'declined', brand: null, last4: null }
    return { kind: 'elsewhere', reference, place: placeOf(reference), until: charge.createdAt + openMs }
  }

  function sumBack({ refunds }: Entry): number {
    return [...refunds.values()].reduce((sum, amount) => sum + amount, 0)
  }

  function give(record: Entry | undefined, key: string, amount: number): RefundAnswer {
    if (record?.state !== 'paid') return 'failed'
    if (!record.refunds.has(key) && sumBack(record) + amount > record.collected) return 'failed'
    record.refunds.set(key, amount)
    return 'succeeded'
  }

  return {
    name: 'elsewhere',
    modes: ['test'],
    methods: [{ id: 'bank', labelKey: 'elsewhere.bank', noteKey: null, fields: [], shape: placeOf('').kind }],
    texts: { en: { 'elsewhere.bank': 'Bank of Tests' } },
    books,
    calls,
    journeys,
    check: () => [],

    async start(charge, { journey }) {
      calls.start += 1
      journeys.push(await journey())
      const known = books.get(charge.key)
      const record = known ?? {
        reference: `ref_${books.size + 1}`,
        charge,
        state: 'open' as const,
        collected: 0,
        refunds: new Map(),
      }
      books.set(charge.key, record)
      return heard('start', outcomeOf(record))
    },
    confirm: async () => ({ kind: 'unknown' }),
    async lookUp({ key }): Promise<Finding> {
      calls.lookUp += 1
      const record = books.get(key)
      return heard('lookUp', record ? outcomeOf(record) : { kind: 'absent' })
    },
    async close(charge) {
      calls.close += 1
      const record = books.get(charge.key)
      if (record?.state === 'paid' || record?.state === 'processing') return heard('close', 'taken')
      if (record) record.state = record.state === 'open' ? 'closed' : record.state
      else books.set(charge.key, { reference: '', charge, state: 'closed', collected: 0, refunds: new Map() })
      return heard('close', 'closed')
    },
    refund: async ({ key, charge, amount }) => give(books.get(charge.key), key, amount),
    async void({ key, voidKey }) {
      const record = books.get(key)
      if (record?.state !== 'paid') return 'succeeded'
      return give(record, voidKey, record.collected - sumBack(record))
    },

    act(key, what, amount) {
      const record = books.get(key)
      if (!record || (record.state !== 'open' && record.state !== 'processing')) throw new Error('it is not open there')
      if (what === 'bank') record.state = 'processing'
      else if (what === 'fail') record.state = 'failed'
      else Object.assign(record, { state: 'paid', collected: amount ?? record.charge.amount })
    },
    loseNext: (call) => void lost.add(call),
  }
}
