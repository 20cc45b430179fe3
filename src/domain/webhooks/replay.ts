// Replays a delivery: sends the same event to the same endpoint again, as a new delivery with all attempts. The event and the original
// delivery are not changed.

import type { DeliveryStatus } from '../../contract/words.ts'
import { newId } from '../../platform/kit/ids.ts'
import { refuse } from '../../platform/kit/refuse.ts'
import type { Tx } from '../../platform/storage/storage.ts'
import { type Delivery, hasEventText, hasOpenReplay, insertReplay, lockDelivery, lockEndpoint } from './store.ts'

export interface ReplayInput {
  allowSucceeded: boolean
  reason: string | null
  // How long the bodies of events are stored.
  textsMs: number
}

const finalStatuses: ReadonlySet<DeliveryStatus> = new Set(['succeeded', 'failed', 'blocked', 'discarded'])

// A concurrent replay of the same delivery waits for the lock of its row, and then finds the first replay. The endpoint is locked too, so
// it cannot be paused, disabled or removed before the commit.
export async function replayDelivery(
  tx: Tx,
  installationId: string,
  deliveryId: string,
  { allowSucceeded, reason, textsMs }: ReplayInput,
  now: number,
): Promise<Delivery> {
  const original = await lockDelivery(tx, installationId, deliveryId)
  if (!original) throw refuse('webhook_delivery_not_found')
  const current = { status: original.status }
  if (!finalStatuses.has(original.status)) throw refuse('delivery_not_final', { current })
  if (await hasOpenReplay(tx, installationId, deliveryId)) throw refuse('replay_in_progress', { current })
  if (original.status === 'succeeded' && !allowSucceeded) throw refuse('delivery_already_succeeded', { current })

  const endpoint = await lockEndpoint(tx, installationId, original.endpointId)
  if (endpoint?.status !== 'enabled')
    throw refuse('endpoint_disabled', { current: { ...current, reason: `endpoint_${endpoint?.status ?? 'removed'}` } })
  // An expired body counts as deleted even before the sweep deletes it, because that can happen at any moment.
  if (!(await hasEventText(tx, installationId, original.eventId, now - textsMs)))
    throw refuse('payload_expired', { current })

  const replay: Delivery = {
    ...original,
    id: newId('whd'),
    status: 'pending',
    attempts: 0,
    dueAt: now,
    replayOf: original.id,
    lastStatusCode: null,
    lastError: null,
    createdAt: now,
    finishedAt: null,
  }
  // The lock already prevents a concurrent replay, and so does the unique index.
  if (!(await insertReplay(tx, replay, reason))) throw refuse('replay_in_progress', { current })
  tx.signal('deliveries')
  return replay
}
