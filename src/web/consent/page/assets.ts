// The style sheet of the authorization pages. Their only script is the passkey script of the sign-in pages.

import { serveStyleSheet } from '../../../platform/html/files.ts'

export const style = serveStyleSheet({
  path: '/oauth/style.css',
  name: 'oauth style',
  file: new URL('../../../platform/html/sheet.css', import.meta.url),
})
