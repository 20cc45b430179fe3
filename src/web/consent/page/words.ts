// The scopes, in words for the merchant who grants them. Each point of an open scope names its operations, and a test compares them with
// the contract, so no open scope allows more than its points say.

import type { OperationId } from '../../../contract/open/operations.ts'
import type { AdminScope, OpenInterfaceScope, Scope } from '../../../contract/words.ts'

export interface ScopeWords {
  title: string
  // For a scope that allows more than its title says.
  note?: string
  points: readonly ScopePoint[]
}

export interface ScopePoint {
  text: string
  // Whether the point is emphasized on the page, because it moves money or stock, shows personal data, or changes much.
  isSensitive?: boolean
  operations: readonly OperationId[]
}

const openWords: Readonly<Record<OpenInterfaceScope, ScopeWords>> = {
  'catalog:read': {
    title: 'Run checkouts and see orders',
    note: 'Despite its name, this allows more than reading.',
    points: [
      {
        text: 'Open checkout pages for shoppers, which reserve stock, and see and cancel those checkouts',
        operations: ['createHostedCheckoutSession', 'getHostedCheckoutSession', 'cancelHostedCheckoutSession'],
      },
      {
        text: 'See every order placed through this app: items, amounts, payments, deliveries, and the buyer’s city and country',
        operations: ['listStorefrontOrders', 'getStorefrontOrder'],
      },
      {
        text: 'Cancel these orders, which refunds the buyer and returns the items to stock',
        isSensitive: true,
        operations: ['cancelStorefrontOrder'],
      },
      { text: 'Search your products', operations: ['searchCatalogProducts'] },
      {
        text: 'See its carts and what it costs to send them, change quantities and remove items',
        operations: [
          'getPublicCart',
          'estimatePublicCartShipping',
          'updatePublicCartItemQuantity',
          'removePublicCartItem',
        ],
      },
    ],
  },
  'checkout:quote': {
    title: 'Create carts and price them',
    points: [
      { text: 'Create carts and put your products into them', operations: ['createPublicCart', 'putPublicCartItem'] },
      { text: 'Use promotion codes', operations: ['applyPublicCartPromotion'] },
      {
        text: 'Enter a shopper’s address to get shipping, taxes and totals',
        operations: ['setPublicCartAddress', 'setPublicCartShipping'],
      },
    ],
  },
  'webhooks:read': {
    title: 'See its webhooks',
    points: [
      {
        text: 'See where its webhooks about orders, checkouts, stock and promotions are sent, and how recent deliveries went',
        operations: ['listInstallationWebhooks'],
      },
      {
        text: 'Get signed samples to test that its receiver checks signatures',
        operations: ['getInstallationWebhookSignatureFixture'],
      },
    ],
  },
  'webhooks:write': {
    title: 'Resend webhooks',
    points: [{ text: 'Send an event to its receiver again', operations: ['replayInstallationWebhookDelivery'] }],
  },
}

// These scopes cover all data of the merchant in the app's mode, not only what the app itself sold. Their points do not name operations,
// because each covers many.
const whole = 'This reaches your whole shop, not only what this app sells.'
const point = (text: string, isSensitive = false): ScopePoint => ({
  text,
  operations: [],
  ...(isSensitive && { isSensitive }),
})

const adminWords: Readonly<Record<AdminScope, ScopeWords>> = {
  'admin:read': {
    title: 'See your shop',
    note: whole,
    points: [
      point(
        'See all orders, products, stock, promotions, settings and reports, without the names and addresses of buyers',
      ),
    ],
  },
  'admin:catalog': {
    title: 'Change your catalog',
    note: whole,
    points: [point('Change products, prices, stock, pictures, categories and promotions', true)],
  },
  'admin:orders': {
    title: 'Work on your orders',
    note: whole,
    points: [
      point('Record payments and parcels, and write notes'),
      point('Cancel orders, which refunds the buyer and returns the items to stock', true),
    ],
  },
  'admin:refunds': {
    title: 'Refund buyers',
    note: whole,
    points: [point('Pay money back for any order', true)],
  },
  'admin:customers': {
    title: 'See buyers’ names and addresses',
    note: whole,
    points: [point('See the name, e-mail address, telephone number and postal address of everyone who ordered', true)],
  },
  'admin:settings': {
    title: 'Change your settings',
    note: whole,
    points: [point('Change the shop, taxes, shipping and payment methods', true)],
  },
  'admin:developers': {
    title: 'Manage keys, webhooks and apps',
    note: whole,
    points: [
      point('Add webhook endpoints, its own and others, and send events again'),
      point('Create and revoke keys of every app, and end installations', true),
    ],
  },
  'admin:people': {
    title: 'Manage your team',
    note: whole,
    points: [point('Invite and remove people, and change their roles, as far as its other permissions reach', true)],
  },
}

export const scopeWords: Readonly<Record<Scope, ScopeWords>> = { ...adminWords, ...openWords }

// Operations that every API key may call, whatever is ticked.
export const alwaysAllowed: ScopePoint = {
  text: 'Every installed app can read your published products and categories, with exact stock, and the look, settings, published pages and old addresses of your shop, and learns which shop it is installed on.',
  operations: [
    'getInstallationCredentialIdentity',
    'listApiKeyCatalogCategories',
    'listApiKeyCatalogProducts',
    'getApiKeyCatalogProduct',
    'listRelatedProducts',
    'listSearchSuggestions',
    'getSite',
    'getPage',
    'resolvePath',
  ],
}
