// Exchanges items of a return. The first press shows the exact price; the second places the new order.

import { randomUUID } from 'node:crypto'
import type {
  AdminReturn,
  ExchangeAdminReturnRequest,
  ExchangeAdminReturnResponse,
} from '../../../contract/admin/returns.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { buildBody, type Field, field, type Problems, readKey, readTypedValues, renderForm } from '../form.ts'
import { renderCard } from '../parts.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'
import {
  atRowPointers,
  countUpTo,
  findTypedSku,
  itemRowFields,
  itemRows,
  missingProductProblem,
  type TypedItemRow,
} from './itemrows.ts'
import {
  chosenQuantities,
  nothingChosenProblem,
  type QuantityLine,
  quantityFields,
  quantityTable,
  withExcessProblems,
} from './quantities.ts'
import { deductionProblems, returnedUnits } from './returnrefund.ts'
import { backToReturn, loadShownReturn } from './returns.ts'
import { readShownVersion } from './send.ts'

const steps = { preview: 'preview', exchange: 'exchange' } as const

// Enough for most exchanges. For more new items, the rest of the return is exchanged again.
const newRows = 3

export const returnExchangeScreen: Screen = {
  path: 'returns/:returnId/exchange',
  name: 'dashboard return exchange',
  place: 'orders',
  needs: 'exchangeAdminReturn',
  get: async (visit) => exchangeSheet(visit, await loadShownReturn(visit), new URLSearchParams({ close: 'on' })),
  async post(posted) {
    const { words, form: sent } = posted
    const given = await loadShownReturn(posted)
    const read = await bodyIn(posted, given)
    if ('problems' in read) return exchangeSheet(posted, given, sent, read.problems)
    const isPreview = sent.get('step') !== steps.exchange
    const shown = isPreview ? { dryRun: true } : shownIn(sent)
    const body = { ...read.body, ...readShownVersion(sent), ...shown, payByLink: true }
    const path = { returnId: given.id }
    const key = isPreview ? randomUUID() : readKey(sent)
    const outcome = await catchRefusal(posted.ask('exchangeAdminReturn', { path, body, key }))
    if ('refusal' in outcome) {
      const refusal = atRowPointers(outcome.refusal, 'newItems', read.places)
      const found = deductionProblems(posted, refusal, allFields(words, given))
      const quantities = new Map((body.items ?? []).map(({ skuId, quantity }) => [skuId, quantity]))
      const problems = withExcessProblems(words, exchangeLines(words, given), quantities, found)
      const { reason } = (outcome.refusal.details.current ?? {}) as { reason?: string }
      const why = reason === 'change_open' ? words.say('exchange.changeOpen') : undefined
      return exchangeSheet(posted, given, sent, why === undefined ? problems : { ...problems, summary: why })
    }
    if (isPreview) return previewSheet(posted, given, outcome.reply.data)
    const { draftId } = outcome.reply.data
    if (draftId !== null) return redirectWithToast(posted.to(`drafts/${draftId}`), 'done.exchangeLinkMade')
    return redirectWithToast(posted.to(`returns/${given.id}`), 'done.exchanged')
  },
}

function moreFields(words: DashboardWords, { currency }: AdminReturn): Field[] {
  return [
    {
      ...{ name: 'deduction', label: words.say('returns.deduction'), kind: 'money', currency, isHalf: true },
      help: words.say('returns.deductionHelp'),
    },
    { name: 'close', label: words.say('returns.closeToo'), kind: 'check' },
  ]
}

const asked = { prefix: 'of', label: 'exchange.quantityOf' } as const

function exchangeLines(words: DashboardWords, given: AdminReturn): QuantityLine[] {
  return returnedUnits(given).map(({ item, most }) => ({
    ...{ item, most, preset: most },
    note: words.say('refund.of', { count: most }),
  }))
}

function allFields(words: DashboardWords, given: AdminReturn): Field[] {
  return [
    ...quantityFields(words, exchangeLines(words, given), asked),
    ...countUpTo(newRows).flatMap((row) => itemRowFields(words, given.currency, row)),
    ...moreFields(words, given),
  ]
}

// Finds products by code or name, because the operation takes ids.
async function bodyIn(
  posted: PostedScreen,
  given: AdminReturn,
): Promise<{ body: ExchangeAdminReturnRequest; places: string[] } | { problems: Problems }> {
  const { words, form: sent } = posted
  const read = buildBody(words, allFields(words, given), sent)
  if ('problems' in read) return read
  const {
    rows = {},
    deduction,
    close = false,
  } = read.body as {
    rows?: Readonly<Record<string, TypedItemRow>>
    deduction?: number
    close?: boolean
  }
  const items = chosenQuantities(read.body)
  if (items.length === 0) return { problems: nothingChosenProblem(words, exchangeLines(words, given)) }
  const newItems: ExchangeAdminReturnRequest['newItems'] = []
  const places: string[] = []
  for (const [row, { product, quantity = 1, unitPrice }] of Object.entries(rows)) {
    if (!product) return missingProductProblem(words, row)
    const sku = await findTypedSku(posted, product)
    if (typeof sku === 'string') return { problems: { summary: sku, at: { [`/rows/${row}/product`]: sku } } }
    places.push(`/rows/${row}`)
    newItems.push({ skuId: sku.id, quantity, ...(unitPrice !== undefined && { unitPrice }) })
  }
  const none = words.say('exchange.nothing')
  if (newItems.length === 0) return { problems: { summary: none, at: { '/rows/0/product': none } } }
  return { body: { items, newItems, ...(deduction !== undefined && { deduction }), close }, places }
}

function shownIn(sent: FormFields): { expectedCredit?: number; expectedTotal?: number } {
  const shown = (name: 'expectedCredit' | 'expectedTotal') => {
    const text = sent.get(name) ?? ''
    return /^\d{1,15}$/.test(text) ? { [name]: Number(text) } : {}
  }
  return { ...shown('expectedCredit'), ...shown('expectedTotal') }
}

function exchangeSheet(visit: ScreenVisit, given: AdminReturn, sent: FormFields, problems?: Problems): ScreenSheet {
  const { words, to } = visit
  const back = backToReturn(visit, given)
  const values = readTypedValues(allFields(words, given), sent)
  const caption = words.say('exchange.new')
  const added = itemRows(visit, {
    ...{ caption, values, rows: newRows, canGrow: false },
    ...(problems && { problems }),
  })
  const title = words.say('exchange.items')
  const parts = { asked, title, isTitleHidden: true, sent, problems }
  const old = quantityTable(words, exchangeLines(words, given), parts)
  const more = moreFields(words, given).map((one) => field(words, one, values[one.name], problems))
  return {
    title: words.say('exchange.title', { number: given.number }),
    back,
    sub: words.say('exchange.lead'),
    status: problems ? 409 : 200,
    width: 'narrow',
    body: renderForm(visit, {
      action: to(`returns/${given.id}/exchange`),
      fields: [],
      problems,
      drawn: allFields(words, given),
      hidden: { version: given.version, step: steps.preview },
      before: html`${renderCard({ title, body: old })}
${renderCard({ title: caption, body: added })}
<div class="fields">${more}</div>`,
      submit: words.say('edit.preview'),
      cancel: back.href,
    }),
  }
}

type Preview = ExchangeAdminReturnResponse['data']

function headline({ moneyBack, difference }: Preview): 'edit.more' | 'exchange.back' | 'exchange.even' {
  if (difference > 0) return 'edit.more'
  return moneyBack > 0 ? 'exchange.back' : 'exchange.even'
}

function previewSheet(posted: PostedScreen, given: AdminReturn, preview: Preview): ScreenSheet {
  const { words, to, form: sent } = posted
  const back = backToReturn(posted, given)
  const { credit, totals, moneyBack, difference, items, newItems, deduction, capped } = preview
  const amount = (minor: number) => words.money(minor, given.currency)
  const kept = [...sent].filter(([name]) => /^(?:of-|product-|quantity-|price-|deduction$|close$)/.test(name))
  const names = new Map(given.items.map(({ skuId, name }) => [skuId, name]))
  const counted = (quantity: number, name: string | undefined) =>
    html`${words.number(quantity)} × <span dir="auto">${name}</span>`
  return {
    title: words.say('exchange.title', { number: given.number }),
    back,
    width: 'narrow',
    body: renderForm(posted, {
      action: to(`returns/${given.id}/exchange`),
      fields: [],
      hidden: {
        ...{ version: given.version, step: steps.exchange },
        ...{ expectedCredit: credit, expectedTotal: totals.total },
      },
      before: html`${hiddenFields(Object.fromEntries(kept))}
<div>
  <p class="soft">${words.say(headline(preview))}</p>
  <p class="amount-big">${amount(moneyBack + difference)}</p>
  ${difference > 0 && html`<p class="soft">${words.say('exchange.linkHelp')}</p>`}</div>
${sumsCard(words.say('exchange.items'), [
  ...items.map((item) => [counted(item.quantity, names.get(item.skuId)), amount(item.amount)] as const),
  deduction > 0 && [words.say('returns.deduction'), amount(-deduction)],
  capped > 0 && [words.say('returns.capped'), amount(-capped)],
  [words.say('exchange.credit'), amount(credit)],
])}
${sumsCard(words.say('exchange.new'), [
  ...newItems.map((item) => [counted(item.quantity, item.name), amount(item.total)] as const),
  [words.say(totals.taxIncluded ? 'order.taxIncluded' : 'order.tax'), amount(totals.tax)],
  [words.say('order.total'), amount(totals.total)],
])}`,
      submit: words.say(difference > 0 ? 'exchange.submitLink' : 'exchange.submit'),
      actions: html`<a class="button plain" href="${to(`returns/${given.id}/exchange`)}">${words.say('edit.change')}</a>`,
      cancel: back.href,
    }),
  }
}

// Lists amounts in a column, like the preview of an edit.
function sumsCard(title: string, rows: readonly (readonly [Html | string, string] | false)[]): Html {
  return renderCard({
    title,
    isFlush: true,
    body: html`<table>
      <caption class="hidden">${title}</caption>
      <tbody>
        ${rows.map(
          (row) =>
            row &&
            html`<tr>
            <th scope="row">${row[0]}</th>
            <td class="end">${row[1]}</td>
          </tr>`,
        )}
      </tbody>
    </table>`,
  })
}
