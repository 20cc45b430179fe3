// The port to payment providers. A provider is called outside of any transaction, within a deadline, under a key of ours; a missing
// response is an outcome like the others. The shopper's input passes through here and is stored nowhere: not in a table, not in the log,
// not in an error.

import type { Address } from '../../contract/open/carts.ts'
import type { Mode, PaymentErrorCode } from '../../contract/words.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Reader } from '../../platform/storage/storage.ts'

export type Outcome =
  // `collected`: the amount that was really charged, in minor units.
  | ({
      kind: 'approved'
      reference: string
      collected: number
      brand: string | null
      last4: string | null
    } & PaidWith)
  // The money comes later: a person reports its arrival, or the provider does when it is queried.
  | ({ kind: 'pending'; reference: string; settles: Settles } & PaidWith)
  | { kind: 'declined'; code: PaymentErrorCode; brand: string | null; last4: string | null }
  // The shopper must confirm; `challenge` is a text for the page, opaque to all other code.
  | { kind: 'challenge'; reference: string; challenge: string }
  // The shopper pays at the provider, until `until`. The outcome is found out by querying the provider. `isTried`: the provider knows of
  // an attempt that did not succeed.
  | { kind: 'redirect'; reference: string; nextAction: NextAction; until: number; isTried?: boolean }
  // No response arrived. The charge may exist: query it under the same key.
  | { kind: 'unknown' }

// The instrument that the shopper really used, such as sepa_debit or apple_pay, if a provider offers several as one method.
interface PaidWith {
  instrument?: string | null
}

export type Settles = 'by_hand' | 'by_provider'

// A page of the provider, or a frame of it on a page of ours, with the data that its script needs.
export type NextAction = { kind: 'page'; url: string } | { kind: 'frame'; facts: Readonly<Record<string, string>> }

// `absent`: the provider does not know the key. Only reliable when no call can still be in progress.
export type Finding = (Outcome | { kind: 'absent' }) & { providerState?: ProviderState }

// Further facts that the provider has about a paid charge: all its refunds, including those that others made, and its dispute.
export interface ProviderState {
  refunds: readonly ProviderRefund[]
  dispute: ProviderDispute | null
}

export interface ProviderRefund {
  // The provider's own id of the refund.
  reference: string
  // Our key, if the refund was requested here.
  key: string | null
  // Minor units.
  amount: number
  state: 'pending' | 'succeeded' | 'failed'
}

export interface ProviderDispute {
  reference: string
  // Minor units, in the currency of the charge.
  amount: number
  state: 'open' | 'won' | 'lost'
  // The provider's word for the reason.
  reason: string | null
  // Deadline for the merchant's answer.
  dueAt: number | null
}

// `pending`: requested, and in progress; `refundState` reports how it ends. `failed`: the money certainly did not move, and may move on
// another try. `refused`: it never will. An adapter that is not sure returns `unknown`.
export type RefundAnswer = 'succeeded' | 'pending' | 'failed' | 'refused' | 'unknown'

// `absent`: the provider has no refund under the key, or no longer knows it.
export type RefundState = RefundAnswer | 'absent'

export interface Charge {
  // The payment's id. Repeated requests with the same key never charge twice.
  key: string
  // Minor units.
  amount: number
  currency: string
  mode: Mode
  // The provider's own id of the charge, once it is known.
  reference: string | null
  createdAt: number
}

// The URLs to which a provider sends the shopper back from its page.
export interface ReturnUrls {
  returnUrl: string
  cancelUrl: string
  locale: string
  merchantName: string
}

export interface StartRequest {
  method: string
  details: Details
  // Called by providers that send the shopper to a page of theirs.
  returnUrls: () => Promise<ReturnUrls>
  // For methods that require a billing address. Only the provider needs it, and it is not stored here.
  billing?: Address
  // For providers that work with an account of the merchant. It is not stored here either.
  purchase?: Purchase
}

// The purchased items, the shopper, and the delivery address.
export interface Purchase {
  // Each member may be empty.
  shopper: { email: string; name: string; phone: string }
  // Null if nothing is shipped.
  delivery: Address | null
  // The totals of the lines add up to the amount of the charge.
  lines: readonly PurchaseLine[]
}

// Amounts are in minor units. `unitPrice` and `discount` are with or without tax, like the shop's prices; `total` is with tax.
export interface PurchaseLine {
  kind: 'physical' | 'digital' | 'shipping'
  name: string
  code: string | null
  quantity: number
  unitPrice: number
  discount: number
  total: number
  // Basis points; null if the rate is not known.
  taxRateBps: number | null
}

// Facts of the order that are shown with the payment at the provider.
export interface PlacedOrderFacts {
  orderNumber: string
  merchantName: string
}

// `refused`: the provider will never accept the description.
export type DescribeAnswer = 'described' | 'refused' | 'unknown'

export interface RefundRequest {
  // The refund's id. Repeated requests with the same key never refund twice.
  key: string
  charge: Charge
  amount: number
}

export interface VoidRequest extends Charge {
  voidKey: string
}

// The shopper's input, by the names of the method's fields.
export type Details = Readonly<Record<string, string>>

// One input field of the page.
export interface MethodField {
  name: string
  labelKey: string
  // As in HTML: the type of keyboard, and what the browser may fill in.
  inputMode: 'numeric' | 'text'
  autocomplete: string
  lengthMax: number
}

export interface Method {
  id: string
  labelKey: string
  // A sentence below the method, or null.
  noteKey: string | null
  fields: readonly MethodField[]
  // How the shopper pays: by typing here, in a frame of the provider, on a page of the provider, or later.
  shape: 'fields' | 'frame' | 'page' | 'later'
  // Brands of cards that the method accepts, named as in an outcome.
  brands?: readonly string[]
  // Whether it asks for a billing address.
  billing?: boolean
}

export interface Problem {
  // JSON Pointer into the details.
  path: string
  messageKey: string
}

// Sentences by language, then by key. English is complete; the others may be.
export type Texts = Readonly<Record<'en', Readonly<Record<string, string>>>> &
  Readonly<Record<string, Readonly<Record<string, string>>>>

export interface PaymentProvider {
  readonly name: string
  readonly modes: readonly Mode[]
  readonly methods: readonly Method[]
  readonly texts: Texts
  // Pure: what is wrong with what the shopper typed, never repeating it.
  check(method: string, details: Details, now: number): Problem[]
  // Pure: what tells the card from every other one, such as its number. It is hashed at once, to count how often the card is
  // declined; undefined, or left out, where there is no such thing.
  instrument?(method: string, details: Details): string | undefined
  start(charge: Charge, request: StartRequest, signal: AbortSignal): Promise<Outcome>
  // After a challenge. Asked again, it answers as it did.
  confirm(charge: Charge, answer: 'accept' | 'refuse', signal: AbortSignal): Promise<Outcome>
  lookUp(charge: Charge, signal: AbortSignal): Promise<Finding>
  refund(refund: RefundRequest, signal: AbortSignal): Promise<RefundAnswer>
  // How far a refund is that may have been asked for; `absent` where nothing was made under its key. Asked before a request is
  // repeated, because a repeated request may be answered as the first was, and its key may be forgotten. Left out where a repeated
  // `refund` always says how it stands. Also asked about a void, under its key and with the amount of the charge: a void of money
  // that came is a refund there. Of a void that gave nothing back it says `absent`, and the void is repeated.
  refundState?(refund: RefundRequest, signal: AbortSignal): Promise<RefundState>
  // Takes a charge back as a whole. Of a key that was never heard of, it closes the key: a start that arrives later is
  // declined. A voided charge is looked up as declined. It may be repeated at any time, also under a key that was forgotten: the
  // charge itself bounds what can go back.
  void(request: VoidRequest, signal: AbortSignal): Promise<RefundAnswer>
  // From now on no payment can begin under the key, and one that has not been made is given up; nothing is taken back. `taken`:
  // it was paid, or is being paid.
  close(charge: Charge, signal: AbortSignal): Promise<CloseAnswer>
  // Writes the number of the order to the charge, for the merchant's eyes there and for statements. Asked once the order is placed, and
  // again where there was no answer. Left out by those that cannot.
  describe?(charge: Charge, about: PlacedOrderFacts, signal: AbortSignal): Promise<DescribeAnswer>
  // What its script and frames on the pay page need beyond our own policy.
  readonly sources?: PageSources
  // Pure: whether a message at the webhook address comes from the provider, and which charges it is about. It is only a reason
  // to look them up.
  webhook?(message: ProviderWebhook, now: number): { references: readonly string[] } | 'refused'
  // What happened since then, oldest first, for webhooks that did not arrive. After an interrupted
  // list, reading goes on behind the last one yielded. Gaps, which are not listed or cannot be read in time, are reported by `leftOut`.
  providerEvents?(
    since: number,
    signal: AbortSignal,
    leftOut: (reason: ProviderEventGap) => void,
  ): AsyncIterable<ProviderEvent>
  // Pure: whether it can take this at all. Left out by those that take everything.
  offers?(facts: { currency: string; amount: number }): boolean
  // How software pays for a shopper, without the page. Left out by those that only people can pay with.
  readonly tokens?: readonly TokenHandler[]
}

// What a platform hands over in the place of what a shopper types.
export interface TokenHandler {
  // Unique among all handlers of a shop.
  id: string
  // A reverse domain name, such as com.google.pay. Null: below the name of this server.
  name: string | null
  // What it is called below the name of this server.
  ownName: string
  version: string
  // Kinds of instruments, such as card.
  instruments: readonly string[]
  // For a token that a platform has the provider make for the merchant: the provider's own name of the merchant's account.
  delegatedTo?: string
  config?(facts: { mode: Mode; merchantName: string; currency: string }): object
  // Pure: what `start` needs, or undefined where the credential is not one that it takes. Nothing of it is stored, logged or repeated.
  read(credential: Readonly<Record<string, unknown>>): { method: string; details: Details } | undefined
}

export interface ProviderEvent {
  at: number
  // The provider's own name of the charge.
  reference: string
}

// `too_old`: the provider does not list it any more.
export type ProviderEventGap = 'too_many' | 'too_old'

export interface ProviderWebhook {
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
}

export type CloseAnswer = 'closed' | 'taken' | 'unknown'

// Hosts for the content security policy of the pay page, by directive.
export interface PageSources {
  script: readonly string[]
  frame: readonly string[]
  connect: readonly string[]
  image: readonly string[]
  // Whether the script writes style attributes. Style sheets and elements of others are never allowed.
  styleAttributes?: boolean
}

export interface OfferedProvider {
  provider: PaymentProvider
  // The merchant's account at it; null for one that needs none.
  accountId: string | null
}

// Who serves a payment.
export interface PaymentOwner {
  provider: string
  accountId: string | null
  merchantId: string
}

export interface Providers {
  // Names of all installed providers.
  readonly names: readonly string[]
  // By its account where the payment has one: no other account can say anything about it.
  of(db: Reader, payment: PaymentOwner): Promise<PaymentProvider | undefined>
  // In the order in which the page offers their methods. Accounts are looked up unless it is known that there are none.
  offered(db: Reader, merchant: MerchantMode & { hasAccounts?: boolean }): Promise<readonly OfferedProvider[]>
  // Those of them that need no account, which nobody has to look up.
  offeredToAll(mode: Mode): readonly OfferedProvider[]
  // Finds the provider of an account, including one that has ended.
  ofAccount(db: Reader, accountId: string): Promise<PaymentProvider | undefined>
}

// Those that need no account.
export function createProviders(providers: readonly PaymentProvider[]): Providers {
  const byName = new Map(providers.map((provider) => [provider.name, provider]))
  if (byName.size < providers.length) throw new Error('two payment providers have one name')
  const offeredToAll = (mode: Mode) =>
    providers.filter(({ modes }) => modes.includes(mode)).map((provider) => ({ provider, accountId: null }))
  return {
    names: [...byName.keys()],
    of: async (_, { provider, accountId }) => (accountId === null ? byName.get(provider) : undefined),
    offered: async (_, { mode }) => offeredToAll(mode),
    offeredToAll,
    ofAccount: async () => undefined,
  }
}

// The words of a key in the shopper's language (`de-CH` is content with `de`), else in English.
export function providerText({ name, texts }: PaymentProvider, key: string, locale: string): string {
  const language = locale.split('-')[0]?.toLowerCase() ?? 'en'
  const text = (Object.hasOwn(texts, language) ? texts[language]?.[key] : undefined) ?? texts.en[key]
  if (text === undefined) throw new Error(`the payment provider ${name} has no words for ${key}`)
  return text
}

// How long a provider may take to answer.
export const providerMsMax = 20_000

// Why there was no answer, in words that cannot hold what was typed: an error's message may quote the request, so only
// its name, its code and the places it came from go on.
export interface Silence {
  // invalid_answer: it is none of the answers above.
  reason: 'timed_out' | 'threw' | 'invalid_answer'
  error: string | null
  code: string | null
  frames: readonly string[]
}

// For each call, either `onAnswer` or `onSilence` is called, once. An answer that comes after the deadline goes to `onLate`
// beside that; it may come much later.
export interface CallOptions<Answer> {
  onAnswer?: (answer: Answer) => void
  onSilence?: (silence: Silence) => void
  onLate?: (answer: Answer) => void
  msMax?: number
}

type Ask<Answer> = (signal: AbortSignal) => Promise<Answer>

const findingKinds: readonly unknown[] = [
  'approved',
  'pending',
  'declined',
  'challenge',
  'redirect',
  'unknown',
  'absent',
] satisfies Finding['kind'][]
const refundAnswers: readonly unknown[] = [
  'succeeded',
  'pending',
  'failed',
  'refused',
  'unknown',
] satisfies RefundAnswer[]
const refundStates: readonly unknown[] = [...refundAnswers, 'absent']
const describeAnswers: readonly unknown[] = ['described', 'refused', 'unknown'] satisfies DescribeAnswer[]
const closeAnswers: readonly unknown[] = ['closed', 'taken', 'unknown'] satisfies CloseAnswer[]

// The only ways to call a provider: they never throw, and they end.
export async function callProvider<Answer extends Finding>(
  ask: Ask<Answer>,
  options: CallOptions<Answer> = {},
): Promise<Answer | { kind: 'unknown' }> {
  const isAnswer = (answer: unknown) =>
    typeof answer === 'object' && answer !== null && 'kind' in answer && findingKinds.includes(answer.kind)
  return (await answerOf(async (signal) => safeAnswer(await ask(signal)), isAnswer, options)) ?? { kind: 'unknown' }
}

export async function callForRefund(
  ask: Ask<RefundAnswer>,
  options: CallOptions<RefundAnswer> = {},
): Promise<RefundAnswer> {
  return (await answerOf(ask, (answer) => refundAnswers.includes(answer), options)) ?? 'unknown'
}

export async function callForRefundState(
  ask: Ask<RefundState>,
  options: CallOptions<RefundState> = {},
): Promise<RefundState> {
  return (await answerOf(ask, (answer) => refundStates.includes(answer), options)) ?? 'unknown'
}

export async function callToClose(ask: Ask<CloseAnswer>, options: CallOptions<CloseAnswer> = {}): Promise<CloseAnswer> {
  return (await answerOf(ask, (answer) => closeAnswers.includes(answer), options)) ?? 'unknown'
}

export async function callToDescribe(
  ask: Ask<DescribeAnswer>,
  options: CallOptions<DescribeAnswer> = {},
): Promise<DescribeAnswer> {
  return (await answerOf(ask, (answer) => describeAnswers.includes(answer), options)) ?? 'unknown'
}

// Answers whether everything was read.
export async function callForProviderEvents(ask: Ask<boolean>, options: CallOptions<boolean> = {}): Promise<boolean> {
  return (await answerOf(ask, (answer) => typeof answer === 'boolean', options)) ?? false
}

// A provider that does not heed the signal is left behind, and what it says later goes to `onLate`. So does what it says
// when it is told to stop: an adapter that gives up may well call that a decline.
async function answerOf<Answer>(
  ask: Ask<Answer>,
  isAnswer: (answer: unknown) => boolean,
  { onAnswer, onSilence, onLate, msMax = providerMsMax }: CallOptions<Answer>,
): Promise<Answer | undefined> {
  const controller = new AbortController()
  const { signal } = controller
  const silent = { error: null, code: null, frames: [] }
  // Not AbortSignal.timeout: its timer cannot be taken back, and does not keep a command alive that waits for an answer.
  const timedOut = Symbol('timed out')
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<typeof timedOut>((resolve) => {
    timer = setTimeout(() => {
      controller.abort(new DOMException('the provider took too long', 'TimeoutError'))
      resolve(timedOut)
    }, msMax)
  })
  // Inside a promise, so one that throws at once is like one that throws later.
  const asked = Promise.resolve(signal).then(ask)
  try {
    const answer = await Promise.race([asked, deadline])
    if (answer === timedOut || signal.aborted) {
      asked.then(
        (late) => isAnswer(late) && onLate?.(late),
        () => {},
      )
      onSilence?.({ ...silent, reason: 'timed_out' })
      return undefined
    }
    if (isAnswer(answer)) {
      onAnswer?.(answer)
      return answer
    }
    onSilence?.({ ...silent, reason: 'invalid_answer' })
    return undefined
  } catch (error) {
    onSilence?.(signal.aborted ? { ...silenceOf(error), reason: 'timed_out' } : silenceOf(error))
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

export function silenceOf(error: unknown): Silence {
  if (!(error instanceof Error)) return { reason: 'threw', error: null, code: null, frames: [] }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return {
    reason: 'threw',
    error: /^[A-Za-z]{1,60}$/.test(error.name) ? error.name : null,
    code: /^[A-Z][A-Z_]{0,60}$/.test(code) ? code : null,
    frames: framesOf(error),
  }
}

const framesMax = 8

// The stack begins with the message, whose lines may look like frames. Where it is not found, nothing is taken.
function framesOf({ stack = '', message }: Error): string[] {
  const messageAt = stack.indexOf(message)
  if (messageAt < 0) return []
  const lines = stack.slice(messageAt + message.length).split('\n')
  return lines.flatMap((line) => / \(?(?:file:\/\/)?([^ ()]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? []).slice(0, framesMax)
}

// A careless adapter must not bring a card number into our tables by the way of `last4`.
function safeAnswer<Answer extends Finding>(answer: Answer): Answer {
  if (answer?.kind !== 'approved' && answer?.kind !== 'declined') return answer
  const last4 = answer.last4 !== null && /^\d{4}$/.test(answer.last4) ? answer.last4 : null
  const brand = answer.brand !== null && /^[a-z_]{1,30}$/.test(answer.brand) ? answer.brand : null
  return { ...answer, last4, brand }
}
