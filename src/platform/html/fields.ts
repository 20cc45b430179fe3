// The fields of a posted form, parsed from the bytes of `application/x-www-form-urlencoded` (WHATWG URL, 5.1). Parsed in time slices,
// since a signed-in person may post several megabytes.

import { createSlicePauses, type SlicePauses } from '../kit/breath.ts'

// Read access to a form, a subset of URLSearchParams.
export interface FormFields extends Iterable<[string, string]> {
  get(name: string): string | null
  getAll(name: string): string[]
  has(name: string): boolean
  keys(): Iterable<string>
  readonly size: number
}

export type FieldEntry = [name: string, value: string]

// URLSearchParams searches all fields for each name: 25,000 fields take 16 s. An array per field would be simpler, but double the memory,
// which the garbage collector would copy while other requests wait.
class FieldMap implements FormFields {
  readonly #names: string[] = []
  readonly #values: string[] = []
  // Index of the first field of each name, and the indexes of its repetitions.
  readonly #first = new Map<string, number>()
  readonly #more = new Map<string, number[]>()

  add(name: string, value: string): void {
    const at = this.#names.push(name) - 1
    this.#values.push(value)
    if (!this.#first.has(name)) this.#first.set(name, at)
    else {
      const more = this.#more.get(name)
      if (more) more.push(at)
      else this.#more.set(name, [at])
    }
  }

  get(name: string): string | null {
    return this.#values[this.#first.get(name) ?? -1] ?? null
  }

  getAll(name: string): string[] {
    const first = this.get(name)
    if (first === null) return []
    return [first, ...(this.#more.get(name) ?? []).map((at) => this.#values[at] as string)]
  }

  has(name: string): boolean {
    return this.#first.has(name)
  }

  keys(): Iterable<string> {
    return this.#names.values()
  }

  *[Symbol.iterator](): Generator<FieldEntry> {
    for (const [at, name] of this.#names.entries()) yield [name, this.#values[at] as string]
  }

  get size(): number {
    return this.#names.length
  }
}

export function formFieldsFrom(entries: readonly FieldEntry[]): FormFields {
  const fields = new FieldMap()
  for (const [name, value] of entries) fields.add(name, value)
  return fields
}

let largeParsed: Promise<unknown> = Promise.resolve()

// Returns undefined, before parsing, if there are more fields than allowed. Overwrites the bytes. `clean` is applied to each name and
// value. Large forms are parsed one after the other: otherwise every garbage collection would copy several half-parsed forms.
export function parseFields(
  bytes: Buffer,
  fieldsMax: number,
  clean = (text: string) => text,
): Promise<FormFields | undefined> {
  if (bytes.length <= bytesAtOnce) return parse(bytes, fieldsMax, clean)
  const parsed = largeParsed.then(() => parse(bytes, fieldsMax, clean))
  largeParsed = parsed.catch(() => undefined)
  return parsed
}

async function parse(
  bytes: Buffer,
  fieldsMax: number,
  clean: (text: string) => string,
): Promise<FormFields | undefined> {
  const breath = createSlicePauses()
  if (bytes.length > bytesAtOnce) await breath.take()
  if ((await countFields(bytes, fieldsMax, breath)) > fieldsMax) return undefined
  const decode = createDecoder(bytes, breath)
  const fields = new FieldMap()
  let equalsAt = -1
  for (let from = 0; from < bytes.length; ) {
    if (breath.isDue()) await breath.take()
    const end = placeOf(bytes, ampersand, from)
    // Searched again only after this equals sign was passed. If there is none, the bytes are searched only once.
    if (equalsAt < from) equalsAt = placeOf(bytes, equals, from)
    if (end > from) {
      const nameEnd = Math.min(equalsAt, end)
      const name = decode(from, nameEnd)
      const value = decode(Math.min(nameEnd + 1, end), end)
      // Nearly all results are strings, and a form has thousands, so only promises are awaited.
      fields.add(
        clean(typeof name === 'string' ? name : await name),
        clean(typeof value === 'string' ? value : await value),
      )
    }
    from = end + 1
  }
  return fields
}

const [ampersand, plus, percent, equals, space] = [0x26, 0x2b, 0x25, 0x3d, 0x20]

const bytesAtOnce = 65_536

// Also replaces pluses by spaces. Four million bytes take 8 ms; with `replaceAll`, the pluses alone take 280 ms. Stops once there are too
// many fields.
async function countFields(bytes: Buffer, fieldsMax: number, breath: SlicePauses): Promise<number> {
  let count = 1
  for (let from = 0; from < bytes.length && count <= fieldsMax; from += bytesAtOnce) {
    if (breath.isDue()) await breath.take()
    const end = Math.min(from + bytesAtOnce, bytes.length)
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at]
      if (byte === plus) bytes[at] = space
      else if (byte === ampersand) count += 1
    }
  }
  return count
}

function placeOf(bytes: Buffer, byte: number, from: number): number {
  const found = bytes.indexOf(byte, from)
  return found < 0 ? bytes.length : found
}

type Decoded = string | Promise<string>

// A failed decoding costs ten times as much as a successful one, so after the first failure in a form it is not tried again. A long text
// is decoded in slices and in place: in one step, four megabytes take 7 ms, and every copy or view of a field brings the next garbage
// collection closer.
function createDecoder(bytes: Buffer, breath: SlicePauses): (from: number, end: number) => Decoded {
  let isSound = true
  return (from, end) => {
    if (from === end) return ''
    if (end - from > bytesAtOnce) return decodeUnsound(bytes.subarray(from, end), breath)
    const text = bytes.toString('utf8', from, end)
    if (!text.includes('%')) return text
    try {
      if (isSound) return decodeURIComponent(text)
    } catch (error) {
      if (!(error instanceof URIError)) throw error
      isSound = false
    }
    return decodeUnsound(bytes.subarray(from, end), breath)
  }
}

// Keeps invalid escapes as text, and replaces invalid UTF-8.
async function decodeUnsound(bytes: Buffer, breath: SlicePauses): Promise<string> {
  let written = 0
  for (let read = 0; read < bytes.length; ) {
    const end = Math.min(read + bytesAtOnce, bytes.length)
    while (read < end) {
      const byte = bytes[read] as number
      const high = byte === percent ? hexDigit(bytes[read + 1]) : -1
      const low = high < 0 ? -1 : hexDigit(bytes[read + 2])
      bytes[written] = low < 0 ? byte : high * 16 + low
      written += 1
      read += low < 0 ? 1 : 3
    }
    if (breath.isDue()) await breath.take()
  }
  return bytes.toString('utf8', 0, written)
}

function hexDigit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const letter = byte | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
