// Writes an answer, with the headers that all of them have.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { pauseWork, resumeWork } from '../kit/work.ts'
import type { Outgoing } from './message.ts'

export interface SendParts {
  isDraining: () => boolean
  // Whether browsers shall come by https only: the public address is one.
  isHttps: () => boolean
}

export type Send = (response: ServerResponse, outgoing: Outgoing) => void

// A year, as browsers ask for before they remember it.
const httpsOnly = 'max-age=31536000'

export function createSend({ isDraining, isHttps }: SendParts): Send {
  return (response, { status, body: given, headers, stream }) => {
    // The length of a text is asked for first, and costs as much as its bytes: those of a long one are made once.
    const body = typeof given === 'string' && given.length > longTextMin ? Buffer.from(given) : given
    const lines = ['x-content-type-options', 'nosniff']
    // An answer that can have no body has no length and no type.
    const isBodiless = status === 304 || status === 204
    if (!isBodiless && !stream) lines.push('content-length', String(Buffer.byteLength(body)))
    for (const name in headers) {
      if (!isBodiless || name !== 'content-type') lines.push(name, headers[name] as string)
    }
    if (isDraining() && headers.connection === undefined) lines.push('connection', 'close')
    if (isHttps()) lines.push('strict-transport-security', httpsOnly)
    response.writeHead(status, lines)
    // The head alone: `sendStream` sends the rest.
    if (stream) return
    // Node writes head and text as one piece, and bytes as a second one: for a small answer that costs more than making it a text.
    if (typeof body !== 'string' && body.length <= joinedBytesMax) response.end(body.toString('latin1'), 'latin1')
    else response.end(body)
  }
}

const joinedBytesMax = 8_192
const longTextMin = 65_536

// Resolves at the end, also where the client went away, which ends the stream too.
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
      // The client has read enough for another one.
      if (socket) progressed(socket)
    }
  }
  try {
    await pipeline(chunks, response)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

// For an answer that something else writes.
export function prepare(response: ServerResponse, { isDraining, isHttps }: SendParts, requestId: string): void {
  response.setHeader('x-request-id', requestId)
  response.setHeader('x-content-type-options', 'nosniff')
  if (isDraining()) response.setHeader('connection', 'close')
  if (isHttps()) response.setHeader('strict-transport-security', httpsOnly)
}
