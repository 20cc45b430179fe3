// Turns the HTML of a product description into plain text. Does not sanitize: the result must be escaped in a page, since `&lt;b&gt;`
// correctly becomes `<b>`. Runs in linear time on any input.

import { runToEnd } from '../../platform/kit/breath.ts'
import { decodeEntities, type TagToken, tokenizeHtml } from './markup.ts'

// biome-ignore format: a list of words
const blocks = new Set([
  'p', 'div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'section', 'article', 'header', 'footer', 'aside', 'main', 'nav',
  'blockquote', 'pre', 'dl', 'figure', 'figcaption', 'table', 'form', 'fieldset', 'address', 'hr', 'details', 'summary',
  'center', 'body',
])
const lines = new Set(['li', 'tr', 'dt', 'dd', 'caption', 'option', 'legend'])
const lists = new Set(['ul', 'ol', 'menu'])
const gaps = ['', ' ', '\n', '\n\n'] as const
type Gap = (typeof gaps)[number]

// Paragraphs are separated by an empty line, list items begin with a bullet, table rows and `<br>` begin a line, and all other white space
// is one space.
export function htmlToPlainText(html: string): string {
  return runToEnd(htmlToPlainTextSteps(html))
}

// Yields after each token.
export function* htmlToPlainTextSteps(html: string): Generator<void, string> {
  let text = ''
  let gap: Gap = ''
  let bullet = false
  let listDepth = 0

  const widen = (wanted: Gap) => {
    if (gaps.indexOf(wanted) > gaps.indexOf(gap)) gap = wanted
  }
  const write = (source: string) => {
    const folded = decodeEntities(source).replace(/[\s\p{Cc}]+/gu, ' ')
    if (folded.startsWith(' ')) widen(' ')
    const words = folded.trim()
    if (words === '') return
    if (text !== '') text += gap
    if (bullet) text += '• '
    text += words
    bullet = false
    gap = folded.endsWith(' ') ? ' ' : ''
  }
  const meet = ({ name, isEnd }: TagToken) => {
    if (name === 'br') widen(gap === '\n' ? '\n\n' : '\n')
    if (name === 'td' || name === 'th') widen(' ')
    // Inside a list, paragraphs and nested lists do not put empty lines between items.
    if (blocks.has(name)) widen(listDepth > 0 ? '\n' : '\n\n')
    if (lines.has(name)) widen('\n')
    if (name === 'li') bullet = !isEnd
    if (lists.has(name)) {
      if (isEnd) listDepth = Math.max(0, listDepth - 1)
      widen(listDepth > 0 ? '\n' : '\n\n')
      if (!isEnd) listDepth++
    }
  }

  for (const token of tokenizeHtml(html)) {
    if (token.kind === 'text') write(token.source)
    else if (token.kind === 'tag') meet(token)
    else if (token.kind === 'gap') widen(' ')
    yield
  }
  return text
}

// Converts plain text to HTML: empty lines separate paragraphs, and other line breaks become `<br>`.
export function plainTextToHtml(text: string): string {
  return runToEnd(plainTextToHtmlSteps(text))
}

// The same in steps, because 100,000 special characters take 7 ms.
export function* plainTextToHtmlSteps(text: string): Generator<void, string> {
  if (text === '') return ''
  let escaped = ''
  for (let at = 0; at < text.length; at += escapedAtOnce) {
    const piece = text.slice(at, at + escapedAtOnce)
    escaped += piece.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')
    yield
  }
  return paragraphsOf(escaped)
}

const escapedAtOnce = 16_384

// Expects HTML without block elements.
export function paragraphsOf(html: string): string {
  return html
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('')
}
