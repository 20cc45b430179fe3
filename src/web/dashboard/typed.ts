// Converts what a merchant types into a field for formatted text to HTML, which the server sanitizes. Pure.

import { escapeHtml } from '../../platform/html/html.ts'

// A text without tags consists of paragraphs separated by empty lines.
export function typedTextToHtml(text: string): string {
  if (/<\/?[a-z]/i.test(text)) return text
  const paragraphs = text.replaceAll('\r\n', '\n').split(/\n\s*\n/)
  return paragraphs
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => `<p>${escapeHtml(paragraph.trim()).replaceAll('\n', '<br>')}</p>`)
    .join('\n')
}
