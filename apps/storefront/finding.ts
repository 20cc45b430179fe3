// The page of a search or a category: filters, sorting and pages, as a form that is sent by GET. The URL has all choices, so it can be
// shared, and the back button works.

import type { Category, ProductSearchResponse } from '../../packages/client/src/index.ts'
import { type Html, html } from './html.ts'
import type { Speaker } from './speaker.ts'
import { amountOf, decimal } from './words.ts'

export type Sort = (typeof sorts)[number]

const sorts = ['relevance', 'newest', 'price_asc', 'price_desc', 'name'] as const

// Choices of a shopper. Prices are as typed.
export interface Asked {
  q: string
  category: string | null
  brands: readonly string[]
  min: string
  max: string
  inStock: boolean
  options: readonly string[]
  sort: Sort | null
}

const textMax = 200
const optionsMax = 10
const brandsMax = 20
const slugPattern = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

// Makes a query that the API accepts from any query string.
export function askedIn(query: URLSearchParams, category: string | null): Asked {
  const slug = category ?? query.get('category') ?? ''
  return {
    q: (query.get('q') ?? '').trim().slice(0, textMax),
    category: slug.length <= 120 && slugPattern.test(slug) ? slug : null,
    brands: [...new Set(query.getAll('brand'))]
      .filter((brand) => brand !== '' && brand.length <= textMax)
      .slice(0, brandsMax),
    min: (query.get('min') ?? '').slice(0, 20),
    max: (query.get('max') ?? '').slice(0, 20),
    inStock: query.get('stock') === '1',
    options: [...new Set(query.getAll('option'))]
      .filter((option) => /^[^:]+:.+$/.test(option) && option.length <= textMax)
      .slice(0, optionsMax),
    sort: sorts.find((name) => name === query.get('sort')) ?? null,
  }
}

// Returns true if there are no products to show and no filters to remove.
export function isNothing({ asked, found, isCategoryPage, isStart }: FindingView): boolean {
  const isBare = !isNarrowed(asked) && (asked.category === null || isCategoryPage)
  return isStart && isBare && found.data.length === 0
}

function isNarrowed({ brands, min, max, inStock, options }: Asked): boolean {
  return brands.length > 0 || min !== '' || max !== '' || inStock || options.length > 0
}

export function questionOf({ q, category, brands, min, max, inStock, options, sort }: Asked, currency: string) {
  const [minPrice, maxPrice] = [amountOf(min, currency), amountOf(max, currency)]
  return {
    ...(q !== '' && { q }),
    ...(category !== null && { category }),
    ...(brands.length > 0 && { brand: [...brands] }),
    ...(minPrice !== null && { minPrice }),
    ...(maxPrice !== null && { maxPrice }),
    ...(inStock && ({ inStock: true } as const)),
    ...(options.length > 0 && { option: [...options] }),
    sort: sort ?? undefined,
  }
}

// Returns the URL of the same choices with those of `other` changed.
export function addressOf(path: string, asked: Asked, other: Partial<Asked> = {}, isCategoryPage = false): string {
  const { q, category, brands, min, max, inStock, options, sort } = { ...asked, ...other }
  const query = new URLSearchParams()
  if (q !== '') query.append('q', q)
  if (category !== null && !isCategoryPage) query.append('category', category)
  for (const brand of brands) query.append('brand', brand)
  if (min !== '') query.append('min', min)
  if (max !== '') query.append('max', max)
  if (inStock) query.append('stock', '1')
  for (const option of options) query.append('option', option)
  if (sort !== null) query.append('sort', sort)
  return query.size === 0 ? path : `${path}?${query}`
}

export interface FindingView {
  speaker: Speaker
  // Path of the page itself.
  path: string
  isCategoryPage: boolean
  asked: Asked
  found: ProductSearchResponse
  currency: string
  categories: readonly Category[]
  isStart: boolean
}

const countedMax = 1_000

export function countWords({ say }: Speaker, { meta: { total, count } }: ProductSearchResponse): string {
  return total === null ? say('list.countMore', { count: countedMax }) : say('list.count', { count: total ?? count })
}

// Shown above the products: their number, the sorting, and the active filters, each with a link that removes it.
export function toolbar(view: FindingView): Html {
  const { asked, found, speaker } = view
  const { say } = speaker
  const chosen = asked.sort ?? (asked.q === '' ? 'newest' : 'relevance')
  return html`<div class="toolbar">
<p class="result-count" role="status">${countWords(speaker, found)}</p>
<p class="sorting"><label for="sort">${say('sort.label')}</label>
<select id="sort" name="sort" form="filters">${sorts
    .filter((name) => name !== 'relevance' || asked.q !== '')
    .map(
      (name) => html`<option value="${name}"${name === chosen && html` selected`}>${say(`sort.${name}`)}</option>`,
    )}</select>
<button class="button quiet" form="filters">${say('sort.show')}</button></p>
</div>
${takenBack(view)}`
}

function takenBack(view: FindingView): Html | false {
  const { asked, currency, categories, isCategoryPage } = view
  const { say, money } = view.speaker
  const name = categories.find(({ slug }) => slug === asked.category)?.name ?? asked.category ?? ''
  const priced = (text: string) => money(amountOf(text, currency) ?? 0, currency)
  const chips: [string, Partial<Asked>][] = [
    ...(asked.category !== null && !isCategoryPage ? [[name, { category: null }] as [string, Partial<Asked>]] : []),
    ...asked.brands.map((brand): [string, Partial<Asked>] => [
      brand,
      { brands: asked.brands.filter((other) => other !== brand) },
    ]),
    ...asked.options.map((option): [string, Partial<Asked>] => [
      optionWords(option),
      { options: asked.options.filter((other) => other !== option) },
    ]),
    ...(amountOf(asked.min, currency) === null
      ? []
      : [[say('filter.fromAmount', { amount: priced(asked.min) }), { min: '' }] as [string, Partial<Asked>]]),
    ...(amountOf(asked.max, currency) === null
      ? []
      : [[say('filter.upToAmount', { amount: priced(asked.max) }), { max: '' }] as [string, Partial<Asked>]]),
    ...(asked.inStock ? [[say('filter.inStock'), { inStock: false }] as [string, Partial<Asked>]] : []),
  ]
  if (chips.length === 0) return false

  function optionWords(option: string): string {
    const [label, ...value] = option.split(':')
    return say('filter.option', { name: label ?? '', value: value.join(':') })
  }

  return html`<ul class="chips taken" aria-label="${say('filter.chosen')}">${chips.map(
    ([words, without]) => html`
<li><a href="${addressOf(view.path, asked, without, isCategoryPage)}"><span aria-hidden="true">${words} ×</span><span class="hidden">${say('filter.remove', { filter: words })}</span></a></li>`,
  )}</ul>`
}

const valuesShown = 12
const categoriesShown = 12

export function filters(view: FindingView): Html {
  const { asked, found, path, isCategoryPage, currency } = view
  const { say } = view.speaker
  const { facets } = found.meta
  return html`<details class="filters"><summary>${say('filter.title')}</summary>
<form id="filters" method="get" action="${path}">
${asked.q !== '' && html`<input type="hidden" name="q" value="${asked.q}">`}
${asked.category !== null && !isCategoryPage && html`<input type="hidden" name="category" value="${asked.category}">`}
${!isCategoryPage && categoryLinks(view)}
${brandGroup(view)}
${facets.options.map((option) => optionGroup(option, view))}
<fieldset><legend>${say('filter.price')}</legend>
<div class="price-range">
<label>${say('filter.from')}<input name="min" inputmode="decimal" autocomplete="off" value="${asked.min}" placeholder="${facets.price ? decimal(facets.price.min.amount, currency) : ''}"></label>
<label>${say('filter.upTo')}<input name="max" inputmode="decimal" autocomplete="off" value="${asked.max}" placeholder="${facets.price ? decimal(facets.price.max.amount, currency) : ''}"></label>
</div></fieldset>
<fieldset><legend>${say('filter.availability')}</legend>
<label class="check"><input type="checkbox" name="stock" value="1"${asked.inStock && html` checked`}><span>${say('filter.inStock')} <small>${facets.inStock}</small></span></label></fieldset>
<p><button class="button wide">${say('sort.show')}</button></p>
${isNarrowed(asked) && html`<p><a href="${addressOf(path, { ...asked, brands: [], min: '', max: '', inStock: false, options: [] }, {}, isCategoryPage)}">${say('filter.removeAll')}</a></p>`}
</form>
</details>`
}

// Categories are links, not checkboxes, since a result has one category at a time.
function categoryLinks({ speaker: { say }, asked, found, path, categories }: FindingView): Html | false {
  const counted = new Map(found.meta.facets.categories.map((facet) => [facet.slug, facet.count]))
  const listed = inTreeOrder(categories).filter(({ slug }) => counted.has(slug))
  if (listed.length < 2) return false
  const link = ({ slug, name, path: above }: Category) =>
    html`<li class="level-${Math.min(above.length, 3)}"><a href="${addressOf(path, asked, { category: slug })}"${slug === asked.category && html` aria-current="true"`}><bdi>${name}</bdi> <small>${counted.get(slug)}</small></a></li>`
  const rest = listed.slice(categoriesShown)
  return html`<fieldset><legend>${say('filter.category')}</legend><ul class="facet-links">${listed.slice(0, categoriesShown).map(link)}</ul>
${rest.length > 0 && html`<details><summary>${say('filter.moreCategories')}</summary><ul class="facet-links">${rest.map(link)}</ul></details>`}</fieldset>`
}

// Each category is followed by its subcategories.
function inTreeOrder(categories: readonly Category[]): Category[] {
  const below = Map.groupBy(categories, ({ path }) => path.at(-2) ?? '')
  const walk = (slug: string): Category[] =>
    (below.get(slug) ?? []).flatMap((category) => [category, ...walk(category.slug)])
  return walk('')
}

// A chosen brand is listed even if no product has it any more, so it can be removed.
function brandGroup(view: FindingView): Html | false {
  const { asked, found, speaker } = view
  const { brands } = found.meta.facets
  const isChosen = (name: string) => asked.brands.some((brand) => isSame(brand, name))
  const gone = asked.brands.filter((brand) => !brands.some(({ name }) => isSame(brand, name)))
  const all = [...gone.map((name) => ({ name, count: 0 })), ...brands]
  if (all.length === 0) return false
  const values = all.map(({ name, count }) => ({ value: name, text: name, count, isChosen: isChosen(name) }))
  return checkGroup(speaker, { legend: speaker.say('filter.brand'), name: 'brand', values })
}

// Compares as the API compares brands, except for accents.
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function optionGroup(
  { name, values }: { name: string; values: readonly { value: string; count: number }[] },
  { asked, speaker }: FindingView,
): Html {
  return checkGroup(speaker, {
    legend: name,
    name: 'option',
    values: values.map(({ value, count }) => {
      const option = `${name}:${value}`
      return { value: option, text: value, count, isChosen: asked.options.includes(option) }
    }),
  })
}

interface CheckGroup {
  legend: string
  name: string
  values: readonly { value: string; text: string; count: number; isChosen: boolean }[]
}

function checkGroup({ say }: Speaker, { legend, name, values }: CheckGroup): Html {
  const box = ({ value, text, count, isChosen }: CheckGroup['values'][number]) =>
    html`<label class="check"><input type="checkbox" name="${name}" value="${value}"${isChosen && html` checked`}><span><bdi>${text}</bdi> <small>${count}</small></span></label>`
  const rest = values.slice(valuesShown)
  return html`<fieldset><legend dir="auto">${legend}</legend>${values.slice(0, valuesShown).map(box)}
${rest.length > 0 && html`<details${rest.some(({ isChosen }) => isChosen) && html` open`}><summary>${say('filter.more')}</summary>${rest.map(box)}</details>`}</fieldset>`
}
