// Reads what a shopper's browser posts: who may post, how much, and in which form. Nothing here knows what the fields mean.

import type { IncomingMessage } from 'node:http'

export const formBytesMax = 16_384

// Longer than anything one types into a field; what stands behind it is cut.
const valueLengthMax = 500

export type Form = (name: string) => string

// The status with which a body is refused.
export type FormRefusal = 413 | 415 | 400

// The secret in the address is what allows a post. This is the second lock: a browser says where a request comes from, and
// another site has no business here. Since our pages send no referrer, browsers without Sec-Fetch-Site say `Origin: null`
// for our own forms too (Fetch, 3.2), so that only a named stranger is refused there.
export function isForeign({ headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site !== 'same-origin' && site !== 'none'
  return headers.origin !== undefined && headers.origin !== 'null' && headers.origin !== origin
}

export async function readForm(raw: IncomingMessage): Promise<Form | FormRefusal> {
  const encoding = raw.headers['content-encoding']
  const isForm = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i.test(raw.headers['content-type'] ?? '')
  if (!isForm || (encoding !== undefined && encoding !== 'identity')) return 415
  if (Number(raw.headers['content-length'] ?? 0) > formBytesMax) return 413
  const bytes = await readBytes(raw)
  if (typeof bytes === 'number') return bytes
  const values = new URLSearchParams(bytes.toString('utf8'))
  // The first of two fields with one name counts, and a missing one is empty.
  return (name) => clean(values.get(name) ?? '')
}

function readBytes(raw: IncomingMessage): Promise<Buffer | FormRefusal> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    raw.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= formBytesMax) return void chunks.push(chunk)
      raw.pause()
      resolve(413)
    })
    raw.on('end', () => resolve(Buffer.concat(chunks)))
    // The shopper went away; nobody reads the answer, but the road must come to an end.
    raw.on('error', () => resolve(400))
    raw.on('close', () => resolve(400))
  })
}

function clean(value: string): string {
  return value
    .slice(0, valueLengthMax)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}
