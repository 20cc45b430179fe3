import assert from 'node:assert/strict'
import { test } from 'node:test'
import { leastOf, threadCpuMs } from '../../../harness/timed.ts'
import { formsOf, languageFor } from './forms.ts'
import { shownMeasure } from './measures.ts'
import { isOneMistake, oneMistakeOf } from './spelling.ts'
import { compoundsIn, fold, spellingsAsked, wholeCode, wordsAsked, wordsIn } from './words.ts'

test('case, accents, widths, ligatures and vowel points are folded', () => {
  assert.equal(fold('CRÈME Brûlée'), 'creme brulee')
  assert.equal(fold('Straße Øre Æble İzmir ŁÓDŹ'), 'strasse ore aeble izmir lodz')
  assert.equal(fold('Ｗａｎｇ ﬁne'), 'wang fine')
  assert.equal(fold('כַּד أَحمد'), 'כד احمد')
  assert.equal(fold('が 한글 नमस्ते'), 'が 한글 नमस्ते', 'marks that make another letter stay')
})

test('words are letters and digits; scripts without spaces are indexed by pairs of characters', () => {
  assert.deepEqual(wordsIn("Men's T-shirt, 250ml (blue/red)"), ['men', 't', 'shirt', '250ml', 'blue', 'red'])
  assert.deepEqual(wordsIn('Men’s “T-shirt” – 94\u00a0% linen…\n• Wipe'), [
    ...['men', 't', 'shirt', '94', 'linen', 'wipe'],
  ])
  assert.deepEqual(wordsIn('Crème’s – “Brûlée”… • 紫砂'), ['creme', 'brulee', '紫', '砂', '紫砂'])
  assert.deepEqual(wordsIn('紫砂壶'), ['紫', '砂', '壶', '紫砂', '砂壶'])
  assert.deepEqual(wordsAsked('紫砂壶 tea TEA'), ['紫砂', '砂壶', 'tea'])
  assert.deepEqual(wordsAsked('壶'), ['壶'])
  assert.deepEqual(wordsAsked('iPhoneケース 🎁🎁'), ['iphone', 'ケー', 'ース', '🎁'])
  assert.deepEqual(wordsAsked('" * :| ()'), [])
  assert.equal(wordsIn('x'.repeat(100))[0]?.length, 40)
  assert.equal(wholeCode('MUG-sto 250/Ä'), 'mugsto250a')
})

test('word forms are the regular plurals of the language', () => {
  assert.deepEqual(formsOf('mug', 'en'), ['mug', 'mugs', 'muges'])
  assert.ok(formsOf('berries', 'en').includes('berry'))
  assert.ok(formsOf('boxes', 'en').includes('box'))
  assert.ok(formsOf('vasen', 'de').includes('vase'))
  assert.ok(formsOf('kleid', 'de').includes('kleider'))
  assert.ok(formsOf('chevaux', 'fr').includes('cheval'))
  assert.ok(formsOf('luces', 'es').includes('luz'))
  assert.deepEqual(formsOf('mugs', 'ja'), ['mugs'])
  assert.ok(!formsOf('gas', 'en').includes('ga'), 'what remains would be too short')
})

test('the language is the one that the merchant set, else that of the country', () => {
  assert.equal(languageFor({ locale: 'fr-CH', country: 'DE' }), 'fr')
  assert.equal(languageFor({ locale: null, country: 'AT' }), 'de')
  assert.equal(languageFor({ locale: null, country: 'JP' }), 'en')
})

test('all generated words with one mistake satisfy the rule, and their number is limited', () => {
  const found = oneMistakeOf('hansen')
  assert.ok(found.every((word) => isOneMistake('hansen', word)))
  for (const word of ['hanson', 'hnasen', 'hansen1', 'hanse', 'hannsen', 'ansen', 'hänsen'])
    assert.equal(found.includes(word), /^[^0-9]+$/.test(word), word)
  assert.ok(!found.includes('hansen'))
  assert.ok(oneMistakeOf('x'.repeat(12)).length < 1_400)
})

test('one mistake is a wrong, missing, added or swapped letter', () => {
  for (const wrong of ['stonewere', 'stonware', 'stoneewware', 'sotneware', 'xtoneware', 'stonewarx', 'toneware'])
    assert.equal(isOneMistake(wrong, 'stoneware'), wrong !== 'stoneewware', wrong)
  assert.equal(isOneMistake('stoneware', 'stoneware'), false)
  assert.equal(isOneMistake('stenewere', 'stoneware'), false)
})

test('ä is indexed as a and ae, a number with its unit also as one word, and adjacent words as a compound', () => {
  assert.deepEqual(wordsIn('Räucher 500 ml'), ['raucher', '500', 'ml', 'raeucher', '500ml'])
  assert.deepEqual(wordsIn('1,5 Liter, 0.125 kg, 1.500 g, 250ml'), [
    ...['1', '5', 'liter', '0', '125', 'kg', '1', '500', 'g', '250ml', '1p5l', '0p125kg', '1500g'],
  ])
  assert.deepEqual(wordsAsked('Öl 0,5 Liter 2 in 1'), ['ol', '0p5l', '2in', '1'])
  assert.deepEqual(
    [...spellingsAsked('Öl ä 5 l')],
    [
      ['ol', 'oel'],
      ['a', 'ae'],
      ['5l', '5l'],
    ],
  )
  assert.deepEqual(compoundsIn('Wasser-Kocher für 紫砂'), ['wasserkocher', 'kocherfur', 'wasserkocher', 'kocherfuer'])
  assert.deepEqual(compoundsIn('a b'), [], 'too short')
  assert.equal(shownMeasure('0p5l'), '0.5l')
})

test('endless combining marks are folded in linear time', async () => {
  const foldMarks = () => {
    assert.equal(fold(`e${'\u0315\u0300'.repeat(30_000)}n`), 'en')
    assert.deepEqual(wordsIn(`ä${'\u0315\u0300'.repeat(30_000)}`), ['a', 'ae'])
  }
  const tookMs = await leastOf(500, () => threadCpuMs(foldMarks))
  assert.ok(tookMs < 500, `${tookMs} ms`)
})
