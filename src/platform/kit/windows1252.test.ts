import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeWindows1252 } from './windows1252.ts'

test('a text is encoded in Windows-1252, in which a dash and the euro sign have one byte', () => {
  const text = 'RE–2026 “Größe” 5 € Šarlota'
  const bytes = encodeWindows1252(text)
  assert.equal(bytes.length, text.length)
  assert.equal(new TextDecoder('windows-1252').decode(bytes), text)
})

test('characters that Windows-1252 does not have become question marks', () => {
  assert.equal(encodeWindows1252('ć 😀 Ж').toString('latin1'), '? ? ?')
})
