// Reads a request body up to a size limit, and parses JSON strictly. Nothing is coerced or guessed: anything but plain UTF-8 JSON is
// refused, with the place of the problem if there is one.

import type { IncomingMessage } from 'node:http'
import { issueAt } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import { type JsonResult, parseJson, parseLongJson } from '../kit/json.ts'
import { type Refusal, refuse } from '../kit/refuse.ts'
import { resumeWork } from '../kit/work.ts'

export function hasBody(raw: IncomingMessage): boolean {
  const length = raw.headers['content-length']
  return raw.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
}

export async function readJsonBody(raw: IncomingMessage, bytesMax: number): Promise<unknown> {
  if (!hasBody(raw)) throw refuse('body_required')
  refuseOtherMedia(raw)
  const bytes = await readBytes(raw, bytesMax)
  if (bytes === 'too_large') throw tooLarge(bytesMax)
  if (bytes === 'ended_early') throw refuse('invalid_request', { message: 'The request body ended early.' })
  if (bytes.length === 0) throw refuse('body_required')
  const parsed = await parsedJson(bytes)
  if ('value' in parsed) return parsed.value
  throw refuse(parsed.problem === 'malformed' ? 'malformed_json' : 'invalid_request', { issues: [parsed.issue] })
}

function parsedJson(bytes: Buffer): JsonResult | Promise<JsonResult> {
  const text = decode(bytes)
  return bytes.length > limits.bodyBytesMax ? parseLongJson(text) : parseJson(text)
}

// Matches `application/json` without parameters, except a charset of utf-8.
const jsonMedia = /^application\/json[ \t]*(;[ \t]*charset[ \t]*=[ \t]*"?utf-?8"?[ \t]*)?$/i

function refuseOtherMedia(raw: IncomingMessage): void {
  const encoding = raw.headers['content-encoding']
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw refuse('unsupported_media_type', { issues: [issueAt('/headers/content-encoding', 'bad_content_encoding')] })
  if (!jsonMedia.test(raw.headers['content-type'] ?? ''))
    throw refuse('unsupported_media_type', { issues: [issueAt('/headers/content-type', 'bad_content_type')] })
}

// `ended_early`: the connection was closed before the end of the body. The response cannot be sent, but the request must be completed.
export async function readBytes(raw: IncomingMessage, bytesMax: number): Promise<Buffer | 'too_large' | 'ended_early'> {
  const chunks: Buffer[] = []
  const end = await streamBody(raw, bytesMax, (chunk) => chunks.push(chunk))
  resumeWork()
  if (end !== 'whole') return end
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
}

// Smaller chunks are joined: stored one by one, a body that is sent byte by byte would take a hundred times the memory.
const pieceBytesMin = 4_096

// Passes a body on in chunks without holding all of it in memory. Each chunk has at least 4 KiB, except the last.
export function streamBody(
  raw: IncomingMessage,
  bytesMax: number,
  take: (chunk: Buffer) => void,
): Promise<'whole' | 'too_large' | 'ended_early'> {
  if (Number(raw.headers['content-length'] ?? 0) > bytesMax) return Promise.resolve('too_large')
  return new Promise((resolve) => {
    let length = 0
    let chunks: Buffer[] = []
    let takenLength = 0
    const takePiece = () => {
      if (chunks.length > 0) take(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
      chunks = []
      takenLength = length
    }
    raw.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= bytesMax) {
        chunks.push(chunk)
        if (length - takenLength >= pieceBytesMin) takePiece()
        return
      }
      raw.pause()
      resolve('too_large')
    })
    raw.on('end', () => {
      takePiece()
      resolve('whole')
    })
    raw.on('error', () => resolve('ended_early'))
    raw.on('close', () => resolve('ended_early'))
  })
}

// The sentence in the contract names the usual limit, so other limits need their own sentence.
function tooLarge(bytesMax: number): Refusal {
  if (bytesMax === limits.bodyBytesMax) return refuse('body_too_large')
  return refuse('body_too_large', { message: `The body is larger than ${bytesMax / 1024} KiB.` })
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw refuse('malformed_json', { issues: [issueAt('', 'not_utf8')] })
  }
}
