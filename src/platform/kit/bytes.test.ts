import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lastingBytes } from './bytes.ts'

test('bytes for long storage are those of the text, and keep no other memory in use', () => {
  for (const text of ['', 'a', 'Blumenstrauß für 3 €, 花', 'x'.repeat(100_000)]) {
    const bytes = lastingBytes(text)
    assert.equal(bytes.toString(), text)
    assert.equal(bytes.buffer.byteLength, bytes.length)
  }
})
