// Reads posted forms, and limits the number of their bytes and fields. The fields themselves are not interpreted.

import type { IncomingMessage } from 'node:http'
import { readBytes, streamBody } from '../http/body.ts'
import { createSlicePauses } from '../kit/breath.ts'
import { type FieldEntry, type FormFields, formFieldsFrom, parseFields } from './fields.ts'
import { type Html, html } from './html.ts'
import { escapedInSlices } from './slices.ts'

export const formBytesMax = 16_384
// More than any public form has.
export const formFieldsMax = 500

// HTTP status with which the form is refused.
export type FormErrorStatus = 413 | 415 | 400

export interface FormBounds {
  bytesMax: number
  fieldsMax: number
}

export async function readForm(raw: IncomingMessage): Promise<FormFields | FormErrorStatus> {
  const form = await readEncoded(raw, { bytesMax: formBytesMax, fieldsMax: formFieldsMax })
  if (typeof form === 'number') return form
  // The database cannot store U+0000.
  return [...form].some((entry) => entry.some((text) => text.includes('\0'))) ? 400 : form
}

// For long texts: removes U+0000, which pasted text may contain, so the text need not be refused.
export async function readTypedForm(raw: IncomingMessage, bounds: FormBounds): Promise<FormFields | FormErrorStatus> {
  return readEncoded(raw, bounds, withoutZeros)
}

function withoutZeros(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '') : text
}

async function readEncoded(
  raw: IncomingMessage,
  { bytesMax, fieldsMax }: FormBounds,
  clean?: (text: string) => string,
): Promise<FormFields | FormErrorStatus> {
  const encoding = raw.headers['content-encoding'] ?? 'identity'
  const isForm = /^application\/x-www-form-urlencoded[ \t]*(?:;|$)/i.test(raw.headers['content-type'] ?? '')
  if (!isForm || encoding !== 'identity') return 415
  const bytes = await readBytes(raw, bytesMax)
  if (bytes === 'too_large') return 413
  if (bytes === 'ended_early') return 400
  return (await parseFields(bytes, fieldsMax, clean)) ?? 413
}

export interface FilesForm {
  form: FormFields
  files: readonly Buffer[]
  // Names of the files as sent by the browser, in the same order.
  fileNames: readonly string[]
}

// Reads a form with files into memory. `bytesMax` limits the whole form.
export function readFiles(raw: IncomingMessage, bytesMax: number): Promise<FilesForm | FormErrorStatus> {
  return readParts(raw, { bytesMax, partsMax: formFieldsMax, fieldBytesMax: bytesMax, keepsFiles: true })
}

// Reads the fields of a form with files, and discards the files, so they use no memory: for clients that may not be allowed to upload.
// `bytesMax` limits the fields.
export async function readFields(
  raw: IncomingMessage,
  { bytesMax, fieldsMax }: FormBounds,
  wholeBytesMax: number,
): Promise<FormFields | FormErrorStatus> {
  const bounds = { bytesMax: wholeBytesMax, partsMax: fieldsMax, fieldBytesMax: bytesMax, keepsFiles: false }
  const read = await readParts(raw, bounds)
  return typeof read === 'number' ? read : read.form
}

interface PartBounds {
  bytesMax: number
  partsMax: number
  fieldBytesMax: number
  keepsFiles: boolean
}

// Reads `multipart/form-data` as browsers send it (RFC 7578), chunk by chunk as it arrives.
async function readParts(raw: IncomingMessage, bounds: PartBounds): Promise<FilesForm | FormErrorStatus> {
  const type = raw.headers['content-type'] ?? ''
  const boundary = /^multipart\/form-data[ \t]*;[ \t]*boundary="?([\w'()+,./:=?-]{1,70})"?[ \t]*$/i.exec(type)?.[1]
  if (boundary === undefined) return 415
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const parts: Part[] = []
  let part = new Part(bounds.keepsFiles)
  let fieldBytes = 0
  let isTooLarge = false
  // The first delimiter has no line break before it, so one is prepended.
  let rest = Buffer.from('\r\n')

  function take(chunk: Buffer): void {
    if (isTooLarge) return
    rest = Buffer.concat([rest, chunk])
    for (let at = rest.indexOf(delimiter); at >= 0 && !isTooLarge; at = rest.indexOf(delimiter)) {
      part.take(rest.subarray(0, at))
      parts.push(part)
      fieldBytes += part.fieldBytes
      part = new Part(bounds.keepsFiles)
      rest = rest.subarray(at + delimiter.length)
      isTooLarge = parts.length > bounds.partsMax + 1
    }
    // The end of the chunk may be the beginning of a delimiter.
    const sure = Math.max(0, rest.length - delimiter.length)
    part.take(rest.subarray(0, sure))
    rest = rest.subarray(sure)
    isTooLarge ||= fieldBytes + part.fieldBytes > bounds.fieldBytesMax
    if (isTooLarge) drop()
  }

  // Discards everything; the rest of the body is ignored.
  function drop(): void {
    parts.length = 0
    part = new Part(false)
    rest = Buffer.alloc(0)
  }

  const end = await streamBody(raw, bounds.bytesMax, take)
  if (end !== 'whole') return end === 'too_large' ? 413 : 400
  if (isTooLarge) return 413
  part.take(rest)
  // The text before the first delimiter is not a part.
  return part.isLast ? filesFormOf(parts.slice(1)) : 400
}

function filesFormOf(parts: readonly Part[]): FilesForm | 400 {
  const entries: FieldEntry[] = []
  const files: Buffer[] = []
  const fileNames: string[] = []
  for (const part of parts) {
    const { head } = part
    if (head === undefined) return 400
    if (head.fileName === undefined)
      entries.push([withoutZeros(head.name), withoutZeros(part.bytes().toString('utf8'))])
    // If no file was chosen, the file field is sent empty.
    else if (part.hasBytes) {
      files.push(part.bytes())
      fileNames.push(head.fileName)
    }
  }
  return { form: formFieldsFrom(entries), files, fileNames }
}

// More bytes than the headers of a part have.
const partHeadBytes = 2_048

interface PartHead {
  name: string
  // Undefined if the part is a field.
  fileName: string | undefined
}

// The content between two delimiters, collected while it arrives.
class Part {
  // Undefined until the headers are complete, and for content before the first or after the last delimiter.
  head: PartHead | undefined
  #headBytes = Buffer.alloc(0)
  #isHeadOver = false
  readonly #keepsFiles: boolean
  #chunks: Buffer[] = []
  #length = 0

  constructor(keepsFiles: boolean) {
    this.#keepsFiles = keepsFiles
  }

  take(bytes: Buffer): void {
    if (this.#isHeadOver) {
      this.#keep(bytes)
      return
    }
    this.#headBytes = Buffer.concat([this.#headBytes, bytes])
    const headEnd = this.#headBytes.indexOf('\r\n\r\n')
    if (headEnd < 0 && this.#headBytes.length <= partHeadBytes) return
    this.#isHeadOver = true
    const read = this.#headBytes
    this.#headBytes = Buffer.alloc(0)
    if (headEnd < 0 || headEnd > partHeadBytes) return
    this.head = headOf(read.toString('utf8', 0, headEnd))
    this.#keep(read.subarray(headEnd + 4))
  }

  #keep(bytes: Buffer): void {
    if (!this.head || bytes.length === 0 || (this.head.fileName !== undefined && !this.#keepsFiles)) return
    // Copied, since a view would keep the whole chunk in memory.
    this.#chunks.push(Buffer.from(bytes))
    this.#length += bytes.length
  }

  // Number of bytes that do not belong to a file, as far as is known.
  get fieldBytes(): number {
    return this.#headBytes.length + (this.head?.fileName === undefined ? this.#length : 0)
  }

  get hasBytes(): boolean {
    return this.#length > 0
  }

  bytes(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks, this.#length)
  }

  // Whether this is the content after the last delimiter.
  get isLast(): boolean {
    return this.#headBytes.toString('latin1', 0, 2) === '--'
  }
}

// Returns undefined if the headers contain no name.
function headOf(text: string): PartHead | undefined {
  const [, disposition = ''] = /^content-disposition:[ \t]*form-data[ \t]*(;[^\r\n]*)/im.exec(text) ?? []
  const given = new Map<string, string>()
  for (const [, key = '', quoted, bare = ''] of disposition.matchAll(/;[ \t]*([a-z]+\*?)=(?:"([^"]*)"|([^;"\s]*))/gi))
    given.set(key.toLowerCase(), (quoted ?? bare).replaceAll(/%0d|%0a|%22/gi, decodeURIComponent))
  const name = given.get('name')
  return name === undefined ? undefined : { name, fileName: given.get('filename') ?? given.get('filename*') }
}

// More than anyone types into a field. Longer text is truncated.
const lineLengthMax = 500

// Returns a field as one line of text: truncated, trimmed and without control characters. Returns the first of several fields with the
// name, or '' if there is none. Not for passwords, which must not be changed.
export function readLineField(form: FormFields, name: string): string {
  return (form.get(name) ?? '')
    .slice(0, lineLengthMax)
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

// Renders hidden fields with interruptions, and leaves the current slice to the caller, who renders the page around them.
export async function hiddenFieldsInSlices(fields: Iterable<readonly [name: string, value: string]>): Promise<Html> {
  const breath = createSlicePauses()
  const rendered: Html[] = []
  for (const [name, value] of fields) {
    const [safeName, safeValue] = [await escapedInSlices(name, breath), await escapedInSlices(value, breath)]
    rendered.push(html`<input type="hidden" name="${safeName}" value="${safeValue}">`)
  }
  await breath.take()
  return html`${rendered}`
}

export function hiddenFields(fields: Readonly<Record<string, string | number>>): Html {
  return html`${Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )}`
}
