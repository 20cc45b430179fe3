// Undoes changes of redirects.

import { redirectsMax } from '../../contract/admin/redirects.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import {
  overtakenRefusal,
  refuseIfOvertaken,
  reverseChange,
  type UndoAsk,
  type Undoer,
  valuesBefore,
} from '../../platform/audit/undo.ts'
import { lockMerchantById } from '../merchants/store.ts'
import { newRow, redirectRowTo, resolveFinalTarget, writeRedirect } from './change.ts'
import { type PathTarget, parseTarget } from './paths.ts'
import { countRedirects, deleteRedirects, findRedirect, type RedirectRow } from './store.ts'

export const redirectUndoer: Undoer = {
  kinds: ['redirect'],
  async undo(ask) {
    await lockMerchantById(ask.tx, ask.seller.merchantId)
    for (const change of ask.changes) await undoRedirect(ask, change)
    return ask.changes.map(reverseChange)
  },
}

async function undoRedirect({ tx, seller, dryRun, context: { now } }: UndoAsk, change: AuditedChange): Promise<void> {
  const { merchantId } = seller
  const { name: path } = change
  const present = await findRedirect(tx, merchantId, path)
  if (change.kind === 'create') {
    if (present?.id !== change.id || present.version !== 1) throw overtakenRefusal(change, `${path} was changed since.`)
    if (!dryRun) await deleteRedirects(tx, merchantId, [path])
    return
  }
  if (change.kind === 'change') refuseIfOvertaken(change, present)
  else if (present || (await countRedirects(tx, merchantId)) >= redirectsMax)
    throw overtakenRefusal(change, `The redirect of ${path} cannot be added again.`)
  const { target = null } = valuesBefore<RedirectRow>(change, ['target'])
  const to = await targetAgain(tx, merchantId, path, target, change)
  if (dryRun) return
  const row = present
    ? redirectRowTo(present, to, now)
    : { ...newRow(path, to, 'merchant', now), id: change.id, version: 2 }
  await writeRedirect(tx, merchantId, row)
}

// The target may itself be redirected by now, so the final target is looked up again.
async function targetAgain(
  tx: UndoAsk['tx'],
  merchantId: string,
  path: string,
  target: string | null,
  change: AuditedChange,
): Promise<PathTarget | null> {
  const given = target === null ? undefined : parseTarget(target)
  if (!given) return null
  const settled = await resolveFinalTarget(tx, merchantId, path, given)
  if (!settled) throw overtakenRefusal(change, `The redirect of ${path} would lead back to its own path.`)
  return settled
}
