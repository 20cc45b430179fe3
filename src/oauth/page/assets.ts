// The style sheet of the authorization pages. Their only script is that of passkeys, which the pages of people have too.

import { styleSheet } from '../../pages/files.ts'

export const style = styleSheet({
  path: '/oauth/style.css',
  name: 'oauth style',
  file: new URL('../../pages/sheet.css', import.meta.url),
})
