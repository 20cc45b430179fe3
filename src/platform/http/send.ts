// Writes an answer, with the headers that all of them have.

import type { ServerResponse } from 'node:http'
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
  return (response, { status, body, headers }) => {
    const lines = ['x-content-type-options', 'nosniff']
    // An answer that can have no body has no length and no type.
    const isBodiless = status === 304 || status === 204
    if (!isBodiless) lines.push('content-length', String(Buffer.byteLength(body)))
    for (const name in headers) {
      if (!isBodiless || name !== 'content-type') lines.push(name, headers[name] as string)
    }
    if (isDraining() && headers.connection === undefined) lines.push('connection', 'close')
    if (isHttps()) lines.push('strict-transport-security', httpsOnly)
    response.writeHead(status, lines).end(body)
  }
}

// For an answer that something else writes.
export function prepare(response: ServerResponse, { isDraining, isHttps }: SendParts, requestId: string): void {
  response.setHeader('x-request-id', requestId)
  response.setHeader('x-content-type-options', 'nosniff')
  if (isDraining()) response.setHeader('connection', 'close')
  if (isHttps()) response.setHeader('strict-transport-security', httpsOnly)
}
