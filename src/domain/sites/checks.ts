// The background job that checks the proofs of hosts. Requests are sent outside of any transaction.

import type { Storage } from '../../platform/storage/storage.ts'
import { lockMerchantById } from '../merchants/store.ts'
import { allowHost } from './change.ts'
import { nextCheckAt } from './hosts.ts'
import { findHostOwner, type HostRow, listDueHosts, setProved, setUnproved } from './hoststore.ts'
import type { ProveHost } from './prove.ts'

export async function checkHosts(
  storage: Storage,
  { prove, publicOrigin, now, limit }: { prove: ProveHost; publicOrigin: string; now: number; limit: number },
): Promise<number> {
  const due = await storage.read((db) => listDueHosts(db, now, limit))
  const outcomes = await Promise.all(due.map(async (row) => [row, await prove(row.host, row.proof)] as const))
  for (const [row, outcome] of outcomes) await settle(storage, publicOrigin, row, outcome, now)
  return due.length
}

async function settle(
  storage: Storage,
  publicOrigin: string,
  row: HostRow,
  outcome: Awaited<ReturnType<ProveHost>>,
  now: number,
): Promise<void> {
  await storage.write(async (tx) => {
    await lockMerchantById(tx, row.merchantId)
    const owner = await findHostOwner(tx, row.host)
    const problem = outcome !== 'proved' ? outcome : owner && owner.merchantId !== row.merchantId ? 'taken' : null
    if (problem !== null) return setUnproved(tx, row, { problem, checkAt: nextCheckAt(row.createdAt, now), now })
    await setProved(tx, row, now)
    await allowHost(tx, row.merchantId, row.host, publicOrigin)
    tx.signal('sites')
  })
}
