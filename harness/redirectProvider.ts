// A provider whose shoppers pay on a page or in a frame of its own. It keeps books in memory, as a service far away
// would, and the test says what the shopper, the bank and the merchant do there.

import { createHmac } from 'node:crypto'
import { type Issue, issueAt } from '../src/contract/issues.ts'
import { AccountRefused, type ProviderAccounts } from '../src/domain/payments/accountport.ts'
import type {
  Charge,
  NextAction,
  PaymentProvider,
  ProviderDispute,
  ProviderFinding,
  ProviderOutcome,
  ProviderRefund,
  RefundAnswer,
  ReturnUrls,
} from '../src/domain/payments/port.ts'

type State = 'open' | 'processing' | 'paid' | 'closed' | 'failed'

interface Entry {
  reference: string
  charge: Charge
  state: State
  collected: number
  refunds: BookedRefund[]
  dispute: ProviderDispute | null
}

type BookedRefund = { -readonly [Name in keyof ProviderRefund]: ProviderRefund[Name] }

type Call = 'start' | 'lookUp' | 'close' | 'refund' | 'refundState' | 'void'

export interface RedirectProvider extends PaymentProvider {
  readonly books: ReadonlyMap<string, Entry>
  readonly calls: Record<Call, number>
  // What it was told of the way back, in the order of the starts.
  readonly returnUrlsGiven: readonly ReturnUrls[]
  // What the shopper does there. `bank`: a debit, which succeeds or fails days later.
  act(key: string, what: 'pay' | 'bank' | 'fail', amount?: number): void
  // The next answer to this call is lost, after the work was done.
  loseNext(call: Call): void
  // The next request does not arrive.
  dropNext(call: Call): void
  // What becomes of the next refund that is asked for: on its way, tried in vain, or refused for good. Else it succeeds at once.
  nextRefund(state: 'pending' | 'failed' | 'refused'): void
  // What becomes of a refund later, by its reference.
  turn(reference: string, state: ProviderRefund['state']): void
  // A refund that the merchant makes there. Answers with its reference.
  refundThere(key: string, amount: number, state?: ProviderRefund['state']): string
  dispute(key: string, dispute: ProviderDispute): void
  // A key that is used again after that is a new request.
  forgetKeys(): void
  // All that went back of a charge, or is going to.
  givenBack(key: string): number
  // Whether a look-up names the keys of refunds.
  namesKeys: boolean
  // What shoppers did there, oldest first.
  readonly events: readonly { at: number; reference: string }[]
}

export interface RedirectOptions {
  nextActionOf?: (reference: string) => NextAction
  // How long one can pay.
  openMs?: number
  clock?: () => number
}

export function createRedirectProvider({
  nextActionOf = (reference) => ({ kind: 'page', url: `https://bank.example/${reference}` }),
  openMs = 30 * 60_000,
  clock = Date.now,
}: RedirectOptions = {}): RedirectProvider {
  const books = new Map<string, Entry>()
  const calls: Record<Call, number> = { start: 0, lookUp: 0, close: 0, refund: 0, refundState: 0, void: 0 }
  const returnUrlsGiven: ReturnUrls[] = []
  const events: { at: number; reference: string }[] = []
  const lost = new Set<string>()
  const dropped = new Set<string>()
  // The first answer to a key is the answer to each repetition.
  const answered = new Map<string, RefundAnswer>()
  const planned: ('pending' | 'failed' | 'refused')[] = []
  let refundCount = 0
  const arrive = (call: Call): void => {
    calls[call] += 1
    if (dropped.delete(call)) throw new Error('the request was lost')
  }
  const heard = <Answer>(call: Call, answer: Answer): Answer => {
    if (lost.delete(call)) throw new Error('the answer was lost')
    return answer
  }

  function outcomeOf(entry: Entry): ProviderOutcome {
    const { reference, state, collected, charge } = entry
    const declined = { kind: 'declined', code: 'declined', brand: null, last4: null } as const
    if (state === 'paid' && collected > 0 && sumBack(entry, ['succeeded']) >= collected) return declined
    if (state === 'paid') return { kind: 'approved', reference, collected, brand: 'visa', last4: '4242' }
    if (state === 'processing') return { kind: 'pending', reference, settles: 'by_provider' }
    if (state === 'closed' || state === 'failed') return declined
    return { kind: 'redirect', reference, nextAction: nextActionOf(reference), until: charge.createdAt + openMs }
  }

  function findingOf(entry: Entry): ProviderFinding {
    const { refunds, dispute, state } = entry
    if (state !== 'paid') return outcomeOf(entry)
    const listed = refunds.map((refund) => ({ ...refund, key: provider.namesKeys ? refund.key : null }))
    return { ...outcomeOf(entry), providerState: { refunds: listed, dispute } }
  }

  function sumBack({ refunds }: Entry, states: readonly string[] = ['pending', 'succeeded']): number {
    return refunds.reduce((sum, { state, amount }) => (states.includes(state) ? sum + amount : sum), 0)
  }

  function book(entry: Entry, refund: Omit<BookedRefund, 'reference'>): string {
    if (sumBack(entry) + refund.amount > entry.collected) throw new Error('more than was collected')
    refundCount += 1
    const reference = `back_${refundCount}`
    entry.refunds.push({ ...refund, reference })
    return reference
  }

  function give(entry: Entry | undefined, key: string, amount: number): RefundAnswer {
    const before = answered.get(key)
    if (before !== undefined) return before
    const answer = giveAnew(entry, key, amount)
    answered.set(key, answer)
    return answer
  }

  function giveAnew(entry: Entry | undefined, key: string, amount: number): RefundAnswer {
    if (entry?.state !== 'paid' || sumBack(entry) + amount > entry.collected) return 'refused'
    const plan = planned.shift()
    if (plan === 'refused') return plan
    book(entry, { key, amount, state: plan ?? 'succeeded' })
    return plan ?? 'succeeded'
  }

  function entryOf(key: string): Entry {
    const entry = books.get(key)
    if (!entry) throw new Error('there is nothing under that key')
    return entry
  }

  const provider: RedirectProvider = {
    name: 'redirect',
    modes: ['test'],
    methods: [{ id: 'bank', labelKey: 'redirect.bank', noteKey: null, fields: [], shape: nextActionOf('').kind }],
    texts: { en: { 'redirect.bank': 'Bank of Tests' } },
    books,
    calls,
    returnUrlsGiven,
    events,
    check: () => [],

    async start(charge, { returnUrls }) {
      arrive('start')
      returnUrlsGiven.push(await returnUrls())
      const known = books.get(charge.key)
      const record = known ?? {
        reference: `ref_${books.size + 1}`,
        charge,
        state: 'open' as const,
        collected: 0,
        refunds: [],
        dispute: null,
      }
      books.set(charge.key, record)
      return heard('start', outcomeOf(record))
    },
    confirm: async () => ({ kind: 'unknown' }),
    async lookUp({ key }): Promise<ProviderFinding> {
      arrive('lookUp')
      const record = books.get(key)
      return heard('lookUp', record ? findingOf(record) : { kind: 'absent' })
    },
    async close(charge) {
      arrive('close')
      const record = books.get(charge.key)
      if (record?.state === 'paid' || record?.state === 'processing') return heard('close', 'taken')
      if (record) record.state = record.state === 'open' ? 'closed' : record.state
      else books.set(charge.key, { reference: '', charge, state: 'closed', collected: 0, refunds: [], dispute: null })
      return heard('close', 'closed')
    },
    async refund({ key, charge, amount }) {
      arrive('refund')
      return heard('refund', give(books.get(charge.key), key, amount))
    },
    async refundState({ key, charge }) {
      arrive('refundState')
      const refund = books.get(charge.key)?.refunds.findLast((known) => known.key === key)
      return heard('refundState', refund?.state === 'failed' ? 'refused' : (refund?.state ?? 'absent'))
    },
    async void({ key, voidKey }) {
      arrive('void')
      const record = books.get(key)
      if (record?.state !== 'paid') return heard('void', 'succeeded')
      const left = record.collected - sumBack(record)
      return heard('void', left === 0 ? 'succeeded' : give(record, voidKey, left))
    },

    act(key, what, amount) {
      const record = books.get(key)
      if (!record || (record.state !== 'open' && record.state !== 'processing')) throw new Error('it is not open there')
      if (what === 'bank') record.state = 'processing'
      else if (what === 'fail') record.state = 'failed'
      else Object.assign(record, { state: 'paid', collected: amount ?? record.charge.amount })
      events.push({ at: clock(), reference: record.reference })
    },
    loseNext: (call) => void lost.add(call),
    dropNext: (call) => void dropped.add(call),
    nextRefund: (state) => void planned.push(state),
    turn(reference, state) {
      const all = [...books.values()].flatMap(({ refunds }) => refunds)
      const refund = all.find((known) => known.reference === reference)
      if (!refund) throw new Error('there is no such refund there')
      refund.state = state
    },
    refundThere: (key, amount, state = 'succeeded') => book(entryOf(key), { key: null, amount, state }),
    dispute: (key, dispute) => void Object.assign(entryOf(key), { dispute }),
    forgetKeys: () => answered.clear(),
    givenBack: (key) => sumBack(entryOf(key)),
    namesKeys: true,
  }
  return provider
}

export interface RedirectAccounts extends ProviderAccounts {
  // What was made for webhooks there, by address, with the secret that signs them.
  readonly endpoints: ReadonlyMap<string, string>
  // What `check` finds.
  problems: readonly Issue[]
  // Not null: every call for an account throws it.
  outage: Error | null
}

const signingSecret = 'signing'
const noticeMsMax = 5 * 60_000

// Accounts at that provider. A key names the mode and the account: `bank_test_acct1`, and anything after a point.
export function createRedirectAccounts(bank: RedirectProvider): RedirectAccounts {
  const endpoints = new Map<string, string>()
  let made = 0
  const accounts: RedirectAccounts = {
    name: bank.name,
    questions: [{ name: 'key', label: 'Secret key (bank_test_…)' }],
    accountFact: 'account',
    noticeSecret: signingSecret,
    endpoints,
    problems: [],
    outage: null,
    async connect({ answers, mode, noticeUrl }) {
      if (accounts.outage) throw accounts.outage
      const { key = '' } = answers
      const [, named, account] = /^bank_(test|live)_(\w+)(?:\.\w+)?$/.exec(key) ?? []
      if (account === undefined)
        throw new AccountRefused(issueAt('/keys/key', 'key_not_accepted', { provider: 'The bank' }))
      if (named !== mode) throw new AccountRefused(issueAt('/keys/key', 'key_of_other_mode', { mode: named ?? '' }))
      if (noticeUrl === null) return { public: { account }, secrets: { key } }
      made += 1
      endpoints.set(noticeUrl, `sign_${made}`)
      return { public: { account }, secrets: { key, endpoint: noticeUrl, [signingSecret]: `sign_${made}` } }
    },
    async check() {
      if (accounts.outage) throw accounts.outage
      return accounts.problems
    },
    async disconnect({ secrets }) {
      if (accounts.outage) throw accounts.outage
      endpoints.delete(secrets.endpoint ?? '')
    },
    noticeHelp: (noticeUrl) => `Send notices to ${noticeUrl}.`,
    open({ account, secrets, previous }) {
      const accepted = [secrets, ...previous].flatMap((known) => known[signingSecret] ?? [])
      const own: Partial<PaymentProvider> = {
        modes: [account.mode],
        webhook({ headers, body }, now) {
          const [at, signature] = String(headers['bank-signature']).split(',')
          const isKnown = accepted.some((secret) => signature === signatureOf(secret, Number(at), body))
          if (!isKnown || Math.abs(now - Number(at)) > noticeMsMax) return 'refused'
          return { references: JSON.parse(body.toString('utf8')) as string[] }
        },
        async *providerEvents(since) {
          if (accounts.outage) throw accounts.outage
          yield* bank.events.filter(({ at }) => at >= since)
        },
      }
      // The test may replace what the bank does at any time.
      return Object.assign(Object.create(bank) as PaymentProvider, own)
    },
  }
  return accounts
}

// A webhook as the bank sends it.
export function bankWebhook(secret: string, at: number, references: readonly string[]): RequestInit {
  const body = Buffer.from(JSON.stringify(references))
  return { method: 'POST', body, headers: { 'bank-signature': `${at},${signatureOf(secret, at, body)}` } }
}

function signatureOf(secret: string, at: number, body: Buffer): string {
  return createHmac('sha256', secret).update(`${at}.`).update(body).digest('hex')
}
