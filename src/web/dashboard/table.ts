// Lists: a table from a list of columns, with a URL for every state. Tabs and sort orders are links, rows are selected by
// checkboxes of one form, and the bulk actions are buttons of that form. On a phone each row is a card, by CSS alone.
//
//   renderTable(visit, {
//     label: 'Orders',
//     columns: [
//       { head: 'Order', cell: (row) => row.number, isMain: true },            the cell with the link of the row
//       { head: 'Placed', cell: (row) => …, sort: ['newest', 'oldest'] },      the heading toggles `sort` in the URL
//       { head: 'Total', cell: (row) => …, align: 'end' },
//     ],
//     rows, idOf: (row) => row.id, hrefOf: (row) => visit.to(`orders/${row.id}`),
//     choose: { name: 'order', labelOf: (row) => row.number, actions: html`…buttons…`, action: visit.to('orders/send') },
//     next: meta.next,                                                          the link in the operation's answer
//     empty: { title, text, action },
//   })
//   renderTabs(visit, 'Payment', [{ label: 'Paid', query: { payment: 'paid' } }, …])    states of the list, as links

import { type Html, type HtmlValue, html } from '../../platform/html/html.ts'
import type { PageAnswer } from '../../platform/http/pages.ts'
import { chosenParameter, toastParameters } from './browser/names.ts'
import { icon } from './icons.ts'
import { type EmptyParts, emptyState } from './parts.ts'
import { type Rows, readRowCount, rememberRowCount, rowCounts } from './rowcount.ts'
import { type PostedScreen, redirectTo, type ScreenVisit } from './screen.ts'

export interface Column<Row> {
  head: string
  cell: (row: Row) => HtmlValue
  align?: 'start' | 'end'
  isMain?: boolean
  isOneLine?: boolean
  // The values of `sort` that the first and the second press on the heading set. The URL omits the value `defaultSort`.
  sort?: readonly [first: string, second: string]
  // On a phone `isMinor` cells are omitted, `isCorner` cells are at the end of the first line, and `isPlain` cells have no heading.
  isMinor?: boolean
  isCorner?: boolean
  isPlain?: boolean
  // On a phone `lead` and `aside` share the second line of the card, in which `lead` takes the remaining width. Other cells are below.
  onPhone?: 'lead' | 'aside'
}

export interface TableParts<Row> {
  // Name of the table for screen readers.
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  idOf: (row: Row) => string
  hrefOf?: (row: Row) => string
  // The sort order that needs no parameter (default: none).
  defaultSort?: string
  choose?: RowSelection<Row> | false | undefined
  next?: string | null
  // Where the page size that the person chooses below the list is posted (`postedRowCount`). Default: the page size cannot be chosen.
  countAction?: string
  // Number of rows on all pages, if known.
  total?: number | undefined
  empty: EmptyParts
}

export interface RowSelection<Row> {
  // Name of the checkboxes: each ticked row sends its id under this name.
  name: string
  labelOf: (row: Row) => string
  // Where the buttons send the form, unless they name another URL (`button({ action })`).
  action: string
  // Buttons, which are shown in a bar.
  actions: HtmlValue
  // `get`: the buttons open a page for the selected rows (default: post).
  method?: 'get' | 'post'
}

// Id of the form that sends the selected rows, for buttons outside this form.
export const chosenForm = 'list-form'

export function renderTable<Row>(visit: ScreenVisit, parts: TableParts<Row>): Html {
  const { label, columns, rows, idOf, hrefOf, choose, next = null, countAction, empty } = parts
  if (rows.length === 0) return html`<div class="card flush list">${emptyState(empty)}${renderPager(visit, next)}</div>`
  const formId = chosenForm
  const isChosen = visit.query.get(chosenParameter) === 'all' && html` checked`
  const body = html`<table class="rows">
<caption class="hidden">${label}</caption>
<thead>
  <tr>
    ${
      choose &&
      html`<th scope="col" class="choose">
        <input type="checkbox" class="with-script" data-choose-all aria-label="${visit.words.say('table.chooseAll')}">
      </th>`
    }
    ${columns.map((column) => headCell(visit, parts, column))}
  </tr></thead>
<tbody>
  ${rows.map(
    (row) =>
      html`<tr data-row>
      ${
        choose &&
        html`<td class="choose">
          <input
            type="checkbox"
            name="${choose.name}"
            value="${idOf(row)}"
            aria-label="${visit.words.say('table.choose', { name: choose.labelOf(row) })}"
            data-choose${isChosen}>
        </td>`
      }
      ${columns.map((column) => bodyCell(column, row, column.isMain ? hrefOf?.(row) : undefined))}
    </tr>`,
  )}</tbody>
</table>`
  return html`<div class="card flush list">
    ${
      choose
        ? html`<form id="${formId}" method="${choose.method ?? 'post'}" action="${choose.action}">
<div class="scroll">${body}</div>
<div class="bulk" data-bulk>
  <span class="bulk-count" data-bulk-count data-text="${visit.words.say('table.chosen', { count: '{count}' })}">
    ${visit.words.say('table.withChosen')}
  </span>
  ${chooseMore(visit, parts)}
  ${choose.actions}</div>
</form>`
        : html`<div class="scroll">${body}</div>`
    }
    ${countAction === undefined ? renderPager(visit, next) : countedPager(visit, next, rows.length, countAction)}
  </div>`
}

function countedPager(visit: ScreenVisit, next: string | null, rowsShown: number, action: string): Html | false {
  const counts = countChoice(visit, { rows: 'list', rowsShown, action })
  const pages = renderPager(visit, next, counts)
  return pages && html`${pages}${counts.form}`
}

// Returns a link that selects more rows than this page contains, by a larger page size.
function chooseMore<Row>(visit: ScreenVisit, { next = null, countAction, total }: TableParts<Row>): Html | false {
  if (next === null || countAction === undefined || visit.query.has('cursor')) return false
  const most = Math.max(...rowCounts.list)
  if (visit.rowCount.list === most) return false
  const rows = rowCounts.list.find((count) => total !== undefined && count >= total) ?? most
  const label =
    total !== undefined && total <= most
      ? visit.words.say('table.chooseEvery', { count: visit.words.number(total) })
      : visit.words.say('table.chooseFirst', { count: visit.words.number(most) })
  return html`<a href="${hrefWith(visit, { rows: String(rows), chosen: 'all' })}">${label}</a>`
}

function headCell<Row>(visit: ScreenVisit, { defaultSort }: TableParts<Row>, column: Column<Row>): Html {
  const { head, sort } = column
  const kind = classesOf(column)
  if (!sort) return html`<th scope="col"${kind}>${head}</th>`
  const [first, second] = sort
  const current = visit.query.get('sort') ?? defaultSort
  const wanted = current === first ? second : first
  const order = current === first ? 'descending' : current === second ? 'ascending' : undefined
  const href = hrefWith(visit, { sort: wanted === defaultSort ? undefined : wanted, cursor: undefined })
  return html`<th scope="col"${kind}${order && html` aria-sort="${order}"`}>
    <a class="sort" href="${href}">${head}${order && icon(order === 'descending' ? 'down' : 'up')}</a>
  </th>`
}

function bodyCell<Row>(column: Column<Row>, row: Row, href: string | undefined): Html {
  const value = column.cell(row)
  const shown = href === undefined ? value : html`<a class="row-link" href="${href}" data-open>${value}</a>`
  if (column.isMain) return html`<th scope="row"${classesOf(column)}>${shown}</th>`
  return html`<td data-head="${column.head}"${classesOf(column)}>${shown}</td>`
}

function classesOf<Row>({ align, isMain, isOneLine, isMinor, isCorner, isPlain, onPhone }: Column<Row>): Html | false {
  const names = [
    align === 'end' && 'end',
    isMain && 'main',
    isOneLine && 'nowrap',
    isMinor && 'minor',
    isCorner && 'corner',
    isPlain && 'plain',
    onPhone,
  ]
    .filter(Boolean)
    .join(' ')
  return names !== '' && html` class="${names}"`
}

export function renderPager(visit: ScreenVisit, next: string | null, counts?: CountChoice): Html | false {
  const cursor = cursorFromLink(next)
  const isFirst = !visit.query.has('cursor')
  if (isFirst && cursor === undefined && !counts?.isNeeded) return false
  const { words } = visit
  return html`<nav class="pager" aria-label="${words.say('table.pages')}">
${
  isFirst
    ? html`<span></span>`
    : html`<a class="button second" href="${hrefWith(visit, { cursor: undefined, rows: undefined })}">
    ${words.say('table.first')}
  </a>`
}
${counts?.buttons}
  ${
    cursor !== undefined &&
    html`<a class="button second" href="${hrefWith(visit, { cursor, ...counts?.query })}" rel="next" data-next>
      ${words.say('table.next')}
      ${icon('next')}
    </a>`
  }
</nav>`
}

export interface CountChoice {
  isNeeded: boolean
  buttons: Html
  // The form of the buttons, which must be rendered outside other forms.
  form: Html
  // Parameters for the URL of the next page.
  query: Readonly<Record<string, string>>
}

export function countChoice(
  visit: ScreenVisit,
  { rows, rowsShown, action }: { rows: Rows; rowsShown: number; action: string },
): CountChoice {
  const { words } = visit
  const chosen = visit.rowCount[rows]
  const formId = 'row-count'
  const back = hrefWith(visit, { cursor: undefined, rows: undefined })
  const buttons = rowCounts[rows].map(
    (count) =>
      html`<button form="${formId}" name="rows" value="${count}" aria-pressed="${String(count === chosen)}">
        ${words.number(count)}
      </button>`,
  )
  return {
    isNeeded: rowsShown >= rowCounts[rows][0],
    buttons: html`<div class="counts" role="group" aria-label="${words.say('table.rows')}">
      <span aria-hidden="true">${words.say('table.rows')}</span>
      ${buttons}
    </div>`,
    form: html`<form id="${formId}" method="post" action="${action}"><input type="hidden" name="back" value="${back}"></form>`,
    query: { rows: String(chosen) },
  }
}

// Stores the page size chosen below a list in a cookie, and redirects to the list, which is below `path`.
export function postedRowCount({ form, to, server }: PostedScreen, path: string, rows: Rows): PageAnswer {
  const back = form.get('back') ?? ''
  // Accepts only paths of this list, with characters that a header allows.
  const isOurs = /^[!-~]+$/.test(back) && (back === to(path) || back.startsWith(`${to(path)}?`))
  const answer = redirectTo(isOurs ? back : to(path))
  const count = readRowCount(rows, form.get('rows'))
  if (count === undefined) return answer
  return { ...answer, headers: { ...answer.headers, 'set-cookie': rememberRowCount(rows, count, server.origin) } }
}

// Returns the cursor in the link `meta.next`.
export function cursorFromLink(next: string | null): string | undefined {
  return next === null ? undefined : (new URLSearchParams(next.split('?')[1]).get('cursor') ?? undefined)
}

// Returns the URL of this page with changed parameters. Undefined removes a parameter.
export function hrefWith(visit: ScreenVisit, changes: Readonly<Record<string, string | undefined>>): string {
  const [path = ''] = visit.here.split('?')
  const parameters = new URLSearchParams(visit.query)
  for (const name of [...toastParameters, chosenParameter]) parameters.delete(name)
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) parameters.delete(name)
    else parameters.set(name, value)
  }
  return parameters.size === 0 ? path : `${path}?${parameters}`
}

export interface ListTab {
  label: string
  // Parameters of this state. Undefined removes a parameter.
  query: Readonly<Record<string, string | undefined>>
  count?: number | string | undefined
}

// States of a list as links. The first link whose parameters all match is marked.
export function renderTabs(
  visit: ScreenVisit,
  label: string,
  all: readonly ListTab[],
  look: 'tabs' | 'chips' = 'tabs',
): Html {
  const isLit = ({ query }: ListTab) =>
    Object.entries(query).every(([name, value]) => (visit.query.get(name) ?? undefined) === value)
  const lit = all.find(isLit)
  return html`<nav class="${look}" aria-label="${label}">${all.map(
    (tab) =>
      html`<a href="${hrefWith(visit, { ...tab.query, cursor: undefined })}"${tab === lit && html` aria-current="page"`}>${tab.label}${
        tab.count !== undefined &&
        html` <span class="count">${typeof tab.count === 'number' ? visit.words.number(tab.count) : tab.count}</span>`
      }</a>`,
  )}</nav>`
}
