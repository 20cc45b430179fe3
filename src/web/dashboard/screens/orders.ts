// Orders: to be sent, unpaid, and all. Selected orders can be sent or printed together.

import {
  type AdminOrderListQuery,
  type AdminOrderSummary,
  type OrderAttention,
  type OrderChannel,
  orderAttentions,
  orderChannels,
} from '../../../contract/admin/orders.ts'
import {
  type FulfillmentStatus,
  fulfillmentStatuses,
  type OrderPaymentStatus,
  type OrderStatus,
  orderPaymentStatuses,
  orderStatuses,
} from '../../../contract/words.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { redirectAfterPost } from '../../../platform/html/policy.ts'
import { renderFilters } from '../filters.ts'
import { dashboardHeaders } from '../headers.ts'
import { dayBegin } from '../localtime.ts'
import { button, countText, linkButton, renderTime, statusPill } from '../parts.ts'
import type { Screen, ScreenVisit } from '../screen.ts'
import { hrefWith, renderTable, renderTabs } from '../table.ts'
import { savedViews } from '../views.ts'

export const ordersScreen: Screen = {
  path: 'orders',
  name: 'dashboard orders',
  place: 'orders',
  needs: 'listAdminOrders',
  async get(visit) {
    const { words, query, to, may } = visit
    // Only the view of all orders has filters, so a filtered URL without a view is redirected to it.
    const isFiltered = allFilters.some((name) => query.get(name))
    if (isFiltered && !query.has('view')) return redirectAfterPost(hrefWith(visit, { view: 'all' }), dashboardHeaders)
    const cursor = query.get('cursor') ?? undefined
    const [{ data, meta }, counts] = await Promise.all([
      visit.ask('listAdminOrders', {
        query: { ...orderQueryFrom(query, visit.shop.timeZone), limit: visit.rowCount.list },
        cursor,
      }),
      visit.ask('getAdminOrderCounts'),
    ])
    const { toSend, awaitingPayment, withdrawals } = counts.data
    const names = await loadCustomerNames(visit, data)
    return {
      title: words.say('orders.title'),
      actions: html`${withdrawals !== null && withdrawalsLink(visit, withdrawals)}
      ${linkButton({ label: words.say('drafts.title'), href: to('drafts') })}
      ${linkButton({ label: words.say('returns.title'), href: to('returns') })}
      ${may('listAdminExport') && !query.get('q') && exportLink(visit)}`,
      body: html`<div data-live="order-views">${renderTabs(visit, words.say('orders.views'), [
        {
          label: words.say('orders.toSend'),
          query: { view: undefined, ...noFilters },
          count: countText(words, toSend),
        },
        {
          label: words.say('orders.unpaid'),
          query: { view: 'unpaid', ...noFilters },
          count: countText(words, awaitingPayment),
        },
        { label: words.say('orders.all'), query: { view: 'all' } },
      ])}</div>
${filterForm(visit)}${savedViews(visit, 'orders', ['view', 'sort'])}
<div data-live="orders">${renderTable(visit, {
        label: words.say('orders.title'),
        columns: [
          {
            head: words.say('orders.number'),
            cell: ({ number, agent }) => (agent === null ? number : html`${number}${agentMark(visit, agent)}`),
            isMain: true,
            isOneLine: true,
          },
          {
            head: words.say('orders.placed'),
            cell: ({ placedAt }) => renderTime(words, placedAt),
            sort: ['newest', 'oldest'],
            isPlain: true,
            onPhone: 'aside',
          },
          {
            head: words.say('orders.customer'),
            cell: (order) => customer(visit, order, names.get(order.id)),
            isPlain: true,
            onPhone: 'lead',
          },
          {
            head: words.say('orders.payment'),
            cell: ({ paymentStatus }) => statusPill(words, 'payment', paymentStatus),
            isPlain: true,
          },
          {
            head: words.say('orders.sending'),
            cell: (order) =>
              order.status === 'cancelled'
                ? statusPill(words, 'order', order.status)
                : statusPill(words, 'sending', order.fulfillmentStatus),
            isPlain: true,
          },
          {
            head: words.say('orders.items'),
            cell: ({ itemCount }) => words.number(itemCount),
            align: 'end',
            isMinor: true,
          },
          { head: words.say('orders.total'), cell: (order) => total(visit, order), align: 'end', isCorner: true },
        ],
        rows: data,
        idOf: ({ id }) => id,
        hrefOf: ({ id }) => to(`orders/${id}`),
        defaultSort: 'newest',
        choose: chosenActions(visit),
        next: meta.next,
        countAction: to('orders/rows'),
        total: query.get('q') ? undefined : { toSend, unpaid: awaitingPayment, all: undefined }[viewOf(query)],
        empty: emptyOf(visit),
      })}</div>`,
    }
  },
}

// Returns the names of customers by order id. Empty if the person may not see names or the shop masks names.
export async function loadCustomerNames(
  { may, ask }: ScreenVisit,
  orders: readonly { id: string }[],
): Promise<ReadonlyMap<string, string>> {
  if (orders.length === 0 || !may('getAdminOrderNames')) return new Map()
  const { data } = await ask('getAdminOrderNames', { query: { orderIds: orders.map(({ id }) => id).join(',') } })
  return new Map(data.map(({ orderId, name }) => [orderId, name]))
}

// Filters of the view of all orders. The search works in every view.
const allFilters = ['status', 'payment', 'fulfillment', 'attention', 'channel', 'from', 'to'] as const
const noFilters = Object.fromEntries([...allFilters, 'q'].map((name) => [name, undefined]))

function viewOf(query: URLSearchParams): 'toSend' | 'unpaid' | 'all' {
  const view = query.get('view')
  return view === 'unpaid' || view === 'all' ? view : 'toSend'
}

// Unknown parameters of the URL are ignored; the operation refuses filters with invalid values.
export function orderQueryFrom(query: URLSearchParams, timeZone: string): AdminOrderListQuery {
  const given = (name: string) => query.get(name) || undefined
  const view = viewOf(query)
  const sort = given('sort') as AdminOrderListQuery['sort']
  const [status, payment, fulfillment] = [given('status'), given('payment'), given('fulfillment')]
  const [attention, channel] = [given('attention'), given('channel')]
  const q = given('q')
    ?.replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, 100)
  // The days are in the shop's time zone, and both are included.
  const [from, to] = [dayBegin(given('from'), timeZone), dayBegin(given('to'), timeZone, 1)]
  return {
    ...(sort && { sort }),
    ...(q && { q }),
    ...(view === 'toSend' && { toSend: true }),
    ...(view === 'unpaid' && { payment: 'pending' as const }),
    ...(view === 'all' && {
      ...(status && { status: status as OrderStatus }),
      ...(payment && { payment: payment as OrderPaymentStatus }),
      ...(fulfillment && { fulfillment: fulfillment as FulfillmentStatus }),
      ...(attention && { attention: attention as OrderAttention }),
      ...(channel && { channel: channel as OrderChannel }),
      ...(from && { from }),
      ...(to && { to }),
    }),
  }
}

// A link that exports the orders of this view as a file, with its filters. Not shown during a search, which an export does not have.
function exportLink({ words, query, to }: ScreenVisit): Html {
  const view = viewOf(query)
  const filtered = allFilters.map((name) => [name, query.get(name) ?? undefined])
  const parameters = { of: 'orders', view, ...(view === 'all' && Object.fromEntries(filtered)) }
  return linkButton({ label: words.say('transfers.export'), href: to('settings/export', parameters) })
}

function withdrawalsLink({ words, to }: ScreenVisit, count: number): Html {
  const label = words.say('withdrawals.title')
  return linkButton({ label: count === 0 ? label : `${label} (${countText(words, count)})`, href: to('withdrawals') })
}

// A customer's cell has one line, and long contents are cut off. Most are short and get no element of their own: one with a direction in
// each row would take 7 ms of the first paint.
const customerLengthMax = 36

function customer(
  { words }: ScreenVisit,
  { customer: { emailMasked }, city, country }: AdminOrderSummary,
  name: string | undefined,
): Html {
  const email = name ?? emailMasked ?? '–'
  const place = [city, country].filter((part) => part !== null).join(', ')
  const direction = words.direction === 'rtl' || isRightToLeft(email + place) ? html` dir="auto"` : false
  const text = html`${direction ? html`<span${direction}>${email}</span>` : email}
  ${place !== '' && html` <span class="soft"${direction}>${place}</span>`}`
  return email.length + place.length > customerLengthMax ? html`<span class="customer">${text}</span>` : text
}

// Matches Hebrew, Arabic, Syriac, Thaana, N'Ko and related scripts.
function isRightToLeft(text: string): boolean {
  return /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u.test(text)
}

const hostLengthMax = 24

// Marks orders that an agent placed. Most orders have no agent, so there is no column. A long host is cut at its beginning, because its
// end shows who owns it.
function agentMark({ words }: ScreenVisit, { host }: NonNullable<AdminOrderSummary['agent']>): Html {
  const text = host ?? words.say('orders.agent')
  const short = text.length > hostLengthMax ? `…${text.slice(1 - hostLengthMax)}` : text
  return html` <span class="pill" title="${words.say('order.agent')} ${host ?? words.say('order.agentNameless')}">${short}</span>`
}

function total({ words }: ScreenVisit, { total: sum, refunded, currency }: AdminOrderSummary): Html {
  return html`${words.money(sum, currency)}${
    refunded > 0 &&
    html`<br><span class="soft small">${words.say('orders.refundedPart', { amount: words.money(refunded, currency) })}</span>`
  }`
}

function chosenActions(visit: ScreenVisit) {
  const { words, to, may } = visit
  const print = { action: to('orders/print'), method: 'post', isNewTab: true, icon: 'print', name: 'kind' } as const
  return {
    name: 'order',
    labelOf: ({ number }: AdminOrderSummary) => number,
    action: to('orders/send'),
    method: 'get',
    actions: html`${may('fulfilAdminOrders') && button({ label: words.say('orders.send'), kind: 'first', shortcut: 'f' })}
${may('getAdminOrderCustomer') && button({ ...print, label: words.say('orders.slips'), value: 'slips' })}
${button({ ...print, label: words.say('orders.receipts'), value: 'receipts' })}`,
  } as const
}

function filterForm(visit: ScreenVisit): Html {
  const { words, query } = visit
  const find = { name: 'q', label: words.say('orders.find'), kind: 'line' } as const
  if (viewOf(query) !== 'all') return renderFilters(visit, ['view', 'sort'], [find])
  const choices = (kind: string, all: readonly string[]) =>
    all.map((value) => ({ value, label: words.sayKnown(`state.${kind}.${value}`, value) }))
  return renderFilters(
    visit,
    ['view', 'sort'],
    [
      find,
      { name: 'status', label: words.say('orders.filterStatus'), options: choices('order', orderStatuses) },
      { name: 'payment', label: words.say('orders.filterPayment'), options: choices('payment', orderPaymentStatuses) },
      {
        name: 'fulfillment',
        label: words.say('orders.filterSending'),
        options: choices('sending', fulfillmentStatuses),
      },
      {
        name: 'attention',
        label: words.say('orders.filterAttention'),
        options: choices('attention', orderAttentions),
      },
      { name: 'channel', label: words.say('orders.filterChannel'), options: choices('channel', orderChannels) },
      { name: 'from', label: words.say('orders.from'), kind: 'day' },
      { name: 'to', label: words.say('orders.to'), kind: 'day' },
    ],
  )
}

function emptyOf(visit: ScreenVisit) {
  const { words, to, query } = visit
  const view = viewOf(query)
  if (query.get('q') && view !== 'all') {
    const q = (query.get('q') ?? '').slice(0, 100)
    const action = linkButton({ label: words.say('orders.findInAll'), href: to('orders', { view: 'all', q }) })
    return { title: words.say('search.none', { q }), text: words.say('search.noneText'), action }
  }
  const all = linkButton({ label: words.say('orders.emptySeeAll'), href: to('orders', { view: 'all' }) })
  if (view === 'toSend')
    return { title: words.say('orders.emptyToSend'), text: words.say('orders.emptyToSendText'), action: all }
  if (view === 'unpaid')
    return { title: words.say('orders.emptyUnpaid'), text: words.say('orders.emptyUnpaidText'), action: all }
  return { title: words.say('orders.empty'), text: words.say('orders.emptyText') }
}
