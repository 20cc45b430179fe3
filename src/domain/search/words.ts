// The words of a text as a search compares them: without case and accents, in any script. Pure. The engines fold and split text
// differently, so they only get the words that are made here.

import { undecomposed } from '../../platform/kit/letters.ts'
import { findMeasures, withMeasuresAsWords } from './measures.ts'

const undecomposedExpression = new RegExp(`[${Object.keys(undecomposed).join('')}]`, 'g')

// Accents of Latin, Greek and Cyrillic, and vowel points of Hebrew and Arabic. In other scripts, marks are part of the word.
const accents = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g

const isAscii = /^[\0-\x7f]*$/

export function foldSearchText(text: string): string {
  // Most texts are ASCII, for which this takes a tenth of the time.
  if (isAscii.test(text)) return text.toLowerCase()
  return withoutLongMarks(text)
    .toLowerCase()
    .normalize('NFKD')
    .replace(accents, '')
    .normalize('NFC')
    .replace(undecomposedExpression, (letter) => undecomposed[letter] ?? letter)
}

// No language puts more marks on a letter (Unicode Standard Annex 15, 13). Normalizing sorts marks in quadratic time: 60,000 marks took
// five seconds.
function withoutLongMarks(text: string): string {
  return text.replace(/(\p{M}{30})\p{M}+/gu, '$1')
}

const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}ー々〆'
// A pictogram; a run of a script that puts no spaces between words; or a word.
const pieces = new RegExp(
  `\\p{Extended_Pictographic}|[${unspaced}]+|[[\\p{L}\\p{M}\\p{N}]--[${unspaced}]--\\p{Extended_Pictographic}]+`,
  'gv',
)
const isUnspaced = new RegExp(`^[${unspaced}]`, 'v')
const wordLengthMax = 40

// Returns the words to index. A run of a script without spaces is indexed by each letter and each pair of neighbours, ä as a and as ae,
// and a number with its unit also as one word.
export function indexWords(text: string): string[] {
  if (isPlain.test(text)) {
    const lower = text.toLowerCase()
    return withOthers(plainWords(lower), findMeasures(lower))
  }
  const folded = foldSearchText(text)
  const words = piecesOf(folded).flatMap((piece) => (isUnspaced.test(piece) ? [...piece, ...pairsOf(piece)] : [piece]))
  const spelled = spelledOut(text)
  return withOthers(words, [...(spelled === text ? [] : piecesOf(foldSearchText(spelled))), ...findMeasures(folded)])
}

function withOthers(words: string[], others: readonly string[]): string[] {
  if (others.length === 0) return words
  const known = new Set(words)
  return [...words, ...others.filter((other) => !known.has(other))]
}

// Returns the words of a query, in order, each once.
export function queryWords(text: string): string[] {
  return [...new Set(allAsked(text))]
}

// Maps each queried word to its spelling with ae for ä and similar. Empty if no word has such a letter.
export function querySpellings(text: string): ReadonlyMap<string, string> {
  const spelled = spelledOut(text)
  if (spelled === text) return new Map()
  const others = allAsked(spelled)
  return new Map(allAsked(text).map((word, at) => [word, others[at] ?? word]))
}

function allAsked(text: string): string[] {
  return piecesOf(withMeasuresAsWords(foldSearchText(text))).flatMap((piece) => {
    const isLong = isUnspaced.test(piece) && [...piece].length > 1
    return isLong ? pairsOf(piece) : [piece]
  })
}

// Returns the words of a query, and, if they differ, the same words with ae for ä and similar.
export function queryWordSequences(text: string): string[][] {
  const spelled = spelledOut(text)
  return spelled === text ? [allAsked(text)] : [allAsked(text), allAsked(spelled)]
}

// Returns neighbouring words joined, since a compound may be written as one word: `tea pot` is also `teapot`.
export function neighbourCompounds(text: string): string[] {
  const spelled = spelledOut(text)
  return [...joinedNeighbours(text), ...(spelled === text ? [] : joinedNeighbours(spelled))]
}

function joinedNeighbours(text: string): string[] {
  const words = sequenceIn(text)
  return words.slice(1).flatMap((word, at) => joinedWith(words[at] as string, word) ?? [])
}

const joinedLengthMin = 5

export function joinedWith(word: string, next: string): string | undefined {
  const joined = word + next
  const isWord = joined.length >= joinedLengthMin && joined.length <= wordLengthMax
  return isWord && !isUnspaced.test(word) && !isUnspaced.test(next) ? joined : undefined
}

// Returns the words of a text in their order.
function sequenceIn(text: string): string[] {
  return piecesOf(foldSearchText(text))
}

function piecesOf(folded: string): string[] {
  if (isPlain.test(folded)) return plainWords(folded)
  const found = withoutGenitive(folded).match(pieces) ?? []
  return found.map((piece) => (isUnspaced.test(piece) ? piece : shortened(piece)))
}

const spellings: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' }
const hasSpelling = /[äöüøå]/i
const spelledLetter = new RegExp(hasSpelling, 'gi')

function spelledOut(text: string): string {
  const composed = withoutLongMarks(text).normalize('NFC')
  if (!hasSpelling.test(composed)) return text
  return composed.replace(spelledLetter, (letter) => spellings[letter.toLowerCase()] ?? letter)
}

// In many texts only dashes, quotation marks and the like are not ASCII.
const isPlain = /^[\0-\x7f\u00a0\u2010-\u2015\u2019\u201c-\u201f\u2022\u2026]*$/

// Expects a text in lower case.
function plainWords(text: string): string[] {
  const words = withoutGenitive(text).match(/[a-z0-9]+/g) ?? []
  return words.some(({ length }) => length > wordLengthMax) ? words.map(shortened) : words
}

// `men's` is found by `men`.
function withoutGenitive(text: string): string {
  return /['’]/.test(text) ? text.replaceAll(/['’]s(?![\p{L}\p{N}])/gu, '') : text
}

function shortened(word: string): string {
  return word.length > wordLengthMax ? word.slice(0, wordLengthMax) : word
}

function pairsOf(run: string): string[] {
  const signs = [...run]
  return signs.slice(1).map((sign, at) => `${signs[at]}${sign}`)
}

// Returns a code without the characters between its parts: `MUG-250` and `mug 250` are the same.
export function wholeCode(text: string): string {
  return foldSearchText(text)
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '')
    .slice(0, 2 * wordLengthMax)
}
