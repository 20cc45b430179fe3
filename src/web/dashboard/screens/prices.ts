// Changes the prices of many products by a percentage. All old and new prices are shown before the change. Also sets the category, brand
// or maker of many products.

import { createHash } from 'node:crypto'
import { limits } from '../../../contract/limits.ts'
import { priceEndings } from '../../../contract/words.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { newId } from '../../../platform/kit/ids.ts'
import { indentedCategoryName, listShopBrands, listShopCategories, listShopMakers } from '../catalog.ts'
import { dialog } from '../dialog.ts'
import { field, keyField, readKey, renderForm } from '../form.ts'
import { button, emptyState, linkButton, renderCard, renderNotice } from '../parts.ts'
import {
  catchRefusal,
  type PostedScreen,
  redirectTo,
  type Screen,
  type ScreenSheet,
  type ScreenVisit,
} from '../screen.ts'
import { cursorFromLink } from '../table.ts'
import type { TextKey } from '../words.ts'
import {
  type BulkProductChange,
  changeProductsInBulk,
  chosenMax,
  productQueryFrom,
  readChosenProducts,
} from './products.ts'

export const bulkPricesScreen: Screen = {
  path: 'products/prices',
  name: 'dashboard prices',
  place: 'products',
  needs: 'updateAdminProducts',
  async get(visit) {
    const { ids, isCut } = await scopeOf(visit)
    const isWhole = !visit.query.has('product')
    return ids.length === 0 ? nothing(visit) : asking(visit, ids, { isCut, isWhole })
  },
  async post(posted) {
    const { words, form: sent, to } = posted
    const ids = readChosenProducts(sent)
    if (ids.length === 0) return redirectTo(to('products'))
    const typed = sent.get('percent') ?? ''
    const pricePercentage = parsePercent(typed)
    const priceEnding = priceEndings.find((known) => known === sent.get('ending'))
    const shippedOnly = sent.get('shippedOnly') === 'on'
    const choices = { ending: priceEnding ?? '', shippedOnly: shippedOnly ? 'on' : '' }
    if (pricePercentage === undefined || sent.has('again')) {
      const problem = sent.has('again') ? {} : { problem: words.say('prices.notPercent') }
      return asking(posted, ids, { typed, choices, ...problem })
    }
    const change = { pricePercentage, shippedOnly, ...(priceEnding && { priceEnding }) }
    const body = { productIds: ids, change }
    const { data } = await posted.ask('updateAdminProducts', { body: { ...body, dryRun: true }, key: newId('req') })
    const rows = data.flatMap(({ id, changes }) => changes.flatMap((one) => priceChange(one, id)))
    const refused = data.flatMap(({ outcome, message }) => (outcome === 'refused' && message ? [message] : []))
    const seen = createHash('sha256').update(JSON.stringify(rows)).digest('base64url').slice(0, 16)
    // The change is made if the person has seen exactly these prices. If prices have changed since, they are shown again.
    if (sent.get('seen') === seen || (sent.has('seen') && (await wasSent(posted, body))))
      return changeProductsInBulk(posted, body, to('products'))
    return preview(posted, {
      ids,
      typed,
      choices,
      rows,
      names: await namesOf(posted, rows),
      refused,
      seen,
      isNew: sent.has('seen'),
    })
  },
}

// Whether this form was already sent: a dry run with the key of a change that was made is refused. A double click then gets the first
// answer. Otherwise it would show a preview of changing the prices again, which one more click would apply.
async function wasSent(posted: PostedScreen, body: BulkProductChange): Promise<boolean> {
  const asked = posted.ask('updateAdminProducts', { body: { ...body, dryRun: true }, key: readKey(posted.form) })
  const outcome = await catchRefusal(asked)
  return 'refusal' in outcome && outcome.refusal.code === 'idempotency_key_reused'
}

const back = ({ words, to }: ScreenVisit) => ({ href: to('products'), label: words.say('products.title') })

// Returns the selected products, or all products of the list with the filters in the URL.
async function scopeOf(visit: ScreenVisit): Promise<{ ids: string[]; isCut: boolean }> {
  const { query } = visit
  if (query.has('product')) return { ids: readChosenProducts(query), isCut: false }
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const { data, meta } = await visit.ask('listAdminProducts', { query: productQueryFrom(query), cursor })
    ids.push(...data.map(({ id }) => id))
    cursor = cursorFromLink(meta.next)
  } while (cursor !== undefined && ids.length < chosenMax)
  return { ids: ids.slice(0, chosenMax), isCut: cursor !== undefined || ids.length > chosenMax }
}

function nothing(visit: ScreenVisit, title: TextKey = 'products.changePrices'): ScreenSheet {
  const { words, to } = visit
  const action = linkButton({ label: words.say('products.title'), href: to('products') })
  return {
    title: words.say(title),
    back: back(visit),
    width: 'narrow',
    body: html`<div class="card">${emptyState({ title: words.say('products.none'), action })}</div>`,
  }
}

function asking(visit: ScreenVisit, ids: readonly string[], given: Asking): ScreenSheet {
  const { words, to } = visit
  const { typed = '', problem, isCut = false, isWhole = false, choices = { ending: '', shippedOnly: 'on' } } = given
  const problems = problem === undefined ? undefined : { at: { '/percent': problem } }
  return dialog({
    title: words.say('prices.title', { count: ids.length }),
    back: back(visit),
    status: problem === undefined ? 200 : 400,
    lead: isCut ? words.say('prices.cut', { count: chosenMax }) : isWhole ? words.say('prices.whole') : undefined,
    body: html`<form class="form" method="post" action="${to('products/prices')}">${chosenFields(ids)}
<div class="fields">
  ${field(
    words,
    {
      name: 'percent',
      label: words.say('prices.percent'),
      kind: 'line',
      help: words.say('prices.help'),
      isRequired: true,
      isFirst: true,
      isHalf: true,
      lengthMax: 8,
    },
    typed,
    problems,
  )}
${field(
  words,
  {
    name: 'ending',
    label: words.say('prices.ending'),
    kind: 'choice',
    isHalf: true,
    options: [
      { value: '', label: words.say('prices.ending.none') },
      ...priceEndings.map((value) => ({ value, label: words.say(`prices.ending.${value}`) })),
    ],
  },
  choices.ending,
)}
${field(words, { name: 'shippedOnly', label: words.say('prices.shippedOnly'), kind: 'check' }, choices.shippedOnly)}
  </div>
<div class="form-foot">
  ${button({ label: words.say('prices.preview'), kind: 'first', shortcut: 'save' })}
  <a class="button plain" href="${to('products')}" data-close>${words.say('action.cancel')}</a></div>
</form>`,
  })
}

interface Choices {
  ending: string
  shippedOnly: string
}

interface Asking {
  typed?: string
  choices?: Choices
  // Whether all products of the list are meant rather than selected rows.
  isWhole?: boolean
  problem?: string
  isCut?: boolean
}

function chosenFields(ids: readonly string[]): Html {
  return html`${ids.map((id) => hiddenFields({ product: id }))}`
}

interface PriceRow {
  productId: string
  code: string
  from: number
  to: number
}

function priceChange(
  { subject, members }: { subject: { name: string }; members: readonly Member[] },
  productId: string,
): PriceRow[] {
  return members.flatMap(({ member, from, to }) =>
    member === 'price' && typeof from === 'number' && typeof to === 'number'
      ? [{ productId, code: subject.name, from, to }]
      : [],
  )
}

// Returns the names of variants, by code.
async function namesOf(visit: ScreenVisit, rows: readonly PriceRow[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(rows.map(({ productId }) => productId))]
  const products = await Promise.all(ids.map((productId) => visit.ask('getAdminProduct', { path: { productId } })))
  return new Map(
    products.flatMap(({ data: { product } }) =>
      product.skus.map(({ code, options = {} }): [string, string] => [
        code,
        [product.name, ...Object.values(options)].join(' · '),
      ]),
    ),
  )
}

interface Member {
  member: string
  from: unknown
  to: unknown
}

interface Preview {
  ids: readonly string[]
  typed: string
  choices: Choices
  rows: readonly PriceRow[]
  names: ReadonlyMap<string, string>
  refused: readonly string[]
  seen: string
  // Whether the prices have changed since they were shown.
  isNew: boolean
}

function preview(visit: ScreenVisit, { ids, typed, choices, rows, names, refused, seen, isNew }: Preview): ScreenSheet {
  const { words, to, shop } = visit
  const money = (amount: number) => words.money(amount, shop.currency)
  return {
    title: words.say('prices.title', { count: ids.length }),
    back: back(visit),
    width: 'narrow',
    body: html`<form class="form" method="post" action="${to('products/prices')}">
      ${keyField()}
      ${chosenFields(ids)}
      ${hiddenFields({ percent: typed, ...choices, seen })}
${isNew && renderNotice('bad', words.say('prices.changed'), 'alert')}
${
  refused.length > 0 &&
  renderNotice('bad', html`${words.say('prices.refused', { count: refused.length })} ${refused.slice(0, 5).join(' ')}`)
}
${renderCard({
  title: words.say('prices.previewTitle', { count: rows.length, percent: typed }),
  isFlush: true,
  body: html`<div class="scroll">
    <table class="numbers">
      <thead>
        <tr>
          <th scope="col">${words.say('products.name')}</th>
          <th scope="col" class="end">${words.say('prices.old')}</th>
          <th scope="col" class="end">${words.say('prices.new')}</th>
        </tr>
      </thead>
<tbody>
  ${rows.map(
    (row) => html`<tr>
      <th scope="row"><span dir="auto">${names.get(row.code)}</span><br><span class="soft small">${row.code}</span></th>
      <td class="end soft">${money(row.from)}</td>
      <td class="end"><strong>${money(row.to)}</strong></td>
    </tr>`,
  )}</tbody></table></div>`,
})}
<div class="form-foot sticky">
  ${
    rows.length > 0 &&
    button({ label: words.say('prices.submit', { count: rows.length }), kind: 'first', shortcut: 'save' })
  }
  ${button({ label: words.say('prices.again'), name: 'again', value: 'yes' })}
  <a class="button plain" href="${to('products')}">${words.say('action.cancel')}</a></div>
</form>`,
  }
}

// Returns basis points: '5' and '+5' are 500, '-2,5' is -250.
export function parsePercent(text: string): number | undefined {
  const match = /^([+\-−]?)(\d{1,4})(?:[.,](\d{1,2}))?\s*%?$/.exec(text.trim())
  if (!match) return undefined
  const [, sign = '', whole = '', part = ''] = match
  const points = Number(whole) * 100 + Number(part.padEnd(2, '0'))
  const signed = sign === '' || sign === '+' ? points : -points
  return signed !== 0 && signed >= -9_999 && signed <= 100_000 ? signed : undefined
}

export const bulkCategoryScreen: Screen = {
  path: 'products/category',
  name: 'dashboard category of products',
  place: 'products',
  needs: 'updateAdminProducts',
  async get(visit) {
    const { words, to, query } = visit
    const ids = readChosenProducts(query)
    const categories = await listShopCategories(visit)
    if (ids.length === 0) return nothing(visit, 'products.category')
    const options = categories.map((one) => ({ value: one.category.slug, label: indentedCategoryName(one) }))
    return dialog({
      title: words.say('category.title', { count: ids.length }),
      back: back(visit),
      body: renderForm(visit, {
        action: to('products/category'),
        before: chosenFields(ids),
        fields: [
          { name: 'slug', label: words.say('products.category'), kind: 'choice', options, isRequired: true },
          {
            name: 'do',
            label: words.say('category.what'),
            kind: 'choice',
            isRequired: true,
            options: [
              { value: 'add', label: words.say('category.add') },
              { value: 'remove', label: words.say('category.remove') },
            ],
          },
        ],
        submit: words.say('category.submit'),
        cancel: to('products'),
      }),
    })
  },
  async post(posted: PostedScreen) {
    const { form: sent, to } = posted
    const productIds = readChosenProducts(sent)
    const slug = sent.get('slug') ?? ''
    const change = sent.get('do') === 'remove' ? { removeCategory: slug } : { addCategory: slug }
    if (productIds.length === 0) return redirectTo(to('products'))
    return changeProductsInBulk(posted, { productIds, change }, to('products'))
  },
}

export const bulkBrandScreen: Screen = {
  path: 'products/brand',
  name: 'dashboard brand of products',
  place: 'products',
  needs: 'updateAdminProducts',
  async get(visit) {
    const ids = readChosenProducts(visit.query)
    return ids.length === 0 ? nothing(visit, 'products.brand') : askingBrand(visit, ids)
  },
  async post(posted: PostedScreen) {
    const { form: sent, to } = posted
    const productIds = readChosenProducts(sent)
    if (productIds.length === 0) return redirectTo(to('products'))
    // A brand that is too long is refused by the operation.
    const typed = (sent.get('brand') ?? '')
      .toWellFormed()
      .replace(/\p{Cc}+/gu, ' ')
      .trim()
    return changeProductsInBulk(posted, { productIds, change: { brand: typed === '' ? null : typed } }, to('products'))
  },
}

async function askingBrand(visit: ScreenVisit, ids: readonly string[]): Promise<ScreenSheet> {
  const { words, to } = visit
  const { names } = await listShopBrands(visit)
  return dialog({
    title: words.say('brand.title', { count: ids.length }),
    back: back(visit),
    body: renderForm(visit, {
      action: to('products/brand'),
      before: chosenFields(ids),
      fields: [
        {
          ...{ name: 'brand', label: words.say('products.brand'), kind: 'line', isFirst: true },
          ...{ lengthMax: limits.brandLengthMax, suggestions: names, help: words.say('brand.help') },
        },
      ],
      submit: words.say('category.submit'),
      cancel: to('products'),
    }),
  })
}

export const bulkMakerScreen: Screen = {
  path: 'products/maker',
  name: 'dashboard maker of products',
  place: 'products',
  needs: 'updateAdminProducts',
  async get(visit) {
    const ids = readChosenProducts(visit.query)
    if (ids.length === 0) return nothing(visit, 'product.maker')
    const { words, to } = visit
    const known = (await listShopMakers(visit)).map((one) => ({ value: one.maker.slug, label: one.maker.name }))
    const options = [{ value: '', label: words.say('product.noMaker') }, ...known]
    return dialog({
      title: words.say('maker.title', { count: ids.length }),
      back: back(visit),
      body: renderForm(visit, {
        action: to('products/maker'),
        before: chosenFields(ids),
        fields: [{ name: 'maker', label: words.say('product.maker'), kind: 'choice', options, isFirst: true }],
        submit: words.say('category.submit'),
        cancel: to('products'),
      }),
    })
  },
  async post(posted: PostedScreen) {
    const { form: sent, to } = posted
    const productIds = readChosenProducts(sent)
    if (productIds.length === 0) return redirectTo(to('products'))
    return changeProductsInBulk(posted, { productIds, change: { maker: sent.get('maker') || null } }, to('products'))
  },
}
