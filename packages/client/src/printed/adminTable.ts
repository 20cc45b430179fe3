// Printed from the contract by `npm run client:print`. Do not edit.
// Method, arguments and path of each operation: b body, q query, p pages of a list, a for anyone.

export const adminTable = {
  home: 'GET  /api/v1/admin/home',
  orderCounts: 'GET  /api/v1/admin/home/orders',
  search: 'GET q /api/v1/admin/search',
  orders: {
    list: 'GET qp /api/v1/admin/orders',
    get: 'GET  /api/v1/admin/orders/{orderId}',
    customer: 'GET  /api/v1/admin/orders/{orderId}/customer',
    fulfil: 'POST b /api/v1/admin/orders/{orderId}/fulfillments',
    pay: 'POST b /api/v1/admin/orders/{orderId}/payments',
    updateFulfillment: 'PATCH b /api/v1/admin/orders/{orderId}/fulfillments/{fulfillmentId}',
    fulfilMany: 'POST b /api/v1/admin/fulfillments',
    cancel: 'POST b /api/v1/admin/orders/{orderId}/cancellations',
    addNote: 'POST b /api/v1/admin/orders/{orderId}/notes',
    refund: 'POST b /api/v1/admin/orders/{orderId}/refunds',
  },
  products: {
    list: 'GET qp /api/v1/admin/products',
    get: 'GET  /api/v1/admin/products/{productId}',
    create: 'POST b /api/v1/admin/products',
    replace: 'PUT b /api/v1/admin/products/{productId}',
    updateMany: 'PATCH b /api/v1/admin/products',
  },
  skus: {
    list: 'GET qp /api/v1/admin/skus',
    stockMovements: 'GET p /api/v1/admin/skus/{skuId}/movements',
    updateMany: 'PATCH b /api/v1/admin/skus',
  },
  brands: {
    list: 'GET qp /api/v1/admin/brands',
  },
  categories: {
    list: 'GET p /api/v1/admin/categories',
    create: 'POST b /api/v1/admin/categories',
    replace: 'PUT b /api/v1/admin/categories/{categoryId}',
    remove: 'DELETE b /api/v1/admin/categories/{categoryId}',
  },
  promotions: {
    list: 'GET qp /api/v1/admin/promotions',
    get: 'GET  /api/v1/admin/promotions/{promotionId}',
    create: 'POST b /api/v1/admin/promotions',
    replace: 'PUT b /api/v1/admin/promotions/{promotionId}',
  },
  pictures: {
    upload: 'POST b /api/v1/admin/pictures',
  },
  shop: {
    get: 'GET  /api/v1/admin/shop',
    update: 'PATCH b /api/v1/admin/shop',
    replaceTaxes: 'PUT b /api/v1/admin/shop/taxes',
    replaceShipping: 'PUT b /api/v1/admin/shop/shipping',
    updatePaymentProvider: 'PUT b /api/v1/admin/shop/providers/{provider}',
    connectPaymentAccount: 'POST b /api/v1/admin/shop/accounts',
    checkPaymentAccount: 'GET  /api/v1/admin/shop/accounts/{accountId}',
    replacePaymentKeys: 'PUT b /api/v1/admin/shop/accounts/{accountId}/keys',
    disconnectPaymentAccount: 'DELETE b /api/v1/admin/shop/accounts/{accountId}',
  },
  site: {
    get: 'GET  /api/v1/admin/site',
    open: 'POST b /api/v1/admin/site/open',
    close: 'POST b /api/v1/admin/site/close',
  },
  installations: {
    list: 'GET p /api/v1/admin/installations',
    create: 'POST b /api/v1/admin/installations',
    end: 'DELETE b /api/v1/admin/installations/{installationId}',
  },
  keys: {
    list: 'GET qp /api/v1/admin/keys',
    create: 'POST b /api/v1/admin/keys',
    rotate: 'POST b /api/v1/admin/keys/{keyId}/rotations',
    revoke: 'DELETE b /api/v1/admin/keys/{keyId}',
  },
  webhooks: {
    endpoints: 'GET qp /api/v1/admin/webhooks/endpoints',
    createEndpoint: 'POST b /api/v1/admin/webhooks/endpoints',
    updateEndpoint: 'PATCH b /api/v1/admin/webhooks/endpoints/{endpointId}',
    removeEndpoint: 'DELETE b /api/v1/admin/webhooks/endpoints/{endpointId}',
    rotateSecret: 'POST b /api/v1/admin/webhooks/endpoints/{endpointId}/secret-rotations',
    testEndpoint: 'POST b /api/v1/admin/webhooks/endpoints/{endpointId}/tests',
    deliveries: 'GET qp /api/v1/admin/webhooks/deliveries',
    delivery: 'GET  /api/v1/admin/webhooks/deliveries/{deliveryId}',
    replayDeliveries: 'POST b /api/v1/admin/webhooks/replays',
  },
  people: {
    get: 'GET  /api/v1/admin/people',
    update: 'PATCH b /api/v1/admin/people',
  },
  members: {
    list: 'GET p /api/v1/admin/members',
    invite: 'POST b /api/v1/admin/members',
    update: 'PATCH b /api/v1/admin/members/{memberId}',
    remove: 'DELETE b /api/v1/admin/members/{memberId}',
    resetPassword: 'POST b /api/v1/admin/members/{memberId}/password-resets',
    endSessions: 'DELETE b /api/v1/admin/members/{memberId}/sessions',
  },
  changes: {
    list: 'GET qp /api/v1/admin/changes',
    undo: 'POST b /api/v1/admin/changes/{changeId}/undo',
  },
  reports: {
    sales: 'GET q /api/v1/admin/reports/sales',
  },
  transfers: {
    list: 'GET p /api/v1/admin/transfers',
    create: 'POST b /api/v1/admin/transfers',
    get: 'GET  /api/v1/admin/transfers/{transferId}',
    append: 'PUT b /api/v1/admin/transfers/{transferId}/pieces/{piece}',
    confirm: 'POST b /api/v1/admin/transfers/{transferId}/confirmations',
    discard: 'DELETE b /api/v1/admin/transfers/{transferId}',
  },
  exports: {
    list: 'GET qp /api/v1/admin/exports',
    customers: 'GET qp /api/v1/admin/exports/customers',
  },
} as const
