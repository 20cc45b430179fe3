import type { changeOperationRows } from '../../src/contract/admin/changes.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { orderGivens } from './orders.ts'
import type { Given } from './world.ts'

export const changeGivens: Readonly<Record<keyof typeof changeOperationRows, Given>> = {
  listAdminChanges: async () => ({}),
  undoAdminChange: async (testServer) => {
    const { path, body } = await orderGivens.updateAdminFulfillment(testServer)
    const asked = { ...(path && { path }), body: { ...body, idempotencyKey: newId('req') } }
    await testServer.askAdmin('updateAdminFulfillment', asked)
    const query = `?subjectId=${path?.fulfillmentId}&operation=updateAdminFulfillment`
    const [change] = (await testServer.askAdmin('listAdminChanges', { query })).body.data
    return { path: { changeId: change.id }, body: { dryRun: false } }
  },
}
