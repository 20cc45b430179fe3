// Adds and removes hosts of a shop, chooses the main host, and undoes these changes.

import { randomBytes } from 'node:crypto'
import { hostsMax } from '../../contract/admin/site.ts'
import type { AuditedChange, MemberChange } from '../../platform/audit/change.ts'
import { notUndoable, overtakenRefusal, type UndoAsk } from '../../platform/audit/undo.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { lockMerchantById } from '../merchants/store.ts'
import { forbidHost } from './change.ts'
import { deleteHost, type HostRow, insertHost, listHosts, setCheckAt, setMainHost } from './hoststore.ts'
import type { SiteContext } from './site.ts'

// Adding a host again changes nothing.
export async function addHost(tx: Tx, merchantId: string, host: string, now: number): Promise<AuditedChange[]> {
  await lockMerchantById(tx, merchantId)
  const hosts = await listHosts(tx, merchantId)
  if (hosts.some((known) => known.host === host)) return []
  if (hosts.length >= hostsMax) throw refuse('host_limit')
  await insertHost(tx, newHost(merchantId, host, randomBytes(18).toString('base64url'), now))
  tx.signal('sites')
  return [changeOf('create', host)]
}

function newHost(merchantId: string, host: string, proof: string, now: number): HostRow {
  return {
    ...{ merchantId, host, proof, isMain: false, provedAt: null, checkAt: now, checkedAt: null, problem: null },
    createdAt: now,
  }
}

// If the main host is removed, the oldest proved host becomes the main one.
export async function removeHost(
  tx: Tx,
  parts: SiteContext,
  merchantId: string,
  host: string,
): Promise<AuditedChange[]> {
  await lockMerchantById(tx, merchantId)
  const { isMain, proof } = await siteHostOf(tx, merchantId, host)
  await deleteHost(tx, merchantId, host)
  await forbidHost(tx, merchantId, host, parts.publicOrigin())
  const next = (await listHosts(tx, merchantId)).find(({ provedAt }) => provedAt !== null)
  if (isMain && next) await setMainHost(tx, merchantId, next.host)
  tx.signal('sites')
  return [changeOf('retire', host, [{ member: 'proof', from: proof, to: null }])]
}

export async function setMainHostAudited(tx: Tx, merchantId: string, host: string): Promise<AuditedChange[]> {
  await lockMerchantById(tx, merchantId)
  const { isMain, provedAt } = await siteHostOf(tx, merchantId, host)
  if (isMain) return []
  if (provedAt === null) throw refuse('host_not_proved')
  const before = (await listHosts(tx, merchantId)).find((other) => other.isMain)
  await setMainHost(tx, merchantId, host)
  tx.signal('sites')
  return [changeOf('change', host, [{ member: 'main', from: before?.host ?? null, to: host }])]
}

// Makes the host due for a check, which the background job runs immediately. The list of changes records who requested the check.
export async function requestHostCheck(
  tx: Tx,
  merchantId: string,
  host: string,
  now: number,
): Promise<AuditedChange[]> {
  await lockMerchantById(tx, merchantId)
  const { checkAt } = await siteHostOf(tx, merchantId, host)
  await setCheckAt(tx, merchantId, host, now)
  tx.signal('sites')
  const from = checkAt === null ? null : toInstant(checkAt)
  return [changeOf('change', host, [{ member: 'checkAt', from, to: toInstant(now) }])]
}

async function siteHostOf(db: Reader, merchantId: string, host: string): Promise<HostRow> {
  const found = (await listHosts(db, merchantId)).find((known) => known.host === host)
  if (!found) throw refuse('host_not_found')
  return found
}

// A host that is restored is checked again, with its former proof.
export async function undoHost(ask: UndoAsk, parts: SiteContext, change: AuditedChange): Promise<void> {
  const { tx, seller, dryRun, context } = ask
  const { merchantId } = seller
  const hosts = await listHosts(tx, merchantId)
  const present = hosts.find(({ host }) => host === change.id)
  const [member] = change.members
  if (change.kind === 'create') {
    if (!present) throw overtakenRefusal(change, `${change.name} was removed since.`)
    if (!dryRun) await removeHost(tx, parts, merchantId, change.id)
  } else if (change.kind === 'retire') {
    if (present || hosts.length >= hostsMax) throw overtakenRefusal(change, `${change.name} cannot be added again.`)
    if (!dryRun) await insertHost(tx, newHost(merchantId, change.id, String(member?.from ?? ''), context.now))
  } else if (change.kind === 'change' && member?.member === 'main') {
    const former = hosts.find(({ host, provedAt }) => host === member?.from && provedAt !== null)
    if (!present?.isMain || !former) throw overtakenRefusal(change, `${change.name} was changed since.`)
    if (!dryRun) await setMainHost(tx, merchantId, former.host)
  } else throw notUndoable(change)
  tx.signal('sites')
}

function changeOf(
  kind: 'create' | 'change' | 'retire',
  host: string,
  members: readonly MemberChange[] = [],
): AuditedChange {
  return { kind, what: 'site_host', id: host, name: host, members }
}
