// Rows for choosing the products of drafts and edited orders: by name while the person types, or by code.

import type { AdminSku } from '../../../contract/admin/catalog.ts'
import { limits } from '../../../contract/limits.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import { Refusal } from '../../../platform/kit/refuse.ts'
import type { PickedProduct } from '../browser/names.ts'
import type { Field, FieldValues, Problems } from '../form.ts'
import { dashboardHeaders } from '../headers.ts'
import { button } from '../parts.ts'
import type { PostedScreen, Screen, ScreenVisit } from '../screen.ts'
import type { DashboardWords, TextKey } from '../words.ts'

const picksMax = 8
// Maximum number of SKUs that are compared with a completely typed name.
const skusMax = limits.adminListRowsMax

// Suggestions for the product field while the person types (browser/pick.ts).
export const pickedProductsScreen: Screen = {
  path: 'drafts/products',
  name: 'dashboard draft products',
  place: 'orders',
  needs: 'createAdminDraft',
  async get(visit) {
    const { words, shop } = visit
    const q = (visit.query.get('q') ?? '')
      .replace(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, 100)
    const data = q === '' ? [] : await skusFound(visit, q, picksMax)
    const picks: PickedProduct[] = data.map((sku) => ({
      code: sku.code,
      name: skuName(sku),
      note: [words.money(sku.price, shop.currency), words.say('drafts.left', { count: sku.available })].join(' · '),
    }))
    const headers = { ...dashboardHeaders, 'content-type': 'application/json; charset=utf-8' }
    return { status: 200, body: JSON.stringify(picks), headers }
  },
}

// The SKU with exactly this code comes first, even if a hundred others have the code in their names.
async function skusFound({ ask }: Pick<ScreenVisit, 'ask'>, q: string, limit: number): Promise<AdminSku[]> {
  const { data } = await ask('listAdminSkus', { query: { q, limit } })
  const isCode = ({ code }: { code: string }) => code.toLowerCase() === q.toLowerCase()
  const exact = data.find(isCode) ?? (data.length < limit ? undefined : await named())
  return exact ? [exact, ...data.filter(({ id }) => id !== exact.id)].slice(0, limit) : data

  async function named(): Promise<AdminSku | undefined> {
    const found = (await ask('searchAdmin', { query: { q } })).data.skus.find(isCode)
    if (!found) return undefined
    const { data: own } = await ask('listAdminSkus', { query: { q, productId: found.productId } })
    return own.find(isCode)
  }
}

export function skuName({ productName, name }: Pick<AdminSku, 'productName' | 'name'>): string {
  return name === productName || name === '' ? productName : `${productName}, ${name}`
}

// Names, keyed by code in lower case.
export type ItemNames = ReadonlyMap<string, string>

export function itemRowFields(words: DashboardWords, currency: string, row: number): Field[] {
  const labelled = (key: TextKey) => `${words.say('drafts.item', { count: row + 1 })}: ${words.say(key)}`
  return [
    {
      ...{ name: `product-${row}`, label: labelled('drafts.product'), kind: 'line', lengthMax: 200 },
      pointer: `/rows/${row}/product`,
    },
    {
      ...{ name: `quantity-${row}`, label: labelled('drafts.quantity'), kind: 'whole', min: 1 },
      ...{ max: limits.quantityMax, pointer: `/rows/${row}/quantity` },
    },
    {
      ...{ name: `price-${row}`, label: labelled('drafts.price'), kind: 'money', currency },
      pointer: `/rows/${row}/unitPrice`,
    },
  ]
}

export function countUpTo(count: number): number[] {
  return Array.from({ length: count }, (_, row) => row)
}

// An item row of the posted form.
export interface TypedItemRow {
  product?: string
  quantity?: number
  unitPrice?: number
}

// Returns the SKU with this code, the only SKU with this name, or the only SKU that the search finds, otherwise the problem as text.
export async function findTypedSku(posted: PostedScreen, typed: string): Promise<AdminSku | string> {
  const { words } = posted
  const data = await skusFound(posted, typed.slice(0, 100), skusMax)
  const isCode = ({ code }: AdminSku) => code.toLowerCase() === typed.toLowerCase()
  const isName = (sku: AdminSku) => skuName(sku).toLowerCase() === typed.toLowerCase()
  const named = data.filter(isName)
  const [only, another] = named.length > 0 ? named : data
  const found = data.find(isCode) ?? (another ? undefined : only)
  return found ?? words.say(another ? 'drafts.severalProducts' : 'drafts.unknownProduct')
}

// Moves issues of items to the fields of their rows. `places`: the pointer of each item's row in the form.
export function atRowPointers(refusal: Refusal, member: 'items' | 'newItems', places: readonly string[]): Refusal {
  const { details, code } = refusal
  const issues = (details.issues ?? []).map((one) => {
    const [, of, index, name] = /^\/(\w+)\/(\d+)\/(\w+)/.exec(one.path) ?? []
    const place = of === member ? places[Number(index)] : undefined
    if (place === undefined) return one
    return { ...one, path: place.startsWith('/rows/') ? `${place}/${name === 'skuId' ? 'product' : name}` : place }
  })
  return new Refusal(code, { ...details, issues })
}

// The problem of a row with a quantity or a price but without a product.
export function missingProductProblem(words: DashboardWords, row: string): { problems: Problems } {
  return {
    problems: { summary: words.say('form.problem'), at: { [`/rows/${row}/product`]: words.say('form.required') } },
  }
}

interface ItemRowsParts {
  caption: string
  values: FieldValues
  rows: number
  // Whether there is a button that adds another row.
  canGrow: boolean
  problems?: Problems
  names?: ItemNames
}

export function itemRows(
  visit: ScreenVisit,
  { caption, values, rows, canGrow, problems = { at: {} }, names }: ItemRowsParts,
): Html {
  const { words, to } = visit
  const { currency } = visit.shop
  const cell = ({ name, label, kind, lengthMax, pointer = '' }: Field) => {
    const id = `field-${name}`
    const problem = problems.at[pointer]
    const isWrong = problem !== undefined && html` aria-invalid="true" aria-describedby="${id}-problem"`
    const type = kind === 'whole' ? html` type="number" min="1" max="${limits.quantityMax}"` : html` type="text"`
    const decimal = kind === 'money' && html` inputmode="decimal"`
    const bound = lengthMax !== undefined && html` maxlength="${lengthMax}"`
    const value = values[name] ?? ''
    const isProduct = kind === 'line'
    const pick = isProduct && html` data-pick="${to('drafts/products')}" data-none="${words.say('drafts.noneFound')}"`
    const shown =
      isProduct && html`<span class="pick-name" data-picked dir="auto">${names?.get(value.toLowerCase())}</span>`
    return html`<td>
      <input
        id="${id}"
        name="${name}"${type}${decimal}${bound}
        dir="${isProduct ? 'auto' : 'ltr'}"
        autocomplete="off"
        value="${value}"
        aria-label="${label}"${isWrong}${pick}>
      ${shown}
      ${problem !== undefined && html`<p class="wrong" id="${id}-problem">${problem}</p>`}
    </td>`
  }
  const heads = [
    words.say('drafts.product'),
    words.say('drafts.quantity'),
    `${words.say('drafts.price')} (${currency})`,
  ]
  const add = button({
    label: words.say('drafts.addRow'),
    kind: 'plain',
    name: 'step',
    value: 'more',
    isUnchecked: true,
  })
  return html`<div class="lines-form draft-lines"><table><caption class="hidden">${caption}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${countUpTo(rows).map((row) => html`<tr>${itemRowFields(words, currency, row).map((one) => cell(one))}</tr>`)}</tbody></table>
${canGrow && add}<p class="help">${words.say('drafts.priceHelp')}</p></div>`
}
