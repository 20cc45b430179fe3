// Where this server shows the shop of a merchant, by its path. Pure.

import type { Mode } from '../../contract/words.ts'

export interface ShopName {
  slug: string
  mode: Mode
}

// The demo shop, which apps/demo makes.
export const demoSlug = 'alder-finch'

// What there is on this server.
export interface ShopNeighbours {
  // The slug of the one merchant; undefined if there are several.
  only: string | undefined
  // The demo shop, whose test mode is the shop. Its live mode has nothing to show.
  demo: string | undefined
}

// The path of a shop; every address of it begins so. Test mode has a path that is not below that of live mode, since a cookie for a path
// is sent to every path below it.
export function shopPathFor({ slug, mode }: ShopName, { only, demo }: ShopNeighbours): string {
  if (demo !== undefined && slug === demo && mode === 'test') return '/shop'
  const isAlone = slug === only && demo === undefined
  return `${mode === 'test' ? '/test' : ''}${isAlone ? '/shop' : `/shops/${slug}`}`
}

// Where people of the merchant see the draft. Apart from the shop, so its cart is another.
export function draftPathFor({ slug, mode }: ShopName): string {
  return `/preview${mode === 'test' ? '/test' : ''}/shops/${slug}`
}
