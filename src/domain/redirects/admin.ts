// The admin operations on redirects.

import { type AdminRedirect, type redirectOperationRows, redirectsMax } from '../../contract/admin/redirects.ts'
import { issueAt } from '../../contract/issues.ts'
import { type AuditedChange, membersChanged } from '../../platform/audit/change.ts'
import { subjectChangeView } from '../../platform/audit/view.ts'
import type { AdminHandler } from '../../platform/http/admin.ts'
import { refuseProblems, versionConflict } from '../../platform/http/adminreply.ts'
import { AuditedReply } from '../../platform/http/handler.ts'
import { adminRowsAsked, pageOfRows } from '../../platform/http/paging.ts'
import { isId } from '../../platform/kit/ids.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Reader, Tx } from '../../platform/storage/storage.ts'
import { lockMerchantById } from '../merchants/store.ts'
import { newRow, redirectRowTo, resolveFinalTarget, writeRedirect } from './change.ts'
import { isAlwaysThere, normalizePath, type PathTarget, parseTarget } from './paths.ts'
import {
  countRedirects,
  deleteRedirects,
  findRedirect,
  findRedirectById,
  listRedirects,
  type RedirectRow,
} from './store.ts'

export function adminRedirectOperations(): { [Id in keyof typeof redirectOperationRows]: AdminHandler<Id> } {
  return {
    async listAdminRedirects({ db, caller, query: { q = '', cause = null }, paging }) {
      const asked = { part: q, cause, after: paging.after ?? '', limit: adminRowsAsked }
      const found = await listRedirects(db, caller.merchantId, asked)
      const { rows, meta } = pageOfRows(found, paging, ({ path }) => path)
      return { data: rows.map(redirectView), meta }
    },

    async getAdminRedirect({ db, caller, path: { redirectId } }) {
      return { data: redirectView(await redirectWith(db, caller.merchantId, redirectId)) }
    },

    async createAdminRedirect({ db, caller: { merchantId }, body, now }) {
      const path = normalizePath(body.from)
      if (path === undefined) refuseProblems('', [issueAt('/from', 'not_a_shop_path')])
      else if (isAlwaysThere(path)) refuseProblems('', [issueAt('/from', 'page_reserved')])
      await lockMerchantById(db, merchantId)
      if (await findRedirect(db, merchantId, path ?? '')) throw refuse('redirect_exists')
      if ((await countRedirects(db, merchantId)) >= redirectsMax) throw refuse('redirect_limit')
      const to = await targetFor(db, merchantId, path ?? '', body.to)
      const row = newRow(path ?? '', to, 'merchant', now.getTime())
      await writeRedirect(db, merchantId, row)
      return changed(row, redirectChange('create', undefined, row))
    },

    async replaceAdminRedirect({ db, caller: { merchantId }, path: { redirectId }, body, now }) {
      const before = await lockRedirect(db, merchantId, redirectId, body.expectedVersion)
      const to = await targetFor(db, merchantId, before.path, body.to)
      const after = redirectRowTo(before, to, now.getTime())
      const change = redirectChange('change', before, after)
      if (change.members.length === 0) return changed(before, change)
      await writeRedirect(db, merchantId, after)
      return changed(after, change)
    },

    async removeAdminRedirect({ db, caller: { merchantId }, path: { redirectId }, body: { expectedVersion } }) {
      const before = await lockRedirect(db, merchantId, redirectId, expectedVersion)
      await deleteRedirects(db, merchantId, [before.path])
      return changed(before, redirectChange('retire', before, undefined))
    },
  }
}

async function targetFor(db: Reader, merchantId: string, path: string, to: string | null): Promise<PathTarget | null> {
  if (to === null) return null
  const given = parseTarget(to)
  if (!given) refuseProblems('', [issueAt('/to', 'not_a_shop_path')])
  const settled = given && (await resolveFinalTarget(db, merchantId, path, given))
  if (!settled) refuseProblems('', [issueAt('/to', 'leads_to_itself')])
  return settled ?? null
}

async function redirectWith(db: Reader, merchantId: string, id: string): Promise<RedirectRow> {
  const row = isId('rdr', id) ? await findRedirectById(db, merchantId, id) : undefined
  if (!row) throw refuse('redirect_not_found')
  return row
}

async function lockRedirect(tx: Tx, merchantId: string, id: string, expectedVersion: number): Promise<RedirectRow> {
  await lockMerchantById(tx, merchantId)
  const row = await redirectWith(tx, merchantId, id)
  if (row.version !== expectedVersion) throw versionConflict(redirectView(row))
  return row
}

function redirectView({ id, path, target, cause, version, createdAt, updatedAt }: RedirectRow): AdminRedirect {
  return {
    ...{ id, version, from: path, to: target, cause },
    createdAt: toInstant(createdAt),
    updatedAt: toInstant(updatedAt),
  }
}

function redirectChange(
  kind: 'create' | 'change' | 'retire',
  before: RedirectRow | undefined,
  after: RedirectRow | undefined,
): AuditedChange {
  const { id, path: name } = (after ?? before) as RedirectRow
  const members =
    kind === 'change' && before && after
      ? membersChanged(before, after, ['target'])
      : kind === 'retire'
        ? [{ member: 'target', from: before?.target ?? null, to: null }]
        : []
  return { kind, what: 'redirect', id, name, members }
}

function changed(row: RedirectRow, change: AuditedChange) {
  const changes = change.kind === 'change' && change.members.length === 0 ? [] : [change]
  return new AuditedReply({ data: redirectView(row), changes: changes.map(subjectChangeView) }, changes)
}
