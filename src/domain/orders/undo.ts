// Undoes corrections of the tracking of parcels. Sending a parcel and refunding cannot be undone.

import { notUndoable, refuseIfOvertaken, reverseChange, type Undoer, valuesBefore } from '../../platform/audit/undo.ts'
import { lockOrderFacts } from './change.ts'
import { correctFulfillment } from './operator.ts'
import { type FulfillmentRow, findOrderOfFulfillment } from './store.ts'

export const orderUndoer: Undoer = {
  kinds: ['fulfillment'],
  async undo({ tx, seller, changes, dryRun, context }) {
    for (const change of changes) {
      if (change.kind !== 'change') throw notUndoable(change)
      const key = await findOrderOfFulfillment(tx, seller, change.id)
      const facts = key && (await lockOrderFacts(tx, key))
      const present = facts?.fulfillments.find(({ id }) => id === change.id)
      refuseIfOvertaken(change, present)
      const values = valuesBefore<FulfillmentRow>(change, ['carrier', 'trackingNumber', 'trackingUrl'])
      if (facts && present && !dryRun) await correctFulfillment(tx, facts, { ...present, ...values }, context)
    }
    return changes.map(reverseChange)
  },
}
