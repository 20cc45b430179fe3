// The style sheet of the documentation pages, and the script of the reference.

import { serveScript as scriptFile, serveStyleSheet } from '../../platform/html/files.ts'

export const style = serveStyleSheet({
  path: '/site/style.css',
  name: 'style',
  file: new URL('style.css', import.meta.url),
})

export const script = scriptFile({
  path: '/site/reference.js',
  name: 'script',
  file: new URL('browser/reference.ts', import.meta.url),
})
