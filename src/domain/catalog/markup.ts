// Reads HTML as tokens: text and tags. Comments, declarations, and content that is not text for readers, such as scripts, are left out.
// Never fails, and runs in linear time on any input. The result is not safe HTML: see `safehtml.ts`.

export type HtmlToken = TextToken | TagToken | GapToken | SkippedToken

export interface TextToken {
  kind: 'text'
  // Character references are not decoded.
  source: string
}

export interface TagToken {
  kind: 'tag'
  name: string
  isEnd: boolean
  // The text between the name and the end of the tag.
  rest: string
}

// A `<` that begins no tag, before another `<`. The token keeps texts apart that could join to a tag when the comment or tag between them
// is removed: "<<b>script>".
export interface GapToken {
  kind: 'gap'
}

// A comment, a declaration, or a piece of unread content. The token only marks progress, so callers can count steps.
export interface SkippedToken {
  kind: 'left out'
}

// Elements whose content is not HTML, so they end at the first end tag of the same name (HTML standard, 13.2.5).
const rawTexts = new Set(['script', 'style', 'iframe', 'textarea', 'title', 'noembed', 'noframes', 'xmp'])
// Elements whose content is HTML that is not read as text; they may be nested in each other.
const unread = new Set(['template', 'svg', 'math', 'select', 'noscript'])

export function* tokenizeHtml(html: string): Generator<HtmlToken> {
  const next = finder(html)
  let unreadDepth = 0
  let at = 0
  while (at < html.length) {
    const opening = next('<', at)
    if (unreadDepth === 0) yield* textsOf(html, at, opening)
    if (opening === html.length) return
    const tag = tagAt(html, opening)
    if (html.startsWith('<!--', opening)) {
      // `<!-->` and `<!--->` are complete comments, so the search for `-->` begins inside `<!--`.
      at = next('-->', opening + 2) + 3
      yield { kind: 'left out' }
    } else if (tag) {
      const { name, isEnd, nameEnd } = tag
      at = tagEnd(html, nameEnd, next)
      const isEmpty = html[at - 2] === '/'
      if (unread.has(name) && !isEmpty) unreadDepth = Math.max(0, unreadDepth + (isEnd ? -1 : 1))
      yield unreadDepth === 0 ? { kind: 'tag', name, isEnd, rest: html.slice(nameEnd, at - 1) } : { kind: 'left out' }
      if (!isEnd && rawTexts.has(name)) at = rawTextEnd(html, name, at)
    } else if (/[!?/]/.test(html[opening + 1] ?? '')) {
      at = next('>', opening) + 1
      yield { kind: 'left out' }
    } else {
      at = opening + 1
      yield unreadDepth === 0 ? { kind: 'text', source: '<' } : { kind: 'left out' }
      if (unreadDepth === 0 && html[at] === '<') yield { kind: 'gap' }
    }
  }
}

const textLengthMax = 4_096

// Splits a long text into parts, so no token takes long to process. A part never ends inside a character reference, a line break or a
// character.
function* textsOf(html: string, from: number, to: number): Generator<TextToken> {
  for (let at = from; at < to; ) {
    let end = at + textLengthMax
    while (end < to && goesOn.test(html[end] ?? '') && !/[; \n]/.test(html[end - 1] ?? '')) end += 1
    yield { kind: 'text', source: html.slice(at, Math.min(end, to)) }
    at = end
  }
}

const goesOn = /[#;\da-z\n\udc00-\udfff]/i

const attribute = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*)))?/g

const attributesLengthMax = 16_384

// Returns the decoded value of an attribute, or its first value if the attribute repeats. Searches a bounded length, because the
// attributes of real tags are shorter.
export function findAttribute(rest: string, wanted: string): string | undefined {
  for (const [, name = '', double, single, bare] of rest.slice(0, attributesLengthMax).matchAll(attribute))
    if (name.toLowerCase() === wanted) return decodeEntities(double ?? single ?? bare ?? '')
  return undefined
}

type Finder = (needle: string, from: number) => number

// Returns the position of the next occurrence of a needle, or the end of the text. A result is cached until the search position passes
// it, so all searches for one needle together read the text once, even if a tag searches for a quote that is far away or missing.
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

const quotesMax = 10_000

// A `>` inside a quoted attribute does not end the tag. A quote that is never closed, or does not follow `=`, does not count.
function tagEnd(html: string, nameEnd: number, next: Finder): number {
  let at = nameEnd
  for (let quotes = 0; ; quotes += 1) {
    const end = next('>', at)
    const opening = Math.min(next('"', at), next("'", at))
    if (opening >= end || quotes === quotesMax) return end + 1
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

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(entity, (source, decimal?: string, hexadecimal?: string, name?: string) => {
    if (name !== undefined) return named.get(name) ?? source
    return characterFor(decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal))
  })
}

// A character reference, or a character that is escaped, replaced or removed. Line feeds and tabs do not match.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const special = /&(?:#\d+;?|#x[0-9a-f]+;?|[a-z][a-z0-9]{1,31};)|[&<>\u0000-\u0008\u000b-\u001f\u007f-\u00a0]/gi
const control = /\p{Cc}/u

// Text as a browser serialises it: known references become characters, and unknown ones stay, which is safe in text. Control characters are
// left out, except line breaks and tabs; a form feed becomes a space.
export function escapeSourceText(source: string): string {
  return source.replaceAll('\r\n', '\n').replace(special, (found) => {
    const decoded = found.length > 1 ? decodeEntities(found) : found
    if (decoded.length > 1 && decoded === found) return found
    return escapes.get(decoded) ?? (control.test(decoded) ? '' : decoded)
  })
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['\u00a0', '&nbsp;'],
  ['\n', '\n'],
  ['\r', '\n'],
  ['\f', ' '],
  ['\t', '\t'],
])

const windows1252 = new TextDecoder('windows-1252')

function characterFor(code: number): string {
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return '\ufffd'
  // Old editors wrote Windows-1252 codes for quotes and dashes; the HTML standard maps them the same way.
  if (code >= 0x80 && code <= 0x9f) return windows1252.decode(Uint8Array.of(code))
  return String.fromCodePoint(code)
}

// Names of the characters from code 160 on, in order.
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
