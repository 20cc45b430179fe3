// Printed from the contract by `npm run client:print`. Do not edit.
// Method, arguments and path of each operation: b body, q query, p pages of a list, a for anyone.

export const openTable = {
  webhooks: {
    endpoints: 'GET  /api/v1/open/webhooks/endpoints',
    signatureFixture: 'GET  /api/v1/open/webhooks/endpoints/{id}/signature-fixture',
    replay: 'POST b /api/v1/open/webhooks/deliveries/{id}/replay',
  },
  checkout: {
    create: 'POST b /api/v1/open/hosted/checkout/sessions',
    get: 'GET  /api/v1/open/hosted/checkout/sessions/{sessionId}',
    cancel: 'POST b /api/v1/open/hosted/checkout/sessions/{sessionId}/cancel',
  },
  identity: 'GET  /api/v1/open/installation/identity',
  catalog: {
    categories: 'GET p /api/v1/open/catalog/categories',
    products: 'GET p /api/v1/open/catalog/products',
    product: 'GET  /api/v1/open/catalog/products/{slug}',
    merchantProduct: 'GET a /api/v1/catalog/merchants/{merchantSlug}/products/{productSlug}',
    search: 'GET qp /api/v1/open/catalog/search',
    searchMerchant: 'GET qpa /api/v1/catalog/merchants/{merchantSlug}/search',
    merchantProducts: 'GET pa /api/v1/catalog/merchants/{merchantSlug}/products',
    merchantCategories: 'GET pa /api/v1/catalog/merchants/{merchantSlug}/categories',
    related: 'GET q /api/v1/open/catalog/products/{slug}/related',
    suggest: 'GET q /api/v1/open/catalog/suggestions',
  },
  orders: {
    list: 'GET p /api/v1/open/storefront/orders',
    get: 'GET  /api/v1/open/storefront/orders/{orderId}',
    cancel: 'POST b /api/v1/open/storefront/orders/{orderId}/cancellations',
  },
  carts: {
    get: 'GET  /api/v1/open/storefront/carts/{cartId}',
    updateItem: 'PATCH b /api/v1/open/storefront/carts/{cartId}/items/{skuId}',
    removeItem: 'DELETE b /api/v1/open/storefront/carts/{cartId}/items/{skuId}',
    applyPromotion: 'PUT b /api/v1/open/storefront/carts/{cartId}/promotion',
    setAddress: 'PUT b /api/v1/open/storefront/carts/{cartId}/address',
    create: 'POST b /api/v1/open/storefront/carts',
    putItem: 'PUT b /api/v1/open/storefront/carts/{cartId}/items/{skuId}',
    setShipping: 'PUT b /api/v1/open/storefront/carts/{cartId}/shipping',
    estimateShipping: 'GET q /api/v1/open/storefront/carts/{cartId}/shipping-estimate',
  },
  site: {
    get: 'GET  /api/v1/open/site',
    page: 'GET  /api/v1/open/site/pages/{slug}',
    resolve: 'GET q /api/v1/open/site/path',
    ofMerchant: 'GET a /api/v1/catalog/merchants/{merchantSlug}/site',
  },
  customer: {
    requestCode: 'POST b /api/v1/open/customer/codes',
    openSession: 'POST b /api/v1/open/customer/sessions',
    endSession: 'POST b /api/v1/open/customer/sessions/end',
    get: 'GET  /api/v1/open/customer',
    orders: 'GET p /api/v1/open/customer/orders',
    addresses: 'GET  /api/v1/open/customer/addresses',
    addAddress: 'POST b /api/v1/open/customer/addresses',
    replaceAddress: 'PUT b /api/v1/open/customer/addresses/{addressId}',
    removeAddress: 'DELETE b /api/v1/open/customer/addresses/{addressId}',
  },
} as const

export const installationTable = {
  authorization: 'GET  /api/v1/oauth/authorize',
  keys: {
    create: 'POST b /api/v1/oauth/installation-keys',
    list: 'GET  /api/v1/oauth/installation-keys',
    revoke: 'DELETE b /api/v1/oauth/installation-keys/{keyId}',
  },
} as const
