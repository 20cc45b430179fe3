// The interface, typed in by hand from its specification and from nothing of ours: the operation table, the path
// parameters, and the schema names with their uses. The contract is held against it, so that neither can drift.

export interface InterfaceRow {
  operationId: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  scope:
    | 'webhooks:read'
    | 'webhooks:write'
    | 'catalog:read'
    | 'checkout:quote'
    | 'none'
    | 'no authentication'
    | 'OAuth 2.0'
  idempotency: 'required' | 'none'
  request: string | null
  response: string
  stability: 'stable' | 'candidate'
  parameters: readonly string[]
}

// biome-ignore format: a table reads best with one row a line
const table: readonly [string, InterfaceRow['method'], string, InterfaceRow['scope'], InterfaceRow['idempotency'], string | null, string, InterfaceRow['stability'], string[]][] = [
  ['listInstallationWebhooks',               'GET',    '/api/v1/open/webhooks/endpoints',                                 'webhooks:read',     'none',     null,                               'OperationResponse',                      'stable',    []],
  ['getInstallationWebhookSignatureFixture', 'GET',    '/api/v1/open/webhooks/endpoints/{id}/signature-fixture',          'webhooks:read',     'none',     null,                               'OperationResponse',                      'stable',    ['id']],
  ['replayInstallationWebhookDelivery',      'POST',   '/api/v1/open/webhooks/deliveries/{id}/replay',                    'webhooks:write',    'required', 'PublicWebhookReplayRequest',       'OperationResponse',                      'stable',    ['id']],
  ['createHostedCheckoutSession',            'POST',   '/api/v1/open/hosted/checkout/sessions',                           'catalog:read',      'required', 'HostedCheckoutCreateRequest',      'HostedCheckoutSessionResponse',          'stable',    []],
  ['getHostedCheckoutSession',               'GET',    '/api/v1/open/hosted/checkout/sessions/{sessionId}',               'catalog:read',      'none',     null,                               'HostedCheckoutSessionResponse',          'stable',    ['sessionId']],
  ['cancelHostedCheckoutSession',            'POST',   '/api/v1/open/hosted/checkout/sessions/{sessionId}/cancel',        'catalog:read',      'required', 'HostedCheckoutCancelRequest',      'HostedCheckoutSessionResponse',          'stable',    ['sessionId']],
  ['getInstallationCredentialIdentity',      'GET',    '/api/v1/open/installation/identity',                              'none',              'none',     null,                               'InstallationCredentialIdentityResponse', 'stable',    []],
  ['listApiKeyCatalogCategories',            'GET',    '/api/v1/open/catalog/categories',                                 'none',              'none',     null,                               'PublicCatalogCategoryListResponse',      'stable',    []],
  ['listApiKeyCatalogProducts',              'GET',    '/api/v1/open/catalog/products',                                   'none',              'none',     null,                               'PublicCatalogProductListResponse',       'stable',    []],
  ['getApiKeyCatalogProduct',                'GET',    '/api/v1/open/catalog/products/{slug}',                            'none',              'none',     null,                               'PublicCatalogProductDetailResponse',     'stable',    ['slug']],
  ['getPublicMerchantProduct',               'GET',    '/api/v1/catalog/merchants/{merchantSlug}/products/{productSlug}', 'no authentication', 'none',     null,                               'PublicCatalogProductDetailResponse',     'stable',    ['merchantSlug', 'productSlug']],
  ['listStorefrontOrders',                   'GET',    '/api/v1/open/storefront/orders',                                  'catalog:read',      'none',     null,                               'StorefrontOrderListResponse',            'candidate', []],
  ['getStorefrontOrder',                     'GET',    '/api/v1/open/storefront/orders/{orderId}',                        'catalog:read',      'none',     null,                               'StorefrontOrderDetailResponse',          'candidate', ['orderId']],
  ['cancelStorefrontOrder',                  'POST',   '/api/v1/open/storefront/orders/{orderId}/cancellations',          'catalog:read',      'required', 'StorefrontOrderTransitionRequest', 'StorefrontOrderCancellationResponse',    'candidate', ['orderId']],
  ['getPublicCart',                          'GET',    '/api/v1/open/storefront/carts/{cartId}',                          'catalog:read',      'none',     null,                               'PublicCartResponse',                     'candidate', ['cartId']],
  ['updatePublicCartItemQuantity',           'PATCH',  '/api/v1/open/storefront/carts/{cartId}/items/{skuId}',            'catalog:read',      'required', 'PublicCartQuantityUpdateRequest',  'PublicCartResponse',                     'candidate', ['cartId', 'skuId']],
  ['removePublicCartItem',                   'DELETE', '/api/v1/open/storefront/carts/{cartId}/items/{skuId}',            'catalog:read',      'required', 'PublicCartTransitionRequest',      'PublicCartResponse',                     'candidate', ['cartId', 'skuId']],
  ['applyPublicCartPromotion',               'PUT',    '/api/v1/open/storefront/carts/{cartId}/promotion',                'checkout:quote',    'required', 'PublicCartPromotionApplyRequest',  'PublicCartPromotionStateResponse',       'candidate', ['cartId']],
  ['setPublicCartAddress',                   'PUT',    '/api/v1/open/storefront/carts/{cartId}/address',                  'checkout:quote',    'required', 'PublicCartAddressSetRequest',      'PublicCartAddressTokenResponse',         'candidate', ['cartId']],
  ['describeOAuthAuthorization',             'GET',    '/api/v1/oauth/authorize',                                         'OAuth 2.0',         'none',     null,                               'OperationResponse',                      'candidate', []],
]

export const interfaceRows: readonly InterfaceRow[] = table.map(
  ([operationId, method, path, scope, idempotency, request, response, stability, parameters]) => {
    return { operationId, method, path, scope, idempotency, request, response, stability, parameters }
  },
)

export const interfaceStatuses = ['200', '400', '401', '403', '404', '409', '429']

// The schema table of section 2: each name with the operations that use it, as request or as success response.
export const interfaceSchemas: Readonly<Record<string, readonly string[] | 'every error response'>> = {
  OperationResponse: [
    'listInstallationWebhooks',
    'getInstallationWebhookSignatureFixture',
    'replayInstallationWebhookDelivery',
    'describeOAuthAuthorization',
  ],
  PublicWebhookReplayRequest: ['replayInstallationWebhookDelivery'],
  HostedCheckoutCreateRequest: ['createHostedCheckoutSession'],
  HostedCheckoutCancelRequest: ['cancelHostedCheckoutSession'],
  HostedCheckoutSessionResponse: [
    'createHostedCheckoutSession',
    'getHostedCheckoutSession',
    'cancelHostedCheckoutSession',
  ],
  InstallationCredentialIdentityResponse: ['getInstallationCredentialIdentity'],
  PublicCatalogCategoryListResponse: ['listApiKeyCatalogCategories'],
  PublicCatalogProductListResponse: ['listApiKeyCatalogProducts'],
  PublicCatalogProductDetailResponse: ['getApiKeyCatalogProduct', 'getPublicMerchantProduct'],
  StorefrontOrderListResponse: ['listStorefrontOrders'],
  StorefrontOrderDetailResponse: ['getStorefrontOrder'],
  StorefrontOrderTransitionRequest: ['cancelStorefrontOrder'],
  StorefrontOrderCancellationResponse: ['cancelStorefrontOrder'],
  PublicCartResponse: ['getPublicCart', 'updatePublicCartItemQuantity', 'removePublicCartItem'],
  PublicCartQuantityUpdateRequest: ['updatePublicCartItemQuantity'],
  PublicCartTransitionRequest: ['removePublicCartItem'],
  PublicCartPromotionApplyRequest: ['applyPublicCartPromotion'],
  PublicCartPromotionStateResponse: ['applyPublicCartPromotion'],
  PublicCartAddressSetRequest: ['setPublicCartAddress'],
  PublicCartAddressTokenResponse: ['setPublicCartAddress'],
  PublicErrorResponse: 'every error response',
}

export const interfaceErrorMeanings: Readonly<Record<string, string>> = {
  400: 'Request does not match the public contract.',
  401: 'Authentication failed.',
  403: 'Insufficient authorization scope.',
  404: 'Public resource not found.',
  409: 'Idempotency or state conflict.',
  429: 'Rate limited.',
}
