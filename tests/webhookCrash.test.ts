// Delivering while the deliverers are killed. The long run is `npm run proof -- deliveries`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { market } from '../harness/carts.ts'
import { eachEngine } from '../harness/storage.ts'
import { openTestServer, testSecret, testSecretText } from '../harness/testServer.ts'
import { isWide } from '../harness/wide.ts'
import { runDeliveries } from '../proof/deliveries.ts'
import { seeded } from '../proof/random.ts'

const killsMin = isWide ? 3 : 2

eachEngine('webhook deliveries during kill -9', (given) => {
  test('every event is delivered to every endpoint in order, and duplicates are identical', async (t) => {
    const { random, seed } = seeded()
    t.diagnostic(`seed ${seed}`)
    const testServer = await openTestServer(given, { shops: [market] })
    const result = await runDeliveries({
      storage: testServer.storage,
      url: testServer.url,
      rootSecret: testSecret,
      rootSecretText: testSecretText,
      installationId: testServer.installationId,
      events: isWide ? 300 : 200,
      endpoints: 3,
      nodes: given.engine === 'postgres' ? 2 : 1,
      kills: killsMin,
      random,
    })
    const { lost, differing, outOfOrder, unsettled, kills } = result
    assert.deepEqual({ lost, differing, outOfOrder, unsettled }, { lost: 0, differing: 0, outOfOrder: 0, unsettled: 0 })
    assert.ok(kills >= killsMin)
  })
})
