// Stock and prices: one row for each SKU, edited like a spreadsheet and saved together. Saving compares counts and prices with the shown
// ones, so it does not overwrite a sale or another person's change: such a row is shown again with both values.

import type { AdminSku, AdminSkuListQuery } from '../../../contract/admin/catalog.ts'
import type { AdminOperations } from '../../../contract/admin/operations.ts'
import { limits } from '../../../contract/limits.ts'
import type { BodyOf } from '../../../contract/surface.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import type { Refusal } from '../../../platform/kit/refuse.ts'
import { renderThumbnail, sectionTabs } from '../catalog.ts'
import { renderFilters } from '../filters.ts'
import {
  field,
  issueText,
  keyField,
  leaveWarning,
  moneyText,
  type Problems,
  parseTypedAmount,
  readKey,
} from '../form.ts'
import { button, emptyState, exactTime, linkButton, pasteNote, renderNotice } from '../parts.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { countChoice, cursorFromLink, hrefWith, renderPager, renderTable, renderTabs } from '../table.ts'
import { redirectWithToast } from '../toast.ts'
import { savedViews } from '../views.ts'

// Maximum number of rows on a page: as many as one save may change.
const rowsMax = limits.bulkItemsMax
const cells = ['onHand', 'price', 'compareAt'] as const
type Cell = (typeof cells)[number]
type SkuRow = BodyOf<AdminOperations['updateAdminSkus']>['rows'][number]
type SkuChange = { -readonly [Member in keyof SkuRow]: SkuRow[Member] }

export const stockScreen: Screen = {
  path: 'stock',
  name: 'dashboard stock',
  place: 'products',
  needs: 'listAdminSkus',
  formBytesMax: 256 * 1024,
  get: async (visit) => sheetOf(visit),
  post: save,
}

async function save(posted: PostedScreen) {
  const { words, form, shop } = posted
  const typed = typedIn(form)
  const wrong = new Map<string, WrongRow>()
  const rows = [...typed].flatMap(([skuId, row]) => {
    const change = changeOf(skuId, row, shop.currency)
    if (typeof change !== 'string') return Object.keys(change).length > 1 ? [change] : []
    wrong.set(skuId, { text: words.say(change === 'onHand' ? 'form.notNumber' : 'form.notMoney'), cell: change })
    return []
  })
  const reason = form.get('reason')?.trim().slice(0, 200)
  if (wrong.size > 0) return sheetOf(posted, { typed, wrong, reason, summary: words.say('stock.wrong') })
  if (rows.length === 0) return redirectWithToast(posted.here, 'done.nothing')
  const body = {
    rows: rows.map((row) => ({ ...row, ...(reason && row.onHand !== undefined && { reason }) })),
  }
  const outcome = await catchRefusal(posted.change('updateAdminSkus', { body, key: readKey(form) }))
  if ('refusal' in outcome) {
    const summary = words.refusal(outcome.refusal)
    return sheetOf(posted, { typed, ...refusedIn(posted, outcome.refusal, rows), reason, summary, status: 409 })
  }
  const {
    answer: { data, meta },
    change,
  } = outcome.reply
  for (const { id, outcome: how, code, message } of data)
    if (how === 'refused')
      wrong.set(id, { text: words.refusal({ code: (code ?? '') as never, message: message ?? '' }) })
  if (wrong.size === 0) return redirectWithToast(posted.here, 'done.stock', { count: meta.done, change })
  const left = new Map([...typed].filter(([skuId]) => wrong.has(skuId)))
  const summary = words.say('stock.refused', { count: wrong.size, done: meta.done })
  return sheetOf(posted, { typed: left, wrong, reason, summary, status: 409 })
}

interface WrongRow {
  text: string
  // Undefined if the problem concerns the whole row.
  cell?: Cell | undefined
}

// Assigns issues to the cells of their rows. The field for the reason applies to all rows.
function refusedIn(
  { words, shop }: PostedScreen,
  { details: { issues = [] } }: Refusal,
  rows: readonly SkuChange[],
): Pick<Again, 'wrong' | 'problems'> {
  const wrong = new Map<string, WrongRow>()
  const at: Record<string, string> = {}
  for (const { path, ...rule } of issues) {
    const [, index, member = ''] = /^\/rows\/(\d+)\/(\w+)/.exec(path) ?? []
    const skuId = rows[Number(index)]?.skuId
    const cell = cells.find((one) => one === member.replace(/Price$/, ''))
    const kind = member === 'onHand' ? 'whole' : 'money'
    if (member === 'reason') at['/reason'] = words.issue(rule)
    else if (skuId !== undefined)
      wrong.set(skuId, { text: issueText(words, rule, { kind, currency: shop.currency }), cell })
  }
  return { wrong, problems: { at } }
}

interface TypedRow extends Readonly<Record<Cell, string>> {
  // Values that the page showed: on hand, price, compare-at price, and the product's id.
  was: string
}

function typedIn(form: FormFields): Map<string, TypedRow> {
  const ids = [...form.keys()].flatMap((name) => (name.startsWith('was.') ? [name.slice(4)] : []))
  const at = (name: string, lengthMax = 40) => (form.get(name) ?? '').slice(0, lengthMax).trim()
  // A page that is rendered again may have additional rows, which are no longer in the list.
  return new Map(
    ids.slice(0, 2 * rowsMax).map((id) => [
      id,
      {
        was: at(`was.${id}`, 80),
        onHand: at(`onHand.${id}`),
        price: at(`price.${id}`),
        compareAt: at(`compareAt.${id}`),
      },
    ]),
  )
}

// Returns the changes against the shown values, or the first cell that cannot be parsed.
function changeOf(skuId: string, { was, onHand, price, compareAt }: TypedRow, currency: string): SkuChange | Cell {
  const [wasOnHand = '', wasPrice = '', wasCompareAt = ''] = was.split(' ')
  const change: SkuChange = { skuId }
  if (onHand !== wasOnHand) {
    if (!/^\d{1,10}$/.test(onHand) || !/^\d{1,10}$/.test(wasOnHand)) return 'onHand'
    if (Number(onHand) !== Number(wasOnHand)) {
      change.onHand = Number(onHand)
      change.expectedOnHand = Number(wasOnHand)
    }
  }
  const amount = parseTypedAmount(cleaned(price), currency)
  if (amount === undefined) return 'price'
  if (String(amount) !== wasPrice) {
    change.price = amount
    if (isAmount(wasPrice)) change.expectedPrice = Number(wasPrice)
  }
  const compared = compareAt === '' ? null : parseTypedAmount(cleaned(compareAt), currency)
  if (compared === undefined) return 'compareAt'
  if (String(compared ?? '') !== wasCompareAt) {
    change.compareAtPrice = compared
    if (wasCompareAt === '' || isAmount(wasCompareAt))
      change.expectedCompareAtPrice = wasCompareAt === '' ? null : Number(wasCompareAt)
  }
  return change
}

function isAmount(text: string): boolean {
  return /^\d{1,12}$/.test(text)
}

// Removes the currency that spreadsheet programs copy with amounts, as in '12.50 €'.
function cleaned(text: string): string {
  return text.replaceAll(/[\s\u00a0\u202f]|\p{Sc}|[A-Z]{3}$/gu, '')
}

interface Again {
  typed: ReadonlyMap<string, TypedRow>
  // Keyed by the id of the SKU.
  wrong: ReadonlyMap<string, WrongRow>
  problems?: Problems
  reason: string | undefined
  summary: string
  status?: number
}

async function sheetOf(visit: ScreenVisit, again?: Again): Promise<ScreenSheet> {
  const { words, may } = visit
  const { rows: listed, next } = await rowsOf(visit)
  const rows = again ? [...(await rowsGone(visit, listed, again.typed)), ...listed] : listed
  const mayChange = may('updateAdminSkus')
  return {
    title: words.say('stock.title'),
    ...(again && { status: again.status ?? 400 }),
    body: html`${sectionTabs(visit, 'stock')}
<div class="toolbar">${renderTabs(
      visit,
      words.say('stock.views'),
      [
        { label: words.say('stock.all'), query: { stock: undefined, measure: undefined } },
        { label: words.say('stock.low'), query: { stock: 'low', measure: undefined } },
        { label: words.say('stock.out'), query: { stock: 'out', measure: undefined } },
        { label: words.say('stock.unmeasured'), query: { stock: undefined, measure: 'missing' } },
      ],
      'chips',
    )}
${renderFilters(visit, ['stock', 'measure', 'sort'], [{ name: 'q', label: words.say('stock.find'), kind: 'line' }])}</div>
${savedViews(visit, 'stock', ['sort', 'stock', 'measure'])}
${again && renderNotice('bad', again.summary, 'alert')}
${
  rows.length === 0
    ? html`<div class="card flush list">${emptyState(emptyOf(visit))}${renderPager(visit, next)}</div>`
    : sheetForm(visit, { rows, next, again, mayChange })
}`,
  }
}

async function rowsOf(visit: ScreenVisit): Promise<{ rows: AdminSku[]; next: string | null }> {
  const { query } = visit
  const asked = Object.fromEntries(
    ['q', 'stock', 'productId', 'measure'].flatMap((name) => {
      const value = query.get(name)?.trim()
      return value ? [[name, value]] : []
    }),
  ) as AdminSkuListQuery
  const cursor = query.get('cursor') ?? undefined
  const { data, meta } = await visit.ask('listAdminSkus', {
    query: { ...asked, sort: sortOf(visit), limit: visit.rowCount.sheet },
    cursor,
  })
  return { rows: data, next: meta.next }
}

// Returns rows with typed values that are no longer in the list, for example because their stock has changed.
async function rowsGone(visit: ScreenVisit, listed: readonly AdminSku[], typed: Again['typed']): Promise<AdminSku[]> {
  const shown = new Set(listed.map(({ id }) => id))
  const gone = new Map(
    [...typed].filter(([id, row]) => {
      const change = changeOf(id, row, visit.shop.currency)
      return !shown.has(id) && (typeof change === 'string' || Object.keys(change).length > 1)
    }),
  )
  const productIds = new Set([...gone.values()].flatMap(({ was }) => was.split(' ')[3] ?? []))
  const found: AdminSku[] = []
  for (const productId of productIds) {
    let cursor: string | undefined
    do {
      const { data, meta } = await visit.ask('listAdminSkus', { query: { productId, limit: rowsMax }, cursor })
      found.push(...data.filter(({ id }) => gone.has(id)))
      cursor = cursorFromLink(meta.next)
    } while (cursor !== undefined)
  }
  return found
}

type Sort = 'code' | 'stock'

// With a filter for low or no stock, rows with the least stock come first.
const usualSort = ({ query }: ScreenVisit): Sort => (query.get('stock')?.trim() ? 'stock' : 'code')

// The operation refuses an invalid sort order, so the cast is safe.
const sortOf = (visit: ScreenVisit): Sort => (visit.query.get('sort')?.trim() || usualSort(visit)) as Sort

interface Shown {
  rows: readonly AdminSku[]
  next: string | null
  again: Again | undefined
  mayChange: boolean
}

function sheetForm(visit: ScreenVisit, { rows, next, again, mayChange }: Shown): Html {
  const { words } = visit
  const sorted = sortOf(visit)
  const head = (key: Sort, text: string, kind: Html | false) =>
    html`<th scope="col"${kind}${sorted === key && html` aria-sort="ascending"`}>
      <a
        class="sort"
        href="${hrefWith(visit, { sort: key === usualSort(visit) ? undefined : key, cursor: undefined })}">
        ${text}
      </a>
    </th>`
  const end = html` class="end"`
  const body = html`<div class="scroll"><table class="rows sheet-cells"${mayChange && html` data-sheet`}>
<caption class="hidden">${words.say('stock.title')}</caption>
<thead>
  <tr>
    ${head('code', words.say('stock.code'), false)}
    <th scope="col"${end}>${words.say('stock.held')}</th>
    ${head('stock', words.say('stock.free'), end)}
    <th scope="col"${end}>${words.say('stock.onHand')}</th>
    <th scope="col"${end}>${words.say('stock.price')}</th>
    <th scope="col"${end}>${words.say('stock.compareAt')}</th>
  </tr></thead>
<tbody>${rows.map((row) => skuRow(visit, row, mayChange, again?.typed.get(row.id), again?.wrong.get(row.id)))}</tbody>
</table></div>`
  const counts = countChoice(visit, { rows: 'sheet', rowsShown: rows.length, action: visit.to('stock/rows') })
  const pages = renderPager(visit, next, counts)
  const list = html`<div class="card flush list">${body}${pages}</div>`
  if (!mayChange) return html`${list}${pages && counts.form}`
  const hasMore = next !== null && visit.rowCount.sheet < rowsMax
  // The URL contains the page size, so a page with refused rows has it even if another tab stored another.
  return html`<form class="form sheet-form" method="post" action="${hrefWith(visit, counts.query)}"${leaveWarning(visit)}>
    ${keyField()}
${list}
<div class="form-foot sticky">${button({ label: words.say('action.save'), kind: 'first', shortcut: 'save' })}
<span class="soft small with-script" data-changed data-text="${words.say('stock.changedCells', { count: '{count}' })}"></span>
${pasteNote(words.say(hasMore ? 'stock.leftOut' : 'table.leftOut', { count: '{count}' }))}
<div class="foot-field">
  ${field(words, { name: 'reason', label: words.say('stock.reason'), kind: 'line', lengthMax: 200 }, again?.reason, again?.problems)}</div>
  </div>
</form>${pages && counts.form}`
}

function skuRow(visit: ScreenVisit, row: AdminSku, mayChange: boolean, typed?: TypedRow, wrong?: WrongRow): Html {
  const { words, to, shop } = visit
  const { id, code, name, productId, productName, held, available } = row
  const money = (amount: number | null) => (amount === null ? '' : moneyText(amount, shop.currency))
  const now: Record<Cell, string> = {
    onHand: String(row.onHand),
    price: money(row.price),
    compareAt: money(row.compareAtPrice),
  }
  const [seenOnHand = '', seenPrice, seenCompareAt] = typed?.was.split(' ') ?? []
  const seen: Record<Cell, string> = {
    onHand: seenOnHand,
    price: money(seenPrice ? Number(seenPrice) : null),
    compareAt: money(seenCompareAt ? Number(seenCompareAt) : null),
  }
  const price = (amount: number | null) => (amount === null ? '–' : words.money(amount, shop.currency))
  // Current values that differ from the shown ones, because of a sale or another person's change.
  const present = typed
    ? [
        seen.onHand !== now.onHand && words.say('stock.now', { count: row.onHand }),
        seen.price !== now.price && words.say('stock.priceNow', { price: price(row.price) }),
        seen.compareAt !== now.compareAt && words.say('stock.compareAtNow', { price: price(row.compareAtPrice) }),
      ].filter((text) => text !== false)
    : []
  const noteId = `note-${id}`
  const cell = (key: Cell): Html => {
    const head = words.say(`stock.${key}`)
    if (!mayChange) return html`<td class="end" data-head="${head}">${now[key] || '–'}</td>`
    // A cell that the person did not change shows the current value, so saving again does not overwrite another person's change.
    const value = typed && typed[key] !== seen[key] ? typed[key] : now[key]
    const state =
      wrong !== undefined &&
      (wrong.cell === undefined || wrong.cell === key) &&
      html` aria-describedby="${noteId}" aria-invalid="true"`
    return html`<td class="end cell" data-head="${head}">
      <input
        name="${key}.${id}"
        value="${value}"
        inputmode="${key === 'onHand' ? 'numeric' : 'decimal'}"
        dir="ltr"
        autocomplete="off"
        maxlength="20"
        aria-label="${head}, ${code}"${state}>
    </td>`
  }
  const was = [row.onHand, row.price, row.compareAtPrice ?? '', productId].join(' ')
  const isVariant = name !== productName
  return html`<tr>
    <th scope="row" class="main">
      <span class="order-line">
        ${renderThumbnail(row.picture, productName)}
        <span>
          <a class="line-name quiet" href="${to(`products/${productId}`)}" dir="auto">
            ${productName}${isVariant && html` · ${name}`}
          </a>
          <span class="soft small">
            <bdi>${code}</bdi> · <a class="quiet" href="${to(`stock/${id}`)}" data-dialog>${words.say('stock.history')}</a>
          </span>
          ${claimNote(visit, row)}
          ${wrong !== undefined && html`<span class="wrong" id="${noteId}">${[wrong.text, ...present].join(' ')}</span>`}
          ${mayChange && html`<input type="hidden" name="was.${id}" value="${was}">`}
        </span>
      </span>
    </th>
<td class="end soft" data-head="${words.say('stock.held')}">${words.number(held)}</td>
  <td class="end${available === 0 ? ' stock-none' : ''}" data-head="${words.say('stock.free')}">
    ${words.number(available)}
  </td>
${cells.map(cell)}</tr>`
}

// Shows the prior price that shoppers see with the compare-at price.
function claimNote({ words, shop }: ScreenVisit, { compareAtPrice, priorPrice }: AdminSku): Html | false {
  if (compareAtPrice === null) return false
  const text =
    priorPrice === null
      ? words.say('stock.claimHidden')
      : words.say('stock.claimShown', { price: words.money(priorPrice, shop.currency) })
  return html`<span class="claim soft small">${text}</span>`
}

function emptyOf(visit: ScreenVisit) {
  const { words, query, to, may } = visit
  if (query.get('stock') === 'low' && !query.get('q')) return { title: words.say('stock.noneLow') }
  if (query.get('stock') === 'out' && !query.get('q')) return { title: words.say('stock.noneOut') }
  if (query.get('measure') && !query.get('q')) return { title: words.say('stock.noneUnmeasured') }
  if (query.get('q')) return { title: words.say('stock.none'), text: words.say('stock.noneText') }
  const action =
    may('createAdminProduct') &&
    linkButton({ label: words.say('products.new'), href: to('products/new'), kind: 'first' })
  return { title: words.say('products.empty'), text: words.say('products.emptyText'), action }
}

// Lists all changes of a SKU's stock.
export const movementsScreen: Screen = {
  path: 'stock/:skuId',
  name: 'dashboard stock movements',
  place: 'products',
  needs: 'listAdminStockMovements',
  async get(visit) {
    const { words, query, path, to } = visit
    const { data, meta } = await visit.ask('listAdminStockMovements', {
      path: { skuId: path.skuId ?? '' },
      cursor: query.get('cursor') ?? undefined,
    })
    return {
      title: words.say('stock.movements'),
      back: { href: to('stock'), label: words.say('stock.title') },
      width: 'narrow',
      body: html`<div data-dialog-body>
        ${renderTable(visit, {
          label: words.say('stock.movements'),
          columns: [
            {
              head: words.say('stock.kind'),
              cell: ({ kind, reason }) =>
                html`${words.sayKnown(`movement.${kind}`, kind)}
          ${reason !== null && html`<br><span class="soft small" dir="auto">${reason}</span>`}`,
              isMain: true,
            },
            { head: words.say('stock.at'), cell: ({ at }) => exactTime(words, at) },
            {
              head: words.say('stock.delta'),
              cell: ({ delta }) => (delta > 0 ? `+${words.number(delta)}` : words.number(delta)),
              align: 'end',
            },
          ],
          rows: data,
          idOf: ({ id }) => id,
          next: meta.next,
          empty: { title: words.say('stock.noMovements') },
        })}
      </div>`,
    }
  },
}
