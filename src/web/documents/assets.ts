// Files shared by receipts, invoices and credit notes: the style of a sheet of paper, and the script of the print button.

import { serveScript, serveStyleSheet } from '../../platform/html/files.ts'

export const receiptStyle = serveStyleSheet({
  path: '/documents/sheet.css',
  name: 'document style',
  file: new URL('sheet.css', import.meta.url),
})

export const receiptScript = serveScript({
  path: '/documents/print.js',
  name: 'document script',
  file: new URL('browser/print.ts', import.meta.url),
})
