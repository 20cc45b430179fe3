// Normalizes text for comparison in a search. Pure. Databases convert letters outside ASCII to lower case differently, or not at
// all.

export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}
