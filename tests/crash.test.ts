// kill -9 between the commit and the answer: the caller knows nothing, tries again with the same key, and gets the answer
// that was stored, with one effect and one event.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { berlin, type Carts, cartsOf, eventsOf, market } from '../harness/carts.ts'
import { eachEngine, inTurns } from '../harness/storage.ts'
import { openTestServer, type TestServer, testSecretText } from '../harness/testServer.ts'
import { type OperationId, operations } from '../src/contract/open/operations.ts'

eachEngine('a server killed between commit and answer', (given) => {
  let testServer: TestServer
  let carts: Carts
  before(async () => {
    testServer = await openTestServer(given, { shops: [market] })
    carts = await cartsOf(testServer)
  })

  async function loseAnswer(id: OperationId, path: Record<string, string>, body: object): Promise<void> {
    const child = spawn(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        join(import.meta.dirname, '..', 'harness', 'crasher.ts'),
        testServer.url,
        testSecretText,
        String(testServer.clock.now),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const closed = once(child, 'close')
    const [port] = (await once(child.stdout, 'data')) as [Buffer]
    const address = operations[id].path.replaceAll(/\{(\w+)\}/g, (_, name: string) => path[name] ?? '')
    await assert.rejects(
      fetch(`http://127.0.0.1:${String(port).trim()}${address}`, {
        method: operations[id].method,
        headers: { authorization: testServer.keys.full, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    )
    const [, signal] = (await closed) as [number | null, string | null]
    assert.equal(signal, 'SIGKILL')
  }

  for (const [id, bodyOf] of inTurns(given, [
    ['putPublicCartItem', () => ({ quantity: 4 })],
    ['updatePublicCartItemQuantity', () => ({ quantity: 3 })],
    ['removePublicCartItem', () => ({})],
    ['applyPublicCartPromotion', () => ({ code: 'WELCOME10' })],
    ['setPublicCartAddress', () => ({ address: berlin })],
  ] as const)) {
    test(`${id}: the retry gets the stored response`, async () => {
      const cartId = await carts.create({ CARD: 1 })
      const path = { cartId, skuId: carts.sku('CARD') }
      const body = { ...bodyOf(), idempotencyKey: `crash-${id}` }
      await loseAnswer(id, path, body)
      assert.equal((await carts.read(cartId)).body.data.version, 2, 'the effect is there')
      const retry = await testServer.ask(id, { path, body })
      assert.equal(retry.status, 200)
      assert.equal(retry.headers.get('idempotency-replayed'), 'true')
      assert.equal((await carts.read(cartId)).body.data.version, 2)
      assert.deepEqual(
        (await eventsOf(testServer, cartId)).map(({ sequence }) => sequence),
        [1, 2],
      )
    })
  }
})
