import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import { formBytesMax, isForeign, readForm } from './form.ts'

const type = 'application/x-www-form-urlencoded'

function posted(body: string | readonly string[], headers: Record<string, string> = { 'content-type': type }) {
  const chunks = (typeof body === 'string' ? [body] : body).map((chunk) => Buffer.from(chunk))
  // Only these two are read of a request.
  return Object.assign(Readable.from(chunks, { objectMode: false }), { headers }) as unknown as IncomingMessage
}

describe('reading a form', () => {
  test('takes the first of two fields, trims, and answers a missing one with nothing', async () => {
    const form = await readForm(posted('a=+x+y+&a=2&b=%E2%82%AC%00%0Az'))
    assert(typeof form === 'function')
    assert.deepEqual([form('a'), form('b'), form('c')], ['x y', '€ z', ''])
  })

  test('cuts a value that nobody typed', async () => {
    const form = await readForm(posted(`a=${'x'.repeat(9_000)}`))
    assert(typeof form === 'function')
    assert.equal(form('a').length, 500)
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

describe('where a post comes from', () => {
  const here = 'https://shop.example.com'
  // biome-ignore format: a table is read by its rows
  for (const [headers, foreign] of [
    [{},                                                         false],
    [{ origin: here },                                           false],
    [{ origin: 'null' },                                         false],
    [{ origin: 'https://other.example.com' },                    true],
    [{ 'sec-fetch-site': 'same-origin', origin: 'null' },        false],
    [{ 'sec-fetch-site': 'none' },                               false],
    [{ 'sec-fetch-site': 'same-site', origin: here },            true],
    [{ 'sec-fetch-site': 'cross-site', origin: 'null' },         true],
  ] as const) {
    test(`${JSON.stringify(headers)} is ${foreign ? 'foreign' : 'ours'}`, () => {
      assert.equal(isForeign(posted('', { ...headers }), here), foreign)
    })
  }
})
