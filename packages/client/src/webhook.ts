// Whether a webhook is genuine: Standard Webhooks 1.0, with the Web Crypto of the runtime.

import { CartwrightError } from './error.ts'
import type { WebhookEvent } from './printed/open.ts'

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** The time to judge by (default: now). */
  now?: Date | undefined
  /** How old, or how far ahead, a call may be (default: 300). */
  toleranceSeconds?: number | undefined
}

/**
 * The event of a genuine call. Give it the bytes of the body as they came: JSON that was parsed and printed again has another
 * signature. Throws a CartwrightError with the code `webhook_invalid` for any other call; answer it with 401.
 */
export async function verifyWebhook(
  rawBody: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
  { now = new Date(), toleranceSeconds = 300 }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const key = await keyOf(secret)
  const id = headerIn(headers, 'webhook-id')
  const timestamp = headerIn(headers, 'webhook-timestamp')
  const signatures = headerIn(headers, 'webhook-signature')
  if (!/^\d{1,12}$/.test(timestamp)) throw invalid('Its timestamp is missing or malformed.')
  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(timestamp)
  if (Math.abs(ageSeconds) > toleranceSeconds) throw invalid('It is too old, or the clocks differ.')
  const body = typeof rawBody === 'string' ? utf8.encode(rawBody) : new Uint8Array(rawBody)
  const signed = joined(utf8.encode(`${id}.${timestamp}.`), body)
  for (const part of signatures.split(' ')) {
    const [version, text = ''] = part.split(',')
    const signature = version === 'v1' ? bytesOf(text) : undefined
    // `verify` compares in constant time.
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed)))
      return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent
  }
  throw invalid('Its signature does not match the body and the secret.')
}

const utf8 = new TextEncoder()

async function keyOf(secret: string) {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (!bytes || bytes.length === 0) throw new TypeError('secret is not the secret of a webhook endpoint')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

function headerIn(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw invalid(`The header ${name} is missing.`)
  return value
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function joined(head: Uint8Array, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(head.length + body.length)
  whole.set(head)
  whole.set(body, head.length)
  return whole
}

function invalid(message: string): CartwrightError {
  return new CartwrightError({ code: 'webhook_invalid', message: `The webhook is not genuine. ${message}` })
}
