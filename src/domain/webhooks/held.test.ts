import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClaimedDelivery } from './claim.ts'
import { HeldDeliveries } from './held.ts'

const claim = (endpointId: string) => ({ endpointId }) as ClaimedDelivery

test('deliveries that a transaction writes or releases free exactly their places for its new claims', () => {
  const held = new HeldDeliveries()
  const claims = Array.from({ length: 64 }, () => claim('whe_a'))
  for (const claimed of claims) held.add(claimed, 0)
  held.add(claim('whe_b'), 0)
  assert.deepEqual(held.room(256), { limit: 256 - 8 - 1, aheadLimit: 512 - 56 })
  assert.deepEqual(held.room(256, claims.slice(0, 40)), { limit: 256 - 8 - 1, aheadLimit: 512 - 16 })
  assert.deepEqual(held.room(256, claims), { limit: 256 - 1, aheadLimit: 512 })
  assert.deepEqual(held.room(256), { limit: 256 - 8 - 1, aheadLimit: 512 - 56 }, 'until it is released')
})
