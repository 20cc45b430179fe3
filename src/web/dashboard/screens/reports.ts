// Reports: sales by day, week, month, product, promotion or country, as a chart, a table and CSV.

import {
  type AdminSales,
  type AdminSalesReport,
  type AdminSalesRow,
  type SalesGroup,
  salesGroups,
} from '../../../contract/admin/reports.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { isFormula } from '../../../platform/kit/formula.ts'
import { decimalAmount } from '../../../platform/kit/money.ts'
import { chart } from '../chart.ts'
import { dashboardHeaders } from '../headers.ts'
import { button, emptyState, renderCard, renderNotice } from '../parts.ts'
import { catchRefusal, type Screen, type ScreenVisit } from '../screen.ts'
import { hrefWith, renderTabs } from '../table.ts'
import type { DashboardWords, TextKey } from '../words.ts'

const money = [
  'subtotal',
  'discount',
  'shipping',
  'tax',
  'total',
  'refunded',
  'refundedTax',
  'lost',
  'net',
  'unpaid',
] as const
type Member = 'orders' | 'items' | (typeof money)[number]

// Shipping, refunds and disputes belong to orders rather than to products. Lost disputes are counted by time only.
const withoutOf: Partial<Record<SalesGroup, readonly Member[]>> = {
  product: ['shipping', 'refunded', 'refundedTax', 'lost', 'net'],
  promotion: ['lost'],
  country: ['lost'],
}

// Columns that are omitted if they are 0, as in most shops.
const shownIfAny: readonly Member[] = ['refundedTax', 'lost']

function membersOf(by: SalesGroup, sum: AdminSales): readonly Member[] {
  const all: readonly Member[] = ['orders', 'items', ...money]
  const left = withoutOf[by] ?? []
  return all.filter((member) => !left.includes(member) && (!shownIfAny.includes(member) || sum[member] > 0))
}

// Whether some amounts belong to no row, such as shipping in a report by product. The rows and these amounts add up to the total. Rows of
// promotions cover only some orders.
function hasRest({ by, rest }: AdminSalesReport): boolean {
  return by === 'product' && (rest.total !== 0 || rest.tax !== 0 || rest.unpaid !== 0)
}

function askedOf({ query }: ScreenVisit) {
  const by = salesGroups.find((known) => known === query.get('by')) ?? 'day'
  const day = (name: string) => {
    const text = query.get(name) ?? ''
    return /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined
  }
  const [from, to] = [day('from'), day('to')]
  return { by, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

export const reportsScreen: Screen = {
  path: 'reports',
  name: 'dashboard reports',
  place: 'reports',
  needs: 'getAdminSalesReport',
  async get(visit) {
    const { words, query } = visit
    const asked = askedOf(visit)
    const title = words.say('reports.title')
    const nav = renderTabs(
      visit,
      words.say('reports.by'),
      salesGroups.map((by) => ({ label: words.say(`reports.by.${by}`), query: { by: by === 'day' ? undefined : by } })),
    )
    const outcome = await catchRefusal(visit.ask('getAdminSalesReport', { query: asked }))
    if ('refusal' in outcome)
      return {
        title,
        status: 400,
        body: html`${nav}
        ${rangeForm(visit, query.get('from') ?? '', query.get('to') ?? '')}
        ${renderNotice('bad', words.say('reports.badRange'), 'alert')}`,
      }
    const { data } = outcome.reply
    return {
      title,
      actions: html`<a class="button second" href="${visit.to('reports/taxes')}">${words.say('taxreport.title')}</a>
      <a
        class="button second"
        href="${visit.to('reports/export', { by: data.by, from: data.from, to: data.to })}"
        download>
        ${words.say('reports.csv')}
      </a>`,
      body: html`${nav}${rangeForm(visit, data.from, data.to)}
${
  data.sum.orders === 0 && data.rows.every(({ orders }) => orders === 0)
    ? html`<div class="card">${emptyState({ title: words.say('reports.empty'), text: words.say('reports.emptyText') })}</div>`
    : reportCards(visit, data)
}
<p class="foot-note">${words.say('reports.foot', { zone: data.timeZone.replaceAll('_', ' ') })}</p>`,
    }
  },
}

const ranges = [7, 30, 90, 365] as const

function rangeForm(visit: ScreenVisit, from: string, to: string): Html {
  const { words, query, now, shop } = visit
  const today = dayIn(now, shop.timeZone)
  const by = query.get('by')
  return html`<form class="filters" method="get">${by !== null && html`<input type="hidden" name="by" value="${by}">`}
<label>${words.say('reports.from')}<input type="date" name="from" value="${from}" required></label>
  <label>${words.say('reports.to')}<input type="date" name="to" value="${to}" required></label>
  ${button({ label: words.say('reports.show') })}
<span class="range-links">
  ${ranges.map(
    (days) => html`<a
      href="${hrefWith(visit, { from: daysBefore(today, days - 1), to: today })}"${
        from === daysBefore(today, days - 1) && to === today && html` aria-current="true"`
      }>
      ${words.say('reports.lastDays', { count: days })}
    </a>`,
  )}</span></form>`
}

// Returns a calendar day in the shop's time zone, such as 2026-11-16.
function dayIn(now: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(now)
}

function daysBefore(day: string, count: number): string {
  return new Date(Date.parse(`${day}T12:00:00Z`) - count * 86_400_000).toISOString().slice(0, 10)
}

function reportCards(visit: ScreenVisit, report: AdminSalesReport): Html {
  const { words } = visit
  const { by, sum, currency, rows } = report
  const sums: readonly Member[] = [
    ...(['total', 'net', 'orders', 'items', 'discount', 'shipping', 'tax', 'refunded', 'unpaid'] as const),
    ...shownIfAny.filter((member) => sum[member] > 0),
  ]
  const isTime = by === 'day' || by === 'week' || by === 'month'
  return html`${renderCard({
    body: html`<dl class="sums-row">
      ${sums.map(
        (member) => html`<div>
          <dt>${words.say(`reports.${member}`)}</dt>
          <dd>${shown(words, member, sum, currency)}${renderComparison(words, report, member)}</dd>
        </div>`,
      )}
    </dl>
${
  isTime &&
  chart(words, {
    title: words.say('reports.chart'),
    bars: rows.map((row) => ({
      label: words.calendarDay(row.key),
      value: row.total,
      text: words.money(row.total, currency),
    })),
    top: (value) => words.money(value, currency),
  })
}`,
  })}
${renderCard({ title: words.say(`reports.by.${by}`), isFlush: true, body: salesTable(visit, report) })}`
}

// Members that are compared with the previous period.
const comparedMembers: readonly Member[] = ['total', 'net', 'orders']

// With fewer orders in the previous period, a percentage is meaningless.
const comparableMin = 5

// Renders the change against the previous period of the same length.
export function renderComparison(
  words: DashboardWords,
  { sum, before, from, to }: AdminSalesReport,
  member: Member,
): Html | false {
  if (!comparedMembers.includes(member) || before[member] <= 0 || before.orders < comparableMin) return false
  const percent = Math.round(((sum[member] - before[member]) / before[member]) * 100)
  const count = Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1
  const text = `${percent > 0 ? '+' : ''}${words.number(percent)} %`
  return html` <span class="compared" title="${words.say('reports.compared', { count })}">
    ${text}
    <span class="hidden"> ${words.say('reports.compared', { count })}</span>
  </span>`
}

function shown(words: DashboardWords, member: Member, sales: AdminSales, currency: string): string {
  const value = sales[member]
  return member === 'orders' || member === 'items' ? words.number(value) : words.money(value, currency)
}

function salesTable({ words }: ScreenVisit, report: AdminSalesReport): Html {
  const { by, rows, sum, rest, currency } = report
  const members = membersOf(by, sum)
  const cells = (sales: AdminSales) =>
    members.map(
      (member) =>
        html`<td class="end${sales[member] === 0 ? ' zero' : ''}" data-head="${words.say(`reports.${member}`)}">
          ${shown(words, member, sales, currency)}
        </td>`,
    )
  // Periods are listed from newest to oldest.
  const isTime = by === 'day' || by === 'week' || by === 'month'
  const listed = isTime ? [...rows].reverse() : rows
  return html`<div class="scroll">
    <table class="rows report"><caption class="hidden">${words.say(`reports.by.${by}`)}</caption>
<thead>
  <tr>
    <th scope="col">${words.say(`reports.by.${by}`)}</th>
    ${members.map((member) => html`<th scope="col" class="end">${words.say(`reports.${member}`)}</th>`)}
  </tr></thead>
<tbody>
  ${listed.map((row) => html`<tr><th scope="row" class="main">${rowName(words, by, row)}</th>${cells(row)}</tr>`)}
  ${hasRest(report) && html`<tr><th scope="row" class="main">${words.say('reports.rest')}</th>${cells(rest)}</tr>`}</tbody>
<tfoot><tr><th scope="row">${words.say('reports.sum')}</th>${cells(sum)}</tr></tfoot></table></div>`
}

function rowName(words: DashboardWords, by: SalesGroup, { key, name }: AdminSalesRow): string {
  if (by === 'country') return key === '' ? words.say('reports.noCountry') : words.country(key)
  if (by === 'product' || by === 'promotion') return name ?? key
  return words.calendarDay(key)
}

// The page's table as CSV, with numbers that spreadsheet programs can read.
export const reportExportScreen: Screen = {
  path: 'reports/export',
  name: 'dashboard report export',
  place: 'reports',
  needs: 'getAdminSalesReport',
  async get(visit) {
    const { data } = await visit.ask('getAdminSalesReport', { query: askedOf(visit) })
    const name = `sales-by-${data.by}-${data.from}-${data.to}.csv`
    return {
      status: 200,
      headers: {
        ...dashboardHeaders,
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="${name}"`,
      },
      // Begins with a byte order mark, so Excel reads the file as UTF-8.
      body: `\ufeff${csvOf(visit.words, data)}`,
    }
  },
}

function csvOf(words: DashboardWords, report: AdminSalesReport): string {
  const { by, rows, sum, rest, currency } = report
  const members = membersOf(by, sum)
  const numbers = (sales: AdminSales) =>
    members.map((member) =>
      member === 'orders' || member === 'items' ? String(sales[member]) : decimalAmount(sales[member], currency),
    )
  const isTime = by === 'day' || by === 'week' || by === 'month'
  const listed = isTime ? [...rows].reverse() : rows
  const head = [words.say(`reports.by.${by}`), ...members.map((member) => columnName(words, member, currency))]
  const lines = listed.map((row) => [isTime ? row.key : rowName(words, by, row), ...numbers(row)])
  const others = hasRest(report) ? [[words.say('reports.rest'), ...numbers(rest)]] : []
  return [head, ...lines, ...others, [words.say('reports.sum'), ...numbers(sum)]]
    .map((cells) => `${cells.map(csvCell).join(',')}\r\n`)
    .join('')
}

function columnName(words: DashboardWords, member: Member, currency: string): string {
  const name = words.say(`reports.${member}` as TextKey)
  return member === 'orders' || member === 'items' ? name : `${name} (${currency})`
}

function csvCell(text: string): string {
  const safe = isFormula(text) && !/^-?\d+(?:\.\d+)?$/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
