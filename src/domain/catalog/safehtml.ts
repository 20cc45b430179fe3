// Turns any text into HTML that is safe in any page. Only decoded text and the addresses of links are copied from the input: elements are
// written anew, from a short list and in a form that browsers do not repair, so a browser sees what was checked here. Never fails, runs
// in linear time, and leaves its own output unchanged. Pure.

import { runToEnd } from '../../platform/kit/breath.ts'
import { escapeSourceText, findAttribute, tokenizeHtml } from './markup.ts'

export function sanitizeHtml(source: string): string {
  return runToEnd(sanitizeHtmlSteps(source))
}

// Yields after each token. Stops soon after the output is longer than `lengthMax`.
export function* sanitizeHtmlSteps(source: string, lengthMax = Number.POSITIVE_INFINITY): Generator<void, string> {
  const writer = new Writer()
  for (const token of tokenizeHtml(source.toWellFormed())) {
    if (token.kind === 'text') writer.text(token.source)
    else if (token.kind === 'gap') writer.text(' ')
    else if (token.kind === 'tag' && token.isEnd) writer.end(token.name)
    else if (token.kind === 'tag') writer.start(token.name, token.rest)
    if (writer.length > lengthMax) break
    yield
  }
  return writer.finish()
}

const renamed: ReadonlyMap<string, string> = new Map([
  // A page has its own heading above the description.
  ['h1', 'h2'],
  ['h5', 'h4'],
  ['h6', 'h4'],
  ['strike', 's'],
  ['del', 's'],
  ['ins', 'u'],
  ['tfoot', 'tbody'],
  ['menu', 'ul'],
])
const inlineNames = new Set(['a', 'b', 'strong', 'i', 'em', 'u', 's', 'code', 'sub', 'sup'])
// Blocks that contain no other block, and end if another block begins.
const textBlocks = new Set(['p', 'h2', 'h3', 'h4', 'pre'])
const containers = new Set(['blockquote', 'ul', 'ol', 'table'])
const cells = new Set(['td', 'th'])
// Elements that are replaced by a paragraph.
// biome-ignore format: a list of words
const paragraphs = new Set([
  'div', 'section', 'article', 'header', 'footer', 'aside', 'main', 'nav', 'dl', 'dt', 'dd', 'figure', 'figcaption', 'form',
  'fieldset', 'legend', 'address', 'details', 'summary', 'center', 'body', 'caption', 'option',
])
// Elements that are required between a container and its text: text in a list is put into an item, text in a table into a cell.
const implied: ReadonlyMap<string, string> = new Map([
  ['ul', 'li'],
  ['ol', 'li'],
  ['table', 'tbody'],
  ['thead', 'tr'],
  ['tbody', 'tr'],
  ['tr', 'td'],
])
// Elements that an end tag does not reach across.
const barriers: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['li', new Set(['ul', 'ol', 'td', 'th'])],
  ['ul', cells],
  ['ol', cells],
  ['blockquote', cells],
  ['td', new Set(['table'])],
  ['th', new Set(['table'])],
  ['tr', new Set(['table'])],
  ['thead', new Set(['table'])],
  ['tbody', new Set(['table'])],
])
// Elements whose end tag is written on a line of its own.
const spread = new Set(['blockquote', 'ul', 'ol', 'table', 'thead', 'tbody', 'tr'])
// Maximum nesting; deeper content is put into the last element.
const depthMax = 32
const breaksMax = 2

interface Inline {
  name: string
  start: string
  // Number of end tags needed: `<b><b>` is one element, and ends with the second end tag.
  depth: number
}

interface Block {
  name: string
  start: string
  // Number of `#wanted` inline elements when the block began.
  inlines: number
}

class Writer {
  #html = ''
  // The open blocks, and how many of their start tags are written: a start tag is written when the block gets content.
  readonly #blocks: Block[] = []
  #written = 0
  // The inline elements around the text, in the order in which they were opened, and those whose start tags are written. Except for
  // links, they are opened again after a block.
  readonly #wanted: Inline[] = []
  readonly #inlines: Inline[] = []
  // White space to write before the next text of the same block.
  #space = ''
  #breaks = 0
  // Whether the current block is still empty.
  #isFresh = true

  get length(): number {
    return this.#html.length
  }

  text(source: string): void {
    const isPre = this.#block() === 'pre'
    const text = isPre ? escapeSourceText(source) : escapeSourceText(source).replace(spaces, ' ')
    const [lead, words, trail] = trimmed(text)
    this.#space += lead
    if (words === '') return
    this.#imply()
    if (this.#blocks.length === 0 || this.#block() === 'blockquote') this.#push('p')
    const same = this.#inlines.findIndex((inline, place) => inline !== this.#wanted[place])
    if (same >= 0) this.#endInlines(same)
    const isFirst = this.#isFresh || this.#written < this.#blocks.length
    this.#writeStarts()
    this.#html += this.#gap(isPre, isFirst)
    for (const inline of this.#wanted.slice(this.#inlines.length)) {
      this.#html += inline.start
      this.#inlines.push(inline)
    }
    this.#html += words
    this.#isFresh = false
    this.#space = trail
    this.#breaks = 0
  }

  start(given: string, rest: string): void {
    const name = renamed.get(given) ?? given
    if (inlineNames.has(name)) this.#startInline(name, rest)
    else if (name === 'br') this.#break()
    else if (name === 'hr') {
      this.#toBlocks()
      this.#writeStarts()
      this.#writeLine('<hr>')
    } else if (textBlocks.has(name) || paragraphs.has(name)) {
      this.#toBlocks()
      this.#push(textBlocks.has(name) ? name : 'p')
    } else if (containers.has(name)) {
      this.#toBlocks()
      if (this.#blocks.length < depthMax) this.#push(name)
    } else if (name === 'li') this.#startItem()
    else if (name === 'thead' || name === 'tbody') this.#startPart(name, ['table'])
    else if (name === 'tr') this.#startPart(name, ['thead', 'tbody'])
    else if (cells.has(name)) this.#startPart(name, ['tr'], spansIn(rest))
  }

  end(given: string): void {
    const name = renamed.get(given) ?? given
    if (inlineNames.has(name)) this.#unwant(name)
    else if (textBlocks.has(name)) {
      if (this.#block() === name) this.#endTextBlock()
    } else if (paragraphs.has(name)) this.#endTextBlock()
    else if (containers.has(name) || barriers.has(name)) {
      const at = this.#find(name)
      if (at >= 0) this.#endBlocks(at)
    }
  }

  finish(): string {
    this.#endBlocks(0)
    return this.#html
  }

  #startInline(name: string, rest: string): void {
    if (name === 'a') {
      this.#unwant('a')
      const start = linkIn(rest)
      if (start !== undefined) this.#wanted.push({ name, start, depth: 1 })
      return
    }
    const known = this.#wanted.find((inline) => inline.name === name)
    if (known) known.depth += 1
    else this.#wanted.push({ name, start: `<${name}>`, depth: 1 })
  }

  #unwant(name: string): void {
    const at = this.#wanted.findIndex((inline) => inline.name === name)
    const inline = this.#wanted[at]
    if (!inline) return
    inline.depth -= 1
    if (inline.depth === 0) this.#wanted.splice(at, 1)
  }

  #break(): void {
    if (this.#block() === 'pre') this.#space += '\n'
    else this.#breaks = Math.min(breaksMax, this.#breaks + 1)
  }

  #gap(isPre: boolean, isFirst: boolean): string {
    // Browsers drop a line break directly after <pre>, so none is written there.
    if (isPre) return isFirst ? this.#space.slice(this.#space.lastIndexOf('\n') + 1) : this.#space
    if (isFirst) return ''
    return this.#breaks > 0 ? '<br>'.repeat(this.#breaks) : this.#space === '' ? '' : ' '
  }

  // Outside of a list, an item becomes a paragraph.
  #startItem(): void {
    const at = this.#blocks.findLastIndex(({ name }) => name === 'ul' || name === 'ol' || cells.has(name))
    const list = this.#blocks[at]
    if (list && !cells.has(list.name)) {
      this.#endTextBlock()
      this.#endBlocks(at + 1)
      this.#push('li')
    } else {
      this.#toBlocks()
      this.#push('p')
    }
  }

  // Starts a part of a table. Outside of a table it becomes a paragraph.
  #startPart(name: string, parents: readonly string[], attributes = ''): void {
    const table = this.#blocks.findLastIndex((block) => block.name === 'table')
    if (table < 0) {
      this.#toBlocks()
      this.#push('p')
      return
    }
    this.#endTextBlock()
    const at = this.#blocks.findLastIndex((block) => parents.includes(block.name))
    this.#endBlocks(at > table ? at + 1 : table + 1)
    while (!parents.includes(this.#block())) this.#push(implied.get(this.#block()) ?? 'td')
    this.#push(name, `<${name}${attributes}>`)
  }

  // Name of the innermost block.
  #block(): string {
    return this.#blocks.at(-1)?.name ?? ''
  }

  #find(name: string): number {
    const barrier = barriers.get(name)
    for (let at = this.#blocks.length - 1; at >= 0; at -= 1) {
      const open = this.#blocks[at]?.name ?? ''
      if (open === name) return at
      if (barrier?.has(open)) return -1
    }
    return -1
  }

  // Closes and opens elements until a block may begin.
  #toBlocks(): void {
    this.#endTextBlock()
    this.#imply()
  }

  #imply(): void {
    for (;;) {
      const name = implied.get(this.#block())
      if (name === undefined) return
      this.#push(name)
    }
  }

  #push(name: string, start = `<${name}>`): void {
    this.#blocks.push({ name, start, inlines: this.#wanted.length })
  }

  #endTextBlock(): void {
    this.#endInlines(0)
    if (textBlocks.has(this.#block())) this.#endBlocks(this.#blocks.length - 1)
    this.#beginAnew()
  }

  #endInlines(length: number): void {
    while (this.#inlines.length > length) {
      const inline = this.#inlines.pop() as Inline
      this.#html += `</${inline.name}>`
      // A link is not opened again, because repeating a long address could make the output much longer than the input.
      if (inline.name === 'a' && this.#wanted.includes(inline)) this.#unwant('a')
    }
  }

  #endBlocks(length: number): void {
    if (this.#blocks.length > length) this.#endInlines(0)
    while (this.#blocks.length > length) {
      const block = this.#blocks.at(-1) as Block
      // Empty cells of a table are written too.
      if (cells.has(block.name)) this.#writeStarts()
      this.#blocks.pop()
      if (this.#written > this.#blocks.length) {
        this.#written -= 1
        if (spread.has(block.name)) this.#writeLine(`</${block.name}>`)
        else this.#html += `</${block.name}>`
      }
      if (!textBlocks.has(block.name)) this.#wanted.splice(block.inlines)
      this.#beginAnew()
    }
  }

  #beginAnew(): void {
    this.#space = ''
    this.#breaks = 0
    this.#isFresh = true
  }

  #writeStarts(): void {
    for (; this.#written < this.#blocks.length; this.#written += 1)
      this.#writeLine(this.#blocks[this.#written]?.start ?? '')
  }

  #writeLine(text: string): void {
    this.#html += this.#html === '' ? text : `\n${text}`
  }
}

// White space in HTML; a no-break space is text.
const spaces = /[\t\n ]+/g

function trimmed(text: string): [lead: string, words: string, trail: string] {
  let [first, end] = [0, text.length]
  while (first < end && isSpace(text[first])) first += 1
  while (end > first && isSpace(text[end - 1])) end -= 1
  return [text.slice(0, first), text.slice(first, end), text.slice(end)]
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\n' || character === '\t'
}

const hrefLengthMax = 2_000

function linkIn(rest: string): string | undefined {
  // Browsers drop these characters anywhere in an address.
  const href = (findAttribute(rest, 'href') ?? '').replace(/[\t\n\r]/g, '').trim()
  if (href.length > hrefLengthMax || !/^(?:https?:\/\/|mailto:)[^\s\p{Cc}]+$/iu.test(href)) return undefined
  if (!URL.canParse(href)) return undefined
  return `<a href="${escapedAttribute(href)}" rel="nofollow noopener">`
}

function spansIn(rest: string): string {
  return ['colspan', 'rowspan']
    .map((name) => ({ name, count: findAttribute(rest, name) ?? '' }))
    .map(({ name, count }) => (/^(?:[2-9]|1\d|20)$/.test(count) ? ` ${name}="${count}"` : ''))
    .join('')
}

function escapedAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
