// Turns the HTML of a product description into plain text. It is a reader, not a cleaner: what it returns is never to be
// put into a page unescaped, since `&lt;b&gt;` rightly comes out as `<b>`. It runs in linear time on any input.

// biome-ignore format: a list of words
const blocks = new Set([
  'p', 'div', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'section', 'article', 'header', 'footer', 'aside', 'main', 'nav',
  'blockquote', 'pre', 'dl', 'figure', 'figcaption', 'table', 'form', 'fieldset', 'address', 'hr', 'details', 'summary',
  'center', 'body',
])
const lines = new Set(['li', 'tr', 'dt', 'dd', 'caption', 'option', 'legend'])
const lists = new Set(['ul', 'ol', 'menu'])
// Their content is not HTML, so the end is the first end tag of the same name (HTML standard, 13.2.5).
const rawTexts = new Set(['script', 'style', 'iframe', 'textarea', 'title', 'noembed', 'noframes'])
// Their content is HTML that is not read as text, and they may hold one another.
const unread = new Set(['template', 'svg', 'math', 'select'])

const gaps = ['', ' ', '\n', '\n\n'] as const
type Gap = (typeof gaps)[number]

// Paragraphs are separated by an empty line, list items begin with a bullet, all other white space is one space.
export function plainText(html: string): string {
  const next = finder(html)
  let text = ''
  let gap: Gap = ''
  let bullet = false
  let listDepth = 0
  let unreadDepth = 0

  const widen = (wanted: Gap) => {
    if (gaps.indexOf(wanted) > gaps.indexOf(gap)) gap = wanted
  }
  const write = (source: string) => {
    if (unreadDepth > 0 || source === '') return
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
  const meet = ({ name, isEnd, isEmpty }: Tag) => {
    if (unread.has(name) && !isEmpty) unreadDepth = Math.max(0, unreadDepth + (isEnd ? -1 : 1))
    if (unreadDepth > 0) return
    if (name === 'br') widen(gap === '\n' ? '\n\n' : '\n')
    if (name === 'td' || name === 'th') widen(' ')
    // Within a list, paragraphs and lists do not tear the items apart.
    if (blocks.has(name)) widen(listDepth > 0 ? '\n' : '\n\n')
    if (lines.has(name)) widen('\n')
    if (name === 'li') bullet = !isEnd
    if (lists.has(name)) {
      if (isEnd) listDepth = Math.max(0, listDepth - 1)
      widen(listDepth > 0 ? '\n' : '\n\n')
      if (!isEnd) listDepth++
    }
  }

  let at = 0
  while (at < html.length) {
    const opening = next('<', at)
    write(html.slice(at, opening))
    if (opening === html.length) break
    const tag = tagAt(html, opening)
    if (html.startsWith('<!--', opening)) {
      // `<!-->` and `<!--->` are whole comments, so the search begins inside the opening.
      at = next('-->', opening + 2) + 3
    } else if (tag) {
      at = tagEnd(html, tag.nameEnd, next)
      meet({ ...tag, isEmpty: html[at - 2] === '/' })
      if (!tag.isEnd && rawTexts.has(tag.name)) at = rawTextEnd(html, tag.name, at)
    } else if (/[!?/]/.test(html[opening + 1] ?? '')) {
      at = next('>', opening) + 1
    } else {
      write('<')
      at = opening + 1
      // What stood apart must not close up to a tag when the comment or tag between is gone: "<<b>script>".
      if (html[at] === '<') widen(' ')
    }
  }
  return text
}

// The other way: plain text as HTML, an empty line between paragraphs.
export function htmlOf(text: string): string {
  if (text === '') return ''
  return paragraphsOf(text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'))
}

// Of HTML without blocks.
export function paragraphsOf(html: string): string {
  return html
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${paragraph.replaceAll('\n', '<br>')}</p>`)
    .join('')
}

type Tag = { name: string; isEnd: boolean; isEmpty: boolean }
type Finder = (needle: string, from: number) => number

// The next place of a needle, or the end. Each answer is kept until it is passed, so that all searches for one needle
// together read the text once, though a tag may look for a quote that stands far behind it or nowhere.
function finder(html: string): Finder {
  const found = new Map<string, number>()
  return (needle, from) => {
    const known = found.get(needle)
    if (known !== undefined && known >= from) return known
    const place = html.indexOf(needle, from)
    const answer = place < 0 ? html.length : place
    found.set(needle, answer)
    return answer
  }
}

const tagStart = /<(\/?)([a-z][^\s/>]{0,40})/iy

function tagAt(html: string, opening: number): { name: string; isEnd: boolean; nameEnd: number } | undefined {
  tagStart.lastIndex = opening
  const match = tagStart.exec(html)
  if (!match) return undefined
  return { name: (match[2] ?? '').toLowerCase(), isEnd: match[1] === '/', nameEnd: tagStart.lastIndex }
}

// A `>` within a quoted attribute does not end the tag. A quote that is never closed, or follows no `=`, is no quote.
function tagEnd(html: string, nameEnd: number, next: Finder): number {
  let at = nameEnd
  for (;;) {
    const end = next('>', at)
    const opening = Math.min(next('"', at), next("'", at))
    if (opening >= end) return end + 1
    const isValue = html.slice(at, opening).trimEnd().endsWith('=')
    const closing = isValue ? next(html[opening] ?? '"', opening + 1) : html.length
    at = closing === html.length ? opening + 1 : closing + 1
  }
}

function rawTextEnd(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}(?![a-z0-9])`, 'gi')
  end.lastIndex = from
  return end.exec(html)?.index ?? html.length
}

const entity = /&(?:#(\d+);?|#x([0-9a-f]+);?|([a-z][a-z0-9]{1,15});)/gi

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(entity, (source, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return named.get(name) ?? source
    return characterFor(decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal))
  })
}

const windows1252 = new TextDecoder('windows-1252')

function characterFor(code: number): string {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd'
  // Old editors wrote the Windows code for quotes and dashes; the HTML standard maps it likewise.
  if (code >= 0x80 && code <= 0x9f) return windows1252.decode(Uint8Array.of(code))
  return String.fromCodePoint(code)
}

// In the order of their codes from 160 on.
const latin1 = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute
  micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil
  Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute
  Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute
  icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`

// biome-ignore format: a table is read by its rows
const named: ReadonlyMap<string, string> = new Map([
  ...latin1.split(/\s+/).map((name, index): [string, string] => [name, String.fromCharCode(160 + index)]),
  ['amp', '&'], ['lt', '<'], ['gt', '>'], ['quot', '"'], ['apos', "'"], ['AMP', '&'], ['LT', '<'], ['GT', '>'], ['QUOT', '"'],
  ['OElig', 'Œ'], ['oelig', 'œ'], ['Scaron', 'Š'], ['scaron', 'š'], ['Yuml', 'Ÿ'], ['fnof', 'ƒ'], ['circ', 'ˆ'], ['tilde', '˜'],
  ['ensp', ' '], ['emsp', ' '], ['thinsp', ' '], ['zwnj', '\u200c'], ['zwj', '\u200d'], ['lrm', '\u200e'], ['rlm', '\u200f'],
  ['ndash', '–'], ['mdash', '—'], ['horbar', '―'], ['lsquo', '‘'], ['rsquo', '’'], ['sbquo', '‚'], ['ldquo', '“'], ['rdquo', '”'],
  ['bdquo', '„'], ['lsaquo', '‹'], ['rsaquo', '›'], ['dagger', '†'], ['Dagger', '‡'], ['bull', '•'], ['hellip', '…'],
  ['permil', '‰'], ['prime', '′'], ['Prime', '″'], ['euro', '€'], ['trade', '™'], ['larr', '←'], ['uarr', '↑'], ['rarr', '→'],
  ['darr', '↓'], ['harr', '↔'], ['minus', '−'], ['radic', '√'], ['infin', '∞'], ['asymp', '≈'], ['ne', '≠'], ['le', '≤'], ['ge', '≥'],
  ['loz', '◊'], ['spades', '♠'], ['clubs', '♣'], ['hearts', '♥'], ['diams', '♦'], ['check', '✓'], ['star', '☆'], ['starf', '★'],
  ['alpha', 'α'], ['beta', 'β'], ['gamma', 'γ'], ['delta', 'δ'], ['lambda', 'λ'], ['mu', 'μ'], ['pi', 'π'], ['sigma', 'σ'],
  ['omega', 'ω'], ['Delta', 'Δ'], ['Sigma', 'Σ'], ['Omega', 'Ω'],
])
