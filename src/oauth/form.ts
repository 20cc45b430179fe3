// Reads what a browser posts to an authorization page: from where, how much, and in which form.

import type { IncomingMessage } from 'node:http'

const formBytesMax = 16_384

// The cookie of the interaction is what allows a post, and browsers do not send it from other sites. This is the second
// lock: whoever posts says where from, and only our own page may.
export function isOwn({ headers }: IncomingMessage, origin: string): boolean {
  const site = headers['sec-fetch-site']
  return headers.origin === origin && (site === undefined || site === 'same-origin')
}

// Undefined when it is no form, too long, or ended early.
export async function readForm(raw: IncomingMessage): Promise<URLSearchParams | undefined> {
  const isForm = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i.test(raw.headers['content-type'] ?? '')
  const encoding = raw.headers['content-encoding'] ?? 'identity'
  if (!isForm || encoding !== 'identity' || Number(raw.headers['content-length'] ?? 0) > formBytesMax) return undefined
  const bytes = await readBytes(raw)
  return bytes && new URLSearchParams(bytes.toString('utf8'))
}

function readBytes(raw: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    raw.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= formBytesMax) return void chunks.push(chunk)
      raw.pause()
      resolve(undefined)
    })
    raw.on('end', () => resolve(Buffer.concat(chunks)))
    raw.on('error', () => resolve(undefined))
    raw.on('close', () => resolve(undefined))
  })
}
