// Reads and writes cookies of the pages. API calls are never authenticated by a cookie.

const cookiesMax = 100

// Returns cookies by name. If two cookies have the same name, browsers send the more specific one first, and the first is used.
export function parseCookies(header = ''): Record<string, string> {
  const pairs = header.split(';', cookiesMax).map((pair): [name: string, value: string] => {
    const at = pair.indexOf('=')
    return at < 0 ? [pair.trim(), ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
  })
  return Object.fromEntries(pairs.reverse())
}

export interface CookieKind {
  name: string
  path: string
  maxAgeSeconds: number
}

// Finds a cookie of this server, whose own origin is `origin`. On https its name has a prefix: browsers accept `__Secure-` only over
// https, and `__Host-` only from the host itself.
export function findCookie(header: string | undefined, kind: CookieKind, origin: string): string | undefined {
  const cookies = parseCookies(header)
  const name = nameOf(kind, origin)
  return Object.hasOwn(cookies, name) ? cookies[name] : undefined
}

export function setCookie(kind: CookieKind, value: string, origin: string): string {
  const secure = isHttps(origin) ? '; Secure' : ''
  return `${nameOf(kind, origin)}=${value}; Path=${kind.path}; Max-Age=${kind.maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`
}

function nameOf({ name, path }: CookieKind, origin: string): string {
  if (!isHttps(origin)) return name
  return path === '/' ? `__Host-${name}` : `__Secure-${name}`
}

function isHttps(origin: string): boolean {
  return origin.startsWith('https:')
}
