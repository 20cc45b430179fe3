// The status page of an order, at a URL with its secret: items, payment and delivery.

import type { OrderStatusView } from '../../domain/checkout/port.ts'
import { accountPath } from '../../domain/customers/path.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { documentTitle } from '../documents/print.ts'
import type { Speaker } from '../languages/language.ts'
import { paymentInstructions, renderCheckoutFrame, renderCheckoutSheet } from './frame.ts'
import { measureNote } from './measures.ts'
import { returnsSection } from './returns.ts'
import { exemptNote, lineList, type SummaryLine, totalsList } from './summary.ts'

// `hasAccount`: whether the shopper can sign in to an account, by an e-mailed code.
export function orderPage(speaker: Speaker, order: OrderStatusView, path: string, hasAccount: boolean): string {
  const { say, sayKnown } = speaker
  const { merchant, currency, totals } = order
  const isTest = order.mode === 'test'
  const lines = order.items.map((item) => orderedLine(speaker, item, currency))
  const fact = (name: string, value: Html | string) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`
  const inside = html`<div class="status" data-status="${order.status}">
<p class="soft">${say('status.title', { number: order.number })} · ${say('status.placedAt', { date: speaker.date(order.placedAt) })}</p>
<h1>${say(titleKey(order))}</h1>
${isTest && html`<p class="notice">${say('status.test')}</p>`}
${order.isOverdue && html`<p>${say('status.overdue')}</p>`}
<dl class="facts">
${fact(say('status.payment'), sayKnown(`paid.${order.paymentStatus}`, order.paymentStatus))}
${fact(say('status.delivery'), sayKnown(`sent.${order.fulfillmentStatus}`, order.fulfillmentStatus))}
${order.shippingLabel !== null && fact(say('shipping.title'), html`<span dir="auto">${order.shippingLabel}</span>`)}
${order.addressSummary !== null && fact(say('status.address'), html`<span dir="auto">${order.addressSummary}</span>`)}
</dl>
${order.awaited && paymentInstructions(speaker, order.awaited)}
${order.fulfillments.map(
  ({ at, carrier, trackingNumber, trackingUrl }) => html`<div class="notice">
<p class="notice-title">${say('status.parcel', { date: speaker.date(at) })}</p>
<p>${carrier !== null && html`<span dir="auto">${carrier}</span> `}${
    trackingNumber !== null &&
    html`<span class="soft">${say('status.tracking')}</span> <bdi class="tag" dir="ltr">${trackingNumber}</bdi>`
  }</p>
${trackingUrl !== null && html`<p><a href="${trackingUrl}" target="_blank" rel="noopener noreferrer">${say('status.track')}</a></p>`}
</div>`,
)}
</div>
<section class="bought" aria-labelledby="items-title">
<h2 id="items-title">${say('status.items')}</h2>
${lineList(lines, say('status.items'))}
${totalsList(speaker, { currency, totals, shipping: order.shippingLabel === null ? 'none' : 'known' })}
${documentLinks(speaker, order, path)}
</section>
${returnsSection(speaker, order, path)}
${
  order.timeline.length > 0 &&
  html`<section class="bought" aria-labelledby="history-title">
<h2 id="history-title">${say('status.history')}</h2>
<ol class="history">${order.timeline.map(
    ({ at, type }) =>
      html`<li><span>${sayKnown(`timeline.${type}`, type)}</span> <time class="soft" datetime="${at}">${speaker.date(at)}</time></li>`,
  )}</ol>
</section>`
}`
  const account =
    hasAccount &&
    html`<p class="soft"><a href="${accountPath(merchant.slug, order.mode)}">${say('account.title')}</a></p>`
  const title = `${say('status.title', { number: order.number })} – ${merchant.name}`
  const body = renderCheckoutSheet(speaker, merchant, isTest, html`${inside}${account}`, order.number)
  return renderCheckoutFrame({ speaker, title, state: 'order', body })
}

// The receipt is available as soon as the order is paid. The invoice follows within seconds, and its link replaces that of the receipt.
function documentLinks(speaker: Speaker, { documents = [], timeline }: OrderStatusView, path: string): Html | false {
  const link = (href: string, text: string) => html`<p class="receipt-link"><a href="${href}">${text}</a></p>`
  if (documents.length > 0)
    return html`${documents.map((document) => link(`${path}/documents/${document.id}`, documentTitle(speaker, document)))}`
  return timeline.some(({ type }) => type === 'paid') && link(`${path}/receipt`, speaker.say('receipt.link'))
}

// A completed order was sent, but may still be in transit for days.
function titleKey({ status, fulfillments }: OrderStatusView): `status.${OrderStatusView['status'] | 'underway'}` {
  return status === 'completed' && fulfillments.length > 0 ? 'status.underway' : `status.${status}`
}

function orderedLine(speaker: Speaker, item: OrderStatusView['items'][number], currency: string): SummaryLine {
  const { say } = speaker
  return {
    ...item,
    amount: speaker.amount(item.subtotal, currency),
    notes: [
      say('item.quantityShort', { count: item.quantity }),
      item.fulfilled > 0 && item.fulfilled < item.quantity && say('status.sent', { count: item.fulfilled }),
      measureNote(speaker, item, currency),
      exemptNote(speaker, item.withdrawalExempt),
    ],
  }
}
