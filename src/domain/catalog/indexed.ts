// The contents of the search index for a product, derived from the product alone. Pure. Names of categories are not indexed but looked up
// at each search, so renaming a category changes no product.

import type { Mode } from '../../contract/words.ts'
import { findMeasures } from '../search/measures.ts'
import { hashTexts, joinTerms } from '../search/terms.ts'
import { foldSearchText, indexWords, neighbourCompounds, wholeCode } from '../search/words.ts'
import { availabilityFor, availableQuantity, bestAvailability } from './availability.ts'
import type { ProductRow, PublishedProduct, SellerFacts, SkuRow } from './product.ts'

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
  // The terms of the full-text index; see `FullText.put`.
  terms: string
  // Words to which misspelt words are corrected.
  spelling: readonly string[]
}

// Maximum numbers of distinct words and measures of a product's description, and of words of its SKU codes and barcodes.
const proseWordsMax = 400
const proseMeasuresMax = 50
const codeWordsMax = 400
const nameKeyBytes = 40

export function indexFiguresOf(seller: SellerFacts, product: PublishedProduct): IndexFigures {
  const prices = product.skus.map(({ price }) => price)
  return {
    publishedAt: product.publishedAt,
    priceMin: Math.min(...prices),
    priceMax: Math.max(...prices),
    inStock: { live: isInStock(seller, product, 'live'), test: isInStock(seller, product, 'test') },
  }
}

// Returns whether both products have the same `indexTextsOf`. Computing these texts takes several times as long.
export function hasSameTexts(one: ProductRow, other: ProductRow): boolean {
  return (
    one.name === other.name &&
    one.brand === other.brand &&
    one.summary === other.summary &&
    one.description === other.description &&
    isSameList(one.tags, other.tags) &&
    isSameList(one.categories, other.categories) &&
    one.skus.length === other.skus.length &&
    one.skus.every((sku, at) => hasSameSkuTexts(sku, other.skus[at] as SkuRow))
  )
}

function hasSameSkuTexts(one: SkuRow, other: SkuRow): boolean {
  return (
    one.code === other.code &&
    one.barcode === other.barcode &&
    one.options.length === other.options.length &&
    one.options.every(({ name, value }, at) => name === other.options[at]?.name && value === other.options[at]?.value)
  )
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, at) => text === other[at])
}

export function indexTextsOf(seller: SellerFacts, product: PublishedProduct): IndexTexts {
  const { skus } = product
  const options = optionsOf(product)
  // A scanner enters the barcode as the search text.
  const codes = unique(skus.flatMap(({ code, barcode }) => (barcode === null ? [code] : [code, barcode])))
  const spelledName = unique(indexWords(product.name))
  const brand = unique(indexWords(product.brand ?? ''))
  const spelledTags = unique(indexWords(product.tags.join(' ')))
  const name = unique([...spelledName, ...neighbourCompounds(product.name)])
  const tags = unique([...spelledTags, ...product.tags.flatMap(neighbourCompounds)])
  const values = unique(indexWords(options.flatMap(({ values }) => values).join(' ')))
  const ofCodes = unique(indexWords(codes.join(' '))).slice(0, codeWordsMax)
  const prose = proseWords(proseOf(product))
  return {
    nameKey: Buffer.from(foldSearchText(product.name)).subarray(0, nameKeyBytes).toString('hex'),
    facets: withBrand(writeFacets({ categories: product.categories, options }), product.brand),
    fields: writeFields([name, tags, values, ofCodes, brand]),
    terms: joinTerms(seller.id, {
      any: [''],
      word: unique([...name, ...brand, ...tags, ...values, ...ofCodes, ...prose]),
      name: unique([...name, ...brand]),
      code: codes.map(wholeCode),
      category: product.categories.map((slug) => hashTexts(slug)),
      tag: product.tags.map((tag) => hashTexts(tag)),
      brand: product.brand === null ? [] : [hashTexts(product.brand)],
      option: options.flatMap(({ name, values }) => values.map((value) => hashTexts(name, value))),
    }),
    spelling: [...spelledName, ...brand, ...spelledTags, ...values].filter(isSpelled),
  }
}

// A summary that was copied from the description adds no words.
function proseOf({ summary, description }: ProductRow): string {
  const isTaken = description.startsWith(summary) && /^(?:\n|$)/.test(description.slice(summary.length))
  return isTaken ? description : `${summary} ${description}`
}

// Short lists are unchanged. In a long list, measures (numbers with their units) come first: a search has each measure as one word, and
// after all other words the measures would be cut off.
function proseWords(text: string): readonly string[] {
  const words = indexWords(text)
  if (words.length <= proseWordsMax) return words
  return unique([...findMeasures(foldSearchText(text)).slice(0, proseMeasuresMax), ...words]).slice(0, proseWordsMax)
}

export function isInStock({ lowStockAt }: SellerFacts, { skus }: Pick<ProductRow, 'skus'>, mode: Mode): boolean {
  const best = bestAvailability(
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
  // Slugs of categories.
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

// The first line contains the categories, each further line one option. Names and values of a shop contain no control characters. A
// search reads thousands of these texts, and splitting is several times as fast as parsing JSON.
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

// The brand is stored with the facets, at the end of the first line, where an earlier release reads it as an unknown category. In memory
// the brand is separate: otherwise hardly two products would have the same facets, and a search parses each distinct text.
const brandMark = ',\t'

function withBrand(facets: string, brand: string | null): string {
  if (brand === null) return facets
  const [first, ...lines] = facets.split('\n')
  return [`${first}${brandMark}${brand}`, ...lines].join('\n')
}

export function splitBrand(stored: string): { facets: string; brand: string } {
  const end = stored.indexOf('\n')
  const first = end < 0 ? stored : stored.slice(0, end)
  const mark = first.indexOf(brandMark)
  if (mark < 0) return { facets: stored, brand: '' }
  return {
    facets: first.slice(0, mark) + stored.slice(first.length),
    brand: first.slice(mark + brandMark.length),
  }
}

// The words of name, tags, options, codes and brand, one line each, with a space around every word.
function writeFields(fields: readonly (readonly string[])[]): string {
  return fields.map((words) => ` ${words.join(' ')} `).join('\n')
}

function unique(texts: readonly string[]): string[] {
  return texts.length < 2 ? [...texts] : [...new Set(texts)]
}
