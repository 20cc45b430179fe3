import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openInterface } from '../../contract/open/operations.ts'
import { createLoopTurns } from '../kit/turns.ts'
import type { Storage } from '../storage/storage.ts'
import type { Cursors } from './cursors.ts'
import { createPerform, type PerformedCall } from './perform.ts'

// Collects the names of performed operations, in order.
function openPerform() {
  const performed: string[] = []
  const storage = { read: (work: (db: unknown) => Promise<unknown>) => work({}) } as unknown as Storage
  const parts = { storage, cursors: {} as Cursors, sealedKeeper: {} as never, answersMs: 0 }
  // With a clock that stands still, no operation counts as waiting for long.
  const perform = createPerform(
    parts,
    createLoopTurns(() => 0),
  )
  const call: PerformedCall = {
    principal: null,
    path: {},
    query: {},
    body: null,
    after: null,
    key: null,
    requestId: 'req_1',
    now: new Date(0),
  }
  const ask = (id: keyof typeof openInterface.operations, name: string) =>
    perform(
      {
        id,
        operation: openInterface.operations[id],
        handler: async () => {
          performed.push(name)
          return {}
        },
      },
      call,
    )
  return { performed, ask }
}

test('one search runs in each turn of the event loop, with other requests in between', async () => {
  const { performed, ask } = openPerform()
  const searches = [
    ask('searchCatalogProducts', 'first search'),
    ask('searchMerchantProducts', 'second search'),
    ask('searchCatalogProducts', 'third search'),
  ]
  await nextTurn()
  await ask('getPublicMerchantProduct', 'product')
  await Promise.all(searches)
  assert.deepEqual(performed, ['first search', 'product', 'second search', 'third search'])
})

test('503 for a search while 200 other searches wait, but not for other requests', async () => {
  const { performed, ask } = openPerform()
  const searches = Array.from({ length: 200 }, (_, at) => ask('searchCatalogProducts', `search ${at}`))
  await assert.rejects(ask('searchCatalogProducts', 'one too many'), { code: 'unavailable' })
  await ask('getPublicMerchantProduct', 'product')
  await Promise.all(searches)
  assert.equal(performed.length, 201)
  assert.ok(!performed.includes('one too many'))
  await ask('searchCatalogProducts', 'later')
  assert.equal(performed.at(-1), 'later')
})
