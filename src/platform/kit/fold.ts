// Normalizes text for comparison in a search. Pure. Databases convert letters outside ASCII to lower case differently, or not at
// all.

export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}

// Folds a name that is part of an index: PostgreSQL refuses entries of more than 2,700 bytes. Only a name with characters that become
// several ones, such as ligatures of words, is longer.
export function foldLine(text: string): string {
  return foldText(text).slice(0, 300).toWellFormed()
}
