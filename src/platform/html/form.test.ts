import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { longestTurn } from '../../../harness/longestTurn.ts'
import { leastOf } from '../../../harness/timed.ts'
import {
  formBytesMax,
  hiddenFields,
  hiddenFieldsInSlices,
  readFields,
  readFiles,
  readForm,
  readLineField,
  readTypedForm,
} from './form.ts'

const type = 'application/x-www-form-urlencoded'

function posted(body: string | readonly string[], headers: Record<string, string> = { 'content-type': type }) {
  const chunks = (typeof body === 'string' ? [body] : body).map((chunk) => Buffer.from(chunk))
  // The cast holds: only the body and the headers are used.
  return Object.assign(Readable.from(chunks, { objectMode: false }), { headers }) as unknown as IncomingMessage
}

describe('reading a form', () => {
  test('returns every field as it was sent', async () => {
    const form = await readForm(posted(['scope=a&scope=b&pass', 'word=+x%20']))
    assert(typeof form !== 'number')
    assert.deepEqual([form.getAll('scope'), form.get('password')], [['a', 'b'], ' x '])
  })

  test('a line is the first field with its name, trimmed, and empty if there is none', () => {
    const form = new URLSearchParams('a=+x+y+&a=2&b=%E2%82%AC%00%0Az')
    assert.deepEqual([readLineField(form, 'a'), readLineField(form, 'b'), readLineField(form, 'c')], ['x y', '€ z', ''])
  })

  test('a line is truncated at 500 characters', () => {
    assert.equal(readLineField(new URLSearchParams(`a=${'x'.repeat(9_000)}`), 'a').length, 500)
  })

  test('400 for a truncated body', async () => {
    const raw = posted('a=1')
    const reading = readForm(raw)
    raw.destroy()
    assert.equal(await reading, 400)
  })

  for (const [name, raw, status] of [
    ['another media type', posted('{}', { 'content-type': 'application/json' }), 415],
    ['no media type', posted('a=1', {}), 415],
    ['a multipart form', posted('', { 'content-type': 'multipart/form-data; boundary=x' }), 415],
    ['a compressed body', posted('', { 'content-type': type, 'content-encoding': 'gzip' }), 415],
    [
      'a declared length above the limit',
      posted('', { 'content-type': type, 'content-length': String(formBytesMax + 1) }),
      413,
    ],
    ['a body above the limit', posted(Array.from({ length: 40 }, () => 'x'.repeat(1_000))), 413],
  ] as const) {
    test(`${status} for ${name}`, async () => assert.equal(await readForm(raw), status))
  }
})

test('413 for more fields than allowed', async () => {
  assert.equal(await readTypedForm(posted('a&'.repeat(50_000)), { bytesMax: 4_194_304, fieldsMax: 25_000 }), 413)
  const taxes = await readTypedForm(posted('a=1&'.repeat(20_002)), { bytesMax: 4_194_304, fieldsMax: 25_000 })
  assert(typeof taxes !== 'number')
  assert.equal(taxes.size, 20_002)
})

describe('reading the fields of a form with files', () => {
  const boundary = '----x'
  const fieldBounds = { bytesMax: 4_194_304, fieldsMax: 500 }

  // Sends the form in chunks of the given size.
  function sent(parts: readonly { name: string; value: string; isFile: boolean }[], size: number): IncomingMessage {
    const lines = parts.map(
      ({ name, value, isFile }) =>
        `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${isFile ? '; filename="f"' : ''}\r\n\r\n${value}\r\n`,
    )
    const body = Buffer.from(`${lines.join('')}--${boundary}--\r\n`)
    const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, at) =>
      body.subarray(at * size, (at + 1) * size),
    )
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    return Object.assign(Readable.from(chunks, { objectMode: false }), { headers }) as unknown as IncomingMessage
  }

  test('returns all fields and no files, however the bytes are split', async () => {
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom('\r\n--', '\r\n----', '\r\n----y', '--', '\r\n\r\n', 'é'.repeat(3_000)),
    )
    const part = fc.record({
      name: fc.constantFrom('a', 'b'),
      value: fc.array(value, { maxLength: 3 }).map((texts) => texts.join('').replaceAll('\r\n----x', '')),
      isFile: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 9_000 }),
        async (parts, size) => {
          const read = await readFields(sent(parts, size), fieldBounds, 1_000_000)
          assert(typeof read !== 'number')
          assert.deepEqual(
            [...read],
            parts
              .filter(({ isFile }) => !isFile)
              .map(({ name, value }) => [name, value.toWellFormed().replaceAll('\0', '')]),
          )
        },
      ),
    )
  })

  test('returns the fields and the files as fetch parses them', async () => {
    const name = fc
      .oneof(fc.string(), fc.constantFrom('a"b', 'a; filename="x"', 'ä\n', '%22', 'name=y'))
      .map((text) => text.toWellFormed())
    const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array))
    const part = fc.record({ name, value: fc.oneof(fc.string(), bytes), fileName: name })
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
        const form = new FormData()
        for (const { name, value, fileName } of parts)
          if (typeof value === 'string') form.append(name, value)
          else form.append(name, new Blob([value]), fileName)
        const request = new Response(form)
        const headers = { 'content-type': request.headers.get('content-type') ?? '' }
        const body = Buffer.from(await request.arrayBuffer())
        const raw = Object.assign(Readable.from([body], { objectMode: false }), {
          headers,
        }) as unknown as IncomingMessage
        const read = await readFiles(raw, 1_000_000)
        assert(typeof read !== 'number')
        const judged = [...(await new Response(body, { headers }).formData())]
        const [fields, files] = [true, false].map((isField) =>
          judged.filter(([, value]) => (typeof value === 'string') === isField),
        )
        assert.deepEqual(
          [...read.form],
          (fields ?? []).map((entry) => entry.map((text) => String(text).replaceAll('\0', ''))),
        )
        const chosen = (files ?? []).map(([, file]) => file as File).filter(({ size }) => size > 0)
        assert.deepEqual(
          read.fileNames,
          chosen.map((file) => file.name),
        )
        assert.deepEqual(
          read.files,
          await Promise.all(chosen.map(async (file) => Buffer.from(await file.arrayBuffer()))),
        )
      }),
    )
  })

  test('400 for parts without a name or headers, and for a truncated form', async () => {
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
    for (const body of [
      `--${boundary}\r\ncontent-disposition: form-data\r\n\r\nx\r\n--${boundary}--\r\n`,
      `--${boundary}\r\nx\r\n--${boundary}--\r\n`,
      `--${boundary}\r\ncontent-disposition: form-data; name="a"\r\n\r\nx`,
      '',
    ])
      assert.equal(await readFiles(posted(body, headers), 1_000_000), 400)
  })

  test('keeps a text of 3 MB between two files', async () => {
    const text = 'Wörter\r\n'.repeat(300_000)
    const file = { name: 'file', value: 'x'.repeat(500_000), isFile: true }
    const read = await readFields(
      sent([file, { name: 'text', value: text, isFile: false }, file], 65_536),
      fieldBounds,
      5_000_000,
    )
    assert(typeof read !== 'number')
    assert.deepEqual([...read.keys()], ['text'])
    assert.ok(read.get('text') === text)
  })

  test('413 for fields beyond 4 MiB, and for more bytes than allowed', async () => {
    const text = { name: 'text', value: 'x'.repeat(2_200_000), isFile: false }
    assert.equal(await readFields(sent([text, text], 65_536), fieldBounds, 8_000_000), 413)
    assert.equal(await readFields(sent([text], 65_536), fieldBounds, 2_000_000), 413)
  })

  test('413 for too many parts', async () => {
    const field = { name: 'a', value: '', isFile: false }
    const parts = Array.from({ length: 60_000 }, () => field)
    assert.equal(await readFields(sent(parts, 65_536), fieldBounds, 8_000_000), 413)
    const files = parts.map((part) => ({ ...part, isFile: true }))
    assert.equal(await readFields(sent(files, 65_536), fieldBounds, 8_000_000), 413)
  })
})

test('names and values of hidden fields are escaped', () => {
  assert.equal(
    String(hiddenFields({ 'a"': '<', n: 1 })),
    '<input type="hidden" name="a&quot;" value="&lt;"><input type="hidden" name="n" value="1">',
  )
})

test('long hidden fields are rendered in slices, with the same result', async () => {
  const fields = { 'a"': '"'.repeat(65_000), ['<'.repeat(40_000)]: '\u{1f600}<'.repeat(10_000), b: '' }
  const whole = String(hiddenFields(fields))
  assert.equal(String(await hiddenFieldsInSlices(Object.entries(fields))), whole)
  const heldMs = await leastOf(10, () => longestTurn(() => hiddenFieldsInSlices(Object.entries(fields))))
  assert.ok(heldMs < 15, `held the loop for ${heldMs} ms`)
})
