import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyText } from '../../../harness/texts.ts'
import { escapeHtml, html, trusted } from './html.ts'

test('values are escaped in text and in attributes', () => {
  const name = `<script>alert("1" + '2' & \`3\`)</script>`
  const escaped = '&lt;script&gt;alert(&quot;1&quot; + &#39;2&#39; &amp; &#96;3&#96;)&lt;/script&gt;'
  assert.equal(String(html`<p>${name}</p>`), `<p>${escaped}</p>`)
  assert.equal(String(html`<a title="${name}">x</a>`), `<a title="${escaped}">x</a>`)
  assert.equal(String(html`<a title='${name}'>x</a>`), `<a title='${escaped}'>x</a>`)
})

test('a long text is escaped in the same way as its parts', () => {
  fc.assert(
    fc.property(anyText(), (value) => {
      assert.equal(escapeHtml(`&<${value}`.repeat(600)), escapeHtml(`&<${value}`).repeat(600))
    }),
    { numRuns: 20 },
  )
})

test('no value can leave its attribute or open a tag', () => {
  fc.assert(
    fc.property(anyText(), (value) => {
      const page = String(html`<a title="${value}">${value}</a>`)
      const inside = page.slice('<a title="'.length, -'</a>'.length)
      assert.equal(inside, `${escapeHtml(value)}">${escapeHtml(value)}`)
      assert.doesNotMatch(escapeHtml(value), /[<>"'`]/)
    }),
  )
})

test('nested templates are escaped once, lists are joined, and missing values are empty', () => {
  const rows = ['a & b', 'c'].map((name) => html`<li>${name}</li>`)
  assert.equal(String(html`<ul>${rows}</ul>`), '<ul><li>a &amp; b</li><li>c</li></ul>')
  assert.equal(String(html`${null}${undefined}${false}${''}${0}${7n}${[['<'], 1]}`), '07&lt;1')
  assert.equal(String(html`${trusted('<b>')}`), '<b>')
  assert.equal(String(html``), '')
})

test('an object that imitates Html is escaped', () => {
  const forged = { toString: () => '<b>' } as unknown as string
  assert.equal(String(html`${forged}`), '&lt;b&gt;')
})

test('a value is refused at places where escaping would not make it safe', () => {
  const value = 'x onclick=alert(1)'
  assert.throws(() => html`<a title=${value}>`, TypeError)
  assert.throws(() => html`<a ${value}>`, TypeError)
  assert.throws(() => html`<a title="${'ok'}" ${value}>`, TypeError)
  assert.throws(() => html`<a title="${'ok'}" ${[value]}>`, TypeError)
  assert.throws(() => html`<${value}>`, TypeError)
  assert.throws(() => html`</${value}>`, TypeError)
  assert.throws(() => html`<script>let a = "${value}"</script>`, TypeError)
  assert.throws(() => html`<style nonce="${'n'}">a { color: ${value} }</style>`, TypeError)
})

test('places in tags, quotes, scripts and comments are distinguished', () => {
  const value = 'v'
  assert.equal(String(html`<a href="/x?y=${value}&amp;z='${value}'">${value}</a>`), `<a href="/x?y=v&amp;z='v'">v</a>`)
  assert.equal(String(html`<script src="${value}"></script>${value}`), '<script src="v"></script>v')
  assert.equal(String(html`<script>if (a < b) "it's"</script><p>${value}`), `<script>if (a < b) "it's"</script><p>v`)
  assert.equal(String(html`<!-- it's <a ${value} -->${value}`), `<!-- it's <a v -->v`)
  assert.equal(String(html`<p>it's 1 < 2, ${value}`), `<p>it's 1 < 2, v`)
  assert.equal(String(html`<option value="1" ${trusted('selected')}${false}${''}>`), '<option value="1" selected>')
  assert.equal(String(html`<td colspan=${2}>`), '<td colspan=2>')
})

test('an indented line continues the line before it: with nothing between elements and values, and a space between words and attributes', () => {
  const name = 'a\n  b'
  assert.equal(
    String(html`<ul>
      <li>
        ${name}
        ${name}
      </li>
    </ul>
<p class="soft"
      title="${name}">
      One word,
      <b>two</b> and
      three ${name} and
      ${name}.
    </p>`),
    `<ul><li>${name}${name}</li></ul>\n<p class="soft" title="${name}">One word,<b>two</b> and three ${name} and${name}.</p>`,
  )
  assert.equal(
    String(html`<a title="x
  y"><!-- a
  b --></a><script>
  run()
  </script>`),
    '<a title="x\n  y"><!-- a\n  b --></a><script>\n  run()\n  </script>',
  )
})
