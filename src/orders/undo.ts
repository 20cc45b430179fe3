// What of an order is taken back: the tracking of a parcel that was corrected. Parcels and money are not.

import { notUndoable, refuseOvertaken, reverseOf, type Undoer } from '../audit/undo.ts'
import { findOrderOfFulfillment, listFulfillments, lockOrder, updateFulfillment } from './store.ts'

export const orderUndoer: Undoer = {
  kinds: ['fulfillment'],
  scope: 'admin:orders',
  async undo({ tx, seller, changes, dryRun }) {
    for (const change of changes) {
      if (change.kind !== 'change') throw notUndoable(change)
      const key = await findOrderOfFulfillment(tx, seller, change.id)
      if (key) await lockOrder(tx, key)
      const present = key && (await listFulfillments(tx, key)).find(({ id }) => id === change.id)
      refuseOvertaken(change, present)
      const before = Object.fromEntries(change.members.map(({ member, from }) => [member, from ?? null]))
      if (key && present && !dryRun) await updateFulfillment(tx, key, { ...present, ...before })
    }
    return changes.map(reverseOf)
  },
}
