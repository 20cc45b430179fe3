// Reads what a browser posts: in which form and how much. Nothing here knows what the fields mean.

import type { IncomingMessage } from 'node:http'
import { readBytes, takeChunks } from '../http/body.ts'
import { type Html, html } from './html.ts'

export const formBytesMax = 16_384

// The status with which a body is refused.
export type FormRefusal = 413 | 415 | 400

export async function readForm(
  raw: IncomingMessage,
  bytesMax: number = formBytesMax,
): Promise<URLSearchParams | FormRefusal> {
  const text = await readFormText(raw, bytesMax)
  if (typeof text === 'number') return text
  // No text of a database contains U+0000.
  return zero.test(text) ? 400 : new URLSearchParams(text)
}

// For long texts: U+0000, which can come along with what is pasted, is left out, so the rest is not lost.
export async function readTypedForm(raw: IncomingMessage, bytesMax: number): Promise<URLSearchParams | FormRefusal> {
  const text = await readFormText(raw, bytesMax)
  return typeof text === 'number' ? text : new URLSearchParams(text.replaceAll(zeros, ''))
}

const zero = /\0|%00/
const zeros = /\0|%00/g

async function readFormText(raw: IncomingMessage, bytesMax: number): Promise<string | FormRefusal> {
  const encoding = raw.headers['content-encoding'] ?? 'identity'
  const isForm = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i.test(raw.headers['content-type'] ?? '')
  if (!isForm || encoding !== 'identity') return 415
  const bytes = await readBytes(raw, bytesMax)
  if (bytes === 'too_large') return 413
  if (bytes === 'ended_early') return 400
  return bytes.toString('utf8')
}

export interface FilesForm {
  form: URLSearchParams
  files: readonly Buffer[]
  // As the browser calls them, in the same order.
  fileNames: readonly string[]
}

// A form with files, all of them in memory: `bytesMax` bounds the whole.
export async function readFiles(raw: IncomingMessage, bytesMax: number): Promise<FilesForm | FormRefusal> {
  const type = raw.headers['content-type'] ?? ''
  if (!/^multipart\/form-data[ \t]*;/i.test(type)) return 415
  const bytes = await readBytes(raw, bytesMax)
  if (bytes === 'too_large') return 413
  if (bytes === 'ended_early') return 400
  try {
    const read = await new Response(bytes, { headers: { 'content-type': type } }).formData()
    const fields = [...read]
      .filter((entry): entry is [string, string] => typeof entry[1] === 'string')
      .map((entry) => entry.map((text) => text.replaceAll('\0', '')) as [string, string])
    const files = [...read.values()].filter((value) => typeof value !== 'string' && value.size > 0) as File[]
    return {
      form: new URLSearchParams(fields),
      files: await Promise.all(files.map(async (file) => Buffer.from(await file.arrayBuffer()))),
      fileNames: files.map(({ name }) => name),
    }
  } catch (error) {
    // What is not such a form after all.
    if (error instanceof TypeError) return 400
    throw error
  }
}

// The fields of a form with files. The files go by without being held in memory: this is for who is not known to be allowed any.
export async function readFields(raw: IncomingMessage, bytesMax: number): Promise<URLSearchParams | FormRefusal> {
  const type = raw.headers['content-type'] ?? ''
  const boundary = /^multipart\/form-data[ \t]*;[ \t]*boundary="?([\w'()+,./:=?-]{1,70})"?[ \t]*$/i.exec(type)?.[1]
  if (boundary === undefined) return 415
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const parts: Buffer[] = []
  let keptBytes = 0
  // The part under way. The first delimiter of a form has no line before it.
  let part = Buffer.from('\r\n')
  const end = await takeChunks(raw, bytesMax, (chunk) => {
    part = Buffer.concat([part, chunk])
    for (let at = part.indexOf(delimiter); at >= 0; at = part.indexOf(delimiter)) {
      const whole = part.subarray(0, at)
      part = part.subarray(at + delimiter.length)
      if (isFile(whole)) continue
      keptBytes += whole.length
      // A copy, since a view would hold the whole chunk.
      if (keptBytes <= fieldsBytesMax) parts.push(Buffer.from(whole))
    }
    if (part.length <= fieldsBytesMax) return
    if (!isFile(part)) keptBytes += part.length
    // The begin says that it is a file, and the end may be the begin of a delimiter.
    part = Buffer.concat([part.subarray(0, partHeadBytes), part.subarray(-delimiter.length)])
  })
  if (end !== 'whole') return end === 'too_large' ? 413 : 400
  if (keptBytes > fieldsBytesMax) return 413
  try {
    const body = Buffer.concat([...parts.flatMap((one) => [delimiter, one]), delimiter, Buffer.from('--\r\n')])
    const read = await new Response(body.subarray(2), { headers: { 'content-type': type } }).formData()
    const fields = [...read].map(([name, value]) => [name, String(value)].map((text) => text.replaceAll('\0', '')))
    return new URLSearchParams(fields as [string, string][])
  } catch (error) {
    if (error instanceof TypeError) return 400
    throw error
  }
}

const fieldsBytesMax = 65_536
// More than the headers of a part.
const partHeadBytes = 2_048

// Or not a part at all: what stands before the first delimiter.
function isFile(part: Buffer): boolean {
  const headEnd = part.indexOf('\r\n\r\n')
  return headEnd < 0 || headEnd > partHeadBytes || /;\s*filename\*?=/i.test(part.toString('latin1', 0, headEnd))
}

// Longer than anything one types into a field; the rest is cut.
const lineLengthMax = 500

// One line of text as it was meant: bounded, trimmed and without control characters. The first of two fields with one name
// counts, and a missing one is empty. Not for passwords, which are taken as they are.
export function lineIn(form: URLSearchParams, name: string): string {
  return (form.get(name) ?? '')
    .slice(0, lineLengthMax)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

export function hiddenFields(fields: Readonly<Record<string, string | number>>): Html {
  return html`${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}`
}
