// The style sheet and the script of the sign-in pages.

import { serveScript, serveStyleSheet } from '../../../platform/html/files.ts'

export const style = serveStyleSheet({
  path: '/admin/sheet.css',
  name: 'staff style',
  file: new URL('../../../platform/html/sheet.css', import.meta.url),
})

export const passkeyScript = serveScript({
  path: '/admin/passkey.js',
  name: 'passkey script',
  file: new URL('browser/passkey.ts', import.meta.url),
})
