// The webhook to a platform when an order that it placed by the Agentic Commerce Protocol changes. Sends the whole current order.

import { createHmac } from 'node:crypto'
import { addPlatformTag } from '../../../domain/agents/ids.ts'
import { orderLifecycle } from '../../../domain/orders/lifecycle.ts'
import type { PlatformCall, PlatformDelivery } from '../../../domain/webhooks/call.ts'
import { decryptWebhookSecret } from '../../../domain/webhooks/signature.ts'
import { jsonType } from '../../../platform/http/message.ts'
import { toInstant } from '../../../platform/kit/instant.ts'
import { onlyMove } from '../../../platform/kit/lifecycle.ts'
import { attemptHeaders, type NoticeParts } from '../ucp/notices.ts'
import { findShownOrder } from '../ucp/orders.ts'
import { acpOrder } from './order.ts'

export async function buildAcpNotice(parts: NoticeParts, claimed: PlatformDelivery): ReturnType<PlatformCall> {
  const { storage, rootSecret, clock } = parts
  const { installationId, subjectId: orderId, platformId, eventId, eventType, secrets } = claimed
  const found = await storage.read((db) => findShownOrder(parts, db, { installationId, orderId }))
  if (!found) return undefined
  const { facts, permalinkUrl } = found
  const data = acpOrder(facts, { permalinkUrl, tag: (id) => addPlatformTag(rootSecret, platformId, id) })
  const isNew = eventType === onlyMove(orderLifecycle, 'place').announces
  const body = JSON.stringify({ type: isNew ? 'order_create' : 'order_update', data })
  const now = clock().getTime()
  const secret = decryptWebhookSecret(rootSecret, secrets.id, secrets.secretSealed)
  return {
    body,
    headers: {
      'content-type': jsonType,
      'merchant-signature': merchantSignature(secret, Math.floor(now / 1_000), body),
      'request-id': eventId,
      timestamp: toInstant(now),
      ...attemptHeaders(claimed),
    },
  }
}

// The HMAC key is the text of the secret. The header has room for one signature, so after a rotation only the new secret signs.
function merchantSignature(secret: string, seconds: number, body: string): string {
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}
