// Exports: products, stock, orders, returns, drafts and promotions as CSV files, and the feeds for Google and agents. Customer data is
// exported by a post, because each access is recorded.

import type { FormFields } from '../../../platform/html/fields.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import type { PageAnswer } from '../../../platform/http/pages.ts'
import { dashboardHeaders } from '../headers.ts'
import { button, emptyState, renderCard } from '../parts.ts'
import type { Screen, ScreenResult, ScreenVisit } from '../screen.ts'
import { cursorFromLink } from '../table.ts'
import { orderQueryFrom } from './orders.ts'

const spreadsheets = ['products', 'stock', 'orders', 'returns', 'drafts', 'promotions'] as const
type Spreadsheet = (typeof spreadsheets)[number]
const feeds = ['google', 'acp'] as const
type Feed = (typeof feeds)[number]

export async function exportCard({ words, to, may, ask }: ScreenVisit): Promise<Html> {
  const { url, status } = (await ask('getAdminSite')).data
  const isShown = url !== null && status === 'open'
  const files = ['products', 'stock', 'promotions', 'returns', 'drafts'] as const
  return renderCard({
    title: words.say('transfers.export'),
    body: html`<p class="row-actions start">
      ${files.map(
        (of) =>
          html`<a class="button second" href="${to('settings/export', { of })}">${words.say(`exports.${of}`)}</a>`,
      )}
      ${
        isShown &&
        feeds.map(
          (of) => html`<a class="button second" href="${to('settings/export', { of })}">
          ${words.say(`exports.${of}`)}
        </a>`,
        )
      }
    </p>
${
  // A feed contains the URL of each product's page. If the shop is not on this server, only the merchant knows these URLs.
  !isShown &&
  html`<form class="filters" method="get" action="${to('settings/export')}">
<label>
  ${words.say('exports.link', { slug: '{slug}' })}
  <input type="url" name="link" required maxlength="500" dir="ltr" placeholder="https://shop.example/products/{slug}"></label>
${feeds.map((of) => button({ label: words.say(`exports.${of}`), name: 'of', value: of }))}</form>`
}
<form class="filters" method="get" action="${to('settings/export')}"><input type="hidden" name="of" value="orders">
<label>${words.say('orders.from')}<input type="date" name="from"></label>
  <label>${words.say('orders.to')}<input type="date" name="to"></label>
${button({ label: words.say('exports.orders') })}
${
  may('listAdminCustomerExport') &&
  button({ label: words.say('exports.customers'), action: to('settings/export/customers'), method: 'post' })
}</form>
<p class="help">${words.say(may('listAdminCustomerExport') ? 'exports.customersHelp' : 'exports.help')}</p>`,
  })
}

export const exportFileScreen: Screen = {
  path: 'settings/export',
  name: 'dashboard export',
  place: 'settings',
  needs: 'listAdminExport',
  get(visit) {
    const wanted = feeds.find((known) => known === visit.query.get('of'))
    if (wanted) return feed(visit, wanted)
    const of = spreadsheets.find((known) => known === visit.query.get('of')) ?? 'products'
    const isOpen = of === 'returns' && visit.query.get('view') === 'open'
    const asked = { of, ...(of === 'orders' && ordersIn(visit, visit.query)), ...(isOpen && { open: true }) }
    return file(visit, of, (cursor) => visit.ask('listAdminExport', { query: asked, cursor }))
  },
}

function feed(visit: ScreenVisit, of: Feed): Promise<ScreenResult> {
  const link = visit.query.get('link')?.trim()
  const asked = { of, ...(link && { link }) }
  return file(visit, of, (cursor) => visit.ask('listAdminExport', { query: asked, cursor }))
}

export const customerExportScreen: Screen = {
  path: 'settings/export/customers',
  name: 'dashboard customer export',
  place: 'settings',
  needs: 'listAdminCustomerExport',
  post(posted) {
    const asked = ordersIn(posted, posted.form)
    return file(posted, 'customers', (cursor) => posted.ask('listAdminCustomerExport', { query: asked, cursor }))
  },
}

// Returns the filters of the current view of the order list, or of all orders if no view is named.
function ordersIn({ shop }: ScreenVisit, given: FormFields) {
  const view = new URLSearchParams([...given])
  if (!view.has('view')) view.set('view', 'all')
  // The file is always sorted by the time of the order.
  const { sort: _, q: __, ...asked } = orderQueryFrom(view, shop.timeZone)
  return asked
}

// Bounds of a file, which is built in memory: about 20,000 products or orders.
const pagesMax = 400
const lengthMax = 32_000_000

interface ExportReply {
  data: { text: string }
  meta: { next: string | null }
}

async function file(
  { words, mode, now, to, shop }: ScreenVisit,
  of: Spreadsheet | 'customers' | Feed,
  askPage: (cursor: string | undefined) => Promise<ExportReply>,
): Promise<ScreenResult> {
  const texts: string[] = []
  let length = 0
  let cursor: string | undefined
  for (let page = 0; page < pagesMax && length < lengthMax; page++) {
    const { data, meta } = await askPage(cursor)
    texts.push(data.text)
    length += data.text.length
    cursor = cursorFromLink(meta.next)
    if (cursor === undefined) {
      const day = new Intl.DateTimeFormat('sv-SE', { timeZone: shop.timeZone, dateStyle: 'short' }).format(now)
      const name = `${of}${mode === 'test' ? '-test' : ''}-${day}`
      if (of === 'google') return fileAnswer(`${name}.xml`, 'application/xml', texts.join(''))
      if (of === 'acp') return fileAnswer(`${name}.jsonl`, 'application/jsonl', texts.join(''))
      return csvAnswer(`${name}.csv`, texts)
    }
  }
  return {
    title: words.say('transfers.export'),
    back: { href: to('settings/transfers'), label: words.say('developers.transfers') },
    status: 409,
    width: 'narrow',
    body: html`<div class="card">${emptyState({
      title: words.say('exports.tooLarge'),
      text: words.say('exports.tooLargeText'),
      action: html`<a class="button second" href="/docs/admin">${words.say('apiKeys.docsLink')}</a>`,
    })}</div>`,
  }
}

// Begins with a byte order mark, so Excel reads the file as UTF-8.
function csvAnswer(name: string, texts: readonly string[]): PageAnswer {
  return fileAnswer(name, 'text/csv', `\ufeff${texts.join('')}`)
}

function fileAnswer(name: string, type: string, body: string): PageAnswer {
  return {
    status: 200,
    headers: {
      ...dashboardHeaders,
      'content-type': `${type}; charset=utf-8`,
      'content-disposition': `attachment; filename="${name}"`,
    },
    body,
  }
}
