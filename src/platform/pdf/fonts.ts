// The two fonts of documents. They are read when the first document is made.

import { readFileSync } from 'node:fs'
import { TrueTypeFont } from './font.ts'

export const fontWeights = ['Regular', 'Bold'] as const
export type FontWeight = (typeof fontWeights)[number]

const read = new Map<FontWeight, TrueTypeFont>()

export function documentFont(weight: FontWeight): TrueTypeFont {
  const known = read.get(weight)
  if (known) return known
  const file = new URL(`fonts/NotoSans-${weight}.ttf`, import.meta.url)
  const font = new TrueTypeFont(`NotoSans-${weight}`, readFileSync(file))
  read.set(weight, font)
  return font
}

// Soft hyphens and characters for direction and joining have no glyph and are removed. The minus sign U+2212, which some languages use, is
// not in the font and is replaced by a dash. Tabs and line breaks become spaces.
const unseen = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g
const substitutes: Readonly<Record<string, string>> = { '\u2212': '\u2013', '\t': ' ', '\n': ' ', '\r': ' ' }

// Text that needs no change, as most text: without combining and invisible characters.
const plainText = /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u024f\u20ac]*$/

export function printableText(text: string): string {
  if (plainText.test(text)) return text
  return text
    .normalize('NFC')
    .replace(unseen, '')
    .replace(/[\u2212\t\n\r]/g, (letter) => substitutes[letter] ?? '')
}

// Returns whether the fonts have all characters of the text: they have Latin, Greek and Cyrillic letters.
export function isPrintable(text: string): boolean {
  if (plainText.test(text)) return true
  const font = documentFont('Regular')
  for (const letter of printableText(text)) if (font.glyphOf(letter.codePointAt(0) ?? 0) === undefined) return false
  return true
}
