// Finds what a path of a shop shows. Current paths come before redirects, and redirects before paths of other shop systems.

import type { SitePath } from '../../contract/open/site.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { isSlug } from '../../platform/kit/slug.ts'
import type { Reader } from '../../platform/storage/storage.ts'
import { findListing, hasCategory } from '../catalog/store.ts'
import { resolveRedirect } from '../redirects/change.ts'
import { encodeTarget, likelyPaths, shopThingAtPath } from '../redirects/paths.ts'
import { findPage } from './pagestore.ts'

export async function resolveSitePath(db: Reader, seller: MerchantMode, path: string): Promise<SitePath | undefined> {
  const there = await kindAt(db, seller, path)
  if (there) return { kind: there, path }
  const led = await ledFrom(db, seller, path)
  if (led) return led
  for (const likely of likelyPaths(path)) {
    if (likely === '/' || (await kindAt(db, seller, likely))) return { kind: 'moved', path: likely }
    const further = await ledFrom(db, seller, likely)
    if (further) return further
  }
  return undefined
}

async function ledFrom(db: Reader, { merchantId }: MerchantMode, path: string): Promise<SitePath | undefined> {
  const found = await resolveRedirect(db, merchantId, path)
  if (!found) return undefined
  return found.kind === 'gone' ? { kind: 'gone', path: null } : { kind: 'moved', path: encodeTarget(found.target) }
}

async function kindAt(db: Reader, seller: MerchantMode, path: string) {
  const thing = shopThingAtPath(path)
  if (!thing || !isSlug(thing.slug)) return undefined
  const { kind, slug } = thing
  if (kind === 'product') return (await findListing(db, seller, slug)) ? kind : undefined
  if (kind === 'category') return (await hasCategory(db, seller.merchantId, slug)) ? kind : undefined
  return (await findPage(db, seller.merchantId, slug))?.isPublished ? kind : undefined
}
