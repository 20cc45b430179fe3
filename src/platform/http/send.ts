// Sends responses, with the headers that all responses have.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { pauseWork, resumeWork } from '../kit/work.ts'
import type { Outgoing } from './message.ts'

export interface SendParts {
  isDraining: () => boolean
  // Whether the public URL uses https, so browsers are told to use only https.
  isHttps: () => boolean
}

export type Send = (response: ServerResponse, outgoing: Outgoing) => void

// For a year after each response, browsers only use https.
const httpsOnly = 'max-age=31536000'

export function createSend({ isDraining, isHttps }: SendParts): Send {
  return (response, { status, body: given, headers, stream }) => {
    // Counting the bytes of a string costs as much as encoding it, so a long one is encoded first, once.
    const body = typeof given === 'string' && given.length > longTextMin ? Buffer.from(given) : given
    const lines = ['x-content-type-options', 'nosniff']
    // Statuses without a body have neither length nor type.
    const isBodiless = status === 304 || status === 204
    if (!isBodiless && !stream) lines.push('content-length', String(Buffer.byteLength(body)))
    for (const name in headers) {
      if (!isBodiless || name !== 'content-type') lines.push(name, headers[name] as string)
    }
    if (isDraining() && headers.connection === undefined) lines.push('connection', 'close')
    if (isHttps()) lines.push('strict-transport-security', httpsOnly)
    response.writeHead(status, lines)
    // `sendStream` sends the body.
    if (stream) return
    // Node sends headers and a string in one write, and a buffer in a second write. For a small response, converting the buffer to a
    // string is cheaper.
    if (typeof body !== 'string' && body.length <= joinedBytesMax) response.end(body.toString('latin1'), 'latin1')
    else response.end(body)
  }
}

const joinedBytesMax = 8_192
const longTextMin = 65_536

// Resolves when the stream has ended, or when the client disconnects, which also ends the stream.
export async function sendStream(
  response: ServerResponse,
  stream: NonNullable<Outgoing['stream']>,
  progressed: (socket: Socket) => void,
): Promise<void> {
  const { socket } = response
  async function* chunks() {
    for await (const chunk of stream) {
      pauseWork()
      yield chunk
      resumeWork()
      // The client has read enough to be sent the next chunk.
      if (socket) progressed(socket)
    }
  }
  try {
    await pipeline(chunks, response)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

// Sets the common headers of a response that a library writes.
export function setCommonHeaders(
  response: ServerResponse,
  { isDraining, isHttps }: SendParts,
  requestId: string,
): void {
  response.setHeader('x-request-id', requestId)
  response.setHeader('x-content-type-options', 'nosniff')
  if (isDraining()) response.setHeader('connection', 'close')
  if (isHttps()) response.setHeader('strict-transport-security', httpsOnly)
}
