// Products: the list, and changes of many products at once.

import type { AdminProductListQuery, AdminProductSummary } from '../../../contract/admin/catalog.ts'
import { type PriceEnding, type ProductStatus, productStatuses } from '../../../contract/words.ts'
import type { FormFields } from '../../../platform/html/fields.ts'
import { hiddenFields } from '../../../platform/html/form.ts'
import { type Html, html } from '../../../platform/html/html.ts'
import {
  type Brands,
  type CategoryNode,
  indentedCategoryName,
  listShopBrands,
  listShopCategories,
  priceRange,
  renderThumbnail,
  sectionTabs,
} from '../catalog.ts'
import { type ListFilter, renderFilters } from '../filters.ts'
import { keyField, readKey } from '../form.ts'
import { button, linkButton, renderTime, statusPill } from '../parts.ts'
import { catchRefusal, type PostedScreen, redirectTo, type Screen, type ScreenVisit } from '../screen.ts'
import { chosenForm, hrefWith, renderTable, renderTabs } from '../table.ts'
import { redirectWithRefusal, redirectWithToast } from '../toast.ts'
import { savedViews } from '../views.ts'
import { ownShopPath } from './undo.ts'

export const productsScreen: Screen = {
  path: 'products',
  name: 'dashboard products',
  place: 'products',
  needs: 'listAdminProducts',
  async get(visit) {
    const { words, query, to, may } = visit
    const [{ data, meta }, categories, brands] = await Promise.all([
      visit.ask('listAdminProducts', {
        query: { ...productQueryFrom(query), limit: visit.rowCount.list },
        cursor: query.get('cursor') ?? undefined,
      }),
      listShopCategories(visit),
      listShopBrands(visit),
    ])
    const nameOf = new Map(categories.map(({ category }) => [category.slug, category.name]))
    return {
      title: words.say('products.title'),
      actions: html`${
        may('createAdminTransfer') &&
        linkButton({ label: words.say('transfers.import'), href: to('settings/transfers') })
      }
<a class="button second" href="${to('settings/export', { of: 'products' })}">${words.say('transfers.export')}</a>
${
  may('updateAdminProducts') &&
  data.length > 0 &&
  button({
    label: words.say('products.changePrices'),
    form: chosenForm,
    action: to('products/change'),
    name: 'do',
    value: 'prices',
  })
}
${
  may('createAdminProduct') && linkButton({ label: words.say('products.new'), href: to('products/new'), kind: 'first' })
}`,
      body: html`${sectionTabs(visit, 'products')}
<div class="toolbar">${renderTabs(visit, words.say('products.views'), viewsOf(visit), 'chips')}
${filterForm(visit, categories, brands)}</div>
${savedViews(visit, 'products', ['sort', 'status', 'stock', 'lacks'])}
<div class="thumbs">
${renderTable(visit, {
  label: words.say('products.title'),
  columns: [
    {
      head: words.say('products.name'),
      cell: ({ picture, name, brand }) =>
        html`<span class="with-thumb">
    ${renderThumbnail(picture, name)}
    <span>
      <span dir="auto">${name}</span>
      ${brand !== null && html`<br><span class="soft small" dir="auto">${brand}</span>`}
    </span>
  </span>`,
      isMain: true,
    },
    { head: words.say('products.status'), cell: ({ status }) => statusPill(words, 'product', status), isPlain: true },
    {
      head: words.say('products.price'),
      cell: ({ priceMin, priceMax }) => priceRange(visit, priceMin, priceMax),
      align: 'end',
      isCorner: true,
    },
    { head: words.say('products.stock'), cell: (row) => stockOf(visit, row), align: 'end' },
    {
      head: words.say('products.category'),
      cell: (row) => row.categories.map((slug) => nameOf.get(slug) ?? slug).join(', '),
      isMinor: true,
    },
    {
      head: words.say('products.changed'),
      cell: ({ updatedAt }) => renderTime(words, updatedAt),
      sort: ['newest', 'oldest'],
      isMinor: true,
    },
  ],
  rows: data,
  idOf: ({ id }) => id,
  hrefOf: ({ id }) => to(`products/${id}`),
  defaultSort: 'newest',
  choose: may('updateAdminProducts') && {
    name: 'product',
    labelOf: ({ name }) => name,
    action: to('products/change'),
    actions: html`${keyField()}${hiddenFields({ back: hrefWith(visit, {}) })}
${button({ label: words.say('products.publish'), name: 'do', value: 'published' })}
${button({ label: words.say('products.hide'), name: 'do', value: 'hidden' })}
${query.get('status') !== 'archived' && button({ label: words.say('products.archive'), name: 'do', value: 'archived' })}
${button({ label: words.say('products.toCategory'), name: 'do', value: 'category' })}
${button({ label: words.say('products.toBrand'), name: 'do', value: 'brand' })}
${button({ label: words.say('products.toMaker'), name: 'do', value: 'maker' })}`,
  },
  next: meta.next,
  countAction: to('products/rows'),
  empty: emptyOf(visit),
})}
</div>`,
    }
  },
}

const filterNames = ['q', 'status', 'categoryId', 'brand', 'maker', 'lacks', 'stock'] as const

// Unknown parameters of the URL are ignored; the operation refuses filters with invalid values.
export function productQueryFrom(query: URLSearchParams): Omit<AdminProductListQuery, 'limit'> {
  const given = [...filterNames, 'sort'].flatMap((name) => {
    const value = query.get(name)?.trim()
    return value ? [[name, value]] : []
  })
  return Object.fromEntries(given)
}

function viewsOf({ words }: ScreenVisit) {
  return [
    { label: words.say('products.all'), query: { status: undefined, stock: undefined, lacks: undefined } },
    ...productStatuses.map((status) => ({
      label: words.say(`state.product.${status}`),
      query: { status, stock: undefined, lacks: undefined },
    })),
    { label: words.say('stock.low'), query: { status: undefined, stock: 'low', lacks: undefined } },
    { label: words.say('stock.out'), query: { status: undefined, stock: 'out', lacks: undefined } },
    { label: words.say('products.unmade'), query: { status: undefined, stock: undefined, lacks: 'maker' } },
  ]
}

// Returns a list of brands to choose from, or a text field if the list would be too long or lacks the brand in the URL.
function brandFilter({ words, query }: ScreenVisit, { names, isCut }: Brands): ListFilter[] {
  const asked = query.get('brand') ?? ''
  if (names.length === 0 && asked === '') return []
  const given = { name: 'brand', label: words.say('products.brand') }
  if (isCut || (asked !== '' && !names.includes(asked))) return [{ ...given, kind: 'line', suggestions: names }]
  return [{ ...given, options: names.map((name) => ({ value: name, label: name })) }]
}

function filterForm(visit: ScreenVisit, categories: readonly CategoryNode[], brands: Brands): Html {
  const { words } = visit
  return renderFilters(
    visit,
    ['status', 'stock', 'maker', 'lacks', 'sort'],
    [
      { name: 'q', label: words.say('products.find'), kind: 'line' },
      {
        name: 'categoryId',
        label: words.say('products.category'),
        options: categories.map((one) => ({ value: one.id, label: indentedCategoryName(one) })),
      },
      ...brandFilter(visit, brands),
    ],
  )
}

function stockOf({ words }: ScreenVisit, { onHand, skuCount }: AdminProductSummary): Html {
  const count = onHand === 0 ? html`<span class="stock-none">${words.number(0)}</span>` : html`${words.number(onHand)}`
  if (skuCount < 2) return count
  return html`<span>${count}<br><span class="soft small nowrap">${words.say('products.variants', { count: skuCount })}</span></span>`
}

function emptyOf(visit: ScreenVisit) {
  const { words, query, to, may } = visit
  const isFiltered = filterNames.some((name) => query.get(name))
  if (isFiltered) {
    const none = Object.fromEntries([...filterNames, 'cursor'].map((name) => [name, undefined]))
    const action = linkButton({ label: words.say('products.seeAll'), href: hrefWith(visit, none) })
    return { title: words.say('products.none'), text: words.say('products.noneText'), action }
  }
  const action =
    may('createAdminProduct') &&
    linkButton({ label: words.say('products.new'), href: to('products/new'), kind: 'first' })
  return { title: words.say('products.empty'), text: words.say('products.emptyText'), action }
}

// Returns a link that changes the prices of all products of the list, on all its pages.
function pricesHref({ to }: ScreenVisit, back: string): string {
  const { sort: _, ...asked } = productQueryFrom(new URL(back, 'http://list').searchParams)
  return to('products/prices', asked)
}

// Performs the bulk actions of the list. Actions that need a value, such as a category or a percentage, redirect to a page.
export const changeProductsScreen: Screen = {
  path: 'products/change',
  name: 'dashboard change products',
  place: 'products',
  needs: 'updateAdminProducts',
  async post(posted) {
    const { form, to } = posted
    const back = ownShopPath(posted, to('products'))
    const productIds = readChosenProducts(form)
    const what = form.get('do')
    // Without selected products, *prices* applies to all products of the list.
    if (productIds.length === 0) return redirectTo(what === 'prices' ? pricesHref(posted, back) : back)
    if (what === 'prices' || what === 'category' || what === 'brand' || what === 'maker')
      return redirectTo(
        `${to(`products/${what}`)}?${new URLSearchParams(productIds.map((id): [string, string] => ['product', id]))}`,
      )
    // The operation refuses an unknown status, so the cast is safe.
    const status = what as ProductStatus
    return changeProductsInBulk(posted, { productIds, change: { status } }, back)
  },
}

export function readChosenProducts(form: FormFields): string[] {
  return [...new Set(form.getAll('product'))].slice(0, chosenMax)
}

export const chosenMax = 200

export interface BulkProductChange {
  productIds: string[]
  change: {
    status?: ProductStatus
    addCategory?: string
    removeCategory?: string
    brand?: string | null
    maker?: string | null
    pricePercentage?: number
    priceEnding?: PriceEnding
    shippedOnly?: boolean
  }
}

// The change is one entry in the list of changes, with one *Undo*.
export async function changeProductsInBulk(posted: PostedScreen, body: BulkProductChange, back: string) {
  const outcome = await catchRefusal(posted.change('updateAdminProducts', { body, key: readKey(posted.form) }), [
    'category_not_found',
    'maker_not_found',
  ])
  if ('refusal' in outcome) return redirectWithRefusal(back, outcome.refusal)
  const { answer, change } = outcome.reply
  const { done: count, refused } = answer.meta
  return redirectWithToast(back, 'done.products', { count, refused, change })
}
