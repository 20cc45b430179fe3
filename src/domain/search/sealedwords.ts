// The words by which something sealed can be found. Pure.

import { mailboxOf } from '../../platform/kit/email.ts'

// Per sealed thing, and per question.
const wordsMax = 20

// A mailbox is one word. Everything else falls apart where it is neither a letter nor a digit, so `Müller-Lüdenscheidt` is two.
export function wordsOf(text: string): string[] {
  const words = text.split(/\s+/).flatMap((piece) => (piece.includes('@') ? [mailboxOf(piece)] : plainWords(piece)))
  return [...new Set(words)].slice(0, wordsMax)
}

function plainWords(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  )
}

// A word is found by its beginning too, from two letters on. Each beginning is a token of its own, so they end somewhere.
const beginningMin = 2
const beginningMax = 12

export function beginningsOf(word: string): string[] {
  const letters = [...word]
  const most = Math.min(letters.length - 1, beginningMax)
  return Array.from({ length: Math.max(0, most - beginningMin + 1) }, (_, i) =>
    beginning(letters.slice(0, beginningMin + i).join('')),
  )
}

// What a typed word is looked for as: itself, and the beginning of a longer one. Of many letters only the first are asked for, so a word
// is still found while it is typed on. A whole mailbox is only itself: another person's may have the same beginning.
export function askedAs(word: string): string[] {
  if (wholeMailbox.test(word)) return [word]
  return [word, beginning([...word].slice(0, beginningMax).join(''))]
}

const wholeMailbox = /@[^@]*\.[^.@]{2,}$/

// How the beginning of a word is named, so it is not taken for the word: Han is not found in the place of Hansen by a whole word.
function beginning(letters: string): string {
  return `${letters}…`
}

// A postal code is also found without the space or hyphen in it.
export function postalWords(code: string): string[] {
  const words = plainWords(code)
  return [...new Set([...words, words.join('')])]
}
