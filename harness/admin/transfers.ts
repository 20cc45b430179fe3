import assert from 'node:assert/strict'
import type { transferOperationRows } from '../../src/contract/admin/transfers.ts'
import type { ImportKind } from '../../src/contract/words.ts'
import { loopsFor } from '../../src/ops/cli/loops.ts'
import { newId } from '../../src/platform/kit/ids.ts'
import { retentionDefaultsMs } from '../../src/platform/kit/retention.ts'
import type { TestServer } from '../testServer.ts'
import { unusedName } from './catalog.ts'
import type { Given } from './world.ts'

type Asks = Pick<TestServer, 'askAdmin'>

export async function beginTransfer(testServer: Asks, kind: ImportKind, pieces: number) {
  const body = { idempotencyKey: newId('req'), kind, name: `${kind}.csv`, pieces }
  const answer = await testServer.askAdmin('createAdminTransfer', { body })
  assert.equal(answer.status, 200, answer.text)
  return answer.body.data
}

export async function sendFile(
  testServer: Asks,
  kind: ImportKind,
  text: string,
  pieces = Math.ceil(text.length / 250_000),
): Promise<string> {
  const { id } = await beginTransfer(testServer, kind, pieces)
  const size = Math.ceil(text.length / pieces)
  for (let piece = 1; piece <= pieces; piece += 1) {
    const part = text.slice((piece - 1) * size, piece * size)
    const path = { transferId: id, piece: String(piece) }
    const answer = await testServer.askAdmin('appendAdminTransfer', {
      path,
      body: { idempotencyKey: newId('req'), text: part },
    })
    assert.equal(answer.status, 200, answer.text)
  }
  return id
}

export const transferWith = async (testServer: Asks, transferId: string) =>
  (await testServer.askAdmin('getAdminTransfer', { path: { transferId } })).body.data

export const confirmTransfer = (testServer: Asks, transferId: string) =>
  testServer.askAdmin('confirmAdminTransfer', { path: { transferId }, body: { idempotencyKey: newId('req') } })

// Turns of the loop until there is nothing more to do.
export async function runTransfers({
  storage,
  app,
  clock,
}: Pick<TestServer, 'storage' | 'app' | 'clock'>): Promise<void> {
  const loops = loopsFor({ storage, app, retentionMs: retentionDefaultsMs, clock: () => clock.now })
  const loop = loops.find(({ name }) => name === 'transfers')
  while (await loop?.work(() => false));
}

// As a client reads it.
export async function exportFile(testServer: Asks, query: string): Promise<string> {
  let text = ''
  let next: string | null = `?${query}`
  while (next !== null) {
    const answer = await testServer.askAdmin('listAdminExport', { query: next })
    assert.equal(answer.status, 200, answer.text)
    text += answer.body.data.text
    next = answer.body.meta.next === null ? null : new URL(answer.body.meta.next, 'http://x').search
  }
  return text
}

const file = () => `Handle,Title,Variant SKU,Variant Price\n${unusedName('bowl')},Bowl,${unusedName('BOWL')},12.00\n`

const unknownFile = () => `Article,Article no.,Price\nBowl,${unusedName('BOWL')},12.00\n`

const discard = (testServer: Asks, transferId: string) =>
  testServer.askAdmin('discardAdminTransfer', { path: { transferId }, body: { idempotencyKey: newId('req') } })

// Only so many may wait, so each given discards those of the givens before.
export async function clearTransfers(testServer: TestServer): Promise<void> {
  const { data } = (await testServer.askAdmin('listAdminTransfers')).body
  for (const { id } of data) await discard(testServer, id)
  await runTransfers(testServer)
}

export const transferGivens: Readonly<Record<keyof typeof transferOperationRows, Given>> = {
  listAdminTransfers: async () => ({}),
  createAdminTransfer: async (testServer) => {
    await clearTransfers(testServer)
    return { body: { kind: 'products', name: 'bowls.csv', pieces: 2 } }
  },
  getAdminTransfer: async (testServer) => {
    await clearTransfers(testServer)
    return { path: { transferId: (await beginTransfer(testServer, 'stock', 1)).id } }
  },
  appendAdminTransfer: async (testServer) => {
    await clearTransfers(testServer)
    return {
      path: { transferId: (await beginTransfer(testServer, 'products', 2)).id, piece: '1' },
      body: { text: file() },
    }
  },
  assignAdminTransferColumns: async (testServer) => {
    await clearTransfers(testServer)
    const transferId = await sendFile(testServer, 'products', unknownFile())
    await runTransfers(testServer)
    const columns = [
      { column: 'Article', as: 'title' },
      { column: 'Price', as: 'price' },
    ]
    return { path: { transferId }, body: { columns } }
  },
  confirmAdminTransfer: async (testServer) => {
    await clearTransfers(testServer)
    const transferId = await sendFile(testServer, 'products', file())
    await runTransfers(testServer)
    return { path: { transferId }, body: {} }
  },
  discardAdminTransfer: async (testServer) => {
    await clearTransfers(testServer)
    return { path: { transferId: (await beginTransfer(testServer, 'products', 1)).id }, body: {} }
  },
  listAdminExport: async () => ({ query: '?of=products' }),
  listAdminCustomerExport: async (testServer) => {
    await testServer.orders.place()
    return {}
  },
}
