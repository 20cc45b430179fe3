// Whether a word is another one with a single mistake: a letter wrong, missing, added, or swapped with its neighbour. Pure.

// Shorter words are too close to each other.
export const misspeltLengthMin = 5

export function isOneMistake(word: string, other: string): boolean {
  if (word === other || Math.abs(word.length - other.length) > 1) return false
  let start = 0
  while (start < word.length && word[start] === other[start]) start += 1
  const [rest, otherRest] = [word.slice(start), other.slice(start)]
  if (rest.slice(1) === otherRest.slice(1)) return true
  if (rest.slice(1) === otherRest || rest === otherRest.slice(1)) return true
  return rest[0] === otherRest[1] && rest[1] === otherRest[0] && rest.slice(2) === otherRest.slice(2)
}

// A mistake changes the beginning of a word or its end, not both.
export function endsOf(word: string): { head: string; tail: string } {
  return { head: word.slice(0, 2), tail: word.slice(-2) }
}
