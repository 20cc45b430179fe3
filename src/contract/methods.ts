// Method names by which the typed client calls the operations: `catalog.product` for getApiKeyCatalogProduct. The client and the
// reference page are generated with these names.

import { type AdminOperationId, adminSurface } from './admin/operations.ts'
import { type OperationId, openInterface } from './open/operations.ts'
import type { Operation, Surface } from './surface.ts'

// biome-ignore format: a table reads best with one row a line
const openMethods: Readonly<Record<OperationId, string>> = {
  listInstallationWebhooks:               'webhooks.endpoints',
  getInstallationWebhookSignatureFixture: 'webhooks.signatureFixture',
  replayInstallationWebhookDelivery:      'webhooks.replay',
  createHostedCheckoutSession:            'checkout.create',
  getHostedCheckoutSession:               'checkout.get',
  cancelHostedCheckoutSession:            'checkout.cancel',
  getInstallationCredentialIdentity:      'identity',
  listApiKeyCatalogCategories:            'catalog.categories',
  listApiKeyCatalogProducts:              'catalog.products',
  getApiKeyCatalogProduct:                'catalog.product',
  getPublicMerchantProduct:               'catalog.merchantProduct',
  listStorefrontOrders:                   'orders.list',
  getStorefrontOrder:                     'orders.get',
  cancelStorefrontOrder:                  'orders.cancel',
  getPublicCart:                          'carts.get',
  updatePublicCartItemQuantity:           'carts.updateItem',
  removePublicCartItem:                   'carts.removeItem',
  applyPublicCartPromotion:               'carts.applyPromotion',
  setPublicCartAddress:                   'carts.setAddress',
  describeOAuthAuthorization:             'authorization',
  createPublicCart:                       'carts.create',
  putPublicCartItem:                      'carts.putItem',
  setPublicCartShipping:                  'carts.setShipping',
  estimatePublicCartShipping:             'carts.estimateShipping',
  createInstallationKey:                  'keys.create',
  listInstallationKeys:                   'keys.list',
  revokeInstallationKey:                  'keys.revoke',
  searchCatalogProducts:                  'catalog.search',
  searchMerchantProducts:                 'catalog.searchMerchant',
  listMerchantProducts:                   'catalog.merchantProducts',
  listMerchantCategories:                 'catalog.merchantCategories',
  listRelatedProducts:                    'catalog.related',
  listSearchSuggestions:                  'catalog.suggest',
  getSite:                                'site.get',
  getPage:                                'site.page',
  resolvePath:                            'site.resolve',
  getMerchantSite:                        'site.ofMerchant',
  requestCustomerCode:                    'customer.requestCode',
  openCustomerSession:                    'customer.openSession',
  endCustomerSession:                     'customer.endSession',
  getCustomer:                            'customer.get',
  listCustomerOrders:                     'customer.orders',
  listCustomerAddresses:                  'customer.addresses',
  addCustomerAddress:                     'customer.addAddress',
  replaceCustomerAddress:                 'customer.replaceAddress',
  removeCustomerAddress:                  'customer.removeAddress',
}

// Method names of operations for which `methodBy` would give a poor name.
const adminMethods: Readonly<Partial<Record<AdminOperationId, string>>> = {
  getAdminHome: 'home',
  getAdminDuties: 'duties.get',
  getAdminOrderCounts: 'orderCounts',
  searchAdmin: 'search',
  fulfilAdminOrders: 'orders.fulfilMany',
  listAdminCustomerExport: 'exports.customers',
  listAdminDocumentExport: 'exports.documents',
}

export type Methods = ReadonlyMap<string, string>

// Maps operation ids to method names. Names are unique within a surface.
export function mapMethodNames(surface: Surface): Methods {
  const known: Readonly<Record<string, string>> = surface.name === openInterface.name ? openMethods : adminMethods
  const methods = new Map(
    Object.entries(surface.operations).map(([id, row]) => [id, known[id] ?? methodBy(row.path, id, surface)]),
  )
  const names = [...methods.values()]
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice) throw new Error(`two operations of the ${surface.name} surface have the same client method ${twice}`)
  return methods
}

// The group is the first word of the path, and the method is what remains of the id: `orders.fulfil` for fulfilAdminOrder,
// `orders.customer` for getAdminOrderCustomer, `products.updateMany` for updateAdminProducts.
function methodBy(path: Operation['path'], id: string, { base }: Surface): string {
  const group = camel(path.slice(base.length + 1).split('/')[0] ?? '')
  const [, verb = '', noun = ''] = /^([a-z]+)(\w*)$/.exec(id.replace('Admin', '')) ?? []
  const [many, one] = [upperFirst(group), upperFirst(singular(group))]
  if (noun === many && many !== one) return `${group}.${verb === 'list' ? verb : `${verb}Many`}`
  const rest = noun.startsWith(one) ? noun.slice(one.length) : noun.endsWith(one) ? noun.slice(0, -one.length) : noun
  if (rest === '') return `${group}.${verb}`
  return `${group}.${verb === 'get' || verb === 'list' ? lowerFirst(rest) : verb + rest}`
}

const camel = (words: string) => words.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
const singular = (word: string) => word.replace(/ies$/, 'y').replace(/s$/, '')
const upperFirst = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)
const lowerFirst = (word: string) => word.slice(0, 1).toLowerCase() + word.slice(1)

export const clientMethodNames: Readonly<Record<'open' | 'admin', Methods>> = {
  open: mapMethodNames(openInterface),
  admin: mapMethodNames(adminSurface),
}
