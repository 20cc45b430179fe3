import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { formBytesMax, hiddenFields, lineIn, readForm } from './form.ts'

const type = 'application/x-www-form-urlencoded'

function posted(body: string | readonly string[], headers: Record<string, string> = { 'content-type': type }) {
  const chunks = (typeof body === 'string' ? [body] : body).map((chunk) => Buffer.from(chunk))
  // Only these two are read of a request.
  return Object.assign(Readable.from(chunks, { objectMode: false }), { headers }) as unknown as IncomingMessage
}

describe('reading a form', () => {
  test('gives every field as it was sent', async () => {
    const form = await readForm(posted(['scope=a&scope=b&pass', 'word=+x%20']))
    assert(form instanceof URLSearchParams)
    assert.deepEqual([form.getAll('scope'), form.get('password')], [['a', 'b'], ' x '])
  })

  test('a line is the first of two fields, trimmed, and empty where it is missing', () => {
    const form = new URLSearchParams('a=+x+y+&a=2&b=%E2%82%AC%00%0Az')
    assert.deepEqual([lineIn(form, 'a'), lineIn(form, 'b'), lineIn(form, 'c')], ['x y', '€ z', ''])
  })

  test('a line is cut where no one types that much', () => {
    assert.equal(lineIn(new URLSearchParams(`a=${'x'.repeat(9_000)}`), 'a').length, 500)
  })

  test('400 for a body that ended early', async () => {
    const raw = posted('a=1')
    const reading = readForm(raw)
    raw.destroy()
    assert.equal(await reading, 400)
  })

  for (const [name, raw, status] of [
    ['another type', posted('{}', { 'content-type': 'application/json' }), 415],
    ['no type', posted('a=1', {}), 415],
    ['a multipart form', posted('', { 'content-type': 'multipart/form-data; boundary=x' }), 415],
    ['a compressed body', posted('', { 'content-type': type, 'content-encoding': 'gzip' }), 415],
    ['a length over the bound', posted('', { 'content-type': type, 'content-length': String(formBytesMax + 1) }), 413],
    ['a body over the bound', posted(Array.from({ length: 40 }, () => 'x'.repeat(1_000))), 413],
  ] as const) {
    test(`${status} for ${name}`, async () => assert.equal(await readForm(raw), status))
  }
})

test('hidden fields are escaped', () => {
  assert.equal(
    String(hiddenFields({ 'a"': '<', n: 1 })),
    '<input type="hidden" name="a&quot;" value="&lt;"><input type="hidden" name="n" value="1">',
  )
})
