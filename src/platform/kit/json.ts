// A strict JSON parser: it accepts what JSON.parse accepts, except what two parsers could understand differently or a database cannot
// store. It never throws, and reports the first problem with its path.

import { type BrokenRule, type Issue, issue } from '../../contract/issues.ts'
import { limits } from '../../contract/limits.ts'
import { createSlicePauses } from './breath.ts'
import { isExactDecimal } from './decimal.ts'

export type JsonProblem = 'malformed' | 'depth' | 'duplicate_key' | 'forbidden_key' | 'bad_text' | 'bad_number'

export type JsonResult = { readonly value: unknown } | { readonly problem: JsonProblem; readonly issue: Issue }

export function parseJson(text: string, depthMax: number = limits.jsonDepthMax): JsonResult {
  return parseWith(text, depthMax, new Map())
}

// Parses JSON of several megabytes, most of which is one string: long strings are parsed in time slices.
export async function parseLongJson(text: string, depthMax: number = limits.jsonDepthMax): Promise<JsonResult> {
  const longTexts = await readLongTexts(text)
  return parseWith(text, depthMax, longTexts)
}

function parseWith(text: string, depthMax: number, longTexts: LongTexts): JsonResult {
  const reader = new Reader(text, depthMax, longTexts)
  const value = reader.readDocument()
  const { problem } = reader
  if (problem === undefined) return { value }
  return { problem, issue: { path: pointer(reader.path), ...reader.rule } }
}

// Initial value while there is no problem. Shared, since a parser is created for every body.
const noRule: BrokenRule = issue('does_not_match')

// Returned instead of a value once there is a problem. No parsed value equals it.
const failed = Symbol('failed')

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const colon = 0x3a
const minus = 0x2d
const point = 0x2e
const digit0 = 0x30
const digit9 = 0x39
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

// Strings that were parsed in advance, by the position of their opening quote.
type LongTexts = ReadonlyMap<number, { end: number; value: string }>

// Recursion is safe: the depth is checked before each step down.
class Reader {
  readonly #text: string
  readonly #depthMax: number
  readonly #longTexts: LongTexts
  #at = 0
  problem: JsonProblem | undefined
  rule = noRule
  // Path of the problem, innermost step first. It is only collected while a failure is returned, so parsing valid documents costs
  // nothing.
  readonly path: (string | number)[] = []

  constructor(text: string, depthMax: number, longTexts: LongTexts) {
    this.#text = text
    this.#depthMax = depthMax
    this.#longTexts = longTexts
  }

  readDocument(): unknown {
    this.#skipSpace()
    const value = this.#readValue(1)
    if (value === failed) return failed
    this.#skipSpace()
    if (this.#at < this.#text.length) return this.#malformed()
    return value
  }

  #readValue(depth: number): unknown {
    const code = this.#text.charCodeAt(this.#at)
    if (code === quote) return this.#readText()
    if (code === openBrace) return this.#readObject(depth)
    if (code === openBracket) return this.#readArray(depth)
    if (code === minus || (code >= digit0 && code <= digit9)) return this.#readNumber()
    return this.#readWord()
  }

  #readObject(depth: number): unknown {
    if (depth > this.#depthMax) return this.#tooDeep()
    const object: Record<string, unknown> = {}
    this.#at++
    this.#skipSpace()
    if (this.#take(closeBrace)) return object
    for (;;) {
      if (this.#text.charCodeAt(this.#at) !== quote) return this.#malformed()
      const key = this.#readText()
      if (typeof key !== 'string') return failed
      // Assigning this name would replace the prototype. Every other name becomes an own property.
      if (key === '__proto__') return this.#failAt(key, 'forbidden_key', issue('forbidden_name'))
      if (Object.hasOwn(object, key)) return this.#failAt(key, 'duplicate_key', issue('repeated_name'))
      this.#skipSpace()
      if (!this.#take(colon)) return this.#malformed(key)
      this.#skipSpace()
      const value = this.#readValue(depth + 1)
      if (value === failed) return this.#within(key)
      object[key] = value
      this.#skipSpace()
      if (this.#take(closeBrace)) return object
      if (!this.#take(comma)) return this.#malformed()
      this.#skipSpace()
    }
  }

  #readArray(depth: number): unknown {
    if (depth > this.#depthMax) return this.#tooDeep()
    const array: unknown[] = []
    this.#at++
    this.#skipSpace()
    if (this.#take(closeBracket)) return array
    for (;;) {
      const value = this.#readValue(depth + 1)
      if (value === failed) return this.#within(array.length)
      array.push(value)
      this.#skipSpace()
      if (this.#take(closeBracket)) return array
      if (!this.#take(comma)) return this.#malformed()
      this.#skipSpace()
    }
  }

  #readText(): string | typeof failed {
    if (this.#longTexts.size > 0) {
      const known = this.#longTexts.get(this.#at)
      if (known) return this.#takeLongText(known)
    }
    const text = this.#text
    const start = this.#at + 1
    let hasSurrogate = false
    for (let at = start; ; at++) {
      const code = text.charCodeAt(at)
      if (code === quote) {
        this.#at = at + 1
        const value = text.slice(start, at)
        if (hasSurrogate && !value.isWellFormed()) return this.#badText()
        return value
      }
      if (code === backslash) return this.#readEscapedText(start, at)
      // Written this way, the comparison is also true for the NaN beyond the end.
      if (!(code >= 0x20)) {
        this.#at = at
        return this.#malformed()
      }
      if (code >= 0xd800) hasSurrogate = true
    }
  }

  #takeLongText({ end, value }: { end: number; value: string }): string | typeof failed {
    this.#at = end
    return isStorable(value) ? value : this.#badText()
  }

  // Checks every escape, but lets JSON.parse decode them, which takes 5 ms for a megabyte of line breaks. Decoding here takes 40 ms, and
  // half as much again to collect the garbage.
  #readEscapedText(start: number, firstEscape: number): string | typeof failed {
    const text = this.#text
    let at = firstEscape
    for (;;) {
      const code = text.charCodeAt(at)
      if (code === quote) break
      if (!(code >= 0x20) || (code === backslash && !isEscape(text, at + 1))) {
        this.#at = at
        return this.#malformed()
      }
      // The hexadecimal digits after `\u` were checked, so they are skipped like plain characters.
      at += code === backslash ? 2 : 1
    }
    this.#at = at + 1
    const value = JSON.parse(text.slice(start - 1, at + 1)) as string
    return isStorable(value) ? value : this.#badText()
  }

  #readNumber(): number | typeof failed {
    const text = this.#text
    const start = this.#at
    let at = start
    if (text.charCodeAt(at) === minus) at++
    const first = text.charCodeAt(at)
    let value = 0
    if (first === digit0) at++
    else {
      const end = skipDigits(text, at)
      if (end === at) return this.#malformedNumber(end)
      for (; at < end; at++) value = value * 10 + (text.charCodeAt(at) - digit0)
    }
    let isWhole = true
    if (text.charCodeAt(at) === point) {
      const end = skipDigits(text, at + 1)
      if (end === at + 1) return this.#malformedNumber(end)
      at = end
      isWhole = false
    }
    if ((text.charCodeAt(at) | 0x20) === 0x65) {
      at++
      const sign = text.charCodeAt(at)
      if (sign === minus || sign === 0x2b) at++
      const end = skipDigits(text, at)
      if (end === at) return this.#malformedNumber(end)
      at = end
      isWhole = false
    }
    this.#at = at
    // Summing digits is exact up to 2^53. Numbers that may be larger, or have a fraction, are converted by Number().
    if (!isWhole) value = Number(text.slice(start, at))
    else if (first !== text.charCodeAt(start)) value = -value
    if (!(value >= -Number.MAX_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER)) {
      return this.#fail('bad_number', issue('number_too_large'))
    }
    // Rarely reached, since most numbers are integers.
    if (!isWhole && !isExactDecimal(text.slice(start, at), value)) {
      return this.#fail('bad_number', issue('number_too_precise'))
    }
    return value + 0 // −0 means nothing here and becomes 0
  }

  #readWord(): unknown {
    const text = this.#text
    const at = this.#at
    if (text.startsWith('true', at)) {
      this.#at = at + 4
      return true
    }
    if (text.startsWith('false', at)) {
      this.#at = at + 5
      return false
    }
    if (text.startsWith('null', at)) {
      this.#at = at + 4
      return null
    }
    return this.#malformed()
  }

  #skipSpace(): void {
    const text = this.#text
    let at = this.#at
    for (;;) {
      const code = text.charCodeAt(at)
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break
      at++
    }
    this.#at = at
  }

  #take(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false
    this.#at++
    return true
  }

  #within(step: string | number): typeof failed {
    this.path.push(step)
    return failed
  }

  #fail(problem: JsonProblem, rule: BrokenRule): typeof failed {
    this.problem = problem
    this.rule = rule
    return failed
  }

  #failAt(key: string, problem: JsonProblem, rule: BrokenRule): typeof failed {
    this.#fail(problem, rule)
    return this.#within(key)
  }

  // The error message does not repeat the text, which may contain what must not be logged.
  #malformed(key?: string): typeof failed {
    const what = this.#at >= this.#text.length ? issue('ends_early') : issue('malformed', { position: this.#at })
    return key === undefined ? this.#fail('malformed', what) : this.#failAt(key, 'malformed', what)
  }

  #malformedNumber(at: number): typeof failed {
    this.#at = at
    return this.#malformed()
  }

  #badText(): typeof failed {
    return this.#fail('bad_text', issue('bad_text'))
  }

  #tooDeep(): typeof failed {
    return this.#fail('depth', issue('nested_too_deep', { max: this.#depthMax }))
  }
}

function isStorable(value: string): boolean {
  return !value.includes('\0') && value.isWellFormed()
}

const pieceLength = 65_536

// Parses strings that are longer than a piece. A malformed one is left to the parser, which reports its position.
async function readLongTexts(text: string): Promise<LongTexts> {
  const breath = createSlicePauses()
  // Waits for its turn, so bodies that arrive at the same time do not all start at once.
  await breath.take()
  const found = new Map<number, { end: number; value: string }>()
  for (let from = 0; ; ) {
    if (breath.isDue()) await breath.take()
    const start = text.indexOf('"', from)
    if (start < 0) return found
    const pieces: string[] = []
    let [begin, end] = [start + 1, pieceEnd(text, start + 1)]
    while (text.charCodeAt(end) !== quote) {
      const piece = end < text.length ? unescaped(text.slice(begin, end)) : undefined
      if (piece === undefined) return found
      pieces.push(piece)
      if (breath.isDue()) await breath.take()
      begin = end
      end = pieceEnd(text, begin)
    }
    from = end + 1
    if (pieces.length === 0) continue
    const last = unescaped(text.slice(begin, end))
    if (last === undefined) return found
    found.set(start, { end: from, value: pieces.join('') + last })
  }
}

// Returns where the string ends, or where the next piece can begin. Reading character by character takes five times as long.
function pieceEnd(text: string, begin: number): number {
  wholeCharacters.lastIndex = 0
  wholeCharacters.test(text.slice(begin, begin + pieceLength))
  const end = begin + wholeCharacters.lastIndex
  // Only half an escape is left.
  if (end === begin && text.charCodeAt(end) !== quote) return text.length
  return end
}

const wholeCharacters = /[^"\\]*(?:\\(?:u.{4}|[^u])[^"\\]*)*/sy

function unescaped(piece: string): string | undefined {
  try {
    return JSON.parse(`"${piece}"`) as string
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}

function skipDigits(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (!(code >= digit0 && code <= digit9)) return at
    at++
  }
}

function isEscape(text: string, at: number): boolean {
  switch (text.charCodeAt(at)) {
    case 0x75: // u
      return areHexDigits(text, at + 1)
    case quote:
    case backslash:
    case 0x2f: // /
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return true
    default:
      return false
  }
}

function areHexDigits(text: string, at: number): boolean {
  for (let i = at; i < at + 4; i++) if (!isHexDigit(text.charCodeAt(i))) return false
  return true
}

function isHexDigit(code: number): boolean {
  const lower = code | 0x20
  return (code >= digit0 && code <= digit9) || (lower >= 0x61 && lower <= 0x66)
}

// Returns a JSON Pointer (RFC 6901) for steps of which the innermost comes first.
function pointer(steps: readonly (string | number)[]): string {
  return steps.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).reduceRight(join, '')
}

function join(whole: string, step: string): string {
  return whole + step
}
