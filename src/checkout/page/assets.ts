// The style sheet and the script of the checkout.

import { script as scriptFile, styleSheet } from '../../pages/files.ts'

export const style = styleSheet({
  path: '/checkout/style.css',
  name: 'checkout style',
  file: new URL('style.css', import.meta.url),
})

export const script = scriptFile({
  path: '/checkout/page.js',
  name: 'checkout script',
  file: new URL('page.js', import.meta.url),
})

export const receiptStyle = styleSheet({
  path: '/checkout/receipt.css',
  name: 'receipt style',
  file: new URL('receipt.css', import.meta.url),
})

export const receiptScript = scriptFile({
  path: '/checkout/receipt.js',
  name: 'receipt script',
  file: new URL('receipt.js', import.meta.url),
})
