// Reads XML as tokens from pieces of text, with saxes. Only well-formed XML without document types is accepted, so there are no external
// files, and no entities except numeric ones and the five predefined ones. Memory is bounded by one token, and the parser gets small
// pieces, so other work can run in between.

import { SaxesParser } from 'saxes'
import { type Remark, remark } from '../../contract/remarks.ts'
import { createSlicePauses } from '../../platform/kit/breath.ts'
import { FileError } from './csv.ts'

export type XmlToken =
  | { kind: 'start'; name: string; attributes: ReadonlyMap<string, string>; line: number }
  | { kind: 'end'; name: string; line: number }
  | { kind: 'text'; text: string; line: number }

const kibibyte = 1024
const mebibyte = 1024 * kibibyte
export const tokenLengthMax = mebibyte
const tagLengthMax = 64 * kibibyte
const depthMax = 64
// Parsing a piece takes less than a millisecond.
const pieceLength = 4 * 1024

export async function* readXml(texts: AsyncIterable<string>): AsyncGenerator<XmlToken> {
  const reader = new XmlReader()
  const breath = createSlicePauses()
  for await (const text of texts) {
    for (let at = 0; at < text.length; at += pieceLength) {
      yield* reader.read(text.slice(at, at + pieceLength))
      if (breath.isDue()) await breath.take()
    }
  }
  yield* reader.end()
}

class XmlReader {
  // Always parsed as XML 1.0, even if the file declares 1.1, which only adds control characters.
  readonly #parser = new SaxesParser({ defaultXMLVersion: '1.0', forceXMLVersion: true })
  #tokens: XmlToken[] = []
  #hasBegun = false
  // Number of lines before the current piece.
  #linesBefore = 0
  #depth = 0
  // Name of the last start tag or end tag.
  #lastName = ''
  // Position where the open tag begins, or undefined outside of tags.
  #tagFrom: number | undefined
  // Position where the last token ended.
  #tokenFrom = 0
  #tokenLine = 1
  // Length of the text since the last tag.
  #textLength = 0

  constructor() {
    const parser = this.#parser
    parser.on('opentagstart', ({ name }) => {
      this.#lastName = name
      this.#tagFrom = parser.position
      this.#depth += 1
      if (this.#depth > depthMax) throw this.#error(remark('elements_too_deep', { max: depthMax }))
    })
    parser.on('attribute', () => this.#refuseLong())
    parser.on('opentag', ({ name, attributes }) => {
      this.#refuseLong()
      this.#tagFrom = undefined
      this.#add({ kind: 'start', name, attributes: new Map(Object.entries(attributes)), line: this.#line })
    })
    parser.on('closetag', ({ name }) => {
      this.#lastName = name
      this.#depth -= 1
      this.#add({ kind: 'end', name, line: this.#line })
    })
    parser.on('text', (text) => this.#addText(text))
    parser.on('cdata', (text) => this.#addText(text))
    parser.on('comment', () => this.#endToken())
    parser.on('processinginstruction', () => this.#endToken())
    parser.on('doctype', () => {
      throw this.#error(remark('document_type'))
    })
    parser.on('error', (error) => this.#refuse(error.message.replace(/^\d+:\d+: /, '').replace(/\.$/, '')))
  }

  *read(piece: string): Generator<XmlToken> {
    const text = this.#hasBegun ? piece : piece.trimStart()
    if (!this.#hasBegun) this.#linesBefore += piece.slice(0, piece.length - text.length).split('\n').length - 1
    if (text === '') return
    this.#hasBegun = true
    yield* this.#tokensOf(() => {
      this.#parser.write(text.replaceAll(notInXml, ' '))
      this.#refuseLong()
    })
  }

  *end(): Generator<XmlToken> {
    yield* this.#tokensOf(() => this.#parser.close())
  }

  // Tokens before an error are yielded first, since the caller may find a clearer problem in them.
  *#tokensOf(parse: () => void): Generator<XmlToken> {
    this.#tokens = []
    let mistake: unknown
    try {
      parse()
    } catch (error) {
      mistake = error
    }
    yield* this.#tokens
    if (mistake !== undefined) throw mistake
  }

  #add(token: XmlToken): void {
    this.#tokens.push(token)
    if (token.kind !== 'text') this.#textLength = 0
    this.#endToken()
  }

  #addText(text: string): void {
    this.#textLength += text.length
    if (this.#textLength > tokenLengthMax)
      throw this.#error(remark('xml_text_too_long', { mebibytes: tokenLengthMax / mebibyte }))
    if (this.#depth > 0) this.#add({ kind: 'text', text, line: this.#tokenLine })
    else this.#endToken()
  }

  #endToken(): void {
    this.#tokenFrom = this.#parser.position
    this.#tokenLine = this.#line
  }

  #refuseLong(): void {
    const { position } = this.#parser
    if (this.#tagFrom !== undefined && position - this.#tagFrom > tagLengthMax)
      throw this.#error(remark('xml_tag_too_long', { kibibytes: tagLengthMax / kibibyte }))
    if (position - this.#tokenFrom > tokenLengthMax)
      throw this.#error(remark('xml_token_too_long', { mebibytes: tokenLengthMax / mebibyte }))
  }

  #refuse(reason: string): void {
    // An unknown entity stays in the text as written, because feeds often contain HTML entities.
    if (reason === 'undefined entity' || reason === 'malformed character entity') return
    throw this.#error(this.#remarkFor(reason))
  }

  #remarkFor(reason: string): Remark {
    const element = this.#lastName.slice(0, 40)
    const tag = /: (.*)$/s.exec(reason)?.[1]?.slice(0, 40) ?? ''
    if (reason === 'text data outside of root node') return remark('text_outside_root')
    if (reason === 'documents may contain only one root') return remark('second_root', { element })
    if (reason === 'document must contain a root element') return remark('no_element')
    if (reason === 'unexpected end') return remark('ends_within_tag')
    if (reason === 'unexpected close tag') return remark('wrong_end_tag', { element })
    if (reason === 'disallowed character in entity name') return remark('bare_ampersand')
    // A `<!` that does not begin a comment, CDATA or a DOCTYPE.
    if (reason === 'incorrect syntax') return remark('document_type')
    if (reason.startsWith('unclosed tag')) return remark('ends_within_element', { element: tag })
    if (reason.startsWith('unmatched closing tag')) return remark('stray_end_tag', { element: tag })
    return remark('xml_malformed', { reason: reason.slice(0, 100) })
  }

  get #line(): number {
    return this.#linesBefore + this.#parser.line
  }

  #error(reason: Remark): FileError {
    return new FileError(this.#line, reason)
  }
}

// Characters that XML 1.0 does not allow. Old systems write some of them into feeds.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g
