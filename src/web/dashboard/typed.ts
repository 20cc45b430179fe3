// Converts text that a merchant types into a field for formatted text to HTML. The server sanitizes it. Pure.

import { escapeHtml } from '../../platform/html/html.ts'

// Text without any tag consists of paragraphs, separated by empty lines.
export function typedTextToHtml(text: string): string {
  if (/<\/?[a-z]/i.test(text)) return text
  const paragraphs = text.replaceAll('\r\n', '\n').split(/\n\s*\n/)
  return paragraphs
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => `<p>${escapeHtml(paragraph.trim()).replaceAll('\n', '<br>')}</p>`)
    .join('\n')
}
