// Writes equal JSON values as the same text, whatever the order of their members (RFC 8785). Fingerprints are computed from this text.

const depthMax = 32

// Leaves out undefined members. Throws for values that JSON cannot express or that are nested deeper than any parsed body, which are
// defects.
export function canonicalJson(value: unknown): string {
  return write(value, 0)
}

const pieceLength = 65_536

// Yields the same text in pieces, for values that contain texts of several megabytes.
export function* canonicalPieces(value: unknown, depth = 0): Generator<string, void, undefined> {
  if (typeof value === 'string') yield* textPieces(value)
  else if (typeof value !== 'object' || value === null || depth === depthMax) yield write(value, depth)
  else {
    const isArray = Array.isArray(value)
    const keys = isArray ? [...value.keys()] : Object.keys(value).sort()
    let comma = ''
    yield isArray ? '[' : '{'
    for (const key of keys) {
      const member = (value as Record<string | number, unknown>)[key]
      if (member === undefined && !isArray) continue
      yield isArray ? comma : `${comma}${JSON.stringify(key)}:`
      yield* canonicalPieces(member, depth + 1)
      comma = ','
    }
    yield isArray ? ']' : '}'
  }
}

function* textPieces(text: string): Generator<string, void, undefined> {
  yield '"'
  for (let from = 0; from < text.length; ) {
    let end = from + pieceLength
    // A piece does not end within a surrogate pair, because half a pair would be written as an escape.
    if (isHighSurrogate(text.charCodeAt(end - 1))) end += 1
    yield JSON.stringify(text.slice(from, end)).slice(1, -1)
    from = end
  }
  yield '"'
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function write(value: unknown, depth: number): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return writeNumber(value)
  if (typeof value !== 'object') throw new TypeError(`canonicalJson: the value must be JSON, not ${typeof value}`)
  if (depth === depthMax)
    throw new RangeError(`canonicalJson: the value must not be nested deeper than ${depthMax} levels`)
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`
  return writeObject(value as Record<string, unknown>, depth)
}

// RFC 8785 uses the number format of ECMAScript.
function writeNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError('canonicalJson: a number must be finite')
  return String(value)
}

// As RFC 8785 requires, sort() compares UTF-16 code units.
function writeObject(object: Record<string, unknown>, depth: number): string {
  let text = ''
  for (const key of Object.keys(object).sort()) {
    const member = object[key]
    if (member === undefined) continue
    text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${write(member, depth + 1)}`
  }
  return `{${text}}`
}
