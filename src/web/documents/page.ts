// An invoice or a credit note, for reading and printing.

import type { AdminDocument } from '../../contract/admin/documents.ts'
import { renderHtmlDocument } from '../../platform/html/frame.ts'
import { type Html, html } from '../../platform/html/html.ts'
import type { Speaker } from '../languages/language.ts'
import { receiptScript, receiptStyle } from './assets.ts'
import { documentTitle, type PrintLine, printDocument } from './print.ts'

export interface DocumentLinks {
  back: { href: string; label: string }
  files?: readonly { format: 'pdf' | 'ubl'; href: string }[]
}

export function documentPage(speaker: Speaker, document: AdminDocument, { back, files = [] }: DocumentLinks): string {
  const { say } = speaker
  const title = documentTitle(speaker, document)
  const sheet = printDocument(speaker, document)
  const row = ([name, value]: readonly [string, string]) =>
    html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`
  const block = (label: string, lines: readonly string[], css: string) =>
    html`<section class="${css}" aria-label="${label}"><p class="soft">${label}</p>${lines.map(
      (line, i) => html`<p${i === 0 && html` class="seller-name"`}><bdi>${line}</bdi></p>`,
    )}</section>`
  const body = html`<main id="main" class="receipt">
<header>
<h1>${title}</h1>
${document.mode === 'test' && html`<p class="notice">${say('document.test')}</p>`}
<div class="parties">
${sheet.buyer.length > 0 && block(say('document.buyer'), sheet.buyer, 'buyer')}
${block(say('receipt.seller'), sheet.seller, 'seller')}
</div>
<dl>${sheet.facts.map(row)}</dl>
</header>
${linesTable(speaker, sheet.columns, sheet.lines, sheet.total)}
${ratesTable(say('receipt.byRate'), sheet.rateColumns, sheet.rates)}
${sheet.notes.length > 0 && html`<section class="notes">${sheet.notes.map((note) => html`<p>${note}</p>`)}</section>`}
<nav class="tools">
<a href="${back.href}">${back.label}</a>
${files.map(({ format, href }) => html`<a href="${href}" download>${say(`document.${format}`)}</a>`)}
<button type="button" id="print">${say('receipt.print')}</button>
</nav>
</main>`
  return renderHtmlDocument({
    title: `${title} – ${document.seller.name}`,
    locale: speaker.locale,
    direction: speaker.direction,
    style: receiptStyle.href,
    script: receiptScript.href,
    head: html`<meta name="format-detection" content="telephone=no">`,
    body,
  })
}

// On a narrow screen each row is a block whose cells have the names of their columns.
function linesTable(
  { say }: Speaker,
  columns: readonly string[],
  lines: readonly PrintLine[],
  total: readonly string[],
): Html {
  const [first, ...others] = columns
  return html`<table class="lines">
<thead><tr><th scope="col">${first}</th>${others.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${lines.map(
    ({ name, detail, cells }) => html`<tr>
<th scope="row"><bdi>${name}</bdi>${detail !== '' && html`<span class="soft"><bdi>${detail}</bdi></span>`}</th>
${cells.map((cell, i) => html`<td data-name="${others[i]}">${cell}</td>`)}
</tr>`,
  )}</tbody>
<tfoot><tr><th scope="row">${say('receipt.total')}</th>${total.map(
    (cell, i) => html`<td${cell !== '' && html` data-name="${others[i]}"`}>${cell}</td>`,
  )}</tr></tfoot>
</table>`
}

function ratesTable(caption: string, columns: readonly string[], rows: readonly (readonly string[])[]): Html {
  return html`<table class="rates">
<caption>${caption}</caption>
<thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows.map((cells) => html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table>`
}
