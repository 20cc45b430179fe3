// Normalizes text so that a search can compare it. Pure. Databases convert letters outside ASCII to lower case differently, or not at
// all.

export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase()
}
