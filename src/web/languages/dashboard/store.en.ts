// Texts of the online store in English, which decides what every language has.

import type { Plural } from './plural.ts'

export const storeEn = {
  'store.title': 'Online store',
  'store.see': 'View the store',
  'store.open': 'Your store is open',
  'store.openText': 'Everyone can see it and buy there.',
  'store.closed': 'Your store is closed',
  'store.closedText':
    'Shoppers see a page that says so. You and your colleagues see the whole store while you are signed in, with a bar above it.',
  'store.nowhere': 'This server does not show a store.',
  'store.address': 'Address',
  'store.since': 'Open since',
  'store.test': 'This is the store in test mode: no money moves, and search engines leave it out.',
  'store.doOpen': 'Open the store',
  'store.doClose': 'Close the store',
  'store.noPayment': 'Shoppers cannot pay yet. Turn on a way to pay before you open:',
  'store.noShipping': 'Nothing that is shipped can be sold yet. Say where you deliver to:',
  'done.storeOpen': 'The store is open.',
  'done.storeClosed': 'The store is closed.',
  'state.site.open': 'Open',
  'state.site.closed': 'Closed',
} as const satisfies Readonly<Record<string, string | Plural>>
