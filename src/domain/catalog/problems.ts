// What a schema cannot express about products and categories. Pure.

import { type CategoryEntry, categoryDepthMax, type ProductEntry } from '../../contract/entries.ts'
import { limits } from '../../contract/limits.ts'
import { fromInstant } from '../../platform/kit/instant.ts'
import { blank, isBlank, type Problem, repeated } from '../../platform/kit/problems.ts'
import { safeHtml } from './safehtml.ts'

// A product that an import made has none of these: `shopify.ts` ensures it, and its tests check it here.
export function* productProblems(product: ProductEntry, now: number): Generator<Problem> {
  const options = product.options ?? []
  if (isBlank(product.name)) yield { path: '/name', message: blank }
  if (isBlank(product.brand ?? undefined)) yield { path: '/brand', message: blank }
  // Escaped and with its end tags it is longer.
  if (product.descriptionHtml != null && safeHtml(product.descriptionHtml).length > limits.descriptionHtmlLengthMax)
    yield { path: '/descriptionHtml', message: 'is too long' }
  for (const [index, { name, values }] of options.entries()) {
    if (isBlank(name)) yield { path: `/options/${index}/name`, message: blank }
    for (const [at, value] of values.entries())
      if (isBlank(value)) yield { path: `/options/${index}/values/${at}`, message: blank }
  }
  for (const [index, { url }] of (product.images ?? []).entries())
    if (!isPicture(url)) yield { path: `/images/${index}/url`, message: noPicture }
  yield* repeated(
    options.map((option) => option.name),
    (index) => `/options/${index}/name`,
  )
  const combinations = product.skus.map((sku) => JSON.stringify(options.map(({ name }) => sku.options?.[name])))
  yield* repeated(combinations, (index) => `/skus/${index}/options`)
  for (const [index, sku] of product.skus.entries()) {
    for (const member of ['code', 'name'] as const)
      if (isBlank(sku[member])) yield { path: `/skus/${index}/${member}`, message: blank }
    if (sku.image != null && !isPicture(sku.image)) yield { path: `/skus/${index}/image`, message: noPicture }
    const given = sku.options ?? {}
    for (const { name, values } of options) {
      const value = given[name]
      if (value === undefined) yield { path: `/skus/${index}/options`, message: `must name ${name}` }
      else if (!values.includes(value))
        yield { path: `/skus/${index}/options/${name}`, message: 'is not among the values of the option' }
    }
    for (const name of Object.keys(given)) {
      if (!options.some((option) => option.name === name))
        yield { path: `/skus/${index}/options/${name}`, message: 'is not an option of the product' }
    }
    if (sku.compareAtPrice != null && sku.compareAtPrice <= sku.price) {
      yield { path: `/skus/${index}/compareAtPrice`, message: 'must be above the price' }
    }
  }
  if (product.publishedAt !== undefined) {
    const publishedAt = fromInstant(product.publishedAt)
    if (publishedAt === undefined) yield { path: '/publishedAt', message: 'is not an instant' }
    else if (publishedAt > now)
      yield { path: '/publishedAt', message: 'must not lie in the future; use published: false' }
  }
}

const noPicture = 'is not an address with a host, or a path under /media/ without .., // and the like'

// The schema checks the rest. `https:///a` would take its host from the path, and a host does not begin with a blank.
export function isPicture(picture: string): boolean {
  if (picture.startsWith('/media/')) return !leadsElsewhere.test(picture)
  return URL.canParse(picture) && /^https?:\/\/[^/?#\\\s]/.test(picture)
}

// What a browser reads as another path: it would ask for a page of the dashboard, with the cookie of who looks at the product.
const leadsElsewhere = /\.\.|\/\.?\/|\\|%(?:2e|2f|5c)|[\s\p{Cc}]/iu

// Of one category, without its place in the tree.
export function* categoryProblems({ name, image }: CategoryEntry): Generator<Problem> {
  if (isBlank(name)) yield { path: '/name', message: blank }
  if (image != null && !isPicture(image)) yield { path: '/image', message: noPicture }
}

// Of a file, which names every category that it refers to.
export function* parentProblems(categories: readonly CategoryEntry[]): Generator<Problem> {
  const bySlug = new Map(categories.map((category) => [category.slug, category]))
  for (const [index, category] of categories.entries()) {
    let depth = 1
    let at: CategoryEntry | undefined = category
    while (at?.parent && depth <= categoryDepthMax) {
      const parent = bySlug.get(at.parent)
      if (!parent && at === category)
        yield { path: `/categories/${index}/parent`, message: 'is not among the categories of this file' }
      at = parent
      depth += 1
    }
    if (depth > categoryDepthMax)
      yield {
        path: `/categories/${index}/parent`,
        message: `goes in a circle, or deeper than ${categoryDepthMax} levels`,
      }
  }
}
