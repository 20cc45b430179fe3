// Undoes changes of promotions. A created promotion is disabled instead of deleted, because orders may refer to it. Uses are never
// undone.

import type { PromotionEntry } from '../../contract/entries.ts'
import { type AuditedChange, membersChanged } from '../../platform/audit/change.ts'
import {
  notUndoable,
  oppositeKind,
  refuseAsOvertaken,
  refuseIfOvertaken,
  refuseInvalidUndo,
  type UndoAsk,
  type Undoer,
  valuesBefore,
} from '../../platform/audit/undo.ts'
import { announcePromotion } from './announce.ts'
import { noNewGoods, planPromotions, savePromotions } from './change.ts'
import { entryMembers, type FullEntry, promotionEntryOf, promotionProblems } from './entry.ts'
import { findOperatorPromotionById, lockPromotionSeller } from './store.ts'

export const promotionUndoer: Undoer = {
  kinds: ['promotion'],
  async undo(ask) {
    const undone: AuditedChange[] = []
    for (const change of ask.changes) undone.push(await undoPromotion(ask, change))
    return undone
  },
}

async function undoPromotion(
  { tx, seller: { merchantId }, dryRun, context }: UndoAsk,
  change: AuditedChange,
): Promise<AuditedChange> {
  const seller = await lockPromotionSeller(tx, merchantId)
  const present = await findOperatorPromotionById(tx, merchantId, change.id)
  const shown = present && promotionEntryOf(present)
  refuseIfOvertaken(change, shown)
  if (!seller || !present || !shown) throw notUndoable(change)
  const before: FullEntry =
    change.kind === 'create'
      ? { ...shown, disabled: true }
      : { ...shown, ...valuesBefore<FullEntry>(change, entryMembers) }
  const { percentage, amount, ...rest } = before
  const entry: PromotionEntry = {
    ...rest,
    ...(percentage !== null && { percentage }),
    ...(amount !== null && { amount }),
  }
  const members = membersChanged(shown, before, entryMembers)
  if (members.length === 0) throw notUndoable(change)
  refuseInvalidUndo(change, promotionProblems(entry))
  await refuseAsOvertaken(change, async () => {
    const { refused } = dryRun
      ? await planPromotions(tx, seller, [entry], noNewGoods, context.now)
      : await savePromotions(tx, seller, [entry], noNewGoods, context.now)
    if (refused[0]) throw refused[0].refusal
  })
  const after = await findOperatorPromotionById(tx, merchantId, change.id)
  if (!dryRun && after) await announcePromotion(tx, merchantId, 'promotion.updated', after, context)
  const { what, id, name } = change
  return { kind: oppositeKind[change.kind], what, id, name, members }
}
