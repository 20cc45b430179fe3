import assert from 'node:assert/strict'
import type { draftOperationRows } from '../../src/contract/admin/drafts.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { setMailSwitch } from '../../src/platform/outbox/emails.ts'
import { cartsOf } from '../carts.ts'
import type { TestServer } from '../testServer.ts'
import type { Given } from './world.ts'

// The draft of one card, with more or other members.
export async function draftOf(testServer: TestServer, more: object = {}) {
  const skuId = (await cartsOf(testServer)).sku('CARD')
  const body = { idempotencyKey: newId('req'), items: [{ skuId, quantity: 1 }], ...more }
  const answer = await testServer.askAdmin('createAdminDraft', { body })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

const made: Given = async (testServer) => ({ path: { draftId: (await draftOf(testServer)).draft.id } })

export const draftGivens: Readonly<Record<keyof typeof draftOperationRows, Given>> = {
  listAdminDrafts: async () => ({}),
  getAdminDraft: made,
  createAdminDraft: async (testServer) => {
    const skuId = (await cartsOf(testServer)).sku('CARD')
    return { body: { items: [{ skuId, quantity: 1, unitPrice: 100 }], discount: 10 } }
  },
  updateAdminDraft: async (testServer) => ({ ...(await made(testServer)), body: { discount: 10, note: null } }),
  sendAdminDraft: async (testServer) => {
    await testServer.storage.write((tx) => setMailSwitch(tx, true, testServer.clock.now))
    const { draft } = await draftOf(testServer, { customer: { email: 'ada@example.com' } })
    return { path: { draftId: draft.id }, body: {} }
  },
  cancelAdminDraft: async (testServer) => ({ ...(await made(testServer)), body: {} }),
}
