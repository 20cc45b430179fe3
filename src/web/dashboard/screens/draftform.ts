// The forms of drafts: creating a draft and changing an open one. The first press shows the price; the second saves.

import { randomUUID } from 'node:crypto'
import {
  type CreateDraftResponse,
  type Draft,
  draftDays,
  draftDaysMax,
  type UpdateDraftRequest,
} from '../../../contract/admin/drafts.ts'
import { limits } from '../../../contract/limits.ts'
import { textLanguages } from '../../../contract/words.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import type { Refusal } from '../../../platform/kit/refuse.ts'
import {
  buildBody,
  type Field,
  type FieldValues,
  field,
  moneyText,
  type Problems,
  problemsFromRefusal,
  readKey,
  readTypedValues,
  renderForm,
} from '../form.ts'
import { button, renderCard } from '../parts.ts'
import { catchRefusal, type PostedScreen, type Screen, type ScreenSheet, type ScreenVisit } from '../screen.ts'
import { redirectWithToast } from '../toast.ts'
import type { DashboardWords } from '../words.ts'
import {
  atRowPointers,
  countUpTo,
  findTypedSku,
  type ItemNames,
  itemRowFields,
  itemRows,
  missingProductProblem,
  skuName,
  type TypedItemRow,
} from './itemrows.ts'
import { lineName } from './order.ts'
import { languageName } from './texts.ts'

export const newDraftScreen: Screen = {
  path: 'drafts/new',
  name: 'dashboard draft new',
  place: 'orders',
  needs: 'createAdminDraft',
  get: async (visit) => formSheet(visit, { values: { days: String(draftDays), 'quantity-0': '1' } }),
  async post(posted) {
    const read = await readForm(posted)
    if ('sheet' in read) return read.sheet
    const { items = [], note, ...rest } = read.body
    const body = { ...rest, items, ...(note && { note }) }
    const outcome = await catchRefusal(
      read.isPreview
        ? posted.ask('createAdminDraft', { body: { ...body, dryRun: true }, key: randomUUID() })
        : posted.ask('createAdminDraft', { body, key: readKey(posted.form) }),
    )
    if ('refusal' in outcome) return read.again({ problems: read.problemsOf(outcome.refusal) })
    const { draft: made, ...prices } = outcome.reply.data
    return made ? redirectWithToast(posted.to(`drafts/${made.id}`), 'done.draftMade') : read.again({ prices })
  },
}

export const editDraftScreen: Screen = {
  path: 'drafts/:draftId/edit',
  name: 'dashboard draft edit',
  place: 'orders',
  needs: 'updateAdminDraft',
  async get(visit) {
    const { data } = await visit.ask('getAdminDraft', { path: { draftId: idOf(visit) } })
    const { version, items } = data
    return formSheet(visit, {
      ...{ values: valuesOfDraft(data), names: namesOf(items), edited: { id: data.id, version } },
    })
  },
  async post(posted) {
    const draftId = idOf(posted)
    const version = Number(posted.form.get('version')) || 1
    const read = await readForm(posted, { id: draftId, version })
    if ('sheet' in read) return read.sheet
    const body = { discount: 0, shipping: null, note: null, ...read.body, expectedVersion: version }
    const path = { draftId }
    const again = (refusal: Refusal) => read.again({ problems: read.problemsOf(refusal) })
    if (read.isPreview) {
      const asked = posted.ask('updateAdminDraft', { path, body: { ...body, dryRun: true }, key: randomUUID() })
      const outcome = await catchRefusal(asked)
      return 'refusal' in outcome ? again(outcome.refusal) : read.again({ prices: outcome.reply.data })
    }
    const outcome = await catchRefusal(posted.change('updateAdminDraft', { path, body, key: readKey(posted.form) }))
    if ('refusal' in outcome) return again(outcome.refusal)
    return redirectWithToast(posted.to(`drafts/${draftId}`), 'done.draftChanged', { change: outcome.reply.change })
  },
}

function idOf({ path }: ScreenVisit): string {
  return path.draftId ?? ''
}

function namesOf(items: Draft['items']): ItemNames {
  const nameWith = ({ name, options }: Draft['items'][number]) =>
    [name, ...options.map(({ value }) => value)].join(' · ')
  return new Map(items.map((item) => [item.code.toLowerCase(), nameWith(item)]))
}

const rowsFirst = 3
const rowsMax = limits.cartLinesMax

function termFields(words: DashboardWords, currency: string): Field[] {
  return [
    {
      ...{ name: 'discount', label: words.say('drafts.discount'), kind: 'money', currency },
      help: words.say('drafts.discountHelp'),
    },
    {
      ...{
        name: 'shippingLabel',
        label: words.say('drafts.shippingLabel'),
        kind: 'line',
        lengthMax: 100,
        isHalf: true,
      },
      pointer: '/shipping/label',
    },
    {
      ...{ name: 'shippingAmount', label: words.say('drafts.shippingAmount'), kind: 'money', currency, isHalf: true },
      ...{ pointer: '/shipping/amount', help: words.say('drafts.shippingHelp') },
    },
  ]
}

function whoFields(words: DashboardWords, isEdit: boolean): Field[] {
  const languages = textLanguages.map((value) => ({ value, label: languageName(words, value) }))
  return [
    {
      ...{ name: 'email', label: words.say('drafts.email'), kind: 'email', lengthMax: limits.emailLengthMax },
      ...{ pointer: '/customer/email', help: words.say(isEdit ? 'drafts.emailEdit' : 'drafts.emailHelp') },
    },
    { name: 'name', label: words.say('drafts.name'), kind: 'line', lengthMax: 200, pointer: '/customer/name' },
    {
      ...{ name: 'locale', label: words.say('drafts.language'), kind: 'choice' },
      options: [{ value: '', label: words.say(isEdit ? 'drafts.languageSame' : 'drafts.languageAuto') }, ...languages],
    },
    { name: 'note', label: words.say('drafts.note'), kind: 'text', rows: 2, lengthMax: 2000 },
    {
      ...{ name: 'days', label: words.say('drafts.days'), kind: 'whole', min: 1, max: draftDaysMax },
      ...(isEdit ? { help: words.say('drafts.daysEdit') } : { isRequired: true }),
    },
  ]
}

function allFields({ words, shop: { currency } }: ScreenVisit, rows: number, isEdit: boolean): Field[] {
  return [
    ...countUpTo(rows).flatMap((row) => itemRowFields(words, currency, row)),
    ...termFields(words, currency),
    ...whoFields(words, isEdit),
  ]
}

// Returns the number of item rows in the posted form.
function rowsIn(has: (name: string) => boolean): number {
  return Math.max(rowsFirst, countUpTo(rowsMax).findLastIndex((row) => has(`product-${row}`)) + 1)
}

function valuesOfDraft({ items, terms, note, currency }: Draft): FieldValues {
  const { discount, shipping } = terms
  const amount = (minor: number) => moneyText(minor, currency)
  return {
    ...Object.fromEntries(
      items.flatMap(({ code, quantity, unitPrice }, row) => [
        [`product-${row}`, code],
        [`quantity-${row}`, String(quantity)],
        [`price-${row}`, amount(unitPrice)],
      ]),
    ),
    ...{ discount: discount > 0 ? amount(discount) : '', note: note ?? '' },
    ...{ shippingLabel: shipping?.label ?? '', shippingAmount: shipping ? amount(shipping.amount) : '' },
  }
}

interface Edited {
  id: string
  version: number
}

type Prices = Omit<CreateDraftResponse['data'], 'draft'>

interface FormParts {
  values: FieldValues
  problems?: Problems
  prices?: Prices
  names?: ItemNames
  // Number of additional item rows.
  more?: number
  edited?: Edited | undefined
}

interface ReadForm {
  body: UpdateDraftRequest
  isPreview: boolean
  problemsOf(refusal: Refusal): Problems
  // Renders the form with the typed values.
  again(parts: Pick<FormParts, 'problems' | 'prices'>): ScreenSheet
}

async function readForm(posted: PostedScreen, edited?: Edited): Promise<ReadForm | { sheet: ScreenSheet }> {
  const { words, form: sent } = posted
  const fields = allFields(
    posted,
    rowsIn((name) => sent.has(name)),
    edited !== undefined,
  )
  const values = readTypedValues(fields, sent)
  const step = sent.get('step')
  if (step === 'more') return { sheet: formSheet(posted, { values, edited, more: 1 }) }
  const read = buildBody(words, fields, sent)
  const found = 'problems' in read ? read : await itemsIn(posted, read.body, edited !== undefined)
  if ('problems' in found) return { sheet: formSheet(posted, { values, edited, problems: found.problems }) }
  const expected = step === 'make' ? /^\d{1,15}$/.exec(sent.get('expectedTotal') ?? '') : null
  const known = { ...values, ...found.codes }
  return {
    body: { ...found.body, ...(expected && { expectedTotal: Number(expected[0]) }) },
    isPreview: step !== 'make',
    problemsOf: (refusal) => problemsFromRefusal(words, atRowPointers(refusal, 'items', found.places), fields),
    again: (parts) => formSheet(posted, { values: known, names: found.names, edited, ...parts }),
  }
}

interface FoundItems {
  body: UpdateDraftRequest
  // The pointer of each item's row in the form.
  places: readonly string[]
  names: ItemNames
  // Codes that replace product names in their fields.
  codes: FieldValues
}

// Finds products by code or name, because the operation takes ids.
async function itemsIn(
  posted: PostedScreen,
  read: Record<string, unknown>,
  isEdit: boolean,
): Promise<FoundItems | { problems: Problems }> {
  const { words } = posted
  const {
    rows = {},
    shipping: typed = {},
    locale,
    ...rest
  } = read as {
    rows?: Readonly<Record<string, TypedItemRow>>
    shipping?: { label?: string; amount?: number }
    locale?: UpdateDraftRequest['locale'] | ''
  }
  const problem = (pointer: string, text: string) => ({ problems: { summary: text, at: { [pointer]: text } } })
  const { label, amount = 0 } = typed
  if (typed.amount !== undefined && !label) return problem('/shipping/label', words.say('drafts.needsLabel'))
  const items: NonNullable<UpdateDraftRequest['items']> = []
  const names = new Map<string, string>()
  const codes: Record<string, string> = {}
  const places: string[] = []
  for (const [row, { product, quantity = 1, unitPrice }] of Object.entries(rows)) {
    // An empty product field removes the item from an existing draft. In a new draft, the first row always has a quantity, so it may be
    // empty.
    const isLeftOut = isEdit || (row === '0' && unitPrice === undefined)
    if (!product && isLeftOut) continue
    if (!product) return missingProductProblem(words, row)
    const sku = await findTypedSku(posted, product)
    if (typeof sku === 'string') return problem(`/rows/${row}/product`, sku)
    items.push({ skuId: sku.id, quantity, ...(unitPrice !== undefined && { unitPrice }) })
    places.push(`/rows/${row}`)
    names.set(sku.code.toLowerCase(), skuName(sku))
    codes[`product-${row}`] = sku.code
  }
  if (items.length === 0) return problem('/rows/0/product', words.say('drafts.needsItem'))
  const body = { ...rest, items, ...(label && { shipping: { label, amount } }), ...(locale && { locale }) }
  return { body, places, names, codes }
}

function formSheet(visit: ScreenVisit, { values, problems, prices, names, more = 0, edited }: FormParts): ScreenSheet {
  const { words, to } = visit
  const { currency } = visit.shop
  const isEdit = edited !== undefined
  const rows = Math.min(rowsMax, rowsIn((name) => name in values) + more)
  const drawn = (fields: readonly Field[]) =>
    html`<div class="fields">${fields.map((one) => field(words, one, values[one.name], problems))}</div>`
  const back = edited ? `drafts/${edited.id}` : 'drafts'
  const table = itemRows(visit, {
    caption: words.say('drafts.items'),
    values,
    rows,
    canGrow: rows < rowsMax,
    ...(problems && { problems }),
    ...(names && { names }),
  })
  return {
    title: words.say(isEdit ? 'drafts.editTitle' : 'drafts.new'),
    back: { href: to(back), label: words.say(isEdit ? 'drafts.back' : 'drafts.title') },
    status: problems ? 409 : 200,
    width: 'narrow',
    body: renderForm(visit, {
      action: to(edited ? `drafts/${edited.id}/edit` : 'drafts/new'),
      fields: [],
      problems,
      drawn: allFields(visit, rows, isEdit),
      hidden: { ...(prices && { expectedTotal: prices.totals.total }), ...(edited && { version: edited.version }) },
      before: html`${prices && pricesCard(words, currency, prices, true)}
${renderCard({ title: words.say('drafts.items'), body: table })}
${renderCard({ title: words.say('drafts.terms'), body: drawn(termFields(words, currency)) })}
${renderCard({ title: words.say('drafts.who'), body: drawn(whoFields(words, isEdit)) })}`,
      submit: words.say('drafts.preview'),
      kind: prices ? 'second' : 'first',
      actions:
        prices &&
        button({
          label: words.say(isEdit ? 'action.save' : 'drafts.make'),
          kind: 'first',
          name: 'step',
          value: 'make',
        }),
      cancel: to(back),
    }),
  }
}

export function pricesCard(
  words: DashboardWords,
  currency: string,
  { items, totals, shipping }: Prices,
  isEstimate: boolean,
): Html {
  const amount = (minor: number) => words.money(minor, currency)
  const sums: readonly (readonly [string, number, boolean?] | false)[] = [
    [words.say('order.subtotal'), totals.subtotal],
    totals.discount > 0 && [words.say('order.discount'), -totals.discount],
    shipping !== null && [`${words.say('order.shipping')} · ${shipping.label}`, totals.shipping],
    !totals.taxIncluded && [words.say('order.tax'), totals.tax],
    [words.say('order.total'), totals.total, true],
    totals.taxIncluded && [words.say('order.taxIncluded'), totals.tax],
  ]
  return renderCard({
    title: words.say('drafts.previewTitle'),
    isFlush: true,
    body: html`<div class="scroll"><table><caption class="hidden">${words.say('drafts.items')}</caption>
<tbody>
  ${items.map(
    (item) =>
      html`<tr>
      <th scope="row">${lineName(item)}</th>
      <td class="end">${words.number(item.quantity)} × ${amount(item.unitPrice)}</td>
      <td class="end">${amount(item.unitPrice * item.quantity)}</td>
    </tr>`,
  )}</tbody></table></div>
<dl class="facts sums order-sums">
  ${sums.map(
    (row) => row && html`<div${row[2] && html` class="strong"`}><dt>${row[0]}</dt><dd>${amount(row[1])}</dd></div>`,
  )}</dl>
${isEstimate && html`<p class="within help">${words.say('drafts.estimate')}</p>`}`,
  })
}
