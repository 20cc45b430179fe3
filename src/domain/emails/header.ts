// Texts of an e-mail's header. Pure.

// One line for a header: control characters, and marks that turn the direction of what follows, become spaces.
export function headerText(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
