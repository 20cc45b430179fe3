// Paths of a shop, as redirects know them: how they are written, where the shop shows its things, and what other systems call the same
// things. Pure.

export const pathLengthMax = 500

// Two spellings of one path are the same text: decoded, in lower case, without doubled slashes and without one at the end. Undefined for
// what is not a path of a shop. What is left cannot lead to another host.
export function normalPath(text: string): string | undefined {
  if (!text.startsWith('/') || text.length > 3 * pathLengthMax) return undefined
  const decoded = decodedOf(text)?.normalize('NFC').toLowerCase()
  if (decoded === undefined || /[\p{Cc}\\?#]/u.test(decoded) || !decoded.isWellFormed()) return undefined
  const segments = decoded.split('/').filter((segment) => segment !== '')
  if (segments.some((segment) => segment === '.' || segment === '..')) return undefined
  const path = `/${segments.join('/')}`
  return path.length > pathLengthMax ? undefined : path
}

function decodedOf(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

export interface PathTarget {
  // With its query.
  target: string
  targetPath: string
}

export function targetOf(text: string): PathTarget | undefined {
  const [path = '', ...rest] = text.split('?')
  const query = rest.join('?')
  const targetPath = normalPath(path)
  if (targetPath === undefined || text.length > pathLengthMax || !/^[\x21-\x7e]*$/.test(query)) return undefined
  if (/[#\\]/.test(query) || text.startsWith('//')) return undefined
  return { target: query === '' ? targetPath : `${targetPath}?${query}`, targetPath }
}

// As it goes into an address.
export function addressOfTarget(target: string): string {
  const [path = '', ...rest] = target.split('?')
  return [encodeURI(path), ...rest].join('?')
}

export const productPath = (slug: string) => `/products/${slug}`
export const categoryPath = (slug: string) => `/categories/${slug}`
export const pagePath = (slug: string) => `/${slug}`

export type ShopThing = { kind: 'product' | 'category' | 'page'; slug: string }

export function thingAt(path: string): ShopThing | undefined {
  const [, kind, slug = ''] = /^\/(?:(products|categories)\/)?([^/]+)$/.exec(path) ?? []
  if (slug === '') return undefined
  return { kind: kind === 'products' ? 'product' : kind === 'categories' ? 'category' : 'page', slug }
}

// Pages that a shop always has: nothing can be led away from them.
const always: ReadonlySet<string> = new Set(['/', '/cart', '/search', '/thanks'])

export function isAlwaysThere(path: string): boolean {
  return always.has(path)
}

// What Shopify and WooCommerce call the same things, in the order in which they are tried. A category of a file has the words of its
// whole path in its slug.
export function likelyPaths(path: string): string[] {
  const [first = '', ...rest] = path.split('/').slice(1)
  const last = rest.at(-1)
  switch (first) {
    case 'collections':
      if (rest.length === 3 && rest[1] === 'products') return [productPath(last ?? '')]
      return last === undefined || last === 'all' ? ['/'] : rest.length === 1 ? [categoryPath(last)] : []
    case 'products':
      return last === undefined ? ['/'] : []
    case 'pages':
      return last !== undefined && rest.length === 1 ? [pagePath(last)] : []
    case 'product':
      return last === undefined ? ['/'] : [productPath(last)]
    case 'product-category':
      return last === undefined ? ['/'] : [...new Set([categoryPath(rest.join('-')), categoryPath(last)])]
    default:
      return []
  }
}
