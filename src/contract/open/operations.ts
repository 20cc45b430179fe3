// The open surface: every public operation is one row. The first twenty rows are the interface and never change; rows with stability
// `extension` are additions of this server.

import type { TSchema } from '../schema.ts'
import { type Operation, okReply, type Reply, type Surface } from '../surface.ts'
import type { Scope } from '../words.ts'
import {
  PublicCartAddressSetRequest,
  PublicCartAddressTokenResponse,
  PublicCartCreateRequest,
  PublicCartExtensionResponse,
  PublicCartItemPutRequest,
  PublicCartPromotionApplyRequest,
  PublicCartPromotionStateResponse,
  PublicCartQuantityUpdateRequest,
  PublicCartResponse,
  PublicCartShippingEstimateResponse,
  PublicCartShippingSetRequest,
  PublicCartTransitionRequest,
  shippingEstimateQuery,
} from './carts.ts'
import {
  PublicCatalogCategoryListResponse,
  PublicCatalogProductDetailResponse,
  PublicCatalogProductListResponse,
} from './catalog.ts'
import { HostedCheckoutCancelRequest, HostedCheckoutCreateRequest, HostedCheckoutSessionResponse } from './checkout.ts'
import {
  CustomerAccountResponse,
  CustomerAddressListResponse,
  CustomerAddressRemoveRequest,
  CustomerAddressResponse,
  CustomerAddressSaveRequest,
  CustomerCodeRequest,
  CustomerCodeResponse,
  CustomerOrderListResponse,
  CustomerSessionEndRequest,
  CustomerSessionEndResponse,
  CustomerSessionOpenRequest,
  CustomerSessionResponse,
} from './customers.ts'
import { InstallationCredentialIdentityResponse } from './identity.ts'
import {
  InstallationKeyCreateRequest,
  InstallationKeyCreateResponse,
  InstallationKeyListResponse,
  InstallationKeyResponse,
  InstallationKeyTransitionRequest,
  OperationResponse,
} from './oauth.ts'
import {
  StorefrontOrderCancellationResponse,
  StorefrontOrderDetailResponse,
  StorefrontOrderListResponse,
  StorefrontOrderTransitionRequest,
} from './orders.ts'
import {
  MerchantCategoryListResponse,
  MerchantProductListResponse,
  ProductSearchResponse,
  RelatedProductListResponse,
  relatedQuery,
  SearchSuggestionListResponse,
  searchQuery,
  suggestionQuery,
} from './search.ts'
import { SitePageResponse, SitePathResponse, SiteResponse, sitePathQuery } from './site.ts'
import { PublicWebhookReplayRequest } from './webhooks.ts'

export interface OpenInterfaceOperation extends Operation {
  path: `/api/v1/${string}`
  // key: an API key. visitor: an API key, with rate limits by the address of the shopper. customer: an API key and the session of a
  // shopper. oauth: a DPoP-bound access token. anyone: no credential.
  caller: 'key' | 'visitor' | 'customer' | 'oauth' | 'anyone'
  scope: Scope | null
  tag: Tag
  page?: Page
  reply: Reply & { status: 200; schema: TSchema }
}

export type Tag = (typeof operationTags)[number]['name']
type Page = (typeof pages)[number]['name']

export const operationTags = [
  { name: 'Webhooks', description: 'Webhook endpoints of the installation, a signature fixture, and replays.' },
  { name: 'Hosted checkout', description: 'Sessions in which a shopper pays on a hosted page.' },
  { name: 'Identity', description: 'The credential that makes the call.' },
  { name: 'Catalog', description: 'Categories and published products, with an API key.' },
  { name: 'Public catalog', description: 'One product of one merchant, without authentication.' },
  { name: 'Orders', description: 'Orders of the storefront and their cancellation.' },
  { name: 'Carts', description: 'The cart: items, promotion, address.' },
  { name: 'OAuth', description: 'The authorization behind an access token.' },
  { name: 'Extensions', description: 'Additions to the interface. They may change before they become part of it.' },
] as const

export const pages = [
  {
    name: 'Search',
    description: 'Extensions: searching the catalog, suggestions, related products, and lists without a key.',
  },
  {
    name: 'Customers',
    description: 'Extensions: shoppers who sign in at a storefront by a mailed code, their orders and addresses.',
  },
  { name: 'Site', description: 'Extensions: what a storefront says of the shop, and the pages of the merchant.' },
] as const

// Refusals that every operation that changes a cart may answer with.
const cartChange = ['cart_not_found', 'version_conflict', 'cart_not_open', 'cart_locked'] as const

// biome-ignore format: a row reads best as a few lines
export const operations = {
  listInstallationWebhooks: {
    method: 'GET', path: '/api/v1/open/webhooks/endpoints',
    caller: 'key', scope: 'webhooks:read', idempotency: 'none', stability: 'stable', tag: 'Webhooks', paged: false,
    summary: 'List webhook endpoints',
    description: 'The webhook endpoints of the installation, oldest first, each with its newest deliveries.',
    body: null, reply: okReply(OperationResponse),
    refusals: [],
  },
  getInstallationWebhookSignatureFixture: {
    method: 'GET', path: '/api/v1/open/webhooks/endpoints/{id}/signature-fixture',
    caller: 'key', scope: 'webhooks:read', idempotency: 'none', stability: 'stable', tag: 'Webhooks', paged: false,
    summary: 'Get a signature fixture',
    description: 'Test vectors to prove a receiver offline, and a proof that it holds the right secret.',
    body: null, reply: okReply(OperationResponse),
    refusals: ['webhook_endpoint_not_found'],
  },
  replayInstallationWebhookDelivery: {
    method: 'POST', path: '/api/v1/open/webhooks/deliveries/{id}/replay',
    caller: 'key', scope: 'webhooks:write', idempotency: 'required', stability: 'stable', tag: 'Webhooks', paged: false,
    summary: 'Replay a webhook delivery',
    description: 'Sends the same event once more as a new delivery: same event id and bytes, fresh signature.',
    body: PublicWebhookReplayRequest, reply: okReply(OperationResponse),
    refusals: [
      'webhook_delivery_not_found', 'delivery_not_final', 'delivery_already_succeeded', 'replay_in_progress',
      'endpoint_disabled', 'payload_expired',
    ],
  },
  createHostedCheckoutSession: {
    method: 'POST', path: '/api/v1/open/hosted/checkout/sessions',
    caller: 'key', scope: 'catalog:read', idempotency: 'required', stability: 'stable', tag: 'Hosted checkout', paged: false, forPages: true,
    summary: 'Create a checkout session',
    description:
      'Opens a hosted page for a cart, or for items that become a cart, and holds the stock. A cart has one open session: creating again returns it, re-quoted and with the new addresses. `{sessionId}` in `successUrl` and `cancelUrl` becomes the id of the session, so the page there can read it with `getHostedCheckoutSession`.',
    body: HostedCheckoutCreateRequest, reply: { ...okReply(HostedCheckoutSessionResponse), isSecret: true },
    refusals: [
      'cart_not_found', 'version_conflict', 'cart_not_open', 'cart_empty', 'insufficient_stock', 'item_unavailable',
      'quantity_limit_exceeded', 'currency_mismatch', 'payment_in_progress',
    ],
  },
  getHostedCheckoutSession: {
    method: 'GET', path: '/api/v1/open/hosted/checkout/sessions/{sessionId}',
    caller: 'key', scope: 'catalog:read', idempotency: 'none', stability: 'stable', tag: 'Hosted checkout', paged: false, forPages: true,
    summary: 'Get a checkout session',
    description: 'The session as it is now. Past its time it answers expired. Once it is completed, `statusUrl` is the page of the order for the shopper.',
    body: null, reply: okReply(HostedCheckoutSessionResponse),
    refusals: ['checkout_session_not_found'],
  },
  cancelHostedCheckoutSession: {
    method: 'POST', path: '/api/v1/open/hosted/checkout/sessions/{sessionId}/cancel',
    caller: 'key', scope: 'catalog:read', idempotency: 'required', stability: 'stable', tag: 'Hosted checkout', paged: false, forPages: true,
    summary: 'Cancel a checkout session',
    description: 'Ends an open session and releases its stock. The cart stays open.',
    body: HostedCheckoutCancelRequest, reply: okReply(HostedCheckoutSessionResponse),
    refusals: ['checkout_session_not_found', 'version_conflict', 'checkout_session_not_open', 'payment_in_progress'],
  },
  getInstallationCredentialIdentity: {
    method: 'GET', path: '/api/v1/open/installation/identity',
    caller: 'key', scope: null, idempotency: 'none', stability: 'stable', tag: 'Identity', paged: false,
    summary: 'Get the identity of the credential',
    description: 'Who the key is: its scopes, installation, merchant and limits.',
    body: null, reply: okReply(InstallationCredentialIdentityResponse),
    refusals: [],
  },
  listApiKeyCatalogCategories: {
    method: 'GET', path: '/api/v1/open/catalog/categories',
    caller: 'key', scope: null, idempotency: 'none', stability: 'stable', tag: 'Catalog', paged: true, isCatalog: true, forPages: true,
    summary: 'List categories',
    description: 'In order of position, name and id; at most 100. `meta.next` leads to the rest.',
    body: null, reply: okReply(PublicCatalogCategoryListResponse),
    refusals: [],
  },
  listApiKeyCatalogProducts: {
    method: 'GET', path: '/api/v1/open/catalog/products',
    caller: 'key', scope: null, idempotency: 'none', stability: 'stable', tag: 'Catalog', paged: true, isCatalog: true, forPages: true,
    summary: 'List products',
    description: 'Published products, newest publication first; at most 100. `meta.next` leads to the rest.',
    body: null, reply: okReply(PublicCatalogProductListResponse),
    refusals: [],
  },
  getApiKeyCatalogProduct: {
    method: 'GET', path: '/api/v1/open/catalog/products/{slug}',
    caller: 'key', scope: null, idempotency: 'none', stability: 'stable', tag: 'Catalog', paged: false, isCatalog: true, forPages: true,
    summary: 'Get a product',
    description: 'One published product with its SKUs, by its slug.',
    body: null, reply: okReply(PublicCatalogProductDetailResponse),
    refusals: ['product_not_found'],
  },
  getPublicMerchantProduct: {
    method: 'GET', path: '/api/v1/catalog/merchants/{merchantSlug}/products/{productSlug}',
    caller: 'anyone', scope: null, idempotency: 'none', stability: 'stable', tag: 'Public catalog', paged: false,
    summary: 'Get a product of a merchant',
    description:
      'The same product for anyone, from any origin, cacheable: its `ETag`, sent as `If-None-Match`, is answered by 304. `availableQuantity` is null and `metadata` is empty here.',
    body: null, reply: okReply(PublicCatalogProductDetailResponse),
    refusals: ['product_not_found'],
  },
  listStorefrontOrders: {
    method: 'GET', path: '/api/v1/open/storefront/orders',
    caller: 'key', scope: 'catalog:read', idempotency: 'none', stability: 'candidate', tag: 'Orders', paged: true,
    summary: 'List orders',
    description: 'Newest first; at most 100. `data.next` leads to the rest.',
    body: null, reply: okReply(StorefrontOrderListResponse),
    refusals: [],
  },
  getStorefrontOrder: {
    method: 'GET', path: '/api/v1/open/storefront/orders/{orderId}',
    caller: 'key', scope: 'catalog:read', idempotency: 'none', stability: 'candidate', tag: 'Orders', paged: false,
    summary: 'Get an order',
    description: 'One order with its items, payments, refunds and fulfilments, and the page on which the shopper follows it.',
    body: null, reply: okReply(StorefrontOrderDetailResponse),
    refusals: ['order_not_found'],
  },
  cancelStorefrontOrder: {
    method: 'POST', path: '/api/v1/open/storefront/orders/{orderId}/cancellations',
    caller: 'key', scope: 'catalog:read', idempotency: 'required', stability: 'candidate', tag: 'Orders', paged: false,
    summary: 'Cancel an order',
    description:
      'Cancels the order, puts its items back into stock and owes the refund, all at once. The money follows.',
    body: StorefrontOrderTransitionRequest, reply: okReply(StorefrontOrderCancellationResponse),
    refusals: ['order_not_found', 'version_conflict', 'order_not_cancellable'],
  },
  getPublicCart: {
    method: 'GET', path: '/api/v1/open/storefront/carts/{cartId}',
    caller: 'key', scope: 'catalog:read', idempotency: 'none', stability: 'candidate', tag: 'Carts', paged: false, forPages: true,
    summary: 'Get a cart',
    description: 'The cart, priced now.',
    body: null, reply: okReply(PublicCartResponse),
    refusals: ['cart_not_found'],
  },
  updatePublicCartItemQuantity: {
    method: 'PATCH', path: '/api/v1/open/storefront/carts/{cartId}/items/{skuId}',
    caller: 'key', scope: 'catalog:read', idempotency: 'required', stability: 'candidate', tag: 'Carts', paged: false, forPages: true,
    summary: 'Change the quantity of an item',
    description: 'Sets the quantity of an item that is in the cart. 0 removes it.',
    body: PublicCartQuantityUpdateRequest, reply: okReply(PublicCartResponse),
    refusals: [
      ...cartChange, 'cart_item_not_found', 'insufficient_stock', 'item_unavailable', 'quantity_limit_exceeded',
    ],
  },
  removePublicCartItem: {
    method: 'DELETE', path: '/api/v1/open/storefront/carts/{cartId}/items/{skuId}',
    caller: 'key', scope: 'catalog:read', idempotency: 'required', stability: 'candidate', tag: 'Carts', paged: false, forPages: true,
    summary: 'Remove an item',
    description: 'Takes an item out of the cart. The request has a body, for its idempotency key.',
    body: PublicCartTransitionRequest, reply: okReply(PublicCartResponse),
    refusals: [...cartChange, 'cart_item_not_found'],
  },
  applyPublicCartPromotion: {
    method: 'PUT', path: '/api/v1/open/storefront/carts/{cartId}/promotion',
    caller: 'key', scope: 'checkout:quote', idempotency: 'required', stability: 'candidate', tag: 'Carts', paged: false, forPages: true,
    summary: 'Apply a promotion code',
    description:
      'Puts a code on the cart or takes it off. A code that does not apply is a 200 with its state and reason.',
    body: PublicCartPromotionApplyRequest, reply: okReply(PublicCartPromotionStateResponse),
    refusals: cartChange,
  },
  setPublicCartAddress: {
    method: 'PUT', path: '/api/v1/open/storefront/carts/{cartId}/address',
    caller: 'key', scope: 'checkout:quote', idempotency: 'required', stability: 'candidate', tag: 'Carts', paged: false, forPages: true,
    summary: 'Set the address',
    description: 'Seals the address and answers a token for it, the shipping options and the new totals.',
    body: PublicCartAddressSetRequest, reply: okReply(PublicCartAddressTokenResponse),
    refusals: [...cartChange, 'address_undeliverable'],
  },
  describeOAuthAuthorization: {
    method: 'GET', path: '/api/v1/oauth/authorize',
    caller: 'oauth', scope: null, idempotency: 'none', stability: 'candidate', tag: 'OAuth', paged: false,
    summary: 'Describe the authorization',
    description: 'What the merchant granted to the app that holds the access token, and where to go from here.',
    body: null, reply: okReply(OperationResponse),
    refusals: [],
  },
  createPublicCart: {
    method: 'POST', path: '/api/v1/open/storefront/carts',
    caller: 'key', scope: 'checkout:quote', idempotency: 'required', stability: 'extension', tag: 'Extensions', paged: false, forPages: true,
    summary: 'Create a cart',
    description: 'Makes an open cart, empty or with items.',
    body: PublicCartCreateRequest, reply: okReply(PublicCartExtensionResponse),
    refusals: ['insufficient_stock', 'item_unavailable', 'quantity_limit_exceeded'],
  },
  putPublicCartItem: {
    method: 'PUT', path: '/api/v1/open/storefront/carts/{cartId}/items/{skuId}',
    caller: 'key', scope: 'checkout:quote', idempotency: 'required', stability: 'extension', tag: 'Extensions', paged: false, forPages: true,
    summary: 'Put an item into a cart',
    description: 'Sets the quantity of a SKU, and adds the line if it is missing.',
    body: PublicCartItemPutRequest, reply: okReply(PublicCartExtensionResponse),
    refusals: [...cartChange, 'cart_item_not_found', 'insufficient_stock', 'item_unavailable', 'quantity_limit_exceeded'],
  },
  setPublicCartShipping: {
    method: 'PUT', path: '/api/v1/open/storefront/carts/{cartId}/shipping',
    caller: 'key', scope: 'checkout:quote', idempotency: 'required', stability: 'extension', tag: 'Extensions', paged: false, forPages: true,
    summary: 'Choose a shipping option',
    description:
      'Chooses one of the options that the cart offers for its address. They are in `shipping.options` of the cart and of its checkout session, each with its price; the first is taken until one is chosen. The page of an open session shows the choice.',
    body: PublicCartShippingSetRequest, reply: okReply(PublicCartExtensionResponse),
    refusals: [...cartChange, 'shipping_option_not_offered'],
  },
  estimatePublicCartShipping: {
    method: 'GET', path: '/api/v1/open/storefront/carts/{cartId}/shipping-estimate',
    caller: 'key', scope: 'catalog:read', idempotency: 'none', stability: 'extension', tag: 'Extensions', paged: false, forPages: true,
    summary: 'Estimate shipping',
    description:
      'What it costs to send the cart to a country, before there is an address: the options, and the totals with the tax of that country. Changes nothing.',
    query: shippingEstimateQuery, body: null, reply: okReply(PublicCartShippingEstimateResponse),
    refusals: ['cart_not_found'],
  },
  createInstallationKey: {
    method: 'POST', path: '/api/v1/oauth/installation-keys',
    caller: 'oauth', scope: null, idempotency: 'required', stability: 'extension', tag: 'Extensions', paged: false,
    summary: 'Issue an API key',
    description: 'Issues a key of the installation, with at most the granted scopes. The key is shown once.',
    body: InstallationKeyCreateRequest, reply: { ...okReply(InstallationKeyCreateResponse), isSecret: true },
    grantsScopes: true,
    refusals: [],
  },
  listInstallationKeys: {
    method: 'GET', path: '/api/v1/oauth/installation-keys',
    caller: 'oauth', scope: null, idempotency: 'none', stability: 'extension', tag: 'Extensions', paged: false,
    summary: 'List API keys',
    description: 'The keys of the installation, newest first; never their secrets.',
    body: null, reply: okReply(InstallationKeyListResponse),
    refusals: [],
  },
  revokeInstallationKey: {
    method: 'DELETE', path: '/api/v1/oauth/installation-keys/{keyId}',
    caller: 'oauth', scope: null, idempotency: 'required', stability: 'extension', tag: 'Extensions', paged: false,
    summary: 'Revoke an API key',
    description: 'The key is refused from now on.',
    body: InstallationKeyTransitionRequest, reply: okReply(InstallationKeyResponse),
    refusals: ['credential_not_found'],
  },
  searchCatalogProducts: {
    method: 'GET', path: '/api/v1/open/catalog/search',
    caller: 'key', scope: 'catalog:read', idempotency: 'none', stability: 'extension', tag: 'Extensions', page: 'Search', paged: true, isCatalog: true, forPages: true, takesTurns: true,
    summary: 'Search products',
    description:
      'Published products by words, category, price, stock, tag and options, with what the result can be narrowed by. Needs `q` or a filter. Nothing found is 200 with an empty list.',
    query: searchQuery,
    body: null, reply: okReply(ProductSearchResponse),
    refusals: [],
  },
  searchMerchantProducts: {
    method: 'GET', path: '/api/v1/catalog/merchants/{merchantSlug}/search',
    caller: 'anyone', scope: null, idempotency: 'none', stability: 'extension', tag: 'Extensions', page: 'Search', paged: true, takesTurns: true,
    summary: 'Search products of a merchant',
    description: 'The same search for anyone, from any origin, cacheable.',
    // Costs about as much as three pages of a list.
    cost: 3,
    query: searchQuery,
    body: null, reply: okReply(ProductSearchResponse),
    refusals: ['merchant_not_found'],
  },
  listMerchantProducts: {
    method: 'GET', path: '/api/v1/catalog/merchants/{merchantSlug}/products',
    caller: 'anyone', scope: null, idempotency: 'none', stability: 'extension', tag: 'Extensions', page: 'Search', paged: true,
    summary: 'List products of a merchant',
    description:
      'Published products, newest publication first; at most 100. For anyone, from any origin, cacheable. `meta.next` leads to the rest.',
    body: null, reply: okReply(MerchantProductListResponse),
    refusals: ['merchant_not_found'],
  },
  listMerchantCategories: {
    method: 'GET', path: '/api/v1/catalog/merchants/{merchantSlug}/categories',
    caller: 'anyone', scope: null, idempotency: 'none', stability: 'extension', tag: 'Extensions', page: 'Search', paged: true,
    summary: 'List categories of a merchant',
    description:
      'In order of position, name and id; at most 100. For anyone, from any origin, cacheable. `meta.next` leads to the rest.',
    body: null, reply: okReply(MerchantCategoryListResponse),
    refusals: ['merchant_not_found'],
  },
  listRelatedProducts: {
    method: 'GET', path: '/api/v1/open/catalog/products/{slug}/related',
    caller: 'key', scope: null, idempotency: 'none', stability: 'extension', tag: 'Extensions', page: 'Search', paged: false, isCatalog: true, forPages: true, takesTurns: true,
    summary: 'List related products',
    description: 'Products that share categories, tags or the brand with this one, and are in stock. What few products share counts more.',
    query: relatedQuery, body: null, reply: okReply(RelatedProductListResponse),
    refusals: ['product_not_found'],
  },
  listSearchSuggestions: {
    method: 'GET', path: '/api/v1/open/catalog/suggestions',
    caller: 'key', scope: null, idempotency: 'none', stability: 'extension', tag: 'Extensions', page: 'Search', paged: false, isCatalog: true, forPages: true, takesTurns: true,
    summary: 'List suggestions',
    description: 'What a search field shows while a shopper types: the first products of the search, and categories of that name.',
    query: suggestionQuery, body: null, reply: okReply(SearchSuggestionListResponse),
    refusals: [],
  },
  getSite: {
    method: 'GET', path: '/api/v1/open/site',
    caller: 'key', scope: null, idempotency: 'none', stability: 'extension', tag: 'Extensions', page: 'Site', paged: false, forPages: true,
    summary: 'Get the site',
    description: 'What a storefront says of the shop: name, currency, look, legal pages, countries, and whether the shop that this server shows is open.',
    body: null, reply: okReply(SiteResponse),
    refusals: [],
  },
  getPage: {
    method: 'GET', path: '/api/v1/open/site/pages/{slug}',
    caller: 'key', scope: null, idempotency: 'none', stability: 'extension', tag: 'Extensions', page: 'Site', paged: false, forPages: true,
    summary: 'Get a page of the shop',
    description: 'A page that the merchant wrote, such as About or Terms. `getSite` lists them.',
    body: null, reply: okReply(SitePageResponse),
    refusals: ['page_not_found'],
  },
  resolvePath: {
    method: 'GET', path: '/api/v1/open/site/path',
    caller: 'key', scope: null, idempotency: 'none', stability: 'extension', tag: 'Extensions', page: 'Site', paged: false, forPages: true,
    summary: 'Resolve a path of the shop',
    description: 'What is at a path: a product, a category, a page, or where an old path leads. A storefront asks before it answers 404: `moved` is a 301, `gone` a 410, `missing` a 404. Paths of Shopify and WooCommerce lead to the same things here.',
    query: sitePathQuery, body: null, reply: okReply(SitePathResponse),
    refusals: [],
  },
  getMerchantSite: {
    method: 'GET', path: '/api/v1/catalog/merchants/{merchantSlug}/site',
    caller: 'anyone', scope: null, idempotency: 'none', stability: 'extension', tag: 'Extensions', page: 'Site', paged: false,
    summary: 'Get the site of a merchant',
    description: 'The same for anyone, from any origin, cacheable.',
    body: null, reply: okReply(SiteResponse),
    refusals: ['merchant_not_found'],
  },
  requestCustomerCode: {
    method: 'POST', path: '/api/v1/open/customer/codes',
    caller: 'visitor', scope: 'checkout:quote', idempotency: 'required', stability: 'extension', tag: 'Extensions', page: 'Customers', paged: false, forPages: true,
    summary: 'Request a code for a shopper',
    description:
      'Sends a code of six digits to the address. It works once, for ten minutes and five tries, with the `browserToken` of this answer and at the origin of this request. The answer is the same whether the address is known or not, and where a limit is reached: 5 codes an hour and 10 a day for an address from one network, 40 a day for an address, 60 an hour for a network, 2,000 for a shop. With a secret key, the network is that of the calling server.',
    body: CustomerCodeRequest, reply: { ...okReply(CustomerCodeResponse), isSecret: true },
    refusals: [],
  },
  openCustomerSession: {
    method: 'POST', path: '/api/v1/open/customer/sessions',
    caller: 'visitor', scope: 'checkout:quote', idempotency: 'required', stability: 'extension', tag: 'Extensions', page: 'Customers', paged: false, forPages: true,
    summary: 'Open the session of a shopper',
    description:
      'Signs in by the code. The session lasts seven days. A code that does not open one is a 200 with `session: null`, and counts as a try.',
    body: CustomerSessionOpenRequest, reply: { ...okReply(CustomerSessionResponse), isSecret: true },
    refusals: [],
  },
  endCustomerSession: {
    method: 'POST', path: '/api/v1/open/customer/sessions/end',
    caller: 'visitor', scope: 'checkout:quote', idempotency: 'required', stability: 'extension', tag: 'Extensions', page: 'Customers', paged: false, forPages: true,
    summary: 'End the session of a shopper',
    description: 'Signs out. A token that is unknown, or of another origin, gets the same answer.',
    body: CustomerSessionEndRequest, reply: okReply(CustomerSessionEndResponse),
    refusals: [],
  },
  getCustomer: {
    method: 'GET', path: '/api/v1/open/customer',
    caller: 'customer', scope: 'catalog:read', idempotency: 'none', stability: 'extension', tag: 'Extensions', page: 'Customers', paged: false, forPages: true,
    summary: 'Get the customer',
    description: 'Who is signed in. Without a session that is open at this origin it is a 401, as all that follow.',
    body: null, reply: okReply(CustomerAccountResponse),
    refusals: [],
  },
  listCustomerOrders: {
    method: 'GET', path: '/api/v1/open/customer/orders',
    caller: 'customer', scope: 'catalog:read', idempotency: 'none', stability: 'extension', tag: 'Extensions', page: 'Customers', paged: true, forPages: true,
    summary: 'List the orders of the customer',
    description:
      'What was ordered with the proved address in this shop and mode, whatever storefront it was ordered at; newest first, at most 100. `meta.next` leads to the rest.',
    body: null, reply: okReply(CustomerOrderListResponse),
    refusals: [],
  },
  listCustomerAddresses: {
    method: 'GET', path: '/api/v1/open/customer/addresses',
    caller: 'customer', scope: 'catalog:read', idempotency: 'none', stability: 'extension', tag: 'Extensions', page: 'Customers', paged: false, forPages: true,
    summary: 'List the addresses of the customer',
    description: 'The addresses that the shopper saved, here or in the hosted account; at most 20.',
    body: null, reply: okReply(CustomerAddressListResponse),
    refusals: [],
  },
  addCustomerAddress: {
    method: 'POST', path: '/api/v1/open/customer/addresses',
    caller: 'customer', scope: 'checkout:quote', idempotency: 'required', stability: 'extension', tag: 'Extensions', page: 'Customers', paged: false, forPages: true,
    summary: 'Save an address of the customer',
    description: 'Checked by the rules of its country. The first is the default. One that is saved already, however it is written, is that one again.',
    body: CustomerAddressSaveRequest, reply: okReply(CustomerAddressResponse),
    refusals: ['customer_address_limit'],
  },
  replaceCustomerAddress: {
    method: 'PUT', path: '/api/v1/open/customer/addresses/{addressId}',
    caller: 'customer', scope: 'checkout:quote', idempotency: 'required', stability: 'extension', tag: 'Extensions', page: 'Customers', paged: false, forPages: true,
    summary: 'Replace an address of the customer',
    description: 'The whole address. With `isDefault: true` it becomes the default.',
    body: CustomerAddressSaveRequest, reply: okReply(CustomerAddressResponse),
    refusals: ['customer_address_not_found'],
  },
  removeCustomerAddress: {
    method: 'DELETE', path: '/api/v1/open/customer/addresses/{addressId}',
    caller: 'customer', scope: 'checkout:quote', idempotency: 'required', stability: 'extension', tag: 'Extensions', page: 'Customers', paged: false, forPages: true,
    summary: 'Remove an address of the customer',
    description: 'The request has a body, for its idempotency key.',
    body: CustomerAddressRemoveRequest, reply: okReply(CustomerAddressResponse),
    refusals: ['customer_address_not_found'],
  },
} as const satisfies Record<string, OpenInterfaceOperation>

export type Operations = typeof operations
export type OperationId = keyof Operations

export const operationIds = Object.keys(operations) as OperationId[]

export const openInterface: Surface<Operations> = {
  name: 'open',
  base: '/api/v1',
  operations,
  errorBody: (error) => ({ error }),
}
