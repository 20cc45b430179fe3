// Undoes changes of open drafts: an edit is reverted, and a creation is undone by cancelling the draft.

import type { AuditedChange } from '../../platform/audit/change.ts'
import {
  notUndoable,
  overtakenRefusal,
  refuseAsOvertaken,
  refuseIfOvertaken,
  reverseChange,
  type UndoAsk,
  type Undoer,
  valuesBefore,
} from '../../platform/audit/undo.ts'
import { findCartFacts } from '../carts/quote.ts'
import { type CheckoutTools, cancelSession, lockSessionAndCart } from '../checkout/sessions.ts'
import { amendDraft, currentDraftTerms, type DraftTerms, refuseNotOpen } from './edit.ts'
import { findDraft } from './store.ts'

export function draftUndoer(tools: CheckoutTools): Undoer {
  return {
    kinds: ['draft'],
    async undo(ask) {
      for (const change of ask.changes) await undoDraft(tools, ask, change)
      return ask.changes.map(reverseChange)
    },
  }
}

async function undoDraft(tools: CheckoutTools, ask: UndoAsk, change: AuditedChange): Promise<void> {
  const { tx, seller, context, dryRun } = ask
  const { now: at, cause } = context
  // The total is not restored: it follows from the other members, and perhaps from a newer address.
  const own = { ...change, members: change.members.filter(({ member }) => member !== 'total') }
  const values = change.kind === 'change' ? valuesBefore<DraftTerms>(own, ['items', 'discount', 'shipping']) : {}
  if (change.kind !== 'create' && change.kind !== 'change') throw notUndoable(change)
  const found = await findDraft(tx, seller, change.id)
  const session = found && (await lockSessionAndCart(tx, found))
  const row = session && (await findDraft(tx, seller, change.id))
  if (!row) throw overtakenRefusal(change, 'The draft no longer exists.')
  await refuseAsOvertaken(change, () => refuseNotOpen(row, at))
  const now = new Date(at)
  const { installationId } = row
  const { merchantId } = seller
  if (change.kind === 'create') {
    if (row.version > 1) throw overtakenRefusal(change, 'The draft was changed since.')
    if (dryRun) return
    const cancellation = { reason: null, note: null, by: 'api' } as const
    const caller = { installationId, merchantId }
    const { sessionId } = row
    await cancelSession(tools, {
      ...{ db: tx, caller, sessionId, expectedVersion: undefined, cancellation, now, cause },
    })
    return
  }
  const facts = await findCartFacts(tx, tools.carts.pricebooks, { installationId, cartId: session.cartId }, at)
  refuseIfOvertaken(own, facts && currentDraftTerms(facts))
  if (!dryRun)
    await refuseAsOvertaken(change, () => amendDraft(tools, { db: tx, seller, row, edit: values, now, cause }))
}
