// Webhooks as they come in: the bytes, and whether they are genuine.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Webhook, WebhookVerificationError } from 'standardwebhooks'

// What the app shows of an event; `data` and more are in it too.
export interface ReceivedEvent {
  id: string
  type: string
  timestamp: string
  subject: { type: string; id: string }
}

// Undefined for a call that is not genuine, or too old or too new to be taken for one. The bytes are judged as they came:
// JSON that was parsed and printed again has another signature.
export function verifiedEvent(webhook: Webhook, headers: IncomingHttpHeaders, body: Buffer): ReceivedEvent | undefined {
  try {
    return webhook.verify(body, headers as Record<string, string>) as ReceivedEvent
  } catch (error) {
    if (error instanceof WebhookVerificationError) return undefined
    throw error
  }
}

// An event has at most 64 KiB, and a form far less.
const bodyBytesMax = 65_536

// Undefined for more than is taken.
export async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
