// The style sheet of the authorization pages. They have no script.

import { styleSheet } from '../../pages/files.ts'

export const style = styleSheet({
  path: '/oauth/style.css',
  name: 'oauth style',
  file: new URL('../../pages/sheet.css', import.meta.url),
})
