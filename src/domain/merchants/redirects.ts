// Where a checkout may send shoppers back to: the allow-list of an installation, and whether a URL is on it. Browsers and other clients
// parse unusual URLs differently, so a URL whose host is not written plainly is refused.

import { isIP } from 'node:net'
import { type BrokenRule, issue } from '../../contract/issues.ts'
import type { Mode } from '../../contract/words.ts'
import { isLoopback } from '../../platform/kit/loopback.ts'

export interface RedirectRules {
  mode: Mode
  // Hosts in normal form (`normalizeRedirectHost`).
  redirectHosts: readonly string[]
}

// Returns what is wrong with a URL to which a caller wants to send shoppers, or undefined if it is allowed. It must be https, or http on
// a loopback host; the host must be on the allow-list. In test mode a loopback host needs no entry.
export function redirectProblem(text: string, { mode, redirectHosts }: RedirectRules): BrokenRule | undefined {
  // A browser treats a backslash as a slash and drops tabs and line breaks; RFC 3986 does neither.
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(text)) return issue('url_characters')
  const url = URL.parse(text.replaceAll('{sessionId}', 'x'))
  if (!url) return issue('url_unreadable')
  const isLocal = isLoopback(url)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)) return issue('url_not_secure')
  const written = /^https?:\/\/([^/?#]*)/i.exec(text)?.[1]?.toLowerCase() ?? ''
  // An empty user name leaves no trace in the parsed URL, so the text is checked.
  if (written.includes('@')) return issue('url_has_credentials')
  const defaultPort = url.protocol === 'https:' ? ':443' : ':80'
  if (written !== url.host && written !== `${url.host}${defaultPort}`) return issue('url_host_unclear')
  if (isLocal && (mode === 'test' || redirectHosts.includes(url.hostname))) return undefined
  return redirectHosts.includes(url.host) ? undefined : issue('url_host_not_allowed')
}

// Returns the normal form of an entry: lower case, ASCII, and without the default port of https. Returns undefined if no URL could match
// the entry: a wildcard, a URL, or an address in a spelling that parsed URLs never have.
export function normalizeRedirectHost(entry: string): string | undefined {
  if (/[\s\p{Cc}\p{Cf}\\/?#@%]/u.test(entry)) return undefined
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*)(?::([1-9]\d{0,4}))?$/.exec(entry) ?? []
  const url = name === '' ? null : URL.parse(`https://${name}${port === undefined ? '' : `:${port}`}`)
  return url && isPlainHost(url.hostname, name.toLowerCase()) ? url.host : undefined
}

// The parser turns 2130706433 and 127.1 into an address. An address must be written as the parser writes it; a name may have been
// converted to ASCII.
function isPlainHost(hostname: string, written: string): boolean {
  const address = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
  if (isIP(address) !== 0) return hostname === written
  return hostname.length <= 253 && hostname.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label))
}
