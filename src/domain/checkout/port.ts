// The interface between the shopper's page and a checkout session, which is found by the secret in the page's address. The page shows the
// results and posts the shopper's input; no price and no right is accepted from the browser.

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
  // Data that the shopper typed before, decrypted only for the page.
  customer: { email: string; name: string; phone: string; vatId?: string }
  // Whether a VAT number can change the tax: the shop is registered for VAT in the EU.
  asksVatId: boolean
  address: Address | null
  needsShipping: boolean
  // Countries to which the shop delivers; null if it delivers everywhere, or has no delivery settings.
  countries: readonly string[] | null
  // The app that opened the session was uninstalled, or the merchant has closed: nothing can be bought.
  isClosed: boolean
  // The merchant made the cart for the shopper, who cannot change items and discounts.
  isFixed: boolean
  // The order that the payment changes; the session charges the difference.
  change: { number: string; kind: 'edit' | 'exchange' } | null
  // The payment methods, in the order in which they are offered.
  methods: readonly CheckoutMethod[]
  // A payment that waits for the shopper's confirmation.
  challenge: { paymentId: string; amount: number } | null
  // A payment that the shopper makes at the provider.
  redirect: PaymentRedirect | null
  // Set for an order that is placed but not paid.
  awaited: AwaitedMoney | null
  order: { number: string; statusPath: string; isCancelled: boolean } | null
}

// The states that have different pages. `processing`: the outcome of a payment is not known.
export type CheckoutState = CheckoutSessionStatus | 'challenge' | 'redirect'

export interface PaymentRedirect {
  paymentId: string
  provider: string
  amount: number
  // Key of the method's name, as the shopper chose it.
  labelKey: string
  say(key: string, locale: string): string | undefined
  // Whether the shopper is known to have been at the provider: the page then lets the shopper choose whether to go there again.
  isTried: boolean
  // Undefined if it cannot be shown any more; the shopper can still go back.
  nextAction: NextAction | undefined
  // Path to which the shopper returns. It does not reveal this page.
  returnPath: string
  sources: PageSources | undefined
}

// Money that the shopper still has to pay.
export interface AwaitedMoney {
  // The merchant's text on how to pay.
  instructions: string | null
  // The order is cancelled if the money has not arrived by this time; null without a term, and for payment on delivery.
  dueAt: string | null
}

export interface CheckoutMerchant {
  slug: string
  name: string
  country: string
  timeZone: string
  supportEmail: string | null
  // Picture that replaces the name.
  logo: string | null
  // Colour of buttons, `#rrggbb`.
  color: string | null
  // Appearance settings as JSON; null: the default.
  look: string | null
  links: { terms?: string; privacy?: string; refunds?: string; imprint?: string }
  // Whether the merchant's page lets shoppers withdraw from a contract.
  offersWithdrawal: boolean
  // Whether pages show the notice on the legal guarantee.
  showsGuarantee: boolean
  // Kinds of the legal texts that this server shows.
  textKinds: readonly LegalTextKind[]
  // Paths of the pictures of the notice on the legal guarantee, by language.
  guaranteeNotices: Readonly<Record<string, string>>
}

export interface CheckoutMethod {
  provider: string
  method: string
  // Key of the method's name, such as `method.card`.
  labelKey: string
  // Key of a note below the name; null: none.
  noteKey: string | null
  // The provider's own text for a key, in the shopper's language or else in English; undefined if it has none.
  say(key: string, locale: string): string | undefined
  // The merchant's text on how to pay.
  instructions: string | null
  // Number of days in which the shopper has to pay.
  termDays: number | null
  shape: Method['shape']
  // Brands of the cards that the method accepts; empty if it accepts none, or does not say.
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

// Why a request had no effect. The page shows it in the shopper's language.
export type CheckoutProblem =
  | { code: 'stale' } // the session changed in another tab; read it again
  | { code: 'total_changed'; from: number; to: number } // only the total that was shown is charged
  | { code: 'not_open' } // the session has ended meanwhile
  | { code: 'closed' } // the page shows this without a message
  | { code: 'insufficient_stock'; skuId: string; available: number }
  | { code: 'item_unavailable'; skuId: string }
  | { code: 'consent_needed' } // for digital content, which is supplied immediately
  | { code: 'price_unavailable' } // the total exceeds an exact number
  | { code: 'quantity_limit'; skuId: string; limit: number }
  | { code: 'address_undeliverable' }
  | { code: 'shipping_unavailable' } // no shipping option for this parcel and address
  | { code: 'promotion_rejected'; reason: PromotionReason }
  | { code: 'too_many_codes' }
  | { code: 'invalid'; issues: readonly FieldProblem[] } // `/email`, `/address/city`, `/card/number` …
  | { code: 'payment_in_progress' }
  | { code: 'too_many_tries'; waitMs: number } // payments were declined too often

// An issue, or a provider's error about a field of its method, by a key of the provider's texts.
export interface FieldProblem {
  path: string
  code: string
}

export interface CheckoutResult {
  view: CheckoutView
  problem: CheckoutProblem | null
}

// For a caller that continues to another page: the view is read only if there was a problem.
export type SubmitResult = CheckoutResult | { problem: null; completed: CompletedCheckout | null }

// Data that decides where the shopper goes after paying.
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
  // The billing address that was typed, for a method that requires one; left out: the delivery address.
  billing?: Address
  // Key created when the form was rendered: the same form sent twice is one payment.
  attempt: string
  // Consents that the shopper gave.
  consents?: readonly ConsentKind[]
  // Language of the page; English if left out.
  locale?: string
  // The shopper's network, to count attempts per network.
  network?: string
}

// The page for a shopper who returns from the provider in a browser that does not know the checkout page.
export interface ReturnView {
  secretHash: string
  merchant: CheckoutMerchant
  mode: Mode
  locale: string
  state: 'placed' | 'open' | 'waiting' | 'ended'
}

// The data of a checkout that is needed to parse a posted form.
export interface CheckoutSummary {
  lines: number
  needsShipping: boolean
}

// Each operation returns undefined if no session has this secret.
export interface CheckoutPort {
  look(secret: string): Promise<CheckoutView | undefined>
  glance(secret: string): Promise<CheckoutSummary | undefined>
  // Like look, after querying the provider about a payment that the session waits for, unless it was queried within ten seconds.
  refresh(secret: string): Promise<CheckoutView | undefined>
  // The state that the page should show now. It also queries the provider, but less often.
  follow(secret: string): Promise<CheckoutState | undefined>
  changeQuantity(secret: string, version: number, skuId: string, quantity: number): Promise<CheckoutResult | undefined>
  applyCode(secret: string, version: number, code: string | null): Promise<CheckoutResult | undefined>
  // Sets contact, address and shipping option together, as they are one form of the page. A null address: nothing is shipped.
  setDetails(secret: string, version: number, details: SubmittedDetails): Promise<CheckoutResult | undefined>
  submitDetails(secret: string, version: number, details: SubmittedDetails): Promise<SubmitResult | undefined>
  pay(secret: string, input: PayInput): Promise<CheckoutResult | undefined>
  submitPayment(secret: string, input: PayInput): Promise<SubmitResult | undefined>
  answerChallenge(secret: string, paymentId: string, answer: 'accept' | 'refuse'): Promise<CheckoutResult | undefined>
  // Goes back from a redirect, to pay in another way.
  goBack(secret: string): Promise<CheckoutResult | undefined>
  // Called when the shopper returns from the provider. Returns the present state of the payment, and only the hash of the secret of its
  // page: another browser must not learn the secret.
  comeBack(token: string): Promise<ReturnView | undefined>
  cancel(secret: string): Promise<CheckoutResult | undefined>
  // Extends an open session that is about to expire, as far as allowed.
  keepOpen(secret: string): Promise<CheckoutResult | undefined>
  // Opens a new session with the same items, after this one expired or was cancelled, and returns its secret. Repeated calls return the
  // same session.
  startAgain(secret: string): Promise<{ secret: string } | { problem: CheckoutProblem } | undefined>
}

// The page of an order at its secret address.
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
    // Before the discount, which is shown with the totals.
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
    // Numbers of the orders that exchanges created.
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
  awaited: AwaitedMoney | null
  fulfillments: readonly {
    carrier: string | null
    trackingNumber: string | null
    trackingUrl: string | null
    at: string
  }[]
  timeline: readonly { at: string; type: string }[]
  // Invoices and credit notes, oldest first.
  documents?: readonly Pick<AdminDocument, 'id' | 'kind' | 'number'>[]
  // The order was cancelled because the money did not arrive in time.
  isOverdue: boolean
  placedAt: string
}

// The receipt of a paid order, at the order's secret address.
export interface ReceiptView {
  // The invoice, which is created seconds after the payment.
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
  // `at`: null while the refund is on its way.
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
