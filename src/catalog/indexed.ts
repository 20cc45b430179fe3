// What the search index holds of a product, made from the product alone. Pure. The names of its categories are not part of it: they
// are looked up when a question is asked, so renaming a category changes no product.

import type { Mode } from '../contract/words.ts'
import { digestOf, termsOf } from '../fulltext/terms.ts'
import { fold, wholeCode, wordsIn } from '../fulltext/words.ts'
import { availabilityFor, availableQuantity, bestOf } from './availability.ts'
import type { ProductRow, PublishedProduct, SellerFacts } from './product.ts'

export interface IndexFigures {
  publishedAt: number
  priceMin: number
  priceMax: number
  inStock: Readonly<Record<Mode, boolean>>
}

export interface IndexTexts {
  nameKey: string
  facets: string
  fields: string
  terms: readonly string[]
  // What a misspelt word is corrected to.
  spelling: readonly string[]
}

// Distinct words of one product: of its description, and of its SKU codes and barcodes.
const proseWordsMax = 400
const codeWordsMax = 400
const nameKeyBytes = 40

export function figuresOf(seller: SellerFacts, product: PublishedProduct): IndexFigures {
  const prices = product.skus.map(({ price }) => price)
  return {
    publishedAt: product.publishedAt,
    priceMin: Math.min(...prices),
    priceMax: Math.max(...prices),
    inStock: { live: isInStock(seller, product, 'live'), test: isInStock(seller, product, 'test') },
  }
}

// Whether both would have the same `textsOf`, which take a multiple of this.
export function hasSameTexts(one: ProductRow, other: ProductRow): boolean {
  return one.description === other.description && sourceOf(one) === sourceOf(other)
}

function sourceOf({ name, summary, tags, categories, skus }: ProductRow): string {
  const ofSkus = skus.map(({ code, barcode, options }) => [
    code,
    barcode,
    options.map(({ name, value }) => [name, value]),
  ])
  return JSON.stringify([name, summary, tags, categories, ofSkus])
}

export function textsOf(seller: SellerFacts, product: PublishedProduct): IndexTexts {
  const { skus } = product
  const options = optionsOf(product)
  // A scanner types the barcode.
  const codes = unique(skus.flatMap(({ code, barcode }) => (barcode === null ? [code] : [code, barcode])))
  const words = {
    name: wordsIn(product.name),
    tags: wordsIn(product.tags.join(' ')),
    options: wordsIn(options.flatMap(({ values }) => values).join(' ')),
    codes: firstDistinct(wordsIn(codes.join(' ')), codeWordsMax),
    prose: firstDistinct(wordsIn(`${product.summary} ${product.description}`), proseWordsMax),
  }
  const term = termsOf(seller.id)
  return {
    nameKey: Buffer.from(fold(product.name)).subarray(0, nameKeyBytes).toString('hex'),
    facets: writeFacets({ categories: product.categories, options }),
    fields: writeFields([words.name, words.tags, words.options, words.codes]),
    // The same one twice does no harm.
    terms: [
      term('any', ''),
      ...unique(Object.values(words).flat()).map((word) => term('word', word)),
      ...unique(words.name).map((word) => term('name', word)),
      ...codes.map((code) => term('code', wholeCode(code))),
      ...product.categories.map((slug) => term('category', digestOf(slug))),
      ...product.tags.map((tag) => term('tag', digestOf(tag))),
      ...options.flatMap(({ name, values }) => values.map((value) => term('option', digestOf(name, value)))),
    ],
    spelling: unique([...words.name, ...words.tags, ...words.options]).filter(isSpelled),
  }
}

export function isInStock({ lowStockAt }: SellerFacts, { skus }: Pick<ProductRow, 'skus'>, mode: Mode): boolean {
  const best = bestOf(
    skus.map(({ stock, whenSoldOut }) =>
      availabilityFor({ available: availableQuantity(stock[mode]), whenSoldOut }, lowStockAt),
    ),
  )
  return best === 'in_stock' || best === 'low_stock'
}

function isSpelled(word: string): boolean {
  return word.length >= 4 && /^\p{L}+$/u.test(word)
}

export interface ProductFacets {
  // Slugs.
  categories: readonly string[]
  options: readonly { name: string; values: readonly string[] }[]
}

function optionsOf({ skus }: ProductRow): { name: string; values: string[] }[] {
  const byName = Map.groupBy(
    skus.flatMap(({ options }) => options),
    ({ name }) => name,
  )
  return [...byName].map(([name, chosen]) => ({ name, values: unique(chosen.map(({ value }) => value)) }))
}

// A line for the categories, then one for each option. Names and values of a shop hold no control characters. Thousands of these
// are read for one answer, and splitting is several times as fast as parsing JSON.
function writeFacets({ categories, options }: ProductFacets): string {
  return [categories.join(','), ...options.map(({ name, values }) => [name, ...values].join('\t'))].join('\n')
}

export function readFacets(text: string): ProductFacets {
  const [categories = '', ...lines] = text.split('\n')
  const options = lines.map((line) => {
    const [name = '', ...values] = line.split('\t')
    return { name, values }
  })
  return { categories: categories === '' ? [] : categories.split(','), options }
}

// The words of name, tags, options and codes, a line each, with a space around every word.
function writeFields(fields: readonly (readonly string[])[]): string {
  return fields.map((words) => ` ${unique(words).join(' ')} `).join('\n')
}

// Short lists are left as they are.
function firstDistinct(words: readonly string[], count: number): readonly string[] {
  return words.length <= count ? words : unique(words).slice(0, count)
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
