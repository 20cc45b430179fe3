// What the shopper's page may ask of a checkout session, which is found by the secret in the page's address. The page shows
// what it is answered and posts what the shopper typed; no price and no right is taken from the browser.

import type { AdminDocument } from '../../contract/admin/documents.ts'
import type { Address } from '../../contract/open/carts.ts'
import type { LineMeasure } from '../../contract/open/catalog.ts'
import type { CheckoutSession } from '../../contract/open/checkout.ts'
import type {
  CheckoutSessionStatus,
  ConsentKind,
  ItemExemption,
  LegalTextKind,
  Mode,
  OrderStatus,
  PromotionReason,
  ReturnStatus,
  TaxRelief,
} from '../../contract/words.ts'
import type { Receipt } from '../orders/receipt.ts'
import type { Method, NextAction, PageSources } from '../payments/port.ts'

export interface CheckoutView {
  session: CheckoutSession
  // The secret in this page's address; it is part of every link of the page and never logged.
  secret: string
  merchant: CheckoutMerchant
  // What the shopper typed before, opened for the page alone.
  customer: { email: string; name: string; phone: string; vatId?: string }
  // Whether a VAT number can make a difference here: the shop is registered for VAT in the EU.
  asksVatId: boolean
  address: Address | null
  needsShipping: boolean
  // Where the shop delivers to; null is everywhere, and where it says nothing of delivery.
  countries: readonly string[] | null
  // The app that opened it was uninstalled, or the merchant has closed: nothing can be bought here.
  isClosed: boolean
  // The merchant made it for the shopper: items and discounts are not changed here.
  isFixed: boolean
  // The order that is changed by paying: the difference is what is paid.
  change: { number: string; kind: 'edit' | 'exchange' } | null
  // How one can pay here, in the order to be offered.
  methods: readonly CheckoutMethod[]
  // A payment that waits for the shopper's confirmation.
  challenge: { paymentId: string; amount: number } | null
  // A payment that the shopper makes at the provider.
  redirect: PaymentRedirect | null
  // Set for an order that is placed and not paid.
  awaited: AwaitedMoney | null
  order: { number: string; statusPath: string; isCancelled: boolean } | null
}

// As the pages are told apart. `processing`: the outcome of a payment is not known.
export type CheckoutState = CheckoutSessionStatus | 'challenge' | 'redirect'

export interface PaymentRedirect {
  paymentId: string
  provider: string
  amount: number
  // Names the method, as the shopper chose it.
  labelKey: string
  say(key: string, locale: string): string | undefined
  // Whether the shopper is known to have tried: who came back chooses whether to go again.
  isTried: boolean
  // Undefined where it cannot be shown any more; the shopper can still go back.
  nextAction: NextAction | undefined
  // Where the shopper comes back to. It does not name this page.
  returnPath: string
  sources: PageSources | undefined
}

// Money that the shopper still has to send.
export interface AwaitedMoney {
  // The merchant's words: how to pay.
  instructions: string | null
  // The order is cancelled if it has not come by then; null without a term, and where it is paid on delivery.
  dueAt: string | null
}

export interface CheckoutMerchant {
  slug: string
  name: string
  country: string
  timeZone: string
  supportEmail: string | null
  // A picture in place of the name.
  logo: string | null
  // `#rrggbb`, of buttons.
  color: string | null
  // JSON of the look; null: the default.
  look: string | null
  links: { terms?: string; privacy?: string; refunds?: string; imprint?: string }
  // Whether shoppers can withdraw from a contract at its page.
  offersWithdrawal: boolean
  // Whether pages show the notice on the legal guarantee.
  showsGuarantee: boolean
  // Legal texts that this server shows.
  textKinds: readonly LegalTextKind[]
  // Paths of the pictures of that notice, by language.
  guaranteeNotices: Readonly<Record<string, string>>
}

export interface CheckoutMethod {
  provider: string
  method: string
  // Key of the text that names it, such as `method.card`.
  labelKey: string
  // Key of a sentence below it; null: none.
  noteKey: string | null
  // The provider's own words for a key, in the shopper's language or else in English; undefined where it has none.
  say(key: string, locale: string): string | undefined
  // The merchant's words: how to pay.
  instructions: string | null
  // In how many days it has to be paid.
  termDays: number | null
  shape: Method['shape']
  // Brands of the cards that it takes; empty where it takes none, or does not say.
  brands: readonly string[]
  // Whether it asks for a billing address.
  billing: boolean
  fields: readonly {
    name: string
    labelKey: string
    autocomplete: string
    inputMode: 'numeric' | 'text'
    lengthMax: number
  }[]
}

// Why something was not done. The page says it in the shopper's language.
export type CheckoutProblem =
  | { code: 'stale' } // the session changed in another tab; look again
  | { code: 'total_changed'; from: number; to: number } // nobody is charged what was not shown
  | { code: 'not_open' } // ended meanwhile
  | { code: 'closed' } // the page says so by itself
  | { code: 'insufficient_stock'; skuId: string; available: number }
  | { code: 'item_unavailable'; skuId: string }
  | { code: 'consent_needed' } // digital content, which is supplied at once
  | { code: 'price_unavailable' } // no exact number holds the total
  | { code: 'quantity_limit'; skuId: string; limit: number }
  | { code: 'address_undeliverable' }
  | { code: 'shipping_unavailable' } // nothing carries this parcel there
  | { code: 'promotion_rejected'; reason: PromotionReason }
  | { code: 'too_many_codes' }
  | { code: 'invalid'; issues: readonly FieldProblem[] } // `/email`, `/address/city`, `/card/number` …
  | { code: 'payment_in_progress' }
  | { code: 'too_many_tries'; waitMs: number } // payments were declined too often

// An issue, or what a payment provider says about a field of its method, by a key of its texts.
export interface FieldProblem {
  path: string
  code: string
}

export interface CheckoutResult {
  view: CheckoutView
  problem: CheckoutProblem | null
}

// For a caller that goes on to another page: the view is read only where something was not done.
export type Submitted = CheckoutResult | { problem: null; completed: CompletedCheckout | null }

// What decides where the shopper goes after paying.
export interface CompletedCheckout extends Pick<CheckoutView, 'secret' | 'awaited' | 'isClosed'> {
  session: Pick<CheckoutView['session'], 'id' | 'successUrl'>
}

export interface SubmittedDetails {
  contact: ContactInput
  address: Address | null
  shippingOptionId: string | null
  vatId?: string
}

export interface ContactInput {
  email: string
  name: string
  phone: string
}

export interface PayInput {
  version: number
  // What the page showed.
  expectedTotal: number
  provider: string
  method: string
  details: Readonly<Record<string, string>>
  // As typed, for a method that asks for it; left out: where it is delivered to.
  billing?: Address
  // Made when the form was rendered: the same form sent twice is one payment.
  attempt: string
  // What the shopper agreed to.
  consents?: readonly ConsentKind[]
  // In which the shopper reads the page; English where it is not said.
  locale?: string
  // Where the shopper is, as far as it tells one network from another.
  network?: string
}

// What a shopper is shown who comes back from the provider in a browser that does not know the page.
export interface ReturnView {
  secretHash: string
  merchant: CheckoutMerchant
  mode: Mode
  locale: string
  state: 'placed' | 'open' | 'waiting' | 'ended'
}

// Each answers undefined when there is no session of this secret.
// As much of a checkout as a post needs to be read.
export interface Glance {
  lines: number
  needsShipping: boolean
}

export interface CheckoutPort {
  look(secret: string): Promise<CheckoutView | undefined>
  glance(secret: string): Promise<Glance | undefined>
  // The same, after asking the provider of a payment that is waited for, unless it was asked within ten seconds.
  refresh(secret: string): Promise<CheckoutView | undefined>
  // What the page should show now. It also asks the provider, more rarely.
  follow(secret: string): Promise<CheckoutState | undefined>
  changeQuantity(secret: string, version: number, skuId: string, quantity: number): Promise<CheckoutResult | undefined>
  applyCode(secret: string, version: number, code: string | null): Promise<CheckoutResult | undefined>
  // Contact, address and shipping option together, as the page's one form has them. A null address: nothing is sent.
  setDetails(secret: string, version: number, details: SubmittedDetails): Promise<CheckoutResult | undefined>
  submitDetails(secret: string, version: number, details: SubmittedDetails): Promise<Submitted | undefined>
  pay(secret: string, input: PayInput): Promise<CheckoutResult | undefined>
  submitPayment(secret: string, input: PayInput): Promise<Submitted | undefined>
  answerChallenge(secret: string, paymentId: string, answer: 'accept' | 'refuse'): Promise<CheckoutResult | undefined>
  // Back from a redirect, to pay in another way.
  goBack(secret: string): Promise<CheckoutResult | undefined>
  // The shopper comes back from the provider. Answers what the payment is now; the secret is that of its page, and goes to nobody who
  // did not have it.
  comeBack(token: string): Promise<ReturnView | undefined>
  cancel(secret: string): Promise<CheckoutResult | undefined>
  // More time for an open session whose end is near, as far as there may be more.
  keepOpen(secret: string): Promise<CheckoutResult | undefined>
  // A new session with the same items, after this one expired or was cancelled: one for each that ended, however often it is
  // asked for. Answers with its secret.
  startAgain(secret: string): Promise<{ secret: string } | { problem: CheckoutProblem } | undefined>
}

// What the shopper sees of an order at its own secret address.
export interface OrderStatusView {
  merchant: CheckoutMerchant
  number: string
  mode: Mode
  status: OrderStatus
  paymentStatus: string
  fulfillmentStatus: string
  currency: string
  locale: string
  items: readonly {
    skuId: string
    name: string
    options: readonly { name: string; value: string }[]
    imageUrl: string | null
    quantity: number
    fulfilled: number
    // Units that the shopper may ask to return.
    returnable: number
    // Before the discount, which is a line of the totals.
    subtotal: number
    unitPrice: number
    measure: LineMeasure | null
    // Why one cannot withdraw from its purchase.
    withdrawalExempt: ItemExemption | null
  }[]
  // The oldest first.
  returns: readonly {
    number: string
    status: ReturnStatus
    isOpen: boolean
    items: readonly { name: string; quantity: number }[]
    // Numbers of the new orders.
    exchanges: readonly string[]
    // The merchant's text.
    answer: string | null
    labelUrl: string | null
  }[]
  totals: {
    subtotal: number
    discount: number
    shipping: number
    tax: number
    taxIncluded: boolean
    total: number
    taxReason?: TaxRelief
    refunded: number
    refundPending: number
  }
  shippingLabel: string | null
  addressSummary: string | null
  awaited: AwaitedMoney | null
  fulfillments: readonly {
    carrier: string | null
    trackingNumber: string | null
    trackingUrl: string | null
    at: string
  }[]
  timeline: readonly { at: string; type: string }[]
  // Invoices and credit notes, the oldest first.
  documents?: readonly Pick<AdminDocument, 'id' | 'kind' | 'number'>[]
  // It was cancelled because the money did not come in time.
  isOverdue: boolean
  placedAt: string
}

// Shown for a paid order, at its secret address.
export interface ReceiptView {
  // Made seconds after the payment.
  invoice: Pick<AdminDocument, 'id' | 'kind' | 'number'> | null
  merchant: CheckoutMerchant
  seller: LegalSeller | null
  number: string
  mode: Mode
  currency: string
  locale: string
  placedAt: string
  taxReason: TaxRelief | null
  receipt: Receipt
  paid: readonly { at: string; amount: number; card: { brand: string; last4: string } | null }[]
  // `at` is null while the money is on its way.
  refunded: readonly { at: string | null; amount: number }[]
}

export interface LegalSeller {
  name: string
  address?: readonly string[]
  vatId?: string
  registration?: string
}

export type ReceiptPort = (secret: string) => Promise<ReceiptView | undefined>

// An invoice or a credit note of the order at this secret address.
export type DocumentPort = (secret: string, documentId: string) => Promise<AdminDocument | undefined>

export type OrderStatusPort = (secret: string) => Promise<OrderStatusView | undefined>
