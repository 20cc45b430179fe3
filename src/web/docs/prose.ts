// Renders the markup in sentences of the contract: backticks around code.

import { type Html, html } from '../../platform/html/html.ts'

export function renderProse(text: string): Html {
  // With an odd number of pieces, all backticks are paired, and pieces with odd indexes are code. Otherwise the backticks are shown.
  const pieces = text.split('`')
  const isPaired = pieces.length % 2 === 1
  return isPaired
    ? html`${pieces.map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`
    : html`${text}`
}
