// The port to payment providers. A provider is called outside of any transaction, with a deadline and a key of ours; a missing response
// is an outcome like any other. The shopper's input passes through here and is not stored anywhere: not in a table, a log line or an
// error.

import type { Address } from '../../contract/open/carts.ts'
import type { Mode, PaymentErrorCode } from '../../contract/words.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Reader } from '../../platform/storage/storage.ts'

export type ProviderOutcome =
  // `collected`: the amount that was actually charged, in minor units.
  | ({
      kind: 'approved'
      reference: string
      collected: number
      brand: string | null
      last4: string | null
    } & PaidWith)
  // The money arrives later: a person records it, or the provider reports it when it is queried.
  | ({ kind: 'pending'; reference: string; settles: SettlementKind } & PaidWith)
  | { kind: 'declined'; code: PaymentErrorCode; brand: string | null; last4: string | null }
  // The shopper must confirm. `challenge`: a text for the page; other code does not interpret it.
  | { kind: 'challenge'; reference: string; challenge: string }
  // The shopper can pay at the provider until `until`. The provider must be queried for the outcome. `isTried`: the provider knows of an
  // attempt that failed.
  | { kind: 'redirect'; reference: string; nextAction: NextAction; until: number; isTried?: boolean }
  // No response arrived. The charge may exist: look it up with the same key.
  | { kind: 'unknown' }

// How the shopper actually paid, such as sepa_debit or apple_pay, if the provider offers several instruments as one method.
interface PaidWith {
  instrument?: string | null
}

export type SettlementKind = 'by_hand' | 'by_provider'

// A page of the provider, or a frame of the provider on our page with the data that its script needs.
export type NextAction = { kind: 'page'; url: string } | { kind: 'frame'; facts: Readonly<Record<string, string>> }

// `absent`: the provider does not know the key. This is reliable only if no call can still be in progress.
export type ProviderFinding = (ProviderOutcome | { kind: 'absent' }) & { providerState?: ProviderState }

// What else the provider knows about a paid charge: all its refunds, including those made by others, and its dispute.
export interface ProviderState {
  refunds: readonly ProviderRefund[]
  dispute: ProviderDispute | null
}

export interface ProviderRefund {
  // The provider's id of the refund.
  reference: string
  // Our key, if this server requested the refund.
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
  // The reason in the provider's terms.
  reason: string | null
  // Deadline for the merchant's response.
  dueAt: number | null
}

// `pending`: the refund was requested and is in progress; `refundState` reports the outcome. `failed`: the money has certainly not been
// refunded, and a retry may succeed. `refused`: a retry cannot succeed. An adapter that is not certain must return `unknown`.
export type RefundAnswer = 'succeeded' | 'pending' | 'failed' | 'refused' | 'unknown'

// `absent`: the provider has no refund with this key, or no longer knows the key.
export type RefundState = RefundAnswer | 'absent'

export interface Charge {
  // The id of the payment. Requests with the same key never charge twice.
  key: string
  // Minor units.
  amount: number
  currency: string
  mode: Mode
  // The provider's id of the charge; null while it is unknown.
  reference: string | null
  createdAt: number
}

// The URLs to which the provider redirects the shopper after its page.
export interface ReturnUrls {
  returnUrl: string
  cancelUrl: string
  locale: string
  merchantName: string
}

export interface StartRequest {
  method: string
  details: MethodDetails
  // Called by providers that redirect the shopper to a page of their own.
  returnUrls: () => Promise<ReturnUrls>
  // Set for methods that require a billing address. It is only sent to the provider, and not stored here.
  billing?: Address
  // Set for providers with accounts of merchants. It is not stored here either.
  purchase?: Purchase
}

// The purchased items, the shopper, and the delivery address.
export interface Purchase {
  // Every member may be empty.
  shopper: { email: string; name: string; phone: string }
  // Null if nothing is shipped.
  delivery: Address | null
  // The totals of the lines add up to the amount of the charge.
  lines: readonly PurchaseLine[]
}

// Amounts in minor units. `unitPrice` and `discount` include tax if the prices of the shop do; `total` always includes tax.
export interface PurchaseLine {
  kind: 'physical' | 'digital' | 'shipping'
  name: string
  code: string | null
  quantity: number
  unitPrice: number
  discount: number
  total: number
  // Tax rate in basis points; null if the rate is unknown.
  taxRateBps: number | null
}

// Data of the order that the provider shows with the payment.
export interface PlacedOrderFacts {
  orderNumber: string
  merchantName: string
}

// `refused`: the provider will never accept this description.
export type DescribeAnswer = 'described' | 'refused' | 'unknown'

export interface RefundRequest {
  // The id of the refund. Requests with the same key never refund twice.
  key: string
  charge: Charge
  amount: number
}

export interface VoidRequest extends Charge {
  voidKey: string
}

// The shopper's input, by the names of the method's fields.
export type MethodDetails = Readonly<Record<string, string>>

// One input field of the page.
export interface MethodField {
  name: string
  labelKey: string
  // As in HTML: the kind of keyboard, and what the browser may fill in.
  inputMode: 'numeric' | 'text'
  autocomplete: string
  lengthMax: number
}

export interface Method {
  id: string
  labelKey: string
  // Translation key of a sentence below the method; null if there is none.
  noteKey: string | null
  fields: readonly MethodField[]
  // How the shopper pays: in fields of our page, in a frame of the provider, on a page of the provider, or later.
  shape: 'fields' | 'frame' | 'page' | 'later'
  // Brands of the cards that the method accepts, with the same names as in an outcome.
  brands?: readonly string[]
  // Whether the method requires a billing address.
  billing?: boolean
}

export interface DetailProblem {
  // JSON Pointer to a field of the input.
  path: string
  messageKey: string
}

// Texts by language and key. English is complete; other languages may lack keys.
export type ProviderTexts = Readonly<Record<'en', Readonly<Record<string, string>>>> &
  Readonly<Record<string, Readonly<Record<string, string>>>>

export interface PaymentProvider {
  readonly name: string
  readonly modes: readonly Mode[]
  readonly methods: readonly Method[]
  readonly texts: ProviderTexts
  // Returns what is wrong with the shopper's input, without quoting it. Pure.
  check(method: string, details: MethodDetails, now: number): DetailProblem[]
  // Returns a value that identifies the card, such as its number; undefined if there is none. The value is hashed immediately, and used
  // to count how often the card is declined. Pure.
  instrument?(method: string, details: MethodDetails): string | undefined
  start(charge: Charge, request: StartRequest, signal: AbortSignal): Promise<ProviderOutcome>
  // Called after a challenge. Repeated calls return the same outcome.
  confirm(charge: Charge, answer: 'accept' | 'refuse', signal: AbortSignal): Promise<ProviderOutcome>
  lookUp(charge: Charge, signal: AbortSignal): Promise<ProviderFinding>
  refund(refund: RefundRequest, signal: AbortSignal): Promise<RefundAnswer>
  // Returns the present state of a refund that may have been requested; `absent` if there is no refund with its key. Called before a
  // request is repeated: repeating it may only return the first response again, or the provider may have forgotten the key. Not
  // implemented if repeating `refund` always returns the present state. For a void it is called with the key of the void and the amount
  // of the charge, because voiding paid money makes a refund at the provider. `absent` for a void means that nothing was refunded, and
  // the void is repeated.
  refundState?(refund: RefundRequest, signal: AbortSignal): Promise<RefundState>
  // Voids a whole charge. An unknown key is closed, so a `start` that arrives later is declined. `lookUp` reports a voided charge as
  // declined. A void may be repeated at any time, even with a key that the provider has forgotten: no more than the amount of the charge
  // can be refunded.
  void(request: VoidRequest, signal: AbortSignal): Promise<RefundAnswer>
  // Closes the key: no payment can begin with it any more, and an unfinished payment ends. Nothing is refunded. `taken`: the charge is
  // paid or being paid.
  close(charge: Charge, signal: AbortSignal): Promise<CloseAnswer>
  // Adds the order number to the charge, so the provider's dashboard and the shopper's statement show it. Called after the order is
  // placed, and repeated if no response arrives. Not implemented if the provider does not support it.
  describe?(charge: Charge, about: PlacedOrderFacts, signal: AbortSignal): Promise<DescribeAnswer>
  // Sources that the provider's script and frames on the pay page need in addition to our own content security policy.
  readonly sources?: PageSources
  // Returns which charges a webhook is about, or `refused` if it does not come from the provider. A webhook only causes look-ups of these
  // charges. Pure.
  webhook?(message: ProviderWebhook, now: number): { references: readonly string[] } | 'refused'
  // Lists events after `since`, oldest first, in case webhooks did not arrive. A read that is interrupted continues after the last event
  // that was yielded. `leftOut` reports gaps: events that are no longer listed, or cannot be read in time.
  providerEvents?(
    since: number,
    signal: AbortSignal,
    leftOut: (reason: ProviderEventGap) => void,
  ): AsyncIterable<ProviderEvent>
  // Whether the provider can charge this amount and currency. Not implemented if it can charge all. Pure.
  offers?(facts: { currency: string; amount: number }): boolean
  // How agents pay for a shopper without the page. Missing if only people can pay with the provider.
  readonly tokens?: readonly TokenHandler[]
}

// Accepts a credential that a platform sends instead of the shopper's input.
export interface TokenHandler {
  // Unique among the handlers of a shop.
  id: string
  // A reverse domain name, such as com.google.pay. Null: the name is made of this server's host, reversed, and `ownName`.
  name: string | null
  // The last part of the name if `name` is null.
  ownName: string
  version: string
  // Kinds of instruments, such as card.
  instruments: readonly string[]
  // Set if the provider creates tokens for the merchant at the request of a platform: the provider's id of the merchant's account.
  delegatedTo?: string
  config?(facts: { mode: Mode; merchantName: string; currency: string }): object
  // Returns the arguments for `start`; undefined if the handler does not accept the credential. Nothing of the credential is stored,
  // logged or quoted. Pure.
  read(credential: Readonly<Record<string, unknown>>): { method: string; details: MethodDetails } | undefined
}

export interface ProviderEvent {
  at: number
  // The provider's id of the charge.
  reference: string
}

// `too_old`: the provider no longer lists these events.
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
  // Whether the script sets style attributes. Style sheets and elements from other hosts are never allowed.
  styleAttributes?: boolean
}

export interface OfferedProvider {
  provider: PaymentProvider
  // The merchant's account at the provider; null for a provider that needs none.
  accountId: string | null
}

// The provider and the account of a payment.
export interface PaymentOwner {
  provider: string
  accountId: string | null
  merchantId: string
}

export interface Providers {
  // Names of all installed providers.
  readonly names: readonly string[]
  // Finds the provider of a payment, by the account of the payment if it has one: no other account knows the payment.
  of(db: Reader, payment: PaymentOwner): Promise<PaymentProvider | undefined>
  // Lists providers in the order in which the page lists their methods. Accounts are read from the database unless `hasAccounts` is
  // false.
  offered(db: Reader, merchant: MerchantMode & { hasAccounts?: boolean }): Promise<readonly OfferedProvider[]>
  // Lists the offered providers that need no account, without a query.
  offeredToAll(mode: Mode): readonly OfferedProvider[]
  // Finds the provider of an account, even if the account is disconnected.
  ofAccount(db: Reader, accountId: string): Promise<PaymentProvider | undefined>
}

// Creates the registry of providers that need no account.
export function createProviders(providers: readonly PaymentProvider[]): Providers {
  const byName = new Map(providers.map((provider) => [provider.name, provider]))
  if (byName.size < providers.length) throw new Error('two payment providers have the same name')
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

// Returns the provider's text for a key in the shopper's language (`de-CH` falls back to `de`), or else in English.
export function providerText({ name, texts }: PaymentProvider, key: string, locale: string): string {
  const language = locale.split('-')[0]?.toLowerCase() ?? 'en'
  const text = (Object.hasOwn(texts, language) ? texts[language]?.[key] : undefined) ?? texts.en[key]
  if (text === undefined) throw new Error(`the payment provider ${name} has no text for ${key}`)
  return text
}

// Timeout of a call to a provider.
export const providerMsMax = 20_000

// Why no response arrived. The message of an error may quote the shopper's input, so only the name, the code and the stack frames of the
// error are passed on.
export interface MissingResponse {
  // invalid_answer: the response has an unexpected form.
  reason: 'timed_out' | 'threw' | 'invalid_answer'
  error: string | null
  code: string | null
  frames: readonly string[]
}

// Each call calls either `onAnswer` or `onSilence`, once. A response after the deadline is passed to `onLate` as well, possibly much
// later.
export interface CallOptions<Answer> {
  onAnswer?: (answer: Answer) => void
  onSilence?: (silence: MissingResponse) => void
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
] satisfies ProviderFinding['kind'][]
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

// Calls about payments are made by these functions, which never throw and end within the deadline.
export async function callProvider<Answer extends ProviderFinding>(
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

// Returns whether all events were read.
export async function callForProviderEvents(ask: Ask<boolean>, options: CallOptions<boolean> = {}): Promise<boolean> {
  return (await answerOf(ask, (answer) => typeof answer === 'boolean', options)) ?? false
}

// If the provider ignores the abort signal, the call ends without it, and a late response is passed to `onLate`. So is a response that
// follows the abort: an aborted adapter might report a decline.
async function answerOf<Answer>(
  ask: Ask<Answer>,
  isAnswer: (answer: unknown) => boolean,
  { onAnswer, onSilence, onLate, msMax = providerMsMax }: CallOptions<Answer>,
): Promise<Answer | undefined> {
  const controller = new AbortController()
  const { signal } = controller
  const silent = { error: null, code: null, frames: [] }
  // The timer of AbortSignal.timeout cannot be cleared, and does not keep a command alive while it waits for a response.
  const timedOut = Symbol('timed out')
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<typeof timedOut>((resolve) => {
    timer = setTimeout(() => {
      controller.abort(new DOMException('the provider took too long', 'TimeoutError'))
      resolve(timedOut)
    }, msMax)
  })
  // Called inside a promise, so a synchronous error is handled like a rejection.
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
    onSilence?.(signal.aborted ? { ...missingResponseFrom(error), reason: 'timed_out' } : missingResponseFrom(error))
    return undefined
  } finally {
    clearTimeout(timer)
  }
}

export function missingResponseFrom(error: unknown): MissingResponse {
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

// A stack begins with the message, whose lines may look like frames. If the message is not found in the stack, no frames are returned.
function framesOf({ stack = '', message }: Error): string[] {
  const messageAt = stack.indexOf(message)
  if (messageAt < 0) return []
  const lines = stack.slice(messageAt + message.length).split('\n')
  return lines.flatMap((line) => / \(?(?:file:\/\/)?([^ ()]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? []).slice(0, framesMax)
}

// An adapter with a defect must not store a card number through `last4`.
function safeAnswer<Answer extends ProviderFinding>(answer: Answer): Answer {
  if (answer?.kind !== 'approved' && answer?.kind !== 'declined') return answer
  const last4 = answer.last4 !== null && /^\d{4}$/.test(answer.last4) ? answer.last4 : null
  const brand = answer.brand !== null && /^[a-z_]{1,30}$/.test(answer.brand) ? answer.brand : null
  return { ...answer, last4, brand }
}
