// The little markup that sentences of the contract carry: backticks around code, and empty lines between paragraphs.

import { type Html, html } from '../pages/html.ts'

export function prose(text: string): Html {
  // An odd piece stands between two backticks. A backtick without a partner stays what it is.
  const pieces = text.split('`')
  const isPaired = pieces.length % 2 === 1
  return isPaired
    ? html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`
    : html`${text}`
}
