import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type TextVersion, textShown, textsInForce } from './texts.ts'

const row = (version: number, createdAt: number, more: Partial<TextVersion> = {}): TextVersion => ({
  kind: 'terms',
  language: 'de',
  version,
  text: `v${version}`,
  createdAt,
  ...more,
})

test('an order has the versions that held when it was placed', () => {
  const rows = [row(1, 100), row(2, 200), row(1, 150, { language: 'en' }), row(3, 300, { text: '' })]
  const at = (time: number) => textsInForce(rows, time).map(({ language, version }) => `${language} ${version}`)
  assert.deepEqual(at(99), [])
  assert.deepEqual(at(100), ['de 1'])
  assert.deepEqual(at(250), ['de 2', 'en 1'])
  assert.deepEqual(at(300), ['en 1'], 'an empty text ends it')
})

test('a text is shown in the language of the reader, else of the merchant, else in any', () => {
  const rows = [row(1, 1), row(1, 1, { language: 'en' })]
  const shown = (...languages: string[]) => textShown(rows, 'terms', languages)?.language
  assert.deepEqual([shown('en', 'de'), shown('fr', 'de'), shown('fr', 'es')], ['en', 'de', 'de'])
  assert.equal(textShown(rows, 'privacy', ['de']), undefined)
})
