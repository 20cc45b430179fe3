// The packing slip of an order, which the operator prints: items and address, without prices.

import type { Address } from '../../contract/open/carts.ts'
import { addressLines } from '../../domain/addresses/lines.ts'
import type { LegalSeller } from '../../domain/checkout/port.ts'
import type { OrderLine, OrderRow } from '../../domain/orders/store.ts'
import { renderHtmlDocument } from '../../platform/html/frame.ts'
import { html, trusted } from '../../platform/html/html.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { speakerFor } from '../languages/language.ts'

export interface PackingSlipFacts {
  seller: LegalSeller
  timeZone: string
  order: Pick<OrderRow, 'number' | 'placedAt' | 'locale' | 'shippingChoice'>
  lines: readonly OrderLine[]
  // Null if nothing is shipped or the address was erased.
  address: Address | null
}

const style = `
:root { color-scheme: light }
@page { margin: 18mm }
body { font: 11pt/1.45 system-ui, sans-serif; color: #000; background: #fff; margin: 2rem auto; max-width: 46rem; padding: 0 1rem }
h1 { font-size: 1.25rem; margin: 0 0 1.5rem }
p { margin: 0 }
header { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 1.5rem; margin-block-end: 1.5rem }
.to { font-size: 1.125rem }
.name { font-weight: 600 }
.soft { color: #444; font-size: 0.8125rem }
table { width: 100%; border-collapse: collapse }
th, td { text-align: start; vertical-align: top; padding-block: 0.5rem; padding-inline: 0 0.75rem; border-block-end: 1px solid #999 }
th.count, td.count { text-align: end; padding-inline-end: 0; width: 7rem }
tr { break-inside: avoid }
@media print { body { margin: 0; max-width: none; padding: 0 } }`

export function packingSlipDocument({ seller, timeZone, order, lines, address }: PackingSlipFacts): string {
  const { say, number, date, country, locale, direction } = speakerFor(order.locale, undefined).inTimeZone(timeZone)
  const title = `${say('slip.title')} · ${say('status.title', { number: order.number })}`
  const rest = (line: OrderLine) => line.quantity - line.fulfilled
  const isPartlySent = lines.some(({ fulfilled }) => fulfilled > 0)
  const to = address && addressLines(address, country(address.country))
  const body = html`<h1>${title}</h1>
<header>
<section class="to">
  <p class="soft">${say('slip.deliverTo')}</p>
  ${to?.map((line) => html`<p${line === address?.name && html` class="name"`}><bdi>${line}</bdi></p>`) ?? '–'}</section>
<section><p class="name"><bdi>${seller.name}</bdi></p>${seller.address?.map((line) => html`<p><bdi>${line}</bdi></p>`)}
<p class="soft">${say('status.placedAt', { date: date(toInstant(order.placedAt)) })}</p>
${order.shippingChoice && html`<p class="soft"><bdi>${order.shippingChoice.label}</bdi></p>`}</section>
</header>
<table>
<thead>
  <tr>
    <th scope="col">${say('receipt.item')}</th>
    ${isPartlySent && html`<th scope="col" class="count">${say('slip.sentBefore')}</th>`}
    <th scope="col" class="count">${say('slip.inParcel')}</th>
  </tr></thead>
<tbody>
  ${lines.map(
    (line) => html`<tr><td><p class="name"><bdi>${line.name}</bdi></p>
<p class="soft"><bdi>${[...line.options.map(({ value }) => value), line.code].join(' · ')}</bdi></p></td>
${isPartlySent && html`<td class="count">${number(line.fulfilled)}</td>`}
  <td class="count">${number(rest(line))}</td></tr>`,
  )}</tbody>
</table>`
  return renderHtmlDocument({ title, locale, direction, head: html`<style>${trusted(style)}</style>`, body })
}
