// Receives webhooks: takes the body as bytes, lets the standard's own library judge the signature, writes the event down
// and answers. What is to be done about an event is done later, by whoever reads the inbox.

import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http'
import { Webhook, WebhookVerificationError } from 'standardwebhooks'

export interface ReceivedEvent {
  id: string
  type: string
  timestamp: string
  installationId: string
  subject: { type: string; id: string }
  sequence: number
  cause: { operationId: string | null; requestId: string } | null
  data: Record<string, unknown>
}

export interface ReceiverParts {
  // As it was shown when the endpoint was added: `whsec_…`.
  secret: string
  // Must be durable when it returns. An event that is there already is left as it is.
  keep: (event: ReceivedEvent) => void | Promise<void>
  onProblem: (error: unknown) => void
}

// An event has at most 64 KiB, and nobody else has anything to say here.
const bodyBytesMax = 65_536

export function createReceiver({ secret, keep, onProblem }: ReceiverParts): RequestListener {
  const webhook = new Webhook(secret)

  async function receive(request: IncomingMessage): Promise<number> {
    if (request.method !== 'POST') return 405
    if (Number(request.headers['content-length']) > bodyBytesMax) return 413
    const body = await bodyOf(request)
    if (!body) return 413
    const event = verifiedEvent(webhook, request.headers, body)
    if (!event) return 401
    await keep(event)
    return 204
  }

  return (request, response) => {
    receive(request).then(
      (status) => response.writeHead(status).end(),
      (error: unknown) => {
        // Not kept, so not received: the call comes again.
        onProblem(error)
        response.writeHead(500).end()
      },
    )
  }
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

// Undefined for more than is taken.
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
