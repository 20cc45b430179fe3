// Text that a merchant types into a field for formatted text, as HTML. The server makes it safe. Pure.

import { escapeHtml } from '../../platform/html/html.ts'

// What is typed without any tag is paragraphs, separated by empty lines.
export function htmlOfTyped(text: string): string {
  if (/<\/?[a-z]/i.test(text)) return text
  const paragraphs = text.replaceAll('\r\n', '\n').split(/\n\s*\n/)
  return paragraphs
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => `<p>${escapeHtml(paragraph.trim()).replaceAll('\n', '<br>')}</p>`)
    .join('\n')
}
