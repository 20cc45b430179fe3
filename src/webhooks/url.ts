// Addresses of endpoints as they are shown and compared.

// What could be a credential is masked.
export function maskedUrl(text: string): string {
  if (!URL.canParse(text)) return ''
  const url = new URL(text)
  if (url.username) url.username = '***'
  if (url.password) url.password = '***'
  if (url.search) url.search = '***'
  return url.href
}

// One address has several spellings: `https://a.example` and `https://a.example/`.
export function addressOf(url: string): string {
  return URL.parse(url)?.href ?? url
}
