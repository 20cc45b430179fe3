// The style sheet of the authorization pages. Their only script is that of passkeys, which the pages of people have too.

import { styleSheet } from '../../../platform/html/files.ts'

export const style = styleSheet({
  path: '/oauth/style.css',
  name: 'oauth style',
  file: new URL('../../../platform/html/sheet.css', import.meta.url),
})
