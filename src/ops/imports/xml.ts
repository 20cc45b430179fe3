// Reads XML as tokens from pieces of text. It is strict about structure and small: no document types, so no entities beyond the
// five of XML and numbers, and nothing of another file. Memory is bounded by one token.

import { createBreath } from '../../platform/kit/breath.ts'
import { CsvError } from './csv.ts'

export type XmlToken =
  | { kind: 'start'; name: string; attributes: ReadonlyMap<string, string>; line: number }
  | { kind: 'end'; name: string; line: number }
  | { kind: 'text'; text: string; line: number }

export const tokenLengthMax = 1024 * 1024
const tagLengthMax = 64 * 1024
// A longer text is several tokens.
const textLengthMax = 64 * 1024
const depthMax = 64
// A token that goes on in the next piece is searched for its end again, so pieces are not too small.
const pieceLengthMin = 64 * 1024

export async function* readXml(texts: AsyncIterable<string>): AsyncGenerator<XmlToken> {
  const reader = new XmlReader()
  const breath = createBreath()
  for await (const isLast of addAll(reader, texts)) {
    for (const token of reader.tokens(isLast)) {
      yield token
      if (breath.isDue()) await breath.take()
    }
    if (breath.isDue()) await breath.take()
  }
}

// Stops where there is something to read, and says whether it is the last.
async function* addAll(reader: XmlReader, texts: AsyncIterable<string>): AsyncGenerator<boolean> {
  for await (const text of texts) {
    reader.add(text)
    if (reader.heldLength >= pieceLengthMin) yield false
  }
  yield true
}

class XmlReader {
  #held = ''
  #line = 1
  readonly #open: string[] = []
  #hasRoot = false
  // Of the text since the last tag.
  #textLength = 0

  get heldLength(): number {
    return this.#held.length
  }

  add(text: string): void {
    this.#held += text
  }

  *tokens(isLast: boolean): Generator<XmlToken> {
    const text = this.#held
    let at = 0
    while (at < text.length) {
      const end = this.#endOf(text, at, isLast)
      if (end < 0) break
      yield* this.#tokensOf(text.slice(at, end))
      at = end
    }
    this.#held = text.slice(at)
    if (this.#held.length > tokenLengthMax) throw this.#error('a text or tag is longer than 1 MiB')
    if (!isLast) return
    const [open] = this.#open.slice(-1)
    if (this.#held !== '' || open !== undefined) throw this.#error(`the file ends within ${open ?? 'a tag'}`)
    if (!this.#hasRoot) throw this.#error('the file has no element')
  }

  // Where the token that begins at a place ends; -1 where that is not known yet.
  #endOf(text: string, at: number, isLast: boolean): number {
    if (text[at] !== '<') {
      const next = text.indexOf('<', at)
      const end = next < 0 ? text.length : next
      if (end - at > textLengthMax) return textEnd(text, at + textLengthMax)
      return next < 0 && !isLast ? -1 : end
    }
    for (const [begin, end] of sections) {
      if (!text.startsWith(begin, at)) continue
      const found = text.indexOf(end, at + begin.length)
      return found < 0 ? -1 : found + end.length
    }
    // Not yet to be told from a comment.
    if (text[at + 1] === '!' && text.length - at < cdata.length && !isLast) return -1
    if (text[at + 1] === '!') throw this.#error('a document type is not read')
    const end = tagEnd(text, at)
    if ((end < 0 ? text.length : end) - at > tagLengthMax) throw this.#error('a tag is longer than 64 KiB')
    return end
  }

  *#tokensOf(source: string): Generator<XmlToken> {
    const line = this.#line
    for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) this.#line += 1
    if (source.startsWith('<!--') || source.startsWith('<?')) return
    const isCdata = source.startsWith(cdata)
    if (!source.startsWith('<') || isCdata) {
      const text = isCdata ? source.slice(cdata.length, -3) : decoded(source)
      this.#textLength += text.length
      if (this.#textLength > tokenLengthMax) throw this.#error('a text is longer than 1 MiB')
      if (this.#open.length > 0) yield { kind: 'text', text, line }
      else if (text.trim() !== '' && text !== '\ufeff') throw this.#error('there is text outside of the root element')
      return
    }
    const [, slash, name = '', rest = '', isEmpty] = tag.exec(source) ?? []
    if (name === '') throw this.#error(`${source.slice(0, 40)} is not a tag`)
    this.#textLength = 0
    if (slash === '/') yield this.#closed(name, line)
    else {
      if (this.#open.length === 0 && this.#hasRoot) throw this.#error(`<${name}> follows the root element`)
      if (this.#open.length >= depthMax) throw this.#error(`elements are nested deeper than ${depthMax}`)
      this.#hasRoot = true
      this.#open.push(name)
      yield { kind: 'start', name, attributes: attributesOf(rest), line }
      if (isEmpty === '/') yield this.#closed(name, line)
    }
  }

  #closed(name: string, line: number): XmlToken {
    const open = this.#open.pop()
    if (open !== name)
      throw this.#error(`</${name.slice(0, 40)}> does not close ${open === undefined ? 'anything' : `<${open}>`}`)
    return { kind: 'end', name, line }
  }

  #error(reason: string): CsvError {
    return new CsvError(this.#line, reason)
  }
}

const cdata = '<![CDATA['
const sections = [
  ['<!--', '-->'],
  [cdata, ']]>'],
  ['<?', '?>'],
] as const
const tag = /^<(\/?)([^\s/>"'=<]{1,200})(?=[\s/>])([\s\S]*?)(\/?)>$/
// The value is optional, so that a name is never tried again from its second letter.
const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/g

// Not within a reference, of which the longest is `&#1114111;`.
function textEnd(text: string, end: number): number {
  const reference = text.lastIndexOf('&', end - 1)
  return reference > end - 10 ? reference : end
}

// A `>` within quotes does not end a tag.
function tagEnd(text: string, at: number): number {
  mark.lastIndex = at
  for (let found = mark.exec(text); found; found = mark.exec(text)) {
    if (found[0] === '>') return mark.lastIndex
    const closing = text.indexOf(found[0], mark.lastIndex)
    if (closing < 0) return -1
    mark.lastIndex = closing + 1
  }
  return -1
}

const mark = /[>"']/g

const noAttributes: ReadonlyMap<string, string> = new Map()

function attributesOf(text: string): ReadonlyMap<string, string> {
  if (text === '') return noAttributes
  return new Map([...text.matchAll(attribute)].map(([, name = '', one, other]) => [name, decoded(one ?? other ?? '')]))
}

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

// A name that XML does not have stays as it is written: people put those of HTML into feeds.
function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,4}));/gi, (source, decimal, hexadecimal, name) => {
    if (name !== undefined) return entities.get(name) ?? source
    const code = decimal === undefined ? Number.parseInt(hexadecimal, 16) : Number(decimal)
    return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code)
  })
}
