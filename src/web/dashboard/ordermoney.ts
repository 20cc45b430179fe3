// The payments on an order's page, with links to the provider, refunds and disputes.

import type { AdminDispute, AdminOrder, AdminPayment } from '../../contract/admin/orders.ts'
import { brandName } from '../../platform/html/cardbrands.ts'
import { type Html, type HtmlValue, html } from '../../platform/html/html.ts'
import { providerNames } from '../../platform/html/paymentnames.ts'
import { exactTime, linkButton, renderCard, renderFacts, renderNotice, statusPill } from './parts.ts'
import type { ScreenVisit } from './screen.ts'
import type { DashboardWords } from './words.ts'

// Returns the name that people know: that of the instrument that paid, otherwise that of the selected method.
export function paymentName(
  words: DashboardWords,
  { method, instrument }: Pick<AdminPayment, 'method' | 'instrument'>,
): string {
  const known = instrument ?? method
  const spelled = known.charAt(0).toUpperCase() + known.slice(1).replaceAll('_', ' ')
  return words.sayKnown(`method.${known}`, providerNames[known] ?? spelled)
}

export function moneyCard(visit: ScreenVisit, order: AdminOrder): Html {
  const { words } = visit
  const { payments, refunds, currency, paymentDueAt, cancellation } = order
  const row = (name: Html, kind: string, state: string, minor: number, at: string, tax: number | null = null) =>
    html`<tr><th scope="row">${name}<br><span class="soft small">${exactTime(words, at)}${
      tax !== null && tax !== 0 && html`<br>${words.say('order.refundTax', { amount: words.money(tax, currency) })}`
    }</span></th><td>${statusPill(words, kind, state)}</td><td class="end">${words.money(minor, currency)}</td></tr>`
  return renderCard({
    title: words.say('order.money'),
    isFlush: true,
    body: html`${
      paymentDueAt !== null &&
      html`<p class="within soft">${words.say('order.due', { date: words.moment(paymentDueAt) })}</p>`
    }
${
  payments.length === 0 && refunds.length === 0
    ? html`<p class="within soft">${words.say('order.noPayment')}</p>`
    : html`<div class="scroll"><table><caption class="hidden">${words.say('order.money')}</caption><tbody>
${payments.map((payment) =>
  row(
    html`${paymentLine(words, payment)}${closeLink(visit, payment)}`,
    'charge',
    payment.status,
    payment.amount,
    payment.createdAt,
  ),
)}
${refunds.map((refund) =>
  row(refundLine(words, refund, payments), 'refund', refund.status, -refund.amount, refund.createdAt, refund.tax),
)}
</tbody></table></div>`
}
${receivedPart(visit, order)}
${
  cancellation !== null &&
  html`<p class="within soft">${words.say('order.cancellation')}: ${
    cancellation.reason === null ? '–' : words.say(`reason.${cancellation.reason}`)
  }${cancellation.note !== null && html`<br><span dir="auto">${cancellation.note}</span>`}</p>`
}`,
  })
}

// Units whose refund succeeded or is pending, by item. A refund of an amount has no items.
export function refundedUnits({ refunds }: Pick<AdminOrder, 'refunds'>): ReadonlyMap<string, number> {
  const units = new Map<string, number>()
  for (const { status, items } of refunds)
    if (status !== 'failed')
      for (const { skuId, quantity } of items) units.set(skuId, (units.get(skuId) ?? 0) + quantity)
  return units
}

// Lists the money that was recorded by hand, unless it is one entry with the total of the order.
function receivedPart(
  { words, to, may }: ScreenVisit,
  { id, moneyReceived, total, currency }: AdminOrder,
): Html | false {
  if (moneyReceived === null) return false
  const { entries, sum, due, excess } = moneyReceived
  if (entries.length === 0 || (entries.length === 1 && sum === total && excess === 0)) return false
  const amount = (minor: number) => words.money(minor, currency)
  return html`<div class="within"><h3>${words.say('money.received')}</h3>
${renderFacts([
  ...entries.map((entry): [HtmlValue, HtmlValue] => [
    html`${words.say(entry.amount > 0 ? 'money.came' : 'money.wentBack')} <span class="soft small">${exactTime(words, entry.at)}</span>`,
    amount(entry.amount),
  ]),
  [words.say('money.sum'), html`<strong>${amount(sum)}</strong>`],
  due > 0 && [words.say('money.due'), amount(due)],
])}
${
  excess > 0 &&
  html`<div class="after">${renderNotice('bad', words.say('money.excess', { amount: amount(excess) }))}</div>${
    may('recordAdminMoney') &&
    html`<p class="after">${linkButton({ label: words.say('money.giveBack'), href: to(`orders/${id}/give-back`), isDialog: true })}</p>`
  }`
}</div>`
}

// Names the refunded payment if the order has several.
function refundLine(
  words: DashboardWords,
  { exchanged, paymentId }: AdminOrder['refunds'][number],
  payments: readonly AdminPayment[],
): Html {
  const paid = payments.filter(({ status }) => status === 'succeeded')
  const source = paid.length > 1 && paid.find(({ id }) => id === paymentId)
  return html`${words.say(exchanged ? 'returns.exchange' : 'order.refund')}
  ${source && html` <span class="soft">${paymentName(words, source)}</span>`}`
}

function paymentLine(words: DashboardWords, payment: AdminPayment): Html {
  const { brand, last4, provider, reference, providerUrl } = payment
  return html`${paymentName(words, payment)}
  ${brand !== null && last4 !== null && html` <span class="soft">${`${brandName(brand)} ···· ${last4}`}</span>`}
  ${
    providerUrl !== null &&
    html`<br>
    <span class="small">
      <a href="${providerUrl}" target="_blank" rel="noopener noreferrer">
        ${words.say('order.atProvider', { provider: providerNames[provider] ?? provider })}
      </a> <code class="soft">${reference}</code>
    </span>`
  }`
}

const hourMs = 3_600_000

// Shown for a payment that has no outcome an hour after it began.
function closeLink(
  { words, to, may, now }: ScreenVisit,
  { id, provider, status, createdAt }: AdminPayment,
): Html | false {
  const isOpen = status === 'processing' || status === 'pending'
  if (!isOpen || provider === 'manual' || !may('closeAdminPayment') || now.getTime() < Date.parse(createdAt) + hourMs)
    return false
  return html`<br><a class="small" href="${to(`payments/${id}/close`)}" data-dialog>${words.say('order.closePayment')}</a>`
}

export function disputesCard({ words }: ScreenVisit, { disputes, payments }: AdminOrder): Html | false {
  if (disputes.length === 0) return false
  return renderCard({
    title: words.say('dispute.title'),
    id: 'disputes',
    body: html`${disputes.map((dispute) =>
      disputePart(words, dispute, payments.find(({ id }) => id === dispute.paymentId)?.provider ?? ''),
    )}`,
  })
}

function disputePart(words: DashboardWords, dispute: AdminDispute, provider: string): Html {
  const { amount, currency, status, reason, dueAt, createdAt, decidedAt, reference, providerUrl } = dispute
  const sum = words.money(amount, currency)
  const name = providerNames[provider] ?? provider
  return html`${
    status === 'open' &&
    renderNotice(
      'bad',
      dueAt === null ? words.say('dispute.open') : words.say('dispute.openUntil', { date: words.moment(dueAt) }),
    )
  }
${status === 'lost' && renderNotice('bad', words.say('dispute.lost', { amount: sum }))}
${renderFacts([
  [
    words.say('dispute.amount'),
    html`<strong>${sum}</strong> ${statusPill(words, 'dispute', status === 'open' ? 'waiting' : status)}`,
  ],
  reason !== null && [
    words.say('dispute.reason'),
    words.sayKnown(`dispute.reason.${reason}`, reason.replaceAll('_', ' ')),
  ],
  [words.say('dispute.openedAt'), exactTime(words, createdAt)],
  dueAt !== null && status === 'open' && [words.say('dispute.dueAt'), exactTime(words, dueAt)],
  decidedAt !== null && [words.say('dispute.decidedAt'), exactTime(words, decidedAt)],
  [words.say('dispute.reference'), html`<code>${reference}</code>`],
])}</div>
${
  providerUrl !== null &&
  html`<p class="after">${linkButton({
    label: words.say(status === 'open' ? 'dispute.answer' : 'order.atProvider', { provider: name }),
    href: providerUrl,
    isNewTab: true,
  })}</p>`
}`
}
