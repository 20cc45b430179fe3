// The port to payment providers. A provider is called outside of any transaction, within a deadline, under a key of ours; a missing
// response is an outcome like the others. The shopper's input passes through here and is stored nowhere: not in a table, not in the log,
// not in an error.

import type { Address } from '../../contract/open/carts.ts'
import type { Mode, PaymentErrorCode } from '../../contract/words.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import type { Reader } from '../../platform/storage/storage.ts'

export type ProviderOutcome =
  // `collected`: the amount that was really charged, in minor units.
  | ({
      kind: 'approved'
      reference: string
      collected: number
      brand: string | null
      last4: string | null
    } & PaidWith)
  // The money comes later: a person reports its arrival, or the provider does when it is queried.
  | ({ kind: 'pending'; reference: string; settles: SettlementKind } & PaidWith)
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

export type SettlementKind = 'by_hand' | 'by_provider'

// A page of the provider, or a frame of it on a page of ours, with the data that its script needs.
export type NextAction = { kind: 'page'; url: string } | { kind: 'frame'; facts: Readonly<Record<string, string>> }

// `absent`: the provider does not know the key. Only reliable when no call can still be in progress.
export type ProviderFinding = (ProviderOutcome | { kind: 'absent' }) & { providerState?: ProviderState }

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
  details: MethodDetails
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
export type MethodDetails = Readonly<Record<string, string>>

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
  // Whether the method requires a billing address.
  billing?: boolean
}

export interface DetailProblem {
  // JSON Pointer to a field of the details.
  path: string
  messageKey: string
}

// Sentences by language, then by key. English is complete; other languages may lack keys.
export type ProviderTexts = Readonly<Record<'en', Readonly<Record<string, string>>>> &
  Readonly<Record<string, Readonly<Record<string, string>>>>

export interface PaymentProvider {
  readonly name: string
  readonly modes: readonly Mode[]
  readonly methods: readonly Method[]
  readonly texts: ProviderTexts
  // Pure: returns what is wrong with the shopper's input, without repeating the input.
  check(method: string, details: MethodDetails, now: number): DetailProblem[]
  // Pure: returns a value that identifies the card, such as its number. It is hashed immediately, to count how often the card is
  // declined. Undefined, or not implemented, if there is no such value.
  instrument?(method: string, details: MethodDetails): string | undefined
  start(charge: Charge, request: StartRequest, signal: AbortSignal): Promise<ProviderOutcome>
  // Called after a challenge. Repeated calls return the same outcome.
  confirm(charge: Charge, answer: 'accept' | 'refuse', signal: AbortSignal): Promise<ProviderOutcome>
  lookUp(charge: Charge, signal: AbortSignal): Promise<ProviderFinding>
  refund(refund: RefundRequest, signal: AbortSignal): Promise<RefundAnswer>
  // Status of a refund that may have been requested; `absent` if no refund was made under its key. Called before a request is repeated,
  // because a repeated request may get the same response as the first, and its key may be forgotten. Not implemented if a repeated
  // `refund` always returns the current status. Also called for a void, under its key and with the amount of the charge: a void of money
  // that was paid is a refund at the provider. For a void that refunded nothing it returns `absent`, and the void is repeated.
  refundState?(refund: RefundRequest, signal: AbortSignal): Promise<RefundState>
  // Voids a charge as a whole. If the key is unknown, the key is closed: a `start` that arrives later is declined. `lookUp` reports a
  // voided charge as declined. A void may be repeated at any time, also under a key that was forgotten: the amount of the charge limits
  // what can be refunded.
  void(request: VoidRequest, signal: AbortSignal): Promise<RefundAnswer>
  // From now on no payment can begin under the key, and an unfinished one is given up; nothing is refunded. `taken`: it was paid, or is
  // being paid.
  close(charge: Charge, signal: AbortSignal): Promise<CloseAnswer>
  // Writes the order's number to the charge, so the merchant and statements show it. Called once the order is placed, and again if there
  // was no response. Not implemented by providers that cannot do this.
  describe?(charge: Charge, about: PlacedOrderFacts, signal: AbortSignal): Promise<DescribeAnswer>
  // Sources that the provider's script and frames on the pay page need beyond our own policy.
  readonly sources?: PageSources
  // Pure: returns whether a message at the webhook address comes from the provider, and which charges it is about. The message is only a
  // reason to query these charges.
  webhook?(message: ProviderWebhook, now: number): { references: readonly string[] } | 'refused'
  // Lists events after `since`, oldest first, for webhooks that did not arrive. After an interruption, reading continues after the last
  // event that was yielded. `leftOut` reports gaps: events that are not listed or cannot be read in time.
  providerEvents?(
    since: number,
    signal: AbortSignal,
    leftOut: (reason: ProviderEventGap) => void,
  ): AsyncIterable<ProviderEvent>
  // Pure: whether the provider can take this amount and currency. Not implemented by providers that take everything.
  offers?(facts: { currency: string; amount: number }): boolean
  // How software pays for a shopper, without the page. Missing for providers with which only people can pay.
  readonly tokens?: readonly TokenHandler[]
}

// A credential that a platform sends in place of the shopper's input.
export interface TokenHandler {
  // Unique among all handlers of a shop.
  id: string
  // A reverse domain name, such as com.google.pay. Null: a name below this server's name.
  name: string | null
  // The handler's name below this server's name.
  ownName: string
  version: string
  // Kinds of instruments, such as card.
  instruments: readonly string[]
  // For a token that the provider creates for the merchant at a platform's request: the provider's own id of the merchant's account.
  delegatedTo?: string
  config?(facts: { mode: Mode; merchantName: string; currency: string }): object
  // Pure: returns the arguments that `start` needs, or undefined if the handler does not accept the credential. Nothing of the credential
  // is stored, logged or repeated.
  read(credential: Readonly<Record<string, unknown>>): { method: string; details: MethodDetails } | undefined
}

export interface ProviderEvent {
  at: number
  // The provider's own id of the charge.
  reference: string
}

// `too_old`: the provider no longer lists the events.
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
  // The merchant's account at the provider; null for a provider that needs none.
  accountId: string | null
}

// The provider and the account that serve a payment.
export interface PaymentOwner {
  provider: string
  accountId: string | null
  merchantId: string
}

export interface Providers {
  // Names of all installed providers.
  readonly names: readonly string[]
  // Finds the provider by the payment's account, if it has one: no other account knows the payment.
  of(db: Reader, payment: PaymentOwner): Promise<PaymentProvider | undefined>
  // Returns providers in the order in which the page offers their methods. Accounts are looked up unless it is known that there are none.
  offered(db: Reader, merchant: MerchantMode & { hasAccounts?: boolean }): Promise<readonly OfferedProvider[]>
  // The offered providers that need no account, so no query is needed.
  offeredToAll(mode: Mode): readonly OfferedProvider[]
  // Finds the provider of an account, including a disconnected one.
  ofAccount(db: Reader, accountId: string): Promise<PaymentProvider | undefined>
}

// Creates the registry of providers that need no account.
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

// Returns the text of a key in the shopper's language (`de-CH` falls back to `de`), else in English.
export function providerText({ name, texts }: PaymentProvider, key: string, locale: string): string {
  const language = locale.split('-')[0]?.toLowerCase() ?? 'en'
  const text = (Object.hasOwn(texts, language) ? texts[language]?.[key] : undefined) ?? texts.en[key]
  if (text === undefined) throw new Error(`the payment provider ${name} has no words for ${key}`)
  return text
}

// Maximum time for a response of a provider.
export const providerMsMax = 20_000

// Why there was no response, without the shopper's input: the message of an error may quote the request, so only the error's name, code
// and stack frames are passed on.
export interface MissingResponse {
  // invalid_answer: the response is none of the expected ones.
  reason: 'timed_out' | 'threw' | 'invalid_answer'
  error: string | null
  code: string | null
  frames: readonly string[]
}

// For each call, either `onAnswer` or `onSilence` is called, once. A response after the deadline is additionally passed to `onLate`,
// possibly much later.
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

// The only functions that call a provider: they never throw, and they end within the deadline.
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

// Returns whether everything was read.
export async function callForProviderEvents(ask: Ask<boolean>, options: CallOptions<boolean> = {}): Promise<boolean> {
  return (await answerOf(ask, (answer) => typeof answer === 'boolean', options)) ?? false
}

// If a provider ignores the signal, the call ends without it, and a late response is passed to `onLate`. A response to the abort is
// passed there too: an adapter that gives up might report a decline.
async function answerOf<Answer>(
  ask: Ask<Answer>,
  isAnswer: (answer: unknown) => boolean,
  { onAnswer, onSilence, onLate, msMax = providerMsMax }: CallOptions<Answer>,
): Promise<Answer | undefined> {
  const controller = new AbortController()
  const { signal } = controller
  const silent = { error: null, code: null, frames: [] }
  // Not AbortSignal.timeout: its timer cannot be cleared, and does not keep a command running that waits for a response.
  const timedOut = Symbol('timed out')
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<typeof timedOut>((resolve) => {
    timer = setTimeout(() => {
      controller.abort(new DOMException('the provider took too long', 'TimeoutError'))
      resolve(timedOut)
    }, msMax)
  })
  // Called inside a promise, so a synchronous error is handled like a later one.
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

// The stack begins with the message, whose lines may look like frames. If the message is not found in the stack, no frames are taken.
function framesOf({ stack = '', message }: Error): string[] {
  const messageAt = stack.indexOf(message)
  if (messageAt < 0) return []
  const lines = stack.slice(messageAt + message.length).split('\n')
  return lines.flatMap((line) => / \(?(?:file:\/\/)?([^ ()]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? []).slice(0, framesMax)
}

// A careless adapter must not put a card number into our tables through `last4`.
function safeAnswer<Answer extends ProviderFinding>(answer: Answer): Answer {
  if (answer?.kind !== 'approved' && answer?.kind !== 'declined') return answer
  const last4 = answer.last4 !== null && /^\d{4}$/.test(answer.last4) ? answer.last4 : null
  const brand = answer.brand !== null && /^[a-z_]{1,30}$/.test(answer.brand) ? answer.brand : null
  return { ...answer, last4, brand }
}
