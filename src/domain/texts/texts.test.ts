import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseText, filterTextsInForce, noticeProblems, type TextVersion } from './texts.ts'

const row = (version: number, createdAt: number, more: Partial<TextVersion> = {}): TextVersion => ({
  kind: 'terms',
  language: 'de',
  version,
  text: `v${version}`,
  createdAt,
  ...more,
})

test('an order has the versions of the texts that were in force when it was placed', () => {
  const rows = [row(1, 100), row(2, 200), row(1, 150, { language: 'en' }), row(3, 300, { text: '' })]
  const at = (time: number) => filterTextsInForce(rows, time).map(({ language, version }) => `${language} ${version}`)
  assert.deepEqual(at(99), [])
  assert.deepEqual(at(100), ['de 1'])
  assert.deepEqual(at(250), ['de 2', 'en 1'])
  assert.deepEqual(at(300), ['en 1'], 'an empty text ends it')
})

test('a text is shown in the reader’s language, otherwise in the merchant’s, otherwise in any', () => {
  const rows = [row(1, 1), row(1, 1, { language: 'en' })]
  const shown = (...languages: string[]) => chooseText(rows, 'terms', languages)?.language
  assert.deepEqual([shown('en', 'de'), shown('fr', 'de'), shown('fr', 'es')], ['en', 'de', 'de'])
  assert.equal(chooseText(rows, 'privacy', ['de']), undefined)
})

test('the picture of the guarantee notice must be a picture of the shop', () => {
  const isGood = (text: string) => [...noticeProblems('mer_1', text)].length === 0
  const file = `${'0a'.repeat(16)}-1654.png`
  assert.deepEqual(['', `/media/mer_1/${file}`].map(isGood), [true, true])
  const wrong = [
    `/media/mer_2/${file}`,
    `https://a.test/media/mer_1/${file}`,
    `/media/mer_1/../${file}`,
    'words',
    '/media/mer_1/a.svg',
  ]
  assert.deepEqual(wrong.filter(isGood), [])
})
