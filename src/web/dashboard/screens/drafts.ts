// Drafts: orders that the merchant makes for a customer, who pays by a link. What it costs is shown first; the second press makes the link.

import { randomUUID } from 'node:crypto'
import {
  type CreateDraftRequest,
  type CreateDraftResponse,
  type Draft,
  draftDays,
  draftDaysMax,
} from '../../../contract/admin/drafts.ts'
import { limits } from '../../../contract/limits.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { dialog } from '../dialog.ts'
import {
  bodyOf,
  type Field,
  type FieldValues,
  field,
  form,
  keyIn,
  type Problems,
  problemsOf,
  valuesOf,
} from '../form.ts'
import { button, card, facts, linkButton, moment, notice, pill, time } from '../parts.ts'
import { namerFor } from '../people.ts'
import { attempt, type Posted, type Screen, type Sheet, type Visit } from '../screen.ts'
import { table } from '../table.ts'
import { done } from '../toast.ts'
import type { Words } from '../words.ts'
import { changesList, lineName } from './order.ts'

export const drafts: Screen = {
  path: 'drafts',
  name: 'dashboard drafts',
  place: 'orders',
  needs: 'listAdminDrafts',
  async get(visit) {
    const { words, query, to, may } = visit
    const { data, meta } = await visit.ask('listAdminDrafts', { cursor: query.get('cursor') ?? undefined })
    const add =
      may('createAdminDraft') && linkButton({ label: words.say('drafts.new'), href: to('drafts/new'), kind: 'first' })
    return {
      title: words.say('drafts.title'),
      back: { href: to('orders'), label: words.say('orders.title') },
      sub: words.say('drafts.sub'),
      actions: html`${add}`,
      body: table(visit, {
        label: words.say('drafts.title'),
        columns: [
          {
            head: words.say('drafts.customer'),
            cell: ({ emailMasked }) => emailMasked ?? words.say('drafts.noEmail'),
            isMain: true,
          },
          { head: words.say('drafts.created'), cell: ({ createdAt }) => time(words, createdAt), isPlain: true },
          { head: words.say('drafts.expires'), cell: ({ expiresAt }) => time(words, expiresAt), isMinor: true },
          { head: words.say('drafts.status'), cell: ({ status }) => pill(words, 'draft', status), isPlain: true },
          {
            head: words.say('drafts.total'),
            cell: ({ total, currency }) => words.money(total, currency),
            align: 'end',
            isCorner: true,
          },
        ],
        rows: data,
        idOf: ({ id }) => id,
        hrefOf: ({ id }) => to(`drafts/${id}`),
        next: meta.next,
        empty: { title: words.say('drafts.none'), text: words.say('drafts.noneText') },
      }),
    }
  },
}

export const draft: Screen = {
  path: 'drafts/:draftId',
  name: 'dashboard draft',
  place: 'orders',
  needs: 'getAdminDraft',
  get: async (visit) => draftSheet(visit, await find(visit)),
}

export const cancelDraft: Screen = {
  path: 'drafts/:draftId/cancel',
  name: 'dashboard draft cancel',
  place: 'orders',
  needs: 'cancelAdminDraft',
  get: async (visit) => cancelSheet(visit, await find(visit)),
  async post(posted) {
    const draftId = idOf(posted)
    const outcome = await attempt(
      posted.ask('cancelAdminDraft', { path: { draftId }, body: {}, key: keyIn(posted.form) }),
    )
    if ('refusal' in outcome) return cancelSheet(posted, await find(posted), problemsOf(posted.words, outcome.refusal))
    return done(posted.to(`drafts/${draftId}`), 'done.draftCancelled')
  },
}

export const newDraft: Screen = {
  path: 'drafts/new',
  name: 'dashboard draft new',
  place: 'orders',
  needs: 'createAdminDraft',
  get: async (visit) => newSheet(visit, { values: { days: String(draftDays), 'quantity-0': '1' } }),
  async post(posted) {
    const { words, form: sent } = posted
    const { currency } = posted.shop
    const fields = allFields(words, currency)
    const values = valuesOf(fields, sent)
    const read = await bodyIn(posted, currency)
    if ('problems' in read) return newSheet(posted, { values, problems: read.problems })
    const isPreview = sent.get('step') !== 'make'
    const outcome = await attempt(
      isPreview
        ? posted.ask('createAdminDraft', { body: { ...read.body, dryRun: true }, key: randomUUID() })
        : posted.ask('createAdminDraft', { body: read.body, key: keyIn(sent) }),
    )
    if ('refusal' in outcome) return newSheet(posted, { values, problems: problemsOf(words, outcome.refusal, fields) })
    const { draft: made, ...prices } = outcome.reply.data
    return made ? done(posted.to(`drafts/${made.id}`), 'done.draftMade') : newSheet(posted, { values, prices })
  },
}

function idOf({ path }: Visit): string {
  return path.draftId ?? ''
}

async function find(visit: Visit): Promise<Draft> {
  const { data } = await visit.ask('getAdminDraft', { path: { draftId: idOf(visit) } })
  const named = await namerFor(
    visit,
    data.changes.map(({ actor }) => actor),
  )
  return { ...data, changes: data.changes.map((change) => ({ ...change, actor: named(change.actor) })) }
}

// Without script: as many lines as are usual at the phone.
const rowsShown = 6

function rowFields(words: Words, currency: string, row: number): Field[] {
  return [
    {
      name: `code-${row}`,
      label: words.say('drafts.code'),
      kind: 'line',
      lengthMax: 64,
      pointer: `/rows/${row}/code`,
      isHalf: true,
    },
    {
      ...{
        name: `quantity-${row}`,
        label: words.say('drafts.quantity'),
        kind: 'whole',
        min: 1,
        max: limits.quantityMax,
      },
      ...{ pointer: `/rows/${row}/quantity`, isHalf: true },
    },
    {
      ...{ name: `price-${row}`, label: words.say('drafts.price'), kind: 'money', currency, isHalf: true },
      ...{ pointer: `/rows/${row}/unitPrice` },
    },
  ]
}

function termFields(words: Words, currency: string): Field[] {
  return [
    {
      name: 'discount',
      label: words.say('drafts.discount'),
      kind: 'money',
      currency,
      help: words.say('drafts.discountHelp'),
    },
    { name: 'shippingLabel', label: words.say('drafts.shippingLabel'), kind: 'line', lengthMax: 100, isHalf: true },
    {
      ...{ name: 'shippingAmount', label: words.say('drafts.shippingAmount'), kind: 'money', currency, isHalf: true },
      help: words.say('drafts.shippingHelp'),
    },
  ]
}

function whoFields(words: Words): Field[] {
  return [
    {
      ...{ name: 'email', label: words.say('drafts.email'), kind: 'email', lengthMax: limits.emailLengthMax },
      ...{ pointer: '/customer/email', help: words.say('drafts.emailHelp') },
    },
    { name: 'name', label: words.say('drafts.name'), kind: 'line', lengthMax: 200, pointer: '/customer/name' },
    { name: 'note', label: words.say('drafts.note'), kind: 'text', rows: 2, lengthMax: 2000 },
    { name: 'days', label: words.say('drafts.days'), kind: 'whole', min: 1, max: draftDaysMax, isRequired: true },
  ]
}

const rowNumbers = Array.from({ length: rowsShown }, (_, row) => row)

function allFields(words: Words, currency: string): Field[] {
  return [
    ...rowNumbers.flatMap((row) => rowFields(words, currency, row)),
    ...termFields(words, currency),
    ...whoFields(words),
  ]
}

interface TypedRow {
  code?: string
  quantity?: number
  unitPrice?: number
}

// The codes are looked up: the operation takes ids.
async function bodyIn(
  posted: Posted,
  currency: string,
): Promise<{ body: CreateDraftRequest } | { problems: Problems }> {
  const { words, form: sent } = posted
  const read = bodyOf(words, allFields(words, currency), sent)
  if ('problems' in read) return read
  const {
    rows = {},
    shippingLabel,
    shippingAmount,
    ...rest
  } = read.body as {
    rows?: Readonly<Record<string, TypedRow>>
    shippingLabel?: string
    shippingAmount?: number
  }
  const problem = (pointer: string, text: string) => ({ problems: { summary: text, at: { [pointer]: text } } })
  if (shippingAmount !== undefined && !shippingLabel) return problem('/shippingLabel', words.say('drafts.needsLabel'))
  const items: CreateDraftRequest['items'] = []
  for (const [row, { code, quantity = 1, unitPrice }] of Object.entries(rows)) {
    if (!code) continue
    const { data } = await posted.ask('listAdminSkus', { query: { q: code } })
    const sku = data.find((one) => one.code.toLowerCase() === code.toLowerCase())
    if (!sku) return problem(`/rows/${row}/code`, words.say('drafts.unknownCode'))
    items.push({ skuId: sku.id, quantity, ...(unitPrice !== undefined && { unitPrice }) })
  }
  if (items.length === 0) return problem('/rows/0/code', words.say('drafts.needsItem'))
  const shipping = shippingLabel ? { label: shippingLabel, amount: shippingAmount ?? 0 } : undefined
  const expected = /^\d{1,15}$/.exec(sent.get('expectedTotal') ?? '')
  return {
    body: {
      ...rest,
      items,
      ...(shipping && { shipping }),
      ...(expected && sent.get('step') === 'make' && { expectedTotal: Number(expected[0]) }),
    },
  }
}

interface NewParts {
  values: FieldValues
  problems?: Problems
  prices?: Prices
}

type Prices = Omit<CreateDraftResponse['data'], 'draft'>

function newSheet(visit: Visit, { values, problems, prices }: NewParts): Sheet {
  const { words, to } = visit
  const { currency } = visit.shop
  const drawn = (fields: readonly Field[]) =>
    html`<div class="fields">${fields.map((one) => field(words, one, values[one.name], problems))}</div>`
  return {
    title: words.say('drafts.new'),
    back: { href: to('drafts'), label: words.say('drafts.title') },
    status: problems ? 409 : 200,
    width: 'narrow',
    body: form(visit, {
      action: to('drafts/new'),
      fields: [],
      problems: problems && { summary: problems.summary ?? words.say('form.problem'), at: {} },
      hidden: prices ? { expectedTotal: prices.totals.total } : {},
      before: html`${prices && pricesCard(words, currency, prices, true)}
${card({ title: words.say('drafts.items'), body: itemsTable(visit, values, problems) })}
${card({ title: words.say('drafts.terms'), body: drawn(termFields(words, currency)) })}
${card({ title: words.say('drafts.who'), body: drawn(whoFields(words)) })}`,
      submit: words.say('drafts.preview'),
      kind: prices ? 'second' : 'first',
      actions: prices && button({ label: words.say('drafts.make'), kind: 'first', name: 'step', value: 'make' }),
      cancel: to('drafts'),
    }),
  }
}

function itemsTable({ words, shop: { currency } }: Visit, values: FieldValues, problems: Problems = { at: {} }): Html {
  const cell = ({ name, label, kind, lengthMax, pointer = '' }: Field, row: number) => {
    const isWrong = problems.at[pointer] !== undefined && html` aria-invalid="true"`
    const type = kind === 'whole' ? html` type="number" min="1" max="${limits.quantityMax}"` : html` type="text"`
    const decimal = kind === 'money' && html` inputmode="decimal"`
    const bound = lengthMax !== undefined && html` maxlength="${lengthMax}"`
    return html`<td><input name="${name}"${type}${decimal}${bound} dir="ltr" autocomplete="off" value="${values[name] ?? ''}" aria-label="${`${words.say('drafts.item', { count: row + 1 })}: ${label}`}"${isWrong}></td>`
  }
  const heads = [words.say('drafts.code'), words.say('drafts.quantity'), `${words.say('drafts.price')} (${currency})`]
  return html`<div class="lines-form draft-lines"><table><caption class="hidden">${words.say('drafts.items')}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rowNumbers.map((row) => html`<tr>${rowFields(words, currency, row).map((one) => cell(one, row))}</tr>`)}</tbody></table>
<p class="help">${words.say('drafts.priceHelp')}</p></div>`
}

function pricesCard(words: Words, currency: string, { items, totals, shipping }: Prices, isEstimate: boolean): Html {
  const amount = (minor: number) => words.money(minor, currency)
  const sums: readonly (readonly [string, number, boolean?] | false)[] = [
    [words.say('order.subtotal'), totals.subtotal],
    totals.discount > 0 && [words.say('order.discount'), -totals.discount],
    shipping !== null && [`${words.say('order.shipping')} · ${shipping.label}`, totals.shipping],
    !totals.taxIncluded && [words.say('order.tax'), totals.tax],
    [words.say('order.total'), totals.total, true],
    totals.taxIncluded && [words.say('order.taxIncluded'), totals.tax],
  ]
  return card({
    title: words.say('drafts.previewTitle'),
    isFlush: true,
    body: html`<div class="scroll"><table><caption class="hidden">${words.say('drafts.items')}</caption>
<tbody>${items.map(
      (item) =>
        html`<tr><th scope="row">${lineName(item)}</th><td class="end">${words.number(item.quantity)} × ${amount(item.unitPrice)}</td><td class="end">${amount(item.unitPrice * item.quantity)}</td></tr>`,
    )}</tbody></table></div>
<dl class="facts sums order-sums">${sums.map(
      (row) => row && html`<div${row[2] && html` class="strong"`}><dt>${row[0]}</dt><dd>${amount(row[1])}</dd></div>`,
    )}</dl>
${isEstimate && html`<p class="within help">${words.say('drafts.estimate')}</p>`}`,
  })
}

function draftSheet(visit: Visit, given: Draft): Sheet {
  const { words, to, may } = visit
  const { id, status, createdAt, expiresAt, emailMasked, currency, order, note, url } = given
  const cancel =
    status === 'open' &&
    may('cancelAdminDraft') &&
    linkButton({ label: words.say('drafts.cancel'), href: to(`drafts/${id}/cancel`), isDialog: true })
  return {
    title: words.say('drafts.one', { date: words.day(new Date(createdAt)) }),
    back: { href: to('drafts'), label: words.say('drafts.title') },
    badge: pill(words, 'draft', status),
    actions: html`${cancel}${
      order &&
      linkButton({
        label: words.say('drafts.toOrder', { number: order.number }),
        href: to(`orders/${order.id}`),
        kind: 'first',
      })
    }`,
    body: html`<div class="columns"><div>
${pricesCard(words, currency, given, status === 'open')}
${card({ title: words.say('order.changes'), body: changesList(words, given.changes) })}
</div><div>
${url !== null && linkCard(words, url)}
${card({
  title: words.say('drafts.who'),
  body: facts([
    [words.say('drafts.email'), emailMasked ?? words.say('drafts.noEmail')],
    [words.say('drafts.expires'), moment(words, expiresAt)],
    note !== null && [words.say('drafts.note'), html`<span class="lines" dir="auto">${note}</span>`],
  ]),
})}
</div></div>`,
  }
}

function linkCard(words: Words, url: string): Html {
  return card({
    title: words.say('drafts.link'),
    body: html`<div class="field whole"><label for="draft-link" class="hidden">${words.say('drafts.link')}</label><input id="draft-link" class="mono" dir="ltr" readonly value="${url}"></div>
<p class="row-actions start"><button type="button" class="button second with-script" data-copy="draft-link">${words.say('drafts.copy')}</button></p>
<p class="help">${words.say('drafts.linkHelp')}</p>`,
  })
}

function cancelSheet(visit: Visit, given: Draft, problems?: Problems): Sheet {
  const { words, to } = visit
  const back = { href: to(`drafts/${given.id}`), label: words.say('drafts.title') }
  return dialog({
    title: words.say('drafts.cancelTitle'),
    back,
    lead: words.say('drafts.cancelLead'),
    status: problems ? 409 : 200,
    body: form(visit, {
      action: to(`drafts/${given.id}/cancel`),
      fields: [],
      before: problems?.summary !== undefined && notice('bad', problems.summary, 'alert'),
      submit: words.say('drafts.cancel'),
      kind: 'danger',
      cancel: back.href,
    }),
  })
}
