// The interface between the shopper's page and a checkout session, which is found by the secret in the address of the page. The page
// shows results and posts input; the browser is trusted with neither prices nor permissions.

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
  // The secret in the address of this page. It is part of every link of the page and is never logged.
  secret: string
  merchant: CheckoutMerchant
  // Data that the shopper entered earlier, decrypted only for this page.
  customer: { email: string; name: string; phone: string; vatId?: string }
  // Whether the shopper is asked for a VAT number: a seller registered for VAT in the EU may then charge no tax.
  asksVatId: boolean
  address: Address | null
  needsShipping: boolean
  // Countries to which the shop delivers; null if it delivers everywhere or has no shipping zones.
  countries: readonly string[] | null
  // Nothing can be bought: the installation of the app was disabled or ended, or the merchant was closed or moved to another cell.
  isClosed: boolean
  // The merchant made the cart for the shopper, who cannot change items or discounts.
  isFixed: boolean
  // The order that is edited, or whose items are exchanged, after the payment. The session charges the difference.
  change: { number: string; kind: 'edit' | 'exchange' } | null
  // The payment methods in the order in which the page lists them.
  methods: readonly CheckoutMethod[]
  // The payment that waits for the shopper's confirmation.
  challenge: { paymentId: string; amount: number } | null
  // The payment that the shopper makes on a page or in a frame of the provider.
  redirect: PaymentRedirect | null
  // Set if the order is placed but not paid.
  awaited: AwaitedPayment | null
  order: { number: string; statusPath: string; isCancelled: boolean } | null
}

// The states that have different pages. `processing`: a payment is in progress and its outcome is unknown.
export type CheckoutState = CheckoutSessionStatus | 'challenge' | 'redirect'

export interface PaymentRedirect {
  paymentId: string
  provider: string
  amount: number
  // Translation key of the name of the chosen method.
  labelKey: string
  say(key: string, locale: string): string | undefined
  // Whether the shopper has certainly been at the provider. If so, the page asks before it sends the shopper there again.
  isTried: boolean
  // Undefined if the action can no longer be shown; the shopper can still go back.
  nextAction: NextAction | undefined
  // Path to which the shopper returns. It does not contain the secret of this page.
  returnPath: string
  sources: PageSources | undefined
}

// Money that the shopper still has to pay.
export interface AwaitedPayment {
  // The merchant's text on how to pay.
  instructions: string | null
  // If the money has not arrived by this time, the order is cancelled. Null if there is no payment term, or the shopper pays on delivery.
  dueAt: string | null
}

export interface CheckoutMerchant {
  slug: string
  name: string
  country: string
  timeZone: string
  supportEmail: string | null
  // URL of a picture that is shown instead of the name.
  logo: string | null
  // Colour of buttons, as `#rrggbb`.
  color: string | null
  // Appearance settings as JSON; null for the defaults.
  look: string | null
  links: { terms?: string; privacy?: string; refunds?: string; imprint?: string }
  // Whether the merchant's page offers to withdraw from a contract.
  offersWithdrawal: boolean
  // Whether pages show the notice on the legal guarantee.
  showsGuarantee: boolean
  // Kinds of legal texts that this server publishes for the merchant.
  textKinds: readonly LegalTextKind[]
  // Paths of the pictures of the notice on the legal guarantee, by language.
  guaranteeNotices: Readonly<Record<string, string>>
}

export interface CheckoutMethod {
  provider: string
  method: string
  // Translation key of the method's name, such as `method.card`.
  labelKey: string
  // Translation key of a note below the name; null if there is none.
  noteKey: string | null
  // Returns the provider's own text for a key, in the shopper's language or in English; undefined if the provider has none.
  say(key: string, locale: string): string | undefined
  // The merchant's text on how to pay.
  instructions: string | null
  // Number of days in which the shopper has to pay.
  termDays: number | null
  shape: Method['shape']
  // Brands of the cards that the method accepts; empty if it accepts no cards or does not list the brands.
  brands: readonly string[]
  // Whether the method requires a billing address.
  billing: boolean
  fields: readonly {
    name: string
    labelKey: string
    autocomplete: string
    inputMode: 'numeric' | 'text'
    lengthMax: number
  }[]
}

// Why a request had no effect. The page explains it in the shopper's language.
export type CheckoutProblem =
  | { code: 'stale' } // the session has changed, for example in another tab; load it again
  | { code: 'total_changed'; from: number; to: number } // nothing but the total that the page showed may be charged
  | { code: 'not_open' } // the session has ended meanwhile
  | { code: 'closed' } // the page shows this without a message
  | { code: 'insufficient_stock'; skuId: string; available: number }
  | { code: 'item_unavailable'; skuId: string }
  | { code: 'consent_needed' } // the shopper must agree to the immediate supply of digital content
  | { code: 'price_unavailable' } // the total exceeds the largest safe integer
  | { code: 'quantity_limit'; skuId: string; limit: number }
  | { code: 'address_undeliverable' }
  | { code: 'shipping_unavailable' } // no shipping option for this parcel and address
  | { code: 'promotion_rejected'; reason: PromotionReason }
  | { code: 'too_many_codes' }
  | { code: 'invalid'; issues: readonly FieldProblem[] } // `/email`, `/address/city`, `/card/number` …
  | { code: 'payment_in_progress' }
  | { code: 'too_many_tries'; waitMs: number } // payments were declined too often

// An issue of the input, or a provider's error about a field of its method. `code` is then a key of the provider's texts.
export interface FieldProblem {
  path: string
  code: string
}

export interface CheckoutResult {
  view: CheckoutView
  problem: CheckoutProblem | null
}

// For a caller that continues to another page: the view is loaded only if there is a problem.
export type SubmitResult = CheckoutResult | { problem: null; completed: CompletedCheckout | null }

// Decides where the shopper goes after paying.
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
  // The total that the page showed.
  expectedTotal: number
  provider: string
  method: string
  details: Readonly<Record<string, string>>
  // The billing address that the shopper typed, if the method requires one. Default: the delivery address.
  billing?: Address
  // Idempotency key, created when the form was rendered: submitting the form twice makes one payment.
  attempt: string
  // Consents that the shopper gave.
  consents?: readonly ConsentKind[]
  // Language of the page. Default: English.
  locale?: string
  // The shopper's network, by which attempts are counted.
  network?: string
}

// For the page of a shopper who returns from the provider in a browser that does not know the checkout page.
export interface ReturnView {
  secretHash: string
  merchant: CheckoutMerchant
  mode: Mode
  locale: string
  state: 'placed' | 'open' | 'waiting' | 'ended'
}

// What is needed to know of a checkout to parse a posted form.
export interface CheckoutSummary {
  lines: number
  needsShipping: boolean
}

// All operations with a secret return undefined if no session has this secret.
export interface CheckoutPort {
  look(secret: string): Promise<CheckoutView | undefined>
  glance(secret: string): Promise<CheckoutSummary | undefined>
  // Like look, but first queries the provider about the payment that the session waits for, unless it was queried within the last ten
  // seconds.
  refresh(secret: string): Promise<CheckoutView | undefined>
  // Returns the state that the page should show now. Queries the provider like refresh, but only once a minute while the shopper is still
  // at the provider.
  follow(secret: string): Promise<CheckoutState | undefined>
  changeQuantity(secret: string, version: number, skuId: string, quantity: number): Promise<CheckoutResult | undefined>
  applyCode(secret: string, version: number, code: string | null): Promise<CheckoutResult | undefined>
  // Sets contact, address and shipping option, which are one form of the page. The address is null if nothing is shipped.
  setDetails(secret: string, version: number, details: SubmittedDetails): Promise<CheckoutResult | undefined>
  submitDetails(secret: string, version: number, details: SubmittedDetails): Promise<SubmitResult | undefined>
  pay(secret: string, input: PayInput): Promise<CheckoutResult | undefined>
  submitPayment(secret: string, input: PayInput): Promise<SubmitResult | undefined>
  answerChallenge(secret: string, paymentId: string, answer: 'accept' | 'refuse'): Promise<CheckoutResult | undefined>
  // Goes back from a redirect payment, to pay in another way.
  goBack(secret: string): Promise<CheckoutResult | undefined>
  // Called when the shopper returns from the provider. Returns the present state of the payment, with only the hash of the page's secret:
  // another browser must not learn the secret.
  comeBack(token: string): Promise<ReturnView | undefined>
  cancel(secret: string): Promise<CheckoutResult | undefined>
  // Extends an open session to half an hour from now, up to the maximum duration.
  keepOpen(secret: string): Promise<CheckoutResult | undefined>
  // After this session expired or was cancelled, opens a new one with the same items and returns its secret. Repeated calls return the
  // same session.
  startAgain(secret: string): Promise<{ secret: string } | { problem: CheckoutProblem } | undefined>
}

// The page of an order, at its secret address.
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
    // Units that the shopper may still return.
    returnable: number
    // Before discounts, which are shown with the totals.
    subtotal: number
    unitPrice: number
    measure: LineMeasure | null
    // Why the right of withdrawal does not apply to the item.
    withdrawalExempt: ItemExemption | null
  }[]
  // Oldest first.
  returns: readonly {
    number: string
    status: ReturnStatus
    isOpen: boolean
    items: readonly { name: string; quantity: number }[]
    // Numbers of the orders that were placed by exchanges.
    exchanges: readonly string[]
    // The merchant's reply to the shopper.
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
  awaited: AwaitedPayment | null
  fulfillments: readonly {
    carrier: string | null
    trackingNumber: string | null
    trackingUrl: string | null
    at: string
  }[]
  timeline: readonly { at: string; type: string }[]
  // Invoices and credit notes, oldest first.
  documents?: readonly Pick<AdminDocument, 'id' | 'kind' | 'number'>[]
  // Whether the order was cancelled because the money did not arrive in time.
  isOverdue: boolean
  placedAt: string
}

// The receipt of a paid order, at the order's secret address.
export interface ReceiptView {
  // Null at first: the invoice is created some seconds after the payment.
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
  // `at`: null while the refund is pending.
  refunded: readonly { at: string | null; amount: number }[]
}

export interface LegalSeller {
  name: string
  address?: readonly string[]
  vatId?: string
  registration?: string
}

export type ReceiptPort = (secret: string) => Promise<ReceiptView | undefined>

// Returns an invoice or a credit note of the order with this secret address.
export type DocumentPort = (secret: string, documentId: string) => Promise<AdminDocument | undefined>

export type OrderStatusPort = (secret: string) => Promise<OrderStatusView | undefined>
