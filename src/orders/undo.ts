// What of an order is taken back: the tracking of a parcel that was corrected. Parcels and money are not.

import { refuseOvertaken, reverseOf, type Undoers } from '../audit/undo.ts'
import { refuse } from '../kit/refuse.ts'
import { findOrderOfFulfillment, listFulfillments, lockOrder, updateFulfillment } from './store.ts'

export const orderUndoers: Undoers = {
  fulfillment: {
    scope: 'admin:orders',
    async undo({ tx, seller, changes, dryRun }) {
      for (const change of changes) {
        if (change.kind !== 'change') throw refuse('change_not_undoable', { current: { type: change.what } })
        const key = await findOrderOfFulfillment(tx, seller, change.id)
        if (key) await lockOrder(tx, key)
        const present = key && (await listFulfillments(tx, key)).find(({ id }) => id === change.id)
        refuseOvertaken(change, present)
        const before = Object.fromEntries(change.members.map(({ member, from }) => [member, from ?? null]))
        if (key && present && !dryRun) await updateFulfillment(tx, key, { ...present, ...before })
      }
      return changes.map(reverseOf)
    },
  },
}
