// Normalises texts for comparison in a search. Pure. Databases fold letters outside of ASCII differently, or not at all.

export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}
