import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leastOf, threadCpuMs } from '../../../harness/timed.ts'
import { languageFor, wordForms } from './forms.ts'
import { shownMeasure } from './measures.ts'
import { isOneMistake, wordsOneMistakeAway } from './spelling.ts'
import { foldSearchText, indexWords, neighbourCompounds, querySpellings, queryWords, wholeCode } from './words.ts'

test('letter case, accents, widths, ligatures and vowel points are ignored', () => {
  assert.equal(foldSearchText('CRÈME Brûlée'), 'creme brulee')
  assert.equal(foldSearchText('Straße Øre Æble İzmir ŁÓDŹ'), 'strasse ore aeble izmir lodz')
  assert.equal(foldSearchText('Ｗａｎｇ ﬁne'), 'wang fine')
  assert.equal(foldSearchText('כַּד أَحمد'), 'כד احمد')
  assert.equal(foldSearchText('が 한글 नमस्ते'), 'が 한글 नमस्ते', 'marks that make another letter stay')
})

test('words are letters and digits; scripts without spaces are indexed by characters and pairs of characters', () => {
  assert.deepEqual(indexWords("Men's T-shirt, 250ml (blue/red)"), ['men', 't', 'shirt', '250ml', 'blue', 'red'])
  assert.deepEqual(indexWords('Men’s “T-shirt” – 94\u00a0% linen…\n• Wipe'), [
    ...['men', 't', 'shirt', '94', 'linen', 'wipe'],
  ])
  assert.deepEqual(indexWords('Crème’s – “Brûlée”… • 紫砂'), ['creme', 'brulee', '紫', '砂', '紫砂'])
  assert.deepEqual(indexWords('紫砂壶'), ['紫', '砂', '壶', '紫砂', '砂壶'])
  assert.deepEqual(queryWords('紫砂壶 tea TEA'), ['紫砂', '砂壶', 'tea'])
  assert.deepEqual(queryWords('壶'), ['壶'])
  assert.deepEqual(queryWords('iPhoneケース 🎁🎁'), ['iphone', 'ケー', 'ース', '🎁'])
  assert.deepEqual(queryWords('" * :| ()'), [])
  assert.equal(indexWords('x'.repeat(100))[0]?.length, 40)
  assert.equal(wholeCode('MUG-sto 250/Ä'), 'mugsto250a')
})

test('the forms of a word include its regular singular and plural in the language', () => {
  assert.deepEqual(wordForms('mug', 'en'), ['mug', 'mugs', 'muges'])
  assert.ok(wordForms('berries', 'en').includes('berry'))
  assert.ok(wordForms('boxes', 'en').includes('box'))
  assert.ok(wordForms('vasen', 'de').includes('vase'))
  assert.ok(wordForms('kleid', 'de').includes('kleider'))
  assert.ok(wordForms('chevaux', 'fr').includes('cheval'))
  assert.ok(wordForms('luces', 'es').includes('luz'))
  assert.deepEqual(wordForms('mugs', 'ja'), ['mugs'])
  assert.ok(!wordForms('gas', 'en').includes('ga'), 'what remains would be too short')
})

test('the language is the one that the merchant set, otherwise that of the country', () => {
  assert.equal(languageFor({ locale: 'fr-CH', country: 'DE' }), 'fr')
  assert.equal(languageFor({ locale: null, country: 'AT' }), 'de')
  assert.equal(languageFor({ locale: null, country: 'JP' }), 'en')
})

test('every generated misspelling has exactly one mistake, and their number is limited', () => {
  const found = wordsOneMistakeAway('hansen')
  assert.ok(found.every((word) => isOneMistake('hansen', word)))
  for (const word of ['hanson', 'hnasen', 'hansen1', 'hanse', 'hannsen', 'ansen', 'hänsen'])
    assert.equal(found.includes(word), /^[^0-9]+$/.test(word), word)
  assert.ok(!found.includes('hansen'))
  assert.ok(wordsOneMistakeAway('x'.repeat(12)).length < 1_400)
})

test('one mistake is a wrong, missing, added or swapped letter', () => {
  for (const wrong of ['stonewere', 'stonware', 'stoneewware', 'sotneware', 'xtoneware', 'stonewarx', 'toneware'])
    assert.equal(isOneMistake(wrong, 'stoneware'), wrong !== 'stoneewware', wrong)
  assert.equal(isOneMistake('stoneware', 'stoneware'), false)
  assert.equal(isOneMistake('stenewere', 'stoneware'), false)
})

test('ä is indexed as a and ae, a number with its unit also as one word, and adjacent words also as a compound', () => {
  assert.deepEqual(indexWords('Räucher 500 ml'), ['raucher', '500', 'ml', 'raeucher', '500ml'])
  assert.deepEqual(indexWords('1,5 Liter, 0.125 kg, 1.500 g, 250ml'), [
    ...['1', '5', 'liter', '0', '125', 'kg', '1', '500', 'g', '250ml', '1p5l', '0p125kg', '1500g'],
  ])
  assert.deepEqual(queryWords('Öl 0,5 Liter 2 in 1'), ['ol', '0p5l', '2in', '1'])
  assert.deepEqual(
    [...querySpellings('Öl ä 5 l')],
    [
      ['ol', 'oel'],
      ['a', 'ae'],
      ['5l', '5l'],
    ],
  )
  assert.deepEqual(neighbourCompounds('Wasser-Kocher für 紫砂'), [
    'wasserkocher',
    'kocherfur',
    'wasserkocher',
    'kocherfuer',
  ])
  assert.deepEqual(neighbourCompounds('a b'), [], 'too short')
  assert.equal(shownMeasure('0p5l'), '0.5l')
})

test('very many combining marks are handled in linear time', async () => {
  const foldMarks = () => {
    assert.equal(foldSearchText(`e${'\u0315\u0300'.repeat(30_000)}n`), 'en')
    assert.deepEqual(indexWords(`ä${'\u0315\u0300'.repeat(30_000)}`), ['a', 'ae'])
  }
  const tookMs = await leastOf(500, () => threadCpuMs(foldMarks))
  assert.ok(tookMs < 500, `${tookMs} ms`)
})
