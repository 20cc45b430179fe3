// Taxes of a month or of several days by country and rate, from invoices and credit notes: the data for a VAT return.

import {
  type AdminDocument,
  type AdminTaxReport,
  type AdminTaxRow,
  ledgerFormats,
} from '../../../contract/admin/documents.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import type { PageAnswer } from '../../../platform/http/pages.ts'
import { decimalAmount } from '../../../platform/kit/money.ts'
import { encodeWindows1252 } from '../../../platform/kit/windows1252.ts'
import { archiveDocumentsMax, documentArchive } from '../../documents/archive.ts'
import { dashboardHeaders } from '../headers.ts'
import { button, emptyState, renderCard, renderNotice } from '../parts.ts'
import { catchRefusal, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { cursorFromLink } from '../table.ts'
import type { DashboardWords } from '../words.ts'

const common = { place: 'reports', needs: 'getAdminTaxReport' } as const

function askedDays({ query }: ScreenVisit) {
  const day = (name: string) => {
    const text = query.get(name) ?? ''
    return /^\d{4}-\d\d-\d\d$/.test(text) ? text : undefined
  }
  const [from, to] = [day('from'), day('to')]
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
}

export const taxReportScreen: Screen = {
  ...common,
  path: 'reports/taxes',
  name: 'dashboard tax report',
  async get(visit) {
    const { words, query, to } = visit
    const title = words.say('taxreport.title')
    const back = { href: to('reports'), label: words.say('reports.title') }
    const outcome = await catchRefusal(visit.ask('getAdminTaxReport', { query: askedDays(visit) }))
    if ('refusal' in outcome)
      return {
        title,
        back,
        status: 400,
        body: html`${daysForm(words, query.get('from') ?? '', query.get('to') ?? '')}
        ${renderNotice('bad', words.say('reports.badRange'), 'alert')}`,
      }
    const { data } = outcome.reply
    const days = { from: data.from, to: data.to }
    return {
      title,
      back,
      actions: html`${
        data.documents > 0 &&
        visit.may('listAdminDocumentExport') &&
        html`<form method="post" action="${to('reports/documents/export', days)}">
          ${button({ label: words.say('taxreport.documents') })}
        </form>`
      }
      ${ledgerFormats.map(
        (format) => html`<a class="button second" href="${to('reports/ledger/export', { ...days, format })}" download>
          ${words.say(`taxreport.${format}`)}
        </a>`,
      )}
      <a class="button second" href="${to('reports/taxes/export', days)}" download>${words.say('reports.csv')}</a>`,
      body: html`${daysForm(words, data.from, data.to)}
${
  data.rows.length === 0
    ? html`<div class="card">${emptyState({ title: words.say('taxreport.empty'), text: words.say('taxreport.emptyText') })}</div>`
    : renderCard({ title: words.say('taxreport.byRate'), isFlush: true, body: table(words, data) })
}
<p class="foot-note">${words.say('taxreport.foot', { zone: data.timeZone.replaceAll('_', ' ') })}</p>`,
    }
  },
}

function daysForm(words: DashboardWords, from: string, to: string): Html {
  return html`<form class="filters" method="get">
<label>${words.say('reports.from')}<input type="date" name="from" value="${from}" required></label>
  <label>${words.say('reports.to')}<input type="date" name="to" value="${to}" required></label>
  ${button({ label: words.say('reports.show') })}</form>`
}

const sums = ['net', 'tax', 'total'] as const
const counts = ['invoices', 'creditNotes'] as const

function rateName(words: DashboardWords, { rate, reason }: AdminTaxRow): string {
  const percent = `${words.number(rate / 100)} %`
  return reason === null || reason === 'zero_rate' ? percent : `${percent} · ${words.say(`taxreport.${reason}`)}`
}

function table(words: DashboardWords, { rows, sum, currency }: AdminTaxReport): Html {
  const money = (minor: number) => words.money(minor, currency)
  return html`<div class="scroll">
    <table class="rows report"><caption class="hidden">${words.say('taxreport.byRate')}</caption>
<thead>
  <tr>
    <th scope="col">${words.say('reports.by.country')}</th>
    <th scope="col">${words.say('taxreport.rate')}</th>
    ${counts.map((name) => html`<th scope="col" class="end">${words.say(`taxreport.${name}`)}</th>`)}
    ${sums.map((name) => html`<th scope="col" class="end">${words.say(`taxreport.${name}`)}</th>`)}
  </tr></thead>
<tbody>
  ${rows.map(
    (row) => html`<tr>
      <th scope="row" class="main">${words.country(row.country)}</th>
      <td data-head="${words.say('taxreport.rate')}">${rateName(words, row)}</td>
      ${counts.map(
        (name) => html`<td class="end" data-head="${words.say(`taxreport.${name}`)}">${words.number(row[name])}</td>`,
      )}
      ${sums.map(
        (name) => html`<td class="end" data-head="${words.say(`taxreport.${name}`)}">${money(row[name])}</td>`,
      )}
    </tr>`,
  )}</tbody>
<tfoot>
  <tr>
    <th scope="row">${words.say('reports.sum')}</th>
    <td></td>
    <td></td>
    <td></td>
    ${sums.map((name) => html`<td class="end" data-head="${words.say(`taxreport.${name}`)}">${money(sum[name])}</td>`)}
  </tr></tfoot></table></div>`
}

// The page's table as CSV, with numbers that spreadsheet programs can read.
export const taxReportExportScreen: Screen = {
  ...common,
  path: 'reports/taxes/export',
  name: 'dashboard tax report export',
  async get(visit) {
    const { data } = await visit.ask('getAdminTaxReport', { query: askedDays(visit) })
    const amount = (minor: number) => decimalAmount(minor, data.currency)
    const head = ['country', 'rate', 'reason', 'invoices', 'credit_notes', 'net', 'tax', 'total', 'currency']
    const rows = data.rows.map(({ country, rate, reason, invoices, creditNotes, net, tax, total }) => [
      ...[country, String(rate / 100), reason ?? '', String(invoices), String(creditNotes)],
      ...[amount(net), amount(tax), amount(total), data.currency],
    ])
    return {
      status: 200,
      headers: {
        ...dashboardHeaders,
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="taxes-${data.from}-${data.to}.csv"`,
      },
      body: [head, ...rows].map((cells) => `${cells.join(',')}\r\n`).join(''),
    }
  },
}

// Exports the documents of the chosen days as a ZIP file. Exported by a post, because the documents name the buyers and each access is
// recorded. Streamed, because a month of documents is large.
export const documentsExportScreen: Screen = {
  place: 'reports',
  needs: 'listAdminDocumentExport',
  path: 'reports/documents/export',
  name: 'dashboard documents export',
  async post(posted) {
    const { from, to, documents } = (await posted.ask('getAdminTaxReport', { query: askedDays(posted) })).data
    if (documents > archiveDocumentsMax) return tooLarge(posted)
    const name = `documents${posted.mode === 'test' ? '-test' : ''}-${from}-${to}.zip`
    return {
      status: 200,
      headers: {
        ...dashboardHeaders,
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${name}"`,
      },
      body: '',
      stream: documentArchive(documentsOfDays(posted, { from, to })),
    }
  },
}

async function* documentsOfDays(
  { ask }: ScreenVisit,
  days: { from: string; to: string },
): AsyncGenerator<AdminDocument> {
  let cursor: string | undefined
  do {
    const { data, meta } = await ask('listAdminDocumentExport', { query: days, cursor })
    yield* data
    cursor = cursorFromLink(meta.next)
  } while (cursor !== undefined)
}

// Bounds an export that is built in memory to about 20,000 documents.
const pagesMax = 100

export const ledgerExportScreen: Screen = {
  place: 'reports',
  needs: 'listAdminLedger',
  path: 'reports/ledger/export',
  name: 'dashboard ledger export',
  async get(visit) {
    const { query } = visit
    const format = ledgerFormats.find((known) => known === query.get('format')) ?? 'plain'
    const asked = { ...askedDays(visit), format }
    const texts: string[] = []
    let cursor: string | undefined
    for (let page = 0; page < pagesMax; page++) {
      const { data, meta } = await visit.ask('listAdminLedger', { query: asked, cursor })
      texts.push(data.text)
      cursor = cursorFromLink(meta.next)
      if (cursor === undefined) return ledgerFile(asked, texts.join(''))
    }
    return tooLarge(visit)
  },
}

function tooLarge({ words, to }: ScreenVisit): ScreenSheet {
  return {
    title: words.say('taxreport.title'),
    back: { href: to('reports/taxes'), label: words.say('taxreport.title') },
    status: 409,
    width: 'narrow',
    body: html`<div class="card">${emptyState({ title: words.say('exports.tooLarge'), text: words.say('exports.tooLargeText') })}</div>`,
  }
}

// DATEV reads files in Windows-1252.
function ledgerFile(
  { from = '', to = '', format }: { from?: string; to?: string; format: (typeof ledgerFormats)[number] },
  text: string,
): PageAnswer {
  const isDatev = format === 'datev'
  const name = `${isDatev ? 'EXTF_Buchungsstapel' : 'ledger'}-${from}-${to}.csv`
  return {
    status: 200,
    headers: {
      ...dashboardHeaders,
      'content-type': `text/csv; charset=${isDatev ? 'windows-1252' : 'utf-8'}`,
      'content-disposition': `attachment; filename="${name}"`,
    },
    body: isDatev ? encodeWindows1252(text) : text,
  }
}
