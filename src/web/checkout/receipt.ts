// The receipt of an order, for reading and printing.

import type { LegalSeller, ReceiptView } from '../../domain/checkout/port.ts'
import type { TaxedAmount } from '../../domain/orders/receipt.ts'
import { brandName } from '../../platform/html/cardbrands.ts'
import { renderHtmlDocument } from '../../platform/html/frame.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { receiptScript, receiptStyle } from '../documents/assets.ts'
import { documentTitle } from '../documents/print.ts'
import type { Speaker } from '../languages/language.ts'

export function receiptPage(speaker: Speaker, view: ReceiptView, orderPath: string): string {
  const { say, amount, date } = speaker
  const { merchant, number, currency, receipt } = view
  const money = (minor: number) => amount(minor, currency)
  const title = say('receipt.title', { number })
  const body = html`<main id="main" class="receipt">
<header>
<h1>${title}</h1>
${view.mode === 'test' && html`<p class="notice">${say('receipt.test')}</p>`}
<dl>
<div><dt>${say('receipt.order')}</dt><dd><bdi>${number}</bdi></dd></div>
<div><dt>${say('receipt.date')}</dt><dd><time datetime="${view.placedAt}">${date(view.placedAt)}</time></dd></div>
</dl>
${sellerBlock(speaker, merchant.name, view.seller)}
</header>
${linesTable(speaker, view)}
${receipt.rates !== null && ratesTable(speaker, receipt.rates, currency)}
${view.taxReason !== null && html`<p>${say(`document.reason.${view.taxReason}`)}</p>`}
${
  (view.paid.length > 0 || view.refunded.length > 0) &&
  html`<section aria-labelledby="payment-title">
<h2 id="payment-title">${say('receipt.payment')}</h2>
<dl class="moves">
${view.paid.map(
  ({ at, amount: paid, card }) =>
    html`<div>
    <dt>
      ${say('receipt.paidAt', { date: date(at) })}
      ${card && html` <bdi class="soft">${`${brandName(card.brand)} ···· ${card.last4}`}</bdi>`}
    </dt>
    <dd>${money(paid)}</dd>
  </div>`,
)}
${view.refunded.map(
  ({ at, amount: back }) =>
    html`<div>
    <dt>${at === null ? say('receipt.refundPending') : say('receipt.refundedAt', { date: date(at) })}</dt>
    <dd>${money(-back)}</dd>
  </div>`,
)}
</dl>
</section>`
}
<nav class="tools">
<a href="${orderPath}">${say('receipt.back')}</a>
${view.invoice && html`<a href="${orderPath}/documents/${view.invoice.id}">${documentTitle(speaker, view.invoice)}</a>`}
<button type="button" id="print">${say('receipt.print')}</button>
</nav>
</main>`
  return renderHtmlDocument({
    title: `${title} – ${merchant.name}`,
    locale: speaker.locale,
    direction: speaker.direction,
    style: receiptStyle.href,
    script: receiptScript.href,
    head: html`<meta name="format-detection" content="telephone=no">`,
    body,
  })
}

function sellerBlock({ say }: Speaker, shopName: string, seller: LegalSeller | null): Html {
  const lines = [
    ...(seller?.address ?? []),
    seller?.vatId !== undefined && say('receipt.vatId', { number: seller.vatId }),
    seller?.registration,
  ].filter((line) => typeof line === 'string')
  return html`<section class="seller" aria-label="${say('receipt.seller')}">
<p class="seller-name"><bdi>${seller?.name ?? shopName}</bdi></p>
${lines.map((line) => html`<p><bdi>${line}</bdi></p>`)}
</section>`
}

// On a narrow screen each row is a block whose cells have the names of their columns.
function linesTable(speaker: Speaker, { receipt, currency }: ReceiptView): Html {
  const { say, amount } = speaker
  const columns = taxedColumns(speaker, receipt.rates !== null)
  const row = (name: Html, quantity: Html | string, amounts: TaxedAmount) => html`<tr>
<th scope="row">${name}</th>
<td class="count" data-name="${say('receipt.quantity')}">${quantity}</td>
${columns.map(({ title, show }) => html`<td data-name="${title}">${show(amounts, currency)}</td>`)}
</tr>`
  return html`<table class="lines">
<thead>
  <tr>
    <th scope="col">${say('receipt.item')}</th>
    <th scope="col" class="count">${say('receipt.quantity')}</th>
    ${columns.map(({ title }) => html`<th scope="col">${title}</th>`)}
  </tr></thead>
<tbody>
${receipt.lines.map((line) =>
  row(
    html`<bdi>${line.name}</bdi>
  ${
    line.options.length > 0 &&
    html`<span class="soft"><bdi>${line.options.map(({ value }) => value).join(' · ')}</bdi></span>`
  }`,
    speaker.number(line.quantity),
    line,
  ),
)}
${receipt.shipping.map((part) =>
  row(html`${say('total.shipping')} <span class="soft"><bdi>${part.label}</bdi></span>`, '', part),
)}
</tbody>
<tfoot><tr><th scope="row">${say('receipt.total')}</th><td class="count"></td>
<td data-name="${say('receipt.net')}">${amount(receipt.total.net, currency)}</td>
${receipt.rates !== null && html`<td></td>`}
<td data-name="${say('receipt.tax')}">${amount(receipt.total.tax, currency)}</td>
<td data-name="${say('receipt.total')}">${amount(receipt.total.gross, currency)}</td></tr></tfoot>
</table>`
}

function ratesTable(speaker: Speaker, rates: readonly TaxedAmount[], currency: string): Html {
  const { say } = speaker
  const [net, rate, ...rest] = taxedColumns(speaker, true)
  const columns = [rate, net, ...rest].filter((column) => column !== undefined)
  return html`<table class="rates">
<caption>${say('receipt.byRate')}</caption>
<thead><tr>${columns.map(({ title }) => html`<th scope="col">${title}</th>`)}</tr></thead>
<tbody>${rates.map((sum) => html`<tr>${columns.map(({ show }) => html`<td>${show(sum, currency)}</td>`)}</tr>`)}</tbody>
</table>`
}

interface Column {
  title: string
  show(amounts: TaxedAmount, currency: string): string
}

function taxedColumns({ say, amount, percent }: Speaker, hasRates: boolean): Column[] {
  return [
    { title: say('receipt.net'), show: ({ net }, currency) => amount(net, currency) },
    ...(hasRates
      ? [{ title: say('receipt.rate'), show: ({ taxRateBps }: TaxedAmount) => percent(taxRateBps ?? 0) }]
      : []),
    { title: say('receipt.tax'), show: ({ tax }, currency) => amount(tax, currency) },
    { title: say('receipt.total'), show: ({ gross }, currency) => amount(gross, currency) },
  ]
}
