// Parts shared by the screens of the catalog: navigation, pictures, price ranges, and the tree of categories.

import type { AdminCategory } from '../../contract/admin/catalog.ts'
import type { AdminMaker } from '../../contract/admin/makers.ts'
import { makersMax } from '../../contract/entries.ts'
import { type Html, html } from '../../platform/html/html.ts'
import { initialOf } from '../../platform/html/initial.ts'
import type { ScreenVisit } from './screen.ts'
import { cursorFromLink } from './table.ts'

const sections = ['products', 'stock', 'categories', 'makers'] as const

export function sectionTabs({ words, to }: ScreenVisit, current: (typeof sections)[number]): Html {
  return html`<nav class="tabs" aria-label="${words.say('place.products')}">${sections.map(
    (section) =>
      html`<a href="${to(section)}"${section === current && html` aria-current="page"`}>${words.say(`${section}.title`)}</a>`,
  )}</nav>`
}

// A small picture without alternative text, because the name is beside it.
export function renderThumbnail(url: string | null, name: string): Html {
  if (url === null) return html`<span class="thumb" aria-hidden="true">${initialOf(name)}</span>`
  return html`<img class="thumb" src="${smallImage(url)}" alt="" width="40" height="40" loading="lazy" decoding="async">`
}

// Uploaded pictures have several sizes; pictures on other hosts have one.
export function smallImage(url: string): string {
  return url.startsWith('/media/mer_') ? `${url}?width=160` : url
}

export function priceRange({ words, shop }: ScreenVisit, min: number, max: number): string {
  const from = words.money(min, shop.currency)
  return min === max ? from : `${from} – ${words.money(max, shop.currency)}`
}

// In a shop with more brands, the person types a brand instead of choosing it from a list.
const brandsMax = 200

export interface Brands {
  names: readonly string[]
  // Whether the shop has more brands than `names`.
  isCut: boolean
}

export async function listShopBrands({ ask }: ScreenVisit): Promise<Brands> {
  const { data, meta } = await ask('listAdminBrands', { query: { limit: brandsMax } })
  return { names: data.map(({ name }) => name), isCut: meta.next !== null }
}

const makersAtOnce = 200

// Returns all makers, sorted by name.
export async function listShopMakers(visit: ScreenVisit): Promise<AdminMaker[]> {
  const all: AdminMaker[] = []
  let cursor: string | undefined
  for (let page = 0; page < makersMax / makersAtOnce; page++) {
    const { data, meta } = await visit.ask('listAdminMakers', { query: { limit: makersAtOnce }, cursor })
    all.push(...data)
    if (meta.next === null) break
    cursor = cursorFromLink(meta.next)
  }
  const order = new Intl.Collator(visit.words.language)
  return all.toSorted((one, other) => order.compare(one.maker.name, other.maker.name))
}

export interface CategoryNode extends AdminCategory {
  // 0 for a top-level category.
  depth: number
}

// At 50 rows each, enough pages for the maximum number of categories.
const pagesMax = 40

// Returns all categories; subcategories follow their parent.
export async function listShopCategories(visit: ScreenVisit): Promise<CategoryNode[]> {
  const all: AdminCategory[] = []
  let cursor: string | undefined
  for (let page = 0; page < pagesMax; page++) {
    const { data, meta } = await visit.ask('listAdminCategories', { cursor })
    all.push(...data)
    cursor = cursorFromLink(meta.next)
    if (cursor === undefined) break
  }
  const below = Map.groupBy(all, ({ parentId }) => parentId)
  const branch = (parentId: string | null, depth: number): CategoryNode[] =>
    (below.get(parentId) ?? []).flatMap((one) => [{ ...one, depth }, ...branch(one.id, depth + 1)])
  return branch(null, 0)
}

// Returns a category's name, indented for a flat list of options.
export function indentedCategoryName({ category: { name }, depth }: CategoryNode): string {
  return `${'\u2003'.repeat(depth)}${name}`
}
