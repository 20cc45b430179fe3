import type { changeOperationRows } from '../changes.ts'
import type { AdminExamples } from '../row.ts'
import { trackingChange } from './orders.ts'

const [correction] = trackingChange.changes

export const changeExamples: AdminExamples<typeof changeOperationRows> = {
  listAdminChanges: {
    path: {},
    query: { operation: 'updateAdminFulfillment' },
    body: undefined,
    reply: { data: [trackingChange], meta: { count: 1, next: null } },
  },
  undoAdminChange: {
    path: { changeId: trackingChange.id },
    body: { idempotencyKey: '5d1f4a77-1c43-4a8e-9b6e-0f2a6f6b1d02', dryRun: true },
    reply: {
      data: {
        changes: correction
          ? [
              {
                ...correction,
                members: correction.members.map(({ member, from, to }) => ({ member, from: to, to: from })),
              },
            ]
          : [],
      },
    },
  },
}
