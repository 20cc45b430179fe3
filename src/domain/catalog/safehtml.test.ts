import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hostileHtml } from '../../../harness/hostileHtml.ts'
import { leastOf, threadCpuMs } from '../../../harness/timed.ts'
import { htmlToPlainText } from './plaintext.ts'
import { sanitizeHtml } from './safehtml.ts'

const link = (href: string, text: string) => `<a href="${href}" rel="nofollow noopener">${text}</a>`

const table: [name: string, source: string, safe: string][] = [
  ['empty elements', ' \n<p> </p><b></b><ul></ul>', ''],
  ['text as a paragraph', 'Hand made &amp; fired', '<p>Hand made &amp; fired</p>'],
  ['paragraphs and breaks', '<p>a<br>b</p>\n\n<p>c<br/><br><br>d<br></p>', '<p>a<br>b</p>\n<p>c<br><br>d</p>'],
  ['div elements', '<div>a<div>b</div></div>c', '<p>a</p>\n<p>b</p>\n<p>c</p>'],
  ['headings below that of the page', '<h1>a</h1><h3>b</h3><h6>c', '<h2>a</h2>\n<h3>b</h3>\n<h4>c</h4>'],
  ['white space', '<p>  a \n <b> b </b>\tc </p>', '<p>a <b>b</b> c</p>'],
  ['overlapping tags', '<b>a<i>b</b>c</i>', '<p><b>a<i>b</i></b><i>c</i></p>'],
  ['a style across paragraphs', '<b>a<p>b</b>c', '<p><b>a</b></p>\n<p><b>b</b>c</p>'],
  ['lists', '<ul><li>a<li><b>b</ul>', '<ul>\n<li>a</li>\n<li><b>b</b></li>\n</ul>'],
  ['lists in lists', '<ol><li>a<ul><li>b</ul></ol>', '<ol>\n<li>a\n<ul>\n<li>b</li>\n</ul></li>\n</ol>'],
  [
    'tables',
    '<table class=x><thead><tr><th colspan=2>a<tbody><tr><td>b<td></table>',
    '<table>\n<thead>\n<tr>\n<th colspan="2">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n<td></td>\n</tr>\n</tbody>\n</table>',
  ],
  ['preformatted text', '<pre>\n\n  a\n\tb\n</pre>', '<pre>  a\n\tb</pre>'],
  ['quotes and rules', '<blockquote>a</blockquote><hr>b', '<blockquote>\n<p>a</p>\n</blockquote>\n<hr>\n<p>b</p>'],
  [
    'links',
    '<a href=https://a.example/?b=1&c=2 target=_blank>x</a>',
    `<p>${link('https://a.example/?b=1&amp;c=2', 'x')}</p>`,
  ],
  ['mailto links', '<a href="mailto:a@b.example">x</a>', `<p>${link('mailto:a@b.example', 'x')}</p>`],
  ['links around headings', '<a href="http://a.example"><h2>x</h2></a>', `<h2>${link('http://a.example', 'x')}</h2>`],
  [
    'links without an allowed URL',
    '<a href="/pages/size">a</a> <a name=x>b</a> <a href="javascript:alert(1)">c</a>',
    '<p>a b c</p>',
  ],
  ['pictures, styles and scripts', '<p style="x">a<img src=x>b<style>p{}</style><script>x</script></p>', '<p>ab</p>'],
  ['entities', '&eacute;&nbsp;&bigstar;&lt;b&gt;&#39; A&B', "<p>é&nbsp;&bigstar;&lt;b&gt;' A&amp;B</p>"],
]
for (const [name, source, safe] of table) test(`sanitizes ${name}`, () => assert.equal(sanitizeHtml(source), safe))

const names = 'p|h2|h3|h4|pre|blockquote|ul|ol|li|table|thead|tbody|tr|th|td|b|strong|i|em|u|s|code|sub|sup'
const allowed = new RegExp(
  `^(?:</?(?:${names})>|</a>|<br>|<hr>|<(?:th|td)(?: colspan="\\d+")?(?: rowspan="\\d+")?>|<a href="(?:https?://|mailto:)[^\\s"<>]+" rel="nofollow noopener">)$`,
  'i',
)

// Asserts that only allowed elements occur, each tag is closed by its own end tag, text is escaped, and sanitizing again changes nothing.
function assertSafe(source: string): void {
  const safe = sanitizeHtml(source)
  const open: string[] = []
  for (const [tag] of safe.matchAll(/<[^>]*>?/g)) {
    assert.match(tag, allowed)
    const [, slash, name = ''] = /^<(\/?)(\w+)/.exec(tag) ?? []
    if (slash === '/') assert.equal(open.pop(), name, safe.slice(0, 500))
    else if (name !== 'br' && name !== 'hr') open.push(name)
  }
  assert.deepEqual(open, [])
  assert.doesNotMatch(safe.replaceAll(/<[^>]*>/g, ''), /[<>]|&(?![a-z#][a-z0-9]*;)/i)
  assert.doesNotMatch(safe, /(?![\n\t])\p{Cc}/u)
  assert.ok(safe.isWellFormed())
  assert.equal(sanitizeHtml(safe), safe)
}

test('removes everything harmful from hostile HTML', () => {
  for (const source of hostileHtml) assertSafe(source)
  assertSafe(hostileHtml.join(''))
  assertSafe(hostileHtml.toReversed().join('\n'))
})

const bits = fc.constantFrom(
  ...[
    'p',
    'b',
    'i',
    'a',
    'ul',
    'ol',
    'li',
    'table',
    'thead',
    'tr',
    'td',
    'th',
    'h1',
    'h2',
    'pre',
    'div',
    'blockquote',
    'code',
  ].flatMap((name) => [`<${name}>`, `</${name}>`, `<${name} href="https://a.example/">`]),
  ...[
    '<br>',
    '<hr>',
    ' ',
    '\n',
    'x',
    'y z',
    '&amp;',
    '&lt;',
    '&nbsp;',
    '&',
    '<',
    '>',
    '"',
    "'",
    '=',
    '/',
    '-->',
    '<!--',
    '\u0000',
  ],
  ...['<svg>', '</svg>', '<script>', '</script>', '<a href="javascript:x">', '\ud800', '<td colspan=3>', '&#x', '<p\n'],
)

test('makes any text safe', () => {
  const sources = fc.oneof(
    fc.array(bits, { maxLength: 40 }).map((all) => all.join('')),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(fc.property(sources, assertSafe), { numRuns: 1_000 })
})

test('neither removes nor adds readable words', () => {
  const readable = fc.array(bits, { maxLength: 30 }).map((all) => all.join(''))
  const words = (html: string) => htmlToPlainText(html).replaceAll(/[\s•]+/g, '')
  fc.assert(fc.property(readable, (html) => assert.equal(words(sanitizeHtml(html)), words(html.toWellFormed()))))
})

test('never splits a character or entity in a long text', () => {
  const parts: [source: string, html: string, plain: string][] = [
    ['&#0000000000038;', '&amp;', '&'],
    ['&eacute;', 'é', 'é'],
    ['&#233', 'é', 'é'],
    ['🍵', '🍵', '🍵'],
    ['&', '&amp;', '&'],
  ]
  for (let before = 4_070; before < 4_100; before += 1)
    for (const [source, html, plain] of parts)
      for (const fill of ['x', 'é', ';']) {
        const text = fill.repeat(before)
        assert.equal(sanitizeHtml(`${text}${source} end`), `<p>${text}${html} end</p>`)
        assert.equal(htmlToPlainText(`${text}${source} end`), `${text}${plain} end`)
        assert.equal(sanitizeHtml(`<pre>${text}\r\nend`), `<pre>${text}\nend</pre>`)
      }
})

test('takes linear time', async () => {
  const href = `<a href="https://a.example/${'x'.repeat(1_900)}">`
  const parts = [
    '<b>',
    '<p>x',
    '<ul><li>x',
    '<table><td>',
    '</ul>',
    '<blockquote>',
    `${href}x</b><b>`,
    '<pre> \n',
    '<br>x',
    '&#',
    '<td a="',
    "<a href='",
  ]
  const tookMs = (part: string, length: number) => {
    const source = part.repeat(Math.ceil(length / part.length))
    return threadCpuMs(() => sanitizeHtml(source))
  }
  for (const part of parts) {
    await tookMs(part, 10_000)
    const shortMs = await tookMs(part, 20_000)
    const boundMs = 12 * shortMs + 40
    const longMs = await leastOf(boundMs, () => tookMs(part, 80_000))
    assert.ok(longMs < boundMs, `${part.slice(0, 20)}: ${shortMs} ${longMs} ms`)
  }
})
