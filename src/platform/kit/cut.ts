// Not through the middle of a surrogate pair, of which no half may be stored or sent.
export function cutText(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '')
}
