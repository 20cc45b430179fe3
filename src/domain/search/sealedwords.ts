// The words by which something sealed can be found. Pure.

import { mailboxOf } from '../../platform/kit/email.ts'

// Of one thing, and of one question.
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

// A postal code is also found without the space or hyphen in it.
export function postalWords(code: string): string[] {
  const words = plainWords(code)
  return [...new Set([...words, words.join('')])]
}
