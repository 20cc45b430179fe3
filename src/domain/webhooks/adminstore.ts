// The SQL of webhook endpoints and deliveries of a merchant, across installations and in one mode.

import type { DeliveryStatus } from '../../contract/words.ts'
import type { MerchantMode } from '../../platform/kit/mode.ts'
import { unpackText } from '../../platform/kit/packed.ts'
import { Fragment, listFragment, type Reader } from '../../platform/storage/storage.ts'
import { type Delivery, deliveryColumns, type Endpoint, endpointColumns } from './store.ts'

// SQL subquery: the merchant's installations in this mode that have not ended.
function installationsOf({ merchantId, mode }: MerchantMode): Fragment {
  return new Fragment(
    '(select i.id from installations i where i.merchant_id = ? and i.mode = ? and i.ended_at is null)',
    [merchantId, mode],
  )
}

export interface EndpointQuery {
  installationId?: string | undefined
  after: string | null
  limit: number
}

// Lists endpoints, oldest first.
export async function listEndpointsOf(
  db: Reader,
  merchant: MerchantMode,
  { installationId = '', after, limit }: EndpointQuery,
): Promise<Endpoint[]> {
  return db.sql<Endpoint>`
    select ${endpointColumns} from webhook_endpoints
    where installation_id in ${installationsOf(merchant)} and ended_at is null and platform_id is null and id > ${after ?? ''}
      and (${installationId} = '' or installation_id = ${installationId})
    order by id limit ${limit}`
}

export async function findEndpointOf(db: Reader, merchant: MerchantMode, id: string): Promise<Endpoint | undefined> {
  const [endpoint] = await db.sql<Endpoint>`
    select ${endpointColumns} from webhook_endpoints
    where id = ${id} and installation_id in ${installationsOf(merchant)} and ended_at is null and platform_id is null`
  return endpoint
}

export interface DeliveryQuery {
  endpointId?: string | undefined
  status?: DeliveryStatus | undefined
  type?: string | undefined
  from?: number | undefined
  to?: number | undefined
  after: string | null
  limit: number
}

// Lists deliveries, newest first. Each installation is queried by itself, so the number of deliveries of other installations does not
// matter.
export async function listDeliveriesOf(db: Reader, merchant: MerchantMode, query: DeliveryQuery): Promise<Delivery[]> {
  const { endpointId } = query
  if (endpointId !== undefined) {
    const endpoint = await findEndpointOf(db, merchant, endpointId)
    return endpoint ? listDeliveriesIn(db, endpoint.installationId, query) : []
  }
  const found = []
  for (const id of await listInstallationIds(db, merchant)) found.push(...(await listDeliveriesIn(db, id, query)))
  return found.sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, query.limit)
}

const installationsMax = 200

// Lists the newest installations. If there are very many, the oldest are left out: they have few recent deliveries.
async function listInstallationIds(db: Reader, { merchantId, mode }: MerchantMode): Promise<string[]> {
  const rows = await db.sql<{ id: string }>`
    select id from installations where merchant_id = ${merchantId} and mode = ${mode} and ended_at is null
    order by id desc limit ${installationsMax}`
  return rows.map(({ id }) => id)
}

function listDeliveriesIn(db: Reader, installationId: string, query: DeliveryQuery): Promise<Delivery[]> {
  const { endpointId = '', status = '', type = '', from = 0, to = Number.MAX_SAFE_INTEGER, after, limit } = query
  return db.sql<Delivery>`
    select * from (
      select ${deliveryColumns} from webhook_deliveries
      where installation_id = ${installationId} and (${endpointId} = '' or endpoint_id = ${endpointId})
        and (${type} = '' or event_type = ${type}) and created_at >= ${from} and created_at < ${to}
        and (${after ?? ''} = '' or id < ${after ?? ''})) as d
    where (${status} = '' or d.status = ${status})
    order by d.id desc limit ${limit}`
}

export async function findDeliveryOf(db: Reader, merchant: MerchantMode, id: string): Promise<Delivery | undefined> {
  const [delivery] = await db.sql<Delivery>`
    select ${deliveryColumns} from webhook_deliveries
    where id = ${id} and installation_id in ${installationsOf(merchant)}`
  return delivery
}

// Lists failed deliveries that were not replayed, oldest first.
export async function listUnreplayed(
  db: Reader,
  { installationId, id }: Pick<Endpoint, 'installationId' | 'id'>,
  { since, limit }: { since: number; limit: number },
): Promise<string[]> {
  const rows = await db.sql<{ id: string }>`
    select d.id from webhook_deliveries d
    where d.installation_id = ${installationId} and d.endpoint_id = ${id} and d.status = 'failed'
      and d.created_at >= ${since} and not exists (
        select 1 from webhook_deliveries r where r.installation_id = d.installation_id and r.replay_of = d.id)
    order by d.id limit ${limit}`
  return rows.map((row) => row.id)
}

// Returns null if the body of the event was deleted.
export async function findPayload(db: Reader, { installationId, eventId }: Delivery): Promise<string | null> {
  const [row] = await db.sql<{ body: string }>`
    select body from events where installation_id = ${installationId} and id = ${eventId}`
  return row === undefined || row.body === '' ? null : unpackText(row.body)
}

// Returns the names of keys by their ids.
export async function listKeyNames(
  db: Reader,
  { merchantId }: MerchantMode,
  ids: readonly (string | null)[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)].filter((id) => id !== null).sort()
  if (wanted.length === 0) return new Map()
  const rows = await db.sql<{ id: string; name: string }>`
    select id, name from credentials where merchant_id = ${merchantId} and id in (${listFragment(wanted)})`
  return new Map(rows.map(({ id, name }) => [id, name]))
}

export async function listInstallationNames(
  db: Reader,
  { merchantId }: MerchantMode,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = [...new Set(ids)].sort()
  if (wanted.length === 0) return new Map()
  const rows = await db.sql<{ id: string; name: string }>`
    select id, name from installations where merchant_id = ${merchantId} and id in (${listFragment(wanted)})`
  return new Map(rows.map(({ id, name }) => [id, name]))
}
