// What stands in the full-text index, and what is asked of it. Pure. A term is one token of ASCII letters and digits, or letters of
// other scripts. It begins with a mark of its merchant, so each merchant has an index of its own within that of the engine, and a
// letter for its kind.

import { fold } from './words.ts'

// any: of every product, with an empty text. word: of any field. name: of the name or the brand. code: a whole SKU code. The others are filters.
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
  // Also what only begins with it.
  isPrefix: boolean
}

// A product matches if every group has a term that it has.
export type Match = readonly (readonly Term[])[]

export type Terms = (kind: Kind, text: string) => string

export function termsOf(merchantId: string): Terms {
  const mark = markOf(merchantId)
  return (kind, text) => `${mark}${letters[kind]}${text}`
}

// What a product is indexed with: all of its terms, with a space between them.
export function joinTerms(merchantId: string, texts: Readonly<Record<Kind, readonly string[]>>): string {
  const mark = markOf(merchantId)
  const ofKinds: string[] = []
  for (const [kind, letter] of kinds)
    if (texts[kind].length > 0) ofKinds.push(mark + letter + texts[kind].join(` ${mark}${letter}`))
  return ofKinds.join(' ')
}

function markOf(merchantId: string): string {
  return hashOf(merchantId).slice(0, 6)
}

// Texts that may hold anything, such as a tag, as one token. They are equal if they fold to the same.
export function digestOf(...texts: readonly string[]): string {
  return hashOf(texts.map(fold).join('\n'))
}

// FNV-1a twice, 13 signs. Two texts with one hash would only be found by each other's filter, so it need not resist anyone, and a
// cryptographic one took a third of the time in which a product is indexed.
export function hashOf(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9e3779b9]
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    one = Math.imul(one ^ unit, 0x01000193)
    other = Math.imul(other ^ unit, 0x85ebca6b)
  }
  return (one >>> 0).toString(36).padStart(7, '0') + ((other >>> 0) % 36 ** 6).toString(36).padStart(6, '0')
}

export function exactly(text: string): Term {
  return { text, isPrefix: false }
}
