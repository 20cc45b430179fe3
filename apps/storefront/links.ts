// Targets of links: products, categories and pages of this shop, and addresses that the merchant entered.

import type { Category, Site } from '../../packages/client/src/index.ts'
import type { Speaker } from './speaker.ts'

export type SiteLink = NonNullable<Site['menus']['head']>[number]

// Data that is needed to resolve a link.
export interface LinkPlace {
  // Where the shop is mounted: '' or '/shop'.
  base: string
  speaker: Speaker
  categories: readonly Category[]
  // Pages that the merchant wrote.
  pages: Site['pages']
}

export interface Destination {
  href: string
  label: string
  // Name of a page of this shop, as `current` uses it.
  name: string | null
}

// Returns null if the target does not exist any more.
export function destinationOf(at: LinkPlace, { kind, target, label }: SiteLink): Destination | null {
  const { base, categories, pages, speaker } = at
  if (kind === 'all') return { href: `${base}/products`, label: label || speaker.say('nav.all'), name: 'all' }
  if (kind === 'category') {
    const found = categories.find(({ slug }) => slug === target)
    return found ? { href: categoryHref(at, target), label: label || found.name, name: target } : null
  }
  if (kind === 'page') {
    const found = pages.find(({ slug }) => slug === target)
    return found ? { href: `${base}/${target}`, label: label || found.title, name: target } : null
  }
  if (kind === 'product') return { href: productHref(at, target), label, name: null }
  // The server has checked the target. It is checked again, because this shop also runs against the servers of others.
  if (target.startsWith('/') && !/^\/[/\\]/.test(target)) return { href: base + target, label, name: null }
  return /^(?:https?:\/\/|mailto:|tel:)/i.test(target) ? { href: target, label, name: null } : null
}

export function productHref({ base }: Pick<LinkPlace, 'base'>, slug: string, skuCode?: string): string {
  return `${base}/products/${encodeURIComponent(slug)}${skuCode === undefined ? '' : `?sku=${encodeURIComponent(skuCode)}`}`
}

export function categoryHref({ base }: Pick<LinkPlace, 'base'>, slug: string): string {
  return `${base}/categories/${encodeURIComponent(slug)}`
}
