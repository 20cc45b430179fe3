import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { leastOf, threadCpuMs } from '../../../harness/timed.ts'
import { isWide } from '../../../harness/wide.ts'
import { htmlToPlainText } from './plaintext.ts'

const table: [name: string, html: string, text: string][] = [
  ['empty text', '', ''],
  ['plain text', 'Just  a\n\tsentence.', 'Just a sentence.'],
  ['paragraphs', '<p>One.</p>\n<p>Two.</p>', 'One.\n\nTwo.'],
  [
    'nested blocks without more than one empty line',
    '<div><div><p>One</p></div></div><section><p>Two</p></section>',
    'One\n\nTwo',
  ],
  ['line breaks', 'a<br>b<br/>c<BR />d', 'a\nb\nc\nd'],
  ['two line breaks as a paragraph', 'a<br><br>b<br> <br><br>c', 'a\n\nb\n\nc'],
  ['lists', '<p>Has:</p><ul><li>one</li><li> two </li></ul><p>End</p>', 'Has:\n\n• one\n• two\n\nEnd'],
  ['unclosed items', '<ul><li>one<li>two</ul>', '• one\n• two'],
  [
    'paragraphs and lists in items',
    '<ul><li><p>one</p></li><li>two<ol><li>three</li></ol></li></ul>x',
    '• one\n• two\n• three\n\nx',
  ],
  ['empty items', '<ul><li></li><li>one</li></ul>', '• one'],
  ['tables', '<table><tr><th>Size</th><th>cm</th></tr><tr><td>S</td><td>48</td></tr></table>', 'Size cm\nS 48'],
  ['inline tags within words', 'un<b>believ</b>able <i>and</i><span> good</span>', 'unbelievable and good'],
  ['attributes with angle brackets', `<a href="?a>b" title = '>'>link</a>`, 'link'],
  ['an unclosed quote', '<a href="x>link</a>', 'link'],
  [
    'scripts, styles, comments and templates',
    'a<script>if (a<b) "</p>"</script><style>p{}</style><!-- <p>no</p> --><template><p>x<template>y</template></p></template>b',
    'ab',
  ],
  ['scripts in any case, with spaces', '<SCRIPT type="x">no</Script >yes', 'yes'],
  ['an unclosed script', 'a<script>no<p>no', 'a'],
  ['an unclosed comment', 'a<!-- no <p>no</p>', 'a'],
  ['the shortest comments', 'a<!-->b<!--->c', 'abc'],
  ['declarations and instructions', '<!DOCTYPE html><?php no ?>a<![CDATA[no]]>b</>', 'ab'],
  ['pictures', 'a<img src="x.jpg" alt="no">b<svg><title>no</title><path/></svg>c', 'abc'],
  ['an unclosed tag', 'a <b', 'a'],
  ['an angle bracket that begins no tag', '1 < 2 and <3, a<', '1 < 2 and <3, a<'],
  [
    'named entities',
    'Caf&eacute; &amp; Th&eacute; &ndash; 5&nbsp;&euro; &hellip; &Auml;&ouml;&szlig; &frac12; &yuml;&nbsp;',
    'Café & Thé – 5 € … Äöß ½ ÿ',
  ],
  ['numbered entities', '&#233;&#xe9;&#XE9;&#x1F375;&#39;&#8217', "ééé🍵'’"],
  ['character numbers of Windows-1252', '&#146;&#x93;&#128;', '’“€'],
  [
    'character numbers out of bounds',
    '&#0;|&#xD800;|&#x110000;|&#99999999999999999999;|&#1;|',
    '\ufffd|\ufffd|\ufffd|\ufffd| |',
  ],
  ['what only looks like an entity', 'AT&T R&D &unknown; &; &# &#x; &amp', 'AT&T R&D &unknown; &; &# &#x; &amp'],
  ['an escaped entity only once', '&amp;lt;b&amp;gt;', '&lt;b&gt;'],
  ['written-out markup as text', '&lt;b&gt;', '<b>'],
  ['control characters', 'a\u0000b\u0007c', 'a b c'],
]
for (const [name, html, text] of table) test(`converts ${name}`, () => assert.equal(htmlToPlainText(html), text))

test('removes all markup, control characters and extra spaces from any input', () => {
  const bits = fc.constantFrom(
    '<p>',
    '</p>',
    '<b',
    '>',
    '<',
    '"',
    "'",
    '=',
    '<!--',
    '-->',
    '<script>',
    '</script>',
    '<li>',
    '<br>',
    'a',
    ' ',
    '\n',
    '<ul>',
    '</ul>',
    '<svg>',
    '</svg>',
    '/',
    '<a href="',
    'é',
  )
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 40 }), (parts) => {
      const text = htmlToPlainText(parts.join(''))
      assert.doesNotMatch(text, /<[a-z/!?]/i)
      assert.doesNotMatch(text, /\n{3}|^\s|\s$| \n|\n | {2}/)
      assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}/u)
    }),
    { numRuns: 2_000 },
  )
})

const textLength = (isWide ? 1024 : 256) * 1024
const heavy = [
  '<',
  '&',
  '<!',
  '<a',
  '<a ',
  '<a "',
  '<a ="',
  `<a =">'`,
  '<!--',
  '<!-- -',
  '<script>',
  '<script></',
  '<svg>',
  '<ul><li>',
  '&#',
  '&#1',
  '&a',
  '</',
  '<a b=\'"',
  ' ',
  '\n',
  '-->',
  '<p>&nbsp;',
]
for (const bit of heavy) {
  test(`takes linear time for long repetitions of ${JSON.stringify(bit)}`, async () => {
    const text = bit.repeat(textLength / bit.length)
    // Quadratic work would take minutes for a megabyte, and a sixteenth of that for a quarter of a megabyte.
    const boundMs = isWide ? 4_000 : 1_000
    const tookMs = await leastOf(boundMs, () => threadCpuMs(() => htmlToPlainText(text)))
    assert.ok(tookMs < boundMs, `${tookMs} ms`)
  })
}
