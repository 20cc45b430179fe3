// The path at which this server shows a merchant's shop. Pure.

import type { Mode } from '../../contract/words.ts'

export interface ShopName {
  slug: string
  mode: Mode
}

// Slug of the demo shop, which apps/demo creates.
export const demoSlug = 'alder-finch'

// The merchants of this server that influence the paths.
export interface ShopPathContext {
  // The slug of the only merchant; undefined if there are several.
  only: string | undefined
  // The slug of the demo shop, whose test mode is shown as the shop. Its live mode has nothing to show.
  demo: string | undefined
}

// The path of a shop, with which all its URLs begin. The path of test mode is not below that of live mode, since a cookie for a path is
// sent to every path below it.
export function shopPathFor({ slug, mode }: ShopName, { only, demo }: ShopPathContext): string {
  if (demo !== undefined && slug === demo && mode === 'test') return '/shop'
  const isAlone = slug === only && demo === undefined
  return `${mode === 'test' ? '/test' : ''}${isAlone ? '/shop' : `/shops/${slug}`}`
}

// The path at which members of the merchant see the draft. It is not below the shop's path, so it has a cart of its own.
export function draftPathFor({ slug, mode }: ShopName): string {
  return `/preview${mode === 'test' ? '/test' : ''}/shops/${slug}`
}
