// What answers from the catalog depend on besides the request: while this is unchanged, equal requests have equal answers.

import type { AgentShop } from '../../domain/agents/store.ts'
import { findShopFacts } from '../../domain/catalog/indexstore.ts'
import { findShopUrl, type SiteContext, siteStatusOf } from '../../domain/sites/site.ts'
import { findStoredSite } from '../../domain/sites/store.ts'
import { rememberReads } from '../../platform/kit/remembered.ts'
import type { Reader, Storage } from '../../platform/storage/storage.ts'

export interface CatalogStanding {
  // Raised by every change of the public catalog.
  version: number
  // The merchant's language, which decides how search terms are matched.
  locale: string | null
  // The URL of the online store; null while the store is closed.
  storeUrl: string | null
}

// `mark`: the commit mark of the storage when the request arrived.
export type FindStanding = (shop: AgentShop, mark: number | undefined) => Promise<CatalogStanding>

const foundBytes = 500
const keptBytesMax = 2 ** 19

export function createStandings(storage: Storage, sites: SiteContext): FindStanding {
  const remembered = rememberReads<CatalogStanding>(storage, { keptBytesMax, foundBytes })
  return (shop, mark) =>
    remembered(`${sites.publicOrigin()} ${shop.installationId}`, mark, async (db) => {
      const [facts, storeUrl] = await Promise.all([findShopFacts(db, shop.merchantId), findStoreUrl(db, sites, shop)])
      if (!facts) throw new Error(`merchant ${shop.merchantId} does not exist`)
      return { version: facts.version, locale: facts.locale, storeUrl }
    })
}

async function findStoreUrl(db: Reader, sites: SiteContext, shop: AgentShop): Promise<string | null> {
  const [site, url] = await Promise.all([findStoredSite(db, shop), findShopUrl(db, sites, shop)])
  return siteStatusOf(site) === 'open' ? url : null
}
