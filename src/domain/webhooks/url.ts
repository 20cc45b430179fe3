// URLs of endpoints as they are shown and compared.

import { createHash } from 'node:crypto'

// Masks user name, password and query, which may be credentials.
export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return ''
  const url = new URL(text)
  if (url.username) url.username = '***'
  if (url.password) url.password = '***'
  if (url.search) url.search = '***'
  return url.href
}

// Identifies a URL in the audit log by its origin and a short hash of the whole URL. The path often contains the secret.
export function urlFingerprint(text: string): string {
  if (!URL.canParse(text)) return ''
  const { origin, href } = new URL(text)
  return `${origin} (${createHash('sha256').update(href).digest('hex').slice(0, 8)})`
}

// Returns one spelling for equal URLs: `https://a.example` and `https://a.example/`.
export function normalizeUrl(url: string): string {
  return URL.parse(url)?.href ?? url
}
