// What the scopes mean, in words for the merchant who is asked to grant them. Each promise names the operations it stands
// for, and a test holds the list against the contract, so that no scope allows more than is said here.

import type { OperationId } from '../../contract/open/operations.ts'
import type { Scope } from '../../contract/words.ts'

export interface ScopeWords {
  title: string
  // Where the name of the scope promises less than it allows.
  note?: string
  points: readonly ScopePoint[]
}

export interface ScopePoint {
  text: string
  // Moves money or stock, or cannot be undone: shown with weight.
  isGrave?: boolean
  operations: readonly OperationId[]
}

export const scopeWords: Readonly<Record<Scope, ScopeWords>> = {
  'catalog:read': {
    title: 'Run checkouts and see orders',
    note: 'More than reading, whatever its name says.',
    points: [
      {
        text: 'Open checkout pages for shoppers, which hold your stock for them, and see and cancel those checkouts',
        operations: ['createHostedCheckoutSession', 'getHostedCheckoutSession', 'cancelHostedCheckoutSession'],
      },
      {
        text: 'See every order placed through this app: items, amounts, payments, deliveries, and city and country of the buyer',
        operations: ['listStorefrontOrders', 'getStorefrontOrder'],
      },
      {
        text: 'Cancel such orders, which refunds the buyer and puts the items back into stock',
        isGrave: true,
        operations: ['cancelStorefrontOrder'],
      },
      {
        text: 'See its carts, change quantities and remove items',
        operations: ['getPublicCart', 'updatePublicCartItemQuantity', 'removePublicCartItem'],
      },
    ],
  },
  'checkout:quote': {
    title: 'Make carts and price them',
    points: [
      { text: 'Create carts and put your products into them', operations: ['createPublicCart', 'putPublicCartItem'] },
      { text: 'Use promotion codes', operations: ['applyPublicCartPromotion'] },
      {
        text: 'Enter a shopper’s address to learn shipping, taxes and totals',
        operations: ['setPublicCartAddress'],
      },
    ],
  },
  'webhooks:read': {
    title: 'See its webhooks',
    points: [
      {
        text: 'See where it is told of orders, checkouts, stock and promotions, and how the latest calls went',
        operations: ['listInstallationWebhooks'],
      },
      {
        text: 'Get samples with which a receiver can prove that it checks signatures',
        operations: ['getInstallationWebhookSignatureFixture'],
      },
    ],
  },
  'webhooks:write': {
    title: 'Send webhooks again',
    points: [
      { text: 'Have an event sent to its receiver once more', operations: ['replayInstallationWebhookDelivery'] },
    ],
  },
}

// What any key may do, whatever is ticked.
export const alwaysAllowed: ScopePoint = {
  text: 'Every installed app can read your published products and categories, with exact stock, and learns which shop it is installed on.',
  operations: [
    'getInstallationCredentialIdentity',
    'listApiKeyCatalogCategories',
    'listApiKeyCatalogProducts',
    'getApiKeyCatalogProduct',
  ],
}
