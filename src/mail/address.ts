// Which addresses a letter is sent to. Narrower than the contract: what could be read as several addresses, as a name beside an
// address or as a further line of a header is refused, although a mail server might know a mailbox of that name. Pure.

const part = '[^\\s\\p{C}<>()\\[\\],;:\\\\"@]'
const form = new RegExp(`^${part}{1,64}@${part}{1,255}$`, 'u')

export function isPlainAddress(text: string): boolean {
  return text.length <= 254 && form.test(text) && !/^\.|\.\.|\.@|@[.-]|[.-]$/.test(text)
}

// One line for a header: control characters, and marks that turn the direction of what follows, become spaces.
export function headerText(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
