// The SQL of the hosts of shops.

import type { HostProblem } from '../../contract/words.ts'
import type { ClockSetBack } from '../../platform/jobs/clock.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'

export interface HostRow {
  merchantId: string
  host: string
  proof: string
  isMain: boolean
  provedAt: number | null
  checkAt: number | null
  checkedAt: number | null
  problem: HostProblem | null
  createdAt: number
}

type StoredHost = Omit<HostRow, 'isMain'> & { isMain: number }

const rowOf = ({ isMain, ...row }: StoredHost): HostRow => ({ ...row, isMain: Number(isMain) === 1 })

export async function listHosts(db: Reader, merchantId: string): Promise<HostRow[]> {
  const rows = await db.sql<StoredHost>`
    select merchant_id as "merchantId", host, proof, is_main as "isMain", proved_at as "provedAt", check_at as "checkAt",
      checked_at as "checkedAt", problem, created_at as "createdAt"
    from site_hosts where merchant_id = ${merchantId} order by created_at, host`
  return rows.map(rowOf)
}

export async function insertHost(tx: Tx, row: HostRow): Promise<void> {
  await tx.sql`
    insert into site_hosts (merchant_id, host, proof, is_main, proved_at, check_at, checked_at, problem, created_at)
    values (${row.merchantId}, ${row.host}, ${row.proof}, ${row.isMain ? 1 : 0}, ${row.provedAt}, ${row.checkAt}, ${row.checkedAt},
      ${row.problem}, ${row.createdAt})`
}

export async function deleteHost(tx: Tx, merchantId: string, host: string): Promise<void> {
  await tx.sql`delete from site_hosts where merchant_id = ${merchantId} and host = ${host}`
}

export async function setCheckAt(tx: Tx, merchantId: string, host: string, checkAt: number): Promise<void> {
  await tx.sql`
    update site_hosts set check_at = ${checkAt}
    where merchant_id = ${merchantId} and host = ${host} and proved_at is null`
}

export async function setMainHost(tx: Tx, merchantId: string, host: string | null): Promise<void> {
  await tx.sql`
    update site_hosts set is_main = case when host = ${host} then 1 else 0 end where merchant_id = ${merchantId}`
}

// Lists hosts whose proof is due to be checked.
export async function listDueHosts(db: Reader, now: number, limit: number): Promise<HostRow[]> {
  const rows = await db.sql<StoredHost>`
    select merchant_id as "merchantId", host, proof, is_main as "isMain", proved_at as "provedAt", check_at as "checkAt",
      checked_at as "checkedAt", problem, created_at as "createdAt"
    from site_hosts where check_at is not null and check_at <= ${now} order by check_at limit ${limit}`
  return rows.map(rowOf)
}

// Called after the clock was set back: moves the checks of hosts back by the same time.
export function correctHostCheckTimes(tx: Tx, { now, backMs }: ClockSetBack): void {
  tx.send`
    update site_hosts set check_at = case when check_at - ${backMs} < ${now} then ${now} else check_at - ${backMs} end
    where check_at > ${now}`
}

// The first proved host of a shop is its main one.
export async function setProved(
  tx: Tx,
  { merchantId, host }: Pick<HostRow, 'merchantId' | 'host'>,
  now: number,
): Promise<void> {
  await tx.sql`
    update site_hosts set proved_at = ${now}, check_at = null, checked_at = ${now}, problem = null,
      is_main = case when exists (
        select 1 from site_hosts o where o.merchant_id = ${merchantId} and o.is_main = 1) then is_main else 1 end
    where merchant_id = ${merchantId} and host = ${host} and proved_at is null`
}

export async function setUnproved(
  tx: Tx,
  { merchantId, host }: Pick<HostRow, 'merchantId' | 'host'>,
  { problem, checkAt, now }: { problem: HostProblem; checkAt: number | null; now: number },
): Promise<void> {
  await tx.sql`
    update site_hosts set problem = ${problem}, checked_at = ${now}, check_at = ${checkAt}
    where merchant_id = ${merchantId} and host = ${host} and proved_at is null`
}

// The shop to which requests for a host belong.
export interface HostOwner {
  merchantId: string
  slug: string
  host: string
  // The host to which the shop's other hosts redirect.
  mainHost: string
}

export async function findHostOwner(db: Reader, host: string): Promise<HostOwner | undefined> {
  const [row] = await db.sql<Omit<HostOwner, 'mainHost'> & { mainHost: string | null }>`
    select h.merchant_id as "merchantId", m.slug, h.host,
      (select o.host from site_hosts o
        where o.merchant_id = h.merchant_id and o.is_main = 1 and o.proved_at is not null) as "mainHost"
    from site_hosts h join merchants m on m.id = h.merchant_id
    where h.host = ${host} and h.proved_at is not null and m.closed_at is null`
  return row && { ...row, mainHost: row.mainHost ?? row.host }
}

export async function findMainHost(db: Reader, merchantId: string): Promise<string | undefined> {
  const [row] = await db.sql<{ host: string }>`
    select host from site_hosts where merchant_id = ${merchantId} and is_main = 1 and proved_at is not null`
  return row?.host
}

export async function hasHosts(db: Reader): Promise<boolean> {
  return (await db.sql`select host from site_hosts where proved_at is not null limit 1`).length > 0
}

// The proofs that this server returns on an unproved host: those of the first two merchants that added the host.
export async function listProofs(db: Reader, host: string): Promise<string[]> {
  const rows = await db.sql<{ proof: string }>`
    select proof from site_hosts where host = ${host} and check_at is not null order by created_at limit 2`
  return rows.map(({ proof }) => proof)
}
