// Whether two words differ by a single mistake: a letter wrong, missing, added, or swapped with its neighbour. Pure.

// Shorter words are too similar to each other.
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

const letters = [...'abcdefghijklmnopqrstuvwxyzäöüßáàâåãæçéèêëíîñóôøõúýčšžłň']

// Returns the words that differ from this word by a single mistake, with each of the letters above. Used to search encrypted words, which
// cannot be compared by similarity. A word of eight letters has about 930 variants.
export function wordsOneMistakeAway(word: string): string[] {
  const typed = [...word]
  const found = new Set<string>()
  for (let at = 0; at <= typed.length; at += 1) {
    const [before, after] = [typed.slice(0, at), typed.slice(at)]
    for (const letter of letters) {
      found.add([...before, letter, ...after].join(''))
      if (after.length > 0) found.add([...before, letter, ...after.slice(1)].join(''))
    }
    if (after.length > 0) found.add([...before, ...after.slice(1)].join(''))
    if (after.length > 1) found.add([...before, ...after.slice(0, 2).reverse(), ...after.slice(2)].join(''))
  }
  found.delete(word)
  return [...found]
}

// A single mistake changes the beginning of a word or its end, not both.
export function headAndTailOf(word: string): { head: string; tail: string } {
  return { head: word.slice(0, 2), tail: word.slice(-2) }
}
