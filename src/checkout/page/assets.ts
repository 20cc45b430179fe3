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
