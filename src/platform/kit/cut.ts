// Cuts a text, but never within a surrogate pair, since half a pair cannot be stored or sent.
export function cutText(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '')
}
