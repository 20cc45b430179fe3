// Reads a shop file: YAML or JSON, checked against its schema and against itself. Every problem is told with its place,
// in one go, so that a merchant mends a file once.

import { parseDocument } from 'yaml'
import { compile } from '../contract/validator.ts'
import { isCountry } from '../kit/country.ts'
import { currencyExponent } from '../kit/money.ts'
import { type CategoryEntry, type ProductEntry, ShopFile } from './shopfile.ts'

export interface Problem {
  // JSON Pointer into the file.
  path: string
  message: string
}

const fileBytesMax = 32 * 1024 * 1024
const problemsMax = 50
const categoryDepthMax = 8

export function readShopFile(text: string, now: number): { file: ShopFile } | { problems: Problem[] } {
  if (text.length > fileBytesMax)
    return { problems: [{ path: '', message: 'the file is larger than 32 MiB; use import for large catalogs' }] }
  const document = parseDocument(text, { maxAliasCount: 1000, uniqueKeys: true } as Parameters<typeof parseDocument>[1])
  if (document.errors.length > 0) {
    return {
      problems: document.errors.slice(0, problemsMax).map((error) => ({ path: '', message: firstLine(error.message) })),
    }
  }
  const value: unknown = document.toJS({ maxAliasCount: 1000 })
  const issues = validate(value)
  if (issues.length > 0) return { problems: [...issues] }
  const file = value as ShopFile
  const problems = [...contradictions(file, now)].slice(0, problemsMax)
  return problems.length > 0 ? { problems } : { file }
}

const validate = compile(ShopFile)

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}

// What a schema cannot say.
function* contradictions(file: ShopFile, now: number): Generator<Problem> {
  yield* controlCharacters(file, '')
  if (currencyExponent(file.merchant.currency) === undefined)
    yield { path: '/merchant/currency', message: 'is not a currency of ISO 4217' }
  if (!isCountry(file.merchant.country)) yield { path: '/merchant/country', message: 'is not a country of ISO 3166' }
  const categories = file.categories ?? []
  yield* repeated(
    categories.map((category) => category.slug),
    (index) => `/categories/${index}/slug`,
  )
  yield* badParents(categories)
  const products = file.products ?? []
  yield* repeated(
    products.map((product) => product.slug),
    (index) => `/products/${index}/slug`,
  )
  const places = products.flatMap((product, index) =>
    product.skus.map((sku, at) => ({ code: sku.code, path: `/products/${index}/skus/${at}/code` })),
  )
  yield* repeated(
    places.map(({ code }) => code),
    (index) => places[index]?.path ?? '',
  )
  const known = new Set(categories.map((category) => category.slug))
  for (const [index, product] of products.entries()) {
    for (const problem of productProblems(product, now)) yield { ...problem, path: `/products/${index}${problem.path}` }
    for (const [at, slug] of (product.categories ?? []).entries()) {
      if (!known.has(slug))
        yield { path: `/products/${index}/categories/${at}`, message: 'is not among the categories of this file' }
    }
  }
  yield* tableProblems(file)
}

function* badParents(categories: readonly CategoryEntry[]): Generator<Problem> {
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

// Also true of every product that an import brings.
export function* productProblems(product: ProductEntry, now: number): Generator<Problem> {
  const options = product.options ?? []
  yield* repeated(
    options.map((option) => option.name),
    (index) => `/options/${index}/name`,
  )
  const combinations = product.skus.map((sku) => JSON.stringify(options.map(({ name }) => sku.options?.[name])))
  yield* repeated(combinations, (index) => `/skus/${index}/options`)
  for (const [index, sku] of product.skus.entries()) {
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
    const publishedAt = Date.parse(product.publishedAt)
    if (Number.isNaN(publishedAt)) yield { path: '/publishedAt', message: 'is not an instant' }
    else if (publishedAt > now)
      yield { path: '/publishedAt', message: 'must not lie in the future; use published: false' }
  }
}

function* tableProblems(file: ShopFile): Generator<Problem> {
  const taxes = file.taxes ?? []
  yield* repeated(
    taxes.map((tax) => `${tax.country} ${tax.region ?? ''} ${tax.class ?? 'standard'}`),
    (index) => `/taxes/${index}`,
  )
  for (const [index, tax] of taxes.entries()) {
    if (!isCountry(tax.country)) yield { path: `/taxes/${index}/country`, message: 'is not a country of ISO 3166' }
  }
  const zones = file.shipping ?? []
  yield* repeated(
    zones.map((zone) => zone.zone),
    (index) => `/shipping/${index}/zone`,
  )
  const countries = zones.flatMap((zone, index) =>
    zone.countries.map((country, at) => ({ country, path: `/shipping/${index}/countries/${at}` })),
  )
  yield* repeated(
    countries.map(({ country }) => country),
    (index) => countries[index]?.path ?? '',
  )
  for (const { country, path } of countries) {
    if (country !== '*' && !isCountry(country)) yield { path, message: 'is not a country of ISO 3166' }
  }
  for (const [index, zone] of zones.entries()) {
    yield* repeated(
      zone.options.map((option) => option.id),
      (at) => `/shipping/${index}/options/${at}/id`,
    )
    for (const [at, { weightSteps = [] }] of zone.options.entries()) {
      const rising = weightSteps.every((step, i) => i === 0 || step.upToGrams > (weightSteps[i - 1]?.upToGrams ?? 0))
      if (!rising) yield { path: `/shipping/${index}/options/${at}/weightSteps`, message: 'must rise' }
    }
  }
  yield* repeated(
    (file.installations ?? []).map((installation) => installation.name),
    (index) => `/installations/${index}/name`,
  )
}

function* repeated(values: readonly string[], place: (index: number) => string): Generator<Problem> {
  const seen = new Set<string>()
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) yield { path: place(index), message: 'is there twice' }
    seen.add(value)
  }
}

// Line breaks and tabs are text; the other control characters are an accident, and one of them is our mark for the
// public origin in rendered answers.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

function* controlCharacters(value: unknown, path: string): Generator<Problem> {
  if (typeof value === 'string') {
    if (control.test(value) || !value.isWellFormed()) yield { path, message: 'holds control characters or broken text' }
  } else if (value !== null && typeof value === 'object') {
    for (const [name, member] of Object.entries(value)) {
      yield* controlCharacters(name, path)
      yield* controlCharacters(member, `${path}/${name}`)
    }
  }
}
