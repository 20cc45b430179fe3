// The terms in the full-text index and in queries. Pure. A term is one token of ASCII letters and digits, letters of other scripts, or a
// pictogram. It begins with a mark of its merchant, so each merchant has an index of its own within the engine's index, and a letter for
// its kind.

import { foldSearchText } from './words.ts'

// any: in every product, with an empty text. word: from any field. name: from the name or the brand. code: a whole SKU code. The others
// are filters.
export type Kind = 'any' | 'word' | 'name' | 'code' | 'category' | 'brand' | 'tag' | 'option'

const letters: Readonly<Record<Kind, string>> = {
  any: 'a',
  word: 'w',
  name: 'n',
  code: 'k',
  category: 'c',
  brand: 'b',
  tag: 't',
  option: 'o',
}

const kinds = Object.entries(letters) as [Kind, string][]

export interface Term {
  text: string
  // Whether longer terms that begin with the text also match.
  isPrefix: boolean
}

// A product matches if it has at least one term of every group.
export type Match = readonly (readonly Term[])[]

export type Terms = (kind: Kind, text: string) => string

export function termsForMerchant(merchantId: string): Terms {
  const mark = markOf(merchantId)
  return (kind, text) => `${mark}${letters[kind]}${text}`
}

// Returns all terms with which a product is indexed, with a space between them.
export function joinTerms(merchantId: string, texts: Readonly<Record<Kind, readonly string[]>>): string {
  const mark = markOf(merchantId)
  const ofKinds: string[] = []
  for (const [kind, letter] of kinds)
    if (texts[kind].length > 0) ofKinds.push(mark + letter + texts[kind].join(` ${mark}${letter}`))
  return ofKinds.join(' ')
}

function markOf(merchantId: string): string {
  return hashTerm(merchantId).slice(0, 6)
}

// Hashes texts that may contain anything, such as a tag, into one token. Texts that fold to the same text have the same token.
export function hashTexts(...texts: readonly string[]): string {
  return hashTerm(texts.map(foldSearchText).join('\n'))
}

// Two variants of FNV-1a, 13 characters. It need not resist attacks: if two texts had the same hash, a filter by one would find products of
// both. A cryptographic hash took a third of the time for indexing a product.
export function hashTerm(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9e3779b9]
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(other ^ unit, 0x85ebca6b)
  }
  return (one >>> 0).toString(36).padStart(7, '0') + ((other >>> 0) % 36 ** 6).toString(36).padStart(6, '0')
}

export function exactTerm(text: string): Term {
  return { text, isPrefix: false }
}
