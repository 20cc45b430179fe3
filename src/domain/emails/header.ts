// Texts of an e-mail's header. Pure.

// Makes a text one line for a header: control characters, and characters that change the text direction, become spaces.
export function headerText(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
