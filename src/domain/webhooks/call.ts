// Makes one webhook call: the signed request of a delivery, and its outcome. Never throws.

import type { KeyObject } from 'node:crypto'
import type { Log } from '../../platform/log/log.ts'
import type { RootSecret } from '../../platform/secrets/secrets.ts'
import type { ClaimedDelivery } from './claim.ts'
import type { CallOutcome, Sender } from './sender.ts'
import { createSigningKeyCache, decryptSigningSecrets, signedHeaders } from './signature.ts'

export interface CallParts {
  sender: Sender
  rootSecret: RootSecret
  log: Log
  version: string
  platformCall?: PlatformCall
}

// Calls an agent platform with the present state of an order, in the format of the platform's protocol. Undefined if there is no order to
// send.
export type PlatformDelivery = ClaimedDelivery & { platformId: string }
export type PlatformCall = (
  claimed: PlatformDelivery,
) => Promise<{ headers: Record<string, string>; body: string } | undefined>

export type CallEndpoint = (claimed: ClaimedDelivery, startedAt: number) => Promise<CallOutcome>

export function createCall({ sender, rootSecret, log, version, platformCall }: CallParts): CallEndpoint {
  const open = createSigningKeyCache(rootSecret)
  // Signing keys by their encrypted secrets: deliveries of an endpoint that were claimed together share one `secrets` object.
  const keys = new WeakMap<ClaimedDelivery['secrets'], KeyObject[]>()

  function keysOf(secrets: ClaimedDelivery['secrets'], now: number): KeyObject[] {
    const known = keys.get(secrets) ?? decryptSigningSecrets(open, secrets, now)
    keys.set(secrets, known)
    return known
  }

  function headersOf(claimed: ClaimedDelivery, startedAt: number): Record<string, string> {
    const message = { id: claimed.eventId, timestamp: Math.floor(startedAt / 1_000), body: claimed.body }
    return {
      'content-type': 'application/json',
      'user-agent': `Cartwright-Webhooks/${version}`,
      ...signedHeaders(keysOf(claimed.secrets, startedAt), message),
      'webhook-delivery-id': claimed.id,
      'webhook-attempt': String(claimed.attempts + 1),
    }
  }

  async function callPlatform(claimed: ClaimedDelivery, platformId: string): Promise<CallOutcome> {
    const made = await platformCall?.({ ...claimed, platformId })
    if (!made) return notMade('there is no order to send')
    const headers = { ...made.headers, 'user-agent': `Cartwright-Webhooks/${version}` }
    return sender.send({ url: claimed.url, headers, body: made.body })
  }

  return async (claimed, startedAt) => {
    const { url, body, platformId } = claimed
    if (body.length === 0) return notMade('the text of the event is no longer stored')
    try {
      if (platformId !== null) return await callPlatform(claimed, platformId)
      return await sender.send({ url, headers: headersOf(claimed, startedAt), body })
    } catch (error) {
      log.error('webhook call failed with an unexpected error', error, { deliveryId: claimed.id })
      return notMade('the call could not be made')
    }
  }
}

function notMade(error: string): CallOutcome {
  return { kind: 'failed', statusCode: null, retryAfter: null, error, answer: null, tookMs: 0 }
}
