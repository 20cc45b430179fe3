import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { acceptedLocales } from '../../platform/html/locale.ts'
import { preferredRegions, speakerFor } from './language.ts'

describe('the language of a page', () => {
  // biome-ignore format: a table is read by its rows
  for (const [session, accepted, language, locale] of [
    ['auto',  undefined,                      'en', 'en'],
    ['auto',  'de-CH,de;q=0.9,en;q=0.8',      'de', 'de-CH'],
    ['auto',  'en;q=0.2, fr-CA;q=0.9',        'fr', 'fr-CA'],
    ['auto',  'pt-BR,es;q=0.5',               'es', 'es'],
    ['auto',  'ar',                           'ar', 'ar'],
    ['ja',    'de',                           'ja', 'ja'],
    ['en-GB', 'de',                           'en', 'en-GB'],
    ['pt-BR', 'de',                           'de', 'de'],
    ['pt-BR', undefined,                      'en', 'en'],
    ['auto',  'de;q=0',                       'en', 'en'],
    ['auto',  '*, x-klingon, de_DE, 💥, a-b', 'en', 'en'],
  ] as const) {
    test(`is ${locale} for ${session} and ${accepted}`, () => {
      const speaker = speakerFor(session, accepted)
      assert.deepEqual([speaker.language, speaker.locale], [language, locale])
      assert.equal(speaker.direction, language === 'ar' ? 'rtl' : 'ltr')
    })
  }

  test('reads at most twenty languages of a long header', () => {
    assert.ok(acceptedLocales('de,'.repeat(10_000)).length <= 20)
  })

  test('has the regions that the browser and the session request, those of the browser first', () => {
    assert.deepEqual(preferredRegions('de-CH', 'en,de-AT,en-US;q=0.5'), ['AT', 'US', 'CH'])
    assert.deepEqual(preferredRegions('de', 'en'), [])
    assert.deepEqual(preferredRegions('auto', undefined), [])
  })
})

describe('a formatter of texts', () => {
  test('uses the plural forms of its language', () => {
    const say = (locale: string, count: number) => speakerFor(locale, undefined).say('items.count', { count })
    assert.deepEqual(
      [1, 2].map((count) => say('en', count)),
      ['1 item', '2 items'],
    )
    assert.equal(say('ar', 2), 'منتجان')
    assert.equal(say('ja', 3), '3点')
  })

  test('isolates foreign names in right-to-left text', () => {
    assert.equal(speakerFor('ar', undefined).say('page.back', { merchant: 'A & B' }), 'العودة إلى \u2068A & B\u2069')
  })

  test('keeps French punctuation on the line of its word', () => {
    assert.equal(speakerFor('fr', undefined).say('page.help'), 'Une question sur votre commande\u00a0?')
  })

  test('formats amounts and durations for the region', () => {
    assert.match(speakerFor('de-CH', undefined).amount(123456, 'CHF'), /^CHF\s1[’']234\.56$/)
    assert.equal(speakerFor('de', undefined).duration(29.5 * 60_000), '30 Minuten')
    assert.equal(speakerFor('en', undefined).duration(60_000), '1 minute')
    assert.equal(speakerFor('en', undefined).duration(23.5 * 3_600_000), '23 hours')
  })

  test('returns the text of a known key, and a default for an unknown one', () => {
    assert.equal(speakerFor('de', undefined).sayKnown('method.card', 'card'), 'Karte')
    assert.equal(speakerFor('de', undefined).sayKnown('constructor', 'barter'), 'barter')
  })
})
