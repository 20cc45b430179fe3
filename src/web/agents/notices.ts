// Calls a platform when its order changes, in the form of the protocol by which the order was placed.

import { findOrderAgent } from '../../domain/orders/store.ts'
import type { PlatformCall } from '../../domain/webhooks/call.ts'
import { buildAcpNotice } from './acp/notices.ts'
import { buildUcpNotice, type NoticeParts } from './ucp/notices.ts'

export function createOrderNotices(parts: NoticeParts): PlatformCall {
  return async (claimed) => {
    const key = { installationId: claimed.installationId, orderId: claimed.subjectId }
    const agent = await parts.storage.read((db) => findOrderAgent(db, key))
    // Nothing is sent if the order was deleted or was placed by another platform.
    if (agent?.platformId !== claimed.platformId) return undefined
    return agent.protocol === 'acp' ? buildAcpNotice(parts, claimed) : buildUcpNotice(parts, claimed, agent.version)
  }
}
