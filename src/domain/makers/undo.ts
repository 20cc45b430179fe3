// Undoes changes of makers.

import { makersMax } from '../../contract/entries.ts'
import type { AuditedChange } from '../../platform/audit/change.ts'
import {
  overtakenRefusal,
  refuseIfOvertaken,
  refuseInvalidUndo,
  reverseChange,
  type UndoAsk,
  type Undoer,
  valuesBefore,
} from '../../platform/audit/undo.ts'
import { lockMerchantById } from '../merchants/store.ts'
import { changedMakerRow, type MakerRow, makerMembers, makerProblems, makerRecord } from './maker.ts'
import { countMakers, countProductsOfMakers, deleteMaker, insertMaker, listMakersBySlug, updateMaker } from './store.ts'

export const makerUndoer: Undoer = {
  kinds: ['maker'],
  async undo(ask) {
    await lockMerchantById(ask.tx, ask.seller.merchantId)
    for (const change of ask.changes) await undoMaker(ask, change)
    return ask.changes.map(reverseChange)
  },
}

async function undoMaker({ tx, seller, dryRun, context: { now } }: UndoAsk, change: AuditedChange): Promise<void> {
  const { merchantId } = seller
  const { name: slug } = change
  const [present] = await listMakersBySlug(tx, merchantId, [slug])
  if (change.kind === 'retire') {
    if (present || (await countMakers(tx, merchantId)) >= makersMax)
      throw overtakenRefusal(change, `${slug} cannot be added again.`)
    const values = valuesBefore<MakerRow>(change, makerMembers)
    // The cast holds because the values were recorded from a row of this type.
    const maker = { ...(values as MakerRow), id: change.id, slug, version: 2, createdAt: now, updatedAt: now }
    refuseInvalidUndo(change, makerProblems(makerRecord(maker)))
    if (!dryRun) await insertMaker(tx, merchantId, maker)
    return
  }
  refuseIfOvertaken(change, present?.id === change.id ? present : undefined)
  if (!present) return
  if (change.kind === 'create') {
    if ((await countProductsOfMakers(tx, merchantId, [slug])).length > 0)
      throw overtakenRefusal(change, `Products still refer to the maker ${slug}.`)
    if (!dryRun) await deleteMaker(tx, merchantId, present.id)
    return
  }
  const after = changedMakerRow(present, { ...present, ...valuesBefore<MakerRow>(change, makerMembers) }, now)
  if (!dryRun) await updateMaker(tx, merchantId, after)
}
