import assert from 'node:assert/strict'
import type { makerOperationRows } from '../../src/contract/admin/makers.ts'
import type { MakerEntry } from '../../src/contract/entries.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import type { TestServer } from '../testServer.ts'
import { unusedName } from './catalog.ts'
import type { Given } from './world.ts'

export function makerEntry(members: Partial<MakerEntry> = {}): MakerEntry {
  return {
    slug: unusedName('maker'),
    name: 'Kiln Nine GmbH',
    address: ['Ofenweg 9', '10115 Berlin'],
    country: 'DE',
    contact: 'safety@kiln-nine.example',
    ...members,
  }
}

export async function createMaker(testServer: Pick<TestServer, 'askAdmin'>, members: Partial<MakerEntry> = {}) {
  const body = { idempotencyKey: newId('req'), maker: makerEntry(members) }
  const answer = await testServer.askAdmin('createAdminMaker', { body })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

export const makerGivens: Readonly<Record<keyof typeof makerOperationRows, Given>> = {
  listAdminMakers: async () => ({}),
  createAdminMaker: async () => ({ body: { maker: makerEntry() } }),
  replaceAdminMaker: async (testServer) => {
    const { id, version, maker } = await createMaker(testServer)
    return { path: { makerId: id }, body: { expectedVersion: version, maker: { ...maker, name: 'Kiln Ten GmbH' } } }
  },
  removeAdminMaker: async (testServer) => {
    const { id, version } = await createMaker(testServer)
    return { path: { makerId: id }, body: { expectedVersion: version } }
  },
}
