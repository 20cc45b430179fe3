// SQL that only provisioning needs. Other SQL is in the folders of its tables.

import type { Mode } from '../../contract/words.ts'
import { listFragment, type Reader, type Storage, type Tx } from '../../platform/storage/storage.ts'
import type { ReadinessGap } from './readiness.ts'

// Lists merchants with a live installation that offer no payment method and have no account at a payment provider in live mode, or that
// offer a bank transfer without instructions. A method without a row is not offered in live mode.
export async function listUnpayable(
  db: Reader,
  limit: number,
): Promise<{ slug: string; problem: 'nothing_offered' | 'no_account' }[]> {
  return db.sql<{ slug: string; problem: 'nothing_offered' | 'no_account' }>`
    select m.slug, case when o.offered is null then 'nothing_offered' else 'no_account' end as "problem"
    from merchants m
    left join (
      select merchant_id, count(*) as offered,
        sum(case when method = 'bank_transfer' and instructions is null then 1 else 0 end) as unclear
      from manual_methods where mode = 'live' and disabled_at is null group by merchant_id) o on o.merchant_id = m.id
    left join (
      select merchant_id from payment_accounts where mode = 'live' and ended_at is null group by merchant_id
      ) a on a.merchant_id = m.id
    where m.closed_at is null and (o.unclear > 0 or (o.offered is null and a.merchant_id is null)) and exists (
      select 1 from installations i where i.merchant_id = m.id and i.mode = 'live' and i.disabled_at is null)
    order by m.slug limit ${limit}`
}

// Lists what merchants lack to sell their published products: one row per gap, with the name of the installation if it has no redirect
// host.
export async function listUnready(
  db: Reader,
  limit: number,
): Promise<{ slug: string; problem: ReadinessGap; name: string }[]> {
  return db.sql<{ slug: string; problem: ReadinessGap; name: string }>`
    select slug, problem, name from (
      select m.slug, 'no_redirect_host' as problem, i.name
      from merchants m join installations i on i.merchant_id = m.id
      where m.closed_at is null and i.mode = 'live' and i.disabled_at is null and i.app_id is null
        and i.redirect_hosts = '[]' and exists (select 1 from listed_products l where l.merchant_id = m.id)
      union all
      select m.slug, 'no_installation' as problem, '' as name from merchants m
      where m.closed_at is null and exists (select 1 from listed_products l where l.merchant_id = m.id)
        and not exists (select 1 from installations i where i.merchant_id = m.id and i.disabled_at is null)
      union all
      select m.slug, 'no_shipping_zone' as problem, '' as name from merchants m
      where m.closed_at is null and not exists (select 1 from shipping_zones z where z.merchant_id = m.id)
        and exists (
          select 1 from listed_products l join skus s on s.merchant_id = l.merchant_id and s.product_id = l.product_id
          where l.merchant_id = m.id and s.delivery = 'shipped' and s.retired_at is null)
      union all
      select m.slug, 'no_tax_rates' as problem, '' as name from merchants m
      where m.closed_at is null and exists (select 1 from listed_products l where l.merchant_id = m.id)
        and not exists (select 1 from tax_rates t where t.merchant_id = m.id)) as lacks
    order by slug, problem, name limit ${limit}`
}

// Returns the ids of merchants with an open live shop.
export async function listSellers(db: Reader, limit: number): Promise<string[]> {
  const rows = await db.sql<{ id: string }>`
    select m.id from merchants m
    where m.closed_at is null and exists (
      select 1 from sites s where s.merchant_id = m.id and s.mode = 'live' and s.opened_at is not null)
    order by m.slug limit ${limit}`
  return rows.map(({ id }) => id)
}

// Returns whether the merchant has published products, and whether any of them is shipped.
export async function findSelling(db: Reader, merchant: string): Promise<{ sells: boolean; ships: boolean }> {
  const [row] = await db.sql<{ sells: number; ships: number }>`
    select
      (select count(*) from (select 1 from listed_products where merchant_id = ${merchant} limit 1) as one) as "sells",
      (select count(*) from (
        select 1 from listed_products l join skus s on s.merchant_id = l.merchant_id and s.product_id = l.product_id
        where l.merchant_id = ${merchant} and s.delivery = 'shipped' and s.retired_at is null limit 1) as one) as "ships"`
  return { sells: row?.sells === 1, ships: row?.ships === 1 }
}

// Returns the ids of the active keys with this name, newest first.
export async function listLivingKeyIds(
  db: Reader,
  installationId: string,
  name: string,
  now: number,
): Promise<string[]> {
  const rows = await db.sql<{ id: string }>`
    select id from credentials
    where installation_id = ${installationId} and name = ${name} and revoked_at is null
      and (expires_at is null or expires_at > ${now})
    order by id desc`
  return rows.map(({ id }) => id)
}

export async function endEndlessKeys(
  tx: Tx,
  installationId: string,
  names: readonly string[],
  endsAt: number,
): Promise<void> {
  await tx.sql`
    update credentials set expires_at = ${endsAt}
    where installation_id = ${installationId} and name in (${listFragment(names)}) and revoked_at is null and expires_at is null`
}

export async function deleteExpiredKeys(
  tx: Tx,
  installationId: string,
  names: readonly string[],
  now: number,
): Promise<void> {
  tx.send`
    delete from key_origins where installation_id = ${installationId} and credential_id in (
      select id from credentials
      where installation_id = ${installationId} and name in (${listFragment(names)}) and expires_at <= ${now})`
  await tx.sql`
    delete from credentials
    where installation_id = ${installationId} and name in (${listFragment(names)}) and expires_at <= ${now}`
}

// Refreshes the statistics of the tables that an import fills.
export async function refreshTableStatistics(storage: Storage): Promise<void> {
  const tables = [
    ...['categories', 'products', 'product_categories', 'skus', 'stock', 'listed_products', 'stock_movements'],
    ...['product_index', 'product_index_words', 'product_words', 'price_history', 'remote_pictures', 'transfer_items'],
  ]
  await storage.afterBulkLoad(tables)
}

// Returns the installations that the merchant or the operator created. Those of apps, and those for agents, are left out.
export async function listOwnInstallations(
  db: Reader,
  merchantId: string,
): Promise<{ id: string; name: string; mode: Mode; redirectHosts: string }[]> {
  return db.sql`
    select id, name, mode, redirect_hosts as "redirectHosts" from installations
    where merchant_id = ${merchantId} and app_id is null and ended_at is null
      and id not in (select installation_id from agent_settings where merchant_id = ${merchantId})
    order by name, id limit 100`
}
