// Slugs: the readable names in URLs.

import { limits } from '../../contract/limits.ts'
import { patterns } from '../../contract/patterns.ts'
import { undecomposed } from './letters.ts'

const slugExpression = new RegExp(patterns.slug.source)

export function isSlug(text: string): boolean {
  return text.length <= limits.slugLengthMax && slugExpression.test(text)
}

// Letters that Unicode normalization does not decompose, and umlauts, which German readers expect as two letters.
const spelledOut: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ...undecomposed }
const spelledOutExpression = new RegExp(`[${Object.keys(spelledOut).join('')}]`, 'g')

// Longer texts add nothing to a slug, and normalizing them is expensive.
const textLengthMax = 1000

// Returns '' for a text without Latin letters and digits. The caller must then ask for a slug.
export function slugify(text: string): string {
  return spelled(text)
    .replace(/['’]/g, '') // "men's" reads better as mens than as men-s
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, limits.slugLengthMax)
    .replace(/-$/, '')
}

// Returns whether the slug omits letters, digits or symbols of the text, so another text may have the same slug.
export function dropsLetters(text: string): boolean {
  return text.length > textLengthMax || /(?![a-z0-9])[\p{L}\p{N}\p{So}]/u.test(spelled(text))
}

function spelled(text: string): string {
  return text
    .slice(0, textLengthMax)
    .normalize('NFC')
    .toLowerCase()
    .replace(spelledOutExpression, (letter) => spelledOut[letter] ?? '')
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase() // again: compatibility forms such as ™ became capitals
}
