// Paths of a shop in redirects: their normal form, the paths of products, categories and pages, and the paths that other shop systems use
// for these. Pure.

export const pathLengthMax = 500

// Returns the normal form of a path, which is the same for all its spellings: decoded, in lower case, without doubled slashes and without
// a slash at the end. Returns undefined if the text is not a path of a shop. The result cannot lead to another host.
export function normalizePath(text: string): string | undefined {
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
  // The path with its query.
  target: string
  targetPath: string
}

export function parseTarget(text: string): PathTarget | undefined {
  const [path = '', ...rest] = text.split('?')
  const query = rest.join('?')
  const targetPath = normalizePath(path)
  if (targetPath === undefined || text.length > pathLengthMax || !/^[\x21-\x7e]*$/.test(query)) return undefined
  if (/[#\\]/.test(query) || text.startsWith('//')) return undefined
  return { target: query === '' ? targetPath : `${targetPath}?${query}`, targetPath }
}

// Encodes the target for a URL.
export function encodeTarget(target: string): string {
  const [path = '', ...rest] = target.split('?')
  return [encodeURI(path), ...rest].join('?')
}

export const productPath = (slug: string) => `/products/${slug}`
export const categoryPath = (slug: string) => `/categories/${slug}`
export const pagePath = (slug: string) => `/${slug}`

export type ShopPathSubject = { kind: 'product' | 'category' | 'page'; slug: string }

export function shopThingAtPath(path: string): ShopPathSubject | undefined {
  const [, kind, slug = ''] = /^\/(?:(products|categories)\/)?([^/]+)$/.exec(path) ?? []
  if (slug === '') return undefined
  return { kind: kind === 'products' ? 'product' : kind === 'categories' ? 'category' : 'page', slug }
}

// Paths of pages that every shop has. These paths cannot be redirected.
const always: ReadonlySet<string> = new Set(['/', '/cart', '/search', '/thanks'])

export function isAlwaysThere(path: string): boolean {
  return always.has(path)
}

// Returns the paths here that correspond to a path of Shopify or WooCommerce, in the order in which they are tried. An imported category
// has the words of its whole path in its slug.
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
