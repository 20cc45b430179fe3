// The words by which an encrypted text can be found. Pure.

import { normalizeMailbox } from '../../platform/kit/email.ts'

// Maximum number of words per encrypted text, and per search.
const wordsMax = 20

// A mailbox is one word. All other text is split at characters that are neither letters nor digits, so `Müller-Lüdenscheidt` is two
// words.
export function splitSearchWords(text: string): string[] {
  const words = text
    .split(/\s+/)
    .flatMap((piece) => (piece.includes('@') ? [normalizeMailbox(piece)] : plainWords(piece)))
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

// A word is also found by its beginning, from two letters on. Each beginning is a token of its own, so their length is limited.
const beginningMin = 2
const beginningMax = 12

export function wordBeginnings(word: string): string[] {
  const letters = [...word]
  const most = Math.min(letters.length - 1, beginningMax)
  return Array.from({ length: Math.max(0, most - beginningMin + 1) }, (_, i) =>
    beginning(letters.slice(0, beginningMin + i).join('')),
  )
}

// Returns the tokens to search for a typed word: the word itself, and the beginning of a longer word. The beginning consists of only the
// first letters, so the word is still found while it is being typed. A whole mailbox is searched only as typed, because another person's
// mailbox may begin in the same way.
export function searchTokensFor(word: string): string[] {
  if (wholeMailbox.test(word)) return [word]
  return [word, beginning([...word].slice(0, beginningMax).join(''))]
}

const wholeMailbox = /@[^@]*\.[^.@]{2,}$/

// Marks a beginning to distinguish it from a whole word: the word Han and the beginning of Hansen are different tokens.
function beginning(letters: string): string {
  return `${letters}…`
}

// A postal code is also found without the space or hyphen in it.
export function postalWords(code: string): string[] {
  const words = plainWords(code)
  return [...new Set([...words, words.join('')])]
}
