// Printed from the contract by `npm run client:print`. Do not edit.

import type { CallOptions, List, ListOptions } from '../call.ts'

/** One method for each operation of the open surface. */
export interface ShopClient {
  webhooks: {
    /** List webhook endpoints. The webhook endpoints of the installation, oldest first, each with its newest deliveries. Needs the scope `webhooks:read`. (listInstallationWebhooks) */
    endpoints(options?: CallOptions): Promise<{ data: WebhookEndpoints }>
    /** Get a signature fixture. Test vectors to prove a receiver offline, and a proof that it holds the right secret. Needs the scope `webhooks:read`. (getInstallationWebhookSignatureFixture) */
    signatureFixture(id: string, options?: CallOptions): Promise<{ data: WebhookSignatureFixture }>
    /** Replay a webhook delivery. Sends the same event once more as a new delivery: same event id and bytes, fresh signature. Needs the scope `webhooks:write`. (replayInstallationWebhookDelivery) */
    replay(id: string, input?: PublicWebhookReplayRequest, options?: CallOptions): Promise<{ data: WebhookReplay }>
  }
  checkout: {
    /** Create a checkout session. Opens a hosted page for a cart, or for items that become a cart, and holds the stock. A cart has one open session: creating again returns it, re-quoted and with the new addresses. `{sessionId}` in `successUrl` and `cancelUrl` becomes the id of the session, so the page there can read it with `getHostedCheckoutSession`. Needs the scope `catalog:read`. (createHostedCheckoutSession) */
    create(input: HostedCheckoutCreateRequest, options?: CallOptions): Promise<HostedCheckoutSessionResponse>
    /** Get a checkout session. The session as it is now. Past its time it answers expired. Once it is completed, `statusUrl` is the page of the order for the shopper. Needs the scope `catalog:read`. (getHostedCheckoutSession) */
    get(sessionId: string, options?: CallOptions): Promise<HostedCheckoutSessionResponse>
    /** Cancel a checkout session. Ends an open session and releases its stock. The cart stays open. Needs the scope `catalog:read`. (cancelHostedCheckoutSession) */
    cancel(sessionId: string, input?: HostedCheckoutCancelRequest, options?: CallOptions): Promise<HostedCheckoutSessionResponse>
  }
  /** Get the identity of the credential. Who the key is: its scopes, installation, merchant and limits. (getInstallationCredentialIdentity) */
  identity(options?: CallOptions): Promise<InstallationCredentialIdentityResponse>
  catalog: {
    /** List categories. In order of position, name and id; at most 100. `meta.next` leads to the rest. (listApiKeyCatalogCategories) */
    categories(options?: ListOptions): List<PublicCatalogCategoryListResponse, Category>
    /** List products. Published products, newest publication first; at most 100. `meta.next` leads to the rest. (listApiKeyCatalogProducts) */
    products(options?: ListOptions): List<PublicCatalogProductListResponse, ProductSummary>
    /** Get a product. One published product with its SKUs, by its slug. (getApiKeyCatalogProduct) */
    product(slug: string, options?: CallOptions): Promise<PublicCatalogProductDetailResponse>
    /** Get a product of a merchant. The same product for anyone, from any origin, cacheable: its `ETag`, sent as `If-None-Match`, is answered by 304. `availableQuantity` is null and `metadata` is empty here. (getPublicMerchantProduct) */
    merchantProduct(merchantSlug: string, productSlug: string, options?: CallOptions): Promise<PublicCatalogProductDetailResponse>
    /** Search products. Published products by words, category, price, stock, tag and options, with what the result can be narrowed by. Needs `q` or a filter. Nothing found is 200 with an empty list. Needs the scope `catalog:read`. (searchCatalogProducts) */
    search(query?: {
      /** Words in any order. Each must occur in the name, brand, tags, category names, option values, SKU codes, barcodes or description. The last may be half typed. */
      q?: string | undefined
      /** Slug of a category. Includes the categories below it. */
      category?: string | undefined
      /** A whole brand. Case does not matter. Repeatable: several are alternatives. */
      brand?: string[] | undefined
      /** In minor units. Products with a SKU at this price or above. */
      minPrice?: number | undefined
      /** In minor units. Products with a SKU at this price or below. */
      maxPrice?: number | undefined
      /** Only products with units to sell now. */
      inStock?: true | undefined
      /** A whole tag. Case does not matter. */
      tag?: string | undefined
      /** Name and value, `Colour:Plum`. Repeatable: values of one name are alternatives. */
      option?: string[] | undefined
      /** Default: relevance, or newest without `q`. */
      sort?: 'relevance' | 'newest' | 'price_asc' | 'price_desc' | 'name' | undefined
      /** Products in an answer (default: 24). */
      limit?: number | undefined
    }, options?: ListOptions): List<ProductSearchResponse, ProductSummary>
    /** Search products of a merchant. The same search for anyone, from any origin, cacheable. (searchMerchantProducts) */
    searchMerchant(merchantSlug: string, query?: {
      /** Words in any order. Each must occur in the name, brand, tags, category names, option values, SKU codes, barcodes or description. The last may be half typed. */
      q?: string | undefined
      /** Slug of a category. Includes the categories below it. */
      category?: string | undefined
      /** A whole brand. Case does not matter. Repeatable: several are alternatives. */
      brand?: string[] | undefined
      /** In minor units. Products with a SKU at this price or above. */
      minPrice?: number | undefined
      /** In minor units. Products with a SKU at this price or below. */
      maxPrice?: number | undefined
      /** Only products with units to sell now. */
      inStock?: true | undefined
      /** A whole tag. Case does not matter. */
      tag?: string | undefined
      /** Name and value, `Colour:Plum`. Repeatable: values of one name are alternatives. */
      option?: string[] | undefined
      /** Default: relevance, or newest without `q`. */
      sort?: 'relevance' | 'newest' | 'price_asc' | 'price_desc' | 'name' | undefined
      /** Products in an answer (default: 24). */
      limit?: number | undefined
    }, options?: ListOptions): List<ProductSearchResponse, ProductSummary>
    /** List products of a merchant. Published products, newest publication first; at most 100. For anyone, from any origin, cacheable. `meta.next` leads to the rest. (listMerchantProducts) */
    merchantProducts(merchantSlug: string, options?: ListOptions): List<MerchantProductListResponse, ProductSummary>
    /** List categories of a merchant. In order of position, name and id; at most 100. For anyone, from any origin, cacheable. `meta.next` leads to the rest. (listMerchantCategories) */
    merchantCategories(merchantSlug: string, options?: ListOptions): List<MerchantCategoryListResponse, Category>
    /** List related products. Products that share categories, tags or the brand with this one, and are in stock. What few products share counts more. (listRelatedProducts) */
    related(slug: string, query?: {
      /** Products in the answer (default: 8). */
      limit?: number | undefined
    }, options?: CallOptions): Promise<RelatedProductListResponse>
    /** List suggestions. What a search field shows while a shopper types: the first products of the search, and categories of that name. (listSearchSuggestions) */
    suggest(query: {
      /** What was typed so far. */
      q: string
      /** Products in the answer (default: 6). */
      limit?: number | undefined
    }, options?: CallOptions): Promise<SearchSuggestionListResponse>
  }
  orders: {
    /** List orders. Newest first; at most 100. `data.next` leads to the rest. Needs the scope `catalog:read`. (listStorefrontOrders) */
    list(options?: ListOptions): List<StorefrontOrderListResponse, OrderSummary>
    /** Get an order. One order with its items, payments, refunds and fulfilments, and the page on which the shopper follows it. Needs the scope `catalog:read`. (getStorefrontOrder) */
    get(orderId: string, options?: CallOptions): Promise<StorefrontOrderDetailResponse>
    /** Cancel an order. Cancels the order, puts its items back into stock and owes the refund, all at once. The money follows. Needs the scope `catalog:read`. (cancelStorefrontOrder) */
    cancel(orderId: string, input?: StorefrontOrderTransitionRequest, options?: CallOptions): Promise<StorefrontOrderCancellationResponse>
  }
  carts: {
    /** Get a cart. The cart, priced now. Needs the scope `catalog:read`. (getPublicCart) */
    get(cartId: string, options?: CallOptions): Promise<PublicCartResponse>
    /** Change the quantity of an item. Sets the quantity of an item that is in the cart. 0 removes it. Needs the scope `catalog:read`. (updatePublicCartItemQuantity) */
    updateItem(cartId: string, skuId: string, input: PublicCartQuantityUpdateRequest, options?: CallOptions): Promise<PublicCartResponse>
    /** Remove an item. Takes an item out of the cart. The request has a body, for its idempotency key. Needs the scope `catalog:read`. (removePublicCartItem) */
    removeItem(cartId: string, skuId: string, input?: PublicCartTransitionRequest, options?: CallOptions): Promise<PublicCartResponse>
    /** Apply a promotion code. Puts a code on the cart or takes it off. A code that does not apply is a 200 with its state and reason. Needs the scope `checkout:quote`. (applyPublicCartPromotion) */
    applyPromotion(cartId: string, input: PublicCartPromotionApplyRequest, options?: CallOptions): Promise<PublicCartPromotionStateResponse>
    /** Set the address. Seals the address and answers a token for it, the shipping options and the new totals. Needs the scope `checkout:quote`. (setPublicCartAddress) */
    setAddress(cartId: string, input: PublicCartAddressSetRequest, options?: CallOptions): Promise<PublicCartAddressTokenResponse>
    /** Create a cart. Makes an open cart, empty or with items. Needs the scope `checkout:quote`. (createPublicCart) */
    create(input?: PublicCartCreateRequest, options?: CallOptions): Promise<PublicCartExtensionResponse>
    /** Put an item into a cart. Sets the quantity of a SKU, and adds the line if it is missing. Needs the scope `checkout:quote`. (putPublicCartItem) */
    putItem(cartId: string, skuId: string, input: PublicCartItemPutRequest, options?: CallOptions): Promise<PublicCartExtensionResponse>
    /** Choose a shipping option. Chooses one of the options that the cart offers for its address. They are in `shipping.options` of the cart and of its checkout session, each with its price; the first is taken until one is chosen. The page of an open session shows the choice. Needs the scope `checkout:quote`. (setPublicCartShipping) */
    setShipping(cartId: string, input: PublicCartShippingSetRequest, options?: CallOptions): Promise<PublicCartExtensionResponse>
    /** Estimate shipping. What it costs to send the cart to a country, before there is an address: the options, and the totals with the tax of that country. Changes nothing. Needs the scope `catalog:read`. (estimatePublicCartShipping) */
    estimateShipping(cartId: string, query: {
      /** ISO 3166-1 alpha-2 code. */
      country: string
      /** State or province, where taxes depend on it. */
      region?: string | undefined
    }, options?: CallOptions): Promise<PublicCartShippingEstimateResponse>
  }
  site: {
    /** Get the site. What a storefront says of the shop: name, currency, look, legal pages, countries, and whether the shop that this server shows is open. (getSite) */
    get(options?: CallOptions): Promise<SiteResponse>
    /** Get a page of the shop. A page that the merchant wrote, such as About or Terms. `getSite` lists them. (getPage) */
    page(slug: string, options?: CallOptions): Promise<SitePageResponse>
    /** Resolve a path of the shop. What is at a path: a product, a category, a page, or where an old path leads. A storefront asks before it answers 404: `moved` is a 301, `gone` a 410, `missing` a 404. Paths of Shopify and WooCommerce lead to the same things here. (resolvePath) */
    resolve(query: {
      /** A path of the shop, without its query. */
      path: string
    }, options?: CallOptions): Promise<SitePathResponse>
    /** Get the site of a merchant. The same for anyone, from any origin, cacheable. (getMerchantSite) */
    ofMerchant(merchantSlug: string, options?: CallOptions): Promise<SiteResponse>
  }
  customer: {
    /** Request a code for a shopper. Sends a code of six digits to the address. It works once, for ten minutes and five tries, with the `browserToken` of this answer and at the origin of this request. The answer is the same whether the address is known or not, and where a limit is reached: 5 codes an hour and 10 a day for an address from one network, 40 a day for an address, 60 an hour for a network, 2,000 for a shop. With a secret key, the network is that of the calling server. Needs the scope `checkout:quote`. (requestCustomerCode) */
    requestCode(input: CustomerCodeRequest, options?: CallOptions): Promise<CustomerCodeResponse>
    /** Open the session of a shopper. Signs in by the code. The session lasts seven days. A code that does not open one is a 200 with `session: null`, and counts as a try. Needs the scope `checkout:quote`. (openCustomerSession) */
    openSession(input: CustomerSessionOpenRequest, options?: CallOptions): Promise<CustomerSessionResponse>
    /** End the session of a shopper. Signs out. A token that is unknown, or of another origin, gets the same answer. Needs the scope `checkout:quote`. (endCustomerSession) */
    endSession(input: CustomerSessionEndRequest, options?: CallOptions): Promise<CustomerSessionEndResponse>
    /** Get the customer. Who is signed in. Without a session that is open at this origin it is a 401, as all that follow. Needs the scope `catalog:read`. (getCustomer) */
    get(options?: CallOptions): Promise<CustomerAccountResponse>
    /** List the orders of the customer. What was ordered with the proved address in this shop and mode, whatever storefront it was ordered at; newest first, at most 100. `meta.next` leads to the rest. Needs the scope `catalog:read`. (listCustomerOrders) */
    orders(options?: ListOptions): List<CustomerOrderListResponse, ShopperOrder>
    /** List the addresses of the customer. The addresses that the shopper saved, here or in the hosted account; at most 20. Needs the scope `catalog:read`. (listCustomerAddresses) */
    addresses(options?: CallOptions): Promise<CustomerAddressListResponse>
    /** Save an address of the customer. Checked by the rules of its country. The first is the default. One that is saved already, however it is written, is that one again. Needs the scope `checkout:quote`. (addCustomerAddress) */
    addAddress(input: CustomerAddressSaveRequest, options?: CallOptions): Promise<CustomerAddressResponse>
    /** Replace an address of the customer. The whole address. With `isDefault: true` it becomes the default. Needs the scope `checkout:quote`. (replaceCustomerAddress) */
    replaceAddress(addressId: string, input: CustomerAddressSaveRequest, options?: CallOptions): Promise<CustomerAddressResponse>
    /** Remove an address of the customer. The request has a body, for its idempotency key. Needs the scope `checkout:quote`. (removeCustomerAddress) */
    removeAddress(addressId: string, input?: CustomerAddressRemoveRequest, options?: CallOptions): Promise<CustomerAddressResponse>
  }
}

/** The operations that take the access token of an installation. */
export interface InstallationClient {
  /** Describe the authorization. What the merchant granted to the app that holds the access token, and where to go from here. (describeOAuthAuthorization) */
  authorization(options?: CallOptions): Promise<{ data: OAuthAuthorization }>
  keys: {
    /** Issue an API key. Issues a key of the installation, with at most the granted scopes. The key is shown once. (createInstallationKey) */
    create(input: InstallationKeyCreateRequest, options?: CallOptions): Promise<InstallationKeyCreateResponse>
    /** List API keys. The keys of the installation, newest first; never their secrets. (listInstallationKeys) */
    list(options?: CallOptions): Promise<InstallationKeyListResponse>
    /** Revoke an API key. The key is refused from now on. (revokeInstallationKey) */
    revoke(keyId: string, input?: InstallationKeyTransitionRequest, options?: CallOptions): Promise<InstallationKeyResponse>
  }
}

/** Every event that is sent to webhook endpoints, told apart by `type`. */
export type WebhookEvent =
  | CartCreatedEvent
  | CartUpdatedEvent
  | CartConvertedEvent
  | CartExpiredEvent
  | CheckoutSessionCreatedEvent
  | CheckoutSessionCompletedEvent
  | CheckoutSessionPaymentFailedEvent
  | CheckoutSessionCancelledEvent
  | CheckoutSessionExpiredEvent
  | OrderPlacedEvent
  | OrderPaidEvent
  | OrderProcessingEvent
  | OrderFulfilledEvent
  | OrderCompletedEvent
  | OrderCancelledEvent
  | OrderRefundedEvent
  | OrderRefundFailedEvent
  | OrderReturnedEvent
  | DraftCreatedEvent
  | DraftUpdatedEvent
  | DraftCompletedEvent
  | DraftCancelledEvent
  | DraftExpiredEvent
  | OrderEditedEvent
  | DocumentIssuedEvent
  | ReturnRequestedEvent
  | ReturnApprovedEvent
  | ReturnRefusedEvent
  | ReturnReceivedEvent
  | ReturnExchangedEvent
  | ReturnClosedEvent
  | WithdrawalReceivedEvent
  | InventoryLowEvent
  | InventoryDepletedEvent
  | InventoryReplenishedEvent
  | PromotionExhaustedEvent
  | AppInstalledEvent
  | AppUninstalledEvent
  | ProductCreatedEvent
  | ProductUpdatedEvent
  | ProductUnpublishedEvent
  | PromotionCreatedEvent
  | PromotionUpdatedEvent
  | ShopUpdatedEvent
  | WebhookEndpointDisabledEvent
  | WebhookDeliveryFailedEvent
  | WebhookPingEvent
  | WebhookFixtureEvent

export interface Address {
  name: string
  company?: string | undefined
  line1: string
  line2?: string | undefined
  city: string
  /** State or province; needed in some countries. */
  region?: string | undefined
  /** Needed in most countries and checked by country. */
  postalCode?: string | undefined
  /** ISO 3166-1 alpha-2 code. */
  country: string
  phone?: string | undefined
}

export interface AddressSummary {
  city: string
  region: string | null
  /** ISO 3166-1 alpha-2 code. */
  country: string
  postalCodePrefix: string | null
}

export interface App {
  /** Id of an app, which is its OAuth client id. */
  id: string
  name: string
}

export interface AppEventData {
  installation: {
    /** Id of an installation. */
    id: string
    name: string
  }
  app: App
}

export interface AppInstalledEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'app.installed'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'installation'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: AppEventData | TruncatedEventData
}

export interface AppUninstalledEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'app.uninstalled'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'installation'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: AppEventData | TruncatedEventData
}

export interface AppliedPromotion {
  /** rejected: nothing changed; an earlier code stays. */
  state: 'none' | 'applied' | 'pending' | 'rejected'
  code: string | null
  name: string | null
  type: 'percentage' | 'fixed_amount' | 'free_shipping' | null
  /** In minor units of the currency that the resource names. */
  amount: number
  /** How the amount is spread over the lines. */
  allocations: PromotionAllocation[]
  /** Why the code is pending or rejected. */
  reason: 'not_found' | 'not_started' | 'expired' | 'disabled' | 'minimum_not_met' | 'usage_limit_reached' | 'customer_limit_reached' | 'no_eligible_items' | 'currency_mismatch' | 'no_shipping_to_discount' | null
  conditions: PromotionConditions | null
}

/** Whether it can be bought now. backorder: it can be bought and is delivered later. */
export type Availability = 'in_stock' | 'low_stock' | 'backorder' | 'out_of_stock'

export interface BuyerVat {
  /** Of the VAT number. */
  country: string
  /** pending: it is asked for in VIES. Tax is charged unless it is valid. */
  status: 'pending' | 'valid' | 'invalid' | 'unavailable'
  checkedAt: string | null
}

export interface Cart {
  /** Id of a cart. */
  id: string
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** Only an open cart can be changed. locked: its payment is in progress. */
  status: 'open' | 'locked' | 'converted' | 'expired'
  /** ISO 4217 code. */
  currency: string
  /** At most one line for each SKU. */
  items: CartItem[]
  /** Sum of the quantities. */
  itemCount: number
  promotion: CartPromotion
  address: CartAddress | null
  shipping: Shipping
  totals: Totals
  /** What changed without the caller, such as a price, and what stands in the way of an order. */
  messages: CartMessage[]
  /** The open session of this cart. */
  checkoutSessionId: string | null
  /** The order this cart became. */
  orderId: string | null
  /** Your own names and values. Kept and given back as they are. */
  metadata: Record<string, string>
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
  /** RFC 3339, UTC, with milliseconds. */
  expiresAt: string
}

export interface CartAddress {
  /** Stands for a sealed address. It is valid for its cart only, until it is replaced or expires. */
  token: string
  /** City and country. */
  summary: string
  /** RFC 3339, UTC, with milliseconds. */
  expiresAt: string
}

export interface CartConvertedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'cart.converted'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'cart'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: CartEventData | TruncatedEventData
}

export interface CartCreatedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'cart.created'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'cart'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: CartEventData | TruncatedEventData
}

export interface CartEventData {
  cart: Cart
}

export interface CartExpiredEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'cart.expired'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'cart'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: CartEventData | TruncatedEventData
}

export interface CartItem {
  /** Id of a SKU: one variant of a product that can be bought. */
  skuId: string
  code: string
  /** A name for addresses, unique within its merchant. */
  productSlug: string
  name: string
  options: OptionValue[]
  /** Address of the picture. */
  imageUrl: string | null
  quantity: number
  /** In minor units of the currency that the resource names. */
  unitPrice: number
  measure?: LineMeasure | null | undefined
  /** Why one cannot withdraw from the contract about it. */
  withdrawalExempt?: 'made_to_measure' | 'perishable' | 'sealed_hygiene' | 'sealed_media' | 'mixed_with_others' | 'periodical' | 'price_fluctuates' | 'dated_service' | null | undefined
  /** Digital content: to pay needs consent to its supply. */
  digital?: boolean | undefined
  /** unitPrice × quantity; where tax was taken out of the price, rounded once for the line. */
  subtotal: number
  /** In minor units of the currency that the resource names. */
  discount: number
  /** On the line after its discount, rounded half up. */
  tax: number
  /** subtotal − discount, plus tax where prices do not contain it. */
  total: number
  availability: Availability
  /** Units this cart could hold now; null where there is no bound. */
  availableQuantity: number | null
  /** The most this line may hold. */
  maxQuantity: number
}

export interface CartMessage {
  code: 'price_unavailable' | 'price_changed' | 'item_unavailable' | 'insufficient_stock' | 'quantity_limit_exceeded' | 'promotion_pending' | 'promotion_lapsed' | 'promotion_rejected' | 'address_expired' | 'no_shipping_option' | 'shipping_changed'
  /** For people; may change. */
  message: string
  /** The item it is about. */
  skuId: string | null
  /** The former price or quantity. */
  previous: number | null
  /** The price or quantity now. */
  current: number | null
}

export interface CartPromotion {
  /** pending: the code is good and its condition is not met yet; it becomes applied by itself. */
  state: 'none' | 'applied' | 'pending'
  code: string | null
  /** What the promotion takes off. */
  amount: number
}

export interface CartUpdatedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'cart.updated'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'cart'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: CartEventData | TruncatedEventData
}

export interface Category {
  /** Id of a category. */
  id: string
  /** A name for addresses, unique within its merchant. */
  slug: string
  name: string
  description: string
  parentId: string | null
  /** Slugs from the top category down to this one. */
  path: string[]
  /** Place among its siblings. */
  position: number
  productCount: number
  /** Address of the picture. */
  imageUrl: string | null
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
}

export interface CheckoutCustomerInput {
  /** ASCII before the @; the domain may be an international one. */
  email?: string | undefined
  name?: string | undefined
  phone?: string | undefined
  /** VAT number of a firm in the EU, such as ATU12345678. It is checked in VIES after the answer. */
  vatId?: string | undefined
}

export interface CheckoutSession {
  /** Id of a hosted checkout session. */
  id: string
  /** Starts at 1 and grows by one at each change. */
  version: number
  status: 'open' | 'processing' | 'completed' | 'cancelled' | 'expired'
  /** pending: the money is still to come by hand. */
  paymentStatus: 'unpaid' | 'processing' | 'pending' | 'paid'
  /** The page to send the shopper to. Whoever has it can pay; null once the session is over, and in events. */
  url: string | null
  /** Id of a cart. */
  cartId: string
  orderId: string | null
  /** The page on which the shopper follows the order. Whoever has it can see the page; null until there is an order, and in events. */
  statusUrl: string | null
  /** The page to withdraw from a contract, for every page of the shop to link. null where no country that it sells to demands one, and in events. */
  withdrawalUrl: string | null
  mode: Mode
  /** ISO 4217 code. */
  currency: string
  /** Language of the page, such as de or pt-BR. auto follows the browser. */
  locale: string
  items: CartItem[]
  totals: Totals
  promotion: CartPromotion
  shipping: Shipping
  customer: Customer
  /** Of the VAT number that the shopper gave. */
  vat?: BuyerVat | undefined
  address: CartAddress | null
  hold: StockHold
  messages: CartMessage[]
  successUrl: string
  cancelUrl: string | null
  clientReferenceId: string | null
  /** Your own names and values. Kept and given back as they are. */
  metadata: Record<string, string>
  cancellation: SessionCancellation | null
  lastPaymentError: PaymentFailure | null
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
  /** RFC 3339, UTC, with milliseconds. */
  expiresAt: string
  completedAt: string | null
  cancelledAt: string | null
}

export interface CheckoutSessionCancelledEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'checkout_session.cancelled'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'checkout_session'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: CheckoutSessionEventData | TruncatedEventData
}

export interface CheckoutSessionCompletedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'checkout_session.completed'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'checkout_session'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: CheckoutSessionEventData | TruncatedEventData
}

export interface CheckoutSessionCreatedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'checkout_session.created'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'checkout_session'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: CheckoutSessionEventData | TruncatedEventData
}

export interface CheckoutSessionEventData {
  checkoutSession: CheckoutSession
}

export interface CheckoutSessionExpiredEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'checkout_session.expired'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'checkout_session'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: CheckoutSessionEventData | TruncatedEventData
}

export interface CheckoutSessionPaymentFailedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'checkout_session.payment_failed'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'checkout_session'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: CheckoutSessionEventData | TruncatedEventData
}

export interface Credential {
  type: 'api_key'
  /** Id of an API key. Not the key itself. */
  id: string
  name: string
  /** The public beginning of the key, up to and including its lookup part. */
  prefix: string
  /** The last four characters of the key. */
  last4: string
  scopes: Scope[]
  status: 'active' | 'expiring' | 'expired' | 'revoked'
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  expiresAt: string | null
  /** To the minute. */
  lastUsedAt: string | null
}

export interface Customer {
  /** Enough to recognise, not enough to write to: a***@example.com. */
  emailMasked: string | null
}

export interface CustomerAccount {
  /** The address that was proved. */
  email: string
  mode: Mode
  /** The hosted account of the shopper: data as a file, erasing it. It asks for a code of its own. */
  accountUrl: string
}

export interface CustomerAccountResponse {
  data: CustomerAccount
}

export interface CustomerAddressListResponse {
  /** The default first. */
  data: ShopperAddress[]
}

export interface CustomerAddressRemoveRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
}

export interface CustomerAddressResponse {
  data: {
    /** Id of an address that a shopper saved. */
    id: string
  }
}

export interface CustomerAddressSaveRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  address: Address
  isDefault?: boolean | undefined
}

export interface CustomerCodeRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  email: string
  /** Of an earlier request of this browser. Left out, a new one is answered. */
  browserToken?: string | undefined
  /** Language of the e-mail (default: that of the shop). */
  locale?: string | undefined
}

export interface CustomerCodeResponse {
  data: {
    /** A secret of the browser. Keep it there: the code works with it alone, and a browser that signed in before gets codes whatever others ask for. */
    browserToken: string
    /** When a code that was sent now ends. */
    expiresAt: string
  }
}

export interface CustomerOrderListResponse {
  data: ShopperOrder[]
  meta: ListMeta
}

export interface CustomerSession {
  /** Send it as the header `Customer-Session`. It works at the origin at which it was opened, and nowhere else. */
  token: string
  /** RFC 3339, UTC, with milliseconds. */
  expiresAt: string
}

export interface CustomerSessionEndRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** Send it as the header `Customer-Session`. It works at the origin at which it was opened, and nowhere else. */
  token: string
}

export interface CustomerSessionEndResponse {
  data: {
    /** Always true: the token opens nothing any more. */
    ended: boolean
  }
}

export interface CustomerSessionOpenRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** A secret of the browser. Keep it there: the code works with it alone, and a browser that signed in before gets codes whatever others ask for. */
  browserToken: string
  /** The six digits, as they were typed. */
  code: string
}

export interface CustomerSessionResponse {
  data: {
    /** null where the code is wrong, used or expired, was tried five times, or is of another browser or origin: one answer for all of it. */
    session: CustomerSession | null
  }
}

export interface DeliveryFailedEventData {
  /** Id of a webhook endpoint. */
  endpointId: string
  delivery: WebhookDelivery
}

export interface DocumentEventData {
  document: {
    /** Id of an invoice or a credit note. */
    id: string
    kind: 'invoice' | 'credit_note'
    number: string
    /** Id of an order. */
    orderId: string
    /** Its date in the time zone of the shop, such as `2026-06-01`. */
    day: string
    /** ISO 4217 code. */
    currency: string
    /** In minor units of the currency that the resource names. */
    net: number
    /** In minor units of the currency that the resource names. */
    tax: number
    /** In minor units of the currency that the resource names. */
    total: number
  }
}

export interface DocumentIssuedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'document.issued'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'document'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: DocumentEventData | TruncatedEventData
}

export interface DraftCancelledEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'draft.cancelled'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'draft'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: DraftEventData | TruncatedEventData
}

export interface DraftCompletedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'draft.completed'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'draft'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: DraftEventData | TruncatedEventData
}

export interface DraftCreatedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'draft.created'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'draft'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: DraftEventData | TruncatedEventData
}

export interface DraftEventData {
  draft: {
    /** Id of a draft. */
    id: string
    /** Starts at 1 and grows by one at each change. */
    version: number
    status: 'open' | 'paying' | 'paid' | 'cancelled' | 'expired'
    /** ISO 4217 code. */
    currency: string
    /** With tax. */
    total: number
    /** Id of a hosted checkout session. */
    checkoutSessionId: string
    /** null until the shopper has ordered it. */
    orderId: string | null
    /** RFC 3339, UTC, with milliseconds. */
    createdAt: string
    /** RFC 3339, UTC, with milliseconds. */
    expiresAt: string
  }
}

export interface DraftExpiredEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'draft.expired'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'draft'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: DraftEventData | TruncatedEventData
}

export interface DraftUpdatedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'draft.updated'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'draft'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: DraftEventData | TruncatedEventData
}

export interface EndpointDisabledEventData {
  endpoint: {
    /** Id of a webhook endpoint. */
    id: string
    /** Credentials in the address are masked. */
    url: string
    description: string
    status: 'enabled' | 'disabled' | 'paused'
  }
  reason: 'gone' | 'failing' | 'operator'
}

export interface EndpointMessageEventData {
  /** Id of a webhook endpoint. */
  endpointId: string
  message: string
}

/** Stable, for programs. */
export type ErrorCode = 'invalid_request' | 'malformed_json' | 'body_required' | 'body_not_allowed' | 'body_too_large' | 'unsupported_media_type' | 'idempotency_key_required' | 'idempotency_key_invalid' | 'idempotency_key_ambiguous' | 'unauthenticated' | 'scope_missing' | 'route_not_found' | 'product_not_found' | 'page_not_found' | 'cart_not_found' | 'cart_item_not_found' | 'checkout_session_not_found' | 'order_not_found' | 'webhook_endpoint_not_found' | 'webhook_delivery_not_found' | 'credential_not_found' | 'merchant_not_found' | 'customer_address_not_found' | 'idempotency_key_reused' | 'version_conflict' | 'customer_address_limit' | 'cart_not_open' | 'cart_locked' | 'cart_empty' | 'insufficient_stock' | 'item_unavailable' | 'quantity_limit_exceeded' | 'currency_mismatch' | 'address_undeliverable' | 'shipping_option_not_offered' | 'checkout_session_not_open' | 'payment_in_progress' | 'order_not_cancellable' | 'delivery_not_final' | 'delivery_already_succeeded' | 'replay_in_progress' | 'endpoint_disabled' | 'payload_expired' | 'rate_limited' | 'internal_error' | 'unavailable'

/** The present state, as far as it helps to go on. Only members that apply are there. */
export interface ErrorCurrent {
  /** Present status of the resource. */
  status?: string | undefined
  /** Starts at 1 and grows by one at each change. */
  version?: number | undefined
  available?: number | undefined
  limit?: number | undefined
  skuId?: string | undefined
  /** Why the present state does not allow it. */
  reason?: string | undefined
  requiredScope?: Scope | undefined
}

export interface ErrorIssue {
  /** JSON Pointer into the body; /query/… and /headers/… outside of it. */
  path: string
  /** The rule that is broken. Stable, for programs. */
  code: 'does_not_match' | 'required' | 'required_unless' | 'unknown_member' | 'unknown_parameter' | 'needs_members' | 'excluded_by' | 'too_many_members' | 'bad_member_name' | 'no_rule_met' | 'not_exactly' | 'not_one_of' | 'not_an_integer' | 'integer_out_of_range' | 'integer_too_low' | 'integer_too_high' | 'not_a_string' | 'string_length' | 'string_too_short' | 'string_too_long' | 'not_an_array' | 'array_length' | 'array_too_short' | 'array_too_long' | 'not_a_boolean' | 'not_an_object' | 'not_null' | 'repeated_item' | 'not_a_slug' | 'not_an_option' | 'not_an_instant' | 'not_a_currency' | 'not_a_country_code' | 'not_a_line' | 'not_plain_text' | 'not_visible_ascii' | 'not_a_web_address' | 'not_an_email' | 'not_a_contact' | 'not_a_phone' | 'not_a_locale' | 'not_a_subscription' | 'not_an_api_key' | 'not_an_id' | 'pattern_mismatch' | 'malformed' | 'ends_early' | 'forbidden_name' | 'repeated_name' | 'number_too_large' | 'number_too_precise' | 'nested_too_deep' | 'bad_text' | 'not_utf8' | 'contains_zero' | 'too_long' | 'ascii_length' | 'header_missing' | 'header_repeated' | 'bad_host_header' | 'bad_expectation' | 'bad_content_encoding' | 'bad_content_type' | 'too_many_headers' | 'bad_path' | 'bad_cursor' | 'empty_search' | 'unknown_sku' | 'duplicate' | 'not_in_future' | 'test_mode_only' | 'needed' | 'needed_in_country' | 'not_a_country' | 'not_a_region' | 'not_a_vat_id' | 'not_a_postal_code' | 'phone_digits' | 'no_letter' | 'no_letter_or_digit' | 'contains_angle_bracket' | 'contains_link' | 'url_characters' | 'url_unreadable' | 'url_not_secure' | 'url_has_credentials' | 'url_host_unclear' | 'url_host_not_allowed'
  /** The values of the rule, such as max. */
  values: Record<string, string | number | string[]>
  /** The rule in words, for people; may change. */
  message: string
}

/** The request that caused it. operationId is null where a page did. */
export interface EventCause {
  operationId: string | null
  /** Id of a request, as in the header X-Request-Id. Name it when you ask for help. */
  requestId: string
}

export type EventType = 'cart.created' | 'cart.updated' | 'cart.converted' | 'cart.expired' | 'checkout_session.created' | 'checkout_session.completed' | 'checkout_session.payment_failed' | 'checkout_session.cancelled' | 'checkout_session.expired' | 'order.placed' | 'order.paid' | 'order.processing' | 'order.fulfilled' | 'order.completed' | 'order.cancelled' | 'order.refunded' | 'order.refund_failed' | 'order.returned' | 'draft.created' | 'draft.updated' | 'draft.completed' | 'draft.cancelled' | 'draft.expired' | 'order.edited' | 'document.issued' | 'return.requested' | 'return.approved' | 'return.refused' | 'return.received' | 'return.exchanged' | 'return.closed' | 'withdrawal.received' | 'inventory.low' | 'inventory.depleted' | 'inventory.replenished' | 'promotion.exhausted' | 'app.installed' | 'app.uninstalled' | 'product.created' | 'product.updated' | 'product.unpublished' | 'promotion.created' | 'promotion.updated' | 'shop.updated' | 'webhook.endpoint_disabled' | 'webhook.delivery_failed' | 'webhook.ping' | 'webhook.fixture'

export interface Fulfillment {
  carrier: string | null
  trackingNumber: string | null
  /** Where the parcel can be followed: the link of the merchant, or that of a known carrier. null: none is known. */
  trackingUrl: string | null
  items: ItemQuantity[]
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

export interface HostedCheckoutCancelRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  reason?: 'customer_request' | 'abandoned' | 'price_changed' | 'fraud_suspected' | 'other' | undefined
  /** For your records. */
  note?: string | undefined
}

/** Names either a cart that exists or the items of a new one. */
export type HostedCheckoutCreateRequest = {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version of the cart the caller has seen. Only with cartId. */
  expectedCartVersion?: number | undefined
  customer?: CheckoutCustomerInput | undefined
  promotionCode?: string | undefined
  /** Where the shopper goes after paying. https, or http on a loopback host; the host must be on the allow-list of the installation (an entry without a port stands for port 443). `{sessionId}` in it is replaced by the id of the session, such as in `https://shop.example/thanks?session={sessionId}`. */
  successUrl: string
  /** Where the shopper goes on leaving. The rules of successUrl hold, and `{sessionId}` is replaced here too. */
  cancelUrl?: string | undefined
  /** Language of the page, such as de or pt-BR. auto follows the browser. */
  locale?: string | undefined
  /** How long the page can be paid. Without it: 1800. */
  expiresInSeconds?: number | undefined
  /** Your own reference; it is on the order too. */
  clientReferenceId?: string | undefined
  /** Your own names and values. Kept and given back as they are. */
  metadata?: Record<string, string> | undefined
} & ({ cartId: string; items?: never } | { items: ItemQuantity[]; cartId?: never })

export interface HostedCheckoutSessionResponse {
  data: CheckoutSession
}

export interface Installation {
  /** Id of an installation. */
  id: string
  name: string
  mode: Mode
  status: 'active' | 'suspended' | 'ended'
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
}

export interface InstallationCredentialIdentityResponse {
  data: {
    credential: Credential
    installation: Installation
    /** The app that was installed by OAuth; null for keys made by the operator. */
    app: App | null
    merchant: Merchant
    limits: Limits
  }
}

export interface InstallationKey {
  /** Id of an API key. Not the key itself. */
  id: string
  name: string
  /** The public beginning of the key, up to and including its lookup part. */
  prefix: string
  /** The last four characters of the key. */
  last4: string
  scopes: Scope[]
  status: 'active' | 'expiring' | 'expired' | 'revoked'
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  expiresAt: string | null
  /** To the minute. */
  lastUsedAt: string | null
}

export interface InstallationKeyCreateRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  name: string
  /** At most what the merchant granted. Empty: a key that needs no scope. */
  scopes: Scope[]
  /** In the future. Left out: the key does not expire. */
  expiresAt?: string | undefined
}

export interface InstallationKeyCreateResponse {
  data: {
    key: InstallationKey
    /** The API key. Shown this once. */
    secret: string
  }
}

export interface InstallationKeyListResponse {
  data: {
    /** Newest first. */
    keys: InstallationKey[]
  }
}

export interface InstallationKeyResponse {
  data: {
    key: InstallationKey
  }
}

export interface InstallationKeyTransitionRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** For your records. */
  reason?: string | undefined
}

export interface InventoryDepletedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'inventory.depleted'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'sku'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: InventoryEventData | TruncatedEventData
}

export interface InventoryEventData {
  sku: {
    /** Id of a SKU: one variant of a product that can be bought. */
    id: string
    code: string
    /** A name for addresses, unique within its merchant. */
    productSlug: string
    name: string
    /** Units that can be bought now. */
    availableQuantity: number
    /** At or below this quantity the stock is low. */
    lowStockAt: number
  }
}

export interface InventoryLowEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'inventory.low'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'sku'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: InventoryEventData | TruncatedEventData
}

export interface InventoryReplenishedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'inventory.replenished'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'sku'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: InventoryEventData | TruncatedEventData
}

export interface ItemQuantity {
  /** Id of a SKU: one variant of a product that can be bought. */
  skuId: string
  quantity: number
}

export interface Limits {
  /** Steady rate of this credential. null: not limited. */
  requestsPerSecond: number | null
  /** Requests that may come at once. null: not limited. */
  burst: number | null
  bodyBytesMax: number
  cartLinesMax: number
  quantityMax: number
}

/** As `measure` of the SKU. */
export interface LineMeasure {
  amount: number
  unit: 'mg' | 'g' | 'kg' | 'ml' | 'cl' | 'l' | 'm3' | 'mm' | 'cm' | 'm' | 'cm2' | 'm2' | 'piece'
  /** What `price` is for. */
  per: 'kg' | '100g' | 'l' | '100ml' | 'm3' | 'm' | 'm2' | 'piece'
  /** In minor units of the currency that the resource names. */
  price: number
}

export interface ListMeta {
  /** Rows in this answer. */
  count: number
  /** Link to the next rows, relative to the server. Follow it as it is. */
  next: string | null
}

/** What it contains, and its unit price. */
export interface Measure {
  amount: number
  unit: 'mg' | 'g' | 'kg' | 'ml' | 'cl' | 'l' | 'm3' | 'mm' | 'cm' | 'm' | 'cm2' | 'm2' | 'piece'
  /** What `price` is for. */
  per: 'kg' | '100g' | 'l' | '100ml' | 'm3' | 'm' | 'm2' | 'piece'
  price: Money
}

export interface Merchant {
  /** Id of a merchant. */
  id: string
  /** A name for addresses, unique within its merchant. */
  slug: string
  name: string
  /** ISO 4217 code. */
  currency: string
  /** ISO 3166-1 alpha-2 code. */
  country: string
}

export interface MerchantCategoryListResponse {
  /** In order of position, name, id. */
  data: Category[]
  meta: {
    /** Rows in this answer. */
    count: number
    /** Link to the next rows, relative to the server. Follow it as it is. */
    next: string | null
    /** Rows in the whole list. null if there are more than 1000. */
    total: number | null
  }
}

export interface MerchantProductListResponse {
  /** Newest publication first. */
  data: ProductSummary[]
  meta: {
    /** Rows in this answer. */
    count: number
    /** Link to the next rows, relative to the server. Follow it as it is. */
    next: string | null
    /** Rows in the whole list. null if there are more than 1000. */
    total: number | null
  }
}

/** In test mode no money moves, and no stock, promotion use or order number of live mode. */
export type Mode = 'test' | 'live'

/** A price that stands alone: 1999 and EUR are 19.99 euros. */
export interface Money {
  /** In minor units of the currency. */
  amount: number
  /** ISO 4217 code. */
  currency: string
}

export interface OAuthAuthorization {
  kind: 'oauth_authorization'
  issuer: string
  /** Id of an app, which is its OAuth client id. */
  clientId: string
  appName: string
  /** Id of an installation. */
  installationId: string
  merchant: {
    /** Id of a merchant. */
    id: string
    /** A name for addresses, unique within its merchant. */
    slug: string
  }
  /** What the merchant granted. */
  scopes: Scope[]
  /** RFC 3339, UTC, with milliseconds. */
  grantedAt: string
  /** RFC 3339, UTC, with milliseconds. */
  tokenExpiresAt: string
  endpoints: {
    authorization: string
    token: string
    pushedAuthorization: string
    revocation: string
    jwks: string
    /** Where the app issues and revokes API keys of the installation. */
    installationKeys: string
  }
  responseTypes: ('code')[]
  grantTypes: string[]
  codeChallengeMethods: ('S256')[]
  tokenEndpointAuthMethods: string[]
  dpop: {
    required: true
    signingAlgs: string[]
    nonceRequired: boolean
    /** Thumbprint of the key the token is bound to (RFC 7638). */
    jkt: string
    /** How old a proof may be. */
    iatWindowSeconds: number
  }
}

export interface OperationResponse {
  /** One of four objects, told apart by kind. */
  data: WebhookEndpoints | WebhookSignatureFixture | WebhookReplay | OAuthAuthorization
}

export interface OptionValue {
  name: string
  value: string
}

export interface Order {
  /** Id of an order. */
  id: string
  /** The number people use, such as 1001. That of a test order begins with T-. */
  number: string
  mode: Mode
  status: 'placed' | 'processing' | 'completed' | 'cancelled'
  paymentStatus: 'pending' | 'paid' | 'partially_refunded' | 'refunding' | 'refunded' | 'voided'
  fulfillmentStatus: 'unfulfilled' | 'partially_fulfilled' | 'fulfilled'
  /** ISO 4217 code. */
  currency: string
  /** In minor units of the currency that the resource names. */
  total: number
  /** Sum of the quantities. */
  itemCount: number
  /** Id of a hosted checkout session. */
  checkoutSessionId: string
  /** Id of a cart. */
  cartId: string
  clientReferenceId: string | null
  customer: Customer
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** RFC 3339, UTC, with milliseconds. */
  placedAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
  items: OrderItem[]
  totals: OrderTotals
  promotion: OrderPromotion | null
  shippingAddress: OrderShippingAddress | null
  /** null where nothing is sent. */
  shipping: OrderShipping | null
  payments: Payment[]
  /** While the money is awaited: the order is cancelled if it has not come by then. null without a payment term. */
  paymentDueAt: string | null
  refunds: OrderRefund[]
  fulfillments: Fulfillment[]
  cancellation: OrderCancellation | null
  /** Oldest first. */
  timeline: TimelineEntry[]
  /** What the shopper agreed to at the checkout. */
  consents?: OrderConsent[] | undefined
  /** Whether a cancellation would be accepted now. */
  cancellable: boolean
  /** Your own names and values. Kept and given back as they are. */
  metadata: Record<string, string>
  /** The page on which the shopper follows the order. Whoever has it can see the page; null in events. */
  statusUrl: string | null
  /** The page to withdraw from the contract, with the order filled in. null where no country that the shop sells to demands one, and in events. */
  withdrawalUrl: string | null
}

export interface OrderCancellation {
  /** Id of an order cancellation. */
  id: string
  /** Id of an order. */
  orderId: string
  /** refund_pending: money is on its way back. refund_failed: money is owed that could not be paid back; the merchant must see to it. */
  status: 'completed' | 'refund_pending' | 'refund_failed'
  reason: 'customer_request' | 'out_of_stock' | 'fraud_suspected' | 'duplicate' | 'other' | null
  note: string | null
  /** What went back into stock. */
  restocked: ItemQuantity[]
  /** null where nothing had been paid. */
  refund: Refund | null
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
}

export interface OrderCancelledEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'order.cancelled'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'order'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: OrderEventData | TruncatedEventData
}

export interface OrderCompletedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'order.completed'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'order'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: OrderEventData | TruncatedEventData
}

export interface OrderConsent {
  /** digital_content: digital content is supplied before the time to withdraw is over, and the right to withdraw ends with it. */
  kind: 'digital_content'
  /** RFC 3339, UTC, with milliseconds. */
  at: string
  /** Of the text that was agreed to. */
  textVersion: string
  language: 'en' | 'de' | 'fr' | 'es' | 'nl' | 'ja' | 'ar'
}

export interface OrderEditedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'order.edited'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'order'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: OrderEventData | TruncatedEventData
}

export interface OrderEventData {
  order: Order
}

export interface OrderFulfilledEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'order.fulfilled'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'order'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: OrderEventData | TruncatedEventData
}

export interface OrderItem {
  /** Id of a SKU: one variant of a product that can be bought. */
  skuId: string
  code: string
  /** A name for addresses, unique within its merchant. */
  productSlug: string
  name: string
  options: OptionValue[]
  quantity: number
  /** Units sent so far. */
  fulfilled: number
  /** In minor units of the currency that the resource names. */
  unitPrice: number
  measure?: LineMeasure | null | undefined
  /** Why the shopper cannot withdraw from the contract about it. null: they can. */
  withdrawalExempt?: 'made_to_measure' | 'perishable' | 'sealed_hygiene' | 'sealed_media' | 'mixed_with_others' | 'periodical' | 'price_fluctuates' | 'dated_service' | 'digital_content' | null | undefined
  /** In minor units of the currency that the resource names. */
  subtotal: number
  /** In minor units of the currency that the resource names. */
  discount: number
  /** In minor units of the currency that the resource names. */
  tax: number
  /** In minor units of the currency that the resource names. */
  total: number
}

export interface OrderPaidEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'order.paid'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'order'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: OrderEventData | TruncatedEventData
}

export interface OrderPlacedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'order.placed'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'order'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: OrderEventData | TruncatedEventData
}

export interface OrderProcessingEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'order.processing'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'order'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: OrderEventData | TruncatedEventData
}

export interface OrderPromotion {
  code: string
  name: string
  type: 'percentage' | 'fixed_amount' | 'free_shipping'
  /** In minor units of the currency that the resource names. */
  amount: number
}

export interface OrderRefund {
  /** Id of a refund. */
  id: string
  /** In minor units of the currency that the resource names. */
  amount: number
  /** ISO 4217 code. */
  currency: string
  status: 'pending' | 'succeeded' | 'failed'
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
}

export interface OrderRefundFailedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'order.refund_failed'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'order'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: OrderEventData | TruncatedEventData
}

export interface OrderRefundedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'order.refunded'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'order'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: OrderEventData | TruncatedEventData
}

export interface OrderReturnedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'order.returned'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'order'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: OrderEventData | TruncatedEventData
}

export interface OrderShipping {
  optionId: string
  label: string
  /** In minor units of the currency that the resource names. */
  amount: number
}

/** The address itself is shown to the merchant only. */
export interface OrderShippingAddress {
  /** Stands for a sealed address. It is valid for its cart only, until it is replaced or expires. */
  token: string
  /** City and country. */
  summary: string
}

export interface OrderSummary {
  /** Id of an order. */
  id: string
  /** The number people use, such as 1001. That of a test order begins with T-. */
  number: string
  mode: Mode
  status: 'placed' | 'processing' | 'completed' | 'cancelled'
  paymentStatus: 'pending' | 'paid' | 'partially_refunded' | 'refunding' | 'refunded' | 'voided'
  fulfillmentStatus: 'unfulfilled' | 'partially_fulfilled' | 'fulfilled'
  /** ISO 4217 code. */
  currency: string
  /** In minor units of the currency that the resource names. */
  total: number
  /** Sum of the quantities. */
  itemCount: number
  /** Id of a hosted checkout session. */
  checkoutSessionId: string
  /** Id of a cart. */
  cartId: string
  clientReferenceId: string | null
  customer: Customer
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** RFC 3339, UTC, with milliseconds. */
  placedAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
}

export interface OrderTotals {
  /** Lines before discount. */
  subtotal: number
  /** In minor units of the currency that the resource names. */
  discount: number
  /** Before discount; what a promotion takes off it is part of the discount. */
  shipping: number
  /** Sum of the tax of the lines and of the shipping. */
  tax: number
  /** Whether the prices contain the tax. */
  taxIncluded: boolean
  /** subtotal − discount + shipping, plus tax where prices do not contain it. */
  total: number
  /** Why no tax is charged; left out where it is. */
  taxReason?: 'reverse_charge' | 'intra_community' | 'export' | 'small_business' | undefined
  /** Money that went back. */
  refunded: number
  /** Money on its way back. What fails on the way leaves it again. */
  refundPending: number
}

export interface Payment {
  /** Id of a payment. */
  id: string
  provider: string
  /** Such as card or bank_transfer. */
  method: string
  brand: string | null
  last4: string | null
  /** In minor units of the currency that the resource names. */
  amount: number
  status: 'processing' | 'pending' | 'succeeded' | 'declined' | 'voided'
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
}

export interface PaymentFailure {
  code: 'declined' | 'insufficient_funds' | 'card_expired' | 'incorrect_details' | 'authentication_failed' | 'fraud_suspected' | 'method_unavailable' | 'provider_error'
  /** For people; may change. */
  message: string
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

/** Lowest and highest price of its SKUs. */
export interface PriceRange {
  min: Money
  max: Money
}

export interface Product {
  /** Id of a product. */
  id: string
  /** A name for addresses, unique within its merchant. */
  slug: string
  name: string
  /** Who makes it. Absent for the first minutes after an upgrade from a version without brands. */
  brand?: string | null | undefined
  summary: string
  /** Slugs of its categories. */
  categories: string[]
  /** Address of the picture. */
  imageUrl: string | null
  imageAlt: string | null
  priceRange: PriceRange
  /** The lowest price of the 30 days before the announced reduction. null: none may be shown. */
  priorPrice?: Money | null | undefined
  /** Of the SKU with the lowest price. */
  measure?: Measure | null | undefined
  availability: Availability
  skuCount: number
  tags: string[]
  /** RFC 3339, UTC, with milliseconds. */
  publishedAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
  /** Plain text; an empty line separates paragraphs. */
  description: string
  /** The description with formatting, absent where there is only plain text. Safe to put into a page: no scripts, styles, pictures; links and cell spans are the only attributes. */
  descriptionHtml?: string | undefined
  merchant: ProductMerchant
  /** The title of its page for search engines. null: its name. */
  seoTitle?: string | null | undefined
  /** The text below it. null: its summary. */
  seoDescription?: string | null | undefined
  media: ProductMedia[]
  options: ProductOption[]
  skus: Sku[]
  /** Why one cannot withdraw from the contract about it. null: one can. */
  withdrawalExempt?: 'made_to_measure' | 'perishable' | 'sealed_hygiene' | 'sealed_media' | 'mixed_with_others' | 'periodical' | 'price_fluctuates' | 'dated_service' | null | undefined
  /** Digital content that is supplied at once: the hosted checkout asks for consent to that. */
  digital?: boolean | undefined
  /** The guarantee of durability of the producer, beside the legal one. */
  guarantee?: {
    years: number
    url: string | null
  } | null | undefined
  /** null: neither a maker nor a warning is given. */
  safety?: Safety | null | undefined
  /** Your own names and values. Kept and given back as they are. */
  metadata: Record<string, string>
}

export interface ProductChangeEventData {
  product: {
    /** Id of a product. */
    id: string
    /** A name for addresses, unique within its merchant. */
    slug: string
    /** Starts at 1 and grows by one at each change. */
    version: number
  }
}

export interface ProductCreatedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'product.created'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'product'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: ProductChangeEventData | TruncatedEventData
}

export interface ProductMedia {
  url: string
  alt: string
  width: number | null
  height: number | null
}

export interface ProductMerchant {
  /** A name for addresses, unique within its merchant. */
  slug: string
  name: string
}

export interface ProductOption {
  name: string
  values: string[]
}

export interface ProductSearchResponse {
  data: ProductSummary[]
  meta: {
    /** Products in this answer. */
    count: number
    /** Link to the next products, relative to the server. Follow it as it is. */
    next: string | null
    /** Products in the result. null if there are more than 1000. */
    total: number | null
    /** The words that were searched for instead, if nothing has the words of `q` but for a wrong letter. */
    correctedTo: string | null
    /** Words of `q` that no product has together with the others. The result is without them. */
    leftOut: string[]
    facets: SearchFacets
  }
}

export interface ProductSummary {
  /** Id of a product. */
  id: string
  /** A name for addresses, unique within its merchant. */
  slug: string
  name: string
  /** Who makes it. Absent for the first minutes after an upgrade from a version without brands. */
  brand?: string | null | undefined
  summary: string
  /** Slugs of its categories. */
  categories: string[]
  /** Address of the picture. */
  imageUrl: string | null
  imageAlt: string | null
  priceRange: PriceRange
  /** The lowest price of the 30 days before the announced reduction. null: none may be shown. */
  priorPrice?: Money | null | undefined
  /** Of the SKU with the lowest price. */
  measure?: Measure | null | undefined
  availability: Availability
  skuCount: number
  tags: string[]
  /** RFC 3339, UTC, with milliseconds. */
  publishedAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
}

export interface ProductUnpublishedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'product.unpublished'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'product'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: ProductChangeEventData | TruncatedEventData
}

export interface ProductUpdatedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'product.updated'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'product'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: ProductChangeEventData | TruncatedEventData
}

export interface PromotionAllocation {
  /** Id of a SKU: one variant of a product that can be bought. */
  skuId: string
  /** In minor units of the currency that the resource names. */
  amount: number
}

export interface PromotionChangeEventData {
  promotion: {
    /** Id of a promotion. */
    id: string
    code: string
    /** Starts at 1 and grows by one at each change. */
    version: number
  }
}

/** What the promotion asks of a cart. */
export interface PromotionConditions {
  minimumSubtotal: number | null
  startsAt: string | null
  endsAt: string | null
  /** Empty: every category. */
  eligibleCategories: string[]
  /** Empty: every SKU. */
  eligibleSkuIds: string[]
}

export interface PromotionCreatedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'promotion.created'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'promotion'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: PromotionChangeEventData | TruncatedEventData
}

export interface PromotionEventData {
  promotion: {
    /** Id of a promotion. */
    id: string
    code: string
    name: string
    type: 'percentage' | 'fixed_amount' | 'free_shipping'
    usageLimit: number
    usageCount: number
  }
}

export interface PromotionExhaustedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'promotion.exhausted'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'promotion'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: PromotionEventData | TruncatedEventData
}

export interface PromotionUpdatedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'promotion.updated'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'promotion'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: PromotionChangeEventData | TruncatedEventData
}

export interface PublicCartAddressSetRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  address: Address
}

export interface PublicCartAddressTokenResponse {
  data: {
    /** Id of a cart. */
    cartId: string
    /** Starts at 1 and grows by one at each change. */
    cartVersion: number
    /** Stands for a sealed address. It is valid for its cart only, until it is replaced or expires. */
    addressToken: string
    summary: AddressSummary
    /** RFC 3339, UTC, with milliseconds. */
    expiresAt: string
    shippingOptions: ShippingOption[]
    totals: Totals
  }
}

export interface PublicCartCreateRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** Each SKU once. */
  items?: ItemQuantity[] | undefined
  /** Your own names and values. Kept and given back as they are. */
  metadata?: Record<string, string> | undefined
}

export interface PublicCartExtensionResponse {
  data: Cart
}

export interface PublicCartItemPutRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The new quantity, not a difference. */
  quantity: number
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
}

export interface PublicCartPromotionApplyRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** Letter case does not matter. null takes the present code off. */
  code: string | null
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
}

export interface PublicCartPromotionStateResponse {
  data: {
    /** Id of a cart. */
    cartId: string
    /** Starts at 1 and grows by one at each change. */
    cartVersion: number
    promotion: AppliedPromotion
    totals: Totals
  }
}

export interface PublicCartQuantityUpdateRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The new quantity, not a difference. 0 removes the item. */
  quantity: number
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
}

export interface PublicCartResponse {
  data: Cart
}

export interface PublicCartShippingEstimateResponse {
  data: ShippingEstimate
}

export interface PublicCartShippingSetRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The id of one of the options in `shipping.options` of the cart. */
  optionId: string
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
}

export interface PublicCartTransitionRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  /** For your records. */
  reason?: string | undefined
}

export interface PublicCatalogCategoryListResponse {
  /** In order of position, name, id. */
  data: Category[]
  meta?: ListMeta | undefined
}

export interface PublicCatalogProductDetailResponse {
  data: Product
}

export interface PublicCatalogProductListResponse {
  /** Newest publication first. */
  data: ProductSummary[]
  meta?: ListMeta | undefined
}

export interface PublicErrorResponse {
  error: {
    code: ErrorCode
    /** For people; may change. */
    message: string
    /** The status of the answer. */
    status: number
    /** Id of a request, as in the header X-Request-Id. Name it when you ask for help. */
    requestId: string
    /** Each place where the request is wrong. */
    issues: ErrorIssue[]
    current: ErrorCurrent | null
  }
}

export interface PublicWebhookReplayRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** Replay even a delivery that succeeded. Without it, such a delivery is refused. */
  allowSucceeded?: boolean | undefined
  /** For your records. */
  reason?: string | undefined
}

export interface Refund {
  /** Id of a refund. */
  id: string
  /** In minor units of the currency that the resource names. */
  amount: number
  /** ISO 4217 code. */
  currency: string
  status: 'pending' | 'succeeded' | 'failed'
}

export interface RelatedProductListResponse {
  /** Nearest first. Only what is in stock. */
  data: ProductSummary[]
  meta: {
    /** Products in this answer. */
    count: number
  }
}

export interface Return {
  /** Id of a return. */
  id: string
  /** The number people use: that of the order, and which return of it this is. */
  number: string
  /** Id of an order. */
  orderId: string
  orderNumber: string
  mode: Mode
  /** Starts at 1 and grows by one at each change. */
  version: number
  /** requested: the merchant has not answered. approved: the items may be sent. received: some or all came. refused, closed: it is over. */
  status: 'requested' | 'approved' | 'received' | 'refused' | 'closed'
  reason: 'changed_mind' | 'does_not_fit' | 'damaged' | 'wrong_item' | 'not_as_described' | 'late' | 'other'
  /** What the shopper would like to have for the items. */
  wish: 'refund' | 'exchange'
  openedBy: 'shopper' | 'merchant'
  items: ReturnItem[]
  /** New orders that were placed for the items, the oldest first. */
  exchanges: ReturnExchange[]
  /** What the merchant wrote to the shopper: how to send the items, or why not. */
  answer: string | null
  /** Where the shopper finds the label for the parcel. */
  labelUrl: string | null
  /** RFC 3339, UTC, with milliseconds. */
  requestedAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
}

export interface ReturnApprovedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'return.approved'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'return'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: ReturnEventData | TruncatedEventData
}

export interface ReturnClosedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'return.closed'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'return'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: ReturnEventData | TruncatedEventData
}

export interface ReturnEventData {
  return: Return
}

export interface ReturnExchange {
  /** The new order. */
  orderId: string
  orderNumber: string
  /** What was paid for the items, and counts for the new order. */
  credit: number
  /** What of it goes back, because the new order costs less. */
  refunded: number
  /** What the shopper paid in addition, because the new order costs more. */
  paid: number
  /** RFC 3339, UTC, with milliseconds. */
  at: string
}

export interface ReturnExchangedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'return.exchanged'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'return'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: ReturnEventData | TruncatedEventData
}

export interface ReturnItem {
  /** Id of a SKU: one variant of a product that can be bought. */
  skuId: string
  code: string
  name: string
  options: OptionValue[]
  /** Units that are to come back. */
  quantity: number
  /** Units that came. */
  received: number
  /** Units of these that went back into stock. */
  restocked: number
}

export interface ReturnReceivedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'return.received'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'return'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: ReturnEventData | TruncatedEventData
}

export interface ReturnRefusedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'return.refused'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'return'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: ReturnEventData | TruncatedEventData
}

export interface ReturnRequestedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'return.requested'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'return'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: ReturnEventData | TruncatedEventData
}

/** What a page that offers it has to show (Regulation (EU) 2023/988, Art. 19). */
export interface Safety {
  /** Who makes it. */
  makers: ({
    name: string
    /** Lines of the postal address. */
    address: string[]
    /** By ISO 3166-1. */
    country: string
    /** An e-mail address, or a page. */
    contact: string
  })[]
  /** Who is responsible in the EU, where the maker is elsewhere. */
  responsible: ({
    name: string
    /** Lines of the postal address. */
    address: string[]
    /** By ISO 3166-1. */
    country: string
    /** An e-mail address, or a page. */
    contact: string
  })[]
  warnings: ({
    /** null: of any. */
    language: 'en' | 'de' | 'fr' | 'es' | 'nl' | 'ja' | 'ar' | null
    text: string
  })[]
}

export type Scope = 'webhooks:read' | 'webhooks:write' | 'catalog:read' | 'checkout:quote' | 'admin:read' | 'admin:catalog' | 'admin:orders' | 'admin:refunds' | 'admin:customers' | 'admin:settings' | 'admin:developers' | 'admin:people'

/** Counts over the whole result, each without its own filter. If a result has more than 1000 products, over 1000 of them. */
export interface SearchFacets {
  /** In the order of the category list. */
  categories: ({
    /** A name for addresses, unique within its merchant. */
    slug: string
    name: string
    count: number
  })[]
  /** Most frequent first. Brands that differ in case or accents only are one. */
  brands: ({
    name: string
    count: number
  })[]
  /** Most frequent first. */
  options: ({
    name: string
    /** Most frequent first. */
    values: ({
      value: string
      count: number
    })[]
  })[]
  /** Lowest and highest price. null if there are no products. */
  price: PriceRange | null
  /** How many have units to sell now. */
  inStock: number
}

export interface SearchSuggestionListResponse {
  data: {
    /** Most relevant first. */
    products: ProductSummary[]
    /** Named so, with the number of their products. */
    categories: ({
      /** A name for addresses, unique within its merchant. */
      slug: string
      name: string
      count: number
    })[]
    /** The words that were searched for instead, if nothing has those of `q`. */
    correctedTo: string | null
  }
}

export interface SecretRotation {
  active: boolean
  /** Until then calls are signed with the former secret too. */
  previousExpiresAt: string | null
}

export interface SessionCancellation {
  reason: 'customer_request' | 'abandoned' | 'price_changed' | 'fraud_suspected' | 'other' | null
  note: string | null
  by: 'api' | 'shopper' | 'system'
}

export interface Shipping {
  /** The chosen option. */
  optionId: string | null
  /** What is offered for the address; empty while there is none, and where nothing carries the parcel. */
  options: ShippingOption[]
}

export interface ShippingEstimate {
  /** Id of a cart. */
  cartId: string
  /** Starts at 1 and grows by one at each change. */
  cartVersion: number
  /** ISO 3166-1 alpha-2 code. */
  country: string
  /** false: nothing in the cart is sent. */
  requiresShipping: boolean
  /** The option that the totals hold. */
  optionId: string | null
  /** Empty where nothing is sent, and where nothing carries the parcel to there. */
  options: ShippingOption[]
  totals: Totals
}

export interface ShippingOption {
  id: string
  label: string
  /** In minor units of the currency that the resource names. */
  amount: number
}

export interface ShopChangeEventData {
  shop: {
    /** Id of a merchant. */
    id: string
    /** A name for addresses, unique within its merchant. */
    slug: string
    /** Starts at 1 and grows by one at each change. */
    version: number
  }
}

export interface ShopUpdatedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'shop.updated'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'merchant'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: ShopChangeEventData | TruncatedEventData
}

export interface ShopperAddress {
  /** Id of an address that a shopper saved. */
  id: string
  address: Address
  /** As on a parcel. */
  label: string[]
  isDefault: boolean
}

export interface ShopperOrder {
  /** Id of an order. */
  id: string
  number: string
  status: 'placed' | 'processing' | 'completed' | 'cancelled'
  paymentStatus: 'pending' | 'paid' | 'partially_refunded' | 'refunding' | 'refunded' | 'voided'
  fulfillmentStatus: 'unfulfilled' | 'partially_fulfilled' | 'fulfilled'
  /** ISO 4217 code. */
  currency: string
  /** In minor units of the currency that the resource names. */
  total: number
  /** Sum of the quantities. */
  itemCount: number
  /** RFC 3339, UTC, with milliseconds. */
  placedAt: string
  /** The page of the order: documents, returns, withdrawal. Whoever has the address sees it. */
  statusUrl: string | null
}

export interface SignatureHeaderNames {
  id: 'webhook-id'
  timestamp: 'webhook-timestamp'
  signature: 'webhook-signature'
}

export interface SignatureVector {
  name: string
  /** What a correct receiver does. */
  expect: 'accept' | 'reject'
  /** The receiver’s clock, in seconds since 1970. */
  now: number
  /** The headers of the call, by name. A vector may leave one out or spell it in another case. */
  headers: Record<string, string>
  body: string
  /** The exact bytes of the body. */
  bodyBase64: string
}

export interface Site {
  merchant: SiteMerchant
  mode: 'test' | 'live'
  /** Of the shop that this server shows. The API answers in both cases. */
  status: 'open' | 'closed'
  /** Where this server shows the shop, if it does. */
  url: string | null
  supportEmail: string | null
  /** Address of a picture. */
  logo: string | null
  /** #rrggbb. */
  color: string | null
  /** As the merchant published it. */
  look: {
    font: 'system' | 'classic' | 'slab' | 'rounded'
    corners: 'round' | 'soft' | 'square'
    density: 'airy' | 'dense'
    scheme: 'auto' | 'light' | 'dark'
    /** Derived from the colour. null without one. */
    palette: {
      light: SitePalette
      dark: SitePalette
    } | null
  }
  /** Its sections, from top to bottom. null: a product, the categories, and all products. */
  home: SiteSection[] | null
  menus: SiteMenus
  /** Legal pages. */
  links: {
    terms?: string | undefined
    privacy?: string | undefined
    refunds?: string | undefined
    imprint?: string | undefined
  }
  /** Where shoppers withdraw from a contract; link it from every page. null where no country demands it. */
  withdrawalUrl: string | null
  /** For how long, at least, the seller answers for goods, which pages that offer them have to say (Directive (EU) 2024/825). null where no country demands it. */
  legalGuarantee?: {
    years: number
    /** Pictures of the harmonised notice (Implementing Regulation (EU) 2025/1960): show the one in the language of the page, whole and in colour. */
    notices?: ({
      language: 'en' | 'de' | 'fr' | 'es' | 'nl' | 'ja' | 'ar'
      url: string
    })[] | undefined
  } | null | undefined
  /** Who sells. */
  legal: {
    /** Of the company or the person. */
    name: string
    /** Lines of the postal address. */
    address?: string[] | undefined
    /** Number for value added tax. */
    vatId?: string | undefined
    /** Such as court and number of the register. */
    registration?: string | undefined
    /** Number at the tax office, where there is no `vatId`. */
    taxNumber?: string | undefined
    /** Street and number. E-invoices have the address in parts. */
    street?: string | undefined
    /** Of the address. */
    postalCode?: string | undefined
    /** Of the address. */
    city?: string | undefined
    /** For questions about invoices. */
    phone?: string | undefined
  } | null
  pricesIncludeTax: boolean
  /** Published ones, in the order of menus. */
  pages: ({
    slug: string
    title: string
    menu: 'head' | 'foot' | 'none'
  })[]
  /** Countries, two letters each; `*` is any other. */
  shipsTo: string[]
}

export interface SiteColumn {
  title: string
  bodyHtml: string
}

export interface SiteLink {
  /** What it leads to. `all`: all products. */
  kind: 'category' | 'page' | 'product' | 'all' | 'address'
  /** A slug; of `address`: https, http, mailto, tel, or a path of the shop. Empty for `all`. */
  target: string
  /** Empty: the name of the category or page. */
  label: string
}

export interface SiteMenus {
  /** null: all categories, and the pages whose menu is `head`. */
  head: SiteLink[] | null
  /** null: the pages whose menu is `foot`. Legal pages are always linked. */
  foot: SiteLink[] | null
}

export interface SiteMerchant {
  slug: string
  name: string
  /** ISO 4217. */
  currency: string
  /** ISO 3166-1, two letters. */
  country: string
}

export interface SitePage {
  /** Its path in the shop. */
  slug: string
  title: string
  description: string
  /** Safe in any page. */
  bodyHtml: string
}

export interface SitePageResponse {
  data: SitePage
}

export interface SitePalette {
  /** The ground of the page. */
  paper: string
  /** The ground of cards and fields. */
  sheet: string
  /** The ground of what is set off. */
  well: string
  /** #rrggbb. */
  ink: string
  /** #rrggbb. */
  inkSoft: string
  /** Decoration. */
  line: string
  /** The edge of a field. */
  lineStrong: string
  /** The ground of a button. */
  action: string
  /** Text on it. */
  onAction: string
  /** The ground of a button below the pointer. */
  actionOver: string
  /** #rrggbb. */
  link: string
}

export interface SitePathResponse {
  data: {
    kind: 'product' | 'category' | 'page' | 'moved' | 'gone' | 'missing'
    /** Where it is, below the root of the shop. */
    path: string | null
  }
}

export interface SiteResponse {
  data: Site
}

export interface SiteSection {
  /** Members that its kind does not have are dropped. */
  kind: 'hero' | 'products' | 'categories' | 'text' | 'picture' | 'columns' | 'notice'
  /** Of every kind but `notice`. */
  title?: string | undefined
  /** Of `hero`, `text`, `picture` and `notice`: HTML with headings, lists, bold, links. Anything else is removed. */
  bodyHtml?: string | undefined
  /** Of `hero` and `picture`. */
  image?: string | null | undefined
  /** What the picture shows, for those who do not see it. */
  imageAlt?: string | undefined
  /** Of `picture`: where the picture stands (default: start). */
  imageSide?: 'start' | 'end' | undefined
  /** Of `hero`, `picture` and `notice`. */
  link?: SiteLink | null | undefined
  /** Of `products`: which ones (default: newest). */
  source?: 'newest' | 'category' | 'chosen' | undefined
  /** Of `products` from a category. */
  category?: string | undefined
  /** Of `products` that are chosen, in this order. Those that are not for sale are left out. */
  products?: string[] | undefined
  /** Of `products`: how many at most (default: 8). */
  limit?: number | undefined
  /** Of `columns`. */
  columns?: SiteColumn[] | undefined
}

export interface Sku {
  /** Id of a SKU: one variant of a product that can be bought. */
  id: string
  /** The code the merchant gave it. */
  code: string
  name: string
  options: OptionValue[]
  price: Money
  /** The former price of the merchant. null where `priorPrice` is. */
  compareAtPrice: Money | null
  /** The lowest price of the 30 days before the announced reduction. null: none may be shown. */
  priorPrice?: Money | null | undefined
  measure?: Measure | null | undefined
  availability: Availability
  /** Units that can be bought now. null where it is not told. */
  availableQuantity: number | null
  maxPerOrder: number
  requiresShipping: boolean
  weightGrams: number | null
  /** Address of the picture. */
  imageUrl: string | null
}

/** Stock kept for this session until it is paid, ends, or the hold lapses. */
export interface StockHold {
  status: 'none' | 'held' | 'lapsed' | 'released' | 'consumed'
  expiresAt: string | null
}

export interface StorefrontOrderCancellationResponse {
  data: {
    cancellation: OrderCancellation
    order: OrderSummary
  }
}

export interface StorefrontOrderDetailResponse {
  data: Order
}

export interface StorefrontOrderListResponse {
  data: {
    /** Newest first. */
    orders: OrderSummary[]
    /** Link to older orders, relative to the server. Follow it as it is. */
    next: string | null
  }
}

export interface StorefrontOrderTransitionRequest {
  /** Makes it safe to repeat: for 7 days the same request gets the first answer again. Needed, here or as the header Idempotency-Key. */
  idempotencyKey?: string | undefined
  /** The version that was seen. Another one now is a 409 version_conflict. */
  expectedVersion?: number | undefined
  reason?: 'customer_request' | 'out_of_stock' | 'fraud_suspected' | 'duplicate' | 'other' | undefined
  /** For your records. */
  note?: string | undefined
  /** Whether the items go back into stock. Without it they do. */
  restock?: boolean | undefined
}

export interface TimelineEntry {
  /** RFC 3339, UTC, with milliseconds. */
  at: string
  type: 'placed' | 'paid' | 'processing' | 'partially_fulfilled' | 'fulfilled' | 'completed' | 'cancelled' | 'refund_started' | 'refund_failed' | 'partially_refunded' | 'refunded' | 'voided' | 'edited'
  /** Who cancelled the order; system: the money did not come in time. null for all other types. */
  cancelledBy: 'api' | 'operator' | 'system' | null
}

/** Amounts in the currency of the resource that holds them. */
export interface Totals {
  /** Lines before discount. */
  subtotal: number
  /** In minor units of the currency that the resource names. */
  discount: number
  /** Before discount; what a promotion takes off it is part of the discount. */
  shipping: number
  /** Sum of the tax of the lines and of the shipping. */
  tax: number
  /** Whether the prices contain the tax. */
  taxIncluded: boolean
  /** subtotal − discount + shipping, plus tax where prices do not contain it. */
  total: number
  /** Why no tax is charged; left out where it is. */
  taxReason?: 'reverse_charge' | 'intra_community' | 'export' | 'small_business' | undefined
}

/** Stands in for data that would make the event larger than 64 KiB. */
export interface TruncatedEventData {
  /** Id of the subject: read it from the API. */
  id: string
  truncated: true
}

export interface WebhookDelivery {
  /** Id of a webhook delivery: one event on its way to one endpoint. */
  id: string
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  eventId: string
  eventType: EventType
  status: 'pending' | 'sending' | 'retrying' | 'held' | 'succeeded' | 'failed' | 'blocked' | 'discarded'
  attempts: number
  lastStatusCode: number | null
  lastError: string | null
  nextAttemptAt: string | null
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
}

export interface WebhookDeliveryFailedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'webhook.delivery_failed'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'webhook_delivery'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: DeliveryFailedEventData | TruncatedEventData
}

export interface WebhookEndpoint {
  /** Id of a webhook endpoint. */
  id: string
  /** Credentials in the address are masked. */
  url: string
  description: string
  status: 'enabled' | 'disabled' | 'paused'
  events: string[]
  /** The last characters of the secret, to tell secrets apart. */
  secretHint: string
  secretRotation: SecretRotation
  health: WebhookHealth
  /** The newest first; these can be replayed. */
  recentDeliveries: WebhookDelivery[]
  /** RFC 3339, UTC, with milliseconds. */
  createdAt: string
  /** RFC 3339, UTC, with milliseconds. */
  updatedAt: string
}

export interface WebhookEndpointDisabledEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'webhook.endpoint_disabled'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'webhook_endpoint'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: EndpointDisabledEventData | TruncatedEventData
}

export interface WebhookEndpoints {
  kind: 'webhook_endpoints'
  /** Oldest first. */
  endpoints: WebhookEndpoint[]
}

export interface WebhookFixtureEvent {
  id: string
  type: 'webhook.fixture'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'webhook_endpoint'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: EndpointMessageEventData | TruncatedEventData
}

export interface WebhookHealth {
  lastSuccessAt: string | null
  lastFailureAt: string | null
  consecutiveFailures: number
  pending: number
}

export interface WebhookPingEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'webhook.ping'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'webhook_endpoint'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: EndpointMessageEventData | TruncatedEventData
}

export interface WebhookReplay {
  kind: 'webhook_replay'
  delivery: WebhookReplayDelivery
}

export interface WebhookReplayDelivery {
  /** Id of a webhook delivery: one event on its way to one endpoint. */
  id: string
  /** Id of a webhook delivery: one event on its way to one endpoint. */
  replayOf: string
  /** Id of a webhook endpoint. */
  endpointId: string
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  eventId: string
  eventType: EventType
  status: 'pending' | 'sending' | 'retrying' | 'held' | 'succeeded' | 'failed' | 'blocked' | 'discarded'
  attempts: number
  nextAttemptAt: string | null
}

export interface WebhookSignatureFixture {
  kind: 'webhook_signature_fixture'
  /** Id of a webhook endpoint. */
  endpointId: string
  spec: 'standard-webhooks/1.0.0'
  algorithm: 'hmac-sha256'
  headers: SignatureHeaderNames
  signedContent: '{webhook-id}.{webhook-timestamp}.{body}'
  toleranceSeconds: 300
  /** The secret of the vectors. Useless for live traffic. */
  secret: string
  /** At least 20 in an answer. */
  vectors: SignatureVector[]
  /** Signed just now with the fixture secret: an unmodified library accepts it until it expires. */
  fresh: {
    /** The headers of the call, by name. A vector may leave one out or spell it in another case. */
    headers: Record<string, string>
    body: string
    /** RFC 3339, UTC, with milliseconds. */
    expiresAt: string
  }
  /** An old, harmless message signed with the live secret: shows whether you configured the right one. */
  liveCheck: {
    /** The headers of the call, by name. A vector may leave one out or spell it in another case. */
    headers: Record<string, string>
    body: string
  }
}

export interface WithdrawalEventData {
  withdrawal: {
    /** Id of a withdrawal. */
    id: string
    /** The number of an order as the shopper gave it. It may be wrong, or of another shopper. */
    orderNumber: string | null
    /** RFC 3339, UTC, with milliseconds. */
    receivedAt: string
    /** The money has to be back by then: 14 days after it was received. */
    refundDueAt: string
  }
}

export interface WithdrawalReceivedEvent {
  /** Id of an event. The same at every attempt and replay: use it to recognise duplicates. */
  id: string
  type: 'withdrawal.received'
  apiVersion: 'v1'
  /** When it happened, not when it was sent. */
  timestamp: string
  /** Id of an installation. */
  installationId: string
  mode: Mode
  subject: {
    type: 'withdrawal'
    id: string
  }
  /** The version of the subject: orders its events and shows gaps. */
  sequence: number
  /** null where time, a provider or an operator caused it. */
  cause: EventCause | null
  data: WithdrawalEventData | TruncatedEventData
}
