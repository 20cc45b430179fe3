// Rules for products and categories that a schema cannot express. Pure.

import { type CategoryEntry, categoryDepthMax, type ProductEntry } from '../../contract/entries.ts'
import { issueAt } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import { fromInstant } from '../../platform/kit/instant.ts'
import { type EntryProblem, isBlank, repeatedValueProblems } from '../../platform/kit/problems.ts'
import { isBaseOf } from '../../platform/kit/unitprice.ts'
import { sanitizeHtml } from './safehtml.ts'

// Products of imports are not checked here: `shopify.ts` makes no product with such a problem, as its tests check.
export function* productProblems(product: ProductEntry, now: number): Generator<EntryProblem> {
  const options = product.options ?? []
  if (isBlank(product.name)) yield issueAt('/name', 'blank')
  if (isBlank(product.brand ?? undefined)) yield issueAt('/brand', 'blank')
  for (const member of ['seoTitle', 'seoDescription'] as const)
    if (isBlank(product[member] ?? undefined)) yield issueAt(`/${member}`, 'blank')
  for (const [index, { text }] of (product.warnings ?? []).entries())
    if (isBlank(text)) yield issueAt(`/warnings/${index}/text`, 'blank')
  // The length is checked after sanitizing, because escaping and added end tags make HTML longer.
  if (product.descriptionHtml != null && sanitizeHtml(product.descriptionHtml).length > limits.descriptionHtmlLengthMax)
    yield issueAt('/descriptionHtml', 'html_too_long')
  for (const [index, { name, values }] of options.entries()) {
    if (isBlank(name)) yield issueAt(`/options/${index}/name`, 'blank')
    for (const [at, value] of values.entries())
      if (isBlank(value)) yield issueAt(`/options/${index}/values/${at}`, 'blank')
  }
  for (const [index, { url }] of (product.images ?? []).entries())
    if (!isPicture(url)) yield issueAt(`/images/${index}/url`, 'not_an_image_address')
  yield* repeatedValueProblems(
    options.map((option) => option.name),
    (index) => `/options/${index}/name`,
  )
  const combinations = product.skus.map((sku) => JSON.stringify(options.map(({ name }) => sku.options?.[name])))
  yield* repeatedValueProblems(combinations, (index) => `/skus/${index}/options`)
  for (const [index, sku] of product.skus.entries()) {
    for (const member of ['code', 'name'] as const)
      if (isBlank(sku[member])) yield issueAt(`/skus/${index}/${member}`, 'blank')
    if (sku.image != null && !isPicture(sku.image)) yield issueAt(`/skus/${index}/image`, 'not_an_image_address')
    const given = sku.options ?? {}
    for (const { name, values } of options) {
      const value = given[name]
      if (value === undefined) yield issueAt(`/skus/${index}/options`, 'option_missing', { option: name })
      else if (!values.includes(value)) yield issueAt(`/skus/${index}/options/${name}`, 'unknown_option_value')
    }
    for (const name of Object.keys(given)) {
      if (!options.some((option) => option.name === name))
        yield issueAt(`/skus/${index}/options/${name}`, 'unknown_option')
    }
    if (sku.measure && !isBaseOf(sku.measure)) yield issueAt(`/skus/${index}/measure/per`, 'other_kind_of_measure')
    if (sku.compareAtPrice != null && sku.compareAtPrice <= sku.price) {
      yield issueAt(`/skus/${index}/compareAtPrice`, 'not_above_price')
    }
  }
  if (product.publishedAt !== undefined) {
    const publishedAt = fromInstant(product.publishedAt)
    if (publishedAt === undefined) yield issueAt('/publishedAt', 'unreadable_instant')
    else if (publishedAt > now) yield issueAt('/publishedAt', 'published_in_future')
  }
}

// Checks what the schema does not: `https:///a` would take its host from the path, and a host does not begin with white space.
export function isPicture(picture: string): boolean {
  if (picture.startsWith('/media/')) return !leadsElsewhere.test(picture)
  return URL.canParse(picture) && /^https?:\/\/[^/?#\\\s]/.test(picture)
}

// Paths that a browser resolves to another path. A picture with such a path could make the browser request a page of the dashboard, with
// the cookie of the user who views the product.
const leadsElsewhere = /\.\.|\/\.?\/|\\|%(?:2e|2f|5c)|[\s\p{Cc}]/iu

// Checks one category, except for its place in the tree.
export function* categoryProblems({ name, image }: CategoryEntry): Generator<EntryProblem> {
  if (isBlank(name)) yield issueAt('/name', 'blank')
  if (image != null && !isPicture(image)) yield issueAt('/image', 'not_an_image_address')
}

// Checks the categories of a file, which must contain every category that it refers to.
export function* parentProblems(categories: readonly CategoryEntry[]): Generator<EntryProblem> {
  const bySlug = new Map(categories.map((category) => [category.slug, category]))
  for (const [index, category] of categories.entries()) {
    let depth = 1
    let at: CategoryEntry | undefined = category
    while (at?.parent && depth <= categoryDepthMax) {
      const parent = bySlug.get(at.parent)
      if (!parent && at === category) yield issueAt(`/categories/${index}/parent`, 'category_not_in_file')
      at = parent
      depth += 1
    }
    if (depth > categoryDepthMax)
      yield issueAt(`/categories/${index}/parent`, 'category_circle', { max: categoryDepthMax })
  }
}
