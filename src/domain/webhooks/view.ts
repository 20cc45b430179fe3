// Converts endpoints and deliveries to those of the contract. Contains no secret, and masks parts of URLs that could be credentials.
// Pure.

import type { WebhookDelivery, WebhookEndpoint, WebhookReplayDelivery } from '../../contract/open/webhooks.ts'
import type { EventKind } from '../../contract/words.ts'
import { toInstant } from '../../platform/kit/instant.ts'
import type { Delivery, Endpoint } from './store.ts'
import { maskUrl } from './url.ts'

export function endpointView(
  endpoint: Endpoint,
  newest: readonly Delivery[],
  pending: number,
  now: number,
): WebhookEndpoint {
  const { previousSealed, previousExpiresAt } = endpoint
  // The former secret is stored until the sweep deletes it, but signs only until it expires.
  const isRotating = previousSealed !== null && previousExpiresAt !== null && previousExpiresAt > now
  return {
    id: endpoint.id,
    url: maskUrl(endpoint.url),
    description: endpoint.description,
    status: endpoint.status,
    // The cast is safe: the list was checked before it was stored.
    events: JSON.parse(endpoint.events) as string[],
    secretHint: `…${endpoint.secretHint}`,
    secretRotation: { active: isRotating, previousExpiresAt: isRotating ? toInstant(previousExpiresAt) : null },
    health: {
      lastSuccessAt: instantOrNull(endpoint.lastSuccessAt),
      lastFailureAt: instantOrNull(endpoint.lastFailureAt),
      consecutiveFailures: endpoint.consecutiveFailures,
      pending,
    },
    recentDeliveries: newest.map(deliveryView),
    createdAt: toInstant(endpoint.createdAt),
    updatedAt: toInstant(endpoint.updatedAt),
  }
}

export function deliveryView(delivery: Delivery): WebhookDelivery {
  return {
    id: delivery.id,
    eventId: delivery.eventId,
    eventType: kindOf(delivery),
    status: delivery.status,
    attempts: delivery.attempts,
    lastStatusCode: delivery.lastStatusCode,
    lastError: delivery.lastError,
    nextAttemptAt: nextAttemptOf(delivery),
    createdAt: toInstant(delivery.createdAt),
  }
}

export function replayView(delivery: Delivery): WebhookReplayDelivery {
  const { replayOf } = delivery
  if (replayOf === null) throw new Error(`delivery ${delivery.id} is not a replay`)
  return {
    id: delivery.id,
    replayOf,
    endpointId: delivery.endpointId,
    eventId: delivery.eventId,
    eventType: kindOf(delivery),
    status: delivery.status,
    attempts: delivery.attempts,
    nextAttemptAt: instantOrNull(delivery.dueAt),
  }
}

// A delivery in another status may still have a due time, but has no next attempt.
function nextAttemptOf({ status, dueAt }: Delivery): string | null {
  return status === 'pending' || status === 'retrying' ? instantOrNull(dueAt) : null
}

// The cast is safe: the event of a delivery has a known kind.
function kindOf({ eventType }: Delivery): EventKind {
  return eventType as EventKind
}

function instantOrNull(at: number | null): string | null {
  return at === null ? null : toInstant(at)
}
