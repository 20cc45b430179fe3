// Reads what a browser posts: in which form and how much. Nothing here knows what the fields mean.

import type { IncomingMessage } from 'node:http'
import { readBytes, takeChunks } from '../http/body.ts'
import { type Html, html } from './html.ts'

export const formBytesMax = 16_384
// More than the largest form has, 5,000 tax rates of four fields each. URLSearchParams takes minutes for the two million names without
// a value that fit into 4 MiB.
const fieldsMax = 25_000

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
  const text = bytes.toString('utf8')
  return hasTooManyFields(text) ? 413 : text
}

function hasTooManyFields(text: string): boolean {
  let count = 1
  for (let at = text.indexOf('&'); at >= 0 && count <= fieldsMax; at = text.indexOf('&', at + 1)) count += 1
  return count > fieldsMax
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
  const fields: Buffer[] = []
  let keptBytes = 0
  let partsCount = 0
  let part = new Part()
  // The first delimiter of a form has no line before it.
  let rest = Buffer.from('\r\n')
  const end = await takeChunks(raw, bytesMax, (chunk) => {
    if (partsCount > fieldsMax) return
    rest = Buffer.concat([rest, chunk])
    for (let at = rest.indexOf(delimiter); at >= 0; at = rest.indexOf(delimiter)) {
      partsCount += 1
      part.take(rest.subarray(0, at))
      const field = part.end()
      keptBytes += field?.length ?? 0
      if (field && keptBytes <= fieldsBytesMax) fields.push(field)
      part = new Part()
      rest = rest.subarray(at + delimiter.length)
    }
    // The end may be the begin of a delimiter.
    const sure = Math.max(0, rest.length - delimiter.length)
    part.take(rest.subarray(0, sure))
    rest = rest.subarray(sure)
    if (keptBytes + part.keptBytes > fieldsBytesMax) {
      keptBytes += part.keptBytes
      part.drop()
    }
  })
  if (end !== 'whole') return end === 'too_large' ? 413 : 400
  if (keptBytes > fieldsBytesMax || partsCount > fieldsMax) return 413
  try {
    const body = Buffer.concat([...fields.flatMap((one) => [delimiter, one]), delimiter, Buffer.from('--\r\n')])
    const read = await new Response(body.subarray(2), { headers: { 'content-type': type } }).formData()
    const texts = [...read].map(([name, value]) => [name, String(value)].map((text) => text.replaceAll('\0', '')))
    return new URLSearchParams(texts as [string, string][])
  } catch (error) {
    if (error instanceof TypeError) return 400
    throw error
  }
}

// As much as the largest form without files.
const fieldsBytesMax = 4_194_304
// More than the headers of a part.
const partHeadBytes = 2_048

// A part of a form while it arrives: kept unless it is a file.
class Part {
  keptBytes = 0
  #chunks: Buffer[] = []
  #isKept: boolean | undefined

  take(bytes: Buffer): void {
    if (this.#isKept === false) return
    // A copy, since a view would hold the whole chunk.
    this.#chunks.push(Buffer.from(bytes))
    this.keptBytes += bytes.length
    this.#isKept ??= isField(this.#chunks)
    if (this.#isKept === false) this.drop()
  }

  // The whole field, or undefined for a file and for what stands before the first delimiter.
  end(): Buffer | undefined {
    return this.#isKept ? Buffer.concat(this.#chunks) : undefined
  }

  drop(): void {
    this.#isKept = false
    this.#chunks = []
    this.keptBytes = 0
  }
}

// Undefined as long as the headers are not complete.
function isField(chunks: readonly Buffer[]): boolean | undefined {
  const head = Buffer.concat(chunks.map((chunk) => chunk.subarray(0, partHeadBytes)))
  const headEnd = head.indexOf('\r\n\r\n')
  if (headEnd < 0 && head.length <= partHeadBytes) return undefined
  return headEnd >= 0 && headEnd <= partHeadBytes && !/;\s*filename\*?=/i.test(head.toString('latin1', 0, headEnd))
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
