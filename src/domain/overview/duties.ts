// The legal duties of a merchant, and which data for them is missing. Used by the operation (and through it by the dashboard) and by the
// command `doctor`.

import { type DutyFacts, lacksResponsible } from '../../platform/kit/duties.ts'
import { listFragment, type Reader } from '../../platform/storage/storage.ts'

export interface MerchantDutyFacts extends DutyFacts {
  slug: string
  withoutMaker: number
  withoutResponsible: number
}

// Sorted by the slugs of the merchants.
export async function listDutyFacts(db: Reader, merchantIds: readonly string[]): Promise<MerchantDutyFacts[]> {
  if (merchantIds.length === 0) return []
  const ids = listFragment(merchantIds)
  const [merchants, zones, texts, unmade, makers, unmeasured, sent] = await Promise.all([
    db.sql<MerchantRow>`
      select id, slug, country, legal, support_email as "supportEmail", links from merchants
      where id in (${ids}) order by slug`,
    db.sql<{ merchantId: string; countries: string }>`
      select merchant_id as "merchantId", countries from shipping_zones where merchant_id in (${ids})`,
    db.sql<{ merchantId: string; kind: string }>`
      select distinct t.merchant_id as "merchantId", t.kind from legal_texts t
      where t.merchant_id in (${ids}) and t.text <> '' and not exists (
        select 1 from legal_texts n
        where n.merchant_id = t.merchant_id and n.kind = t.kind and n.language = t.language and n.version > t.version)`,
    db.sql<{ merchantId: string; count: number }>`
      select merchant_id as "merchantId", count(*) as "count" from products
      where merchant_id in (${ids}) and published_at is not null and maker is null group by merchant_id`,
    db.sql<{ merchantId: string; country: string }>`
      select merchant_id as "merchantId", country from makers where merchant_id in (${ids}) and responsible is null`,
    db.sql<{ id: string }>`
      select m.id from merchants m where m.id in (${ids}) and exists (
        select 1 from skus s where s.merchant_id = m.id and s.retired_at is null and s.measure is null)`,
    db.sql<{ id: string }>`
      select m.id from merchants m where m.id in (${ids}) and exists (
        select 1 from skus s where s.merchant_id = m.id and s.retired_at is null and s.delivery = 'shipped')`,
  ])
  const countOf = new Map(unmade.map(({ merchantId, count }) => [merchantId, Number(count)]))
  return merchants.map(({ id, slug, country, legal, supportEmail, links }): MerchantDutyFacts => {
    const { address = [] } = JSON.parse(legal ?? '{}') as { address?: string[] }
    return {
      slug,
      country,
      zoneCountries: zones.flatMap((zone) => (zone.merchantId === id ? (JSON.parse(zone.countries) as string[]) : [])),
      withoutMaker: countOf.get(id) ?? 0,
      withoutResponsible: makers.filter((maker) => maker.merchantId === id && lacksResponsible(maker)).length,
      hasSeller: address.length > 0 && supportEmail !== null,
      sellsGoods: sent.some((merchant) => merchant.id === id),
      hasMeasures: !unmeasured.some((merchant) => merchant.id === id),
      texts: new Set(texts.flatMap(({ merchantId, kind }) => (merchantId === id ? [kind] : []))),
      links: new Set(Object.keys(JSON.parse(links) as object)),
    }
  })
}

interface MerchantRow {
  id: string
  slug: string
  country: string
  legal: string | null
  supportEmail: string | null
  links: string
}
