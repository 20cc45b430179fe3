// Every public word, spelled once. A list has the order in which the reference shows it, and its type is the union of its words.

// Scopes of what an installation does for its shoppers.
export const openInterfaceScopes = ['webhooks:read', 'webhooks:write', 'catalog:read', 'checkout:quote'] as const
export type OpenInterfaceScope = (typeof openInterfaceScopes)[number]

// Scopes of what a person or a key may do for a merchant as a whole. `admin:read` shows everything except secrets and personal data.
export const adminScopes = [
  'admin:read',
  'admin:catalog',
  'admin:orders',
  'admin:refunds',
  'admin:customers',
  'admin:settings',
  'admin:developers',
  'admin:people',
] as const
export type AdminScope = (typeof adminScopes)[number]

export const scopes = [...openInterfaceScopes, ...adminScopes] as const
export type Scope = (typeof scopes)[number]

// custom: scopes that were chosen one by one.
export const roles = ['owner', 'staff', 'viewer', 'custom'] as const
export type Role = (typeof roles)[number]

export const memberStatuses = ['active', 'disabled', 'invited'] as const

const stabilities = ['stable', 'candidate', 'extension'] as const
export type Stability = (typeof stabilities)[number]

export const modes = ['test', 'live'] as const
export type Mode = (typeof modes)[number]

// Units in which the content of a SKU is measured, and bases of its unit price.
export const measureUnits = ['mg', 'g', 'kg', 'ml', 'cl', 'l', 'm3', 'mm', 'cm', 'm', 'cm2', 'm2', 'piece'] as const
export type MeasureUnit = (typeof measureUnits)[number]
export const measureBases = ['kg', '100g', 'l', '100ml', 'm3', 'm', 'm2', 'piece'] as const
export type MeasureBase = (typeof measureBases)[number]

// The noun of a record and the prefix of its id.
export const idPrefixes = {
  merchant: 'mer',
  installation: 'ins',
  credential: 'key',
  app: 'app',
  user: 'usr',
  invitation: 'inv',
  userSession: 'uss',
  category: 'cat',
  product: 'prd',
  sku: 'sku',
  picture: 'pic',
  cart: 'cart',
  address: 'adr',
  promotion: 'prm',
  checkoutSession: 'cks',
  order: 'ord',
  payment: 'pay',
  paymentAccount: 'pac',
  refund: 'rfd',
  dispute: 'dsp',
  moneyEntry: 'mny',
  cancellation: 'can',
  fulfillment: 'ful',
  orderNote: 'nte',
  orderEdit: 'edt',
  document: 'doc',
  return: 'ret',
  withdrawal: 'wdr',
  customer: 'cst',
  draft: 'dft',
  customerCode: 'cod',
  customerSession: 'cus',
  customerAddress: 'cad',
  change: 'chg',
  transfer: 'trf',
  redirect: 'rdr',
  maker: 'mkr',
  webhookEndpoint: 'whe',
  event: 'evt',
  webhookDelivery: 'whd',
  platform: 'plt',
  request: 'req',
} as const
export type IdNoun = keyof typeof idPrefixes
export type IdPrefix = (typeof idPrefixes)[IdNoun]

// Statuses of the online store.
export const siteStatuses = ['open', 'closed'] as const
export type SiteStatus = (typeof siteStatuses)[number]

export const pageMenus = ['head', 'foot', 'none'] as const
export type PageMenu = (typeof pageMenus)[number]

export const siteFonts = ['system', 'classic', 'slab', 'rounded'] as const
export type SiteFont = (typeof siteFonts)[number]
export const siteCorners = ['round', 'soft', 'square'] as const
export type SiteCorners = (typeof siteCorners)[number]
export const siteDensities = ['airy', 'dense'] as const
export type SiteDensity = (typeof siteDensities)[number]
export const siteSchemes = ['auto', 'light', 'dark'] as const
export type SiteScheme = (typeof siteSchemes)[number]
export const sectionKinds = ['hero', 'products', 'categories', 'text', 'picture', 'columns', 'notice'] as const
export type SectionKind = (typeof sectionKinds)[number]
export const productSources = ['newest', 'category', 'chosen'] as const
export type ProductSource = (typeof productSources)[number]
export const linkKinds = ['category', 'page', 'product', 'all', 'address'] as const

export const redirectCauses = ['merchant', 'rename', 'removal', 'import'] as const
export type RedirectCause = (typeof redirectCauses)[number]

// Why shoppers cannot withdraw from a contract about a product (Directive 2011/83/EU, Art. 16).
export const withdrawalExemptions = [
  'made_to_measure',
  'perishable',
  'sealed_hygiene',
  'sealed_media',
  'mixed_with_others',
  'periodical',
  'price_fluctuates',
  'dated_service',
] as const
export type WithdrawalExemption = (typeof withdrawalExemptions)[number]

// Exemptions of an order's items: with the shopper's consent, also digital content.
export const itemExemptions = [...withdrawalExemptions, 'digital_content'] as const
export type ItemExemption = (typeof itemExemptions)[number]

// Consents that a shopper gives at the checkout, in addition to the purchase.
export const consentKinds = ['digital_content'] as const
export type ConsentKind = (typeof consentKinds)[number]
// Must change whenever the sentences of the consents in web/languages/checkout/ change.
export const consentTextVersion = '2026-11-18'

// What a path of an online store shows.
export const pathKinds = ['product', 'category', 'page', 'moved', 'gone', 'missing'] as const

// Why a host is not verified. not_found: its name does not resolve. not_answering: another server answers. unreachable: no server
// answers. taken: another shop has the host.
export const hostProblems = ['not_found', 'not_answering', 'unreachable', 'taken'] as const
export type HostProblem = (typeof hostProblems)[number]

export const installationStatuses = ['active', 'suspended', 'ended'] as const
export type InstallationStatus = (typeof installationStatuses)[number]

// `publishable`: used by the pages of a storefront, so anyone who opens a page can read the key.
export const keyKinds = ['secret', 'publishable'] as const
export type KeyKind = (typeof keyKinds)[number]

// Scopes of publishable keys, which are limited to carts and checkouts that such keys created.
export const publishableScopes = ['catalog:read', 'checkout:quote'] as const satisfies readonly OpenInterfaceScope[]

// `expiring`: replaced by a rotation, and accepted until it expires.
export const credentialStatuses = ['active', 'expiring', 'expired', 'revoked'] as const
export type CredentialStatus = (typeof credentialStatuses)[number]

// What happens if a SKU is sold out. not_counted: its stock is not counted, so it never sells out.
export const soldOutRules = ['refuse', 'backorder', 'not_counted'] as const
export type SoldOutRule = (typeof soldOutRules)[number]

export const shippingTaxRules = ['goods', 'standard'] as const
export type ShippingTaxRule = (typeof shippingTaxRules)[number]

export const customerNamesRules = ['shown', 'masked'] as const
export type CustomerNamesRule = (typeof customerNamesRules)[number]

export const availabilities = ['in_stock', 'low_stock', 'backorder', 'out_of_stock'] as const
export type Availability = (typeof availabilities)[number]

export const cartStatuses = ['open', 'locked', 'converted', 'expired'] as const
export type CartStatus = (typeof cartStatuses)[number]

// `price_unavailable`: the amounts are too large to be exact, so they are shown as 0, and the cart cannot be paid. `no_shipping_option`:
// an item must be sent and no option ships to the address, so the cart cannot be paid.
export const cartMessageCodes = [
  'price_unavailable',
  'price_changed',
  'item_unavailable',
  'insufficient_stock',
  'quantity_limit_exceeded',
  'promotion_pending',
  'promotion_lapsed',
  'promotion_rejected',
  'address_expired',
  'no_shipping_option',
  'shipping_changed',
] as const

export const promotionTypes = ['percentage', 'fixed_amount', 'free_shipping'] as const
export type PromotionType = (typeof promotionTypes)[number]

export const promotionStates = ['none', 'applied', 'pending', 'rejected'] as const
export type PromotionState = (typeof promotionStates)[number]

// Promotion states that a cart stores. A rejected code is only in the response, and not stored.
export const cartPromotionStates = ['none', 'applied', 'pending'] as const

export const promotionReasons = [
  'not_found',
  'not_started',
  'expired',
  'disabled',
  'minimum_not_met',
  'usage_limit_reached',
  'customer_limit_reached',
  'no_eligible_items',
  'currency_mismatch',
  'no_shipping_to_discount',
] as const
export type PromotionReason = (typeof promotionReasons)[number]

export const checkoutSessionStatuses = ['open', 'processing', 'completed', 'cancelled', 'expired'] as const
export type CheckoutSessionStatus = (typeof checkoutSessionStatuses)[number]

// `pending`: the session is completed and its payment is still expected. A completed session is `unpaid` if the payment of its order was
// voided, as after a cancellation.
export const checkoutPaymentStatuses = ['unpaid', 'processing', 'pending', 'paid'] as const
export type CheckoutPaymentStatus = (typeof checkoutPaymentStatuses)[number]

// `none`: no item of the session needs stock. `lapsed`: the hold expired; the stock is held again at payment.
export const holdStatuses = ['none', 'held', 'lapsed', 'released', 'consumed'] as const

export const sessionCancellationReasons = [
  'customer_request',
  'abandoned',
  'price_changed',
  'fraud_suspected',
  'other',
] as const

// `system`: the app that opened the session was uninstalled.
export const sessionCancellers = ['api', 'shopper', 'system'] as const

export const paymentErrorCodes = [
  'declined',
  'insufficient_funds',
  'card_expired',
  'incorrect_details',
  'authentication_failed',
  'fraud_suspected',
  'method_unavailable',
  'provider_error',
] as const
export type PaymentErrorCode = (typeof paymentErrorCodes)[number]

export const orderStatuses = ['placed', 'processing', 'completed', 'cancelled'] as const
export type OrderStatus = (typeof orderStatuses)[number]

// Statuses of an order that the merchant makes for a shopper. `paying`: a payment is in progress.
export const draftStatuses = ['open', 'paying', 'paid', 'cancelled', 'expired'] as const
export type DraftStatus = (typeof draftStatuses)[number]

export const orderPaymentStatuses = [
  'pending',
  'paid',
  'partially_refunded',
  'refunding',
  'refunded',
  'voided',
] as const
export type OrderPaymentStatus = (typeof orderPaymentStatuses)[number]

export const fulfillmentStatuses = ['unfulfilled', 'partially_fulfilled', 'fulfilled'] as const
export type FulfillmentStatus = (typeof fulfillmentStatuses)[number]

// Carriers whose tracking links are derived from the parcel's number. Other carriers may be named too, but need their own link.
export const carrierNames = ['DHL', 'UPS', 'DPD', 'GLS', 'FedEx', 'Royal Mail', 'La Poste', 'PostNL', 'USPS'] as const
export type CarrierName = (typeof carrierNames)[number]

export const paymentStatuses = ['processing', 'pending', 'succeeded', 'declined', 'voided'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

// Problems of a merchant's account at a payment provider.
export const paymentAccountProblems = ['key_refused', 'permission_missing', 'notices_refused'] as const
export type PaymentAccountProblem = (typeof paymentAccountProblems)[number]

// Payments without a provider: a transfer to the merchant's bank, or cash on delivery.
export const manualMethods = ['bank_transfer', 'cash_on_delivery'] as const
export type ManualMethod = (typeof manualMethods)[number]

export const refundStatuses = ['pending', 'succeeded', 'failed'] as const
export type RefundStatus = (typeof refundStatuses)[number]

// Endings of prices that were changed by a percentage.
export const priceEndings = ['99', '95', 'whole'] as const
export type PriceEnding = (typeof priceEndings)[number]

export const disputeStatuses = ['open', 'won', 'lost'] as const
export type DisputeStatus = (typeof disputeStatuses)[number]

// An invoice is made when an order is paid, a credit note when money is refunded.
export const documentKinds = ['invoice', 'credit_note'] as const
export type DocumentKind = (typeof documentKinds)[number]

// `refund_failed`: a refund failed after it had succeeded. A new invoice then reverses the credit note.
export const documentCauses = ['order_paid', 'refund_paid', 'refund_failed'] as const
export type DocumentCause = (typeof documentCauses)[number]

// Why no tax is charged on a whole order. `intra_community`: goods sent to a business in another state of the EU; `reverse_charge`: items
// that are not sent, such as digital content.
export const taxReliefs = ['reverse_charge', 'intra_community', 'export', 'small_business'] as const
export type TaxRelief = (typeof taxReliefs)[number]

// Whether no tax is charged because of the buyer's VAT number.
export function isByVatNumber(relief: TaxRelief | null): boolean {
  return relief === 'intra_community' || relief === 'reverse_charge'
}

// Why no tax is charged on a line. `zero_rate`: the rate is zero.
export const taxReasons = [...taxReliefs, 'zero_rate'] as const
export type TaxReason = (typeof taxReasons)[number]

// Statuses of a buyer's VAT number. `unavailable`: the register did not answer.
export const vatStatuses = ['pending', 'valid', 'invalid', 'unavailable'] as const
export type VatStatus = (typeof vatStatuses)[number]

// Whether the buyer's name matches the business that the register knows.
export const vatNameMatches = ['match', 'differs', 'unknown'] as const
export type VatNameMatch = (typeof vatNameMatches)[number]

export const orderCancellationReasons = [
  'customer_request',
  'out_of_stock',
  'fraud_suspected',
  'duplicate',
  'other',
] as const
export type OrderCancellationReason = (typeof orderCancellationReasons)[number]

// `system`: the payment term expired. `operator`: at the command line.
export const orderCancellers = ['api', 'operator', 'system'] as const
export type OrderCanceller = (typeof orderCancellers)[number]

export const cancellationStatuses = ['completed', 'refund_pending', 'refund_failed'] as const
export type CancellationStatus = (typeof cancellationStatuses)[number]

// A statement of withdrawal (Directive 2011/83/EU, Art. 11a). `received`: the merchant has not settled it yet.
export const withdrawalStatuses = ['received', 'settled'] as const
export type WithdrawalStatus = (typeof withdrawalStatuses)[number]

// `accepted`: the goods are returned or the money is refunded. `declined`: there is no right of withdrawal, and the shopper knows why.
// `unknown`: the statement names no order of the shop.
export const withdrawalOutcomes = ['accepted', 'declined', 'unknown'] as const
export type WithdrawalOutcome = (typeof withdrawalOutcomes)[number]

// `guarantee`: not a text but the address of a picture, the harmonised notice on the legal guarantee (Implementing Regulation (EU) 2025/1960).
// biome-ignore format: a list of words
export const legalTextKinds = [
  'terms', 'withdrawal', 'privacy', 'imprint', 'accessibility', 'shipping', 'guarantee',
] as const
export type LegalTextKind = (typeof legalTextKinds)[number]

// Duties of a shop under the law of a country that it sells to; dates and sources are in `platform/kit/duties.ts`.
// biome-ignore format: a list of words
export const dutyIds = [
  'seller', 'confirmation', 'privacy', 'imprint', 'withdrawal', 'order_button', 'prior_price', 'accessibility',
  'unit_price', 'product_safety', 'guarantee', 'delivery', 'digital',
] as const
export type DutyId = (typeof dutyIds)[number]

// `by_hand`: the server cannot tell whether the duty is done or applies; a person must check.
export const dutyStatuses = ['done', 'missing', 'by_hand', 'not_needed'] as const
export type DutyStatus = (typeof dutyStatuses)[number]

// What a merchant must provide: name, address and e-mail of the seller, the content of every SKU, the maker of every product, the
// responsible person in the EU for makers outside of it, a legal text, or the notice on the legal guarantee.
export const dutyNeeds = ['seller', 'measures', 'makers', 'responsible', ...legalTextKinds] as const
export type DutyNeed = (typeof dutyNeeds)[number]

// The languages of the hosted pages.
export const textLanguages = ['en', 'de', 'fr', 'es', 'nl', 'ja', 'ar'] as const
// Languages of the hosted pages in which the harmonised notice on the legal guarantee exists: official languages of the EU.
export const noticeLanguages = [
  'en',
  'de',
  'fr',
  'es',
  'nl',
] as const satisfies readonly (typeof textLanguages)[number][]
export type TextLanguage = (typeof textLanguages)[number]

export const orderTimelineTypes = [
  'placed',
  'paid',
  'processing',
  'partially_fulfilled',
  'fulfilled',
  'completed',
  'cancelled',
  'refund_started',
  'refund_failed',
  'partially_refunded',
  'refunded',
  'voided',
  'edited',
] as const
export type OrderTimelineType = (typeof orderTimelineTypes)[number]

// Statuses of a return of goods. The first three are open: an order has at most one open return.
export const returnStatuses = ['requested', 'approved', 'received', 'refused', 'closed'] as const
export type ReturnStatus = (typeof returnStatuses)[number]

export const returnReasons = [
  'changed_mind',
  'does_not_fit',
  'damaged',
  'wrong_item',
  'not_as_described',
  'late',
  'other',
] as const
export type ReturnReason = (typeof returnReasons)[number]

export const returnWishes = ['refund', 'exchange'] as const
export type ReturnWish = (typeof returnWishes)[number]

export const returnOpeners = ['shopper', 'merchant'] as const
export type ReturnOpener = (typeof returnOpeners)[number]

export const endpointStatuses = ['enabled', 'disabled', 'paused'] as const
export type EndpointStatus = (typeof endpointStatuses)[number]
// Statuses that a merchant may set. Only the server or the operator disables an endpoint.
export const settableEndpointStatuses = ['enabled', 'paused'] as const

// `gone`: the receiver answered 410. `failing`: too many deliveries failed in a row for too long. `operator`: at the command line.
export const endpointDisabledReasons = ['gone', 'failing', 'operator'] as const
export type EndpointDisabledReason = (typeof endpointDisabledReasons)[number]

export const deliveryStatuses = [
  'pending',
  'sending',
  'retrying',
  'held',
  'succeeded',
  'failed',
  'blocked',
  'discarded',
] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

export const eventSubjects = [
  'cart',
  'checkout_session',
  'order',
  'draft',
  'document',
  'return',
  'sku',
  'product',
  'promotion',
  'installation',
  'merchant',
  'withdrawal',
  'webhook_endpoint',
  'webhook_delivery',
] as const
export type EventSubject = (typeof eventSubjects)[number]

export const eventKinds = [
  'cart.created',
  'cart.updated',
  'cart.converted',
  'cart.expired',
  'checkout_session.created',
  'checkout_session.completed',
  'checkout_session.payment_failed',
  'checkout_session.cancelled',
  'checkout_session.expired',
  'order.placed',
  'order.paid',
  'order.processing',
  'order.fulfilled',
  'order.completed',
  'order.cancelled',
  'order.refunded',
  'order.refund_failed',
  'order.returned',
  'draft.created',
  'draft.updated',
  'draft.completed',
  'draft.cancelled',
  'draft.expired',
  'order.edited',
  'document.issued',
  'return.requested',
  'return.approved',
  'return.refused',
  'return.received',
  'return.exchanged',
  'return.closed',
  'withdrawal.received',
  'inventory.low',
  'inventory.depleted',
  'inventory.replenished',
  'promotion.exhausted',
  'app.installed',
  'app.uninstalled',
  'product.created',
  'product.updated',
  'product.unpublished',
  'promotion.created',
  'promotion.updated',
  'shop.updated',
  'webhook.endpoint_disabled',
  'webhook.delivery_failed',
  'webhook.ping',
  'webhook.fixture',
] as const
export type EventKind = (typeof eventKinds)[number]

// Kinds of resources that entries in the list of changes are about.
export const changeSubjects = [
  'merchant',
  'category',
  'maker',
  'product',
  'sku',
  'stock',
  'picture',
  'taxes',
  'shipping',
  'promotion',
  'payment_method',
  'payment_account',
  'site',
  'site_host',
  'site_page',
  'site_content',
  'redirect',
  // The e-mail settings. The list of changes stores the word, so it cannot be renamed.
  'letters',
  'installation',
  'app',
  'key',
  'webhook',
  'webhook_delivery',
  'member',
  'invitation',
  'people',
  'order',
  'fulfillment',
  'refund',
  'payment',
  'order_note',
  'return',
  'withdrawal',
  'customer',
  'customer_note',
  'draft',
  'document',
  'legal_text',
  'transfer',
  'agents',
  'agent_platform',
] as const
export type ChangeSubject = (typeof changeSubjects)[number]

// Outcomes of a payment that a person may record.
export const closedOutcomes = ['succeeded', 'declined'] as const
export type ClosedOutcome = (typeof closedOutcomes)[number]

// Kinds of resources whose changes can be undone, and the scope that undoing needs in addition to the right to see the entry. For a
// fulfillment, only the tracking can be undone.
export const undoScopes = {
  product: 'admin:catalog',
  sku: 'admin:catalog',
  stock: 'admin:catalog',
  category: 'admin:catalog',
  maker: 'admin:catalog',
  promotion: 'admin:catalog',
  merchant: 'admin:settings',
  taxes: 'admin:settings',
  shipping: 'admin:settings',
  payment_method: 'admin:settings',
  site: 'admin:settings',
  agents: 'admin:settings',
  agent_platform: 'admin:settings',
  site_host: 'admin:settings',
  site_page: 'admin:settings',
  site_content: 'admin:settings',
  redirect: 'admin:settings',
  fulfillment: 'admin:orders',
  draft: 'admin:orders',
} as const satisfies Partial<Record<ChangeSubject, AdminScope>>
export type UndoableSubject = keyof typeof undoScopes

export const changeKinds = ['create', 'change', 'retire', 'look'] as const

// Why a picture of an imported product could not be copied from another server. `limit`: the shop has reached its maximum number of
// pictures.
export const remotePictureProblems = [
  ...['forbidden', 'missing', 'unreachable', 'too_slow', 'too_large'],
  ...['not_a_picture', 'limit'],
] as const
export type RemotePictureProblem = (typeof remotePictureProblems)[number]

// `app`: an installed app with an access token. `operator`: at the command line. `loop`: a background job of the server.
export const actorKinds = ['person', 'key', 'app', 'operator', 'loop'] as const
export type ActorKind = (typeof actorKinds)[number]

// `published`: in the catalog. `hidden`: not in the catalog. `archived`: no longer sold.
export const productStatuses = ['published', 'hidden', 'archived'] as const
export type ProductStatus = (typeof productStatuses)[number]

// Whether a shopper could use a promotion now, apart from the contents of the cart. If several statuses apply, the first one is used.
export const promotionStatuses = ['disabled', 'expired', 'scheduled', 'exhausted', 'active'] as const
export type PromotionStatus = (typeof promotionStatuses)[number]

export const movementKinds = ['opening', 'set', 'sold', 'restocked'] as const
export type MovementKind = (typeof movementKinds)[number]

// Kinds of data in imported and exported files.
export const importKinds = ['products', 'stock'] as const
export type ImportKind = (typeof importKinds)[number]

// What a column of a product file may contain if the file is from an unknown system.
// biome-ignore format: a list of words
export const columnMeanings = [
  'title', 'price', 'sku', 'product', 'option', 'compareAtPrice', 'quantity', 'description', 'brand', 'category', 'tags', 'barcode',
  'weightGrams', 'weightKilograms', 'picture',
] as const
export type ColumnMeaning = (typeof columnMeanings)[number]

export const exportKinds = ['products', 'stock', 'orders', 'returns', 'drafts', 'promotions', 'google', 'acp'] as const

export const transferStates = ['receiving', 'planning', 'columns', 'ready', 'writing', 'done', 'failed'] as const
export type TransferState = (typeof transferStates)[number]
