// An address as it may be shown: what could be a credential in it is masked.

export function maskedUrl(text: string): string {
  if (!URL.canParse(text)) return ''
  const url = new URL(text)
  if (url.username) url.username = '***'
  if (url.password) url.password = '***'
  if (url.search) url.search = '***'
  return url.href
}
