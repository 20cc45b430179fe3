// A parsed search: its words, and the terms of the index that find them. Pure.

import { wordForms } from '../search/forms.ts'
import { shownMeasure } from '../search/measures.ts'
import { exactTerm, hashTexts, type Match, type Term, type Terms } from '../search/terms.ts'
import { foldSearchText, indexWords, joinedWith, querySpellings, queryWords } from '../search/words.ts'
import { type CategoryRow, categoryPathTo, sortCategories } from './answer.ts'
import { findSynonymsAt, type Synonyms } from './synonyms.ts'

// Maximum number of words in a search; the rest is ignored.
const wordsMax = 12
// Shorter prefixes match too many words.
const prefixLengthMin = 2
// Maximum number of categories that one word may match.
const categoryTermsMax = 200

export interface QueryWord {
  // The word as typed, folded.
  word: string
  // The word and its other forms.
  forms: readonly string[]
  // Whether the word is the last one and possibly incomplete, so it also matches longer words.
  isPrefix: boolean
  // Synonyms of the word, each a list of words: a product matches a synonym if it has all of its words.
  alternatives: readonly (readonly QueryWord[])[]
  // The word joined with the word before it, and with the word after it. These are alternatives if any product has such a word.
  joined: readonly QueryWord[]
  // The forms, prepared for the lists of words of thousands of products: a common beginning, the endings of the forms that have it, and
  // the other forms.
  inList: { beginning: string; endings: readonly string[]; others: readonly string[] }
}

export function parseQueryWords(text: string, language: string, synonyms: Synonyms): QueryWord[] {
  const words = queryWords(text).slice(0, wordsMax)
  const spellings = querySpellings(text)
  const askedAs = (word: string, isLast: boolean) => {
    const isPrefix = isLast && word.length >= prefixLengthMin && /^[\p{L}\p{M}\p{N}]/u.test(word)
    const spelling = spellings.get(word) ?? word
    const forms =
      spelling === word ? wordForms(word, language) : [...wordForms(word, language), ...wordForms(spelling, language)]
    return makeQueryWord(word, forms, isPrefix)
  }
  const asked = words.map((word, at) => askedAs(word, at === words.length - 1))
  const joined = words.map((word, at) => {
    const pair = joinedWith(words[at - 1] ?? '', word)
    return at === 0 || pair === undefined ? undefined : askedAs(pair, at === words.length - 1)
  })
  return asked.map((word, at) => ({
    ...word,
    joined: [joined[at], joined[at + 1]].filter((pair) => pair !== undefined),
    alternatives: findSynonymsAt(synonyms, asked, at).map((phrase) =>
      phrase.map((other) => makeQueryWord(other, wordForms(other, language), false)),
    ),
  }))
}

export function makeQueryWord(word: string, forms: readonly string[], isPrefix: boolean): QueryWord {
  const longer = forms.filter((form) => form !== word && form.startsWith(word))
  const inList = {
    beginning: ` ${word}`,
    endings: longer.map((form) => `${form.slice(word.length)} `),
    others: forms.filter((form) => !form.startsWith(word)).map((form) => ` ${form} `),
  }
  return { word, forms, isPrefix, alternatives: [], joined: [], inList }
}

export function shownWords(words: readonly QueryWord[]): string[] {
  return words.map(({ word }) => shownMeasure(word))
}

// Scores a word in a list of words that are separated by spaces: 1 if it occurs as typed; a little less in another form, as the beginning
// of a longer word, or by a synonym; 0 if it does not occur.
export function scoreWordIn(words: string, asked: QueryWord): number {
  const presence = ownPresenceIn(words, asked)
  return presence === 0 && asked.alternatives.length > 0 ? alternativePresence(words, asked) : presence
}

function alternativePresence(words: string, { alternatives }: QueryWord): number {
  const isIn = alternatives.some((phrase) => phrase.every((other) => scoreWordIn(words, other) > 0))
  return isIn ? 0.85 : 0
}

function ownPresenceIn(words: string, { isPrefix, inList }: QueryWord): number {
  const { beginning, endings, others } = inList
  let presence = 0
  let at = words.indexOf(beginning)
  while (at >= 0) {
    const end = at + beginning.length
    if (words.startsWith(' ', end)) return 1
    if (isAnyAt(words, end, endings)) presence = 0.95
    else if (isPrefix && presence === 0) presence = 0.9
    at = words.indexOf(beginning, end)
  }
  return presence < 0.95 && isAnyIn(words, others) ? 0.95 : presence
}

function isAnyAt(words: string, at: number, endings: readonly string[]): boolean {
  for (const ending of endings) if (words.startsWith(ending, at)) return true
  return false
}

function isAnyIn(words: string, forms: readonly string[]): boolean {
  for (const form of forms) if (words.includes(form)) return true
  return false
}

// The categories of a merchant, prepared for searches.
export interface CategoryTree {
  inOrder: readonly CategoryRow[]
  // By slug: the category with its ancestors, and the words of their names.
  paths: ReadonlyMap<string, readonly string[]>
  words: ReadonlyMap<string, string>
  // By slug: the category with its descendants.
  families: ReadonlyMap<string, readonly string[]>
}

export function buildCategoryTree(categories: readonly CategoryRow[]): CategoryTree {
  const byId = new Map(categories.map((category) => [category.id, category]))
  const nameOf = new Map(categories.map(({ slug, name }) => [slug, ` ${indexWords(name).join(' ')} `]))
  const paths = new Map(categories.map((category) => [category.slug, categoryPathTo(category, byId)]))
  const families = new Map<string, string[]>(categories.map(({ slug }) => [slug, []]))
  for (const [slug, path] of paths) for (const above of path) families.get(above)?.push(slug)
  return {
    inOrder: sortCategories(categories),
    paths,
    words: new Map([...paths].map(([slug, path]) => [slug, path.map((above) => nameOf.get(above) ?? '').join('')])),
    families,
  }
}

// Categories that have products, and whose name has, for each typed word, a word that begins with it. They are in the order of `inOrder`.
export function suggestCategories(
  { inOrder }: CategoryTree,
  text: string,
): { slug: string; name: string; count: number }[] {
  const words = indexWords(text)
  if (words.length === 0) return []
  return inOrder
    .filter(({ name, productCount }) => {
      const own = indexWords(name)
      return productCount > 0 && words.every((word) => own.some((other) => other.startsWith(word)))
    })
    .map(({ slug, name, productCount }) => ({ slug, name, count: productCount }))
}

export interface Filters {
  minPrice?: number | undefined
  maxPrice?: number | undefined
  inStock?: true | undefined
  category?: string | undefined
  // A product with one of these brands matches.
  brand?: readonly string[] | undefined
  tag?: string | undefined
  // Values by the name of the option; a product matches if it has one of the values for each name.
  options: ReadonlyMap<string, readonly string[]>
}

// A filter of the same kind as a facet. It is ignored when that facet is counted.
export type Dimension =
  | { kind: 'category' }
  | { kind: 'brand' }
  | { kind: 'price' }
  | { kind: 'inStock' }
  | { kind: 'option'; name: string }

export function activeDimensions({ category, brand, minPrice, maxPrice, inStock, options }: Filters): Dimension[] {
  return [
    ...(category === undefined ? [] : [{ kind: 'category' } as const]),
    ...(brand === undefined ? [] : [{ kind: 'brand' } as const]),
    ...(minPrice === undefined && maxPrice === undefined ? [] : [{ kind: 'price' } as const]),
    ...(inStock === undefined ? [] : [{ kind: 'inStock' } as const]),
    ...[...options.keys()].map((name) => ({ kind: 'option', name }) as const),
  ]
}

export function withoutDimension(filters: Filters, dimension: Dimension): Filters {
  switch (dimension.kind) {
    case 'category':
      return { ...filters, category: undefined }
    case 'brand':
      return { ...filters, brand: undefined }
    case 'price':
      return { ...filters, minPrice: undefined, maxPrice: undefined }
    case 'inStock':
      return { ...filters, inStock: undefined }
    case 'option':
      return { ...filters, options: new Map([...filters.options].filter(([name]) => name !== dimension.name)) }
  }
}

// A product with one of these terms contains the word, or is in a category whose name contains it.
export function wordTerms(
  term: Terms,
  asked: QueryWord,
  { tree, only = 'word' }: { tree: CategoryTree; only?: 'word' | 'name' },
): Term[] {
  return [
    // Forms that begin with an incomplete word are found by that word already, and each list of 10,000 products takes a millisecond.
    ...asked.forms
      .filter((form) => !asked.isPrefix || !form.startsWith(asked.word))
      .map((form) => exactTerm(term(only, form))),
    ...(asked.isPrefix ? [{ text: term(only, asked.word), isPrefix: true }] : []),
    ...(only === 'name'
      ? []
      : categoriesNamed(tree, asked).map((slug) => exactTerm(term('category', hashTexts(slug))))),
  ]
}

function categoriesNamed({ words }: CategoryTree, asked: QueryWord): string[] {
  const named = [...words].filter(([, names]) => ownPresenceIn(names, asked) > 0)
  return named.slice(0, categoryTermsMax).map(([slug]) => slug)
}

// Returns undefined if no product can match.
export function matchForFilters(
  term: Terms,
  { category, brand, tag, options }: Filters,
  tree: CategoryTree,
): Match | undefined {
  const family = category === undefined ? undefined : (tree.families.get(category) ?? [])
  if (family?.length === 0) return undefined
  return [
    ...(family ? [family.map((slug) => exactTerm(term('category', hashTexts(slug))))] : []),
    ...(brand === undefined ? [] : [brand.map((name) => exactTerm(term('brand', hashTexts(name))))]),
    ...(tag === undefined ? [] : [[exactTerm(term('tag', hashTexts(tag)))]]),
    ...[...options].map(([name, values]) => values.map((value) => exactTerm(term('option', hashTexts(name, value))))),
  ]
}

// Parses texts such as `Colour:Plum`; the name of an option contains no colon.
export function parseOptionFilters(texts: readonly string[]): Map<string, string[]> {
  const options = new Map<string, string[]>()
  for (const text of texts) {
    const colon = text.indexOf(':')
    const [name, value] = [text.slice(0, colon), text.slice(colon + 1)]
    const known = [...options.keys()].find((other) => foldSearchText(other) === foldSearchText(name)) ?? name
    options.set(known, [...(options.get(known) ?? []), value])
  }
  return options
}
