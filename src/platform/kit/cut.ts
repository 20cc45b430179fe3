// Truncates a text without splitting a surrogate pair, since half a pair can be neither stored nor sent.
export function cutText(text: string, lengthMax: number): string {
  return text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, '')
}
