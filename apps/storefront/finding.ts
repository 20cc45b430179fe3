// The page of a search or a category: filters, sorting and pages, as a form that is sent by GET. The address says all of it, so it
// can be shared, and going back works.

import type { Category, ProductSearchResponse } from '../../packages/client/src/index.ts'
import { type Html, html } from './html.ts'
import { amountOf, decimal, money } from './words.ts'

export type Sort = (typeof sorts)[number][0]

const sorts = [
  ['relevance', 'Best match'],
  ['newest', 'Newest'],
  ['price_asc', 'Price, low to high'],
  ['price_desc', 'Price, high to low'],
  ['name', 'Name'],
] as const

// What a shopper asked for. Prices are as typed.
export interface Asked {
  q: string
  category: string | null
  min: string
  max: string
  inStock: boolean
  options: readonly string[]
  sort: Sort | null
}

const textMax = 200
const optionsMax = 10
const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

// Whatever an address says becomes a question that the API accepts.
export function askedIn(query: URLSearchParams, category: string | null): Asked {
  const slug = category ?? query.get('category') ?? ''
  return {
    q: (query.get('q') ?? '').trim().slice(0, textMax),
    category: slug.length <= 120 && slugPattern.test(slug) ? slug : null,
    min: (query.get('min') ?? '').slice(0, 20),
    max: (query.get('max') ?? '').slice(0, 20),
    inStock: query.get('stock') === '1',
    options: [...new Set(query.getAll('option'))]
      .filter((option) => /^[^:]+:.+$/.test(option) && option.length <= textMax)
      .slice(0, optionsMax),
    sort: sorts.find(([name]) => name === query.get('sort'))?.[0] ?? null,
  }
}

// Whether there is nothing to show and nothing to take back.
export function isNothing({ asked, found, isCategoryPage, isStart }: FindingView): boolean {
  const isBare = !isNarrowed(asked) && (asked.category === null || isCategoryPage)
  return isStart && isBare && found.data.length === 0
}

function isNarrowed({ min, max, inStock, options }: Asked): boolean {
  return min !== '' || max !== '' || inStock || options.length > 0
}

export function questionOf({ q, category, min, max, inStock, options, sort }: Asked, currency: string) {
  const [minPrice, maxPrice] = [amountOf(min, currency), amountOf(max, currency)]
  return {
    ...(q !== '' && { q }),
    ...(category !== null && { category }),
    ...(minPrice !== null && { minPrice }),
    ...(maxPrice !== null && { maxPrice }),
    ...(inStock && ({ inStock: true } as const)),
    ...(options.length > 0 && { option: [...options] }),
    sort: sort ?? undefined,
  }
}

// The address that asks the same, or something else.
export function addressOf(path: string, asked: Asked, other: Partial<Asked> = {}, isCategoryPage = false): string {
  const { q, category, min, max, inStock, options, sort } = { ...asked, ...other }
  const query = new URLSearchParams()
  if (q !== '') query.append('q', q)
  if (category !== null && !isCategoryPage) query.append('category', category)
  if (min !== '') query.append('min', min)
  if (max !== '') query.append('max', max)
  if (inStock) query.append('stock', '1')
  for (const option of options) query.append('option', option)
  if (sort !== null) query.append('sort', sort)
  return query.size === 0 ? path : `${path}?${query}`
}

export interface FindingView {
  // Of the page itself.
  path: string
  isCategoryPage: boolean
  asked: Asked
  found: ProductSearchResponse
  currency: string
  categories: readonly Category[]
  isStart: boolean
}

export function countWords({ meta: { total, count } }: ProductSearchResponse): string {
  if (total === null) return 'More than 1,000 products'
  return total === 1 ? '1 product' : `${(total ?? count).toLocaleString('en')} products`
}

// Above the products: how many, in which order, and what was chosen, each with a link that takes it back.
export function toolbar(view: FindingView): Html {
  const { asked, found } = view
  const chosen = asked.sort ?? (asked.q === '' ? 'newest' : 'relevance')
  return html`<div class="toolbar">
<p class="result-count" role="status">${countWords(found)}</p>
<p class="sorting"><label for="sort">Sort by</label>
<select id="sort" name="sort" form="filters">${sorts
    .filter(([name]) => name !== 'relevance' || asked.q !== '')
    .map(
      ([name, words]) => html`<option value="${name}"${name === chosen && html` selected`}>${words}</option>`,
    )}</select>
<button class="button quiet" form="filters">Show</button></p>
</div>
${takenBack(view)}`
}

function takenBack(view: FindingView): Html | false {
  const { asked, currency, categories, isCategoryPage } = view
  const name = categories.find(({ slug }) => slug === asked.category)?.name ?? asked.category ?? ''
  const priced = (text: string) => money(amountOf(text, currency) ?? 0, currency)
  const chips: [string, Partial<Asked>][] = [
    ...(asked.category !== null && !isCategoryPage ? [[name, { category: null }] as [string, Partial<Asked>]] : []),
    ...asked.options.map((option): [string, Partial<Asked>] => [
      option.replace(':', ': '),
      { options: asked.options.filter((other) => other !== option) },
    ]),
    ...(amountOf(asked.min, currency) === null
      ? []
      : [[`From ${priced(asked.min)}`, { min: '' }] as [string, Partial<Asked>]]),
    ...(amountOf(asked.max, currency) === null
      ? []
      : [[`Up to ${priced(asked.max)}`, { max: '' }] as [string, Partial<Asked>]]),
    ...(asked.inStock ? [['In stock', { inStock: false }] as [string, Partial<Asked>]] : []),
  ]
  if (chips.length === 0) return false
  return html`<ul class="chips taken" aria-label="Chosen filters">${chips.map(
    ([words, without]) => html`
<li><a href="${addressOf(view.path, asked, without, isCategoryPage)}">${words}<span aria-hidden="true"> ×</span><span class="hidden"> (remove)</span></a></li>`,
  )}</ul>`
}

const valuesShown = 12
const categoriesShown = 12

export function filters(view: FindingView): Html {
  const { asked, found, path, isCategoryPage, currency } = view
  const { facets } = found.meta
  return html`<details class="filters"><summary>Filters</summary>
<form id="filters" method="get" action="${path}">
${asked.q !== '' && html`<input type="hidden" name="q" value="${asked.q}">`}
${asked.category !== null && !isCategoryPage && html`<input type="hidden" name="category" value="${asked.category}">`}
${!isCategoryPage && categoryLinks(view)}
${facets.options.map((option) => optionGroup(option, asked))}
<fieldset><legend>Price</legend>
<div class="price-range">
<label>From<input name="min" inputmode="decimal" autocomplete="off" value="${asked.min}" placeholder="${facets.price ? decimal(facets.price.min.amount, currency) : ''}"></label>
<label>Up to<input name="max" inputmode="decimal" autocomplete="off" value="${asked.max}" placeholder="${facets.price ? decimal(facets.price.max.amount, currency) : ''}"></label>
</div></fieldset>
<fieldset><legend>Availability</legend>
<label class="check"><input type="checkbox" name="stock" value="1"${asked.inStock && html` checked`}><span>In stock <small>${facets.inStock}</small></span></label></fieldset>
<p><button class="button wide">Show</button></p>
${isNarrowed(asked) && html`<p><a href="${addressOf(path, { ...asked, min: '', max: '', inStock: false, options: [] }, {}, isCategoryPage)}">Remove all filters</a></p>`}
</form>
</details>`
}

// Links, since a result is in one category at a time.
function categoryLinks({ asked, found, path, categories }: FindingView): Html | false {
  const counted = new Map(found.meta.facets.categories.map((facet) => [facet.slug, facet.count]))
  const listed = inTreeOrder(categories).filter(({ slug }) => counted.has(slug))
  if (listed.length < 2) return false
  const link = ({ slug, name, path: above }: Category) =>
    html`<li class="level-${Math.min(above.length, 3)}"><a href="${addressOf(path, asked, { category: slug })}"${slug === asked.category && html` aria-current="true"`}>${name} <small>${counted.get(slug)}</small></a></li>`
  const rest = listed.slice(categoriesShown)
  return html`<fieldset><legend>Category</legend><ul class="facet-links">${listed.slice(0, categoriesShown).map(link)}</ul>
${rest.length > 0 && html`<details><summary>More categories</summary><ul class="facet-links">${rest.map(link)}</ul></details>`}</fieldset>`
}

// Each category is followed by those below it.
function inTreeOrder(categories: readonly Category[]): Category[] {
  const below = Map.groupBy(categories, ({ path }) => path.at(-2) ?? '')
  const walk = (slug: string): Category[] =>
    (below.get(slug) ?? []).flatMap((category) => [category, ...walk(category.slug)])
  return walk('')
}

function optionGroup(
  { name, values }: { name: string; values: readonly { value: string; count: number }[] },
  asked: Asked,
): Html {
  const box = ({ value, count }: { value: string; count: number }) => {
    const option = `${name}:${value}`
    const isChosen = asked.options.includes(option)
    return html`<label class="check"><input type="checkbox" name="option" value="${option}"${isChosen && html` checked`}><span>${value} <small>${count}</small></span></label>`
  }
  const rest = values.slice(valuesShown)
  return html`<fieldset><legend>${name}</legend>${values.slice(0, valuesShown).map(box)}
${rest.length > 0 && html`<details><summary>More</summary>${rest.map(box)}</details>`}</fieldset>`
}
